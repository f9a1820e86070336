"""Files: policies in each format, checkpoints, records; bytes changed, and lies told under right check sums."""

from __future__ import annotations

import copy
import json
import random
import tempfile
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from solver import __version__, _arena_record, archive, arena, cfr, duel, kuhn, policy
from solver.policy import PolicyTable
from tests.fuzz.harness import target
from tests.fuzz.values import odd

# in memory where there is such a folder: a million files are written
SHARED = Path("/dev/shm")


VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 1.5, -0.0, 1e308, 1 << 31, 1 << 48, 1 << 63, 1 << 64, -(1 << 64), 10**400, ""),
    *("x", "kuhn", "scout(players=3)", "\ud800", "a" * 3000, [], [0], [1, 2], [[]], {}, {"a": 1}, [None], [1e999]),
]


class Made:
    """Valid files, and a folder to put changed ones into."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz", dir=SHARED if SHARED.is_dir() else None)
        self.folder = Path(self._folder.name)
        self.path = self.folder / "file"
        self.tree = cfr.compile(kuhn.Game())
        solved = cfr.solve(self.tree, iterations=20)
        table = solved.policy
        self.tables = [
            table,
            PolicyTable.build(
                ["a", "", "ü", "b" * 50],
                [0, 1, 0, 5],
                [0, 1, 3, 4, 7],
                [3, 0, 1, 2**31 - 1, 0, 1, 2],
                [1, 0.5, 0.5, 1, 0.2, 0.3, 0.5],
                values=[1, float("nan"), -3, 0, 0, 0, 1e300],
                visits=[1, float("nan"), 0, 5],
                meta={"game": "x", "deep": [[{"a": None}]], "seed": 3},
            ),
            PolicyTable.build(["a", "b"], [0, 1], [0, 1, 3], [0, 0, 1], [1, 0.5, 0.5], keep_text=False),
            PolicyTable.build([], [], [0], [], []),
            duel.solve(bids=[0, 5, 9], iterations=3).policy.to_table(),
        ]
        self.archives, self.jsons, self.parquets = [], [], []
        for one in self.tables:
            one.save(self.path)
            self.archives.append(self.path.read_bytes())
            archive.write(self.path, policy.KIND, one._columns, one.meta, block=64)
            self.archives.append(self.path.read_bytes())
            self.jsons.append(one.to_json().encode())
            one.to_parquet(self.path)
            self.parquets.append(self.path.read_bytes())
        self.checkpoints = []
        for method in ("dcfr", "cfr+", "pcfr+"):
            self.path.unlink()
            cfr.solve(self.tree, method, iterations=3, checkpoint=self.path)
            self.checkpoints.append((method, self.path.read_bytes()))
        self.path.unlink()
        arena.play("kuhn", ["random", "random"], deals=3, record=self.path)
        self.records = [self.path.read_bytes()]
        self.path.unlink()
        arena.play("scout(players=3,max_turns=9)", ["random", "greedy"], deals=1, record=self.path)
        self.records.append(self.path.read_bytes())
        self.path.unlink()


@cache
def made() -> Made:
    """The valid files, made once."""
    return Made()


def damaged(rng: random.Random, data: bytes) -> bytes:
    """Bytes flipped, cut, doubled, zeroed, taken from elsewhere; numbers made large."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(changed) + 1)
        kind = rng.randrange(8)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del changed[at:]
        elif kind == 2:
            del changed[:at]
        elif kind == 3:
            changed[at : at + rng.randrange(1, 40)] = rng.randbytes(rng.randrange(40))
        elif kind == 4:
            changed[at:at] = changed[at : at + rng.randrange(300)]
        elif kind == 5:
            end = at + rng.randrange(1, 70)
            changed[at:end] = bytes(len(changed[at:end]))
        elif kind == 6:
            number = rng.choice((0, 1, 0x7FFFFFFF, 0xFFFFFFFF, 0x7FFFFFFFFFFFFFFF, len(changed)))
            width = rng.choice((1, 2, 4, 8))
            changed[at : at + width] = (number & ((1 << 8 * width) - 1)).to_bytes(width, "little")
        else:
            changed += rng.randbytes(rng.randrange(100))
    return bytes(changed)


def json_odd(rng: random.Random) -> Any:
    """A value that JSON has."""
    return copy.deepcopy(rng.choice(VALUES))


