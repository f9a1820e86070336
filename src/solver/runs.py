"""What long runs share: budgets, Ctrl-C that keeps what was done, when to look at the exploitability."""

from __future__ import annotations

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

import numpy as np

from solver.errors import ArgumentError

__all__ = ["HISTORY", "Interrupt", "Run", "Snapshot", "flag", "following", "number_within", "positive"]

HISTORY = np.dtype([("iteration", np.int64), ("exploitability", np.float64), ("seconds", np.float64)])

_LARGEST = 2.0**62  # of numbers that are counted with
_SLICE = 0.02  # seconds of work between two looks at the clock and at Ctrl-C
_GROWTH = 8  # by default the exploitability is computed anew after an eighth more iterations


class Interrupt:
    """Turns Ctrl-C into a wish that a run looks at where it can stop; a second one raises as ever.

    Outside the main thread, where Python delivers no signals, it does nothing.

    Attributes
    ----------
    asked : bool
        Whether Ctrl-C was pressed.
    raises : bool
        To be set where nothing can be torn, and what runs may take long: there Ctrl-C raises at once.
    """

    def __init__(self) -> None:
        self.asked = self.raises = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            before = signal.getsignal(signal.SIGINT)
            # whoever ignores or handles the signal otherwise goes on doing so
            if before is signal.default_int_handler:
                self._before = before
                signal.signal(signal.SIGINT, self._ask)
        return self

    def _ask(self, _number: int, _frame: FrameType | None) -> None:
        again, self.asked = self.asked, True
        if again or self.raises:
            raise KeyboardInterrupt

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


def _float(value: Any) -> float:
    """A number as a float; infinite if it is too large for one."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def flag(name: str, value: Any) -> bool:
    """A bool.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name} is True or False, not {value!r}")
    return bool(value)


def positive(name: str, value: Any, kind: type) -> Any:
    """A budget as an int or float: None, or a positive finite number, whole where `kind` is int.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    if value is None:
        return None
    kinds = (int, np.integer) if kind is int else (int, float, np.integer, np.floating)
    number = _float(value) if isinstance(value, kinds) and not isinstance(value, bool) else math.nan
    if not 0 < number < _LARGEST:
        raise ArgumentError(f"{name} is a positive {'whole ' if kind is int else ''}number, not {value!r}")
    return kind(value)


def number_within(name: str, value: Any, low: float, high: float) -> float:
    """A finite number in low..high.

    Raises
    ------
    ArgumentError
        If it is none.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise ArgumentError(f"{name} is a number, not {value!r}")
    if not low <= _float(value) <= high or not math.isfinite(_float(value)):
        limits = f"at least {low:g}" if math.isinf(high) else f"in {low:g}..{high:g}"
        raise ArgumentError(f"{name} is a finite number {limits}, not {value!r}")
    return float(value)


