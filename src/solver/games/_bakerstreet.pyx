# cython: language_level=3
"""Baker Street's rules over plain data: deal, legal actions, moves, evaluation, random play.

Used by `bakerstreet.pyx` only. No Python object in here; section names in quotes are those of
docs/rules-bakerstreet.md.
"""
from libc.stdint cimport int8_t, int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from solver._core cimport (
    ensure, evaluate_stack, evaluation_t, lowest, popcount, rng_below, rng_double, rng_draw, rng_fork, rng_t,
)
from solver.games.ops cimport CHANCE_PLAYER, TERMINAL_PLAYER, GameOps


# ------------------------------------------------------------------------------------------------
# Small questions

cdef int run_of(uint32_t letters) noexcept nogil:
    """Length of the longest unbroken run of letters."""
    cdef int n = 0
    while letters:
        letters &= letters << 1
        n += 1
    return n


cdef uint32_t takable(const state_t* s, int seat, int pile) noexcept nogil:
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

cdef void add_letter(letters_t* pile, int letter) noexcept nogil:
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
    """The winner looks through a pile. What it then takes is written down by `take`."""
    cdef int i
    s.seat[w].seen |= 1 << pile
    s.seat[w].look[pile] = s.pile[pile]
    if not takable(s, w, pile):
        # A look like the last one, with nothing taken by anybody since, tells nothing new.
        for i in range(s.wins - 1, -1, -1):
            if s.win_pile[i] == pile and (s.win_seat[i] == w or s.win_letter[i] != NO_LETTER):
                if s.win_seat[i] == w and s.win_letter[i] == NO_LETTER:
                    return
                break
    s.win_seat[s.wins] = <uint8_t> w
    s.win_pile[s.wins] = <uint8_t> pile
    s.win_letter[s.wins] = NO_LETTER
    s.wins += 1


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
    s.win_letter[s.wins - 1] = <uint8_t> letter
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

cdef bint nothing_lost(const state_t* s) noexcept nogil:
    """Whether each card and each letter is somewhere: asked by a build that checks."""
    cdef int i, cards = 0, letters = 0
    for i in range(2):
        cards += s.seat[i].cards + s.seat[i].deck_cards + s.seat[i].discards
        letters += popcount(s.seat[i].evidence)
    for i in range(PILES):
        cards += s.stack_cards[i]
        letters += popcount(s.pile[i].once) + 2 * popcount(s.pile[i].twice)
    return cards == 2 * DECK and letters == 2 * LETTERS


cdef void apply(const rules_t* g, state_t* s, int32_t action) noexcept nogil:
    """Play a legal action."""
    ensure(action >= 0)
    ensure(action < NUM_ACTIONS)
    ensure(nothing_lost(s))
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


# ------------------------------------------------------------------------------------------------
# "What each player knows", and full states that fit it

