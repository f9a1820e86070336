"""Compiled Baker Street beside the slow reference, move by move; `python -m tests.oracle.compare_bakerstreet`."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from solver.games import bakerstreet
from tests.reference.bakerstreet_rules import Reference, sorted_cards

STYLES = ("uniform", "doubts", "creeps", "hoards arrows")


@dataclass
class Tally:
    """What happened in the games compared."""

    games: int = 0
    decisions: int = 0
    seen: Counter[str] = field(default_factory=Counter)


def choose(rng: random.Random, style: str, options: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    """A legal action in the manner of a style."""
    if style == "doubts" and ("doubt",) in options and rng.random() < 0.9:
        return ("doubt",)
    if style == "creeps" and rng.random() < 0.9:
        bids = [o for o in options if o[0] == "bid"]
        if bids:
            return min(bids)
        options = [o for o in options if o[0] != "doubt"] or options
    if style == "hoards arrows":
        marked = [o for o in options if o[0] == "place" and o[2] in ("arrow", "stop") and o[3] < 3]
        options = marked or options
    return rng.choice(options)


def feed_reshuffles(state: bakerstreet.State, reference: Reference, tally: Tally) -> None:
    """Give the reference the orders that the compiled game shuffled: what was drawn since, then the deck."""
    while reference.phase == "reshuffle":
        seat = reference.reshuffling
        assert seat is not None
        drawn = list((Counter(state.hand(seat)) - Counter(reference.hands[seat])).elements())
        reference.set_deck(seat, [*drawn, *state.deck(seat)])
        tally.seen["reshuffle"] += 1


def same(state: bakerstreet.State, reference: Reference) -> None:
    """Everything that both engines tell is equal."""
    assert state.is_terminal() == (reference.phase == "over")
    for seat in (0, 1):
        assert sorted_cards(state.hand(seat)) == reference.hands[seat]
        assert state.deck(seat) == reference.decks[seat]
        assert sorted_cards(state.discards(seat)) == reference.discards[seat]
        assert set(state.evidence(seat)) == reference.evidence[seat]
    for pile in range(5):
        assert state.stack(pile) == reference.stacks[pile]
        assert list(state.pile(pile)) == reference.piles[pile]
    assert (state.standing_bid(), state.bids(), state.rounds) == (
        reference.standing_bid,
        reference.bids,
        reference.rounds,
    )
    if state.is_terminal():
        assert (state.winner(), state.returns()) == (reference.winner, reference.returns)
    else:
        assert (state.phase, state.current_player()) == (reference.phase, reference.to_move)
        assert state.starter == reference.starter


def compare_game(game: bakerstreet.Game, seed: int, tally: Tally) -> None:
    """One game, each seat in a style of its own."""
    rng = random.Random(seed)
    styles = [rng.choice(STYLES) for _ in range(2)]
    parameters = game.get_parameters()
    state = game.deal(seed=seed)
    reference = Reference(
        [state.hand(seat) + state.deck(seat) for seat in (0, 1)],
        [state.pile(pile) for pile in range(5)],
        next_starter=parameters["next_starter"],
        max_rounds=parameters["max_rounds"],
    )
    tally.games += 1
    while True:
        feed_reshuffles(state, reference, tally)
        same(state, reference)
        if state.is_terminal():
            break
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        options = {game.decode(action): action for action in actions}
        assert set(options) == reference.legal()
        chosen = choose(rng, styles[state.current_player()], sorted(options, key=str))
        tally.seen[chosen[0]] += 1
        tally.seen["empty hand"] += not state.hand(state.current_player()) and state.phase in ("turn", "bid")
        tally.seen["bid of 30"] += state.standing_bid() == 30
        state.apply_action(options[chosen])
        reference.apply(chosen)
        tally.seen["chain"] += len(reference.log) > 1 and chosen[0] in ("choose_pile", "take")
        tally.seen["chain round the circle"] += len(reference.log) > 5
        tally.decisions += 1
    tally.seen["seven in a row"] += max(map(len, map(state.evidence, (0, 1)))) >= 7 and state.winner() is not None
    tally.seen["draw"] += state.winner() is None


def main(arguments: list[str] | None = None) -> None:
    """The long comparison."""
    parser = argparse.ArgumentParser(description="Compare the compiled Baker Street with the slow reference.")
    parser.add_argument("--games", type=int, default=20_000)
    options = parser.parse_args(arguments)
    for text in SETTINGS:
        tally = Tally()
        for seed in range(options.games // len(SETTINGS)):
            compare_game(bakerstreet.load(text), seed, tally)
        sys.stdout.write(f"{text}: {tally.games} games, {tally.decisions} decisions, {dict(tally.seen)}\n")
        sys.stdout.flush()


SETTINGS = (
    "bakerstreet",
    "bakerstreet(next_starter=doubt_winner)",
    "bakerstreet(next_starter=alternate,symbols=none)",
    "bakerstreet(symbols=5stop+5x2+5arrow+4arrow+4arrow+3stop+3x2+0arrow+1arrow+2arrow)",
    "bakerstreet(max_rounds=6,symbols=0arrow+0arrow+0arrow+0arrow+0arrow+1arrow+1arrow+1arrow+1arrow+1arrow)",
)


if __name__ == "__main__":
    main()
