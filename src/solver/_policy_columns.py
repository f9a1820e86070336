"""The columns of a policy table: made from what a caller gives, checked, taken row by row, joined, compared."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from operator import index
from struct import Struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import archive
from solver.errors import ArgumentError, PolicyError

Columns = dict[str, NDArray[Any]]

DTYPES = {
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
BY_ACTION = ("actions", "probabilities", "values")
REQUIRED = ("keys", "checks", "players", "offsets", "actions", "probabilities")

_BY_ROW = ("keys", "checks", "players", "visits")
_TOLERANCE = 1e-6  # of the sum of a row's probabilities
_PIECE = 65536  # rows that are moved together
_LONG = 32  # entries of a row from which on it is moved as a whole

unpack = Struct("<QQ").unpack


def digest(data: bytes) -> bytes:
    """The 16 bytes of hash of a text."""
    return blake2b(data, digest_size=16).digest()


def encoded(text: Any) -> bytes:
    """An information state string in UTF-8."""
    if not isinstance(text, str):
        raise ArgumentError(f"an information state is text, not {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise PolicyError(f"the information state {text!r} has half a surrogate pair") from None


def numbers(value: Any, name: str, dtype: str, length: int | None) -> NDArray[Any]:
    """A column from what a caller gave: checked, of its dtype, a copy."""
    exact = dtype == "<u8" and isinstance(value, (list, tuple))
    try:
        # numpy makes inexact floats of whole numbers on both sides of 2**63.
        given = np.array([index(item) for item in value], object) if exact else np.asarray(value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} must be an array of numbers") from None
    if given.ndim != 1 or (length is not None and len(given) != length):
        shape = f"({'any' if length is None else length},)"
        raise ArgumentError(f"{name} must have shape {shape}, not {given.shape}")
    kinds = "fiu" if dtype == "<f8" else "iu"
    if len(given) and not exact and given.dtype.kind not in kinds:
        raise ArgumentError(f"{name} must be {'numbers' if 'f' in kinds else 'whole numbers'}, not {given.dtype}")
    if "f" not in kinds and len(given):
        limits = np.iinfo(dtype)
        beyond = np.flatnonzero((given < 0) | (given > limits.max))
        if len(beyond):
            where = f"{name}[{beyond[0]}] is {given[beyond[0]]}"
            raise PolicyError(f"{where}: it must lie in 0..{limits.max}")
    return np.array(given, dtype)


def hashed(texts: Sequence[str], keep_text: bool) -> Columns:
    """The columns of the texts. One text at a time: a million rows make no million objects."""
    digests = bytearray(16 * len(texts))
    kept = bytearray()
    ends = array("q", [0])
    for i, text in enumerate(texts):
        data = encoded(text)
        digests[16 * i : 16 * i + 16] = digest(data)
        if keep_text:
            kept += data
            ends.append(len(kept))
    halves = np.frombuffer(digests, "<u8").reshape(-1, 2)
    columns: Columns = {"keys": halves[:, 0].copy(), "checks": halves[:, 1].copy()}
    if keep_text:
        columns["text_offsets"] = np.array(ends, "<i8")
        columns["text_bytes"] = np.array(kept, "|u1")
    return columns


def check_structure(columns: Columns, lazy: archive.Archive | None) -> None:
    """Refuse columns that are missing, or whose dtype or length is not what it should be."""
    missing = [name for name in REQUIRED if name not in columns]
    if ("text_offsets" in columns) != ("text_bytes" in columns):
        missing.append("text_bytes or text_offsets")
    if missing or not columns.keys() <= DTYPES.keys():
        raise PolicyError(
            f"columns {', '.join(sorted(columns))} are no policy; missing: {', '.join(missing) or 'none'}"
        )
    count, total = len(columns["keys"]), len(columns["actions"])
    for name, column in columns.items():
        length = count if name in _BY_ROW else total if name in BY_ACTION else count + 1
        if name == "text_bytes":
            length = column.size
        if column.dtype.str != DTYPES[name] or column.shape != (length,):
            raise PolicyError(
                f"column {name} is {column.dtype.str} of shape {column.shape}, not {DTYPES[name]} of shape ({length},)"
            )
    for name, end in (("offsets", total), ("text_offsets", len(columns.get("text_bytes", ())))):
        if name in columns:
            if lazy is not None:
                lazy.check(name, 0, 8)
                lazy.check(name, 8 * count, 8 * count + 8)
            first, last = int(columns[name][0]), int(columns[name][-1])
            if (first, last) != (0, end):
                raise PolicyError(f"column {name} runs from {first} to {last}, not from 0 to {end}")


def check_contents(columns: Columns, name: Callable[[int], str]) -> None:
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


def check_order(columns: Columns) -> None:
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


def _ragged(
    columns: Columns, offsets: str, names: Iterable[str], rows: NDArray[Any]
) -> Iterator[tuple[str, NDArray[Any]]]:
    """The entries of some rows in the columns of `names`, and their offsets, by name."""
    ends = np.zeros(len(rows) + 1, "<i8")
    np.cumsum(np.diff(columns[offsets])[rows], out=ends[1:])
    yield offsets, ends
    for name in names:
        taken = np.empty(ends[-1], columns[name].dtype)
        # In pieces: the numbers of all entries take eight times the room of a text.
        for start in range(0, len(rows), _PIECE):
            piece = rows[start : start + _PIECE]
            here = taken[ends[start] : ends[start + len(piece)]]
            if len(here) < _LONG * len(piece):
                here[:] = columns[name][_entries(columns[offsets], piece)[1]]
                continue
            spans = zip(columns[offsets][piece].tolist(), columns[offsets][1:][piece].tolist(), strict=True)
            here[:] = np.frombuffer(b"".join([columns[name][lo:hi].data for lo, hi in spans]), here.dtype)
        yield name, taken


def taken(columns: Columns, rows: NDArray[Any]) -> Columns:
    """Some rows of a table, in the order given."""
    result: Columns = {name: columns[name][rows] for name in _BY_ROW if name in columns}
    result |= _ragged(columns, "offsets", (name for name in BY_ACTION if name in columns), rows)
    if "text_bytes" in columns:
        result |= _ragged(columns, "text_offsets", ["text_bytes"], rows)
    return result


def ordered(columns: Columns, texts: Sequence[str] | None) -> Columns:
    """Columns that came from outside, checked, in the order of a table; `texts` for errors."""

    def name(row: int) -> str:
        text = f"{int(columns['keys'][row]):016x}" if texts is None else repr(texts[row])
        return f"row {row} ({text}, player {columns['players'][row]})"

    check_structure(columns, None)
    check_contents(columns, name)
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
    return taken(columns, order)


def common(mine: Columns, its: Columns) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the rows of the information states that both tables have."""
    keys, checks, players = (np.concatenate([mine[name], its[name]]) for name in ("keys", "checks", "players"))
    order = np.lexsort((players, checks, keys))  # stable: of two equal ones, mine is first
    keys, checks, players = keys[order], checks[order], players[order]
    same = (keys[1:] == keys[:-1]) & (checks[1:] == checks[:-1]) & (players[1:] == players[:-1])
    return order[:-1][same], order[1:][same] - len(mine["keys"])


