"""Agents: what greedy does, names, and that the search beats random and greedy players."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from solver import agents, arena, asking, bakerstreet, ismcts, kuhn, leduc, scout
from solver._core import Rng
from solver.errors import AgentError, ArgumentError, RecordError


def words(line, agent, seed=1):
    position = scout.parse(line)
    return position.action_to_string(agent.act(position, Rng(seed)))


GREEDY = [
    # the most cards, not the strongest single
    ("scout(players=3) | hand 4/1 4/3 4/8 9/1 | table 2/8 by 2 | cards 4 11 11 | score 0 4 5", "show 4-4-4"),
    # of two pairs the stronger one; a group beats a run
    ("scout(players=3) | hand 8/9 7/9 4/1 4/3 | table 2/8 by 2 | cards 4 11 11 | score 0 4 5", "show 4-4"),
    # no Show is legal: the Scout & Show that shows most
    (
        "scout(players=3) | hand 4/1 6/3 | table 5/8 6/8 7/8 by 2 | cards 2 10 12 | score 5 4 0",
        "scout & show 5 (left), place 1",
    ),
    # no Show, no chip for both: scout to the longest set
    (
        "scout(players=3) | hand 4/1 6/3 | table 5/8 6/8 7/8 by 2 | cards 2 10 12 | score 5 4 0 | used 0 | chips 0 0 1",
        "scout 5 (left), place 1",
    ),
    ("scout(players=3) | choose | hand 4/1 4/3 4/8 9/2 1/5 6/3 2/5 9/1 5/7 7/3 8/6 6/1", "keep the hand"),
    ("scout(players=3) | choose | hand 1/4 3/4 8/4 2/9 5/1 3/6 5/2 1/9 7/5 3/7 6/8 1/6", "turn the hand"),
]


@pytest.mark.parametrize(("line", "expected"), GREEDY)
def test_greedy(line, expected):
    assert words(line, agents.Greedy()) == expected


@pytest.mark.parametrize("name", ["random", "greedy", "ismcts:20", "flat:20", "pimc:2,iterations=10"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_agents_play_legally_and_by_their_seed(name, players):
    game = scout.Game(players=players, rounds="match")
    assert arena.play(game, [name], deals=1) == arena.play(game, [name], deals=1)


def test_random_is_uniform():
    position = scout.parse("scout(players=3) | hand 4/1 6/3 8/9 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5")
    actions = position.legal_actions()
    rng = Rng(1)
    counts = np.bincount([agents.Random().act(position, rng) for _ in range(4000)], minlength=max(actions) + 1)
    assert np.flatnonzero(counts).tolist() == actions
    expected = 4000 / len(actions)
    assert abs(counts[actions] - expected).max() < 5 * np.sqrt(expected)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ismcts",
        "ismcts:",
        "ismcts:0",
        "ismcts:-1s",
        "ismcts:nans",
        "ismcts:infs",
        "ismcts:x",
        "Greedy",
        "Planning",
        "random:3",
        "human:1",
        "flat",
        "flat:0s",
        "pimc:x",
        "pimc:",
    ],
)
def test_unknown_names(text):
    with pytest.raises(ValueError, match=r"agent|budget"):
        agents.make(text)


def test_names_are_kept():
    assert agents.make("ismcts:0.5s").seconds == 0.5
    assert agents.make("ismcts:2000").iterations == 2000
    assert agents.make("ismcts:2000").name == "ismcts:2000"


@pytest.mark.parametrize(("players", "opponent", "deals"), [(3, "random", 8), (5, "random", 4), (5, "greedy", 15)])
def test_the_search_beats_simple_players(players, opponent, deals):
    """Margin over the others' mean, duplicate deals, more than two standard errors above zero."""
    row = arena.play(scout.Game(players=players), ["ismcts:500"], deals, against=[opponent])[0]
    assert row.mean > 2 * row.stderr


