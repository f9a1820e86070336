"""OpenSpiel, both ways: the games here as its games, its bots as agents and agents as its bots.

Importing this registers the games with pyspiel, under names that it has not:

>>> import pyspiel
>>> import solver.adapters.openspiel
>>> pyspiel.load_game("scout(players=2,ranks=4)").num_distinct_actions()
14

OpenSpiel's own games need no adapter: the solvers, `ismcts.search` and the arena take ``pyspiel.load_game(...)`` as it
is. Policies are converted by `PolicyTable.to_pyspiel` and `from_pyspiel`. docs/ecosystem.md has examples of all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from solver import agents, games
from solver._core import Rng
from solver._extras import extra
from solver.adapters import features
from solver.errors import ArgumentError
from solver.games import bakerstreet, bidding_round, duel, kuhn, leduc, notation, scout

__all__ = [
    "NAMES",
    "AgentBot",
    "BakerStreetGame",
    "BiddingRoundGame",
    "BotAgent",
    "DuelGame",
    "Game",
    "KuhnGame",
    "LeducGame",
    "ScoutGame",
    "State",
    "load",
    "wrap",
]

pyspiel: Any = extra("pyspiel", "openspiel")

_Past = Callable[[Any, Any], list[int]]
_GameType = pyspiel.GameType
_Utility = _GameType.Utility


class _Facts(NamedTuple):
    """What OpenSpiel wants to know of a game with its options."""

    length: int  # decisions in the longest game
    chance_nodes: int
    chance_outcomes: int
    utility: Any = _Utility.ZERO_SUM
    utility_sum: float | None = 0.0


def _scout_facts(game: scout.Game) -> _Facts:
    turns = game.max_turns * (1 if game.two_player else 2)  # a Scout & Show is two decisions
    utility, total = {
        "score": (_Utility.GENERAL_SUM, None),
        "margin": (_Utility.ZERO_SUM, 0.0),
        "win": (_Utility.CONSTANT_SUM, 1.0),
    }[game.payoff]
    return _Facts(
        game.rounds * (game.players + turns),
        game.rounds * game.cards_in_play,
        game.max_chance_outcomes(),
        utility,
        total,
    )


def _bakerstreet_facts(game: bakerstreet.Game) -> _Facts:
    # A round: 31 bids, each after a card is placed and one drawn, a doubt, a pile named; then six cards are drawn. In
    # all, 40 letters are dealt one by one, and each is taken once at most.
    return _Facts(64 * game.max_rounds + 40, 37 * game.max_rounds + 46, game.max_chance_outcomes())


def _kuhn_facts(game: kuhn.Game) -> _Facts:
    return _Facts(2 * game.players - 1, game.players, game.players + 1)


def _leduc_facts(game: leduc.Game) -> _Facts:
    return _Facts(2 * (3 * game.players - 2), game.players + 1, 2 * (game.players + 1))


def _duel_facts(game: duel.Game) -> _Facts:
    return _Facts(len(game.bids) + 1, 2, len(duel.WAYS))


def _bidding_round_facts(game: bidding_round.Game) -> _Facts:
    return _Facts(2 * game.horizon + 1, 2 + game.horizon, len(bidding_round.LEVELS))


def _outcomes(name: str) -> _Past:
    """The past of a state whose attribute of that name has the outcomes of chance so far; actions are all public."""

    def past(state: Any, history: Any) -> list[int]:
        outcomes = iter(getattr(state, name))
        return [next(outcomes) if step.player == pyspiel.PlayerId.CHANCE else step.action for step in history]

    return past


class _Kind(NamedTuple):
    """A game of this library, as OpenSpiel lists it."""

    name: str  # here
    long_name: str
    players: tuple[int, int]  # at least and at most
    make: Callable[..., Any]
    facts: Callable[[Any], _Facts]
    parameters: dict[str, Any]  # defaults; OpenSpiel takes their types for those of the options
    empty: tuple[str, ...] = ()  # options which at these defaults are left to the game
    utility: Any = _Utility.ZERO_SUM  # with the default options
    # the history of a resampled state, by it and the history of the one before; without it the past is not drawn
    past: _Past | None = None


# Kuhn and leduc would be mistaken for OpenSpiel's kuhn_poker and leduc_poker, whose information states are other texts,
# and a duel or a bidding round may be another game there one day: these get a prefix. "scout" and "bakerstreet" are
# games that it has not.
_KINDS = {
    "scout": _Kind(
        "scout",
        "SCOUT",
        (2, 5),
        scout.Game,
        _scout_facts,
        {
            "players": 4,
            "rounds": 1,
            "payoff": "score",
            "insertions_public": False,
            "ends_on_emptying_scout": True,
            "max_turns": 500,
            "ranks": 10,
            "hand_size": 0,
            "chips": 3,
            "drop": "",
        },
        ("hand_size", "drop"),
        _Utility.GENERAL_SUM,
    ),
    "bakerstreet": _Kind(
        "bakerstreet",
        "Baker Street",
        (2, 2),
        bakerstreet.Game,
        _bakerstreet_facts,
        {"symbols": "", "next_starter": "doubt_loser", "max_rounds": 200},
        ("symbols",),
    ),
    "solver_duel": _Kind(
        "duel",
        "Bidding duel of Baker Street",
        (2, 2),
        duel.Game,
        _duel_facts,
        {"low": 0, "high": duel.MAX_BID, "bids": ""},
        past=_outcomes("sums"),
    ),
    "solver_bidding_round": _Kind(
        "bidding_round",
        "Bidding round of Baker Street, abstracted",
        (2, 2),
        bidding_round.Game,
        _bidding_round_facts,
        {"horizon": 3, "price": 0.15},
        past=lambda state, _: state.history(),
    ),
    "solver_kuhn": _Kind(
        "kuhn", "Kuhn poker of cardsolver", (2, 10), kuhn.Game, _kuhn_facts, {"players": 2}, past=_outcomes("cards")
    ),
    "solver_leduc": _Kind(
        "leduc",
        "Leduc hold'em of cardsolver",
        (2, 10),
        leduc.Game,
        _leduc_facts,
        {"players": 2},
        past=_outcomes("cards"),
    ),
}
NAMES = {kind.name: name for name, kind in _KINDS.items()}
"""What OpenSpiel calls each game of `solver.games`."""


def _game_type(name: str, utility: Any) -> Any:
    kind = _KINDS[name]
    return _GameType(
        short_name=name,
        long_name=kind.long_name,
        dynamics=_GameType.Dynamics.SEQUENTIAL,
        # No deal has too many outcomes: cards come one by one. (A Python game could not sample them itself: OpenSpiel
        # asks such a game for the state of its random numbers, by a call that does not reach Python.)
        chance_mode=_GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=_GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=_GameType.RewardModel.TERMINAL,
        max_num_players=kind.players[1],
        min_num_players=kind.players[0],
        provides_information_state_string=True,
        # A seat of SCOUT or Baker Street may see some thousand events before it decides, of many kinds.
        provides_information_state_tensor=kind.past is not None,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=kind.parameters,
    )


def _solver_game(name: str, given: Mapping[str, Any]) -> Any:
    """The game of this library that OpenSpiel's parameters mean."""
    kind = _KINDS[name]
    options = {key: value for key, value in given.items() if not (key in kind.empty and not value)}
    if name == "solver_duel":  # OpenSpiel takes 0+12..13 for a number, and cannot read it
        bids = options.pop("bids").replace("/", "+")
        if bids:
            text = [f"{key}={options[key]}" for key in options if options[key] != kind.parameters[key]]
            return duel.load(f"duel({','.join([*text, f'bids={bids}'])})")
    return kind.make(**options)


