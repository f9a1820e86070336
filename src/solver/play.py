"""A person at the terminal against bots: the session behind `solver play`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from solver import agents
from solver._core import Rng
from solver.asking import ask
from solver.games import scout
from solver.games.scout_notation import row_text, seen_words

__all__ = ["Table"]


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
                    action = bot.act(agents.seen(bot, self.game, self.state), self.rng)
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

    def leave(self) -> None:
        """Say where the game stood, so that it can be looked at again."""
        self.say("\nleft the table at:")
        self.say(str(self.state.position(self.seat)))

    def ask(self) -> int | None:
        """The person's action; None to leave."""
        action = ask(self.state.position(self.seat), self.say, self.console.input, self.hints, self.names)
        if action is None:
            self.leave()
        return action
