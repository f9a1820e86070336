"""What does SCOUT's search know that planning does not, and how much of it can a rule learn?

solver experiment run search-lessons; README.md says how to read the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from solver import Rng, agents, arena, ismcts, plots, scout, stats, tables
from solver.experiment import Outcome

Floats = NDArray[np.float64]

SCALES = {
    "smoke": {
        "seed": 1,
        "players": [3],
        "generations": 2,
        "decisions": 90,
        "iterations": 240,
        "search": 100,
        "deals": 30,
        "again": 4,
        "rollouts": 10,
    },
    "small": {
        "seed": 1,
        "players": [3, 4, 5],
        "generations": 3,
        "decisions": 5000,
        "iterations": 1200,
        "search": 1000,
        "deals": 1000,
        "again": 150,
        "rollouts": 100,
    },
    "full": {
        "seed": 1,
        "players": [3, 4, 5],
        "generations": 8,
        "decisions": 100_000,
        "iterations": 2400,
        "search": 4000,
        "deals": 20_000,
        "again": 5000,
        "rollouts": 400,
    },
}
OPTIONS = 12  # of a decision, the best-looking ones: as many as the search tries
FRESH = 4  # the decisions of every fourth deal are for the test
EVENLY = 1e9  # exploration so great that all options get the same number of turns
AGAIN = 4  # options compared by rollouts of the rule
OLD: dict[str, Any] = {"payoff": "margin", "own": "policy"}  # a search that has learnt nothing yet
LAST = 10**9  # a word that no generation has: the deals for that
PENALTY = 5e-4  # of a squared constant, in points
NEAR = 3.0  # points: an option so far behind the best is not played, whatever is added to it
RIDGE = 1000.0  # of the correction, in options: truths are noisy
KINDS = ("show", "scout", "scout_and_show", "keep", "turn")
FEATURES = (
    "worth to planning, less the best option's",
    "is a Show",
    "is a Scout",
    "is a Scout & Show",
    "worth of the hand after it, less before",
    "cards in hand after it",
    "cards taken",
    "size of the set shown",
    "size of the set shown, if a run",
    "lowest number of the set shown",
    "longest set in hand after it",
    "sets in hand after it",
    "own Scout & Show chip",
    "others' Scout & Show chips",
    "cards in the smallest other hand",
    "cards in the next hand",
    "cards of the Active Set",
    "seats until the owner of the Active Set",
)
OPTION = FEATURES.index("own Scout & Show chip")  # features before it are of the option, the others of the position
SQUARES = np.triu_indices(len(FEATURES))


# ----------------------------------------------------------------------------------------------
# A decision, its options and their features


def played(state: scout.State, action: int) -> scout.State:
    """After an action, and after the Show of a Scout & Show as planning has it."""
    after = state.child(action)
    if state.phase == "turn" and state.game.decode(action)[0] == "scout_and_show":
        scores = after.action_scores()
        after.apply_action(after.legal_actions()[int(np.argmax(scores))])
    return after


class Decision(NamedTuple):
    """The options of a position that look best to planning, planning's own choice first."""

    actions: list[int]
    kinds: list[int]
    features: Floats  # shape (options, features)


def decision(position: scout.Position) -> Decision:
    """What a seat may do, as a rule sees it: nothing of it hangs on hidden cards."""
    game, me = position.game, position.player
    state = position.sample(0)  # any deal that fits
    scores = np.array(state.action_scores())
    order = np.argsort(-scores, kind="stable")[:OPTIONS]
    legal = state.legal_actions()
    others = [cards for seat, cards in enumerate(position.counts) if seat != me]
    chips = position.scout_and_show_left
    worth = position.hand_worth()
    common = [
        float(chips[me]),
        float(sum(chips) - chips[me]),
        min(others),
        position.counts[(me + 1) % game.players],
        len(position.active_set),
        0 if position.owner is None else (position.owner - me) % game.players,
    ]
    rows, kinds = [], []
    for i in order:
        kind = str(game.decode(legal[i])[0])
        after = played(state, legal[i])
        hand: Sequence[tuple[int, int]] = ()
        left, taken, shown = 0.0, 0, []
        if not after.round_results():
            mine = after.position(me)
            hand, left, taken = mine.hand, mine.hand_worth(), mine.score_cards[me] - position.score_cards[me]
            if kind in ("show", "scout_and_show"):
                shown = [top for top, _ in mine.active_set]
        sets = scout.legal_sets([top for top, _ in hand])
        run = len(shown) > 1 and shown[0] != shown[1]
        rows.append(
            [
                scores[i] - scores[order[0]],
                *(float(kind == name) for name in KINDS[:3]),
                left - worth,
                len(hand),
                taken,
                len(shown),
                len(shown) * run,
                min(shown, default=0),
                max((length for _, length in sets), default=0),
                len(sets),
                *common,
            ]
        )
        kinds.append(KINDS.index(kind))
    return Decision([legal[i] for i in order], kinds, np.array(rows, np.float64))


