"""SCOUT in text: the sections of a position's line, actions in words, a table to look at.

`read_fields` checks a line against the rules and gives plain numbers to `scout.pyx`, which fills the
compiled position; `write_line` is its inverse. A card is written top/bottom: `3/7`.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from solver._core import beats, legal_sets
from solver.errors import IllegalActionError, PositionError
from solver.games.notation import Section, Token, hint

__all__ = [
    "Fields",
    "action_words",
    "card_text",
    "pretty",
    "read_action",
    "read_fields",
    "row_text",
    "seen_words",
    "strongest",
    "why_not",
    "write_line",
]

Card = tuple[int, int]  # (top, bottom)

_CARD = re.compile(r"([0-9]{1,2})/([0-9]{1,2})(?:@([0-9]{1,2}))?", re.ASCII)
_ENDS = ("left", "right")
# Section -> what stands in it, for the message about an unknown one.
_KEYWORDS = (
    *("seat", "to-move", "choose", "must-show", "hand", "table", "cards", "chips", "score", "used"),
    *("known", "gone", "out", "left", "turn", "starter", "round", "totals"),
)


@dataclass
class Fields:
    """A SCOUT position as plain numbers, checked. Lists by seat have one entry a player."""

    seat: int = 0
    to_move: int = 0
    phase: str = "turn"  # "choose" | "turn" | "must-show"
    # at must-show: end, place and side of the Scout, and who owned the table before it
    pending: tuple[int, int, bool, int] | None = None
    hand: list[Card] = field(default_factory=list)
    table: list[Card] = field(default_factory=list)
    owner: int = -1
    cards: list[int] = field(default_factory=list)
    chips: list[int] = field(default_factory=list)
    score: list[int] = field(default_factory=list)
    used: list[int] = field(default_factory=list)  # seats whose Scout & Show chip is spent
    known: dict[int, list[tuple[Card, int]]] = field(default_factory=dict)  # seat -> (card, place or -1)
    gone: list[Card] = field(default_factory=list)
    out: list[Card] = field(default_factory=list)
    left: list[Card] = field(default_factory=list)
    turn: int = 0
    starter: int = 0
    round: int = 0
    totals: list[int] = field(default_factory=list)


# ----------------------------------------------------------------------------------------------
# Reading


class _Reader:
    """Reads the sections of one line; every check that needs a column stands here."""

    def __init__(self, game: Any, sections: Sequence[Section]) -> None:
        self.game = game
        self.deck = {frozenset(pair) for pair in game.deck()}
        self.seen: dict[frozenset[int], str] = {}
        self.sections: dict[str, Section] = {}
        self.known: dict[int, Section] = {}
        for section in sections:
            self._keep(section)

    def _keep(self, section: Section) -> None:
        word = section.keyword.text
        if word not in _KEYWORDS:
            section.fail(f"unknown section; the sections are {', '.join(_KEYWORDS)}{hint(word, _KEYWORDS)}")
        if word != "known":
            if word in self.sections:
                section.fail("this section stands here a second time")
            self.sections[word] = section
            return
        if not section.arguments or not section.arguments[0].text.endswith(":"):
            section.fail("a seat and a colon are needed first, as in: known 2: 4/8")
        first = section.arguments[0]
        seat = Token(first.text[:-1], first.column).integer("the seat", 0, self.game.players - 1)
        if seat in self.known:
            first.fail(f"the known cards of seat {seat} stand here a second time")
        self.known[seat] = section

    def flag(self, word: str) -> bool:
        """Whether a section without arguments is there."""
        section = self.sections.get(word)
        if section and section.arguments:
            section.arguments[0].fail(f"{word} takes no argument")
        return section is not None

    def number(self, word: str, what: str, low: int, high: int, default: int) -> int:
        section = self.sections.get(word)
        return section.integers(what, 1, low, high)[0] if section else default

    def numbers(self, word: str, what: str, low: int, high: int, default: list[int]) -> list[int]:
        section = self.sections.get(word)
        return section.integers(what + ", one a seat", self.game.players, low, high) if section else default

    def card(self, token: Token, where: str, placed: bool = False) -> tuple[Card, int]:
        """A card that stands nowhere else, and its place (-1: none given)."""
        match = _CARD.fullmatch(token.text)
        if not match or (match[3] and not placed):
            token.fail("no card: a card is written top/bottom, as in 3/7")
        card = (int(match[1]), int(match[2]))
        pair = frozenset(card)
        if pair not in self.deck:
            token.fail(f"no such card in the deck of {self.game}")
        if pair in self.seen:
            token.fail(f"this card is here ({where}) and also in: {self.seen[pair]}")
        self.seen[pair] = where
        return card, int(match[3]) if match[3] else -1

    def cards(self, word: str) -> list[Card]:
        section = self.sections.get(word)
        return [self.card(token, word)[0] for token in section.arguments] if section else []

    def at(self, *words: str) -> Callable[[str], PositionError]:
        """An error at the first of these sections that the line has."""
        column = next((self.sections[w].keyword.column for w in words if w in self.sections), None)
        return lambda message: PositionError(message, column)


def read_fields(game: Any, sections: Sequence[Section]) -> Fields:
    """Read and check the sections of a position's line.

    Parameters
    ----------
    game : solver.scout.Game
    sections : sequence of Section

    Returns
    -------
    Fields

    Raises
    ------
    PositionError
        If a section is unknown, malformed or there twice, or no deal and play can lead to what
        the line says; with the column.
    """
    reader = _Reader(game, sections)
    fields = Fields()
    seats = game.players - 1
    fields.seat = reader.number("seat", "the seat whose position this is", 0, seats, 0)
    fields.to_move = reader.number("to-move", "the seat to move", 0, seats, fields.seat)
    fields.starter = reader.number("starter", "the seat that started the round", 0, seats, 0)
    if reader.flag("choose"):
        fields.phase = "choose"
    if "must-show" in reader.sections:
        if fields.phase == "choose":
            raise reader.at("must-show")("a position is either at choose or at must-show")
        fields.phase = "must-show"
    fields.round = reader.number("round", f"the round of {game.rounds} (option rounds)", 1, game.rounds, 1) - 1
    fields.turn = reader.number("turn", "the number of finished turns", 0, game.max_turns - 1, 0)
    if "hand" not in reader.sections:
        raise PositionError("the section hand is missing: the own cards, left to right, as in: hand 3/7 4/1")
    fields.hand = reader.cards("hand")
    _read_table(reader, fields)
    _read_counts(reader, fields)
    _read_known(reader, fields)
    fields.gone = reader.cards("gone")
    fields.out = reader.cards("out")
    fields.left = reader.cards("left")
    _check_gone(reader, fields)
    _check_turn(reader, fields)
    return fields


def _read_table(reader: _Reader, fields: Fields) -> None:
    section = reader.sections.get("table")
    if section is None:
        return
    words = section.arguments
    if len(words) < 3 or words[-2].text != "by":
        section.fail("the cards and their owner are needed, as in: table 5/6 5/1 by 2 (no section: an empty table)")
    fields.table = [reader.card(token, "table")[0] for token in words[:-2]]
    fields.owner = words[-1].integer("the owner's seat", 0, reader.game.players - 1)
    tops = [top for top, _ in fields.table]
    if (0, len(tops)) not in legal_sets(tops):
        words[0].fail(
            f"{'-'.join(map(str, tops))} is no set: "
            "the numbers must be all equal, or step by exactly 1 in one direction"
        )
    if fields.owner == fields.to_move:
        words[-1].fail("the owner of the Active Set cannot be the seat to move: the round would have ended")
    if fields.phase == "choose":
        section.fail("while the seats choose, the table is empty")


def _read_counts(reader: _Reader, fields: Fields) -> None:
    game = reader.game
    n = game.players
    default = [game.hand_size] * n
    default[fields.seat] = len(fields.hand)
    fields.cards = reader.numbers("cards", "cards in hand", 1, game.cards_in_play, default)
    if fields.cards[fields.seat] != len(fields.hand):
        raise reader.at("cards", "hand")(
            f"seat {fields.seat} holds {len(fields.hand)} cards under hand, but {fields.cards[fields.seat]} under cards"
        )
    if game.two_player:
        fields.chips = reader.numbers("chips", "Scout chips left", 0, game.chips, _first_chips(game))
    else:
        fields.chips = reader.numbers("chips", "Scout chips taken", 0, game.max_turns, _first_chips(game))
    fields.score = reader.numbers("score", "score cards", 0, game.cards_in_play, [0] * n)
    gain = game.chips if game.two_player else game.max_turns
    low, high = -game.cards_in_play * game.rounds, (game.cards_in_play + gain) * game.rounds
    fields.totals = reader.numbers("totals", "scores of the finished rounds", low, high, [0] * n)
    if fields.round == 0 and any(fields.totals):
        raise reader.at("totals")("in the first round no finished round has scored")
    total = sum(fields.cards) + len(fields.table) + sum(fields.score)
    if total != game.cards_in_play:
        raise reader.at("cards", "score", "hand")(
            f"{sum(fields.cards)} cards in hands, {len(fields.table)} on the table and {sum(fields.score)} score cards "
            f"make {total}; {game.cards_in_play} are in play"
            + (
                ""
                if "cards" in reader.sections
                else f" (without the section cards, each rival counts {game.hand_size})"
            )
        )
    if "used" in reader.sections:
        section = reader.sections["used"]
        if game.two_player:
            section.fail("with two players there is no Scout & Show")
        fields.used = sorted({word.integer("a seat", 0, n - 1) for word in section.arguments})
    if fields.phase == "choose":
        if any(fields.score) or fields.used or fields.turn or fields.chips != _first_chips(game):
            raise reader.at("score", "used", "turn", "chips")("while the seats choose, nobody has played yet")
        if fields.cards != [game.hand_size] * n:
            raise reader.at("cards", "hand")(
                f"while the seats choose, each holds the {game.hand_size} cards it was dealt"
            )
    _check_scouts(reader, fields)


def _first_chips(game: Any) -> list[int]:
    """Chips of each seat at the start of a round."""
    return [game.chips if game.two_player else 0] * game.players


def _most_scouts(game: Any, fields: Fields, seat: int) -> int:
    """Scouts of a seat in this round, at most: with two players the chips it spent, else the chips of the others."""
    if game.two_player:
        return int(game.chips - fields.chips[seat])
    return sum(fields.chips) - fields.chips[seat]


def _check_scouts(reader: _Reader, fields: Fields) -> None:
    """Every Scout moves a chip, so the chips bound how many cards a hand can have gained."""
    game = reader.game
    if fields.table and not game.two_player:
        row = (fields.to_move - fields.owner - 1) % game.players
        if fields.chips[fields.owner] < row:
            raise reader.at("chips", "table", "to-move")(
                f"since seat {fields.owner} showed, {row} seats have scouted, so it has at least {row} chips"
            )
    total = abs(sum(fields.chips) - sum(_first_chips(game)))
    turns = fields.turn if "turn" in reader.sections else game.max_turns
    if total > turns + (fields.phase == "must-show"):
        raise reader.at("chips", "turn")(f"the chips tell of {total} Scouts, in {turns} turns")
    for q in range(game.players):
        most = _most_scouts(game, fields, q)
        if fields.cards[q] > game.hand_size + most:
            raise reader.at("cards", "hand", "chips")(
                f"seat {q} holds {fields.cards[q]} cards, but was dealt {game.hand_size} and has scouted "
                f"at most {most} times, by the chips"
            )
        if q in fields.used and not most:
            raise reader.at("used")(f"seat {q} has spent its Scout & Show chip, but has never scouted, by the chips")


def _read_known(reader: _Reader, fields: Fields) -> None:
    for seat, section in reader.known.items():
        first = section.arguments[0]
        if fields.phase == "choose" and len(section.arguments) > 1:
            section.fail("while the seats choose, nobody has scouted yet")
        if seat == fields.seat:
            cards = _own_known(reader, fields, section)
        else:
            cards = _known(reader, fields.cards[seat], seat, section)
        most = min(fields.cards[seat], _most_scouts(reader.game, fields, seat))
        if len(cards) > most:
            first.fail(
                f"{len(cards)} cards are named, but seat {seat} holds {fields.cards[seat]} and has scouted "
                f"at most {_most_scouts(reader.game, fields, seat)} times, by the chips"
            )
        if cards:
            fields.known[seat] = sorted(cards, key=lambda item: (item[1], item[0]))


def _known(reader: _Reader, held: int, seat: int, section: Section) -> list[tuple[Card, int]]:
    """The cards known to be in another's hand."""
    cards = []
    places = set()
    for token in section.arguments[1:]:
        (top, bottom), place = reader.card(token, f"known {seat}", placed=True)
        if place >= 0 and not reader.game.insertions_public:
            token.fail("a place can be known only with the option insertions_public=true")
        if place >= held:
            token.fail(f"seat {seat} has {held} cards, so places 0..{held - 1}")
        if place >= 0 and place in places:
            token.fail(f"two cards at place {place}")
        places.add(place)
        if place < 0:
            top, bottom = min(top, bottom), max(top, bottom)
        cards.append(((top, bottom), place))
    return cards


