"""What a solver gives back: a policy with its exploitability and what made it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import frames
from solver.policy import PolicyTable
from solver.tree import Tree, TreePolicy

__all__ = ["Solution", "guarantee", "table"]


@dataclass(frozen=True)
class Solution(frames.Framed):
    """What `solve` found.

    Attributes
    ----------
    tree_policy : TreePolicy or None
        The average policy, in the order of the tree; None if the game was not compiled.
    exploitability : float
        NashConv of the policy divided by the number of players, exact; nan if the game was not compiled.
    value : list of float
        Expected pay-off of each seat if all play the policy.
    iterations : int
    seconds : float
    history : structured array with fields iteration, exploitability, seconds
    settings : dict
        What made it: game, method and its parameters, threads, versions.
    interrupted : bool
        Whether Ctrl-C ended it.
    promise : str or None
        What the method promises, where that is less than what the methods of `cfr` do.
    make_policy : callable or None
        Makes the table of a game that was not compiled, when it is first asked for: a million information states take
        seconds.
    """

    tree_policy: TreePolicy | None
    exploitability: float
    value: list[float]
    iterations: int
    seconds: float
    history: NDArray[Any]
    settings: dict[str, Any]
    interrupted: bool = False
    promise: str | None = None
    make_policy: Callable[[], PolicyTable] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def policy(self) -> PolicyTable:
        """The average policy as a table."""
        if self.tree_policy is None:
            make = self.make_policy
            if make is None:  # another thread was here before
                made: PolicyTable = self.__dict__["policy"]
                return made
            # what it was made of is not needed any more
            self.__dict__.update(policy=make(), make_policy=None)
            return self.policy
        return table(self.tree_policy, self.settings | {"exploitability": self.exploitability, "value": self.value})

    def __getstate__(self) -> dict[str, Any]:
        made = {"policy": self.policy, "make_policy": None} if self.make_policy is not None else {}
        return self.__dict__ | made

    @property
    def guarantee(self) -> str:
        """What is known of the policy beside its exploitability."""
        if self.tree_policy is None:
            return "the game was not compiled: how exploitable the policy is, is not known"
        if self.promise is not None:
            return self.promise
        return guarantee(self.tree_policy.tree)

    def columns(self) -> frames.Columns:
        """The run as a table: `iteration`, `exploitability` and `seconds`, a row for each look."""
        return frames.fields(self.history)

    def about(self) -> dict[str, Any]:
        """What made it."""
        return {"kind": "run of a solver", "settings": self.settings}

    def __str__(self) -> str:
        lines = [
            f"{self.settings['game']} by {self.settings['method']}: {self.iterations:,} iterations in "
            f"{self.seconds:.2f} s{' (interrupted)' if self.interrupted else ''}",
            f"exploitability {self.exploitability:.3g}",
            "value " + " ".join(f"{v:+.6f}" for v in self.value),
            self.guarantee,
        ]
        return "\n".join(lines)


def guarantee(tree: Tree) -> str:
    """What the methods promise for a game."""
    if tree.num_players == 1:
        return "one player: the policy converges to the best one"
    if tree.num_players == 2 and tree.constant_sum:
        return f"two players, {'zero' if tree.zero_sum else 'constant'}-sum: the policy converges to an equilibrium"
    return (
        f"{tree.num_players} players{'' if tree.constant_sum else ', not zero-sum'}: no equilibrium is promised; only "
        "the joint play of all iterations approaches a coarse correlated equilibrium, and exploitability need not fall"
    )


def table(policy: TreePolicy, meta: dict[str, Any], players: tuple[int, ...] | None = None) -> PolicyTable:
    """A policy in the order of a tree as a table of its own."""
    plexes = policy.tree.treeplexes
    chosen = range(len(plexes)) if players is None else players
    counts = np.concatenate([np.diff(plexes[p].first) for p in chosen])
    return PolicyTable.build(
        [text for p in chosen for text in plexes[p].texts],
        np.concatenate([np.full(plexes[p].num_infosets, p, dtype=np.int8) for p in chosen]),
        np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(counts)]),
        np.concatenate([plexes[p].actions[1:] for p in chosen]),
        np.concatenate([policy.probabilities[p][1:] for p in chosen]),
        meta=meta,
    )
