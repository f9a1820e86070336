# cython: language_level=3
"""A rule of play for SCOUT that is learnt from what came of choices."""
from libc.stdint cimport int32_t

from solver._core cimport rng_t
from solver.games._scout cimport rules_t, state_t


cdef enum:
    OPTION_FEATURES = 29
    POSITION_FEATURES = 24
    HIDDEN = 32
    LEARNT = (OPTION_FEATURES + POSITION_FEATURES) * HIDDEN + 2 * HIDDEN + OPTION_FEATURES
    MAX_OPTIONS = 64


ctypedef struct net_t:
    # The constants in the order in which `Game.learnt_constants` has them.
    float option[OPTION_FEATURES][HIDDEN]
    float position[POSITION_FEATURES][HIDDEN]
    float bias[HIDDEN]
    float out[HIDDEN]
    float direct[OPTION_FEATURES]


ctypedef struct choice_t:
    # The options of a turn as the rule sees them: every Show, and of the Scouts of one card, one side up, the one
    # that planning likes best; of the Scout & Shows likewise.
    int n
    int32_t action[MAX_OPTIONS]
    float of_position[POSITION_FEATURES]
    float of_option[MAX_OPTIONS][OPTION_FEATURES]


cdef const net_t* learnt_net(const rules_t* g) noexcept nogil
cdef int32_t learnt(const rules_t* g, const state_t* s, const net_t* net, rng_t* rng) noexcept nogil
cdef void learnt_scores(
    const rules_t* g, const state_t* s, const int32_t* actions, int n, double* worths) noexcept nogil
cdef double learnt_margin(const rules_t* g, state_t s, const net_t* net, rng_t chance, int seat) noexcept nogil
cdef int next_lesson(
    const rules_t* g, state_t* s, const net_t* net, int seat, double explore, rng_t* rng, choice_t* c,
    float* margins) noexcept nogil