def _own_known(reader: _Reader, fields: Fields, section: Section) -> list[tuple[Card, int]]:
    """Which of the own cards the others know of."""
    own = {frozenset(card) for card in fields.hand}
    cards: list[tuple[Card, int]] = []
    for token in section.arguments[1:]:
        match = _CARD.fullmatch(token.text)
        if not match or match[3] or frozenset(card := (int(match[1]), int(match[2]))) not in own:
            token.fail("not in the own hand; here stand those of the own cards that the others know of, as in 3/7")
        item = ((min(card), max(card)), -1)
        if item in cards:
            token.fail("this card stands here a second time")
        cards.append(item)
    return cards


def _check_gone(reader: _Reader, fields: Fields) -> None:
    game = reader.game
    for name in ("gone", "out", "left"):
        setattr(fields, name, sorted((min(card), max(card)) for card in getattr(fields, name)))
    if len(fields.gone) > sum(fields.score):
        raise reader.at("gone")(f"{len(fields.gone)} cards are gone, but there are {sum(fields.score)} score cards")
    second = game.two_player and fields.round % 2 == 1
    if (fields.out or fields.left) and not second:
        raise reader.at("out", "left")("only the second round of two players has cards from the round before")
    if len(fields.out) + len(fields.left) > game.cards_in_play:
        raise reader.at("out", "left")(f"the round before had only {game.cards_in_play} cards")


