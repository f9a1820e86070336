"""The environments of PettingZoo, by its own compliance tests and ours."""

import pickle
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from solver import Rng, agents
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, MissingExtraError, PositionError

pettingzoo = pytest.importorskip("pettingzoo")
ours = pytest.importorskip("solver.adapters.pettingzoo")

from pettingzoo.test import api_test, max_cycles_test, render_test, seed_test  # noqa: E402
from pettingzoo.utils.conversions import aec_to_parallel  # noqa: E402
from pettingzoo.utils.wrappers import BaseWrapper  # noqa: E402

from solver.adapters.pettingzoo import bakerstreet_v0, scout_v0  # noqa: E402

# (environment, options): every rule and every shape of an observation
KINDS = [
    (scout_v0, {}),
    (scout_v0, {"players": 2, "rounds": "match"}),
    (scout_v0, {"players": 3, "rounds": 2, "payoff": "margin", "insertions_public": True}),
    (scout_v0, {"players": 5, "ranks": 6, "payoff": "win"}),
    (bakerstreet_v0, {}),
    (bakerstreet_v0, {"symbols": "none", "max_rounds": 2}),
]
EACH_KIND = pytest.mark.parametrize(("kind", "options"), KINDS, ids=lambda part: getattr(part, "name", None))

# `api_test` says this of every environment with masks that is not in a list of PettingZoo's own.
OF_ALL_WITH_MASKS = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros",  # which it is for an agent whose game is over
)


