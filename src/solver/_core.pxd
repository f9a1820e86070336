# cython: language_level=3
"""Kernels that the compiled games share, inlined where they are used.

Two topics: the random stream (`rng_t`) and SCOUT's bit-plane hand (`hand_t`). Everything here is
plain C over fixed-width integers; the readable Python twins stand in tests/reference.
"""
from libc.stdint cimport uint8_t, uint64_t


cdef extern from "_bits.h" nogil:
    int popcount "solver_popcount"(uint64_t x) noexcept
    int lowest "solver_lowest"(uint64_t x) noexcept
    int highest "solver_highest"(uint64_t x) noexcept
    uint64_t low_bits "solver_low_bits"(int n) noexcept
    uint64_t mul128 "solver_mul128"(uint64_t a, uint64_t b, uint64_t* low) noexcept
    uint64_t reverse "solver_reverse"(uint64_t x) noexcept
    uint64_t transpose8 "solver_transpose8"(uint64_t x) noexcept
    bint likely "SOLVER_LIKELY"(bint x) noexcept
    bint unlikely "SOLVER_UNLIKELY"(bint x) noexcept


# ------------------------------------------------------------------------------------------------
# Random stream: xoshiro256** (Blackman and Vigna, ACM TOMS 47, 2021)

cdef struct rng_t:
    uint64_t s[4]


cdef inline uint64_t rng_next(rng_t* r) noexcept nogil:
    cdef uint64_t x = r.s[1] * 5
    cdef uint64_t result = ((x << 7) | (x >> 57)) * 9
    cdef uint64_t t = r.s[1] << 17
    r.s[2] ^= r.s[0]
    r.s[3] ^= r.s[1]
    r.s[1] ^= r.s[2]
    r.s[0] ^= r.s[3]
    r.s[2] ^= t
    r.s[3] = (r.s[3] << 45) | (r.s[3] >> 19)
    return result


cdef inline uint64_t rng_below(rng_t* r, uint64_t n) noexcept nogil:
    """Uniform in [0, n), n >= 1, without bias (Lemire, ACM TOMACS 29, 2019)."""
    cdef uint64_t low = 0
    cdef uint64_t high = mul128(rng_next(r), n, &low)
    cdef uint64_t threshold
    if unlikely(low < n):
        threshold = (0 - n) % n
        while low < threshold:
            high = mul128(rng_next(r), n, &low)
    return high


cdef inline double rng_double(rng_t* r) noexcept nogil:
    """Uniform in [0, 1), 53 bits."""
    return <double> (rng_next(r) >> 11) * (1.0 / 9007199254740992.0)


cdef inline void rng_shuffle(rng_t* r, uint8_t* items, int n) noexcept nogil:
    """Fisher-Yates: every order equally likely."""
    cdef int i, j
    cdef uint8_t t
    for i in range(n - 1, 0, -1):
        j = <int> rng_below(r, i + 1)
        t = items[i]
        items[i] = items[j]
        items[j] = t


cdef inline void rng_fork(rng_t* parent, rng_t* child) noexcept nogil:
    """A child stream from four draws of the parent (2**256 states: overlap does not happen)."""
    cdef int j
    for j in range(4):
        child.s[j] = rng_next(parent)
    child.s[0] |= 1                # the all-zero state is the one that xoshiro never leaves


cdef class Rng:
    cdef rng_t c
    cdef readonly object seed_sequence


cdef Rng as_rng(object seed)


# ------------------------------------------------------------------------------------------------
# SCOUT: the bit-plane hand
#
# A card is a byte, the top number in the low four bits and the bottom number in the high four. A
# hand is a row of up to 64 cards: bit i of plane j is bit j of the byte of the card at place i, so
# planes 0-3 hold the tops and planes 4-7 the bottoms. One cache line. The number of cards is kept
# beside it; bits past the last card are 0.

cdef enum:
    MAX_HAND = 64
    MAX_NUMBER = 15


cdef struct hand_t:
    uint64_t plane[8]


cdef inline int card_turned(int card) noexcept nogil:
    return ((card >> 4) | (card << 4)) & 255


cdef inline int hand_card(const hand_t* h, int place) noexcept nogil:
    cdef int j, card = 0
    for j in range(8):
        card |= <int> ((h.plane[j] >> place) & 1) << j
    return card


cdef inline int hand_top(const hand_t* h, int place) noexcept nogil:
    cdef int j, number = 0
    for j in range(4):
        number |= <int> ((h.plane[j] >> place) & 1) << j
    return number


cdef inline void hand_clear(hand_t* h) noexcept nogil:
    cdef int j
    for j in range(8):
        h.plane[j] = 0


