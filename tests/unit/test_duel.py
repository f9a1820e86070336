"""The bidding duel: the game, the solver against its readable twins, published values, bad arguments."""

import _thread
import itertools
import threading

import numpy as np
import pytest

from solver import _duel, duel, kuhn, policy
from solver.errors import ArgumentError, GameOptionError, IllegalActionError, PolicyError, PositionError
from solver.games import duel as game_of_duel
from tests.reference import duel_cfr

SMALL = [(7,), (0, 3), (1, 3), (10, 12, 13), (0, 9, 14, 15, 30)]


def random_policy(menu, seed, dtype="float64"):
    """A policy with many zeros."""
    rng = np.random.default_rng(seed)
    game = duel.Game(bids=menu)
    array = np.zeros((_duel.num_rows(len(menu)), 16), dtype)
    for _, start, actions in duel.DuelPolicy.uniform(game).blocks():
        weights = rng.random((len(actions), 16)) * (rng.random((len(actions), 16)) < 0.6)
        weights[rng.integers(len(actions), size=16), np.arange(16)] += 0.1
        array[start : start + len(actions)] = weights / weights.sum(axis=0)
    return duel.DuelPolicy(game, array)


# -- the game


def test_chances_of_sums_are_those_of_the_deck():
    hands = list(itertools.combinations([value for value in range(6) for _ in range(5)], 3))
    counts = [sum(sum(hand) == total for hand in hands) for total in range(16)]
    assert tuple(counts) == game_of_duel.WAYS
    outcomes = duel.Game().new_initial_state().chance_outcomes()
    assert [p * 4060 for _, p in outcomes] == pytest.approx(counts)
    assert sum(p for _, p in outcomes) == pytest.approx(1)


def test_a_duel_move_by_move():
    game = duel.Game(low=10, high=12)
    state = game.new_initial_state()
    assert (state.current_player(), state.legal_actions()) == (-1, list(range(16)))
    state.apply_action(7)
    assert (state.current_player(), state.information_state_string(0)) == (-1, "s7")
    state.apply_action(4)
    assert (state.current_player(), state.legal_actions()) == (0, [10, 11, 12])
    state.apply_action(game.bid(10))
    assert (state.current_player(), state.legal_actions()) == (1, [11, 12, game.doubt])
    assert state.information_state_string(1) == "s4 10"
    after = state.child(12)
    assert after.legal_actions() == [game.doubt]
    assert after.returns() == [0, 0]
    after.apply_action(game.doubt)
    assert (after.current_player(), after.is_terminal(), after.returns()) == (-4, True, [1, -1])  # 7 + 4 < 12
    assert after.information_state_string(0) == "s7 10 12 doubt"
    won = state.child(11).child(game.doubt)
    assert won.returns() == [-1, 1]  # 7 + 4 reach 11, which seat 1 bid
    assert state.bids == [10]
    assert [state.action_to_string(0, 10), state.action_to_string(1, 31), state.action_to_string(-1, 4)] == [
        "bid 10",
        "doubt",
        "sum 4",
    ]


def test_resampling_keeps_what_the_player_knows():
    state = duel.Game().new_initial_state().child(3).child(9).child(20)
    drawn = [state.resample_from_infostate(0, lambda u=u: (u + 0.5) / 4060) for u in range(4060)]
    assert {s.information_state_string(0) for s in drawn} == {"s3 20"}
    assert tuple(np.bincount([s.sums[1] for s in drawn])) == game_of_duel.WAYS
    assert state.resample_from_infostate(1, lambda: 0.9999999).sums == [15, 9]


