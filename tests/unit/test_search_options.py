"""Options of `ismcts.search` beyond the default, on small trees whose answers are known, compiled and in Python."""

import math

import numpy as np
import pytest

from solver import agents, bakerstreet, ismcts, kuhn, scout
from solver.errors import ArgumentError, SearchError
from tests.unit.test_search import AGREE, BOTH, FINISH, PLAIN, TURN, Lottery, agree, first_turn, same


class Scored(Lottery):
    """A lottery whose prizes look as good as `scores` say; tickets are worth up to `noise`."""

    def __init__(self, prizes, scores, noise=1.0, ticket=0.0, chosen=None):
        super().__init__(prizes, ticket, chosen)
        self.scores, self.noise = scores, noise

    def clone(self):
        return Scored(self.prizes, self.scores, self.noise, self.ticket, self.chosen)

    def child(self, action):
        return Scored(self.prizes, self.scores, self.noise, self.ticket, action)

    def resample_from_infostate(self, player, uniform_01):
        return Scored(self.prizes, self.scores, self.noise, self.noise * uniform_01())

    def action_scores(self):
        return self.scores

    def policy_action(self, rng):
        return self.scores.index(max(self.scores))

    def estimated_returns(self):
        return self.returns()

    def horizon_clock(self):
        return 0


def visits_of(state, **options):
    return list(ismcts.search(state, seed=1, **options).actions["visits"])


# An exploration so great that pay-offs do not matter.
EXPLORING = {"selection": "puct", "exploration": 1e6}


def test_puct_explores_by_priors():
    """Where only the bound matters, visits are as the priors: e**score here, 1 : 2 : 3."""
    state = Scored([0.0, 0.0, 0.0], [0.0, math.log(2), math.log(3)])
    for visits, expected in zip(visits_of(state, iterations=600, **EXPLORING), (100, 200, 300), strict=True):
        assert abs(visits - expected) <= 2
    for visits in visits_of(state, iterations=600, temperature=1e9, **EXPLORING):
        assert abs(visits - 200) <= 2
    halved = visits_of(state, iterations=1400, temperature=0.5, **EXPLORING)  # 1 : 4 : 9
    for visits, expected in zip(halved, (100, 400, 900), strict=True):
        assert abs(visits - expected) <= 2


def test_puct_counts_what_a_game_does_not_score_as_the_best():
    state = Scored([0.0, 0.0, 0.0], [0.0, math.log(2), math.inf])
    for visits, expected in zip(visits_of(state, iterations=500, **EXPLORING), (100, 200, 200), strict=True):
        assert abs(visits - expected) <= 2
    state = Scored([0.0, 0.0], [math.inf, math.inf])
    for visits in visits_of(state, iterations=500, **EXPLORING):
        assert abs(visits - 250) <= 2


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("position", [first_turn(2), bakerstreet.parse(TURN)], ids=["scout", "bakerstreet"])
def test_puct_takes_the_scores_of_the_game(position, compiled):
    """The same law at the root of a card game."""
    temperature = 3.0
    scores = np.array(position.sample(1).action_scores())
    scores = np.minimum(scores, scores[np.isfinite(scores)].max())
    priors = np.exp((scores - scores.max()) / temperature)
    iterations = 5000 if compiled else 400
    plain = {**PLAIN, "belief": None, "rollout": "policy", "depth": 1}
    result = ismcts.search(
        position, iterations, seed=1, temperature=temperature, compiled=compiled, **{**plain, **EXPLORING}
    )
    assert np.abs(result.actions["visits"] - iterations * priors / priors.sum()).max() <= 3


def test_puct_finds_the_better_of_two_that_look_alike():
    state = Scored([0.0, 5.0, 1.0], [1.0, 1.0, 1.0])
    result = ismcts.search(state, iterations=500, seed=1, selection="puct")
    assert result.best == 1
    assert result.actions["visits"][1] > 400


