"""Any menu, any policy: the vector form and the plain tree of the protocol's game agree."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from solver import _duel, duel
from solver.games import duel as game_of_duel
from tests.reference import duel_cfr
from tests.unit.test_duel import random_policy

MENUS = st.sets(st.integers(0, 30), min_size=1, max_size=4).map(lambda bids: tuple(sorted(bids)))


@given(menu=st.sets(st.integers(0, 30), min_size=1))
def test_game_strings_are_read_back(menu):
    game = duel.Game(bids=menu)
    assert game_of_duel.load(str(game)) == game


@given(menu=MENUS, seed=st.integers(0, 2**32), dtype=st.sampled_from(["float32", "float64"]))
@settings(max_examples=20)
def test_values_agree_with_the_tree(menu, seed, dtype):
    policy = random_policy(menu, seed, dtype)
    play = policy.action_probabilities
    assert abs(duel.value(policy)[0] - duel_cfr.expected(policy.game.new_initial_state(), play)) < 1e-12
    assert abs(duel.exploitability(policy) - duel_cfr.exploitability(policy.game, play)) < 1e-12


@given(
    first=st.integers(0, 25),
    places=st.sets(st.integers(0, 5), min_size=1, max_size=3),
    seed=st.integers(0, 2**32),
)
@settings(max_examples=12)
def test_full_menus_agree_with_the_tree(first, places, seed):
    policy = random_policy(tuple(first + place for place in sorted(places)), seed)
    low, high = first, min(first + 5, 30)
    brute = duel_cfr.exploitability(duel.Game(low, high), policy.action_probabilities)
    assert abs(duel.full_menu_exploitability(policy, low, high) - brute) < 1e-12


@given(menu=MENUS, iterations=st.integers(1, 40), plus=st.booleans())
@settings(max_examples=20)
def test_what_is_found_is_a_policy(menu, iterations, plus):
    solution = duel.solve(bids=menu, method="cfr+" if plus else "dcfr", iterations=iterations)
    assert _duel.bad_row(solution.policy.array, len(menu)) == -1
    assert solution.iterations == iterations
    assert 0 <= solution.exploitability + 1e-12 <= 1
    assert np.isfinite(solution.policy.array).all()
    assert abs(solution.exploitability - duel.exploitability(solution.policy)) == 0


@given(menu=MENUS, choices=st.lists(st.integers(0, 2**16), min_size=8, max_size=8))
def test_a_state_obeys_the_protocol(menu, choices):
    state = duel.Game(bids=menu).new_initial_state()
    texts = [set(), set()]
    for choice in choices:
        if state.is_terminal():
            break
        actions = state.legal_actions()
        assert actions == sorted(set(actions))
        player = state.current_player()
        if player >= 0:
            text = state.information_state_string(player)
            assert text not in texts[player]
            texts[player].add(text)
        before = str(state)
        after = state.child(actions[choice % len(actions)])
        assert str(state) == before
        state = after
    assert sum(state.returns()) == 0
