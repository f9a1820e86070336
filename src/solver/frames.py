"""Results as tables of other tools: Arrow, pandas, polars, Parquet files. docs/tables.md lists the columns.

What has a table is `Framed`: it gives named columns of equal length, and what made them as plain data.
The tools are imported when they are asked for (extra `frames`).
"""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import archive
from solver._extras import extra
from solver.errors import ArgumentError

__all__ = ["KEY", "Columns", "Framed", "Table", "fields"]

KEY = "solver"  # of the metadata, a line of JSON

Columns = dict[str, "NDArray[Any] | list[str]"]


class Framed(ABC):
    """What can be had as a table of Arrow, pandas or polars, or as a Parquet file."""

    __slots__ = ()

    @abstractmethod
    def columns(self) -> Columns:
        """The table: numbers as arrays of numpy, texts as lists; nan where a number is not known."""

    @abstractmethod
    def about(self) -> dict[str, Any]:
        """What made the table, as plain data."""

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`; its schema's metadata has `about` as JSON under ``solver``.

        Raises
        ------
        MissingExtraError
            If pyarrow is not installed.
        """
        pa = extra("pyarrow", "frames")
        data = {
            name: pa.array(column, pa.string() if isinstance(column, list) else None)
            for name, column in self.columns().items()
        }
        return pa.table(data, metadata={KEY: json.dumps(self.about(), default=str)})

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`; its `attrs` are `about`.

        Raises
        ------
        MissingExtraError
            If pandas is not installed.
        """
        frame = extra("pandas", "frames").DataFrame(self.columns())
        frame.attrs |= json.loads(json.dumps(self.about(), default=str))
        return frame

    def to_polars(self) -> Any:
        """A `polars.DataFrame`.

        Raises
        ------
        MissingExtraError
            If polars is not installed.
        """
        pl = extra("polars", "frames")
        return pl.DataFrame(
            [
                pl.Series(name, column, dtype=pl.String if isinstance(column, list) else None)
                for name, column in self.columns().items()
            ]
        )

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write the table of `to_arrow`, with its metadata, to a Parquet file.

        Parameters
        ----------
        path : path-like
            An earlier file stays as it was until the new one is complete.

        Raises
        ------
        MissingExtraError
            If pyarrow is not installed.
        OSError
            If the file cannot be written.
        """
        pq = extra("pyarrow.parquet", "frames")
        table = self.to_arrow()
        with archive.replacing(path) as file:
            pq.write_table(table, file)


class Table(Framed):
    """Columns, and what made them.

    Parameters
    ----------
    columns : mapping of str to numpy.ndarray or list of str
    about : mapping
        Plain data.

    Raises
    ------
    ArgumentError
        If columns differ in length.

    Examples
    --------
    >>> table = Table({"seat": np.arange(2), "name": ["a", "b"]}, {"game": "kuhn"})
    >>> len(table), table.about()
    (2, {'game': 'kuhn'})
    """

    __slots__ = ("_about", "_columns")

    def __init__(self, columns: Mapping[str, NDArray[Any] | list[str]], about: Mapping[str, Any]) -> None:
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
            raise ArgumentError(f"columns of a table are of one length, not {lengths}")
        self._columns = dict(columns)
        self._about = dict(about)

    def columns(self) -> Columns:
        """The columns; the arrays are not copied."""
        return dict(self._columns)

    def about(self) -> dict[str, Any]:
        """What made it."""
        return dict(self._about)

    def __len__(self) -> int:
        return len(next(iter(self._columns.values()), ()))

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self._columns)}>"


def fields(rows: NDArray[Any]) -> Columns:
    """The fields of a structured array as columns of their own."""
    names = rows.dtype.names or ()
    return {name: np.ascontiguousarray(rows[name]) for name in names}
