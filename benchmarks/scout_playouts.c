/* scout_playouts.c - uniform-random play of the card game SCOUT, as fast as plain C makes it.
 *
 * The yardstick of the playout benchmark: how many random decisions a second can one core make when nothing but the rules
 * is in the way? Hands are bit planes, and no list of legal actions is ever built; still each decision is exactly uniform
 * over the legal actions.
 *
 *     gcc -O3 -o scout_playouts scout_playouts.c && ./scout_playouts PLAYERS GAMES SEED
 *
 * prints one line of JSON. A game is one round: a uniform deal, seat 0 starts, each seat keeps or turns its hand (one
 * decision each), then play to the end of the round. A Show and a Scout are one decision; a Scout & Show is two, the scout
 * half (offered only where a Show can follow) and the Show. A round stops after MAX_TURNS turns; a Scout that completes the
 * row of Scouts ends the round even when it empties the table.
 *
 * Built with -DCHECK the program first tests the draws for uniformity on small hand-made positions, then compares every
 * decision with a brute-force reading of the rules and follows every card. That is slow; its timings mean nothing. */

#define _POSIX_C_SOURCE 199309L /* clock_gettime */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_PLAYERS = 5, MAX_TURNS = 500, MAX_SET = 10, DECK = 45 };
enum { EMPTY_HAND, SCOUTED_OUT, TURN_LIMIT, ENDS };

/* The whole round is compiled once for each number of players, with the rules' differences folded away; that takes
 * inlining beyond what the compiler does unasked. */
#ifdef __GNUC__
#define INLINE static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))
#define RARE(x) __builtin_expect(!!(x), 0)
/* A loop over planes that is unrolled before the vectoriser runs stays scalar; one that is still a loop becomes SSE2. */
#define EACH_PLANE _Pragma("GCC unroll 1")
#else
#define INLINE static inline
#define COLD static
#define RARE(x) (x)
#define EACH_PLANE
#endif

/* ---- Random numbers: xoshiro256** (Blackman, Vigna), seeded by splitmix64 ------------------------------------------- */

typedef struct { uint64_t s[4]; } Rng;

static void rng_seed(Rng *rng, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        rng->s[i] = z ^ z >> 31;
    }
}

INLINE uint64_t rotate(uint64_t x, int k) { return x << k | x >> (64 - k); }

INLINE uint64_t rng_next(Rng *rng)
{
    uint64_t *s = rng->s, result = rotate(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 45);
    return result;
}

