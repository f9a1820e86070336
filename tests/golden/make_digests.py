"""Writes digests.csv, what a seed gives at every entry point: `python -m tests.golden.make_digests`.

Each row is a name and the digest of all that comes out: deals, games, samples, searches, equilibria, tables of the
arena. Every Python and every wheel must give the same file. In the file numbers are rounded to nine digits, since the
logarithm and the power of two machines may differ in the last bit; with `--exact` every bit counts, and what is
printed is compared between processes of one machine.
"""

import csv
import functools
import hashlib
import io
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from solver import agents, arena, cfr, duel, games, ismcts, online, pimc
from solver._core import Rng
from solver.adapters import features

FILE = Path(__file__).with_name("digests.csv")
CARD_GAMES = [*(f"scout(players={n})" for n in (2, 3, 4, 5)), "scout(players=2,rounds=match)", "bakerstreet"]
SMALL_SCOUT = "scout(players=2,ranks=4,hand_size=1,chips=1)"
SEARCHES: dict[str, dict[str, Any]] = {
    "default": {},
    "textbook": {
        "rollout": "random",
        "opponents": "tree",
        "widening": 0,
        "belief": "uniform",
        "depth": 1,
        "root": "ucb",
    },
    "twin": {"compiled": False},
}
ENTRIES: dict[str, Callable[[], Any]] = {}


