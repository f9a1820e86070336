/* A barrier for a few threads that meet often: spins a little, then yields the core to others. A barrier that
   was broken lets everybody through at once, so that no thread waits for one that will not come. */
#ifndef SOLVER_BARRIER_H
#define SOLVER_BARRIER_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
/* of windows.h no more than SwitchToThread: no macros called min and max */
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
typedef volatile long solver_flag_t;
#define SOLVER_FLAG_ADD(p, v) (_InterlockedExchangeAdd((p), (v)))
#define SOLVER_FLAG_GET(p) (_InterlockedOr((p), 0))
#define SOLVER_FLAG_SET(p, v) ((void)_InterlockedExchange((p), (v)))
#define SOLVER_YIELD() SwitchToThread()
#else
#include <sched.h>
typedef int solver_flag_t;
#define SOLVER_FLAG_ADD(p, v) (__atomic_fetch_add((p), (v), __ATOMIC_ACQ_REL))
#define SOLVER_FLAG_GET(p) (__atomic_load_n((p), __ATOMIC_ACQUIRE))
#define SOLVER_FLAG_SET(p, v) (__atomic_store_n((p), (v), __ATOMIC_RELEASE))
#define SOLVER_YIELD() sched_yield()
#endif

#define SOLVER_SPINS 40

#if defined(__x86_64__) || defined(__i386__)
#define SOLVER_PAUSE() __builtin_ia32_pause()
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#define SOLVER_PAUSE() _mm_pause()
#else
#define SOLVER_PAUSE() ((void)0)
#endif

typedef struct {
    solver_flag_t arrived;
    solver_flag_t round;
    solver_flag_t broken;
    int threads;
} solver_barrier_t;

static inline void solver_barrier_start(solver_barrier_t *b, int threads)
{
    b->threads = threads;
    SOLVER_FLAG_SET(&b->arrived, 0);
    SOLVER_FLAG_SET(&b->round, 0);
    SOLVER_FLAG_SET(&b->broken, 0);
}

static inline void solver_barrier_break(solver_barrier_t *b)
{
    SOLVER_FLAG_SET(&b->broken, 1);
}

/* Returns 0 when all threads have called it, 1 when the barrier is broken. */
static inline int solver_barrier_wait(solver_barrier_t *b)
{
    int round, spins = 0;
    if (b->threads == 1)
        return 0;
    round = (int)SOLVER_FLAG_GET(&b->round);
    if ((int)SOLVER_FLAG_ADD(&b->arrived, 1) == b->threads - 1) {
        SOLVER_FLAG_SET(&b->arrived, 0);
        SOLVER_FLAG_SET(&b->round, round + 1);
        return 0;
    }
    while ((int)SOLVER_FLAG_GET(&b->round) == round) {
        if (SOLVER_FLAG_GET(&b->broken))
            return 1;
        SOLVER_PAUSE();
        if (++spins >= SOLVER_SPINS) {
            SOLVER_YIELD();
            spins = 0;
        }
    }
    return 0;
}

#endif
