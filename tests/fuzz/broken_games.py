"""Games as users write them, that misbehave: in what they say, when they say it, how often, or by raising."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any
from unittest import mock

from solver import _arena_tables, _ismcts_twin, arena, cfr, evaluate, ismcts, online, pimc, policy, sampling, tree_walk
from tests.fuzz.harness import Mine, target
from tests.fuzz.values import odd

WRONG_OUTCOMES: list[Any] = [
    *([(0, 0.5)], [(0, 0.5), (1, 0.6)], [(0, -0.5), (1, 1.5)], [(0, float("nan"))], [], [(0, 1.0), (0, 0.0)]),
    *([(0, "x")], [("a", 1.0)], [0, 1], [(0, 0.0), (1, 0.0)], [(1 << 40, 1.0)], [(-1, 1.0)], {0: 1.0}, None),
    [(0, 1.0, 2)],
]
WRONG_ACTIONS: list[Any] = [
    *([], [1, 0], [0, 0], [-1], [1 << 31], [1 << 70], ["a"], [0.5], [None], None, (0, 1), range(2), {0, 1}),
    *(range(1 << 40), [True], [0, 1, 2, 3, 4], [7]),
]
WRONG_RETURNS: list[Any] = [
    *([], [0.0], [0.0] * 9, [float("nan")] * 2, [float("inf"), 0.0], ["a", "b"], [None, None], None, 1.0),
    *([1e308, -1e308], [1e308, 1e308], {0: 1.0, 1: 0.0}, [10**400, 0], [1j, 0], [[1], [2]], "ab"),
]


class State:
    """A state of a small game, with one fault: `fault(name, depth)` may change what a method gives."""

    def __init__(self, game: Game, path: tuple[int, ...] = (), moves: int | None = None) -> None:
        self.game_ = game
        self.path = path[:9]  # a game without end is to take no more room than others
        self.moves = len(path) if moves is None else moves

    def _say(self, name: str, right: Any) -> Any:
        return self.game_.fault(name, self.moves, right)

    def current_player(self) -> Any:
        depth = self.moves
        right = -4 if depth >= self.game_.depth else -1 if depth == 0 else (depth - 1) % self.game_.players
        return self._say("current_player", right)

    def is_terminal(self) -> Any:
        return self._say("is_terminal", self.moves >= self.game_.depth)

    def is_chance_node(self) -> Any:
        return self._say("is_chance_node", not self.path)

    def chance_outcomes(self) -> Any:
        return self._say("chance_outcomes", [(0, 0.25), (1, 0.75)] if not self.path else [])

    def legal_actions(self, player: Any = None) -> Any:
        over = self.moves >= self.game_.depth
        return self._say("legal_actions", [] if over else [0, 1] if self.moves % 2 else [0, 2, 5])

    def apply_action(self, action: int) -> None:
        self._say("apply_action", None)
        if not isinstance(action, int):
            raise Mine
        self.path = (*self.path, action)[:9]
        self.moves += 1

    def child(self, action: int) -> Any:
        if not isinstance(action, int):
            raise Mine
        return self._say("child", State(self.game_, (*self.path, action), self.moves + 1))

    def clone(self) -> Any:
        return self._say("clone", State(self.game_, self.path, self.moves))

    def returns(self) -> Any:
        first = float(sum(self.path) % 3 - 1)
        return self._say("returns", [first, -first] + [0.0] * (self.game_.players - 2))

    def information_state_string(self, player: int) -> Any:
        return self._say("information_state_string", f"{player} {self.moves} {self.path[1:]}")

    def action_to_string(self, player: int, action: int) -> Any:
        return self._say("action_to_string", f"a{action}")

    def resample_from_infostate(self, player: int, uniform_01: Callable[[], float]) -> Any:
        path = (int(uniform_01() < 0.75), *self.path[1:]) if self.path else ()
        return self._say("resample_from_infostate", State(self.game_, path, self.moves))

    def policy_action(self, rng: Any) -> Any:
        return self._say("policy_action", rng.choice([0, 1] if self.moves % 2 else [0, 2, 5]))

    def action_scores(self) -> Any:
        return self._say("action_scores", [0.0, 1.0] if self.moves % 2 else [1.0, 2.0, float("inf")])

    def estimated_returns(self) -> Any:
        return self._say("estimated_returns", [0.0] * self.game_.players)

    def horizon_clock(self) -> Any:
        return self._say("horizon_clock", self.moves)


SAID = [name for name in vars(State) if not name.startswith("_")]


class Game:
    """Makes such states.

    Parameters
    ----------
    rng : random.Random
        Draws size and fault.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.players = rng.choice((2, 2, 2, 3, 1))
        self.depth = rng.choice((1, 2, 3, 4))
        self.faulty = rng.choice((*SAID, "new_initial_state", "num_players", "endless", "nothing"))
        self.when = rng.randrange(-1, self.depth + 1)
        self.share = rng.choice((1.0, 1.0, 0.3))
        if self.faulty == "endless":
            self.depth = rng.choice((8, 1 << 62))  # external sampling tries all lines of a long one

    def fault(self, name: str, depth: int, right: Any) -> Any:
        """What is said instead of what is right."""
        if name != self.faulty or self.when not in (-1, depth) or self.rng.random() > self.share:
            return right
        rng = self.rng
        kind = rng.randrange(5)
        if kind == 0:
            raise rng.choice((Mine, Mine("x")))
        if kind == 1:
            return odd(rng)
        if name == "chance_outcomes":
            many = [((i, 1e-9) for i in itertools.count()), [(i, 1e-5) for i in range(100_000)]]
            return rng.choice([*WRONG_OUTCOMES, *many])
        if name == "legal_actions":
            return rng.choice([*WRONG_ACTIONS, itertools.count(), list(range(20_000))])
        if name in ("returns", "estimated_returns"):
            return rng.choice(WRONG_RETURNS)
        if name == "current_player":
            return rng.choice((-1, 0, 1, 2, 5, 127, 128, -2, -3, -4, -5, 1 << 40, None, "0", 0.0, True))
        if name in ("child", "clone", "resample_from_infostate"):
            return rng.choice((None, 0, State(self), State(self, (9,) * 9), self, "x"))
        if name == "information_state_string":
            return rng.choice(("", "same", None, 5, b"x", "\ud800", "x" * 100_000, ("t",), ["l"], f"{rng.random()}"))
        return rng.choice((None, 0, -1, "x", [], rng.random() < 0.5))

    def new_initial_state(self) -> Any:
        return self.fault("new_initial_state", 0, State(self))

    def num_players(self) -> Any:
        return self.fault("num_players", 0, self.players)

    def num_distinct_actions(self) -> int:
        return 6

    def max_utility(self) -> float:
        return 1.0

    def min_utility(self) -> float:
        return -1.0

    def get_parameters(self) -> dict[str, Any]:
        return {}


