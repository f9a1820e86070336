"""Equilibrium policies by counterfactual regret minimization, and exact best responses.

`solve` takes any game of the protocol (ours, your own class, an OpenSpiel game object) or a `Tree` that
`compile` made of it, and gives a `Solution` with a policy table and its exact exploitability. The passes
themselves are compiled (`solver._cfr`); `solver.sampling` has the methods for games too large to compile.

A method is a rule for how regrets and averages are discounted; with t the iteration, from 1, and
d(x) = (t-1)^x / ((t-1)^x + 1):

======== =========================================================================== ===============
method   regrets before iteration t are multiplied by                                average by
======== =========================================================================== ===============
cfr      1 (Zinkevich et al., NIPS 2007)                                             1
cfr+     1 if positive, else 0 (Tammelin, arXiv:1407.5042)                           (t-1)/t
lcfr     (t-1)/t (linear CFR, Brown and Sandholm, arXiv:1809.04040)                  (t-1)/t
dcfr     d(alpha) if positive, else d(beta) (the same)                               ((t-1)/t)^gamma
pcfr+    as cfr+, with the last regrets as prediction (Farina et al., AAAI 2021)     ((t-1)/t)^2
pdcfr+   d(alpha) if positive, else 0, with prediction (Xu et al., arXiv:2404.13891) ((t-1)/t)^gamma
hs-dcfr  dcfr with alpha, beta and gamma that change over the run (Zhang, McAleer    ((t-1)/t)^gamma
         and Sandholm, arXiv:2404.09097)
hs-pcfr+ pcfr+ with such a gamma (the same)                                          ((t-1)/t)^gamma
======== =========================================================================== ===============
"""

from __future__ import annotations

import json
import math
import os
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

import numpy as np

from solver import archive
from solver._cfr import Table
from solver._version import __version__
from solver.errors import ArchiveError, ArgumentError
from solver.evaluate import BestResponse, best_response, compile, exploitability, nash_conv  # noqa: A004
from solver.runs import HISTORY, Run, Snapshot, flag, number_within, positive
from solver.sampling import METHODS as SAMPLING
from solver.sampling import OPTIONS as SAMPLING_OPTIONS
from solver.sampling import solve as sample
from solver.solution import Solution
from solver.symmetry import Merged, merge
from solver.tree import Floats, Size, Tree, TreePolicy

__all__ = [
    "METHODS",
    "BestResponse",
    "Method",
    "Size",
    "Snapshot",
    "Solution",
    "Tree",
    "TreePolicy",
    "best_response",
    "compile",
    "exploitability",
    "nash_conv",
    "solve",
]

Schedule = float | tuple[float, float]
_STEEPEST = 1e6  # exponents


@dataclass(frozen=True)
class Method:
    """How regrets and averages are discounted.

    Attributes
    ----------
    alpha, beta : float, (float, float)
        Exponents for positive and negative regrets: infinity keeps them, minus infinity drops them. A
        pair runs from the first to the second number over the horizon of the run.
    gamma : float, (float, float)
        Exponent of the average's weights.
    predicts : bool
        Whether the next strategy takes the last regrets as a prediction; negative regrets are dropped then.
    paper : str
    """

    alpha: Schedule
    beta: Schedule
    gamma: Schedule
    predicts: bool
    paper: str

    def rules(self, begin: int, end: int, horizon: int) -> Floats:
        """Factors of iterations begin to end - 1: positive and negative regrets, prediction, average.

        Returns
        -------
        float64 array, shape (end - begin, 4)
        """
        t = np.arange(begin, end, dtype=np.float64)
        rules = np.empty((len(t), 4))
        rules[:, 0] = _discount(t - 1, _at(self.alpha, t - 1, horizon))
        rules[:, 1] = _discount(t - 1, _at(self.beta, t - 1, horizon))
        rules[:, 2] = _discount(t, _at(self.alpha, t, horizon))
        rules[:, 3] = ((t - 1) / t) ** _at(self.gamma, t, horizon)
        return rules


_INF = math.inf
_BROWN = "Brown and Sandholm, arXiv:1809.04040"
# What the table above says, by name.
METHODS = {
    "cfr": Method(_INF, _INF, 0.0, False, "Zinkevich et al., NIPS 2007"),
    "cfr+": Method(_INF, -_INF, 1.0, False, "Tammelin, arXiv:1407.5042"),
    "lcfr": Method(1.0, 1.0, 1.0, False, _BROWN),
    "dcfr": Method(1.5, 0.0, 2.0, False, _BROWN),
    "pcfr+": Method(_INF, -_INF, 2.0, True, "Farina, Kroer and Sandholm, AAAI 2021"),
    "pdcfr+": Method(2.3, -_INF, 5.0, True, "Xu et al., arXiv:2404.13891"),
    "hs-dcfr": Method((1.0, 4.0), (-1.0, -3.0), (30.0, 25.0), False, "Zhang, McAleer and Sandholm, arXiv:2404.09097"),
    "hs-pcfr+": Method(_INF, -_INF, (30.0, 25.0), True, "Zhang, McAleer and Sandholm, arXiv:2404.09097"),
}


