# cython: language_level=3
"""What a search asks of SCOUT."""
from libc.stdint cimport int32_t

from solver._core cimport rng_t
from solver.games._scout cimport position_t, rules_t, state_t
from solver.games.ops cimport GameOps


cdef void put_back(
    const rules_t* g, const state_t* s, const int32_t* actions, int n, double* worths) noexcept nogil
cdef int believe(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil
cdef void fill_policy_ops(GameOps* ops, bint belief) noexcept nogil
