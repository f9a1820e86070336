"""How is a round of Baker Street bid, with placing and drawing, and which part of play matters most?

solver experiment run baker-street-round; README.md says how to read the answer.
"""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from solver import Rng, agents, arena, bakerstreet, bidding_round, duel, evaluate, plots, sampling, tables
from solver.experiment import Outcome
from solver.games.bidding_round import DOUBT, HIGHEST, LEVELS, LOWEST, ON, OPENINGS, RAISES
from solver.games.duel import DOUBT as DUEL_DOUBT
from solver.solution import Solution
from solver.tree import Tree, TreePolicy

PARTS = ("doubt", "place", "bid", "pile", "take")
PLAYERS = {
    "round": dict.fromkeys(("doubt", "place", "bid"), "round"),
    "round, planning places": dict.fromkeys(("doubt", "bid"), "round"),
    "duel": dict.fromkeys(("doubt", "bid"), "duel"),
    "planning, doubts of the round": {"doubt": "round"},
    "planning, bids of the round": {"bid": "round"},
}  # where the parts of play come from; those left out are planning's
BIDDERS = ("round", "round, planning places", "duel")

SCALES = {
    "smoke": {
        "seed": 1,
        "horizon": 2,
        "iterations": 20_000,
        "prices": [0.15],
        "duel": {"low": 10, "high": 20, "target": 1e-2},
        "deals": {"players": 4, "search": 2, "parts": 2},
        "search": "ismcts:5",
    },
    "small": {
        "seed": 1,
        "horizon": 3,
        "iterations": 300_000,
        "prices": [0.15, 0.05, 0.3],
        "duel": {},
        "deals": {"players": 500, "search": 100, "parts": 300},
        "search": "ismcts:100",
    },
    "full": {
        "seed": 1,
        "horizon": 4,
        "iterations": 100_000_000,
        "prices": [0.15, 0.0, 0.05, 0.1, 0.2, 0.3, 0.5],
        "duel": {"target": 1e-5},
        "deals": {"players": 20_000, "search": 2000, "parts": 20_000},
        "search": "ismcts:1000",
    },
}
SOLVING = ("horizon", "price", "iterations", "seed")
# Of two bids at a price of 0.15: information states, and the value to the opener by another method (cfr.solve to 2e-7)
KNOWN = {"states": 735, "value": 0.221973}


# ----------------------------------------------------------------------------------------------
# Policies of the abstraction

Policy = dict[str, dict[int, float]]
Wanted = tuple[float, dict[int, float]]  # the chance of a doubt, and those of bids where there is none


@lru_cache(maxsize=1)
def solved(horizon: int, price: float, iterations: int, seed: int) -> tuple[Solution, TreePolicy, Policy]:
    """What sampling finds over the tree of the abstraction, its policy, and that by information state.

    A process that works on many tasks solves once.
    """
    tree = evaluate.compile(bidding_round.Game(horizon, price))
    solution = sampling.solve(tree, "external", iterations=iterations, seed=seed)
    assert solution.tree_policy is not None
    return solution, solution.tree_policy, solution.tree_policy.to_dict()


@lru_cache(maxsize=1)
def bidding(**options: Any) -> duel.DuelPolicy:
    """The equilibrium of the bidding duel; by default of the menu that solves all of it."""
    return duel.solve(**{"target": 5e-5, **options}).policy


def duel_wants(rules: duel.DuelPolicy, total: int, bids: tuple[int, ...]) -> Wanted:
    """What the duel's policy does with a sum; no bids where it always doubts."""
    chances = rules.action_probabilities(" ".join([f"s{total}", *map(str, bids)]))
    doubt = chances.pop(DUEL_DOUBT, 0.0)
    rest = math.fsum(chances.values())
    return doubt, {bid: chance / rest for bid, chance in chances.items()} if rest else {}


