"""The walk that makes a `Tree` of a game: every history once, checked on the way, into arrays."""

from __future__ import annotations

import operator
import os
import sys
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver._policy_games import describe, turn_based
from solver._protocol_checks import LONGEST, checked_players, endless, listed, names_nonsense
from solver.archive import plain
from solver.errors import CompileError, GameError
from solver.protocol import CHANCE_PLAYER, TERMINAL_PLAYER, offers
from solver.tree import Floats, Ints, Nodes, Size, Tree, Treeplex

__all__ = ["MAX_BYTES", "compile_game"]

MAX_BYTES = 8 << 30
_SUM_TOLERANCE = 1e-9
_SHOWN = 40  # moves of a history that an error tells
_WATCH = 4096  # nodes between two looks at the memory used
_MOST = 2**31 - 1  # they are numbered by 32 bits
_LARGEST = 1e200  # pay-offs beyond it, or all below its inverse, would overflow on the way


class _Infoset:
    """An information state while the game is walked."""

    __slots__ = ("actions", "count", "first", "node", "number", "parent", "text")

    def __init__(self, number: int, first: int, parent: int, actions: list[int], node: int, text: str) -> None:
        self.number = number
        self.first = first
        self.parent = parent
        self.actions = actions
        self.count = len(actions)
        self.node = node
        self.text = text


@names_nonsense
def compile_game(game: Any, max_bytes: int | None = None, progress: Callable[[Size], None] | None = None) -> Tree:
    """Walk a game once, into arrays.

    Parameters
    ----------
    game : Game
        Any game of `solver.protocol`: one of ours, your own class, or an OpenSpiel game object. A
        simultaneous-move game of OpenSpiel is converted to a turn-based one.
    max_bytes : int, optional
        The walk stops as soon as the game is known to need more; by default 8 GiB, or half of the machine's
        memory if that is less.
    progress : callable, optional
        Called with the `Size` so far every few thousand nodes, and with the final one before the arrays
        are made.

    Returns
    -------
    Tree

    Raises
    ------
    CompileError
        If the game needs more than `max_bytes`; is not of perfect recall; has other legal actions in
        another history of an information state; has chance probabilities that are negative or do not
        sum to 1; has pay-offs that are not finite; or is a game of OpenSpiel that draws by itself.
    """
    if isinstance(game, type):
        raise CompileError(f"a game is an object of its class: {game.__name__}(), not {game.__name__}")
    if progress is not None and not callable(progress):
        raise CompileError(f"progress is something to call, not {progress!r}")
    if not hasattr(game, "new_initial_state"):
        raise CompileError(f"a game has new_initial_state() (see solver.protocol); {type(game).__name__} has not")
    if "SAMPLED" in str(getattr(game.get_type(), "chance_mode", "") if hasattr(game, "get_type") else ""):
        raise CompileError(
            f"{game} draws by itself (sampled chance): only games with chance nodes can be compiled", draws=True
        )
    try:
        told = plain(describe(game))
    except Exception as error:
        raise CompileError(
            f"{type(game).__name__} tells no name: a game has __str__, or get_parameters; and its rules_version is "
            f"text or a number ({error})"
        ) from error
    walk = _Walk(turn_based(game), told, max_bytes if max_bytes is not None else default_bytes(), progress)
    walk.run()
    return walk.tree()


