"""What is the choice to keep or turn the hand worth in SCOUT, and how can a person make it well?

solver experiment run keep-or-turn; README.md says how to read the answer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import Rng, agents, ismcts, plots, scout, tables
from solver.experiment import Outcome

Floats = NDArray[np.float64]

PLAYERS = (3, 4, 5)
SCALES = {
    "smoke": {"seed": 1, "played": 120, "searched": 12, "iterations": 50, "block": 60},
    "small": {"seed": 1, "played": 6000, "searched": 800, "iterations": 500, "block": 50},
    "full": {"seed": 1, "played": 200_000, "searched": 10_000, "iterations": 5000, "block": 20},
}
FITTED = 4  # every fourth deal is one to fit on; the others are fresh
# What a person counts on a side, and in what unit
COUNTS = {
    "sets": "each set, in the division of the row into the fewest sets (a single card is one)",
    "group": "each card of a group beyond its first",
    "longest": "each card of the longest set",
    "join": "each set between two cards that are equal or neighbours in number",
    "gap": "each two cards side by side whose numbers differ by 2",
    "numbers": "each ten of the sum of the numbers",
}
UNITS = np.array([1, 1, 1, 1, 1, 10])
WORTH = {3: 1.55, 4: 1.17, 5: 1.00}  # of planning's choice over never turning, in another engine


# ----------------------------------------------------------------------------------------------
# What a person counts


def sets(row: Sequence[int]) -> list[tuple[int, int, bool]]:
    """All sets of a row: first card, number of cards, whether it is a group."""
    found = [(start, 1, False) for start in range(len(row))]
    for step in (0, 1, -1):
        for start in range(len(row)):
            end = start + 1
            while end < len(row) and row[end] - row[end - 1] == step:
                end += 1
                found.append((start, end - start, step == 0))
    return found


def division(row: Sequence[int]) -> list[tuple[int, int, bool]]:
    """The fewest sets that make up a row; among such the division with most cards in groups."""
    best: list[tuple[int, int, list[tuple[int, int, bool]]]] = [(0, 0, [])]
    known = sets(row)
    for end in range(1, len(row) + 1):
        options = []
        for this in known:
            start, length, group = this
            if start + length == end:
                count, grouped, before = best[start]
                options.append((count + 1, grouped - length * group, [*before, this]))
        best.append(min(options, key=lambda option: option[:2]))
    return best[-1][2]


def counts(row: Sequence[int]) -> list[int]:
    """What `COUNTS` names, of one side of a hand; of the numbers the sum itself, not its tens."""
    parts = division(row)
    return [
        len(parts),
        sum(length - 1 for _, length, group in parts if group),
        max(length for _, length, _ in parts),
        sum(
            start > 0 and start + length < len(row) and abs(row[start - 1] - row[start + length]) <= 1
            for start, length, _ in parts
        ),
        sum(abs(one - other) == 2 for one, other in itertools.pairwise(row)),
        sum(row),
    ]


# ----------------------------------------------------------------------------------------------
# The experiment


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Blocks of deals for each number of players: some only played out, some searched as well."""
    return [
        {
            "players": players,
            "iterations": iterations,
            "seed": [config["seed"], kind],
            "first": first,
            "deals": min(block, deals - first),
        }
        for players in PLAYERS
        for kind, (deals, iterations, block) in enumerate(
            [(config["played"], 0, 10 * config["block"]), (config["searched"], config["iterations"], config["block"])]
        )
        for first in range(0, deals, block)
    ]


def played_out(state: scout.State, seat: int, seed: Sequence[int]) -> int:
    """Points of a seat over the mean of the others, times their number, if planning plays on for everybody."""
    planning, rng = agents.Planning(), Rng(seed)
    while not state.is_terminal():
        state.apply_action(planning.act(state.position(state.current_player()), rng))
    (result,) = state.round_results()
    return len(result.scores) * result.scores[seat] - sum(result.scores)


def searched(position: scout.Position, iterations: int, seed: Sequence[int]) -> float:
    """By how many points the turned hand is better than the kept one, as a search has it."""
    found = ismcts.search(position, iterations, seed=list(seed)).actions
    value = dict(zip(found["action"].tolist(), found["value"].tolist(), strict=True))
    return float(value[position.game.turn] - value[position.game.keep])