@pytest.mark.parametrize(
    ("text", "bids"),
    [
        ("duel", range(31)),
        ("duel(low=10,high=20)", range(10, 21)),
        ("duel(high=3)", range(4)),
        ("duel(bids=0+12..28)", duel.DEFAULT_BIDS),
        ("duel(bids=30+4)", (4, 30)),
        ("duel(bids=7)", (7,)),
    ],
)
def test_game_strings(text, bids):
    game = game_of_duel.load(text)
    assert game.bids == tuple(bids)
    assert game_of_duel.load(str(game)) == game
    assert duel.Game(**game.get_parameters()) == game


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("kuhn", PositionError, "this is the game duel"),
        ("duel | s7", PositionError, "this is the game duel"),
        ("duel(low=5,high=4)", GameOptionError, "low must be at most high"),
        ("duel(low=true)", GameOptionError, "low must be a whole number"),
        ("duel(high=31)", GameOptionError, "high must be a whole number in 0..30"),
        ("duel(bid=3)", GameOptionError, "did you mean bids"),
        ("duel(bids=3+3)", GameOptionError, "3 stands there twice"),
        ("duel(bids=9..8)", GameOptionError, "the range 9..8 is empty"),
        ("duel(bids=1-2)", GameOptionError, "numbers and ranges"),
        ("duel(bids=-1)", GameOptionError, "numbers and ranges"),
        ("duel(bids=40)", GameOptionError, "in 0..30"),
        ("duel(bids=3,low=2)", GameOptionError, "either bids or low and high"),
    ],
)
def test_bad_game_strings(text, error, words):
    with pytest.raises(error, match=words.replace(".", r"\.")):
        game_of_duel.load(text)


@pytest.mark.parametrize("bids", [[], "12", 12, [1.5], [True], [1, 1], [-1], [31]])
def test_bad_menus(bids):
    with pytest.raises(GameOptionError, match="bids"):
        duel.Game(bids=bids)


def test_illegal_actions():
    game = duel.Game(low=3, high=5)
    state = game.new_initial_state()
    for action in (16, -1):
        with pytest.raises(IllegalActionError, match="legal actions"):
            state.apply_action(action)
    state = state.child(0).child(0)
    for action in (2, 6, 31):
        with pytest.raises(IllegalActionError, match="legal actions"):
            state.apply_action(action)
    with pytest.raises(IllegalActionError, match="no bid"):
        game.bid(6)
    for player, action in ((0, 6), (-1, 16), (-1, 31)):
        with pytest.raises(IllegalActionError, match="no action"):
            state.action_to_string(player, action)


# -- values and best responses against the plain tree


@pytest.mark.parametrize("menu", SMALL, ids=str)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vector_and_tree_agree_on_any_policy(menu, dtype):
    policy = random_policy(menu, seed=len(menu), dtype=dtype)
    play = policy.action_probabilities
    assert duel.value(policy)[0] == pytest.approx(
        duel_cfr.expected(policy.game.new_initial_state(), play), rel=0, abs=1e-12
    )
    for seat in range(2):
        vector = _duel.best_response(policy.array, policy.game.bids, seat)
        assert vector == pytest.approx(duel_cfr.best_response(policy.game, play, seat), rel=0, abs=1e-12)
    assert duel.exploitability(policy) == pytest.approx(duel_cfr.exploitability(policy.game, play), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("menu", "low", "high"),
    [((1, 3), 0, 5), ((0, 3), 0, 5), ((2, 3), 2, 5), ((9, 12), 7, 13), ((12, 14, 15), 11, 15), ((3,), 0, 5)],
    ids=str,
)
def test_the_full_menu_agrees_with_the_tree(menu, low, high):
    policy = random_policy(menu, seed=high)
    brute = duel_cfr.exploitability(duel.Game(low, high), policy.action_probabilities)
    assert duel.full_menu_exploitability(policy, low, high) == pytest.approx(brute, rel=0, abs=1e-12)


def test_the_full_menu_of_a_full_policy_is_its_own():
    policy = random_policy(range(8, 14), seed=3)
    assert duel.full_menu_exploitability(policy, 8, 13) == duel.exploitability(policy)
    assert duel.full_menu_exploitability(policy) >= duel.exploitability(policy)


# -- the solver against its twin


def compare(menu, walk, twin, **tolerance):
    """Averages everywhere; regrets where this iteration updated them (elsewhere discounts are outstanding)."""
    for node, (bids, start, actions) in enumerate(duel.DuelPolicy.uniform(duel.Game(bids=menu)).blocks()):
        order = slice(None, None, -1 if len(bids) % 2 else 1)
        rows = slice(start, start + len(actions))
        np.testing.assert_allclose(walk.averages[rows, order], twin.averages[bids], **tolerance)
        if walk.stamps[node] == walk.iterations:
            np.testing.assert_allclose(walk.regrets[rows, order], twin.regrets[bids], **tolerance)


