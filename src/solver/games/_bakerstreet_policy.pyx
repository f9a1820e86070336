# cython: language_level=3
"""Fixed play of Baker Street over plain data: the planning agent and the rollout policy.

Used by `bakerstreet.pyx` only. `planning` plays from what one seat knows (a position), by exact odds
and by the worth of the letters in reach. `rollout_policy` is its quick cousin for the rollouts of a
search: it reads a full state, of which only what the seat to decide knows. docs/search-notes.md has
what was measured of both.
"""
from libc.math cimport exp, INFINITY, log, tanh
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from solver._core cimport (
    STOP, TIMES_2, evaluate_stack, evaluation_t, hand_sums, lowest, popcount, rng_below, rng_double, rng_fork, rng_next,
    rng_t, takes_lead,
)
from solver.games._bakerstreet cimport (
    A_BID, A_CHOOSE, A_DOUBT, A_TAKE, BIDDING, CHOOSING, HIGHEST_BID, LETTERS, NO_BID, NO_LETTER, NUM_ACTIONS, OVER,
    PILES, TURN, add_letter, apply, kind_id, kind_of, legal, letters_t, observe, position_t, returns, rules_t,
    search_context_t, seat_t, start, state_t, takable,
)
from solver.games.ops cimport GameOps


cdef enum:
    WINDOW = 7                     # letters in a row that win
    WINDOWS = LETTERS - WINDOW + 1
    MARGINS = 32                   # margins beyond it count as it
    CHAIN = 15                     # piles of an arrow chain looked at

# Worth of a window by how many of its letters are owned.
cdef int[8] WINDOW_WORTH = [0, 1, 3, 8, 20, 50, 130, 1000]
# A pile weighs this much beside the letters that it offers.
cdef double PILE_WEIGHT = 12
# Pile of an arrow chain that the rival wins; each further pile of a chain counts this much less.
cdef double LOST_PILE = -12
cdef double CHAIN_DISCOUNT = 0.8
# Of a placement in a rollout, in units of gain: 16 steps of chance.
cdef double NOISE = 0.2
# The estimate of the outcome before the end: log odds that seat 0 wins. Fitted by logistic regression
# to the beginnings of the rounds of 1,500 games of planning against itself.
cdef double WORTH_AT_START = 22            # in worth, what a seat without a letter has
cdef double PER_WORTH = 1.394              # for the logarithm of the ratio of the seats' worths
cdef double PER_PILE = 0.203               # for the sum over the piles of tanh(margin / 2)
cdef double FOR_STARTER = 0.146

cdef double[2 * MARGINS + 1] TANH          # tanh(margin / 2), by margin + MARGINS
cdef double[128] DOUBTS                    # chance of a doubt by 64 + 8 x (bid - expected sum)


def _fill_tables():
    cdef int i
    for i in range(2 * MARGINS + 1):
        TANH[i] = tanh((i - MARGINS) / <double> 2)
    for i in range(128):
        DOUBTS[i] = 1 / (1 + exp(-4 * ((i - 64) / <double> 8 - 0.5)))


_fill_tables()


# ------------------------------------------------------------------------------------------------
# Evidence

cdef int evidence_worth(uint32_t letters) noexcept nogil:
    """How near the letters are to seven in a row: 3 x the best window of seven and the sum of all 14."""
    cdef int i, worth, best = 0, total = 0
    for i in range(WINDOWS):
        worth = WINDOW_WORTH[popcount(letters >> i & 127)]
        total += worth
        if worth > best:
            best = worth
    return 3 * best + total


cdef void choice_by_worth(
    const void* model, uint32_t owned, uint32_t legal_letters, double* weights
) noexcept nogil:
    """How the rival chooses letters if it wants to win: by their gain, and a little for each."""
    cdef int gain[LETTERS]
    cdef int i
    letter_gains(owned, gain)
    for i in range(LETTERS):
        weights[i] = 0.1 + <double> gain[i]


