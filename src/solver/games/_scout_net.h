/* The net of the learnt rule: one layer of rectified linear units, its sums kept in registers.
 *
 * Every instance adds in the same order, so the same constants and features give the same bits everywhere.
 */
#ifndef SOLVER_SCOUT_NET_H
#define SOLVER_SCOUT_NET_H

#include "../_bits.h"

#define SCOUT_HIDDEN 32
#define SCOUT_LANES 4
#define SCOUT_PARTS (SCOUT_HIDDEN / SCOUT_LANES)

#if SOLVER_VECTORS
typedef float scout_part __attribute__((vector_size(SCOUT_LANES * sizeof(float)), aligned(sizeof(float)), may_alias));
typedef int scout_mask __attribute__((vector_size(SCOUT_LANES * sizeof(int))));
#endif

/* units[j] = base[j] + the sum over k < n of feature[k] * weight[k][j] */
static inline void scout_net_add(
    const float *SOLVER_RESTRICT base, const float *SOLVER_RESTRICT weight, const float *SOLVER_RESTRICT feature, int n,
    float *SOLVER_RESTRICT units)
{
#if SOLVER_VECTORS
    const scout_part *start = (const scout_part *)base;
    scout_part a = start[0], b = start[1], c = start[2], d = start[3];
    scout_part e = start[4], f = start[5], g = start[6], h = start[7];
    scout_part *out = (scout_part *)units;
    for (int k = 0; k < n; k++) {
        const scout_part *w = (const scout_part *)(weight + k * SCOUT_HIDDEN);
        const float x = feature[k];
        a += x * w[0];
        b += x * w[1];
        c += x * w[2];
        d += x * w[3];
        e += x * w[4];
        f += x * w[5];
        g += x * w[6];
        h += x * w[7];
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
    out[4] = e;
    out[5] = f;
    out[6] = g;
    out[7] = h;
#else
    for (int j = 0; j < SCOUT_HIDDEN; j++)
        units[j] = base[j];
    for (int k = 0; k < n; k++)
        for (int j = 0; j < SCOUT_HIDDEN; j++)
            units[j] += feature[k] * weight[k * SCOUT_HIDDEN + j];
#endif
}

/* The sum of out[j] * max(units[j], 0), four sums at once. */
static inline float scout_net_fold(const float *SOLVER_RESTRICT units, const float *SOLVER_RESTRICT out)
{
#if SOLVER_VECTORS
    const scout_part *u = (const scout_part *)units, *o = (const scout_part *)out;
    scout_part sum = (scout_part)((scout_mask)(o[0] * u[0]) & (scout_mask)(u[0] > 0));
    for (int k = 1; k < SCOUT_PARTS; k++)
        sum += (scout_part)((scout_mask)(o[k] * u[k]) & (scout_mask)(u[k] > 0));
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
#else
    float sum[SCOUT_LANES];
    for (int j = 0; j < SCOUT_LANES; j++)
        sum[j] = units[j] > 0 ? out[j] * units[j] : 0;
    for (int k = SCOUT_LANES; k < SCOUT_HIDDEN; k += SCOUT_LANES)
        for (int j = 0; j < SCOUT_LANES; j++)
            sum[j] += units[k + j] > 0 ? out[k + j] * units[k + j] : 0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
#endif
}

#endif
