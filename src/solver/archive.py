"""One file of arrays and a description, for policy tables and for checkpoints of solvers.

The file is an uncompressed zip of `.npy` members and `meta.json`, so any npz reader opens it. `write`
replaces a file whole or leaves it as it was; `read` maps one without reading its arrays, and yet never
gives out what was damaged:

- The zip's comment says where `meta.json` stands and what its CRC-32 is, and carries a CRC-32 of itself.
- `meta.json` lists the members with dtype, shape and CRC-32. From this list every other byte outside
  the arrays follows, headers and padding included; the reader makes them anew and compares.
- `checksums.npy` has a CRC-32 for each block of each array. Small files are verified at once, large
  ones block by block before a block's first use, see `Archive.check`.
"""

from __future__ import annotations

import errno
import json
import math
import mmap
import os
import re
import secrets
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver.errors import ArchiveError, ArgumentError

__all__ = ["BLOCK", "FORMAT", "SMALL", "Archive", "file_name", "plain", "read", "replacing", "write"]

FORMAT = 1  # version of the layout; raise it with any change of the bytes
BLOCK = 16384  # bytes that are verified together
SMALL = 32 << 20  # bytes; files up to this size are read and verified at once

_ZIP32 = 0xFFFFFFFF  # from this size or offset on a zip needs its 64-bit fields,
_IN_64_BITS = 0xFFFFFFFF  # and has this in the 32-bit ones
_ALIGN = 64  # bytes; a cache line, and enough for any dtype
_DTYPES = ("|u1", "|i1", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
_MAX_DIMENSIONS = 8
_MAX_MEMBERS = 1000
_NAME = re.compile(r"[a-z][a-z0-9_]{0,99}")
_KIND = re.compile(r"[a-z][a-z0-9 _-]{0,39}")
_RESERVED = "checksums"
_SIGNATURE = "cardsolver archive"
_TRAILER = re.compile(rb"cardsolver archive ([0-9a-f]{16}) ([0-9a-f]{8}) ([0-9a-f]{8}) ([0-9a-f]{8})")
_TRAILER_LENGTH = 62
_END_LENGTH = 22  # the zip's end record, before its comment
_DATE = (1 << 5) | 1  # 1 January 1980: the same content gives the same bytes


class _Member(NamedTuple):
    """An array of the file: all that its headers are made of."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    crc: int

    @property
    def nbytes(self) -> int:
        return int(self.dtype[2:]) * math.prod(self.shape)


@dataclass(frozen=True)
class _Layout:
    """Where everything stands.

    Attributes
    ----------
    frame : list of (int, bytes)
        Offset and content of all bytes outside the arrays and the text of `meta.json`.
    data : dict of str to int
        Offset of each array's first byte.
    meta : int
        Offset of the text of `meta.json`.
    size : int
        Size of the file.
    """

    frame: list[tuple[int, bytes]]
    data: dict[str, int]
    meta: int
    size: int


def _npy_header(member: _Member) -> bytes:
    """The header of a `.npy` file, format 1.0, as numpy writes it."""
    text = f"{{'descr': '{member.dtype}', 'fortran_order': False, 'shape': {member.shape!r}, }}"
    padding = -(10 + len(text) + 1) % _ALIGN
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text) + padding + 1) + (text + " " * padding + "\n").encode()


def _local_header(at: int, name: bytes, crc: int, size: int) -> bytes:
    """A member's header, padded so that what follows is aligned; the padding is what zipalign writes."""
    large = size >= _ZIP32
    extra = struct.pack("<HHQQ", 1, 16, size, size) if large else b""
    padding = -(at + 30 + len(name) + len(extra) + 6) % _ALIGN
    extra += struct.pack("<HHH", 0xD935, 2 + padding, _ALIGN) + bytes(padding)
    short = _IN_64_BITS if large else size
    version = 45 if large else 20
    fields = (0x04034B50, version, 0, 0, 0, _DATE, crc, short, short, len(name), len(extra))
    return struct.pack("<IHHHHHIIIHH", *fields) + name + extra


def _directory_entry(at: int, name: bytes, crc: int, size: int) -> bytes:
    """A member's line in the zip's directory."""
    extra = b""
    if size >= _ZIP32:
        extra += struct.pack("<QQ", size, size)
    if at >= _ZIP32:
        extra += struct.pack("<Q", at)
    if extra:
        extra = struct.pack("<HH", 1, len(extra)) + extra
    short = _IN_64_BITS if size >= _ZIP32 else size
    version = 45 if extra else 20
    fields = (0x02014B50, version, version, 0, 0, 0, _DATE, crc, short, short, len(name), len(extra), 0, 0, 0, 0)
    return struct.pack("<IHHHHHHIIIHHHHHII", *fields, _IN_64_BITS if at >= _ZIP32 else at) + name + extra


def _end(at: int, size: int, count: int) -> bytes:
    """What follows the zip's directory, up to the comment; `at` and `size` are the directory's."""
    record = b""
    short = at
    if at >= _ZIP32:
        short = _IN_64_BITS
        record = struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, count, count, size, at)
        record += struct.pack("<IIQI", 0x07064B50, 0, at + size, 1)
    fields = (0x06054B50, 0, 0, count, count, size, short, _TRAILER_LENGTH)
    return record + struct.pack("<IHHHHIIH", *fields)


