"""Information-set Monte Carlo tree search: the best play from what one seat knows.

`search` is the door. It runs compiled on SCOUT and Baker Street, and by a readable Python twin of the same algorithm
on any game of `solver.protocol` (yours, or OpenSpiel's). Algorithm: Cowling, Powley and Whitehouse,
"Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012), SO-ISMCTS+POM: one tree of what the
observer sees, a fresh full state for each iteration, availability counts in the bound; or MO-ISMCTS, a tree for
each seat. What goes beyond it (the others sampled by a policy of their own hands or dealt anew, policy
rollouts, priors, widening, beliefs) is each an option of `search`; docs/search-notes.md has what each measured.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from solver import _html, _ismcts, explain, frames
from solver._core import Rng, whole
from solver._ismcts_twin import OUTLINE, PythonTree, Style
from solver._protocol_checks import names_nonsense
from solver._version import __version__
from solver.errors import SearchError
from solver.protocol import offers

__all__ = ["ACTION_DTYPE", "Memory", "PythonTree", "Result", "Style", "check_options", "observed", "search"]

ACTION_DTYPE = np.dtype([("action", "i4"), ("visits", "i8"), ("value", "f8"), ("stderr", "f8")])
DEFAULT_MAX_NODES = 2_000_000
_SLICE = 0.01  # seconds between two looks at the clock and for Ctrl-C
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
    selection: str | None = None,
    temperature: float | None = None,
    first_play: float | None = None,
    trees: str | None = None,
    redeal: str | None = None,
    epsilon: float | None = None,
    own: str | None = None,
    bias: float | None = None,
    memory: Memory | None = None,
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
        win. By "win" a match of SCOUT is played to its end, with the totals of the rounds before: the
        last round is played for rank. (Where no action has a chance of the win, none is better.) By the
        others each round is played for itself. Baker Street is played for the win by any. Default: for
        SCOUT the margin (a game with payoff "win": the win), for other games what they return.
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
        bound each time, as at all other nodes, or by sequential halving (Karnin, Koren and Somekh, ICML 2013)
        of the `widening` best-looking ones: equal parts of the budget for all that are left in each of its
        phases, after each of which the better half by value stays.
    selection : {"ucb", "puct"}, optional
        Which bound: UCB1, or PUCT, where exploration is shared out by priors (Rosin, "Multi-armed bandits with
        episode context", 2011; the form of Silver et al., Nature 550, 2017): the softmax of the game's action
        scores. Actions that the game does not score (their score is infinite) count as the best of the others.
        It rules where `root="halving"` does not.
    temperature : float, optional
        Of the softmax, in the units of the game's scores (SCOUT: points), > 0. Default 1.
    first_play : float, optional
        What an action never tried counts as: the mean of those tried at its node and so many standard deviations
        of the pay-off (first-play urgency: Gelly and Wang, "Exploration exploitation in Go: UCT for Monte-Carlo
        Go", 2006). Default: under UCB1 it goes first, under PUCT 0. (While all pay-offs were the same, it goes
        first.)
    trees : {"single", "multiple"}, optional
        "multiple": a tree for each seat, of what that seat sees of the steps, in which it chooses (algorithm
        MO-ISMCTS of Cowling, Powley and Whitehouse 2012); so a seat's choice may hang on what is hidden from the
        observer (of a Scout in SCOUT place and side). As in the paper each tree has one root: a seat chooses
        alike whatever it holds, as far as that is legal. What chance shows a seat counts in the observer's tree
        only. (In a game in plain Python without `observed_actions` the others' nodes are their information
        states, so what they hold and what chance shows them counts.) Needs `opponents="tree"`.
    redeal : {"none", "opponents"}, optional
        "opponents": the others do not learn from deals in which the observer holds its own cards, which they do
        not know (after Goodman, "Re-determinizing MCTS in Hanabi", 2019). In half of the iterations, drawn by
        chance, all that the seat to decide does not know is dealt anew when the turn passes from the observer to
        another seat: with a chance of 1/2 at the first such place on the way, else of 1/2 at the second, and so
        on. From there on the others choose and learn, down to the observer's next decision, which a rollout
        plays. All other iterations (those that ended before, too) go on with the deal as it was drawn; in them
        only the observer's steps learn, and the others play as they have played while learning, each step as likely
        as it was often chosen; where one has a step to try that is new to it, the rollout begins. In the paper the
        hidden cards are dealt anew at every node for the seat that is to decide there, and all of them learn from
        the one rollout. Visits at the root come to less than the iterations. Needs `opponents="tree"`.
    epsilon : float, optional
        Chance in 0..1 that any legal action is played where the policy moves, in rollouts and in the seats of
        others, in place of the policy's ("epsilon-greedy", as in Sutton and Barto, "Reinforcement Learning", 2018,
        chapter 2). Needs `rollout="policy"` or `opponents="policy"`. Default 0.
    own : {"policy", "learnt"}, optional
        How the own seat plays in policy rollouts, and which of its options look best: as the game's policy has it, or
        by a rule that is learnt from what came of choices (SCOUT: `scout.Position.learnt_action`). Default for SCOUT:
        "learnt".
    bias : float, optional
        Under `root="halving"`: for each point that an action's score is below that of the best-looking candidate, of 6
        at most, it lacks so much pay-off in all, when the better half is taken; so the oftener it was tried, the less
        its look counts (progressive bias: Chaslot, Winands, van den Herik, Uiterwijk and Bouzy, "Progressive strategies
        for Monte-Carlo tree search", New Mathematics and Natural Computation 4, 2008). Which of the last is best, and
        the values told, are by pay-off alone. >= 0. Default 0, for SCOUT 4.
    memory : Memory, optional
        Holds the tree of an earlier search of the same seat, and has watched the play since: this search goes on
        with what that one found behind the steps played, and leaves its own tree there. `visits` and values then
        count what was kept, too; `iterations` of the result does not, `settings["kept"]` tells it.
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
    if memory is not None and not isinstance(memory, Memory):
        raise SearchError(f"memory is a Memory, not {memory!r}")
    source, state = observed(position_or_state)
    defaults = source.search_defaults() if hasattr(source, "search_defaults") else {}
    if belief is not None and "belief" not in defaults:
        raise SearchError("belief: the positions of this game take none")
    usual = defaults.pop("belief", None)
    belief = usual if belief is None else belief
    given = {
        "rollout": rollout,
        "opponents": opponents,
        "horizon": horizon,
        "widening": widening,
        "exploration": exploration,
        "depth": depth,
        "root": root,
        "selection": selection,
        "temperature": temperature,
        "first_play": first_play,
        "trees": trees,
        "redeal": redeal,
        "epsilon": epsilon,
        "own": own,
        "bias": bias,
    }
    style = _style(defaults, given)
    _check_epsilon(epsilon, style.rollout, style.opponents)
    if hasattr(source, "search_payoff"):
        payoff = source.search_payoff(payoff)
    sequence, rngs = _streams(seed, threads)
    share = max(2, max_nodes // threads)
    grown: list[Any]
    use_compiled = hasattr(source, "search_root") if compiled is None else bool(compiled)
    if use_compiled and not hasattr(source, "search_root"):
        raise SearchError(f"{type(source).__name__} has no compiled side; use compiled=None or False")
    if use_compiled:
        more: tuple[Any, ...] = () if belief is None else (belief,)
        if "epsilon" in defaults:
            more = (belief, style.epsilon)
        elif style.epsilon:
            raise SearchError("epsilon: the compiled policies of this game take none")
        if "own" in defaults:
            more = (belief, style.epsilon, style.own)
        elif style.own != "policy":
            raise SearchError("own: the compiled side of this game has no rule that is learnt")
        origin = source.search_root(payoff, *more)
        grown = [_ismcts.Tree(origin, rng, share, **style.for_tree()) for rng in rngs]
    else:
        grown = [_python_tree(source, state, rng, share, payoff, style, belief) for rng in rngs]
    how = (style, payoff, belief, use_compiled)
    kept = 0 if memory is None else memory.recall(grown, source, how)
    began = time.perf_counter()
    done, interrupted = _run(grown, iterations, seconds, began, progress)
    took = time.perf_counter() - began
    if memory is not None:
        memory.keep(grown, source, how)
    actions, then, best = _tables(grown, source, style.root)
    words = {int(a): _words(source, state, a) for a in actions["action"]}
    then_words = {}
    # a compiled position of another package may offer a search root and nothing else
    if len(then) or (style.depth == 1 and (state is not None or hasattr(source, "sample"))):
        before = source.sample(0) if state is None else state
        after = before.clone()
        after.apply_action(best)
        if not len(then) and _decides_again(before, after):
            # the rollouts have played it by their policy
            scores = list(after.learnt_scores() if style.own == "learnt" else after.action_scores())
            then = np.array([(after.legal_actions()[int(np.argmax(scores))], 0, np.nan, np.nan)], ACTION_DTYPE)
        then_words = {int(a): _words(after, after, a) for a in then["action"]}
    settings = {
        "game": str(getattr(source, "game", f"{type(source).__module__}.{type(source).__qualname__}")),
        "version": __version__,
        "method": "mo-ismcts" if style.trees == "multiple" else "so-ismcts+pom",
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
        "kept": kept,
    }
    return Result(
        best=best,
        actions=actions,
        then=then,
        position=str(source) if state is None else str(state.information_state_string(state.current_player())),
        words=words,
        then_words=then_words,
        iterations=done,
        nodes=sum(tree.num_nodes for tree in grown),
        threads=threads,
        seconds=took,
        interrupted=interrupted,
        settings=settings,
        source=source,
        belief=belief,
        outline=grown[0].outline((done + kept) // threads // OUTLINE)
        if use_compiled
        else np.empty(0, _ismcts.OUTLINE_DTYPE),
        line=() if use_compiled else grown[0].line(best),
    )


class Memory:
    """The tree of one seat's last search, to go on with at its next decision: `search(..., memory=memory)`.

    Who runs the game lets it `watch` every step between two searches. A position that does not follow from the
    last one searched by the steps watched is searched afresh, as without a memory; so is one behind a step at which
    chance showed the seat something (in Baker Street a card drawn), one searched with other options, with
    `root="halving"` (which deals the budget out in equal parts) or with `trees="multiple"`, and a Position of a
    card game by the Python twin. It holds nothing that the seat did not see.

    Examples
    --------
    >>> from solver import ismcts, scout
    >>> line = "scout(players=3) | hand 4/1 6/3 | table 5/8 6/8 7/8 by 2 | cards 2 10 12 | score 5 4 0"
    >>> options = {"iterations": 2000, "seed": 1, "depth": 0, "root": "ucb"}
    >>> state, memory = scout.parse(line).sample(1), ismcts.Memory()
    >>> result = ismcts.search(state, memory=memory, **options)
    >>> result.best_words()
    'scout & show 5 (left), place 1, then show 4-5-6'
    >>> memory.watch(state, result.best)
    >>> state.apply_action(result.best)
    >>> ismcts.search(state, memory=memory, **options).settings["kept"] > 1000
    True
    """

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """The next search begins afresh."""
        self._trees: list[Any] = []
        self._how: Any = None
        self._seat = -1
        self._at: Any = None  # what the seat knows where the watched steps have led to
        self._keys: list[int] = []  # what it saw of them

    def watch(self, state: Any, action: int) -> None:
        """See a step of the game, by whichever seat or chance, before it is played.

        Parameters
        ----------
        state : State
            With all that is hidden; only what the seat sees of the step is kept.
        action : int

        Raises
        ------
        IllegalActionError
            If the action is not legal (in a game of others: what its `child` raises).
        """
        after = state.child(action)
        if self._at is None or _known(state, self._seat) != self._at:
            self.forget()
            return
        if offers(state, "observed_actions"):
            self._keys.append(dict(state.observed_actions(self._seat))[int(action)])
        self._at = _known(after, self._seat)

    def recall(self, trees: list[Any], source: Any, how: tuple[Any, ...]) -> int:
        """Give new trees what the old ones found, if the position follows and is searched alike; visits given."""
        style = how[0]
        known = _known(source, _seat(source))
        if known is None or known != self._at or how != self._how or style.root == "halving":
            return 0
        kept = 0
        for tree, earlier in zip(trees, self._trees, strict=False):
            if isinstance(tree, _ismcts.Tree):
                kept += tree.adopt(earlier, self._keys)
            elif style.trees == "single" and not offers(source, "search_sample"):
                kept += tree.adopt(earlier)
        return kept

    def keep(self, trees: list[Any], source: Any, how: tuple[Any, ...]) -> None:
        """Remember the trees of a search that is done."""
        self._trees, self._how, self._seat = trees, how, _seat(source)
        self._at, self._keys = _known(source, self._seat), []


def _seat(source: Any) -> int:
    """The seat that searches from a Position or a State."""
    return int(source.current_player())


def _known(thing: Any, seat: int) -> Any:
    """What a seat knows of a Position or a State, to compare; None where nobody is to decide."""
    if offers(thing, "search_root") or offers(thing, "search_sample"):
        return thing
    if offers(thing, "position") and offers(thing, "observed_actions"):
        return None if thing.current_player() < 0 else thing.position(seat)
    return type(thing), thing.information_state_string(seat)


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


def _style(defaults: dict[str, Any], given: dict[str, Any]) -> Style:
    """How to search: each option as given, else as the game has it, else plain."""
    chosen = {**Style()._asdict(), **defaults, **{name: value for name, value in given.items() if value is not None}}
    for name, values in (
        ("rollout", ("random", "policy")),
        ("opponents", ("tree", "policy")),
        ("root", ("ucb", "halving")),
        ("selection", ("ucb", "puct")),
        ("trees", ("single", "multiple")),
        ("redeal", ("none", "opponents")),
        ("own", ("policy", "learnt")),
    ):
        if not isinstance(chosen[name], str) or chosen[name] not in values:
            raise SearchError(f"{name} must be one of {', '.join(values)}, not {chosen[name]!r}")
    for name, value in (("trees", "multiple"), ("redeal", "opponents")):
        if chosen[name] == value and chosen["opponents"] != "tree":
            raise SearchError(f"{name}={value!r} is for opponents that choose in a tree: it needs opponents='tree'")
    chosen["horizon"] = _whole("horizon", chosen["horizon"], -1, 2**31 - 1)
    chosen["widening"] = _whole("widening", chosen["widening"], 0, 2**31 - 100)
    chosen["depth"] = _whole("depth", chosen["depth"], 0, 2**31 - 1)
    chosen["exploration"] = _real("exploration", chosen["exploration"])
    if not chosen["exploration"] >= 0:
        raise SearchError(f"exploration must be a number of at least 0, not {given['exploration']!r}")
    chosen["temperature"] = _real("temperature", chosen["temperature"])
    if not chosen["temperature"] > 0:
        raise SearchError(f"temperature must be a number above 0, not {given['temperature']!r}")
    chosen["epsilon"] = _real("epsilon", chosen["epsilon"])
    if not 0 <= chosen["epsilon"] <= 1:
        raise SearchError(f"epsilon must be a number in 0..1, not {given['epsilon']!r}")
    chosen["bias"] = _real("bias", chosen["bias"])
    if not chosen["bias"] >= 0:
        raise SearchError(f"bias must be a number of at least 0, not {given['bias']!r}")
    if chosen["first_play"] is not None:
        chosen["first_play"] = _real("first_play", chosen["first_play"])
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
    style = _style({}, {name: options.get(name) for name in Style._fields})
    # one that is not given is for the game to choose
    _check_epsilon(style.epsilon, options.get("rollout") or "policy", options.get("opponents") or "policy")
    return style


def _check_epsilon(epsilon: float | None, rollout: str, opponents: str) -> None:
    """Refuse a chance in place of a policy where no policy moves."""
    if epsilon and "policy" not in (rollout, opponents):
        raise SearchError("epsilon is for moves by policy: it needs rollout='policy' or opponents='policy'")


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
    needing = ("rollout", "opponents", "horizon", "widening", "selection", "bias")
    if style.redeal != "none" and state is not None and not hasattr(state, "observed_actions"):
        raise SearchError(f"{type(state).__name__} has no observed_actions(), which redeal needs")
    by_policy = any(getattr(style, name) != getattr(plain, name) for name in needing)
    by_rule = style.own == "learnt"
    if by_policy or by_rule:
        trial = source.sample(0) if state is None else state
        for name in ("policy_action", "action_scores", "estimated_returns", "horizon_clock"):
            if by_policy and not hasattr(trial, name):
                raise SearchError(f"{type(trial).__name__} has no {name}(), which policies and widening need")
        if by_rule and not (hasattr(trial, "learnt_action") and hasattr(trial, "learnt_scores")):
            raise SearchError(f"own: {type(trial).__name__} has no rule that is learnt")
    if state is None:
        more = () if belief is None else (belief,)
        return PythonTree(
            lambda stream: source.search_sample(stream, payoff, *more),
            source.player,
            rng,
            max_nodes,
            payoff,
            style,
            lambda full, seat, stream: full.position(seat).search_sample(stream, payoff, *more),
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
        lambda full, seat, stream: full.resample_from_infostate(seat, stream.random),
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
    first, before = trees[0].iterations, sum(tree.iterations for tree in trees)
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
        return trees[0].iterations - before, interrupted
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
                    report(trees[0].iterations - first)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            stop.set()
    for job in jobs:
        job.result()
    if report and not interrupted:
        report(trees[0].iterations - first)
    return sum(tree.iterations for tree in trees) - before, interrupted


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
