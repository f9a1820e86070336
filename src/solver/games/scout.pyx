# cython: language_level=3
"""SCOUT for 2 to 5 players: `Game`, `State` and `Position`.

Rules: Oink Games, English rulebook 1.1 (2021); docs/rules-scout.md lists each option and what is
assumed. The rules themselves run compiled in `_scout.pyx`; text is the topic of
`scout_notation.py`.
"""
import time
from collections.abc import Mapping
from typing import NamedTuple

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from solver._core cimport (
    Rng, as_rng, card_turned, hand_card, hand_load, listed, low_bits, rng_fork, rng_t, share_of_one, uniforms, whole,
    whole_in,
)
from solver.games._scout cimport (
    CHOOSING, DEALING, EMPTY_HAND, MAX_ACTIONS, MAX_SEATS, MUST_SHOW, OVER, SCOUTED_OUT, TURN, TURN_LIMIT,
    active_cards, apply, current_player, deal_card, fill_ops, lay_active, new_round, observe,
    options, payoffs, playout, position_t, rules_t, sample, scouts_since, search_context_t, state_t,
)
from solver.games._scout_learnt cimport learnt, learnt_net
from solver.games._scout_lessons cimport Lessons
from solver.games._scout_options cimport action_id
from solver.games._scout_policy cimport estimate, hand_worth, planned_game, planning, tuned
from solver.games._scout_search cimport believe, fill_policy_ops, option_scores
from solver.games.ops cimport SearchRoot

import numpy as np

from solver._core import beats, legal_sets
from solver._version import __version__
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games import _scout_walk, notation, scout_notation
from solver.games._scout_options import PAYOFFS

__all__ = ["Game", "Playouts", "Position", "RoundResult", "State", "beats", "legal_sets", "load", "parse"]

_REASONS = {EMPTY_HAND: "empty_hand", SCOUTED_OUT: "scouted_out", TURN_LIMIT: "max_turns"}
_ENDS = ("left", "right")
# Whoever has not got this makes no empty State or Position, in which nothing could be looked up.
cdef object _TOKEN = object()


class Playouts(NamedTuple):
    """What `Game.playouts` measured.

    Attributes
    ----------
    games : int
        Games played, each a whole match if the game has several rounds.
    decisions : int
        Choices made in all of them (keep or turn included; a Scout & Show is two).
    seconds : float
        Wall time.
    mean_returns : tuple of float
        Mean pay-off by seat; the starter of the first round is seat 0.
    terminations : dict of str to int
        How the rounds ended: "empty_hand" (i), "scouted_out" (ii), "max_turns".
    """

    games: int
    decisions: int
    seconds: float
    mean_returns: tuple
    terminations: dict


class RoundResult(NamedTuple):
    """How a round ended.

    Attributes
    ----------
    scores : tuple of int
        Points of the round by seat.
    reason : str
        "empty_hand" (i), "scouted_out" (ii) or "max_turns".
    exempt : int or None
        The seat that lost nothing for its hand.
    """

    scores: tuple
    reason: str
    exempt: object


