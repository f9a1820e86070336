"""What is starting worth in SCOUT with 2 to 5 players, and how do rounds end?

solver experiment run scout-seats --scale small; README.md says how to read the answer.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import Rng, agents, plots, scout, tables
from solver.experiment import Outcome

PLAYERS = (2, 3, 4, 5)
SCALES = {
    "smoke": {"seed": 1, "agents": {"planning": 200, "ismcts:20": 5}, "block": 100},
    "small": {"seed": 1, "agents": {"planning": 10_000, "ismcts:100": 1200}, "block": 100},
    "full": {"seed": 1, "agents": {"planning": 200_000, "ismcts:2000": 10_000}, "block": 20},
}
ENDS = {"empty_hand": "(i)", "scouted_out": "(ii)", "max_turns": "bound"}  # as docs/rules-scout.md calls them
KNOWN = {3: 0.91, 4: 0.43, 5: 0.06}  # share of ends (ii) in another engine, other planning agents


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Blocks of deals for each number of players and each agent."""
    return [
        {"players": players, "agent": agent, "seed": config["seed"], "first": first, "deals": min(block, deals - first)}
        for players in PLAYERS
        for agent, deals in config["agents"].items()
        for block in [config["block"] * (10 if agent == "planning" else 1)]
        for first in range(0, deals, block)
    ]


def measured(game: scout.Game, agent: agents.Agent, seed: int, deal: int) -> NDArray[np.float64]:
    """Means of a deal: points by order of play, ends of each kind, turns.

    The deal is played as often as there are players, each of them starting once with the same hands.
    """
    players = game.num_players()
    row = np.zeros(players + len(ENDS) + 1)
    for starter in range(players):
        state = game.deal(seed=[seed, deal], starter=starter)
        rng = Rng([seed, deal, starter])
        while not state.is_terminal():
            state.apply_action(agent.act(agents.seen(agent, game, state), rng))
        (result,) = state.round_results()
        row[:players] += np.roll(result.scores, -starter)
        row[players + list(ENDS).index(result.reason)] += 1
        row[-1] += state.turns
    return row / players


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Sums over the deals of a block, and sums of products, of which all means and intervals are made."""
    game, agent = scout.Game(players=task["players"]), agents.make(task["agent"])
    deals = range(task["first"], task["first"] + task["deals"])
    rows = np.array([measured(game, agent, task["seed"], deal) for deal in deals])
    return {"deals": len(rows), "sums": rows.sum(axis=0).tolist(), "products": (rows.T @ rows).tolist()}


class Estimates:
    """Means over deals, and how sure they are; the deal is the unit of chance."""

    def __init__(self, results: list[dict[str, Any]]) -> None:
        self.deals = sum(result["deals"] for result in results)
        self.mean = np.sum([result["sums"] for result in results], axis=0) / self.deals
        products = np.sum([result["products"] for result in results], axis=0) / self.deals
        self.covariance = (products - np.outer(self.mean, self.mean)) * self.deals / (self.deals - 1)

    def of(self, weights: NDArray[np.float64]) -> tuple[float, float]:
        """A weighted sum of the means, and half the width of its 95 % interval."""
        variance = max(float(weights @ self.covariance @ weights), 0.0)
        return float(weights @ self.mean), 1.96 * math.sqrt(variance / self.deals)


def estimates(results: list[Outcome]) -> dict[tuple[str, int], Estimates]:
    """By agent and number of players."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for task, result in results:
        found.setdefault((task["agent"], task["players"]), []).append(result)
    return {key: Estimates(found[key]) for key in sorted(found, key=lambda key: (key[1], key[0] != "planning"))}


def seat_rows(found: dict[tuple[str, int], Estimates]) -> list[dict[str, Any]]:
    """A row for each seat: points, and points over the mean of the table, with half a 95 % interval each."""
    rows = []
    for (agent, players), estimate in found.items():
        size = len(estimate.mean)
        for seat in range(players):
            only = np.eye(size)[seat]
            score, width = estimate.of(only)
            over, over_width = estimate.of(only - np.where(np.arange(size) < players, 1 / players, 0))
            cells = {"points": score, "points_width": width, "over_mean": over, "over_width": over_width}
            rows.append({"players": players, "agent": agent, "deals": estimate.deals, "seat": seat + 1, **cells})
    return rows


