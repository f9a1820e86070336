"""The arena: the same bits wherever it is played, luck that cancels, records, what goes wrong by name."""

import copy
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import pytest

from solver import agents, arena, bakerstreet, cfr, executors, kuhn, policy, scout, stats
from solver._core import Rng
from solver._lines import pack
from solver.errors import AgentError, ArgumentError, PolicyError, RecordError, SolverError
from solver.standing import Tally
from tests.reference.random_games import Game

THREE = "scout(players=3)"


class First:
    """Plays the first legal action."""

    name = "first"

    def act(self, position, rng):
        return position.legal_actions()[0]


class Last(First):
    name = "last"

    def act(self, position, rng):
        return position.legal_actions()[-1]


class Diary(First):
    """Keeps notes of what it did, and plays by them."""

    name = "diary"

    def __init__(self):
        self.notes = []

    def act(self, position, rng):
        actions = position.legal_actions()
        self.notes.append(rng.below(3))
        return actions[sum(self.notes) % len(actions)]


class Odd(First):
    """Fails in one way or another in its third decision."""

    def __init__(self, answer, name="odd"):
        self.answer = answer
        self.name = name
        self.decisions = 0

    def act(self, position, rng):
        self.decisions += 1
        if self.decisions < 3:
            return position.legal_actions()[0]
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Interrupts(First):
    """Presses Ctrl-C in a deal, known by the hands of its first seat."""

    name = "interrupts"

    def __init__(self, hand):
        self.hand = hand

    def act(self, position, rng):
        if position.hand == self.hand and position.phase == "choose":
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)
        return position.legal_actions()[0]


class Backwards(Executor):
    """Does what was submitted last first, once the submitter rests."""

    def __init__(self):
        self.jobs = []

    def submit(self, function, /, *args, **kwargs):
        future = Future()
        self.jobs.append(lambda: future.set_result(function(*args, **kwargs)))
        threading.Timer(0.01, self.work).start()
        return future

    def work(self):
        self.jobs.pop()()


@pytest.fixture(scope="module")
def processes():
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:
        yield pool


def in_threads(monkeypatch):
    monkeypatch.setattr(executors, "_POLL", 0.001)


# ----------------------------------------------------------------------------------------------
# The same bits


