"""Search that is made for an equilibrium, for two players whose pay-offs always sum to the same number.

`solve` grows the policy of a whole game line by line, with its exact exploitability on the way; `search`
asks for the decision of one state. Three methods, which all play one line of the game an iteration, keep
a row of numbers for each information state met, and add at most one new row for each player on a line:

- ``"oos"``, online outcome sampling (Lisy, Lanctot and Bowling, "Online Monte Carlo Counterfactual Regret
  Minimization for Search in Imperfect Information Games", AAMAS 2015): regret matching, one player after
  the other exploring; its average converges to an equilibrium. `search` with a `game` aims lines at
  the information state searched and weighs them by how they were drawn, so that this stays true.
- ``"smooth-uct"`` (Heinrich and Silver, "Smooth UCT Search in Computer Poker", IJCAI 2015): upper confidence
  bounds, mixed with the average policy. It comes near an equilibrium; that it reaches one is not proven.
- ``"uct"``: upper confidence bounds alone, each player in a tree of its own information states (Cowling, Powley
  and Whitehouse's MO-ISMCTS, IEEE TCIAIG 4, 2012, from the start of the game). It need not
  approach an equilibrium, and more time can make it more exploitable. It is here to be compared with.
"""

from __future__ import annotations

import json
import math
import operator
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from solver import _html, frames
from solver._core import Rng, whole
from solver._ismcts_twin import derive_payoffs
from solver._policy_games import describe
from solver._protocol_checks import LONGEST, checked_outcomes, checked_returns, endless, listed, names_nonsense
from solver._version import __version__
from solver.errors import ArgumentError, CompileError, SearchError
from solver.evaluate import compile as compile_whole
from solver.evaluate import evaluator
from solver.policy import PolicyTable
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER, offers
from solver.runs import HISTORY, Run, Snapshot, number_within
from solver.sampling import game_or_tree, stream
from solver.solution import Solution
from solver.tree import Floats, Tree, TreePolicy

__all__ = ["ACTION_DTYPE", "METHODS", "Result", "search", "solve"]

METHODS = ("oos", "smooth-uct", "uct")
ACTION_DTYPE = np.dtype([("action", "i4"), ("probability", "f8"), ("visits", "i8"), ("value", "f8")])
EXPLORATION = {"oos": 0.4, "smooth-uct": 0.35, "uct": 0.35}  # by default; the paper has 0.4 for searches
_LEAST = 1e-200  # a line less likely than this teaches nothing: its weight would not be a number
_PROMISES = {
    "smooth-uct": "Smooth UCT: the policy comes near an equilibrium in practice; that it reaches one is not proven",
    "uct": "UCT: the policy need not approach an equilibrium, and exploitability need not fall",
}


# ----------------------------------------------------------------------------------------------
# What is walked: a place is the number of a node of a compiled tree, or a state


class _World(Protocol):
    """A game as a walk sees it; seat 0 is paid `payoff`, seat 1 the opposite."""

    def start(self) -> Any:
        """Where a line begins."""

    def player(self, place: Any) -> int:
        """Who decides: 0, 1, chance or nobody any more."""

    def chances(self, place: Any) -> list[float]:
        """Probabilities of the outcomes at a chance node, summed up: the last is 1."""

    def key(self, place: Any, player: int) -> Hashable:
        """What stands for the information state of the player who decides."""

    def actions(self, place: Any) -> list[int]:
        """What may be played by the player who decides."""

    def after(self, place: Any, k: int) -> Any:
        """Where the k-th action or outcome leads."""

    def payoff(self, place: Any) -> float:
        """What an end pays seat 0, less half of what there is for both."""

    def leads(self, place: Any) -> list[bool] | None:
        """Which actions or outcomes can still lead to what is aimed at, or come after it; None for all."""


