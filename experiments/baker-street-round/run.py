"""How is a round of Baker Street bid, with placing and drawing, and which part of play matters most?

solver experiment run baker-street-round; README.md says how to read the answer.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from solver import Rng, agents, arena, bakerstreet, duel, evaluate, plots, sampling, tables
from solver.experiment import Outcome
from solver.games.duel import DOUBT as DUEL_DOUBT
from solver.tree import Tree, TreePolicy

# The abstraction. Hands are five levels of their sum, openings and raises a few, a card placed is the hand's lowest or
# highest. After the last of `horizon` bids the other seat doubts, or goes on to what is then taken for an even round.
TOPS = (4, 6, 8, 10, 15)  # greatest sum of each level
NAMES = ("0-4", "5-6", "7-8", "9-10", "11-15")
OPENINGS, RAISES = (8, 10, 12, 14, 16, 18), (1, 3, 6)  # by 6 once only
DOUBT, LOWEST, HIGHEST, ON = 0, 1, 2, 3
RARE = 0.1  # levels after a draw that are rarer count as the nearest one that is not
DEALING, TURN, DRAWING, BIDDING, OVER = range(5)

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
# The abstraction as a game


def level(total: int) -> int:
    """The level of a hand's sum."""
    return next(k for k, top in enumerate(TOPS) if total <= top)


class Hands:
    """How hands of three of a fresh deck's thirty cards (five of each value) fall into levels, and move among them.

    Attributes
    ----------
    chances : list of float
        Of the levels.
    sums : numpy.ndarray, shape (5, 16)
        Of each level, the chance of each sum.
    moves : dict
        Of a level and the place (lowest or highest card): a dict from the level after the draw to its chance and
        the mean value of the card placed.
    true : numpy.ndarray, shape (5, 5, 31)
        Of the levels of both hands, the chance that their sum reaches a bid.
    """

    def __init__(self) -> None:
        count = len(TOPS)
        self.sums = np.zeros((count, 16))
        found: dict[tuple[int, int], dict[int, list[float]]] = {}
        for hand in itertools.combinations_with_replacement(range(6), 3):
            ways = math.prod(math.comb(5, hand.count(value)) for value in set(hand))
            self.sums[level(sum(hand)), sum(hand)] += ways
            for place, value in ((LOWEST, hand[0]), (HIGHEST, hand[-1])):
                row = found.setdefault((level(sum(hand)), place), {})
                for drawn in range(6):
                    weight = ways * (5 - hand.count(drawn))
                    cell = row.setdefault(level(sum(hand) - value + drawn), [0.0, 0.0])
                    cell[0] += weight
                    cell[1] += weight * value
        self.chances = (self.sums.sum(axis=1) / self.sums.sum()).tolist()
        self.sums /= self.sums.sum(axis=1, keepdims=True)
        self.moves = {key: self._common(row) for key, row in found.items()}
        both = [[np.convolve(one, other) for other in self.sums] for one in self.sums]
        self.true = np.minimum(np.array(both)[:, :, ::-1].cumsum(axis=2)[:, :, ::-1], 1.0)

    @staticmethod
    def _common(row: dict[int, list[float]]) -> dict[int, tuple[float, float]]:
        """Levels that are not rare, with what the others add to them."""
        total = sum(weight for weight, _ in row.values())
        kept = {to: [0.0, 0.0] for to, (weight, _) in sorted(row.items()) if weight >= RARE * total}
        for to, cell in row.items():
            nearest = kept[min(kept, key=lambda other: abs(other - to))]
            nearest[0] += cell[0]
            nearest[1] += cell[1]
        return {to: (weight / total, pips / weight) for to, (weight, pips) in kept.items()}


