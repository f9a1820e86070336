# cython: language_level=3
"""What a row of SCOUT cards is worth: its best cut into sets, and how one card more or a set less changes that.

Inlined into the module that plays SCOUT. Worths are whole numbers of 1/65536 point: adding and comparing them
takes a quarter of the time that doubles take, and is exact.
"""
from libc.stdint cimport int32_t, uint8_t, uint64_t

from solver._core cimport MAX_HAND, hand_t, transpose8


cdef enum:
    POINT = 65536                  # units of a point
    NO_WORTH = -(1 << 29)          # less than any worth; three of them can be added
    EDGE = 3                       # room before the first card of a row
    EQUAL = 1                      # relations of two neighbours: the right one is equal, one higher, one lower
    HIGHER = 2
    LOWER = 4
    SIZES = 16
    NUMBERS = 16


ctypedef struct weights_t:
    int32_t worth[2][SIZES][NUMBERS]   # of a set in the hand: group or run, by size and smallest number
    int32_t held[2][SIZES][NUMBERS]    # of a set on the table, for the chance that it comes back
    int32_t scout, both, finish, small_hand, row
    # Worth of two neighbours in the hand; NO_WORTH if they are no set. Number 0 stands for no card.
    int32_t pair[NUMBERS][NUMBERS]
    uint8_t relation[NUMBERS][NUMBERS]     # a bit for equal, one higher, one lower; 0: none


ctypedef struct row_t:
    int n
    # Arrays have room before place 0 and behind the last, so that neighbours may be read without a look
    # at the ends: no number, no relation, no worth.
    uint8_t number[MAX_HAND + 16]      # of the card at place i: [i + EDGE]
    uint8_t relation[MAX_HAND + 16]    # of the cards at places i - 1 and i: [i + EDGE]
    int32_t before[MAX_HAND + 6]       # best worth of the cards before a place: [i + EDGE]
    int32_t after[MAX_HAND + 6]        # ... from a place on


cdef inline int size_at(int size) noexcept nogil:
    """Where sets of a size stand in the tables."""
    return size if size < SIZES else SIZES - 1


cdef inline void load_row(const weights_t* w, const hand_t* h, int n, bint bottoms, row_t* r) noexcept nogil:
    """The numbers of a hand, a byte each, and how neighbours stand to each other."""
    cdef const uint64_t* plane = &h.plane[4 if bottoms else 0]
    cdef int block = 0, i
    cdef uint64_t bytes
    r.n = n
    for i in range(EDGE):
        r.number[i] = r.relation[i] = 0
        r.before[i] = r.after[i] = NO_WORTH
    while block <= n + 1:              # zeros stand behind the last card
        bytes = transpose8((plane[0] >> block & 255) | (plane[1] >> block & 255) << 8
                           | (plane[2] >> block & 255) << 16 | (plane[3] >> block & 255) << 24)
        for i in range(8):
            r.number[EDGE + block + i] = <uint8_t> (bytes >> (8 * i))
        block += 8
    for i in range(EDGE, n + 2 + EDGE):
        r.relation[i] = w.relation[r.number[i - 1]][r.number[i]]


cdef inline void fill_before(const weights_t* w, row_t* r) noexcept nogil:
    """Best worth of the first j cards, for every j: the last set ends at j."""
    cdef int j, at, k, low
    cdef int32_t best
    r.before[EDGE] = 0
    for j in range(1, r.n + 1):
        at = EDGE + j
        best = max(r.before[at - 1] + w.worth[0][1][r.number[at - 1]],
                   r.before[at - 2] + w.pair[r.number[at - 2]][r.number[at - 1]])
        if r.relation[at - 1] & r.relation[at - 2]:
            k = at - 3
            while True:
                low = min(r.number[k], r.number[at - 1])
                best = max(best, r.before[k] + w.worth[r.relation[at - 1] != EQUAL][size_at(at - k)][low])
                if not r.relation[at - 1] & r.relation[k]:
                    break
                k -= 1
        r.before[at] = best


cdef inline void fill_after(const weights_t* w, row_t* r) noexcept nogil:
    """Best worth of the cards from i on, for every i: the first set begins at i."""
    cdef int at, k, low
    cdef int32_t best
    at = EDGE + r.n
    r.after[at] = 0
    r.after[at + 1] = r.after[at + 2] = NO_WORTH
    while at > EDGE:
        at -= 1
        best = max(r.after[at + 1] + w.worth[0][1][r.number[at]],
                   r.after[at + 2] + w.pair[r.number[at]][r.number[at + 1]])
        if r.relation[at + 1] & r.relation[at + 2]:
            k = at + 2
            while True:
                low = min(r.number[at], r.number[k])
                best = max(best, r.after[k + 1] + w.worth[r.relation[at + 1] != EQUAL][size_at(k - at + 1)][low])
                k += 1
                if not r.relation[at + 1] & r.relation[k]:
                    break
        r.after[at] = best


