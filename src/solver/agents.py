"""Players behind one interface: `act(position, rng) -> action`.

Used by the command's `play`, by benchmarks and by anyone who pits players against each other. An
agent sees a Position, so it knows what its seat knows and nothing else. In a game without positions,
and where it plays a policy of information states, it sees a `View` instead.
"""

from __future__ import annotations

import math
import re
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol

from solver import asking, ismcts, pimc
from solver import policy as policies
from solver._core import Rng
from solver._policy_games import check_game
from solver.errors import ArgumentError, SearchError
from solver.games import bakerstreet, scout
from solver.games.notation import hint
from solver.games.scout_notation import strongest

__all__ = [
    "Agent",
    "Greedy",
    "Human",
    "Learnt",
    "Pimc",
    "Planning",
    "Policy",
    "Random",
    "Search",
    "Threshold",
    "View",
    "make",
    "needs_view",
    "seen",
    "split",
]

NAMES = (
    "random, greedy, threshold, planning, learnt, flat:2000, flat:0.02s, pimc:40, pimc:0.5s, ismcts:2000, ismcts:0.5s, "
    "policy:FILE, human"
)


class Agent(Protocol):
    """A player."""

    @property
    def name(self) -> str:
        """What it is called in tables."""

    def act(self, position: Any, rng: Rng) -> int:
        """A legal action of the position's seat, which is to move.

        Parameters
        ----------
        position : Position
        rng : Rng
            The only source of chance.

        Returns
        -------
        int
        """


class View:
    """What a seat sees of a state: its information state, as a Position is seen in games that have one.

    Parameters
    ----------
    game : Game
    state : State
        Looked into only by methods whose answer the seat knows.
    player : int
        The seat, which is to move.
    """

    __slots__ = ("_state", "game", "player")

    def __init__(self, game: Any, state: Any, player: int) -> None:
        self.game = game
        self.player = player
        self._state = state

    def current_player(self) -> int:
        """The seat."""
        return self.player

    def legal_actions(self) -> list[int]:
        """Legal action ids, ascending."""
        return list(self._state.legal_actions())

    def action_to_string(self, action: int) -> str:
        """An action in words."""
        return str(self._state.action_to_string(self.player, action))

    def information_state_string(self) -> str:
        """All that the seat saw, in order."""
        return str(self._state.information_state_string(self.player))

    def sample(self, rng: Rng) -> Any:
        """A state with the same information state; what the seat does not see is drawn anew.

        Parameters
        ----------
        rng : Rng
            The only source of chance.

        Returns
        -------
        State

        Raises
        ------
        ArgumentError
            If the game has no `resample_from_infostate`.
        """
        resample = getattr(self._state, "resample_from_infostate", None)
        if resample is None:
            raise ArgumentError(f"{self.game} has no resample_from_infostate, without which no state can be drawn")
        return resample(self.player, rng.random)

    def search(self, *args: Any, **options: Any) -> ismcts.Result:
        """`ismcts.search` from here; it draws anew what the seat does not see."""
        return ismcts.search(self._state, *args, **options)

    def average(self, *args: Any, **options: Any) -> pimc.Averages:
        """`pimc.search` from here; it draws anew what the seat does not see."""
        return pimc.search(self._state, *args, **options)

    def __str__(self) -> str:
        return f"{self.game} | seat {self.player} | {self.information_state_string()!r}"


def needs_view(state: Any, agent: Agent) -> bool:
    """Whether an agent in a state is given a `View`, and not a Position.

    Parameters
    ----------
    state : State
    agent : Agent
        One with a true attribute `information_states` is given a `View` in any game.
    """
    # a user's own class may have a `position` of another kind
    positions = all(callable(getattr(type(state), name, None)) for name in ("position", "observed_actions"))
    return bool(getattr(agent, "information_states", False)) or not positions


def seen(agent: Agent, game: Any, state: Any) -> Any:
    """What an agent is given to act on: a Position, or a `View` if it needs one.

    Parameters
    ----------
    agent : Agent
    game : Game
    state : State
        Of which a seat is to move.

    Returns
    -------
    Position or View
        Of the seat to move.
    """
    player = state.current_player()
    return View(game, state, player) if needs_view(state, agent) else state.position(player)


@dataclass(frozen=True)
class Random:
    """Plays every legal action with the same probability."""

    name: str = "random"

    def act(self, position: Any, rng: Rng) -> int:
        """A uniformly random legal action."""
        return int(rng.choice(position.legal_actions()))


