"""The vectors for networks: of what a seat knows, all of it and nothing else."""

import numpy as np
import pytest

from solver import Rng, bakerstreet, cfr, games, scout
from solver.adapters import features
from solver.errors import ArgumentError

CARD_GAMES = [
    "scout(players=2,ranks=5,rounds=2)",
    "scout(players=2,rounds=match)",
    "scout(players=3,ranks=6)",
    "scout(players=4)",
    "scout(players=4,ranks=6,insertions_public=true)",
    "scout(players=5,ranks=6,rounds=2,payoff=margin)",
    "bakerstreet",
    "bakerstreet(symbols=0stop+1stop+2x2+3arrow,max_rounds=6)",
]
SMALL_GAMES = [
    "kuhn",
    "kuhn(players=3)",
    "leduc",
    "duel(low=5,high=9)",
    "duel(bids=0+4+12)",
    "bidding_round(horizon=1)",
]


def played(text, seed):
    """Some states on the way of a random game and its last one, each with a seat that looks at it."""
    rng = Rng(seed)
    state = games.load(text).deal(seed=rng)
    while not state.is_terminal():
        if rng.random() < 0.4:
            yield state, rng.below(state.game.num_players())
        if rng.random() < 0.3:
            state.apply_action(state.policy_action(rng))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    yield state, 0


def leaks(encode, text, seeds):
    """Seats that see more in a vector than their position tells: two true states with one position, two vectors."""
    found = 0
    for seed in seeds:
        for state, player in played(text, seed):
            if not state.is_terminal():
                other = state.position(player).sample(Rng(seed))
                assert other.position(player) == state.position(player)
                found += not np.array_equal(encode(state, player), encode(other, player))
    return found


@pytest.mark.parametrize("text", CARD_GAMES)
def test_nothing_hidden_is_told(text):
    assert leaks(features.of(games.load(text)).encode, text, range(12)) == 0


@pytest.mark.parametrize(
    ("text", "name", "hidden"),
    [
        ("scout(players=4)", "unseen", lambda state, seat: state.hand(seat)[:1]),
        ("scout(players=2,rounds=match)", "unseen", lambda state, seat: state.hand(seat)[-1:]),
        ("bakerstreet", "hand", lambda state, seat: state.hand(seat)[:1]),
        ("bakerstreet", "evidence", lambda state, seat: state.evidence(seat)),
        ("bakerstreet", "look", lambda state, seat: state.pile(0)),
    ],
)
def test_a_planted_leak_is_caught(text, name, hidden):
    encoder = features.of(games.load(text))

    def encode(state, player):
        vector = encoder.encode(state, player)
        encoder.views(vector)[name].flat[0] = hash(tuple(hidden(state, (player + 1) % encoder.players))) % 97
        return vector

    assert leaks(encode, text, range(12)) > 0


@pytest.mark.parametrize("text", [*CARD_GAMES, *SMALL_GAMES])
def test_names_shapes_and_ranges(text):
    game = games.load(text)
    encoder = features.of(game)
    names = encoder.names()
    assert len(names) == len(set(names)) == encoder.size == sum(section.size for section in encoder.sections)
    vector = np.arange(encoder.size, dtype=np.float32)
    at = 0
    for section, view in zip(encoder.sections, encoder.views(vector).values(), strict=True):
        assert view.shape == section.shape
        assert view.flat[0] == at
        assert names[at].startswith(section.name + "/")
        at += section.size
    if text in CARD_GAMES:
        for seed in range(4):
            for state, player in played(text, seed):
                vector = encoder.encode(state, player)
                assert vector.dtype == np.float32
                assert (vector >= encoder.low).all()
                assert (vector <= 1).all()
                assert vector.any()


