"""SCOUT in words, for `solver.explain`: who can beat the set, what is left in hand, how the round ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from solver._core import Rng, legal_sets, placing_beats
from solver._explain_text import Told, cards, listing, percent, seat_words
from solver._ismcts_twin import derive_payoffs
from solver.games.scout_notation import seen_words, strongest

__all__ = ["could_beat", "kind", "seen", "tell", "value"]

_NEARLY = 0.95  # of the deals
_VERBS = {"show": "shows", "scout": "scouts", "scout_and_show": "scouts and shows"}


def kind(game: Any, action: int) -> str:
    """Which kind of action it is."""
    return str(game.decode(action)[0]).replace("_and_", " & ")


def seen(game: Any, state: Any, action: int, others: bool) -> tuple[str, str]:
    """What the table sees of an action: its kind and its words."""
    words = seen_words(game, state, action, others)
    name = game.decode(action)[0]
    return (_VERBS.get(name, name) if others else name), words or str(name)


def value(state: Any, payoff: str, me: int) -> float:
    """A seat's pay-off, as a search reads it; before the end an estimate."""
    scores = state.totals() if state.is_terminal() else state.estimated_returns()
    return derive_payoffs(scores, payoff)[me]


def could_beat(hand: Sequence[int], table: Sequence[tuple[int, int]], both: bool) -> tuple[bool, bool]:
    """Whether a hand can beat a table by a Show, and by a Scout & Show.

    Parameters
    ----------
    hand : sequence of int
        Its numbers, left to right.
    table : sequence of (int, int)
        The Active Set.
    both : bool
        Whether its holder may Scout & Show.
    """
    show = bool(legal_sets(hand, [top for top, _ in table]))
    if show or not both or not table:
        return show, False
    for end in range(1 if len(table) == 1 else 2):
        rest = [top for top, _ in (table[:-1] if end else table[1:])]
        if any(placing_beats(hand, number, rest) for number in table[-end]):
            return False, True
    return False, False


def tell(position: Any, action: int, deals: Sequence[Any], rng: Rng) -> Told:
    """What there is to say of an action.

    Parameters
    ----------
    position : scout.Position
    action : int
    deals : sequence of scout.State
        Full states that fit the position, after the action (a move in two halves: after both).
    rng : Rng
        For the play that goes on from them; they are not changed.
    """
    if position.phase == "choose":
        return _sides(position)
    me, game = position.player, position.game
    players = game.players
    # with two players it hangs on the rival's hand whether a Show ends the round; the next may be dealt then
    first = next((deal for deal in deals if not deal.round_results()), None)
    if first is None:
        return _end(position, deals)
    sentences: list[str] = []
    facts: dict[str, Any] = {"deals": len(deals)}
    taken = first.score_cards()[me] - position.score_cards[me]
    counts = first.counts()
    own = facts["hand"] = counts[me]
    facts["taken"] = taken
    facts["rival_hands"] = {q: counts[q] for q in range(players) if q != me}
    rivals = listing([str(counts[q % players]) for q in range(me + 1, me + players)])
    gain = f"You take {cards(taken)} and keep {own}" if taken else f"You are left with {cards(own)}"
    sentences.append(f"{gain}; {'the rival holds' if players == 2 else 'the others hold'} {rivals}.")
    kinds = kind(game, action)
    if kinds == "scout":
        best = _longest([top for top, _ in first.hand(me)])
        facts["best_set"] = best
        sentences.append(f"Your longest set is then {'-'.join(map(str, best))}.")
    if first.current_player() == me:
        sentences.append("You go on at once.")
    else:
        sentences += _challenge(position, first, deals, facts)
    sentences += _rest_of_round(position, deals, rng, facts)
    return Told(sentences, facts)


def _challenge(position: Any, first: Any, deals: Sequence[Any], facts: dict[str, Any]) -> list[str]:
    """Who could beat the table as it lies in `first` and all others, in turn order."""
    me, players = position.player, position.game.players
    table, owner = first.active_set(), first.owner()
    if not table:
        following = first.current_player()
        who = seat_words(following, me, players)
        return [f"The table is empty then: {who} may Show anything."]
    rows = []
    for q in ((me + i) % players for i in range(1, players)):
        if q == owner:
            break  # what comes round to its owner was beaten by nobody, and ends the round
        by_show = by_both = 0
        for deal in deals:
            if deal.round_results():
                continue  # nobody could
            both = players > 2 and deal.scout_and_show_left()[q]
            show, scouted = could_beat([top for top, _ in deal.hand(q)], table, both)
            by_show += show
            by_both += scouted
        rows.append({"seat": q, "show": by_show / len(deals), "scout_and_show": by_both / len(deals)})
    facts["set"] = [top for top, _ in table]
    facts["can_beat"] = rows
    if not rows:
        return []
    whose = "your" if owner == me else "the rival's" if players == 2 else f"seat {owner}'s"
    name = f"{whose} {'-'.join(map(str, facts['set']))}"
    shares = [row["show"] + row["scout_and_show"] for row in rows]
    seats = [seat_words(row["seat"], me, players) for row in rows]
    if min(shares) >= _NEARLY and len(rows) > 1:
        often = "every deal" if min(shares) == 1 else f"{percent(min(shares))} of the deals or more"
        return [f"Any of the next {len(rows)} can beat {name}, each in {often}."]
    if not max(shares):
        return [f"Nobody can beat {name} in any of the deals."]
    parts = [f"{seat} in {percent(share)}" for seat, share in zip(seats, shares, strict=True)]
    return [f"Who can beat {name} as it lies: {listing(parts)} of the deals."]


