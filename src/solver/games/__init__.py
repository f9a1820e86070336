"""The games, by name."""

from __future__ import annotations

from typing import Any

from solver.errors import PositionError
from solver.games import notation, scout

__all__ = ["NAMES", "load", "parse"]

NAMES = ("scout",)


def load(text: str) -> Any:
    """The game of a game string such as ``scout(players=4,rounds=match)``.

    Parameters
    ----------
    text : str
        A name, and options in parentheses; options left out are default.

    Returns
    -------
    Game

    Raises
    ------
    PositionError
        If the text is no game string, or there is no such game.
    GameOptionError
        If an option is unknown or out of range.

    Examples
    --------
    >>> load("scout(players=3)").hand_size
    12
    """
    notation.check_length(text)
    name, _, _ = notation.read_game(text)
    if name != "scout":
        raise PositionError(f"there is no game {name!r}; the games are {', '.join(NAMES)}", 1)
    return scout.load(text)


def parse(text: str) -> Any:
    """The position of a line of text, whichever game it is of.

    Raises
    ------
    PositionError
        If the line cannot be read, or no deal and play can lead to what it says.
    """
    notation.check_length(text)
    name, _, _ = notation.read_game(text)
    if name != "scout":
        raise PositionError(f"there is no game {name!r}; the games are {', '.join(NAMES)}", 1)
    return scout.parse(text)
