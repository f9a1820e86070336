"""Kuhn poker in plain Python: the smallest game of the protocol, to read and to test solvers with.

Kuhn, "A simplified two-person poker" (1950). Three cards 0, 1, 2; each of two players antes 1 and
is dealt one. In turn they pass (0) or bet 1 (1): a bet answered by a pass wins the pot, two passes
or two bets show the cards. Value for the first player: -1/18.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from solver.errors import GameOptionError, IllegalActionError, PositionError
from solver.games import notation

__all__ = ["Game", "State", "load"]

PASS, BET = 0, 1


class State:
    """A game in progress."""

    def __init__(self) -> None:
        self.cards: list[int] = []
        self.bets: list[int] = []

    def current_player(self) -> int:
        """Seat to decide; -1 while cards are dealt, -4 at the end."""
        if len(self.cards) < 2:
            return -1
        return -4 if self.is_terminal() else len(self.bets) % 2

    def is_chance_node(self) -> bool:
        """Whether a card is to be dealt."""
        return len(self.cards) < 2

    def is_terminal(self) -> bool:
        """Whether the betting is over."""
        return self.bets in ([PASS, PASS], [BET, PASS], [BET, BET], [PASS, BET, PASS], [PASS, BET, BET])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards left, equally likely."""
        left = [card for card in range(3) if card not in self.cards]
        return [(card, 1 / len(left)) for card in left] if self.is_chance_node() else []

    def legal_actions(self) -> list[int]:
        """Pass (0) and bet (1); at a chance node the cards left."""
        if self.is_chance_node():
            return [card for card, _ in self.chance_outcomes()]
        return [] if self.is_terminal() else [PASS, BET]

    def apply_action(self, action: int) -> None:
        """Deal a card, pass or bet.

        Raises
        ------
        IllegalActionError
            If the action is not legal here.
        """
        if action not in self.legal_actions():
            raise IllegalActionError(f"{action!r} is not among the legal actions {self.legal_actions()}")
        (self.cards if self.is_chance_node() else self.bets).append(action)

    def child(self, action: int) -> State:
        """The state after an action."""
        result = self.clone()
        result.apply_action(action)
        return result

    def clone(self) -> State:
        """An independent copy."""
        result = State()
        result.cards = list(self.cards)
        result.bets = list(self.bets)
        return result

    def returns(self) -> list[float]:
        """Chips won by each seat; zeros before the end."""
        if not self.is_terminal():
            return [0.0, 0.0]
        if self.bets[-1] == PASS and BET in self.bets:
            won = 1.0 if len(self.bets) == 2 else -1.0  # who bet last wins the antes
        else:
            won = (2.0 if BET in self.bets else 1.0) * (1 if self.cards[0] > self.cards[1] else -1)
        return [won, -won]

    def information_state_string(self, player: int) -> str:
        """The own card, then the betting: `2pb`."""
        card = str(self.cards[player]) if player < len(self.cards) else ""
        return card + "".join("pb"[bet] for bet in self.bets)

    def action_to_string(self, player: int, action: int) -> str:
        """An action in words.

        Raises
        ------
        IllegalActionError
            If there is no such action.
        """
        if action not in ((0, 1, 2) if player == -1 else (PASS, BET)):
            raise IllegalActionError(f"{action!r} is no action of seat {player}")
        return f"deal {action}" if player == -1 else ("pass", "bet")[action]

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> State:
        """The same betting with the other seat's card drawn anew."""
        result = self.clone()
        left = [card for card in range(3) if card != self.cards[player]]
        result.cards[1 - player] = left[int(uniform_01() * len(left))]
        return result


class Game:
    """Kuhn poker; it has no options."""

    def new_initial_state(self) -> State:
        """The start, before the deal."""
        return State()

    def num_players(self) -> int:
        """Two."""
        return 2

    def num_distinct_actions(self) -> int:
        """Pass and bet."""
        return 2

    def max_utility(self) -> float:
        """The pot of two bets."""
        return 2.0

    def min_utility(self) -> float:
        """The own ante and bet."""
        return -2.0

    def get_parameters(self) -> dict[str, Any]:
        """No options."""
        return {}

    def __str__(self) -> str:
        return "kuhn"


def load(text: str) -> Game:
    """The game of the game string ``kuhn``.

    Raises
    ------
    PositionError
        If the text is another.
    GameOptionError
        If it has options.
    """
    name, options, end = notation.read_game(text)
    if name != "kuhn" or text[end:].strip():
        raise PositionError(f"this is the game kuhn, not {text.strip()}", 1)
    if options:
        raise GameOptionError(f"kuhn has no options, so no {', '.join(options)}")
    return Game()
