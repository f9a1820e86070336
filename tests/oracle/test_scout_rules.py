"""The compiled SCOUT against the slow reference, move by move, over thousands of rounds (see compare.py)."""

import math
import random
from functools import cache

import pytest

from solver import scout
from tests.oracle.compare import Table, Tally, compare, compare_variants

ROUNDS = 360  # of each setting; a match may add a few

SETTINGS = {
    **{f"{n} players": {"players": n} for n in (2, 3, 4, 5)},
    **{f"{n} players, match": {"players": n, "rounds": "match", "payoff": "margin"} for n in (2, 3, 4, 5)},
    **{f"{n} players, play on": {"players": n, "ends_on_emptying_scout": False} for n in (3, 4, 5)},
    **{f"{n} players, open": {"players": n, "insertions_public": True, "payoff": "win"} for n in (2, 3, 4, 5)},
    **{f"{n} players, 12 turns": {"players": n, "max_turns": 12} for n in (2, 3, 4, 5)},
    "2 players, four rounds": {"players": 2, "rounds": 4, "hand_size": 7, "chips": 2},
    "2 players, 12 chips": {"players": 2, "chips": 12},
}
# Long rounds, so fewer of them.
LARGE_DECKS = {
    **{f"{n} players, 11 ranks": {"players": n, "ranks": 11} for n in (2, 3, 4, 5)},
    "3 players, 11 ranks, open match": {"players": 3, "ranks": 11, "rounds": "match", "insertions_public": True},
}
LARGE_DECK_ROUNDS = 80
CHANCE = {
    "2 players": {"players": 2, "rounds": "match"},
    "2 players, four rounds": {"players": 2, "rounds": 4, "hand_size": 8, "chips": 1},
    "3 players": {"players": 3, "rounds": 2},
    "4 players": {"players": 4, "hand_size": 5},
    "5 players": {"players": 5, "rounds": 2, "ranks": 6},
}


@cache
def compared(name: str) -> Tally:
    """The comparison of a setting, made once."""
    if name in LARGE_DECKS:
        return compare(scout.Game(**LARGE_DECKS[name]), LARGE_DECK_ROUNDS)
    return compare(scout.Game(**SETTINGS[name]), ROUNDS)


@cache
def compared_variants() -> dict[int, Tally]:
    """The comparison of small variants, made once."""
    return compare_variants(1200)


def all_tallies() -> dict[int, Tally]:
    """What was seen with each number of players, all settings together."""
    result = {players: Tally() for players in (2, 3, 4, 5)}
    for name, options in (SETTINGS | LARGE_DECKS).items():
        result[options["players"]].add(compared(name))
    for players, tally in compared_variants().items():
        result[players].add(tally)
    return result


@pytest.mark.parametrize("name", SETTINGS)
def test_compiled_game_equals_reference(name):
    """Legal actions, hands, table, chips, scores, what each seat knows: the same after every action."""
    assert compared(name).rounds >= ROUNDS


@pytest.mark.parametrize("name", LARGE_DECKS)
def test_compiled_game_equals_reference_with_55_cards(name):
    """The same with the largest deck and hands of up to a third of it."""
    assert compared(name).rounds >= LARGE_DECK_ROUNDS


def test_small_variants_equal_reference():
    """The same for random small games: few ranks, small hands, 0..5 chips, dropped pairs, short rounds."""
    tallies = compared_variants()
    assert sum(tally.rounds for tally in tallies.values()) >= 1200
    assert min(tally.rounds for tally in tallies.values()) >= 150


@pytest.mark.parametrize("name", CHANCE)
def test_chance_nodes_equal_reference(name):
    """Games dealt card by card through chance nodes play as the reference does, later rounds included."""
    assert compare(scout.Game(**CHANCE[name]), 60, chance=True).rounds >= 60


def test_every_way_to_end_a_round_was_compared():
    """The random play of this module reached all that can happen, for each number of players."""
    tallies = all_tallies()
    for players, tally in tallies.items():
        kinds = {"empty_hand", "max_turns", "scouted_out by a Scout"}
        # with two players a Show can leave the other without Show and chip; an emptied table never ends a round
        kinds.add("scouted_out by a Show" if players == 2 else "scouted_out by an emptying Scout")
        assert set(tally.endings) == kinds, players
        assert min(tally.endings.values()) >= 10, (players, tally.endings)
        assert tally.longest_hand > 16, players
    assert tallies[2].scout_and_shows == 0
    assert all(tallies[players].scout_and_shows > 500 for players in (3, 4, 5))


