# cython: language_level=3
"""Kernels that the compiled games share, inlined where they are used.

Three topics: the random stream (`rng_t`), SCOUT's bit-plane hand (`hand_t`), Baker Street's stacks and bids. All is
plain C over fixed-width integers; the readable Python twins stand in tests/reference.
"""
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t


cdef extern from "_bits.h" nogil:
    int popcount "solver_popcount"(uint64_t x) noexcept
    int lowest "solver_lowest"(uint64_t x) noexcept
    int highest "solver_highest"(uint64_t x) noexcept
    uint64_t low_bits "solver_low_bits"(int n) noexcept
    uint64_t mul128 "solver_mul128"(uint64_t a, uint64_t b, uint64_t* low) noexcept
    uint64_t reverse "solver_reverse"(uint64_t x) noexcept
    uint64_t transpose8 "solver_transpose8"(uint64_t x) noexcept
    uint64_t byte_sums "solver_byte_sums"(uint64_t x) noexcept
    uint64_t load8 "solver_load8"(const uint8_t* bytes) noexcept
    int nth_of_byte "solver_nth_of_byte"(uint64_t byte, int k) noexcept
    void put_planes "solver_put"(
        const uint64_t* row, const uint64_t* source, int at, int turned, int place, uint64_t* out) noexcept
    void take_planes "solver_take"(uint64_t* row, int start, int length, uint64_t* before) noexcept
    void copy_planes "solver_copy"(const uint64_t* row, uint64_t* out) noexcept
    uint64_t BYTE_ONES "SOLVER_BYTE_ONES"
    uint64_t BYTE_TOPS "SOLVER_BYTE_TOPS"
    # One comparison or call at a time: what Cython computes beforehand is computed in every build.
    void ensure "SOLVER_ENSURE"(bint holds) noexcept
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
    ensure(n >= 1)
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


cdef inline bint takes_lead(rng_t* r, double value, double* most, int* equals) noexcept nogil:
    """Whether the next of several candidates becomes the best: it is greater, or equal and drawn.

    `equals` is 0 before the first. Of equal candidates each is as likely to stay.
    """
    if equals[0] == 0 or value > most[0]:
        most[0] = value
        equals[0] = 1
        return True
    if value < most[0]:
        return False
    equals[0] += 1
    return rng_below(r, equals[0]) == 0


cdef inline uint32_t below_32(rng_t* r, uint32_t bits, uint32_t n) noexcept nogil:
    """Uniform in [0, n) from 32 random bits, without bias; very rarely more bits are drawn."""
    cdef uint64_t product = <uint64_t> bits * n
    cdef uint32_t threshold
    if unlikely(<uint32_t> product < n):
        threshold = (0 - n) % n
        while <uint32_t> product < threshold:
            product = (rng_next(r) >> 32) * n
    return <uint32_t> (product >> 32)


cdef inline void exchange(uint8_t* items, int i, int j) noexcept nogil:
    cdef uint8_t t = items[i]
    items[i] = items[j]
    items[j] = t


cdef inline void rng_draw(rng_t* r, uint8_t* items, int n, int count) noexcept nogil:
    """Put a uniformly random ordered choice of `count` of the n items in front (Fisher-Yates).

    Two places are drawn from each word of the stream, the upper half first.
    """
    cdef int i = 0, last = min(count, n - 1)
    cdef uint64_t word
    while i < last - 1:
        word = rng_next(r)
        exchange(items, i, i + <int> below_32(r, <uint32_t> (word >> 32), n - i))
        exchange(items, i + 1, i + 1 + <int> below_32(r, <uint32_t> word, n - i - 1))
        i += 2
    if i < last:
        exchange(items, i, i + <int> below_32(r, <uint32_t> (rng_next(r) >> 32), n - i))


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
cpdef list listed(object items, str what)
cpdef object seed_sequence(object seed)
cpdef list uniforms(object draw, int count)
cpdef object whole(object value)
cpdef double share_of_one(object value, str name) except? -1
cpdef object whole_in(object value, long long low, long long high)


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


