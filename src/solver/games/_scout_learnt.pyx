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
    MAX_HAND, hand_copy, hand_insert, hand_pairs, hand_t, lengthen, low_bits, lowest, mask_insert, mask_remove, pairs_t,
    popcount, rng_below, rng_double, rng_fork, rng_t, set_code, set_cut, set_t, strength_code, transpose8,
)
from solver.games._scout cimport (
    MARGIN, MAX_SEATS, OVER, TURN, active_cards, apply, payoffs, rules_t, scouts_since, state_t,
)
from solver.games._scout_policy cimport (
    MAX_SHOWS, list_shows, plan, plan_t, planning, scout_id, show_id, show_t, tuned,
)
from solver.games._scout_rows cimport (
    EDGE, EQUAL, HIGHER, LOWER, NO_WORTH, POINT, fill_after, fill_before, load_row, row_t, weights_t, with_card,
    without,
)


cdef extern from "games/_scout_net.h" nogil:
    void net_add "scout_net_add"(
        const float* base, const float* weight, const float* feature, int n, float* units) noexcept
    float net_fold "scout_net_fold"(const float* units, const float* out) noexcept


cdef extern from "games/_scout_ahead.h" nogil:
    ctypedef struct scout_row:
        pass
    void read_hand "scout_read_hand"(scout_row* row, const uint8_t* number, int n) noexcept
    void look_ahead "scout_ahead"(
        scout_row* row, const uint8_t* number, int n, int kept, int* shows, int* singles, int* best) noexcept


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
    SHOWS_LEFT                     # least Shows that empty the hand after it
    SINGLES_LEFT                   # ... of one card
    NEXT_LONGEST                   # set that there may be after one such Show, or before
    NEXT_BEATEN                    # how likely another beats it
    LAST_LONGEST                   # ... after two
    LAST_BEATEN

cdef enum:
    NUMBERS_SEEN = 12              # 1 to 11
    LENGTHS = 12                   # of sets whose chances are counted; longer ones are never beaten
    MANY = MAX_OPTIONS - 8         # Shows
    FAR = 8 * POINT                # of more Shows than that those so far behind the best option are left out


ctypedef struct outlook_t:
    # What all options of a turn have in common.
    scout_row hand                 # of the seat to decide, read for what comes together
    # By how often a number is among the cards not seen, an end of a card each, and how often so many in a row: the
    # chance that cards in a row are a set of this size with a smallest number above that. They are counted for sizes
    # up to one, and for more when they are asked for.
    int counted
    float share[NUMBERS_SEEN + LENGTHS]
    float same[NUMBERS_SEEN]
    float steps[NUMBERS_SEEN]
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
    cdef uint64_t cards, hidden
    cdef int i, _i, block, n = 0
    for block in range(0, s.seat[s.mover].cards, 8):
        # eight cards, a bit each in eight planes, become a byte each
        cards = 0
        for i in range(8):
            cards |= (s.seat[s.mover].hand.plane[i] >> block & 255) << (8 * i)
        cards = transpose8(cards)
        for _i in range(min(8, s.seat[s.mover].cards - block)):
            seen |= <uint64_t> 1 << g.index[cards & 255]
            cards >>= 8
    for i in range(active_cards(s, table)):
        seen |= <uint64_t> 1 << g.index[table[i]]
    for i in range(NUMBERS_SEEN):
        of_number[i] = 0
    hidden = low_bits(g.deck) & ~seen
    while hidden:
        i = lowest(hidden)
        hidden &= hidden - 1
        of_number[g.cards[i] & 15] += 1
        of_number[g.cards[i] >> 4] += 1
        n += 1
    return n


cdef void begin_chances(const int* of_number, int unseen, outlook_t* c) noexcept nogil:
    cdef int number
    cdef float ends = 2 * unseen if unseen else 1
    c.counted = 0
    for number in range(NUMBERS_SEEN, NUMBERS_SEEN + LENGTHS):
        c.share[number] = 0
    for number in range(NUMBERS_SEEN):
        c.share[number] = <float> of_number[number] / ends
        c.same[number] = c.steps[number] = 1


