"""Statistics of play on duplicate deals: intervals, ratings, how many deals it takes, when to stop.

Used by `solver.arena` and by experiments. What is played on one deal shares that deal's luck, so the
deal is the unit of chance everywhere here: a value a deal goes in, and deals are what the bootstrap
draws anew.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver._core import seed_sequence, whole
from solver.errors import ArgumentError

__all__ = [
    "ELO",
    "FIRST_LOOK",
    "Interval",
    "bca",
    "confidence_width",
    "deals_needed",
    "fit",
    "interval",
    "percentile",
    "power",
    "prior",
    "ranking_stages",
    "ratio",
    "resampled",
    "spread",
]

ELO = 400 / math.log(10)  # points of rating in a factor e of strength
FIRST_LOOK = 30  # deals before which a confidence sequence says nothing
_FEW = 8  # deals below which a bootstrap has too few different resamples
_MOST_AGENTS = 10_000  # of whom every two are a pair
_MOST_DEALS = 1 << 62
_MOST_RESAMPLES = 10_000_000  # all of which are kept
_BEST_AT = 100  # deals at which the confidence sequence is as narrow as it can be made
_CHUNK = 4_000_000  # numbers of a resample that are held at once
_STEPS = 200  # of Newton's method; about ten are used

_Floats = NDArray[np.float64]


class Interval(NamedTuple):
    """Two ends."""

    low: float
    high: float


# ----------------------------------------------------------------------------------------------
# Means over deals


def ratio(values: ArrayLike, counts: ArrayLike | None = None) -> tuple[float, float, _Floats]:
    """Mean of a sum a deal over a count a deal, its standard error, and each deal's influence on it.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        A deal's sum: the margins of an agent at the tables of that deal, for instance.
    counts : array_like of float, shape (n,), optional
        Over how much the sum is; 1 if None.

    Returns
    -------
    mean : float
        All values over all counts; nan if there are none.
    stderr : float
        By the deals' influences (the delta method), nan below two deals. With counts of 1 it is the
        standard deviation over the root of n.
    influence : numpy.ndarray, shape (n,)
        float64, how far each deal pulls the mean, times n.
    """
    sums = _floats("values", values, 1)
    weights = np.ones_like(sums) if counts is None else _floats("counts", counts, 1)
    if sums.shape != weights.shape:
        raise ArgumentError(f"a value and a count a deal are needed, not shapes {sums.shape} and {weights.shape}")
    n, total = len(sums), float(weights.sum())
    if total == 0:
        return math.nan, math.nan, np.full(n, math.nan)
    mean = float(sums.sum()) / total
    influence = (sums - mean * weights) * (n / total)
    stderr = math.sqrt(float(influence @ influence) / (n * (n - 1))) if n > 1 else math.nan
    return mean, stderr, influence


def resampled(table: ArrayLike, resamples: int = 2000, seed: Any = 0) -> _Floats:
    """Column sums of bootstrap resamples of the rows.

    Parameters
    ----------
    table : array_like of float, shape (n, m)
        A row a deal.
    resamples : int
        At most 10 million.
    seed : int, sequence of int or numpy.random.SeedSequence

    Returns
    -------
    numpy.ndarray, shape (resamples, m)
    """
    rows = _floats("table", table, 2)
    n = len(rows)
    resamples = _at_least("resamples", resamples, 1, _MOST_RESAMPLES)
    if not n:
        raise ArgumentError("table: a row at least is needed")
    rng = np.random.Generator(np.random.PCG64(seed_sequence(seed)))
    step = max(1, _CHUNK // max(n, 1))
    parts = [
        rng.multinomial(n, np.full(n, 1 / n), size=min(step, resamples - at)).astype(np.float64) @ rows
        for at in range(0, resamples, step)
    ]
    return np.concatenate(parts)


def _edge(n: int, level: float) -> float:
    """Standard score at which to cut a bootstrap of n deals, a little further out than the normal one.

    Hesterberg, "What Teachers Should Know About the Bootstrap", The American Statistician 69 (2015): so
    that for a mean the percentile interval is as wide as Student's.
    """
    from scipy import special

    return float(special.stdtrit(n - 1, 0.5 + level / 2)) * math.sqrt(n / (n - 1))


def bca(boots: ArrayLike, estimate: float, influence: ArrayLike, level: float = 0.95) -> Interval:
    """The bias-corrected and accelerated interval of a bootstrap.

    Efron, "Better Bootstrap Confidence Intervals", JASA 82 (1987), with Hesterberg's wider cut for few
    deals.

    Parameters
    ----------
    boots : array_like of float, shape (b,)
        The statistic in each resample; nan where it has none.
    estimate : float
    influence : array_like of float, shape (n,)
        Of each deal, see `ratio`.
    level : float

    Returns
    -------
    Interval
        Of no width if all deals gave the same; Student's below 8 deals; nan below two.
    """
    from scipy import special

    _within("level", level)
    estimate = _float("estimate", estimate)
    pulls = _floats("influence", influence, 1)
    values = _floats("boots", boots, 1)
    values = values[np.isfinite(values)]
    n = len(pulls)
    if n < 2 or not len(values) or not math.isfinite(estimate):
        return Interval(math.nan, math.nan)
    spread_ = float(pulls @ pulls)
    least = 1e-12 * max(1.0, abs(estimate))
    if spread_ <= least * least * n:
        return Interval(estimate, estimate)
    if n < _FEW:
        half = float(special.stdtrit(n - 1, 0.5 + level / 2)) * math.sqrt(spread_ / (n * (n - 1)))
        return Interval(estimate - half, estimate + half)
    below = float(np.mean(values < estimate) + np.mean(values == estimate) / 2)
    bias = float(special.ndtri(min(max(below, 0.5 / len(values)), 1 - 0.5 / len(values))))
    skew = float((pulls**3).sum()) / (6 * spread_**1.5)
    edge = _edge(n, level)
    ends = []
    for z in (bias - edge, bias + edge):
        bent = 1 - skew * z
        ends.append(float(special.ndtr(bias + z / bent)) if bent > 0 else float(z > 0))
    low, high = np.quantile(values, ends)
    return Interval(float(low), float(high))


def percentile(boots: ArrayLike, n: int, level: float = 0.95) -> Interval:
    """The percentile interval of a bootstrap of n deals, with Hesterberg's wider cut for few deals."""
    from scipy import special

    _within("level", level)
    n = _at_least("n", n, 0)
    values = _floats("boots", boots, 1)
    if n < 2 or not len(values):
        return Interval(math.nan, math.nan)
    tail = float(special.ndtr(-_edge(n, level)))
    low, high = np.quantile(values, [tail, 1 - tail])
    return Interval(float(low), float(high))