cdef void estimate(const state_t* s, double* out) noexcept nogil:
    """Pay-off of both seats: exact at the end, else by their letters, the piles and who starts."""
    cdef double a, b, control
    cdef int i
    cdef evaluation_t e
    if s.phase == OVER:
        returns(s, out)
        return
    a = evidence_worth(s.seat[0].evidence)
    b = evidence_worth(s.seat[1].evidence)
    control = 0
    for i in range(PILES):
        e = evaluate_stack(s.stack[i], s.stack_cards[i])
        control += TANH[MARGINS + clipped(e.total[0] - e.total[1])]
    # tanh of half the log odds is twice the chance less one
    out[0] = tanh(0.5 * (PER_WORTH * log((a + WORTH_AT_START) / (b + WORTH_AT_START)) + PER_PILE * control
                         + FOR_STARTER * (1 - 2 * s.starter)))
    out[1] = -out[0]


cdef void letter_gains(uint32_t owned, int* gain) noexcept nogil:
    """gain[letter]: by how much it raises `evidence_worth`; 0 for one that is owned."""
    cdef int worth[WINDOWS]        # of each window with one letter more
    cdef int rise[WINDOWS + 1]     # summed over the windows before
    cdef int i, letter, count, most = 0, best, low, high
    rise[0] = 0
    for i in range(WINDOWS):
        count = popcount(owned >> i & 127)
        most = max(most, WINDOW_WORTH[count])
        # a full window has no letter to come
        worth[i] = WINDOW_WORTH[min(count + 1, WINDOW)]
        rise[i + 1] = rise[i] + worth[i] - WINDOW_WORTH[count]
    for letter in range(LETTERS):
        gain[letter] = 0
        if owned >> letter & 1:
            continue
        low = max(0, letter - WINDOW + 1)
        high = min(WINDOWS - 1, letter)
        best = most
        for i in range(low, high + 1):
            best = max(best, worth[i])
        gain[letter] = 3 * (best - most) + rise[high + 1] - rise[low]


cdef inline int best_letter(uint32_t owned, uint32_t letters) noexcept nogil:
    """Of `letters` (at least one, none owned) the one worth most beside those owned; the first of equals."""
    cdef int gain[LETTERS]
    cdef int letter, best = lowest(letters)
    letter_gains(owned, gain)
    while letters:
        letter = lowest(letters)
        letters &= letters - 1
        if gain[letter] > gain[best]:
            best = letter
    return best


cdef void pile_worths(const state_t* s, int seat, const uint8_t* hidden, int num_hidden, double* out) noexcept nogil:
    """Expected gain of evidence from the best letter of each pile, by what the seat knows.

    A pile it looked through holds those letters but for what the rival took since, taken as any of
    them; a pile never seen holds any of the `hidden` letters (NULL: any letter not owned).
    """
    cdef int gain[LETTERS]
    cdef int order[LETTERS]
    cdef int taken[PILES]
    cdef int i, j, n = 0, letter, held, there, fresh = (1 << PILES) - 1
    cdef letters_t elsewhere, pile
    cdef double absent, rest, one      # one: chance that a copy is not there
    letter_gains(s.seat[seat].evidence, gain)
    for i in range(LETTERS):
        if gain[i]:
            j = n
            while j and gain[order[j - 1]] < gain[i]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = i
            n += 1
    elsewhere.once = 0
    elsewhere.twice = 0 if hidden != NULL else (1 << LETTERS) - 1
    if hidden != NULL:
        for i in range(num_hidden):
            add_letter(&elsewhere, hidden[i])
    for i in range(PILES):
        taken[i] = 0
    for j in range(s.wins - 1, -1, -1):
        i = s.win_pile[j]
        if fresh >> i & 1:
            if s.win_seat[j] == seat:
                fresh ^= 1 << i        # its own last look
            else:
                taken[i] += s.win_letter[j] != NO_LETTER
    for i in range(PILES):
        if s.seat[seat].seen >> i & 1:
            pile = s.seat[seat].look[i]
            held = popcount(pile.once) + 2 * popcount(pile.twice)
            one = taken[i] / <double> held if held else 0
        else:
            pile = elsewhere
            held = max(num_hidden, 1)
            there = 8 - taken[i]
            one = 1 - there / <double> held if held > there else 0
        out[i] = 0
        rest = 1                       # chance that no better letter is there
        for j in range(n):
            letter = order[j]
            if not (pile.once | pile.twice) >> letter & 1:
                continue
            absent = one if pile.once >> letter & 1 else one * one
            out[i] += rest * (1 - absent) * gain[letter]
            rest *= absent
            if rest < 0.01:
                break


