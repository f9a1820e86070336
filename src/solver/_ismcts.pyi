from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from solver._core import Rng
from solver.games.ops import SearchRoot

CHILD_DTYPE: np.dtype[np.void]
OUTLINE_DTYPE: np.dtype[np.void]

@disjoint_base
class Tree:
    def __new__(
        cls,
        root: SearchRoot,
        rng: Rng,
        max_nodes: int,
        exploration: float = 0.7,
        policy_rollouts: bool = False,
        policy_rivals: bool = False,
        horizon: int = -1,
        widening: int = 0,
        depth: int = 0,
        halving: bool = False,
        first_play: float = ...,
        temperature: float = 0,
        multiple: bool = False,
        redealing: bool = False,
        bias: float = 0,
    ) -> Self: ...
    @property
    def iterations(self) -> int: ...
    @property
    def num_nodes(self) -> int: ...
    @property
    def num_bytes(self) -> int: ...
    def run(self, iterations: int, budget: int = 0) -> None: ...
    def adopt(self, earlier: Tree, keys: Sequence[int]) -> int: ...
    def children(self, action_path: Sequence[int] = ()) -> NDArray[Any]: ...
    def outline(self, least: int) -> NDArray[Any]: ...

def time_samples(root: SearchRoot, rng: Rng, repeat: int) -> float: ...
