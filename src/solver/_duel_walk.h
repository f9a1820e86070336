/* The walk of `_duel_rows.h`, once for each kind of number and each width of vector; no include guard.
 *
 * Before the inclusion stand
 *   DUEL_REAL, DUEL_INT     float or double, and the int of its size
 *   DUEL_LANES              numbers in a vector: 1 (plain C), 4 or 16
 *   DUEL_TARGET             attributes of all functions
 *   DUEL_NAME(x)            their names
 * and the end of this file undefines them. All instances of one DUEL_REAL give the same bits: each adds in
 * the same order, and none contracts a product and a sum (-ffp-contract=off).
 *
 * A row is 16 numbers, one for each sum of its player. Rows of player 0 stand in ascending order of the
 * sums, rows of player 1 in descending order. "The own sum s and the rival's o reach the bid b" is then
 * a prefix of the rival's row, the longer the greater s (player 0) or the smaller s (player 1): one prefix
 * sum of the rival's reach, shifted by an amount that depends on the bid alone, gives a doubt's pay-off
 * for all own sums at once.
 */
#define DUEL_PARTS (16 / DUEL_LANES)
#define DUEL_EACH for (int k = 0; k < DUEL_PARTS; k++)
#define DUEL_INLINE DUEL_TARGET static SOLVER_ALWAYS_INLINE
#define DUEL_PART DUEL_NAME(part)
#define DUEL_MASK DUEL_NAME(mask)
#define DUEL_ROW DUEL_NAME(row)
#define DUEL_PAYOFFS DUEL_NAME(payoffs)

#if DUEL_LANES == 1
typedef DUEL_REAL DUEL_PART;
#else
typedef DUEL_REAL DUEL_PART __attribute__((vector_size(DUEL_LANES * sizeof(DUEL_REAL))));
typedef DUEL_INT DUEL_MASK __attribute__((vector_size(DUEL_LANES * sizeof(DUEL_REAL))));
#endif
typedef struct {
    DUEL_PART p[DUEL_PARTS];
} DUEL_ROW;

/* The pay-offs of doubts: -total x 16, then 2 * prefix sum - total, then total x 16; all negated for player 1. A
 * window of 16 of these 48 numbers is the pay-off of one bid. */
typedef struct {
    DUEL_ROW below, inside, above;
} DUEL_PAYOFFS;

/* -- one part of a row */

DUEL_INLINE DUEL_PART DUEL_NAME(all)(DUEL_REAL x)
{
#if DUEL_LANES == 1
    return x;
#else
    return (DUEL_PART){0} + x;
#endif
}

/* max(x, 0) */
DUEL_INLINE DUEL_PART DUEL_NAME(positive)(DUEL_PART x)
{
#if DUEL_LANES == 1
    return x > 0 ? x : 0;
#else
    return (DUEL_PART)((DUEL_MASK)x & (x > 0));
#endif
}

/* a where x > bound, else b */
DUEL_INLINE DUEL_PART DUEL_NAME(where)(DUEL_PART x, DUEL_REAL bound, DUEL_PART a, DUEL_PART b)
{
#if DUEL_LANES == 1
    return x > bound ? a : b;
#else
    DUEL_MASK greater = x > bound;
    return (DUEL_PART)(((DUEL_MASK)a & greater) | ((DUEL_MASK)b & ~greater));
#endif
}

/* -- rows */

/* Whether a number of a row without negative numbers is positive. */
DUEL_INLINE int DUEL_NAME(any)(const DUEL_ROW *row)
{
#if DUEL_LANES == 1
    DUEL_REAL most = 0;
    DUEL_EACH most = row->p[k] > most ? row->p[k] : most;
    return most > 0;
#else
    DUEL_MASK bits = (DUEL_MASK)row->p[0];
    DUEL_INT any = 0;
    for (int k = 1; k < DUEL_PARTS; k++)
        bits |= (DUEL_MASK)row->p[k];
    for (int i = 0; i < DUEL_LANES; i++)
        any |= bits[i];
    return any != 0;
#endif
}

/* Prefix sums: first within groups of four numbers, each as (a, a+b, (b+c)+a, (c+d)+(a+b)), then what the
 * groups before add up to: t0, t0+t1, t0+(t1+t2). */