SETTINGS = {
    "two of three": (THREE, ["planning", "greedy"], {}),
    "more than seats": ("scout(players=2)", ["planning", "greedy", "random"], {}),
    "a match": ("scout(players=2,rounds=2)", ["planning", "random"], {}),
    "search": ("bakerstreet", ["ismcts:5", "planning"], {}),
    "against": (THREE, ["planning"], {"against": ["greedy", "random"]}),
    "singly": (THREE, ["planning", "greedy", "random", "random"], {"duplicate": False}),
    "kuhn": ("kuhn(players=3)", ["random", "ismcts:10"], {}),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_every_executor_gives_the_same_bits(name, processes, tmp_path, monkeypatch):
    in_threads(monkeypatch)
    game, players, more = SETTINGS[name]
    files = []

    def play(executor):
        files.append(tmp_path / f"{len(files)}.jsonl")
        return arena.play(game, players, 6, seed=4, executor=executor, record=files[-1], **more)

    here = play(None)
    assert here.deals == 6
    with ThreadPoolExecutor(3) as threads, ThreadPoolExecutor(1) as thread:
        for executor in (threads, thread, processes, Backwards()):
            assert play(executor) == here
    assert len({file.read_bytes() for file in files}) == 1
    assert arena.play(game, players, 6, seed=5, **more) != here


def test_an_agent_that_keeps_notes_is_new_at_every_table(processes, monkeypatch):
    in_threads(monkeypatch)
    diary = Diary()
    here = arena.play(THREE, [diary, "random"], 8)
    assert diary.notes == []
    with ThreadPoolExecutor(3) as threads:
        assert arena.play(THREE, [diary, "random"], 8, executor=threads) == here
    assert arena.play(THREE, [diary, "random"], 8, executor=processes) == here


def test_more_deals_begin_with_the_same_ones(tmp_path):
    record = tmp_path / "r"
    few = arena.play(THREE, ["planning", "greedy"], 5, record=record)
    some = record.read_bytes()
    many = arena.play(THREE, ["planning", "greedy"], 12, record=record)
    assert record.read_bytes().startswith(some)
    assert many == arena.play(THREE, ["planning", "greedy"], 12)
    assert arena.play(THREE, ["planning", "greedy"], 5, record=record) == few
    assert many.deals == 12


# ----------------------------------------------------------------------------------------------
# What is measured


@pytest.mark.parametrize("game", ["scout(players=2)", THREE, "scout(players=5,rounds=2)", "bakerstreet", "kuhn"])
@pytest.mark.parametrize("player", [First(), "random"])
def test_the_luck_of_the_deal_cancels(game, player):
    """Two agents that are the same have a margin of exactly 0 in every deal; chance gives their seats the same."""
    standing = arena.play(game, [player, copy.copy(player)], 6)
    for row in standing:
        assert (row.mean, row.stderr, row.interval, row.rating) == (0, 0, (0, 0), pytest.approx(0, abs=1e-9))
        assert row.win_share == pytest.approx(1 / standing.seats)
    assert standing.pairs[0].won == 0.5
    assert standing[0].name != standing[1].name


def test_duplication_narrows_the_interval():
    """With and without it the same is measured; from as many deals it is measured better."""
    every = arena.play(THREE, ["planning", "greedy"], 60)
    singly = arena.play(THREE, ["planning", "greedy"], 60, duplicate=False)
    assert (every[0].games, singly[0].games) == (360, 60)
    assert singly[0].stderr > 1.5 * every[0].stderr
    assert abs(singly[0].mean - every[0].mean) < 4 * singly[0].stderr


def test_rows_by_hand():
    """Two deals of three seats, two agents: margins, shares, wins."""
    tally = Tally(2, 3, scaled=False)
    tally.add([arena.Played((0, 1, 1), (9.0, 2.0, 4.0), ()), arena.Played((1, 0, 0), (3.0, 3.0, 1.0), ())])
    tally.add([arena.Played((0, 1, 1), (0.0, 2.0, 4.0), ()), arena.Played((1, 0, 0), (3.0, 9.0, 2.0), ())])
    standing = tally.standing(["a", "b"], [0, 1], False, settings={"seed": 0}, stopped="deals", seconds=0.0)
    first, second = standing
    assert first.games == second.games == 4
    # deals: (6 - 1) / 2 and (-3 + 2.5) / 2
    assert first.mean == pytest.approx((2.5 - 0.25) / 2)
    assert first.stderr == pytest.approx(np.std([2.5, -0.25], ddof=1) / np.sqrt(2))
    assert second.mean == -first.mean
    # wins: 1 + 1/2 + 0 + 1 of the first's six seats, the rest of the second's
    assert first.win_share == pytest.approx(2.5 / 6)
    assert second.win_share == pytest.approx(1.5 / 6)
    # pairs of seats: 2 of 2, (1/2 + 0) / 2, 0, 1/2
    assert standing.pairs[0].won == pytest.approx((1 + 0.25 + 0 + 0.5) / 4)
    assert standing.pairs[0].mean == first.mean


def test_baker_street_counts_wins_less_losses():
    standing = arena.play("bakerstreet", ["planning", "threshold"], 15)
    first = standing[0]
    assert first.mean == pytest.approx(2 * first.win_share - 1)
    assert first.mean == standing.pairs[0].mean


def test_it_is_what_playing_by_hand_gives():
    """One challenger alone in each seat; the streams are those of earlier measurements in the docs."""
    game = scout.Game(players=3)
    seats = [agents.make("planning"), agents.make("greedy")]
    margins = []
    for deal in range(4):
        for at in range(3):
            state = game.deal(seed=deal)
            rngs = Rng([deal, 1]).spawn(3)
            while not state.is_terminal():
                seat = state.current_player()
                state.apply_action(seats[seat != at].act(state.position(seat), rngs[seat]))
            scores = state.returns()
            margins.append(scores[at] - (sum(scores) - scores[at]) / 2)
    row = arena.play(game, ["planning"], 4, against=["greedy"])[0]
    assert row.mean == pytest.approx(np.mean(margins))
    assert row.games == 12


def test_another_order_of_agents_is_another_order_of_rows():
    players = ["planning", "random", First(), "greedy"]
    order = [2, 0, 3, 1]
    for game in ("scout(players=2)", THREE, "scout(players=4)", "scout(players=5)"):
        one = arena.play(game, players, 5)
        other = arena.play(game, [players[i] for i in order], 5)
        assert [one[i] for i in order] == list(other)
        assert {frozenset((one[p.first].name, one[p.second].name)) for p in one.pairs} == {
            frozenset((other[p.first].name, other[p.second].name)) for p in other.pairs
        }
        for pair in other.pairs:
            same = next(p for p in one.pairs if {order[pair.first], order[pair.second]} == {p.first, p.second})
            sign = 1 if same.first == order[pair.first] else -1
            assert same.mean == pytest.approx(sign * pair.mean)
            assert same.won == pytest.approx(pair.won if sign > 0 else 1 - pair.won)


def test_one_agent_by_itself():
    standing = arena.play("scout(players=4)", ["planning"], 5)
    row = standing[0]
    assert (row.mean, row.games, row.rating, standing.pairs) == (0, 5, 0, ())
    assert row.win_share == pytest.approx(0.25)
    assert str(standing)


def test_a_stronger_agent_is_rated_higher():
    standing = arena.play("scout(players=4)", ["random", "greedy", "planning"], 30)
    assert standing[0].rating < standing[1].rating < standing[2].rating
    assert sum(row.rating for row in standing) == pytest.approx(0, abs=1e-6)
    for row in standing:
        assert row.rating_interval.low < row.rating < row.rating_interval.high
        assert row.interval.low < row.mean < row.interval.high
        assert row.win_interval.low <= row.win_share <= row.win_interval.high


def simulated(rng, chance, deals):
    """The standing of two agents whose games the first wins with a chance."""
    tally = Tally(2, 2, scaled=True)
    for _ in range(deals):
        won = float(rng.random() < chance)
        tally.add([arena.Played((0, 1), (2 * won - 1, 1 - 2 * won), ())])
    return tally.standing(["a", "b"], [0, 1], False, settings={"seed": 1}, stopped="deals", seconds=0.0)


@pytest.mark.parametrize("chance", [0.5, 0.8, 0.97])
def test_coverage_of_ratings(chance):
    """Of 60 intervals from 40 deals, 54 or more hold the true rating, also where nearly all games are won."""
    rng = np.random.default_rng(1)
    truth = stats.ELO * np.log(chance / (1 - chance)) / 2
    hits = 0
    for _ in range(60):
        low, high = simulated(rng, chance, 40)[0].rating_interval
        hits += low <= truth <= high
    assert hits >= 54


def test_a_whitewash_is_bounded_as_by_clopper_and_pearson():
    row = simulated(np.random.default_rng(1), 1.0, 40)[0]
    least = 0.025 ** (1 / 40)
    assert row.rating_interval.low == pytest.approx(stats.ELO * np.log(least / (1 - least)) / 2, rel=0.06)
    assert row.rating < row.rating_interval.high < 2000


# ----------------------------------------------------------------------------------------------
# Games and agents of other kinds


def test_equilibrium_policies_in_kuhn_poker(tmp_path, processes):
    """The table against itself is exactly even; against random play it wins; files and objects are the same."""
    table = cfr.solve(kuhn.Game(), "pdcfr+", iterations=300).policy
    table.save(tmp_path / "kuhn.policy")
    name = f"policy:{tmp_path / 'kuhn.policy'}"
    player = agents.make(name)
    standing = arena.play("kuhn", [player, "random"], 400)
    assert standing[0].mean - 3 * standing[0].stderr > 0
    assert standing == arena.play(kuhn.Game(), [name, "random"], 400, executor=processes)
    assert arena.play("kuhn", [name, player], 20)[0].mean == 0
    with pytest.raises(PolicyError, match="is a policy of kuhn, not of leduc"):
        arena.play("leduc", [name, "random"], 3)
    with pytest.raises(PolicyError):
        arena.play(THREE, [player], 3)
    position = scout.Game(players=3).deal(seed=1).position(0)
    with pytest.raises(ArgumentError, match="plays information states"):
        player.act(position, Rng(1))
    assert copy.deepcopy(player) == player
    assert pickle.loads(pickle.dumps(player)).digest == player.digest
    with pytest.raises(FileNotFoundError):
        agents.make("policy:" + str(tmp_path / "none"))


def test_a_policy_in_a_game_with_positions():
    """It is given information states there, the other agent positions."""
    small = scout.Game(players=2, ranks=4, hand_size=1, chips=1)
    standing = arena.play(small, [agents.Policy(policy.uniform(small)), "random", "planning"], 5)
    assert standing.deals == 5
    state = scout.Game(players=2).deal(seed=1)
    player = agents.Policy(policy.uniform(kuhn.Game()))
    assert agents.needs_view(state, player)
    assert not agents.needs_view(state, agents.Random())
    view = agents.View(state.game, state, 0)
    assert view.information_state_string() == state.information_state_string(0)
    assert view.legal_actions() == state.legal_actions()
    assert view.action_to_string(0) == state.action_to_string(0, 0)
    assert view.current_player() == 0
    assert "seat 0" in str(view)


def test_a_game_of_ones_own():
    game = Game(3, players=2, zero_sum=True, nodes=60)
    standing = arena.play(game, [First(), Last(), "random"], 10)
    assert standing.deals == 10
    assert sum(row.mean for row in standing) == pytest.approx(0, abs=1e-9)


# ----------------------------------------------------------------------------------------------
# Stopping


def test_it_stops_when_it_is_decided(tmp_path, processes):
    options = {"seed": 2, "decide": True}
    standing = arena.play("scout(players=2)", ["planning", "greedy"], 300, **options)
    assert standing.stopped == "decided"
    assert standing.deals == stats.FIRST_LOOK
    assert standing[0].interval.low > 0
    assert "it is decided" in str(standing)
    # everywhere and after a break at the same deal
    record = tmp_path / "r"
    arena.play("scout(players=2)", ["planning", "greedy"], 10, seed=2, record=record)
    assert arena.play("scout(players=2)", ["planning", "greedy"], 300, **options, record=record) == standing
    assert arena.play("scout(players=2)", ["planning", "greedy"], 300, **options, executor=processes) == standing
    longer = arena.play("scout(players=2)", ["planning", "greedy"], 40, seed=2, record=record)
    assert longer.deals == 40
    assert arena.play("scout(players=2)", ["planning", "greedy"], 300, **options, record=record) == standing


def test_it_stops_when_margins_are_known():
    standing = arena.play("scout(players=2)", ["planning", "greedy", "random"], 400, half_width=1.5)
    assert standing.stopped == "half width"
    assert stats.FIRST_LOOK <= standing.deals < 400
    ends = [row.interval.high - row.interval.low for row in standing]
    assert max(ends) <= 3
    one_less = arena.play("scout(players=2)", ["planning", "greedy", "random"], standing.deals - 1, half_width=1.5)
    assert one_less.stopped == "deals"
    assert max(row.interval.high - row.interval.low for row in one_less) > 3


def test_no_difference_is_never_decided():
    standing = arena.play("scout(players=2)", [First(), First()], 60, decide=True)
    assert standing.stopped == "deals"
    assert arena.play("scout(players=2)", [First(), First()], 60, half_width=0.1).deals == stats.FIRST_LOOK


def hand_of(deal):
    return scout.Game(players=2).deal(seed=deal).position(0).hand


def test_ctrl_c_keeps_what_was_done(tmp_path):
    record = tmp_path / "r"
    standing = arena.play("scout(players=2)", [Interrupts(hand_of(5)), "greedy"], 20, record=record)
    assert standing.interrupted
    assert standing.deals == 5
    assert "interrupted" in str(standing)
    assert len(record.read_bytes().splitlines()) == 6
    # the handler is as it was
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(KeyboardInterrupt):
        arena.play("scout(players=2)", [Interrupts(hand_of(0)), "greedy"], 20)


def test_ctrl_c_with_an_executor(monkeypatch):
    """The deals that were finished without a gap are kept."""
    in_threads(monkeypatch)

    def progress(done, total):
        if done == 3:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.01)

    with ThreadPoolExecutor(2) as threads:
        standing = arena.play("scout(players=2)", ["greedy", "random"], 5000, executor=threads, progress=progress)
    assert standing.interrupted
    assert 3 <= standing.deals < 5000
    same = arena.play("scout(players=2)", ["greedy", "random"], standing.deals)
    assert list(same) == list(standing)


