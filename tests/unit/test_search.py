"""`ismcts.search`: results, determinism, budgets, and agreement with its readable twin."""

import _thread
import json
import signal
import threading

import numpy as np
import pytest

from solver import agents, bakerstreet, games, ismcts, kuhn, scout
from solver._core import Rng
from solver.errors import ArgumentError, GameOptionError, SearchError
from solver.games import scout_notation

PLAIN = {"rollout": "random", "opponents": "tree", "widening": 0, "belief": "uniform", "depth": 0, "root": "ucb"}
FINISH = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
# Only a Scout & Show empties the hand: the 5 between the 4 and the 6.
BOTH = "scout(players=3) | hand 4/1 6/3 | table 5/8 6/8 7/8 by 2 | cards 2 10 12 | score 5 4 0"


def first_turn(players, seed=3):
    return scout.Game(players=players).deal(seed=seed, turned=[False] * players).position(0)


def same(a, b):
    """Equal to the bit, times apart."""
    return (
        a.best == b.best
        and a.actions.tobytes() == b.actions.tobytes()
        and a.then.tobytes() == b.then.tobytes()
        and (a.iterations, a.nodes) == (b.iterations, b.nodes)
    )


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_table_lists_every_legal_action(players):
    position = first_turn(players)
    result = ismcts.search(position, iterations=3000, seed=1)
    assert list(result.actions["action"]) == position.legal_actions()
    assert result.actions["visits"].sum() == result.iterations == 3000
    result = ismcts.search(position, iterations=3000, seed=1, **PLAIN)
    assert list(result.actions["action"]) == position.legal_actions()
    assert result.actions["visits"].sum() == result.iterations == 3000
    assert result.best in position.legal_actions()
    visited = result.actions[result.actions["visits"] > 1]
    assert np.isfinite(visited["value"]).all()
    assert (visited["stderr"] >= 0).all()
    assert result.nodes == 3001


def test_an_action_that_empties_the_hand_and_wins_is_found():
    position = scout.parse(FINISH)
    result = ismcts.search(position, iterations=3000, seed=1)
    assert position.action_to_string(result.best) == "show 4-4-4"
    # one score card against (4 - 11 + 5 - 12) / 2
    assert result.value == pytest.approx(1 - (4 - 11 + 5 - 12) / 2)
    assert result.actions["stderr"][result.actions["action"] == result.best] == 0


def test_a_scout_and_show_comes_with_its_show():
    position = scout.parse(BOTH)
    result = ismcts.search(position, iterations=4000, seed=1)
    assert result.best_words() == "scout & show 5 (left), place 1, then show 4-5-6"
    assert result.best_then == position.game.show(0, 3)
    # two score cards; the owner has a chip for the Scout
    assert result.value == pytest.approx((5 + 2) - (4 - 10 + 1 - 12) / 2)


@pytest.mark.parametrize("line", [BOTH, "scout(players=2) | hand 4/1 6/3 | table 5/8 by 1 | cards 2 10 | score 0 9"])
def test_words_are_of_the_hand_as_it_is_at_each_step(line):
    """The second decision has the scouted card in hand; the table of the first is in words of the hand before."""
    position = scout.parse(line)
    result = ismcts.search(position, iterations=3000, seed=1, depth=0)
    assert len(result.then) > 0
    for action in position.legal_actions():
        assert result.words[action] == position.action_to_string(action)
    after = position.sample(1)
    after.apply_action(result.best)
    for action in result.then["action"]:
        assert result.then_words[int(action)] == after.action_to_string(position.player, int(action))
    assert any(result.words.get(a) not in (None, words) for a, words in result.then_words.items()) or line == BOTH


@pytest.mark.parametrize("compiled", [True, False])
def test_same_seed_same_bits(compiled):
    position = first_turn(3)
    iterations = 2000 if compiled else 40
    a, b = (ismcts.search(position, iterations=iterations, seed=5, compiled=compiled) for _ in range(2))
    assert same(a, b)
    c = ismcts.search(position, iterations=iterations, seed=6, compiled=compiled)
    assert not same(a, c)


