"""Policy tables in the formats of other tools: JSON, Parquet, OpenSpiel; both ways.

`make`, where it is asked for, makes the table of columns that came from outside, `meta` and, if known, texts.
"""

from __future__ import annotations

import json
import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from solver import archive
from solver._extras import extra
from solver._parquet_footer import claims
from solver._policy_columns import BY_ACTION, DTYPES, Columns, encoded, hashed
from solver.errors import ArchiveError, ArgumentError, PolicyError, SolverError

_VERSION = 1  # of the JSON and Parquet layouts
_FORMAT = "cardsolver policy"
_ROOM = 64 << 20  # bytes that any Parquet file may claim,
_PACKED = 200  # and how many times its own size a large one may
_ROW = 64  # bytes of a row, for which a compact file may have less than one

_Table = TypeVar("_Table")
_Make = Callable[[Columns, dict[str, Any], list[str] | None], _Table]


def json_lines(rows: Iterable[Any], columns: Columns, meta: dict[str, Any]) -> Iterator[str]:
    """A table as JSON, in pieces; `rows` gives each row as a `solver.policy.Row`."""
    entries = ["text" if "text_bytes" in columns else "hash", "player", "actions", "probabilities"]
    entries += [name for name in ("values", "visits") if name in columns]
    head = {"format": _FORMAT, "version": _VERSION, "meta": meta, "entries": entries}
    yield json.dumps(head)[:-1] + ', "rows": ['
    for i, row in enumerate(rows):
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


def read_json(source: str | os.PathLike[str], make: _Make[_Table]) -> _Table:
    """A table from a JSON file, or from the text itself."""
    if isinstance(source, str) and source.lstrip().startswith("{"):
        text, name = source, "the text"
    else:
        name = archive.file_name(source)
        with open(name, "rb") as file:
            data = file.read()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise ArchiveError(f"{name}: no UTF-8, so no JSON") from None
    try:
        document = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ArchiveError(f"{name}: no JSON: {error}") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ArchiveError(f"{name}: JSON, but not of a policy")
    _check_version(name, document.get("version"))
    if not isinstance(document.get("meta"), dict) or not isinstance(document.get("rows"), list):
        raise ArchiveError(f"{name}: meta and rows are needed")
    return _from_items(document["rows"], document.get("entries"), document["meta"], name, make)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _check_version(name: str, version: object) -> None:
    if type(version) is not int or version != _VERSION:
        raise ArchiveError(f"{name}: it has format version {version}, and this library reads {_VERSION}")


def _from_items(rows: list[Any], listed: Any, meta: dict[str, Any], name: str, make: _Make[_Table]) -> _Table:
    """A table from the rows of a JSON document."""
    texts: list[str] = []
    hashes = bytearray()
    players, offsets, actions = array("b"), array("q", [0]), array("i")
    probabilities, values, visits = array("d"), array("d"), array("d")
    if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
        raise ArchiveError(f"{name}: entries must list what each row has")
    entries = set(listed)
    always = {"player", "actions", "probabilities"}
    if entries - {"values", "visits"} not in (always | {"text"}, always | {"hash"}):
        raise ArchiveError(f"{name}: rows need text or hash, player, actions, probabilities, not {', '.join(listed)}")
    for i, row in enumerate(rows):
        try:
            if row.keys() != entries:
                raise TypeError("it has other entries than are listed")
            if "text" in row:
                encoded(row["text"])
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
    columns: Columns = {
        "players": np.array(players, "|i1"),
        "offsets": np.array(offsets, "<i8"),
        "actions": np.array(actions, "<i4"),
        "probabilities": np.array(probabilities, "<f8"),
    }
    if "values" in entries:
        columns["values"] = np.array(values, "<f8")
    if "visits" in entries:
        columns["visits"] = np.array(visits, "<f8")
    return _imported(columns, texts if "text" in entries else None, bytes(hashes), meta, name, make)


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
    columns: Columns, texts: list[str] | None, hashes: bytes, meta: dict[str, Any], name: str, make: _Make[_Table]
) -> _Table:
    """A table from what another program may have written; `hashes` if there are no texts. `columns` gets the keys."""
    if texts is None:
        halves = np.frombuffer(hashes, "<u8").reshape(-1, 2)
        columns |= {"keys": halves[:, 0].copy(), "checks": halves[:, 1].copy()}
    else:
        columns |= hashed(texts, keep_text=True)
    try:
        return make(columns, meta, texts)
    except PolicyError as error:
        raise PolicyError(f"{name}: {error}") from None
    except ArgumentError as error:  # of meta
        raise ArchiveError(f"{name}: {error}") from None


