"""How the search does against random and greedy players: margin a round, duplicate deals.

    python benchmarks/strength.py --players 3 --deals 40 --search ismcts:2000

Each deal is played once with the search in every seat, all other seats by the opponent, so the luck
of the deal cancels. Margin is the searcher's score minus the mean of the others'; the interval is
95 %, from the means per deal. Share is the share of rounds won, ties shared; a fair one is 1/players.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from rich.console import Console
from rich.table import Table

from solver import agents, scout
from solver._core import Rng
from solver.ismcts import derive_payoffs


def play_round(game: scout.Game, seats: list[agents.Agent], deal: int) -> list[float]:
    """Scores of one round from the deal of that number."""
    state = game.deal(seed=deal)
    rngs = Rng([deal, 1]).spawn(len(seats))
    while not state.is_terminal():
        seat = state.current_player()
        state.apply_action(seats[seat].act(state.position(seat), rngs[seat]))
    return state.returns()


def duplicate(players: int, search: str, opponent: str, deal: int) -> tuple[float, float]:
    """(margin, share of the win) of the search, mean over its seats."""
    game = scout.Game(players=players)
    margins, shares = [], []
    for seat in range(players):
        seats = [agents.make(search if q == seat else opponent) for q in range(players)]
        scores = play_round(game, seats, deal)
        margins.append(derive_payoffs(scores, "margin")[seat])
        shares.append(derive_payoffs(scores, "win")[seat])
    return float(np.mean(margins)), float(np.mean(shares))


def main() -> None:
    """Play and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, nargs="+", default=[2, 3, 4, 5])
    parser.add_argument("--deals", type=int, default=40)
    parser.add_argument("--search", default="ismcts:2000")
    parser.add_argument("--against", nargs="+", default=["random", "greedy"])
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    table = Table(box=None, pad_edge=False)
    for i, column in enumerate(("players", "search", "against", "rounds", "margin", "+-", "share", "fair")):
        table.add_column(column, justify="left" if i in (1, 2) else "right")
    with ProcessPoolExecutor(options.workers) as pool:
        for players in options.players:
            for opponent in options.against:
                play = partial(duplicate, players, options.search, opponent)
                results = np.array(list(pool.map(play, range(options.deals))))
                margin, share = results.mean(axis=0)
                half = 1.96 * results[:, 0].std(ddof=1) / np.sqrt(options.deals)
                table.add_row(
                    str(players),
                    options.search,
                    opponent,
                    str(players * options.deals),
                    f"{margin:+.2f}",
                    f"{half:.2f}",
                    f"{share:.2f}",
                    f"{1 / players:.2f}",
                )
    Console().print(table)


if __name__ == "__main__":
    main()
