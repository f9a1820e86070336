"""What is asked of a state where no seat decides: at the end, and where chance does."""

import pytest

from solver import games
from solver._core import Rng
from solver.errors import IllegalActionError

CARD_GAMES = ["scout(players=2)", "scout(players=4)", "bakerstreet"]
ASKED = {
    "scores": lambda state: state.action_scores(),
    "policy": lambda state: state.policy_action(Rng(1)),
}


def ended(text):
    state = games.load(text).deal(seed=1)
    rng = Rng(1)
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
    return state


@pytest.mark.parametrize("ask", ASKED)
@pytest.mark.parametrize("text", CARD_GAMES)
def test_nobody_decides_at_the_end_or_where_chance_does(text, ask):
    for state in (ended(text), games.load(text).new_initial_state()):
        with pytest.raises(IllegalActionError, match="no seat is to decide here"):
            ASKED[ask](state)


@pytest.mark.parametrize("text", CARD_GAMES)
def test_words_of_chance_are_those_of_its_outcomes(text):
    """Each outcome has words of its own; the numbers beside them are refused."""
    state = games.load(text).new_initial_state()
    phases = 0
    rng = Rng(2)
    while phases < 60 and not state.is_terminal():
        if state.is_chance_node():
            phases += 1
            outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            words = [state.action_to_string(-1, outcome) for outcome in outcomes]
            assert len(set(words)) == len(words)
            for wrong in (-1, 10_000):
                with pytest.raises(IllegalActionError):
                    state.action_to_string(-1, wrong)
            state = state.child(rng.choice(outcomes))
        else:
            state = state.child(rng.choice(state.legal_actions()))
    assert phases > 20
