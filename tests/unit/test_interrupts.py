"""Ctrl-C in long calls: they end, by KeyboardInterrupt or with what there is, and their objects go on working.

How soon is measured by benchmarks/interrupt.py, not here.
"""

import signal
import threading

import pytest

from solver import arena, bakerstreet, cfr, duel, games, ismcts, kuhn, online, pimc, policy, sampling, scout

LINE = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
FAR = 10**9

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="signals to a thread are of Unix")


def interrupted(call):
    """What a call gives when Ctrl-C comes; None where it raises KeyboardInterrupt."""
    timer = threading.Timer(0.15, signal.pthread_kill, (threading.main_thread().ident, signal.SIGINT))
    timer.start()
    try:
        return call()
    except KeyboardInterrupt:
        return None
    finally:
        timer.cancel()
        timer.join()


def repeated(call):
    for _ in range(FAR):
        call()


POSITION = scout.parse(LINE)
# A search gives what it has when Ctrl-C comes, and would take the one that is meant for what follows.
SEARCHED = ismcts.search(POSITION, 100, seed=1)
TREE = cfr.compile(kuhn.Game())
TABLE = policy.uniform(kuhn.Game())


@pytest.mark.parametrize(
    ("call", "short"),
    [
        (lambda: pimc.search(POSITION, FAR), lambda: pimc.search(POSITION, 2, iterations=5)),
        (lambda: pimc.search(POSITION, 1, iterations=2**31 - 1), lambda: pimc.search(POSITION, 2, iterations=5)),
        (lambda: cfr.compile("duel"), lambda: cfr.compile("kuhn")),
        (lambda: policy.uniform(games.load("duel")), lambda: policy.uniform(games.load("kuhn"))),
        (lambda: scout.Game().playouts(FAR), lambda: scout.Game().playouts(3)),
        (lambda: bakerstreet.Game().playouts(FAR, 0, "planning"), lambda: bakerstreet.Game().playouts(3)),
        (lambda: scout.Game().learnt_contest(deals=FAR), lambda: scout.Game().learnt_contest(deals=3)),
        (lambda: scout.Game().learnt_samples(FAR), lambda: scout.Game().learnt_samples(3)),
        (lambda: repeated(lambda: cfr.nash_conv(TREE, TABLE)), lambda: cfr.nash_conv(TREE, TABLE)),
        (lambda: repeated(lambda: cfr.best_response(TREE, TABLE, 0)), lambda: cfr.best_response(TREE, TABLE, 0)),
        (lambda: repeated(TABLE.to_json), TABLE.to_json),
        (lambda: SEARCHED.explanation(FAR), lambda: SEARCHED.explanation(3)),
    ],
    ids=[
        "pimc",
        "a long deal",
        "compile",
        "uniform",
        "playouts",
        "planning",
        "learnt contest",
        "learnt samples",
        "nash_conv",
        "response",
        "json",
        "explain",
    ],
)
def test_calls_that_give_nothing(call, short):
    assert interrupted(call) is None
    assert short() is not None


@pytest.mark.parametrize(
    ("call", "short"),
    [
        (lambda: ismcts.search(POSITION, FAR), lambda: ismcts.search(POSITION, 10)),
        (lambda: ismcts.search(POSITION, FAR, threads=2), lambda: ismcts.search(POSITION, 10, threads=2)),
        (lambda: ismcts.search(POSITION, FAR, compiled=False), lambda: ismcts.search(POSITION, 2, compiled=False)),
        (lambda: online.solve(TREE, iterations=FAR), lambda: online.solve(TREE, iterations=2)),
        (lambda: cfr.solve(TREE, iterations=FAR), lambda: cfr.solve(TREE, iterations=2)),
        (lambda: sampling.solve(TREE, iterations=FAR), lambda: sampling.solve(TREE, iterations=2)),
        (
            lambda: sampling.solve("scout", "outcome", FAR, compile_bytes=0),
            lambda: sampling.solve("kuhn", iterations=2, compile_bytes=0),
        ),
        (lambda: duel.solve(0, 6, iterations=FAR), lambda: duel.solve(0, 3, iterations=2)),
        (lambda: arena.play("kuhn", ["random"], deals=FAR), lambda: arena.play("kuhn", ["random"], deals=2)),
    ],
    ids=["ismcts", "threads", "twin", "online", "cfr", "tree", "states", "duel", "arena"],
)
def test_calls_that_give_what_they_have(call, short):
    short()  # what it imports is there before Ctrl-C comes
    result = interrupted(call)
    assert result.interrupted
    assert not short().interrupted


def test_a_long_decision_in_an_arena(tmp_path):
    """It is broken off at once, not at its end; nothing of its deal is recorded, and the next run goes on."""
    path = tmp_path / "record"
    agents = ["random", "ismcts:1000000000"]
    assert interrupted(lambda: arena.play("scout(players=3)", agents, deals=5, seed=1, record=path)) is None
    assert path.read_bytes().count(b"\n") == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
