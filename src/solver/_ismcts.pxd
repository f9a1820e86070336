# cython: language_level=3
"""The search tree of `ismcts.search`, over any game that offers `GameOps`."""
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

from solver._core cimport rng_t
from solver.games.ops cimport GameOps, SearchRoot


# A node is what the observer saw, so it also holds the statistics of the step that leads to it.
ctypedef struct node_t:
    uint64_t key                   # what the observer sees of that step
    uint32_t parent
    uint32_t next                  # the next child of the same parent; 0: none
    uint32_t first                 # the first child; 0: none
    uint32_t children
    uint32_t visits
    uint32_t available             # visits of the parent in which the step was legal
    int32_t action                 # of the step, exact if the observer took it
    int16_t chooser                # the seat that took it; CHANCE_PLAYER: chance showed it
    int16_t held                   # whether what the observer has not tried from here may be held back
    double total                   # its pay-off, summed over the visits
    double squares


cdef class Tree:
    cdef SearchRoot root
    cdef GameOps ops
    cdef rng_t rng
    cdef double exploration
    cdef double first_play, temperature, bias
    cdef bint policy_rollouts, policy_rivals, halving, competing, multiple, redealing
    cdef int horizon, widening, depth
    cdef node_t* nodes
    cdef uint32_t* table           # open addressing: (parent, key) -> node; 0: empty
    cdef uint64_t table_mask
    cdef uint32_t used, reserved, max_nodes
    cdef void* state
    cdef void* dealt               # of halving: the state that all survivors start from in this turn
    cdef rng_t chance              # ... and the stream
    cdef int32_t* actions
    cdef uint64_t* keys
    cdef int32_t* untried          # where the options begin that have no child yet
    cdef uint32_t* path
    cdef uint32_t* heres           # of several trees: the node of each seat
    cdef uint64_t* sights          # ... and keys of what one of them sees
    cdef double* payoffs
    cdef double* scores
    cdef double* priors
    cdef double* logs
    cdef double mean, squares      # of the observer's pay-off, over all iterations (Welford)
    cdef readonly long long iterations
    cdef long long budget          # iterations that halving shares out
    cdef uint32_t* survivors       # children of the root that halving has left, the best first
    cdef double* shortfalls        # what their scores take from their pay-offs
    cdef int alive, turn           # their number; whose turn it is
    cdef int phases, phase         # of halving; 0 phases: not all candidates were tried yet

    cdef uint32_t find(self, uint32_t parent, uint64_t key) noexcept nogil
    cdef int reserve(self) except -1 nogil
    cdef uint32_t add(self, uint32_t parent, uint64_t key, int32_t action, int32_t chooser) noexcept nogil
    cdef double log(self, uint32_t n) noexcept nogil
    cdef int32_t select(self, uint32_t here, int n, bint may_grow, uint32_t* child) noexcept nogil
    cdef double mean_tried(self, uint32_t here, int n) noexcept nogil
    cdef int32_t among_equals(self, int first, int n) noexcept nogil
    cdef int32_t repeat(self, uint32_t here, int n, uint32_t* child) noexcept nogil
    cdef int32_t open_next(self, uint32_t here, int n, int untried, bint room) noexcept nogil
    cdef void set_priors(self, int n) noexcept nogil
    cdef uint32_t see(self, uint32_t here, uint64_t seen, int* depth) except? 0 nogil
    cdef int deal(self) except -1 nogil
    cdef void set_shortfalls(self, int n) noexcept nogil
    cdef double standing(self, int i) noexcept nogil
    cdef void halve(self) noexcept nogil
    cdef uint32_t next_survivor(self) noexcept nogil
    cdef int set_out(self) noexcept nogil
    cdef int follow(self, int mover, int32_t action, int* depth) except -1 nogil
    cdef int redeal(self, int seat) except -1 nogil
    cdef int iterate(self) except -1 nogil
