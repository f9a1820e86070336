"""What a Parquet file says that it holds, read from its footer and from the head of each page.

pyarrow tells it too, but ends the process where what a footer says of a column contradicts itself: it asks C++
for the column and is not ready for an exception. So the few numbers that are needed before anything is
allocated are read here.

The footer is a struct of Thrift's compact protocol (`FileMetaData` of the Apache Parquet format, parquet.thrift), and
so is the head of a page (`PageHeader`); fields are known by their numbers there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Claims", "claims"]

_MAGIC = b"PAR1"
_TAIL = 8  # bytes at the end: the length of the footer, and the magic
_DEEPEST = 32  # structs and lists in each other
_LONGEST = 10  # bytes of a number
_ROWS, _GROUPS = 3, 4  # of FileMetaData
_COLUMNS = 1  # of RowGroup
_ABOUT = 3  # of ColumnChunk
_VALUES, _UNPACKED, _LENGTH, _DATA, _DICTIONARY = 5, 6, 7, 9, 11  # of ColumnMetaData
_PAGE_UNPACKED, _PAGE_LENGTH = 2, 3  # of PageHeader
# kinds of values
_STOP, _TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(13)


class Claims(NamedTuple):
    """What a file says, before any of it is believed; none of it negative."""

    rows: int
    values: int  # of all columns
    unpacked: int  # bytes of all columns
    pages: int  # bytes of all pages, as their heads tell


class _Reader:
    """Reads values one after the other, and fails where they go on beyond the end."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.at, self.name = data, 0, name

    def byte(self) -> int:
        if self.at >= len(self.data):
            raise ValueError(f"{self.name} ends too early")
        self.at += 1
        return self.data[self.at - 1]

    def natural(self) -> int:
        result = 0
        for i in range(_LONGEST):
            byte = self.byte()
            result |= (byte & 127) << 7 * i
            if byte < 128:
                return result
        raise ValueError(f"{self.name} has a number without end")

    def whole(self) -> int:
        number = self.natural()
        return number >> 1 ^ -(number & 1)

    def fields(self) -> Iterator[tuple[int, int]]:
        """Number and kind of each field of a struct; what it holds is to be read or skipped before the next."""
        number = 0
        while (head := self.byte()) & 15 != _STOP:
            number = number + (head >> 4) if head >> 4 else self.whole()
            yield number, head & 15

    def items(self) -> tuple[int, int]:
        """Number and kind of what a list holds."""
        head = self.byte()
        count = head >> 4 if head >> 4 != 15 else self.natural()
        # each takes a byte at least
        if count > len(self.data) - self.at:
            raise ValueError(f"{self.name} ends too early")
        return count, head & 15

    def structs(self) -> Iterator[None]:
        """Once for each struct of a list, which is to be read before the next."""
        count, kind = self.items()
        if count and kind != _STRUCT:
            raise ValueError(f"{self.name} has a list of another kind than it should")
        for _ in range(count):
            yield

    def skip(self, kind: int, depth: int = 0, listed: bool = False) -> None:
        """Go on behind a value; in a list a bool takes a byte."""
        if depth > _DEEPEST:
            raise ValueError(f"{self.name} is nested too deep")
        if kind in (_TRUE, _FALSE):
            self.at += listed
        elif kind == _BYTE:
            self.at += 1
        elif kind in (_I16, _I32, _I64):
            self.natural()
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _BINARY:
            size = self.natural()  # which moves on itself
            self.at += size
        elif kind in (_LIST, _SET):
            count, inner = self.items()
            for _ in range(count):
                self.skip(inner, depth + 1, listed=True)
        elif kind == _MAP:
            count = self.natural()
            if count > len(self.data) - self.at:
                raise ValueError(f"{self.name} ends too early")
            kinds = self.byte() if count else 0
            for _ in range(count):
                self.skip(kinds >> 4, depth + 1, listed=True)
                self.skip(kinds & 15, depth + 1, listed=True)
        elif kind == _STRUCT:
            for _, inner in self.fields():
                self.skip(inner, depth + 1)
        else:
            raise ValueError(f"{self.name} has a value of the unknown kind {kind}")


def claims(data: bytes) -> Claims:
    """Read what a file says that it holds.

    Parameters
    ----------
    data : bytes
        The whole file.

    Returns
    -------
    Claims

    Raises
    ------
    ValueError
        If it has no footer, or a damaged one, or a page whose head is none.
    """
    size = int.from_bytes(data[-_TAIL:-4], "little")
    if data[-4:] != _MAGIC or size > len(data) - _TAIL:
        raise ValueError("there is no footer at its end")
    reader = _Reader(data[len(data) - _TAIL - size : len(data) - _TAIL], "the footer")
    rows = values = unpacked = pages = held = 0
    # where a field comes twice Arrow goes by the last one; here all count
    for number, kind in reader.fields():
        if (number, kind) == (_ROWS, _I64):
            rows += max(0, reader.whole())
        elif (number, kind) == (_GROUPS, _LIST):
            for chunk in _chunks(reader):
                values += chunk[_VALUES]
                unpacked += chunk[_UNPACKED]
                held += chunk[_LENGTH]
                if held > len(data):  # or pages would be read again and again
                    raise ValueError("the footer has columns of more bytes than the file has")
                pages += _pages(data, chunk)
        else:
            reader.skip(kind)
    return Claims(rows, values, unpacked, pages)


def _chunks(reader: _Reader) -> Iterator[dict[int, int]]:
    """What is said of each column of each group of rows, by the number of the field."""
    for _ in reader.structs():
        for number, kind in reader.fields():
            if (number, kind) != (_COLUMNS, _LIST):
                reader.skip(kind)
                continue
            for _ in reader.structs():
                for entry, inner in reader.fields():
                    if (entry, inner) == (_ABOUT, _STRUCT):
                        yield _chunk(reader)
                    else:
                        reader.skip(inner)


def _chunk(reader: _Reader) -> dict[int, int]:
    """What is said of a column."""
    said = dict.fromkeys((_VALUES, _UNPACKED, _LENGTH, _DATA, _DICTIONARY), 0)
    for number, kind in reader.fields():
        if number not in said or kind != _I64:
            reader.skip(kind)
        elif number in (_VALUES, _UNPACKED):
            said[number] += max(0, reader.whole())
        else:
            said[number] = max(0, reader.whole())
    return said


def _pages(data: bytes, chunk: dict[int, int]) -> int:
    """Bytes of a column's pages, as the heads of the pages tell: Arrow makes room for a page by its head alone."""
    if not chunk[_VALUES]:  # then no page is read, and where they lie may be nonsense
        return 0
    start = min(chunk[_DATA], chunk[_DICTIONARY] or chunk[_DATA])
    reader = _Reader(data[start : start + chunk[_LENGTH]], "the head of a page")
    unpacked = 0
    while reader.at < len(reader.data):
        length = 0
        for number, kind in reader.fields():
            if (number, kind) == (_PAGE_UNPACKED, _I32):
                unpacked += max(0, reader.whole())
            elif (number, kind) == (_PAGE_LENGTH, _I32):
                length = max(0, reader.whole())
            else:
                reader.skip(kind)
        reader.at += length
    return unpacked
