"""Values of the wrong kind, size or shape, and objects that fail when they are asked.

None whose `repr` fails, as that of lists nested thousands deep does: errors show what they were given.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tests.fuzz.harness import Mine


class Failing:
    """Raises whatever it is asked for."""

    def __index__(self) -> int:
        raise Mine

    def __float__(self) -> float:
        raise Mine

    def __iter__(self) -> Any:
        raise Mine

    def __len__(self) -> int:
        raise Mine

    def __getitem__(self, key: Any) -> Any:
        raise Mine

    def __eq__(self, other: object) -> bool:
        raise Mine

    def __hash__(self) -> int:
        raise Mine

    def __call__(self, *args: Any, **options: Any) -> Any:
        raise Mine


class Nonsense:
    """Has the methods of numbers and lists, and they give what these never give."""

    def __index__(self) -> int:
        return 1 << 200

    def __float__(self) -> float:
        return float("nan")

    def __len__(self) -> int:
        return 3

    def __iter__(self) -> Any:
        return iter((object(), None, "x"))


class Numeral(Nonsense):
    """The like of it, whose number asks for little work."""

    def __index__(self) -> int:
        return 2


def endless() -> list[Any]:
    """A list that holds itself."""
    result: list[Any] = []
    result.append(result)
    return result


SMALL: list[Callable[[], Any]] = [
    lambda: None,
    lambda: True,
    lambda: -1,
    lambda: 0,
    lambda: 1,
    lambda: 2,
    lambda: 3,
    lambda: -(1 << 31),
    lambda: -(1 << 70),
    lambda: 0.0,
    lambda: -0.0,
    lambda: 0.5,
    lambda: 1.5,
    lambda: float("nan"),
    lambda: -float("inf"),
    lambda: 1e-320,
    lambda: "",
    lambda: "x",
    lambda: "1",
    lambda: "\ud800",
    lambda: "a\0b",
    lambda: b"x",
    lambda: bytearray(3),
    lambda: [],
    lambda: [1],
    lambda: [[1, 2], [3]],
    lambda: (1, 2),
    lambda: ("a", 1, None),
    dict,
    lambda: {1: 2},
    lambda: {"a": {"b": 1}},
    set,
    object,
    Failing,
    Numeral,
    lambda: np.int64(3),
    lambda: np.int8(-1),
    lambda: np.float64(2.5),
    lambda: np.float32("nan"),
    lambda: np.bool_(True),
    lambda: np.array([1, 2]),
    lambda: np.array(3),
    lambda: np.zeros((0, 3)),
    lambda: np.array(["x"], object),
    lambda: np.datetime64("2020-01-01"),
    lambda: 1j,
    lambda: Decimal("0.5"),
    lambda: Fraction(1, 2),
    lambda: range(3),
    lambda: iter([1, 2]),
    lambda: memoryview(b"xy"),
    lambda: lambda *_: None,
    lambda: Ellipsis,
    endless,
]
LARGE: list[Callable[[], Any]] = [
    lambda: 64,
    lambda: 127,
    lambda: 128,
    lambda: 255,
    lambda: 256,
    lambda: 65_536,
    lambda: 1 << 31,
    lambda: (1 << 31) - 1,
    lambda: 1 << 32,
    lambda: 1 << 62,
    lambda: (1 << 63) - 1,
    lambda: 1 << 63,
    lambda: 1 << 64,
    lambda: 10**400,
    lambda: 1e308,
    lambda: float("inf"),
    lambda: np.uint64(1 << 63),
    lambda: "9" * 5000,
    Nonsense,
]


def odd(rng: random.Random, large: bool = True) -> Any:
    """A value; without `large` none that asks for long work where a number of things is meant."""
    return rng.choice(SMALL + LARGE if large else SMALL)()
