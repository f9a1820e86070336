"""`Position.sample`: fits all that is known, with the right probability, and never peeks."""

import itertools
from collections import Counter
from fractions import Fraction

import pytest
from scipy import stats

from solver import scout
from solver._core import Rng

OPTIONS = [
    {"players": 2},
    {"players": 3},
    {"players": 4},
    {"players": 5},
    {"players": 2, "rounds": "match"},
    {"players": 3, "rounds": "match"},
    {"players": 4, "insertions_public": True},
    {"players": 3, "ends_on_emptying_scout": False},
    {"players": 2, "ranks": 6, "hand_size": 3, "rounds": 2, "insertions_public": True},
    {"players": 4, "ranks": 7, "hand_size": 4},
]


def states(options, seed, games=3):
    """States of random games, each with a seat."""
    rng = Rng(seed)
    game = scout.Game(**options)
    for _ in range(games):
        state = game.deal(seed=rng)
        while not state.is_terminal():
            yield state, rng.below(game.num_players())
            state = state.child(rng.choice(state.legal_actions()))


def everything(state):
    """All of a state that a player could ever see."""
    return [state.hand(q) for q in range(state.game.players)], state.active_set(), state.owner(), state.chips()


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_samples_depend_on_the_position_only(options):
    """Another true state behind the same position, and the parsed line, give the same samples to the bit."""
    for state, seat in states(options, seed=1):
        position = state.position(seat)
        other = position.sample(5)
        assert other.position(seat) == position
        assert everything(position.sample(7)) == everything(other.position(seat).sample(7))
        assert everything(position.sample(7)) == everything(scout.parse(str(position)).sample(7))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_a_sample_fits_and_plays_on(options):
    """What is public is kept, every card is somewhere once, and the game can be played to its end."""
    rng = Rng(3)
    for state, seat in states(options, seed=2):
        sampled = state.position(seat).sample(rng)
        assert sampled.hand(seat) == state.hand(seat)
        assert sampled.active_set() == state.active_set() or state.phase == "must_show"
        assert sampled.position(seat) == state.position(seat)
        cards = [frozenset(card) for q in range(state.game.players) for card in sampled.hand(q)]
        cards += [frozenset(card) for card in sampled.active_set()]
        assert len(cards) == len(set(cards))
        assert set(cards) <= {frozenset(pair) for pair in state.game.deck()}
        for q, known in state.position(seat).known.items():
            held = sampled.hand(q)
            for card, place in known:
                assert (held[place] == card) if place >= 0 else (card in held or card[::-1] in held)
        while not sampled.is_terminal():
            sampled.apply_action(rng.choice(sampled.legal_actions()))
        assert len(sampled.round_results()) >= 1


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_no_seat_sees_a_pending_scout_and_show(options):
    """Between the halves of a Scout & Show the others' positions and information states stand still."""
    for state, seat in states(options, seed=4, games=6):
        for action in state.legal_actions():
            if state.game.decode(action)[0] != "scout_and_show" or seat == state.current_player():
                continue
            half = state.child(action)
            assert half.position(seat) == state.position(seat)
            assert half.information_state_string(seat) == state.information_state_string(seat)
            break


def arrangements(position):
    """Exact probability of each hand of the only rival, by enumeration: unseen cards in every order
    and orientation, each known card at every place and side."""
    (rival,) = [q for q in range(position.game.players) if q != position.player]
    known = [card for card, _ in position.known.get(rival, ())]
    count = position.counts[rival]
    exact = Counter()
    for hidden in itertools.permutations(position.unseen(), count - len(known)):
        for order in itertools.permutations(range(count), len(known)):
            for sides in itertools.product((0, 1), repeat=count):
                row = [None] * count
                for card, place in zip(known, order, strict=True):
                    row[place] = card
                rest = iter(hidden)
                row = [next(rest) if card is None else card for card in row]
                exact[tuple(c[::-1] if side else c for c, side in zip(row, sides, strict=True))] += 1
    return exact


