"""Why the best action of a search is best, in words: what `Result.explain` and `solver best --why` print.

What a search found is a table of mean pay-offs. What they come from is looked up in full states drawn with
the belief of the search: what the others can do about the play, how the round goes on. docs/explain.md has
examples and says what each sentence is counted over.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from solver import _explain_bakerstreet, _explain_scout
from solver._core import Rng, whole
from solver._explain_text import Told, percent, seat_words
from solver._ismcts_twin import by_policy
from solver.errors import ArgumentError
from solver.games import bakerstreet, scout

__all__ = ["Alternative", "Explanation", "Step", "explain"]

_SURE = 1.96  # standard errors of a 95 % interval
_FEW = 30  # visits below which a mean says little
_STREAM = 2**20  # word of the seed's stream for deals; searches use the first ones, one a thread
_MOVES = 8  # of the line, at most


class Alternative(NamedTuple):
    """Another action beside the best.

    Attributes
    ----------
    words : str
    title : str
        What it is: "next best" or "best scout" and the like.
    visits : int
    value, stderr : float
        Mean pay-off and its standard error.
    less, less_stderr : float
        How much less than the best, and the standard error of that.
    played : bool
        Whether that is from the sampled deals, with the best and with this action in each of them and all
        seats by the rollout policy from there on: for an action that the search dropped early. Else it is
        from the search.
    clear : bool or None
        Whether the difference is more than chance, at the 95 % level; None where too little was tried.
    """

    words: str
    title: str
    visits: int
    value: float
    stderr: float
    less: float
    less_stderr: float
    played: bool
    clear: bool | None


class Step(NamedTuple):
    """A move of the line of play.

    Attributes
    ----------
    seat : int
    words : str
    share : float or None
        In what part of the deals (or of the visits of a tree) the seat plays so; None: the own move.
    kind : str
    kind_share : float or None
        In what part it plays a move of this kind.
    """

    seat: int
    words: str
    share: float | None
    kind: str
    kind_share: float | None


@dataclass(frozen=True)
class Explanation:
    """Why a play is best.

    Attributes
    ----------
    best : str
        In words.
    payoff : str
        What `value` is: "margin", "score", "win" or "returns".
    value, stderr : float
        Mean pay-off of the best, and its standard error.
    visits : int
    alternatives : tuple of Alternative
    sentences : tuple of str
        What the game has to say.
    facts : dict
        The same as plain data; chances in 0..1.
    line : tuple of Step
        How it most likely goes on, up to the own next turn.
    deals : int
        Over how many sampled deals chances are counted; 0 if over none.
    """

    best: str
    payoff: str
    value: float
    stderr: float
    visits: int
    alternatives: tuple[Alternative, ...]
    sentences: tuple[str, ...]
    line: tuple[Step, ...]
    deals: int
    only: bool = False
    facts: dict[str, Any] = field(default_factory=dict)
    seat: int = 0
    players: int = 0
    chance: bool = False  # the pay-off is a chance of winning in -1..1

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, width: int = 80, heading: bool = True) -> list[str]:
        """The explanation as lines of text.

        Parameters
        ----------
        width : int, default 80
        heading : bool, default True
            Whether the first line says what is explained.
        """
        lines = _wrapped(f"why {self.best}", width, "", "    ") if heading else []
        for sentence in (self._expected(), *map(self._compared, self.alternatives), *self.sentences):
            lines += _wrapped(sentence, width, "- ", "  ")
        if self.line:
            lines.append("- Most likely it goes on:")
            names = [seat_words(step.seat, self.seat, self.players) for step in self.line]
            longest = max(map(len, names))
            for name, step in zip(names, self.line, strict=True):
                lines += _wrapped(_step_words(step), width, f"    {name:<{longest}}  ", " " * (longest + 6))
        if self.deals:
            most = percent(0.98 / math.sqrt(self.deals))
            lines.append(f"(chances: of {self.deals} deals that fit what you know, +- {most} at most)")
        return lines

    def _expected(self) -> str:
        """What the best brings."""
        if math.isnan(self.value):
            return "It was not tried: the budget ended before."
        amount = _amount(*self._scaled(self.value, self.stderr))
        start = "The only legal action. " if self.only else ""
        if self.chance or self.payoff == "win":
            return f"{start}Your chance to win is {amount} %."
        if self.payoff == "margin":
            if amount.strip("-0.") == "":
                return f"{start}You end level with the others' average."
            side = "behind" if self.value < 0 else "ahead of"
            return f"{start}You end {amount.lstrip('-')} points {side} the others' average."
        if self.payoff == "score":
            return f"{start}You score {amount} points."
        return f"{start}Its mean pay-off is {amount}, over {self.visits:,} tries."

    def _compared(self, other: Alternative) -> str:
        """How another action compares."""
        kind = other.title.removeprefix("best ")
        rest = other.words.removeprefix(kind).strip()
        title = f"{other.title.capitalize()}: {rest if other.title != 'next best' else other.words}."
        if not rest:
            title = f"Or {kind}."
        tries = f"{other.visits:,} tr{'y' if other.visits == 1 else 'ies'}"
        if other.clear is None:
            return f"{title} Dropped after {tries}: it looked worse."
        win = self.chance or self.payoff == "win"
        unit = " %" if win else " points" if self.payoff in ("margin", "score") else ""
        amount = _amount(*self._scaled(abs(other.less), other.less_stderr, difference=True)) + unit
        side = "worse" if other.less >= 0 else "better"
        if not other.clear:
            said = f"about as good ({amount} {side}: no more than noise)."
        elif other.less >= 0:
            said = f"worse by {amount}, more than noise."
        else:
            said = f"better by {amount}" + (
                ", but the search looks further." if other.played else ", but far less tried."
            )
        if other.played:
            return f"{title} Dropped after {tries}; played on from the same deals {said}"
        return f"{title} {said[0].upper()}{said[1:]}"

    def _scaled(self, value: float, stderr: float, difference: bool = False) -> tuple[float, float]:
        """Value and half width of its 95 % interval in the unit in which they are told."""
        if self.chance:
            return (50 * value if difference else 50 * (value + 1)), _SURE * 50 * stderr
        scale = 100 if self.payoff == "win" else 1
        return scale * value, _SURE * scale * stderr

    def to_dict(self) -> dict[str, Any]:
        """The explanation as plain data for JSON; nan becomes None."""
        return {
            "best": self.best,
            "payoff": self.payoff,
            "value": _plain(self.value),
            "stderr": _plain(self.stderr),
            "visits": self.visits,
            "alternatives": [
                {name: _plain(value) for name, value in other._asdict().items()} for other in self.alternatives
            ],
            "sentences": list(self.sentences),
            "facts": self.facts,
            "line": [step._asdict() for step in self.line],
            "deals": self.deals,
            "text": str(self),
        }


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _amount(value: float, spread: float) -> str:
    """A value and what it may be off by, to the digits that this leaves standing."""
    if not spread > 0:
        return f"{value:.1f}"
    digits = 0 if spread >= 2 else 1 if spread >= 0.05 else 2
    if f"{abs(value):.{digits}f}" == f"{spread:.{digits}f}":
        digits += 1  # which of the two is greater is what matters
    half = f"{spread:.{digits}f}"
    return f"{value:.{digits}f}" + (f" +- {half}" if float(half) else "")


def _wrapped(text: str, width: int, first: str, later: str) -> list[str]:
    """Lines of a text, in which a number is not parted from its unit or its seat."""
    kept = re.sub(r"(?<=[0-9]) (?=%|\+-)|(?<=\+-) |(?<=seat) (?=[0-9])", "\xa0", text)
    lines = textwrap.wrap(kept, width, initial_indent=first, subsequent_indent=later, break_on_hyphens=False)
    return [line.replace("\xa0", " ") for line in lines]


def _step_words(step: Step) -> str:
    """A move of the line with how often it is played."""
    if step.share is None:
        return step.words
    if step.kind_share is not None and step.kind_share >= 1.5 * step.share:
        if step.kind_share >= 0.995:
            return f"{step.words} (most often, {percent(step.share)})"
        most = f", most often {step.words.removeprefix(step.kind).strip()} ({percent(step.share)})"
        return f"{step.kind} ({percent(step.kind_share)}){most}"
    return f"{step.words} ({percent(step.share)})"


# ----------------------------------------------------------------------------------------------
# Making one


class _Teller(NamedTuple):
    """What a game can tell."""

    kind: Callable[[Any, int], str]
    seen: Callable[[Any, Any, int, bool], tuple[str, str]]
    tell: Callable[[Any, int, Sequence[Any], Rng], Told]
    value: Callable[[Any, str, int], float]


_SCOUT = _Teller(_explain_scout.kind, _explain_scout.seen, _explain_scout.tell, _explain_scout.value)
_BAKERSTREET = _Teller(
    _explain_bakerstreet.kind, _explain_bakerstreet.seen, _explain_bakerstreet.tell, _explain_bakerstreet.value
)


def explain(result: Any, samples: int = 200) -> Explanation:
    """Why the best action of a search is best.

    Parameters
    ----------
    result : ismcts.Result
    samples : int, default 200
        Deals over which chances are counted. They are drawn with the belief of the search, by a stream
        of the result's seed: the same result has the same explanation.

    Returns
    -------
    Explanation

    Raises
    ------
    ArgumentError
        If `samples` is no whole number of at least 1.
    """
    number: int | None = whole(samples)
    if number is None or number < 1:
        raise ArgumentError(f"samples is a whole number of at least 1, not {samples!r}")
    samples = number
    source = result.source
    teller = _teller(source)
    settings = result.settings
    sequence = np.random.SeedSequence(settings["seed"], spawn_key=(*settings["spawn_key"], _STREAM))
    to_deal, to_play, to_go_on = map(Rng, sequence.spawn(3))
    told, line = Told([], {}), tuple(Step(*step) for step in result.line)
    deals: list[Any] = []
    # of a game that is no card game of ours there is what the tree knows
    if teller is not None:
        payoff = None if settings["payoff"] == "returns" else settings["payoff"]
        more = () if result.belief is None else (result.belief,)
        deals = [source.search_sample(to_deal, payoff, *more) for _ in range(samples)]
        after = [_after(result, deal) for deal in deals]
        told = teller.tell(source, result.best, after, to_play)
        if source.phase != "choose":
            line = _line(teller, result, after, to_go_on)
    alternatives = tuple(
        _alternative(result, row, title, teller, deals, np.random.SeedSequence(sequence.entropy, spawn_key=(_STREAM,)))
        for row, title in _others(result, teller)
    )
    counted = bool(line or told.facts.get("deals") or any(other.played for other in alternatives))
    row = result.actions[result.actions["action"] == result.best][0]
    game = getattr(source, "game", None)
    count = getattr(game, "num_players", None)
    return Explanation(
        best=result.best_words(),
        payoff=settings["payoff"],
        value=float(row["value"]),
        stderr=float(row["stderr"]),
        visits=int(row["visits"]),
        alternatives=alternatives,
        sentences=tuple(told.sentences),
        line=line,
        deals=len(deals) if counted else 0,
        only=len(result.actions) == 1,
        facts=told.facts,
        seat=source.player if hasattr(source, "player") else source.current_player(),
        players=count() if callable(count) else 0,
        chance=teller is _BAKERSTREET,
    )


def _teller(source: Any) -> _Teller | None:
    if isinstance(source, scout.Position):
        return _SCOUT
    return _BAKERSTREET if isinstance(source, bakerstreet.Position) else None


def _after(result: Any, deal: Any) -> Any:
    """A deal after the best play."""
    state = deal.child(result.best)
    if result.best_then is not None and state.current_player() == deal.current_player():
        state.apply_action(result.best_then)
    return state


def _others(result: Any, teller: _Teller | None) -> list[tuple[Any, str]]:
    """Rows of the next best action, and of the best of up to two other kinds, each with its title."""
    actions = result.actions
    ranked = sorted(
        (row for row in actions if row["action"] != result.best and row["visits"]),
        key=lambda row: (-row["visits"], -row["value"]),
    )
    if teller is None:
        return [(row, "next best") for row in ranked[:1]]
    found: list[tuple[Any, str]] = []
    kinds = {teller.kind(result.source.game, result.best)}
    for row in ranked:
        name = teller.kind(result.source.game, int(row["action"]))
        if found and name in kinds:
            continue
        found.append((row, f"best {name}" if found else "next best"))
        kinds.add(name)
        if len(found) == 3:
            break
    return found


def _alternative(
    result: Any, row: Any, title: str, teller: _Teller | None, deals: Sequence[Any], seed: np.random.SeedSequence
) -> Alternative:
    best = result.actions[result.actions["action"] == result.best][0]
    action = int(row["action"])
    less = float(best["value"] - row["value"])
    stderr = math.hypot(float(best["stderr"]), float(row["stderr"]))
    few = bool(row["visits"] < _FEW or best["visits"] < _FEW or math.isnan(stderr))
    played = few and teller is not None and len(deals) > 1
    if played and teller is not None:
        # each deal is played with both, so that its luck cancels
        first, second = Rng(seed), Rng(seed)
        ours = [_outcome(teller, result, _after(result, deal), first) for deal in deals]
        theirs = [_outcome(teller, result, deal.child(action), second) for deal in deals]
        gaps = np.subtract(ours, theirs)
        less, stderr = float(gaps.mean()), float(gaps.std(ddof=1) / math.sqrt(len(gaps)))
    return Alternative(
        words=result.words[action],
        title=title,
        visits=int(row["visits"]),
        value=float(row["value"]),
        stderr=float(row["stderr"]),
        less=less,
        less_stderr=stderr,
        played=played,
        clear=None if few and not played else abs(less) > _SURE * stderr,
    )


def _outcome(teller: _Teller, result: Any, state: Any, rng: Rng) -> float:
    """Pay-off of the searcher when all play on by the rollout policy, as far as a rollout of the search goes."""
    horizon = result.settings["horizon"]
    until = math.inf if horizon < 0 else state.horizon_clock() + horizon
    while not state.is_terminal() and state.horizon_clock() < until:
        learnt = result.settings["own"] == "learnt" and state.current_player() == result.source.player
        state.apply_action(by_policy(state, result.settings["epsilon"], rng, learnt))
    return teller.value(state, result.settings["payoff"], result.source.player)


# ----------------------------------------------------------------------------------------------
# How it goes on


class _Play(NamedTuple):
    """A move in one deal."""

    kind: str
    words: str
    keys: tuple[int, ...]  # what the observer sees of its steps, as the tree has them
    state: Any  # after it


def _line(teller: _Teller, result: Any, states: Sequence[Any], rng: Rng) -> tuple[Step, ...]:
    """The most likely play from the states up to the own next turn.

    At each move the most frequent kind, and of it the most frequent move, are what the line goes on with, in
    the deals in which it is played: these are copied to be as many as before. Own moves are the tree's
    where it came so far, from there on those of its rollouts; all others those of the rollout policy, which knows
    its own hand only.
    """
    me = result.source.player
    tree = _Outline(result.outline)
    here = tree.children([-1], _first_keys(result))
    steps: list[Step] = []
    count = len(states)
    others = False
    # the words of a state are written down in it; clones keep those of the search's samples whole
    alive = [state.clone() for state in states if not _over(state)]
    while len(alive) >= max(1, count // 4) and len(steps) < _MOVES:
        mover = Counter(state.current_player() for state in alive).most_common(1)[0][0]
        own = mover == me
        others = others or not own
        alive = [state for state in alive if state.current_player() == mover]
        by_rule = own and result.settings["own"] == "learnt"
        plays = [_move(teller, state, mover, me, rng, tree if own else None, here, by_rule) for state in alive]
        kinds = Counter(play.kind for play in plays)
        kind, of_kind = kinds.most_common(1)[0]
        words, of_words = Counter(play.words for play in plays if play.kind == kind).most_common(1)[0]
        share = None if own else of_words / len(plays)
        steps.append(Step(mover, words, share, kind, None if own else of_kind / len(plays)))
        kept = [play for play in plays if play.kind == kind and play.words == words]
        for at in range(max(map(len, (play.keys for play in kept)))):
            here = tree.children(here, {play.keys[at] for play in kept if at < len(play.keys)})
        if own and others:
            break
        kept = [play for play in kept if not _over(play.state)]
        alive = [kept[i % len(kept)].state.clone() for i in range(count)] if kept else []
    return tuple(steps)


def _over(state: Any) -> bool:
    """Whether the game or the round in view is over."""
    return bool(state.is_terminal() or (isinstance(state, scout.State) and state.round_results()))


def _first_keys(result: Any) -> set[int]:
    """Keys of the best play's first half (own actions have keys of their own, the same in all states)."""
    state = result.source.search_sample(Rng(0))
    return {key for action, key in state.observed_actions(result.source.player) if action == result.best}