def rewritten(rng: random.Random, document: Any, times: int = 1) -> Any:
    """A document with values, entries and items changed, dropped, doubled or renamed at any depth."""
    for _ in range(times):
        # a walk to any place in it
        root = {"": document}
        here: Any = root
        key: Any = ""
        while isinstance(here[key], (dict, list)) and here[key] and rng.random() < 0.8:
            here = here[key]
            key = rng.choice(sorted(here)) if isinstance(here, dict) else rng.randrange(len(here))
        kind = rng.randrange(6)
        if kind == 0 and key != "":
            del here[key]
        elif kind == 1 and isinstance(here, dict) and key != "":
            here[rng.choice(("x", "text", "game", "seed", "members"))] = here[key]
        elif kind == 2 and isinstance(here, list):
            here.insert(key, json_odd(rng) if rng.random() < 0.5 else here[key])
        elif kind == 3 and isinstance(here[key], int) and not isinstance(here[key], bool):
            here[key] += rng.choice((-1, 1, 1000, 1 << 32))
        else:
            here[key] = json_odd(rng)
        document = root[""]
    return document


def use(table: PolicyTable) -> None:
    """Ask a table for everything."""
    for row in table:
        if row.text is not None:
            table.action_probabilities(row.text, row.player)
    assert table.find("no such text") is None
    table.verify()
    again = PolicyTable.from_json(table.to_json())
    assert again.meta == {"version": __version__, **table.meta}
    assert all(np.array_equal(again._columns[name], table._columns[name], equal_nan=True) for name in again._columns)


def sealed(text: bytes, data: bytes = b"") -> bytes:
    """An archive of this `meta.json` and other bytes, whose check sums are right."""
    lines = archive._directory_entry(len(data), b"meta.json", zlib.crc32(text), len(text))
    body = data + text
    return body + lines + archive._end(len(body), len(lines), 1) + archive._trailer(len(data), text)


def lying(rng: random.Random, data: bytes, kind: str, path: Path) -> bytes:
    """A whole and sound archive whose columns or description say what cannot be."""
    path.write_bytes(data)
    with archive.read(path, kind) as file:
        arrays = {name: array.copy() for name, array in file.arrays.items()}
        meta = file.meta
    for _ in range(rng.choice((1, 1, 2))):
        name = rng.choice(sorted(arrays))
        array = arrays[name]
        what = rng.randrange(7)
        if what == 0 and array.size:
            extreme = (0, 1, -1, np.inf, np.nan, 1e300) if array.dtype.kind == "f" else (0, 1, 2, 127)
            with np.errstate(all="ignore"):
                array.flat[rng.randrange(array.size)] = array.dtype.type(rng.choice(extreme))
        elif what == 1 and array.size:
            array.view(np.uint8).flat[rng.randrange(array.nbytes)] ^= 1 << rng.randrange(8)
        elif what == 2:
            del arrays[name]
            if not arrays:
                break
        elif what == 3:
            arrays[name] = array[: rng.randrange(array.size + 1)] if array.ndim == 1 else array.reshape(-1)
        elif what == 4:
            with np.errstate(all="ignore"):
                arrays[name] = np.nan_to_num(array).astype(rng.choice(("u1", "i4", "i8", "u8", "f4", "f8")))
        elif what == 5:
            arrays[rng.choice(("x", "values", "visits", "text_bytes", "text_offsets"))] = array
        else:
            meta = rewritten(rng, meta)
            meta = meta if isinstance(meta, dict) else {}
    archive.write(path, kind, arrays, meta, block=rng.choice((64, 16384)))
    return path.read_bytes()


def changed_archive(rng: random.Random, data: bytes, kind: str, path: Path) -> bytes:
    """Damaged, lying, or with a crafted description."""
    what = rng.random()
    if what < 0.5:
        return damaged(rng, data)
    if what < 0.8:
        try:
            return lying(rng, data, kind, path)
        except ValueError:  # not even to be written
            return damaged(rng, data)
    at = data.index(b'{"block"')
    document, _ = json.JSONDecoder().raw_decode(data[at:].decode("latin-1"))
    text = json.dumps(rewritten(rng, document, rng.choice((1, 1, 2, 4)))).encode()
    return sealed(text, data[: rng.choice((0, at))])