class Round:
    """The abstraction: one round with placing, drawing and bidding.

    The winner of the doubt gets 1, and each pip that a seat placed is worth `price` to it: cards on the table win
    piles. A seat sees its own levels and places, and the bids.

    Parameters
    ----------
    horizon : int
        Bids in a round, at most.
    price : float
    """

    rules_version = "round-1"

    def __init__(self, horizon: int, price: float) -> None:
        self.horizon = horizon
        self.price = price
        self.hands = Hands()

    def new_initial_state(self) -> RoundState:
        """The start, before the deal."""
        return RoundState(self)

    def num_players(self) -> int:
        """Two."""
        return 2

    def num_distinct_actions(self) -> int:
        """A doubt, two ways to place, and bids."""
        return 31

    def max_utility(self) -> float:
        """More than can be won."""
        return 1 + 5 * self.horizon * self.price

    def min_utility(self) -> float:
        """More than can be lost."""
        return -self.max_utility()

    def get_parameters(self) -> dict[str, Any]:
        """The options."""
        return {"horizon": self.horizon, "price": self.price}

    def __str__(self) -> str:
        return f"round(horizon={self.horizon},price={self.price})"


class RoundState:
    """A round in progress; every attribute is immutable, so that children share them."""

    __slots__ = ("bids", "doubted", "game", "levels", "phase", "pips", "seen")

    def __init__(self, game: Round) -> None:
        self.game = game
        self.phase = DEALING
        self.levels: tuple[int, ...] = ()
        self.seen = ("", "")  # of each seat, its levels and places
        self.bids: tuple[int, ...] = ()
        self.doubted = False
        self.pips = 0.0  # that seat 0 placed, less those of seat 1

    def clone(self) -> Self:
        """A copy."""
        made = self.__class__.__new__(self.__class__)
        for name in self.__slots__:
            setattr(made, name, getattr(self, name))
        return made

    def current_player(self) -> int:
        """Seat to decide; -1 at chance nodes, -4 at the end."""
        if self.is_chance_node():
            return -1
        return -4 if self.phase == OVER else len(self.bids) % 2

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self.phase == OVER

    def is_chance_node(self) -> bool:
        """Whether a level is drawn."""
        return self.phase in (DEALING, DRAWING)

    def _draws(self) -> dict[int, tuple[float, float]]:
        """Levels after the draw, with their chances and the mean value of the card placed."""
        seat = len(self.bids) % 2
        place = LOWEST if self.seen[seat][-1] == "l" else HIGHEST
        return self.game.hands.moves[self.levels[seat], place]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Levels and their chances."""
        if self.phase == DEALING:
            return list(enumerate(self.game.hands.chances))
        return [(to, chance) for to, (chance, _) in self._draws().items()]

    def legal_actions(self) -> list[int]:
        """A doubt or a place; then a bid."""
        if self.is_chance_node():
            return [outcome for outcome, _ in self.chance_outcomes()]
        if self.phase == BIDDING:
            return following(self.bids)
        if self.phase == OVER:
            return []
        if len(self.bids) == self.game.horizon:
            return [DOUBT, ON]
        return [DOUBT] * bool(self.bids) + [LOWEST, HIGHEST]

    def child(self, action: int) -> Self:
        """The state after an action or an outcome."""
        made = self.clone()
        seat = len(self.bids) % 2
        if self.phase == DEALING:
            made.levels = (*self.levels, action)
            if len(made.levels) == 2:
                made.seen = (str(made.levels[0]), str(action))
                made.phase = TURN
        elif self.phase == TURN:
            made.doubted = action == DOUBT
            made.phase = OVER if action in (DOUBT, ON) else DRAWING
            if made.phase == DRAWING:
                made.seen = self._with(self.seen, seat, self.seen[seat] + "-lh"[action])
        elif self.phase == DRAWING:
            made.levels = self._with(self.levels, seat, action)
            made.seen = self._with(self.seen, seat, f"{self.seen[seat]}{action}")
            made.pips += (1 - 2 * seat) * self._draws()[action][1]
            made.phase = BIDDING
        else:
            made.bids = (*self.bids, action)
            made.phase = TURN
        return made

    @staticmethod
    def _with(pair: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
        return (value, pair[1]) if seat == 0 else (pair[0], value)

    def apply_action(self, action: int) -> None:
        """Go on to a child."""
        after = self.child(action)
        for name in self.__slots__:
            setattr(self, name, getattr(after, name))

    def returns(self) -> list[float]:
        """The expected pay-offs."""
        true = float(self.game.hands.true[self.levels[0], self.levels[1], self.bids[-1]])
        bidder = 1 - 2 * ((len(self.bids) - 1) % 2)  # 1 if seat 0 bid last
        won = bidder * (2 * true - 1) * self.doubted + self.game.price * self.pips
        return [won, -won]

    def information_state_string(self, player: int) -> str:
        """The own levels and places, then the bids: ``2h1 14 15``."""
        return " ".join([self.seen[player], *map(str, self.bids)])


def following(bids: tuple[int, ...]) -> list[int]:
    """The bids of the abstraction after these."""
    if not bids:
        return list(OPENINGS)
    return [bids[-1] + more for more in RAISES[: 3 if len(bids) == 1 else 2]]


# ----------------------------------------------------------------------------------------------
# Policies of the abstraction

Policy = dict[str, dict[int, float]]


@lru_cache(maxsize=1)
def solved(horizon: int, price: float, iterations: int, seed: int) -> tuple[Tree, TreePolicy, float, list[float]]:
    """The tree of the abstraction, what sampling finds, its exploitability and the seats' values.

    A process that works on many tasks solves once.
    """
    tree = evaluate.compile(Round(horizon, price))
    solution = sampling.solve(tree, "external", iterations=iterations, seed=seed)
    assert solution.tree_policy is not None
    return tree, solution.tree_policy, solution.exploitability, solution.value


@lru_cache(maxsize=1)
def found(horizon: int, price: float, iterations: int, seed: int) -> Policy:
    """The policy of `solved` by information state."""
    return solved(horizon, price, iterations, seed)[1].to_dict()


@lru_cache(maxsize=1)
def bidding(low: int = 0, high: int = 30, target: float = 5e-5) -> duel.DuelPolicy:
    """The equilibrium of the bidding duel; by default of the menu that solves all of it."""
    return (duel.solve(target=target) if (low, high) == (0, 30) else duel.solve(low, high, target=target)).policy


def split(chances: Mapping[int, float]) -> tuple[float, dict[int, float]]:
    """The chance of a doubt, and those of the bids where there is none."""
    bids = {bid: chance for bid, chance in chances.items() if bid != DUEL_DOUBT}
    total = math.fsum(bids.values())
    return chances.get(DUEL_DOUBT, 0.0), {bid: chance / total for bid, chance in bids.items()} if total else {}


def as_duel(hands: Hands, rules: duel.DuelPolicy, mine: int, bids: tuple[int, ...]) -> tuple[float, dict[int, float]]:
    """What the duel's policy does with a level: mean over its sums of the chance of a doubt, and of the bids."""
    doubt, shares = 0.0, dict.fromkeys(following(bids), 0.0)
    for total, weight in enumerate(hands.sums[mine]):
        if weight:
            chance, wanted = split(rules.action_probabilities(" ".join([f"s{total}", *map(str, bids)])))
            doubt += weight * chance
            for bid, share in (wanted or {0: 1.0}).items():
                shares[min(shares, key=lambda other: abs(other - bid))] += weight * share
    return doubt, shares


