# cython: language_level=3
"""Information-set Monte Carlo tree search, single observer, compiled (see `ismcts.py`).

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012),
algorithm SO-ISMCTS+POM (single observer, partially observable moves): each iteration draws a full
state that fits what the observer knows and descends the one tree of what the observer sees; a step
competes only in the iterations in which it is legal, which its availability counts (here the
running iteration included). `ismcts.PythonTree` is the readable twin.
"""
from libc.math cimport INFINITY, log as ln, sqrt
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

import time

import numpy as np

from solver._core cimport Rng, ensure, highest, rng_below, rng_fork
from solver.games.ops cimport CHANCE_PLAYER, TERMINAL_PLAYER, GameOps, SearchRoot

from solver.errors import SearchError


cdef enum:
    MAX_DEPTH = 4096               # decisions in the tree; beyond it an iteration only rolls out
    LOGS = 8192
    # Up to so many children, walking their list beats probing the table once for each option.
    FEW_CHILDREN = 8
    WIDENING_VISITS = 100          # a node so often visited tries one more option than at first


cdef inline uint64_t mix(uint64_t key, uint32_t parent) noexcept nogil:
    cdef uint64_t x = (key ^ (<uint64_t> parent * <uint64_t> 0x9E3779B97F4A7C15)) * <uint64_t> 0xBF58476D1CE4E5B9
    return x ^ (x >> 29)


