"""Arenas of any shape: balanced seats, rankings with ties, records that were cut anywhere."""

import math
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import arena, stats
from solver.errors import RecordError
from solver.standing import Tally


@given(st.integers(2, 5), st.integers(1, 7), st.integers(0, 1000), st.integers(0, 3))
def test_every_agent_sits_in_every_seat_as_often(seats, agents, deal, seed):
    tables = arena.seatings(seats, agents, None, True, deal, seed)
    assert all(len(table) == seats for table in tables)
    counts = np.array([[sum(table[seat] == who for table in tables) for seat in range(seats)] for who in range(agents)])
    assert (counts == counts[0, 0]).all()
    assert counts[0, 0] * agents == len(tables)
    if agents > 1:
        assert all(len(set(table)) > 1 for table in tables)
    if agents >= seats:
        assert all(len(set(table)) == seats for table in tables if agents > 2 or seats == 2)


@given(st.integers(2, 5), st.integers(1, 3), st.integers(1, 3))
def test_each_challenger_alone_in_every_seat_of_each_field(seats, alone, fields):
    tables = arena.seatings(seats, alone + fields, alone)
    wanted = {
        tuple(one if seat == at else other for seat in range(seats))
        for at in range(seats)
        for one in range(alone)
        for other in range(alone, alone + fields)
    }
    assert sorted(tables) == sorted(wanted)


@given(st.integers(2, 4), st.integers(1, 5), st.integers(0, 3))
def test_without_duplication_tables_take_turns(seats, agents, seed):
    every = len(arena.seatings(seats, agents, None, True, 0, seed))
    singles = [arena.seatings(seats, agents, None, False, deal, seed) for deal in range(every)]
    assert all(len(single) == 1 for single in singles)
    assert [single[0] for single in singles] == [
        arena.seatings(seats, agents, None, True, deal, seed)[deal] for deal in range(every)
    ]


@given(st.data(), st.integers(2, 5))
def test_a_ranking_with_ties_is_the_mean_over_its_orders(data, seats):
    agents = data.draw(st.lists(st.integers(0, 2), min_size=seats, max_size=seats))
    points = data.draw(st.lists(st.integers(0, 3), min_size=seats, max_size=seats))
    strength = np.array([0.5, -0.2, 0.1])
    ours = sum(
        weight * (strength[chosen].mean() - math.log(np.exp(strength[among]).sum()))
        for weight, chosen, among in stats.ranking_stages(agents, points)
    )
    orders = [
        order
        for order in permutations(range(seats))
        if all(points[one] >= points[other] for one, other in pairwise(order))
    ]
    likelihoods = []
    for order in orders:
        x = strength[[agents[seat] for seat in order]]
        likelihoods.append(sum(x[i] - math.log(np.exp(x[i:]).sum()) for i in range(seats)))
    assert ours == pytest.approx(np.mean(likelihoods))


@given(st.data(), st.integers(2, 5), st.integers(2, 4))
def test_margins_add_up_to_nothing(data, seats, agents):
    """At each table margins times seats cancel, and a pair's margin is the difference of its means."""
    table = tuple(data.draw(st.lists(st.integers(0, agents - 1), min_size=seats, max_size=seats)))
    points = tuple(float(x) for x in data.draw(st.lists(st.integers(-9, 40), min_size=seats, max_size=seats)))
    tally = Tally(agents, seats, scaled=False)
    tally.add([arena.Played(table, points, ())])
    for agent in range(agents):
        own = [p for p, who in zip(points, table, strict=True) if who == agent]
        others = [p for p, who in zip(points, table, strict=True) if who != agent]
        if own and others:
            assert tally.margin(tally.rows[0], agent) == pytest.approx(np.mean(own) - np.mean(others))
        elif own:
            assert tally.margin(tally.rows[0], agent) == 0
    for at, (a, b) in enumerate(tally.pairs):
        one = [p for p, who in zip(points, table, strict=True) if who == a]
        other = [p for p, who in zip(points, table, strict=True) if who == b]
        if one and other:
            assert tally.rows[0][agents + at] / tally.unit == pytest.approx(np.mean(one) - np.mean(other))


@pytest.fixture(scope="module")
def unbroken(tmp_path_factory):
    """The bytes of a record, and its standing."""
    path = tmp_path_factory.mktemp("arena") / "record.jsonl"
    standing = arena.play("scout(players=3)", ["greedy", "planning"], 4, seed=3, record=path)
    return path, path.read_bytes(), standing


@settings(max_examples=25)
@given(st.data())
def test_a_record_cut_anywhere_is_gone_on_with(unbroken, data):
    path, whole, standing = unbroken
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(whole[:cut])
    assert arena.play("scout(players=3)", ["greedy", "planning"], 4, seed=3, record=path) == standing
    assert path.read_bytes() == whole


@settings(max_examples=60)
@given(st.data())
def test_a_changed_byte_is_found(unbroken, data):
    path, whole, standing = unbroken
    at = data.draw(st.integers(0, len(whole) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != whole[at]))
    path.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
    try:
        found = arena.play("scout(players=3)", ["greedy", "planning"], 4, seed=3, record=path)
    except RecordError:
        pass
    else:
        # the last line lost its end, and was played again
        assert found == standing
        assert at == len(whole) - 1
    finally:
        path.write_bytes(whole)
