from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

from solver._core import Rng
from solver.games._scout_options import Options

_Seed = int | Sequence[int] | np.random.SeedSequence | Rng | None

@disjoint_base
class Lessons(Options):
    @property
    def planning_constants(self) -> NDArray[np.float64]: ...
    def planning_contest(
        self, first: ArrayLike | None, second: ArrayLike | None = None, deals: int = 100, seed: _Seed = 0
    ) -> NDArray[np.float64]: ...
    @property
    def value_constants(self) -> NDArray[np.float64]: ...
    @property
    def learnt_constants(self) -> NDArray[np.float32]: ...
    def learnt_contest(
        self, constants: ArrayLike | None = None, deals: int = 100, seed: _Seed = 0
    ) -> NDArray[np.float64]: ...
    def learnt_samples(
        self, decisions: int, constants: ArrayLike | None = None, explore: float = 0.05, seed: _Seed = 0
    ) -> tuple[NDArray[np.int64], NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]: ...
    def value_samples(self, deals: int, seed: _Seed = 0) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
