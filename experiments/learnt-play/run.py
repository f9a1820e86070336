"""How well can a rule without search play SCOUT, learnt from what came of choices?

solver experiment run learnt-play; README.md says how to read the answer. The library plays by its constants.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import plots, scout, tables
from solver.experiment import Outcome

Floats = NDArray[np.float32]
Net = dict[str, Floats]

SCALES = {
    "smoke": {
        "seed": 1,
        "players": [2, 3],
        "generations": 2,
        "decisions": 5000,
        "deals": 400,
    },
    "small": {
        "seed": 1,
        "players": [2, 3, 4, 5],
        "generations": 12,
        "decisions": 300_000,
        "deals": 40_000,
    },
    "full": {
        "seed": 1,
        "players": [2, 3, 4, 5],
        "generations": 24,
        "decisions": 1_000_000,
        "deals": 400_000,
    },
}
OPTION, POSITION, HIDDEN = 29, 24, 32  # features and hidden units, as `Game.learnt_constants` has them
EXPLORE = 0.05
MEMORY = 4  # generations that are learnt from
REGRESSION = (20, 4096, 1e-2)  # epochs, turns a step, rate of learning
ASCENT = (3, 2048, 1e-2)
SHARPER = 2.0  # scores over the margins that a first net expects
SMALL = 1e-5  # cost of a squared constant
DIGITS = 6
KINDS = ("show", "scout", "scout & show")


# ----------------------------------------------------------------------------------------------
# Turns and what came of their options


class Turns(NamedTuple):
    """Turns of choice; all their options one behind the other."""

    starts: NDArray[np.int64]  # of each turn's options; then the end
    positions: Floats
    options: Floats
    gains: Floats  # margin, less the mean of the turn's options

    @property
    def counts(self) -> NDArray[np.int64]:
        """Options of each turn."""
        return np.diff(self.starts)

    def part(self, first: int, last: int) -> Turns:
        """Some turns in a row."""
        a, b = self.starts[first], self.starts[last]
        starts = self.starts[first : last + 1] - a
        return Turns(starts, self.positions[first:last], self.options[a:b], self.gains[a:b])

    def scaled(self, means: Floats, spreads: Floats) -> Turns:
        """Features less their means, in spreads."""
        return self._replace(
            positions=(self.positions - means[OPTION:]) / spreads[OPTION:],
            options=(self.options - means[:OPTION]) / spreads[:OPTION],
        )


def per_turn(values: Floats, turns: Turns) -> Floats:
    """The value of each turn, for each of its options."""
    return np.repeat(values, turns.counts, axis=0)


def sums(values: Floats, turns: Turns) -> Floats:
    """Over the options of each turn."""
    return np.asarray(np.add.reduceat(values, turns.starts[:-1]), np.float32)


def centred(values: Floats, turns: Turns) -> Floats:
    """Less the mean of each turn's options."""
    return values - per_turn(np.divide(sums(values, turns), turns.counts, dtype=np.float32), turns)


def sampled(game: scout.Game, constants: Floats, decisions: int, seed: list[int]) -> Turns:
    """Turns of the rule with these constants."""
    counts, positions, options, margins = game.learnt_samples(decisions, constants, EXPLORE, seed)
    turns = Turns(np.concatenate([[0], np.cumsum(counts)]), positions, options, margins)
    return turns._replace(gains=centred(margins, turns))


# ----------------------------------------------------------------------------------------------
# The net


def unlearnt(rng: np.random.Generator, direct: float) -> Net:
    """Planning's worth, and hidden units of chance."""
    net = {
        "option": rng.normal(0, 0.3, (OPTION, HIDDEN)),
        "position": rng.normal(0, 0.3, (POSITION, HIDDEN)),
        "bias": rng.normal(0, 0.3, HIDDEN),
        "out": rng.normal(0, 0.1, HIDDEN),
        "direct": np.zeros(OPTION),
    }
    net["direct"][0] = direct
    return {name: values.astype(np.float32) for name, values in net.items()}


def scores(net: Net, turns: Turns) -> tuple[Floats, Floats]:
    """Scores of all options, and what the hidden units gave."""
    units = turns.options @ net["option"]
    units += per_turn(turns.positions @ net["position"] + net["bias"], turns)
    np.maximum(units, 0, out=units)
    return units @ net["out"] + turns.options @ net["direct"], units


def slopes(net: Net, turns: Turns, units: Floats, pull: Floats) -> Net:
    """How the constants change a loss that changes by `pull` for a score."""
    back = pull[:, None] * net["out"]
    back *= units > 0
    by_turn = sums(back, turns)
    return {
        "option": turns.options.T @ back,
        "position": turns.positions.T @ by_turn,
        "bias": by_turn.sum(axis=0),
        "out": pull @ units,
        "direct": pull @ turns.options,
    }


