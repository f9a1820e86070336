"""The command `solver`: deal, best, play, bench; the other modules called `cli_...` add theirs.

Every command has `--help` with an example; where it prints data, `--json` prints it for machines. What goes
to a file or a pipe has no colours or styles, and with NO_COLOR set there is no colour anywhere. Exit
status 0, or 2 for bad input, with one line on standard error.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from solver import agents, cli_arena, cli_experiment, cli_solve, games, ismcts
from solver._version import __version__
from solver.console import (
    AGENTS,
    AsJson,
    GameText,
    Seed,
    choices,
    console,
    plain_table,
    seed_or_new,
    terminal_progress,
    with_players,
)
from solver.errors import ArgumentError, SolverError
from solver.games import scout

__all__ = ["app", "main"]

app = typer.Typer(
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Players = Annotated[int | None, typer.Option(help="Number of players, 2 to 5.")]


def _game(text: str, players: int | None) -> Any:
    """A game by its string; --players is an option of it like any other."""
    loaded = games.load(with_players(text, players))
    if not hasattr(loaded, "deal"):
        raise ArgumentError(f"{loaded} has no positions in text")
    return loaded


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"cardsolver {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Best play and research for card games with hidden information.

    `solver COMMAND --help` tells more of a command.

    \b
    Example:
      solver deal scout --players 3 --kept | head -1 | solver best -
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@app.command()
def deal(
    game: GameText,
    players: Players = None,
    seed: Seed = None,
    kept: Annotated[bool, typer.Option("--kept", help="Everybody keeps the hand: the starter is to move.")] = False,
    as_json: AsJson = False,
) -> None:
    """Deal a game, print each seat's position.

    Each line is what that seat knows, in scout when it decides whether to keep or turn its hand; give
    one to `solver best`.

    \b
    Example:
      solver deal scout --players 4 --seed 7
    """
    loaded = _game(game, players)
    seed = seed_or_new(seed)
    state = loaded.deal(seed=seed)
    seats = range(loaded.num_players())
    chooses = isinstance(loaded, scout.Game)
    if kept and not chooses:
        raise ArgumentError("--kept is for scout, where hands are kept or turned")
    if kept:
        for _ in seats:
            state.apply_action(loaded.keep)
    lines = []
    for seat in seats:
        lines.append(str(state.position(seat)))
        if chooses and not kept and seat + 1 < len(seats):
            # the next seat's turn to choose; it does not see this choice
            state.apply_action(loaded.keep)
    if as_json:
        typer.echo(json.dumps({"game": str(loaded), "seed": seed, "positions": lines}))
        return
    for line in lines:
        typer.echo(line)


@app.command()
def best(
    position: Annotated[str, typer.Argument(help="A position in one line, or - to read lines from standard input.")],
    seconds: Annotated[float | None, typer.Option(help="Budget in seconds (default 1).")] = None,
    iterations: Annotated[int | None, typer.Option(help="Budget in iterations.")] = None,
    threads: Annotated[int, typer.Option(help="Trees grown at once.")] = 1,
    seed: Seed = None,
    payoff: Annotated[
        str | None,
        typer.Option(help="What is maximised: margin, score or win.", autocompletion=choices("margin", "score", "win")),
    ] = None,
    exploration: Annotated[float | None, typer.Option(help="Weight of the exploration term.")] = None,
    rollout: Annotated[
        str | None,
        typer.Option(help="Who plays on from the tree: random or policy.", autocompletion=choices("random", "policy")),
    ] = None,
    opponents: Annotated[
        str | None,
        typer.Option(help="How the others move in the tree: tree or policy.", autocompletion=choices("tree", "policy")),
    ] = None,
    horizon: Annotated[
        int | None, typer.Option(help="Rounds (SCOUT: turns) of a policy rollout; -1: to the end.")
    ] = None,
    widening: Annotated[int | None, typer.Option(help="Best-looking actions tried first; 0: all.")] = None,
    depth: Annotated[int | None, typer.Option(help="Own decisions in the tree; 0: no bound.")] = None,
    root: Annotated[
        str | None,
        typer.Option(help="How the budget is shared out: ucb or halving.", autocompletion=choices("ucb", "halving")),
    ] = None,
    selection: Annotated[
        str | None, typer.Option(help="By which bound: ucb or puct.", autocompletion=choices("ucb", "puct"))
    ] = None,
    temperature: Annotated[float | None, typer.Option(help="Of puct's priors, in points.")] = None,
    first_play: Annotated[
        float | None, typer.Option(help="An untried action counts so many deviations above the mean of those tried.")
    ] = None,
    trees: Annotated[
        str | None,
        typer.Option(
            help="One tree of what the seat sees, or one for each seat: single or multiple.",
            autocompletion=choices("single", "multiple"),
        ),
    ] = None,
    redeal: Annotated[
        str | None,
        typer.Option(
            help="Whether opponents learn from cards dealt anew: none or opponents.",
            autocompletion=choices("none", "opponents"),
        ),
    ] = None,
    epsilon: Annotated[float | None, typer.Option(help="Chance of any legal action where a policy moves.")] = None,
    own: Annotated[
        str | None,
        typer.Option(
            help="How the own seat plays in rollouts: policy or learnt (SCOUT).",
            autocompletion=choices("policy", "learnt"),
        ),
    ] = None,
    bias: Annotated[
        float | None, typer.Option(help="Under halving a score below the best counts so much against an action, once.")
    ] = None,
    belief: Annotated[
        str | None,
        typer.Option(
            help="How the others play: uniform or worth (Baker Street), play (SCOUT).",
            autocompletion=choices("uniform", "worth", "play"),
        ),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="Actions to list.")] = 12,
    why: Annotated[bool, typer.Option("--why", help="Say in words why it is best.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print the best play of a position.

    Below it stands the table of candidate actions. Value is the mean pay-off of the seat to move: by
    default its score minus the mean of the others'. Actions with few visits were dropped early: their
    values are rough. --why adds what the best play rests on: chances counted over deals that fit what the
    seat knows. Ctrl-C ends the search and prints what it has. From standard input, blank lines
    and lines that begin with # are passed over.

    \b
    Examples:
      solver best 'bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 9'
      solver deal scout --seed 7 --kept | head -1 | solver best - --why
    """
    found = failed = 0
    for number, line in _lines(position):
        try:
            parsed = games.parse(line)
            if not hasattr(parsed, "search_root"):
                raise ArgumentError("this game cannot be searched yet")
            with _progress("searching", seconds or 1.0) as report:
                result = ismcts.search(
                    parsed,
                    iterations=iterations,
                    seconds=seconds,
                    threads=threads,
                    seed=seed_or_new(seed),
                    payoff=payoff,
                    exploration=exploration,
                    rollout=rollout,
                    opponents=opponents,
                    horizon=horizon,
                    widening=widening,
                    depth=depth,
                    root=root,
                    selection=selection,
                    temperature=temperature,
                    first_play=first_play,
                    trees=trees,
                    redeal=redeal,
                    epsilon=epsilon,
                    own=own,
                    bias=bias,
                    belief=belief,
                    progress=report,
                )
        except SolverError as error:
            if number == 0:
                raise
            # one bad line of many: say which, go on with the others
            failed += 1
            _complain(f"line {number}: {error}")
            continue
        if as_json:
            data = result.to_dict()
            if why:
                data["why"] = result.explanation().to_dict()
            typer.echo(json.dumps(data))
        else:
            if found:
                typer.echo()
            _print_result(parsed, result, rows, why)
        found += 1
        if result.interrupted:
            break
    if failed:
        raise typer.Exit(2)
    if not found:
        raise ArgumentError("no position: standard input was empty")