cdef inline void hand_load(hand_t* h, const uint8_t* cards, int n, uint64_t turned) noexcept nogil:
    """The row of n cards, left to right, those at the places of the mask `turned` turned."""
    cdef int block, i, j
    cdef uint64_t rows, change
    hand_clear(h)
    for block in range(0, n, 8):
        if n - block >= 8:
            rows = load8(&cards[block])
        else:
            rows = 0
            for i in range(n - block):
                rows |= <uint64_t> cards[block + i] << (8 * i)
        # eight cards, a byte each, become eight planes, a byte each: tops below, bottoms above
        rows = transpose8(rows)
        change = (rows ^ (rows >> 32)) & ((turned >> block & 255) * <uint64_t> 0x01010101)
        rows ^= change | (change << 32)
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


cdef inline void hand_put(
    const hand_t* h, const hand_t* row, int at, bint turned, int place, hand_t* out
) noexcept nogil:
    """`out` = the hand with the card at place `at` of a row put in at `place`, turned or as it lies."""
    put_planes(h.plane, row.plane, at, turned, place, out.plane)


cdef inline void hand_take(hand_t* h, int start, int length, hand_t* before) noexcept nogil:
    """Take a set out of a hand; `before` becomes the whole row as it was, on which it is a window."""
    take_planes(h.plane, start, length, before.plane)


cdef inline void hand_copy(const hand_t* h, hand_t* out) noexcept nogil:
    copy_planes(h.plane, out.plane)


cdef inline uint64_t mask_insert(uint64_t mask, int place, uint64_t bit) noexcept nogil:
    return (mask + (mask & (~<uint64_t> 0 << place))) | (bit << place)


cdef inline uint64_t mask_remove(uint64_t mask, int start, int length) noexcept nogil:
    cdef uint64_t below = low_bits(start)
    return (mask & below) | ((mask >> length) & ~below)


cdef inline void hand_turn(hand_t* h, int n) noexcept nogil:
    """Turn the whole hand by 180 degrees: numbers swap, the row reverses. 1 <= n <= 64."""
    cdef uint64_t a, b
    cdef int j
    for j in range(4):
        a = reverse(h.plane[j]) >> (64 - n)
        b = reverse(h.plane[j + 4]) >> (64 - n)
        h.plane[j] = b
        h.plane[j + 4] = a


cdef inline void hand_swap(hand_t* h) noexcept nogil:
    """Swap the numbers of every card, without reversing the row: the mirror image of a turned hand."""
    cdef uint64_t a
    cdef int j
    for j in range(4):
        a = h.plane[j]
        h.plane[j] = h.plane[j + 4]
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


cdef inline void lengthen(pairs_t* sets) noexcept nogil:
    """From the starts of sets to those of sets one card longer: where two of a kind start side by side."""
    sets.same &= sets.same >> 1
    sets.up &= sets.up >> 1
    sets.down &= sets.down >> 1


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
    cdef pairs_t sets = hand_pairs(h, n)
    cdef int length = code >> 8, k, _k
    if length <= 1:
        starts[1] = tops_above(h, code & 15) if length else low_bits(n)
        k = 2
    else:
        for _k in range(2, length):
            lengthen(&sets)
        starts[length] = beating_alike(h, &sets, code)
        k = length + 1
        lengthen(&sets)
    while sets.same | sets.up | sets.down:
        starts[k] = sets.same | sets.up | sets.down
        k += 1
        lengthen(&sets)
    return k - 1


cdef inline bint has_beating(const hand_t* h, int n, int code) noexcept nogil:
    """Whether any set of the hand beats the set `code`."""
    cdef int length = code >> 8, _k
    cdef pairs_t sets
    if length == 0:
        return n > 0
    if length == 1 and tops_above(h, code & 15):
        return True
    sets = hand_pairs(h, n)
    if length > 1:
        for _k in range(2, length):
            lengthen(&sets)
        if beating_alike(h, &sets, code):
            return True
        lengthen(&sets)
    return (sets.same | sets.up | sets.down) != 0


