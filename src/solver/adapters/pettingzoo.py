"""PettingZoo environments of SCOUT and Baker Street, for reinforcement learning.

>>> from solver.adapters.pettingzoo import scout_v0
>>> env = scout_v0.env(players=3)
>>> env.reset(seed=7)
>>> observation, reward, termination, truncation, info = env.last()
>>> observation["observation"].shape, int(observation["action_mask"].sum())
((1075,), 2)

`scout_v0` and `bakerstreet_v0` have `env` and `raw_env`, as the modules of PettingZoo's own environments have. There is
no `parallel_env`: seats move in turn, and each sees the moves before its own. The number after the v rises when a rule,
an action id, the observation or a reward changes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from solver._core import Rng, whole
from solver._extras import extra
from solver.adapters import features
from solver.errors import ArgumentError
from solver.games import bakerstreet, scout

__all__ = ["Environment", "RawEnv", "bakerstreet_v0", "scout_v0"]

_pettingzoo: Any = extra("pettingzoo", "pettingzoo")
_wrappers: Any = extra("pettingzoo.utils.wrappers", "pettingzoo")
_spaces: Any = extra("gymnasium.spaces", "pettingzoo")
_logger: Any = extra("gymnasium.logger", "pettingzoo")

RENDER_MODES = ("human", "ansi")


class RawEnv(_pettingzoo.AECEnv):  # type: ignore[misc]
    """A game as an AEC environment. Made by `Environment.raw_env` and, in wrappers, `Environment.env`.

    Agents are ``player_0``, ``player_1`` and so on, by seat; ``player_0`` starts. Rewards are 0 until the end, and then
    the pay-off of `game` (`State.returns`). An observation is a dictionary:

    - ``observation``: float32, what the seat knows as `solver.adapters.features` writes it; nothing that is hidden.
    - ``action_mask``: int8, 1 at each legal action; all 0 where the seat is not to decide.

    Parameters
    ----------
    game : Game
        SCOUT or Baker Street.
    name : str
        Of the environment, with its version.
    render_mode : {"human", "ansi"}, optional
        "ansi": `render` gives a text, the position as the seat to decide knows it. "human": it prints it.
    max_cycles : int, optional
        Truncate the game when a seat is to decide that has decided so often, at least 1; rewards are then 0.

    Attributes
    ----------
    game : Game
    encoder : solver.adapters.features.Encoder
        `encoder.names()` says what each number of an observation is.

    Raises
    ------
    ArgumentError
        If `render_mode` or `max_cycles` is another.
    """

    def __init__(self, game: Any, name: str, render_mode: str | None = None, max_cycles: int | None = None) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise ArgumentError(f"render_mode must be one of {', '.join(RENDER_MODES)}, or None, not {render_mode!r}")
        cycles = None if max_cycles is None else whole(max_cycles)
        if max_cycles is not None and (cycles is None or cycles < 1):
            raise ArgumentError(f"max_cycles must be a whole number of at least 1, not {max_cycles!r}")
        self.game = game
        self.encoder = features.of(game)
        self.metadata = {"name": name, "render_modes": list(RENDER_MODES), "is_parallelizable": False}
        self.render_mode = render_mode
        self.max_cycles = cycles
        self.possible_agents = [f"player_{seat}" for seat in range(game.num_players())]
        self.agents: list[str] = []
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._rng: Rng | None = None
        actions = game.num_distinct_actions()
        # one space for each agent, since each has random numbers of its own
        self.action_spaces = {agent: _spaces.Discrete(actions) for agent in self.possible_agents}
        self.observation_spaces = {
            agent: _spaces.Dict(
                {
                    "observation": _spaces.Box(self.encoder.low, np.ones_like(self.encoder.low), dtype=np.float32),
                    "action_mask": _spaces.Box(0, 1, (actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Any:
        """A dictionary of two boxes, ``observation`` and ``action_mask``; always the same object."""
        return self.observation_spaces[self._agent(agent)]

    def action_space(self, agent: str) -> Any:
        """Action ids of the game; always the same object. ``action_space(agent).sample(mask)`` draws a legal one."""
        return self.action_spaces[self._agent(agent)]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.

        Parameters
        ----------
        seed : int, optional
            Of this deal and of all after it that are given none. Without any, the deals are new in each process.
        options : dict, optional
            Of PettingZoo's interface; there are none, and what is there counts for nothing.
        """
        if seed is not None or self._rng is None:
            self._rng = Rng(seed)
        self._state = self.game.deal(seed=self._rng)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._decided = dict.fromkeys(self.agents, 0)
        self._skip_agent_selection: str | None = None
        self.agent_selection = self.possible_agents[self._state.current_player()]

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent knows now.

        Raises
        ------
        ArgumentError
            If there is no such agent.
        """
        seat = self._seats[self._agent(agent)]
        mask = np.zeros(self.game.num_distinct_actions(), np.int8)
        if agent == self.agent_selection and not (self.terminations.get(agent) or self.truncations.get(agent)):
            mask[self._state.legal_actions(seat)] = 1
        return {"observation": self.encoder.encode(self._state, seat), "action_mask": mask}

    def position(self, agent: str) -> Any:
        """What an agent knows, as the agents and the search of this library take it.

        Returns
        -------
        Position

        Raises
        ------
        ArgumentError
            If there is no such agent.
        PositionError
            If the game is over.
        """
        return self._state.position(self._seats[self._agent(agent)])

    def step(self, action: int | None) -> None:
        """Play an action of the agent selected; None once it is terminated or truncated.

        Raises
        ------
        IllegalActionError
            If the action is not legal; nothing has changed then.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._state.apply_action(action)
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._decided[agent] += 1
        if self._state.is_terminal():
            self.rewards = dict(zip(self.agents, self._state.returns(), strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[self._state.current_player()]
            if self._decided[self.agent_selection] == self.max_cycles:
                self.truncations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()

    def render(self) -> str | None:
        """Show the game as the seat to decide knows it; at the end, the pay-offs.

        Returns
        -------
        str or None
            The text if `render_mode` is "ansi".
        """
        if self.render_mode is None:
            _logger.warn("render does nothing without a render_mode, which is given when the environment is made")
            return None
        if self._state.is_terminal():
            lines = [f"seat {seat} {payoff:+g}" for seat, payoff in enumerate(self._state.returns())]
            text = "\n".join([str(self.game), "the game is over", *lines])
        else:
            text = str(self.position(self.possible_agents[self._state.current_player()]).pretty())
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(f"{text}\n\n")
        return None

    def close(self) -> None:
        """Nothing: there is no window."""

    def _agent(self, agent: str) -> str:
        if agent not in self._seats:
            raise ArgumentError(f"{agent!r} is no agent; the agents are {', '.join(self.possible_agents)}")
        return agent


@dataclass(frozen=True)
class Environment:
    """What makes environments of one kind; stands where PettingZoo has a module.

    Parameters
    ----------
    name : str
    make : callable
        The game of options.
    """

    name: str
    make: Callable[..., Any]

    def raw_env(self, render_mode: str | None = None, max_cycles: int | None = None, **options: Any) -> RawEnv:
        """An environment; an illegal action raises an error and changes nothing.

        Parameters
        ----------
        render_mode, max_cycles
            See `RawEnv`.
        **options
            Options of the game, such as ``players=3``.

        Raises
        ------
        GameOptionError
            If an option of the game is out of range.
        ArgumentError
            If another argument is.
        TypeError
            If the game has no such option.
        """
        return RawEnv(self.make(**options), self.name, render_mode, max_cycles)

    def env(self, render_mode: str | None = None, max_cycles: int | None = None, **options: Any) -> Any:
        """An environment in PettingZoo's wrappers; arguments and errors as for `raw_env`.

        They check the order of calls, and an illegal action ends the game: who played it gets the least pay-off that
        the game has, the others get 0.

        Returns
        -------
        pettingzoo.AECEnv
        """
        raw = self.raw_env(render_mode, max_cycles, **options)
        result = _wrappers.TerminateIllegalWrapper(raw, illegal_reward=raw.game.min_utility())
        result = _wrappers.AssertOutOfBoundsWrapper(result)
        return _wrappers.OrderEnforcingWrapper(result)


scout_v0 = Environment("scout_v0", scout.Game)
bakerstreet_v0 = Environment("bakerstreet_v0", bakerstreet.Game)

if hasattr(_pettingzoo, "register"):  # since 1.27
    for _made in (scout_v0, bakerstreet_v0):
        _id = f"solver/{_made.name.replace('_', '-')}"
        if _id not in _pettingzoo.aec_registry:
            _pettingzoo.register("aec", _id, _made.env)
