"""Runs of `cfr.solve`: where they stop, what they tell, checkpoints, threads, Ctrl-C, and arguments out of range."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from solver import cfr, kuhn
from solver.errors import ArchiveError, ArgumentError, CompileError
from solver.policy import PolicyTable, load
from tests.reference.random_games import Game

LARGE = Game(17, players=3, zero_sum=False, nodes=2000)
METHODS = sorted(cfr.METHODS)


def same(a, b):
    """Equal to the bit, times apart."""
    return (
        all(map(np.array_equal, a.tree_policy.probabilities, b.tree_policy.probabilities))
        and (a.exploitability, a.value, a.iterations) == (b.exploitability, b.value, b.iterations)
        and a.history[["iteration", "exploitability"]].tolist() == b.history[["iteration", "exploitability"]].tolist()
    )


# Stopping


def test_iterations():
    solution = cfr.solve(kuhn.Game(), iterations=37)
    assert solution.iterations == 37
    assert solution.history["iteration"][-1] == 37
    assert solution.history["exploitability"][-1] == solution.exploitability
    assert (np.diff(solution.history["iteration"]) > 0).all()
    assert (np.diff(solution.history["seconds"]) >= 0).all()
    assert not solution.interrupted


def test_a_thousand_iterations_by_default():
    assert cfr.solve(kuhn.Game()).iterations == 1000


def test_every():
    solution = cfr.solve(kuhn.Game(), iterations=25, every=10)
    assert solution.history["iteration"].tolist() == [10, 20, 25]
    often = cfr.solve(kuhn.Game(), iterations=25, every=1)
    assert often.history["iteration"].tolist() == list(range(1, 26))
    assert often.history["exploitability"][[9, 19, 24]].tolist() == solution.history["exploitability"].tolist()


def test_target():
    solution = cfr.solve(kuhn.Game(), "cfr+", target=1e-3, every=5)
    gaps = solution.history["exploitability"]
    assert gaps[-1] == solution.exploitability <= 1e-3
    assert (gaps[:-1] > 1e-3).all()
    assert solution.iterations % 5 == 0


def test_whichever_comes_first():
    assert cfr.solve(kuhn.Game(), "cfr", iterations=20, target=1e-9, seconds=600).iterations == 20
    assert cfr.solve(kuhn.Game(), "cfr", iterations=10**9, target=0.05, seconds=600).exploitability <= 0.05


def test_seconds():
    solution = cfr.solve(kuhn.Game(), "cfr", seconds=0.05)
    assert solution.seconds >= 0.05
    assert solution.iterations >= 1
    tiny = cfr.solve(kuhn.Game(), "cfr", seconds=1e-9)
    assert tiny.iterations == 1


def test_callback():
    seen = []
    solution = cfr.solve(kuhn.Game(), iterations=60, callback=seen.append)
    assert [s.iteration for s in seen] == solution.history["iteration"].tolist()
    assert [s.exploitability for s in seen] == solution.history["exploitability"].tolist()
    assert seen[-1].iteration == 60


def test_callback_gets_the_average_so_far():
    found = []

    def look(snapshot):
        found.append((snapshot.exploitability, cfr.exploitability(tree, snapshot.policy())))

    tree = cfr.compile(kuhn.Game())
    cfr.solve(tree, iterations=30, callback=look)
    assert len(found) > 5
    for told, exact in found:
        assert told == pytest.approx(exact, abs=1e-14)


def test_callback_can_stop():
    solution = cfr.solve(kuhn.Game(), iterations=1000, every=10, callback=lambda s: s.iteration >= 30)
    assert solution.iterations == 30
    assert not solution.interrupted


def test_a_callback_that_raises():
    def broken(snapshot):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        cfr.solve(kuhn.Game(), iterations=10, callback=broken)


@pytest.mark.parametrize("method", METHODS)
def test_a_solution_can_be_kept(method, tmp_path):
    """The table of every method goes to disk and back with what made it."""
    solution = cfr.solve(kuhn.Game(), method, iterations=20)
    assert isinstance(solution.policy, PolicyTable)
    solution.policy.save(tmp_path / "kuhn.policy")
    back = load(tmp_path / "kuhn.policy", game="kuhn")
    assert back == solution.policy
    assert back.meta["method"] == method
    assert back.meta["exploitability"] == solution.exploitability
    assert cfr.exploitability(kuhn.Game(), back) == pytest.approx(solution.exploitability, abs=1e-14)
    assert f"kuhn by {method}: 20 iterations" in str(solution)


# Threads


@pytest.mark.parametrize("alternating", [True, False])
@pytest.mark.parametrize("method", ["cfr", "dcfr", "pcfr+"])
def test_threads_change_no_bit(method, alternating):
    tree = cfr.compile(LARGE)
    one = cfr.solve(tree, method, iterations=40, alternating=alternating)
    for threads in (2, 3, 7):
        several = cfr.solve(tree, method, iterations=40, alternating=alternating, threads=threads)
        assert same(one, several)
        assert several.settings["threads"] == threads


def test_more_threads_than_information_states():
    one = cfr.solve(kuhn.Game(), iterations=30)
    assert same(one, cfr.solve(kuhn.Game(), iterations=30, threads=16))


def test_threads_on_leduc():
    pyspiel = pytest.importorskip("pyspiel")
    tree = cfr.compile(pyspiel.load_game("leduc_poker"))
    runs = [cfr.solve(tree, iterations=25, threads=n, merge_equal=False) for n in (1, 2, 3)]
    assert same(runs[0], runs[1])
    assert same(runs[0], runs[2])


def test_two_runs_at_once():
    """Runs in two threads of Python do not disturb each other."""
    tree = cfr.compile(LARGE)
    alone = cfr.solve(tree, iterations=200)
    found = [None, None]

    def work(i):
        found[i] = cfr.solve(tree, iterations=200, threads=1 + i)

    workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert same(alone, found[0])
    assert same(alone, found[1])


# Checkpoints


@pytest.mark.parametrize("merge_equal", [True, False])
@pytest.mark.parametrize("method", METHODS)
def test_a_run_that_goes_on_gives_the_same_bits(method, merge_equal, tmp_path):
    """100 iterations and 100 more are 200, to the bit."""
    game = Game(5, players=2, nodes=80, copies=2)
    whole = cfr.solve(game, method, iterations=200, merge_equal=merge_equal, horizon=200)
    options = {"merge_equal": merge_equal, "horizon": 200, "checkpoint": tmp_path / "run"}
    first = cfr.solve(game, method, iterations=100, **options)
    assert first.iterations == 100
    second = cfr.solve(game, method, iterations=200, **options)
    assert second.iterations == 200
    assert all(
        a.tobytes() == b.tobytes()
        for a, b in zip(whole.tree_policy.probabilities, second.tree_policy.probabilities, strict=True)
    )
    assert (whole.exploitability, whole.value) == (second.exploitability, second.value)
    # the clock goes on where it stood
    assert (np.diff(second.history["seconds"]) >= 0).all()


def test_a_run_that_goes_on_stops_where_the_whole_would(tmp_path):
    """When to look at the exploitability, and so where a target ends the run, hangs on the iteration alone."""
    whole = cfr.solve(kuhn.Game(), "cfr", target=2e-3)
    cfr.solve(kuhn.Game(), "cfr", iterations=100, horizon=1000, checkpoint=tmp_path / "run")
    second = cfr.solve(kuhn.Game(), "cfr", target=2e-3, horizon=1000, checkpoint=tmp_path / "run")
    # the first part also looked at its own end
    assert set(whole.history["iteration"].tolist()) == set(second.history["iteration"].tolist()) - {100}
    assert second.iterations == whole.iterations
    assert second.exploitability == whole.exploitability


def test_a_run_may_be_made_longer(tmp_path):
    """Where nothing changes over the run, its length is not part of the method."""
    cfr.solve(kuhn.Game(), "dcfr", iterations=100, checkpoint=tmp_path / "run")
    longer = cfr.solve(kuhn.Game(), "dcfr", iterations=200, checkpoint=tmp_path / "run")
    whole = cfr.solve(kuhn.Game(), "dcfr", iterations=200)
    assert longer.exploitability == whole.exploitability
    by_target = cfr.solve(kuhn.Game(), "dcfr", target=1e-4, checkpoint=tmp_path / "run")
    assert by_target.iterations > 200
    assert by_target.exploitability <= 1e-4


def test_the_horizon_of_a_schedule_is_part_of_a_run(tmp_path):
    cfr.solve(kuhn.Game(), "hs-dcfr", iterations=10, checkpoint=tmp_path / "run")
    with pytest.raises(ArgumentError, match="horizon is 10 there, 20 here"):
        cfr.solve(kuhn.Game(), "hs-dcfr", iterations=20, checkpoint=tmp_path / "run")


def test_a_finished_run_is_only_read(tmp_path):
    first = cfr.solve(kuhn.Game(), iterations=50, checkpoint=tmp_path / "run")
    again = cfr.solve(kuhn.Game(), iterations=50, checkpoint=tmp_path / "run")
    assert same(first, again)


def test_threads_may_change_from_run_to_run(tmp_path):
    whole = cfr.solve(LARGE, iterations=60)
    cfr.solve(LARGE, iterations=30, horizon=60, checkpoint=tmp_path / "run", threads=2)
    second = cfr.solve(LARGE, iterations=60, checkpoint=tmp_path / "run", threads=3)
    assert second.exploitability == whole.exploitability


OTHERS = {
    "method": ({"method": "cfr+"}, "method is dcfr there, cfr\\+ here"),
    "exponent": ({"alpha": 2.0}, "alpha"),
    "updates": ({"alternating": False}, "alternating"),
    "merging": ({"merge_equal": False}, "merge_equal"),
    "game": ({"game": Game(6, nodes=60)}, "game"),
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_checkpoint_of_another_run(what, tmp_path):
    change, message = OTHERS[what]
    options = {"game": kuhn.Game(), "method": "dcfr", "iterations": 20, "checkpoint": tmp_path / "run"}
    cfr.solve(**options)
    before = (tmp_path / "run").read_bytes()
    with pytest.raises(ArgumentError, match="of another run") as caught:
        cfr.solve(**options | change)
    assert str(tmp_path / "run") in str(caught.value)
    assert caught.match(message)
    assert (tmp_path / "run").read_bytes() == before


def test_a_checkpoint_of_a_game_that_changed(tmp_path):
    """Two games of the same name with other pay-offs are not the same."""

    class Renamed(Game):
        def __str__(self):
            return "my game"

    cfr.solve(Renamed(1, nodes=60), iterations=20, checkpoint=tmp_path / "run")
    with pytest.raises(ArgumentError, match="of another run: tree"):
        cfr.solve(Renamed(2, nodes=60), iterations=20, checkpoint=tmp_path / "run")


def test_damaged_checkpoints(tmp_path):
    """Whatever is broken in the file, the error says so; nothing is read half."""
    path = tmp_path / "run"
    cfr.solve(kuhn.Game(), iterations=20, checkpoint=path)
    good = path.read_bytes()
    rng = np.random.default_rng(1)
    for trial in range(60):
        bad = bytearray(good)
        if trial % 3 == 0:
            del bad[int(rng.integers(len(good))) :]
        else:
            bad[int(rng.integers(len(good)))] ^= 1 << int(rng.integers(8))
        path.write_bytes(bad)
        with pytest.raises(ArchiveError, match="run"):
            cfr.solve(kuhn.Game(), iterations=30, horizon=20, checkpoint=path)
    path.write_bytes(good)
    assert cfr.solve(kuhn.Game(), iterations=30, horizon=20, checkpoint=path).iterations == 30


def test_a_file_that_is_no_checkpoint(tmp_path):
    cfr.solve(kuhn.Game(), "dcfr", iterations=5).policy.save(tmp_path / "policy")
    (tmp_path / "text").write_text("nothing")
    for name in ("policy", "text"):
        with pytest.raises(ArchiveError, match=name):
            cfr.solve(kuhn.Game(), iterations=5, checkpoint=tmp_path / name)


def test_a_checkpoint_where_there_is_no_folder(tmp_path):
    """Said before the work, not after it."""
    seen = []
    with pytest.raises(ArgumentError, match="nowhere"):
        cfr.solve(kuhn.Game(), iterations=5, checkpoint=tmp_path / "nowhere" / "run", callback=seen.append)
    assert seen == []


# Ctrl-C and worse

CHILD = """
import signal, sys
from solver import cfr
from tests.reference.random_games import Game

