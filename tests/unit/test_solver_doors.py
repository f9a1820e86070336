"""What the solvers' public objects hold to: no index from outside unchecked, copies, seeds, simultaneous games."""

import pickle
import threading

import numpy as np
import pytest

from solver import Rng, archive, cfr, cli_solve, kuhn, leduc, policy
from solver.errors import ArchiveError, ArgumentError, CompileError, GameError, PolicyError
from tests.unit.test_tree import EVEN, Game, coin, end


def test_arrays_of_a_tree_are_read_only():
    """Compiled code takes its indices from them."""
    tree = cfr.compile(kuhn.Game())
    for owner in (*tree.treeplexes, tree.nodes):
        for array in vars(owner).values():
            if isinstance(array, np.ndarray):
                with pytest.raises(ValueError, match="read-only"):
                    array[...] = 2**30


def wrong(change):
    tree = cfr.compile(kuhn.Game())
    arrays = [a.copy() for a in tree.uniform().probabilities]
    return tree, change(arrays)


@pytest.mark.parametrize(
    "change",
    [
        lambda a: (np.ones(1), np.ones(1)),
        lambda a: (a[0],),
        lambda a: (a[0] * 7, a[1]),
        lambda a: (np.where(a[0] == 0.5, np.nan, a[0]), a[1]),
        lambda a: (np.where(np.arange(len(a[0])) % 2, 1.5, -0.5), a[1]),
        lambda a: (a[0].astype(np.float32), a[1]),
        lambda a: (a[0].tolist(), a[1]),
    ],
)
def test_what_is_no_policy_of_a_tree(change):
    tree, arrays = wrong(change)
    with pytest.raises(PolicyError):
        cfr.TreePolicy(tree, arrays)


def test_a_thread_that_cannot_be_started(monkeypatch):
    """The error comes through, and no thread is left waiting for one that never came."""
    start, calls = threading.Thread.start, []

    def refuse(self):
        calls.append(self)
        if len(calls) == 2:
            raise RuntimeError("can't start new thread")
        start(self)

    tree = cfr.compile(leduc.Game())
    monkeypatch.setattr(threading.Thread, "start", refuse)
    before = threading.active_count()
    with pytest.raises(RuntimeError, match="can't start"):
        cfr.solve(tree, iterations=10, threads=3)
    assert threading.active_count() == before
    assert len(calls) == 2


def test_a_tree_can_be_copied_after_use():
    tree = cfr.compile(kuhn.Game())
    expected = cfr.nash_conv(tree, tree.uniform())
    other = pickle.loads(pickle.dumps(tree))
    assert other.fingerprint() == tree.fingerprint()
    assert cfr.nash_conv(other, other.uniform()) == expected
    with pytest.raises(PolicyError, match="another tree"):
        cfr.nash_conv(other, tree.uniform())


def test_a_snapshot_is_of_its_iteration():
    kept = []
    cfr.solve(kuhn.Game(), iterations=50, every=10, callback=lambda s: kept.append((s, s.policy())))
    tree = kept[0][1].tree
    for snapshot, taken in kept:
        assert cfr.exploitability(tree, taken) == pytest.approx(snapshot.exploitability, abs=1e-12)
    with pytest.raises(ArgumentError, match="of iteration 10, the run is at 50"):
        kept[0][0].policy()


def test_a_run_goes_on_with_numbers_of_numpy(tmp_path):
    options = {"checkpoint": tmp_path / "run", "alpha": 1.25}
    cfr.solve(kuhn.Game(), "dcfr", iterations=np.int64(10), horizon=np.int64(30), **options)
    assert cfr.solve(kuhn.Game(), "dcfr", iterations=np.int32(20), horizon=30, **options).iterations == 20


def test_a_checkpoint_that_lacks_something(tmp_path):
    path = tmp_path / "run"
    cfr.solve(kuhn.Game(), iterations=10, checkpoint=path)
    with archive.read(path, "cfr checkpoint") as saved:
        arrays = {name: array.copy() for name, array in saved.arrays.items()}
        meta = saved.meta
    for name in arrays:
        archive.write(path, "cfr checkpoint", {k: a for k, a in arrays.items() if k != name}, meta)
        with pytest.raises(ArchiveError):
            cfr.solve(kuhn.Game(), iterations=20, checkpoint=path)
    for name in ("iterations", "seconds"):
        archive.write(path, "cfr checkpoint", arrays, {k: v for k, v in meta.items() if k != name})
        with pytest.raises(ArchiveError, match="how far"):
            cfr.solve(kuhn.Game(), iterations=20, checkpoint=path)


