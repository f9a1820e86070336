# cython: language_level=3
"""The bidding duel over all histories at once, compiled (see `duel.py`).

A policy and a solver's sums are arrays of rows of 16 numbers, one row for each action of each
history; `_duel_rows.h` says how they lie in memory and has the solver's update. Here stand what owns
the memory, and what a policy is worth: the exact best response, in double precision. `tests/reference/duel_cfr.py`
is the readable twin.
"""
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY, log as ln, pow as power
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from libc.string cimport memset

import time

import numpy as np

from solver.errors import ArgumentError

cdef extern from "_duel_rows.h" nogil:
    enum:
        SOLVER_DUEL_BIDS
    const float SOLVER_DUEL_TINY
    ctypedef struct duel_walk:
        void* regrets
        void* averages
        uint32_t* stamps
        const double* log_gains
        const double* log_losses
        double gain, loss, weight
        int64_t nodes, next_poll, poll_every
        int (*poll)(void*) noexcept nogil
        void* owner
        uint32_t iteration
        int32_t size, plus, stopped
        int32_t* bids
    size_t duel_block(size_t block, int height, int under)
    double duel_chance(int total)
    uint64_t duel_flush_on()
    void duel_flush_off(uint64_t before)
    int duel_widest()
    void duel_update(duel_walk* walk, int seat, int lanes)

ctypedef fused real:
    float
    double

cdef enum:
    SUMS = 16
    ACTIONS = SOLVER_DUEL_BIDS + 1
    ROWS = ACTIONS * SUMS
    # Histories between two looks for Ctrl-C: a few ms of the solver, and of a best response.
    WALK_POLL = 50_000
    VALUE_POLL = 20_000
    RUN = 65536                         # iterations for which discounts are laid out at once

# Shares below the least normal float are 0: what a stored policy says is what a processor without
# denormals reads.
cdef double LEAST = 1.1754943508222875e-38
# Sums of the average are scaled down before a weight is greater, so that none overflows.
cdef double GREATEST_WEIGHT = 1099511627776.0    # 2**40


def num_rows(size):
    """Rows of a policy over a menu of so many bids."""
    return (3 << (size - 1)) - 1


def num_bytes(size, itemsize):
    """Memory that a solver needs for a menu of so many bids: regrets, averages, stamps."""
    return 2 * num_rows(size) * SUMS * itemsize + (4 << (size - 1))


def vector_widths():
    """Widths of vectors of floats that this processor has, ascending; results are the same bits with each."""
    return [lanes for lanes in (1, 4, 16) if lanes <= duel_widest()]


cdef class _Watch:
    """What a walk asks every few milliseconds: was Ctrl-C pressed, is it late?"""

    cdef object failure
    cdef double deadline
    cdef bint late

    cdef int look(self):
        self.late = time.perf_counter() >= self.deadline
        try:
            PyErr_CheckSignals()
        except BaseException as error:
            self.failure = error
            return 1
        return 0

    cdef int tell(self) except -1:
        """Raise what a look found, once."""
        if self.failure is not None:
            failure = self.failure
            self.failure = None
            raise failure
        return 0


cdef int look(void* watch) noexcept nogil:
    with gil:
        return (<_Watch> watch).look()


# ----------------------------------------------------------------------------------------------
# Averages as policies

cdef void shares(const real* sums, int actions, real* out) noexcept nogil:
    """Of 16 columns of sums the shares of each action; equal shares where there are no sums to speak of."""
    cdef real total[SUMS]
    cdef real share, uniform = <real> 1 / <real> actions
    cdef int a, s
    for s in range(SUMS):
        total[s] = 0
    for a in range(actions):
        for s in range(SUMS):
            total[s] += sums[a * SUMS + s]
    for a in range(actions):
        for s in range(SUMS):
            share = sums[a * SUMS + s] / total[s] if total[s] > SOLVER_DUEL_TINY else uniform
            out[a * SUMS + s] = share if share > <real> LEAST else 0


cdef void finish(real* rows, int size, int height, size_t block, bint reverse) noexcept nogil:
    """Turn the averages of a sub-tree into a policy, in place, all rows in ascending order of the sums."""
    cdef int actions = height + (height < size), a, s, under
    cdef real kept[ROWS]
    cdef real* here = &rows[block * SUMS]
    shares(here, actions, kept)
    for a in range(actions):
        for s in range(SUMS):
            here[a * SUMS + s] = kept[a * SUMS + (SUMS - 1 - s if reverse else s)]
    for under in range(1, height):
        finish(rows, size, under, duel_block(block, height, under), not reverse)


