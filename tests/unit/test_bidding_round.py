"""The abstracted bidding round: its chances from the cards themselves, its play, its size and its value."""

import itertools
import math
import pickle
from collections import Counter

import pytest

from solver import Rng, bidding_round, cfr, evaluate, games, ismcts, protocol
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PositionError
from solver.games.bidding_round import DOUBT, HIGHEST, LEVELS, LOWEST, ON, OPENINGS, TOPS
from solver.games.duel import WAYS
from tests.reference import sequence_lp

HANDS = bidding_round.Game().hands
HANDS_AND_PLACES = 4  # actions and outcomes up to it may be hidden, bids are not
CARDS = [value for value in range(6) for _ in range(5)]  # a deck of detectives


def after(game, *actions):
    state = game.new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


def all_states(game):
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        yield state
        pending.extend(map(state.child, state.legal_actions()))


def random_states(game, seed, count):
    rng = Rng(seed)
    for _ in range(count):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state.clone()
            state.apply_action(rng.choice(state.legal_actions()))
        yield state


# ----------------------------------------------------------------------------------------------
# Chances


def test_levels_are_those_of_all_hands():
    """Every set of three of the thirty cards, counted one by one."""
    hands = list(itertools.combinations(CARDS, 3))
    sums = Counter(map(sum, hands))
    assert [sums[total] for total in range(16)] == list(WAYS)
    for level, chance in enumerate(HANDS.chances):
        mine = [total for total in range(16) if bidding_round.level_of(total) == level]
        assert LEVELS[level] == f"{mine[0]}-{mine[-1]}"
        count = sum(sums[total] for total in mine)
        assert chance == count / len(hands)
        assert HANDS.sums[level] == tuple(sums[total] / count if total in mine else 0.0 for total in range(16))
    assert math.fsum(HANDS.chances) == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(("place", "which"), [(LOWEST, 0), (HIGHEST, 2)])
def test_changes_are_those_of_all_draws(place, which):
    """Every hand and every card that may come after it; what is rare is told with the nearest level that is not."""
    came = [Counter() for _ in LEVELS]
    pips = [Counter() for _ in LEVELS]
    for hand in itertools.combinations(CARDS, 3):  # ascending
        level = bidding_round.level_of(sum(hand))
        for drawn in range(6):
            to = bidding_round.level_of(sum(hand) - hand[which] + drawn)
            ways = 5 - hand.count(drawn)
            came[level][to] += ways
            pips[level][to] += ways * hand[which]
    for level in range(len(LEVELS)):
        moves, total = HANDS.moves[level, place], sum(came[level].values())
        assert list(moves) == sorted(to for to, ways in came[level].items() if ways >= 0.1 * total)
        assert math.fsum(draw.chance for draw in moves.values()) == pytest.approx(1, abs=1e-15)
        mean = math.fsum(draw.chance * draw.pips for draw in moves.values())
        assert mean == pytest.approx(sum(pips[level].values()) / total)
        for to, draw in moves.items():
            nearest = [one for one in came[level] if min(moves, key=lambda other: abs(other - one)) == to]
            assert draw.chance == sum(came[level][one] for one in nearest) / total
            assert 0 <= draw.pips <= 5


def test_bids_are_as_likely_true_as_by_counting():
    """The sums of two hands that are independent of each other; the same for both seats, to the bit."""
    for one, other in itertools.product(range(len(LEVELS)), repeat=2):
        assert HANDS.true[one][other] == HANDS.true[other][one]
        pairs = [
            (first + second, WAYS[first] * WAYS[second])
            for first, second in itertools.product(range(16), repeat=2)
            if (bidding_round.level_of(first), bidding_round.level_of(second)) == (one, other)
        ]
        total = sum(ways for _, ways in pairs)
        for bid, true in enumerate(HANDS.true[one][other]):
            assert true == pytest.approx(sum(ways for both, ways in pairs if both >= bid) / total, abs=1e-15)
            assert 0 <= true <= 1


@pytest.mark.parametrize("total", [-1, 16, 7.0, True, None, "7"])
def test_no_such_sum(total):
    with pytest.raises(ArgumentError, match=r"the sum of a hand is a whole number in 0\.\.15"):
        bidding_round.level_of(total)


# ----------------------------------------------------------------------------------------------
# The game


@pytest.fixture(scope="module")
def tree():
    """Of the default options."""
    return cfr.compile(bidding_round.Game())


