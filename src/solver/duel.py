"""The bidding duel: the game, its equilibrium, and what a policy loses at most.

`solve` finds an equilibrium of a menu of bids, `full_menu_exploitability` judges it in a greater one.
Counterfactual regret minimization in vector form: one pass over the public histories carries the values
of all 16 sums at once, and one prefix sum gives a doubt's pay-offs to all of them. Methods: Tammelin,
"Solving large imperfect information games using CFR+" (2014), and Brown and Sandholm, "Solving
imperfect-information games via discounted regret minimization" (AAAI 2019).

>>> from solver import duel
>>> solution = duel.solve(low=10, high=20, target=1e-3)
>>> abs(solution.value[0] - 0.00475) < 2e-3
True
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from solver import _duel, frames
from solver._core import whole
from solver._version import __version__
from solver.errors import ArgumentError, PolicyError, SolverError
from solver.games.duel import DOUBT, MAX_BID, WAYS, Game, State, load, menu_of, read_information
from solver.policy import PolicyTable, describe
from solver.runs import HISTORY, Snapshot

__all__ = [
    "DEFAULT_BIDS",
    "MAX_BID",
    "METHODS",
    "DuelPolicy",
    "Game",
    "Profile",
    "Solution",
    "State",
    "best_responses",
    "exploitability",
    "full_menu_exploitability",
    "profile",
    "solve",
    "value",
]

DEFAULT_BIDS = (0, *range(12, 29))
DEFAULT_TARGET = 5e-5
_SUMS = len(WAYS)
_MOST_BYTES = 1 << 32  # of a policy that is made of a table
_RARE = 1e-10  # chance of a history that a profile leaves out
# alpha, beta, gamma
METHODS = ("dcfr", "cfr+")
_DEFAULTS = {"dcfr": (2.0, 0.25, 4.0), "cfr+": (0.0, 0.0, 1.0)}
_FLOORS = {"float32": 5e-7, "float64": 1e-14}  # exploitability that rounding lets a policy reach
_RANGES = {"alpha": (0.0, 10.0), "beta": (-10.0, 10.0), "gamma": (0.0, 20.0)}


class DuelPolicy:
    """How to play the duel: probabilities for every sum and every history of a menu's bids.

    Parameters
    ----------
    game : Game
        Its menu.
    array : numpy.ndarray
        float32 or float64, shape (rows, 16), in the order of `blocks`: a row has the probabilities of one
        action for the sums 0 to 15. The array is taken over, not copied, and made read-only.

    Raises
    ------
    ArgumentError
        If the array is none of this shape and kind, or the probabilities of a history are negative or
        do not add up to 1 for some sum.

    Notes
    -----
    float32 shares add up to 1 within 1e-6; what is read from them and computed with them is divided by their
    sum in double precision.
    """

    def __init__(self, game: Game, array: NDArray[Any]) -> None:
        if not isinstance(game, Game):
            raise ArgumentError(f"a DuelPolicy needs a duel.Game, not {type(game).__name__}")
        shape = (_duel.num_rows(len(game.bids)), _SUMS)
        if not isinstance(array, np.ndarray) or array.dtype not in (np.float32, np.float64) or array.shape != shape:
            raise ArgumentError(f"the policy of {game} is a float32 or float64 array of shape {shape}")
        array = np.ascontiguousarray(array)
        bad = _duel.bad_row(array, len(game.bids))
        if bad >= 0:
            raise ArgumentError(f"the history at row {bad} has no distribution over its actions")
        self._set(game, array)

    def _set(self, game: Game, array: NDArray[Any]) -> None:
        self._game = game
        self._array = array
        array.setflags(write=False)

    @property
    def game(self) -> Game:
        """The duel of its menu."""
        return self._game

    @property
    def array(self) -> NDArray[Any]:
        """The probabilities, read-only."""
        return self._array

    @classmethod
    def _of(cls, game: Game, array: NDArray[Any]) -> DuelPolicy:
        """The policy of rows that are known to be one."""
        policy = cls.__new__(cls)
        policy._set(game, array)
        return policy

    @classmethod
    def uniform(cls, game: Game, dtype: str = "float32") -> DuelPolicy:
        """The policy that plays all legal actions alike."""
        array = np.zeros((_duel.num_rows(len(game.bids)), _SUMS), dtype)
        for _, start, actions in _blocks(game.bids):
            array[start : start + len(actions)] = 1 / len(actions)
        return cls._of(game, array)

    @property
    def nbytes(self) -> int:
        """Memory of the probabilities."""
        return int(self.array.nbytes)

    def blocks(self) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...]]]:
        """Where each history stands in `array`, in the order of memory.

        Yields
        ------
        bids : tuple of int
            The bids so far; not those that end in the greatest of the menu, where one must doubt.
        start : int
            Row of the first action.
        actions : tuple of int
            Action ids of the rows from `start` on, ascending.
        """
        return _blocks(self.game.bids)

    def rows(self) -> Iterator[tuple[str, int, tuple[int, ...], NDArray[np.float64]]]:
        """Every information state in which there is a choice or a doubt to make.

        Yields
        ------
        text : str
            The information state string.
        player : int
            The seat to decide.
        actions : tuple of int
            Legal action ids, ascending.
        probabilities : numpy.ndarray
            float64, shape (len(actions),), which add up to 1.
        """
        top = self.game.bids[-1]
        certain = np.ones(1)
        for bids, start, actions in self.blocks():
            share = self._shares(start, len(actions))
            words = "".join(f" {bid}" for bid in bids)
            for total in range(_SUMS):
                yield f"s{total}{words}", len(bids) % 2, actions, share[:, total]
            for total in range(_SUMS):
                yield f"s{total}{words} {top}", 1 - len(bids) % 2, (DOUBT,), certain

    def to_table(
        self, meta: Mapping[str, Any] | None = None, forced: bool = True, reached: bool = False
    ) -> PolicyTable:
        """The policy as a table of its information states; the default menu has 2 million, 4 with forced doubts.

        Parameters
        ----------
        meta : mapping, optional
            What made it, such as `Solution.settings`.
        forced : bool
            Whether information states with nothing but a doubt are listed too.
        reached : bool
            Whether only information states are listed that the policy's own play leads to, whatever the rival bids,
            of the menu or not, with those actions only that it plays; none that are forced. It is as good as the
            whole table, and `from_table` reads it.

        Returns
        -------
        PolicyTable
        """
        texts: list[str] = []
        players: list[NDArray[np.int8]] = []
        counts: list[NDArray[np.int64]] = []
        actions: list[NDArray[np.int32]] = []
        probabilities: list[NDArray[np.float64]] = []

        def add(bids: tuple[int, ...], legal: tuple[int, ...], share: NDArray[np.float64], led: NDArray[Any]) -> None:
            words = "".join(f" {bid}" for bid in bids)
            sums = np.flatnonzero(led)
            listed = share.T[sums] > 0 if reached else np.ones((len(sums), len(legal)), np.bool_)
            texts.extend([f"s{total}{words}" for total in sums])
            players.append(np.full(len(sums), len(bids) % 2, dtype=np.int8))
            counts.append(listed.sum(axis=1))
            actions.append(np.tile(np.array(legal, dtype=np.int32), (len(sums), 1))[listed])
            probabilities.append(share.T[sums][listed])

        every = np.ones(_SUMS, np.bool_)
        for bids, start, legal, led in _led_to(self.game.bids, self.array):
            add(bids, legal, self._shares(start, len(legal)), led if reached else every)
            if forced and not reached:
                add((*bids, self.game.bids[-1]), (DOUBT,), np.ones((1, _SUMS)), every)
        return PolicyTable.build(
            texts,
            np.concatenate(players),
            np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(np.concatenate(counts))]),
            np.concatenate(actions),
            np.concatenate(probabilities),
            meta=describe(self.game) | dict(meta or {}),
        )

    @classmethod
    def from_table(cls, table: PolicyTable) -> DuelPolicy:
        """The policy of a table of a duel, such as `to_table` gives; in double precision.

        Information states that the policy's own play never leads to may lack: what stands there changes neither
        its value nor its exploitability. They are played uniformly.

        Raises
        ------
        PolicyError
            If the table is of another game, or of more bids than fit into 4 GB, or lacks an information state that
            its own play leads to.
        """
        try:
            game = load(str(table.meta.get("game")))
        except SolverError as error:
            raise PolicyError(f"a table of a duel is needed, not of {table.meta.get('game')}") from error
        menu = game.bids
        needed = _duel.num_rows(len(menu)) * _SUMS * 8
        if needed > _MOST_BYTES:
            raise PolicyError(f"a policy of {game} takes {needed:,} bytes: a table of fewer bids is needed")
        array = np.zeros((_duel.num_rows(len(menu)), _SUMS))
        for bids, start, legal, reached in _led_to(menu, array):
            player, words = len(bids) % 2, "".join(f" {bid}" for bid in bids)
            for total in range(_SUMS):
                text = f"s{total}{words}"
                if not reached[total] and table.find(text, player) is None:
                    array[start : start + len(legal), total] = 1 / len(legal)
                    continue
                chances = table.action_probabilities(text, player)
                array[start : start + len(legal), total] = [chances.get(action, 0.0) for action in legal]
        return cls(game, array)

    def _shares(self, start: int, count: int) -> NDArray[np.float64]:
        """Probabilities of a history, shape (count, 16)."""
        share = self.array[start : start + count].astype(np.float64)
        return np.asarray(share * (1 / share.sum(axis=0)))

    def action_probabilities(self, state: State | str, player: int | None = None) -> dict[int, float]:
        """How the seat to decide plays.

        Parameters
        ----------
        state : State or str
            A state of a duel, or an information state string such as ``s7 12 14``. The duel's menu may
            be greater than the policy's: each bid then counts as `full_menu_exploitability` says.
        player : int, optional
            The seat to decide, if you want it checked.

        Returns
        -------
        dict of int to float
            Probability by action id, ascending, of the menu's greater bids and the doubt.

        Raises
        ------
        PositionError
            If the text is no information state.
        ArgumentError
            If it is neither, or it is not this player's turn in the state, or nobody's.
        """
        if isinstance(state, str):
            total, bids = read_information(state)
        elif not isinstance(state, State):
            raise ArgumentError(f"a state of the duel or its text is needed, not {type(state).__name__}")
        else:
            mover = state.current_player()
            if mover < 0:
                raise ArgumentError("nobody is to decide in this state")
            total, bids = state.sums[mover], state.bids
        if player is not None and player != len(bids) % 2:
            raise ArgumentError(f"seat {len(bids) % 2} is to decide here, not seat {player}")
        menu = self.game.bids
        size = height = len(menu)
        start = 0
        for bid in bids:
            number = sum(other <= bid for other in menu) - 1
            under = size - 1 - number
            if under == 0:
                return {DOUBT: 1.0}
            if number >= 0 and under < height:
                start, height = _below(start, height, under), under
        actions = _actions(menu, height)
        share = self._shares(start, len(actions))[:, total]
        return {action: float(p) for action, p in zip(actions, share, strict=True)}

    def __repr__(self) -> str:
        return f"<DuelPolicy of {self.game}, {self.nbytes:,} bytes>"


def _below(start: int, height: int, under: int) -> int:
    """First row of a sub-tree, as `duel_block` of the kernel."""
    return int(start + height - under + (3 << (under - 1)) - 1)


def _actions(menu: Sequence[int], height: int) -> tuple[int, ...]:
    """Legal actions where `height` bids of the menu are left."""
    greater = tuple(menu[len(menu) - height :])
    return greater if height == len(menu) else (*greater, DOUBT)


def _blocks(menu: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...]]]:
    waiting: list[tuple[tuple[int, ...], int, int]] = [((), 0, len(menu))]
    while waiting:
        bids, start, height = waiting.pop()
        yield bids, start, _actions(menu, height)
        for under in range(height - 1, 0, -1):
            waiting.append(((*bids, menu[-1 - under]), _below(start, height, under), under))


def _led_to(
    menu: tuple[int, ...], array: NDArray[Any]
) -> Iterator[tuple[tuple[int, ...], int, tuple[int, ...], NDArray[np.bool_]]]:
    """The histories as `_blocks` has them, and by sum whether own play leads to moving there, whatever the rival bids.

    The rows of a history may be filled in once it was given.
    """
    every = np.ones(_SUMS, np.bool_)
    # by history: with which sums own play may be to move there, and with which it may wait for the rival
    known: dict[tuple[int, ...], tuple[NDArray[np.bool_], NDArray[np.bool_]]] = {(): (every, every)}
    for bids, start, legal in _blocks(menu):
        moves, waits = known.pop(bids)
        yield bids, start, legal, moves
        for row, action in zip(array[start : start + len(legal)], legal, strict=True):
            if action not in (DOUBT, menu[-1]):
                bid = moves & (row > 0)
                # a bid that the menu lacks counts as the one below it, so that the bidder is to move again
                known[(*bids, action)] = (waits if action + 1 in menu else waits | bid, bid)


@dataclass(frozen=True, eq=False)
class Solution(frames.Framed):
    """An equilibrium, how good it is, and what made it.

    Attributes
    ----------
    policy : DuelPolicy
        The average policy.
    exploitability : float
        What a best response wins against it, the mean of both seats; exact, within the menu.
    value : (float, float)
        Mean pay-off by seat if both play it: within `exploitability` x 2 of the game's value.
    iterations : int
    seconds : float
    history : numpy.ndarray
        Structured: iteration, exploitability, seconds, at each look at the exploitability.
    settings : dict
        Game, method, its parameters, iterations, library version: what is needed to run it again.
    interrupted : bool
        Whether Ctrl-C ended it.
    """

    policy: DuelPolicy
    exploitability: float
    value: tuple[float, float]
    iterations: int
    seconds: float
    history: NDArray[Any]
    settings: dict[str, Any] = field(default_factory=dict)
    interrupted: bool = False

    def columns(self) -> frames.Columns:
        """The run as a table: `iteration`, `exploitability` and `seconds`, a row for each look."""
        return frames.fields(self.history)

    def about(self) -> dict[str, Any]:
        """What made it."""
        return {"kind": "run of a solver", "settings": self.settings}

    def __str__(self) -> str:
        return (
            f"{self.policy.game}: opener's value {self.value[0]:.5f}, exploitability {self.exploitability:.2e}, "
            f"{self.iterations:,} iterations of {self.settings.get('method')} in {self.seconds:.2f} s"
            + (", interrupted" if self.interrupted else "")
        )


def _policy(policy: object) -> DuelPolicy:
    if isinstance(policy, PolicyTable):
        return DuelPolicy.from_table(policy)
    if not isinstance(policy, DuelPolicy):
        raise ArgumentError(
            f"a DuelPolicy is needed, as in the result of duel.solve, or a table of one, not {type(policy).__name__}"
        )
    return policy


def best_responses(
    policy: DuelPolicy | PolicyTable, low: int | None = None, high: int | None = None
) -> tuple[float, float]:
    """What a best response wins against a policy, as the opener and as the second player; exact.

    Parameters
    ----------
    policy : DuelPolicy or PolicyTable
        A table, as `DuelPolicy.to_table` gives it, takes some seconds to read.
    low, high : int, optional
        Bids that the best response has, 0 and 30 if only the other is given. The policy's menu must lie within.
        Without either, it has the bids of the menu. `full_menu_exploitability` says how a policy answers others.

    Returns
    -------
    (float, float)
        The opener's value in the duel over those bids lies between minus the second and the first.

    Raises
    ------
    ArgumentError
        If it is no policy of a duel, or a limit is no whole number in 0..30 that leaves the menu within.

    Examples
    --------
    >>> first, second = best_responses(solve(10, 20, target=1e-4).policy)
    >>> -second < 0.00475 < first
    True
    """
    policy = _policy(policy)
    menu = policy.game.bids
    if low is None and high is None:
        return _duel.best_response(policy.array, menu, 0), _duel.best_response(policy.array, menu, 1)
    limits = []
    for name, limit in (("low", 0 if low is None else low), ("high", MAX_BID if high is None else high)):
        number = whole(limit)
        if number is None or not 0 <= number <= MAX_BID:
            raise ArgumentError(f"{name} must be a whole number in 0..{MAX_BID}, not {limit!r}")
        limits.append(number)
    if limits[0] > menu[0] or limits[1] < menu[-1]:
        raise ArgumentError(f"the policy bids {menu[0]} to {menu[-1]}, which {limits[0]}..{limits[1]} must contain")
    pair = (limits[0], limits[1])
    return _duel.best_response(policy.array, menu, 0, pair), _duel.best_response(policy.array, menu, 1, pair)


def exploitability(policy: DuelPolicy | PolicyTable) -> float:
    """What a best response wins against a policy, the mean of both seats (NashConv / 2), within its menu.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    first, second = best_responses(policy)
    return (first + second) / 2


