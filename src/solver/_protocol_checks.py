"""What solvers hold a game to that its users wrote: nonsense gets a name, and a game without end an end.

A method that raises does so by its own error, which comes through. What a method gives, and is not what
`solver.protocol` asks for, fails somewhere in our lines, with a Python error that says little: `names_nonsense`
around a solver's door makes a `GameError` of it. Looked at by themselves is what would not fail but give a
wrong answer: chances and pay-offs.
"""

from __future__ import annotations

import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, ParamSpec, TypeVar

from solver._core import whole_in
from solver.errors import GameError, SolverError

__all__ = ["LONGEST", "checked_outcomes", "checked_players", "checked_returns", "endless", "listed", "names_nonsense"]

LONGEST = 100_000  # moves of one line of play; a game that goes on is taken to have no end
_MOST_PLAYERS = 127
_MOST = 1 << 20  # actions or outcomes at one node
_TOLERANCE = 1e-9  # of the sum of the chances
_SHOWN = 200  # characters of what a game says

_P = ParamSpec("_P")
_R = TypeVar("_R")


def names_nonsense(door: Callable[_P, _R]) -> Callable[_P, _R]:
    """A door whose first argument is a game, or of one: a Python error by what the game says is a `GameError`.

    Errors that a user's code raises come through, and so do those met in games of ours.
    """
    name = next(iter(inspect.signature(door).parameters))

    @functools.wraps(door)
    def guarded(*args: _P.args, **options: _P.kwargs) -> _R:
        try:
            return door(*args, **options)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            first = type(args[0] if args else options.get(name))
            if isinstance(error, SolverError) or _of_ours(first) or not _met_in_ours(error):
                raise
            raise GameError(
                f"{first.__module__}.{first.__qualname__} says what solver.protocol does not ask for: "
                f"{type(error).__name__}: {_brief(error)}"
            ) from error

    return guarded


def _of_ours(kind: type) -> bool:
    return kind is str or kind.__module__.split(".")[0] == "solver"


def _met_in_ours(error: BaseException) -> bool:
    """Whether an error came up in our own lines, not in a user's that they call."""
    # the first is that of the door: without a second the door was called with arguments that it does not take
    frame = error.__traceback__.tb_next if error.__traceback__ is not None else None
    ours = False
    while frame is not None:
        room = str(frame.tb_frame.f_globals.get("__name__", "")).split(".")[0]
        if room == "solver":
            ours = True
        elif room != "numpy" and room not in sys.stdlib_module_names:
            ours = False
        frame = frame.tb_next
    return ours


def _brief(value: Any) -> str:
    text = str(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def endless(game: Any) -> GameError:
    """The error of a game whose line of play goes on for `LONGEST` moves."""
    return GameError(f"{_brief(game)}: a line of play goes on for {LONGEST:,} moves; a game has an end")


def listed(items: Iterable[Any], what: str) -> list[Any]:
    """A list of what a game gives one by one, of a length that a node may have."""
    result = list(islice(items, _MOST + 1))
    if len(result) > _MOST:
        raise GameError(f"{what}: more than {_MOST:,} at one node")
    return result


def checked_outcomes(outcomes: Iterable[Any]) -> list[tuple[Any, float]]:
    """The outcomes of a chance node.

    Raises
    ------
    GameError
        If they are not pairs of an outcome and a probability, or these are negative or do not sum to 1.
    """
    try:
        result = [(outcome, float(probability)) for outcome, probability in listed(outcomes, "chance outcomes")]
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, SolverError):
            raise
        raise GameError(f"chance outcomes are pairs of an outcome and a probability, not {_brief(outcomes)}") from error
    total = math.fsum(probability for _, probability in result)
    if not abs(total - 1) <= _TOLERANCE or min(probability for _, probability in result) < 0:
        raise GameError(f"chance probabilities are at least 0 and sum to 1, not to {total}: {_brief(result)}")
    return result


def checked_players(game: Any, error: type[SolverError] = GameError) -> int:
    """How many play a game.

    Raises
    ------
    GameError or `error`
        If it is no whole number in 1..127.
    """
    said = game.num_players()
    number: int | None = whole_in(said, 1, _MOST_PLAYERS)
    if number is None:
        raise error(f"a game has 1 to {_MOST_PLAYERS} players, not {_brief(repr(said))}")
    return number


def checked_returns(returns: Sequence[Any], players: int | None = None) -> list[float]:
    """The pay-offs of an end.

    Raises
    ------
    GameError
        If they are not as many finite numbers as players (one or more, where `players` is not known).
    """
    try:
        result = [float(value) for value in returns]
    except (TypeError, ValueError, OverflowError):
        result = []
    if not result or len(result) != (players or len(result)) or not all(map(math.isfinite, result)):
        wanted = "a finite number for each seat is" if players is None else f"{players} finite numbers are"
        raise GameError(f"an end pays {_brief(returns)}: {wanted} needed")
    return result
