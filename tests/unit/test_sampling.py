"""Sampling solvers: the compiled loops against the readable ones, unbiased samples, convergence, small tables."""

import math
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from solver import cfr, kuhn, sampling
from solver._core import Rng
from solver.errors import ArgumentError, CompileError
from solver.policy import PolicyTable
from tests.reference import cfr as reference
from tests.reference.random_games import Game

GAMES = {
    "kuhn": kuhn.Game(),
    "one": Game(2, players=1, zero_sum=False, nodes=40),
    "two": Game(3, players=2, nodes=80),
    "three": Game(10, players=3, zero_sum=False, nodes=80),
    "four": Game(12, players=4, nodes=100, copies=2),
}


def compiled(game, seed, linear=True, exploration=0.6, rate=0.0, merge_equal=False):
    return sampling._OnTree(cfr.compile(game), Rng(seed), linear, exploration, rate, merge_equal)


def rows(policy):
    if isinstance(policy, PolicyTable):
        return {(row.player, row.text): dict(zip(row.actions, row.probabilities, strict=True)) for row in policy}
    return {
        (player, text): policy.action_probabilities(player, i)
        for player, plex in enumerate(policy.tree.treeplexes)
        for i, text in enumerate(plex.texts)
    }


# The compiled loops and the readable ones


@pytest.mark.parametrize("linear", [True, False])
@pytest.mark.parametrize("rate", [0.0, 0.5])
@pytest.mark.parametrize("method", ["external", "outcome"])
@pytest.mark.parametrize("name", GAMES)
def test_compiled_and_readable_loops_agree(name, method, rate, linear):
    """With the same seed they draw the same samples and come to the same averages."""
    game = GAMES[name]
    fast = compiled(game, 7, linear, 0.4, rate)
    slow = sampling.Sampled(game, Rng(7), linear, 0.4, rate)
    everywhere = 0
    for iterations in (1, 2, 30, 300):
        getattr(fast, method)(iterations)
        getattr(slow, method)(iterations)
        whole = rows(fast.policy())
        met = rows(slow.policy())
        for key, row in met.items():
            assert whole[key] == pytest.approx(row, rel=0, abs=1e-11)
        for key in whole.keys() - met.keys():  # never met: uniform
            assert len(set(whole[key].values())) == 1
        everywhere = max(everywhere, len(met))
    assert everywhere > len(whole) // 2


# What samples are worth


class Mean:
    """Mean of samples and how far it may lie from the truth."""

    def __init__(self, samples):
        samples = np.array(samples)
        self.mean = samples.mean(axis=0)
        self.error = samples.std(axis=0, ddof=1) / math.sqrt(len(samples))

    def check(self, expected):
        """Within five standard errors: by chance once in a million entries."""
        assert (np.abs(self.mean - expected) <= 5 * self.error + 1e-12).all()


def first_regrets(game, tree, player):
    """The regrets of a player against uniform play, by sequence, without the empty one."""
    twin = reference.CFR(reference.expand(game), "cfr", alternating=False)
    twin.run(1)
    return np.array([r for text in tree.treeplexes[player].texts for r in twin.regrets[player, text].values()])


@pytest.mark.parametrize(("method", "runs"), [("external", 2000), ("outcome", 4000)])
@pytest.mark.parametrize("name", GAMES)
def test_first_regrets_are_unbiased(name, method, runs):
    """The mean of sampled regrets is what the twin computes.

    Player 0 is the one who meets the others before they have learnt anything.
    """
    game = GAMES[name]
    tree = cfr.compile(game)
    samples = []
    for seed in range(runs):
        run = sampling._OnTree(tree, Rng([9, seed]), False, 0.6, 0.0, False)
        getattr(run, method)(1)
        samples.append(np.array(run.sampler.regrets[1 : run.begins[1]]))
    mean = Mean(samples)
    mean.check(first_regrets(game, tree, 0))
    assert mean.error.max() < 0.3
    # so small a bound tells the regrets from none
    assert (np.abs(mean.mean) > 5 * mean.error).any()


