"""Rules that other engines get wrong, and the rulebook's own cases, each on a deal made by hand.

Hands are written as `top/bottom` from left to right. Where a row or a seat is not written out, cards of the deck that
stand nowhere else fill it up.
"""

import random
from collections import Counter

import pytest

from solver import scout
from solver.errors import IllegalActionError

PLAYERS = (2, 3, 4, 5)
DECK_SIZES = {2: 44, 3: 36, 4: 44, 5: 45}
HAND_SIZES = {2: 11, 3: 12, 4: 11, 5: 9}


def cards(text: str) -> list[tuple[int, int]]:
    """The cards of a row, such as "3/7 4/1"."""
    return [tuple(map(int, word.split("/"))) for word in text.split()]


def deal(game: scout.Game, *rows: str, starter: int = 0) -> scout.State:
    """The deal with these rows, filled up; all hands kept."""
    hands = [cards(row) for row in rows] + [[] for _ in range(game.players - len(rows))]
    used = {frozenset(card) for hand in hands for card in hand}
    rest = (pair for pair in game.deck() if frozenset(pair) not in used)
    hands = [hand + [next(rest) for _ in range(game.hand_size - len(hand))] for hand in hands]
    return game.deal(hands=hands, turned=[False] * game.players, starter=starter)


def legal(state: scout.State, kind: str) -> set[tuple]:
    """The legal actions of a kind, without its name."""
    decoded = [state.game.decode(action) for action in state.legal_actions()]
    return {tuple(rest) for name, *rest in decoded if name == kind}


def kinds(state: scout.State) -> set[str]:
    """Which kinds of action are legal."""
    return {state.game.decode(action)[0] for action in state.legal_actions()}


def play(state: scout.State, *actions: int) -> scout.State:
    """Apply the actions in place; the same state."""
    for action in actions:
        state.apply_action(action)
    return state


def identities(state: scout.State) -> list[frozenset]:
    """Every card in a hand, whichever way it stands."""
    return [frozenset(card) for seat in range(state.game.players) for card in state.hand(seat)]


# ---------------------------------------------------------------------------------------------------------------------
# Faults of other engines
# ---------------------------------------------------------------------------------------------------------------------


def test_owner_is_exempt_when_all_others_scouted():
    """(ii): the owner loses nothing for the hand, the others a point for each card."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "5/1 5/2 5/3 9/1")
    play(state, g.show(0, 3), g.scout(0, 0, False))
    assert not state.is_terminal()
    play(state, g.scout(1, 0, False))
    assert state.is_terminal()
    assert state.round_results() == [((2, -5, -5), "scouted_out", 0)]
    assert len(state.hand(0)) == 1  # worth nothing, neither way
    assert state.returns() == [2, -5, -5]


def test_score_after_scout_and_show_is_exact():
    """A Scout & Show gives one chip to the owner and the cards left to the shower; its own chip scores nothing."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "5/1 6/2 9/1 9/2", "7/3 7/4 3/4 1/2")
    play(state, g.show(0, 2))
    assert state.scores() == [-2, -4, -4]
    play(state, g.scout_and_show(1, 4, False), g.show(0, 2))
    assert state.chips() == [1, 0, 0]
    assert state.score_cards() == [0, 1, 0]
    assert state.counts() == [2, 3, 4]
    assert state.scout_and_show_left() == [True, False, True]
    assert state.scores() == [1 - 2, 1 - 3, -4]
    play(state, g.scout(0, 0, False), g.scout(0, 0, False))
    assert state.round_results() == [((1 - 3, 1 + 2, -5), "scouted_out", 1)]


@pytest.mark.parametrize("players", PLAYERS)
def test_deals_have_random_orientation(players):
    """The larger number is on top in half of all cards, and each card comes both ways."""
    g = scout.Game(players=players)
    larger, total, sides = 0, 0, set()
    for seed in range(250):
        state = g.deal(seed=seed)
        for seat in range(players):
            for top, bottom in state.hand(seat):
                larger += top > bottom
                total += 1
                sides.add((top, bottom))
    assert abs(larger / total - 0.5) < 4 * 0.5 / total**0.5
    assert len(sides) == 2 * DECK_SIZES[players]