def _read_pending(reader: _Reader, fields: Fields) -> None:
    """The Scout half of a Scout & Show whose Show is due."""
    section = reader.sections["must-show"]
    if reader.game.two_player:
        section.fail("with two players there is no Scout & Show")
    if fields.seat != fields.to_move:
        section.fail("a Scout & Show is one action for the others: only its player is at must-show")
    if fields.seat not in fields.used:
        section.fail(
            f"seat {fields.seat} has spent its Scout & Show chip by now: the section used {fields.seat} is missing"
        )
    words = list(section.arguments)
    turned = len(words) == 5 and words[2].text == "turned"
    if turned:
        del words[2]
    if len(words) != 4 or words[0].text not in _ENDS or words[2].text != "by":
        section.fail(
            "the end scouted, the place and side where the card stands now, and its owner are needed, as in: "
            "must-show left 3 turned by 2"
        )
    end = _ENDS.index(words[0].text)
    place = words[1].integer("the place", 0, len(fields.hand) - 1)
    owner = words[3].integer("the owner's seat", 0, reader.game.players - 1)
    if owner == fields.seat or (fields.table and owner != fields.owner):
        words[3].fail("the card came from another seat, the owner of the table")
    if fields.chips[owner] == 0:
        words[3].fail("the owner has a chip for the Scout: see chips")
    card = fields.hand[place][::-1] if turned else fields.hand[place]
    before = [*fields.table, card] if end else [card, *fields.table]
    tops = [top for top, _ in before]
    if (0, len(tops)) not in legal_sets(tops):
        words[1].fail(f"with this card the table was {'-'.join(map(str, tops))}, which is no set")
    if len(fields.hand) < 2:
        section.fail("the hand was empty before this Scout, so the round was over")
    if end and not fields.table:
        words[0].fail("the only card of a table is its left one")
    fields.pending = (end, place, turned, owner)
    seen = ((min(card), max(card)), -1)
    known = fields.known.setdefault(fields.seat, [])
    if seen not in known:
        known.append(seen)
        known.sort(key=lambda item: item[0])