def value(policy: DuelPolicy | PolicyTable) -> tuple[float, float]:
    """Mean pay-off by seat if both play a policy.

    Raises
    ------
    ArgumentError
        If it is neither.
    """
    policy = _policy(policy)
    opener = _duel.value(policy.array, policy.game.bids)
    return opener, 0.0 - opener


def full_menu_exploitability(policy: DuelPolicy | PolicyTable, low: int = 0, high: int = MAX_BID) -> float:
    """What a best response that may bid anything wins against a policy of a smaller menu; exact.

    Parameters
    ----------
    policy : DuelPolicy or PolicyTable
        A table, as `DuelPolicy.to_table` gives it, takes some seconds to read.
    low, high : int, default 0 and 30
        Bids that the best response has. The policy's menu must lie within.

    Returns
    -------
    float
        Mean of both seats' best responses, (BR0 + BR1) / 2: an upper bound of what the policy loses, on
        average over both seats, against anybody.

    Raises
    ------
    ArgumentError
        If it is no DuelPolicy, or a limit is no whole number in 0..30 that leaves the menu within.

    Notes
    -----
    To the policy the rival's bid counts as the largest bid of its menu not above it, and the history is
    the set of such bids so far, whoever made them. A bid below the whole menu counts as none, so that the
    policy opens in its turn; one between the policy's own last bid and the next of the menu changes
    nothing, so that the policy answers its own bid as if the rival had made it. (With 0 in the menu, and gaps only
    above it, both are passes.) A bid at or above the greatest of the menu is doubted. Pay-offs are always those
    of the bids as they were made.

    Of the bids that count alike, the least is best for the rival: the policy answers them alike, and a doubt
    of a lesser bid is worth more to the bidder. So the best response needs to look at the menu and
    the bid after each bid of it only, and it skips what the policy never plays.
    """
    first, second = best_responses(policy, low, high)
    return (first + second) / 2


