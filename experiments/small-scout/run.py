"""What are small two-player SCOUTs worth exactly, and does an equilibrium scout where it could show?

solver experiment run small-scout --scale small; README.md says how to read the answer.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import cfr, plots, scout, tables
from solver.errors import CompileError
from solver.experiment import Outcome, task_folder
from solver.policy import PolicyTable

Floats = NDArray[np.float64]
PAIRS = ("1/2", "1/3", "1/4", "2/3", "2/4", "3/4")  # the deck of 4 ranks
FOURS = [f"ranks=4,drop={a}+{b}" for a, b in itertools.combinations(PAIRS, 2)]
FIVES = [f"ranks=4,drop={a}" for a in PAIRS]
SOME = ["ranks=4,drop=1/3+2/3", "ranks=4,drop=1/3+2/4", "ranks=4,drop=2/3+2/4", "ranks=4,drop=1/2+1/3"]
SCALES: dict[str, dict[str, Any]] = {
    # variants as deck, hand_size and chips; variants solved again with a seat that must Show where it can
    "smoke": {
        "variants": [["ranks=3", 1, 1], ["ranks=4,drop=1/4+2/3", 2, 0], ["ranks=4,drop=1/2+3/4", 2, 0]],
        "forced": [["ranks=3", 1, 1]],
        "target": 1e-9,
        "iterations": 2000,
        "megabytes": 100,
        "table_states": 100,
    },
    "small": {
        "variants": [
            ["ranks=3", 1, 3],
            *([deck, 2, 0] for deck in FOURS),
            *([deck, 2, 0] for deck in FIVES),
            ["ranks=4", 2, 0],
            ["ranks=4", 3, 0],
            ["ranks=5", 2, 0],
            ["ranks=6", 2, 0],
            ["ranks=5,drop=1/5+1/4+2/5", 3, 0],
            *([deck, 2, 1] for deck in FOURS),
            *([deck, 2, 1] for deck in FIVES),
            ["ranks=4", 2, 1],
        ],
        "forced": [[deck, 2, 1] for deck in SOME],
        "target": 1e-9,
        "iterations": 2000,
        "megabytes": 8000,
        "table_states": 100_000,
    },
    "full": {
        "variants": [
            *([f"ranks={ranks}", 1, 3] for ranks in (3, 4, 5, 6)),
            *([deck, 2, chips] for deck in FOURS for chips in (0, 1, 2, 3)),
            *([deck, 2, chips] for deck in FIVES for chips in (0, 1, 2)),
            *(["ranks=4", hand, chips] for hand in (2, 3) for chips in (0, 1, 2)),
            *([f"ranks={ranks}", 2, chips] for ranks in (5, 6) for chips in (0, 1)),
            ["ranks=5,drop=1/5+1/4+2/5", 3, 0],
            ["ranks=5", 3, 0],
        ],
        "forced": [*([deck, 2, 1] for deck in FOURS), *([deck, 2, 1] for deck in FIVES)],
        "target": 1e-10,
        "iterations": 20000,
        "megabytes": 8000,
        "table_states": 1_000_000,
    },
}
# found by a linear program over the sequence form
KNOWN = {"ranks=3, hands of 1": 1.0, "ranks=4,drop=1/4+2/3, hands of 2": 5 / 3, "ranks=4, hands of 2": 23 / 15}
TABLE, TABLES = "policy.parquet", "policies"
SURE = 0.99  # a probability from which on play does not count as mixed
PARTS = 256  # probabilities in tables are multiples of 1 / PARTS


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """Each variant, then each with a seat that must Show where it can."""
    rest = {key: config[key] for key in ("target", "iterations", "megabytes", "table_states")}
    told = [dict(zip(("deck", "hand", "chips"), variant, strict=True)) for variant in config["variants"]]
    again = [dict(zip(("deck", "hand", "chips"), variant, strict=True)) for variant in config["forced"]]
    return [
        *({**variant, "forced": None, **rest} for variant in told),
        *({**variant, "forced": seat, **rest} for variant in again for seat in (0, 1)),
    ]


def work(task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Value and habits of an equilibrium; of small variants its table too. Too large a variant says so."""
    game = scout.load(f"scout(players=2,payoff=margin,{task['deck']},hand_size={task['hand']},chips={task['chips']})")
    asked: Any = game if task["forced"] is None else Forced(game, task["forced"])
    try:
        tree = cfr.compile(asked, max_bytes=task["megabytes"] * 10**6)
    except CompileError as error:
        if not error.too_large:
            raise
        return {"too_large": True}
    solution = cfr.solve(tree, "pdcfr+", target=task["target"], iterations=task["iterations"])
    policy = solution.tree_policy
    assert policy is not None
    result = {
        "too_large": False,
        "nodes": tree.num_nodes,
        "states": tree.num_infosets,
        "bytes": tree.size.bytes,
        "iterations": solution.iterations,
        "value": solution.value[0],
        "exploitability": solution.exploitability,
    }
    if task["forced"] is not None:
        return result
    listed = 0
    if tree.num_infosets <= task["table_states"]:
        made = {key: value for key, value in solution.settings.items() if key != "seconds"}  # which is never the same
        listed = write_table(policy, {**made, "parts": PARTS}, folder / TABLE)
    seats = [habits(game, policy, seat, weights) for seat, weights in enumerate(policy.reach())]
    return {**result, "listed": listed, "pure": cfr.exploitability(tree, pure(policy)), "seats": seats}


