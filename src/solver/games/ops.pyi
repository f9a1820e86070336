from typing_extensions import disjoint_base

@disjoint_base
class SearchRoot:
    @property
    def num_players(self) -> int: ...
    @property
    def observer(self) -> int: ...
    failure: BaseException | None