cdef void observe(const rules_t* g, const state_t* s, int observer, position_t* p) noexcept nogil:
    """Write down what `observer` knows. Nothing hidden is copied, so nothing can be read later."""
    cdef const seat_t* seat
    cdef seat_t* seen
    cdef int i, j, q, rival = 1 - observer
    cdef uint32_t among
    memset(p, 0, sizeof(position_t))
    p.observer = observer
    p.base.bids = s.bids
    p.base.rounds = s.rounds
    p.base.standing = s.standing
    p.base.mover = s.mover
    p.base.starter = s.starter
    p.base.phase = s.phase
    p.base.doubt_winner = s.doubt_winner if s.phase == CHOOSING or s.phase == TAKING else -1
    p.base.current = s.current if s.phase == TAKING else -1
    p.base.arrow = s.arrow if s.phase == TAKING else 0
    p.base.winner = -1
    p.base.events = -1
    for i in range(PILES):
        p.base.stack_cards[i] = s.stack_cards[i]
        memcpy(p.base.stack[i], s.stack[i], s.stack_cards[i])
    for q in range(2):
        seat = &s.seat[q]
        seen = &p.base.seat[q]
        seen.discards = seat.discards
        memcpy(seen.discard, seat.discard, seat.discards)
        sort(seen.discard, seen.discards)
        for i in range(seat.cards):
            if q == observer or seat.open >> i & 1:
                seen.hand[seen.cards] = seat.hand[i]
                seen.open |= (seat.open >> i & 1) << seen.cards
                seen.cards += 1
        sort_hand(seen)
    p.rival_cards = s.seat[rival].cards
    p.base.seat[observer].evidence = s.seat[observer].evidence
    p.base.seat[observer].seen = s.seat[observer].seen
    p.base.seat[rival].seen = s.seat[rival].seen
    for i in range(PILES):
        if s.seat[observer].seen >> i & 1:
            p.base.seat[observer].look[i] = s.seat[observer].look[i]
    p.base.wins = s.wins
    for i in range(s.wins):
        p.win[i].seat = s.win_seat[i]
        p.win[i].pile = s.win_pile[i]
        if s.win_seat[i] == observer:
            if s.win_letter[i] != NO_LETTER:
                p.win[i].known = TOOK_OWN
                p.win[i].letters = <uint32_t> 1 << s.win_letter[i]
            # What has gone from the pile since the look before, the rival took.
            among = 0
            for j in range(i - 1, -1, -1):
                if p.win[j].pile == p.win[i].pile:
                    if p.win[j].seat == observer:
                        break
                    if p.win[j].known == TOOK_UNKNOWN:
                        among |= <uint32_t> 1 << s.win_letter[j]
            else:
                among = 0                  # this is the first look: they went before it
                for j in range(i):
                    if p.win[j].pile == p.win[i].pile and p.win[j].known == TOOK_UNKNOWN:
                        p.win[j].known = TOOK_BEFORE
            for j in range(i - 1, -1, -1):
                if among and p.win[j].pile == p.win[i].pile:
                    if p.win[j].seat == observer:
                        break
                    if p.win[j].known == TOOK_UNKNOWN:
                        p.win[j].known = TOOK_AMONG
                        p.win[j].letters = among
        elif s.win_letter[i] != NO_LETTER:
            p.win[i].known = TOOK_UNKNOWN
    fill_pools(g, p)


cdef inline void sort(uint8_t* cards, int n) noexcept nogil:
    """In order of the byte, so that the order of a multiset tells nothing."""
    cdef int i, j
    cdef uint8_t card
    for i in range(1, n):
        card = cards[i]
        j = i
        while j and cards[j - 1] > card:
            cards[j] = cards[j - 1]
            j -= 1
        cards[j] = card


cdef inline void sort_hand(seat_t* seat) noexcept nogil:
    """The hand by kind, of equal cards the open one last."""
    cdef int i
    cdef uint8_t cards[HAND]
    for i in range(seat.cards):
        cards[i] = <uint8_t> (seat.hand[i] << 1 | (seat.open >> i & 1))
    sort(cards, seat.cards)
    seat.open = 0
    for i in range(seat.cards):
        seat.hand[i] = cards[i] >> 1
        seat.open |= (cards[i] & 1) << i


cdef void fill_pools(const rules_t* g, position_t* p) noexcept nogil:
    """What is not seen: each deck's cards less those seen, and the letters less those accounted for."""
    cdef int8_t left[KINDS]
    cdef int8_t copies[LETTERS]
    cdef int i, j, _j, q, card, n
    cdef uint32_t done[PILES]
    cdef uint32_t among
    cdef const seat_t* seat
    cdef uint8_t* pool
    for q in range(2):
        memset(left, 0, sizeof(left))
        seat = &p.base.seat[q]
        for i in range(DECK):
            left[g.deck[i]] += 1
        for i in range(seat.cards):
            left[seat.hand[i]] -= 1
        for i in range(seat.discards):
            left[seat.discard[i]] -= 1
        for i in range(PILES):
            for j in range(p.base.stack_cards[i]):
                card = p.base.stack[i][j]
                if card >> 5 == q:
                    left[card & 31] -= 1
        pool = &p.own_pool[0] if q == p.observer else &p.rival_pool[0]
        n = 0
        for i in range(KINDS):
            for _j in range(left[i]):
                pool[n] = <uint8_t> i
                n += 1
        if q == p.observer:
            p.own_unseen = n
        else:
            p.rival_unseen = n
    for i in range(LETTERS):
        copies[i] = 2
    for i in range(PILES):
        done[i] = 0
        for j in range(LETTERS):
            copies[j] -= (p.base.seat[p.observer].look[i].once >> j & 1) + 2 * (
                p.base.seat[p.observer].look[i].twice >> j & 1)
    for i in range(p.base.wins):
        p.base.win_seat[i] = p.win[i].seat
        p.base.win_pile[i] = p.win[i].pile
        p.base.win_letter[i] = NO_LETTER if p.win[i].known == TOOK_NOTHING else HIDDEN_LETTER
        among = p.win[i].letters
        if p.win[i].known == TOOK_AMONG:
            # the letters of a group stand at each of its takes
            among &= ~done[p.win[i].pile]
            done[p.win[i].pile] |= among
        for j in range(LETTERS):
            copies[j] -= among >> j & 1
    p.hidden_letters = 0
    for i in range(LETTERS):
        for _j in range(copies[i]):
            p.letters[p.hidden_letters] = <uint8_t> i
            p.hidden_letters += 1
    p.greatest = -1


