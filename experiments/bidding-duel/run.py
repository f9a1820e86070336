"""What is Baker Street's bidding duel worth, which bids does it need, and what may a player forget?

solver experiment run bidding-duel --scale small; README.md says how to read the answer.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import cfr, duel, plots, policy_plots, tables
from solver.experiment import Outcome, task_folder
from solver.games import duel as rules
from solver.policy import PolicyTable

Floats = NDArray[np.float64]
SCALES: dict[str, dict[str, Any]] = {
    "smoke": {
        "full": {"bids": "14..20", "target": 1e-3, "least": 1e-3, "parts": 256},
        "growing": {"10..20": 4e-5},
        "needed": {"bids": "16..20", "target": 1e-3},
        "raises": {"bids": ["18..20"], "target": 1e-3},
        "recall": {"bids": "16..20", "last": [[1, 30], [2, 30], [None, 30]], "every": 10},
    },
    "small": {
        "full": {"bids": "0+12..28", "target": 2e-5, "least": 1e-3, "parts": 256},
        "growing": {
            "10..20": 4e-5,
            "8..22": 4e-5,
            "10..24": 4e-5,
            "0+12..24": 4e-5,
            "0+12..26": 4e-5,
            "12..28": 4e-5,
            "0+12..28": 4e-5,
            "0+11..28": 4e-5,
            "0+12..30": 6e-5,
        },
        "needed": {"bids": "0+12..28", "target": 1e-4},
        "raises": {"bids": ["12..18", "12..19", "12..20"], "target": 2e-5},
        "recall": {"bids": "0+12..28", "last": [[1, 400], [2, 400], [3, 200], [None, 400]], "every": 50},
    },
    "full": {
        "full": {"bids": "0+12..28", "target": 5e-6, "least": 1e-3, "parts": 256},
        "growing": {
            "10..20": 2e-6,
            "8..22": 2e-6,
            "10..24": 2e-6,
            "0+12..24": 2e-6,
            "0+12..26": 2e-6,
            "12..28": 5e-6,
            "0+12..28": 5e-6,
            "0+11..28": 5e-6,
            "0+12..30": 5e-6,
            "0+10..30": 1e-5,
        },
        "needed": {"bids": "0+12..28", "target": 1e-5},
        "raises": {"bids": ["12..18", "12..20", "12..22", "12..24"], "target": 1e-5},
        "recall": {
            "bids": "0+12..28",
            "last": [[1, 9000], [2, 9000], [3, 3000], [4, 1000], [None, 9000]],
            "every": 500,
        },
    },
}
KNOWN = {"10..20": 0.00475}  # by another program, to 5e-6
STEPS = (1, 2, 3, 4)  # places of the menu by which a restricted player may raise
SUMS = 16
TABLE = "full-duel.parquet"


def bids_of(text: str) -> tuple[int, ...]:
    """The bids of a menu such as 0+12..28."""
    return rules.load(f"duel(bids={text})").bids


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """The full duel first; each menu; each bid left out; each restriction of raises; each loss of memory."""
    menu, recall = bids_of(config["needed"]["bids"]), config["recall"]
    return [
        {"kind": "full", **config["full"]},
        *({"kind": "growing", "bids": bids, "target": target} for bids, target in config["growing"].items()),
        *({"kind": "needed", "without": bid, **config["needed"]} for bid in menu),
        *(
            {"kind": "raises", "bids": bids, "step": step, "seat": seat, "target": config["raises"]["target"]}
            for bids in config["raises"]["bids"]
            for step in STEPS
            for seat in (0, 1)
        ),
        *(
            {"kind": "recall", "last": last, "bids": recall["bids"], "iterations": iterations, "every": recall["every"]}
            for last, iterations in recall["last"]
        ),
        {"kind": "recall", "last": 5, "bids": "14..18", "iterations": 200, "every": 200},  # forgets nothing
    ]


def work(task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """What is found for a task; that of the full duel leaves the policy as a table."""
    if task["kind"] == "full":
        return full(task, folder)
    if task["kind"] == "growing":
        return menu_result(bids_of(task["bids"]), task["target"])
    if task["kind"] == "needed":
        return menu_result(tuple(bid for bid in bids_of(task["bids"]) if bid != task["without"]), task["target"])
    return restricted(task) if task["kind"] == "raises" else forgetful(task)


# ----------------------------------------------------------------------------------------------
# Menus


def judged(policy: duel.DuelPolicy) -> dict[str, Any]:
    """What a policy is worth within its menu, and against all bids."""
    within, full_menu = duel.best_responses(policy), duel.best_responses(policy, 0, duel.MAX_BID)
    return {"value": duel.value(policy)[0], "within": within, "all": full_menu}


def menu_result(bids: tuple[int, ...], target: float) -> dict[str, Any]:
    """The equilibrium of a menu, judged."""
    solution = duel.solve(bids=bids, target=target)
    return {"bids": bids, "iterations": solution.iterations, **judged(solution.policy)}


def full(task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The full duel: how equilibrium plays, what its raises cost if cut short, and a table to look things up in."""
    solution = duel.solve(bids=bids_of(task["bids"]), target=task["target"])
    policy = solution.policy
    small = rounded(policy, task["least"], task["parts"])
    made = {key: value for key, value in solution.settings.items() if key != "seconds"}  # which is never the same
    table = small.to_table({**made, "least": task["least"], "parts": task["parts"]}, reached=True)
    table.to_parquet(folder / TABLE, compact=True)
    found = duel.profile(policy)
    return {
        "iterations": solution.iterations,
        **judged(policy),
        "table": {"states": len(table), **judged(duel.DuelPolicy.from_table(PolicyTable.from_parquet(folder / TABLE)))},
        "shortened": [
            {"step": step, "seats": [judged(shortened(policy, seat, step))["all"][1 - seat] for seat in (0, 1)]}
            for step in STEPS
        ],
        "profile": {name: plain(np.round(part, 8).tolist()) for name, part in found._asdict().items()},
    }


