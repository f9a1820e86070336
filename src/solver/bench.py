"""Speed on this machine, for `solver bench`: kernels, random play, determinization, search of both games."""

from __future__ import annotations

import time
from typing import Any, Literal, NamedTuple

from solver import cfr, ismcts
from solver._core import Rng, time_sets
from solver._ismcts import time_samples
from solver.games import bakerstreet, scout

__all__ = ["Row", "baker_street", "measure"]


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
    policies: list[tuple[Literal["random", "planning"], int]] = [("random", 100_000), ("planning", 10_000)]
    for policy, count in policies:
        for players in (2, 3, 4, 5):
            played = scout.Game(players=players).playouts(int(count * scale) or 1, seed=1, policy=policy)
            rows.append(Row(f"{policy} play, {players} players", played.decisions / played.seconds, "decisions/s"))
    for players in (2, 3, 4, 5):
        position = scout.Game(players=players).deal(seed=1, turned=[False] * players).position(0)
        repeat = int(1_000_000 * scale)
        took = time_samples(position.search_root(), Rng(1), repeat)
        rows.append(Row(f"determinization, {players} players", repeat / took, "samples/s"))
    searches: list[tuple[str, dict[str, Any], int]] = [("plain search", PLAIN, 200_000), ("search", {}, 20_000)]
    for words, options, count in searches:
        for players in (2, 3, 4, 5):
            position = scout.Game(players=players).deal(seed=1, turned=[False] * players).position(0)
            began = time.perf_counter()
            result = ismcts.search(position, iterations=int(count * scale) or 1, seed=1, **options)
            rate = result.iterations / (time.perf_counter() - began)
            rows.append(Row(f"{words}, {players} players", rate, "iterations/s"))
    return rows + baker_street(scale) + solving(scale)


def solving(scale: float = 1.0) -> list[Row]:
    """The solvers' part of `measure`, on leduc."""
    tree = cfr.compile("leduc")
    count = int(200_000 * scale) or 1
    solution = cfr.solve(tree, "cfr+", iterations=count, every=count)
    rows = [Row("CFR+, leduc", count / solution.seconds, "iterations/s")]
    uniform = tree.uniform()
    count = int(20_000 * scale) or 1
    began = time.perf_counter()
    for _ in range(count):
        cfr.nash_conv(tree, uniform)
    rows.append(Row("NashConv, leduc", count / (time.perf_counter() - began), "policies/s"))
    count = int(1_000_000 * scale) or 1
    solution = cfr.solve(tree, "external", iterations=count, every=count, seed=1)
    return [*rows, Row("external sampling, leduc", count / solution.seconds, "iterations/s")]


# Ten cards of both seats with every symbol but STOP, so that all of them are read.
TEN_CARDS = [(0, 2, "x2"), (1, 5, None), (0, 1, "arrow"), (1, 0, "x2"), (0, 4, None)] * 2
# The plain algorithm: random rollouts, no policies, no beliefs.
PLAIN: dict[str, Any] = {
    "rollout": "random",
    "opponents": "tree",
    "widening": 0,
    "belief": "uniform",
    "depth": 0,
    "root": "ucb",
}
# Policies without holding back or beliefs.
SIMPLE: dict[str, Any] = {"widening": 0, "belief": "uniform"}


def baker_street(scale: float = 1.0) -> list[Row]:
    """Baker Street's part of `measure`."""
    game = bakerstreet.Game()
    rows = []
    repeat = int(20_000_000 * scale)
    took = bakerstreet.time_evaluate(TEN_CARDS, repeat)
    rows.append(Row("evaluation of 10 cards, Baker Street", repeat / took, "stacks/s"))
    for policy in ("random", "planning"):
        played = game.playouts(int(10_000 * scale) or 1, seed=1, policy=policy)
        rows.append(Row(f"{policy} play, Baker Street", played.decisions / played.seconds, "decisions/s"))
    position = game.deal(seed=1).position(0)
    repeat = int(1_000_000 * scale)
    rows.append(
        Row(
            "determinization, Baker Street",
            repeat / time_samples(position.search_root(), Rng(1), repeat),
            "samples/s",
        )
    )
    styles: list[tuple[str, dict[str, Any]]] = [
        ("search", {}),
        ("search, simple", SIMPLE),
        ("plain search", PLAIN),
    ]
    for words, options in styles:
        began = time.perf_counter()
        result = ismcts.search(position, iterations=int(200_000 * scale) or 1, seed=1, **options)
        rate = result.iterations / (time.perf_counter() - began)
        rows.append(Row(f"{words}, Baker Street", rate, "iterations/s"))
    return rows
