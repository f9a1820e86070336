"""Baker Street in text: the sections of a position's line, and a table to look at.

`read_fields` checks a line against the rules and gives plain data to `bakerstreet.pyx`, which fills
the compiled position; `write_line` is its inverse. A detective card is its value and the first
letter of its symbol: `5`, `2s` (STOP), `0x` (X2), `1a` (ARROW).
"""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solver.errors import PositionError
from solver.games.notation import Section, Token, hint

__all__ = ["LETTERS", "Fields", "Win", "card_text", "pretty", "read_fields", "write_line"]

Card = tuple[int, str | None]  # (value, symbol)
Placed = tuple[int, int, str | None]  # (seat, value, symbol)

LETTERS = "ABCDEFGHIJKLMNOPQRST"
PILES = 5
HAND = 3
HIGHEST_BID = 30
_SYMBOLS = {"": None, "s": "stop", "x": "x2", "a": "arrow"}
_MARKS = {symbol: mark for mark, symbol in _SYMBOLS.items()}
_CARD = re.compile(r"([0-5])([sxa]?)")
_PLACED = re.compile(r"([01]):([0-5])([sxa]?)")
_WIN = re.compile(r"([01])@([0-4])(?::([A-T]+|\?|-))?")
_PHASES = ("turn", "bid", "choose", "take")
_KEYWORDS = (
    *(
        "seat",
        "starter",
        "phase",
        "mover",
        "doubt-won",
        "pile",
        "arrow",
        "hand",
        "open",
        "rival",
        "bids",
        "rounds",
        "log",
    ),
    *("discards0", "discards1", *(f"stack{i}" for i in range(PILES)), *(f"look{i}" for i in range(PILES))),
)


@dataclass(frozen=True)
class Win:
    """A pile that a seat won and looked through.

    Attributes
    ----------
    seat, pile : int
    letters : str
        What it took, as far as the observer knows: a letter, several (one of them), "?" (taken since
        the observer's last look, or from a pile it never saw), "-" (taken before its first look),
        "" (nothing).
    """

    seat: int
    pile: int
    letters: str

    def __str__(self) -> str:
        return f"{self.seat}@{self.pile}" + (f":{self.letters}" if self.letters else "")


@dataclass
class Fields:
    """A Baker Street position as plain data, checked."""

    seat: int = 0
    starter: int = 0
    phase: str = "turn"  # "turn" | "bid" | "choose" | "take"
    mover: int = 0
    doubt_won: int = -1  # at choose and take
    pile: int = -1  # at take
    arrow: bool = False
    hand: list[Card] = field(default_factory=list)
    open: list[Card] = field(default_factory=list)  # of the own hand, what the rival knows
    rival: int = HAND
    rival_open: list[Card] = field(default_factory=list)
    discards: list[list[Card]] = field(default_factory=lambda: [[], []])
    stacks: list[list[Placed]] = field(default_factory=lambda: [[] for _ in range(PILES)])
    bids: list[int] = field(default_factory=list)
    rounds: int = 0
    log: list[Win] = field(default_factory=list)
    looks: dict[int, str] = field(default_factory=dict)  # pile -> letters after the own last look


def card_text(card: Sequence[Any]) -> str:
    """A detective card: its value, and the first letter of its symbol."""
    return f"{card[0]}{_MARKS[card[1]]}"


def card_key(card: Sequence[Any]) -> tuple[int, int]:
    """Order of cards in a hand or a discard pile."""
    return (list(_MARKS).index(card[1]), card[0])


# ----------------------------------------------------------------------------------------------
# Reading


class _Reader:
    """Sections by keyword, and the readings that need a column."""

    def __init__(self, game: Any, sections: Sequence[Section]) -> None:
        self.game = game
        self.sections: dict[str, Section] = {}
        for section in sections:
            word = section.keyword.text
            if word not in _KEYWORDS:
                section.fail(f"unknown section; the sections are {', '.join(_KEYWORDS)}{hint(word, _KEYWORDS)}")
            if word in self.sections:
                section.fail("this section stands here a second time")
            self.sections[word] = section

    def number(self, word: str, what: str, low: int, high: int, default: int) -> int:
        section = self.sections.get(word)
        return section.integers(what, 1, low, high)[0] if section else default

    def arguments(self, word: str) -> tuple[Token, ...]:
        return self.sections[word].arguments if word in self.sections else ()

    def cards(self, word: str) -> list[Card]:
        return [_card(token) for token in self.arguments(word)]

    def fail(self, message: str, *words: str) -> PositionError:
        column = next((self.sections[w].keyword.column for w in words if w in self.sections), None)
        return PositionError(message, column)