def test_progress_is_told():
    told = []
    arena.play("scout(players=2)", ["random"], 3, progress=lambda *args: told.append(args))
    assert told == [(1, 3), (2, 3), (3, 3)]


# ----------------------------------------------------------------------------------------------
# Records


PROGRAM = """
import sys
from solver import arena
arena.play("scout(players=3)", ["greedy", "random"], 150, seed=6, record=sys.argv[1])
"""


def test_a_killed_run_is_gone_on_with(tmp_path):
    """SIGKILL after some deals; the rest makes the file and the standing of an unbroken run, to the bit."""
    killed, unbroken = tmp_path / "killed", tmp_path / "unbroken"
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, str(killed)])
    try:
        while not killed.exists() or killed.read_bytes().count(b"\n") < 5:
            assert process.poll() is None
            time.sleep(0.005)
    finally:
        process.kill()
        process.wait()
    lines = killed.read_bytes().count(b"\n")
    assert lines < 151
    whole = arena.play(THREE, ["greedy", "random"], 150, seed=6, record=unbroken)
    assert arena.play(THREE, ["greedy", "random"], 150, seed=6, record=killed) == whole
    assert killed.read_bytes() == unbroken.read_bytes()


@pytest.fixture
def record(tmp_path):
    path = tmp_path / "record.jsonl"
    arena.play(THREE, ["greedy", "planning"], 4, seed=3, record=path)
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "scout(players=4)"}, "record of game 'scout.players=3.', not 'scout.players=4.'"),
        ({"agents": ["greedy", "random"]}, "record of agents"),
        ({"agents": ["greedy", agents.Planning(opening=0.5)]}, "record of agents .*0.9.* not .*0.5"),
        ({"agents": ["greedy"], "against": ["planning"]}, "record of alone None, not 1"),
        ({"seed": 4}, "record of seed 3, not 4"),
        ({"duplicate": False}, "record of duplicate True, not False"),
    ],
)
def test_other_settings_than_the_record(record, change, message):
    before = record.read_bytes()
    with pytest.raises(RecordError, match=message):
        arena.play(**{"game": THREE, "agents": ["greedy", "planning"], "seed": 3, "record": record, **change})
    assert record.read_bytes() == before