def as_planning(hands: Hands, mine: int, bids: tuple[int, ...]) -> tuple[float, dict[int, float]]:
    """What planning does with a level: it doubts what is more likely false, opens at odds of 0.9, raises least."""
    true = np.asarray(hands.chances) @ hands.true[mine]
    options = following(bids)
    wanted = options[0] if bids else max((bid for bid in options if true[bid] >= 0.9), default=options[0])
    return float(bool(bids) and true[bids[-1]] < 0.5), {bid: float(bid == wanted) for bid in options}


def bidder(tree: Tree, base: Policy, hands: Hands, rules: duel.DuelPolicy | None) -> Policy:
    """A policy of the abstraction that places as `base` does, and bids and doubts as the duel's policy or planning."""
    known: dict[tuple[int, tuple[int, ...]], tuple[float, dict[int, float]]] = {}
    policy = {}
    for plex in tree.treeplexes:
        for text in plex.texts:
            seen, *words = text.split()
            key = int(seen[-1]), tuple(map(int, words))
            if key not in known:
                known[key] = as_planning(hands, *key) if rules is None else as_duel(hands, rules, *key)
            doubt, shares = known[key]
            placing = base[text]
            if ON in placing:
                policy[text] = {DOUBT: doubt, ON: 1 - doubt}
                continue
            if HIGHEST not in placing:
                policy[text] = shares
                continue
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
    game : Round
    policy : dict
        By information state of the abstraction.
    rules : DuelPolicy
    """

    def __init__(self, name: str, parts: dict[str, str], game: Round, policy: Policy, rules: duel.DuelPolicy) -> None:
        self.name = name
        self.parts = parts
        self.game = game
        self.policy = policy
        self.rules = rules
        self.seen = ""  # this round, as the abstraction has it
        self.kept: list[int] = []  # values of the cards not placed

    def __repr__(self) -> str:
        return f"Player({self.name!r}, {self.parts}, {self.game})"

    def __deepcopy__(self, memo: object) -> Player:
        return Player(self.name, self.parts, self.game, self.policy, self.rules)

    def act(self, position: bakerstreet.Position, rng: Rng) -> int:
        """The action of the part that the position asks for."""
        if position.phase == "turn":
            return self._turn(position, rng)
        if position.phase == "bid":
            return self._bid(position, rng)
        if self.parts.get("pile" if position.phase == "choose_pile" else "take") == "random":
            return int(rng.choice(position.legal_actions()))
        return int(position.planning_action(rng))

    def _abstract(self, bids: tuple[int, ...]) -> tuple[int, ...]:
        """Bids as the abstraction has them: each as the nearest that it knows there."""
        known: tuple[int, ...] = ()
        for bid in bids:
            options = following(known)
            known = (*known, min(options, key=lambda other: abs(other - bid))) if options else known
        return known

    def _chances(self, bids: tuple[int, ...]) -> dict[int, float] | None:
        """The round's policy; None beyond what the abstraction covers."""
        return self.policy.get(" ".join([self.seen, *map(str, self._abstract(bids))]))

    def _turn(self, position: bakerstreet.Position, rng: Rng) -> int:
        """Doubt, or place."""
        game, bids, actions = position.game, position.bids, position.legal_actions()
        values = sorted(value for value, _ in position.hand)
        if len(bids) < 2 or not self.seen:
            self.seen = str(level(min(sum(values), 15)))
        chances = self._chances(bids)
        if game.doubt in actions and (len(actions) == 1 or self._doubts(position, rng, sum(values), chances)):
            return int(game.doubt)
        places = [action for action in actions if action != game.doubt]
        action = self._place(position, rng, places, values, chances)
        placed = game.decode(action)[1]
        self.kept = list(values)
        self.kept.remove(placed)
        self.seen += "l" if placed - values[0] < values[-1] - placed else "h"
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
            return rng.random() < self._by_duel(position.bids, total)[0]
        return int(position.planning_action(rng)) == position.game.doubt

    def _place(
        self,
        position: bakerstreet.Position,
        rng: Rng,
        places: list[int],
        values: list[int],
        chances: dict[int, float] | None,
    ) -> int:
        """The card that the round's policy places, or any; at the pile where planning would have it."""
        source = self.parts.get("place")
        if source == "random":
            return int(rng.choice(places))
        scores = dict(zip(position.legal_actions(), position.sample(rng).action_scores(), strict=True))
        if (
            source == "round"
            and chances is not None
            and (placing := 1 - chances.get(DOUBT, 0.0))
            and HIGHEST in chances
        ):
            lowest = rng.random() * placing < chances[LOWEST]
            wanted = values[0] if lowest else values[-1]
            places = [action for action in places if position.game.decode(action)[1] == wanted]
        best = max(scores[action] for action in places)
        return int(rng.choice([action for action in places if scores[action] == best]))

    def _by_duel(self, bids: tuple[int, ...], total: int) -> tuple[float, dict[int, float]]:
        return split(self.rules.action_probabilities(" ".join([f"s{min(total, 15)}", *map(str, bids)])))

    def _bid(self, position: bakerstreet.Position, rng: Rng) -> int:
        game, bids = position.game, position.bids
        values = [value for value, _ in position.hand]
        if self.parts.get("draw") == "random" and len(self.kept) < len(values):
            values = [*self.kept, rng.below(6)]
        total = min(sum(values), 15)
        if self.seen[-1:] in ("l", "h"):
            came = self.game.hands.moves[int(self.seen[-2]), LOWEST if self.seen[-1] == "l" else HIGHEST]
            self.seen += str(min(came, key=lambda to: abs(to - level(total))))
        source, legal = self.parts.get("bid"), position.legal_actions()
        if source in ("random", "near"):
            return int(rng.choice(legal if source == "random" else legal[:6]))
        chances: dict[int, float] | None = None
        last, least = 0, game.decode(legal[0])[1]
        if source == "round" and (chances := self._chances(bids)) is not None and bids:
            last = bids[-1] - self._abstract(bids)[-1]  # raises count, not bids
        elif source == "duel":
            chances = self._by_duel(bids, total)[1] or None
        if source is None or (chances is None and source == "round"):
            return int(position.planning_action(rng))
        if chances is None:
            return int(legal[0])
        u, options = rng.random(), list(chances)
        for bid in options:
            u -= chances[bid]
            if u < 0:
                break
        return int(game.bid(min(max(bid + last, least), 30)))


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
    tree, policy, exploitability, value = solved(*(task[key] for key in SOLVING))
    base, hands = policy.to_dict(), Hands()
    judged = {
        "round": policy,
        "duel": tree.align(bidder(tree, base, hands, bidding(**task["duel"]))),
        "planning": tree.align(bidder(tree, base, hands, None)),
        "random": tree.uniform(),
    }
    return {
        "nodes": tree.num_nodes,
        "states": tree.num_infosets,
        "value": value[0],
        "exploitability": exploitability,
        # of seat 0 against the one in seat 1, and of seat 1 against the one in seat 0
        "responses": {
            name: [evaluate.best_response(tree, one, seat).value for seat in (0, 1)] for name, one in judged.items()
        },
        "play": play_of(tree, policy),
    }


