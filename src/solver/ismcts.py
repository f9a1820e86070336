"""Information-set Monte Carlo tree search: the best play from what one seat knows.

`search` is the door. It runs compiled on SCOUT and Baker Street, and by a readable Python twin of the same algorithm
on any game of `solver.protocol` (yours, or OpenSpiel's). Algorithm: Cowling, Powley and Whitehouse,
"Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012), SO-ISMCTS+POM: one tree of what the
observer sees, a fresh full state for each iteration, availability counts in the bound. What goes beyond
it (the others sampled by a policy of their own hands, policy rollouts, widening, beliefs) is each an
option of `search`; docs/search-notes.md has what each measured.
"""

from __future__ import annotations

import copy
import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from solver import _html, _ismcts, explain, frames
from solver._core import Rng, whole
from solver._protocol_checks import LONGEST, checked_outcomes, checked_returns, endless, listed, names_nonsense
from solver._version import __version__
from solver.errors import SearchError
from solver.protocol import CHANCE_PLAYER, offers

__all__ = ["ACTION_DTYPE", "PythonTree", "Result", "Style", "check_options", "observed", "search"]

ACTION_DTYPE = np.dtype([("action", "i4"), ("visits", "i8"), ("value", "f8"), ("stderr", "f8")])
DEFAULT_MAX_NODES = 2_000_000
_SLICE = 0.01  # seconds between two looks at the clock and for Ctrl-C
_WIDENING_VISITS = 100  # as in the compiled tree
_OUTLINE = 200  # parts of the iterations that a node needs to be kept in a result
_LINE = 8  # moves of the twin's line of play
_PAYOFFS = ("score", "margin", "win")