cdef inline uint64_t places_beating(const hand_t* h, int n, int number, int code) noexcept nogil:
    """Places 0..n where a card of top `number`, put into the hand, leaves a set that beats `code`.

    The mask answers for all places at once what `has_beating` answers for one hand; n <= 63.
    """
    cdef uint64_t every = low_bits(n + 1)
    cdef int length = code >> 8, k, _k, left, t
    cdef pairs_t sets
    cdef uint64_t wins, places = 0, rising, falling, group
    if length == 0:
        return every
    if length == 1 and (number > (code & 15) or tops_above(h, code & 15)):
        return every
    if length > n + 1:
        return 0                   # too few cards
    # 1. Sets that stand in the hand already, unless the new card goes in between.
    sets = hand_pairs(h, n)
    if length > 1:
        for _k in range(2, length):
            lengthen(&sets)
        wins = beating_alike(h, &sets, code)
        if wins:
            places = low_bits(highest(wins) + 1) | ~low_bits(lowest(wins) + length)
        lengthen(&sets)
    wins = sets.same | sets.up | sets.down
    if wins:
        places |= low_bits(highest(wins) + 1) | ~low_bits(lowest(wins) + length + 1)
    places &= every
    if places == every:
        return every
    # 2. Sets with the new card in them: `left` cards before it and t - left behind it, first with
    #    one card more than `code` (t = length), then with as many and stronger (t = length - 1).
    for t in range(length, length - 2, -1):
        if t == 0 or t > n:
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


# The same sets, counted and picked by number instead of listed: what random play needs. The masks of
# four lengths fit one word while a hand has at most 16 cards, and one count and one branch-free
# selection do for all of them; longer hands and sets take the slow way.

cdef struct shows_t:
    uint64_t packed                # field f of 16 bits: starts of the sets of shortest + f cards
    uint64_t sums                  # byte b: ones in the bytes 0..b of `packed`
    pairs_t pairs
    int shortest
    int count
    int longest                    # in `starts`; 0: everything is in `packed`


cdef struct set_t:
    int first                      # place of its first card
    int size
    int low                        # smallest number; 0 for an empty set, which any single beats
    int kind                       # 0 group, 1 rising, 2 falling: taking the left card (bit 0) or
    #                                the right one (bit 1) raises `low` where the bit is set


cdef inline int set_code(set_t a) noexcept nogil:
    return strength_code(a.size, a.kind == 0, a.low) if a.size else 0


cdef inline set_t set_at(const hand_t* h, const pairs_t* pairs, int first, int size) noexcept nogil:
    """The set that stands at these places of a hand."""
    cdef set_t result
    cdef uint64_t same = pairs.same >> first & 1, up = pairs.up >> first & 1
    result.first = first
    result.size = size
    result.kind = <int> (up | (~(same | up) & 1) << 1) if size > 1 else 0
    # the smallest number of a falling run is its last
    result.low = hand_top(h, first + (size - 1 if result.kind == 2 else 0))
    return result


cdef inline int set_end(set_t a, int end) noexcept nogil:
    """Place of its left (0) or right (1) card."""
    return a.first + (a.size - 1 if end else 0)


cdef inline set_t set_cut(set_t a, int end) noexcept nogil:
    """The set without its card at one end. A run cut to one card is a plain single."""
    ensure(a.size >= 1)
    a.low += a.kind >> end & 1
    a.first += 1 - end
    a.size -= 1
    if a.size <= 1:
        a.kind = 0
    if a.size == 0:
        a.low = 0
    return a


cdef inline void find_shows(const hand_t* h, int n, set_t rival, shows_t* out, uint64_t* starts) noexcept nogil:
    """Count the sets of a hand that beat `rival`; `starts` is room for MAX_HAND + 1 masks."""
    cdef pairs_t p = hand_pairs(h, n)
    cdef pairs_t sets = p
    cdef uint64_t above = tops_above(h, rival.low)
    cdef uint64_t first = above, second, third, fourth
    cdef int k, _k
    out.pairs = p
    out.shortest = 1
    if rival.size > 1:
        out.shortest = rival.size
        for _k in range(2, rival.size):
            lengthen(&sets)
        if rival.kind == 0:
            first = sets.same & above
        else:
            first = sets.same | (sets.up & above) | (sets.down & (above >> (rival.size - 1)))
        lengthen(&sets)
    second = sets.same | sets.up | sets.down
    lengthen(&sets)
    third = sets.same | sets.up | sets.down
    lengthen(&sets)
    fourth = sets.same | sets.up | sets.down
    if unlikely(n > 16 or (fourth & (fourth >> 1)) != 0):
        out.longest = beating_starts(h, n, set_code(rival), starts)
        out.count = 0
        for k in range(out.shortest, out.longest + 1):
            out.count += popcount(starts[k])
        return
    out.longest = 0
    out.packed = first | (second << 16) | (third << 32) | (fourth << 48)
    out.sums = byte_sums(out.packed)
    out.count = <int> (out.sums >> 56)


