"""Monte Carlo counterfactual regret minimization: equilibrium policies of games too large to compile.

`solve` samples the game instead of walking it whole (Lanctot et al., "Monte Carlo sampling for regret
minimization", NIPS 2009). A game that compiles is sampled on its tree by compiled loops, and its
exploitability is exact; any other is sampled by the readable loops below, over a table that grows with
the information states met. `cfr.solve` hands over to it for the methods "external" and "outcome".
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import games
from solver._cfr import Table
from solver._core import Rng
from solver._policy_games import describe, turn_based
from solver._protocol_checks import LONGEST, checked_outcomes, checked_players, endless, listed, names_nonsense
from solver._sampling import InfoTable, Sampler
from solver._version import __version__
from solver.errors import ArgumentError, CompileError
from solver.executors import in_order
from solver.policy import PolicyTable, fingerprint
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER
from solver.runs import HISTORY, Interrupt, Run, Snapshot, flag, number_within, positive
from solver.solution import Solution
from solver.symmetry import merge
from solver.tree import Floats, Nodes, Tree, TreePolicy
from solver.tree_walk import compile_game

__all__ = ["METHODS", "OPTIONS", "Sampled", "game_or_tree", "solve", "stream"]

MAX_BYTES = 1 << 30  # of a table of information states
METHODS = ("external", "outcome")
OPTIONS = frozenset({"seed", "weighting", "exploration", "baseline", "compile_bytes", "keep_text", "runs", "executor"})
_PATIENCE = 8  # decisions between two questions whether to break off
_LEAST = 1e-200  # a line less likely than this teaches nothing: its weight would not be a number
_SENT = 8 << 20  # bytes; a larger tree is compiled anew where a run takes place


@names_nonsense
def solve(
    game: Any,
    method: str = "external",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    *,
    callback: Callable[[Snapshot], Any] | None = None,
    every: int | None = None,
    seed: Any = None,
    weighting: str = "linear",
    exploration: float = 0.6,
    baseline: float = 0.5,
    merge_equal: bool = True,
    compile_bytes: int = 256 << 20,
    max_bytes: int = MAX_BYTES,
    keep_text: bool = True,
    progress: Callable[[int, float], None] | None = None,
    runs: int = 1,
    executor: Executor | None = None,
) -> Solution:
    """Find an equilibrium policy by sampling.

    Parameters
    ----------
    game : Game, Tree or str
        A game that compiles within `compile_bytes` is compiled first; the others are sampled as they are,
        games that draw by themselves included.
    method : {"external", "outcome"}
        External sampling tries all actions of one player and samples the others' and chance; outcome
        sampling plays one line at a time.
    iterations, target, seconds : optional
        As in `cfr.solve`; an iteration samples once for each player. `target` needs a game that compiles.
    callback, every : optional
        As in `cfr.solve`.
    seed : int, sequence of int, SeedSequence, Rng, optional
        The only source of chance; a new one by default. `Solution.settings["seed"]` gives the same run again.
    weighting : {"linear", "uniform"}
        Whether iteration t weighs t (Brown and Sandholm, arXiv:1809.04040) or 1.
    exploration : float, default 0.6
        Outcome sampling: chance of a uniformly random action at the sampled player's own decisions.
    baseline : float, default 0.5
        Outcome sampling: step with which the mean worth of each action is learnt and taken off the
        samples (VR-MCCFR, Schmid et al., arXiv:1809.03057); 0 for none.
    merge_equal : bool, default True
        Whether information states of a compiled game that cannot be told apart learn together.
    compile_bytes : int, default 256 MiB
    max_bytes : int, default 1 GiB
        Room for the table of a game that is not compiled. When it is full, information states met anew
        are played uniformly and not learnt; `Solution.settings["dropped"]` counts such visits.
    keep_text : bool, default True
        Whether the policy of a game that is not compiled keeps its information state strings. Their bytes
        count towards `max_bytes`.
    progress : callable, optional
        Called with the iterations and seconds done, many times a second; with `runs` after each of them.
    runs : int, default 1
        So many samplings, each of `iterations` or `seconds`, with streams of their own from `seed`, which
        learn apart; the policy is the mean of their average policies, in sequence form (see Notes).
        `target`, `callback` and `every` need a single one.
    executor : concurrent.futures.Executor, optional
        Where runs take place: a pool of processes, Dask's. By default here, one after the other. The result
        is the same to the bit, but for a budget in seconds.

    Returns
    -------
    Solution
        Where the game was not compiled `exploitability` and `value` are nan, `tree_policy` is None. With
        `runs`, `iterations` are those of each run, and after Ctrl-C it is the mean of those finished by then:
        ``settings["runs"]``.

    Raises
    ------
    ArgumentError
        If an argument is out of its range.
    KeyboardInterrupt
        After Ctrl-C, if none of `runs` was finished.

    Notes
    -----
    Against a fixed opponent pay-off is linear in a policy's sequence form, so in a two-player zero-sum game the
    mean of several policies is at most as exploitable as they are on average; the scatter of independent
    samplings cancels, so it is mostly much less. Regrets are not shared: a run that is long enough comes nearer
    to an equilibrium than the mean of many short ones.

    Examples
    --------
    >>> from solver import kuhn
    >>> solve(kuhn.Game(), iterations=20_000, seed=1).exploitability < 0.02
    True
    >>> solve(kuhn.Game(), iterations=5_000, seed=1, runs=4).exploitability < 0.02
    True
    """
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"a sampling method is external or outcome, not {method!r}")
    if not isinstance(weighting, str) or weighting not in ("linear", "uniform"):
        raise ArgumentError(f"weighting is linear or uniform, not {weighting!r}")
    merge_equal, keep_text = flag("merge_equal", merge_equal), flag("keep_text", keep_text)
    exploration = number_within("exploration", exploration, 1e-9, 1)
    baseline = number_within("baseline", baseline, 0, 1)
    max_bytes = positive("max_bytes", max_bytes, int) or MAX_BYTES
    number_within("compile_bytes", compile_bytes, 0, math.inf)
    runs = positive("runs", runs, int) or 1
    plan = Run(iterations, target, seconds, every, callback, progress, 100_000)
    alone = runs == 1 and executor is None
    if not alone and (target is not None or callback is not None or every is not None):
        raise ArgumentError("target, callback and every are for a single run in this process: no runs, no executor")
    rng, told = stream(seed)
    tree = game_or_tree(game, compile_bytes)
    settings: dict[str, Any] = {
        **(tree.told if isinstance(tree, Tree) else describe(tree)),
        "method": method,
        "weighting": weighting,
        "exploration": exploration,
        "baseline": baseline,
        "merge_equal": merge_equal,
        "seed": told,
        "version": __version__,
    }
    if not isinstance(tree, Tree) and plan.target is not None:
        raise ArgumentError("a target needs a game that compiles: give iterations or seconds instead")
    rate = baseline if method == "outcome" else 0.0  # external sampling needs none: it tries every own action
    linear = weighting == "linear"
    job = _Job(
        tree, method, plan.iterations, plan.seconds, linear, exploration, rate, merge_equal, max_bytes, keep_text
    )
    run = job.begin(rng)
    plan.begin()
    if alone:
        if isinstance(run, Sampled):
            run.stopping = plan.stopping
        plan.go(job.advance(run), run.exploitability, run.policy)
    else:
        streams = [told] if runs == 1 else np.random.SeedSequence(told).spawn(runs)
        settings["runs"] = _together(plan, run, [replace(job, seed=each) for each in streams], executor)
    settings |= {"iterations": plan.done, "seconds": plan.elapsed()} | run.report()
    return Solution(
        run.policy() if isinstance(run, _OnTree) else None,
        plan.exploitability,
        plan.value,
        plan.done,
        settings["seconds"],
        np.array(plan.history, HISTORY),
        settings,
        plan.interrupted,
        make_policy=None if isinstance(run, _OnTree) else partial(run.policy, dict(settings)),
    )


@dataclass(frozen=True)
class _Job:
    """A sampling from its beginning to its end, for any process; the arguments of `solve`."""

    tree: Any
    method: str
    iterations: int | None
    seconds: float | None
    linear: bool
    exploration: float
    rate: float
    merge_equal: bool
    max_bytes: int
    keep_text: bool
    seed: Any = None

    def begin(self, rng: Rng) -> _OnTree | Sampled:
        """What samples, with nothing learnt yet."""
        if isinstance(self.tree, Tree):
            return _OnTree(self.tree, rng, self.linear, self.exploration, self.rate, self.merge_equal)
        return Sampled(self.tree, rng, self.linear, self.exploration, self.rate, self.max_bytes, self.keep_text)

    def advance(self, run: _OnTree | Sampled) -> Callable[[int], int | None]:
        """What does so many iterations of it."""
        return run.external if self.method == "external" else run.outcome

    def sent(self) -> _Job:
        """The job as it goes to another process."""
        tree = self.tree
        return replace(self, tree=_Large(tree.game)) if isinstance(tree, Tree) and tree.size.bytes > _SENT else self


class _Large(NamedTuple):
    """A game that compiles, and whose tree is too large to be sent."""

    game: Any


def _run(job: _Job, asked: Callable[[], bool] | None = None) -> tuple[int, Any]:
    """Do a job: iterations, and what was learnt.

    Raises
    ------
    _BrokenOff
        If `asked` said so.
    """
    if isinstance(job.tree, _Large):
        job = replace(job, tree=compile_game(job.tree.game))

    def look_out(_done: int, _elapsed: float) -> None:
        if asked is not None and asked():
            raise _BrokenOff

    plan = Run(job.iterations, None, job.seconds, None, None, look_out, 1)
    run = job.begin(Rng(job.seed))
    if isinstance(run, Sampled):
        run.stopping = lambda: plan.stopping() or (asked is not None and asked())
    plan.begin()
    plan.go(job.advance(run), lambda: (math.nan, [math.nan]), lambda: None)
    return plan.done, run.learnt()


def _together(plan: Run, run: _OnTree | Sampled, jobs: list[_Job], executor: Executor | None) -> int:
    """Add up what jobs learn, in their order, in `run`; how many were finished before Ctrl-C."""
    finished = 0
    with Interrupt() as interrupt:
        results: Generator[tuple[int, Any], None, None]
        if executor is None:
            results = (_run(job, lambda: interrupt.asked) for job in jobs)
        else:
            results = in_order(executor, _run, (job.sent() for job in jobs), interrupt)
        with closing(results):
            try:
                for done, learnt in results:
                    finished += 1
                    plan.done = max(plan.done, done)
                    run.add(learnt)
                    if plan.progress is not None:
                        plan.progress(finished * plan.done, plan.elapsed())
            except _BrokenOff:
                pass
    plan.interrupted = interrupt.asked
    if not finished:
        raise KeyboardInterrupt
    plan.exploitability, plan.value = run.exploitability()
    plan.history.append((plan.done, plan.exploitability, plan.elapsed()))
    return finished


def game_or_tree(game: Any, compile_bytes: int) -> Any:
    """The compiled game if it is small enough, else the game."""
    if isinstance(game, Tree):
        return game
    if isinstance(game, str):
        game = games.load(game)
    if compile_bytes < 1:
        return turn_based(game)
    try:
        return compile_game(game, int(compile_bytes))
    except CompileError as error:
        if not (error.too_large or error.draws):
            raise
        return turn_based(game)


def stream(seed: Any) -> tuple[Rng, Any]:
    """The stream of a seed, and what to give as the seed to have it again: a number, or a list of them."""
    if isinstance(seed, Rng):
        # where the stream stands now hangs on what was drawn from it: a new one from its next words can be told
        seed = [seed.next_u64() for _ in range(4)]
    if isinstance(seed, np.random.SeedSequence) and seed.spawn_key:
        seed = [int(word) for word in seed.generate_state(8)]
    rng = Rng(seed)
    entropy = rng.seed_sequence.entropy
    return rng, [int(word) for word in entropy] if isinstance(entropy, (list, tuple, np.ndarray)) else entropy


class _OnTree:
    """Sampling over a compiled tree."""

    def __init__(self, tree: Tree, rng: Rng, linear: bool, exploration: float, rate: float, merge_equal: bool) -> None:
        self.tree = tree
        merged = merge(tree.treeplexes) if merge_equal else None
        self.classes = None if merged is None else merged.classes
        plexes = tree.treeplexes if merged is None else merged.treeplexes
        self.evaluating = Table(plexes, learns=False)
        self.plexes = plexes
        sizes = [plex.num_sequences for plex in plexes]
        self.begins = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        nodes = tree.nodes
        first = np.zeros(tree.num_nodes, dtype=np.int32)
        for p, plex in enumerate(tree.treeplexes):
            mine = nodes.player == p
            starts = plex.first[nodes.infoset[mine]]
            first[mine] = self.begins[p] + (starts if self.classes is None else self.classes[p][starts])
        stack = max(
            int((len(plex.level) - 1) * np.diff(plex.first).max()) if plex.num_infosets else 0 for plex in plexes
        )
        stack = max(stack, int(nodes.count.max()), 1)
        self.sampler = Sampler(nodes, first, self.begins[-1], stack, _levels(nodes), rng, linear, exploration, rate)
        self.external, self.outcome = self.sampler.external, self.sampler.outcome

    def _averages(self) -> list[Floats]:
        """Average strategies by sequence of each player, before what was merged is spread."""
        result = []
        for p, plex in enumerate(self.plexes):
            weights = self.sampler.average[self.begins[p] : self.begins[p + 1]]
            result.append(np.concatenate([np.ones(1), _shares(weights[1:], np.diff(plex.first))]))
        return result

    def exploitability(self) -> tuple[float, list[float]]:
        """Exploitability and value of the average policy."""
        pairs = self.evaluating.responses(self._averages())
        return math.fsum(best - value for best, value in pairs) / len(pairs), [value for _, value in pairs]

    def policy(self) -> TreePolicy:
        """The average policy."""
        averages = self._averages()
        if self.classes is not None:
            averages = [a[c] for a, c in zip(averages, self.classes, strict=True)]
        return TreePolicy(self.tree, tuple(averages))

    def learnt(self) -> Floats:
        """The sums of average strategies, for `add` of another."""
        sums: Floats = self.sampler.average
        return sums

    def add(self, learnt: Floats) -> None:
        """Add what another sampling of the game learnt to the averages."""
        sums = self.sampler.average
        sums += learnt

    def report(self) -> dict[str, Any]:
        """What to add to the settings."""
        return {"compiled": True}


def _shares(weights: Floats, counts: NDArray[Any]) -> Floats:
    """Weights of actions, row after row of so many, as shares of their row; equal shares where all are 0."""
    if not len(counts):
        return np.zeros(0)
    total = np.repeat(np.add.reduceat(weights, np.cumsum(counts) - counts), counts)
    shares: Floats = np.repeat(1.0 / counts, counts)
    np.divide(weights, total, out=shares, where=total > 0)
    return shares


def _levels(nodes: Nodes) -> int:
    """The length of the longest line of play; nodes are in order of level."""
    levels, end, last = 0, 0, 1
    while end < last:
        end, last = last, last + int(nodes.count[end:last].sum())
        levels += 1
    return levels


class _BrokenOff(Exception):  # noqa: N818 - it is no error
    """Ctrl-C, or the end of the time, in the middle of an iteration."""


class _Decision:
    """A decision on the line from the start of the game."""

    __slots__ = ("actions", "others", "own", "row", "sampled", "state", "strategy", "third", "value", "worths")

    def __init__(self, state: Any, row: int, actions: list[int], strategy: list[float]) -> None:
        self.state = state
        self.row = row
        self.actions = actions
        self.strategy = strategy
        self.worths: list[float] = []  # of the actions tried
        self.value = 0.0
        # probabilities on the way here, as in `_sampling.frame_t`
        self.own = self.third = self.sampled = self.others = 1.0


class Sampled:
    """Sampling over the states of a game, as `_sampling.Sampler` does it over a compiled tree.

    Parameters
    ----------
    game : Game
    rng : Rng
    linear : bool
    exploration, rate : float
    max_bytes : int
    keep_text : bool
    """

    def __init__(
        self,
        game: Any,
        rng: Rng,
        linear: bool = True,
        exploration: float = 0.6,
        rate: float = 0.0,
        max_bytes: int = MAX_BYTES,
        keep_text: bool = True,
    ) -> None:
        self.game = game
        self.rng = rng
        self.linear = linear
        self.exploration = exploration
        self.rate = rate
        self.players = checked_players(game, CompileError)
        self.stopping: Callable[[], bool] | None = None  # asked now and then whether to break off
        self.visits = 0
        self.dropped = 0  # by the samplings that were added
        self.length = 0  # of the line of play, since it last ended
        self.table = InfoTable(max_bytes, self.players if rate else 0)
        self.texts: list[str] | None = [] if keep_text else None
        self.iterations = 0
        self.weight = 1.0

    def external(self, iterations: int) -> int:
        """Iterations of external sampling; gives how many were done before `stopping` broke them off."""
        return self._iterate(self._external, iterations)

    def outcome(self, iterations: int) -> int:
        """Iterations of outcome sampling; gives how many were done before `stopping` broke them off."""
        return self._iterate(self._outcome, iterations)

    def _iterate(self, walk: Callable[[int], None], iterations: int) -> int:
        for done in range(iterations):
            self._next()
            try:
                for player in range(self.players):
                    walk(player)
            except _BrokenOff:
                return done
        return iterations

    def _next(self) -> None:
        self.iterations += 1
        self.weight = float(self.iterations) if self.linear else 1.0

    def _decision(self, state: Any, player: int) -> _Decision:
        """The information state of a decision: its row (-1: there is no room for one), actions and strategy."""
        self.visits += 1
        if not self.visits % _PATIENCE and self.stopping is not None and self.stopping():
            raise _BrokenOff
        if not 0 <= player < self.players:
            raise CompileError(f"player {player} moves, which is neither a seat of 0..{self.players - 1} nor chance")
        text = state.information_state_string(player)
        try:
            actions = [operator.index(action) for action in listed(state.legal_actions(), "legal actions")]
        except TypeError as error:
            raise CompileError(f"information state {text!r}: legal actions are whole numbers") from error
        if not actions or not 0 <= actions[0] <= actions[-1] < 1 << 31:
            raise CompileError(f"information state {text!r}: legal actions are one or more, ascending, not {actions}")
        row = self._row(*fingerprint(text), player, actions, text)
        strategy = self.table.strategy(row) if row >= 0 else [1 / len(actions)] * len(actions)
        return _Decision(state, row, actions, strategy)

    def _row(self, key: int, check: int, player: int, actions: list[int], text: str | None) -> int:
        """The row of an information state, -1 if there is no room for one; its text is kept where texts are."""
        table, rows = self.table, self.table.rows
        length = sys.getsizeof(text) + 8 if self.texts is not None else 0
        table.beside += length
        row = table.row(key, check, player, actions)
        if table.rows == rows:
            table.beside -= length
        elif self.texts is not None:
            assert text is not None
            self.texts.append(text)
        return row

    def _chance(self, state: Any) -> Any:
        """The state after chance has drawn."""
        outcomes = checked_outcomes(state.chance_outcomes())
        u, total = self.rng.random(), 0.0
        for action, p in outcomes[:-1]:
            total += p
            if u < total:
                return self._child(state, action)
        return self._child(state, outcomes[-1][0])

    def _child(self, state: Any, action: int) -> Any:
        """The state after an action."""
        self.length += 1
        if self.length > LONGEST:
            raise endless(self.game)
        after = state.child(action)
        if after is state:
            raise CompileError(f"child({action}) gives the state itself, not a new one")
        return after

    def _payoff(self, state: Any, player: int) -> float:
        """What an end pays a player."""
        self.length = 0
        returns = state.returns()
        worth = float(returns[player]) if len(returns) == self.players else math.nan
        if not math.isfinite(worth):
            raise CompileError(f"an end pays {list(returns)}: {self.players} finite numbers are needed")
        return worth

    def _act(self, strategy: list[float]) -> int:
        """An action drawn by a strategy: its place."""
        u, total = self.rng.random(), 0.0
        for k, p in enumerate(strategy[:-1]):
            total += p
            if u < total:
                return k
        return len(strategy) - 1

    def _external(self, traverser: int) -> None:
        """One walk that tries all actions of the traverser; without recursion, since games can be long."""
        stack: list[_Decision] = []
        state, own, third = self.game.new_initial_state(), 1.0, 1.0
        while True:
            player = state.current_player()
            if player == CHANCE_PLAYER:
                state = self._chance(state)
                continue
            if player != TERMINAL_PLAYER:
                here = self._decision(state, player)
                if player == traverser:
                    here.own, here.third = own, third
                    stack.append(here)
                    own *= here.strategy[0]
                    state = self._child(state, here.actions[0])
                    continue
                k = self._act(here.strategy)
                if player != (traverser + 1) % self.players:
                    third *= here.strategy[k]
                elif here.row >= 0 and third > _LEAST:
                    # One of the others' averages is updated on each walk, so each once an iteration. Where it
                    # comes to does not hang on its own strategy, but on that of third players: that is divided out.
                    self.table.play(here.row, here.strategy, self.weight / third)
                state = self._child(state, here.actions[k])
                continue
            worth = self._payoff(state, traverser)
            while True:
                if not stack:
                    return
                here = stack[-1]
                here.value += worth * here.strategy[len(here.worths)]
                here.worths.append(worth)
                if len(here.worths) < len(here.actions):
                    break
                if here.row >= 0:
                    if self.players == 1:
                        self.table.play(here.row, here.strategy, self.weight * here.own)
                    self.table.learn(here.row, here.worths, here.value, self.weight)
                worth = here.value
                stack.pop()
            place = len(here.worths)
            own, third = here.own * here.strategy[place], here.third
            state = self._child(here.state, here.actions[place])

    def _outcome(self, traverser: int) -> None:
        """One line of play, and back along it."""
        line: list[tuple[_Decision, int, float, bool]] = []  # with the action's place and chance; whether it is own
        state, own, sampled, others = self.game.new_initial_state(), 1.0, 1.0, 1.0
        while True:
            player = state.current_player()
            if player == TERMINAL_PLAYER:
                break
            if player == CHANCE_PLAYER:
                state = self._chance(state)
                continue
            here = self._decision(state, player)
            here.own, here.sampled, here.others = own, sampled, others
            if player == traverser:
                n = len(here.actions)
                mixed = [self.exploration / n + (1 - self.exploration) * p for p in here.strategy]
                k = self._act(mixed)
                chance = mixed[k]
                own *= here.strategy[k]
                sampled *= chance
            else:
                k = self._act(here.strategy)
                chance = here.strategy[k]
                others *= chance
            line.append((here, k, chance, player == traverser))
            state = self._child(state, here.actions[k])
        value = self._payoff(state, traverser)
        for here, k, chance, mine in reversed(line):
            followed, row = value, here.row
            worths = self.table.expected(row, traverser) if row >= 0 else [0.0] * len(here.actions)
            worths[k] += (followed - worths[k]) / chance
            value = 0.0
            for p, worth in zip(here.strategy, worths, strict=True):
                value += p * worth
            if row < 0:
                continue
            # The others' and chance's part of the sampling is as their play is, so it cancels in the regrets; in
            # the average chance's is the same in all iterations.
            if mine and here.sampled * here.others > _LEAST:
                self.table.play(row, here.strategy, self.weight * here.own / (here.sampled * here.others))
                self.table.learn(row, worths, value, self.weight / here.sampled)
            self.table.expect(row, traverser, k, followed, self.rate)

    def exploitability(self) -> tuple[float, list[float]]:
        """Not known: that takes the whole game."""
        return math.nan, [math.nan] * self.players

    def policy(self, meta: dict[str, Any] | None = None) -> PolicyTable:
        """The average policy over the information states met; `meta` tells the game and what made it."""
        keys, checks, players, offsets, actions, _, average = self.table.columns()
        probabilities = _shares(average, np.diff(offsets))
        told = describe(self.game) if meta is None else meta
        return PolicyTable.from_hashes(
            keys, checks, players, offsets, actions, probabilities, texts=self.texts, meta=told
        )

    def learnt(self) -> tuple[Any, ...]:
        """The rows, their texts, and how often one was dropped, for `add` of another."""
        keys, checks, players, offsets, actions, _, average = self.table.columns()
        return keys, checks, players, offsets, actions, average, self.texts, self.table.dropped + self.dropped

    def add(self, learnt: tuple[Any, ...]) -> None:
        """Add what another sampling of the game learnt to the averages."""
        keys, checks, players, offsets, actions, average, texts, dropped = learnt
        ends = offsets.tolist()
        for i, (key, check, player) in enumerate(zip(keys.tolist(), checks.tolist(), players.tolist(), strict=True)):
            span = slice(ends[i], ends[i + 1])
            row = self._row(key, check, player, actions[span].tolist(), None if texts is None else texts[i])
            if row >= 0:
                self.table.play(row, average[span].tolist(), 1.0)
        self.dropped += dropped

    def report(self) -> dict[str, Any]:
        """What to add to the settings."""
        return {"compiled": False, "dropped": self.table.dropped + self.dropped, "infosets": self.table.rows}
