# cython: language_level=3
"""SCOUT's options and action ids: what a game is made of, before any card is dealt.

`scout.Game` adds deals and play. The rules that these settings steer stand in `_scout.pyx`.
"""
from libc.string cimport memset

from solver._core cimport whole, whole_in
from solver.games._scout cimport MARGIN, SCORE, WIN, rules_t

import numpy as np

from solver.errors import GameOptionError, IllegalActionError
from solver.games import notation

RULES_VERSION = "scout-1"

# The pairs of numbers may not exceed the 55 cards that the bit planes are sized for.
_MAX_RANKS = 11
_MAX_ROUNDS = 100
_MAX_TURNS = 30_000
_MAX_CHIPS = 1000
PAYOFFS = {"score": SCORE, "margin": MARGIN, "win": WIN}


def _option(name, value, low, high):
    """An int option within its range."""
    result = whole(value)
    if result is None:
        raise GameOptionError(f"{name} must be a whole number in {low}..{high}, not {value!r}")
    if not low <= result <= high:
        raise GameOptionError(f"{name} must lie in {low}..{high}, not {value}")
    return result


def _flag(name, value):
    if not isinstance(value, bool):
        raise GameOptionError(f"{name} must be true or false, not {value!r}")
    return value


def _dropped(drop, players, ranks):
    """The pairs left out of the deck, as a sorted tuple."""
    if drop is None:
        if ranks != 10 or players == 5:
            return ()
        return tuple((low, 10) for low in range(1, 10)) if players == 3 else ((9, 10),)
    if isinstance(drop, str):
        words = [word.split("/") for word in drop.split("+") if word not in ("", "none")]
        if not all(len(word) == 2 and word[0].isdecimal() and word[1].isdecimal() for word in words):
            raise GameOptionError(f"drop must be pairs such as 9/10+8/10, or none, not {drop!r}")
        drop = [(int(a), int(b)) for a, b in words]
    pairs = set()
    try:
        drop = [(a, b) for a, b in drop]
    except (TypeError, ValueError):
        raise GameOptionError(f"drop must be pairs of numbers such as [(9, 10)], not {drop!r}") from None
    for pair in drop:
        a, b = sorted([_option("a number of a dropped pair", number, 1, ranks) for number in pair])
        if a == b:
            raise GameOptionError(f"drop: there is no card {a}/{b}")
        pairs.add((a, b))
    return tuple(sorted(pairs))


