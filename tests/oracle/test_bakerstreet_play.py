"""Compiled play of Baker Street equals its readable twin."""

import math
from collections import Counter

import pytest

from solver import bakerstreet
from solver._core import Rng
from tests.property.test_bakerstreet_positions import read, states
from tests.reference import bakerstreet_play as twin

HALF_PLAYED = list(states(31, 12, doubting=0.5))
SYMBOLS = list(states(32, 6, doubting=0.5, symbols="3arrow+3arrow+4x2+4x2+5stop+0stop", max_rounds=40))


def unaccounted(position):
    """Letters that lie in no known place: all, less those of looks and of takes seen through."""
    fields = read(position)
    me = position.player
    known = Counter("".join(fields.looks.values())) + Counter(w.letters for w in fields.log if w.seat == me)
    for _, letters in {(w.pile, w.letters) for w in fields.log if w.seat != me and w.letters not in ("", "?", "-")}:
        known += Counter(letters)
    return fields.log, "".join(sorted((Counter(twin.ALPHABET * 2) - known).elements()))


@pytest.mark.parametrize("played", [HALF_PLAYED, SYMBOLS], ids=["default", "symbols"])
def test_planning(played):
    """At every decision of random games; drawn among equals."""
    phases = Counter()
    several = 0
    for i, state in enumerate(played):
        position = state.position(state.current_player())
        best = twin.planning(position, *unaccounted(position))
        actions = {position.planning_action([i, k]) for k in range(3)}
        assert actions <= best
        several += len(actions) > 1
        phases[position.phase] += 1
    assert min(phases[phase] for phase in ("turn", "bid", "choose_pile", "take")) >= 30
    assert several > 10


def test_placement_by_pips():
    """The plain sum of the margins: an X2 on the greatest own pile, against what tanh would choose."""
    line = "bakerstreet | hand 0 0 2x | stack3 1:5 0:5 0:5 0:4 | stack1 1:1"
    position = bakerstreet.parse(line)
    assert position.action_to_string(position.planning_action(1, placement="pips")) == "place 2 x2 on 3"
    # margin 14 - 5 at pile 3 is as good as won; pile 1 is not
    assert position.action_to_string(position.planning_action(1)) == "place 2 x2 on 1"


def test_scores_order_placements_piles_and_letters():
    """Gains of the twin; bids and the doubt are not to be held back."""
    for state in HALF_PLAYED[::3]:
        position = state.position(state.current_player())
        scores = dict(zip(state.legal_actions(), state.action_scores(), strict=True))
        worths = [twin.pile_worth(position, *unaccounted(position), pile) for pile in range(5)]
        if position.phase == "turn":
            gains = twin.placement_gains(position, worths)
            places = [action for action in scores if action != state.game.doubt]
            assert [scores[action] for action in places] == pytest.approx([gains[action] for action in places])
            assert scores.get(state.game.doubt, math.inf) == math.inf
        elif position.phase == "bid":
            assert set(scores.values()) == {math.inf}
        elif position.phase == "choose_pile":
            chains = [twin.chain_worth(position, worths, pile) for pile in range(5)]
            assert list(scores.values()) == pytest.approx(chains)
        else:
            own = position.evidence
            assert scores == {a: twin.evidence_worth(own + state.game.decode(a)[1]) for a in scores}


def test_estimate():
    for state in HALF_PLAYED[::5]:
        mine, theirs = state.estimated_returns()
        assert mine == pytest.approx(twin.estimate(state), abs=1e-12)
        assert theirs == -mine
    state = state.clone()
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[-1])
    assert state.estimated_returns() == state.returns()


def test_rollout_policy_knows_no_more_than_its_seat():
    """The same action, to the bit, whatever lies hidden from the seat to decide: its rival's hand and both decks."""
    differ = 0
    for i, state in enumerate(HALF_PLAYED):
        seat = state.current_player()
        one, other = (state.position(seat).sample([i, k]) for k in range(2))
        differ += other.hand(1 - seat) != one.hand(1 - seat)
        for k in range(4):
            assert other.policy_action([i, k]) == one.policy_action([i, k])
    assert differ > 500


def test_rollout_policy_doubts_by_the_expected_sum():
    """The rival's three cards are 5s (expected 15): 20 is no lie, 21 is; between them it is chance."""
    line = (
        "bakerstreet(symbols=none) | starter 1 | hand 2 2 1 | bids {} | "
        "discards1 0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4"
    )
    for bid, lowest, highest in ((5, 0, 0), (18, 0, 2), (20, 10, 50), (21, 150, 195), (23, 200, 200)):
        state = bakerstreet.parse(line.format(bid)).sample(1)
        doubts = sum(state.policy_action([5, k]) == state.game.doubt for k in range(200))
        assert lowest <= doubts <= highest, bid


def test_planned_games_are_played_from_positions():
    """`playouts` with the planning policy plays what agents play from positions, decision by decision."""
    game = bakerstreet.Game()
    result = game.playouts(300, seed=4, policy="planning")
    decisions = 0
    wins = [0, 0, 0]
    for seed in range(300):
        state = game.deal(seed=[9, seed])
        rng = Rng([9, seed, 1])
        while not state.is_terminal():
            state.apply_action(state.position(state.current_player()).planning_action(rng))
            decisions += 1
        wins[2 if state.winner() is None else state.winner()] += 1
    assert abs(result.decisions / decisions - 1) < 0.1
    assert abs(result.terminations["seat 0"] - wins[0]) < 4 * math.sqrt(150)
    assert sum(result.terminations.values()) == 300
