# cython: language_level=3
"""SCOUT's rules over plain data: deal, legal actions, moves, random play, what a seat knows.

Used by `scout.pyx` only. No Python object in here; section names in quotes are the rulebook's.
"""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from solver._core cimport (
    MAX_HAND, beating_starts, card_turned, ensure, find_shows, hand_card, hand_copy, hand_insert, hand_load, hand_pairs,
    hand_put, hand_swap, hand_t, hand_take, hand_turn, has_beating, low_bits, lowest, mask_insert, mask_remove,
    pairs_t, pick_show, places_beating, popcount, rng_below, rng_draw, rng_fork, rng_next, rng_t, set_at,
    set_code, set_cut, set_end, set_t, shows_t,
)
from solver.games.ops cimport CHANCE_PLAYER, TERMINAL_PLAYER, GameOps


# ------------------------------------------------------------------------------------------------
# Small questions

cdef int active_cards(const state_t* s, uint8_t* cards) noexcept nogil:
    """The cards of the Active Set, left to right; their number."""
    cdef int i
    for i in range(s.active.size):
        cards[i] = <uint8_t> hand_card(&s.table, s.active.first + i)
    return s.active.size


cdef void lay_active(state_t* s, const uint8_t* cards, int n) noexcept nogil:
    """Lay these n cards, a set or none, on the table."""
    cdef int first, last
    hand_load(&s.table, cards, n, 0)
    memset(&s.active, 0, sizeof(set_t))
    if n == 0:
        return
    first = cards[0] & 15
    last = cards[n - 1] & 15
    s.active.size = n
    s.active.low = min(first, last)
    s.active.kind = 0 if first == last else 1 if first < last else 2


cdef inline bint stuck(const rules_t* g, const state_t* s) noexcept nogil:
    """Two players: the mover can neither Show nor Scout."""
    cdef const seat_t* seat = &s.seat[s.mover]
    return (g.two and seat.chips == 0 and s.active.size > 0
            and not has_beating(&seat.hand, seat.cards, set_code(s.active)))


cdef inline uint64_t cards_mask(const rules_t* g, const hand_t* row, uint64_t places) noexcept nogil:
    """The cards (bit = index) at some places of a row."""
    cdef uint64_t mask = 0
    while places:
        mask |= <uint64_t> 1 << g.index[hand_card(row, lowest(places))]
        places &= places - 1
    return mask


cdef inline uint64_t active_mask(const rules_t* g, const state_t* s) noexcept nogil:
    return cards_mask(g, &s.table, low_bits(s.active.size) << s.active.first)


cdef int scouts_since(const rules_t* g, const state_t* s) noexcept nogil:
    """Scouts since the last Show, which the seats tell while there is an Active Set: each seat after
    its owner has scouted. (With two players nothing hangs on it.)"""
    return 0 if g.two else (s.mover + g.players - s.owner - 1) % g.players


cdef int current_player(const rules_t* g, const state_t* s) noexcept nogil:
    if s.phase == OVER:
        return TERMINAL_PLAYER
    if s.phase == DEALING:
        return CHANCE_PLAYER
    return s.mover


# ------------------------------------------------------------------------------------------------
# "Cards and deal"

cdef inline bint second_deal(const rules_t* g, const state_t* s) noexcept nogil:
    """Two players: every second round is dealt from the cards that were set aside."""
    return g.two and s.round & 1


cdef inline void dealt_all(const rules_t* g, state_t* s) noexcept nogil:
    s.phase = CHOOSING
    s.mover = 0