class Rule:
    """Plays the option of the greatest sum of constants times features and their products; an agent.

    Parameters
    ----------
    constants : numpy.ndarray, shape (n,)
        Of the features, then of the products of two features, both in units of their spread.
    means, spreads : numpy.ndarray, shape (features,)
    """

    name = "rule"

    def __init__(self, constants: Floats, means: Floats, spreads: Floats) -> None:
        self.constants, self.means, self.spreads = constants, means, spreads

    def inputs(self, features: Floats) -> Floats:
        """What the constants multiply, along the last axis."""
        scaled = (features - self.means) / self.spreads
        products = scaled[..., SQUARES[0]] * scaled[..., SQUARES[1]]
        return np.concatenate([scaled, products], axis=-1)

    def choose(self, options: Decision) -> int:
        """The place of the best option."""
        return int(np.argmax(self.inputs(options.features) @ self.constants))

    def act(self, position: scout.Position, rng: Rng) -> int:
        """The best option; the Show of a Scout & Show as planning has it."""
        if position.phase not in ("choose", "turn"):
            return int(position.planning_action(rng))
        actions = position.legal_actions()
        if len(actions) == 1:
            return int(actions[0])
        options = decision(position)
        return options.actions[self.choose(options)]


# ----------------------------------------------------------------------------------------------
# What options are worth


def play_out(state: scout.State, seat: int, rng: Rng, rule: Rule | None = None) -> float:
    """Margin of a seat in points, if planning plays the round to its end, and the rule the seat if there is one."""
    planning = agents.Planning()
    while not state.is_terminal():
        mover = state.current_player()
        player = planning if rule is None or mover != seat else rule
        state.apply_action(player.act(state.position(mover), rng))
    returns = state.returns()
    return (len(returns) * returns[seat] - sum(returns)) / (len(returns) - 1)


class Sampled(NamedTuple):
    """Decisions of one generation; the second axis is the options, those that a decision lacks are nan."""

    deals: NDArray[np.int64]  # of each decision
    features: Floats
    kinds: NDArray[np.int64]
    worths: Floats  # margin by as many rollouts of each option, from deals that fit what the seat knows
    truths: Floats  # margin when planning plays the round out with the cards as they lie
    chosen: NDArray[np.int64]  # the place of what the search plays; its options are the same


def padded(values: Any, fill: float = np.nan) -> Floats:
    """A row for each option there may be."""
    values = np.asarray(values, np.float64)
    rows = np.full((OPTIONS, *values.shape[1:]), fill)
    rows[: len(values)] = values
    return rows


def evenly(position: scout.Position, task: dict[str, Any], rng: Rng) -> NDArray[Any]:
    """What each option is worth by as many rollouts, as a table of `ismcts.Result.actions`."""
    iterations = task["iterations"]
    return ismcts.search(position, iterations, seed=rng, root="ucb", exploration=EVENLY, **OLD).actions


def look(state: scout.State, task: dict[str, Any], rng: Rng) -> tuple[Any, ...]:
    """All there is to say of a decision, in the order of `Sampled`, but for its deal."""
    position = state.position(state.current_player())
    options = decision(position)
    found = evenly(position, task, rng)
    value = dict(zip(found["action"].tolist(), found["value"].tolist(), strict=True))
    best = ismcts.search(position, task["search"], seed=rng, **OLD).best
    return (
        padded(options.features),
        padded(options.kinds, -1),
        padded([value[action] for action in options.actions]),
        padded([play_out(state.child(action), position.player, rng) for action in options.actions]),
        options.actions.index(best),
    )