cdef inline void hand_load(hand_t* h, const uint8_t* cards, int n) noexcept nogil:
    """The row of n cards, left to right, eight at a time by a bit-matrix transpose."""
    cdef int block, i, j
    cdef uint64_t rows
    hand_clear(h)
    for block in range(0, n, 8):
        rows = 0
        for i in range(min(8, n - block)):
            rows |= <uint64_t> cards[block + i] << (8 * i)
        rows = transpose8(rows)
        for j in range(8):
            h.plane[j] |= ((rows >> (8 * j)) & 255) << block


cdef inline void hand_insert(hand_t* h, int place, int card) noexcept nogil:
    """Put a card at `place`, 0 <= place <= number of cards <= 63; what stands there moves right."""
    cdef uint64_t from_place = ~<uint64_t> 0 << place
    cdef uint64_t x
    cdef int j
    for j in range(8):
        x = h.plane[j]
        # low part + twice the high part = the row with a gap
        h.plane[j] = (x + (x & from_place)) | (<uint64_t> ((card >> j) & 1) << place)


cdef inline uint64_t mask_insert(uint64_t mask, int place, uint64_t bit) noexcept nogil:
    return (mask + (mask & (~<uint64_t> 0 << place))) | (bit << place)


cdef inline uint64_t mask_remove(uint64_t mask, int start, int length) noexcept nogil:
    cdef uint64_t below = low_bits(start)
    return (mask & below) | ((mask >> length) & ~below)


cdef inline void hand_remove(hand_t* h, int start, int length) noexcept nogil:
    """Take out places start..start+length-1, length >= 1; the rest closes up."""
    cdef uint64_t below = (<uint64_t> 1 << start) - 1
    cdef uint64_t x
    cdef int j
    for j in range(8):
        x = h.plane[j]
        # A whole hand of 64 never leaves in one set, so length < 64.
        h.plane[j] = (x & below) | ((x >> length) & ~below)


cdef inline void hand_turn(hand_t* h, int n) noexcept nogil:
    """Turn the whole hand by 180 degrees: numbers swap, the row reverses. 1 <= n <= 64."""
    cdef uint64_t a, b
    cdef int j
    for j in range(4):
        a = reverse(h.plane[j]) >> (64 - n)
        b = reverse(h.plane[j + 4]) >> (64 - n)
        h.plane[j] = b
        h.plane[j + 4] = a


cdef inline uint64_t tops_equal(const hand_t* h, int number) noexcept nogil:
    """Places whose top is `number` (1..15, so the empty places, which read 0, never match)."""
    cdef uint64_t differ = 0
    cdef int j
    if number < 1 or number > MAX_NUMBER:
        return 0
    for j in range(4):
        differ |= h.plane[j] ^ (0 - <uint64_t> ((number >> j) & 1))
    return ~differ


cdef inline uint64_t tops_above(const hand_t* h, int number) noexcept nogil:
    """Places whose top is greater than `number` (0..15)."""
    cdef uint64_t above = 0, zero
    cdef int j
    for j in range(4):
        zero = <uint64_t> ((number >> j) & 1) - 1          # all ones where the bit is 0
        above = (h.plane[j] & (above | zero)) | (above & zero)
    return above


cdef struct pairs_t:
    uint64_t same                  # bit i: tops i and i+1 are equal
    uint64_t up                    # top i+1 is one higher
    uint64_t down                  # top i+1 is one lower


cdef inline pairs_t hand_pairs(const hand_t* h, int n) noexcept nogil:
    cdef pairs_t result
    cdef uint64_t p0 = h.plane[0], p1 = h.plane[1], p2 = h.plane[2]
    cdef uint64_t q0 = p0 >> 1, q1 = p1 >> 1, q2 = p2 >> 1
    cdef uint64_t d0 = p0 ^ q0, d1 = p1 ^ q1, d2 = p2 ^ q2
    cdef uint64_t d3 = h.plane[3] ^ (h.plane[3] >> 1)
    cdef uint64_t valid = low_bits(n - 1)
    # b = a + 1 exactly when bit 0 differs and each higher bit differs just where a carry comes in:
    # into bit j while all lower bits of a are 1 (of b, for a = b + 1). 15 + 1 would read as 0,
    # which no card bears.
    result.same = ~(d0 | d1 | d2 | d3) & valid
    result.up = d0 & ~((d1 ^ p0) | (d2 ^ (p1 & p0)) | (d3 ^ (p2 & p1 & p0))) & valid
    result.down = d0 & ~((d1 ^ q0) | (d2 ^ (q1 & q0)) | (d3 ^ (q2 & q1 & q0))) & valid
    return result


# Strength of a set in the rulebook's order: more cards, then group over run, then the smallest
# number. The comparison of two sets is the comparison of these codes; 0 is "no Active Set".

cdef inline int strength_code(int length, bint group, int smallest) noexcept nogil:
    return (length << 8) | (<int> group << 4) | smallest