def _trailer(at: int, text: bytes) -> bytes:
    """The zip's comment."""
    line = f"{_SIGNATURE} {at:016x} {len(text):08x} {zlib.crc32(text):08x} ".encode()
    return line + f"{zlib.crc32(line):08x}".encode()


def _lay_out(members: list[_Member], text: bytes) -> _Layout:
    """The file that holds these arrays and this text of `meta.json`."""
    frame: list[tuple[int, bytes]] = []
    data: dict[str, int] = {}
    directory = []
    at = 0
    for member in members:
        header = _npy_header(member)
        entry = (member.name.encode() + b".npy", member.crc, len(header) + member.nbytes)
        directory.append(_directory_entry(at, *entry))
        piece = _local_header(at, *entry) + header
        frame.append((at, piece))
        data[member.name] = at + len(piece)
        at += len(piece) + member.nbytes
    entry = (b"meta.json", zlib.crc32(text), len(text))
    directory.append(_directory_entry(at, *entry))
    piece = _local_header(at, *entry)
    frame.append((at, piece))
    meta = at + len(piece)
    at = meta + len(text)
    lines = b"".join(directory)
    tail = lines + _end(at, len(lines), len(directory)) + _trailer(meta, text)
    frame.append((at, tail))
    return _Layout(frame, data, meta, at + len(tail))


def plain(value: Any, where: str = "meta", depth: int = 100) -> Any:
    """A copy of a value in JSON's own types; numpy's scalars become Python's, tuples become lists.

    Parameters
    ----------
    value : object
        None, bool, int, finite float, str, or a list, tuple or mapping (with str keys) of such.
    where : str
        Name of the value, for errors.
    depth : int
        How many lists and dicts may stand in each other.

    Raises
    ------
    ArgumentError
        If there is anything else in it, or it is nested deeper.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        if abs(value) >= 1 << 4096:
            raise ArgumentError(f"{where} is a whole number of more than 4096 bits")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ArgumentError(f"{where} is {value}: only finite numbers can be kept")
        return float(value)
    if not depth:
        raise ArgumentError(f"{where[:40]}... is nested too deep")
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise ArgumentError(f"{where} has the key {key!r}: keys are str")
        return {key: plain(item, f"{where}[{key!r}]", depth - 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{i}]", depth - 1) for i, item in enumerate(value)]
    raise ArgumentError(f"{where} is {type(value).__name__}: only numbers, text, lists and dicts can be kept")


def file_name(path: Any) -> str:
    """A path as text.

    Raises
    ------
    ArgumentError
        If no file can have that name: it is no path, or has a zero character or half a surrogate pair.
    """
    try:
        name = os.fsdecode(path)
        os.fsencode(name)
    except (TypeError, ValueError):
        name = "\0"
    if "\0" in name:
        raise ArgumentError(f"{path!r} is no name of a file")
    return name


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A binary file to write, which takes the place of `path` at the end of the block.

    Until then `path` is as it was, and after an error or a kill it still is. The file is written
    under a temporary name in the same folder and synchronised before it is renamed.

    Raises
    ------
    OSError
        If the folder cannot be written to, the disk is full, or `path` is no ordinary file; it names the file.
    ArgumentError
        If `path` is no name of a file.
    """
    target = os.path.realpath(file_name(path))  # a symbolic link stays one
    if os.path.exists(target) and not os.path.isfile(target):
        raise OSError(errno.EINVAL, "it is no ordinary file", target)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    file = open(temporary, "xb")  # noqa: SIM115 closed below, before the renaming
    try:
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(temporary)
        # a full disk is met by the file's number, and so without its name
        if isinstance(error, OSError) and error.filename is None:
            error.filename = target
        raise
    # The new name itself must outlast a power cut; not all systems let a folder be opened.
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _bytes(array: NDArray[Any]) -> memoryview:
    """The bytes of a contiguous array; of an empty one too, which memoryview.cast refuses."""
    return array.reshape(-1).view(np.uint8).data


