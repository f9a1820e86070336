"""Perfect-information Monte Carlo: values that are known, the readable twin, options."""

import numpy as np
import pytest

from solver import _ismcts, _pimc, bakerstreet, games, kuhn, leduc, pimc, scout
from solver._core import Rng
from solver.errors import ArgumentError, SearchError

FINISH = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
# All hands are in sight.
OPEN = (
    "scout(players=3,insertions_public=true) | hand 4/1 4/3 1/2 6/3 2/4 | table 2/8 by 2 | cards 5 2 2 | chips 2 0 0 | "
    "score 8 10 8 | used 1 2 | known 1: 9/1@0 9/2@1 | known 2: 8/1@0 8/3@1"
)


def faced_with_a_bet(card=1):
    """Seat 1 of Kuhn poker with this card, after a bet; seat 0 has either of the others."""
    state = kuhn.Game().new_initial_state()
    for action in (0 if card else 1, card, 1):
        state.apply_action(action)
    return state


def row(result, action):
    return result.actions[result.actions["action"] == action][0]


def test_values_of_kuhn_poker_are_means_over_the_deals():
    """With the queen a fold loses 1 in each deal; a call wins 2 from the jack and loses 2 to the king."""
    result = pimc.search(faced_with_a_bet(), deals=400, iterations=20, seed=1)
    fold, call = row(result, 0), row(result, 1)
    assert (fold["value"], fold["stderr"]) == (-1, 0)
    assert abs(call["value"]) < 5 * call["stderr"]
    assert call["stderr"] == pytest.approx(2 / np.sqrt(400), rel=0.05)
    assert result.best == 1
    assert result.deals == 400
    assert result.actions["visits"].sum() == 400 * 20


def test_every_seat_sees_all_hands():
    """With the king a bet is never called, with the jack in sight by the queen: it wins 1, not 2."""
    state = kuhn.Game().new_initial_state()
    for action in (2, 0):
        state.apply_action(action)
    result = pimc.search(state, deals=50, iterations=200, seed=1)
    assert row(result, 1)["value"] == pytest.approx(1, abs=0.15)


def test_a_winning_action_is_found():
    position = scout.parse(FINISH)
    result = pimc.search(position, deals=20, seed=1)
    assert position.action_to_string(result.best) == "show 4-4-4"
    assert row(result, result.best)["value"] == 8
    assert list(result.actions["action"]) == position.legal_actions()


def test_where_all_is_known_it_is_plain_uct():
    """One deal fits: the mean over the deals is what a tree over it finds."""
    position = scout.parse(OPEN)
    result = pimc.search(position, deals=30, iterations=2000, seed=1)
    best = row(result, result.best)
    assert best["stderr"] < 0.1
    show = position.parse_action("show 4-4")
    # seat 1 shows its last cards, 9-9: 1 card taken, 3 left in hand, against 12 and 6
    assert row(result, show)["value"] <= best["value"] + 0.1


@pytest.mark.parametrize(
    "line", [FINISH, OPEN, "bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 9", "bakerstreet | hand 4 5 2s"]
)
def test_the_compiled_side_and_the_twin_agree(line):
    """Trees over one and the same deal: as often visited actions have the same values, but for chance."""
    position = games.parse(line)
    options = {"rollout": "random", "widening": 0, "belief": "uniform", "exploration": 0.7}
    compiled = pimc.search(position, deals=60, iterations=150, seed=1, **options)
    source, rng, plain = pimc._dealer(_NoRoot(position), 2, dict(options), None)
    means = {}
    for _ in range(30):
        tree = plain(rng)
        tree.run(150)
        for child in tree.children():
            means.setdefault(int(child["action"]), []).append(child["total"] / child["visits"])
    for action in np.argsort(-compiled.actions["visits"])[:3]:
        found = compiled.actions[action]
        values = means[int(found["action"])]
        if len(values) > 5:
            spread = np.hypot(found["stderr"], np.std(values, ddof=1) / np.sqrt(len(values)))
            assert abs(found["value"] - np.mean(values)) <= 5 * spread + 0.05
    assert source.legal_actions() == position.legal_actions()


class _NoRoot:
    """A position without its compiled side."""

    def __init__(self, position):
        self.position = position
        self.player = position.player

    def search_sample(self, *args):
        return self.position.search_sample(*args)

    def search_defaults(self):
        return self.position.search_defaults()

    def search_payoff(self, payoff=None):
        return self.position.search_payoff(payoff)

    def current_player(self):
        return self.position.current_player()

    def legal_actions(self):
        return self.position.legal_actions()


def test_an_open_deal_is_the_same_in_every_iteration():
    """The tree of one deal has no more children of a move than the deal allows."""
    position = bakerstreet.parse("bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 29")
    laid = _pimc.OpenDeal(position.search_root())
    rng = Rng(1)
    laid.draw(rng)
    tree = _ismcts.Tree(laid, rng, 100_000)
    tree.run(500)
    outline = tree.outline(1)
    # own action, then what the rival, whose hand is one, may do; no node is of chance
    assert (outline["action"] >= 0).all()
    with pytest.raises(TypeError):
        _pimc.OpenDeal(None)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_seed_fixes_the_result(players):
    position = scout.Game(players=players).deal(seed=players, turned=[False] * players).position(0)
    first, second = (pimc.search(position, deals=5, iterations=50, seed=3) for _ in range(2))
    assert first.best == second.best
    assert first.actions.tobytes() == second.actions.tobytes()
    assert first.actions.tobytes() != pimc.search(position, deals=5, iterations=50, seed=4).actions.tobytes()


def test_budgets():
    position = scout.parse(FINISH)
    assert pimc.search(position, seconds=1e-9, seed=1).deals == 1
    assert pimc.search(position, deals=3, seconds=1000, seed=1).deals == 3
    state = leduc.Game().new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    assert pimc.search(state, deals=3, iterations=30, seed=1).best in state.legal_actions()


def test_a_belief_in_python_and_its_faults():
    line = "bakerstreet | seat 1 | starter 1 | hand 4 5 0s | bids 12 14 | rounds 2 | log 0@2:? 1@4:C | look4 ABDFHMQ"
    position = bakerstreet.parse(line)
    asked = []

    def belief(owned, letters):
        asked.append(letters)
        return [1] * len(letters)

    assert pimc.search(position, deals=3, seed=1, belief=belief).deals == 3
    assert asked
    with pytest.raises(ZeroDivisionError):
        pimc.search(position, deals=3, seed=1, belief=lambda owned, letters: 1 / 0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "a budget is needed"),
        ({"deals": 0}, "deals must be a whole number"),
        ({"deals": 1.5}, "deals must be a whole number"),
        ({"seconds": -1}, "seconds must be a number above 0"),
        ({"deals": 1, "iterations": 0}, "iterations must be a whole number"),
        ({"deals": 1, "opponents": "tree"}, "there is no option opponents here"),
        ({"deals": 1, "widening": -1}, "widening must be"),
    ],
)
def test_bad_arguments_are_named(given, message):
    with pytest.raises(SearchError, match=message):
        pimc.search(scout.parse(FINISH), **given)
    with pytest.raises(SearchError):
        pimc.search(faced_with_a_bet(), deals=1, belief="uniform")
    with pytest.raises(ArgumentError):
        pimc.search(scout.parse(FINISH), deals=1, belief="nonsense")
