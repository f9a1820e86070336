"""Compiled solvers on random games of one to four players: equal to their readable twins, and to linear programs."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import cfr
from solver.policy import PolicyTable, uniform
from solver.symmetry import merge
from tests.oracle.compare_cfr import Pair
from tests.reference import cfr as reference
from tests.reference import sequence_lp
from tests.reference.random_games import Game

PLAYERS, ZERO_SUM, COPIES = st.integers(1, 4), st.booleans(), st.integers(1, 3)


@st.composite
def games(draw, players=PLAYERS, zero_sum=ZERO_SUM, copies=COPIES):
    return Game(
        draw(st.integers(0, 10**6)),
        draw(players),
        draw(zero_sum),
        nodes=draw(st.sampled_from([10, 30, 60, 100])),
        copies=draw(copies),
    )


def a_policy(tree, seed, zeros=0.2):
    """A random policy, which now and then never plays an action."""
    rng = np.random.default_rng(seed)
    policy = {}
    for player, plex in enumerate(tree.treeplexes):
        for i, text in enumerate(plex.texts):
            actions = plex.actions[plex.first[i] : plex.first[i + 1]].tolist()
            weights = rng.random(len(actions)) * (rng.random(len(actions)) >= zeros)
            if not weights.any():
                weights[0] = 1.0
            policy[player, text] = dict(zip(actions, (weights / weights.sum()).tolist(), strict=True))
    return policy


def by_text(policy):
    """Random games name the player in each information state, so the text alone tells them apart."""
    return {text: row for (_, text), row in policy.items()}


@pytest.mark.parametrize("method", cfr.METHODS)
@settings(max_examples=30)
@given(game=games(), alternating=st.booleans(), merge_equal=st.booleans(), horizon=st.sampled_from([12, 1000]))
def test_every_method_gives_the_iterates_of_its_twin(method, game, alternating, merge_equal, horizon):
    pair = Pair(game, method, alternating, merge_equal, horizon)
    for iterations in (1, 2, 10):
        pair.run(iterations)
        pair.check()
    pair.follow(85)
    pair.run(100)
    pair.check()


@settings(max_examples=60)
@given(game=games(), seed=st.integers(0, 2**32))
def test_values_and_best_responses(game, seed):
    tree = cfr.compile(game)
    root = reference.expand(game)
    policy = a_policy(tree, seed)
    table = PolicyTable.from_mapping({(text, player): row for (player, text), row in policy.items()})
    expected = reference.nash_conv(root, policy)
    scale = 1e-12 * max(1.0, expected)
    assert cfr.nash_conv(tree, table) == pytest.approx(expected, rel=0, abs=scale)
    assert cfr.exploitability(tree, by_text(policy)) == pytest.approx(expected / game.players, rel=0, abs=scale)
    for player in range(game.players):
        found = cfr.best_response(tree, by_text(policy), player)
        assert found.value == pytest.approx(reference.best_response(root, policy, player)[0], rel=0, abs=1e-12)
        # the policy it gives is pure, is the player's alone, and gets what it says
        mine = {key: dict(found.policy.action_probabilities(key[1], player)) for key in policy if key[0] == player}
        assert len(found.policy) == len(mine)
        assert all(sorted(row.values())[-1] == 1 and sum(row.values()) == 1 for row in mine.values())
        got = reference.values(root, policy | mine)[player]
        assert got == pytest.approx(found.value, rel=0, abs=1e-12)


@settings(max_examples=40)
@given(game=games(copies=st.integers(2, 3)))
def test_copies_are_merged(game):
    """Under a first chance node that names the copies, no player keeps more information states than in one copy."""
    one = cfr.compile(Game(game.seed, game.players, game.zero_sum, game.nodes))
    tree = cfr.compile(game)
    merged = merge(tree.treeplexes)
    if merged is None:
        assert tree.num_infosets <= one.num_infosets
        return
    for small, alone, classes, sizes in zip(
        merged.treeplexes, one.treeplexes, merged.classes, merged.sizes, strict=True
    ):
        assert small.num_infosets <= alone.num_infosets
        assert np.bincount(classes).tolist() == sizes.tolist()
        assert sizes[0] == 1


@settings(max_examples=25)
@given(game=games(), method=st.sampled_from(sorted(cfr.METHODS)))
def test_a_solution_reports_its_own_policy(game, method):
    """Exploitability and value of a solution are those of the policy in it, merged or not."""
    root = reference.expand(game)
    for merge_equal in (True, False):
        solution = cfr.solve(game, method, iterations=7, merge_equal=merge_equal)
        policy = {
            (row.player, row.text): dict(zip(row.actions, row.probabilities, strict=True)) for row in solution.policy
        }
        assert policy.keys() == {h.key for h in reference.histories(root) if h.player >= 0}
        expected = reference.nash_conv(root, policy) / game.players
        assert solution.exploitability == pytest.approx(expected, rel=0, abs=1e-12)
        assert solution.value == pytest.approx(reference.values(root, policy), rel=0, abs=1e-12)
        assert cfr.exploitability(game, solution.tree_policy.to_dict()) == pytest.approx(expected, rel=0, abs=1e-12)


@settings(max_examples=40)
@given(game=games(players=st.just(2), zero_sum=st.just(True)))
def test_the_linear_program_agrees(game):
    """The plans are an equilibrium by the exact best responses; solving comes to the same value."""
    tree = cfr.compile(game)
    first, second = sequence_lp.solve(game)
    assert first.value == pytest.approx(-second.value, abs=1e-9)
    assert cfr.nash_conv(tree, first.policy | second.policy) == pytest.approx(0, abs=1e-7)
    solution = cfr.solve(tree, "pcfr+", iterations=20_000, target=1e-7, every=50)
    assert solution.exploitability <= 1e-7
    # both players' exploitability bounds how far the value is from that of the game
    assert solution.value[0] == pytest.approx(first.value, abs=2e-7 + 1e-9)
    assert "converges to an equilibrium" in solution.guarantee


@settings(max_examples=30)
@given(game=games(players=st.just(1)))
def test_one_player_learns_to_play_best(game):
    """With one player the best response is what a walk over the game finds, whatever the policy."""
    root = reference.expand(game)
    best, _ = reference.best_response(root, reference.uniform(root), 0)
    assert cfr.best_response(game, {}, 0).value == pytest.approx(best, abs=1e-12)
    solution = cfr.solve(game, "cfr+", iterations=2000)
    assert solution.exploitability == pytest.approx(best - solution.value[0], abs=1e-12)
    assert solution.value[0] == pytest.approx(best, abs=0.02)
    assert "converges to the best one" in solution.guarantee


@settings(max_examples=40)
@given(game=games())
def test_a_tree_counts_what_the_game_has(game):
    histories = reference.histories(reference.expand(game))
    tree = cfr.compile(game)
    ends = [h for h in histories if h.player == reference.END]
    rows = {h.key: len(h.actions) for h in histories if h.player >= 0}
    assert tree.num_nodes == len(histories)
    assert tree.size.terminals == len(ends)
    assert tree.num_infosets == len(rows)
    assert tree.num_sequences == sum(rows.values()) + game.players
    assert tree.max_utility == max(max(h.returns) for h in ends)
    assert tree.min_utility == min(min(h.returns) for h in ends)
    assert tree.zero_sum == all(math.isclose(sum(h.returns), 0, abs_tol=1e-12) for h in ends)
    assert tree.uniform().to_dict() == by_text(reference.uniform(reference.expand(game)))


@settings(max_examples=40)
@given(game=games())
def test_the_uniform_table_covers_the_tree(game):
    """`policy.uniform` and `compile` agree about what the game is, also where chance never goes."""
    root = reference.expand(game)
    expected = reference.nash_conv(root, reference.uniform(root))
    assert cfr.nash_conv(game, uniform(game)) == pytest.approx(expected, rel=0, abs=1e-12)
