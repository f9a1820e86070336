"""SCOUT compiled by its fast states is the tree that its ordinary states give."""

import pytest

from solver import scout
from solver.errors import IllegalActionError
from solver.tree_walk import compile_game


class Ordinary:
    """The same game without `new_walk`."""

    def __init__(self, game):
        self.game = game

    def __getattr__(self, name):
        if name == "new_walk":
            raise AttributeError(name)
        return getattr(self.game, name)

    def __str__(self):
        return str(self.game)


@pytest.mark.parametrize(
    "options",
    [
        {"ranks": 4, "hand_size": 1, "chips": 1},
        {"ranks": 4, "hand_size": 2, "chips": 1, "max_turns": 1},
        {"ranks": 3, "hand_size": 1, "chips": 2, "payoff": "margin"},
        {"ranks": 4, "hand_size": 1, "chips": 1, "insertions_public": True, "max_turns": 3},
        {"ranks": 4, "hand_size": 1, "chips": 0, "rounds": 2},
        {"players": 3, "ranks": 3, "hand_size": 1, "payoff": "win"},
    ],
    ids=str,
)
def test_the_fast_walk_gives_the_same_tree(options):
    game = scout.Game(**({"players": 2, "max_turns": 20} | options))
    fast, slow = compile_game(game), compile_game(Ordinary(game))
    assert fast.size == slow.size
    assert fast.fingerprint() == slow.fingerprint()
    assert fast.num_nodes > 200


def test_a_walk_gives_the_strings_of_states():
    game = scout.Game(players=2, ranks=4, hand_size=2, chips=1)
    walk, state = game.new_walk(), game.new_initial_state()
    keys = set()
    while not state.is_terminal():
        assert walk.current_player() == state.current_player()
        if state.is_chance_node():
            assert walk.chance_outcomes() == state.chance_outcomes()
            action = state.chance_outcomes()[-1][0]
        else:
            assert list(walk.legal_actions()) == state.legal_actions()
            for seat in range(2):
                assert walk.information_state_string(seat) == state.information_state_string(seat)
            keys.add(walk.information_state_key(state.current_player()))
            action = state.legal_actions()[-1]
        walk = walk.child(action)
        state.apply_action(action)
    assert walk.returns() == state.returns()
    assert len(keys) > 2


def test_a_walk_refuses_what_is_not_legal():
    walk = scout.Game(players=2, ranks=4, hand_size=1, chips=1).new_walk()
    for action in (-1, 1000, 2**31 - 1):
        with pytest.raises(IllegalActionError):
            walk.child(action)
    dealt = walk.child(0)
    with pytest.raises(IllegalActionError):
        dealt.child(1)  # the same card, the other way round
    chooses = dealt.child(2)
    for action in (-5, 2, 2**31 - 1):
        with pytest.raises(IllegalActionError):
            chooses.child(action)
    while chooses.current_player() != -4:
        chooses = chooses.child(chooses.legal_actions()[0])
    with pytest.raises(IllegalActionError, match="over"):
        chooses.child(0)
