"""Kuhn poker and Leduc hold'em: OpenSpiel's games to the letter, their known values and sizes."""

import itertools
import math
import random
from collections import Counter

import pytest

from solver import bidding_round, cfr, duel, games, ismcts, kuhn, leduc, protocol
from solver.errors import GameOptionError, IllegalActionError, PositionError

LEDUC_VALUE = -0.085606424078


def compare(ours, theirs):
    """One state of ours and OpenSpiel's: who decides, and what."""
    assert ours.current_player() == theirs.current_player()
    assert ours.is_terminal() == theirs.is_terminal()
    assert ours.is_chance_node() == theirs.is_chance_node()
    assert ours.legal_actions() == theirs.legal_actions()
    if ours.is_chance_node():
        ids, chances = zip(*ours.chance_outcomes(), strict=True)
        their_ids, their_chances = zip(*theirs.chance_outcomes(), strict=True)
        assert ids == their_ids
        assert chances == pytest.approx(their_chances, abs=1e-15)
    else:
        assert ours.chance_outcomes() == []
    assert ours.returns() == pytest.approx(theirs.returns(), abs=1e-12)


class Partition:
    """Whether two kinds of information state strings tell the same states apart."""

    def __init__(self):
        self.pairs = set()

    def add(self, ours, theirs):
        player = ours.current_player()
        if player >= 0:
            mine = ours.information_state_string(player)
            assert len(mine) < 30
            self.pairs.add(((player, mine), (player, theirs.information_state_string(player))))

    def check(self):
        assert len({mine for mine, _ in self.pairs}) == len({their for _, their in self.pairs}) == len(self.pairs)


def both(module, players):
    pyspiel = pytest.importorskip("pyspiel")
    name = module.__name__.rpartition(".")[2]
    return module.Game(players), pyspiel.load_game(f"{name}_poker(players={players})")


CASES = [(kuhn, 2), (kuhn, 3), (kuhn, 4), (leduc, 2), (leduc, 3)]


@pytest.mark.parametrize(("module", "players"), CASES)
def test_a_game_is_that_of_openspiel(module, players):
    game, theirs = both(module, players)
    assert game.num_players() == theirs.num_players()
    assert game.num_distinct_actions() == theirs.num_distinct_actions()
    assert game.max_utility() == theirs.max_utility()
    assert game.min_utility() == theirs.min_utility()


@pytest.mark.parametrize(("module", "players"), CASES[:4])
def test_the_whole_tree_is_that_of_openspiel(module, players):
    game, theirs = both(module, players)
    partition = Partition()
    stack = [(game.new_initial_state(), theirs.new_initial_state())]
    while stack:
        mine, their = stack.pop()
        compare(mine, their)
        partition.add(mine, their)
        stack.extend((mine.child(action), their.child(action)) for action in their.legal_actions())
    partition.check()


@pytest.mark.parametrize(("module", "players", "count"), [(leduc, 3, 4000), (leduc, 5, 200), (kuhn, 10, 200)])
def test_random_play_is_that_of_openspiel(module, players, count):
    game, theirs = both(module, players)
    partition = Partition()
    rng = random.Random(players)
    for _ in range(count):
        mine, their = game.new_initial_state(), theirs.new_initial_state()
        compare(mine, their)
        while not their.is_terminal():
            action = rng.choice(their.legal_actions())
            mine.apply_action(action)
            their.apply_action(action)
            compare(mine, their)
            partition.add(mine, their)
    partition.check()


@pytest.mark.parametrize(
    ("text", "nodes", "infosets"), [("kuhn", 58, 12), ("kuhn(players=3)", 617, 48), ("leduc", 9457, 936)]
)
def test_known_sizes(text, nodes, infosets):
    tree = cfr.compile(text)
    assert (tree.num_nodes, tree.num_infosets) == (nodes, infosets)
    assert tree.zero_sum
    assert isinstance(tree.game, protocol.Game)
    assert isinstance(tree.game.new_initial_state(), protocol.State)
    assert tree.min_utility >= tree.game.min_utility()
    assert tree.max_utility <= tree.game.max_utility()


