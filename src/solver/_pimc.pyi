from typing import Self

from typing_extensions import disjoint_base

from solver._core import Rng
from solver.games.ops import SearchRoot

@disjoint_base
class OpenDeal(SearchRoot):
    def __new__(cls, root: SearchRoot) -> Self: ...
    def draw(self, rng: Rng) -> None: ...
