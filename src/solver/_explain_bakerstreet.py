"""Baker Street in words, for `solver.explain`: the odds of a bid, who controls piles, letters at stake."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from solver._core import Rng
from solver._explain_text import Told, listing, percent
from solver.games import bakerstreet

__all__ = ["kind", "seen", "tell", "value"]

_LETTERS = "ABCDEFGHIJKLMNOPQRST"
_ROW = 7  # letters in a row win
_VERBS = {"place": "places", "bid": "bids", "doubt": "doubts", "choose_pile": "names a pile", "take": "takes a letter"}


def kind(game: Any, action: int) -> str:
    """Which kind of action it is."""
    return str(game.decode(action)[0]).replace("_", " ").replace("choose", "name")


def seen(game: Any, state: Any, action: int, others: bool) -> tuple[str, str]:
    """What the seat sees of an action: its kind and its words."""
    name = game.decode(action)[0]
    words = bakerstreet.action_words(game, action)
    if not others:
        return name, words
    if name == "take":
        return "takes", _VERBS[name]
    verb = _VERBS[name].partition(" ")[0]
    return verb, f"{verb} {words.partition(' ')[2]}".strip()


def value(state: Any, payoff: str, me: int) -> float:
    """A seat's pay-off, as a search reads it; before the end an estimate."""
    return float(state.estimated_returns()[me])


def tell(position: Any, action: int, deals: Sequence[Any], rng: Rng) -> Told:
    """What there is to say of an action.

    Parameters
    ----------
    position : bakerstreet.Position
    action : int
    deals : sequence of bakerstreet.State
        Full states that fit the position, after the action.
    rng : Rng
        For the play that goes on from them; they are not changed.
    """
    name, *what = position.game.decode(action)
    facts: dict[str, Any] = {}
    if name == "doubt":
        return _doubt(position, facts)
    if name == "choose_pile":
        return _named(position, what[0], facts)
    if name == "take":
        return _taken(position, what[0], facts)
    sentences = []
    if name == "place":
        sentences += _placed(position, what[2], deals[0], facts)
    else:
        odds = float(position.bid_odds()[what[0]])
        facts["bid_holds"] = odds
        sentences.append(f"Doubted at once, a bid of {what[0]} holds in {percent(odds)}.")
        sentences += _reply(deals, position.player, rng, facts)
    return Told(sentences, facts)


def _doubt(position: Any, facts: dict[str, Any]) -> Told:
    bid = position.bids[-1]
    odds = facts["bid_holds"] = float(position.bid_odds()[bid])
    own = facts["own_sum"] = sum(value for value, _ in position.hand)
    facts["doubt_won"] = 1 - odds
    needs = max(0, bid - own)
    why = f"you hold {own}, so the rival needs {needs} or more"
    if needs > 15:
        why += ", which three cards cannot make"
    sentences = [f"The bid of {bid} holds in {percent(odds)}: {why}."]
    sentences.append(f"So you win the doubt in {percent(1 - odds)}, counting every hand alike.")
    return Told(sentences, facts)


def _control(position: Any, stacks: Sequence[Any]) -> dict[str, list[int]]:
    """Piles by who would win them now, in a tie whoever wins the doubt."""
    me = position.player
    found: dict[str, list[int]] = {"you": [], "rival": [], "level": []}
    for pile, stack in enumerate(stacks):
        totals = bakerstreet.evaluate(stack).totals
        lead = totals[me] - totals[1 - me]
        found["you" if lead > 0 else "rival" if lead < 0 else "level"].append(pile)
    return found


def _stakes(position: Any, pile: int) -> str:
    """What is known of the letters of a pile, as it may matter to the own row."""
    letters = position.look(pile)
    if letters is None:
        return "you have never seen its letters"
    lacking = sorted({x for x in letters if x not in position.evidence}, key=lambda x: (-_gain(position, x), x))
    if not lacking:
        return "it holds no letter that you lack"
    return f"its letters that serve you best: {', '.join(lacking[:3])}"


def _gain(position: Any, letter: str) -> int:
    own = position.evidence
    return int(bakerstreet.evidence_worth(own + letter) - bakerstreet.evidence_worth(own))


def _placed(position: Any, pile: int, after: Any, facts: dict[str, Any]) -> list[str]:
    me = position.player
    totals = bakerstreet.evaluate(after.stack(pile)).totals
    facts["pile"] = {"pile": pile, "own": totals[me], "rival": totals[1 - me]}
    facts["stakes"] = _stakes(position, pile)
    control = facts["control"] = _control(position, [after.stack(i) for i in range(5)])
    parts = []
    for who, words in (("you", "you lead on"), ("rival", "the rival leads on"), ("level", "level:")):
        if piles := control[who]:
            parts.append(f"{words} {listing([str(pile) for pile in piles])}")
    return [
        f"Pile {pile} then stands {totals[me]} to {totals[1 - me]} for you and the rival; {facts['stakes']}.",
        f"Of the piles {'; '.join(parts)} (a level one goes to whoever wins the doubt).",
    ]


def _reply(deals: Sequence[Any], me: int, rng: Rng, facts: dict[str, Any]) -> list[str]:
    """How the rival answers a bid, and who wins where it doubts."""
    doubts = won = 0
    for deal in deals:
        if deal.current_player() == me or deal.is_terminal():
            continue
        action = deal.policy_action(rng)
        if action == deal.game.doubt:
            doubts += 1
            won += deal.child(action).doubt_winner() == me
    facts["deals"] = len(deals)
    facts["rival_doubts"] = doubts / len(deals)
    facts["doubt_won"] = won / doubts if doubts else None
    if not doubts:
        return ["The rival never doubts it at once."]
    share = percent(doubts / len(deals))
    return [f"The rival doubts it at once in {share}, and you win {percent(won / doubts)} of these doubts."]


def _named(position: Any, pile: int, facts: dict[str, Any]) -> Told:
    me = position.player
    found = bakerstreet.evaluate(position.stack(pile))
    own, rival = found.totals[me], found.totals[1 - me]
    wins = own >= rival  # whoever names a pile has won the doubt, and with it every tie
    facts |= {"pile": {"pile": pile, "own": own, "rival": rival}, "wins": wins, "stakes": _stakes(position, pile)}
    facts["arrow"] = found.arrow
    verdict = "you win it" if own > rival else "a tie, which is yours" if wins else "the rival wins it"
    sentences = [f"Pile {pile} stands {own} to {rival} for you and the rival: {verdict}."]
    if wins:
        sentences.append(f"What there is to take: {facts['stakes']}.")
    if found.arrow:
        sentences.append(f"An arrow leads on to pile {(pile + 1) % 5}.")
    return Told(sentences, facts)


def _taken(position: Any, letter: str, facts: dict[str, Any]) -> Told:
    own = "".join(sorted({*position.evidence, letter}))
    windows = [_LETTERS[i : i + _ROW] for i in range(len(_LETTERS) - _ROW + 1)]
    best = max(windows, key=lambda window: sum(x in own for x in window))
    have = [x for x in best if x in own]
    facts |= {"letters": own, "window": best, "have": len(have)}
    if len(have) == _ROW:
        return Told([f"{best} are seven in a row: you win."], facts)
    missing = ", ".join(x for x in best if x not in own)
    return Told([f"You then own {own}: {len(have)} of the seven {best[0]} to {best[-1]}, missing {missing}."], facts)