cdef class Game(Lessons):
    """SCOUT with its options.

    Parameters
    ----------
    players : int, default 4
        2 to 5.
    rounds : int or "match", default 1
        Rounds to play, 1..100. "match" is as many as players, or 2 with two players, whose second
        round is dealt from the cards set aside in the first.
    payoff : {"score", "margin", "win"}, default "score"
        What `State.returns` gives: points; own points minus the mean of the others'; 1 for the
        highest total, shared on ties.
    insertions_public : bool, default False
        Whether all see where and how a scouted card goes into a hand (and from where a set is
        shown), as at some tables.
    ends_on_emptying_scout : bool, default True
        Whether a round ends by (ii) when the Scout that completes it takes the last card.
    max_turns : int, default 500
        Turns after which a round ends and scores as it stands, 1..30000.
    ranks : int, default 10
        Numbers on the cards, 2..11; the deck is every pair of them.
    hand_size : int, optional
        Cards dealt to each; default: all cards shared out (two players: half of them).
    chips : int, default 3
        Scout chips of each at the start of a round, 0..1000. Two players only.
    drop : sequence of (int, int), optional
        Pairs left out of the deck. Default, for 10 ranks only: all with a 10 (3 players), 9/10 (2
        and 4 players).

    Raises
    ------
    GameOptionError
        If an option is out of range, or there are too few cards to deal.

    Examples
    --------
    >>> game = Game(players=3)
    >>> str(game), game.cards_in_play
    ('scout(players=3)', 36)
    """

    def __reduce__(self):
        return load, (str(self),)

    def new_initial_state(self):
        """The start, with chance nodes that deal card by card.

        Returns
        -------
        State
        """
        cdef State s = State.__new__(State, _TOKEN)
        s.game = self
        s.c.explicit_chance = 1
        s._start()
        return s

    def new_walk(self):
        """The start for a walk over the whole game: what `cfr.compile` uses instead of `new_initial_state`."""
        return _scout_walk.begin(self)

    # -- deals and play

    def deal(self, hands=None, seed=None, starter=0, turned=None):
        """A new game with all cards dealt.

        Parameters
        ----------
        hands : sequence of sequences of (int, int), optional
            Each seat's row, (top, bottom) from left to right, `hand_size` cards each. Default: a
            uniformly random order and orientation of the deck.
        seed : int, numpy.random.SeedSequence, Rng or None
            For the deal, or for all that `hands` leaves open (cards set aside, later rounds).
        starter : int, default 0
            Seat that starts the first round.
        turned : sequence of bool, optional
            For each seat, whether it turns its hand. With it the choices are made and the starter
            is to act; without it they come first, seat by seat.

        Returns
        -------
        State

        Raises
        ------
        PositionError
            If the hands are not `hand_size` different cards of the deck for each seat, or `starter`
            is no seat, or `turned` has not one entry a seat.
        """
        cdef State s = State.__new__(State, _TOKEN)
        cdef Rng rng = as_rng(seed)
        s.game = self
        first = whole_in(starter, 0, self.rules.players - 1)
        if first is None:
            raise PositionError(f"starter must be a seat, 0..{self.rules.players - 1}, not {starter!r}")
        choices = None if turned is None else _as_list(turned)
        if turned is not None and (choices is None or len(choices) != self.rules.players):
            raise PositionError(f"turned needs one entry a seat, {self.rules.players}, not {_count(choices, turned)}")
        s.c.starter = first
        rng_fork(&rng.c, &s.c.rng)
        s._start(None if hands is None else self._card_codes(hands))
        for turn in choices or ():
            s.apply_action(1 if turn else 0)
        return s

    cdef list _card_codes(self, object hands):
        """Hands as lists of bytes, checked."""
        rows = _as_list(hands)
        if rows is None or len(rows) != self.rules.players:
            raise PositionError(f"hands for {self.rules.players} seats are needed, not {_count(rows, hands)}")
        seen = {}
        result = []
        for seat, row in enumerate(rows):
            cards = _as_list(row)
            if cards is None or len(cards) != self.rules.hand_size:
                raise PositionError(f"seat {seat}: {self.rules.hand_size} cards are dealt, not {_count(cards, row)}")
            codes = []
            for place, card in enumerate(cards):
                where = f"seat {seat}, place {place}"
                code = self._card_code(card)
                if code < 0:
                    raise PositionError(f"{where}: {card!r} is no card of the deck of {self}")
                index = self.rules.index[code]
                if index in seen:
                    raise PositionError(f"{where}: the card {card!r} is also at {seen[index]}")
                seen[index] = where
                codes.append(code)
            result.append(codes)
        return result

    cdef int _card_code(self, object card) except -2:
        """(top, bottom) as a byte, -1 if there is no such card."""
        try:
            top, bottom = card
        except (TypeError, ValueError):
            return -1
        top, bottom = whole(top), whole(bottom)
        for number in (top, bottom):
            if number is None or not 1 <= number <= self.rules.ranks:
                return -1
        code = top | bottom << 4
        return -1 if self.rules.index[code] == 255 else code

    def playouts(self, n, seed=0, policy="random"):
        """Play `n` games from fresh deals, on one thread and without Python.

        Parameters
        ----------
        n : int
            Games, at least 1.
        seed : int, numpy.random.SeedSequence, Rng or None
        policy : {"random", "planning"}, default "random"
            Uniformly random legal actions, or the planning agent in every seat (see
            `Position.planning_action`).

        Returns
        -------
        Playouts

        Raises
        ------
        ArgumentError
            If `n` is no whole number of at least 1, or there is no such policy.
        """
        if not isinstance(policy, str) or policy not in ("random", "planning"):
            raise ArgumentError(f'policy must be "random" or "planning", not {policy!r}')
        cdef bint planned = policy == "planning"
        cdef object wanted = whole_in(n, 1, 2**62)
        if wanted is None:
            raise ArgumentError(f"n must be a whole number of at least 1, not {n!r}")
        cdef Rng rng = as_rng(seed)
        cdef rng_t stream = rng.c           # of this call alone while the GIL is released
        cdef state_t fresh, s
        cdef double sums[5]
        cdef double out[5]
        cdef long long ends[4]
        cdef long long games = wanted, done = 0, decisions = 0
        cdef int q, _i, chunk
        memset(sums, 0, sizeof(sums))
        memset(ends, 0, sizeof(ends))
        memset(&fresh, 0, sizeof(state_t))
        fresh.last_round = self.rules.rounds
        began = time.perf_counter()
        while done < games:
            PyErr_CheckSignals()
            chunk = <int> min(<long long> 500, games - done)
            with nogil:
                for _i in range(chunk):
                    s = fresh
                    if planned:
                        decisions += planned_game(&self.rules, &s, &stream, ends)
                    else:
                        decisions += playout(&self.rules, &s, &stream, ends)
                    payoffs(&self.rules, &s, self.rules.payoff, out)
                    for q in range(self.rules.players):
                        sums[q] += out[q]
            done += chunk
        seconds = time.perf_counter() - began
        rng.c = stream
        return Playouts(games, decisions, seconds,
                        tuple([sums[q] / games for q in range(self.rules.players)]),
                        {name: ends[reason] for reason, name in _REASONS.items()})


def _as_list(items):
    """A copy of a sequence, so that what is checked is what is used; None if it is no sequence."""
    try:
        return list(items)
    except TypeError:
        return None


def _count(items, given):
    """Length of what `_as_list` made, or what was given."""
    return repr(given) if items is None else len(items)


def load(text):
    """The game of a game string such as ``scout(players=3,rounds=match)``.

    Raises
    ------
    GameOptionError
        If an option is unknown or wrong.
    PositionError
        If the text is no game string or of another game.
    """
    notation.check_length(text)
    name, given, end = notation.read_game(text)
    if name != "scout":
        raise PositionError(f"this is the game scout, not {name}", 1)
    if text[end:].strip():
        raise PositionError("nothing may follow the game string", end + 1)
    return from_options(given)


def from_options(given: Mapping):
    """A game from a dict of options; unknown ones are an error."""
    known = list(Game().get_parameters())
    for key in given:
        if key not in known:
            raise notation.unknown_option("scout", key, known)
    return Game(**given)


cdef list _row(const state_t* s, int seat):
    """A hand as a list of (top, bottom)."""
    cdef int i, card
    result = []
    for i in range(s.seat[seat].cards):
        card = hand_card(&s.seat[seat].hand, i)
        result.append((card & 15, card >> 4))
    return result


cdef list _active(const state_t* s):
    cdef uint8_t cards[64]
    cdef int i, n = active_cards(s, cards)
    return [(cards[i] & 15, cards[i] >> 4) for i in range(n)]


