"""Readable twin of `solver.cfr`: every method, best responses and values, by walking the game history by history.

Slow, plain Python from the papers that the docstring of `solver.cfr` names. Everything is kept in
dictionaries by (player, information state string); any number of players, chance and general-sum pay-offs.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

Key = tuple[int, str]  # a player and what it saw
Policy = Mapping[Key, Mapping[int, float]]

CHANCE, END = -1, -4


@dataclass
class History:
    """A history of the game: who decides there, and what follows."""

    player: int
    text: str = ""
    actions: list[int] = field(default_factory=list)
    chances: list[float] = field(default_factory=list)
    after: list[History] = field(default_factory=list)
    returns: list[float] = field(default_factory=list)

    @property
    def key(self) -> Key:
        return self.player, self.text


def expand(game: Any) -> History:
    """All histories of a game, as a tree."""
    return _expand(game.new_initial_state())


def _expand(state: Any) -> History:
    player = state.current_player()
    if player == END:
        return History(END, returns=list(state.returns()))
    if player == CHANCE:
        outcomes = [(a, p) for a, p in state.chance_outcomes() if p > 0]  # what cannot happen is no part of the game
        after = [_expand(state.child(action)) for action, _ in outcomes]
        return History(CHANCE, actions=[a for a, _ in outcomes], chances=[p for _, p in outcomes], after=after)
    actions = list(state.legal_actions())
    after = [_expand(state.child(action)) for action in actions]
    return History(player, state.information_state_string(player), actions, after=after)


def histories(node: History) -> list[History]:
    """A history and all after it, in order."""
    return [node, *(each for child in node.after for each in histories(child))]


# What an average or its value is


def normalized(weights: Mapping[int, float]) -> dict[int, float]:
    """Weights as probabilities; uniform if they are all 0."""
    total = sum(weights.values())
    return {a: w / total if total > 0 else 1 / len(weights) for a, w in weights.items()}


def uniform(root: History) -> dict[Key, dict[int, float]]:
    """The policy that plays each action with the same probability."""
    return {h.key: {a: 1 / len(h.actions) for a in h.actions} for h in histories(root) if h.player >= 0}


def probabilities(node: History, policy: Policy) -> list[float]:
    """How likely each of a history's actions or outcomes is."""
    return node.chances if node.player == CHANCE else [policy[node.key][a] for a in node.actions]


def values(node: History, policy: Policy) -> list[float]:
    """Expected pay-off of each player."""
    if node.player == END:
        return node.returns
    result: list[float] = []
    for p, child in zip(probabilities(node, policy), node.after, strict=True):
        below = values(child, policy)
        result = [r + p * v for r, v in zip(result or [0.0] * len(below), below, strict=True)]
    return result


def best_response(root: History, policy: Policy, player: int) -> tuple[float, dict[Key, dict[int, float]]]:
    """The most that a player can get against the others' policies, and a pure policy that gets it."""
    members: dict[Key, list[tuple[float, History]]] = defaultdict(list)

    def gather(node: History, reach: float) -> None:
        """Each own information state: its histories, and how likely the others and chance make them."""
        if node.player == player:
            members[node.key].append((reach, node))
            for child in node.after:
                gather(child, reach)
        elif node.player != END:
            for p, child in zip(probabilities(node, policy), node.after, strict=True):
                gather(child, reach * p)

    chosen: dict[Key, int] = {}

    def choice(key: Key) -> int:
        """The place of the best action at an information state."""
        if key not in chosen:
            count = len(members[key][0][1].actions)
            worth = [sum(reach * value(h.after[k]) for reach, h in members[key]) for k in range(count)]
            chosen[key] = worth.index(max(worth))
        return chosen[key]

    def value(node: History) -> float:
        """What the player gets from here on."""
        if node.player == END:
            return node.returns[player]
        if node.player == player:
            return value(node.after[choice(node.key)])
        return sum(p * value(child) for p, child in zip(probabilities(node, policy), node.after, strict=True))

    gather(root, 1.0)
    best = value(root)
    pure = {key: {a: float(k == choice(key)) for k, a in enumerate(members[key][0][1].actions)} for key in members}
    return best, pure


def nash_conv(root: History, policy: Policy) -> float:
    """The sum over players of what each could gain by deviating alone."""
    now = values(root, policy)
    return sum(best_response(root, policy, player)[0] - now[player] for player in range(len(now)))


# Methods


def growing(t: float, exponent: float) -> float:
    """t^x / (t^x + 1), the discount of Brown and Sandholm."""
    return t**exponent / (t**exponent + 1) if t > 0 else 0.0


class Rule(NamedTuple):
    """By what positive and negative regrets and the average of t iterations are multiplied before the next.

    Each is a function of t and the horizon of the run. `predicts`: the last regrets are expected again.
    """

    positive: Callable[[int, int], float]
    negative: Callable[[int, int], float]
    average: Callable[[int, int], float]
    predicts: bool = False


def keep(t: int, horizon: int) -> float:
    return 1.0


def drop(t: int, horizon: int) -> float:
    return 0.0


