"""`cfr.compile` and policies on trees: games that misbehave, sizes, and policies that do not fit, by name."""

import math
import sys

import numpy as np
import pytest

from solver import bidding_round, cfr, kuhn
from solver.errors import ArgumentError, CompileError, PolicyError
from solver.policy import PolicyTable, uniform


class State:
    """A state of a game written as nested tuples.

    ("chance", [(outcome, probability, node), ...]), (player, text, [(action, node), ...]) or ("end", pay-offs).
    A node that is callable is called for its node.
    """

    def __init__(self, node):
        self.node = node() if callable(node) else node

    def current_player(self):
        return {"chance": -1, "end": -4}.get(self.node[0], self.node[0])

    def is_terminal(self):
        return self.node[0] == "end"

    def is_chance_node(self):
        return self.node[0] == "chance"

    def chance_outcomes(self):
        return [(a, p) for a, p, _ in self.node[1]]

    def legal_actions(self):
        return [a for a, _ in self.node[2]]

    def child(self, action):
        branches = self.node[1] if self.is_chance_node() else self.node[2]
        return State(next(branch[-1] for branch in branches if branch[0] == action))

    def apply_action(self, action):
        self.node = self.child(action).node

    def clone(self):
        return State(self.node)

    def returns(self):
        return self.node[1]

    def information_state_string(self, player):
        return self.node[1]


class Game:
    def __init__(self, node, players=2):
        self.node, self.players = node, players

    def new_initial_state(self):
        return State(self.node)

    def num_players(self):
        return self.players

    def num_distinct_actions(self):
        return 10

    def get_parameters(self):
        return {}

    def __str__(self):
        return "toy"


def end(*returns):
    return "end", list(returns)


def raising():
    raise RuntimeError("the game broke")


EVEN = end(0.0, 0.0)
COIN = [(4, 0.5), (7, 0.5)]


def coin(first, second, chances=(0.5, 0.5)):
    return "chance", [(4, chances[0], first), (7, chances[1], second)]


# Games that misbehave

FORGETS = (0, "start", [(0, (0, "again", [(2, EVEN), (3, EVEN)])), (1, (0, "again", [(2, EVEN), (3, EVEN)]))])
DIFFERS = coin((0, "dealt", [(1, EVEN), (2, EVEN)]), (0, "dealt", [(1, EVEN), (3, EVEN)]))

