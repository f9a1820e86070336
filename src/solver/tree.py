"""A whole game as arrays: what the exact solvers of `cfr` work on.

`solver.tree_walk` makes a `Tree` of a game. For each player it has a treeplex (information states in
order, each with the sequence that leads to it) and a sparse matrix of pay-offs: a row for each own
sequence, a column for each combination of the others' sequences, chance folded in (von Stengel,
"Efficient computation of behavior strategies", 1996). With two players a column is a sequence of the
rival; with more it is a tuple of sequences, so the sequence form serves any number of players.
"""

from __future__ import annotations

import hashlib
import operator
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver._core import listed, whole_in
from solver.errors import ArgumentError, PolicyError
from solver.policy import PolicyTable

__all__ = ["Floats", "Ints", "Nodes", "Size", "Tree", "TreePolicy", "Treeplex"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]


class Size(NamedTuple):
    """How large a game is.

    Attributes
    ----------
    nodes, terminals : int
        Histories, and those of them that end the game.
    infosets, sequences : int
        Information states and sequences of all players; each player has one empty sequence.
    bytes : int
        About what compiling takes at its height, with one solver over the tree.
    """

    nodes: int
    terminals: int
    infosets: int
    sequences: int
    bytes: int


def _freeze(owner: Any) -> None:
    """Make the arrays of a dataclass read-only: compiled code goes by the numbers in them."""
    for each in fields(owner):
        value = getattr(owner, each.name)
        if isinstance(value, np.ndarray):
            value.flags.writeable = False


@dataclass(frozen=True, eq=False)
class Treeplex:
    """What one player decides, and what it is paid.

    Information states are ordered by the number of own decisions before them and then by the sequence
    that leads there; sequence 0 is the empty one, the sequences of an information state follow one
    another, in the order of its actions.

    Attributes
    ----------
    first : int32 array, shape (infosets + 1,)
        First sequence of each information state; the last entry is the number of sequences.
    parent : int32 array, shape (infosets,)
        The own sequence that leads to it.
    child : int32 array, shape (sequences + 1,)
        The information states that follow sequence s are child[s] to child[s + 1] - 1.
    level : int32 array, shape (levels + 1,)
        First information state of each level; a level has the same number of own decisions before it.
    actions : int32 array, shape (sequences,)
        The action that ends each sequence; -1 for the empty one.
    texts : list of str
        Information state strings.
    rows : int64 array, shape (sequences + 1,)
        The entries of row s are rows[s] to rows[s + 1] - 1.
    columns : int32 array, shape (entries,)
    payoffs : float64 array, shape (entries,)
        Pay-off of this player times the chance of the deal.
    joint : int32 array, shape (columns, players - 1)
        The others' sequences of each column, in order of seats; with two players simply 0, 1, 2, ...
    """

    first: Ints
    parent: Ints
    child: Ints
    level: Ints
    actions: Ints
    texts: list[str]
    rows: NDArray[np.int64]
    columns: Ints
    payoffs: Floats
    joint: Ints

    def __post_init__(self) -> None:
        _freeze(self)

    @property
    def num_infosets(self) -> int:
        """Number of information states."""
        return len(self.parent)

    @property
    def num_sequences(self) -> int:
        """Number of sequences, the empty one included."""
        return len(self.actions)

    def uniform(self) -> Floats:
        """1 / number of actions at each sequence of each information state, 1 at the empty sequence."""
        counts = np.diff(self.first)
        return np.concatenate([np.ones(1), np.repeat(1.0 / counts, counts)])

    @property
    def num_bytes(self) -> int:
        """Bytes of the arrays."""
        arrays = (self.first, self.parent, self.child, self.level, self.actions, self.rows, self.columns)
        return int(sum(a.nbytes for a in arrays) + self.payoffs.nbytes + self.joint.nbytes)


@dataclass(frozen=True, eq=False)
class Nodes:
    """The histories themselves, level by level, the children of a node side by side.

    Attributes
    ----------
    player : int8 array, shape (nodes,)
        Who decides there; -1 chance, -4 nobody any more.
    infoset : int32 array, shape (nodes,)
        Number of the information state within its player's treeplex; of a terminal the row of `returns`.
    parent, child : int32 arrays, shape (nodes,)
        The node before (-1 at the root), and the first of the nodes after it.
    count : int32 array, shape (nodes,)
        Number of nodes after it.
    action : int32 array, shape (nodes,)
        The action or outcome that leads there; -1 at the root.
    chance : float64 array, shape (nodes,)
        Probability of the outcome that leads there; 1 for a player's action.
    returns : float64 array, shape (terminals, players)
    """

    player: NDArray[np.int8]
    infoset: Ints
    parent: Ints
    child: Ints
    count: Ints
    action: Ints
    chance: Floats
    returns: Floats

    def __post_init__(self) -> None:
        _freeze(self)

    def history(self, node: int) -> list[int]:
        """Actions and outcomes from the root to a node."""
        path = []
        while self.parent[node] >= 0:
            path.append(int(self.action[node]))
            node = int(self.parent[node])
        return path[::-1]


