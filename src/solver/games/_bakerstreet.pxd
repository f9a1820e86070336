# cython: language_level=3
"""Baker Street's rules as a state machine over plain data; `bakerstreet.pyx` puts the classes on top."""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t

from solver._core cimport rng_t
from solver.games.ops cimport GameOps


cdef enum:
    PILES = 5
    LETTERS = 20
    DECK = 30
    HAND = 3
    STACK = 60                     # both decks
    HIGHEST_BID = 30
    RUN_TO_WIN = 7
    KINDS = 32                     # a kind is value | symbol << 3; 24 of them are cards
    NO_BID = -1
    MAX_EVENTS = 80                # of one step: a chain through all stacks, and six draws
    MAX_WINS = 136                 # 40 takes, and looks without one that follow a take or are first
    NO_LETTER = 255
    HIDDEN_LETTER = 254            # one was taken; which, is not written down here
    # action ids
    A_PLACE = 0                    # (symbol * 6 + value) * 5 + pile
    A_BID = 120
    A_DOUBT = 151
    A_CHOOSE = 152
    A_TAKE = 157
    NUM_ACTIONS = 177


cdef enum Phase:
    DEALING                        # a chance node: the next letter of a pile
    DRAWING                        # a chance node: the next card of `drawer`
    TURN                           # place, or doubt
    BIDDING
    CHOOSING                       # the winner of the doubt names a pile
    TAKING                         # the winner of a pile takes a letter
    OVER


cdef enum Event:
    DREW                           # seat, kind
    SHUFFLED                       # seat
    EVALUATED                      # winner, pile: which it also looks through


cdef enum NextStarter:
    DOUBT_LOSER
    DOUBT_WINNER
    ALTERNATE


ctypedef struct rules_t:
    int max_rounds
    NextStarter next_starter
    uint8_t deck[DECK]             # kinds of one deck


ctypedef struct letters_t:
    uint32_t once                  # bit: a letter with exactly one copy
    uint32_t twice                 # ... with two


ctypedef struct seat_t:
    uint8_t hand[HAND]
    int8_t cards
    uint8_t open                   # bit of a hand place: the rival knows the card
    uint8_t deck[DECK]             # the next card is the last; a multiset with explicit chance
    int8_t deck_cards
    uint8_t discard[DECK]          # a multiset
    int8_t discards
    uint32_t evidence              # bit of a letter
    uint8_t seen                   # bit of a pile: looked through at least once
    letters_t look[PILES]          # its content after the last look (and what was taken then)


ctypedef struct state_t:
    seat_t seat[2]
    letters_t pile[PILES]
    uint8_t stack[PILES][STACK]    # kind | seat << 5; the top is the last
    int8_t stack_cards[PILES]
    rng_t rng                      # of the reshuffles to come
    uint32_t bids                  # bit of each bid of this round
    int32_t rounds                 # finished doubts
    int8_t standing                # the last bid, NO_BID for none
    int8_t mover
    int8_t starter                 # of this round
    int8_t phase
    int8_t doubt_winner
    int8_t current                 # the pile under evaluation
    int8_t arrow                   # whether the next pile follows
    int8_t explicit_chance
    int8_t drawer                  # while DRAWING
    int8_t draws[2]                # cards still to draw, by seat
    int8_t dealt                   # letters dealt so far, while DEALING
    int8_t winner                  # at the end; -1: a draw
    # Who looked through which pile and what it took then, in order.
    uint8_t wins
    uint8_t win_seat[MAX_WINS]
    uint8_t win_pile[MAX_WINS]
    uint8_t win_letter[MAX_WINS]   # NO_LETTER: nothing
    int8_t events                  # of the last step, written down below; -1: nobody wants to know
    uint8_t event[MAX_EVENTS][3]   # what, who, which


cdef enum Known:
    TOOK_NOTHING
    TOOK_OWN                       # the observer's own letter
    TOOK_AMONG                     # the rival's, between two looks of the observer: one of `letters`
    TOOK_BEFORE                    # ... before the observer's first look through the pile
    TOOK_UNKNOWN                   # ... since its last look, or from a pile never seen


ctypedef struct win_t:
    uint8_t seat
    uint8_t pile
    uint8_t known
    uint32_t letters


# Weights of the letters that the rival may take (bits of `legal`; weights[letter] >= 0, not all 0), by
# those it owns.
ctypedef void (*choice_t)(const void* model, uint32_t owned, uint32_t legal, double* weights) noexcept nogil


ctypedef struct position_t:
    state_t base                   # all that the observer knows; hidden cards and letters are absent
    int observer
    int32_t rival_cards            # in the rival's hand
    uint8_t own_pool[DECK]         # the own deck, as a multiset
    int32_t own_unseen
    uint8_t rival_pool[DECK]       # the rival's hidden hand cards and its deck together
    int32_t rival_unseen
    win_t win[MAX_WINS]            # the log as the observer knows it
    uint8_t letters[40]            # letters that may lie in any hidden place
    int32_t hidden_letters
    choice_t choice                # how the rival chooses letters; NULL: each as likely
    const void* model              # handed to it; not owned
    double greatest                # weight of a distribution of the letters; -1: `weigh` is still to come


ctypedef struct search_context_t:
    rules_t rules
    position_t position
    double epsilon                 # chance of any legal action in place of the policy's


cdef void start(const rules_t* g, state_t* s) noexcept nogil
cdef void new_bidding(const rules_t* g, state_t* s) noexcept nogil
cdef int current_player(const state_t* s) noexcept nogil
cdef int legal(const rules_t* g, const state_t* s, int32_t* actions) noexcept nogil
cdef void apply(const rules_t* g, state_t* s, int32_t action) noexcept nogil
cdef void chance(const rules_t* g, state_t* s, int outcome) noexcept nogil
cdef inline int kind_id(int kind) noexcept nogil:
    """0..23: symbol * 6 + value."""
    return (kind >> 3) * 6 + (kind & 7)


cdef inline int kind_of(int kind) noexcept nogil:
    """The inverse of `kind_id`."""
    return kind // 6 << 3 | kind % 6


cdef int run_of(uint32_t letters) noexcept nogil
cdef void returns(const state_t* s, double* out) noexcept nogil
cdef uint32_t takable(const state_t* s, int seat, int pile) noexcept nogil
cdef int playout(const rules_t* g, state_t* fresh, rng_t* rng) noexcept nogil
cdef void observe(const rules_t* g, const state_t* s, int observer, position_t* p) noexcept nogil
cdef void add_letter(letters_t* pile, int letter) noexcept nogil
cdef void weigh(position_t* p) noexcept nogil
cdef void fill_pools(const rules_t* g, position_t* p) noexcept nogil
cdef int sample(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil
cdef int options(const rules_t* g, const state_t* s, int observer, int32_t* actions, uint64_t* keys) noexcept nogil
cdef void fill_ops(search_context_t* context, GameOps* ops) noexcept nogil
