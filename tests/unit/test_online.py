"""Search for an equilibrium: hand-made games with known answers, unbiased samples, exploitability that falls."""

import json
import math
import os
import signal

import numpy as np
import pytest

from solver import cfr, kuhn, leduc, online, scout
from solver._core import Rng
from solver.errors import ArgumentError, CompileError, GameError, SearchError
from solver.policy import PolicyTable
from tests.reference import random_games

SMALL_SCOUT = "scout(players=2,payoff=margin,ranks=4,hand_size=2,chips=0)"


class Matrix:
    """Both choose at once: the second does not see what the first chose. `pays` is what the first gets."""

    def __init__(self, pays, total=0.0, players=2):
        self.pays, self.total, self.players = pays, total, players

    def new_initial_state(self):
        return MatrixState(self, ())

    def num_players(self):
        return self.players

    def num_distinct_actions(self):
        return max(len(self.pays), len(self.pays[0]))

    def max_utility(self):
        return 10.0

    def min_utility(self):
        return -10.0

    def get_parameters(self):
        return {}


class MatrixState:
    def __init__(self, game, played):
        self.game, self.played = game, played

    def current_player(self):
        return len(self.played) if len(self.played) < 2 else -4

    def is_terminal(self):
        return len(self.played) == 2

    def is_chance_node(self):
        return False

    def chance_outcomes(self):
        return []

    def legal_actions(self):
        return list(range(len(self.game.pays[0] if self.played else self.game.pays)))

    def apply_action(self, action):
        self.played += (action,)

    def child(self, action):
        return MatrixState(self.game, (*self.played, action))

    def clone(self):
        return MatrixState(self.game, self.played)

    def returns(self):
        first, second = self.played
        pay = self.game.pays[first][second]
        return [pay, self.game.total - pay] + [0.0] * (self.game.players - 2)

    def information_state_string(self, player):
        own = f" {self.played[player]}" if player < len(self.played) else ""
        return f"seat {player}{own}"

    def action_to_string(self, player, action):
        return f"choice {action}"

    def resample_from_infostate(self, player, uniform_01):
        first = self.played
        if player == 1 and first:
            first = (int(uniform_01() * len(self.game.pays)),)
        return MatrixState(self.game, first)


PENNIES = [[1, -1], [-1, 1]]
LOPSIDED = [[0, -1, 2], [1, 0, -1], [-2, 1, 0]]  # rock, paper, scissors; rock on scissors counts twice
DOMINATED = [[1, 0], [0, -1]]  # the first row is better whatever the second does, and so is the second column


def probabilities(policy, player, text):
    return np.array(list(policy.action_probabilities(text, player).values()))


# Known answers


@pytest.mark.parametrize("compile_bytes", [0, 1 << 20], ids=["played", "compiled"])
@pytest.mark.parametrize(("method", "within"), [("oos", 0.02), ("smooth-uct", 0.06)])
@pytest.mark.parametrize(
    ("pays", "first", "second"),
    [
        (PENNIES, [1 / 2, 1 / 2], [1 / 2, 1 / 2]),
        (LOPSIDED, [1 / 4, 1 / 2, 1 / 4], [1 / 4, 1 / 2, 1 / 4]),
        (DOMINATED, [1, 0], [0, 1]),
    ],
    ids=["pennies", "lopsided", "dominated"],
)
def test_the_equilibrium_of_a_matrix_is_found(pays, first, second, method, within, compile_bytes):
    solution = online.solve(Matrix(pays), method, iterations=40_000, seed=3, compile_bytes=compile_bytes)
    assert probabilities(solution.policy, 0, "seat 0") == pytest.approx(first, abs=within)
    assert probabilities(solution.policy, 1, "seat 1") == pytest.approx(second, abs=within)


@pytest.mark.parametrize("method", ["oos", "smooth-uct"])
def test_a_dominated_action_dies_out(method):
    solution = online.solve(Matrix(DOMINATED), method, iterations=20_000, seed=1)
    assert probabilities(solution.policy, 0, "seat 0")[0] > 0.97
    assert probabilities(solution.policy, 1, "seat 1")[1] > 0.97
    assert solution.value == pytest.approx([0, 0], abs=0.05)


def test_plain_uct_may_fall_into_step():
    """Bounds are not random: both change their choice together, each pays 0, and nobody learns which is better."""
    solution = online.solve(Matrix(DOMINATED), "uct", iterations=20_000, seed=1)
    assert probabilities(solution.policy, 0, "seat 0") == pytest.approx([0.5, 0.5], abs=0.02)
    assert solution.exploitability > 0.4