def regression(net: Net, turns: Turns) -> Net:
    """Slopes of the squared error of the scores, each turn's taken from their mean, as forecasts of the gains."""
    found, units = scores(net, turns)
    missed = centred(found - turns.gains, turns)
    return slopes(net, turns, units, missed / np.float32(len(turns.counts)))


def ascent(net: Net, turns: Turns) -> Net:
    """Slopes of the mean gain, less it, if an option is played with probability softmax of its score."""
    found, units = scores(net, turns)
    found -= per_turn(np.maximum.reduceat(found, turns.starts[:-1]), turns)
    chances = np.exp(found)
    chances /= per_turn(sums(chances, turns), turns)
    over = turns.gains - per_turn(sums(chances * turns.gains, turns), turns)
    return slopes(net, turns, units, -chances * over / np.float32(len(turns.counts)))


def learnt(net: Net, past: list[Turns], slope: Any, how: tuple[int, int, float], seed: list[int], slower: bool) -> Net:
    """Follow slopes by Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", ICLR 2015)."""
    epochs, size, rate = how
    steps = [(turns, first) for turns in past for first in range(0, len(turns.counts) - size + 1, size)]
    rng = np.random.default_rng(seed)
    net = dict(net)
    mean = {name: np.zeros_like(values) for name, values in net.items()}
    square = {name: np.zeros_like(values) for name, values in net.items()}
    number = 0
    for _ in range(epochs):
        for i in rng.permutation(len(steps)):
            turns, first = steps[i]
            step = slope(net, turns.part(first, first + size))
            speed = rate * (1 - number / (epochs * len(steps))) if slower else rate
            number += 1
            for name, values in net.items():
                down = step[name] + SMALL * values
                mean[name] = 0.9 * mean[name] + 0.1 * down
                square[name] = 0.999 * square[name] + 0.001 * down * down
                by = mean[name] / (1 - 0.9**number) / (np.sqrt(square[name] / (1 - 0.999**number)) + 1e-8)
                net[name] = (values - speed * by).astype(np.float32)
    return net


def constants_of(net: Net, means: Floats, spreads: Floats) -> Floats:
    """The net over features as they are, in the order of `Game.learnt_constants`, to so many digits."""
    option = net["option"] / spreads[:OPTION, None]
    position = net["position"] / spreads[OPTION:, None]
    bias = net["bias"] - means[:OPTION] @ option - means[OPTION:] @ position
    parts = (option, position, bias, net["out"], net["direct"] / spreads[:OPTION])
    flat = np.concatenate([part.ravel() for part in parts])
    return np.array([float(f"{value:.{DIGITS}g}") for value in flat], np.float32)


# ----------------------------------------------------------------------------------------------
# What it plays


class Mean(NamedTuple):
    """A mean and half of its 95 % interval."""

    mean: float
    width: float

    @classmethod
    def over(cls, values: NDArray[Any]) -> Mean:
        """Of independent values."""
        return cls(float(values.mean()), float(1.96 * values.std() / np.sqrt(len(values))))


def first_best(values: Floats, turns: Turns) -> NDArray[np.int64]:
    """Of each turn the option of the greatest value; of equals the first."""
    best = np.flatnonzero(values >= per_turn(np.maximum.reduceat(values, turns.starts[:-1]), turns))
    _, first = np.unique(np.searchsorted(turns.starts, best, side="right"), return_index=True)
    return np.asarray(best[first])


def changes(net: Net, turns: Turns, plain: Turns) -> list[dict[str, Any]]:
    """Where the rule plays something else than planning, and what came of it; on turns that it has not learnt from."""
    rule, planning = first_best(scores(net, turns)[0], turns), first_best(plain.options[:, 0].copy(), turns)
    kinds = np.argmax(plain.options[:, 1:4], axis=1)
    other = rule != planning
    rows = []
    for a, before in enumerate(KINDS):
        for b, now in enumerate(KINDS):
            here = other & (kinds[planning] == a) & (kinds[rule] == b)
            if here.sum() > 1:
                gain = Mean.over(turns.gains[rule[here]] - turns.gains[planning[here]])
                rows.append({"planning": before, "rule": now, "share": float(here.mean()), "gain": gain})
    return rows


# ----------------------------------------------------------------------------------------------
# The experiment


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """One for each number of players."""
    return [{**config, "players": players} for players in config["players"]]


