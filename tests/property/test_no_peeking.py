"""No peeking: of two true states with one position, nothing that a seat is given tells which is which.

What a seat is given are positions, samples, searches, the plays of agents, explanations and the observations of each
adapter. At the end a leak is planted in one after the other, and is found.
"""

import zlib
from dataclasses import dataclass
from typing import ClassVar

import pytest

from solver import agents, games, ismcts, online, pimc, scout
from solver._core import Rng
from solver.adapters import features
from solver.policy import PolicyTable
from tests.planted import Seen

GAMES = [
    "scout(players=2)",
    "scout(players=3)",
    "scout(players=4)",
    "scout(players=5)",
    "scout(players=2,rounds=match)",
    "scout(players=3,rounds=match,payoff=margin)",
    "scout(players=4,insertions_public=true)",
    "scout(players=5,ends_on_emptying_scout=false)",
    "bakerstreet",
    "bakerstreet(next_starter=alternate)",
]
DECISIONS = 250  # of each game
FEWER = 50  # where looking takes longer
AGENTS = ["random", "planning", "flat:8", "pimc:1,iterations=8", "ismcts:12", "ismcts:12,opponents=tree"]
OF_GAME = {
    "scout": ["greedy", "learnt", "ismcts:12,belief=uniform"],
    "bakerstreet": ["threshold", "ismcts:12,root=ucb"],
}


def pairs(text, decisions, seed):
    """Decisions of games played at random and by plan; to each a second true state with the position of one seat."""
    rng = Rng(seed)
    game = games.load(text)
    state = game.deal(seed=rng)
    for _ in range(decisions):
        if state.is_terminal():
            state = game.deal(seed=rng)
        seat = state.current_player() if rng.below(3) else rng.below(game.num_players())
        yield state, state.resample_from_infostate(seat, rng.random), seat
        action = state.policy_action(rng) if rng.below(2) else rng.choice(state.legal_actions())
        state = state.child(action)


def whole(state):
    """All of a state, to the bit."""
    return repr(state.__reduce__()[1:])


def hidden(state, seat):
    """Cards of the others and, in Baker Street, cards and letters that nobody has seen."""
    hands = [state.hand(player) for player in range(state.game.num_players()) if player != seat]
    if hasattr(state, "pile"):
        hands += [state.deck(player) for player in range(2)] + [state.pile(i) for i in range(5)]
    return hands


def as_data(result):
    """A search's result, to the bit."""
    told = {name: value for name, value in result.to_dict().items() if name not in ("seconds", "settings")}
    return result.actions.tobytes(), result.then.tobytes(), repr(told)


def position(state, seat):
    found = state.position(seat)
    again = games.parse(str(found))
    return found, hash(found), repr(found), str(found), found.pretty(), found.legal_actions(), again == found


def words(state, seat):
    """In words: what it saw, and its moves."""
    found = state.position(seat)
    told = [found.action_to_string(action) for action in found.legal_actions()]
    looks = state.observed_actions(seat) if state.current_player() == seat else None
    return state.information_state_string(seat), looks, told


def samples(state, seat):
    found = state.position(seat)
    beliefs = ("uniform", "play") if hasattr(found, "hand_worth") else ("uniform", "worth")
    drawn = [found.sample(3), found.search_sample(4), state.resample_from_infostate(seat, Rng(5).random)]
    return [whole(s) for s in (*drawn, *(found.search_sample(6, belief=belief) for belief in beliefs))]


def vector(state, seat):
    return features.of(state.game).encode(state, seat).tobytes()


def scores(state, seat):
    """What the rollout policy makes of the moves. (`State.policy_action` goes by the order in which the own hand was
    drawn as well, which a seat knows and a Position does not hold.)"""
    if state.current_player() != seat:
        return None
    position = state.position(seat)
    if isinstance(state, scout.State):
        return state.action_scores(), position.planning_action(Rng(2)), state.learnt_scores(), position.learnt_action(2)
    return state.action_scores(), position.planning_action(Rng(2))


def search(state, seat):
    if state.current_player() != seat:
        return None
    return as_data(ismcts.search(state, iterations=16, seed=1))


def twin(state, seat):
    """The search in Python."""
    if state.current_player() != seat:
        return None
    return as_data(ismcts.search(state, iterations=2, seed=1, compiled=False))


def open_hands(state, seat):
    if state.current_player() != seat:
        return None
    found = pimc.search(state, 2, iterations=8, seed=1)
    return found.best, found.actions.tobytes()


def explanation(state, seat):
    if state.current_player() != seat:
        return None
    return ismcts.search(state, iterations=40, seed=1).explain(4)


def plays(state, seat):
    """What each agent plays, twice."""
    if state.current_player() != seat:
        return None
    names = AGENTS + OF_GAME[str(state.game).partition("(")[0]]
    players = [agents.make(name) for name in names]
    text = state.information_state_string(seat)
    actions = state.legal_actions()
    table = {text: {action: 1 / len(actions) for action in actions}}
    players.append(agents.Policy(PolicyTable.from_mapping(table, player=seat)))
    return [player.act(agents.seen(player, state.game, state), Rng(k)) for player in players for k in range(2)]