@pytest.mark.parametrize("method", online.METHODS)
def test_a_constant_sum_is_as_good_as_a_sum_of_zero(method):
    """Half of what there is for both is taken off: the same bits."""
    zero, ten = Matrix(LOPSIDED), Matrix([[5 + pay for pay in row] for row in LOPSIDED], total=10)
    policies = [online.solve(game, method, iterations=3000, seed=5).policy for game in (zero, ten)]
    assert policies[0].probabilities.tolist() == policies[1].probabilities.tolist()


def test_the_second_seat_of_kuhn_plays_its_only_equilibrium():
    policy = online.solve("kuhn", "oos", iterations=150_000, seed=2).policy
    for text, bet in [("0p", 1 / 3), ("0b", 0), ("1p", 0), ("1b", 1 / 3), ("2p", 1), ("2b", 1)]:
        assert policy.action_probabilities(text)[1] == pytest.approx(bet, abs=0.05)


# Samples


def exact(tree, policies, learner):
    """By recursion: counterfactual regrets of the learner, and the rival's part of play times its policy."""
    nodes = tree.nodes
    regrets = {}
    plays = {}

    def walk(node, reach, third):
        """Worth for the learner; `reach` of both seats, `third` of chance."""
        player = int(nodes.player[node])
        lo, n = int(nodes.child[node]), int(nodes.count[node])
        if player == -4:
            return float(nodes.returns[nodes.infoset[node]][learner])
        if player == -1:
            return sum(nodes.chance[k] * walk(k, reach, third * nodes.chance[k]) for k in range(lo, lo + n))
        key = player, int(nodes.infoset[node])
        policy = policies[key]
        worths = []
        for k in range(n):
            further = list(reach)
            further[player] *= policy[k]
            worths.append(walk(lo + k, further, third))
        value = float(np.dot(policy, worths))
        if player == learner:
            regrets[key] = regrets.get(key, 0) + third * reach[1 - learner] * (np.array(worths) - value)
        else:
            plays[key] = plays.get(key, 0) + third * reach[player] * np.array(policy)
        return value

    walk(0, [1.0, 1.0], 1.0)
    return regrets, plays


@pytest.mark.parametrize("aim", [0.0, 0.7])
@pytest.mark.parametrize("learner", [0, 1])
@pytest.mark.parametrize("name", ["kuhn", "random"])
def test_what_a_line_teaches_is_unbiased(name, learner, aim):
    """The mean over many lines with fixed policies, some of them pure, is what walking the whole game gives."""
    game = kuhn.Game() if name == "kuhn" else random_games.Game(3, players=2, nodes=80)
    tree = cfr.compile(game)
    draw = np.random.default_rng(7)
    begin = {}
    for player, plex in enumerate(tree.treeplexes):
        for i in range(plex.num_infosets):
            size = int(plex.first[i + 1] - plex.first[i])
            regrets = draw.exponential(size=size)
            if size > 1 and draw.random() < 0.3:
                regrets[draw.integers(size)] = -1.0  # never played
            begin[player, i] = regrets.tolist()
    target = tree.treeplexes[1].num_infosets // 2
    world = online._Compiled(tree, 1, target) if aim else online._Compiled(tree)
    oos = online._Oos(world, Rng([1, learner]), 10**6, 0.5, aim)
    for key, regrets in begin.items():
        row = oos.rows[key] = online._Row(list(range(len(regrets))))
        row.scores = list(regrets)
    policies = {key: row.matching() for key, row in oos.rows.items()}
    expected, shares = exact(tree, policies, learner)
    sums, squares, lines = {}, {}, 20_000
    for _ in range(lines):
        oos.iterations = learner
        oos.line()
        for key, row in oos.rows.items():
            if not row.total:
                continue
            change = np.array(row.scores) - begin[key] if key[0] == learner else np.array(row.plays)
            sums[key] = sums.get(key, 0) + change
            squares[key] = squares.get(key, 0) + change**2
            row.scores, row.plays, row.total = list(begin[key]), [0.0] * len(begin[key]), 0
    for key, wanted in (expected | shares).items():
        mean = sums.get(key, 0.0) / lines
        error = np.sqrt(np.maximum(0, squares.get(key, 0.0) / lines - mean**2) / lines)
        assert (np.abs(mean - wanted) <= 5 * error + 1e-9).all(), key
    assert sum(np.abs(wanted).sum() for wanted in expected.values()) > 0.1