def test_a_baseline_changes_no_mean_and_less_scatter():
    """What is taken off the samples is put back in the mean, whatever the baseline is; a good one calms them."""
    game = GAMES["two"]
    tree = cfr.compile(game)
    expected = first_regrets(game, tree, 0)
    errors = {}
    for kind in ("none", "random", "learnt"):
        baseline = None
        if kind == "learnt":
            teacher = sampling._OnTree(tree, Rng(1), False, 1.0, 0.05, False)
            for _ in range(2000):  # play stays uniform: only the baseline is learnt
                teacher.sampler.regrets[:] = 0
                teacher.outcome(1)
            baseline = np.array(teacher.sampler.baseline)
        samples = []
        for seed in range(4000):
            run = sampling._OnTree(tree, Rng([10, seed]), False, 0.6, 0.0 if kind == "none" else 0.5, False)
            if kind == "random":
                run.sampler.baseline[:] = np.random.default_rng(seed % 7).normal(size=len(run.sampler.baseline))
            elif kind == "learnt":
                run.sampler.baseline[:] = baseline
            run.outcome(1)
            samples.append(np.array(run.sampler.regrets[1 : run.begins[1]]))
        mean = Mean(samples)
        mean.check(expected)
        errors[kind] = float(np.square(mean.error).sum())
    assert errors["learnt"] < errors["none"] < errors["random"]


@pytest.mark.parametrize(("method", "player"), [("external", 1), ("outcome", 0)])
@pytest.mark.parametrize("name", ["kuhn", "two", "three", "four"])
def test_what_goes_into_averages(name, method, player):
    """What an information state's average gets is in the mean its own reach times a number of its own.

    That number must not change with what the others play: if it did, the average would weigh the iterations
    otherwise than by their numbers. The player is the one whose average is taken before anybody has learnt.
    """
    tree = cfr.compile(GAMES[name])
    plex = tree.treeplexes[player]
    found = []
    for phase in (1, 2):
        regrets = np.random.default_rng(phase).exponential(size=tree.num_sequences) + 0.05
        samples = []
        for seed in range(3000):
            run = sampling._OnTree(tree, Rng([11, phase, seed]), False, 0.6, 0.0, False)
            run.sampler.regrets[:] = regrets
            getattr(run, method)(1)
            samples.append(np.array(run.sampler.average[run.begins[player] : run.begins[player + 1]]))
        mean = Mean(samples)
        mine = regrets[run.begins[player] : run.begins[player + 1]]
        reach = np.ones(plex.num_sequences)
        for i, (lo, hi) in enumerate(zip(plex.first[:-1], plex.first[1:], strict=True)):
            strategy = mine[lo:hi] / mine[lo:hi].sum()
            reach[lo:hi] = reach[plex.parent[i]] * strategy
            total = mean.mean[lo:hi].sum()
            assert mean.mean[lo:hi] == pytest.approx(total * strategy, rel=1e-9)
        found.append((mean.mean[1:] / reach[1:], mean.error[1:] / reach[1:]))
    (one, error), (other, its) = found
    assert (one > 5 * error).sum() > len(one) // 2
    apart = np.abs(one - other) / np.sqrt(error**2 + its**2 + 1e-24)
    assert apart.max() <= 5, plex.texts[int(np.searchsorted(plex.first, apart.argmax() + 1, side="right")) - 1]


# Convergence


@pytest.mark.parametrize("weighting", ["linear", "uniform"])
@pytest.mark.parametrize(
    ("method", "baseline", "iterations", "bound"),
    [("external", 0.5, 100_000, 0.01), ("outcome", 0.5, 400_000, 0.02), ("outcome", 0.0, 400_000, 0.04)],
)
def test_kuhn_is_solved(method, baseline, weighting, iterations, bound):
    solution = cfr.solve(
        kuhn.Game(), method, iterations=iterations, seed=1, weighting=weighting, baseline=baseline, every=iterations
    )
    assert solution.exploitability < bound
    assert solution.value[0] == pytest.approx(-1 / 18, abs=2 * bound)
    assert solution.exploitability == pytest.approx(cfr.exploitability(kuhn.Game(), solution.policy), abs=1e-12)