def test_another_version(record):
    lines = record.read_bytes().splitlines(keepends=True)
    settings = json.loads(lines[0])
    del settings["crc"]
    for change, message in [
        ({"version": "0.0.1"}, "record of version '0.0.1'"),
        ({"rules": "scout-0"}, "record of rules 'scout-0', not 'scout-1'"),
        ({"format": 99}, "has format 99, and this version reads format 1"),
        ({"kind": "shopping list"}, "is no arena's record"),
    ]:
        record.write_bytes(b"".join([pack(settings | change), *lines[1:]]))
        with pytest.raises(RecordError, match=message):
            arena.play(THREE, ["greedy", "planning"], seed=3, record=record)


def test_other_files_are_left_alone(record):
    lines = record.read_bytes().splitlines(keepends=True)
    for content, message in [
        (b"my poem", "is no arena's record"),
        (b"my poem\n", "line 1 is damaged, or is none of an arena's record"),
        (b"".join([lines[0], lines[2]]), "line 2 should be deal 0, not 1"),
        (b"".join([lines[0], lines[1].replace(b"0", b"1", 1)]), "line 2 is damaged"),
        (b"".join([lines[0], b"\n", lines[1]]), "line 2 is damaged"),
    ]:
        record.write_bytes(content)
        with pytest.raises(RecordError, match=message):
            arena.play(THREE, ["greedy", "planning"], seed=3, record=record)
        assert record.read_bytes() == content
    with pytest.raises(OSError, match="directory"):
        arena.play(THREE, ["greedy", "planning"], seed=3, record=record.parent)


