"""The bidding duel in plain Python: one round of Baker Street's bidding, with no placing and no drawing.

Each of two players draws three cards of an own fresh deck (values 0 to 5, five of each); only the sums
matter. Player 0 opens with any bid of the menu, then in turn each raises to any greater bid of the
menu or doubts; after the greatest bid only doubting is left. On a doubt the bidder wins 1 from the
doubter if both sums together reach the bid, else the doubter wins 1. `solver.duel` solves it. Rules:
docs/rules-bakerstreet.md, "The bidding duel".
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable
from typing import Any

from solver._core import listed, uniforms, whole, whole_in
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games import notation

__all__ = ["DOUBT", "MAX_BID", "WAYS", "Game", "State", "load", "menu_of", "read_information"]

DOUBT = 31
MAX_BID = 30
# How many of the 4,060 hands have the sum 0, 1, ... 15.
WAYS = (10, 50, 100, 185, 275, 400, 485, 525, 525, 485, 400, 275, 185, 100, 50, 10)
_HANDS = 4060

_PIECE = re.compile(r"([0-9]{1,2})(?:\.\.([0-9]{1,2}))?", re.ASCII)


def menu_of(low: int | None = None, high: int | None = None, bids: Iterable[int] | None = None) -> tuple[int, ...]:
    """The bids that options mean, ascending.

    Parameters
    ----------
    low, high : int, optional
        Least and greatest bid, 0 and 30 if None.
    bids : iterable of int, optional
        The bids themselves, in any order; `low` and `high` then count for nothing.

    Raises
    ------
    GameOptionError
        If an option is no whole number in 0..30, `low` is above `high`, or `bids` is empty or has a
        bid twice.
    """
    if bids is None:
        first, last = _number("low", 0 if low is None else low), _number("high", MAX_BID if high is None else high)
        if first > last:
            raise GameOptionError(f"low must be at most high, not {first} above {last}")
        return tuple(range(first, last + 1))
    if isinstance(bids, str) or not isinstance(bids, Iterable):
        raise GameOptionError(f"bids must be whole numbers in 0..{MAX_BID}, such as [0, 12, 13], not {bids!r}")
    menu = sorted(_number("each of bids", bid) for bid in listed(bids, "bids"))
    if not menu:
        raise GameOptionError("bids must have one bid at least")
    for one, other in itertools.pairwise(menu):
        if one == other:
            raise GameOptionError(f"bids must differ, but {one} stands there twice")
    return tuple(menu)


def _number(name: str, value: object) -> int:
    number: int | None = whole(value)
    if number is None or not 0 <= number <= MAX_BID:
        raise GameOptionError(f"{name} must be a whole number in 0..{MAX_BID}, not {value!r}")
    return number


def _seat(player: object) -> int:
    seat: int | None = whole_in(player, 0, 1)
    if seat is None:
        raise ArgumentError(f"a seat is 0 or 1, not {player!r}")
    return seat


class State:
    """A duel in progress.

    Parameters
    ----------
    menu : tuple of int
        The bids, ascending.
    """

    def __init__(self, menu: tuple[int, ...]) -> None:
        self.menu = menu
        self.sums: list[int] = []
        self.bids: list[int] = []
        self.doubted = False

    def current_player(self) -> int:
        """Seat to decide; -1 while hands are drawn, -4 at the end."""
        if len(self.sums) < 2:
            return -1
        return -4 if self.doubted else len(self.bids) % 2

    def is_chance_node(self) -> bool:
        """Whether a hand is to be drawn."""
        return len(self.sums) < 2

    def is_terminal(self) -> bool:
        """Whether a bid was doubted."""
        return self.doubted

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The sums 0 to 15 of a hand of three cards and their chances."""
        return [(total, ways / _HANDS) for total, ways in enumerate(WAYS)] if self.is_chance_node() else []

    def legal_actions(self) -> list[int]:
        """Greater bids of the menu and, once there is a bid, the doubt (31); at a chance node the sums."""
        if self.is_chance_node():
            return list(range(len(WAYS)))
        if self.doubted:
            return []
        if not self.bids:
            return list(self.menu)
        return [bid for bid in self.menu if bid > self.bids[-1]] + [DOUBT]

    def apply_action(self, action: int) -> None:
        """Draw a hand, bid or doubt.

        Raises
        ------
        IllegalActionError
            If the action is not legal here.
        """
        number: int | None = whole(action)
        if number is None or number not in self.legal_actions():
            raise IllegalActionError(f"{action!r} is not among the legal actions {self.legal_actions()}")
        if self.is_chance_node():
            self.sums.append(number)
        elif number == DOUBT:
            self.doubted = True
        else:
            self.bids.append(number)

    def child(self, action: int) -> State:
        """The state after an action."""
        result = self.clone()
        result.apply_action(action)
        return result

    def clone(self) -> State:
        """An independent copy."""
        result = State(self.menu)
        result.sums = list(self.sums)
        result.bids = list(self.bids)
        result.doubted = self.doubted
        return result

    def returns(self) -> list[float]:
        """1 for the winner of the doubt, -1 for the other; zeros before the end."""
        if not self.doubted:
            return [0.0, 0.0]
        bidder = (len(self.bids) - 1) % 2
        winner = bidder if sum(self.sums) >= self.bids[-1] else 1 - bidder
        return [1.0, -1.0] if winner == 0 else [-1.0, 1.0]

    def information_state_string(self, player: int) -> str:
        """The own sum, then the bids: ``s7 12 14``; at the end `doubt` follows. Empty before the own hand."""
        seat = _seat(player)
        if seat >= len(self.sums):
            return ""
        words = [f"s{self.sums[seat]}", *map(str, self.bids), *(["doubt"] if self.doubted else [])]
        return " ".join(words)

    def action_to_string(self, player: int, action: int) -> str:
        """An action in words.

        Raises
        ------
        IllegalActionError
            If there is no such action.
        """
        number: int | None = whole(action)
        if whole(player) == -1:
            if number is not None and 0 <= number < len(WAYS):
                return f"sum {number}"
        elif number == DOUBT:
            return "doubt"
        elif number in self.menu:
            return f"bid {number}"
        raise IllegalActionError(f"{action!r} is no action of seat {player!r}")

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> State:
        """The same bids with the other seat's sum drawn anew, as a fresh deck gives it.

        Raises
        ------
        ArgumentError
            If there is no such seat, or `uniform_01` does not give floats in [0, 1).
        """
        other = 1 - _seat(player)
        result = self.clone()
        if other < len(self.sums):
            left, at = uniforms(uniform_01, 1)[0] * _HANDS, 0
            while at < len(WAYS) - 1 and left >= WAYS[at]:
                left -= WAYS[at]
                at += 1
            result.sums[other] = at
        return result

    def __str__(self) -> str:
        return f"sums {self.sums}, bids {self.bids}{', doubted' if self.doubted else ''}"