@pytest.mark.parametrize("merge_equal", [True, False])
def test_a_random_game_is_solved(merge_equal):
    game = Game(3, players=2, nodes=80, copies=2)
    solution = cfr.solve(game, "external", iterations=60_000, seed=2, merge_equal=merge_equal, every=60_000)
    exact = cfr.solve(game, "pcfr+", iterations=3000, target=1e-8)
    assert solution.exploitability < 0.01
    assert solution.value[0] == pytest.approx(exact.value[0], abs=0.02)


@pytest.mark.parametrize("method", ["external", "outcome"])
def test_one_player(method):
    game = GAMES["one"]
    root = reference.expand(game)
    best, _ = reference.best_response(root, reference.uniform(root), 0)
    solution = cfr.solve(game, method, iterations=20_000, seed=3, every=20_000)
    assert solution.value[0] == pytest.approx(best, abs=0.02)


# Seeds


@pytest.mark.parametrize("compile_bytes", [0, 1 << 20])
@pytest.mark.parametrize("method", ["external", "outcome"])
def test_a_seed_fixes_every_bit(method, compile_bytes):
    def run(seed):
        solution = cfr.solve(kuhn.Game(), method, iterations=200, seed=seed, compile_bytes=compile_bytes)
        return rows(solution.policy)

    assert run(5) == run(5)
    assert run(5) != run(6)


def test_a_new_seed_is_told():
    first = cfr.solve(kuhn.Game(), "external", iterations=50)
    again = cfr.solve(kuhn.Game(), "external", iterations=50, seed=first.settings["seed"])
    assert rows(first.policy) == rows(again.policy)


def test_when_one_looks_changes_nothing():
    often = cfr.solve(kuhn.Game(), "external", iterations=300, seed=1, every=1)
    once = cfr.solve(kuhn.Game(), "external", iterations=300, seed=1, every=300)
    assert often.history["iteration"].tolist() == list(range(1, 301))
    assert once.history["iteration"].tolist() == [300]
    assert rows(often.policy) == rows(once.policy)


# Games that are not compiled


@pytest.mark.parametrize("method", ["external", "outcome"])
def test_a_game_that_is_not_compiled(method):
    seen = []
    solution = sampling.solve(
        kuhn.Game(), method, iterations=400, seed=1, compile_bytes=0, callback=lambda s: seen.append(s.policy())
    )
    assert math.isnan(solution.exploitability)
    assert all(math.isnan(value) for value in solution.value)
    assert len(solution.value) == 2
    assert np.isnan(solution.history["exploitability"]).all()
    assert solution.tree_policy is None
    assert "not known" in solution.guarantee
    assert "kuhn" in str(solution)
    assert isinstance(solution.policy, PolicyTable)
    tree = cfr.compile(kuhn.Game())
    assert rows(solution.policy).keys() == rows(tree.uniform()).keys()
    assert solution.settings["infosets"] == 12
    assert (solution.settings["compiled"], solution.settings["dropped"]) == (False, 0)
    assert cfr.exploitability(tree, solution.policy) < 0.2
    assert all(isinstance(policy, PolicyTable) for policy in seen)
    same = sampling.solve(tree, method, iterations=400, seed=1, merge_equal=False)
    assert same.settings["compiled"]
    assert same.exploitability == pytest.approx(cfr.exploitability(tree, solution.policy), abs=1e-11)


def test_a_policy_without_texts():
    with_text = sampling.solve(kuhn.Game(), iterations=100, seed=1, compile_bytes=0)
    without = sampling.solve(kuhn.Game(), iterations=100, seed=1, compile_bytes=0, keep_text=False)
    assert with_text.policy.has_text
    assert not without.policy.has_text
    for key, row in rows(with_text.policy).items():
        assert without.policy.action_probabilities(key[1], key[0]) == row


class Wide:
    """One of many cards is drawn and seen; then it is kept (worth its number) or not. One player."""

    CARDS = 1300

    def __init__(self, length=8):
        self.length = length

    def new_initial_state(self):
        return WideState(self.length)

    def num_players(self):
        return 1

    def get_parameters(self):
        return {"length": self.length}

    def __str__(self):
        return "wide"


OUTCOMES = [(card, 1 / Wide.CARDS) for card in range(Wide.CARDS)]