def test_a_recorded_deal_is_played_again(record):
    for deal in range(4):
        tables = arena.replay(record, deal, rerun=True)
        assert len(tables) == 6
        assert {table.seats for table in tables} == set(arena.seatings(3, 2))
        state = scout.Game(players=3).deal(seed=[deal, 3])
        for action in tables[0].actions:
            state.apply_action(action)
        assert tuple(state.totals()) == tables[0].points
    for deal in (4, -1, "0", True):
        with pytest.raises(RecordError, match="has 4 deals, 0 to 3"):
            arena.replay(record, deal)


def rewritten(record, change):
    """Change deal 1 of a record; its check sum is right."""
    lines = record.read_bytes().splitlines(keepends=True)
    content = json.loads(lines[2])
    del content["crc"]
    change(content["tables"])
    lines[2] = pack(content)
    record.write_bytes(b"".join(lines))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tables: tables[2][1].reverse(), "deal 1, table 2: .* comes of it, and"),
        (lambda tables: tables[0][2].pop(), "deal 1, table 0: the game is not over"),
        (lambda tables: tables[0][2].append(3), "deal 1, table 0: .* comes of it"),
        (lambda tables: tables[0][2].__setitem__(0, 613), "deal 1, table 0: action 0 is not legal"),
    ],
)
def test_a_record_that_tells_lies(record, change, message):
    rewritten(record, change)
    arena.replay(record, 0)
    with pytest.raises(RecordError, match=message):
        arena.replay(record, 1)