@pytest.mark.parametrize(("horizon", "nodes", "infosets"), [(1, 2741, 63), (2, 50_621, 735), (3, 629_213, 4623)])
def test_known_sizes(tree, horizon, nodes, infosets):
    tree = tree if horizon == 3 else cfr.compile(bidding_round.Game(horizon))
    assert (tree.num_nodes, tree.num_infosets) == (nodes, infosets)
    assert tree.zero_sum
    assert isinstance(tree.game, protocol.Game)
    assert isinstance(tree.game.new_initial_state(), protocol.State)
    assert tree.game.min_utility() <= tree.min_utility
    assert tree.max_utility <= tree.game.max_utility()


def test_known_value():
    """By linear programming over a walk of its own, and by CFR."""
    game = bidding_round.Game(horizon=2)
    plans = sequence_lp.solve(game)
    assert plans[0].value == pytest.approx(0.221973, abs=1e-6)
    assert plans[1].value == pytest.approx(-0.221973, abs=1e-6)
    tree = evaluate.compile(game)
    assert evaluate.exploitability(tree, plans[0].policy | plans[1].policy) < 1e-6
    solution = cfr.solve(tree, "pdcfr+", target=1e-5, iterations=10_000)
    assert solution.value[0] == pytest.approx(0.221973, abs=2e-5)


def test_the_price_is_what_it_adds():
    """Of one bid, before which the opener alone places: its lowest card at least, its highest at most."""
    free, dear = (
        cfr.solve(bidding_round.Game(1, price), "pdcfr+", target=1e-6, iterations=10_000).value[0] for price in (0, 1)
    )
    least, most = (
        math.fsum(
            chance * math.fsum(draw.chance * draw.pips for draw in HANDS.moves[level, place].values())
            for level, chance in enumerate(HANDS.chances)
        )
        for place in (LOWEST, HIGHEST)
    )
    assert least < dear - free <= most + 1e-5


def test_chances_sum_to_one():
    for state in all_states(bidding_round.Game(horizon=2)):
        outcomes = state.chance_outcomes()
        assert bool(outcomes) == state.is_chance_node() == (state.current_player() == -1)
        if outcomes:
            assert math.fsum(chance for _, chance in outcomes) == pytest.approx(1, abs=1e-15)
            assert state.legal_actions() == [outcome for outcome, _ in outcomes]


def test_perfect_recall():
    """Whose string is the same has the same past: its own levels and places, and all bids."""
    pasts = {}
    for state in all_states(bidding_round.Game(horizon=2)):
        player = state.current_player()
        if player < 0:
            continue
        told, seen = after(state.game), []
        for action in state.history():
            mover = told.current_player()
            if mover < 0:
                mover = len(told.levels) if len(told.levels) < 2 else len(told.bids) % 2  # whose level it is
            if mover == player or action > HANDS_AND_PLACES:
                seen.append((mover, action))
            told.apply_action(action)
        assert vars_of(told) == vars_of(state)
        key = player, state.information_state_string(player)
        assert pasts.setdefault(key, (seen, state.legal_actions())) == (seen, state.legal_actions())
    assert len(pasts) == 735


def vars_of(state):
    return {name: getattr(state, name) for name in state.__slots__}


def test_a_round():
    game = bidding_round.Game(horizon=2)
    state = after(game, 2, 0)
    assert [state.current_player(), state.legal_actions()] == [0, [LOWEST, HIGHEST]]
    state.apply_action(HIGHEST)
    assert state.legal_actions() == list(HANDS.moves[2, HIGHEST]) == [0, 1, 2]
    state.apply_action(1)
    assert state.legal_actions() == list(OPENINGS)
    state.apply_action(10)
    assert [state.current_player(), state.legal_actions()] == [1, [DOUBT, LOWEST, HIGHEST]]
    assert [state.information_state_string(seat) for seat in (0, 1)] == ["2h1 10", "0 10"]
    state = state.child(LOWEST).child(1)
    assert state.legal_actions() == [11, 13, 16]
    state.apply_action(13)
    assert [state.current_player(), state.legal_actions()] == [0, [DOUBT, ON]]
    assert [state.information_state_string(seat) for seat in (0, 1)] == ["2h1 10 13", "0l1 10 13"]
    assert state.returns() == [0.0, 0.0]
    pips = 0.15 * (HANDS.moves[2, HIGHEST][1].pips - HANDS.moves[0, LOWEST][1].pips)
    gone_on, doubted = state.child(ON), state.child(DOUBT)
    assert gone_on.returns() == pytest.approx([pips, -pips])
    lost = 1 - 2 * HANDS.true[1][1][13]  # seat 1 bid 13 with 5 or 6 beside 5 or 6: never true
    assert lost == 1
    assert doubted.returns() == pytest.approx([lost + pips, -lost - pips])
    assert [s.information_state_string(0) for s in (gone_on, doubted)] == ["2h1 10 13 on", "2h1 10 13 doubt"]
    assert str(doubted) == "hands 2h1 0l1, bids [10, 13], doubted"
    assert str(gone_on) == "hands 2h1 0l1, bids [10, 13], gone on"
    for end in (gone_on, doubted):
        assert [end.current_player(), end.is_terminal(), end.legal_actions()] == [-4, True, []]
    assert doubted.history() == [2, 0, HIGHEST, 1, 10, LOWEST, 1, 13, DOUBT]
    assert after(game, 2).information_state_string(0) == "2"
    assert after(game, 2).information_state_string(1) == ""


