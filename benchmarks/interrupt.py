"""How long a long call takes to react to Ctrl-C, at every door, and whether its objects can be used afterwards.

`python benchmarks/interrupt.py` prints a table; 100 ms is the aim.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from solver import arena, bakerstreet, cfr, duel, evaluate, games, ismcts, online, pimc, policy, sampling, scout
from solver.policy import PolicyTable

AFTER = 0.25  # seconds from the start of a call to Ctrl-C
TRIES = 3
LINE = (
    "scout(players=4) | seat 1 | hand 7/2 4/6 4/10 4/1 9/5 8/5 2/6 3/1 | table 3/7 3/9 by 0 "
    "| cards 8 8 11 11 | chips 1 0 0 0 | score 2 2 0 0"
)

Door = tuple[str, Callable[[], Any], Callable[[], Any]]


def doors(folder: Path) -> list[Door]:
    """Name, a call that takes seconds, and a short one on the same objects."""
    position = scout.parse(LINE)
    street = bakerstreet.Game().deal(seed=1)
    while street.is_chance_node() or len(street.legal_actions()) < 2:
        street.apply_action(street.legal_actions()[0])
    place = street.position(street.current_player())
    leduc = cfr.compile("leduc")
    wide = cfr.compile("duel(bids=0+4+8+10+12+13+15+18)")
    average = wide.uniform()
    kuhn = games.load("kuhn").new_initial_state()
    for action in (2, 0):
        kuhn.apply_action(action)
    rows = 200_000
    big = PolicyTable.build(
        [str(i) for i in range(rows)], np.zeros(rows, np.int8), np.arange(rows + 1), np.zeros(rows, int), np.ones(rows)
    )
    path, other = folder / "big.policy", folder / "other"
    big.save(path)
    big.to_json(folder / "big.json")
    big.to_parquet(folder / "big.parquet")
    far = 10**9

    def again(call: Callable[[], Any], times: int = far) -> Callable[[], Any]:
        def repeated() -> None:
            for _ in range(times):
                call()

        return repeated

    def short(call: Callable[..., Any], *args: Any, **options: Any) -> Callable[[], Any]:
        return lambda: call(*args, **options)

    return [
        ("ismcts.search, SCOUT", short(ismcts.search, position, far), short(ismcts.search, position, 50)),
        (
            "ismcts.search, 2 threads",
            short(ismcts.search, position, far, threads=2),
            short(ismcts.search, position, 50, threads=2),
        ),
        ("ismcts.search, Baker Street", short(ismcts.search, place, far), short(ismcts.search, place, 50)),
        (
            "ismcts.search, Python",
            short(ismcts.search, position, far, compiled=False),
            short(ismcts.search, position, 5, compiled=False),
        ),
        ("explain", short(ismcts.search(position, 500, seed=1).explanation, far), short(again, None)),
        ("pimc.search", short(pimc.search, position, far), short(pimc.search, position, 2)),
        (
            "pimc.search, long deals",
            short(pimc.search, position, 2, iterations=2**31 - 1),
            short(pimc.search, position, 2),
        ),
        ("online.search", short(online.search, kuhn, iterations=far), short(online.search, kuhn, iterations=20)),
        (
            "online.search in a game",
            short(online.search, kuhn, iterations=far, game="kuhn"),
            short(online.search, kuhn, iterations=20, game="kuhn"),
        ),
        ("online.solve", short(online.solve, leduc, iterations=far), short(online.solve, leduc, iterations=20)),
        ("cfr.solve", short(cfr.solve, leduc, iterations=far), short(cfr.solve, leduc, iterations=5)),
        ("cfr.solve, large tree", short(cfr.solve, wide, iterations=far), short(cfr.solve, wide, iterations=2)),
        (
            "cfr.solve, 2 threads",
            short(cfr.solve, wide, iterations=far, threads=2),
            short(cfr.solve, wide, iterations=2, threads=2),
        ),
        ("cfr.compile", short(cfr.compile, "duel(low=0,high=20)"), short(cfr.compile, "kuhn")),
        (
            "sampling on a tree",
            short(sampling.solve, wide, iterations=far),
            short(sampling.solve, wide, iterations=5),
        ),
        (
            "sampling over states",
            short(sampling.solve, "scout", "outcome", far, compile_bytes=0),
            short(sampling.solve, "kuhn", iterations=5, compile_bytes=0),
        ),
        (
            "external sampling of SCOUT",
            short(sampling.solve, "scout", iterations=far, compile_bytes=0),
            short(sampling.solve, "kuhn", iterations=5, compile_bytes=0),
        ),
        (
            "duel.solve",
            short(duel.solve, bids=duel.DEFAULT_BIDS, iterations=far),
            short(duel.solve, 0, 5, iterations=2),
        ),
        (
            "evaluate.nash_conv",
            again(short(evaluate.nash_conv, wide, average)),
            short(evaluate.nash_conv, wide, average),
        ),
        (
            "evaluate.best_response",
            again(short(evaluate.best_response, wide, average, 0)),
            short(evaluate.best_response, wide, average, 0),
        ),
        (
            "arena.play",
            short(arena.play, "scout", ["planning", "greedy"], deals=far),
            short(arena.play, "kuhn", ["random"], deals=2),
        ),
        (
            "arena.play, long decisions",
            short(arena.play, "scout", ["ismcts:1000000000", "random"], deals=far),
            short(arena.play, "kuhn", ["random"], deals=2),
        ),
        ("playouts, SCOUT", short(scout.Game().playouts, far), short(scout.Game().playouts, 5)),
        ("playouts, planning", short(scout.Game().playouts, far, 0, "planning"), short(scout.Game().playouts, 5)),
        ("playouts, Baker Street", short(bakerstreet.Game().playouts, far), short(bakerstreet.Game().playouts, 5)),
        ("policy.uniform", short(policy.uniform, games.load("duel")), short(policy.uniform, games.load("kuhn"))),
        ("PolicyTable.save", again(short(big.save, other)), short(policy.load, path)),
        ("policy.load", again(short(policy.load, path, verify="full")), short(policy.load, path)),
        ("PolicyTable.to_json", again(short(big.to_json, other)), short(policy.load, path)),
        ("PolicyTable.from_json", again(short(PolicyTable.from_json, folder / "big.json")), short(policy.load, path)),
        ("PolicyTable.to_parquet", again(short(big.to_parquet, other)), short(policy.load, path)),
        (
            "PolicyTable.from_parquet",
            again(short(PolicyTable.from_parquet, folder / "big.parquet")),
            short(policy.load, path),
        ),
        ("PolicyTable.merge", again(short(big.merge, big)), short(big.row, 0)),
        ("PolicyTable.compare", again(short(big.compare, big)), short(big.row, 0)),
    ]


def latency(call: Callable[[], Any]) -> tuple[float, str]:
    """Seconds from Ctrl-C to the end of the call, and how it ended."""
    pressed = 0.0

    def press() -> None:
        nonlocal pressed
        pressed = time.perf_counter()
        signal.raise_signal(signal.SIGINT) if sys.platform == "win32" else signal.pthread_kill(
            threading.main_thread().ident or 0, signal.SIGINT
        )

    timer = threading.Timer(AFTER, press)
    timer.start()
    try:
        result = call()
        ended = "result" if pressed else "too early"
        ended = "result" if getattr(result, "interrupted", True) else ended
    except KeyboardInterrupt:
        ended = "KeyboardInterrupt"
    took = time.perf_counter() - pressed
    timer.cancel()
    timer.join()
    return took, ended


def main() -> None:
    """Press Ctrl-C in every call and print what came of it."""
    out = Console(highlight=False)
    out.print(f"{'call':<28}{'median':>8}{'longest':>9}  ends with", style="bold")
    chosen = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        for name, call, after in doors(Path(folder)):
            if chosen and not any(word in name for word in chosen):
                continue
            found = [latency(call) for _ in range(TRIES)]
            after()
            times = sorted(took for took, _ in found)
            ends = " ".join(sorted({ended for _, ended in found}))
            out.print(f"{name:<28}{times[TRIES // 2] * 1e3:5.0f} ms{times[-1] * 1e3:6.0f} ms  {ends}")


if __name__ == "__main__":
    main()