class _Compiled:
    """A compiled tree, by its nodes."""

    def __init__(self, tree: Tree, player: int = 0, infoset: int | None = None) -> None:
        nodes = tree.nodes
        self.tree = tree
        self._player = nodes.player.tolist()
        self._child = nodes.child.tolist()
        self._count = nodes.count.tolist()
        self._infoset = nodes.infoset.tolist()
        # with two players the entries of the two rows of pay-offs are opposite but for this
        half = float(nodes.returns[0].sum()) / 2
        self._payoff = (nodes.returns[:, 0] - half).tolist()
        self._chances: dict[int, list[float]] = {}
        self._leads = None if infoset is None else self._aim(player, infoset)
        self._first = [plex.first.tolist() for plex in tree.treeplexes]
        self._actions = [plex.actions.tolist() for plex in tree.treeplexes]

    def _aim(self, player: int, infoset: int) -> list[bool]:
        """For each node whether it lies on a line through an information state."""
        nodes = self.tree.nodes
        onward: NDArray[np.bool_] = (nodes.player == player) & (nodes.infoset == infoset)
        towards = onward.copy()
        ends = [1]  # of the levels, which follow one another
        while ends[-1] < len(onward):
            ends.append(ends[-1] + int(nodes.count[ends[-2] if len(ends) > 1 else 0 : ends[-1]].sum()))
        for lo, hi in pairwise(ends):
            onward[lo:hi] |= onward[nodes.parent[lo:hi]]
        for lo, hi in reversed(list(pairwise(ends))):
            towards[nodes.parent[lo:hi][towards[lo:hi]]] = True
        result = towards | onward
        answer: list[bool] = result.tolist()
        return answer

    def start(self) -> int:
        return 0

    def player(self, place: int) -> int:
        player: int = self._player[place]
        return player

    def chances(self, place: int) -> list[float]:
        known = self._chances.get(place)
        if known is None:
            lo = self._child[place]
            known = self._chances[place] = list(accumulate(self.tree.nodes.chance[lo : lo + self._count[place]]))
            known[-1] = 1.0
        return known

    def key(self, place: int, player: int) -> Hashable:
        return player, self._infoset[place]

    def actions(self, place: int) -> list[int]:
        player, infoset = self._player[place], self._infoset[place]
        first = self._first[player]
        actions: list[int] = self._actions[player][first[infoset] : first[infoset + 1]]
        return actions

    def after(self, place: int, k: int) -> int:
        child: int = self._child[place] + k
        return child

    def payoff(self, place: int) -> float:
        paid: float = self._payoff[self._infoset[place]]
        return paid

    def leads(self, place: int) -> list[bool] | None:
        if self._leads is None:
            return None
        lo = self._child[place]
        return self._leads[lo : lo + self._count[place]]


class _Played:
    """States of a game, played as they are.

    Parameters
    ----------
    begin : callable
        Gives a state to begin a line at, which nobody else holds.
    payoff : {"score", "margin", "win"} or None
        How `returns` is read.
    """

    def __init__(self, begin: Callable[[], Any], payoff: str | None = None) -> None:
        self._begin = begin
        self._length = 0
        self._reading = payoff
        self._sum: float | None = None

    def start(self) -> Any:
        self._length = 0
        return self._begin()

    def player(self, place: Any) -> int:
        player: int = place.current_player()
        if player not in (0, 1, CHANCE_PLAYER, TERMINAL_PLAYER):
            if player < 0:
                raise CompileError(f"several players decide at once (player {player}): convert the game to turns first")
            raise ArgumentError(f"seat {player} is to move: these methods are for two players")
        return player

    def chances(self, place: Any) -> list[float]:
        summed = list(accumulate(p for _, p in checked_outcomes(place.chance_outcomes())))
        summed[-1] = 1.0
        return summed

    def key(self, place: Any, player: int) -> Hashable:
        return player, place.information_state_string(player)

    def actions(self, place: Any) -> list[int]:
        try:
            actions = [operator.index(action) for action in listed(place.legal_actions(), "legal actions")]
        except TypeError as error:
            raise CompileError(f"legal actions are whole numbers, not {place.legal_actions()!r}") from error
        if not actions or any(a >= b for a, b in pairwise(actions)) or actions[0] < 0:
            raise CompileError(f"legal actions are one or more, ascending, not {actions}")
        return actions

    def after(self, place: Any, k: int) -> Any:
        self._length += 1
        if self._length > LONGEST:
            raise endless(type(place))
        chance = place.current_player() == CHANCE_PLAYER
        place.apply_action(place.chance_outcomes()[k][0] if chance else place.legal_actions()[k])
        return place

    def payoff(self, place: Any) -> float:
        returns = checked_returns(place.returns())
        if len(returns) != 2:
            raise ArgumentError(f"these methods are for two players, not {len(returns)}")
        first, second = derive_payoffs(returns, self._reading)
        both = first + second
        if self._sum is None:
            self._sum = both
        if abs(both - self._sum) > 1e-9 * max(1.0, abs(first), abs(second)):
            raise ArgumentError(_not_constant(f"one end pays {self._sum:g} in all, another {both:g}"))
        return (first - second) / 2

    def leads(self, place: Any) -> list[bool] | None:
        return None


def _not_constant(why: str) -> str:
    return f"these methods are for games whose pay-offs always sum to the same number: {why}"


# ----------------------------------------------------------------------------------------------
# What is learnt


class _Row:
    """An information state.

    Attributes
    ----------
    actions : list of int
    scores : list of float
        OOS: regrets. UCT: what the lines after each action paid, added up.
    plays : list of float
        The average policy, not yet divided by its sum. UCT: visits.
    visits : list of int
        Lines through each action.
    """

    __slots__ = ("actions", "plays", "scores", "total", "visits")

    def __init__(self, actions: list[int]) -> None:
        self.actions = actions
        self.scores = [0.0] * len(actions)
        self.plays = [0.0] * len(actions)
        self.visits = [0] * len(actions)
        self.total = 0  # of the visits

    def average(self) -> list[float]:
        """The average policy."""
        total = math.fsum(self.plays)
        return [p / total for p in self.plays] if total > 0 else [1 / len(self.plays)] * len(self.plays)

    def matching(self) -> list[float]:
        """The policy by regret matching."""
        kept = [r if r > 0 else 0.0 for r in self.scores]
        total = math.fsum(kept)
        return [r / total for r in kept] if total > 0 else [1 / len(kept)] * len(kept)