def _check_turn(reader: _Reader, fields: Fields) -> None:
    game = reader.game
    tops = [top for top, _ in fields.hand]
    table = [top for top, _ in fields.table]
    if fields.phase == "must-show":
        _read_pending(reader, fields)
        if not legal_sets(tops, table):
            raise reader.at("must-show")("no set of the hand beats the table, so this Scout & Show was not legal")
    if (
        game.two_player
        and fields.phase == "turn"
        and fields.seat == fields.to_move
        and fields.chips[fields.seat] == 0
        and not legal_sets(tops, table)
    ):
        raise reader.at("chips", "hand")("the round is over: the seat to move can neither Show nor Scout")


# ----------------------------------------------------------------------------------------------
# Writing


def card_text(card: Card) -> str:
    """A card, top/bottom."""
    return f"{card[0]}/{card[1]}"


def row_text(cards: Iterable[Card]) -> str:
    """A row of cards, left to right."""
    return " ".join(map(card_text, cards))


def write_line(game: Any, fields: Fields) -> str:
    """The one line that `read_fields` reads back to the same fields; what is default is left out."""
    n = game.players
    parts = [str(game)]

    def put(word: str, values: Iterable[object]) -> None:
        parts.append(" ".join([word, *map(str, values)]))

    if fields.seat:
        put("seat", [fields.seat])
    if fields.to_move != fields.seat:
        put("to-move", [fields.to_move])
    if fields.pending:
        end, place, turned, owner = fields.pending
        put("must-show", [_ENDS[end], place, *["turned"] * turned, "by", owner])
    elif fields.phase != "turn":
        put(fields.phase, [])
    put("hand", map(card_text, fields.hand))
    if fields.table:
        put("table", [row_text(fields.table), "by", fields.owner])
    default = [game.hand_size] * n
    default[fields.seat] = len(fields.hand)
    if fields.cards != default:
        put("cards", fields.cards)
    if fields.chips != _first_chips(game):
        put("chips", fields.chips)
    if any(fields.score):
        put("score", fields.score)
    if fields.used:
        put("used", fields.used)
    for seat, cards in sorted(fields.known.items()):
        words = [card_text(card) + (f"@{place}" if place >= 0 else "") for card, place in cards]
        put("known", [f"{seat}:", *words])
    for word in ("gone", "out", "left"):
        if getattr(fields, word):
            put(word, map(card_text, getattr(fields, word)))
    if fields.turn:
        put("turn", [fields.turn])
    if fields.starter:
        put("starter", [fields.starter])
    if fields.round:
        put("round", [fields.round + 1])
    if any(fields.totals):
        put("totals", fields.totals)
    return " | ".join(parts)