def as_duel(game: bidding_round.Game, rules: duel.DuelPolicy, mine: int, bids: tuple[int, ...]) -> Wanted:
    """What the duel's policy does with a level, in the mean over its sums."""
    doubt, shares = 0.0, dict.fromkeys(game.bids_after(bids), 0.0)
    for total, weight in enumerate(game.hands.sums[mine]):
        if weight:
            chance, wanted = duel_wants(rules, total, bids)
            doubt += weight * chance
            for bid, share in (wanted or {0: 1.0}).items():
                shares[min(shares, key=lambda other: abs(other - bid))] += weight * share
    return doubt, shares


def as_planning(game: bidding_round.Game, mine: int, bids: tuple[int, ...]) -> Wanted:
    """What planning does with a level: it doubts what is more likely false, opens at odds of 0.9, raises least."""
    true = np.array(game.hands.chances) @ np.array(game.hands.true[mine])
    options = game.bids_after(bids)
    wanted = options[0] if bids else max((bid for bid in options if true[bid] >= 0.9), default=options[0])
    return float(bool(bids) and true[bids[-1]] < 0.5), {bid: float(bid == wanted) for bid in options}


def bidder(tree: Tree, base: Policy, rules: duel.DuelPolicy | None) -> Policy:
    """A policy of the abstraction that places as `base` does, and bids and doubts as the duel's policy or planning."""
    known: dict[tuple[int, tuple[int, ...]], Wanted] = {}
    policy = {}
    for text, placing in base.items():
        seen, *words = text.split()
        key = int(seen[-1]), tuple(map(int, words))
        if len(placing) == 1:
            policy[text] = placing  # a bid of 30 is doubted
            continue
        if key not in known:
            known[key] = as_planning(tree.game, *key) if rules is None else as_duel(tree.game, rules, *key)
        doubt, shares = known[key]
        if ON in placing:
            policy[text] = {DOUBT: doubt, ON: 1 - doubt}
        elif HIGHEST not in placing:
            policy[text] = shares
        else:
            places = placing[LOWEST] + placing[HIGHEST]
            high = placing[HIGHEST] / places if places else 1.0
            policy[text] = {LOWEST: (1 - doubt) * (1 - high), HIGHEST: (1 - doubt) * high}
            if DOUBT in placing:
                policy[text][DOUBT] = doubt
    return policy


# ----------------------------------------------------------------------------------------------
# In the real game