class _Learner(ABC):
    """Rows that grow, and the lines that make them grow."""

    def __init__(self, world: _World, rng: Rng, max_states: int) -> None:
        self.world = world
        self.rng = rng
        self.max_states = max_states
        self.rows: dict[Hashable, _Row] = {}
        self.iterations = 0

    def advance(self, iterations: int) -> None:
        """Play so many lines."""
        for _ in range(iterations):
            self.line()
            self.iterations += 1

    @abstractmethod
    def line(self) -> None:
        """Play one line and learn from it."""

    def row(self, place: Any, player: int, left: list[bool]) -> _Row | None:
        """The row of an information state; None where its player has left what is known.

        A player leaves with the information state met first: it gets its row now, what comes after it on
        this line gets none. With perfect recall nothing that comes after it is known.
        """
        if left[player]:
            return None
        key = self.world.key(place, player)
        row = self.rows.get(key)
        if row is None:
            left[player] = True
            if len(self.rows) < self.max_states:
                row = self.rows[key] = _Row(self.world.actions(place))
        return row

    def drawn(self, place: Any) -> Any:
        """Where chance leads from a chance node."""
        summed = self.world.chances(place)
        return self.world.after(place, min(bisect_right(summed, self.rng.random()), len(summed) - 1))


class _Uct(_Learner):
    """UCT over information states, and Smooth UCT.

    Parameters
    ----------
    exploration : float
        Weight of the bound, times the range of the pay-offs seen so far. A standard deviation would not do: where
        both always play the same it is 0, so that nothing else would ever be tried.
    mixing : (float, float, float) or None
        eta, gamma and d: with the chance max(gamma, eta / (1 + d sqrt(visits))) the action of the greatest
        bound is played, else one drawn by the average policy. None: always the bound.
    """

    def __init__(
        self, world: _World, rng: Rng, max_states: int, exploration: float, mixing: tuple[float, float, float] | None
    ) -> None:
        super().__init__(world, rng, max_states)
        self.exploration = exploration
        self.mixing = mixing
        self.least, self.most = math.inf, -math.inf  # pay-offs seen

    def line(self) -> None:
        world, random = self.world, self.rng.random
        scale = self.exploration * (self.most - self.least) if self.iterations else 0.0
        path: list[tuple[_Row, int, int]] = []
        left = [False, False]
        place = world.start()
        while (player := world.player(place)) != TERMINAL_PLAYER:
            if player == CHANCE_PLAYER:
                place = self.drawn(place)
                continue
            row = self.row(place, player, left)
            if row is None:
                k = int(random() * len(world.actions(place)))
            else:
                k = self._select(row, scale)
                path.append((row, k, player))
            place = world.after(place, k)
        paid = world.payoff(place)
        for row, k, player in path:
            row.total += 1
            row.visits[k] += 1
            row.plays[k] += 1.0
            row.scores[k] += paid if player == 0 else -paid
        self.least, self.most = min(self.least, paid), max(self.most, paid)

    def _select(self, row: _Row, scale: float) -> int:
        """The place of the action to play."""
        random, visits, total = self.rng.random, row.visits, row.total
        if total and self.mixing is not None:
            eta, gamma, decay = self.mixing
            if random() >= max(gamma, eta / (1 + decay * math.sqrt(total))):
                u = random() * total
                for k, n in enumerate(visits):
                    u -= n
                    if u < 0:
                        return k
        if 0 in visits:
            untried = [k for k, n in enumerate(visits) if not n]
            return untried[int(random() * len(untried))]
        width = scale * math.sqrt(math.log(total))
        best, chosen = -math.inf, 0
        for k, n in enumerate(visits):
            bound = row.scores[k] / n + width / math.sqrt(n)
            if bound > best:
                best, chosen = bound, k
        return chosen