def filled(columns: Columns) -> Columns:
    """The columns with those of values and visits, nan where there were none."""
    nothing = {"values": len(columns["actions"]), "visits": len(columns["keys"])}
    return {name: np.full(size, np.nan) for name, size in nothing.items()} | columns


def joined(first: Columns, second: Columns) -> Columns:
    """The rows of one table, then those of the other."""
    names = first.keys() & second.keys()
    for name in ("values", "visits"):
        if name in first or name in second:
            names |= {name}
    first, second = filled(first), filled(second)
    result: Columns = {}
    for name in names:
        tail = second[name]
        if name in ("offsets", "text_offsets"):
            tail = tail[1:] + first[name][-1]
        result[name] = np.concatenate([first[name], tail])
    return result


def equal_rows(mine: Columns, its: Columns, here: NDArray[np.int64], there: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether pairs of rows are equal."""
    equal: NDArray[np.bool_] = np.diff(mine["offsets"])[here] == np.diff(its["offsets"])[there]
    rows = np.flatnonzero(equal)
    here, there = here[rows], there[rows]
    equal[rows] &= _same(mine["visits"][here], its["visits"][there])
    ends, left = _entries(mine["offsets"], here)
    _, right = _entries(its["offsets"], there)
    for name in BY_ACTION if len(rows) else ():
        equal[rows] &= np.logical_and.reduceat(_same(mine[name][left], its[name][right]), ends[:-1])
    return equal


def _same(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    result: NDArray[np.bool_] = (a == b) | ((a != a) & (b != b))  # nan is not known, and so is nan
    return result


def total_variations(
    mine: Columns, its: Columns, here: NDArray[np.int64], there: NDArray[np.int64]
) -> NDArray[np.float64]:
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