cdef void weigh(position_t* p) noexcept nogil:
    """The greatest weight that a distribution of the letters has, as far as 400 attempts show it.

    The same for the same position: the stream is fixed. A greater weight met later counts as this one.
    """
    cdef rng_t rng
    cdef state_t trial
    cdef int _i
    cdef double weight
    for _i in range(4):
        rng.s[_i] = <uint64_t> 0x9E3779B97F4A7C15 * (_i + 1)
    p.greatest = 0
    for _i in range(400):
        weight = sample_letters(p, &rng, &trial)
        if weight > p.greatest:
            p.greatest = weight


cdef inline int choose(const position_t* p, rng_t* rng, uint32_t owned, uint32_t legal_letters, int letter,
                       double* chance) noexcept nogil:
    """A letter that the rival takes, by the model of its choices, or the one given; and its chance."""
    cdef double weights[LETTERS]
    cdef double total = 0, at
    cdef uint32_t rest
    cdef int i = 0, count
    if p.choice == NULL:
        count = popcount(legal_letters)
        chance[0] = 1 / <double> count
        return nth_letter(legal_letters, <int> rng_below(rng, count)) if letter == NO_LETTER else letter
    p.choice(p.model, owned, legal_letters, weights)
    rest = legal_letters
    while rest:
        total += weights[lowest(rest)]
        rest &= rest - 1
    if letter == NO_LETTER:
        at = rng_double(rng) * total
        rest = legal_letters
        while rest:
            i = lowest(rest)
            if weights[i] > 0:
                letter = i             # the last one, should rounding leave something of `at`
                at -= weights[i]
                if at < 0:
                    break
            rest &= rest - 1
    chance[0] = weights[letter] / total
    return letter