class WideState:
    def __init__(self, length, path=()):
        self.length, self.path = length, path

    def current_player(self):
        return (-1, 0, -4)[len(self.path)]

    def chance_outcomes(self):
        return OUTCOMES

    def legal_actions(self):
        return [0, 1]

    def child(self, action):
        return WideState(self.length, (*self.path, action))

    def returns(self):
        return [float(self.path[0] * self.path[1])]

    def information_state_string(self, player):
        return str(self.path[0]).zfill(self.length)


@pytest.mark.parametrize("keep_text", [True, False])
@pytest.mark.parametrize("method", ["external", "outcome"])
def test_a_full_table(method, keep_text):
    """What finds no place is played uniformly, counted, and left out of the policy."""
    sizes = []
    for max_bytes in (1, 90_000, 120_000, 1 << 24):
        options = {"compile_bytes": 0, "max_bytes": max_bytes, "keep_text": keep_text, "every": 2500}
        solution = sampling.solve(Wide(), method, iterations=2500, seed=1, **options)
        sizes.append(len(solution.policy))
        assert solution.settings["infosets"] == len(solution.policy)
        assert all(math.fsum(row.probabilities) == pytest.approx(1) for row in solution.policy)
        assert (solution.settings["dropped"] > 0) == (max_bytes < 1 << 24)
    assert sizes == sorted(sizes)
    assert 0 == sizes[0] < sizes[1] < sizes[-1]


@pytest.mark.parametrize("keep_text", [True, False])
def test_the_room_of_a_table_is_kept(keep_text):
    """Texts count too, if they are kept."""
    run = sampling.Sampled(Wide(400), Rng(1), max_bytes=100_000, keep_text=keep_text)
    run.external(2500)
    texts = sum(len(text) for text in run.texts or [])
    assert texts + 8 * run.table.rows < run.table.num_bytes
    assert 50_000 < run.table.num_bytes <= 100_000
    assert run.table.dropped > 0


def test_room_for_the_table_goes_through_cfr_solve():
    """`max_bytes` of a game that is sampled uncompiled is the room for its table."""
    solution = cfr.solve(kuhn.Game(), "external", iterations=50, seed=1, compile_bytes=0, max_bytes=1)
    assert solution.settings["dropped"] > 0


def test_games_that_draw_by_themselves():
    pyspiel = pytest.importorskip("pyspiel")
    kinds = [k for k in pyspiel.registered_games() if "SAMPLED" in str(k.chance_mode) and k.default_loadable]
    game = pyspiel.load_game(kinds[0].short_name)
    with pytest.raises(CompileError):
        cfr.compile(game)


def test_the_table_is_made_when_it_is_asked_for():
    """Once, whoever asks first; what is done to the settings in between is not in it."""
    solution = cfr.solve("kuhn", "outcome", iterations=50, seed=2, compile_bytes=0)
    before = dict(solution.settings)
    solution.settings["game"] = "another"
    with ThreadPoolExecutor(4) as pool:
        tables = list(pool.map(lambda _: solution.policy, range(8)))
    assert all(table == tables[0] for table in tables)
    assert solution.policy is solution.policy
    assert solution.make_policy is None
    assert {key: solution.policy.meta[key] for key in before} == before
    other = cfr.solve("kuhn", "outcome", iterations=50, seed=2, compile_bytes=0)
    again = pickle.loads(pickle.dumps(other))
    assert again.make_policy is None
    assert again.policy == other.policy


def test_a_large_game_is_sampled_uncompiled():
    solution = cfr.solve("scout(players=3)", "outcome", iterations=5, seed=1, compile_bytes=1 << 20)
    assert not solution.settings["compiled"]
    assert len(solution.policy) > 0
    assert {row.player for row in solution.policy} == {0, 1, 2}