def work(task: dict[str, Any]) -> dict[str, Any]:
    """Play, learn from it, and play by what is learnt."""
    seed, players = task["seed"], task["players"]
    game = scout.Game(players=players)
    constants = np.zeros(len(game.learnt_constants), np.float32)
    constants[-OPTION] = 1  # what planning likes best
    past: list[Turns] = []
    margins: list[Mean] = []
    net: Net = {}
    for generation in range(task["generations"]):
        turns = sampled(game, constants, task["decisions"], [seed, players, generation])
        if not net:
            means = np.concatenate([turns.options.mean(axis=0), turns.positions.mean(axis=0)])
            spreads = np.concatenate([turns.options.std(axis=0), turns.positions.std(axis=0)])
            spreads[spreads == 0] = 1
        past = [*past, turns.scaled(means, spreads)][-MEMORY:]
        if not net:
            net = unlearnt(np.random.default_rng([seed, players]), float(spreads[0]))
            net = learnt(net, past, regression, REGRESSION, [seed, players, 0, 0], slower=True)
            net["out"], net["direct"] = SHARPER * net["out"], SHARPER * net["direct"]
        epochs, size, rate = ASCENT
        rate *= 1 - generation / task["generations"]
        net = learnt(net, past, ascent, (epochs, size, rate), [seed, players, generation, 1], slower=False)
        constants = constants_of(net, means, spreads)
        margins.append(Mean.over(game.learnt_contest(constants, task["deals"], seed=[seed, players, generation, 2])))
    fresh = sampled(game, constants, max(1, task["decisions"] // 3), [seed, players, task["generations"]])
    return {
        "margins": margins,
        "changes": changes(net, fresh.scaled(means, spreads), fresh),
        "constants": [float(f"{value:.{DIGITS}g}") for value in constants],
    }


def told(mean: Any) -> str:
    """A mean and its width."""
    return f"{mean[0]:+.2f} ± {mean[1]:.2f}"


def header(results: list[Outcome]) -> str:
    """The constants as the library has them, a row for each number of players."""
    rows = []
    for _, result in results:
        numbers = [f"{value:.{DIGITS}g}" for value in result["constants"]]
        numbers = [number if set(number) & set(".e") else f"{number}.0" for number in numbers]
        lines = [", ".join(f"{number}f" for number in numbers[i : i + 8]) for i in range(0, len(numbers), 8)]
        rows.append("    {\n        " + ",\n        ".join(lines) + "\n    }")
    seed = results[0].task["seed"]
    return (
        "/* Constants of the rule of play that is learnt for SCOUT, a row for each number of players, 2 to 5.\n"
        f" * Written by experiments/learnt-play (seed {seed}); results/ there has the same file.\n */\n"
        f"static const float SCOUT_LEARNT[{len(rows)}][{len(results[0].result['constants'])}] = {{\n"
        + ",\n".join(rows)
        + "\n};\n"
    )


def report(results: list[Outcome], out: Path) -> None:
    """What the rule gains by generation, and where; its constants as a header of C."""
    (out / "_scout_learnt.h").write_text(header(results), encoding="utf-8")
    tables.write_csv(
        out / "margins.csv",
        [
            {"players": task["players"], "generation": number + 1, "margin": mean, "width": width}
            for task, result in results
            for number, (mean, width) in enumerate(result["margins"])
        ],
    )
    with plots.figure(out / "margins.svg", 1, 1, width=5.5, height=3.4) as (_, axes):
        for k, (task, result) in enumerate(results):
            means, widths = np.array(result["margins"]).T
            x = np.arange(1, len(means) + 1)
            axes.errorbar(x, means, widths, marker=plots.MARKERS[k], label=f"{task['players']} players")
        axes.set(xlabel="generation", ylabel="over planning, points a round", ylim=(0, None))
        axes.legend()
    played = [
        {
            "players": task["players"],
            "first generation": told(result["margins"][0]),
            "last": told(result["margins"][-1]),
        }
        for task, result in results
    ]
    changed = [
        {
            "players": task["players"],
            "planning": row["planning"],
            "rule": row["rule"] if row["rule"] != row["planning"] else "another of the same kind",
            "of all turns": f"{row['share']:.1%}",
            "gain where it does": told(row["gain"]),
            "points in 100 turns": f"{100 * row['share'] * row['gain'][0]:+.1f}",
        }
        for task, result in results
        for row in sorted(result["changes"], key=lambda row: -row["share"] * row["gain"][0])[:4]
    ]
    task = results[0].task
    (out / "report.md").write_text(
        f"""# A rule of play for SCOUT, learnt from what came of choices

Margins in points over planning, which plays the other seats; ± is half of a 95 % interval. {task["generations"]}
generations, {task["decisions"]:,} turns each, judged on {task["deals"]:,} other deals from every seat.

{tables.markdown(played)}
![Margin by generation](margins.svg)

Where the rule plays something else than planning, and what came of it with the cards as they lay: the four changes of
each number of players that bring most.

{tables.markdown(changed)}""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """What is learnt plays no worse than planning, and what it changes is worth it."""
    for task, result in results:
        mean, width = result["margins"][-1]
        assert mean > -2 * width, (task["players"], mean, width)
        assert sum(row["share"] * row["gain"][0] for row in result["changes"]) > -0.1, task["players"]
