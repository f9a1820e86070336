"""Policy tables: what is put in is found, whatever is wrong is named, and damage is never an answer."""

import copy
import importlib
import json
import math
import pickle
import random
from collections import Counter
from contextlib import suppress

import numpy as np
import pytest

from solver import Rng, _policy_columns, archive, games, kuhn, policy, scout
from solver.errors import ArchiveError, ArgumentError, MissingExtraError, PolicyError
from solver.policy import PolicyTable

KUHN = {f"{card}{bets}" for card in "012" for bets in ("", "p", "b", "pb")}


# Rows out of order, one text of two players, values and visits partly not known.
EXAMPLE = {
    "texts": ["b", "a", "ä both", "", "ä both", "c" * 40],
    "players": [0, 1, 1, 2, 0, 0],
    "offsets": [0, 2, 3, 5, 6, 8, 12],
    "actions": [3, 7, 0, 1, 2, 9, 1, 4, 0, 1, 2, 2**31 - 1],
    "probabilities": [0.25, 0.75, 1, 0.5, 0.5, 1, 0, 1, 0.1, 0.2, 0.3, 0.4],
    "values": [1, -2.5, math.nan, 0, 0, 1, 2, 3, 4, 5, 6, 7],
    "visits": [10, 0, math.nan, 1, 2, 3],
    "meta": {"game": "example", "rules": "2", "seed": 5},
}


def example(**more):
    return PolicyTable.build(**(EXAMPLE | more))


def hashes(**more):
    """The same rows by hash, without values and visits."""
    keys, checks = zip(*map(policy.fingerprint, EXAMPLE["texts"]), strict=True)
    rows = {name: given for name, given in EXAMPLE.items() if name not in ("values", "visits")}
    return PolicyTable.from_hashes(**({"keys": keys, "checks": checks} | rows | more))


TRUTH = {
    ("b", 0): {3: 0.25, 7: 0.75},
    ("a", 1): {0: 1.0},
    ("ä both", 1): {1: 0.5, 2: 0.5},
    ("", 2): {9: 1.0},
    ("ä both", 0): {1: 0.0, 4: 1.0},
    ("c" * 40, 0): {0: 0.1, 1: 0.2, 2: 0.3, 2**31 - 1: 0.4},
}


def blocks(table, path, block=64):
    """Save in small blocks, so that a small table has many."""
    archive.write(path, policy.KIND, table._columns, table.meta, block=block)
    return path


def saved(table, path, verify):
    return policy.load(blocks(table, path), verify=verify)


@pytest.fixture(params=["built", "full", "lazy"])
def table(request, tmp_path):
    built = example()
    return built if request.param == "built" else saved(built, tmp_path / "t", request.param)


def test_every_row_is_found(table):
    assert len(table) == 6
    for (text, player), truth in TRUTH.items():
        assert table.action_probabilities(text, player) == truth
        assert list(table.action_probabilities(text, player)) == sorted(truth)
        assert text in table
        row = table.row(table.find(text, player))
        assert (row.text, row.player) == (text, player)
    assert table.action_probabilities("b") == TRUTH["b", 0]


def test_what_is_not_there(table):
    for text, player in (("d", None), ("b", 1), ("ä both", 2), ("\ud800", None), ("x" * 1000, 0)):
        assert table.find(text, player) is None
        with pytest.raises(PolicyError, match="lacks the information state") as raised:
            table.action_probabilities(text, player)
        assert repr(text) in str(raised.value)
    assert "d" not in table


def test_text_of_two_players(table):
    for ask in (table.action_probabilities, table.find, lambda text: table.sample(text, Rng(1))):
        with pytest.raises(PolicyError, match="'ä both' is an information state of the players 0, 1"):
            ask("ä both")
    assert "ä both" in table


def test_what_is_no_state(table):
    for thing in (5, None, b"b"):
        with pytest.raises(ArgumentError, match="a state or an information state string"):
            table.action_probabilities(thing)


def test_rows_in_order_of_key(table):
    rows = list(table)
    assert {(row.text, row.player): dict(zip(row.actions, row.probabilities, strict=True)) for row in rows} == TRUTH
    assert [(row.key, row.player) for row in rows] == sorted((row.key, row.player) for row in rows)
    assert all(policy.fingerprint(row.text)[0] == row.key for row in rows)
    by_name = {(row.text, row.player): row for row in rows}
    assert by_name["b", 0].values == (1, -2.5)
    assert math.isnan(by_name["a", 1].values[0])
    assert by_name["b", 0].visits == 10
    assert math.isnan(by_name["ä both", 1].visits)


@pytest.mark.parametrize("number", [-1, 6, 10**30])
def test_row_that_is_not_there(table, number):
    with pytest.raises(ArgumentError):
        table.row(number)


def test_columns_cannot_be_written(table):
    columns = [table.keys, table.checks, table.players, table.offsets, table.actions, table.probabilities]
    for column in [*columns, table.values, table.visits]:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0
    table.meta["game"] = "another"
    assert table.meta["game"] == "example"


def test_copies_and_equality(table, tmp_path):
    again = pickle.loads(pickle.dumps(table))
    assert again == table == example()
    assert again.action_probabilities("b") == TRUTH["b", 0]
    assert copy.copy(table) is table
    assert copy.deepcopy(table) is table
    assert table != example(meta={"game": "example"})
    assert table != example(visits=None)
    assert table != example(visits=[10, 0, 5, 1, 2, 3])
    assert table != 5
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)
    assert repr(table) == "<PolicyTable of example: 6 information states, 12 actions>"