def default_bytes() -> int:
    """`MAX_BYTES`, or half of the machine's memory if that is less."""
    try:
        return min(MAX_BYTES, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
    except (AttributeError, ValueError, OSError):
        return MAX_BYTES  # a system that does not tell


class _Frame:
    """A node whose children are being walked, one by one: a chance node may have more than fit into memory."""

    __slots__ = ("actions", "chances", "deal", "depth", "first", "next", "node", "player", "sequences", "state")

    def __init__(
        self,
        state: Any,
        node: int,
        depth: int,
        player: int,
        actions: list[int],
        chances: list[float] | None,
        deal: float,
        sequences: tuple[int, ...],
        first: int,
    ) -> None:
        self.state, self.node, self.depth, self.player = state, node, depth, player
        self.actions, self.chances, self.next = actions, chances, 0
        self.deal, self.sequences, self.first = deal, sequences, first


class _Walk:
    """One walk over a game, in the order of depth first."""

    def __init__(
        self, game: Any, told: dict[str, Any], max_bytes: int, progress: Callable[[Size], None] | None
    ) -> None:
        self.game = game
        self.told = told
        self.max_bytes = max_bytes
        self.progress = progress
        self.players = checked_players(game, CompileError)
        self.known: list[dict[Any, _Infoset]] = [{} for _ in range(self.players)]
        self.sequences = [1] * self.players
        self.characters = 0
        # by node, in the order they are met
        self.player = array("b")
        self.infoset = array("i")
        self.parent = array("i")
        self.depth = array("i")
        self.action = array("i")
        self.chance = array("d")
        # by terminal: its sequences, one a player; the chance of its deal; pay-offs
        self.leaf_sequences = array("i")
        self.leaf_chance = array("d")
        self.returns = array("d")

    def size(self) -> Size:
        """The size so far."""
        nodes, leaves, n = len(self.player), len(self.leaf_chance), self.players
        infosets = sum(len(known) for known in self.known)
        sequences = sum(self.sequences)
        # what the walk holds, with the objects of its information states; and then the arrays
        walked = nodes * 25 + leaves * (12 * n + 8) + infosets * 330 + self.characters
        made = nodes * 33 + leaves * 8 * n + sequences * 20 + infosets * 16
        # entries of the matrices before equal pairs are added up, with what it takes to add them up
        made += leaves * n * (12 + (4 * n if n > 2 else 0)) + leaves * 32
        solver = sequences * 8 * 4 + infosets * 8 + (leaves * n * 8 if n > 2 else 0)
        return Size(nodes, leaves, infosets, sequences, walked + made + solver)

    def watch(self) -> None:
        """Stop a game that is too large; report how far the walk is."""
        size = self.size()
        if size.nodes >= _MOST - _WATCH or size.sequences >= _MOST:
            raise CompileError(f"{self.game} has more than {_MOST:,} nodes or sequences", too_large=True)
        if size.bytes > self.max_bytes:
            raise CompileError(
                f"{self.game} is too large to compile: at {size.nodes:,} nodes and {size.infosets:,} information "
                f"states it needs {size.bytes:,} bytes, more than max_bytes = {self.max_bytes:,}; "
                "solve it by sampling (method external or outcome), or give a greater max_bytes",
                too_large=True,
            )
        if self.progress is not None:
            self.progress(size)

    def path(self, node: int) -> str:
        """The history of a node, to be named in an error."""
        actions: list[object] = []
        while self.parent[node] >= 0:
            actions.append(self.action[node])
            node = self.parent[node]
        if len(actions) > _SHOWN:
            actions[_SHOWN // 2 : -_SHOWN // 2] = ["..."]
        return " ".join(map(str, reversed(actions))) or "(start)"

    def run(self) -> None:
        """Walk everything."""
        parent, action = -1, -1
        try:
            frames: list[_Frame] = []
            self.visit(frames, self.start(), -1, 0, -1, 1.0, 1.0, (0,) * self.players)
            while frames:
                frame = frames[-1]
                k = frame.next
                if k == len(frame.actions):
                    frames.pop()
                    continue
                frame.next = k + 1
                parent, action = frame.node, frame.actions[k]
                state = frame.state.child(action)
                if state is frame.state:
                    raise CompileError(
                        f"history {self.path(parent)}: child({action}) gives the state itself, not a new one"
                    )
                chances, p = frame.chances, frame.player
                if chances is None:
                    sequences = (*frame.sequences[:p], frame.first + k, *frame.sequences[p + 1 :])
                    self.visit(frames, state, parent, frame.depth, action, 1.0, frame.deal, sequences)
                else:
                    chance = chances[k]
                    self.visit(frames, state, parent, frame.depth, action, chance, frame.deal * chance, frame.sequences)
        except Exception as error:
            if isinstance(error, (CompileError, GameError)):
                raise
            where = "(start)" if parent < 0 else f"{self.path(parent)} {action}".removeprefix("(start) ")
            if type(error).__name__ == "SpielError":
                raise CompileError(f"{self.told['game']}, at history {where}: OpenSpiel says: {error}") from error
            error.add_note(f"met while compiling {self.told['game']}, at history {where}")
            raise
        self.watch()

    def visit(
        self,
        frames: list[_Frame],
        state: Any,
        parent: int,
        depth: int,
        action: int,
        chance: float,
        deal: float,
        sequences: tuple[int, ...],
    ) -> None:
        """Write a node down; open a frame for its children."""
        node = len(self.player)
        if depth > LONGEST:
            raise endless(self.game)
        if node % _WATCH == _WATCH - 1:
            self.watch()
        player = state.current_player()
        self.parent.append(parent)
        self.depth.append(depth)
        self.action.append(action)
        self.chance.append(chance)
        self.player.append(player if -4 <= player < self.players else -5)
        if player >= 0:
            found = self.enter(state, node, player, sequences)
            self.infoset.append(found.number)
            frames.append(_Frame(state, node, depth + 1, player, found.actions, None, deal, sequences, found.first))
        elif player == TERMINAL_PLAYER:
            self.infoset.append(len(self.leaf_chance))
            self.leave(state, node, deal, sequences)
        elif player == CHANCE_PLAYER:
            self.infoset.append(-1)
            outcomes = self.outcomes(state, node)
            frames.append(
                _Frame(
                    state,
                    node,
                    depth + 1,
                    player,
                    [a for a, _ in outcomes],
                    [p for _, p in outcomes],
                    deal,
                    sequences,
                    0,
                )
            )
        else:
            raise CompileError(
                f"history {self.path(node)}: player {player} moves, which is neither a seat of "
                f"0..{self.players - 1}, chance ({CHANCE_PLAYER}) nor the end ({TERMINAL_PLAYER})"
            )

    def start(self) -> Any:
        """The first state; a game may have another kind for walks, without what a walk does not ask for."""
        return self.game.new_walk() if offers(self.game, "new_walk") else self.game.new_initial_state()

    def enter(self, state: Any, node: int, player: int, sequences: tuple[int, ...]) -> _Infoset:
        """The information state of a decision, new or checked against its other histories."""
        if player >= self.players:
            raise CompileError(f"history {self.path(node)}: seat {player} moves, seats are 0..{self.players - 1}")
        keyed = offers(state, "information_state_key")
        key = state.information_state_key(player) if keyed else state.information_state_string(player)
        actions = state.legal_actions()
        if type(actions) is not list:
            actions = listed(actions, "legal actions")
        known = self.known[player]
        found = known.get(key)
        if found is None:
            try:
                actions = [operator.index(a) for a in actions]
            except TypeError as error:
                raise CompileError(
                    f"history {self.path(node)}: legal actions are whole numbers, not {actions}"
                ) from error
            if not actions or any(a >= b for a, b in pairwise(actions)) or not 0 <= actions[0] <= actions[-1] < 1 << 31:
                raise CompileError(
                    f"history {self.path(node)}: legal actions are one or more, ascending, in 0..2**31-1, not {actions}"
                )
            text = state.information_state_string(player) if keyed else key
            if not isinstance(text, str):
                raise CompileError(
                    f"history {self.path(node)}: an information state string is a str, not {type(text).__name__}"
                )
            try:
                text.encode()
            except UnicodeEncodeError as error:
                raise CompileError(
                    f"history {self.path(node)}: the information state string {text!r} is no valid Unicode"
                ) from error
            found = _Infoset(len(known), self.sequences[player], sequences[player], actions, node, text)
            known[key] = found
            self.sequences[player] += found.count
            self.characters += sys.getsizeof(text)
            return found
        if actions != found.actions:
            raise CompileError(
                f"information state {found.text!r} of seat {player}: legal actions are {actions} after history "
                f"{self.path(node)} but {found.actions} after {self.path(found.node)}"
            )
        if sequences[player] != found.parent:
            raise CompileError(
                f"information state {found.text!r} of seat {player} forgets: histories {self.path(node)} and "
                f"{self.path(found.node)} share it, though the seat knew or did other things on the way "
                "(no perfect recall)"
            )
        return found

    def leave(self, state: Any, node: int, deal: float, sequences: tuple[int, ...]) -> None:
        """An end of the game."""
        returns = state.returns()
        if isinstance(returns, Mapping):
            raise CompileError(f"history {self.path(node)}: pay-offs are a sequence by seat, not {returns!r}")
        if len(returns) != self.players:
            raise CompileError(f"history {self.path(node)}: {len(returns)} pay-offs for {self.players} players")
        try:
            self.returns.extend(returns)
        except (TypeError, OverflowError) as error:
            raise CompileError(f"history {self.path(node)}: pay-offs are {returns!r}, not numbers") from error
        self.leaf_chance.append(deal)
        self.leaf_sequences.extend(sequences)

    def outcomes(self, state: Any, node: int) -> list[tuple[int, float]]:
        """Chance outcomes, checked; without those that cannot happen."""
        outcomes = []
        total = 0.0
        known: set[int] = set()
        for a, p in state.chance_outcomes():
            try:
                a, p = operator.index(a), float(p)
            except (TypeError, ValueError) as error:
                raise CompileError(
                    f"history {self.path(node)}: a chance outcome is a whole number and a probability, not {a!r}, {p!r}"
                ) from error
            if not len(known) % _WATCH and 200 * len(known) > self.max_bytes:
                raise CompileError(
                    f"history {self.path(node)}: {len(known):,} chance outcomes and more need more than max_bytes = "
                    f"{self.max_bytes:,} bytes",
                    too_large=True,
                )
            if not 0 <= p <= 1 + _SUM_TOLERANCE:
                raise CompileError(f"history {self.path(node)}: chance outcome {a} has probability {p}")
            if a in known or not 0 <= a < 1 << 31:
                raise CompileError(
                    f"history {self.path(node)}: chance outcome {a} stands there twice"
                    if a in known
                    else f"history {self.path(node)}: a chance outcome lies in 0..2**31-1, not {a}"
                )
            known.add(a)
            total += p
            if p > 0:
                outcomes.append((a, p))
        if abs(total - 1) > _SUM_TOLERANCE:
            raise CompileError(f"history {self.path(node)}: chance probabilities sum to {total}, not 1")
        return outcomes

    def tree(self) -> Tree:
        """The arrays of what was walked."""
        size = self.size()
        players = self.players
        returns = np.frombuffer(self.returns, dtype=np.float64).reshape(-1, players).copy()
        bad = np.flatnonzero(~np.isfinite(returns).all(axis=1))
        if len(bad):
            node = int(np.flatnonzero(np.frombuffer(self.player, dtype=np.int8) == TERMINAL_PLAYER)[bad[0]])
            raise CompileError(f"history {self.path(node)}: pay-offs are {returns[bad[0]].tolist()}, not finite")
        scale = float(np.abs(returns).max())
        if scale > _LARGEST or 0 < scale < 1 / _LARGEST:
            raise CompileError(
                f"the greatest pay-off is {scale:g}: scale the pay-offs into {1 / _LARGEST:g}..{_LARGEST:g}"
            )
        orders = [_order(known, count) for known, count in zip(self.known, self.sequences, strict=True)]
        leaves = np.frombuffer(self.leaf_sequences, dtype=np.int32).reshape(-1, players)
        ends = np.stack([orders[p].sequence[leaves[:, p]] for p in range(players)], axis=1)
        chance = np.frombuffer(self.leaf_chance, dtype=np.float64)
        treeplexes = tuple(
            _treeplex(orders[p], *_matrix(p, ends, returns[:, p] * chance, self.sequences)) for p in range(players)
        )
        return Tree(self.game, self.told, size, treeplexes, self._nodes(orders, returns))

    def _nodes(self, orders: list[_Order], returns: Floats) -> Nodes:
        """The nodes by level; stable sorting by depth keeps the children of a node side by side."""
        depth = np.frombuffer(self.depth, dtype=np.int32)
        order = np.argsort(depth, kind="stable")
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        player = np.frombuffer(self.player, dtype=np.int8)[order]
        infoset = np.frombuffer(self.infoset, dtype=np.int32)[order]
        for p, each in enumerate(orders):
            mine = player == p
            infoset[mine] = each.infoset[infoset[mine]]
        parent = np.frombuffer(self.parent, dtype=np.int32)[order]
        parent[1:] = place[parent[1:]]
        count = np.bincount(parent[1:], minlength=len(order)).astype(np.int32)
        child = np.ones(len(order), dtype=np.int32)
        child[1:] += np.cumsum(count[:-1], dtype=np.int32)
        return Nodes(
            player,
            infoset,
            parent,
            child,
            count,
            np.frombuffer(self.action, dtype=np.int32)[order],
            np.frombuffer(self.chance, dtype=np.float64)[order],
            returns,
        )


@dataclass(frozen=True, eq=False)
class _Order:
    """From the order in which information states and sequences of a player were met to that of its treeplex."""

    first: Ints
    parent: Ints
    level: Ints
    actions: Ints
    texts: list[str]
    infoset: Ints  # where the information state met i-th has gone
    sequence: Ints  # where the sequence met i-th has gone


def _order(known: dict[Any, _Infoset], num_sequences: int) -> _Order:
    """Sort information states by level and then by parent sequence."""
    n = len(known)
    met = list(known.values())
    count = np.array([each.count for each in met], dtype=np.int32)
    start = np.array([each.first for each in met], dtype=np.int32)
    parent = np.array([each.parent for each in met], dtype=np.int32)
    actions = np.array([a for each in met for a in each.actions], dtype=np.int32)  # by sequence met, without the empty
    # an information state is met after the one that its parent sequence belongs to
    owners = np.repeat(np.arange(n, dtype=np.int32), count).tolist()
    depths = [0] * n
    for i, before in enumerate(parent.tolist()):
        if before:
            depths[i] = depths[owners[before - 1]] + 1
    depth = np.array(depths, dtype=np.int32)
    by_depth = np.argsort(depth, kind="stable")
    bounds = np.searchsorted(depth[by_depth], np.arange(int(depth.max()) + 2 if n else 1))
    infoset = np.empty(n, dtype=np.int32)
    sequence = np.zeros(num_sequences, dtype=np.int32)
    first = np.empty(n + 1, dtype=np.int32)
    new_parent = np.empty(n, dtype=np.int32)
    level = [0]
    ordered = np.empty(n, dtype=np.int32)
    done, next_sequence = 0, 1
    for lo, hi in pairwise(bounds.tolist()):
        here = by_depth[lo:hi]
        here = here[np.argsort(sequence[parent[here]], kind="stable")]
        ends = next_sequence + np.cumsum(count[here])
        begins = ends - count[here]
        places = np.arange(done, done + len(here))
        infoset[here] = places
        ordered[places] = here
        first[places] = begins
        new_parent[places] = sequence[parent[here]]
        within = np.arange(int(count[here].sum())) - np.repeat(begins - next_sequence, count[here])
        sequence[np.repeat(start[here], count[here]) + within] = np.repeat(begins, count[here]) + within
        done += len(here)
        next_sequence = int(ends[-1])
        level.append(done)
    first[n] = num_sequences
    new_actions = np.full(num_sequences, -1, dtype=np.int32)
    new_actions[sequence[1:]] = actions
    texts = [each.text for each in met]
    return _Order(
        first,
        new_parent,
        np.array(level, dtype=np.int32),
        new_actions,
        [texts[i] for i in ordered.tolist()],
        infoset,
        sequence,
    )


def _matrix(
    player: int, ends: Ints, weights: Floats, sequences: list[int]
) -> tuple[NDArray[np.int64], Ints, Floats, Ints]:
    """Pay-offs by own sequence and by the others' sequences: rows, columns, entries, joint sequences."""
    players = ends.shape[1]
    others = [p for p in range(players) if p != player]
    if players == 2:
        joint = np.arange(sequences[others[0]], dtype=np.int32)[:, None]
        column = ends[:, others[0]].astype(np.int64)
    elif players == 1:
        joint = np.zeros((1, 0), dtype=np.int32)
        column = np.zeros(len(ends), dtype=np.int64)
    else:
        # the tuples that occur, numbered; one rival after the other, so that keys stay small
        column = ends[:, others[0]].astype(np.int64)
        for other in others[1:]:
            _, column = np.unique(column * sequences[other] + ends[:, other], return_inverse=True)
        _, firsts = np.unique(column, return_index=True)
        joint = np.ascontiguousarray(ends[firsts][:, others], dtype=np.int32)
    width = len(joint)
    if width > _MOST:
        raise CompileError(f"the game has more than {_MOST:,} combinations of sequences", too_large=True)
    keys, index = np.unique(ends[:, player].astype(np.int64) * width + column, return_inverse=True)
    entries = np.bincount(index, weights=weights, minlength=len(keys))
    kept = entries != 0
    keys, entries = keys[kept], entries[kept]
    rows = np.searchsorted(keys, np.arange(sequences[player] + 1, dtype=np.int64) * width)
    return rows.astype(np.int64), (keys % width).astype(np.int32), entries, joint


def _treeplex(order: _Order, rows: NDArray[np.int64], columns: Ints, payoffs: Floats, joint: Ints) -> Treeplex:
    child = np.searchsorted(order.parent, np.arange(len(order.actions) + 1)).astype(np.int32)
    return Treeplex(
        order.first,
        order.parent,
        child,
        order.level,
        order.actions,
        order.texts,
        rows,
        columns,
        payoffs,
        joint,
    )
