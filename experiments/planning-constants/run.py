"""Tunes the constants of SCOUT's planning agent by an antithetic evolution strategy; README.md says how to read it.

python experiments/planning-constants/run.py --players 3 --generations 100 --out constants.csv
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track

from solver import scout

PAIRS = 16  # of perturbations in a generation
DEALS = 400  # of a game against the opponent, each from every seat
WIDTH = 0.15  # of a perturbation, in points
STEP = 0.05  # of the first generation; falls to a twentieth
CHECK = 4000  # fresh deals on which the result is judged


def tune(game: scout.Game, start: NDArray[np.float64], generations: int, seed: int) -> NDArray[np.float64]:
    """Constants that do better against the tuned ones in all other seats.

    A generation plays each of its perturbations and its opposite on the same deals (Salimans, Ho, Chen, Sidor and
    Sutskever, "Evolution Strategies as a Scalable Alternative to Reinforcement Learning", 2017) and follows the
    estimated gradient with momentum and a common scale (as Adam, Kingma and Ba, ICLR 2015, but one for all).

    Parameters
    ----------
    game : scout.Game
    start : ndarray of float64, shape (27,)
    generations : int
    seed : int

    Returns
    -------
    ndarray of float64, shape (27,)
        The mean of the late generations, weighted by 0.95 to the age.
    """
    rng = np.random.default_rng(seed)
    here, mean = start.copy(), start.copy()
    momentum, scale = np.zeros_like(start), 0.0
    for generation in track(range(generations), description="tuning"):
        gradient = np.zeros_like(start)
        for pair in range(PAIRS):
            push = WIDTH * rng.standard_normal(start.shape)
            deals = [seed, generation, pair]
            up, down = (game.planning_contest(here + d, None, DEALS, seed=deals).mean() for d in (push, -push))
            gradient += (up - down) / (2 * WIDTH**2 * PAIRS) * push
        momentum = 0.9 * momentum + 0.1 * gradient
        scale = 0.99 * scale + 0.01 * float((gradient**2).mean())
        step = STEP * (1 - 0.95 * generation / generations)
        here = here + step * momentum / (np.sqrt(scale) + 1e-8)
        mean = 0.95 * mean + 0.05 * here
    return mean


def main() -> None:
    """Tune, judge on fresh deals, print a line and write the constants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--generations", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = []
    for players in options.players:
        game = scout.Game(players=players)
        found = tune(game, game.planning_constants, options.generations, options.seed)
        margins = game.planning_contest(found, None, CHECK, seed=[options.seed, 10**9])
        width = 1.96 * margins.std() / np.sqrt(len(margins))
        line = f"{players} players: {margins.mean():+.3f} +- {width:.3f} points a round against the tuned constants"
        Console(highlight=False).print(line)
        rows.append([players, f"{margins.mean():.4f}", f"{width:.4f}", *(f"{c:.3f}" for c in found)])
    if options.out:
        with options.out.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["players", "margin", "width", *(f"c{i}" for i in range(27))])
            writer.writerows(rows)


if __name__ == "__main__":
    main()
