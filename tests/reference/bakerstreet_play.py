"""Readable twin of `solver.games._bakerstreet_policy`: the planning agent and what it weighs, over a Position.

Slow, plain Python over public names; the compiled functions are compared with it.
"""

from __future__ import annotations

import math
from typing import Any

from solver import bakerstreet

ALPHABET = "ABCDEFGHIJKLMNOPQRST"
WINDOW_WORTH = (0, 1, 3, 8, 20, 50, 130, 1000)
PILE_WEIGHT, LOST_PILE, CHAIN_DISCOUNT = 12, -12, 0.8


def evidence_worth(letters: str) -> int:
    """Three times the best window of seven and the sum of all fourteen."""
    worths = [WINDOW_WORTH[sum(x in letters for x in ALPHABET[i : i + 7])] for i in range(14)]
    return 3 * max(worths) + sum(worths)


def pile_worth(position: Any, log: list[Any], hidden: str, pile: int) -> float:
    """Expected gain from the best letter of a pile, by what the position's seat knows.

    `log` has (seat, pile, letters) of each win, `hidden` the letters that lie in no known place.
    """
    own = position.evidence
    gains = {x: evidence_worth(own + x) - evidence_worth(own) for x in ALPHABET if x not in own}
    taken = 0
    for win in log:
        if win.pile == pile:
            taken = 0 if win.seat == position.player else taken + (win.letters != "")
    look = position.look(pile)
    if look is None:
        there, held, letters = 8 - taken, max(len(hidden), 1), hidden
        gone = 1 - there / held if held > there else 0.0
    else:
        letters = look
        gone = taken / len(look) if look else 0.0
    worth, rest = 0.0, 1.0
    for letter in sorted(gains, key=lambda x: (-gains[x], x)):
        if letter in letters and rest >= 0.01:
            absent = gone ** letters.count(letter)
            worth += rest * (1 - absent) * gains[letter]
            rest *= absent
    return worth


def margin(stack: list[tuple[int, int, str | None]], seat: int) -> int:
    """Own total less the rival's, as the pile would be evaluated now."""
    totals = bakerstreet.evaluate(stack).totals
    return totals[seat] - totals[1 - seat]


def placement_gains(position: Any, worths: list[float]) -> dict[int, float]:
    """By action: how the weighed sum of tanh(margin / 2) grows."""
    me = position.player
    result = {}
    for value, symbol in set(position.hand):
        for pile in range(5):
            stack = position.stack(pile)
            grown = math.tanh(margin([(me, value, symbol), *stack], me) / 2) - math.tanh(margin(stack, me) / 2)
            result[position.game.place(value, symbol, pile)] = (worths[pile] + PILE_WEIGHT) * grown
    return result


def chain_worth(position: Any, worths: list[float], pile: int) -> float:
    """Worth of naming a pile, with the piles to which arrows lead."""
    stacks = [position.stack(i) for i in range(5)]
    result, weight = 0.0, 1.0
    for _ in range(15):
        found = bakerstreet.evaluate(stacks[pile])
        mine, theirs = found.totals[position.player], found.totals[1 - position.player]
        result += weight * (worths[pile] if mine >= theirs else LOST_PILE)
        if not found.arrow:
            break
        stacks[pile] = stacks[pile][found.evaluated :]
        pile = (pile + 1) % 5
        weight *= CHAIN_DISCOUNT
    return result


def planning(position: Any, log: list[Any], hidden: str) -> set[int]:
    """The actions among which the planning agent draws."""
    game, legal = position.game, position.legal_actions()
    worths = [pile_worth(position, log, hidden, pile) for pile in range(5)]
    if position.phase == "turn":
        if position.bids and (legal == [game.doubt] or position.bid_odds()[position.bids[-1]] < 0.5):
            return {game.doubt}
        gains = placement_gains(position, worths)
    elif position.phase == "bid":
        if position.bids:
            return {game.bid(position.bids[-1] + 1)}
        odds = position.bid_odds()
        return {game.bid(max(n for n in range(31) if odds[n] >= 0.9))}
    elif position.phase == "choose_pile":
        gains = {game.choose_pile(pile): chain_worth(position, worths, pile) for pile in range(5)}
    else:
        own = position.evidence
        gains = {action: float(evidence_worth(own + game.decode(action)[1])) for action in legal}
        return {max(gains, key=lambda action: (gains[action], -action))}
    most = max(gains.values())
    return {action for action, gain in gains.items() if gain > most - 1e-9}


def estimate(state: Any) -> float:
    """Pay-off of seat 0 before the end."""
    a, b = (evidence_worth(state.evidence(q)) + 22 for q in (0, 1))
    control = sum(math.tanh(max(-32, min(32, margin(state.stack(i), 0))) / 2) for i in range(5))
    odds = 1.394 * math.log(a / b) + 0.203 * control + (0.146 if state.starter == 0 else -0.146)
    return 2 / (1 + math.exp(-odds)) - 1