def test_seconds_are_of_this_call(tmp_path):
    path = tmp_path / "run"
    first = cfr.solve(kuhn.Game(), seconds=0.05, checkpoint=path)
    second = cfr.solve(kuhn.Game(), seconds=0.05, checkpoint=path)
    assert second.iterations > first.iterations
    assert second.settings["seconds"] >= first.history["seconds"][-1]


def test_two_players_with_one_string():
    """A mapping must say whose an information state is where two players have the same string."""
    node = (0, "", [(1, (1, "", [(1, end(1.0, -1.0)), (2, end(-1.0, 1.0))])), (2, EVEN)])
    tree = cfr.compile(Game(node))
    half = {1: 0.5, 2: 0.5}
    assert cfr.nash_conv(tree, {("", 0): half, ("", 1): {2: 1.0}}) == pytest.approx(0.5)
    with pytest.raises(PolicyError, match="one of several players"):
        cfr.nash_conv(tree, {"": half})
    table = cfr.solve(tree, iterations=10).policy
    assert cfr.nash_conv(tree, table) == pytest.approx(2 * cfr.solve(tree, iterations=10).exploitability, abs=1e-12)


def test_constant_sums_are_as_good_as_zero_sums():
    node = coin((0, "a", [(1, end(3.0, 2.0)), (2, end(1.0, 4.0))]), end(5.0, 0.0))
    solution = cfr.solve(Game(node), iterations=10)
    assert not solution.tree_policy.tree.zero_sum
    assert "constant-sum: the policy converges" in solution.guarantee


def test_seeds_of_sampling():
    """A seed that is told gives the run again; one stream gives another run each time."""
    tree = cfr.compile(kuhn.Game())
    stream = Rng(3)
    runs = [cfr.solve(tree, "external", iterations=200, seed=stream) for _ in range(2)]
    assert runs[0].policy != runs[1].policy
    child = np.random.SeedSequence(5).spawn(2)[1]
    for solution in (*runs, cfr.solve(tree, "outcome", iterations=200, seed=child), cfr.solve(tree, "external", 200)):
        method = solution.settings["method"]
        again = cfr.solve(tree, method, iterations=200, seed=solution.settings["seed"])
        assert [a.tobytes() for a in again.tree_policy.probabilities] == [
            a.tobytes() for a in solution.tree_policy.probabilities
        ]
    for compile_bytes in (0, 1 << 20):
        with pytest.raises(ArgumentError, match="a seed is"):
            cfr.solve(kuhn.Game(), "external", iterations=1, seed="x", compile_bytes=compile_bytes)


def test_a_chance_node_with_more_outcomes_than_fit():
    """Children are made one by one: the limit is met long before all of them are made."""
    made = []

    class Wide:
        def __init__(self, outcome=None):
            self.outcome = outcome

        def current_player(self):
            return -1 if self.outcome is None else -4

        def chance_outcomes(self):
            return [(i, 1 / 200_000) for i in range(200_000)]

        def child(self, action):
            made.append(action)
            return Wide(action)

        def returns(self):
            return [0.0, 0.0]

    game = Game(None)
    game.new_initial_state = Wide
    with pytest.raises(CompileError, match="8,192 chance outcomes and more") as caught:
        cfr.compile(game, max_bytes=1_000_000)
    assert caught.value.too_large
    assert len(made) < 50_000


def test_simultaneous_games_of_openspiel(tmp_path):
    """Every door converts them, and a policy is one of the game as it was given."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("goofspiel(num_cards=3,imp_info=True,points_order=descending)")
    solution = cfr.solve(game, iterations=100)
    assert cfr.nash_conv(game, policy.uniform(game)) > cfr.nash_conv(game, solution.policy)
    solution.policy.save(tmp_path / "goof.policy")
    assert policy.load(tmp_path / "goof.policy", game) == solution.policy
    sampled = cfr.solve(game, "outcome", iterations=300, seed=1, compile_bytes=0)
    assert len(sampled.policy) > 10


def test_a_game_of_openspiel_without_information_states():
    pyspiel = pytest.importorskip("pyspiel")
    with pytest.raises(CompileError, match="OpenSpiel says"):
        cfr.compile(pyspiel.load_game("catch"))


def test_what_cannot_be_kept_is_said_before_the_work():
    class Odd(Game):
        rules_version = object()

    with pytest.raises(CompileError, match="rules_version"):
        cfr.compile(Odd(EVEN))
    with pytest.raises(CompileError, match="no valid Unicode"):
        cfr.compile(Game((0, "\ud800", [(1, EVEN)])))


class Line:
    """Two players in turn stop, for more and more, or go on; so long that the reach of its end is no number."""

    def __init__(self, length, steps=0, stopped=False):
        self.length, self.steps, self.stopped = length, steps, stopped

    def current_player(self):
        return -4 if self.stopped or self.steps == self.length else self.steps % 2

    def legal_actions(self):
        return [0, 1]

    def child(self, action):
        return Line(self.length, self.steps + action, action == 0)

    def returns(self):
        return [1.0, -1.0] if self.steps % 3 == 0 else [-0.5, 0.5]

    def information_state_string(self, player):
        return f"{player} {self.steps}"


@pytest.mark.parametrize("method", cfr.METHODS)
def test_reach_too_small_for_a_number(method):
    """Where the rivals' reach is no ordinary number regrets are not either; what can be reached is learnt."""
    game = Game(None)
    game.new_initial_state = lambda: Line(2300)
    solution = cfr.solve(game, method, iterations=300)
    assert solution.exploitability < 0.05
    assert all(np.isfinite(chances).all() for chances in solution.tree_policy.probabilities)


