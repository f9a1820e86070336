"""What fuzzing found (tests/fuzz), by name: each input that once did what none may do."""

import contextlib
import itertools
import json
import zlib
from decimal import Decimal

import numpy as np
import pytest

from solver import (
    Rng,
    _arena_record,
    _lines,
    _parquet_footer,
    archive,
    arena,
    bakerstreet,
    cfr,
    duel,
    games,
    ismcts,
    kuhn,
    online,
    pimc,
    policy,
    sampling,
    scout,
    stats,
)
from solver.errors import (
    AgentError,
    ArchiveError,
    ArgumentError,
    CompileError,
    GameError,
    GameOptionError,
    IllegalActionError,
    PolicyError,
    PositionError,
    RecordError,
    SearchError,
)
from solver.policy import PolicyTable


@pytest.mark.parametrize(
    "seed", [1.5, "1", True, -1, [1, -1], [1.5], [[1]], {1: 2}, {1}, object(), np.array(2.5), np.zeros((2, 2))]
)
@pytest.mark.parametrize(
    "call",
    [
        Rng,
        lambda seed: scout.Game(players=3).deal(seed=seed),
        lambda seed: bakerstreet.Game().playouts(1, seed=seed),
        lambda seed: cfr.solve(kuhn.Game(), "external", iterations=1, seed=seed),
        lambda seed: stats.resampled([[1.0], [2.0]], 3, seed),
    ],
    ids=["rng", "deal", "playouts", "solve", "resampled"],
)
def test_what_is_no_seed(call, seed):
    with pytest.raises(ArgumentError, match="a seed is a whole number"):
        call(seed)


def test_a_seed_that_holds_itself():
    """numpy goes down into it until the stack ends, and with it the process."""
    endless = []
    endless.append(endless)
    with pytest.raises(ArgumentError, match="a seed is"):
        Rng(endless)
    with pytest.raises(ArgumentError, match="a seed is"):
        Rng([1] * 70_000)


def test_seeds_give_what_they_gave():
    for seed in (0, 7, 2**70, [1, 2], (1, 2), np.array([1, 2]), np.uint8(9), [0, 2**40]):
        words = np.random.SeedSequence(seed).generate_state(4, np.uint64)
        assert Rng(seed).state == tuple(map(int, words))


class Twice:
    """A number that is another one when it is asked again."""

    def __init__(self):
        self.asked = 0

    def __index__(self):
        self.asked += 1
        return 0 if self.asked == 1 else 1 << 20


def test_a_number_is_asked_for_once():
    """What was checked is what is used: the second answer would be an index far outside."""
    state = scout.Game(players=3).deal(seed=1)
    assert state.hand(Twice()) == state.hand(0)
    other = bakerstreet.Game().deal(seed=1)
    assert other.hand(Twice()) == other.hand(0)
    assert state.position(Twice()).player == 0


@pytest.mark.parametrize("name", ["kuhn", "leduc", "duel(low=2,high=4)", "scout(players=2)", "bakerstreet"])
@pytest.mark.parametrize("odd", [-1, 2, 1.0, None, "0", np.zeros(2), np.zeros(0)])
def test_seats_that_there_are_not(name, odd):
    state = games.load(name).new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.chance_outcomes()[0][0])
    if not (odd is None and name in ("scout(players=2)", "bakerstreet")):  # there the seat to decide
        with pytest.raises(ArgumentError, match="seat"):
            state.information_state_string(odd)
    with pytest.raises(ArgumentError, match="seat"):
        state.resample_from_infostate(odd, lambda: 0.5)
    for draw in (lambda: 1.0, lambda: None, lambda: float("nan"), 0.5):
        with pytest.raises(ArgumentError, match="uniform_01"):
            state.resample_from_infostate(0, draw)
    for action in (odd, np.zeros(0), 1 << 70):
        if type(action) is not int or action != 2:
            with pytest.raises(IllegalActionError):
                state.apply_action(action)


