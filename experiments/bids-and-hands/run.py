"""What do bids and placements in Baker Street say about the hand behind them?

solver experiment run bids-and-hands; README.md says how to read the answer.
"""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from solver import Rng, agents, bakerstreet, plots, stats, tables
from solver.experiment import Outcome

Floats = NDArray[np.float64]

SCALES = {
    "smoke": {"seed": 1, "games": {"random": 40, "planning": 8, "ismcts:50": 4}, "block": 20},
    "small": {"seed": 1, "games": {"random": 100, "planning": 200, "ismcts:1000": 160}, "block": 20},
    "full": {"seed": 1, "games": {"random": 10_000, "planning": 10_000, "ismcts:20000": 10_000}, "block": 20},
}
FRESH = 2  # every other game is for the test
BANDS = (0, 5, 10, 15, 20, 25, 31)  # of a first bid: what it tells need not grow with it
PENALTY = 1e-3  # of a squared constant, in the mean log loss


class Asked(NamedTuple):
    """Decisions of a seat that may doubt, a number of each in an array.

    Attributes
    ----------
    game : which game.
    sum : of the rival's hand, which it does not see.
    own : sum of its own hand.
    bid : the rival's last.
    bids : how many there were in this round.
    first : the rival's first bid of this round.
    placed, pips : cards that the rival placed in this round, and their sum.
    last : value of the card that it placed before its last bid.
    mean : of the rival's cards that are not seen, times 1,000.
    odds : chance that the hands reach the bid if the rival's is any of its unseen cards, times 10,000.
    """

    game: Floats
    sum: Floats
    own: Floats
    bid: Floats
    bids: Floats
    first: Floats
    placed: Floats
    pips: Floats
    last: Floats
    mean: Floats
    odds: Floats

    @property
    def true(self) -> NDArray[np.bool_]:
        """Whether the hands reach the bid."""
        return self.sum + self.own >= self.bid


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Blocks of games of each agent against itself."""
    return [
        {
            "agent": agent,
            "seed": config["seed"],
            "first": first,
            "games": min(config["block"], games - first),
        }
        for agent, games in config["games"].items()
        for first in range(0, games, config["block"])
    ]


def asked(position: bakerstreet.Position, rival: int, placed: list[int], number: int) -> list[int]:
    """A row of `Asked`."""
    unseen = position.unseen()
    cards = sum(unseen)
    bids = position.bids
    return [
        number,
        rival,
        sum(value for value, _ in position.hand),
        bids[-1],
        len(bids),
        bids[(len(bids) - 1) % 2],  # bids alternate, and the last is the rival's
        len(placed),
        sum(placed),
        placed[-1] if placed else 0,
        round(1000 * sum(value * count for value, count in enumerate(unseen)) / max(cards, 1)),
        round(10_000 * float(position.bid_odds()[bids[-1]])),
    ]


def work(task: dict[str, Any]) -> dict[str, Any]:
    """A row for each decision in which a seat may doubt."""
    game, agent = bakerstreet.Game(), agents.make(task["agent"])
    rows = []
    for number in range(task["first"], task["first"] + task["games"]):
        state, rng = game.deal(seed=[task["seed"], number]), Rng([task["seed"], number, 1])
        placed: list[list[int]] = [[], []]
        while not state.is_terminal():
            seat = state.current_player()
            position = state.position(seat)
            if position.phase == "turn" and position.bids:
                rival = sum(value for value, _ in state.hand(1 - seat))
                rows.append(asked(position, rival, placed[1 - seat], number))
            action = agent.act(position, rng)
            kind, *rest = game.decode(action)
            if kind == "place":
                placed[seat].append(int(rest[0]))
            elif kind == "doubt":
                placed = [[], []]
            state.apply_action(action)
    return {"rows": rows}


# ----------------------------------------------------------------------------------------------
# What foretells whether the hands reach the bid


def known(ways: str, rows: Asked) -> Floats:
    """What a way to judge looks at, shape (decisions, inputs)."""
    odds = np.clip(rows.odds / 10_000, 1e-3, 1 - 1e-3)
    inputs = [np.ones_like(odds), np.log(odds / (1 - odds))]
    need, first = rows.bid - rows.own - 3 * rows.mean / 1000, rows.bids <= 2
    if ways != "the odds, fitted":
        rise = rows.bid - rows.first
        inputs += [rows.bid / 10, need / 5, rise / 5, rows.bids / 3, first, first * rows.bid / 10, first * need / 5]
        inputs += [first * inputs[1]]
        for low, high in itertools.pairwise(BANDS):
            band = (rows.first >= low) & (rows.first < high)
            inputs += [band, band & first, band * need / 5]
    if ways == "bids and placements":
        usual = rows.mean / 1000
        inputs += [rows.placed, rows.pips - usual * rows.placed, np.where(rows.placed > 0, rows.last - usual, 0)]
    return np.column_stack(inputs)


WAYS = ("the odds, fitted", "bids", "bids and placements")


def fitted(inputs: Floats, true: NDArray[np.bool_]) -> Floats:
    """Logistic regression: constants of the inputs."""
    sign = np.where(true, -1.0, 1.0)

    def loss(constants: Floats) -> tuple[float, Floats]:
        z = sign * (inputs @ constants)
        pull = sign * expit(z)
        return (
            float(np.logaddexp(0, z).mean() + PENALTY * constants @ constants / 2),
            inputs.T @ pull / len(z) + PENALTY * constants,
        )

    return np.asarray(minimize(loss, np.zeros(inputs.shape[1]), jac=True, method="L-BFGS-B").x)


def judged(rows: Asked) -> list[dict[str, Any]]:
    """Of each way to judge, on games that it was not fitted to: log loss, and how often a doubt by it is right."""
    fresh = rows.game % FRESH == 0
    true, odds = rows.true[fresh], np.clip(rows.odds[fresh] / 10_000, 1e-3, 1 - 1e-3)
    scores = {"the odds": np.log(odds / (1 - odds))}
    for way in WAYS:
        inputs = known(way, rows)
        scores[way] = inputs[fresh] @ fitted(inputs[~fresh], rows.true[~fresh])
    table = []
    _, place = np.unique(rows.game[fresh], return_inverse=True)
    usual = np.zeros(0)
    for way, score in scores.items():
        # of a doubt that the odds leave open, half
        right = np.where(score == 0, 0.5, ((score > 0) == true).astype(np.float64))
        usual = right if way == "the odds" else usual
        counts = np.bincount(place)
        mean, stderr, _ = stats.ratio(np.bincount(place, right), counts)
        more, more_stderr, _ = stats.ratio(np.bincount(place, right - usual), counts)
        table.append(
            {
                "judges by": way,
                "log_loss": float(np.logaddexp(0, np.where(true, -score, score)).mean()),
                "right": mean,
                "right_width": 1.96 * stderr,
                "more": more,
                "more_width": 1.96 * more_stderr,
            }
        )
    return table


def by_agent(results: list[Outcome]) -> dict[str, Asked]:
    """All decisions of each agent."""
    rows: dict[str, list[list[int]]] = {}
    for task, result in results:
        rows.setdefault(task["agent"], []).extend(result["rows"])
    return {agent: Asked(*np.array(found, np.float64).T) for agent, found in rows.items()}


def openings(rows: Asked) -> list[dict[str, Any]]:
    """By opening bid: how often, mean and spread of the hand behind it, where there are enough."""
    first = rows.bids == 1
    found = []
    for bid in np.unique(rows.bid[first]):
        sums = rows.sum[first & (rows.bid == bid)]
        if len(sums) >= 5:
            found.append({"bid": int(bid), "hands": len(sums), "mean": float(sums.mean()), "spread": float(sums.std())})
    return found


def report(results: list[Outcome], out: Path) -> None:
    """How well each way judges, and what an opening bid says, in tables and a figure."""
    known_rows = by_agent(results)
    table = [{"agent": agent, **row} for agent, rows in known_rows.items() for row in judged(rows)]
    tables.write_csv(out / "judged.csv", table)
    opened = {agent: openings(rows) for agent, rows in known_rows.items()}
    tables.write_csv(out / "openings.csv", [{"agent": agent, **row} for agent, bids in opened.items() for row in bids])
    with plots.figure(out / "openings.svg", width=6, height=3.8) as (_, axes):
        for k, (agent, bids) in enumerate(opened.items()):
            axes.errorbar(
                [row["bid"] + 0.15 * (k - 1) for row in bids],
                [row["mean"] for row in bids],
                yerr=[row["spread"] for row in bids],
                marker=plots.MARKERS[k],
                label=agent,
            )
        axes.set(xlabel="opening bid", ylabel="sum of the hand behind it")
        axes.legend()
    lines = []
    for agent, rows in known_rows.items():
        first = rows.bids == 1
        lines.append(
            {
                "agent": agent,
                "games": len(np.unique(rows.game)),
                "decisions": len(rows.game),
                "mean opening bid": float(rows.bid[first].mean()),
                "correlation of opening bid and hand": correlation(rows.bid[first], rows.sum[first]),
                "of the hand's variance it tells": f"{told(rows.bid[first], rows.sum[first]):.0%}",
            }
        )
    shown = [
        {
            "agent": row["agent"],
            "judges by": row["judges by"],
            "log loss": row["log_loss"],
            "doubts right": f"{row['right']:.1%} ± {row['right_width']:.1%}",
            "more than by the odds": f"{row['more']:+.1%} ± {row['more_width']:.1%}",
        }
        for row in table
    ]
    (out / "report.md").write_text(
        f"""# What bids and placements say about a hand

