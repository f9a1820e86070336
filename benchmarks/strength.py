"""How players do against each other: `solver.arena` over numbers of players and opponents, as a table.

    python benchmarks/strength.py scout --players 3 --deals 40 --search ismcts:2000 --against greedy
    python benchmarks/strength.py bakerstreet --deals 200 --search ismcts:1000 --against planning

Each deal is played once with the searcher in every seat, all other seats by the opponent. Margin is the
searcher's score minus the mean of the others' (Baker Street: wins less losses); share is the share of
wins, ties shared; a fair one is 1/players. +- is half the width of a 95 % interval of the mean per deal
(1.96 standard errors); `solver arena` gives bootstrap intervals and ratings.
"""

from __future__ import annotations

import argparse
from typing import Any

from rich.console import Console

from solver import agents, arena, executors
from solver.console import plain_table


def player(name: str) -> Any:
    """An agent by its name, and "pips": planning with placement by pips only."""
    return agents.Planning(placement="pips", name="pips") if name == "pips" else name


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
    table = plain_table("players", "player", "against", "rounds", "margin", "+-", "share", "+-", "fair")
    table.columns[0].justify, table.columns[1].justify, table.columns[2].justify = "right", "left", "left"
    is_scout = options.game == "scout"
    with executors.opened(options.workers) as pool:
        for players in options.players if is_scout else [2]:
            game = f"scout(players={players})" if is_scout else "bakerstreet"
            for opponent in options.against or (["random", "greedy"] if is_scout else ["random", "planning"]):
                row, _ = arena.play(
                    game, [player(options.search)], options.deals, against=[player(opponent)], executor=pool
                )
                shown = [str(players), options.search, opponent, str(row.games), f"{row.mean:+.2f}"]
                shown += [f"{1.96 * row.stderr:.2f}", f"{row.win_share:.3f}", f"{1.96 * row.win_stderr:.3f}"]
                table.add_row(*shown, f"{1 / players:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