@dataclass(frozen=True, eq=False)
class Result(frames.Framed):
    """What a search found, and what made it.

    Attributes
    ----------
    best : int
        The action most often visited; among equals the one of greater value.
    actions : numpy.ndarray
        One row for each legal action, ascending: `action`, `visits`, `value` (mean pay-off of the
        mover, nan if never visited) and `stderr` (its standard error over the visits, nan below
        two). The search drops bad actions early, and what it knows of their sequels is poor: values
        of actions with few visits are rough, and lower than they need be.
    then : numpy.ndarray
        If the mover decides again at once after `best` (the Show of a Scout & Show; a two-player
        Scout), the same table for that decision; else empty. With `depth` 1 it has only what the
        rollout policy does then, with no visits.
    position : str
        The position searched, in one line; for a game in Python the information state string.
    words, then_words : dict of int to str
        Each action of `actions`, and of `then`, in plain language. The same id may mean other cards
        in `then`, whose hand has changed.
    iterations, nodes, threads : int
    seconds : float
    interrupted : bool
        Whether Ctrl-C ended it.
    settings : dict
        Game, rules version, seed (and `spawn_key`, if a SeedSequence had one), budget, pay-off,
        exploration, library version: what is needed to run it again.
    source : Position or State
        What was searched from.
    belief : str, callable or None
        As it was used.
    outline : numpy.ndarray
        The much visited part of the (first) compiled tree, for `explain`; a few kilobytes.
    line : tuple
        The much visited moves after `best` of the (first) Python tree, for `explain`.
    """

    best: int
    actions: NDArray[Any]
    then: NDArray[Any]
    position: str
    words: dict[int, str]
    then_words: dict[int, str]
    iterations: int
    nodes: int
    threads: int
    seconds: float
    interrupted: bool
    settings: dict[str, Any] = field(default_factory=dict)
    source: Any = field(default=None, repr=False)
    belief: Any = field(default=None, repr=False)
    outline: NDArray[Any] = field(default_factory=lambda: np.empty(0, _ismcts.OUTLINE_DTYPE), repr=False)
    line: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)

    @property
    def value(self) -> float:
        """Mean pay-off of the best action."""
        return float(self.actions["value"][self.actions["action"] == self.best][0])

    @property
    def best_then(self) -> int | None:
        """What the mover does next, if it decides again at once."""
        return int(self.then["action"][np.argmax(self.then["visits"])]) if len(self.then) else None

    def best_words(self) -> str:
        """The best move in plain language, with what the mover does next if it decides again."""
        words = self.words[self.best]
        return words if self.best_then is None else f"{words}, then {self.then_words[self.best_then]}"

    def explanation(self, samples: int = 200) -> explain.Explanation:
        """Why the best action is best, as data: `solver.explain.explain`."""
        return explain.explain(self, samples)

    def explain(self, samples: int = 200) -> str:
        """Why the best action is best, in words.

        Parameters
        ----------
        samples : int, default 200
            Deals over which chances are counted.

        Returns
        -------
        str
            At most 80 columns wide. The same for the same result.

        Raises
        ------
        ArgumentError
            If `samples` is no whole number of at least 1.
        """
        return str(self.explanation(samples))

    def rows(self, limit: int | None = None) -> list[tuple[str, int, float, float]]:
        """(words, visits, value, stderr) of each action, the most visited first."""
        order = sorted(range(len(self.actions)), key=lambda i: (-self.actions["visits"][i], self._lost(i)))
        rows = []
        for i in order[:limit]:
            row = self.actions[i]
            rows.append((self.words[int(row["action"])], int(row["visits"]), float(row["value"]), float(row["stderr"])))
        return rows

    @property
    def untried(self) -> int:
        """Legal actions that the budget did not reach: they looked worse than those tried, and may be better."""
        return int((self.actions["visits"] == 0).sum())

    def _lost(self, i: int) -> float:
        value = float(self.actions["value"][i])
        return math.inf if math.isnan(value) else -value

    def __str__(self) -> str:
        limit = 15
        rows = self.rows(limit)
        width = max(24, *(len(words) for words, *_ in rows))
        lines = [f"{'action':<{width}}{'visits':>10}{'value':>9}{'stderr':>8}"]
        for words, visits, value, stderr in rows:
            lines.append(f"{words:<{width}}{visits:>10,}{_number(value, 9)}{_number(stderr, 8)}")
        if len(self.actions) > limit:
            lines.append(f"... and {len(self.actions) - limit} more actions")
        if self.untried:
            lines.append(f"{self.untried} actions were not tried within this budget")
        lines.append(f"best: {self.best_words()}")
        lines.append(
            f"{self.iterations:,} iterations in {self.seconds:.2f} s, {self.nodes:,} nodes, "
            f"seed {self.settings.get('seed')}" + (", interrupted" if self.interrupted else "")
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Bars of visits and values, for a notebook."""
        total = max(int(self.actions["visits"].sum()), 1)
        rows = [(words, n / total, f"{n:,}", value, stderr) for words, n, value, stderr in self.rows()]
        foot = [
            f"{self.iterations:,} iterations in {self.seconds:.2f} s, seed {self.settings.get('seed')}"
            + (", interrupted" if self.interrupted else "")
        ]
        return _html.bars(f"best: {self.best_words()}", rows, ("visits", "value"), foot, self.words[self.best])

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data for JSON; nan becomes None."""

        def table(actions: NDArray[Any], words: dict[int, str]) -> list[dict[str, Any]]:
            return [
                {
                    "action": int(row["action"]),
                    "words": words[int(row["action"])],
                    "visits": int(row["visits"]),
                    "value": _plain(row["value"]),
                    "stderr": _plain(row["stderr"]),
                }
                for row in actions
            ]

        return {
            "position": self.position,
            "best": self.best,
            "best_words": self.best_words(),
            "value": _plain(self.value),
            "actions": table(self.actions, self.words),
            "then": table(self.then, self.then_words),
            "iterations": self.iterations,
            "nodes": self.nodes,
            "untried": self.untried,
            "threads": self.threads,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "settings": self.settings,
        }

    def to_json(self) -> str:
        """`to_dict` as a line of JSON."""
        return json.dumps(self.to_dict())

    def columns(self) -> frames.Columns:
        """As a table: `action`, `words`, `visits`, `value` and `stderr`, a row for each legal action."""
        found = frames.fields(self.actions)
        return {"action": found.pop("action"), "words": [self.words[int(a)] for a in self.actions["action"]]} | found

    def about(self) -> dict[str, Any]:
        """What made it, and the best action."""
        told = {"position": self.position, "best": self.best, "iterations": self.iterations, "nodes": self.nodes}
        return {"kind": "search", **told, "settings": self.settings}


def _number(value: float, width: int) -> str:
    return f"{'-':>{width}}" if math.isnan(value) else f"{value:>{width}.3f}"


def _plain_seed(entropy: Any) -> int | list[int]:
    """Entropy of a SeedSequence for JSON."""
    return [int(word) for word in entropy] if np.iterable(entropy) else int(entropy)


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


class Style(NamedTuple):
    """How a search plays beyond its tree's own choices; the options of `search` of these names."""

    rollout: str = "random"
    opponents: str = "tree"
    horizon: int = -1
    widening: int = 0
    exploration: float = 0.7
    depth: int = 0
    root: str = "ucb"

    def for_tree(self) -> dict[str, Any]:
        """As the compiled tree takes it."""
        return {
            "exploration": self.exploration,
            "policy_rollouts": self.rollout == "policy",
            "policy_rivals": self.opponents == "policy",
            "horizon": self.horizon,
            "widening": self.widening,
            "depth": self.depth,
            "halving": self.root == "halving",
        }


# ----------------------------------------------------------------------------------------------
# The readable twin


class _Step:
    """Statistics of one step from an information state, as `node_t` of the compiled tree."""

    def __init__(self) -> None:
        self.visits = 0
        self.available = 0
        self.total = 0.0
        self.squares = 0.0
        self.action = -1


class PythonTree:
    """The search tree over any game of the protocol: the same algorithm as the compiled one.

    Parameters
    ----------
    sample : callable
        Takes an `Rng`, returns a full state that fits what the observer knows.
    observer : int
        The seat that searches.
    rng : Rng
    max_nodes : int
    payoff : str or None
        How `returns` is read: None as it is; "score", "margin" or "win" derived from it.
    style : Style, optional
        With `opponents="policy"` the moves of the others take no nodes here, unlike in the compiled
        tree, so that a bound of nodes means something else. Policies, horizon and widening need states
        with the methods of `solver.protocol.PolicyState`.
    """

    def __init__(
        self,
        sample: Callable[[Rng], Any],
        observer: int,
        rng: Rng,
        max_nodes: int,
        payoff: str | None = None,
        style: Style | None = None,
    ) -> None:
        self.sample = sample
        self.style = style or Style()
        self.observer = observer
        self.rng = rng
        self.max_nodes = max_nodes
        self.payoff = payoff
        # information state string of the observer -> what it sees of a step -> statistics
        self.steps: dict[str, dict[Any, _Step]] = {}
        self.visits: dict[str, int] = {}
        self.root: dict[Any, _Step] | None = None
        self.num_nodes = 1
        self.iterations = 0
        self.mean = 0.0
        self.squares = 0.0
        # halving: the options left at the root, whose turn it is, what they all start from in this turn
        self.budget = 0
        self.survivors: list[Any] = []
        self.turn = self.phases = self.phase = 0
        self.dealt: Any = None
        self.chance = rng

    def run(self, iterations: int, budget: int = 0) -> None:
        """Grow the tree by so many iterations, of about `budget` (0: these) in all calls together."""
        self.budget = budget or self.iterations + iterations
        for _ in range(iterations):
            self._iterate()

    def _options(self, state: Any) -> dict[Any, list[int]]:
        """Legal actions, grouped by what the observer sees of them."""
        groups: dict[Any, list[int]] = {}
        if hasattr(state, "observed_actions"):
            for action, key in state.observed_actions(self.observer):
                groups.setdefault(key, []).append(action)
            return groups
        player = state.current_player()
        for action in listed(state.legal_actions(), "legal actions"):
            key = action if player == self.observer else state.child(action).information_state_string(self.observer)
            groups.setdefault(key, []).append(action)
        return groups

    def _chance(self, state: Any) -> None:
        """Let chance decide, until a seat does or the game ends."""
        moves = 0
        while state.current_player() == CHANCE_PLAYER:
            moves += 1
            if moves > LONGEST:
                raise endless(type(state))
            outcomes = checked_outcomes(state.chance_outcomes())
            ends = np.cumsum([p for _, p in outcomes])
            drawn = int(np.searchsorted(ends, self.rng.random() * ends[-1], side="right"))
            state.apply_action(outcomes[min(drawn, len(outcomes) - 1)][0])

    def _open_next(self, state: Any, groups: dict[Any, list[int]], untried: list[Any], room: bool) -> Any:
        """Of the options never tried the one to try now, None for none; as `open_next` of the compiled tree."""
        if not untried or not self.style.widening:
            return self.rng.choice(untried) if untried else None
        by_action = dict(zip(state.legal_actions(), state.action_scores(), strict=True))
        scores = {key: max(by_action[action] for action in groups[key]) for key in untried}
        free = [key for key in untried if scores[key] == math.inf]
        if free:
            return self.rng.choice(free)
        return max(untried, key=lambda key: scores[key]) if room else None

    def _bound(self, step: _Step, scale: float) -> float:
        return step.total / step.visits + scale * math.sqrt(math.log(step.available) / step.visits)

    def _deal(self) -> Any:
        """A full state; under halving all options in turn play from one, with one stream."""
        halves = self.style.root == "halving"
        if halves and self.dealt is not None and (self.turn or not self.phases):
            self.rng = copy.copy(self.chance)
            return self.dealt.clone()
        state = self.sample(self.rng)
        if halves:
            self.dealt = state.clone()
            self.chance = copy.copy(self.rng)
        return state

    def _next_survivor(self) -> Any:
        """What to play next at the root, as `next_survivor` of the compiled tree."""
        steps = cast(dict[Any, _Step], self.root)
        # only after whole turns, in which all have played the same deals
        while (
            self.turn == 0
            and self.phase + 1 < self.phases
            and self.phases * self.iterations >= (self.phase + 1) * self.budget
        ):
            self.survivors.sort(key=lambda key: -steps[key].total / steps[key].visits)
            del self.survivors[(len(self.survivors) + 1) // 2 :]
            self.phase += 1
        key = self.survivors[self.turn]
        self.turn = (self.turn + 1) % len(self.survivors)
        return key

    def _iterate(self) -> None:
        state = self._deal()
        scale = self.style.exploration * math.sqrt(self.squares / self.iterations) if self.iterations > 1 else 0.0
        path: list[tuple[_Step, int]] = []
        in_tree = True
        moves = length = 0
        while in_tree and not state.is_terminal():
            length += 1
            if length > LONGEST:
                raise endless(type(state))
            self._chance(state)
            if state.is_terminal():
                break
            player = state.current_player()
            if player < 0:
                raise SearchError("games with simultaneous moves cannot be searched: convert them to turns first")
            if self.style.depth and moves == self.style.depth:
                break
            moves += player == self.observer
            if player != self.observer and self.style.opponents == "policy":
                # Its move is chance: what its policy plays with the hand that was drawn for it.
                state.apply_action(state.policy_action(self.rng))
                continue
            here = state.information_state_string(self.observer)
            steps = self.steps.setdefault(here, {})
            self.visits[here] = self.visits.get(here, 0) + 1
            groups = self._options(state)
            untried = [key for key in groups if key not in steps]
            tried = [key for key in groups if key in steps]
            for key in tried:
                steps[key].available += 1
            may_grow = self.root is None or steps is self.root or self.num_nodes < self.max_nodes
            doublings = (1 + (self.visits[here] - 1) // _WIDENING_VISITS).bit_length() - 1
            halves = self.style.root == "halving" and (self.root is None or steps is self.root)
            room = not tried or len(tried) < self.style.widening + (0 if halves else doublings)
            in_turn = halves and self.phases > 0
            key = self._open_next(state, groups, untried, room) if not in_turn and (may_grow or not tried) else None
            if in_turn:
                key = self._next_survivor()
            elif halves and key is None:
                # All candidates have been tried, each from the same deal: the turns begin, with another.
                self.survivors = list(steps)
                self.phases = max(1, (len(steps) - 1).bit_length())
                self._iterate()
                return
            elif key is not None:
                in_tree = False
                if may_grow:
                    steps[key] = _Step()
                    steps[key].available = 1
                    self.num_nodes += 1
                    self.root = self.root if self.root is not None else steps
            else:
                key = max(tried, key=lambda k: self._bound(steps[k], scale))
            action = self.rng.choice(groups[key])
            if key in steps:
                path.append((steps[key], player))
                steps[key].action = action
            state.apply_action(action)
        payoffs = derive_payoffs(checked_returns(self._rollout(state)), self.payoff)
        for step, player in path:
            step.visits += 1
            step.total += payoffs[player]
            step.squares += payoffs[player] ** 2
        self.iterations += 1
        delta = payoffs[self.observer] - self.mean
        self.mean += delta / self.iterations
        self.squares += delta * (payoffs[self.observer] - self.mean)

    def _rollout(self, state: Any) -> list[float]:
        """Play from the edge of the tree on; returns, or their estimate where the horizon cuts."""
        by_policy = self.style.rollout == "policy"
        until = state.horizon_clock() + self.style.horizon if by_policy and self.style.horizon >= 0 else None
        length = 0
        while not state.is_terminal():
            length += 1
            if length > LONGEST:
                raise endless(type(state))
            self._chance(state)
            if state.is_terminal():
                break
            if until is not None and state.horizon_clock() >= until:
                return list(state.estimated_returns())
            state.apply_action(state.policy_action(self.rng) if by_policy else self.rng.choice(state.legal_actions()))
        return list(state.returns())

    def children(self, action_path: Sequence[int] = ()) -> NDArray[Any]:
        """Statistics of the observer's options at the root (or, one step on, of a two-step move)."""
        state = self.sample(self.rng)
        for action in action_path:
            state.apply_action(action)
        steps = self.steps.get(state.information_state_string(self.observer), {})
        if not state.is_terminal() and state.current_player() != self.observer:
            steps = {}
        rows = [(s.action, s.visits, s.total, s.squares) for s in steps.values() if s.visits]
        return np.array(sorted(rows), _ismcts.CHILD_DTYPE)

    def line(self, best: int) -> tuple[tuple[Any, ...], ...]:
        """The most visited moves after the best action, up to where chance decides or the tree ends.

        Returns
        -------
        tuple of (seat, words, share of the visits or None for the observer's own, "", None)
        """
        state = self.sample(self.rng)
        state.apply_action(best)
        moves: list[tuple[Any, ...]] = []
        while len(moves) < _LINE and not state.is_terminal() and state.current_player() != CHANCE_PLAYER:
            player = state.current_player()
            steps = self.steps.get(state.information_state_string(self.observer), {})
            groups = {key: group for key, group in self._options(state).items() if key in steps}
            visits = sum(steps[key].visits for key in groups)
            if not visits or visits < self.iterations / _OUTLINE:
                break
            key = max(groups, key=lambda key: steps[key].visits)
            share = None if player == self.observer else steps[key].visits / visits
            words = str(state.action_to_string(player, groups[key][0]))
            moves.append((player, words, share, "", None))
            state.apply_action(groups[key][0])
        return tuple(moves)


def derive_payoffs(returns: Sequence[float], payoff: str | None) -> list[float]:
    """Pay-off by seat from a game's returns.

    Parameters
    ----------
    returns : sequence of float
    payoff : {"score", "margin", "win"} or None
        As they are; own minus the mean of the others'; 1 for the greatest, shared on ties; None is
        "score".
    """
    values = [float(value) for value in returns]
    if payoff == "margin":
        total = math.fsum(values)
        return [value - (total - value) / (len(values) - 1) for value in values]
    if payoff == "win":
        best = max(values)
        return [(value == best) / values.count(best) for value in values]
    return values


# ----------------------------------------------------------------------------------------------
# The door


@names_nonsense
def search(
    position_or_state: Any,
    iterations: int | None = None,
    seconds: float | None = None,
    threads: int = 1,
    seed: Any = None,
    rollout: str | None = None,
    payoff: str | None = None,
    exploration: float | None = None,
    max_nodes: int = DEFAULT_MAX_NODES,
    compiled: bool | None = None,
    opponents: str | None = None,
    horizon: int | None = None,
    widening: int | None = None,
    belief: Any = None,
    depth: int | None = None,
    root: str | None = None,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Find the best play from what the seat to move knows.

    Parameters
    ----------
    position_or_state : Position or State
        A Position, or a State, of which only what its seat to move knows is used. A State of a
        Python game needs `resample_from_infostate`.
    iterations : int, optional
        Budget in iterations, over all threads. Same seed, iterations and threads: same result, to
        the bit.
    seconds : float, optional
        Budget in wall time. With both, whichever ends first; with neither, 1 second.
    threads : int, default 1
        Independent trees, grown at once and added up at the root.
    seed : int, sequence of int, numpy.random.SeedSequence, Rng or None
        None takes fresh entropy, which the result tells. A SeedSequence is not changed; an Rng is
        drawn from, and moves on.
    rollout : {"random", "policy"}, optional
        Who plays from the edge of the tree on: uniformly random legal actions, or the game's own
        rollout policy. Default: what measured best for the game, as for `opponents`, `horizon`,
        `widening`, `exploration` and `belief`; where nothing was measured, the plain algorithm.
    payoff : {"margin", "score", "win"}, optional
        What is maximised: own score minus the mean of the others', own score, or the share of the
        win. Default: for SCOUT the margin (a game with payoff "win": the win), for other games
        what they return.
    exploration : float, optional
        Weight of the exploration term, in standard deviations of the pay-off, >= 0.
    max_nodes : int, default 2,000,000
        Nodes in all trees together. In a full tree the actions tried so far compete on; those of
        the position itself are tried then, too.
    compiled : bool, optional
        False: the Python twin. True: an error if the game has no compiled side. Default: compiled
        where possible.
    opponents : {"tree", "policy"}, optional
        How the others move within the tree: to their own good, by the tree's statistics (which in
        Cowling's algorithm are of all their hidden hands together, so each plays as if it saw the
        observer's hand and not its own), or by the rollout policy, each by its own hand.
    horizon : int, optional
        Rounds (SCOUT: turns) after which a policy rollout ends with the game's estimate; -1: none.
    widening : int, optional
        Actions tried at first at a node: all that the game does not let hold back (Baker Street:
        bids and a doubt) and, up to this number in all, those that look best by its score; one more
        at 100 of the node's visits, and again at 300, 700, 1500 and so on. 0: all. No action is
        dropped: one that was not yet tried has no visits in the result.
    belief : str or callable, optional
        What the others' hidden choices are taken to be when a full state is drawn. Baker Street:
        "worth" (default), "uniform" or a callable, as `bakerstreet.Position.sample` takes it. SCOUT:
        "play" (default) or "uniform", as `scout.Position.search_sample` takes it.
    depth : int, optional
        Own decisions in the tree; from there on the rollout goes. 1: flat Monte Carlo. 0: no bound.
    root : {"ucb", "halving"}, optional
        How the budget is shared out among the actions of the position: to the greatest upper confidence
        bound each time, or by sequential halving (Karnin, Koren and Somekh, ICML 2013) of the `widening`
        best-looking ones: equal parts of the budget for all that are left in each of its phases, after
        each of which the better half by value stays.
    progress : callable, optional
        Called now and then with the share of the budget that is used, in 0..1.

    Returns
    -------
    Result

    Raises
    ------
    SearchError
        If the seat of the position is not the one to move, the game is over, chance is to decide,
        or an option is out of its range.
    ArgumentError
        If the game knows no such belief, or a callable returns no weights. What it raises is raised.

    Notes
    -----
    Ctrl-C ends a search within a tenth of a second; it returns what it has.

    Examples
    --------
    >>> from solver import ismcts, scout
    >>> p = scout.parse("scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    >>> r = ismcts.search(p, iterations=2000, seed=1)
    >>> p.action_to_string(r.best)
    'show 4-4-4'
    """
    iterations, seconds, threads, max_nodes = _checked(iterations, seconds, threads, payoff, max_nodes)
    if progress is not None and not callable(progress):
        raise SearchError(f"progress is something to call, not {progress!r}")
    if compiled is not None and not isinstance(compiled, (bool, np.bool_)):
        raise SearchError(f"compiled is True, False or None, not {compiled!r}")
    source, state = observed(position_or_state)
    defaults = source.search_defaults() if hasattr(source, "search_defaults") else {}
    if belief is not None and "belief" not in defaults:
        raise SearchError("belief: the positions of this game take none")
    usual = defaults.pop("belief", None)
    belief = usual if belief is None else belief
    style = _style(defaults, rollout, opponents, horizon, widening, exploration, depth, root)
    if hasattr(source, "search_payoff"):
        payoff = source.search_payoff(payoff)
    sequence, rngs = _streams(seed, threads)
    share = max(2, max_nodes // threads)
    trees: list[Any]
    use_compiled = hasattr(source, "search_root") if compiled is None else bool(compiled)
    if use_compiled and not hasattr(source, "search_root"):
        raise SearchError(f"{type(source).__name__} has no compiled side; use compiled=None or False")
    if use_compiled:
        origin = source.search_root(payoff) if belief is None else source.search_root(payoff, belief)
        trees = [_ismcts.Tree(origin, rng, share, **style.for_tree()) for rng in rngs]
    else:
        trees = [_python_tree(source, state, rng, share, payoff, style, belief) for rng in rngs]
    began = time.perf_counter()
    done, interrupted = _run(trees, iterations, seconds, began, progress)
    took = time.perf_counter() - began
    actions, then, best = _tables(trees, source, style.root)
    words = {int(a): _words(source, state, a) for a in actions["action"]}
    then_words = {}
    # a compiled position of another package may offer a search root and nothing else
    if len(then) or (style.depth == 1 and (state is not None or hasattr(source, "sample"))):
        before = source.sample(0) if state is None else state
        after = before.clone()
        after.apply_action(best)
        if not len(then) and _decides_again(before, after):
            # the rollouts have played it by their policy
            scores = list(after.action_scores())
            then = np.array([(after.legal_actions()[int(np.argmax(scores))], 0, np.nan, np.nan)], ACTION_DTYPE)
        then_words = {int(a): _words(after, after, a) for a in then["action"]}
    settings = {
        "game": str(getattr(source, "game", f"{type(source).__module__}.{type(source).__qualname__}")),
        "version": __version__,
        "method": "so-ismcts+pom",
        "compiled": use_compiled,
        "rules": getattr(getattr(source, "game", None), "rules_version", None),
        "seed": _plain_seed(sequence.entropy),
        "spawn_key": list(sequence.spawn_key),
        "iterations": iterations,
        "seconds": seconds,
        **style._asdict(),
        "belief": belief
        if belief is None or isinstance(belief, str)
        else getattr(belief, "__qualname__", "a callable"),
        "payoff": payoff or "returns",
        "max_nodes": max_nodes,
    }
    return Result(
        best=best,
        actions=actions,
        then=then,
        position=str(source) if state is None else str(state.information_state_string(state.current_player())),
        words=words,
        then_words=then_words,
        iterations=done,
        nodes=sum(tree.num_nodes for tree in trees),
        threads=threads,
        seconds=took,
        interrupted=interrupted,
        settings=settings,
        source=source,
        belief=belief,
        outline=trees[0].outline(done // threads // _OUTLINE) if use_compiled else np.empty(0, _ismcts.OUTLINE_DTYPE),
        line=() if use_compiled else trees[0].line(best),
    )


def _decides_again(before: Any, after: Any) -> bool:
    """Whether the seat that moved is to decide again in the same turn, and there is a policy that says what."""
    return (
        hasattr(after, "action_scores")
        and not after.is_terminal()
        and after.current_player() == before.current_player()
        and after.horizon_clock() == before.horizon_clock()
    )


def _checked(
    iterations: int | None,
    seconds: float | None,
    threads: int,
    payoff: str | None,
    max_nodes: int,
) -> tuple[int | None, float | None, int, int]:
    """The options, each within its range; the default budget filled in."""
    if iterations is None and seconds is None:
        seconds = 1.0
    if iterations is not None:
        iterations = _whole("iterations", iterations, 1, 2**62)
    if seconds is not None:
        seconds = _real("seconds", seconds)
        if not seconds > 0:
            raise SearchError(f"seconds must be a number above 0, not {seconds!r}")
    threads = _whole("threads", threads, 1, 256)
    if payoff is not None and not (isinstance(payoff, str) and payoff in _PAYOFFS):
        raise SearchError(f"payoff must be one of {', '.join(_PAYOFFS)}, not {payoff!r}")
    max_nodes = _whole("max_nodes", max_nodes, 2, 2**31)
    return iterations, seconds, threads, max_nodes


def _style(
    defaults: dict[str, Any],
    rollout: Any,
    opponents: Any,
    horizon: Any,
    widening: Any,
    exploration: Any,
    depth: Any,
    root: Any,
) -> Style:
    """How to search: each option as given, else as the game has it, else plain."""
    given = {
        "rollout": rollout,
        "opponents": opponents,
        "horizon": horizon,
        "widening": widening,
        "exploration": exploration,
        "depth": depth,
        "root": root,
    }
    chosen = {**Style()._asdict(), **defaults, **{name: value for name, value in given.items() if value is not None}}
    for name, values in (
        ("rollout", ("random", "policy")),
        ("opponents", ("tree", "policy")),
        ("root", ("ucb", "halving")),
    ):
        if not isinstance(chosen[name], str) or chosen[name] not in values:
            raise SearchError(f"{name} must be one of {', '.join(values)}, not {chosen[name]!r}")
    chosen["horizon"] = _whole("horizon", chosen["horizon"], -1, 2**31 - 1)
    chosen["widening"] = _whole("widening", chosen["widening"], 0, 2**31 - 100)
    chosen["depth"] = _whole("depth", chosen["depth"], 0, 2**31 - 1)
    chosen["exploration"] = _real("exploration", chosen["exploration"])
    if not chosen["exploration"] >= 0:
        raise SearchError(f"exploration must be a number of at least 0, not {exploration!r}")
    return Style(**chosen)


def check_options(options: dict[str, Any]) -> Style:
    """Refuse options of `search` that no game would take.

    Parameters
    ----------
    options : dict
        By name; a belief is for the game to judge.

    Returns
    -------
    Style
        Those that it has, as the trees take them; plain where none is given.

    Raises
    ------
    SearchError
        If one is out of its range.
    """
    max_nodes = options.get("max_nodes", DEFAULT_MAX_NODES)
    _checked(None, options.get("seconds"), options.get("threads", 1), options.get("payoff"), max_nodes)
    return _style({}, **{name: options.get(name) for name in Style._fields})


def _real(name: str, value: Any) -> float:
    """A finite float option."""
    try:
        result = math.nan if isinstance(value, (bool, str)) else float(value)
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not math.isfinite(result):
        raise SearchError(f"{name} must be a finite number, not {value!r}")
    return result


def _whole(name: str, value: Any, low: int, high: int) -> int:
    """An int option within its range."""
    result = whole(value)
    if result is None or not low <= result <= high:
        raise SearchError(f"{name} must be a whole number in {low}..{high}, not {value!r}")
    return result


def observed(given: Any) -> tuple[Any, Any]:
    """(what to search from, the state or None): a Position where there is one.

    Raises
    ------
    SearchError
        If no seat is to decide, or a Position is not that of the seat to move.
    """
    if offers(given, "search_sample") or offers(given, "search_root"):
        if given.current_player() != given.player:
            raise SearchError(
                f"seat {given.current_player()} is to move in this position of seat {given.player}; "
                "a search needs the position of the seat to move"
            )
        return given, None
    if not hasattr(given, "current_player"):
        raise SearchError(f"a Position or a State is needed, not {type(given).__name__}")
    if given.is_terminal():
        raise SearchError("the game is over: there is nothing to search")
    player = given.current_player()
    if player < 0:
        raise SearchError("no seat is to move: a search needs a decision of one seat")
    # a user's own class may have a `position` of another kind
    if offers(given, "position") and offers(given, "observed_actions"):
        return given.position(player), None
    if not hasattr(given, "resample_from_infostate"):
        raise SearchError(f"{type(given).__name__} has no resample_from_infostate, which a search needs")
    return given, given


def _streams(seed: Any, threads: int) -> tuple[np.random.SeedSequence, list[Rng]]:
    """The seed as a SeedSequence of its own, and a stream a thread; the first does not depend on how many."""
    if isinstance(seed, Rng):
        seed = [seed.next_u64() for _ in range(4)]
    if isinstance(seed, np.random.SeedSequence):
        # spawning from the caller's object would change it, and so the next search
        own = np.random.SeedSequence(seed.entropy, spawn_key=seed.spawn_key)
    else:
        own = Rng(seed).seed_sequence
    return own, [Rng(child) for child in own.spawn(threads)]


def _python_tree(
    source: Any, state: Any, rng: Rng, max_nodes: int, payoff: str | None, style: Style, belief: Any
) -> PythonTree:
    plain = Style()
    if style._replace(exploration=plain.exploration, depth=plain.depth, root=plain.root) != plain:
        trial = source.sample(0) if state is None else state
        for name in ("policy_action", "action_scores", "estimated_returns", "horizon_clock"):
            if not hasattr(trial, name):
                raise SearchError(f"{type(trial).__name__} has no {name}(), which policies and widening need")
    if state is None:
        more = () if belief is None else (belief,)
        return PythonTree(
            lambda stream: source.search_sample(stream, payoff, *more), source.player, rng, max_nodes, payoff, style
        )
    player = state.current_player()
    known = state.information_state_string(player)
    drawn = state.resample_from_infostate(player, Rng(0).random)
    if drawn.information_state_string(player) != known:
        raise SearchError(
            f"{type(state).__name__}.resample_from_infostate changes what seat {player} knows: "
            f"from {known!r} to {drawn.information_state_string(player)!r}"
        )
    return PythonTree(
        lambda stream: state.resample_from_infostate(player, stream.random),
        player,
        rng,
        max_nodes,
        payoff,
        style,
    )


def _grow(
    tree: Any,
    budget: int | None,
    deadline: float | None,
    stop: threading.Event,
    report: Callable[[int], None] | None,
) -> None:
    """Run one tree in slices of about `_SLICE` seconds, until its budget, the deadline or `stop`."""
    done, size, rate = 0, 1, 0.0
    ends = math.inf if deadline is None else deadline
    # halving has a few phases in each of which the clock should be looked at some times
    slice_seconds = min(_SLICE, (ends - time.perf_counter()) / 32)
    while not stop.is_set():
        if budget is not None:
            size = min(size, budget - done)
        began = time.perf_counter()
        if size <= 0 or (deadline is not None and done and began >= deadline):
            return
        # by time the budget is what the rest of the time will bear
        expected = budget if budget is not None else 2**62 if not rate else done + int(rate * (ends - began))
        tree.run(size, expected)
        done += size
        now = time.perf_counter()
        rate = size / max(now - began, 1e-9)
        left = slice_seconds if deadline is None else min(slice_seconds, ends - now)
        size = max(1, min(4 * size, int(rate * max(0.0, left))))
        if report:
            report(done)


def _run(
    trees: list[Any],
    budget: int | None,
    seconds: float | None,
    began: float,
    progress: Callable[[float], None] | None,
) -> tuple[int, bool]:
    """Grow all trees; (iterations done, whether Ctrl-C came)."""
    deadline = None if seconds is None else began + seconds
    stop = threading.Event()
    count = len(trees)
    shares = [None if budget is None else budget // count + (i < budget % count) for i in range(count)]

    def used(done: int) -> None:
        by_count = 0.0 if shares[0] is None else done / max(1, shares[0])
        by_time = 0.0 if seconds is None else (time.perf_counter() - began) / seconds
        cast(Callable[[float], None], progress)(min(1.0, max(by_count, by_time)))

    report = used if progress else None
    interrupted = False
    if count == 1:
        try:
            _grow(trees[0], shares[0], deadline, stop, report)
        except KeyboardInterrupt:
            interrupted = True
        return trees[0].iterations, interrupted
    with ThreadPoolExecutor(count) as pool:
        jobs: list[Future[None]] = []
        try:
            for tree, share in zip(trees, shares, strict=True):
                jobs.append(pool.submit(_grow, tree, share, deadline, stop, None))
            while True:
                states = wait(jobs, timeout=0.05, return_when=FIRST_EXCEPTION)
                if not states.not_done or any(job.exception() for job in states.done):
                    break
                if report:
                    report(trees[0].iterations)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
    for job in jobs:
        job.result()
    if report and not interrupted:
        report(trees[0].iterations)
    return sum(tree.iterations for tree in trees), interrupted


def _tables(trees: list[Any], source: Any, root: str) -> tuple[NDArray[Any], NDArray[Any], int]:
    """The root's table with every legal action, that of the second half of a move, the best action."""
    actions = _table([tree.children() for tree in trees], source.legal_actions())
    visits, values = actions["visits"], np.nan_to_num(actions["value"], nan=-np.inf)
    if root == "halving":
        # the last that it left have as many visits, but for what slices and threads make of it
        best = int(actions["action"][np.argmax(np.where(visits >= 0.75 * visits.max(), values, -np.inf))])
    else:
        best = int(actions["action"][np.lexsort((values, visits))[-1]])
    then = _table([tree.children((best,)) for tree in trees], None)
    return actions, then, best


def _table(parts: list[NDArray[Any]], legal: Sequence[int] | None) -> NDArray[Any]:
    """Statistics of several trees added up: visits, mean and its standard error."""
    if legal is None:
        legal = sorted({int(a) for part in parts for a in part["action"]})
    result = np.zeros(len(legal), ACTION_DTYPE)
    result["action"] = legal
    totals, squares = np.zeros(len(legal)), np.zeros(len(legal))
    for part in parts:
        at = np.searchsorted(result["action"], part["action"])
        result["visits"][at] += part["visits"]
        totals[at] += part["total"]
        squares[at] += part["squares"]
    n = result["visits"]
    with np.errstate(invalid="ignore", divide="ignore"):
        result["value"] = np.where(n > 0, totals / n, np.nan)
        variance = np.maximum(0.0, squares / n - (totals / n) ** 2) * n / (n - 1)
        result["stderr"] = np.where(n > 1, np.sqrt(variance / n), np.nan)
    return result


def _words(source: Any, state: Any, action: Any) -> str:
    if state is None:
        return str(source.action_to_string(int(action)))
    return str(state.action_to_string(state.current_player(), int(action)))
