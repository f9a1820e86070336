"""How agents stand after an arena: margins, shares of wins, ratings, each with its interval.

`solver.arena.play` makes a `Standing` from what came of each deal. All intervals take the deal as the
unit of chance (`solver.stats`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from solver import frames, stats
from solver._arena_tables import Played
from solver.stats import Interval

__all__ = ["Pair", "Row", "Standing", "Tally"]

_Floats = NDArray[np.float64]
_NAME = 22  # characters of a name in the table
_RESAMPLED = 3  # a word that tells the bootstrap's stream from others


class Row(NamedTuple):
    """An agent's standing.

    Attributes
    ----------
    name : str
    games : int
        Tables at which it sat, in one seat or in several.
    mean : float
        Margin: the mean points of its seats at a table less the mean points of the others' seats there,
        mean over tables. Where a game has pay-offs and no points, margins are scaled so that in a
        zero-sum game they are the pay-off of a seat (Baker Street: wins less losses).
    stderr : float
        Its standard error, from the deals.
    interval : Interval
        Of 95 %, of the mean: BCa bootstrap over the deals. If a rule could stop the play, a confidence
        sequence (`stats.confidence_width`), which holds at whatever deal it stopped.
    win_share : float
        Share of a win that one of its seats had, ties shared; a fair one is 1 / seats.
    win_stderr : float
        Its standard error, from the deals.
    win_interval : Interval
        Of 95 %.
    rating : float
        Of the Plackett-Luce model (two seats: Bradley-Terry), in Elo points: at 400 more a seat comes
        before another ten times as often as after it. The mean of all agents is 0.
    rating_interval : Interval
        Of 95 %, by percentiles of the bootstrap.
    """

    name: str
    games: int
    mean: float
    stderr: float
    interval: Interval
    win_share: float
    win_stderr: float
    win_interval: Interval
    rating: float
    rating_interval: Interval


class Pair(NamedTuple):
    """Two agents at the tables where both sat.

    Attributes
    ----------
    first, second : int
        Rows of the standing.
    games : int
        Tables.
    mean : float
        Mean points of the first's seats less those of the second's, scaled as in `Row`.
    stderr : float
    interval : Interval
        Of 95 %.
    won : float
        Share of pairs of a seat of each in which the first's had more points, ties half.
    won_interval : Interval
        Of 95 %.
    """

    first: int
    second: int
    games: int
    mean: float
    stderr: float
    interval: Interval
    won: float
    won_interval: Interval


class Tally:
    """Adds up deals.

    Parameters
    ----------
    agents : int
    seats : int
    scaled : bool
        Whether points are pay-offs, so that margins are scaled by ``(seats - 1) / seats``.
    """

    def __init__(self, agents: int, seats: int, scaled: bool) -> None:
        self.agents = agents
        self.seats = seats
        self.pairs = list(combinations(range(agents), 2))
        self.scale = (seats - 1) / seats if scaled else 1.0
        # Over this common denominator margins of whole points are whole numbers, and add up to 0 exactly.
        self.unit = math.lcm(*(part for own in range(1, seats) for part in (own, seats - own)))
        self.rows: list[_Floats] = []
        self.stages: list[dict[tuple[int, ...], float]] = []
        self._margins: dict[tuple[int, ...], _Floats] = {}
        self._places: dict[tuple[tuple[int, ...], tuple[float, ...]], tuple[_Floats, dict[tuple[int, ...], float]]] = {}

    @property
    def width(self) -> int:
        """Numbers a deal: see `_margin` and `_placed`."""
        return 5 * self.agents + 3 * len(self.pairs)

    def add(self, tables: Sequence[Played]) -> None:
        """Add a deal."""
        k, p = self.agents, len(self.pairs)
        row = np.zeros(self.width)
        stages: dict[tuple[int, ...], float] = {}
        for table in tables:
            points = np.array(table.points)
            row[: k + p] += self._margin(table.seats) @ points
            placed, choices = self._placed(table.seats, points)
            row[k + p :] += placed
            for company, weight in choices.items():
                stages[company] = stages.get(company, 0.0) + weight
        self.rows.append(row)
        self.stages.append(stages)

    def margins(self, agent: int) -> list[float]:
        """The agent's mean margin in each deal in which it sat, in order."""
        k, p = self.agents, len(self.pairs)
        return [self.margin(row, agent) for row in self.rows if row[k + p + agent]]

    def margin(self, row: _Floats, agent: int) -> float:
        """The agent's mean margin in a deal's row."""
        at = self.agents + len(self.pairs) + agent
        return float(row[agent] / row[at]) * self.scale / self.unit

    def _margin(self, seats: tuple[int, ...]) -> _Floats:
        """What turns points into margins of each agent, then of each pair, in 1 / `unit`."""
        found = self._margins.get(seats)
        if found is None:
            held = [[seat for seat, who in enumerate(seats) if who == agent] for agent in range(self.agents)]
            rest = [[seat for seat in range(len(seats)) if seat not in own] for own in held]
            sides = [*zip(held, rest, strict=True), *((held[a], held[b]) for a, b in self.pairs)]
            found = np.zeros((len(sides), len(seats)))
            for line, (own, others) in zip(found, sides, strict=True):
                if own and others:
                    line[own] = self.unit // len(own)
                    line[others] = -self.unit // len(others)
            self._margins[seats] = found
        return found

    def _placed(self, seats: tuple[int, ...], points: _Floats) -> tuple[_Floats, dict[tuple[int, ...], float]]:
        """What only the order of the seats decides.

        By agent: tables, seats, share of the win, times chosen in the ranking; by pair: share of pairs of
        seats won, tables. And the companies of which there was a choice.
        """
        places = tuple((points[:, None] < points).sum(axis=1).tolist())
        found = self._places.get((seats, places))
        if found is not None:
            return found
        k, p = self.agents, len(self.pairs)
        row = np.zeros(4 * k + 2 * p)
        best = places.count(0)
        for agent in set(seats):
            own = [place for place, who in zip(places, seats, strict=True) if who == agent]
            row[agent] = 1
            row[k + agent] = len(own)
            row[2 * k + agent] = own.count(0) / best
        stages: dict[tuple[int, ...], float] = {}
        for weight, chosen, among in stats.ranking_stages(seats, [-place for place in places]):
            if len(set(among)) > 1:
                for agent in chosen:
                    row[3 * k + agent] += weight / len(chosen)
                company = tuple(among.count(agent) for agent in range(k))
                stages[company] = stages.get(company, 0.0) + weight
        for at, (a, b) in enumerate(self.pairs):
            duels = [
                (places[i] < places[j]) + (places[i] == places[j]) / 2
                for i, one in enumerate(seats)
                for j, other in enumerate(seats)
                if one == a and other == b
            ]
            if duels:
                row[4 * k + at] = sum(duels) / len(duels)
                row[4 * k + p + at] = 1
        self._places[seats, places] = row, stages
        return row, stages

    def standing(self, names: Sequence[str], order: Sequence[int], sequential: bool, **more: Any) -> Standing:
        """The standing after these deals.

        Parameters
        ----------
        names : sequence of str
            Of the rows of the standing.
        order : sequence of int
            Of each row the agent's number in the seats.
        sequential : bool
            Whether the play could stop at will.
        **more
            Further fields of the `Standing`.
        """
        k, p, n = self.agents, len(self.pairs), len(self.rows)
        data = np.array(self.rows)
        companies = sorted({company for stages in self.stages for company in stages})
        often = np.array([[stages.get(company, 0.0) for company in companies] for stages in self.stages])
        seed = [_RESAMPLED, more["settings"]["seed"]]
        drawn = stats.resampled(np.hstack([data, often.reshape(n, -1)]), seed=seed)
        tables, seats, shares, wins = (np.arange(k) + k + p + i * k for i in range(4))
        won, met = (np.arange(p) + 5 * k + p + i * p for i in range(2))

        def estimate(top: int, bottom: int, scale: float = 1.0) -> tuple[float, float, Interval]:
            mean, stderr, influence = stats.ratio(data[:, top], data[:, bottom])
            with np.errstate(invalid="ignore", divide="ignore"):
                boots = drawn[:, top] / drawn[:, bottom]
            low, high = stats.bca(boots, mean, influence)
            return mean * scale, stderr * scale, Interval(low * scale, high * scale)

        totals = np.vstack([data.sum(axis=0), drawn[:, : self.width]])
        often = np.vstack([often.sum(axis=0), drawn[:, self.width :]])
        rated, intervals = self._ratings(totals[:, wins], often, companies, totals[0, met].sum() / n, seed)
        scale = self.scale / self.unit
        rows = []
        for name, agent in zip(names, order, strict=True):
            mean, stderr, around = estimate(agent, tables[agent], scale)
            share, share_err, share_around = estimate(shares[agent], seats[agent])
            if sequential:
                values = self.margins(agent)
                half = stats.confidence_width(len(values), stats.spread(values)) if values else math.inf
                middle = float(np.mean(values)) if values else math.nan
                around = Interval(middle - half, middle + half)
            games = int(data[:, tables[agent]].sum())
            rows.append(
                Row(
                    name,
                    games,
                    mean,
                    stderr,
                    around,
                    share,
                    share_err,
                    share_around,
                    float(rated[agent]),
                    intervals[agent],
                )
            )
        pairs = []
        place = {agent: row for row, agent in enumerate(order)}
        for at, (a, b) in enumerate(self.pairs):
            games = int(data[:, met[at]].sum())
            if not games:
                continue
            mean, stderr, around = estimate(k + at, met[at], scale)
            share, _, share_around = estimate(won[at], met[at])
            pair = Pair(place[a], place[b], games, mean, stderr, around, share, share_around)
            pairs.append(pair if pair.first < pair.second else _reversed(pair))
        return Standing(rows=tuple(rows), pairs=tuple(sorted(pairs)), deals=n, seats=self.seats, **more)

    def _ratings(
        self, wins: _Floats, often: _Floats, companies: list[tuple[int, ...]], tables: float, seed: list[int]
    ) -> tuple[_Floats, list[Interval]]:
        """Ratings by the first data set and their intervals by the others, with wins each way of every pair as prior.

        They are as many as the pair has tables a deal, of `tables` in all. In a resample their weight is drawn
        (exponential of mean 1, as in the Bayesian bootstrap): where one of two agents won everything, the near
        end of the interval is then that of Clopper and Pearson for as many games as deals.
        """
        k, n = self.agents, len(self.rows)
        if not companies:
            return np.zeros(k), [Interval(0.0, 0.0)] * k
        prior_wins, prior_counts = stats.prior(k)
        drawn = np.random.Generator(np.random.PCG64([*seed, 1])).exponential(size=len(wins) - 1)
        weight = np.append(1.0, drawn)[:, None] * (tables / len(self.pairs))
        virtual = np.repeat(2 * weight, len(prior_counts), axis=1)
        counts = np.vstack([np.array(companies, float), prior_counts])
        found = stats.ELO * stats.fit(wins + weight * prior_wins, np.hstack([often, virtual]), counts)
        return found[0], [stats.percentile(found[1:, agent], n) for agent in range(k)]


