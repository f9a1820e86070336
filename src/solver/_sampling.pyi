from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from solver._core import Rng

@disjoint_base
class Sampler:
    regrets: NDArray[np.float64]
    average: NDArray[np.float64]
    baseline: NDArray[np.float64]
    iterations: int
    def __new__(
        cls,
        nodes: Any,
        first: NDArray[np.int32],
        size: int,
        stack: int,
        levels: int,
        rng: Rng,
        linear: bool,
        exploration: float,
        rate: float,
    ) -> Self: ...
    def external(self, iterations: int) -> None: ...
    def outcome(self, iterations: int) -> None: ...

@disjoint_base
class InfoTable:
    rows: int
    entries: int
    dropped: int
    max_bytes: int
    baselines: int
    beside: int
    def __new__(cls, max_bytes: int, baselines: int = 0) -> Self: ...
    @property
    def num_bytes(self) -> int: ...
    def row(self, key: int, check: int, player: int, actions: Sequence[int]) -> int: ...
    def strategy(self, row: int) -> list[float]: ...
    def learn(self, row: int, worths: Sequence[float], value: float, weight: float) -> None: ...
    def play(self, row: int, strategy: Sequence[float], weight: float) -> None: ...
    def expected(self, row: int, player: int) -> list[float]: ...
    def expect(self, row: int, player: int, action: int, worth: float, rate: float) -> None: ...
    def columns(self) -> tuple[NDArray[Any], ...]: ...
