# cython: language_level=3
"""How to play SCOUT by a fixed rule: the planning agent, which is also the policy of a search's rollouts."""
from libc.stdint cimport int32_t

from solver._core cimport rng_t
from solver.games._scout cimport Payoff, position_t, rules_t, state_t
from solver.games._scout_rows cimport weights_t
from solver.games.ops cimport GameOps


cdef double hand_worth(const rules_t* g, const state_t* s, int seat) noexcept nogil
cdef const weights_t* tuned(const rules_t* g) noexcept nogil
cdef void fill_weights(const double* c, weights_t* w) noexcept nogil
cdef void contested_game(
    const rules_t* g, state_t* fresh, const weights_t** by_seat, rng_t* rng) noexcept nogil
cdef int action_worths(const rules_t* g, const state_t* s, int32_t* actions, double* worths) noexcept nogil
cdef int32_t planning(
    const rules_t* g, const state_t* s, const weights_t* w, rng_t* rng) noexcept nogil
cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil
cdef void put_back(
    const rules_t* g, const state_t* s, const int32_t* actions, int n, double* worths) noexcept nogil
cdef double[4][27] TUNED
cdef double[4][17] VALUE
cdef void value_sample(
    const rules_t* g, state_t* fresh, rng_t* rng, double* features, double* later) noexcept nogil
cdef void estimate(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil
cdef int believe(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil
cdef void fill_policy_ops(GameOps* ops, bint belief) noexcept nogil
