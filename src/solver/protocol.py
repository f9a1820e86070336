"""What a game offers: OpenSpiel's method names, so that its games and yours run here unchanged.

A solver sees nothing else of a Python game, but for two methods that make compiling faster and that a
game may have: `Game.new_walk()`, a first state for walks over the whole game, which needs only what a
walk asks for (current_player, chance_outcomes, legal_actions, returns, child, and for the first history
of each information state its string), and `information_state_key(player)` of such states: a hashable
stand-in for the string. Compiled games offer the same methods and, beside
them, the C side in `solver.games.ops`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["CHANCE_PLAYER", "TERMINAL_PLAYER", "Game", "PolicyState", "State", "offers"]

CHANCE_PLAYER = -1
TERMINAL_PLAYER = -4

_S = TypeVar("_S", bound="State")


def offers(thing: Any, method: str) -> bool:
    """Whether a class has a method; an attribute of that name, which a user's own class may have, is not one."""
    return callable(getattr(type(thing), method, None))


@runtime_checkable
class State(Protocol):
    """A game in progress, with all that is hidden."""

    def current_player(self) -> int:
        """Seat to decide, 0-based; `CHANCE_PLAYER` or `TERMINAL_PLAYER`."""

    def is_terminal(self) -> bool:
        """Whether the game is over."""

    def is_chance_node(self) -> bool:
        """Whether chance decides next."""

    def chance_outcomes(self) -> Sequence[tuple[int, float]]:
        """Outcomes of a chance node and their probabilities, which sum to 1."""

    def legal_actions(self) -> Sequence[int]:
        """Legal action ids, ascending; the same in all states of one information state."""

    def apply_action(self, action: int) -> None:
        """Play an action or a chance outcome, in place."""

    def child(self: _S, action: int) -> _S:
        """The state after an action; this one stays as it is."""

    def clone(self: _S) -> _S:
        """An independent copy."""

    def returns(self) -> Sequence[float]:
        """Pay-off by seat, at the end."""

    def information_state_string(self, player: int) -> str:
        """All that a seat saw, in order, its own choices included (perfect recall)."""

    def action_to_string(self, player: int, action: int) -> str:
        """An action in words."""

    def resample_from_infostate(self: _S, player: int, uniform_01: Callable[[], float]) -> _S:
        """Another state with the same information state string for `player`, drawn by chance."""


@runtime_checkable
class PolicyState(State, Protocol):
    """A state that also tells how one may play it; what policies, horizon and widening of a search need.

    `policy_action` and `action_scores` answer for the seat to decide by what that seat knows, never by
    what is hidden from it; `estimated_returns` may read everything.
    """

    def policy_action(self, rng: Any) -> int:
        """A legal action of the game's rollout policy; `rng` (a `solver.Rng`) is the only source of chance."""

    def action_scores(self) -> Sequence[float]:
        """How good each of `legal_actions` looks, the greater the better; infinity: not to be held back."""

    def estimated_returns(self) -> Sequence[float]:
        """Pay-off by seat: `returns` at the end, before it an estimate."""

    def horizon_clock(self) -> int:
        """How far the game is, in what the horizon of a search counts (rounds, turns)."""


@runtime_checkable
class Game(Protocol):
    """A game with its options."""

    def new_initial_state(self) -> Any:
        """The start; its chance nodes are explicit."""

    def num_players(self) -> int:
        """Number of seats."""

    def num_distinct_actions(self) -> int:
        """Action ids are 0..num_distinct_actions() - 1."""

    def max_utility(self) -> float:
        """An upper bound of a seat's pay-off."""

    def min_utility(self) -> float:
        """A lower bound of a seat's pay-off."""

    def get_parameters(self) -> dict[str, Any]:
        """The options."""
