# cython: language_level=3
"""Fixed play of SCOUT over plain data: the planning agent.

Used by `scout.pyx` only. What a hand is worth is the best way to cut its row into sets, each worth by
its kind, size and smallest number; a move is worth the cards it takes, the worth of the hand it
leaves and the chance that the set comes back. The constants are tuned for each number of players.
To decide it reads the hand of the seat to decide and what is public, nothing else.
"""
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, uint8_t, uint64_t

from solver._core cimport (
    MAX_HAND, beating_starts, hand_card, hand_load, hand_put, hand_t, hand_turn, lowest, mask_insert, places_beating,
    rng_below, rng_double, rng_fork, rng_t, set_code, set_cut, set_end, set_t, takes_lead,
)
from solver.games._scout cimport (
    CHOOSING, MAX_ACTIONS, MAX_SEATS, MUST_SHOW, OVER, TURN, Payoff, apply, derive_payoffs, may_scout, new_round,
    options, payoffs, position_t, rules_t, sample, search_context_t, seat_t, state_t,
)
from solver.games.ops cimport GameOps


cdef double SLIPS = 0.05               # chance of any legal action in place of the policy's, in a search

cdef enum:
    SIZES = 16
    NUMBERS = 16
    CONSTANTS = 27

# By number of players, 2 to 5. Found by an antithetic evolution strategy in play against itself and greedy:
# single: base, slope | groups of 2, 3, 4, 5: base, slope | runs of 2, 3, 4, 5: base, slope | held single:
# base, slope | held groups of 2, 3, 4 | held runs of 2, 3, 4, 5 | slope of a held set | cost of a Scout, of
# a Scout & Show | end of the round | danger from a small hand | danger from the row of Scouts.
cdef double[4][CONSTANTS] TUNED = [
    [-2.19, 0.09, -0.79, 0.45, 0.52, 1.42, 0.18, -1.99, -0.22, 0.22, 0.88, 0.12, 0.79, 0.20, 0.85, 1.23, 2.51,
     0.35, 0.30, 1.54, 2.99, 0.06, 0.41, 0.90, 2.13, 0.23, 0.28],
    [-1.04, 0.03, -0.95, 0.44, 1.29, 1.18, 0.10, -1.46, -0.59, 0.61, 0.82, 0.08, 0.67, 0.07, 0.94, 1.53, 2.61,
     0.06, 0.73, 1.49, 2.89, 0.04, 0.20, 1.28, 1.32, -0.11, 0.48],
    [-1.34, 0.04, -1.03, 0.43, 1.06, 1.50, 0.08, -1.60, -0.60, 0.79, 0.73, 0.09, 0.86, 0.13, 0.99, 1.60, 2.40,
     0.58, 0.84, 1.90, 3.16, 0.02, 0.56, 1.26, 1.59, -0.04, 0.35],
    [-1.46, 0.07, -1.05, 0.22, 0.74, 1.46, 0.12, -1.66, -0.49, 0.37, 1.10, 0.11, 0.42, 0.15, 0.94, 1.36, 2.45,
     0.37, 0.80, 1.80, 2.85, 0.06, 0.47, 1.37, 2.06, 0.23, 0.20],
]


ctypedef struct weights_t:
    double worth[2][SIZES][NUMBERS]    # of a set in the hand: group or run, by size and smallest number
    double held[2][SIZES][NUMBERS]     # of a set on the table, for the chance that it comes back
    double scout, both, finish, small_hand, row


ctypedef struct row_t:
    int n
    uint8_t top[MAX_HAND + 1]
    double before[MAX_HAND + 2]        # best worth of the cards before a place
    double after[MAX_HAND + 2]         # ... from a place on


cdef weights_t[4] WEIGHTS


