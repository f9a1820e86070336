"""Who sits where, and the play of a deal: the jobs that `solver.arena` hands to an executor.

A job holds all that it needs, and what comes of a deal depends on game, agents, seed and the deal's
number alone. So any executor, and any number of workers, gives the same bits.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from solver import agents
from solver._core import Rng, whole, whole_in
from solver._protocol_checks import LONGEST, checked_outcomes, checked_returns, endless
from solver.errors import AgentError, ArgumentError, GameError
from solver.protocol import CHANCE_PLAYER
from solver.runs import Interrupt, flag

__all__ = ["Job", "Played", "begin", "play_deal", "points_of", "run", "seatings", "step"]

_PLAY, _ORDER = 1, 2  # words that tell the streams of a deal apart
_MOST_CHAIRS = 4096  # seats times agents: the tables of a deal grow with the square of it


class Played(NamedTuple):
    """What came of a table.

    Attributes
    ----------
    seats : tuple of int
        The number of the agent in each seat.
    points : tuple of float
        By seat.
    actions : tuple of int
        All that was played, chance's outcomes included.
    """

    seats: tuple[int, ...]
    points: tuple[float, ...]
    actions: tuple[int, ...]


class Stopped(Exception):  # noqa: N818 it is no error
    """The play of a deal was broken off."""


@dataclass(frozen=True)
class Job:
    """Some deals to play.

    Attributes
    ----------
    game : Game
    players : tuple
        Agents, or their names.
    seed : int
    alone : int or None
        How many of them, the first ones, sit alone at tables of each of the others; None if all mix.
    duplicate : bool
    deals : tuple of int
    """

    game: Any
    players: tuple[Any, ...]
    seed: int
    alone: int | None
    duplicate: bool
    deals: tuple[int, ...]


def seatings(
    seats: int, count: int, alone: int | None = None, duplicate: bool = True, deal: int = 0, seed: int = 0
) -> list[tuple[int, ...]]:
    """The tables of a deal: the number of the agent in each seat.

    Parameters
    ----------
    seats : int
        Of the game.
    count : int
        Of agents.
    alone : int, optional
        How many agents sit alone at tables of each of the others; None if all mix.
    duplicate : bool
        All tables; else one of them, another for each deal.
    deal, seed : int
        With three agents or more, who sits after whom is drawn for each deal.

    Returns
    -------
    list of tuple of int, each of length `seats`
        One agent: a table of it. `alone`: each of these agents once in every seat, all other seats by
        one of the others, for each of those. Two agents: that both ways. Of two seats: every pair both
        ways. Else every agent once takes the lead of a table that is filled with those who come next in
        the order, each such table in every rotation (with as many agents as seats, one such table).
    """
    numbers = []
    for name, value, least in (("seats", seats, 1), ("count", count, 1), ("deal", deal, 0), ("seed", seed, 0)):
        number: int | None = whole(value)
        if number is None or number < least:
            raise ArgumentError(f"{name} is a whole number of at least {least}, not {value!r}")
        numbers.append(number)
    seats, count, deal, seed = numbers
    if seats * count > _MOST_CHAIRS:
        raise ArgumentError(f"{count} agents in {seats} seats are more tables than fit: at most {_MOST_CHAIRS} in all")
    duplicate = flag("duplicate", duplicate)
    if alone is not None:
        first_ones: int | None = whole_in(alone, 1, count - 1)
        if first_ones is None:
            raise ArgumentError(f"alone is a whole number in 1..{count - 1}, not {alone!r}")
        alone = first_ones

    def rotations(line: Sequence[int]) -> list[tuple[int, ...]]:
        return [tuple(line[(seat - at) % seats] for seat in range(seats)) for at in range(seats)]

    tables: list[tuple[int, ...]] = []
    if alone is not None or count == 2:
        first, second = (range(alone), range(alone, count)) if alone is not None else (range(2), range(2))
        for one in first:
            for other in second:
                if one != other and not (alone is None and seats == 2 and one > other):
                    tables += rotations([one] + [other] * (seats - 1))
    elif count == 1:
        tables = [(0,) * seats]
    elif seats == 2:
        for one in range(count):
            for other in range(one):
                tables += rotations([other, one])
    else:
        order = list(range(count))
        Rng([deal, _ORDER, seed]).shuffle(order)
        for lead in range(1 if count == seats else count):
            tables += rotations([order[(lead + i) % count] for i in range(seats)])
    return tables if duplicate else [tables[deal % len(tables)]]


def begin(game: Any, deal: int, seed: int) -> tuple[Any, Rng | None]:
    """The deal of a number, and the stream of chance if chance has its own moves."""
    stream = np.random.SeedSequence([deal, seed])
    if callable(getattr(game, "deal", None)):
        return game.deal(seed=stream), None
    return game.new_initial_state(), Rng(stream)


def step(state: Any, chance: Rng | None, played: list[int]) -> bool:
    """Let chance decide until a seat does; whether one does."""
    while (player := state.current_player()) == CHANCE_PLAYER:
        outcomes = checked_outcomes(state.chance_outcomes())
        ends = np.cumsum([probability for _, probability in outcomes])
        assert chance is not None
        drawn = int(np.searchsorted(ends, chance.random() * ends[-1], side="right"))
        outcome = int(outcomes[min(drawn, len(outcomes) - 1)][0])
        state.apply_action(outcome)
        played.append(outcome)
        if len(played) > LONGEST:
            raise endless(type(state))
    if player < 0 and not state.is_terminal():
        raise ArgumentError("games with simultaneous moves cannot be played: convert them to turns first")
    return bool(player >= 0)


def points_of(state: Any) -> tuple[float, ...]:
    """Points by seat where the game counts them, else its pay-offs."""
    points = state.totals() if callable(getattr(state, "totals", None)) else state.returns()
    return tuple(checked_returns(points))


def fresh(agent: Any) -> Any:
    """The agent as it was given: what it remembers of one table is not to reach another."""
    plain = (str, int, float, bool, tuple, type(None))
    frozen = is_dataclass(agent) and getattr(agent, "__dataclass_params__").frozen  # noqa: B009 mypy knows it not
    if frozen and all(isinstance(getattr(agent, field.name), plain) for field in fields(agent)):
        return agent
    return copy.deepcopy(agent)


def play_deal(job: Job, deal: int, players: Sequence[Any], interrupt: Interrupt | None = None) -> tuple[Played, ...]:
    """Play a deal at all its tables.

    Parameters
    ----------
    job : Job
    deal : int
    players : sequence of Agent
        Those of the job, made.
    interrupt : Interrupt, optional
        Whether to break off; looked at before each action, and a decision under way is broken off.

    Raises
    ------
    AgentError
        If an agent fails, or plays what is not legal.
    Stopped
        If it was broken off.
    """
    seats = job.game.num_players()
    streams = np.random.SeedSequence([deal, _PLAY, job.seed]).spawn(seats)
    done = []
    for number, table in enumerate(seatings(seats, len(players), job.alone, job.duplicate, deal, job.seed)):
        # A seat has the same stream at every table: what chance gives the seat cancels as the cards do.
        rngs = [Rng(stream) for stream in streams]
        sitting = [fresh(players[who]) for who in table]
        state, chance = begin(job.game, deal, job.seed)
        views = [agents.needs_view(state, agent) for agent in sitting]
        actions: list[int] = []
        while (seat := state.current_player()) >= 0 or step(state, chance, actions):
            if seat < 0:
                seat = state.current_player()
            if interrupt is not None and interrupt.asked:
                raise Stopped
            seen = agents.View(job.game, state, seat) if views[seat] else state.position(seat)
            try:
                if interrupt is None:
                    action = sitting[seat].act(seen, rngs[seat])
                else:
                    action = _decided(sitting[seat], seen, rngs[seat], interrupt)
            except Stopped:
                raise
            except Exception as error:
                fault = f"failed: {type(error).__name__}: {error}"
                raise AgentError(fault, sitting[seat].name, deal, number, str(seen)) from error
            try:
                state.apply_action(_id(action))
            except ValueError as error:
                fault = f"played {action!r}, which is not legal: {error}"
                raise AgentError(fault, sitting[seat].name, deal, number, str(seen)) from error
            actions.append(int(action))
            if len(actions) > LONGEST:
                raise endless(job.game)
        points = points_of(state)
        if len(points) != seats:
            raise GameError(f"{job.game} pays {len(points)} seats, and has {seats}")
        done.append(Played(table, points, tuple(actions)))
    return tuple(done)


def _decided(agent: Any, seen: Any, rng: Rng, interrupt: Interrupt) -> Any:
    """What an agent plays; a long decision is broken off by Ctrl-C."""
    interrupt.raises = True
    try:
        return agent.act(seen, rng)
    except KeyboardInterrupt:
        interrupt.asked = True
        raise Stopped from None
    finally:
        interrupt.raises = False


def _id(action: Any) -> int:
    """An action as an int."""
    number: int | None = whole(action)
    if number is None:
        raise ValueError("an action is an int")
    return number


def run(job: Job) -> tuple[list[tuple[int, tuple[Played, ...]]], float]:
    """Play a job, in any process: (number, tables) of each deal, and the seconds that it took."""
    began = time.perf_counter()
    players = [agents.make(player) if isinstance(player, str) else player for player in job.players]
    return [(deal, play_deal(job, deal, players)) for deal in job.deals], time.perf_counter() - began