def test_threads_add_up_and_are_deterministic():
    position = first_turn(4)
    a, b = (ismcts.search(position, iterations=2001, threads=2, seed=5) for _ in range(2))
    assert same(a, b)
    assert a.actions["visits"].sum() == 2001
    assert a.threads == 2


def test_a_recorded_seed_repeats_a_search():
    position = first_turn(3)
    a = ismcts.search(position, iterations=500)
    assert same(a, ismcts.search(position, iterations=500, seed=a.settings["seed"]))
    b = ismcts.search(position, iterations=500, seed=Rng(3))
    assert same(b, ismcts.search(position, iterations=500, seed=b.settings["seed"]))


def test_a_seed_sequence_is_not_changed():
    position = first_turn(3)
    seed = np.random.SeedSequence(5).spawn(2)[1]
    a, b = (ismcts.search(position, iterations=500, seed=seed) for _ in range(2))
    assert same(a, b)
    recorded = np.random.SeedSequence(a.settings["seed"], spawn_key=a.settings["spawn_key"])
    assert same(a, ismcts.search(position, iterations=500, seed=recorded))


def test_an_error_in_progress_stops_all_threads():
    def fail(share):
        raise RuntimeError("no bar")

    with pytest.raises(RuntimeError, match="no bar"):
        ismcts.search(first_turn(3), seconds=30, threads=2, progress=fail)


def test_a_state_is_searched_by_what_its_mover_knows():
    """Two true states behind one position: the same result to the bit."""
    state = scout.Game(players=4).deal(seed=9, turned=[False] * 4)
    for action in ("show", "scout"):
        state.apply_action(next(a for a in state.legal_actions() if state.game.decode(a)[0] == action))
    seat = state.current_player()
    other = state.position(seat).sample(1)
    assert [other.hand(q) for q in range(4)] != [state.hand(q) for q in range(4)]
    assert same(ismcts.search(state, iterations=2000, seed=1), ismcts.search(other, iterations=2000, seed=1))


@pytest.mark.parametrize("compiled", [True, False])
def test_a_full_tree_is_searched_on(compiled):
    """Every iteration counts at the root, and the answer is that of a tree with room."""
    position = scout.parse(FINISH)
    actions = len(position.legal_actions())
    for room in (2, actions + 1, actions + 10):
        result = ismcts.search(position, iterations=600, seed=1, max_nodes=room, compiled=compiled, **PLAIN)
        assert actions + 1 <= result.nodes <= max(room, actions + 1)
        assert result.actions["visits"].sum() == result.iterations == 600
        assert (result.actions["visits"] > 0).all()
        assert position.action_to_string(result.best) == "show 4-4-4"


@pytest.mark.parametrize("compiled", [True, False])
def test_a_tree_fills_the_room_it_has(compiled):
    """Where nothing ends the game early, every node allowed is used, and no more."""
    position = first_turn(3)
    actions = len(position.legal_actions())
    for room in (2, actions + 1, actions + 10):
        result = ismcts.search(position, iterations=300, seed=1, max_nodes=room, compiled=compiled, **PLAIN)
        assert result.nodes == max(room, actions + 1)


def test_time_budget():
    result = ismcts.search(first_turn(3), seconds=0.05, seed=1)
    assert result.iterations > 0
    assert not result.interrupted