def _fill_tables():
    cdef int p, size, number
    cdef const double* c
    cdef weights_t* w
    for p in range(4):
        c = &TUNED[p][0]
        w = &WEIGHTS[p]
        for size in range(SIZES):
            for number in range(NUMBERS):
                if size < 2:
                    w.worth[0][size][number] = w.worth[1][size][number] = c[0] + c[1] * (number - 5)
                    w.held[0][size][number] = w.held[1][size][number] = c[12] + c[13] * (number - 5)
                    continue
                w.worth[0][size][number] = c[2 + min(size, 5) - 2] + c[6] * (number - 5)
                w.worth[1][size][number] = c[7 + min(size, 5) - 2] + c[11] * (number - 5)
                w.held[0][size][number] = c[14 + min(size, 4) - 2] + c[21] * (number - 5)
                w.held[1][size][number] = c[17 + min(size, 5) - 2] + c[21] * (number - 5)
        w.scout = c[22]
        w.both = c[23]
        w.finish = c[24]
        w.small_hand = c[25]
        w.row = c[26]


_fill_tables()


# ------------------------------------------------------------------------------------------------
# Worth of a row

cdef inline void load_row(const hand_t* h, int n, bint bottoms, row_t* r) noexcept nogil:
    cdef int i, card
    r.n = n
    for i in range(n):
        card = hand_card(h, i)
        r.top[i] = card >> 4 if bottoms else card & 15


cdef inline double better(double a, double b) noexcept nogil:
    return a if a > b else b


cdef void fill_before(const weights_t* w, row_t* r) noexcept nogil:
    """Best worth of the first j cards, for every j: the last set ends at j."""
    cdef int j, k, number
    cdef double best
    r.before[0] = 0
    for j in range(1, r.n + 1):
        number = r.top[j - 1]
        best = r.before[j - 1] + w.worth[0][1][number]
        k = j - 2
        if k >= 0:
            if r.top[k] == number:
                while k >= 0 and r.top[k] == number:
                    best = better(best, r.before[k] + w.worth[0][min(j - k, SIZES - 1)][number])
                    k -= 1
            elif r.top[k] == number - 1:
                while k >= 0 and r.top[k] == r.top[k + 1] - 1:
                    best = better(best, r.before[k] + w.worth[1][min(j - k, SIZES - 1)][r.top[k]])
                    k -= 1
            elif r.top[k] == number + 1:
                while k >= 0 and r.top[k] == r.top[k + 1] + 1:
                    best = better(best, r.before[k] + w.worth[1][min(j - k, SIZES - 1)][number])
                    k -= 1
        r.before[j] = best


cdef void fill_after(const weights_t* w, row_t* r) noexcept nogil:
    """Best worth of the cards from i on, for every i: the first set begins at i."""
    cdef int i, k, number
    cdef double best
    r.after[r.n] = 0
    for i in range(r.n - 1, -1, -1):
        number = r.top[i]
        best = r.after[i + 1] + w.worth[0][1][number]
        k = i + 1
        if k < r.n:
            if r.top[k] == number:
                while k < r.n and r.top[k] == number:
                    best = better(best, r.after[k + 1] + w.worth[0][min(k - i + 1, SIZES - 1)][number])
                    k += 1
            elif r.top[k] == number + 1:
                while k < r.n and r.top[k] == r.top[k - 1] + 1:
                    best = better(best, r.after[k + 1] + w.worth[1][min(k - i + 1, SIZES - 1)][number])
                    k += 1
            elif r.top[k] == number - 1:
                while k < r.n and r.top[k] == r.top[k - 1] - 1:
                    best = better(best, r.after[k + 1] + w.worth[1][min(k - i + 1, SIZES - 1)][r.top[k]])
                    k += 1
        r.after[i] = best