def test_numbers_of_stats():
    for call in (
        lambda: stats.ratio([1.0, "x"]),
        lambda: stats.interval([[1.0]]),
        lambda: stats.spread(3),
        lambda: stats.resampled([[1.0]], 0),
        lambda: stats.bca([1.0], None, [1.0, 2.0]),
        lambda: stats.percentile([1.0], "x"),
        lambda: stats.percentile([1.0, 2.0], 3, level=1.5),
        lambda: stats.power(1.0, 0.0, 10),
        lambda: stats.deals_needed([], 1.0),
        lambda: stats.confidence_width("x", 1.0),
        lambda: stats.fit([[1.0]], [[1.0]], [[1.0, 1.0]]),
        lambda: stats.prior(1 << 40),
    ):
        with pytest.raises(ArgumentError):
            call()


TABLE = PolicyTable.build(["a"], [0], [0, 2], [0, 1], [0.5, 0.5])


@pytest.mark.parametrize(
    "call",
    [
        lambda: PolicyTable.build(3, [], [0], [], []),
        lambda: PolicyTable.build(["a"], [0], [0, 1], [0], [1.0], meta=3),
        lambda: PolicyTable.from_hashes([1], [2], [0], [0, 1], [0], [1.0], texts=5),
        lambda: PolicyTable.from_mapping([("a", {0: 1.0})], player=0),
        lambda: TABLE.row("0"),
        lambda: TABLE.sample("a", 5),
        lambda: TABLE.find("a", np.zeros(2)),
        lambda: TABLE.filter(None),
        lambda: TABLE.merge({}),
        lambda: TABLE.merge(TABLE, prefer=np.zeros(2)),
        lambda: TABLE.compare("a"),
        lambda: TABLE.compare(TABLE, most="x"),
        lambda: policy.uniform(3),
        lambda: policy.uniform(kuhn.Game(), max_states="x"),
        lambda: policy.load("a\0b"),
        lambda: policy.load("\ud800"),
        lambda: policy.load(0),
        lambda: PolicyTable.from_json(7),
        lambda: TABLE.save(7),
        lambda: arena.play("kuhn", 5),
        lambda: arena.play("kuhn", ["random"], progress=3),
        lambda: arena.play("kuhn", ["random"], record=3),
        lambda: ismcts.search(kuhn.Game().new_initial_state(), progress=3),
    ],
)
def test_arguments_of_a_wrong_type(call):
    with pytest.raises((ArgumentError, SearchError)):
        call()


class Small:
    """A game of one decision for each seat, of which one method says something else."""

    def __init__(self, **said):
        self.said = said

    def num_players(self):
        return self.said.get("num_players", 2)

    def get_parameters(self):
        return {}

    def new_initial_state(self):
        return SmallState(self, 0)


class SmallState:
    def __init__(self, game, moves):
        self.game, self.moves = game, moves

    def _say(self, name, right):
        said = self.game.said.get(name, right)
        return said() if callable(said) else said

    def current_player(self):
        return self._say("current_player", self.moves if self.moves < 2 else -4)

    def is_terminal(self):
        return self._say("is_terminal", self.moves >= 2)

    def is_chance_node(self):
        return False

    def chance_outcomes(self):
        return self._say("chance_outcomes", [])

    def legal_actions(self):
        return self._say("legal_actions", [0, 1] if self.moves < 2 else [])

    def apply_action(self, action):
        self.moves += 1

    def child(self, action):
        return SmallState(self.game, self.moves + 1)

    def clone(self):
        return SmallState(self.game, self.moves)

    def returns(self):
        return self._say("returns", [1.0, -1.0])

    def information_state_string(self, player):
        return f"{player} {min(self.moves, 5)}"

    def action_to_string(self, player, action):
        return str(action)

    def resample_from_infostate(self, player, uniform_01):
        return SmallState(self.game, self.moves)


