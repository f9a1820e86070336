"""Public functions with arguments of which one or two are of the wrong kind, size or shape."""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable
from contextlib import chdir
from functools import cache
from typing import Any

import numpy as np

from solver import (
    Rng,
    agents,
    arena,
    bakerstreet,
    bidding_round,
    cfr,
    duel,
    evaluate,
    games,
    ismcts,
    kuhn,
    leduc,
    online,
    pimc,
    policy,
    sampling,
    scout,
    stats,
)
from solver.policy import PolicyTable
from tests.fuzz import files, texts
from tests.fuzz.harness import target
from tests.fuzz.values import odd

# what more of takes longer, or more room, as it should
BUDGETS = {
    *("iterations", "seconds", "deals", "n", "samples", "resamples", "threads", "max_bytes", "max_nodes", "target"),
    *("most", "compile_bytes", "every", "max_states", "best_at", "checkpoint", "record", "repeat", "horizon_budget"),
}

Call = tuple[Callable[..., Any], dict[str, Any]]


@cache
def calls() -> list[Call]:
    """Functions with arguments that are right, and little work."""
    tree = files.made().tree
    table = files.made().tables[0]
    position = games.parse("scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    street = next(p for p, _ in texts.actions() if isinstance(p, bakerstreet.Position))
    state = kuhn.Game().new_initial_state()
    for action in (2, 0):
        state.apply_action(action)
    row = {"texts": ["a", "b"], "players": [0, 1], "offsets": [0, 1, 3], "actions": [0, 0, 1]}
    chances = {"probabilities": [1.0, 0.5, 0.5]}
    hashes = {"keys": [1, 2], "checks": [3, 4], "players": [0, 1], "offsets": [0, 1, 3], "actions": [0, 0, 1]}
    hands = [[(1, 2), (3, 4)], [(1, 3), (2, 4)]]
    small = scout.Game(players=2, ranks=5, hand_size=2)
    boots = [[1.0], [2.0], [4.0]]
    return [
        (games.load, {"text": "kuhn"}),
        (games.parse, {"text": str(position)}),
        (scout.Game, {"players": 3, "rounds": 1, "payoff": "score", "insertions_public": False, "max_turns": 9}),
        (scout.Game, {"players": 2, "ranks": 5, "hand_size": 2, "chips": 3, "drop": [(1, 2)]}),
        (bakerstreet.Game, {"symbols": {(0, "stop"): 2}, "next_starter": "alternate", "max_rounds": 4}),
        (kuhn.Game, {"players": 2}),
        (leduc.Game, {"players": 2}),
        (duel.Game, {"low": 1, "high": 4}),
        (duel.Game, {"bids": [0, 3]}),
        (bidding_round.Game, {"horizon": 2, "price": 0.3}),
        (bidding_round.Game().translate, {"bids": [8, 13]}),
        (bidding_round.Game().bids_after, {"bids": [8, 13]}),
        (bidding_round.Follower(bidding_round.Game()).bid, {"bids": [9], "chosen": 11}),
        (small.deal, {"hands": hands, "starter": 0, "turned": [False, True], "seed": 1}),
        (scout.Game(players=3).deal, {"seed": 1}),
        (
            bakerstreet.Game().deal,
            {"seed": 1, "decks": None, "piles": ["ABCDEFGH", "IJKLMNOP", "QRST" * 2, "ABCDEFGH", "IJKLMNOP"]},
        ),
        (bakerstreet.evaluate, {"stack": [(0, 3, None), (1, 2, "stop")]}),
        (bakerstreet.bid_odds, {"hand": [1, 2, 3], "unseen": [2, 2, 2, 2, 2, 2], "known": [1]}),
        (bakerstreet.evidence_worth, {"letters": "AB"}),
        (scout.legal_sets, {"tops": [3, 4, 4], "active": [4]}),
        (scout.beats, {"a": [3, 4], "b": [4]}),
        (scout.Game(players=3).playouts, {"n": 2, "seed": 0, "policy": "random"}),
        (scout.Game(players=3).learnt_contest, {"constants": None, "deals": 2, "seed": 0}),
        (scout.Game(players=3).learnt_samples, {"decisions": 2, "constants": None, "explore": 0.5, "seed": 0}),
        (bakerstreet.Game().playouts, {"n": 2, "seed": 0, "policy": "planning"}),
        (position.sample, {"seed": 1, "this_round_only": True}),
        (position.search_sample, {"seed": 1, "payoff": "win", "belief": "play"}),
        (position.planning_action, {"rng": 1}),
        (position.learnt_action, {"rng": 1}),
        (street.sample, {"seed": 1, "belief": "worth"}),
        (street.planning_action, {"rng": 1, "placement": "worth", "opening": 0.5}),
        (Rng, {"seed": 1}),
        (Rng(1).below, {"n": 5}),
        (Rng(1).choice, {"items": [1, 2]}),
        (Rng(1).shuffle, {"items": [1, 2]}),
        (Rng(1).spawn, {"n": 2}),
        (agents.make, {"text": "random"}),
        (agents.split, {"text": "random,greedy"}),
        (ismcts.search, {"position_or_state": position, "iterations": 3, "seed": 1, "rollout": "random", "threads": 1}),
        (
            ismcts.search,
            {"position_or_state": state, "iterations": 3, "seconds": 0.01, "payoff": "win", "max_nodes": 9},
        ),
        (
            ismcts.search,
            {"position_or_state": street, "iterations": 3, "belief": "worth", "root": "ucb", "compiled": True},
        ),
        (ismcts.search, {"position_or_state": position, "iterations": 3, "horizon": 1, "widening": 2, "depth": 1}),
        (ismcts.search, {"position_or_state": position, "iterations": 3, "progress": lambda share: None}),
        (pimc.search, {"position_or_state": position, "deals": 1, "iterations": 3, "seed": 1, "payoff": "win"}),
        (pimc.search, {"position_or_state": state, "deals": 1, "seconds": 0.01, "iterations": 3, "exploration": 0.3}),
        (online.search, {"position_or_state": state, "method": "oos", "iterations": 3, "game": tree, "aim": 0.5}),
        (
            online.search,
            {"position_or_state": state, "method": "smooth-uct", "iterations": 3, "mixing": (0.5, 0.1, 0)},
        ),
        (
            online.search,
            {"position_or_state": state, "method": "uct", "iterations": 3, "max_states": 5},
        ),
        (online.solve, {"game": tree, "method": "oos", "iterations": 3, "seed": 1, "exploration": 0.5, "every": 2}),
        (online.solve, {"game": "kuhn", "method": "uct", "iterations": 3, "compile_bytes": 0, "max_states": 4}),
        (cfr.solve, {"game": tree, "method": "dcfr", "iterations": 2, "target": 0.1, "threads": 1, "every": 1}),
        (cfr.solve, {"game": tree, "iterations": 2, "alpha": 1.5, "beta": 0, "gamma": 2, "horizon": 9}),
        (cfr.solve, {"game": tree, "iterations": 2, "alternating": True, "merge_equal": False, "seconds": 0.01}),
        (
            cfr.solve,
            {"game": tree, "method": "external", "iterations": 2, "seconds": 0.05, "seed": 1, "weighting": "linear"},
        ),
        (cfr.solve, {"game": tree, "iterations": 2, "checkpoint": None, "checkpoint_seconds": 9.0, "callback": None}),
        (sampling.solve, {"game": "kuhn", "method": "outcome", "iterations": 2, "seconds": 0.05, "exploration": 0.6}),
        (
            sampling.solve,
            {
                "game": "kuhn",
                "iterations": 2,
                "seconds": 0.05,
                "compile_bytes": 0,
                "max_bytes": 9999,
                "keep_text": True,
            },
        ),
        (
            sampling.solve,
            {"game": tree, "method": "outcome", "iterations": 2, "seconds": 0.05, "baseline": 0.5, "merge_equal": True},
        ),
        (cfr.compile, {"game": "kuhn", "max_bytes": 1_000_000, "progress": None}),
        (evaluate.nash_conv, {"game": tree, "policy": table}),
        (evaluate.exploitability, {"game": tree, "policy": tree.uniform().to_dict()}),
        (evaluate.best_response, {"game": tree, "policy": table, "player": 0}),
        (cfr.TreePolicy, {"tree": tree, "probabilities": tree.uniform().probabilities}),
        (tree.example, {"player": 0, "infoset": 1}),
        (tree.align, {"policy": table, "players": (0,)}),
        (duel.solve, {"low": 0, "high": 3, "iterations": 2, "method": "dcfr", "alpha": 1.5, "beta": 0.0, "gamma": 2.0}),
        (duel.solve, {"bids": [0, 2, 5], "iterations": 2, "target": 0.1, "dtype": "float32", "every": 1}),
        (duel.full_menu_exploitability, {"policy": files.made().tables[4], "low": 0, "high": 9}),
        (duel.exploitability, {"policy": files.made().tables[4]}),
        (arena.play, {"game": "kuhn", "agents": ["random", "random"], "deals": 1, "seed": 0, "duplicate": True}),
        (arena.play, {"game": "kuhn", "agents": ["random"], "against": ["random"], "deals": 2, "decide": True}),
        (
            arena.play,
            {"game": "kuhn", "agents": ["random"], "deals": 2, "half_width": 1.0, "progress": None},
        ),
        (arena.play, {"game": "kuhn", "agents": ["random"], "deals": 1, "executor": None, "record": None}),
        (arena.seatings, {"seats": 2, "count": 2, "alone": None, "duplicate": True, "deal": 0, "seed": 0}),
        (PolicyTable.build, {**row, **chances, "values": [0.0, 1.0, 2.0], "visits": [1.0, 2.0]}),
        (PolicyTable.build, {**row, **chances, "meta": {"game": "x"}, "keep_text": False}),
        (PolicyTable.from_hashes, {**hashes, **chances, "texts": None, "meta": None}),
        (PolicyTable.from_mapping, {"policy": {"a": {0: 1.0}}, "player": 0, "meta": {"a": 1}}),
        (PolicyTable.from_mapping, {"policy": {"0": {0: 0.5, 1: 0.5}}, "game": kuhn.Game(), "max_states": 500}),
        (table.action_probabilities, {"state": "0", "player": 0}),
        (table.sample, {"state": "0", "rng": Rng(1), "player": 0}),
        (table.find, {"state": "0", "player": 0}),
        (table.__contains__, {"state": "0"}),
        (table.row, {"number": 0}),
        (table.filter, {"predicate": lambda row: True}),
        (table.merge, {"other": table, "prefer": "self"}),
        (table.compare, {"other": table, "most": 2}),
        (PolicyTable.from_json, {"source": table.to_json()}),
        (policy.uniform, {"game": kuhn.Game(), "max_states": 500}),
        (policy.fingerprint, {"text": "a"}),
        (policy.load, {"path": "/no/such/file", "game": "kuhn", "verify": "auto"}),
        (policy.describe, {"game": kuhn.Game()}),
        (stats.ratio, {"values": [1.0, 2.0], "counts": [1, 1]}),
        (stats.interval, {"values": [1.0, 2.0, 4.0], "counts": [1, 1, 2], "level": 0.9, "resamples": 50, "seed": 0}),
        (stats.resampled, {"table": boots, "resamples": 20, "seed": 1}),
        (stats.bca, {"boots": [1.0, 2.0, 4.0], "estimate": 2.0, "influence": [0.1, -0.1, 0.2], "level": 0.9}),
        (stats.percentile, {"boots": [1.0, 2.0, 4.0], "n": 3, "level": 0.9}),
        (stats.power, {"difference": 1.0, "sd": 2.0, "deals": 10, "level": 0.9}),
        (stats.deals_needed, {"difference": 1.0, "sd": 2.0, "power": 0.8, "level": 0.9}),
        (stats.confidence_width, {"n": 10, "sd": 1.0, "level": 0.9}),
        (stats.spread, {"values": [1.0, 2.0]}),
        (stats.fit, {"wins": [1.0, 2.0], "weights": [1.0, 1.0], "counts": [1.0, 1.0]}),
        (stats.prior, {"agents": 3}),
    ]


@target(12, OSError)
def call(rng: random.Random) -> str:
    """An answer, or an error that says which argument is wrong."""
    function, right = rng.choice(calls())
    given = dict(right)
    for _ in range(rng.choice((1, 1, 1, 2))):
        name = rng.choice(sorted(given))
        given[name] = odd(rng, large=name not in BUDGETS)
    # names of files among them are those of files in a folder of this input alone
    room = files.SHARED if files.SHARED.is_dir() else None
    with tempfile.TemporaryDirectory(dir=room) as folder, chdir(folder), np.errstate(all="ignore"):
        function(**given)
    return "answered"