cdef inline double span(
    const weights_t* w, const row_t* r, int i, int j, int left, int right, int step, int extra
) noexcept nogil:
    """Best worth with one set that takes cards before place i and from place j on.

    The set wants the number `left` just before i and `right` at j, and each further card `step` less
    or more; `extra` cards (0 or 1) stand between. step 0: a group, 1: rising, -1: falling.
    """
    cdef int x = 0, y, size, low
    cdef double best = -INFINITY
    while True:
        y = 0
        while True:
            size = x + y + extra
            if size >= 2 and (extra or (x and y)):
                low = left if step == 0 else left + 1 - x if step > 0 else right + 1 - y
                best = better(best, r.before[i - x] + w.worth[step != 0][min(size, SIZES - 1)][low] + r.after[j + y])
            if j + y >= r.n or r.top[j + y] != right + step * y:
                break
            y += 1
        if i - x <= 0 or r.top[i - x - 1] != left - step * x:
            break
        x += 1
    return best


cdef inline double without(const weights_t* w, const row_t* r, int i, int j) noexcept nogil:
    """Worth of the row without the cards i..j-1."""
    cdef double best = r.before[i] + r.after[j]
    cdef int left, right
    if i > 0 and j < r.n:
        left = r.top[i - 1]
        right = r.top[j]
        if right - left in (-1, 0, 1):
            best = better(best, span(w, r, i, j, left, right, right - left, 0))
    return best


cdef inline double with_card(const weights_t* w, const row_t* r, int place, int number) noexcept nogil:
    """Worth of the row with a card put in at a place."""
    cdef double best = r.before[place] + w.worth[0][1][number] + r.after[place]
    cdef int left = r.top[place - 1] - number if place else 99
    cdef int right = r.top[place] - number if place < r.n else 99
    if left == 0 or right == 0:
        best = better(best, span(w, r, place, place, number, number, 0, 1))
    if left == -1 or right == 1:
        best = better(best, span(w, r, place, place, number - 1, number + 1, 1, 1))
    if left == 1 or right == -1:
        best = better(best, span(w, r, place, place, number + 1, number - 1, -1, 1))
    return best


cdef double row_worth(const rules_t* g, const hand_t* h, int n, bint bottoms) noexcept nogil:
    cdef row_t r
    load_row(h, n, bottoms, &r)
    fill_before(&WEIGHTS[g.players - 2], &r)
    return r.before[n]


cdef double hand_worth(const rules_t* g, const state_t* s, int seat) noexcept nogil:
    """Worth of a seat's hand as it stands."""
    return row_worth(g, &s.seat[seat].hand, s.seat[seat].cards, False)


# ------------------------------------------------------------------------------------------------
# Worth of a move

ctypedef struct others_t:
    int least                          # cards in the smallest other hand
    double mean                        # mean cards of the others
    double at_end                      # ... that lose them if the mover's Scout ends the round


cdef inline others_t look_around(const rules_t* g, const state_t* s) noexcept nogil:
    cdef others_t o
    cdef int q, total = 0, exempt = 0
    o.least = 1000
    for q in range(g.players):
        if q == s.mover:
            continue
        total += s.seat[q].cards
        if q == s.owner:
            exempt = s.seat[q].cards
        o.least = min(o.least, s.seat[q].cards)
    o.mean = total / <double> (g.players - 1)
    o.at_end = (total - exempt) / <double> (g.players - 1)
    return o


cdef double best_show(
    const rules_t* g, const weights_t* w, const row_t* r, const hand_t* hand, int code, int taken, double mean,
    int32_t* actions, double* worths, int* count
) noexcept nogil:
    """The worth of the best Show of a row that beats `code` and takes so many cards; -inf: there is none.

    Unless `actions` is NULL, all of them are written down.
    """
    cdef uint64_t starts[MAX_HAND + 1]
    cdef uint64_t mask
    cdef int length, i, first, last, low, n = 0
    cdef int longest = beating_starts(hand, r.n, code, starts)
    cdef double worth, best = -INFINITY
    for length in range(max(1, code >> 8), longest + 1):
        mask = starts[length]
        while mask:
            i = lowest(mask)
            mask &= mask - 1
            first = r.top[i]
            last = r.top[i + length - 1]
            low = min(first, last)
            if length == r.n:
                worth = taken + mean + w.finish
            else:
                worth = taken + without(w, r, i, i + length) + w.held[first != last][min(length, SIZES - 1)][low]
            if worth > best:
                best = worth
            if actions != NULL:
                actions[n] = 2 + (length - 1) * g.in_play + i
                worths[n] = worth
                n += 1
    if count != NULL:
        count[0] = n
    return best


