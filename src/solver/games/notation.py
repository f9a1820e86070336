"""Text of games and positions: what the notations of all games share.

A position is one line: the game with its options, then sections between `|`, each a keyword and
its arguments::

    scout(players=4) | hand 3/7 4/1 | table 5/6 5/1 by 2

This module cuts such a line into tokens that know their column; the modules `*_notation` give the
sections of a game their meaning.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from solver._core import whole
from solver.errors import GameOptionError, PositionError

__all__ = [
    "MAX_TEXT",
    "Section",
    "Token",
    "check_length",
    "format_game",
    "hint",
    "read_game",
    "read_line",
    "read_options",
    "unknown_option",
    "whole_option",
]

MAX_TEXT = 4000  # characters; the longest position that a game can print has about 900

_TOKEN = re.compile(r"[^\s,|]+")
_NAME = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*")
_OPTION = re.compile(r"\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*([A-Za-z0-9_/+.-]+)\s*")
_INT = re.compile(r"-?[0-9]{1,9}", re.ASCII)


@dataclass(frozen=True)
class Token:
    """A word of a line and its 1-based column."""

    text: str
    column: int

    def fail(self, message: str) -> NoReturn:
        """Raise a `PositionError` at this word."""
        raise PositionError(f"{self.text}: {message}", self.column)

    def integer(self, what: str, low: int, high: int) -> int:
        """The word as an int within low..high."""
        if not _INT.fullmatch(self.text):
            self.fail(f"{what} must be a whole number in {low}..{high}")
        number = int(self.text)
        if not low <= number <= high:
            self.fail(f"{what} must lie in {low}..{high}")
        return number


@dataclass(frozen=True)
class Section:
    """A keyword and its arguments."""

    keyword: Token
    arguments: tuple[Token, ...]

    def fail(self, message: str) -> NoReturn:
        """Raise a `PositionError` at the keyword."""
        self.keyword.fail(message)

    def integers(self, what: str, count: int, low: int, high: int) -> list[int]:
        """Exactly `count` ints within low..high."""
        if len(self.arguments) != count:
            numbers = "one number is" if count == 1 else f"{count} numbers are"
            self.fail(f"{numbers} needed ({what}), not {len(self.arguments)}")
        return [argument.integer(what, low, high) for argument in self.arguments]


def read_game(text: str) -> tuple[str, dict[str, int | bool | str], int]:
    """Read a game string such as ``scout(players=4,rounds=match)`` at the start of a text.

    Parameters
    ----------
    text : str
        The game string; anything may follow it.

    Returns
    -------
    name : str
    options : dict
        Values as int, bool (``true``, ``false``) or str.
    end : int
        Number of characters read.

    Raises
    ------
    PositionError
        If the text does not begin with a game string, or an option stands twice.
    """
    name = _NAME.match(text)
    if not name:
        raise PositionError("a game is needed first, such as scout(players=4)", 1)
    options: dict[str, int | bool | str] = {}
    end = name.end()
    if end == len(text) or text[end] != "(":
        return name[1].lower(), options, len(text[:end].rstrip())
    end += 1
    while True:
        if not options and (blank := re.compile(r"\s*\)").match(text, end)):
            return name[1].lower(), options, blank.end()
        option = _OPTION.match(text, end)
        if not option:
            raise PositionError("an option is needed here, such as players=4", end + 1)
        key, value = option[1], option[2]
        if key in options:
            raise PositionError(f"option {key} stands here a second time", end + 1)
        if value in ("true", "false"):
            options[key] = value == "true"
        else:
            options[key] = int(value) if _INT.fullmatch(value) else value
        end = option.end()
        if end == len(text) or text[end] not in ",)":
            raise PositionError("after an option, a comma or a closing parenthesis is needed", end + 1)
        end += 1
        if text[end - 1] == ")":
            return name[1].lower(), options, end


def read_options(text: str, game: str, known: list[str]) -> dict[str, Any]:
    """The options of a game string, which must be all of the text and of this game.

    Parameters
    ----------
    text : str
    game : str
        The game's name.
    known : list of str
        The names of its options.

    Raises
    ------
    PositionError
        If the text is no game string, is of another game, or something follows it.
    GameOptionError
        If the game has no such option.
    """
    check_length(text)
    name, options, end = read_game(text)
    if name != game:
        raise PositionError(f"this is the game {game}, not {name}", 1)
    if text[end:].strip():
        raise PositionError("nothing may follow the game string", end + 1)
    for key in options:
        if key not in known:
            raise unknown_option(game, key, known)
    return options


def format_game(name: str, options: dict[str, object]) -> str:
    """The game string that `read_game` reads back, options in the order given."""
    words = []
    for key, value in options.items():
        words.append(f"{key}={str(value).lower() if isinstance(value, bool) else value}")
    return f"{name}({','.join(words)})" if words else name


def read_line(text: str, start: int) -> list[Section]:
    """Cut what follows the game string into sections.

    Parameters
    ----------
    text : str
        The whole line (columns count from its start).
    start : int
        Where the game string ended.

    Raises
    ------
    PositionError
        If something else than ``|`` follows the game string, or a section is empty.
    """
    rest = text[start:]
    if not rest.strip():
        return []
    if rest.lstrip()[0] != "|":
        raise PositionError("| is needed between the game and its first section", start + 1)
    sections = []
    at = text.index("|", start) + 1
    for part in text[at:].split("|"):
        words = [Token(word[0], at + word.start() + 1) for word in _TOKEN.finditer(part)]
        if not words:
            raise PositionError("an empty section: a keyword is needed between two |", at + 1)
        sections.append(Section(Token(words[0].text.lower(), words[0].column), tuple(words[1:])))
        at += len(part) + 1
    return sections


def check_length(text: str) -> None:
    """Refuse what is no text or too long to be a position.

    Raises
    ------
    PositionError
        If `text` is no str or has more than `MAX_TEXT` characters.
    """
    if not isinstance(text, str):
        raise PositionError(f"a position is a line of text, not {type(text).__name__}")
    if len(text) > MAX_TEXT:
        raise PositionError(f"a position has at most {MAX_TEXT} characters, not {len(text)}", MAX_TEXT + 1)


def hint(word: str, known: Iterable[str]) -> str:
    """A question for the end of a message, where a known word is close."""
    close = difflib.get_close_matches(word.lower(), known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def unknown_option(game: str, key: str, known: list[str]) -> GameOptionError:
    """The error for an option that a game does not have."""
    return GameOptionError(f"{game} has no option {key!r}; it has {', '.join(known)}{hint(key, known)}")


def whole_option(name: str, value: object, low: int, high: int) -> int:
    """An option that is a whole number within its range.

    Raises
    ------
    GameOptionError
        If it is none.
    """
    result = whole(value)
    if result is None:
        raise GameOptionError(f"{name} must be a whole number in {low}..{high}, not {value!r}")
    if not low <= result <= high:
        raise GameOptionError(f"{name} must lie in {low}..{high}, not {value}")
    return result