@pytest.fixture
def ctrl_c():
    """Interrupts the main thread after 0.2 s, also where the tests run in the background, without Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.2, _thread.interrupt_main)
    timer.start()
    yield
    timer.join()
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_returns_what_there_is(threads):
    result = ismcts.search(first_turn(4), seconds=30, threads=threads, seed=1)
    assert result.interrupted
    assert result.iterations > 0
    assert result.actions["visits"].sum() == result.iterations


@pytest.mark.usefixtures("ctrl_c")
def test_a_search_player_cannot_be_cut_short_in_silence():
    with pytest.raises(KeyboardInterrupt):
        agents.make("ismcts:30s").act(first_turn(4), Rng(1))


def test_seeds_of_numpy_and_json():
    result = ismcts.search(first_turn(3), iterations=np.int32(10), seed=np.int64(5), exploration=np.float32(1))
    assert same(result, ismcts.search(first_turn(3), iterations=10, seed=5, exploration=1.0))
    assert json.loads(result.to_json())["settings"]["seed"] == 5


def test_a_deal_ends_what_is_said_of_this_move():
    """The next round's choice to keep or turn is no part of the best play."""
    line = "scout(players=2,rounds=2,payoff=win) | hand 8/7 1/7 | table 2/8 by 1 | cards 2 1 | chips 0 0 | score 10 8"
    result = ismcts.search(scout.parse(line.replace("1/7", "1/6")), iterations=2000, seed=1)
    assert result.best_words() == "show 8"