cdef void new_round(const rules_t* g, state_t* s) noexcept nogil:
    """Deal round `s.round`, or stop at its first chance node."""
    cdef uint8_t deck[64]
    cdef uint64_t flips
    cdef int i, q, card
    for q in range(g.players):
        memset(&s.seat[q].hand, 0, sizeof(hand_t))
        s.seat[q].known = 0
        s.seat[q].cards = 0
        s.seat[q].chips = g.chips
        s.seat[q].taken = 0
    s.gone = 0
    memset(&s.active, 0, sizeof(set_t))
    s.owner = -1
    s.both_left = 0 if g.two else <uint8_t> low_bits(g.players)
    s.row = 0
    s.turns = 0
    if not second_deal(g, s):
        s.undealt = low_bits(g.deck)
        s.out = 0
        for q in range(g.players):
            s.left[q] = 0
    if s.explicit_chance:
        s.phase = DEALING
        s.dealt = 0
        s.mover = 0
        return
    if second_deal(g, s):
        for q in range(g.players):
            hand_load(&s.seat[q].hand, &s.aside[q * g.hand_size], g.hand_size, 0)
        s.asides -= g.in_play
        for i in range(s.asides):
            s.aside[i] = s.aside[i + g.in_play]
    else:
        memcpy(deck, g.cards, 64)
        s.asides = g.deck - g.in_play
        # The order of the cards set aside matters only where a later round is dealt from them.
        rng_draw(&s.rng, deck, g.deck, g.deck if g.two and s.last_round > 1 else g.in_play)
        flips = rng_next(&s.rng)                 # one fair coin a card; a deck has fewer than 64
        for q in range(g.players):
            hand_load(&s.seat[q].hand, deck + q * g.hand_size, g.hand_size, flips)
            flips >>= g.hand_size
        for i in range(s.asides):
            card = deck[g.in_play + i]
            # a branch on a coin would be mispredicted every other time
            s.aside[i] = <uint8_t> (card ^ ((card ^ card_turned(card)) & (0 - <int> (flips >> i & 1))))
    for q in range(g.players):
        s.seat[q].cards = g.hand_size
    dealt_all(g, s)