@pytest.mark.parametrize("players", PLAYERS)
def test_deals_have_random_order(players):
    """Any card comes to any place of any seat: chi-square of one card's place over many deals stays below its 0.1 %
    point, and of two cards each comes before the other half of the time."""
    g = scout.Game(players=players)
    places, before = Counter(), 0
    for seed in range(4400):
        row = identities(g.deal(seed=seed))
        index = {card: place for place, card in enumerate(row)}
        places[index.get(frozenset({1, 2}))] += 1
        before += index.get(frozenset({3, 4}), 99) < index.get(frozenset({5, 6}), 98)
    slots = g.cards_in_play
    expected = 4400 / DECK_SIZES[players]
    chi = sum((places[place] - expected) ** 2 / expected for place in range(slots))
    assert chi < slots + 3.1 * (2 * slots) ** 0.5 + 5
    if players == 2:
        # half of the pairs lie in the box together, or one of them does
        assert places[None] == pytest.approx(2200, abs=150)
    else:
        assert abs(before - 2200) < 150


@pytest.mark.parametrize("players", PLAYERS)
def test_keep_or_turn_is_offered_to_every_seat(players):
    """Before the first turn each seat keeps or turns; turning swaps the numbers and reverses the row."""
    g = scout.Game(players=players)
    state = g.deal(seed=1, starter=1)
    rows = [state.hand(seat) for seat in range(players)]
    for seat in range(players):
        assert state.current_player() == seat
        assert state.legal_actions() == [g.keep, g.turn]
        state.apply_action(g.turn if seat % 2 else g.keep)
    for seat, row in enumerate(rows):
        turned = [(bottom, top) for top, bottom in reversed(row)]
        assert state.hand(seat) == (turned if seat % 2 else row)
    assert state.current_player() == 1
    assert kinds(state) == {"show"}


def test_keep_or_turn_is_hidden():
    """What the others chose is in no other seat's position or information state."""
    g = scout.Game(players=3)
    hands = [g.deal(seed=4).hand(seat) for seat in range(3)]
    one = g.deal(hands=hands, turned=[False, False, True])
    other = g.deal(hands=hands, turned=[False, True, False])
    assert one.position(0) == other.position(0)
    assert one.information_state_string(0) == other.information_state_string(0)
    assert one.information_state_string(1) != other.information_state_string(1)


@pytest.mark.parametrize("players", PLAYERS)
def test_deck_sizes(players):
    """44, 36, 44 and 45 cards for 2 to 5 players, all dealt (two players: half), and the right ones left out."""
    g = scout.Game(players=players)
    pairs = {(a, b) for a in range(1, 11) for b in range(a + 1, 11)}
    dropped = {2: {(9, 10)}, 3: {(a, 10) for a in range(1, 10)}, 4: {(9, 10)}, 5: set()}[players]
    assert set(g.deck()) == pairs - dropped
    assert len(g.deck()) == DECK_SIZES[players]
    assert g.hand_size == HAND_SIZES[players]
    assert g.cards_in_play == (22 if players == 2 else DECK_SIZES[players])


@pytest.mark.parametrize("players", PLAYERS)
def test_no_card_is_there_twice(players):
    """Neither the deck nor any deal holds a card twice."""
    g = scout.Game(players=players)
    deck = {frozenset(pair) for pair in g.deck()}
    assert len(deck) == len(g.deck())
    for seed in range(100):
        dealt = identities(g.deal(seed=seed))
        assert len(set(dealt)) == len(dealt) == g.cards_in_play
        assert set(dealt) <= deck


