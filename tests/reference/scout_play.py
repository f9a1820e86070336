"""Readable twin of `solver.games._scout_policy`: what hands and moves are worth, over a Position.

Slow, plain Python from the description; the compiled functions are compared with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any

from solver import scout

# By number of players: singles, groups of 2..5, runs of 2..5 (each with a slope by the smallest number), then
# the chance that a set on the table comes back, likewise, and the costs.
CONSTANTS = {
    2: "-2.19 0.09 -0.79 0.45 0.52 1.42 0.18 -1.99 -0.22 0.22 0.88 0.12 0.79 0.20 0.85 1.23 2.51 0.35 0.30 1.54 2.99 "
    "0.06 0.41 0.90 2.13 0.23 0.28",
    3: "-1.04 0.03 -0.95 0.44 1.29 1.18 0.10 -1.46 -0.59 0.61 0.82 0.08 0.67 0.07 0.94 1.53 2.61 0.06 0.73 1.49 2.89 "
    "0.04 0.20 1.28 1.32 -0.11 0.48",
    4: "-1.34 0.04 -1.03 0.43 1.06 1.50 0.08 -1.60 -0.60 0.79 0.73 0.09 0.86 0.13 0.99 1.60 2.40 0.58 0.84 1.90 3.16 "
    "0.02 0.56 1.26 1.59 -0.04 0.35",
    5: "-1.46 0.07 -1.05 0.22 0.74 1.46 0.12 -1.66 -0.49 0.37 1.10 0.11 0.42 0.15 0.94 1.36 2.45 0.37 0.80 1.80 2.85 "
    "0.06 0.47 1.37 2.06 0.23 0.20",
}


@cache
def constants(players: int) -> tuple[float, ...]:
    return tuple(map(float, CONSTANTS[players].split()))


def kind(numbers: Sequence[int]) -> str | None:
    """What a row of numbers is as a set."""
    steps = {b - a for a, b in itertools.pairwise(numbers)}
    if len(numbers) == 1:
        return "single"
    return "group" if steps == {0} else "run" if steps in ({1}, {-1}) else None


def set_worth(players: int, numbers: Sequence[int]) -> float:
    c, slope = constants(players), min(numbers) - 5
    what = kind(numbers)
    if what == "single":
        return c[0] + c[1] * slope
    at = min(len(numbers), 5) - 2
    return c[2 + at] + c[6] * slope if what == "group" else c[7 + at] + c[11] * slope


def set_held(players: int, numbers: Sequence[int]) -> float:
    c, slope = constants(players), min(numbers) - 5
    what = kind(numbers)
    if what == "single":
        return c[12] + c[13] * slope
    if what == "group":
        return c[14 + min(len(numbers), 4) - 2] + c[21] * slope
    return c[17 + min(len(numbers), 5) - 2] + c[21] * slope


def row_worth(players: int, numbers: Sequence[int]) -> float:
    """The best way to cut the row into sets, by trying every first set."""

    @cache
    def best(i: int) -> float:
        if i == len(numbers):
            return 0.0
        return max(
            set_worth(players, numbers[i:j]) + best(j)
            for j in range(i + 1, len(numbers) + 1)
            if kind(numbers[i:j]) is not None
        )

    return best(0)


def action_worths(position: Any) -> dict[int, float]:
    """What each legal action is worth."""
    game, me = position.game, position.player
    players = game.num_players()
    c = constants(players)
    hand = [tuple(card) for card in position.hand]
    tops = [top for top, _ in hand]
    table = [tuple(card) for card in position.active_set]
    cards = list(position.counts)
    others = [cards[q] for q in range(players) if q != me]
    owner = position.owner
    share = 1 / (players - 1)
    since = 0 if owner is None or players == 2 else (me - owner - 1) % players
    result = {}
    for action in position.legal_actions():
        what, *rest = game.decode(action)
        if what == "keep":
            result[action] = row_worth(players, tops)
        elif what == "turn":
            result[action] = row_worth(players, [bottom for _, bottom in reversed(hand)])
        elif what == "show":
            result[action] = show_worth(players, tops, rest[0], rest[1], len(table), sum(others) * share)
        else:
            end, place, turned = rest
            card = table[-end]
            grown = [*tops[:place], card[1] if turned else card[0], *tops[place:]]
            left = [top for top, _ in (table[:-1] if end else table[1:])]
            if what == "scout":
                if (
                    players > 2
                    and since + 1 == players - 1
                    and (left or game.get_parameters()["ends_on_emptying_scout"])
                ):
                    at_end = sum(cards[q] for q in range(players) if q not in (me, owner)) * share
                    result[action] = at_end - len(grown) - share + c[24]
                    continue
                danger = c[25] * max(0, 4 - min(others)) + c[26] * (players > 2 and since + 2 == players - 1)
                result[action] = row_worth(players, grown) - share - c[22] - danger * len(grown)
            else:
                mean = sum(others) * share
                shows = [
                    show_worth(players, grown, start, length, len(left), mean)
                    if start <= place < start + length
                    else len(left) + standing_worth(players, tops, grown, place, start - (start > place), length)
                    for start, length in scout.legal_sets(grown, left or None)
                ]
                result[action] = max(shows) - share - c[23]
    return result


def standing_worth(
    players: int, tops: Sequence[int], grown: Sequence[int], place: int, start: int, length: int
) -> float:
    """A set shown that the hand held already: as that Show and that Scout are worth each on its own.

    A card put in beside the set counts as a single.
    """
    rest = [*tops[:start], *tops[start + length :]]
    show = row_worth(players, rest) + set_held(players, tops[start : start + length]) if rest else 0.0
    if place in (start, start + length):
        return show + set_worth(players, [grown[place]])
    return show + row_worth(players, grown) - row_worth(players, tops)


def show_worth(players: int, tops: Sequence[int], start: int, length: int, taken: int, mean: float) -> float:
    rest = [*tops[:start], *tops[start + length :]]
    if not rest:
        return taken + mean + constants(players)[24]
    return taken + row_worth(players, rest) + set_held(players, tops[start : start + length])


def put_back(position: Any, worths: dict[int, float]) -> dict[int, float]:
    """The worths as a search reads them: of what takes one card, one side up, to places away from its like only
    the best keeps its place."""
    result = dict(worths)
    tops = [top for top, _ in position.hand]
    first: dict[tuple[Any, ...], int] = {}
    for action in worths:
        what, *rest = position.game.decode(action)
        if what not in ("scout", "scout_and_show"):
            continue
        end, place, turned = rest
        number = position.active_set[-end][1 if turned else 0]
        if any(abs(near - number) <= 1 for near in tops[max(0, place - 1) : place + 1]):
            continue
        rival = first.setdefault((what, end, turned), action)
        if rival != action:
            worse = rival if worths[action] > worths[rival] + 1e-5 else action
            result[worse] -= 1000
            first[what, end, turned] = rival if worse == action else action
    return result


def best_actions(worths: dict[int, float]) -> set[int]:
    most = max(worths.values())
    return {
        action for action, worth in worths.items() if worth > most - 1e-3
    }  # the compiled worths are rounded to 1/65536
