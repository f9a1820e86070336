"""A compiled run and its readable twin, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np

from solver import cfr
from solver._cfr import Table
from solver.symmetry import merge
from tests.reference import cfr as reference

CLOSE = 1e-10


class Pair:
    """The same run twice: over a compiled tree, and by `tests.reference.cfr`.

    Attributes
    ----------
    merged : solver.symmetry.Merged or None
        What the compiled run merged, if it was asked to and found anything.
    """

    def __init__(self, game: Any, method: str, alternating: bool, merge_equal: bool, horizon: int = 1000) -> None:
        self.method, self.alternating, self.horizon = cfr.METHODS[method], alternating, horizon
        self.tree = cfr.compile(game)
        self.merged = merge(self.tree.treeplexes) if merge_equal else None
        self.table = Table(self.tree.treeplexes if self.merged is None else self.merged.treeplexes)
        self.twin = reference.CFR(reference.expand(game), method, alternating, horizon)

    def run(self, until: int) -> None:
        """Both go on until so many iterations are done."""
        done = self.twin.iterations
        rules = self.method.rules(done + 1, until + 1, self.horizon)
        self.table.run(rules, self.method.predicts, self.alternating)
        self.twin.run(until - done)

    def compiled(self, name: str) -> list[np.ndarray]:
        """Regrets, average or strategy of the compiled run by sequence of the whole tree.

        What was merged has k times the regrets of each; otherwise each is what they all are.
        """
        found = [np.array(getattr(seat, name)) for seat in self.table.seats]
        if self.merged is None:
            return found
        if name == "regrets":
            found = [row / size for row, size in zip(found, self.merged.sizes, strict=True)]
        return [row[classes] for row, classes in zip(found, self.merged.classes, strict=True)]

    def readable(self, name: str) -> list[np.ndarray]:
        """The same of the twin, in the same order."""
        rows = getattr(self.twin, name)
        found = []
        for player, plex in enumerate(self.tree.treeplexes):
            values = [1.0]  # the empty sequence
            actions = [-1]
            for text in plex.texts:
                values += rows[player, text].values()
                actions += rows[player, text]
            assert actions == plex.actions.tolist()
            found.append(np.array(values))
        return found

    def follow(self, iterations: int) -> None:
        """The compiled run goes on alone; then the twin takes over where it stands.

        Rounding errors grow from iteration to iteration in some games, by a factor of 10 every few
        iterations: two runs that are both right drift apart. From a common point they do not get far.
        """
        done = self.twin.iterations
        rules = self.method.rules(done + 1, done + iterations + 1, self.horizon)
        self.table.run(rules, self.method.predicts, self.alternating)
        self.twin.iterations += iterations
        for name in ("regrets", "average", "strategy"):
            rows = getattr(self.twin, name)
            for player, (plex, values) in enumerate(zip(self.tree.treeplexes, self.compiled(name), strict=True)):
                for i, text in enumerate(plex.texts):
                    row = values[plex.first[i] : plex.first[i + 1]].tolist()
                    rows[player, text] = dict(zip(rows[player, text], row, strict=True))

    def check(self, close: float = CLOSE) -> None:
        """Regrets, averages and the next strategies are the same, relative to the largest of each."""
        for name in ("regrets", "average", "strategy"):
            for player, (mine, its) in enumerate(zip(self.compiled(name), self.readable(name), strict=True)):
                mine, its = mine[1:], its[1:]
                if name == "regrets" and self.method.predicts:
                    # what the next iteration drops may be dropped at once
                    mine, its = np.maximum(mine, 0), np.maximum(its, 0)
                scale = max(1.0, float(np.abs(its).max(initial=0.0)))
                worst = float(np.abs(mine - its).max(initial=0.0)) / scale
                where = f"{name} of seat {player} after {self.twin.iterations} iterations: {worst} apart"
                assert worst <= close, where