class _Oos(_Learner):
    """Online outcome sampling.

    Parameters
    ----------
    exploration : float
        Chance of a uniformly random action at the decisions of the player who learns.
    aim : float
        Chance that a line is drawn among those through what is aimed at (delta).
    """

    def __init__(self, world: _World, rng: Rng, max_states: int, exploration: float, aim: float = 0.0) -> None:
        super().__init__(world, rng, max_states)
        self.exploration = exploration
        self.aim = aim

    def line(self) -> None:
        world, random, epsilon, aim = self.world, self.rng.random, self.exploration, self.aim
        learner = self.iterations % 2
        aimed = aim > 0 and random() < aim
        left = [False, False]
        # On the way here: the rival's and chance's part of the play; how likely a line that is aimed comes here,
        # and one that is not; chance's part since the last decision.
        others = towards = freely = luck = 1.0
        line: list[tuple[_Row | None, int, float, list[float], bool, float, float, float]] = []
        place = world.start()
        while (player := world.player(place)) != TERMINAL_PLAYER:
            leads = world.leads(place) if aim > 0 else None
            if player == CHANCE_PLAYER:
                summed = world.chances(place)
                play = [b - a for a, b in pairwise([0.0, *summed])] if leads is not None else None
                if play is None or leads is None:
                    k = min(bisect_right(summed, random()), len(summed) - 1)
                    chance = summed[k] - summed[k - 1] if k else summed[0]
                    towards *= chance
                else:
                    narrow = _narrowed(play, leads)
                    k = _drawn(narrow if aimed else play, random())
                    chance = play[k]
                    towards *= narrow[k]
                freely *= chance
                others *= chance
                luck *= chance
                place = world.after(place, k)
                continue
            row = self.row(place, player, left)
            if row is None:
                n = len(world.actions(place))
                strategy = [1 / n] * n
            else:
                n = len(row.scores)
                strategy = row.matching()
            mine = player == learner
            play = [epsilon / n + (1 - epsilon) * p for p in strategy] if mine else strategy
            here = aim * towards + (1 - aim) * freely
            if leads is None:
                k = _drawn(play, random())
                towards *= play[k]
            else:
                narrow = _narrowed(play, leads)
                k = _drawn(narrow if aimed else play, random())
                towards *= narrow[k]
            freely *= play[k]
            line.append((row, k, strategy[k], strategy, mine, others, here, luck))
            luck = 1.0
            if not mine:
                others *= strategy[k]
            place = world.after(place, k)
        paid = world.payoff(place) if learner == 0 else -world.payoff(place)
        drawn = aim * towards + (1 - aim) * freely
        tail = luck  # how likely the play of both and of chance goes on as it did
        for row, k, p, strategy, mine, others, here, luck in reversed(line):
            after, tail = tail, tail * p
            if row is not None:
                row.total += 1
                row.visits[k] += 1
                if mine:
                    if drawn > _LEAST:
                        weight = paid * others / drawn
                        scores, lost = row.scores, weight * tail
                        for i in range(len(scores)):
                            scores[i] -= lost
                        scores[k] += weight * after
                elif here > _LEAST:
                    # The rival explores nothing here, so this comes to its own part of the play, times what is the
                    # same for all its strategies.
                    weight = others / here
                    plays = row.plays
                    for i, q in enumerate(strategy):
                        plays[i] += weight * q
            tail *= luck


def _narrowed(play: list[float], leads: list[bool]) -> list[float]:
    """A distribution over what leads to the target alone; zeros where nothing does, and no aimed line comes."""
    total = math.fsum(p for p, on in zip(play, leads, strict=True) if on)
    if total > 0:
        return [p / total if on else 0.0 for p, on in zip(play, leads, strict=True)]
    count = sum(leads)
    # what would lead there is not played: all of it alike
    return [1 / count if on else 0.0 for on in leads] if count else [0.0] * len(play)


def _drawn(play: list[float], u: float) -> int:
    """The place where a random number falls; never one of chance 0."""
    last = 0
    for k, p in enumerate(play):
        if p > 0:
            if u < p:
                return k
            u -= p
            last = k
    return last


# ----------------------------------------------------------------------------------------------
# The doors