class Game:
    """The bidding duel over a menu of bids.

    Parameters
    ----------
    low, high : int, default 0 and 30
        Least and greatest bid.
    bids : iterable of int, optional
        The bids themselves, distinct, in 0..30; `low` and `high` then count for nothing.

    Raises
    ------
    GameOptionError
        If an option is out of its range.

    Examples
    --------
    >>> game = Game(bids=[0, 12, 13])
    >>> game.bids, str(game)
    ((0, 12, 13), 'duel(bids=0+12..13)')
    """

    rules_version = "duel-1"

    def __init__(self, low: int = 0, high: int = MAX_BID, bids: Iterable[int] | None = None) -> None:
        self.bids = menu_of(low, high, bids)

    @property
    def low(self) -> int:
        """The least bid."""
        return self.bids[0]

    @property
    def high(self) -> int:
        """The greatest bid."""
        return self.bids[-1]

    @property
    def doubt(self) -> int:
        """Action id of the doubt."""
        return DOUBT

    def bid(self, number: int) -> int:
        """Action id of a bid: the bid itself.

        Raises
        ------
        IllegalActionError
            If the menu has no such bid.
        """
        found: int | None = whole(number)
        if found is None or found not in self.bids:
            raise IllegalActionError(f"{number!r} is no bid of {self}")
        return found

    def new_initial_state(self) -> State:
        """The start, before the hands are drawn."""
        return State(self.bids)

    def num_players(self) -> int:
        """Two."""
        return 2

    def num_distinct_actions(self) -> int:
        """Bids 0 to 30 and the doubt."""
        return DOUBT + 1

    def max_utility(self) -> float:
        """A won doubt."""
        return 1.0

    def min_utility(self) -> float:
        """A lost doubt."""
        return -1.0

    def get_parameters(self) -> dict[str, Any]:
        """`low` and `high`, or `bids` where there are gaps: what `Game` takes."""
        if len(self.bids) == self.high - self.low + 1:
            return {"low": self.low, "high": self.high}
        return {"bids": list(self.bids)}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(self.bids)

    def __repr__(self) -> str:
        return f"Game({', '.join(f'{key}={value}' for key, value in self.get_parameters().items())})"

    def __str__(self) -> str:
        options: dict[str, object] = self.get_parameters()
        if "bids" in options:
            options["bids"] = _bids_text(self.bids)
        return "duel" if options == {"low": 0, "high": MAX_BID} else notation.format_game("duel", options)