# ------------------------------------------------------------------------------------------------
# Placing

cdef inline int margin_after(const evaluation_t* e, int seat, int card) noexcept nogil:
    """Margin of a seat at a pile once it has placed a card there (e: the pile as it lies)."""
    cdef int symbol = card >> 3 & 3, own
    if symbol == STOP:
        return card & 7
    own = (e.total[seat] >> e.doubled[seat]) + (card & 7)
    return (own << (e.doubled[seat] | (symbol == TIMES_2))) - e.total[1 - seat]


cdef inline int clipped(int margin) noexcept nogil:
    return max(-MARGINS, min(MARGINS, margin))


cdef inline void evaluate_all(const state_t* s, evaluation_t* e) noexcept nogil:
    cdef int i
    for i in range(PILES):
        e[i] = evaluate_stack(s.stack[i], s.stack_cards[i])


cdef inline double placement_gain(const evaluation_t* e, int seat, int card, double worth) noexcept nogil:
    """What placing a card at a pile brings: the change of the chance to win it, times its weight."""
    cdef int before = clipped(e.total[seat] - e.total[1 - seat]), after = clipped(margin_after(e, seat, card))
    return (worth + PILE_WEIGHT) * (TANH[MARGINS + after] - TANH[MARGINS + before])


cdef int32_t plan_placement(
    const state_t* s, int seat, Placement placement, const double* worths, rng_t* rng
) noexcept nogil:
    """The best placement; equals by chance."""
    cdef evaluation_t e[PILES]
    cdef int i, pile, card, equals = 0
    cdef int32_t best = -1
    cdef double gain, most = 0
    evaluate_all(s, e)
    for i in range(s.seat[seat].cards):
        card = s.seat[seat].hand[i]
        for pile in range(PILES):
            if placement == BY_PIPS:
                gain = margin_after(&e[pile], seat, card) - (e[pile].total[seat] - e[pile].total[1 - seat])
            else:
                gain = placement_gain(&e[pile], seat, card, worths[pile])
            if takes_lead(rng, gain, &most, &equals):
                best = kind_id(card) * PILES + pile
    return best


# ------------------------------------------------------------------------------------------------
# Piles after a doubt

cdef double chain_worth(const state_t* s, int seat, int pile, const double* worths) noexcept nogil:
    """Worth of naming a pile: of the letters its seat takes along the arrows, less those of the rival."""
    cdef evaluation_t e
    cdef int left[PILES]
    cdef double result = 0, weight = 1
    cdef int i, _i
    for i in range(PILES):
        left[i] = s.stack_cards[i]
    for _i in range(CHAIN):
        e = evaluate_stack(s.stack[pile], left[pile])
        left[pile] -= e.evaluated
        if e.total[seat] >= e.total[1 - seat]:
            result += weight * worths[pile]
        else:
            result += weight * LOST_PILE
        if not e.arrow:
            break
        weight *= CHAIN_DISCOUNT
        pile = (pile + 1) % PILES
    return result


cdef int32_t plan_pile(const state_t* s, int seat, const double* worths, rng_t* rng) noexcept nogil:
    cdef int pile, equals = 0
    cdef int32_t best = 0
    cdef double most = 0
    for pile in range(PILES):
        if takes_lead(rng, chain_worth(s, seat, pile, worths), &most, &equals):
            best = pile
    return A_CHOOSE + best


# ------------------------------------------------------------------------------------------------
# The planning agent

cdef inline int own_sum(const state_t* s, int seat) noexcept nogil:
    cdef int i, total = 0
    for i in range(s.seat[seat].cards):
        total += s.seat[seat].hand[i] & 7
    return total


cdef void chances(const position_t* p, double* out) noexcept nogil:
    """out[n]: exact chance that the six cards reach n, 0..30, by what the observer knows."""
    cdef int counts[6]
    cdef int64_t ways[16]
    cdef int64_t total, above = 0
    cdef int i, own = own_sum(&p.base, p.observer) + own_sum(&p.base, 1 - p.observer)
    for i in range(6):
        counts[i] = 0
    for i in range(p.rival_unseen):
        counts[p.rival_pool[i] & 7] += 1
    total = hand_sums(counts, min(p.rival_unseen, p.rival_cards - p.base.seat[1 - p.observer].cards), ways)
    for i in range(HIGHEST_BID, -1, -1):
        if 0 <= i - own < 16:
            above += ways[i - own]
        out[i] = above / <double> total if i > own else 1


