"""Speed on this machine, for `solver bench`: kernels, random play, determinization, search."""

from __future__ import annotations

import time
from typing import NamedTuple

from solver import ismcts
from solver._core import Rng, time_sets
from solver._ismcts import time_samples
from solver.games import scout

__all__ = ["Row", "measure"]


class Row(NamedTuple):
    """One measurement.

    Attributes
    ----------
    what : str
    rate : float
        In `unit`.
    unit : str
    """

    what: str
    rate: float
    unit: str


def measure(scale: float = 1.0) -> list[Row]:
    """Measure everything once, on one thread.

    Parameters
    ----------
    scale : float, default 1.0
        Amount of work; 1.0 takes some ten seconds.

    Returns
    -------
    list of Row
    """
    rows = []
    repeat = int(20_000_000 * scale)
    tops = [3, 4, 4, 9, 8, 7, 2, 2, 6, 5, 1]
    rows.append(Row("sets of an 11-card hand", repeat / time_sets(tops, [3], repeat), "hands/s"))
    for players in (2, 3, 4, 5):
        played = scout.Game(players=players).playouts(int(100_000 * scale) or 1, seed=1)
        rows.append(Row(f"random play, {players} players", played.decisions / played.seconds, "decisions/s"))
    for players in (2, 3, 4, 5):
        position = scout.Game(players=players).deal(seed=1, turned=[False] * players).position(0)
        repeat = int(1_000_000 * scale)
        took = time_samples(position.search_root(), Rng(1), repeat)
        rows.append(Row(f"determinization, {players} players", repeat / took, "samples/s"))
    for players in (2, 3, 4, 5):
        position = scout.Game(players=players).deal(seed=1, turned=[False] * players).position(0)
        began = time.perf_counter()
        result = ismcts.search(position, iterations=int(200_000 * scale) or 1, seed=1)
        rows.append(
            Row(f"search, {players} players", result.iterations / (time.perf_counter() - began), "iterations/s")
        )
    return rows
