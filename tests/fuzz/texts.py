"""Texts: positions, actions, game strings, agents by name; valid ones of every kind, changed."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

from solver import agents, games
from solver.games import notation
from tests.fuzz.harness import ALPHABET, mutated, target

GAMES = [
    "scout",
    "scout(players=2)",
    "scout(players=2,rounds=2,chips=0)",
    "scout(players=3)",
    "scout(players=4,rounds=match,payoff=win)",
    "scout(players=5,insertions_public=true,max_turns=60)",
    "scout(players=3,ends_on_emptying_scout=false,payoff=margin)",
    "scout(players=4,ranks=5,hand_size=2)",
    "scout(players=2,ranks=6,hand_size=5,drop=1/2+3/4)",
    "bakerstreet",
    "bakerstreet(max_rounds=3,next_starter=alternate)",
    "bakerstreet(next_starter=doubt_winner)",
    "kuhn",
    "kuhn(players=3)",
    "leduc",
    "leduc(players=3)",
    "duel",
    "duel(low=10,high=20)",
    "duel(bids=0+5+10-14)",
    "bidding_round",
    "bidding_round(horizon=2,price=0.3)",
]
AGENTS = [
    "random",
    "greedy",
    "threshold",
    "planning",
    "learnt",
    "human",
    "flat:20",
    "flat:0.02s",
    "pimc:4,iterations=5,payoff=win",
    "pimc:0.05s",
    "ismcts:20,opponents=tree,belief=uniform,rollout=random,payoff=score",
    "ismcts:0.02s,threads=2,exploration=0.7,horizon=-1,widening=5,depth=1,root=halving,max_nodes=500",
    "policy:/no/such/file",
]
WORDS = [
    *(
        "scout",
        "players",
        "rounds",
        "match",
        "payoff",
        "hand_size",
        "chips",
        "drop",
        "ranks",
        "symbols",
        "true",
        "none",
    ),
    *("hand", "table", "by", "cards", "score", "chips", "known", "used", "seat", "to-move", "turn", "phase", "choose"),
    *("discards0", "stack1", "look4", "log", "rival", "open", "bids", "mover", "doubt-won", "pile", "arrow", "starter"),
    *(
        "1/2",
        "10/9",
        "3/3",
        "0/0",
        "2s",
        "0x",
        "5",
        "1a",
        "0:3s",
        "1@2:ABC",
        "?",
        "-",
        "99999999999999999999",
        "|",
        ":",
    ),
    *("show", "s&s", "left", "right", "turned", "place", "bid", "doubt", "take", "A", "T", "keep", "1e999", "0x10"),
    *("ismcts:1", "inf", "nan", "s", "=", ",", "threads=9999", "iterations=1_000", "seed=1", "(", ")", "()", ""),
]


@cache
def positions() -> list[str]:
    """Lines of every seat along games of every kind."""
    rng = random.Random(5)
    lines = []
    for name in GAMES[:12]:
        game = games.load(name)
        for seed in range(4):
            state = game.deal(seed=seed)
            while not state.is_terminal():
                if rng.random() < 0.15:
                    lines += [str(state.position(seat)) for seat in range(game.num_players())]
                state.apply_action(rng.choice(state.legal_actions()))
    return lines


@cache
def actions() -> list[tuple[Any, list[str]]]:
    """Positions, and their actions in words."""
    found = []
    for line in positions()[::3]:
        position = games.parse(line)
        if position.player == position.current_player():
            found.append((position, [position.action_to_string(action) for action in position.legal_actions()]))
    return found


def garbage(rng: random.Random) -> str:
    """Letters and words without a plan."""
    return "".join(rng.choice([rng.choice(ALPHABET), rng.choice(WORDS), " "]) for _ in range(rng.randrange(40)))


def text_like(rng: random.Random, valid: list[str]) -> str:
    """A valid text changed, or now and then something else altogether."""
    kind = rng.random()
    if kind < 0.02:
        return garbage(rng)
    if kind < 0.025:
        return rng.choice(valid) * rng.randrange(2, 2000)
    return mutated(rng, rng.choice(valid), valid, WORDS, ALPHABET)


@target(30)
def position_text(rng: random.Random) -> str:
    """A line that is read is written back the same, and can be sampled, asked and played on."""
    position = games.parse(text_like(rng, positions()))
    line = str(position)
    assert games.parse(line) == position
    position.pretty()
    if position.player == position.current_player():
        legal = position.legal_actions()
        assert legal
        for action in rng.sample(legal, min(3, len(legal))):
            assert position.parse_action(position.action_to_string(action)) == action
        if rng.random() < 0.3:
            position.planning_action(rng.randrange(1 << 30))
    state = position.sample(rng.randrange(1 << 30))
    for _ in range(rng.randrange(20)):
        if state.is_terminal():
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return "read"


@target(12)
def action_text(rng: random.Random) -> str:
    """Words that are read name a legal action."""
    position, words = rng.choice(actions())
    action = position.parse_action(text_like(rng, words))
    assert action in position.legal_actions()
    return "read"


@target(10)
def game_text(rng: random.Random) -> str:
    """A game string that is read makes a game that says the same of itself, and can be begun."""
    game = games.load(text_like(rng, GAMES))
    assert str(games.load(str(game))) == str(game)
    state = game.new_initial_state()
    outcomes = state.chance_outcomes()
    assert (len(outcomes) > 0) == state.is_chance_node()
    if hasattr(game, "deal"):
        state = game.deal(seed=rng.randrange(1 << 30))
    assert state.is_chance_node() or state.legal_actions() or state.is_terminal()
    return "read"


@target(8, FileNotFoundError)
def agent_text(rng: random.Random) -> str:
    """An agent that is made acts, whatever its options (with little to do), or says what it does not play."""
    for name in agents.split(text_like(rng, AGENTS)):
        notation.check_length(name)
        try:
            agent = agents.make(name)
        except (IsADirectoryError, PermissionError):
            return "folder"
        assert isinstance(agent.name, str)
        assert repr(agent)
    return "made"