def sampled(game: scout.Game, task: dict[str, Any], generation: int, rule: Rule | None) -> Sampled:
    """Decisions of rounds in which planning plays, and the rule one seat if there is one: then only that seat's."""
    found: list[tuple[Any, ...]] = []
    planning, deal = agents.Planning(), 0
    while len(found) < task["decisions"]:
        state = game.deal(seed=[task["seed"], generation, deal])
        rng = Rng([task["seed"], generation, deal, 1])
        while not state.is_terminal():
            mover = state.current_player()
            # so that every seat is among the decisions to fit on and among the fresh ones
            ours = rule is not None and mover == deal // FRESH % game.players
            if (rule is None or ours) and state.phase in ("choose", "turn") and len(state.legal_actions()) > 1:
                found.append((deal, *look(state, task, rng)))
            player = rule if rule is not None and ours else planning
            state.apply_action(player.act(state.position(mover), rng))
        deal += 1
    deals, features, kinds, worths, truths, chosen = zip(*found, strict=True)
    return Sampled(
        np.array(deals, np.int64),
        np.array(features),
        np.array(kinds, np.int64),
        np.array(worths),
        np.array(truths),
        np.array(chosen, np.int64),
    )


# ----------------------------------------------------------------------------------------------
# What is learnt of them


def fitted(samples: Sequence[Sampled]) -> list[Sampled]:
    """The decisions to fit on."""
    return [Sampled(*(field[sample.deals % FRESH != 0] for field in sample)) for sample in samples]


def spreads(features: Floats) -> tuple[Floats, Floats]:
    """Means and standard deviations over all options; 1 for what never differs."""
    known = features[~np.isnan(features[..., 0])]
    deviations = np.asarray(known.std(axis=0), np.float64)
    return np.asarray(known.mean(axis=0)), np.where(deviations > 0, deviations, 1.0)


def learnt(samples: Sequence[Sampled]) -> Rule:
    """The rule whose choices are worth most, made soft: an option is played with probability softmax of its score.

    What is gained on average over planning's choice is followed uphill (L-BFGS), less a small cost of large
    constants. With the worths of all options, at positions that the rule itself comes to, this is AggreVaTe (Ross and
    Bagnell, "Reinforcement and Imitation Learning via Interactive No-Regret Learning", 2014).
    """
    features = np.concatenate([sample.features for sample in samples])
    worths = np.concatenate([sample.worths for sample in samples])
    there = ~np.isnan(worths)
    means, deviations = spreads(features)
    rule = Rule(np.zeros(len(FEATURES) + len(SQUARES[0])), means, deviations)
    inputs = rule.inputs(np.nan_to_num(features)).astype(np.float32)
    gains = np.where(there, worths - worths[:, :1], 0).astype(np.float32)

    def loss(constants: Floats) -> tuple[float, Floats]:
        scores = np.where(there, inputs @ constants.astype(np.float32), -np.inf)
        chances = np.exp(scores - scores.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        mean = (chances * gains).sum(axis=1, keepdims=True)
        pull = (chances * (gains - mean)).reshape(-1)
        slope = pull @ inputs.reshape(-1, inputs.shape[-1]) / len(gains)
        cost = PENALTY * constants
        return float(-mean.mean() + cost @ constants / 2), cost - slope.astype(np.float64)

    first = rule.constants.copy()
    first[0] = 3.0  # planning itself, a little soft
    rule.constants = np.asarray(minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 200}).x)
    return rule


class Correction(NamedTuple):
    """What to add to the worths that a search finds: points for one more of each feature of an option."""

    constants: Floats

    def __call__(self, features: Floats) -> Floats:
        """Along all axes but the last."""
        return np.asarray(features[..., :OPTION] @ self.constants)


def correction(samples: Sequence[Sampled]) -> Correction:
    """By what came of the options when the cards were turned up: least squares on those that a search might choose.

    It mends what is wrong with the hands that a search draws and with what it takes the others to do, as far as the
    features tell.
    """
    _, deviations = spreads(np.concatenate([sample.features[..., :OPTION] for sample in samples]))
    products, answers = RIDGE * np.eye(OPTION), np.zeros(OPTION)
    for sample in samples:
        inputs = (sample.features - sample.features[:, :1])[..., :OPTION] / deviations
        missed = (sample.truths - sample.truths[:, :1]) - (sample.worths - sample.worths[:, :1])
        near = sample.worths > np.nanmax(sample.worths, axis=1, keepdims=True) - NEAR
        near[:, 0] = False
        products += inputs[near].T @ inputs[near]
        answers += inputs[near].T @ missed[near]
    return Correction(np.asarray(np.linalg.solve(products, answers)) / deviations)