DEEP = """
import sys, threading
from solver import cfr

class State:
    def __init__(self, steps=0, stopped=False):
        self.steps, self.stopped = steps, stopped
    def current_player(self):
        return -4 if self.stopped or self.steps == 5000 else 0
    def legal_actions(self):
        return [0, 1]
    def child(self, action):
        return State(self.steps + action, not action)
    def returns(self):
        return [float(self.steps)]
    def information_state_string(self, player):
        return str(self.steps)

class Game:
    def new_initial_state(self):
        return State()
    def num_players(self):
        return 1
    def get_parameters(self):
        return {}
    def __str__(self):
        return "deep"

def work():
    solution = cfr.solve(Game(), sys.argv[1], iterations=2, seed=1, compile_bytes=int(sys.argv[2]))
    print(len(solution.policy))

threading.stack_size(1 << 18)
thread = threading.Thread(target=work)
thread.start()
thread.join()
"""


@pytest.mark.parametrize("compile_bytes", [1 << 28, 0])
def test_a_deep_game_does_not_break_the_stack(compile_bytes):
    """5,000 decisions one after the other, on a small stack and beyond Python's limit of recursion."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", DEEP, "external", str(compile_bytes)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "5000\n", "")


class Dealt:
    """A state after some of 400 draws of ten cards each, which no one sees; then one player decides, for 0 or 1."""

    def __init__(self, draws=0, payoff=None):
        self.draws, self.payoff = draws, payoff

    def current_player(self):
        return -1 if self.draws < 400 else 0 if self.payoff is None else -4

    def chance_outcomes(self):
        return [(card, 0.1) for card in range(10)]

    def legal_actions(self):
        return [0, 1]

    def child(self, action):
        return Dealt(self.draws + 1) if self.draws < 400 else Dealt(self.draws, action)

    def returns(self):
        return [float(self.payoff)]

    def information_state_string(self, player):
        return "dealt"


class LongDeal(Wide):
    def new_initial_state(self):
        return Dealt()


def test_a_deal_of_many_cards():
    """How unlikely a deal is cancels out; multiplied up it would be 0."""
    solution = sampling.solve(LongDeal(), "outcome", iterations=100, seed=1, compile_bytes=0, every=100)
    assert solution.policy.action_probabilities("dealt", 0)[1] > 0.8


@pytest.mark.parametrize("name", ["bakerstreet", "scout(players=5,rounds=match)"])
def test_a_long_match(name):
    """Hundreds of draws and moves to the end."""
    assert len(cfr.solve(name, "outcome", iterations=20, seed=1, compile_bytes=0).policy) > 100


# Stopping, arguments


def test_target():
    solution = cfr.solve(kuhn.Game(), "external", target=0.05, seed=1, every=100)
    gaps = solution.history["exploitability"]
    assert gaps[-1] == solution.exploitability <= 0.05
    assert (gaps[:-1] > 0.05).all()


def test_seconds():
    for compile_bytes in (0, 1 << 20):
        solution = cfr.solve(kuhn.Game(), "external", seconds=0.02, seed=1, compile_bytes=compile_bytes)
        assert solution.seconds >= 0.02
        assert solution.iterations >= 1


def test_callback_can_stop():
    solution = cfr.solve(kuhn.Game(), "outcome", iterations=500, every=10, seed=1, callback=lambda s: s.iteration == 20)
    assert solution.iterations == 20


def test_exploration_of_one_samples_uniformly():
    assert cfr.solve(kuhn.Game(), "outcome", iterations=200_000, seed=1, exploration=1).exploitability < 0.05


WRONG = [
    {"method": "average"},
    {"iterations": 0},
    {"iterations": 1.5},
    {"every": 0},
    {"seconds": -1},
    {"target": 0},
    {"target": 0.1, "compile_bytes": 0},
    {"weighting": "quadratic"},
    {"exploration": 0},
    {"exploration": 1.1},
    {"exploration": float("nan")},
    {"exploration": "much"},
    {"baseline": -0.1},
    {"baseline": 1.5},
    {"baseline": "none"},
    {"seed": -1},
    {"seed": "x"},
    {"max_bytes": "x", "compile_bytes": 0},
    {"max_bytes": -1, "compile_bytes": 0},
    {"compile_bytes": "x"},
]


@pytest.mark.parametrize("arguments", WRONG, ids=repr)
def test_arguments_out_of_range(arguments):
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        sampling.solve(kuhn.Game(), **{"iterations": 3} | arguments)
