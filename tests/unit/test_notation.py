"""Text of positions, actions and games: read back exactly, and refused with a column and a reason."""

import pickle
import random

import numpy as np
import pytest

from solver import games, scout
from solver._core import Rng
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games import notation

H = "hand 4/1 4/3 4/8"
REST = "cards 3 11 12 | score 0 4 5"
FULL = f"scout(players=3) | {H} | table 2/8 by 2 | {REST}"

BAD = [
    ("", "a game is needed first"),
    ("(players=3)", "a game is needed first"),
    ("go | hand 1/2", "column 1: there is no game 'go'"),
    ("scout(players=3", "column 16: after an option"),
    ("scout(players=)", "column 7: an option is needed here"),
    ("scout(players=3,players=4) | hand 1/2", "option players stands here a second time"),
    ("scout(seats=3) | hand 1/2", "scout has no option 'seats'; it has players"),
    ("scout(players=three) | hand 1/2", "players must be a whole number in 2..5"),
    ("scout(players=6) | hand 1/2", "players must lie in 2..5, not 6"),
    ("scout(players=3)", "the section hand is missing"),
    ("scout(players=3) hand 1/2", "| is needed"),
    ("scout(players=3) | ", "an empty section"),
    (f"scout(players=3) | {H} | | turn 1", "an empty section"),
    (f"scout(players=3) | {H} | hats 3", "hats: unknown section"),
    (f"scout(players=3) | {H} | {H}", "this section stands here a second time"),
    ("scout(players=3) | hand 4/1 4/1", "column 29: 4/1: this card is here (hand) and also in: hand"),
    ("scout(players=3) | hand 4/1 1/4", "1/4: this card is here (hand) and also in: hand"),
    (f"scout(players=3) | {H} | table 1/4 by 2", "1/4: this card is here (table) and also in: hand"),
    ("scout(players=3) | hand 4/10", "4/10: no such card in the deck of scout(players=3)"),
    ("scout(players=4) | hand 9/10", "9/10: no such card"),
    ("scout(players=5) | hand 4/4", "4/4: no such card"),
    ("scout(players=5) | hand 0/4", "0/4: no such card"),
    ("scout(players=5) | hand 4-4", "4-4: no card: a card is written top/bottom"),
    ("scout(players=5) | hand 4/3@1", "4/3@1: no card"),
    ("scout(players=5) | hand ４/3", "no card"),
    (FULL.replace("2/8 by 2", "2/8 6/9 by 2"), "2-6 is no set"),
    (FULL.replace("2/8 by 2", "2/8 3/9 2/5 by 2"), "2-3-2 is no set"),
    (FULL.replace("2/8 by 2", "2/8"), "the cards and their owner are needed"),
    (FULL.replace("by 2", "by 3"), "3: the owner's seat must lie in 0..2"),
    (FULL.replace("by 2", "by 0"), "the owner of the Active Set cannot be the seat to move"),
    (FULL.replace("score 0 4 5", "score 0 4 6"), "make 37; 36 are in play"),
    (FULL.replace("cards 3 11 12", "cards 3 11"), "3 numbers are needed (cards in hand, one a seat), not 2"),
    (FULL.replace("cards 3 11 12", "cards 3 11 12 1"), "3 numbers are needed"),
    (FULL.replace("cards 3 11 12", "cards 4 11 11"), "seat 0 holds 3 cards under hand, but 4 under cards"),
    (FULL.replace("cards 3 11 12", "cards 3 -1 24"), "-1: cards in hand, one a seat must lie in 1..36"),
    (FULL.replace("cards 3 11 12", "cards 3 x 12"), "x: cards in hand, one a seat must be a whole number"),
    (FULL + " | seat 3", "3: the seat whose position this is must lie in 0..2"),
    (FULL + " | to-move 7", "7: the seat to move must lie in 0..2"),
    (FULL + " | chips 1 2", "3 numbers are needed (Scout chips taken"),
    (FULL + " | used 4", "4: a seat must lie in 0..2"),
    (FULL + " | known 1: 4/8", "4/8: this card is here (known 1) and also in: hand"),
    (FULL + " | known 1 5/8", "a seat and a colon are needed first"),
    (FULL + " | known 5: 5/8", "the seat must lie in 0..2"),
    (FULL + " | chips 0 0 3 | known 1: 5/8 | known 1: 5/9", "the known cards of seat 1 stand here a second time"),
    (FULL + " | known 0: 5/8", "5/8: not in the own hand"),
    (FULL + " | chips 0 3 0 | known 0: 4/8 8/4", "8/4: this card stands here a second time"),
    (FULL + " | known 1: 5/8@3", "insertions_public=true"),
    (FULL.replace("=3)", "=3,insertions_public=true)") + " | known 1: 5/8@11", "places 0..10"),
    (FULL.replace("=3)", "=3,insertions_public=true)") + " | known 1: 5/8@1 5/9@1", "two cards at place 1"),
    (FULL + " | gone 1/2 1/3 1/5 1/6 1/7 1/8 1/9 2/3 2/5 2/6", "10 cards are gone, but there are 9 score cards"),
    (FULL + " | out 1/2", "only the second round of two players"),
    (FULL + " | turn 500", "500: the number of finished turns must lie in 0..499"),
    (FULL + " | round 2", "2: the round of 1 (option rounds) must lie in 1..1"),
    (FULL + " | totals 1 2 3", "in the first round no finished round has scored"),
    (FULL + " | choose", "while the seats choose, the table is empty"),
    (f"scout(players=3) | choose | {H} | cards 3 18 15", "each holds the 12 cards it was dealt"),
    (f"scout(players=3) | choose | {H} | cards 3 18 15 | chips 9 9 9", "nobody has played yet"),
    (
        "scout(players=2) | hand 4/1 4/3 | cards 2 20",
        "seat 1 holds 20 cards, but was dealt 11 and has scouted at most 0",
    ),
    (f"scout(players=3) | {H} | cards 3 19 14 | chips 0 4 0", "seat 1 holds 19 cards, but was dealt 12"),
    (FULL + " | chips 200 200 200", "the chips tell of 600 Scouts, in 500 turns"),
    (FULL + " | chips 2 2 2 | turn 5", "the chips tell of 6 Scouts, in 5 turns"),
    (FULL.replace("by 2", "by 1") + " | chips 1 0 0", "since seat 1 showed, 1 seats have scouted"),
    (FULL + " | used 0 | chips 0 1 0 | must-show left 0 by 2", "the owner has a chip for the Scout"),
    (
        "scout(players=3) | must-show left 0 by 2 | used 0 | chips 0 0 1 | hand 8/1 | table 7/9 by 2 | cards 1 12 12 "
        "| score 0 4 6",
        "the hand was empty before this Scout",
    ),
    (FULL + " | used 1", "seat 1 has spent its Scout & Show chip, but has never scouted"),
    (FULL + " | known 1: 5/8", "seat 1 holds 11 and has scouted at most 0 times"),
    (f"scout(players=3) | choose | {H} | {REST.replace('0 4 5', '1 4 5')}", "nobody has played yet"),
    (FULL + " | choose | must-show", "either at choose or at must-show"),
    (FULL + " | must-show", "the section used 0 is missing"),
    (FULL + " | choose 1", "choose takes no argument"),
    (FULL + " | chips 0 0 1 | used 0 | must-show", "the end scouted, the place and side"),
    (FULL + " | chips 0 0 1 | used 0 | must-show up 1 by 2", "the end scouted, the place and side"),
    (FULL + " | chips 0 0 1 | used 0 | must-show left 3 by 2", "3: the place must lie in 0..2"),
    (FULL + " | chips 0 0 1 | used 0 | must-show left 1 by 1", "the owner of the table"),
    (FULL + " | chips 0 0 1 | used 0 | must-show left 1 by 2", "with this card the table was 4-2, which is no set"),
    (
        f"scout(players=3) | {H} | cards 3 11 12 | score 1 4 5 | chips 0 0 1 | used 0 | must-show right 1 by 2",
        "its left one",
    ),
    (
        FULL.replace("table 2/8", "table 9/8") + " | chips 0 0 1 | seat 0 | to-move 1 | must-show",
        "only its player is at must-show",
    ),
    (
        "scout(players=3) | must-show left 0 by 2 | used 0 | chips 0 0 1 | hand 8/1 3/6 | table 9/7 by 2 | "
        "cards 2 12 12 | score 0 4 5",
        "no set of the hand beats the table",
    ),
    ("scout(players=2) | must-show | hand 1/2 3/4", "make 13; 22 are in play"),
    ("scout(players=2,hand_size=2) | must-show | hand 1/2 3/4", "there is no Scout & Show"),
    ("scout(players=2,hand_size=2) | used 0 | hand 1/2 3/4", "there is no Scout & Show"),
    ("scout(players=2,hand_size=2) | chips 4 3 | hand 1/2 3/4", "4: Scout chips left, one a seat must lie in 0..3"),
    ("scout(players=2,hand_size=2) | chips 0 3 | hand 1/2 3/4 | table 9/8 by 1 | cards 2 1", "the round is over"),
    ("scout(players=2,ranks=4,hand_size=1,rounds=2) | round 2 | hand 1/2 | out 1/3 1/4 2/3", "had only 2 cards"),
    ("scout(players=2,ranks=3,hand_size=1) | hand 1/2 | known 1: 1/3 2/3", "2 cards are named, but seat 1 holds 1"),
    ("scout | hand 1/2 | " + "x" * 5000, "at most 4000 characters"),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=range(len(BAD)))