def _checksums(data: memoryview, block: int, crc: int) -> tuple[list[int], int]:
    """CRC-32 of each block, and of all after bytes whose CRC-32 is `crc`."""
    blocks = []
    for start in range(0, len(data), block):
        piece = data[start : start + block]
        blocks.append(zlib.crc32(piece))
        crc = zlib.crc32(piece, crc)
    return blocks, crc


def _storable(name: object, value: Any) -> NDArray[Any]:
    """An array as it will stand in the file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == _RESERVED:
        raise ArgumentError(f"{name!r} cannot name an array: lower case letters, digits and _ can")
    array = np.asarray(value)
    dtype = array.dtype.newbyteorder("<")
    if dtype.str not in _DTYPES or array.dtype.names:
        raise ArgumentError(f"array {name} has dtype {array.dtype}: {', '.join(_DTYPES)} can be kept")
    if array.ndim > _MAX_DIMENSIONS:
        raise ArgumentError(f"array {name} has {array.ndim} dimensions, more than {_MAX_DIMENSIONS}")
    # not ascontiguousarray, which gives an array without dimensions one
    return np.asarray(array, dtype=dtype, order="C")


def write(
    path: str | os.PathLike[str],
    kind: str,
    arrays: Mapping[str, NDArray[Any]],
    meta: Mapping[str, Any],
    *,
    block: int = BLOCK,
) -> None:
    """Write arrays and their description; the same content gives the same bytes.

    Parameters
    ----------
    path : path-like
        A file there is replaced whole, at the very end.
    kind : str
        What the file is, such as ``policy``; `read` asks for it.
    arrays : mapping of str to numpy.ndarray
        Of int8, uint8, int32, uint32, int64, uint64, float32 or float64.
    meta : mapping of str to object
        Numbers, text, lists and dicts.
    block : int
        Bytes that are verified together when the file is read, a power of two in 64..2**24.

    Raises
    ------
    ArgumentError
        If a name, a dtype, the kind, the block or something in `meta` cannot be kept.
    OSError
        If the file cannot be written; an earlier one is then as it was.
    """
    if not isinstance(kind, str) or not _KIND.fullmatch(kind):
        raise ArgumentError(f"kind must be a short lower case word, not {kind!r}")
    if not _is_block(block):
        raise ArgumentError(f"block must be a power of two in 64..{1 << 24}, not {block!r}")
    if len(arrays) >= _MAX_MEMBERS:
        raise ArgumentError(f"at most {_MAX_MEMBERS - 1} arrays can be kept, not {len(arrays)}")
    kept = {name: _storable(name, arrays[name]) for name in sorted(arrays, key=str)}
    description = plain(dict(meta))
    checksums: list[int] = []
    members = []

    def enlist(name: str, array: NDArray[Any]) -> list[int]:
        member = _Member(name, array.dtype.str, array.shape, 0)
        blocks, crc = _checksums(_bytes(array), block, zlib.crc32(_npy_header(member)))
        members.append(member._replace(crc=crc))
        return blocks

    for name, array in kept.items():
        checksums += enlist(name, array)
    kept[_RESERVED] = np.array(checksums, "<u4")
    enlist(_RESERVED, kept[_RESERVED])
    document = {
        "format": _SIGNATURE,
        "version": FORMAT,
        "kind": kind,
        "block": block,
        "members": [member._asdict() for member in members],
        "meta": description,
    }
    text = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    layout = _lay_out(members, text)
    bodies = [_bytes(kept[member.name]) for member in members] + [memoryview(text)]
    with replacing(path) as file:
        for (_, piece), body in zip(layout.frame, [*bodies, memoryview(b"")], strict=True):
            file.write(piece)
            file.write(body)


def _is_block(block: object) -> bool:
    return type(block) is int and 64 <= block <= 1 << 24 and block & (block - 1) == 0


class Archive:
    """An open file. Made by `read`; also a context manager.

    Attributes
    ----------
    path : str
        The file.
    meta : dict
        The description.
    arrays : dict of str to numpy.ndarray
        Read-only. Unless the file was verified when it was read, `check` what you use before you use it.
    block : int
        Bytes that are verified together.
    verified : dict of str to bytearray
        For each array one byte a block: 1 once the block is verified. To be read only.

    Notes
    -----
    A mapped file must not be cut or written to in place while it is open (`write` does neither). Arrays
    taken from `arrays` keep the mapping alive after `close`.
    """

    def __init__(
        self,
        path: str,
        meta: dict[str, Any],
        block: int,
        arrays: dict[str, NDArray[Any]],
        checksums: dict[str, NDArray[np.uint32]],
    ) -> None:
        self.path = path
        self.meta = meta
        self.block = block
        self.arrays = arrays
        self.verified = {name: bytearray(len(sums)) for name, sums in checksums.items()}
        self._checksums = checksums

    def check(self, name: str, start: int = 0, stop: int | None = None) -> None:
        """Verify the blocks of an array that hold the bytes start..stop - 1; each only once.

        Parameters
        ----------
        name : str
            The array.
        start, stop : int
            Bytes within the array's data; without `stop` to its end.

        Raises
        ------
        ArchiveError
            If a block is damaged.
        ArgumentError
            If there is no such array (any more: the archive is closed), or it has no such bytes.
        """
        array = self.arrays.get(name)
        if array is None:
            raise ArgumentError(f"{self.path} has no array {name!r}, or is closed")
        stop = array.nbytes if stop is None else stop
        if not 0 <= start <= stop <= array.nbytes:
            raise ArgumentError(f"array {name} has no bytes {start}..{stop}, but 0..{array.nbytes}")
        if start == stop:
            return
        flags = self.verified[name]
        end = (stop - 1) // self.block + 1
        at = flags.find(0, start // self.block, end)
        if at < 0:
            return
        data = _bytes(array)
        while at >= 0:
            piece = data[at * self.block : (at + 1) * self.block]
            if zlib.crc32(piece) != self._checksums[name][at]:
                raise ArchiveError(
                    f"{self.path} is damaged: array {name}, bytes from {at * self.block} on, has a wrong check sum"
                )
            flags[at] = 1
            at = flags.find(0, at + 1, end)

    def verify(self) -> None:
        """Verify all that is not verified yet.

        Raises
        ------
        ArchiveError
            If a block is damaged.
        """
        for name in self.arrays:
            self.check(name)

    def close(self) -> None:
        """Let go of the arrays; the mapping ends with the last one in use."""
        self.arrays = {}
        self._checksums = {}

    def __enter__(self) -> Archive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read(path: str | os.PathLike[str], kind: str, verify: Literal["auto", "full", "lazy"] = "auto") -> Archive:
    """Open a file that `write` wrote.

    Parameters
    ----------
    path : path-like
        The file.
    kind : str
        What it must be.
    verify : {"auto", "full", "lazy"}
        "full" verifies everything now; "lazy" maps the file and verifies its arrays by `Archive.check`,
        everything else now; "auto" is "full" for files up to `SMALL` bytes, else "lazy".

    Raises
    ------
    ArchiveError
        If the file is cut or changed, is not of this library, or is of another kind or version.
    ArgumentError
        If `verify` is something else, or `path` no name of a file.
    OSError
        If the file cannot be read; FileNotFoundError if there is none.
    """
    if not isinstance(verify, str) or verify not in ("auto", "full", "lazy"):
        raise ArgumentError(f"verify must be auto, full or lazy, not {verify!r}")
    name = file_name(path)

    def fail(message: str) -> ArchiveError:
        return ArchiveError(f"{name}: {message}")

    with open(name, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < _END_LENGTH + _TRAILER_LENGTH:
            raise fail("too short for a file of this library; cut, or another program's")
        data: bytes | mmap.mmap
        if verify != "lazy" and size <= SMALL:
            data = file.read(size)
            if len(data) != size:
                raise fail("it changes while it is read")
        else:
            try:
                data = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
            except ValueError as error:  # it has become shorter
                raise fail(str(error)) from None
    text = _meta_text(data, fail)
    members, document = _members(text, kind, size, fail)
    layout = _lay_out(members, text)
    if layout.size != size:
        raise fail(f"it has {size} bytes, and {layout.size} are what it lists; cut or changed")
    for at, piece in layout.frame:
        if data[at : at + len(piece)] != piece:
            raise fail(f"damaged: its headers are not what they should be, within bytes {at}..{at + len(piece) - 1}")
    arrays = {}
    for member in members:
        count = math.prod(member.shape)
        # frombuffer refuses to make an empty array
        flat = (
            np.frombuffer(data, member.dtype, count, layout.data[member.name]) if count else np.empty(0, member.dtype)
        )
        flat.flags.writeable = False
        arrays[member.name] = flat.reshape(member.shape)
    sums = arrays.pop(_RESERVED)
    if zlib.crc32(_bytes(sums), zlib.crc32(_npy_header(members[-1]))) != members[-1].crc:
        raise fail("damaged: its check sums have a wrong check sum")
    checksums = {}
    at = 0
    for member in members[:-1]:
        end = at + -(-member.nbytes // document["block"])
        checksums[member.name] = sums[at:end]
        at = end
    archive = Archive(name, document["meta"], document["block"], arrays, checksums)
    if verify == "full" or (verify == "auto" and size <= SMALL):
        archive.verify()
    return archive


def _meta_text(data: bytes | mmap.mmap, fail: Callable[[str], ArchiveError]) -> bytes:
    """The text of `meta.json`, found by the zip's comment."""
    line = data[-_TRAILER_LENGTH:]
    found = _TRAILER.fullmatch(line)
    if not found or int(found[4], 16) != zlib.crc32(line[:-8]):
        raise fail("its last bytes are not those of a file of this library; cut, changed, or another program's")
    at, length, crc = (int(field, 16) for field in found.groups()[:3])
    text = data[at : at + length]
    if len(text) != length or zlib.crc32(text) != crc:
        raise fail("damaged: its meta.json has a wrong check sum")
    return text


