"""The cases that the rules page and the issue name, one by one; expected values by hand from the rules."""

import pytest

from solver import bakerstreet
from solver.errors import IllegalActionError

GAME = bakerstreet.Game()
EVENS = ["ABCDEFGH", "IJKLMNOP", "QRSTABCD", "EFGHIJKL", "MNOPQRST"]


def deck(*first):
    """A whole deck whose first cards are these."""
    rest = list(GAME.deck())
    for card in first:
        rest.remove(card)
    return [*first, *rest]


def plain(*values):
    return [(value, None) for value in values]


def play(state, *actions):
    for action in actions:
        state.apply_action(action)
    return state


def test_a_five_under_a_stop_does_not_count_and_stays():
    state = GAME.deal(
        decks=[deck((5, None), (1, None), (1, None)), deck((2, "stop"), (0, None), (0, None))], piles=EVENS, seed=1
    )
    play(state, GAME.place(5, None, 0), GAME.bid(10), GAME.place(2, "stop", 0), GAME.bid(30))
    play(state, GAME.doubt)
    winner = state.doubt_winner()
    assert winner == 0
    play(state, GAME.choose_pile(0))
    assert state.phase == "take"
    assert state.current_player() == 1  # 2 to 0, and the 5 beneath does not count
    assert state.stack(0) == [(0, 5, None)]
    assert state.discards(1).count((2, "stop")) == 1


@pytest.mark.parametrize(
    ("stack", "totals"),
    [
        ([(0, 1, "x2"), (0, 2, "x2"), (0, 5, None)], (16, 0)),  # doubled once, however many
        ([(0, 0, "x2"), (1, 2, "x2"), (1, 3, None), (0, 5, None)], (10, 10)),
    ],
)
def test_x2_counts_once(stack, totals):
    assert bakerstreet.evaluate(stack).totals == totals


@pytest.mark.parametrize("winner", [0, 1])
def test_a_tie_and_an_empty_pile_go_to_the_winner_of_the_doubt(winner):
    for placed in (True, False):
        state = GAME.deal(decks=[deck(*plain(3, 5, 5)), deck(*plain(3, 5, 5))], piles=EVENS, seed=2)
        play(state, GAME.place(3, None, 4), GAME.bid(10), GAME.place(3, None, 4))
        total = sum(value for q in (0, 1) for value, _ in state.hand(q))
        # seat 1 bids: what is reached wins for it, what is not for seat 0
        play(state, GAME.bid(total if winner else total + 1), GAME.doubt)
        assert state.doubt_winner() == winner
        play(state, GAME.choose_pile(4 if placed else 1))
        assert (state.phase, state.current_player()) == ("take", winner)


def arrows_all_round():
    """Seat 0 has won the doubt; every pile bears an arrow of seat 0, so a chain comes round to the first."""
    symbols = {(3, "arrow"): 5}
    game = bakerstreet.Game(symbols=symbols)
    line = (
        "bakerstreet(symbols=3arrow+3arrow+3arrow+3arrow+3arrow) | starter 1 | phase choose | mover 0 | "
        "rival 0 | stack0 0:3a | stack1 0:3a | stack2 0:3a | stack3 0:3a | stack4 0:3a"
    )
    return game, line


def test_an_arrow_chain_comes_round_and_ends_at_the_pile_that_is_empty_by_then():
    game, line = arrows_all_round()
    state = bakerstreet.parse(line).sample(4)
    state.apply_action(game.choose_pile(3))
    piles = []
    while state.phase == "take":
        piles.append(5 - [bool(state.stack(i)) for i in range(5)].count(True))
        assert state.current_player() == 0
        state.apply_action(state.legal_actions()[0])
    # five piles with arrows, then the first again: empty, a tie for the winner of the doubt, no arrow
    assert piles == [1, 2, 3, 4, 5, 5]
    assert len(state.evidence(0)) == 6
    assert state.phase == "turn" or state.is_terminal()


def test_seven_in_a_row_in_the_middle_of_a_chain_ends_the_game_at_once():
    """A..G: the seventh letter is taken at the first pile of a chain; the other piles are not evaluated."""
    game, line = arrows_all_round()
    log = "log 0@0:A 0@0:B 0@0:C 0@0:D 0@0:E 0@0:F"
    looks = "look0 GH"
    state = bakerstreet.parse(f"{line} | {log} | {looks}").sample(1)
    state.apply_action(game.choose_pile(0))
    assert state.phase == "take"
    state.apply_action(game.take("G"))
    assert state.is_terminal()
    assert state.winner() == 0
    assert state.returns() == [1.0, -1.0]
    assert [len(state.stack(i)) for i in range(5)] == [0, 1, 1, 1, 1]