@dataclass(frozen=True)
class Greedy:
    """SCOUT: shows as many cards as it can, else scouts for the longest set.

    Shows the set of most cards (the strongest of these). Where no Show is legal, it takes a Scout &
    Show that shows at least two cards, the more the better; else it scouts so that the longest set
    of its hand is as long as possible. Keeps or turns by the longest set. Ties are drawn by chance.
    """

    name: str = "greedy"

    def act(self, position: Any, rng: Rng) -> int:
        """The greedy action."""
        _only(self.name, scout.Position, position)
        game = position.game
        hand = position.hand
        tops = [top for top, _ in hand]
        if position.phase == "choose":
            bottoms = [bottom for _, bottom in hand]
            sides = [_longest(tops), _longest(bottoms)]
            return int(rng.choice([a for a in (game.keep, game.turn) if sides[a] == max(sides)]))
        table = position.active_set
        show = strongest(tops, [top for top, _ in table])
        if show is not None:
            return int(game.show(*show))
        best: list[int] = []
        best_worth = (-1, -1)
        for action in position.legal_actions():
            kind, end, place, turned = game.decode(action)
            card = table[-end]
            after = [*tops[:place], card[1] if turned else card[0], *tops[place:]]
            if kind == "scout":
                worth = (0, _longest(after))
            else:
                rest = table[:-1] if end else table[1:]
                shown = strongest(after, [top for top, _ in rest])
                length = shown[1] if shown else 0
                worth = (1, length) if length >= 2 else (-1, 0)
            if worth > best_worth:
                best, best_worth = [], worth
            if worth == best_worth:
                best.append(action)
        return int(rng.choice(best))


def _longest(tops: Sequence[int]) -> int:
    """Cards of the longest set."""
    found = strongest(tops, ())
    return found[1] if found else 0


_ALPHABET = "ABCDEFGHIJKLMNOPQRST"


@dataclass(frozen=True)
class Threshold:
    """Baker Street: bids and doubts by the exact odds of the hands, and nothing else.

    Doubts a bid that is more likely false than true. Opens with the highest bid that holds with a
    chance of at least `opening`, then raises by 1. Places at random. Names the pile that it wins with
    the best letter it knows of (one never seen counts as an average letter), and takes that letter.
    """

    opening: float = 0.9
    name: str = "threshold"

    def act(self, position: Any, rng: Rng) -> int:
        """The action by the odds."""
        _only(self.name, bakerstreet.Position, position)
        game = position.game
        actions = position.legal_actions()
        if position.phase == "turn":
            if game.doubt in actions and (len(actions) == 1 or position.bid_odds()[position.bids[-1]] < 0.5):
                return int(game.doubt)
            return int(rng.choice([a for a in actions if a != game.doubt]))
        if position.phase == "bid":
            odds = position.bid_odds()
            if position.bids:
                return int(actions[0])
            return int(game.bid(max(n for n in range(31) if odds[n] >= self.opening)))
        if position.phase == "take":
            return int(max(actions, key=lambda a: bakerstreet.evidence_worth(position.evidence + game.decode(a)[1])))
        worths = [self._pile_worth(position, pile) for pile in range(5)]
        return int(game.choose_pile(rng.choice([pile for pile in range(5) if worths[pile] == max(worths)])))

    @staticmethod
    def _pile_worth(position: Any, pile: int) -> float:
        """Gain of the best letter of a pile that the seat wins (a tie is its own); -1 of one that it loses."""
        totals = bakerstreet.evaluate(position.stack(pile)).totals
        if totals[position.player] < totals[1 - position.player]:
            return -1.0
        own = position.evidence
        letters = position.look(pile)
        gains = [
            bakerstreet.evidence_worth(own + x) - bakerstreet.evidence_worth(own)
            for x in letters or _ALPHABET
            if x not in own
        ]
        if letters is None:
            return sum(gains) / len(gains)
        return float(max(gains, default=0))


@dataclass(frozen=True)
class Planning:
    """The best agent without search that is not learnt; compiled.

    SCOUT: the action after which the cards taken and the worth of the hand are greatest
    (`scout.Position.planning_action`). Baker Street: exact odds for bids and doubts, margins weighed by
    letters for placing and piles (`bakerstreet.Position.planning_action`).

    Parameters
    ----------
    placement : {"worth", "pips"}, default "worth"
        Baker Street: how it places; "pips" is the plain sum of the margins, for comparison.
    opening : float, default 0.9
        Baker Street: chance with which its opening bid holds.
    """

    placement: str = "worth"
    opening: float = 0.9
    name: str = "planning"

    def act(self, position: Any, rng: Rng) -> int:
        """The planned action."""
        if isinstance(position, scout.Position):
            return int(position.planning_action(rng))
        _only(self.name, bakerstreet.Position, position)
        return int(position.planning_action(rng, self.placement, self.opening))


@dataclass(frozen=True)
class Learnt:
    """SCOUT: the best agent without search that we know of, a rule learnt from what came of choices; compiled.

    `scout.Position.learnt_action` says more.
    """

    name: str = "learnt"

    def act(self, position: Any, rng: Rng) -> int:
        """The rule's action."""
        _only(self.name, scout.Position, position)
        return int(position.learnt_action(rng))


