"""`ismcts.Memory`: a search goes on with the tree of the one before, and only where the position follows from it."""

import numpy as np
import pytest

from solver import Rng, bakerstreet, ismcts, leduc, scout
from solver.errors import IllegalActionError, SearchError
from tests.unit.test_search import PLAIN, same

TREE = {**PLAIN, "iterations": 3000, "seed": 4}


def start(players=3, seed=6):
    """A small game, in whose tree what is played is found again."""
    return scout.Game(players=players, ranks=6, hand_size=4).deal(seed=seed, turned=[False] * players)


def play_on(state, memory, action, seat=0, watched=True):
    """Play an action, and what the planning agent plays for all others until the seat is to decide again; the keys
    that it saw."""
    keys, rng = [], Rng(2)
    while True:
        keys.append(dict(state.observed_actions(seat))[action])
        if watched:
            memory.watch(state, action)
        state.apply_action(action)
        if state.current_player() == seat:
            return keys
        action = state.position(state.current_player()).planning_action(rng)


def children(outline, keys):
    """{action: visits} behind some keys from the root, in the outline of a whole tree."""
    here = -1
    for key in keys:
        (here,) = np.flatnonzero((outline["parent"] == here) & (outline["key"] == key))
    rows = outline[outline["parent"] == here]
    return dict(zip(rows["action"].tolist(), rows["visits"].tolist(), strict=True))


def test_the_tree_behind_the_steps_played_is_kept():
    """One iteration more than the first search left there, at one action; all else to the visit."""
    state, memory = start(2), ismcts.Memory()
    first = ismcts.search(state, memory=memory, **TREE)
    assert first.settings["kept"] == 0
    assert same(first, ismcts.search(state, **TREE))
    outline = memory._trees[0].outline(1)
    left = children(outline, play_on(state, memory, first.best))
    second = ismcts.search(state, memory=memory, **{**TREE, "iterations": 1})
    assert second.settings["kept"] == sum(left.values()) > 0
    assert second.iterations == 1
    visits = dict(zip(second.actions["action"].tolist(), second.actions["visits"].tolist(), strict=True))
    more = {action: n - left.get(action, 0) for action, n in visits.items()}
    assert sorted(more.values()) == [0] * (len(more) - 1) + [1]
    assert set(left) <= set(visits)


@pytest.mark.parametrize("options", [{}, {"opponents": "policy", "rollout": "policy", "widening": 8}], ids=str)
def test_a_search_goes_on_and_is_deterministic(options):
    results = []
    for _ in range(2):
        state, memory = start(2), ismcts.Memory()
        more = {**TREE, **options}
        play_on(state, memory, ismcts.search(state, memory=memory, **more).best)
        result = ismcts.search(state, memory=memory, **more)
        assert result.settings["kept"] > 0
        assert result.iterations == 3000
        assert result.actions["visits"].sum() == 3000 + result.settings["kept"]
        assert list(result.actions["action"]) == state.legal_actions()
        results.append(result)
    assert same(*results)


def test_by_threads_and_with_a_position():
    state, memory = start(2), ismcts.Memory()
    more = {**TREE, "threads": 2}
    play_on(state, memory, ismcts.search(state.position(0), memory=memory, **more).best)
    shares = []
    result = ismcts.search(state.position(0), memory=memory, progress=shares.append, **more)
    assert result.settings["kept"] > 0
    assert result.actions["visits"].sum() == 3000 + result.settings["kept"]
    assert shares[-1] == 1.0


def test_a_position_that_does_not_follow_is_searched_afresh():
    state, memory = start(), ismcts.Memory()
    best = ismcts.search(state, memory=memory, **TREE).best
    play_on(state, memory, best, watched=False)
    fresh = ismcts.search(state, **TREE)
    assert same(fresh, ismcts.search(state, memory=memory, **TREE))
    other = start(seed=7)
    assert same(ismcts.search(other, **TREE), ismcts.search(other, memory=memory, **TREE))
    # a step of another deal is watched: what was kept is of no use for either
    memory.watch(state, state.legal_actions()[0])
    assert ismcts.search(other, memory=memory, **TREE).settings["kept"] == 0


@pytest.mark.parametrize(
    "options", [{"exploration": 1.5}, {"payoff": "score"}, {"root": "halving", "widening": 8}, {"trees": "multiple"}]
)
def test_a_search_of_another_kind_begins_afresh(options):
    """With other options than before; and by halving and with several trees always."""
    for before in (TREE, {**TREE, **options}):
        state, memory = start(2), ismcts.Memory()
        play_on(state, memory, ismcts.search(state, memory=memory, **before).best)
        again = ismcts.search(state, memory=memory, **{**TREE, **options})
        if before is not TREE and not {"root", "trees"} & set(options):
            assert again.settings["kept"] > 0
            continue
        assert again.settings["kept"] == 0
        assert same(again, ismcts.search(state, **{**TREE, **options}))


def test_what_chance_shows_is_not_guessed():
    """Baker Street: who places draws a card; the tree behind it is of many cards, and is not kept."""
    state, memory = bakerstreet.Game().deal(seed=2), ismcts.Memory()
    more = {"iterations": 2000, "seed": 1, "opponents": "tree"}
    result = ismcts.search(state, memory=memory, **more)
    assert result.best < state.game.doubt
    memory.watch(state, result.best)
    state.apply_action(result.best)
    seat = state.current_player()
    action = state.position(seat).planning_action(1)
    memory.watch(state, action)
    state.apply_action(action)
    assert state.current_player() != seat
    assert same(ismcts.search(state, **more), ismcts.search(state, memory=memory, **more))


def test_a_hidden_place_is_not_remembered():
    """Two true states that differ in where the rival put a card leave the same memory."""
    results = []
    for which in (0, -1):
        state, memory = start(2, seed=8), ismcts.Memory()
        action = next(a for a in state.legal_actions() if state.game.decode(a)[0] == "show")
        ismcts.search(state, memory=memory, **{**TREE, "iterations": 20_000})
        memory.watch(state, action)
        state.apply_action(action)
        action = [a for a in state.legal_actions() if state.game.decode(a)[0] == "scout"][which]
        memory.watch(state, action)
        results.append(memory._keys)
    assert results[0] == results[1]
    assert len(results[0]) == 2


@pytest.mark.parametrize("threads", [1, 2])
def test_a_game_in_plain_python(threads):
    """Leduc hold'em: a bet, a raise, and the first seat decides again."""
    state = leduc.Game().new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    memory = ismcts.Memory()
    more = {"iterations": 600, "seed": 1, "threads": threads}
    ismcts.search(state, memory=memory, **more)
    words = {state.action_to_string(0, a): a for a in state.legal_actions()}
    for _ in range(2):
        action = max(words.values())
        memory.watch(state, action)
        state.apply_action(action)
    assert state.current_player() == 0
    result = ismcts.search(state, memory=memory, **more)
    assert result.settings["kept"] > 4
    assert result.actions["visits"].sum() == 600 + result.settings["kept"]
    assert result.iterations == 600


def test_an_action_that_is_not_legal_is_no_step():
    state, memory = start(), ismcts.Memory()
    ismcts.search(state, memory=memory, **{**TREE, "iterations": 50})
    with pytest.raises(IllegalActionError):
        memory.watch(state, state.game.keep)


def test_a_memory_is_a_memory():
    with pytest.raises(SearchError, match="memory is a Memory, not"):
        ismcts.search(start(), iterations=10, memory={})
