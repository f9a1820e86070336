# cython: language_level=3
"""SCOUT's rules as a state machine over plain data; `scout.pyx` puts the Python classes on top."""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t

from solver._core cimport hand_t, rng_t, set_t
from solver.games.ops cimport GameOps


cdef enum:
    MAX_SEATS = 5
    MAX_DECK = 55                  # pairs of 11 numbers; every hand then fits the planes
    MAX_ACTIONS = 1100             # more than there are action ids with any options


cdef enum Phase:
    DEALING                        # a chance node: the next card
    CHOOSING                       # keep or turn, seat by seat
    TURN
    MUST_SHOW                      # the Show half of a Scout & Show
    OVER


cdef enum Ending:
    NOT_ENDED
    EMPTY_HAND                     # (i)
    SCOUTED_OUT                    # (ii)
    TURN_LIMIT


cdef enum Payoff:
    SCORE
    MARGIN
    WIN


ctypedef struct rules_t:
    int players
    int rounds
    int ranks
    int hand_size
    int chips                      # at the start of a round; 0 with more than two players
    int max_turns
    bint two                       # the two-player rules
    bint ends_on_emptying
    bint insertions_public
    Payoff payoff
    int deck                       # number of cards
    int in_play                    # cards dealt to the seats of a round
    int longest                    # no set has more cards
    int first_scout                # action ids: keep, turn, shows, scouts, scout & shows
    int first_both
    int num_actions
    uint8_t cards[64]              # by index; the smaller number in the low four bits
    uint8_t index[256]             # of a card, whichever way it stands; 255: not in the deck


ctypedef struct seat_t:
    hand_t hand
    uint64_t known                 # places of the cards that all have seen go into this hand
    int32_t cards
    int32_t chips
    int32_t taken                  # score cards
    int32_t total                  # of the finished rounds
    int32_t last                   # score of the last finished round


ctypedef struct state_t:
    seat_t seat[MAX_SEATS]
    uint64_t gone                  # cards (bit = index) face down as score cards
    uint64_t out                   # two players, second deal of a shuffle: cards shown in the first
    uint64_t left[MAX_SEATS]       # ... and those that a seat still held at its end
    uint64_t undealt               # with explicit chance: cards not dealt since the last full shuffle
    rng_t rng                      # of the deals to come
    hand_t table                   # the Active Set is the window `active` on this row
    set_t active                   # size 0: there is none
    uint8_t aside[64]              # cards not dealt to any seat
    int8_t asides
    int8_t owner                   # -1: no Active Set
    int8_t mover
    int8_t starter
    int8_t phase
    int8_t explicit_chance         # deals are chance nodes
    uint8_t dealt                  # cards dealt so far, while DEALING
    uint8_t both_left              # bit of a seat: has its Scout & Show chip
    uint8_t row                    # Scouts since the last Show
    uint8_t pending_end            # of the Scout half, while MUST_SHOW
    uint8_t pending_card           # as it lay on the table
    uint8_t pending_place
    int8_t pending_owner           # owner before the Scout half
    int8_t ending                  # of the last finished round
    int8_t exempt                  # its seat that lost nothing for the hand, or -1
    int32_t round
    int32_t last_round             # play stops after this many rounds
    int32_t turns                  # finished turns of this round


ctypedef struct position_t:
    state_t base                   # all that the observer knows; hidden hands are empty
    int observer
    int8_t cards[MAX_SEATS]        # in each hand
    int hidden_gone                # score cards whose faces the observer does not know
    int hidden                     # hidden places: in the other hands, and those
    int unseen                     # cards that may lie in any hidden place
    uint8_t pool[64]               # those cards
    int8_t known_cards[MAX_SEATS]  # cards known to be in a rival's hand ...
    uint8_t known[MAX_SEATS][64]
    int8_t known_place[MAX_SEATS][64]    # ... and their places, -1: not known


ctypedef struct search_context_t:
    rules_t rules
    position_t position
    Payoff payoff
    double epsilon                 # chance of any legal action in place of the policy's
    bint learnt                    # the own seat plays the rule that is learnt


cdef void new_round(const rules_t* g, state_t* s) noexcept nogil
cdef void deal_card(const rules_t* g, state_t* s, int chance) noexcept nogil
cdef int current_player(const rules_t* g, const state_t* s) noexcept nogil
cdef int options(const rules_t* g, const state_t* s, int observer, int32_t* actions, uint64_t* keys) noexcept nogil
cdef void apply(const rules_t* g, state_t* s, int32_t action) noexcept nogil
cdef int scouts_since(const rules_t* g, const state_t* s) noexcept nogil
cdef int active_cards(const state_t* s, uint8_t* cards) noexcept nogil
cdef void lay_active(state_t* s, const uint8_t* cards, int n) noexcept nogil
cdef inline bint may_scout(const rules_t* g, const state_t* s) noexcept nogil:
    return s.phase == TURN and s.active.size > 0 and (not g.two or s.seat[s.mover].chips > 0)


cdef void derive_payoffs(const rules_t* g, const double* scores, Payoff payoff, double* out) noexcept nogil
cdef void payoffs(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil
cdef void observe(const rules_t* g, const state_t* s, int observer, position_t* p) noexcept nogil
cdef int sample(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil
cdef int playout(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil
cdef void fill_ops(search_context_t* context, GameOps* ops) noexcept nogil