def rows_of(game: scout.Game, deal: int, task: dict[str, Any]) -> list[list[float]]:
    """A row for each hand of a deal: what turning it brings, by playing both sides out, planning's worth, and searches.

    All seats but the one in question keep or turn by planning's worth, and planning plays for everybody, so that
    the two rounds of a hand differ in nothing but its side. Points are times the number of the others.
    """
    state = game.deal(seed=[*task["seed"], deal])
    rows = []
    for seat in range(task["players"]):
        seed = [*task["seed"], deal, seat]
        position = state.position(seat)
        sides = [state.child(game.keep), state.child(game.turn)]
        worth = [side.position(seat).hand_worth() for side in sides]
        points = [played_out(side, seat, seed) for side in sides]
        row: list[float] = [deal, points[1] - points[0], round(worth[1] - worth[0], 2)]
        if task["iterations"]:
            kept = counts([top for top, _ in position.hand])
            turned = counts([bottom for _, bottom in reversed(position.hand)])
            row += [round(searched(position, task["iterations"], [*seed, k]), 2) for k in range(2)]
            row += [there - here for here, there in zip(kept, turned, strict=True)]
        rows.append(row)
        state.apply_action(agents.Planning().act(position, Rng(seed)))
    return rows


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Rows of hands; of deals that are only played out, sums of the points that planning's choice brings."""
    game = scout.Game(players=task["players"])
    deals = [rows_of(game, deal, task) for deal in range(task["first"], task["first"] + task["deals"])]
    if task["iterations"]:
        return {"rows": [row for rows in deals for row in rows]}
    gains = [Hands(task["players"], rows) for rows in deals]
    means = [float((hands.gain * chance(hands.worth)).mean()) for hands in gains]
    return {"deals": len(means), "sum": sum(means), "squares": sum(mean * mean for mean in means)}


class Hands:
    """The hands of one number of players, as differences of the turned side from the kept one.

    Attributes
    ----------
    deals : numpy.ndarray of int, shape (n,)
    gain : numpy.ndarray, shape (n,)
        Points that turning brought when played out.
    worth : numpy.ndarray, shape (n,)
        By planning.
    search, again : numpy.ndarray, shape (n,)
        By two searches.
    counts : numpy.ndarray, shape (n, 6)
        As in `COUNTS`.
    fitted : numpy.ndarray of bool, shape (n,)
        Whether it is one to fit on.
    """

    def __init__(self, players: int, rows: list[list[float]]) -> None:
        table = np.array(rows, np.float64)
        self.deals = table[:, 0].astype(np.int64)
        self.gain = table[:, 1] / (players - 1)
        self.worth = table[:, 2]
        if table.shape[1] > 3:
            self.search, self.again, self.counts = table[:, 3], table[:, 4], table[:, 5:] / UNITS
        self.fitted = self.deals % FITTED == 0

    def over(self, one: Floats, other: Floats, among: NDArray[np.bool_] | None = None) -> tuple[float, float]:
        """Points a round that the choice by one score brings over that by another; half a 95 % interval.

        The hands of a deal share its luck: the deal is the unit of chance.
        """
        chosen = self.gain * (chance(one) - chance(other))
        picked = np.ones(len(chosen), bool) if among is None else among
        values = chosen[picked]
        _, place = np.unique(self.deals[picked], return_inverse=True)
        means = np.bincount(place, values) / np.bincount(place)
        return float(means.mean()), 1.96 * float(means.std(ddof=1)) / math.sqrt(len(means))


def chance(score: Floats) -> Floats:
    """With what chance a hand is turned: it is if the score is above 0, by a coin if it is 0."""
    return np.where(score == 0, 0.5, (score > 0).astype(np.float64))


def searched_hands(results: list[Outcome]) -> dict[int, Hands]:
    """By number of players."""
    rows: dict[int, list[Any]] = {players: [] for players in PLAYERS}
    for task, result in results:
        rows[task["players"]] += result.get("rows", [])
    return {players: Hands(players, found) for players, found in rows.items()}