cdef int64_t first_bad(const real* rows, int size, int height, size_t block) noexcept nogil:
    """The first row of a sub-tree whose history has no distribution over its actions; -1: all have."""
    cdef int actions = height + (height < size), a, s, under
    cdef double total
    cdef real share
    cdef int64_t bad
    for s in range(SUMS):
        total = 0
        for a in range(actions):
            share = rows[(block + a) * SUMS + s]
            if not 0 <= share <= 2:
                return <int64_t> (block + a)
            total += share
        if not 0.999 < total < 1.001:
            return <int64_t> block
    for under in range(1, height):
        bad = first_bad(rows, size, under, duel_block(block, height, under))
        if bad >= 0:
            return bad
    return -1


def bad_row(const real[:, ::1] rows, int size):
    """Number of the first row of a history whose probabilities are none, or do not add up to 1 (+-0.001); -1: none."""
    return first_bad(&rows[0, 0], size, size, 0)


# ----------------------------------------------------------------------------------------------
# What a policy is worth

ctypedef struct evaluation:
    const float* floats                 # the rows of the policy, of one of the two kinds
    const double* doubles
    bint raw                            # sums as a walk has them, not yet a policy
    bint best                           # the responder plays best; else by the policy too
    bint opens_below                    # the responder may open below the menu
    int seat                            # the responder's
    int size
    int bids[SOLVER_DUEL_BIDS]
    int gaps[SOLVER_DUEL_BIDS]          # the least bid between one of the menu and the next; -1: there is none
    int64_t nodes, next_poll
    bint stopped
    void* watch


cdef void read_shares(const real* rows, bint raw, bint reverse, int actions, double* out) noexcept nogil:
    """Probabilities of a history's actions, which add up to 1 in double precision."""
    cdef real kept[ROWS]
    cdef double total[SUMS]
    cdef const real* source = rows
    cdef int a, s
    if raw:
        shares(rows, actions, kept)
        source = kept
    for s in range(SUMS):
        total[s] = 0
    for a in range(actions):
        for s in range(SUMS):
            out[a * SUMS + s] = source[a * SUMS + (SUMS - 1 - s if reverse else s)]
            total[s] += out[a * SUMS + s]
    for s in range(SUMS):
        total[s] = 1 / total[s]
    for a in range(actions):
        for s in range(SUMS):
            out[a * SUMS + s] *= total[s]


cdef void read_policy(evaluation* e, size_t block, int actions, int seat, double* out) noexcept nogil:
    cdef bint reverse = e.raw and seat == 1
    if e.floats != NULL:
        read_shares(e.floats + block * SUMS, e.raw, reverse, actions, out)
    else:
        read_shares(e.doubles + block * SUMS, e.raw, reverse, actions, out)


cdef void tails(const double* reach, double* out) noexcept nogil:
    """out[30 - k]: twice the reach of the rival's sums from k on, less all its reach; k = -15..30."""
    cdef double total = 0
    cdef int j
    for j in range(15, 31):
        total += reach[30 - j]
        out[j] = total
    for j in range(15, 31):
        out[j] = 2 * out[j] - total
    for j in range(15):
        out[j] = -total
        out[31 + j] = total


cdef inline void add_doubt(const double* tail, int bid, double sign, double* value) noexcept nogil:
    """Add the responder's pay-offs, by own sum, of a doubted bid: an own one (sign 1) or the policy's (-1)."""
    cdef int s
    for s in range(SUMS):
        value[s] += sign * tail[30 - bid + s]


cdef inline void take(bint best, const double* share, const double* x, double* value) noexcept nogil:
    """Count one of the responder's options in."""
    cdef int s
    if best:
        for s in range(SUMS):
            value[s] = x[s] if x[s] > value[s] else value[s]
    else:
        for s in range(SUMS):
            value[s] += share[s] * x[s]


cdef bint any_positive(const double* x) noexcept nogil:
    cdef int s
    cdef double most = 0
    for s in range(SUMS):
        most = x[s] if x[s] > most else most
    return most > 0


