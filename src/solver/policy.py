"""Policies over information states: look up, save and map, merge, compare, take to other tools and back.

Solvers make a `PolicyTable`, agents ask it. Its rows stand in the order of 64-bit keys, which are hashes
of information state strings, so a look-up is a bisection; a second hash tells texts apart whose keys
are equal. The file it is saved to is mapped, not read, and checked where it is used (`solver.archive`).
"""

from __future__ import annotations

import json
import math
import os
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import _html, _policy_formats, archive, frames
from solver._core import listed, whole
from solver._policy_columns import (
    REQUIRED,
    Columns,
    check_contents,
    check_order,
    check_structure,
    common,
    digest,
    encoded,
    equal_rows,
    filled,
    hashed,
    joined,
    numbers,
    ordered,
    taken,
    total_variations,
    unpack,
)
from solver._policy_games import check_game, describe, information_states
from solver._version import __version__
from solver.errors import ArchiveError, ArgumentError, PolicyError
from solver.runs import flag

__all__ = ["Comparison", "Difference", "PolicyTable", "Row", "describe", "fingerprint", "load", "uniform"]

KIND = "policy"  # of the file, see `solver.archive`
MAX_STATES = 1_000_000  # a walk of a game in plain Python: some seconds


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
    key, check = unpack(digest(encoded(text)))
    return key, check


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


