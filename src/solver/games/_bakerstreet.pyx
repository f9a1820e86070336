# cython: language_level=3
"""Baker Street's rules over plain data: deal, legal actions, moves, evaluation, random play.

Used by `bakerstreet.pyx` only. No Python object in here; section names in quotes are those of
docs/rules-bakerstreet.md.
"""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t
from libc.string cimport memcpy

from solver._core cimport (
    evaluate_stack, evaluation_t, lowest, rng_below, rng_draw, rng_fork, rng_t,
)
from solver.games.ops cimport CHANCE_PLAYER, TERMINAL_PLAYER


# ------------------------------------------------------------------------------------------------
# Small questions

cdef inline int kind_id(int kind) noexcept nogil:
    """0..23: symbol * 6 + value."""
    return (kind >> 3) * 6 + (kind & 7)


cdef inline int kind_of(int kind) noexcept nogil:
    """The inverse of `kind_id`."""
    return kind // 6 << 3 | kind % 6


cdef int run_of(uint32_t letters) noexcept nogil:
    """Length of the longest unbroken run of letters."""
    cdef int n = 0
    while letters:
        letters &= letters << 1
        n += 1
    return n


cdef inline uint32_t takable(const state_t* s, int seat, int pile) noexcept nogil:
    return (s.pile[pile].once | s.pile[pile].twice) & ~s.seat[seat].evidence


cdef int current_player(const state_t* s) noexcept nogil:
    if s.phase == OVER:
        return TERMINAL_PLAYER
    if s.phase <= DRAWING:
        return CHANCE_PLAYER
    return s.mover


cdef inline void note(state_t* s, Event what, int who, int which) noexcept nogil:
    """Write down what happened, for the views of `State`; a search does not want to know."""
    if 0 <= s.events < MAX_EVENTS:
        s.event[s.events][0] = <uint8_t> what
        s.event[s.events][1] = <uint8_t> who
        s.event[s.events][2] = <uint8_t> which
        s.events += 1


# ------------------------------------------------------------------------------------------------
# "Material": decks, piles, draws

cdef inline void add_letter(letters_t* pile, int letter) noexcept nogil:
    cdef uint32_t bit = <uint32_t> 1 << letter
    if pile.once & bit:
        pile.once ^= bit
        pile.twice |= bit
    else:
        pile.once |= bit


cdef inline void remove_letter(letters_t* pile, int letter) noexcept nogil:
    cdef uint32_t bit = <uint32_t> 1 << letter
    if pile.twice & bit:
        pile.twice ^= bit
        pile.once |= bit
    else:
        pile.once &= ~bit


cdef void reshuffle(state_t* s, int q) noexcept nogil:
    """The own discard pile becomes the deck. What is in hand by then lies nowhere else, so it is known."""
    cdef seat_t* seat = &s.seat[q]
    memcpy(seat.deck, seat.discard, seat.discards)
    seat.deck_cards = seat.discards
    seat.discards = 0
    seat.open = <uint8_t> ((1 << seat.cards) - 1)
    note(s, SHUFFLED, q, 0)
    if not s.explicit_chance:
        rng_draw(&s.rng, seat.deck, seat.deck_cards, seat.deck_cards)


cdef inline void to_hand(seat_t* seat, int card) noexcept nogil:
    seat.hand[seat.cards] = <uint8_t> card
    seat.open &= ~(1 << seat.cards)
    seat.cards += 1


cdef void go_on_drawing(const rules_t* g, state_t* s) noexcept nogil:
    """Draw what is due, seat 0 first; stops at a chance node where chance is explicit."""
    cdef seat_t* seat
    cdef int q
    for q in range(2):
        seat = &s.seat[q]
        while s.draws[q]:
            if seat.deck_cards == 0 and seat.discards:
                reshuffle(s, q)
            if seat.deck_cards == 0:
                s.draws[q] = 0             # both are empty: the hand stays smaller
                break
            if s.explicit_chance:
                s.phase = DRAWING
                s.drawer = <int8_t> q
                return
            seat.deck_cards -= 1
            note(s, DREW, q, seat.deck[seat.deck_cards])
            to_hand(seat, seat.deck[seat.deck_cards])
            s.draws[q] -= 1
    begin_decision(s)


cdef inline void begin_decision(state_t* s) noexcept nogil:
    """After all draws: the bid of a seat that has placed, else a turn."""
    if s.current == -2:
        s.phase = BIDDING
        s.current = -1
    else:
        begin_turn(s)


cdef inline void begin_turn(state_t* s) noexcept nogil:
    # Without a hand card there is nothing to place; without a bid there is nothing to doubt.
    if s.seat[s.mover].cards == 0 and s.standing == NO_BID:
        s.phase = BIDDING
    else:
        s.phase = TURN