@pytest.mark.parametrize("player", [0, 1])
def test_what_leads_to_a_target_is_marked(player):
    """All that lies on a line through the information state, before and after it, and nothing else."""
    tree = cfr.compile("leduc")
    nodes = tree.nodes
    for infoset in (0, 100, 467):
        marked = set()
        pending = np.flatnonzero((nodes.player == player) & (nodes.infoset == infoset)).tolist()
        for node in pending:
            above = node
            while above >= 0:
                marked.add(above)
                above = int(nodes.parent[above])
        while pending:
            node = pending.pop()
            marked.add(node)
            pending += range(nodes.child[node], nodes.child[node] + nodes.count[node])
        assert set(np.flatnonzero(online._Compiled(tree, player, infoset)._leads).tolist()) == marked


def test_lines_that_are_aimed_go_through_the_target():
    tree = cfr.compile("leduc")
    target = tree.treeplexes[1].texts.index("1b:c")
    counts = {}
    for aim in (0.0, 0.9):
        oos = online._Oos(online._Compiled(tree, 1, target), Rng(1), 10**6, 0.4, aim)
        oos.advance(2000)
        counts[aim] = oos.rows[1, target].total
    assert counts[0.9] > 0.85 * 2000 > 4 * counts[0.0]


# Exploitability


LINES = (1000, 10_000, 100_000)


def falls(game, method, seed):
    """Exploitability after so many lines."""
    history = online.solve(game, method, iterations=LINES[-1], every=LINES[0], seed=seed).history
    return [float(history["exploitability"][history["iteration"] == lines][0]) for lines in LINES]


@pytest.mark.parametrize(
    ("game", "method", "bound"),
    [
        ("kuhn", "oos", 0.03),
        ("kuhn", "smooth-uct", 0.03),
        ("leduc", "oos", 0.9),
        ("leduc", "smooth-uct", 0.7),
        (SMALL_SCOUT, "oos", 0.1),
        (SMALL_SCOUT, "smooth-uct", 0.12),
    ],
)
def test_exploitability_falls(game, method, bound):
    early, later, last = falls(game, method, 1)
    assert early > 1.5 * later > 2.0 * last
    assert last < bound


def test_that_of_plain_uct_need_not():
    """More lines, a more exploitable policy: kuhn with a narrow bound, which Smooth UCT does better by."""
    tree = cfr.compile("kuhn")
    plain = online.solve(tree, "uct", iterations=100_000, every=10_000, seed=1, exploration=0.1)
    assert plain.exploitability > plain.history["exploitability"][0]
    smooth = online.solve(tree, "smooth-uct", iterations=100_000, every=10_000, seed=1, exploration=0.1)
    assert smooth.exploitability < smooth.history["exploitability"][0] / 3
    assert "need not approach" in str(plain)
    assert "not proven" in smooth.guarantee


# The door of whole games


@pytest.mark.parametrize("method", online.METHODS)
def test_a_seed_fixes_every_bit_however_the_run_is_cut(method):
    tree = cfr.compile("kuhn")
    runs = [online.solve(tree, method, iterations=3000, seed=4, every=every) for every in (None, 7, 3000)]
    for run in runs[1:]:
        assert run.policy.probabilities.tolist() == runs[0].policy.probabilities.tolist()
    other = online.solve(tree, method, iterations=3000, seed=5)
    assert other.policy.probabilities.tolist() != runs[0].policy.probabilities.tolist()
    again = online.solve(tree, method, iterations=3000, seed=runs[0].settings["seed"])
    assert again.exploitability == runs[0].exploitability


@pytest.mark.parametrize("method", online.METHODS)
def test_states_and_trees_teach_the_same(method):
    """A game without chance draws alike both ways, so every bit is the same."""
    game = Matrix(LOPSIDED)
    played = online.solve(game, method, iterations=500, seed=1, compile_bytes=0)
    compiled = online.solve(game, method, iterations=500, seed=1)
    assert math.isnan(played.exploitability)
    for player in (0, 1):
        text = f"seat {player}"
        assert played.policy.action_probabilities(text) == compiled.policy.action_probabilities(text)


def test_the_tree_grows_by_one_state_of_each_seat_a_line():
    oos = online._Oos(online._Compiled(cfr.compile("leduc")), Rng(1), 10**6, 0.4)
    before = 0
    for _ in range(300):
        oos.advance(1)
        assert before <= len(oos.rows) <= before + 2
        before = len(oos.rows)
    assert 100 < before < 600


def test_a_full_table_plays_the_rest_uniformly():
    solution = online.solve("kuhn", "oos", iterations=500, seed=1, max_states=3)
    assert solution.settings["infosets"] == 3
    rows = [row.probabilities for row in solution.policy]
    assert sum(list(row) == [0.5, 0.5] for row in rows) >= 9


