/* The bidding duel's update over all histories: rows of 16 numbers, one for each sum of a hand.
 *
 * `duel_update` is one player's half of an iteration of counterfactual regret minimization. It stands in C
 * because it is compiled once for each width of vector (`_duel_walk.h`) and chosen when it runs: a walk with
 * vectors of 4 floats, which every x86-64 and ARM64 has, takes a third of the time of plain C by gcc, and
 * one with 16 (AVX-512) a fifth. Vectors of 8 (AVX2) gained nothing over 4.
 *
 * A history is a set of bids of the menu; who holds the greatest bid number j of `size` has
 * height = size - 1 - j bids above it (the empty history: height = size). Its block of rows has one for
 * each greater bid, in ascending order, then one for the doubt; the blocks of the sub-trees
 * follow, the smallest first. So a sub-tree lies in one piece, and a walk goes through memory in one
 * direction. Height 0 has no block: only the doubt is left.
 */
#ifndef SOLVER_DUEL_ROWS_H
#define SOLVER_DUEL_ROWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "_bits.h"

#define SOLVER_DUEL_BIDS 31
/* A strategy is taken from regrets that add up to more than this; below it, it is uniform. */
#define SOLVER_DUEL_TINY ((float)1e-30)
#define SOLVER_DUEL_POLL 9   /* sub-trees of this height are looked at for the need to stop: 512 histories */
#define SOLVER_DUEL_AHEAD 16 /* lines of 64 bytes fetched ahead of a sub-tree */

#if SOLVER_VECTORS && defined(__x86_64__)
#include <immintrin.h>
#define SOLVER_DUEL_X86 1
/* From place 16 + shift on, which of 16 pay-offs (the last of them the total) and, from 16 on, what stands below. */
static const int32_t duel_window[48] = {16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16,
                                        0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                        15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15};
#else
#define SOLVER_DUEL_X86 0
#endif

typedef struct {
    void *regrets, *averages; /* rows, at a multiple of 64 bytes */
    uint32_t *stamps;         /* by node: the iteration of the last update */
    /* by iteration: the logarithm of the product of the discounts before it */
    const double *log_gains, *log_losses;
    double gain, loss; /* discounts of positive and negative regrets at this iteration */
    double weight;     /* of this iteration in the average */
    double sign;       /* 1 for player 0, -1 for player 1 */
    int64_t nodes;     /* histories walked, ever */
    int64_t next_poll; /* number of `nodes` at which to ask again */
    int64_t poll_every;
    int (*poll)(void *owner); /* whether to stop; needs no GIL */
    void *owner;
    uint32_t iteration; /* from 1 */
    int32_t size;       /* of the menu */
    int32_t plus;       /* CFR+: regrets are cut at 0 and not discounted */
    int32_t stopped;
    int32_t bids[SOLVER_DUEL_BIDS];
    int32_t shifts[SOLVER_DUEL_BIDS]; /* of the doubts' pay-offs, by number of the bid */
} duel_walk;

/* Where the block of a sub-tree starts, `under` bids above its last bid, 1 <= under < height. A sub-tree of
 * height h has 3 * 2^(h - 1) - 1 rows in 2^(h - 1) blocks. */
static SOLVER_ALWAYS_INLINE size_t duel_block(size_t block, int height, int under)
{
    return block + (size_t)(height - under) + ((size_t)3 << (under - 1)) - 1;
}

static SOLVER_ALWAYS_INLINE size_t duel_node(size_t node, int under)
{
    return node + ((size_t)1 << (under - 1));
}

/* Chance that three cards of a fresh deck have the sum s. */
static inline double duel_chance(int s)
{
    static const double ways[16] = {10, 50, 100, 185, 275, 400, 485, 525, 525, 485, 400, 275, 185, 100, 50, 10};
    return ways[s] / 4060;
}

static inline void duel_poll(duel_walk *w)
{
    w->next_poll = w->nodes + w->poll_every;
    w->stopped = w->poll(w->owner);
}

/* Numbers next to zero (denormals) are a hundred times slower than others and count for nothing here:
 * the processor takes them as 0 between duel_flush_on and duel_flush_off. Elsewhere the results hold too,
 * since only sums above SOLVER_DUEL_TINY are divided by. */
#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
static inline uint64_t duel_flush_on(void)
{
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040); /* FTZ and DAZ */
    return before;
}
static inline void duel_flush_off(uint64_t before)
{
    _mm_setcsr((unsigned)before);
}
#elif defined(__aarch64__) && defined(SOLVER_GNU)
static inline uint64_t duel_flush_on(void)
{
    uint64_t before;
    __asm__ __volatile__("mrs %0, fpcr" : "=r"(before));
    __asm__ __volatile__("msr fpcr, %0" : : "r"(before | (uint64_t)1 << 24) : "memory"); /* FZ */
    return before;
}
static inline void duel_flush_off(uint64_t before)
{
    __asm__ __volatile__("msr fpcr, %0" : : "r"(before) : "memory");
}
#else
static inline uint64_t duel_flush_on(void)
{
    return 0;
}
static inline void duel_flush_off(uint64_t before)
{
    (void)before;
}
#endif

#define DUEL_REAL double
#define DUEL_INT int64_t
#define DUEL_LANES 1
#define DUEL_TARGET
#define DUEL_NAME(x) duel_double_##x
#include "_duel_walk.h"

#define DUEL_REAL float
#define DUEL_INT int32_t
#define DUEL_LANES 1
#define DUEL_TARGET
#define DUEL_NAME(x) duel_plain_##x
#include "_duel_walk.h"

#if SOLVER_VECTORS
#define DUEL_REAL float
#define DUEL_INT int32_t
#define DUEL_LANES 4
#define DUEL_TARGET
#define DUEL_NAME(x) duel_four_##x
#include "_duel_walk.h"
#endif

#if SOLVER_DUEL_X86
#define DUEL_REAL float
#define DUEL_INT int32_t
#define DUEL_LANES 16
#define DUEL_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))
#define DUEL_NAME(x) duel_sixteen_##x
#include "_duel_walk.h"
#endif

/* The widest vector of floats that this processor and this build have: 1, 4 or 16 numbers. */
static int duel_widest(void)
{
#if SOLVER_DUEL_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return 16;
#endif
    return SOLVER_VECTORS ? 4 : 1;
}

/* One player's update. `lanes` is one of the widths up to duel_widest(), or 0 for double precision. */
static void duel_update(duel_walk *w, int seat, int lanes)
{
    uint64_t before = duel_flush_on();
    w->sign = seat ? -1 : 1;
    /* s + o >= b: the first s + 15 - b places of the rival's row, which stands in descending order; for
     * player 1, whose own row is descending, all but the first u + b - 16 */
    for (int i = 0; i < w->size; i++)
        w->shifts[i] = seat ? w->bids[i] - 16 : 15 - w->bids[i];
    switch (lanes) {
    case 0:
        duel_double_pass(w, seat);
        break;
#if SOLVER_DUEL_X86
    case 16:
        duel_sixteen_pass(w, seat);
        break;
#endif
#if SOLVER_VECTORS
    case 4:
        duel_four_pass(w, seat);
        break;
#endif
    default:
        duel_plain_pass(w, seat);
    }
    duel_flush_off(before);
}

#endif
