/* Portable bit operations for the kernels: the one place that knows the compiler.
 *
 * Plain C is the default; a builtin is used where it compiles to an instruction of the
 * baseline target. No function here has undefined behaviour for the arguments it names.
 */
#ifndef SOLVER_BITS_H
#define SOLVER_BITS_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SOLVER_LIKELY(x) __builtin_expect(!!(x), 1)
#define SOLVER_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define SOLVER_LIKELY(x) (x)
#define SOLVER_UNLIKELY(x) (x)
#endif

/* Number of set bits. Without a popcount instruction in the baseline, gcc's builtin is a call
 * into libgcc, which costs more than these twelve operations in line. */
static inline int solver_popcount(uint64_t x)
{
#if defined(__POPCNT__) || defined(__aarch64__)
    return __builtin_popcountll(x);
#else
    x = x - ((x >> 1) & 0x5555555555555555ULL);
    x = (x & 0x3333333333333333ULL) + ((x >> 2) & 0x3333333333333333ULL);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
    return (int)((x * 0x0101010101010101ULL) >> 56);
#endif
}

/* Index of the lowest set bit; x must not be 0. */
static inline int solver_lowest(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return __builtin_ctzll(x);
#elif defined(_MSC_VER) && defined(_WIN64)
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
#if defined(__GNUC__) || defined(__clang__)
    return 63 - __builtin_clzll(x);
#elif defined(_MSC_VER) && defined(_WIN64)
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
    return n <= 0 ? 0 : ~(uint64_t)0 >> (64 - n);
}

/* High half of a 64 x 64 bit product; the low half goes to *low. */
static inline uint64_t solver_mul128(uint64_t a, uint64_t b, uint64_t *low)
{
#if defined(__SIZEOF_INT128__)
    /* __extension__ keeps -Wpedantic quiet about a type that ISO C does not have. */
    __extension__ typedef unsigned __int128 wide_t;
    wide_t product = (wide_t)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#elif defined(_MSC_VER) && defined(_M_X64)
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

#endif