cdef void respond(evaluation* e, int height, size_t block, const double* reach, double* value) noexcept nogil:
    """The responder's values where it decides, by its sum, weighed with the policy's reach."""
    cdef double share[ROWS]
    cdef double tail[46]
    cdef double x[SUMS]
    cdef int last = e.size - 1 - height, a, s, under
    tails(reach, tail)
    for s in range(SUMS):
        value[s] = -INFINITY if e.best else 0
        share[s] = 1                    # of the doubt, where nothing else is left
    if not e.best and height:
        read_policy(e, block, height + (height < e.size), e.seat, share)
    if last >= 0:
        memset(x, 0, sizeof(x))
        add_doubt(tail, e.bids[last], -1, x)
        take(e.best, &share[height * SUMS], x, value)
        if e.best and e.gaps[last] >= 0:
            # A bid between two of the menu counts as the lesser, which stands already.
            memset(x, 0, sizeof(x))
            if height:
                answer(e, height, block, reach, e.gaps[last], x)
            else:
                add_doubt(tail, e.gaps[last], 1, x)
            take(e.best, share, x, value)
    elif e.best and e.opens_below:
        memset(x, 0, sizeof(x))
        answer(e, height, block, reach, -1, x)
        take(e.best, share, x, value)
    for under in range(height):         # the order in which the sub-trees lie in memory
        if e.stopped:
            return
        a = height - 1 - under
        if not e.best and not any_positive(&share[a * SUMS]):
            continue
        memset(x, 0, sizeof(x))
        if under:
            answer(e, under, duel_block(block, height, under), reach, e.bids[e.size - 1 - under], x)
        else:
            add_doubt(tail, e.bids[e.size - 1], 1, x)
        take(e.best, &share[a * SUMS], x, value)


cdef void answer(evaluation* e, int height, size_t block, const double* reach, int bid, double* value) noexcept nogil:
    """Add the responder's values where the policy decides and the responder's bid stands."""
    cdef double share[ROWS]
    cdef double tail[46]
    cdef double x[SUMS]
    cdef double now[SUMS]
    cdef int actions = height + (height < e.size), a, s, under
    e.nodes += 1
    if e.nodes >= e.next_poll:
        e.next_poll = e.nodes + VALUE_POLL
        e.stopped = e.stopped or look(e.watch)
    if e.stopped:
        return
    read_policy(e, block, actions, 1 - e.seat, share)
    for a in range(actions - 1, -1, -1):
        for s in range(SUMS):
            now[s] = reach[s] * share[a * SUMS + s]
        if not any_positive(now):
            continue
        if a == height:
            tails(now, tail)
            add_doubt(tail, bid, 1, value)
            continue
        under = height - 1 - a
        respond(e, under, duel_block(block, height, under) if under else 0, now, x)
        for s in range(SUMS):
            value[s] += x[s]


cdef double evaluate(evaluation* e) noexcept nogil:
    """The responder's mean pay-off."""
    cdef double chances[SUMS]
    cdef double value[SUMS]
    cdef double result = 0
    cdef int s
    for s in range(SUMS):
        chances[s] = duel_chance(s)
        value[s] = 0
    cdef uint64_t before = duel_flush_on()
    if e.seat == 0:
        respond(e, e.size, 0, chances, value)
    else:
        answer(e, e.size, 0, chances, -1, value)
    duel_flush_off(before)
    for s in range(SUMS):
        result += chances[s] * value[s]
    return result


cdef double evaluation_of(const float* floats, const double* doubles, tuple bids, bint raw, bint best, int seat,
                          limits) except? -1e300:
    cdef evaluation e
    cdef _Watch watch = _Watch()
    cdef int i, size = len(bids), following, low = 0, high = 0
    cdef bint full = limits is not None
    cdef double result
    if full:
        low, high = limits
    watch.deadline = INFINITY
    e.floats = floats
    e.doubles = doubles
    e.raw = raw
    e.best = best
    e.seat = seat
    e.size = size
    for i in range(size):
        e.bids[i] = bids[i]
    for i in range(size):
        following = e.bids[i + 1] if i + 1 < size else high + 1
        e.gaps[i] = e.bids[i] + 1 if full and e.bids[i] + 1 < following else -1
    e.opens_below = full and low < e.bids[0]
    e.nodes = 0
    e.next_poll = VALUE_POLL
    e.stopped = False
    e.watch = <void*> watch
    with nogil:
        result = evaluate(&e)
    watch.tell()
    return result