cdef void count_chances(int size, outlook_t* c) noexcept nogil:
    """... of sets up to a size."""
    cdef int number
    cdef float factor
    while c.counted < size:
        c.counted += 1
        for number in range(1, NUMBERS_SEEN):
            c.same[number] *= c.share[number]
            c.steps[number] *= c.share[number + c.counted - 1]
        factor = 2 if c.counted > 1 else 0         # rising or falling
        c.group[c.counted][NUMBERS_SEEN - 1] = c.run[c.counted][NUMBERS_SEEN - 1] = 0
        for number in range(NUMBERS_SEEN - 1, 0, -1):
            c.group[c.counted][number - 1] = c.group[c.counted][number] + c.same[number]
            c.run[c.counted][number - 1] = c.run[c.counted][number] + factor * c.steps[number]


cdef inline float beaten(outlook_t* c, int code) noexcept nogil:
    """The chance that so many cards in a row as a set has, or one more, beat it."""
    cdef int size = code >> 8, low = code & 15
    cdef float chance = 0
    if size >= LENGTHS:
        return 0
    if c.counted <= size:
        count_chances(size + 1, c)
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

cdef struct left_t:
    # The hand that an option leaves: a row without a set, or with a card more, and where its neighbours make sets.
    int n
    pairs_t pairs
    const uint8_t* number          # of the cards of the row
    int at                         # where the set was, or the card is
    int further                    # how much further on in the row the numbers behind that stand
    int card                       # the number that is put in; 0 if a set is taken out
    int kept                       # of the hand's cards behind all changes, also before a Show that follows a Scout


cdef inline int number_at(const left_t* h, int place) noexcept nogil:
    if place < h.at:
        return h.number[place]
    if h.card and place == h.at:
        return h.card
    return h.number[place + h.further]


cdef inline void relate(pairs_t* pairs, int place, int relation) noexcept nogil:
    """What sets a card and the next one make."""
    cdef uint64_t bit = <uint64_t> 1 << place
    pairs.same = pairs.same & ~bit | (bit if relation & EQUAL else 0)
    pairs.up = pairs.up & ~bit | (bit if relation & HIGHER else 0)
    pairs.down = pairs.down & ~bit | (bit if relation & LOWER else 0)


cdef inline pairs_t without_set(const pairs_t* pairs, int start, int length, int relation) noexcept nogil:
    """Neighbours of a row without a set; those to its left and right now stand in this relation."""
    cdef pairs_t result
    result.same = mask_remove(pairs.same, start, length)
    result.up = mask_remove(pairs.up, start, length)
    result.down = mask_remove(pairs.down, start, length)
    if start:
        relate(&result, start - 1, relation)
    return result


cdef inline void take_out(
    const weights_t* w, const row_t* r, const pairs_t* pairs, int start, int length, left_t* h
) noexcept nogil:
    h.n = r.n - length
    h.number = &r.number[EDGE]
    h.at = start
    h.further = length
    h.card = 0
    h.kept = r.n - start - length
    h.pairs = without_set(pairs, start, length, w.relation[r.number[EDGE + start - 1]][r.number[EDGE + start + length]])


cdef inline void put_in(
    const weights_t* w, const row_t* r, const pairs_t* pairs, int place, int number, left_t* h
) noexcept nogil:
    h.n = r.n + 1
    h.number = &r.number[EDGE]
    h.at = place
    h.further = -1
    h.card = number
    h.kept = r.n - place
    h.pairs.same = mask_insert(pairs.same, place, 0)
    h.pairs.up = mask_insert(pairs.up, place, 0)
    h.pairs.down = mask_insert(pairs.down, place, 0)
    if place:
        relate(&h.pairs, place - 1, w.relation[r.number[EDGE + place - 1]][number])
    relate(&h.pairs, place, w.relation[number][r.number[EDGE + place]])


cdef inline int pieces(const pairs_t* pairs, int n, int* singles) noexcept nogil:
    """The least number of sets that a row falls into, and how many are of one card: each as long as it may be, since
    a part of a set is a set."""
    cdef int i = 0, size, count = 0
    cdef uint64_t of_kind
    singles[0] = 0
    while i < n:
        # two neighbours make sets of one kind at most
        of_kind = pairs.same >> i
        if not of_kind & 1:
            of_kind = pairs.up >> i
        if not of_kind & 1:
            of_kind = pairs.down >> i
        size = 1 + lowest(~of_kind)
        singles[0] += size == 1
        count += 1
        i += size
    return count


cdef inline int longest_set(pairs_t pairs) noexcept nogil:
    """Cards of the longest set of a row that is not empty."""
    cdef int size = 1
    while pairs.same | pairs.up | pairs.down:
        size += 1
        lengthen(&pairs)
    return size