def _method(name: str, **changes: Schedule | None) -> Method:
    """A method by its name, with exponents changed."""
    if not isinstance(name, str) or name not in METHODS:
        raise ArgumentError(f"there is no method {name!r}; there are {', '.join(METHODS)}, external, outcome")
    method = METHODS[name]
    given = {key: value for key, value in changes.items() if value is not None}
    for key, value in given.items():
        pair = value if isinstance(value, tuple) else (value, value)
        if len(pair) != 2 or any(isinstance(x, bool) or not isinstance(x, (int, float)) or x != x for x in pair):
            raise ArgumentError(f"{key} is a number or a pair of numbers, not {value!r}")
        if any(abs(x) > _STEEPEST and not (isinstance(x, float) and math.isinf(x)) for x in pair):
            raise ArgumentError(f"{key} lies in -{_STEEPEST:g}..{_STEEPEST:g} or is infinite, not {value!r}")
        if isinstance(value, tuple) and not all(math.isfinite(x) for x in pair):
            raise ArgumentError(f"{key} changes from one finite number to another, not {value!r}")
        if key == "gamma" and min(pair) < 0:
            raise ArgumentError(f"gamma is at least 0, not {value!r}")
        if key == "beta" and method.predicts:
            raise ArgumentError(f"method {name} drops negative regrets: it has no beta")
    return replace(method, **cast(dict[str, Any], given))


def _refuse(method: str, unknown: Mapping[str, bool]) -> None:
    """An error that names the options which a method has not."""
    names = [name for name, given in unknown.items() if given]
    if names:
        raise ArgumentError(f"method {method} has no option {', '.join(names)}")


def _told(schedule: Schedule) -> Any:
    """An exponent as results and files have it: infinity is a word, a pair a list."""
    if isinstance(schedule, tuple):
        return list(schedule)
    return schedule if math.isfinite(schedule) else str(schedule)


def _at(schedule: Schedule, t: Floats, horizon: int) -> Floats:
    """A schedule at iterations t."""
    if not isinstance(schedule, tuple):
        return np.full(len(t), schedule)
    first, last = schedule
    return first + (last - first) * np.minimum(t / horizon, 1.0)


def _discount(t: Floats, exponent: Floats) -> Floats:
    """t^x / (t^x + 1)."""
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        power = np.power(t, exponent)
        result = np.where(np.isinf(power), 1.0, power / (power + 1))
    result[np.isposinf(exponent)] = 1.0
    result[np.isneginf(exponent)] = 0.0
    return np.asarray(result)


@dataclass
class _Tables:
    """A tree while it is solved: the learning table, the evaluating one, and what was merged."""

    tree: Tree
    threads: int
    merged: Merged | None
    learning: Table = field(init=False)
    evaluating: Table = field(init=False)

    def __post_init__(self) -> None:
        plexes = self.tree.treeplexes if self.merged is None else self.merged.treeplexes
        self.learning = Table(plexes, self.threads)
        self.evaluating = Table(plexes, learns=False)

    def exploitability(self) -> tuple[float, list[float]]:
        """Of the average policy; and its value by seat. What was merged has the same best responses."""
        pairs = self.evaluating.average_responses(self.learning)
        return math.fsum(best - value for best, value in pairs) / len(pairs), [value for _, value in pairs]

    def policy(self) -> TreePolicy:
        """The average policy of the whole tree."""
        averages = self.evaluating.averages(self.learning)
        if self.merged is not None:
            averages = [a[c] for a, c in zip(averages, self.merged.classes, strict=True)]
        return TreePolicy(self.tree, tuple(averages))