class Tree:
    """A compiled game; `cfr.compile` makes one.

    Attributes
    ----------
    game : Game
        What was compiled; a simultaneous-move game of OpenSpiel as its turn-based conversion.
    num_players : int
    size : Size
    treeplexes : tuple of Treeplex
        One a player.
    nodes : Nodes
    max_utility, min_utility : float
        The greatest and the least pay-off of a seat.
    zero_sum, constant_sum : bool
        Whether the pay-offs of every end sum to 0, or to the same number.
    name, rules : str, str or None
        The game string, and the version of its rules if the game tells one.
    told : dict
        Both, as `game` and `rules`: what settings and tables say of the game.
    """

    def __init__(
        self, game: Any, told: dict[str, Any], size: Size, treeplexes: tuple[Treeplex, ...], nodes: Nodes
    ) -> None:
        self.game = game
        self.told = told
        self.name: str = told["game"]
        self.rules: Any = told["rules"]
        self.num_players = len(treeplexes)
        self.size = size
        self.treeplexes = treeplexes
        self.nodes = nodes
        self.evaluator: Any = None  # what `cfr` evaluates policies with, once it is asked to
        self._examples: dict[int, list[int]] = {}  # by player a node of each information state
        self.max_utility = float(nodes.returns.max())
        self.min_utility = float(nodes.returns.min())
        scale = max(abs(self.max_utility), abs(self.min_utility), 1e-300)
        sums = nodes.returns.sum(axis=1)
        self.zero_sum = bool(np.abs(sums).max() <= 1e-12 * scale)
        self.constant_sum = bool(sums.max() - sums.min() <= 1e-12 * scale)

    @property
    def num_nodes(self) -> int:
        """Number of histories."""
        return self.size.nodes

    @property
    def num_infosets(self) -> int:
        """Number of information states of all players."""
        return self.size.infosets

    @property
    def num_sequences(self) -> int:
        """Number of sequences of all players, an empty one each included."""
        return self.size.sequences

    @property
    def num_bytes(self) -> int:
        """Bytes of the arrays; `size.bytes` is about what making them took."""
        nodes = (getattr(self.nodes, field.name) for field in fields(Nodes))
        return sum(plex.num_bytes for plex in self.treeplexes) + int(sum(array.nbytes for array in nodes))

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"evaluator": None}

    @cached_property
    def _shared(self) -> frozenset[str]:
        """Information state strings that more than one player has."""
        seen = Counter(text for plex in self.treeplexes for text in plex.texts)
        return frozenset(text for text, count in seen.items() if count > 1)

    def __repr__(self) -> str:
        s = self.size
        return (
            f"Tree({self.name}: {s.nodes:,} nodes, {s.infosets:,} information states, "
            f"{s.sequences:,} sequences, {self.num_bytes:,} bytes)"
        )

    def fingerprint(self) -> str:
        """A digest of the whole structure and its pay-offs; equal for equal compiled games."""
        digest = hashlib.blake2b(digest_size=16)
        for plex in self.treeplexes:
            for each in (plex.first, plex.parent, plex.actions, plex.rows, plex.columns, plex.payoffs, plex.joint):
                digest.update(np.ascontiguousarray(each).tobytes())
            for text in plex.texts:
                # the length first, so that no two lists of texts give the same bytes
                data = text.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    def uniform(self) -> TreePolicy:
        """The policy that plays each legal action with the same probability."""
        return TreePolicy(self, tuple(plex.uniform() for plex in self.treeplexes))

    def align(self, policy: Any, players: tuple[int, ...] | None = None) -> TreePolicy:
        """A policy as arrays in the order of this tree.

        Parameters
        ----------
        policy : TreePolicy, PolicyTable, Mapping or pyspiel policy
            A mapping gives for each information state string, or pair of it and the player, a mapping or
            a list of pairs from actions to probabilities; actions left out have probability 0.
        players : tuple of int, optional
            Whose information states are needed; by default everybody's.

        Returns
        -------
        TreePolicy
            Of players left out it is uniform.

        Raises
        ------
        PolicyError
            If an information state is missing, an action is not legal there, or probabilities are
            negative, not finite or do not sum to 1 (within 1e-6).
        """
        if isinstance(policy, TreePolicy):
            if policy.tree is not self:
                raise PolicyError(
                    f"this policy is aligned with another tree ({policy.tree.name}), not with {self.name}"
                )
            return policy
        lookup = _lookup(self, policy)
        wanted = range(self.num_players) if players is None else [self._seat(p) for p in listed(players, "players")]
        probabilities = list(self.uniform().probabilities)
        for player in wanted:
            probabilities[player] = _aligned(self.treeplexes[player], player, lookup)
        return TreePolicy(self, tuple(probabilities))

    def _seat(self, player: Any) -> int:
        seat: int | None = whole_in(player, 0, self.num_players - 1)
        if seat is None:
            raise ArgumentError(f"a seat lies in 0..{self.num_players - 1}, not {player!r}")
        return seat

    def example(self, player: int, infoset: int) -> Any:
        """A state of an information state: the first of its histories, played anew.

        Raises
        ------
        ArgumentError
            If there is no such seat, or it has no such information state.
        """
        player = self._seat(player)
        number: int | None = whole_in(infoset, 0, self.treeplexes[player].num_infosets - 1)
        if number is None:
            raise ArgumentError(
                f"seat {player} has the information states 0..{self.treeplexes[player].num_infosets - 1}, "
                f"not {infoset!r}"
            )
        if player not in self._examples:
            mine = np.flatnonzero(self.nodes.player == player)
            _, where = np.unique(self.nodes.infoset[mine], return_index=True)
            self._examples[player] = mine[where].tolist()
        state = self.game.new_initial_state()
        for action in self.nodes.history(self._examples[player][number]):
            state.apply_action(action)
        return state


