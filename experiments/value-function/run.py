"""What is a SCOUT position worth before the round ends, by features that are quick to count?

solver experiment run value-function; README.md says how to read the answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import plots, scout, tables
from solver.experiment import Outcome

SCALES = {
    "smoke": {"seed": 1, "players": [2, 3, 4, 5], "blocks": 2, "deals": 2000},
    "small": {"seed": 1, "players": [2, 3, 4, 5], "blocks": 8, "deals": 50_000},
    "full": {"seed": 1, "players": [2, 3, 4, 5], "blocks": 200, "deals": 50_000},
}
FEATURES = (
    "worth of the hand",
    "cards",
    "cards in the smallest other hand",
    "owns the Active Set",
    "size of its Active Set",
    "Scouts since its Show",
    "has its Scout & Show chip",
    "turns until it is to move",
)
NAMES = ("always", *FEATURES, *(f"others' {name}" for name in FEATURES))
DIGITS = 4  # of the constants


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Blocks of deals for each number of players; the last fifth is for the test."""
    blocks, fresh = config["blocks"], max(1, config["blocks"] // 4)
    return [
        {"players": players, "seed": config["seed"], "block": block, "deals": config["deals"], "fit": block < blocks}
        for players in config["players"]
        for block in range(blocks + fresh)
    ]


def inputs(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """What the constants multiply, shape (deals, players, 17): 1, a seat's features, the means of the others'."""
    deals, players, _ = features.shape
    others = (features.sum(axis=1, keepdims=True) - features) / (players - 1)
    return np.concatenate([np.ones((deals, players, 1)), features, others], axis=2)


def margins(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """A seat's less the mean of the others', along the axis of the seats, which is the second."""
    others: NDArray[np.float64] = (values.sum(axis=1, keepdims=True) - values) / (values.shape[1] - 1)
    return values - others


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Sums of products of inputs and points, of which a fit and its errors are made: for points and for margins."""
    game = scout.Game(players=task["players"])
    features, later = game.value_samples(task["deals"], seed=[task["seed"], task["block"]])
    rows = inputs(features)
    result: dict[str, Any] = {}
    for name, x, y in (("points", rows, later), ("margins", margins(rows), margins(later))):
        x, y = x.reshape(-1, x.shape[-1]), y.ravel()
        result[name] = {"xx": (x.T @ x).tolist(), "xy": (x.T @ y).tolist(), "yy": float(y @ y), "y": float(y.sum())}
    return {"rows": int(later.size), **result}


class Sums:
    """Sums of products of some blocks."""

    def __init__(self, results: list[dict[str, Any]], name: str) -> None:
        self.rows = sum(result["rows"] for result in results)
        self.xx = np.sum([result[name]["xx"] for result in results], axis=0)
        self.xy = np.sum([result[name]["xy"] for result in results], axis=0)
        self.yy = sum(result[name]["yy"] for result in results)
        self.y = sum(result[name]["y"] for result in results)

    def explained(self, constants: NDArray[np.float64]) -> float:
        """The share of the variance that a linear function explains."""
        error = self.yy - 2 * constants @ self.xy + constants @ self.xx @ constants
        return float(1 - error / (self.yy - self.y**2 / self.rows))


def fitted(results: list[Outcome]) -> dict[int, dict[str, Any]]:
    """By number of players: the constants, and how much they explain on fresh deals."""
    found = {}
    for players in sorted({task["players"] for task, _ in results}):
        mine = [(task["fit"], result) for task, result in results if task["players"] == players]
        seen = Sums([result for fit, result in mine if fit], "points")
        # least squares by the pseudo-inverse: with two players no seat has a Scout & Show chip
        constants = np.round(np.linalg.pinv(seen.xx, hermitian=True) @ seen.xy, DIGITS)
        fresh = [result for fit, result in mine if not fit]
        worth = np.zeros(len(NAMES))
        worth[1] = 1  # the worth of the hand and nothing else
        found[players] = {
            "constants": constants,
            "rows": seen.rows,
            "points": Sums(fresh, "points").explained(constants),
            "margins": Sums(fresh, "margins").explained(constants),
            "worth_alone": Sums(fresh, "margins").explained(worth),
        }
    return found


def report(results: list[Outcome], out: Path) -> None:
    """The constants, a figure of them, and how much they explain."""
    found = fitted(results)
    rows = [
        {"feature": name, **{f"{players} players": float(fit["constants"][i]) for players, fit in found.items()}}
        for i, name in enumerate(NAMES)
    ]
    tables.write_csv(out / "constants.csv", rows)
    with plots.figure(out / "constants.svg", width=8, height=5) as (_, axes):
        for k, (players, fit) in enumerate(found.items()):
            axes.plot(
                fit["constants"],
                np.arange(len(NAMES)) + 0.15 * (k - 1.5),
                plots.MARKERS[k],
                label=f"{players} players",
            )
        axes.axvline(0, color="#888888", linewidth=1)
        axes.set(yticks=range(len(NAMES)), yticklabels=NAMES, xlabel="points for one more of it")
        axes.invert_yaxis()
        axes.legend()
    explained = [
        {
            "players": players,
            "seats in the fit": fit["rows"],
            "of the points": f"{fit['points']:.1%}",
            "of the margin": f"{fit['margins']:.1%}",
            "of the margin, by the worth of the hand alone": f"{fit['worth_alone']:.1%}",
        }
        for players, fit in found.items()
    ]
    (out / "report.md").write_text(
        f"""# What a SCOUT position is worth before the round ends

Share of the variance of what the rest of the round brings that is explained on fresh deals:

{tables.markdown(explained)}
The constants, in points; a feature of the others is the mean over them:

{tables.markdown(rows, {f"{players} players": "+z.3f" for players in found})}
![Points for one more of each feature](constants.svg)
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """The fit explains more than the hand alone, and the constants of the library are those of much more data."""
    for players, fit in fitted(results).items():
        shipped = scout.Game(players=players).value_constants
        mine = [result for task, result in results if task["players"] == players and not task["fit"]]
        theirs = Sums(mine, "margins").explained(shipped)
        assert theirs > fit["margins"] - 0.01 > fit["worth_alone"], (players, theirs, fit)
        assert theirs > 0.2, (players, theirs)
