"""What long runs share: Ctrl-C that keeps what was done, budgets, when to look at the exploitability."""

from __future__ import annotations

import math
import signal
import threading
from types import FrameType
from typing import Any

import numpy as np

from solver.errors import ArgumentError

__all__ = ["HISTORY", "Interrupt", "enough", "following", "number_within", "positive"]

HISTORY = np.dtype([("iteration", np.int64), ("exploitability", np.float64), ("seconds", np.float64)])

_GROWTH = 8  # by default the exploitability is computed anew after an eighth more iterations


class Interrupt:
    """Turns Ctrl-C into a wish that a run looks at where it can stop; a second one raises as ever.

    Outside the main thread, where Python delivers no signals, it does nothing.

    Attributes
    ----------
    asked : bool
        Whether Ctrl-C was pressed.
    """

    def __init__(self) -> None:
        self.asked = False
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
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)


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
    if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value) or value <= 0:
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
    if not low <= value <= high or not math.isfinite(value):
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


def enough(
    done: int,
    history: list[tuple[int, float, float]],
    elapsed: float,
    iterations: int | None,
    target: float | None,
    seconds: float | None,
) -> bool:
    """Whether a budget is used up, and the exploitability known of where the run stands."""
    if not history or history[-1][0] != done:
        return False
    exploitability = history[-1][1]
    return (
        (iterations is not None and done >= iterations)
        or (target is not None and exploitability <= target)
        or (seconds is not None and elapsed >= seconds)
    )
