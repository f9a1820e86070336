"""What one seat knows, as a vector of numbers for a network: the observations of both adapters.

`of(game)` gives the encoder of a game. SCOUT and Baker Street are encoded from a Position and from nothing else, the
small games from an information state string: neither holds what is hidden from its seat, so neither does a vector.
docs/ecosystem.md lists the sections.
"""

from __future__ import annotations

import itertools
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver._core import whole
from solver.errors import ArgumentError
from solver.games import bakerstreet, bidding_round, duel, kuhn, leduc, scout

__all__ = ["Encoder", "Section", "of"]

_Views = dict[str, NDArray[np.float32]]

_LETTERS = "ABCDEFGHIJKLMNOPQRST"
_PILES = 5
_KINDS = [(value, symbol) for symbol in bakerstreet.SYMBOLS for value in range(6)]
_KIND_NAMES = tuple(f"{value} {symbol}" if symbol else str(value) for value, symbol in _KINDS)
_PILE_NAMES = tuple(f"pile {pile}" for pile in range(_PILES))
_LAYERS = ("top layer", "second layer", "layers beneath")
_TWO = ("own", "rival's")


class Section(NamedTuple):
    """A part of a vector.

    Attributes
    ----------
    name : str
    axes : tuple of tuple of str
        What each index of each axis stands for; the last axis runs fastest.
    meaning : str
    signed : bool
        Whether its numbers lie in -1..1; those of other sections lie in 0..1.
    """

    name: str
    axes: tuple[tuple[str, ...], ...]
    meaning: str
    signed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """Its shape."""
        return tuple(map(len, self.axes))

    @property
    def size(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


class Encoder(ABC):
    """Writes what a seat knows into a vector.

    Attributes
    ----------
    sections : tuple of Section
        In the order in which they stand in the vector.
    players : int
        How many seats the game has.
    size : int
        Length of the vector.
    low : numpy.ndarray
        float32, shape (size,): the least value of each number, 0 or -1. The greatest is 1.
    perfect_recall : bool
        Whether the vector tells all information states apart.
    """

    perfect_recall = False

    def __init__(self, players: int, sections: Sequence[Section]) -> None:
        self.players = players
        self.sections = tuple(sections)
        self.size = sum(section.size for section in self.sections)
        signs = [np.full(section.size, -1.0 if section.signed else 0.0, np.float32) for section in self.sections]
        self.low: NDArray[np.float32] = np.concatenate(signs)

    def blank(self) -> NDArray[np.float32]:
        """A vector of zeros."""
        return np.zeros(self.size, np.float32)

    def names(self) -> list[str]:
        """What each number of the vector is: section, then its place on each axis."""
        return [
            "/".join((section.name, *place)) for section in self.sections for place in itertools.product(*section.axes)
        ]

    def views(self, vector: NDArray[np.float32]) -> _Views:
        """The sections of a vector, by name, in their shapes; they share its memory."""
        result, at = {}, 0
        for section in self.sections:
            result[section.name] = vector[at : at + section.size].reshape(section.shape)
            at += section.size
        return result

    def encode(self, state: Any, player: int) -> NDArray[np.float32]:
        """What a seat knows of a state.

        Parameters
        ----------
        state : State
        player : int

        Returns
        -------
        numpy.ndarray
            float32, shape (size,).

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        if whole(player) not in range(self.players):
            raise ArgumentError(f"a seat lies in 0..{self.players - 1}, not {player!r}")
        vector = self.blank()
        self.write(self.views(vector), state, player)
        return vector

    @abstractmethod
    def write(self, views: _Views, state: Any, player: int) -> None:
        """Write what a seat knows of a state into `views` of a vector of zeros; arguments as for `encode`."""


def of(game: Any) -> Encoder:
    """The encoder of a game.

    Parameters
    ----------
    game : Game
        Of `solver.games`.

    Raises
    ------
    ArgumentError
        If it is no such game.

    Examples
    --------
    >>> encoder = of(kuhn.Game())
    >>> encoder.names()
    ['seat/0', 'seat/1', 'card/0', 'card/1', 'card/2', 'bets/1st/pass', 'bets/1st/bet', 'bets/2nd/pass', \
'bets/2nd/bet', 'bets/3rd/pass', 'bets/3rd/bet']
    """
    kinds: list[tuple[type, Callable[[Any], Encoder]]] = [
        (scout.Game, _Scout),
        (bakerstreet.Game, _BakerStreet),
        (kuhn.Game, _Kuhn),
        (leduc.Game, _Leduc),
        (duel.Game, _Duel),
        (bidding_round.Game, _BiddingRound),
    ]
    for kind, encoder in kinds:
        if isinstance(game, kind):
            return encoder(game)
    raise ArgumentError(f"{game} is none of the games that have an encoding")


def _numbers(count: int, word: str = "", first: int = 0) -> tuple[str, ...]:
    return tuple(f"{word} {i}".strip() for i in range(first, first + count))


def _ordinals(count: int) -> tuple[str, ...]:
    ends = {1: "st", 2: "nd", 3: "rd"}
    return tuple(f"{i}{ends.get(i, 'th')}" for i in range(1, count + 1))  # 19 at most, with 10 players


def _share(number: float, most: float) -> float:
    """A count as a share of what it can be at most, in 0..1."""
    return min(number / most, 1.0) if most else 0.0


class _Scout(Encoder):
    """SCOUT. Seats are counted from the own one: 0 is the own seat, 1 the next to move after it."""

    def __init__(self, game: scout.Game) -> None:
        n = game.num_players()
        self.options = game.get_parameters()
        self.places = game.cards_in_play
        self.cards = {card: i for i, card in enumerate(game.deck())}
        self.longest = min(len({number for card in self.cards for number in card}), self.places)
        ranks = int(self.options["ranks"])
        seats = _numbers(n, "seat")
        numbers = (("top", "bottom"), _numbers(ranks, first=1))
        deck = tuple(f"{low}/{high}" for low, high in self.cards)
        sections = [
            Section("phase", (("choose", "turn", "must_show", "deal", "over"),), "1 at the phase"),
            Section("mover", (seats,), "1 at the seat to decide"),
            Section("hand", (_numbers(self.places, "place"), *numbers), "1 at each number of the card at a place"),
            Section("table", (_numbers(self.longest, "card"), *numbers), "the same of the Active Set, left to right"),
            Section("owner", (seats,), "1 at the owner of the Active Set"),
            Section("cards", (seats,), "cards in hand / cards in play"),
            Section("chips", (seats,), "Scout chips / cards in play, 1 if they are more"),
            Section("score", (seats,), "score cards / cards in play"),
            Section("ready", (seats,), "1 where the Scout & Show chip is left"),
            Section("starter", (seats,), "1 at the seat that started the round"),
            Section("turns", (("turns",),), "finished turns / max_turns"),
            Section("round", (("round",),), "finished rounds / rounds"),
            Section("totals", (seats,), "points of finished rounds / (rounds x cards in play), within -1..1", True),
            Section("unseen", (deck,), "1 if the card may lie in any hidden place"),
            Section("known", (seats, deck), "1 if all know that the card is in that hand"),
        ]
        if game.insertions_public:
            sections += [
                Section("known_place", (seats, deck), "(its place + 1) / cards in play, for another seat's card"),
                Section("known_larger", (seats, deck), "1 if its larger number is on top, for another seat's card"),
            ]
        super().__init__(n, sections)

    def write(self, views: _Views, state: scout.State, player: int) -> None:
        if state.phase in ("deal", "over"):  # there is no position; this is all that is on the table
            views["phase"][3 if state.phase == "deal" else 4] = 1
            self._write_totals(views, state.round, state.totals(), player)
        else:
            self.write_position(views, state.position(player))

    def _write_totals(self, views: _Views, finished: int, totals: Sequence[int], player: int) -> None:
        rounds = self.options["rounds"]
        views["round"][0] = finished / rounds
        for seat, points in enumerate(totals):
            share = points / (rounds * self.places)
            views["totals"][(seat - player) % self.players] = min(max(share, -1.0), 1.0)

    def write_position(self, views: _Views, position: scout.Position) -> None:
        """Write a position, of which this reads public members only."""
        own, n = position.player, self.players

        def mark(name: str, seat: int) -> None:
            views[name][(seat - own) % n] = 1

        views["phase"][("choose", "turn", "must_show").index(position.phase)] = 1
        mark("mover", position.current_player())
        mark("starter", position.starter)
        if position.owner is not None:
            mark("owner", position.owner)
        for name, cards in (("hand", position.hand), ("table", position.active_set)):
            for place, (top, bottom) in enumerate(cards):
                views[name][place, 0, top - 1] = views[name][place, 1, bottom - 1] = 1
        for seat in range(n):
            at = (seat - own) % n
            views["cards"][at] = _share(position.counts[seat], self.places)
            views["chips"][at] = _share(position.chips[seat], self.places)
            views["score"][at] = _share(position.score_cards[seat], self.places)
            views["ready"][at] = position.scout_and_show_left[seat]
        views["turns"][0] = position.turns / self.options["max_turns"]
        self._write_totals(views, position.round, position.totals, own)
        for card in position.unseen():
            views["unseen"][self.cards[card]] = 1
        for seat, known in position.known.items():
            at = (seat - own) % n
            for (top, bottom), place in known:
                index = self.cards[min(top, bottom), max(top, bottom)]
                views["known"][at, index] = 1
                if place >= 0:
                    views["known_place"][at, index] = (place + 1) / self.places
                    views["known_larger"][at, index] = top > bottom


class _BakerStreet(Encoder):
    """Baker Street. Of the two seats the own one stands first."""

    def __init__(self, game: bakerstreet.Game) -> None:
        self.max_rounds = game.max_rounds
        kinds, letters = _KIND_NAMES, tuple(_LETTERS)
        super().__init__(
            2,
            [
                Section("phase", (("turn", "bid", "choose_pile", "take", "chance", "over"),), "1 at the phase"),
                Section("mover", (_TWO,), "1 at the seat to decide"),
                Section("starter", (_TWO,), "1 at the seat that began the round"),
                Section("rounds", (("rounds",),), "finished doubts / max_rounds"),
                Section("hand", (kinds,), "own hand cards of this kind / 3"),
                Section("shown", (kinds,), "those of them that the rival knows / 3"),
                Section("rival_cards", (("cards",),), "cards in the rival's hand / 3"),
                Section("rival_known", (kinds,), "known cards of the rival's hand / 3"),
                Section("rival_unseen", (_numbers(6, "value"),), "the rival's cards of this value not yet seen / 5"),
                Section("bids", (_numbers(31, "bid"),), "1 at each bid of this round"),
                Section(
                    "stacks",
                    (_PILE_NAMES, _LAYERS, _TWO, kinds),
                    "cards of a pile / 5, in layers that each end with a STOP: what one evaluation takes",
                ),
                Section("totals", (_PILE_NAMES, _TWO), "totals if the pile were evaluated now / 30, 1 if more"),
                Section("chain", (_PILE_NAMES,), "1 if the next pile would be evaluated after it"),
                Section("discards", (_TWO, kinds), "cards in a discard pile / 5"),
                Section("evidence", (letters,), "1 at each own letter"),
                Section(
                    "rival_took", (letters,), "chance that the rival took it, where the own looks tell: 1 / choices"
                ),
                Section("rival_letters", (("letters",),), "letters that the rival took / 20"),
                Section("looked", (_TWO, _PILE_NAMES), "1 if the seat has looked through the pile"),
                Section("look", (_PILE_NAMES, letters), "copies / 2 of a letter, after the own last look"),
                Section("taken", (_TWO, _PILE_NAMES), "letters taken since the other's last look / 8: by whom, where"),
                Section("pile", (_PILE_NAMES,), "1 at the pile from which a letter is being taken"),
                Section("arrow", (("arrow",),), "1 if the next pile follows"),
                Section("doubt_winner", (_TWO,), "1 at the winner of the doubt, while a pile or letter is chosen"),
            ],
        )

    def write(self, views: _Views, state: bakerstreet.State, player: int) -> None:
        if state.is_chance_node() or state.is_terminal():
            views["phase"][5 if state.is_terminal() else 4] = 1
            views["rounds"][0] = state.rounds / self.max_rounds
        else:
            self.write_position(views, state.position(player))

    def write_position(self, views: _Views, position: bakerstreet.Position) -> None:
        """Write a position, of which this reads public members only."""
        own = position.player
        views["phase"][("turn", "bid", "choose_pile", "take").index(position.phase)] = 1
        views["mover"][position.current_player() ^ own] = 1
        views["starter"][position.starter ^ own] = 1
        views["rounds"][0] = position.rounds / self.max_rounds
        views["rival_cards"][0] = position.rival_cards / 3
        views["arrow"][0] = position.arrow
        if position.pile is not None:
            views["pile"][position.pile] = 1
        if position.doubt_winner is not None:
            views["doubt_winner"][position.doubt_winner ^ own] = 1
        for name, cards in (
            ("hand", position.hand),
            ("shown", position.known_to_rival),
            ("rival_known", position.rival_known),
        ):
            for card in cards:
                views[name][_KINDS.index(card)] += np.float32(1 / 3)
            np.minimum(views[name], 1, out=views[name])
        for value, count in enumerate(position.unseen()):
            views["rival_unseen"][value] = count / 5
        for bid in position.bids:
            views["bids"][bid] = 1
        for seat in range(2):
            for card in position.discards(seat):
                views["discards"][seat ^ own, _KINDS.index(card)] += 1
        views["discards"] /= 5
        for pile in range(_PILES):
            self._write_stack(views, position, pile)
        views["stacks"] /= 5
        self._write_letters(views, position)

    @staticmethod
    def _write_stack(views: _Views, position: bakerstreet.Position, pile: int) -> None:
        own, layer, stack = position.player, 0, position.stack(pile)
        for seat, value, symbol in stack:
            views["stacks"][pile, layer, seat ^ own, _KINDS.index((value, symbol))] += 1
            if symbol == "stop":  # within a layer the order does not matter
                layer = min(layer + 1, len(_LAYERS) - 1)
        result = bakerstreet.evaluate(stack)
        for seat in range(2):
            views["totals"][pile, seat ^ own] = _share(result.totals[seat], 30)
        views["chain"][pile] = result.arrow

    @staticmethod
    def _write_letters(views: _Views, position: bakerstreet.Position) -> None:
        own = position.player
        for letter in position.evidence:
            views["evidence"][_LETTERS.index(letter)] = 1
        for pile in range(_PILES):
            letters = position.look(pile) or ""
            for letter in letters:
                views["look"][pile, _LETTERS.index(letter)] += 0.5
        for seat, pile, letters in position.log:
            views["looked"][seat ^ own, pile] = 1
            views["taken"][1 - (seat ^ own), pile] = 0  # it has just looked through what is left
            if letters:
                views["taken"][seat ^ own, pile] += 1
            if seat != own and letters:
                views["rival_letters"][0] += 1
                for letter in letters.strip("?-"):
                    views["rival_took"][_LETTERS.index(letter)] += np.float32(1 / len(letters))
        np.minimum(views["rival_took"], 1, out=views["rival_took"])
        views["rival_letters"] /= 20
        views["taken"] /= 8


class _Told(Encoder):
    """A small game, encoded from its information state string, which tells all that a seat saw."""

    perfect_recall = True

    def write(self, views: _Views, state: Any, player: int) -> None:
        self.write_text(views, state.information_state_string(player), player)

    @abstractmethod
    def write_text(self, views: _Views, text: str, player: int) -> None:
        """Write an information state string of a seat."""


class _Kuhn(_Told):
    """Kuhn poker."""

    def __init__(self, game: kuhn.Game) -> None:
        n = game.num_players()
        super().__init__(
            n,
            [
                Section("seat", (_numbers(n),), "1 at the own seat"),
                Section("card", (_numbers(n + 1),), "1 at the own card"),
                Section("bets", (_ordinals(2 * n - 1), ("pass", "bet")), "1 at each choice, in order"),
            ],
        )

    def write_text(self, views: _Views, text: str, player: int) -> None:
        card, bets = re.fullmatch(r"(\d*)([pb]*)", text).groups()  # type: ignore[union-attr]
        views["seat"][player] = 1
        if card:
            views["card"][int(card)] = 1
        for i, bet in enumerate(bets):
            views["bets"][i, "pb".index(bet)] = 1


class _Leduc(_Told):
    """Leduc hold'em."""

    def __init__(self, game: leduc.Game) -> None:
        n = game.num_players()
        cards = tuple(f"{rank}{suit}" for rank in range(n + 1) for suit in "ab")
        choices = (("first", "second"), _ordinals(3 * n - 2), ("fold", "call", "raise"))  # two raises, each answered
        super().__init__(
            n,
            [
                Section("seat", (_numbers(n),), "1 at the own seat"),
                Section("card", (cards,), "1 at the own card"),
                Section("common", (cards,), "1 at the common card"),
                Section("bets", choices, "1 at each choice of a round of betting, in order"),
            ],
        )

    def write_text(self, views: _Views, text: str, player: int) -> None:
        own, first, common, second = re.fullmatch(  # type: ignore[union-attr]
            r"(?:(\d+[ab]))?:([fcr]*)(?:/(\d+[ab]):([fcr]*))?", text
        ).groups()
        views["seat"][player] = 1
        for name, card in (("card", own), ("common", common)):
            if card:
                views[name][2 * int(card[:-1]) + "ab".index(card[-1])] = 1
        for turn, bets in enumerate((first, second or "")):
            for i, bet in enumerate(bets):
                views["bets"][turn, i, "fcr".index(bet)] = 1


class _Duel(_Told):
    """The bidding duel. Bids rise, so that which were made tells their order."""

    def __init__(self, game: duel.Game) -> None:
        bids = tuple(map(str, range(duel.MAX_BID + 1)))
        super().__init__(
            2,
            [
                Section("seat", (_numbers(2),), "1 at the own seat"),
                Section("sum", (_numbers(len(duel.WAYS)),), "1 at the own sum"),
                Section("bids", (bids,), "1 at each bid"),
                Section("doubt", (("doubt",),), "1 once the last bid is doubted"),
            ],
        )

    def write_text(self, views: _Views, text: str, player: int) -> None:
        views["seat"][player] = 1
        if text:
            total, bids = duel.read_information(text.removesuffix(" doubt"))
            views["sum"][total] = 1
            for bid in bids:
                views["bids"][bid] = 1
            views["doubt"][0] = text.endswith("doubt")


class _BiddingRound(_Told):
    """The abstracted bidding round. Bids rise, so that which were made tells their order."""

    def __init__(self, game: bidding_round.Game) -> None:
        turns = (game.horizon + 1) // 2  # of the opener, who has as many as the other seat, or one more
        bids = tuple(map(str, range(bidding_round.MAX_BID + 1)))
        super().__init__(
            2,
            [
                Section("seat", (_numbers(2),), "1 at the own seat"),
                Section(
                    "levels", (("dealt", *_ordinals(turns)), bidding_round.LEVELS), "1 at each own level, in order"
                ),
                Section("places", (_ordinals(turns), ("lowest", "highest")), "1 at each own place, in order"),
                Section("bids", (bids,), "1 at each bid"),
                Section("end", (("doubt", "on"),), "1 at how the round ended"),
            ],
        )

    def write_text(self, views: _Views, text: str, player: int) -> None:
        seen, *words = text.split() or [""]
        views["seat"][player] = 1
        for i, mark in enumerate(seen):
            if i % 2:
                views["places"][i // 2, "lh".index(mark)] = 1
            else:
                views["levels"][i // 2, int(mark)] = 1
        for word in words:
            if word.isdecimal():
                views["bids"][int(word)] = 1
            else:
                views["end"][("doubt", "on").index(word)] = 1
