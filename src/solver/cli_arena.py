"""The command `solver arena`: agents against each other on duplicate deals."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn

from solver import agents as agents_
from solver import arena as arenas
from solver import games
from solver.console import AGENTS, AsJson, Dask, GameText, Workers, console, terminal_progress, with_players
from solver.errors import ArgumentError
from solver.executors import opened

__all__ = ["arena"]

Names = Annotated[
    str,
    typer.Option(
        help=f"By commas: {agents_.NAMES}. Searches take options: ismcts:2000,root=ucb.",
        autocompletion=AGENTS,
    ),
]


def arena(
    game: GameText,
    agents: Names,
    against: Annotated[
        str | None,
        typer.Option(
            help="Opponents, by commas: each agent then sits alone at tables of each of these.",
            autocompletion=AGENTS,
        ),
    ] = None,
    players: Annotated[int | None, typer.Option(help="Number of players, 2 to 5.")] = None,
    deals: Annotated[int, typer.Option(min=1, help="Deals, at most.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other deals.")] = 0,
    workers: Workers = 1,
    dask: Dask = None,
    record: Annotated[Path | None, typer.Option(help="File to write each deal to, and to go on from.")] = None,
    half_width: Annotated[float | None, typer.Option(help="Stop once all margins are known to +- this.")] = None,
    decide: Annotated[
        bool, typer.Option("--decide", help="Stop once the first agent is known to be ahead or behind.")
    ] = False,
    duplicate: Annotated[
        bool, typer.Option("--duplicate/--no-duplicate", help="Play each deal at every table of its schedule.")
    ] = True,
    pairs: Annotated[bool, typer.Option("--pairs", help="Also print every two agents side by side.")] = False,
    as_json: AsJson = False,
) -> None:
    """Play agents against each other on duplicate deals.

    Each deal is played with the agents in every seat. Margin is in points over the mean of the others; wins
    is the share of a win that a seat has (a fair one is 1 / players); the rating is in Elo points. Intervals
    are of 95 %. Ctrl-C ends it and prints what was played.

    \b
    Examples:
      solver arena scout --players 3 --agents ismcts:500,planning --deals 20
      solver arena bakerstreet --agents ismcts:500 --against planning --json
    """
    loaded = games.load(with_players(game, players))
    if record is not None and not record.absolute().parent.is_dir():
        raise ArgumentError(f"--record: there is no folder {record.absolute().parent}")
    names, opponents = agents_.split(agents), agents_.split(against) if against is not None else None
    # a bar that moves would write over what a person is asked
    shown = nullcontext() if "human" in [*names, *(opponents or ())] else _bar(deals)
    with opened(workers, dask) as executor, shown as progress:
        standing = arenas.play(
            loaded,
            names,
            deals,
            seed,
            duplicate,
            executor,
            against=opponents,
            record=record,
            half_width=half_width,
            decide=decide,
            progress=progress,
        )
    if as_json:
        typer.echo(json.dumps(standing.to_dict()))
        return
    out = console()
    out.print(str(standing))
    if pairs:
        out.print()
        out.print(standing.pair_table())


@contextmanager
def _bar(deals: int) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, on a terminal only."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with terminal_progress(*columns) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("deals", total=deals)
        yield lambda done, _total: bar.update(task, completed=done)