# ----------------------------------------------------------------------------------------------
# Actions in words


def show_words(tops: Sequence[int], start: int, length: int) -> str:
    """`show 4-4-4`; with ` at PLACE` where the hand holds the same numbers elsewhere too."""
    numbers = list(tops[start : start + length])
    twice = sum(list(tops[i : i + length]) == numbers for i in range(len(tops) - length + 1)) > 1
    return f"show {'-'.join(map(str, numbers))}" + (f" at {start}" if twice else "")


def scout_words(table: Sequence[Card], end: int, place: int, turned: bool, both: bool) -> str:
    """`scout 7 (left), place 3, turned`: the number as it lies on the table, then where it goes."""
    return f"scout{' & show' if both else ''} {table[-end][0]} ({_ENDS[end]}), place {place}" + ", turned" * bool(
        turned
    )


def action_words(game: Any, hand: Sequence[Card], table: Sequence[Card], action: int) -> str:
    """An action of the seat that holds `hand`, in plain words."""
    kind, *rest = game.decode(action)
    if kind in ("keep", "turn"):
        return f"{kind} the hand"
    if kind == "show":
        start, length = rest
        if start + length > len(hand):
            raise IllegalActionError(f"there are {len(hand)} cards in hand: no {length} from place {start} on")
        return show_words([top for top, _ in hand], start, length)
    end, place, turned = rest
    if not table or place > len(hand):
        raise IllegalActionError(f"with {len(table)} cards on the table and {len(hand)} in hand: no such Scout")
    return scout_words(table, end, place, turned, kind == "scout_and_show")


