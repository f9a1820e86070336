"""What the small pokers share: n players, n + 1 ranks, one card each dealt by chance, perhaps common ones after."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Self

from solver._core import uniforms, whole, whole_in
from solver.errors import ArgumentError, IllegalActionError
from solver.games import notation
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER

__all__ = ["OneCardGame", "OneCardState"]


class OneCardState(ABC):
    """A game in progress. Every attribute is immutable, so that a clone can share them."""

    suits = 1
    words: tuple[str, ...] = ()  # of the actions

    def __init__(self, players: int = 2) -> None:
        self.players = players
        self.cards: tuple[int, ...] = ()  # one a seat, then the common ones

    @abstractmethod
    def current_player(self) -> int:
        """Seat to decide; -1 where a card is to be dealt, -4 at the end."""

    @abstractmethod
    def choices(self) -> list[int]:
        """Legal actions of the seat to decide."""

    @abstractmethod
    def play(self, action: int) -> None:
        """Change the state by a legal action of the seat to decide."""

    def deal(self, card: int) -> None:
        """Change the state by a card."""
        self.cards += (card,)

    def is_chance_node(self) -> bool:
        """Whether a card is to be dealt."""
        return self.current_player() == CHANCE_PLAYER

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.current_player() == TERMINAL_PLAYER

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The cards left, equally likely; none where no card is to be dealt."""
        cards = self.legal_actions() if self.is_chance_node() else []
        return [(card, 1 / len(cards)) for card in cards]

    def legal_actions(self) -> list[int]:
        """Legal actions, ascending; at a chance node the cards left, at the end none."""
        player = self.current_player()
        if player == CHANCE_PLAYER:
            return [card for card in range(self.suits * (self.players + 1)) if card not in self.cards]
        return [] if player == TERMINAL_PLAYER else self.choices()

    def apply_action(self, action: int) -> None:
        """Deal a card or play an action.

        Raises
        ------
        IllegalActionError
            If it is not legal here.
        """
        legal = self.legal_actions()
        number: int | None = whole(action)
        if number not in legal:
            raise IllegalActionError(f"{action!r} is not among the legal actions {legal}")
        (self.deal if self.is_chance_node() else self.play)(number)

    def child(self, action: int) -> Self:
        """The state after an action."""
        result = self.clone()
        result.apply_action(action)
        return result

    def clone(self) -> Self:
        """An independent copy."""
        result = self.__class__.__new__(self.__class__)
        result.__dict__.update(self.__dict__)
        return result

    def action_to_string(self, player: int, action: int) -> str:
        """An action in words; seat -1 deals.

        Raises
        ------
        IllegalActionError
            If there is no such action.
        """
        deals = whole(player) == CHANCE_PLAYER
        number: int | None = whole_in(action, 0, (self.suits * (self.players + 1) if deals else len(self.words)) - 1)
        if number is None:
            raise IllegalActionError(f"{action!r} is no action of seat {player!r}")
        return f"deal {self.card_name(number)}" if deals else self.words[number]

    def card_name(self, card: int) -> str:
        """The rank, and where there are two suits the letter of the suit: 0a, 0b, 1a, ..."""
        return str(card) if self.suits == 1 else f"{card // 2}{'ab'[card % 2]}"

    def own_card(self, player: int) -> str:
        """The name of a seat's card, nothing before it is dealt.

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        seat = self._seat(player)
        return self.card_name(self.cards[seat]) if seat < len(self.cards) else ""

    def _seat(self, player: int) -> int:
        seat: int | None = whole_in(player, 0, self.players - 1)
        if seat is None:
            raise ArgumentError(f"a seat lies in 0..{self.players - 1}, not {player!r}")
        return seat

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> Self:
        """The same play with the others' cards drawn anew.

        Raises
        ------
        ArgumentError
            If there is no such seat, or `uniform_01` does not give floats in [0, 1).
        """
        seat = self._seat(player)
        result = self.clone()
        known = (*self.cards[seat : seat + 1], *self.cards[self.players :])
        left = [card for card in range(self.suits * (self.players + 1)) if card not in known]
        draws = iter(uniforms(uniform_01, sum(card not in known for card in self.cards)))
        drawn = [card if card in known else left.pop(int(next(draws) * len(left))) for card in self.cards]
        result.cards = tuple(drawn)
        return result


class OneCardGame:
    """A game for 2 to 10 players.

    Raises
    ------
    GameOptionError
        If `players` is no such number.
    """

    name = ""
    rules_version = ""
    most = 0  # what a player pays at most

    def __init__(self, players: int = 2) -> None:
        self.players = notation.whole_option("players", players, 2, 10)

    def num_players(self) -> int:
        """Number of seats."""
        return self.players

    def max_utility(self) -> float:
        """All that the others can pay."""
        return float(self.most * (self.players - 1))

    def min_utility(self) -> float:
        """All that a seat can pay."""
        return float(-self.most)

    def get_parameters(self) -> dict[str, Any]:
        """The options."""
        return {"players": self.players}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self.players))

    def __repr__(self) -> str:
        return f"Game(players={self.players})"

    def __str__(self) -> str:
        return notation.format_game(self.name, self.get_parameters() if self.players > 2 else {})