@dataclass(frozen=True, eq=False)
class Result(frames.Framed):
    """What a search found for one decision, and what made it.

    Attributes
    ----------
    best : int
        The most probable action, among equals the first. In an equilibrium play is mixed, and who always plays
        the most probable action can be exploited: `sample` draws one.
    actions : numpy.ndarray
        One row for each legal action, ascending: `action`, `probability` in the average policy, `visits`
        (lines through it) and `value`, the mean pay-off of these lines, less half of what there is
        for both; nan where there are none, and by "oos", whose lines explore.
    position : str
        What was searched: a Position in one line, or the information state string.
    words : dict of int to str
        Each action in plain language.
    iterations, nodes : int
        Lines played, and information states met.
    seconds : float
    interrupted : bool
        Whether Ctrl-C ended it.
    settings : dict
        What is needed to run it again.
    """

    best: int
    actions: NDArray[Any]
    position: str
    words: dict[int, str]
    iterations: int
    nodes: int
    seconds: float
    interrupted: bool
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def probabilities(self) -> dict[int, float]:
        """Action to probability."""
        return dict(zip(self.actions["action"].tolist(), self.actions["probability"].tolist(), strict=True))

    def sample(self, rng: Any) -> int:
        """An action drawn by the probabilities; `rng` has a method `random`, as an `Rng` and numpy's generators."""
        return int(self.actions["action"][_drawn(self.actions["probability"].tolist(), float(rng.random()))])

    def __str__(self) -> str:
        limit = 15
        order = np.lexsort((self.actions["action"], -self.actions["probability"]))[:limit]
        width = max(24, *(len(self.words[int(row["action"])]) for row in self.actions[order]))
        lines = [f"{'action':<{width}}{'probability':>12}{'visits':>10}{'value':>9}"]
        for row in self.actions[order]:
            value = "-" if math.isnan(row["value"]) else f"{row['value']:.3f}"
            words = self.words[int(row["action"])]
            lines.append(f"{words:<{width}}{row['probability']:>12.4f}{row['visits']:>10,}{value:>9}")
        if len(self.actions) > limit:
            lines.append(f"... and {len(self.actions) - limit} more actions")
        lines.append(f"best: {self.words[self.best]}")
        lines.append(
            f"{self.iterations:,} iterations in {self.seconds:.2f} s, {self.nodes:,} information states, "
            f"seed {self.settings.get('seed')}" + (", interrupted" if self.interrupted else "")
        )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Bars of probabilities and values, for a notebook."""
        order = np.lexsort((self.actions["action"], -self.actions["probability"]))
        rows = [
            (self.words[int(row["action"])], float(p), f"{p:.4f}", float(row["value"]), math.nan)
            for row in self.actions[order]
            for p in [row["probability"]]
        ]
        foot = [f"{self.iterations:,} iterations in {self.seconds:.2f} s, seed {self.settings.get('seed')}"]
        best = self.words[self.best]
        return _html.bars(f"best: {best}", rows, ("probability", "value"), foot, best)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data for JSON; nan becomes None."""
        return {
            "position": self.position,
            "best": self.best,
            "best_words": self.words[self.best],
            "actions": [
                {
                    "action": int(row["action"]),
                    "words": self.words[int(row["action"])],
                    "probability": float(row["probability"]),
                    "visits": int(row["visits"]),
                    "value": None if math.isnan(row["value"]) else float(row["value"]),
                }
                for row in self.actions
            ],
            "iterations": self.iterations,
            "nodes": self.nodes,
            "seconds": self.seconds,
            "interrupted": self.interrupted,
            "settings": self.settings,
        }

    def to_json(self) -> str:
        """`to_dict` as a line of JSON."""
        return json.dumps(self.to_dict())

    def columns(self) -> frames.Columns:
        """As a table: `action`, `words`, `probability`, `visits` and `value`, a row for each legal action."""
        found = frames.fields(self.actions)
        return {"action": found.pop("action"), "words": [self.words[int(a)] for a in self.actions["action"]]} | found

    def about(self) -> dict[str, Any]:
        """What made it, and the best action."""
        told = {"position": self.position, "best": self.best, "iterations": self.iterations, "nodes": self.nodes}
        return {"kind": "online search", **told, "settings": self.settings}