def seen_words(game: Any, before: Any, action: int, others: bool) -> str:
    """What the table sees of an action, in words ("shows 4-4", of oneself "show 4-4"); "" if nothing.

    Parameters
    ----------
    game : solver.scout.Game
    before : solver.scout.State
        The state in which the action is about to be played.
    action : int
    others : bool
        Whether the onlooker is not the seat that acts.
    """
    kind, *rest = game.decode(action)
    mover = before.current_player()
    table = before.active_set()
    if kind in ("keep", "turn"):
        return "" if others else f"{kind} the hand"
    if kind == "show":
        start, length = rest
        tops = [top for top, _ in before.hand(mover)[start : start + length]]
        return f"{'shows' if others else 'show'} {'-'.join(map(str, tops))}"
    end, place, turned = rest
    words = f"{'scouts' if others else 'scout'} {card_text(table[-end])}" + f" ({_ENDS[end]})" * (len(table) > 1)
    if not others or game.insertions_public:
        words += f" to place {place}" + ", turned" * turned
    return words + (" and" if kind == "scout_and_show" else "")


_SCOUT_START = re.compile(r"(?:scout|s&s)\b")
_SHOW = re.compile(r"show\s*([0-9]{1,2}(?:[\s,-]+[0-9]{1,2})*)(?:\s*at\s*(?:place\s*)?([0-9]{1,2}))?")
_SCOUT = re.compile(
    r"(?:scout(\s*(?:&|and)\s*show)?|(s&s))\s*([0-9]{1,2})?\s*\(?(left|right)?\)?[\s,]*(?:(?:to|at)\s*)?(?:place\s*)?"
    r"([0-9]{1,2})[\s,]*(turn(?:ed)?)?"
)


def read_action(game: Any, hand: Sequence[Card], table: Sequence[Card], text: str) -> int:
    """The action id that these words mean, legal or not.

    Parameters
    ----------
    game : solver.scout.Game
    hand, table : sequence of (int, int)
    text : str
        As `action_words` writes it; case, blanks and commas do not matter, and ``scout left 3
        turned`` or ``show 4 4 4`` will do.

    Raises
    ------
    IllegalActionError
        If the words mean no action, or name cards that are not there.
    """
    words = " ".join(text.lower().split())[:200]
    if words in ("keep", "keep the hand", "turn", "turn the hand"):
        return int(game.turn if words.startswith("turn") else game.keep)
    tops = [top for top, _ in hand]
    if show := _SHOW.fullmatch(words):
        numbers = [int(number) for number in re.findall("[0-9]+", show[1])]
        places = [i for i in range(len(tops)) if tops[i : i + len(numbers)] == numbers]
        if show[2] is not None:
            places = [i for i in places if i == int(show[2])]
        if not places:
            where = f" at place {show[2]}" if show[2] else ""
            raise IllegalActionError(f"the hand has no {'-'.join(map(str, numbers))} side by side{where}")
        return int(game.show(places[0], len(numbers)))
    scout = _SCOUT.fullmatch(words)
    if scout is None and _SCOUT_START.match(words):
        raise IllegalActionError(f"{text[:80]!r}: say the end and the place, as in: scout left 3 turned")
    if scout is None:
        raise IllegalActionError(
            f"{text[:80]!r} means no action; write for example: show 4-4-4, scout left 3 turned, scout & show right 0"
        )
    if not table:
        raise IllegalActionError("there is no Active Set to scout from")
    both, number, side, place, turned = scout[1] or scout[2], scout[3], scout[4], scout[5], scout[6]
    ends = [end for end in (0, 1) if number is None or int(number) == table[-end][0]]
    if side is not None:
        ends = [end for end in ends if _ENDS[end] == side]
    if not ends:
        raise IllegalActionError(f"no such end: the table is {row_text(table)}")
    if len(ends) > 1 and len(table) > 1:
        raise IllegalActionError("say which card: left or right")
    build = game.scout_and_show if both else game.scout
    return int(build(0 if len(table) == 1 else ends[0], int(place), turned is not None))