cdef inline void longer(pairs_t* sets, const pairs_t* p, int length) noexcept nogil:
    """From the starts of the sets of length - 1 cards (>= 2) to those of `length` cards."""
    sets.same &= p.same >> (length - 2)
    sets.up &= p.up >> (length - 2)
    sets.down &= p.down >> (length - 2)


cdef inline uint64_t beating_alike(const hand_t* h, const pairs_t* sets, int code) noexcept nogil:
    """Of the sets with as many cards as the set `code` (at least 2), the starts of those that beat it."""
    cdef uint64_t above = tops_above(h, code & 15)
    if code & 16:
        return sets.same & above
    # the smallest number of a rising run is its first, of a falling one its last
    return sets.same | (sets.up & above) | (sets.down & (above >> ((code >> 8) - 1)))


cdef inline int beating_starts(const hand_t* h, int n, int code, uint64_t* starts) noexcept nogil:
    """All sets of the hand that beat the set `code` (0: any set).

    Writes starts[k], a mask of the first places of such sets of k cards, for k from
    max(1, cards of the set) up to the returned greatest length (if that is less: there are none).
    """
    cdef pairs_t p = hand_pairs(h, n)
    cdef pairs_t sets = p
    cdef int length = code >> 8, k
    if length <= 1:
        starts[1] = tops_above(h, code & 15) if length else low_bits(n)
        k = 2
    else:
        for k in range(3, length + 1):
            longer(&sets, &p, k)
        starts[length] = beating_alike(h, &sets, code)
        k = length + 1
        longer(&sets, &p, k)
    while sets.same | sets.up | sets.down:
        starts[k] = sets.same | sets.up | sets.down
        k += 1
        longer(&sets, &p, k)
    return k - 1


cdef inline bint has_beating(const hand_t* h, int n, int code) noexcept nogil:
    """Whether any set of the hand beats the set `code`."""
    cdef int length = code >> 8, k
    cdef pairs_t p, sets
    if length == 0:
        return n > 0
    if length == 1 and tops_above(h, code & 15):
        return True
    p = hand_pairs(h, n)
    sets = p
    if length > 1:
        for k in range(3, length + 1):
            longer(&sets, &p, k)
        if beating_alike(h, &sets, code):
            return True
        longer(&sets, &p, length + 1)
    return (sets.same | sets.up | sets.down) != 0


cdef inline uint64_t places_beating(const hand_t* h, int n, int number, int code) noexcept nogil:
    """Places 0..n where a card of top `number`, put into the hand, leaves a set that beats `code`.

    The mask answers for all places at once what `has_beating` answers for one hand; n <= 63.
    """
    cdef uint64_t every = low_bits(n + 1)
    cdef int length = code >> 8, k, left, t
    cdef pairs_t p, sets
    cdef uint64_t wins, places = 0, rising, falling, group
    if length == 0:
        return every
    if length == 1 and (number > (code & 15) or tops_above(h, code & 15)):
        return every
    # 1. Sets that stand in the hand already, unless the new card goes in between.
    p = hand_pairs(h, n)
    sets = p
    if length > 1:
        for k in range(3, length + 1):
            longer(&sets, &p, k)
        wins = beating_alike(h, &sets, code)
        if wins:
            places = low_bits(highest(wins) + 1) | ~low_bits(lowest(wins) + length)
        longer(&sets, &p, length + 1)
    wins = sets.same | sets.up | sets.down
    if wins:
        places |= low_bits(highest(wins) + 1) | ~low_bits(lowest(wins) + length + 1)
    places &= every
    if places == every:
        return every
    # 2. Sets with the new card in them: `left` cards before it and t - left behind it, first with
    #    one card more than `code` (t = length), then with as many and stronger (t = length - 1).
    for t in range(length, length - 2, -1):
        if t == 0:
            continue
        for left in range(t + 1):
            group = rising = falling = every
            for k in range(1, left + 1):
                group &= tops_equal(h, number) << k
                rising &= tops_equal(h, number - k) << k
                falling &= tops_equal(h, number + k) << k
            for k in range(1, t - left + 1):
                group &= tops_equal(h, number) >> (k - 1)
                rising &= tops_equal(h, number + k) >> (k - 1)
                falling &= tops_equal(h, number - k) >> (k - 1)
            if t == length:
                places |= group | rising | falling
            else:
                if not code & 16 or number > (code & 15):
                    places |= group
                if not code & 16 and number - left > (code & 15):
                    places |= rising
                if not code & 16 and number - (t - left) > (code & 15):
                    places |= falling
    return places


cdef inline uint64_t nth_bit(uint64_t mask, int index) noexcept nogil:
    """The mask without its `index` lowest set bits."""
    while index:
        mask &= mask - 1
        index -= 1
    return mask