def reaches(tree: Tree, policy: TreePolicy) -> list[NDArray[np.float64]]:
    """How often each information state of each seat is met if both play a policy."""
    nodes = tree.nodes
    reach = np.ones(tree.num_nodes)
    begin, end = 0, 1
    while end < tree.num_nodes:
        here = np.arange(end, end + int(nodes.count[begin:end].sum()))
        parent = nodes.parent[here]
        chance = nodes.chance[here].copy()
        for seat, plex in enumerate(tree.treeplexes):
            mine = nodes.player[parent] == seat
            before = parent[mine]
            sequence = plex.first[nodes.infoset[before]] + here[mine] - nodes.child[before]
            chance[mine] *= policy.probabilities[seat][sequence]
        reach[here] = reach[parent] * chance
        begin, end = end, end + len(here)
    result = []
    for seat, plex in enumerate(tree.treeplexes):
        mine = nodes.player == seat
        result.append(np.bincount(nodes.infoset[mine], reach[mine], plex.num_infosets).astype(np.float64))
    return result


def play_of(tree: Tree, policy: TreePolicy) -> dict[str, Any]:
    """What a policy does, by the level of the hand: means over the information states as often as they are met.

    Returns
    -------
    dict
        `opening` and `raising`, chances by level and bid; `lowest`, the chance by level that the lowest card is
        placed; `doubting`, of each level and bid that is met how often both are, and the chance of a doubt.
    """
    opening = np.zeros((len(TOPS), len(OPENINGS)))
    raising = np.zeros((len(TOPS), len(RAISES)))
    placing = np.zeros((len(TOPS), 2))
    doubting = np.zeros((len(TOPS), 31, 2))
    for seat, (plex, met) in enumerate(zip(tree.treeplexes, reaches(tree, policy), strict=True)):
        for number, text in enumerate(plex.texts):
            seen, *bids = text.split()
            mine, weight = int(seen[-1]), float(met[number])
            chances = {action: weight * chance for action, chance in policy.action_probabilities(seat, number).items()}
            if HIGHEST in chances:
                placing[mine] += chances[LOWEST], chances[HIGHEST]
            if DOUBT in chances:
                doubting[mine, int(bids[-1])] += weight, chances[DOUBT]
            if HIGHEST in chances or ON in chances:
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
    given = Round(task["horizon"], task["price"]), found(*(task[key] for key in SOLVING)), bidding(**task["duel"])

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


