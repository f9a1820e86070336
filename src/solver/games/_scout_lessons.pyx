# cython: language_level=3
"""What SCOUT's constants are found by: rounds of planning and of the rule that is learnt, from the deal on.

`scout.Game` has these methods. Contests tell what constants gain, samples what they are fitted to; the experiments that
find them begin here. None of it needs Python within a round.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.string cimport memcpy, memset

from solver._core cimport Rng, as_rng, rng_fork, rng_t, share_of_one, whole_in
from solver.games._scout cimport MARGIN, OVER, new_round, payoffs, rules_t, state_t
from solver.games._scout_learnt cimport (
    LEARNT, MAX_OPTIONS, OPTION_FEATURES, POSITION_FEATURES, choice_t, learnt_margin, learnt_net, net_t, next_lesson,
)
from solver.games._scout_options cimport Options
from solver.games._scout_policy cimport TUNED, VALUE, contested_game, fill_weights, tuned, value_sample
from solver.games._scout_rows cimport weights_t

import numpy as np

from solver.errors import ArgumentError


cdef class Lessons(Options):
    """What `Game` takes from here; see there for the parameters."""

    @property
    def planning_constants(self):
        """The tuned constants of the planning agent for this number of players.

        float64, shape (27,), in points: a single card: base, slope | groups of 2, 3, 4, 5: base, slope | runs of
        2, 3, 4, 5: base, slope | a single on the table: base, slope | groups of 2, 3, 4 there | runs of 2, 3, 4, 5
        | slope of a set there | cost of a Scout, of a Scout & Show | end of the round | danger from a small hand
        | danger from the row of Scouts. A slope counts for each number above 5. docs/search-notes.md says how
        they are used, experiments/planning-constants how they are found.
        """
        return np.array([TUNED[self.rules.players - 2][i] for i in range(27)])

    def planning_contest(self, first, second=None, deals=100, seed=0):
        """Pit two sets of planning's constants against each other, without Python.

        Each deal is played once with `first` in every seat and `second` in all others.

        Parameters
        ----------
        first, second : array_like of float, shape (27,), or None
            Constants of the planning agent, in the order of `planning_constants`, each within
            -100..100. None: the tuned ones.
        deals : int, default 100
        seed : int, numpy.random.SeedSequence, Rng or None

        Returns
        -------
        numpy.ndarray of float64, shape (deals,)
            The margin of `first` on each deal, the mean over its seats: own score minus the mean of
            the others', in points.

        Raises
        ------
        ArgumentError
            If constants are of another shape or out of range, or `deals` is no whole number of at least 1.
        """
        cdef int i, count = _at_least_1("deals", deals)
        cdef weights_t given[2]
        cdef const weights_t* sides[2]
        cdef Rng rng = as_rng(seed)
        for i, constants in enumerate((first, second)):
            if constants is None:
                sides[i] = tuned(&self.rules)
            else:
                _weights(constants, &given[i])
                sides[i] = &given[i]
        return self._contest(count, rng, sides, NULL)

    cdef _contest(self, int count, Rng rng, const weights_t** sides, const net_t* net):
        """The mean margin of one player over the seats of each deal, planning in the others: by the rule with these
        constants, or if they are NULL by planning's constants, the others' being the second."""
        cdef const weights_t* by_seat[5]
        cdef rng_t stream = rng.c           # of this call alone while the GIL is released
        cdef rng_t chance
        cdef state_t dealt, s
        cdef double total
        cdef int i, q, seat, players = self.rules.players
        margins = []
        memset(&dealt, 0, sizeof(state_t))
        dealt.last_round = self.rules.rounds
        for i in range(count):
            if i % 200 == 0:
                PyErr_CheckSignals()
            with nogil:
                s = dealt
                total = 0
                rng_fork(&stream, &s.rng)
                new_round(&self.rules, &s)
                rng_fork(&stream, &chance)
                for seat in range(players):
                    if net != NULL:
                        total += learnt_margin(&self.rules, s, net, chance, seat)
                        continue
                    for q in range(players):
                        by_seat[q] = sides[q != seat]
                    total += _margin(&self.rules, s, by_seat, chance, seat)
            margins.append(total / players)
        rng.c = stream
        return np.array(margins)

    @property
    def value_constants(self):
        """What the rest of a round is expected to bring a seat, for this number of players.

        float64, shape (17,), in points: always | for each feature of the seat, in the order of `value_samples` |
        for the mean of the others' features. Fitted by experiments/value-function; what `State.estimated_returns`
        and a search's horizon go by.
        """
        return np.array([VALUE[self.rules.players - 2][i] for i in range(17)])

    def value_samples(self, deals, seed=0):
        """States of rounds that the planning agent plays in all seats, for fitting what a state is worth.

        Parameters
        ----------
        deals : int
            Rounds, at least 1. Of each one turn is drawn.
        seed : int, numpy.random.SeedSequence, Rng or None

        Returns
        -------
        features : numpy.ndarray of float64, shape (deals, players, 8)
            Of each seat: worth of the hand as planning sees it, in points; cards in the hand; cards in the smallest
            other hand; whether the Active Set is its own, its size if so, and the Scouts since; whether it has its
            Scout & Show chip; turns until it is to move.
        later : numpy.ndarray of float64, shape (deals, players)
            Points of each seat from there to the end of the round.

        Raises
        ------
        ArgumentError
            If the game has more than one round, or `deals` is no whole number of at least 1.
        """
        if self.rules.rounds != 1:
            raise ArgumentError(f"value samples are of one round: rounds must be 1, not {self.rules.rounds}")
        cdef int i, players = self.rules.players, count = _at_least_1("deals", deals)
        cdef Rng rng = as_rng(seed)
        cdef rng_t stream = rng.c           # of this call alone while the GIL is released
        cdef state_t fresh, s
        features = np.empty((count, players, 8))
        later = np.empty((count, players))
        cdef double* of_features = <double*> <size_t> features.ctypes.data
        cdef double* of_later = <double*> <size_t> later.ctypes.data
        memset(&fresh, 0, sizeof(state_t))
        fresh.last_round = 1
        for i in range(count):
            if i % 1000 == 0:
                PyErr_CheckSignals()
            with nogil:
                s = fresh
                rng_fork(&stream, &s.rng)
                value_sample(&self.rules, &s, &stream, of_features, of_later)
            of_features += 8 * players
            of_later += players
        rng.c = stream
        return features, later

    @property
    def learnt_constants(self):
        """The constants of the rule that is learnt, for this number of players.

        float32, shape (1789,): for each feature of an option, then for each of the position, what it adds to each of 32
        hidden units | what these begin with | what each that is above 0 adds to the score | what each feature of an
        option adds to it at once. `learnt_samples` names the features; experiments/learnt-play finds the constants.
        """
        net = np.empty(LEARNT, np.float32)
        memcpy(<void*> <size_t> net.ctypes.data, learnt_net(&self.rules), sizeof(net_t))
        return net

    def learnt_contest(self, constants=None, deals=100, seed=0):
        """Pit the rule that is learnt against planning, without Python.

        Each deal is played once with the rule in every seat and planning in all others.

        Parameters
        ----------
        constants : array_like of float, shape (1789,), or None
            In the order of `learnt_constants`. None: those.
        deals : int, default 100
        seed : int, numpy.random.SeedSequence, Rng or None

        Returns
        -------
        numpy.ndarray of float64, shape (deals,)
            The margin of the rule on each deal, the mean over its seats, in points.

        Raises
        ------
        ArgumentError
            If constants are of another shape or out of range, or `deals` is no whole number of at least 1.
        """
        cdef int count = _at_least_1("deals", deals)
        cdef net_t net
        cdef Rng rng = as_rng(seed)
        _net(&self.rules, constants, &net)
        return self._contest(count, rng, NULL, &net)

    def learnt_samples(self, decisions, constants=None, explore=0.05, seed=0):
        """Turns of the rule that is learnt, and what comes of each option, for learning it anew.

        Rounds are played with the rule in one seat, each in turn, and planning in the others. One in three of its turns
        of choice is taken, and each option of it played out likewise, once, with the cards as they lie.

        Parameters
        ----------
        decisions : int
            Turns, at least 1.
        constants : array_like of float, shape (1789,), or None
            Of the rule, in the order of `learnt_constants`. None: those.
        explore : float, default 0.05
            Chance in 0..1 that a round goes on with any option in place of the rule's.
        seed : int, numpy.random.SeedSequence, Rng or None

        Returns
        -------
        counts : numpy.ndarray of int64, shape (decisions,)
            Options of each turn: all Shows (of more than 56 the best), and of the Scouts of one card, one side up,
            the one that planning likes best; of the Scout & Shows likewise.
        positions : numpy.ndarray of float32, shape (decisions, 24)
            Own Scout & Show chip, others' | cards in the smallest other hand, in the next | cards of the Active Set
            | seats until its owner | own cards | Scouts since the last Show | smallest number of the Active Set |
            whether it is a run | cards of its owner | worth of the own hand as planning sees it, in points |
            cards of all others | own chips for Scouts, the next player's | cards of the player before | least
            number of sets that the own hand falls into | its longest set | whether the next player has its Scout &
            Show chip | cards not seen | score cards of all | cards of the next player but one | single cards
            among the sets of the own hand | Shows.
        options : numpy.ndarray of float32, shape (sum of counts, 29)
            Worth to planning less the best option's, in points | whether it is a Show, a Scout, a Scout & Show |
            worth of the hand after it, less before, in points | cards in hand after it | cards taken | size of the
            set shown, the same if it is a run, its smallest number | longest set of the hand after it, its sets, the
            least number of sets it falls into | whether it ends the round | how likely (0..1, roughly) the next
            player, any other beats the set then on the table | whether the hand after it does | its longest set
            less the size of that set | number of the scouted card | how likely another beats the strongest set of
            the hand after it | longest set without that one | single cards among the sets | smallest number of the
            strongest set | if nothing more goes into the hand: least Shows that empty it, of these those of one card |
            cards of the longest set there, or that one Show lets come together, how likely another beats the strongest
            such set | the same after two Shows.
        margins : numpy.ndarray of float32, shape (sum of counts,)
            What came of it: own score less the mean of the others', in points.

        Raises
        ------
        ArgumentError
            If the game has more than one round, constants are of another shape or out of range, `decisions` is no
            whole number of at least 1, or `explore` is out of range.
        """
        if self.rules.rounds != 1:
            raise ArgumentError(f"samples are of one round: rounds must be 1, not {self.rules.rounds}")
        cdef int sought = _at_least_1("decisions", decisions)
        cdef double chance = share_of_one(explore, "explore")
        cdef net_t net
        cdef Rng rng = as_rng(seed)
        cdef rng_t stream = rng.c           # of this call alone while the GIL is released
        cdef state_t s
        cdef choice_t choice
        cdef float margins[MAX_OPTIONS]
        cdef int taken, rounds = 0, own = 0, found = 0
        _net(&self.rules, constants, &net)
        s.phase = OVER
        counts, of_positions, of_options, of_margins = [], [], [], []
        while found < sought:
            if s.phase == OVER:
                if rounds % 200 == 0:
                    PyErr_CheckSignals()
                rounds += 1
                own = rounds % self.rules.players
                memset(&s, 0, sizeof(state_t))
                s.last_round = 1
                rng_fork(&stream, &s.rng)
                new_round(&self.rules, &s)
            with nogil:
                taken = next_lesson(&self.rules, &s, &net, own, chance, &stream, &choice, margins)
            if taken:
                found += 1
                counts.append(taken)
                of_positions.append((<char*> choice.of_position)[:POSITION_FEATURES * sizeof(float)])
                of_options.append((<char*> choice.of_option)[:taken * OPTION_FEATURES * sizeof(float)])
                of_margins.append((<char*> margins)[:taken * sizeof(float)])
        rng.c = stream
        return (
            np.array(counts, np.int64),
            np.frombuffer(b"".join(of_positions), np.float32).reshape(-1, POSITION_FEATURES),
            np.frombuffer(b"".join(of_options), np.float32).reshape(-1, OPTION_FEATURES),
            np.frombuffer(b"".join(of_margins), np.float32),
        )


cdef double _margin(
    const rules_t* g, state_t s, const weights_t** by_seat, rng_t chance, int seat
) noexcept nogil:
    """The margin of a seat after a game from a deal; both are copies."""
    cdef double out[5]
    contested_game(g, &s, by_seat, &chance)
    payoffs(g, &s, MARGIN, out)
    return out[seat]


cdef int _at_least_1(str name, object given) except -1:
    """A number of deals or decisions, checked."""
    wanted = whole_in(given, 1, 2**31 - 1)
    if wanted is None:
        raise ArgumentError(f"{name} must be a whole number of at least 1, not {given!r}")
    return wanted


cdef int _net(const rules_t* g, object given, net_t* out) except -1:
    """Constants of the rule that is learnt, checked."""
    if given is None:
        out[0] = learnt_net(g)[0]
        return 0
    try:
        values = np.array(given, dtype=np.float32)
    except (TypeError, ValueError):
        values = np.empty(0, np.float32)
    if values.shape != (LEARNT,) or not (np.abs(values) <= 1e6).all():
        raise ArgumentError(f"constants of the rule are {LEARNT} numbers in -1e6..1e6, not {given!r}")
    memcpy(out, <const void*> <size_t> values.ctypes.data, sizeof(net_t))
    return 0


cdef int _weights(object given, weights_t* out) except -1:
    """Constants of planning, checked."""
    cdef int i
    cdef double row[27]
    try:
        values = np.array(given, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (27,) or not (np.abs(values) <= 100).all():
        raise ArgumentError(f"constants of planning are 27 numbers in -100..100, not {given!r}")
    for i in range(27):
        row[i] = values[i]
    fill_weights(row, out)
    return 0
