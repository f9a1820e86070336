"""A person at the terminal against bots: the session behind `solver play`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from solver import ismcts
from solver._core import Rng
from solver.errors import IllegalActionError
from solver.games import scout
from solver.games.scout_notation import row_text, seen_words

__all__ = ["Table", "menu"]

HELP = """\
a number             the action with that number in the list
hint                 what a search of one second finds best
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


class Table:
    """One session: a game, the person's seat, and an agent for every other seat.

    Parameters
    ----------
    game : Game
    seat : int
    bots : sequence
        An agent a seat; what stands at the person's seat is not used.
    seed : int or None
    console : rich.console.Console
    """

    def __init__(self, game: Any, seat: int, bots: Sequence[Any], seed: int | None, console: Console) -> None:
        self.game = game
        self.seat = seat
        self.bots = bots
        self.rng = Rng(seed)
        # hints have a stream of their own, so that asking for one does not change the bots' play
        deal, self.hints = self.rng.spawn(2)
        self.state = game.deal(seed=deal)
        self.console = console
        self.names = [f"seat {q} you" if q == seat else f"seat {q} {bots[q].name}" for q in range(game.num_players())]

    def say(self, text: str = "", style: str | None = None) -> None:
        """Print a line as it is."""
        self.console.print(text, style=style, markup=False)

    def run(self) -> None:
        """Play to the end, or until the person leaves."""
        self.say("? lists what can be typed, q leaves")
        try:
            while not self.state.is_terminal():
                if self.state.current_player() == self.seat:
                    action = self.ask()
                    if action is None:
                        return
                else:
                    bot = self.bots[self.state.current_player()]
                    action = bot.act(self.state.position(self.state.current_player()), self.rng)
                self.step(action)
        except KeyboardInterrupt:
            self.leave()

    def step(self, action: int) -> None:
        """Play an action and say what the table sees of it."""
        before = self.state
        if isinstance(self.game, scout.Game):
            self.tell(action)
            self.state = before.child(action)
            if len(self.state.round_results()) > len(before.round_results()):
                self.tell_round()
            return
        self.state = before.child(action)
        # What this seat saw is written down in its information state: the new part of it is the news.
        seen = self.state.information_state_string(self.seat)[len(before.information_state_string(self.seat)) :]
        for words in seen.split(";")[1:]:
            who, _, what = words.strip().partition(" ")
            if who.isdecimal():
                self.say(f"* {'you:' if int(who) == self.seat else self.names[int(who)]} {what}")
            else:
                self.say(f"* you: {words.strip()}")
        if self.state.is_terminal():
            winner = self.state.winner()
            self.say()
            self.say("A draw." if winner is None else f"The winner: {self.names[winner]}.", style="bold")
            for q, name in enumerate(self.names):
                self.say(f"  {name} owned {self.state.evidence(q)}")

    def tell(self, action: int) -> None:
        """Say what the table sees of an action."""
        mover = self.state.current_player()
        words = seen_words(self.game, self.state, action, others=mover != self.seat)
        if words:
            who = "you" if mover == self.seat else self.names[mover]
            self.say(f"* {who} {words}", style="bold" if mover == self.seat else None)

    def tell_round(self) -> None:
        """Say how a round ended."""
        result = self.state.round_results()[-1]
        reasons = {
            "empty_hand": "a hand is empty",
            "scouted_out": "nobody beat the last Show",
            "max_turns": f"{self.game.max_turns} turns are played",
        }
        self.say()
        self.say(f"The round is over: {reasons[result.reason]}.", style="bold")
        totals = self.state.totals()
        for q, name in enumerate(self.names):
            exempt = "  (loses nothing for the hand)" if q == result.exempt else ""
            total = f"  total {totals[q]:3d}" if self.game.rounds > 1 else ""
            self.say(f"  {name:<24}{result.scores[q]:4d}{total}{exempt}")
        if self.state.is_terminal():
            for q, name in enumerate(self.names):
                if q != self.seat and (hand := self.state.hand(q)):
                    self.say(f"  {name} held {row_text(hand)}", style="dim")
        self.say()

    @staticmethod
    def know(position: Any, typed: str) -> str:
        """The answer to `pile 3` or `odds`."""
        words = typed.split()
        if words[0] == "pile":
            if len(words) == 2 and words[1] in ("0", "1", "2", "3", "4"):
                return f"pile {words[1]}: {position.about_pile(int(words[1]))}"
            return "a pile is 0, 1, 2, 3 or 4, as in: pile 3"
        odds = position.bid_odds()
        rows = [f"{n:2d} {odds[n]:4.0%}" for n in range(31) if 0 < odds[n] < 1]
        return "\n".join("   ".join(rows[i : i + 7]) for i in range(0, len(rows), 7))

    def leave(self) -> None:
        """Say where the game stood, so that it can be looked at again."""
        self.say("\nleft the table at:")
        self.say(str(self.state.position(self.seat)))

    def ask(self) -> int | None:
        """The person's action; None to leave."""
        position = self.state.position(self.seat)
        lines, actions = menu(position)
        self.say()
        self.say(position.pretty(self.names) if isinstance(self.game, scout.Game) else position.pretty())
        self.say()
        for line in lines:
            self.say(line)
        while True:
            try:
                typed = self.console.input("your action> ").strip()
            except EOFError:
                typed = "q"
            if typed.lower() in ("q", "quit", "exit"):
                self.leave()
                return None
            if typed in ("?", "help"):
                self.say(HELP + (SCOUT_HELP if isinstance(self.game, scout.Game) else BAKERSTREET_HELP))
            elif typed.split()[:1] in (["pile"], ["odds"]) and not isinstance(self.game, scout.Game):
                self.say(self.know(position, typed))
            elif typed == "line":
                self.say(str(position))
            elif typed == "hint":
                result = ismcts.search(position, seconds=1.0, seed=self.hints)
                if result.interrupted:
                    raise KeyboardInterrupt
                self.say(f"hint: {result.best_words()}")
            elif typed.isascii() and typed.isdecimal() and len(typed) < 10:
                if 1 <= int(typed) <= len(actions):
                    return int(actions[int(typed) - 1])
                self.say(f"there are {len(actions)} legal actions: a number in 1..{len(actions)}")
            elif typed:
                try:
                    return int(position.parse_action(typed))
                except IllegalActionError as error:
                    self.say(f"not legal: {error}")