def shortened(policy: duel.DuelPolicy, seat: int, step: int) -> duel.DuelPolicy:
    """The policy with a seat that makes its longest raise, of `step` places, wherever it would make a longer one."""
    array = policy.array.astype(np.float64)
    for bids, start, actions in policy.blocks():
        if bids and len(bids) % 2 == seat:
            raises = array[start : start + len(actions) - 1]  # the doubt comes last
            raises[step - 1 : step] += raises[step:].sum(axis=0)
            raises[step:] = 0
    return duel.DuelPolicy(policy.game, array)


def plain(numbers: Any) -> Any:
    """Nested lists as JSON has them: None in place of nan."""
    if isinstance(numbers, list):
        return [plain(number) for number in numbers]
    return None if numbers != numbers else numbers


def rounded(policy: duel.DuelPolicy, least: float, parts: int) -> duel.DuelPolicy:
    """The policy without actions below a probability, in multiples of 1 / parts."""
    array = policy.array.astype(np.float64)
    for _, start, actions in policy.blocks():
        here = array[start : start + len(actions)]
        here[here < least] = 0
        counts = np.round(here / here.sum(axis=0) * parts)
        counts[counts.argmax(axis=0), np.arange(SUMS)] += parts - counts.sum(axis=0)
        here[:] = counts / parts
    return duel.DuelPolicy(policy.game, array)


# ----------------------------------------------------------------------------------------------
# Restricted raises, exactly: the rival may still bid anything


class ShortState(duel.State):
    """A duel in which one seat raises by at most `step` places of the menu."""

    def __init__(self, menu: tuple[int, ...], seat: int, step: int) -> None:
        super().__init__(menu)
        self.seat, self.step = seat, step

    def legal_actions(self) -> list[int]:
        """As ever, but for greater raises of the seat."""
        actions = super().legal_actions()
        if self.bids and self.current_player() == self.seat:
            return [*actions[: min(self.step, len(actions) - 1)], duel.Game().doubt]
        return actions

    def clone(self) -> ShortState:
        """An independent copy."""
        result = ShortState(self.menu, self.seat, self.step)
        result.sums, result.bids, result.doubted = list(self.sums), list(self.bids), self.doubted
        return result