def test_an_openspiel_game(tmp_path):
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("kuhn_poker")
    played = online.solve(game, "oos", iterations=30_000, seed=1, compile_bytes=0)
    assert isinstance(played.policy, PolicyTable)
    assert cfr.exploitability(game, played.policy) < 0.06
    played.policy.save(tmp_path / "kuhn.policy")
    state = game.new_initial_state()
    for action in (2, 0, 0):  # a king, a jack; the first passes
        state.apply_action(action)
    result = online.search(state, game=game, iterations=20_000, seed=1, aim=0.5)
    assert result.probabilities[1] == pytest.approx(1 / 3, abs=0.1)
    assert sum(online.search(state, "smooth-uct", iterations=100, seed=1).probabilities.values()) == pytest.approx(1)
    goofspiel = online.solve(pyspiel.load_game("goofspiel(num_cards=3)"), iterations=500, seed=1)
    assert goofspiel.exploitability < 1  # its turn-based conversion


def test_ctrl_c_keeps_what_was_done():
    def press(snapshot):
        if snapshot.iteration >= 1000:
            os.kill(os.getpid(), signal.SIGINT)

    solution = online.solve("kuhn", iterations=10**9, seed=1, callback=press)
    assert solution.interrupted
    assert 1000 <= solution.iterations < 10**6
    same = online.solve("kuhn", iterations=solution.iterations, seed=1)
    assert same.policy.probabilities.tolist() == solution.policy.probabilities.tolist()
    state = dealt(1, 2, 0)
    result = online.search(state, iterations=10**9, seed=1, progress=lambda _: os.kill(os.getpid(), signal.SIGINT))
    assert result.interrupted
    assert result.iterations < 10**6
    assert "interrupted" in str(result)


def test_seconds_and_target_end_a_run():
    assert online.solve("kuhn", seconds=0.05, seed=1).iterations > 0
    assert online.solve("kuhn", target=0.1, seed=1).exploitability <= 0.1
    shares = []
    online.search(dealt(1, 2, 0), "uct", seconds=0.05, seed=1, progress=shares.append)
    assert shares
    assert all(0 <= share <= 1 for share in shares)


# The door of one decision


def dealt(*actions):
    state = kuhn.Game().new_initial_state()
    for action in actions:
        state.apply_action(action)
    return state


@pytest.mark.parametrize("aim", [0.0, 0.5, 0.9])
def test_a_search_from_the_start_finds_the_equilibrium(aim):
    """With the middle card the second seat calls a bet in one of three cases; with the worst it bets as often."""
    tree = cfr.compile("kuhn")
    for actions in ((2, 1, 1), (2, 0, 0)):
        result = online.search(dealt(*actions), game=tree, iterations=60_000, seed=1, aim=aim)
        assert result.probabilities[1] == pytest.approx(1 / 3, abs=0.08)
        assert result.settings["from"] == "the start"


@pytest.mark.parametrize("method", online.METHODS)
def test_one_from_what_is_known_takes_the_rivals_past_play_for_chance(method):
    """The bettor then has the worst or the best card alike, so that calling always is worth 0, passing -1."""
    result = online.search(dealt(2, 1, 1), method, iterations=5000, seed=1)
    assert result.best == 1
    assert result.probabilities[1] > 0.95
    if method == "oos":
        assert np.isnan(result.actions["value"]).all()
    else:
        assert result.actions["value"][1] == pytest.approx(0, abs=0.1)
        assert result.actions["value"][0] == pytest.approx(-1, abs=1e-9)


def test_a_search_of_scout():
    """A Position, or a State of which only what its seat knows is used; the pay-off is the margin."""
    state = scout.Game(players=2, ranks=5).deal(seed=3)
    player = state.current_player()
    by_state = online.search(state, "smooth-uct", iterations=200, seed=2)
    by_position = online.search(state.position(player), "smooth-uct", iterations=200, seed=2)
    assert by_state.actions.tolist() == by_position.actions.tolist()
    assert by_state.actions["action"].tolist() == state.legal_actions()
    assert by_state.settings["game"].startswith("scout(players=2")
    assert by_state.best in by_state.probabilities