class Profile(NamedTuple):
    """How a policy plays, averaged over the histories that it leads to when it has both seats.

    Attributes
    ----------
    bids : tuple of int
        The menu, n bids.
    opening : numpy.ndarray
        float64, shape (16, n): by own sum the probability of each opening bid.
    facing : numpy.ndarray
        float64, shape (16, n): how often a duel has somebody with this sum answer this bid; may be above 1 in sum,
        since a duel has many answers.
    doubting : numpy.ndarray
        float64, shape (16, n): how often such an answer is a doubt; nan where it never comes to that.
    raising : numpy.ndarray
        float64, shape (n, n): how often a duel has a raise from the bid of the row to that of the column.
    doubted : numpy.ndarray
        float64, shape (n,): how often a duel ends with this bid doubted; they add up to 1.
    """

    bids: tuple[int, ...]
    opening: NDArray[np.float64]
    facing: NDArray[np.float64]
    doubting: NDArray[np.float64]
    raising: NDArray[np.float64]
    doubted: NDArray[np.float64]


def profile(policy: DuelPolicy | PolicyTable) -> Profile:
    """How a policy opens, raises and doubts, by own sum and standing bid.

    Histories less likely than 1e-10 are left out.

    Raises
    ------
    ArgumentError
        If it is no policy of a duel.

    Examples
    --------
    >>> found = profile(DuelPolicy.uniform(Game(10, 12)))
    >>> found.opening[0].round(3).tolist(), found.doubting[0].round(3).tolist()
    ([0.333, 0.333, 0.333], [0.333, 0.5, 1.0])
    """
    policy = _policy(policy)
    menu = policy.game.bids
    size = len(menu)
    opening = np.zeros((_SUMS, size))
    facing, doubts = np.zeros((_SUMS, size)), np.zeros((_SUMS, size))
    raising = np.zeros((size, size))
    chance = np.array(WAYS) / sum(WAYS)
    # first row, bids left, and by sum how likely the seat to move and the other are to be here, sums drawn
    waiting = [(0, size, chance, chance)]
    while waiting:
        start, height, mine, other = waiting.pop()
        here = mine * other.sum()
        if here.sum() < _RARE:
            continue
        last = size - 1 - height
        share = policy._shares(start, len(_actions(menu, height))) if height else np.ones((1, _SUMS))
        if height == size:
            opening += share.T
        else:
            facing[:, last] += here
            doubts[:, last] += here * share[height]
            raising[last, last + 1 :] += share[:height] @ here
        for under in range(height):
            below = _below(start, height, under) if under else 0
            waiting.append((below, under, other, mine * share[height - 1 - under]))
    doubting = np.divide(doubts, facing, out=np.full_like(facing, math.nan), where=facing > 0)
    return Profile(menu, opening, facing, doubting, raising, doubts.sum(axis=0))