def end_rows(found: dict[tuple[str, int], Estimates]) -> list[dict[str, Any]]:
    """A row for each agent and number of players: shares of ends, turns, what starting is worth."""
    rows = []
    for (agent, players), estimate in found.items():
        row: dict[str, Any] = {"players": players, "agent": agent, "rounds": estimate.deals * players}
        unit = np.eye(len(estimate.mean))
        for k, name in enumerate(ENDS):
            row[name], row[f"{name}_width"] = estimate.of(unit[players + k])
        row["turns"], row["turns_width"] = estimate.of(unit[-1])
        rest = np.zeros(len(estimate.mean))
        rest[1:players] = 1 / (players - 1)
        row["start"], row["start_width"] = estimate.of(unit[0] - rest)
        rows.append(row)
    return rows


def draw_seats(rows: list[dict[str, Any]], out: Path) -> None:
    """Points over the table's mean by order of play."""
    names = list(dict.fromkeys(row["agent"] for row in rows))
    with plots.figure(out / "seats.svg", 1, len(PLAYERS), width=9, height=3.4, sharey=True) as (figure, panels):
        for axes, players in zip(panels, PLAYERS, strict=True):
            axes.axhline(0, color="#888888", linewidth=1)
            for k, name in enumerate(names):
                these = [row for row in rows if row["agent"] == name and row["players"] == players]
                axes.errorbar(
                    [row["seat"] + 0.16 * (k - 0.5) for row in these],
                    [row["over_mean"] for row in these],
                    yerr=[row["over_width"] for row in these],
                    marker=plots.MARKERS[k],
                    label=name,
                )
            axes.set(title=f"{players} players", xlabel="order of play", xticks=range(1, players + 1))
            axes.set_xlim(0.5, players + 0.5)
        panels[0].set_ylabel("points over the mean of the table")
        panels[-1].legend(title="all seats by")
        figure.align_labels()


def draw_ends(rows: list[dict[str, Any]], out: Path) -> None:
    """Shares of the two ways in which a round ends."""
    names = list(dict.fromkeys(row["agent"] for row in rows))
    with plots.figure(out / "ends.svg", height=3.2) as (_, axes):
        for k, name in enumerate(names):
            these = [row for row in rows if row["agent"] == name]
            axes.bar(
                [row["players"] + 0.36 * (k - 0.5) for row in these],
                [100 * row["scouted_out"] for row in these],
                0.34,
                yerr=[100 * row["scouted_out_width"] for row in these],
                color=plots.COLOURS[k],
                label=name,
            )
        axes.set(xlabel="players", xticks=PLAYERS, ylabel="rounds that end by (ii) (%)", ylim=(0, 100))
        axes.legend(title="all seats by")


def report(results: list[Outcome], out: Path) -> None:
    """Two tables, two figures, and what they say."""
    found = estimates(results)
    seats, ends = seat_rows(found), end_rows(found)
    tables.write_csv(out / "seats.csv", seats)
    tables.write_csv(out / "ends.csv", ends)
    draw_seats(seats, out)
    draw_ends(ends, out)
    points = [
        {
            "players": players,
            "all seats by": agent,
            "deals": estimate.deals,
            **{
                f"{seat + 1}.": f"{mine[seat]['points']:.2f} ± {mine[seat]['points_width']:.2f}"
                if seat < players
                else None
                for seat in range(max(PLAYERS))
            },
        }
        for (agent, players), estimate in found.items()
        for mine in [[row for row in seats if (row["agent"], row["players"]) == (agent, players)]]
    ]
    ways = [
        {
            "players": row["players"],
            "all seats by": row["agent"],
            "starter less the others": f"{row['start']:+.2f} ± {row['start_width']:.2f}",
            "(i)": f"{row['empty_hand']:.1%}",
            "(ii)": f"{row['scouted_out']:.1%} ± {row['scouted_out_width']:.1%}",
            "at the bound": f"{row['max_turns']:.2%}",
            "turns": f"{row['turns']:.1f}",
        }
        for row in ends
    ]
    (out / "report.md").write_text(
        f"""# What starting is worth in SCOUT, and how rounds end

Points of a round by order of play, the starter first; ± is half of a 95 % interval.

{tables.markdown(points)}
![Points over the mean of the table by order of play](seats.svg)

What the starter has over the mean of the others, and how rounds end: (i) with an empty hand, (ii) after a
Show that all others only scouted from, or at the bound on turns.

{tables.markdown(ways)}
![Share of rounds that end by (ii)](ends.svg)
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """Planning ends rounds as planning agents did in another engine, to 8 in 100."""
    for row in end_rows(estimates(results)):
        if row["agent"] == "planning" and row["players"] in KNOWN:
            assert abs(row["scouted_out"] - KNOWN[row["players"]]) < 0.08, row