def test_arrays_of_the_caller_stay_his():
    players = np.array([0, 1], np.int8)
    table = PolicyTable.build(["a", "b"], players, np.array([0, 1, 2]), np.array([0, 0], "i4"), np.array([1.0, 1.0]))
    players[:] = 5
    assert sorted(table.players) == [0, 1]


def test_saving_anew_over_the_file_it_is_mapped_from(tmp_path):
    table = example()
    table.save(tmp_path / "t")
    data = (tmp_path / "t").read_bytes()
    policy.load(tmp_path / "t", verify="lazy").save(tmp_path / "t")
    assert (tmp_path / "t").read_bytes() == data
    assert policy.load(tmp_path / "t") == table


def test_tables_without_text(tmp_path):
    table = example(keep_text=False, values=None, visits=None)
    table.save(tmp_path / "t")
    for one in (table, policy.load(tmp_path / "t"), policy.load(tmp_path / "t", verify="lazy")):
        assert not one.has_text
        assert one.values is None
        assert one.visits is None
        assert {row.text for row in one} == {None}
        for (text, player), truth in TRUTH.items():
            assert one.action_probabilities(text, player) == truth
        assert PolicyTable.from_json(one.to_json()) == one


def test_no_rows(tmp_path):
    table = PolicyTable.from_mapping({})
    table.save(tmp_path / "t")
    for one in (table, policy.load(tmp_path / "t"), policy.load(tmp_path / "t", verify="lazy")):
        assert len(one) == 0
        assert list(one) == []
        assert "a" not in one
        assert one.filter(bool) == one
        assert one.merge(one) == one
        assert one.compare(one).common == 0
        assert math.isnan(one.compare(one).mean)
        assert PolicyTable.from_json(one.to_json()) == one


def test_large_table_against_a_dictionary(tmp_path):
    rng = random.Random(3)
    rows = {}
    for i in range(20_000):
        weights = [rng.random() for _ in range(rng.randrange(1, 5))]
        rows[f"state {i * i}"] = {a * 3: weight / sum(weights) for a, weight in enumerate(weights)}
    table = PolicyTable.from_mapping(rows, player=0)
    for one in (table, saved(table, tmp_path / "t", "full"), saved(table, tmp_path / "u", "lazy")):
        asked = rng.sample(sorted(rows), 3000)
        assert all(one.action_probabilities(text) == rows[text] for text in asked)
        assert not any(f"state {i * i + 2}" in one for i in range(3000))


def test_rows_moved_in_several_pieces(monkeypatch):
    whole = example()
    monkeypatch.setattr(_policy_columns, "_PIECE", 2)
    for long in (1, 1000):  # entries moved as a whole, and by their numbers
        monkeypatch.setattr(_policy_columns, "_LONG", long)
        assert example() == whole
    assert whole.filter(lambda row: True) == whole


@pytest.mark.parametrize("verify", [None, "lazy"])
def test_keys_that_collide_or_crowd(tmp_path, monkeypatch, verify):
    """Equal keys of different texts, and keys far from where uniform hashes would lie."""
    true = policy.digest

    def weak(data):
        digest = true(data)
        return bytes([digest[0] % 4, 0, digest[1] % 8, 0, 0, 0, 0, 255]) + digest[8:]

    for module in (policy, _policy_columns):
        monkeypatch.setattr(module, "digest", weak)
    rows = {(f"{i}", player): {i: 1.0} for i in range(700) for player in range(1 + (i % 7 == 0))}
    table = PolicyTable.from_mapping(rows)
    if verify:
        table = saved(table, tmp_path / "t", verify)
    for (text, player), truth in rows.items():
        assert table.action_probabilities(text, player) == truth
        assert text in table
    assert not any(f"x{i}" in table for i in range(500))
    with pytest.raises(PolicyError, match="players 0, 1"):
        table.find("7")


def test_texts_with_the_same_hash_are_refused(monkeypatch):
    monkeypatch.setattr(_policy_columns, "digest", lambda data: bytes(16))
    with pytest.raises(
        PolicyError, match=r"row 0 \('a', player 0\) and row 1 \('b', player 1\) have the same 128 bits"
    ):
        PolicyTable.build(["a", "b"], [0, 1], [0, 1, 2], [0, 0], [1, 1])


