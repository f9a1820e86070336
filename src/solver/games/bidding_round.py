"""One round of Baker Street with placing, drawing and bidding, abstracted until it can be solved; in plain Python.

In the whole game (docs/rules-bakerstreet.md) each bid comes after a card placed and one drawn: hands change, and who
goes on bidding gets one more card onto the table. What is abstracted, and why:

- A hand is one of five levels of its sum (`LEVELS`), about a fifth of all hands each. Chances of levels and of their
  changes are those of three cards of a fresh deck; changes rarer than 0.1 count as the nearest one that is not.
- One places the lowest or the highest card, and the other seat does not look at it. Cards on the table win piles: each
  pip placed is worth a *price* to its owner, so that a round is a game of its own.
- An opening is one of `OPENINGS`, the first raise is by 1, 3 or 6, later ones are by 1 or 3.
- After the last of `horizon` bids the other seat doubts, or goes on to what is taken for an even round. A bid of 30
  must be doubted.

So a turn is: doubt (0), or place the lowest (1) or the highest card (2), draw, and bid (the bid itself); after the last
bid: doubt (0) or go on (3). The winner of a doubt gets 1 from the other. With three bids the game has 629,213 histories
and 4,623 information states. What its solution is worth in the whole game: experiments/baker-street-round/README.md.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, Self

from solver._core import listed, uniforms, whole, whole_in
from solver.errors import ArgumentError, GameOptionError, IllegalActionError
from solver.games import notation
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER
from solver.runs import number_within

__all__ = [
    "DOUBT",
    "HIGHEST",
    "LEVELS",
    "LOWEST",
    "MAX_BID",
    "ON",
    "OPENINGS",
    "RAISES",
    "Draw",
    "Follower",
    "Game",
    "Hands",
    "State",
    "level_of",
    "load",
]

TOPS = (4, 6, 8, 10, 15)  # the greatest sum of each level
LEVELS = ("0-4", "5-6", "7-8", "9-10", "11-15")
OPENINGS = (8, 10, 12, 14, 16, 18)
RAISES = (1, 3, 6)  # by 6 only as the first
MAX_BID = 30
DOUBT, LOWEST, HIGHEST, ON = range(4)

_RARE = 0.1
_MOST_BIDS = 23  # from 8 by 1 to 30
_PLACES = {LOWEST: "l", HIGHEST: "h"}  # in information states
_MARKS = {"l": LOWEST, "h": HIGHEST}
_CODES = _MARKS | {str(level): level for level in range(len(TOPS))}
_WORDS = {DOUBT: "doubt", LOWEST: "place the lowest card", HIGHEST: "place the highest card", ON: "go on"}
_DEAL, _TURN, _DRAW, _BID, _OVER = range(5)


def level_of(total: int) -> int:
    """The level, 0 to 4, of a hand's sum.

    Raises
    ------
    ArgumentError
        If it is no whole number in 0..15.
    """
    number: int | None = whole_in(total, 0, TOPS[-1])
    if number is None:
        raise ArgumentError(f"the sum of a hand is a whole number in 0..{TOPS[-1]}, not {total!r}")
    return _level(number)


def _level(total: int) -> int:
    return next(level for level, top in enumerate(TOPS) if total <= top)


class Draw(NamedTuple):
    """What may come of a placing.

    Attributes
    ----------
    chance : float
    pips : float
        Mean value, 0 to 5, of the card placed where this comes of it.
    """

    chance: float
    pips: float


class Hands:
    """How hands of three of a fresh deck's thirty cards (five of each value) fall into levels, and move among them.

    Attributes
    ----------
    chances : tuple of float
        Of the 5 levels.
    sums : tuple of tuple of float, shape (5, 16)
        Of each level, the chance of each sum.
    moves : dict
        Of a level and a place (`LOWEST` or `HIGHEST`): a dict from the levels that may follow, ascending, to `Draw`.
    true : tuple of tuple of tuple of float, shape (5, 5, 31)
        Of the levels of both hands, the chance that their sums together reach a bid.
    """

    def __init__(self) -> None:
        ways = [[0] * (TOPS[-1] + 1) for _ in TOPS]
        found: dict[tuple[int, int], dict[int, list[int]]] = {}
        for hand in itertools.combinations_with_replacement(range(6), 3):
            count = math.prod(math.comb(5, hand.count(value)) for value in set(hand))
            total = sum(hand)
            ways[_level(total)][total] += count
            for place, value in ((LOWEST, hand[0]), (HIGHEST, hand[-1])):
                row = found.setdefault((_level(total), place), {})
                for drawn in range(6):
                    cell = row.setdefault(_level(total - value + drawn), [0, 0])
                    weight = count * (5 - hand.count(drawn))
                    cell[0] += weight
                    cell[1] += weight * value
        hands = sum(map(sum, ways))
        self.chances = tuple(sum(row) / hands for row in ways)
        self.sums = tuple(tuple(count / sum(row) for count in row) for row in ways)
        self.moves = {key: self._common(row) for key, row in found.items()}
        self.true = self._reaching()

    @staticmethod
    def _common(row: dict[int, list[int]]) -> dict[int, Draw]:
        """Levels that are not rare, with what the others add to them."""
        total = sum(weight for weight, _ in row.values())
        kept = {to: [0, 0] for to, (weight, _) in sorted(row.items()) if weight >= _RARE * total}
        for to, (weight, pips) in row.items():
            nearest = kept[min(kept, key=lambda other: abs(other - to))]
            nearest[0] += weight
            nearest[1] += pips
        return {to: Draw(weight / total, pips / weight) for to, (weight, pips) in kept.items()}

    def _reaching(self) -> tuple[tuple[tuple[float, ...], ...], ...]:
        levels = range(len(TOPS))
        found: list[list[tuple[float, ...]]] = [[() for _ in levels] for _ in levels]
        for one, other in itertools.combinations_with_replacement(levels, 2):
            exactly = [0.0] * (MAX_BID + 1)
            for total, chance in enumerate(self.sums[one]):
                for second, its_chance in enumerate(self.sums[other]):
                    exactly[total + second] += chance * its_chance
            least = [min(share, 1.0) for share in itertools.accumulate(reversed(exactly))]
            found[one][other] = found[other][one] = tuple(reversed(least))
        return tuple(map(tuple, found))


class State:
    """A round in progress. Every attribute is immutable, so that children share them.

    Attributes
    ----------
    game : Game
    levels : tuple of int
        Of the hands, by seat.
    bids : tuple of int
    doubted : bool
    """

    __slots__ = ("_phase", "_pips", "_seen", "bids", "doubted", "game", "levels")

    def __init__(self, game: Game) -> None:
        self.game = game
        self.levels: tuple[int, ...] = ()
        self.bids: tuple[int, ...] = ()
        self.doubted = False
        self._phase = _DEAL
        self._seen = ("", "")  # of each seat, its levels and places
        self._pips = 0.0  # that seat 0 placed, less those of seat 1

    def clone(self) -> Self:
        """An independent copy."""
        result = self.__class__.__new__(self.__class__)
        result.game, result.levels, result.bids, result.doubted = self.game, self.levels, self.bids, self.doubted
        result._phase, result._seen, result._pips = self._phase, self._seen, self._pips
        return result

    def current_player(self) -> int:
        """Seat to decide; -1 where a level is drawn, -4 at the end."""
        if self._phase == _OVER:
            return TERMINAL_PLAYER
        return CHANCE_PLAYER if self._phase in (_DEAL, _DRAW) else len(self.bids) % 2

    def is_terminal(self) -> bool:
        """Whether the round is over."""
        return self._phase == _OVER

    def is_chance_node(self) -> bool:
        """Whether a level is to be drawn."""
        return self._phase in (_DEAL, _DRAW)

    def _draws(self) -> dict[int, Draw]:
        """Levels that may follow the placing."""
        seat = len(self.bids) % 2
        return self.game.hands.moves[self.levels[seat], _MARKS[self._seen[seat][-1]]]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """The levels that may come, 0 to 4, and their chances; none where none is to be drawn."""
        if self._phase == _DEAL:
            return list(enumerate(self.game.hands.chances))
        return [(to, draw.chance) for to, draw in self._draws().items()] if self._phase == _DRAW else []

    def legal_actions(self) -> list[int]:
        """The doubt and places, the doubt and going on, or bids; at a chance node the levels, at the end none."""
        if self._phase == _BID:
            return _bids_after(self.bids)
        if self._phase != _TURN:
            return [outcome for outcome, _ in self.chance_outcomes()]
        if not self.bids:
            return [LOWEST, HIGHEST]
        if self.bids[-1] == MAX_BID:
            return [DOUBT]
        return [DOUBT, ON] if len(self.bids) == self.game.horizon else [DOUBT, LOWEST, HIGHEST]

    def apply_action(self, action: int) -> None:
        """Draw a level, doubt, place or bid.

        Raises
        ------
        IllegalActionError
            If the action is not legal here.
        """
        legal = self.legal_actions()
        number: int | None = whole(action)
        if number is None or number not in legal:
            raise IllegalActionError(f"{action!r} is not among the legal actions {legal}")
        seat = len(self.bids) % 2
        if self._phase == _DEAL:
            self._saw(len(self.levels), str(number))
            self.levels = (*self.levels, number)
            self._phase = _TURN if len(self.levels) == 2 else _DEAL
        elif self._phase == _DRAW:
            self._pips += (1 - 2 * seat) * self._draws()[number].pips
            self._saw(seat, str(number))
            self.levels = (number, self.levels[1]) if seat == 0 else (self.levels[0], number)
            self._phase = _BID
        elif self._phase == _BID:
            self.bids = (*self.bids, number)
            self._phase = _TURN
        elif number in _PLACES:
            self._saw(seat, _PLACES[number])
            self._phase = _DRAW
        else:
            self.doubted = number == DOUBT
            self._phase = _OVER

    def _saw(self, seat: int, mark: str) -> None:
        first, second = self._seen
        self._seen = (first + mark, second) if seat == 0 else (first, second + mark)

    def child(self, action: int) -> Self:
        """The state after an action."""
        result = self.clone()
        result.apply_action(action)
        return result

    def returns(self) -> list[float]:
        """1 for the winner of a doubt, in the mean over the hands of both levels, and the price of all pips placed.

        What seat 0 gets, seat 1 pays. Zeros before the end.
        """
        if self._phase != _OVER:
            return [0.0, 0.0]
        true = self.game.hands.true[self.levels[0]][self.levels[1]][self.bids[-1]]
        bidder = 1 - 2 * ((len(self.bids) - 1) % 2)  # 1 if seat 0 bid last
        won = bidder * (2 * true - 1) * self.doubted + self.game.price * self._pips
        return [won, -won]

    def information_state_string(self, player: int) -> str:
        """The own levels and places, then the bids: ``2h1 14 15``; at the end `doubt` or `on` follows.

        Empty before the own hand.

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        seen = self._seen[_seat(player)]
        if not self.bids:
            return seen
        words = [seen, *map(str, self.bids)]
        if self._phase == _OVER:
            words.append("doubt" if self.doubted else "on")
        return " ".join(words)

    def history(self) -> list[int]:
        """Actions and outcomes of chance so far, in order."""
        left = [[_CODES[mark] for mark in seen] for seen in self._seen]
        past = [mine.pop(0) for mine in left if mine]
        for turn in range(len(self.bids) + 1):
            mine = left[turn % 2]
            past += [mine.pop(0) for _ in range(min(len(mine), 2))]
            past += self.bids[turn : turn + 1]
        return [*past, DOUBT if self.doubted else ON] if self._phase == _OVER else past

    def action_to_string(self, player: int, action: int) -> str:
        """An action in words; seat -1 draws.

        Raises
        ------
        IllegalActionError
            If there is no such action.
        """
        number: int | None = whole(action)
        if whole(player) == CHANCE_PLAYER:
            if number is not None and 0 <= number < len(LEVELS):
                return f"hand of {LEVELS[number]}"
        elif number in _WORDS:
            return _WORDS[number]
        elif number is not None and OPENINGS[0] <= number <= MAX_BID:
            return f"bid {number}"
        raise IllegalActionError(f"{action!r} is no action of seat {player!r}")

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> Self:
        """The same bids, with the other seat's levels and places drawn anew.

        Levels come as a deck gives them, each place half the time; what that seat has bid counts for nothing.

        Raises
        ------
        ArgumentError
            If there is no such seat, or `uniform_01` does not give floats in [0, 1).
        """
        seat = _seat(player)
        hands, drawn = self.game.hands, ""
        for share in uniforms(uniform_01, len(self._seen[1 - seat])):
            if len(drawn) % 2:
                drawn += "lh"[share >= 0.5]
                continue
            came = hands.moves[int(drawn[-2]), _MARKS[drawn[-1]]] if drawn else None
            chances = {to: draw.chance for to, draw in came.items()} if came else dict(enumerate(hands.chances))
            sums = itertools.accumulate(chances.values())
            drawn += str(next((to for to, end in zip(chances, sums, strict=True) if share < end), max(chances)))
        other = self.clone()
        other._seen = (self._seen[0], drawn) if seat == 0 else (drawn, self._seen[1])
        result = self.__class__(self.game)
        for action in other.history():
            result.apply_action(action)
        return result

    def __str__(self) -> str:
        end = f", {'doubted' if self.doubted else 'gone on'}" if self._phase == _OVER else ""
        return f"hands {' '.join(filter(None, self._seen))}, bids {list(self.bids)}{end}"


