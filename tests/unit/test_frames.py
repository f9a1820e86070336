"""Tables of other tools: the columns, their types, what made them, and a named error where a tool is missing."""

import json
import math
import sys

import numpy as np
import pytest

from solver import arena, cfr, duel, frames, ismcts, kuhn, online, pimc, policy, scout
from solver.errors import ArgumentError, MissingExtraError, RecordError

POSITION = scout.parse("scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "games.jsonl"
    return path, arena.play("scout(players=3)", ["greedy", "random"], deals=4, seed=1, record=path)


@pytest.fixture(scope="module")
def tables(record):
    path, standing = record
    state = kuhn.Game().new_initial_state().child(2).child(0)
    solution = cfr.solve(kuhn.Game(), iterations=20)
    return {
        "search": ismcts.search(POSITION, iterations=200, seed=1),
        "pimc": pimc.search(POSITION, deals=4, iterations=20, seed=1),
        "online": online.search(state, iterations=50, seed=1),
        "run": solution,
        "duel": duel.solve(bids=range(10, 13), iterations=5),
        "standing": standing,
        "pairs": standing.pair_frame(),
        "record": arena.table(path),
        "policy": solution.policy,
        "empty": frames.Table({"name": [], "number": np.zeros(0)}, {}),
    }


COLUMNS = {
    "search": {"action": "i4", "words": "", "visits": "i8", "value": "f8", "stderr": "f8"},
    "pimc": {"action": "i4", "visits": "i8", "value": "f8", "stderr": "f8"},
    "online": {"action": "i4", "words": "", "probability": "f8", "visits": "i8", "value": "f8"},
    "run": {"iteration": "i8", "exploitability": "f8", "seconds": "f8"},
    "duel": {"iteration": "i8", "exploitability": "f8", "seconds": "f8"},
    "standing": {
        "name": "",
        "games": "i8",
        "mean": "f8",
        "stderr": "f8",
        "low": "f8",
        "high": "f8",
        "win_share": "f8",
        "win_stderr": "f8",
        "win_low": "f8",
        "win_high": "f8",
        "rating": "f8",
        "rating_low": "f8",
        "rating_high": "f8",
    },
    "pairs": {
        "first": "",
        "second": "",
        "games": "i8",
        "mean": "f8",
        "stderr": "f8",
        "low": "f8",
        "high": "f8",
        "won": "f8",
        "won_low": "f8",
        "won_high": "f8",
    },
    "record": {
        "deal": "i4",
        "table": "i4",
        "seat": "i1",
        "agent": "i2",
        "name": "",
        "points": "f8",
        "won": "f8",
        "actions": "i4",
    },
    "policy": {"text": "", "key": "u8", "player": "i1", "action": "i4", "probability": "f8"},
    "empty": {"name": "", "number": "f8"},
}


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_are_what_is_documented(tables, name):
    columns = tables[name].columns()
    kinds = {each: "" if isinstance(column, list) else column.dtype.str[1:] for each, column in columns.items()}
    assert kinds == COLUMNS[name]
    assert list(columns) == list(COLUMNS[name])
    assert len({len(column) for column in columns.values()}) == 1
    assert all(isinstance(text, str) for column in columns.values() if isinstance(column, list) for text in column)
    json.dumps(tables[name].about())


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("tool", ["arrow", "pandas", "polars"])
def test_each_tool_has_the_same_in_it(tables, name, tool):
    pytest.importorskip("pyarrow" if tool == "arrow" else tool)
    columns = tables[name].columns()
    frame = getattr(tables[name], f"to_{tool}")()
    assert list(frame.column_names if tool == "arrow" else frame.columns) == list(columns)
    for each, column in columns.items():
        found = frame[each].to_numpy()
        if isinstance(column, list):
            assert found.tolist() == column
        else:
            assert found.dtype == column.dtype
            np.testing.assert_array_equal(found, column)
    if tool == "arrow":
        assert json.loads(frame.schema.metadata[b"solver"]) == json.loads(json.dumps(tables[name].about()))
    if tool == "pandas":
        assert frame.attrs == json.loads(json.dumps(tables[name].about()))


def test_a_parquet_file_holds_columns_and_what_made_them(tables, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    tables["search"].to_parquet(path)
    back = pq.read_table(path)
    wanted = tables["search"].to_arrow()
    assert back.schema.equals(wanted.schema, check_metadata=True)
    assert repr(back.to_pydict()) == repr(wanted.to_pydict())  # in which nan is equal to itself
    about = json.loads(back.schema.metadata[frames.KEY.encode()])
    assert (about["kind"], about["best"], about["settings"]["seed"]) == ("search", tables["search"].best, 1)
    assert ismcts.search(POSITION, iterations=200, seed=about["settings"]["seed"]).best == about["best"]
    with pytest.raises(FileNotFoundError):
        tables["search"].to_parquet(tmp_path / "no" / "x.parquet")
    # a policy has a format of its own, which is read back
    tables["policy"].to_parquet(path)
    assert policy.PolicyTable.from_parquet(path) == tables["policy"]


def test_a_record_is_what_was_played(record, tables):
    _, standing = record
    columns = tables["record"].columns()
    assert len(tables["record"]) == 4 * 6 * 3
    points = columns["points"].reshape(-1, 3)
    agents = columns["agent"].reshape(-1, 3)
    greedy = columns["name"].index("greedy")
    greedy = columns["agent"][greedy]
    margins = [np.mean(p[a == greedy]) - np.mean(p[a != greedy]) for p, a in zip(points, agents, strict=True)]
    assert np.mean(margins) == pytest.approx(standing[0].mean, abs=1e-12)
    assert columns["won"].reshape(-1, 3).sum(axis=1) == pytest.approx(1)
    assert (columns["won"] > 0).reshape(-1, 3).tolist() == (points == points.max(axis=1, keepdims=True)).tolist()
    assert columns["seat"].tolist() == [0, 1, 2] * 24
    assert columns["deal"].tolist() == sorted(columns["deal"].tolist())
    assert tables["record"].about()["settings"]["seed"] == 1


def test_a_record_without_a_deal_and_one_that_is_none(tmp_path):
    (tmp_path / "r").write_bytes(b"")
    assert len(arena.table(tmp_path / "r")) == 0
    (tmp_path / "x").write_bytes(b"{}\n")
    with pytest.raises(RecordError):
        arena.table(tmp_path / "x")


def test_numbers_that_are_not_known_are_nan(tables):
    untried = ismcts.search(POSITION, iterations=1, seed=1).columns()
    assert math.isnan(untried["stderr"][0])
    pairs = tables["pairs"].columns()
    assert (pairs["first"], pairs["second"]) == (["greedy"], ["random"])


def test_a_policy_that_keeps_no_texts():
    table = policy.PolicyTable.build(["a", "b"], [0, 1], [0, 2, 3], [0, 1, 4], [0.5, 0.5, 1.0], keep_text=False)
    columns = table.columns()
    assert list(columns) == ["key", "player", "action", "probability"]
    assert sorted(columns["player"].tolist()) == [0, 0, 1]
    assert len(set(columns["key"].tolist())) == 2


@pytest.mark.parametrize(("method", "module"), [("arrow", "pyarrow"), ("pandas", "pandas"), ("polars", "polars")])
def test_a_tool_that_is_not_installed(tables, monkeypatch, method, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{module} is not installed: pip install 'cardsolver\[frames\]'"):
        getattr(tables["run"], f"to_{method}")()


def test_columns_of_two_lengths():
    with pytest.raises(ArgumentError, match="of one length, not a 1, b 2"):
        frames.Table({"a": ["x"], "b": np.zeros(2)}, {})
