# cython: language_level=3
"""Baker Street for two players: `Game`, `State` and `Position`, `evaluate` and `bid_odds`.

Rules: docs/rules-bakerstreet.md lists what the sources say and what is assumed. They run compiled
in `_bakerstreet.pyx`.
"""
import time
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from solver._core cimport (
    Rng, as_rng, evaluate_stack, evaluation_t, hand_sums, listed, rng_fork, rng_t, share_of_one, uniforms, whole,
    whole_in,
)
from solver.games._bakerstreet cimport (
    A_BID, A_CHOOSE, A_DOUBT, A_TAKE, ALTERNATE, BIDDING, CHOOSING, DEALING, DECK, DOUBT_LOSER, DOUBT_WINNER,
    DRAWING, DREW, HAND, HIGHEST_BID, LETTERS, NO_BID, NUM_ACTIONS, OVER, PILES, SHUFFLED, STACK, TAKING,
    TOOK_AMONG, TOOK_BEFORE, TOOK_NOTHING, TOOK_OWN, TOOK_UNKNOWN, TURN, add_letter, apply, chance, current_player,
    fill_ops, fill_pools, legal, letters_t, new_bidding, observe, options, playout, position_t, rules_t, sample,
    search_context_t, start, state_t, weigh,
)
from solver.games._bakerstreet_policy cimport (
    BY_PIPS, BY_WORTH, choice_by_worth, estimate, evidence_worth as worth_of, fill_policy_ops, planned_game, planning,
    rollout_policy, score_actions,
)
from solver.games.ops cimport SearchRoot

from solver._version import __version__
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games import bakerstreet_notation, notation
from solver.games.bakerstreet_notation import card_text

__all__ = ["Evaluation", "Game", "Playouts", "Position", "State", "bid_odds", "evaluate", "evidence_worth", "load",
           "parse"]

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
    if not (symbol is None or isinstance(symbol, str)) or symbol not in SYMBOLS:
        raise ArgumentError(f"a symbol is None, 'stop', 'x2' or 'arrow', not {symbol!r}")
    return <int> v | SYMBOLS.index(symbol) << 3


cdef tuple _card(int kind):
    return (kind & 7, SYMBOLS[kind >> 3 & 3])


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
    rows = listed(stack, "a stack")
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


def time_evaluate(stack, repeat):
    """Seconds for `repeat` evaluations of a stack as `evaluate` takes it, in C; for benchmarks."""
    cdef uint8_t cards[STACK]
    cdef evaluation_t result
    cdef int n, i, total = 0
    cdef long long _i, count
    times = whole_in(repeat, 1, 2**40)
    if times is None:
        raise ArgumentError(f"repeat must be a whole number of at least 1, not {repeat!r}")
    count = times
    evaluate(stack)
    n = len(stack)
    for i, (seat, value, symbol) in enumerate(stack):
        cards[n - 1 - i] = _kind(value, symbol) | <int> seat << 5
    began = time.perf_counter()
    with nogil:
        for _i in range(count):
            cards[0] ^= total == -1             # hangs on the last result, so none is skipped
            result = evaluate_stack(cards, n)
            total += result.total[0] + result.total[1]
    return time.perf_counter() - began