def play(env, choose):
    """Play a game to its end; the sums of rewards by agent."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        env.step(None if terminated or truncated else choose(agent, observation))
    return total


def any_legal(rng):
    return lambda agent, observation: int(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))


# PettingZoo's own tests


@EACH_KIND
@pytest.mark.parametrize("wrapped", [True, False])
def test_their_api_test(kind, options, wrapped):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for message in OF_ALL_WITH_MASKS:
            warnings.filterwarnings("ignore", message)
        make = kind.env if wrapped else kind.raw_env
        api_test(make(**options), num_cycles=300)
        api_test(make(max_cycles=2, **options), num_cycles=50)


@EACH_KIND
def test_their_seed_test(kind, options):
    seed_test(lambda: kind.env(**options), num_cycles=300)
    seed_test(lambda: kind.raw_env(**options), num_cycles=300)


@EACH_KIND
def test_their_render_test(kind, options, capsys):
    render_test(lambda render_mode: kind.env(render_mode=render_mode, **options))
    assert kind.name.partition("_")[0] in capsys.readouterr().out


class InCycles(BaseWrapper):
    """What `max_cycles_test` takes for granted: any action is legal, each agent acts once a cycle, all at once.

    Plays a legal action for each that is not, and no Scout & Show, which is two decisions of one seat.
    """

    def __init__(self, env):
        super().__init__(env)
        self.metadata = {**env.metadata, "is_parallelizable": True}
        for seat, agent in enumerate(env.possible_agents):
            env.action_space(agent).seed(seat)

    def step(self, action):
        if action is not None:
            mask = self.observe(self.agent_selection)["action_mask"]
            legal = [a for a in np.flatnonzero(mask).tolist() if self.game.decode(a)[0] != "scout_and_show"]
            action = legal[action % len(legal)]
        super().step(action)


@pytest.mark.parametrize("players", [3, 4, 5])
def test_their_max_cycles_test(players):
    def env(max_cycles):
        raw = scout_v0.raw_env(max_cycles=max_cycles, players=players)
        raw.reset(seed=5)
        return InCycles(raw)

    max_cycles_test(SimpleNamespace(env=env, parallel_env=lambda max_cycles: aec_to_parallel(env(max_cycles))))


# and ours


@EACH_KIND
def test_max_cycles(kind, options):
    env = kind.raw_env(max_cycles=3, **options)
    cut = 0
    for seed in range(8):
        env.reset(seed=seed)
        decisions = dict.fromkeys(env.possible_agents, 0)
        choose = any_legal(Rng(seed))

        def counted(agent, observation, choose=choose, decisions=decisions):
            decisions[agent] += 1
            return choose(agent, observation)

        total = play(env, counted)
        if not env._state.is_terminal():
            assert not any(total.values())
            assert max(decisions.values()) == 3
            cut += 1
    assert cut


@EACH_KIND
def test_observations(kind, options):
    """A mask of what is legal, all zeros for the others; the vector of the encoder, within its space."""
    env = kind.raw_env(**options)
    env.reset(seed=3)
    rng = Rng(3)
    for count, agent in enumerate(env.agent_iter(200)):
        if env.terminations[agent]:
            break
        position = env.position(agent)
        assert position.player == env.possible_agents.index(agent) == position.current_player()
        for other in env.agents:
            seen = env.observe(other)
            assert env.observation_space(other).contains(seen)
            legal = position.legal_actions() if other == agent else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
            assert seen["observation"].shape == (env.encoder.size,) == (len(env.encoder.names()),)
        assert count < 50 or env.observe(agent)["observation"].any()
        env.step(rng.choice(position.legal_actions()))


def leaks(env, seed):
    """How often an agent sees more than its position tells: other true states with the same position are put in."""
    found = 0
    env.reset(seed=seed)
    rng = Rng(seed)
    for agent in env.agent_iter(60):
        if env.terminations[agent]:
            break
        true = env._state
        for observer in env.agents:
            seen = env.observe(observer)
            env._state = env.position(observer).sample(rng)
            other = env.observe(observer)
            env._state = true
            found += any(not np.array_equal(seen[key], other[key]) for key in seen)
        env.step(rng.choice(true.legal_actions()))
    return found


@EACH_KIND
def test_no_agent_sees_what_is_hidden(kind, options):
    assert sum(leaks(kind.raw_env(**options), seed) for seed in range(6)) == 0


@EACH_KIND
def test_a_planted_leak_is_caught(kind, options, monkeypatch):
    env = kind.raw_env(**options)
    write = type(env.encoder).write

    def with_the_next_hand(self, views, state, player):
        write(self, views, state, player)
        if not state.is_terminal():
            views["hand"].flat[0] = hash(tuple(state.hand((player + 1) % self.players))) % 2

    monkeypatch.setattr(type(env.encoder), "write", with_the_next_hand)
    assert sum(leaks(env, seed) for seed in range(6)) > 0


@EACH_KIND
def test_rewards_are_the_returns(kind, options):
    for make in (kind.env, kind.raw_env):
        env = make(**options)
        env.reset(seed=4)
        total = play(env, any_legal(Rng(1)))
        returns = env.unwrapped._state.returns()
        assert list(total.values()) == returns
        assert env.agents == []


def test_a_seed_fixes_this_deal_and_those_after():
    def deals(seed):
        env = scout_v0.raw_env()
        env.reset(seed=seed)
        first = env.position("player_0")
        env.reset()
        return str(first), str(env.position("player_0"))

    assert deals(7) == deals(7)
    assert len({*deals(7), *deals(8), *deals(None), *deals(None)}) == 8


def test_an_illegal_action():
    env = scout_v0.raw_env()
    env.reset(seed=1)
    before = env.observe("player_0")
    with pytest.raises(IllegalActionError, match="cannot show here"):
        env.step(5)
    assert env.agent_selection == "player_0"
    assert all(np.array_equal(before[key], env.observe("player_0")[key]) for key in before)
    env.step(0)
    # in PettingZoo's wrappers it ends the game, and costs what the worst end costs
    env = scout_v0.env(payoff="margin")
    env.reset(seed=1)
    env.step(5)
    total = play(env, None)
    assert total == {"player_0": env.game.min_utility(), "player_1": 0, "player_2": 0, "player_3": 0}


def test_render(capsys):
    env = bakerstreet_v0.raw_env(render_mode="ansi", max_rounds=1)
    env.reset(seed=2)
    assert env.render() == env.position("player_0").pretty()
    play(env, any_legal(Rng(1)))
    assert env.render().startswith("bakerstreet(max_rounds=1)\nthe game is over\nseat 0 ")
    env = scout_v0.raw_env(render_mode="human")
    env.reset(seed=2)
    assert env.render() is None
    assert capsys.readouterr().out == env.position("player_0").pretty() + "\n\n"
    env = scout_v0.raw_env()
    env.reset(seed=2)
    with pytest.warns(UserWarning, match="without a render_mode"):
        assert env.render() is None
    env.close()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"render_mode": "rgb_array"}, ArgumentError, "render_mode must be one of human, ansi"),
        ({"max_cycles": 0}, ArgumentError, "max_cycles must be a whole number of at least 1, not 0"),
        ({"max_cycles": 2.5}, ArgumentError, "max_cycles"),
        ({"players": 6}, GameOptionError, "players must lie in"),
        ({"colour": "red"}, TypeError, "colour"),
    ],
)
def test_bad_arguments(arguments, error, words):
    for make in (scout_v0.env, scout_v0.raw_env):
        with pytest.raises(error, match=words):
            make(**arguments)


def test_bad_agents():
    env = bakerstreet_v0.raw_env()
    env.reset(seed=1)
    for ask in (env.observe, env.position, env.action_space, env.observation_space):
        with pytest.raises(ArgumentError, match="'player_2' is no agent; the agents are player_0, player_1"):
            ask("player_2")
    play(env, any_legal(Rng(1)))
    with pytest.raises(PositionError, match="the game is over"):
        env.position("player_0")


def test_names_and_versions():
    for kind in (scout_v0, bakerstreet_v0):
        assert str(kind.env()) == str(kind.raw_env()) == kind.raw_env().metadata["name"] == kind.name
        assert pickle.loads(pickle.dumps(kind)) == kind
        env = pickle.loads(pickle.dumps(kind.env()))
        env.reset(seed=1)
        assert env.num_agents == len(env.possible_agents)
    assert not hasattr(scout_v0, "parallel_env")


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
def test_the_registry():
    env = pettingzoo.make("aec", "solver/scout-v0", players=3)
    env.reset(seed=1)
    assert env.num_agents == 3
    assert str(pettingzoo.make("aec", "solver/bakerstreet-v0", render_mode="ansi")) == "bakerstreet_v0"


def test_an_agent_of_this_library_plays():
    env = scout_v0.env(players=2)
    rng = Rng(5)
    planning = agents.make("planning")

    def choose(agent, observation):
        if agent == "player_0":
            return planning.act(env.unwrapped.position(agent), rng)
        return any_legal(rng)(agent, observation)

    total = 0.0
    for seed in range(10):
        env.reset(seed=seed)
        rewards = play(env, choose)
        total += rewards["player_0"] - rewards["player_1"]
    assert total > 30


def test_without_the_extra():
    code = "import sys; sys.modules['pettingzoo'] = None; import solver; import solver.adapters.pettingzoo"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert MissingExtraError.__name__ in done.stderr
    assert "pip install 'cardsolver[pettingzoo]'" in done.stderr


def test_adapters_wait_until_they_are_needed():
    names = ("pyspiel", "pettingzoo", "gymnasium", "solver.adapters")
    code = f"import sys, solver; print([name for name in {names} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
