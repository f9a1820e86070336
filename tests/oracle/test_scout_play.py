"""Compiled play of SCOUT equals its readable twin."""

from collections import Counter

import numpy as np
import pytest

from solver import scout
from solver._core import Rng
from solver.errors import ArgumentError
from tests.reference import scout_play as twin


def played(players, games, **options):
    """States of games between planning and random play."""
    game = scout.Game(players=players, **options)
    for number in range(games):
        state = game.deal(seed=[players, number])
        rng = Rng([players, number, 1])
        while not state.is_terminal():
            yield state.clone()
            slips = rng.random() < 0.3
            position = state.position(state.current_player())
            state.apply_action(rng.choice(state.legal_actions()) if slips else position.planning_action(rng))


SETTINGS = [(2, {}), (3, {}), (4, {}), (5, {}), (3, {"ends_on_emptying_scout": False, "ranks": 6, "hand_size": 5})]


@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=str)
def test_worths_of_hands_and_moves(players, options):
    """At every decision of some games: each legal action, and that planning takes the best."""
    phases = Counter()
    endings = 0
    for i, state in enumerate(played(players, 5, **options)):
        position = state.position(state.current_player())
        worths = twin.action_worths(position)
        worth = twin.row_worth(players, [top for top, _ in position.hand])
        assert position.hand_worth() == pytest.approx(worth, abs=1e-3)
        assert state.action_scores() == pytest.approx(list(twin.put_back(position, worths).values()), abs=1e-3)
        chosen = position.planning_action(i)
        assert chosen in twin.best_actions(worths)
        phases[position.phase] += 1
        endings += state.child(chosen).is_terminal()
    assert phases["turn"] >= 20
    assert phases["choose"] == 5 * players
    assert endings > 0


def test_planning_knows_no_more_than_its_seat():
    """The same action whatever lies hidden: other hands."""
    for i, state in enumerate(played(4, 6)):
        seat = state.current_player()
        one, other = (state.position(seat).sample([i, k]) for k in range(2))
        assert one.policy_action([i, 5]) == other.policy_action([i, 5])
        assert one.action_scores() == other.action_scores()
        assert state.position(seat).planning_action(i) == one.position(seat).planning_action(i)


def test_the_policy_is_planning():
    """Of a State with all that is hidden, and of the Position of the seat to move; ties by the same draw."""
    for i, state in enumerate(played(4, 3)):
        assert state.policy_action([7, i]) == state.position(state.current_player()).planning_action([7, i])


def test_planned_games_are_played_from_positions():
    game = scout.Game(players=3)
    result = game.playouts(400, seed=4, policy="planning")
    scores, decisions = [], 0
    for seed in range(400):
        state = game.deal(seed=[9, seed])
        rng = Rng([9, seed, 1])
        while not state.is_terminal():
            state.apply_action(state.position(state.current_player()).planning_action(rng))
            decisions += 1
        scores.append(state.returns())
    assert abs(result.decisions / decisions - 1) < 0.1
    error = np.std(scores, axis=0) / 20
    assert (np.abs(np.mean(scores, axis=0) - result.mean_returns) < 4 * 2**0.5 * error).all()
    assert sum(result.terminations.values()) == 400


def features(state, players, seat):
    """As `Game.value_samples` says, from what the state tells."""
    others = [len(state.hand(q)) for q in range(players) if q != seat]
    mine = state.owner() == seat
    scouts = (state.current_player() - seat - 1) % players if mine and players > 2 else 0
    worth = twin.row_worth(players, [top for top, _ in state.hand(seat)])
    chip = state.scout_and_show_left()[seat]
    away = (state.current_player() - seat) % players
    return [worth, len(state.hand(seat)), min(others), mine, len(state.active_set()) if mine else 0, scouts, chip, away]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_estimate(players):
    """Scores so far, and a linear function of what a seat has and of the means of the others."""
    constants = scout.Game(players=players).value_constants
    states = [s for s in played(players, 1) if s.phase == "turn"]
    for state in states[3:12]:
        all_features = np.array([features(state, players, q) for q in range(players)], float)
        others = (all_features.sum(axis=0) - all_features) / (players - 1)
        later = constants[0] + all_features @ constants[1:9] + others @ constants[9:]
        so_far = [state.scores()[q] + len(state.hand(q)) for q in range(players)]
        assert state.estimated_returns() == pytest.approx(so_far + later, abs=1e-3)