def _card(token: Token) -> Card:
    match = _CARD.fullmatch(token.text)
    if not match:
        token.fail("no detective card: a value 0..5, and s, x or a for STOP, X2 or ARROW, as in 2s")
    return int(match[1]), _SYMBOLS[match[2]]


def read_fields(game: Any, sections: Sequence[Section]) -> Fields:
    """Read and check the sections of a position's line.

    Parameters
    ----------
    game : solver.bakerstreet.Game
    sections : sequence of Section

    Returns
    -------
    Fields

    Raises
    ------
    PositionError
        If a section is unknown, malformed or there twice, or no deal and play can lead to what the
        line says; with the column.
    """
    reader = _Reader(game, sections)
    fields = Fields()
    fields.seat = reader.number("seat", "the seat whose position this is", 0, 1, 0)
    fields.starter = reader.number("starter", "the seat that began the round", 0, 1, 0)
    fields.rounds = reader.number("rounds", "finished doubts", 0, game.max_rounds - 1, 0)
    _read_turn(reader, fields)
    _read_cards(reader, fields)
    _read_log(reader, fields)
    _check_cards(reader, fields)
    _check_letters(reader, fields)
    return fields


def _read_turn(reader: _Reader, fields: Fields) -> None:
    words = [token.text for token in reader.arguments("phase")]
    if "phase" in reader.sections:
        if len(words) != 1 or words[0] not in _PHASES:
            reader.sections["phase"].fail(f"one of {', '.join(_PHASES)} is needed")
        fields.phase = words[0]
    fields.bids = [token.integer("a bid", 0, HIGHEST_BID) for token in reader.arguments("bids")]
    if fields.bids != sorted(set(fields.bids)):
        reader.sections["bids"].fail("each bid is higher than the one before")
    evaluating = fields.phase in ("choose", "take")
    for word in ("mover", "doubt-won", "pile", "arrow"):
        needed = evaluating if word == "mover" else fields.phase == "take"
        if word in reader.sections and not needed:
            reader.sections[word].fail(f"not at phase {fields.phase}")
        if word not in reader.sections and needed and word != "arrow":
            raise reader.fail(f"at phase {fields.phase} the section {word} is needed", "phase")
    if evaluating and fields.bids:
        reader.sections["bids"].fail("the doubt has ended this round's bids")
    fields.mover = reader.number("mover", "the seat to decide", 0, 1, fields.starter ^ (len(fields.bids) & 1))
    fields.doubt_won = reader.number("doubt-won", "the winner of the doubt", 0, 1, fields.mover if evaluating else -1)
    fields.pile = reader.number("pile", "the pile", 0, PILES - 1, -1)
    fields.arrow = "arrow" in reader.sections
    if reader.arguments("arrow"):
        reader.arguments("arrow")[0].fail("arrow takes no argument")
    if fields.phase == "bid" and fields.bids[-1:] == [HIGHEST_BID]:
        reader.sections["bids"].fail(f"after a bid of {HIGHEST_BID} the rival must doubt")


def _read_cards(reader: _Reader, fields: Fields) -> None:
    evaluating = fields.phase in ("choose", "take")
    fields.hand = sorted(reader.cards("hand"), key=card_key)
    fields.open = sorted(reader.cards("open"), key=card_key)
    if Counter(fields.open) - Counter(fields.hand):
        reader.sections["open"].fail("not in the own hand; here stand those of the own cards that the rival knows")
    words = reader.arguments("rival")
    fields.rival = words[0].integer("the rival's hand cards", 0, HAND) if words else 0 if evaluating else HAND
    fields.rival_open = sorted((_card(token) for token in words[1:]), key=card_key)
    if len(fields.rival_open) > fields.rival:
        words[0].fail(f"{len(fields.rival_open)} cards are named, but the rival holds {fields.rival}")
    if len(fields.hand) > HAND:
        reader.sections["hand"].fail(f"a hand has at most {HAND} cards")
    if evaluating and (fields.hand or fields.rival):
        raise reader.fail("after a doubt both hands are discarded", "hand", "rival")
    for seat in (0, 1):
        fields.discards[seat] = sorted(reader.cards(f"discards{seat}"), key=card_key)
    for pile in range(PILES):
        for token in reader.arguments(f"stack{pile}"):
            match = _PLACED.fullmatch(token.text)
            if not match:
                token.fail("a placed card is its seat and the card, the top first, as in 0:5 1:2s")
            fields.stacks[pile].append((int(match[1]), int(match[2]), _SYMBOLS[match[3]]))