def test_progress_ends_at_one():
    seen = []
    ismcts.search(first_turn(3), iterations=20_000, seed=1, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


@pytest.mark.parametrize(
    ("payoff", "value"),
    [("score", 1.0), ("margin", 8.0), ("win", 1.0)],
)
def test_payoffs(payoff, value):
    for compiled in (True, False):
        result = ismcts.search(scout.parse(FINISH), iterations=600, seed=1, payoff=payoff, compiled=compiled)
        show = result.actions["action"] == scout.parse(FINISH).parse_action("show 4-4-4")
        assert result.actions["value"][show] == pytest.approx(value)


def test_win_looks_to_the_end_of_the_match():
    """In the first of three rounds, far ahead in it, the share of the match stays open."""
    line = FINISH.replace("players=3", "players=3,rounds=match")
    margin = ismcts.search(scout.parse(line), iterations=600, seed=1)
    win = ismcts.search(scout.parse(line), iterations=600, seed=1, payoff="win")
    best = margin.actions["action"] == margin.best
    assert margin.actions["stderr"][best] == 0
    assert 0 < win.actions["value"][best] < 1


def test_simple_games_in_python():
    """Kuhn poker: the king calls, the jack does not."""
    for card, best in ((2, "bet"), (0, "pass")):
        state = kuhn.Game().new_initial_state()
        for action in ((card + 1) % 3, card, 1):
            state.apply_action(action)
        result = ismcts.search(state, iterations=400, seed=1)
        assert result.words[result.best] == best
    assert result.value == -1.0


def test_baker_street_is_searched_from_what_its_mover_knows():
    """Every phase; two true states behind one position give the same bits; the twin runs on it too."""
    state = bakerstreet.Game().deal(seed=2)
    rng = Rng(1)
    phases = set()
    while len(phases) < 4:
        seat = state.current_player()
        if state.phase not in phases:
            phases.add(state.phase)
            other = state.position(seat).sample(1)
            a, b = (ismcts.search(s, iterations=400, seed=1) for s in (state, other))
            assert same(a, b)
            assert a.actions["visits"].sum() == 400
            twin = ismcts.search(state, iterations=20, seed=1, compiled=False)
            assert list(twin.actions["action"]) == state.legal_actions()
        actions = state.legal_actions()
        doubt = state.game.doubt
        state.apply_action(doubt if doubt in actions and rng.random() < 0.5 else rng.choice(actions))


def test_a_sure_doubt_is_seen():
    """All of the rival's cards are known: the bid of 20 fails for certain, and letters are worth having."""
    line = (
        "bakerstreet(symbols=none) | starter 1 | hand 0 0 0 | rival 3 1 1 1 | bids 20 | "
        "discards1 0 0 0 0 0 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4 5 5 5 5 5"
    )
    result = ismcts.search(bakerstreet.parse(line), iterations=4000, seed=1)
    assert result.best_words().startswith("doubt")


TURN = "bakerstreet | starter 1 | hand 5 3 1a | bids 14 | stack2 1:4 0:2 | stack3 1:1s"
STYLES = [{}, {"opponents": "tree"}, {"widening": 0}, {"horizon": 2, "widening": 2}]


@pytest.mark.parametrize("line", [TURN, "bakerstreet | phase bid | hand 5 3 1a"])
@pytest.mark.parametrize("options", STYLES, ids=str)
def test_compiled_and_twin_agree_with_policies(line, options):
    """As for SCOUT: mean visits of every action and the mean value, within 4.5 standard errors."""
    agree(bakerstreet.parse(line), 100, 150, **options)


def test_widening_holds_back_what_looks_bad_and_drops_nothing():
    """At first the doubt and the best placement; one more at 100 iterations, at 300, at 700, ..."""
    position = bakerstreet.parse(TURN)
    scores = dict(zip(position.legal_actions(), position.sample(1).action_scores(), strict=True))
    order = sorted(scores, key=lambda action: -scores[action])
    assert scores[order[0]] == np.inf
    assert len(order) == 16
    for iterations, tried in ((3, 2), (100, 2), (101, 3), (300, 3), (301, 4), (701, 5), (450_000, 14)):
        for compiled in (True, False) if iterations < 400 else (True,):
            result = ismcts.search(position, iterations=iterations, seed=2, widening=2, compiled=compiled)
            assert list(result.actions["action"]) == position.legal_actions()
            assert set(result.actions["action"][result.actions["visits"] > 0]) == set(order[:tried])
            assert result.untried == 16 - tried == result.to_dict()["untried"]
            assert f"\n{16 - tried} actions were not tried within this budget" in str(result)


@pytest.mark.parametrize("line", [TURN, FINISH, first_turn(3)], ids=["bakerstreet", "finish", "first turn"])
def test_a_huge_horizon_is_none(line):
    """2**31 - 1 more turns or rounds are all there are."""
    position = games.parse(line) if isinstance(line, str) else line
    results = [ismcts.search(position, iterations=200, seed=1, horizon=h) for h in (-1, 2**31 - 1)]
    assert same(*results)


def test_bids_are_never_held_back():
    """All 31 are tried at once; the sampled rival doubts a bid of 30 with a weak hand."""
    position = bakerstreet.parse("bakerstreet | phase bid | hand 1 0 0s")
    result = ismcts.search(position, iterations=3000, seed=1)
    assert (result.actions["visits"] > 0).all()
    assert len(result.actions) == 31
    assert result.best_words() != "bid 30"


def test_opponents_by_policy_play_by_their_own_hand():
    """The rival holds 5 5 5 for certain, its policy knows: it never doubts 15, so bidding 15 ends no round."""
    line = (
        "bakerstreet(symbols=none) | phase bid | hand 5 5 5 | rival 3 5 5 5 | "
        "discards1 0 0 0 0 0 1 1 1 1 1 2 2 2 2 2 3 3 3 3 3 4 4 4 4 4 5 5"
    )
    position = bakerstreet.parse(line)
    chances = {}
    for action in position.legal_actions():
        doubts = 0
        for k in range(50):
            state = position.sample(k).child(action)
            doubts += state.policy_action(k) == state.game.doubt
        chances[action - 120] = doubts / 50
    assert all(chances[bid] == 0 for bid in range(16))
    assert chances[30] == 1


def test_settings_tell_the_style():
    result = ismcts.search(bakerstreet.parse(TURN), iterations=50, seed=1)
    expected = {"rollout": "policy", "opponents": "policy", "horizon": 1, "widening": 6, "belief": "worth"}
    assert {name: result.settings[name] for name in expected} == expected
    other = ismcts.search(first_turn(3), iterations=50, seed=1)
    expected = {"rollout": "policy", "opponents": "policy", "horizon": -1, "widening": 12, "belief": "play"}
    expected |= {"depth": 1, "root": "halving"}
    assert {name: other.settings[name] for name in expected} == expected
    plain = ismcts.search(first_turn(3), iterations=50, seed=1, **PLAIN)
    assert {name: plain.settings[name] for name in PLAIN} == PLAIN
    python = ismcts.search(kuhn.Game().new_initial_state().child(0).child(1), iterations=50, seed=1)
    expected = {"rollout": "random", "opponents": "tree", "horizon": -1, "widening": 0, "exploration": 0.7}
    expected |= {"depth": 0, "root": "ucb"}
    assert {name: python.settings[name] for name in expected} == expected
    assert python.settings["belief"] is None


BAD = [
    ({"iterations": 0}, "iterations"),
    ({"iterations": 2.5}, "iterations"),
    ({"iterations": "many"}, "iterations"),
    ({"exploration": 10**400}, "exploration"),
    ({"payoff": np.array([1, 2])}, "payoff"),
    ({"seconds": "long"}, "seconds"),
    ({"threads": True}, "threads"),
    ({"seconds": 0}, "seconds"),
    ({"seconds": float("nan")}, "seconds"),
    ({"threads": 0}, "threads"),
    ({"rollout": "planning"}, "rollout"),
    ({"opponents": ["tree"]}, "opponents"),
    ({"widening": -1}, "widening"),
    ({"horizon": -2}, "horizon"),
    ({"horizon": 1.5}, "horizon"),
    ({"payoff": "most"}, "payoff"),
    ({"exploration": -1}, "exploration"),
    ({"max_nodes": 1}, "max_nodes"),
    ({"depth": -1}, "depth"),
    ({"root": "best"}, "root"),
]


@pytest.mark.parametrize(("options", "word"), BAD)
def test_options_out_of_range(options, word):
    with pytest.raises(SearchError, match=word):
        ismcts.search(first_turn(3), **options)


def test_what_cannot_be_searched():
    state = scout.Game(players=3).deal(seed=1, turned=[False] * 3)
    with pytest.raises(SearchError, match="seat 0 is to move in this position of seat 1"):
        ismcts.search(state.position(1), iterations=10)
    with pytest.raises(SearchError, match="no seat is to move"):
        ismcts.search(scout.Game(players=3).new_initial_state(), iterations=10)
    with pytest.raises(SearchError, match="a Position or a State is needed, not int"):
        ismcts.search(3, iterations=10)
    start = kuhn.Game().new_initial_state().child(0).child(1)
    with pytest.raises(SearchError, match="no compiled side"):
        ismcts.search(start, iterations=10, compiled=True)
    while not state.is_terminal():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(SearchError, match="the game is over"):
        ismcts.search(state, iterations=10)
    for options in ({"rollout": "policy"}, {"opponents": "policy"}, {"widening": 3}, {"horizon": 4}):
        with pytest.raises(SearchError, match=r"no policy_action\(\), which policies and widening need"):
            ismcts.search(start, iterations=10, **options)
    with pytest.raises(SearchError, match="belief"):
        ismcts.search(start, iterations=10, belief="play")
    for belief in ("worth", 3, len):
        with pytest.raises(ArgumentError, match="belief must be"):
            ismcts.search(first_turn(3), iterations=10, belief=belief)
    with pytest.raises(GameOptionError, match="payoff"):
        first_turn(3).search_root("most")


def test_keys_group_actions_as_information_states_do():
    """Two actions have the same key exactly when the observer's information state after them is the same."""
    game = scout.Game(players=3)
    rng = Rng(8)
    halves = 0
    for seed in range(6):
        state = game.deal(seed=seed)
        while not state.is_terminal():
            for observer in range(3):
                groups = {}
                for action, key in state.observed_actions(observer):
                    groups.setdefault(key, set()).add(state.child(action).information_state_string(observer))
                    halves += state.child(action).phase == "must_show" and observer != state.current_player()
                assert all(len(seen) == 1 for seen in groups.values())
                assert len(set.union(*groups.values())) == len(groups)
            state.apply_action(rng.choice(state.legal_actions()))
    assert halves > 1000


def test_keys_with_public_insertions_tell_place_and_side():
    """Of two actions that the observer will be able to tell apart, the keys differ from the start."""
    game = scout.Game(players=3, insertions_public=True)
    state = game.deal(seed=1, turned=[False] * 3)
    state.apply_action(state.legal_actions()[0])
    actions = state.observed_actions(2)
    assert len({key for _, key in actions}) == len(actions) > 50


AGREE = [
    BOTH,
    "scout(players=3,ranks=6,hand_size=5) | hand 3/1 4/2 4/5 1/5 6/2",
    "scout(players=4,ranks=6,hand_size=3) | hand 3/1 5/2 | table 5/4 by 3 | cards 2 4 3 2 | chips 1 0 0 0",
    "scout(players=3,rounds=match,ranks=6,hand_size=3) | hand 3/1 5/2 | table 5/4 by 2 | cards 2 4 2 | chips 0 0 1",
    "scout(players=4,ranks=6,hand_size=3,insertions_public=true) | hand 3/1 5/2 | table 5/4 by 3 | cards 2 4 3 2 | "
    "chips 1 0 0 0 | known 1: 5/6@2",
    "scout(players=2,ranks=6,hand_size=4,chips=2) | hand 3/1 5/2 1/6 | table 5/4 5/6 by 1 | cards 3 3 | chips 1 2",
]


@pytest.mark.parametrize("line", AGREE)
@pytest.mark.parametrize("options", [{}, PLAIN, {"horizon": 3, "widening": 2, "opponents": "tree"}], ids=str)
def test_compiled_and_twin_agree_in_distribution(line, options):
    """Mean visits of every action and the mean value, over many seeds, within 4.5 standard errors."""
    agree(scout.parse(line), 200 if options is PLAIN else 100, 150, **options)


def agree(position, seeds, iterations, **options):
    visits, values = {}, {}
    for compiled in (True, False):
        results = [
            ismcts.search(position, iterations=iterations, seed=s, compiled=compiled, **options) for s in range(seeds)
        ]
        visits[compiled] = np.array([r.actions["visits"] for r in results], float)
        values[compiled] = np.array(
            [np.nansum(r.actions["visits"] * np.nan_to_num(r.actions["value"])) for r in results]
        )
        values[compiled] /= iterations
    for a, b in ((visits[True], visits[False]), (values[True], values[False])):
        error = np.sqrt(a.var(axis=0, ddof=1) / seeds + b.var(axis=0, ddof=1) / seeds)
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) <= 4.5 * error + 1e-9).all()


