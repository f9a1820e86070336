"""The rows of a table as CSV and as Markdown. Used by the reports of experiments."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping, Sequence
from typing import Any

from solver.errors import ArgumentError

__all__ = ["markdown", "write_csv"]

Rows = Sequence[Mapping[str, Any]]


def _columns(rows: Rows) -> list[str]:
    """The names of the columns, which all rows share."""
    if not rows:
        raise ArgumentError("a table has at least one row")
    names = list(rows[0])
    for number, row in enumerate(rows):
        if list(row) != names:
            raise ArgumentError(f"row {number} has the columns {list(row)}, and row 0 has {names}")
    return names


def write_csv(path: str | os.PathLike[str], rows: Rows, digits: int = 6) -> None:
    """Write a table as CSV, its first line the names of the columns.

    Parameters
    ----------
    path : path-like
    rows : sequence of mapping
        All with the same keys, the columns, in the same order. None is an empty cell.
    digits : int
        Significant digits of a float.

    Raises
    ------
    ArgumentError
        If there is no row, or the columns differ.
    OSError
        If the file cannot be written.
    """
    names = _columns(rows)
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        for row in rows:
            writer.writerow([f"{cell:z.{digits}g}" if isinstance(cell, float) else cell for cell in row.values()])


def markdown(rows: Rows, formats: Mapping[str, str] | None = None) -> str:
    """A table in Markdown, with a line's end after each row.

    Parameters
    ----------
    rows : sequence of mapping
        All with the same keys, the columns, in the same order. None is an empty cell.
    formats : mapping of str to str, optional
        Of a column, how `format` writes its numbers: ``{"margin": "+.2f"}``. By default floats have 4
        significant digits, whole numbers commas. Columns of numbers stand to the right.

    Raises
    ------
    ArgumentError
        If there is no row, the columns differ, or a format is of no column.

    Examples
    --------
    >>> print(markdown([{"seat": 0, "points": 2.131}, {"seat": 1, "points": 1.7}], {"points": ".2f"}), end="")
    | seat | points |
    | ---: | ---: |
    | 0 | 2.13 |
    | 1 | 1.70 |
    """
    names = _columns(rows)
    given = dict(formats or {})
    if unknown := [name for name in given if name not in names]:
        raise ArgumentError(f"there is no column {unknown[0]!r}: the columns are {names}")

    def number(cell: Any) -> bool:
        return isinstance(cell, (int, float)) and not isinstance(cell, bool)

    def text(name: str, cell: Any) -> str:
        if cell is None:
            return ""
        if number(cell):
            return format(cell, given.get(name, "," if isinstance(cell, int) else "z.4g"))
        return str(cell).replace("|", "\\|")

    right = [all(number(row[name]) or row[name] is None for row in rows) for name in names]
    lines = [names, ["---:" if is_right else "---" for is_right in right]]
    lines += [[text(name, row[name]) for name in names] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