def bid_odds(hand, unseen, known=()):
    """Exact chance that the six hand cards reach each bid.

    Parameters
    ----------
    hand : sequence of int
        Values of the own hand cards, each in 0..5; at most 3.
    unseen : sequence of int
        unseen[v] is the number of the rival's cards of value v (0..5) not yet seen, 0..30 each:
        its hand is 3 of them, each equally likely (all of them, if they are fewer).
    known : sequence of int, optional
        Values of rival's hand cards that are known, at most 3; they are not in `unseen`, and the
        hand is filled up from there.

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
    values = [whole(value) for value in listed(hand, "hand")]
    if len(values) > HAND or not all(value is not None and 0 <= value <= 5 for value in values):
        raise ArgumentError(f"hand: at most {HAND} values in 0..5 are needed, not {hand!r}")
    rivals = [whole(value) for value in listed(known, "known")]
    if len(rivals) > HAND or not all(value is not None and 0 <= value <= 5 for value in rivals):
        raise ArgumentError(f"known: at most {HAND} values in 0..5 are needed, not {known!r}")
    numbers = [whole(count) for count in listed(unseen, "unseen")]
    if len(numbers) != 6 or not all(count is not None and 0 <= count <= DECK for count in numbers):
        raise ArgumentError(f"unseen: 6 counts in 0..{DECK} are needed, one a value, not {unseen!r}")
    for v in range(6):
        counts[v] = numbers[v]
        cards += counts[v]
    own = sum(values) + sum(rivals)
    total = hand_sums(counts, min(cards, HAND - len(rivals)), ways)
    result = np.zeros(HIGHEST_BID + 1)
    at_least = 0
    for s in range(HIGHEST_BID, -1, -1):
        if 0 <= s - own < 16:
            at_least += ways[s - own]
        result[s] = float(at_least) / total if s > own else 1.0
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
    def max_rounds(self):
        """Doubts after which the longer run of letters wins."""
        return self.rules.max_rounds

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

    def playouts(self, n, seed=0, policy="random"):
        """Play `n` games from fresh deals, on one thread and without Python.

        Parameters
        ----------
        n : int
            Games, at least 1.
        seed : int, numpy.random.SeedSequence, Rng or None
        policy : {"random", "planning"}, default "random"
            Uniformly random legal actions, or the planning agent in both seats (see
            `Position.planning_action`), each from what it knows.

        Returns
        -------
        Playouts

        Raises
        ------
        ArgumentError
            If `n` is no whole number of at least 1, or there is no such policy.
        """
        cdef object wanted = whole_in(n, 1, 2**62)
        if wanted is None:
            raise ArgumentError(f"n must be a whole number of at least 1, not {n!r}")
        if not isinstance(policy, str) or policy not in ("random", "planning"):
            raise ArgumentError(f'policy must be "random" or "planning", not {policy!r}')
        cdef bint planned = policy == "planning"
        cdef Rng rng = as_rng(seed)
        cdef rng_t stream = rng.c
        cdef state_t fresh, s
        cdef long long games = wanted, done = 0, decisions = 0
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
                    if planned:
                        decisions += planned_game(&self.rules, &s, &stream)
                    else:
                        decisions += playout(&self.rules, &s, &stream)
                    wins[2 if s.winner < 0 else s.winner] += 1
            done += chunk
        seconds = time.perf_counter() - began
        rng.c = stream
        margin = <double> (wins[0] - wins[1]) / games
        return Playouts(games, decisions, seconds, (margin, -margin),
                        {"seat 0": wins[0], "seat 1": wins[1], "draw": wins[2]})


def _checked_piles(piles):
    """Five strings of eight letters, A..T twice in all."""
    try:
        rows = [] if isinstance(piles, str) else list(piles)
    except TypeError:
        rows = []
    if len(rows) != PILES or not all(isinstance(pile, str) for pile in rows):
        raise PositionError(f"piles must be {PILES} strings of letters, not {piles!r}")
    for i, pile in enumerate(rows):
        if len(pile) != 8:
            raise PositionError(f"pile {i}: 8 letters are needed, not {len(pile)}")
    if sorted("".join(rows)) != sorted(_ALPHABET * 2):
        raise PositionError(f"the piles must hold each letter of {_ALPHABET} twice")
    return rows


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
    cdef state_t origin            # where the views begin, in a sampled state
    cdef readonly Game game
    cdef list _prefix              # by seat: what stands before its view; None: its position in `origin`
    cdef list _views               # by seat: what it saw, in order
    cdef list _history

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("a State is made by Game.deal or Game.new_initial_state")

    cdef _start(self, decks=None, piles=None):
        cdef letters_t none
        cdef int q, i
        self._prefix = [f"{self.game} seat {q}:" for q in range(2)]
        self._views = [""] * 2
        self._history = []
        start(&self.game.rules, &self.c)
        if piles is not None:
            none.once = none.twice = 0
            for i, pile in enumerate(piles):
                self.c.pile[i] = none
                for letter in pile:
                    add_letter(&self.c.pile[i], _ALPHABET.index(letter))
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
            return [(kind, float(cards.count(kind)) / len(cards)) for kind in sorted(set(cards))]
        if self.c.phase != DEALING:
            return []
        dealt = "".join(_letters(self.c.pile[i]) for i in range(PILES))
        left = [2 - dealt.count(letter) for letter in _ALPHABET]
        return [(i, float(n) / sum(left)) for i, n in enumerate(left) if n]

    def legal_actions(self, player=None):
        """Legal action ids, ascending; at a chance node the possible outcomes.

        Parameters
        ----------
        player : int, optional
            If given and not the seat to decide, the list is empty.
        """
        cdef int32_t actions[NUM_ACTIONS]
        cdef int n, i
        if player is not None and whole(player) != self.current_player():
            return []
        if self.is_chance_node():
            return [outcome for outcome, _ in self.chance_outcomes()]
        n = legal(&self.game.rules, &self.c, actions)
        return [actions[i] for i in range(n)]

    def observed_actions(self, player):
        """What a seat sees of each legal action, as a number: (action, key), ascending by action.

        Two actions have the same key exactly when `player` cannot tell them apart.

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        cdef int32_t actions[NUM_ACTIONS]
        cdef uint64_t keys[NUM_ACTIONS]
        cdef int n, i, observer = self._seat(player)
        if self.is_terminal() or self.is_chance_node():
            return []
        n = options(&self.game.rules, &self.c, observer, actions, keys)
        return [(actions[i], keys[i]) for i in range(n)]

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
        s.origin = self.origin
        s.game = self.game
        s._prefix = list(self._prefix)
        s._views = list(self._views)
        s._history = list(self._history)
        return s

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return _restore_state, (__version__, self.game, PyBytes_FromStringAndSize(<char*> &self.c, sizeof(state_t)),
                                PyBytes_FromStringAndSize(<char*> &self.origin, sizeof(state_t)),
                                self._prefix, self._views, self._history)

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
        cdef int q = self._seat(self.current_player() if player is None else player)
        if self._prefix[q] is None:
            self._prefix[q] = f"[{_position(self.game, &self.origin, q)}]"
        return self._prefix[q] + self._views[q]

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
        if whole(player) == -1:
            return self._chance_words(whole(action))
        return action_words(self.game, action)

    cdef str _chance_words(self, object outcome):
        """A letter while the piles are dealt, else a card drawn."""
        letters = self.c.phase == DEALING
        if outcome is None or not 0 <= outcome < (LETTERS if letters else 32) or (not letters and outcome & 7 > 5):
            raise IllegalActionError(f"{outcome!r} is no chance outcome here")
        return _ALPHABET[outcome] if letters else f"draw {card_text(_card(outcome))}"

    def resample_from_infostate(self, player, uniform_01):
        """Another state that `player` cannot tell from this one (OpenSpiel's name).

        Parameters
        ----------
        player : int
        uniform_01 : callable
            Returns a float in [0, 1); the only source of chance.

        Returns
        -------
        State
            Drawn as `Position.sample` does; its information state string for `player` is the same.
            What the rival saw before is not drawn: its string begins with its position.
        """
        cdef int q = self._seat(player)
        cdef State s = self.position(q).sample([int(x * 2**32) for x in uniforms(uniform_01, 4)])
        self.information_state_string(q)               # fills the prefix
        s.c.explicit_chance = self.c.explicit_chance
        s._prefix[q] = self._prefix[q]
        s._views[q] = self._views[q]
        return s

    def position(self, player):
        """What a seat knows.

        Returns
        -------
        Position

        Raises
        ------
        ArgumentError
            If there is no such seat.
        PositionError
            If chance is to decide, or the game is over.
        """
        return _position(self.game, &self.c, self._seat(player))

    # -- what a search may ask of a game (see `solver.protocol`)

    def policy_action(self, rng):
        """An action of the rollout policy for the seat to decide, by what that seat knows.

        Parameters
        ----------
        rng : Rng

        Raises
        ------
        IllegalActionError
            If no seat is to decide.
        """
        cdef Rng stream = as_rng(rng)
        self._decision()
        return rollout_policy(&self.c, &stream.c)

    def action_scores(self):
        """How good each legal action looks to the seat to decide, the greater the better.

        Returns
        -------
        list of float
            In the order of `legal_actions`; comparable among each other only. Infinity marks what a
            search should not hold back: bids and a doubt.

        Raises
        ------
        IllegalActionError
            If no seat is to decide.
        """
        cdef int32_t actions[NUM_ACTIONS]
        cdef double scores[NUM_ACTIONS]
        cdef Position p
        cdef int n, i
        self._decision()
        p = _position(self.game, &self.c, self.c.mover)
        n = legal(&self.game.rules, &self.c, actions)
        score_actions(&self.c, p.c.letters, p.c.hidden_letters, actions, n, scores)
        return [scores[i] for i in range(n)]

    def estimated_returns(self):
        """`returns`, and before the end an estimate in -1..1 by both seats' letters, the piles and who starts."""
        cdef double out[2]
        estimate(&self.c, out)
        return [out[0], out[1]]

    def horizon_clock(self):
        """What a search's horizon counts: rounds."""
        return self.c.rounds

    cdef _decision(self):
        if self.c.phase in (DEALING, DRAWING, OVER):
            raise IllegalActionError("no seat is to decide here")

    # -- what there is to see

    cdef int _seat(self, object player) except -1:
        q = whole_in(player, 0, 1)
        if q is None:
            raise ArgumentError(f"a seat is 0 or 1, not {player!r}")
        return q

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