cdef int32_t planning(
    const position_t* p, Placement placement, double opening, rng_t* rng
) noexcept nogil:
    """Action of the planning agent in a position of its own.

    Doubts a bid that is more likely false than true; opens with the greatest bid that holds with
    the chance `opening`, then raises by 1; places where the sum over the piles of weight x
    tanh(margin / 2) grows most; names the pile whose arrow chain is worth most; takes the letter
    of the greatest gain of evidence.
    """
    cdef const state_t* s = &p.base
    cdef double odds[HIGHEST_BID + 1]
    cdef double worths[PILES]
    cdef int me = p.observer, n
    cdef uint32_t letters
    if s.phase == TURN:
        if s.standing != NO_BID:
            if s.standing == HIGHEST_BID or s.seat[me].cards == 0:
                return A_DOUBT
            chances(p, odds)
            if odds[s.standing] < 0.5:
                return A_DOUBT
        if placement == BY_WORTH:
            pile_worths(s, me, p.letters, p.hidden_letters, worths)
        return plan_placement(s, me, placement, worths, rng)
    if s.phase == BIDDING:
        if s.standing != NO_BID:
            return A_BID + s.standing + 1
        chances(p, odds)
        n = HIGHEST_BID
        while odds[n] < opening:       # 0 is always reached
            n -= 1
        return A_BID + n
    if s.phase == CHOOSING:
        pile_worths(s, me, p.letters, p.hidden_letters, worths)
        return plan_pile(s, me, worths, rng)
    letters = s.seat[me].look[s.current].once | s.seat[me].look[s.current].twice
    return A_TAKE + best_letter(s.seat[me].evidence, letters & ~s.seat[me].evidence)


cdef int planned_game(const rules_t* g, state_t* fresh, rng_t* rng) noexcept nogil:
    """A whole game of planning against itself, each seat from its own position; the number of decisions."""
    cdef position_t p
    cdef int n = 0
    rng_fork(rng, &fresh.rng)
    start(g, fresh)
    while fresh.phase != OVER:
        observe(g, fresh, fresh.mover, &p)
        apply(g, fresh, planning(&p, BY_WORTH, 0.9, rng))
        n += 1
    return n


# ------------------------------------------------------------------------------------------------
# The rollout policy

cdef inline double expected_rival(const state_t* s, int seat) noexcept nogil:
    """Expected sum of the rival's hand, of its unseen cards any being as likely (its deck's order and its
    hand are not read, their sum together is known to both)."""
    cdef const seat_t* rival = &s.seat[1 - seat]
    cdef int i, total = 0, cards = rival.deck_cards + rival.cards
    for i in range(rival.deck_cards):
        total += rival.deck[i] & 7
    for i in range(rival.cards):
        total += rival.hand[i] & 7
    return rival.cards * total / <double> cards if cards else 0


cdef int32_t quick_move(const state_t* s, const double* worths, rng_t* rng) noexcept nogil:
    """`rollout_policy` with the worths of the piles given."""
    cdef int me = s.mover, pile, i, card
    cdef evaluation_t e[PILES]
    cdef int32_t best = 0
    cdef double excess, gain, most = -1e300
    cdef uint64_t noise
    if s.phase == TURN:
        if s.standing != NO_BID:
            if s.standing == HIGHEST_BID or s.seat[me].cards == 0:
                return A_DOUBT
            excess = s.standing - own_sum(s, me)
            if excess > 0:
                excess -= expected_rival(s, me)
                if rng_double(rng) < DOUBTS[64 + max(-64, min(63, <int> (8 * excess)))]:
                    return A_DOUBT
        evaluate_all(s, e)
        noise = rng_next(rng)
        for pile in range(PILES):
            for i in range(s.seat[me].cards):
                card = s.seat[me].hand[i]
                gain = placement_gain(&e[pile], me, card, worths[pile]) + NOISE * <int> (noise & 15)
                noise >>= 4
                if gain > most:
                    most = gain
                    best = kind_id(card) * PILES + pile
        return best
    if s.phase == BIDDING:
        if s.standing == NO_BID:
            return A_BID + min(HIGHEST_BID, own_sum(s, me) + 4 + <int> rng_below(rng, 3))
        return A_BID + min(HIGHEST_BID, s.standing + 1 + (rng_below(rng, 6) == 0))
    if s.phase == CHOOSING:
        return plan_pile(s, me, worths, rng)
    return A_TAKE + best_letter(s.seat[me].evidence, takable(s, me, s.current))