def best_response(const real[:, ::1] rows, tuple bids, int seat, limits=None):
    """Mean pay-off of the best response of a seat to a policy.

    Parameters
    ----------
    rows : array of float32 or float64, shape (num_rows(len(bids)), 16)
    bids : tuple of int
        The policy's menu.
    seat : int
        The responder's.
    limits : (int, int), optional
        The responder may make any bid from the first to the second. What is not in the menu counts as
        `duel.full_menu_exploitability` says. By default it has the menu only.
    """
    if real is float:
        return evaluation_of(&rows[0, 0], NULL, bids, False, True, seat, limits)
    else:
        return evaluation_of(NULL, &rows[0, 0], bids, False, True, seat, limits)


def value(const real[:, ::1] rows, tuple bids):
    """Mean pay-off of the opener if both seats play the policy."""
    if real is float:
        return evaluation_of(&rows[0, 0], NULL, bids, False, False, 0, None)
    else:
        return evaluation_of(NULL, &rows[0, 0], bids, False, False, 0, None)


# ----------------------------------------------------------------------------------------------
# The solver

cdef class Walk:
    """Regrets and averages of one run; `run` iterates, `exploitability` judges, `finish` gives the policy.

    Parameters
    ----------
    bids : sequence of int
        The menu, ascending.
    plus : bool
        CFR+ (regrets cut at 0) instead of discounts.
    alpha, beta : float
        Discounts of positive and negative regrets: t**alpha / (t**alpha + 1) after iteration t.
    gamma : float
        Iteration t counts as t**gamma in the average.
    single : bool, default True
        Single precision; the double is for tests.
    lanes : int, optional
        One of `vector_widths`; the widest by default.

    Raises
    ------
    MemoryError
        If there is not enough memory.
    """

    cdef duel_walk walk
    cdef _Watch watch
    cdef double alpha, beta, gamma
    cdef double scale                   # of all weights so far
    cdef int lanes
    cdef bint single
    cdef readonly tuple bids
    cdef readonly object regrets
    cdef readonly object averages
    cdef readonly object stamps
    cdef object log_gains
    cdef object log_losses

    def __cinit__(self, bids, bint plus, double alpha, double beta, double gamma, bint single=True, lanes=None):
        cdef int i
        self.bids = tuple(bids)
        if not 1 <= len(self.bids) <= SOLVER_DUEL_BIDS:
            raise ArgumentError(f"a menu has 1..{SOLVER_DUEL_BIDS} bids, not {len(self.bids)}")
        if lanes is not None and lanes not in vector_widths():
            raise ArgumentError(f"lanes must be one of {vector_widths()}, not {lanes!r}")
        self.single = single
        self.lanes = 0 if not single else duel_widest() if lanes is None else lanes
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma
        self.scale = 1
        self.watch = _Watch()
        self.walk.size = len(self.bids)
        for i in range(self.walk.size):
            self.walk.bids[i] = self.bids[i]
        self.walk.plus = plus
        self.walk.poll = look
        self.walk.poll_every = self.walk.next_poll = WALK_POLL
        self.walk.owner = <void*> self.watch
        self.regrets = self.rows()
        self.averages = self.rows()
        self.stamps = np.zeros(1 << (self.walk.size - 1), np.uint32)
        self.walk.regrets = <void*> <uintptr_t> self.regrets.ctypes.data
        self.walk.averages = <void*> <uintptr_t> self.averages.ctypes.data
        self.walk.stamps = <uint32_t*> <uintptr_t> self.stamps.ctypes.data

    cdef int check(self) except -1:
        if self.averages is None:
            raise ArgumentError("this solver has given its policy away")
        return 0

    cdef object rows(self):
        """Rows of zeros that start at a multiple of 64 bytes."""
        dtype = np.dtype(np.float32 if self.single else np.float64)
        count = num_rows(self.walk.size) * SUMS
        memory = np.zeros(count * dtype.itemsize + 64, np.uint8)
        start = -memory.ctypes.data % 64
        return memory[start:start + count * dtype.itemsize].view(dtype).reshape(-1, SUMS)

    @property
    def iterations(self):
        """Iterations done."""
        return self.walk.iteration

    @property
    def nodes(self):
        """Histories visited so far, by both players' updates."""
        return self.walk.nodes

    def run(self, count, deadline=INFINITY):
        """Iterate, without the GIL.

        Parameters
        ----------
        count : int
            At most so many iterations.
        deadline : float, optional
            A time of `time.perf_counter` after which no other iteration begins.

        Returns
        -------
        bool
            Whether the deadline ended it.

        Raises
        ------
        KeyboardInterrupt
            At Ctrl-C, in the middle of an iteration. What it had added to the averages stays there.
        """
        cdef int64_t left = count, part
        self.check()
        self.watch.deadline = deadline
        self.watch.late = False
        self.walk.stopped = 0
        while left > 0 and not self.watch.late:
            part = left if left < RUN else RUN
            self.lay_out(self.walk.iteration + part)
            with nogil:
                self.iterate(part)
            self.watch.tell()
            left -= part
        return bool(self.watch.late)

    cdef int lay_out(self, int64_t last) except -1:
        """Room for the discounts up to an iteration."""
        if self.walk.plus or (self.log_gains is not None and last < len(self.log_gains)):
            return 0
        cdef int64_t kept = 0 if self.log_gains is None else len(self.log_gains)
        gains = np.zeros(max(2 * kept, last + 1))
        losses = np.zeros(len(gains))
        if kept:
            gains[:kept] = self.log_gains
            losses[:kept] = self.log_losses
        self.log_gains = gains
        self.log_losses = losses
        self.walk.log_gains = <const double*> <uintptr_t> gains.ctypes.data
        self.walk.log_losses = <const double*> <uintptr_t> losses.ctypes.data
        return 0

    cdef void iterate(self, int64_t count) noexcept nogil:
        cdef int64_t _i
        cdef int seat
        for _i in range(count):
            self.walk.iteration += 1
            self.set_discounts()
            for seat in range(2):
                duel_update(&self.walk, seat, self.lanes)
                if self.walk.nodes >= self.walk.next_poll and not self.walk.stopped:
                    self.walk.next_poll = self.walk.nodes + WALK_POLL
                    self.walk.stopped = look(self.walk.owner)
                if self.walk.stopped:
                    return
            if self.watch.late:
                return

    cdef void set_discounts(self) noexcept nogil:
        """Discounts and weight of the iteration that begins."""
        cdef uint32_t t = self.walk.iteration
        cdef double* log_gains = <double*> self.walk.log_gains
        cdef double* log_losses = <double*> self.walk.log_losses
        cdef double x
        self.walk.gain = self.walk.loss = 1
        if t > 1 and not self.walk.plus:
            x = power(t - 1, self.alpha)
            self.walk.gain = x / (x + 1)
            x = power(t - 1, self.beta)
            self.walk.loss = x / (x + 1)
            log_gains[t] = log_gains[t - 1] + ln(self.walk.gain)
            log_losses[t] = log_losses[t - 1] + ln(self.walk.loss)
        self.walk.weight = power(t, self.gamma) * self.scale
        while self.walk.weight > GREATEST_WEIGHT:
            self.walk.weight /= GREATEST_WEIGHT
            self.scale /= GREATEST_WEIGHT
            if self.single:
                scale_down(<float*> self.walk.averages, self.walk.size)
            else:
                scale_down(<double*> self.walk.averages, self.walk.size)

    def exploitability(self):
        """Half the sum of both best responses' pay-offs against the average policy so far, exact."""
        cdef float[:, ::1] floats
        cdef double[:, ::1] doubles
        cdef const float* f = NULL
        cdef const double* d = NULL
        self.check()
        if self.single:
            floats = self.averages
            f = &floats[0, 0]
        else:
            doubles = self.averages
            d = &doubles[0, 0]
        return (evaluation_of(f, d, self.bids, True, True, 0, None)
                + evaluation_of(f, d, self.bids, True, True, 1, None)) / 2

    def finish(self):
        """The average policy, as rows in ascending order of the sums; the solver's memory becomes its own.

        Returns
        -------
        numpy.ndarray
            float32 or float64, shape (num_rows(len(bids)), 16).
        """
        cdef float[:, ::1] floats
        cdef double[:, ::1] doubles
        self.check()
        rows = self.averages
        self.regrets = self.averages = self.stamps = None
        if self.single:
            floats = rows
            with nogil:
                finish(&floats[0, 0], self.walk.size, self.walk.size, 0, False)
        else:
            doubles = rows
            with nogil:
                finish(&doubles[0, 0], self.walk.size, self.walk.size, 0, False)
        return rows


cdef void scale_down(real* rows, int size) noexcept nogil:
    cdef size_t i, count = ((<size_t> 3 << (size - 1)) - 1) * SUMS
    cdef uint64_t before = duel_flush_on()
    for i in range(count):
        rows[i] *= <real> (1 / GREATEST_WEIGHT)
    duel_flush_off(before)
