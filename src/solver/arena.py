"""Agents against each other on duplicate deals: `play`, and `replay` of what a record has.

Used by the command `solver arena`, by benchmarks and by experiments. Each deal is played at several
tables, the agents in other seats at each, so that the luck of the deal cancels. docs/arena.md is the guide.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import closing, nullcontext
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from solver import agents as agents_
from solver import frames, games, stats
from solver._arena_record import Record, read
from solver._arena_tables import Job, Played, Stopped, begin, play_deal, points_of, run, seatings, step
from solver._core import listed, whole
from solver._policy_games import describe
from solver._protocol_checks import checked_players, names_nonsense
from solver._version import __version__
from solver.errors import ArgumentError, RecordError
from solver.executors import in_order
from solver.runs import Interrupt, flag, positive
from solver.standing import Pair, Row, Standing, Tally

__all__ = ["Pair", "Played", "Row", "Standing", "play", "replay", "seatings", "table"]

_LEAST_JOB = 0.1  # seconds; below, a job takes several deals
_LONGEST_JOB = 256  # deals
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")  # in a repr

_Deals = Generator[tuple[int, tuple[Played, ...]], None, None]


@names_nonsense
def play(
    game: Any,
    agents: Sequence[Any],
    deals: int = 200,
    seed: int = 0,
    duplicate: bool = True,
    executor: Executor | None = None,
    *,
    against: Sequence[Any] | None = None,
    record: str | os.PathLike[str] | None = None,
    half_width: float | None = None,
    decide: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Standing:
    """Play agents against each other.

    Parameters
    ----------
    game : Game or str
        Any game of ours or of `solver.protocol`, or its game string.
    agents : sequence of Agent or str
        Players, or their names for `agents.make`. One is played against itself.
    deals : int
        How many deals, at most.
    seed : int
        Fixes every bit of the result, whatever the executor. Budgets in seconds do not.
    duplicate : bool
        Whether each deal is played at all tables of its schedule (see Notes), or at one of them in turn.
    executor : concurrent.futures.Executor, optional
        Where to play: a pool of processes or threads, Dask's. By default here, in this thread.
    against : sequence of Agent or str, optional
        Opponents: each of `agents` then sits alone, in every seat, at tables of each of these.
    record : path-like, optional
        File to write each finished deal to, and to go on from if it is there.
    half_width : float, optional
        Stop once the mean margin of every agent is known to +- this, at the 95 % level.
    decide : bool
        Stop once the first agent's mean margin is known to be above or below 0, at the 95 % level.
    progress : callable, optional
        Called with the deals finished and `deals`.

    Returns
    -------
    Standing
        Rows in the order given, those of `against` last. After Ctrl-C, of the deals finished by then.

    Raises
    ------
    ArgumentError
        If an argument is out of its range or names no agent.
    AgentError
        If an agent fails or plays what is not legal; names agent, deal, table and position.
    GameError
        If the game does not have 1 to 127 seats.
    RecordError
        If the record is damaged, or of another game, rules, agents, seed, schedule or version.
    OSError
        If the record cannot be read or written.

    Notes
    -----
    Tables of a deal with n seats (`seatings`): two agents: each alone in every seat, all others by the
    other (n = 2: both ways). n agents: every rotation of an order that is drawn for each deal. More
    agents than seats: with two seats every pair both ways; else as many tables as agents, of neighbours
    in that order, in every rotation. Three agents or more, but fewer than seats: tables filled in turn.

    A seat draws from the same stream of chance at every table of a deal, so that this luck cancels too;
    agents that keep notes are copied afresh for every table. Agents given in another order have the same
    results.

    Looking after every deal is paid for: with `half_width` or `decide` the intervals of the margins are
    confidence sequences (`stats.confidence_width`).

    Examples
    --------
    >>> standing = play("scout(players=3)", ["planning", "greedy"], deals=20)
    >>> standing[0].mean > 0, standing[0].games
    (True, 120)
    """
    game = games.load(game) if isinstance(game, str) else game
    names, job = _job(game, agents, against, seed, duplicate)
    order, made, job = _canonical(job)
    if executor is not None and (person := next((player for player in made if getattr(player, "here", False)), None)):
        raise ArgumentError(f"{person.name} plays in this process only: with one worker, without an executor")
    most: int | None = whole(deals)
    if most is None or most < 1:
        raise ArgumentError(f"deals is a whole number of at least 1, not {deals!r}")
    deals = most
    positive("half_width", half_width, float)
    decide = flag("decide", decide)
    for name, given, method in (("executor", executor, "submit"), ("progress", progress, "__call__")):
        if given is not None and not callable(getattr(given, method, None)):
            raise ArgumentError(f"{name} has a method {method}, which {given!r} has not")
    settings = _settings(job, made)
    seats = checked_players(game)
    tally = Tally(len(made), seats, scaled=not _has_points(game))
    rule = _Rule(tally, order[0], half_width, decide)
    stopped = "deals"
    began = time.perf_counter()
    with Interrupt() as interrupt, Record(record, settings) if record is not None else nullcontext() as log:
        try:
            done = 0
            import_module("scipy.special")  # for the intervals: now, not while somebody waits after Ctrl-C
            for tables in log or ():
                if done == deals or rule.stop:
                    break
                if [table.seats for table in tables] != seatings(
                    seats, len(made), job.alone, job.duplicate, done, job.seed
                ):
                    raise RecordError(f"{record}: deal {done} is of other tables than are played")
                done += 1
                rule.add(tables)
            if not rule.stop and done < deals:
                if executor is None:
                    source = _here(job, range(done, deals), made, interrupt)
                else:
                    source = _there(executor, job, range(done, deals), interrupt)
                with closing(source):
                    for deal, tables in source:
                        if log is not None:
                            log.append(deal, tables)
                        done += 1
                        rule.add(tables)
                        if progress is not None:
                            progress(done, deals)
                        if rule.stop:
                            break
        except KeyboardInterrupt:
            interrupt.asked = True
    if rule.stop:
        stopped = rule.stop
    elif len(tally.rows) < deals:
        stopped = "interrupted"
        if not tally.rows:
            raise KeyboardInterrupt
    return tally.standing(
        names,
        order,
        sequential=half_width is not None or decide,
        settings={**settings, "deals": int(deals), "half_width": half_width, "decide": decide},
        stopped=stopped,
        seconds=time.perf_counter() - began,
    )


def replay(
    record: str | os.PathLike[str],
    deal: int,
    *,
    rerun: bool = False,
    agents: Sequence[Any] | None = None,
    against: Sequence[Any] | None = None,
    game: Any = None,
) -> list[Played]:
    """Play a recorded deal again, and check that the same comes of it.

    Parameters
    ----------
    record : path-like
    deal : int
        Its number.
    rerun : bool
        Have the agents play too, and compare what they play. Agents with a budget in seconds may
        play otherwise.
    agents, against : sequence of Agent or str, optional
        The agents, as `play` was given them; needed for `rerun` where `agents.make` does not make them.
    game : Game, optional
        The game, if it is none of ours.

    Returns
    -------
    list of Played
        Seats (numbers of agents in the order of the record), points and actions of each table.

    Raises
    ------
    RecordError
        If the record lacks the deal or is damaged, or something else comes of the deal.
    ArgumentError
        If the game or the agents are needed and not given.
    """
    settings, recorded, _ = read(record)
    if not settings:
        raise RecordError(f"{record} has no whole line")
    number: int | None = whole(deal)
    if number is None or not 0 <= number < len(recorded):
        raise RecordError(f"{record} has {len(recorded)} deals, 0 to {len(recorded) - 1}: none is {deal!r}")
    name = settings["game"]
    if game is None:
        if name.partition("(")[0] not in games.NAMES:
            raise ArgumentError(f"{record} is of {name}, which is no game of ours: give the game")
        game = games.load(name)
    if describe(game) != {"game": name, "rules": settings["rules"]}:
        raise RecordError(f"{record} is of {name} with rules {settings['rules']}, not of {describe(game)}")
    for table, played in enumerate(recorded[number]):
        _again(game, played, number, settings["seed"], f"{record}: deal {number}, table {table}")
    if flag("rerun", rerun):
        given = [player[0] for player in settings["agents"]] if agents is None else list(agents)
        alone = settings["alone"]
        if agents is None and alone is not None:
            given, against = given[:alone], given[alone:]
        _, job = _job(game, given, against, settings["seed"], settings["duplicate"])
        _, made, job = _canonical(job)
        wanted = _settings(job, made)
        if wanted["agents"] != settings["agents"] or wanted["alone"] != alone:
            raise ArgumentError(f"{record} is of other agents: {settings['agents']}, not {wanted['agents']}")
        again = play_deal(job, number, made)
        if [played.seats for played in recorded[number]] != [new.seats for new in again]:
            raise RecordError(f"{record}: deal {number} is of other tables than are played")
        for table, (played, new) in enumerate(zip(recorded[number], again, strict=True)):
            if new.actions != played.actions:
                pairs = zip(new.actions, played.actions, strict=False)
                at = next((i for i, (one, other) in enumerate(pairs) if one != other), len(played.actions))
                raise RecordError(f"{record}: deal {number}, table {table}: the agents play otherwise at action {at}")
    return list(recorded[number])


def table(record: str | os.PathLike[str]) -> frames.Table:
    """What a record has, as a table: a row for each seat of each table of each deal.

    Parameters
    ----------
    record : path-like

    Returns
    -------
    Table
        `deal`, `table`, `seat` (0-based), `agent` (its number in the record), `name`, `points`, `won` (share of
        the win of the table, ties shared) and `actions` (how many were played at the table, chance's included).

    Raises
    ------
    RecordError
        If the record is damaged or no record.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     standing = play("kuhn", ["random"], deals=3, record=f"{folder}/r")
    ...     print(table(f"{folder}/r"))
    <Table of 6 rows: deal, table, seat, agent, name, points, won, actions>
    """
    settings, recorded, _ = read(record)
    rows = [
        (
            deal,
            number,
            seat,
            who,
            one,
            (one == max(each.points)) / each.points.count(max(each.points)),
            len(each.actions),
        )
        for deal, tables in enumerate(recorded)
        for number, each in enumerate(tables)
        for seat, (who, one) in enumerate(zip(each.seats, each.points, strict=True))
    ]
    kinds = [("deal", "i4"), ("table", "i4"), ("seat", "i1"), ("agent", "i2"), ("points", "f8"), ("won", "f8")]
    found = frames.fields(np.array(rows, [*kinds, ("actions", "i4")]))
    names = [player[0] for player in settings.get("agents", ())]
    head = {name: found.pop(name) for name in ("deal", "table", "seat", "agent")}
    return frames.Table(
        {**head, "name": [names[int(who)] for who in head["agent"]], **found},
        {"kind": "record of an arena", "settings": settings},
    )


def _again(game: Any, played: Played, deal: int, seed: int, where: str) -> None:
    """Play a table's actions again."""
    state, chance = begin(game, deal, seed)
    actions: list[int] = []
    while step(state, chance, actions):
        if len(actions) >= len(played.actions):
            raise RecordError(f"{where}: the game is not over after the recorded actions")
        action = played.actions[len(actions)]
        try:
            state.apply_action(action)
        except ValueError as error:
            raise RecordError(f"{where}: action {len(actions)} is not legal: {error}") from error
        actions.append(action)
    if tuple(actions) != played.actions or points_of(state) != played.points:
        raise RecordError(f"{where}: {points_of(state)} comes of it, and {played.points} is recorded")


# ----------------------------------------------------------------------------------------------
# Settings


def _job(
    game: Any, players: Sequence[Any], against: Sequence[Any] | None, seed: Any, duplicate: bool
) -> tuple[list[str], Job]:
    """Names of the rows, and a job of no deals, its agents in the order given."""
    if isinstance(players, str) or isinstance(against, str):
        raise ArgumentError("agents are given as a list")
    first, second = listed(players, "agents"), [] if against is None else listed(against, "against")
    if not first or (against is not None and not second):
        raise ArgumentError("at least one agent is needed" + (" in against" if first else ""))
    number: int | None = whole(seed)
    if number is None or number < 0:
        raise ArgumentError(f"seed is a whole number of at least 0, not {seed!r}")
    made: list[Any] = [agents_.make(player) if isinstance(player, str) else player for player in first + second]
    for player in made:
        if not callable(getattr(player, "act", None)) or not isinstance(getattr(player, "name", None), str):
            raise ArgumentError(f"an agent has a name and a method act(position, rng), which {player!r} has not")
        if callable(getattr(player, "check_game", None)):
            player.check_game(game)
    seen: Counter[str] = Counter()
    names = []
    for player in made:
        seen[player.name] += 1
        names.append(player.name if seen[player.name] == 1 else f"{player.name} ({seen[player.name]})")
    alone = len(first) if second else None
    return names, Job(game, tuple(first + second), number, alone, flag("duplicate", duplicate), ())


def _canonical(job: Job) -> tuple[list[int], list[Any], Job]:
    """The job with its agents sorted, so that results do not hang on the order in which they are given.

    Returns
    -------
    order : list of int
        Of each agent as given the place in the sorted list.
    made : list of Agent
        Sorted.
    job : Job
    """
    made = [agents_.make(player) if isinstance(player, str) else player for player in job.players]
    known = [_description(player) for player in made]
    later = len(made) if job.alone is None else job.alone
    ranked = sorted(range(len(made)), key=lambda i: (i >= later, known[i], i))
    order = [ranked.index(i) for i in range(len(made))]
    return order, [made[i] for i in ranked], replace(job, players=tuple(job.players[i] for i in ranked))


def _description(player: Any) -> list[str]:
    """Name and what else makes an agent: its repr, without addresses, which are others in the next process."""
    text = repr(player)
    kind = type(player)
    plain = f"{kind.__module__}.{kind.__qualname__}" if text == object.__repr__(player) else _ADDRESS.sub("", text)
    return [player.name, plain]


def _settings(job: Job, made: Sequence[Any]) -> dict[str, Any]:
    """What a record must agree on."""
    return {
        **describe(job.game),
        "agents": [_description(player) for player in made],
        "alone": job.alone,
        "duplicate": job.duplicate,
        "seed": job.seed,
        "version": __version__,
    }


def _has_points(game: Any) -> bool:
    """Whether the game counts points, and not only pay-offs."""
    return callable(getattr(game.new_initial_state(), "totals", None))


class _Rule:
    """When to stop before all deals are played; it sees deals in order, so all executors stop at the same."""

    def __init__(self, tally: Tally, first: int, half_width: float | None, decide: bool) -> None:
        self.tally = tally
        self.first = first
        self.half_width = half_width
        self.decide = decide
        self.stop = ""
        self.values: list[list[float]] = [[] for _ in range(tally.agents)]

    def add(self, tables: Sequence[Played]) -> None:
        """Add a deal and look."""
        self.tally.add(tables)
        if self.half_width is None and not self.decide:
            return
        row = self.tally.rows[-1]
        for agent in {seat for table in tables for seat in table.seats}:
            self.values[agent].append(self.tally.margin(row, agent))
        if self.decide:
            mean, width = self._known(self.first)
            if abs(mean) > width:
                self.stop = "decided"
        if self.half_width is not None:
            widths = (self._known(agent)[1] for agent in range(self.tally.agents))
            if all(width <= self.half_width for width in widths):
                self.stop = "half width"

    def _known(self, agent: int) -> tuple[float, float]:
        """Mean margin, and to what it is known."""
        values = self.values[agent]
        if len(values) < stats.FIRST_LOOK:
            return 0.0, float("inf")
        return math.fsum(values) / len(values), stats.confidence_width(len(values), stats.spread(values))


# ----------------------------------------------------------------------------------------------
# Where deals are played


def _here(job: Job, deals: Sequence[int], made: Sequence[Any], interrupt: Interrupt) -> _Deals:
    """Play in this thread; after Ctrl-C the deal that is under way is dropped."""
    for deal in deals:
        try:
            yield deal, play_deal(job, deal, made, interrupt)
        except Stopped:
            return


def _there(executor: Executor, job: Job, deals: Sequence[int], interrupt: Interrupt) -> _Deals:
    """Play by an executor, deals in order; jobs grow until one takes long enough."""
    left = deque(deals)
    size = 1

    def jobs() -> Iterator[Job]:
        while left:
            yield replace(job, deals=tuple(left.popleft() for _ in range(min(size, len(left)))))

    with closing(in_order(executor, run, jobs(), interrupt)) as done:
        for results, seconds in done:
            if seconds < _LEAST_JOB:
                size = min(_LONGEST_JOB, max(size, int(len(results) * _LEAST_JOB / max(seconds, 1e-6))))
            yield from results
