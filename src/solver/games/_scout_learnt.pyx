# cython: language_level=3
"""A rule of play for SCOUT that is learnt from what came of choices, over plain data.

Of each option it takes some numbers (what it does to the hand, what it shows, how likely that is beaten), of the
position some more, and adds them up by a net with one layer of rectified linear units; it plays the option of the
greatest sum. The constants, for each number of players, are those of experiments/learnt-play: what came of each option
when the rule played the seat on and planning the others, with the cards as they lay.

To decide it reads the hand of the seat to decide and what is public, nothing else. There is no function of libm in it,
so that the same position gets the same bits everywhere.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

from solver._core cimport (
    MAX_HAND, beating_starts, hand_card, hand_copy, hand_insert, hand_pairs, hand_t, hand_take, has_beating, lowest,
    pairs_t, popcount, rng_below, rng_double, rng_fork, rng_t, set_at, set_code, set_cut, set_t, strength_code,
)
from solver.games._scout cimport (
    MARGIN, MAX_SEATS, OVER, TURN, active_cards, apply, payoffs, rules_t, scouts_since, state_t,
)
from solver.games._scout_policy cimport (
    MAX_SHOWS, list_shows, plan, plan_t, planning, scout_id, show_id, show_t, tuned,
)
from solver.games._scout_rows cimport (
    EDGE, EQUAL, HIGHER, LOWER, NO_WORTH, POINT, fill_after, fill_before, load_row, row_t,
)


cdef extern from "games/_scout_learnt.h":
    const float SCOUT_LEARNT[4][LEARNT]        # by number of players, 2 to 5


cdef enum:
    GAP = 0                        # worth to planning, less the best option's, in points
    SHOWS                          # is a Show
    SCOUTS                         # is a Scout
    DOES_BOTH                      # is a Scout & Show
    GROWTH                         # worth of the hand after it, less before, in points
    CARDS                          # in the hand after it
    TAKEN                          # cards
    SIZE                           # of the set shown
    RUN                            # ... if it is a run
    LOW                            # its smallest number
    LONGEST                        # set in the hand after it
    SETS                           # in the hand after it
    PIECES                         # least number of sets that the hand after it falls into
    ENDS                           # the round
    NEXT_BEATS                     # how likely the next player beats the set then on the table
    ONE_BEATS                      # how likely any other does
    READY                          # the hand after it beats the set then on the table
    LONGER                         # longest set of the hand after it, less the size of that set
    NUMBER                         # of the scouted card, as it goes into the hand
    BEST_BEATEN                    # how likely another beats the strongest set of the hand after it
    SECOND                         # longest set of the hand without that one
    SINGLES                        # pieces of one card
    BEST_LOW                       # smallest number of the strongest set

cdef enum:
    NUMBERS_SEEN = 12              # 1 to 11
    LENGTHS = 12                   # of sets whose chances are counted; longer ones are never beaten
    MANY = MAX_OPTIONS - 8         # Shows
    FAR = 8 * POINT                # of more Shows than that those so far behind the best option are left out


ctypedef struct chances_t:
    # By how often a number is among the cards not seen, an end of a card each, and how often so many in a row: the
    # chance that cards in a row are a set of this size with a smallest number above that.
    float group[LENGTHS + 1][NUMBERS_SEEN]
    float run[LENGTHS + 1][NUMBERS_SEEN]


cdef const net_t* learnt_net(const rules_t* g) noexcept nogil:
    """The constants that are shipped."""
    return <const net_t*> &SCOUT_LEARNT[g.players - 2][0]


cdef inline float points(int32_t worth) noexcept nogil:
    return <float> worth / <float> POINT


# ----------------------------------------------------------------------------------------------
# Chances

cdef int count_unseen(const rules_t* g, const state_t* s, int* of_number) noexcept nogil:
    """How many ends of cards that the seat to decide has not seen have each number; the number of those cards."""
    cdef uint8_t table[64]
    cdef uint64_t seen = s.gone | s.out | s.left[s.mover]
    cdef int i, n = 0
    for i in range(s.seat[s.mover].cards):
        seen |= <uint64_t> 1 << g.index[hand_card(&s.seat[s.mover].hand, i)]
    for i in range(active_cards(s, table)):
        seen |= <uint64_t> 1 << g.index[table[i]]
    for i in range(NUMBERS_SEEN):
        of_number[i] = 0
    for i in range(g.deck):
        if not seen >> i & 1:
            of_number[g.cards[i] & 15] += 1
            of_number[g.cards[i] >> 4] += 1
            n += 1
    return n


cdef void fill_chances(const int* of_number, int unseen, chances_t* c) noexcept nogil:
    cdef float share[NUMBERS_SEEN + 1]
    cdef float same[NUMBERS_SEEN + 1]
    cdef float steps[NUMBERS_SEEN + 1]
    cdef int size, number
    share[NUMBERS_SEEN] = 0
    for number in range(NUMBERS_SEEN):
        share[number] = <float> of_number[number] / <float> (2 * unseen if unseen else 1)
        same[number] = steps[number] = 1
    for size in range(1, LENGTHS + 1):
        for number in range(1, NUMBERS_SEEN):
            same[number] *= share[number]
            steps[number] *= share[number + size - 1] if number + size <= NUMBERS_SEEN else 0
        c.group[size][NUMBERS_SEEN - 1] = c.run[size][NUMBERS_SEEN - 1] = 0
        for number in range(NUMBERS_SEEN - 1, 0, -1):
            c.group[size][number - 1] = c.group[size][number] + same[number]
            # rising or falling
            c.run[size][number - 1] = c.run[size][number] + (2 * steps[number] if size > 1 else 0)


cdef inline float beaten(const chances_t* c, int code) noexcept nogil:
    """The chance that so many cards in a row as a set has, or one more, beat it."""
    cdef int size = code >> 8, low = code & 15
    cdef float chance = 0
    if size >= LENGTHS:
        return 0
    if code & 16:
        chance = c.group[size][low]
    elif size:
        chance = c.group[size][0] + c.run[size][low]
    return chance + c.group[size + 1][0] + c.run[size + 1][0]


cdef inline int places(int cards, int size) noexcept nogil:
    """Where in a hand a set of a size may stand."""
    return max(0, cards - size + 1)


cdef inline float likely_of(float chance, int places) noexcept nogil:
    """A number of 0 to 1 that grows with the number of such sets to be expected; their odds, as a rough chance."""
    cdef float expected = chance * <float> places
    return expected / (1 + expected)


cdef int others_places(const rules_t* g, const state_t* s, int size) noexcept nogil:
    cdef int q, total = 0
    for q in range(g.players):
        if q != s.mover:
            total += places(s.seat[q].cards, size)
    return total


# ----------------------------------------------------------------------------------------------
# Features

cdef int pieces(const row_t* r, int* singles) noexcept nogil:
    """The least number of sets that a row falls into, and how many are of one card: each as long as it may be, since
    a part of a set is a set."""
    cdef int i, relation = 0, size = 0, count = 0
    singles[0] = 0
    for i in range(r.n):
        relation &= r.relation[EDGE + i]
        if relation == 0:
            singles[0] += size == 1
            count += 1
            size = 0
            relation = EQUAL | HIGHER | LOWER
        size += 1
    singles[0] += size == 1
    return count


cdef int strongest_set(const hand_t* h, int n, const uint64_t* starts, int longest, int* first) noexcept nogil:
    """The code of the strongest of the longest sets of a hand, and where it stands."""
    cdef pairs_t pairs = hand_pairs(h, n)
    cdef uint64_t mask = starts[longest]
    cdef int i, code, best = 0
    while mask:
        i = lowest(mask)
        mask &= mask - 1
        code = set_code(set_at(h, &pairs, i, longest))
        if code > best:
            best = code
            first[0] = i
    return best


cdef void after(
    const rules_t* g, const state_t* s, const plan_t* p, const chances_t* chances, const hand_t* h, int n, int code,
    float* f
) noexcept nogil:
    """Features of the hand after an option, n cards, and of the set then on the table."""
    cdef uint64_t starts[MAX_HAND + 1]
    cdef hand_t rest, shown
    cdef row_t r
    cdef int size, longest, best, first = 0, count = 0, singles, on_table = code >> 8
    cdef float chance = beaten(chances, code)
    f[CARDS] = n
    f[NEXT_BEATS] = likely_of(chance, places(s.seat[(s.mover + 1) % g.players].cards, on_table))
    f[ONE_BEATS] = likely_of(chance, others_places(g, s, on_table))
    if n == 0:
        f[GROWTH] = points(-p.row.before[EDGE + p.row.n])
        f[LONGER] = -on_table
        f[LONGEST] = f[SETS] = f[PIECES] = f[SINGLES] = f[READY] = f[BEST_BEATEN] = f[SECOND] = f[BEST_LOW] = 0
        return
    load_row(p.w, h, n, False, &r)
    fill_before(p.w, &r)
    f[GROWTH] = points(r.before[EDGE + n] - p.row.before[EDGE + p.row.n])
    f[PIECES] = pieces(&r, &singles)
    f[SINGLES] = singles
    longest = beating_starts(h, n, 0, starts)
    for size in range(1, longest + 1):
        count += popcount(starts[size])
    f[LONGEST] = longest
    f[SETS] = count
    f[LONGER] = longest - on_table
    f[READY] = has_beating(h, n, code)
    best = strongest_set(h, n, starts, longest, &first)
    f[BEST_BEATEN] = likely_of(beaten(chances, best), others_places(g, s, longest))
    f[BEST_LOW] = best & 15
    f[SECOND] = 0
    if longest < n:
        hand_copy(h, &rest)
        hand_take(&rest, first, longest, &shown)
        f[SECOND] = beating_starts(&rest, n - longest, 0, starts)


cdef void after_show(
    const rules_t* g, const state_t* s, const plan_t* p, const chances_t* chances, const row_t* r, const hand_t* hand,
    const show_t* show, int taken, float* f
) noexcept nogil:
    """Features of a Show from a row."""
    cdef int last = show.start + show.length - 1
    cdef int low = min(r.number[EDGE + show.start], r.number[EDGE + last])
    cdef bint group = r.number[EDGE + show.start] == r.number[EDGE + last]
    cdef hand_t left, shown
    f[TAKEN] = taken
    f[SIZE] = show.length
    f[RUN] = 0 if group else show.length
    f[LOW] = low
    f[ENDS] = show.length == r.n
    hand_copy(hand, &left)
    hand_take(&left, show.start, show.length, &shown)
    after(g, s, p, chances, &left, r.n - show.length, strength_code(show.length, group, low), f)


cdef void after_scout(
    const rules_t* g, const state_t* s, const plan_t* p, const chances_t* chances, int block, int place, bint both,
    float* f
) noexcept nogil:
    """Features of a Scout, or of a Scout & Show that shows what planning would."""
    cdef set_t rest = set_cut(s.active, block >> 1)
    cdef show_t shows[MAX_SHOWS]
    cdef hand_t grown
    cdef row_t r
    cdef int i, n, best = 0
    f[NUMBER] = p.number[block]
    hand_copy(&s.seat[s.mover].hand, &grown)
    hand_insert(&grown, place, p.number[block])
    if not both:
        f[TAKEN] = f[SIZE] = f[RUN] = f[LOW] = 0
        f[ENDS] = not g.two and s.row + 1 == g.players - 1 and (rest.size > 0 or g.ends_on_emptying)
        after(g, s, p, chances, &grown, p.places, set_code(rest), f)
        return
    load_row(p.w, &grown, p.places, False, &r)
    fill_before(p.w, &r)
    fill_after(p.w, &r)
    n = list_shows(p.w, &r, &grown, set_code(rest), p.last, shows)
    for i in range(1, n):
        if shows[i].worth > shows[best].worth:
            best = i
    after_show(g, s, p, chances, &r, &grown, &shows[best], rest.size, f)


cdef void look_about(const rules_t* g, const state_t* s, const plan_t* p, int unseen, float* f) noexcept nogil:
    """Features of the position, the same for all options."""
    cdef int me = s.mover
    cdef int following = (me + 1) % g.players
    cdef int code = set_code(s.active), taken = 0, singles, q
    cdef uint64_t starts[MAX_HAND + 1]
    for q in range(g.players):
        taken += s.seat[q].taken
    f[0] = s.both_left >> me & 1
    f[1] = popcount(s.both_left) - (s.both_left >> me & 1)
    f[2] = p.others.least
    f[3] = s.seat[following].cards
    f[4] = s.active.size
    f[5] = 0 if s.owner < 0 else (s.owner - me + g.players) % g.players
    f[6] = s.seat[me].cards
    f[7] = scouts_since(g, s) if s.active.size else 0
    f[8] = code & 15
    f[9] = s.active.size > 1 and not code & 16
    f[10] = 0 if s.owner < 0 else s.seat[s.owner].cards
    f[11] = points(p.row.before[EDGE + p.row.n])
    f[12] = p.others.total
    f[13] = s.seat[me].chips
    f[14] = s.seat[following].chips
    f[15] = s.seat[(me + g.players - 1) % g.players].cards
    f[16] = pieces(&p.row, &singles)
    f[17] = beating_starts(&s.seat[me].hand, s.seat[me].cards, 0, starts)
    f[18] = s.both_left >> following & 1
    f[19] = unseen
    f[20] = taken
    f[21] = s.seat[(me + 2) % g.players].cards
    f[22] = singles
    f[23] = p.shows


cdef void look(const rules_t* g, const state_t* s, choice_t* c) noexcept nogil:
    """The options of a turn and their features."""
    cdef plan_t p
    cdef chances_t chances
    cdef int of_number[NUMBERS_SEEN]
    cdef int32_t best = NO_WORTH
    cdef int i, both, b, place, unseen = count_unseen(g, s, of_number)
    cdef const int32_t* worths
    cdef int at[2][4]
    cdef float* f
    plan(g, s, tuned(g), &p)
    fill_chances(of_number, unseen, &chances)
    look_about(g, s, &p, unseen, c.of_position)
    for i in range(p.shows):
        best = max(best, p.show[i].worth)
    for both in range(1 + p.both):
        for b in range(p.blocks):
            worths = &p.scout_and_show[b][0] if both else &p.scout[b][0]
            at[both][b] = 0
            for place in range(1, p.places):
                if worths[place] > worths[at[both][b]]:
                    at[both][b] = place
            best = max(best, worths[at[both][b]])
    c.n = 0
    for i in range(p.shows):
        if p.shows > MANY and p.show[i].worth < best - FAR:
            continue
        if c.n == MANY:
            break
        f = c.of_option[c.n]
        c.action[c.n] = show_id(g, &p, i)
        f[GAP] = points(p.show[i].worth - best)
        f[SHOWS] = 1
        f[SCOUTS] = f[DOES_BOTH] = f[NUMBER] = 0
        after_show(g, s, &p, &chances, &p.row, &s.seat[s.mover].hand, &p.show[i], s.active.size, f)
        c.n += 1
    for both in range(1 + p.both):
        for b in range(p.blocks):
            place = at[both][b]
            worths = &p.scout_and_show[b][0] if both else &p.scout[b][0]
            if worths[place] == NO_WORTH:
                continue
            f = c.of_option[c.n]
            c.action[c.n] = scout_id(g, g.first_both if both else g.first_scout, b, place)
            f[GAP] = points(worths[place] - best)
            f[SHOWS] = 0
            f[SCOUTS] = not both
            f[DOES_BOTH] = both
            after_scout(g, s, &p, &chances, b, place, both, f)
            c.n += 1


# ----------------------------------------------------------------------------------------------
# The net

cdef inline void begin(const net_t* net, const float* of_position, float* base) noexcept nogil:
    """What the position adds to the hidden units."""
    cdef int j, k
    for j in range(HIDDEN):
        base[j] = net.bias[j]
    for k in range(POSITION_FEATURES):
        for j in range(HIDDEN):
            base[j] += of_position[k] * net.position[k][j]


cdef inline float total(const net_t* net, const float* base, const float* of_option) noexcept nogil:
    """The score of an option."""
    cdef float unit[HIDDEN]
    cdef float part[4]
    cdef float score = 0
    cdef int j, k
    for j in range(HIDDEN):
        unit[j] = base[j]
    for k in range(OPTION_FEATURES):
        for j in range(HIDDEN):
            unit[j] += of_option[k] * net.option[k][j]
        score += of_option[k] * net.direct[k]
    for j in range(HIDDEN):
        unit[j] = net.out[j] * unit[j] if unit[j] > 0 else 0
    # four sums at once, so that they need not wait for each other
    for j in range(4):
        part[j] = unit[j]
    for k in range(4, HIDDEN, 4):
        for j in range(4):
            part[j] += unit[k + j]
    return score + ((part[0] + part[1]) + (part[2] + part[3]))


cdef int best_option(const net_t* net, const choice_t* c) noexcept nogil:
    """The option of the greatest score; of equals the first."""
    cdef float base[HIDDEN]
    cdef float score, most = 0
    cdef int i, best = 0
    begin(net, c.of_position, base)
    for i in range(c.n):
        score = total(net, base, c.of_option[i])
        if i == 0 or score > most:
            most = score
            best = i
    return best


# ----------------------------------------------------------------------------------------------
# Play

cdef int32_t learnt(const rules_t* g, const state_t* s, const net_t* net, rng_t* rng) noexcept nogil:
    """What the rule plays; keep or turn, and the Show of a Scout & Show, as planning does."""
    cdef choice_t c
    if s.phase != TURN:
        return planning(g, s, tuned(g), rng)
    look(g, s, &c)
    return c.action[best_option(net, &c)]


cdef inline int block_of(const rules_t* g, int32_t action) noexcept nogil:
    """Which card goes into the hand, which side up, and whether to show after it: 0 to 7; -1 for a Show."""
    cdef int i = action - (g.first_both if action >= g.first_both else g.first_scout)
    return -1 if i < 0 else 4 * (action >= g.first_both) + 2 * ((i >> 1) // g.in_play) + (i & 1)


cdef void learnt_scores(
    const rules_t* g, const state_t* s, const int32_t* actions, int n, double* worths
) noexcept nogil:
    """Scores of the legal actions of a turn in place of their worths to planning.

    Places that the rule does not look at score as much less than the one it does as they are worth less.
    """
    cdef const net_t* net = learnt_net(g)
    cdef choice_t c
    cdef float base[HIDDEN]
    cdef double behind[8]
    cdef double score
    cdef int i, j = 0, b
    for b in range(8):
        behind[b] = 0
    look(g, s, &c)
    begin(net, c.of_position, base)
    # Both lists have the Shows first, in the same order; so it is with the ones after.
    for i in range(n):
        b = block_of(g, actions[i])
        if b >= 0:
            break
        if j < c.n and c.action[j] == actions[i]:
            worths[i] = total(net, base, c.of_option[j])
            j += 1
        else:
            worths[i] -= 2 * FAR / POINT
    for j in range(j, c.n):
        for i in range(n):
            if actions[i] == c.action[j]:
                score = total(net, base, c.of_option[j])
                behind[block_of(g, actions[i])] = score - worths[i]
                break
    for i in range(n):
        b = block_of(g, actions[i])
        if b >= 0:
            worths[i] += behind[b]


# ----------------------------------------------------------------------------------------------
# What comes of choices

cdef double learnt_margin(const rules_t* g, state_t s, const net_t* net, rng_t chance, int seat) noexcept nogil:
    """The margin of a seat that plays on by the rule, planning in the others; state and chance are copies."""
    cdef double out[MAX_SEATS]
    while s.phase != OVER:
        apply(g, &s, learnt(g, &s, net, &chance) if s.mover == seat else planning(g, &s, tuned(g), &chance))
    payoffs(g, &s, MARGIN, out)
    return out[seat]


cdef void try_all(
    const rules_t* g, const state_t* s, const net_t* net, int seat, rng_t* rng, const choice_t* c, float* margins
) noexcept nogil:
    """What comes of each option, all by the same chances."""
    cdef state_t branch
    cdef rng_t chance
    cdef int i
    rng_fork(rng, &chance)
    for i in range(c.n):
        branch = s[0]
        apply(g, &branch, c.action[i])
        margins[i] = <float> learnt_margin(g, branch, net, chance, seat)


cdef int next_lesson(
    const rules_t* g, state_t* s, const net_t* net, int seat, double explore, rng_t* rng, choice_t* c, float* margins
) noexcept nogil:
    """Play on up to and past a turn of a seat, one in three of those with a choice; the number of its options, which
    stand in `c` and what came of them in `margins`, or 0 if the round ended before."""
    cdef int best, taken = 0
    while s.phase != OVER and not taken:
        if s.mover != seat or s.phase != TURN:
            apply(g, s, planning(g, s, tuned(g), rng))
            continue
        look(g, s, c)
        best = best_option(net, c)
        if c.n > 1 and rng_below(rng, 3) == 0:
            try_all(g, s, net, seat, rng, c, margins)
            taken = c.n
        if explore > 0 and rng_double(rng) < explore:
            best = <int> rng_below(rng, c.n)
        apply(g, s, c.action[best])
    return taken