Each agent plays itself. A decision is one in which a seat may doubt; the question is whether the hands reach the bid.

{tables.markdown(lines, {"mean opening bid": ".1f", "correlation of opening bid and hand": "+.2f"})}
## Whether to doubt

Judged on every other game, fitted on the rest. "The odds" are exact if the rival may hold any of its unseen cards
(`Position.bid_odds`); "fitted" they may be stretched. A doubt is right if the bid is false just when it is taken to be
more likely false than true. ± is half of a 95 % interval; of "more" on the same decisions.

{tables.markdown(shown, {"log loss": ".3f"})}
## What an opening bid says

![Sum of the hand by opening bid](openings.svg)

Bars are one standard deviation of hands; opening bids made fewer than five times are left out.
""",
        encoding="utf-8",
    )


def correlation(one: Floats, other: Floats) -> float:
    """Pearson's; 0 if one of them never varies."""
    spread = float(one.std() * other.std())
    return float(((one - one.mean()) * (other - other.mean())).mean()) / spread if spread else 0.0


def told(bids: Floats, sums: Floats) -> float:
    """Share of the variance of the sums that lies between the means of the bids; less what chance alone would give."""
    _, place, counts = np.unique(bids, return_inverse=True, return_counts=True)
    if len(counts) == len(bids):
        return 0.0
    means = np.bincount(place, sums) / counts
    within = float(((sums - means[place]) ** 2).sum()) / (len(sums) - len(counts))
    return max(0.0, 1 - within / float(sums.var(ddof=1)))


def check(results: list[Outcome]) -> None:
    """Random bids say nothing: the exact odds foretell the mean of what comes, within four standard errors."""
    rows = by_agent(results)["random"]
    missed = rows.true - rows.odds / 10_000
    _, place = np.unique(rows.game, return_inverse=True)
    mean, stderr, _ = stats.ratio(np.bincount(place, missed), np.bincount(place))
    assert abs(mean) < 4 * stderr < 0.1, (mean, stderr)
    assert all(math.isfinite(row["log_loss"]) for found in by_agent(results).values() for row in judged(found))