cdef inline int strongest_set(const left_t* h, const pairs_t* longest, int size, int* first) noexcept nogil:
    """The code of the strongest of the longest sets of a hand, which start at these places, and where it stands."""
    cdef bint group = size == 1 or longest.same
    cdef uint64_t mask = low_bits(h.n) if size == 1 else longest.same if longest.same else longest.up | longest.down
    cdef int i, low, best = 0
    while mask:
        i = lowest(mask)
        mask &= mask - 1
        low = number_at(h, i + (size - 1 if not group and longest.down >> i & 1 else 0))
        if low > best:
            best = low
            first[0] = i
    return strength_code(size, group, best)


cdef inline void ahead(
    const rules_t* g, const state_t* s, outlook_t* outlook, const left_t* h, float* f
) noexcept nogil:
    """Features of what comes of the hand that an option leaves if nothing is put into it."""
    cdef uint8_t number[MAX_HAND]
    cdef int shows, singles, i
    cdef int best[3]
    for i in range(h.n):
        number[i] = <uint8_t> number_at(h, i)
    look_ahead(&outlook.hand, number, h.n, h.kept, &shows, &singles, best)
    f[SHOWS_LEFT] = shows
    f[SINGLES_LEFT] = singles
    f[NEXT_LONGEST] = best[1] >> 5
    f[NEXT_BEATEN] = likely_of(beaten(outlook, (best[1] >> 5) << 8 | best[1] & 31), others_places(g, s, best[1] >> 5))
    f[LAST_LONGEST] = best[2] >> 5
    f[LAST_BEATEN] = likely_of(beaten(outlook, (best[2] >> 5) << 8 | best[2] & 31), others_places(g, s, best[2] >> 5))


cdef void after(
    const rules_t* g, const state_t* s, const weights_t* w, outlook_t* outlook, const left_t* h, int32_t growth,
    int code, float* f
) noexcept nogil:
    """Features of the hand that an option leaves, and of the set then on the table."""
    cdef pairs_t longer = h.pairs, rest, longest = h.pairs
    cdef int size = 1, best, first = 0, count = h.n, singles = 0, on_table = code >> 8
    cdef float chance = beaten(outlook, code)
    f[GROWTH] = points(growth)
    f[CARDS] = h.n
    f[NEXT_BEATS] = likely_of(chance, places(s.seat[(s.mover + 1) % g.players].cards, on_table))
    f[ONE_BEATS] = likely_of(chance, others_places(g, s, on_table))
    if h.n == 0:
        f[LONGER] = -on_table
        f[LONGEST] = f[SETS] = f[PIECES] = f[SINGLES] = f[READY] = f[BEST_BEATEN] = f[SECOND] = f[BEST_LOW] = 0
        f[SHOWS_LEFT] = f[SINGLES_LEFT] = f[NEXT_LONGEST] = f[NEXT_BEATEN] = f[LAST_LONGEST] = f[LAST_BEATEN] = 0
        return
    while longer.same | longer.up | longer.down:
        count += popcount(longer.same | longer.up | longer.down)
        size += 1
        longest = longer
        lengthen(&longer)
    best = strongest_set(h, &longest, size, &first)
    f[PIECES] = pieces(&h.pairs, h.n, &singles)
    f[SINGLES] = singles
    f[LONGEST] = size
    f[SETS] = count
    f[LONGER] = size - on_table
    f[READY] = best > code
    f[BEST_BEATEN] = likely_of(beaten(outlook, best), others_places(g, s, size))
    f[BEST_LOW] = best & 15
    f[SECOND] = 0
    if size < h.n:
        rest = without_set(&h.pairs, first, size, w.relation[number_at(h, first - 1)][
            number_at(h, first + size)] if first and first + size < h.n else 0)
        f[SECOND] = longest_set(rest)
    ahead(g, s, outlook, h, f)


cdef void after_show(
    const rules_t* g, const state_t* s, const plan_t* p, outlook_t* outlook, const row_t* r, const pairs_t* pairs,
    const show_t* show, int taken, int kept, float* f
) noexcept nogil:
    """Features of a Show from a row, which is the hand or the hand with a scouted card before the last `kept`."""
    cdef int end = show.start + show.length
    cdef int low = min(r.number[EDGE + show.start], r.number[EDGE + end - 1])
    cdef bint group = r.number[EDGE + show.start] == r.number[EDGE + end - 1]
    cdef int32_t worth = 0 if show.length == r.n else without(p.w, r, show.start, end)
    cdef left_t left
    f[TAKEN] = taken
    f[SIZE] = show.length
    f[RUN] = 0 if group else show.length
    f[LOW] = low
    f[ENDS] = show.length == r.n
    take_out(p.w, r, pairs, show.start, show.length, &left)
    left.kept = min(left.kept, kept)
    after(g, s, p.w, outlook, &left, worth - p.row.before[EDGE + p.row.n], strength_code(show.length, group, low), f)