class Player:
    """Plays Baker Street, each part of play by planning, at random, by the round's policy or by the duel's.

    Parameters
    ----------
    name : str
    parts : dict
        Of some of `PARTS`, "round", "duel", "random" or (bids) "near", a random one of the next six; the others are
        planning's. With "draw": "random" it takes the card that it drew for another one.
    game, policy : bidding_round.Game, dict
        The abstraction, and what to do in its information states.
    rules : DuelPolicy
    """

    def __init__(
        self, name: str, parts: dict[str, str], game: bidding_round.Game, policy: Policy, rules: duel.DuelPolicy
    ) -> None:
        self.name, self.parts, self.policy, self.rules = name, parts, policy, rules
        self.follower = bidding_round.Follower(game)  # this round, as the abstraction has it
        self.kept: list[int] = []  # values of the cards not placed

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {self.parts}, {self.follower.game})"

    def __deepcopy__(self, memo: object) -> Player:
        return Player(self.name, self.parts, self.follower.game, self.policy, self.rules)

    def act(self, position: bakerstreet.Position, rng: Rng) -> int:
        """The action of the part that the position asks for."""
        if position.phase == "turn":
            return self._turn(position, rng)
        if position.phase == "bid":
            return self._bid(position, rng)
        if self.parts.get("pile" if position.phase == "choose_pile" else "take") == "random":
            return int(rng.choice(position.legal_actions()))
        return int(position.planning_action(rng))

    def _chances(self, bids: tuple[int, ...]) -> dict[int, float] | None:
        """The round's policy; None beyond what the abstraction covers."""
        return self.policy.get(self.follower.information_state(bids) or "")

    def _turn(self, position: bakerstreet.Position, rng: Rng) -> int:
        """Doubt, or place."""
        game, bids, actions = position.game, position.bids, position.legal_actions()
        values = sorted(value for value, _ in position.hand)
        if len(bids) < 2 or not self.follower.seen:
            self.follower.hand(sum(values))
        chances = self._chances(bids)
        if game.doubt in actions and (len(actions) == 1 or self._doubts(position, rng, sum(values), chances)):
            return int(game.doubt)
        action = self._place(position, rng, values, chances)
        placed = game.decode(action)[1]
        self.kept = list(values)
        self.kept.remove(placed)
        self.follower.placed(values, placed)
        return action

    def _doubts(self, position: bakerstreet.Position, rng: Rng, total: int, chances: dict[int, float] | None) -> bool:
        source, bid = self.parts.get("doubt"), position.bids[-1]
        if source == "random":
            return rng.random() < 0.5
        if source in ("round", "duel") and not total < bid <= total + 15:
            return bid > total  # certain
        if source == "round" and chances is not None:
            return rng.random() < chances[DOUBT]
        if source == "duel":
            return rng.random() < duel_wants(self.rules, total, position.bids)[0]
        return int(position.planning_action(rng)) == position.game.doubt

    def _place(
        self, position: bakerstreet.Position, rng: Rng, values: list[int], chances: dict[int, float] | None
    ) -> int:
        """The card that the round's policy places, or any; at the pile where planning would have it."""
        source = self.parts.get("place")
        places = [action for action in position.legal_actions() if action != position.game.doubt]
        if source == "random":
            return int(rng.choice(places))
        scores = dict(zip(position.legal_actions(), position.sample(rng).action_scores(), strict=True))
        if source == "round" and chances and HIGHEST in chances and (placing := 1 - chances.get(DOUBT, 0.0)):
            wanted = values[0] if rng.random() * placing < chances[LOWEST] else values[-1]
            places = [action for action in places if position.game.decode(action)[1] == wanted]
        best = max(scores[action] for action in places)
        return int(rng.choice([action for action in places if scores[action] == best]))

    def _bid(self, position: bakerstreet.Position, rng: Rng) -> int:
        game, bids = position.game, position.bids
        values = [value for value, _ in position.hand]
        if self.parts.get("draw") == "random" and len(self.kept) < len(values):
            values = [*self.kept, rng.below(6)]
        if self.follower.seen[-1:] in ("l", "h"):
            self.follower.drew(sum(values))
        source, legal = self.parts.get("bid"), position.legal_actions()
        if source in ("random", "near"):
            return int(rng.choice(legal if source == "random" else legal[:6]))
        chances = None
        if source == "round":
            chances = self._chances(bids)
        elif source == "duel":
            chances = duel_wants(self.rules, sum(values), bids)[1]
        if chances is None:
            return int(position.planning_action(rng))
        u, bid = rng.random() if chances else 0.0, 0
        for bid in chances:
            u -= chances[bid]
            if u < 0:
                break
        if source == "round":
            bid = self.follower.bid(bids, bid)
        return int(game.bid(min(max(bid, game.decode(legal[0])[1]), 30)))


# ----------------------------------------------------------------------------------------------
# The experiment


