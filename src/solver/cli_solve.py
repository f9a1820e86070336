"""The commands `solver solve` and `solver policy`: equilibrium policies, and what is in their files."""

from __future__ import annotations

import importlib
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import TextColumn

from solver import cfr, duel, games, policy_plots
from solver import policy as policies
from solver.console import AsJson, Dask, Seed, Workers, choices, console, plain_table, terminal_progress
from solver.errors import ArgumentError, MissingExtraError
from solver.executors import opened
from solver.policy import PolicyTable, Row

__all__ = ["policy_app", "solve"]

OPENSPIEL = "openspiel:"
_FAR = 1000  # times as long as a run has taken: no guess goes further
SORTED = 100_000  # information states that are sorted before some are shown

policy_app = typer.Typer(rich_markup_mode=None)

File = Annotated[Path, typer.Argument(help="A policy file, also one in Parquet that ends in .parquet.")]


def load_table(file: Path) -> PolicyTable:
    """The policy of a file, in the library's format or in Parquet."""
    return PolicyTable.from_parquet(file) if file.suffix == ".parquet" else policies.load(file)


@policy_app.callback(invoke_without_command=True)
def _policy(context: typer.Context) -> None:
    """Look into policy files.

    \b
    Example:
      solver policy show leduc.policy
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def load_game(text: str) -> Any:
    """A game by its string: ours, or OpenSpiel's after ``openspiel:``."""
    if not text.startswith(OPENSPIEL):
        return games.load(text)
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError as error:
        raise MissingExtraError("games of OpenSpiel need open_spiel: pip install 'cardsolver[openspiel]'") from error
    try:
        return pyspiel.load_game(text.removeprefix(OPENSPIEL))
    except pyspiel.SpielError as error:
        raise ArgumentError(f"OpenSpiel has no such game: {error}") from error