class ShortRaises(duel.Game):
    """The duel of such states."""

    def __init__(self, bids: tuple[int, ...], seat: int, step: int) -> None:
        super().__init__(bids=bids)
        self.seat, self.step = seat, step

    def new_initial_state(self) -> ShortState:
        """The start."""
        return ShortState(self.bids, self.seat, self.step)


def restricted(task: dict[str, Any]) -> dict[str, Any]:
    """The opener's value where one seat's raises are short, and where nobody's are."""
    bids = bids_of(task["bids"])
    solution = cfr.solve(ShortRaises(bids, task["seat"], task["step"]), target=task["target"])
    free = duel.solve(bids=bids, target=task["target"])
    return {
        "value": solution.value[0],
        "exploitability": solution.exploitability,
        "free": free.value[0],
        "free_exploitability": free.exploitability,
    }


# ----------------------------------------------------------------------------------------------
# Forgetting


class Forgetful:
    """CFR+ for a duel whose players know their sum, their seat and the last bids only.

    States are the seat to move and the last bids; all histories that end alike are one state, so play forgets
    (imperfect recall), and CFR promises nothing. Sums over histories go from state to state, since the strategy
    does not tell them apart; only pay-offs need both sums, in a matrix for each state.

    Parameters
    ----------
    bids : tuple of int
    last : int
        How many bids are remembered.
    """

    def __init__(self, bids: tuple[int, ...], last: int) -> None:
        self.bids, self.last = bids, last
        size = len(bids)
        self.chance = np.array(rules.WAYS) / sum(rules.WAYS)
        # states by their last bid (the first group has none): seat to move, numbers of the last bids
        self.groups: list[dict[tuple[int, tuple[int, ...]], int]] = [{(0, ()): 0}, *({} for _ in bids)]
        self.after: list[list[NDArray[np.int64]]] = []  # by group and raise: the state each state leads to
        for at, group in enumerate(self.groups):
            lead = []
            for bid in range(at, size):
                below = self.groups[bid + 1]
                names = [(1 - seat, (*known, bid)[-last:]) for seat, known in group]
                lead.append(np.array([below.setdefault(name, len(below)) for name in names], dtype=np.int64))
            self.after.append(lead)
        sums = np.arange(SUMS)
        self.doubts = [np.where(sums[:, None] + sums >= bid, -1.0, 1.0) for bid in bids]  # to whoever doubts
        shapes = [(len(group), size - at + (at > 0), SUMS) for at, group in enumerate(self.groups)]
        self.regrets = [np.zeros(shape) for shape in shapes]
        self.sums = [np.zeros(shape) for shape in shapes]

    def iterate(self, t: int) -> None:
        """An iteration of CFR+, one seat and then the other; iteration t weighs t in the average."""
        for seat in (0, 1):
            self._update(seat, t)

    def _update(self, seat: int, t: int) -> None:
        play = [shares(regrets) for regrets in self.regrets]
        # by own sum the reach of the seat to move, and with chance that of its rival, summed over histories;
        # what the other one of both did on the way counts fully
        own = [np.zeros((len(group), SUMS)) for group in self.groups]
        rival = [np.zeros((len(group), SUMS)) for group in self.groups]
        own[0][:], rival[0][:] = 1.0, self.chance
        for at, lead in enumerate(self.after):
            for below, states in enumerate(lead, at + 1):
                np.add.at(own[below], states, rival[at] / self.chance)
                np.add.at(rival[below], states, own[at] * play[at][:, below - at - 1] * self.chance)
        worth: list[Floats] = [np.zeros(0)] * len(self.groups)  # to the seat to move, by own and rival's sum
        for at in range(len(self.bids), -1, -1):
            options = [-worth[below][states].transpose(0, 2, 1) for below, states in enumerate(self.after[at], at + 1)]
            if at:
                options.append(np.broadcast_to(self.doubts[at - 1], (len(self.groups[at]), SUMS, SUMS)))
            each = np.stack(options, axis=1)
            worth[at] = np.einsum("xas,xast->xst", play[at], each)
            value = np.einsum("xast,xt->xas", each, rival[at])
            gain = value - (play[at] * value).sum(axis=1, keepdims=True)
            mine = [mover == seat for mover, _ in self.groups[at]]
            self.sums[at][mine] += t * own[at][mine, None] * play[at][mine]
            self.regrets[at][mine] = np.maximum(self.regrets[at] + gain, 0)[mine]

    def policy(self) -> duel.DuelPolicy:
        """The average, as one that could remember all."""
        game = duel.Game(bids=self.bids)
        empty = duel.DuelPolicy.uniform(game)
        array = empty.array.astype(np.float64)
        number = {bid: at for at, bid in enumerate(self.bids)}
        average = [shares(sums) for sums in self.sums]
        for bids, start, actions in empty.blocks():
            at = number[bids[-1]] + 1 if bids else 0
            known = tuple(number[bid] for bid in bids[-self.last :])
            array[start : start + len(actions)] = average[at][self.groups[at][len(bids) % 2, known]]
        return duel.DuelPolicy(game, array)