def test_an_emptying_scout_does_not_end_a_round_that_plays_on():
    """With `ends_on_emptying_scout=False` no compared round ended so, though (ii) by another Scout still did."""
    for players in (3, 4, 5):
        default, plays_on = compared(f"{players} players").endings, compared(f"{players} players, play on").endings
        assert default["scouted_out by an emptying Scout"] > 0
        assert plays_on["scouted_out by an emptying Scout"] == 0


# ---------------------------------------------------------------------------------------------------------------------
# The chance protocol by itself
# ---------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{"players": n} for n in (2, 3, 4, 5)] + [{"players": 3, "ranks": 5}])
def test_chance_nodes_offer_every_card_side_once(options):
    """At each chance node: one outcome for each side of each card not dealt yet, all equally likely, summing to 1."""
    game = scout.Game(**options)
    state = game.new_initial_state()
    rng = random.Random(3)
    sides = {(a, b) for pair in game.deck() for a, b in (pair, pair[::-1])}
    for _ in range(game.cards_in_play):
        assert state.is_chance_node()
        assert state.current_player() == -1
        outcomes = state.chance_outcomes()
        assert state.legal_actions() == [outcome for outcome, _ in outcomes] == sorted(dict(outcomes))
        assert all(0 <= outcome < game.max_chance_outcomes() for outcome, _ in outcomes)
        assert math.isclose(sum(p for _, p in outcomes), 1, rel_tol=1e-12)
        assert {p for _, p in outcomes} == {1 / len(sides)}
        named = {tuple(map(int, state.action_to_string(-1, outcome).split("/"))) for outcome, _ in outcomes}
        assert named == sides
        assert len(outcomes) == len(sides)
        chosen = rng.choice(outcomes)[0]
        top, bottom = map(int, state.chance_text(chosen).split("/"))
        low, high = game.deck()[chosen // 2]
        assert (top, bottom) == ((high, low) if chosen % 2 else (low, high))
        state.apply_action(chosen)
        sides -= {(top, bottom), (bottom, top)}
    assert not state.is_chance_node()
    assert state.chance_outcomes() == []
    assert state.current_player() == 0


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_walking_chance_nodes_equals_dealing_hands(players):
    """A fixed sequence of outcomes gives, seat by seat and left to right, the state that `deal(hands=...)` gives, and
    the two are the same for the players to the end of the round."""
    game = scout.Game(players=players)
    rng = random.Random(players)
    cards = [card if rng.random() < 0.5 else card[::-1] for card in rng.sample(game.deck(), game.cards_in_play)]
    walked = game.new_initial_state()
    for top, bottom in cards:
        index = game.deck().index((min(top, bottom), max(top, bottom)))
        walked.apply_action(2 * index + (top > bottom))
    size = game.hand_size
    hands = [cards[seat * size : (seat + 1) * size] for seat in range(players)]
    dealt = game.deal(hands=hands)
    assert [walked.hand(seat) for seat in range(players)] == hands == [dealt.hand(seat) for seat in range(players)]
    while not dealt.is_terminal():
        assert walked.legal_actions() == dealt.legal_actions()
        for seat in range(players):
            assert walked.information_state_string(seat) == dealt.information_state_string(seat)
            assert walked.position(seat) == dealt.position(seat)
        action = rng.choice(dealt.legal_actions())
        walked.apply_action(action)
        dealt.apply_action(action)
    assert walked.round_results() == dealt.round_results()
    assert walked.returns() == dealt.returns()


def test_second_deal_of_two_players_offers_the_cards_set_aside():
    """After a round by chance nodes, the nodes of round 2 offer exactly the cards that round 1 left in the box."""
    game = scout.Game(players=2, rounds="match")
    table = Table(game, seed=5, chance=True)
    state = table.state
    first = {frozenset(card) for seat in (0, 1) for card in state.hand(seat)}
    rng = random.Random(5)
    while not state.is_chance_node():
        state.apply_action(rng.choice(state.legal_actions()))
    second = {frozenset(game.deck()[outcome // 2]) for outcome, _ in state.chance_outcomes()}
    assert len(state.chance_outcomes()) == 44
    assert second == {frozenset(pair) for pair in game.deck()} - first
