# cython: language_level=3
"""Fixed play of SCOUT over plain data: the planning agent.

What a hand is worth is the best way to cut its row into sets, each worth by
its kind, size and smallest number; a move is worth the cards it takes, the worth of the hand it
leaves and the chance that the set comes back. The constants are tuned for each number of players.
To decide it reads the hand of the seat to decide and what is public, nothing else.
"""
from libc.math cimport floor
from libc.stdint cimport int32_t, uint64_t

from solver._core cimport (
    MAX_HAND, beating_starts, hand_card, hand_t, likely, low_bits, lowest, rng_below, rng_fork, rng_t, set_code,
    set_cut, set_end, set_t, tops_equal,
)
from solver.games._scout cimport (
    CHOOSING, MAX_DECK, MAX_SEATS, OVER, TURN, Payoff, apply, derive_payoffs, may_scout, new_round, rules_t,
    scouts_since, seat_t, state_t,
)
from solver.games._scout_rows cimport (
    EDGE, EQUAL, HIGHER, LOWER, NO_WORTH, NUMBERS, POINT, SIZES, fill_after, fill_before, load_row, row_t,
    row_worth, shown_by, size_at, weights_t, with_card, without,
)


cdef enum:
    CONSTANTS = 27
    FEATURES = 8

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


# By number of players, 2 to 5: what the rest of a round brings a seat, by least squares on planning's play against
# itself (experiments/value-function): always | for each feature of the seat | for the mean of the others' features.
cdef double[4][1 + 2 * FEATURES] VALUE = [
    [-1.3751, 0.2864, 0.1623, 0.1669, -0.1739, -0.1329, 0, 0, -0.8862,
     -0.2505, 0.1669, 0.1623, 0.621, -0.1049, 0, 0, -0.489],
    [1.1069, 1.3953, 0.338, -0.2216, -2.4216, 0.4276, 2.1651, 3.2233, 0.2379,
     -0.9334, -0.6806, 0.5176, 5.2145, -3.5764, -7.3661, -0.1547, 1.5413],
    [0.0404, 0.9948, 0.4127, -0.0753, -1.7952, 0.479, 0.8776, 2.5588, -0.1891,
     -0.7904, -0.3753, 0.2953, 5.6064, -2.7604, -5.8765, 0.3161, 0.1439],
    [-0.4284, 0.7853, 0.2841, -0.1665, -1.2355, 0.6831, 0.5939, 2.0126, -0.344,
     -1.0868, -0.2983, 0.5789, 4.9803, -0.823, -2.7616, -0.9606, -0.9851],
]


cdef weights_t[4] TABLES           # by number of players


def _fill_tables():
    cdef int p
    for p in range(4):
        fill_weights(&TUNED[p][0], &TABLES[p])


cdef inline int32_t units(double points) noexcept nogil:
    return <int32_t> floor(points * POINT + 0.5)


cdef void fill_weights(const double* c, weights_t* w) noexcept nogil:
    """The tables of a set of constants."""
    cdef int size, number, right, relation
    for size in range(SIZES):
        for number in range(NUMBERS):
            if size < 2:
                w.worth[0][size][number] = w.worth[1][size][number] = units(c[0] + c[1] * (number - 5))
                w.held[0][size][number] = w.held[1][size][number] = units(c[12] + c[13] * (number - 5))
                continue
            w.worth[0][size][number] = units(c[2 + min(size, 5) - 2] + c[6] * (number - 5))
            w.worth[1][size][number] = units(c[7 + min(size, 5) - 2] + c[11] * (number - 5))
            w.held[0][size][number] = units(c[14 + min(size, 4) - 2] + c[21] * (number - 5))
            w.held[1][size][number] = units(c[17 + min(size, 5) - 2] + c[21] * (number - 5))
    for number in range(NUMBERS):
        for right in range(NUMBERS):
            w.relation[number][right] = relation = 0 if number * right == 0 else (
                EQUAL * (right == number) + HIGHER * (right == number + 1) + LOWER * (right == number - 1))
            w.pair[number][right] = w.worth[relation != EQUAL][2][min(number, right)] if relation else NO_WORTH
    w.scout = units(c[22])
    w.both = units(c[23])
    w.finish = units(c[24])
    w.small_hand = units(c[25])
    w.row = units(c[26])


