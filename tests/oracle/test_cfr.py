"""Equilibrium solvers against their readable twin, OpenSpiel, linear programs and published values."""

import random

import numpy as np
import pytest

from solver import cfr, kuhn, scout
from solver.errors import CompileError
from solver.policy import PolicyTable, uniform
from solver.symmetry import merge
from tests.oracle.compare_cfr import Pair
from tests.reference import cfr as reference
from tests.reference import sequence_lp

GOOFSPIEL = "goofspiel(num_cards=4,imp_info=True,points_order=descending)"
# SCOUT with 5 cards of the numbers 1..4, two cards a hand and no chips: 59,000 histories.
SMALL_SCOUT = {"players": 2, "ranks": 4, "hand_size": 2, "chips": 0, "drop": [(1, 4)], "payoff": "margin"}


class UnevenState(kuhn.State):
    """Kuhn poker whose stakes depend on everything, so that no two regrets tie."""

    def clone(self):
        result = UnevenState()
        result.cards, result.bets = list(self.cards), list(self.bets)
        return result

    def returns(self):
        if not self.is_terminal():
            return [0.0, 0.0]
        stake = random.Random(repr((self.cards, self.bets))).uniform(0.5, 1.5)
        return [stake * won for won in super().returns()]


class Uneven(kuhn.Game):
    def new_initial_state(self):
        return UnevenState()

    def __str__(self):
        return "uneven kuhn"


@pytest.fixture(scope="module")
def pyspiel():
    return pytest.importorskip("pyspiel")


@pytest.fixture(scope="module")
def leduc(pyspiel):
    return cfr.compile(pyspiel.load_game("leduc_poker"))


# The readable twin


@pytest.mark.parametrize("merge_equal", [False, True])
@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("method", cfr.METHODS)
def test_iterates_of_uneven_kuhn(method, alternating, merge_equal):
    pair = Pair(Uneven(), method, alternating, merge_equal, horizon=80)
    for iterations in (1, 2, 10, 100):
        pair.run(iterations)
        pair.check()


# Left out: pdcfr+ with alternating updates, where regrets tie after the second iteration and the last bit decides.
@pytest.mark.parametrize(
    ("method", "alternating"),
    [(method, turns) for method in cfr.METHODS for turns in (True, False) if (method, turns) != ("pdcfr+", True)],
)
def test_iterates_of_kuhn(method, alternating):
    pair = Pair(kuhn.Game(), method, alternating, merge_equal=True)
    for iterations in (1, 2, 10, 100):
        pair.run(iterations)
        pair.check()


def test_every_method_has_a_twin():
    assert reference.RULES.keys() == cfr.METHODS.keys()
    for name, method in cfr.METHODS.items():
        assert method.predicts == reference.RULES[name].predicts


@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+"])
def test_merging_leduc_changes_no_average(leduc, method):
    """Suits are names: leduc poker merges to fewer information states, whose averages are those of each."""
    merged = merge(leduc.treeplexes)
    assert merged is not None
    assert sum(plex.num_infosets for plex in merged.treeplexes) <= leduc.num_infosets // 2
    with_merging = cfr.solve(leduc, method, iterations=20, merge_equal=True)
    without = cfr.solve(leduc, method, iterations=20, merge_equal=False)
    for a, b in zip(with_merging.tree_policy.probabilities, without.tree_policy.probabilities, strict=True):
        assert np.abs(a - b).max() < 1e-10
    assert with_merging.exploitability == pytest.approx(without.exploitability, rel=1e-10)


# OpenSpiel


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)"])
@pytest.mark.parametrize(("method", "solver"), [("cfr", "CFRSolver"), ("cfr+", "CFRPlusSolver")])
def test_averages_of_openspiel(pyspiel, name, method, solver):
    game = pyspiel.load_game(name)
    theirs = getattr(pyspiel, solver)(game)
    for _ in range(10):
        theirs.evaluate_and_update_policy()
    table = theirs.tabular_average_policy().policy_table()
    mine = cfr.solve(game, method, iterations=10, merge_equal=False).tree_policy.to_dict()
    assert mine.keys() == table.keys()
    worst = max(abs(mine[text][a] - p) for text, row in table.items() for a, p in row)
    assert worst < 1e-10


def some_policies(pyspiel, game):
    """Policies of OpenSpiel: uniform, random, pure, and one on the way to an equilibrium."""
    yield pyspiel.UniformRandomPolicy(game)
    yield pyspiel.GetRandomPolicy(game, 5)
    yield pyspiel.GetRandomDeterministicPolicy(game, 6)
    solver = pyspiel.CFRSolver(game)
    for _ in range(5):
        solver.evaluate_and_update_policy()
    yield solver.tabular_average_policy()
    yield solver.average_policy()


@pytest.mark.parametrize("name", ["kuhn_poker", "leduc_poker", "kuhn_poker(players=3)"])
def test_nash_conv_of_openspiel(pyspiel, name):
    game = pyspiel.load_game(name)
    tree = cfr.compile(game)
    for policy in some_policies(pyspiel, game):
        expected = pyspiel.nash_conv(game, policy)
        assert cfr.nash_conv(tree, policy) == pytest.approx(expected, abs=1e-12)
        assert cfr.exploitability(tree, policy) == pytest.approx(expected / game.num_players(), abs=1e-12)


