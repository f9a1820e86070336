/* Portable bit operations for the kernels: the one place that knows the compiler (atomic operations stand in
 * _barrier.h, vectors of one processor in _duel_rows.h).
 *
 * Plain C is the default; a builtin is used where it compiles to an instruction of the
 * baseline target. No function here has undefined behaviour for the arguments it names.
 * CFLAGS=-DSOLVER_PLAIN_C builds without builtins, which gives the same results everywhere.
 */
#ifndef SOLVER_BITS_H
#define SOLVER_BITS_H

#include <assert.h>
#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

/* Which compiler's own words may be used. */
#if defined(SOLVER_PLAIN_C)
#elif defined(__GNUC__) || defined(__clang__)
#define SOLVER_GNU 1
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
#define SOLVER_MSVC 1
#endif

#if defined(SOLVER_GNU)
#define SOLVER_LIKELY(x) __builtin_expect(!!(x), 1)
#define SOLVER_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SOLVER_ALWAYS_INLINE inline __attribute__((always_inline))
#define SOLVER_PREFETCH(address) __builtin_prefetch((const void *)(address))
#else
#define SOLVER_LIKELY(x) (x)
#define SOLVER_UNLIKELY(x) (x)
#define SOLVER_ALWAYS_INLINE inline
#define SOLVER_PREFETCH(address) ((void)(address))
#endif

/* Arithmetic on vectors, which both compilers lower to what the target has; they differ in one name. */
#if defined(SOLVER_GNU)
#define SOLVER_VECTORS 1
#if defined(__clang__)
#define SOLVER_SHUFFLE(mask, a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
#else
#define SOLVER_SHUFFLE(mask, a, b, ...) __builtin_shuffle(a, b, (mask){__VA_ARGS__})
#endif
#else
#define SOLVER_VECTORS 0
#endif

/* A loop over the planes of a hand that gcc unrolls before its vectoriser runs stays scalar, and what
 * is then stored a word at a time and loaded as a vector stalls. Kept rolled, it becomes SIMD. */
#if defined(SOLVER_GNU) && !defined(__clang__)
#define SOLVER_EACH_PLANE _Pragma("GCC unroll 1")
#else
#define SOLVER_EACH_PLANE
#endif

#if defined(_MSC_VER)
#define SOLVER_RESTRICT __restrict
#else
#define SOLVER_RESTRICT restrict
#endif

/* What a kernel relies on, checked in a build with SOLVER_DEBUG=1; elsewhere its argument is not even computed. */
#define SOLVER_ENSURE(holds) assert(holds)

#define SOLVER_BYTE_ONES 0x0101010101010101ULL
#define SOLVER_BYTE_TOPS 0x8080808080808080ULL

/* Byte b: the number of ones in the bytes 0..b. The top byte is the population count. */
static inline uint64_t solver_byte_sums(uint64_t x)
{
    x = x - ((x >> 1) & 0x5555555555555555ULL);
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * SOLVER_BYTE_ONES;
}

/* Number of set bits. Without a popcount instruction in the baseline, gcc's builtin is a call
 * into libgcc, which costs more than these twelve operations in line. */
static inline int solver_popcount(uint64_t x)
{
#if defined(SOLVER_GNU) && (defined(__POPCNT__) || defined(__aarch64__))
    return __builtin_popcountll(x);
#else
    return (int)(solver_byte_sums(x) >> 56);
#endif
}

/* Place of the one number k (0-based) of a byte that has more than k of them; without a branch, which
 * a random k would make unpredictable. */