@pytest.mark.parametrize(("first_play", "tried"), [(None, 8), (100.0, 8), (-100.0, 2)])
def test_first_play_urgency(first_play, tried):
    """Far below the mean nothing more is tried, once two were: until then all pay-offs were the same."""
    result = ismcts.search(Lottery([float(i) for i in range(8)]), iterations=300, seed=1, first_play=first_play)
    assert (result.actions["visits"] > 0).sum() == tried


@pytest.mark.parametrize("compiled", [True, False])
def test_first_play_urgency_in_a_card_game(compiled):
    position = first_turn(3)
    plain = {**PLAIN, "iterations": 300, "seed": 1, "compiled": compiled, "exploration": 0.0}
    everything = ismcts.search(position, first_play=100.0, **plain)
    assert (everything.actions["visits"] > 0).all()
    little = ismcts.search(position, first_play=-100.0, **plain)
    assert 2 <= (little.actions["visits"] > 0).sum() <= 3
    assert little.actions["visits"].sum() == 300


def test_first_play_at_the_mean_passes_over_what_is_worse():
    """Equal pay-offs say nothing, so all of these are tried; the first that differs ends it: here the 9, or a 1."""
    for prizes in ([1.0, 1.0, 1.0, 1.0, 9.0], [9.0, 1.0, 1.0, 1.0, 1.0]):
        result = ismcts.search(Scored(prizes, [0.0] * 5, 0.0), 300, seed=1, first_play=0.0, exploration=0.0)
        assert result.value == 9.0
        assert result.untried <= 3
        assert result.actions["visits"].max() >= 295


def test_halving_rules_the_root():
    """With a tree of one decision under halving the bound says nothing."""
    a = ismcts.search(first_turn(3), iterations=500, seed=1)
    b = ismcts.search(first_turn(3), iterations=500, seed=1, selection="puct", first_play=-1.0)
    assert same(a, b)


@pytest.mark.parametrize("line", [AGREE[1], AGREE[2], AGREE[5], BOTH])
@pytest.mark.parametrize(
    "options",
    [
        {"selection": "puct", "temperature": 2.0},
        {"selection": "puct", "widening": 3, "rollout": "policy", "first_play": -0.5},
        {"first_play": 0.5},
    ],
    ids=str,
)
def test_compiled_and_twin_agree_on_selection(line, options):
    agree(scout.parse(line), 60, 150, **{**PLAIN, **options})


def test_compiled_and_twin_agree_on_selection_in_baker_street():
    agree(bakerstreet.parse(TURN), 60, 150, selection="puct", temperature=5.0)


def test_settings_tell_the_selection():
    options = {"selection": "puct", "temperature": 2.5, "first_play": -1.0, "root": "ucb"}
    result = ismcts.search(scout.parse(FINISH), iterations=50, seed=1, **options)
    assert {name: result.settings[name] for name in options} == options
    plain = ismcts.search(scout.parse(FINISH), iterations=50, seed=1)
    assert (plain.settings["selection"], plain.settings["first_play"]) == ("ucb", None)
    assert "Infinity" not in plain.to_json()


def test_agents_take_the_options():
    agent = agents.make("ismcts:300,selection=puct,temperature=2,first_play=-0.5,root=ucb")
    assert dict(agent.options) == {"selection": "puct", "temperature": 2.0, "first_play": -0.5, "root": "ucb"}
    with pytest.raises(ArgumentError, match="temperature must be a number above 0"):
        agents.make("ismcts:300,temperature=0")


BAD = [
    ({"selection": "best"}, "selection must be one of ucb, puct, not 'best'"),
    ({"temperature": 0}, "temperature must be a number above 0, not 0"),
    ({"temperature": math.nan}, "temperature must be a finite number"),
    ({"first_play": math.inf}, "first_play must be a finite number"),
    ({"first_play": "late"}, "first_play must be a finite number"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_options_out_of_range(options, words):
    with pytest.raises(SearchError, match=words):
        ismcts.search(first_turn(3), **options)


def test_puct_needs_scores():
    with pytest.raises(SearchError, match="policy_action"):
        ismcts.search(kuhn.Game().new_initial_state().child(0).child(1), iterations=10, selection="puct")
