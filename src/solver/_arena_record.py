"""The file of an arena: JSON lines, the first for the settings, then one for each finished deal, in order.

Lines (`solver._lines`) stand in the order of the deals, so the file is the same to the bit whatever
executor played, and whether or not it was resumed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO

from solver._arena_tables import Played
from solver._lines import pack, unpack
from solver.errors import RecordError

__all__ = ["Record", "read"]

FORMAT = 1
KIND = "solver arena"


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
    path = Path(path)
    data = path.read_bytes()
    lines = unpack(data, path, "an arena's record")
    settings = next(lines, None)
    if settings is None:
        return {}, [], 0
    if settings.get("kind") != KIND:
        raise RecordError(f"{path} is no arena's record")
    if settings.get("format") != FORMAT:
        raise RecordError(f"{path} has format {settings.get('format')}, and this version reads format {FORMAT}")
    deals: list[tuple[Played, ...]] = []
    for number, content in enumerate(lines, 2):
        if content.get("deal") != len(deals):
            raise RecordError(f"{path}: line {number} should be deal {len(deals)}, not {content.get('deal')}")
        deals.append(tuple(Played(*map(tuple, table)) for table in content["tables"]))
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
        self.path = Path(path)
        first = pack({"kind": KIND, "format": FORMAT, **settings})
        self.deals: list[tuple[Played, ...]] = []
        size = 0
        if self.path.exists():
            found, self.deals, size = read(self.path)
            if found:
                self._compare(found, json.loads(json.dumps(settings)))
            elif not first.startswith(self.path.read_bytes()):
                raise RecordError(f"{self.path} is no arena's record")
        self._file: BinaryIO = open(self.path, "r+b" if self.path.exists() else "x+b")  # noqa: SIM115 see close
        self._file.truncate(size)
        self._file.seek(size)
        if not size:
            self._file.write(first)
            self._file.flush()

    def _compare(self, found: dict[str, Any], wanted: dict[str, Any]) -> None:
        for key, value in wanted.items():
            if found.get(key) != value:
                raise RecordError(f"{self.path} is a record of {key} {found.get(key)!r}, not {value!r}")

    def append(self, deal: int, tables: Sequence[Played]) -> None:
        """Write a finished deal; it stays if the process is killed."""
        self._file.write(pack({"deal": deal, "tables": [[t.seats, t.points, t.actions] for t in tables]}))
        self._file.flush()

    def close(self) -> None:
        """Close the file, when it is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[tuple[Played, ...]]:
        return iter(self.deals)