def tasks(config: dict[str, Any]) -> list[dict[str, Any]]:
    """For each price of a pip the solution and its games against planning; for the first more games, and the parts."""
    wanted = []
    deals, seed = config["deals"], config["seed"]
    for price in config["prices"]:
        shared = {key: config[key] for key in ("horizon", "iterations", "duel", "seed")} | {"price": price}
        first = price == config["prices"][0]
        wanted.append({"kind": "solution", **shared})
        games = [(name, "planning", "players") for name in PLAYERS if first or name != "duel"]
        if first:
            games += [(name, "duel", "players") for name in BIDDERS if name != "duel"]
            games += [(name, config["search"], "search") for name in (*BIDDERS, "planning")]
        wanted += [
            {"kind": "games", **shared, "player": name, "rival": rival, "deals": deals[size]}
            for name, rival, size in games
        ]
        if first:
            random = [{part: "random"} for part in (*PARTS, "draw")]
            random.insert(1 + PARTS.index("bid"), {"bid": "near"})
            wanted += [
                {"kind": "part", **shared, "player": base, "change": change, "deals": deals["parts"]}
                for base in ("planning", "round, planning places")
                for change in random
                if (base, change) != ("planning", {"draw": "random"})
            ]
    return [{**task, "seed": seed} for task in wanted]


def solution_of(task: dict[str, Any]) -> dict[str, Any]:
    """The abstraction's size and solution, and what a best response gets from bidders in it."""
    solution, policy, base = solved(*(task[key] for key in SOLVING))
    tree = policy.tree
    judged = {
        "round": policy,
        "duel": tree.align(bidder(tree, base, bidding(**task["duel"]))),
        "planning": tree.align(bidder(tree, base, None)),
        "random": tree.uniform(),
    }
    return {
        "nodes": tree.num_nodes,
        "states": tree.num_infosets,
        "value": solution.value[0],
        "exploitability": solution.exploitability,
        # of seat 0 against the one in seat 1, and of seat 1 against the one in seat 0
        "responses": {
            name: [evaluate.best_response(tree, one, seat).value for seat in (0, 1)] for name, one in judged.items()
        },
        "play": play_of(policy),
    }


def play_of(policy: TreePolicy) -> dict[str, Any]:
    """What a policy does, by the level of the hand: means over the information states as often as they are met.

    Returns
    -------
    dict
        `opening` and `raising`, chances by level and bid; `lowest`, the chance by level that the lowest card is
        placed; `doubting`, of each level and bid that is met how often both are, and the chance of a doubt.
    """
    opening = np.zeros((len(LEVELS), len(OPENINGS)))
    raising = np.zeros((len(LEVELS), len(RAISES)))
    placing = np.zeros((len(LEVELS), 2))
    doubting = np.zeros((len(LEVELS), 31, 2))
    for seat, (plex, met) in enumerate(zip(policy.tree.treeplexes, policy.reach(), strict=True)):
        for number, text in enumerate(plex.texts):
            seen, *bids = text.split()
            mine, weight = int(seen[-1]), float(met[number])
            chances = {action: weight * chance for action, chance in policy.action_probabilities(seat, number).items()}
            if HIGHEST in chances:
                placing[mine] += chances[LOWEST], chances[HIGHEST]
            if DOUBT in chances:
                doubting[mine, int(bids[-1])] += weight, chances[DOUBT]
            if HIGHEST in chances or DOUBT in chances:
                continue
            if bids:
                raising[mine] += [chances.get(int(bids[-1]) + more, 0.0) for more in RAISES]
            else:
                opening[mine] += list(chances.values())
    met_doubting = [
        [mine, bid, float(doubting[mine, bid, 0]), float(doubting[mine, bid, 1] / doubting[mine, bid, 0])]
        for mine, bid in np.argwhere(doubting[:, :, 0] > 1e-4).tolist()
    ]
    shares = [(table / table.sum(axis=1, keepdims=True)).tolist() for table in (opening, raising, placing)]
    return {
        "opening": shares[0],
        "raising": shares[1],
        "lowest": [row[0] for row in shares[2]],
        "doubting": met_doubting,
    }


def games_of(task: dict[str, Any]) -> dict[str, Any]:
    """Games of a player, or of one with a part of its play changed, against a rival."""
    _, policy, base = solved(*(task[key] for key in SOLVING))
    given = policy.tree.game, base, bidding(**task["duel"])

    def player(name: str, **change: str) -> agents.Agent:
        if name in PLAYERS or change:
            return Player(name, {**PLAYERS.get(name, {}), **change}, *given)
        return agents.make(name)

    if task["kind"] == "part":
        first, second = player(task["player"], **task["change"]), player(task["player"])
    else:
        first, second = player(task["player"]), player(task["rival"])
    row, _ = arena.play("bakerstreet", [first], task["deals"], task["seed"], against=[second])
    return {"games": row.games, "wins": row.win_share, "interval": list(row.win_interval)}


