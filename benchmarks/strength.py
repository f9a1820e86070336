"""How players do against each other.

    python benchmarks/strength.py scout --players 3 --deals 40 --search ismcts:2000 --against greedy
    python benchmarks/strength.py bakerstreet --deals 200 --search ismcts:1000 --against planning

SCOUT: each deal is played once with the searcher in every seat, all other seats by the opponent, so
the luck of the deal cancels. Margin is the searcher's score minus the mean of the others'; share is
the share of rounds won, ties shared; a fair one is 1/players. Baker Street: each deal is played from
both seats, the margin is wins less losses. The intervals are of 95 %, from the means per deal.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from solver import agents, bakerstreet, scout
from solver._core import Rng
from solver.ismcts import derive_payoffs


def play_round(game: Any, seats: list[agents.Agent], deal: int) -> list[float]:
    """Returns of one round (or game) from the deal of that number."""
    state = game.deal(seed=deal)
    rngs = Rng([deal, 1]).spawn(len(seats))
    while not state.is_terminal():
        seat = state.current_player()
        state.apply_action(seats[seat].act(state.position(seat), rngs[seat]))
    return [float(value) for value in state.returns()]


def duplicate(players: int, search: str, opponent: str, deal: int, game: Any = None) -> tuple[float, float]:
    """(margin, share of the win) of the searcher, mean over its seats; SCOUT unless a game is given."""
    game = scout.Game(players=players) if game is None else game
    margins, shares = [], []
    for seat in range(players):
        seats = [player(search if q == seat else opponent) for q in range(players)]
        scores = play_round(game, seats, deal)
        margins.append(scores[seat] if game.max_utility() == 1 else derive_payoffs(scores, "margin")[seat])
        shares.append(derive_payoffs(scores, "win")[seat])
    return float(np.mean(margins)), float(np.mean(shares))


def player(name: str) -> agents.Agent:
    """An agent by its name, and "pips": planning with placement by pips only."""
    return agents.Planning(placement="pips", name="pips") if name == "pips" else agents.make(name)


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", choices=["scout", "bakerstreet"], default="scout")
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--search", default="ismcts:2000")
    parser.add_argument("--against", nargs="+")
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    table = Table(box=None, pad_edge=False)
    for i, column in enumerate(("players", "player", "against", "rounds", "margin", "+-", "share", "+-", "fair")):
        table.add_column(column, justify="left" if i in (1, 2) else "right")
    game = bakerstreet.Game() if options.game == "bakerstreet" else None
    against = options.against or (["random", "greedy"] if game is None else ["random", "planning"])
    with ProcessPoolExecutor(options.workers) as pool:
        for players in options.players if game is None else [2]:
            for opponent in against:
                play = partial(duplicate, players, options.search, opponent, game=game)
                results = np.array(list(pool.map(play, range(options.deals))))
                margin, share = results.mean(axis=0)
                half = 1.96 * results.std(axis=0, ddof=1) / np.sqrt(options.deals)
                table.add_row(
                    str(players),
                    options.search,
                    opponent,
                    str(players * options.deals),
                    f"{margin:+.2f}",
                    f"{half[0]:.2f}",
                    f"{share:.3f}",
                    f"{half[1]:.3f}",
                    f"{1 / players:.2f}",
                )
    Console().print(table)


if __name__ == "__main__":
    main()
