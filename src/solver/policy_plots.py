"""Pictures of policies: a heat map for the bidding duel, a tree for Kuhn poker. Used by `solver policy plot`.

Needs matplotlib, the extra ``plot``; the look is that of `solver.plots`.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from solver import duel, plots
from solver.errors import ArgumentError
from solver.games import kuhn
from solver.policy import PolicyTable

__all__ = ["PICTURES", "draw", "draw_duel", "draw_kuhn"]

_MOST_PLAYERS = 3  # whose tree of bets can be read
_EDGE = "#888888"
_PALE = 0.5  # from this share on, letters on a colour are dark
_RARE = 1e-6  # what comes less often in a duel is left white: it is hardly computed


def draw(table: PolicyTable, path: str | os.PathLike[str]) -> None:
    """Draw a policy.

    Parameters
    ----------
    table : PolicyTable
        Of a game in `PICTURES`.
    path : path-like
        A ``.svg`` or ``.png``.

    Raises
    ------
    ArgumentError
        If there is no picture for this game, or none for so many players, or the suffix is another.
    PolicyError
        If the table lacks an information state that its own play leads to.
    MissingExtraError
        If matplotlib is not installed.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> from solver import cfr
    >>> draw(cfr.solve(kuhn.Game()).policy, "kuhn.svg")  # doctest: +SKIP
    """
    game = str(table.meta.get("game"))
    name = game.partition("(")[0]
    if name not in PICTURES:
        raise ArgumentError(
            f"there is no picture of a policy of {game}; there are pictures for {' and '.join(PICTURES)}"
        )
    PICTURES[name](table, path)


def draw_duel(policy: PolicyTable | duel.DuelPolicy | duel.Profile, path: str | os.PathLike[str]) -> None:
    """How a policy of the duel opens, and how often it doubts, by own sum: two heat maps.

    What `duel.profile` counts: all histories that the policy itself leads to. White is what comes less often than
    once in a million duels.

    Parameters
    ----------
    policy : PolicyTable, DuelPolicy or Profile
    path : path-like

    Raises
    ------
    ArgumentError
        If it is no policy of a duel, or the suffix is no figure's.
    PolicyError
        If a table lacks an information state that its own play leads to.
    MissingExtraError
        If matplotlib is not installed.
    OSError
        If the file cannot be written.
    """
    found = policy if isinstance(policy, duel.Profile) else duel.profile(policy)
    percent: dict[str, Any] = {"x": found.bids, "y": range(len(found.opening)), "low": 0, "high": 100}
    doubting = np.where(found.facing >= _RARE, found.doubting, np.nan)
    with plots.figure(path, 1, 2, width=10, height=4.4, sharey=True) as (_, (left, right)):
        plots.heatmap(left, 100 * found.opening, label="chance to open with this bid (%)", **percent)
        left.set(title="Opening", xlabel="bid", ylabel="own sum")
        plots.heatmap(right, 100 * doubting, label="chance to doubt rather than to raise (%)", **percent)
        right.set(title="Answering", xlabel="the rival's bid")


def draw_kuhn(table: PolicyTable, path: str | os.PathLike[str]) -> None:
    """The tree of bets of Kuhn poker, and in each place how often each card bets.

    Parameters
    ----------
    table : PolicyTable
        For 2 or 3 players.
    path : path-like

    Raises
    ------
    ArgumentError
        If there are more players, or the suffix is no figure's.
    PolicyError
        If the table lacks an information state.
    MissingExtraError
        If matplotlib is not installed.
    OSError
        If the file cannot be written.
    """
    game = kuhn.load(str(table.meta.get("game")))
    players = game.num_players()
    if players > _MOST_PLAYERS:
        raise ArgumentError(f"the tree of bets is drawn for up to {_MOST_PLAYERS} players, not for {players}")
    dealt = game.new_initial_state()
    for card in range(players):
        dealt.apply_action(card)
    rows, ends = _bets(dealt, 0)
    deepest = max(depth for _, _, depth, _ in rows) + 1
    shares = {
        bets: [table.action_probabilities(f"{card}{bets}", seat)[1] for card in range(players + 1)]
        for bets, _, _, seat in rows
        if seat >= 0
    }
    with plots.figure(path, width=2.0 + 0.85 * ends, height=0.5 + 1.1 * deepest) as (figure, axes):
        colours = figure.colorbar(
            _scale(figure, axes), ax=axes, label="chance to bet with this card (%)", shrink=0.7
        ).mappable
        _tree(axes, rows, shares, colours, players)
        axes.set(xlim=(-0.8, ends - 0.4), ylim=(0.8 - deepest, 0.35))
        axes.set_axis_off()


_Place = tuple[str, float, int, int]  # bets, place from the left, depth, seat to decide or -4


def _bets(state: kuhn.State, left: int) -> tuple[list[_Place], int]:
    """The places of a tree of bets, its root first, each over the middle of what follows; ends from the left so far."""
    words = "".join("pb"[bet] for bet in state.bets)
    depth = len(words)
    if state.is_terminal():
        return [(words, float(left), depth, state.current_player())], left + 1
    below: list[_Place] = []
    middle = 0.0
    for action in state.legal_actions():
        branch, left = _bets(state.child(action), left)
        middle += branch[0][1] / 2
        below += branch
    return [(words, middle, depth, state.current_player()), *below], left


def _scale(figure: Any, axes: Any) -> Any:
    """Colours of 0 to 100 %."""
    image = axes.imshow([[0.0, 100.0]], cmap=plots.SEQUENTIAL, vmin=0, vmax=100, visible=False, aspect="auto")
    return image


def _tree(axes: Any, rows: list[_Place], shares: Mapping[str, list[float]], colours: Any, players: int) -> None:
    """Lines with what is played, and in each place a cell for each card."""
    at = {bets: (x, -depth) for bets, x, depth, _ in rows}
    width = 1.2 / (players + 1)
    for bets, x, depth, seat in rows:
        if bets:
            (x0, y0), word = at[bets[:-1]], "bet" if bets[-1] == "b" else "pass"
            axes.plot([x0, x], [y0, -depth], color=_EDGE, linewidth=1, zorder=1)
            put = {"ha": "center", "va": "center", "fontsize": 8, "color": _EDGE, "zorder": 2}
            axes.text((x0 + x) / 2, y0 - 0.5, word, backgroundcolor="white", **put)
        if seat < 0:
            axes.plot([x], [-depth], marker="o", color=_EDGE, markersize=4, zorder=3)
            continue
        left = x - width * (players + 1) / 2
        axes.bar(left, 0.17, 2 * (x - left), 0.1 - depth, align="edge", color="white", zorder=3)
        put = {"ha": "right", "va": "center", "zorder": 3}
        clear = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(left - 0.06, 0.18 - depth, f"seat {seat}, card", fontsize=8, bbox=clear, **put)
        for card, share in enumerate(shares[bets]):
            middle = left + (card + 0.5) * width
            axes.bar(middle, 0.3, width, -0.2 - depth, color=colours.cmap(share), edgecolor="white", zorder=3)
            put = {"ha": "center", "va": "center", "zorder": 4}
            axes.text(middle, 0.18 - depth, str(card), fontsize=8, **put)
            dark = "black" if share > _PALE else "white"
            axes.text(middle, -0.05 - depth, f"{100 * share:.0f}", fontsize=9, color=dark, **put)


PICTURES: Mapping[str, Callable[[PolicyTable, str | os.PathLike[str]], None]] = MappingProxyType(
    {"duel": draw_duel, "kuhn": draw_kuhn}
)