@pytest.mark.parametrize(("game", "value"), [(kuhn.Game(), -1 / 18), (leduc.Game(), LEDUC_VALUE)])
def test_known_values(game, value):
    """Either seat's gain by deviating is at most twice the exploitability, so the value is as near as that."""
    solution = cfr.solve(game, "pdcfr+", target=2e-5, iterations=20_000)
    assert solution.exploitability <= 2e-5
    assert solution.value == pytest.approx([value, -value], abs=4e-5)


def after(game, *actions):
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


RESAMPLED = [
    (kuhn.Game(), (1, 2, 1), 0),
    (kuhn.Game(3), (3, 0, 1, 0, 1), 1),
    (kuhn.Game(3), (3, 0), 1),
    (kuhn.Game(3), (3, 0), 2),
    (leduc.Game(), (5, 2, 1), 1),
    (leduc.Game(), (5, 2, 1, 1, 4, 2), 0),
    (leduc.Game(3), (7, 0, 3, 2, 0, 1, 6), 2),
]


@pytest.mark.parametrize(("game", "actions", "player"), RESAMPLED)
def test_resampling_draws_all_hidden_cards_alike(game, actions, player):
    state = after(game, *actions)
    seats = range(min(len(state.cards), game.num_players()))
    hidden = [seat for seat in seats if seat != player]
    rng = random.Random(1)
    counts = Counter()
    draws = 12_000
    before = vars(state).copy()
    for _ in range(draws):
        other = state.resample_from_infostate(player, rng.random)
        assert other.information_state_string(player) == state.information_state_string(player)
        assert other.current_player() == state.current_player()
        assert other.legal_actions() == state.legal_actions() or state.is_chance_node()
        counts[tuple(other.cards[seat] for seat in hidden)] += 1
    assert vars(state) == before
    known = {card for seat, card in enumerate(state.cards) if seat not in hidden}
    deck = set(range(state.suits * (game.num_players() + 1))) - known
    expected = set(itertools.permutations(sorted(deck), len(hidden)))
    assert set(counts) == expected
    mean = draws / len(expected)
    spread = sum((count - mean) ** 2 / mean for count in counts.values())  # chi-squared
    free = len(expected) - 1
    assert abs(spread - free) < 5 * math.sqrt(2 * free)


def test_states_are_independent():
    state = after(leduc.Game(), 5, 2)
    copy = state.clone()
    child = state.child(2)
    copy.apply_action(1)
    assert [s.information_state_string(0) for s in (state, copy, child)] == ["2b:", "2b:c", "2b:r"]


@pytest.mark.parametrize(
    ("game", "actions", "texts"),
    [
        (kuhn.Game(), (2, 0, 0, 1), ["2pb", "0pb"]),
        (kuhn.Game(3), (1,), ["1", "", ""]),
        (kuhn.Game(3), (3, 0, 2, 0, 0, 1), ["3ppb", "0ppb", "2ppb"]),
        (leduc.Game(), (4,), ["2a:", ":"]),
        (leduc.Game(), (4, 3, 1, 2, 1, 1, 2), ["2a:crc/0b:r", "1b:crc/0b:r"]),
        (leduc.Game(3), (6, 3, 0, 2, 0, 1, 7), ["3a:rfc/3b:", "1b:rfc/3b:", "0a:rfc/3b:"]),
    ],
)
def test_information_states_are_short(game, actions, texts):
    state = after(game, *actions)
    assert [state.information_state_string(p) for p in range(game.num_players())] == texts


@pytest.mark.parametrize(
    ("actions", "returns"),
    [
        ((4, 5, 1, 1, 0, 1, 1), [0, 0]),  # a tie
        ((4, 5, 2, 2, 1, 0, 2, 2, 1), [0, 0]),  # a tie for 13 each
        ((4, 0, 1, 1, 1, 1, 1), [-1, 1]),  # a pair beats the higher rank
        ((4, 0, 1, 1, 2, 1, 1), [1, -1]),
        ((0, 2, 2, 0), [1, -1]),  # a fold before the common card
        ((0, 2, 2, 1, 3, 1, 2, 2, 0), [7, -7]),
    ],
)
def test_payoffs_of_leduc(actions, returns):
    assert after(leduc.Game(), *actions).returns() == returns


def test_three_share_nothing_of_a_folded_pair():
    """Three players: the seat with the pair folds, the other two tie and split its ante."""
    state = after(leduc.Game(3), 0, 6, 7, 1, 2, 1, 0, 1, 1, 1)
    assert state.returns() == [-1, 0.5, 0.5]