@dataclass(frozen=True, eq=False)
class TreePolicy:
    """A policy in the order of a tree's sequences; its arrays become read-only.

    Attributes
    ----------
    tree : Tree
    probabilities : tuple of float64 arrays, shape (sequences,) each
        For each player the probability of each sequence's last action; 1 for the empty sequence.

    Raises
    ------
    PolicyError
        If an array has another shape, or holds what is no policy.
    """

    tree: Tree
    probabilities: tuple[Floats, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise PolicyError(f"a policy is one of a Tree, not of {type(self.tree).__name__}")
        plexes = self.tree.treeplexes
        if not isinstance(self.probabilities, (tuple, list)) or len(self.probabilities) != len(plexes):
            raise PolicyError(f"an array for each of {len(plexes)} players is needed, not {self.probabilities!r}")
        for player, (plex, chances) in enumerate(zip(plexes, self.probabilities, strict=True)):
            wanted = (plex.num_sequences,)
            if not isinstance(chances, np.ndarray) or chances.dtype != np.float64 or chances.shape != wanted:
                raise PolicyError(f"the probabilities of seat {player} are a float64 array of shape {wanted}")
            sums = np.add.reduceat(chances, plex.first[:-1]) if plex.num_infosets else np.ones(1)
            # a nan fails every comparison
            if not ((chances >= 0).all() and (np.abs(sums - 1) <= 1e-6).all() and chances[0] == 1):
                raise PolicyError(
                    f"the probabilities of seat {player} are at least 0 and sum to 1 in each information state"
                )
            chances.flags.writeable = False

    def action_probabilities(self, player: int, infoset: int) -> dict[int, float]:
        """Action to probability at an information state of the tree."""
        plex = self.tree.treeplexes[player]
        lo, hi = int(plex.first[infoset]), int(plex.first[infoset + 1])
        chances = self.probabilities[player][lo:hi].tolist()
        return dict(zip(plex.actions[lo:hi].tolist(), chances, strict=True))

    def reach(self) -> tuple[Floats, ...]:
        """How likely play comes to each information state if all play this policy: its reach probability.

        Returns
        -------
        tuple of float64 arrays, shape (infosets,) each
            For each player in the order of its treeplex, in 0..1. Those of one player do not sum to 1: play comes to
            several of them, one after the other.
        """
        nodes = self.tree.nodes
        share = nodes.chance.copy()
        for player, plex in enumerate(self.tree.treeplexes):
            after = np.flatnonzero(nodes.player[nodes.parent[1:]] == player) + 1
            before = nodes.parent[after]
            share[after] = self.probabilities[player][plex.first[nodes.infoset[before]] + after - nodes.child[before]]
        first, end = 1, 1 + int(nodes.count[0])
        while first < end:  # level by level
            share[first:end] *= share[nodes.parent[first:end]]
            first, end = end, end + int(nodes.count[first:end].sum())
        reached = []
        for player, plex in enumerate(self.tree.treeplexes):
            mine = np.flatnonzero(nodes.player == player)
            found = np.bincount(nodes.infoset[mine], share[mine], plex.num_infosets)
            reached.append(found.astype(np.float64, copy=False))  # without any information state they would be ints
        return tuple(reached)

    def to_dict(self) -> dict[str, dict[int, float]]:
        """Information state string to action to probability.

        Raises
        ------
        PolicyError
            If two players have the same information state string.
        """
        result: dict[str, dict[int, float]] = {}
        for player, plex in enumerate(self.tree.treeplexes):
            for i, text in enumerate(plex.texts):
                if text in result:
                    raise PolicyError(f"two players have the information state {text!r}: a table keeps them apart")
                result[text] = self.action_probabilities(player, i)
        return result


def _lookup(tree: Tree, policy: Any) -> Callable[[int, int, str], Any]:
    """How to ask a policy for (player, number, text) of an information state; None where it has none."""
    if isinstance(policy, Mapping):

        def by_name(player: int, _i: int, text: str) -> Any:
            found = policy.get((text, player))
            if found is None and (found := policy.get(text)) is not None and text in tree._shared:
                raise PolicyError(
                    f"information state {text!r} is one of several players: say whose, by a key ({text!r}, {player})"
                )
            return found

        return by_name
    if isinstance(policy, PolicyTable):
        return lambda player, _i, text: (
            None if policy.find(text, player) is None else policy.action_probabilities(text, player)
        )
    if hasattr(policy, "policy_for_key"):  # OpenSpiel's TabularPolicy in Python

        def by_key(_player: int, _i: int, text: str) -> Any:
            if text not in policy.state_lookup:
                return None
            return dict(enumerate(policy.policy_for_key(text)))

        return by_key
    if hasattr(policy, "get_state_policy"):  # pyspiel.Policy

        def by_text(player: int, i: int, text: str) -> Any:
            try:
                return policy.get_state_policy(text) or None
            except (RuntimeError, TypeError):
                # not every policy of OpenSpiel answers to a text alone
                return policy.get_state_policy(tree.example(player, i), player) or None

        return by_text
    if hasattr(policy, "action_probabilities"):

        def by_state(player: int, i: int, _text: str) -> Any:
            return policy.action_probabilities(tree.example(player, i))

        return by_state
    raise PolicyError(f"a policy is a PolicyTable, a mapping or a pyspiel policy, not {type(policy).__name__}")


def _aligned(plex: Treeplex, player: int, lookup: Callable[[int, int, str], Any]) -> Floats:
    """Probabilities by sequence of one player."""
    result = np.ones(plex.num_sequences)
    first = plex.first.tolist()
    actions = plex.actions.tolist()
    missing = 0
    example = ""
    for i, text in enumerate(plex.texts):
        given = lookup(player, i, text)
        if given is None:
            missing += 1
            example = example or text
            continue
        legal = actions[first[i] : first[i + 1]]
        try:
            chances = {operator.index(action): float(chance) for action, chance in dict(given).items()}
        except (TypeError, ValueError, OverflowError) as error:
            raise PolicyError(
                f"information state {text!r}: a mapping from actions to probabilities is needed, not {given!r}"
            ) from error
        for action, chance in chances.items():
            if action not in legal and chance != 0:
                raise PolicyError(f"information state {text!r}: action {action} is not legal, {legal} are")
        row = np.array([chances.get(action, 0.0) for action in legal], dtype=np.float64)
        if not (np.isfinite(row).all() and (row >= 0).all() and abs(row.sum() - 1) <= 1e-6):
            raise PolicyError(
                f"information state {text!r}: probabilities are at least 0 and sum to 1, not {row.tolist()}"
            )
        result[first[i] : first[i + 1]] = row / row.sum()
    if missing:
        raise PolicyError(
            f"the policy lacks {missing:,} of the {plex.num_infosets:,} information states of seat {player}, "
            f"such as {example!r}"
        )
    return result