DOORS = {
    "ismcts": lambda game: ismcts.search(game.new_initial_state(), 4, seed=1),
    "pimc": lambda game: pimc.search(game.new_initial_state(), 1, iterations=3, seed=1),
    "online": lambda game: online.solve(game, iterations=3, seed=1, compile_bytes=0),
    "online search": lambda game: online.search(game.new_initial_state(), iterations=3, seed=1),
    "external": lambda game: sampling.solve(game, iterations=2, seed=1, compile_bytes=0),
    "outcome": lambda game: sampling.solve(game, "outcome", iterations=2, seed=1, compile_bytes=0),
    "cfr": lambda game: cfr.solve(game, iterations=2),
    "arena": lambda game: arena.play(game, ["random", "random"], deals=1),
    "uniform": policy.uniform,
}


def fails():
    raise ZeroDivisionError("of the user's own")


@pytest.mark.parametrize("door", DOORS)
def test_games_that_misbehave(door):
    DOORS[door](Small())
    for said in (
        {"returns": [1.0]},
        {"returns": None},
        {"returns": [float("nan"), 0.0]},
        {"legal_actions": 3},
        {"current_player": "0"},
        {"legal_actions": lambda: range(1 << 40)},
    ):
        if door == "uniform" and "returns" in said:
            continue
        if door in ("ismcts", "pimc", "arena") and said.get("returns") == [1.0]:
            said = {"returns": []}
        if door in ("ismcts", "pimc", "arena") and callable(said.get("legal_actions")):
            continue  # they look at no more of them than they play
        with pytest.raises((GameError, CompileError, SearchError, AgentError, ArgumentError)):
            DOORS[door](Small(**said))
    # what a user's code raises is the user's
    name = "legal_actions" if door == "uniform" else "returns"
    with pytest.raises(ZeroDivisionError, match="of the user's own"):
        DOORS[door](Small(**{name: fails}))


@pytest.mark.parametrize("players", [0, -1, 128, 50_000, 10**18, 2.0, None, "2"])
@pytest.mark.parametrize("door", ["arena", "cfr", "external", "online"])
def test_games_of_no_number_of_seats(door, players):
    """An arena of 50,000 seats took the least common multiple of their numbers, for minutes and gigabytes."""
    with pytest.raises((GameError, CompileError, ArgumentError), match=r"players|whole number|must have a length"):
        DOORS[door](Small(num_players=players))


@pytest.mark.parametrize("door", sorted(set(DOORS) - {"uniform"}))
def test_games_without_end(door, monkeypatch):
    from solver import _arena_tables, _ismcts_twin, tree_walk

    for module in (_ismcts_twin, online, sampling, tree_walk, _arena_tables):
        monkeypatch.setattr(module, "LONGEST", 500)
    game = Small(is_terminal=False, legal_actions=[0, 1])
    turns = iter(range(10**9))
    game.said["current_player"] = lambda: next(turns) % 2
    with pytest.raises((GameError, CompileError, SearchError), match=r"a game has an end|forgets|perfect recall"):
        DOORS[door](game)


@pytest.mark.parametrize("chances", [[(0, 0.5)], [(0, -0.5), (1, 1.5)], [(0, float("nan"))], [], [0], None])
@pytest.mark.parametrize("door", ["ismcts", "online search", "arena"])
def test_chances_that_are_none(door, chances):
    class Chancy(Small):
        def new_initial_state(self):
            return SmallState(self, 0)

    game = Chancy(chance_outcomes=chances)
    players = iter([0, 0, 0, 0] if door != "arena" else [])
    game.said["current_player"] = lambda: next(players, -1)
    with pytest.raises((GameError, SearchError), match=r"chance|no seat|protocol does not ask"):
        DOORS[door](game)


