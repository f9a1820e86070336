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

/* What there is to know of the cards from one on. Cards count from the right end of a row, so that what stands right of
 * a change keeps its place. Lane j is for the cards up to the last j; lanes behind the card itself are for none. */
typedef struct {
    int16_t least[SCOUT_AHEAD], joined[3][SCOUT_AHEAD];
    int longest[3][6];           /* of a set that goes on with the card, after so many Shows, behind three that are none */
    int best[3];                 /* of any set */
    int number;
} scout_card;

/* A hand, and behind it the cards of a hand that an option leaves, from the change on. */
typedef struct {
    scout_card card[2 * SCOUT_AHEAD];
    uint32_t places[18];         /* of the hand's cards, by number, from 1 on */
    int n, lanes;
} scout_row;

/* Masks of the lanes behind one. */
static const int16_t SCOUT_BEHIND[2 * SCOUT_AHEAD] = {
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
    SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER, SCOUT_NEVER,
};
static const int16_t SCOUT_NO_CARD[SCOUT_AHEAD] = {0};

/* out[j] = min(out[j], from[j] + cost) in the first lanes */
static SOLVER_ALWAYS_INLINE void scout_lower(
    int16_t *SOLVER_RESTRICT out, const int16_t *SOLVER_RESTRICT from, int first, int cost, int lanes)
{
    const int16_t *behind = SCOUT_BEHIND + SCOUT_AHEAD - first;
    SOLVER_EACH_PLANE
    for (int j = 0; j < lanes; j++) {
        int16_t x = (int16_t)((int16_t)(from[j] + cost) | behind[j]);
        out[j] = x < out[j] ? x : out[j];
    }
}

/* Fill in card e: `at` stands behind the cards before it, `next` is the last of them, `related` those whose numbers
 * differ by 1 at most; the first `kept` of them are `shift` places before.
 *
 * Loops run over all kinds of sets at once, and what is not there is less than what is: a branch here goes either way
 * as often, and costs more than what it saves. */
static SOLVER_ALWAYS_INLINE void scout_fill_card(
    scout_card *at, const scout_card *next, int e, int own, uint32_t related, int kept, int shift, int lanes)
{
    const int16_t *least = next ? next->least : SCOUT_NO_CARD;
    const int16_t *behind = SCOUT_BEHIND + SCOUT_AHEAD - (e + 1);
    at->number = own;
    for (int kind = 0; kind < 3; kind++) {
        SOLVER_EACH_PLANE
        for (int j = 0; j < lanes; j++)
            at->joined[kind][j] = SCOUT_NEVER;
        for (int c = 0; c < 3; c++) {
            at->longest[kind][c] = 0;
            at->longest[kind][3 + c] = SCOUT_CODE | (kind == 0) << 4 | own;
        }
    }
    while (related) {
        const int k = solver_lowest(related);
        const scout_card *other = at - (e - k) - (k < kept ? shift : 0);
        const int step = other->number - own, kind = step & 3 ? 1 + (step < 0) : 0;
        const int cost = least[k + 1];
        const int shows = cost < 3 * SCOUT_SHOW ? cost / SCOUT_SHOW : 3;
        const int same = step == 1 ? ~15 : ~0, low = step == 1 ? own : 0;
        related &= related - 1;
        scout_lower(at->joined[kind], other->joined[kind], k + 1, cost, lanes);
        for (int c = 0; c < 3; c++) {
            const int grown = ((other->longest[kind][3 + c - shows] + SCOUT_CODE) & same) | low;
            int *code = &at->longest[kind][3 + c];
            *code = grown > *code ? grown : *code;
        }
    }
    for (int c = 0; c < 3; c++) {
        at->best[c] = next ? next->best[c] : 0;
        for (int kind = 0; kind < 3; kind++)
            at->best[c] = at->longest[kind][3 + c] > at->best[c] ? at->longest[kind][3 + c] : at->best[c];
    }
    SOLVER_EACH_PLANE
    for (int j = 0; j < lanes; j++) {
        int16_t x = (int16_t)(least[j] + SCOUT_SHOW + 1), y = at->joined[0][j];
        x = x < y ? x : y;
        y = at->joined[1][j];
        x = x < y ? x : y;
        y = at->joined[2][j];
        x = x < y ? x : y;
        at->least[j] = (int16_t)(behind[j] ? 0 : x);
    }
    for (int kind = 0; kind < 3; kind++) {
        SOLVER_EACH_PLANE
        for (int j = 0; j < lanes; j++) {
            int16_t x = (int16_t)(least[j] + SCOUT_SHOW), y = at->joined[kind][j];
            at->joined[kind][j] = x < y ? x : y;
        }
    }
}

/* Cards kept..n-1 of a row of n numbers, the first at the left end; the first `kept` are the hand's. */
static SOLVER_ALWAYS_INLINE void scout_fill_cards(
    scout_row *row, const uint8_t *number, int n, int kept, int shift, uint32_t *places, int lanes)
{
    for (int e = kept; e < n; e++) {
        scout_card *at = &row->card[shift + e];
        const scout_card *next = e == 0 ? NULL : e == kept ? &row->card[e - 1] : at - 1;
        const int own = number[n - 1 - e];
        scout_fill_card(at, next, e, own, places[own] | places[own + 1] | places[own + 2], kept, shift, lanes);
        places[own + 1] |= (uint32_t)1 << e;
    }
}

static inline void scout_fill(scout_row *row, const uint8_t *number, int n, int kept, int shift, uint32_t *places)
{
    if (row->lanes == 8)
        scout_fill_cards(row, number, n, kept, shift, places, 8);
    else if (row->lanes == 16)
        scout_fill_cards(row, number, n, kept, shift, places, 16);
    else
        scout_fill_cards(row, number, n, kept, shift, places, SCOUT_AHEAD);
}

/* Read a hand of n numbers from 1 to 15, left to right. */
static inline void scout_read_hand(scout_row *row, const uint8_t *number, int n)
{
    row->lanes = n < 8 ? 8 : n < 16 ? 16 : SCOUT_AHEAD; /* one card may come */
    row->n = n < SCOUT_AHEAD ? n : 0;
    for (int v = 0; v < 18; v++)
        row->places[v] = 0;
    scout_fill(row, number, row->n, 0, 0, row->places);
}

/* Of the hand that an option leaves, n numbers, of which those right of the change, `kept` of them, need not be there:
 * the least Shows that empty it, and how many of these are of one card. `best`: codes of the strongest of the longest
 * sets that there may be after none, one and two Shows; 0 if there is no card. Of cards beyond SCOUT_AHEAD each is a
 * Show. */
static inline void scout_ahead(
    scout_row *row, const uint8_t *number, int n, int kept, int *shows, int *singles, int *best)
{
    const int seen = n < SCOUT_AHEAD ? n : SCOUT_AHEAD, shared = n <= SCOUT_AHEAD && row->n ? kept : 0;
    uint32_t places[18];
    const uint32_t mask = (uint32_t)(((uint64_t)1 << shared) - 1);
    const scout_card *first;
    for (int v = 0; v < 18; v++)
        places[v] = row->places[v] & mask;
    scout_fill(row, number, seen, shared, SCOUT_AHEAD, places);
    first = &row->card[seen - 1 + (shared < seen ? SCOUT_AHEAD : 0)];
    *shows = (seen ? first->least[0] / SCOUT_SHOW : 0) + n - seen;
    *singles = (seen ? first->least[0] % SCOUT_SHOW : 0) + n - seen;
    for (int c = 0; c < 3; c++)
        best[c] = seen ? first->best[c] : 0;
}

#endif