def test_agents_that_play_otherwise(tmp_path):
    path = tmp_path / "r"
    player = Odd(0)
    player.decisions = -1000
    arena.play("scout(players=2)", [player, "random"], 2, record=path)
    with pytest.raises(ArgumentError, match="there is no agent 'odd'"):
        arena.replay(path, 0, rerun=True)
    with pytest.raises(ArgumentError, match="is of other agents"):
        arena.replay(path, 0, rerun=True, agents=[First(), "random"])
    arena.replay(path, 0, rerun=True, agents=["random", player])

    class Other(Last):
        name = "odd"
        __qualname__ = "Odd"

    with pytest.raises(RecordError, match="deal 0, table 0: the agents play otherwise at action"):
        arena.replay(path, 0, rerun=True, agents=[Other(), "random"])


def test_records_of_other_kinds(tmp_path):
    path = tmp_path / "r"
    arena.play("leduc", ["random"], 3, against=["ismcts:5"], record=path)
    assert len(arena.replay(path, 2, rerun=True)) == 2
    path.unlink()
    game = Game(3, players=2, zero_sum=True, nodes=60)
    arena.play(game, ["random"], 3, record=path)
    with pytest.raises(ArgumentError, match="which is no game of ours: give the game"):
        arena.replay(path, 1)
    assert len(arena.replay(path, 1, game=game)) == 1
    with pytest.raises(RecordError, match="not of"):
        arena.replay(path, 1, game=kuhn.Game())
    path.write_bytes(b"")
    with pytest.raises(RecordError, match="no whole line"):
        arena.replay(path, 0)


# ----------------------------------------------------------------------------------------------
# What goes wrong


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        (9999, "played 9999, which is not legal: an action lies in 0..613"),
        (-1, "played -1, which is not legal"),
        (None, "played None, which is not legal: an action is an int"),
        (1.0, "played 1.0, which is not legal: an action is an int"),
        (True, "played True, which is not legal"),
        (RuntimeError("no idea"), "failed: RuntimeError: no idea"),
    ],
)
def test_an_agent_at_fault_is_named(answer, fault, processes):
    for executor in (None, processes):
        with pytest.raises(AgentError) as error:
            arena.play(THREE, [Odd(answer, "oddball"), "planning"], 3, executor=executor)
        assert str(error.value).startswith(f"agent oddball {fault}")
        assert (error.value.agent, error.value.deal) == ("oddball", 0)
        assert error.value.position.startswith("scout(players=3) | ")
        assert f"(deal 0, table {error.value.table}, position: scout" in str(error.value)
        scout.parse(error.value.position)
        assert isinstance(error.value, SolverError)
    again = pickle.loads(pickle.dumps(error.value))
    assert (str(again), again.table) == (str(error.value), error.value.table)