def test_what_a_position_of_scout_becomes():
    position = scout.parse(
        "scout(players=3,rounds=match) | seat 1 | hand 3/7 4/1 5/6 | table 2/8 3/1 by 0 | cards 11 3 17 | score 2 0 1 "
        "| chips 0 5 3 | used 2 | known 2: 4/9 | turn 8 | starter 2 | round 2 | totals 4 -30 0"
    )
    state = position.sample(1)
    encoder = features.of(position.game)
    views = encoder.views(encoder.encode(state, 1))
    ones = {name: [int(i) for i in np.flatnonzero(view)] for name, view in views.items()}
    assert views["phase"].tolist() == [0, 1, 0, 0, 0]
    assert (ones["mover"], ones["owner"], ones["starter"]) == ([0], [2], [1])
    assert [np.argmax(row, axis=1).tolist() for row in views["hand"][:3]] == [[2, 6], [3, 0], [4, 5]]
    assert views["hand"].sum() == 6
    assert [np.argmax(row, axis=1).tolist() for row in views["table"][:2]] == [[1, 7], [2, 0]]
    assert views["table"].sum() == 4
    np.testing.assert_allclose(views["cards"], np.array([3, 17, 11]) / 36)
    np.testing.assert_allclose(views["chips"], np.array([5, 3, 0]) / 36)
    np.testing.assert_allclose(views["score"], np.array([0, 1, 2]) / 36)
    assert views["ready"].tolist() == [1, 0, 1]
    np.testing.assert_allclose(views["turns"], [8 / 500])
    np.testing.assert_allclose(views["round"], [1 / 3])
    np.testing.assert_allclose(views["totals"], np.array([-30, 0, 4]) / 108, rtol=1e-6)
    assert views["unseen"].sum() == len(state.position(1).unseen())
    assert [encoder.names()[i] for i in np.flatnonzero(encoder.encode(state, 1)) if "known/" in encoder.names()[i]] == [
        "known/seat 1/4/9"
    ]


def test_public_insertions_tell_place_and_side():
    position = scout.parse(
        "scout(players=3,insertions_public=true) | hand 3/7 4/1 | cards 2 12 13 | score 9 0 0 | chips 1 0 0 "
        "| known 2: 9/4@3"
    )
    encoder = features.of(position.game)
    views = encoder.views(encoder.encode(position.sample(1), 0))
    ((seat, card),) = np.argwhere(views["known"])
    assert (seat, position.game.deck()[card]) == (2, (4, 9))
    assert views["known_larger"][2, card] == 1
    np.testing.assert_allclose(views["known_place"][2, card], 4 / 36)


def test_what_a_position_of_baker_street_becomes():
    position = bakerstreet.parse(
        "bakerstreet | seat 1 | starter 1 | hand 4 5 0s | open 5 | rival 3 2a | discards0 3 3 | discards1 1 "
        "| stack2 0:3 1:2x 0:0s 1:5 0:1s 0:2s 0:4 | bids 12 14 | rounds 2 | log 0@2:? 1@4:C | look4 ABDFHMQ"
    )
    encoder = features.of(position.game)
    vector = encoder.encode(position.sample(1), 1)
    ones = {name: value for name, value in zip(encoder.names(), vector.tolist(), strict=True) if value}
    third, fifth = pytest.approx(1 / 3), pytest.approx(1 / 5)
    assert ones.pop("rounds/rounds") == pytest.approx(2 / 200)
    assert {name: ones.pop(name) for name in list(ones) if name.startswith("rival_unseen")} == {
        f"rival_unseen/value {value}": pytest.approx(count / 5)
        for value, count in enumerate(position.unseen())
        if count
    }
    assert ones == {
        "phase/turn": 1,
        "mover/own": 1,
        "starter/own": 1,
        "hand/4": third,
        "hand/5": third,
        "hand/0 stop": third,
        "shown/5": third,
        "rival_cards/cards": 1,
        "rival_known/2 arrow": third,
        "bids/bid 12": 1,
        "bids/bid 14": 1,
        "stacks/pile 2/top layer/rival's/3": fifth,
        "stacks/pile 2/top layer/own/2 x2": fifth,
        "stacks/pile 2/top layer/rival's/0 stop": fifth,
        "stacks/pile 2/second layer/own/5": fifth,
        "stacks/pile 2/second layer/rival's/1 stop": fifth,
        "stacks/pile 2/layers beneath/rival's/2 stop": fifth,
        "stacks/pile 2/layers beneath/rival's/4": fifth,
        "totals/pile 2/own": pytest.approx(4 / 30),
        "totals/pile 2/rival's": pytest.approx(3 / 30),
        "discards/rival's/3": pytest.approx(2 / 5),
        "discards/own/1": fifth,
        "evidence/C": 1,
        "rival_letters/letters": pytest.approx(1 / 20),
        "looked/own/pile 4": 1,
        "looked/rival's/pile 2": 1,
        "taken/rival's/pile 2": pytest.approx(1 / 8),
        "taken/own/pile 4": pytest.approx(1 / 8),
        **{f"look/pile 4/{letter}": 0.5 for letter in "ABDFHMQ"},
    }


