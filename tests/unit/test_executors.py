"""Where jobs run: here, in a pool of processes, on a Dask cluster of separate processes, with a worker killed.

And what comes of several samplings together.
"""

import os
import signal
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

from solver import arena, cfr, cli, executors, kuhn, leduc, sampling
from solver.errors import ArgumentError, CompileError, MissingExtraError
from solver.runs import Interrupt
from tests.reference.random_games import Game


@pytest.fixture
def cluster():
    """Of its own for each test: a worker that is killed while it starts again may stay away."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", protocol="tcp://"
    ) as started:
        yield started


@pytest.fixture
def client(cluster):
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster, set_as_default=False) as connected:
        connected.wait_for_workers(2)
        yield connected


def same(one, other):
    """Whether two solutions have the same policy, to the bit."""
    return all(
        np.array_equal(getattr(one.policy, name), getattr(other.policy, name))
        for name in ("keys", "players", "offsets", "actions", "probabilities")
    )


class Killer:
    """Kills a worker when so much is done; the other jobs have been handed over by then."""

    def __init__(self, client, at):
        self.client, self.at = client, at
        self.before = set(client.run(os.getpid).values())
        self.killed = 0

    def __call__(self, done, _other):
        if done == self.at:
            self.killed = min(self.before)
            os.kill(self.killed, signal.SIGKILL)

    def check(self):
        assert len(self.before) == 2
        assert self.killed in self.before
        assert self.killed not in self.client.run(os.getpid, on_error="ignore").values()


# ----------------------------------------------------------------------------------------------
# A cluster


def test_an_arena_on_dask_gives_the_same_bits_though_a_worker_is_killed(client, tmp_path):
    agents = ["ismcts:40", "planning"]
    here = arena.play("bakerstreet", agents, 30, seed=3, record=tmp_path / "here")
    kill = Killer(client, 3)
    there = arena.play(
        "bakerstreet", agents, 30, seed=3, executor=client.get_executor(), record=tmp_path / "there", progress=kill
    )
    assert there == here
    assert (tmp_path / "there").read_bytes() == (tmp_path / "here").read_bytes()
    kill.check()


@pytest.mark.parametrize("compile_bytes", [1 << 28, 0])
def test_samplings_on_dask_give_the_same_bits_though_a_worker_is_killed(client, compile_bytes):
    game, iterations = (leduc.Game(), 30_000) if compile_bytes else (kuhn.Game(), 2_000)
    options = {"iterations": iterations, "seed": 2, "runs": 5, "compile_bytes": compile_bytes}
    here = sampling.solve(game, **options)
    kill = Killer(client, iterations)
    there = sampling.solve(game, **options, executor=client.get_executor(), progress=kill)
    assert same(there, here)
    assert there.exploitability == here.exploitability or not compile_bytes
    assert {**there.settings, "seconds": 0} == {**here.settings, "seconds": 0}
    kill.check()


def test_the_command_on_dask(cluster, monkeypatch, capsys):
    def table(*words):
        monkeypatch.setattr(sys, "argv", ["solver", "arena", "kuhn", "--agents", "random", "--deals", "8", *words])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capsys.readouterr()
        return exit_.value.code or 0, out, err

    here, there = table(), table("--dask", cluster.scheduler_address)
    assert here == there
    assert here[0] == 0
    status, _, err = table("--dask", cluster.scheduler_address, "--workers", "2")
    assert status == 2
    assert "either workers or the address" in err


def test_a_scheduler_without_workers_and_one_with_others(monkeypatch):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=0, processes=False, dashboard_address=":0", protocol="tcp://", threads_per_worker=3
    ) as empty:
        with pytest.raises(ArgumentError, match="has no workers"), executors.opened(dask=empty.scheduler_address):
            pass
        empty.scale(1)
        empty.wait_for_workers(1)
        with executors.opened(dask=empty.scheduler_address) as executor:
            assert executors.slots(executor) == 3
            assert executor.submit(abs, -4).result() == 4
        with pytest.raises(RuntimeError, match="shutdown"):
            executor.submit(abs, -4)
        # workers are in this process, and so say what this one says
        monkeypatch.setattr(executors, "_version", lambda: "0.0.1")
        with (
            pytest.raises(ArgumentError, match=r"has version 0\.0\.1 of this library"),
            executors.opened(dask=empty.scheduler_address),
        ):
            pass


# ----------------------------------------------------------------------------------------------
# Opening


def test_what_is_opened_is_closed():
    with executors.opened() as executor:
        assert executor is None
    with executors.opened(2) as pool:
        assert executors.slots(pool) == 2
        assert pool.submit(os.getpid).result() != os.getpid()
    with pytest.raises(RuntimeError, match="shutdown"):
        pool.submit(os.getpid)


@pytest.mark.parametrize("workers", [0, -1, 1.5, True, "2", None])
def test_a_number_of_workers_that_is_none(workers):
    with pytest.raises(ArgumentError, match="workers is a whole number of at least 1"), executors.opened(workers):
        pass


def test_a_scheduler_that_does_not_answer(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(executors, "_CONNECT", "1s")
    for address in ("tcp://127.0.0.1:9", "nonsense://127.0.0.1:9"):
        with pytest.raises(ArgumentError, match="no scheduler of Dask answers at"), executors.opened(dask=address):
            pass


def test_dask_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(MissingExtraError, match=r"pip install 'cardsolver\[cluster\]'"),
        executors.opened(dask="tcp://127.0.0.1:9"),
    ):
        pass


# ----------------------------------------------------------------------------------------------
# Order


def double(number):
    if number == 7:
        raise ValueError("seven")
    return 2 * number


def test_results_are_in_order_and_jobs_are_taken_as_they_are_needed():
    taken = []

    def jobs():
        for number in range(8, 100):
            taken.append(number)
            yield number

    with ThreadPoolExecutor(1) as pool, Interrupt() as interrupt:
        results = executors.in_order(pool, double, jobs(), interrupt)
        assert next(results) == 16
        assert len(taken) == 8
        assert list(results) == [2 * number for number in range(9, 100)]
        assert len(taken) == 92
        with pytest.raises(ValueError, match="seven"):
            list(executors.in_order(pool, double, range(5, 10), interrupt))


def test_what_has_not_begun_is_cancelled():
    class Waits(ThreadPoolExecutor):
        def submit(self, function, /, *args, **kwargs):
            futures.append(Future() if futures else super().submit(function, *args, **kwargs))
            return futures[-1]

    futures = []
    with Waits(1) as pool, Interrupt() as interrupt:
        results = executors.in_order(pool, double, range(6), interrupt)
        assert next(results) == 0
        results.close()
        assert [future.cancelled() for future in futures] == [False] + [True] * 5
        interrupt.asked = True
        assert list(executors.in_order(pool, double, range(6), interrupt)) == []


# ----------------------------------------------------------------------------------------------
# Several samplings


@pytest.mark.parametrize("method", ["external", "outcome"])
def test_runs_are_the_mean_of_samplings_with_streams_of_their_own(method):
    tree = cfr.compile(leduc.Game())
    together = sampling.solve(tree, method, iterations=3000, seed=5, runs=4)
    alone = [
        sampling.solve(tree, method, iterations=3000, seed=stream) for stream in np.random.SeedSequence(5).spawn(4)
    ]
    # `stream` tells another seed for a spawned one: so by hand
    sums = 0
    for stream in np.random.SeedSequence(5).spawn(4):
        one = sampling._OnTree(tree, sampling.Rng(stream), True, 0.6, 0.5 if method == "outcome" else 0.0, True)
        getattr(one, method)(3000)
        sums = sums + one.sampler.average
    one.sampler.average[:] = sums
    for mine, theirs in zip(one.policy().probabilities, together.tree_policy.probabilities, strict=True):
        assert np.array_equal(mine, theirs)
    assert together.exploitability == one.exploitability()[0]
    assert together.exploitability < min(each.exploitability for each in alone)
    assert together.iterations == together.settings["iterations"] == 3000
    assert together.settings["runs"] == 4
    assert together.history["iteration"].tolist() == [3000]


def test_one_run_by_an_executor_is_a_plain_one():
    with ThreadPoolExecutor(1) as pool:
        there = sampling.solve(kuhn.Game(), iterations=500, seed=3, executor=pool)
        handed = cfr.solve(kuhn.Game(), "external", iterations=500, seed=3, executor=pool, runs=1)
    plain = sampling.solve(kuhn.Game(), iterations=500, seed=3)
    assert same(there, plain)
    assert same(handed, plain)
    assert there.settings["runs"] == 1


@pytest.mark.parametrize("method", ["external", "outcome"])
@pytest.mark.parametrize("game", [kuhn.Game(), Game(10, players=3, zero_sum=False, nodes=80)])
def test_runs_of_a_game_that_is_not_compiled(game, method):
    options = {"iterations": 300, "seed": 1, "runs": 3, "merge_equal": False}
    there = sampling.solve(game, method, **options, compile_bytes=0)
    here = sampling.solve(game, method, **options)
    for row in there.policy:
        chances = here.policy.action_probabilities(row.text, row.player)
        assert list(chances.values()) == pytest.approx(row.probabilities, abs=1e-9)
    assert there.settings["dropped"] == 0
    # the least table, and texts of a few rows
    room = 2400 + (64 * 8 * game.num_players() if method == "outcome" else 0)
    tight = sampling.solve(game, method, **options, compile_bytes=0, max_bytes=room)
    assert tight.settings["dropped"] > 0
    assert 0 < len(tight.policy) < len(there.policy)
    assert there.policy.has_text
    assert not sampling.solve(game, method, **options, compile_bytes=0, keep_text=False).policy.has_text


def test_a_tree_too_large_to_be_sent_is_compiled_there(monkeypatch):
    expected = sampling.solve(kuhn.Game(), iterations=100, seed=3, runs=2)
    monkeypatch.setattr(sampling, "_SENT", 1)
    sent = []

    def compiled(game):
        sent.append(game)
        return cfr.compile(game)

    with ThreadPoolExecutor(1) as pool:
        tree = cfr.compile(kuhn.Game())
        monkeypatch.setattr(sampling, "compile_game", compiled)
        assert sampling.solve(tree, iterations=100, seed=3, runs=2, executor=pool).policy.meta["runs"] == 2
        assert sent == [tree.game] * 2
        there = sampling.solve(tree, iterations=100, seed=3, runs=2, executor=pool)
    assert same(there, expected)


@pytest.mark.parametrize("more", [{"target": 0.1}, {"callback": print}, {"every": 5}])
def test_what_needs_a_single_run(more):
    with pytest.raises(ArgumentError, match="are for a single run in this process"):
        sampling.solve(kuhn.Game(), iterations=10, runs=2, **more)


@pytest.mark.parametrize("runs", [0, 1.5, "2", True])
def test_runs_that_are_no_number(runs):
    with pytest.raises(ArgumentError, match="runs is a positive whole number"):
        sampling.solve(kuhn.Game(), iterations=10, runs=runs)
    with pytest.raises(ArgumentError, match="runs"):
        cfr.solve(kuhn.Game(), "dcfr", iterations=10, runs=2)


@pytest.mark.parametrize("compile_bytes", [1 << 28, 0])
def test_ctrl_c_keeps_the_runs_that_were_finished(compile_bytes):
    def stop(done, _seconds):
        if done == 40:
            signal.raise_signal(signal.SIGINT)

    options = {"iterations": 20, "seed": 1, "compile_bytes": compile_bytes}
    broken = sampling.solve(kuhn.Game(), runs=9, progress=stop, **options)
    assert broken.interrupted
    assert broken.settings["runs"] == 2
    whole = sampling.solve(kuhn.Game(), runs=2, **options)
    assert same(broken, whole)
    assert not whole.interrupted


INTERRUPTED = """
import signal, threading
from solver import leduc, sampling
signal.signal(signal.SIGINT, signal.default_int_handler)
threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
try:
    sampling.solve(leduc.Game(), iterations=10**9, seed=1, runs=2)
except KeyboardInterrupt:
    print("nothing was finished")
"""


def test_ctrl_c_in_the_first_run():
    done = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "nothing was finished\n"


def test_runs_that_contradict_each_other():
    one, other = (sampling.Sampled(game, sampling.Rng(1)) for game in (kuhn.Game(), leduc.Game()))
    keys = one._row(1, 2, 0, [0, 1], "x"), other._row(1, 2, 0, [0, 2], "x")
    assert keys == (0, 0)
    with pytest.raises(CompileError, match="legal actions"):
        one.add(other.learnt())


def test_workers_end_with_who_started_them():
    """Also where that is killed and can no longer tell them to."""
    code = (
        "import os, time\nfrom solver import executors\n"
        "if __name__ == '__main__':\n"
        "    with executors.opened(workers=2) as pool:\n"
        "        print(pool.submit(os.getpid).result(), flush=True)\n"
        "        time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert int(process.stdout.readline()) != process.pid
        process.kill()
        # the workers hold the other end of standard output, too
        assert process.communicate(timeout=30) == ("", None)