cdef int plan(const rules_t* g, const state_t* s, bint every, int32_t* actions, double* worths) noexcept nogil:
    """Worths of the legal actions of the seat to decide, in the order of `options`; their number.

    Without `every`, a Scout & Show is only looked at in places next to a card within 1 of the scouted
    number (or at the left end), where it makes a set.
    """
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef const weights_t* w = &WEIGHTS[g.players - 2]
    cdef row_t r, grown_row
    cdef hand_t grown
    cdef others_t o
    cdef set_t rest
    cdef uint64_t masks[2]
    cdef int n = 0, end, place, turned, number, card, at, code
    cdef double share = 1 / <double> (g.players - 1), cost, worth
    cdef bint ends
    if s.phase == CHOOSING:
        actions[0] = 0
        actions[1] = 1
        worths[0] = row_worth(g, &seat.hand, seat.cards, False)
        worths[1] = row_worth(g, &seat.hand, seat.cards, True)
        return 2
    o = look_around(g, s)
    load_row(&seat.hand, seat.cards, False, &r)
    fill_before(w, &r)
    fill_after(w, &r)
    best_show(g, w, &r, &seat.hand, set_code(s.active), s.active.size, o.mean, actions, worths, &n)
    if not may_scout(g, s):
        return n
    # A Scout that completes the row of Scouts ends the round.
    ends = (not g.two and s.row + 1 == g.players - 1 and (s.active.size > 1 or g.ends_on_emptying))
    cost = share + w.scout + (w.small_hand * max(0, 4 - o.least)
                              + w.row * (not g.two and s.row + 2 == g.players - 1)) * (seat.cards + 1)
    for end in range(1 if s.active.size == 1 else 2):
        card = hand_card(&s.table, set_end(s.active, end))
        for place in range(seat.cards + 1):
            for turned in range(2):
                number = card >> 4 if turned else card & 15
                actions[n] = g.first_scout + 2 * (end * g.in_play + place) + turned
                if ends:
                    worths[n] = o.at_end - (seat.cards + 1) - share + w.finish
                else:
                    worths[n] = with_card(w, &r, place, number) - cost
                n += 1
    if not s.both_left >> s.mover & 1:
        return n
    for end in range(1 if s.active.size == 1 else 2):
        at = set_end(s.active, end)
        card = hand_card(&s.table, at)
        rest = set_cut(s.active, end)
        code = set_code(rest)
        masks[0] = places_beating(&seat.hand, seat.cards, card & 15, code)
        masks[1] = places_beating(&seat.hand, seat.cards, card >> 4, code)
        for place in range(seat.cards + 1):
            for turned in range(2):
                if not masks[turned] >> place & 1:
                    continue
                number = card >> 4 if turned else card & 15
                if not every and place and not near(&r, place, number):
                    continue
                hand_put(&seat.hand, &s.table, at, turned, place, &grown)
                load_row(&grown, seat.cards + 1, False, &grown_row)
                fill_before(w, &grown_row)
                fill_after(w, &grown_row)
                worth = best_show(g, w, &grown_row, &grown, code, rest.size, o.mean, NULL, NULL, NULL)
                actions[n] = g.first_both + 2 * (end * g.in_play + place) + turned
                worths[n] = worth - share - w.both
                n += 1
    return n


cdef inline bint near(const row_t* r, int place, int number) noexcept nogil:
    """Whether a neighbour of a place is within 1 of a number."""
    return (place > 0 and -1 <= r.top[place - 1] - number <= 1) or (place < r.n and -1 <= r.top[place] - number <= 1)


