"""How a person is asked for an action: the list to choose from, and what may be typed.

Used by the session behind `solver play` and by the agent `human`. Where it is printed and what is typed are
the caller's: `say` and `read`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solver import ismcts
from solver._core import Rng
from solver.errors import IllegalActionError
from solver.games import bakerstreet, scout

__all__ = ["ask", "menu"]

HELP = """\
a number             the action with that number in the list
hint                 what a search of one second finds best
why                  the same, and why
line                 this position as a line for `solver best`
q                    leave
"""
SCOUT_HELP = """\
show 4-4-4           the same in words; also: show 4 4 4, show 4-4 at 2
scout left 3 turned  take the left card to place 3, turned
scout & show right 0 the first half of a Scout & Show"""
BAKERSTREET_HELP = """\
place 5 on 3         the action in words, as in the list
pile 3               what you know about the letters of pile 3
odds                 the chance that the six hand cards reach each bid"""

_PLACES_A_LINE = 12


def menu(position: Any) -> tuple[list[str], list[int]]:
    """The legal actions as lines to print, and their ids by number (the first is number 1).

    SCOUT's scouting moves stand in a grid, place by side, since there may be hundreds; all other
    actions are listed one by one.
    """
    game = position.game
    actions = position.legal_actions()
    numbers = {action: i + 1 for i, action in enumerate(actions)}
    lines: list[str] = []
    words = [
        f"{numbers[a]:3d} {position.action_to_string(a)}" for a in actions if not game.decode(a)[0].startswith("scout")
    ]
    width = max(map(len, words), default=0) + 2
    columns = max(1, 78 // width)
    for i in range(0, len(words), columns):
        lines.append("".join(f"{word:<{width}}" for word in words[i : i + columns]).rstrip())
    if not isinstance(game, scout.Game):
        return lines, actions
    table = position.active_set
    for kind, title in (("scout", "scout"), ("scout_and_show", "scout & show")):
        for end in (0, 1):
            places: dict[tuple[int, bool], int] = {}
            for action in actions:
                what, *rest = game.decode(action)
                if what == kind and rest[0] == end:
                    places[rest[1], rest[2]] = numbers[action]
            if places:
                lines += _grid(f"{title} {table[-end][0]} ({('left', 'right')[end]})", table[-end], places)
    return lines, actions


def _grid(title: str, card: tuple[int, int], places: dict[tuple[int, bool], int]) -> list[str]:
    """Numbers of scouting moves: a column for each place, a row for each side."""
    last = max(place for place, _ in places)
    lines = [title]
    for at in range(0, last + 1, _PLACES_A_LINE):
        columns = range(at, min(last + 1, at + _PLACES_A_LINE))
        lines.append("    to place     " + "".join(f"{place:5d}" for place in columns))
        for turned in (False, True):
            if any((place, turned) in places for place in columns):
                label = f"    {'turned to' if turned else 'as'} {card[turned]}"
                cells = (places.get((place, turned)) for place in columns)
                lines.append(f"{label:<17}" + "".join("    ." if n is None else f"{n:5d}" for n in cells))
    return lines


def ask(
    position: Any,
    say: Callable[[str], None],
    read: Callable[[str], str],
    hints: Rng,
    names: list[str] | None = None,
) -> int | None:
    """Show a position and ask until a legal action is typed.

    Parameters
    ----------
    position : Position or agents.View
    say : callable
        Prints a line.
    read : callable
        Takes a prompt, returns a line; EOFError at the end of the input.
    hints : Rng
        Chance of the hints.
    names : list of str, optional
        Of the seats, for SCOUT.

    Returns
    -------
    int or None
        The action; None if the person leaves.

    Raises
    ------
    KeyboardInterrupt
        If a hint was broken off.
    """
    ours = isinstance(position, (scout.Position, bakerstreet.Position))
    is_scout = isinstance(position, scout.Position)
    lines, actions = menu(position) if ours else _plain_menu(position)
    say("")
    say(position.pretty(names) if is_scout else position.pretty() if ours else str(position))
    say("")
    for line in lines:
        say(line)
    while True:
        try:
            typed = read("your action> ").strip()
        except EOFError:
            typed = "q"
        if typed.lower() in ("q", "quit", "exit"):
            return None
        if typed in ("?", "help"):
            say(HELP + (SCOUT_HELP if is_scout else BAKERSTREET_HELP if ours else ""))
        elif typed.split()[:1] in (["pile"], ["odds"]) and ours and not is_scout:
            say(_know(position, typed))
        elif typed == "line":
            say(str(position))
        elif typed in ("hint", "why"):
            search = position.search if not ours else lambda **options: ismcts.search(position, **options)
            result = search(seconds=1.0, seed=hints)
            if result.interrupted:
                raise KeyboardInterrupt
            say(f"hint: {result.best_words()}" if typed == "hint" else result.explain())
        elif typed.isascii() and typed.isdecimal() and len(typed) < 10:
            if 1 <= int(typed) <= len(actions):
                return int(actions[int(typed) - 1])
            say(f"there are {len(actions)} legal actions: a number in 1..{len(actions)}")
        elif typed:
            try:
                return int(position.parse_action(typed) if ours else _read(position, actions, typed))
            except IllegalActionError as error:
                say(f"not legal: {error}")


def _plain_menu(view: Any) -> tuple[list[str], list[int]]:
    """The legal actions of a game without positions, one a line."""
    actions = view.legal_actions()
    return [f"{i:3d} {view.action_to_string(action)}" for i, action in enumerate(actions, 1)], actions


def _read(view: Any, actions: list[int], typed: str) -> int:
    """The action that is called so."""
    found = [action for action in actions if view.action_to_string(action).lower() == typed.lower()]
    if len(found) != 1:
        raise IllegalActionError(f"{typed[:80]!r} means no action here: type its number")
    return found[0]


def _know(position: Any, typed: str) -> str:
    """The answer to `pile 3` or `odds`."""
    words = typed.split()
    if words[0] == "pile":
        if len(words) == 2 and words[1] in ("0", "1", "2", "3", "4"):
            return f"pile {words[1]}: {position.about_pile(int(words[1]))}"
        return "a pile is 0, 1, 2, 3 or 4, as in: pile 3"
    odds = position.bid_odds()
    rows = [f"{n:2d} {odds[n]:4.0%}" for n in range(31) if 0 < odds[n] < 1]
    return "\n".join("   ".join(rows[i : i + 7]) for i in range(0, len(rows), 7))
