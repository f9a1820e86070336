"""Best play, equilibrium policies and strategy research for SCOUT and Baker Street.

>>> from solver import ismcts, scout
>>> position = scout.Game(players=3).deal(seed=7, turned=[False] * 3).position(0)
>>> result = ismcts.search(position, iterations=1000, seed=1)
"""

from solver import agents, errors, ismcts
from solver._version import __version__
from solver.games import bakerstreet, kuhn, scout

__all__ = ["__version__", "agents", "bakerstreet", "errors", "ismcts", "kuhn", "scout"]