LINES = [
    # nothing known
    "scout(players=2,ranks=4,hand_size=2,chips=2) | hand 1/2 3/4",
    # one card known to be in the rival's hand, another gone
    "scout(players=2,ranks=4,hand_size=3,chips=2) | hand 1/2 3/4 | table 2/3 by 1 | cards 2 2 | chips 2 1 | "
    "score 0 1 | known 1: 1/4 | gone 1/3",
    # two known
    "scout(players=2,ranks=5,hand_size=3,chips=3) | hand 1/2 | table 2/3 by 1 | cards 1 3 | chips 1 1 | "
    "score 1 0 | known 1: 1/4 2/5 | gone 1/3",
    # a score card that the player has forgotten
    "scout(players=2,ranks=4,hand_size=3,chips=2) | hand 1/2 3/4 | table 2/3 by 1 | cards 2 2 | score 0 1",
]


@pytest.mark.parametrize("line", LINES)
def test_frequencies_are_exact(line):
    """Chi-square against the exact distribution of the rival's hand."""
    position = scout.parse(line)
    exact = arrangements(position)
    total = sum(exact.values())
    rng = Rng(11)
    n = max(20_000, 20 * len(exact))
    rival = 1 - position.player
    seen = Counter(tuple(position.sample(rng).hand(rival)) for _ in range(n))
    assert set(seen) <= set(exact)
    expected = [n * Fraction(exact[row], total) for row in exact]
    assert stats.chisquare([seen[row] for row in exact], [float(e) for e in expected]).pvalue > 1e-3


def test_a_rival_without_a_chip_who_is_to_move_can_show():
    """The one thing beyond cards that a position tells: with two players, the round would be over else."""
    position = scout.parse(
        "scout(players=2,ranks=4,hand_size=3,chips=1) | to-move 1 | hand 1/2 | table 3/4 2/4 by 0 | "
        "cards 1 3 | chips 1 0"
    )
    exact = arrangements(position)
    table = [3, 2]
    fitting = {row: w for row, w in exact.items() if scout.legal_sets([top for top, _ in row], table)}
    assert 0 < len(fitting) < len(exact)
    rng = Rng(12)
    n = 20 * len(fitting)
    seen = Counter(tuple(position.sample(rng).hand(1)) for _ in range(n))
    assert set(seen) <= set(fitting)
    total = sum(fitting.values())
    expected = [n * fitting[row] / total for row in fitting]
    assert stats.chisquare([seen[row] for row in fitting], expected).pvalue > 1e-3


def test_true_states_behind_one_position_give_the_same_distribution():
    """Homogeneity of samples taken behind two different true deals."""
    game = scout.Game(players=3)
    first = game.deal(seed=1, turned=[False] * 3)
    second = first.position(0).sample(2)
    assert first.hand(1) != second.hand(1)
    counts = []
    for state, seed in ((first, 3), (second, 4)):
        rng = Rng(seed)
        tally = Counter(state.position(0).sample(rng).hand(1)[0] for _ in range(20_000))
        counts.append(tally)
    cards = sorted(set(counts[0]) | set(counts[1]))
    table = [[tally[card] for card in cards] for tally in counts]
    assert stats.chi2_contingency(table).pvalue > 1e-3


def test_deals_are_uniform_in_order_and_orientation():
    """Every card side is equally likely at every place; neighbours are independent."""
    game = scout.Game(players=2, ranks=4, hand_size=1, chips=1)
    rng = Rng(21)
    seen = Counter()
    for _ in range(12_000):
        state = game.deal(seed=rng)
        seen[state.hand(0)[0], state.hand(1)[0]] += 1
    sides = [side for a, b in game.deck() for side in ((a, b), (b, a))]
    pairs = [(x, y) for x in sides for y in sides if set(x) != set(y)]
    assert set(seen) == set(pairs)
    assert stats.chisquare([seen[pair] for pair in pairs]).pvalue > 1e-3


def test_resampling_keeps_the_information_state():
    """OpenSpiel's name: the same information state string for the seat, another deal behind it."""
    rng = Rng(31)
    for options in OPTIONS:
        for state, seat in states(options, seed=5, games=1):
            other = state.resample_from_infostate(seat, rng.random)
            assert other.information_state_string(seat) == state.information_state_string(seat)
            assert other.legal_actions() == state.legal_actions() or state.current_player() != seat
