"""What the commands share: options, plain tables, progress, a console that does not guess colours."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, ProgressColumn
from rich.table import Table

from solver import agents, games
from solver.errors import ArgumentError

__all__ = [
    "AsJson",
    "Dask",
    "GameText",
    "Seed",
    "Workers",
    "choices",
    "console",
    "plain_table",
    "seed_or_new",
    "terminal_progress",
    "with_players",
]


def choices(*words: str) -> Callable[[str], list[str]]:
    """What a shell offers for an argument; for the last of several, where commas part them."""

    def offered(incomplete: str) -> list[str]:
        before, comma, _ = incomplete.rpartition(",")
        return [word for word in (before + comma + each for each in words) if word.startswith(incomplete)]

    return offered


AGENTS = choices(*(name for name in agents.NAMES.split(", ") if name not in ("human", "policy:FILE")))
GameText = Annotated[
    str,
    typer.Argument(
        help="A game, such as scout or 'scout(players=4,rounds=match)'.", autocompletion=choices(*games.NAMES)
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Makes it repeatable: the same seed (and number of iterations) gives the same result."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, one line a result.")]

Workers = Annotated[int, typer.Option(min=1, help="Processes to share the work; the result is the same.")]
Dask = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Scheduler of a Dask cluster to do the work, such as tcp://HOST:8786."),
]


def console() -> Console:
    """Standard output as it is: no markup, no colours of its own."""
    return Console(highlight=False, markup=False, soft_wrap=True)


def plain_table(first: str, *others: str) -> Table:
    """A plain table: the first column to the left, the others to the right."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def seed_or_new(given: int | None) -> int:
    """The seed, or a new one that is short enough to type again."""
    return secrets.randbits(32) if given is None else given


def with_players(game: str, players: int | None) -> str:
    """A game string with --players as an option of it like any other."""
    if players is None:
        return game
    if "(" in game:
        raise ArgumentError("give the players either in the game string or by --players")
    return f"{game}(players={players})"


@contextmanager
def terminal_progress(*columns: str | ProgressColumn) -> Iterator[Progress | None]:
    """Progress on standard error that goes when the work is done; None where that is no terminal."""
    shown = Console(stderr=True)
    if not shown.is_terminal:
        yield None
        return
    with Progress(*columns, console=shown, transient=True) as bar:
        yield bar