_fill_tables()


cdef const weights_t* tuned(const rules_t* g) noexcept nogil:
    """The constants of the planning agent."""
    return &TABLES[g.players - 2]


cdef double hand_worth(const rules_t* g, const state_t* s, int seat) noexcept nogil:
    """Worth of a seat's hand as it stands."""
    return row_worth(tuned(g), &s.seat[seat].hand, s.seat[seat].cards, False) / <double> POINT


# ------------------------------------------------------------------------------------------------
# Worth of a move

cdef inline others_t look_around(const rules_t* g, const state_t* s) noexcept nogil:
    cdef others_t o
    cdef int q
    o.least = 1000
    o.total = o.exempt = 0
    for q in range(g.players):
        if q == s.mover:
            continue
        o.total += s.seat[q].cards
        if q == s.owner:
            o.exempt = s.seat[q].cards
        o.least = min(o.least, s.seat[q].cards)
    return o


cdef int list_shows(
    const weights_t* w, const row_t* r, const hand_t* hand, int code, int32_t last, show_t* out
) noexcept nogil:
    """Every set of a row that beats `code`, with the worth of the rest and of the set shown; their number.

    `last` is the worth of showing the whole row.
    """
    cdef uint64_t starts[MAX_HAND + 1]
    cdef uint64_t mask
    cdef int length, i, first, behind, n = 0
    cdef int longest = beating_starts(hand, r.n, code, starts)
    for length in range(max(1, code >> 8), longest + 1):
        mask = starts[length]
        while mask:
            i = lowest(mask)
            mask &= mask - 1
            first = r.number[EDGE + i]
            behind = r.number[EDGE + i + length - 1]
            out[n].start = i
            out[n].length = length
            if length == r.n:
                out[n].worth = last
            else:
                out[n].worth = (without(w, r, i, i + length)
                                + w.held[first != behind][size_at(length)][min(first, behind)])
            n += 1
    return n


cdef inline void scouted_shows(
    const row_t* r, const show_t* shows, int count, int32_t* apart, int32_t* beside
) noexcept nogil:
    """For every place the best of these Shows that a card put in there does not touch, and the best that it
    stands beside."""
    cdef int32_t ending[MAX_HAND + 1]
    cdef int i, place
    cdef int32_t before = NO_WORTH, behind = NO_WORTH
    for place in range(r.n + 1):
        beside[place] = ending[place] = NO_WORTH
    for i in range(count):
        place = shows[i].start
        beside[place] = max(beside[place], shows[i].worth)
        place += shows[i].length
        ending[place] = max(ending[place], shows[i].worth)
    # Shows that end before a place, then those that start behind it
    for place in range(r.n + 1):
        apart[place] = before
        before = max(before, ending[place])
    for place in range(r.n, -1, -1):
        apart[place] = max(apart[place], behind)
        behind = max(behind, beside[place])
        beside[place] = max(beside[place], ending[place])


cdef uint64_t places_near(const hand_t* hand, int number) noexcept nogil:
    """Places beside a card within 1 of a number: elsewhere a card of this number makes no set."""
    cdef uint64_t cards = tops_equal(hand, number - 1) | tops_equal(hand, number) | tops_equal(hand, number + 1)
    return cards | cards << 1