def solve(
    game: Annotated[
        str,
        typer.Argument(
            help="kuhn, leduc, 'duel(low=10,high=20)', 'openspiel:liars_dice', ...",
            autocompletion=choices("kuhn", "leduc", "duel", "bidding_round"),
        ),
    ],
    method: Annotated[
        str,
        typer.Option(
            help=f"{', '.join(cfr.METHODS)}; by sampling: external, outcome.",
            autocompletion=choices(*cfr.METHODS, "external", "outcome"),
        ),
    ] = "dcfr",
    iterations: Annotated[int | None, typer.Option(min=1, help="Stop after so many iterations.")] = None,
    target: Annotated[float | None, typer.Option(help="Stop at this exploitability.")] = None,
    seconds: Annotated[float | None, typer.Option(help="Stop after so long; compiling comes on top.")] = None,
    threads: Annotated[int, typer.Option(min=1, max=64, help="The result is the same.")] = 1,
    out: Annotated[Path | None, typer.Option(help="File to write the policy to.")] = None,
    checkpoint: Annotated[Path | None, typer.Option(help="File to save the run to and to go on from.")] = None,
    seed: Seed = None,
    runs: Annotated[int, typer.Option(min=1, help="Samplings apart from each other; the policy is their mean.")] = 1,
    workers: Workers = 1,
    dask: Dask = None,
    as_json: AsJson = False,
) -> None:
    """Find an equilibrium policy of a game.

    Without a budget it runs 1,000 iterations; the duel, whose vector form has a solver of its own (dcfr,
    cfr+), until the exploitability is 5e-5. Ctrl-C ends the run and keeps what was found.

    \b
    Examples:
      solver solve leduc --target 1e-3 --out leduc.policy
      solver solve 'kuhn(players=3)' --method external --iterations 10000 --json
    """
    loaded = load_game(game)
    sampled = method in ("external", "outcome")
    vector = isinstance(loaded, duel.Game) and method in duel.METHODS
    if (sampled or vector) and (checkpoint is not None or threads != 1):
        what = f"--method {method}" if sampled else "the vector form of the duel"
        raise ArgumentError(f"{what} takes neither --checkpoint nor --threads")
    if seed is not None and not sampled:
        raise ArgumentError(f"--seed is for sampling; --method {method} uses no chance")
    shared = runs != 1 or workers != 1 or dask is not None
    if shared and not sampled:
        raise ArgumentError(f"--runs, --workers and --dask are for sampling, not for --method {method}")
    if shared and runs == 1:
        raise ArgumentError("--workers and --dask share out samplings: give their number by --runs")
    if shared and target is not None:
        raise ArgumentError("--target is for a single run: give --iterations or --seconds with --runs")
    if out is not None:
        _check_out("--out", out)
        if checkpoint is not None and out.absolute() == checkpoint.absolute():
            raise ArgumentError("--out and --checkpoint are the same file")
    solution: cfr.Solution | duel.Solution
    budget: dict[str, Any] = {"iterations": iterations, "target": target, "seconds": seconds}
    with live(iterations, target, seconds) as (callback, progress, sized):
        if isinstance(loaded, duel.Game) and vector:
            # the full menu is solved by fewer bids, whose policy is then judged with all bids
            bids = duel.DEFAULT_BIDS if _is_full(loaded) else loaded.bids
            solution = duel.solve(bids=bids, method=method, callback=callback, **budget)
        elif shared:
            with opened(workers, dask) as executor:
                solution = cfr.solve(
                    loaded,
                    method,
                    iterations,
                    seconds=seconds,
                    progress=progress,
                    seed=seed,
                    runs=runs,
                    executor=executor,
                )
        elif sampled:
            solution = cfr.solve(loaded, method, callback=callback, progress=progress, seed=seed, **budget)
        else:
            tree = cfr.compile(loaded, progress=sized)
            options: dict[str, Any] = {"threads": threads, "checkpoint": checkpoint}
            solution = cfr.solve(tree, method, callback=callback, progress=progress, **budget, **options)
    full_menu = None
    if isinstance(solution, duel.Solution) and _is_full(loaded):
        full_menu = duel.full_menu_exploitability(solution.policy)
    rows, failure = 0, None
    if out is not None:
        policy = solution.policy
        table = policy if isinstance(policy, PolicyTable) else policy.to_table(solution.settings)
        try:
            table.save(out)
            rows = len(table)
        except OSError as error:
            failure = error  # what was found is printed all the same
    if as_json:
        typer.echo(
            json.dumps(
                solution.settings
                | {
                    "exploitability": number(solution.exploitability),
                    "value": [number(v) for v in solution.value],
                    "interrupted": solution.interrupted,
                    "full_menu_exploitability": full_menu,
                    "file": str(out) if rows else None,
                },
                default=str,
            )
        )
    else:
        show = console()
        show.print(str(solution), soft_wrap=False)  # sentences, wider than a terminal
        if full_menu is not None:
            show.print(f"exploitability with all bids 0..30, to which this menu is enough: {full_menu:.3g}")
        if rows:
            show.print(f"{rows:,} information states written to {out}")
    if failure is not None:
        raise failure


def _check_out(name: str, out: Path) -> None:
    """Refuse a name that cannot be written to, before the work rather than after it."""
    folder = out.absolute().parent
    if not folder.is_dir():
        raise ArgumentError(f"{name}: there is no folder {folder}")
    if out.is_dir():
        raise ArgumentError(f"{name}: {out} is a folder")
    if not os.access(folder, os.W_OK):
        raise ArgumentError(f"{name}: the folder {folder} cannot be written to")


def _is_full(game: Any) -> bool:
    return isinstance(game, duel.Game) and len(game.bids) == duel.MAX_BID + 1


def number(value: float) -> float | None:
    """A float as JSON has it."""
    return value if math.isfinite(value) else None