cdef class Tree:
    """One search tree; `run` grows it, the other methods read it.

    Parameters
    ----------
    root : SearchRoot
    rng : Rng
        Source of all chance; four words are drawn from it.
    max_nodes : int
        Bound of the tree's size, in nodes (56 bytes each, and 8 to 16 in the table of children). The
        options at the root get their nodes in a full tree too.
    exploration : float, default 0.7
        Weight of the exploration term, in standard deviations of the observer's pay-off.
    policy_rollouts, policy_rivals : bool, default False
        Whether the game's rollout policy plays from the edge of the tree on, and in the seats of the
        others within it.
    horizon : int, default -1
        Rounds (or what the game counts) after which a policy rollout is estimated; -1: none.
    widening : int, default 0
        Options tried at first at a node: all that the game does not let hold back, and the best-looking
        up to this number in all; one more at 100 visits and with about each doubling after. 0: all.
    depth : int, default 0
        Own decisions in the tree; 0: no bound.
    halving : bool, default False
        Sequential halving at the root in place of the bound: as many phases as it takes to halve the options
        tried at first down to two, each with an equal part of the budget and equal parts for all that are
        left; after each the better half by mean pay-off stays (Karnin, Koren and Somekh, "Almost Optimal
        Exploration in Multi-Armed Bandits", ICML 2013; here with all that was seen of an option).

    Raises
    ------
    SearchError
        If the game has no policy or scores that an option needs.
    """

    def __cinit__(self, SearchRoot root not None, Rng rng not None, max_nodes, double exploration=0.7,
                  bint policy_rollouts=False, bint policy_rivals=False, int horizon=-1, int widening=0, int depth=0,
                  bint halving=False):
        cdef int i
        if root.ops.sample == NULL:
            raise TypeError("a SearchRoot is made by a position's search_root()")
        if policy_rollouts and root.ops.policy_rollout == NULL:
            raise SearchError("this game has no rollout policy: rollout must be \"random\"")
        if policy_rivals and root.ops.policy == NULL:
            raise SearchError("this game has no rollout policy: opponents must be \"tree\"")
        if widening and root.ops.scores == NULL:
            raise SearchError("this game does not score its actions: widening must be 0")
        self.root = root
        self.ops = root.ops
        self.policy_rollouts = policy_rollouts
        self.policy_rivals = policy_rivals
        self.horizon = horizon
        self.widening = widening
        self.depth = depth
        self.halving = halving
        self.exploration = exploration
        self.max_nodes = max_nodes
        rng_fork(&rng.c, &self.rng)
        self.reserved = 1024
        self.table_mask = 2 * self.reserved - 1
        self.nodes = <node_t*> calloc(self.reserved, sizeof(node_t))
        self.table = <uint32_t*> calloc(self.table_mask + 1, sizeof(uint32_t))
        self.state = malloc(self.ops.state_size)
        self.dealt = malloc(self.ops.state_size)
        self.actions = <int32_t*> malloc(self.ops.max_options * sizeof(int32_t))
        self.untried = <int32_t*> malloc(self.ops.max_options * sizeof(int32_t))
        self.keys = <uint64_t*> malloc(self.ops.max_options * sizeof(uint64_t))
        self.path = <uint32_t*> malloc(MAX_DEPTH * sizeof(uint32_t))
        self.payoffs = <double*> malloc(self.ops.num_players * sizeof(double))
        self.scores = <double*> malloc(self.ops.max_options * sizeof(double))
        self.logs = <double*> malloc(LOGS * sizeof(double))
        self.survivors = <uint32_t*> malloc(self.ops.max_options * sizeof(uint32_t))
        if not (self.nodes and self.table and self.state and self.dealt and self.actions and self.keys
                and self.untried and self.path and self.payoffs and self.scores and self.logs
                and self.survivors):
            raise MemoryError("no memory for a search tree")
        self.used = 1                   # node 0 is the root
        self.logs[0] = 0
        for i in range(1, LOGS):
            self.logs[i] = ln(i)

    def __dealloc__(self):
        free(self.nodes)
        free(self.table)
        free(self.state)
        free(self.dealt)
        free(self.actions)
        free(self.keys)
        free(self.untried)
        free(self.path)
        free(self.payoffs)
        free(self.scores)
        free(self.logs)
        free(self.survivors)

    # -- nodes

    cdef inline uint32_t find(self, uint32_t parent, uint64_t key) noexcept nogil:
        """The child of a node by its key; 0 if there is none."""
        cdef uint64_t slot = mix(key, parent) & self.table_mask
        cdef uint32_t node
        while True:
            node = self.table[slot]
            if node == 0 or (self.nodes[node].key == key and self.nodes[node].parent == parent):
                return node
            slot = (slot + 1) & self.table_mask

    cdef int reserve(self) except -1 nogil:
        """Make room for one more node; the table stays at most half full."""
        cdef node_t* nodes
        cdef uint32_t* table
        cdef uint32_t node
        cdef uint64_t slot, mask
        if self.used < self.reserved:
            return 0
        nodes = <node_t*> realloc(self.nodes, 2 * <size_t> self.reserved * sizeof(node_t))
        if not nodes:
            with gil:
                raise MemoryError(f"no memory for {2 * self.reserved} nodes; set max_nodes lower")
        self.nodes = nodes
        mask = 4 * <uint64_t> self.reserved - 1
        table = <uint32_t*> calloc(mask + 1, sizeof(uint32_t))
        if not table:
            with gil:
                raise MemoryError(f"no memory for {2 * self.reserved} nodes; set max_nodes lower")
        free(self.table)
        self.table = table
        self.table_mask = mask
        self.reserved *= 2
        for node in range(1, self.used):
            slot = mix(nodes[node].key, nodes[node].parent) & mask
            while table[slot]:
                slot = (slot + 1) & mask
            table[slot] = node
        return 0

    cdef uint32_t add(self, uint32_t parent, uint64_t key, int32_t action, int32_t chooser) noexcept nogil:
        """A new child; `reserve` has made room."""
        ensure(self.used < self.reserved)
        ensure(parent < self.used)
        cdef uint32_t node = self.used
        cdef uint64_t slot = mix(key, parent) & self.table_mask
        cdef node_t* child = &self.nodes[node]
        memset(child, 0, sizeof(node_t))
        child.key = key
        child.parent = parent
        child.action = action
        child.chooser = <int16_t> chooser
        child.available = 1
        child.next = self.nodes[parent].first
        self.nodes[parent].first = node
        self.nodes[parent].children += 1
        while self.table[slot]:
            slot = (slot + 1) & self.table_mask
        self.table[slot] = node
        self.used += 1
        return node

    cdef inline double log(self, uint32_t n) noexcept nogil:
        return self.logs[n] if n < LOGS else ln(n)

    # -- one iteration

    cdef inline int32_t select(self, uint32_t here, int n, bint may_grow, uint32_t* child) noexcept nogil:
        """Among the n options written down at a node, the index of the one to play.

        An option never tried here goes first while the tree may grow and the widening allows one more
        (see `open_next`); else the greatest upper confidence bound (UCB1 with availability in place
        of the parent's visits). `child` becomes its node, or 0 for an option never tried.
        """
        cdef bint few = self.nodes[here].children <= FEW_CHILDREN
        cdef long long visits = self.nodes[here].visits if here else self.iterations
        cdef int room = self.widening if self.widening else n
        cdef uint32_t node, best = 0, last_available = 0
        cdef int i = 0, first = 0, untried = 0, tried = 0
        cdef double value, best_value = 0, logarithm = 0, scale = 0
        cdef uint64_t key
        cdef node_t* c
        if self.widening and not (self.halving and here == 0):
            room += highest(1 + <uint64_t> visits // WIDENING_VISITS)
        if self.iterations > 1:
            # The spread of the pay-off so far: frees the weight of the game's units.
            scale = self.exploration * sqrt(self.squares / <double> self.iterations)
        while i < n:
            key = self.keys[i]
            if few:
                node = self.nodes[here].first
                while node and self.nodes[node].key != key:
                    node = self.nodes[node].next
            else:
                node = self.find(here, key)
            if node == 0:
                self.untried[untried] = i
                untried += 1
            else:
                c = &self.nodes[node]
                c.available += 1
                tried += 1
                if self.widening or not (untried and may_grow):
                    if c.available != last_available:
                        last_available = c.available
                        logarithm = self.log(last_available)
                    value = c.total / c.visits + scale * sqrt(logarithm / c.visits)
                    if best == 0 or value > best_value:
                        best = node
                        best_value = value
                        first = i
            i += 1
            while i < n and self.keys[i] == key:
                i += 1
        if untried and (best == 0 or may_grow):
            i = self.open_next(here, n, untried, best == 0 or tried < room)
            if i >= 0:
                best = 0
                first = i
        if self.halving and here == 0 and best:
            # All candidates have been tried: from here on halving takes its turns.
            self.alive = self.nodes[0].children
            node = self.nodes[0].first
            for i in range(self.alive - 1, -1, -1):    # in the order in which they were tried
                self.survivors[i] = node
                node = self.nodes[node].next
            i = 0
            self.phases = max(1, highest(2 * <uint64_t> self.alive - 1))
        child[0] = best
        # Actions that look the same to the observer share a node; which one it is, is chance.
        i = first + 1
        while i < n and self.keys[i] == self.keys[first]:
            i += 1
        return first if i == first + 1 else first + <int> rng_below(&self.rng, i - first)

    cdef inline int32_t open_next(self, uint32_t here, int n, int untried, bint room) noexcept nogil:
        """Of the options never tried the one to try now, -1: none.

        Without widening any; with it any that is not to be held back, else the best-looking if
        there is room.
        """
        cdef int i, j, best = 0, unheld = 0
        if self.widening == 0:
            return self.untried[rng_below(&self.rng, untried)]
        if self.nodes[here].held and not room:
            return -1
        self.ops.scores(self.ops.context, self.state, self.actions, n, self.scores)
        for i in range(untried):
            # actions that look the same to the observer are one option, as good as the best of them
            j = self.untried[i] + 1
            while j < n and self.keys[j] == self.keys[j - 1]:
                self.scores[self.untried[i]] = max(self.scores[self.untried[i]], self.scores[j])
                j += 1
            if self.scores[self.untried[i]] == INFINITY:
                self.untried[unheld] = self.untried[i]
                unheld += 1
            elif self.scores[self.untried[i]] > self.scores[self.untried[best]]:
                best = i
        if unheld:
            return self.untried[rng_below(&self.rng, unheld)]
        # The observer's own options, and so those never to be held back, are the same at every visit.
        self.nodes[here].held = self.ops.current_player(self.ops.context, self.state) == self.ops.observer
        return self.untried[best] if room else -1

    cdef uint32_t see(self, uint32_t here, uint64_t seen, int* depth) except? 0 nogil:
        """What chance showed the observer leads to a node of its own; 0: there is no room for it."""
        cdef uint32_t child = self.find(here, seen)
        if child == 0:
            if self.used >= self.max_nodes:
                return 0
            self.reserve()
            child = self.add(here, seen, -1, CHANCE_PLAYER)
        self.path[depth[0]] = child
        depth[0] += 1
        return child

    cdef int deal(self) except -1 nogil:
        """Draw a state. Under halving all options in turn play from one, with one stream: what differs is what
        they do."""
        if self.halving and (self.turn if self.phases else self.iterations):
            memcpy(self.state, self.dealt, self.ops.state_size)
            self.rng = self.chance
            return 0
        if self.ops.sample(self.ops.context, &self.rng, self.state) < 0:
            with gil:
                raise SearchError("no full state was found that fits the position")
        if self.halving:
            memcpy(self.dealt, self.state, self.ops.state_size)
            self.chance = self.rng
        return 0

    cdef void halve(self) noexcept nogil:
        """Sort the survivors by mean pay-off, and keep the better half."""
        cdef int i, j
        cdef uint32_t node
        cdef double mean
        for i in range(1, self.alive):
            node = self.survivors[i]
            mean = self.nodes[node].total / self.nodes[node].visits
            j = i
            while j and self.nodes[self.survivors[j - 1]].total / self.nodes[self.survivors[j - 1]].visits < mean:
                self.survivors[j] = self.survivors[j - 1]
                j -= 1
            self.survivors[j] = node
        self.alive = (self.alive + 1) // 2
        self.phase += 1

    cdef uint32_t next_survivor(self) noexcept nogil:
        """The child of the root to play next under halving."""
        cdef uint32_t node
        # only after whole turns, in which all have played the same deals
        while (self.turn == 0 and self.phase + 1 < self.phases
               and self.phases * self.iterations >= (self.phase + 1) * self.budget):
            self.halve()
        node = self.survivors[self.turn]
        self.turn = self.turn + 1 if self.turn + 1 < self.alive else 0
        return node

    cdef int iterate(self) except -1 nogil:
        """Draw a state, descend, expand by one step, roll out, back up. -1: no state fits."""
        cdef uint32_t here = 0, child
        cdef uint64_t seen
        cdef int depth = 0, n, i, moves = 0
        cdef int32_t mover, at, action
        cdef bint may_grow, sampled
        cdef double payoff, delta
        cdef node_t* node
        self.deal()
        while depth < MAX_DEPTH - 2:
            mover = self.ops.current_player(self.ops.context, self.state)
            if mover == TERMINAL_PLAYER:
                break
            if self.depth and moves == self.depth:
                # Behind the last own decision the tree would count what nobody reads.
                break
            moves += mover == self.ops.observer
            if self.phases and here == 0:
                here = self.next_survivor()
                self.path[depth] = here
                depth += 1
                seen = self.ops.apply(self.ops.context, self.state, self.nodes[here].action)
                if seen:
                    here = self.see(here, seen, &depth)
                    if here == 0:
                        break
                continue
            n = self.ops.options(self.ops.context, self.state, self.actions, self.keys)
            may_grow = here == 0 or self.used < self.max_nodes
            sampled = self.policy_rivals and mover != self.ops.observer
            if sampled:
                # Its move is chance: what its policy plays with the hand that was drawn for it.
                action = self.ops.policy(self.ops.context, self.state, &self.rng)
                at = 0
                while self.actions[at] != action:
                    at += 1
                child = self.find(here, self.keys[at])
                if child == 0 and may_grow:
                    self.reserve()
                    child = self.add(here, self.keys[at], action, CHANCE_PLAYER)
            else:
                at = self.select(here, n, may_grow, &child)
                if here == 0 and self.phases:
                    # All candidates have been tried, each from the same deal: the turns begin, with another.
                    self.deal()
                    moves = 0
                    continue
            ensure(at >= 0)
            ensure(at < n)
            ensure(depth < MAX_DEPTH)
            seen = self.ops.apply(self.ops.context, self.state, self.actions[at])
            if child == 0:
                if may_grow:
                    self.reserve()
                    self.path[depth] = self.add(here, self.keys[at], self.actions[at], mover)
                    depth += 1
                break
            self.path[depth] = child
            depth += 1
            here = child
            if seen:
                here = self.see(here, seen, &depth)
                if here == 0:
                    break
        if self.policy_rollouts:
            self.ops.policy_rollout(self.ops.context, self.state, &self.rng, self.horizon, self.payoffs)
        else:
            self.ops.rollout(self.ops.context, self.state, &self.rng)
            self.ops.returns(self.ops.context, self.state, self.payoffs)
        for i in range(depth):
            node = &self.nodes[self.path[i]]
            node.visits += 1
            if node.chooser == CHANCE_PLAYER:
                continue
            payoff = self.payoffs[node.chooser]
            node.total += payoff
            node.squares += payoff * payoff
        self.iterations += 1
        payoff = self.payoffs[self.ops.observer]
        delta = payoff - self.mean
        self.mean += delta / <double> self.iterations
        self.squares += delta * (payoff - self.mean)
        return 0

    # -- the door

    def run(self, int iterations, long long budget=0):
        """Grow the tree by so many iterations, without the GIL.

        Parameters
        ----------
        iterations : int
        budget : int, default 0
            What all calls together are expected to come to; only halving needs it. 0: this one is the last.

        Raises
        ------
        SearchError
            If no full state fits the position.
        MemoryError
            If the tree cannot grow.
        Exception
            What a model written in Python raised.
        """
        cdef int _i
        self.budget = budget if budget else self.iterations + iterations
        with nogil:
            for _i in range(iterations):
                self.iterate()
        if self.root.failure is not None:
            failure = self.root.failure
            self.root.failure = None       # told once; what the tree has by then stays readable
            raise failure

    @property
    def num_nodes(self):
        """Nodes in the tree, the root included."""
        return self.used

    @property
    def num_bytes(self):
        """Memory of the tree."""
        return self.reserved * sizeof(node_t) + (self.table_mask + 1) * sizeof(uint32_t)

    def children(self, action_path=()):
        """Statistics of the observer's own options at a node.

        Parameters
        ----------
        action_path : sequence of int
            The observer's actions that lead from the root to the node (the second half of a move
            in two steps).

        Returns
        -------
        numpy.ndarray
            Structured: action, visits, total (summed pay-off), squares; ascending by action. Empty
            if the path was never tried.
        """
        cdef uint32_t node = 0, child
        for action in action_path:
            child = self.nodes[node].first
            while child and not (self.nodes[child].action == action and self.nodes[child].chooser == self.ops.observer):
                child = self.nodes[child].next
            if not child:
                return np.empty(0, CHILD_DTYPE)
            node = child
        rows = []
        child = self.nodes[node].first
        while child:
            if self.nodes[child].chooser == self.ops.observer:
                rows.append((self.nodes[child].action, self.nodes[child].visits,
                             self.nodes[child].total, self.nodes[child].squares))
            child = self.nodes[child].next
        rows.sort()
        return np.array(rows, CHILD_DTYPE)

    def outline(self, least):
        """The much visited part of the tree, which is small; for `solver.explain`.

        Parameters
        ----------
        least : int
            Visits that a node needs, at least 1.

        Returns
        -------
        numpy.ndarray
            Structured, a row for each node with its parents before it: parent (row, -1: the root), key
            (what the observer sees of the step), action (-1: chance showed something), visits.
        """
        cdef uint32_t node
        cdef uint32_t wanted = max(1, least)
        rows = []
        at = {0: -1}
        for node in range(1, self.used):
            # whoever passes a node has passed its parent, so a parent is as much visited and stands before it
            if self.nodes[node].visits >= wanted:
                at[node] = len(rows)
                rows.append((at[self.nodes[node].parent], self.nodes[node].key, self.nodes[node].action,
                             self.nodes[node].visits))
        return np.array(rows, OUTLINE_DTYPE)


CHILD_DTYPE = np.dtype([("action", "i4"), ("visits", "i8"), ("total", "f8"), ("squares", "f8")])
OUTLINE_DTYPE = np.dtype([("parent", "i4"), ("key", "u8"), ("action", "i4"), ("visits", "i8")])


def time_samples(SearchRoot root not None, Rng rng not None, repeat):
    """Seconds for `repeat` determinizations, in C; for benchmarks."""
    cdef GameOps ops = root.ops
    cdef void* state = malloc(ops.state_size)
    cdef long long _i, count = repeat
    cdef int failed = 0
    if not state:
        raise MemoryError("no memory for a state")
    began = time.perf_counter()
    with nogil:
        for _i in range(count):
            failed |= ops.sample(ops.context, &rng.c, state)
    took = time.perf_counter() - began
    free(state)
    if failed:
        raise SearchError("no full state was found that fits the position")
    return took