@pytest.mark.parametrize("pay", [1e250, 1e-250, 10**400])
def test_payoffs_out_of_scale(pay):
    with pytest.raises(CompileError, match="pay-off"):
        cfr.compile(Game(coin(end(pay, -pay), EVEN)))


@pytest.mark.parametrize("game", [Game, Game(EVEN, 2.5), Game(EVEN, "2")])
def test_what_is_no_game_either(game):
    with pytest.raises(CompileError):
        cfr.compile(game)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (coin(EVEN, EVEN, (0.5, 0.4)), "sum to 1, not to 0.9"),
        (coin(EVEN, EVEN, (float("nan"), 1.0)), "sum to 1, not to nan"),
        (("chance", []), "sum to 1, not to 0"),
        (end(float("nan"), 0.0), "finite numbers are needed"),
        (end(0.0), "2 finite numbers are needed"),
        ((2, "x", [(0, EVEN)]), "player 2 moves"),
        ((0, "x", []), "one or more"),
        ((0, "x", [(0.5, EVEN)]), "whole numbers"),
        ((0, "x", [(1 << 31, EVEN)]), "one or more"),
    ],
)
@pytest.mark.parametrize("method", ["external", "outcome"])
def test_games_that_misbehave_while_they_are_sampled(method, node, words):
    with pytest.raises((CompileError, GameError), match=words):
        cfr.solve(Game(node), method, iterations=5, seed=1, compile_bytes=0)


def test_too_many_players_to_sample():
    with pytest.raises(CompileError, match="1 to 127 players"):
        cfr.solve(Game(EVEN, 128), "external", iterations=1, compile_bytes=0)


@pytest.mark.parametrize("method", ["external", "outcome"])
def test_an_iteration_that_never_ends_is_broken_off(method):
    """External sampling of a whole game of SCOUT tries more lines than anybody has time for."""
    solution = cfr.solve("scout", method, seconds=0.3, seed=1, compile_bytes=0)
    assert len(solution.policy) > 10
    if method == "external":
        assert solution.iterations == 0


@pytest.mark.parametrize("path", ["a\0b", 5, "\ud800", "/"])
def test_names_that_are_none(path):
    with pytest.raises(ArgumentError, match="no name of a file"):
        cfr.solve(kuhn.Game(), iterations=1, checkpoint=path)


@pytest.mark.parametrize(
    "options",
    [
        {"iterations": 10**400},
        {"target": 10**400},
        {"threads": 2**70},
        {"threads": None},
        {"method": ["dcfr"]},
        {"alpha": 10**400},
        {"alpha": (1e308, -1e308)},
        {"alternating": "no"},
        {"merge_equal": np.ones(2)},
    ],
    ids=repr,
)
def test_arguments_of_odd_kinds(options):
    with pytest.raises(ArgumentError):
        cfr.solve(kuhn.Game(), **options)


def test_time_left_far_away():
    """A run that hardly gets on has no end in sight, and no overflow."""
    points = [(1, 0.2), (2, 0.15), (3, 0.1), (4, 0.1), (5, 0.1), (6, 0.0999)]
    assert cli_solve.time_left(8, 1.0, points, None, 1e-9, None) is None
    assert cli_solve.time_left(8, 1.0, points, 80, 1e-9, None) == pytest.approx(9)
    halving = [(t, 1 / t) for t in (1, 2, 4, 8, 16)]
    assert cli_solve.time_left(16, 1.0, halving, None, 1 / 64, None) == pytest.approx(3)