# ----------------------------------------------------------------------------------------------
# A seat that must Show where it can


class ForcedWalk:
    """A state in which one seat may Scout only where it cannot Show."""

    def __init__(self, state: Any, seat: int, first_scout: int) -> None:
        self.state, self.seat, self.first_scout = state, seat, first_scout

    def __getattr__(self, name: str) -> Any:
        return getattr(self.state, name)

    def legal_actions(self) -> list[int]:
        """As ever, but no Scout beside a Show."""
        actions: list[int] = self.state.legal_actions()
        if self.state.current_player() != self.seat:
            return actions
        return [action for action in actions if action < self.first_scout] or actions

    def child(self, action: int) -> ForcedWalk:
        """The state after an action."""
        return ForcedWalk(self.state.child(action), self.seat, self.first_scout)


class Forced:
    """The game of such states, for `cfr.compile`."""

    def __init__(self, game: scout.Game, seat: int) -> None:
        self.game, self.seat = game, seat

    def __getattr__(self, name: str) -> Any:
        return getattr(self.game, name)

    def __str__(self) -> str:
        return f"{self.game}, seat {self.seat} shows where it can"

    def new_walk(self) -> ForcedWalk:
        """The start."""
        return ForcedWalk(self.game.new_walk(), self.seat, self.game.scout(0, 0, False))


# ----------------------------------------------------------------------------------------------
# How an equilibrium plays


def habits(game: scout.Game, policy: cfr.TreePolicy, seat: int, often: Floats) -> dict[str, float]:
    """How often a game has a seat decide, mix, scout, and scout where it could show."""
    plex, chances = policy.tree.treeplexes[seat], policy.probabilities[seat]
    bounds = plex.first[:-1]
    scouts = np.add.reduceat(np.where(plex.actions >= game.scout(0, 0, False), chances, 0), bounds)
    can_scout = np.maximum.reduceat(plex.actions, bounds) >= game.scout(0, 0, False)
    least = np.minimum.reduceat(np.where(plex.actions < 0, plex.actions.max(), plex.actions), bounds)
    turns = least > game.turn  # not the choice to keep or turn the hand
    can_show = turns & (least < game.scout(0, 0, False))
    choice = turns & (np.diff(plex.first) > 1)
    mixed = np.maximum.reduceat(chances, bounds) < SURE
    return {
        "choices": float(often[choice].sum()),
        "mixed": float(often[choice & mixed].sum()),
        "turns_mixed": float(often[~turns & mixed].sum()),
        "scouts": float((often * scouts).sum()),
        "both": float(often[can_show & can_scout].sum()),
        "scouts_of_both": float((often * scouts)[can_show & can_scout].sum()),
    }


