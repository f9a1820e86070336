"""Baker Street's positions: read back exactly, sampled with the right probability, never peeking."""

import functools
import itertools
import random
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from solver import bakerstreet, ismcts
from solver._core import Rng
from solver.errors import ArgumentError, PositionError
from solver.games import bakerstreet_notation

LETTERS = bakerstreet_notation.LETTERS


def states(seed, games, doubting=0.4, **options):
    """States of random games in which bids are doubted with some probability."""
    rng = random.Random(seed)
    game = bakerstreet.Game(**options)
    for number in range(games):
        state = game.deal(seed=[seed, number])
        while not state.is_terminal():
            yield state
            actions = state.legal_actions()
            doubts = game.doubt in actions and rng.random() < doubting
            state = state.child(game.doubt if doubts else rng.choice(actions))


def everything(state):
    """All that is hidden in a state."""
    return (
        [state.hand(q) for q in (0, 1)],
        [state.deck(q) for q in (0, 1)],
        [state.evidence(q) for q in (0, 1)],
        [state.pile(i) for i in range(5)],
    )


OPTIONS = [{}, {"next_starter": "alternate", "symbols": "none"}, {"max_rounds": 30, "symbols": "5arrow+4arrow+0stop"}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_lines_are_read_back_and_samples_depend_on_nothing_else(options):
    """str and parse are inverse; another true state behind the position gives the same samples to the bit."""
    reshuffles = 0
    for state in states(1, 12, **options):
        for seat in (0, 1):
            position = state.position(seat)
            again = bakerstreet.parse(str(position))
            other = position.sample(5)
            assert str(again) == str(position)
            assert other.position(seat) == position
            samples = [p.sample(7) for p in (position, again, other.position(seat))]
            assert len({str(everything(sample)) for sample in samples}) == 1
            legal = state.legal_actions() if state.current_player() == seat else []
            assert position.legal_actions() == again.legal_actions() == legal
            rival = other.position(1 - seat)
            assert bakerstreet.parse(str(rival)) == rival
            assert max(map(len, position.pretty().splitlines())) <= 80
            reshuffles += " rival 3 " in str(position)
    assert reshuffles > 20


def test_a_sample_keeps_all_that_is_public_and_can_be_played_on():
    rng = random.Random(2)
    for state in states(2, 12):
        if rng.random() < 0.9:
            continue
        seat = rng.randrange(2)
        sample = state.position(seat).sample(3)
        assert sample.hand(seat) == state.hand(seat)
        assert sample.evidence(seat) == state.evidence(seat)
        for q in (0, 1):
            assert sample.discards(q) == state.discards(q)
            assert len(sample.deck(q)) == len(state.deck(q))
            cards = sample.hand(q) + sample.deck(q) + sample.discards(q)
            cards += [(v, s) for i in range(5) for who, v, s in sample.stack(i) if who == q]
            assert Counter(cards) == Counter(state.game.deck())
        assert [sample.stack(i) for i in range(5)] == [state.stack(i) for i in range(5)]
        letters = "".join([sample.pile(i) for i in range(5)] + [sample.evidence(q) for q in (0, 1)])
        assert sorted(letters) == sorted(LETTERS * 2)
        assert [len(sample.pile(i)) for i in range(5)] == [len(state.pile(i)) for i in range(5)]
        while not sample.is_terminal():
            sample.apply_action(rng.choice(sample.legal_actions()))
        assert sum(map(abs, sample.returns())) in (0, 2)


def alike(owned, legal):
    """The rival takes each legal letter with the same probability."""
    return [1] * len(legal)


def exact(position, model=alike):
    """Exact distribution of (rival's letters, contents of the piles), by enumeration.

    Letters not accounted for lie anywhere with equal probability; each take of the rival was by the
    weights of the model over the letters that were legal.
    """
    fields = read(position)
    me = fields.seat
    wins = fields.log
    known = Counter("".join(fields.looks.values())) + Counter(w.letters for w in wins if w.seat == me and w.letters)
    groups = {}
    for i, win in enumerate(wins):
        if win.seat != me and win.letters not in ("", "?", "-"):
            groups.setdefault((win.pile, win.letters), []).append(i)
    for _, letters in groups:
        known += Counter(letters)
    hidden = sorted((Counter(LETTERS * 2) - known).elements())
    before = [i for i, win in enumerate(wins) if win.letters == "-"]
    unseen = [pile for pile in range(5) if pile not in fields.looks]
    assert len(hidden) == len(before) + 8 * len(unseen)
    assert len(unseen) <= 1
    result = Counter()
    # Each hidden card its own: the cards named for `before`, in order; the rest lies in the unseen pile.
    for chosen in itertools.permutations(range(len(hidden)), len(before)):
        rest = [hidden[i] for i in range(len(hidden)) if i not in chosen]
        for orders in itertools.product(*(itertools.permutations(letters) for _, letters in groups)):
            drawn = {i: hidden[c] for i, c in zip(before, chosen, strict=True)}
            for places, order in zip(groups.values(), orders, strict=True):
                drawn.update(zip(places, order, strict=True))
            piles = [Counter(fields.looks.get(pile, "")) for pile in range(5)]
            for pile in unseen:
                piles[pile] = Counter(rest)
            for i, win in enumerate(wins):
                if win.seat == me and win.letters:
                    piles[win.pile][win.letters] += 1
                elif i in drawn:
                    piles[win.pile][drawn[i]] += 1
            replay(wins, me, drawn, piles, 0, frozenset(), Fraction(1), result, model)
    total = sum(result.values())
    return {state: weight / total for state, weight in result.items()}


def replay(wins, me, drawn, piles, i, evidence, weight, result, model):
    """Play the log from entry i on; adds up the weights of all ends."""
    if bakerstreet_notation._run(evidence) >= 7:
        return
    if i == len(wins):
        contents = tuple("".join(sorted(pile.elements())) for pile in piles)
        result["".join(sorted(evidence)), contents] += weight
        return
    win = wins[i]
    pile = piles[win.pile]
    if win.seat == me:
        if win.letters:
            pile[win.letters] -= 1
        replay(wins, me, drawn, piles, i + 1, evidence, weight, result, model)
        if win.letters:
            pile[win.letters] += 1
        return
    legal = sorted(letter for letter, count in pile.items() if count > 0 and letter not in evidence)
    if not win.letters:
        if not legal:
            replay(wins, me, drawn, piles, i + 1, evidence, weight, result, model)
        return
    weights = [Fraction(x) for x in model("".join(sorted(evidence)), "".join(legal))] if legal else []
    for letter in [drawn[i]] if i in drawn else legal:
        if letter in legal:
            chance = weights[legal.index(letter)] / sum(weights)
            pile[letter] -= 1
            replay(wins, me, drawn, piles, i + 1, evidence | {letter}, weight * chance, result, model)
            pile[letter] += 1


def read(position):
    """The fields of a position's line."""
    from solver.games import notation

    text = str(position)
    _, _, end = notation.read_game(text)
    return bakerstreet_notation.read_fields(position.game, notation.read_line(text, end))


def small_positions():
    """Positions with few hidden arrangements, of every kind of knowledge."""
    found = []
    kinds = Counter()
    for state in states(7, 60, doubting=0.7):
        if state.phase != "turn" or state.bids():
            continue
        for seat in (0, 1):
            fields = read(state.position(seat))
            took = [w.letters for w in fields.log if w.seat != seat and w.letters]
            unseen = 5 - len(fields.looks)
            if unseen > 1 or not 2 <= len(took) <= 6 or took.count("-") > 2 or took.count("?") > 2:
                continue
            kind = (unseen, took.count("-"), took.count("?"), max(map(len, took)))
            if kinds[kind] < 1:
                kinds[kind] += 1
                found.append(state.position(seat))
    return found


SMALL = small_positions()


def test_small_positions_are_of_every_kind():
    logs = [[w for w in read(p).log if w.seat != p.player and w.letters] for p in SMALL]
    assert len(SMALL) >= 12
    assert any(w.letters == "-" for log in logs for w in log)
    assert any(w.letters == "?" for log in logs for w in log)
    assert any(len(w.letters) > 1 for log in logs for w in log)
    assert any(len(read(p).looks) == 4 for p in SMALL)


@pytest.mark.parametrize("position", SMALL, ids=range(len(SMALL)))
def test_frequencies_of_letters_are_exact(position):
    """Chi-square of the hidden letters against enumeration; rare arrangements are put together."""
    check_frequencies(position, exact(position), None)


def by_worth(owned, legal):
    """What belief="worth" says, in other words."""
    now = bakerstreet.evidence_worth(owned)
    return [Fraction(1, 10) + bakerstreet.evidence_worth(owned + letter) - now for letter in legal]


def late_letters(owned, legal):
    """A model of one's own: the later a letter, the likelier."""
    return [1 + LETTERS.index(letter) for letter in legal]


@pytest.mark.parametrize("position", SMALL[::4], ids=range(len(SMALL[::4])))
@pytest.mark.parametrize(("belief", "model"), [("worth", by_worth), (late_letters, late_letters)])
def test_frequencies_of_letters_by_a_belief(position, belief, model):
    check_frequencies(position, exact(position, model), belief)


def test_a_belief_of_equal_weights_is_the_default():
    for position in SMALL[:4]:
        assert everything(position.sample(3, belief="uniform")) == everything(position.sample(3))


WRONG_BELIEFS = [
    ("greedy", "belief must be"),
    (3, "belief must be"),
    (lambda owned, legal: [1], "a weight >= 0 for each of the"),
    (lambda owned, legal: [0] * len(legal), "not all 0"),
    (lambda owned, legal: [-1] + [5] * (len(legal) - 1), "a weight >= 0"),
    (lambda owned, legal: [float("nan")] * len(legal), "a weight >= 0"),
    (lambda owned, legal: None, "a weight >= 0"),
    (lambda owned, legal: [10**400] * len(legal), "a weight >= 0"),
    (np.array([1, 2]), "belief must be"),
]


@pytest.mark.parametrize(("belief", "message"), WRONG_BELIEFS)
def test_wrong_beliefs(belief, message):
    position = next(p for p in SMALL if any(w.letters == "?" for w in read(p).log))
    with pytest.raises(ArgumentError, match=message):
        position.sample(1, belief=belief)
    with pytest.raises(ArgumentError, match=message):
        ismcts.search(position if position.legal_actions() else position.sample(1), iterations=50, belief=belief)


def test_huge_weights_are_weights():
    for position in SMALL[:4]:
        huge = position.sample(3, belief=lambda owned, legal: [1e308] * len(legal))
        assert everything(huge) == everything(position.sample(3, belief=lambda owned, legal: [1] * len(legal)))


def test_ctrl_c_in_a_belief_keeps_what_was_done():
    position = next(p for p in SMALL if p.legal_actions() and any(w.letters == "?" for w in read(p).log))
    calls = []

    def once(owned, legal):
        calls.append(legal)
        if len(calls) == 1500:
            raise KeyboardInterrupt
        return [1] * len(legal)

    result = ismcts.search(position, iterations=100_000, seed=1, belief=once)
    assert result.interrupted
    assert 0 < result.iterations < 100_000
    assert result.settings["belief"].endswith("once")
    partial = ismcts.search(position, iterations=5, seed=1, belief=functools.partial(late_letters))
    assert '"belief": "a callable"' in partial.to_json()


def test_an_error_in_a_belief_is_raised():
    def broken(owned, legal):
        raise ZeroDivisionError("here")

    position = next(p for p in SMALL if any(w.letters == "?" for w in read(p).log))
    with pytest.raises(ZeroDivisionError, match="here"):
        position.sample(1, belief=broken)


def check_frequencies(position, chances, belief):
    rng = Rng(13)
    rival = 1 - position.player
    n = 6000 if belief is None else 3000
    seen = Counter()
    for _ in range(n):
        sample = position.sample(rng, belief)
        seen[sample.evidence(rival), tuple(sample.pile(i) for i in range(5))] += 1
    assert set(seen) <= set(chances)
    common = [key for key in chances if chances[key] * n >= 5]
    observed = [seen[key] for key in common]
    expected = [float(chances[key] * n) for key in common]
    if n - sum(expected) > 1e-6:
        observed.append(n - sum(observed))
        expected.append(n - sum(expected))
    if len(expected) > 1:
        assert stats.chisquare(observed, expected).pvalue > 1e-3


def test_the_rivals_hand_is_drawn_from_its_unseen_cards():
    """After a reshuffle too: cards that were in hand then are in every sample, the rest is uniform."""
    rng = Rng(17)
    done = 0
    for state in states(9, 20):
        fields = read(state.position(0))
        if state.phase != "turn" or len(fields.rival_open) not in (1, 2) or done >= 4:
            continue
        done += 1
        position = state.position(0)
        pool = Counter(state.game.deck()) - Counter(fields.rival_open) - Counter(fields.discards[1])
        pool -= Counter((v, s) for pile in fields.stacks for who, v, s in pile if who == 1)
        cards = sorted(pool.elements(), key=str)
        draws = Counter(
            tuple(sorted(hand, key=str)) for hand in itertools.combinations(cards, 3 - len(fields.rival_open))
        )
        seen = Counter()
        for _ in range(4000):
            rest = Counter(position.sample(rng).hand(1)) - Counter(fields.rival_open)
            seen[tuple(sorted(rest.elements(), key=str))] += 1
        assert set(seen) <= set(draws)
        total = sum(draws.values())
        common = [hand for hand in draws if draws[hand] * 4000 / total >= 5]
        observed = [seen[hand] for hand in common] + [4000 - sum(seen[hand] for hand in common)]
        expected = [draws[hand] * 4000 / total for hand in common]
        expected.append(4000 - sum(expected))
        if expected[-1] < 1e-6:
            observed, expected = observed[:-1], expected[:-1]
        if len(expected) > 1:
            assert stats.chisquare(observed, expected).pvalue > 1e-3
    assert done == 4


def test_the_weights_are_hardly_ever_given_up():
    """Under 1 of 10,000 draws, over whole games."""
    draws = fallbacks = 0
    for i, state in enumerate(states(11, 20)):
        if i % 10 == 0:
            belief = ("uniform", "worth")[i // 20 % 2]
            fallbacks += state.position(i // 10 % 2).sample_fallbacks(100, seed=i, belief=belief)
            draws += 100
    assert draws > 10_000
    assert fallbacks * 10_000 <= draws


def test_resampling_keeps_the_information_state():
    rng = Rng(3)
    for state in states(12, 3):
        other = state.resample_from_infostate(0, rng.random)
        assert other.information_state_string(0) == state.information_state_string(0)


BAD = [
    ("bakerstreet | hand 6", "no detective card"),
    ("bakerstreet | hand 5 5 5 5", "at most 3 cards"),
    ("bakerstreet | hand 0s 0s 1", "seat 0 has 2 cards 0s, but its deck only 1"),
    ("bakerstreet | hand 5 4", "seat 0 holds 2 cards, though it has 28 to draw from"),
    ("bakerstreet | hand 5 4 3 | open 2", "not in the own hand"),
    ("bakerstreet | hand 5 4 3 | rival 4", "the rival's hand cards must lie in 0..3"),
    ("bakerstreet | hand 5 4 3 | bids 3 2", "each bid is higher"),
    ("bakerstreet | hand 5 4 3 | bids 31", "a bid must lie in 0..30"),
    ("bakerstreet | hand 5 4 3 | phase bid | bids 30", "the rival must doubt"),
    ("bakerstreet | hand 5 4 3 | phase sleep", "one of turn, bid, choose, take"),
    ("bakerstreet | phase choose", "the section mover is needed"),
    ("bakerstreet | phase choose | mover 0 | hand 5", "both hands are discarded"),
    ("bakerstreet | hand 5 4 3 | pile 2", "not at phase turn"),
    ("bakerstreet | hand 5 4 3 | stack1 5", "a placed card is its seat and the card"),
    ("bakerstreet | hand 5 4 3 | log 0:B", "seat@pile"),
    ("bakerstreet | hand 5 4 3 | log 0@1:?", "the own letter is known"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A", "look1 is needed exactly if"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A | look1 ABC", "7 letters were left, not 3"),
    ("bakerstreet | hand 5 4 3 | look1 ABCDEFG", "look1 is needed exactly if"),
    ("bakerstreet | hand 5 4 3 | log 1@1:-", "? is needed"),
    ("bakerstreet | hand 5 4 3 | log 1@1:? 0@1:A | look1 ABCDEF", "- is needed"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A 1@1:? 0@1:B | look1 CDEFG", "between two own looks are needed"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A 0@2:A | look1 BCDEFGH | look2 IJKLMNO", "a letter is owned once"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A | look1 AAAABCD", "each at most twice"),
    ("bakerstreet | hand 5 4 3 | log 0@1:A | look1 AABCDEF", "there are two cards A, not 3"),
    ("bakerstreet | phase take | mover 0 | doubt-won 0 | pile 2", "the log ends with 0@2"),
    ("bakerstreet | hand 5 4 3 | hands 3", "did you mean hand?"),
    ("bakerstreet(symbols=7stop) | hand 5 4 3", "symbols must be such as"),
    ("bakerstreet(max_rounds=0)", "max_rounds must be a whole number"),
    ("bakerstreet(players=2)", "has no option 'players'"),
]


@pytest.mark.parametrize(("line", "message"), BAD, ids=range(len(BAD)))
def test_bad_lines_say_what_is_wrong(line, message):
    with pytest.raises(PositionError) as error:
        bakerstreet.parse(line)
    assert message in str(error.value)


def test_mutated_lines():
    """10,000 mutations: named errors only, and what is read can be sampled and printed."""
    rng = random.Random(4)
    lines = [str(state.position(i % 2)) for i, state in enumerate(states(13, 8))]
    alphabet = "0123456789@:|?- ABCTsxaeklogdhi\x00"
    read_well = 0
    for _ in range(10_000):
        text = list(rng.choice(lines))
        for _ in range(rng.choice((1, 1, 2, 4))):
            at = rng.randrange(len(text))
            kind = rng.randrange(3)
            if kind == 0:
                text.insert(at, rng.choice(alphabet))
            elif kind == 1:
                text[at] = rng.choice(alphabet)
            else:
                del text[at : at + rng.randrange(1, 5)]
        try:
            position = bakerstreet.parse("".join(text))
        except PositionError:
            continue
        assert bakerstreet.parse(str(position)) == position
        position.legal_actions()
        position.sample(1)
        position.pretty()
        read_well += 1
    assert read_well > 100


def test_what_a_player_may_ask():
    line = "bakerstreet | hand 5 4 3 | log 0@1:A 1@1:? 1@2:? | look1 BCDEFGH"
    position = bakerstreet.parse(line)
    assert position.about_pile(0) == "never seen"
    assert position.about_pile(1) == "BCDEFGH, of these the rival took 1"
    assert position.about_pile(2) == "never seen, the rival took 1"
    assert position.unseen() == [5] * 6
    odds = bakerstreet.bid_odds([value for value, _ in position.hand], position.unseen())
    assert odds[12] == 1.0
    with pytest.raises(ArgumentError, match="a seat is 0 or 1"):
        bakerstreet.Game().deal(seed=1).position(2)


def test_chance_nodes_give_the_same_game():
    """A dealt game, and one whose chance nodes are fed the same letters and draws: equal at every decision."""
    rng = random.Random(21)
    for seed in range(6):
        dealt = bakerstreet.Game().deal(seed=seed)
        walked = bakerstreet.Game().new_initial_state()
        for pile in range(5):
            for letter in dealt.pile(pile):
                outcomes = walked.chance_outcomes()
                assert sum(p for _, p in outcomes) == pytest.approx(1)
                walked.apply_action(LETTERS.index(letter))
        while not dealt.is_terminal():
            while walked.is_chance_node():
                outcomes = dict(walked.chance_outcomes())
                assert sum(outcomes.values()) == pytest.approx(1)
                seat = next(q for q in (0, 1) if len(walked.hand(q)) < len(dealt.hand(q)))
                left = Counter(walked.deck(seat))
                # before a reshuffle the old deck runs out, so a card of the new one has to wait
                drawn = (Counter(dealt.hand(seat)) - Counter(walked.hand(seat))).elements()
                card = next(card for card in drawn if left[card])
                outcome = card[0] + 8 * bakerstreet.SYMBOLS.index(card[1])
                assert outcomes[outcome] == pytest.approx(left[card] / left.total())
                walked.apply_action(outcome)
            for q in (0, 1):
                assert walked.hand(q) == dealt.hand(q)
                assert walked.position(q) == dealt.position(q)
                assert Counter(walked.deck(q)) == Counter(dealt.deck(q))
            assert walked.legal_actions() == dealt.legal_actions()
            assert walked.current_player() == dealt.current_player()
            action = rng.choice(dealt.legal_actions())
            dealt.apply_action(action)
            walked.apply_action(action)
        assert walked.returns() == dealt.returns()


def test_keys_group_actions_as_information_states_do():
    """Two actions have the same key exactly when the other seat's information state after them is the same."""
    takes = 0
    for state in states(15, 6, doubting=0.7):
        for observer in (0, 1):
            groups = {}
            for action, key in state.observed_actions(observer):
                # drawing is chance: look at what is seen of the action itself
                view = state.child(action).information_state_string(observer)
                groups.setdefault(key, set()).add(view)
            if state.phase == "take" and observer != state.current_player():
                takes += 1
                assert len(groups) == 1
            elif state.phase != "take":
                assert len(groups) == len(state.legal_actions())
            assert len({frozenset(views) for views in groups.values()}) == len(groups)
    assert takes > 20


def test_illegal_actions_change_nothing():
    rng = random.Random(5)
    from solver.errors import IllegalActionError

    for state in states(16, 2):
        before = (str(everything(state)), state.history())
        illegal = [a for a in range(177) if a not in state.legal_actions()]
        for action in [*rng.sample(illegal, 5), -1, 177, None, 1.0]:
            with pytest.raises(IllegalActionError):
                state.apply_action(action)
        assert (str(everything(state)), state.history()) == before


def test_pickles_and_copies():
    import copy
    import pickle

    for i, state in enumerate(states(18, 1)):
        if i % 20 == 0:
            for other in (pickle.loads(pickle.dumps(state)), copy.copy(state), copy.deepcopy(state)):
                assert everything(other) == everything(state)
                assert other.information_state_string(0) == state.information_state_string(0)
            position = state.position(0)
            assert pickle.loads(pickle.dumps(position)) == position
            assert pickle.loads(pickle.dumps(state.game)) == state.game


CASES = [
    # the rules page: a 5 under the rival's STOP does not count, and still lies there
    ([(0, 2, "stop"), (1, 5, None)], ((2, 0), 1, 1, False)),
    # X2 twice doubles once
    ([(0, 1, "x2"), (0, 2, "x2"), (1, 5, None)], ((6, 5), 3, 0, False)),
    ([(1, 2, "x2"), (0, 3, None), (1, 4, None)], ((3, 12), 3, 0, False)),
    # an arrow under a STOP is not evaluated, one on top is
    ([(0, 0, "stop"), (1, 2, "arrow")], ((0, 0), 1, 1, False)),
    ([(0, 0, "arrow"), (1, 1, "stop"), (1, 5, None)], ((0, 1), 2, 1, True)),
    # the STOP's own value is doubled too
    ([(0, 0, "x2"), (0, 2, "stop"), (0, 5, None)], ((4, 0), 2, 1, False)),
    ([], ((0, 0), 0, 0, False)),
]


@pytest.mark.parametrize(("stack", "expected"), CASES)
def test_evaluation(stack, expected):
    assert bakerstreet.evaluate(stack) == bakerstreet.Evaluation(*expected)


@pytest.mark.parametrize(
    ("stack", "message"),
    [
        ([(2, 1, None)], "card 0: a seat is 0 or 1"),
        ([(0, 6, None)], "value lies in 0..5"),
        ([(0, 1, "star")], "a symbol is None"),
        ([(0, 1)], r"\(seat, value, symbol\) is needed"),
        ([(0, 1, None)] * 61, "at most 60 cards"),
    ],
)
def test_stacks_that_cannot_be(stack, message):
    with pytest.raises(ArgumentError, match=message):
        bakerstreet.evaluate(stack)


def test_the_bluff_at_the_end_of_the_alphabet():
    """T and A are no neighbours; six in a row do not win, seven do at once."""
    game = bakerstreet.Game(symbols="none")
    piles = ["OPQRSTAN", "ABCDEFGH", "BCDEFGHI", "IJKLMNJK", "LMOPQRST"]
    state = game.deal(piles=piles, seed=1)
    # seat 0 keeps winning pile 0: nothing lies there, so the winner of the doubt takes it
    for letter in "OPQRSTAN":
        while state.phase != "choose_pile":
            seat = state.current_player()
            if seat == 1 and game.doubt in state.legal_actions():
                state.apply_action(game.doubt)
            elif state.phase == "bid" and seat == 0:
                state.apply_action(game.bid(max(0, (state.standing_bid() or -1) + 1)))
            elif state.phase == "bid":
                state.apply_action(state.legal_actions()[-1])
            elif seat == 0 and game.doubt in state.legal_actions():
                state.apply_action(game.doubt)
            else:
                value, symbol = state.hand(seat)[0]
                state.apply_action(game.place(value, symbol, 4))
        assert state.current_player() == 0
        state.apply_action(game.choose_pile(0))
        state.apply_action(game.take(letter))
        if state.is_terminal():
            break
    assert state.evidence(0) == "ANOPQRST"
    assert state.winner() == 0
    assert state.returns() == [1.0, -1.0]
