"""Compiled Baker Street equals the independent reference, move by move, in every setting."""

import itertools
from collections import Counter

import numpy as np
import pytest

from solver.games import bakerstreet
from tests.oracle.compare_bakerstreet import SETTINGS, Tally, compare_game

GAMES = 60


@pytest.mark.parametrize("text", SETTINGS)
def test_compiled_game_equals_reference(text):
    tally = Tally()
    game = bakerstreet.load(text)
    for seed in range(GAMES * 5):
        compare_game(game, seed, tally)
    assert tally.games == GAMES * 5
    for what in ("place", "bid", "doubt", "choose_pile", "take", "reshuffle", "bid of 30"):
        assert tally.seen[what] > 0 or (what == "reshuffle" and "max_rounds=6" in text), what
    if "arrow" in text:
        assert tally.seen["chain"] > 0
    if "max_rounds=6" in text:
        assert tally.seen["draw"] > 0
    else:
        assert tally.seen["seven in a row"] > 0


def test_sums_of_three_cards():
    """The table on the rules page: chance x 4060 of the sums 0..15 from a fresh deck."""
    expected = [10, 50, 100, 185, 275, 400, 485, 525, 525, 485, 400, 275, 185, 100, 50, 10]
    odds = bakerstreet.bid_odds([0, 0, 0], [5] * 6) * 4060
    assert np.allclose(odds[:16] - odds[1:17], expected)
    assert (odds[16:] == 0).all()


@pytest.mark.parametrize(
    ("hand", "unseen"),
    [
        ([0, 0, 0], [5, 5, 5, 5, 5, 5]),
        ([5, 4, 3], [5, 4, 3, 2, 1, 0]),
        ([1, 1], [0, 0, 0, 2, 0, 2]),
        ([5], [0, 0, 0, 0, 0, 2]),
        ([], [0, 0, 0, 0, 0, 0]),
        ([2, 2, 5], [30, 0, 0, 0, 0, 1]),
    ],
)
def test_bid_odds_against_enumeration(hand, unseen):
    cards = [value for value, count in enumerate(unseen) for _ in range(count)]
    draws = Counter(sum(draw) for draw in itertools.combinations(cards, min(3, len(cards))))
    total = sum(draws.values())
    odds = bakerstreet.bid_odds(hand, unseen)
    assert odds.shape == (31,)
    for bid in range(31):
        reached = sum(n for s, n in draws.items() if sum(hand) + s >= bid)
        assert odds[bid] == pytest.approx(reached / total, abs=1e-15)


@pytest.mark.parametrize("known", [[5], [1, 2], [0, 3, 4]])
def test_bid_odds_with_known_cards_against_enumeration(known):
    unseen = [3, 1, 2, 0, 4, 2]
    cards = [value for value, count in enumerate(unseen) for _ in range(count)]
    draws = Counter(sum(draw) for draw in itertools.combinations(cards, 3 - len(known)))
    odds = bakerstreet.bid_odds([2, 4, 1], unseen, known)
    for bid in range(31):
        reached = sum(n for s, n in draws.items() if 7 + sum(known) + s >= bid)
        assert odds[bid] == pytest.approx(reached / sum(draws.values()), abs=1e-15)