def _restore_state(version, Game game not None, bytes c not None, bytes origin not None, prefix, views, history):
    """For process pools of one version; nothing that is kept on disk holds a pickled State."""
    cdef State s = State.__new__(State, _TOKEN)
    if version != __version__ or len(c) != sizeof(state_t) or len(origin) != sizeof(state_t):
        raise ArgumentError(f"this State was pickled by version {version}; this is {__version__}")
    memcpy(&s.c, PyBytes_AS_STRING(c), sizeof(state_t))
    memcpy(&s.origin, PyBytes_AS_STRING(origin), sizeof(state_t))
    s.game = game
    s._prefix, s._views, s._history = list(prefix), list(views), list(history)
    return s


# ------------------------------------------------------------------------------------------------
# What one seat knows

cdef Position _position(Game game, const state_t* s, int player):
    if s.phase == OVER:
        raise PositionError("the game is over: there is no position to play from")
    if s.phase in (DEALING, DRAWING):
        raise PositionError("chance is to decide: there is no position yet")
    cdef Position p = Position.__new__(Position, _TOKEN)
    p.game = game
    observe(&game.rules, s, player, &p.c)
    return p


cdef class _Root(SearchRoot):
    """The memory behind `GameOps.context`."""

    cdef search_context_t c
    cdef object belief             # a model of the rival's choices in Python, or None