def _read_log(reader: _Reader, fields: Fields) -> None:
    for token in reader.arguments("log"):
        match = _WIN.fullmatch(token.text)
        if not match:
            token.fail(
                "seat@pile, and what was taken: 0@3:B, 1@2:? (unseen), 1@1:CF (one of these), 1@4:-, 0@2 (nothing)"
            )
        win = Win(int(match[1]), int(match[2]), "".join(sorted(match[3] or "")))
        if win.seat == fields.seat and (len(win.letters) > 1 or win.letters in ("?", "-")):
            token.fail("the own letter is known")
        fields.log.append(win)
    for pile in range(PILES):
        words = reader.arguments(f"look{pile}")
        if f"look{pile}" not in reader.sections:
            continue
        text = "".join(sorted("".join(token.text for token in words)))
        if not all(letter in LETTERS for letter in text) or max(Counter(text).values(), default=0) > 2:
            reader.sections[f"look{pile}"].fail(f"letters of {LETTERS}, each at most twice, are needed")
        fields.looks[pile] = text


def _check_cards(reader: _Reader, fields: Fields) -> None:
    deck = Counter(reader.game.deck())
    for seat in (0, 1):
        own = seat == fields.seat
        seen = Counter(fields.hand if own else fields.rival_open) + Counter(fields.discards[seat])
        seen += Counter((value, symbol) for pile in fields.stacks for who, value, symbol in pile if who == seat)
        for card, count in (seen - deck).items():
            raise reader.fail(
                f"seat {seat} has {deck[card] + count} cards {card_text(card)}, but its deck only {deck[card]}",
                "hand" if own else "rival",
                f"discards{seat}",
            )
        held = len(fields.hand) if own else fields.rival
        left = deck.total() - seen.total() - (0 if own else fields.rival - len(fields.rival_open))
        if left < 0:
            raise reader.fail(f"seat {seat} has more cards than its deck", "rival", f"discards{seat}")
        if held < HAND and fields.phase in ("turn", "bid") and (left or fields.discards[seat]):
            raise reader.fail(
                f"seat {seat} holds {held} cards, though it has {left + len(fields.discards[seat])} to draw from",
                "hand" if own else "rival",
                "hand",
            )


def _check_letters(reader: _Reader, fields: Fields) -> None:
    """The log and the looks agree: what stands where is what the observer can know."""
    section = reader.sections.get("log")

    def fail(message: str) -> PositionError:
        return PositionError(message, section.keyword.column if section else None)

    me = fields.seat
    if fields.phase == "take" and (not fields.log or fields.log[-1] != Win(fields.mover, fields.pile, "")):
        raise fail(f"at phase take the log ends with {Win(fields.mover, fields.pile, '')}")
    own: set[str] = set()
    rival: set[str] = set()
    for pile in range(PILES):
        wins = [win for win in fields.log if win.pile == pile]
        looked = [i for i, win in enumerate(wins) if win.seat == me]
        if bool(looked) != (pile in fields.looks):
            raise fail(f"look{pile} is needed exactly if the log tells of an own look through pile {pile}")
        for i, win in enumerate(wins):
            if win.seat == me or not win.letters:
                continue
            later, before = [j for j in looked if j > i], [j for j in looked if j < i]
            if not later:
                if win.letters != "?":
                    raise fail(f"{win}: nobody but the rival knows this letter: ? is needed")
            elif not before:
                if win.letters != "-":
                    raise fail(f"{win}: taken before the own first look: - is needed")
            else:
                group = [w for w in wins[before[-1] : later[0]] if w.seat != me and w.letters]
                if (
                    win.letters in ("?", "-")
                    or any(w.letters != win.letters for w in group)
                    or len(set(win.letters)) != len(group)
                    or len(group) != len(win.letters)
                ):
                    raise fail(f"{win}: the {len(group)} letters that the rival took between two own looks are needed")
                if win is group[0]:
                    if rival & set(win.letters):
                        raise fail(f"{win}: the rival owns each letter once")
                    rival |= set(win.letters)
        taken = sum(1 for i, win in enumerate(wins) if win.letters and looked and i <= looked[-1])
        if looked and len(fields.looks[pile]) != 8 - taken:
            raise reader.fail(
                f"look{pile}: {8 - taken} letters were left, not {len(fields.looks[pile])}", f"look{pile}"
            )
    for win in fields.log:
        if win.seat == me and win.letters:
            if win.letters in own:
                raise fail(f"{win}: a letter is owned once")
            own.add(win.letters)
    copies = Counter("".join(fields.looks.values())) + Counter(own) + Counter(rival)
    for letter, count in copies.items():
        if count > 2:
            raise fail(f"there are two cards {letter}, not {count}")
    for letters, whose in ((own, "own letters"), (rival, "rival's known letters")):
        if _run(letters) >= 7:
            raise fail(f"the {whose} are seven in a row: the game is over")