DUEL_INLINE void DUEL_NAME(prefix)(DUEL_ROW *row)
{
#if DUEL_LANES == 1
    DUEL_REAL *x = row->p, total[4], before[4];
    for (int g = 0; g < 16; g += 4) {
        DUEL_REAL a = x[g], b = x[g + 1], c = x[g + 2], d = x[g + 3];
        x[g + 1] = b + a;
        x[g + 2] = (c + b) + a;
        x[g + 3] = (d + c) + (b + a);
        total[g / 4] = x[g + 3];
    }
    before[1] = total[0];
    before[2] = total[0] + total[1];
    before[3] = total[0] + (total[1] + total[2]);
    for (int g = 1; g < 4; g++)
        for (int i = 0; i < 4; i++)
            x[4 * g + i] = x[4 * g + i] + before[g];
#elif DUEL_LANES == 4
    const DUEL_PART zero = {0};
    DUEL_PART total[3];
    DUEL_EACH {
        DUEL_PART x = row->p[k];
        x = x + SOLVER_SHUFFLE(DUEL_MASK, zero, x, 0, 4, 5, 6);
        x = x + SOLVER_SHUFFLE(DUEL_MASK, zero, x, 0, 1, 4, 5);
        row->p[k] = x;
    }
    for (int k = 0; k < 3; k++)
        total[k] = SOLVER_SHUFFLE(DUEL_MASK, row->p[k], row->p[k], 3, 3, 3, 3);
    row->p[1] += total[0];
    row->p[2] += total[0] + total[1];
    row->p[3] += total[0] + (total[1] + total[2]);
#else
    const DUEL_PART zero = {0};
    DUEL_PART x = row->p[0], total, a, b;
    x = x + SOLVER_SHUFFLE(DUEL_MASK, zero, x, 0, 16, 17, 18, 4, 20, 21, 22, 8, 24, 25, 26, 12, 28, 29, 30);
    x = x + SOLVER_SHUFFLE(DUEL_MASK, zero, x, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
    total = SOLVER_SHUFFLE(DUEL_MASK, x, x, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15);
    a = SOLVER_SHUFFLE(DUEL_MASK, zero, total, 0, 0, 0, 0, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 16);
    b = SOLVER_SHUFFLE(DUEL_MASK, zero, total, 0, 0, 0, 0, 0, 0, 0, 0, 20, 20, 20, 20, 20, 20, 20, 20);
    b = b + SOLVER_SHUFFLE(DUEL_MASK, zero, total, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24, 24, 24, 24);
    row->p[0] = x + (a + b);
#endif
}

/* Pay-offs of doubts, for the walk's own player as the bidder, against a reach of the rival. */
DUEL_INLINE void DUEL_NAME(all_doubts)(const DUEL_ROW *reach, DUEL_REAL sign, DUEL_PAYOFFS *payoffs)
{
    DUEL_ROW sums = *reach;
    DUEL_REAL total, twice = sign + sign;
    DUEL_NAME(prefix)(&sums);
#if DUEL_LANES == 1
    total = sums.p[15] * sign;
#else
    total = sums.p[DUEL_PARTS - 1][DUEL_LANES - 1] * sign;
#endif
    DUEL_EACH {
        payoffs->below.p[k] = DUEL_NAME(all)(-total);
        payoffs->inside.p[k] = sums.p[k] * twice - total;
        payoffs->above.p[k] = DUEL_NAME(all)(total);
    }
}

/* out += pay-off if the own bid is doubted (factor 1), or if a bid of the rival is (factor -1). */
DUEL_INLINE void DUEL_NAME(add_doubt)(const DUEL_PAYOFFS *payoffs, int shift, DUEL_REAL factor, DUEL_ROW *out)
{
#if DUEL_LANES == 16
    /* one permutation in place of a load from where parts were stored just now, for which a processor waits */
    const __m512i at = _mm512_loadu_si512(duel_window + 16 + shift);
    const DUEL_PART row = (DUEL_PART)_mm512_permutex2var_ps(payoffs->inside.p[0], at, payoffs->below.p[0]);
    out->p[0] += row * factor;
#else
    DUEL_ROW row;
    memcpy(&row, (const char *)payoffs + (16 + shift) * sizeof(DUEL_REAL), sizeof row);
    DUEL_EACH out->p[k] += row.p[k] * factor;
#endif
}

/* -- the walk */

DUEL_TARGET static void DUEL_NAME(own)(duel_walk *w, int height, size_t block, size_t node, const DUEL_ROW *reach,
                                       DUEL_ROW *value);

/* A history where the rival decides: his strategy from his regrets, his average, the values added up. */
DUEL_TARGET static void DUEL_NAME(rival)(duel_walk *w, int height, size_t block, size_t node, const DUEL_ROW *reach,
                                         DUEL_ROW *value)
{
    const DUEL_ROW *regrets = (const DUEL_ROW *)w->regrets + block;
    DUEL_ROW *averages = (DUEL_ROW *)w->averages + block;
    const int actions = height + (height < w->size);
    const DUEL_REAL uniform = (DUEL_REAL)1 / (DUEL_REAL)actions, weight = (DUEL_REAL)w->weight;
    DUEL_ROW sum, scale, rest, now;
    DUEL_PAYOFFS payoffs;
    w->nodes++;
    DUEL_EACH sum.p[k] = DUEL_NAME(all)(0);
    for (int a = 0; a < actions; a++)
        DUEL_EACH sum.p[k] += DUEL_NAME(positive)(regrets[a].p[k]);
    DUEL_EACH {
        const DUEL_PART one = DUEL_NAME(all)(1), zero = DUEL_NAME(all)(0), s = sum.p[k];
        scale.p[k] = DUEL_NAME(where)(s, SOLVER_DUEL_TINY, one / DUEL_NAME(where)(s, SOLVER_DUEL_TINY, s, one), zero);
        rest.p[k] = DUEL_NAME(where)(s, SOLVER_DUEL_TINY, zero, DUEL_NAME(all)(uniform));
        value->p[k] = zero;
    }
    /* from the last action to the first: the order in which the sub-trees lie in memory */
    for (int a = actions - 1; a >= 0 && !w->stopped; a--) {
        const int under = height - 1 - a;
        DUEL_EACH now.p[k] = reach->p[k] * (DUEL_NAME(positive)(regrets[a].p[k]) * scale.p[k] + rest.p[k]);
        if (!DUEL_NAME(any)(&now))
            continue;
        DUEL_EACH averages[a].p[k] += now.p[k] * weight;
        if (under > 0) {
            DUEL_ROW below;
            DUEL_NAME(own)(w, under, duel_block(block, height, under), duel_node(node, under), &now, &below);
            DUEL_EACH value->p[k] += below.p[k];
        } else {
            DUEL_NAME(all_doubts)(&now, (DUEL_REAL)w->sign, &payoffs);
            /* the greatest bid must be doubted; else he doubts the bid that stands */
            if (under == 0)
                DUEL_NAME(add_doubt)(&payoffs, w->shifts[w->size - 1], -1, value);
            else
                DUEL_NAME(add_doubt)(&payoffs, w->shifts[w->size - 1 - height], 1, value);
        }
    }
}

/* A history where the walk's own player decides: values of all actions, then the regrets. */
DUEL_TARGET static void DUEL_NAME(own)(duel_walk *w, int height, size_t block, size_t node, const DUEL_ROW *reach,
                                       DUEL_ROW *value)
{
    DUEL_ROW *regrets = (DUEL_ROW *)w->regrets + block;
    const int actions = height + (height < w->size);
    DUEL_ROW values[SOLVER_DUEL_BIDS + 1], sum, weighted, mean;
    DUEL_PAYOFFS payoffs;
    DUEL_REAL gain, loss;
    if (SOLVER_UNLIKELY(w->stopped)) {
        DUEL_EACH value->p[k] = DUEL_NAME(all)(0); /* of no further use */
        return;
    }
    w->nodes++;
    DUEL_NAME(all_doubts)(reach, (DUEL_REAL)w->sign, &payoffs);
    DUEL_EACH sum.p[k] = weighted.p[k] = mean.p[k] = DUEL_NAME(all)(0);
    for (int a = actions - 1; a >= 0; a--) {
        const int under = height - 1 - a;
        if (under >= 0 && under + 1 < height) {
            /* the next sub-tree is on its way from memory while this one is walked */
            const size_t next = duel_block(block, height, under + 1) * sizeof(DUEL_ROW);
            const uintptr_t r = (uintptr_t)w->regrets + next, s = (uintptr_t)w->averages + next;
            for (uintptr_t i = 0; i < 64 * SOLVER_DUEL_AHEAD; i += 64) {
                SOLVER_PREFETCH(r + i);
                SOLVER_PREFETCH(s + i);
            }
        }
        if (under > 0) {
            DUEL_NAME(rival)(w, under, duel_block(block, height, under), duel_node(node, under), reach, &values[a]);
        } else {
            DUEL_EACH values[a].p[k] = DUEL_NAME(all)(0);
            if (under == 0)
                DUEL_NAME(add_doubt)(&payoffs, w->shifts[w->size - 1], 1, &values[a]);
            else
                DUEL_NAME(add_doubt)(&payoffs, w->shifts[w->size - 1 - height], -1, &values[a]);
        }
        DUEL_EACH {
            const DUEL_PART p = DUEL_NAME(positive)(regrets[a].p[k]);
            sum.p[k] += p;
            weighted.p[k] += p * values[a].p[k];
            mean.p[k] += values[a].p[k];
        }
    }
    if (SOLVER_UNLIKELY(height == SOLVER_DUEL_POLL) && w->nodes >= w->next_poll)
        duel_poll(w);
    if (SOLVER_UNLIKELY(w->stopped)) {
        *value = mean;
        return;
    }
    DUEL_EACH {
        const DUEL_PART s = sum.p[k], one = DUEL_NAME(all)(1);
        value->p[k] = DUEL_NAME(where)(s, SOLVER_DUEL_TINY,
                                       weighted.p[k] / DUEL_NAME(where)(s, SOLVER_DUEL_TINY, s, one),
                                       mean.p[k] * ((DUEL_REAL)1 / (DUEL_REAL)actions));
    }
    if (w->plus) {
        for (int a = 0; a < actions; a++)
            DUEL_EACH regrets[a].p[k] =
                DUEL_NAME(positive)(regrets[a].p[k] + (values[a].p[k] - value->p[k]));
        return;
    }
    gain = (DUEL_REAL)w->gain;
    loss = (DUEL_REAL)w->loss;
    if (w->stamps[node] + 1 != w->iteration) {
        /* the rival did not come here for a while: the discounts of those iterations, which are all that
         * they would have done */
        gain = (DUEL_REAL)exp(w->log_gains[w->iteration] - w->log_gains[w->stamps[node]]);
        loss = (DUEL_REAL)exp(w->log_losses[w->iteration] - w->log_losses[w->stamps[node]]);
    }
    w->stamps[node] = w->iteration;
    for (int a = 0; a < actions; a++)
        DUEL_EACH {
            const DUEL_PART r = regrets[a].p[k];
            regrets[a].p[k] = r * DUEL_NAME(where)(r, 0, DUEL_NAME(all)(gain), DUEL_NAME(all)(loss)) +
                              (values[a].p[k] - value->p[k]);
        }
}

/* One iteration's update of one player. */
DUEL_TARGET static void DUEL_NAME(pass)(duel_walk *w, int seat)
{
    DUEL_ROW reach, value;
    DUEL_REAL chances[16];
    for (int s = 0; s < 16; s++)
        chances[s] = (DUEL_REAL)duel_chance(s); /* alike in both orders of the sums */
    memcpy(&reach, chances, sizeof reach);
    if (seat == 0)
        DUEL_NAME(own)(w, w->size, 0, 0, &reach, &value);
    else
        DUEL_NAME(rival)(w, w->size, 0, 0, &reach, &value);
}

#undef DUEL_PARTS
#undef DUEL_EACH
#undef DUEL_INLINE
#undef DUEL_PART
#undef DUEL_MASK
#undef DUEL_ROW
#undef DUEL_PAYOFFS
#undef DUEL_REAL
#undef DUEL_INT
#undef DUEL_LANES
#undef DUEL_TARGET
#undef DUEL_NAME
