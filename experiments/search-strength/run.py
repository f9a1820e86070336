"""How much does SCOUT's search gain with its budget, and what do its parts and the right pay-off bring?

solver experiment run search-strength; README.md says how to read the answer.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from solver import arena, plots, tables
from solver.experiment import Outcome

VARIANTS = {
    "the default": "",
    "a tree, UCB": ",depth=0,root=ucb",
    "uniform belief": ",belief=uniform",
    "random rollouts, a tree": ",rollout=random,opponents=tree,widening=0,depth=0,root=ucb,belief=uniform",
}
PAYOFFS = ("margin", "score", "win")
SCALES = {
    "smoke": {"seed": 1, "players": 3, "deals": {"10": 6, "100": 6}, "payoffs": 6, "itself": {"50": 6}},
    "small": {
        "seed": 1,
        "players": 3,
        "deals": {"10": 300, "30": 300, "100": 300, "300": 150, "1000": 100, "3000": 50},
        "payoffs": 100,
        "itself": {"100": 150, "300": 100, "1000": 50},
    },
    "full": {
        "seed": 1,
        "players": 3,
        "deals": {
            "10": 4000,
            "30": 4000,
            "100": 4000,
            "300": 4000,
            "1000": 2000,
            "3000": 1000,
            "10000": 500,
            "30000": 300,
            "100000": 100,
        },
        "payoffs": 2000,
        "itself": {"100": 2000, "300": 2000, "1000": 1000, "3000": 500, "10000": 300},
    },
}
PAYOFF_ITERATIONS = 1000
BLOCK = 50  # deals of a task


def blocks(deals: int) -> list[tuple[int, int]]:
    """Parts of so many deals: their number and their deals."""
    return [(block, min(BLOCK, deals - BLOCK * block)) for block in range(-(-deals // BLOCK))]


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Of each question: an agent against an opponent in the other seats, some deals."""
    asked = [
        ("budget", name, f"ismcts:{iterations}{options}", "planning", int(iterations), deals)
        for name, options in VARIANTS.items()
        for iterations, deals in config["deals"].items()
    ]
    fewest = min(PAYOFF_ITERATIONS, max(map(int, config["deals"])))
    asked += [
        ("pay-off", payoff, f"ismcts:{fewest},payoff={payoff}", "planning", fewest, config["payoffs"])
        for payoff in PAYOFFS
    ]
    asked += [
        ("itself", "twice the budget", f"ismcts:{2 * int(n)}", f"ismcts:{n}", 2 * int(n), deals)
        for n, deals in config["itself"].items()
    ]
    return [
        {
            "question": question,
            "variant": variant,
            "agent": agent,
            "against": against,
            "iterations": iterations,
            "players": config["players"],
            "seed": config["seed"],
            "block": block,
            "deals": part,
        }
        for question, variant, agent, against, iterations, deals in asked
        for block, part in blocks(deals)
    ]


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Mean and standard error over the deals of a block; each deal is played from every seat."""
    game = f"scout(players={task['players']})"
    seed = 1000 * task["seed"] + task["block"]
    row = arena.play(game, [task["agent"]], task["deals"], seed=seed, against=[task["against"]])[0]
    return {"mean": row.mean, "stderr": row.stderr, "wins": row.win_share, "wins_stderr": row.win_stderr}


def rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """Blocks of one question put together: means weighted by deals, half-widths of 95 % intervals."""
    found: dict[tuple[str, str, int, str], list[Outcome]] = {}
    for outcome in results:
        task = outcome.task
        key = (task["question"], task["variant"], task["iterations"], task["against"])
        found.setdefault(key, []).append(outcome)
    table = []
    for (question, variant, iterations, against), parts in found.items():
        deals = sum(part.task["deals"] for part in parts)

        def pooled(name: str, parts: list[Outcome] = parts, deals: int = deals) -> float:
            return float(sum(part.result[name] * part.task["deals"] for part in parts) / deals)

        def width(name: str, parts: list[Outcome] = parts, deals: int = deals) -> float:
            squares = sum((part.result[name] * part.task["deals"]) ** 2 for part in parts)
            return float(1.96 * squares**0.5 / deals)

        table.append(
            {
                "question": question,
                "variant": variant,
                "iterations": iterations,
                "against": against,
                "deals": deals,
                "margin": pooled("mean"),
                "margin_width": width("stderr"),
                "wins": pooled("wins"),
                "wins_width": width("wins_stderr"),
            }
        )
    return table


def report(results: list[Outcome], out: Path) -> None:
    """A table of all margins, and a figure of margins by budget."""
    table = rows(results)
    tables.write_csv(out / "margins.csv", table)
    with plots.figure(out / "budget.svg", width=8, height=4.2) as (_, axes):
        for k, name in enumerate(VARIANTS):
            mine = [row for row in table if row["question"] == "budget" and row["variant"] == name]
            axes.errorbar(
                [row["iterations"] * (1 + 0.04 * k) for row in mine],
                [row["margin"] for row in mine],
                yerr=[row["margin_width"] for row in mine],
                marker=plots.MARKERS[k],
                label=name,
            )
        axes.axhline(0, color="#888888", linewidth=1)
        axes.set(xscale="log", xlabel="iterations a decision", ylabel="margin over planning (points a round)")
        axes.legend()

    def told(question: str, first: str) -> str:
        return tables.markdown(
            [
                {
                    first: row["variant"] if question != "itself" else row["against"],
                    "iterations": row["iterations"],
                    "deals": row["deals"],
                    "margin": f"{row['margin']:+.2f} ± {row['margin_width']:.2f}",
                    "share of wins": f"{row['wins']:.3f} ± {row['wins_width']:.3f}",
                }
                for row in table
                if row["question"] == question
            ]
        )

    players = results[0].task["players"]
    (out / "report.md").write_text(
        f"""# What SCOUT's search gains

{players} players, points of a round over the mean of the others; ± is half of a 95 % interval. Each deal is played
from every seat, so a fair share of wins is {1 / players:.3f}.

## One search, planning in the other seats

{told("budget", "variant")}
![Margin over planning by iterations](budget.svg)

## What it plays for

One search, planning in the other seats. The margin is what a match is won by.

{told("pay-off", "pay-off")}
## Against itself with half the budget

{told("itself", "in the other seats")}""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """With random rollouts and next to no budget the search loses to planning, and more than with the policy."""
    found = {(row["variant"], row["iterations"]): row for row in rows(results) if row["question"] == "budget"}
    fewest = min(iterations for _, iterations in found)
    weak, strong = found["random rollouts, a tree", fewest], found["the default", fewest]
    assert weak["margin"] + weak["margin_width"] < 0, weak
    assert strong["margin"] > weak["margin"], (strong, weak)
