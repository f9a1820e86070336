"""How good a policy is: exact best responses, NashConv and exploitability on compiled trees."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from solver import games
from solver._cfr import Table
from solver._core import whole
from solver._version import __version__
from solver.errors import ArgumentError
from solver.policy import PolicyTable
from solver.runs import positive
from solver.solution import table
from solver.tree import Size, Tree, TreePolicy
from solver.tree_walk import compile_game

__all__ = ["BestResponse", "best_response", "compile", "evaluator", "exploitability", "nash_conv"]


class BestResponse(NamedTuple):
    """The most that one player can get against the others.

    Attributes
    ----------
    value : float
        Its expected pay-off.
    policy : PolicyTable
        A pure policy that reaches it, for the player's own information states.
    """

    value: float
    policy: PolicyTable


def compile(  # noqa: A001 - the public name that the field uses
    game: Any, max_bytes: int | None = None, progress: Callable[[Size], None] | None = None
) -> Tree:
    """A game as arrays, for `solve`, `nash_conv`, `exploitability` and `best_response`.

    Parameters
    ----------
    game : Game or str or Tree
        Any game of `solver.protocol`, an OpenSpiel game object, or a game string of ours. A tree is
        given back as it is.
    max_bytes : int, optional
        A game that needs more is refused; by default 8 GiB, or half of the machine's memory.
    progress : callable, optional
        Called with the `Size` so far.

    Returns
    -------
    Tree

    Raises
    ------
    CompileError
        If the game is too large, forgets, or contradicts itself; the message names the history.
    """
    if isinstance(game, Tree):
        return game
    positive("max_bytes", max_bytes, int)
    return compile_game(games.load(game) if isinstance(game, str) else game, max_bytes, progress)


def evaluator(tree: Tree) -> Table:
    """The tree's table for evaluating policies, made once."""
    if tree.evaluator is None:
        tree.evaluator = Table(tree.treeplexes, learns=False)
    evaluator: Table = tree.evaluator
    return evaluator


def nash_conv(game: Any, policy: Any) -> float:
    """The sum over players of what each could gain by deviating alone; exact.

    Parameters
    ----------
    game : Game or Tree
        A tree saves compiling it anew.
    policy : TreePolicy, PolicyTable, Mapping or pyspiel policy
        It must cover every information state of every player.

    Returns
    -------
    float
        0 at a Nash equilibrium.

    Raises
    ------
    PolicyError
        If the policy lacks an information state or is none.
    CompileError
        If the game cannot be compiled.

    Examples
    --------
    >>> from solver import kuhn, policy
    >>> nash_conv(kuhn.Game(), policy.uniform(kuhn.Game()))
    0.9166666666666666
    """
    tree = compile(game)
    pairs = evaluator(tree).responses(tree.align(policy).probabilities)
    return math.fsum(best - value for best, value in pairs)


def exploitability(game: Any, policy: Any) -> float:
    """`nash_conv` divided by the number of players, as OpenSpiel defines it."""
    tree = compile(game)
    return nash_conv(tree, policy) / tree.num_players


def best_response(game: Any, policy: Any, player: int) -> BestResponse:
    """The best response of one player to the others' policies; exact.

    Parameters
    ----------
    game : Game or Tree
    policy : TreePolicy, PolicyTable, Mapping or pyspiel policy
        It must cover the information states of the other players.
    player : int

    Returns
    -------
    BestResponse

    Raises
    ------
    ArgumentError
        If there is no such player.
    PolicyError
        If the policy lacks an information state of another player.
    """
    tree = compile(game)
    seat = whole(player)
    if seat is None or not 0 <= seat < tree.num_players:
        raise ArgumentError(f"a seat lies in 0..{tree.num_players - 1}, not {player!r}")
    player = seat
    others = tuple(p for p in range(tree.num_players) if p != player)
    aligned = tree.align(policy, others)
    value, pure = evaluator(tree).best_response(player, aligned.probabilities)
    probabilities = list(aligned.probabilities)
    probabilities[player] = pure
    meta = tree.told | {"method": "best response", "player": player, "version": __version__}
    return BestResponse(value, table(TreePolicy(tree, tuple(probabilities)), meta, (player,)))