@pytest.mark.parametrize("method", online.METHODS)
def test_a_result_tells_all_of_itself(method):
    state = dealt(0, 1)
    result = online.search(state, method, iterations=300, seed=9)
    told = json.loads(result.to_json())
    assert told["position"] == "0"
    assert [row["words"] for row in told["actions"]] == ["pass", "bet"]
    assert sum(row["probability"] for row in told["actions"]) == pytest.approx(1)
    assert told["settings"]["seed"] == 9
    assert told["settings"]["method"] == method
    assert "best: " + result.words[result.best] in str(result)
    again = online.search(state, method, iterations=300, seed=9)
    assert again.actions["probability"].tolist() == result.actions["probability"].tolist()
    drawn = [result.sample(np.random.default_rng(seed)) for seed in range(200)]
    assert drawn.count(1) / 200 == pytest.approx(result.probabilities[1], abs=0.12)


# Bad input


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"method": "cfr"}, "method is one of oos, smooth-uct, uct"),
        ({"exploration": 0}, "exploration"),
        ({"exploration": 1.5}, "exploration"),
        ({"method": "uct", "exploration": -1}, "exploration"),
        ({"method": "smooth-uct", "mixing": (1, 2)}, "three numbers"),
        ({"method": "smooth-uct", "mixing": (1, 2, 0)}, "gamma"),
        ({"method": "smooth-uct", "mixing": (0.9, 0.1, -1)}, "mixing: d"),
        ({"max_states": 0}, "max_states"),
        ({"compile_bytes": -1}, "compile_bytes"),
        ({"iterations": 0}, "iterations"),
        ({"seed": "x"}, "seed"),
        ({"compile_bytes": 0, "target": 0.1}, "a target needs a game that compiles"),
    ],
)
def test_bad_options_of_a_solve(arguments, words):
    with pytest.raises(ArgumentError, match=words):
        online.solve("kuhn", **({"iterations": 10} | arguments))


@pytest.mark.parametrize("compile_bytes", [0, 1 << 24], ids=["played", "compiled"])
def test_games_for_other_methods(compile_bytes):
    options = {"iterations": 300, "seed": 1, "compile_bytes": compile_bytes}
    with pytest.raises(ArgumentError, match="two players, not 3"):
        online.solve("kuhn(players=3)", **options)
    with pytest.raises(ArgumentError, match="always sum to the same number"):
        online.solve("scout(players=2,ranks=4,hand_size=2,chips=0)", **options)

    class Together(Matrix):
        def new_initial_state(self):
            state = MatrixState(self, ())
            state.current_player = lambda: -2
            state.clone = lambda: state
            return state

    with pytest.raises((CompileError, GameError)):
        online.solve(Together(PENNIES), **options)

    class Infinite(Matrix):
        pass

    with pytest.raises((CompileError, GameError), match="finite"):
        online.solve(Infinite([[math.nan]]), **options)


def test_bad_input_of_a_search():
    state = dealt(2, 1, 1)
    with pytest.raises(SearchError, match="game is over"):
        online.search(dealt(2, 1, 1, 0))
    with pytest.raises(SearchError, match="no seat is to move"):
        online.search(dealt(2))
    with pytest.raises(SearchError, match="a Position or a State is needed, not str"):
        online.search("kuhn")
    with pytest.raises(ArgumentError, match="aim is less than 1"):
        online.search(state, game="kuhn", aim=1)
    with pytest.raises(ArgumentError, match="oos alone"):
        online.search(state, "uct", game="kuhn")
    with pytest.raises(ArgumentError, match="payoff: what a whole game pays"):
        online.search(state, game="kuhn", payoff="margin")
    with pytest.raises(ArgumentError, match="payoff is"):
        online.search(state, payoff="gold")
    with pytest.raises(ArgumentError, match="progress"):
        online.search(state, progress=3)
    with pytest.raises(SearchError, match="leduc has no information state '1b'"):
        online.search(state, game="leduc")
    with pytest.raises(ArgumentError, match="two players, not 3"):
        online.search(state, game="kuhn(players=3)")
    with pytest.raises(SearchError, match="with a game a State is needed"):
        online.search(scout.Game(players=2).deal(seed=1).position(0), game="kuhn")
    with pytest.raises(SearchError, match="changes what seat 1 knows"):
        online.search(Changing(Matrix(LOPSIDED), (2,)), iterations=5)
    three = leduc.Game(players=3).new_initial_state()
    for card in (0, 1, 2):
        three.apply_action(card)
    with pytest.raises(ArgumentError, match="are for two players"):
        online.search(three, iterations=50, seed=1)


class Changing(MatrixState):
    """A state whose redrawing changes what its seat knows."""

    def information_state_string(self, player):
        return f"{player} {self.played}"

    def resample_from_infostate(self, player, uniform_01):
        return Changing(self.game, (0,))