class PolicyTable(frames.Framed):
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

    def __init__(self, columns: Columns, meta: Mapping[str, Any], lazy: archive.Archive | None = None) -> None:
        """For the class's own use: `columns` as in the file, sorted; `lazy` if they are to be verified before use."""
        check_structure(columns, lazy)
        for column in columns.values():
            column.flags.writeable = False
        self._columns = columns
        self._meta = json.dumps(archive.plain(dict(meta)))
        self._lazy = lazy
        self._shift = 0 if lazy is None else lazy.block.bit_length() - 1
        # Items of a memoryview are Python's own numbers, several times faster than numpy's scalars.
        views = {name: np.asarray(columns[name], columns[name].dtype.newbyteorder("=")).data for name in REQUIRED}
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
        texts = listed(texts, "texts")
        count = len(texts)
        columns: Columns = {
            "players": numbers(players, "players", "|i1", count),
            "offsets": numbers(offsets, "offsets", "<i8", count + 1),
            "actions": numbers(actions, "actions", "<i4", None),
        }
        total = len(columns["actions"])
        columns["probabilities"] = numbers(probabilities, "probabilities", "<f8", total)
        if values is not None:
            columns["values"] = numbers(values, "values", "<f8", total)
        if visits is not None:
            columns["visits"] = numbers(visits, "visits", "<f8", count)
        columns |= hashed(texts, flag("keep_text", keep_text))
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
        PolicyError
            As in `build`; or if a text has another hash than is given.
        ArgumentError
            As in `build`; or if there are not as many texts as keys.
        """
        columns: Columns = {"keys": numbers(keys, "keys", "<u8", None)}
        count = len(columns["keys"])
        columns["checks"] = numbers(checks, "checks", "<u8", count)
        columns["players"] = numbers(players, "players", "|i1", count)
        columns["offsets"] = numbers(offsets, "offsets", "<i8", count + 1)
        columns["actions"] = numbers(actions, "actions", "<i4", None)
        columns["probabilities"] = numbers(probabilities, "probabilities", "<f8", len(columns["actions"]))
        if texts is not None:
            texts = listed(texts, "texts")
            if len(texts) != count:
                raise ArgumentError(f"there are {len(texts)} texts, and {count} keys")
            own = hashed(texts, keep_text=True)
            wrong = np.flatnonzero((own["keys"] != columns["keys"]) | (own["checks"] != columns["checks"]))
            if len(wrong):
                raise PolicyError(f"row {wrong[0]} has other hashes than its text {texts[wrong[0]]!r}")
            columns |= own
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
            legal = information_states(game, max_states)
            for text, seat in legal:
                by_text.setdefault(text, []).append(seat)
            meta = {**describe(game), **_checked_meta(meta)}
        rows: list[tuple[str, int, list[tuple[int, float]]]] = []
        if not isinstance(policy, Mapping):
            raise ArgumentError(f"a dictionary of information states is needed, not {policy!r}")
        for key, entries in policy.items():
            text, given = key if isinstance(key, tuple) and len(key) == 2 else (key, player)
            encoded(text)
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
        cls, columns: Columns, meta: Mapping[str, Any] | None, texts: Sequence[str] | None = None
    ) -> PolicyTable:
        """A table from columns that came from outside, in any order of rows."""
        return cls(ordered(columns, texts), {"version": __version__, **_checked_meta(meta)})

    # Asking

    def __len__(self) -> int:
        return len(self._keys)

    def __repr__(self) -> str:
        game = self.meta.get("game")
        size = f"{len(self)} information states, {len(self._actions)} actions"
        return f"<PolicyTable{f' of {game}' if game else ''}: {size}>"

    def _repr_html_(self) -> str:
        """What made the table and its first rows, for a notebook."""
        rows = [self.row(number) for number in range(min(len(self), 8))]
        shown = [
            (
                f"{row.key:016x}" if row.text is None else row.text,
                row.player,
                [*zip(row.actions, row.probabilities, strict=True)],
            )
            for row in rows
        ]
        return _html.policy_table(repr(self)[1:-1], self.meta, shown)

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
            check_contents(self._columns, lambda row: f"row {row}")
            check_order(self._columns)
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
        if type(state) is str and (player is None or type(player) is int):
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
        if not callable(getattr(rng, "random", None)):
            raise ArgumentError(f"a generator with a method random is needed, not {rng!r}")
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
        place: int | None = whole(number)
        if place is None or not 0 <= place < len(self):
            raise ArgumentError(f"there is no row {number!r} among {len(self)}")
        number = place
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
            key, check = unpack(digest(text.encode()))
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
            verified = self._lazy.verified
            flags = verified["keys"]
            shift = self._shift - 3
            if not (flags[(at - 1 if at else 0) >> shift] and flags[min(at + 1, count - 1) >> shift]):
                self._check("keys", at - 1, at + 2)
            if not verified["checks"][at >> shift]:
                self._check("checks", at, at + 1)
            if player is not None and not verified["players"][at >> self._shift]:
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

    def _all(self) -> Columns:
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
        if not callable(predicate):
            raise ArgumentError(f"predicate is something to call, not {predicate!r}")
        columns = self._all()
        rows = np.array([i for i, row in enumerate(self) if predicate(row)], np.int64)
        return PolicyTable(taken(columns, rows), self.meta)

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
        _check_table(other)
        if prefer is not None and not (isinstance(prefer, str) and prefer in ("self", "other")):
            raise ArgumentError(f"prefer must be self or other, not {prefer!r}")
        for entry in ("game", "rules"):
            mine, its = self.meta.get(entry), other.meta.get(entry)
            if mine != its:
                raise PolicyError(f"a policy with {entry} {mine!r} and one with {entry} {its!r} are no policy together")
        here, there = common(self._all(), other._all())
        if prefer is None:
            differ = np.flatnonzero(~equal_rows(filled(self._all()), filled(other._all()), here, there))
            if len(differ):
                row = self.row(int(here[differ[0]]))
                raise PolicyError(f"{_named(row)} differs in the two policies; which one to prefer?")
        mine_rows, its_rows = np.arange(len(self)), np.arange(len(other))
        if prefer == "other":
            mine_rows = np.delete(mine_rows, here)
        else:
            its_rows = np.delete(its_rows, there)
        columns = joined(taken(self._all(), mine_rows), taken(other._all(), its_rows))
        order = np.lexsort((columns["players"], columns["checks"], columns["keys"]))
        meta, its_meta = self.meta, other.meta
        if meta != its_meta:
            both = {entry: value for entry, value in meta.items() if entry in its_meta and its_meta[entry] == value}
            meta = {**both, "merged": [meta, its_meta]}
        return PolicyTable(taken(columns, order), meta)

    def compare(self, other: PolicyTable, most: int = 10) -> Comparison:
        """How far two tables are from each other.

        Parameters
        ----------
        other : PolicyTable
            The other table.
        most : int
            How many of the information states that differ most to list.
        """
        _check_table(other)
        listing: int | None = whole(most)
        if listing is None:
            raise ArgumentError(f"most is a whole number, not {most!r}")
        mine, its = self._all(), other._all()
        here, there = common(mine, its)
        distances = total_variations(mine, its, here, there)
        listed = [i for i in np.argsort(-distances, kind="stable")[: max(listing, 0)] if distances[i] > 0]
        return Comparison(
            common=len(here),
            only_self=np.delete(np.arange(len(self)), here),
            only_other=np.delete(np.arange(len(other)), there),
            mean=float(distances.mean()) if len(here) else math.nan,
            max=float(distances.max()) if len(here) else math.nan,
            most=[Difference(float(distances[i]), self.row(int(here[i])), other.row(int(there[i]))) for i in listed],
        )

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
        return _policy_formats.json_lines(self, self._all(), self.meta)

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
        return _policy_formats.read_json(source, cls._assembled)

    def columns(self) -> frames.Columns:
        """As a table, a row for each action of each information state.

        `text` where texts are kept, `key`, `player`, `action`, `probability`, `value` where values are.
        `to_parquet` has a row for each information state instead, which `from_parquet` reads.
        """
        counts = np.diff(self.offsets)
        found: frames.Columns = {}
        if self.has_text:
            found["text"] = [str(row.text) for row, n in zip(self, counts.tolist(), strict=True) for _ in range(n)]
        found |= {"key": np.repeat(self.keys, counts), "player": np.repeat(self.players, counts)}
        found |= {"action": np.array(self.actions), "probability": np.array(self.probabilities)}
        return found if self.values is None else found | {"value": np.array(self.values)}

    def about(self) -> dict[str, Any]:
        """What made the table: `meta`."""
        return {"kind": "policy", "settings": self.meta}

    def to_parquet(self, path: str | os.PathLike[str], *, compact: bool = False) -> None:
        """Write the table as Parquet: columns text, key, check, player, actions, probabilities, values, visits.

        Parameters
        ----------
        path : path-like
        compact : bool
            Without the columns key and check, which follow from the text, in order of text, and packed harder:
            a tenth of the size where probabilities are rounded. For tables that are published.

        Raises
        ------
        PolicyError
            If the table has no texts and is to be compact.
        MissingExtraError
            If pyarrow is not installed.
        OSError
            If the file cannot be written; an earlier one is then as it was.
        """
        _policy_formats.write_parquet(path, self._all, self.meta, compact)

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
        return _policy_formats.read_parquet(path, cls._assembled)

    def to_pyspiel(self) -> Any:
        """The table as a `pyspiel.TabularPolicy`.

        Raises
        ------
        MissingExtraError
            If OpenSpiel is not installed.
        PolicyError
            If the table has no texts, or a text of several players, which OpenSpiel does not tell apart.
        """
        return _policy_formats.to_pyspiel(self, self.has_text)

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
        rows, game = _policy_formats.from_pyspiel(policy, game)
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
    >>> import tempfile
    >>> from solver import games
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     uniform(games.load("kuhn")).save(f"{folder}/kuhn.policy")
    ...     load(f"{folder}/kuhn.policy", game="kuhn").action_probabilities("2pb")
    {0: 0.5, 1: 0.5}
    """
    file = archive.read(path, KIND, verify)
    lazy = any(0 in flags for flags in file.verified.values())
    try:
        table = PolicyTable(file.arrays, file.meta, file if lazy else None)
        if not lazy:
            check_contents(file.arrays, lambda row: f"row {row}")
            check_order(file.arrays)
    except (ArgumentError, PolicyError) as error:
        raise ArchiveError(f"{file.path}: {error}") from None
    if game is not None:
        check_game(table.meta, game, file.path)
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
    >>> from solver import games
    >>> len(uniform(games.load("kuhn")))
    12
    """
    states = information_states(game, max_states)
    rows = [(text, seat, [(a, 1 / len(legal)) for a in legal]) for (text, seat), legal in states.items()]
    return PolicyTable._from_rows(rows, {**describe(game), "method": "uniform"})


def _asked(state: Any, player: int | None) -> tuple[str, int | None]:
    """Text and player that a look-up asks for."""
    if player is not None:
        seat: int | None = whole(player)
        if seat is None:
            raise ArgumentError(f"a player is a whole number, not {player!r}")
        player = seat
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


def _checked_meta(meta: Any) -> Mapping[str, Any]:
    """What a caller says made a table."""
    if meta is not None and not isinstance(meta, Mapping):
        raise ArgumentError(f"meta is a dictionary, not {meta!r}")
    return meta or {}


def _check_table(other: Any) -> None:
    if not isinstance(other, PolicyTable):
        raise ArgumentError(f"the other table is a PolicyTable, not {other!r}")


def _seat(player: int | None) -> str:
    return "" if player is None else f" of player {player}"


def _named(row: Row) -> str:
    return f"{f'the row {row.key:016x}' if row.text is None else repr(row.text)} of player {row.player}"
