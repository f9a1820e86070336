"""Readable twins of `solver.duel`: vector CFR over a dictionary of histories, and a plain walk of the game's tree.

Slow, numpy and plain Python, double precision, from the papers; nothing is skipped, nothing is laid out in
memory. The compiled solver is compared with the first, its values and best responses with the second.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from solver.games.duel import DOUBT, WAYS

CHANCES = np.array(WAYS) / 4060
SUMS = np.arange(16)


def bidder_wins(bid: int) -> np.ndarray:
    """1 where own sum (row) and rival's sum (column) reach a bid, else -1."""
    return np.where(SUMS[:, None] + SUMS[None, :] >= bid, 1.0, -1.0)


class Twin:
    """DCFR or CFR+ with alternating updates; in a player's update the rival's strategy joins the average.

    Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization" (2019);
    Tammelin, "Solving large imperfect information games using CFR+" (2014).
    """

    def __init__(self, menu: Sequence[int], plus: bool, alpha: float, beta: float, gamma: float) -> None:
        self.menu = menu
        self.plus = plus
        self.alpha, self.beta, self.gamma = alpha, beta, gamma
        self.iteration = 0
        # history -> one row of 16 sums for each action
        self.regrets: dict[tuple[int, ...], np.ndarray] = {}
        self.averages: dict[tuple[int, ...], np.ndarray] = {}

    def actions(self, history: tuple[int, ...]) -> list[int]:
        greater = [bid for bid in self.menu if not history or bid > history[-1]]
        return [*greater, DOUBT] if history else greater

    def strategy(self, history: tuple[int, ...]) -> np.ndarray:
        positive = np.maximum(self.regrets[history], 0)
        total = positive.sum(axis=0)
        uniform = np.full_like(positive, 1 / len(positive))
        return np.where(total > 0, positive / np.where(total > 0, total, 1), uniform)

    def iterate(self) -> None:
        self.iteration += 1
        for seat in range(2):
            self.walk((), seat, CHANCES)

    def walk(self, history: tuple[int, ...], seat: int, reach: np.ndarray) -> np.ndarray:
        """Values of a seat by its sum, weighed with the chance and strategy of the rival, by its sum."""
        mover = len(history) % 2
        actions = self.actions(history)
        if history not in self.regrets:
            self.regrets[history] = np.zeros((len(actions), 16))
            self.averages[history] = np.zeros((len(actions), 16))
        strategy = self.strategy(history)

        def after(action: int, reach: np.ndarray) -> np.ndarray:
            if action != DOUBT:
                return self.walk((*history, action), seat, reach)
            sign = -1 if mover == seat else 1
            return sign * (bidder_wins(history[-1]) @ reach)

        if mover != seat:
            self.averages[history] += self.iteration**self.gamma * reach * strategy
            return sum(after(action, reach * strategy[i]) for i, action in enumerate(actions))
        values = np.array([after(action, reach) for action in actions])
        value = (strategy * values).sum(axis=0)
        regrets = self.regrets[history]
        if self.plus:
            regrets[:] = np.maximum(regrets + values - value, 0)
        else:
            before = self.iteration - 1
            gain = before**self.alpha / (before**self.alpha + 1) if before else 1
            loss = before**self.beta / (before**self.beta + 1) if before else 1
            regrets[:] = regrets * np.where(regrets > 0, gain, loss) + values - value
        return value


Policy = Callable[[Any], dict[int, float]]


def moves(state: Any, policy: Policy) -> list[tuple[int, float]]:
    """Actions of chance or of a policy."""
    return state.chance_outcomes() if state.is_chance_node() else list(policy(state).items())


def expected(state: Any, policy: Policy) -> float:
    """Mean pay-off of seat 0 if all play a policy."""
    if state.is_terminal():
        return float(state.returns()[0])
    return sum(p * expected(state.child(action), policy) for action, p in moves(state, policy) if p > 0)


def best_response(game: Any, policy: Policy, seat: int) -> float:
    """Mean pay-off of a seat that plays best against a policy; any game of the protocol with perfect recall."""

    def value(bundle: list[tuple[Any, float]]) -> float:
        """Of states that the seat cannot tell apart, each with the chance to be in it."""
        total = 0.0
        mine: dict[str, list[tuple[Any, float]]] = defaultdict(list)
        while bundle:
            state, weight = bundle.pop()
            if state.is_terminal():
                total += weight * state.returns()[seat]
            elif state.current_player() == seat:
                mine[state.information_state_string(seat)].append((state, weight))
            else:
                bundle += [(state.child(action), weight * p) for action, p in moves(state, policy) if p > 0]
        for states in mine.values():
            actions = states[0][0].legal_actions()
            total += max(value([(state.child(action), weight) for state, weight in states]) for action in actions)
        return total

    return value([(game.new_initial_state(), 1.0)])


def exploitability(game: Any, policy: Policy) -> float:
    return (best_response(game, policy, 0) + best_response(game, policy, 1)) / 2