cdef class Options:
    """What `Game` is made of; see there for the parameters."""

    def __cinit__(self, players=4, rounds=1, payoff="score", insertions_public=False,
                  ends_on_emptying_scout=True, max_turns=500, ranks=10, hand_size=None, chips=3,
                  drop=None):
        cdef rules_t* r = &self.rules
        cdef int i
        memset(r, 0, sizeof(rules_t))
        r.players = players = _option("players", players, 2, 5)
        r.two = players == 2
        if isinstance(rounds, str) and rounds == "match":
            rounds = 2 if r.two else players
        if isinstance(rounds, str):
            raise GameOptionError(f'rounds must be a whole number in 1..{_MAX_ROUNDS} or "match", not {rounds!r}')
        r.rounds = rounds = _option("rounds", rounds, 1, _MAX_ROUNDS)
        if not isinstance(payoff, str) or payoff not in PAYOFFS:
            raise GameOptionError(f"payoff must be one of {', '.join(PAYOFFS)}, not {payoff!r}")
        r.payoff = PAYOFFS[payoff]
        r.insertions_public = _flag("insertions_public", insertions_public)
        r.ends_on_emptying = _flag("ends_on_emptying_scout", ends_on_emptying_scout)
        r.max_turns = max_turns = _option("max_turns", max_turns, 1, _MAX_TURNS)
        r.ranks = ranks = _option("ranks", ranks, 2, _MAX_RANKS)
        r.chips = chips = _option("chips", chips, 0, _MAX_CHIPS)
        if not r.two:
            if chips != 3:
                raise GameOptionError("chips can be set with two players only")
            r.chips = 0
        dropped = _dropped(drop, players, ranks)
        pairs = [(a, b) for a in range(1, ranks + 1) for b in range(a + 1, ranks + 1) if (a, b) not in dropped]
        r.deck = len(pairs)
        memset(r.index, 255, 256)
        for i, (a, b) in enumerate(pairs):
            r.cards[i] = a | b << 4
            r.index[a | b << 4] = r.index[b | a << 4] = i
        deals = 2 if r.two and rounds > 1 else 1
        if hand_size is None:
            hand_size = r.deck // (4 if r.two else players)
            if hand_size < 1:
                raise GameOptionError(f"{r.deck} cards cannot be dealt to {players} players"
                                      + (" (who get half of them, unless hand_size says more)" if r.two else ""))
        r.hand_size = hand_size = _option("hand_size", hand_size, 1, 55)
        r.in_play = players * r.hand_size
        if r.in_play * deals > r.deck:
            raise GameOptionError(
                f"{deals * players} hands of {hand_size} cards cannot be dealt from {r.deck} cards"
                + (" (the second round of two players is dealt from the cards set aside)" if deals == 2 else ""))
        numbers = {number for pair in pairs for number in pair}
        r.longest = min(len(numbers), r.in_play)
        r.first_scout = 2 + r.longest * r.in_play
        r.first_both = r.first_scout + 4 * r.in_play
        r.num_actions = r.first_both + (0 if r.two else 4 * r.in_play)
        self._parameters = {
            "players": players, "rounds": rounds, "payoff": payoff,
            "insertions_public": insertions_public, "ends_on_emptying_scout": ends_on_emptying_scout,
            "max_turns": max_turns, "ranks": ranks, "hand_size": hand_size, "chips": chips, "drop": dropped,
        }
        self._text = self._write(players, ranks)

    def _write(self, players, ranks):
        """The game string: the number of players and whatever else is not default."""
        default = {
            "rounds": 1, "payoff": "score", "insertions_public": False, "ends_on_emptying_scout": True,
            "max_turns": 500, "ranks": 10, "chips": 3, "drop": _dropped(None, players, ranks),
            "hand_size": self.rules.deck // (4 if self.rules.two else players),
        }
        shown = {key: value for key, value in self._parameters.items()
                 if key not in default or value != default[key]}
        if "drop" in shown:
            shown["drop"] = "+".join(f"{a}/{b}" for a, b in shown["drop"]) or "none"
        return notation.format_game("scout", shown)

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text

    def __eq__(self, other):
        return isinstance(other, Options) and str(self) == str(other)

    def __hash__(self):
        return hash(self._text)

    # -- what it is made of

    @property
    def players(self):
        """Number of players."""
        return self.rules.players

    @property
    def rounds(self):
        """Number of rounds."""
        return self.rules.rounds

    @property
    def payoff(self):
        """What `State.returns` gives: "score", "margin" or "win"."""
        return self._parameters["payoff"]

    @property
    def max_turns(self):
        """Turns after which a round ends."""
        return self.rules.max_turns

    @property
    def hand_size(self):
        """Cards dealt to each seat."""
        return self.rules.hand_size

    @property
    def chips(self):
        """Scout chips of each at the start of a round; 0 with more than two players."""
        return self.rules.chips

    @property
    def cards_in_play(self):
        """Cards dealt to the seats of a round."""
        return self.rules.in_play

    @property
    def two_player(self):
        """Whether the two-player rules hold."""
        return bool(self.rules.two)

    @property
    def insertions_public(self):
        """Whether all see where a scouted card goes."""
        return bool(self.rules.insertions_public)

    @property
    def rules_version(self):
        """Which reading of the rules this is; it changes when a rule does."""
        return RULES_VERSION

    def deck(self):
        """The cards, as a list of (smaller, larger) number, in the order of their index."""
        return [(self.rules.cards[i] & 15, self.rules.cards[i] >> 4) for i in range(self.rules.deck)]

    # -- the protocol

    def num_players(self):
        """Number of players."""
        return self.rules.players

    def num_distinct_actions(self):
        """Action ids are 0..num_distinct_actions() - 1."""
        return self.rules.num_actions

    def max_chance_outcomes(self):
        """Chance outcomes are card index * 2 + (larger number on top)."""
        return 2 * self.rules.deck

    def max_utility(self):
        """An upper bound of a seat's pay-off."""
        if self.payoff == "win":
            return 1.0
        chips = self.rules.chips if self.rules.two else self.rules.max_turns
        best = float(self.rules.rounds * (self.rules.in_play + chips))
        return best - self._worst() if self.payoff == "margin" else best

    def min_utility(self):
        """A lower bound of a seat's pay-off."""
        if self.payoff == "win":
            return 0.0
        return -self.max_utility() if self.payoff == "margin" else self._worst()

    def _worst(self):
        return -float(self.rules.rounds * self.rules.in_play)

    def get_parameters(self):
        """The options, as a dict; `Game(**game.get_parameters())` equals the game."""
        return dict(self._parameters)

    # -- action ids

    @property
    def keep(self):
        """Action id: keep the hand as dealt."""
        return 0

    @property
    def turn(self):
        """Action id: turn the whole hand by 180 degrees."""
        return 1

    def show(self, start, length):
        """Action id: Show `length` cards from place `start` on.

        Raises
        ------
        IllegalActionError
            If no hand has such places.
        """
        at, cards = whole(start), whole(length)
        if at is None or cards is None or not (0 <= at < self.rules.in_play and 1 <= cards <= self.rules.longest):
            raise IllegalActionError(
                f"show({start!r}, {length!r}): start lies in 0..{self.rules.in_play - 1}, "
                f"length in 1..{self.rules.longest}")
        return 2 + (cards - 1) * self.rules.in_play + at

    def scout(self, end, place, turned):
        """Action id: Scout the left (`end` 0) or right (1) card to `place`, turned or as it lies.

        With one card on the table only end 0 is legal. `place` is the index that the card will
        have in the hand.

        Raises
        ------
        IllegalActionError
            If no hand has such a place, or `end` is neither 0 nor 1.
        """
        return self.rules.first_scout + self._scouting(end, place, turned)

    def scout_and_show(self, end, place, turned):
        """Action id: the Scout half of a Scout & Show; the Show is the same seat's next action.

        Raises
        ------
        IllegalActionError
            As `scout`; and always with two players, who have no Scout & Show.
        """
        if self.rules.two:
            raise IllegalActionError("with two players there is no Scout & Show")
        return self.rules.first_both + self._scouting(end, place, turned)

    def _scouting(self, end, place, turned):
        at = whole_in(place, 0, self.rules.in_play - 1)
        # True and False are no whole numbers, but tell a side
        side, way = (whole_in(int(x) if isinstance(x, (bool, np.bool_)) else x, 0, 1) for x in (end, turned))
        if at is None or side is None or way is None:
            raise IllegalActionError(
                f"end {end!r}, place {place!r}, turned {turned!r}: end is 0 (left) or 1 (right), "
                f"place lies in 0..{self.rules.in_play - 1}, turned is True or False")
        return 2 * (side * self.rules.in_play + at) + way

    def decode(self, action):
        """What an action id means.

        Returns
        -------
        tuple
            ("keep",), ("turn",), ("show", start, length), ("scout", end, place, turned) or
            ("scout_and_show", end, place, turned).

        Raises
        ------
        IllegalActionError
            If the id is out of range.
        """
        cdef int a = action_id(action, self.rules.num_actions)
        if a < 2:
            return ("turn",) if a else ("keep",)
        if a < self.rules.first_scout:
            return ("show", (a - 2) % self.rules.in_play, (a - 2) // self.rules.in_play + 1)
        kind = "scout" if a < self.rules.first_both else "scout_and_show"
        a -= self.rules.first_scout if a < self.rules.first_both else self.rules.first_both
        return (kind, a // (2 * self.rules.in_play), a % (2 * self.rules.in_play) // 2, bool(a & 1))


cdef int action_id(object action, int limit) except -1:
    """An action id as a C int."""
    a = whole(action)
    if a is None:
        raise IllegalActionError(f"an action is a whole number in 0..{limit - 1}, not {action!r}")
    if not 0 <= a < limit:
        raise IllegalActionError(f"an action lies in 0..{limit - 1}, not {a}")
    return a