class _Checkpoint:
    """A run on disk."""

    KIND = "cfr checkpoint"

    def __init__(self, given: Any, settings: dict[str, Any], fingerprint: str) -> None:
        try:
            path = Path(given)
            usable = b"\0" not in os.fsencode(path) and path.absolute().parent.is_dir()
            usable = usable and (path.is_file() or not path.exists())
        except (TypeError, UnicodeEncodeError):
            usable = False
        if not usable:
            raise ArgumentError(f"checkpoint: {given!r} is no name of a file in a folder that is there")
        self.path = path
        self.settings = settings | {"tree": fingerprint}

    def load(self, table: Table) -> tuple[int, float, list[tuple[int, float, float]]]:
        """Take over a run: iterations and seconds done, history. Nothing is done where there is no file."""
        if not self.path.exists():
            return 0, 0.0, []
        with archive.read(self.path, self.KIND, verify="full") as saved:
            found = saved.meta.get("settings")
            wanted = json.loads(json.dumps(self.settings))
            if found != wanted:
                found = found if isinstance(found, dict) else {}
                differ = sorted(k for k in wanted | found if found.get(k) != wanted.get(k))
                raise ArgumentError(
                    f"checkpoint {self.path} is of another run: "
                    + ", ".join(f"{k} is {found.get(k)} there, {wanted.get(k)} here" for k in differ)
                    + "; name another file or remove this one"
                )
            # all of it is checked before any of it is taken over
            history, done, spent = (
                saved.arrays.get("history"),
                saved.meta.get("iterations"),
                saved.meta.get("seconds"),
            )
            if (
                history is None
                or history.shape[1:] != (3,)
                or not np.isfinite(history).all()
                or type(done) is not int
                or not 0 <= done < 2**53
                or (history[:, 0] < 0).any()
                or (history[:, 0] > done).any()
                or not isinstance(spent, float)
                or not math.isfinite(spent)
            ):
                raise ArchiveError(f"checkpoint {self.path} does not say how far it is")
            pairs = []
            for p, seat in enumerate(table.seats):
                for name in ("regrets", "average", "strategy"):
                    array, mine = saved.arrays.get(f"{name}{p}"), getattr(seat, name)
                    if (
                        array is None
                        or array.shape != mine.shape
                        or array.dtype != mine.dtype
                        or not np.isfinite(array).all()
                        or (name != "regrets" and (array < 0).any())
                        or (name == "strategy" and (array > 1 + 1e-9).any())
                    ):
                        raise ArchiveError(f"checkpoint {self.path}: {name} of seat {p} does not fit this tree")
                    pairs.append((mine, array))
            for mine, array in pairs:
                mine[:] = array
            table.resume()
            return done, spent, [(int(t), gap, took) for t, gap, took in history.tolist()]

    def write(self, table: Table, run: Run) -> None:
        """Write the run; the file before it stays until this one is complete."""
        arrays = {
            f"{name}{p}": getattr(seat, name)
            for p, seat in enumerate(table.seats)
            for name in ("regrets", "average", "strategy")
        }
        arrays["history"] = np.array(run.history, dtype=np.float64).reshape(-1, 3)
        meta = {"settings": self.settings, "iterations": run.done, "seconds": run.elapsed()}
        archive.write(self.path, self.KIND, arrays, meta)


