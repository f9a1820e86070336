# cython: language_level=3
"""The passes of counterfactual regret minimization and of best responses over treeplexes.

One player's update is: the worth of each own sequence against the others' reach (a sparse matrix times
a vector), one pass over the own information states from the last to the first (values, regrets, next
strategy), one pass from the first to the last (average, reach). Nothing is hashed or allocated on the
way. `solver.cfr` is the door; it turns a method into the numbers that each iteration needs.

Threads split the treeplex into subtrees that do not touch each other; every number is made by the same
operations in the same order as with one thread, so the result is the same to the bit.
"""
cimport cython
from libc.stdint cimport int32_t, int64_t

import os
import threading

import numpy as np

from solver.errors import ArgumentError
from solver.symmetry import equal_rows

cdef extern from "_barrier.h" nogil:
    ctypedef struct solver_barrier_t:
        pass
    void solver_barrier_start(solver_barrier_t* barrier, int threads)
    int solver_barrier_wait(solver_barrier_t* barrier)
    void solver_barrier_break(solver_barrier_t* barrier)

DEF MAX_THREADS = 64
DEF TINY = 1e-290


cdef struct seat_t:
    int32_t infosets, sequences, columns, rivals
    const int32_t* first
    const int32_t* parent
    const int32_t* child
    const int64_t* rows
    const int32_t* cols
    const double* payoffs
    const int32_t* row         # where equal rows are kept once: the row of each sequence; else NULL
    int32_t kept               # and how many there are
    double* ends               # and what each of them brings
    const int32_t* joint       # with three players or more: the rivals' sequences of each column
    const int32_t* rival       # and who they are
    double* regrets
    double* strategy           # probability of each sequence's last action
    double* reach              # product of the strategy along the sequence
    double* average
    double* value              # by information state
    double* worth              # by sequence
    double* column             # with three players or more: the product of the rivals' reach
    # Split for threads: information states below `top` belong to everybody; those of thread t on level l
    # are slices[l * (threads + 1) + t] to slices[l * (threads + 1) + t + 1] - 1.
    int32_t top, levels
    const int32_t* level
    const int32_t* slices


ctypedef struct rule_t:
    double positive            # factor of positive regrets before an iteration's regrets are added
    double negative
    double predicted           # factor of positive regrets in a prediction
    double discount            # factor of the average before an iteration's reach is added


cdef class Seat:
    """One player's treeplex and what is known of its play."""
    cdef seat_t c
    cdef readonly object plex, regrets, strategy, reach, average
    cdef tuple keep

    def __init__(self, plex, int player, int threads, bint learns):
        cdef const int32_t[::1] ints
        cdef const int32_t[:, ::1] joint
        cdef const int64_t[::1] longs
        cdef const double[::1] payoffs
        cdef double[::1] doubles
        cdef int n = plex.num_infosets, m = plex.num_sequences
        self.plex = plex
        self.c.infosets, self.c.sequences = n, m
        self.c.columns, self.c.rivals = plex.joint.shape
        rival = np.array([p for p in range(self.c.rivals + 1) if p != player], dtype=np.int32)
        self.c.levels = len(plex.level) - 1
        self.c.top, slices = split(plex, threads)
        column = np.ones(self.c.columns) if self.c.rivals != 1 else np.ones(1)
        self.strategy = plex.uniform()
        self.reach = np.ones(m)
        self.regrets = np.zeros(m if learns else 1)
        self.average = np.zeros(m if learns else 1)
        value, worth = np.zeros(n + 1), np.zeros(m)
        self.keep = (rival, slices, column, value, worth)
        if n:
            ints = plex.first
            self.c.first = &ints[0]
            ints = plex.parent
            self.c.parent = &ints[0]
            ints = slices
            self.c.slices = &ints[0]
        ints = plex.child
        self.c.child = &ints[0]
        ints = plex.level
        self.c.level = &ints[0]
        rows, columns, entries, row = plex.rows, plex.columns, plex.payoffs, None
        equal = equal_rows(plex)
        if equal is not None:
            rows, columns, entries, row = equal
            ends = np.zeros(len(rows))
            self.keep += (rows, columns, entries, row, ends)
            self.c.kept = len(rows) - 1
            ints = row
            self.c.row = &ints[0]
            doubles = ends
            self.c.ends = &doubles[0]
        longs = rows
        self.c.rows = &longs[0]
        if len(entries):
            ints = columns
            self.c.cols = &ints[0]
            payoffs = entries
            self.c.payoffs = &payoffs[0]
        if self.c.rivals > 1:
            joint = plex.joint
            self.c.joint = &joint[0, 0]
            ints = rival
            self.c.rival = &ints[0]
        doubles = self.regrets
        self.c.regrets = &doubles[0]
        doubles = self.strategy
        self.c.strategy = &doubles[0]
        doubles = self.reach
        self.c.reach = &doubles[0]
        doubles = self.average
        self.c.average = &doubles[0]
        doubles = value
        self.c.value = &doubles[0]
        doubles = worth
        self.c.worth = &doubles[0]
        doubles = column
        self.c.column = &doubles[0]
        with nogil:
            reset_reach(&self.c)