def test_bad_lines_say_what_and_where(line, message):
    with pytest.raises(PositionError) as error:
        games.parse(line)
    assert message in str(error.value)
    if error.value.column is not None:
        assert 1 <= error.value.column <= len(line) + 1
        token = str(error.value).split(": ")[1]
        if token in line:
            assert line[error.value.column - 1 :].startswith(token)


def test_errors_survive_pickling():
    error = PositionError("what", 3)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.column) == ("column 3: what", 3)


def corpus():
    """Lines of positions from random games of every kind."""
    rng = Rng(5)
    options = [
        *({"players": n} for n in (2, 3, 4, 5)),
        {"players": 2, "rounds": "match"},
        {"players": 4, "insertions_public": True},
        {"players": 3, "ranks": 7, "hand_size": 5, "rounds": 2, "payoff": "margin"},
    ]
    lines = []
    for choice in options:
        game = scout.Game(**choice)
        for _ in range(3):
            state = game.deal(seed=rng)
            while not state.is_terminal():
                lines.append(str(state.position(rng.below(game.num_players()))))
                state.apply_action(rng.choice(state.legal_actions()))
    return lines


LINES = corpus()


def test_lines_are_read_back_exactly():
    for line in LINES:
        position = scout.parse(line)
        assert str(position) == line
        assert hash(position) == hash(scout.parse(line))
    assert len(LINES) > 500