cdef void new_bidding(const rules_t* g, state_t* s) noexcept nogil:
    s.bids = 0
    s.standing = NO_BID
    s.mover = s.starter
    s.current = -1
    s.draws[0] = s.draws[1] = HAND
    go_on_drawing(g, s)


cdef void start(const rules_t* g, state_t* s) noexcept nogil:
    """Begin the game: `s` holds only its random stream and whether chance is explicit."""
    cdef uint8_t letters[40]
    cdef int i, q
    for q in range(2):
        memcpy(s.seat[q].deck, g.deck, DECK)
        s.seat[q].deck_cards = DECK
    s.winner = -1
    s.doubt_winner = -1
    s.standing = NO_BID
    if s.explicit_chance:
        s.phase = DEALING
        return
    for i in range(40):
        letters[i] = <uint8_t> (i % LETTERS)
    rng_draw(&s.rng, letters, 40, 40)
    for i in range(40):
        add_letter(&s.pile[i // 8], letters[i])
    for q in range(2):
        rng_draw(&s.rng, s.seat[q].deck, DECK, DECK)
    new_bidding(g, s)


cdef void chance(const rules_t* g, state_t* s, int outcome) noexcept nogil:
    """Explicit chance: the next letter of a pile, or (a kind) the next card of `drawer`."""
    cdef seat_t* seat
    cdef int i
    if s.phase == DEALING:
        add_letter(&s.pile[s.dealt // 8], outcome)
        s.dealt += 1
        if s.dealt == 40:
            new_bidding(g, s)
        return
    seat = &s.seat[s.drawer]
    i = 0
    while seat.deck[i] != outcome:
        i += 1
    seat.deck_cards -= 1
    seat.deck[i] = seat.deck[seat.deck_cards]
    note(s, DREW, s.drawer, outcome)
    to_hand(seat, outcome)
    s.draws[s.drawer] -= 1
    go_on_drawing(g, s)


# ------------------------------------------------------------------------------------------------
# "A turn"

cdef void place(const rules_t* g, state_t* s, int kind, int pile) noexcept nogil:
    cdef seat_t* seat = &s.seat[s.mover]
    cdef int i, at = -1
    # Of two equal cards the one that the rival knows goes first: equal cards cannot be told apart.
    for i in range(seat.cards):
        if seat.hand[i] == kind and (at < 0 or seat.open >> i & 1):
            at = i
    seat.cards -= 1
    seat.hand[at] = seat.hand[seat.cards]
    seat.open = <uint8_t> ((seat.open & ~(1 << at) & ~(1 << seat.cards)) | ((seat.open >> seat.cards & 1) << at))
    if at == seat.cards:
        seat.open &= ~(1 << at)
    s.stack[pile][s.stack_cards[pile]] = <uint8_t> (kind | s.mover << 5)
    s.stack_cards[pile] += 1
    s.draws[s.mover] = 1
    s.current = -2                     # the draw is followed by the bid
    go_on_drawing(g, s)


cdef inline void bid(state_t* s, int n) noexcept nogil:
    s.standing = <int8_t> n
    s.bids |= <uint32_t> 1 << n
    s.mover ^= 1
    begin_turn(s)


cdef inline void discard(seat_t* seat, int kind) noexcept nogil:
    seat.discard[seat.discards] = <uint8_t> kind
    seat.discards += 1


cdef void doubt(const rules_t* g, state_t* s) noexcept nogil:
    """Both hands are revealed; the sum decides who names a pile."""
    cdef seat_t* seat
    cdef int i, q, total = 0
    for q in range(2):
        seat = &s.seat[q]
        for i in range(seat.cards):
            total += seat.hand[i] & 7
            discard(seat, seat.hand[i])
        seat.cards = 0
        seat.open = 0
    s.doubt_winner = 1 - s.mover if total >= s.standing else s.mover
    s.mover = s.doubt_winner
    s.bids = 0
    s.standing = NO_BID
    s.phase = CHOOSING


# ------------------------------------------------------------------------------------------------
# "Evaluation"

cdef void look_through(state_t* s, int w, int pile) noexcept nogil:
    """The winner looks through a pile: what has gone since its last look, the rival took."""
    cdef seat_t* seat = &s.seat[w]
    cdef const letters_t* now = &s.pile[pile]
    cdef letters_t* last = &seat.look[pile]
    if seat.seen >> pile & 1:
        # A letter of which there are fewer copies now. (The rival takes a letter once only.)
        seat.rival_known |= (last.twice & ~now.twice) | (last.once & ~now.once & ~now.twice)
    else:
        seat.before[pile] = seat.since[pile]
        seat.seen |= 1 << pile
    seat.since[pile] = 0
    last[0] = now[0]


cdef void evaluate_pile(const rules_t* g, state_t* s, int pile) noexcept nogil:
    cdef evaluation_t result = evaluate_stack(s.stack[pile], s.stack_cards[pile])
    cdef int _i, card, winner = s.doubt_winner
    for _i in range(result.evaluated):
        s.stack_cards[pile] -= 1
        card = s.stack[pile][s.stack_cards[pile]]
        discard(&s.seat[card >> 5], card & 31)
    if result.total[0] != result.total[1]:
        winner = 0 if result.total[0] > result.total[1] else 1
    s.current = <int8_t> pile
    s.arrow = result.arrow
    s.mover = <int8_t> winner
    note(s, EVALUATED, winner, pile)
    look_through(s, winner, pile)
    if takable(s, winner, pile):
        s.phase = TAKING
    else:
        after_pile(g, s)


cdef void after_pile(const rules_t* g, state_t* s) noexcept nogil:
    """The chain goes on, or the evaluation is over."""
    if s.arrow:
        evaluate_pile(g, s, (s.current + 1) % PILES)
    else:
        end_round(g, s)


cdef void take(const rules_t* g, state_t* s, int letter) noexcept nogil:
    cdef int w = s.mover
    s.seat[w].evidence |= <uint32_t> 1 << letter
    remove_letter(&s.pile[s.current], letter)
    s.seat[w].look[s.current] = s.pile[s.current]
    s.seat[1 - w].since[s.current] += 1
    if run_of(s.seat[w].evidence) >= RUN_TO_WIN:
        s.winner = <int8_t> w
        s.phase = OVER
        return
    after_pile(g, s)


cdef void end_round(const rules_t* g, state_t* s) noexcept nogil:
    cdef int a, b, pile
    cdef uint32_t left = 0
    s.rounds += 1
    for pile in range(PILES):
        left |= takable(s, 0, pile) | takable(s, 1, pile)
    if s.rounds >= g.max_rounds or left == 0:
        a = run_of(s.seat[0].evidence)
        b = run_of(s.seat[1].evidence)
        s.winner = 0 if a > b else 1 if b > a else -1
        s.phase = OVER
        return
    if g.next_starter == DOUBT_LOSER:
        s.starter = 1 - s.doubt_winner
    elif g.next_starter == DOUBT_WINNER:
        s.starter = s.doubt_winner
    else:
        s.starter = 1 - s.starter
    new_bidding(g, s)


# ------------------------------------------------------------------------------------------------
# Actions

cdef void apply(const rules_t* g, state_t* s, int32_t action) noexcept nogil:
    """Play a legal action."""
    if action < A_BID:
        place(g, s, kind_of(action // PILES), action % PILES)
    elif action < A_DOUBT:
        bid(s, action - A_BID)
    elif action == A_DOUBT:
        doubt(g, s)
    elif action < A_TAKE:
        evaluate_pile(g, s, action - A_CHOOSE)
    else:
        take(g, s, action - A_TAKE)


cdef int legal(const rules_t* g, const state_t* s, int32_t* actions) noexcept nogil:
    """Legal actions, ascending; two equal cards in hand are one."""
    cdef const seat_t* seat = &s.seat[s.mover]
    cdef int n = 0, i, pile
    cdef uint32_t kinds = 0
    if s.phase == TURN:
        if s.standing < HIGHEST_BID:
            for i in range(seat.cards):
                kinds |= <uint32_t> 1 << kind_id(seat.hand[i])
            while kinds:
                for pile in range(PILES):
                    actions[n] = lowest(kinds) * PILES + pile
                    n += 1
                kinds &= kinds - 1
        if s.standing != NO_BID:
            actions[n] = A_DOUBT
            n += 1
    elif s.phase == BIDDING:
        for i in range(s.standing + 1, HIGHEST_BID + 1):
            actions[n] = A_BID + i
            n += 1
    elif s.phase == CHOOSING:
        for pile in range(PILES):
            actions[n] = A_CHOOSE + pile
            n += 1
    elif s.phase == TAKING:
        kinds = takable(s, s.mover, s.current)
        while kinds:
            actions[n] = A_TAKE + lowest(kinds)
            n += 1
            kinds &= kinds - 1
    return n


cdef int playout(const rules_t* g, state_t* fresh, rng_t* rng) noexcept nogil:
    """A whole game of uniformly random legal actions; the number of decisions."""
    cdef int32_t actions[NUM_ACTIONS]
    cdef int n = 0, count
    rng_fork(rng, &fresh.rng)
    start(g, fresh)
    while fresh.phase != OVER:
        count = legal(g, fresh, actions)
        apply(g, fresh, actions[rng_below(rng, count)])
        n += 1
    return n