@pytest.mark.parametrize("players", [3, 4, 5])
def test_scout_and_show_exists(players):
    """With 3 to 5 players it is offered, and is a Scout with a Show of the same player in one turn."""
    g = scout.Game(players=players, hand_size=3)
    state = deal(g, "2/1 3/1 6/1", "7/1 8/2 1/4")
    play(state, g.show(0, 2))
    assert "scout_and_show" in kinds(state)
    play(state, g.scout_and_show(0, 0, False))
    assert state.current_player() == 1
    assert kinds(state) == {"show"}
    assert state.turns == 1
    play(state, g.show(1, 2))
    assert state.turns == 2
    assert state.current_player() == 2
    assert state.owner() == 1


def test_two_players_have_no_scout_and_show():
    """There is neither chip nor action for it."""
    g = scout.Game(players=2)
    state = play(g.deal(seed=1, turned=[False, False]))
    assert state.scout_and_show_left() == [False, False]
    state.apply_action(state.legal_actions()[0])
    assert kinds(state) <= {"show", "scout"}
    with pytest.raises(IllegalActionError):
        g.scout_and_show(0, 0, False)


def test_an_empty_hand_ends_the_round():
    """(i): at once, and nobody is exempt; the shower has nothing to lose."""
    g = scout.Game(players=3, hand_size=2)
    state = play(deal(g, "4/1 5/1"), g.show(0, 2))
    assert state.is_terminal()
    assert state.legal_actions() == []
    assert state.round_results() == [((0, -2, -2), "empty_hand", None)]


def test_an_empty_hand_after_a_scout_and_show_ends_the_round():
    """(i) holds for the Show of a Scout & Show."""
    g = scout.Game(players=3, hand_size=2)
    state = deal(g, "3/1 9/1", "4/6 5/7")
    play(state, g.show(0, 1), g.scout_and_show(0, 0, False), g.show(0, 3))
    assert state.round_results() == [((1 - 1, 0, -2), "empty_hand", None)]


@pytest.mark.parametrize("seed", range(8))
def test_round_two_of_two_players_uses_the_cards_set_aside(seed):
    """Round 2 deals exactly the 22 cards that round 1 did not, with fresh chips, and the other player starts."""
    g = scout.Game(players=2, rounds="match")
    state = g.deal(seed=seed)
    first = set(identities(state))
    rng = random.Random(seed)
    while state.round == 0:
        state.apply_action(rng.choice(state.legal_actions()))
    second = identities(state)
    assert len(second) == 22
    assert set(second) == {frozenset(pair) for pair in g.deck()} - first
    assert state.chips() == [3, 3]
    assert state.score_cards() == [0, 0]
    assert state.starter == 1
    play(state, g.keep, g.keep)
    assert state.current_player() == 1


def test_round_two_of_two_players_after_a_deal_by_hand():
    """The same when the hands of round 1 are given."""
    g = scout.Game(players=2, rounds=2, hand_size=3)
    state = deal(g, "1/2 1/3 1/4", "5/6 5/7 5/8")
    first = set(identities(state))
    rng = random.Random(1)
    while state.round == 0:
        state.apply_action(rng.choice(state.legal_actions()))
    assert not first & set(identities(state))
    assert len(set(identities(state))) == 6


