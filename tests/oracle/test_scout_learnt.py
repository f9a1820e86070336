"""The compiled rule that is learnt for SCOUT equals its readable twin, and plays as it is said to."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from solver import Rng, agents, arena, ismcts, scout
from solver.errors import ArgumentError, IllegalActionError, SearchError
from tests.oracle.test_scout_play import SETTINGS, played
from tests.reference import scout_learnt as twin

ROOT = Path(__file__).parents[2]
# What each sample or contest calls its number of rounds or turns.
NUMBERS = {
    "planning_contest": "deals",
    "learnt_contest": "deals",
    "learnt_samples": "decisions",
    "value_samples": "deals",
}


def found(state):
    """The compiled scores by option; of the places of a scouted card the best."""
    best = {}
    for action, score in zip(state.legal_actions(), state.learnt_scores(), strict=True):
        kind, *rest = state.game.decode(action)
        key = action if kind == "show" else (kind, rest[0], rest[2])
        best[key] = max(best.get(key, -np.inf), score)
    return best


@pytest.mark.parametrize(("players", "options"), SETTINGS, ids=str)
def test_scores_of_options(players, options):
    """At every turn of some games; and that the rule plays the option of the greatest score."""
    kinds = Counter()
    for i, state in enumerate(played(players, 4, **options)):
        position = state.position(state.current_player())
        if state.phase != "turn":
            assert state.learnt_scores() == state.action_scores()
            assert position.learnt_action(i) == position.planning_action(i)
            continue
        wanted, scores = twin.scores(position), found(state)
        assert set(scores) == set(wanted)
        for key, score in scores.items():
            assert min(abs(score - other) for other in wanted[key]) < 2e-3 * (1 + abs(score)), (str(position), key)
        chosen = position.learnt_action()
        kind, *rest = state.game.decode(chosen)
        assert scores[chosen if kind == "show" else (kind, rest[0], rest[2])] == max(scores.values())
        assert state.learnt_scores()[state.legal_actions().index(chosen)] == max(scores.values())
        assert state.learnt_action(Rng(i)) == chosen
        kinds[kind] += 1
    assert min(kinds["show"], kinds["scout"]) >= 4


@pytest.mark.parametrize("cards", [16, 17, 33])
def test_long_hands(cards):
    """More cards than one vector holds, and more than are looked ahead in."""
    deck = [(low, high) for low in range(1, 10) for high in range(low + 1, 11)]
    rng = np.random.default_rng(cards)
    drawn = [rng.permuted(card) for card in rng.permutation(deck)]
    hand = " ".join(f"{top}/{bottom}" for top, bottom in drawn[:cards])
    top, bottom = drawn[cards]
    others = [(len(deck) - cards - 1 + i) // 4 for i in range(4)]
    chips = [(cards - 9 + i) // 4 for i in range(4)]
    numbers = (" ".join(map(str, row)) for row in ([cards, *others], [0, *chips]))
    position = scout.parse(
        "scout(players=5) | hand {} | table {}/{} by 4 | cards {} | chips {}".format(hand, top, bottom, *numbers)
    )
    wanted, scores = twin.scores(position), found(position.sample(1))
    assert set(scores) <= set(wanted)
    for key, score in scores.items():
        assert min(abs(score - other) for other in wanted[key]) < 2e-3 * (1 + abs(score)), key


def test_features_by_hand():
    """Seat 0 has 5-5-6-1 and faces a pair of 3s of seat 2; the others have 11 and 10 cards."""
    line = "scout(players=3) | hand 5/9 5/8 6/7 1/2 | table 3/7 3/9 by 2 | cards 4 11 10 | chips 1 0 1 | score 2 3 4"
    position = scout.parse(line)
    looker = twin.Looker(position)
    options = looker.options()
    shows = [rows[0] for key, rows in options.items() if isinstance(key, int)]
    of_position = looker.of_position(len(shows))
    assert of_position[:8] == [1, 2, 10, 11, 2, 2, 4, 0]
    assert of_position[12:18] == [21, 1, 0, 10, 3, 2]
    assert of_position[18:24] == [1, len(position.unseen()), 9, 10, 2, len(shows)]
    # the pair of 5s; what is left of it is 6 and 1
    (pair,) = shows
    assert pair[1:4] == [1, 0, 0]
    assert pair[5:14] == [2, 2, 2, 0, 5, 1, 2, 2, False]
    assert {row[2] for row in options["scout", 0, False]} == {1}
    assert all(row[5] == 5 and row[18] == 3 for row in options["scout", 0, False])
    assert all(row[5] == 5 and row[18] == 9 for row in options["scout", 1, True])
    # 6 and 1 go out one by one; with a 7 beside the 6, the pair, the run of 6 and 7, and the 1
    assert pair[23:26] == [2, 2, 1]
    best = min(options["scout", 0, True], key=lambda row: row[24])
    assert best[18] == 7
    assert best[23:26] == [3, 1, 3]


def taken_out(row):
    """Every row that a Show leaves, and how many cards it shows."""
    return [(row[:i] + row[i + n :], n) for i, n in scout.legal_sets(row)] if row else []


def emptied(row):
    """The least Shows that empty a row, and of them those of one card, by trying all."""
    tried = [(1 + shows, (n == 1) + singles) for left, n in taken_out(row) for shows, singles in [emptied(left)]]
    return min(tried, default=(0, 0))


def test_what_comes_together():
    """The numbers of a hand, tried by hand and in all orders of Shows."""
    assert twin.least_shows((5, 6, 1, 7)) == (2, 1)  # the 1, then the run; the run first would leave two
    assert twin.comes_together((5, 6, 1, 7), 0) == (2, False, 5)
    assert twin.comes_together((5, 6, 1, 7), 1) == (3, False, 5)
    assert twin.least_shows((3, 8, 3, 1, 2, 3)) == (3, 1)  # the 8, the 1-2, then three 3s
    assert twin.comes_together((3, 8, 3, 1, 2, 3), 1) == (3, False, 1)
    assert twin.comes_together((3, 8, 3, 1, 2, 3), 2) == (3, True, 3)
    rng = np.random.default_rng(1)
    for _ in range(60):
        row = tuple(int(number) for number in rng.integers(1, 6, rng.integers(1, 7)))
        assert twin.least_shows(row) == emptied(row)


def test_chances():
    """Two of four cards in a row beat a pair of 4s: each of 5 and 6 is as likely as 4, and nothing else is there."""
    shares = {4: 1 / 3, 5: 1 / 3, 6: 1 / 3}
    pairs = 2 / 9  # of 5s, of 6s; a run of two does not beat a group of two
    three = 3 / 27 + 2 / 27  # three alike; 4-5-6, rising or falling
    assert twin.beaten(shares, [4, 4]) == pytest.approx(pairs + three)
    assert twin.beaten(shares, [4, 5]) == pytest.approx(3 / 9 + 2 / 9 + three)
    assert twin.beaten(shares, [5]) == pytest.approx(1 / 3 + 3 / 9 + 4 / 9)
    assert twin.likely(0.5, 2) == 0.5


def test_it_knows_no_more_than_its_seat():
    """The same whatever lies hidden, from a State and from a Position."""
    turns = 0
    for i, state in enumerate(played(4, 6)):
        seat = state.current_player()
        one, other = (state.position(seat).sample([i, k]) for k in range(2))
        assert one.learnt_action([i, 5]) == other.learnt_action([i, 5]) == state.position(seat).learnt_action([i, 5])
        assert one.learnt_scores() == other.learnt_scores()
        turns += state.phase == "turn"
    assert turns > 50


def test_constants_are_those_of_the_experiment():
    """The header is what experiments/learnt-play wrote, and what the library plays by."""
    results = ROOT / "experiments" / "learnt-play" / "results"
    header = (ROOT / "src" / "solver" / "games" / "_scout_learnt.h").read_text(encoding="utf-8")
    assert header == (results / "_scout_learnt.h").read_text(encoding="utf-8")
    numbers = header.partition("= {")[2].replace("{", "").replace("}", "").replace(";", "").replace("f", "")
    rows = np.array([float(number) for number in numbers.split(",")], np.float32).reshape(4, -1)
    for players in range(2, 6):
        constants = scout.Game(players=players).learnt_constants
        assert constants.dtype == np.float32
        assert np.array_equal(constants, rows[players - 2])


@pytest.mark.parametrize(("players", "least"), [(2, 0.2), (3, 1.0), (4, 1.0), (5, 0.4)])
def test_it_beats_planning(players, least):
    """Without Python and by the arena; a rule that saw hidden cards would gain far more."""
    game = scout.Game(players=players)
    margins = game.learnt_contest(deals=3000, seed=5)
    assert margins.shape == (3000,)
    assert least < margins.mean() < 4
    row = arena.play(game, ["learnt"], 150, seed=6, against=["planning"])[0]
    assert abs(row.mean - margins.mean()) < 4 * row.stderr


def test_planning_as_a_rule():
    """With planning's worth for a score it plays as planning; the margins are chance among equals."""
    game = scout.Game(players=3)
    plain = np.zeros(len(game.learnt_constants))
    plain[-twin.OPTION] = 1
    margins = game.learnt_contest(plain, deals=4000, seed=1)
    assert abs(margins.mean()) < 4 * margins.std() / np.sqrt(4000)
    assert margins.std() < 3
    assert np.array_equal(margins, game.learnt_contest(plain, deals=4000, seed=1))
    assert not np.array_equal(margins, game.learnt_contest(plain, deals=4000, seed=2))