def won(result: dict[str, Any]) -> str:
    """A share of wins, with its interval."""
    low, high = result["interval"]
    return f"{result['wins']:.3f} ({low:.3f} to {high:.3f})"


def named(change: dict[str, str]) -> str:
    """The part of play that is replaced."""
    ((part, how),) = change.items()
    words = {"doubt": "doubt: by a coin", "place": "placing: any card, any pile", "pile": "pile that is named: any"}
    words |= {"take": "letter that is taken: any", "draw": "card drawn: taken for another when bidding"}
    return ("bid: any" if how == "random" else "bid: any of the next six") if part == "bid" else words[part]


def draw_play(play: dict[str, Any], out: Path) -> None:
    """Doubts by level and standing bid; openings by level."""
    bids = sorted({bid for _, bid, weight, _ in play["doubting"] if weight > 1e-3})
    doubts = np.full((len(TOPS), len(bids)), np.nan)
    for mine, bid, _, share in play["doubting"]:
        if bid in bids:
            doubts[mine, bids.index(bid)] = 100 * share
    with plots.figure(out / "play.svg", 1, 2, width=9, height=3.3, width_ratios=[1, 2]) as (_, (left, right)):
        opening = 100 * np.array(play["opening"])
        plots.heatmap(left, opening, x=OPENINGS, y=NAMES, label="of its openings (%)", low=0, high=100)
        left.set(title="Opening", xlabel="bid", ylabel="sum of the own hand")
        plots.heatmap(right, doubts, x=bids, y=NAMES, label="doubts (%)", low=0, high=100)
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
    games = [
        {
            "price of a pip": task["price"],
            "player": task["player"],
            "rival": task["rival"],
            "games": result["games"],
            "wins": result["wins"],
            "low": result["interval"][0],
            "high": result["interval"][1],
        }
        for task, result in results
        if task["kind"] == "games"
    ]
    parts = [
        {
            "player": task["player"],
            "part": named(task["change"]),
            "games": result["games"],
            "wins": result["wins"],
            "low": result["interval"][0],
            "high": result["interval"][1],
        }
        for task, result in results
        if task["kind"] == "part"
    ]
    tables.write_csv(out / "games.csv", games)
    tables.write_csv(out / "parts.csv", parts)
    play = main["play"]
    tables.write_csv(
        out / "doubts.csv",
        [
            {"sum": NAMES[mine], "bid": bid, "met": weight, "doubts": share}
            for mine, bid, weight, share in play["doubting"]
        ],
    )
    by_level = [
        {
            "sum of the hand": NAMES[mine],
            "places its lowest card": f"{play['lowest'][mine]:.0%}",
            **{f"opens {bid}": f"{share:.0%}" for bid, share in zip(OPENINGS, play["opening"][mine], strict=True)},
            **{f"raises by {more}": f"{share:.0%}" for more, share in zip(RAISES, play["raising"][mine], strict=True)},
        }
        for mine in range(len(TOPS))
    ]
    played = [(task, result) for task, result in results if task["kind"] == "games"]
    main_games = [
        {"player": task["player"], "rival": task["rival"], "games": result["games"], "wins": won(result)}
        for task, result in played
        if task["price"] == price
    ]
    by_price = [
        {
            "price of a pip": f"{task['price']:g}",
            "player": task["player"],
            "games": result["games"],
            "wins": won(result),
        }
        for task, result in sorted(played, key=lambda pair: pair[0]["price"])
        if task["rival"] == "planning" and task["player"] != "duel"
    ]
    changed = [
        {"player": task["player"], "at random": named(task["change"]), "games": result["games"], "wins": won(result)}
        for task, result in results
        if task["kind"] == "part"
    ]
    draw_play(play, out)
    draw_parts(parts, out)
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
