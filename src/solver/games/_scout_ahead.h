/* How a row of SCOUT cards goes on if nothing is put into it: Shows take sets out, and what stood around them comes
 * together. The least Shows that empty it, and what sets come together on the way.
 *
 * A set that is shown in the end is a chain of cards, whatever stands between two of them shown before. Let least(i, j)
 * empty the cards from i up to j, and joined(i, j) do so if card i goes on a set of its kind that began before; then
 *
 *     joined(i, j) = min(set + least(i + 1, j), rest(i, j)),   least(i, j) = min(single + least(i + 1, j), rest(i, j)),
 *     rest(i, j) = min over k, which goes on the set after i, of least(i + 1, k) + joined(k, j)
 *
 * for all j at once. Numbers are whole, so every compiler gives the same.
 */
#ifndef SOLVER_SCOUT_AHEAD_H
#define SOLVER_SCOUT_AHEAD_H

#include "../_bits.h"

#define SCOUT_AHEAD 32           /* cards that are looked at */
#define SCOUT_SHOW 64            /* a Show counts so much, one of a single card 1 more */
#define SCOUT_NEVER 0x3fff
#define SCOUT_CODE 32            /* a card in the code of a set; 16: a group; then the smallest number */

/* Masks of the lanes up to one, which are for no cards. */
static const int16_t SCOUT_BEFORE[2 * SCOUT_AHEAD] = {
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
};

/* out[j] = min(out[j], from[j] + cost) in the lanes from k on */
static SOLVER_ALWAYS_INLINE void scout_lower(
    int16_t *SOLVER_RESTRICT out, const int16_t *SOLVER_RESTRICT from, int k, int cost, int lanes)
{
    const int16_t *before = SCOUT_BEFORE + SCOUT_AHEAD - k;
    SOLVER_EACH_PLANE
    for (int j = 0; j < lanes; j++) {
        int16_t x = (int16_t)((int16_t)(from[j] + cost) | before[j]);
        out[j] = x < out[j] ? x : out[j];
    }
}

/* Lane j - 1 of a row i is for the cards i up to j. Loops run over all kinds of sets at once, and what is not there is
 * less than what is: a branch here goes either way as often, and costs more than what it saves. */
static SOLVER_ALWAYS_INLINE int scout_look_ahead(const uint8_t *number, int n, int *best, int lanes)
{
    int16_t least[SCOUT_AHEAD + 1][SCOUT_AHEAD], joined[SCOUT_AHEAD][3][SCOUT_AHEAD];
    int longest[SCOUT_AHEAD][3][6]; /* after so many Shows, behind three that are none */
    uint32_t places[18] = {0};      /* of the cards behind i, by number, from 1 on */
    SOLVER_EACH_PLANE
    for (int j = 0; j < lanes; j++)
        least[n][j] = 0;
    best[0] = best[1] = best[2] = 0;
    for (int i = n - 1; i >= 0; i--) {
        const int16_t *before = SCOUT_BEFORE + SCOUT_AHEAD - i;
        const int16_t *next = least[i + 1];
        const int own = number[i];
        uint32_t behind = places[own] | places[own + 1] | places[own + 2];
        for (int kind = 0; kind < 3; kind++) {
            SOLVER_EACH_PLANE
            for (int j = 0; j < lanes; j++)
                joined[i][kind][j] = SCOUT_NEVER;
            for (int c = 0; c < 3; c++) {
                longest[i][kind][c] = 0;
                longest[i][kind][3 + c] = SCOUT_CODE | (kind == 0) << 4 | own;
            }
        }
        while (behind) {
            const int k = solver_lowest(behind);
            const int step = number[k] - own, kind = step & 3 ? 1 + (step < 0) : 0;
            const int cost = k == i + 1 ? 0 : next[k - 1];
            const int shows = cost < 3 * SCOUT_SHOW ? cost / SCOUT_SHOW : 3;
            const int kept = step == 1 ? ~15 : ~0, low = step == 1 ? own : 0;
            behind &= behind - 1;
            scout_lower(joined[i][kind], joined[k][kind], k, cost, lanes);
            for (int c = 0; c < 3; c++) {
                const int grown = ((longest[k][kind][3 + c - shows] + SCOUT_CODE) & kept) | low;
                int *code = &longest[i][kind][3 + c];
                *code = grown > *code ? grown : *code;
            }
        }
        for (int c = 0; c < 3; c++)
            for (int kind = 0; kind < 3; kind++)
                best[c] = longest[i][kind][3 + c] > best[c] ? longest[i][kind][3 + c] : best[c];
        SOLVER_EACH_PLANE
        for (int j = 0; j < lanes; j++) {
            int16_t x = (int16_t)(next[j] + SCOUT_SHOW + 1), y = joined[i][0][j];
            x = x < y ? x : y;
            y = joined[i][1][j];
            x = x < y ? x : y;
            y = joined[i][2][j];
            x = x < y ? x : y;
            least[i][j] = (int16_t)(before[j] ? 0 : x);
        }
        for (int kind = 0; kind < 3; kind++)
            SOLVER_EACH_PLANE
            for (int j = 0; j < lanes; j++) {
                int16_t x = (int16_t)(next[j] + SCOUT_SHOW), y = joined[i][kind][j];
                joined[i][kind][j] = x < y ? x : y;
            }
        places[own + 1] |= (uint32_t)1 << i;
    }
    return n ? least[0][n - 1] : 0;
}

/* The least Shows that empty a row of n numbers from 1 to 15, and how many of these are of one card. `best`: codes of
 * the strongest of the longest sets that there may be after none, one and two Shows; 0 if there is no card. Of cards
 * beyond SCOUT_AHEAD each is a Show. */
static inline void scout_ahead(const uint8_t *number, int n, int *shows, int *singles, int *best)
{
    const int seen = n < SCOUT_AHEAD ? n : SCOUT_AHEAD;
    const int least = seen <= 8    ? scout_look_ahead(number, seen, best, 8)
                      : seen <= 16 ? scout_look_ahead(number, seen, best, 16)
                                   : scout_look_ahead(number, seen, best, SCOUT_AHEAD);
    *shows = least / SCOUT_SHOW + n - seen;
    *singles = least % SCOUT_SHOW + n - seen;
}

#endif