cdef inline int32_t joined_show(
    const weights_t* w, const row_t* r, int place, int number, int code, int32_t last
) noexcept nogil:
    """The best Show of two or more cards with one that is put in at a place beside its like."""
    cdef int left = w.relation[r.number[EDGE + place - 1]][number]
    cdef int right = w.relation[number][r.number[EDGE + place]]
    cdef int32_t best = shown_by(w, r, place, number, left or right, code, last)
    if left and right and left != right:
        best = max(best, shown_by(w, r, place, number, right, code, last))
    return best


cdef inline void begin_plan(const rules_t* g, const state_t* s, const weights_t* w, plan_t* p) noexcept nogil:
    """Read the hand to decide and the table, and list the Shows."""
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef int b, card
    p.others = look_around(g, s)
    p.w = w
    p.places = seat.cards + 1
    load_row(p.w, &seat.hand, seat.cards, False, &p.row)
    fill_before(p.w, &p.row)
    fill_after(p.w, &p.row)
    p.share = <int32_t> (POINT // (g.players - 1))
    p.last = <int32_t> (p.others.total * POINT // (g.players - 1)) + p.w.finish
    p.shows = list_shows(p.w, &p.row, &seat.hand, set_code(s.active), p.last, p.show)
    for b in range(p.shows):
        p.show[b].worth += s.active.size * POINT
    p.blocks = 0
    p.both = False
    if not may_scout(g, s):
        return
    p.blocks = 2 if s.active.size == 1 else 4
    p.both = s.both_left >> s.mover & 1
    for b in range(p.blocks):
        card = hand_card(&s.table, set_end(s.active, b >> 1))
        p.number[b] = card >> 4 if b & 1 else card & 15


cdef inline uint64_t near(const state_t* s, const plan_t* p, int b) noexcept nogil:
    """Places where the scouted card of a block stands beside its like."""
    return places_near(&s.seat[s.mover].hand, p.number[b]) & low_bits(p.places)


cdef void plan_scout_and_shows(const state_t* s, plan_t* p) noexcept nogil:
    """The worths of Scout & Shows; those of Scouts still stand without their cost."""
    cdef int32_t apart[MAX_HAND + 1]
    cdef int32_t beside[MAX_HAND + 1]
    cdef show_t shows[MAX_SHOWS]
    cdef set_t rest
    cdef uint64_t mask
    cdef int b, end, place, code, count
    cdef int32_t pay, worth, single, whole = p.row.before[EDGE + p.row.n]
    for end in range(p.blocks >> 1):
        rest = set_cut(s.active, end)
        code = set_code(rest)
        count = list_shows(p.w, &p.row, &s.seat[s.mover].hand, code, 0, shows)
        scouted_shows(&p.row, shows, count, apart, beside)
        # what it takes and costs, apart from what it does to the hand
        pay = rest.size * POINT - p.share - p.w.both
        for b in range(2 * end, 2 * end + 2):
            single = p.w.worth[0][1][p.number[b]]
            for place in range(p.places):
                worth = max(apart[place] + p.scout[b][place] - whole, beside[place] + single)
                p.scout_and_show[b][place] = worth + pay if worth > NO_WORTH // 2 else NO_WORTH
            if (0x110 | p.number[b]) > code:
                # Shown alone the card leaves the hand as it was, wherever it went.
                worth = whole + p.w.held[0][1][p.number[b]] + pay
                for place in range(p.places):
                    p.scout_and_show[b][place] = max(p.scout_and_show[b][place], worth)
            mask = near(s, p, b)
            while mask:
                place = lowest(mask)
                mask &= mask - 1
                worth = joined_show(p.w, &p.row, place, p.number[b], code, p.last)
                if worth > NO_WORTH:
                    p.scout_and_show[b][place] = max(p.scout_and_show[b][place], worth + pay)


cdef void plan(const rules_t* g, const state_t* s, const weights_t* w, plan_t* p) noexcept nogil:
    """Worths of the legal actions of a turn.

    A Scout & Show is worth the best set that it may show: one with the scouted card in it exactly, one that
    the hand holds already as that Show and that Scout are worth each on its own.
    """
    cdef int b, place
    cdef int32_t cost
    begin_plan(g, s, w, p)
    for b in range(p.blocks):
        for place in range(p.places):
            p.scout[b][place] = with_card(p.w, &p.row, place, p.number[b])
    if p.both:
        plan_scout_and_shows(s, p)
    if not g.two and s.row + 1 == g.players - 1 and (s.active.size > 1 or g.ends_on_emptying):
        # A Scout that completes the row of Scouts ends the round.
        cost = (<int32_t> ((p.others.total - p.others.exempt) * POINT // (g.players - 1))
                - p.places * POINT - p.share + p.w.finish)
        for b in range(p.blocks):
            for place in range(p.places):
                p.scout[b][place] = cost
        return
    cost = p.share + p.w.scout + (p.w.small_hand * max(0, 4 - p.others.least)
                                  + (p.w.row if not g.two and s.row + 2 == g.players - 1 else 0)) * p.places
    for b in range(p.blocks):
        for place in range(p.places):
            p.scout[b][place] -= cost


cdef int action_worths(const rules_t* g, const state_t* s, int32_t* actions, double* worths) noexcept nogil:
    """Worths of the legal actions of the seat to decide in points, in the order of `options`; their number."""
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef plan_t p
    cdef int n = 0, i, end, place, turned
    cdef int32_t worth
    if s.phase == CHOOSING:
        actions[0] = 0
        actions[1] = 1
        worths[0] = row_worth(tuned(g), &seat.hand, seat.cards, False) / <double> POINT
        worths[1] = row_worth(tuned(g), &seat.hand, seat.cards, True) / <double> POINT
        return 2
    plan(g, s, tuned(g), &p)
    for i in range(p.shows):
        actions[n] = show_id(g, &p, i)
        worths[n] = p.show[i].worth / <double> POINT
        n += 1
    for end in range(p.blocks >> 1):
        for place in range(p.places):
            for turned in range(2):
                actions[n] = scout_id(g, g.first_scout, 2 * end + turned, place)
                worths[n] = p.scout[2 * end + turned][place] / <double> POINT
                n += 1
    if not p.both:
        return n
    for end in range(p.blocks >> 1):
        for place in range(p.places):
            for turned in range(2):
                worth = p.scout_and_show[2 * end + turned][place]
                if worth > NO_WORTH:
                    actions[n] = scout_id(g, g.first_both, 2 * end + turned, place)
                    worths[n] = worth / <double> POINT
                    n += 1
    return n


cdef inline bint leads(rng_t* rng, int32_t worth, int32_t* most, int* equals) noexcept nogil:
    """Whether the next of several moves becomes the best; of equals each is as likely to stay."""
    if likely(worth < most[0]):
        return False
    if worth > most[0]:
        most[0] = worth
        equals[0] = 1
        return True
    equals[0] += 1
    return rng_below(rng, equals[0]) == 0


cdef int32_t planning(const rules_t* g, const state_t* s, const weights_t* w, rng_t* rng) noexcept nogil:
    """The action worth most; equals by chance."""
    cdef plan_t p
    if s.phase == CHOOSING:
        return better_side(s, w, rng)
    plan(g, s, w, &p)
    return pick(g, &p, rng)


cdef inline int32_t better_side(const state_t* s, const weights_t* w, rng_t* rng) noexcept nogil:
    """Keep (0) or turn (1)."""
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef int32_t keep = row_worth(w, &seat.hand, seat.cards, False)
    cdef int32_t turn = row_worth(w, &seat.hand, seat.cards, True)
    return turn > keep if turn != keep else <int32_t> rng_below(rng, 2)


cdef int32_t pick(const rules_t* g, const plan_t* p, rng_t* rng) noexcept nogil:
    """The id of the action worth most; equals by chance."""
    cdef int i, b, place, equals = 0
    cdef int32_t best = 0, most = NO_WORTH
    for i in range(p.shows):
        if leads(rng, p.show[i].worth, &most, &equals):
            best = show_id(g, p, i)
    for b in range(p.blocks):
        for place in range(p.places):
            if leads(rng, p.scout[b][place], &most, &equals):
                best = scout_id(g, g.first_scout, b, place)
    if p.both:
        for b in range(p.blocks):
            for place in range(p.places):
                if p.scout_and_show[b][place] > NO_WORTH and leads(rng, p.scout_and_show[b][place], &most, &equals):
                    best = scout_id(g, g.first_both, b, place)
    return best


cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil:
    """A whole game from a new deal, in a state that holds nothing but its settings; the number of decisions."""
    cdef int n = 0, before
    rng_fork(rng, &fresh.rng)
    new_round(g, fresh)
    while fresh.phase != OVER:
        before = fresh.round
        apply(g, fresh, planning(g, fresh, tuned(g), rng))
        if fresh.round != before:
            ends[fresh.ending] += 1
        n += 1
    return n


cdef void contested_game(
    const rules_t* g, state_t* fresh, const weights_t** by_seat, rng_t* rng
) noexcept nogil:
    """A whole game from a state before its first decision, each seat planning by constants of its own."""
    while fresh.phase != OVER:
        apply(g, fresh, planning(g, fresh, by_seat[fresh.mover], rng))


# ------------------------------------------------------------------------------------------------
# What a state is worth before the end

cdef void value_features(const rules_t* g, const state_t* s, int q, double* f) noexcept nogil:
    """What the rest of the round brings a seat hangs on these (`Game.value_samples` says what they are)."""
    cdef int r
    f[0] = hand_worth(g, s, q)
    f[1] = s.seat[q].cards
    f[2] = MAX_DECK
    for r in range(g.players):
        if r != q:
            f[2] = min(f[2], <double> s.seat[r].cards)
    f[3] = s.owner == q
    f[4] = s.active.size if s.owner == q else 0
    f[5] = scouts_since(g, s) if s.owner == q else 0
    f[6] = s.both_left >> q & 1
    f[7] = (s.mover - q + g.players) % g.players


cdef void estimate(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil:
    """Pay-off of every seat before the end: the scores so far, and what the rest of the round brings by a linear
    function of what a seat has and of the means of what the others have."""
    cdef const double* c = &VALUE[g.players - 2][0]
    cdef double scores[MAX_SEATS]
    cdef double f[MAX_SEATS][FEATURES]
    cdef double total[FEATURES]
    cdef int q, i
    for i in range(FEATURES):
        total[i] = 0
    for q in range(g.players):
        value_features(g, s, q, f[q])
        for i in range(FEATURES):
            total[i] += f[q][i]
    for q in range(g.players):
        scores[q] = s.seat[q].total + s.seat[q].taken + s.seat[q].chips + c[0]
        for i in range(FEATURES):
            scores[q] += c[1 + i] * f[q][i] + c[1 + FEATURES + i] * (total[i] - f[q][i]) / (g.players - 1)
    derive_payoffs(g, scores, payoff, out)


cdef void value_sample(
    const rules_t* g, state_t* fresh, rng_t* rng, double* features, double* later
) noexcept nogil:
    """A round of the planning agent from a new deal: the features of all seats at one of its turns, each as likely,
    and the points of each from there on."""
    cdef int turns = 0, q
    new_round(g, fresh)
    while fresh.phase != OVER:
        if fresh.phase == TURN:
            turns += 1
            if rng_below(rng, turns) == 0:
                for q in range(g.players):
                    value_features(g, fresh, q, features + q * FEATURES)
                    later[q] = -(fresh.seat[q].taken + fresh.seat[q].chips)
        apply(g, fresh, planning(g, fresh, tuned(g), rng))
    for q in range(g.players):
        later[q] += fresh.seat[q].total