@cython.wraparound(True)
def split(plex, int threads):
    """Where the subtrees of each thread begin.

    Returns
    -------
    top : int
        Information states before this one are on too high a level to be split.
    slices : int32 array, shape (levels * (threads + 1),)
    """
    level = plex.level
    levels = len(level) - 1
    n = plex.num_infosets
    slices = np.zeros((levels, threads + 1), dtype=np.int32)
    if threads == 1 or not n:
        slices[:, 0], slices[:, 1:] = level[:-1], level[1:, None]
        return 0, slices.reshape(-1)
    # work of each information state with all that follows it
    work = 2.0 * np.diff(plex.first) + np.diff(plex.rows[plex.first])
    owner = np.repeat(np.arange(n), np.diff(plex.first))
    for d in range(levels - 1, 0, -1):
        here = slice(level[d], level[d + 1])
        np.add.at(work, owner[plex.parent[here] - 1], work[here])
    total = work[: level[1]].sum()
    best, cost = 0, float("inf")
    for d in range(levels):
        here = np.cumsum(work[level[d] : level[d + 1]])
        cuts = np.searchsorted(here, here[-1] * np.arange(1, threads) / threads, side="left") + 1
        parts = np.diff(np.concatenate([[0.0], here[np.minimum(cuts, len(here)) - 1], here[-1:]]))
        taken = (total - here[-1]) + parts.max()       # what is above is done by one thread
        if taken < cost * 0.98:
            best, cost, chosen = d, taken, np.minimum(cuts, len(here))
    slices[:best] = level[:best, None]
    bounds = np.concatenate([[0], chosen, [level[best + 1] - level[best]]]) + level[best]
    for d in range(best, levels):
        slices[d] = bounds
        if d + 1 < levels:
            # what follows an unbroken run of information states is an unbroken run one level below
            bounds = plex.child[np.minimum(plex.first[bounds], plex.num_sequences)]
            bounds[0], bounds[-1] = level[d + 1], level[d + 2]
    return int(level[best]), slices.reshape(-1)


cdef void reset_reach(seat_t* seat) noexcept nogil:
    """Reach of the strategy."""
    cdef int32_t i, s
    seat.reach[0] = 1
    for i in range(seat.infosets):
        for s in range(seat.first[i], seat.first[i + 1]):
            seat.reach[s] = seat.reach[seat.parent[i]] * seat.strategy[s]


cdef inline double product(const seat_t* seat, const double* y, int32_t row) noexcept nogil:
    """A row of the matrix times the others' reach."""
    cdef double total = 0
    cdef int64_t k
    for k in range(seat.rows[row], seat.rows[row + 1]):
        total += seat.payoffs[k] * y[seat.cols[k]]
    return total


cdef inline double ends_of(const seat_t* seat, const double* y, int32_t s) noexcept nogil:
    """What the ends after a sequence, without a further own decision, bring against the others' reach."""
    if seat.row != NULL:
        return seat.ends[seat.row[s]]
    return product(seat, y, s)