cdef inline set_t pick_show(const hand_t* h, const shows_t* shows, const uint64_t* starts, int index) noexcept nogil:
    """The set number `index` of those counted, 0 <= index < count; each set has one number."""
    ensure(index >= 0)
    ensure(index < shows.count)
    cdef set_t result
    cdef uint64_t mask, behind
    cdef int shift, at
    if unlikely(shows.longest > 0):
        result.size = shows.shortest
        while index >= popcount(starts[result.size]):
            index -= popcount(starts[result.size])
            result.size += 1
        mask = starts[result.size]
        while index:
            mask &= mask - 1
            index -= 1
        result.first = lowest(mask)
    else:
        # The bytes whose running sum is at most `index` lie before the wanted one, so their number
        # is its place. No byte borrows from the next: sums and index are below 128.
        behind = (((<uint64_t> index * BYTE_ONES | BYTE_TOPS) - shows.sums) & BYTE_TOPS) >> 7
        shift = <int> (behind * BYTE_ONES >> 56) * 8
        index -= <int> (shows.sums << 8 >> shift & 255)
        at = shift + nth_of_byte(shows.packed >> shift & 255, index)
        result.first = at & 15
        result.size = shows.shortest + (at >> 4)
    return set_at(h, &shows.pairs, result.first, result.size)


# ------------------------------------------------------------------------------------------------
# Baker Street: stacks and bids
#
# A detective card is a byte: the value in the low three bits, the symbol in the next two, the seat
# of its owner in the next. A stack is an array whose last card is the top.

cdef enum Symbol:
    PLAIN
    STOP
    TIMES_2
    ARROW


cdef struct evaluation_t:
    int total[2]
    int doubled[2]                 # 1: an X2 doubled the total of this seat
    int evaluated                  # cards, from the top
    bint arrow


cdef inline evaluation_t evaluate_stack(const uint8_t* stack, int n) noexcept nogil:
    """Read a stack from the top down, to a STOP (which counts) or to its end."""
    cdef evaluation_t result
    cdef int i, card, symbol, seat
    result.total[0] = result.total[1] = 0
    result.evaluated = 0
    result.arrow = False
    result.doubled[0] = result.doubled[1] = 0
    for i in range(n - 1, -1, -1):
        card = stack[i]
        symbol = card >> 3 & 3
        seat = card >> 5 & 1
        result.total[seat] += card & 7
        result.evaluated += 1
        if symbol == TIMES_2:
            result.doubled[seat] = 1
        elif symbol == ARROW:
            result.arrow = True
        elif symbol == STOP:
            break
    result.total[0] <<= result.doubled[0]
    result.total[1] <<= result.doubled[1]
    return result


cdef inline int64_t hand_sums(const int* unseen, int cards, int64_t* ways) noexcept nogil:
    """Sums of `cards` (0 to 3) cards drawn from a multiset, unseen[v] of value v (0..5).

    ways[s], s in 0..15, counts the draws of cards (each copy its own) with sum s; the result is
    their number.
    """
    cdef int64_t by_count[4][16]
    cdef int64_t total = 0
    cdef int v, k, take, s
    cdef int64_t choose
    ensure(cards >= 0)
    ensure(cards <= 3)
    for k in range(4):
        for s in range(16):
            by_count[k][s] = 0
    by_count[0][0] = 1
    for v in range(6):
        for k in range(cards, 0, -1):
            for take in range(1, k + 1):
                choose = unseen[v]
                if take > 1:
                    choose = choose * (unseen[v] - 1) // 2
                if take > 2:
                    choose = choose * (unseen[v] - 2) // 3
                if unseen[v] < take:
                    continue
                for s in range(15 - take * v, -1, -1):
                    by_count[k][s + take * v] += by_count[k - take][s] * choose
    for s in range(16):
        ways[s] = by_count[cards][s]
        total += ways[s]
    return total