signal.signal(signal.SIGINT, signal.default_int_handler)
game = Game(17, players=3, zero_sum=False, nodes=2000)
"""

KILLED = """
cfr.solve(game, "dcfr", iterations=10**9, horizon=1000, checkpoint=sys.argv[1], checkpoint_seconds=1e-6)
"""

INTERRUPTED = """
print("ready", flush=True)
solution = cfr.solve(game, "dcfr", iterations=10**9, every=10**8, horizon=1000, checkpoint=sys.argv[1],
                     checkpoint_seconds=1e-6)
print(solution.interrupted, solution.iterations, solution.history["iteration"][-1])
assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
"""


def child(code, *arguments):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-c", CHILD + code, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(path, process):
    """Until the child has written the file."""
    while not path.exists():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
def test_a_run_that_is_killed_goes_on(tmp_path):
    path = tmp_path / "run"
    process = child(KILLED, path)
    try:
        wait_for(path, process)
        time.sleep(0.1)
    finally:
        process.kill()
        process.communicate()
    options = {"horizon": 1000, "checkpoint": path}
    stopped = cfr.solve(LARGE, "dcfr", iterations=1, **options)
    assert stopped.iterations > 1
    goal = stopped.iterations + 50
    on = cfr.solve(LARGE, "dcfr", iterations=goal, **options)
    assert on.iterations == goal
    whole = cfr.solve(LARGE, "dcfr", iterations=goal, horizon=1000)
    assert on.exploitability == whole.exploitability
    assert on.value == whole.value


@pytest.mark.skipif(sys.platform == "win32", reason="a signal cannot be sent to a child")
def test_ctrl_c_gives_the_average_so_far(tmp_path):
    path = tmp_path / "run"
    process = child(INTERRUPTED, path)
    try:
        wait_for(path, process)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 0, errors
    interrupted, iterations, looked = out.split()[1:]
    assert interrupted == "True"
    assert 0 < int(iterations) < 10**9
    assert iterations == looked
    # what it had is what a run of so many iterations has
    resumed = cfr.solve(LARGE, "dcfr", iterations=1, horizon=1000, checkpoint=path)
    assert resumed.iterations == int(iterations)
    assert not resumed.interrupted


@contextlib.contextmanager
def default_handler():
    """As if the tests ran in the foreground."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 3])