cdef inline double below(const seat_t* seat, int32_t s) noexcept nogil:
    """What the next own decisions after a sequence bring."""
    cdef double total = 0
    cdef int32_t j
    for j in range(seat.child[s], seat.child[s + 1]):
        total += seat.value[j]
    return total


cdef inline void learn(seat_t* seat, const double* y, rule_t rule, bint predicts,
                       int32_t begin, int32_t end) noexcept nogil:
    """Regrets, next strategy and values of the information states end - 1 down to begin."""
    cdef int32_t i, s, lo, hi
    cdef double v, norm, r
    cdef double* worth = seat.worth
    cdef double* strategy = seat.strategy
    cdef double* regrets = seat.regrets
    for i in range(end - 1, begin - 1, -1):
        lo, hi = seat.first[i], seat.first[i + 1]
        v = 0
        for s in range(lo, hi):
            worth[s] = ends_of(seat, y, s) + below(seat, s)
            v += strategy[s] * worth[s]
        seat.value[i] = v
        norm = 0
        for s in range(lo, hi):
            r = regrets[s]
            r = r * (rule.positive if r > 0 else rule.negative) + (worth[s] - v)
            if predicts:
                r = r if r > 0 else 0
                regrets[s] = r
                r = r * rule.predicted + (worth[s] - v)
            else:
                regrets[s] = r
            r = r if r > 0 else 0
            strategy[s] = r
            norm += r
        if norm > TINY:
            norm = 1 / norm
            for s in range(lo, hi):
                strategy[s] *= norm
        elif norm > 0:                      # its inverse would be infinite
            for s in range(lo, hi):
                strategy[s] /= norm
        else:
            for s in range(lo, hi):
                strategy[s] = 1.0 / (hi - lo)


cdef inline void settle(seat_t* seat, double discount, int32_t begin, int32_t end) noexcept nogil:
    """Add the reach to the average, then take the reach of the new strategy."""
    cdef int32_t i, s
    cdef double x
    for i in range(begin, end):
        x = seat.reach[seat.parent[i]]
        for s in range(seat.first[i], seat.first[i + 1]):
            seat.average[s] = seat.average[s] * discount + seat.reach[s]
            seat.reach[s] = x * seat.strategy[s]


cdef const double* columns_of(seat_t* seats, int player, int thread, int threads) noexcept nogil:
    """The others' reach by column; with three players or more this thread's share of the products is made."""
    cdef seat_t* seat = &seats[player]
    cdef int64_t c, k, begin, end
    cdef double together
    cdef const double* one
    cdef const double* two
    if seat.rivals == 1:
        return seats[1 - player].reach
    begin = <int64_t> seat.columns * thread // threads
    end = <int64_t> seat.columns * (thread + 1) // threads
    if seat.rivals == 2:
        one, two = seats[seat.rival[0]].reach, seats[seat.rival[1]].reach
        for c in range(begin, end):
            seat.column[c] = one[seat.joint[2 * c]] * two[seat.joint[2 * c + 1]]
        return seat.column
    for c in range(begin, end):
        together = 1
        for k in range(seat.rivals):
            together *= seats[seat.rival[k]].reach[seat.joint[c * seat.rivals + k]]
        seat.column[c] = together
    return seat.column