def test_a_bid_of_30_is_doubted():
    line = [4, 4, *(step for bid in (18, 24, 27, 30) for step in (LOWEST, 4, bid))]
    assert after(bidding_round.Game(horizon=4), *line).legal_actions() == [DOUBT]
    assert after(bidding_round.Game(horizon=5), *line).legal_actions() == [DOUBT]
    assert after(bidding_round.Game(horizon=4), *line[:-1], 28).legal_actions() == [DOUBT, ON]
    assert bidding_round.Game().bids_after((18, 24, 28)) == [29]
    longest = [4, 4, *(step for bid in range(8, 31) for step in (LOWEST, 4, bid)), DOUBT]
    end = after(bidding_round.Game(horizon=23), *longest)
    assert end.is_terminal()
    assert end.returns()[0] < end.game.max_utility()


def test_seats_are_treated_alike():
    """The same hands and places with one price for both: what the opener wins by a doubt, the other seat loses."""
    game = bidding_round.Game(horizon=2, price=0.0)
    for one, other, bid in itertools.product(range(5), range(5), OPENINGS):
        first = after(game, one, other, LOWEST)
        first = first.child(first.legal_actions()[0]).child(bid).child(DOUBT)
        mine = first.levels[0]
        assert first.returns()[0] == pytest.approx(2 * HANDS.true[mine][other][bid] - 1)
        assert sum(first.returns()) == 0


def test_states_are_independent():
    state = after(bidding_round.Game(), 2, 0, HIGHEST)
    before = vars_of(state)
    copy, child = state.clone(), state.child(1)
    copy.apply_action(2)
    assert vars_of(state) == before
    assert [one.information_state_string(0) for one in (state, copy, child)] == ["2h", "2h2", "2h1"]
    assert vars_of(pickle.loads(pickle.dumps(child))) == vars_of(child)