cdef void _ask_belief(const void* model, uint32_t owned, uint32_t legal_letters, double* weights) noexcept with gil:
    """Weights from a callable; what it does wrong is kept for the caller, and each letter then as likely."""
    cdef _Root root = <_Root> model
    cdef int i
    letters = [i for i in range(LETTERS) if legal_letters >> i & 1]
    try:
        if root.failure is not None:
            raise root.failure
        returned = root.belief(_bits_text(owned), _bits_text(legal_letters))
        try:
            given = [float(weight) for weight in returned]
        except (TypeError, ValueError, OverflowError):
            given = []
        most = max(given, default=0.0)
        if len(given) != len(letters) or not all(0 <= x < float("inf") for x in given) or not most > 0:
            raise ArgumentError(f"a belief returns a weight >= 0 for each of the {len(letters)} letters "
                                f"{_bits_text(legal_letters)}, not all 0; not {returned!r}")
        for i, weight in zip(letters, given):
            weights[i] = weight / most         # whose sum is far from any limit
    except BaseException as error:
        root.failure = error
        for i in letters:
            weights[i] = 1


cdef str _bits_text(uint32_t letters):
    return "".join([_ALPHABET[i] for i in range(LETTERS) if letters >> i & 1])


def evidence_worth(letters):
    """How near a seat is to seven letters in a row.

    Parameters
    ----------
    letters : str
        The letters owned, each of A..T at most once.

    Returns
    -------
    int
        Three times the best window of seven letters and the sum of all fourteen; a window is worth
        0, 1, 3, 8, 20, 50, 130, 1000 by how many of its letters are owned.

    Raises
    ------
    ArgumentError
        If a letter is none of A..T, or stands twice.

    Examples
    --------
    >>> evidence_worth("A"), evidence_worth("J")
    (4, 10)
    """
    cdef uint32_t owned = 0
    if not isinstance(letters, str):
        raise ArgumentError(f"letters must be a str, not {letters!r}")
    for letter in letters:
        if letter not in _ALPHABET or owned >> <int> _ALPHABET.index(letter) & 1:
            raise ArgumentError(f"letters must be of {_ALPHABET}, each at most once, not {letters!r}")
        owned |= <uint32_t> 1 << <int> _ALPHABET.index(letter)
    return worth_of(owned)


