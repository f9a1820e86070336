"""The file of an arena: JSON lines, the first for the settings, then one for each finished deal, in order.

Lines (`solver._lines`) stand in the order of the deals, so the file is the same to the bit whatever
executor played, and whether or not it was resumed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import NoneType
from typing import Any, cast

from solver._arena_tables import Played
from solver._lines import pack, unpack
from solver.archive import file_name
from solver.errors import RecordError

__all__ = ["Record", "read"]

FORMAT = 1
KIND = "solver arena"
_LARGEST = 1e300  # points, either way; nan is not smaller


def _is_settings(content: dict[str, Any]) -> bool:
    """Whether a first line has all that a record is played again by."""
    agents, alone = content.get("agents"), content.get("alone")
    return (
        isinstance(content.get("game"), str)
        and "rules" in content
        and isinstance(content["rules"], (str, int, float, NoneType))
        and isinstance(content.get("duplicate"), bool)
        and _is_count(content.get("seed"))
        and isinstance(agents, list)
        and len(agents) > 0
        and all(isinstance(a, list) and len(a) == 2 and all(isinstance(word, str) for word in a) for a in agents)
        and "alone" in content
        and (alone is None or (_is_count(alone) and 0 < alone < len(agents)))
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _table(item: Any) -> Played | None:
    """A table of a deal; None if it is none."""
    if not isinstance(item, list) or len(item) != 3 or not all(isinstance(part, list) for part in item):
        return None
    seats, points, actions = item
    # outcomes and actions of a user's own game may be any whole numbers
    whole = all(map(_is_count, seats)) and all(type(action) is int for action in actions)
    if not whole or len(seats) != len(points) or not all(type(p) in (int, float) and abs(p) < _LARGEST for p in points):
        return None
    return Played(tuple(seats), tuple(map(float, points)), tuple(actions))


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[tuple[Played, ...]], int]:
    """The settings and the deals of a record.

    Returns
    -------
    settings : dict
        Empty if not even the first line is whole.
    deals : list of tuple of Played
        Deals 0, 1, 2, ...
    size : int
        Bytes up to the end of the last whole line.

    Raises
    ------
    RecordError
        If the file is damaged or no record.
    OSError
        If it cannot be read.
    """
    path = Path(file_name(path))
    data = path.read_bytes()
    lines = unpack(data, path, "an arena's record")
    settings = next(lines, None)
    if settings is None:
        return {}, [], 0
    if settings.get("kind") != KIND:
        raise RecordError(f"{path} is no arena's record")
    if settings.get("format") != FORMAT:
        raise RecordError(f"{path} has format {settings.get('format')}, and this version reads format {FORMAT}")
    if not _is_settings(settings):
        raise RecordError(f"{path}: line 1 lacks settings of an arena, or has others than it can have")
    deals: list[tuple[Played, ...]] = []
    for number, content in enumerate(lines, 2):
        if content.get("deal") != len(deals):
            raise RecordError(f"{path}: line {number} should be deal {len(deals)}, not {content.get('deal')}")
        listed = content.get("tables")
        tables = tuple(map(_table, listed)) if isinstance(listed, list) else ()
        if not tables or None in tables:
            raise RecordError(f"{path}: line {number} has no tables with seats, points and actions")
        deals.append(cast(tuple[Played, ...], tables))
    return settings, deals, data.rfind(b"\n") + 1


class Record:
    """A record to go on with: what is in the file already, and more to come.

    Parameters
    ----------
    path : path-like
        Made if there is none.
    settings : dict
        They must be those of the file.

    Attributes
    ----------
    deals : list of tuple of Played
        What the file had.

    Raises
    ------
    RecordError
        If the file is damaged, no record, or of other settings.
    OSError
        If it cannot be read or written.
    """

    def __init__(self, path: str | os.PathLike[str], settings: dict[str, Any]) -> None:
        self.path = Path(file_name(path))
        first = pack({"kind": KIND, "format": FORMAT, **settings})
        self.deals: list[tuple[Played, ...]] = []
        size = 0
        if self.path.exists():
            found, self.deals, size = read(self.path)
            if found:
                self._compare(found, json.loads(json.dumps(settings)))
            elif not first.startswith(self.path.read_bytes()):
                raise RecordError(f"{self.path} is no arena's record")
        # without a buffer: what a full disk did not take is not tried again at the end
        self._file = open(self.path, "r+b" if self.path.exists() else "x+b", buffering=0)  # noqa: SIM115 see close
        self._file.truncate(size)
        self._file.seek(size)
        if not size:
            self._write(first)

    def _compare(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key, value in wanted.items():
            if found.get(key) != value:
                raise RecordError(f"{self.path} is a record of {key} {found.get(key)!r}, not {value!r}")

    def append(self, deal: int, tables: Sequence[Played]) -> None:
        """Write a finished deal; it stays if the process is killed.

        Raises
        ------
        OSError
            If it cannot be written, as on a full disk; the deals before it stay, and can be gone on from.
        """
        self._write(pack({"deal": deal, "tables": [[t.seats, t.points, t.actions] for t in tables]}))

    def _write(self, line: bytes) -> None:
        try:
            while line:
                line = line[self._file.write(line) :]
        except OSError as error:
            # a full disk is met by the file's number, and so without its name
            if error.filename is None:
                error.filename = str(self.path)
            raise

    def close(self) -> None:
        """Close the file, when it is on the disk."""
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[Played, ...]]:
        return iter(self.deals)
