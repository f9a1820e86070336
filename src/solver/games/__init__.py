"""The games, by name."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from solver.errors import PositionError
from solver.games import bakerstreet, bidding_round, duel, kuhn, leduc, notation, scout

__all__ = ["NAMES", "load", "parse"]

_MODULES: dict[str, ModuleType] = {
    "scout": scout,
    "bakerstreet": bakerstreet,
    "duel": duel,
    "bidding_round": bidding_round,
    "kuhn": kuhn,
    "leduc": leduc,
}
NAMES = tuple(_MODULES)


def _module(text: str) -> ModuleType:
    """The module of the game that a text begins with."""
    notation.check_length(text)
    name, _, _ = notation.read_game(text)
    if name not in _MODULES:
        raise PositionError(f"there is no game {name!r}; the games are {', '.join(NAMES)}", 1)
    return _MODULES[name]


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
    return _module(text).load(text)


def parse(text: str) -> Any:
    """The position of a line of text, whichever game it is of.

    Raises
    ------
    PositionError
        If the line cannot be read, the game has no positions, or no deal and play can lead to what
        it says.
    """
    module = _module(text)
    if not hasattr(module, "parse"):
        raise PositionError(f"{module.__name__.rpartition('.')[2]} has no positions in text", 1)
    return module.parse(text)
