"""Policy tables against plain dictionaries, and round trips through every file they can be kept in."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import archive, policy
from solver.policy import PolicyTable

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
FEW_TEXTS = st.sampled_from(["", "a", "b", "ab", "ü", "\0"])
ACTIONS = st.one_of(st.integers(0, 4), st.integers(0, 2**31 - 1))


@st.composite
def distributions(draw):
    weights = draw(st.dictionaries(ACTIONS, st.integers(0, 5), min_size=1, max_size=5))
    weights[draw(st.sampled_from(sorted(weights)))] += 1
    total = sum(weights.values())
    return {action: weights[action] / total for action in sorted(weights)}


def policies(texts=TEXTS):
    return st.dictionaries(st.tuples(texts, st.integers(0, 3)), distributions(), max_size=12)


@st.composite
def tables(draw):
    """A table with or without texts, values and visits; and what it was made of."""
    rows = draw(policies())
    values = st.one_of(st.just(float("nan")), st.floats(allow_nan=False, allow_infinity=False))
    visits = st.one_of(st.just(float("nan")), st.floats(0, allow_infinity=False))
    entries = [(action, p) for row in rows.values() for action, p in row.items()]
    offsets = [0]
    for row in rows.values():
        offsets.append(offsets[-1] + len(row))
    count, total = len(rows), len(entries)
    table = PolicyTable.build(
        [text for text, _ in rows],
        [player for _, player in rows],
        offsets,
        [action for action, _ in entries],
        [p for _, p in entries],
        values=draw(st.none() | st.lists(values, min_size=total, max_size=total)),
        visits=draw(st.none() | st.lists(visits, min_size=count, max_size=count)),
        meta=draw(st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=5) | st.none(), max_size=3)),
        keep_text=draw(st.booleans()),
    )
    return table, rows


def contents(table):
    return {(row.text, row.player): dict(zip(row.actions, row.probabilities, strict=True)) for row in table}


@given(tables(), TEXTS)
def test_files_keep_everything(drawn, other):
    table, rows = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        archive.write(path, policy.KIND, table._columns, table.meta, block=64)
        lazy = policy.load(path, verify="lazy")
        full = policy.load(path, verify="full")
        # ask the lazy one before anything verifies all of it
        for one in (lazy, full, table):
            for (text, player), truth in rows.items():
                assert one.action_probabilities(text, player) == truth
            assert (other in one) == any(text == other for text, _ in rows)
        table.save(path)
        assert policy.load(path) == lazy == full == table


@given(tables())
def test_json_keeps_everything(drawn):
    table, _ = drawn
    assert PolicyTable.from_json(table.to_json()) == table


@given(tables())
def test_parquet_keeps_everything(drawn):
    pytest.importorskip("pyarrow")
    table, _ = drawn
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        table.to_parquet(path)
        assert PolicyTable.from_parquet(path) == table


@given(policies(FEW_TEXTS), policies(FEW_TEXTS))
def test_merge_is_that_of_dictionaries(first, second):
    a, b = PolicyTable.from_mapping(first), PolicyTable.from_mapping(second)
    assert contents(a.merge(b, prefer="self")) == second | first
    assert contents(a.merge(b, prefer="other")) == first | second
    if all(first[key] == second[key] for key in first.keys() & second.keys()):
        assert contents(a.merge(b)) == first | second
    else:
        with pytest.raises(policy.PolicyError, match="differs"):
            a.merge(b)


@given(policies(FEW_TEXTS), st.integers(0, 3))
def test_filter_is_that_of_dictionaries(rows, player):
    table = PolicyTable.from_mapping(rows)
    kept = table.filter(lambda row: row.player == player or len(row.actions) > 2)
    assert contents(kept) == {key: row for key, row in rows.items() if key[1] == player or len(row) > 2}


@given(policies(FEW_TEXTS), policies(FEW_TEXTS))
def test_compare_is_that_of_dictionaries(first, second):
    a, b = PolicyTable.from_mapping(first), PolicyTable.from_mapping(second)
    found = a.compare(b, most=100)
    distances = {
        key: sum(abs(first[key].get(x, 0) - second[key].get(x, 0)) for x in first[key].keys() | second[key].keys()) / 2
        for key in first.keys() & second.keys()
    }
    assert found.common == len(distances)
    assert {(a.row(i).text, a.row(i).player) for i in found.only_self} == first.keys() - second.keys()
    assert {(b.row(i).text, b.row(i).player) for i in found.only_other} == second.keys() - first.keys()
    if distances:
        assert found.mean == pytest.approx(sum(distances.values()) / len(distances))
        assert found.max == pytest.approx(max(distances.values()))
    for most in found.most:
        assert most.distance == pytest.approx(distances[most.row.text, most.row.player])
        assert (most.row.text, most.row.player) == (most.other.text, most.other.player)
    listed = [most.distance for most in found.most]
    assert listed == sorted(listed, reverse=True)
    assert len(listed) >= sum(distance > 1e-9 for distance in distances.values())