def test_samples():
    """What comes of the options that planning likes best is what planning gets; features are in their ranges."""
    game = scout.Game(players=3)
    plain = np.zeros(len(game.learnt_constants))
    plain[-twin.OPTION] = 1
    counts, positions, options, margins = game.learnt_samples(4000, plain, 0.0, seed=3)
    assert counts.shape == (4000,)
    assert positions.shape == (4000, 24)
    assert options.shape == (counts.sum(), 29)
    assert margins.shape == (counts.sum(),)
    assert counts.min() >= 2
    starts = np.cumsum(counts) - counts
    assert np.array_equal(np.maximum.reduceat(options[:, 0], starts), np.zeros(4000))
    assert np.array_equal(options[:, 1:4].sum(axis=1), np.ones(counts.sum()))
    best = margins[options[:, 0] == 0]
    # by symmetry planning has no margin over planning; of turns with a choice only, a little
    assert abs(best.mean()) < 1
    assert best.mean() > margins.mean() + 1
    assert set(positions[:, 0]) == {0, 1}
    assert options[:, 14:16].min() >= 0
    assert options[:, 14:16].max() < 1
    again = game.learnt_samples(4000, plain, 0.0, seed=3)
    assert all(
        np.array_equal(one, other) for one, other in zip((counts, positions, options, margins), again, strict=True)
    )
    assert not np.array_equal(game.learnt_samples(4000, plain, 1.0, seed=3)[0], counts)