def test_result_as_text_and_json():
    result = ismcts.search(scout.parse(BOTH), iterations=2000, seed=1)
    text = str(result)
    assert "scout & show 5 (left), place 1, then show 4-5-6" in text
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "visits" in text.splitlines()[0]
    data = result.to_dict()
    assert data["best_words"] == result.best_words()
    assert [row["action"] for row in data["actions"]] == list(result.actions["action"])
    assert scout.parse(data["position"]) == scout.parse(BOTH)
    assert "NaN" not in result.to_json()


def test_words_name_actions_uniquely():
    """Every legal action has its own words, and they are read back to it."""
    rng = Rng(2)
    for players in (2, 3, 4, 5):
        state = scout.Game(players=players).deal(seed=players)
        while not state.is_terminal():
            position = state.position(state.current_player())
            words = [position.action_to_string(a) for a in position.legal_actions()]
            assert len(set(words)) == len(words)
            action = rng.choice(position.legal_actions())
            assert position.parse_action(position.action_to_string(action)) == action
            assert (
                scout_notation.read_action(
                    position.game, position.hand, position.active_set, position.action_to_string(action)
                )
                == action
            )
            state.apply_action(action)


def test_names_of_ours_in_a_game_of_others():
    """Attributes that are called like methods of our positions do not mislead a search."""

    class Board(kuhn.State):
        def __init__(self, players=2):
            super().__init__(players)
            self.position, self.sample, self.player, self.search_sample = 0, 1, 2, 3

    state = Board()
    for action in (2, 0):
        state.apply_action(action)
    assert ismcts.search(state, iterations=500, seed=1).best in (0, 1)