class Bot:
    """An agent that misbehaves like the games."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.name = "bot"

    def __deepcopy__(self, memo: Any) -> Bot:
        return self

    def act(self, position: Any, rng: Any) -> Any:
        kind = self.rng.randrange(6)
        if kind == 0:
            raise Mine
        if kind == 1:
            return odd(self.rng)
        return rng.choice(position.legal_actions())


def began(game: Game, rng: random.Random) -> State:
    """A state where a seat decides, if nothing is wrong."""
    return State(game, (rng.randrange(2), *(0 for _ in range(rng.randrange(game.depth if game.depth < 9 else 3)))))


@target(2)
def broken_game(rng: random.Random) -> str:
    """Every solver and search gives an answer, the game's own error, or one that says what is wrong."""
    with ExitStack() as stack:
        # of games without end many are to be met
        for module in (_ismcts_twin, online, sampling, tree_walk, _arena_tables):
            stack.enter_context(mock.patch.object(module, "LONGEST", 3000))
        return _met(rng)


def _met(rng: random.Random) -> str:
    """Any solver or search meets any such game."""
    game = Game(rng)
    kind = rng.randrange(10)
    seed = rng.randrange(1 << 30)
    if kind == 0:
        tree = cfr.compile(game, max_bytes=1_000_000)
        cfr.solve(tree, iterations=3)
        return "compiled and solved"
    if kind == 1:
        sampling.solve(game, rng.choice(("external", "outcome")), iterations=3, seed=seed, compile_bytes=0)
        return "sampled"
    if kind == 2:
        online.solve(game, rng.choice(online.METHODS), iterations=4, seed=seed, compile_bytes=0)
        return "solved online"
    if kind == 3:
        online.search(began(game, rng), rng.choice(online.METHODS), iterations=5, seed=seed)
        return "searched online"
    if kind == 4:
        whole = Game(rng)
        online.search(began(game, rng), iterations=5, seed=seed, game=cfr.compile(whole, max_bytes=1_000_000))
        return "searched online in a game"
    if kind in (5, 6):
        style: dict[str, Any] = {"root": rng.choice(("ucb", "halving")), "depth": rng.choice((0, 1))}
        if rng.random() < 0.5:
            style |= {"rollout": "policy", "horizon": rng.choice((-1, 0, 1)), "widening": rng.choice((0, 1, 2))}
            style |= {"opponents": rng.choice(("tree", "policy"))}
        payoff = rng.choice((None, None, "margin", "win", "score"))
        result = ismcts.search(began(game, rng), 8, seed=seed, payoff=payoff, threads=rng.choice((1, 1, 1, 2)), **style)
        str(result), result.to_json()
        return "searched"
    if kind == 7:
        pimc.search(began(game, rng), 2, iterations=5, seed=seed)
        return "averaged"
    if kind == 8:
        agents = [rng.choice(("random", Bot(rng), "ismcts:3", "pimc:1,iterations=3")) for _ in range(2)]
        arena.play(game, agents, deals=2, seed=3)
        return "played"
    table = policy.uniform(game, max_states=300)
    evaluate.exploitability(cfr.compile(game, max_bytes=1_000_000), table)
    return "walked"