cdef int32_t rollout_policy(const state_t* s, rng_t* rng) noexcept nogil:
    """Action of the rollout policy for the seat to decide: `planning`, quicker, with some chance.

    Doubts by the expectation of the rival's sum instead of the exact odds, with a chance that grows
    with the bid; opens the own sum + 4..6, raises by 1, at times by 2.
    """
    cdef double worths[PILES]
    if s.phase == TURN or s.phase == CHOOSING:
        pile_worths(s, s.mover, NULL, 40, worths)
    return quick_move(s, worths, rng)


# ------------------------------------------------------------------------------------------------
# GameOps

cdef inline int32_t any_legal(const rules_t* g, const state_t* s, rng_t* rng) noexcept nogil:
    """A legal action, each as likely."""
    cdef int32_t actions[NUM_ACTIONS]
    return actions[rng_below(rng, legal(g, s, actions))]


cdef int32_t op_policy(const void* context, const void* state, rng_t* rng) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    if c.epsilon > 0 and rng_double(rng) < c.epsilon:
        return any_legal(&c.rules, <const state_t*> state, rng)
    return rollout_policy(<const state_t*> state, rng)


cdef void op_policy_rollout(const void* context, void* state, rng_t* rng, int horizon, double* out) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    cdef long long until = <long long> s.rounds + horizon if horizon >= 0 else c.rules.max_rounds
    # The worths of the piles change when a letter is taken.
    cdef double worths[2][PILES]
    cdef int known[2]
    cdef int wins = -1
    while s.phase != OVER and s.rounds < until:
        if c.epsilon > 0 and rng_double(rng) < c.epsilon:
            apply(&c.rules, s, any_legal(&c.rules, s, rng))
            continue
        if s.wins != wins or s.phase == CHOOSING:
            known[0] = known[1] = 0
            wins = s.wins
        if not known[s.mover] and (s.phase == TURN or s.phase == CHOOSING):
            pile_worths(s, s.mover, NULL, 40, worths[s.mover])
            known[s.mover] = 1
        apply(&c.rules, s, quick_move(s, worths[s.mover], rng))
    estimate(s, out)


cdef void score_actions(
    const state_t* s, const uint8_t* letters, int num_letters, const int32_t* actions, int n, double* out
) noexcept nogil:
    """Placements by their gain, piles and letters by their worth; a doubt and bids are never held back.

    `letters` are those that may lie in a pile never seen.
    """
    cdef evaluation_t e[PILES]
    cdef double worths[PILES]
    cdef int i, me = s.mover, card
    if s.phase == TURN or s.phase == CHOOSING:
        pile_worths(s, me, letters, num_letters, worths)
        evaluate_all(s, e)
    for i in range(n):
        if actions[i] < A_BID:
            card = kind_of(actions[i] // PILES)
            out[i] = placement_gain(&e[actions[i] % PILES], me, card, worths[actions[i] % PILES])
        elif actions[i] <= A_DOUBT:
            out[i] = INFINITY
        elif actions[i] < A_TAKE:
            out[i] = chain_worth(s, me, actions[i] - A_CHOOSE, worths)
        else:
            out[i] = evidence_worth(s.seat[me].evidence | <uint32_t> 1 << (actions[i] - A_TAKE))


cdef void op_scores(const void* context, const void* state, const int32_t* actions, int n, double* out) noexcept nogil:
    """Piles never seen hold letters as the observer knows at the root, for itself before any pile is won, else any."""
    cdef const search_context_t* c = <const search_context_t*> context
    cdef const state_t* s = <const state_t*> state
    if s.mover == c.position.observer and s.wins == c.position.base.wins:
        score_actions(s, c.position.letters, c.position.hidden_letters, actions, n, out)
    else:
        score_actions(s, NULL, 40, actions, n, out)


cdef void fill_policy_ops(GameOps* ops) noexcept nogil:
    ops.policy = op_policy
    ops.policy_rollout = op_policy_rollout
    ops.scores = op_scores