def following(done: int, every: int | None) -> int:
    """The iteration after which to look at the exploitability next.

    The points lie on a grid of their own, so that a run that was broken off goes on to the same ones.
    """
    if every is not None:
        return (done // every + 1) * every
    point = 1
    while point <= done:
        point += max(1, point // _GROWTH)
    return point


class Snapshot(NamedTuple):
    """What a callback of a solver sees.

    Attributes
    ----------
    iteration : int
    exploitability : float
        Of the average policy so far.
    seconds : float
    policy : callable or None
        While the callback runs, `policy()` gives the average policy so far: a `TreePolicy`, or a
        `PolicyTable` if the game was not compiled. None for the duel.
    """

    iteration: int
    exploitability: float
    seconds: float
    policy: Callable[[], Any] | None


class Run:
    """Iterations until a budget is used up, with looks at the exploitability on the way.

    Parameters
    ----------
    iterations, target, seconds, every, callback, progress
        As in `cfr.solve`.
    usual : int
        Iterations where no budget is given.

    Attributes
    ----------
    done : int
        Iterations so far.
    exploitability : float
    value : list of float
    history : list of (int, float, float)
        Iteration, exploitability and seconds at each look.
    interrupted : bool
        Whether Ctrl-C ended it.

    Raises
    ------
    ArgumentError
        If a budget is no positive number, or what is to be called cannot be.
    """

    def __init__(
        self,
        iterations: int | None,
        target: float | None,
        seconds: float | None,
        every: int | None,
        callback: Callable[[Snapshot], Any] | None,
        progress: Callable[[int, float], None] | None,
        usual: int,
    ) -> None:
        self.iterations = positive("iterations", iterations, int)
        self.target = positive("target", target, float)
        self.seconds = positive("seconds", seconds, float)
        self.every = positive("every", every, int)
        for name, function in (("callback", callback), ("progress", progress)):
            if function is not None and not callable(function):
                raise ArgumentError(f"{name} is something to call, not {function!r}")
        self.callback, self.progress = callback, progress
        if self.iterations is None and self.target is None and self.seconds is None:
            self.iterations = usual
        self.done = 0
        self.exploitability, self.value = math.nan, [math.nan]
        self.history: list[tuple[int, float, float]] = []
        self.interrupted = False
        self._before = 0.0
        self._tried = False
        self._interrupt: Interrupt | None = None
        self._began = time.perf_counter()

    def begin(self, done: int = 0, before: float = 0.0, history: list[tuple[int, float, float]] | None = None) -> None:
        """Start the clock; `done`, `before` (seconds) and `history` of a run that goes on."""
        self.done, self._before, self.history = done, before, history or []
        self._began = time.perf_counter()

    def elapsed(self) -> float:
        """Seconds, those before a break included."""
        return self._before + time.perf_counter() - self._began

    def go(
        self,
        advance: Callable[[int], int | None],
        look: Callable[[], tuple[float, list[float]]],
        policy: Callable[[], Any],
        keep: Callable[[], None] | None = None,
    ) -> None:
        """Run.

        Parameters
        ----------
        advance : callable
            Does so many iterations; says how many, if it was broken off.
        look : callable
            Gives exploitability and values of the average policy.
        policy : callable
            Gives the average policy.
        keep : callable, optional
            Called after every slice of work, to save the run if it is time to.
        """
        pace = 1.0
        with self._guarded() as interrupt:
            if self._enough():
                # a run that goes on and has no further to go: its checkpoint says how far, not how good
                self.exploitability, self.value = look()
            while not self._enough():
                goal = following(self.done, self.every)
                if self.iterations is not None:
                    goal = min(goal, self.iterations)
                # one iteration is always tried, so that there is something to give
                while self.done < goal and not (interrupt.asked and (self.done or self._tried)) and not self._late():
                    steps = max(1, min(goal - self.done, int(pace)))
                    lap = time.perf_counter()
                    done = advance(steps)
                    lap = time.perf_counter() - lap
                    self.done += steps if done is None else done
                    self._tried = True
                    pace = min(max(steps * _SLICE / max(lap, 1e-9), 1.0), 2 * pace)
                    if self.progress is not None:
                        self.progress(self.done, self.elapsed())
                    if keep is not None:
                        keep()
                self.exploitability, self.value = look()
                self.history.append((self.done, self.exploitability, self.elapsed()))
                if self.callback is not None and self.callback(self._snapshot(policy)):
                    break
                if interrupt.asked:
                    break
        self.interrupted = interrupt.asked

    def __enter__(self) -> Run:
        """Ctrl-C is a wish from here to the end of the block: what comes before and after `go` is not torn either."""
        self._interrupt = Interrupt().__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._interrupt is not None:
            self._interrupt.__exit__()

    @contextmanager
    def _guarded(self) -> Iterator[Interrupt]:
        """The block's guard, or one of `go` alone."""
        if self._interrupt is not None:
            yield self._interrupt
            return
        with self:
            assert self._interrupt is not None
            yield self._interrupt

    def _snapshot(self, policy: Callable[[], Any]) -> Snapshot:
        at = self.done

        def current() -> Any:
            if self.done != at:
                raise ArgumentError(
                    f"this snapshot is of iteration {at}, the run is at {self.done}: ask in the callback"
                )
            return policy()

        return Snapshot(at, self.exploitability, self.elapsed(), current)

    def stopping(self) -> bool:
        """Whether an iteration that takes long should be broken off: Ctrl-C, or the time is over."""
        return (self._interrupt is not None and self._interrupt.asked) or self._over()

    def _over(self) -> bool:
        return self.seconds is not None and self.elapsed() - self._before >= self.seconds

    def _late(self) -> bool:
        """Whether the time of this call is over; one iteration is always tried."""
        return (self.done > 0 or self._tried) and self._over()

    def _enough(self) -> bool:
        """Whether a budget is used up, and the exploitability known of where the run stands."""
        if not self.history or self.history[-1][0] != self.done:
            return False
        return (
            (self.iterations is not None and self.done >= self.iterations)
            or (self.target is not None and self.history[-1][1] <= self.target)
            or self._late()
        )