def _lines(position: str) -> Iterator[tuple[int, str]]:
    """The argument itself as line 0, or the lines of standard input from 1, without blank lines and comments."""
    if position != "-":
        yield 0, position
        return
    if sys.stdin is None:
        raise ArgumentError("there is no standard input to read positions from")
    for number, line in enumerate(sys.stdin, 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


@contextmanager
def _progress(words: str, seconds: float) -> Iterator[Callable[[float], None] | None]:
    """A bar on standard error for work of a second or more, on a terminal only."""
    if seconds < 1:
        yield None
        return
    with terminal_progress(TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()) as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task(words, total=1.0)
        yield lambda share: bar.update(task, completed=share)


def result_table(result: ismcts.Result, rows: int) -> Table:
    """The candidate actions as a table."""
    table = plain_table("action", "visits", "value", "stderr")
    for words, visits, value, stderr in result.rows(rows):
        table.add_row(
            words,
            f"{visits:,}",
            "-" if math.isnan(value) else f"{value:+.3f}",
            "-" if math.isnan(stderr) else f"{stderr:.3f}",
        )
    return table


def _print_result(position: Any, result: ismcts.Result, rows: int, why: bool) -> None:
    out = console()
    out.print(position.pretty())
    out.print()
    out.print(result_table(result, rows))
    if len(result.actions) > rows:
        out.print(f"... and {len(result.actions) - rows} more actions")
    if result.untried:
        out.print(f"{result.untried} actions were not tried within this budget")
    out.print()
    out.print(f"best play: {result.best_words()}", style="bold")
    if why:
        for line in result.explanation().lines(heading=False):
            out.print(line)
        out.print()
    note = " (interrupted)" if result.interrupted else ""
    out.print(
        f"{result.iterations:,} iterations in {result.seconds:.2f} s{note}, seed {result.settings['seed']}",
        style="dim",
    )


@app.command()
def play(
    game: GameText,
    players: Players = None,
    seat: Annotated[int, typer.Option(help="Your seat; seat 0 starts.")] = 0,
    bots: Annotated[
        str,
        typer.Option(
            help=f"One for all or one each, by commas: {agents.NAMES}. Searches take options: ismcts:2000,root=ucb.",
            autocompletion=AGENTS,
        ),
    ] = "ismcts:0.5s",
    seed: Seed = None,
) -> None:
    """Play at the terminal against bots: scout or bakerstreet.

    Type the number of an action or its words; ? lists what else can be typed.

    \b
    Example:
      solver play scout --players 3 --seat 0 --bots greedy
    """
    from solver.play import Table as PlayTable

    loaded = _game(game, players)
    n = loaded.num_players()
    if not 0 <= seat < n:
        raise ArgumentError(f"--seat: a seat lies in 0..{n - 1}, not {seat}")
    names = agents.split(bots)
    if len(names) not in (1, n - 1):
        raise ArgumentError(f"--bots: one for all or {n - 1}, separated by commas, not {len(names)}")
    if len(names) == 1:
        names = names * (n - 1)
    others: list[Any] = [agents.make(name) for name in names]
    for bot in others:
        if callable(getattr(bot, "check_game", None)):
            bot.check_game(loaded)
    others.insert(seat, None)
    PlayTable(loaded, seat, others, seed_or_new(seed), console()).run()


def bench(
    quick: Annotated[bool, typer.Option("--quick", help="A tenth of the work.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure the speed on this machine.

    \b
    Example:
      solver bench --quick
    """
    from solver.bench import measure

    rows = measure(0.1 if quick else 1.0)
    if as_json:
        typer.echo(json.dumps([row._asdict() for row in rows]))
        return
    table = plain_table("what", "rate", "unit")
    for row in rows:
        table.add_row(row.what, f"{row.rate:,.0f}", row.unit)
    console().print(table)


app.command()(cli_arena.arena)
app.command()(cli_solve.solve)
app.add_typer(cli_solve.policy_app, name="policy")
app.add_typer(cli_experiment.experiment_app, name="experiment")
app.command()(bench)


def main() -> None:
    """Run the command; bad input ends it with one line on standard error and status 2."""
    if "_SOLVER_COMPLETE" in os.environ:
        os.environ["COLUMNS"] = "1000"  # a shell would take each line of a help text for a choice
    try:
        status = app(prog_name="solver", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        status = 130
    except FileNotFoundError as error:
        status = _complain(f"there is no file {error.filename}")
    except OSError as error:
        if error.filename is not None:
            status = _complain(f"cannot read or write {error.filename}: {error.strerror}")
        else:
            # Nobody reads what we print, or the disk is full: the interpreter is not to try again at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            status = 1
            if not isinstance(error, BrokenPipeError):
                _complain(f"cannot write: {error}")
    except SolverError as error:
        status = _complain(str(error))
    except Exception as error:
        # Usage errors: typer brings its parser's classes, under a name that changes with its version.
        if not hasattr(error, "format_message"):
            raise
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "solver"
        status = _complain(f"{error.format_message()} (see {path} --help)")
    sys.exit(status)


def _complain(message: str) -> int:
    """One line on standard error."""
    print("solver:", " ".join(message.split()), file=sys.stderr)  # noqa: T201
    return 2


if __name__ == "__main__":
    main()