def test_a_run_cut_to_one_card_is_a_single():
    """Of the run 1-2 the 2 is scouted. An 8 beats the lone 1, a 2 does as well, a 1 is equal and does not."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "1/5 2/5 9/1 9/2", "", "8/3 2/6 1/7 4/6")
    play(state, g.show(0, 2), g.scout(1, 0, False))
    assert state.active_set() == [(1, 5)]
    assert legal(state, "show") == {(0, 1), (1, 1), (3, 1), (1, 2)}


def test_a_shortened_run_is_read_anew():
    """The run 3-4-5 without its 3 is the run 4-5: a pair and 5-6 beat it, 4-5 is equal, 3-4 weaker."""
    g = scout.Game(players=3, hand_size=8)
    state = deal(g, "3/1 4/1 5/1 9/1 9/2 9/3 9/4 9/5", "", "5/2 6/2 1/2 1/6 4/2 5/3 3/2 4/3")
    play(state, g.show(0, 3), g.scout(0, 0, False))
    assert legal(state, "show") == {(0, 2), (2, 2)}


def test_a_shortened_group_stays_a_group():
    """Of 5-5-5 two are left: no run of two beats them, 6-6 does, 4-4 does not, three cards do."""
    g = scout.Game(players=3, hand_size=9)
    state = deal(g, "5/1 5/2 5/3", "", "8/9 9/7 6/1 6/2 4/1 4/2 1/2 2/3 3/9")
    play(state, g.show(0, 3), g.scout(0, 0, False))
    assert legal(state, "show") == {(2, 2), (6, 3)}


def test_scout_and_show_is_atomic_for_the_others():
    """Between its halves the others see nothing, not even that it began; after the Show they see both."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "5/1 6/2 9/1 9/2", "7/3 7/4 3/4 1/2")
    play(state, g.show(0, 2))
    before = [(str(state.position(seat)), state.information_state_string(seat)) for seat in range(3)]
    play(state, g.scout_and_show(1, 4, False))
    between = [(str(state.position(seat)), state.information_state_string(seat)) for seat in range(3)]
    assert between[0] == before[0]
    assert between[2] == before[2]
    assert between[1][0] != before[1][0]
    assert between[1][1] != before[1][1]
    position = state.position(2)
    assert position.active_set == ((5, 1), (6, 2))
    assert position.chips == (0, 0, 0)
    assert position.counts == (2, 4, 4)
    assert position.phase == "turn"
    play(state, g.show(0, 2))
    position = state.position(2)
    assert position.active_set == ((7, 3), (7, 4))
    assert position.chips == (1, 0, 0)
    assert position.counts == (2, 3, 4)
    assert position.known == {1: (((2, 6), -1),)}


def test_scout_and_show_is_offered_only_where_a_show_follows():
    """Table 5/2 6/8, hand 1 3 1. With the 5 from the left no place gives a set that beats the lone 6; turned it is a 2,
    which makes a run at every place. With the 6 or 8 from the right, that card itself beats the lone 5."""
    g = scout.Game(players=3, hand_size=3)
    state = deal(g, "5/2 6/8 9/1", "1/4 3/4 1/7")
    play(state, g.show(0, 2))
    assert legal(state, "show") == set()
    every = {(end, place, turned) for end in (0, 1) for place in range(4) for turned in (False, True)}
    assert legal(state, "scout") == every
    assert legal(state, "scout_and_show") == every - {(0, place, False) for place in range(4)}
    with pytest.raises(IllegalActionError, match="no set of the hand would beat"):
        state.apply_action(g.scout_and_show(0, 0, False))


def test_scout_and_show_is_not_offered_against_a_table_too_strong():
    """Against four 9s no Show can follow any Scout, so only Scouts are legal though the chip is left."""
    g = scout.Game(players=3, hand_size=5)
    state = deal(g, "9/5 9/6 9/7 9/8 1/2", "1/4 3/4 1/7 4/6 2/8")
    play(state, g.show(0, 4))
    assert state.scout_and_show_left()[1]
    assert kinds(state) == {"scout"}


def test_falling_runs_are_legal():
    """6-5-4 is a run as strong as 4-5-6, and 7-6-5 beats it."""
    g = scout.Game(players=3, hand_size=9)
    state = deal(g, "6/1 5/1 4/1 9/3", "4/2 5/2 6/2 1/7 7/8 6/8 5/8 1/8 2/9")
    assert {(0, 2), (0, 3), (1, 2)} <= legal(state, "show")
    play(state, g.show(0, 3))
    assert legal(state, "show") == {(4, 3)}


# ---------------------------------------------------------------------------------------------------------------------
# The rulebook's cases
# ---------------------------------------------------------------------------------------------------------------------


