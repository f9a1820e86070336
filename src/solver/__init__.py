"""Best play in card games with hidden information: SCOUT, and the rules of Baker Street.

>>> from solver import ismcts, scout
>>> position = scout.Game(players=3).deal(seed=7, turned=[False] * 3).position(0)
>>> result = ismcts.search(position, iterations=1000, seed=1)
"""

from solver import agents, arena, cfr, duel, errors, ismcts, online, pimc, policy, stats
from solver._core import Rng
from solver._version import __version__
from solver.games import bakerstreet, bidding_round, kuhn, leduc, scout

__all__ = [
    "Rng",
    "__version__",
    "agents",
    "arena",
    "bakerstreet",
    "bidding_round",
    "cfr",
    "duel",
    "errors",
    "ismcts",
    "kuhn",
    "leduc",
    "online",
    "pimc",
    "policy",
    "scout",
    "stats",
]
