# cython: language_level=3
"""How to play Baker Street by a fixed rule: the planning agent, and the policy of a search's rollouts."""
from libc.stdint cimport int32_t, uint8_t, uint32_t

from solver._core cimport rng_t
from solver.games._bakerstreet cimport position_t, rules_t, search_context_t, state_t
from solver.games.ops cimport GameOps


cdef enum Placement:
    BY_WORTH                       # tanh of the margins, weighed by the letters of the piles
    BY_PIPS                        # the plain sum of the margins


cdef int32_t planning(
    const position_t* p, Placement placement, double opening, rng_t* rng) noexcept nogil
cdef int32_t rollout_policy(const state_t* s, rng_t* rng) noexcept nogil
cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng) noexcept nogil
cdef int evidence_worth(uint32_t letters) noexcept nogil
cdef void score_actions(
    const state_t* s, const uint8_t* letters, int num_letters, const int32_t* actions, int n, double* out
) noexcept nogil
cdef void estimate(const state_t* s, double* out) noexcept nogil
cdef void choice_by_worth(
    const void* model, uint32_t owned, uint32_t legal_letters, double* weights) noexcept nogil
cdef void fill_policy_ops(GameOps* ops) noexcept nogil