cdef void deal_card(const rules_t* g, state_t* s, int chance) noexcept nogil:
    """The next card, seat by seat and left to right: index * 2 + (larger number on top)."""
    cdef int card = g.cards[chance >> 1]
    cdef seat_t* seat = &s.seat[s.dealt // g.hand_size]
    hand_insert(&seat.hand, seat.cards, card_turned(card) if chance & 1 else card)
    seat.cards += 1
    s.undealt &= ~(<uint64_t> 1 << (chance >> 1))
    s.dealt += 1
    if s.dealt == g.in_play:
        dealt_all(g, s)


# ------------------------------------------------------------------------------------------------
# "End of a round", "Match"

cdef void finish_round(const rules_t* g, state_t* s, Ending ending, int exempt, bint tracked) noexcept nogil:
    """Score the round and go on; `tracked`: what seats know of each other's cards is up to date."""
    cdef seat_t* seat
    cdef int q
    for q in range(g.players):
        seat = &s.seat[q]
        seat.last = seat.taken + seat.chips - (0 if q == exempt else seat.cards)
        seat.total += seat.last
    s.ending = ending
    s.exempt = <int8_t> exempt
    if tracked and g.two and not second_deal(g, s) and s.round + 1 < s.last_round:
        s.out = s.gone | active_mask(g, s)
        for q in range(g.players):
            seat = &s.seat[q]
            s.out |= cards_mask(g, &seat.hand, seat.known)
            s.left[q] = cards_mask(g, &seat.hand, low_bits(seat.cards) & ~seat.known)
    s.round += 1
    if s.round >= s.last_round:
        s.phase = OVER
    else:
        s.starter = <int8_t> ((s.starter + 1) % g.players)
        new_round(g, s)


cdef void payoffs(const rules_t* g, const state_t* s, Payoff payoff, double* out) noexcept nogil:
    cdef double scores[MAX_SEATS]
    cdef int q
    for q in range(g.players):
        scores[q] = s.seat[q].total
    derive_payoffs(g, scores, payoff, out)


cdef void derive_payoffs(const rules_t* g, const double* scores, Payoff payoff, double* out) noexcept nogil:
    """Pay-off of every seat from the scores, exact or estimated."""
    cdef double total = 0, best = scores[0]
    cdef int q, winners = 0
    for q in range(g.players):
        total += scores[q]
        if scores[q] > best:
            best = scores[q]
    for q in range(g.players):
        winners += scores[q] == best
    for q in range(g.players):
        if payoff == SCORE:
            out[q] = scores[q]
        elif payoff == MARGIN:
            out[q] = scores[q] - (total - scores[q]) / (g.players - 1)
        else:
            out[q] = 1.0 / winners if scores[q] == best else 0.0


# ------------------------------------------------------------------------------------------------
# "A turn", "2 players"

cdef inline void next_mover(const rules_t* g, state_t* s) noexcept nogil:
    cdef int mover = s.mover + 1
    s.mover = 0 if mover == g.players else <int8_t> mover


cdef void show(const rules_t* g, state_t* s, int start, int length) noexcept nogil:
    cdef seat_t* seat = &s.seat[s.mover]
    cdef pairs_t pairs = hand_pairs(&seat.hand, seat.cards)
    s.gone |= active_mask(g, s)
    seat.taken += s.active.size
    s.active = set_at(&seat.hand, &pairs, start, length)
    hand_take(&seat.hand, start, length, &s.table)
    seat.known = mask_remove(seat.known, start, length)
    seat.cards -= length
    s.owner = s.mover
    s.row = 0
    s.turns += 1
    s.phase = TURN
    if seat.cards == 0:
        finish_round(g, s, EMPTY_HAND, -1, True)
        return
    next_mover(g, s)
    if g.two and stuck(g, s):
        finish_round(g, s, SCOUTED_OUT, s.owner, True)
    elif s.turns >= g.max_turns:
        finish_round(g, s, TURN_LIMIT, -1, True)


cdef void scout(const rules_t* g, state_t* s, int end, int place, bint turned, bint both) noexcept nogil:
    """Take a card of the Active Set into the hand; `both`: as the first half of a Scout & Show."""
    cdef seat_t* seat = &s.seat[s.mover]
    cdef int owner = s.owner
    cdef int at = set_end(s.active, end)
    cdef hand_t grown
    s.pending_card = <uint8_t> hand_card(&s.table, at)
    hand_put(&seat.hand, &s.table, at, turned, place, &grown)
    seat.hand = grown
    seat.known = mask_insert(seat.known, place, 1)
    seat.cards += 1
    s.active = set_cut(s.active, end)
    if s.active.size == 0:
        s.owner = -1
    if both:
        s.seat[owner].chips += 1
        s.both_left &= ~(1 << s.mover)
        s.phase = MUST_SHOW
        s.pending_end = <uint8_t> end
        s.pending_place = <uint8_t> place
        s.pending_owner = <int8_t> owner
        return
    s.row += 1
    s.turns += 1
    if g.two:
        seat.chips -= 1
        if stuck(g, s):
            finish_round(g, s, SCOUTED_OUT, owner, True)
            return
    else:
        s.seat[owner].chips += 1
        if s.row == g.players - 1 and (s.active.size > 0 or g.ends_on_emptying):
            finish_round(g, s, SCOUTED_OUT, owner, True)
            return
        next_mover(g, s)
    if s.turns >= g.max_turns:
        finish_round(g, s, TURN_LIMIT, -1, True)


cdef inline void choose(const rules_t* g, state_t* s, bint turn) noexcept nogil:
    cdef seat_t* seat = &s.seat[s.mover]
    if turn:
        hand_turn(&seat.hand, seat.cards)
    s.mover += 1
    if s.mover == g.players:
        s.mover = s.starter
        s.phase = TURN


cdef bint nothing_lost(const rules_t* g, const state_t* s) noexcept nogil:
    """Whether each card of a round is in a hand, in the Active Set or a score card: asked by a build that checks."""
    cdef int q, cards = s.active.size + popcount(s.gone)
    if s.phase == DEALING or s.phase == OVER:
        return True
    for q in range(g.players):
        cards += s.seat[q].cards
    return cards == g.in_play


cdef void apply(const rules_t* g, state_t* s, int32_t action) noexcept nogil:
    """Play a legal action."""
    ensure(action >= 0)
    ensure(action < g.num_actions)
    ensure(nothing_lost(g, s))
    cdef int a
    cdef bint both
    if action < 2:
        choose(g, s, action)
    elif action < g.first_scout:
        a = action - 2
        show(g, s, a % g.in_play, a // g.in_play + 1)
    else:
        both = action >= g.first_both
        a = action - (g.first_both if both else g.first_scout)
        scout(g, s, a >= 2 * g.in_play, (a % (2 * g.in_play)) >> 1, a & 1, both)


# ------------------------------------------------------------------------------------------------
# Legal actions, and what the others see of them

cdef inline uint64_t show_key(const rules_t* g, const state_t* s, int start, int length) noexcept nogil:
    """All that a Show shows, in 64 bits: the bottoms, and the tops by first, direction and length.

    Eleven bottoms of 4 bits, 4 bits of first top, 4 of length, 2 of direction, 6 of place. Then, for
    the Show of a Scout & Show, that it is one and which end was scouted: it is seen as a whole.
    """
    cdef const hand_t* hand = &s.seat[s.mover].hand
    cdef int i, card = hand_card(hand, start), first = card & 15, direction = 0
    cdef uint64_t key = <uint64_t> (card >> 4)
    for i in range(1, length):
        card = hand_card(hand, start + i)
        key |= <uint64_t> (card >> 4) << (4 * i)
        if i == 1:
            direction = (card & 15) - first + 1
    key |= <uint64_t> first << 44 | <uint64_t> length << 48 | <uint64_t> direction << 52
    if g.insertions_public:
        key |= <uint64_t> start << 54
    if s.phase == MUST_SHOW:
        key |= <uint64_t> 1 << 60 | <uint64_t> s.pending_end << 61
    return key | <uint64_t> 1 << 62


cdef inline uint64_t scout_key(const rules_t* g, int32_t action, bint hidden) noexcept nogil:
    """What is seen of a Scout, or of the first half of a Scout & Show."""
    if hidden and not g.insertions_public:
        # The card and so the end are seen, its place and side are not. Of a Scout & Show nothing is
        # seen before its Show.
        if action >= g.first_both:
            action = g.first_both
        else:
            action -= (action - g.first_scout) % (2 * g.in_play)
    return <uint64_t> action + 1


cdef int options(const rules_t* g, const state_t* s, int observer, int32_t* actions, uint64_t* keys) noexcept nogil:
    """Legal actions, ascending; with `keys` also what `observer` sees of each (see GameOps)."""
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef bint hidden = observer != s.mover
    cdef uint64_t starts[MAX_HAND + 1]
    cdef uint64_t mask, turned_mask
    cdef int n = 0, length, longest, code, end, place, first, card, both
    if s.phase == CHOOSING:
        actions[0] = 0
        actions[1] = 1
        if keys != NULL:
            keys[0] = 1
            keys[1] = 1 if hidden else 2
        return 2
    code = set_code(s.active)
    longest = beating_starts(&seat.hand, seat.cards, code, starts)
    for length in range(max(1, code >> 8), longest + 1):
        mask = starts[length]
        while mask:
            actions[n] = 2 + (length - 1) * g.in_play + lowest(mask)
            if keys != NULL:
                keys[n] = show_key(g, s, lowest(mask), length) if hidden else <uint64_t> actions[n] + 1
            mask &= mask - 1
            n += 1
    if not may_scout(g, s):
        return n
    for both in range(1 + (s.both_left >> s.mover & 1)):
        first = g.first_both if both else g.first_scout
        for end in range(1 if s.active.size == 1 else 2):
            mask = turned_mask = low_bits(seat.cards + 1)
            if both:
                code = set_code(set_cut(s.active, end))
                card = hand_card(&s.table, set_end(s.active, end))
                mask = places_beating(&seat.hand, seat.cards, card & 15, code)
                turned_mask = places_beating(&seat.hand, seat.cards, card >> 4, code)
            for place in range(seat.cards + 1):
                if mask >> place & 1:
                    actions[n] = first + 2 * (end * g.in_play + place)
                    n += 1
                if turned_mask >> place & 1:
                    actions[n] = first + 2 * (end * g.in_play + place) + 1
                    n += 1
    if keys != NULL:
        for place in range(n):
            if actions[place] >= g.first_scout:
                keys[place] = scout_key(g, actions[place], hidden)
    return n


# ------------------------------------------------------------------------------------------------
# Uniformly random legal play

cdef inline int random_round(const rules_t* g, state_t* s, rng_t* rng, bint two) noexcept nogil:
    """Play the running round to its end; the number of decisions.

    The same rules as `show` and `scout` in one loop, with what changes at every turn in registers.
    What seats know of each other's cards is not kept up, so nobody may ask for it afterwards.
    `two` is known where this is inlined.
    """
    cdef uint64_t starts[MAX_HAND + 1]
    cdef hand_t grown
    cdef shows_t shows
    cdef set_t active = s.active, rest
    cdef seat_t* seat
    cdef int n = 0, mover = s.mover, owner = s.owner, row = s.row, turns = s.turns, both_left = s.both_left
    cdef int scouts, boths, r, end, place, two_ends, exempt = -1
    cdef bint must_show = s.phase == MUST_SHOW, both
    cdef Ending ending = NOT_ENDED
    while True:
        seat = &s.seat[mover]
        find_shows(&seat.hand, seat.cards, active, &shows, starts)
        # Scouting moves are numbered by place, end and side; a single card has one end.
        two_ends = active.size > 1
        scouts = (seat.cards + 1) * 2 * (two_ends + (active.size > 0))
        boths = 0
        if must_show:
            scouts = 0
        elif two:
            if seat.chips == 0:
                scouts = 0
                if shows.count == 0:
                    ending = SCOUTED_OUT
                    exempt = owner
                    break
        else:
            boths = scouts * (both_left >> mover & 1)
        if turns >= g.max_turns:
            ending = TURN_LIMIT
            break
        n += 1
        r = <int> rng_below(rng, shows.count + scouts + boths)
        if r >= shows.count:
            r -= shows.count
            both = r >= scouts
            if both:
                r -= scouts
            end = r >> 1 & two_ends
            place = r >> (1 + two_ends)
            hand_put(&seat.hand, &s.table, set_end(active, end), r & 1, place, &grown)
            rest = set_cut(active, end)
            if not both:
                hand_copy(&grown, &seat.hand)
                seat.cards += 1
                active = rest
                row += 1
                turns += 1
                if two:
                    seat.chips -= 1
                else:
                    s.seat[owner].chips += 1
                    if row == g.players - 1 and (active.size > 0 or g.ends_on_emptying):
                        ending = SCOUTED_OUT
                        exempt = owner
                        break
                    mover += 1
                    if mover == g.players:
                        mover = 0
                continue
            # The places of a Scout & Show are not counted: one is drawn from all, and drawn again with
            # everything else where no Show can follow, which leaves all legal actions equally likely.
            find_shows(&grown, seat.cards + 1, rest, &shows, starts)
            if shows.count == 0:
                n -= 1
                continue
            hand_copy(&grown, &seat.hand)
            seat.cards += 1
            active = rest
            s.seat[owner].chips += 1
            both_left &= ~(1 << mover)
            n += 1
            r = <int> rng_below(rng, shows.count)
        seat.taken += active.size
        active = pick_show(&seat.hand, &shows, starts, r)
        hand_take(&seat.hand, active.first, active.size, &s.table)
        seat.cards -= active.size
        owner = mover
        row = 0
        turns += 1
        must_show = False
        if seat.cards == 0:
            ending = EMPTY_HAND
            break
        mover += 1
        if mover == g.players:
            mover = 0
    s.active = active
    s.owner = <int8_t> owner if active.size else -1
    s.mover = <int8_t> mover
    s.both_left = <uint8_t> both_left
    s.row = <uint8_t> row
    s.turns = turns
    finish_round(g, s, ending, exempt, False)
    return n


cdef int random_play(const rules_t* g, state_t* s, rng_t* rng, long long* ends) noexcept nogil:
    """Play to the end; the number of decisions.

    Adds 1 to ends[e] for each round that ended by e, unless `ends` is NULL.
    """
    cdef int n = 0, q
    cdef uint64_t coins
    while s.phase != OVER:
        if s.phase == CHOOSING:
            # A row and its mirror image can do the same, so a turned hand need not be reversed here.
            coins = rng_next(rng)
            for q in range(s.mover, g.players):
                if coins >> q & 1:
                    hand_swap(&s.seat[q].hand)
                n += 1
            s.mover = s.starter
            s.phase = TURN
        n += random_round(g, s, rng, True) if g.two else random_round(g, s, rng, False)
        if ends != NULL:
            ends[s.ending] += 1
    return n


cdef int playout(const rules_t* g, state_t* fresh, rng_t* rng, long long* ends) noexcept nogil:
    """A whole game from a new deal, in a state that holds nothing but its settings."""
    rng_fork(rng, &fresh.rng)
    new_round(g, fresh)
    return random_play(g, fresh, rng, ends)


# ------------------------------------------------------------------------------------------------
# "What is public": what one seat knows, and full states that fit it

cdef void observe(const rules_t* g, const state_t* s, int observer, position_t* p) noexcept nogil:
    """Write down what `observer` knows. Nothing hidden is copied, so nothing can be read later."""
    cdef const seat_t* seat
    cdef seat_t* seen
    cdef uint64_t unseen, mask
    cdef uint8_t cards[MAX_HAND]
    cdef int n = active_cards(s, &cards[1])
    cdef const uint8_t* laid = &cards[1]
    cdef int q, place, card
    cdef bint pending = s.phase == MUST_SHOW and observer != s.mover
    memset(p, 0, sizeof(position_t))
    p.observer = observer
    p.base.gone = s.gone
    p.base.out = s.out
    p.base.left[observer] = s.left[observer]
    p.base.owner = s.owner
    p.base.mover = s.mover
    p.base.starter = s.starter
    p.base.phase = s.phase
    p.base.both_left = s.both_left
    p.base.exempt = -1
    p.base.round = s.round
    p.base.last_round = s.last_round
    p.base.turns = s.turns
    p.base.asides = <int8_t> (g.deck - g.in_play * (2 if second_deal(g, s) else 1))
    for q in range(g.players):
        seat = &s.seat[q]
        seen = &p.base.seat[q]
        seen.chips = seat.chips
        seen.taken = seat.taken
        seen.total = seat.total
        seen.cards = seat.cards
        p.cards[q] = <int8_t> seat.cards
    if pending:
        # A Scout & Show is atomic for everybody else: the table as it was before.
        p.base.phase = TURN
        p.base.owner = s.pending_owner
        p.base.both_left |= 1 << s.mover
        p.base.seat[s.pending_owner].chips -= 1
        p.base.seat[s.mover].cards -= 1
        p.cards[s.mover] -= 1
        if s.pending_end == 0:
            laid = &cards[0]
            cards[0] = s.pending_card
        else:
            cards[1 + n] = s.pending_card
        n += 1
    elif s.phase == MUST_SHOW:
        p.base.pending_end = s.pending_end
        p.base.pending_card = s.pending_card
        p.base.pending_place = s.pending_place
        p.base.pending_owner = s.pending_owner
    lay_active(&p.base, laid, n)
    if n > 0:
        p.base.row = scouts_since(g, &p.base)
    seat = &s.seat[observer]
    p.base.seat[observer].hand = seat.hand
    p.base.seat[observer].known = seat.known
    unseen = low_bits(g.deck) & ~(p.base.gone | p.base.out | p.base.left[observer]
                                  | active_mask(g, &p.base)
                                  | cards_mask(g, &seat.hand, low_bits(seat.cards)))
    for q in range(g.players):
        if q == observer:
            continue
        seat = &s.seat[q]
        mask = seat.known
        if pending and q == s.mover:
            mask &= ~(<uint64_t> 1 << s.pending_place)
        if g.insertions_public:
            while mask:
                place = lowest(mask)
                card = hand_card(&seat.hand, place)
                unseen &= ~(<uint64_t> 1 << g.index[card])
                p.known[q][p.known_cards[q]] = <uint8_t> card
                # before a pending Scout, the cards behind its place stood one further left
                p.known_place[q][p.known_cards[q]] = <int8_t> (
                    place - (pending and q == s.mover and place > s.pending_place))
                p.known_cards[q] += 1
                mask &= mask - 1
        else:
            # in the order of the deck, so that the list tells nothing of places and sides
            mask = cards_mask(g, &seat.hand, mask)
            unseen &= ~mask
            while mask:
                p.known[q][p.known_cards[q]] = g.cards[lowest(mask)]
                p.known_place[q][p.known_cards[q]] = -1
                p.known_cards[q] += 1
                mask &= mask - 1
    for q in range(g.players):
        if q != observer:
            p.hidden += p.cards[q] - p.known_cards[q]
    while unseen:
        p.pool[p.unseen] = g.cards[lowest(unseen)]
        p.unseen += 1
        unseen &= unseen - 1


cdef inline void fill_hand(
    const position_t* p, int q, const uint8_t* hidden, uint64_t flips, rng_t* rng, seat_t* seat
) noexcept nogil:
    """A rival's hand: the hidden cards as drawn, turned where `flips` says, the known ones where they may be."""
    cdef uint8_t free[MAX_HAND]
    cdef uint8_t row[MAX_HAND]
    cdef uint64_t coins, free_known = 0, fixed = 0
    cdef int i, j, card, place, frees = p.cards[q] - p.known_cards[q]
    if p.known_cards[q] == 0:
        hand_load(&seat.hand, hidden, frees, flips)
        seat.known = 0
        return
    for i in range(frees):
        free[i] = <uint8_t> card_turned(hidden[i]) if flips >> i & 1 else hidden[i]
    coins = rng_next(rng)
    for i in range(p.known_cards[q]):
        card = p.known[q][i]
        place = p.known_place[q][i]
        if place >= 0:
            row[place] = <uint8_t> card
            fixed |= <uint64_t> 1 << place
            continue
        # Put in one after the other at a uniform place: every arrangement is equally likely.
        if coins >> i & 1:
            card = card_turned(card)
        place = <int> rng_below(rng, frees + 1)
        for j in range(frees, place, -1):
            free[j] = free[j - 1]
        free[place] = <uint8_t> card
        free_known = mask_insert(free_known, place, 1)
        frees += 1
    if not fixed:
        hand_load(&seat.hand, free, frees, 0)
        seat.known = free_known
        return
    seat.known = fixed
    j = 0
    for i in range(p.cards[q]):
        if not fixed >> i & 1:
            row[i] = free[j]
            seat.known |= (free_known >> j & 1) << i
            j += 1
    hand_load(&seat.hand, row, p.cards[q], 0)


cdef int sample(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil:
    """A full state that fits the position: unseen cards in uniformly random order and orientation.

    Only two players know more than cards: a rival who is to move without a chip can Show. Those
    deals are drawn again; -1 after 100,000 in vain.
    """
    cdef uint8_t pool[64]
    cdef uint64_t flips
    cdef int i, q, at, _attempt
    for _attempt in range(100000):
        memcpy(s, &p.base, sizeof(state_t))
        memcpy(pool, p.pool, 64)
        rng_draw(rng, pool, p.unseen, p.unseen if g.two and s.last_round > 1 else p.hidden)
        flips = rng_next(rng)
        at = 0
        for q in range(g.players):
            if q != p.observer:
                i = p.cards[q] - p.known_cards[q]
                fill_hand(p, q, pool + at, flips, rng, &s.seat[q])
                flips >>= i
                at += i
        for i in range(at, at + p.hidden_gone):
            s.gone |= <uint64_t> 1 << g.index[pool[i]]
        at += p.hidden_gone
        for i in range(s.asides):
            s.aside[i] = <uint8_t> card_turned(pool[at]) if flips >> i & 1 else pool[at]
            at += 1
        # Two players, second deal: what is left was in the rival's hand when the first round ended.
        for i in range(at, p.unseen):
            s.left[1 - p.observer] |= <uint64_t> 1 << g.index[pool[i]]
        if not (s.phase == TURN and s.mover != p.observer and stuck(g, s)):
            rng_fork(rng, &s.rng)
            return 0
    return -1


# ------------------------------------------------------------------------------------------------
# GameOps: the same functions behind untyped pointers

cdef int op_sample(const void* context, rng_t* rng, void* state) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    return sample(&c.rules, &c.position, rng, <state_t*> state)


cdef int op_current_player(const void* context, const void* state) noexcept nogil:
    return current_player(&(<const search_context_t*> context).rules, <const state_t*> state)


cdef int op_options(const void* context, const void* state, int32_t* actions, uint64_t* keys) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    return options(&c.rules, <const state_t*> state, c.position.observer, actions, keys)


cdef uint64_t op_apply(const void* context, void* state, int32_t action) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    cdef int finished = s.round
    apply(&c.rules, s, action)
    if s.round == finished or s.phase == OVER:
        return 0
    return hand_key(&s.seat[c.position.observer].hand)


cdef uint64_t hand_key(const hand_t* hand) noexcept nogil:
    """A newly dealt hand as a number. Two hands share one by a chance of 2**-63."""
    cdef uint64_t key = 0
    cdef int j
    for j in range(8):
        key = (key ^ hand.plane[j]) * <uint64_t> 0x9E3779B97F4A7C15
        key ^= key >> 32
    return key | 1


cdef void op_rollout(const void* context, void* state, rng_t* rng) noexcept nogil:
    random_play(&(<const search_context_t*> context).rules, <state_t*> state, rng, NULL)


cdef void op_returns(const void* context, const void* state, double* out) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    payoffs(&c.rules, <const state_t*> state, c.payoff, out)


cdef void fill_ops(search_context_t* context, GameOps* ops) noexcept nogil:
    ops.state_size = sizeof(state_t)
    ops.num_players = context.rules.players
    # no hand has more legal actions than there are action ids
    ops.max_options = context.rules.num_actions
    ops.observer = context.position.observer
    ops.context = context
    ops.sample = op_sample
    ops.current_player = op_current_player
    ops.options = op_options
    ops.apply = op_apply
    ops.rollout = op_rollout
    ops.returns = op_returns