cdef class Position:
    """What one seat knows: enough to play on from. Immutable and hashable.

    Made by `State.position` or `parse`; `str` gives the one line that `parse` reads.
    """

    cdef position_t c
    cdef readonly Game game
    cdef object _fields_cache
    cdef str _text

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("a Position is made by State.position or bakerstreet.parse")

    @property
    def player(self):
        """The seat that knows this."""
        return self.c.observer

    def current_player(self):
        """The seat to decide."""
        return self.c.base.mover

    @property
    def phase(self):
        """One of "turn", "bid", "choose_pile" and "take"."""
        return _PHASES[self.c.base.phase]

    @property
    def hand(self):
        """The own hand, as a tuple of (value, symbol)."""
        return tuple(self._fields().hand)

    @property
    def bids(self):
        """The bids of this round, ascending, as a tuple."""
        return tuple(self._fields().bids)

    @property
    def evidence(self):
        """The own letters, sorted, as a str."""
        return "".join(sorted(win.letters for win in self._fields().log if win.seat == self.c.observer))

    @property
    def rival_known(self):
        """The rival's hand cards that are known, as a tuple of (value, symbol)."""
        return tuple(self._fields().rival_open)

    @property
    def rival_cards(self):
        """How many cards the rival's hand has, known ones included."""
        return self.c.rival_cards

    @property
    def known_to_rival(self):
        """The own hand cards that the rival knows, as a tuple of (value, symbol)."""
        return tuple(self._fields().open)

    @property
    def starter(self):
        """Seat that began this round."""
        return self.c.base.starter

    @property
    def rounds(self):
        """Finished doubts."""
        return self.c.base.rounds

    @property
    def doubt_winner(self):
        """Who won the doubt, while a pile or a letter is chosen; else None."""
        return None if self.c.base.doubt_winner < 0 else self.c.base.doubt_winner

    @property
    def pile(self):
        """The pile from which a letter is being taken; None in other phases."""
        return None if self.c.base.current < 0 else self.c.base.current

    @property
    def arrow(self):
        """Whether the next pile is evaluated, too, once the letter is taken."""
        return bool(self.c.base.arrow)

    @property
    def log(self):
        """Who won which pile and what it took then, in order.

        Returns
        -------
        tuple of (int, int, str)
            Seat, pile and letters: one letter that this seat took, or letters one of which the rival
            took; "?": the rival took one, and this seat has not looked through the pile since; "-": it
            took one before this seat looked for the first time; "": nothing was taken.
        """
        return tuple([(win.seat, win.pile, win.letters) for win in self._fields().log])

    def discards(self, player):
        """A seat's discard pile, as a list of (value, symbol).

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        q = whole_in(player, 0, 1)
        if q is None:
            raise ArgumentError(f"a seat is 0 or 1, not {player!r}")
        return list(self._fields().discards[q])

    def stack(self, i):
        """The detective cards of a pile, the top first, as a list of (seat, value, symbol)."""
        return list(self._fields().stacks[self.game._pile(i)])

    def look(self, i):
        """Letters of a pile after the own last look, sorted, as a str; None if it was never seen."""
        return self._fields().looks.get(self.game._pile(i))

    def bid_odds(self):
        """`bid_odds` of this position: the chance that the six hand cards reach 0..30."""
        return bid_odds([value for value, _ in self.hand], self.unseen(), [value for value, _ in self.rival_known])

    def unseen(self):
        """The rival's cards not yet seen, by value, as `bid_odds` takes them; known hand cards are not among them."""
        cdef int i
        counts = [0] * 6
        for i in range(self.c.rival_unseen):
            counts[self.c.rival_pool[i] & 7] += 1
        return counts

    def about_pile(self, i):
        """What this seat knows of the letters of a pile, in words.

        Raises
        ------
        IllegalActionError
            If there is no such pile.
        """
        return bakerstreet_notation.pile_words(self._fields(), self.game._pile(i))

    def legal_actions(self):
        """Legal action ids of this seat, ascending; empty when the rival is to decide."""
        cdef int32_t actions[NUM_ACTIONS]
        cdef state_t s
        cdef int n, i
        if self.c.base.mover != self.c.observer:
            return []
        s = self.c.base
        if s.phase == TAKING:
            # it has just looked through the pile
            s.pile[s.current] = s.seat[s.mover].look[s.current]
        n = legal(&self.game.rules, &s, actions)
        return [actions[i] for i in range(n)]

    def action_to_string(self, action):
        """An action in words.

        Raises
        ------
        IllegalActionError
            If the action is out of range.
        """
        return action_words(self.game, action)

    def parse_action(self, text):
        """The legal action that these words mean, as `action_to_string` writes them.

        Raises
        ------
        IllegalActionError
            If they mean no legal action.
        """
        words = " ".join(str(text).lower().split())
        actions = self.legal_actions()
        for action in actions:
            if self.action_to_string(action).lower() == words:
                return action
        here = ", ".join(self.action_to_string(action) for action in actions[:3])
        raise IllegalActionError(f"{words[:80]!r} is none of the {len(actions)} legal actions"
                                 + (f" ({here}, ...)" if here else ""))

    def planning_action(self, rng, placement="worth", opening=0.9):
        """The action of the planning agent: by exact odds and the worth of the letters in reach.

        Parameters
        ----------
        rng : int, numpy.random.SeedSequence, Rng or None
            Draws among equals.
        placement : {"worth", "pips"}, default "worth"
            Place where the sum over the piles of weight x tanh(margin / 2) grows most, the weight
            being the expected gain from the letter taken there and a constant; or where the plain
            sum of the margins does.
        opening : float, default 0.9
            Opens with the greatest bid that holds with at least this chance.

        Returns
        -------
        int

        Raises
        ------
        ArgumentError
            If the rival is to decide, or an option is out of range.
        """
        cdef Rng stream = as_rng(rng)
        if self.c.base.mover != self.c.observer:
            raise ArgumentError(f"seat {self.c.base.mover} is to decide, not seat {self.c.observer}")
        if not isinstance(placement, str) or placement not in ("worth", "pips"):
            raise ArgumentError(f'placement must be "worth" or "pips", not {placement!r}')
        if not isinstance(opening, (int, float)) or not 0 <= opening <= 1:
            raise ArgumentError(f"opening must be a number in 0..1, not {opening!r}")
        return planning(&self.c, BY_PIPS if placement == "pips" else BY_WORTH, opening, &stream.c)

    def sample(self, seed=None, belief=None):
        """Draw a full state that fits all that is known.

        Parameters
        ----------
        seed : int, numpy.random.SeedSequence, Rng or None
            An `Rng` is drawn from, and moves on.
        belief : {"uniform", "worth"} or callable, optional
            How the rival is taken to choose its letters. "uniform" (default): each legal one as
            likely. "worth": in proportion to what it gains of `evidence_worth`, and a
            little for each, which measured best in search. A callable gets the
            letters that the rival owned and those it could take, as sorted str, and returns a
            weight for each of the latter, >= 0 and not all 0; it must be a pure function.

        Returns
        -------
        State

        Raises
        ------
        PositionError
            If none of 4,000 draws of the letters fits.
        ArgumentError
            If there is no such belief, or a callable returns no such weights.

        Notes
        -----
        The own deck is in uniformly random order; the rival's hand (but for cards known to be in it)
        and deck are drawn from its unseen cards. Letters not accounted for lie anywhere with the
        probability of the deal. Where the rival chose a letter, it chose by the belief (by default
        each that was legal then is equally likely); what is known of its choices weighs the deals by
        that model. After 2,000 draws in vain these weights are given up (`sample_fallbacks` counts
        how often).
        """
        cdef Rng rng = as_rng(seed)
        cdef State s = State.__new__(State, _TOKEN)
        cdef _Root root
        cdef int found
        if belief is None:
            self._weigh()
            found = sample(&self.game.rules, &self.c, &rng.c, &s.c)
        else:
            root = self.search_root(None, belief)
            found = sample(&root.c.rules, &root.c.position, &rng.c, &s.c)
            if root.failure is not None:
                raise root.failure
        if found < 0:
            raise PositionError("no distribution of the hidden letters fits what is known")
        s.game = self.game
        s.origin = s.c
        s._prefix = [None, None]
        s._prefix[self.c.observer] = f"[{self}]"
        s._views = [""] * 2
        s._history = []
        return s

    cdef _weigh(self):
        """Before the first sample; a position that is only looked at does without."""
        if self.c.greatest < 0:
            weigh(&self.c)

    def sample_fallbacks(self, n, seed=0, belief=None):
        """How many of `n` samples had to give up the weights of the rival's choices.

        Raises
        ------
        PositionError
            If no sample fits.
        ArgumentError
            If `n` is no whole number of at least 1, or there is no such belief.
        """
        cdef Rng rng = as_rng(seed)
        cdef state_t s
        cdef int result, fallbacks = 0
        cdef _Root root = self.search_root(None, belief)
        count = whole_in(n, 1, 2**62)
        if count is None:
            raise ArgumentError(f"n must be a whole number of at least 1, not {n!r}")
        for _ in range(count):
            PyErr_CheckSignals()
            result = sample(&root.c.rules, &root.c.position, &rng.c, &s)
            if result < 0:
                raise PositionError("no distribution of the hidden letters fits what is known")
            fallbacks += result
            if root.failure is not None:
                raise root.failure
        return fallbacks

    def search_payoff(self, payoff=None):
        """The pay-off that a search maximises: "score", which is +1 for a win and -1 for a loss.

        Parameters
        ----------
        payoff : {"score", "margin", "win"}, optional
            "win" and "margin" order the actions as "score" does, so they are taken for it.

        Raises
        ------
        GameOptionError
            If `payoff` is another.
        """
        if payoff is not None and not (isinstance(payoff, str) and payoff in ("score", "margin", "win")):
            raise GameOptionError(f"payoff must be one of score, margin, win, not {payoff!r}")
        return "score"

    def search_defaults(self):
        """Options of `ismcts.search` that measured best for this game (docs/search-notes.md)."""
        return {"rollout": "policy", "opponents": "policy", "horizon": 1, "widening": 6, "exploration": 1.2,
                "belief": "worth", "epsilon": 0.0}

    def search_sample(self, seed, payoff=None, belief=None):
        """A sampled state as a search needs it; see `sample`."""
        self.search_payoff(payoff)
        return self.sample(seed, belief)

    def search_root(self, payoff=None, belief=None, epsilon=0.0):
        """What a compiled search needs (see `solver.games.ops`); `belief` as for `sample`.

        With the chance `epsilon` its policy plays any legal action.
        """
        cdef _Root root = _Root()
        self.search_payoff(payoff)
        root.c.rules = self.game.rules
        root.c.epsilon = share_of_one(epsilon, "epsilon")
        if belief is None or (isinstance(belief, str) and belief == "uniform"):
            self._weigh()
            root.c.position = self.c
        else:
            root.c.position = self.c
            if isinstance(belief, str) and belief == "worth":
                root.c.position.choice = choice_by_worth
            elif callable(belief):
                root.belief = belief
                root.c.position.choice = _ask_belief
                root.c.position.model = <const void*> root
            else:
                raise ArgumentError(f'belief must be "uniform", "worth" or a callable, not {belief!r}')
            weigh(&root.c.position)
            if root.failure is not None:
                raise root.failure
        fill_ops(&root.c, &root.ops)
        fill_policy_ops(&root.ops)
        return root

    # -- text

    cdef object _fields(self):
        """The position as plain data."""
        cdef const state_t* b = &self.c.base
        cdef int i, j, me = self.c.observer, rival = 1 - self.c.observer
        if self._fields_cache is not None:
            return self._fields_cache
        f = bakerstreet_notation.Fields()
        f.seat = me
        f.starter = b.starter
        f.phase = {TURN: "turn", BIDDING: "bid", CHOOSING: "choose", TAKING: "take"}[b.phase]
        f.mover = b.mover
        f.doubt_won = b.doubt_winner
        f.pile = b.current
        f.arrow = bool(b.arrow)
        f.hand = [_card(b.seat[me].hand[i]) for i in range(b.seat[me].cards)]
        f.open = [_card(b.seat[me].hand[i]) for i in range(b.seat[me].cards) if b.seat[me].open >> i & 1]
        f.rival = self.c.rival_cards
        f.rival_open = [_card(b.seat[rival].hand[i]) for i in range(b.seat[rival].cards)]
        f.discards = [[_card(b.seat[q].discard[i]) for i in range(b.seat[q].discards)] for q in range(2)]
        f.stacks = [[(b.stack[i][j] >> 5, *_card(b.stack[i][j])) for j in range(b.stack_cards[i] - 1, -1, -1)]
                    for i in range(PILES)]
        f.bids = [n for n in range(HIGHEST_BID + 1) if b.bids >> <int> n & 1]
        f.rounds = b.rounds
        for i in range(b.wins):
            letters = "".join([_ALPHABET[j] for j in range(LETTERS) if self.c.win[i].letters >> j & 1])
            letters = {TOOK_UNKNOWN: "?", TOOK_BEFORE: "-"}.get(self.c.win[i].known, letters)
            f.log.append(bakerstreet_notation.Win(self.c.win[i].seat, self.c.win[i].pile, letters))
        f.looks = {i: _letters(b.seat[me].look[i]) for i in range(PILES) if b.seat[me].seen >> i & 1}
        self._fields_cache = f
        return f

    def pretty(self):
        """The position as a person would lay it out, at most 80 columns wide."""
        return bakerstreet_notation.pretty(self.game, self._fields())

    def _repr_html_(self):
        """The position as a notebook shows it: drawn, with what the seat knows and no more."""
        from solver import _html_games
        return _html_games.bakerstreet(self)

    def __str__(self):
        if self._text is None:
            self._text = bakerstreet_notation.write_line(self.game, self._fields())
        return self._text

    def __repr__(self):
        return f"bakerstreet.parse({str(self)!r})"

    def __eq__(self, other):
        return isinstance(other, Position) and str(self) == str(other)

    def __hash__(self):
        return hash(str(self))

    def __reduce__(self):
        return parse, (str(self),)


