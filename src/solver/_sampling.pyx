# cython: language_level=3
"""Monte Carlo counterfactual regret minimization: the loops over a compiled tree, and a table of regrets
for games too large to compile.

`solver.sampling` is the door; it has the same traversals in readable Python over the states of a game,
and with the same random stream both give the same regrets.
"""
from cpython.mem cimport PyMem_Free, PyMem_Malloc
from libc.stdint cimport int32_t, int64_t, uint64_t

from solver._core cimport Rng, rng_double, rng_t

import numpy as np

from solver.errors import CompileError

DEF CHANCE = -1
DEF TERMINAL = -4
DEF NARROW = 16            # as many outcomes are looked through one by one
DEF LEAST = 1e-200         # a line less likely than this teaches nothing: its weight would not be a number


cdef struct node_t:
    int32_t child          # first of the nodes that follow
    int32_t first          # first sequence of the information state, in the arrays of all players; of an end its row
    int32_t count          # nodes that follow
    int32_t player


cdef struct frame_t:       # a decision on the line from the root
    node_t* at
    int32_t place          # of the action tried
    int64_t top            # where its actions stand in `worth`
    double total           # of its positive regrets
    double value
    double chance          # with which the action was drawn
    double own             # the player's strategy on the way here
    double third           # external: the strategy of those who are neither walking nor averaged
    double sampled         # outcome: how the player's actions on the way were drawn
    double others          # outcome: the others' strategies on the way