cdef class State:
    """A game in progress, with all that is hidden. Made by `Game.deal`, `Game.new_initial_state`
    or `Position.sample`.

    A state from `Game.deal` or `Position.sample` holds every hidden order and its own random
    stream for later deals, so it has no chance nodes; one from `new_initial_state` has them.
    """

    cdef state_t c
    cdef state_t origin            # where the recorded views begin, in a sampled state
    cdef readonly Game game
    cdef list _prefix              # by seat: what stands before its view; None: position in `origin`
    cdef list _views               # by seat: what it saw, in order
    cdef list _history
    cdef list _results

    def __cinit__(self, token=None):
        if token is not _TOKEN:
            raise TypeError("a State is made by Game.deal, Game.new_initial_state or Position.sample")

    cdef _start(self, hands=None):
        """Begin round 0. The random stream and the starter are set."""
        cdef rules_t* r = &self.game.rules
        cdef uint8_t row[64]
        cdef uint64_t dealt = 0
        cdef int q, i
        self.c.last_round = r.rounds
        self._prefix = [f"{self.game} seat {q} starter {self.c.starter}:" for q in range(r.players)]
        self._views = [""] * r.players
        self._history = []
        self._results = []
        new_round(r, &self.c)
        if hands is not None:
            # The random deal gave an order to all cards; those not named keep it, set aside.
            rest = [self.c.aside[i] for i in range(self.c.asides)]
            for q in range(r.players):
                for i in range(r.hand_size):
                    rest.append(hand_card(&self.c.seat[q].hand, i))
            for q, cards in enumerate(hands):
                for i, code in enumerate(cards):
                    row[i] = code
                    dealt |= <uint64_t> 1 << r.index[row[i]]
                hand_load(&self.c.seat[q].hand, row, r.hand_size, 0)
            rest = [card for card in rest if not dealt >> r.index[<int> card] & 1]
            for i, card in enumerate(rest):
                self.c.aside[<int> i] = card
        self._see_deal()

    cdef _see_deal(self):
        """Each seat sees its own new hand."""
        cdef int q
        if self.c.phase == DEALING:
            return
        for q in range(self.game.rules.players):
            self._views[q] += " " + scout_notation.row_text(_row(&self.c, q))

    # -- the protocol

    def current_player(self):
        """Seat to decide; -1 at a chance node, -4 at the end."""
        return current_player(&self.game.rules, &self.c)

    def is_terminal(self):
        """Whether the game is over."""
        return self.c.phase == OVER

    def is_chance_node(self):
        """Whether the next card is to be dealt."""
        return self.c.phase == DEALING

    def chance_outcomes(self):
        """Every outcome of a chance node and its probability.

        Returns
        -------
        list of (int, float)
            Outcome: card index * 2 + (larger number on top); empty if this is no chance node.
        """
        if self.c.phase != DEALING:
            return []
        cards = [i for i in range(self.game.rules.deck) if self.c.undealt >> <int> i & 1]
        p = 0.5 / len(cards)
        return [(2 * i + side, p) for i in cards for side in (0, 1)]

    def legal_actions(self, player=None):
        """Legal action ids, ascending; at a chance node the possible outcomes.

        Parameters
        ----------
        player : int, optional
            If given and not the seat to decide, the list is empty.
        """
        cdef int32_t actions[MAX_ACTIONS]
        cdef int n, i
        if player is not None and whole(player) != self.current_player():
            return []
        if self.c.phase == OVER:
            return []
        if self.c.phase == DEALING:
            return [outcome for outcome, _ in self.chance_outcomes()]
        n = options(&self.game.rules, &self.c, self.c.mover, actions, NULL)
        return [actions[i] for i in range(n)]

    # What a search may ask of a game (see `solver.protocol.PolicyState`).

    def policy_action(self, rng):
        """An action of the rollout policy for the seat to decide: that of the planning agent.

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
        return planning(&self.game.rules, &self.c, tuned(&self.game.rules), &stream.c)

    def learnt_action(self, rng):
        """What the seat to decide plays by the rule that is learnt, `Position.learnt_action`.

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
        return learnt(&self.game.rules, &self.c, learnt_net(&self.game.rules), &stream.c)

    def learnt_scores(self):
        """How good each legal action looks to the rule that is learnt, in the order of `legal_actions`.

        As `action_scores`, but of a turn of choice the scores of the rule, which has the greatest one for what it
        plays. Places for a scouted card that the rule does not look at score as much less than the one it does
        as they are worth less to planning.

        Raises
        ------
        IllegalActionError
            If no seat is to decide.
        """
        return self._scores(True)

    def action_scores(self):
        """How good each legal action looks, for a search to begin with; in the order of `legal_actions`.

        What it is worth to the planning agent, in points. Of the Scouts of one card, one side up, at places
        where it makes no set, all but the best are put back by 1000, and of the Scout & Shows likewise: they
        do nearly the same.

        Raises
        ------
        IllegalActionError
            If no seat is to decide.
        """
        return self._scores(False)

    cdef _scores(self, bint by_rule):
        cdef int32_t actions[MAX_ACTIONS]
        cdef double worths[MAX_ACTIONS]
        cdef int i, n
        self._decision()
        n = option_scores(&self.game.rules, &self.c, by_rule, actions, worths)
        return [worths[i] for i in range(n)]

    def estimated_returns(self):
        """`returns`, and before the end an estimate: scores so far, and for the rest of the round a linear function
        of hands, table and chips that is fitted to planning's play (`Game.value_constants`)."""
        cdef double out[MAX_SEATS]
        if self.c.phase == OVER:
            return self.returns()
        estimate(&self.game.rules, &self.c, self.game.rules.payoff, out)
        return [out[q] for q in range(self.game.rules.players)]

    def horizon_clock(self):
        """What a search's horizon counts: turns; a round counts as many as it can have."""
        return self.c.round * (self.game.rules.max_turns + 1) + self.c.turns

    cdef _decision(self):
        if self.c.phase in (DEALING, OVER):
            raise IllegalActionError("no seat is to decide here")

    def observed_actions(self, player):
        """What a seat sees of each legal action, as a number.

        Parameters
        ----------
        player : int

        Returns
        -------
        list of (int, int)
            (action, key), ascending by action. Two actions have the same key exactly when `player`
            cannot tell them apart; keys are not 0, and mean nothing in another state. With public
            insertions the first halves of a Scout & Show, which nobody sees before the Show, have
            the keys of what will then be seen.

        Raises
        ------
        ArgumentError
            If there is no such seat.
        """
        cdef int32_t actions[MAX_ACTIONS]
        cdef uint64_t keys[MAX_ACTIONS]
        cdef int n, i, observer = self._seat(player)
        if self.c.phase in (DEALING, OVER):
            return []
        n = options(&self.game.rules, &self.c, observer, actions, keys)
        return [(actions[i], keys[i]) for i in range(n)]

    cdef bint _is_legal(self, int action) noexcept:
        cdef int32_t actions[MAX_ACTIONS]
        cdef int n, i
        if self.c.phase == DEALING:
            return action < 2 * self.game.rules.deck and self.c.undealt >> (action >> 1) & 1
        n = options(&self.game.rules, &self.c, self.c.mover, actions, NULL)
        for i in range(n):
            if actions[i] == action:
                return True
        return False

    def apply_action(self, action):
        """Play an action, or a chance outcome.

        Raises
        ------
        IllegalActionError
            If it is not legal here; the state is unchanged.
        """
        cdef rules_t* r = &self.game.rules
        cdef int finished = self.c.round
        if self.c.phase == OVER:
            raise IllegalActionError("the game is over: no action is legal")
        cdef int a = action_id(action, 2 * r.deck if self.c.phase == DEALING else r.num_actions)
        if not self._is_legal(a):
            raise IllegalActionError(self._why_not(a))
        self._history.append(a)
        if self.c.phase == DEALING:
            self._views[self.c.dealt // r.hand_size] += " " + self.chance_text(a)
            deal_card(r, &self.c, a)
            return
        self._see(a)
        apply(r, &self.c, a)
        if self.c.round != finished:
            scores = tuple([self.c.seat[q].last for q in range(r.players)])
            exempt = None if self.c.exempt < 0 else self.c.exempt
            self._results.append(RoundResult(scores, _REASONS[self.c.ending], exempt))
            for q in range(r.players):
                self._views[q] += f"; scores {' '.join(map(str, scores))}"
                self._views[q] += ";" if self.c.phase != OVER else ""
            if self.c.phase != OVER:
                self._see_deal()

    cdef _see(self, int action):
        """Write down what each seat sees of an action about to be played."""
        cdef int mover = self.c.mover, q
        kind, *rest = self.game.decode(action)
        if kind in ("keep", "turn"):
            self._views[mover] += f"; {kind}"
            return
        if kind == "show":
            start, length = rest
            cards = scout_notation.row_text(_row(&self.c, mover)[start:start + length])
            own = f"; {mover} show {cards} at {start}"
            other = own if self.game.rules.insertions_public else f"; {mover} show {cards}"
            if self.c.phase == MUST_SHOW:
                scouted = f"; {mover} scout & show {_ENDS[self.c.pending_end]}"
                if self.game.rules.insertions_public:
                    scouted += self._placing(self.c.pending_place)
                other = scouted + other
        else:
            end, place, turned = rest
            words = "scout" if kind == "scout" else "scout & show"
            other = f"; {mover} {words} {_ENDS[end]}"
            own = f"{other} at {place}{' turned' if turned else ''}"
            if self.game.rules.insertions_public:
                other = own
            if kind == "scout_and_show":
                other = ""              # nobody else sees anything before the Show
        for q in range(self.game.rules.players):
            self._views[q] += own if q == mover else other

    def _placing(self, place):
        """How the pending card of a Scout & Show went into the hand."""
        cdef int card = hand_card(&self.c.seat[self.c.mover].hand, place)
        return f" at {place}{'' if card == self.c.pending_card else ' turned'}"

    def _why_not(self, action):
        """In words, why an action within range is not legal."""
        cdef int mover = self.c.mover
        if self.c.phase == DEALING:
            return f"the card {self.chance_text(action)} is dealt already"
        kind, *rest = self.game.decode(action)
        return f"seat {mover} cannot {kind.replace('_', ' ')} here: " + scout_notation.why_not(
            self.game, _phase_name(&self.c), _row(&self.c, mover), _active(&self.c), self.c.seat[mover].chips,
            bool(self.c.both_left >> mover & 1), kind, rest)

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
        s._results = list(self._results)
        return s

    def __copy__(self):
        return self.clone()

    def __deepcopy__(self, memo):
        return self.clone()

    def __reduce__(self):
        return _restore_state, (__version__, self.game,
                                PyBytes_FromStringAndSize(<char*> &self.c, sizeof(state_t)),
                                PyBytes_FromStringAndSize(<char*> &self.origin, sizeof(state_t)),
                                self._prefix, self._views, self._history, self._results)

    def returns(self):
        """Pay-off by seat (see `Game`, `payoff`), as a list of float; zeros before the end."""
        cdef double out[5]
        cdef int q
        if self.c.phase != OVER:
            return [0.0] * self.game.rules.players
        payoffs(&self.game.rules, &self.c, self.game.rules.payoff, out)
        return [out[q] for q in range(self.game.rules.players)]

    def history(self):
        """Actions and chance outcomes so far, as a list of int."""
        return list(self._history)

    def information_state_string(self, player=None):
        """All that a seat saw, in order, own choices included (perfect recall).

        Parameters
        ----------
        player : int, optional
            Default: the seat to decide.

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
        """An action in words, such as "show 4-4-4" or "scout 7 (left), place 3, turned".

        Parameters
        ----------
        player : int
            The seat to decide (its hand gives the numbers), or -1 for a chance outcome.
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
            return self.chance_text(action)
        return scout_notation.action_words(self.game, _row(&self.c, self._seat(player)), _active(&self.c), action)

    def chance_text(self, outcome):
        """The card of a chance outcome, top/bottom.

        Raises
        ------
        IllegalActionError
            If there is no such outcome.
        """
        cdef int a = action_id(outcome, 2 * self.game.rules.deck)
        cdef int card = self.game.rules.cards[a >> 1]
        if a & 1:
            card = card_turned(card)
        return f"{card & 15}/{card >> 4}"

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
            What the other seats saw before is not drawn: their strings begin with their position.
        """
        cdef int q = self._seat(player)
        cdef State s = self.position(q).sample([int(x * 2**32) for x in uniforms(uniform_01, 4)])
        self.information_state_string(q)               # fills the prefix
        s.c.explicit_chance = self.c.explicit_chance
        s._results = list(self._results)
        s._prefix[q] = self._prefix[q]
        s._views[q] = self._views[q]
        return s

    # -- what there is to see

    cdef int _seat(self, object player) except -1:
        q = whole_in(player, 0, self.game.rules.players - 1)
        if q is None:
            raise ArgumentError(f"a seat lies in 0..{self.game.rules.players - 1}, not {player!r}")
        return q

    def hand(self, player):
        """A seat's row, as a list of (top, bottom) from left to right."""
        return _row(&self.c, self._seat(player))

    def active_set(self):
        """The Active Set, as a list of (top, bottom) from left to right; empty if there is none."""
        return _active(&self.c)

    def owner(self):
        """Owner of the Active Set, or None."""
        return None if self.c.owner < 0 else self.c.owner

    def counts(self):
        """Cards in each hand, as a list of int."""
        return [self.c.seat[q].cards for q in range(self.game.rules.players)]

    def chips(self):
        """Scout chips: taken from the supply this round; with two players, left to spend."""
        return [self.c.seat[q].chips for q in range(self.game.rules.players)]

    def score_cards(self):
        """Score cards of each seat in this round."""
        return [self.c.seat[q].taken for q in range(self.game.rules.players)]

    def scout_and_show_left(self):
        """Whether each seat has its Scout & Show chip."""
        return [bool(self.c.both_left >> q & 1) for q in range(self.game.rules.players)]

    def scores(self):
        """Points by seat: finished rounds, and the running one as it stands (nobody exempt)."""
        cdef int q
        result = []
        for q in range(self.game.rules.players):
            points = self.c.seat[q].total
            if self.c.phase != OVER:
                points += self.c.seat[q].taken + self.c.seat[q].chips - self.c.seat[q].cards
            result.append(points)
        return result

    def totals(self):
        """Points of the finished rounds by seat."""
        return [self.c.seat[q].total for q in range(self.game.rules.players)]

    def round_results(self):
        """A `RoundResult` for each finished round."""
        return list(self._results)

    @property
    def round(self):
        """Index of the running round; the number of rounds at the end."""
        return self.c.round

    @property
    def turns(self):
        """Finished turns of this round."""
        return self.c.turns

    @property
    def starter(self):
        """Seat that started this round."""
        return self.c.starter

    @property
    def phase(self):
        """One of "deal" (a chance node), "choose", "turn", "must_show" and "over"."""
        return _phase_name(&self.c)

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
            If cards are being dealt, or the game is over.
        """
        return _position(self.game, &self.c, self._seat(player))

    def __str__(self):
        if self.c.phase in (DEALING, OVER):
            return f"{self.game} | {self.phase}"
        return "\n".join(str(self.position(q)) for q in range(self.game.rules.players))

    def __repr__(self):
        return f"<scout.State of {self.game}, {self.phase}, seat to decide {self.current_player()}>"


def _restore_state(version, Game game not None, bytes c not None, bytes origin not None,
                   prefix, views, history, results):
    """For process pools of one version; nothing that is kept on disk holds a pickled State."""
    cdef State s = State.__new__(State, _TOKEN)
    if version != __version__ or len(c) != sizeof(state_t) or len(origin) != sizeof(state_t):
        raise ArgumentError(f"this State was pickled by version {version}; this is {__version__}")
    memcpy(&s.c, PyBytes_AS_STRING(c), sizeof(state_t))
    memcpy(&s.origin, PyBytes_AS_STRING(origin), sizeof(state_t))
    s.game = game
    s._prefix, s._views, s._history, s._results = list(prefix), list(views), list(history), list(results)
    return s


cdef str _phase_name(const state_t* s):
    return {DEALING: "deal", CHOOSING: "choose", TURN: "turn", MUST_SHOW: "must_show", OVER: "over"}[s.phase]


cdef Position _position(Game game, const state_t* s, int player):
    if s.phase == DEALING:
        raise PositionError("cards are being dealt: there is no position yet")
    if s.phase == OVER:
        raise PositionError("the game is over: there is no position to play from")
    cdef Position p = Position.__new__(Position, _TOKEN)
    p.game = game
    observe(&game.rules, s, player, &p.c)
    return p


cdef class _Root(SearchRoot):
    """The memory behind `GameOps.context`."""

    cdef search_context_t c


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
            raise TypeError("a Position is made by State.position or scout.parse")

    @property
    def player(self):
        """The seat that knows this."""
        return self.c.observer

    @property
    def hand(self):
        """The own row, as a tuple of (top, bottom) from left to right."""
        return tuple(self._fields().hand)

    @property
    def active_set(self):
        """The Active Set, as a tuple of (top, bottom); empty if there is none."""
        return tuple(self._fields().table)

    @property
    def owner(self):
        """Owner of the Active Set, or None."""
        return None if self.c.base.owner < 0 else self.c.base.owner

    @property
    def counts(self):
        """Cards in each hand, as a tuple of int."""
        return tuple(self._fields().cards)

    @property
    def chips(self):
        """Scout chips by seat, as `State.chips`."""
        return tuple(self._fields().chips)

    @property
    def score_cards(self):
        """Score cards by seat in this round."""
        return tuple(self._fields().score)

    @property
    def known(self):
        """By seat, the cards that all know to be in its hand: a dict of tuples of (card, place).

        For the own seat, what the others know. A card is (smaller, larger) and its place -1 where
        sides and places are not public.
        """
        return {seat: tuple(cards) for seat, cards in self._fields().known.items()}

    @property
    def phase(self):
        """One of "choose", "turn" and "must_show"."""
        return _phase_name(&self.c.base)

    @property
    def scout_and_show_left(self):
        """Whether each seat has its Scout & Show chip, as a tuple of bool; none has with two players."""
        cdef int q
        return tuple([not self.game.rules.two and bool(self.c.base.both_left >> q & 1)
                      for q in range(self.game.rules.players)])

    @property
    def turns(self):
        """Finished turns of this round."""
        return self.c.base.turns

    @property
    def starter(self):
        """Seat that started this round."""
        return self.c.base.starter

    @property
    def round(self):
        """Index of the running round."""
        return self.c.base.round

    @property
    def totals(self):
        """Points of the finished rounds by seat, as a tuple of int."""
        return tuple(self._fields().totals)

    def unseen(self):
        """Cards that may lie in any hidden place, as a list of (smaller, larger) number."""
        return [(self.c.pool[i] & 15, self.c.pool[i] >> 4) for i in range(self.c.unseen)]

    def current_player(self):
        """The seat to decide."""
        return self.c.base.mover

    def legal_actions(self):
        """Legal action ids of this seat, ascending; empty when another seat is to decide."""
        cdef int32_t actions[MAX_ACTIONS]
        cdef int n, i
        if self.c.base.mover != self.c.observer:
            return []
        n = options(&self.game.rules, &self.c.base, self.c.observer, actions, NULL)
        return [actions[i] for i in range(n)]

    def action_to_string(self, action):
        """A legal action of this seat in words.

        Raises
        ------
        IllegalActionError
            If the action is out of range.
        """
        return scout_notation.action_words(self.game, self.hand, self.active_set, action)

    def parse_action(self, text):
        """The legal action that these words mean.

        Parameters
        ----------
        text : str
            As `action_to_string` writes it, or shorter: ``show 4 4 4``, ``scout left 3 turned``.

        Raises
        ------
        IllegalActionError
            If they mean no action, or one that is not legal; the text says why.
        """
        action = scout_notation.read_action(self.game, self.hand, self.active_set, str(text))
        reason = self.why_not(action)
        if reason:
            raise IllegalActionError(f"{' '.join(str(text).split())}: {reason}")
        return action

    def why_not(self, action):
        """In words, why an action of this seat is not legal; empty if it is.

        Raises
        ------
        IllegalActionError
            If the action is out of range.
        """
        if whole(action) in self.legal_actions():
            return ""
        if self.c.base.mover != self.c.observer:
            return f"seat {self.c.base.mover} is to move"
        kind, *rest = self.game.decode(action)
        return scout_notation.why_not(
            self.game, self.phase, self.hand, self.active_set, self.chips[self.c.observer],
            bool(self.c.base.both_left >> self.c.observer & 1), kind, rest)

    def sample(self, seed=None, this_round_only=False):
        """Draw a full state that fits all that is known.

        Parameters
        ----------
        seed : int, numpy.random.SeedSequence, Rng or None
            An `Rng` is drawn from, and moves on.
        this_round_only : bool, default False
            Whether the sampled game ends with the running round.

        Returns
        -------
        State

        Raises
        ------
        ArgumentError
            If an argument is of the wrong type.
        PositionError
            If none of 100,000 draws fits (two players: the rival has no chip, and hardly any hand
            beats the table).

        Notes
        -----
        Unseen cards are in uniformly random order and orientation, as the deal makes them. A card
        known to be in a rival's hand stands at a uniformly random place and side, unless both are
        public. What the others' actions tell beyond that (a rival who scouted could not or would
        not show) is not used.
        """
        cdef Rng rng = as_rng(seed)
        cdef State s = State.__new__(State, _TOKEN)
        cdef int players = self.game.rules.players
        if not isinstance(this_round_only, (bool, np.bool_)):
            raise ArgumentError(f"this_round_only is True or False, not {this_round_only!r}")
        if sample(&self.game.rules, &self.c, &rng.c, &s.c) < 0:
            raise PositionError("no deal was found in which the seat to move, without a chip, can show")
        if this_round_only:
            s.c.last_round = s.c.round + 1
        s.game = self.game
        s.origin = s.c
        s._prefix = [None] * players
        s._prefix[self.c.observer] = f"[{self}]"
        s._views = [""] * players
        s._history = []
        s._results = []
        return s

    def planning_action(self, rng):
        """The action of the planning agent: the best by the worth of the hand that it leaves.

        Parameters
        ----------
        rng : int, numpy.random.SeedSequence, Rng or None
            Draws among equals.

        Returns
        -------
        int

        Raises
        ------
        ArgumentError
            If another seat is to decide.
        """
        cdef Rng stream = as_rng(rng)
        if self.c.base.mover != self.c.observer:
            raise ArgumentError(f"seat {self.c.base.mover} is to decide, not seat {self.c.observer}")
        return planning(&self.game.rules, &self.c.base, tuned(&self.game.rules), &stream.c)

    def learnt_action(self, rng=None):
        """What the rule plays that is learnt from what came of choices: the strongest player without search we know of.

        Of each option it takes 23 numbers, of the position 24, and plays what a small net makes most of. Keep or turn,
        and the Show of a Scout & Show, it leaves to planning. docs/search-notes.md has what it measured,
        experiments/learnt-play how it is found.

        Parameters
        ----------
        rng : int, numpy.random.SeedSequence, Rng or None
            Draws among equals, where planning plays.

        Returns
        -------
        int

        Raises
        ------
        ArgumentError
            If another seat is to decide.
        """
        cdef Rng stream = as_rng(rng)
        if self.c.base.mover != self.c.observer:
            raise ArgumentError(f"seat {self.c.base.mover} is to decide, not seat {self.c.observer}")
        return learnt(&self.game.rules, &self.c.base, learnt_net(&self.game.rules), &stream.c)

    def hand_worth(self):
        """What the own hand is worth to the planning agent, in points.

        Returns
        -------
        float
            The greatest sum of the worths of sets into which the row can be cut.
        """
        return hand_worth(&self.game.rules, &self.c.base, self.c.observer)

    def search_defaults(self):
        """Options of `ismcts.search` that measured best for this game (docs/search-notes.md)."""
        return {"rollout": "policy", "opponents": "policy", "widening": 12, "exploration": 1.2, "belief": "play",
                "depth": 1, "root": "halving", "epsilon": 0.0, "own": "learnt", "bias": 4.0}

    def search_payoff(self, payoff=None):
        """The pay-off that a search maximises: "win" for a game with that payoff, else "margin".

        Parameters
        ----------
        payoff : {"score", "margin", "win"}, optional
            Taken as it is, if given.

        Raises
        ------
        GameOptionError
            If `payoff` is another.
        """
        if payoff is None:
            return "win" if self.game.payoff == "win" else "margin"
        if not isinstance(payoff, str) or payoff not in PAYOFFS:
            raise GameOptionError(f"payoff must be one of {', '.join(PAYOFFS)}, not {payoff!r}")
        return payoff

    def search_sample(self, seed, payoff=None, belief=None):
        """A sampled state as a search needs it: its returns are scores, of which a search derives its pay-off.

        Parameters
        ----------
        seed : int, numpy.random.SeedSequence, Rng or None
        payoff : {"margin", "score", "win"}, optional
            With "score" and "margin" its game ends with the running round, since later rounds add
            the same to every action.
        belief : {"uniform", "play"}, optional
            "uniform" (default): as `sample`. "play": the others hold their cards the way round that
            is worth more (with a chance of 0.9) and scouted cards where they serve best; a deal in
            which a seat that scouted since the last Show had a set longer than the table's is mostly
            drawn again. With public insertions only the last of these.

        Returns
        -------
        State

        Raises
        ------
        ArgumentError
            If there is no such belief.
        """
        cdef Rng rng
        cdef _Root root
        cdef State s
        rng = as_rng(seed)
        s = self.sample(rng, this_round_only=self.search_payoff(payoff) != "win")
        if self.game.payoff != "score":
            s.game = Game(**{**self.game.get_parameters(), "payoff": "score"})
        if belief is None or (isinstance(belief, str) and belief == "uniform"):
            return s
        root = self.search_root(payoff, belief)
        if believe(&root.c.rules, &root.c.position, &rng.c, &s.c) < 0:
            raise PositionError("no deal was found that fits what is known")
        s.origin = s.c
        return s

    def search_root(self, payoff=None, belief=None, epsilon=0.0, own="policy"):
        """What a compiled search needs (see `solver.games.ops`); samples as `search_sample`.

        With the chance `epsilon` its policy plays any legal action. With `own` "learnt" the observer plays by the
        rule of `State.learnt_action`.
        """
        cdef _Root root = _Root()
        if belief is not None and not (isinstance(belief, str) and belief in ("uniform", "play")):
            raise ArgumentError(f'belief must be "uniform" or "play", not {belief!r}')
        name = self.search_payoff(payoff)
        root.c.rules = self.game.rules
        root.c.position = self.c
        root.c.payoff = PAYOFFS[name]
        root.c.epsilon = share_of_one(epsilon, "epsilon")
        if not isinstance(own, str) or own not in ("policy", "learnt"):
            raise ArgumentError(f'own must be "policy" or "learnt", not {own!r}')
        root.c.learnt = own == "learnt"
        if name != "win":
            root.c.position.base.last_round = self.c.base.round + 1
        fill_ops(&root.c, &root.ops)
        fill_policy_ops(&root.ops, belief is not None and belief == "play")
        return root

    # -- text

    cdef object _fields(self):
        """The position as plain numbers."""
        cdef const state_t* b = &self.c.base
        cdef int q, i, n = self.game.rules.players
        if self._fields_cache is not None:
            return self._fields_cache
        f = scout_notation.Fields()
        f.seat = self.c.observer
        f.to_move = b.mover
        f.phase = {CHOOSING: "choose", MUST_SHOW: "must-show"}.get(b.phase, "turn")
        f.hand = _row(b, self.c.observer)
        f.table = _active(b)
        f.owner = b.owner
        f.cards = [self.c.cards[q] for q in range(n)]
        f.chips = [b.seat[q].chips for q in range(n)]
        f.score = [b.seat[q].taken for q in range(n)]
        f.totals = [b.seat[q].total for q in range(n)]
        if not self.game.rules.two:
            f.used = [q for q in range(n) if not b.both_left >> q & 1]
        if b.phase == MUST_SHOW:
            turned = hand_card(&b.seat[self.c.observer].hand, b.pending_place) != b.pending_card
            f.pending = (b.pending_end, b.pending_place, turned, b.pending_owner)
        own = [tuple(sorted(card)) for i, card in enumerate(f.hand) if b.seat[self.c.observer].known >> <int> i & 1]
        if own:
            f.known[f.seat] = [(card, -1) for card in sorted(own)]
        for q in range(n):
            if self.c.known_cards[q]:
                f.known[q] = [((self.c.known[q][i] & 15, self.c.known[q][i] >> 4), self.c.known_place[q][i])
                              for i in range(self.c.known_cards[q])]
        f.gone = self._cards(b.gone)
        f.out = self._cards(b.out)
        f.left = self._cards(b.left[self.c.observer])
        f.turn = b.turns
        f.starter = b.starter
        f.round = b.round
        self._fields_cache = f
        return f

    cdef list _cards(self, uint64_t mask):
        return [pair for i, pair in enumerate(self.game.deck()) if mask >> <int> i & 1]

    def pretty(self, names=None):
        """The position as a person would lay it out, at most 80 columns wide.

        Parameters
        ----------
        names : sequence of str, optional
            One a seat; default "seat 0", ...

        Raises
        ------
        ArgumentError
            If there is not one name a seat.
        """
        words = None if names is None else [str(name) for name in listed(names, "names")]
        if words is not None and len(words) != self.game.rules.players:
            raise ArgumentError(f"names for {self.game.rules.players} seats are needed, not {len(words)}")
        return scout_notation.pretty(self.game, self._fields(), words)

    def _repr_html_(self):
        """The position as a notebook shows it: drawn, with what the seat knows and no more."""
        from solver import _html_games
        return _html_games.scout(self)

    def __str__(self):
        if self._text is None:
            self._text = scout_notation.write_line(self.game, self._fields())
        return self._text

    def __repr__(self):
        return f"scout.parse({str(self)!r})"

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
        The game, then sections between ``|`` in any order; docs/notation.md lists them. Only
        ``hand`` must be there.

    Returns
    -------
    Position

    Raises
    ------
    PositionError
        If the text cannot be read, or no deal and play can lead to what it says; with the column.

    Examples
    --------
    >>> p = parse("scout(players=3) | hand 3/7 4/1 5/9 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    >>> p.action_to_string(p.legal_actions()[0])
    'show 3'
    """
    notation.check_length(text)
    name, given, end = notation.read_game(text)
    if name != "scout":
        raise PositionError(f"this is a position of the game scout, not {name}", 1)
    try:
        game = from_options(given)
    except GameOptionError as error:
        raise PositionError(str(error), text.index("(") + 1 if "(" in text else 1) from error
    return _from_fields(game, scout_notation.read_fields(game, notation.read_line(text, end)))


