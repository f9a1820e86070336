"""Cases that no other test had: each kills a fault that `make mutants` put in and nothing saw."""

from solver import _ismcts, scout
from solver._core import Rng


def test_the_second_deal_of_a_shuffle_has_the_cards_that_the_first_had_not():
    """Also the first card of the deck, where the hands of the first deal are given."""
    game = scout.Game(players=2, rounds=2)
    deck = game.deck()[1:]
    state = game.deal(hands=[deck[:11], deck[11:22]], seed=1)
    rng = Rng(1)
    while state.round == 0:
        state.apply_action(rng.choice(state.legal_actions()))
    dealt = [frozenset(card) for seat in range(2) for card in state.hand(seat)]
    assert sorted(map(sorted, dealt)) == sorted(map(sorted, {frozenset(card) for card in game.deck()[:1] + deck[22:]}))


def test_a_sample_has_all_score_cards():
    """Of four score cards no face is known: four of the unseen cards are drawn for them, and lie in no hand."""
    line = "scout(players=4) | seat 1 | hand 7/2 4/6 4/10 4/1 9/5 8/5 2/6 3/1 | table 3/7 3/9 by 0 | cards 8 8 11 11"
    sample = scout.parse(f"{line} | chips 1 0 0 0 | score 2 2 0 0").sample(1)
    gone = str(sample.position(1)).partition("| gone ")[2].split()
    assert len(gone) == 4
    held = {frozenset(card) for seat in range(4) for card in sample.hand(seat)}
    assert not held & {frozenset(map(int, card.split("/"))) for card in gone}


def test_memory_of_a_search_tree():
    """1,024 nodes are reserved at first, and a table of twice as many places of four bytes."""
    root = scout.Game().deal(seed=1).position(0).search_root()
    tree = _ismcts.Tree(root, Rng(1), 1000)
    assert (tree.num_bytes - 2048 * 4) % 1024 == 0
