"""The command `solver experiment`: research questions, run and reported."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from solver import experiment as experiments_
from solver.console import AsJson, Dask, Workers, terminal_progress
from solver.executors import opened

__all__ = ["experiment_app"]

experiment_app = typer.Typer(rich_markup_mode=None)

Name = Annotated[str, typer.Argument(help="An experiment, see `solver experiment list`.")]
Folder = Annotated[
    Path | None,
    typer.Option(
        "--experiments",
        envvar="SOLVER_EXPERIMENTS",
        help="Their folder; by default the first called experiments from here upwards.",
    ),
]


@experiment_app.callback(invoke_without_command=True)
def _experiment(context: typer.Context) -> None:
    """Ask research questions again.

    \b
    Example:
      solver experiment list
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@experiment_app.command("list")
def list_(folder: Folder = None, as_json: AsJson = False) -> None:
    """List the experiments with their questions.

    \b
    Example:
      solver experiment list
    """
    for found in experiments_.find(folder):
        if as_json:
            typer.echo(json.dumps({"name": found.name, "question": found.question, "results": found.results.is_dir()}))
        else:
            typer.echo(f"{found.name}\n    {found.question}")


@experiment_app.command()
def run(
    name: Name,
    scale: Annotated[
        str, typer.Option(help="smoke (seconds), small (minutes; as published), full (a night, or a cluster).")
    ] = "small",
    out: Annotated[Path | None, typer.Option(help="Folder of the run, by default runs/NAME-SCALE.")] = None,
    workers: Workers = 1,
    dask: Dask = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Another seed than that of the experiment.")] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="Go on though run.py or a version has changed; config.json tells.")
    ] = False,
    folder: Folder = None,
) -> None:
    """Run an experiment, and write its report.

    The folder of the run gets config.json (what made it), results.jsonl (a line for each finished task),
    tables, figures and report.md. Ctrl-C, an error or a kill loses only tasks that were under way: the
    same command goes on from there, to the same files.

    \b
    Example:
      solver experiment run scout-seats --scale smoke
    """
    found = experiments_.load(name, folder)
    try:
        with opened(workers, dask) as executor, _bar(found.name) as progress:
            path = experiments_.run(found, scale, out, seed=seed, keep=keep, executor=executor, progress=progress)
    except KeyboardInterrupt as interrupt:
        if interrupt.args:
            typer.echo(f"solver: {interrupt}", err=True)
        raise
    typer.echo(path)


@experiment_app.command()
def report(
    name: Name,
    out: Annotated[Path | None, typer.Option(help="Folder of the run; by default the one published.")] = None,
    folder: Folder = None,
) -> None:
    """Write the report of a finished run anew.

    Tables, figures and report.md are made of the results alone.

    \b
    Example:
      solver experiment report scout-seats
    """
    typer.echo(experiments_.report(experiments_.load(name, folder), out))


@contextmanager
def _bar(name: str) -> Iterator[Callable[[int, int], None] | None]:
    """A bar on standard error, on a terminal only."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with terminal_progress(*columns) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(name, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