def _run(letters: Iterable[str]) -> int:
    """Longest unbroken run."""
    present = "".join(letter if letter in letters else " " for letter in LETTERS)
    return max(map(len, present.split()), default=0)


# ----------------------------------------------------------------------------------------------
# Writing


def write_line(game: Any, fields: Fields) -> str:
    """The one line that `read_fields` reads back to the same fields; what is default is left out."""
    parts = [str(game)]

    def put(word: str, values: Iterable[object]) -> None:
        parts.append(" ".join([word, *map(str, values)]))

    evaluating = fields.phase in ("choose", "take")
    if fields.seat:
        put("seat", [fields.seat])
    if fields.starter:
        put("starter", [fields.starter])
    if fields.phase != "turn":
        put("phase", [fields.phase])
    if evaluating:
        put("mover", [fields.mover])
    if fields.phase == "take":
        put("doubt-won", [fields.doubt_won])
        put("pile", [fields.pile])
        if fields.arrow:
            put("arrow", [])
    if fields.hand:
        put("hand", map(card_text, fields.hand))
    if fields.open:
        put("open", map(card_text, fields.open))
    if fields.rival != (0 if evaluating else HAND) or fields.rival_open:
        put("rival", [fields.rival, *map(card_text, fields.rival_open)])
    for seat in (0, 1):
        if fields.discards[seat]:
            put(f"discards{seat}", map(card_text, fields.discards[seat]))
    for pile in range(PILES):
        if fields.stacks[pile]:
            put(f"stack{pile}", [f"{seat}:{card_text(card)}" for seat, *card in fields.stacks[pile]])
    if fields.bids:
        put("bids", fields.bids)
    if fields.rounds:
        put("rounds", [fields.rounds])
    if fields.log:
        put("log", fields.log)
    for pile in sorted(fields.looks):
        put(f"look{pile}", [fields.looks[pile]] if fields.looks[pile] else [])
    return " | ".join(parts)


# ----------------------------------------------------------------------------------------------
# A table to look at


def pile_words(fields: Fields, pile: int) -> str:
    """What the observer knows of the letters of a pile, in words."""
    wins = [win for win in fields.log if win.pile == pile]
    if pile not in fields.looks:
        taken = sum(1 for win in wins if win.letters)
        return "never seen" + (f", the rival took {taken}" if taken else "")
    last = max(i for i, win in enumerate(wins) if win.seat == fields.seat)
    since = sum(1 for win in wins[last + 1 :] if win.letters)
    words = fields.looks[pile] or "empty"
    return words + (f", of these the rival took {since}" if since else "")


def pretty(game: Any, fields: Fields) -> str:
    """The position as a person would lay it out, at most 80 columns wide."""
    own = "".join(sorted(win.letters for win in fields.log if win.seat == fields.seat))
    known = sorted({letter for win in fields.log if win.seat != fields.seat for letter in win.letters} - {"?", "-"})
    count = sum(1 for win in fields.log if win.seat != fields.seat and win.letters)
    mover = "you are" if fields.mover == fields.seat else "the rival is"
    step = {"turn": "place or doubt", "choose": "name a pile", "take": "take a letter"}.get(fields.phase, fields.phase)
    lines = textwrap.wrap(str(game), 80, break_long_words=True)
    lines.append(f"round {fields.rounds + 1}, you are seat {fields.seat}, {mover} to {step}")
    lines.append(f"your letters   {own or 'none'}")
    lines.append(f"rival's        {count}" + (f", among them {''.join(known)}" if known else ""))
    lines.append("")
    for pile in range(PILES):
        stack = " ".join(("" if seat == fields.seat else "*") + card_text(card) for seat, *card in fields.stacks[pile])
        if len(stack) > 30:
            stack = stack[:27] + "..."
        lines.append(f"pile {pile}  {stack or '-':<32}{pile_words(fields, pile)}"[:80])
    lines.append("(stacks: the top first, the rival's cards with a *)")
    lines.append("")
    lines.append(f"bids     {' '.join(map(str, fields.bids)) or 'none'}"[:80])
    lines.append(f"hand     {' '.join(map(card_text, fields.hand)) or 'empty'}")
    if fields.rival_open:
        lines.append(
            f"rival's  {' '.join(map(card_text, fields.rival_open))} and {fields.rival - len(fields.rival_open)} more"
        )
    return "\n".join(lines)