@names_nonsense
def solve(
    game: Any,
    method: str = "oos",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    *,
    callback: Callable[[Snapshot], Any] | None = None,
    every: int | None = None,
    seed: Any = None,
    exploration: float | None = None,
    mixing: tuple[float, float, float] = (0.9, 0.1, 0.001),
    compile_bytes: int = 256 << 20,
    max_states: int = 2_000_000,
    progress: Callable[[int, float], None] | None = None,
) -> Solution:
    """Grow the policy of a whole game, line by line from its start.

    For an equilibrium of a game that compiles `cfr.solve` is faster by orders of magnitude. This is for
    what a search does with its time, and for games that do not compile.

    Parameters
    ----------
    game : Game, Tree or str
        A game for two players whose pay-offs always sum to the same number. If it compiles within
        `compile_bytes`, its tree is walked and exploitability is exact; else its states are played.
    method : {"oos", "smooth-uct", "uct"}
    iterations, target, seconds : optional
        As in `cfr.solve`; an iteration plays one line. `target` needs a game that compiles.
    callback, every : optional
        As in `cfr.solve`.
    seed : int, sequence of int, SeedSequence, Rng, optional
        The only source of chance; a new one by default. `Solution.settings["seed"]` gives the same run again.
    exploration : float, optional
        "oos": chance of a uniformly random action at the learner's decisions, in (0, 1]; 0.4 by default. The others:
        weight of the bound, times the range of the pay-offs seen; 0.35 by default.
    mixing : (float, float, float), default (0.9, 0.1, 0.001)
        "smooth-uct": eta, gamma and d. With the chance max(gamma, eta / (1 + d sqrt(visits))) an
        information state plays the action of the greatest bound, else by its average policy.
    compile_bytes : int, default 256 MiB
    max_states : int, default 2,000,000
        Information states that are kept; those met after that are played uniformly.
    progress : callable, optional
        Called with the iterations and seconds done, many times a second.

    Returns
    -------
    Solution
        Its policy is the average one. Where the game was not compiled `exploitability` and `value` are nan.

    Raises
    ------
    ArgumentError
        If an argument is out of its range, or the game is for other methods.
    CompileError
        If the game contradicts itself.

    Examples
    --------
    >>> from solver import kuhn
    >>> solve(kuhn.Game(), "oos", iterations=20_000, seed=1).exploitability < 0.05
    True
    """
    options = _options(method, exploration, mixing, max_states)
    number_within("compile_bytes", compile_bytes, 0, math.inf)
    plan = Run(iterations, target, seconds, every, callback, progress, 100_000)
    rng, told = stream(seed)
    with plan:
        whole_game = game_or_tree(game, compile_bytes)
        world: _World
        if isinstance(whole_game, Tree):
            _check_tree(whole_game)
            world = _Compiled(whole_game)
            settings = dict(whole_game.told)
        else:
            if plan.target is not None:
                raise ArgumentError("a target needs a game that compiles: give iterations or seconds instead")
            players = whole_game.num_players()
            if whole(players) != 2:
                raise ArgumentError(f"these methods are for two players, not {players!r}")
            world = _Played(whole_game.new_initial_state)
            settings = describe(whole_game)
        learner = _learner(world, rng, options)
        grown = _Grown(learner, whole_game)
        settings |= options | {"seed": told, "version": __version__, "compiled": isinstance(whole_game, Tree)}
        plan.begin()
        plan.go(learner.advance, grown.exploitability, grown.policy)
    settings |= {"iterations": plan.done, "seconds": plan.elapsed(), "infosets": len(learner.rows)}
    tree_policy = grown.tree_policy()
    return Solution(
        tree_policy,
        plan.exploitability,
        plan.value,
        plan.done,
        settings["seconds"],
        np.array(plan.history, HISTORY),
        settings,
        plan.interrupted,
        _PROMISES.get(method),
        make_policy=partial(grown.table, dict(settings)) if tree_policy is None else None,
    )


@names_nonsense
def search(
    position_or_state: Any,
    method: str = "oos",
    iterations: int | None = None,
    seconds: float | None = None,
    *,
    game: Any = None,
    seed: Any = None,
    exploration: float | None = None,
    mixing: tuple[float, float, float] = (0.9, 0.1, 0.001),
    aim: float = 0.5,
    payoff: str | None = None,
    max_states: int = 2_000_000,
    progress: Callable[[float], None] | None = None,
) -> Result:
    """Find how to play one decision.

    Parameters
    ----------
    position_or_state : Position or State
        Of which only what its seat to move knows is used.
    method : {"oos", "smooth-uct", "uct"}
    iterations : int, optional
        Budget in lines. Same seed and iterations: same result, to the bit.
    seconds : float, optional
        Budget in wall time. With both, whichever ends first; with neither, 1 second.
    game : Game, Tree or str, optional
        "oos" alone: search from the start of the game, which must compile (`cfr.compile`; a Tree saves doing so for
        each decision). Then the policy converges to that of an equilibrium of the whole game. Without it lines begin
        at states drawn by `resample_from_infostate` (a Position's `search_sample`), as if how likely they
        are were certain and known to both: what is found is an equilibrium of that smaller game alone,
        which the rival may exploit by having played otherwise.
    seed : int, sequence of int, SeedSequence, Rng, optional
    exploration, mixing : optional
        As in `solve`.
    aim : float, default 0.5
        With `game`: share of the lines that are drawn among those through the information state searched (the
        paper's delta), in 0..1, 1 excluded.
    payoff : {"margin", "score", "win"}, optional
        What is maximised, as in `ismcts.search`.
    max_states : int, default 2,000,000
        As in `solve`.
    progress : callable, optional
        Called now and then with the share of the budget that is used, in 0..1.

    Returns
    -------
    Result

    Raises
    ------
    ArgumentError
        If an argument is out of its range, or the game is for other methods.
    SearchError
        If nobody is to decide, or the state cannot be searched.
    CompileError
        If `game` cannot be compiled.

    Notes
    -----
    Ctrl-C ends a search; it gives what it has.

    Examples
    --------
    >>> from solver import kuhn
    >>> state = kuhn.Game().new_initial_state()
    >>> for action in (2, 0, 0, 1):  # the first has the best card, the second the worst; pass, bet
    ...     state.apply_action(action)
    >>> result = search(state, game=kuhn.Game(), iterations=4000, seed=1)
    >>> result.words[result.best], result.probabilities[1] > 0.95
    ('bet', True)
    """
    options = _options(method, exploration, mixing, max_states)
    aim = number_within("aim", aim, 0, 1)
    if aim == 1:
        raise ArgumentError("aim is less than 1: what other lines are worth would never be learnt")
    if iterations is None and seconds is None:
        seconds = 1.0
    plan = Run(iterations, None, seconds, None, None, _share_used(iterations, seconds, progress), 1)
    rng, told = stream(seed)
    with plan:
        source, player = _decision(position_or_state, game is None)
        aims: dict[str, Any] = {}
        key: Hashable
        if game is None:
            key, world = _from_what_is_known(source, player, rng, payoff)
            settings = _told_of(source)
        else:
            if options["method"] != "oos":
                raise ArgumentError(f"game: oos alone searches from the start of a game, {method} does not")
            if payoff is not None:
                raise ArgumentError("payoff: what a whole game pays is an option of the game")
            tree = compile_whole(game)
            _check_tree(tree)
            infoset = _find(tree, source.information_state_string(player), player)
            key, world = (player, infoset), _Compiled(tree, player, infoset)
            settings, aims = dict(tree.told), {"aim": aim}
        learner = _learner(world, rng, options, **aims)
        plan.begin()
        plan.go(learner.advance, lambda: (math.nan, []), lambda: None)
    actions = _table(learner, key, player, [int(action) for action in source.legal_actions()])
    best = int(actions["action"][np.argmax(actions["probability"])])
    settings |= options | aims
    settings |= {"from": "what is known" if game is None else "the start", "payoff": payoff or "returns"}
    settings |= {"seed": told, "iterations": iterations, "seconds": seconds, "version": __version__}
    return Result(
        best,
        actions,
        str(source) if offers(source, "search_sample") else str(source.information_state_string(player)),
        {int(action): _words(source, player, int(action)) for action in actions["action"]},
        plan.done,
        len(learner.rows),
        plan.elapsed(),
        plan.interrupted,
        settings,
    )


