"""Two-player zero-sum games by linear programming over sequences (Koller, Megiddo and von Stengel, 1996).

Built by walking the game itself and solved by HiGHS; nothing is shared with `solver.tree`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse

Sequence = tuple[tuple[str, int], ...]  # own information states and actions, from the start


class Plan(NamedTuple):
    """What one player should do.

    Attributes
    ----------
    value : float
        The pay-off that it secures for the player.
    policy : dict
        Information state string to action to probability.
    """

    value: float
    policy: dict[str, dict[int, float]]


class Form:
    """The sequence form: sequences and information states of both players, and the first one's pay-offs."""

    def __init__(self, game: Any) -> None:
        self.sequences: tuple[dict[Sequence, int], dict[Sequence, int]] = ({(): 0}, {(): 0})
        self.infosets: tuple[dict[str, tuple[Sequence, list[int]]], dict[str, tuple[Sequence, list[int]]]] = ({}, {})
        self.payoffs: dict[tuple[int, int], float] = defaultdict(float)
        self._walk(game.new_initial_state(), ((), ()), 1.0)

    def _walk(self, state: Any, played: tuple[Sequence, Sequence], chance: float) -> None:
        player = state.current_player()
        if player == -4:
            first, second = state.returns()
            assert abs(first + second) <= 1e-9, "a zero-sum game is needed"
            self.payoffs[self.sequences[0][played[0]], self.sequences[1][played[1]]] += chance * first
        elif player == -1:
            for action, p in state.chance_outcomes():
                self._walk(state.child(action), played, chance * p)
        else:
            text = state.information_state_string(player)
            actions = list(state.legal_actions())
            self.infosets[player][text] = played[player], actions
            for action in actions:
                mine = (*played[player], (text, action))
                self.sequences[player].setdefault(mine, len(self.sequences[player]))
                self._walk(state.child(action), (mine, played[1]) if player == 0 else (played[0], mine), chance)

    def constraints(self, player: int) -> tuple[scipy.sparse.csr_array, np.ndarray]:
        """E and e: E x = e says that x is a plan, with 1 for the empty sequence."""
        rows, columns, entries = [0], [0], [1.0]
        for row, (text, (before, actions)) in enumerate(self.infosets[player].items(), 1):
            rows += [row] * (1 + len(actions))
            columns += [self.sequences[player][s] for s in (before, *((*before, (text, a)) for a in actions))]
            entries += [-1.0] + [1.0] * len(actions)
        shape = len(self.infosets[player]) + 1, len(self.sequences[player])
        return scipy.sparse.csr_array((entries, (rows, columns)), shape=shape), np.eye(shape[0])[0]

    def matrix(self, player: int) -> scipy.sparse.csr_array:
        """Pay-offs of a player: a row for each of its sequences, a column for each of the rival's."""
        rows, columns = zip(*self.payoffs, strict=True)
        shape = len(self.sequences[0]), len(self.sequences[1])
        first = scipy.sparse.csr_array((list(self.payoffs.values()), (rows, columns)), shape=shape)
        return first if player == 0 else -first.T.tocsr()

    def plan(self, player: int) -> Plan:
        """The player's best plan: the largest v with E x = e, x >= 0, A' x - F' q >= 0, v = f' q.

        q are the dual variables of the rival's constraints F y = f: what the rival can still hold the
        player down to at each of its information states.
        """
        plans, total = self.constraints(player)
        rival, least = self.constraints(1 - player)
        payoffs = self.matrix(player)
        count = payoffs.shape[0]
        free = rival.shape[0]
        found = scipy.optimize.linprog(
            np.concatenate([np.zeros(count), -least]),
            A_ub=scipy.sparse.hstack([-payoffs.T, rival.T]).tocsc(),
            b_ub=np.zeros(payoffs.shape[1]),
            A_eq=scipy.sparse.hstack([plans, scipy.sparse.csr_array((plans.shape[0], free))]).tocsc(),
            b_eq=total,
            bounds=[(0, None)] * count + [(None, None)] * free,
            method="highs",
        )
        assert found.status == 0, found.message
        weights = np.maximum(found.x[:count], 0)
        policy = {}
        for text, (before, actions) in self.infosets[player].items():
            row = [float(weights[self.sequences[player][(*before, (text, a))]]) for a in actions]
            mass = sum(row)
            policy[text] = {a: w / mass if mass > 1e-12 else 1 / len(row) for a, w in zip(actions, row, strict=True)}
        return Plan(-float(found.fun), policy)


def solve(game: Any) -> tuple[Plan, Plan]:
    """An equilibrium: a plan for each player; the values are each other's negatives."""
    form = Form(game)
    return form.plan(0), form.plan(1)