def solve(
    low: int | None = None,
    high: int | None = None,
    bids: Iterable[int] | None = None,
    *,
    method: str = "dcfr",
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    callback: Callable[[Snapshot], object] | None = None,
    every: int | None = None,
    max_bytes: int = 1_000_000_000,
    dtype: str = "float32",
) -> Solution:
    """Find an equilibrium of the duel over a menu of bids.

    Parameters
    ----------
    low, high : int, optional
        Least and greatest bid.
    bids : iterable of int, optional
        The bids themselves. With neither bids nor limits, `DEFAULT_BIDS` (0 and 12 to 28), whose
        equilibrium is one of the full duel 0..30 within 2e-4 by `full_menu_exploitability`.
    method : {"dcfr", "cfr+"}
        Discounted CFR, or CFR+ with an average weighted by iteration. CFR+ takes three to five times as long.
    target : float, optional
        Stop once the exploitability is at most this; at least 5e-7 in single precision.
    iterations : int, optional
        Stop after so many iterations. The result then depends on the arguments alone, to the last bit.
    seconds : float, optional
        Stop after so much time. Without any of the three, `target` is 5e-5.
    alpha, beta : float, optional
        DCFR: positive regrets are multiplied by t**alpha / (t**alpha + 1) after iteration t, negative ones with
        beta likewise. Default 2 and 0.25.
    gamma : float, optional
        Iteration t has the weight t**gamma in the average. Default 4 (DCFR), 1 (CFR+).
    callback : callable, optional
        Called with a `Snapshot` (without policy) at each look; a true result ends the run.
    every : int, optional
        Iterations between looks at the exploitability; by default 100, and after 1,000 iterations a tenth of
        those done. A look takes as long as about 5 to 10 iterations.
    max_bytes : int, default 1e9
        Refuse menus that need more memory: 194 bytes x 2**bids, twice that in double precision. 48 bytes an
        iteration come on top, and end a run that nothing else ends.
    dtype : {"float32", "float64"}
        Precision of regrets and averages.

    Returns
    -------
    Solution
        Ctrl-C too gives one, with the average policy so far and `interrupted` set. A second Ctrl-C, while that
        policy is judged, leaves exploitability or value nan.

    Raises
    ------
    GameOptionError
        If the menu is none.
    ArgumentError
        If an argument is out of its range or unknown, or the menu needs more than `max_bytes`.

    Notes
    -----
    Updates alternate. One pass of a player's update goes down with the rival's reach and adds the rival's
    strategy to the average; sub-trees that the rival does not reach with any sum are skipped, which
    changes nothing: regrets there would only be discounted, and that is made up for when the rival
    comes again.
    """
    began = time.perf_counter()
    if low is None and high is None and bids is None:
        bids = DEFAULT_BIDS
    game = Game(bids=menu_of(low, high, bids))
    parameters = _parameters(method, {"alpha": alpha, "beta": beta, "gamma": gamma})
    if target is None and iterations is None and seconds is None:
        target = DEFAULT_TARGET
    goal = _real("target", target, 0.0) if target is not None else -math.inf
    last = _count("iterations", iterations) if iterations is not None else 2**32 - 2
    deadline = began + _real("seconds", seconds, 0.0) if seconds is not None else math.inf
    limit = _count("max_bytes", max_bytes)
    if every is not None:
        every = _count("every", every)
    if not isinstance(dtype, str) or dtype not in ("float32", "float64"):
        raise ArgumentError(f'dtype must be "float32" or "float64", not {dtype!r}')
    needed = _duel.num_bytes(len(game.bids), np.dtype(dtype).itemsize)
    if needed > limit:
        raise ArgumentError(
            f"{game} has {len(game.bids)} bids and needs {needed:,} bytes, more than max_bytes = {limit:,}; "
            f"take fewer bids (the default menu solves the full duel)"
        )
    alpha, beta, gamma = parameters.values()
    if -math.inf < goal < _FLOORS[dtype]:
        raise ArgumentError(f"target: {dtype} goes down to about {_FLOORS[dtype]:g}, not to {goal!r}")
    # the discounts of every iteration are kept: 16 bytes each, and as many again while they are moved
    last = min(last, max((limit - needed) // 48, 1))
    walk = _duel.Walk(game.bids, method == "cfr+", alpha, beta, gamma, dtype == "float32")
    history: list[tuple[int, float, float]] = []
    interrupted = False
    try:
        while True:
            step = max(100, walk.iterations // 10) if every is None else every
            late = walk.run(min(step, last - walk.iterations), deadline)
            gap = walk.exploitability()
            history.append((walk.iterations, gap, time.perf_counter() - began))
            looked = Snapshot(walk.iterations, gap, time.perf_counter() - began, None)
            stop = callback is not None and bool(callback(looked))
            if stop or late or gap <= goal or walk.iterations >= last or time.perf_counter() >= deadline:
                break
    except KeyboardInterrupt:
        interrupted = True
    done = walk.iterations
    policy = DuelPolicy._of(game, walk.finish())
    worth = math.nan, math.nan
    try:
        if interrupted:
            gap = math.nan
            gap = exploitability(policy)
            history.append((done, gap, time.perf_counter() - began))
        worth = value(policy)
    except KeyboardInterrupt:
        interrupted = True
    settings = {
        "game": str(game),
        "method": method,
        **{key: number for key, number in parameters.items() if method == "dcfr" or key == "gamma"},
        "dtype": dtype,
        "iterations": done,
        "seconds": time.perf_counter() - began,
        "version": __version__,
    }
    return Solution(
        policy=policy,
        exploitability=gap,
        value=worth,
        iterations=done,
        seconds=time.perf_counter() - began,
        history=np.array(history, HISTORY),
        settings=settings,
        interrupted=interrupted,
    )


def _parameters(method: str, given: dict[str, float | None]) -> dict[str, float]:
    """alpha, beta and gamma of a method."""
    if not isinstance(method, str) or method not in _DEFAULTS:
        raise ArgumentError(f'method must be "dcfr" or "cfr+", not {method!r}')
    result = dict(zip(given, _DEFAULTS[method], strict=True))
    for name, number in given.items():
        if number is None:
            continue
        if method == "cfr+" and name != "gamma":
            raise ArgumentError(f"{name} is a parameter of dcfr; cfr+ has none of that name")
        low, high = _RANGES[name]
        result[name] = _real(name, number, low, high)
    return result


def _real(name: str, number: object, low: float, high: float = math.inf) -> float:
    """A finite number in low..high."""
    try:
        result = math.nan if isinstance(number, (bool, str)) else float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        result = math.nan
    if not low <= result <= high or math.isinf(result):
        limits = f"at least {low:g}" if math.isinf(high) else f"in {low:g}..{high:g}"
        raise ArgumentError(f"{name} must be a finite number {limits}, not {number!r}")
    return result


def _count(name: str, number: object) -> int:
    """A whole number from 1 on."""
    result = whole(number)
    if result is None or result < 1:
        raise ArgumentError(f"{name} must be a whole number of at least 1, not {number!r}")
    return result
