"""Perfect-information Monte Carlo: each sampled deal is searched as if all hands were seen, and the mean taken.

The baseline of card-playing programs. Long, Sturtevant, Buro and Furtak, "Understanding the Success of
Perfect Information Monte Carlo Sampling in Game Tree Search" (AAAI 2010), say where it is good and why it
must err: it plays as if it could decide otherwise in each deal (strategy fusion), and sees no worth in hiding
or finding out what a hand holds (non-locality). `ismcts.search` is the search that does not.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from solver import _ismcts, _pimc, frames, ismcts
from solver._core import Rng, whole, whole_in
from solver._protocol_checks import listed, names_nonsense
from solver.errors import SearchError

__all__ = ["OPTIONS", "Averages", "search"]

DEFAULT_ITERATIONS = 200
_MOST = 2**31 - 1  # iterations of one deal
_SLICE = 256  # of them between two looks for Ctrl-C
OPTIONS = ("belief", "exploration", "horizon", "payoff", "rollout", "widening")


@dataclass(frozen=True, eq=False)
class Averages(frames.Framed):
    """What perfect-information Monte Carlo found.

    Attributes
    ----------
    best : int
        The action of the greatest value, of those that were tried in the most deals. (Not the most often
        visited: how often an action is best says little where another is far better in the other deals.)
    actions : numpy.ndarray
        As `ismcts.Result.actions`: `visits` over all deals, `value` the mean over the deals in which the
        action was tried, each deal's own mean counting once, `stderr` over these.
    deals : int
        How many were searched.
    """

    best: int
    actions: NDArray[Any]
    deals: int

    def columns(self) -> frames.Columns:
        """As a table: `action`, `visits`, `value` and `stderr`, a row for each legal action."""
        return frames.fields(self.actions)

    def about(self) -> dict[str, Any]:
        """How many deals, and the best action."""
        return {"kind": "perfect-information Monte Carlo", "best": self.best, "deals": self.deals}


@names_nonsense
def search(
    position_or_state: Any,
    deals: int | None = None,
    seconds: float | None = None,
    iterations: int = DEFAULT_ITERATIONS,
    seed: Any = None,
    **options: Any,
) -> Averages:
    """Search each of many sampled deals as a game of perfect information.

    Parameters
    ----------
    position_or_state : Position or State
        As for `ismcts.search`.
    deals : int, optional
        How many deals to search.
    seconds : float, optional
        Budget in wall time; at least one deal is searched. With both, whichever ends first.
    iterations : int, default 200
        Of the tree search (UCT) in each deal, in which every seat sees all hands and plays for itself.
    seed : int, sequence of int, numpy.random.SeedSequence, Rng or None
    **options
        `rollout`, `horizon`, `widening`, `exploration`, `belief` and `payoff`, as for `ismcts.search`.

    Returns
    -------
    Averages

    Raises
    ------
    SearchError
        If the budget is neither deals nor seconds, an option is unknown or out of its range, or the
        position is none to search.

    Examples
    --------
    >>> from solver import pimc, scout
    >>> p = scout.parse("scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    >>> p.action_to_string(pimc.search(p, deals=10, seed=1).best)
    'show 4-4-4'
    """
    if deals is None and seconds is None:
        raise SearchError("a budget is needed: deals, seconds or both")
    number, each = whole(deals), whole_in(iterations, 1, _MOST)
    if deals is not None and (number is None or number < 1):
        raise SearchError(f"deals must be a whole number of at least 1, not {deals!r}")
    if each is None:
        raise SearchError(f"iterations must be a whole number in 1..{_MOST}, not {iterations!r}")
    if unknown := sorted(set(options) - set(OPTIONS)):
        raise SearchError(f"there is no option {unknown[0]} here; the options are {', '.join(OPTIONS)}")
    source, rng, deal = _dealer(position_or_state, seed, options, seconds)
    legal = [int(action) for action in listed(source.legal_actions(), "legal actions")]
    at = {action: i for i, action in enumerate(legal)}
    visits = np.zeros(len(legal), np.int64)
    sums, squares, seen = np.zeros(len(legal)), np.zeros(len(legal)), np.zeros(len(legal), np.int64)
    ends = math.inf if seconds is None else time.perf_counter() + float(seconds)
    done = 0
    while (number is None or done < number) and (not done or time.perf_counter() < ends):
        tree = deal(rng)
        for ran in range(0, each, _SLICE):
            tree.run(min(_SLICE, each - ran), each)
        done += 1
        for row in tree.children():
            i = at[int(row["action"])]
            mean = row["total"] / row["visits"]
            visits[i] += row["visits"]
            seen[i] += 1
            sums[i] += mean
            squares[i] += mean * mean
    actions = np.zeros(len(legal), ismcts.ACTION_DTYPE)
    actions["action"], actions["visits"] = legal, visits
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / seen
        actions["value"] = np.where(seen > 0, means, np.nan)
        variance = np.maximum(0.0, squares / seen - means**2) / (seen - 1)
        actions["stderr"] = np.where(seen > 1, np.sqrt(variance), np.nan)
    best = int(np.argmax(np.where(seen == seen.max(), actions["value"], -np.inf)))
    return Averages(legal[best], actions, done)


def _dealer(given: Any, seed: Any, options: dict[str, Any], seconds: float | None) -> tuple[Any, Rng, Any]:
    """What is searched, the stream, and what deals a deal anew: its tree."""
    source, state = ismcts.observed(given)
    defaults = source.search_defaults() if hasattr(source, "search_defaults") else {}
    if options.get("belief") is not None and "belief" not in defaults:
        raise SearchError("belief: the positions of this game take none")
    style = ismcts.check_options({**options, "seconds": seconds})
    given_options = {name: getattr(style, name, value) for name, value in options.items() if value is not None}
    chosen = {**defaults, **given_options, "opponents": "tree", "depth": 0, "root": "ucb"}
    belief, payoff = chosen.pop("belief", None), chosen.pop("payoff", None)
    # how a root shares out its budget and what only full play needs is not for a tree of one deal
    style = ismcts.Style(**{name: value for name, value in chosen.items() if name in ismcts.Style._fields})
    if style.rollout not in ("random", "policy"):
        style = style._replace(rollout="policy")
    if hasattr(source, "search_payoff"):
        payoff = source.search_payoff(payoff)
    more = () if belief is None else (belief,)
    rng = seed if isinstance(seed, Rng) else Rng(seed)
    if hasattr(source, "search_root"):
        laid = _pimc.OpenDeal(source.search_root(payoff, *more))

        def compiled(rng: Rng) -> Any:
            laid.draw(rng)
            return _ismcts.Tree(laid, rng, ismcts.DEFAULT_MAX_NODES, **style.for_tree())

        return source, rng, compiled

    def plain(rng: Rng) -> Any:
        if state is None:
            full = source.search_sample(rng, payoff, *more)
        else:
            full = state.resample_from_infostate(state.current_player(), rng.random)
        player = full.current_player()
        return ismcts.PythonTree(lambda _: _Open(full.clone()), player, rng, ismcts.DEFAULT_MAX_NODES, payoff, style)

    return source, rng, plain


class _Open:
    """A state in which every seat has seen every move."""

    def __init__(self, state: Any, played: Sequence[int] = ()) -> None:
        self._state = state
        self._played = tuple(played)

    def __getattr__(self, name: str) -> Any:
        # what only the observer's view is made of is not taken from the state
        if name in ("observed_actions", "__setstate__"):
            raise AttributeError(name)
        return getattr(self._state, name)

    def information_state_string(self, player: int) -> str:
        """The moves since the deal, which is always the same."""
        return " ".join(map(str, self._played))

    def apply_action(self, action: int) -> None:
        """Play and remember."""
        self._state.apply_action(action)
        self._played = (*self._played, int(action))

    def child(self, action: int) -> _Open:
        """The state after an action."""
        return _Open(self._state.child(action), (*self._played, int(action)))