cdef class Sampler:
    """Regrets and averages over a compiled tree, learnt by sampled traversals.

    Parameters
    ----------
    nodes : Nodes
    first : int32 array, shape (nodes,)
        For each decision the place of its first action in `regrets`.
    size : int
        Entries of `regrets`.
    stack : int
        Upper bound of a player's actions, summed over its decisions on a line of play.
    levels : int
        Upper bound of the decisions on a line of play.
    rng : Rng
        Its stream is copied.
    linear : bool
        Whether iteration t weighs t, or 1.
    exploration : float
        Outcome sampling: chance of a uniformly random action at an own decision.
    rate : float
        Outcome sampling: step of the baselines; 0 for none.

    Attributes
    ----------
    regrets, average : float64 arrays, shape (size,)
    baseline : float64 array, shape (players * size,), or empty
        For each player what each action was worth on average.
    iterations : int
    """
    cdef readonly object regrets, average, baseline
    cdef readonly int64_t iterations
    cdef node_t* nodes
    cdef rng_t rng
    cdef double* r
    cdef double* a
    cdef double* b
    cdef const double* cumulative
    cdef const double* returns
    cdef double* worth     # of the actions of the decisions on the current line
    cdef frame_t* frames
    cdef int64_t size
    cdef int players
    cdef bint linear
    cdef double exploration, rate, weight
    cdef object keep

    def __cinit__(self, nodes, const int32_t[::1] first, int64_t size, int64_t stack, int64_t levels,
                  Rng rng, bint linear, double exploration, double rate):
        cdef int64_t i, n = len(nodes.player)
        cdef const signed char[::1] player = nodes.player
        cdef const int32_t[::1] child = nodes.child, count = nodes.count, infoset = nodes.infoset
        cdef double[::1] view
        cdef const double[::1] cumulative, returns
        self.players = nodes.returns.shape[1]
        self.linear, self.exploration, self.rate = linear, exploration, rate
        self.rng = rng.c
        self.size = size
        self.regrets = np.zeros(size)
        self.average = np.zeros(size)
        self.baseline = np.zeros((self.players if rate else 0) * size)
        summed = np.zeros(n)
        for k in np.flatnonzero(np.asarray(nodes.player) == CHANCE):
            lo = nodes.child[k]
            summed[lo : lo + nodes.count[k]] = np.cumsum(nodes.chance[lo : lo + nodes.count[k]])
        flat = np.ascontiguousarray(nodes.returns).reshape(-1)
        stacked = np.zeros(stack)
        self.keep = (summed, flat, stacked)
        view = stacked
        self.worth = &view[0]
        view = self.regrets
        self.r = &view[0]
        view = self.average
        self.a = &view[0]
        if rate:
            view = self.baseline
            self.b = &view[0]
        cumulative, returns = summed, flat
        self.cumulative, self.returns = &cumulative[0], &returns[0]
        self.nodes = <node_t*> PyMem_Malloc(n * sizeof(node_t))
        self.frames = <frame_t*> PyMem_Malloc(max(levels, 1) * sizeof(frame_t))
        if self.nodes == NULL or self.frames == NULL:
            raise MemoryError
        for i in range(n):
            self.nodes[i].child = child[i]
            self.nodes[i].count = count[i]
            self.nodes[i].player = player[i]
            self.nodes[i].first = infoset[i] if player[i] == TERMINAL else first[i]

    def __dealloc__(self):
        PyMem_Free(self.nodes)
        PyMem_Free(self.frames)

    def external(self, int64_t iterations):
        """External sampling: each iteration walks the tree once for each player."""
        with nogil:
            self._iterate(iterations, True)

    def outcome(self, int64_t iterations):
        """Outcome sampling: each iteration plays one line for each player."""
        with nogil:
            self._iterate(iterations, False)

    cdef void _iterate(self, int64_t iterations, bint external) noexcept nogil:
        cdef int64_t _
        cdef int p
        for _ in range(iterations):
            self.iterations += 1
            self.weight = self.iterations if self.linear else 1
            for p in range(self.players):
                if external:
                    self._external(p)
                else:
                    self._outcome(p)

    cdef inline int32_t _draw(self, int32_t node) noexcept nogil:
        """A chance outcome: the node that follows."""
        cdef int32_t lo = self.nodes[node].child, hi = lo + self.nodes[node].count - 1, mid
        cdef double u = rng_double(&self.rng)
        if hi - lo < NARROW:
            while lo < hi and u >= self.cumulative[lo]:
                lo += 1
            return lo
        while lo < hi:
            mid = lo + (hi - lo) // 2
            if u >= self.cumulative[mid]:
                lo = mid + 1
            else:
                hi = mid
        return lo

    cdef inline double _positive(self, int32_t first, int32_t count) noexcept nogil:
        """Sum of the positive regrets."""
        cdef double total = 0
        cdef int32_t k
        for k in range(first, first + count):
            total += self.r[k] if self.r[k] > 0 else 0
        return total

    cdef inline double _chance(self, int32_t k, double total, int32_t count) noexcept nogil:
        """Probability of an action by regret matching."""
        if total > 0:
            return self.r[k] / total if self.r[k] > 0 else 0
        return 1.0 / count

    cdef inline int32_t _act(self, const node_t* at, double total) noexcept nogil:
        """An action drawn by regret matching: its place."""
        cdef double u = rng_double(&self.rng), passed = 0
        cdef int32_t k
        for k in range(at.count - 1):
            passed += self._chance(at.first + k, total, at.count)
            if u < passed:
                return k
        return at.count - 1

    cdef void _external(self, int traverser) noexcept nogil:
        """One walk that tries all actions of the traverser; without recursion, since trees can be deep."""
        cdef node_t* at
        cdef frame_t* f
        cdef int32_t i, k, node = 0
        cdef int64_t depth = 0, top = 0
        cdef double total, p, worth, own = 1, third = 1
        while True:
            at = &self.nodes[node]
            if at.player == CHANCE:
                node = self._draw(node)
                continue
            if at.player != TERMINAL:
                total = self._positive(at.first, at.count)
                if at.player == traverser:
                    f = &self.frames[depth]
                    f.at, f.place, f.total, f.value, f.top, f.own, f.third = at, 0, total, 0, top, own, third
                    depth += 1
                    top += at.count
                    own *= self._chance(at.first, total, at.count)
                    node = at.child
                    continue
                k = self._act(at, total)
                if at.player != (traverser + 1) % self.players:
                    third *= self._chance(at.first + k, total, at.count)
                elif third > LEAST:
                    # One of the others' averages is updated on each walk, so each once an iteration. Where it
                    # comes to does not hang on its own strategy, but on that of third players: that is divided out.
                    for i in range(at.count):
                        p = self._chance(at.first + i, total, at.count)
                        self.a[at.first + i] += self.weight / third * p
                node = at.child + k
                continue
            worth = self.returns[<int64_t> at.first * self.players + traverser]
            while True:
                if not depth:
                    return
                f = &self.frames[depth - 1]
                at = f.at
                self.worth[f.top + f.place] = worth
                f.value += worth * self._chance(at.first + f.place, f.total, at.count)
                f.place += 1
                if f.place < at.count:
                    break
                # with perfect recall no history of this information state lies below: its regrets are as they were
                if self.players == 1:
                    for k in range(at.count):
                        self.a[at.first + k] += self.weight * f.own * self._chance(at.first + k, f.total, at.count)
                for k in range(at.count):
                    self.r[at.first + k] += self.weight * (self.worth[f.top + k] - f.value)
                worth, top = f.value, f.top
                depth -= 1
            own = f.own * self._chance(at.first + f.place, f.total, at.count)
            third = f.third
            node = at.child + f.place

    cdef void _outcome(self, int traverser) noexcept nogil:
        """One line of play, and back along it."""
        cdef node_t* at
        cdef frame_t* f
        cdef int32_t k, node = 0
        cdef int64_t depth = 0
        cdef double u, p, q, passed, value, worth, weight, own = 1, sampled = 1, others = 1
        cdef double* baseline = &self.b[traverser * self.size] if self.rate else NULL
        while True:
            at = &self.nodes[node]
            if at.player == TERMINAL:
                break
            if at.player == CHANCE:
                node = self._draw(node)
                continue
            f = &self.frames[depth]
            depth += 1
            f.at, f.total, f.own, f.sampled, f.others = at, self._positive(at.first, at.count), own, sampled, others
            if at.player == traverser:
                u = rng_double(&self.rng)
                passed = 0
                for k in range(at.count):
                    p = self._chance(at.first + k, f.total, at.count)
                    q = self.exploration / at.count + (1 - self.exploration) * p
                    passed += q
                    f.place, f.chance = k, q
                    if u < passed:
                        break
                own *= self._chance(at.first + f.place, f.total, at.count)
                sampled *= f.chance
            else:
                f.place = self._act(at, f.total)
                f.chance = self._chance(at.first + f.place, f.total, at.count)
                others *= f.chance
            node = at.child + f.place
        value = self.returns[<int64_t> at.first * self.players + traverser]
        while depth:
            depth -= 1
            f = &self.frames[depth]
            at = f.at
            u = value                           # of what followed
            value = 0
            for k in range(at.count):
                worth = baseline[at.first + k] if self.rate else 0
                if k == f.place:
                    worth += (u - worth) / f.chance
                self.worth[k] = worth
                value += self._chance(at.first + k, f.total, at.count) * worth
            # The others' and chance's part of the sampling is as their play is, so it cancels in the regrets; in
            # the average chance's is the same in all iterations.
            if at.player == traverser and f.sampled * f.others > LEAST:
                weight = self.weight * f.own / (f.sampled * f.others)
                for k in range(at.count):
                    self.a[at.first + k] += weight * self._chance(at.first + k, f.total, at.count)
                weight = self.weight / f.sampled
                for k in range(at.count):
                    self.r[at.first + k] += weight * (self.worth[k] - value)
            if self.rate:
                baseline[at.first + f.place] += self.rate * (u - baseline[at.first + f.place])


