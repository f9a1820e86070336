"""Kuhn poker in plain Python: the smallest game here, to read and to test solvers with.

Kuhn, "A simplified two-person poker" (1950), for n players as in OpenSpiel: n + 1 cards; each player
antes 1 and is dealt one. In turn they pass (0) or bet 1 (1). After a bet each of the others answers
once, with a bet of its own or with a pass, which gives up. The highest card wins the pot: of those who
bet, or of all, where nobody did. With two players the first one's value is -1/18.
"""

from __future__ import annotations

from solver.games import notation
from solver.games._onecard import OneCardGame, OneCardState
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER

__all__ = ["Game", "State", "load"]

PASS, BET = 0, 1


class State(OneCardState):
    """A game in progress: `cards` by seat, and `bets`, what was played so far."""

    words = ("pass", "bet")

    def __init__(self, players: int = 2) -> None:
        super().__init__(players)
        self.bets: tuple[int, ...] = ()

    def current_player(self) -> int:
        """Seat to decide; -1 while cards are dealt, -4 at the end."""
        if len(self.cards) < self.players:
            return CHANCE_PLAYER
        before = self.bets.index(BET) if BET in self.bets else 0  # these act twice
        return TERMINAL_PLAYER if len(self.bets) == self.players + before else len(self.bets) % self.players

    def choices(self) -> list[int]:
        """Pass (0) and bet (1)."""
        return [PASS, BET]

    def play(self, action: int) -> None:
        """Pass or bet."""
        self.bets += (action,)

    def returns(self) -> list[float]:
        """Chips won by each seat; zeros before the end."""
        seats = range(self.players)
        if not self.is_terminal():
            return [0.0 for _ in seats]
        paid = [1.0 + (BET in self.bets[seat :: self.players]) for seat in seats]
        winner = max((seat for seat in seats if paid[seat] == max(paid)), key=self.cards.__getitem__)
        return [(sum(paid) if seat == winner else 0.0) - paid[seat] for seat in seats]

    def information_state_string(self, player: int) -> str:
        """The own card, then the betting: `2pb`."""
        return self.own_card(player) + "".join("pb"[bet] for bet in self.bets)


class Game(OneCardGame):
    """Kuhn poker for 2 to 10 players."""

    name = "kuhn"
    rules_version = "kuhn-1"
    most = 2  # ante and bet

    def new_initial_state(self) -> State:
        """The start, before the deal."""
        return State(self.players)

    def num_distinct_actions(self) -> int:
        """Pass and bet."""
        return 2


def load(text: str) -> Game:
    """The game of a game string such as ``kuhn(players=3)``.

    Raises
    ------
    PositionError
        If the text is another.
    GameOptionError
        If an option is unknown or out of range.
    """
    return Game(**notation.read_options(text, "kuhn", ["players"]))