class Game(pyspiel.Game):  # type: ignore[misc]
    """A game of this library as a `pyspiel.Game`. Made by ``pyspiel.load_game(...)`` or `load`.

    Attributes
    ----------
    solver_game : Game
        The game itself.
    """

    name: ClassVar[str]  # in OpenSpiel; of the subclass that each game has

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        kind = _KINDS[self.name]
        given = {**kind.parameters, **(params or {})}
        self.solver_game = _solver_game(self.name, given)
        self._facts = kind.facts(self.solver_game)
        info = pyspiel.GameInfo(
            num_distinct_actions=self.solver_game.num_distinct_actions(),
            max_chance_outcomes=self._facts.chance_outcomes,
            num_players=self.solver_game.num_players(),
            min_utility=self.solver_game.min_utility(),
            max_utility=self.solver_game.max_utility(),
            utility_sum=self._facts.utility_sum,
            max_game_length=self._facts.length,
        )
        # Only what differs from the defaults, so that `str` is as short as the text that it was loaded by.
        shown = {key: value for key, value in given.items() if value != kind.parameters[key]}
        super().__init__(_game_type(self.name, self._facts.utility), info, shown)

    @property
    def rules_version(self) -> str:
        """Which reading of the rules this is; written into policy tables."""
        return str(self.solver_game.rules_version)

    def new_initial_state(self) -> State:
        """The start, with chance nodes."""
        return State(self)

    def max_chance_nodes_in_history(self) -> int:
        """The most chance nodes that a game can have."""
        return self._facts.chance_nodes

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> _Observer | None:
        """What OpenSpiel reads strings and tensors from.

        Parameters
        ----------
        iig_obs_type : pyspiel.IIGObservationType, optional
            With perfect recall the information state, without the observation.
        params : mapping, optional
            There are none.

        Returns
        -------
        observer or None
            None for observations of the public or the private part alone, which are not made apart.

        Raises
        ------
        ArgumentError
            If there are parameters.
        """
        if params:
            raise ArgumentError(f"observations of {self} take no parameters, not {params}")
        if iig_obs_type is None:
            return _Observer(self, False)
        if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return _Observer(self, iig_obs_type.perfect_recall)