def write_parquet(
    path: str | os.PathLike[str], ask: Callable[[], Columns], meta: dict[str, Any], compact: bool = False
) -> None:
    """Write a Parquet file; `ask` gives the columns, verified, and is called if pyarrow is there."""
    pa, pq = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
    columns = ask()
    count = len(columns["keys"])
    data: dict[str, Any] = {}
    if "text_bytes" in columns:
        buffers = [pa.py_buffer(columns["text_offsets"]), pa.py_buffer(columns["text_bytes"])]
        data["text"] = pa.LargeStringArray.from_buffers(count, *buffers)
    elif compact:
        raise PolicyError("a compact file has texts in place of keys, and this table was built with keep_text=False")
    if not compact:
        data |= {"key": columns["keys"], "check": columns["checks"]}
    data["player"] = columns["players"]
    for name in BY_ACTION:
        if name in columns:
            data[name] = pa.LargeListArray.from_arrays(columns["offsets"], columns[name])
    if "visits" in columns:
        data["visits"] = columns["visits"]
    head = {"format": _FORMAT, "version": _VERSION, "meta": meta}
    table = pa.table(data).replace_schema_metadata({_FORMAT: json.dumps(head)})
    how: dict[str, Any] = {}
    if compact:
        # a text then differs from the one before it in its last letters only
        table = table.sort_by([("text", "ascending"), ("player", "ascending")])
        others = [f"{name}.list.element" if name in BY_ACTION else name for name in data if name != "text"]
        how = {"compression": "zstd", "compression_level": 19, "use_dictionary": others}
        how["column_encoding"] = {"text": "DELTA_BYTE_ARRAY"}
    with archive.replacing(path) as file:
        pq.write_table(table, file, write_page_checksum=True, **how)


def read_parquet(path: str | os.PathLike[str], make: _Make[_Table]) -> _Table:
    """A table from a Parquet file."""
    pa, pq = extra("pyarrow", "parquet"), extra("pyarrow.parquet", "parquet")
    name = archive.file_name(path)
    with open(name, "rb") as file:
        data = file.read()
    try:
        file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
        _check_room(data, name)
        table = file.read()
        table.validate(full=True)
        head = json.loads((table.schema.metadata or {}).get(_FORMAT.encode(), b"null"))
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        if isinstance(error, SolverError):
            raise
        raise ArchiveError(f"{name}: no Parquet file, or a damaged one: {error}") from None
    if not isinstance(head, dict) or head.get("format") != _FORMAT or not isinstance(head.get("meta"), dict):
        raise ArchiveError(f"{name}: a Parquet file, but not of a policy")
    _check_version(name, head.get("version"))
    return _from_arrow(pa, table, head["meta"], name, make)


def _check_room(data: bytes, name: str) -> None:
    """Refuse a file that says it holds far more than its bytes can: a run of one value takes no room in it."""
    size, said = len(data), claims(data)
    most = max(_ROOM, _PACKED * size)
    unpacked = max(said.unpacked, said.pages)
    # the texts of a compact file are packed into less than a byte each
    if _ROW * said.rows > most or 8 * said.values > most or unpacked > most:
        raise ArchiveError(
            f"{name}: {size:,} bytes claim {said.rows:,} rows of {said.values:,} values and {unpacked:,} bytes: "
            "more than a policy of that size has"
        )


def _from_arrow(pa: Any, table: Any, meta: dict[str, Any], name: str, make: _Make[_Table]) -> _Table:
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
    columns: Columns = {"players": plain("player", pa.int8()), "offsets": offsets, "actions": actions}
    for entry in ("probabilities", "values"):
        if entry in names or entry == "probabilities":
            its, columns[entry] = ragged(entry, pa.float64())
            if not np.array_equal(its, offsets):
                raise ArchiveError(f"{name}: columns actions and {entry} have rows of different lengths")
    if "visits" in names:
        columns["visits"] = plain("visits", pa.float64())
    columns = {entry: np.array(items, DTYPES[entry]) for entry, items in columns.items()}
    texts = column("text", pa.large_string()).to_pylist() if "text" in names else None
    if texts is not None and not {"key", "check"} & set(names):
        return _imported(columns, texts, b"", meta, name, make)
    hashes = np.stack([plain("key", pa.uint64()), plain("check", pa.uint64())], axis=1).astype("<u8")
    result = _imported(columns, texts, hashes.tobytes(), meta, name, make)
    if texts is not None and not np.array_equal(np.sort(columns["keys"]), np.sort(hashes[:, 0])):
        raise ArchiveError(f"{name}: its keys are not those of its texts")
    return result


def to_pyspiel(rows: Iterable[Any], has_text: bool) -> Any:
    """A `pyspiel.TabularPolicy` of the rows, each a `solver.policy.Row`."""
    pyspiel = extra("pyspiel", "openspiel")
    if not has_text:
        raise PolicyError("OpenSpiel looks policies up by text, and this table was built with keep_text=False")
    policy: dict[str, list[tuple[int, float]]] = {}
    for row in rows:
        text = row.text or ""
        if text in policy:
            raise PolicyError(f"{text!r} is an information state of several players; OpenSpiel keeps one only")
        policy[text] = list(zip(row.actions, row.probabilities, strict=True))
    return pyspiel.TabularPolicy(policy)


def from_pyspiel(policy: Any, game: Any) -> tuple[dict[str, Any], Any]:
    """The rows of one of OpenSpiel's tabular policies, for `PolicyTable.from_mapping`, and the game, loaded."""
    if isinstance(game, str):
        try:
            game = extra("pyspiel", "openspiel").load_game(game)
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
    return rows, game
