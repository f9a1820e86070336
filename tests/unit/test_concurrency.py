"""Objects shared by threads, and sent to other processes: copies and pickles of all that a pool is given or gives."""

import copy
import dataclasses
import multiprocessing
import pickle
import sys
import threading
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from solver import agents, arena, cfr, duel, evaluate, games, ismcts, online, pimc, policy
from solver._core import Rng
from solver.adapters import features

GAMES = ["scout(players=2)", "scout(players=4)", "scout(players=3,rounds=match)", "bakerstreet"]
THREADS = 4


def half_played(text):
    state = games.load(text).deal(seed=3)
    for _ in range(9):
        state.apply_action(state.position(state.current_player()).planning_action(1))
    return state


def at_once(work):
    """What `work(k)` gives in each of some threads that start together."""
    found = [None] * THREADS
    start = threading.Barrier(THREADS)

    def run(k):
        start.wait()
        try:
            found[k] = work(k)
        except BaseException as error:
            found[k] = error

    threads = [threading.Thread(target=run, args=(k,)) for k in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in found:
        if isinstance(result, BaseException):
            raise result
    return found


def bits(value):
    """An object's content, to the bit; what a clock said is left out."""
    if isinstance(value, np.ndarray):
        names = value.dtype.names
        if names:
            return [(name, value[name].tobytes()) for name in names if name != "seconds"]
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, policy.PolicyTable):
        columns = (value.keys, value.checks, value.players, value.offsets, value.actions, value.probabilities)
        return [column.tobytes() for column in columns], value.meta
    if isinstance(value, duel.DuelPolicy):
        return bits(value.array)
    if isinstance(value, cfr.Solution) and value.tree_policy is None:
        return bits(value.policy), bits(value.settings)
    if dataclasses.is_dataclass(value):
        return [(f.name, bits(getattr(value, f.name))) for f in dataclasses.fields(value) if f.name != "seconds"]
    if isinstance(value, dict):
        return [(key, bits(item)) for key, item in value.items() if key != "seconds"]
    if isinstance(value, tuple | list):
        return [bits(item) for item in value]
    if isinstance(value, features.Encoder):
        return value.names()
    if type(value).__name__ == "State":
        return value.__reduce__()[1:], str(value), value.legal_actions()
    if isinstance(value, Rng):
        return value.state
    if hasattr(value, "fingerprint"):
        return value.fingerprint()
    return str(value) if hasattr(value, "get_parameters") else repr(value)


# ------------------------------------------------------------------------------------------------
# Threads


@pytest.mark.parametrize("text", GAMES)
def test_searches_of_one_position_at_once(text):
    position = half_played(text).position(half_played(text).current_player())

    def work(k):
        single = ismcts.search(position, iterations=1500, seed=k)
        double = ismcts.search(position, iterations=400, seed=k, threads=2)
        averages = pimc.search(position, 3, iterations=50, seed=k)
        return [bits(single.actions), single.explain(20), bits(double.actions), bits(averages)]

    assert at_once(work) == [work(k) for k in range(THREADS)]


@pytest.mark.parametrize("text", GAMES)
def test_one_game_and_one_state_at_once(text):
    """Deals, copies, samples and texts, each thread with its own random numbers; what is shared stays."""
    state = half_played(text)
    game, seat = state.game, state.current_player()
    position = state.position(seat)
    before = bits(state), bits(position)

    def work(k):
        told = []
        rng = Rng(k)
        for _ in range(150):
            child = state.child(rng.choice(position.legal_actions()))
            told += [
                bits(child),
                str(position),
                position.pretty(),
                hash(position),
                state.information_state_string(seat),
            ]
            told += [bits(position.sample(rng)), bits(game.deal(seed=rng)), state.action_scores(), str(game)]
        told += [game.playouts(3, seed=k).mean_returns, position.legal_actions()]
        return told

    assert at_once(work) == [work(k) for k in range(THREADS)]
    assert (bits(state), bits(position)) == before


def test_one_tree_at_once():
    tree = cfr.compile(games.load("leduc"))
    uniform = tree.uniform()

    def work(k):
        found = [cfr.solve(tree, method, iterations=60, seed=k) for method in ("external", "outcome")]
        grown = online.solve(tree, "oos", iterations=100, seed=k)
        best = evaluate.best_response(tree, uniform, k % 2)
        return [bits([solution.tree_policy.probabilities for solution in (*found, grown)]), best.value]

    assert at_once(work) == [work(k) for k in range(THREADS)]