def test_every_kind_of_policy(pyspiel):
    """The same policy as dictionary, pairs, table, and OpenSpiel's tabular policies in C++ and Python."""
    python = pytest.importorskip("open_spiel.python.policy")
    game = pyspiel.load_game("leduc_poker")
    tree = cfr.compile(game)
    rows = pyspiel.GetRandomPolicy(game, 8).policy_table()
    expected = pyspiel.nash_conv(game, pyspiel.TabularPolicy(rows))
    tabular = python.TabularPolicy(game)
    for text, row in rows.items():
        chances = dict(row)
        tabular.policy_for_key(text)[:] = [chances.get(a, 0.0) for a in range(game.num_distinct_actions())]
    policies = [
        rows,
        {text: dict(row) for text, row in rows.items()},
        PolicyTable.from_mapping(rows, game=game),
        PolicyTable.from_pyspiel(tabular, game),
        pyspiel.TabularPolicy(rows),
        tabular,
        tree.align(rows),
    ]
    for policy in policies:
        assert cfr.nash_conv(tree, policy) == pytest.approx(expected, abs=1e-12)
        for player in (0, 1):
            response = cfr.best_response(tree, policy, player)
            assert response.value == pytest.approx(cfr.best_response(tree, rows, player).value, abs=1e-12)
            own = {row.text: list(zip(row.actions, row.probabilities, strict=True)) for row in response.policy}
            joined = pyspiel.TabularPolicy(rows | own)
            got = pyspiel.expected_returns(game.new_initial_state(), joined, -1, True)[player]
            assert got == pytest.approx(response.value, abs=1e-12)


@pytest.mark.parametrize("name", ["matrix_rps", "matching_pennies_3p", "goofspiel(num_cards=3,imp_info=True)"])
def test_players_who_move_at_once(pyspiel, name):
    """A simultaneous-move game of OpenSpiel is compiled as OpenSpiel's own turn-based conversion."""
    game = pyspiel.load_game(name)
    turns = pyspiel.convert_to_turn_based(game)
    tree = cfr.compile(game)
    assert str(tree.game) == str(turns)
    assert cfr.nash_conv(tree, tree.uniform().to_dict()) == pytest.approx(
        pyspiel.nash_conv(turns, pyspiel.UniformRandomPolicy(turns)), abs=1e-12
    )
    assert cfr.solve(game, "cfr+", iterations=50).iterations == 50


def test_chance_that_is_sampled_is_refused(pyspiel):
    sampled = next(
        kind.short_name
        for kind in pyspiel.registered_games()
        if "SAMPLED" in str(kind.chance_mode) and kind.default_loadable
    )
    with pytest.raises(CompileError, match="sampled chance") as caught:
        cfr.compile(pyspiel.load_game(sampled))
    assert caught.value.draws


# Known values


@pytest.mark.parametrize(
    ("name", "expected"),
    [("kuhn_poker", 0.9166666666666666), ("leduc_poker", 4.747222222222222), ("liars_dice", 1.5614886463844795)],
)
def test_nash_conv_of_the_uniform_policy(pyspiel, name, expected):
    tree = cfr.compile(pyspiel.load_game(name))
    assert cfr.nash_conv(tree, tree.uniform()) == pytest.approx(expected, abs=1e-12)


def test_uniform_kuhn():
    assert cfr.nash_conv(kuhn.Game(), uniform(kuhn.Game())) == pytest.approx(0.9166666666666666, abs=1e-15)


def test_value_of_kuhn():
    """Kuhn 1950: -1/18 for the first player, who bets a king three times as often as a jack."""
    solution = cfr.solve(kuhn.Game(), "pcfr+", iterations=20_000, target=1e-9)
    assert solution.exploitability <= 1e-9
    assert solution.value == pytest.approx([-1 / 18, 1 / 18], abs=1e-8)
    policy = solution.tree_policy.to_dict()
    bluff = policy["0"][kuhn.BET]
    assert 0 <= bluff <= 1 / 3 + 1e-4
    assert policy["2"][kuhn.BET] == pytest.approx(3 * bluff, abs=1e-4)
    assert policy["1pb"][kuhn.BET] == pytest.approx(bluff + 1 / 3, abs=1e-4)
    assert policy["1b"][kuhn.BET] == pytest.approx(1 / 3, abs=1e-4)
    assert policy["0p"][kuhn.BET] == pytest.approx(1 / 3, abs=1e-4)


def test_value_of_leduc(leduc):
    solution = cfr.solve(leduc, "cfr+", iterations=20_000, target=2e-5)
    assert solution.exploitability <= 2e-5
    assert solution.value[0] == pytest.approx(-0.085606424078, abs=4e-5)


def test_value_of_liars_dice(pyspiel):
    """The value is that of the linear program (which takes half a minute there)."""
    solution = cfr.solve(pyspiel.load_game("liars_dice"), iterations=1000, target=1e-4)
    assert solution.exploitability < 1e-4
    assert solution.value[0] == pytest.approx(-0.027131782945736, abs=2e-4)


# Linear programs


@pytest.mark.parametrize("name", ["kuhn", "leduc_poker", GOOFSPIEL, "scout"])
def test_the_linear_program_agrees(pyspiel, name):
    """The value within 1e-6, and each policy is an equilibrium by the other's measure."""
    if name == "scout":
        game = scout.Game(**SMALL_SCOUT)
    elif name == "kuhn":
        game = kuhn.Game()
    else:
        game = pyspiel.load_game(name)
    tree = cfr.compile(game)
    plans = sequence_lp.solve(tree.game)
    value = plans[0].value
    assert plans[1].value == pytest.approx(-value, abs=1e-9)
    for player in (0, 1):
        held = cfr.best_response(tree, plans[1 - player].policy, player)
        assert held.value == pytest.approx((value, -value)[player], abs=1e-9)
    method = "pdcfr+" if name == "leduc_poker" else "pcfr+"
    solution = cfr.solve(tree, method, iterations=30_000, target=5e-7)
    assert solution.exploitability <= 5e-7
    assert solution.value[0] == pytest.approx(value, abs=1e-6)
