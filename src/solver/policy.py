"""Policies over information states: look up, save and map, merge, compare, take to other tools and back.

Solvers make a `PolicyTable`, agents ask it. Its rows stand in the order of 64-bit keys, which are hashes
of information state strings, so a look-up is a bisection; a second hash tells texts apart whose keys
are equal. The file it is saved to is mapped, not read, and checked where it is used (`solver.archive`).
"""

from __future__ import annotations

import importlib
import json
import math
import os
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from struct import Struct
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import archive, games
from solver._version import __version__
from solver.errors import ArchiveError, ArgumentError, MissingExtraError, PolicyError, PositionError
from solver.games import notation

__all__ = ["Comparison", "Difference", "PolicyTable", "Row", "describe", "fingerprint", "load", "uniform"]

KIND = "policy"  # of the file, see `solver.archive`
MAX_STATES = 1_000_000  # a walk of a game in plain Python: some seconds

_TOLERANCE = 1e-6  # of the sum of a row's probabilities
_EXPORT_VERSION = 1  # of the JSON and Parquet layouts
_EXPORT_FORMAT = "cardsolver policy"

_Columns = dict[str, NDArray[Any]]
_DTYPES = {
    "keys": "<u8",
    "checks": "<u8",
    "players": "|i1",
    "offsets": "<i8",
    "actions": "<i4",
    "probabilities": "<f8",
    "text_offsets": "<i8",
    "text_bytes": "|u1",
    "values": "<f8",
    "visits": "<f8",
}
_BY_ROW = ("keys", "checks", "players", "visits")
_BY_ACTION = ("actions", "probabilities", "values")
_REQUIRED = ("keys", "checks", "players", "offsets", "actions", "probabilities")

_unpack = Struct("<QQ").unpack


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()


def fingerprint(text: str) -> tuple[int, int]:
    """Key and check of an information state: the two halves of a hash of its text.

    Parameters
    ----------
    text : str
        The information state string.

    Returns
    -------
    key, check : int
        64 bits each: the first and the last 8 bytes, little-endian, of BLAKE2b with 16 bytes of the
        text in UTF-8.

    Raises
    ------
    PolicyError
        If the text has half a surrogate pair, which UTF-8 does not.
    """
    key, check = _unpack(_digest(_encoded(text)))
    return key, check


