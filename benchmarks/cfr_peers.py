"""Speed of CFR beside other solvers: OpenSpiel, LiteEFG and donksolver, all in one run, one thread each.

    python benchmarks/cfr_peers.py [--quick] [--json]

A peer that is not installed is skipped with a note. Rates are CPU time, the best of a few rounds, the sides
in turn; on a shared machine trust the ratios. "merged" is `cfr.solve` as it is by default (information
states that cannot be told apart are merged first), "plain" is without; both do the same iterations.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import json
import time
from collections.abc import Callable
from typing import Any

from rich.console import Console
from rich.table import Table
from run import table

from solver import cfr, duel

ROUNDS = 3


def load(name: str, notes: list[str]) -> Any:
    """A peer's module, or None with a note."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        notes.append(f"{name} is not installed ({error}): skipped")
        return None


def rate(work: Callable[[int], object], count: int) -> float:
    """How often a second, by CPU time."""
    began = time.process_time()
    work(count)
    return count / (time.process_time() - began)


def best(work: Callable[[int], object], count: int) -> float:
    """The best of a few rounds."""
    return max(rate(work, count) for _ in range(ROUNDS))


def ours(tree: cfr.Tree, merged: bool, method: str = "cfr+") -> Callable[[int], object]:
    """Iterations of our solver, with one exploitability at the end."""
    return lambda n: cfr.solve(tree, method, iterations=n, every=n, merge_equal=merged)


def lite_efg(module: Any, game: Any) -> Callable[[int], object]:
    """Iterations of LiteEFG's CFR+ with the linear average."""
    with contextlib.redirect_stdout(io.StringIO()):
        graph = importlib.import_module("LiteEFG.baselines.CFRplus").graph()
        environment = module.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=False)
        environment.set_graph(graph)

    def work(count: int) -> None:
        for _ in range(count):
            graph.update_graph(environment)
            environment.update_strategy(graph.current_strategy())

    return work


def iterations(rows: list[dict[str, Any]], pyspiel: Any, efg: Any, scale: float) -> Table:
    """CFR+ iterations a second."""
    shown = table("CFR+ iterations/s", "game", "plain", "merged", "OpenSpiel", "ratio", "LiteEFG", "ratio")
    # game, then iterations of ours, of OpenSpiel and of LiteEFG
    for name, mine, theirs, lite in (("leduc_poker", 20_000, 60, 300), ("liars_dice", 1000, 5, 5)):
        game = pyspiel.load_game(name)
        tree = cfr.compile(game)
        plain, merged, spiel, lites = 0.0, 0.0, 0.0, float("nan")
        graph = lite_efg(efg, game) if efg else None
        solver = pyspiel.CFRPlusSolver(game)

        def peer(count: int, solver: Any = solver) -> None:
            for _ in range(count):
                solver.evaluate_and_update_policy()

        for _ in range(ROUNDS):
            plain = max(plain, rate(ours(tree, False), max(1, int(mine * scale))))
            spiel = max(spiel, rate(peer, max(1, int(theirs * scale))))
            merged = max(merged, rate(ours(tree, True), max(1, int(mine * scale))))
            if graph:
                lites = max(rate(graph, max(1, int(lite * scale))), 0.0 if lites != lites else lites)
        row = {"game": name, "plain": plain, "merged": merged, "openspiel": spiel, "lite_efg": lites}
        rows.append({"what": "cfr+", **row, "ratio": plain / spiel, "ratio_merged": merged / spiel})
        shown.add_row(
            name,
            f"{plain:,.0f}",
            f"{merged:,.0f}",
            f"{spiel:,.1f}",
            f"{plain / spiel:,.0f} / {merged / spiel:,.0f}",
            f"{lites:,.1f}",
            f"{plain / lites:,.0f} / {merged / lites:,.0f}",
        )
    return shown


def nash_conv(rows: list[dict[str, Any]], pyspiel: Any, scale: float) -> Table:
    """Exact NashConv of a policy on a compiled game."""
    shown = table(
        "NashConv of the uniform policy", "game", "ours, ms", "of a dictionary", "OpenSpiel", "ratio", "of a dictionary"
    )
    for name, count, peers in (("leduc_poker", 2000, 3), ("liars_dice", 100, 1)):
        game = pyspiel.load_game(name)
        tree = cfr.compile(game)
        uniform = tree.uniform()
        mapping = uniform.to_dict()
        policy = pyspiel.UniformRandomPolicy(game)

        def mine(n: int, tree: Any = tree, uniform: Any = uniform) -> None:
            for _ in range(n):
                cfr.nash_conv(tree, uniform)

        def slow(n: int, tree: Any = tree, mapping: Any = mapping) -> None:
            for _ in range(n):
                cfr.nash_conv(tree, mapping)

        def peer(n: int, game: Any = game, policy: Any = policy) -> None:
            for _ in range(n):
                pyspiel.nash_conv(game, policy, False)

        a, b = best(mine, max(1, int(count * scale))), best(peer, peers)
        c = best(slow, 2)
        row = {"ms": 1e3 / a, "dictionary_ms": 1e3 / c, "openspiel_ms": 1e3 / b, "ratio": a / b, "by_dictionary": c / b}
        rows.append({"what": "nash_conv", "game": name, **row})
        shown.add_row(name, f"{1e3 / a:.4f}", f"{1e3 / c:.2f}", f"{1e3 / b:,.0f}", f"{a / b:,.0f}", f"{c / b:,.0f}")
    return shown