def _options(method: Any, exploration: Any, mixing: Any, max_states: Any) -> dict[str, Any]:
    """What a method is told, each within its range."""
    if not isinstance(method, str) or method not in METHODS:
        raise ArgumentError(f"method is one of {', '.join(METHODS)}, not {method!r}")
    if exploration is None:
        exploration = EXPLORATION[method]
    oos = method == "oos"
    exploration = number_within("exploration", exploration, 1e-9 if oos else 0, 1 if oos else math.inf)
    states = whole(max_states)
    if states is None or states < 1:
        raise ArgumentError(f"max_states is a whole number of at least 1, not {max_states!r}")
    options: dict[str, Any] = {"method": method, "exploration": exploration, "max_states": states}
    if method == "smooth-uct":
        if not isinstance(mixing, (tuple, list)) or len(mixing) != 3:
            raise ArgumentError(f"mixing is three numbers, eta, gamma and d, not {mixing!r}")
        eta, gamma = (number_within(f"mixing: {n}", m, 0, 1) for n, m in zip(("eta", "gamma"), mixing, strict=False))
        options["mixing"] = [eta, gamma, number_within("mixing: d", mixing[2], 0, math.inf)]
    return options


def _learner(world: _World, rng: Rng, options: dict[str, Any], aim: float = 0.0) -> _Learner:
    """The learner of a method."""
    states, exploration = options["max_states"], options["exploration"]
    if options["method"] == "oos":
        return _Oos(world, rng, states, exploration, aim)
    mixing = options.get("mixing")
    return _Uct(world, rng, states, exploration, None if mixing is None else (mixing[0], mixing[1], mixing[2]))


def _check_tree(tree: Tree) -> None:
    """Refuse games that the methods are not for."""
    if tree.num_players != 2:
        raise ArgumentError(f"these methods are for two players, not {tree.num_players}")
    if not tree.constant_sum:
        sums = tree.nodes.returns.sum(axis=1)
        raise ArgumentError(_not_constant(f"one end of {tree.name} pays {sums.min():g} in all, another {sums.max():g}"))


class _Grown:
    """The average policy of a learner over a whole game.

    Parameters
    ----------
    learner : _Learner
    game : Tree or Game
        What its world is made of.
    """

    def __init__(self, learner: _Learner, game: Any) -> None:
        self.learner = learner
        self.game = game

    def _averages(self) -> list[Floats]:
        """Probabilities by sequence of each player; uniform where no line came."""
        averages = [plex.uniform() for plex in self.game.treeplexes]
        firsts = [plex.first for plex in self.game.treeplexes]
        for key, row in self.learner.rows.items():
            player, infoset = _numbers(key)
            first = firsts[player][infoset]
            averages[player][first : first + len(row.plays)] = row.average()
        return averages

    def exploitability(self) -> tuple[float, list[float]]:
        """Exploitability and values of the average policy; nan where the game is not compiled."""
        if not isinstance(self.game, Tree):
            return math.nan, [math.nan, math.nan]
        pairs = evaluator(self.game).responses(self._averages())
        return math.fsum(best - value for best, value in pairs) / 2, [value for _, value in pairs]

    def policy(self) -> TreePolicy | PolicyTable:
        """The average policy; a table of the information states met where the game is not compiled."""
        return self.tree_policy() or self.table(describe(self.game))

    def tree_policy(self) -> TreePolicy | None:
        """The average policy of a compiled game, None of another."""
        return TreePolicy(self.game, tuple(self._averages())) if isinstance(self.game, Tree) else None

    def table(self, meta: dict[str, Any]) -> PolicyTable:
        """The average policy over the information states met; `meta` tells the game and what made it."""
        rows = list(self.learner.rows.values())
        keys: list[Any] = list(self.learner.rows)
        return PolicyTable.build(
            [text for _, text in keys],
            np.array([player for player, _ in keys], np.int8),
            np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row.actions) for row in rows], dtype=np.int64)]),
            np.array([action for row in rows for action in row.actions], np.int32),
            np.array([p for row in rows for p in row.average()], np.float64),
            meta=meta,
        )