WRONG = {
    "a seat forgets what it did": (FORGETS, ["'again' of seat 0", "histories 1 and 0", "perfect recall"]),
    "a seat decides twice in one information state": (
        (0, "here", [(5, (0, "here", [(5, EVEN), (6, EVEN)])), (6, EVEN)]),
        ["'here' of seat 0", "histories 5 and (start)", "perfect recall"],
    ),
    "legal actions differ": (DIFFERS, ["'dealt' of seat 0", "[1, 3] after history 7", "[1, 2] after 4"]),
    "chance sums to less than 1": (coin(EVEN, EVEN, (0.5, 0.4)), ["(start)", "sum to 0.9"]),
    "chance sums to more than 1": (
        (0, "a", [(3, coin(EVEN, EVEN, (0.5, 0.6))), (4, EVEN)]),
        ["history 3", "sum to 1.1"],
    ),
    "chance is negative": (coin(coin(EVEN, EVEN, (1.5, -0.5)), EVEN), ["history 4", "probability 1.5"]),
    "chance is not a number": (coin(EVEN, coin(EVEN, EVEN, (math.nan, 1.0))), ["history 7", "probability nan"]),
    "chance has no outcomes": ((1, "a", [(2, ("chance", []))]), ["history 2", "sum to 0"]),
    "a pay-off is not a number": (coin(EVEN, coin(EVEN, end(math.nan, 0.0))), ["history 7 7", "nan"]),
    "a pay-off is infinite": (coin(end(0.0, -math.inf), EVEN), ["history 4", "-inf"]),
    "too few pay-offs": (coin(EVEN, end(0.0)), ["history 7", "1 pay-offs for 2 players"]),
    "too many pay-offs": (end(0.0, 0.0, 0.0), ["(start)", "3 pay-offs for 2 players"]),
    "no such seat": (coin((2, "x", [(0, EVEN)]), EVEN), ["history 4", "seat 2", "0..1"]),
    "neither seat nor chance": (coin(EVEN, (-3, "x", [(0, EVEN)])), ["history 7", "player -3"]),
    "no legal actions": (coin(EVEN, (1, "x", [])), ["history 7", "not []"]),
    "descending actions": (coin((1, "x", [(3, EVEN), (1, EVEN)]), EVEN), ["history 4", "[3, 1]"]),
    "an action too large": (coin((1, "x", [(3, EVEN), (1 << 40, EVEN)]), EVEN), ["history 4", str(1 << 40)]),
    "a negative action": (coin((1, "x", [(-2, EVEN), (1, EVEN)]), EVEN), ["history 4", "[-2, 1]"]),
    "an action that is no whole number": (coin((1, "x", [(0.5, EVEN), (1.5, EVEN)]), EVEN), ["history 4", "0.5"]),
    "an outcome twice": (("chance", [(3, 0.5, EVEN), (3, 0.5, EVEN)]), ["(start)", "outcome 3 stands there twice"]),
    "an outcome too large": (("chance", [(1 << 31, 1.0, EVEN)]), ["(start)", "2147483648"]),
    "a string that is none": (coin((1, ("x",), [(3, EVEN)]), EVEN), ["history 4", "a str, not tuple"]),
    "an action twice": (coin((1, "x", [(3, EVEN), (3, EVEN)]), EVEN), ["history 4", "[3, 3]"]),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_game_that_misbehaves(what):
    node, parts = WRONG[what]
    with pytest.raises(CompileError) as caught:
        cfr.compile(Game(node))
    for part in parts:
        assert part in str(caught.value)
    assert not caught.value.too_large


@pytest.mark.parametrize("chance", [True, False])
def test_a_child_that_is_the_state_itself(chance):
    class Changes(State):
        def child(self, action):
            self.apply_action(action)
            return self

        def apply_action(self, action):
            self.node = State.child(self, action).node

    game = Game(coin(EVEN, EVEN) if chance else (0, "x", [(3, EVEN)]))
    game.new_initial_state = lambda: Changes(game.node)
    with pytest.raises(CompileError, match="gives the state itself"):
        cfr.compile(game)


def test_legal_actions_in_an_array():
    class Arrays(State):
        def legal_actions(self):
            return np.array(State.legal_actions(self))

        def child(self, action):
            return Arrays(State.child(self, action).node)

    node = coin((0, "a", [(1, EVEN), (2, end(1.0, -1.0))]), (0, "a", [(1, EVEN), (2, end(3.0, -3.0))]))
    game = Game(node)
    game.new_initial_state = lambda: Arrays(node)
    assert cfr.solve(game, iterations=50).value[0] == pytest.approx(2, abs=0.1)


def test_a_game_that_raises():
    """Its own error comes through, with a note that names the game and the history."""
    with pytest.raises(RuntimeError, match="the game broke") as caught:
        cfr.compile(Game(coin(EVEN, (0, "a", [(1, EVEN), (2, raising)]))))
    notes = "".join(caught.value.__notes__)
    assert "toy" in notes
    assert "history 7" in notes


@pytest.mark.parametrize("players", [0, 128])
def test_numbers_of_players(players):
    with pytest.raises(CompileError, match="1 to 127 players"):
        cfr.compile(Game(end(*[0.0] * players), players))


def test_what_is_no_game():
    with pytest.raises(CompileError, match="new_initial_state"):
        cfr.compile(3)


# Games that are odd, but right


def test_a_game_that_is_over_at_once():
    tree = cfr.compile(Game(end(2.0, -2.0)))
    assert tree.size[:4] == (1, 1, 0, 2)
    assert cfr.nash_conv(tree, {}) == 0
    assert cfr.best_response(tree, {}, 1).value == -2
    solution = cfr.solve(tree, "dcfr", iterations=3)
    assert solution.value == [2, -2]
    assert len(solution.policy) == 0


def test_one_player():
    node = coin((0, "a", [(1, end(3.0)), (2, end(5.0))]), (0, "b", [(0, end(1.0)), (9, end(-1.0))]))
    tree = cfr.compile(Game(node, 1))
    assert cfr.nash_conv(tree, tree.uniform()) == 3 - 2
    assert cfr.best_response(tree, {}, 0).policy.action_probabilities("b", 0) == {0: 1, 9: 0}
    assert cfr.solve(tree, "dcfr", iterations=100).tree_policy.to_dict()["a"][2] > 0.99


def test_chance_that_never_happens():
    """What lies behind it is no part of the game: a policy need not say what to do there."""
    node = coin(
        (0, "a", [(1, end(3.0, 0.0)), (2, end(5.0, 0.0))]), (0, "b", [(1, end(99.0, 0.0)), (2, EVEN)]), (1.0, 0.0)
    )
    tree = cfr.compile(Game(node))
    assert cfr.best_response(tree, {}, 0).value == 5
    assert cfr.nash_conv(tree, tree.uniform()) == 1
    assert tree.uniform().to_dict() == {"a": {1: 0.5, 2: 0.5}}
    assert cfr.nash_conv(tree, {"a": {2: 1.0}, "b": {1: 1.0}}) == 0


def test_a_tree_deeper_than_the_stack():
    """A player may stop for the number of steps or go on; 3,000 steps."""
    depth = sys.getrecursionlimit() * 3

    class Long:
        def __init__(self, steps=0, stopped=False):
            self.steps, self.stopped = steps, stopped

        def current_player(self):
            return -4 if self.stopped or self.steps == depth else self.steps % 2

        def legal_actions(self):
            return [0, 1]

        def child(self, action):
            return Long(self.steps + action, not action)

        def returns(self):
            return [float(self.steps), -float(self.steps)]

        def information_state_string(self, player):
            return str(self.steps)

    class LongGame(Game):
        def new_initial_state(self):
            return Long()

    tree = cfr.compile(LongGame(None))
    assert tree.num_nodes == 2 * depth + 1
    assert tree.num_infosets == depth
    # the second player ends it at its first chance, with 1 step done
    stops = {str(i): {0: 1.0} for i in range(depth)}
    goes = {str(i): {1: 1.0} for i in range(depth)}
    assert cfr.best_response(tree, stops, 0).value == 1
    assert cfr.best_response(tree, goes, 0).value == depth
    assert cfr.best_response(tree, goes, 1).value == -1
    assert cfr.solve(tree, "cfr+", iterations=2).iterations == 2


# The shape of a tree


def test_the_tree_of_kuhn():
    tree = cfr.compile(kuhn.Game())
    assert tree.size[:4] == (1 + 3 + 6 + 6 * 8, 30, 12, 26)
    assert 0 < tree.num_bytes < tree.size.bytes
    assert (tree.max_utility, tree.min_utility, tree.zero_sum) == (2, -2, True)
    assert cfr.compile(tree) is tree
    assert cfr.compile("kuhn").fingerprint() == tree.fingerprint()
    for plex in tree.treeplexes:
        assert plex.first.tolist() == [1, 3, 5, 7, 9, 11, 13]
        assert plex.num_infosets == 6
        assert plex.actions.tolist() == [-1, *[0, 1] * 6]
        # the children of a sequence are those whose parent it is
        for sequence in range(plex.num_sequences):
            children = range(plex.child[sequence], plex.child[sequence + 1])
            assert list(children) == np.flatnonzero(plex.parent == sequence).tolist()
    first = tree.treeplexes[0]
    assert first.texts[3:] == ["0pb", "1pb", "2pb"]
    assert [first.texts[i] for i in range(3)] == ["0", "1", "2"]
    assert first.parent.tolist() == [0, 0, 0, 1, 3, 5]
    assert "58 nodes" in repr(tree)


def test_an_example_of_each_information_state():
    tree = cfr.compile(kuhn.Game())
    for player, plex in enumerate(tree.treeplexes):
        for i, text in enumerate(plex.texts):
            state = tree.example(player, i)
            assert state.current_player() == player
            assert state.information_state_string(player) == text


def test_other_pay_offs_give_another_fingerprint():
    games = [Game((0, "a", [(1, end(w, -w)), (2, EVEN)])) for w in (1.0, 1.0, 1.5)]
    prints = [cfr.compile(game).fingerprint() for game in games]
    assert prints[0] == prints[1] != prints[2]


def test_the_largest_size():
    size = cfr.compile(kuhn.Game()).size
    assert cfr.compile(kuhn.Game(), max_bytes=size.bytes).size == size
    with pytest.raises(CompileError, match=f"kuhn is too large.*{size.bytes:,} bytes") as caught:
        cfr.compile(kuhn.Game(), max_bytes=size.bytes - 1)
    assert caught.value.too_large


def test_a_large_game_is_given_up_early():
    """The walk stops long before the end of a game that is far too large."""
    with pytest.raises(CompileError, match="too large") as caught:
        cfr.compile("scout(players=3)", max_bytes=1 << 22)
    assert caught.value.too_large


def test_progress_grows():
    seen = []
    pyspiel = pytest.importorskip("pyspiel")
    tree = cfr.compile(pyspiel.load_game("leduc_poker"), progress=seen.append)
    assert len(seen) > 1
    assert [size.nodes for size in seen] == sorted({size.nodes for size in seen})
    assert seen[-1] == tree.size


def test_fingerprints_of_texts_with_line_ends():
    """Where texts are joined, their bounds must still count."""
    one = Game(coin((0, "a\nb", [(0, EVEN), (1, EVEN)]), (0, "c", [(0, EVEN), (1, EVEN)])))
    two = Game(coin((0, "a", [(0, EVEN), (1, EVEN)]), (0, "b\nc", [(0, EVEN), (1, EVEN)])))
    assert cfr.compile(one).fingerprint() != cfr.compile(two).fingerprint()


# Policies that do not fit


def rows():
    return {row.text: dict(zip(row.actions, row.probabilities, strict=True)) for row in uniform(kuhn.Game())}


def without(text):
    return {key: row for key, row in rows().items() if key != text}


BAD = {
    "an information state is missing": (without("1pb"), ["lacks 1 of the 6", "seat 0", "'1pb'"]),
    "one player is missing": ({k: r for k, r in rows().items() if len(k) != 2}, ["lacks 6 of the 6", "seat 1"]),
    "probabilities do not sum to 1": (rows() | {"2p": {0: 0.5, 1: 0.4}}, ["'2p'", "sum to 1", "[0.5, 0.4]"]),
    "a probability is negative": (rows() | {"2p": {0: 1.5, 1: -0.5}}, ["'2p'", "at least 0", "[1.5, -0.5]"]),
    "a probability is nan": (rows() | {"2p": {0: math.nan, 1: 1.0}}, ["'2p'", "nan"]),
    "a probability is infinite": (rows() | {"2p": {0: math.inf, 1: 0.0}}, ["'2p'", "inf"]),
    "an action is illegal": (rows() | {"0": {0: 0.5, 3: 0.5}}, ["'0'", "action 3 is not legal"]),
    "an information state is empty": (rows() | {"0": {}}, ["'0'", "sum to 1"]),
    "it is no policy": (7, ["mapping", "int"]),
}


@pytest.mark.parametrize("what", BAD)
def test_a_policy_that_does_not_fit(what):
    policy, parts = BAD[what]
    for ask in (cfr.nash_conv, cfr.exploitability):
        with pytest.raises(PolicyError) as caught:
            ask(kuhn.Game(), policy)
        for part in parts:
            assert part in str(caught.value)


@pytest.mark.parametrize("row", [None, 3, "ab", {0: "x", 1: 0.5}, {"0": 0.5, "1": 0.5}, [0.5, 0.5], [(0, 0.5, 1)]])
def test_an_information_state_that_is_none(row):
    """Whatever stands in place of probabilities, the error names the information state."""
    with pytest.raises(PolicyError, match="'2p'"):
        cfr.nash_conv(kuhn.Game(), rows() | {"2p": row})


def test_actions_left_out_have_probability_0():
    policy = rows() | {"2": {1: 1.0}, "2p": [(1, 1.0)], "1": {0: 0.5, 1: 0.5, 5: 0.0}}
    full = rows() | {"2": {0: 0.0, 1: 1.0}, "2p": {0: 0.0, 1: 1.0}}
    assert cfr.nash_conv(kuhn.Game(), policy) == cfr.nash_conv(kuhn.Game(), full)


def test_probabilities_nearly_1_are_scaled():
    policy = rows() | {"2p": {0: 0.5, 1: 0.5 + 9e-7}}
    tree = cfr.compile(kuhn.Game())
    assert math.fsum(tree.align(policy).to_dict()["2p"].values()) == 1
    with pytest.raises(PolicyError):
        tree.align(rows() | {"2p": {0: 0.5, 1: 0.5 + 2e-6}})


def test_a_best_response_needs_only_the_others():
    second = {text: row for text, row in rows().items() if len(text) == 2}
    response = cfr.best_response(kuhn.Game(), second, 0)
    assert response.value == pytest.approx(0.5, abs=1e-12)
    assert {row.player for row in response.policy} == {0}
    assert len(response.policy) == 6
    with pytest.raises(PolicyError, match="seat 0"):
        cfr.best_response(kuhn.Game(), second, 1)


@pytest.mark.parametrize("player", [-1, 2, 1.5, "0", True, None])
def test_no_such_seat(player):
    with pytest.raises(ArgumentError, match="seat"):
        cfr.best_response(kuhn.Game(), rows(), player)


def test_a_policy_of_another_tree():
    policy = cfr.compile(kuhn.Game()).uniform()
    with pytest.raises(PolicyError, match="another tree"):
        cfr.nash_conv(cfr.compile(kuhn.Game()), policy)


def test_a_table_of_another_game():
    with pytest.raises(PolicyError, match="lacks"):
        cfr.nash_conv(Game(DIFFERS[1][0][2]), uniform(kuhn.Game()))


def test_two_players_with_the_same_text():
    """A dictionary cannot keep them apart, a table can."""
    node = (0, "same", [(1, (1, "same", [(1, end(1.0, 0.0)), (2, EVEN)])), (2, end(0.5, 0.0))])
    tree = cfr.compile(Game(node))
    table = PolicyTable.from_mapping({("same", 0): {1: 1.0}, ("same", 1): {2: 1.0}})
    assert cfr.best_response(tree, table, 0).value == 0.5
    assert cfr.nash_conv(tree, table) == 0.5
    with pytest.raises(PolicyError, match="'same'"):
        tree.uniform().to_dict()
    solution = cfr.solve(tree, "dcfr", iterations=5)
    assert len(solution.policy) == 2


@pytest.mark.parametrize("game", [kuhn.Game(), kuhn.Game(3), bidding_round.Game(horizon=1)])
def test_reach_is_how_often_play_comes_there(game):
    """Against a walk over the states, under a policy that is no action's favourite."""
    policy = cfr.solve(game, iterations=5).tree_policy
    wanted = [dict.fromkeys(plex.texts, 0.0) for plex in policy.tree.treeplexes]
    played = [
        {text: policy.action_probabilities(player, i) for i, text in enumerate(plex.texts)}
        for player, plex in enumerate(policy.tree.treeplexes)
    ]
    pending = [(game.new_initial_state(), 1.0)]
    while pending:
        state, share = pending.pop()
        player = state.current_player()
        moves = state.chance_outcomes()
        if player >= 0:
            text = state.information_state_string(player)
            wanted[player][text] += share
            moves = played[player][text].items()
        pending += [(state.child(action), share * chance) for action, chance in moves]
    for found, by_text in zip(policy.reach(), wanted, strict=True):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, list(by_text.values()), rtol=1e-12, atol=1e-15)


def test_reach_of_an_even_policy():
    """Kuhn: the first seat has each card a third of the time, and decides again after pass and bet."""
    first, second = cfr.compile("kuhn").uniform().reach()
    assert first == pytest.approx([1 / 3] * 3 + [1 / 3 / 4] * 3)
    assert second == pytest.approx([1 / 3 / 2] * 6)


def test_reach_of_a_seat_that_never_decides():
    tree = cfr.compile(Game((0, "a", [(0, ("end", (1, -1))), (1, ("end", (0, 0)))])))
    assert [found.tolist() for found in tree.uniform().reach()] == [[1.0], []]