cdef inline int32_t row_worth(const weights_t* w, const hand_t* h, int n, bint bottoms) noexcept nogil:
    """The best cut of a hand's row."""
    cdef row_t r
    load_row(w, h, n, bottoms, &r)
    fill_before(w, &r)
    return r.before[EDGE + n]


cdef inline int lowest_of(int relation, int size, int first) noexcept nogil:
    """The smallest number of a set by its first."""
    return first + 1 - size if relation & LOWER else first


cdef inline int reach_left(const weights_t* w, const row_t* r, int i, int relation, int number) noexcept nogil:
    """How many cards just before place i may stand in a set of this relation that `number` goes on with."""
    cdef int x = 0
    if w.relation[r.number[EDGE + i - 1]][number] & relation:
        x = 1
        while r.relation[EDGE + i - x] & relation:
            x += 1
    return x


cdef inline int reach_right(const weights_t* w, const row_t* r, int j, int relation, int number) noexcept nogil:
    """How many cards from place j on go on with a set of this relation that ends with `number`."""
    cdef int y = 0
    if w.relation[number][r.number[EDGE + j]] & relation:
        y = 1
        while r.relation[EDGE + j + y] & relation:
            y += 1
    return y


cdef inline int32_t joined(const weights_t* w, const row_t* r, int i, int j, int relation) noexcept nogil:
    """Best worth of the row without the cards i..j-1, with a set across the gap; its ends are in the relation."""
    cdef int x, y, left = reach_left(w, r, i, relation, r.number[EDGE + j])
    cdef int right = reach_right(w, r, j, relation, r.number[EDGE + i - 1])
    cdef int32_t best = NO_WORTH
    for x in range(1, left + 1):
        for y in range(1, right + 1):
            best = max(best, r.before[EDGE + i - x] + r.after[EDGE + j + y] + w.worth[relation != EQUAL][
                size_at(x + y)][lowest_of(relation, x + y, r.number[EDGE + i - x])])
    return best


cdef inline int32_t without(const weights_t* w, const row_t* r, int i, int j) noexcept nogil:
    """Worth of the row without the cards i..j-1."""
    cdef int32_t best = r.before[EDGE + i] + r.after[EDGE + j]
    cdef int relation = w.relation[r.number[EDGE + i - 1]][r.number[EDGE + j]]
    return max(best, joined(w, r, i, j, relation)) if relation else best


cdef inline int32_t joined_by(
    const weights_t* w, const row_t* r, int place, int number, int relation
) noexcept nogil:
    """Best worth of the row with a card put in at a place, in a set of three or more with its neighbours."""
    cdef int x, y, left = reach_left(w, r, place, relation, number)
    cdef int right = reach_right(w, r, place, relation, number)
    cdef int32_t best = NO_WORTH
    for x in range(left + 1):
        for y in range(max(0, 2 - x), right + 1):
            best = max(best, r.before[EDGE + place - x] + r.after[EDGE + place + y] + w.worth[relation != EQUAL][
                size_at(x + y + 1)][lowest_of(relation, x + y + 1, r.number[EDGE + place - x] if x else number)])
    return best


cdef inline int32_t shown_by(
    const weights_t* w, const row_t* r, int place, int number, int relation, int code, int32_t last
) noexcept nogil:
    """The best Show of two or more cards with one that is put in at a place; NO_WORTH: none beats `code`.

    It counts the worth of the rest and of the set shown; `last` if no card is left.
    """
    cdef int x, y, size, low, left = reach_left(w, r, place, relation, number)
    cdef int right = reach_right(w, r, place, relation, number)
    cdef int32_t best = NO_WORTH
    for x in range(left + 1):
        for y in range(x == 0, right + 1):
            size = x + y + 1
            low = lowest_of(relation, size, r.number[EDGE + place - x] if x else number)
            if ((size << 8) | (relation == EQUAL) << 4 | low) <= code:
                continue
            if size > r.n:
                best = max(best, last)
            else:
                best = max(best, without(w, r, place - x, place + y)
                           + w.held[relation != EQUAL][size_at(size)][low])
    return best


cdef inline int32_t with_card(const weights_t* w, const row_t* r, int place, int number) noexcept nogil:
    """Worth of the row with a card put in at a place."""
    cdef int at = EDGE + place, a = r.number[at - 1], b = r.number[at]
    cdef int left = w.relation[a][number], right = w.relation[number][b]
    cdef int32_t best = r.before[at] + w.worth[0][1][number] + r.after[at]
    best = max(best, r.before[at - 1] + w.pair[a][number] + r.after[at])
    best = max(best, r.before[at] + w.pair[number][b] + r.after[at + 1])
    if left & (right | r.relation[at - 1]) | right & r.relation[at + 1]:
        # a set of three or more
        best = max(best, joined_by(w, r, place, number, left))
        if right != left:
            best = max(best, joined_by(w, r, place, number, right))
    return best
