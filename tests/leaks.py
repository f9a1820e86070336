"""`python -m tests.leaks`: many searches, solves, loads and errors in flat memory. `make leaks` runs it."""

from __future__ import annotations

import argparse
import gc
import os
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from rich.console import Console

from solver import Rng, arena, bakerstreet, cfr, games, ismcts, kuhn, pimc, policy, sampling, scout
from solver.errors import SolverError
from solver.policy import PolicyTable

LINE = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
WARM = 0.1  # share of the work before memory is looked at first
ROOM = 2 << 20  # bytes that may come on top: the allocator's own
WORDS_OF_A_LEAK = 16  # bytes for each time, of which one leaked object would take more


def resident() -> int:
    """Bytes of this process that are in memory."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def growth(work: Callable[[int], Any], times: int) -> tuple[int, int]:
    """Bytes by which memory grows while work is done so often, and how many are allowed."""
    warm = max(1, int(times * WARM))
    for number in range(warm):
        work(number)
    before = resident()
    for number in range(warm, times):
        work(number)
    return resident() - before, ROOM + WORDS_OF_A_LEAK * (times - warm)


def works(folder: Path, searches: int, loads: int) -> dict[str, tuple[Callable[[int], Any], int]]:
    """What is done, and how often."""
    scouting = scout.parse(LINE)
    street = bakerstreet.Game()
    state = street.deal(seed=3)
    tree = cfr.compile(kuhn.Game())
    table = cfr.solve(tree, iterations=5).policy
    path = folder / "kuhn.policy"
    table.save(path)
    text = table.to_json()
    table.to_parquet(folder / "kuhn.parquet")
    cut = folder / "cut.policy"
    cut.write_bytes(path.read_bytes()[:-9])
    poker = kuhn.Game().new_initial_state()
    poker.apply_action(2)
    poker.apply_action(0)

    def step(number: int) -> None:
        hand = scout.Game(players=3).deal(seed=number)
        for _ in range(5):
            hand.apply_action(hand.legal_actions()[0])
        str(hand.position(0)), hand.clone(), hand.information_state_string(1)

    def fail(number: int) -> None:
        for wrong in (lambda: games.parse(f"scout | hand {number}"), lambda: policy.load(cut)):
            with suppress(SolverError):
                wrong()

    return {
        "search": (lambda n: ismcts.search(scouting, 2, seed=n), searches),
        "search of a state": (lambda n: ismcts.search(state, 1, seed=n) if n % 8 else None, searches // 4),
        "perfect information": (lambda n: pimc.search(scouting, 1, iterations=2, seed=n), searches // 10),
        "search in Python": (lambda n: ismcts.search(poker, 2, seed=n), searches // 20),
        "solve": (lambda n: cfr.solve(tree, iterations=1), searches // 100),
        "sample": (lambda n: sampling.solve("kuhn", iterations=1, seed=n, compile_bytes=0), searches // 100),
        "arena": (lambda n: arena.play("kuhn", ["random", "random"], deals=1, seed=n), searches // 500),
        "play": (step, searches // 10),
        "positions": (lambda n: scout.parse(LINE).sample(n).position(0), searches // 10),
        "streams": (lambda n: Rng(n).spawn(2), searches // 10),
        "load": (lambda n: policy.load(path).action_probabilities("0", 0), loads),
        "load lazily": (lambda n: policy.load(path, verify="lazy").action_probabilities("0", 0), loads),
        "load JSON": (lambda n: PolicyTable.from_json(text), loads),
        "load Parquet": (lambda n: PolicyTable.from_parquet(folder / "kuhn.parquet"), loads // 5),
        "save": (lambda n: table.save(folder / "again.policy"), loads // 10),
        "errors": (fail, loads),
    }


def main() -> int:
    """Do all of it; 1 if memory grew."""
    parser = argparse.ArgumentParser(prog="python -m tests.leaks", description=__doc__)
    parser.add_argument("--searches", type=int, default=1_000_000)
    parser.add_argument("--loads", type=int, default=10_000)
    given = parser.parse_args()
    out = Console(highlight=False)
    out.print(f"{'what':<22}{'times':>10}{'grew by':>12}{'allowed':>12}", style="bold")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, (work, times) in works(Path(folder), given.searches, given.loads).items():
            grew, allowed = growth(work, times)
            failed += grew > allowed
            out.print(f"{name:<22}{times:>10,}{grew // 1024:>9,} kB{allowed // 1024:>9,} kB")
    out.print("memory is flat" if not failed else f"memory grew in {failed} of them")
    return min(1, failed)


if __name__ == "__main__":
    sys.exit(main())