def test_group_beats_run_longer_beats_and_equal_does_not():
    """Against the run 8-9: 1-1 and 3-4-5 may be shown, 9-8 (equal) and 6-7 (weaker) may not."""
    g = scout.Game(players=3, hand_size=9)
    state = deal(g, "8/3 9/3", "1/2 1/3 9/2 8/2 6/1 7/1 3/2 4/2 5/2")
    play(state, g.show(0, 2))
    assert legal(state, "show") == {(0, 2), (6, 3)}


def test_equal_groups_do_not_beat():
    """Against 5-5: 6-6 beats, 5-5 does not, and no single does."""
    g = scout.Game(players=3, hand_size=5)
    state = deal(g, "5/1 5/2", "5/3 5/4 9/1 6/1 6/2")
    play(state, g.show(0, 2))
    assert legal(state, "show") == {(3, 2)}


def test_show_collects_the_old_active_set():
    """The beaten set goes to the shower as score cards, and leaves play."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "2/1 3/1", "6/1 6/2 9/1 9/2")
    play(state, g.show(0, 2), g.show(0, 2))
    assert state.score_cards() == [0, 2, 0]
    assert state.active_set() == [(6, 1), (6, 2)]
    assert state.owner() == 1
    assert state.hand(1) == [(9, 1), (9, 2)]
    seen = set(state.position(2).unseen()) | {tuple(sorted(card)) for card in state.hand(2) + state.active_set()}
    assert seen == set(g.deck()) - {(1, 2), (1, 3)}


def test_the_starter_must_show():
    """On the empty table of a new round every set may be shown, and nothing else done."""
    g = scout.Game(players=3, hand_size=4)
    state = deal(g, "", "5/1 5/2 6/7 9/1", starter=1)
    assert kinds(state) == {"show"}
    assert legal(state, "show") == {(0, 1), (1, 1), (2, 1), (3, 1), (0, 2), (1, 2)}


def test_a_single_card_is_scouted_by_one_action():
    """With one card on the table, left and right are the same, so only end 0 is legal."""
    g = scout.Game(players=4, hand_size=5)
    state = play(deal(g, "5/1 9/1"), g.show(0, 1))
    assert legal(state, "scout") == {(0, place, turned) for place in range(6) for turned in (False, True)}
    assert {end for end, _, _ in legal(state, "scout_and_show")} == {0}
    for action in (g.scout(1, 0, False), g.scout_and_show(1, 0, True)):
        with pytest.raises(IllegalActionError, match="only end 0"):
            state.apply_action(action)


def test_a_scouted_card_goes_to_any_place_either_way_up():
    """Left or right card, each place, as it lies or turned: the hand is as said, the rest keeps its order and owner."""
    g = scout.Game(players=4, hand_size=3)
    start = play(deal(g, "5/1 6/2 7/3", "1/4 1/7 1/8"), g.show(0, 2))
    row = start.hand(1)
    for end, taken, rest in ((0, (5, 1), (6, 2)), (1, (6, 2), (5, 1))):
        for place in range(4):
            for turned in (False, True):
                state = start.child(g.scout(end, place, turned))
                card = taken[::-1] if turned else taken
                assert state.hand(1) == [*row[:place], card, *row[place:]]
                assert state.active_set() == [rest]
                assert state.owner() == 0
                assert state.chips() == [1, 0, 0, 0]
                assert state.current_player() == 2


def test_an_emptied_table_must_be_shown_on():
    """After a Scout of the last card the next player may show anything, cannot scout, and collects nothing."""
    g = scout.Game(players=4, hand_size=3)
    state = play(deal(g, "9/1 1/2 1/3", "", "1/4 3/6 5/2"), g.show(0, 1), g.scout(0, 0, False))
    assert state.active_set() == []
    assert state.owner() is None
    assert state.current_player() == 2
    assert state.chips() == [1, 0, 0, 0]
    assert [g.decode(action) for action in state.legal_actions()] == [("show", place, 1) for place in range(3)]
    with pytest.raises(IllegalActionError, match="no Active Set"):
        state.apply_action(g.scout(0, 0, False))
    play(state, g.show(0, 1))
    assert state.score_cards() == [0, 0, 0, 0]
    assert state.owner() == 2


def test_an_emptying_scout_that_completes_the_row_ends_the_round():
    """Rulebook wording: the round ends, and the owner of the emptied set is exempt."""
    g = scout.Game(players=3, hand_size=4)
    state = play(deal(g, "5/1 5/2 9/1 8/1"), g.show(0, 2), g.scout(0, 0, False), g.scout(0, 0, False))
    assert state.is_terminal()
    assert state.round_results() == [((2, -5, -5), "scouted_out", 0)]


def test_an_emptying_scout_that_completes_the_row_goes_on_by_option():
    """With the option off, the round goes on at the owner, who must show on the empty table."""
    g = scout.Game(players=3, hand_size=4, ends_on_emptying_scout=False)
    state = play(deal(g, "5/1 5/2 9/1 8/1"), g.show(0, 2), g.scout(0, 0, False), g.scout(0, 0, False))
    assert not state.is_terminal()
    assert state.current_player() == 0
    assert kinds(state) == {"show"}
    assert state.chips() == [2, 0, 0]
    play(state, g.show(0, 2))
    assert state.round_results() == [((2, -5, -5), "empty_hand", None)]


def test_the_option_leaves_other_ends_alone():
    """With the option off, a row of Scouts that leaves a card on the table still ends the round."""
    g = scout.Game(players=3, hand_size=4, ends_on_emptying_scout=False)
    state = play(deal(g, "5/1 5/2 5/3 8/1"), g.show(0, 3), g.scout(0, 0, False), g.scout(0, 0, False))
    assert state.round_results() == [((2, -5, -5), "scouted_out", 0)]


def test_scout_and_show_breaks_the_row_of_scouts():
    """Scout, Scout & Show, Scout: no end yet, since the Show began a new row; one more Scout ends it."""
    g = scout.Game(players=3, hand_size=5)
    state = deal(g, "2/1 3/1 4/1 9/1 9/2", "", "7/1 7/2 7/3 7/4 1/8")
    play(state, g.show(0, 3), g.scout(0, 0, False), g.scout_and_show(0, 5, False), g.show(0, 4))
    assert state.owner() == 2
    play(state, g.scout(0, 0, False))
    assert not state.is_terminal()
    play(state, g.scout(0, 0, False))
    # seat 0: 2 chips, 3 cards; seat 1: 5 + 2 cards; seat 2: 1 score card, 2 chips, exempt
    assert state.round_results() == [((2 - 3, -7, 1 + 2), "scouted_out", 2)]


def test_scout_and_show_comes_once_a_round():
    """The chip is spent with it, for all to see, and is back in the next round."""
    g = scout.Game(players=3, hand_size=5, rounds=2, max_turns=5)
    state = deal(g, "2/1 3/1 9/1 9/2 9/3", "4/1 6/1 8/1 6/3 8/3", "5/1 7/1 5/2 7/2 5/3")
    play(state, g.show(0, 1), g.scout_and_show(0, 0, False), g.show(1, 1))
    assert state.scout_and_show_left() == [True, False, True]
    assert "used 1" in str(state.position(2)).split(" | ")
    play(state, g.show(0, 1), g.show(1, 1))
    assert state.current_player() == 1
    assert "scout_and_show" not in kinds(state)
    with pytest.raises(IllegalActionError, match="chip is spent"):
        state.apply_action(g.scout_and_show(0, 0, False))
    state.apply_action(state.legal_actions()[-1])
    assert state.round == 1
    assert state.scout_and_show_left() == [True, True, True]


@pytest.mark.parametrize("players", PLAYERS)
def test_a_match_has_as_many_rounds_as_players_and_the_start_moves_left(players):
    """Two rounds with two players; each round the seat to the left of the last starter starts."""
    g = scout.Game(players=players, rounds="match")
    assert g.rounds == players
    state = g.deal(seed=3, starter=players - 1)
    rng = random.Random(3)
    starters = {}
    while not state.is_terminal():
        if state.phase == "turn" and state.turns == 0:
            starters[state.round] = state.current_player()
        state.apply_action(rng.choice(state.legal_actions()))
    assert starters == {index: (players - 1 + index) % players for index in range(players)}
    results = state.round_results()
    assert len(results) == players
    assert state.totals() == [sum(result.scores[seat] for result in results) for seat in range(players)]


def test_a_tie_is_shared():
    """Two rounds that seat 0 and seat 1 win alike: half a win each; and the margins by hand."""
    for payoff, expected in (("win", [0.5, 0.5, 0]), ("score", [-1, -1, -2]), ("margin", [0.5, 0.5, -1])):
        g = scout.Game(players=3, hand_size=1, rounds=2, payoff=payoff)
        state = g.deal(seed=1, turned=[False] * 3)
        play(state, g.show(0, 1), g.keep, g.keep, g.keep, g.show(0, 1))
        assert state.totals() == [-1, -1, -2]
        assert state.returns() == expected


def test_at_the_turn_limit_nobody_is_exempt():
    """The round scores as it stands after the last turn; a Scout & Show is one turn."""
    g = scout.Game(players=3, hand_size=4, max_turns=2)
    state = play(deal(g, "5/1 5/2 5/3 9/1"), g.show(0, 3), g.scout(0, 0, False))
    assert state.round_results() == [((1 - 1, -5, -4), "max_turns", None)]
    state = deal(g, "2/1 3/1 9/1 9/2", "6/1 7/1 8/1 1/4")
    play(state, g.show(0, 2), g.scout_and_show(0, 4, False))
    assert not state.is_terminal()
    play(state, g.show(0, 3))
    assert state.round_results() == [((1 - 2, 1 - 2, -4), "max_turns", None)]


def test_places_of_scouted_cards_are_hidden_unless_public():
    """Where a scouted card went tells the others nothing by default, and is known to all by option."""
    for public in (False, True):
        g = scout.Game(players=3, hand_size=3, insertions_public=public)
        start = play(deal(g, "5/1 5/2 9/1"), g.show(0, 2))
        one, other = start.child(g.scout(0, 0, False)), start.child(g.scout(0, 2, True))
        for seat in (0, 2):
            assert (one.position(seat) == other.position(seat)) is not public
            same = one.information_state_string(seat) == other.information_state_string(seat)
            assert same is not public
        assert one.position(0).known == {1: (((5, 1), 0),) if public else (((1, 5), -1),)}
        assert other.position(0).known == {1: (((1, 5), 2),) if public else (((1, 5), -1),)}


# ---------------------------------------------------------------------------------------------------------------------
# Two players
# ---------------------------------------------------------------------------------------------------------------------


def test_two_players_chip_goes_to_the_middle_and_the_scout_goes_on():
    """The scouting player pays a chip, the owner gets none, and the same player acts again until a Show."""
    g = scout.Game(players=2, hand_size=4)
    state = deal(g, "5/1 6/1 7/1 1/2", "8/1 9/1 2/3 2/4")
    play(state, g.show(0, 3))
    assert state.chips() == [3, 3]
    play(state, g.scout(0, 0, False))
    assert state.chips() == [3, 2]
    assert state.current_player() == 1
    play(state, g.scout(0, 0, False))
    assert state.chips() == [3, 1]
    assert state.current_player() == 1
    assert state.active_set() == [(7, 1)]
    play(state, g.show(2, 2))  # 6 5 8 9 2 2: shows 8-9
    assert state.current_player() == 0
    assert state.score_cards() == [0, 1]
    assert state.turns == 4


def test_two_players_who_cannot_show_must_scout():
    """No Show beats the table: Scouts only. There is no pass."""
    g = scout.Game(players=2, hand_size=4)
    state = play(deal(g, "9/1 9/2 1/2 1/3", "2/3 4/3 6/3 8/3"), g.show(0, 2))
    assert kinds(state) == {"scout"}


def test_two_players_who_can_show_may_scout():
    """Both are open to a player who can show and has a chip; without a chip there is only the Show."""
    for chips, expected in ((1, {"show", "scout"}), (0, {"show"})):
        g = scout.Game(players=2, hand_size=4, chips=chips)
        state = play(deal(g, "5/1 1/2", "6/1 4/3 1/4 8/3"), g.show(0, 1))
        assert kinds(state) == expected
    with pytest.raises(IllegalActionError, match="no Scout chip"):
        state.apply_action(g.scout(0, 0, False))


@pytest.mark.parametrize("seed", range(30))
def test_two_players_always_have_an_action(seed):
    """In random play the player to move always has a Show or a Scout, and never anything else."""
    g = scout.Game(players=2, rounds="match", chips=seed % 4)
    state = g.deal(seed=seed, turned=[False, False])
    rng = random.Random(seed)
    while not state.is_terminal():
        assert state.phase == "choose" or kinds(state) in ({"show"}, {"scout"}, {"show", "scout"})
        state.apply_action(rng.choice(state.legal_actions()))


def test_two_players_end_after_a_show_that_leaves_nothing_to_do():
    """(ii) of two players: no chip and no Show for the other; the owner is exempt."""
    g = scout.Game(players=2, hand_size=4, chips=0)
    state = play(deal(g, "9/1 9/2 1/2 1/3", "2/3 4/3 6/3 8/3"), g.show(0, 2))
    assert state.round_results() == [((0, -4), "scouted_out", 0)]


def test_two_players_end_after_a_scout_that_leaves_nothing_to_do():
    """The last chip is spent and no Show is there: the round ends; placed otherwise, the card makes a Show."""
    g = scout.Game(players=2, hand_size=3, chips=1)
    start = play(deal(g, "9/1 9/2 1/3", "2/3 4/3 6/3"), g.show(0, 2))
    assert kinds(start) == {"scout"}
    state = start.child(g.scout(0, 0, False))  # 9 2 4 6 against a 9
    # seat 0: its own chip, exempt; seat 1: four cards
    assert state.round_results() == [((1, -4), "scouted_out", 0)]
    state = start.child(g.scout(0, 0, True))  # 1 2 4 6: the run 1-2
    assert not state.is_terminal()
    assert state.current_player() == 1
    assert legal(state, "show") == {(0, 2)}
    assert kinds(state) == {"show"}


def test_two_players_own_scout_empties_the_table():
    """The same player may then show anything, and collects nothing."""
    g = scout.Game(players=2, hand_size=3)
    state = play(deal(g, "9/1 1/3 1/2", "2/3 4/3 6/3"), g.show(0, 1), g.scout(0, 3, False))
    assert state.current_player() == 1
    assert state.active_set() == []
    assert [g.decode(action) for action in state.legal_actions()] == [("show", place, 1) for place in range(4)]
    play(state, g.show(0, 1))
    assert state.score_cards() == [0, 0]
    assert state.owner() == 1


def test_two_players_unspent_chips_score():
    """Each unspent chip is a point for its holder, spent ones for nobody."""
    g = scout.Game(players=2, hand_size=2)
    state = play(deal(g, "5/1 1/3", "6/1 7/3"), g.show(0, 1), g.scout(0, 0, False), g.show(0, 3))
    # 5-6-7 empties the hand of seat 1: 2 chips; seat 0: 3 chips, one card left
    assert state.round_results() == [((3 - 1, 2), "empty_hand", None)]


def test_two_players_ignore_the_option_for_emptying_scouts():
    """An emptying Scout never ends their round, whatever the option says."""
    for ends in (False, True):
        g = scout.Game(players=2, hand_size=3, ends_on_emptying_scout=ends)
        state = play(deal(g, "9/1 1/3 1/2", "2/3 4/3 6/3"), g.show(0, 1), g.scout(0, 3, False))
        assert not state.is_terminal()