def power(gamma: float) -> Callable[[int, int], float]:
    return lambda t, horizon: (t / (t + 1)) ** gamma


def discount(exponent: float) -> Callable[[int, int], float]:
    return lambda t, horizon: growing(t, exponent)


RULES = {
    # Zinkevich et al. 2007
    "cfr": Rule(keep, keep, keep),
    # Tammelin 2014: negative regrets are set to 0, iteration t weighs t
    "cfr+": Rule(keep, drop, power(1)),
    # Brown and Sandholm 2019: iteration t weighs t in regrets and average
    "lcfr": Rule(power(1), power(1), power(1)),
    # the same: discounts 3/2, 0, 2
    "dcfr": Rule(discount(1.5), lambda t, horizon: 0.5, power(2)),
    # Farina, Kroer and Sandholm 2021: iteration t weighs t squared
    "pcfr+": Rule(keep, drop, power(2), predicts=True),
    # Xu et al. 2024
    "pdcfr+": Rule(discount(2.3), drop, power(5), predicts=True),
    # Zhang, McAleer and Sandholm 2024: alpha from 1 to 4, beta from -1 to -3, gamma from 30 to 25
    "hs-dcfr": Rule(
        lambda t, horizon: growing(t, 1 + 3 * min(t / horizon, 1)),
        lambda t, horizon: growing(t, -1 - 2 * min(t / horizon, 1)),
        lambda t, horizon: (t / (t + 1)) ** (30 - 5 * min((t + 1) / horizon, 1)),
    ),
    "hs-pcfr+": Rule(
        keep, drop, lambda t, horizon: (t / (t + 1)) ** (30 - 5 * min((t + 1) / horizon, 1)), predicts=True
    ),
}


class CFR:
    """A run of one method.

    Attributes
    ----------
    regrets, average, strategy : dict
        By information state, then by action: regrets; the weighted sum of the strategies times the own
        reach; the strategy of the next iteration.
    """

    def __init__(self, root: History, method: str, alternating: bool = True, horizon: int = 1000) -> None:
        self.root = root
        self.rule = RULES[method]
        self.alternating = alternating
        self.horizon = horizon
        self.players = next(len(h.returns) for h in histories(root) if h.player == END)
        self.strategy = uniform(root)
        self.regrets = {key: dict.fromkeys(row, 0.0) for key, row in self.strategy.items()}
        self.average = {key: dict.fromkeys(row, 0.0) for key, row in self.strategy.items()}
        self.iterations = 0

    def run(self, iterations: int) -> None:
        """So many iterations more."""
        for _ in range(iterations):
            turns = [[p] for p in range(self.players)] if self.alternating else [list(range(self.players))]
            for updated in turns:
                found = {player: self._observe(player) for player in updated}
                for player in updated:
                    self._learn(player, *found[player])
            self.iterations += 1

    def policy(self) -> dict[Key, dict[int, float]]:
        """The average policy."""
        return {key: normalized(weights) for key, weights in self.average.items()}

    def _observe(self, player: int) -> tuple[dict[Key, dict[int, float]], dict[Key, float]]:
        """Regrets of this iteration at each own information state, and how far the own play reaches it."""
        regrets: dict[Key, dict[int, float]] = {}
        reaches: dict[Key, float] = {}

        def walk(node: History, own: float, others: float) -> float:
            """What the player gets from here on; `own` and `others` (with chance) made the history."""
            if node.player == END:
                return node.returns[player]
            chances = probabilities(node, self.strategy)
            if node.player != player:
                return sum(p * walk(child, own, others * p) for p, child in zip(chances, node.after, strict=True))
            worths = [walk(child, own * p, others) for p, child in zip(chances, node.after, strict=True)]
            value = sum(p * w for p, w in zip(chances, worths, strict=True))
            reaches[node.key] = own
            row = regrets.setdefault(node.key, dict.fromkeys(node.actions, 0.0))
            for action, worth in zip(node.actions, worths, strict=True):
                row[action] += others * (worth - value)
            return value

        walk(self.root, 1.0, 1.0)
        return regrets, reaches

    def _learn(self, player: int, found: dict[Key, dict[int, float]], reaches: dict[Key, float]) -> None:
        """Discount what was, add what was found, and choose the next strategy."""
        t, horizon, rule = self.iterations, self.horizon, self.rule  # t iterations lie behind
        positive, negative = rule.positive(t, horizon), rule.negative(t, horizon)
        older = rule.average(t, horizon)
        for key, now in found.items():
            regrets, average, strategy = self.regrets[key], self.average[key], self.strategy[key]
            for action, regret in now.items():
                average[action] = average[action] * older + reaches[key] * strategy[action]
                before = regrets[action]
                regrets[action] = before * (positive if before > 0 else negative) + regret
            expected = regrets
            if rule.predicts:
                ahead = rule.positive(t + 1, horizon)
                expected = {a: max(r, 0.0) * ahead + now[a] for a, r in regrets.items()}
            self.strategy[key] = normalized({a: max(r, 0.0) for a, r in expected.items()})