@pytest.mark.parametrize(
    ("log", "left", "took"),
    [
        ("1@4:C 0@4:A 1@4:D", "BFHMQ", {"A": 1}),
        ("1@4:C 0@4:AB 0@4:AB 1@4:D", "FHMQ", {"A": 1, "B": 1}),  # two letters are gone, and it took both
        ("0@4:- 1@4:C 0@4:A 1@4:D 0@4:?", "BFHQ", {"A": 1}),
    ],
)
def test_what_the_rival_took(log, left, took):
    position = bakerstreet.parse(f"bakerstreet | seat 1 | hand 4 5 0s | rounds 5 | log {log} | look4 {left}")
    encoder = features.of(position.game)
    views = encoder.views(encoder.encode(position.sample(1), 1))
    assert {"ABCDEFGHIJKLMNOPQRST"[i]: view for i, view in enumerate(views["rival_took"]) if view} == took
    assert views["rival_letters"][0] == pytest.approx(log.count("0@4") / 20)
    # the own C was gone when the rival looked; then the D, if it has not looked since
    assert views["taken"][0, 4] == pytest.approx(0 if log.endswith("?") else 1 / 8)
    assert views["taken"][1, 4] == pytest.approx(1 / 8 if log.endswith("?") else 0)


@pytest.mark.parametrize("text", [*SMALL_GAMES, "leduc(players=3)"])
def test_perfect_recall(text):
    """In the small games two information states never have the same vector."""
    game = games.load(text)
    encoder = features.of(game)
    assert encoder.perfect_recall
    seen, pending = {}, [game.new_initial_state()]
    while pending:
        state = pending.pop()
        for player in range(game.num_players()):
            key = player, encoder.encode(state, player).tobytes()
            assert seen.setdefault(key, state.information_state_string(player)) == state.information_state_string(
                player
            )
        pending.extend(map(state.child, state.legal_actions()))
        if len(seen) > 20_000:
            break
    assert len(seen) > 20


def test_the_number_of_information_states():
    game = games.load("leduc")
    encoder = features.of(game)
    tree = cfr.compile(game)
    assert tree.num_infosets == 936
    assert encoder.size == 2 + 6 + 6 + 2 * 4 * 3


@pytest.mark.parametrize("player", [-1, 4, 0.5, None, "0"])
def test_no_such_seat(player):
    game = games.load("scout(players=4)")
    for state in (game.deal(seed=1), game.new_initial_state()):
        with pytest.raises(ArgumentError, match=r"a seat lies in 0\.\.3"):
            features.of(game).encode(state, player)


def test_no_such_game():
    with pytest.raises(ArgumentError, match="none of the games that have an encoding"):
        features.of("scout")


@pytest.mark.parametrize("text", CARD_GAMES)
def test_a_position_tells_what_all_see(text):
    """What positions can be asked for the vectors is what their state says, and the same after text and back."""
    both = ["phase", "starter"]
    same = ["round", "turns"] if text.startswith("scout") else ["rounds"]
    by_call = {"scout": ["totals", "scout_and_show_left", "counts", "chips"], "bakerstreet": ["bids", "doubt_winner"]}
    asked = 0
    for seed in range(8):
        for state, player in played(text, seed):
            if state.is_terminal():
                continue
            position = state.position(player)
            if state.phase == "must_show" and player != state.current_player():
                continue  # nobody else sees the Scout half before the Show
            again = games.parse(str(position))
            for name in [*both, *same]:
                assert getattr(position, name) == getattr(state, name) == getattr(again, name)
            for name in by_call[text.partition("(")[0]]:
                expected = getattr(state, name)()
                if name == "doubt_winner" and state.phase not in ("choose_pile", "take"):
                    expected = None
                given = getattr(position, name)
                assert (list(given) if isinstance(given, tuple) else given) == expected
                assert getattr(again, name) == given
            if text.startswith("bakerstreet"):
                rival = 1 - player
                assert position.rival_cards == len(state.hand(rival))
                assert set(position.known_to_rival) <= set(position.hand)
                assert set(position.rival_known) <= set(state.hand(rival))
                for seat in range(2):
                    assert sorted(position.discards(seat), key=str) == sorted(state.discards(seat), key=str)
                assert "".join(sorted(x for seat, _, x in position.log if seat == player)) == state.evidence(player)
                assert (position.pile is not None) == (state.phase == "take")
                assert again.log == position.log
                assert (again.pile, again.arrow) == (position.pile, position.arrow)
            asked += 1
    assert asked > 10


def test_no_such_discard_pile():
    position = bakerstreet.Game().deal(seed=1).position(0)
    for seat in (2, -1, "0", None, 0.5):
        with pytest.raises(ArgumentError, match="a seat is 0 or 1"):
            position.discards(seat)