@pytest.mark.parametrize("players", [2, 4])
def test_value_samples(players):
    """What the rest of the round brings, as the estimate has it: unbiased, and closer than the mean."""
    game = scout.Game(players=players)
    found, later = game.value_samples(4000, seed=3)
    assert found.shape == (4000, players, 8)
    assert later.shape == (4000, players)
    others = (found.sum(axis=1, keepdims=True) - found) / (players - 1)
    inputs = np.concatenate([np.ones((4000, players, 1)), found, others], axis=2)
    error = later - inputs @ game.value_constants
    assert abs(error.mean()) < 0.2
    assert error.var() < 0.85 * later.var()
    assert (found == game.value_samples(4000, seed=3)[0]).all()
    assert ((found[:, :, 3].sum(axis=1) <= 1) & (found[:, :, 7].min(axis=1) == 0)).all()
    with pytest.raises(ValueError, match="rounds must be 1"):
        scout.Game(players=players, rounds=2).value_samples(10)
    with pytest.raises(ValueError, match="deals must be"):
        game.value_samples(0)


def test_belief_by_play():
    """Hidden cards mostly the better way round, scouted cards where they serve, and everything that is public."""
    state = [s for s in played(4, 3) if s.phase == "turn" and s.position(s.current_player()).known][-1]
    seat = state.current_player()
    position = state.position(seat)
    rival = next(q for q in range(4) if q != seat and position.known.get(q) and len(state.hand(q)) > 3)
    better = {None: [], "play": []}
    for belief in better:
        for k in range(300):
            sample = position.search_sample(k, belief=belief)
            assert sample.position(seat) == position
            hand = sample.hand(rival)
            tops, bottoms = [a for a, _ in hand], [b for _, b in hand]
            better[belief].append(twin.row_worth(4, tops) - twin.row_worth(4, bottoms))
    assert np.mean(better["play"]) > np.mean(better[None]) + 1
    with pytest.raises(ValueError, match="belief must be"):
        position.search_sample(1, belief="worth")


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_contest_of_constants(players):
    """The tuned constants against themselves come to nothing on each deal; against flat ones they win."""
    game = scout.Game(players=players)
    assert game.planning_constants.tolist() == list(twin.constants(players))
    assert game.planning_contest(None, None, 50, seed=1) == pytest.approx(np.zeros(50), abs=1e-12)
    own = game.planning_contest(game.planning_constants, None, 50, seed=1)
    assert own == pytest.approx(np.zeros(50), abs=1e-12)
    flat = game.planning_constants
    flat[:12] = -1
    margins = game.planning_contest(None, flat, 400, seed=1)
    assert margins.shape == (400,)
    assert margins.mean() > 4 * margins.std() / 20
    assert (margins == game.planning_contest(None, flat, 400, seed=1)).all()
    assert game.planning_contest(flat, None, 400, seed=1).mean() < 0


def test_contest_margins_are_of_whole_points():
    """The mean over three seats of own score less the mean of two others: whole sixths."""
    game = scout.Game(players=3)
    flat = game.planning_constants
    flat[:12] = -1
    single = game.planning_contest(flat, None, 200, seed=5)
    assert np.abs(single).max() < 60
    assert single.any()
    assert 6 * single == pytest.approx(np.round(6 * single))


@pytest.mark.parametrize("constants", [[1.0] * 26, "many", [1000.0] * 27, [float("nan")] * 27, [[1.0] * 27]])
def test_contest_refuses_other_constants(constants):
    with pytest.raises(ArgumentError, match="27 numbers"):
        scout.Game(players=3).planning_contest(constants)
    with pytest.raises(ArgumentError, match="deals"):
        scout.Game(players=3).planning_contest(None, deals=0)
