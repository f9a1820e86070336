"""What do the constants of SCOUT's planning agent leave to be gained?

solver experiment run planning-constants; README.md says how to read the answer.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import plots, scout, tables
from solver.experiment import Outcome

SCALES = {
    "smoke": {"seed": 1, "players": [2, 3], "generations": 2, "pairs": 2, "deals": 50, "check": 200},
    "small": {"seed": 1, "players": [2, 3, 4, 5], "generations": 100, "pairs": 16, "deals": 400, "check": 4000},
    "full": {"seed": 1, "players": [2, 3, 4, 5], "generations": 1000, "pairs": 32, "deals": 1000, "check": 100_000},
}
WIDTH = 0.15  # of a perturbation, in points
STEP = 0.05  # of the first generation; falls to a twentieth
FRESH = 10**9  # a word that no generation has: the deals on which the result is judged


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """One for each number of players."""
    return [{**config, "players": players} for players in config["players"]]


def tune(game: scout.Game, task: dict[str, Any]) -> NDArray[np.float64]:
    """Constants that do better against the tuned ones in all other seats, shape (27,).

    A generation plays each of its perturbations and its opposite on the same deals (Salimans, Ho, Chen, Sidor and
    Sutskever, "Evolution Strategies as a Scalable Alternative to Reinforcement Learning", 2017) and follows the
    estimated gradient with momentum and a common scale (as Adam, Kingma and Ba, ICLR 2015, but one for all). The
    result is the mean of the late generations, weighted by 0.95 to the age.
    """
    seed, generations, pairs = task["seed"], task["generations"], task["pairs"]
    rng = np.random.default_rng(seed)
    here, mean = game.planning_constants.copy(), game.planning_constants.copy()
    momentum, scale = np.zeros_like(here), 0.0
    for generation in range(generations):
        gradient = np.zeros_like(here)
        for pair in range(pairs):
            push = WIDTH * rng.standard_normal(here.shape)
            deals = [seed, generation, pair]
            up, down = (game.planning_contest(here + d, None, task["deals"], seed=deals).mean() for d in (push, -push))
            gradient += (up - down) / (2 * WIDTH**2 * pairs) * push
        momentum = 0.9 * momentum + 0.1 * gradient
        scale = 0.99 * scale + 0.01 * float((gradient**2).mean())
        step = STEP * (1 - 0.95 * generation / generations)
        here = here + step * momentum / (np.sqrt(scale) + 1e-8)
        mean = 0.95 * mean + 0.05 * here
    return mean


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Tune, and judge on fresh deals; the tuned constants themselves are judged too, and must come to 0."""
    game = scout.Game(players=task["players"])
    found = tune(game, task)
    fresh = [task["seed"], FRESH]
    margins = game.planning_contest(found, None, task["check"], seed=fresh)
    width = 1.96 * float(margins.std(ddof=1)) / math.sqrt(len(margins))
    same = game.planning_contest(None, None, task["check"], seed=fresh)
    return {
        "margin": float(margins.mean()),
        "width": width,
        "same": float(np.abs(same).max()),
        "shipped": game.planning_constants.tolist(),
        "constants": found.tolist(),
    }


def report(results: list[Outcome], out: Path) -> None:
    """What was gained, in a table and a figure; the constants as CSV."""
    rows = [
        {"players": task["players"], "deals": task["check"], "margin": result["margin"], "width": result["width"]}
        for task, result in results
    ]
    constants = [
        {"players": task["players"], "number": i, "shipped": shipped, "found": found}
        for task, result in results
        for i, (shipped, found) in enumerate(zip(result["shipped"], result["constants"], strict=True))
    ]
    tables.write_csv(out / "margins.csv", rows)
    tables.write_csv(out / "constants.csv", constants)
    with plots.figure(out / "margins.svg", width=5) as (_, axes):
        axes.axhline(0, color="#888888", linewidth=1)
        players = [row["players"] for row in rows]
        widths = [row["width"] for row in rows]
        axes.errorbar(players, [row["margin"] for row in rows], yerr=widths, fmt="o")
        axes.set(xlabel="players", xticks=players, ylabel="gain (points a round)")
    shown = [
        {"players": row["players"], "fresh deals": row["deals"], "gain": f"{row['margin']:+.3f} ± {row['width']:.3f}"}
        for row in rows
    ]
    (out / "report.md").write_text(
        f"""# What the constants of SCOUT's planning agent leave to be gained

Points a round over the shipped constants in all other seats; ± is half of a 95 % interval.

{tables.markdown(shown)}
![Gain by number of players](margins.svg)
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """The shipped constants against themselves come to 0 in every deal."""
    for task, result in results:
        assert result["same"] == 0, task
        assert len(result["constants"]) == 27