def _members(
    text: bytes, kind: str, size: int, fail: Callable[[str], ArchiveError]
) -> tuple[list[_Member], dict[str, Any]]:
    """The arrays that `meta.json` lists, and all of it; its check sum is right, but who knows who wrote it."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise fail("its meta.json is no JSON") from None
    if not isinstance(document, dict) or document.get("format") != _SIGNATURE:
        raise fail("its meta.json is not of this library")
    version, found = document.get("version"), document.get("kind")
    if version != FORMAT or type(version) is not int:
        raise fail(f"it has format version {version}, and this library reads version {FORMAT}")
    if found != kind:
        raise fail(f"it is of kind {found!r}, and {kind!r} is needed")
    if document.keys() != {"format", "version", "kind", "block", "members", "meta"}:
        raise fail("its meta.json has other entries than it should")
    if not _is_block(document["block"]):
        raise fail(f"its blocks cannot have {document['block']!r} bytes")
    listed = document["members"]
    if not isinstance(document["meta"], dict) or not isinstance(listed, list) or not 0 < len(listed) <= _MAX_MEMBERS:
        raise fail("its meta.json has no description or no list of members")
    members: list[_Member] = []
    for item in listed:
        member = _member(item)
        if member is None or member.nbytes > size:
            raise fail(f"member {len(members)} of its meta.json is none, or larger than the file")
        members.append(member)
    names = [member.name for member in members]
    if names != [*sorted(set(names) - {_RESERVED}), _RESERVED]:
        raise fail("its members are not in order, or one stands there twice")
    blocks = sum(-(-member.nbytes // document["block"]) for member in members[:-1])
    if members[-1].shape != (blocks,) or members[-1].dtype != "<u4":
        raise fail(f"it has check sums of shape {members[-1].shape}, and {blocks} are needed")
    return members, document


def _member(item: Any) -> _Member | None:
    """A line of the list of members; None if it is none."""
    if not isinstance(item, dict) or item.keys() != {"name", "dtype", "shape", "crc"}:
        return None
    name, dtype, shape, crc = (item[key] for key in ("name", "dtype", "shape", "crc"))
    if not isinstance(name, str) or not _NAME.fullmatch(name) or dtype not in _DTYPES:
        return None
    if not isinstance(shape, list) or len(shape) > _MAX_DIMENSIONS:
        return None
    if any(type(length) is not int or not 0 <= length < 1 << 48 for length in shape):
        return None
    if math.prod(length or 1 for length in shape) >= 1 << 48:  # an empty array may not claim more either
        return None
    if type(crc) is not int or not 0 <= crc < 1 << 32:
        return None
    return _Member(name, dtype, tuple(shape), crc)