def test_letters_do_not_wrap():
    """Q R S T A B with C to come: no seven in a row."""
    game, line = arrows_all_round()
    log = "log 0@2:Q 0@2:R 0@2:S 0@2:T 0@2:A 0@2:B"
    state = bakerstreet.parse(f"{line} | {log} | look2 CD").sample(1)
    state.apply_action(game.choose_pile(2))
    state.apply_action(game.take("C"))
    assert not state.is_terminal()
    assert state.evidence(0) == "ABCQRST"


def test_a_letter_owned_already_cannot_be_taken():
    game, line = arrows_all_round()
    state = bakerstreet.parse(f"{line} | log 0@0:A 0@1:B | look0 ABCDEFG | look1 HIJKLMN").sample(1)
    state.apply_action(game.choose_pile(0))
    assert [game.decode(a)[1] for a in state.legal_actions()] == list("CDEFG")
    with pytest.raises(IllegalActionError, match="owned already"):
        state.apply_action(game.take("A"))


def test_nothing_to_take_and_the_chain_goes_on():
    """Pile 0 holds only letters that seat 0 owns: nothing is taken there, and the arrow leads on."""
    game, line = arrows_all_round()
    log = "log 0@0:A 0@0:C 0@0:E 0@0:G 0@0:I 0@0:K 0@1:M"
    state = bakerstreet.parse(f"{line} | {log} | look0 AM | look1 BDFHJLN").sample(1)
    state.apply_action(game.choose_pile(0))
    assert state.phase == "take"
    assert "".join(game.decode(a)[1] for a in state.legal_actions()) == "BDFHJLN"  # those of pile 1
    assert state.pile(0) == "AM"


def test_a_bid_of_thirty_must_be_doubted():
    state = GAME.deal(seed=3)
    state.apply_action(state.legal_actions()[0])
    state.apply_action(GAME.bid(30))
    assert state.legal_actions() == [GAME.doubt]
    with pytest.raises(IllegalActionError, match="a bid of 30 must be doubted"):
        state.apply_action(state.game.place(*state.hand(1)[0], 0))


def test_an_empty_deck_is_made_of_the_discard_pile():
    """29 cards of seat 0 seen, one in the deck. When that is drawn, the card drawn next comes from its discards."""
    discarded = "2 2 2s 2x"
    on_table = "stack0 0:0 0:0 0:0s 0:0x 0:0a 0:1 0:1 0:1s 0:1x 0:1a 0:3 0:3 0:3 0:3 0:3 0:4 0:4 0:4 0:4 0:4 0:5 0:5"
    line = f"bakerstreet | starter 0 | hand 2a 5 5 | discards0 {discarded} | {on_table}"
    # the card that is still to come: one 5
    state = bakerstreet.parse(line).sample(1)
    assert state.deck(0) == [(5, None)]
    play(state, GAME.place(5, None, 1), GAME.bid(0))
    assert state.deck(0) == []
    play(state, state.legal_actions()[0], GAME.bid(1))
    play(state, GAME.place(5, None, 1))
    assert state.discards(0) == []
    assert len(state.deck(0)) == 3  # the four discards less the card drawn
    assert all(card[0] == 2 for card in state.hand(0) if card != (5, None))


def test_without_deck_and_discards_the_hand_stays_smaller():
    on_table = "stack0 0:0 0:0 0:0s 0:0x 0:0a 0:1 0:1 0:1s 0:1x 0:1a 0:3 0:3 0:3 0:3 0:3 0:4 0:4 0:4 0:4 0:4 0:5 0:5"
    line = f"bakerstreet | starter 0 | hand 2a 5 5 | {on_table} 0:2 0:2 0:2s 0:2x 0:5"
    state = bakerstreet.parse(line).sample(1)
    assert state.deck(0) == []
    play(state, GAME.place(5, None, 1))
    assert len(state.hand(0)) == 2
    play(state, GAME.bid(0))
    play(state, state.legal_actions()[0])
    assert len(state.hand(1)) == 3  # the other seat has a deck


def test_a_player_without_cards_must_doubt_and_the_sum_counts_what_there_is():
    on_table = "stack0 0:0 0:0 0:0s 0:0x 0:0a 0:1 0:1 0:1s 0:1x 0:1a 0:3 0:3 0:3 0:3 0:3 0:4 0:4 0:4 0:4 0:4 0:5 0:5"
    line = f"bakerstreet | starter 1 | hand | bids 3 | {on_table} 0:2 0:2 0:2s 0:2x 0:5 0:2a 0:5 0:5"
    state = bakerstreet.parse(line).sample(1)
    assert state.legal_actions() == [GAME.doubt]
    total = sum(value for value, _ in state.hand(1))
    state.apply_action(GAME.doubt)
    assert state.doubt_winner() == (1 if total >= 3 else 0)