def play_baker_street(agents_, seed):
    """The winner's seat, or None."""
    state = bakerstreet.Game().deal(seed=seed)
    rngs = Rng([seed, 1]).spawn(2)
    while not state.is_terminal():
        seat = state.current_player()
        state.apply_action(agents_[seat].act(state.position(seat), rngs[seat]))
    return state.winner()


def test_worth_of_letters():
    """Windows of seven: one letter in the middle is in seven of them, A only in one."""
    assert bakerstreet.evidence_worth("") == 0
    assert bakerstreet.evidence_worth("A") == 3 * 1 + 1
    assert bakerstreet.evidence_worth("J") == 3 * 1 + 7
    assert bakerstreet.evidence_worth("ABCDEFG") == 3 * 1000 + 1000 + 130 + 50 + 20 + 8 + 3 + 1


THRESHOLD = [
    # the rival's three cards are the last of its deck: 15 at most with the own 0
    ("bakerstreet | starter 1 | hand 0 0 0s | bids 16", "doubt"),
    # open with what holds with a chance of 0.9: own 15, and 4 of the rival's (3665 of 4060 hands)
    ("bakerstreet | phase bid | hand 5 5 5", "bid 19"),
    ("bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 9", "bid 10"),
    # the only pile that the seat wins and knows: F makes four in a row
    (
        "bakerstreet | phase take | mover 0 | doubt-won 0 | pile 1 | log 0@0:C 0@2:D 0@3:E 0@1 | look1 AFHJLNPR | "
        "look0 BDGHIKM | look2 BEGILNO | look3 KMOPQST",
        "take F",
    ),
]


@pytest.mark.parametrize(("line", "expected"), THRESHOLD)
def test_threshold(line, expected):
    position = bakerstreet.parse(line)
    action = agents.Threshold().act(position, Rng(1))
    assert position.action_to_string(action) == expected


def test_threshold_beats_random():
    """At least 58 of 60 games, seats alternating."""
    won = 0
    for seed in range(60):
        seats = [agents.make("threshold"), agents.make("random")]
        won += play_baker_street(seats[:: 1 - 2 * (seed % 2)], seed) == seed % 2
    assert won >= 58


def won(first, second, games, first_seed=0):
    """Games that the first of two agents wins, seats alternating."""
    seats = [agents.make(first), agents.make(second)]
    return sum(play_baker_street(seats[:: 1 - 2 * (i % 2)], first_seed + i // 2) == i % 2 for i in range(games))


def test_planning_beats_the_simple_players():
    """Measured: all of 1,000 games against random, 0.97 against threshold."""
    assert won("planning", "random", 100) >= 99
    assert won("planning", "threshold", 60) >= 50


def test_search_beats_planning():
    """Measured: 0.89 at 1,000 iterations; at 500 it wins at least 0.7 of 40 games here."""
    assert won("ismcts:500", "planning", 40) >= 28


def test_agents_of_one_game_say_so():
    with pytest.raises(ArgumentError, match="threshold plays bakerstreet; this is scout"):
        agents.make("threshold").act(scout.Game(players=3).deal(seed=1).position(0), Rng(1))
    with pytest.raises(ArgumentError, match="greedy plays scout; this is bakerstreet"):
        agents.make("greedy").act(bakerstreet.Game().deal(seed=1).position(0), Rng(1))


@pytest.mark.parametrize(("players", "deals", "least"), [(2, 40, 5), (3, 80, 3), (4, 60, 3), (5, 40, 2.5)])
def test_planning_beats_greedy_in_scout(players, deals, least):
    """Measured over 300 deals: +6.8, +4.9, +4.1 and +3.7 points a round."""
    assert arena.play(scout.Game(players=players), ["planning"], deals, against=["greedy"])[0].mean > least


def test_search_beats_planning_in_scout():
    """Two players, 500 iterations: more than two standard errors above zero."""
    row = arena.play(scout.Game(players=2), ["ismcts:500"], 60, against=["planning"])[0]
    assert row.mean > 2 * row.stderr


# ----------------------------------------------------------------------------------------------
# Options in a name


def test_options_are_typed():
    agent = agents.make("ismcts:0.5s,widening=8,exploration=1,opponents=tree,horizon=-1")
    expected = (("exploration", 1.0), ("horizon", -1), ("opponents", "tree"), ("widening", 8))
    assert agent.options == expected
    assert [type(value) for _, value in agent.options] == [float, int, str, int]
    assert (agent.name, agent.seconds) == ("ismcts:0.5s,widening=8,exploration=1,opponents=tree,horizon=-1", 0.5)
    assert dict(agents.make("pimc:3,iterations=50").options) == {"iterations": 50}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ismcts:20,opponent=tree", "there is no option 'opponent'; .*did you mean opponents"),
        ("ismcts:20,tree", "there is no option 'tree'"),
        ("ismcts:20,opponents=nobody", "opponents must be one of tree, policy, not 'nobody'"),
        ("ismcts:20,widening=x", "widening is a whole number, not 'x'"),
        ("ismcts:20,exploration=x", "exploration is a number, not 'x'"),
        ("ismcts:20,exploration=nan", "exploration must be a finite number"),
        ("ismcts:20,widening=-1", "widening must be a whole number in 0"),
        ("ismcts:20,depth=1,depth=2", "depth stands here twice"),
        ("ismcts:20,payoff=most", "payoff must be one of"),
        ("ismcts:20,threads=0", "threads must be a whole number"),
        ("ismcts:20,seconds=1", "there is no option 'seconds'"),
        ("pimc:20,opponents=tree", "there is no option 'opponents'"),
        ("pimc:20,iterations=0", "iterations must be at least 1"),
        ("random,depth=1", "there is no agent"),
    ],
)
def test_bad_options_are_named(text, message):
    with pytest.raises(ArgumentError, match=message):
        agents.make(text)


def test_options_reach_the_search():
    position = scout.Game(players=3).deal(seed=2, turned=[False] * 3).position(0)
    options = {"opponents": "tree", "rollout": "random", "widening": 0, "belief": "uniform"}
    text = ",".join(f"{name}={value}" for name, value in options.items())
    for seed in range(3):
        expected = ismcts.search(position, 100, seed=Rng(seed), **options).best
        assert agents.make(f"ismcts:100,{text}").act(position, Rng(seed)) == expected


def test_a_list_of_names_keeps_options_with_their_agent():
    assert agents.split("random") == ["random"]
    names = ["flat:20", "ismcts:2000,opponents=tree,max_nodes=99", "policy:a=b.policy", "pimc:2,belief=play"]
    assert agents.split(",".join(names)) == names


def test_records_keep_the_options(tmp_path):
    """A run that goes on from a record is the unbroken one; other options are other agents."""
    names = ["ismcts:20,opponents=tree", "pimc:2,iterations=10", "flat:20"]
    file = tmp_path / "games.jsonl"
    arena.play("bakerstreet", names[:2], deals=2, record=file)
    assert arena.play("bakerstreet", names[:2], deals=4, record=file) == arena.play("bakerstreet", names[:2], deals=4)
    arena.replay(file, 3, rerun=True)
    with pytest.raises(RecordError):
        arena.play("bakerstreet", ["ismcts:20,opponents=policy", names[1]], deals=4, record=file)
    assert "opponents" in file.read_text()


def test_other_processes_and_threads_play_the_same():
    names = ["ismcts:20,opponents=tree", "pimc:2,iterations=10"]
    with ThreadPoolExecutor(2) as pool:
        assert arena.play("bakerstreet", names, deals=3, executor=pool) == arena.play("bakerstreet", names, deals=3)


# ----------------------------------------------------------------------------------------------
# Flat Monte Carlo


def test_flat_monte_carlo_is_the_search_with_a_tree_of_one_decision():
    position = scout.Game(players=3).deal(seed=2, turned=[False] * 3).position(0)
    options = dict(agents.make("flat:300").options)
    result = ismcts.search(position, 300, seed=1, **options)
    # a node for each action, and no more
    assert result.nodes == 1 + (result.actions["visits"] > 0).sum()
    assert result.settings["belief"] == "uniform"
    assert result.settings["rollout"] == "random"
    assert agents.make("flat:300").act(position, Rng(1)) == ismcts.search(position, 300, seed=Rng(1), **options).best
    assert dict(agents.make("flat:300,rollout=policy").options)["rollout"] == "policy"


@pytest.mark.parametrize("game", [kuhn.Game(), leduc.Game()])
def test_baselines_play_games_in_plain_python(game):
    standing = arena.play(game, ["flat:30", "pimc:3,iterations=20", "random"], deals=4)
    assert standing == arena.play(game, ["flat:30", "pimc:3,iterations=20", "random"], deals=4)


def test_flat_beats_random_in_baker_street():
    assert won("flat:200", "random", 20) >= 15


# ----------------------------------------------------------------------------------------------
# A person


@pytest.fixture
def terminal(monkeypatch):
    """A terminal at which these lines are typed."""

    def type_in(*lines):
        left = iter(lines)

        class Terminal:
            def isatty(self):
                return True

        def read(prompt):
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("sys.stdin", Terminal())
        monkeypatch.setattr("builtins.input", read)

    return type_in


def test_a_person_is_asked(terminal, capsys):
    position = scout.parse("scout(players=3) | hand 4/1 4/3 4/8 9/1 | table 2/8 by 2 | cards 4 11 11 | score 0 4 5")
    terminal("?", "fly", "999", "", "line", "show 4-4-4")
    action = agents.make("human").act(position, Rng(1))
    assert position.action_to_string(action) == "show 4-4-4"
    out = capsys.readouterr().out
    for words in ("hand     4  4  4  9", "'fly' means no action", "there are ", "why ", str(position)):
        assert words in out


def test_a_person_plays_in_the_arena(terminal, capsys):
    terminal(*["1"] * 100)
    standing = arena.play("kuhn", ["human", "random"], deals=2)
    assert standing[0].games == 4
    assert "your action" not in capsys.readouterr().out
    terminal(*["1"] * 2000)
    assert arena.play("bakerstreet", ["human", "random"], deals=1).deals == 1


def test_a_person_in_a_game_without_positions(terminal, capsys):
    state = kuhn.Game().new_initial_state()
    for action in (0, 1):
        state.apply_action(action)
    terminal("?", "fold", "BET")
    assert agents.Human().act(agents.View(kuhn.Game(), state, 0), Rng(1)) == 1
    out = capsys.readouterr().out
    assert "  1 pass\n  2 bet\n" in out
    assert "'fold' means no action here" in out


def test_a_person_leaves(terminal):
    terminal("q")
    with pytest.raises(KeyboardInterrupt):
        agents.make("human").act(bakerstreet.Game().deal(seed=1).position(0), Rng(1))


def test_a_person_needs_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(ArgumentError, match="human is asked at a terminal, and standard input is none"):
        arena.play("kuhn", ["human", "random"], deals=1)
    with pytest.raises(ArgumentError, match="standard input is none"):
        agents.make("human").act(bakerstreet.Game().deal(seed=1).position(0), Rng(1))


def test_a_person_sits_at_one_table_only(terminal):
    terminal("q")
    with ThreadPoolExecutor(1) as pool, pytest.raises(ArgumentError, match="human plays in this process only"):
        arena.play("kuhn", ["human", "random"], deals=1, executor=pool)


def test_a_belief_that_a_game_does_not_take():
    with pytest.raises(AgentError, match="belief"):
        arena.play("kuhn", ["ismcts:20,belief=play", "random"], deals=1)
    assert asking.HELP.count("\n") >= 4
