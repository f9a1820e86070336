"""Readable twin of `solver.games._scout_learnt`: the rule of play that is learnt, over a Position.

Slow, plain Python from the description of `scout.Game.learnt_samples`; the compiled rule is compared with it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from solver import scout
from tests.reference import scout_play as play

OPTION, POSITION, HIDDEN = 29, 24, 32
AHEAD = 32  # cards of a hand of which is looked at what comes together
EQUAL = 5e-3  # points: worths closer than this are the same, since the constants have two digits


def score(constants: Any, position: Sequence[float], option: Sequence[float]) -> float:
    """What the net makes of an option."""
    parts = np.split(np.asarray(constants, float), np.cumsum([OPTION * HIDDEN, POSITION * HIDDEN, HIDDEN, HIDDEN]))
    of_option, of_position = parts[0].reshape(OPTION, HIDDEN), parts[1].reshape(POSITION, HIDDEN)
    units = np.maximum(parts[2] + np.asarray(position) @ of_position + np.asarray(option) @ of_option, 0)
    return float(units @ parts[3] + np.asarray(option) @ parts[4])


def pieces(tops: Sequence[int]) -> tuple[int, int]:
    """The least number of sets that a row falls into, and single cards among them if each is as long as it may be."""
    count = singles = i = 0
    while i < len(tops):
        j = i + 1
        while j < len(tops) and play.kind(tops[i : j + 1]) is not None:
            j += 1
        count += 1
        singles += j == i + 1
        i = j
    return count, singles


def step(left: int, right: int) -> int | None:
    """What kind of set two cards begin: 0 alike, 1 rising, -1 falling."""
    return right - left if abs(right - left) <= 1 else None


@cache
def least_shows(row: tuple[int, ...], kind: int | None = None, size: int = 0) -> tuple[int, int]:
    """The least Shows that empty a row, each taking out a set of cards that have come together, and of these Shows as
    few as may be of one card; if `size`, the first card goes on a set of so many cards and this kind."""
    if not row:
        return 0, 0
    shows, singles = least_shows(row[1:])
    best = (shows + 1, singles + (size == 0))
    for k in range(1, len(row)):
        if step(row[0], row[k]) is not None and kind in (None, step(row[0], row[k])):
            between, rest = least_shows(row[1:k]), least_shows(row[k:], step(row[0], row[k]), size + 1)
            best = min(best, (between[0] + rest[0], between[1] + rest[1]))
    return best


@cache
def comes_together(row: tuple[int, ...], shows: int) -> tuple[int, bool, int]:
    """Of the longest sets that there may be after up to so many Shows the strongest: size, whether it is a group, and
    its smallest number."""
    best = (0, False, 0)
    for start, length in scout.legal_sets(row) if row else []:
        shown = row[start : start + length]
        best = max(best, (length, len(set(shown)) == 1, min(shown)))
        if shows:
            best = max(best, comes_together(row[:start] + row[start + length :], shows - 1))
    return best


def beaten(shares: dict[int, float], shown: Sequence[int]) -> float:
    """The chance that as many cards in a row as a set has, or one more, beat it."""

    def sets(size: int) -> Iterator[tuple[list[int], float]]:
        for low in range(1, 12):
            yield [low] * size, shares.get(low, 0.0) ** size
            run = list(range(low, low + size))
            if size > 1 and run[-1] < 12:
                chance = float(np.prod([shares.get(number, 0.0) for number in run]))
                yield run, chance
                yield run[::-1], chance

    sizes = (len(shown), len(shown) + 1) if len(shown) else (1,)
    return sum(
        chance for size in sizes for numbers, chance in sets(size) if not len(shown) or scout.beats(numbers, shown)
    )


def likely(chance: float, places: float) -> float:
    return chance * places / (1 + chance * places)


class Looker:
    """Features of the options of a Position at a turn."""

    def __init__(self, position: Any) -> None:
        self.position = position
        self.players = position.game.num_players()
        self.me = position.player
        self.tops = [top for top, _ in position.hand]
        self.table = [top for top, _ in position.active_set]
        self.worth = play.row_worth(self.players, self.tops)
        known = [card for seat, cards in position.known.items() if seat != self.me for card, _ in cards]
        faces = [number for card in [*position.unseen(), *known] for number in card]
        self.unseen = len(faces) // 2
        self.shares = {number: count / len(faces) for number, count in Counter(faces).items()}
        self.others = [(self.me + i) % self.players for i in range(1, self.players)]

    def of_position(self, shows: int) -> list[float]:
        p, me = self.position, self.me
        following, owner = self.others[0], p.owner
        chips = p.scout_and_show_left
        return [
            chips[me],
            sum(chips) - chips[me],
            min(p.counts[q] for q in self.others),
            p.counts[following],
            len(self.table),
            0 if owner is None else (owner - me) % self.players,
            p.counts[me],
            0 if owner is None or self.players == 2 else (me - owner - 1) % self.players,
            min(self.table, default=0),
            play.kind(self.table) == "run" if self.table else 0,
            0 if owner is None else p.counts[owner],
            self.worth,
            sum(p.counts[q] for q in self.others),
            p.chips[me],
            p.chips[following],
            p.counts[self.others[-1]],
            pieces(self.tops)[0],
            max(length for _, length in scout.legal_sets(self.tops)),
            chips[following],
            self.unseen,
            sum(p.score_cards),
            p.counts[(me + 2) % self.players],
            pieces(self.tops)[1],
            shows,
        ]

    def places(self, size: int, seats: Sequence[int]) -> int:
        return sum(max(0, self.position.counts[q] - size + 1) for q in seats)

    def of_option(
        self,
        gap: float,
        kind: str,
        tops: Sequence[int],
        table: Sequence[int],
        shown: Sequence[int],
        taken: int,
        number: int,
        ends: bool,
    ) -> list[float]:
        """Of an option that leaves this hand and this set on the table."""
        chance = beaten(self.shares, table)
        sets = scout.legal_sets(tops)
        longest = max((length for _, length in sets), default=0)
        strongest: Sequence[int] = ()
        at = 0
        for start, length in sets:
            one = tops[start : start + length]
            if length == longest and (not strongest or scout.beats(one, strongest)):
                strongest, at = one, start
        rest = [*tops[:at], *tops[at + longest :]]
        shows_left, singles_left = least_shows(tuple(tops[:AHEAD]))
        further = len(tops) - len(tops[:AHEAD])
        ahead = []
        for shows in (1, 2):
            size, group, low = comes_together(tuple(tops[:AHEAD]), shows)
            numbers = [low] * size if group else list(range(low, low + size))
            ahead += [size, likely(beaten(self.shares, numbers), self.places(size, self.others)) if tops else 0]
        return [
            gap,
            kind == "show",
            kind == "scout",
            kind == "scout_and_show",
            (play.row_worth(self.players, tops) if tops else 0) - self.worth,
            len(tops),
            taken,
            len(shown),
            len(shown) if play.kind(shown or [0]) == "run" else 0,
            min(shown, default=0),
            longest,
            len(sets),
            pieces(tops)[0],
            ends,
            likely(chance, self.places(len(table), self.others[:1])),
            likely(chance, self.places(len(table), self.others)),
            bool(tops) and (not table or any(scout.beats(tops[i : i + n], table) for i, n in sets)),
            longest - len(table),
            number,
            likely(beaten(self.shares, strongest), self.places(longest, self.others)) if tops else 0,
            max((length for _, length in scout.legal_sets(rest)), default=0) if rest else 0,
            pieces(tops)[1],
            min(strongest, default=0),
            shows_left + further,
            singles_left + further,
            *ahead,
        ]

    def options(self) -> dict[Any, list[list[float]]]:
        """Of each option (a Show's action, or what a Scout does but for the place) the features; of equally good
        places, and equally good sets to show after a Scout, each."""
        game = self.position.game
        worths = play.action_worths(self.position)
        best = max(worths.values())
        places: dict[Any, list[int]] = {}
        for action in worths:
            kind, *rest = game.decode(action)
            places.setdefault(action if kind == "show" else (kind, rest[0], rest[2]), []).append(action)
        found = {}
        for key, actions in places.items():
            most = max(worths[action] for action in actions)
            found[key] = [
                features
                for action in actions
                if worths[action] > most - EQUAL
                for features in self.look(action, most - best)
            ]
        return found

    def look(self, action: int, gap: float) -> Iterator[list[float]]:
        position, players = self.position, self.players
        kind, *rest = position.game.decode(action)
        if kind == "show":
            start, length = rest
            shown = self.tops[start : start + length]
            left = [*self.tops[:start], *self.tops[start + length :]]
            yield self.of_option(gap, kind, left, shown, shown, len(self.table), 0, not left)
            return
        end, place, turned = rest
        card = position.active_set[-end]
        number = card[1] if turned else card[0]
        grown = [*self.tops[:place], number, *self.tops[place:]]
        table = self.table[:-1] if end else self.table[1:]
        if kind == "scout":
            since = (self.me - position.owner - 1) % players
            ends = players > 2 and since + 1 == players - 1
            ends &= bool(table) or position.game.get_parameters()["ends_on_emptying_scout"]
            yield self.of_option(gap, kind, grown, table, [], 0, number, ends)
            return
        mean = sum(position.counts[q] for q in self.others) / (players - 1)
        shows = {
            (start, length): play.show_worth(players, grown, start, length, 0, mean)
            for start, length in scout.legal_sets(grown, table or None)
        }
        for (start, length), worth in shows.items():
            if worth > max(shows.values()) - EQUAL:
                shown = grown[start : start + length]
                left = [*grown[:start], *grown[start + length :]]
                yield self.of_option(gap, kind, left, shown, shown, len(table), number, not left)


def scores(position: Any) -> dict[Any, set[float]]:
    """The score of each option; several where places are equally good."""
    looker = Looker(position)
    options = looker.options()
    of_position = looker.of_position(sum(isinstance(key, int) for key in options))
    constants = position.game.learnt_constants
    return {key: {score(constants, of_position, row) for row in rows} for key, rows in options.items()}