def _numbers(key: Any) -> tuple[int, int]:
    """Player and information state of a row over a compiled tree."""
    player, infoset = key
    return player, infoset


def _share_used(
    iterations: int | None, seconds: float | None, progress: Callable[[float], None] | None
) -> Callable[[int, float], None] | None:
    """From iterations and seconds done to the share of the budget, which is what the caller wants to hear."""
    if progress is None:
        return None
    if not callable(progress):
        raise ArgumentError(f"progress is something to call, not {progress!r}")

    def used(done: int, took: float) -> None:
        progress(min(1.0, max(done / iterations if iterations else 0.0, took / seconds if seconds else 0.0)))

    return used


def _decision(given: Any, as_position: bool) -> tuple[Any, int]:
    """What to search, a Position if there is one and it is wanted, and who is to move."""
    if not hasattr(given, "current_player"):
        raise SearchError(f"a Position or a State is needed, not {type(given).__name__}")
    is_position = offers(given, "search_sample")
    if is_position and not as_position:
        raise SearchError("a Position does not say how the game came there: with a game a State is needed")
    if not is_position and given.is_terminal():
        raise SearchError("the game is over: there is nothing to search")
    player: int = given.current_player()
    if player < 0:
        raise SearchError("no seat is to move: a search needs a decision of one seat")
    if player > 1:
        raise ArgumentError(f"seat {player} is to move: these methods are for two players")
    if is_position:
        if player != given.player:
            raise SearchError(f"seat {player} is to move in this position of seat {given.player}")
        return given, player
    if as_position and offers(given, "position") and offers(given, "observed_actions"):
        return given.position(player), player
    if as_position and not hasattr(given, "resample_from_infostate"):
        raise SearchError(f"{type(given).__name__} has no resample_from_infostate: give its game as well")
    return given, player


def _from_what_is_known(source: Any, player: int, rng: Rng, payoff: Any) -> tuple[Hashable, _World]:
    """The row of the decision, and the game that begins with a draw of what is hidden from its seat."""
    if offers(source, "search_sample"):
        payoff = source.search_payoff(payoff) if offers(source, "search_payoff") else payoff
        known = source.search_sample(Rng(0), payoff).information_state_string(player)
        return (player, known), _Played(lambda: source.search_sample(rng, payoff), payoff)
    if payoff not in (None, "score", "margin", "win"):
        raise ArgumentError(f"payoff is score, margin or win, not {payoff!r}")
    known = source.information_state_string(player)
    drawn = source.resample_from_infostate(player, Rng(0).random).information_state_string(player)
    if drawn != known:
        raise SearchError(
            f"{type(source).__name__}.resample_from_infostate changes what seat {player} knows: "
            f"from {known!r} to {drawn!r}"
        )
    return (player, known), _Played(lambda: source.resample_from_infostate(player, rng.random), payoff)


def _find(tree: Tree, text: str, player: int) -> int:
    """The number of an information state."""
    try:
        return tree.treeplexes[player].texts.index(text)
    except ValueError:
        raise SearchError(f"{tree.name} has no information state {text!r} of seat {player}") from None


def _table(learner: _Learner, key: Hashable, player: int, legal: list[int]) -> NDArray[Any]:
    """The row of the decision as a table; uniform if no line came there."""
    row = learner.rows.get(key) or _Row(legal)
    result = np.zeros(len(legal), ACTION_DTYPE)
    result["action"], result["probability"], result["visits"] = legal, row.average(), row.visits
    result["value"] = math.nan
    if isinstance(learner, _Uct):
        for k, n in enumerate(row.visits):
            if n:
                result["value"][k] = row.scores[k] / n
    return result


def _told_of(source: Any) -> dict[str, Any]:
    """What settings say of the game of a position or state."""
    named = getattr(source, "game", f"{type(source).__module__}.{type(source).__qualname__}")
    return {"game": str(named), "rules": getattr(named, "rules_version", None)}


def _words(source: Any, player: int, action: int) -> str:
    if offers(source, "search_sample"):
        return str(source.action_to_string(action))
    return str(source.action_to_string(player, action))