cdef int32_t planning(const rules_t* g, const state_t* s, rng_t* rng) noexcept nogil:
    """The action worth most; equals by chance."""
    cdef int32_t actions[MAX_ACTIONS]
    cdef double worths[MAX_ACTIONS]
    cdef int i, best = 0, equals = 0, n = plan(g, s, False, actions, worths)
    cdef double most = 0
    for i in range(n):
        if takes_lead(rng, worths[i], &most, &equals):
            best = i
    return actions[best]


cdef int32_t slipping(const rules_t* g, const state_t* s, rng_t* rng, double slips) noexcept nogil:
    """The planning agent's action; in a turn, with the chance `slips`, any legal one."""
    cdef int32_t actions[MAX_ACTIONS]
    if slips > 0 and s.phase == TURN and rng_double(rng) < slips:
        return actions[rng_below(rng, options(g, s, s.mover, actions, NULL))]
    return planning(g, s, rng)


cdef int planned_play(
    const rules_t* g, state_t* s, rng_t* rng, double slips, int turns, long long* ends
) noexcept nogil:
    """Play on by the planning agent, which slips with this chance; the number of decisions.

    To the end, or for so many turns of this round (a negative number: to the end).
    """
    cdef int n = 0, round = s.round, before
    cdef long long until = <long long> s.turns + turns
    while s.phase != OVER and (turns < 0 or (s.round == round and s.turns < until)):
        before = s.round
        apply(g, s, slipping(g, s, rng, slips))
        if ends != NULL and s.round != before:
            ends[s.ending] += 1
        n += 1
    return n


cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil:
    """A whole game from a new deal, in a state that holds nothing but its settings."""
    rng_fork(rng, &fresh.rng)
    new_round(g, fresh)
    return planned_play(g, fresh, rng, 0, -1, ends)


cdef void estimate(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil:
    """Pay-off of every seat before the end, from the scores so far and the worths of the hands."""
    cdef double scores[MAX_SEATS]
    cdef int q
    for q in range(g.players):
        scores[q] = s.seat[q].total + s.seat[q].taken + s.seat[q].chips + hand_worth(g, s, q)
    derive_payoffs(g, scores, payoff, out)


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
    cdef double worth, best, ours, theirs
    seat.hand = grown
    if n:
        ours = row_worth(g, &seat.hand, n, False)
        theirs = row_worth(g, &seat.hand, n, True)
        if ours != theirs and (theirs > ours) == (rng_double(rng) < CHOSE_SIDE):
            hand_turn(&seat.hand, n)
    for i in range(p.known_cards[q]):
        load_row(&seat.hand, n, False, &r)
        fill_before(&WEIGHTS[g.players - 2], &r)
        fill_after(&WEIGHTS[g.players - 2], &r)
        best = -INFINITY
        best_place = best_turned = 0
        card = p.known[q][i]
        for place in range(n + 1):
            for turned in range(2):
                worth = with_card(&WEIGHTS[g.players - 2], &r, place, card >> 4 if turned else card & 15)
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


# ------------------------------------------------------------------------------------------------
# GameOps

cdef int32_t op_policy(const void* context, const void* state, rng_t* rng) noexcept nogil:
    return slipping(&(<const search_context_t*> context).rules, <const state_t*> state, rng, SLIPS)


cdef void op_policy_rollout(const void* context, void* state, rng_t* rng, int horizon, double* out) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    planned_play(&c.rules, s, rng, SLIPS, horizon, NULL)
    if s.phase == OVER:
        payoffs(&c.rules, s, c.payoff, out)
        return
    estimate(&c.rules, s, c.payoff, out)


cdef void op_scores(const void* context, const void* state, const int32_t* actions, int n, double* out) noexcept nogil:
    """`plan` with every action lists them in the order of `options`, which is that of `actions`."""
    cdef int32_t ids[MAX_ACTIONS]
    plan(&(<const search_context_t*> context).rules, <const state_t*> state, True, ids, out)


cdef void fill_policy_ops(GameOps* ops, bint belief) noexcept nogil:
    if belief:
        ops.sample = op_believe
    ops.policy = op_policy
    ops.policy_rollout = op_policy_rollout
    ops.scores = op_scores
