"""A plain reference implementation of the rules of SCOUT.

This module is an oracle for tests. It was written from the rules text alone, and it tries to be slow, obvious and
easy to check against that text by eye: no tricks, no caches, no incremental bookkeeping. A fast engine can be played
against it move by move, comparing the legal actions and every visible quantity of the position.

Chance stays outside: the caller deals, by handing the rows of cards to `Reference.start_round`.
"""

from itertools import combinations, pairwise

Card = tuple[int, int]
"""A card as it lies: (top number, bottom number). Only the top number counts."""

Action = tuple[str | int | bool, ...]
"""("keep",) ("turn",) ("show", start, length) ("scout", end, place, turned) ("scout_and_show", end, place, turned)"""

LEFT, RIGHT = 0, 1


# ---------------------------------------------------------------------------------------------------------------------
# Cards
# ---------------------------------------------------------------------------------------------------------------------


def identity(card: Card) -> frozenset[int]:
    """The card whichever way up it lies: its unordered pair of numbers."""
    return frozenset(card)


def tops_of(cards: list[Card]) -> list[int]:
    return [top for top, _bottom in cards]


def turned_card(card: Card) -> Card:
    top, bottom = card
    return (bottom, top)


def turned_hand(hand: list[Card]) -> list[Card]:
    """The whole hand turned by 180 degrees: the row is reversed and each card is upside down."""
    return [turned_card(card) for card in reversed(hand)]


def full_deck(players: int, ranks: int = 10, drop: set[frozenset[int]] | None = None) -> set[frozenset[int]]:
    """The cards in play. `drop` names the pairs left out; None means the normal ones for this number of players.

    With another number of ranks than 10, None leaves nothing out.
    """
    if players not in (2, 3, 4, 5):
        raise ValueError(f"SCOUT is for 2 to 5 players, not {players}")
    pairs = {frozenset(pair) for pair in combinations(range(1, ranks + 1), 2)}
    if drop is None:
        if ranks != 10 or players == 5:
            drop = set()
        elif players == 3:
            drop = {pair for pair in pairs if 10 in pair}
        else:
            drop = {frozenset({9, 10})}
    return pairs - drop


# ---------------------------------------------------------------------------------------------------------------------
# Sets
# ---------------------------------------------------------------------------------------------------------------------


def is_group(tops: list[int]) -> bool:
    """One card, or more cards with equal numbers."""
    return len(tops) >= 1 and all(number == tops[0] for number in tops)


def is_run(tops: list[int]) -> bool:
    """Two or more cards that step by exactly 1 in one direction. A single card is a group, not a run."""
    if len(tops) < 2:
        return False
    rising = all(right - left == 1 for left, right in pairwise(tops))
    falling = all(right - left == -1 for left, right in pairwise(tops))
    return rising or falling


def is_set(tops: list[int]) -> bool:
    return is_group(tops) or is_run(tops)


def sets_in(tops: list[int]) -> list[tuple[int, int]]:
    """Every (start, length) at which the row holds a set, ordered by start, then by length."""
    found = []
    for start in range(len(tops)):
        for length in range(1, len(tops) - start + 1):
            if not is_set(tops[start : start + length]):
                break  # what does not begin with a set is not a set, so nothing longer from this start can be one
            found.append((start, length))
    return found


def strength(tops: list[int]) -> tuple[int, int, int]:
    """How strong a set is, as a tuple to compare: number of cards, group (1) over run (0), smallest number."""
    if is_group(tops):
        return (len(tops), 1, min(tops))
    if is_run(tops):
        return (len(tops), 0, min(tops))
    raise ValueError(f"not a set: {tops}")


def beats(a: list[int], b: list[int]) -> bool:
    """Whether set `a` is stronger than set `b`. With nothing on the table (`b` empty) any set will do."""
    strength_of_a = strength(a)
    if not b:
        return True
    return strength_of_a > strength(b)


def shows_in(hand: list[Card], active: list[Card]) -> list[tuple[int, int]]:
    """Every (start, length) of the hand that may be shown against this Active Set (which may be empty)."""
    tops = tops_of(hand)
    on_table = tops_of(active)
    return [(start, length) for start, length in sets_in(tops) if beats(tops[start : start + length], on_table)]


def after_scout(
    hand: list[Card], active: list[Card], end: int, place: int, turned: bool
) -> tuple[list[Card], list[Card]]:
    """The hand and the Active Set as they are after this Scout."""
    if end == LEFT:
        card, rest = active[0], active[1:]
    else:
        card, rest = active[-1], active[:-1]
    if turned:
        card = turned_card(card)
    return [*hand[:place], card, *hand[place:]], rest


# ---------------------------------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------------------------------


