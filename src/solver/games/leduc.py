"""Leduc hold'em in plain Python: a small poker with a common card, to read and to measure solvers with.

Southey et al., "Bayes' bluff" (UAI 2005), for n players as in OpenSpiel: n + 1 ranks in two suits; each
player antes 1 and is dealt one card. Two rounds of betting, a common card between them; a round has at
most two raises, of 2 in the first and of 4 in the second. A pair with the common card wins, else the
higher rank; equal hands split the pot. With two players the first one's value is -0.085606.
"""

from __future__ import annotations

from solver.games import notation
from solver.games._onecard import OneCardGame, OneCardState
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER

__all__ = ["Game", "State", "load"]

FOLD, CALL, RAISE = 0, 1, 2


class State(OneCardState):
    """A game in progress. Card 2 r + s is of rank r and suit s; the suit counts for nothing."""

    suits = 2
    words = ("fold", "call", "raise")

    def __init__(self, players: int = 2) -> None:
        super().__init__(players)
        self.turn = CHANCE_PLAYER  # who decides
        self.paid = (1,) * players
        self.live = tuple(range(players))  # seats that have not folded
        self.raises = 0  # in this round
        self.waiting = 0  # how many seats are still to act in this round, if none raises
        self.seen = ":"  # what everybody saw

    def current_player(self) -> int:
        """Seat to decide; -1 where a card is to be dealt, -4 at the end."""
        return self.turn

    def choices(self) -> list[int]:
        """Fold (0) if there is something to pay, call (1), raise (2) up to twice a round."""
        owes = self.paid[self.turn] < max(self.paid)
        return [FOLD] * owes + [CALL] + [RAISE] * (self.raises < 2)

    def deal(self, card: int) -> None:
        """Deal a card; after the last private one and after the common one a round begins."""
        super().deal(card)
        if len(self.cards) > self.players:
            self.seen += f"/{self.card_name(card)}:"
        if len(self.cards) >= self.players:
            self.turn, self.waiting, self.raises = self.live[0], len(self.live), 0

    def play(self, action: int) -> None:
        """Fold, call or raise."""
        seat, second = self.turn, len(self.cards) > self.players
        self.seen += "fcr"[action]
        self.waiting -= 1
        if action == FOLD:
            self.live = tuple(other for other in self.live if other != seat)
        else:
            stake = max(self.paid)
            if action == RAISE:  # the others must act again
                stake += 4 if second else 2
                self.raises += 1
                self.waiting = len(self.live) - 1
            self.paid = (*self.paid[:seat], stake, *self.paid[seat + 1 :])
        if len(self.live) == 1 or (second and not self.waiting):
            self.turn = TERMINAL_PLAYER
        elif self.waiting:
            self.turn = next((other for other in self.live if other > seat), self.live[0])
        else:
            self.turn = CHANCE_PLAYER

    def returns(self) -> list[float]:
        """Chips won by each seat; zeros before the end."""
        if not self.is_terminal():
            return [0.0] * self.players
        ranks = [card // 2 for card in self.cards]  # if all but one folded, the last need not be of a common card
        hands = {seat: (ranks[seat] == ranks[-1], ranks[seat]) for seat in self.live}
        winners = [seat for seat in self.live if hands[seat] == max(hands.values())]
        share = sum(self.paid) / len(winners)
        return [(share if seat in winners else 0.0) - self.paid[seat] for seat in range(self.players)]

    def information_state_string(self, player: int) -> str:
        """The own card and the first round, the common card and the second: `2a:crc/0b:r`."""
        return self.own_card(player) + self.seen


class Game(OneCardGame):
    """Leduc hold'em for 2 to 10 players."""

    name = "leduc"
    rules_version = "leduc-1"
    most = 13  # the ante, two raises of 2 and two of 4

    def new_initial_state(self) -> State:
        """The start, before the deal."""
        return State(self.players)

    def num_distinct_actions(self) -> int:
        """Fold, call and raise."""
        return 3


def load(text: str) -> Game:
    """The game of a game string such as ``leduc(players=3)``.

    Raises
    ------
    PositionError
        If the text is another.
    GameOptionError
        If an option is unknown or out of range.
    """
    return Game(**notation.read_options(text, "leduc", ["players"]))
