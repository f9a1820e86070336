"""What a notebook shows: drawings in SVG and plain tables, with nothing from outside and every text escaped.

Text takes the colour of the page (`currentColor`), cards and bars have their own, so that both are read on
light and on dark pages. Everything is made from what `str` of the same object tells, so nothing hidden shows.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from typing import Any

__all__ = ["BLUE", "Drawing", "back", "bars", "card", "policy_table"]

BLUE, ORANGE, GREY = "#4a8fdb", "#e08a3c", "#8a8f98"
_PAPER, _INK, _EDGE = "#fbf7ec", "#20242b", "#a79f8a"
CARD_WIDTH, CARD_HEIGHT = 34, 48
_WORDS = 46  # characters of an action
_ROWS = 12  # actions of a search, rows of a policy
_ENTRIES = 6  # actions of a row


def cut(words: str, length: int) -> str:
    """A text, cut where it is too long."""
    return words if len(words) <= length else words[: length - 1] + "…"


class Drawing:
    """An SVG picture that grows downwards.

    Parameters
    ----------
    label : str
        What a screen reader says.
    width : int
        At least; what is drawn further right makes it wider.
    """

    def __init__(self, label: str, width: int = 320) -> None:
        self.label = label
        self.width = width
        self.height = 0.0
        self.parts: list[str] = []

    def text(
        self, x: float, y: float, words: str, size: int = 13, anchor: str = "start", weight: str = "normal", **more: str
    ) -> None:
        """Words with their base line at y."""
        if anchor == "start":
            self.reach(x + 0.62 * size * len(words), y + 4)
        options = "".join(f' {name}="{html.escape(value)}"' for name, value in more.items())
        fill = "" if "fill" in more else ' fill="currentColor"'
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" font-weight="{weight}"'
            f"{fill}{options}>{html.escape(words)}</text>"
        )

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, stroke: str = "none", r: int = 0
    ) -> None:
        """A rectangle, its corners rounded by r."""
        self.reach(x + width + 1, y + height + 1)
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{r}" '
            f'fill="{fill}" stroke="{stroke}"/>'
        )

    def line(self, x: float, y: float, other_x: float, other_y: float) -> None:
        """A thin line."""
        self.parts.append(f'<line x1="{x:g}" y1="{y:g}" x2="{other_x:g}" y2="{other_y:g}" stroke="{GREY}"/>')

    def reach(self, x: float, y: float) -> None:
        """Have room up to there."""
        self.width, self.height = max(self.width, math.ceil(x)), max(self.height, y)

    def heading(self, *lines: str) -> None:
        """Lines of text under what there is, the first bold."""
        for i, words in enumerate(lines):
            self.text(4, self.height + 17, words, 14 if i == 0 else 12, weight="normal" if i else "bold")

    def __str__(self) -> str:
        width, height = self.width + 4, math.ceil(self.height) + 4
        return (
            '<div style="max-width:100%;overflow-x:auto">'
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="{html.escape(self.label)}" font-family="system-ui,sans-serif" '
            f'style="color:inherit">{"".join(self.parts)}</svg></div>'
        )


def card(
    drawing: Drawing, x: float, y: float, number: str, small: str = "", edge: str = _EDGE, turn: bool = False
) -> None:
    """A card: its number in the upper half, a smaller one or a sign below; `turn` draws that upside down."""
    drawing.rect(x, y, CARD_WIDTH, CARD_HEIGHT, _PAPER, edge, 4)
    drawing.text(x + CARD_WIDTH / 2, y + (23 if small else 31), number, 20, "middle", "bold", fill=_INK)
    middle, low = x + CARD_WIDTH / 2, y + CARD_HEIGHT - 6
    if turn:
        drawing.text(middle, low, small, 12, "middle", fill="#6b6657", transform=f"rotate(180 {middle:g} {low - 4:g})")
    else:
        drawing.text(middle, low, small, 11, "middle", fill="#6b6657")


def back(drawing: Drawing, x: float, y: float, scale: float = 0.4) -> None:
    """A card seen from behind."""
    drawing.rect(x, y, CARD_WIDTH * scale, CARD_HEIGHT * scale, BLUE, "#2f5f97", 2)


def bars(
    title: str,
    rows: Sequence[tuple[str, float, str, float, float]],
    names: tuple[str, str],
    foot: Sequence[str],
    best: str,
) -> str:
    """Actions, each with two bars: how much it was chosen, and what it is worth.

    Parameters
    ----------
    title : str
    rows : sequence of (words, share, its text, value, standard error)
        Shares lie in 0..1; a value that is not known is nan.
    names : (str, str)
        What share and value are.
    foot : sequence of str
        Lines below.
    best : str
        The action to mark.
    """
    drawing = Drawing(title, 640)
    drawing.heading(title)
    shown = rows[:_ROWS]
    words = max([len(cut(row[0], _WORDS)) for row in shown], default=0)
    left = 20 + 7.6 * words
    share_width, value_width = 130, 150
    middle = left + share_width + 80
    values = [value for _, _, _, value, _ in shown if not math.isnan(value)]
    low, high = min([0.0, *values]), max([0.0, *values])
    unit = value_width / (high - low) if high > low else 0.0
    zero = middle - low * unit
    y = drawing.height + 20
    drawing.text(left, y, names[0], 11)
    if values:
        drawing.text(middle, y, names[1], 11)
    top = y + 6
    for i, (words_, share, share_text, value, stderr) in enumerate(shown):
        y = top + 22 * i
        drawing.text(4, y + 13, cut(words_, _WORDS), 13, weight="bold" if words_ == best else "normal")
        drawing.rect(left, y + 3, max(share * share_width, 0.5), 12, BLUE)
        drawing.text(left + share * share_width + 5, y + 13, share_text, 11)
        if math.isnan(value):
            if values:
                drawing.text(middle, y + 13, "-", 11)
            continue
        start, end = sorted((zero, zero + value * unit))
        drawing.rect(start, y + 3, max(end - start, 0.5), 12, ORANGE)
        around = "" if math.isnan(stderr) else f" ± {stderr:.3f}"
        drawing.text(middle + value_width + 8, y + 13, f"{value:+.3f}{around}", 11)
    if values:
        drawing.line(zero, top, zero, top + 22 * len(shown))
    drawing.reach(0, top + 22 * len(shown))
    more = [f"and {len(rows) - _ROWS} more actions"] if len(rows) > _ROWS else []
    for words_ in [*more, *foot]:
        drawing.text(4, drawing.height + 15, words_, 12)
    return str(drawing)


def policy_table(
    summary: str, meta: dict[str, Any], rows: Sequence[tuple[str, int, Sequence[tuple[int, float]]]]
) -> str:
    """A policy: what made it, and some information states with the probabilities of their actions.

    Parameters
    ----------
    summary : str
    meta : dict
    rows : sequence of (information state, seat, sequence of (action, probability))
    """
    told = "; ".join(f"{name} {cut(str(value), 60)}" for name, value in meta.items() if value is not None)
    cell = "text-align:left;vertical-align:top;padding:2px 10px 2px 0;background:none;color:inherit"
    lines = [
        '<div style="max-width:100%;overflow-x:auto;font-family:system-ui,sans-serif;color:inherit">',
        f"<div><b>{html.escape(summary)}</b></div>",
        f'<div style="font-size:12px">{html.escape(told)}</div>',
        '<table style="border-collapse:collapse;font-size:12px"><thead><tr>',
        *(f'<th style="{cell}">{name}</th>' for name in ("information state", "seat", "action: probability")),
        "</tr></thead><tbody>",
    ]
    for text, seat, chances in rows:
        shown = sorted(chances, key=lambda pair: -pair[1])[:_ENTRIES]
        said = "".join(
            f'<span style="display:inline-block;margin-right:10px">{action}: {chance:.3f} '
            f'<span style="display:inline-block;height:8px;width:{40 * chance:.0f}px;background:{BLUE}"></span></span>'
            for action, chance in shown
        ) + (f"and {len(chances) - _ENTRIES} more" if len(chances) > _ENTRIES else "")
        lines.append(
            f'<tr><td style="{cell};font-family:monospace">{html.escape(cut(text, 80))}</td>'
            f'<td style="{cell}">{seat}</td><td style="{cell}">{said}</td></tr>'
        )
    return "".join([*lines, "</tbody></table></div>"])
