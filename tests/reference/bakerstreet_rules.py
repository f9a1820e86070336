"""A plain reference implementation of the rules of Baker Street.

This module is an oracle for tests. It was written from the rules text alone, and it tries to be slow, obvious and
easy to check against that text by eye: no tricks, no caches, no incremental bookkeeping. A fast engine can be played
against it move by move, comparing the legal actions and every quantity of the position.

Chance stays outside: the caller shuffles, by handing the decks and the piles of evidence to `Reference`, and later
each reshuffled deck to `Reference.set_deck`.
"""

from collections import Counter

Card = tuple[int, str | None]
"""A detective card: (value 0..5, symbol). The symbol is None, "stop", "x2" or "arrow"."""

PlacedCard = tuple[int, int, str | None]
"""A detective card on the table: (seat of its owner, value, symbol)."""

Action = tuple[str | int | None, ...]
"""("place", value, symbol, pile) ("bid", number) ("doubt",) ("choose_pile", pile) ("take", letter)"""

LogEntry = tuple[int, list[int], int, bool, int, str | None]
"""One evaluated pile: (pile, totals, evaluated cards, arrow seen, winner of the pile, letter taken or None)."""

SEATS = (0, 1)
PILES = (0, 1, 2, 3, 4)
VALUES = (0, 1, 2, 3, 4, 5)
SYMBOLS = ("stop", "x2", "arrow")
LETTERS = "ABCDEFGHIJKLMNOPQRST"

CARDS_OF_EACH_VALUE = 5
HAND_SIZE = 3
HIGHEST_BID = 30
RUN_TO_WIN = 7

DEFAULT_SYMBOLS: dict[tuple[int, str], int] = {
    (0, "stop"): 1,
    (0, "x2"): 1,
    (0, "arrow"): 1,
    (1, "stop"): 1,
    (1, "x2"): 1,
    (1, "arrow"): 1,
    (2, "stop"): 1,
    (2, "x2"): 1,
    (2, "arrow"): 1,
}
"""How many cards of one deck bear this symbol on this value."""


# ---------------------------------------------------------------------------------------------------------------------
# Cards
# ---------------------------------------------------------------------------------------------------------------------


def sorted_cards(cards: list[Card]) -> list[Card]:
    """By value, then by symbol: none, "arrow", "stop", "x2"."""
    return sorted(cards, key=lambda card: (card[0], card[1] or ""))


def full_deck(symbols: dict[tuple[int, str], int] | None = None) -> list[Card]:
    """The 30 cards of one player, sorted. `symbols` as in `DEFAULT_SYMBOLS`, which None stands for."""
    if symbols is None:
        symbols = DEFAULT_SYMBOLS
    for (value, symbol), count in symbols.items():
        if value not in VALUES or symbol not in SYMBOLS or count < 0:
            raise ValueError(f"not a number of cards with a symbol: {count} times {symbol!r} on value {value!r}")

    deck: list[Card] = []
    for value in VALUES:
        cards: list[Card] = []
        for symbol in SYMBOLS:
            cards += [(value, symbol)] * symbols.get((value, symbol), 0)
        if len(cards) > CARDS_OF_EACH_VALUE:
            raise ValueError(f"{len(cards)} symbols on value {value}, which has only {CARDS_OF_EACH_VALUE} cards")
        cards += [(value, None)] * (CARDS_OF_EACH_VALUE - len(cards))
        deck += cards
    return sorted_cards(deck)


# ---------------------------------------------------------------------------------------------------------------------
# Piles and evidence
# ---------------------------------------------------------------------------------------------------------------------


def evaluate(stack: list[PlacedCard]) -> tuple[list[int], int, bool]:
    """The outcome of this stack (top card first): totals by seat, number of evaluated cards, whether an arrow was seen.

    A STOP card is the last one to be evaluated. The cards beneath it count for nothing.
    """
    evaluated: list[PlacedCard] = []
    for card in stack:
        evaluated.append(card)
        if card[2] == "stop":
            break

    totals = []
    for seat in SEATS:
        own = [card for card in evaluated if card[0] == seat]
        total = sum(value for _seat, value, _symbol in own)
        if any(symbol == "x2" for _seat, _value, symbol in own):
            total = 2 * total  # once, however many X2 there are
        totals.append(total)

    arrow = any(symbol == "arrow" for _seat, _value, symbol in evaluated)
    return totals, len(evaluated), arrow


