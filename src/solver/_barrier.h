/* A barrier for a few threads that meet often: spins a little, then yields the core to others. */
#ifndef SOLVER_BARRIER_H
#define SOLVER_BARRIER_H

#include <stdint.h>

#if defined(_MSC_VER)
#include <intrin.h>
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

#define SOLVER_SPINS 2000

typedef struct {
    solver_flag_t arrived;
    solver_flag_t round;
    int threads;
} solver_barrier_t;

static inline void solver_barrier_start(solver_barrier_t *b, int threads)
{
    b->threads = threads;
    SOLVER_FLAG_SET(&b->arrived, 0);
    SOLVER_FLAG_SET(&b->round, 0);
}

/* Returns when all threads have called it. */
static inline void solver_barrier_wait(solver_barrier_t *b)
{
    int round, spins = 0;
    if (b->threads == 1)
        return;
    round = (int)SOLVER_FLAG_GET(&b->round);
    if ((int)SOLVER_FLAG_ADD(&b->arrived, 1) == b->threads - 1) {
        SOLVER_FLAG_SET(&b->arrived, 0);
        SOLVER_FLAG_SET(&b->round, round + 1);
        return;
    }
    while ((int)SOLVER_FLAG_GET(&b->round) == round) {
        if (++spins >= SOLVER_SPINS) {
            SOLVER_YIELD();
            spins = 0;
        }
    }
}

#endif