def interval(
    values: ArrayLike, counts: ArrayLike | None = None, level: float = 0.95, resamples: int = 2000, seed: Any = 0
) -> Interval:
    """The interval of a mean over deals, by BCa bootstrap over the deals.

    Parameters
    ----------
    values, counts
        As in `ratio`.
    level : float
        Between 0 and 1.
    resamples : int
        At most 10 million.
    seed : int, sequence of int or numpy.random.SeedSequence

    Raises
    ------
    ArgumentError
        If a number is out of its range, or there are not as many counts as values.

    Examples
    --------
    >>> low, high = interval([1.0, 3.0, 2.0, 2.5, 1.5] * 10)
    >>> low < 2.0 < high
    True
    """
    _within("level", level)
    sums = _floats("values", values, 1)
    weights = np.ones_like(sums) if counts is None else _floats("counts", counts, 1)
    if sums.shape != weights.shape:
        raise ArgumentError(f"a value and a count a deal are needed, not shapes {sums.shape} and {weights.shape}")
    resamples = _at_least("resamples", resamples, 1, _MOST_RESAMPLES)
    if not len(sums):
        return Interval(math.nan, math.nan)
    mean, _, influence = ratio(sums, weights)
    drawn = resampled(np.column_stack([sums, weights]), resamples, seed)
    with np.errstate(invalid="ignore", divide="ignore"):
        return bca(drawn[:, 0] / drawn[:, 1], mean, influence, level)


# ----------------------------------------------------------------------------------------------
# How many deals


def power(difference: float, sd: float, deals: int, level: float = 0.95) -> float:
    """Chance that an interval from so many deals excludes 0, if the true mean is `difference`.

    Parameters
    ----------
    difference : float
        Of the mean from 0, in the unit of `sd`.
    sd : float
        Standard deviation of a deal's value.
    deals : int
    level : float
    """
    from scipy import special

    _within("level", level)
    deals = _at_least("deals", deals, 2)
    difference, sd = _float("difference", difference), _float("sd", sd)
    if not (math.isfinite(difference) and 0 < sd < math.inf):
        raise ArgumentError(f"difference is finite and sd above 0, not {difference} and {sd}")
    df, shift = deals - 1, abs(difference) / sd * math.sqrt(deals)
    edge = float(special.stdtrit(df, 0.5 + level / 2))
    if deals > 500:  # the normal limit, which stands where the exact function grows inexact
        return float(special.ndtr(shift - edge) + special.ndtr(-shift - edge))
    return float(1 - special.nctdtr(df, shift, edge) + special.nctdtr(df, shift, -edge))