LIES = [
    lambda lines: lines[1].pop("tables"),
    lambda lines: lines[1].update(tables=3),
    lambda lines: lines[1].update(tables=[]),
    lambda lines: lines[1].update(tables=[[[0], [1.0], 5]]),
    lambda lines: lines[1]["tables"][0].pop(),
    lambda lines: lines[1]["tables"][0][0].append(0),
    lambda lines: lines[1]["tables"][0].__setitem__(0, [0, -1]),
    lambda lines: lines[1]["tables"][0].__setitem__(1, [None, 1.0]),
    lambda lines: lines[1]["tables"][0].__setitem__(2, [0.5]),
    lambda lines: lines[0].pop("seed"),
    lambda lines: lines[0].pop("rules"),
    lambda lines: lines[0].update(seed="1"),
    lambda lines: lines[0].update(game=5),
    lambda lines: lines[0].update(agents=5),
    lambda lines: lines[0].update(agents=[["random"]]),
    lambda lines: lines[0].update(alone=7),
    lambda lines: lines[0].update(duplicate=None),
]


@pytest.mark.parametrize("lie", LIES)
def test_records_whose_check_sums_are_right(lie, tmp_path):
    path = tmp_path / "record"
    arena.play("kuhn", ["random", "random"], deals=2, record=path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        line.pop("crc")
    lie(lines)
    path.write_bytes(b"".join(map(_lines.pack, lines)))
    before = path.read_bytes()
    for call in (
        lambda: _arena_record.read(path),
        lambda: arena.replay(path, 0, rerun=True),
        lambda: arena.play("kuhn", ["random", "random"], deals=3, record=path),
    ):
        with pytest.raises(RecordError):
            call()
    assert path.read_bytes() == before


def test_records_of_other_tables(tmp_path):
    path = tmp_path / "record"
    arena.play("kuhn", ["random", "random"], deals=2, record=path)
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    for line in lines:
        line.pop("crc")
    lines[1]["tables"].reverse()
    path.write_bytes(b"".join(map(_lines.pack, lines)))
    with pytest.raises(RecordError, match="other tables"):
        arena.play("kuhn", ["random", "random"], deals=3, record=path)
    with pytest.raises(RecordError, match="other tables"):
        arena.replay(path, 0, rerun=True)
    text = b'{"deal":0,}'
    path.write_bytes(text[:-1] + b',"crc":"%08x"}\n' % zlib.crc32(text))
    with pytest.raises(RecordError, match="line 1"):
        _arena_record.read(path)


def test_small_things():
    with pytest.raises((ArgumentError, GameOptionError), match="bids"):
        duel.Game(bids=np.array(3))
    with pytest.raises(ArgumentError, match="row"):
        scout.legal_sets(5)
    with pytest.raises(ArgumentError, match="hand"):
        bakerstreet.bid_odds(5, [1] * 6)
    with pytest.raises(ArgumentError, match="sequence"):
        Rng(1).choice({1: 2})
    with pytest.raises(ArgumentError, match="list"):
        Rng(1).shuffle((1, 2))
    with pytest.raises(ArgumentError, match="n must be"):
        Rng(1).below(1.5)
    with pytest.raises(PolicyError, match="Tree"):
        cfr.TreePolicy(5, ())
    tree = cfr.compile("kuhn")
    for player, infoset in ((2, 0), (0, 99), ("0", 0), (0, -1)):
        with pytest.raises(ArgumentError):
            tree.example(player, infoset)
    with pytest.raises(ArgumentError, match="name of a file"):
        archive.file_name("a\0")
    walk = scout.Game(players=2).new_walk()
    with pytest.raises(ArgumentError, match="seat"):
        walk.information_state_key(1 << 20)


class Odd:
    """A number by `__index__` alone: it has no order and no arithmetic."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number


def test_numbers_by_index_alone():
    """What was checked as a whole number is used as one."""
    two = Odd(2)
    boots = [1.0, 2.0, 4.0]
    assert stats.percentile(boots, two) == stats.percentile(boots, 2)
    assert stats.power(1.0, 2.0, two) == stats.power(1.0, 2.0, 2)
    assert stats.confidence_width(Odd(20), 1.0, best_at=Odd(9)) == stats.confidence_width(20, 1.0, best_at=9)
    assert stats.interval(boots, resamples=two) == stats.interval(boots, resamples=2)
    assert np.array_equal(stats.prior(two)[1], stats.prior(2)[1])
    assert arena.seatings(two, Odd(3), alone=Odd(1), deal=two) == arena.seatings(2, 3, alone=1, deal=2)
    assert len(arena.play("kuhn", ["random", "random"], deals=two)) == 2
    assert policy.uniform(kuhn.Game(), max_states=Odd(500)).meta == policy.uniform(kuhn.Game()).meta
    assert len(TABLE.compare(TABLE, most=two).most) == 0
    for game in (scout.Game(players=3), bakerstreet.Game()):
        assert game.playouts(two, 1)[:2] == game.playouts(2, 1)[:2]
    position = scout.Game(players=3).deal(seed=1).position(0)
    assert pimc.search(position, two, iterations=Odd(3), seed=1).deals == 2
    again = pimc.search(position, 2, iterations=3, seed=1)
    assert pimc.search(position, two, iterations=Odd(3), seed=1).best == again.best


@pytest.mark.parametrize("odd", [np.array([1, 2]), np.zeros(0), Odd(1), {1}, 1, None])
def test_what_is_no_choice(odd):
    """Arrays have no truth and sets no hash: asked for either, they would fail without a word of ours."""
    position = scout.Game(players=3).deal(seed=1).position(0)
    calls = [
        lambda: position.sample(1, odd),
        lambda: arena.seatings(2, 2, duplicate=odd),
        lambda: duel.solve(bids=[0, 2], iterations=1, dtype=odd),
        lambda: duel.solve(bids=[0, 2], iterations=1, method=odd),
        lambda: cfr.solve("kuhn", odd, iterations=1),
        lambda: PolicyTable.build(["a"], [0], [0, 1], [0], [1.0], keep_text=odd),
    ]
    if odd is not None:
        calls.append(lambda: ismcts.search(position, 1, compiled=odd))
    for call in calls:
        with pytest.raises((ArgumentError, SearchError)):
            call()


@pytest.mark.parametrize("odd", [np.zeros(0), np.zeros(2), 3, "ABCDE", None, [1] * 5])
def test_what_is_no_seat_and_what_are_no_piles(odd):
    state = bakerstreet.Game().deal(seed=1)
    assert state.action_to_string(odd, 0) == state.action_to_string(0, 0)  # the seat is not looked at
    if odd is not None:
        with pytest.raises(PositionError, match="piles must be 5 strings"):
            bakerstreet.Game().deal(piles=odd)


def test_numbers_too_large():
    for call in (
        lambda: arena.seatings(1 << 40, 2),
        lambda: arena.seatings(2, 1 << 62),
        lambda: arena.seatings(65_536, 3, alone=2),
        lambda: stats.resampled([[1.0]], 1 << 40),
        lambda: stats.interval([1.0], resamples=1 << 200),
        lambda: duel.solve(bids=[0, 2], iterations=1, alpha=10**400),
    ):
        with pytest.raises(ArgumentError):
            call()


def test_options_are_used_as_they_were_checked():
    """A Decimal is a number, and has no product with a float."""
    state = kuhn.Game().new_initial_state()
    state.apply_action(2)
    state.apply_action(0)
    for search in (ismcts.search, pimc.search):
        taken = [search(state, 3, seed=1, exploration=given).actions for given in (Decimal("0.5"), 0.5)]
        assert taken[0].tobytes() == taken[1].tobytes()


@pytest.mark.parametrize("door", ["ismcts", "pimc"])
def test_actions_without_end(door):
    with pytest.raises(GameError, match="legal actions: more than"):
        DOORS[door](Small(legal_actions=itertools.count))


def test_figures_out_of_range():
    assert stats.bca([1.0, 2.0, 3.0], 1e300, [0.1, -0.1, 0.2]) == (1e300, 1e300)
    with pytest.raises(ArgumentError, match="more than 4,611,686,018,427,387,904 deals"):
        stats.deals_needed(1e-320, 1.0)


def test_outcomes_without_end():
    """A walk over all states looks at each outcome."""

    class Chance(SmallState):
        def is_chance_node(self):
            return True

    game = Small(chance_outcomes=lambda: ((i, 1e-9) for i in itertools.count()))
    game.new_initial_state = lambda: Chance(game, 0)
    with pytest.raises(GameError, match="outcomes: more than"):
        policy.uniform(game)


def test_words_that_are_none():
    """What a game has for an action is a text in the result, whatever it was."""

    class Wordy(SmallState):
        def current_player(self):
            return 0 if self.moves < 2 else -4

        def returns(self):
            return [1.0, -1.0]

        def clone(self):
            return Wordy(self.game, self.moves)

        def child(self, action):
            return Wordy(self.game, self.moves + 1)

        def resample_from_infostate(self, player, uniform_01):
            return Wordy(self.game, self.moves)

        def action_to_string(self, player, action):
            return range(3)

    result = ismcts.search(Wordy(Small(), 0), 20, seed=1)
    told = json.loads(result.to_json())
    assert len(result.then) == 2
    assert [row["words"] for row in told["then"]] == ["range(0, 3)"] * 2


@pytest.fixture
def parquet(tmp_path):
    """The bytes of a table as Parquet, and where to read changed ones from."""
    pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "policy.parquet"
    TABLE.to_parquet(path)
    return path, path.read_bytes()


def test_footers_that_contradict_themselves(parquet):
    """A histogram of one entry too many: pyarrow ended the process when it was asked for such a column."""
    path, data = parquet
    footer = range(len(data) - 8 - int.from_bytes(data[-8:-4], "little"), len(data) - 8)
    lists = [at for at in footer if data[at] & 15 == 6 and data[at] < 0x60]  # of a few whole numbers, and the like
    assert lists
    for at in lists:
        path.write_bytes(data[:at] + bytes([data[at] + 16]) + data[at + 1 :])
        with contextlib.suppress(ArchiveError, PolicyError):
            PolicyTable.from_parquet(path)


def test_a_footer_is_read_as_pyarrow_reads_it(parquet):
    import pyarrow.parquet as pq

    path, data = parquet
    said = _parquet_footer.claims(data)
    told = pq.ParquetFile(path).metadata
    columns = [told.row_group(0).column(i) for i in range(told.num_columns)]
    assert said.rows == told.num_rows == 1
    assert said.values == sum(column.num_values for column in columns)
    assert said.unpacked == sum(column.total_uncompressed_size for column in columns)
    assert 8 < said.pages < said.unpacked  # which counts heads too
    end = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    pages, footer = data[:end], data[end:-8]
    for cut in range(len(footer)):
        with pytest.raises(ValueError, match="footer"):
            _parquet_footer.claims(pages + footer[:cut] + cut.to_bytes(4, "little") + b"PAR1")
    for cut in range(1, len(pages)):
        with pytest.raises(ValueError, match="head of a page"):
            _parquet_footer.claims(pages[cut:] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    deep = b"\x19" + b"\x19" * 90  # lists in lists
    for wrong in (deep, b"\x16" + b"\xff" * 11, b"\x1d", b"\x18\xff\x01", b"\x1b\xff\xff\x01", b"\x49\x15\x02"):
        with pytest.raises(ValueError, match="footer"):
            _parquet_footer.claims(wrong + len(wrong).to_bytes(4, "little") + b"PAR1")


@pytest.mark.parametrize("iteration", [1e300, -1.0, 4.0])
def test_checkpoints_whose_history_is_of_other_iterations(iteration, tmp_path):
    """The first is too large for the history of a solution, which was met once the work was done."""
    path = tmp_path / "run"
    cfr.solve("kuhn", iterations=3, checkpoint=path)
    saved = archive.read(path, "cfr checkpoint")
    arrays = dict(saved.arrays)
    arrays["history"] = arrays["history"].copy()
    arrays["history"][0, 0] = iteration
    archive.write(path, "cfr checkpoint", arrays, saved.meta)
    before = path.read_bytes()
    with pytest.raises(ArchiveError, match="does not say how far it is"):
        cfr.solve("kuhn", iterations=5, checkpoint=path)
    assert path.read_bytes() == before
