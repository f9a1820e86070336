"""What the rooms of `solver.explain` share: figures in words, and what a game has to tell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

__all__ = ["Told", "cards", "listing", "percent", "seat_words"]


class Told(NamedTuple):
    """What a game tells of a play.

    Attributes
    ----------
    sentences : list of str
    facts : dict
        The same as plain data.
    """

    sentences: list[str]
    facts: dict[str, Any]


def percent(share: float) -> str:
    """A chance in whole per cent; what is not 0 is not called so, nor what is not 1."""
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")


def listing(parts: Sequence[str]) -> str:
    """Parts in a row: "a, b and c"."""
    return ", ".join(parts[:-1]) + (" and " if len(parts) > 1 else "") + parts[-1]


def cards(n: int) -> str:
    """A number of cards."""
    return "no card" if n == 0 else f"{n} card{'s' * (n > 1)}"


def seat_words(seat: int, me: int, players: int) -> str:
    """What a seat is called."""
    return "you" if seat == me else "the rival" if players == 2 else f"seat {seat}"