def played_deals(results: list[Outcome], players: int) -> tuple[int, float, float]:
    """Deals played out, points of planning's choice over never turning, half a 95 % interval."""
    found = [result for task, result in results if task["players"] == players and not task["iterations"]]
    deals, total, squares = (sum(result[key] for result in found) for key in ("deals", "sum", "squares"))
    mean = total / deals
    return deals, mean, 1.96 * math.sqrt((squares / deals - mean * mean) / (deals - 1))


def slopes(x: Floats, y: Floats) -> Floats:
    """Least squares without a constant: which side is up is chance."""
    return np.asarray(np.linalg.lstsq(x, y, rcond=None)[0], np.float64)


def card_of(known: dict[int, Hands]) -> Floats:
    """Points of the card, in halves: one for all numbers of players, by least squares on the hands to fit on."""
    x = np.concatenate([hands.counts[hands.fitted] for hands in known.values()])
    y = np.concatenate([hands.search[hands.fitted] for hands in known.values()])
    return np.asarray(np.round(2 * slopes(x, y)) / 2)


def scores_of(hands: Hands, card: Floats) -> dict[str, Floats]:
    """What each way to choose makes of turning, in points; scaled to the search on the hands to fit on."""

    def scaled(x: Floats) -> Floats:
        return np.asarray(x @ slopes(x[hands.fitted], hands.search[hands.fitted]))

    return {
        "greater sum of numbers": scaled(hands.counts[:, 5:]),
        "fewer sets": scaled(hands.counts[:, :1]),
        "the card": hands.counts @ card,
        "the same counts, fitted": scaled(hands.counts),
        "planning's worth": scaled(hands.worth[:, None]),
        "a search with another seed": hands.again,
    }


def fits(hands: Hands, scores: dict[str, Floats]) -> list[dict[str, Any]]:
    """How well scores foretell the search on fresh hands."""
    fresh = ~hands.fitted
    true = hands.search[fresh]
    rows = []
    for name, score in scores.items():
        given = score[fresh]
        r2 = 1 - float(((true - given) ** 2).sum() / (true**2).sum())
        agree = float((chance(given) * (true > 0) + (1 - chance(given)) * (true <= 0)).mean())
        rows.append({"chooser": name, "r2": r2, "agree": agree})
    return rows