class Mean(NamedTuple):
    """A mean over decisions and half of its 95 % interval, the deal being the unit of chance."""

    mean: float
    width: float

    @classmethod
    def over(cls, deals: NDArray[np.int64], values: Floats) -> Mean:
        """Of a value for each decision."""
        _, place = np.unique(deals, return_inverse=True)
        mean, stderr, _ = stats.ratio(np.bincount(place, values), np.bincount(place))
        return cls(mean, 1.96 * stderr)


def picked(values: Floats, places: NDArray[np.int64]) -> Floats:
    """What the options in these places are worth over planning's."""
    return values[np.arange(len(values)), places] - values[:, 0]


def best(scores: Floats) -> NDArray[np.int64]:
    """The place of the greatest score; nan is none."""
    return np.asarray(np.nanargmax(scores, axis=1))


def scored(rule: Rule, sample: Sampled) -> Floats:
    """A score for each option, nan where there is none."""
    return np.asarray(rule.inputs(sample.features) @ rule.constants)


def judged(sample: Sampled, rule: Rule) -> dict[str, Any]:
    """What search and rule bring over planning on fresh decisions: by rollouts, and with the cards as they lay."""
    fresh = Sampled(*(field[sample.deals % FRESH == 0] for field in sample))
    result: dict[str, Any] = {"decisions": len(sample.deals), "fresh": len(fresh.deals)}
    for name, places in (("search", fresh.chosen), ("rule", best(scored(rule, fresh)))):
        result[name] = Mean.over(fresh.deals, picked(fresh.worths, places))
        result[f"{name}_true"] = Mean.over(fresh.deals, picked(fresh.truths, places))
        result[f"{name}_differs"] = float((places != 0).mean())
    # of one option both must have the same mean, if the hands are drawn as they lie
    result["drawn_less_true"] = Mean.over(sample.deals, sample.worths[:, 0] - sample.truths[:, 0])
    return result


def lessons(sample: Sampled) -> list[dict[str, Any]]:
    """How often the search plays another kind of action, or another of the same, and what that is worth."""
    kinds = sample.kinds[np.arange(len(sample.deals)), sample.chosen]
    rows = []
    for first, one in enumerate(KINDS):
        for second, other in enumerate(KINDS):
            these = (sample.kinds[:, 0] == first) & (kinds == second) & (sample.chosen != 0)
            if len(np.unique(sample.deals[these])) < 2:
                continue  # no interval
            gain = Mean.over(sample.deals[these], picked(sample.worths, sample.chosen)[these])
            rows.append({"planning": one, "search": other, "share": float(these.mean()), "gain": gain})
    return rows


def anywhere(game: scout.Game, seed: list[int], rng: Rng) -> scout.State | None:
    """A decision of a round of planning, each as likely; None if the round has none."""
    planning, state = agents.Planning(), game.deal(seed=seed)
    found, seen = None, 0
    while not state.is_terminal():
        if state.phase in ("choose", "turn") and len(state.legal_actions()) > 1:
            seen += 1
            if rng.below(seen) == 0:
                found = state.clone()
        state.apply_action(planning.act(state.position(state.current_player()), rng))
    return found


def again(game: scout.Game, task: dict[str, Any], rule: Rule) -> dict[str, Any]:
    """Whether options are told apart better by rollouts in which the own seat plays the rule, and not planning.

    What the one choice is worth over the other, judged by other rollouts of the rule, by such of planning, and by
    what comes of it as the cards lie when planning plays on.
    """
    deals: list[int] = []
    gains: list[list[float]] = []
    deal = 0
    while len(deals) < task["again"]:
        rng = Rng([task["seed"], LAST, deal, 1])
        state = anywhere(game, [task["seed"], LAST, deal], rng)
        deal += 1
        if state is None:
            continue
        seat = state.current_player()
        position = state.position(seat)
        found = evenly(position, task, rng)
        likely = np.argsort(-np.nan_to_num(found["value"], nan=-np.inf), kind="stable")[:AGAIN]
        actions = [int(action) for action in found["action"][likely]]
        values = np.zeros((2, task["rollouts"], len(actions)))
        for row in range(task["rollouts"]):
            drawn = position.search_sample(rng, "margin", "play")
            for column, action in enumerate(actions):
                for kind, own in enumerate((None, rule)):
                    values[kind, row, column] = play_out(drawn.child(action), seat, rng, own)
        truths = np.array([play_out(state.child(action), seat, rng) for action in actions])
        gain = np.zeros(3)
        for half in range(2):
            old, new = np.argmax(values[:, half::2].mean(axis=1), axis=1)
            for k, judge in enumerate((*values[::-1, 1 - half :: 2].mean(axis=1), truths)):
                gain[k] += (judge[new] - judge[old]) / 2
        deals.append(deal)
        gains.append(gain.tolist())
    numbers = np.array(deals, np.int64)
    return {
        f"by_{name}": Mean.over(numbers, column)
        for name, column in zip(("rule", "planning", "truth"), np.array(gains).T, strict=True)
    }


