# cython: language_level=3
"""What a search asks of SCOUT."""
from libc.stdint cimport int32_t

from solver._core cimport rng_t
from solver.games._scout cimport position_t, rules_t, state_t
from solver.games.ops cimport GameOps


cdef int option_scores(
    const rules_t* g, const state_t* s, bint by_rule, int32_t* actions, double* out) noexcept nogil
cdef int believe(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil
cdef void fill_policy_ops(GameOps* ops, bint belief) noexcept nogil
