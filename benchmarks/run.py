"""Speed of the library, beside a plain C program where there is one: `make bench`.

Ratios are taken in one run, the two sides in turn, best of a few rounds: these are what to trust on
a shared machine. The C program (scout_playouts.c) does the same bit-plane work, compiled with -O3.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from solver import bench, ismcts, scout
from solver._core import Rng
from solver._ismcts import Tree, time_samples

HERE = Path(__file__).parent
ROUNDS = 5


def start(players: int, seed: int = 1) -> scout.Position:
    """The starter's position at its first turn."""
    return scout.Game(players=players).deal(seed=seed, turned=[False] * players).position(0)


def table(title: str, *columns: str) -> Table:
    """A plain table, the first column to the left."""
    result = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for i, column in enumerate(columns):
        result.add_column(column, justify="right" if i else "left")
    return result


def compile_c(folder: str) -> str | None:
    """The C program, or None without a compiler."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        return None
    program = str(Path(folder) / "scout_playouts")
    subprocess.run([compiler, "-O3", "-o", program, str(HERE / "scout_playouts.c")], check=True)
    return program


def playouts(rows: list[dict[str, Any]], games: int) -> Table:
    """Random play, decisions a second, against the C program; CPU seconds on both sides."""
    result = table("Random play, one core", "players", "M decisions/s", "plain C", "ratio", "decisions/round")
    with tempfile.TemporaryDirectory() as folder:
        program = compile_c(folder)
        for players in (2, 3, 4, 5):
            game = scout.Game(players=players)
            ours = theirs = 0.0
            for seed in range(ROUNDS):
                began = time.process_time()
                played = game.playouts(games, seed=seed)
                ours = max(ours, played.decisions / (time.process_time() - began))
                if program:
                    command = [program, str(players), str(games), str(seed + 1)]
                    done = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                    theirs = max(theirs, done["decisions"] / done["seconds"])
            ratio = ours / theirs if theirs else float("nan")
            rows.append({"what": "playouts", "players": players, "rate": ours, "plain_c": theirs, "ratio": ratio})
            result.add_row(
                str(players),
                f"{ours / 1e6:.1f}",
                f"{theirs / 1e6:.1f}",
                f"{ratio:.2f}",
                f"{played.decisions / games:.1f}",
            )
    return result


def searches(rows: list[dict[str, Any]], iterations: int) -> Table:
    """Search from the first turn, plain (random rollouts) and as it is by default, and its determinizations."""
    title = "Search from the first turn, one core, k iterations/s"
    result = table(title, "players", "plain", "default", "ns a sample", "MB a M nodes")
    for players in (2, 3, 4, 5):
        best, sample, by_default = 0.0, float("inf"), 0.0
        root = start(players).search_root()
        for seed in range(ROUNDS):
            began = time.process_time()
            ismcts.search(start(players), iterations=iterations, seed=seed, **bench.PLAIN)
            best = max(best, iterations / (time.process_time() - began))
            began = time.process_time()
            ismcts.search(start(players), iterations=iterations // 10, seed=seed)
            by_default = max(by_default, iterations / 10 / (time.process_time() - began))
            sample = min(sample, time_samples(root, Rng(seed), 200_000) / 200_000)
        tree = Tree(root, Rng(1), 4_000_000)
        while tree.num_nodes < 1_000_000:
            tree.run(20_000)
        size = tree.num_bytes / 1e6
        row = {"what": "search", "players": players, "rate": best, "default_rate": by_default}
        rows.append({**row, "sample_ns": sample * 1e9, "million_mb": size})
        result.add_row(
            str(players), f"{best / 1e3:.0f}", f"{by_default / 1e3:.0f}", f"{sample * 1e9:.0f}", f"{size:.0f}"
        )
    return result


def rules_of_play(rows: list[dict[str, Any]], deals: int) -> Table:
    """Whole rounds by fixed rules: planning in every seat, and the learnt rule in one of them."""
    result = table("Rounds by fixed rules, one core, k/s", "players", "planning", "learnt in one seat", "ratio")
    for players in (2, 3, 4, 5):
        game = scout.Game(players=players)
        planned = learnt = 0.0
        for seed in range(ROUNDS):
            began = time.process_time()
            game.playouts(players * deals, seed=seed, policy="planning")
            planned = max(planned, players * deals / (time.process_time() - began))
            began = time.process_time()
            game.learnt_contest(deals=deals, seed=seed)
            learnt = max(learnt, players * deals / (time.process_time() - began))
        rows.append({"what": "rules", "players": players, "planning": planned, "learnt": learnt})
        result.add_row(str(players), f"{planned / 1e3:.0f}", f"{learnt / 1e3:.0f}", f"{learnt / planned:.2f}")
    return result


def baker_street(rows: list[dict[str, Any]], scale: float) -> Table:
    """Baker Street's kernels, play and search; the best of a few rounds each."""
    best: dict[str, bench.Row] = {}
    for _ in range(ROUNDS):
        for row in bench.baker_street(scale / 4):
            if row.what not in best or row.rate > best[row.what].rate:
                best[row.what] = row
    result = table("Baker Street, one core", "what", "rate", "")
    for row in best.values():
        rows.append({"what": row.what, "rate": row.rate, "unit": row.unit})
        result.add_row(row.what, f"{row.rate:,.0f}", row.unit)
    return result


def imports(rows: list[dict[str, Any]]) -> Table:
    """Import of the package in a fresh interpreter."""
    code = "import time; t = time.perf_counter(); import solver; print(time.perf_counter() - t)"
    took = min(
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout)
        for _ in range(ROUNDS)
    )
    rows.append({"what": "import", "seconds": took})
    result = table("Import", "what", "seconds")
    result.add_row("import solver", f"{took:.3f}")
    return result


def main() -> None:
    """Run everything and print tables, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    scale = 0.1 if options.quick else 1.0
    rows: list[dict[str, Any]] = []
    tables = [
        playouts(rows, int(200_000 * scale)),
        rules_of_play(rows, int(10_000 * scale)),
        searches(rows, int(200_000 * scale)),
        baker_street(rows, scale),
        imports(rows),
    ]
    if options.json:
        print(json.dumps({"cpu_count": os.cpu_count(), "rows": rows}))
        return
    console = Console()
    for each in tables:
        console.print(each)
        console.print()


if __name__ == "__main__":
    main()