def test_ctrl_c_in_the_middle(threads):
    """Pressed from another thread while the run goes."""
    timer = threading.Timer(0.1, signal.raise_signal, [signal.SIGINT])

    def start(snapshot):
        if snapshot.iteration == 50:
            timer.start()

    with default_handler():
        solution = cfr.solve(LARGE, "cfr", iterations=10**9, every=50, callback=start, threads=threads)
        timer.join()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert solution.interrupted
    assert solution.iterations < 10**9
    assert "(interrupted)" in str(solution)
    assert solution.exploitability == pytest.approx(cfr.exploitability(LARGE, solution.policy), abs=1e-12)


def test_a_signal_that_is_handled_otherwise_stays_so():
    caught = []
    before = signal.signal(signal.SIGINT, lambda number, frame: caught.append(number))
    try:
        look = lambda s: signal.raise_signal(signal.SIGINT) if s.iteration == 10 else None  # noqa: E731
        solution = cfr.solve(kuhn.Game(), iterations=30, every=5, callback=look)
    finally:
        signal.signal(signal.SIGINT, before)
    assert caught == [signal.SIGINT]
    assert solution.iterations == 30
    assert not solution.interrupted


def test_a_second_ctrl_c_raises():
    def twice(snapshot):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    with default_handler(), pytest.raises(KeyboardInterrupt):
        cfr.solve(kuhn.Game(), iterations=30, callback=twice)