/* Uniform over 0..bound-1, without modulo bias (Lemire): the division is reached about once in 2^32 / bound draws. */
INLINE uint32_t rng_below(Rng *rng, uint32_t bound)
{
    uint64_t product = (rng_next(rng) >> 32) * bound;
    if (RARE((uint32_t)product < bound)) {
        uint32_t least = -bound % bound;
        while ((uint32_t)product < least) product = (rng_next(rng) >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

/* ---- The state ------------------------------------------------------------------------------------------------------ */

/* A row of cards: plane j (0..3) holds bit j of each top number, plane 4 + j of each bottom number; the card at place i is
 * bit i of all eight. Places past the end are zero, a number that no card has. */
typedef struct { uint64_t plane[8]; } Row;

/* The Active Set is a window on a copy of the row that it was shown from: a Show copies one row, a Scout moves an edge of
 * the window, and no card is touched. Kind and strength are kept up to date, so they are never read from the cards again.
 * An empty table is a set of size 0 with low 0, which "beat a single 0" turns into the right rule for free. */
enum { GROUP = 0, RISING = 1, FALLING = 2 }; /* bit e: taking the card at end e (0 left, 1 right) raises the low number */
typedef struct { uint32_t first, size, low, kind; } Set;

/* The legal Shows of a row, before one of them is picked. */
typedef struct {
    uint64_t packed;      /* 16 bits a length: bit i of field f: the set of length shortest + f that starts at place i */
    uint64_t sums;        /* byte b: ones in bytes 0..b of packed */
    uint64_t equal, up;   /* bit i: cards i and i + 1 are equal; rise by one */
    uint32_t shortest, count;
    int wide;             /* does not fit packed: there is one mask a length, kept elsewhere, instead */
} Shows;

typedef struct {
    Row hand[MAX_PLAYERS], shown;
    uint32_t cards[MAX_PLAYERS], points[MAX_PLAYERS]; /* cards in hand; score cards and chips won */
    uint32_t chip[MAX_PLAYERS];                       /* Scout & Show chip; with 2 players the Scout chips left */
} Round;

typedef struct { uint64_t decisions, ends[ENDS]; int64_t scores[MAX_PLAYERS]; } Totals;

/* ---- Shows ---------------------------------------------------------------------------------------------------------- */

/* Running sums of the ones in each byte; the top byte is the population count. */
INLINE uint64_t byte_sums(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u;
}

/* place_of_one[byte][k]: the place of the k-th one of a byte. */
static uint8_t place_of_one[256][8];

static void fill_tables(void)
{
    for (int byte = 0; byte < 256; byte++)
        for (int i = 0, k = 0; i < 8; i++)
            if (byte >> i & 1) place_of_one[byte][k++] = (uint8_t)i;
}

/* Long hands (over 16 cards) and sets four cards longer than need be, about one decision in thirty: one mask a length. */
COLD uint32_t count_wide(uint64_t mask, uint64_t group, uint64_t rise, uint64_t fall, uint64_t *level)
{
    uint32_t count = 0;
    do {
        count += byte_sums(mask) >> 56;
        *level++ = mask;
        mask = group | rise | fall;
        group &= group >> 1, rise &= rise >> 1, fall &= fall >> 1;
    } while (mask);
    return count;
}

/* Finds the Shows of a row that beat a set. A set of length L + 1 starts at i if sets of length L and the same kind start at
 * i and i + 1, so the masks of each length come from those of the length before by a shift and an AND. */
INLINE void find_shows(const Row *row, uint32_t cards, Set rival, uint64_t *level, Shows *out)
{
    uint64_t a = row->plane[0], b = row->plane[1], c = row->plane[2], d = row->plane[3];

    /* Neighbours. They differ by one if bit 0 differs and each higher bit differs just when all bits below it carry, which
     * is when they are ones in the lower of the two cards: the left one if the numbers rise, the right one if they fall. */
    uint64_t pairs = (((uint64_t)1 << cards) - 1) >> 1;
    uint64_t x0 = a ^ a >> 1, x1 = b ^ b >> 1, x2 = c ^ c >> 1, x3 = d ^ d >> 1, ab = a & b, abc = ab & c;
    uint64_t equal = ~(x0 | x1 | x2 | x3) & pairs;
    uint64_t odd = x0 & pairs;
    uint64_t up = odd & ~((x1 ^ a) | (x2 ^ ab) | (x3 ^ abc));
    uint64_t down = odd & ~((x1 ^ a >> 1) | (x2 ^ ab >> 1) | (x3 ^ abc >> 1));

    /* Cards above the rival's low number v, from the lowest bit: a one beats a zero, equal bits leave it as it was.
     * Places past the end hold zero and are above nothing. n is the complement of bit j of v, spread over the word. */
    uint32_t v = rival.low;
    uint64_t above = a & ((uint64_t)(v & 1) - 1), n;
    n = (uint64_t)(v >> 1 & 1) - 1, above = (b & above) | (n & (b | above));
    n = (uint64_t)(v >> 2 & 1) - 1, above = (c & above) | (n & (c | above));
    n = (uint64_t)(v >> 3 & 1) - 1, above = (d & above) | (n & (d | above));

    /* The rival's own length is where strength matters; every longer set beats it. A group must be above a group, and beats
     * any run; a run must be above a run. A falling run's lowest card is its last. */
    uint64_t mask = above, group = equal, rise = up, fall = down;
    out->shortest = 1;
    if (rival.size > 1) {
        out->shortest = rival.size;
        for (uint32_t i = 2; i < rival.size; i++) group &= group >> 1, rise &= rise >> 1, fall &= fall >> 1;
        uint64_t run = -(uint64_t)(rival.kind != GROUP);
        mask = (group & (above | run)) | (run & ((rise & above) | (fall & above >> (rival.size - 1))));
        group &= group >> 1, rise &= rise >> 1, fall &= fall >> 1;
    }
    out->equal = equal, out->up = up;

    /* Four lengths are nearly always all there is. Packed in one word they need one count, and one selection to pick. */
    uint64_t group2 = group & group >> 1, rise2 = rise & rise >> 1, fall2 = fall & fall >> 1;
    uint64_t mask3 = (group2 & group2 >> 1) | (rise2 & rise2 >> 1) | (fall2 & fall2 >> 1);
    out->wide = cards > 16 || (mask3 & mask3 >> 1); /* two neighbours in mask3: there may be a fifth length */
    if (RARE(out->wide)) {
        out->count = count_wide(mask, group, rise, fall, level);
        return;
    }
    out->packed = mask | (group | rise | fall) << 16 | (group2 | rise2 | fall2) << 32 | mask3 << 48;
    out->sums = byte_sums(out->packed);
    out->count = (uint32_t)(out->sums >> 56);
}

/* The place of the n-th Show, plus 64 times its level. */
COLD uint32_t pick_wide(const uint64_t *level, uint32_t n)
{
    for (uint32_t at = 0;; at++)
        if (level[at >> 6] >> (at & 63) & 1 && n-- == 0) return at;
}

/* The n-th legal Show, 0 <= n < count: which n is which does not matter, only that each Show has one. */
INLINE Set pick_show(const Row *row, const Shows *shows, const uint64_t *level, uint32_t n)
{
    Set set;
    if (RARE(shows->wide)) {
        uint32_t at = pick_wide(level, n);
        set.first = at & 63, set.size = shows->shortest + (at >> 6);
    } else {
        /* The bytes whose running sum is at most n lie before the wanted one; their number is its index. All sums and n are
         * below 64, so no byte of the difference borrows from the next. */
        const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
        uint64_t before = (((n * ones | tops) - shows->sums) & tops) >> 7;
        uint32_t shift = (uint32_t)(before * ones >> 56) * 8;
        uint32_t passed = shows->sums << 8 >> shift & 255;
        uint32_t at = shift + place_of_one[shows->packed >> shift & 255][n - passed];
        set.first = at & 15, set.size = shows->shortest + (at >> 4);
    }
    uint32_t equal = shows->equal >> set.first & 1, up = shows->up >> set.first & 1;
    set.kind = (up | (~(equal | up) & 1) << 1) & -(uint32_t)(set.size > 1);
    uint32_t lowest = set.first + ((set.size - 1) & -(set.kind >> 1));
    const uint64_t *top = row->plane;
    set.low = (uint32_t)((top[0] >> lowest & 1) | (top[1] >> lowest & 1) << 1 | (top[2] >> lowest & 1) << 2
                         | (top[3] >> lowest & 1) << 3);
    return set;
}

/* Leaves a copy of the whole hand in *shown (the set is a window on it) and closes the gap in the hand. */
INLINE void take_out(Row *restrict hand, Set set, Row *restrict shown)
{
    uint64_t before = ((uint64_t)1 << set.first) - 1;
    EACH_PLANE
    for (int j = 0; j < 8; j++) {
        uint64_t p = hand->plane[j];
        shown->plane[j] = p;
        hand->plane[j] = (p & before) | (p >> set.size & ~before);
    }
}

/* ---- Scouts --------------------------------------------------------------------------------------------------------- */

/* *grown = hand with the shown card `from` put in at `place`. p + (p & after) is p with the bits from there on moved up. */
INLINE void put_in(const Row *restrict hand, const Row *restrict shown, uint32_t from, uint32_t turned, uint32_t place,
                   Row *restrict grown)
{
    uint64_t after = ~(uint64_t)0 << place;
    const uint64_t *top = shown->plane + 4 * turned, *bottom = shown->plane + 4 * !turned;
    EACH_PLANE
    for (int j = 0; j < 4; j++) {
        uint64_t p = hand->plane[j];
        grown->plane[j] = p + (p & after) + ((top[j] >> from & 1) << place);
    }
    EACH_PLANE
    for (int j = 0; j < 4; j++) {
        uint64_t p = hand->plane[4 + j];
        grown->plane[4 + j] = p + (p & after) + ((bottom[j] >> from & 1) << place);
    }
}

/* The Active Set without its card at one end. A run cut to one card is a plain single, that is a group. */
INLINE Set cut(Set set, uint32_t end)
{
    set.low += set.kind >> end & 1;
    set.first += !end;
    set.size--;
    set.kind &= -(uint32_t)(set.size > 1);
    set.low &= -(uint32_t)(set.size > 0);
    return set;
}

/* ---- One decision --------------------------------------------------------------------------------------------------- */

typedef enum { SHOW, SCOUT, SCOUT_AND_SHOW, STUCK } Kind;

typedef struct {
    Shows shows;                 /* of the hand; after a SCOUT_AND_SHOW of the grown hand */
    uint32_t show;               /* SHOW: which of them */
    uint32_t end, place, turned; /* SCOUT, SCOUT_AND_SHOW */
    Set rest;                    /* the Active Set after the scout */
} Choice;

/* Draws the mover's action, uniform over the legal ones; STUCK if there is none (2 players only). The draw is over Shows,
 * Scouts and all scout halves of a Scout & Show; a scout half that no Show can follow is drawn again from the start, which
 * leaves all others equally likely. That is rare, where counting them would mean a look at every placement.
 * The Active Set is passed by value and the grown hand apart from Choice, so that sets live in registers: written to memory
 * a number at a time and copied as one vector, they would stall each decision. */
INLINE Kind choose(const int players, const Round *r, const Set active, int mover, Rng *rng, Choice *c, Row *grown,
                   uint64_t *level)
{
    const uint32_t cards = r->cards[mover], chip = r->chip[mover];
    for (;;) {
        find_shows(&r->hand[mover], cards, active, level, &c->shows);

        /* A scout is numbered (place, end, turned); a single card has one end only. Branches here would be hard to predict. */
        uint32_t two_ends = active.size > 1;
        uint32_t scouts = (cards + 1) * 2 * (two_ends + (active.size > 0)), halves = 0;
        if (players == 2) scouts *= chip > 0;
        else halves = scouts * chip;
        uint32_t total = c->shows.count + scouts + halves;
        if (players == 2 && !total) return STUCK;

        uint32_t n = rng_below(rng, total);
        c->show = n;
        if (n < c->shows.count) return SHOW;
        n -= c->shows.count;
        int is_half = n >= scouts;
        if (is_half) n -= scouts;
        c->turned = n & 1, c->end = n >> 1 & two_ends, c->place = n >> (1 + two_ends);
        put_in(&r->hand[mover], &r->shown, active.first + ((active.size - 1) & -c->end), c->turned, c->place, grown);
        c->rest = cut(active, c->end);
        if (!is_half) return SCOUT;
        find_shows(grown, cards + 1, c->rest, level, &c->shows);
        if (c->shows.count) return SCOUT_AND_SHOW;
    }
}

/* ---- Checks: the rules again, by brute force on plain arrays -------------------------------------------------------- */

#ifndef CHECK
#define check_choice(players, r, active, mover, kind, c, grown, level) ((void)0)
#define check_cards(players, r, active, starting) ((void)0)
#else
#define REQUIRE(truth) ((truth) ? (void)0 : (fprintf(stderr, "line %d: not true: %s\n", __LINE__, #truth), abort()))

typedef struct { int count, top[64], bottom[64]; } Cards;

static Cards read_cards(const Row *row, uint32_t first, uint32_t count)
{
    Cards out = {(int)count, {0}, {0}};
    for (uint32_t i = 0; i < count; i++)
        for (int j = 0; j < 4; j++) {
            out.top[i] |= (int)(row->plane[j] >> (first + i) & 1) << j;
            out.bottom[i] |= (int)(row->plane[4 + j] >> (first + i) & 1) << j;
        }
    return out;
}

/* Strength of adjacent numbers as one number: count, then group over run, then the lowest; 0 for no cards, -1 for no set. */
static int strength(const int *top, int count)
{
    int equal = 1, up = 1, down = 1, low = count ? top[0] : 0;
    for (int i = 1; i < count; i++) {
        equal &= top[i] == top[i - 1], up &= top[i] == top[i - 1] + 1, down &= top[i] == top[i - 1] - 1;
        if (top[i] < low) low = top[i];
    }
    return !count ? 0 : equal || up || down ? count * 100 + equal * 50 + low : -1;
}

static Cards scouted(const Cards *hand, Cards *table, int end, int place, int turned)
{
    Cards out = *hand;
    int from = end ? table->count - 1 : 0, a = table->top[from], b = table->bottom[from];
    for (int i = out.count++; i > place; i--) out.top[i] = out.top[i - 1], out.bottom[i] = out.bottom[i - 1];
    out.top[place] = turned ? b : a, out.bottom[place] = turned ? a : b;
    table->count--;
    for (int i = from; i < table->count; i++) table->top[i] = table->top[i + 1], table->bottom[i] = table->bottom[i + 1];
    return out;
}

/* An action as one number; the lists hold each legal action once. */
enum { MAX_ACTIONS = 1024 };
static int key(Kind kind, uint32_t x, uint32_t y, uint32_t z) { return (int)((uint32_t)kind << 16 | x << 10 | y << 4 | z); }

static int list_shows(const Cards *hand, const Cards *table, int *keys)
{
    int n = 0, rival = strength(table->top, table->count);
    for (int first = 0; first < hand->count; first++)
        for (int size = 1; first + size <= hand->count && size <= MAX_SET; size++)
            if (strength(hand->top + first, size) > rival) keys[n++] = key(SHOW, (uint32_t)first, (uint32_t)size, 0);
    return n;
}

static int list_actions(int players, const Cards *hand, const Cards *table, uint32_t chip, int *keys)
{
    int unused[MAX_ACTIONS], n = list_shows(hand, table, keys);
    for (int i = 0; i < 4 * (hand->count + 1) && table->count; i++) {
        int turned = i & 1, end = i >> 1 & 1, place = i >> 2;
        if (end && table->count == 1) continue;
        Cards rest = *table, grown = scouted(hand, &rest, end, place, turned);
        if (players > 2 || chip) keys[n++] = key(SCOUT, (uint32_t)place, (uint32_t)end, (uint32_t)turned);
        if (players > 2 && chip && list_shows(&grown, &rest, unused))
            keys[n++] = key(SCOUT_AND_SHOW, (uint32_t)place, (uint32_t)end, (uint32_t)turned);
    }
    return n;
}

/* Where in a list the choice (SHOW: the Show number c->show of this row) is. */
static int find_choice(const int *keys, int n, const Row *row, Kind kind, const Choice *c, const uint64_t *level)
{
    int wanted = key(kind, c->place, c->end, c->turned), at = 0;
    if (kind == SHOW) {
        Set set = pick_show(row, &c->shows, level, c->show);
        wanted = key(SHOW, set.first, set.size, 0);
    }
    while (at < n && keys[at] != wanted) at++;
    REQUIRE(at < n);
    return at;
}

static uint64_t dealt, gone; /* a bit for each card: of this round; face down as score cards */

static uint64_t card_bits(Cards cards)
{
    uint64_t bits = 0;
    for (int i = 0; i < cards.count; i++) {
        int a = cards.top[i], b = cards.bottom[i], low = a < b ? a : b, high = a < b ? b : a;
        uint64_t bit = (uint64_t)1 << ((high - 1) * (high - 2) / 2 + low - 1);
        REQUIRE(low >= 1 && low < high && high <= 10 && !(bits & bit));
        bits |= bit;
    }
    return bits;
}

/* The drawn action is legal, and pick_show maps 0..count-1 onto the legal Shows, after the scout if there is one. */
static void check_choice(int players, const Round *r, Set active, int mover, Kind kind, const Choice *c, const Row *grown,
                         const uint64_t *level)
{
    int keys[MAX_ACTIONS], seen[MAX_ACTIONS] = {0};
    const Row *row = &r->hand[mover];
    Cards hand = read_cards(row, 0, r->cards[mover]), table = read_cards(&r->shown, active.first, active.size);
    int n = list_actions(players, &hand, &table, r->chip[mover], keys);
    REQUIRE((kind == STUCK) == (n == 0));
    if (kind != STUCK) find_choice(keys, n, row, kind, c, level);
    if (kind == SCOUT_AND_SHOW) {
        hand = scouted(&hand, &table, (int)c->end, (int)c->place, (int)c->turned), row = grown;
        REQUIRE(card_bits(hand) == card_bits(read_cards(grown, 0, (uint32_t)hand.count)));
    }
    if (kind == SHOW || kind == SCOUT_AND_SHOW) gone |= card_bits(table);
    n = list_shows(&hand, &table, keys);
    REQUIRE((uint32_t)n == c->shows.count);
    Choice each = *c;
    for (each.show = 0; each.show < c->shows.count; each.show++)
        REQUIRE(!seen[find_choice(keys, n, row, SHOW, &each, level)]++);
}

/* Every card is in just one place and nothing lies past the end of a hand. */
static void check_cards(int players, const Round *r, Set active, int starting)
{
    uint64_t seen = card_bits(read_cards(&r->shown, active.first, active.size));
    if (starting) gone = 0;
    for (int p = 0; p < players; p++) {
        uint64_t bits = card_bits(read_cards(&r->hand[p], 0, r->cards[p]));
        REQUIRE(!(seen & bits));
        seen |= bits;
        for (int j = 0; j < 8; j++) REQUIRE(!(r->hand[p].plane[j] >> r->cards[p]));
    }
    if (starting) dealt = seen;
    REQUIRE(!(seen & gone) && (seen | gone) == dealt);
}

/* Chi-square of many draws from hand-made positions, cards written as top * 16 + bottom. */
static Row write_cards(const uint8_t *cards, uint32_t *count)
{
    Row row = {{0}};
    for (*count = 0; cards[*count]; ++*count)
        for (int j = 0; j < 8; j++) row.plane[j] |= (uint64_t)(cards[*count] >> (j ^ 4) & 1) << *count;
    return row;
}

static void check_uniform(Rng *rng)
{
    static const struct { int players; uint32_t chip, low, kind; uint8_t table[4], hand[24]; } positions[] = {
        {4, 1, 7, RISING, {0x72, 0x83}, {0x71, 0x29}}, /* some scout halves are illegal */
        {4, 1, 4, FALLING, {0x67, 0x56, 0x45}, {0x71, 0x29, 0x15, 0x24, 0x34}},
        {3, 0, 6, GROUP, {0x68}, {0x71, 0x81, 0x92}},
        {5, 1, 0, GROUP, {0}, {0x12, 0x13, 0x14, 0x23, 0x34}},
        {2, 2, 7, GROUP, {0x76, 0x75}, {0x91, 0x82, 0x83}},
        {4, 1, 2, GROUP, {0x28}, /* more than 16 cards, long sets */
         {0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x23, 0x34, 0x45, 0x56, 0x67, 0x78, 0x89, 0x79, 0x68, 0x57, 0x46, 0x35, 0x29}},
    };
    enum { EACH = 20000 };
    for (size_t i = 0; i < sizeof positions / sizeof *positions; i++) {
        const int players = positions[i].players;
        Round r = {.chip = {positions[i].chip}};
        Set active = {.low = positions[i].low, .kind = positions[i].kind};
        r.hand[0] = write_cards(positions[i].hand, &r.cards[0]), r.shown = write_cards(positions[i].table, &active.size);
        Cards hand = read_cards(&r.hand[0], 0, r.cards[0]), table = read_cards(&r.shown, 0, active.size);
        int keys[MAX_ACTIONS], counts[MAX_ACTIONS] = {0}, n = list_actions(players, &hand, &table, r.chip[0], keys);
        for (int k = 0; k < EACH * n; k++) {
            Choice c;
            Row grown;
            uint64_t level[MAX_SET];
            Kind kind = choose(players, &r, active, 0, rng, &c, &grown, level);
            counts[find_choice(keys, n, &r.hand[0], kind, &c, level)]++;
        }
        double chi = 0, freedom = n - 1;
        for (int k = 0; k < n; k++) chi += (double)(counts[k] - EACH) * (counts[k] - EACH) / EACH;
        fprintf(stderr, "position %zu: %d actions, chi-square %.1f, %.0f degrees of freedom\n", i + 1, n, chi, freedom);
        REQUIRE((chi - freedom) * (chi - freedom) < 25 * 2 * freedom);
    }
}
#endif

/* ---- One round ------------------------------------------------------------------------------------------------------ */

INLINE int hand_size(int players) { return players == 3 ? 12 : players == 5 ? 9 : 11; }
INLINE int deck_size(int players) { return players == 3 ? 36 : players == 5 ? 45 : 44; }

/* A card in the deck is a byte, the smaller number in the low half. */
static void fill_deck(int players, uint8_t *deck)
{
    for (int a = 1; a <= 10; a++)
        for (int b = a + 1; b <= 10; b++)
            if (!(players == 3 ? b == 10 : players != 5 && a == 9)) *deck++ = (uint8_t)(a | b << 4);
}

/* 8 x 8 bit matrix, row i = byte i, transposed (Hacker's Delight): eight cards in, eight planes out, a byte each. */
INLINE uint64_t transpose(uint64_t x)
{
    uint64_t t = (x ^ x >> 7) & 0x00aa00aa00aa00aau;
    x ^= t ^ t << 7;
    t = (x ^ x >> 14) & 0x0000cccc0000ccccu;
    x ^= t ^ t << 14;
    t = (x ^ x >> 28) & 0x00000000f0f0f0f0u;
    return x ^ t ^ t << 28;
}

/* Deals the round and makes each seat's keep-or-turn choice. The deck is left shuffled: any order is as good as another to
 * start the next shuffle from. Turning a hand also mirrors its row, which is left out: a row and its mirror image have the
 * same actions. */
INLINE void deal(const int players, Round *r, uint8_t *deck, Rng *rng)
{
    const int size = hand_size(players), all = deck_size(players);
    for (int i = 0; i < players * size && i < all - 1; i++) {
        int j = i + (int)rng_below(rng, (uint32_t)(all - i));
        uint8_t card = deck[i];
        deck[i] = deck[j], deck[j] = card;
    }
    const uint64_t row = ((uint64_t)1 << size) - 1;
    uint64_t coins = rng_next(rng); /* one for each card and one for each seat: 50 at most */
    for (int p = 0; p < players; p++) {
        uint64_t low = 0, high = 0;
        for (int i = 0; i < 8; i++) low |= (uint64_t)deck[p * size + i] << 8 * i;
        for (int i = 8; i < size; i++) high |= (uint64_t)deck[p * size + i] << 8 * (i - 8);
        low = transpose(low), high = transpose(high);
        uint64_t swap = (coins & row) ^ (row & -(coins >> size & 1)); /* the cards' orientations, then the seat's choice */
        coins >>= size + 1;
        for (int j = 0; j < 4; j++) {
            uint64_t top = (low >> 8 * j & 255) | (high >> 8 * j & 255) << 8;
            uint64_t bottom = (low >> 8 * (4 + j) & 255) | (high >> 8 * (4 + j) & 255) << 8;
            uint64_t change = (top ^ bottom) & swap;
            r->hand[p].plane[j] = top ^ change;
            r->hand[p].plane[4 + j] = bottom ^ change;
        }
        r->cards[p] = (uint32_t)size, r->points[p] = 0, r->chip[p] = players == 2 ? 3 : 1;
    }
}

/* One round, added to the totals. Seat 0 starts. End (ii) of the rules, SCOUTED_OUT, leaves the owner's hand out of the
 * score: with 2 players when the mover is STUCK before a Show that can be neither beaten nor scouted, with more when all
 * others have only Scouted since, whether or not that emptied the table. */
INLINE void play(const int players, uint8_t *deck, Rng *rng, Totals *totals)
{
    Round r;
    Set active = {0, 0, 0, GROUP};
    uint64_t level[MAX_SET];
    int mover = 0, owner = 0, row_of_scouts = 0, turns = 0, shows_after_scout = 0, exempt = -1, end;
    deal(players, &r, deck, rng);
    check_cards(players, &r, active, 1);
    for (;;) {
        Choice c;
        Row grown;
        Kind kind = choose(players, &r, active, mover, rng, &c, &grown, level);
        check_choice(players, &r, active, mover, kind, &c, &grown, level);
        if (players == 2 && kind == STUCK) { end = SCOUTED_OUT, exempt = owner; break; }
        turns++;
        if (kind != SHOW) {
            r.hand[mover] = grown, r.cards[mover]++, active = c.rest;
            if (players == 2) r.chip[mover]--;
            else r.points[owner]++;
        }
        if (kind == SCOUT) {
            check_cards(players, &r, active, 0);
            if (players != 2 && ++row_of_scouts == players - 1) { end = SCOUTED_OUT, exempt = owner; break; }
        } else {
            if (kind == SCOUT_AND_SHOW) {
                c.show = rng_below(rng, c.shows.count);
                r.chip[mover] = 0, shows_after_scout++;
            }
            r.points[mover] += active.size;
            active = pick_show(&r.hand[mover], &c.shows, level, c.show);
            take_out(&r.hand[mover], active, &r.shown);
            r.cards[mover] -= active.size, owner = mover, row_of_scouts = 0;
            check_cards(players, &r, active, 0);
            if (!r.cards[mover]) { end = EMPTY_HAND; break; }
        }
        if (turns == MAX_TURNS) { end = TURN_LIMIT; break; }
        if (players != 2 || kind != SCOUT) mover = mover == players - 1 ? 0 : mover + 1; /* 2 players: Scout and go on */
    }
    totals->decisions += (uint64_t)(players + turns + shows_after_scout);
    totals->ends[end]++;
    for (int p = 0; p < players; p++)
        totals->scores[p] += (int64_t)r.points[p] + (players == 2 ? r.chip[p] : 0) - (p == exempt ? 0 : r.cards[p]);
}

/* ---- Command line --------------------------------------------------------------------------------------------------- */

static void play_games(int players, uint64_t games, Rng *rng, Totals *totals)
{
    uint8_t deck[DECK];
    fill_deck(players, deck);
    while (games--)
        switch (players) { /* a constant in each call: each is compiled by itself */
        case 2: play(2, deck, rng, totals); break;
        case 3: play(3, deck, rng, totals); break;
        case 4: play(4, deck, rng, totals); break;
        case 5: play(5, deck, rng, totals); break;
        }
}

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int usage(void)
{
    fprintf(stderr, "usage: scout_playouts PLAYERS GAMES SEED (2 to 5 players, at least one game, a seed of 64 bits)\n");
    return 2;
}

int main(int argc, char **argv)
{
    uint64_t given[3]; /* players, games, seed */
    for (int i = 0; i < 3; i++) {
        char *rest;
        if (argc != 4 || argv[i + 1][0] < '0' || argv[i + 1][0] > '9') return usage();
        given[i] = strtoull(argv[i + 1], &rest, 10);
        if (*rest) return usage();
    }
    if (given[0] < 2 || given[0] > MAX_PLAYERS || given[1] < 1) return usage();

    const int players = (int)given[0];
    Rng rng;
    rng_seed(&rng, given[2]);
    fill_tables();
#ifdef CHECK
    check_uniform(&rng);
#endif
    Totals totals = {0};
    double start = cpu_seconds();
    play_games(players, given[1], &rng, &totals);
    double seconds = cpu_seconds() - start;

    printf("{\"players\":%d,\"games\":%" PRIu64 ",\"decisions\":%" PRIu64 ",\"seconds\":%.6f,\"mean_scores\":[", players,
           given[1], totals.decisions, seconds);
    for (int p = 0; p < players; p++) printf("%s%.6f", p ? "," : "", (double)totals.scores[p] / (double)given[1]);
    printf("],\"ends\":{\"empty_hand\":%" PRIu64 ",\"scouted_out\":%" PRIu64 ",\"max_turns\":%" PRIu64 "}}\n",
           totals.ends[EMPTY_HAND], totals.ends[SCOUTED_OUT], totals.ends[TURN_LIMIT]);
    return 0;
}