class _Observer:
    """Strings and tensors of what one seat knows, or (perfect recall) has seen; OpenSpiel's interface."""

    def __init__(self, game: Game, perfect_recall: bool) -> None:
        self._perfect_recall = perfect_recall
        self._encoder = features.of(game.solver_game)
        tells = not perfect_recall or self._encoder.perfect_recall
        self.tensor = self._encoder.blank() if tells else None
        self.dict = self._encoder.views(self.tensor) if self.tensor is not None else {}

    def set_from(self, state: State, player: int) -> None:
        """Write the tensor."""
        if self.tensor is not None:
            self.tensor.fill(0)
            self._encoder.write(self.dict, state.solver_state, player)

    def string_from(self, state: State, player: int) -> str:
        """The string: the position where there is one, else (and with perfect recall) the information state."""
        played = state.solver_state
        if not self._perfect_recall and hasattr(played, "position") and played.current_player() >= 0:
            return str(played.position(player))
        if self._perfect_recall or not hasattr(played, "position"):
            return str(played.information_state_string(player))
        return f"{played.game} | seat {player} | {played.phase}"


class _Held:
    """The state behind a `State`. OpenSpiel copies it to clone, and pickles it to serialize."""

    __slots__ = ("state", "whole")

    def __init__(self, state: Any, whole: bool = True) -> None:
        self.state = state
        self.whole = whole  # whether its history leads to it from the start

    def __deepcopy__(self, memo: Any) -> _Held:
        return _Held(self.state.clone(), self.whole)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.whole and hasattr(self.state, "history"):
            # What is kept on disk holds no memory of a compiled class, which another version lays out in another way.
            return _replayed, (str(self.state.game), self.state.history())
        return _Held, (self.state, self.whole)


def _replayed(game: str, actions: Iterable[int]) -> _Held:
    state = games.load(game).new_initial_state()
    for action in actions:
        state.apply_action(action)
    return _Held(state)