def pure(policy: cfr.TreePolicy) -> cfr.TreePolicy:
    """The policy that always plays what this one plays most often."""
    chances = []
    for plex, mine in zip(policy.tree.treeplexes, policy.probabilities, strict=True):
        only = np.zeros_like(mine)
        only[0] = 1
        for lo, hi in itertools.pairwise(plex.first.tolist()):
            only[lo + int(mine[lo:hi].argmax())] = 1
        chances.append(only)
    return cfr.TreePolicy(policy.tree, tuple(chances))


def write_table(policy: cfr.TreePolicy, made: dict[str, Any], path: Path) -> int:
    """Write the information states that the own play leads to, with what it plays there; gives their number."""
    rows: dict[tuple[str, int], dict[int, float]] = {}
    for seat, plex in enumerate(policy.tree.treeplexes):
        plan = np.ones(plex.num_sequences)
        for i, (lo, hi) in enumerate(itertools.pairwise(plex.first.tolist())):
            counts = np.round(policy.probabilities[seat][lo:hi] * PARTS)
            counts[counts.argmax()] += PARTS - counts.sum()
            plan[lo:hi] = plan[plex.parent[i]] * counts
            if plan[plex.parent[i]]:
                actions = plex.actions[lo:hi].tolist()
                rows[plex.texts[i], seat] = {a: n / PARTS for a, n in zip(actions, counts.tolist(), strict=True) if n}
    PolicyTable.from_mapping(rows, meta=made).to_parquet(path, compact=True)
    return len(rows)


# ----------------------------------------------------------------------------------------------
# The report


class Variant(NamedTuple):
    """Deck, cards of a hand, chips of each."""

    deck: str
    hand: int
    chips: int


def file_name(variant: Variant) -> str:
    """Of its table: ranks4-without-14-23-hand2-chips0.parquet."""
    deck = variant.deck.replace("=", "").replace(",drop", "-without-").replace("/", "").replace("+", "-")
    return f"{deck}-hand{variant.hand}-chips{variant.chips}.parquet"


def solved(results: list[Outcome]) -> dict[Variant, dict[str, Any]]:
    """What was found for each variant; forced ones beside it, by seat."""
    found: dict[Variant, dict[str, Any]] = {}
    for task, result in results:
        each = found.setdefault(Variant(task["deck"], task["hand"], task["chips"]), {"forced": {}})
        if task["forced"] is None:
            each |= result
        elif not result["too_large"]:
            each["forced"][task["forced"]] = result
    return found