cdef class InfoTable:
    """Regrets and averages of information states met so far: an open-addressing table of 128-bit keys.

    A row is found by the first 64 bits of its key; all 128 are compared, so two information states share
    a row only where 128 bits of hash repeat.

    Parameters
    ----------
    max_bytes : int
        What slots and rows may take; a row that does not fit is not made.
    baselines : int
        Baselines kept for each action: the number of players, or 0.

    Attributes
    ----------
    rows, entries : int
        Information states, and their actions in all.
    dropped : int
        Times that a row was not made for want of room.
    beside : int
        Bytes that the caller keeps for the rows; they count towards `max_bytes`.
    """
    cdef public int64_t beside
    cdef int64_t* slots
    cdef int64_t mask
    cdef readonly int64_t rows, entries, dropped, max_bytes
    cdef readonly int baselines
    cdef uint64_t[::1] keys, checks
    cdef signed char[::1] players
    cdef int64_t[::1] first
    cdef int32_t[::1] actions
    cdef double[::1] regrets, average
    cdef double[:, ::1] baseline

    def __cinit__(self, int64_t max_bytes, int baselines=0):
        self.max_bytes, self.baselines = max_bytes, baselines
        self.keys, self.checks = np.zeros(0, np.uint64), np.zeros(0, np.uint64)
        self.players, self.first = np.zeros(0, np.int8), np.zeros(1, np.int64)
        self.actions, self.regrets, self.average = np.zeros(0, np.int32), np.zeros(0), np.zeros(0)
        self.baseline = np.zeros((0, max(baselines, 1)))
        self._index(32)

    def __dealloc__(self):
        PyMem_Free(self.slots)

    @property
    def num_bytes(self):
        """Bytes of slots and rows."""
        return self._bytes(self.mask + 1, self.keys.shape[0], self.regrets.shape[0])

    cdef int64_t _bytes(self, int64_t slots, int64_t rows, int64_t entries) noexcept:
        return 8 * slots + 25 * rows + 8 + (20 + 8 * self.baselines) * entries + self.beside

    cdef int _index(self, int64_t size) except -1:
        """Slots, a power of two of them, for the rows there are."""
        cdef int64_t row
        cdef int64_t* slots = <int64_t*> PyMem_Malloc(size * sizeof(int64_t))
        if slots == NULL:
            raise MemoryError
        PyMem_Free(self.slots)
        self.slots = slots
        self.mask = size - 1
        for row in range(size):
            self.slots[row] = -1
        for row in range(self.rows):
            self.slots[self._slot(self.keys[row], self.checks[row], self.players[row])] = row
        return 0

    cdef int64_t _slot(self, uint64_t key, uint64_t check, int player) noexcept:
        """Where a key stands, or the free slot where it would."""
        cdef int64_t at = <int64_t> (key & <uint64_t> self.mask), row
        while True:
            row = self.slots[at]
            if row < 0:
                return at
            if self.keys[row] == key and self.checks[row] == check and self.players[row] == player:
                return at
            at = (at + 1) & self.mask

    def row(self, uint64_t key, uint64_t check, int player, actions):
        """The number of an information state's row, made where there was none.

        Returns
        -------
        int
            -1 if there is no room for it.

        Raises
        ------
        CompileError
            If the row is there with other actions.
        """
        cdef int64_t at = self._slot(key, check, player), row = self.slots[at]
        cdef int64_t n = len(actions), k, rows, entries, slots
        if row >= 0:
            if self.first[row + 1] - self.first[row] != n:
                return self._differs(row, actions)
            for k in range(n):
                if self.actions[self.first[row] + k] != actions[k]:
                    return self._differs(row, actions)
            return row
        rows, entries, slots = self.keys.shape[0], self.regrets.shape[0], self.mask + 1
        if self.rows == rows:
            rows = max(16, 2 * rows)
        while self.entries + n > entries:
            entries = max(64, 2 * entries)
        if 2 * (self.rows + 1) > slots:
            slots *= 2
        if self._bytes(slots, rows, entries) > self.max_bytes:
            self.dropped += 1
            return -1
        if rows != self.keys.shape[0]:
            self.keys, self.checks = _grown(self.keys, rows), _grown(self.checks, rows)
            self.players, self.first = _grown(self.players, rows), _grown(self.first, rows + 1)
        if entries != self.regrets.shape[0]:
            self.actions, self.regrets = _grown(self.actions, entries), _grown(self.regrets, entries)
            self.average = _grown(self.average, entries)
            if self.baselines:
                self.baseline = _grown(self.baseline, entries)
        if slots != self.mask + 1:
            self._index(slots)
            at = self._slot(key, check, player)
        row = self.rows
        for k in range(n):
            self.actions[self.entries + k] = actions[k]
        self.keys[row], self.checks[row], self.players[row] = key, check, player
        self.entries += n
        self.first[row + 1] = self.entries
        self.slots[at] = row
        self.rows += 1
        return row

    def _differs(self, int64_t row, actions):
        known = [self.actions[k] for k in range(self.first[row], self.first[row + 1])]
        raise CompileError(
            f"an information state of seat {self.players[row]} has legal actions {known} after one history, "
            f"{list(actions)} after another"
        )

    def strategy(self, int64_t row):
        """Regret matching: the probabilities of a row's actions, a list."""
        cdef int64_t k, lo = self.first[row], hi = self.first[row + 1]
        cdef double total = 0
        for k in range(lo, hi):
            total += self.regrets[k] if self.regrets[k] > 0 else 0
        if total > 0:
            return [self.regrets[k] / total if self.regrets[k] > 0 else 0.0 for k in range(lo, hi)]
        return [1.0 / (hi - lo)] * (hi - lo)

    def learn(self, int64_t row, worths, double value, double weight):
        """Add weight * (worth - value) to the regrets of a row's actions."""
        cdef int64_t k, lo = self.first[row]
        for k in range(self.first[row + 1] - lo):
            self.regrets[lo + k] += weight * (<double> worths[k] - value)

    def play(self, int64_t row, strategy, double weight):
        """Add weight * probability to the average of a row's actions."""
        cdef int64_t k, lo = self.first[row]
        for k in range(self.first[row + 1] - lo):
            self.average[lo + k] += weight * <double> strategy[k]

    def expected(self, int64_t row, int player):
        """What a row's actions were worth to a player so far, a list; zeros without baselines."""
        cdef int64_t k, lo = self.first[row], hi = self.first[row + 1]
        if not self.baselines:
            return [0.0] * (hi - lo)
        return [self.baseline[k, player] for k in range(lo, hi)]

    def expect(self, int64_t row, int player, int64_t action, double worth, double rate):
        """Move what a row's action is worth to a player towards what was just seen."""
        cdef int64_t k = self.first[row] + action
        if self.baselines and 0 <= action and k < self.first[row + 1] and 0 <= player < self.baselines:
            self.baseline[k, player] += rate * (worth - self.baseline[k, player])

    def columns(self):
        """Copies of the rows: keys, checks, players, offsets, actions, regrets, average."""
        n, m = self.rows, self.entries
        return (
            np.array(self.keys[:n]),
            np.array(self.checks[:n]),
            np.array(self.players[:n]),
            np.array(self.first[: n + 1]),
            np.array(self.actions[:m]),
            np.array(self.regrets[:m]),
            np.array(self.average[:m]),
        )


def _grown(array, int64_t size):
    """The same entries in a longer array."""
    old = np.asarray(array)
    new = np.zeros((size, *old.shape[1:]), old.dtype)
    new[: len(old)] = old
    return new