def test_resampling_that_changes_what_is_known():
    class Forgetful(kuhn.State):
        def resample_from_infostate(self, player, uniform_01):
            result = self.clone()
            result.cards = (0, 1)
            return result

    state = Forgetful()
    for action in (2, 0):
        state.apply_action(action)
    with pytest.raises(SearchError, match="resample_from_infostate changes what seat 0 knows: from '2' to '0'"):
        ismcts.search(state, iterations=10, seed=1)


class Lottery:
    """One decision among `prizes`, each with a ticket drawn by chance on top; what the seat gets is the sum."""

    def __init__(self, prizes, ticket=0.0, chosen=None):
        self.prizes, self.ticket, self.chosen = prizes, ticket, chosen

    def current_player(self):
        return 0 if self.chosen is None else -4

    def is_terminal(self):
        return self.chosen is not None

    def legal_actions(self):
        return list(range(len(self.prizes)))

    def clone(self):
        return Lottery(self.prizes, self.ticket, self.chosen)

    def child(self, action):
        return Lottery(self.prizes, self.ticket, action)

    def apply_action(self, action):
        self.chosen = action

    def returns(self):
        value = self.prizes[self.chosen] + self.ticket
        return [value, -value]

    def information_state_string(self, player):
        return "done" if self.is_terminal() else "choose"

    def resample_from_infostate(self, player, uniform_01):
        return Lottery(self.prizes, 100 * uniform_01())

    def action_to_string(self, player, action):
        return str(action)