def three_players(rows: list[dict[str, Any]], pyspiel: Any, scale: float) -> Table:
    """Nodes a second with three players."""
    tree = cfr.compile(pyspiel.load_game("leduc_poker(players=3)"))
    shown = table("CFR with three players (leduc)", "", "iterations/s", "M nodes/s or as much as")
    for merged, count in ((False, 50), (True, 1000)):
        found = best(ours(tree, merged, "cfr"), max(1, int(count * scale)))
        words = "merged" if merged else "plain"
        rows.append({"what": "three players", "form": words, "rate": found, "nodes": found * tree.num_nodes})
        shown.add_row(words, f"{found:,.0f}", f"{found * tree.num_nodes / 1e6:,.0f}")
    return shown


def external(rows: list[dict[str, Any]], pyspiel: Any, donk: Any) -> Table:
    """External sampling: time to exploitability 0.03 on leduc."""
    shown = table(
        "External sampling, leduc, to exploitability 0.03; median", "", "seconds", "iterations", "iterations/s"
    )
    tree = cfr.compile(pyspiel.load_game("leduc_poker"))

    def mine(seed: int, merged: bool) -> tuple[float, int]:
        began = time.process_time()
        found = cfr.solve(tree, "external", target=0.03, seed=seed, merge_equal=merged)
        return time.process_time() - began, found.iterations

    def theirs(seed: int) -> tuple[float, int]:
        solver = donk.Solver(donk.toy("leduc", seed=seed + 1))
        spent = 0.0
        while spent < 30:
            began = time.process_time()
            solver.run(max(1000, solver.iterations // 8))
            spent += time.process_time() - began
            if solver.exploitability()["nashconv"] / 2 <= 0.03:
                break
        return spent, solver.iterations

    sides: list[tuple[str, Callable[[int], tuple[float, int]]]] = [
        ("plain", lambda seed: mine(seed, False)),
        ("merged", lambda seed: mine(seed, True)),
    ]
    if donk:
        sides.append(("donksolver", theirs))
    for words, side in sides:
        seconds, count = sorted(side(seed) for seed in range(2 * ROUNDS - 1))[ROUNDS - 1]
        rows.append({"what": "external", "form": words, "seconds": seconds, "iterations": count})
        shown.add_row(words, f"{seconds:.2f}", f"{count:,}", f"{count / seconds:,.0f}")
    return shown


def bidding_duel(rows: list[dict[str, Any]], scale: float) -> Table:
    """Baker Street's bidding duel in vector form."""
    shown = table("Bidding duel to exploitability 1e-4", "menu", "seconds", "iterations", "value")
    for low, high in ((10, 20), (8, 22)) if scale == 1 else ((10, 20),):
        found = min((duel.solve(low, high, target=1e-4) for _ in range(ROUNDS)), key=lambda s: s.seconds)
        rows.append({"what": "duel", "menu": f"{low}..{high}", "seconds": found.seconds, "value": found.value[0]})
        shown.add_row(f"{low}..{high}", f"{found.seconds:.3f}", f"{found.iterations:,}", f"{found.value[0]:.5f}")
    return shown


def main() -> None:
    """Run everything and print tables, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    scale = 0.1 if options.quick else 1.0
    notes: list[str] = []
    rows: list[dict[str, Any]] = []
    pyspiel, efg, donk = load("pyspiel", notes), load("LiteEFG", notes), load("donksolver", notes)
    tables = [bidding_duel(rows, scale)]
    if pyspiel:
        tables += [
            iterations(rows, pyspiel, efg, scale),
            nash_conv(rows, pyspiel, scale),
            three_players(rows, pyspiel, scale),
            external(rows, pyspiel, donk),
        ]
    if options.json:
        print(json.dumps({"rows": rows, "notes": notes}))
        return
    console = Console()
    for each in tables:
        console.print(each)
        console.print()
    for note in notes:
        console.print(note)


if __name__ == "__main__":
    main()