def test_resampling():
    """What the other seat saw and did is drawn anew, as a deck and even places give it; the rest stays."""
    game = bidding_round.Game()
    rng = Rng(1)
    for state in random_states(game, 2, 60):
        for player in range(2):
            other = state.resample_from_infostate(player, rng.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert (other.current_player(), other.bids, other.doubted) == (
                state.current_player(),
                state.bids,
                state.doubted,
            )
            assert vars_of(after(game, *other.history())) == vars_of(other)
    state = after(game, 2, 0, HIGHEST, 1, 10, LOWEST)
    draws = 6000
    drawn = Counter(state.resample_from_infostate(1, rng.random).information_state_string(0) for _ in range(draws))
    expected = {
        f"{level}{'lh'[place - 1]}{to} 10": chance * draw.chance / 2
        for level, chance in enumerate(HANDS.chances)
        for place in (LOWEST, HIGHEST)
        for to, draw in HANDS.moves[level, place].items()
    }
    assert math.fsum(expected.values()) == pytest.approx(1)
    assert set(drawn) == set(expected)
    spread = sum((drawn[text] - draws * share) ** 2 / (draws * share) for text, share in expected.items())
    free = len(expected) - 1
    assert abs(spread - free) < 5 * math.sqrt(2 * free)  # chi-squared
    assert state.resample_from_infostate(1, lambda: 1 - 2**-53).information_state_string(0) == "4h4 10"
    with pytest.raises(ArgumentError, match="must return floats"):
        state.resample_from_infostate(0, lambda: 1)


def test_it_is_searched():
    """With 0 to 4 one doubts a bid of 18, which is hardly ever true."""
    result = ismcts.search(after(bidding_round.Game(price=0), 4, 0, LOWEST, 4, 18), iterations=500, seed=1)
    assert result.position == "0 18"
    assert result.words[result.best] == "doubt"
    assert result.value > 0.9


@pytest.mark.parametrize("player", [-1, 2, 0.5, None, True])
def test_no_such_seat(player):
    state = after(bidding_round.Game(), 2, 0)
    with pytest.raises(ArgumentError, match="a seat is 0 or 1"):
        state.information_state_string(player)
    with pytest.raises(ArgumentError, match="a seat is 0 or 1"):
        state.resample_from_infostate(player, lambda: 0.5)


@pytest.mark.parametrize(
    ("actions", "action"),
    [
        ((), 5),
        ((1,), -1),
        ((1, 1), DOUBT),
        ((1, 1), ON),
        ((1, 1, LOWEST), 0),  # a hand does not get worse without its lowest card
        ((1, 1, LOWEST, 1), 9),
        ((1, 1, LOWEST, 1, 8), ON),
        ((1, 1, LOWEST, 1, 8, DOUBT), DOUBT),
        ((1, 1, LOWEST, 1, 8), True),
        ((1, 1, LOWEST, 1), "8"),
    ],
)
def test_illegal_actions_are_named(actions, action):
    state = after(bidding_round.Game(), *actions)
    before = vars_of(state)
    for play in (state.apply_action, state.child):
        with pytest.raises(IllegalActionError, match="is not among the legal actions"):
            play(action)
    assert vars_of(state) == before


def test_words():
    state = bidding_round.Game().new_initial_state()
    assert [state.action_to_string(0, action) for action in (DOUBT, LOWEST, HIGHEST, ON, 8, 30)] == [
        "doubt",
        "place the lowest card",
        "place the highest card",
        "go on",
        "bid 8",
        "bid 30",
    ]
    assert [state.action_to_string(-1, level) for level in (0, 4)] == ["hand of 0-4", "hand of 11-15"]
    for player, action in ((0, 4), (0, 31), (1, -1), (-1, 5), (-1, -1), (0, "8")):
        with pytest.raises(IllegalActionError, match=f"{action!r} is no action of seat {player}"):
            state.action_to_string(player, action)


# ----------------------------------------------------------------------------------------------
# Options and game strings


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"horizon": 0}, r"horizon must lie in 1\.\.23, not 0"),
        ({"horizon": 24}, r"horizon must lie in 1\.\.23, not 24"),
        ({"horizon": 2.0}, "horizon must be a whole number"),
        ({"price": -0.01}, r"price is a finite number in 0\.\.1, not -0\.01"),
        ({"price": 1.01}, "price is a finite number"),
        ({"price": math.nan}, "price is a finite number"),
        ({"price": math.inf}, "price is a finite number"),
        ({"price": "0.1"}, "price is a number, not '0.1'"),
        ({"price": True}, "price is a number, not True"),
    ],
)
def test_bad_options(options, words):
    with pytest.raises(GameOptionError, match=words):
        bidding_round.Game(**options)


def test_game_strings():
    assert "bidding_round" in games.NAMES
    for text, options in (
        ("bidding_round", {"horizon": 3, "price": 0.15}),
        ("bidding_round(horizon=2)", {"horizon": 2, "price": 0.15}),
        ("bidding_round(price=0.3)", {"horizon": 3, "price": 0.3}),
        ("bidding_round(horizon=4,price=1e-05)", {"horizon": 4, "price": 1e-5}),
    ):
        game = games.load(text)
        assert game.get_parameters() == options
        assert str(game) == text
        assert game == bidding_round.Game(**options)
    assert str(games.load(" Bidding_Round ( price = 0 , horizon = 3 ) ")) == "bidding_round(price=0.0)"
    for text, words in (
        ("bidding_round(price=much)", r"price must be a number in 0\.\.1, such as 0\.15, not much"),
        ("bidding_round(price=true)", "price is a number, not True"),
        ("bidding_round(price=nan)", "price is a finite number"),
        ("bidding_round(price=2)", "price is a finite number"),
        ("bidding_round(horizon=2.5)", "horizon must be a whole number"),
        ("bidding_round(bids=3)", "bidding_round has no option 'bids'; it has horizon, price"),
    ):
        with pytest.raises(GameOptionError, match=words):
            games.load(text)
    with pytest.raises(PositionError, match="nothing may follow the game string"):
        games.load("bidding_round | hand 3")
    with pytest.raises(PositionError, match="bidding_round has no positions in text"):
        games.parse("bidding_round")


# ----------------------------------------------------------------------------------------------
# In the whole game


@pytest.mark.parametrize(
    ("bids", "known"),
    [
        ([], ()),
        ([8], (8,)),
        ([0], (8,)),
        ([30], (18,)),
        ([9], (8,)),  # the lower of two
        ([13, 14], (12, 13)),
        ([13, 30], (12, 18)),
        ([13, 15, 17], (12, 15, 16)),
        ([13, 15, 17, 18], None),
        (range(8, 11), (8, 9, 10)),
    ],
)
def test_translating_bids(bids, known):
    assert bidding_round.Game().translate(bids) == known