WRONG = [
    (
        {"probabilities": [0.25, 0.75, 1, 0.5, 0.4, 1, 0, 1, 0.1, 0.2, 0.3, 0.4]},
        "row 2 .*'ä both', player 1.* sum to 0.9",
    ),
    ({"probabilities": [-0.25, 1.25, 1, 0.5, 0.5, 1, 0, 1, 0.1, 0.2, 0.3, 0.4]}, "row 0 .*-0.25"),
    ({"probabilities": [0.25, 0.75, 1, 0.5, math.nan, 1, 0, 1, 0.1, 0.2, 0.3, 0.4]}, "row 2 .*nan"),
    ({"probabilities": [0.25, 0.75, 1, 0.5, math.inf, 1, 0, 1, 0.1, 0.2, 0.3, 0.4]}, "row 2 .*inf"),
    ({"actions": [7, 3, 0, 1, 2, 9, 1, 4, 0, 1, 2, 3]}, r"row 0 .*do not ascend: \[7, 3\]"),
    ({"actions": [3, 7, 0, 1, 2, 9, 1, 1, 0, 1, 2, 3]}, r"row 4 .*do not ascend: \[1, 1\]"),
    ({"actions": [3, 7, 0, 1, 2, -9, 1, 4, 0, 1, 2, 3]}, r"actions\[5\] is -9"),
    ({"actions": [3, 7, 0, 1, 2, 2**31, 1, 4, 0, 1, 2, 3]}, r"actions\[5\] is 2147483648"),
    ({"players": [0, 1, 1, 128, 0, 0]}, r"players\[3\] is 128"),
    ({"players": [0, 1, 1, -1, 0, 0]}, r"players\[3\] is -1"),
    ({"players": [0, 1, 1, 2, 1, 0]}, "row 2 .*again as row 4"),
    ({"offsets": [0, 2, 2, 5, 6, 8, 12]}, "row 1 .*no actions"),
    ({"offsets": [0, 2, 1, 5, 6, 8, 12]}, "row 1 .*no actions"),
    ({"offsets": [1, 2, 3, 5, 6, 8, 12]}, "offsets runs from 1 to 12"),
    ({"offsets": [0, 2, 3, 5, 6, 8, 11]}, "offsets runs from 0 to 11"),
    ({"values": [math.inf] * 12}, "row 0 .*values"),
    ({"visits": [0, 0, -1, 0, 0, 0]}, "row 2 .*visits"),
    ({"texts": ["b", "a", "ä both", "\ud800", "ä both", "c"]}, "surrogate"),
]


@pytest.mark.parametrize(("arguments", "words"), WRONG)
def test_rows_that_are_no_policy(arguments, words):
    with pytest.raises(PolicyError, match=words):
        example(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        {"players": [0, 1, 1, 2, 0]},
        {"players": [[0, 1, 1, 2, 0, 0]]},
        {"players": [0.0, 1, 1, 2, 0, 0]},
        {"players": "players"},
        {"offsets": [0, 2, 3, 5, 6, 8]},
        {"actions": ["a"] * 12},
        {"actions": [10**30] * 12},
        {"probabilities": [1.0]},
        {"probabilities": [[1], [1, 2]]},
        {"values": [1.0]},
        {"visits": [1.0]},
        {"texts": ["b", "a", b"c", "", "d", "e"]},
        {"meta": {"target": math.inf}},
        {"meta": {"game": object()}},
    ],
)
def test_arguments_of_another_type_or_shape(arguments):
    with pytest.raises(ArgumentError):
        example(**arguments)


def test_from_hashes(tmp_path):
    """Also from plain ints, some of which no int64 holds and few of which a float does."""
    keys, checks = zip(*map(policy.fingerprint, EXAMPLE["texts"]), strict=True)
    assert {key >> 63 for key in keys} == {0, 1}
    arrays = {"keys": np.array(keys, np.uint64), "checks": np.array(checks, np.uint64)}
    lists = {"keys": list(keys), "checks": list(checks)}
    for given, has_text in ((lists, True), (arrays, True), (arrays | {"texts": None}, False)):
        table = hashes(**given)
        assert table == example(values=None, visits=None, keep_text=has_text)
        table.save(tmp_path / "t")
        for one in (table, policy.load(tmp_path / "t", verify="lazy")):
            assert {row.text for row in one} == ({text for text, _ in TRUTH} if has_text else {None})
            for (text, player), truth in TRUTH.items():
                assert one.action_probabilities(text, player) == truth
    none = PolicyTable.from_hashes([], [], [], [0], [], [], texts=[])
    assert none == PolicyTable.from_mapping({})


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"keys": [0.5] * 6}, ArgumentError, "keys"),
        ({"keys": np.ones(6)}, ArgumentError, "keys must be whole numbers, not float64"),
        ({"keys": [[1]] * 6}, ArgumentError, "keys"),
        ({"keys": 5}, ArgumentError, "keys must have shape"),
        ({"keys": [-1, 2, 3, 4, 5, 6]}, PolicyError, r"keys\[0\] is -1"),
        ({"checks": [1, 2, 3, 4, 5, 2**64]}, PolicyError, r"checks\[5\] is 18446744073709551616"),
        ({"checks": [1, 2]}, ArgumentError, r"checks must have shape \(6,\)"),
        ({"players": [0]}, ArgumentError, "players"),
        ({"offsets": [0, 12]}, ArgumentError, "offsets"),
        ({"probabilities": [1.0]}, ArgumentError, "probabilities"),
        ({"probabilities": [0.5] * 12}, PolicyError, "row 1 .*'a', player 1.* sum to 0.5"),
        ({"players": [0, 1, 1, 2, 1, 0]}, PolicyError, "row 2 .*again as row 4"),
        ({"texts": ["b"]}, ArgumentError, "1 texts, and 6 keys"),
        ({"texts": ["b", "a", "both", "", "ä both", "c" * 40]}, PolicyError, "row 2 has other hashes .*'both'"),
        ({"checks": [0] * 6}, PolicyError, "row 0 has other hashes .*'b'"),
        ({"keys": [7] * 6, "checks": [7] * 6, "texts": None}, PolicyError, f"row 0 .*{7:016x}.*again as row 4"),
        ({"meta": {"game": object()}}, ArgumentError, "game"),
    ],
)
def test_hashes_of_no_policy(arguments, error, words):
    with pytest.raises(error, match=words):
        hashes(**arguments)


