"""Random games of the protocol, small enough to be walked by hand: what solvers are tried on.

A game is drawn from a seed. Each player sees its own actions exactly and what else happens coarsely, through
tokens that several actions and outcomes may share; its information state string is the line of its tokens, so
recall is perfect. How many actions a player has is drawn from that string, hence is the same in all histories of
an information state. What comes next in a history, and the pay-offs, are drawn for the history itself.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

CHANCE, END = -1, -4


@dataclass
class Node:
    """A history: what each player saw on the way, who decides, what follows."""

    path: tuple[int, ...]
    seen: tuple[str, ...]
    player: int = END
    chances: dict[int, float] = field(default_factory=dict)
    after: dict[int, Node] = field(default_factory=dict)
    returns: list[float] = field(default_factory=list)


class State:
    """A history of a game in progress."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def current_player(self) -> int:
        return self.node.player

    def is_terminal(self) -> bool:
        return self.node.player == END

    def is_chance_node(self) -> bool:
        return self.node.player == CHANCE

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return list(self.node.chances.items())

    def legal_actions(self) -> list[int]:
        return list(self.node.after)

    def apply_action(self, action: int) -> None:
        self.node = self.node.after[action]

    def child(self, action: int) -> State:
        return State(self.node.after[action])

    def clone(self) -> State:
        return State(self.node)

    def returns(self) -> list[float]:
        return list(self.node.returns) if self.is_terminal() else [0.0] * len(self.node.seen)

    def information_state_string(self, player: int) -> str:
        return self.node.seen[player]

    def action_to_string(self, player: int, action: int) -> str:
        return str(action)

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> State:
        raise NotImplementedError("these games are for solvers, not for searches")


class Game:
    """A game drawn from a seed.

    Parameters
    ----------
    seed : int
    players : int, default 2
    zero_sum : bool, default True
        Whether the pay-offs of every end sum to 0.
    nodes : int, default 120
        At most about so many histories (times `copies`).
    copies : int, default 1
        The game lies so many times under a first chance node whose outcomes pay the same and are seen by some
        of the players: information states that cannot be told apart but by name.
    """

    def __init__(self, seed: int, players: int = 2, zero_sum: bool = True, nodes: int = 120, copies: int = 1) -> None:
        self.seed, self.players, self.zero_sum, self.nodes, self.copies = seed, players, zero_sum, nodes, copies
        self.root = self._draw()

    def _rng(self, *what: Any) -> random.Random:
        """Chance that hangs on the seed and on what is drawn, nothing else."""
        return random.Random(repr((self.seed, self.players, *what)))

    def _draw(self) -> Node:
        seats = range(self.players)
        names = tuple(f"{p}:" for p in seats)
        if self.copies == 1:
            return self._grown(Node((), names))
        rng = self._rng("copies")
        seers = [p for p in seats if rng.random() < 0.6] or [0]
        root = Node((), names, CHANCE)
        for copy in range(self.copies):
            root.chances[copy] = 1 / self.copies
            seen = tuple(f"{names[p]}{copy};" if p in seers else names[p] for p in seats)
            root.after[copy] = self._grown(Node((), seen))
        return root

    def _grown(self, root: Node) -> Node:
        """All that follows a history, breadth first until there are nodes enough; then every line ends."""
        count = 1
        ends = 0.05 + 0.15 * self._rng("ends").random()
        waiting = deque([root])
        while waiting:
            node = waiting.popleft()
            rng = self._rng("node", node.path)
            kind = rng.random()
            if kind < (ends if node.path else 0.0):
                following: Sequence[int] = []
            elif kind < ends + 0.2:
                node.player = CHANCE
                following = range(rng.choice([1, 2, 2, 3, 4]))
            else:
                node.player = rng.randrange(self.players)
                following = self._actions(node)
            if not following or count + len(following) > self.nodes:
                node.player = END
                node.returns = [rng.gauss(0, 1) for _ in range(self.players)]
                if self.zero_sum:
                    node.returns[-1] = -sum(node.returns[:-1])
                continue
            count += len(following)
            if node.player == CHANCE:
                weights = [rng.random() for _ in following]
                if len(weights) > 1 and rng.random() < 0.3:
                    weights[rng.randrange(len(weights))] = 0.0
                total = sum(weights)
                node.chances = {a: w / total for a, w in zip(following, weights, strict=True)}
            eyes = [rng.choice([1, 1, 2, 3]) for _ in range(self.players)]  # how many tokens a player can tell apart
            for action in following:
                seen = tuple(
                    f"{text}!{action}" if p == node.player else f"{text}{'.abc'[action % eye if eye > 1 else 0]}"
                    for p, (text, eye) in enumerate(zip(node.seen, eyes, strict=True))
                )
                node.after[action] = Node((*node.path, action), seen)
                waiting.append(node.after[action])
        return root

    def _actions(self, node: Node) -> list[int]:
        """What the player to decide may do, by what it has seen of this game, copies apart."""
        rng = self._rng("actions", node.seen[node.player].split(";")[-1].split(":")[-1], node.player)
        return sorted(rng.sample(range(6), rng.choice([1, 2, 2, 3, 3])))

    def new_initial_state(self) -> State:
        return State(self.root)

    def num_players(self) -> int:
        return self.players

    def num_distinct_actions(self) -> int:
        return 6

    def max_utility(self) -> float:
        return max(max(node.returns, default=-float("inf")) for node in walk(self.root))

    def min_utility(self) -> float:
        return min(min(node.returns, default=float("inf")) for node in walk(self.root))

    def get_parameters(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "players": self.players,
            "zero_sum": self.zero_sum,
            "nodes": self.nodes,
            "copies": self.copies,
        }

    def __str__(self) -> str:
        return "random(" + ",".join(f"{k}={v}" for k, v in self.get_parameters().items()) + ")"


def walk(node: Node) -> list[Node]:
    """A history and all after it."""
    return [node, *(each for child in node.after.values() for each in walk(child))]
