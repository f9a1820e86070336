# cython: language_level=3
"""Information-set Monte Carlo tree search, compiled (see `ismcts.py`).

Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search", IEEE TCIAIG 4 (2012),
algorithm SO-ISMCTS+POM (single observer, partially observable moves): each iteration draws a full
state that fits what the observer knows and descends the one tree of what the observer sees; a step
competes only in the iterations in which it is legal, which its availability counts (here the
running iteration included). MO-ISMCTS, a tree for each seat, is an option. `ismcts.PythonTree` is the readable twin.
"""
from libc.math cimport INFINITY, exp, log as ln, sqrt
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
    MOST_BEHIND = 6                # that a score counts as less than the best

cdef uint32_t LOST = 0xFFFFFFFF    # where a seat is whose tree had no room for the last step


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
    bias : float, default 0
        In halving the pay-off that an option lacks, in all, for each point that its score is below the best
        candidate's, of 6 at most: what it looks like counts the less the oftener it was tried (progressive bias:
        Chaslot et al., "Progressive strategies for Monte-Carlo tree search", 2008). It says who stays, not which of
        the last is best.
    first_play : float, default infinity
        What an option never tried counts as: the mean of those tried at its node and so many standard
        deviations of the observer's pay-off (Gelly and Wang, "Exploration exploitation in Go: UCT for
        Monte-Carlo Go", 2006). Infinity: it goes first.
    temperature : float, default 0
        Above 0: PUCT in place of UCB1. The weight of exploration is shared out by priors, softmax of the
        actions' scores over the temperature, and an option never tried has its share too (Rosin, "Multi-armed
        bandits with episode context", 2011, in the form of Silver et al., "Mastering the game of Go without human
        knowledge", Nature 550, 2017). 0: UCB1.
    multiple : bool, default False
        A tree for each seat, of what that seat sees of the steps, and each chooses in its own (algorithm MO-ISMCTS
        of the paper above). What chance shows has nodes in the observer's tree only.
    redealing : bool, default False
        In half of the iterations the others' cards and the observer's are dealt anew, at a decision of another
        seat, from all that this seat knows; from there on the others' steps learn, in the other iterations only
        the observer's do (see `ismcts.search`).

    Raises
    ------
    SearchError
        If the game has no policy or scores that an option needs.
    """

    def __cinit__(self, SearchRoot root not None, Rng rng not None, max_nodes, double exploration=0.7,
                  bint policy_rollouts=False, bint policy_rivals=False, int horizon=-1, int widening=0, int depth=0,
                  bint halving=False, double first_play=INFINITY, double temperature=0,
                  bint multiple=False, bint redealing=False, double bias=0):
        cdef int i
        if root.ops.sample == NULL:
            raise TypeError("a SearchRoot is made by a position's search_root()")
        if policy_rollouts and root.ops.policy_rollout == NULL:
            raise SearchError("this game has no rollout policy: rollout must be \"random\"")
        if policy_rivals and root.ops.policy == NULL:
            raise SearchError("this game has no rollout policy: opponents must be \"tree\"")
        if widening and root.ops.scores == NULL:
            raise SearchError("this game does not score its actions: widening must be 0")
        if temperature > 0 and root.ops.scores == NULL:
            raise SearchError("this game does not score its actions: selection must be \"ucb\"")
        if halving and bias > 0 and root.ops.scores == NULL:
            raise SearchError("this game does not score its actions: bias must be 0")
        if multiple and root.ops.options_for == NULL:
            raise SearchError("this game tells what one seat sees only: trees must be \"single\"")
        if redealing and root.ops.redeal == NULL:
            raise SearchError("this game cannot be dealt anew for another seat: redeal must be \"none\"")
        self.root = root
        self.ops = root.ops
        self.policy_rollouts = policy_rollouts
        self.policy_rivals = policy_rivals
        self.horizon = horizon
        self.widening = widening
        self.depth = depth
        self.halving = halving
        self.bias = bias
        self.first_play = first_play
        self.temperature = temperature
        # whether options never tried compete with those tried, in place of going first
        self.competing = first_play < INFINITY or temperature > 0
        self.multiple = multiple
        self.redealing = redealing
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
        self.priors = <double*> malloc(self.ops.max_options * sizeof(double))
        self.logs = <double*> malloc(LOGS * sizeof(double))
        self.survivors = <uint32_t*> malloc(self.ops.max_options * sizeof(uint32_t))
        self.shortfalls = <double*> calloc(self.ops.max_options, sizeof(double))
        self.heres = <uint32_t*> malloc(self.ops.num_players * sizeof(uint32_t))
        self.sights = <uint64_t*> malloc(self.ops.max_options * sizeof(uint64_t))
        if not (self.nodes and self.table and self.state and self.dealt and self.actions and self.keys
                and self.untried and self.path and self.payoffs and self.scores and self.priors and self.logs
                and self.survivors and self.shortfalls and self.heres and self.sights):
            raise MemoryError("no memory for a search tree")
        self.used = 1                   # node 0 is the root
        if multiple:
            # and those of the others come next; no node has them as children
            self.used = self.ops.num_players
            for i in range(1, self.ops.num_players):
                self.nodes[i].parent = i
                self.nodes[i].chooser = CHANCE_PLAYER
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
        free(self.priors)
        free(self.logs)
        free(self.survivors)
        free(self.shortfalls)
        free(self.heres)
        free(self.sights)

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
        if self.competing:
            # at its first try as if it had been legal at each visit of the node before
            child.available += <uint32_t> (self.nodes[parent].visits if parent else self.iterations)
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
        of the parent's visits). With `competing` an option never tried goes only before those of a lesser
        bound. `child` becomes its node, or 0 for an option never tried.
        """
        cdef bint few = self.nodes[here].children <= FEW_CHILDREN
        cdef long long visits = self.nodes[here].visits if here else self.iterations
        cdef int room = self.widening if self.widening else n
        cdef uint32_t node, best = 0, last_available = 0
        cdef int i = 0, first = 0, untried = 0, tried = 0
        cdef double value, best_value = 0, logarithm = 0, scale = 0
        cdef double spread = 0
        cdef bint competing = False, by_priors = False
        cdef uint64_t key
        cdef node_t* c
        if self.widening and not (self.halving and here == 0):
            room += highest(1 + <uint64_t> visits // WIDENING_VISITS)
        if self.iterations > 1:
            # The spread of the pay-off so far: frees the weight of the game's units.
            spread = sqrt(self.squares / <double> self.iterations)
            scale = self.exploration * spread
        if self.competing and not (self.halving and here == 0):
            # while all pay-offs were the same, nothing says how far above the mean another may lie
            competing = spread > 0
            by_priors = self.temperature > 0
            if by_priors:
                self.set_priors(n)
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
                if self.widening or competing or not (untried and may_grow):
                    if by_priors:
                        value = c.total / c.visits + scale * self.priors[i] * sqrt(c.available) / (1 + c.visits)
                    else:
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
            if i >= 0 and competing and best:
                value = self.mean_tried(here, n) + self.first_play * spread
                if by_priors:
                    value += scale * self.priors[i] * sqrt(<double> visits + 1)
                if value <= best_value:
                    i = -1
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
            if self.bias > 0:
                self.set_shortfalls(n)
        child[0] = best
        return self.among_equals(first, n)

    cdef void set_shortfalls(self, int n) noexcept nogil:
        """What the scores of the n options written down at the root take from the pay-offs of the survivors."""
        cdef double best = -INFINITY, score
        cdef int i, j
        self.ops.scores(self.ops.context, self.state, self.actions, n, self.scores)
        for i in range(self.alive):
            score = -INFINITY
            for j in range(n):
                if self.keys[j] == self.nodes[self.survivors[i]].key:
                    score = max(score, self.scores[j])
            self.shortfalls[i] = score
            if score < INFINITY:
                best = max(best, score)
        for i in range(self.alive):
            # an option that the game does not judge looks as good as the best
            score = self.shortfalls[i] - best if self.shortfalls[i] < best else 0
            self.shortfalls[i] = self.bias * max(score, -<double> MOST_BEHIND)

    cdef double mean_tried(self, uint32_t here, int n) noexcept nogil:
        """Mean pay-off over all visits of those of the n options written down at a node that were tried (some were)."""
        cdef double total = 0, count = 0
        cdef uint32_t node
        cdef int i
        for i in range(n):
            if i == 0 or self.keys[i] != self.keys[i - 1]:
                node = self.find(here, self.keys[i])
                if node:
                    total += self.nodes[node].total
                    count += self.nodes[node].visits
        return total / count

    cdef inline int32_t among_equals(self, int first, int n) noexcept nogil:
        """Actions that look the same to the observer share a node; which one it is, is chance."""
        cdef int i = first + 1
        while i < n and self.keys[i] == self.keys[first]:
            i += 1
        return first if i == first + 1 else first + <int> rng_below(&self.rng, i - first)

    cdef int32_t repeat(self, uint32_t here, int n, uint32_t* child) noexcept nogil:
        """Of the n options written down at a node one of those tried (some were), as likely as it was often tried.

        Not the one of the greatest bound: the observer would learn to answer a choice that in truth is open.
        """
        cdef uint32_t node
        cdef uint64_t total = 0, drawn
        cdef int i
        for i in range(n):
            if i == 0 or self.keys[i] != self.keys[i - 1]:
                node = self.find(here, self.keys[i])
                if node:
                    total += self.nodes[node].visits
        drawn = rng_below(&self.rng, total)
        i = -1
        while True:
            i += 1
            if i == 0 or self.keys[i] != self.keys[i - 1]:
                node = self.find(here, self.keys[i])
                if node:
                    if drawn < self.nodes[node].visits:
                        child[0] = node
                        return self.among_equals(i, n)
                    drawn -= self.nodes[node].visits

    cdef inline int32_t open_next(self, uint32_t here, int n, int untried, bint room) noexcept nogil:
        """Of the options never tried the one to try now, -1: none.

        Without widening any (with priors: of the greatest); with it any that is not to be held back, else the
        best-looking if there is room.
        """
        cdef int i, j, best = 0, unheld = 0
        if self.widening == 0 and self.temperature > 0 and not (self.halving and here == 0):
            # the best first, and of equals any
            for i in range(untried):
                if self.priors[self.untried[i]] > self.priors[self.untried[best]]:
                    best = i
            for i in range(untried):
                if self.priors[self.untried[i]] == self.priors[self.untried[best]]:
                    self.untried[unheld] = self.untried[i]
                    unheld += 1
            return self.untried[rng_below(&self.rng, unheld)]
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

    cdef void set_priors(self, int n) noexcept nogil:
        """Each option's prior, where it begins: softmax of the scores over the temperature.

        Options that a game does not judge (their score is infinite) count as the best that it judges.
        """
        cdef int i, j
        cdef double best = -INFINITY, total = 0
        cdef double* scores = self.priors
        self.ops.scores(self.ops.context, self.state, self.actions, n, scores)
        for i in range(n):
            if scores[i] != INFINITY and scores[i] > best:
                best = scores[i]
        i = 0
        while i < n:
            # actions that look the same to the observer are one option, as good as the best of them
            j = i + 1
            while j < n and self.keys[j] == self.keys[i]:
                scores[i] = max(scores[i], scores[j])
                j += 1
            scores[i] = exp((scores[i] - best) / self.temperature) if scores[i] != INFINITY else 1
            total += scores[i]
            i = j
        for i in range(n):
            scores[i] /= total

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

    cdef inline double standing(self, int i) noexcept nogil:
        """Mean pay-off of a survivor, with its shortfall."""
        cdef node_t* node = &self.nodes[self.survivors[i]]
        return (node.total + self.shortfalls[i]) / node.visits

    cdef void halve(self) noexcept nogil:
        """Sort the survivors by their standing, and keep the better half."""
        cdef int i, j
        for i in range(1, self.alive):
            j = i
            while j and self.standing(j - 1) < self.standing(j):
                self.survivors[j - 1], self.survivors[j] = self.survivors[j], self.survivors[j - 1]
                self.shortfalls[j - 1], self.shortfalls[j] = self.shortfalls[j], self.shortfalls[j - 1]
                j -= 1
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

    cdef int set_out(self) noexcept nogil:
        """Every seat at the root of its tree, the others' on the path; the length of the path."""
        cdef int q, root = 0
        for q in range(self.ops.num_players):
            if q == self.ops.observer:
                self.heres[q] = 0
                continue
            self.path[root] = root + 1
            root += 1
            self.heres[q] = root
        return root

    cdef int follow(self, int mover, int32_t action, int* depth) except -1 nogil:
        """All seats but the mover go on in their trees by what they see of its action, which is still to come."""
        cdef int q, at
        cdef uint32_t child
        cdef uint64_t key
        for q in range(self.ops.num_players):
            if q == mover or self.heres[q] == LOST:
                continue
            self.ops.options_for(self.ops.context, self.state, q, self.untried, self.sights)
            at = 0
            while self.untried[at] != action:
                at += 1
            key = self.sights[at]
            if q != self.ops.observer:
                # whose step it is may hang on chance, which this tree does not show
                key = mix(key, mover + 1)
            child = self.find(self.heres[q], key)
            if child == 0 and self.used < self.max_nodes:
                self.reserve()
                # not its own choice: in its tree this is chance
                child = self.add(self.heres[q], key, action, CHANCE_PLAYER)
            self.heres[q] = child if child else LOST
            if child:
                self.path[depth[0]] = child
                depth[0] += 1
        return 0

    cdef int redeal(self, int seat) except -1 nogil:
        """Draw anew all that a seat, which is to decide, does not know."""
        if self.ops.redeal(self.ops.context, self.state, seat, &self.rng) < 0:
            with gil:
                raise SearchError(f"no full state was found that fits what seat {seat} knows")
        return 0

    cdef int iterate(self) except -1 nogil:
        """Draw a state, descend, expand by one step, roll out, back up. -1: no state fits."""
        cdef uint32_t here = 0, child
        cdef uint64_t seen
        cdef int depth = 0, n, i, moves = 0, begin = 0
        cdef int32_t mover, at, action
        cdef bint may_grow, sampled, due, redealt = False, others_turn = False
        cdef bint multiple = self.multiple, redealing = self.redealing
        cdef double payoff, delta
        cdef node_t* node
        self.deal()
        due = redealing and rng_below(&self.rng, 2)
        if multiple:
            depth = self.set_out()
        while depth < MAX_DEPTH - 2 - self.ops.num_players:
            mover = self.ops.current_player(self.ops.context, self.state)
            if mover == TERMINAL_PLAYER:
                break
            if self.depth and moves == self.depth:
                # Behind the last own decision the tree would count what nobody reads.
                break
            moves += mover == self.ops.observer
            if redealing and mover == self.ops.observer:
                if redealt:
                    break                  # it holds other cards than its nodes are of
                others_turn = False
            elif redealing and not others_turn:
                others_turn = True
                if due and rng_below(&self.rng, 2):
                    self.redeal(mover)
                    due = False
                    redealt = True
                    begin = depth
            if multiple:
                here = self.heres[mover]
                if here == LOST:
                    break
            if self.phases and here == 0:
                here = self.next_survivor()
                if multiple:
                    self.follow(mover, self.nodes[here].action, &depth)
                    self.heres[mover] = here
                self.path[depth] = here
                depth += 1
                seen = self.ops.apply(self.ops.context, self.state, self.nodes[here].action)
                if seen:
                    here = self.see(here, seen, &depth)
                    if here == 0:
                        break
                    self.heres[mover] = here
                continue
            if multiple:
                n = self.ops.options_for(self.ops.context, self.state, mover, self.actions, self.keys)
            else:
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
                if redealing and mover != self.ops.observer and not redealt:
                    if child == 0:
                        break              # it learns nothing here: what it has not tried yet the rollout may play
                    at = self.repeat(here, n, &child)
                if here == 0 and self.phases:
                    # All candidates have been tried, each from the same deal: the turns begin, with another.
                    self.deal()
                    due = redealing and rng_below(&self.rng, 2)
                    moves = 0
                    continue
            ensure(at >= 0)
            ensure(at < n)
            if multiple:
                self.follow(mover, self.actions[at], &depth)
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
            if multiple:
                self.heres[mover] = child
                here = self.heres[self.ops.observer]
            if seen and here != LOST:
                here = self.see(here, seen, &depth)
                if here == 0:
                    break
                self.heres[self.ops.observer] = here
        if self.policy_rollouts:
            self.ops.policy_rollout(self.ops.context, self.state, &self.rng, self.horizon, self.payoffs)
        else:
            self.ops.rollout(self.ops.context, self.state, &self.rng)
            self.ops.returns(self.ops.context, self.state, self.payoffs)
        for i in range(begin, depth):
            node = &self.nodes[self.path[i]]
            if redealing and node.chooser != CHANCE_PLAYER and (node.chooser != self.ops.observer) != redealt:
                continue
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

    def adopt(self, Tree earlier not None, keys):
        """Begin with what an earlier tree found behind some steps from its root, at which this one's root is now.

        Parameters
        ----------
        earlier : Tree
            Of the same seat, with the same options.
        keys : sequence of int
            What the observer saw of each step since, its own included.

        Returns
        -------
        int
            Visits of the own options at the root that were taken over. 0: none, and the tree is as it was; so
            also where chance may have shown the observer something in between, of which keys tell nothing.
        """
        cdef uint32_t here = 0, old, child, parent
        cdef long long kept = 0
        cdef node_t* c
        cdef uint32_t* copies
        if self.used != 1 or self.iterations or earlier.multiple:
            return 0
        for key in keys:
            here = earlier.find(here, key)
            if here == 0:
                return 0
            child = earlier.nodes[here].first
            while child:
                if earlier.nodes[child].action < 0:
                    return 0
                child = earlier.nodes[child].next
        child = earlier.nodes[here].first
        while child:
            if earlier.nodes[child].chooser == self.ops.observer:
                kept += earlier.nodes[child].visits
            child = earlier.nodes[child].next
        if kept == 0:
            return 0
        copies = <uint32_t*> calloc(earlier.used, sizeof(uint32_t))
        if not copies:
            raise MemoryError("no memory for a search tree")
        try:
            for old in range(here + 1, earlier.used):      # parents stand before their children
                parent = earlier.nodes[old].parent
                if (parent != here and copies[parent] == 0) or (parent != here and self.used >= self.max_nodes):
                    continue
                self.reserve()
                c = &earlier.nodes[old]
                child = self.add(copies[parent], c.key, c.action, c.chooser)
                copies[old] = child
                self.nodes[child].available = c.available
                self.nodes[child].visits = c.visits
                self.nodes[child].held = c.held
                self.nodes[child].total = c.total
                self.nodes[child].squares = c.squares
        finally:
            free(copies)
        self.nodes[0].held = earlier.nodes[here].held
        self.mean = earlier.mean
        self.squares = earlier.squares / <double> earlier.iterations * <double> kept
        self.iterations = kept
        return kept

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
            # Whoever passes a node has passed its parent, so a parent is as much visited and stands before it.
            # (Not with redealing. And of several trees this is the observer's.)
            if self.nodes[node].visits >= wanted and self.nodes[node].parent in at:
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
