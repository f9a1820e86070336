"""A seed fixes every bit: in this process and in a fresh one, alone and beside another thread, with one thread or two.

What is compared are the digests of tests/golden/make_digests.py, which has every entry point; there, in the file that
stands beside, they are compared between Pythons and machines.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from solver import Rng, bakerstreet, cfr, ismcts, online, pimc, scout
from tests.golden import make_digests


@pytest.fixture(scope="module")
def here():
    return dict(make_digests.rows(exact=True))


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_in_a_fresh_process(here, root, hash_seed):
    """Whatever order sets of strings have there."""
    command = [sys.executable, "-m", "tests.golden.make_digests", "--exact"]
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == make_digests.text(list(here.items()))


def test_beside_another_thread(here):
    """One thread goes through the entries from the first to the last, another from the last to the first."""
    entries = list(make_digests.ENTRIES)

    def through(names):
        return {name: make_digests.digest(name, exact=True) for name in names}

    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(through, (entries, entries[::-1])):
            assert found == here


@pytest.mark.parametrize("method", ["dcfr", "pcfr+"])
def test_with_two_threads(here, method):
    assert here[f"equilibrium in two threads {method}"] == here[f"equilibrium leduc {method}"]


STREAMED = {
    "deal": lambda rng: scout.Game(players=3).deal(seed=rng),
    "playouts": lambda rng: scout.Game(players=3).playouts(2, seed=rng),
    "playouts of planning": lambda rng: scout.Game(players=3).playouts(2, seed=rng, policy="planning"),
    "planning_contest": lambda rng: scout.Game(players=3).planning_contest(None, None, 2, seed=rng),
    "learnt_contest": lambda rng: scout.Game(players=3).learnt_contest(deals=2, seed=rng),
    "learnt_samples": lambda rng: scout.Game(players=3).learnt_samples(2, seed=rng),
    "value_samples": lambda rng: scout.Game(players=3).value_samples(2, seed=rng),
    "sample": lambda rng: scout.Game(players=3).deal(seed=1).position(0).sample(rng),
    "search_sample": lambda rng: scout.Game(players=3).deal(seed=1).position(0).search_sample(rng),
    "Baker Street's deal": lambda rng: bakerstreet.Game().deal(seed=rng),
    "Baker Street's playouts": lambda rng: bakerstreet.Game().playouts(2, seed=rng),
    "ismcts": lambda rng: ismcts.search(scout.Game(players=3).deal(seed=1).position(0), iterations=5, seed=rng),
    "pimc": lambda rng: pimc.search(scout.Game(players=3).deal(seed=1).position(0), deals=1, iterations=5, seed=rng),
    "mccfr": lambda rng: cfr.solve("kuhn", method="external", iterations=2, seed=rng),
    "online": lambda rng: online.solve("kuhn", method="oos", iterations=2, seed=rng),
}


@pytest.mark.parametrize("door", STREAMED)
def test_a_stream_is_moved_on(door):
    """Who gives a stream twice gets other chances the second time, and nowhere the same as the caller draws next."""
    rng = Rng(5)
    STREAMED[door](rng)
    assert rng.random() != Rng(5).random()