def test_one_policy_file_at_once(tmp_path):
    """A file's columns are read and checked when they are first asked for, here by all threads together."""
    table = cfr.solve("leduc", iterations=20).policy
    table.save(tmp_path / "policy")
    texts = [row.text for row in table]
    wanted = [table.action_probabilities(text) for text in texts]
    for _ in range(5):
        loaded = policy.load(tmp_path / "policy")

        def work(k, loaded=loaded):
            return [loaded.action_probabilities(text) for text in texts]

        assert at_once(work) == [wanted] * THREADS


# ------------------------------------------------------------------------------------------------
# Copies and pickles


def objects():
    """All that is sent to a process or comes back from one, by name."""
    result = {}
    for text in GAMES:
        state = half_played(text)
        position = state.position(state.current_player())
        result |= {f"game {text}": state.game, f"state {text}": state, f"position {text}": position}
        result[f"search of {text}"] = found = ismcts.search(position, iterations=60, seed=1)
        result[f"search of a state of {text}"] = ismcts.search(state, iterations=20, seed=1)
        result[f"explanation of {text}"] = found.explanation(5)
        result[f"averages of {text}"] = pimc.search(position, 2, iterations=8, seed=1)
        result[f"encoder of {text}"] = features.of(state.game)
    for text in ("kuhn", "leduc", "duel", "bidding_round"):
        result[f"game {text}"] = games.load(text)
    solution = cfr.solve("kuhn", iterations=10)
    result["online search"] = online.search(half_played("bakerstreet"), iterations=2, seed=1)
    result |= {"solution": solution, "table": solution.policy, "tree policy": solution.tree_policy}
    result["tree"] = cfr.compile(games.load("kuhn"))
    result["sampled"] = cfr.solve("kuhn", "external", iterations=10, seed=1, compile_bytes=0)
    result["best response"] = evaluate.best_response("kuhn", solution.policy, 0)
    result["duel"] = bidding = duel.solve(14, 16, iterations=5)
    result["duel's policy"] = bidding.policy
    result["standing"] = arena.play("scout(players=2)", ["planning", "greedy"], 3)
    result["random stream"] = Rng(5)
    for name in (
        "random",
        "greedy",
        "threshold",
        "planning",
        "learnt",
        "flat:20",
        "pimc:3",
        "ismcts:20,depth=2",
        "human",
    ):
        result[f"agent {name}"] = agents.make(name)
    result["agent of a table"] = agents.Policy(solution.policy)
    return result


OBJECTS = objects()
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{f"pickle {n}": lambda value, n=n: pickle.loads(pickle.dumps(value, n)) for n in (2, pickle.HIGHEST_PROTOCOL)},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", OBJECTS)
def test_a_copy_is_as_good(name, way):
    value = OBJECTS[name]
    again = WAYS[way](value)
    assert type(again) is type(value)
    assert bits(again) == bits(value)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("text", GAMES)
def test_a_copied_state_plays_on_by_itself(text, way):
    """The same deals to come, and nothing shared."""
    state = half_played(text)
    before = bits(state)
    again, other = WAYS[way](state), state.clone()
    rng, same = Rng(1), Rng(1)
    for _ in range(80):
        if again.is_terminal():
            break
        again.apply_action(again.policy_action(rng))
        other.apply_action(other.policy_action(same))
        assert bits(again) == bits(other)
    assert bits(state) == before


@pytest.mark.parametrize("way", WAYS)
def test_a_copied_result_is_explained_alike(way):
    found = ismcts.search(half_played("scout(players=4)"), iterations=200, seed=1)
    assert WAYS[way](found).explain(20) == found.explain(20)


# ------------------------------------------------------------------------------------------------
# Processes


def searched(position, seed):
    return ismcts.search(position, iterations=200, threads=2, seed=seed)


def acted(agent, game, state):
    return agent.act(agents.seen(agent, game, state), Rng(1))


@pytest.mark.parametrize("how", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_pools_of_processes(how):
    """Also a process forked after searches in threads here."""
    if how == "fork" and sys.platform != "linux":
        pytest.skip("forking is for Linux")
    states = [half_played(text) for text in GAMES]
    positions = [state.position(state.current_player()) for state in states]
    here = [searched(position, k) for k, position in enumerate(positions)]
    planning = agents.Planning()
    with ProcessPoolExecutor(2, multiprocessing.get_context(how)) as pool:
        there = list(pool.map(searched, positions, range(len(positions))))
        played = list(pool.map(acted, [planning] * len(states), [state.game for state in states], states))
    assert bits([result.actions for result in there]) == bits([result.actions for result in here])
    assert [result.explain(10) for result in there] == [result.explain(10) for result in here]
    assert played == [acted(planning, state.game, state) for state in states]
