# cython: language_level=3
"""Baker Street for two players: `Game` and `State`, `evaluate` and `bid_odds`.

Rules: docs/rules-bakerstreet.md lists what the sources say and what is assumed. They run compiled
in `_bakerstreet.pyx`.
"""
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy, memset

from solver._core cimport Rng, as_rng, evaluate_stack, evaluation_t, hand_sums, rng_fork, rng_t
from solver.games._bakerstreet cimport (
    A_BID, A_CHOOSE, A_DOUBT, A_TAKE, ALTERNATE, BIDDING, CHOOSING, DEALING, DECK, DOUBT_LOSER, DOUBT_WINNER,
    DRAWING, DREW, HAND, HIGHEST_BID, LETTERS, NO_BID, NUM_ACTIONS, OVER, PILES, SHUFFLED, STACK, TAKING, TURN,
    apply, chance, current_player, legal, letters_t, new_bidding, playout, rules_t, start, state_t,
)

from solver._version import __version__
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games import notation
from solver.games._scout_options import whole

__all__ = ["Evaluation", "Game", "Playouts", "State", "bid_odds", "evaluate", "load"]

RULES_VERSION = "bakerstreet-1"
SYMBOLS = (None, "stop", "x2", "arrow")
DEFAULT_SYMBOLS = {(value, symbol): 1 for value in (0, 1, 2) for symbol in ("stop", "x2", "arrow")}
_ALPHABET = "ABCDEFGHIJKLMNOPQRST"
_STARTERS = {"doubt_loser": DOUBT_LOSER, "doubt_winner": DOUBT_WINNER, "alternate": ALTERNATE}
_PHASES = {DEALING: "deal", DRAWING: "draw", TURN: "turn", BIDDING: "bid", CHOOSING: "choose_pile", TAKING: "take",
           OVER: "over"}
_MAX_ROUNDS = 100_000
cdef object _TOKEN = object()


class Evaluation(NamedTuple):
    """What the evaluation of a stack gives.

    Attributes
    ----------
    totals : tuple of int
        Total of each seat, doubled where it has an X2 among the evaluated cards.
    evaluated : int
        Cards evaluated, from the top.
    left : int
        Cards that stay, beneath a STOP.
    arrow : bool
        Whether an evaluated card bears ARROW.
    """

    totals: tuple
    evaluated: int
    left: int
    arrow: bool


class Playouts(NamedTuple):
    """What `Game.playouts` measured; see `scout.Playouts`.

    Attributes
    ----------
    games, decisions : int
    seconds : float
    mean_returns : tuple of float
    terminations : dict of str to int
        Wins of seat 0 and of seat 1, and draws.
    """

    games: int
    decisions: int
    seconds: float
    mean_returns: tuple
    terminations: dict


# ------------------------------------------------------------------------------------------------
# Cards

cdef int _kind(object value, object symbol) except -1:
    """A detective card as a byte without its seat."""
    v = whole(value)
    if v is None or not 0 <= v <= 5:
        raise ArgumentError(f"a detective card's value lies in 0..5, not {value!r}")
    if symbol not in SYMBOLS:
        raise ArgumentError(f"a symbol is None, 'stop', 'x2' or 'arrow', not {symbol!r}")
    return <int> v | SYMBOLS.index(symbol) << 3


cdef tuple _card(int kind):
    return (kind & 7, SYMBOLS[kind >> 3 & 3])


def card_text(card):
    """A detective card: its value, and the first letter of its symbol."""
    return f"{card[0]}{(card[1] or ' ')[0].strip()}"


cdef str _letters(letters_t pile):
    """The letters of a pile, sorted."""
    cdef int i
    return "".join([_ALPHABET[i] * ((pile.once >> i & 1) + 2 * (pile.twice >> i & 1)) for i in range(LETTERS)])


