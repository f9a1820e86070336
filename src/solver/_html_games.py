"""Positions of both card games for a notebook: what a seat knows, drawn. The cards of others are backs, and counted."""

from __future__ import annotations

from typing import Any

from solver._html import BLUE, CARD_HEIGHT, CARD_WIDTH, ORANGE, Drawing, back, card, cut

__all__ = ["bakerstreet", "scout"]

_STEP = CARD_WIDTH + 4
_LEFT = 66  # where cards begin
_PILES = 210  # where cards of piles begin
_IN_ROW = 16
_STACK = 9  # cards of a stack
_PHASES = {
    "choose": "to keep or turn the hand",
    "turn": "to play",
    "must_show": "to show after a Scout",
    "bid": "to bid",
    "choose_pile": "to name a pile",
    "take": "to take a letter",
}
_SIGNS = {None: "", "stop": "stop", "x2": "×2", "arrow": "→"}


def scout(position: Any) -> str:
    """A position of SCOUT."""
    own, mover = position.player, position.current_player()
    drawing = Drawing(f"position of {position.game}, seat {own}")
    who = "you are" if mover == own else f"seat {mover} is"
    drawing.heading(
        str(position.game), f"round {position.round + 1}, {who} {_PHASES.get(position.phase, position.phase)}"
    )
    for seat, count in enumerate(position.counts):
        y = drawing.height + 3
        name = f"seat {seat}" + (" (you)" if seat == own else "")
        drawing.text(4, y + 15, ("▸ " if seat == mover else "") + name, 12, weight="bold" if seat == own else "normal")
        back(drawing, 106, y)
        words = f"{count} cards · {position.chips[seat]} chips · {position.score_cards[seat]} score cards"
        if position.round:
            words += f" · {position.totals[seat]} points before"
        if position.scout_and_show_left[seat]:
            words += " · Scout & Show left"
        drawing.text(126, y + 15, words, 12)
        known = position.known.get(seat, ()) if seat != own else ()
        if known:
            said = ", ".join(f"{a}/{b}" + (f" at {place}" if place >= 0 else "") for (a, b), place in known)
            drawing.text(126, drawing.height + 13, cut(f"known to hold {said}", 90), 11)
    drawing.height += 8
    _row(drawing, "table", position.active_set, ORANGE)
    if position.owner is not None:
        drawing.text(4, drawing.height - CARD_HEIGHT + 32, f"of seat {position.owner}", 11)
    drawing.height += 6
    _row(drawing, "hand", position.hand, BLUE, places=True)
    return str(drawing)


def _row(drawing: Drawing, name: str, cards: Any, edge: str, places: bool = False) -> None:
    """Cards with both numbers, in rows; `places` are numbered from 0."""
    y = drawing.height
    drawing.text(4, y + 16, name, 12, weight="bold")
    if not cards:
        drawing.text(_LEFT, y + 16, "none", 12)
        drawing.reach(0, y + CARD_HEIGHT)
    for i, (top, bottom) in enumerate(cards):
        x, at = _LEFT + _STEP * (i % _IN_ROW), y + (CARD_HEIGHT + 18) * (i // _IN_ROW)
        card(drawing, x, at, str(top), str(bottom), edge, turn=True)
        if places:
            drawing.text(x + CARD_WIDTH / 2, at + CARD_HEIGHT + 12, str(i), 10, "middle")
            drawing.reach(0, at + CARD_HEIGHT + 14)


def bakerstreet(position: Any) -> str:
    """A position of Baker Street."""
    own, mover = position.player, position.current_player()
    drawing = Drawing(f"position of {position.game}, seat {own}")
    who = "you are" if mover == own else "the rival is"
    phase = "to place or doubt" if position.phase == "turn" else _PHASES.get(position.phase, position.phase)
    drawing.heading(str(position.game), f"round {position.rounds + 1}, you are seat {own}, {who} {phase}")
    drawing.text(4, drawing.height + 16, "bids " + (" ".join(map(str, position.bids)) or "none"), 12)
    wins = [letters for seat, _, letters in position.log if seat != own]
    seen = [letters if len(letters) == 1 else f"one of {letters}" for letters in wins if letters not in ("", "?", "-")]
    drawing.text(4, drawing.height + 14, f"your letters {position.evidence or 'none'}", 12)
    count = sum(1 for letters in wins if letters)
    drawing.text(4, drawing.height + 14, f"rival's letters {count}" + (f": {', '.join(seen)}" if seen else ""), 12)
    drawing.height += 8
    for pile in range(5):
        y = drawing.height + 2
        marked = position.pile == pile
        drawing.text(4, y + 14, f"pile {pile}", 12, weight="bold" if marked else "normal")
        drawing.text(4, y + 30, cut(position.about_pile(pile), 32), 10)
        stack = position.stack(pile)
        for i, (seat, value, sign) in enumerate(stack[:_STACK]):
            x = _PILES + _STEP * i
            card(drawing, x, y, str(value), _SIGNS.get(sign, str(sign)), BLUE if seat == own else ORANGE)
        if not stack:
            drawing.text(_PILES, y + 14, "no card", 11)
        if len(stack) > _STACK:
            drawing.text(_PILES + 4 + _STEP * _STACK, y + 28, f"and {len(stack) - _STACK} below", 11)
        drawing.reach(0, y + CARD_HEIGHT)
    drawing.text(_PILES, drawing.height + 14, "the top card first; edges: yours blue, the rival's orange", 10)
    drawing.height += 6
    y = drawing.height
    drawing.text(4, y + 16, "hand", 12, weight="bold")
    if not position.hand:
        drawing.text(_LEFT, y + 16, "none", 12)
    for i, (value, sign) in enumerate(position.hand):
        card(drawing, _LEFT + _STEP * i, y, str(value), _SIGNS.get(sign, str(sign)), BLUE)
    drawing.reach(0, y + CARD_HEIGHT + 6)
    y = drawing.height
    drawing.text(4, y + 16, "rival's", 12, weight="bold")
    hidden = position.rival_cards - len(position.rival_known)
    for i, (value, sign) in enumerate(position.rival_known):
        card(drawing, _LEFT + _STEP * i, y, str(value), _SIGNS.get(sign, str(sign)), ORANGE)
    for i in range(hidden):
        back(drawing, _LEFT + _STEP * len(position.rival_known) + 16 * i, y)
    drawing.text(_LEFT + _STEP * len(position.rival_known) + 16 * hidden + 6, y + 15, f"{hidden} hidden", 11)
    return str(drawing)