@pytest.mark.parametrize("name", ["planning_contest", "learnt_contest", "learnt_samples", "value_samples"])
def test_shapes_are_as_the_docstring_says(name):
    game = scout.Game(players=4)
    found = getattr(game, name)(*((None,) if name == "planning_contest" else ()), **{NUMBERS[name]: 7})
    arrays = found if isinstance(found, tuple) else (found,)
    text = getattr(scout.Game, name).__doc__
    told = re.findall(r"numpy\.ndarray of (\w+), shape \((.*)\)\n", text[text.index("Returns") :])
    assert len(told) == len(arrays)
    for array, (dtype, shape) in zip(arrays, told, strict=True):
        assert array.dtype == dtype
        sizes = [{NUMBERS[name]: "7", "players": "4"}.get(size, size) for size in shape.rstrip(",").split(", ")]
        assert len(sizes) == array.ndim
        for size, seen in zip(sizes, array.shape, strict=True):
            assert int(size) == seen if size.isdecimal() else size == "sum of counts" and seen == arrays[0].sum()


def test_what_is_refused():
    game = scout.Game(players=3)
    for constants in ([1, 2], np.full(1789, np.nan), np.full(1789, 1e9), "many", np.zeros((1789, 1))):
        with pytest.raises(ArgumentError, match="constants of the rule are 1789 numbers"):
            game.learnt_contest(constants)
        with pytest.raises(ArgumentError, match="constants of the rule are 1789 numbers"):
            game.learnt_samples(1, constants)
    for number in (0, -1, 1.5, "2", None, 2**40):
        with pytest.raises(ArgumentError, match="must be a whole number of at least 1"):
            game.learnt_contest(deals=number)
        with pytest.raises(ArgumentError, match="must be a whole number of at least 1"):
            game.learnt_samples(number)
    with pytest.raises(ArgumentError, match=r"explore must be a number in 0\.\.1"):
        game.learnt_samples(1, explore=2)
    with pytest.raises(ArgumentError, match="rounds must be 1"):
        scout.Game(players=3, rounds=2).learnt_samples(1)
    state = game.deal(seed=1)
    with pytest.raises(ArgumentError, match="seat 0 is to decide, not seat 1"):
        state.position(1).learnt_action()
    while not state.is_terminal():
        state.apply_action(state.policy_action(1))
    for ask in (state.learnt_scores, lambda: state.learnt_action(1)):
        with pytest.raises(IllegalActionError, match="no seat is to decide"):
            ask()
    with pytest.raises(SearchError, match="own must be one of policy, learnt, not 'best'"):
        ismcts.search(game.deal(seed=1).position(0), 10, own="best")
    with pytest.raises(ArgumentError, match='own must be "policy" or "learnt"'):
        game.deal(seed=1).position(0).search_root(own="best")
    with pytest.raises(ArgumentError, match="learnt plays scout"):
        agents.make("learnt").act(agents.bakerstreet.Game().deal(seed=1).position(0), Rng(1))