@target(8)
def policy_file(rng: random.Random) -> str:
    """A policy file that is loaded can be asked for all that it has."""
    files = made()
    files.path.write_bytes(changed_archive(rng, rng.choice(files.archives), policy.KIND, files.path))
    use(policy.load(files.path, rng.choice((None, None, "kuhn")), verify=rng.choice(("auto", "full", "lazy"))))
    return "loaded"


@target(8)
def policy_json(rng: random.Random) -> str:
    """The same of JSON."""
    files = made()
    data = rng.choice(files.jsons)
    if rng.random() < 0.5:
        data = damaged(rng, data)
    else:
        data = json.dumps(rewritten(rng, json.loads(data), rng.choice((1, 1, 2, 4)))).encode()
    files.path.write_bytes(data)
    source: Any = files.path
    if rng.random() < 0.1:
        source = "{" + data.decode("utf-8", "replace")[1:]
    use(PolicyTable.from_json(source))
    return "loaded"


@target(3)
def policy_parquet(rng: random.Random) -> str:
    """The same of Parquet."""
    files = made()
    data = rng.choice(files.parquets)
    if rng.random() < 0.6:
        data = damaged(rng, data)
    else:
        table = pq.read_table(pa.BufferReader(data))
        for _ in range(rng.choice((1, 2))):
            at = rng.randrange(table.num_columns)
            name = table.schema.names[at]
            what = rng.randrange(5)
            if what == 0:
                table = table.remove_column(at)
            elif what == 1:
                values = table.column(at).to_pylist()
                if values:
                    values[rng.randrange(len(values))] = rng.choice((None, values[0]))
                table = table.set_column(at, name, pa.array(values, table.column(at).type))
            elif what == 2:
                others = ([None], [1.5], ["x"], [[1, None]], [[[1]]], [b"x"], [1 << 63], [-1], [True], [{"a": 1}])
                try:
                    table = table.set_column(at, name, pa.array((rng.choice(others) * len(table))[: len(table)]))
                except OverflowError:  # not even to be made
                    continue
            elif what == 3:
                head = json.loads(table.schema.metadata[b"cardsolver policy"])
                text = json.dumps(rewritten(rng, head)).encode()
                table = table.replace_schema_metadata({"cardsolver policy": text})
            else:
                table = table.append_column(rng.choice((name, "more")), table.column(at))
            if not table.num_columns:
                break
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression=rng.choice(("none", "snappy", "zstd")))
        data = sink.getvalue().to_pybytes()
    files.path.write_bytes(data)
    use(PolicyTable.from_parquet(files.path))
    return "loaded"


@target(4)
def checkpoint(rng: random.Random) -> str:
    """A run goes on from a checkpoint, or says what is wrong with it and leaves it alone."""
    files = made()
    method, data = rng.choice(files.checkpoints)
    data = changed_archive(rng, data, "cfr checkpoint", files.path)
    files.path.write_bytes(data)
    try:
        solution = cfr.solve(files.tree, method, iterations=rng.choice((3, 4)), checkpoint=files.path)
    except BaseException:
        assert files.path.read_bytes() == data
        raise
    assert solution.iterations >= 3
    return "went on"


@target(8)
def record(rng: random.Random) -> str:
    """A record is gone on with, or played again; or what is wrong is said, and it is left alone."""
    files = made()
    data = rng.choice(files.records)
    if rng.random() < 0.4:
        data = damaged(rng, data)
    else:
        lines = [json.loads(line) for line in data.splitlines()]
        for line in lines:
            del line["crc"]
        lines = rewritten(rng, lines, rng.choice((1, 1, 2)))
        lines = lines if isinstance(lines, list) else [lines]
        texts = [json.dumps(line, separators=(",", ":")).encode() for line in lines]
        data = b"".join(text[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(text) for text in texts)
    files.path.write_bytes(data)
    kind = rng.randrange(3)
    if kind == 0:
        arena.replay(files.path, rng.choice((0, 0, 1, 2, odd(rng))), rerun=rng.random() < 0.5)
        return "played again"
    if kind == 1:
        _arena_record.read(files.path)
        return "read"
    game, agents = (
        ("kuhn", ["random", "random"]) if b"kuhn" in data else ("scout(players=3,max_turns=9)", ["random", "greedy"])
    )
    try:
        arena.play(game, agents, deals=rng.choice((1, 4)), record=files.path)
    except BaseException:
        # but for a line that was cut
        assert data.startswith(files.path.read_bytes().rpartition(b"\n")[0])
        raise
    return "went on"