# ----------------------------------------------------------------------------------------------
# The experiment


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """One for each number of players: a generation learns from all before it."""
    return [{**config, "players": players} for players in config["players"]]


def work(task: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Sample, fit, play, and again from what the rule comes to. Decisions stay in the folder as they are sampled."""
    game = scout.Game(players=task["players"])
    samples: list[Sampled] = []
    rule: Rule | None = None
    generations = []
    for generation in range(task["generations"]):
        path = folder / f"decisions-{generation}.npz"
        if path.exists():
            with np.load(path) as stored:
                sample = Sampled(*(stored[name] for name in Sampled._fields))
        else:
            sample = sampled(game, task, generation, rule)
            part = path.with_suffix(".part.npz")
            np.savez(part, **sample._asdict())
            part.replace(path)
        samples.append(sample)
        rule = learnt(fitted(samples))
        row = arena.play(game, [rule], task["deals"], seed=task["seed"], against=["planning"])[0]
        played = {"margin": Mean(row.mean, 1.96 * row.stderr), "wins": row.win_share}
        generations.append({**judged(sample, rule), **played})
    assert rule is not None
    mending = correction(fitted(samples))
    gains: list[tuple[NDArray[np.int64], Floats]] = []
    for sample in samples:
        fresh = sample.deals % FRESH == 0
        mended = sample.worths + mending(sample.features)
        gain = picked(sample.truths, best(mended)) - picked(sample.truths, best(sample.worths))
        gains.append((sample.deals[fresh] + 10**9 * len(gains), gain[fresh]))
    return {
        "generations": generations,
        "lessons": lessons(samples[0]),
        "correction": Mean.over(*(np.concatenate(parts) for parts in zip(*gains, strict=True))),
        "corrections": mending.constants.tolist(),
        "again": again(game, task, rule),
        "constants": rule.constants.tolist(),
        "means": rule.means.tolist(),
        "spreads": rule.spreads.tolist(),
    }


def told(mean: Sequence[float], digits: int = 2) -> str:
    """A mean and its width."""
    return f"{mean[0]:+.{digits}f} ± {mean[1]:.{digits}f}"


def draw(results: list[Outcome], out: Path) -> None:
    """What the rule gains by generation, and the search, a decision; and the rule a round."""
    with plots.figure(out / "gains.svg", 1, 2, width=9, height=3.4) as (_, (left, right)):
        for k, (task, result) in enumerate(results):
            rows = result["generations"]
            x = np.arange(1, len(rows) + 1) + 0.06 * (k - 1)
            name = f"{task['players']} players"
            rule, search = (np.array([row[key] for row in rows]) for key in ("rule", "search"))
            color = left.errorbar(x, *rule.T, marker=plots.MARKERS[k], label=name)[0].get_color()
            left.errorbar(x, *search.T, marker=plots.MARKERS[k], linestyle=":", color=color)
            right.errorbar(x, *np.array([row["margin"] for row in rows]).T, marker=plots.MARKERS[k], label=name)
        for axes in (left, right):
            axes.axhline(0, color="#888888", linewidth=1)
            axes.set(xlabel="generation", xticks=range(1, 1 + max(len(result["generations"]) for _, result in results)))
        left.set(title="rule, and search (dotted)", ylabel="over planning, points a decision")
        right.set(title="rule", ylabel="over planning, points a round")
        right.legend()


def report(results: list[Outcome], out: Path) -> None:
    """Tables of what search and rule gain, of lessons and constants; a figure."""
    generations = [
        {"players": task["players"], "generation": number + 1, **row}
        for task, result in results
        for number, row in enumerate(result["generations"])
    ]
    flat = [
        {
            key: value
            for name, cell in row.items()
            for key, value in (
                ((name, cell[0]), (f"{name}_width", cell[1])) if isinstance(cell, list) else ((name, cell),)
            )
        }
        for row in generations
    ]
    tables.write_csv(out / "generations.csv", flat)
    constants = [
        {
            "players": task["players"],
            "one": FEATURES[one],
            "other": FEATURES[other] if other >= 0 else None,
            "constant": constant,
        }
        for task, result in results
        for constant, one, other in zip(
            result["constants"],
            [*range(len(FEATURES)), *SQUARES[0].tolist()],
            [*[-1] * len(FEATURES), *SQUARES[1].tolist()],
            strict=True,
        )
    ]
    tables.write_csv(out / "constants.csv", constants)
    draw(results, out)
    gains = [
        {
            "players": row["players"],
            "generation": row["generation"],
            "decisions": row["decisions"],
            "search": told(row["search"]),
            "... as the cards lay": told(row["search_true"]),
            "rule": told(row["rule"]),
            "... as the cards lay ": told(row["rule_true"]),
            "the rule's share": f"{row['rule'][0] / row['search'][0]:.0%}",
        }
        for row in generations
    ]
    rounds = [
        {
            "players": row["players"],
            "generation": row["generation"],
            "margin": told(row["margin"]),
            "share of wins": f"{row['wins']:.3f}",
        }
        for row in generations
    ]
    words = {name: name.replace("_and_", " & ").replace("_", " ") for name in KINDS}
    taught = "\n".join(
        f"{task['players']} players\n\n"
        + tables.markdown(
            [
                {
                    "planning": words[row["planning"]],
                    "search": words[row["search"]] if row["search"] != row["planning"] else "another of the same kind",
                    "of all decisions": f"{row['share']:.1%}",
                    "gain where it does": told(row["gain"]),
                    "points in 100 decisions": f"{100 * row['share'] * row['gain'][0]:+.1f}",
                }
                for row in sorted(result["lessons"], key=lambda row: -row["share"] * row["gain"][0])
            ]
        )
        for task, result in results
    )
    weak = [
        {
            "players": task["players"],
            "generation": number + 1,
            "drawn less true": told(row["drawn_less_true"]),
        }
        for task, result in results
        for number, row in enumerate(result["generations"])
    ]
    further = [
        {
            "players": task["players"],
            "search values mended by the truth": told(result["correction"], 3),
            "rollouts of the rule: by other such": told(result["again"]["by_rule"], 3),
            "by rollouts of planning": told(result["again"]["by_planning"], 3),
            "as the cards lay": told(result["again"]["by_truth"]),
        }
        for task, result in results
    ]
    missed = [
        {
            "feature": name,
            **{f"{task['players']} players": result["corrections"][i] for task, result in results},
        }
        for i, name in enumerate(FEATURES[:OPTION])
    ]
    tables.write_csv(out / "corrections.csv", missed)
    first = results[0].task
    (out / "report.md").write_text(
        f"""# What SCOUT's search knows that planning does not

Margins in points; ± is half of a 95 % interval. The rule of a generation is fitted to three quarters of the decisions
up to it and judged on the others; in the first generation planning plays everywhere, later the last rule one seat.

## A decision

Over planning's choice: what a search of {first["search"]:,} iterations plays, and what the rule plays. By the means of
independent rollouts from hands drawn as the search draws them, and by what came of it as the cards lay.

{tables.markdown(gains)}
## A round

The rule in one seat, planning in the others, {first["deals"]:,} deals from every seat.

{tables.markdown(rounds)}
![Gains by generation](gains.svg)

## Where the search plays something else

At planning's own decisions.

{taught}
## The hands that a search draws

What planning's own choice is worth by rollouts from hands drawn as the search draws them, less what came of it as the
cards lay: how much better the others' hands are than those drawn.

{tables.markdown(weak)}
## What could be added to the search

Points a decision. First: its values mended by a linear function of the features that was fitted to how the rollouts'
values missed what came of it as the cards lay. Then: choosing by rollouts in which the own seat plays the rule in place
of planning; {first["again"]:,} decisions, one of a round, {first["rollouts"]} rollouts of each of the {AGAIN} likeliest
options.

{tables.markdown(further)}
The linear function, in points for one more of each feature:

{tables.markdown(missed, {f"{task['players']} players": "+.3f" for task, _ in results})}""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """Planning's own choice is worth about as much by rollouts as in truth: drawn hands are weaker by half a point.

    Scores taken for margins, or a rollout that plays for another seat, would be off by several.
    """
    for task, result in results:
        for row in result["generations"]:
            mean, width = row["drawn_less_true"]
            assert abs(mean) < 0.8 + 2 * width, (task["players"], mean, width)
            assert row["fresh"] > 0
        assert len(result["constants"]) == len(FEATURES) + len(SQUARES[0])