def _bids_text(bids: tuple[int, ...]) -> str:
    """Bids as a game string has them, in which runs are short: ``0+12..28``."""
    runs: list[list[int]] = []
    for bid in bids:
        if runs and bid == runs[-1][1] + 1:
            runs[-1][1] = bid
        else:
            runs.append([bid, bid])
    return "+".join(str(first) if first == last else f"{first}..{last}" for first, last in runs)


def _read_bids(text: str) -> list[int]:
    """Bids of an option such as ``0+12..28``."""
    bids: list[int] = []
    for piece in text.split("+"):
        found = _PIECE.fullmatch(piece)
        if not found:
            raise GameOptionError(f"bids must be numbers and ranges such as 0+12..28, not {text}")
        first, last = int(found[1]), int(found[2] or found[1])
        if first > last:
            raise GameOptionError(f"bids: the range {piece} is empty")
        bids.extend(range(first, last + 1))
    return bids


def load(text: str) -> Game:
    """The game of a game string: ``duel``, ``duel(low=10,high=20)`` or ``duel(bids=0+12..28)``.

    Raises
    ------
    PositionError
        If the text is no game string of the duel.
    GameOptionError
        If an option is unknown or out of range, or `bids` stands beside `low` or `high`.
    """
    name, options, end = notation.read_game(text)
    if name != "duel" or text[end:].strip():
        raise PositionError(f"this is the game duel, not {text.strip()}", 1)
    for key in options:
        if key not in ("low", "high", "bids"):
            raise notation.unknown_option("duel", key, ["low", "high", "bids"])
    if "bids" in options:
        if len(options) > 1:
            raise GameOptionError("duel takes either bids or low and high")
        return Game(bids=_read_bids(str(options["bids"])))
    limits: dict[str, Any] = dict(options)
    return Game(**limits)


def read_information(text: str) -> tuple[int, list[int]]:
    """Own sum and bids of an information state string such as ``s7 12 14``.

    Raises
    ------
    PositionError
        If the text is no information state of a player who is to decide.
    """
    words = text.split()
    if not words or not re.fullmatch(r"s([0-9]|1[0-5])", words[0], re.ASCII):
        raise PositionError(f"an information state begins with the own sum, s0 to s15, as in s7 12 14: {text!r}", 1)
    bids: list[int] = []
    for word in words[1:]:
        if not re.fullmatch(r"[0-9]{1,2}", word, re.ASCII) or int(word) > MAX_BID or (bids and int(word) <= bids[-1]):
            raise PositionError(f"bids must be whole numbers in 0..{MAX_BID}, each above the last: {text!r}", 1)
        bids.append(int(word))
    return int(words[0][1:]), bids