def test_from_mapping():
    table = PolicyTable.from_mapping({"a": {3: 0.5, 1: 0.5}, ("b", 1): [(2, 1)]}, player=0, meta={"seed": 1})
    assert table.action_probabilities("a", 0) == {1: 0.5, 3: 0.5}
    assert table.action_probabilities("b", 1) == {2: 1.0}
    assert table.meta["seed"] == 1
    with pytest.raises(ArgumentError, match="needs a player"):
        PolicyTable.from_mapping({"a": {0: 1}})
    for entries in (5, {"x": 1, 2: 0}, [1, 2]):
        with pytest.raises(ArgumentError):
            PolicyTable.from_mapping({"a": entries}, player=0)
    with pytest.raises(ArgumentError, match="not int"):
        PolicyTable.from_mapping({5: {0: 1}}, player=0)


def test_from_mapping_of_a_game():
    game = games.load("kuhn")
    table = PolicyTable.from_mapping({"2": {1: 1}, "2b": {1: 1}, "2pb": [(0, 0), (1, 1)]}, game=game)
    assert {row.text: row.player for row in table} == {"2": 0, "2b": 1, "2pb": 0}
    assert table.meta["game"] == "kuhn"
    for rows, words in (
        ({"3": {1: 1}}, "'3' is no information state"),
        ({("2", 1): {1: 1}}, "'2' is no information state of the game of player 1"),
        ({"2": {2: 1}}, "'2': action 2 is not among"),
    ):
        with pytest.raises(PolicyError, match=words):
            PolicyTable.from_mapping(rows, game=game)


def test_uniform_policy_of_kuhn(tmp_path):
    game = games.load("kuhn")
    table = policy.uniform(game)
    assert {row.text for row in table} == KUHN
    assert table.meta == {"game": "kuhn", "rules": "kuhn-1", "method": "uniform", "version": table.meta["version"]}
    table.save(tmp_path / "t")
    for one in (table, policy.load(tmp_path / "t", game), policy.load(tmp_path / "t", "kuhn", verify="lazy")):
        state = game.new_initial_state()
        for action in (2, 0, 0, 1):
            if not state.is_chance_node():
                assert state in one
                assert one.action_probabilities(state) == {0: 0.5, 1: 0.5}
                assert one.action_probabilities(state, state.current_player()) == {0: 0.5, 1: 0.5}
                assert one.find(state) == one.find(state.information_state_string(state.current_player()))
            state.apply_action(action)


def test_states_in_which_nobody_decides():
    table = policy.uniform(kuhn.Game())
    state = kuhn.Game().new_initial_state()
    with pytest.raises(PolicyError, match="nobody decides"):
        table.action_probabilities(state)
    state = state.child(0).child(1)
    with pytest.raises(ArgumentError, match="player 0 decides"):
        table.action_probabilities(state, 1)
    other = PolicyTable.from_mapping({"0": {0: 1.0}}, player=1)
    assert "0" in other
    assert state not in other
    with pytest.raises(PolicyError, match="'0' of player 0"):
        other.action_probabilities(state)


def test_games_that_are_not_walked():
    with pytest.raises(PolicyError, match="more than 57 states"):
        policy.uniform(kuhn.Game(), max_states=57)
    assert len(policy.uniform(kuhn.Game(), max_states=58)) == 12

    class AtOnce(kuhn.State):
        def current_player(self):
            return -2

        def is_chance_node(self):
            return False

    class Forgetful(kuhn.State):
        def information_state_string(self, player):
            return ""

        def legal_actions(self):
            return super().legal_actions() if self.bets or self.is_chance_node() else [0]

        def clone(self):
            result = Forgetful()
            result.cards, result.bets = list(self.cards), list(self.bets)
            return result

    class Odd(kuhn.Game):
        start = AtOnce

        def new_initial_state(self):
            return self.start()

    with pytest.raises(PolicyError, match="at once"):
        policy.uniform(Odd())
    Odd.start = Forgetful
    with pytest.raises(PolicyError, match="legal actions"):
        policy.uniform(Odd())


def test_description_of_a_game():
    game = scout.Game(players=3)
    assert policy.describe(game) == {"game": str(game), "rules": game.rules_version}

    class Nameless:
        def get_parameters(self):
            return {"cards": 3}

    assert policy.describe(Nameless())["game"].endswith("Nameless(cards=3)")


def test_another_game_or_other_rules(tmp_path):
    path = tmp_path / "t"
    game = scout.Game(players=3)
    rows = {"a": {0: 1.0}}

    def of(**meta):
        PolicyTable.from_mapping(rows, player=0, meta=meta).save(path)

    of(**policy.describe(game))
    for same in (game, str(game), "scout(players=3)", " scout( players=3 )"):
        policy.load(path, same)
    for other in ("kuhn", kuhn.Game(), "scout(players=4)", "leduc_poker(players=2)", "universal(a=(b=1))"):
        with pytest.raises(PolicyError, match=r"is a policy of scout.*, not of ") as raised:
            policy.load(path, other)
        assert str(other).split("(")[0] in str(raised.value)
    of(game=str(game), rules="0.0")
    with pytest.raises(PolicyError, match=f"rules 0.0, and this game has rules {game.rules_version}"):
        policy.load(path, game)
    of(game=str(game))
    with pytest.raises(PolicyError, match="rules None"):
        policy.load(path, game)
    of()
    with pytest.raises(PolicyError, match="no game"):
        policy.load(path, "kuhn")
    of(game="kuhn_poker()")
    policy.load(path, "kuhn_poker")