def work(task: dict[str, Any]) -> dict[str, Any]:
    """The solution, or games."""
    return solution_of(task) if task["kind"] == "solution" else games_of(task)


def won(result: dict[str, Any]) -> dict[str, Any]:
    """Cells for a reader: games, and the share of wins with its interval."""
    low, high = result["interval"]
    return {"games": result["games"], "wins": f"{result['wins']:.3f} ({low:.3f} to {high:.3f})"}


def shares(result: dict[str, Any]) -> dict[str, Any]:
    """Cells for a program: games, and the share of wins with its interval."""
    low, high = result["interval"]
    return {"games": result["games"], "wins": result["wins"], "low": low, "high": high}


def named(change: dict[str, str]) -> str:
    """The part of play that is replaced."""
    ((part, how),) = change.items()
    words = {"doubt": "doubt: by a coin", "place": "placing: any card, any pile", "pile": "pile that is named: any"}
    words |= {"take": "letter that is taken: any", "draw": "card drawn: taken for another when bidding"}
    return ("bid: any" if how == "random" else "bid: any of the next six") if part == "bid" else words[part]


def draw_play(play: dict[str, Any], out: Path) -> None:
    """Doubts by level and standing bid; openings by level."""
    bids = sorted({bid for _, bid, weight, _ in play["doubting"] if weight > 1e-3})
    doubts = np.full((len(LEVELS), len(bids)), np.nan)
    for mine, bid, _, share in play["doubting"]:
        if bid in bids:
            doubts[mine, bids.index(bid)] = 100 * share
    with plots.figure(out / "play.svg", 1, 2, width=9, height=3.3, width_ratios=[1, 2]) as (_, (left, right)):
        opening = 100 * np.array(play["opening"])
        plots.heatmap(left, opening, x=OPENINGS, y=LEVELS, label="of its openings (%)", low=0, high=100)
        left.set(title="Opening", xlabel="bid", ylabel="sum of the own hand")
        plots.heatmap(right, doubts, x=bids, y=LEVELS, label="doubts (%)", low=0, high=100)
        right.set(title="Doubting", xlabel="bid to answer")


def draw_parts(rows: list[dict[str, Any]], out: Path) -> None:
    """What share of games is left with a part of play at random."""
    with plots.figure(out / "parts.svg", width=9, height=3.6) as (figure, axes):
        parts = list(dict.fromkeys(row["part"] for row in rows))
        for k, base in enumerate(dict.fromkeys(row["player"] for row in rows)):
            these = [row for row in rows if row["player"] == base]
            axes.errorbar(
                [100 * row["wins"] for row in these],
                [parts.index(row["part"]) + 0.24 * (k - 0.5) for row in these],
                xerr=[
                    [100 * max(row["wins"] - row["low"], 0) for row in these],
                    [100 * max(row["high"] - row["wins"], 0) for row in these],
                ],
                marker=plots.MARKERS[k],
                linestyle="none",
                label=base,
            )
        axes.axvline(50, color="#888888", linewidth=1)
        axes.set(xlabel="games won against itself with all parts (%)", xlim=(0, 60))
        axes.set_yticks(range(len(parts)), parts)
        axes.invert_yaxis()
        figure.legend(title="player", loc="outside right center")


