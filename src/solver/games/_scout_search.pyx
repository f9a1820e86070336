# cython: language_level=3
"""What a search asks of SCOUT: deals that fit what a seat knows, and play by policies."""
from libc.stdint cimport int32_t, uint8_t, uint64_t

from solver._core cimport (
    MAX_HAND, beating_starts, hand_card, hand_load, hand_put, hand_t, hand_turn, mask_insert, rng_below, rng_double,
    rng_t, set_end,
)
from solver.games._scout cimport (
    CHOOSING, MAX_ACTIONS, MUST_SHOW, OVER, TURN, apply, observe, options, payoffs, position_t, rules_t, sample,
    search_context_t, seat_t, state_t,
)
from solver.games._scout_learnt cimport learnt, learnt_net, learnt_scores
from solver.games._scout_policy cimport action_worths, estimate, places_near, planning, tuned
from solver.games._scout_rows cimport NO_WORTH, fill_after, fill_before, load_row, row_t, row_worth, with_card
from solver.games.ops cimport GameOps


cdef double BACK = 1000               # more than any difference of worths


# ------------------------------------------------------------------------------------------------
# What the others' play tells of their hands

cdef double CHOSE_SIDE = 0.9           # an opponent holds its cards the way that is worth more
cdef double WOULD_SHOW = 0.95          # who scouts could not have shown
cdef int TRIES = 6


cdef inline int load_hidden(const seat_t* seat, hand_t* h) noexcept nogil:
    """The row of a seat's cards that not all have seen go into its hand; their number."""
    cdef uint8_t cards[MAX_HAND]
    cdef int i, n = 0
    for i in range(seat.cards):
        if not seat.known >> i & 1:
            cards[n] = <uint8_t> hand_card(&seat.hand, i)
            n += 1
    hand_load(h, cards, n, 0)
    return n


cdef void hold_well(const rules_t* g, const position_t* p, int q, rng_t* rng, state_t* s) noexcept nogil:
    """Hold a rival's drawn cards the way it would: the better side, scouted cards where they serve best."""
    cdef seat_t* seat = &s.seat[q]
    cdef uint8_t scouted[1]
    cdef hand_t grown, single
    cdef row_t r
    cdef uint64_t known = 0
    cdef int i, n = load_hidden(seat, &grown), place, turned, card, best_place, best_turned
    cdef int32_t worth, best, ours, theirs
    seat.hand = grown
    if n:
        ours = row_worth(tuned(g), &seat.hand, n, False)
        theirs = row_worth(tuned(g), &seat.hand, n, True)
        if ours != theirs and (theirs > ours) == (rng_double(rng) < CHOSE_SIDE):
            hand_turn(&seat.hand, n)
    for i in range(p.known_cards[q]):
        load_row(tuned(g), &seat.hand, n, False, &r)
        fill_before(tuned(g), &r)
        fill_after(tuned(g), &r)
        best = NO_WORTH
        best_place = best_turned = 0
        card = p.known[q][i]
        for place in range(n + 1):
            for turned in range(2):
                worth = with_card(tuned(g), &r, place, card >> 4 if turned else card & 15)
                if worth > best:
                    best = worth
                    best_place = place
                    best_turned = turned
        scouted[0] = <uint8_t> card
        hand_load(&single, scouted, 1, 0)
        hand_put(&seat.hand, &single, 0, best_turned, best_place, &grown)
        seat.hand = grown
        known = mask_insert(known, best_place, 1)
        n += 1
    seat.known = known


cdef bint would_have_shown(const rules_t* g, const state_t* s) noexcept nogil:
    """Whether a seat that has scouted since the last Show could have shown: its hand, without the cards that
    all know it to have scouted, has a set longer than the table's then."""
    cdef uint64_t starts[MAX_HAND + 1]
    cdef hand_t hand
    cdef int q = s.mover, back, n, size = s.active.size + (s.phase == MUST_SHOW)
    if g.two or size == 0:
        return False
    for back in range(1, s.row + 1):
        q = q - 1 if q else g.players - 1
        n = load_hidden(&s.seat[q], &hand)
        # before its Scout the set had `back` cards more
        if beating_starts(&hand, n, 0, starts) > size + back:
            return True
    return False