cdef Position _from_fields(Game game, object f):
    """A compiled position from checked fields; equal, to the byte, to what `observe` writes."""
    cdef Position p = Position.__new__(Position, _TOKEN)
    cdef rules_t* r = &game.rules
    cdef state_t* b = &p.c.base
    cdef uint8_t row[64]
    cdef uint64_t seen = 0
    cdef int q, i, needed
    p.game = game
    p.c.observer = f.seat
    for i, (top, bottom) in enumerate(f.hand):
        row[i] = top | bottom << 4
        seen |= <uint64_t> 1 << r.index[row[i]]
    hand_load(&b.seat[p.c.observer].hand, row, len(f.hand), 0)
    for i, (top, bottom) in enumerate(f.table):
        row[i] = top | bottom << 4
        seen |= <uint64_t> 1 << r.index[row[i]]
    lay_active(b, row, len(f.table))
    for top, bottom in f.gone:
        b.gone |= <uint64_t> 1 << r.index[<int> (top | bottom << 4)]
    for top, bottom in f.out:
        b.out |= <uint64_t> 1 << r.index[<int> (top | bottom << 4)]
    for top, bottom in f.left:
        b.left[p.c.observer] |= <uint64_t> 1 << r.index[<int> (top | bottom << 4)]
    seen |= b.gone | b.out | b.left[p.c.observer]
    b.owner = f.owner
    b.mover = f.to_move
    b.starter = f.starter
    b.phase = {"choose": CHOOSING, "turn": TURN, "must-show": MUST_SHOW}[f.phase]
    b.exempt = -1
    b.round = f.round
    b.last_round = r.rounds
    b.turns = f.turn
    b.asides = r.deck - r.in_play * (2 if r.two and f.round & 1 else 1)
    if f.table:
        b.row = scouts_since(r, b)
    if f.pending:
        b.pending_end, b.pending_place, turned, b.pending_owner = f.pending
        b.pending_card = hand_card(&b.seat[p.c.observer].hand, b.pending_place)
        if turned:
            b.pending_card = card_turned(b.pending_card)
    if not r.two:
        b.both_left = low_bits(r.players)
        for seat in f.used:
            b.both_left &= ~(1 << <int> seat)
    for q in range(r.players):
        b.seat[q].cards = p.c.cards[q] = f.cards[q]
        b.seat[q].chips = f.chips[q]
        b.seat[q].taken = f.score[q]
        b.seat[q].total = f.totals[q]
        if q == p.c.observer:
            known = [card for card, _ in f.known.get(q, ())]
            for i, card in enumerate(f.hand):
                if tuple(sorted(card)) in known:
                    b.seat[q].known |= <uint64_t> 1 << <int> i
            continue
        for i, ((top, bottom), place) in enumerate(f.known.get(q, ())):
            p.c.known[q][i] = top | bottom << 4
            p.c.known_place[q][i] = place
            p.c.known_cards[q] += 1
            seen |= <uint64_t> 1 << r.index[p.c.known[q][i]]
        p.c.hidden += p.c.cards[q] - p.c.known_cards[q]
    p.c.hidden_gone = sum(f.score) - len(f.gone)
    p.c.hidden += p.c.hidden_gone
    for i in range(r.deck):
        if not seen >> i & 1:
            p.c.pool[p.c.unseen] = r.cards[i]
            p.c.unseen += 1
    needed = p.c.hidden + b.asides
    if p.c.unseen < needed:
        raise PositionError(f"{needed} cards are hidden, but only {p.c.unseen} are named nowhere: "
                            "some named card cannot be where it is")
    return p