class Reference:
    """A match of SCOUT, one action at a time.

    Phases: "deal" (waits for `start_round`), "choose" (keep or turn the hand, seat 0 first), "turn" (the player to
    move has the full choice), "must_show" (between the two halves of a Scout & Show), "over".

    When a round ends and another follows, the phase is "deal", `round` and `starter` are already those of the next
    round, and the rest is left as it stood at the end until `start_round` is called.
    """

    def __init__(
        self,
        players: int,
        *,
        starter: int = 0,
        rounds: int = 1,
        ends_on_emptying_scout: bool = True,
        max_turns: int = 500,
        chips: int = 3,
    ) -> None:
        if players not in (2, 3, 4, 5):
            raise ValueError(f"SCOUT is for 2 to 5 players, not {players}")
        if starter not in range(players):
            raise ValueError(f"no such seat: {starter}")
        if rounds < 1 or max_turns < 1 or chips < 0:
            raise ValueError("rounds and max_turns must be at least 1, chips at least 0")

        # Settings
        self.players: int = players
        self.rounds: int = rounds
        self.ends_on_emptying_scout: bool = ends_on_emptying_scout
        self.max_turns: int = max_turns
        self.starting_chips: int = chips  # only used with 2 players

        # The match
        self.phase: str = "deal"
        self.to_move: int | None = None
        self.round: int = 0
        self.starter: int = starter
        self.totals: list[int] = [0] * players
        self.round_results: list[tuple[list[int], str, int | None]] = []
        self._dealt: set[frozenset[int]] = set()  # all cards dealt in the latest round

        # The round
        self.hands: list[list[Card]] = [[] for _ in range(players)]
        self._clear_table()

    def _clear_table(self) -> None:
        self.active: list[Card] = []
        self.owner: int | None = None
        if self.players == 2:
            self.chips: list[int] = [self.starting_chips] * 2
        else:
            self.chips = [0] * self.players
        self.taken: list[int] = [0] * self.players
        self.can_scout_and_show: list[bool] = [self.players != 2] * self.players
        self.turns: int = 0
        self.scouts_since_show: int = 0
        self.public_known: list[set[frozenset[int]]] = [set() for _ in range(self.players)]
        self.gone: set[frozenset[int]] = set()

    # -- Dealing ------------------------------------------------------------------------------------------------------

    def start_round(self, hands: list[list[Card]], turned: list[bool] | None = None) -> None:
        """Deal these rows, seat 0 first. `turned` gives the keep-or-turn choices; None leaves them to be played."""
        if self.phase != "deal":
            raise ValueError(f"cannot deal in phase {self.phase!r}")
        if len(hands) != self.players or any(len(hand) == 0 for hand in hands):
            raise ValueError("each player needs a hand of at least one card")
        if turned is not None and len(turned) != self.players:
            raise ValueError("one keep-or-turn choice for each player, or None")
        cards = [card for hand in hands for card in hand]
        if any(len(card) != 2 or card[0] == card[1] or min(card) < 1 for card in cards):
            raise ValueError("a card bears two different numbers from 1 on")
        dealt = {identity(card) for card in cards}
        if len(dealt) != len(cards):
            raise ValueError("a card was dealt twice")
        if self.players == 2 and self.round == 1 and dealt & self._dealt:
            raise ValueError("with 2 players, round 2 is dealt from the cards set aside in round 1")

        self._dealt = dealt
        self.hands = [list(hand) for hand in hands]
        self._clear_table()
        if turned is None:
            self.phase = "choose"
            self.to_move = 0
        else:
            for seat in range(self.players):
                if turned[seat]:
                    self.hands[seat] = turned_hand(self.hands[seat])
            self.phase = "turn"
            self.to_move = self.starter

    # -- Legal actions ------------------------------------------------------------------------------------------------

    def legal(self) -> set[Action]:
        """Every action the player to move may take. Empty in the phases "deal" and "over"."""
        if self.phase == "choose":
            return {("keep",), ("turn",)}
        if self.phase == "must_show":
            return self._legal_shows()
        if self.phase == "turn":
            return self._legal_shows() | self._legal_scouts() | self._legal_scout_and_shows()
        return set()

    def _legal_shows(self) -> set[Action]:
        hand = self.hands[self._mover()]
        return {("show", start, length) for start, length in shows_in(hand, self.active)}

    def _legal_scouts(self) -> set[Action]:
        if self.players == 2 and self.chips[self._mover()] == 0:
            return set()
        return {("scout", end, place, turned) for end, place, turned in self._ways_to_scout()}

    def _legal_scout_and_shows(self) -> set[Action]:
        mover = self._mover()
        if not self.can_scout_and_show[mover]:
            return set()
        actions: set[Action] = set()
        for end, place, turned in self._ways_to_scout():
            new_hand, new_active = after_scout(self.hands[mover], self.active, end, place, turned)
            if shows_in(new_hand, new_active):
                actions.add(("scout_and_show", end, place, turned))
        return actions

    def _ways_to_scout(self) -> list[tuple[int, int, bool]]:
        """Every (end, place, turned), whether or not the mover has the chip it takes."""
        if len(self.active) == 0:
            ends = []
        elif len(self.active) == 1:
            ends = [LEFT]
        else:
            ends = [LEFT, RIGHT]
        places = range(len(self.hands[self._mover()]) + 1)
        return [(end, place, turned) for end in ends for place in places for turned in (False, True)]

    def _mover(self) -> int:
        assert self.to_move is not None
        return self.to_move

    # -- Playing ------------------------------------------------------------------------------------------------------

    def apply(self, action: Action) -> None:
        """Play one action of the player to move. ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"not legal in phase {self.phase!r} for seat {self.to_move}: {action!r}")
        match action:
            case ("keep",):
                self._choose(turn=False)
            case ("turn",):
                self._choose(turn=True)
            case ("show", int(start), int(length)):
                self._show(start, length)
            case ("scout", int(end), int(place), turned):
                self._scout(end, place, bool(turned))
            case ("scout_and_show", int(end), int(place), turned):
                self._scout_half_of_scout_and_show(end, place, bool(turned))

    def _choose(self, turn: bool) -> None:
        mover = self._mover()
        if turn:
            self.hands[mover] = turned_hand(self.hands[mover])
        if mover + 1 < self.players:
            self.to_move = mover + 1
        else:
            self.phase = "turn"
            self.to_move = self.starter

    def _show(self, start: int, length: int) -> None:
        """A Show, or the second half of a Scout & Show; both end the turn in the same way."""
        mover = self._mover()
        hand = self.hands[mover]
        shown = hand[start : start + length]
        self.hands[mover] = hand[:start] + hand[start + length :]
        for card in shown:
            self.public_known[mover].discard(identity(card))

        self.taken[mover] += len(self.active)
        for card in self.active:
            self.gone.add(identity(card))
        self.active = shown
        self.owner = mover

        self.scouts_since_show = 0
        self.turns += 1
        self.phase = "turn"
        self.to_move = self._next_seat(mover)

        if len(self.hands[mover]) == 0:
            self._end_round("empty_hand", exempt=None)
        elif self.players == 2 and len(self.legal()) == 0:
            # The other player can neither Show nor Scout.
            self._end_round("scouted_out", exempt=mover)
        elif self.turns >= self.max_turns:
            self._end_round("max_turns", exempt=None)

    def _scout(self, end: int, place: int, turned: bool) -> None:
        mover = self._mover()
        owner_before = self.owner
        self._take_card(end, place, turned)
        self.scouts_since_show += 1
        self.turns += 1

        if self.players == 2:
            # The same player goes on until the Show; without a Show and a chip nobody can go on.
            round_is_scouted_out = len(self.legal()) == 0
        else:
            self.to_move = self._next_seat(mover)
            all_others_scouted = self.scouts_since_show == self.players - 1
            table_is_empty = len(self.active) == 0
            round_is_scouted_out = all_others_scouted and (self.ends_on_emptying_scout or not table_is_empty)

        if round_is_scouted_out:
            self._end_round("scouted_out", exempt=owner_before)
        elif self.turns >= self.max_turns:
            self._end_round("max_turns", exempt=None)

    def _scout_half_of_scout_and_show(self, end: int, place: int, turned: bool) -> None:
        """Not a turn by itself: the same player must Show now. The row of Scouts is broken by that Show."""
        self._take_card(end, place, turned)
        self.can_scout_and_show[self._mover()] = False
        self.phase = "must_show"

    def _take_card(self, end: int, place: int, turned: bool) -> None:
        """Move a card from the Active Set to the mover's hand, and the chip that goes with it."""
        mover = self._mover()
        assert self.owner is not None
        if self.players == 2:
            self.chips[mover] -= 1  # to the middle
        else:
            self.chips[self.owner] += 1  # from the supply
        self.public_known[mover].add(identity(self.active[0] if end == LEFT else self.active[-1]))
        self.hands[mover], self.active = after_scout(self.hands[mover], self.active, end, place, turned)
        if len(self.active) == 0:
            self.owner = None

    def _next_seat(self, seat: int) -> int:
        return (seat + 1) % self.players

    # -- Scoring ------------------------------------------------------------------------------------------------------

    def _end_round(self, reason: str, exempt: int | None) -> None:
        scores = []
        for seat in range(self.players):
            score = self.taken[seat] + self.chips[seat]
            if seat != exempt:
                score -= len(self.hands[seat])
            scores.append(score)
        self.round_results.append((scores, reason, exempt))
        self.totals = [total + score for total, score in zip(self.totals, scores, strict=True)]

        self.to_move = None
        if self.round + 1 < self.rounds:
            self.phase = "deal"
            self.round += 1
            self.starter = self._next_seat(self.starter)
        else:
            self.phase = "over"