def test_capitals_do_not_matter():
    assert scout.parse(FULL.replace("hand", "Hand").replace("scout", "Scout")) == scout.parse(FULL)


def test_order_blanks_and_commas_do_not_matter():
    rng = random.Random(1)
    for line in LINES[::7]:
        head, *sections = line.split(" | ")
        rng.shuffle(sections)
        noisy = f"  {head}|" + "|".join("  " + s.replace(" ", rng.choice(["  ", " , ", ","])) for s in sections) + " "
        assert scout.parse(noisy) == scout.parse(line)


def test_text_cut_anywhere():
    """A cut line is a position or a named error."""
    for line in LINES[::40]:
        for end in range(len(line)):
            check(line[:end])


def check(text):
    """Parse; what is read can be searched and sampled without a crash. Returns whether it was read."""
    try:
        position = scout.parse(text)
    except PositionError:
        return False
    assert scout.parse(str(position)) == position
    position.legal_actions()
    position.sample(1)
    position.pretty()
    return True


def test_mutated_lines():
    """20,000 mutations: named errors only, and some lines survive."""
    rng = random.Random(2)
    alphabet = "0123456789/|:@ =(),-abcdehknosuwmt\t\n\x00é"
    read = 0
    for _ in range(20_000):
        text = list(rng.choice(LINES))
        for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
            at = rng.randrange(len(text) + 1)
            kind = rng.randrange(5)
            if kind == 0:
                text.insert(at, rng.choice(alphabet))
            elif kind == 1 and text:
                text[at % len(text)] = rng.choice(alphabet)
            elif kind == 2:
                del text[at : at + rng.randrange(1, 6)]
            elif kind == 3:
                other = rng.randrange(len(text) + 1)
                text[at:at] = text[min(at, other) : max(at, other)][:40]
            elif len(text) > 1:
                other = rng.randrange(len(text))
                text[at % len(text)], text[other] = text[other], text[at % len(text)]
        read += check("".join(text))
    assert read > 200


def test_mutated_sections():
    """Sections dropped, doubled or taken from another line."""
    rng = random.Random(3)
    read = 0
    for _ in range(5_000):
        head, *sections = rng.choice(LINES).split(" | ")
        _, *others = rng.choice(LINES).split(" | ")
        for _ in range(rng.randrange(1, 3)):
            at = rng.randrange(len(sections) + 1)
            if rng.random() < 0.5 and sections:
                del sections[at % len(sections)]
            else:
                sections.insert(at, rng.choice(others))
        read += check(" | ".join([head, *sections]))
    assert read > 50