def test_words():
    assert kuhn.Game(3).new_initial_state().action_to_string(-1, 3) == "deal 3"
    assert kuhn.Game().new_initial_state().action_to_string(0, 1) == "bet"
    assert leduc.Game().new_initial_state().action_to_string(-1, 5) == "deal 2b"
    assert [leduc.Game().new_initial_state().action_to_string(1, a) for a in range(3)] == ["fold", "call", "raise"]


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (after(kuhn.Game()), 3),
        (after(kuhn.Game(), 1), 1),
        (after(kuhn.Game(), 0, 1), 2),
        (after(kuhn.Game(), 0, 1, 0, 0), 0),
        (after(kuhn.Game(3), 0, 1), -1),
        (after(leduc.Game()), 6),
        (after(leduc.Game(), 0, 1), 0),
        (after(leduc.Game(), 0, 1, 2, 2), 2),
        (after(leduc.Game(), 0, 1, 1, 1), 1),
        (after(leduc.Game(), 0, 1, 2, 0), 1),
        (after(leduc.Game(), 0, 1), "call"),
    ],
)
def test_illegal_actions_are_named(state, action):
    with pytest.raises(IllegalActionError, match="is not among the legal actions"):
        state.apply_action(action)
    with pytest.raises(IllegalActionError, match="is not among the legal actions"):
        state.child(action)


@pytest.mark.parametrize(
    ("module", "player", "action"), [(kuhn, 0, 2), (kuhn, -1, 3), (leduc, 0, 3), (leduc, -1, 6), (leduc, 1, -1)]
)
def test_actions_without_words(module, player, action):
    with pytest.raises(IllegalActionError, match=f"{action} is no action of seat {player}"):
        module.Game().new_initial_state().action_to_string(player, action)


@pytest.mark.parametrize("module", [kuhn, leduc])
def test_game_strings(module):
    name = module.Game.name
    assert name in games.NAMES
    assert str(module.Game()) == name
    assert str(games.load(f" {name.upper()} ( players = 2 ) ")) == name
    assert str(games.load(f"{name}(players=3)")) == f"{name}(players=3)"
    assert games.load(f"{name}(players=10)").get_parameters() == {"players": 10}
    for players, word in ((1, "lie in 2..10, not 1"), (11, "lie in"), (True, "whole number"), ("x", "whole number")):
        with pytest.raises(GameOptionError, match=f"players must .*{word}"):
            module.Game(players=players)
    with pytest.raises(GameOptionError, match="players must be a whole number"):
        games.load(f"{name}(players=two)")
    with pytest.raises(GameOptionError, match=f"{name} has no option 'player'; it has players; did you mean players"):
        games.load(f"{name}(player=3)")
    with pytest.raises(PositionError, match=f"column {len(name) + 1}: nothing may follow the game string"):
        games.load(f"{name} | hand 3")
    with pytest.raises(PositionError, match=f"this is the game {name}, not scout"):
        module.load("scout")
    with pytest.raises(PositionError, match=f"{name} has no positions in text"):
        games.parse(name)


def test_games_are_equal_by_what_they_are():
    made = [kuhn.Game(), kuhn.Game(3), leduc.Game(), leduc.Game(3), duel.Game(0, 5), duel.Game(0, 6)]
    made += [bidding_round.Game(), bidding_round.Game(horizon=2), bidding_round.Game(price=0.3)]
    for i, game in enumerate(made):
        assert [other == game for other in made] == [j == i for j in range(len(made))]
        again = type(game)(**game.get_parameters())
        assert again == game
        assert hash(again) == hash(game)
        assert eval(repr(game), {"Game": type(game)}) == game

    class Longer(duel.Game):
        """A game with other rules."""

    assert Longer(0, 5) != duel.Game(0, 5)
    assert kuhn.Game() != "kuhn"


def test_leduc_is_searched():
    """A pair of kings raises, and the queen gives up to two raises with a king in sight."""
    king = after(leduc.Game(), 4, 2, 1, 1, 5)
    result = ismcts.search(king, iterations=2000, seed=1)
    assert result.position == "2a:cc/2b:"
    assert result.words[result.best] == "raise"
    assert result.value > 0