def _move(
    teller: _Teller,
    state: Any,
    mover: int,
    me: int,
    rng: Rng,
    tree: _Outline | None,
    here: Sequence[int],
    by_rule: bool,
) -> _Play:
    """A seat's move in one deal, both halves of one in two; `tree` has the own moves, else the rule that is learnt."""
    kind, words, keys = "", [], []
    while True:
        seen = dict(state.observed_actions(me))
        action = tree.best(here, seen) if tree is not None else None
        if action is None:
            action = by_policy(state, 0.0, rng, by_rule)
        name, text = teller.seen(state.game, state, action, mover != me)
        kind = kind or name
        words.append(text)
        keys.append(seen[action])
        if tree is not None:
            here = tree.children(here, {seen[action]})
        state = state.child(action)
        if _over(state) or state.current_player() != mover or getattr(state, "phase", "") != "must_show":
            return _Play(kind, " ".join(words), tuple(keys), state)


class _Outline:
    """The much visited part of a search tree, by what the observer sees."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows
        self.below: dict[int, list[int]] = defaultdict(list)
        for i, row in enumerate(rows):
            self.below[int(row["parent"])].append(i)

    def children(self, here: Sequence[int], keys: set[int]) -> list[int]:
        """Nodes below those by a step of one of these keys; what chance then shows is left open."""
        found = []
        for node in self._open(here):
            found += [i for i in self.below[node] if int(self.rows[i]["key"]) in keys]
        return found

    def best(self, here: Sequence[int], seen: dict[int, int]) -> int | None:
        """Of the actions with these keys the one most visited below the nodes; None where the tree ends."""
        visits: Counter[int] = Counter()
        for node in self._open(here):
            for i in self.below[node]:
                visits[int(self.rows[i]["key"])] += int(self.rows[i]["visits"])
        known = [action for action, key in seen.items() if visits[key]]
        return max(known, key=lambda action: visits[seen[action]], default=None)

    def _open(self, here: Sequence[int]) -> list[int]:
        """Nodes, and those below them that chance leads to before the next action."""
        found = list(here)
        for node in found:
            found += [i for i in self.below[node] if self.rows[i]["action"] == -1]
        return found