def test_halving_shares_the_budget_out_by_halves():
    """Eight options in three phases of 80: 10 each, then 20 for four, then 40 for two; the first turn is not halved."""
    prizes = [3.0, 8.0, 1.0, 6.0, 7.0, 2.0, 5.0, 4.0]
    result = ismcts.search(Lottery(prizes), iterations=240, seed=3, root="halving")
    assert result.best == 1
    by_prize = [int(result.actions["visits"][prizes.index(float(prize))]) for prize in range(1, 9)]
    for visits, expected in zip(by_prize, (10, 10, 10, 10, 30, 30, 70, 70), strict=True):
        assert abs(visits - expected) <= 2
    assert sum(by_prize) == 240


def test_halving_plays_all_options_from_one_deal():
    """Tickets of 0 to 100 swamp prizes that differ by 0.01, unless those in turn have the same ticket."""
    prizes = [0.01 * i for i in range(8)]
    result = ismcts.search(Lottery(prizes), iterations=400, seed=1, root="halving")
    assert result.best == 7
    best, second = sorted(result.actions, key=lambda row: -row["visits"])[:2]
    assert {int(best["action"]), int(second["action"])} == {6, 7}
    assert abs(best["visits"] - second["visits"]) <= 1


@pytest.mark.parametrize("compiled", [True, False])
def test_depth_bounds_the_tree(compiled):
    position = first_turn(3)
    flat = ismcts.search(position, iterations=300, seed=1, depth=1, root="ucb", compiled=compiled)
    assert flat.nodes <= 1 + len(position.legal_actions())
    deeper = ismcts.search(position, iterations=300, seed=1, depth=2, root="ucb", compiled=compiled)
    assert deeper.nodes > flat.nodes


def test_halving_tries_the_best_looking_and_ends_with_two():
    position = first_turn(4)
    result = ismcts.search(position, iterations=2000, seed=1)
    tried = np.sort(result.actions["visits"][result.actions["visits"] > 0])
    assert len(tried) == 12
    assert tried[-1] - tried[-2] <= 2
    # of 12, 6, 3 and 2 in phases of 500: 500 / 12 + 500 / 6 + 500 / 3 + 500 / 2
    assert abs(tried[-1] - 541) <= 15


def test_halving_by_time_ends_with_what_it_kept():
    result = ismcts.search(first_turn(4), seconds=0.3, seed=1)
    assert (result.actions["visits"] > 0).sum() == 12
    order = np.argsort(-result.actions["visits"], kind="stable")
    assert result.best in result.actions["action"][order[:2]]