def test_what_was_recorded_before_a_fault_stays(tmp_path):
    path = tmp_path / "r"

    class Late(First):
        name = "late"

        def act(self, position, rng):
            assert position.hand != hand_of(2)
            return super().act(position, rng)

    with pytest.raises(AgentError, match="agent late failed: AssertionError"):
        arena.play("scout(players=2)", [Late(), "random"], 5, record=path)
    assert path.read_bytes().count(b"\n") == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"agents": []}, "at least one agent"),
        ({"agents": "planning"}, "given as a list"),
        ({"against": []}, "at least one agent is needed in against"),
        ({"against": "greedy"}, "given as a list"),
        ({"agents": ["planing"]}, "there is no agent 'planing'"),
        ({"agents": [7]}, "an agent has a name and a method act"),
        ({"agents": [object()]}, "an agent has a name"),
        ({"deals": 0}, "deals is a whole number"),
        ({"deals": 2.5}, "deals is a whole number"),
        ({"deals": True}, "deals is a whole number"),
        ({"seed": -1}, "seed is a whole number"),
        ({"seed": None}, "seed is a whole number"),
        ({"half_width": 0}, "half_width is a positive number"),
        ({"half_width": "1"}, "half_width is a positive number"),
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "scout(players=9)"}, "players"),
        ({"agents": ["threshold"]}, "threshold plays bakerstreet; this is scout"),
    ],
)
def test_bad_input(change, message):
    with pytest.raises(ValueError, match=message):
        arena.play(**{"game": THREE, "agents": ["planning", "greedy"], "deals": 2, **change})


def test_more_deals_that_it_would_take():
    standing = arena.play("scout(players=2)", ["planning", "greedy"], 30)
    spread = standing[0].stderr * np.sqrt(30)
    assert standing.deals_needed(0.5) == stats.deals_needed(0.5, spread)
    assert standing.deals_needed(0.5, agent=1, power=0.9) > standing.deals_needed(0.5)
    with pytest.raises(ArgumentError):
        standing.deals_needed(0)


def test_a_standing_as_text_and_as_data():
    long = agents.Search("a search with a very long name indeed", iterations=3)
    standing = arena.play("scout(players=3,rounds=match)", [long, "random", "planning"], 4)
    text = str(standing)
    assert max(map(len, (text + "\n" + standing.pair_table()).splitlines())) <= 80
    assert "a search with a ve..." in text
    assert text.splitlines()[-1] == "4 deals of scout(players=3,rounds=3), seed 0"
    assert len(standing) == 3
    assert standing[0:2] == standing.rows[:2]
    data = json.loads(json.dumps(standing.to_dict(), allow_nan=False))
    assert data["agents"][0]["name"] == standing[0].name
    assert data["agents"][2]["interval"] == list(standing[2].interval)
    assert data["settings"]["rules"] == scout.Game().rules_version
    assert [pair["games"] for pair in data["pairs"]] == [12, 12, 12]
    alone = arena.play("bakerstreet", ["random", "planning"], 1)
    assert json.dumps(alone.to_dict(), allow_nan=False)
    assert " -" in str(alone)
    assert bakerstreet.Game().rules_version == alone.settings["rules"]


def test_a_record_knows_an_agent_with_a_function_again(tmp_path):
    """Whose repr has an address in it, another one in each process."""

    @dataclass(frozen=True)
    class Called:
        choose: object
        name: str = "called"

        def act(self, position, rng):
            return self.choose(position.legal_actions())

    def agent():
        def chosen(actions):
            return actions[-1]

        return Called(chosen)

    one, other = agent(), agent()
    assert repr(one) != repr(other)
    game, record = scout.Game(players=2, ranks=5), tmp_path / "record"
    arena.play(game, [one, agents.Random()], deals=2, seed=9, record=record)
    resumed = arena.play(game, [other, agents.Random()], deals=4, seed=9, record=record)
    whole = arena.play(game, [one, agents.Random()], deals=4, seed=9)
    assert [row.mean for row in resumed] == [row.mean for row in whole]
    with pytest.raises(RecordError):
        arena.play(game, [Called(min), agents.Random()], deals=4, seed=9, record=record)