def report(results: list[Outcome], out: Path) -> None:
    """Four tables, two figures, and what they say."""
    solutions = [(task, result) for task, result in results if task["kind"] == "solution"]
    first, main = solutions[0]
    price = first["price"]
    sizes = [
        {
            "price of a pip": f"{task['price']:g}",
            "histories": result["nodes"],
            "information states": result["states"],
            "value to the opener": f"{result['value']:+.4f}",
            "exploitability": f"{result['exploitability']:.1e}",
        }
        for task, result in solutions
    ]
    judged = [
        {
            "bids and doubts": {"round": "the solution"}.get(name, name),
            "best opener gets": f"{opener:+.3f}",
            "best second seat gets": f"{second:+.3f}",
            "exploitability": f"{(opener + second) / 2:.4f}",
        }
        for name, (opener, second) in main["responses"].items()
    ]
    games, parts = ([(task, result) for task, result in results if task["kind"] == kind] for kind in ("games", "part"))
    changes = [{"player": task["player"], "part": named(task["change"]), **shares(result)} for task, result in parts]
    tables.write_csv(
        out / "games.csv",
        [
            {"price of a pip": task["price"], "player": task["player"], "rival": task["rival"], **shares(result)}
            for task, result in games
        ],
    )
    tables.write_csv(out / "parts.csv", changes)
    play = main["play"]
    tables.write_csv(
        out / "doubts.csv",
        [
            {"sum": LEVELS[mine], "bid": bid, "met": weight, "doubts": share}
            for mine, bid, weight, share in play["doubting"]
        ],
    )
    by_level = [
        {
            "sum of the hand": LEVELS[mine],
            "places its lowest card": f"{play['lowest'][mine]:.0%}",
            **{f"opens {bid}": f"{share:.0%}" for bid, share in zip(OPENINGS, play["opening"][mine], strict=True)},
            **{f"raises by {more}": f"{share:.0%}" for more, share in zip(RAISES, play["raising"][mine], strict=True)},
        }
        for mine in range(len(LEVELS))
    ]
    main_games = [
        {"player": task["player"], "rival": task["rival"], **won(result)}
        for task, result in games
        if task["price"] == price
    ]
    by_price = [
        {"price of a pip": f"{task['price']:g}", "player": task["player"], **won(result)}
        for task, result in sorted(games, key=lambda pair: pair[0]["price"])
        if task["rival"] == "planning" and task["player"] != "duel"
    ]
    changed = [{"player": task["player"], "at random": named(task["change"]), **won(result)} for task, result in parts]
    draw_play(play, out)
    draw_parts(changes, out)
    (out / "report.md").write_text(
        f"""# A round of Baker Street, with placing and drawing

The abstraction, {first["horizon"]} bids at most, solved by external sampling ({first["iterations"]:,} iterations).
A doubt is worth 1 to its winner, a pip on the table its price.

{tables.markdown(sizes)}
What the best response gets from bidders in the abstraction (price {price:g}). It is exact there. Who may bid anything
and sees every card gets at least as much, as far as the abstraction is like the game: it is a lower bound. All place as
the solution does, but for random play.

{tables.markdown(judged)}
What the solution does:

{tables.markdown(by_level)}
![Openings and doubts of the solution by the sum of the own hand](play.svg)

White: hardly ever met.

## In the real game

Share of games won on duplicate deals, with its 95 % interval.

{tables.markdown(main_games)}
Against planning, by the price of a pip that the policy was made with:

{tables.markdown(by_price)}
One part of play at random, against the same player with all its parts:

{tables.markdown(changed)}
![Games won with a part of play at random](parts.svg)
""",
        encoding="utf-8",
    )


def check(results: list[Outcome]) -> None:
    """The abstraction has the value that another method finds, and the duel's bidder can be exploited in it."""
    (result,) = (result for task, result in results if (task["kind"], task.get("horizon")) == ("solution", 2))
    assert result["states"] == KNOWN["states"], result["states"]
    assert abs(result["value"] - KNOWN["value"]) < 2 * result["exploitability"], result["value"]
    loss = {name: sum(pair) / 2 for name, pair in result["responses"].items()}
    assert loss["round"] < loss["duel"] < loss["random"], loss