def parse(text):
    """Read a position from its line.

    Parameters
    ----------
    text : str
        The game, then sections between ``|`` in any order; docs/notation.md lists them.

    Returns
    -------
    Position

    Raises
    ------
    PositionError
        If the text cannot be read, or no deal and play can lead to what it says; with the column.

    Examples
    --------
    >>> p = parse("bakerstreet | hand 5 3 1a | bids 14 | starter 1")
    >>> p.current_player(), p.action_to_string(p.legal_actions()[-1])
    (0, 'doubt')
    """
    notation.check_length(text)
    name, _, end = notation.read_game(text)
    if name != "bakerstreet":
        raise PositionError(f"this is a position of the game bakerstreet, not {name}", 1)
    try:
        game = load(text[:end])
    except GameOptionError as error:
        raise PositionError(str(error), text.index("(") + 1 if "(" in text else 1) from error
    return _from_fields(game, bakerstreet_notation.read_fields(game, notation.read_line(text, end)))


cdef Position _from_fields(Game game, object f):
    """A compiled position from checked fields; equal, to the byte, to what `observe` writes."""
    cdef Position p = Position.__new__(Position, _TOKEN)
    cdef state_t* b = &p.c.base
    cdef int i, me = f.seat, rival = 1 - f.seat
    cdef state_t trial
    cdef rng_t rng
    p.game = game
    p.c.observer = me
    p.c.rival_cards = f.rival
    b.starter = f.starter
    b.phase = {"turn": TURN, "bid": BIDDING, "choose": CHOOSING, "take": TAKING}[f.phase]
    b.mover = f.mover
    b.doubt_winner = f.doubt_won
    b.current = f.pile
    b.arrow = f.arrow
    b.rounds = f.rounds
    b.standing = max(f.bids) if f.bids else NO_BID
    for n in f.bids:
        b.bids |= <uint32_t> 1 << <int> n
    b.winner = -1
    b.events = -1
    known = list(f.open)
    for card in f.hand:
        b.seat[me].hand[b.seat[me].cards] = _kind(card[0], card[1])
        b.seat[me].cards += 1
    for i in range(b.seat[me].cards - 1, -1, -1):
        if f.hand[i] in known:                    # of equal cards the last is the open one
            known.remove(f.hand[i])
            b.seat[me].open |= 1 << i
    for i, card in enumerate(f.rival_open):
        b.seat[rival].hand[i] = _kind(card[0], card[1])
        b.seat[rival].open |= 1 << i
        b.seat[rival].cards += 1
    for q in range(2):
        for i, card in enumerate(f.discards[q]):
            b.seat[<int> q].discard[i] = _kind(card[0], card[1])
            b.seat[<int> q].discards += 1
    for i, stack in enumerate(f.stacks):
        for seat, value, symbol in reversed(stack):
            b.stack[i][b.stack_cards[i]] = _kind(value, symbol) | <int> seat << 5
            b.stack_cards[i] += 1
    for i, letters in f.looks.items():
        b.seat[me].seen |= 1 << i
        for letter in letters:
            add_letter(&b.seat[me].look[<int> i], _ALPHABET.index(letter))
    for i, win in enumerate(f.log):
        p.c.win[i].seat = win.seat
        p.c.win[i].pile = win.pile
        b.seat[<int> win.seat].seen |= 1 << <int> win.pile
        if win.letters in ("?", "-", ""):
            p.c.win[i].known = {"?": TOOK_UNKNOWN, "-": TOOK_BEFORE, "": TOOK_NOTHING}[win.letters]
        else:
            p.c.win[i].known = TOOK_OWN if win.seat == me else TOOK_AMONG
            for letter in win.letters:
                p.c.win[i].letters |= <uint32_t> 1 << <int> _ALPHABET.index(letter)
            if win.seat == me:
                b.seat[me].evidence |= p.c.win[i].letters
        b.wins += 1
    fill_pools(&game.rules, &p.c)
    p._weigh()
    rng = Rng(0).c
    if sample(&game.rules, &p.c, &rng, &trial) < 0:
        raise PositionError("no distribution of the hidden letters fits the log and the looks")
    return p