def _bids_after(bids: tuple[int, ...]) -> list[int]:
    if not bids:
        return list(OPENINGS)
    raises = RAISES if len(bids) == 1 else RAISES[:-1]
    return [bid for bid in (bids[-1] + more for more in raises) if bid <= MAX_BID]


def _bids(bids: object) -> tuple[int, ...]:
    """Bids of the whole game, looked at."""
    given = listed(bids, "bids")
    numbers = [number for bid in given if (number := whole_in(bid, 0, MAX_BID)) is not None]
    if len(numbers) < len(given) or any(bid >= after for bid, after in itertools.pairwise(numbers)):
        raise ArgumentError(f"bids are whole numbers in 0..{MAX_BID}, each above the last, not {given}")
    return tuple(numbers)


def _seat(player: object) -> int:
    seat: int | None = whole_in(player, 0, 1)
    if seat is None:
        raise ArgumentError(f"a seat is 0 or 1, not {player!r}")
    return seat


class Game:
    """The abstracted round, for 2 players.

    Parameters
    ----------
    horizon : int, default 3
        Bids at most, 1 to 23. Each more has about ten times the histories.
    price : float, default 0.15
        What a pip on the table is worth to who placed it, 0 to 1, in doubts.

    Attributes
    ----------
    hands : Hands
        The chances of levels and bids.

    Raises
    ------
    GameOptionError
        If an option is out of its range.

    Examples
    --------
    >>> game = Game(horizon=2)
    >>> str(game), game.bids_after((14,)), game.translate([13, 15])
    ('bidding_round(horizon=2)', [15, 17, 20], (12, 15))
    """

    name = "bidding_round"
    rules_version = "bidding_round-1"

    def __init__(self, horizon: int = 3, price: float = 0.15) -> None:
        self.horizon = notation.whole_option("horizon", horizon, 1, _MOST_BIDS)
        try:
            self.price = number_within("price", price, 0, 1)
        except ArgumentError as error:
            raise GameOptionError(str(error)) from None
        self.hands = Hands()

    def bids_after(self, bids: Iterable[int]) -> list[int]:
        """The bids that the abstraction has after those, ascending; the horizon counts for nothing here.

        Raises
        ------
        ArgumentError
            If they are no whole numbers in 0..30, each above the last.
        """
        return _bids_after(_bids(bids))

    def translate(self, bids: Iterable[int]) -> tuple[int, ...] | None:
        """Bids of the whole game in the abstraction's: each as the nearest that it has there, the lower of two.

        Parameters
        ----------
        bids : iterable of int
            In 0..30, each above the last.

        Returns
        -------
        tuple of int or None
            None if they are more than the abstraction covers.

        Raises
        ------
        ArgumentError
            If they are no such bids.
        """
        known: tuple[int, ...] = ()
        for bid in _bids(bids):
            options = _bids_after(known)
            if not options or len(known) == self.horizon:
                return None
            known = (*known, min(options, key=lambda other: abs(other - bid)))
        return known

    def new_initial_state(self) -> State:
        """The start, before the hands are drawn."""
        return State(self)

    def num_players(self) -> int:
        """Two."""
        return 2

    def num_distinct_actions(self) -> int:
        """The doubt, two places, going on, and bids up to 30."""
        return MAX_BID + 1

    def max_utility(self) -> float:
        """A won doubt, and a 5 placed each time."""
        return 1 + 5 * self.price * ((self.horizon + 1) // 2)

    def min_utility(self) -> float:
        """What the other seat wins."""
        return -self.max_utility()

    def get_parameters(self) -> dict[str, Any]:
        """The options."""
        return {"horizon": self.horizon, "price": self.price}

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.get_parameters() == other.get_parameters()

    def __hash__(self) -> int:
        return hash((type(self), self.horizon, self.price))

    def __repr__(self) -> str:
        return f"Game(horizon={self.horizon}, price={self.price})"

    def __str__(self) -> str:
        options: dict[str, object] = self.get_parameters()
        defaults = {"horizon": 3, "price": 0.15}
        return notation.format_game(self.name, {key: options[key] for key in options if options[key] != defaults[key]})


class Follower:
    """A seat of the whole game, followed through a round in the abstraction's terms: so its policies are played there.

    Parameters
    ----------
    game : Game

    Attributes
    ----------
    seen : str
        The own levels and places; empty before the first hand.

    Examples
    --------
    >>> follower = Follower(Game())
    >>> follower.hand(7)
    >>> follower.placed([1, 2, 4], 4)
    >>> follower.drew(5)
    >>> follower.information_state([13]), follower.information_state([13, 15])
    ('2h1 12', '2h1 12 15')
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self.seen = ""

    def hand(self, total: int) -> None:
        """Begin a round with a hand of that sum, 0 to 15."""
        self.seen = str(level_of(total))

    def placed(self, values: Iterable[int], card: int) -> None:
        """Place a card: it counts as the hand's lowest or highest, whichever is nearer; as the highest if both are.

        Parameters
        ----------
        values : iterable of int
            Of the hand before, in any order.
        card : int
            The value placed.

        Raises
        ------
        ArgumentError
            If no draw or hand came before, values are not in 0..5, or the card is none of them.
        """
        if not self.seen or self.seen[-1] in _MARKS:
            raise ArgumentError(f"a card is placed after a hand or a draw, not after {self.seen!r}")
        given = listed(values, "values")
        if any(whole_in(value, 0, 5) is None for value in given) or whole(card) not in given:
            raise ArgumentError(f"a card of a hand of values in 0..5 is placed, not {card!r} of {given}")
        self.seen += _PLACES[LOWEST if card - min(given) < max(given) - card else HIGHEST]

    def drew(self, total: int) -> None:
        """Draw a card to a sum, which counts as the nearest level that may follow.

        Raises
        ------
        ArgumentError
            If no placing came before, or `total` is no sum.
        """
        level = level_of(total)
        if not self.seen or self.seen[-1] not in _MARKS:
            raise ArgumentError(f"a card is drawn after a placing, not after {self.seen!r}")
        came = self.game.hands.moves[int(self.seen[-2]), _MARKS[self.seen[-1]]]
        self.seen += str(min(came, key=lambda other: abs(other - level)))

    def information_state(self, bids: Iterable[int]) -> str | None:
        """The information state string after these bids of the whole game.

        Parameters
        ----------
        bids : iterable of int
            In 0..30, each above the last.

        Returns
        -------
        str or None
            None before the first hand, and where the bids are more than the abstraction covers.

        Raises
        ------
        ArgumentError
            If they are no such bids.
        """
        known = self.game.translate(bids)
        return None if known is None or not self.seen else " ".join([self.seen, *map(str, known)])

    def bid(self, bids: Iterable[int], chosen: int) -> int:
        """What a bid of the abstraction is in the whole game: a raise is as large as there; 30 at most.

        Parameters
        ----------
        bids : iterable of int
            Made so far, in the whole game.
        chosen : int
            One that the abstraction has there.

        Raises
        ------
        ArgumentError
            If the abstraction has no such bid there, or does not cover `bids`; if these are no such bids.
        """
        made = _bids(bids)
        known = self.game.translate(made)
        options = [] if known is None or made[-1:] == (MAX_BID,) else _bids_after(known)
        number: int | None = whole(chosen)
        if known is None or number is None or number not in options:
            raise ArgumentError(f"{chosen!r} is none of the bids {options} that the abstraction has after {list(made)}")
        if not known:
            return number
        last = made[-1]
        return min(max(number + last - known[-1], last + 1), MAX_BID)


def load(text: str) -> Game:
    """The game of a game string such as ``bidding_round(horizon=2,price=0.3)``.

    Raises
    ------
    PositionError
        If the text is another.
    GameOptionError
        If an option is unknown or out of range.
    """
    options = notation.read_options(text, Game.name, ["horizon", "price"])
    price = options.get("price")
    if isinstance(price, str):
        try:
            options["price"] = float(price)
        except ValueError:
            raise GameOptionError(f"price must be a number in 0..1, such as 0.15, not {price}") from None
    return Game(**options)