@dataclass(frozen=True)
class Search:
    """Plays what `ismcts.search` finds best within a budget a decision.

    Parameters
    ----------
    iterations, seconds : optional
        The budget; one of them.
    options : dict
        Further arguments of `ismcts.search`.
    """

    name: str
    iterations: int | None = None
    seconds: float | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def act(self, position: Any, rng: Rng) -> int:
        """The action searched best; the only one without a search."""
        actions = position.legal_actions()
        if len(actions) == 1:
            return int(actions[0])
        options = dict(self.options)
        if options.get("belief") == "uniform" and "belief" not in _defaults(position):
            # so is drawn in every game that takes no belief
            del options["belief"]
        search = position.search if isinstance(position, View) else partial(ismcts.search, position)
        result = search(self.iterations, self.seconds, seed=rng, **options)
        if result.interrupted:
            # A move cut short would be a weaker one that nobody is told of.
            raise KeyboardInterrupt
        return int(result.best)


def _defaults(position: Any) -> dict[str, Any]:
    """What a search of a position does unless told."""
    return dict(position.search_defaults()) if hasattr(position, "search_defaults") else {}


@dataclass(frozen=True)
class Pimc:
    """Perfect-information Monte Carlo: plays what `pimc.search` finds best.

    Parameters
    ----------
    deals, seconds : optional
        The budget a decision; one of them.
    options : tuple
        Further arguments of `pimc.search`.
    """

    name: str
    deals: int | None = None
    seconds: float | None = None
    options: tuple[tuple[str, Any], ...] = ()

    def act(self, position: Any, rng: Rng) -> int:
        """The action best on average; the only one without a search."""
        actions = position.legal_actions()
        if len(actions) == 1:
            return int(actions[0])
        search = position.average if isinstance(position, View) else partial(pimc.search, position)
        return search(self.deals, self.seconds, seed=rng, **dict(self.options)).best


@dataclass(frozen=True)
class Human:
    """A person at the terminal; plays any game.

    Attributes
    ----------
    here : bool
        It plays in this process and thread only, so `arena.play` takes no executor with it.
    """

    name: str = "human"
    here: ClassVar[bool] = True

    def act(self, position: Any, rng: Rng) -> int:
        """What the person types.

        Raises
        ------
        ArgumentError
            If there is no terminal to ask at.
        KeyboardInterrupt
            If the person leaves.
        """
        self.check_game(None)
        # hints draw from a stream of their own: the person's game does not hang on how many it asks for
        action = asking.ask(position, _say, input, rng.spawn(1)[0])
        if action is None:
            raise KeyboardInterrupt
        return action

    def check_game(self, game: Any) -> None:
        """Refuse to play where nobody can be asked."""
        if sys.stdin is None or not sys.stdin.isatty():
            raise ArgumentError(f"{self.name} is asked at a terminal, and standard input is none")


def _say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


@dataclass(frozen=True)
class Policy:
    """Plays a policy table: draws from the probabilities of its information state.

    Parameters
    ----------
    table : PolicyTable
    name : str
    """

    table: policies.PolicyTable = field(repr=False)
    name: str = "policy"
    digest: str = field(init=False)
    information_states: ClassVar[bool] = True

    def __post_init__(self) -> None:
        crc = 0
        for column in (self.table.keys, self.table.checks, self.table.actions, self.table.probabilities):
            crc = zlib.crc32(column.tobytes(), crc)
        object.__setattr__(self, "digest", f"{crc:08x}")

    def act(self, position: Any, rng: Rng) -> int:
        """An action drawn from the policy."""
        if not hasattr(position, "information_state_string"):
            raise ArgumentError(f"{self.name} plays information states, and this position of {position.game} has none")
        return self.table.sample(position.information_state_string(), rng, position.player)

    def check_game(self, game: Any) -> None:
        """Refuse a game that the table is not of.

        Raises
        ------
        PolicyError
            If it is of another game or other rules.
        """
        check_game(self.table.meta, game, self.name)


def _only(name: str, kind: type, position: Any) -> None:
    """An agent of one game does not play another."""
    if not isinstance(position, kind):
        played = kind.__module__.rpartition(".")[2]
        raise ArgumentError(f"{name} plays {played}; this is {getattr(position, 'game', position)}")