WINDOWS = {
    "position": position,
    "words": words,
    "samples": samples,
    "vector": vector,
    "scores": scores,
    "search": search,
}
SLOW_WINDOWS = {
    "twin": twin,
    "open hands": open_hands,
    "explanation": explanation,
    "plays": plays,
}


def leaks(text, windows, decisions=DECISIONS, seed=1):
    """Windows through which two true states with one position look different, each with the number of times."""
    found = {}
    for state, other, seat in pairs(text, decisions, seed):
        for name, look in windows.items():
            if look(state, seat) != look(other, seat):
                found[name] = found.get(name, 0) + 1
    return found


@pytest.mark.parametrize("text", GAMES)
def test_there_are_two_true_states(text):
    """Nearly all pairs differ in what is hidden, so that there is something to find."""
    different = [hidden(state, seat) != hidden(other, seat) for state, other, seat in pairs(text, DECISIONS, 1)]
    assert sum(different) > 0.8 * DECISIONS


@pytest.mark.parametrize("text", GAMES)
def test_nothing_tells_them_apart(text):
    assert leaks(text, WINDOWS) == {}
    assert leaks(text, SLOW_WINDOWS, FEWER, seed=2) == {}


def test_the_search_for_an_equilibrium_does_not_tell_them_apart():
    looked = 0
    for state, other, seat in pairs("bakerstreet", 60, 1):
        if state.current_player() == seat:
            looked += 1
            one, two = (online.search(s, iterations=3, seed=1) for s in (state, other))
            assert one.actions.tobytes() == two.actions.tobytes()
            assert one.probabilities == two.probabilities
    assert looked > 30


@pytest.mark.parametrize("text", GAMES)
def test_openspiel_does_not_tell_them_apart(text):
    openspiel = pytest.importorskip("solver.adapters.openspiel")

    def shown(state, seat):
        state = openspiel.wrap(state)
        tensors = state.information_state_tensor(seat), state.observation_tensor(seat)
        moves = state.legal_actions(seat), state.current_player(), state.is_terminal(), state.rewards(), state.returns()
        return tensors, state.information_state_string(seat), state.observation_string(seat), moves

    assert leaks(text, {"openspiel": shown}, 100, seed=2) == {}


@pytest.mark.parametrize("text", GAMES)
def test_pettingzoo_does_not_tell_them_apart(text):
    pettingzoo = pytest.importorskip("solver.adapters.pettingzoo")
    kind = pettingzoo.scout_v0 if text.startswith("scout") else pettingzoo.bakerstreet_v0
    env = kind.raw_env("ansi")
    env.reset(seed=1)

    def shown(state, seat):
        env.game, env._state = state.game, state
        env.encoder = features.of(state.game)
        env.possible_agents = [f"player_{q}" for q in range(state.game.num_players())]
        env._seats = {agent: q for q, agent in enumerate(env.possible_agents)}
        env.agent_selection = env.possible_agents[state.current_player()]
        seen = env.observe(env.possible_agents[seat])
        rendered = env.render() if state.current_player() == seat else None
        return [value.tobytes() for value in seen.values()], env.position(env.possible_agents[seat]), rendered

    assert leaks(text, {"pettingzoo": shown}, 100, seed=2) == {}


# ------------------------------------------------------------------------------------------------
# Leaks planted on purpose


def least(state, seat):
    """Something of what is hidden: the smallest part there is, a parity."""
    return zlib.crc32(repr(hidden(state, seat)).encode()) % 2


@dataclass(frozen=True)
class Peeking:
    """Plays at random, and by a bit of what is hidden."""

    name: str = "peeking"
    information_states: ClassVar[bool] = True

    def act(self, view, rng):
        return view.legal_actions()[-least(view._state, view.player)]


def leaking_search(state, seat):
    if state.current_player() != seat:
        return None
    return ismcts.search(Seen(state), iterations=8, seed=1).actions.tobytes()


def leaking_belief(state, seat):
    """A sample of the seed that something hidden chooses."""
    return whole(state.position(seat).sample(least(state, seat)))


def leaking_vector(state, seat):
    found = features.of(state.game).encode(state, seat)
    found[-1] = least(state, seat)
    return found.tobytes()


def leaking_explanation(state, seat):
    if state.current_player() != seat:
        return None
    return ismcts.search(state, iterations=40, seed=least(state, seat)).explain(4)


def leaking_play(state, seat):
    if state.current_player() != seat:
        return None
    player = Peeking()
    return player.act(agents.seen(player, state.game, state), Rng(1))


PLANTED = [leaking_search, leaking_belief, leaking_vector, leaking_explanation, leaking_play]


@pytest.mark.parametrize("text", ["scout(players=2)", "scout(players=5)", "bakerstreet"])
@pytest.mark.parametrize("planted", PLANTED, ids=lambda planted: planted.__name__)
def test_a_planted_leak_is_found(text, planted):
    found = leaks(text, {**WINDOWS, **SLOW_WINDOWS, "planted": planted}, 12, seed=3)
    assert set(found) == {"planted"}