cdef int believe(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil:
    """A full state that fits the position, as `sample`, likelier the better it explains what the others did."""
    cdef int q, _try
    for _try in range(TRIES):
        if sample(g, p, rng, s) < 0:
            return -1
        # With two players a rival who is to move without a chip can Show as `sample` has drawn it.
        if not (g.insertions_public or s.phase == CHOOSING or (g.two and s.mover != p.observer)):
            for q in range(g.players):
                if q != p.observer:
                    hold_well(g, p, q, rng, s)
        if not would_have_shown(g, s) or rng_double(rng) >= WOULD_SHOW:
            break
    return 0


cdef int op_believe(const void* context, rng_t* rng, void* state) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    return believe(&c.rules, &c.position, rng, <state_t*> state)


cdef int op_believe_anew(const void* context, void* state, int seat, rng_t* rng) noexcept nogil:
    cdef const rules_t* g = &(<const search_context_t*> context).rules
    cdef position_t p
    observe(g, <state_t*> state, seat, &p)
    return believe(g, &p, rng, <state_t*> state)


# ------------------------------------------------------------------------------------------------
# GameOps

cdef int32_t choose(const search_context_t* c, const state_t* s, rng_t* rng) noexcept nogil:
    """What is played by policy: the rule that is learnt by the own seat, if it is asked for, planning by all others;
    with the chance `epsilon` any legal action."""
    cdef const rules_t* g = &c.rules
    cdef int32_t actions[MAX_ACTIONS]
    if c.epsilon > 0 and rng_double(rng) < c.epsilon:
        return actions[rng_below(rng, options(g, s, s.mover, actions, NULL))]
    if c.learnt and s.mover == c.position.observer:
        return learnt(g, s, learnt_net(g), rng)
    return planning(g, s, tuned(g), rng)


cdef int32_t op_policy(const void* context, const void* state, rng_t* rng) noexcept nogil:
    return choose(<const search_context_t*> context, <const state_t*> state, rng)


cdef void op_policy_rollout(const void* context, void* state, rng_t* rng, int horizon, double* out) noexcept nogil:
    """To the end, or for so many turns of this round."""
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    cdef int round = s.round
    cdef long long until = <long long> s.turns + horizon
    while s.phase != OVER and (horizon < 0 or (s.round == round and s.turns < until)):
        apply(&c.rules, s, choose(c, s, rng))
    if s.phase == OVER:
        payoffs(&c.rules, s, c.payoff, out)
        return
    estimate(&c.rules, s, c.payoff, out)


cdef void op_scores(const void* context, const void* state, const int32_t* actions, int n, double* out) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    cdef const state_t* s = <const state_t*> state
    cdef int32_t ids[MAX_ACTIONS]       # the same as `actions`
    option_scores(&c.rules, s, c.learnt and s.mover == c.position.observer, ids, out)


cdef int option_scores(
    const rules_t* g, const state_t* s, bint by_rule, int32_t* actions, double* out
) noexcept nogil:
    """The legal actions, in the order of `options`, and their worths, or of a turn the scores of the rule that is
    learnt, with all but one of the places where a scouted card makes no set put back; their number."""
    cdef int n = action_worths(g, s, actions, out)
    if by_rule and s.phase == TURN:
        learnt_scores(g, s, actions, n, out)
    put_back(g, s, actions, n, out)
    return n


cdef void put_back(const rules_t* g, const state_t* s, const int32_t* actions, int n, double* worths) noexcept nogil:
    """Of the Scouts of one card, one side up, at places where it makes no set, the best stays, and the others lose
    `BACK` points: they do nearly the same. The same for Scout & Shows."""
    cdef const hand_t* hand = &s.seat[s.mover].hand
    cdef uint64_t near[4]
    cdef int best[8]
    cdef int i, j, b, at, card
    if s.phase != TURN or s.active.size == 0:
        return
    for b in range(2 if s.active.size == 1 else 4):
        card = hand_card(&s.table, set_end(s.active, b >> 1))
        near[b] = places_near(hand, card >> 4 if b & 1 else card & 15)
    for b in range(8):
        best[b] = -1
    for i in range(n):
        if actions[i] < g.first_scout:
            continue
        j = actions[i] - (g.first_both if actions[i] >= g.first_both else g.first_scout)
        at = (j >> 1) % g.in_play
        b = 2 * ((j >> 1) // g.in_play) + (j & 1)
        if near[b] >> at & 1:
            continue
        b += 4 * (actions[i] >= g.first_both)
        if best[b] < 0:
            best[b] = i
        elif worths[i] > worths[best[b]]:
            worths[best[b]] -= BACK
            best[b] = i
        else:
            worths[i] -= BACK


cdef void fill_policy_ops(GameOps* ops, bint belief) noexcept nogil:
    if belief:
        ops.sample = op_believe
        ops.redeal = op_believe_anew
    ops.policy = op_policy
    ops.policy_rollout = op_policy_rollout
    ops.scores = op_scores