ACTIONS = [
    ("show 4 4 4", "show 4-4-4"),
    ("SHOW 4,4,4", "show 4-4-4"),
    ("show 4-4 at 1", "show 4-4 at 1"),
    ("show 4-4", "show 4-4 at 0"),
    ("scout 3", "scout 2 (left), place 3"),
    ("scout left 3 turned", "scout 2 (left), place 3, turned"),
    ("scout 2 (left), place 0", "scout 2 (left), place 0"),
    ("scout and show 1", "scout & show 2 (left), place 1"),
    ("s&s left 1 turn", "scout & show 2 (left), place 1, turned"),
]


@pytest.mark.parametrize(("typed", "words"), ACTIONS)
def test_actions_are_read_as_people_type_them(typed, words):
    position = scout.parse(FULL)
    assert position.action_to_string(position.parse_action(typed)) == words


BAD_ACTIONS = [
    ("", "means no action"),
    ("pass", "means no action"),
    ("show", "means no action"),
    ("show 5", "the hand has no 5 side by side"),
    ("show 4 at 9", "the hand has no 4 side by side at place 9"),
    ("scout 7 (left), place 1", "no such end: the table is 2/8"),
    ("scout left 40", "end 0, place 40"),
    ("scout left", "say the end and the place"),
    ("scout left 4", "a card can go to the places 0..3"),
    ("keep", "the hand is kept or turned before the first turn only"),
]


@pytest.mark.parametrize(("typed", "message"), BAD_ACTIONS)
def test_actions_that_are_not_legal_say_why(typed, message):
    with pytest.raises(IllegalActionError) as error:
        scout.parse(FULL).parse_action(typed)
    assert message in str(error.value)


def test_why_not():
    position = scout.parse(FULL.replace("2/8 by 2", "9/8 by 2"))
    game = position.game
    assert position.why_not(game.show(0, 1)) == "4 does not beat 9"
    assert position.why_not(game.show(0, 2)) == ""
    assert position.why_not(game.scout(1, 0, False)) == "with one card on the table only end 0 (left) is legal"
    assert position.why_not(game.show(1, 3)) == "there are 3 cards in hand, places 0..2"
    spent = scout.parse(FULL + " | used 0 | chips 0 1 0")
    assert spent.why_not(game.scout_and_show(0, 0, False)) == "the Scout & Show chip is spent"
    empty = scout.parse("scout(players=3) | hand 4/1 6/3 | cards 2 11 12 | score 1 4 6")
    assert empty.why_not(game.scout(0, 0, False)) == "there is no Active Set to scout from"
    assert empty.why_not(game.show(0, 2)).startswith("4-6 is no set")
    late = scout.parse("scout(players=3) | hand 1/4 | table 9/8 9/7 9/6 by 2 | cards 1 11 12 | score 0 4 5")
    assert late.why_not(game.scout_and_show(0, 0, False)).startswith("after this Scout no set")
    other = scout.parse(FULL.replace("by 2", "by 0") + " | to-move 1")
    assert other.why_not(game.show(0, 1)) == "seat 1 is to move"


@pytest.mark.parametrize("action", [-1, 10**6, 2**70])
def test_action_ids_out_of_range(action):
    state = scout.Game(players=3).deal(seed=1)
    for call in (state.apply_action, state.game.decode, state.position(0).action_to_string):
        with pytest.raises(IllegalActionError, match="an action lies in 0"):
            call(action)


@pytest.mark.parametrize("action", [None, "show", 1.0, [1]])
def test_action_ids_of_a_wrong_type(action):
    with pytest.raises(IllegalActionError, match="an action is a whole number"):
        scout.Game(players=3).deal(seed=1).apply_action(action)


def test_game_strings():
    for text in ("scout", "scout()", "scout(players=4)", " scout ( players = 4 ) "):
        assert str(games.load(text)) == "scout(players=4)"
    text = "scout(players=2,rounds=2,insertions_public=true,ends_on_emptying_scout=false,drop=8/10+9/10)"
    assert str(games.load(text)) == text
    game = games.load("scout(players=3,drop=none)")
    assert len(game.deck()) == 45
    assert games.load(str(game)) == game == pickle.loads(pickle.dumps(game))


BAD_GAMES = [
    ("scout(rounds=0)", "rounds must lie in 1..100"),
    ("scout(rounds=some)", "rounds must be a whole number"),
    ("scout(payoff=most)", "payoff must be one of"),
    ("scout(insertions_public=1)", "insertions_public must be true or false"),
    ("scout(max_turns=0)", "max_turns must lie in"),
    ("scout(ranks=12)", "ranks must lie in 2..11"),
    ("scout(hand_size=12)", "4 hands of 12 cards cannot be dealt from 44 cards"),
    ("scout(players=2,rounds=2,hand_size=12)", "the second round of two players"),
    ("scout(players=5,ranks=3)", "3 cards cannot be dealt to 5 players"),
    ("scout(chips=4)", "chips can be set with two players only"),
    ("scout(players=2,chips=-1)", "chips must lie in"),
    ("scout(drop=9)", "drop must be pairs"),
    ("scout(drop=9/11)", "must lie in 1..10"),
    ("scout(drop=9/9)", "there is no card 9/9"),
    ("scout(colour=3)", "has no option 'colour'"),
]