def _encoded(text: Any) -> bytes:
    if not isinstance(text, str):
        raise ArgumentError(f"an information state is text, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise PolicyError(f"the information state {text!r} has half a surrogate pair") from None


class Row(NamedTuple):
    """An information state and how it is played.

    Attributes
    ----------
    text : str or None
        The information state string, if the table keeps it.
    key : int
        Its hash, 64 bits.
    player : int
        The seat to decide.
    actions : tuple of int
        Action ids, ascending.
    probabilities : tuple of float
        Of each action; they sum to 1.
    values : tuple of float or None
        Of each action the pay-off to expect, nan if not known; None if the table has none.
    visits : float or None
        How often the solver was here; None if the table does not say.
    """

    text: str | None
    key: int
    player: int
    actions: tuple[int, ...]
    probabilities: tuple[float, ...]
    values: tuple[float, ...] | None
    visits: float | None


class Difference(NamedTuple):
    """The same information state in two tables, and the total variation between them."""

    distance: float
    row: Row
    other: Row


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two tables side by side.

    Attributes
    ----------
    common : int
        How many information states stand in both.
    only_self, only_other : numpy.ndarray
        int64, the numbers of the rows that stand in one table only, ascending.
    mean, max : float
        Total variation over the common information states, 0..1: half the sum of the absolute
        differences of the probabilities. nan if there are none.
    most : list of Difference
        The information states that differ most, the greatest difference first; equal ones are left out.
    """

    common: int
    only_self: NDArray[np.int64]
    only_other: NDArray[np.int64]
    mean: float
    max: float
    most: list[Difference]


class PolicyTable:
    """A policy: of each information state the actions and their probabilities. Immutable.

    Made by `build`, `from_mapping`, `uniform`, `load` and the imports. ``len(table)`` is the number of
    rows; iteration gives each `Row` in order of key; ``text in table`` and ``state in table`` work.

    Notes
    -----
    Rows are sorted by key, check and player. A text that is an information state of two players has two
    rows. Tables are equal if all rows and all of `meta` are.
    """

    __slots__ = (
        "_actions",
        "_checks",
        "_columns",
        "_keys",
        "_lazy",
        "_meta",
        "_offsets",
        "_players",
        "_probabilities",
        "_shift",
        "_window",
    )
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, columns: _Columns, meta: Mapping[str, Any], lazy: archive.Archive | None = None) -> None:
        """For the class's own use: `columns` as in the file, sorted; `lazy` if they are to be verified before use."""
        _check_structure(columns, lazy)
        for column in columns.values():
            column.flags.writeable = False
        self._columns = columns
        self._meta = json.dumps(archive.plain(dict(meta)))
        self._lazy = lazy
        self._shift = 0 if lazy is None else lazy.block.bit_length() - 1
        # Items of a memoryview are Python's own numbers, several times faster than numpy's scalars.
        views = {name: np.asarray(columns[name], columns[name].dtype.newbyteorder("=")).data for name in _REQUIRED}
        self._keys, self._checks, self._players = views["keys"], views["checks"], views["players"]
        self._offsets, self._actions, self._probabilities = views["offsets"], views["actions"], views["probabilities"]
        # Hashes are uniform: a key's place is known to about sqrt(n) / 2 (one standard deviation).
        self._window = 3 * math.isqrt(len(self._keys)) + 8

    # Making

    @classmethod
    def build(
        cls,
        texts: Sequence[str],
        players: Any,
        offsets: Any,
        actions: Any,
        probabilities: Any,
        *,
        values: Any = None,
        visits: Any = None,
        meta: Mapping[str, Any] | None = None,
        keep_text: bool = True,
    ) -> PolicyTable:
        """A table from arrays, rows in any order.

        Parameters
        ----------
        texts : sequence of str
            The information state string of each of n rows.
        players : array_like of int, shape (n,)
            The seat to decide, 0..127.
        offsets : array_like of int, shape (n + 1,)
            Row i has the entries ``offsets[i]..offsets[i + 1] - 1`` of what follows, one or more.
        actions : array_like of int, shape (m,)
            Action ids, ascending within a row.
        probabilities : array_like of float, shape (m,)
            They sum to 1 (within 1e-6) in each row, and are kept as they are.
        values : array_like of float, shape (m,), optional
            Pay-off to expect after each action, nan where it is not known.
        visits : array_like of float, shape (n,), optional
            How often the solver was at each row, nan where it is not known.
        meta : mapping, optional
            What made it: game, rules (see `describe`), method, parameters, seed, iterations, seconds.
        keep_text : bool
            Whether the table keeps the texts. Without them it can be asked, but not listed in words.

        Raises
        ------
        PolicyError
            If a row is no policy, or stands there twice, or two texts have the same 128 bits of hash.
        ArgumentError
            If an argument is of another type or shape, or `meta` has what a file cannot keep.
        """
        count = len(texts)
        columns: _Columns = {
            "players": _numbers(players, "players", "|i1", count),
            "offsets": _numbers(offsets, "offsets", "<i8", count + 1),
            "actions": _numbers(actions, "actions", "<i4", None),
        }
        total = len(columns["actions"])
        columns["probabilities"] = _numbers(probabilities, "probabilities", "<f8", total)
        if values is not None:
            columns["values"] = _numbers(values, "values", "<f8", total)
        if visits is not None:
            columns["visits"] = _numbers(visits, "visits", "<f8", count)
        columns |= _hashed(texts, keep_text)
        return cls._assembled(columns, meta, texts)

    @classmethod
    def from_hashes(
        cls,
        keys: Any,
        checks: Any,
        players: Any,
        offsets: Any,
        actions: Any,
        probabilities: Any,
        *,
        texts: Sequence[str] | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> PolicyTable:
        """A table from the hashes of its information states (see `fingerprint`) instead of their texts.

        Parameters
        ----------
        keys, checks : array_like of int, shape (n,)
            What `fingerprint` gives for the information state string of each row.
        players, offsets, actions, probabilities, meta
            As in `build`.
        texts : sequence of str, optional
            The strings, to be kept.

        Raises
        ------
        PolicyError, ArgumentError
            As `build` does.
        """
        count = len(keys)
        columns: _Columns = {
            "keys": _numbers(keys, "keys", "<u8", count),
            "checks": _numbers(checks, "checks", "<u8", count),
            "players": _numbers(players, "players", "|i1", count),
            "offsets": _numbers(offsets, "offsets", "<i8", count + 1),
            "actions": _numbers(actions, "actions", "<i4", None),
        }
        columns["probabilities"] = _numbers(probabilities, "probabilities", "<f8", len(columns["actions"]))
        if texts is not None:
            columns |= _hashed(texts, True)
        return cls._assembled(columns, meta, texts)

    @classmethod
    def from_mapping(
        cls,
        policy: Mapping[Any, Any],
        *,
        player: int | None = None,
        game: Any = None,
        meta: Mapping[str, Any] | None = None,
        max_states: int = MAX_STATES,
    ) -> PolicyTable:
        """A table from a dictionary.

        Parameters
        ----------
        policy : mapping
            From an information state string, or a pair of it and the player, to a dictionary (or pairs)
            of action and probability.
        player : int, optional
            The player of the strings that stand without one.
        game : Game, optional
            Instead: the players are those whom the game, walked in plain Python, has decide there. Each
            action must be legal. `meta` gets its name.
        meta : mapping, optional
            As in `build`.
        max_states : int
            Largest number of states of `game` to walk.

        Raises
        ------
        PolicyError
            As in `build`; if an information state or an action is not in the game, or the game has too many states.
        ArgumentError
            If a string stands without player, and neither `player` nor `game` is given.
        """
        legal: dict[tuple[str, int], tuple[int, ...]] | None = None
        by_text: dict[str, list[int]] = {}
        if game is not None:
            legal = _information_states(game, max_states)
            for text, seat in legal:
                by_text.setdefault(text, []).append(seat)
            meta = {**describe(game), **(meta or {})}
        rows: list[tuple[str, int, list[tuple[int, float]]]] = []
        for key, entries in policy.items():
            text, given = key if isinstance(key, tuple) and len(key) == 2 else (key, player)
            _encoded(text)
            try:
                pairs = sorted(entries.items() if isinstance(entries, Mapping) else ((a, p) for a, p in entries))
            except (TypeError, ValueError):
                raise ArgumentError(f"{text!r}: a dictionary of action and probability is needed") from None
            if given is None and legal is None:
                raise ArgumentError(f"{text!r} needs a player: give player=, game=, or (text, player) as key")
            seats = by_text.get(text, []) if given is None else [given]
            if not seats or (legal is not None and any((text, seat) not in legal for seat in seats)):
                raise PolicyError(f"{text!r} is no information state of the game{_seat(given)}")
            for seat in seats:
                for action, _ in pairs:
                    if legal is not None and action not in legal[text, seat]:
                        raise PolicyError(f"{text!r}: action {action!r} is not among {list(legal[text, seat])}")
                rows.append((text, seat, pairs))
        return cls._from_rows(rows, meta)

    @classmethod
    def _from_rows(
        cls, rows: Sequence[tuple[str, int, Sequence[tuple[int, float]]]], meta: Mapping[str, Any] | None
    ) -> PolicyTable:
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(np.fromiter((len(pairs) for _, _, pairs in rows), np.int64, len(rows)), out=offsets[1:])
        return cls.build(
            [text for text, _, _ in rows],
            [player for _, player, _ in rows],
            offsets,
            [action for _, _, pairs in rows for action, _ in pairs],
            [probability for _, _, pairs in rows for _, probability in pairs],
            meta=meta,
        )

    @classmethod
    def _assembled(
        cls, columns: _Columns, meta: Mapping[str, Any] | None, texts: Sequence[str] | None = None
    ) -> PolicyTable:
        """A table from columns that came from outside, in any order of rows."""

        def name(row: int) -> str:
            text = f"{int(columns['keys'][row]):016x}" if texts is None else repr(texts[row])
            return f"row {row} ({text}, player {columns['players'][row]})"

        _check_structure(columns, None)
        _check_contents(columns, name)
        keys, checks, players = columns["keys"], columns["checks"], columns["players"]
        order = np.lexsort((players, checks, keys))
        keys, checks, players = keys[order], checks[order], players[order]
        same = np.flatnonzero((keys[1:] == keys[:-1]) & (checks[1:] == checks[:-1]))
        for i in same:
            first, second = sorted((int(order[i]), int(order[i + 1])))
            if texts is not None and texts[first] != texts[second]:
                raise PolicyError(f"{name(first)} and {name(second)} have the same 128 bits of hash")
        twice = same[players[same] == players[same + 1]]
        if len(twice):
            first, second = sorted((int(order[twice[0]]), int(order[twice[0] + 1])))
            raise PolicyError(f"{name(first)} stands there again as row {second}")
        return cls(_taken(columns, order), {"version": __version__, **(meta or {})})

    # Asking

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        game = self.meta.get("game")
        size = f"{len(self)} information states, {len(self._actions)} actions"
        return f"<PolicyTable{f' of {game}' if game else ''}: {size}>"

    @property
    def meta(self) -> dict[str, Any]:
        """What made the table; a copy."""
        result: dict[str, Any] = json.loads(self._meta)
        return result

    @property
    def keys(self) -> NDArray[np.uint64]:
        """The key of each row, ascending; uint64, shape (n,), read-only like all columns."""
        return self._column("keys")

    @property
    def checks(self) -> NDArray[np.uint64]:
        """The second hash of each row; uint64, shape (n,)."""
        return self._column("checks")

    @property
    def players(self) -> NDArray[np.int8]:
        """The seat to decide; int8, shape (n,)."""
        return self._column("players")

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Row i has the entries ``offsets[i]..offsets[i + 1] - 1``; int64, shape (n + 1,)."""
        return self._column("offsets")

    @property
    def actions(self) -> NDArray[np.int32]:
        """Action ids; int32, shape (m,)."""
        return self._column("actions")

    @property
    def probabilities(self) -> NDArray[np.float64]:
        """Of each action; float64, shape (m,)."""
        return self._column("probabilities")

    @property
    def values(self) -> NDArray[np.float64] | None:
        """Pay-off to expect after each action, nan where not known; float64, shape (m,), or None."""
        return self._column("values") if "values" in self._columns else None

    @property
    def visits(self) -> NDArray[np.float64] | None:
        """How often the solver was at each row, nan where not known; float64, shape (n,), or None."""
        return self._column("visits") if "visits" in self._columns else None

    @property
    def has_text(self) -> bool:
        """Whether the rows know their information state strings."""
        return "text_bytes" in self._columns

    def verify(self) -> None:
        """Verify all of the file that the table is mapped from; look-ups are a little faster after it.

        Raises
        ------
        ArchiveError
            If it is damaged, or its rows are none.
        """
        if self._lazy is None:
            return
        self._lazy.verify()
        try:
            _check_contents(self._columns, lambda row: f"row {row}")
            _check_order(self._columns)
        except PolicyError as error:
            raise ArchiveError(f"{self._lazy.path}: {error}") from None
        self._lazy = None

    def action_probabilities(self, state: Any, player: int | None = None) -> dict[int, float]:
        """The policy of an information state.

        Parameters
        ----------
        state : State or str
            A state, for the player to decide there; or an information state string.
        player : int, optional
            Whose information state a string is; needed if it is one of several players'.

        Returns
        -------
        dict of int to float
            Action id to probability, ascending.

        Raises
        ------
        PolicyError
            If the table lacks the information state, it is one of several players', or nobody decides.
        ArchiveError
            If the file that the table is mapped from is damaged there.
        """
        if type(state) is str:
            row = self._find(state, player)
        else:
            state, player = _asked(state, player)
            row = self._find(state, player)
        if row < 0:
            raise PolicyError(f"the policy lacks the information state {state!r}{_seat(player)}")
        start, stop = self._span(row)
        return dict(zip(self._actions[start:stop].tolist(), self._probabilities[start:stop].tolist(), strict=True))

    def sample(self, state: Any, rng: Any, player: int | None = None) -> int:
        """An action drawn from the policy of an information state.

        Parameters
        ----------
        state, player
            As in `action_probabilities`.
        rng : solver.Rng
            Or whatever has a method `random` that draws from [0, 1).

        Raises
        ------
        PolicyError, ArchiveError
            As `action_probabilities` does.
        """
        policy = self.action_probabilities(state, player)
        left = rng.random() * math.fsum(policy.values())
        drawn = -1
        for action, probability in policy.items():
            if probability > 0:
                drawn = action
                left -= probability
                if left < 0:
                    break
        return drawn

    def find(self, state: Any, player: int | None = None) -> int | None:
        """The number of the row of an information state, for `row` and the columns; None if it has none.

        Raises
        ------
        PolicyError
            If a string is an information state of several players, and no player is given.
        ArchiveError
            If the file that the table is mapped from is damaged there.
        """
        text, player = _asked(state, player)
        row = self._find(text, player)
        return None if row < 0 else row

    def __contains__(self, state: object) -> bool:
        text, player = _asked(state, None)
        try:
            return self._find(text, player) >= 0
        except PolicyError:  # it is one of several players'
            return True

    def row(self, number: int) -> Row:
        """A row by its number, 0-based, in order of key.

        Raises
        ------
        ArgumentError
            If there is no such row.
        ArchiveError
            If the file that the table is mapped from is damaged there.
        """
        if not 0 <= number < len(self):
            raise ArgumentError(f"there is no row {number} among {len(self)}")
        start, stop = self._span(number)
        for name in ("keys", "players", "visits"):
            self._check(name, number, number + 1)
        self._check("values", start, stop)
        values = self._columns.get("values")
        visits = self._columns.get("visits")
        return Row(
            text=self._text(number),
            key=self._keys[number],
            player=self._players[number],
            actions=tuple(self._actions[start:stop].tolist()),
            probabilities=tuple(self._probabilities[start:stop].tolist()),
            values=None if values is None else tuple(values[start:stop].tolist()),
            visits=None if visits is None else float(visits[number]),
        )

    def __iter__(self) -> Iterator[Row]:
        return map(self.row, range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PolicyTable):
            return NotImplemented
        if self._columns.keys() != other._columns.keys() or self.meta != other.meta:
            return False
        mine, its = self._all(), other._all()
        return all(np.array_equal(mine[name], its[name], equal_nan=mine[name].dtype.kind == "f") for name in mine)

    def __copy__(self) -> PolicyTable:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyTable:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # As plain arrays: a mapped file need not be there where the table goes.
        return PolicyTable, ({name: np.array(column) for name, column in self._all().items()}, self.meta)

    def _find(self, text: str, player: int | None) -> int:
        """The row of a text, -1 without one."""
        try:
            key, check = _unpack(_digest(text.encode()))
        except UnicodeEncodeError:
            return -1
        keys = self._keys
        count = len(keys)
        low = (key * count >> 64) - self._window
        high = low + 2 * self._window
        if low < 0:
            low = 0
        if high > count:
            high = count
        at = bisect_left(keys, key, low, high)
        if at == count or keys[at] != key:
            at = self._far(key, low, high)
            if at < 0:
                return -1
        if (at and keys[at - 1] == key) or (at + 1 < count and keys[at + 1] == key):
            rows = self._run(at, key, check, player)
            if len(rows) > 1:
                seats = ", ".join(str(self._players[row]) for row in rows)
                raise PolicyError(f"{text!r} is an information state of the players {seats}: which one is asked?")
            return rows[0] if rows else -1
        if self._lazy is not None:
            # The neighbours too: that they are others is part of the answer.
            flags = self._lazy.verified["keys"]
            shift = self._shift - 3
            if not (flags[(at - 1 if at else 0) >> shift] and flags[min(at + 1, count - 1) >> shift]):
                self._check("keys", at - 1, at + 2)
            if not self._lazy.verified["checks"][at >> shift]:
                self._check("checks", at, at + 1)
            if player is not None:
                self._check("players", at, at + 1)
        if self._checks[at] != check or (player is not None and self._players[at] != player):
            return -1
        return at

    def _far(self, key: int, low: int, high: int) -> int:
        """A row with a key that was not found among the rows low..high; -1 if there is none in all the table."""
        keys = self._keys
        count = len(keys)
        # Verified, what was found stands: any damage would have raised.
        self._check("keys", low - 1, high + 1)
        if (low == 0 or keys[low - 1] < key) and (high == count or keys[high] > key):
            return -1
        self._check("keys", 0, count)
        at = bisect_left(keys, key)
        return at if at < count and keys[at] == key else -1

    def _run(self, at: int, key: int, check: int, player: int | None) -> list[int]:
        """The rows of a text where several rows have its key, `at` one of them."""
        keys = self._keys
        first, end = at, at + 1
        while first and keys[first - 1] == key:
            first -= 1
        while end < len(keys) and keys[end] == key:
            end += 1
        self._check("keys", first - 1, end + 1)
        self._check("checks", first, end)
        self._check("players", first, end)
        return [
            row
            for row in range(first, end)
            if self._checks[row] == check and (player is None or self._players[row] == player)
        ]

    def _span(self, row: int) -> tuple[int, int]:
        """Where the entries of a row stand; those of actions and probabilities are verified."""
        lazy = self._lazy
        if lazy is not None:
            shift = self._shift - 3
            flags = lazy.verified["offsets"]
            if not (flags[row >> shift] and flags[(row + 1) >> shift]):
                self._check("offsets", row, row + 2)
        start, stop = self._offsets[row], self._offsets[row + 1]
        if lazy is not None:
            if not 0 <= start < stop <= len(self._actions):
                raise ArchiveError(f"{lazy.path}: row {row} has the entries {start}..{stop - 1}")
            if stop - start > 1 << shift:
                self._check("actions", start, stop)
                self._check("probabilities", start, stop)
            else:  # within two blocks
                flags = lazy.verified["actions"]
                if not (flags[start >> (shift + 1)] and flags[(stop - 1) >> (shift + 1)]):
                    self._check("actions", start, stop)
                flags = lazy.verified["probabilities"]
                if not (flags[start >> shift] and flags[(stop - 1) >> shift]):
                    self._check("probabilities", start, stop)
        return start, stop

    def _text(self, row: int) -> str | None:
        if "text_bytes" not in self._columns:
            return None
        self._check("text_offsets", row, row + 2)
        start, stop = (int(offset) for offset in self._columns["text_offsets"][row : row + 2])
        if not 0 <= start <= stop <= len(self._columns["text_bytes"]):
            raise PolicyError(f"row {row} has the text bytes {start}..{stop - 1}")
        self._check("text_bytes", start, stop)
        try:
            return self._columns["text_bytes"][start:stop].tobytes().decode()
        except UnicodeDecodeError:
            raise PolicyError(f"the text of row {row} is no UTF-8") from None

    def _check(self, name: str, start: int, stop: int) -> None:
        """Verify items of a column, cut to those that there are."""
        if self._lazy is not None and name in self._columns:
            column = self._columns[name]
            width = column.itemsize
            self._lazy.check(name, max(start, 0) * width, min(stop, len(column)) * width)

    def _column(self, name: str) -> NDArray[Any]:
        self._check(name, 0, len(self._columns[name]))
        return self._columns[name]

    def _all(self) -> _Columns:
        """All columns, verified."""
        self.verify()
        return self._columns

    # Saving

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the table; `load` maps the file. A file there is replaced whole, at the very end.

        Raises
        ------
        OSError
            If the file cannot be written; an earlier one is then as it was.
        """
        archive.write(path, KIND, self._all(), self.meta)

    # Working with tables

    def filter(self, predicate: Callable[[Row], object]) -> PolicyTable:
        """The rows for which `predicate` is true."""
        columns = self._all()
        rows = np.array([i for i, row in enumerate(self) if predicate(row)], np.int64)
        return PolicyTable(_taken(columns, rows), self.meta)

    def merge(self, other: PolicyTable, prefer: Literal["self", "other"] | None = None) -> PolicyTable:
        """The rows of two tables of one game.

        Parameters
        ----------
        other : PolicyTable
            The other table.
        prefer : {"self", "other"}, optional
            Which table wins where both have an information state and play it differently.

        Returns
        -------
        PolicyTable
            With texts if both have them; with values and visits, partly nan, if one has. Its `meta` has
            what both agree on and, if that is not all, both under ``merged``.

        Raises
        ------
        PolicyError
            If the tables are of different games or rules; or, without `prefer`, if a common row differs.
        """
        if prefer not in (None, "self", "other"):
            raise ArgumentError(f"prefer must be self or other, not {prefer!r}")
        for entry in ("game", "rules"):
            mine, its = self.meta.get(entry), other.meta.get(entry)
            if mine != its:
                raise PolicyError(f"a policy with {entry} {mine!r} and one with {entry} {its!r} are no policy together")
        here, there = self._common(other)
        if prefer is None:
            differ = np.flatnonzero(~_equal(_filled(self._all()), _filled(other._all()), here, there))
            if len(differ):
                row = self.row(int(here[differ[0]]))
                raise PolicyError(f"{_named(row)} differs in the two policies; which one to prefer?")
        mine_rows, its_rows = np.arange(len(self)), np.arange(len(other))
        if prefer == "other":
            mine_rows = np.delete(mine_rows, here)
        else:
            its_rows = np.delete(its_rows, there)
        columns = _joined(_taken(self._all(), mine_rows), _taken(other._all(), its_rows))
        order = np.lexsort((columns["players"], columns["checks"], columns["keys"]))
        meta, its_meta = self.meta, other.meta
        if meta != its_meta:
            both = {entry: value for entry, value in meta.items() if entry in its_meta and its_meta[entry] == value}
            meta = {**both, "merged": [meta, its_meta]}
        return PolicyTable(_taken(columns, order), meta)

    def compare(self, other: PolicyTable, most: int = 10) -> Comparison:
        """How far two tables are from each other.

        Parameters
        ----------
        other : PolicyTable
            The other table.
        most : int
            How many of the information states that differ most to list.
        """
        mine, its = self._all(), other._all()
        here, there = self._common(other)
        distances = _distances(mine, its, here, there)
        listed = [i for i in np.argsort(-distances, kind="stable")[: max(most, 0)] if distances[i] > 0]
        return Comparison(
            common=len(here),
            only_self=np.delete(np.arange(len(self)), here),
            only_other=np.delete(np.arange(len(other)), there),
            mean=float(distances.mean()) if len(here) else math.nan,
            max=float(distances.max()) if len(here) else math.nan,
            most=[Difference(float(distances[i]), self.row(int(here[i])), other.row(int(there[i]))) for i in listed],
        )

    def _common(self, other: PolicyTable) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers of the rows of the information states that both tables have."""
        mine, its = self._all(), other._all()
        keys, checks, players = (np.concatenate([mine[name], its[name]]) for name in ("keys", "checks", "players"))
        order = np.lexsort((players, checks, keys))  # stable: of two equal ones, mine is first
        keys, checks, players = keys[order], checks[order], players[order]
        same = (keys[1:] == keys[:-1]) & (checks[1:] == checks[:-1]) & (players[1:] == players[:-1])
        return order[:-1][same], order[1:][same] - len(self)

    # To other tools and back

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the table as JSON.

        Parameters
        ----------
        path : path-like, optional
            The file; without it, the text is returned.

        Raises
        ------
        OSError
            If the file cannot be written; an earlier one is then as it was.
        """
        if path is None:
            return "".join(self._json())
        with archive.replacing(path) as file:
            for line in self._json():
                file.write(line.encode())
        return None

    def _json(self) -> Iterator[str]:
        columns = self._all()
        head = {"format": _EXPORT_FORMAT, "version": _EXPORT_VERSION, "meta": self.meta}
        yield json.dumps(head)[:-1] + ', "rows": ['
        for i, row in enumerate(self):
            item: dict[str, Any] = {"text": row.text}
            if row.text is None:
                item = {"hash": f"{row.key:016x}{columns['checks'][i]:016x}"}
            item |= {"player": row.player, "actions": row.actions, "probabilities": row.probabilities}
            if row.values is not None:
                item["values"] = [None if math.isnan(value) else value for value in row.values]
            if row.visits is not None:
                item["visits"] = None if math.isnan(row.visits) else row.visits
            yield (",\n" if i else "\n") + json.dumps(item)
        yield "\n]}\n"

    @classmethod
    def from_json(cls, source: str | os.PathLike[str]) -> PolicyTable:
        """A table from what `to_json` wrote.

        Parameters
        ----------
        source : path-like or str
            The file; or the text itself, which begins with ``{``.

        Raises
        ------
        ArchiveError
            If it is no JSON, or none of a policy.
        PolicyError
            If a row is no policy, or stands there twice.
        OSError
            If the file cannot be read.
        """
        if isinstance(source, str) and source.lstrip().startswith("{"):
            text, name = source, "the text"
        else:
            name = os.fspath(source)
            with open(source, "rb") as file:
                data = file.read()
            try:
                text = data.decode()
            except UnicodeDecodeError:
                raise ArchiveError(f"{name}: no UTF-8, so no JSON") from None
        try:
            document = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise ArchiveError(f"{name}: no JSON: {error}") from None
        if not isinstance(document, dict) or document.get("format") != _EXPORT_FORMAT:
            raise ArchiveError(f"{name}: JSON, but not of a policy")
        _check_version(name, document.get("version"))
        if not isinstance(document.get("meta"), dict) or not isinstance(document.get("rows"), list):
            raise ArchiveError(f"{name}: meta and rows are needed")
        return _from_items(document["rows"], document["meta"], name)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table as Parquet: columns text, key, check, player, actions, probabilities, values, visits.

        Raises
        ------
        MissingExtraError
            If pyarrow is not installed.
        OSError
            If the file cannot be written; an earlier one is then as it was.
        """
        pa, pq = _extra("pyarrow", "parquet"), _extra("pyarrow.parquet", "parquet")
        columns = self._all()
        count = len(self)
        data: dict[str, Any] = {}
        if self.has_text:
            buffers = [pa.py_buffer(columns["text_offsets"]), pa.py_buffer(columns["text_bytes"])]
            data["text"] = pa.LargeStringArray.from_buffers(count, *buffers)
        data |= {"key": columns["keys"], "check": columns["checks"], "player": columns["players"]}
        for name in _BY_ACTION:
            if name in columns:
                data[name] = pa.LargeListArray.from_arrays(columns["offsets"], columns[name])
        if "visits" in columns:
            data["visits"] = columns["visits"]
        head = {"format": _EXPORT_FORMAT, "version": _EXPORT_VERSION, "meta": self.meta}
        table = pa.table(data).replace_schema_metadata({_EXPORT_FORMAT: json.dumps(head)})
        with archive.replacing(path) as file:
            pq.write_table(table, file, write_page_checksum=True)

    @classmethod
    def from_parquet(cls, path: str | os.PathLike[str]) -> PolicyTable:
        """A table from what `to_parquet` wrote.

        Raises
        ------
        MissingExtraError
            If pyarrow is not installed.
        ArchiveError
            If it is no Parquet, or none of a policy.
        PolicyError
            If a row is no policy, or stands there twice.
        OSError
            If the file cannot be read.
        """
        pa, pq = _extra("pyarrow", "parquet"), _extra("pyarrow.parquet", "parquet")
        name = os.fspath(path)
        with open(path, "rb") as file:
            data = file.read()
        try:
            table = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True).read()
            table.validate(full=True)
            head = json.loads((table.schema.metadata or {}).get(_EXPORT_FORMAT.encode(), b"null"))
        except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
            raise ArchiveError(f"{name}: no Parquet file, or a damaged one: {error}") from None
        if not isinstance(head, dict) or head.get("format") != _EXPORT_FORMAT or not isinstance(head.get("meta"), dict):
            raise ArchiveError(f"{name}: a Parquet file, but not of a policy")
        _check_version(name, head.get("version"))
        return _from_arrow(pa, table, head["meta"], name)

    def to_pyspiel(self) -> Any:
        """The table as a `pyspiel.TabularPolicy`.

        Raises
        ------
        MissingExtraError
            If OpenSpiel is not installed.
        PolicyError
            If the table has no texts, or a text of several players, which OpenSpiel does not tell apart.
        """
        pyspiel = _extra("pyspiel", "openspiel")
        if not self.has_text:
            raise PolicyError("OpenSpiel looks policies up by text, and this table was built with keep_text=False")
        policy: dict[str, list[tuple[int, float]]] = {}
        for row in self:
            text = row.text or ""
            if text in policy:
                raise PolicyError(f"{text!r} is an information state of several players; OpenSpiel keeps one only")
            policy[text] = list(zip(row.actions, row.probabilities, strict=True))
        return pyspiel.TabularPolicy(policy)

    @classmethod
    def from_pyspiel(cls, policy: Any, game: Any, *, max_states: int = MAX_STATES) -> PolicyTable:
        """A table from one of OpenSpiel.

        Parameters
        ----------
        policy : pyspiel.TabularPolicy or open_spiel.python.policy.TabularPolicy
            The policy.
        game : pyspiel.Game or str
            Its game, or OpenSpiel's name of it; walked in plain Python, because the policy does not know whose
            information states it has.
        max_states : int
            Largest number of states to walk.

        Raises
        ------
        PolicyError
            If the policy does not fit the game, or the game has too many states.
        ArgumentError
            If it is no such policy, or OpenSpiel has no such game.
        MissingExtraError
            If `game` is a name and OpenSpiel is not installed.
        """
        if isinstance(game, str):
            try:
                game = _extra("pyspiel", "openspiel").load_game(game)
            except RuntimeError as error:  # a pyspiel.SpielError is one
                raise ArgumentError(f"OpenSpiel has no game {game!r}: {error}") from None
        rows: dict[str, Any]
        if hasattr(policy, "policy_table"):
            rows = dict(policy.policy_table())
        elif hasattr(policy, "state_lookup"):
            table, legal = policy.action_probability_array, policy.legal_actions_mask
            rows = {
                text: {int(a): float(table[i, a]) for a in np.flatnonzero(legal[i])}
                for text, i in policy.state_lookup.items()
            }
        else:
            raise ArgumentError(f"a TabularPolicy of OpenSpiel is needed, not {type(policy).__name__}")
        return cls.from_mapping(rows, game=game, meta={"method": "openspiel"}, max_states=max_states)


def load(
    path: str | os.PathLike[str], game: Any = None, *, verify: Literal["auto", "full", "lazy"] = "auto"
) -> PolicyTable:
    """Map a table that `PolicyTable.save` wrote.

    Parameters
    ----------
    path : path-like
        The file.
    game : Game or str, optional
        The game, or its game string, that the table must be of.
    verify : {"auto", "full", "lazy"}
        When the file is verified, see `solver.archive.read`; large ones block by block where they are used.

    Raises
    ------
    ArchiveError
        If the file is damaged, is no policy, or has another format version.
    PolicyError
        If the table is of another game or other rules.
    OSError
        If the file cannot be read; FileNotFoundError if there is none.

    Examples
    --------
    >>> table = uniform(games.load("kuhn"))
    >>> table.save("kuhn.policy")
    >>> load("kuhn.policy", game="kuhn").action_probabilities("2pb")
    {0: 0.5, 1: 0.5}
    """
    file = archive.read(path, KIND, verify)
    lazy = any(0 in flags for flags in file.verified.values())
    try:
        table = PolicyTable(file.arrays, file.meta, file if lazy else None)
        if not lazy:
            _check_contents(file.arrays, lambda row: f"row {row}")
            _check_order(file.arrays)
    except (ArgumentError, PolicyError) as error:
        raise ArchiveError(f"{file.path}: {error}") from None
    if game is not None:
        _check_game(table.meta, game, file.path)
    return table


def uniform(game: Any, *, max_states: int = MAX_STATES) -> PolicyTable:
    """The policy that plays every legal action with the same probability.

    Parameters
    ----------
    game : Game
        Walked in plain Python.
    max_states : int
        Largest number of states to walk.

    Raises
    ------
    PolicyError
        If the game has more states, players who decide at once, or an information state whose legal
        actions differ.

    Examples
    --------
    >>> len(uniform(games.load("kuhn")))
    12
    """
    states = _information_states(game, max_states)
    rows = [(text, seat, [(a, 1 / len(legal)) for a in legal]) for (text, seat), legal in states.items()]
    return PolicyTable._from_rows(rows, {**describe(game), "method": "uniform"})


def describe(game: Any) -> dict[str, Any]:
    """The entries of `PolicyTable.meta` that name a game: ``game`` and ``rules``, the version of its rules or None."""
    name = str(game)
    if name == object.__repr__(game):  # it has an address in it
        options = game.get_parameters()
        name = notation.format_game(f"{type(game).__module__}.{type(game).__qualname__}", options)
    return {"game": name, "rules": getattr(game, "rules_version", None)}


def _check_game(meta: Mapping[str, Any], game: Any, where: str) -> None:
    """Refuse a table of another game or other rules."""
    wanted: dict[str, Any] | None = None
    if isinstance(game, str):
        try:
            name, _, _ = notation.read_game(game)
        except PositionError:
            name = ""  # another library's game string
        if name in games.NAMES:
            wanted = describe(games.load(game))
    else:
        wanted = describe(game)
    known = meta.get("game")
    asked = game.strip() if wanted is None else wanted["game"]
    if known is None or str(known).removesuffix("()") != asked.removesuffix("()"):
        raise PolicyError(f"{where} is a policy of {known or 'no game that it names'}, not of {asked}")
    if wanted is not None and meta.get("rules") != wanted["rules"]:
        raise PolicyError(
            f"{where} is a policy of {known} with rules {meta.get('rules')}, and this game has rules {wanted['rules']}"
        )


def _information_states(game: Any, max_states: int) -> dict[tuple[str, int], tuple[int, ...]]:
    """The legal actions at each information state of a game, with its player."""
    found: dict[tuple[str, int], tuple[int, ...]] = {}
    # Children are made one by one: a chance node may have more outcomes than fit into memory.
    pending: list[Iterator[Any]] = [iter((game.new_initial_state(),))]
    count = 0
    while pending:
        state = next(pending[-1], None)
        if state is None:
            pending.pop()
            continue
        count += 1
        if count > max_states:
            raise PolicyError(f"{game} has more than {max_states} states; a larger max_states walks more")
        if state.is_terminal():
            continue
        actions: Iterable[int]
        if state.is_chance_node():
            actions = [outcome for outcome, probability in state.chance_outcomes() if probability > 0]
        else:
            player = state.current_player()
            if player < 0:
                raise PolicyError(f"{game} lets several players decide at once (seat {player}): not supported")
            actions = legal = tuple(sorted(int(action) for action in state.legal_actions()))
            text = state.information_state_string(player)
            if found.setdefault((text, player), legal) != legal:
                raise PolicyError(f"{text!r}: legal actions {list(legal)}, elsewhere {list(found[text, player])}")
        pending.append(map(state.child, actions))
    return found


def _asked(state: Any, player: int | None) -> tuple[str, int | None]:
    """Text and player that a look-up asks for."""
    if isinstance(state, str):
        return state, player
    try:
        mover = state.current_player()
    except AttributeError:
        raise ArgumentError(f"a state or an information state string is needed, not {type(state).__name__}") from None
    if mover < 0:
        raise PolicyError("nobody decides in this state, so no policy has it")
    if player is not None and player != mover:
        raise ArgumentError(f"player {mover} decides in this state, not player {player}")
    return state.information_state_string(mover), mover


def _seat(player: int | None) -> str:
    return "" if player is None else f" of player {player}"


def _named(row: Row) -> str:
    return f"{f'the row {row.key:016x}' if row.text is None else repr(row.text)} of player {row.player}"


def _extra(module: str, extra: str) -> Any:
    """A module that an extra of this library brings."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtraError(f"{module} is not installed: pip install 'cardsolver[{extra}]'") from None


def _numbers(value: Any, name: str, dtype: str, length: int | None) -> NDArray[Any]:
    """A column from what a caller gave: checked, of its dtype, a copy."""
    try:
        given = np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} must be an array of numbers") from None
    if given.ndim != 1 or (length is not None and len(given) != length):
        shape = f"({'any' if length is None else length},)"
        raise ArgumentError(f"{name} must have shape {shape}, not {given.shape}")
    kinds = "fiu" if dtype == "<f8" else "iu"
    if len(given) and given.dtype.kind not in kinds:
        raise ArgumentError(f"{name} must be {'numbers' if 'f' in kinds else 'whole numbers'}, not {given.dtype}")
    if "f" not in kinds and len(given):
        limits = np.iinfo(dtype)
        beyond = np.flatnonzero((given < 0) | (given > limits.max))
        if len(beyond):
            where = f"{name}[{beyond[0]}] is {given[beyond[0]]}"
            raise PolicyError(f"{where}: it must lie in 0..{limits.max}")
    return np.array(given, dtype)


def _hashed(texts: Sequence[str], keep_text: bool) -> _Columns:
    """The columns of the texts. One text at a time: a million rows make no million objects."""
    digests = bytearray(16 * len(texts))
    kept = bytearray()
    ends = array("q", [0])
    for i, text in enumerate(texts):
        data = _encoded(text)
        digests[16 * i : 16 * i + 16] = _digest(data)
        if keep_text:
            kept += data
            ends.append(len(kept))
    halves = np.frombuffer(digests, "<u8").reshape(-1, 2)
    columns: _Columns = {"keys": halves[:, 0].copy(), "checks": halves[:, 1].copy()}
    if keep_text:
        columns["text_offsets"] = np.array(ends, "<i8")
        columns["text_bytes"] = np.array(kept, "|u1")
    return columns


def _check_structure(columns: _Columns, lazy: archive.Archive | None) -> None:
    """Refuse columns that are missing, or whose dtype or length is not what it should be."""
    missing = [name for name in _REQUIRED if name not in columns]
    if ("text_offsets" in columns) != ("text_bytes" in columns):
        missing.append("text_bytes or text_offsets")
    if missing or not columns.keys() <= _DTYPES.keys():
        raise PolicyError(
            f"columns {', '.join(sorted(columns))} are no policy; missing: {', '.join(missing) or 'none'}"
        )
    count, total = len(columns["keys"]), len(columns["actions"])
    for name, column in columns.items():
        length = count if name in _BY_ROW else total if name in _BY_ACTION else count + 1
        if name == "text_bytes":
            length = column.size
        if column.dtype.str != _DTYPES[name] or column.shape != (length,):
            raise PolicyError(
                f"column {name} is {column.dtype.str} of shape {column.shape}, not {_DTYPES[name]} of shape ({length},)"
            )
    for name, end in (("offsets", total), ("text_offsets", len(columns.get("text_bytes", ())))):
        if name in columns:
            if lazy is not None:
                lazy.check(name, 0, 8)
                lazy.check(name, 8 * count, 8 * count + 8)
            first, last = int(columns[name][0]), int(columns[name][-1])
            if (first, last) != (0, end):
                raise PolicyError(f"column {name} runs from {first} to {last}, not from 0 to {end}")


def _check_contents(columns: _Columns, name: Callable[[int], str]) -> None:
    """Refuse rows that are no policy; `name` is how an error calls a row."""
    offsets, actions, probabilities = columns["offsets"], columns["actions"], columns["probabilities"]
    if not len(offsets) - 1:
        return

    def refuse(rows: NDArray[Any], what: Callable[[int], str]) -> None:
        if len(rows):
            row = int(rows[0])
            raise PolicyError(f"{name(row)} {what(row)}")

    def owner(entries: NDArray[Any]) -> NDArray[Any]:
        return np.searchsorted(offsets, entries, side="right") - 1

    def show(column: NDArray[Any], row: int) -> str:
        shown = column[offsets[row] : offsets[row + 1]][:20].tolist()
        return f"{shown}{' and more' if offsets[row + 1] - offsets[row] > 20 else ''}"

    refuse(np.flatnonzero(offsets[1:] <= offsets[:-1]), lambda row: "has no actions")
    if "text_offsets" in columns:
        refuse(np.flatnonzero(np.diff(columns["text_offsets"]) < 0), lambda row: "has no text")
    refuse(np.flatnonzero(columns["players"] < 0), lambda row: "has no player")
    refuse(owner(np.flatnonzero(actions < 0)), lambda row: f"has the actions {show(actions, row)}")
    falls = np.flatnonzero(actions[1:] <= actions[:-1]) + 1
    inside = falls[offsets[owner(falls)] != falls]  # between rows they may
    refuse(owner(inside), lambda row: f"has actions that do not ascend: {show(actions, row)}")
    wrong = ~(np.isfinite(probabilities) & (probabilities >= 0))
    refuse(owner(np.flatnonzero(wrong)), lambda row: f"has the probabilities {show(probabilities, row)}")
    sums = np.add.reduceat(probabilities, offsets[:-1])
    far = np.flatnonzero(~(abs(sums - 1) <= _TOLERANCE))
    refuse(far, lambda row: f"has probabilities that sum to {sums[row]:.9g}, not to 1: {show(probabilities, row)}")
    if "values" in columns:
        values = columns["values"]
        refuse(owner(np.flatnonzero(np.isinf(values))), lambda row: f"has the values {show(values, row)}")
    if "visits" in columns:
        visits = columns["visits"]
        refuse(np.flatnonzero(np.isinf(visits) | (visits < 0)), lambda row: f"has {visits[row]} visits")


def _check_order(columns: _Columns) -> None:
    """Refuse rows that are not sorted, or stand there twice."""
    keys, checks, players = columns["keys"], columns["checks"], columns["players"]
    later = players[1:] > players[:-1]
    later = (checks[1:] > checks[:-1]) | ((checks[1:] == checks[:-1]) & later)
    later = (keys[1:] > keys[:-1]) | ((keys[1:] == keys[:-1]) & later)
    if not later.all():
        raise PolicyError(f"row {np.flatnonzero(~later)[0] + 1} is not in order")


def _entries(offsets: NDArray[Any], rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The new offsets of some rows, and the numbers of their entries."""
    sizes = offsets[1:][rows] - offsets[:-1][rows]
    ends = np.zeros(len(rows) + 1, "<i8")
    np.cumsum(sizes, out=ends[1:])
    return ends, np.arange(ends[-1]) + np.repeat(offsets[:-1][rows] - ends[:-1], sizes)


def _taken(columns: _Columns, rows: NDArray[Any]) -> _Columns:
    """Some rows of a table, in the order given."""
    result: _Columns = {name: columns[name][rows] for name in _BY_ROW if name in columns}
    result["offsets"], entries = _entries(columns["offsets"], rows)
    result |= {name: columns[name][entries] for name in _BY_ACTION if name in columns}
    if "text_bytes" in columns:
        result["text_offsets"], entries = _entries(columns["text_offsets"], rows)
        result["text_bytes"] = columns["text_bytes"][entries]
    return result


def _filled(columns: _Columns) -> _Columns:
    """The columns with those of values and visits, nan where there were none."""
    nothing = {"values": len(columns["actions"]), "visits": len(columns["keys"])}
    return {name: np.full(size, np.nan) for name, size in nothing.items()} | columns


def _joined(first: _Columns, second: _Columns) -> _Columns:
    """The rows of one table, then those of the other."""
    names = first.keys() & second.keys()
    for name in ("values", "visits"):
        if name in first or name in second:
            names |= {name}
    first, second = _filled(first), _filled(second)
    result: _Columns = {}
    for name in names:
        tail = second[name]
        if name in ("offsets", "text_offsets"):
            tail = tail[1:] + first[name][-1]
        result[name] = np.concatenate([first[name], tail])
    return result


def _equal(mine: _Columns, its: _Columns, here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether pairs of rows are equal."""
    equal: NDArray[np.bool_] = np.diff(mine["offsets"])[here] == np.diff(its["offsets"])[there]
    rows = np.flatnonzero(equal)
    here, there = here[rows], there[rows]
    equal[rows] &= _same(mine["visits"][here], its["visits"][there])
    ends, left = _entries(mine["offsets"], here)
    _, right = _entries(its["offsets"], there)
    for name in _BY_ACTION if len(rows) else ():
        equal[rows] &= np.logical_and.reduceat(_same(mine[name][left], its[name][right]), ends[:-1])
    return equal


def _same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (a == b) | ((a != a) & (b != b))  # nan is not known, and so is nan
    return result


def _distances(mine: _Columns, its: _Columns, here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.float64]:
    """Total variation between pairs of rows, whose actions may differ."""
    count = len(here)
    if not count:
        return np.zeros(0)
    codes, weights = [], []
    for columns, rows, sign in ((mine, here, 1.0), (its, there, -1.0)):
        ends, entries = _entries(columns["offsets"], rows)
        pair = np.repeat(np.arange(count), np.diff(ends))
        codes.append((pair << 31) | columns["actions"][entries])
        weights.append(sign * columns["probabilities"][entries])
    code = np.concatenate(codes)
    order = np.argsort(code, kind="stable")
    code = code[order]
    starts = np.flatnonzero(np.concatenate([[True], code[1:] != code[:-1]]))
    differences = abs(np.add.reduceat(np.concatenate(weights)[order], starts))
    return np.asarray(0.5 * np.bincount(code[starts] >> 31, differences, count), np.float64)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _check_version(name: str, version: object) -> None:
    if type(version) is not int or version != _EXPORT_VERSION:
        raise ArchiveError(f"{name}: it has format version {version}, and this library reads {_EXPORT_VERSION}")


def _from_items(rows: list[Any], meta: dict[str, Any], name: str) -> PolicyTable:
    """A table from the rows of a JSON document."""
    texts: list[str] = []
    hashes = bytearray()
    players, offsets, actions = array("b"), array("q", [0]), array("i")
    probabilities, values, visits = array("d"), array("d"), array("d")
    entries = rows[0].keys() if rows and isinstance(rows[0], dict) else {"text"}
    if not {"player", "actions", "probabilities"} <= entries and rows:
        raise ArchiveError(f"{name}: row 0 needs player, actions and probabilities")
    if rows and entries - {"text", "hash", "values", "visits"} != {"player", "actions", "probabilities"}:
        raise ArchiveError(f"{name}: row 0 has the entries {', '.join(entries)}")
    if ("text" in entries) == ("hash" in entries):
        raise ArchiveError(f"{name}: row 0 needs either text or hash")
    for i, row in enumerate(rows):
        try:
            if row.keys() != entries:
                raise TypeError("other entries than row 0")
            if "text" in row:
                _encoded(row["text"])
                texts.append(row["text"])
            else:
                digits = bytes.fromhex(row["hash"])
                if len(digits) != 16:
                    raise TypeError("a hash with other than 32 digits")
                hashes += digits[7::-1] + digits[:7:-1]
            players.append(_int(row["player"]))
            actions.extend(_int(item) for item in row["actions"])
            probabilities.extend(_float(item) for item in row["probabilities"])
            offsets.append(len(actions))
            if len(probabilities) != len(actions):
                raise TypeError("not as many probabilities as actions")
            if "values" in row:
                values.extend(_float_or_nan(item) for item in row["values"])
                if len(values) != len(actions):
                    raise TypeError("not as many values as actions")
            if "visits" in row:
                visits.append(_float_or_nan(row["visits"]))
        except (AttributeError, TypeError, ValueError, OverflowError) as error:
            raise ArchiveError(f"{name}: row {i} cannot be read: {error}") from None
    columns: _Columns = {
        "players": np.array(players, "|i1"),
        "offsets": np.array(offsets, "<i8"),
        "actions": np.array(actions, "<i4"),
        "probabilities": np.array(probabilities, "<f8"),
    }
    if "values" in entries:
        columns["values"] = np.array(values, "<f8")
    if "visits" in entries:
        columns["visits"] = np.array(visits, "<f8")
    return _imported(columns, texts if "text" in entries else None, bytes(hashes), meta, name)


def _int(item: object) -> int:
    if type(item) is not int:
        raise TypeError(f"{item!r} is no whole number")
    return item


def _float(item: object) -> float:
    if not isinstance(item, (int, float)) or isinstance(item, bool):
        raise TypeError(f"{item!r} is no number")
    return float(item)


def _float_or_nan(item: object) -> float:
    return math.nan if item is None else _float(item)


def _imported(
    columns: _Columns, texts: list[str] | None, hashes: bytes, meta: dict[str, Any], name: str
) -> PolicyTable:
    """A table from what another program may have written; `hashes` if there are no texts."""
    if texts is None:
        halves = np.frombuffer(hashes, "<u8").reshape(-1, 2)
        columns |= {"keys": halves[:, 0].copy(), "checks": halves[:, 1].copy()}
    else:
        columns |= _hashed(texts, keep_text=True)
    try:
        return PolicyTable._assembled(columns, meta, texts)
    except PolicyError as error:
        raise PolicyError(f"{name}: {error}") from None
    except ArgumentError as error:  # of meta
        raise ArchiveError(f"{name}: {error}") from None


def _from_arrow(pa: Any, table: Any, meta: dict[str, Any], name: str) -> PolicyTable:
    """A table from one of Arrow."""

    def column(entry: str, kind: Any) -> Any:
        try:
            chunks = table.column(entry).cast(kind)
        except (KeyError, pa.ArrowException) as error:
            raise ArchiveError(f"{name}: no column {entry}, or none of {kind}: {error}") from None
        if chunks.null_count:
            raise ArchiveError(f"{name}: column {entry} has nothing in some rows")
        return pa.concat_arrays(chunks.chunks) if chunks.num_chunks else pa.array([], kind)

    def plain(entry: str, kind: Any) -> NDArray[Any]:
        result: NDArray[Any] = column(entry, kind).to_numpy(zero_copy_only=False)
        return result

    def ragged(entry: str, kind: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        lists = column(entry, pa.large_list(kind))
        items = lists.flatten()
        if items.null_count:
            raise ArchiveError(f"{name}: column {entry} has nothing in some entries")
        offsets = lists.offsets.to_numpy() if len(lists) else np.zeros(1, "<i8")
        return offsets - offsets[0], items.to_numpy(zero_copy_only=False)

    known = {"text", "key", "check", "player", "actions", "probabilities", "values", "visits"}
    names = table.schema.names
    if len(set(names)) != len(names) or not set(names) <= known:
        raise ArchiveError(f"{name}: the columns {', '.join(names)} are no policy")
    offsets, actions = ragged("actions", pa.int32())
    columns: _Columns = {"players": plain("player", pa.int8()), "offsets": offsets, "actions": actions}
    for entry in ("probabilities", "values"):
        if entry in names or entry == "probabilities":
            its, columns[entry] = ragged(entry, pa.float64())
            if not np.array_equal(its, offsets):
                raise ArchiveError(f"{name}: columns actions and {entry} have rows of different lengths")
    if "visits" in names:
        columns["visits"] = plain("visits", pa.float64())
    columns = {entry: np.array(items, _DTYPES[entry]) for entry, items in columns.items()}
    texts = column("text", pa.large_string()).to_pylist() if "text" in names else None
    hashes = np.stack([plain("key", pa.uint64()), plain("check", pa.uint64())], axis=1).astype("<u8")
    result = _imported(columns, texts, hashes.tobytes(), meta, name)
    if texts is not None and not np.array_equal(result.keys, np.sort(hashes[:, 0])):
        raise ArchiveError(f"{name}: its keys are not those of its texts")
    return result