@pytest.mark.parametrize("menu", [(7,), (10, 13), (0, 11, 12, 13, 16), tuple(range(11, 17))], ids=str)
@pytest.mark.parametrize(
    "parameters", [(False, 1.5, 0.0, 3.0), (False, 2.0, 0.25, 4.0), (False, 1.0, -1.0, 0.0), (True, 0.0, 0.0, 1.0)]
)
def test_iterates_are_those_of_the_twin(menu, parameters):
    twin = duel_cfr.Twin(menu, *parameters)
    double, single = _duel.Walk(menu, *parameters, False), _duel.Walk(menu, *parameters)
    for _ in range(12):
        twin.iterate()
        double.run(1)
        single.run(1)
        compare(menu, double, twin, rtol=1e-9, atol=1e-12)
        if twin.iteration <= 5:  # float32 takes another path sooner or later
            compare(menu, single, twin, rtol=1e-3, atol=1e-4)
    for _ in range(60):
        twin.iterate()
    double.run(60)
    compare(menu, double, twin, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("plus", [False, True])
def test_all_vector_widths_give_the_same_bits(plus):
    widths = _duel.vector_widths()
    assert widths[0] == 1
    walks = [_duel.Walk(range(9, 19), plus, 2.0, 0.25, 4.0, lanes=lanes) for lanes in widths]
    for walk in walks:
        walk.run(150)
        assert walk.regrets.tobytes() == walks[0].regrets.tobytes()
        assert walk.averages.tobytes() == walks[0].averages.tobytes()


def test_the_same_input_gives_the_same_bits():
    one, other = (duel.solve(low=10, high=17, iterations=300) for _ in range(2))
    assert one.policy.array.tobytes() == other.policy.array.tobytes()
    assert one.exploitability == other.exploitability


@pytest.mark.parametrize(
    ("plus", "alpha", "beta", "gamma"), [(False, 1.5, 0.0, 3.0), (False, 2.0, 0.25, 20.0), (True, 0.0, 0.0, 1.0)]
)
@pytest.mark.parametrize("single", [True, False])
def test_no_nan_and_nothing_next_to_zero(plus, alpha, beta, gamma, single):
    walk = _duel.Walk((0, *range(13, 20)), plus, alpha, beta, gamma, single)
    walk.run(4000)
    tiny = np.finfo(np.float32 if single else np.float64).tiny
    for rows in (walk.regrets, walk.averages, walk.finish()):
        assert np.isfinite(rows).all()
        assert (rows[rows != 0].size == 0) or np.abs(rows[rows != 0]).min() >= tiny


# -- solutions


@pytest.mark.parametrize(("low", "high", "known", "target"), [(10, 20, 0.00475, 1e-5), (8, 22, 0.00354, 3e-5)])
def test_known_values(low, high, known, target):
    solution = duel.solve(low, high, target=target)
    assert solution.exploitability <= target
    assert solution.exploitability == duel.exploitability(solution.policy)
    assert abs(solution.value[0] - known) <= 2 * target + 5e-6
    assert solution.value == duel.value(solution.policy)
    assert solution.value[1] == -solution.value[0]
    assert not solution.interrupted
    assert list(solution.history["iteration"]) == sorted(set(solution.history["iteration"]))
    assert solution.history["exploitability"][-1] == solution.exploitability
    assert solution.settings["game"] == f"duel(low={low},high={high})"


def test_what_a_small_menu_is_worth_in_the_full_duel():
    """The top matters: who never bids above 20 loses a tenth of the stake to who does."""
    policy = duel.solve(10, 20, target=1e-4).policy
    assert duel.full_menu_exploitability(policy) == pytest.approx(0.107, abs=0.005)


def test_the_default_menu_solves_the_full_duel():
    solution = duel.solve()
    assert solution.policy.game.bids == duel.DEFAULT_BIDS
    assert solution.exploitability <= duel.DEFAULT_TARGET
    gap = duel.full_menu_exploitability(solution.policy)
    assert solution.exploitability < gap <= 2e-4
    assert 0.00396 - 2e-4 <= solution.value[0] <= 0.00417 + 2e-4


def test_cfr_plus_finds_the_same_value():
    solution = duel.solve(10, 16, method="cfr+", target=1e-4)
    other = duel.solve(10, 16, target=1e-5, dtype="float64")
    assert solution.value[0] == pytest.approx(other.value[0], abs=2.2e-4)
    assert (solution.settings["gamma"], "alpha" in solution.settings) == (1.0, False)
    assert other.policy.array.dtype == np.float64


def test_the_policy_in_rows_and_by_state():
    solution = duel.solve(bids=[9, 11, 12], iterations=50)
    policy, seen = solution.policy, {}
    for text, player, actions, probabilities in policy.rows():
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        assert dict(zip(actions, probabilities, strict=True)) == policy.action_probabilities(text, player)
        seen[text] = (player, actions)
    states = [solution.policy.game.new_initial_state().child(5).child(8)]
    visited = set()
    while states:
        state = states.pop()
        if not state.is_terminal():
            player = state.current_player()
            text = state.information_state_string(player)
            assert seen[text] == (player, tuple(state.legal_actions()))
            assert policy.action_probabilities(state) == policy.action_probabilities(text)
            visited.add(text)
            states += [state.child(action) for action in state.legal_actions()]
    assert visited == {text for text, (player, _) in seen.items() if text.split()[0] == ("s5", "s8")[player]}
    assert len(seen) == 16 * 8


def test_bids_outside_the_menu_count_as_lesser_ones():
    policy = random_policy((9, 12, 15), seed=1)
    ask = policy.action_probabilities
    assert ask("s7 10") == ask("s7 9") == ask("s7 11")
    assert ask("s7 9 10") == ask("s7 9")  # its own 9 stands as if the rival had bid it
    assert ask("s7 3") == ask("s7")
    assert ask("s7 15") == ask("s7 9 12 20") == {duel.Game().doubt: 1.0}
    state = duel.Game().new_initial_state().child(1).child(7).child(10)
    assert ask(state) == ask("s7 9")


def test_the_caller_hears_of_progress_and_may_stop_it():
    heard = []

    def hear(snapshot):
        heard.append((snapshot.iteration, snapshot.exploitability))
        return snapshot.iteration >= 60

    solution = duel.solve(10, 14, iterations=1000, callback=hear, every=20)
    assert [iteration for iteration, _ in heard] == [20, 40, 60]
    assert solution.iterations == 60
    assert heard == [(row["iteration"], row["exploitability"]) for row in solution.history]


def test_a_limit_of_time_ends_it():
    solution = duel.solve(10, 24, seconds=0.05, every=10**6)
    assert solution.iterations >= 1
    assert not solution.interrupted
    assert np.isfinite(solution.exploitability)


def test_ctrl_c_gives_the_policy_so_far():
    timer = threading.Timer(0.3, _thread.interrupt_main)
    timer.start()
    try:
        solution = duel.solve(8, 22, iterations=10**6, every=10**6)
    finally:
        timer.cancel()
        timer.join()
    assert solution.interrupted
    assert 1 <= solution.iterations < 10**6
    assert solution.exploitability == duel.exploitability(solution.policy) < 1
    assert _duel.bad_row(solution.policy.array, 15) == -1


def test_another_error_of_a_handler_gets_through():
    with pytest.raises(ZeroDivisionError):
        duel.solve(10, 14, iterations=100, callback=lambda snapshot: 1 / 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "cfr"}, 'method must be "dcfr"'),
        ({"target": -1.0}, "target must be a finite number at least 0"),
        ({"target": float("nan")}, "target"),
        ({"target": "x"}, "target"),
        ({"iterations": 0}, "iterations must be a whole number of at least 1"),
        ({"iterations": 1.5}, "iterations"),
        ({"iterations": True}, "iterations"),
        ({"seconds": float("inf")}, "seconds must be a finite number"),
        ({"alpha": 11}, r"alpha must be a finite number in 0\.\.10"),
        ({"beta": -11}, r"beta must be a finite number in -10\.\.10"),
        ({"gamma": -1}, "gamma"),
        ({"method": "cfr+", "alpha": 1.5}, "alpha is a parameter of dcfr"),
        ({"method": "cfr+", "beta": 0}, "beta is a parameter of dcfr"),
        ({"every": 0}, "every"),
        ({"max_bytes": 0}, "max_bytes"),
        ({"dtype": "float16"}, "dtype"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises(ArgumentError, match=words.replace("+", r"\+")):
        duel.solve(10, 12, **arguments)


def test_too_great_a_menu_is_refused_by_its_bytes():
    with pytest.raises(ArgumentError, match=r"31 bids and needs 416,611,827,584 bytes, more than max_bytes"):
        duel.solve(0, 30)
    with pytest.raises(ArgumentError, match="max_bytes = 1,000"):
        duel.solve(10, 20, max_bytes=1000)
    with pytest.raises(GameOptionError, match="low"):
        duel.solve(low=40)


def test_bad_policies():
    game = duel.Game(low=10, high=12)
    good = duel.DuelPolicy.uniform(game, "float64").array
    for array in (good[:-1], good.astype(int), good.tolist()):
        with pytest.raises(ArgumentError, match="is a float32 or float64 array of shape"):
            duel.DuelPolicy(game, array)
    for place, number in ((0, np.nan), (0, -0.1), (4, 0.9), (10, np.inf)):
        array = good.copy()
        array[place, 3] = number
        with pytest.raises(ArgumentError, match="has no distribution"):
            duel.DuelPolicy(game, array)
    with pytest.raises(ArgumentError, match=r"needs a duel\.Game"):
        duel.DuelPolicy("duel", good)
    policy = duel.DuelPolicy.uniform(game)
    with pytest.raises(ValueError, match="read-only"):
        policy.array[0, 0] = 1
    for text in ("", "7", "s16", "s7 12 11", "s7 x", "s7 31", "s7 12 doubt"):
        with pytest.raises(PositionError):
            policy.action_probabilities(text)
    with pytest.raises(ArgumentError, match="seat 1 is to decide here, not seat 0"):
        policy.action_probabilities("s7 10", 0)
    with pytest.raises(ArgumentError, match="a state of the duel or its text"):
        policy.action_probabilities(7)
    with pytest.raises(ArgumentError, match="nobody"):
        policy.action_probabilities(game.new_initial_state())
    for low, high in ((11, 30), (0, 11), (0, 31), (-1, 30), (0, "x")):
        with pytest.raises(ArgumentError):
            duel.full_menu_exploitability(policy, low, high)
    for call in (duel.exploitability, duel.value, duel.full_menu_exploitability):
        with pytest.raises(ArgumentError, match="DuelPolicy"):
            call({})


def test_the_kernel_guards_itself():
    for arguments in ((), tuple(range(32))):
        with pytest.raises(ArgumentError, match="a menu has"):
            _duel.Walk(arguments, False, 1.5, 0.0, 3.0)
    with pytest.raises(ArgumentError, match="lanes"):
        _duel.Walk((1, 2), False, 1.5, 0.0, 3.0, lanes=5)
    walk = _duel.Walk((1, 2), False, 1.5, 0.0, 3.0)
    walk.finish()
    for call in (lambda: walk.run(1), walk.exploitability, walk.finish):
        with pytest.raises(ArgumentError, match="given its policy away"):
            call()


def test_a_policy_through_a_file(tmp_path):
    """A table keeps every probability, and can be judged like the policy itself."""
    solution = duel.solve(10, 14, iterations=300)
    table = solution.policy.to_table(solution.settings)
    table.save(tmp_path / "duel.policy")
    loaded = policy.load(tmp_path / "duel.policy", "duel(low=10,high=14)")
    assert len(loaded) == 16 * 32
    assert len(solution.policy.to_table(forced=False)) == 16 * 16
    for text, player, actions, chances in solution.policy.rows():
        assert list(loaded.action_probabilities(text, player).items()) == list(zip(actions, chances, strict=True))
    assert duel.exploitability(loaded) == pytest.approx(solution.exploitability, abs=1e-12)
    assert duel.full_menu_exploitability(loaded) == pytest.approx(
        duel.full_menu_exploitability(solution.policy), abs=1e-12
    )
    with pytest.raises(PolicyError, match="a table of a duel is needed, not of kuhn"):
        duel.value(policy.uniform(kuhn.Game()))


def test_a_table_of_what_its_own_play_leads_to():
    """It is small, and as good as the whole policy; a row that play leads to must not lack."""
    whole = random_policy((0, 9, 14, 15, 30), 3)
    table = whole.to_table({"method": "chance"}, reached=True)
    assert len(table) < len(whole.to_table(forced=False))
    assert table.meta["method"] == "chance"
    read = duel.DuelPolicy.from_table(table)
    assert duel.best_responses(read, 0, 30) == pytest.approx(duel.best_responses(whole, 0, 30), abs=1e-12)
    assert duel.value(read)[0] == pytest.approx(duel.value(whole)[0], abs=1e-12)
    for row in table:
        assert min(row.probabilities) > 0
    first = table.filter(lambda row: row.text != "s7")
    with pytest.raises(PolicyError, match="s7"):
        duel.DuelPolicy.from_table(first)
    endless = policy.PolicyTable.from_mapping({"s7": {0: 1.0}}, player=0, meta={"game": "duel"})
    with pytest.raises(PolicyError, match="fewer bids"):
        duel.DuelPolicy.from_table(endless)


@pytest.mark.parametrize("menu", SMALL, ids=str)
def test_best_responses_bound_the_value(menu):
    judged = random_policy(menu, 5)
    first, second = duel.best_responses(judged)
    opener = duel.value(judged)[0]
    assert -second <= opener <= first
    assert duel.exploitability(judged) == (first + second) / 2
    first, second = duel.best_responses(judged, high=30)
    assert duel.full_menu_exploitability(judged, 0, 30) == (first + second) / 2
    assert duel.best_responses(judged, low=0) == (first, second)


def test_best_responses_prove_the_value_of_the_duel():
    first, second = duel.best_responses(duel.solve(10, 20, target=1e-4).policy)
    assert 0.00475 - 2e-4 < -second < 0.00475 < first < 0.00475 + 2e-4


def played(judged, sums, bids, chance, found):
    """Count what a policy does from a history on, one pair of sums at a time."""
    size, own = len(judged.game.bids), sums[len(bids) % 2]
    for action, share in judged.action_probabilities(f"s{own}" + "".join(f" {bid}" for bid in bids)).items():
        if not share:
            continue
        last = judged.game.bids.index(bids[-1]) if bids else None
        if last is not None:
            found["facing"][own, last] += chance * share
        if action == game_of_duel.DOUBT:
            found["doubts"][own, last] += chance * share
            continue
        new = judged.game.bids.index(action)
        if last is None:
            found["opening"][own, new] = share
        else:
            found["raising"][last, new] += chance * share
        assert new < size
        played(judged, sums, [*bids, action], chance * share, found)


def test_a_profile_is_what_play_comes_to():
    judged = random_policy((0, 9, 14, 30), 8)
    shape = (16, 4)
    found = {name: np.zeros(shape) for name in ("opening", "facing", "doubts")} | {"raising": np.zeros((4, 4))}
    for sums in itertools.product(range(16), repeat=2):
        chance = game_of_duel.WAYS[sums[0]] * game_of_duel.WAYS[sums[1]] / 4060**2
        played(judged, sums, [], chance, found)
    profile = duel.profile(judged)
    assert profile.bids == (0, 9, 14, 30)
    for name in ("opening", "facing", "raising"):
        np.testing.assert_allclose(getattr(profile, name), found[name], atol=1e-8, err_msg=name)
    reached = found["facing"] > 1e-9
    np.testing.assert_allclose(
        profile.doubting[reached], found["doubts"][reached] / found["facing"][reached], rtol=1e-6
    )
    assert np.isnan(profile.doubting[found["facing"] == 0]).all()
    np.testing.assert_allclose(profile.doubted, found["doubts"].sum(axis=0), atol=1e-8)
    assert profile.doubted.sum() == pytest.approx(1)


def test_targets_below_what_rounding_allows():
    with pytest.raises(ArgumentError, match="float32 goes down to about 5e-07"):
        duel.solve(10, 12, target=1e-8)
    assert duel.solve(10, 12, target=1e-8, dtype="float64", seconds=20).exploitability <= 1e-8


def test_memory_ends_a_run_that_nothing_else_ends():
    solution = duel.solve(bids=[5, 6], iterations=10**6, max_bytes=100_000)
    assert 1000 < solution.iterations < 3000


@pytest.mark.parametrize("name", ["game", "array"])
def test_a_policy_does_not_change(name):
    with pytest.raises(AttributeError):
        setattr(duel.DuelPolicy.uniform(duel.Game(10, 12)), name, None)
