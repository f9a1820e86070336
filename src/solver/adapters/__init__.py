"""The games and agents of this library in other tools, each module behind an extra and imported only when used.

`solver.adapters.openspiel` (extra `openspiel`) and `solver.adapters.pettingzoo` (extra `pettingzoo`). What a
network is shown of a game is the same in both: `solver.adapters.features`.
"""