@contextmanager
def live(
    iterations: int | None, target: float | None, seconds: float | None
) -> Iterator[
    tuple[
        Callable[[cfr.Snapshot], None] | None,
        Callable[[int, float], None] | None,
        Callable[[cfr.Size], None] | None,
    ]
]:
    """A line on standard error, on a terminal only: iteration, exploitability, rate, time left.

    Yields what to call with a snapshot, with iterations and seconds, and with the size while a game is compiled.
    """
    with terminal_progress(TextColumn("{task.description}")) as bar:
        if bar is None:
            yield None, None, None
            return
        task = bar.add_task("starting")
        points: list[tuple[int, float]] = []
        last = 0.0

        def callback(snapshot: cfr.Snapshot) -> None:
            points.append((snapshot.iteration, snapshot.exploitability))
            progress(snapshot.iteration, snapshot.seconds)

        def sized(size: cfr.Size) -> None:
            words = f"compiling: {size.nodes:,} nodes, {size.infosets:,} information states, {size.bytes / 1e6:,.0f} MB"
            bar.update(task, description=words)

        def progress(done: int, elapsed: float) -> None:
            nonlocal last
            if time.monotonic() - last < 0.1:
                return
            last = time.monotonic()
            rate = done / max(elapsed, 1e-9)
            words = f"{done:,} iterations, {rate:,.0f}/s"
            if points:
                words += f", exploitability {points[-1][1]:.3g}"
            left = time_left(done, elapsed, points, iterations, target, seconds)
            if left is not None:
                words += f", {left:,.0f} s left"
            bar.update(task, description=words)

        yield callback, progress, sized