cdef double sample_letters(const position_t* p, rng_t* rng, state_t* s) noexcept nogil:
    """One attempt to lay all letters: its weight, or -1 if they do not fit.

    The letters not accounted for go to hidden places at random; then the log is played again. What
    the rival took unseen is drawn, by the model of its choices, from what was legal. The weight is
    the chance by that model of the takes whose letters are fixed by what the observer saw.
    """
    cdef double weight = 1, chance = 1
    cdef uint8_t pool[40]
    cdef int8_t copies[PILES][LETTERS]
    cdef uint8_t drawn[MAX_WINS]
    cdef uint32_t done[PILES]
    cdef uint32_t evidence = 0, legal_letters, rest
    cdef const seat_t* me = &p.base.seat[p.observer]
    cdef int i, j, _j, at = 0, pile, letter
    memcpy(pool, p.letters, 40)
    rng_draw(rng, pool, p.hidden_letters, p.hidden_letters)
    memset(copies, 0, sizeof(copies))
    for i in range(PILES):
        done[i] = 0
        if me.seen >> i & 1:
            for j in range(LETTERS):
                copies[i][j] = (me.look[i].once >> j & 1) + 2 * (me.look[i].twice >> j & 1)
        else:
            for _j in range(8):
                copies[i][pool[at]] += 1
                at += 1
    for i in range(p.base.wins):
        pile = p.win[i].pile
        drawn[i] = NO_LETTER
        if p.win[i].known == TOOK_BEFORE:
            drawn[i] = pool[at]
            at += 1
        elif p.win[i].known == TOOK_AMONG:
            rest = p.win[i].letters & ~done[pile]
            drawn[i] = <uint8_t> nth_letter(rest, <int> rng_below(rng, popcount(rest)))
            done[pile] |= <uint32_t> 1 << drawn[i]
        elif p.win[i].known == TOOK_OWN:
            drawn[i] = <uint8_t> lowest(p.win[i].letters)
        if drawn[i] != NO_LETTER:
            copies[pile][drawn[i]] += 1        # it lay there at the start
    for i in range(p.base.wins):
        pile = p.win[i].pile
        letter = drawn[i]
        s.win_letter[i] = NO_LETTER
        if p.win[i].seat != p.observer:
            legal_letters = 0
            for j in range(LETTERS):
                legal_letters |= <uint32_t> (copies[pile][j] > 0) << j
            legal_letters &= ~evidence
            if p.win[i].known == TOOK_NOTHING:
                if legal_letters and not (i == p.base.wins - 1 and p.base.phase == TAKING):
                    return -1
                continue
            if legal_letters == 0:
                return -1
            if letter == NO_LETTER:
                letter = choose(p, rng, evidence, legal_letters, NO_LETTER, &chance)
            elif not legal_letters >> letter & 1:
                return -1
            else:
                choose(p, rng, evidence, legal_letters, letter, &chance)
                weight *= chance
            evidence |= <uint32_t> 1 << letter
            if run_of(evidence) >= RUN_TO_WIN:
                return -1
        s.win_letter[i] = <uint8_t> letter
        if letter != NO_LETTER:
            copies[pile][letter] -= 1
    s.seat[1 - p.observer].evidence = evidence
    for i in range(PILES):
        s.pile[i].once = s.pile[i].twice = 0
        for j in range(LETTERS):
            s.pile[i].once |= <uint32_t> (copies[i][j] == 1) << j
            s.pile[i].twice |= <uint32_t> (copies[i][j] == 2) << j
    # The rival will take a letter next: it has one to take.
    if p.base.phase == TAKING and p.base.mover != p.observer and not takable(s, p.base.mover, p.base.current):
        return -1
    return weight


cdef inline int nth_letter(uint32_t letters, int n) noexcept nogil:
    while n:
        letters &= letters - 1
        n -= 1
    return lowest(letters)


cdef int sample(const rules_t* g, const position_t* p, rng_t* rng, state_t* s) noexcept nogil:
    """A full state that fits the position. 0; 1 if the weights had to be given up; -1 if none fits."""
    cdef uint8_t pool[DECK]
    cdef seat_t* seat
    cdef int i, j, attempt, result = -1, rival = 1 - p.observer
    cdef double weight
    memcpy(s, &p.base, sizeof(state_t))
    for attempt in range(4000):
        weight = sample_letters(p, rng, s)
        if weight >= 0 and (attempt >= 2000 or weight >= p.greatest or rng_double(rng) * p.greatest < weight):
            result = attempt >= 2000
            break
    if result < 0:
        return -1
    seat = &s.seat[p.observer]
    memcpy(seat.deck, p.own_pool, DECK)
    seat.deck_cards = <int8_t> p.own_unseen
    rng_draw(rng, seat.deck, p.own_unseen, p.own_unseen)
    seat = &s.seat[rival]
    memcpy(pool, p.rival_pool, DECK)
    rng_draw(rng, pool, p.rival_unseen, p.rival_unseen)
    j = 0
    while seat.cards < p.rival_cards:
        to_hand(seat, pool[j])
        j += 1
    seat.deck_cards = <int8_t> (p.rival_unseen - j)
    memcpy(seat.deck, &pool[j], seat.deck_cards)
    # What the rival saw at its last look: the pile now, and what was taken from it since.
    for i in range(PILES):
        seat.look[i].once = seat.look[i].twice = 0
        if seat.seen >> i & 1:
            seat.look[i] = s.pile[i]
    for i in range(s.wins - 1, -1, -1):
        if not (seat.seen >> s.win_pile[i] & 1):
            continue
        if s.win_seat[i] == rival:
            seat.seen &= ~(1 << s.win_pile[i])      # older takes lie before this look
        elif s.win_letter[i] != NO_LETTER:
            add_letter(&seat.look[s.win_pile[i]], s.win_letter[i])
    seat.seen = p.base.seat[rival].seen
    rng_fork(rng, &s.rng)
    return result


