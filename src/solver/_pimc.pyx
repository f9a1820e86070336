# cython: language_level=3
"""One sampled deal with all hands open, as a game that the compiled tree searches (see `pimc.py`)."""
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from solver._core cimport Rng, rng_t
from solver.games.ops cimport GameOps, SearchRoot

from solver.errors import SearchError


ctypedef struct open_t:
    GameOps ops                    # of the game itself, with its own context
    void* deal


cdef int op_sample(const void* context, rng_t* rng, void* state) noexcept nogil:
    """The one deal, each time."""
    cdef const open_t* c = <const open_t*> context
    memcpy(state, c.deal, c.ops.state_size)
    return 0


cdef int op_current_player(const void* context, const void* state) noexcept nogil:
    cdef const open_t* c = <const open_t*> context
    return c.ops.current_player(c.ops.context, state)


cdef int op_options(const void* context, const void* state, int32_t* actions, uint64_t* keys) noexcept nogil:
    """Everybody sees each action as it is."""
    cdef const open_t* c = <const open_t*> context
    cdef int i, n = c.ops.options(c.ops.context, state, actions, keys)
    for i in range(n):
        keys[i] = <uint64_t> actions[i] + 1
    return n


cdef uint64_t op_apply(const void* context, void* state, int32_t action) noexcept nogil:
    """What chance brings follows from the deal: there is nothing new to see."""
    cdef const open_t* c = <const open_t*> context
    c.ops.apply(c.ops.context, state, action)
    return 0


cdef void op_rollout(const void* context, void* state, rng_t* rng) noexcept nogil:
    cdef const open_t* c = <const open_t*> context
    c.ops.rollout(c.ops.context, state, rng)


cdef void op_returns(const void* context, const void* state, double* out) noexcept nogil:
    cdef const open_t* c = <const open_t*> context
    c.ops.returns(c.ops.context, state, out)


cdef void op_policy_rollout(const void* context, void* state, rng_t* rng, int horizon, double* out) noexcept nogil:
    cdef const open_t* c = <const open_t*> context
    c.ops.policy_rollout(c.ops.context, state, rng, horizon, out)


cdef void op_scores(const void* context, const void* state, const int32_t* actions, int n, double* out) noexcept nogil:
    cdef const open_t* c = <const open_t*> context
    c.ops.scores(c.ops.context, state, actions, n, out)


cdef class OpenDeal(SearchRoot):
    """A deal that fits a position, all hands open; `draw` lays it out.

    Parameters
    ----------
    root : SearchRoot
        Of the position.
    """

    cdef open_t c
    cdef SearchRoot root           # holds the memory behind the game's context

    def __cinit__(self, SearchRoot root not None):
        if root.ops.sample == NULL:
            raise TypeError("a SearchRoot is made by a position's search_root()")
        self.root = root
        self.c.ops = root.ops
        self.c.deal = malloc(root.ops.state_size)
        if not self.c.deal:
            raise MemoryError("no memory for a state")
        self.ops.state_size = root.ops.state_size
        self.ops.num_players = root.ops.num_players
        self.ops.max_options = root.ops.max_options
        self.ops.observer = root.ops.observer
        self.ops.context = &self.c
        self.ops.sample = op_sample
        self.ops.current_player = op_current_player
        self.ops.options = op_options
        self.ops.apply = op_apply
        self.ops.rollout = op_rollout
        self.ops.returns = op_returns
        # opponents by policy have no place here: with open hands each plays for itself in the tree
        if root.ops.policy_rollout != NULL:
            self.ops.policy_rollout = op_policy_rollout
        if root.ops.scores != NULL:
            self.ops.scores = op_scores

    def __dealloc__(self):
        free(self.c.deal)

    def draw(self, Rng rng not None):
        """Deal anew; trees over an earlier deal are not to be run on.

        Raises
        ------
        SearchError
            If no full state fits the position.
        Exception
            What a model written in Python raised.
        """
        if self.c.ops.sample(self.c.ops.context, &rng.c, self.c.deal) < 0:
            raise SearchError("no full state was found that fits the position")
        if self.root.failure is not None:
            failure = self.root.failure
            self.root.failure = None
            raise failure
