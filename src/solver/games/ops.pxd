# cython: language_level=3
"""The C side of a game: what a compiled solver needs of one, and nothing else.

A solver sees `GameOps`, a struct of functions over a plain-data state, and knows no game. Every
function is `noexcept nogil`, takes the game's read-only context first, and must neither allocate
nor touch a Python object.
"""
from libc.stdint cimport int32_t, uint64_t

from solver._core cimport rng_t


cdef enum:
    CHANCE_PLAYER = -1
    TERMINAL_PLAYER = -4


ctypedef struct GameOps:
    size_t state_size              # bytes of a state; a copy of the bytes is a copy of the state
    int num_players
    int max_options                # upper bound of what `options` writes
    int observer                   # the seat whose position is searched
    const void* context            # handed to every function; lives as long as its owner

    # Draws a full state that fits all the observer knows. 0, or -1 if none could be found.
    int (*sample)(const void* context, rng_t* rng, void* state) noexcept nogil
    # The seat to decide, or TERMINAL_PLAYER. States carry no chance nodes.
    int (*current_player)(const void* context, const void* state) noexcept nogil
    # Legal actions of the seat to decide, ascending, and for each what the observer sees of it:
    # actions that look the same to the observer have the same key and stand side by side. Keys are
    # not 0. What is seen of a step may be told by the key of the next step of the same seat, or the
    # other way round, where the observer decides nothing in between. Returns their number, >= 1.
    int (*options)(const void* context, const void* state, int32_t* actions, uint64_t* keys) noexcept nogil
    # Plays a legal action and lets chance decide up to the next decision. Returns what the observer
    # sees of that chance (a card drawn, a hand dealt) as a key, or 0 if it sees nothing.
    uint64_t (*apply)(const void* context, void* state, int32_t action) noexcept nogil
    # Uniformly random legal play to the end.
    void (*rollout)(const void* context, void* state, rng_t* rng) noexcept nogil
    # Pay-off of every seat at the end.
    void (*returns)(const void* context, const void* state, double* out) noexcept nogil

    # What follows is optional: NULL where a game has none.
    # A legal action of the game's rollout policy for the seat to decide. Of the state it may read
    # what that seat knows (its own hand, public cards), not what is hidden from it.
    int32_t (*policy)(const void* context, const void* state, rng_t* rng) noexcept nogil
    # Play by the rollout policy for `horizon` rounds (or what a game counts instead; a negative one:
    # to the end), then the pay-off of every seat: exact at the end, else an estimate.
    void (*policy_rollout)(const void* context, void* state, rng_t* rng, int horizon, double* out) noexcept nogil
    # How good each of n legal actions looks to the seat to decide, the greater the better, INFINITY
    # for one that a search must not hold back; it may read what `policy` may.
    void (*scores)(const void* context, const void* state, const int32_t* actions, int n, double* out) noexcept nogil
    # As `options`, with the keys of what `seat` sees in place of the observer.
    int (*options_for)(const void* context, const void* state, int seat, int32_t* actions,
                       uint64_t* keys) noexcept nogil
    # Draws anew, in place, all that `seat`, which is to decide, does not know. 0, or -1 if nothing fits.
    int (*redeal)(const void* context, void* state, int seat, rng_t* rng) noexcept nogil


cdef class SearchRoot:
    """What a compiled position hands to a search: its functions. A subclass holds the memory behind
    `ops.context`."""
    cdef GameOps ops
    cdef public object failure     # an exception that one of the functions met; a search raises it