def test_sample():
    table = PolicyTable.from_mapping({"a": {2: 0.0, 3: 0.25, 5: 0.75, 9: 0.0}}, player=0)
    rng = Rng(5)
    drawn = Counter(table.sample("a", rng) for _ in range(4000))
    assert drawn.keys() == {3, 5}
    assert 900 < drawn[3] < 1100

    class Fixed:
        def __init__(self, number):
            self.number = number

        def random(self):
            return self.number

    assert table.sample("a", Fixed(0.0)) == 3
    assert table.sample("a", Fixed(1 - 2**-53)) == 5
    # what a sum within the tolerance of 1 leaves over goes to nobody
    table = PolicyTable.from_mapping({"a": {0: 0.9999995, 1: 0.0}}, player=0)
    assert table.sample("a", Fixed(1 - 2**-53)) == 0


def test_filter():
    table = example().filter(lambda row: row.player == 0)
    assert {(row.text, row.player) for row in table} == {("b", 0), ("ä both", 0), ("c" * 40, 0)}
    assert table.action_probabilities("ä both") == TRUTH["ä both", 0]
    assert table.meta == example().meta


def test_merge():
    a = PolicyTable.from_mapping({"a": {0: 1.0}, "b": {0: 0.5, 1: 0.5}}, player=0, meta={"game": "g", "seed": 1})
    b = PolicyTable.from_mapping({"b": {0: 0.5, 1: 0.5}, "c": {2: 1.0}}, player=0, meta={"game": "g", "seed": 2})
    both = a.merge(b)
    assert {row.text for row in both} == {"a", "b", "c"}
    assert both.meta == {"version": a.meta["version"], "game": "g", "merged": [a.meta, b.meta]}
    assert a.merge(a) == a
    c = PolicyTable.from_mapping({"b": {0: 0.25, 1: 0.75}}, player=0, meta={"game": "g"})
    with pytest.raises(PolicyError, match="'b' of player 0 differs"):
        a.merge(c)
    assert a.merge(c, prefer="self").action_probabilities("b") == {0: 0.5, 1: 0.5}
    assert a.merge(c, prefer="other").action_probabilities("b") == {0: 0.25, 1: 0.75}
    with pytest.raises(ArgumentError):
        a.merge(c, prefer="mine")
    for meta, words in (({"game": "h"}, "game 'g' and one with game 'h'"), ({"game": "g", "rules": "2"}, "rules")):
        with pytest.raises(PolicyError, match=words):
            a.merge(PolicyTable.from_mapping({}, meta=meta))


def test_merge_of_tables_that_know_different_things():
    full = PolicyTable.build(["a"], [0], [0, 1], [4], [1.0], values=[2.5], visits=[7.0])
    bare = PolicyTable.build(["b"], [0], [0, 1], [5], [1.0], keep_text=False)
    both = full.merge(bare)
    assert not both.has_text
    assert {row.actions: str((row.values, row.visits)) for row in both} == {
        (4,): "((2.5,), 7.0)",
        (5,): "((nan,), nan)",
    }
    for other in ({"values": [2.0]}, {"visits": [6.0]}, {}):
        with pytest.raises(PolicyError, match="differs"):
            full.merge(PolicyTable.build(["a"], [0], [0, 1], [4], [1.0], **other))


def test_compare():
    a = PolicyTable.from_mapping({"a": {0: 1.0}, "b": {0: 0.5, 1: 0.5}, "c": {0: 1.0}, "d": {0: 1.0}}, player=0)
    b = PolicyTable.from_mapping({"b": {0: 0.25, 1: 0.75}, "c": {0: 1.0}, "d": {7: 1.0}, "e": {0: 1.0}}, player=0)
    found = a.compare(b)
    assert found.common == 3
    assert [a.row(i).text for i in found.only_self] == ["a"]
    assert [b.row(i).text for i in found.only_other] == ["e"]
    assert found.mean == pytest.approx(1.25 / 3)
    assert found.max == 1
    assert [(most.distance, most.row.text, most.other.text) for most in found.most] == [(1, "d", "d"), (0.25, "b", "b")]
    assert found.most[0].other.actions == (7,)
    assert len(a.compare(b, most=1).most) == 1
    assert len(a.compare(b, most=0).most) == 0


def test_verify(tmp_path):
    table = saved(example(), tmp_path / "t", "lazy")
    table.verify()
    table.verify()
    assert table.action_probabilities("b") == TRUTH["b", 0]


@pytest.fixture
def damaged(tmp_path):
    """Each change of one byte in the file of a table of small blocks, as (place, table, error)."""
    path = blocks(example(), tmp_path / "t")
    data = path.read_bytes()

    def changes(verify, pattern):
        with open(path, "r+b", buffering=0) as raw:
            for at in range(len(data)):
                raw.seek(at)
                raw.write(bytes([data[at] ^ (1 << at % 8 if pattern is None else pattern)]))
                try:
                    yield at, policy.load(path, verify=verify)
                except ArchiveError:
                    yield at, None
                raw.seek(at)
                raw.write(data[at : at + 1])

    return changes