def shares(sums: Floats) -> Floats:
    """Sums as probabilities over the middle axis; equal ones where there are none."""
    total = sums.sum(axis=1, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), 1 / sums.shape[1])


def forgetful(task: dict[str, Any]) -> dict[str, Any]:
    """Exploitability now and then of play that remembers so many bids; without `last`, of play that remembers all."""
    bids, every = bids_of(task["bids"]), task["every"]
    points: list[dict[str, Any]] = []
    if task["last"] is None:
        found = duel.solve(bids=bids, method="cfr+", iterations=task["iterations"], every=every)
        points = [{"iteration": int(row["iteration"]), "within": float(row["exploitability"])} for row in found.history]
        return {"states": SUMS << len(bids), "points": points, "all": duel.full_menu_exploitability(found.policy)}
    game = Forgetful(bids, task["last"])
    for t in range(1, task["iterations"] + 1):
        game.iterate(t)
        if t % every == 0:
            policy = game.policy()
            points.append({"iteration": t, "within": duel.exploitability(policy)})
    states = SUMS * sum(map(len, game.groups))
    return {"states": states, "points": points, "all": duel.full_menu_exploitability(policy)}


# ----------------------------------------------------------------------------------------------
# The report


def of_kind(results: list[Outcome], kind: str) -> list[Outcome]:
    """The tasks of a kind, with what came of them."""
    return [outcome for outcome in results if outcome.task["kind"] == kind]


def bounds(name: str, result: dict[str, Any]) -> dict[str, Any]:
    """A row of what a policy is worth: the opener's value, its bounds in the full duel, and both exploitabilities."""
    return {
        "bids": name,
        "value": result["value"],
        "exploitability": sum(result["within"]) / 2,
        "full_low": -result["all"][1],
        "full_high": result["all"][0],
        "full_exploitability": sum(result["all"]) / 2,
    }


def growing_rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each menu."""
    return [bounds(task["bids"], result) for task, result in of_kind(results, "growing")]


def needed_rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each bid left out."""
    return [{"without": task["without"]} | bounds("", result) for task, result in of_kind(results, "needed")]


def raises_rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each menu and step: what short raises cost either seat, and how sure that is."""
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for task, result in of_kind(results, "raises"):
        key = task["bids"], task["step"]
        row = rows.setdefault(key, {"bids": key[0], "step": key[1]})
        sign = 1 if task["seat"] == 0 else -1
        row["opener" if task["seat"] == 0 else "second"] = sign * (result["free"] - result["value"])
        unsure = 2 * (result["exploitability"] + result["free_exploitability"])  # values lie within NashConv
        row["unsure"] = max(row.pop("unsure", 0.0), unsure)
    return list(rows.values())


def shortened_rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each step: what short raises cost either seat at most in the full duel."""
    result = of_kind(results, "full")[0].result
    return [
        {"step": row["step"]}
        | {name: row["seats"][seat] - result["all"][1 - seat] for seat, name in enumerate(("opener", "second"))}
        for row in result["shortened"]
    ]


