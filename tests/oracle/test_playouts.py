"""Random play inside the compiled game has its own loop; here it is held against play through legal actions."""

import random
from functools import cache
from statistics import fmean, stdev

import pytest

from solver import scout

# Short hands and long ones, sets of many cards, all endings, both payoffs that are no plain sums.
GAMES = {
    "2 players": {"players": 2},
    "2 players, match": {"players": 2, "rounds": "match", "payoff": "win"},
    "2 players, long hands": {"players": 2, "hand_size": 22, "chips": 12},
    "2 players, no chips": {"players": 2, "chips": 0, "ranks": 6},
    "3 players": {"players": 3},
    "3 players, few ranks": {"players": 3, "ranks": 5, "ends_on_emptying_scout": False},
    "3 players, match": {"players": 3, "ranks": 6, "rounds": "match", "payoff": "margin", "max_turns": 25},
    "4 players": {"players": 4},
    "5 players": {"players": 5, "ends_on_emptying_scout": False, "max_turns": 60},
    "4 players, one card": {"players": 4, "ranks": 4, "hand_size": 1},
}
REASONS = ("empty_hand", "scouted_out", "max_turns")


@cache
def played(name: str, games: int = 1500) -> list[dict[str, float]]:
    """Uniform play through `legal_actions` and `apply_action`: what each game gave."""
    game = scout.Game(**GAMES[name])
    rng = random.Random(name)
    rows = []
    for _ in range(games):
        state = game.deal(seed=rng.getrandbits(60))
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
        row = {f"return of seat {seat}": value for seat, value in enumerate(state.returns())}
        row["decisions"] = len(state.history())
        reasons = [result.reason for result in state.round_results()]
        row |= {reason: reasons.count(reason) for reason in REASONS}
        rows.append(row)
    return rows


@pytest.mark.parametrize("name", GAMES)
def test_playouts_agree_with_uniform_play(name):
    """Mean returns, decisions and endings lie within 4.5 standard errors of play through the legal actions."""
    rows = played(name)
    game = scout.Game(**GAMES[name])
    n = 20_000
    result = game.playouts(n, seed=11)
    fast = {f"return of seat {seat}": value for seat, value in enumerate(result.mean_returns)}
    fast["decisions"] = result.decisions / n
    fast |= {reason: result.terminations[reason] / n for reason in REASONS}
    for key, value in fast.items():
        slow = [row[key] for row in rows]
        spread = stdev(slow)
        if spread == 0:
            assert value == pytest.approx(fmean(slow), abs=20 / n), key
        else:
            assert abs(value - fmean(slow)) < 4.5 * spread * (1 / len(slow) + 1 / n) ** 0.5, (key, value, fmean(slow))


def only(*numbers: int) -> list[tuple[int, int]]:
    """What to drop from a deck of 11 ranks so that each card bears one of these numbers: long groups are common."""
    return [(a, b) for a in range(1, 12) for b in range(a + 1, 12) if not {a, b} & set(numbers)]


def last_turn(state: scout.State, rng: random.Random) -> list[tuple[float, float, bool]]:
    """Uniform play up to the last turn; then for each action that is legal, the returns and whether a hand is empty."""
    while state.phase == "choose" or state.turns + 1 < state.game.max_turns:
        state.apply_action(rng.choice(state.legal_actions()))
        if state.is_terminal():
            return [(*state.returns(), not all(state.counts()))]
    ends = [state.child(action) for action in state.legal_actions()]
    assert all(end.is_terminal() for end in ends)
    return [(*end.returns(), not all(end.counts())) for end in ends]


@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize(
    ("hand_size", "drop"), [(5, only(1)), (9, only(1, 2)), (13, only(1, 2, 3)), (17, []), (27, []), (16, [])]
)
def test_shows_of_playouts_are_uniform(turns, hand_size, drop):
    """Rounds cut after one or two Shows, by two players without chips: the mean number of cards left and the share of
    emptied hands agree with the mean over all legal sets, for hands short and long (beyond 16 cards the counting is
    another) and for sets of five cards and more."""
    game = scout.Game(players=2, ranks=11, drop=drop, hand_size=hand_size, chips=0, max_turns=turns)
    rng = random.Random(turns)
    rows = [last_turn(game.deal(seed=seed), rng) for seed in range(6000)]
    n = 200_000
    result = game.playouts(n, seed=5)
    fast = [*result.mean_returns, result.terminations["empty_hand"] / n]
    for column, value in enumerate(fast):
        means = [fmean(end[column] for end in row) for row in rows]
        spread = stdev(rng.choice(row)[column] for row in rows)  # of single games
        error = (stdev(means) ** 2 / len(means) + spread**2 / n) ** 0.5
        assert abs(value - fmean(means)) <= 4.5 * error, (column, value, fmean(means))


@pytest.mark.parametrize("name", GAMES)
def test_playouts_count_what_they_play(name):
    """As many endings as rounds, at least a decision a seat and round, and the same numbers for the same seed."""
    game = scout.Game(**GAMES[name])
    one, same, other = game.playouts(700, seed=3), game.playouts(700, seed=3), game.playouts(700, seed=4)
    assert one.games == 700
    assert sum(one.terminations.values()) == 700 * game.rounds
    assert set(one.terminations) == set(REASONS)
    assert one.decisions >= 700 * game.rounds * (game.players + 1)
    assert all(game.min_utility() <= value <= game.max_utility() for value in one.mean_returns)
    assert one[:2] + one[3:] == same[:2] + same[3:]
    assert one.decisions != other.decisions or game.hand_size == 1
    if game.payoff == "win":
        assert sum(one.mean_returns) == pytest.approx(1)
    if game.payoff == "margin":
        assert sum(one.mean_returns) == pytest.approx(0, abs=1e-9)


def test_endings_of_playouts_are_of_every_kind():
    """All three endings occur, so that their rates above are compared."""
    seen = {reason for name in GAMES for row in played(name) for reason in REASONS if row[reason]}
    assert seen == set(REASONS)


@pytest.mark.parametrize("n", [0, -1])
def test_playouts_need_a_game(n):
    """At least one game must be asked for."""
    with pytest.raises(ValueError, match="at least 1"):
        scout.Game().playouts(n)