cdef void after_scout(
    const rules_t* g, const state_t* s, const plan_t* p, const pairs_t* pairs, outlook_t* outlook, int block, int place,
    bint both, float* f
) noexcept nogil:
    """Features of a Scout, or of a Scout & Show that shows what planning would."""
    cdef set_t rest = set_cut(s.active, block >> 1)
    cdef show_t shows[MAX_SHOWS]
    cdef left_t left
    cdef hand_t grown
    cdef row_t r
    cdef int i, n, best = 0
    f[NUMBER] = p.number[block]
    put_in(p.w, &p.row, pairs, place, p.number[block], &left)
    if not both:
        f[TAKEN] = f[SIZE] = f[RUN] = f[LOW] = 0
        f[ENDS] = not g.two and s.row + 1 == g.players - 1 and (rest.size > 0 or g.ends_on_emptying)
        after(g, s, p.w, outlook, &left, with_card(p.w, &p.row, place, p.number[block]) - p.row.before[EDGE + p.row.n],
              set_code(rest), f)
        return
    hand_copy(&s.seat[s.mover].hand, &grown)
    hand_insert(&grown, place, p.number[block])
    load_row(p.w, &grown, p.places, False, &r)
    fill_before(p.w, &r)
    fill_after(p.w, &r)
    n = list_shows(p.w, &r, &grown, set_code(rest), p.last, shows)
    for i in range(1, n):
        if shows[i].worth > shows[best].worth:
            best = i
    after_show(g, s, p, outlook, &r, &left.pairs, &shows[best], rest.size, p.row.n - place, f)


cdef void look_about(
    const rules_t* g, const state_t* s, const plan_t* p, const pairs_t* pairs, int unseen, float* f
) noexcept nogil:
    """Features of the position, the same for all options."""
    cdef int me = s.mover
    cdef int following = (me + 1) % g.players
    cdef int code = set_code(s.active), taken = 0, singles, q
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
    f[16] = pieces(pairs, p.row.n, &singles)
    f[17] = longest_set(pairs[0])
    f[18] = s.both_left >> following & 1
    f[19] = unseen
    f[20] = taken
    f[21] = s.seat[(me + 2) % g.players].cards
    f[22] = singles
    f[23] = p.shows


cdef void look(const rules_t* g, const state_t* s, choice_t* c) noexcept nogil:
    """The options of a turn and their features."""
    cdef plan_t p
    cdef pairs_t pairs
    cdef outlook_t outlook
    cdef int of_number[NUMBERS_SEEN]
    cdef int32_t best = NO_WORTH
    cdef int i, both, b, place, unseen = count_unseen(g, s, of_number)
    cdef const int32_t* worths
    cdef int at[2][4]
    cdef float* f
    plan(g, s, tuned(g), &p)
    pairs = hand_pairs(&s.seat[s.mover].hand, p.row.n)
    begin_chances(of_number, unseen, &outlook)
    read_hand(&outlook.hand, &p.row.number[EDGE], p.row.n)
    look_about(g, s, &p, &pairs, unseen, c.of_position)
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
        after_show(g, s, &p, &outlook, &p.row, &pairs, &p.show[i], s.active.size, p.row.n, f)
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
            after_scout(g, s, &p, &pairs, &outlook, b, place, both, f)
            c.n += 1


# ----------------------------------------------------------------------------------------------
# The net

cdef inline void begin(const net_t* net, const float* of_position, float* base) noexcept nogil:
    """What the position adds to the hidden units."""
    net_add(net.bias, &net.position[0][0], of_position, POSITION_FEATURES, base)


cdef inline float total(const net_t* net, const float* base, const float* of_option) noexcept nogil:
    """The score of an option."""
    cdef float units[HIDDEN]
    cdef float score = 0
    cdef int k
    net_add(base, &net.option[0][0], of_option, OPTION_FEATURES, units)
    for k in range(OPTION_FEATURES):
        score += of_option[k] * net.direct[k]
    return score + net_fold(units, net.out)


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