def recall_rows(results: list[Outcome]) -> list[dict[str, Any]]:
    """A row for each memory and look."""
    return [
        {"bids": task["bids"], "last": task["last"] or "all", "states": result["states"], **point}
        for task, result in of_kind(results, "recall")
        for point in result["points"]
    ]


def habit_rows(found: duel.Profile) -> list[dict[str, Any]]:
    """A row for each own sum: openings, and from which bid on it doubts rather than raises."""
    rows = []
    for total, (opening, facing, doubting) in enumerate(zip(found.opening, found.facing, found.doubting, strict=True)):
        listed = [at for at in np.argsort(-opening, kind="stable")[:4] if opening[at] >= 0.01]
        doubts = [
            bid for bid, often, share in zip(found.bids, facing, doubting, strict=True) if often > 1e-6 < share > 0.5
        ]
        often = ", ".join(f"{found.bids[at]}: {opening[at]:.0%}" for at in sorted(listed))
        rows.append({"own sum": total, "opens with": often, "mostly doubts from": doubts[0] if doubts else None})
    return rows


def draw_menus(growing: list[dict[str, Any]], needed: list[dict[str, Any]], out: Path) -> None:
    """Exploitability with all bids by menu, and by the bid that is left out."""
    with plots.figure(out / "menus.svg", 1, 2, width=9, height=4.2) as (_, (left, right)):
        parts = (
            (left, "Menus", [row["bids"] for row in growing], growing),
            (right, "One bid left out", [str(row["without"]) for row in needed], needed),
        )
        for axes, title, names, rows in parts:
            axes.plot([row["full_exploitability"] for row in rows], names, linestyle="none", marker="o")
            axes.set(title=title, xlabel="exploitability with all bids 0..30", xscale="log", xlim=(2e-5, 1))
            axes.invert_yaxis()
        right.set_ylabel("bid left out")


def draw_raises(found: duel.Profile, out: Path) -> None:
    """How bids go on, and which are doubted."""
    rows = found.raising.sum(axis=1, keepdims=True)
    legal = np.triu(np.ones_like(found.raising), 1) > 0
    shares = np.where(legal & (rows > 1e-6), found.raising / np.where(rows > 0, rows, 1), np.nan)
    with plots.figure(out / "raises.svg", 1, 2, width=10, height=4.2) as (_, (left, right)):
        label = "share of the raises from there (%)"
        plots.heatmap(left, 100 * shares, x=found.bids, y=found.bids, label=label, low=0, high=100)
        left.set(title="Raises", xlabel="to the bid", ylabel="from the bid")
        right.bar([str(bid) for bid in found.bids], 100 * found.doubted)
        right.set(title="Doubted bids", xlabel="bid", ylabel="duels that end so (%)")
        right.grid(axis="x", visible=False)
        right.tick_params(axis="x", labelrotation=90)


def draw_recall(rows: list[dict[str, Any]], out: Path) -> None:
    """Exploitability against iterations, by what is remembered."""
    with plots.figure(out / "recall.svg", height=3.8) as (_, axes):
        for k, last in enumerate(dict.fromkeys(row["last"] for row in rows)):
            these = [row for row in rows if row["last"] == last]
            label = "all bids" if last == "all" else f"last {last} bids" if last > 1 else "last bid"
            axes.plot(
                [row["iteration"] for row in these],
                [row["within"] for row in these],
                marker=plots.MARKERS[k],
                label=f"{label}: {these[0]['states']:,} states",
            )
        axes.set(xlabel="iterations of CFR+", ylabel="exploitability within the menu", yscale="log")
        axes.legend(title="a player remembers")


