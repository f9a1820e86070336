# cython: language_level=3
"""SCOUT's states for a walk over the whole game: no text, no checks, a copy for every step.

`Game.new_walk` begins one; `solver.tree` walks by it. An information state is known by a number of 128
bits instead of its string, which is only put together for the first history that has it.
"""
from libc.stdint cimport int32_t, uint64_t

from solver.games._scout cimport (
    DEALING, MAX_ACTIONS, MAX_SEATS, OVER, apply, current_player, deal_card, new_round, options, payoffs, state_t,
)
from solver.games._scout_options cimport Options

from solver.errors import ArgumentError, IllegalActionError


cdef inline uint64_t mixed(uint64_t word) noexcept nogil:
    """Scramble 64 bits (the finalizer of SplitMix64)."""
    word = (word ^ (word >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    word = (word ^ (word >> 27)) * <uint64_t> 0x94D049BB133111EB
    return word ^ (word >> 31)


cdef class Walk:
    """A state on a walk."""
    cdef state_t c
    cdef uint64_t seen[MAX_SEATS][2]       # by seat: what it saw, in order, hashed
    cdef Options game
    cdef Walk before
    cdef int32_t action                    # that led here

    cdef void _see(self, int seat, uint64_t what) noexcept nogil:
        self.seen[seat][0] = mixed(self.seen[seat][0] * 3 + mixed(what + <uint64_t> 0x9E3779B97F4A7C15))
        self.seen[seat][1] = mixed(self.seen[seat][1] * 5 + mixed(what + <uint64_t> 0xD1B54A32D192ED03))

    def current_player(self):
        """Seat to decide, -1 while cards are dealt, -4 at the end."""
        return current_player(&self.game.rules, &self.c)

    def chance_outcomes(self):
        """Outcomes of a chance node and their probability, as `State.chance_outcomes` gives them."""
        cdef int i, cards = 0
        for i in range(self.game.rules.deck):
            cards += self.c.undealt >> i & 1
        p = 0.5 / <double> cards
        return [(2 * i + side, p) for i in range(self.game.rules.deck) if self.c.undealt >> i & 1 for side in (0, 1)]

    def legal_actions(self):
        """Legal actions, ascending."""
        cdef int32_t actions[MAX_ACTIONS]
        cdef int i, n = options(&self.game.rules, &self.c, self.c.mover, actions, NULL)
        return [actions[i] for i in range(n)]

    def returns(self):
        """Pay-off by seat."""
        cdef double out[MAX_SEATS]
        cdef int q
        payoffs(&self.game.rules, &self.c, self.game.rules.payoff, out)
        return [out[q] for q in range(self.game.rules.players)]

    def child(self, int32_t action):
        """The state after an action or a chance outcome.

        Raises
        ------
        IllegalActionError
            If it is not legal here.
        """
        cdef Walk s = Walk.__new__(Walk)
        cdef int32_t actions[MAX_ACTIONS]
        cdef uint64_t keys[MAX_ACTIONS]
        cdef int q, i, n, finished = self.c.round
        s.c, s.seen, s.game, s.before, s.action = self.c, self.seen, self.game, self, action
        if self.c.phase == OVER:
            raise IllegalActionError("the game is over: no action is legal")
        if self.c.phase == DEALING:
            if not 0 <= action < 2 * self.game.rules.deck or not self.c.undealt >> (action >> 1) & 1:
                raise IllegalActionError(f"{action} is no card to be dealt")
            s._see(self.c.dealt // self.game.rules.hand_size, action)
            deal_card(&self.game.rules, &s.c, action)
            return s
        for q in range(self.game.rules.players):
            if q == self.c.mover:
                s._see(q, action)
                continue
            n = options(&self.game.rules, &self.c, q, actions, keys)
            for i in range(n):
                if actions[i] == action:
                    s._see(q, keys[i])
                    break
            else:
                raise IllegalActionError(f"{action} is not among the legal actions {self.legal_actions()}")
        apply(&self.game.rules, &s.c, action)
        if s.c.round != finished or s.c.phase == OVER:
            for q in range(self.game.rules.players):
                for i in range(self.game.rules.players):
                    s._see(q, s.c.seat[i].last)
        return s

    def information_state_key(self, int player):
        """A number that stands for what the seat saw."""
        if not 0 <= player < self.game.rules.players:
            raise ArgumentError(f"a seat lies in 0..{self.game.rules.players - 1}, not {player}")
        return <object> self.seen[player][0] << 64 | self.seen[player][1]

    def information_state_string(self, int player):
        """`State.information_state_string`, by playing all anew."""
        path = []
        cdef Walk s = self
        while s.before is not None:
            path.append(s.action)
            s = s.before
        state = self.game.new_initial_state()
        for action in reversed(path):
            state.apply_action(action)
        return state.information_state_string(player)


def begin(Options game):
    """The start, before the deal."""
    cdef Walk s = Walk.__new__(Walk)
    s.game = game
    s.c.explicit_chance = 1
    s.c.last_round = game.rules.rounds
    new_round(&game.rules, &s.c)
    return s