def why_not(
    game: Any,
    phase: str,
    hand: Sequence[Card],
    table: Sequence[Card],
    chips: int,
    both_left: bool,
    kind: str,
    rest: Sequence[Any],
) -> str:
    """In words, why the seat that holds `hand` cannot do this."""
    if phase == "choose":
        return "first every seat keeps or turns its hand"
    if kind in ("keep", "turn"):
        return "the hand is kept or turned before the first turn only"
    tops = [top for top, _ in hand]
    if kind == "show":
        start, length = rest
        if start + length > len(hand):
            return f"there are {len(hand)} cards in hand, places 0..{len(hand) - 1}"
        numbers = tops[start : start + length]
        if (0, length) not in legal_sets(numbers):
            return (
                f"{'-'.join(map(str, numbers))} is no set: the numbers must be all equal, "
                "or step by exactly 1 in one direction"
            )
        table_text = "-".join(str(top) for top, _ in table)
        return f"{'-'.join(map(str, numbers))} does not beat {table_text}"
    if phase == "must_show":
        return "the Show half of a Scout & Show is due"
    if not table:
        return "there is no Active Set to scout from"
    if game.two_player and chips == 0:
        return "no Scout chip is left"
    end, place, _ = rest
    if place > len(hand):
        return f"a card can go to the places 0..{len(hand)}"
    if end == 1 and len(table) == 1:
        return "with one card on the table only end 0 (left) is legal"
    if not both_left:
        return "the Scout & Show chip is spent"
    return "after this Scout no set of the hand would beat what is left on the table"


# ----------------------------------------------------------------------------------------------
# A table to look at


def strongest(tops: Sequence[int], table: Sequence[int]) -> tuple[int, int] | None:
    """(start, length) of the strongest set that beats the table; the leftmost of equals."""
    best: tuple[int, int] | None = None
    for start, length in legal_sets(tops, table):
        if best is None or beats(tops[start : start + length], tops[best[0] : best[0] + best[1]]):
            best = (start, length)
    return best


def pretty(game: Any, fields: Fields, names: Sequence[str] | None = None) -> str:
    """The position as a person would lay it out: seats, table, and the hand with both numbers."""
    n = game.players
    names = names or [f"seat {q}" for q in range(n)]
    width = max(map(len, names)) + 1
    lines = []
    head = f"{game}"
    if game.rounds > 1:
        head += f"   round {fields.round + 1} of {game.rounds}"
    lines.append(head)
    for q in range(n):
        mark = ">" if q == fields.to_move else " "
        counts = f"{fields.cards[q]:2d} cards  {fields.chips[q]} chips  {fields.score[q]:2d} score"
        if not game.two_player:
            counts += "  S&S used" if q in fields.used else "  S&S ready"
        if game.rounds > 1:
            counts += f"  total {fields.totals[q]}"
        lines.append(f"{mark} {names[q]:<{width}}{counts}{'  (you)' if q == fields.seat else ''}")
        if q in fields.known and q != fields.seat:
            words = [card_text(card) + (f"@{place}" if place >= 0 else "") for card, place in fields.known[q]]
            indent = " " * (width + 2)
            lines += textwrap.wrap("holds " + " ".join(words), 80, initial_indent=indent, subsequent_indent=indent)
    lines.append("")
    if fields.table:
        lines += _row("table", fields.table, places=False)
        lines.append(f"       of {names[fields.owner]}")
    else:
        lines.append("table  empty")
    lines.append("")
    lines += _row("hand", fields.hand, places=True)
    if fields.phase == "must-show":
        lines += ["", "the Show of a Scout & Show is due"]
    return "\n".join(lines)


def _row(title: str, cards: Sequence[Card], places: bool) -> list[str]:
    """Cards side by side, tops above bottoms; twenty to a line, so that 80 columns hold them."""
    lines = []
    for at in range(0, len(cards), 20):
        part = cards[at : at + 20]
        if places:
            lines.append("place  " + "".join(f"{at + i:3d}" for i in range(len(part))))
        lines.append(f"{title:<7}" + "".join(f"{top:3d}" for top, _ in part))
        lines.append(" " * 7 + "".join(f"{bottom:3d}" for _, bottom in part))
    return lines
