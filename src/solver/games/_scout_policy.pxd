# cython: language_level=3
"""How to play SCOUT by a fixed rule: the planning agent, which is also the policy of a search's rollouts."""
from libc.stdint cimport int32_t, uint64_t

from solver._core cimport MAX_HAND, hand_t, rng_t
from solver.games._scout cimport Payoff, rules_t, state_t
from solver.games._scout_rows cimport row_t, weights_t


cdef enum:
    MAX_SHOWS = 640                # sets of 55 cards, none longer than 11


ctypedef struct others_t:
    int least                          # cards in the smallest other hand
    int total                          # cards of the others
    int exempt                         # ... of the owner of the Active Set


ctypedef struct show_t:
    int start, length
    int32_t worth


ctypedef struct plan_t:
    # Worths of all legal moves: Shows, then Scouts and Scout & Shows in blocks of `places`, one for each
    # end of the Active Set and side of the card (block = 2 * end + turned).
    others_t others
    const weights_t* w
    row_t row
    int32_t share                      # what a scouted card brings its owner, over the others
    int32_t last                       # worth of a Show that empties the hand
    int number[4]                      # of the scouted card of a block, as it goes into the hand
    int shows, blocks, places
    bint both                          # there are blocks of Scout & Shows
    show_t show[MAX_SHOWS]
    int32_t scout[4][MAX_HAND + 1]
    int32_t scout_and_show[4][MAX_HAND + 1]    # NO_WORTH where it is not legal


cdef inline int32_t show_id(const rules_t* g, const plan_t* p, int i) noexcept nogil:
    return 2 + (p.show[i].length - 1) * g.in_play + p.show[i].start


cdef inline int32_t scout_id(const rules_t* g, int first, int block, int place) noexcept nogil:
    return first + 2 * ((block >> 1) * g.in_play + place) + (block & 1)


cdef double hand_worth(const rules_t* g, const state_t* s, int seat) noexcept nogil
cdef const weights_t* tuned(const rules_t* g) noexcept nogil
cdef void fill_weights(const double* c, weights_t* w) noexcept nogil
cdef void contested_game(
    const rules_t* g, state_t* fresh, const weights_t** by_seat, rng_t* rng) noexcept nogil
cdef uint64_t places_near(const hand_t* hand, int number) noexcept nogil
cdef int list_shows(
    const weights_t* w, const row_t* r, const hand_t* hand, int code, int32_t last, show_t* out) noexcept nogil
cdef void plan(const rules_t* g, const state_t* s, const weights_t* w, plan_t* p) noexcept nogil
cdef int action_worths(const rules_t* g, const state_t* s, int32_t* actions, double* worths) noexcept nogil
cdef int32_t planning(
    const rules_t* g, const state_t* s, const weights_t* w, rng_t* rng) noexcept nogil
cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil
cdef double[4][27] TUNED
cdef double[4][17] VALUE
cdef void value_sample(
    const rules_t* g, state_t* fresh, rng_t* rng, double* features, double* later) noexcept nogil
cdef void estimate(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil
