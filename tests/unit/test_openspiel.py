"""The games here as OpenSpiel's, by its own checks and algorithms; its games and bots here."""

import copy
import itertools
import pickle
import subprocess
import sys

import numpy as np
import pytest

from solver import Rng, agents, arena, bakerstreet, cfr, duel, games, ismcts, kuhn, leduc, policy, scout
from solver.errors import ArgumentError, GameOptionError, MissingExtraError, PolicyError

pyspiel = pytest.importorskip("pyspiel")
openspiel = pytest.importorskip("solver.adapters.openspiel")

from open_spiel.python import policy as their_policy  # noqa: E402
from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import cfr as their_cfr  # noqa: E402
from open_spiel.python.algorithms import evaluate_bots, exploitability, generate_playthrough, mcts  # noqa: E402
from open_spiel.python.algorithms import ismcts as their_ismcts  # noqa: E402
from open_spiel.python.bots import uniform_random  # noqa: E402

SMALL = [
    "solver_kuhn",
    "solver_kuhn(players=3)",
    "solver_leduc",
    "solver_duel(low=8,high=11)",
    "solver_duel(bids=0/9..10)",
    "solver_bidding_round(horizon=2)",
]
CARDS = [
    "scout(players=2,ranks=4)",
    "scout",
    "scout(players=2,rounds=2,payoff=win)",
    "scout(players=3,rounds=2,payoff=margin,insertions_public=true,max_turns=30)",
    "scout(players=5,hand_size=3,ends_on_emptying_scout=false,drop=1/2+9/10)",
    "bakerstreet",
    "bakerstreet(symbols=0stop+1x2,next_starter=alternate,max_rounds=2)",
]
# of which every state can be walked
TINY = [
    "solver_kuhn",
    "solver_kuhn(players=3)",
    "solver_leduc",
    "solver_duel(bids=0/9..10)",
    "solver_bidding_round(horizon=1)",
    "scout(players=2,ranks=3,hand_size=1)",
]


def all_states(game):
    pending = [game.new_initial_state()]
    while pending:
        state = pending.pop()
        yield state
        pending.extend(state.child(action) for action in state.legal_actions())


def random_states(game, seed, games=1):
    """States on the way of random games, the last ones included."""
    rng = Rng(seed)
    for _ in range(games):
        state = game.new_initial_state()
        while not state.is_terminal():
            yield state.clone()
            state.apply_action(rng.choice(state.legal_actions()))
        yield state


@pytest.mark.parametrize("text", [*SMALL, *CARDS])
def test_their_random_simulation(text):
    """Legal actions, clones, history, serialization, tensors, returns within bounds, lengths."""
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=4, serialize=True, verbose=False)


@pytest.mark.parametrize("text", [*SMALL, *CARDS])
def test_their_simulation_in_python(text):
    """The one that OpenSpiel runs over its own games in Python: pickles of game, type and state, clones, returns."""
    module = pytest.importorskip("open_spiel.python.tests.games_sim_test")
    np.random.seed(7)  # noqa: NPY002 - which is what it draws by
    module.GamesSimTest().sim_game(pyspiel.load_game(text))


# theirs uses what newer versions of numpy deprecate
@pytest.mark.filterwarnings("ignore:The chararray class is deprecated:DeprecationWarning")
@pytest.mark.parametrize("text", [*SMALL, "scout(players=2,ranks=4)", "bakerstreet(max_rounds=1)"])
def test_their_playthrough(text):
    lines = generate_playthrough.playthrough(text, action_sequence=[], seed=3)
    assert lines == generate_playthrough.playthrough(text, action_sequence=[], seed=3)
    assert "ChanceMode.EXPLICIT_STOCHASTIC" in lines
    assert ("InformationStateTensorShape" in lines) == (text in SMALL)
    assert lines.count("IsTerminal() = True") == 1


def test_names_collide_with_none():
    """Without the adapter OpenSpiel has no game of such a name."""
    code = "import pyspiel; print(*pyspiel.registered_names())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(openspiel.NAMES.values()) & set(done.stdout.split())
    assert set(openspiel.NAMES.values()) <= set(pyspiel.registered_names())
    assert set(openspiel.NAMES) == set(games.NAMES)


@pytest.mark.parametrize("end", ["", "; g = pyspiel.load_game('scout')", "; 1 / 0"])
def test_a_process_ends_as_it_should(end):
    """What is registered outlives Python, and must bear that."""
    code = f"import pyspiel, solver.adapters.openspiel{end}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == ("/" in end), done.stderr


def test_without_the_extra():
    code = "import sys; sys.modules['pyspiel'] = None; import solver; import solver.adapters.openspiel"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert MissingExtraError.__name__ in done.stderr
    assert "pip install 'cardsolver[openspiel]'" in done.stderr


@pytest.mark.parametrize(
    ("text", "utility", "total"),
    [
        ("scout", "GENERAL_SUM", None),
        ("scout(payoff=margin)", "ZERO_SUM", 0),
        ("scout(payoff=win,players=2)", "CONSTANT_SUM", 1),
        ("bakerstreet", "ZERO_SUM", 0),
        ("solver_kuhn(players=4)", "ZERO_SUM", 0),
    ],
)
def test_the_type_of_a_game(text, utility, total):
    game = pyspiel.load_game(text)
    kind = game.get_type()
    assert kind.utility.name == utility
    assert game.utility_sum() == total
    assert kind.information.name == "IMPERFECT_INFORMATION"
    assert kind.dynamics.name == "SEQUENTIAL"
    assert kind.reward_model.name == "TERMINAL"
    own = game.solver_game
    assert game.num_players() == own.num_players()
    assert game.num_distinct_actions() == own.num_distinct_actions()
    assert (game.min_utility(), game.max_utility()) == (own.min_utility(), own.max_utility())


@pytest.mark.parametrize("text", TINY)
def test_bounds_over_the_whole_game(text):
    game = pyspiel.load_game(text)
    longest = chances = outcomes = 0
    for state in all_states(game):
        players = [step.player for step in state.full_history()]
        if state.is_chance_node():
            outcomes = max(outcomes, len(state.chance_outcomes()))
            assert sum(chance for _, chance in state.chance_outcomes()) == pytest.approx(1)
            assert max(state.legal_actions()) < game.max_chance_outcomes()
        longest = max(longest, sum(player >= 0 for player in players))
        chances = max(chances, players.count(-1))
    assert longest <= game.max_game_length()
    assert chances == game.max_chance_nodes_in_history()
    assert outcomes == game.max_chance_outcomes()
    if not text.startswith("scout"):  # whose bound is that of turns
        assert longest == game.max_game_length()


def test_bounds_where_every_turn_is_played():
    """With the bound of turns as the only end, SCOUT has as many decisions as are announced, or nearly."""
    game = pyspiel.load_game("scout(players=4,max_turns=4,rounds=2)")
    longest = max(
        sum(step.player >= 0 for step in state.full_history())
        for state in random_states(game, 1, games=300)
        if state.is_terminal()
    )
    assert 2 * (4 + 4) < longest <= game.max_game_length() == 2 * (4 + 8)


@pytest.mark.parametrize("text", [*SMALL, *CARDS])
def test_strings_and_tensors_are_those_of_the_game(text):
    game = pyspiel.load_game(text)
    for state in itertools.islice(random_states(game, 5, games=3), 0, None, 7):
        own = state.solver_state
        for player in range(game.num_players()):
            assert state.information_state_string(player) == own.information_state_string(player)
            observed = state.observation_string(player)
            tensor = np.array(state.observation_tensor(player), np.float32)
            assert tensor.shape == tuple(game.observation_tensor_shape())
            if text in CARDS:
                assert not game.get_type().provides_information_state_tensor
                if own.current_player() >= 0:
                    assert games.parse(observed) == own.position(player)
            else:
                assert observed == state.information_state_string(player)
                assert state.information_state_tensor(player) == state.observation_tensor(player)
        assert state.legal_actions() == own.legal_actions()
        for action in state.legal_actions():
            assert state.action_to_string(state.current_player(), action)
    assert state.returns() == state.solver_state.returns()


def test_observers():
    game = pyspiel.load_game("scout")
    private = pyspiel.PrivateInfoType
    assert game.make_py_observer(pyspiel.IIGObservationType(True, False, private.NONE)) is None
    assert game.make_py_observer(pyspiel.IIGObservationType(False, False, private.SINGLE_PLAYER)) is None
    assert set(game.make_py_observer().dict) >= {"hand", "table", "unseen"}
    with pytest.raises(ArgumentError, match="take no parameters"):
        game.make_py_observer(None, {"size": 3})


@pytest.mark.parametrize(
    "text",
    [
        "scout(players=2,ranks=3,hand_size=1)",
        "scout(players=3,rounds=match,payoff=win,insertions_public=true,ends_on_emptying_scout=false,max_turns=9)",
        "scout(players=5,drop=1/2+9/10)",
        "scout(players=4,drop=none,hand_size=3)",
        "scout(players=2,chips=0)",
        "bakerstreet(symbols=none)",
        "bakerstreet(symbols=0stop+0stop+3x2,next_starter=alternate,max_rounds=7)",
        "kuhn(players=5)",
        "leduc",
        "duel(low=3,high=9)",
        "duel(bids=0+12..13+30)",
        "bidding_round",
        "bidding_round(horizon=2,price=0.3)",
        "bidding_round(price=1e-05)",
        "bidding_round(price=1.0)",
    ],
)
def test_options_both_ways(text):
    own = games.load(text)
    for game in (openspiel.load(text), openspiel.load(own), pyspiel.load_game(str(openspiel.load(own)))):
        assert str(game.solver_game) == str(own)
        assert game.rules_version == own.rules_version


def test_what_it_was_loaded_by_is_what_it_is_called():
    assert str(pyspiel.load_game("scout(players=2,ranks=4)")) == "scout(players=2,ranks=4)"
    assert pyspiel.load_game("scout").get_type().parameter_specification["players"] == 4


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("scout(players=9)", GameOptionError, r"players must lie in 2\.\.5"),
        ("scout(seats=3)", pyspiel.SpielError, "Unknown parameter 'seats'"),
        ("scout(rounds=match)", pyspiel.SpielError, "Wrong type for parameter rounds"),
        ("bakerstreet(symbols=9x2)", GameOptionError, "symbols must be"),
        ("solver_duel(bids=3/3)", GameOptionError, "3 stands there twice"),
        ("solver_duel(low=3,bids=3/4)", GameOptionError, "either bids or low and high"),
        ("solver_leduc(players=1)", GameOptionError, "players"),
        ("solver_bidding_round(price=1.5)", GameOptionError, r"price is a finite number in 0\.\.1, not 1\.5"),
    ],
)
def test_bad_options(text, error, words):
    with pytest.raises(error, match=words):
        pyspiel.load_game(text)


def test_load_and_wrap_refuse_what_is_not_ours():
    class Own:
        def __str__(self):
            return "own game"

    for thing in (Own(), pyspiel.load_game("kuhn_poker"), 3):
        with pytest.raises(ArgumentError, match="none of the games that OpenSpiel gets"):
            openspiel.load(thing)
    with pytest.raises(ArgumentError, match="does not know its game"):
        openspiel.wrap(kuhn.Game().new_initial_state())


@pytest.mark.parametrize("text", [*SMALL, *CARDS])
def test_resampling(text):
    game = pyspiel.load_game(text)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    differ = 0
    for state in itertools.islice(random_states(game, 2, games=4), 0, None, 3):
        if state.current_player() < 0:
            continue
        for player in range(game.num_players()):
            other = state.resample_from_infostate(player, sampler)
            assert type(other) is type(state)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.current_player() == state.current_player()
            differ += str(other).partition("\n")[2] != str(state).partition("\n")[2]
            assert other.clone().legal_actions() == other.legal_actions()
            if text in SMALL:  # the history is that of the drawn state
                again = game.new_initial_state()
                for action in other.history():
                    again.apply_action(action)
                assert str(again) == str(other)
            else:
                assert other.history() == []
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()
    assert differ


def test_resampling_is_fixed_by_its_numbers():
    state = list(random_states(pyspiel.load_game("scout"), 4))[50]
    one, other = (state.resample_from_infostate(0, Rng(5).random) for _ in range(2))
    assert str(one) == str(other) != str(state.resample_from_infostate(0, Rng(6).random))


@pytest.mark.parametrize("text", [*SMALL, *CARDS])
def test_serialization(text):
    game = pyspiel.load_game(text)
    states = list(random_states(game, 8))
    for state in states[:: max(1, len(states) // 6)] + states[-1:]:
        if state.current_player() >= 0:
            drawn = state.resample_from_infostate(state.current_player(), Rng(1).random)
            drawn.apply_action(drawn.legal_actions()[-1])
        else:
            drawn = state
        for given in (state, drawn):
            for again in (
                pickle.loads(pickle.dumps(given)),
                game.deserialize_state(given.serialize()),
                pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, given))[1],
                copy.deepcopy(given),
                given.clone(),
            ):
                assert str(again) == str(given)
                assert again.legal_actions() == given.legal_actions()
                assert again.history() == given.history()
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_what_is_serialized_is_the_play_and_no_memory():
    """So that another version of the library can read it."""
    state = list(random_states(pyspiel.load_game("scout"), 4))[50]
    make, arguments = state._held.__reduce__()
    assert (make.__name__, arguments) == ("_replayed", ("scout(players=4)", state.history()))
    assert make(*arguments).state.history() == state.history()


def test_a_wrapped_state_shares_nothing():
    own = scout.Game(players=3).deal(seed=4)
    state = openspiel.wrap(own)
    before = str(own)
    while not state.is_terminal():
        assert not state.is_chance_node()
        state.apply_action(state.legal_actions()[0])
    assert str(own) == before
    small = kuhn.Game(players=3).new_initial_state()
    assert openspiel.wrap(small, kuhn.Game(players=3)).num_players() == 3
    assert openspiel.wrap(small, openspiel.load("kuhn(players=3)")).is_chance_node()


@pytest.mark.parametrize("text", ["kuhn", "leduc", "duel", "bidding_round", "scout(players=3)", "bakerstreet"])
def test_resampling_a_wrapped_state(text):
    """It has no history to go by."""
    own = games.load(text).new_initial_state()
    while own.current_player() < 0:
        own.apply_action(own.legal_actions()[0])
    state = openspiel.wrap(own, games.load(text))
    for _ in range(3):
        other = state.resample_from_infostate(0, Rng(2).random)
        assert other.information_state_string(0) == state.information_state_string(0) == own.information_state_string(0)
        state = pickle.loads(pickle.dumps(other))
    assert state.history() == []


def test_an_illegal_action_changes_nothing():
    state = pyspiel.load_game("scout").new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    before = str(state)
    with pytest.raises(ValueError, match="cannot show here"):
        state.apply_action(5)
    assert str(state) == before


# Their algorithms


@pytest.mark.parametrize("text", TINY)
def test_their_cfr_and_exploitability(text):
    game = pyspiel.load_game(text)
    own = game.solver_game
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(20):
        solver.evaluate_and_update_policy()
    average = solver.tabular_average_policy()
    table = policy.PolicyTable.from_pyspiel(average, own)
    theirs = pyspiel.nash_conv(game, average)
    assert cfr.nash_conv(own, table) == pytest.approx(theirs, abs=1e-10)
    assert pyspiel.nash_conv(game, table.to_pyspiel()) == pytest.approx(theirs, abs=1e-10)
    uniform = policy.uniform(own)
    assert cfr.nash_conv(game, pyspiel.UniformRandomPolicy(game)) == pytest.approx(
        cfr.nash_conv(own, uniform), abs=1e-10
    )
    assert theirs <= cfr.nash_conv(own, uniform) + 1e-12


def test_their_python_cfr_and_exploitability():
    game = pyspiel.load_game("solver_kuhn")
    solver = their_cfr.CFRPlusSolver(game)
    for _ in range(50):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    table = policy.PolicyTable.from_pyspiel(average, kuhn.Game())
    assert exploitability.exploitability(game, average) == pytest.approx(
        cfr.exploitability(kuhn.Game(), table), abs=1e-10
    )
    assert exploitability.exploitability(game, average) < 0.01


@pytest.mark.parametrize(
    "text", [*SMALL, "scout(players=3)", "scout(players=2,ranks=5,insertions_public=true)", "bakerstreet"]
)
def test_their_ismcts(text):
    """OpenSpiel's bot checks that a resampled state has the same information state."""
    game = pyspiel.load_game(text)
    chance = np.random.RandomState(1)
    bot = their_ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 8, random_state=chance)
    state = game.new_initial_state()
    decisions = 0
    while not state.is_terminal() and decisions < 8:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(chance.choice(outcomes, p=chances))
        else:
            action = bot.step(state)
            assert action in state.legal_actions()
            state.apply_action(action)
            decisions += 1
    assert decisions


@pytest.mark.parametrize("text", ["scout(players=3)", "bakerstreet(max_rounds=1)", "solver_leduc(players=3)"])
def test_their_environment_for_learning(text):
    environment = rl_environment.Environment(pyspiel.load_game(text))
    environment.seed(3)
    step = environment.reset()
    while not step.last():
        player = step.observations["current_player"]
        assert len(step.observations["info_state"][player]) == environment.observation_spec()["info_state"][0]
        step = environment.step([step.observations["legal_actions"][player][-1]])
    assert len(step.rewards) == environment.num_players


def test_their_sampling():
    game = pyspiel.load_game("solver_kuhn")
    for solver in (pyspiel.ExternalSamplingMCCFRSolver(game, 1), pyspiel.OutcomeSamplingMCCFRSolver(game, seed=1)):
        for _ in range(3000):
            solver.run_iteration()
        assert pyspiel.nash_conv(game, solver.average_policy()) < 0.4


# Policies both ways


def test_policies_both_ways():
    own = leduc.Game()
    game = openspiel.load(own)
    solution = cfr.solve(own, iterations=30)
    theirs = solution.policy.to_pyspiel()
    assert pyspiel.exploitability(game, theirs) == pytest.approx(solution.exploitability, abs=1e-10)
    for walked in (own, game):
        back = policy.PolicyTable.from_pyspiel(theirs, walked)
        assert back.compare(solution.policy).max == 0
    python = their_policy.TabularPolicy(game)
    assert policy.PolicyTable.from_pyspiel(python, own).compare(policy.uniform(own)).max == pytest.approx(0)
    with pytest.raises(PolicyError):
        policy.PolicyTable.from_pyspiel(theirs, kuhn.Game())


def test_solving_the_wrapped_game_is_solving_the_game():
    own = duel.Game(bids=[0, 9, 10])
    solution, other = (cfr.solve(game, iterations=20) for game in (own, openspiel.load(own)))
    assert solution.exploitability == pytest.approx(other.exploitability, abs=1e-12)
    assert other.policy.meta["game"] == "solver_duel(bids=0/9..10)"
    assert other.policy.meta["rules"] == own.rules_version


# OpenSpiel's own games here


def test_their_games_in_our_solvers():
    game = pyspiel.load_game("kuhn_poker")
    solution = cfr.solve(game, target=1e-3)
    assert solution.value[0] == pytest.approx(-1 / 18, abs=1e-3)
    assert pyspiel.exploitability(game, solution.policy.to_pyspiel()) <= 1e-3
    sampled = cfr.solve(game, "external", iterations=2000, seed=1)
    assert cfr.exploitability(game, sampled.policy) < 0.2
    state = game.new_initial_state()
    for card in (2, 0):
        state.apply_action(card)
    assert ismcts.search(state, iterations=300, seed=1).best in state.legal_actions()


def test_their_games_in_our_arena():
    game = pyspiel.load_game("leduc_poker")
    table = cfr.solve(game, iterations=50).policy
    standing = arena.play(game, [agents.Policy(table), agents.Random()], deals=60, seed=3)
    assert standing[0].mean > 0
    assert arena.play(game, [openspiel.BotAgent(search_bot), agents.Random()], deals=3, seed=3)[0].games == 6


# Bots


class Spy(pyspiel.Bot):
    """Remembers what it was shown, and plays an action or the first legal one."""

    def __init__(self, shown, action=None):
        super().__init__()
        self.shown = shown
        self.action = action

    def step(self, state):
        self.shown.append(state.clone())
        return state.legal_actions()[0] if self.action is None else self.action


def uniform_bot(game, player, seed):
    return uniform_random.UniformRandomBot(player, np.random.RandomState(seed))


def search_bot(game, player, seed):
    chance = np.random.RandomState(seed)
    bot = their_ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, chance), 2.0, 5, random_state=chance)
    # without it the bot draws by numbers that no seed fixes
    bot.set_resampler(lambda state, player: state.resample_from_infostate(player, chance.random_sample))
    return bot


@pytest.mark.parametrize("text", ["scout(players=2)", "scout(players=3)", "bakerstreet(max_rounds=2)", "leduc"])
def test_their_bots_in_our_arena(text):
    game = games.load(text)
    others = [openspiel.BotAgent(uniform_bot, "uniform"), openspiel.BotAgent(search_bot, "search")]
    standings = [arena.play(game, others, deals=2, seed=9) for _ in range(2)]
    assert [row.mean for row in standings[0]] == [row.mean for row in standings[1]]


def test_an_arena_with_a_bot_is_resumed(tmp_path):
    """A record knows the bot again, though its function may have another address."""
    agent = openspiel.BotAgent(uniform_bot, "uniform")
    game, record = scout.Game(players=2), tmp_path / "record"
    arena.play(game, [agent, agents.Random()], deals=2, seed=9, record=record)

    def again(game, player, seed):
        return uniform_bot(game, player, seed)

    again.__qualname__, again.__module__ = uniform_bot.__qualname__, uniform_bot.__module__
    resumed = arena.play(game, [openspiel.BotAgent(again, "uniform"), agents.Random()], deals=4, seed=9, record=record)
    whole = arena.play(game, [agent, agents.Random()], deals=4, seed=9)
    assert [row.mean for row in resumed] == [row.mean for row in whole]


def test_a_bot_is_as_strong_as_its_policy():
    game = leduc.Game()
    table = cfr.solve(game, iterations=100).policy.to_pyspiel()

    def bot(game, player, seed):
        return pyspiel.make_policy_bot(game, player, seed, table)

    standing = arena.play(game, [openspiel.BotAgent(bot, "theirs"), agents.Random()], deals=100, seed=3)
    assert standing[0].mean > 0.3


@pytest.mark.parametrize("text", ["scout(players=4)", "bakerstreet"])
def test_a_bot_cannot_peek(text):
    state = games.load(text).deal(seed=3)
    rng = Rng(1)
    while state.current_player() != 1 or len(state.history()) < 8:
        state.apply_action(rng.choice(state.legal_actions()))
    seen = []
    bot = openspiel.BotAgent(lambda game, player, seed: Spy(seen))
    for seed in range(5):
        bot.act(agents.View(state.game, state, 1), Rng(seed))
    for shown in seen:
        assert shown.information_state_string(1) == state.information_state_string(1)
        assert shown.observation_tensor(1) == openspiel.wrap(state).observation_tensor(1)
        assert shown.history() == []
    rivals = {tuple(shown.solver_state.hand(0)) for shown in seen}
    assert len(rivals) > 1
    assert tuple(state.hand(0)) not in rivals


def test_bots_that_cannot_play():
    position = scout.Game().deal(seed=1).position(0)
    with pytest.raises(ArgumentError, match="a View is needed, not Position"):
        openspiel.BotAgent(uniform_bot).act(position, Rng(1))

    state = scout.Game().deal(seed=1)
    with pytest.raises(ArgumentError, match="wrong played 77, which is not legal"):
        openspiel.BotAgent(lambda game, player, seed: Spy([], 77), "wrong").act(
            agents.View(state.game, state, 0), Rng(1)
        )

    class Plain:
        """A game in Python that draws nothing anew."""

        def legal_actions(self):
            return [0]

    with pytest.raises(ArgumentError, match="no resample_from_infostate"):
        agents.View("plain", Plain(), 0).sample(Rng(1))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("scout(players=3)", ["planning", "greedy", "ismcts:20"]),
        ("bakerstreet(max_rounds=2)", ["planning", "ismcts:20"]),
        ("solver_leduc", ["random", "ismcts:20"]),
        ("leduc_poker", ["random", "ismcts:20"]),
    ],
)
def test_our_agents_as_bots(text, names):
    game = pyspiel.load_game(text)

    def play():
        bots = [openspiel.AgentBot(name, seat, seed=[4, seat]) for seat, name in enumerate(names)]
        return [evaluate_bots.evaluate_bots(game.new_initial_state(), bots, np.random.RandomState(2)) for _ in range(2)]

    assert play() == play()


def test_our_policy_as_a_bot():
    game = pyspiel.load_game("solver_kuhn")
    table = cfr.solve(kuhn.Game(), iterations=50).policy
    bots = [openspiel.AgentBot(agents.Policy(table), seat, seed=seat) for seat in range(2)]
    assert bots[1].player_id() == 1
    state = game.new_initial_state()
    state.apply_action(1)
    state.apply_action(0)
    chances, action = bots[0].step_with_policy(state)
    assert dict(chances) == table.action_probabilities("1", 0)
    assert action in state.legal_actions()
    assert pyspiel.evaluate_bots(game.new_initial_state(), bots, 7) in ([1, -1], [-1, 1], [2, -2], [-2, 2])
    other = openspiel.AgentBot("random", 0, seed=1)
    assert not other.provides_policy()
    with pytest.raises(ArgumentError, match="random tells no policy"):
        other.get_policy(state)
    with pytest.raises(ArgumentError, match="player 0 is to decide, not player 1"):
        bots[1].step(state)
    with pytest.raises(ArgumentError, match="planning plays bakerstreet"):
        openspiel.AgentBot("planning", 0).step(state)


def test_there_and_back():
    """An agent as a bot as an agent plays what it plays."""
    table = cfr.solve(leduc.Game(), iterations=20).policy
    bot = openspiel.BotAgent(lambda game, player, seed: openspiel.AgentBot(agents.Policy(table), player, seed))
    state = leduc.Game().new_initial_state()
    for card in (2, 3):
        state.apply_action(card)
    view = agents.View(leduc.Game(), state, 0)
    counts = np.bincount([bot.act(view, Rng(seed)) for seed in range(400)], minlength=3) / 400
    for action, chance in table.action_probabilities(state).items():
        assert counts[action] == pytest.approx(chance, abs=0.1)


def test_a_bot_of_bakerstreet_positions():
    """An agent that needs positions plays states that OpenSpiel drew anew."""
    game = pyspiel.load_game("bakerstreet")
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[-1])
    drawn = state.resample_from_infostate(0, Rng(3).random)
    assert openspiel.AgentBot("threshold", 0, seed=1).step(drawn) in state.legal_actions()
    assert isinstance(drawn.solver_state, bakerstreet.State)
