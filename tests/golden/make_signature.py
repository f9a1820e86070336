"""Writes signature.csv, what search does on ten fixed positions: `python -m tests.golden.make_signature`.

A change that should change nothing leaves the file as it is. One that changes the search on purpose shows
here, is measured (docs/search-notes.md), and the file is written anew.
"""

import csv
import io
from pathlib import Path

from solver import bakerstreet, games, ismcts, scout
from solver._core import Rng

FILE = Path(__file__).parent / "signature.csv"
ITERATIONS = 2000
COLUMNS = ("position", "plain nodes", "plain best", "default nodes", "default best", "visits of best")
PLAIN = {"rollout": "random", "opponents": "tree", "widening": 0, "belief": "uniform", "depth": 0, "root": "ucb"}


def positions() -> list[str]:
    """Two of each number of players of SCOUT, one early and one late in a round, and two of Baker Street."""
    lines = []
    for players in (2, 3, 4, 5):
        for seed, moves in ((players, players), (10 + players, 2 * players + 3)):
            lines.append(played(scout.Game(players=players).deal(seed=seed, turned=[False] * players), moves))
    for seed, moves in ((1, 0), (2, 25)):
        lines.append(played(bakerstreet.Game().deal(seed=seed), moves))
    return lines


def played(state, moves: int) -> str:
    """The position to move after some decisions of the planning agent."""
    rng = Rng(1)
    for _ in range(moves):
        state.apply_action(state.position(state.current_player()).planning_action(rng))
    return str(state.position(state.current_player()))


def rows() -> list[list[str]]:
    """A row for each position of the file, searched anew."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [searched(row["position"]) for row in csv.DictReader(file)]


def searched(line: str) -> list[str]:
    """What a plain and a default search find."""
    position = games.parse(line)
    plain = ismcts.search(position, iterations=ITERATIONS, seed=1, **PLAIN)
    default = ismcts.search(position, iterations=ITERATIONS, seed=1)
    visits = int(default.actions["visits"][default.actions["action"] == default.best][0])
    return [line, str(plain.nodes), plain.best_words(), str(default.nodes), default.best_words(), str(visits)]


def text(table: list[list[str]]) -> str:
    """The file's text."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(table)
    return out.getvalue()


if __name__ == "__main__":
    FILE.write_text(text([searched(line) for line in positions()]), encoding="utf-8", newline="")