def evaluate(stack):
    """Evaluate the detective cards of a pile.

    Parameters
    ----------
    stack : sequence of (int, int, str or None)
        (seat, value, symbol) of each card, the top first; at most 60.

    Returns
    -------
    Evaluation

    Raises
    ------
    ArgumentError
        If a seat, value or symbol is none.

    Notes
    -----
    From the top down, until none is left or a STOP has been evaluated, which still counts. Each
    seat adds the values of its own cards; one X2 or several double its total once.

    Examples
    --------
    >>> evaluate([(0, 2, "stop"), (1, 5, None)])
    Evaluation(totals=(2, 0), evaluated=1, left=1, arrow=False)
    """
    cdef uint8_t cards[STACK]
    cdef evaluation_t result
    rows = list(stack)
    n = len(rows)
    if n > STACK:
        raise ArgumentError(f"a stack has at most {STACK} cards, not {n}")
    for i, row in enumerate(rows):
        try:
            seat, value, symbol = row
        except (TypeError, ValueError):
            raise ArgumentError(f"card {i}: (seat, value, symbol) is needed, not {row!r}") from None
        if whole(seat) not in (0, 1):
            raise ArgumentError(f"card {i}: a seat is 0 or 1, not {seat!r}")
        cards[<int> (n - 1 - i)] = _kind(value, symbol) | <int> whole(seat) << 5
    result = evaluate_stack(cards, n)
    return Evaluation((result.total[0], result.total[1]), result.evaluated, n - result.evaluated, bool(result.arrow))


def bid_odds(hand, unseen):
    """Exact chance that the six hand cards reach each bid.

    Parameters
    ----------
    hand : sequence of int
        Values of the own hand cards, each in 0..5; at most 3.
    unseen : sequence of int
        unseen[v] is the number of the rival's cards of value v (0..5) not yet seen, 0..30 each:
        its hand is 3 of them, each equally likely (all of them, if they are fewer).

    Returns
    -------
    numpy.ndarray
        float64, shape (31,): the chance that the sum is at least 0, 1, ..., 30.

    Raises
    ------
    ArgumentError
        If a value or a count is out of range.

    Examples
    --------
    >>> odds = bid_odds([5, 5, 5], [5, 5, 5, 5, 5, 5])
    >>> float(odds[15]), round(float(odds[30]) * 4060)
    (1.0, 10)
    """
    cdef int counts[6]
    cdef int64_t ways[16]
    cdef int64_t total
    cdef int own = 0, cards = 0, s, v
    values = [whole(value) for value in hand]
    if len(values) > HAND or not all(value is not None and 0 <= value <= 5 for value in values):
        raise ArgumentError(f"hand: at most {HAND} values in 0..5 are needed, not {hand!r}")
    numbers = [whole(count) for count in unseen]
    if len(numbers) != 6 or not all(count is not None and 0 <= count <= DECK for count in numbers):
        raise ArgumentError(f"unseen: 6 counts in 0..{DECK} are needed, one a value, not {unseen!r}")
    for v in range(6):
        counts[v] = numbers[v]
        cards += counts[v]
    own = sum(values)
    total = hand_sums(counts, min(cards, HAND), ways)
    result = np.zeros(HIGHEST_BID + 1)
    at_least = 0
    for s in range(HIGHEST_BID, -1, -1):
        if 0 <= s - own < 16:
            at_least += ways[s - own]
        result[s] = at_least / total if s > own else 1.0
    return result


# ------------------------------------------------------------------------------------------------
# The game