def solve(
    game: Any,
    method: str = "dcfr",
    iterations: int | None = None,
    target: float | None = None,
    seconds: float | None = None,
    threads: int = 1,
    callback: Callable[[Snapshot], Any] | None = None,
    checkpoint: str | Path | None = None,
    *,
    every: int | None = None,
    alternating: bool = True,
    alpha: Schedule | None = None,
    beta: Schedule | None = None,
    gamma: Schedule | None = None,
    horizon: int | None = None,
    merge_equal: bool = True,
    checkpoint_seconds: float = 60.0,
    max_bytes: int | None = None,
    progress: Callable[[int, float], None] | None = None,
    **options: Any,
) -> Solution:
    """Find an equilibrium policy.

    Parameters
    ----------
    game : Game, Tree or str
        See `compile`.
    method : str, default "dcfr"
        One of `METHODS` (see the module's table), or "external" or "outcome" for sampling, which takes
        further arguments: see `solver.sampling.solve`.
    iterations, target, seconds : optional
        Where to stop: after so many iterations in all, at an exploitability not above `target`, after so
        many seconds of this call (compiling not counted); whichever comes first. With none of them: 1,000
        iterations.
    threads : int, default 1
        The result is the same to the bit.
    callback : callable, optional
        Called with a `Snapshot` whenever the exploitability is computed; a true answer ends the run.
    checkpoint : path, optional
        A file to write to every `checkpoint_seconds` and at the end, and to go on from if it is there. A
        run that goes on gives the same bits as one without a break.
    every : int, optional
        Iterations from one exploitability to the next; by default they grow by an eighth each, so that
        computing it costs little.
    alternating : bool, default True
        Whether players are updated in turn, each against the others' newest strategies.
    alpha, beta, gamma : float or (float, float), optional
        Other exponents than the method's; a pair changes from the first to the second over `horizon`.
    horizon : int, optional
        For exponents that change: the length of the run, by default `iterations` or else 1,000.
    merge_equal : bool, default True
        Whether information states that cannot be told apart are merged first (`solver.symmetry`).
    checkpoint_seconds : float, default 60
    max_bytes : int, optional
        A game that needs more is refused; see `compile`. For the sampling methods: see there.
    progress : callable, optional
        Called with the iterations and seconds done, many times a second.

    Returns
    -------
    Solution

    Raises
    ------
    ArgumentError
        If there is no such method, a number is out of range, or the checkpoint is of another run.
    CompileError
        If the game cannot be compiled.
    ArchiveError
        If the checkpoint is damaged.

    Notes
    -----
    Two-player zero-sum games: the average policy converges to an equilibrium. Other games: the methods
    run, and nothing is promised but what `Solution.guarantee` says. Ctrl-C ends the run; the solution is
    the average so far.

    Where regrets tie, which of the tied strategies comes next hangs on the last bit of a sum: with
    `merge_equal` sums are taken in another order, so iterates may differ there, as they would on another
    machine.

    Examples
    --------
    >>> from solver import kuhn
    >>> solution = solve(kuhn.Game(), "pdcfr+", iterations=200)
    >>> round(solution.value[0], 6)
    -0.055556
    """
    merge_equal, alternating = flag("merge_equal", merge_equal), flag("alternating", alternating)
    if not isinstance(method, str):
        raise ArgumentError(f"a method is one of {', '.join(METHODS)}, external, outcome, not {method!r}")
    if method in SAMPLING:
        unknown = {
            "threads": threads != 1,
            "checkpoint": checkpoint is not None,
            "alternating": alternating is not True,
            "alpha": alpha is not None,
            "beta": beta is not None,
            "gamma": gamma is not None,
            "horizon": horizon is not None,
        } | dict.fromkeys(set(options) - SAMPLING_OPTIONS, True)
        _refuse(method, unknown)
        given = {"callback": callback, "every": every, "merge_equal": merge_equal, "progress": progress} | options
        if max_bytes is not None:
            given["max_bytes"] = max_bytes
        return sample(game, method, iterations, target, seconds, **given)
    rule = _method(method, alpha=alpha, beta=beta, gamma=gamma)
    _refuse(method, dict.fromkeys(options, True))
    plan = Run(iterations, target, seconds, every, callback, progress, 1000)
    horizon = positive("horizon", horizon, int)
    threads = positive("threads", 0 if threads is None else threads, int)
    max_bytes = positive("max_bytes", max_bytes, int)
    checkpoint_seconds = number_within("checkpoint_seconds", checkpoint_seconds, 0, math.inf)
    tree = compile(game, max_bytes)
    tables = _Tables(tree, threads, merge(tree.treeplexes) if merge_equal else None)
    length = horizon or plan.iterations or 1000
    changes = any(isinstance(each, tuple) for each in (rule.alpha, rule.beta, rule.gamma))
    settings = {
        **tree.told,
        "method": method,
        "alpha": _told(rule.alpha),
        "beta": _told(rule.beta),
        "gamma": _told(rule.gamma),
        "horizon": length if changes else None,
        "alternating": alternating,
        "merge_equal": merge_equal,
        "version": __version__,
    }
    saved = None if checkpoint is None else _Checkpoint(checkpoint, settings, tree.fingerprint())
    last_saved = 0.0

    def advance(steps: int) -> None:
        rules = rule.rules(plan.done + 1, plan.done + 1 + steps, length)
        tables.learning.run(rules, rule.predicts, alternating)

    def keep() -> None:
        nonlocal last_saved
        if saved is not None and time.perf_counter() - last_saved > checkpoint_seconds:
            saved.write(tables.learning, plan)
            last_saved = time.perf_counter()

    with plan:
        plan.begin(*(saved.load(tables.learning) if saved is not None else ()))
        if saved is not None:
            saved.write(tables.learning, plan)  # what cannot be written shows before the work, not after it
        last_saved = time.perf_counter()
        plan.go(advance, tables.exploitability, tables.policy, keep)
        if saved is not None:
            try:
                saved.write(tables.learning, plan)
            except OSError as error:
                # the solution is worth more than its checkpoint
                warnings.warn(f"checkpoint {saved.path} could not be written: {error}", RuntimeWarning, stacklevel=2)
        policy = tables.policy()
    took = plan.elapsed()
    settings |= {"iterations": plan.done, "seconds": took, "threads": threads}
    history = np.array(plan.history, HISTORY)
    return Solution(policy, plan.exploitability, plan.value, plan.done, took, history, settings, plan.interrupted)