@pytest.mark.parametrize(("text", "message"), BAD_GAMES)
def test_games_that_cannot_be(text, message):
    with pytest.raises(GameOptionError) as error:
        games.load(text)
    assert message in str(error.value)


def test_hands_that_cannot_be_dealt():
    game = scout.Game(players=2, ranks=4, hand_size=2)
    good = [[(1, 2), (3, 4)], [(4, 1), (2, 3)]]
    assert game.deal(hands=good).hand(1) == good[1]
    for hands, message in [
        (good[:1], "hands for 2 seats are needed, not 1"),
        ([good[0], good[1][:1]], "seat 1: 2 cards are dealt, not 1"),
        ([good[0], [(2, 1), (2, 3)]], "seat 1, place 0: the card (2, 1) is also at seat 0, place 0"),
        ([good[0], [(2, 2), (2, 3)]], "is no card of the deck"),
        ([good[0], [(2, 9), (2, 3)]], "is no card of the deck"),
        ([good[0], [(2,), (2, 3)]], "is no card of the deck"),
        ([good[0], [("2", 3), (2, 3)]], "is no card of the deck"),
        (5, "hands for 2 seats are needed, not 5"),
        ([good[0], 5], "seat 1: 2 cards are dealt, not 5"),
    ]:
        with pytest.raises(PositionError) as error:
            game.deal(hands=hands)
        assert message in str(error.value)
    with pytest.raises(PositionError, match="starter must be a seat"):
        game.deal(starter=2)
    for turned in ([True], 5):
        with pytest.raises(PositionError, match="one entry a seat"):
            game.deal(turned=turned)
    numbers = np.array(good, np.int8)
    assert game.deal(hands=numbers, seed=1).hand(1) == good[1]


class Shifty(list):
    """A row that says one thing when asked for its length and another when it is read."""

    def __iter__(self):
        return iter([(1, 2)] * 100_000)


def test_a_row_is_read_once():
    game = scout.Game(players=2, ranks=4, hand_size=2)
    with pytest.raises(PositionError, match="2 cards are dealt, not 100000"):
        game.deal(hands=[Shifty([(1, 2), (3, 4)]), [(4, 1), (2, 3)]])


@pytest.mark.parametrize("kind", [scout.State, scout.Position])
def test_nothing_is_made_empty(kind):
    with pytest.raises(TypeError, match="is made by"):
        kind()
    with pytest.raises(TypeError, match="is made by"):
        kind.__new__(kind)


def test_words_of_actions_that_cannot_be():
    position = scout.parse("scout(players=3) | hand 4/1 6/3 | cards 2 11 12 | score 1 4 6")
    for action in (position.game.scout(0, 0, False), position.game.show(5, 3)):
        with pytest.raises(IllegalActionError, match="no "):
            position.action_to_string(action)
    state = position.game.new_initial_state()
    for outcome in (-1, 72, 2**31 - 1, -(2**31)):
        with pytest.raises(IllegalActionError, match="an action lies in"):
            state.chance_text(outcome)


def test_totals_of_many_chips():
    game = scout.Game(players=2, rounds=2, max_turns=1, chips=1000)
    state = game.deal(seed=1, turned=[False] * 2)
    state.apply_action(state.legal_actions()[0])
    for seat in (0, 1):
        assert scout.parse(str(state.position(seat))) == state.position(seat)


def test_pretty_fits_80_columns():
    game = scout.Game(players=3, ranks=11, insertions_public=True)
    rng = Rng(4)
    state = game.deal(seed=2, turned=[False] * 3)
    for _ in range(60):
        if not state.is_terminal():
            scouts = [a for a in state.legal_actions() if game.decode(a)[0] == "scout"]
            state.apply_action(rng.choice(scouts or state.legal_actions()))
        if not state.is_terminal():
            assert max(map(len, state.position(0).pretty().splitlines())) <= 80
    with pytest.raises(ArgumentError, match="names for 3 seats"):
        game.deal(seed=1).position(0).pretty(["a"])


def test_tokens_know_their_column():
    (section,) = notation.read_line("g | hand  1/2", 1)
    assert (section.keyword.column, section.arguments[0].column) == (5, 11)