def _deck(symbols):
    """The kinds of one deck, and the table of its symbols."""
    if symbols is None:
        symbols = DEFAULT_SYMBOLS
    if isinstance(symbols, str):
        table = {}
        for word in symbols.split("+"):
            if word in ("", "none"):
                continue
            if word[0] not in "012345" or word[1:] not in SYMBOLS[1:]:
                raise GameOptionError(f"symbols must be such as 0stop+1x2+1arrow, or none; not {word!r}")
            key = (int(word[0]), word[1:])
            table[key] = table.get(key, 0) + 1
        symbols = table
    if not isinstance(symbols, Mapping):
        raise GameOptionError(f"symbols must be a dict (value, symbol) -> count, not {symbols!r}")
    left = [5] * 6
    deck = []
    table = {}
    for key, given in symbols.items():
        count = whole(given)
        try:
            value, symbol = key
        except (TypeError, ValueError):
            value = symbol = None
        v = whole(value)
        if v is None or not 0 <= v <= 5 or symbol not in SYMBOLS[1:] or count is None or count < 0:
            raise GameOptionError(f"symbols: (value, symbol) -> count is needed, with a value in 0..5 and a symbol "
                                  f"'stop', 'x2' or 'arrow', not {key!r}: {given!r}")
        left[v] -= count
        if left[v] < 0:
            raise GameOptionError(f"symbols: value {v} has five cards, so not more symbols")
        deck += [v | SYMBOLS.index(symbol) << 3] * count
        if count:
            table[v, symbol] = count
    for v in range(6):
        deck += [v] * left[v]
    return sorted(deck), dict(sorted(table.items()))