def value_rows(found: dict[Variant, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each variant that compiled."""
    rows = []
    for variant, result in found.items():
        if result["too_large"]:
            continue
        before = found.get(variant._replace(chips=variant.chips - 1))
        worth = result["value"] - before["value"] if before and not before["too_large"] else None
        choices = sum(seat["choices"] for seat in result["seats"])
        rows.append(
            {
                **variant._asdict(),
                "nodes": result["nodes"],
                "states": result["states"],
                "value": result["value"],
                "exploitability": result["exploitability"],
                "chip": worth,
                "mixed": sum(seat["mixed"] for seat in result["seats"]) / choices if choices else 0.0,
                "pure": result["pure"],
            }
        )
    return rows


def scout_rows(found: dict[Variant, dict[str, Any]]) -> list[dict[str, Any]]:
    """A row for each seat of a variant with chips: how often it scouts, and what it would lose if it had to show."""
    rows = []
    for variant, result in found.items():
        if not variant.chips or result["too_large"]:
            continue
        for seat, habit in enumerate(result["seats"]):
            forced = result["forced"].get(seat)
            lost = None if forced is None else (1 - 2 * seat) * (result["value"] - forced["value"])
            rows.append(
                {
                    **variant._asdict(),
                    "seat": ("starter", "second")[seat],
                    "scouts": habit["scouts"],
                    "could_do_both": habit["both"],
                    "then_scouts": habit["scouts_of_both"] / habit["both"] if habit["both"] > 1e-9 else None,
                    "loses_if_it_must_show": lost,
                }
            )
    return rows


def draw(rows: list[dict[str, Any]], out: Path) -> None:
    """The starter's value of each variant."""
    names = list(dict.fromkeys((row["deck"], row["hand"]) for row in rows))
    with plots.figure(out / "values.svg", width=8, height=1.2 + 0.24 * len(names)) as (_, axes):
        for chips in sorted({row["chips"] for row in rows}):
            these = [row for row in rows if row["chips"] == chips]
            axes.plot(
                [row["value"] for row in these],
                [names.index((row["deck"], row["hand"])) for row in these],
                linestyle="none",
                marker=plots.MARKERS[chips],
                markersize=5 + 3 * (chips == 0),
                fillstyle="none" if chips == 0 else "full",
                label=f"{chips}",
            )
        axes.axvline(0, color="#888888", linewidth=1)
        axes.set_yticks(range(len(names)), [f"{deck}, hands of {hand}" for deck, hand in names])
        axes.invert_yaxis()
        axes.set(xlabel="the starter's margin (points a round)")
        axes.legend(title="chips of each")


def report(results: list[Outcome], out: Path) -> None:
    """Two tables, a figure, and what they say."""
    found = solved(results)
    # what is 0 to the accuracy of the solver has no sign
    values, scouts = (
        [
            {
                key: round(cell, 8) + 0.0 if isinstance(cell, float) and key != "exploitability" else cell
                for key, cell in row.items()
            }
            for row in rows
        ]
        for rows in (value_rows(found), scout_rows(found))
    )
    tables.write_csv(out / "values.csv", values, digits=9)
    tables.write_csv(out / "scouts.csv", scouts)
    draw(values, out)
    for number, (task, result) in enumerate(results):
        left = task_folder(out, number) / TABLE
        if result.get("listed") and left.exists():
            (out / TABLES).mkdir(exist_ok=True)
            shutil.copy(left, out / TABLES / file_name(Variant(task["deck"], task["hand"], task["chips"])))
    large = [f"{deck}, hands of {hand}, chips {chips}" for (deck, hand, chips), r in found.items() if r["too_large"]]
    gains = sum(row["value"] > 1e-6 for row in values)
    worths = [row["chip"] for row in values if row["chip"] is not None]
    chip = f"A chip more for both changes it by {min(worths):+.4f} to {max(worths):+.4f}." if worths else ""
    numbers = {"value": "+.6f", "exploitability": ".0e", "chip": "+.4f", "mixed": ".1%", "pure": ".4f"}
    shares = {"scouts": ".3f", "could_do_both": ".3f", "then_scouts": ".1%", "loses_if_it_must_show": "+.4f"}
    listed = sum(result.get("listed", 0) > 0 for result in found.values())
    (out / "report.md").write_text(
        f"""# Small two-player SCOUTs, exactly

## Values

The starter's margin in equilibrium: positive in {gains} of {len(values)} variants. {chip}

`mixed` is the share of the turns with a choice at which the equilibrium found plays nothing with {SURE:.0%} or more;
`pure` is the exploitability of the policy that always plays what is most likely there: 0 where an equilibrium needs
no chance.

{tables.markdown(values, numbers)}
![The starter's margin of each variant](values.svg)

## Scouting

By seat: Scouts a round; turns at which it could both Show and Scout; how often it then scouts; and the margin that
it loses in equilibrium if it must Show where it can.

{tables.markdown(scouts, shares)}
## Sizes and tables

Variants that need more than {results[0].task["megabytes"]:,} MB: {"; ".join(large) or "none of those asked"}.

Policies of {listed} variants stand in `{TABLES}`: the information states that the own play leads to, in multiples of
1/{PARTS}.
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """Values that are known, whatever the chips; no seat gains by being forced."""
    found = solved(results)
    for (deck, hand, chips), result in found.items():
        known = KNOWN.get(f"{deck}, hands of {hand}")
        if known is not None and (chips == 0 or hand == 1):
            assert abs(result["value"] - known) < 1e-6, (deck, hand, chips, result["value"])
    for row in scout_rows(found):
        assert row["loses_if_it_must_show"] is None or row["loses_if_it_must_show"] > -1e-6, row