@pytest.mark.parametrize("pattern", [None, 0xFF])
def test_any_byte_changed(damaged, pattern):
    for at, table in damaged("full", pattern):
        assert table is None, at


@pytest.mark.parametrize("pattern", [None, 0x80])
def test_any_byte_changed_and_verified_lazily(damaged, pattern):
    """Every look-up has the true answer or raises; also that a text is not there."""
    opened = 0
    for at, table in damaged("lazy", pattern):
        if table is None:
            continue
        opened += 1
        for (text, player), truth in TRUTH.items():
            with suppress(ArchiveError):
                assert table.action_probabilities(text, player) == truth, at
        for text, player in (("d", None), ("b", 1), ("ä both", 2), ("e", 0)):
            with suppress(ArchiveError):
                assert table.find(text, player) is None, at
        with pytest.raises((ArchiveError, PolicyError), match=r"players 0, 1|check sum"):
            table.find("ä both")
        with pytest.raises(ArchiveError):
            table.verify()
    assert opened > 300


def test_bytes_changed_in_a_larger_table_verified_lazily(tmp_path):
    """Bisections of several steps over many blocks."""
    rows = {f"{i}": {i: 0.5, i + 1: 0.5} for i in range(3000)}
    path = blocks(PolicyTable.from_mapping(rows, player=0), tmp_path / "t")
    clean = path.read_bytes()
    clean_table = policy.load(path)
    start = clean.index(clean_table.keys.tobytes())
    rng = random.Random(1)
    refused = 0
    for _ in range(150):
        data = bytearray(clean)
        at = start + rng.randrange(3000 * 8)
        data[at] ^= rng.randrange(1, 256)
        path = tmp_path / f"t{at}"
        path.write_bytes(data)
        table = policy.load(path, verify="lazy")
        beside = [clean_table.row(row).text for row in range((at - start) // 8, (at - start) // 8 + 2) if row < 3000]
        for text in [*beside, *(str(rng.randrange(6000)) for _ in range(40))]:
            try:
                if text in rows:
                    assert table.action_probabilities(text) == rows[text]
                else:
                    assert text not in table
            except ArchiveError:
                refused += 1
        path.unlink()
    assert refused > 150  # the row itself at least


def test_files_of_no_policy(tmp_path):
    path = tmp_path / "t"
    good = example()._columns

    def refused(columns, words, meta=None):
        archive.write(path, policy.KIND, columns, meta or {})
        for verify in ("full", "lazy"):
            with pytest.raises(ArchiveError, match=words):
                policy.load(path, verify=verify).verify()

    refused({name: column for name, column in good.items() if name != "keys"}, "missing: keys")
    refused({name: column for name, column in good.items() if name != "text_bytes"}, "text_bytes")
    refused(good | {"more": good["keys"]}, "more")
    refused(good | {"keys": good["keys"].astype("i8")}, "column keys is <i8")
    refused(good | {"players": good["players"][1:]}, "column players")
    refused(good | {"actions": good["actions"].reshape(3, 4)}, "column actions")
    refused(good | {"text_offsets": good["text_offsets"] + 1}, "text_offsets")
    refused(good | {"offsets": good["offsets"][[0, 2, 1, 3, 4, 5, 6]]}, "no actions")
    refused(good | {"keys": good["keys"][::-1]}, "not in order")
    refused(good | {name: good[name][[0, 0, 2, 3, 4, 5]] for name in ("keys", "checks", "players")}, "not in order")
    refused(good | {"probabilities": good["probabilities"] / 2}, "sum")
    archive.write(path, "checkpoint", good, {})
    with pytest.raises(ArchiveError, match=r"'checkpoint'.*'policy'"):
        policy.load(path)
    with pytest.raises(FileNotFoundError):
        policy.load(tmp_path / "none")


def test_crafted_offsets_lead_nowhere(tmp_path):
    """Check sums that fit say nothing about who wrote the file."""
    good = example()._columns
    offsets = good["offsets"].copy()
    offsets[1:-1] = [1 << 62, -5, 3, 1 << 40, 12]
    texts = good["text_offsets"].copy()
    texts[1:-1] = [1 << 62, -5, 3, 1 << 40, 2]
    archive.write(tmp_path / "t", policy.KIND, good | {"offsets": offsets, "text_offsets": texts}, {})
    table = policy.load(tmp_path / "t", verify="lazy")
    for text, player in TRUTH:
        with pytest.raises(ArchiveError, match="has the entries"):
            table.action_probabilities(text, player)
    archive.write(tmp_path / "t", policy.KIND, good | {"text_offsets": texts}, {})
    table = policy.load(tmp_path / "t", verify="lazy")
    with pytest.raises(PolicyError, match="text bytes"):
        list(table)


def test_json(table, tmp_path):
    text = table.to_json()
    assert PolicyTable.from_json(text) == table
    table.to_json(tmp_path / "t.json")
    assert (tmp_path / "t.json").read_text() == text
    assert PolicyTable.from_json(tmp_path / "t.json") == table
    assert PolicyTable.from_json(str(tmp_path / "t.json")) == table
    document = json.loads(text)
    assert document["meta"] == table.meta
    random.Random(1).shuffle(document["rows"])
    assert PolicyTable.from_json(json.dumps(document)) == table


JSON_CHANGES = [
    (lambda d: d.update(format="x"), ArchiveError, "not of a policy"),
    (lambda d: d.update(version=2), ArchiveError, "version 2.*reads 1"),
    (lambda d: d.update(version=True), ArchiveError, "version True"),
    (lambda d: d.pop("meta"), ArchiveError, "meta and rows"),
    (lambda d: d.update(rows={}), ArchiveError, "meta and rows"),
    (lambda d: d["rows"].insert(0, 5), ArchiveError, "row 0"),
    (lambda d: d["rows"].insert(1, 5), ArchiveError, "row 1"),
    (lambda d: d.pop("entries"), ArchiveError, "entries must list"),
    (lambda d: d["entries"].append(5), ArchiveError, "entries must list"),
    (lambda d: d["entries"].append("more"), ArchiveError, "more"),
    (lambda d: d["entries"].append("hash"), ArchiveError, "text or hash"),
    (lambda d: d["entries"].remove("player"), ArchiveError, "player"),
    (lambda d: d["rows"][0].pop("text"), ArchiveError, "row 0.*other entries"),
    (lambda d: d["rows"][0].update(more=1), ArchiveError, "row 0.*other entries"),
    (lambda d: d["rows"][2].pop("visits"), ArchiveError, "row 2.*other entries"),
    (lambda d: d["rows"][2].update(text=5), ArchiveError, "row 2"),
    (lambda d: d["rows"][2].update(text="\ud800"), ArchiveError, "row 2.*surrogate"),
    (lambda d: d["rows"][2].update(player=300), ArchiveError, "row 2"),
    (lambda d: d["rows"][2].update(player=True), ArchiveError, "row 2.*whole number"),
    (lambda d: d["rows"][2].update(player=-1), PolicyError, "row 2.*no player"),
    (lambda d: d["rows"][2].update(actions=[0.5]), ArchiveError, "row 2.*whole number"),
    (lambda d: d["rows"][2].update(actions=[1 << 40]), ArchiveError, "row 2"),
    (lambda d: d["rows"][2].update(actions=5), ArchiveError, "row 2"),
    (lambda d: d["rows"][2].update(actions=list(range(9))), ArchiveError, "row 2.*not as many probabilities"),
    (lambda d: d["rows"][2].update(actions=[], probabilities=[], values=[]), PolicyError, "row 2.*no actions"),
    (lambda d: d["rows"][2].update(values=[]), ArchiveError, "row 2.*not as many values"),
    (lambda d: d["rows"][2]["probabilities"].__setitem__(0, None), ArchiveError, "row 2.*no number"),
    (lambda d: d["rows"][2]["probabilities"].__setitem__(0, 1 << 5000), ArchiveError, "row 2"),
    (lambda d: d["rows"][2]["probabilities"].__setitem__(0, 0.123), PolicyError, "row 2.*sum"),
    (lambda d: d["rows"][2].update(visits=-1), PolicyError, "row 2.*visits"),
    (lambda d: d["rows"].append(d["rows"][0]), PolicyError, "again"),
    (lambda d: d["meta"].update(deep=json.loads("[" * 200 + "]" * 200)), ArchiveError, "nested"),
]


@pytest.mark.parametrize(("change", "error", "words"), JSON_CHANGES)
def test_json_of_no_policy(change, error, words):
    document = json.loads(example().to_json())
    change(document)
    with pytest.raises(error, match=words):
        PolicyTable.from_json(json.dumps(document))


def test_json_hashes_of_no_policy():
    for wrong in ("", "zz" * 16, "00" * 15, 5, None):
        document = json.loads(example(keep_text=False).to_json())
        document["rows"][1]["hash"] = wrong
        with pytest.raises(ArchiveError, match="row 1"):
            PolicyTable.from_json(json.dumps(document))


def test_no_json(tmp_path):
    for text in ("{", "{" * 10_000, '{"a": NaN}', "{" + '"a":' * 3, '{"a": ' + "[" * 100_000):
        with pytest.raises(ArchiveError, match="no JSON"):
            PolicyTable.from_json(text)
    for data in (b"", b"\xff{}", b"[]", b"5", b"null"):
        (tmp_path / "t").write_bytes(data)
        with pytest.raises(ArchiveError):
            PolicyTable.from_json(tmp_path / "t")
    with pytest.raises(FileNotFoundError):
        PolicyTable.from_json(tmp_path / "none")


def test_parquet(table, tmp_path):
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    table.to_parquet(path)
    assert PolicyTable.from_parquet(path) == table
    columns = pq.read_table(path)
    assert columns.schema.names == ["text", "key", "check", "player", "actions", "probabilities", "values", "visits"]
    assert {text.as_py() for text in columns["text"]} == {text for text, _ in TRUTH}
    pq.write_table(columns.take([5, 3, 1, 0, 2, 4]), path, row_group_size=2)
    assert PolicyTable.from_parquet(path) == table


def test_parquet_without_text_or_rows(tmp_path):
    pytest.importorskip("pyarrow")
    for table in (example(keep_text=False, values=None), PolicyTable.from_mapping({})):
        table.to_parquet(tmp_path / "t")
        assert PolicyTable.from_parquet(tmp_path / "t") == table


def test_a_compact_file_may_have_less_than_a_byte_a_row(tmp_path):
    """Texts that follow each other and play that is alike pack well; the file is no lie."""
    pytest.importorskip("pyarrow")
    path, count = tmp_path / "t.parquet", 40_000
    texts = [f"{number:06}" for number in range(count)]
    table = PolicyTable.build(texts, [0] * count, np.arange(count + 1) * 2, [0, 1] * count, [0.0, 1.0] * count)
    table.to_parquet(path, compact=True)
    assert path.stat().st_size < count
    assert PolicyTable.from_parquet(path) == table


def test_compact_parquet(table, tmp_path):
    """Texts in their order stand for the keys."""
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    table.to_parquet(path, compact=True)
    assert PolicyTable.from_parquet(path) == table
    columns = pq.read_table(path)
    assert columns.schema.names == ["text", "player", "actions", "probabilities", "values", "visits"]
    texts = columns["text"].to_pylist()
    assert texts == sorted(texts)
    pq.write_table(columns.drop_columns(["text"]), path)
    with pytest.raises(ArchiveError, match="no column key"):
        PolicyTable.from_parquet(path)
    with pytest.raises(PolicyError, match="has texts in place of keys"):
        example(keep_text=False).to_parquet(path, compact=True)


def test_parquet_of_no_policy(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    path = tmp_path / "t"
    example().to_parquet(path)
    data, table = path.read_bytes(), pq.read_table(path)

    def refused(changed, error, words):
        pq.write_table(changed, path)
        with pytest.raises(error, match=words):
            PolicyTable.from_parquet(path)

    def replaced(name, column):
        return table.set_column(table.schema.names.index(name), name, column)

    refused(table.replace_schema_metadata({}), ArchiveError, "not of a policy")
    refused(table.replace_schema_metadata({"cardsolver policy": "{"}), ArchiveError, "damaged")
    head = json.dumps({"format": "cardsolver policy", "version": 9, "meta": {}})
    refused(table.replace_schema_metadata({"cardsolver policy": head}), ArchiveError, "version 9")
    refused(table.drop(["actions"]), ArchiveError, "no column actions")
    refused(table.drop(["key"]), ArchiveError, "no column key")
    refused(table.append_column("more", table["key"]), ArchiveError, "more")
    refused(replaced("player", pa.array([0, 1, None, 0, 0, 0], pa.int8())), ArchiveError, "player has nothing")
    refused(replaced("player", pa.array([300] * 6)), ArchiveError, "column player")
    refused(replaced("actions", pa.array([[None]] * 6, pa.list_(pa.int32()))), ArchiveError, "actions has nothing")
    refused(replaced("actions", pa.array([[0]] * 6, pa.list_(pa.int32()))), ArchiveError, "different lengths")
    refused(replaced("text", pa.array(list("uvwxyz"))), ArchiveError, "keys are not those")
    refused(pa.concat_tables([table, table]), PolicyError, "again")
    for changed in (b"", data[: len(data) // 2], b"PAR1" * 10):
        path.write_bytes(changed)
        with pytest.raises(ArchiveError):
            PolicyTable.from_parquet(path)
    with pytest.raises(FileNotFoundError):
        PolicyTable.from_parquet(tmp_path / "none")


def test_missing_extras_are_named(monkeypatch, tmp_path):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(importlib, "import_module", missing)
    table = example()
    for call, extra in (
        (lambda: table.to_parquet(tmp_path / "t"), "parquet"),
        (lambda: PolicyTable.from_parquet(tmp_path / "t"), "parquet"),
        (table.to_pyspiel, "openspiel"),
        (lambda: PolicyTable.from_pyspiel({}, "kuhn_poker"), "openspiel"),
    ):
        with pytest.raises(MissingExtraError, match=rf"cardsolver\[{extra}\]") as raised:
            call()
        assert isinstance(raised.value, ImportError)


def test_openspiel_and_back():
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("leduc_poker")
    table = policy.uniform(game)
    assert len(table) == 936
    theirs = table.to_pyspiel()
    state = game.new_initial_state().child(0).child(1)
    assert theirs.action_probabilities(state) == table.action_probabilities(state)
    again = PolicyTable.from_pyspiel(theirs, "leduc_poker")
    assert again.compare(table).common == 936
    assert again.compare(table).max == 0
    assert again.meta["game"] == table.meta["game"] == str(game)


def test_openspiel_in_python():
    pyspiel = pytest.importorskip("pyspiel")
    theirs = pytest.importorskip("open_spiel.python.policy")
    game = pyspiel.load_game("kuhn_poker")
    tabular = theirs.TabularPolicy(game)
    tabular.action_probability_array[tabular.state_lookup["2b"]] = [0.125, 0.875]
    table = PolicyTable.from_pyspiel(tabular, game)
    assert len(table) == 12
    assert table.action_probabilities("2b") == {0: 0.125, 1: 0.875}


def test_openspiel_policies_that_do_not_fit():
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    for rows, words in (({"9": [(0, 1.0)]}, "'9' is no"), ({"0": [(5, 1.0)]}, "5"), ({"0": [(0, 0.5)]}, "sum")):
        with pytest.raises(PolicyError, match=words):
            PolicyTable.from_pyspiel(pyspiel.TabularPolicy(rows), game)
    with pytest.raises(ArgumentError, match="TabularPolicy"):
        PolicyTable.from_pyspiel({}, game)
    with pytest.raises(PolicyError, match="several players"):
        example().to_pyspiel()
    with pytest.raises(PolicyError, match="keep_text"):
        example(keep_text=False).to_pyspiel()