cdef class Game:
    """Baker Street with its options.

    Parameters
    ----------
    symbols : dict of (int, str) to int, optional
        How many cards of a deck with this value bear this symbol ("stop", "x2", "arrow"). Default
        (assumed): one of each symbol on each of the values 0, 1 and 2.
    next_starter : {"doubt_loser", "doubt_winner", "alternate"}, default "doubt_loser"
        Who moves first in the next round (assumed).
    max_rounds : int, default 200
        Doubts after which the longer run of letters wins, 1..100000 (assumed).

    Raises
    ------
    GameOptionError
        If an option is out of range.
    """

    cdef rules_t rules
    cdef dict _parameters
    cdef str _text

    def __cinit__(self, symbols=None, next_starter="doubt_loser", max_rounds=200):
        cdef int i
        deck, table = _deck(symbols)
        if not isinstance(next_starter, str) or next_starter not in _STARTERS:
            raise GameOptionError(f"next_starter must be one of {', '.join(_STARTERS)}, not {next_starter!r}")
        rounds = whole(max_rounds)
        if rounds is None or not 1 <= rounds <= _MAX_ROUNDS:
            raise GameOptionError(f"max_rounds must be a whole number in 1..{_MAX_ROUNDS}, not {max_rounds!r}")
        for i in range(DECK):
            self.rules.deck[i] = deck[i]
        self.rules.max_rounds = rounds
        self.rules.next_starter = _STARTERS[next_starter]
        self._parameters = {"symbols": table, "next_starter": next_starter, "max_rounds": rounds}
        shown = {}
        if table != DEFAULT_SYMBOLS:
            words = [f"{value}{symbol}" for (value, symbol), count in table.items() for _ in range(count)]
            shown["symbols"] = "+".join(words) or "none"
        if next_starter != "doubt_loser":
            shown["next_starter"] = next_starter
        if rounds != 200:
            shown["max_rounds"] = rounds
        self._text = notation.format_game("bakerstreet", shown)

    def __str__(self):
        return self._text

    def __repr__(self):
        return self._text

    def __eq__(self, other):
        return isinstance(other, Game) and str(self) == str(other)

    def __hash__(self):
        return hash(self._text)

    def __reduce__(self):
        return load, (self._text,)

    @property
    def rules_version(self):
        """Which reading of the rules this is; it changes when a rule does."""
        return RULES_VERSION

    def deck(self):
        """The cards of one deck, as a sorted list of (value, symbol)."""
        return [_card(self.rules.deck[i]) for i in range(DECK)]

    # -- the protocol

    def num_players(self):
        """Two."""
        return 2

    def num_distinct_actions(self):
        """Action ids are 0..num_distinct_actions() - 1."""
        return NUM_ACTIONS

    def max_chance_outcomes(self):
        """Chance outcomes are a letter (0..19) or a kind of card (value + 8 * symbol)."""
        return 32

    def max_utility(self):
        """A win."""
        return 1.0

    def min_utility(self):
        """A loss."""
        return -1.0

    def get_parameters(self):
        """The options, as a dict; `Game(**game.get_parameters())` equals the game."""
        return {**self._parameters, "symbols": dict(self._parameters["symbols"])}

    def new_initial_state(self):
        """The start, with chance nodes: the letters of each pile, then every draw.

        Returns
        -------
        State
        """
        cdef State s = State.__new__(State, _TOKEN)
        s.game = self
        s.c.explicit_chance = 1
        s._start()
        return s

    # -- action ids

    def place(self, value, symbol, pile):
        """Action id: place a card at a pile (0..4).

        Raises
        ------
        IllegalActionError
            If there is no such card or pile.
        """
        try:
            kind = _kind(value, symbol)
        except ArgumentError as error:
            raise IllegalActionError(str(error)) from None
        return ((kind >> 3) * 6 + (kind & 7)) * PILES + self._pile(pile)

    def bid(self, n):
        """Action id: bid n, 0..30."""
        number = whole(n)
        if number is None or not 0 <= number <= HIGHEST_BID:
            raise IllegalActionError(f"a bid lies in 0..{HIGHEST_BID}, not {n!r}")
        return A_BID + number

    @property
    def doubt(self):
        """Action id: doubt the standing bid."""
        return A_DOUBT

    def choose_pile(self, i):
        """Action id: name a pile (0..4) to evaluate, after a doubt won."""
        return A_CHOOSE + self._pile(i)

    def take(self, letter):
        """Action id: take a letter, "A" to "T"."""
        if not isinstance(letter, str) or len(letter) != 1 or letter not in _ALPHABET:
            raise IllegalActionError(f"a letter is one of {_ALPHABET}, not {letter!r}")
        return A_TAKE + _ALPHABET.index(letter)

    def _pile(self, pile):
        number = whole(pile)
        if number is None or not 0 <= number < PILES:
            raise IllegalActionError(f"a pile lies in 0..{PILES - 1}, not {pile!r}")
        return number

    def decode(self, action):
        """What an action id means.

        Returns
        -------
        tuple
            ("place", value, symbol, pile), ("bid", n), ("doubt",), ("choose_pile", pile) or
            ("take", letter).

        Raises
        ------
        IllegalActionError
            If the id is out of range.
        """
        a = whole(action)
        if a is None or not 0 <= a < NUM_ACTIONS:
            raise IllegalActionError(f"an action is a whole number in 0..{NUM_ACTIONS - 1}, not {action!r}")
        if a < A_BID:
            return ("place", a // PILES % 6, SYMBOLS[a // PILES // 6], a % PILES)
        if a < A_DOUBT:
            return ("bid", a - A_BID)
        if a == A_DOUBT:
            return ("doubt",)
        if a < A_TAKE:
            return ("choose_pile", a - A_CHOOSE)
        return ("take", _ALPHABET[a - A_TAKE])

    # -- deals and play

    def deal(self, decks=None, piles=None, seed=None):
        """A new game with everything shuffled.

        Parameters
        ----------
        decks : sequence of two sequences of (int, str or None), optional
            Each seat's 30 cards, (value, symbol), the top card first; the first three are drawn.
        piles : sequence of five str, optional
            The letters of each pile, eight each; together A..T twice.
        seed : int, numpy.random.SeedSequence, Rng or None
            For what is not given, and for later reshuffles.

        Returns
        -------
        State

        Raises
        ------
        PositionError
            If the decks or piles are not those of the game.
        """
        cdef State s = State.__new__(State, _TOKEN)
        cdef Rng rng = as_rng(seed)
        s.game = self
        rng_fork(&rng.c, &s.c.rng)
        s._start(None if decks is None else self._checked_decks(decks),
                 None if piles is None else _checked_piles(piles))
        return s

    def _checked_decks(self, decks):
        try:
            rows = [[_kind(value, symbol) for value, symbol in deck] for deck in decks]
        except (TypeError, ValueError) as error:
            raise PositionError(f"decks must be two sequences of (value, symbol): {error}") from None
        if len(rows) != 2:
            raise PositionError(f"two decks are needed, not {len(rows)}")
        for seat, row in enumerate(rows):
            if sorted(row) != [self.rules.deck[i] for i in range(DECK)]:
                raise PositionError(f"deck of seat {seat}: not the {DECK} cards of {self}")
        return rows

    def playouts(self, n, seed=0):
        """Play `n` games by uniformly random legal actions, on one thread and without Python.

        Parameters
        ----------
        n : int
            Games, at least 1.
        seed : int, numpy.random.SeedSequence, Rng or None

        Returns
        -------
        Playouts

        Raises
        ------
        ArgumentError
            If `n` is no whole number of at least 1.
        """
        if whole(n) is None or not 1 <= n < 2**62:
            raise ArgumentError(f"n must be a whole number of at least 1, not {n!r}")
        cdef Rng rng = as_rng(seed)
        cdef rng_t stream = rng.c
        cdef state_t fresh, s
        cdef long long games = n, done = 0, decisions = 0
        cdef long long wins[3]
        cdef int _i, chunk
        memset(&fresh, 0, sizeof(state_t))
        memset(wins, 0, sizeof(wins))
        fresh.events = -1
        began = time.perf_counter()
        while done < games:
            PyErr_CheckSignals()
            chunk = <int> min(<long long> 200, games - done)
            with nogil:
                for _i in range(chunk):
                    s = fresh
                    decisions += playout(&self.rules, &s, &stream)
                    wins[2 if s.winner < 0 else s.winner] += 1
            done += chunk
        seconds = time.perf_counter() - began
        rng.c = stream
        margin = <double> (wins[0] - wins[1]) / games
        return Playouts(n, decisions, seconds, (margin, -margin),
                        {"seat 0": wins[0], "seat 1": wins[1], "draw": wins[2]})


def _checked_piles(piles):
    """Five strings of eight letters, A..T twice in all."""
    if isinstance(piles, str) or not all(isinstance(pile, str) for pile in piles) or len(piles) != PILES:
        raise PositionError(f"piles must be {PILES} strings of letters, not {piles!r}")
    for i, pile in enumerate(piles):
        if len(pile) != 8:
            raise PositionError(f"pile {i}: 8 letters are needed, not {len(pile)}")
    if sorted("".join(piles)) != sorted(_ALPHABET * 2):
        raise PositionError(f"the piles must hold each letter of {_ALPHABET} twice")
    return list(piles)


def load(text):
    """The game of a game string such as ``bakerstreet(next_starter=alternate)``.

    Raises
    ------
    GameOptionError
        If an option is unknown or wrong.
    PositionError
        If the text is no game string or of another game.
    """
    notation.check_length(text)
    name, given, end = notation.read_game(text)
    if name != "bakerstreet":
        raise PositionError(f"this is the game bakerstreet, not {name}", 1)
    if text[end:].strip():
        raise PositionError("nothing may follow the game string", end + 1)
    known = ["symbols", "next_starter", "max_rounds"]
    for key in given:
        if key not in known:
            raise notation.unknown_option("bakerstreet", key, known)
    return Game(**given)


cdef class State:
    """A game in progress, with all that is hidden. Made by `Game.deal` or `Game.new_initial_state`.

    A state from `Game.deal` holds the order of both decks and its own random stream for reshuffles,
    so it has no chance nodes; one from `new_initial_state` has them.
    """

    cdef state_t c
    cdef readonly Game game
    cdef list _views               # by seat: what it saw, in order
    cdef list _history

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("a State is made by Game.deal or Game.new_initial_state")

    cdef _start(self, decks=None, piles=None):
        cdef letters_t none
        cdef int q, i, j
        self._views = [f"{self.game} seat {q}:" for q in range(2)]
        self._history = []
        start(&self.game.rules, &self.c)
        if piles is not None:
            none.once = none.twice = 0
            for i, pile in enumerate(piles):
                self.c.pile[i] = none
                for letter in pile:
                    j = _ALPHABET.index(letter)
                    if self.c.pile[i].once >> j & 1:
                        self.c.pile[i].once ^= <uint32_t> 1 << j
                        self.c.pile[i].twice |= <uint32_t> 1 << j
                    else:
                        self.c.pile[i].once |= <uint32_t> 1 << j
        if decks is not None:
            for q in range(2):
                self.c.seat[q].cards = 0
                self.c.seat[q].deck_cards = DECK
                for i in range(DECK):
                    self.c.seat[q].deck[i] = decks[q][DECK - 1 - i]
            self.c.events = 0
            new_bidding(&self.game.rules, &self.c)
        self._see_hands()

    cdef _see_hands(self):
        """At the start each seat sees its hand."""
        if self.c.phase == DEALING:
            return
        for q in range(2):
            self._views[q] += f" hand {' '.join(map(card_text, self.hand(q)))}"

    # -- the protocol

    def current_player(self):
        """Seat to decide; -1 at a chance node, -4 at the end."""
        return current_player(&self.c)

    def is_terminal(self):
        """Whether the game is over."""
        return self.c.phase == OVER

    def is_chance_node(self):
        """Whether chance decides next."""
        return self.c.phase in (DEALING, DRAWING)

    def chance_outcomes(self):
        """Every outcome of a chance node and its probability, as a list of (int, float)."""
        cdef int i
        if self.c.phase == DRAWING:
            cards = [self.c.seat[self.c.drawer].deck[i] for i in range(self.c.seat[self.c.drawer].deck_cards)]
            return [(kind, cards.count(kind) / len(cards)) for kind in sorted(set(cards))]
        if self.c.phase != DEALING:
            return []
        dealt = "".join(_letters(self.c.pile[i]) for i in range(PILES))
        left = [2 - dealt.count(letter) for letter in _ALPHABET]
        return [(i, n / sum(left)) for i, n in enumerate(left) if n]

    def legal_actions(self, player=None):
        """Legal action ids, ascending; at a chance node the possible outcomes.

        Parameters
        ----------
        player : int, optional
            If given and not the seat to decide, the list is empty.
        """
        cdef int32_t actions[NUM_ACTIONS]
        cdef int n, i
        if player is not None and player != self.current_player():
            return []
        if self.is_chance_node():
            return [outcome for outcome, _ in self.chance_outcomes()]
        n = legal(&self.game.rules, &self.c, actions)
        return [actions[i] for i in range(n)]

    def apply_action(self, action):
        """Play an action, or a chance outcome.

        Raises
        ------
        IllegalActionError
            If it is not legal here; the state is unchanged.
        """
        cdef int dealing = self.c.phase == DEALING
        if self.c.phase == OVER:
            raise IllegalActionError("the game is over: no action is legal")
        a = whole(action)
        if a is None or a not in self.legal_actions():
            raise IllegalActionError(self._why_not(action, a))
        self._history.append(a)
        self.c.events = 0
        if self.is_chance_node():
            chance(&self.game.rules, &self.c, a)
            if not dealing or self.c.phase != DEALING:
                self._see_events()
            return
        self._see(a)
        apply(&self.game.rules, &self.c, a)
        self._see_events()

    cdef _see(self, action):
        """Write down what each seat sees of an action about to be played."""
        kind, *rest = self.game.decode(action)
        mover = self.c.mover
        own = other = f"; {mover} "
        if kind == "place":
            own = other = own + f"places {card_text(rest[:2])} on {rest[2]}"
        elif kind == "bid":
            own = other = own + f"bids {rest[0]}"
        elif kind == "doubt":
            hands = ", ".join(" ".join(map(card_text, self.hand(q))) for q in range(2))
            own = other = own + f"doubts, hands {hands}"
        elif kind == "choose_pile":
            own = other = own + f"names {rest[0]}"
        else:
            other += f"takes from {self.c.current}"
            own += f"takes {rest[0]} from {self.c.current}"
        self._views[mover] += own
        self._views[1 - mover] += other

    cdef _see_events(self):
        """Write down what chance and the evaluation showed."""
        cdef int i
        for i in range(self.c.events):
            what, who, which = self.c.event[i][0], self.c.event[i][1], self.c.event[i][2]
            if what == DREW:
                self._views[who] += f"; draws {card_text(_card(which))}"
            elif what == SHUFFLED:
                for q in range(2):
                    self._views[q] += f"; {who} reshuffles"
            else:
                for q in range(2):
                    self._views[q] += f"; {who} wins {which}"
                self._views[who] += f" {_letters(self.c.pile[<int> which])}"

    def _why_not(self, action, a):
        """In words, why an action is not legal."""
        legal_here = self.legal_actions()
        if a is None or self.is_chance_node():
            return f"{action!r} is none of the possible outcomes or actions {legal_here[:8]}..."
        kind, *rest = self.game.decode(a)
        phase = _PHASES[self.c.phase]
        if kind == "bid" and phase == "bid":
            return f"the standing bid is {self.c.standing}: a bid must be higher"
        if kind == "take" and phase == "take":
            return f"{rest[0]} is not in pile {self.c.current}, or owned already"
        if kind == "place" and phase == "turn":
            if self.c.standing == HIGHEST_BID:
                return f"a bid of {HIGHEST_BID} must be doubted"
            return f"the hand has no {card_text(rest[:2])}"
        if kind == "doubt" and phase == "turn":
            return "there is no bid to doubt"
        return f"seat {self.c.mover} is to {phase.replace('_', ' ')}, not to {kind.replace('_', ' ')}"

    def child(self, action):
        """The state after an action; this one stays as it is."""
        result = self.clone()
        result.apply_action(action)
        return result

    def clone(self):
        """An independent copy, random stream included."""
        cdef State s = State.__new__(State, _TOKEN)
        s.c = self.c
        s.game = self.game
        s._views = list(self._views)
        s._history = list(self._history)
        return s

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return _restore_state, (__version__, self.game, PyBytes_FromStringAndSize(<char*> &self.c, sizeof(state_t)),
                                self._views, self._history)

    def returns(self):
        """1 for the winner, -1 for the loser, 0 for a draw and before the end; as a list of float."""
        if self.c.phase != OVER or self.c.winner < 0:
            return [0.0, 0.0]
        return [1.0, -1.0] if self.c.winner == 0 else [-1.0, 1.0]

    def history(self):
        """Actions and chance outcomes so far, as a list of int."""
        return list(self._history)

    def information_state_string(self, player=None):
        """All that a seat saw, in order, own choices included (perfect recall).

        Raises
        ------
        ArgumentError
            If there is no such seat, or none is given and no seat is to decide.
        """
        return self._views[self._seat(self.current_player() if player is None else player)]

    def action_to_string(self, player, action=None):
        """An action in words, such as "place 2 stop on 3" or "bid 14".

        Parameters
        ----------
        player : int
            The seat to decide, or -1 for a chance outcome.
        action : int
            With one argument only, that one is the action, and the seat to decide is meant.

        Raises
        ------
        IllegalActionError
            If the action is out of range.
        """
        if action is None:
            player, action = self.current_player(), player
        if player == -1:
            return self._chance_words(whole(action))
        return action_words(self.game, action)

    cdef str _chance_words(self, object outcome):
        """A letter while the piles are dealt, else a card drawn."""
        letters = self.c.phase == DEALING
        if outcome is None or not 0 <= outcome < (LETTERS if letters else 32) or (not letters and outcome & 7 > 5):
            raise IllegalActionError(f"{outcome!r} is no chance outcome here")
        return _ALPHABET[outcome] if letters else f"draw {card_text(_card(outcome))}"

    # -- what there is to see

    cdef int _seat(self, object player) except -1:
        if whole(player) not in (0, 1):
            raise ArgumentError(f"a seat is 0 or 1, not {player!r}")
        return player

    def hand(self, player):
        """A seat's hand, as a sorted list of (value, symbol)."""
        cdef int q = self._seat(player), i
        return sorted([_card(self.c.seat[q].hand[i]) for i in range(self.c.seat[q].cards)], key=_by_value)

    def deck(self, player):
        """A seat's deck, the top card first; with explicit chance in no order."""
        cdef int q = self._seat(player), i
        return [_card(self.c.seat[q].deck[i]) for i in range(self.c.seat[q].deck_cards - 1, -1, -1)]

    def discards(self, player):
        """A seat's discard pile, as a sorted list of (value, symbol)."""
        cdef int q = self._seat(player), i
        return sorted([_card(self.c.seat[q].discard[i]) for i in range(self.c.seat[q].discards)], key=_by_value)

    def stack(self, i):
        """The detective cards of a pile, the top first, as a list of (seat, value, symbol)."""
        cdef int pile = self.game._pile(i), j
        return [(self.c.stack[pile][j] >> 5, *_card(self.c.stack[pile][j]))
                for j in range(self.c.stack_cards[pile] - 1, -1, -1)]

    def pile(self, i):
        """The letters of a pile, sorted, as a str."""
        return _letters(self.c.pile[<int> self.game._pile(i)])

    def evidence(self, player):
        """A seat's letters, sorted, as a str."""
        cdef int q = self._seat(player), i
        return "".join([_ALPHABET[i] for i in range(LETTERS) if self.c.seat[q].evidence >> i & 1])

    def standing_bid(self):
        """The last bid of this round, or None."""
        return None if self.c.standing == NO_BID else self.c.standing

    def bids(self):
        """The bids of this round, ascending."""
        return [n for n in range(HIGHEST_BID + 1) if self.c.bids >> <int> n & 1]

    def doubt_winner(self):
        """Who won the last doubt, or None."""
        return None if self.c.doubt_winner < 0 else self.c.doubt_winner

    def winner(self):
        """Who won the game; None before its end and for a draw."""
        return None if self.c.phase != OVER or self.c.winner < 0 else self.c.winner

    @property
    def rounds(self):
        """Finished doubts."""
        return self.c.rounds

    @property
    def starter(self):
        """Seat that began this round."""
        return self.c.starter

    @property
    def phase(self):
        """One of "deal", "draw" (chance nodes), "turn", "bid", "choose_pile", "take" and "over"."""
        return _PHASES[self.c.phase]

    def __repr__(self):
        return f"<bakerstreet.State of {self.game}, {self.phase}, seat to decide {self.current_player()}>"


def _by_value(card):
    return (card[0], card[1] or "")


def action_words(game, action):
    """An action in words."""
    kind, *rest = game.decode(action)
    if kind == "place":
        return f"place {rest[0]}{' ' + rest[1] if rest[1] else ''} on {rest[2]}"
    if kind == "choose_pile":
        return f"name pile {rest[0]}"
    return " ".join(map(str, (kind, *rest)))


def _restore_state(version, Game game not None, bytes c not None, views, history):
    """For process pools of one version; nothing that is kept on disk holds a pickled State."""
    cdef State s = State.__new__(State, _TOKEN)
    if version != __version__ or len(c) != sizeof(state_t):
        raise ArgumentError(f"this State was pickled by version {version}; this is {__version__}")
    memcpy(&s.c, PyBytes_AS_STRING(c), sizeof(state_t))
    s.game = game
    s._views, s._history = list(views), list(history)
    return s