def longest_run(letters: set[str]) -> int:
    """The length of the longest unbroken alphabetical run among these letters. T and A are not neighbours."""
    longest = 0
    current = 0
    for letter in LETTERS:
        current = current + 1 if letter in letters else 0
        longest = max(longest, current)
    return longest


def other(seat: int) -> int:
    """The rival of this seat."""
    return 1 - seat


# ---------------------------------------------------------------------------------------------------------------------
# The game
# ---------------------------------------------------------------------------------------------------------------------


class Reference:
    """A game of Baker Street, one action at a time.

    Phases: "turn" (place a card, or doubt if there is a standing bid), "bid" (the same seat, after placing and
    drawing), "choose_pile" (the winner of the doubt names the pile to evaluate), "take" (the winner of a pile takes a
    letter from it), "reshuffle" (waits for `set_deck`), "over".

    A bid stands until it is doubted: from the doubt to the first bid of the next round `standing_bid` is None and
    `bids` is empty. `starter` becomes that of the next round before its cards are drawn. A pile is in `log` as soon as
    it is evaluated, with None for the letter until one is taken. A doubt whose evaluation is cut short by seven
    letters in a row does not count as finished in `rounds`.
    """

    def __init__(
        self,
        decks: list[list[Card]],
        piles: list[str],
        *,
        next_starter: str = "doubt_loser",
        max_rounds: int = 200,
    ) -> None:
        if len(decks) != len(SEATS):
            raise ValueError(f"two decks, not {len(decks)}")
        for deck in decks:
            for value, symbol in deck:
                if value not in VALUES or (symbol is not None and symbol not in SYMBOLS):
                    raise ValueError(f"no such card: {(value, symbol)!r}")
        if len(piles) != len(PILES):
            raise ValueError(f"five piles, not {len(piles)}")
        if any(letter not in LETTERS for pile in piles for letter in pile):
            raise ValueError("the letters are A to T")
        if next_starter not in ("doubt_loser", "doubt_winner", "alternate"):
            raise ValueError(f"no such option for next_starter: {next_starter!r}")
        if max_rounds < 1:
            raise ValueError("max_rounds must be at least 1")

        # Settings
        self.next_starter: str = next_starter
        self.max_rounds: int = max_rounds

        # The cards. Hands and discards are sorted; decks and stacks begin with the top card.
        self.hands: list[list[Card]] = [[] for _ in SEATS]
        self.decks: list[list[Card]] = [list(deck) for deck in decks]
        self.discards: list[list[Card]] = [[] for _ in SEATS]
        self.stacks: list[list[PlacedCard]] = [[] for _ in PILES]

        # The letters
        self.evidence: list[set[str]] = [set() for _ in SEATS]
        self.piles: list[list[str]] = [sorted(pile) for pile in piles]

        # The round
        self.phase: str = "turn"
        self.to_move: int | None = None
        self.starter: int = 0
        self.standing_bid: int | None = None
        self.bids: list[int] = []

        # The evaluation: the running one, or else the last one
        self.doubt_winner: int | None = None
        self.log: list[LogEntry] = []

        # Drawing
        self.reshuffling: int | None = None
        self._draws: list[int] = []  # the seats that still have to draw a card, one entry for each card
        self._seat_after_draws: int = 0  # who goes on when all are drawn,
        self._phase_after_draws: str = "turn"  # and in which phase

        # The game
        self.rounds: int = 0
        self.winner: int | None = None
        self.returns: list[float] = [0.0, 0.0]

        self._start_round()

    # -- Legal actions ------------------------------------------------------------------------------------------------

    def legal(self) -> set[Action]:
        """Every action the player to move may take. Empty in the phases "reshuffle" and "over"."""
        if self.phase == "turn":
            return self._legal_places() | self._legal_doubt()
        if self.phase == "bid":
            lowest = 0 if self.standing_bid is None else self.standing_bid + 1
            return {("bid", number) for number in range(lowest, HIGHEST_BID + 1)}
        if self.phase == "choose_pile":
            return {("choose_pile", pile) for pile in PILES}
        if self.phase == "take":
            pile = self.log[-1][0]
            return {("take", letter) for letter in self._letters_to_take(self._mover(), pile)}
        return set()

    def _legal_places(self) -> set[Action]:
        if self.standing_bid == HIGHEST_BID:
            return set()  # a move would have to end with a higher bid
        hand = self.hands[self._mover()]
        return {("place", value, symbol, pile) for value, symbol in hand for pile in PILES}

    def _legal_doubt(self) -> set[Action]:
        if self.standing_bid is None:
            return set()
        return {("doubt",)}

    def _letters_to_take(self, seat: int, pile: int) -> set[str]:
        """The letters of the pile that the seat does not own yet."""
        return set(self.piles[pile]) - self.evidence[seat]

    def _mover(self) -> int:
        assert self.to_move is not None
        return self.to_move

    # -- Playing ------------------------------------------------------------------------------------------------------

    def apply(self, action: Action) -> None:
        """Play one action of the player to move. ValueError if it is not legal."""
        if action not in self.legal():
            raise ValueError(f"not legal in phase {self.phase!r} for seat {self.to_move}: {action!r}")
        match action:
            case ("place", int(value), None, int(pile)):
                self._place(value, None, pile)
            case ("place", int(value), str(symbol), int(pile)):
                self._place(value, symbol, pile)
            case ("bid", int(number)):
                self._bid(number)
            case ("doubt",):
                self._doubt()
            case ("choose_pile", int(pile)):
                self._evaluate_pile(pile)
            case ("take", str(letter)):
                self._take(letter)

    def _start_round(self) -> None:
        """Seat 0 draws three cards, then seat 1. Then the starter has the first turn."""
        self.standing_bid = None
        self.bids = []
        self._draw([0] * HAND_SIZE + [1] * HAND_SIZE, then_seat=self.starter, then_phase="turn")

    def _start_turn(self, seat: int) -> None:
        if len(self.hands[seat]) == 0 and self.standing_bid is None:
            # Nothing to place and nothing to doubt: the move begins with its second step.
            self._draw([seat], then_seat=seat, then_phase="bid")
        else:
            self.phase = "turn"
            self.to_move = seat

    def _place(self, value: int, symbol: str | None, pile: int) -> None:
        mover = self._mover()
        self.hands[mover].remove((value, symbol))
        self.stacks[pile] = [(mover, value, symbol), *self.stacks[pile]]
        self._draw([mover], then_seat=mover, then_phase="bid")

    def _bid(self, number: int) -> None:
        self.standing_bid = number
        self.bids.append(number)
        self._start_turn(other(self._mover()))

    def _doubt(self) -> None:
        doubter = self._mover()
        bidder = other(doubter)
        assert self.standing_bid is not None
        sum_of_hands = sum(value for hand in self.hands for value, _symbol in hand)
        self.doubt_winner = bidder if sum_of_hands >= self.standing_bid else doubter

        for seat in SEATS:
            self._discard(seat, self.hands[seat])
            self.hands[seat] = []
        self.standing_bid = None
        self.bids = []
        self.log = []
        self.phase = "choose_pile"
        self.to_move = self.doubt_winner

    def _discard(self, seat: int, cards: list[Card]) -> None:
        self.discards[seat] = sorted_cards(self.discards[seat] + cards)

    # -- Evaluation ---------------------------------------------------------------------------------------------------

    def _evaluate_pile(self, pile: int) -> None:
        assert self.doubt_winner is not None
        totals, evaluated, arrow = evaluate(self.stacks[pile])
        if totals[0] > totals[1]:
            pile_winner = 0
        elif totals[1] > totals[0]:
            pile_winner = 1
        else:
            pile_winner = self.doubt_winner
        self.log.append((pile, totals, evaluated, arrow, pile_winner, None))

        for seat, value, symbol in self.stacks[pile][:evaluated]:
            self._discard(seat, [(value, symbol)])
        self.stacks[pile] = self.stacks[pile][evaluated:]

        if self._letters_to_take(pile_winner, pile):
            self.phase = "take"
            self.to_move = pile_winner
        else:
            self._after_pile()

    def _take(self, letter: str) -> None:
        mover = self._mover()
        pile, totals, evaluated, arrow, pile_winner, _no_letter_yet = self.log[-1]
        self.log[-1] = (pile, totals, evaluated, arrow, pile_winner, letter)
        self.piles[pile].remove(letter)
        self.evidence[mover].add(letter)

        if longest_run(self.evidence[mover]) >= RUN_TO_WIN:
            self._end_game(winner=mover)  # at once, even if an arrow leads on
        else:
            self._after_pile()

    def _after_pile(self) -> None:
        """An arrow leads on to the next pile clockwise. Without one the evaluation is over."""
        pile, _totals, _evaluated, arrow, _pile_winner, _letter = self.log[-1]
        if arrow:
            self._evaluate_pile((pile + 1) % len(PILES))
        else:
            self._after_evaluation()

    def _after_evaluation(self) -> None:
        self.rounds += 1
        someone_can_take = any(self._letters_to_take(seat, pile) for seat in SEATS for pile in PILES)
        if self.rounds >= self.max_rounds or not someone_can_take:
            self._end_game(winner=self._seat_with_longer_run())
            return

        assert self.doubt_winner is not None
        if self.next_starter == "doubt_winner":
            self.starter = self.doubt_winner
        elif self.next_starter == "doubt_loser":
            self.starter = other(self.doubt_winner)
        else:
            self.starter = other(self.starter)
        self._start_round()

    # -- Drawing ------------------------------------------------------------------------------------------------------

    def _draw(self, seats: list[int], then_seat: int, then_phase: str) -> None:
        """One card for each entry of `seats`, in this order. Then `then_seat` goes on in `then_phase`."""
        self._draws = list(seats)
        self._seat_after_draws = then_seat
        self._phase_after_draws = then_phase
        self._go_on_drawing()

    def _go_on_drawing(self) -> None:
        while self._draws:
            seat = self._draws[0]
            if len(self.decks[seat]) == 0 and len(self.discards[seat]) > 0:
                self.phase = "reshuffle"
                self.to_move = None
                self.reshuffling = seat
                return  # `set_deck` goes on from here
            if len(self.decks[seat]) > 0:
                top_card = self.decks[seat].pop(0)
                self.hands[seat] = sorted_cards([*self.hands[seat], top_card])
            # With neither deck nor discard pile no card is drawn.
            self._draws.pop(0)

        if self._phase_after_draws == "turn":
            self._start_turn(self._seat_after_draws)
        else:
            self.phase = self._phase_after_draws
            self.to_move = self._seat_after_draws

    def set_deck(self, seat: int, cards: list[Card]) -> None:
        """The discard pile of the seat, in this new order (top card first), becomes the deck. The draws go on."""
        if self.phase != "reshuffle" or seat != self.reshuffling:
            raise ValueError(f"seat {seat} has nothing to reshuffle")
        if Counter(cards) != Counter(self.discards[seat]):
            raise ValueError("the new deck must hold exactly the cards of the discard pile")
        self.decks[seat] = list(cards)
        self.discards[seat] = []
        self.reshuffling = None
        self._go_on_drawing()

    # -- The end ------------------------------------------------------------------------------------------------------

    def _seat_with_longer_run(self) -> int | None:
        """None if the runs are equally long."""
        runs = [longest_run(self.evidence[seat]) for seat in SEATS]
        if runs[0] == runs[1]:
            return None
        return 0 if runs[0] > runs[1] else 1

    def _end_game(self, winner: int | None) -> None:
        self.phase = "over"
        self.to_move = None
        self.winner = winner
        if winner is not None:
            self.returns[winner] = 1.0
            self.returns[other(winner)] = -1.0