_TEXTBOOK = {
    "belief": "uniform",
    "bias": 0.0,
    "depth": 1,
    "epsilon": 0.0,
    "exploration": 0.7,
    "horizon": -1,
    "opponents": "tree",
    "own": "policy",
    "redeal": "none",
    "rollout": "random",
    "root": "ucb",
    "selection": "ucb",
    "trees": "single",
    "widening": 0,
}
_KINDS: dict[str, type] = {
    **{name: type(value) for name, value in ismcts.Style()._asdict().items()},
    "first_play": float,
    "belief": str,
    "payoff": str,
    "threads": int,
    "max_nodes": int,
}
_OF_PIMC = {**{name: _KINDS[name] for name in pimc.OPTIONS}, "iterations": int}


def make(text: str) -> Agent:
    """An agent by its name.

    Parameters
    ----------
    text : str
        "random", "planning", "greedy" and "learnt" (SCOUT), "threshold" (Baker Street), "ismcts:2000" (iterations a
        decision), "ismcts:0.02s" (seconds a decision), "flat:2000" or "flat:0.02s" (flat Monte Carlo: the
        search with a tree of one decision, random rollouts and uniform deals), "pimc:40" or "pimc:0.5s"
        (perfect-information Monte Carlo: deals or seconds a decision), "policy:FILE" (a policy file) or
        "human" (a person at the terminal). Searches take options: "ismcts:2000,opponents=tree,belief=uniform"
        (those of `ismcts.search`), "pimc:40,iterations=500" (those of `pimc.search`).

    Returns
    -------
    Agent

    Raises
    ------
    ArgumentError
        If the text names no agent, or an option of a search is unknown or out of its range.
    ArchiveError, OSError
        If the policy file is damaged or cannot be read.

    Examples
    --------
    >>> make("ismcts:2000").iterations
    2000
    >>> make("ismcts:2000,opponents=tree").options
    (('opponents', 'tree'),)
    """
    if not isinstance(text, str):
        raise ArgumentError(f"an agent is named by a str such as 'ismcts:2000', not {text!r}")
    name, colon, rest = text.partition(":")
    if text == "random":
        return Random()
    if text == "greedy":
        return Greedy()
    if text == "threshold":
        return Threshold()
    if text == "planning":
        return Planning()
    if text == "learnt":
        return Learnt()
    if text == "human":
        return Human()
    if name == "policy" and rest:
        return Policy(policies.load(rest), text)
    if name in ("ismcts", "flat", "pimc") and colon:
        budget, *given = rest.split(",")
        count, seconds = _budget(text, name, budget)
        usual = _TEXTBOOK if name == "flat" else {}
        options = _options(text, given, _OF_PIMC if name == "pimc" else _KINDS, usual)
        if name == "pimc":
            return Pimc(text, count, seconds, tuple(sorted(options.items())))
        return Search(text, count, seconds, tuple(sorted(options.items())))
    raise ArgumentError(f"there is no agent {text!r}; the agents are {NAMES}")


def split(text: str) -> list[str]:
    """Agents' names from a list by commas; an option (`name=value`) belongs to the agent before it.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str

    Examples
    --------
    >>> split("ismcts:2000,opponents=tree,planning")
    ['ismcts:2000,opponents=tree', 'planning']
    """
    if not isinstance(text, str):
        raise ArgumentError(f"agents are named in a str such as 'planning,ismcts:2000', not {text!r}")
    return re.split(r",(?![a-z_]+=)", text)


def _budget(text: str, name: str, budget: str) -> tuple[int | None, float | None]:
    """A number of iterations or deals, or seconds."""
    try:
        if budget.endswith("s"):
            seconds = float(budget[:-1])
            if 0 < seconds < math.inf:
                return None, seconds
        elif int(budget) >= 1:
            return int(budget), None
    except ValueError:
        pass
    what = "deals (pimc:40)" if name == "pimc" else f"iterations ({name}:2000)"
    raise ArgumentError(f"{text}: a budget is a number of {what} or of seconds ({name}:0.5s)")


def _options(text: str, given: Sequence[str], kinds: dict[str, type], usual: dict[str, Any]) -> dict[str, Any]:
    """Options of a search, each of its type and within its range; those not given as usual."""
    options: dict[str, Any] = {}
    for part in given:
        name, equals, value = part.partition("=")
        if not equals or name not in kinds:
            known = hint(name, kinds)
            raise ArgumentError(f"{text}: there is no option {name!r}; they are {', '.join(sorted(kinds))}{known}")
        if name in options:
            raise ArgumentError(f"{text}: {name} stands here twice")
        try:
            options[name] = kinds[name](value)
        except ValueError:
            what = "a whole number" if kinds[name] is int else "a number"
            raise ArgumentError(f"{text}: {name} is {what}, not {value!r}") from None
    options = {**usual, **options}
    try:
        ismcts.check_options(options)
    except SearchError as error:
        raise ArgumentError(f"{text}: {error}") from error
    if options.get("iterations", 1) < 1:
        raise ArgumentError(f"{text}: iterations must be at least 1")
    return options