def _rest_of_round(position: Any, deals: Sequence[Any], rng: Rng, facts: dict[str, Any]) -> list[str]:
    """Play on up to the own next turn, and count how that ends."""
    me, players = position.player, position.game.players
    ends: Counter[str] = Counter()
    unbeaten = 0
    for deal in deals:
        state = deal.clone()
        others, shown = False, False
        while not state.round_results() and not state.is_terminal():
            mover = state.current_player()
            if mover == me and others:
                break
            others = others or mover != me
            action = state.policy_action(rng)
            shown = shown or (mover != me and position.game.decode(action)[0] != "scout")
            state.apply_action(action)
        unbeaten += not shown
        if results := state.round_results():
            reason, exempt = results[0].reason, results[0].exempt
            if reason == "scouted_out":
                ends["unbeaten" if exempt == me else "other_set"] += 1
            else:
                ends[reason] += 1
    n = len(deals)
    facts["unbeaten"] = unbeaten / n
    facts["round_ends"] = {name: count / n for name, count in ends.items()}
    total = sum(ends.values())
    if not total:
        return ["The round goes on to your next turn in all deals played on."]
    nobody = "the rival cannot beat your set" if players == 2 else "nobody beats your set"
    other = "another's set stands" if players > 2 else "you cannot beat the rival's set"
    causes = {
        "unbeaten": f"{nobody} (your hand then costs nothing)",
        "other_set": other,
        "empty_hand": "a hand is empty",
        "max_turns": "the last turn is played",
    }
    parts = [f"{percent(ends[name] / n)} because {why}" for name, why in causes.items() if ends[name]]
    if len(parts) == 1:
        parts = [parts[0].partition("because ")[2]]
    return [f"The round ends before your next turn in {percent(total / n)}: {listing(parts)}."]


def _end(position: Any, deals: Sequence[Any]) -> Told:
    """The action ends the round at once."""
    me, first = position.player, deals[0]
    scores = [deal.round_results()[0].scores for deal in deals]
    mean = [sum(row[q] for row in scores) / len(scores) for q in range(len(scores[0]))]
    exempt = first.round_results()[0].exempt
    others = listing([f"{mean[q]:.0f}" for q in range(len(mean)) if q != me])
    # where others have nothing left to lose the deal does not matter
    facts: dict[str, Any] = {"deals": len(deals) * (len(set(scores)) > 1)}
    facts |= {"round_ends": {first.round_results()[0].reason: 1.0}, "scores": mean}
    why = {"empty_hand": "Your hand is empty", "scouted_out": "Nobody beat the set on the table"}
    sentences = [f"{why.get(first.round_results()[0].reason, 'The last turn is played')}: the round ends at once."]
    extra = "" if exempt is None or exempt == me else f" (seat {exempt} loses nothing for its hand)"
    sentences.append(f"You score {mean[me]:.0f} in it, the other{'s' if len(mean) > 2 else ''} {others}{extra}.")
    return Told(sentences, facts)


def _longest(tops: Sequence[int]) -> list[int]:
    """The strongest set of a row."""
    found = strongest(tops, ())
    return [] if found is None else list(tops[found[0] : found[0] + found[1]])


def _sets(tops: Sequence[int]) -> list[list[int]]:
    """Sets of two cards or more that a row falls into: the strongest, then those to its left and right."""
    found = strongest(tops, ())
    if found is None or found[1] < 2:
        return []
    start, length = found
    return [*_sets(tops[:start]), list(tops[start : start + length]), *_sets(tops[start + length :])]


def _sides(position: Any) -> Told:
    """Keep or turn: what the hand holds either way round."""
    sentences: list[str] = []
    facts: dict[str, Any] = {}
    worth: dict[str, float] = {}
    for name, side in (("kept", 0), ("turned", 1)):
        sets = _sets([card[side] for card in position.hand])
        if side:
            sets = [part[::-1] for part in reversed(sets)]  # turning a row reverses it
        whole = position.sample(0)
        whole.apply_action(position.game.turn if side else position.game.keep)
        worth[name] = whole.position(position.player).hand_worth()
        held = sum(map(len, sets))
        facts[name] = sets
        words = listing(["-".join(map(str, part)) for part in sets]) if sets else "no set of two"
        singles = len(position.hand) - held
        sentences.append(f"{name.capitalize()}, it has {words}; {cards(singles)} stand{'s' * (singles < 2)} alone.")
    facts["worth"] = worth
    gap = worth["turned"] - worth["kept"]
    better = "turned" if gap > 0 else "kept"
    sentences.append(f"Cut into sets, it is worth about {abs(gap):.1f} points more {better}, as planning counts.")
    return Told(sentences, facts)
