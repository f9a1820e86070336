"""What all fuzzing shares: numbered inputs, what an error may be, a watch over time and memory.

A target makes one input from a `random.Random` and gives it to the library. Input number N of a target is
the same in every run and process, so a finding is named by both and can be played again.
"""

from __future__ import annotations

import random
import resource
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from solver.errors import SolverError

LONGEST = 10  # seconds of work that one input may take
ROOM = 4 << 30  # bytes of address space beyond those at the start


class Mine(Exception):
    """What the objects that are given to the library raise themselves; it may come through."""


class Hang(BaseException):
    """An input took too long."""


@dataclass
class Target:
    """A kind of input.

    Attributes
    ----------
    name : str
    run : callable
        Makes an input of a `random.Random` and gives it to the library. What it returns, and the class of
        what it raises, is counted.
    allowed : tuple of type
        What may be raised beside the library's own errors.
    share : float
        How many of these inputs there are among all.
    """

    name: str
    run: Callable[[random.Random], Any]
    allowed: tuple[type[BaseException], ...]
    share: float


@dataclass
class Finding:
    """An input that did what none may do."""

    target: str
    number: int
    error: str
    trace: str


@dataclass
class Tally:
    """What came of the inputs of one target."""

    inputs: int = 0
    seconds: float = 0.0
    slowest: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


TARGETS: dict[str, Target] = {}


def target(share: float, *allowed: type[BaseException]) -> Callable[[Callable[[random.Random], Any]], Any]:
    """Make a function a target, by its name."""

    def enlist(run: Callable[[random.Random], Any]) -> Callable[[random.Random], Any]:
        TARGETS[run.__name__] = Target(run.__name__, run, (SolverError, Mine, *allowed), share)
        return run

    return enlist


def _late(_number: int, _frame: FrameType | None) -> None:
    raise Hang


@contextmanager
def guarded(room: int | None = ROOM) -> Iterator[None]:
    """Bounds on time and address space while the block runs; a warning is an error in it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGPROF, _late)
    try:
        if room is not None:
            # elsewhere there is no such file, and no such bound
            with suppress(FileNotFoundError), open("/proc/self/statm", encoding="ascii") as file:
                now = int(file.read().split()[0]) * resource.getpagesize()
                resource.setrlimit(resource.RLIMIT_AS, (now + room, hard))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def once(kind: Target, number: int, tally: Tally) -> None:
    """Run one input and count what came of it."""
    began = time.perf_counter()
    signal.setitimer(signal.ITIMER_PROF, LONGEST)
    outcome = "accepted"
    try:
        try:
            result = kind.run(random.Random(f"{kind.name} {number}"))
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if isinstance(result, str):
            outcome = result
    except kind.allowed as error:
        outcome = type(error).__name__
        # a whole line that says something
        if isinstance(error, SolverError) and not str(error).strip():
            tally.findings.append(Finding(kind.name, number, f"{outcome} without a word", traceback.format_exc()))
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        outcome = f"FINDING {type(error).__name__}"
        tally.findings.append(
            Finding(kind.name, number, f"{type(error).__name__}: {error}"[:200], traceback.format_exc())
        )
    took = time.perf_counter() - began
    tally.inputs += 1
    tally.seconds += took
    tally.slowest = max(tally.slowest, took)
    tally.outcomes[outcome] += 1


def mutated(rng: random.Random, text: str, others: list[str], words: list[str], alphabet: str) -> str:
    """A text with some letters, words and pieces changed, dropped, doubled or taken from others."""
    for _ in range(rng.choice((1, 1, 1, 1, 2, 4))):
        at = rng.randrange(len(text) + 1)
        end = min(len(text), at + rng.randrange(1, 6))
        kind = rng.randrange(11)
        if kind == 0:
            text = text[:at] + rng.choice(alphabet) + text[at:]
        elif kind == 1:
            text = text[:at] + rng.choice(alphabet) + text[at + 1 :]
        elif kind == 2:
            text = text[:at] + text[end:]
        elif kind == 3:
            text = text[:at] + text[at:end] * 2 + text[end:]
        elif kind == 4:
            text = text[:at] + rng.choice(words) + text[at:]
        elif kind == 5:
            # a whole word becomes another
            parts = text.split(" ")
            parts[rng.randrange(len(parts))] = rng.choice(words)
            text = " ".join(parts)
        elif kind == 6:
            other = rng.choice(others)
            text = text[:at] + other[min(at, rng.randrange(len(other) + 1)) :]
        elif kind == 7:
            # a section dropped, doubled, moved or of another text
            parts, its = text.split(" | "), rng.choice(others).split(" | ")
            place = rng.randrange(len(parts))
            parts[place : place + rng.randrange(2)] = rng.sample(parts + its, rng.randrange(1, 2))
            text = " | ".join(parts)
        elif kind == 8:
            # two words change places
            parts = text.split(" ")
            one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
            parts[one], parts[other] = parts[other], parts[one]
            text = " ".join(parts)
        else:
            # a number becomes another
            digits = [i for i, letter in enumerate(text) if letter.isdecimal()]
            if digits:
                place = rng.choice(digits)
                number = rng.choice("0123456789" if kind == 9 else NUMBERS)
                text = text[:place] + number + text[place + 1 :]
        text = text[:4000]
    return text


NUMBERS = ("0", "1", "9", "10", "-1", "64", "255", "256", "1e9", str(1 << 31), str(1 << 64))
ALPHABET = "0123456789/|:@ =(),-+._abcdehknosuwmtxp?&{}[]\"'\\\t\n\x00\x7féß４²\u202e\ud800🂡"