def deals_needed(difference: float, sd: float, power: float = 0.8, level: float = 0.95) -> int:
    """Deals after which a true mean of `difference` is told from 0 with the chance `power`.

    Parameters
    ----------
    difference : float
        The mean margin to tell from 0; not 0.
    sd : float
        Standard deviation of a deal's mean margin: that of a row of a `Standing` is its `stderr`
        times the root of its deals.
    power, level : float
        Between 0 and 1.

    Returns
    -------
    int
        At least 2.

    Raises
    ------
    ArgumentError
        If a number is out of its range, or more than 2**62 deals are needed.

    Examples
    --------
    >>> deals_needed(0.5, sd=1.0)
    34
    """
    _within("power", power)
    _within("level", level)
    difference, sd = _float("difference", difference), _float("sd", sd)
    if not (math.isfinite(difference) and difference):
        raise ArgumentError(f"difference is a finite number other than 0, not {difference!r}")
    if not (math.isfinite(sd) and sd >= 0):
        raise ArgumentError(f"sd is a finite number of at least 0, not {sd!r}")
    if sd == 0:
        return 2
    low, high = 1, 2
    while _power(difference, sd, high, level) < power:
        low, high = high, 2 * high
        if high > _MOST_DEALS:
            raise ArgumentError(
                f"a difference of {difference:g} against sd {sd:g} takes more than {_MOST_DEALS:,} deals"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _power(difference, sd, middle, level) >= power else (middle, high)
    return high


_power = power  # `deals_needed` has a parameter of that name


def _float(name: str, value: Any) -> float:
    """A number, finite or not."""
    try:
        return float("x" if isinstance(value, (str, bytes, bytearray)) else value)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} is a number, not {value!r}") from None


def _floats(name: str, values: Any, dimensions: int) -> _Floats:
    """An array of numbers."""
    try:
        result = np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name} is an array of numbers, not {values!r}") from None
    if result.ndim != dimensions:
        raise ArgumentError(f"{name} is an array of {dimensions} dimensions, not of shape {result.shape}")
    return result


def _at_least(name: str, value: Any, least: int, most: float = math.inf) -> int:
    """A whole number in least..most, as an int."""
    number: int | None = whole(value)
    if number is None or not least <= number <= most:
        limits = f"of at least {least}" if math.isinf(most) else f"in {least}..{most:,}"
        raise ArgumentError(f"{name} is a whole number {limits}, not {value!r}")
    return number