cdef void make_rows(seat_t* seat, const double* y, int thread, int threads) noexcept nogil:
    """This thread's share of the rows that several sequences have in common."""
    cdef int32_t row
    cdef int32_t begin = <int32_t> (<int64_t> seat.kept * thread // threads)
    cdef int32_t end = <int32_t> (<int64_t> seat.kept * (thread + 1) // threads)
    for row in range(begin, end):
        seat.ends[row] = product(seat, y, row)


cdef void iterate(seat_t* seats, int players, const rule_t* rules, int iterations, bint predicts, bint alternating,
                  int thread, int threads, solver_barrier_t* barrier) noexcept nogil:
    """This thread's share of some iterations."""
    cdef int t, p, q, d
    cdef seat_t* seat
    cdef const double* y
    cdef const int32_t* cut
    for t in range(iterations):
        for p in range(players):
            seat = &seats[p]
            y = columns_of(seats, p, thread, threads)
            if seat.rivals != 1:
                if solver_barrier_wait(barrier):
                    return
            if seat.row != NULL:
                make_rows(seat, y, thread, threads)
                if solver_barrier_wait(barrier):
                    return
            for d in range(seat.levels - 1, -1, -1):
                if seat.level[d] < seat.top:
                    break
                cut = &seat.slices[d * (threads + 1) + thread]
                if predicts:
                    learn(seat, y, rules[t], True, cut[0], cut[1])
                else:
                    learn(seat, y, rules[t], False, cut[0], cut[1])
            if seat.top:
                if solver_barrier_wait(barrier):
                    return
                if thread == 0:
                    learn(seat, y, rules[t], predicts, 0, seat.top)
            if solver_barrier_wait(barrier):
                return
            if alternating or p == players - 1:
                for q in range(p if alternating else 0, p + 1):
                    seat = &seats[q]
                    if seat.top:
                        if thread == 0:
                            settle(seat, rules[t].discount, 0, seat.top)
                        if solver_barrier_wait(barrier):
                            return
                    for d in range(seat.levels):
                        if seat.level[d] >= seat.top:
                            cut = &seat.slices[d * (threads + 1) + thread]
                            settle(seat, rules[t].discount, cut[0], cut[1])
                if solver_barrier_wait(barrier):
                    return


cdef void normalise(const seat_t* seat, const double* weights, double* out) noexcept nogil:
    """Weights of sequences to probabilities; uniform where nothing was played."""
    cdef int32_t i, s
    cdef double total
    out[0] = 1
    for i in range(seat.infosets):
        total = 0
        for s in range(seat.first[i], seat.first[i + 1]):
            total += weights[s]
        for s in range(seat.first[i], seat.first[i + 1]):
            out[s] = weights[s] / total if total > 0 else 1.0 / (seat.first[i + 1] - seat.first[i])


cdef (double, double) respond(seat_t* seat, const double* y, double* pure) noexcept nogil:
    """Pay-off of the best response to the others' reach, and of the own reach; the response itself in `pure`."""
    cdef int32_t i, s, lo, hi, best
    cdef double at, top, total = 0
    for i in range(seat.infosets - 1, -1, -1):
        lo, hi = seat.first[i], seat.first[i + 1]
        best, top = lo, 0
        for s in range(lo, hi):
            at = ends_of(seat, y, s)
            total += seat.reach[s] * at
            at += below(seat, s)
            if s == lo or at > top:
                best, top = s, at
        seat.value[i] = top
        if pure != NULL:
            for s in range(lo, hi):
                pure[s] = s == best
    at = ends_of(seat, y, 0)
    return at + below(seat, 0), total + at


cdef class _Job:
    """What the threads of a run share; lives until the last of them has let go of it."""
    cdef Table table
    cdef solver_barrier_t barrier
    cdef const double[:, ::1] rules
    cdef bint predicts, alternating

    def __init__(self, Table table, const double[:, ::1] rules, bint predicts, bint alternating):
        self.table, self.rules, self.predicts, self.alternating = table, rules, predicts, alternating
        solver_barrier_start(&self.barrier, table.threads)


cdef class _Share:
    """One thread's part of a job."""
    cdef _Job job
    cdef int thread

    def __init__(self, _Job job, int thread):
        self.job, self.thread = job, thread

    def __call__(self):
        cdef _Job job = self.job
        cdef Table table = job.table
        cdef const rule_t* rules = <const rule_t*> &job.rules[0, 0]
        cdef int iterations = <int> job.rules.shape[0]
        with nogil:
            iterate(table.c, table.players, rules, iterations, job.predicts, job.alternating, self.thread,
                    table.threads, &job.barrier)


def _join(helpers):
    """Wait for all threads, whatever is raised meanwhile; that is raised at the end."""
    raised = None
    for helper in helpers:
        while helper.is_alive():
            try:
                helper.join()
            except BaseException as error:
                raised = error
    if raised is not None:
        raise raised


cdef class Table:
    """The seats of a tree, for solving (`learns`) or for evaluating policies.

    Parameters
    ----------
    treeplexes : sequence of Treeplex
        At most 127.
    threads : int
        1 to 64.
    learns : bool
        Whether regrets and averages are kept.
    """
    cdef seat_t c[128]
    cdef readonly list seats
    cdef readonly int threads
    cdef int players
    cdef object lock

    def __init__(self, treeplexes, int threads=1, bint learns=True):
        cdef Seat seat
        if not 1 <= threads <= MAX_THREADS:
            raise ArgumentError(f"threads lie in 1..{MAX_THREADS}, not {threads}")
        # more threads than cores only wait for each other, and the result is the same
        self.threads = threads = min(threads, os.cpu_count() or 1)
        self.players = len(treeplexes)
        self.seats = [Seat(plex, p, threads, learns) for p, plex in enumerate(treeplexes)]
        self.lock = threading.Lock()
        for p in range(self.players):
            seat = self.seats[p]
            self.c[p] = seat.c

    def run(self, const double[:, ::1] rules, bint predicts, bint alternating):
        """Iterations, one for each row (positive, negative, predicted, discount) of `rules`."""
        cdef _Share share
        if rules.shape[1] != 4:
            raise ArgumentError("a rule has four numbers")
        if not rules.shape[0]:
            return
        cdef _Job job = _Job(self, rules, predicts, alternating)
        helpers = []
        with self.lock:
            try:
                for thread in range(1, self.threads):
                    helper = threading.Thread(target=_Share(job, thread), daemon=True)
                    helper.start()
                    helpers.append(helper)
                share = _Share(job, 0)
                share()
            except BaseException:
                # A thread could not be started, or a signal's handler raised: nobody may go on waiting.
                solver_barrier_break(&job.barrier)
                raise
            finally:
                _join(helpers)

    cdef int _play(self, strategies) except -1:
        """Take over a strategy for each seat: probabilities by sequence."""
        cdef Seat seat
        for seat, strategy in zip(self.seats, strategies, strict=True):
            seat.strategy[:] = strategy
            with nogil:
                reset_reach(&seat.c)
        return 0

    cdef int _play_average(self, Table other) except -1:
        """Take over the average strategies of a table that learns, over the same treeplexes."""
        cdef Seat seat, learnt
        for seat, learnt in zip(self.seats, other.seats, strict=True):
            if seat.plex is not learnt.plex:
                raise ArgumentError("the tables are of different treeplexes")
            with nogil:
                normalise(&seat.c, learnt.c.average, seat.c.strategy)
                reset_reach(&seat.c)
        return 0

    cdef (double, double) _respond(self, int player, double* pure) noexcept nogil:
        cdef const double* y = columns_of(self.c, player, 0, 1)
        make_rows(&self.c[player], y, 0, 1)
        return respond(&self.c[player], y, pure)

    def responses(self, strategies):
        """For each seat the pay-offs of its best response to the others' strategies and of its own strategy."""
        with self.lock:
            self._play(strategies)
            return self._responses()

    def average_responses(self, Table other):
        """The same for the average strategies of a table that learns, over the same treeplexes."""
        with self.lock:
            self._play_average(other)
            return self._responses()

    def _responses(self):
        cdef (double, double) pair
        cdef int number
        result = []
        for player in range(self.players):
            number = player
            with nogil:
                pair = self._respond(number, NULL)
            result.append(pair)
        return result

    def best_response(self, int player, strategies):
        """The pay-off of a best response, and its probabilities by sequence (0 or 1; the first of equals)."""
        cdef (double, double) pair
        if not 0 <= player < self.players:
            raise ArgumentError(f"a seat lies in 0..{self.players - 1}, not {player}")
        cdef double[::1] pure = np.ones(self.c[player].sequences)
        with self.lock:
            self._play(strategies)
            with nogil:
                pair = self._respond(player, &pure[0])
        return pair[0], np.asarray(pure)

    def averages(self, Table other):
        """Average strategies of a table that learns, over the same treeplexes: an array for each seat."""
        with self.lock:
            self._play_average(other)
            return [seat.strategy.copy() for seat in self.seats]

    def resume(self):
        """Take the reach of the strategies anew, after their arrays were filled."""
        cdef Seat seat
        with self.lock:
            for seat in self.seats:
                with nogil:
                    reset_reach(&seat.c)