# Arguments

WRONG = [
    {"method": "mccfr"},
    {"method": None},
    {"iterations": 0},
    {"iterations": -5},
    {"iterations": 2.0},
    {"iterations": True},
    {"iterations": "5"},
    {"every": 0},
    {"every": 1.5},
    {"target": 0},
    {"target": -1e-3},
    {"target": float("nan")},
    {"target": "small"},
    {"seconds": 0},
    {"seconds": float("inf")},
    {"horizon": 0},
    {"threads": 0},
    {"threads": -1},
    {"threads": 65},
    {"threads": 1.5},
    {"threads": "2"},
    {"alpha": "1"},
    {"alpha": True},
    {"alpha": float("nan")},
    {"alpha": (1, 2, 3)},
    {"alpha": (1.0, float("inf"))},
    {"beta": None, "gamma": -1.0},
    {"gamma": (2.0, -1.0)},
    {"method": "pcfr+", "beta": 0.5},
    {"checkpoint_seconds": -1},
    {"checkpoint_seconds": float("nan")},
    {"checkpoint_seconds": "60"},
    {"max_bytes": "8"},
    {"callback": 3},
    {"seed": 1},
    {"speed": 1},
    {"method": "external", "speed": 1},
]


@pytest.mark.parametrize("arguments", WRONG, ids=repr)
def test_arguments_out_of_range(arguments):
    with pytest.raises(ArgumentError) as caught:
        cfr.solve(kuhn.Game(), **{"iterations": 3} | arguments)
    assert any(str(name) in str(caught.value) for name in arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"threads": 2},
        {"alternating": False},
        {"alpha": 1.0},
        {"beta": 1.0},
        {"gamma": 1.0},
        {"horizon": 5},
        {"checkpoint": "run"},
    ],
    ids=repr,
)
def test_sampling_says_what_it_cannot_do(arguments, tmp_path, monkeypatch):
    """Nothing that is asked for is left out in silence."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ArgumentError, match=next(iter(arguments))):
        cfr.solve(kuhn.Game(), "external", iterations=3, seed=1, **arguments)


def test_the_largest_size():
    with pytest.raises(CompileError, match="too large") as caught:
        cfr.solve(kuhn.Game(), iterations=3, max_bytes=1000)
    assert caught.value.too_large


def test_exponents_that_are_given():
    """dcfr with the exponents of others is the others."""
    infinite = float("inf")
    for method, alpha, beta, gamma in (
        ("cfr", infinite, infinite, 0.0),
        ("cfr+", infinite, -infinite, 1.0),
        ("lcfr", 1.0, 1.0, 1.0),
    ):
        given = cfr.solve(kuhn.Game(), "dcfr", iterations=50, alpha=alpha, beta=beta, gamma=gamma)
        assert given.exploitability == cfr.solve(kuhn.Game(), method, iterations=50).exploitability
    constant = cfr.solve(kuhn.Game(), "dcfr", iterations=50, alpha=(1.5, 1.5), gamma=(2, 2))
    assert constant.exploitability == cfr.solve(kuhn.Game(), "dcfr", iterations=50).exploitability


def test_settings_tell_what_made_it():
    settings = cfr.solve(kuhn.Game(), "hs-dcfr", iterations=30).settings
    expected = {"game": "kuhn", "method": "hs-dcfr", "horizon": 30, "alternating": True, "iterations": 30, "threads": 1}
    assert {key: settings[key] for key in expected} == expected
    assert settings["alpha"] in ((1.0, 4.0), [1.0, 4.0])