def time_left(
    done: int,
    elapsed: float,
    points: list[tuple[int, float]],
    iterations: int | None,
    target: float | None,
    seconds: float | None,
) -> float | None:
    """Seconds until the first budget is used up; the exploitability is taken to fall as it did."""
    guesses = []
    pace = elapsed / max(done, 1)
    if iterations is not None:
        guesses.append((iterations - done) * pace)
    if seconds is not None:
        guesses.append(seconds - elapsed)
    if target is not None and len(points) > 4:
        (t0, e0), (t1, e1) = points[len(points) // 2], points[-1]
        if 0 < target < e1 < e0:
            slope = math.log(e0 / e1) / math.log(t1 / t0)
            times = math.log(e1 / target) / slope  # logarithm of how many times the iterations so far it takes
            if times < math.log(_FAR):
                guesses.append((t1 * math.exp(times) - done) * pace)
    return max(min(guesses), 0.0) if guesses else None


def _by_text(row: Row) -> tuple[int, int, str]:
    text = row.text or ""
    return row.player, len(text), text


def _brief(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(_brief, value))
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def text_of(state: str) -> str:
    r"""An information state string as it is typed: ``\n`` for a new line."""
    return state.replace("\\n", "\n")


def words_of(table: PolicyTable) -> Callable[[int, int], str]:
    """How to say an action of the table's game; its number where the game is not known here."""
    try:
        name = str(table.meta.get("game"))
        loaded = load_game(name if name.partition("(")[0] in games.NAMES else OPENSPIEL + name)
        state = loaded.new_initial_state()
    except Exception:
        return lambda _player, action: str(action)

    def words(player: int, action: int) -> str:
        try:
            return f"{state.action_to_string(player, action)} ({action})"
        except Exception:
            return str(action)

    return words


@policy_app.command()
def show(
    file: File,
    rows: Annotated[int, typer.Option(min=0, help="Information states to list.")] = 10,
    player: Annotated[int | None, typer.Option(min=0, help="Only those of this seat.")] = None,
    containing: Annotated[str, typer.Option(help="Only those whose text has this in it.")] = "",
    as_json: AsJson = False,
) -> None:
    """Print what made a policy, and some of its information states.

    \b
    Example:
      solver policy show leduc.policy --rows 5 --player 0
    """
    table = load_table(file)
    if containing and not table.has_text:
        raise ArgumentError("this table keeps no texts, so --containing finds nothing")
    found = (
        row
        for row in table
        if (player is None or row.player == player) and (not containing or containing in (row.text or ""))
    )
    # a large table is listed as it lies in the file, which is without an order that a person would see
    listed = sorted(found, key=_by_text)[:rows] if len(table) <= SORTED else list(islice(found, rows))
    if as_json:
        shown = [
            {
                "text": row.text,
                "key": row.key,
                "player": row.player,
                "actions": dict(zip(row.actions, row.probabilities, strict=True)),
            }
            for row in listed
        ]
        typer.echo(json.dumps({"rows": len(table), "meta": table.meta, "shown": shown}))
        return
    out = console()
    meta = plain_table("", "")
    meta.columns[1].justify = "left"
    meta.show_header = False
    for key, value in ({"information states": f"{len(table):,}"} | table.meta).items():
        meta.add_row(str(key), _brief(value))
    out.print(meta)
    if listed:
        words = words_of(table)
        body = plain_table("information state", "seat", "policy")
        body.columns[2].justify = "left"
        for row in listed:
            shares = zip(row.actions, row.probabilities, strict=True)
            body.add_row(
                repr(row.text)[1:-1] if row.text is not None else f"{row.key:016x}",
                str(row.player),
                "  ".join(f"{words(row.player, a)} {p:.3f}" for a, p in shares),
            )
        out.print()
        out.print(body)


@policy_app.command()
def look(
    file: File,
    state: Annotated[str, typer.Argument(help=r"An information state string; \n stands for a new line.")],
    player: Annotated[int | None, typer.Option(min=0, help="Whose, where two seats have the same string.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the probabilities of the actions at an information state.

    \b
    Example:
      solver policy look leduc.policy 2a:
    """
    table = load_table(file)
    text = text_of(state)
    chances = table.action_probabilities(text, player)
    if as_json:
        typer.echo(json.dumps({"state": text, "actions": chances}))
        return
    number_of_row = table.find(text, player)
    assert number_of_row is not None
    row = table.row(number_of_row)
    words = words_of(table)
    body = plain_table("action", "probability")
    for action, chance in chances.items():
        body.add_row(words(row.player, action), f"{chance:.6f}")
    console().print(body)


@policy_app.command()
def compare(
    first: File,
    second: Annotated[Path, typer.Argument(help="Another one.")],
    rows: Annotated[int, typer.Option(min=0, help="Information states to list.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Print how far two policies differ, and where most.

    \b
    Example:
      solver policy compare leduc.policy other.policy
    """
    one, two = load_table(first), load_table(second)
    found = one.compare(two, most=rows)
    summary = {
        "common": found.common,
        "only in the first": len(found.only_self),
        "only in the second": len(found.only_other),
        "mean total variation": found.mean,
        "greatest": found.max,
    }
    if as_json:
        most = [{"text": d.row.text, "distance": d.distance} for d in found.most]
        typer.echo(json.dumps({k: number(v) for k, v in summary.items()} | {"most": most}))
        return
    out = console()
    for key, value in summary.items():
        out.print(f"{key}: {value:,}" if isinstance(value, int) else f"{key}: {value:.6f}")
    if found.most:
        body = plain_table("information state", "distance", "first", "second")
        for each in found.most:
            a, b = each.row, each.other
            body.add_row(
                repr(a.text)[1:-1] if a.text is not None else f"{a.key:016x}",
                f"{each.distance:.4f}",
                " ".join(f"{p:.3f}" for p in a.probabilities),
                " ".join(f"{p:.3f}" for p in b.probabilities),
            )
        out.print()
        out.print(body)


@policy_app.command()
def export(
    file: File,
    to: Annotated[Path, typer.Argument(help="A name that ends in .json or .parquet.")],
    compact: Annotated[bool, typer.Option(help="Parquet without hashes and packed harder, to publish.")] = False,
) -> None:
    """Write a policy as JSON or Parquet.

    \b
    Example:
      solver policy export leduc.policy leduc.json
    """
    _check_out("the export", to)
    if compact and to.suffix != ".parquet":
        raise ArgumentError("--compact is for Parquet: give a name that ends in .parquet")
    table = load_table(file)
    if to.suffix == ".json":
        table.to_json(to)
    elif to.suffix == ".parquet":
        table.to_parquet(to, compact=compact)
    else:
        raise ArgumentError(f"the name ends in .json or .parquet, not {to.suffix or 'nothing'!r}")
    console().print(f"{len(table):,} information states written to {to}")


@policy_app.command()
def plot(
    file: File,
    out: Annotated[Path | None, typer.Option(help="A .png or .svg; by default FILE with .png.")] = None,
) -> None:
    """Draw a policy of the duel or of kuhn.

    Of the duel how it opens, raises and doubts, as heat maps; of kuhn the tree of its bets.

    \b
    Example:
      solver policy plot kuhn.policy --out kuhn.svg
    """
    to = file.with_suffix(".png") if out is None else out
    _check_out("--out", to)
    policy_plots.draw(load_table(file), to)
    typer.echo(to)