def entry(*variants: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """What is computed once for each variant; a row of the file each."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        for variant in variants or ((),):
            given = variant if isinstance(variant, tuple) else (variant,)
            words = " ".join([function.__name__.replace("_", " "), *map(str, given)])
            ENTRIES[words] = functools.partial(function, *given)
        return function

    return register


def plain(value: Any, exact: bool) -> Any:
    """A value as what JSON writes alike everywhere."""
    if isinstance(value, np.ndarray):
        if value.dtype.names:
            return {name: plain(value[name], exact) for name in value.dtype.names if name != "seconds"}
        return plain(value.tolist(), exact)
    if isinstance(value, dict):
        return [[plain(key, exact), plain(value[key], exact)] for key in value]
    if isinstance(value, list | tuple):
        return [plain(item, exact) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value.hex() if exact else "0" if value == 0 or math.isnan(value) else f"{value:.9g}"
    return value if isinstance(value, int | str | None) else str(value)


def digest(name: str, exact: bool = False) -> str:
    """The digest of an entry, made anew."""
    text = json.dumps(plain(ENTRIES[name](), exact))
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


def rows(exact: bool = False) -> list[tuple[str, str]]:
    """All names and their digests."""
    return [(name, digest(name, exact)) for name in ENTRIES]


def text(table: list[tuple[str, str]]) -> str:
    """The file's text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerows([("entry", "digest"), *table])
    return out.getvalue()


def half_played(game: str, moves: int = 7) -> Any:
    """A state some decisions of the planning agent into a game."""
    state = games.load(game).deal(seed=3)
    rng = Rng(4)
    for _ in range(moves):
        after = state.child(state.position(state.current_player()).planning_action(rng))
        if after.is_terminal():
            break
        state = after
    return state


def hands(state: Any) -> list[Any]:
    """The cards of all seats, and in Baker Street decks and letters."""
    seats = range(state.game.num_players())
    if hasattr(state, "pile"):
        letters = [state.pile(i) for i in range(5)] + [state.evidence(seat) for seat in seats]
        return [state.hand(seat) for seat in seats], [state.deck(seat) for seat in seats], letters
    return [state.hand(seat) for seat in seats]


# ------------------------------------------------------------------------------------------------
# Chance and games


@entry()
def random_stream() -> Any:
    rng = Rng([1, 2])
    children = rng.spawn(2)
    return [[r.random() for _ in range(50)] + [r.below(n) for n in range(1, 50)] for r in (rng, *children)]


@entry(*CARD_GAMES)
def deals(game: str) -> Any:
    rng = Rng(7)
    return [hands(games.load(game).deal(seed=seed)) for seed in [*range(10), rng, rng]]


def whole_game(game: str, seed: int, planned: bool) -> Any:
    """A game to its end, with what each seat knows, the scores of the moves, and a sample, now and then."""
    state = games.load(game).deal(seed=seed)
    rng = Rng(seed)
    told: list[Any] = []
    while not state.is_terminal():
        seat = state.current_player()
        position = state.position(seat)
        told.append([state.legal_actions(), state.observed_actions(seat), state.observed_actions(0)])
        if len(told) % 5 == 0:
            told.append([str(position), state.action_scores(), state.estimated_returns(), hands(position.sample(rng))])
        planning = position.planning_action(rng)
        state.apply_action(planning if planned else rng.choice(state.legal_actions()))
    seats = range(state.game.num_players())
    return told, state.history(), state.returns(), [state.information_state_string(seat) for seat in seats]


@entry(*CARD_GAMES)
def games_by_plan(game: str) -> Any:
    return [whole_game(game, seed, True) for seed in range(3)]


@entry(*CARD_GAMES, "scout(players=4,insertions_public=true)", "scout(players=3,ends_on_emptying_scout=false)")
def games_at_random(game: str) -> Any:
    return [whole_game(game, seed, False) for seed in range(3)]


@entry("scout(players=2)", "scout(players=3,rounds=2)", "scout(players=2,rounds=match)", "bakerstreet")
def games_with_explicit_chance(game: str) -> Any:
    state = games.load(game).new_initial_state()
    rng = Rng(8)
    told: list[Any] = []
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes = state.chance_outcomes()
            chosen = rng.choice([outcome for outcome, _ in outcomes])
            told.append([outcomes, state.action_to_string(-1, chosen)])
        else:
            chosen = rng.choice(state.legal_actions())
        state = state.child(chosen)
    return told, state.history(), state.returns(), [state.information_state_string(seat) for seat in range(2)]


@entry(*CARD_GAMES)
def playouts(game: str) -> Any:
    rng = Rng(1)
    found = [games.load(game).playouts(20, seed=rng, policy=policy) for policy in ("random", "planning", "random")]
    return [[f.decisions, f.mean_returns, f.terminations] for f in found], rng.random()


@entry(*CARD_GAMES)
def samples(game: str) -> Any:
    belief = "play" if game.startswith("scout") else "worth"
    rng = Rng(2)
    told = []
    for moves in (0, 7, 13, 20, 40, 80):
        state = half_played(game, moves)
        position = state.position(state.current_player())
        drawn = [position.sample(1), position.sample(rng), position.search_sample(rng, belief=belief)]
        drawn.append(state.resample_from_infostate(0, rng.random))
        told.append([[hands(s), s.information_state_string(0), s.estimated_returns()] for s in drawn])
    return told


@entry(*CARD_GAMES)
def observations(game: str) -> Any:
    state = half_played(game)
    return [features.of(state.game).encode(state, seat) for seat in range(state.game.num_players())]


@entry(*(game for game in CARD_GAMES if game.startswith("scout") and "rounds" not in game))
def learnt(game: str) -> Any:
    state = half_played(game)
    loaded = games.load(game)
    rng = Rng(3)
    told = [state.learnt_scores(), state.learnt_action(rng), loaded.learnt_contest(deals=20, seed=rng)]
    return told, loaded.learnt_samples(30, seed=rng), rng.random()


# ------------------------------------------------------------------------------------------------
# Searches


def found(result: ismcts.Result) -> Any:
    """A result without what a clock says."""
    return {name: value for name, value in result.to_dict().items() if name not in ("seconds", "settings")}


@entry(*((game, name) for game in CARD_GAMES for name in SEARCHES))
def search(game: str, name: str) -> Any:
    iterations = 10 if name == "twin" else 300
    return found(ismcts.search(half_played(game), iterations=iterations, seed=1, **SEARCHES[name]))


@entry(*CARD_GAMES)
def search_in_two_threads(game: str) -> Any:
    return found(ismcts.search(half_played(game), iterations=300, threads=2, seed=1))


@entry("kuhn", "leduc")
def search_of_a_python_game(game: str) -> Any:
    loaded = games.load(game)
    state = loaded.new_initial_state()
    rng = Rng(1)
    while state.is_chance_node():
        state = state.child(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
    return found(ismcts.search(state, iterations=200, seed=1))


@entry(*CARD_GAMES)
def explanation(game: str) -> Any:
    return ismcts.search(half_played(game), iterations=100, seed=1).explain(20)


@entry(*CARD_GAMES)
def open_hands(game: str) -> Any:
    result = pimc.search(half_played(game), 3, iterations=30, seed=1)
    return result.best, result.actions


@entry(*(("bakerstreet", method) for method in online.METHODS))
def online_decision(game: str, method: str) -> Any:
    result = online.search(half_played(game), method=method, iterations=10, seed=1)
    return result.actions, result.nodes


PLAYERS = {
    "scout(players=3)": ["random", "greedy", "planning", "learnt", "flat:20", "pimc:2", "ismcts:20"],
    "bakerstreet": ["random", "threshold", "planning", "flat:20", "pimc:2", "ismcts:20"],
}


@entry(*PLAYERS)
def plays(game: str) -> Any:
    position = half_played(game).position(half_played(game).current_player())
    return [agents.make(name).act(position, Rng(k)) for name in PLAYERS[game] for k in range(4)]


# ------------------------------------------------------------------------------------------------
# Equilibria


def solved(solution: Any) -> Any:
    """A solution without what a clock says."""
    table = solution.policy
    columns = [table.keys, table.checks, table.players, table.offsets, table.actions, table.probabilities]
    return solution.exploitability, solution.value, solution.iterations, solution.history, columns


@entry(*((game, method) for game in ("kuhn", "leduc") for method in cfr.METHODS), ("kuhn(players=3)", "cfr"))
def equilibrium(game: str, method: str) -> Any:
    return solved(cfr.solve(game, method, iterations=30))


@entry("dcfr", "pcfr+")
def equilibrium_in_two_threads(method: str) -> Any:
    return solved(cfr.solve("leduc", method, iterations=30, threads=2))


@entry("external", "outcome")
def sampled_equilibrium(method: str) -> Any:
    return solved(cfr.solve("leduc", method, iterations=300, seed=1))


@entry("external", "outcome")
def sampled_states(method: str) -> Any:
    return solved(cfr.solve("kuhn", method, iterations=200, seed=1, compile_bytes=0))


@entry(*online.METHODS)
def online_equilibrium(method: str) -> Any:
    return solved(online.solve("kuhn", method, iterations=300, seed=1))


@entry(*duel.METHODS)
def bidding(method: str) -> Any:
    solution = duel.solve(12, 18, method=method, iterations=20)
    return solution.exploitability, solution.value, solution.policy.array


@entry("kuhn", "leduc", SMALL_SCOUT, "bidding_round(horizon=2)")
def tree(game: str) -> Any:
    return cfr.compile(games.load(game)).fingerprint()


# ------------------------------------------------------------------------------------------------
# The arena


@entry(
    ("scout(players=3)", "planning", "greedy", "ismcts:10"),
    ("bakerstreet", "planning", "ismcts:10"),
    ("kuhn", "random", "ismcts:10"),
)
def standing(game: str, *players: str) -> Any:
    result = arena.play(game, players, 4, seed=4).to_dict()
    return {name: value for name, value in result.items() if name not in ("seconds", "settings")}


if __name__ == "__main__":
    if sys.argv[1:] == ["--exact"]:
        sys.stdout.write(text(rows(exact=True)))
    else:
        FILE.write_text(text(rows()), encoding="utf-8", newline="")