def _within(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0 < value < 1:
        raise ArgumentError(f"{name} is a number between 0 and 1, not {value!r}")


# ----------------------------------------------------------------------------------------------
# When to stop


def spread(values: ArrayLike) -> float:
    """Standard deviation of the deals' values for `confidence_width`: as if one more deal had surprised.

    That one lies as far on the other side of 0 as any seen, so that a row of equal results is not taken
    for certainty. If all values are 0, so is the spread.
    """
    given = _floats("values", values, 1)
    if not len(given):
        return math.inf
    mean = float(given.mean())
    around = given - mean
    surprise = abs(mean) + float(np.abs(given).max())
    return math.sqrt((float(around @ around) + surprise**2) / len(given))


def confidence_width(n: int, sd: float, level: float = 0.95, best_at: int = _BEST_AT) -> float:
    """Half the width of a confidence sequence of a mean: one may look after every deal, and stop at will.

    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", Annals of Statistics 52 (2024), theorem 2.2: mean +- this covers the true mean
    at all n from `FIRST_LOOK` on together, with a chance that tends to at least `level` as the first look
    comes later. The price of looking at will is a width about half as much again as that of a fixed n.

    Parameters
    ----------
    n : int
        Deals so far.
    sd : float
        Their standard deviation, see `spread`.
    level : float
    best_at : int
        The n at which it is as narrow as it can be made; to be chosen before the data.

    Returns
    -------
    float
        Infinity before `FIRST_LOOK` deals.

    Notes
    -----
    How often it missed the true mean somewhere in 1,000 deals looked at one by one (3,000 streams): 0.03
    for normal values, 0.04 for wins and losses of equal chance, 0.06 with four wins in five, 0.10 with 19
    in 20. Where nearly all deals end alike its ends are too sure; whether the mean lies above 0 it knows.
    """
    _within("level", level)
    n = _at_least("n", n, 0)
    best_at = _at_least("best_at", best_at, 1)
    sd = _float("sd", sd)
    if n < FIRST_LOOK:
        return math.inf
    error = 1 - level
    tuned = (-2 * math.log(error) + math.log(-2 * math.log(error) + 1)) / best_at  # their equation (23)
    scaled = n * tuned + 1
    return sd * math.sqrt(2 * scaled / (n * n * tuned) * math.log(math.sqrt(scaled) / error))


# ----------------------------------------------------------------------------------------------
# Ratings


def ranking_stages(agents: Sequence[int], points: Sequence[float]) -> Iterator[tuple[float, list[int], list[int]]]:
    """The choices of which a ranking is made by the Plackett-Luce model, ties by the mean over their orders.

    Luce, "Individual Choice Behavior" (1959); Plackett, "The Analysis of Permutations" (1975): the first
    place goes to one of all with a chance in proportion to its strength, the second to one of the
    others, and so on. Of two it is the model of Bradley and Terry (1952), and a tie counts half a win each.

    Parameters
    ----------
    agents : sequence of int
        Who sits in each seat; one may sit in several.
    points : sequence of float
        The more the better.

    Yields
    ------
    weight : float
        What the choice counts.
    chosen : list of int
        The agents one of whom is chosen, each with the same chance.
    among : list of int
        The agents from whom it is.
    """
    left = sorted(range(len(points)), key=lambda seat: -points[seat])
    while len(left) > 1:
        tied = [seat for seat in left if points[seat] == points[left[0]]]
        rest = left[len(tied) :]
        for size in range(len(tied), 0, -1):
            if size + len(rest) < 2:
                break
            weight = 1 / math.comb(len(tied), size)
            for part in combinations(tied, size):
                chosen = [agents[seat] for seat in part]
                yield weight, chosen, chosen + [agents[seat] for seat in rest]
        left = rest


def fit(wins: ArrayLike, weights: ArrayLike, counts: ArrayLike) -> _Floats:
    """Log strengths of greatest likelihood by the Plackett-Luce model, many data sets at once.

    The log-likelihood of a set is ``wins @ x - weights @ log(counts @ exp(x))``; it is concave, and
    Newton's method finds its maximum.

    Parameters
    ----------
    wins : array_like of float, shape (b, k)
        Of each data set and agent, how often it was chosen.
    weights : array_like of float, shape (b, c)
        How often there was a choice from each kind of company.
    counts : array_like of float, shape (c, k)
        The kinds of company: how many seats each agent has in it.

    Returns
    -------
    numpy.ndarray, shape (b, k)
        Means are 0. Finite where everybody beat somebody who (through others) beat everybody; `prior`
        data sees to that.
    """
    given = {"wins": wins, "weights": weights, "counts": counts}
    chosen, often, company = (_floats(name, x, 2) for name, x in given.items())
    sets, agents = chosen.shape
    if often.shape != (sets, len(company)) or company.shape[1] != agents:
        raise ArgumentError(
            f"wins, weights and counts have shapes (b, k), (b, c), (c, k), not {chosen.shape}, {often.shape}, "
            f"{company.shape}"
        )
    result = np.zeros((sets, agents))
    step = max(1, _CHUNK // max(1, company.size))
    for at in range(0, sets, step):
        result[at : at + step] = _newton(chosen[at : at + step], often[at : at + step], company)
    return result


def _newton(wins: _Floats, weights: _Floats, counts: _Floats) -> _Floats:
    sets, agents = wins.shape
    found = np.zeros((sets, agents))
    diagonal = np.arange(agents)
    for _ in range(_STEPS):
        shares = counts * np.exp(found)[:, None, :]
        shares /= shares.sum(axis=2, keepdims=True)
        weighted = shares * weights[:, :, None]
        gradient = wins - weighted.sum(axis=1)
        hessian = -np.matmul(weighted.transpose(0, 2, 1), shares)
        hessian[:, diagonal, diagonal] += weighted.sum(axis=1)
        # strengths count only in proportion: their common factor is held by this term
        hessian += np.maximum(hessian[:, diagonal, diagonal].mean(axis=1), 1e-300)[:, None, None]
        change = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        longest = np.abs(change).max()
        # far from the maximum a whole step overshoots
        found += change / np.maximum(1.0, np.abs(change).max(axis=1, keepdims=True))
        if longest < 1e-10:
            break
    centred: _Floats = found - found.mean(axis=1, keepdims=True)
    return centred


def prior(agents: int) -> tuple[_Floats, _Floats]:
    """A win each way of every two agents, as (wins, shape (k,); counts, shape (pairs, k)).

    Added to results (times what is to count), it keeps ratings finite where one agent won everything.
    """
    agents = _at_least("agents", agents, 1, _MOST_AGENTS)
    pairs = list(combinations(range(agents), 2))
    counts = np.zeros((len(pairs), agents))
    for row, pair in enumerate(pairs):
        counts[row, list(pair)] = 1
    return counts.sum(axis=0), counts
