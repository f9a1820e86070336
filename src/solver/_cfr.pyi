from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

@disjoint_base
class Seat:
    plex: Any
    regrets: NDArray[np.float64]
    strategy: NDArray[np.float64]
    reach: NDArray[np.float64]
    average: NDArray[np.float64]
    def __init__(self, plex: Any, player: int, threads: int, learns: bool) -> None: ...

def split(plex: Any, threads: int) -> tuple[int, NDArray[np.int32]]: ...

@disjoint_base
class Table:
    seats: list[Seat]
    threads: int
    def __init__(self, treeplexes: Sequence[Any], threads: int = 1, learns: bool = True) -> None: ...
    def run(self, rules: NDArray[np.float64], predicts: bool, alternating: bool) -> None: ...
    def responses(self, strategies: Iterable[NDArray[np.float64]]) -> list[tuple[float, float]]: ...
    def average_responses(self, other: Table) -> list[tuple[float, float]]: ...
    def best_response(
        self, player: int, strategies: Iterable[NDArray[np.float64]]
    ) -> tuple[float, NDArray[np.float64]]: ...
    def averages(self, other: Table) -> list[NDArray[np.float64]]: ...
    def resume(self) -> None: ...