def _reversed(pair: Pair) -> Pair:
    """The same pair seen by the other."""
    low, high = pair.interval
    won_low, won_high = pair.won_interval
    return Pair(
        pair.second,
        pair.first,
        pair.games,
        -pair.mean,
        pair.stderr,
        Interval(-high, -low),
        1 - pair.won,
        Interval(1 - won_high, 1 - won_low),
    )


def _columns(rows: Sequence[Any], intervals: dict[str, str]) -> frames.Columns:
    """The fields of named tuples as columns; an interval as ``PREFIXlow`` and ``PREFIXhigh``."""
    found: frames.Columns = {}
    for field in rows[0]._fields if rows else ():
        values = [getattr(row, field) for row in rows]
        if field in intervals:
            found[intervals[field] + "low"] = np.array([low for low, _ in values], np.float64)
            found[intervals[field] + "high"] = np.array([high for _, high in values], np.float64)
        else:
            found[field] = values if isinstance(values[0], str) else np.array(values)
    return found


@dataclass(frozen=True, eq=False)
class Standing(frames.Framed):
    """The result of an arena: ``standing[i]`` is the row of the i-th agent given, those of `against` last.

    Attributes
    ----------
    rows : tuple of Row
    pairs : tuple of Pair
        Of every two agents that sat at a table together.
    deals : int
        Played, and counted here.
    seats : int
    settings : dict
        Game, rules, agents, seed, schedule, version: what is needed to play it again.
    stopped : str
        Why it ended: "deals" (all were played), "half width", "decided" or "interrupted".
    seconds : float
        That it took, without what a record had already.

    Notes
    -----
    Two are equal if they are to the bit, but for the seconds.
    """

    rows: tuple[Row, ...]
    pairs: tuple[Pair, ...]
    deals: int
    seats: int
    settings: dict[str, Any]
    stopped: str
    seconds: float

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Standing):
            return NotImplemented
        # as plain data, in which nan is equal to itself
        return {**self.to_dict(), "seconds": 0} == {**other.to_dict(), "seconds": 0}

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Row: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Row, ...]: ...
    def __getitem__(self, at: int | slice) -> Row | tuple[Row, ...]:
        return self.rows[at]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended it."""
        return self.stopped == "interrupted"

    def columns(self) -> frames.Columns:
        """As a table, a row for each agent: the fields of `Row`, each interval as two columns."""
        return _columns(self.rows, {"interval": "", "win_interval": "win_", "rating_interval": "rating_"})

    def pair_frame(self) -> frames.Table:
        """The pairs as a table: the fields of `Pair`, names for numbers, each interval as two columns."""
        found = _columns(self.pairs, {"interval": "", "won_interval": "won_"})
        for name in ("first", "second"):
            found[name] = [self.rows[int(row)].name for row in found[name]]
        return frames.Table(found, self.about() | {"kind": "pairs of an arena"})

    def about(self) -> dict[str, Any]:
        """What made it."""
        return {
            "kind": "standing of an arena",
            "stopped": self.stopped,
            "played": self.deals,
            "settings": self.settings,
        }

    def deals_needed(self, difference: float, agent: int = 0, power: float = 0.8) -> int:
        """Deals that it takes to tell a mean margin of `difference` from 0, by the spread of these.

        Parameters
        ----------
        difference : float
            In the unit of the margin.
        agent : int
            Its row.
        power : float
            Chance to tell it at the 5 % level.

        Raises
        ------
        ArgumentError
            If a number is out of its range, or there are fewer than two deals.
        """
        return stats.deals_needed(difference, self.rows[agent].stderr * math.sqrt(self.deals), power)

    def __str__(self) -> str:
        """The table, at most 80 columns wide."""
        games = "games"
        lines = [f"{'agent':<{_NAME}}{games:>8}{'margin':>8}{'95 %':>15}{'wins':>7}{'rating':>7}{'95 %':>13}"]
        for row in self.rows:
            lines.append(
                f"{_cut(row.name):<{_NAME}}{row.games:>8}{_number(row.mean, '+z.2f'):>8}"
                f"{_ends(row.interval, '+z.2f'):>15}{_number(row.win_share, '.3f'):>7}"
                f"{_number(row.rating, '+z.0f'):>7}{_ends(row.rating_interval, '+z.0f'):>13}"
            )
        ends = {
            "deals": "",
            "half width": ", stopped: the intervals are narrow enough",
            "decided": ", stopped: it is decided",
            "interrupted": ", interrupted",
        }[self.stopped]
        lines.append(f"{self.deals} deals of {self.settings['game']}, seed {self.settings['seed']}{ends}")
        return "\n".join(lines)

    def pair_table(self) -> str:
        """The pairs as text, at most 80 columns wide."""
        width = _NAME - 3
        lines = [f"{'first':<{width}} {'second':<{width}}{'games':>7}{'margin':>8}{'95 %':>15}{'won':>7}"]
        for pair in self.pairs:
            first, second = (_cut(self.rows[i].name, width) for i in (pair.first, pair.second))
            lines.append(
                f"{first:<{width}} {second:<{width}}{pair.games:>7}{_number(pair.mean, '+z.2f'):>8}"
                f"{_ends(pair.interval, '+z.2f'):>15}{_number(pair.won, '.3f'):>7}"
            )
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON; nan and infinity become None."""
        return {
            "agents": [_plain(row) for row in self.rows],
            "pairs": [_plain(pair) for pair in self.pairs],
            "deals": self.deals,
            "seats": self.seats,
            "settings": self.settings,
            "stopped": self.stopped,
            "seconds": self.seconds,
        }


def _cut(name: str, width: int = _NAME) -> str:
    return name if len(name) < width else name[: width - 4] + "..."


def _number(value: float, form: str) -> str:
    return format(value, form) if math.isfinite(value) else "-"


def _ends(ends: Interval, form: str) -> str:
    return f"{_number(ends.low, form)}..{_number(ends.high, form)}"


def _plain(row: Row | Pair) -> dict[str, Any]:
    def value(given: Any) -> Any:
        if isinstance(given, Interval):
            return [value(end) for end in given]
        return None if isinstance(given, float) and not math.isfinite(given) else given

    return {name: value(given) for name, given in row._asdict().items()}