static inline int solver_nth_of_byte(uint64_t byte, int k)
{
    /* of each half byte: how many ones, and the place of the one number k in the bits 2k and 2k + 1 */
    static const uint8_t ones[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
    static const uint8_t places[16] = {0x00, 0x00, 0x01, 0x04, 0x02, 0x08, 0x09, 0x24,
                                       0x03, 0x0c, 0x0d, 0x34, 0x0e, 0x38, 0x39, 0xe4};
    int in_low = ones[byte & 15];
    SOLVER_ENSURE(byte < 256 && k >= 0 && k < in_low + ones[byte >> 4]);
    int high = k >= in_low;
    return (places[(byte >> (4 * high)) & 15] >> (2 * (k - (in_low & -high))) & 3) + 4 * high;
}

/* Index of the lowest set bit; x must not be 0. */
static inline int solver_lowest(uint64_t x)
{
    SOLVER_ENSURE(x != 0);
#if defined(SOLVER_GNU)
    return __builtin_ctzll(x);
#elif defined(SOLVER_MSVC)
    unsigned long i;
    _BitScanForward64(&i, x);
    return (int)i;
#else
    return solver_popcount((x & (0 - x)) - 1);
#endif
}

/* Index of the highest set bit; x must not be 0. */
static inline int solver_highest(uint64_t x)
{
    SOLVER_ENSURE(x != 0);
#if defined(SOLVER_GNU)
    return 63 - __builtin_clzll(x);
#elif defined(SOLVER_MSVC)
    unsigned long i;
    _BitScanReverse64(&i, x);
    return (int)i;
#else
    x |= x >> 1;
    x |= x >> 2;
    x |= x >> 4;
    x |= x >> 8;
    x |= x >> 16;
    x |= x >> 32;
    return solver_popcount(x) - 1;
#endif
}

/* The n lowest bits set, 0 <= n <= 64. */
static inline uint64_t solver_low_bits(int n)
{
    SOLVER_ENSURE(n <= 64);
    return n <= 0 ? 0 : ~(uint64_t)0 >> (64 - n);
}

/* High half of a 64 x 64 bit product; the low half goes to *low. */
static inline uint64_t solver_mul128(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(SOLVER_GNU) && defined(__SIZEOF_INT128__)
    /* __extension__ keeps -Wpedantic quiet about a type that ISO C does not have. */
    __extension__ typedef unsigned __int128 wide_t;
    wide_t product = (wide_t)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#elif defined(SOLVER_MSVC) && defined(_M_X64)
    uint64_t high;
    *low = _umul128(a, b, &high);
    return high;
#else
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
    uint64_t middle = (p00 >> 32) + (p01 & 0xffffffffu) + (p10 & 0xffffffffu);
    *low = (middle << 32) | (p00 & 0xffffffffu);
    return p11 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
#endif
}

/* The 64 bits in reverse order. */
static inline uint64_t solver_reverse(uint64_t x)
{
    x = ((x >> 1) & 0x5555555555555555ULL) | ((x & 0x5555555555555555ULL) << 1);
    x = ((x >> 2) & 0x3333333333333333ULL) | ((x & 0x3333333333333333ULL) << 2);
    x = ((x >> 4) & 0x0f0f0f0f0f0f0f0fULL) | ((x & 0x0f0f0f0f0f0f0f0fULL) << 4);
    x = ((x >> 8) & 0x00ff00ff00ff00ffULL) | ((x & 0x00ff00ff00ff00ffULL) << 8);
    x = ((x >> 16) & 0x0000ffff0000ffffULL) | ((x & 0x0000ffff0000ffffULL) << 16);
    return (x >> 32) | (x << 32);
}

/* Eight bytes, the first in the lowest bits; compilers make one load of it where that is the order. */
static inline uint64_t solver_load8(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 | (uint64_t)b[4] << 32 |
           (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
}

/* Transpose of an 8 x 8 bit matrix, row i in byte i: bit j of row i goes to bit i of row j. */
static inline uint64_t solver_transpose8(uint64_t x)
{
    uint64_t t;
    t = (x ^ (x >> 7)) & 0x00aa00aa00aa00aaULL;
    x ^= t ^ (t << 7);
    t = (x ^ (x >> 14)) & 0x0000cccc0000ccccULL;
    x ^= t ^ (t << 14);
    t = (x ^ (x >> 28)) & 0x00000000f0f0f0f0ULL;
    return x ^ t ^ (t << 28);
}

/* Planes of a row of cards: 0-3 are the bits of the top numbers, 4-7 of the bottom numbers. */

/* out = row with the card at place `at` of another row put in at `place`, turned or as it lies.
 * Low part plus twice the high part is the row with a gap. The three rows do not overlap. */
static inline void solver_put(const uint64_t *SOLVER_RESTRICT row, const uint64_t *SOLVER_RESTRICT from, int at,
                              int turned, int place, uint64_t *SOLVER_RESTRICT out)
{
    const uint64_t moved = ~(uint64_t)0 << place;
    const uint64_t *top = from + (turned ? 4 : 0), *bottom = from + (turned ? 0 : 4);
    SOLVER_ENSURE(place >= 0 && place < 64 && at >= 0 && at < 64);
    SOLVER_EACH_PLANE
    for (int j = 0; j < 4; j++)
        out[j] = row[j] + (row[j] & moved) + ((top[j] >> at & 1) << place);
    SOLVER_EACH_PLANE
    for (int j = 0; j < 4; j++)
        out[4 + j] = row[4 + j] + (row[4 + j] & moved) + ((bottom[j] >> at & 1) << place);
}

/* Takes the places start .. start + length - 1 out of a row, 1 <= length <= 63; `before` becomes the
 * row as it was. The two do not overlap. */
static inline void solver_take(uint64_t *SOLVER_RESTRICT row, int start, int length, uint64_t *SOLVER_RESTRICT before)
{
    const uint64_t below = ((uint64_t)1 << start) - 1;
    SOLVER_ENSURE(start >= 0 && length >= 1 && length <= 63 && start + length <= 64);
    SOLVER_EACH_PLANE
    for (int j = 0; j < 8; j++) {
        uint64_t x = row[j];
        before[j] = x;
        row[j] = (x & below) | (x >> length & ~below);
    }
}

/* A copy, a vector at a time. */
static inline void solver_copy(const uint64_t *SOLVER_RESTRICT row, uint64_t *SOLVER_RESTRICT out)
{
    SOLVER_EACH_PLANE
    for (int j = 0; j < 8; j++)
        out[j] = row[j];
}

#endif