# ------------------------------------------------------------------------------------------------
# GameOps

cdef int options(const rules_t* g, const state_t* s, int observer, int32_t* actions, uint64_t* keys) noexcept nogil:
    """Legal actions and what `observer` sees of each: of the rival's letter only that it takes one."""
    cdef int i, n = legal(g, s, actions)
    for i in range(n):
        keys[i] = <uint64_t> actions[i] + 1
        if actions[i] >= A_TAKE and s.mover != observer:
            keys[i] = A_TAKE + 1
    return n


cdef inline uint64_t mixed(uint64_t key, uint64_t value) noexcept nogil:
    key = (key ^ value) * <uint64_t> 0x9E3779B97F4A7C15
    return key ^ (key >> 29)


cdef int op_sample(const void* context, rng_t* rng, void* state) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    return -1 if sample(&c.rules, &c.position, rng, <state_t*> state) < 0 else 0


cdef int op_current_player(const void* context, const void* state) noexcept nogil:
    return current_player(<const state_t*> state)


cdef int op_options(const void* context, const void* state, int32_t* actions, uint64_t* keys) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    return options(&c.rules, <const state_t*> state, c.position.observer, actions, keys)


cdef uint64_t op_apply(const void* context, void* state, int32_t action) noexcept nogil:
    """Also what the observer sees of chance and of what lay hidden: own draws, the rival's hand at a
    doubt, the letters of a pile it looks through. Two different sights share a key by a chance of 2**-63."""
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    cdef int me = c.position.observer, i, pile
    cdef seat_t* rival = &s.seat[1 - me]
    cdef uint64_t key = 0
    if action == A_DOUBT:
        sort(rival.hand, rival.cards)
        rival.open = 0                          # in a moment all of it is
        for i in range(rival.cards):
            key = mixed(key, rival.hand[i] + 1)
    s.events = 0
    apply(&c.rules, s, action)
    for i in range(s.events):
        if s.event[i][1] != me or s.event[i][0] == SHUFFLED:
            continue
        key = mixed(key, 256 + s.event[i][2])
        if s.event[i][0] == EVALUATED:
            pile = s.event[i][2]
            key = mixed(key, s.pile[pile].once | <uint64_t> s.pile[pile].twice << 32)
    s.events = -1
    return key | <uint64_t> 1 << 63 if key else 0


cdef void op_rollout(const void* context, void* state, rng_t* rng) noexcept nogil:
    cdef const search_context_t* c = <const search_context_t*> context
    cdef state_t* s = <state_t*> state
    cdef int32_t actions[NUM_ACTIONS]
    cdef int n
    while s.phase != OVER:
        n = legal(&c.rules, s, actions)
        apply(&c.rules, s, actions[rng_below(rng, n)])


cdef void returns(const state_t* s, double* out) noexcept nogil:
    """Pay-off of both seats at the end."""
    out[0] = 0 if s.winner < 0 else 1 - 2 * s.winner
    out[1] = -out[0]


cdef void op_returns(const void* context, const void* state, double* out) noexcept nogil:
    returns(<const state_t*> state, out)


cdef void fill_ops(search_context_t* context, GameOps* ops) noexcept nogil:
    ops.state_size = sizeof(state_t)
    ops.num_players = 2
    ops.max_options = NUM_ACTIONS
    ops.observer = context.position.observer
    ops.context = context
    ops.sample = op_sample
    ops.current_player = op_current_player
    ops.options = op_options
    ops.apply = op_apply
    ops.rollout = op_rollout
    ops.returns = op_returns
