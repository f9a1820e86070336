"""Files of JSON lines that outlive a kill: each line ends in a CRC-32 of the rest of it.

Used by the records of the arena and of experiments. A last line that was cut (the process was killed
while it wrote) is dropped; any other damage is an error.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from solver.errors import RecordError

__all__ = ["pack", "unpack"]

_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"\}')
_CRC_LENGTH = 18


def pack(content: Mapping[str, Any]) -> bytes:
    """A line, with its end; the content is a dict of JSON's own types that is not empty."""
    text = json.dumps(content, separators=(",", ":")).encode()
    return text[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(text)


def unpack(data: bytes, path: Path, what: str) -> Iterator[dict[str, Any]]:
    """The content of each whole line.

    Parameters
    ----------
    data : bytes
        Of the file.
    path : Path
    what : str
        Whose line it should be, for errors.

    Raises
    ------
    RecordError
        If a whole line is damaged; at that line, not before.
    """
    for number, line in enumerate(data[: data.rfind(b"\n") + 1].splitlines(), 1):
        found = _CRC.fullmatch(line[-_CRC_LENGTH:])
        text = line[:-_CRC_LENGTH] + b"}"
        if found is None or int(found[1], 16) != zlib.crc32(text):
            raise RecordError(f"{path}: line {number} is damaged, or is none of {what}")
        try:
            content = json.loads(text)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict):
            raise RecordError(f"{path}: line {number} is none of {what}")
        yield content