def worths(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each number of players and way to choose: points a round over never turning.

    That of planning's worth is measured on many deals; the others on the searched ones, as differences from it.
    """
    few = searched_hands(results)
    card = card_of(few)
    rows = []
    for players, hands in few.items():
        _, base, base_width = played_deals(results, players)
        choosers = {"a coin": np.zeros(len(hands.worth)), **scores_of(hands, card), "search": hands.search}
        del choosers["a search with another seed"]
        for name, score in choosers.items():
            fresh = None if name in ("a coin", "search", "planning's worth") else ~hands.fitted
            more, width = hands.over(score, hands.worth, fresh)
            rows.append(
                {
                    "players": players,
                    "chooser": name,
                    "over_planning": more,
                    "over_planning_width": width,
                    "over_never": base + more,
                    "over_never_width": math.hypot(base_width, width),
                }
            )
    return rows


def draw_worths(rows: list[dict[str, Any]], out: Path) -> None:
    """Points over never turning."""
    names = list(dict.fromkeys(row["chooser"] for row in rows))
    with plots.figure(out / "worth.svg", width=8, height=3.6) as (_, axes):
        for k, players in enumerate(PLAYERS):
            these = [row for row in rows if row["players"] == players]
            axes.errorbar(
                [row["over_never"] for row in these],
                [names.index(row["chooser"]) + 0.22 * (k - 1) for row in these],
                xerr=[row["over_never_width"] for row in these],
                marker=plots.MARKERS[k],
                linestyle="none",
                label=f"{players} players",
            )
        axes.axvline(0, color="#888888", linewidth=1)
        axes.set(xlabel="points a round over never turning")
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.legend(loc="upper right")


def draw_card(known: dict[int, Hands], card: Floats, out: Path) -> None:
    """What a search says where the card says so much, on fresh hands."""
    with plots.figure(out / "card.svg", 1, len(PLAYERS), width=9, height=3.4, sharey=True) as (_, panels):
        for axes, (players, hands) in zip(panels, known.items(), strict=True):
            fresh = ~hands.fitted
            # which side is up is chance: each hand counts both ways
            score = (hands.counts @ card)[fresh]
            given, true = np.concatenate([score, -score]), np.concatenate([hands.search[fresh], -hands.search[fresh]])
            edges = np.arange(-10, 11, 2)
            middles, means, spreads = [], [], []
            for low, high in itertools.pairwise(edges):
                these = true[(given > low) & (given <= high)]
                if len(these) >= 5:
                    middles.append((low + high) / 2)
                    means.append(these.mean())
                    spreads.append(these.std())
            axes.axline((0, 0), slope=1, color="#888888", linewidth=1)
            axes.errorbar(middles, means, yerr=spreads, marker="o", linestyle="none")
            axes.set(title=f"{players} players", xlabel="turned less kept, by the card", xlim=(-11, 11))
        panels[0].set_ylabel("turned less kept, by search (points)")


def report(results: list[Outcome], out: Path) -> None:
    """Three tables, two figures, and what they say."""
    few = searched_hands(results)
    card = card_of(few)
    rows = worths(results)
    judged = [
        {"players": players, **row} for players, hands in few.items() for row in fits(hands, scores_of(hands, card))
    ]
    fitted = {players: slopes(hands.counts[hands.fitted], hands.search[hands.fitted]) for players, hands in few.items()}
    lines = [
        {
            "count": name,
            "for": words,
            "points": float(card[k]),
            **{f"fitted_{players}": float(fitted[players][k]) for players in PLAYERS},
        }
        for k, (name, words) in enumerate(COUNTS.items())
    ]
    tables.write_csv(out / "card.csv", lines)
    tables.write_csv(out / "worth.csv", rows)
    tables.write_csv(out / "agreement.csv", judged)
    draw_worths(rows, out)
    draw_card(few, card, out)
    over_never, over_planning = (
        [
            {
                "chooses by": name,
                **{
                    f"{row['players']} players": f"{row[key]:+.2f} ± {row[f'{key}_width']:.2f}"
                    for row in rows
                    if row["chooser"] == name
                },
            }
            for name in dict.fromkeys(row["chooser"] for row in rows)
            if (name, key) != ("planning's worth", "over_planning")
        ]
        for key in ("over_never", "over_planning")
    )
    agreement = [
        {
            "score": name,
            **{
                f"{row['players']} players: R2, agreement": f"{row['r2']:.2f}, {row['agree']:.1%}"
                for row in judged
                if row["chooser"] == name
            },
        }
        for name in dict.fromkeys(row["chooser"] for row in judged)
    ]
    on_card = [
        {"points": f"{line['points']:+.1f}", "for": line["for"]}
        | {f"fitted, {players} players": f"{line[f'fitted_{players}']:+.2f}" for players in PLAYERS}
        for line in lines
    ]
    sizes = "\n".join(
        f"- {players} players: {played_deals(results, players)[0]:,} deals played out, "
        f"{len(np.unique(hands.deals)):,} searched"
        for players, hands in few.items()
    )
    (out / "report.md").write_text(
        f"""# Keep or turn

{sizes}

Of the searched deals every {FITTED}th is one to fit on, and the others are fresh.

## What the choice is worth

Points a round (own points less the mean of the others') that a seat has more than if it never turned, all others being
planning; ± is half of a 95 % interval.

{tables.markdown(over_never)}
Planning's worth is measured on all deals played out. The other ways to choose are measured by what they bring over it
on the searched deals, where they mostly choose alike:

{tables.markdown(over_planning)}
![Points over never turning by way to choose](worth.svg)

## A card to choose by

Add up the points of both sides of the hand, and play the side that has more.

{tables.markdown(on_card)}
How well scores foretell what a search ({max(task["iterations"] for task, _ in results):,} iterations) says of fresh
hands: share of the variance of its difference between the sides, and how often they choose the same side. A second
search with another seed shows how much of it chance leaves to be foretold.

{tables.markdown(agreement)}
![What search says where the card says so much](card.svg)

Bars are one standard deviation of single hands; with more points between the sides the card is more often right.
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """The choice is worth what another engine found, within the width; every set more costs."""
    for row in worths(results):
        if row["chooser"] == "planning's worth":
            known = WORTH[row["players"]]
            assert abs(row["over_never"] - known) < row["over_never_width"] + 0.3, row
    assert card_of(searched_hands(results))[0] < 0