class State(pyspiel.State):  # type: ignore[misc]
    """A state of this library as a `pyspiel.State`. Made by `Game.new_initial_state` or `wrap`."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._held = _Held(game.solver_game.new_initial_state())

    @property
    def solver_state(self) -> Any:
        """The state itself."""
        return self._held.state

    def current_player(self) -> int:
        """Seat to decide; -1 at a chance node, -4 at the end."""
        return int(self._held.state.current_player())

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return bool(self._held.state.is_terminal())

    def is_chance_node(self) -> bool:
        """Whether chance decides next."""
        return bool(self._held.state.is_chance_node())

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Outcomes of a chance node and their probabilities."""
        return list(self._held.state.chance_outcomes())

    def returns(self) -> list[float]:
        """Pay-off by seat; zeros before the end."""
        return list(self._held.state.returns())

    def resample_from_infostate(self, player: int, sampler: Callable[[], float]) -> State:
        """Another state with the same information state of a seat.

        Parameters
        ----------
        player : int
        sampler : callable
            Returns a float in [0, 1), such as a `pyspiel.UniformProbabilitySampler`; the only source of chance.

        Returns
        -------
        State
            In SCOUT and Baker Street what led to it is not drawn, so its own `history` is empty.
        """
        played = self._held.state.resample_from_infostate(player, sampler)
        return _state(self.get_game(), played, self.full_history() if self._held.whole else None)

    def _legal_actions(self, player: int) -> list[int]:
        return list(self._held.state.legal_actions())

    def _apply_action(self, action: int) -> None:
        self._held.state.apply_action(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return str(self._held.state.action_to_string(player, action))

    def __str__(self) -> str:
        """What happened, and what each seat saw of it."""
        seen = [self._held.state.information_state_string(seat) for seat in range(self.num_players())]
        return "\n".join(["history " + " ".join(map(str, self.history())), *seen])


class ScoutGame(Game):
    """SCOUT: ``scout`` in OpenSpiel."""

    name = "scout"


class BakerStreetGame(Game):
    """Baker Street: ``bakerstreet`` in OpenSpiel."""

    name = "bakerstreet"


class DuelGame(Game):
    """The bidding duel: ``solver_duel`` in OpenSpiel."""

    name = "solver_duel"


class BiddingRoundGame(Game):
    """The bidding round: ``solver_bidding_round`` in OpenSpiel."""

    name = "solver_bidding_round"


class KuhnGame(Game):
    """Kuhn poker: ``solver_kuhn`` in OpenSpiel."""

    name = "solver_kuhn"


class LeducGame(Game):
    """Leduc hold'em: ``solver_leduc`` in OpenSpiel."""

    name = "solver_leduc"


# OpenSpiel lets go of what is registered after Python has ended. A class bears that, since it refers to itself and is
# then not freed; a function or a partial does not, and the process would end with an abort.
_CLASSES = (ScoutGame, BakerStreetGame, DuelGame, BiddingRoundGame, KuhnGame, LeducGame)
_GAMES = {kind.name: kind for kind in _CLASSES}
for _name, _game in _GAMES.items():
    pyspiel.register_game(_game_type(_name, _KINDS[_name].utility), _game)


def load(game: Any) -> Game:
    """The OpenSpiel game of a game of this library.

    Parameters
    ----------
    game : Game or str
        Of `solver.games`, or its game string, such as ``scout(players=3,rounds=match)``.

    Raises
    ------
    ArgumentError
        If it is none of the games in `NAMES`.
    PositionError, GameOptionError
        If the text cannot be read.

    Examples
    --------
    >>> str(load("scout(players=2,rounds=match)"))
    'scout(players=2,rounds=2)'
    """
    if isinstance(game, str):
        game = games.load(game)
    name = NAMES.get(type(game).__module__.rpartition(".")[2])
    if name is None or not isinstance(game, _KINDS[name].make):  # type: ignore[arg-type]
        raise ArgumentError(f"{game} is none of the games that OpenSpiel gets from here: {', '.join(NAMES)}")
    return _GAMES[name](_parameters(game))


def _parameters(game: Any) -> dict[str, Any]:
    """The options of a game that are not default, as OpenSpiel's parameters: numbers and texts."""
    _, options, _ = notation.read_game(str(game))
    given: dict[str, Any] = dict(options)
    if "bids" in given:
        given["bids"] = str(given["bids"]).replace("+", "/")  # see `_solver_game`
    if "price" in given:
        given["price"] = float(given["price"])
    return given


def wrap(state: Any, game: Any = None) -> State:
    """A state of this library as a `pyspiel.State`, which shares nothing with it.

    Parameters
    ----------
    state : State
        Of `solver.games`. One from `deal` draws by itself: then the `pyspiel.State` has no chance nodes to come.
    game : Game, optional
        Its game, of this library or as `load` gives it; needed where the state does not know it (kuhn, leduc, duel).

    Returns
    -------
    State
        Its own `history` is empty.

    Raises
    ------
    ArgumentError
        If there is no game, or it is not of this library.
    """
    known = getattr(state, "game", None) if game is None else game
    if known is None:
        raise ArgumentError(f"a state of {type(state).__module__} does not know its game: wrap(state, game) tells it")
    return _state(known if isinstance(known, Game) else load(known), state.clone(), None)


def _state(game: Any, played: Any, history: Any) -> State:
    """A state around another, which is not copied; `history`, if known, is of the one that it was drawn from."""
    result: State = game.new_initial_state()
    past = _KINDS[game.name].past
    if history is not None and past is not None:
        for action in past(played, history):
            result.apply_action(action)
    else:
        result._held = _Held(played, whole=False)
    return result


@dataclass(frozen=True)
class BotAgent:
    """A bot of OpenSpiel as an agent: for the arena, and whatever else takes agents.

    Parameters
    ----------
    make : callable
        Called before each decision as ``make(game, player, seed)``, with a `pyspiel.Game`, the seat and a number below
        2**31 for the random numbers of the bot, which it returns. So a seed of the arena fixes what the bot plays, and
        the bot decides by what it is shown, not by what it was informed of before.
    name : str
        What it is called in tables.

    Notes
    -----
    The bot gets no true state, into which it could look, but one drawn anew from what its seat knows.
    """

    make: Callable[[Any, int, int], Any]
    name: str = "bot"
    information_states: ClassVar[bool] = True

    def act(self, position: agents.View, rng: Rng) -> int:
        """The bot's action.

        Parameters
        ----------
        position : View
        rng : Rng
            Draws the state and the seed.

        Raises
        ------
        ArgumentError
            If it is no View, or the bot's action is not legal.
        """
        if not isinstance(position, agents.View):
            raise ArgumentError(
                f"{self.name} plays information states: a View is needed, not {type(position).__name__}"
            )
        state = position.sample(rng)
        if not isinstance(state, pyspiel.State):
            state = _state(load(position.game), state, None)
        action = int(self.make(state.get_game(), position.player, rng.below(2**31)).step(state))
        if action not in position.legal_actions():
            raise ArgumentError(f"{self.name} played {action}, which is not legal")
        return action


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent as a bot of OpenSpiel, which plays this library's games there or, if the agent can, OpenSpiel's own.

    Parameters
    ----------
    agent : Agent or str
        An agent of `solver.agents`, or a name as `agents.make` takes it.
    player : int, default 0
        Its seat.
    seed : int, numpy.random.SeedSequence, Rng or None
        Of all that it draws.

    Notes
    -----
    It sees of a state what its seat knows, as everywhere in this library. A bot of `agents.Policy` tells its policy.
    """

    def __init__(self, agent: agents.Agent | str, player: int = 0, seed: Any = None) -> None:
        super().__init__()
        self.agent = agents.make(agent) if isinstance(agent, str) else agent
        self._player = player
        self._rng = seed if isinstance(seed, Rng) else Rng(seed)

    def player_id(self) -> int:
        """The seat."""
        return self._player

    def restart(self) -> None:
        """Nothing: an agent decides by what it is shown."""

    def restart_at(self, state: Any) -> None:
        """Nothing: an agent decides by what it is shown."""

    def inform_action(self, state: Any, player: int, action: int) -> None:
        """Nothing: an agent decides by what it is shown."""

    def provides_policy(self) -> bool:
        """Whether `get_policy` answers."""
        return isinstance(self.agent, agents.Policy)

    def get_policy(self, state: Any) -> list[tuple[int, float]]:
        """Actions and their probabilities.

        Raises
        ------
        ArgumentError
            If the agent is no `agents.Policy`.
        PolicyError
            If its table lacks the information state.
        """
        if not isinstance(self.agent, agents.Policy):
            raise ArgumentError(f"{self.agent.name} tells no policy")
        text = state.information_state_string(self._player)
        return list(self.agent.table.action_probabilities(text, self._player).items())

    def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
        """The policy, and an action drawn from it; errors as for `get_policy`."""
        policy = self.get_policy(state)
        return policy, self.step(state)

    def step(self, state: Any) -> int:
        """The agent's action.

        Raises
        ------
        ArgumentError
            If the seat is not to decide, or the agent does not play this game.
        """
        if state.current_player() != self._player:
            raise ArgumentError(f"player {state.current_player()} is to decide, not player {self._player}")
        game, played = state.get_game(), state
        if isinstance(state, State):
            game, played = game.solver_game, state.solver_state
        return int(self.agent.act(agents.seen(self.agent, game, played), self._rng))