def test_translating_bids_beyond_30():
    game = bidding_round.Game(horizon=23)
    assert game.translate(range(8, 31)) == tuple(range(8, 31))
    assert game.translate(range(7, 30)) == tuple(range(8, 31))
    assert game.translate(range(7, 31)) is None


@pytest.mark.parametrize("bids", [[-1], [31], [12, 12], [12, 11], [True], [1.0], ["8"], "8", 8])
def test_no_such_bids(bids):
    game = bidding_round.Game()
    for asked in (game.translate, game.bids_after, bidding_round.Follower(game).information_state):
        with pytest.raises(ArgumentError, match=r"bids (are whole numbers in 0\.\.30, each above the last|is a seq)"):
            asked(bids)


def test_following_the_whole_game():
    follower = bidding_round.Follower(bidding_round.Game())
    assert follower.information_state([8]) is None
    follower.hand(9)
    assert follower.information_state([]) == "3"
    follower.placed([5, 1, 3], 3)  # as near to the lowest as to the highest
    assert follower.seen == "3h"
    follower.drew(15)  # a level that hardly ever follows counts as the nearest that does
    assert follower.seen == f"3h{max(HANDS.moves[3, HIGHEST])}"
    follower.placed([0, 2, 5], 0)
    follower.drew(TOPS[2])
    assert follower.seen[3:] == "l2"
    follower.hand(0)
    assert follower.seen == "0"
    assert follower.information_state([9, 20]) == "0 8 14"
    assert follower.information_state([9, 20, 21, 22]) is None


def test_information_states_of_the_whole_game_are_those_of_the_tree(tree):
    """Whatever is held, placed, drawn and bid, the seat to act is at a state that the tree has."""
    game = tree.game
    texts = [set(plex.texts) for plex in tree.treeplexes]
    rng = Rng(1)
    for _ in range(300):
        hands = [[rng.below(6) for _ in range(3)] for _ in range(2)]
        followers = [bidding_round.Follower(game) for _ in range(2)]
        bids = []
        for seat, hand in enumerate(hands):
            followers[seat].hand(sum(hand))
        while bids[-1:] != [30]:
            seat = len(bids) % 2
            text = followers[seat].information_state(bids)
            assert (text in texts[seat]) == (len(bids) <= 3)
            card = rng.choice(hands[seat])
            followers[seat].placed(hands[seat], card)
            hands[seat].remove(card)
            hands[seat].append(rng.below(6))
            followers[seat].drew(sum(hands[seat]))
            if len(bids) < 3:
                text = followers[seat].information_state(bids)
                assert text in texts[seat]
            bids.append((bids[-1] if bids else 5) + 1 + rng.below(4))
            bids[-1] = min(bids[-1], 30)


def test_bids_back_in_the_whole_game():
    """Raises are as large as in the abstraction, and legal."""
    follower = bidding_round.Follower(bidding_round.Game())
    assert follower.bid([], 14) == 14
    assert [follower.bid([13], chosen) for chosen in (13, 15, 18)] == [14, 16, 19]
    assert follower.bid([5], 9) == 6
    assert follower.bid([28], 24) == 30
    assert follower.bid([10, 14], 16) == 17
    for bids, chosen in (([13], 14), ([], 9), ([8, 9, 10, 11], 12), ([30], 19), ([], None), ([13], "13")):
        with pytest.raises(ArgumentError, match="that the abstraction has after"):
            follower.bid(bids, chosen)


def test_what_a_follower_refuses():
    follower = bidding_round.Follower(bidding_round.Game())
    for wrong in (lambda: follower.placed([1, 2, 3], 1), lambda: follower.drew(3), lambda: follower.hand(16)):
        with pytest.raises(ArgumentError):
            wrong()
    assert follower.seen == ""
    follower.hand(3)
    with pytest.raises(ArgumentError, match="a card is drawn after a placing, not after '0'"):
        follower.drew(3)
    for values, card in (([1, 2, 3], 4), ([], 1), ([1, 6], 6), ([1, None], 1), ([1, 2], "1"), (None, 1)):
        with pytest.raises(ArgumentError):
            follower.placed(values, card)
    follower.placed([1, 1, 1], 1)
    with pytest.raises(ArgumentError, match="a card is placed after a hand or a draw, not after '0h'"):
        follower.placed([1, 1, 1], 1)