def report(results: list[Outcome], out: Path) -> None:
    """Tables and figures of each part, and what they say."""
    task, result = of_kind(results, "full")[0]
    parts: dict[str, Any] = {name: np.array(part, np.float64) for name, part in result["profile"].items()}
    found = duel.Profile(**parts | {"bids": tuple(result["profile"]["bids"])})  # None has become nan
    growing, needed, raises, shorter, recall = (
        rows(results) for rows in (growing_rows, needed_rows, raises_rows, shortened_rows, recall_rows)
    )
    named = {"menus": growing, "needed": needed, "raises": raises, "shortened": shorter, "recall": recall}
    for name, rows in named.items():
        tables.write_csv(out / f"{name}.csv", rows)
    policy_plots.draw_duel(found, out / "policy.png")
    left = task_folder(out, 0) / TABLE
    if left.exists():
        shutil.copy(left, out / TABLE)
    draw_menus(growing, needed, out)
    draw_raises(found, out)
    draw_recall([row for row in recall if row["bids"] != recall[-1]["bids"]], out)
    best, table = bounds(task["bids"], result), bounds(task["bids"], result["table"])
    low = max(row["full_low"] for row in (best, *growing))
    high = min(row["full_high"] for row in (best, *growing))
    one = float(np.trace(found.raising, 1) / found.raising.sum())
    forgets = [
        {
            "bids": each.task["bids"],
            "remembers": f"the last {each.task['last']}" if each.task["last"] else "all",
            "information states": each.result["states"],
            "iterations": each.task["iterations"],
            "exploitability": each.result["points"][-1]["within"],
            "with all bids 0..30": each.result["all"],
        }
        for each in of_kind(results, "recall")
    ]
    values = {"value": ".5f", "exploitability": ".1e", "full_low": ".5f", "full_high": ".5f"}
    values["full_exploitability"] = ".1e"
    wanted = {"opener": "+.4f", "second": "+.4f", "unsure": ".4f"}
    (out / "report.md").write_text(
        f"""# The bidding duel

## Value

The menu {task["bids"]} has an equilibrium, found to an exploitability of {best["exploitability"]:.1e}.
With all bids 0..30 nobody gains more than {best["full_exploitability"]:.1e} against it, mean of both seats.
By all policies found here, **the opener's value in the full duel lies between {low:.5f} and {high:.5f}**.

Each menu: the opener's value and the exploitability within the menu; then what its policy proves of the full
duel (bounds of the opener's value), and its exploitability there.

{tables.markdown(growing, values)}
![Exploitability with all bids by menu, and with one bid left out](menus.svg)

## Which bids are needed

The menu {of_kind(results, "needed")[0].task["bids"]} without one of its bids:

{tables.markdown([{key: cell for key, cell in row.items() if key != "bids"} for row in needed], values)}
## How equilibrium plays

One of many equilibria, averaged over its own play.

{tables.markdown(habit_rows(found))}
![Openings and doubts by own sum](policy.png)

A duel has {1 + found.raising.sum():.2f} bids on average; {one:.0%} of the raises go to the next bid of the menu.

![How bids go on, and which are doubted](raises.svg)

## Short raises

What it costs a seat to raise by at most so many places of the menu, while its rival may bid anything; `unsure` is
how much the cost may be off.

{tables.markdown(raises, wanted)}
The full duel, with the menu {task["bids"]}: what its policy guarantees a seat against all bids 0..30, less what it
guarantees if that seat makes its longest raise wherever it would make a longer one. So much short raises cost **at
most**, to twice the exploitability; who plans for them may lose less.

{tables.markdown(shorter, {"opener": "+.5f", "second": "+.5f"})}
## Forgetting

CFR+ where players know their sum, their seat and the last bids only; judged against rivals that remember all.

{tables.markdown(forgets, {"exploitability": ".1e", "with all bids 0..30": ".1e"})}
![Exploitability against iterations by what is remembered](recall.svg)

## The table

`{TABLE}` holds the {result["table"]["states"]:,} information states that the policy's own play leads to,
without actions below {task["least"]:g}, in multiples of 1/{task["parts"]}. Its exploitability with all bids is
{table["full_exploitability"]:.1e}: as the opener it gets at least {table["full_low"]:.5f}, and as the second player
it gives at most {table["full_high"]:.5f}.
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """A value that another program found; CFR with nothing forgotten comes to an equilibrium, with less it does not."""
    for row in growing_rows(results):
        if row["bids"] in KNOWN:
            assert abs(row["value"] - KNOWN[row["bids"]]) < 1e-4, row
            assert row["exploitability"] < 5e-5, row
    known = of_kind(results, "recall")[-1].result
    assert known["points"][-1]["within"] < 5e-4, known
