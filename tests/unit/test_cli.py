"""The command: what it prints, its exit status, and its one line for bad input."""

import json
import re
import subprocess
import sys

import pytest

from solver import __version__, bakerstreet, games, policy, scout

LINE = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_deal_prints_a_line_a_seat_that_best_takes(run, players):
    status, out, err = run("deal", "scout", "--players", str(players), "--seed", "7")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == players
    for seat, line in enumerate(lines):
        position = scout.parse(line)
        assert (position.player, position.current_player(), position.phase) == (seat, seat, "choose")
    assert run("deal", "scout", "--players", str(players), "--seed", "7")[1] == out
    status, out, _ = run("best", lines[1], "--iterations", "200", "--seed", "1")
    assert status == 0
    assert "best play: " in out


def test_deal_options(run):
    status, out, _ = run("deal", "scout(players=3,rounds=match)", "--seed", "1", "--kept", "--json")
    assert status == 0
    data = json.loads(out)
    assert data["game"] == "scout(players=3,rounds=3)"
    assert [scout.parse(line).phase for line in data["positions"]] == ["turn"] * 3


def test_best_prints_position_and_table(run):
    status, out, err = run("best", LINE, "--iterations", "500", "--seed", "1")
    assert (status, err) == (0, "")
    assert "best play: show 4-4-4" in out
    assert "hand     4  4  4" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "\x1b" not in out


def test_best_says_why(run):
    line = "scout(players=3) | hand 4/1 4/3 9/2 6/8 3/1 | table 2/8 by 2 | cards 5 9 10 | score 1 5 5"
    words = ("best", line, "--iterations", "500", "--seed", "1", "--why")
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert all(len(text) <= 80 for text in out.splitlines())
    assert re.search("\nbest play: .*\n- You end ", out)
    assert "\n- Next best: " in out
    assert "\n- Most likely it goes on:\n    seat 1  " in out
    assert run(*words)[1].partition(" iterations in ")[0] == out.partition(" iterations in ")[0]


def test_best_says_why_in_json(run):
    status, out, _ = run("best", LINE, "--iterations", "300", "--seed", "1", "--json", "--why")
    assert status == 0
    data = json.loads(out)
    assert data["why"]["best"] == data["best_words"] == "show 4-4-4"
    assert data["why"]["facts"]["round_ends"] == {"empty_hand": 1.0}
    assert "why" not in json.loads(run("best", LINE, "--iterations", "300", "--seed", "1", "--json")[1])


def test_best_json_from_standard_input(run):
    status, out, _ = run("best", "-", "--iterations", "100", "--seed", "1", "--json", stdin=f"{LINE}\n\n{LINE}\n")
    assert status == 0
    first, second = map(json.loads, out.splitlines())
    assert first["best_words"] == "show 4-4-4"
    assert first["actions"] == second["actions"]
    assert first["settings"]["seed"] == 1


def test_a_bad_line_of_many_is_named_and_passed_over(run):
    text = f"# my table\n{LINE}\ngarbage\n\n{LINE}\n"
    status, out, err = run("best", "-", "--iterations", "50", "--seed", "1", stdin=text)
    assert status == 2
    assert out.count("best play: show 4-4-4") == 2
    names = ", ".join(games.NAMES)
    assert err == f"solver: line 3: column 1: there is no game 'garbage'; the games are {names}\n"


BAD = [
    (["best", "scout(players=4) | hand 3/3"], "column 25: 3/3: no such card"),
    (["best", "scout(players=9) | hand 1/2"], "players must lie in 2..5"),
    (["best", "nogame"], "no game 'nogame'"),
    (["best", LINE, "--seconds", "0"], "seconds must be a number above 0"),
    (["best", LINE, "--iterations", "x"], "iterations"),
    (["best", LINE, "--payoff", "most"], "payoff must be one of"),
    (["best", "-"], "standard input was empty"),
    (["best"], "Missing argument"),
    (["best", LINE, "--nonsense"], "No such option"),
    (["deal", "scout(players=4"], "column 16"),
    (["deal", "scout(players=3)", "--players", "4"], "either in the game string or by --players"),
    (["deal", "scout", "--seed", "-1"], "seed"),
    (["play", "scout", "--players", "3", "--seat", "3"], "a seat lies in 0..2"),
    (["play", "scout", "--bots", "nobody"], "no agent 'nobody'"),
    (["play", "scout", "--bots", "ismcts:20,opponent=tree"], "did you mean opponents?"),
    (["play", "scout", "--players", "3", "--bots", "human"], "standard input is none"),
    (["arena", "kuhn", "--agents", "human,random", "--deals", "1"], "standard input is none"),
    (["play", "scout", "--players", "4", "--bots", "random,greedy"], "one for all or 3"),
    (["fly"], "No such command"),
    (["best", f"{LINE} | scores 1 2 3"], "did you mean score?"),
    (["deal", "scout(player=3)"], "did you mean players?"),
]


@pytest.mark.parametrize(("words", "message"), BAD, ids=lambda x: " ".join(x)[:40] if isinstance(x, list) else "")
def test_bad_input_is_one_line_and_status_2(run, words, message):
    status, out, err = run(*words)
    assert status == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("solver: ")
    assert message in err


def test_help_and_version(run):
    for words in ([], ["--help"], ["best", "--help"], ["play", "--help"], ["deal", "--help"], ["bench", "--help"]):
        status, out, _ = run(*words)
        assert status == 0
        assert "Usage: solver" in out
    assert run("--version")[1] == f"cardsolver {__version__}\n"


def test_bench(run, monkeypatch):
    monkeypatch.setattr("solver.bench.measure.__defaults__", (0.001,))
    status, out, _ = run("bench", "--quick", "--json")
    assert status == 0
    rows = json.loads(out)
    assert {row["unit"] for row in rows} == {
        "hands/s",
        "stacks/s",
        "decisions/s",
        "samples/s",
        "iterations/s",
        "policies/s",
    }
    assert all(row["rate"] > 0 for row in rows)


def test_play_against_a_policy_table(run, tmp_path):
    """It is given the information state, not a Position that has none."""
    game = scout.Game(players=2, ranks=3, hand_size=1, chips=1, max_turns=3)
    file = tmp_path / "small.policy"
    policy.uniform(game).save(file)
    status, out, err = run("play", str(game), "--bots", f"policy:{file}", "--seed", "1", stdin="\n".join(["1"] * 40))
    assert (status, err) == (0, "")
    assert "The round is over" in out
    assert f"seat 1 policy:{file} " in out


def test_best_takes_every_way_to_search(run):
    given = {
        "depth": 2,
        "root": "ucb",
        "opponents": "tree",
        "selection": "puct",
        "temperature": 2.5,
        "first_play": -0.5,
        "epsilon": 0.25,
        "own": "policy",
        "bias": 1.5,
        "trees": "multiple",
        "redeal": "opponents",
    }
    words = [word for name, value in given.items() for word in (f"--{name.replace('_', '-')}", str(value))]
    status, out, _ = run("best", LINE, "--iterations", "200", "--seed", "1", "--json", *words)
    settings = json.loads(out)["settings"]
    assert (status, {name: settings[name] for name in given}) == (0, given)
    status, _, err = run("best", LINE, "--iterations", "200", "--trees", "multiple")
    assert status == 2
    assert "it needs opponents='tree'" in err
    status, _, err = run("best", LINE, "--root", "best")
    assert (status, err.count("\n")) == (2, 1)
    assert "root must be one of ucb, halving" in err


def test_play_to_the_end(run):
    """Always the first action, against greedy bots; what is wrong is explained on the way."""
    typed = ["?", "99999", "fly", "show 99", "scout left 0", "keep", "keep", "line", *["1"] * 200]
    status, out, err = run(
        "play",
        "scout",
        "--players",
        "3",
        "--seat",
        "0",
        "--bots",
        "greedy,random",
        "--seed",
        "3",
        stdin="\n".join(typed),
    )
    assert (status, err) == (0, "")
    assert "there are 2 legal actions" in out
    assert "'fly' means no action" in out
    assert "the hand has no 99 side by side" in out
    assert "there is no Active Set to scout from" in out
    assert "the hand is kept or turned before the first turn only" in out
    assert "The round is over" in out
    assert out.count("seat 1 greedy shows") + out.count("seat 1 greedy scouts") > 0
    line = next(line for line in out.splitlines() if line.startswith("your action> scout("))
    assert scout.parse(line.removeprefix("your action> ")).player == 0


def test_options_of_a_bot(run):
    words = ("play", "scout", "--players", "3", "--bots", "flat:20,threads=1,pimc:2,iterations=20", "--seed", "3")
    status, out, err = run(*words, stdin="keep\nwhy\nq\n")
    assert (status, err) == (0, "")
    assert "seat 1 flat:20,threads=1" in out
    assert "seat 2 pimc:2,iterations=20" in out
    assert "\nwhy " in out.replace("your action> why ", "\nwhy ")


def test_leaving_the_table(run):
    for typed in ("q\n", ""):
        status, out, _ = run("play", "scout", "--players", "4", "--seat", "2", "--bots", "random", stdin=typed)
        assert status == 0
        assert "left the table" in out


def test_as_a_program():
    """The installed module, in a process of its own, writing into a pipe that closes."""
    command = [sys.executable, "-m", "solver.cli"]
    done = subprocess.run([*command, "best", LINE, "--iterations", "100"], capture_output=True, text=True, check=True)
    assert "best play: show 4-4-4" in done.stdout
    process = subprocess.Popen([*command, "best", "-", "--iterations", "1"], stdin=-1, stdout=-1, stderr=-1, text=True)
    process.stdout.close()
    _, err = process.communicate(f"{LINE}\n" * 2000)
    assert "Traceback" not in err


@pytest.mark.skipif(sys.platform == "win32", reason="speaks to a POSIX shell")
def test_no_standard_input_and_a_full_disk():
    done = subprocess.run(f"{sys.executable} -m solver.cli best - <&-", shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (2, "solver: there is no standard input to read positions from\n")
    done = subprocess.run(
        f"{sys.executable} -m solver.cli deal scout > /dev/full", shell=True, capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_a_long_number_at_the_table(run):
    status, out, _ = run("play", "scout", "--players", "3", "--bots", "random", stdin="9" * 5000 + "\nq\n")
    assert status == 0
    assert "means no action" in out


def test_other_games(run):
    assert run("deal", "kuhn")[2] == "solver: kuhn has no positions in text\n"
    status, out, _ = run("deal", "bakerstreet", "--seed", "1")
    assert status == 0
    first, second = out.splitlines()
    assert bakerstreet.parse(first).player == 0
    assert bakerstreet.parse(second).player == 1
    status, out, _ = run("best", first, "--iterations", "300", "--seed", "1")
    assert status == 0
    assert "best play: place " in out
    assert "is to move" in run("best", second)[2]
    assert "--kept is for scout" in run("deal", "bakerstreet", "--kept")[2]


def test_play_baker_street_to_the_end(run):
    """Always the first action, against the odds; questions and wrong words on the way."""
    typed = ["?", "pile 2", "pile 9", "odds", "bid 40", "place 9 on 1", "line", *["1"] * 600]
    status, out, err = run("play", "bakerstreet", "--bots", "threshold", "--seed", "3", stdin="\n".join(typed))
    assert (status, err) == (0, "")
    assert "pile 2: never seen" in out
    assert "a pile is 0, 1, 2, 3 or 4" in out
    assert "%" in out
    assert "'bid 40' is none of the" in out
    assert "* seat 1 threshold bids" in out
    assert "* seat 1 threshold takes from" in out
    assert "The winner: seat 1 threshold." in out
    line = next(line for line in out.splitlines() if line.startswith("your action> bakerstreet"))
    assert bakerstreet.parse(line.removeprefix("your action> ")).player == 0


@pytest.fixture
def policy_file(run, tmp_path):
    """Kuhn's equilibrium as a file."""
    path = tmp_path / "kuhn.policy"
    status, out, err = run("solve", "kuhn", "--method", "pdcfr+", "--iterations", "300", "--out", str(path))
    assert (status, err) == (0, "")
    assert "value -0.055556 +0.055556" in out
    assert f"12 information states written to {path}" in out
    return path


def test_solve_prints_json(run):
    status, out, _ = run("solve", "leduc", "--target", "0.05", "--json")
    data = json.loads(out)
    assert status == 0
    assert data["exploitability"] <= 0.05
    assert (data["game"], data["method"], data["interrupted"]) == ("leduc", "dcfr", False)
    status, out, _ = run("solve", "leduc", "--method", "external", "--iterations", "2000", "--seed", "3", "--json")
    assert json.loads(out)["seed"] == 3


def test_solve_by_several_samplings_is_the_same_with_workers(run):
    words = ["solve", "kuhn", "--method", "outcome", "--iterations", "200", "--seed", "3", "--runs", "2", "--json"]
    here, there = (json.loads(run(*words, *more)[1]) for more in ([], ["--workers", "2"]))
    assert here["runs"] == 2
    assert {**here, "seconds": 0} == {**there, "seconds": 0}


def test_solve_takes_the_duel_in_vector_form(run, tmp_path):
    path = tmp_path / "duel.policy"
    status, out, _ = run("solve", "duel(low=10,high=14)", "--target", "1e-3", "--out", str(path), "--json")
    data = json.loads(out)
    assert status == 0
    assert data["game"] == "duel(low=10,high=14)"
    assert data["exploitability"] <= 1e-3
    # 16 sums in each of the 2^5 histories of bids, those that force a doubt included
    assert len(policy.load(path)) == 16 * 32


def test_solve_takes_games_of_openspiel(run):
    pytest.importorskip("pyspiel")
    status, out, _ = run("solve", "openspiel:kuhn_poker", "--iterations", "500")
    assert status == 0
    assert "value -0.0555" in out
    status, _, err = run("solve", "openspiel:nonsense", "--iterations", "5")
    assert status == 2
    assert "OpenSpiel has no such game" in err


def test_solve_goes_on_from_a_checkpoint(run, tmp_path):
    path = str(tmp_path / "run.checkpoint")
    run("solve", "kuhn", "--iterations", "50", "--checkpoint", path)
    _, half, _ = run("solve", "kuhn", "--iterations", "100", "--checkpoint", path, "--json")
    _, whole, _ = run("solve", "kuhn", "--iterations", "100", "--json")
    assert json.loads(half)["iterations"] == 100
    assert json.loads(half)["exploitability"] == json.loads(whole)["exploitability"]


def test_policy_show_and_look(run, policy_file):
    status, out, _ = run("policy", "show", str(policy_file), "--rows", "3", "--player", "1")
    assert status == 0
    assert "pdcfr+" in out
    # the worst card folds to a bet; rows are sorted by seat, length and text
    assert re.search(r"^0b +1 +pass \(0\) 1\.000 +bet \(1\) 0\.000$", out, re.MULTILINE)
    assert all(len(line) <= 80 for line in out.splitlines())
    data = json.loads(run("policy", "show", str(policy_file), "--rows", "99", "--json")[1])
    assert len(data["shown"]) == data["rows"] == 12
    status, out, _ = run("policy", "look", str(policy_file), "2pb")
    assert status == 0
    assert re.search(r"bet \(1\) +1\.000000", out)
    assert json.loads(run("policy", "look", str(policy_file), "2pb", "--json")[1])["actions"]["1"] == pytest.approx(1)


def test_policy_compare_and_export(run, policy_file, tmp_path):
    other = tmp_path / "other.policy"
    run("solve", "kuhn", "--method", "cfr", "--iterations", "3", "--out", str(other))
    status, out, _ = run("policy", "compare", str(policy_file), str(other), "--rows", "2")
    assert status == 0
    assert "common: 12" in out
    data = json.loads(run("policy", "compare", str(policy_file), str(policy_file), "--json")[1])
    assert (data["common"], data["greatest"]) == (12, 0)
    path = tmp_path / "kuhn.json"
    assert run("policy", "export", str(policy_file), str(path))[0] == 0
    assert policy.PolicyTable.from_json(path) == policy.load(policy_file)
    status, _, err = run("policy", "export", str(policy_file), str(tmp_path / "kuhn.txt"))
    assert status == 2
    assert "ends in .json or .parquet" in err


def test_policy_in_parquet(run, policy_file, tmp_path):
    """Each command that reads a policy takes one in Parquet too."""
    pytest.importorskip("pyarrow")
    packed = tmp_path / "kuhn.parquet"
    assert run("policy", "export", str(policy_file), str(packed), "--compact")[0] == 0
    assert run("policy", "look", str(packed), "2pb") == run("policy", "look", str(policy_file), "2pb")
    assert "greatest: 0.000000" in run("policy", "compare", str(packed), str(policy_file))[1]
    status, _, err = run("policy", "export", str(packed), str(tmp_path / "kuhn.json"), "--compact")
    assert (status, "--compact is for Parquet" in err) == (2, True)


def test_policy_plot(run, policy_file, tmp_path):
    pytest.importorskip("matplotlib")
    status, out, err = run("policy", "plot", str(policy_file))
    assert (status, err) == (0, "")
    assert out.strip() == str(policy_file.with_suffix(".png"))
    assert policy_file.with_suffix(".png").read_bytes()[:4] == b"\x89PNG"
    drawn = tmp_path / "kuhn.svg"
    assert run("policy", "plot", str(policy_file), "--out", str(drawn))[0] == 0
    assert "<svg" in drawn.read_text()
    status, _, err = run("policy", "plot", str(policy_file), "--out", str(tmp_path / "kuhn.pdf"))
    assert (status, "a figure is a .svg or a .png" in err) == (2, True)
    other = tmp_path / "leduc.policy"
    policy.uniform(games.load("leduc")).save(other)
    status, _, err = run("policy", "plot", str(other))
    assert (status, "no picture of a policy of leduc; there are pictures for duel and kuhn" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("solve", "nothing"), "there is no game 'nothing'"),
        (("solve", "kuhn", "--method", "magic"), "there is no method 'magic'"),
        (("solve", "kuhn", "--target", "-1"), "target is a positive number"),
        (("solve", "kuhn", "--seed", "1"), "--seed is for sampling"),
        (("solve", "kuhn", "--method", "external", "--threads", "2"), "takes neither"),
        (("solve", "kuhn", "--out", "/nowhere/at/all"), "there is no folder /nowhere/at"),
        (("solve", "kuhn", "--out", "/"), "is a folder"),
        (("solve", "kuhn", "--runs", "2"), "are for sampling, not for --method dcfr"),
        (("solve", "kuhn", "--method", "external", "--workers", "2"), "give their number by --runs"),
        (("solve", "kuhn", "--method", "external", "--runs", "2", "--target", "0.1"), "--target is for a single run"),
        (("solve", "kuhn", "--out", "same.x", "--checkpoint", "same.x"), "the same file"),
        (("solve", "kuhn", "--threads", "99999999999999999999"), "--threads"),
        (("solve", "duel", "--threads", "2"), "takes neither"),
        (("policy", "show", "/nowhere.policy"), "there is no file /nowhere.policy"),
    ],
)
def test_bad_words_to_solve_and_policy(run, words, message):
    status, out, err = run(*words)
    assert (status, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_looks_that_fail(run, policy_file, tmp_path):
    status, _, err = run("policy", "look", str(policy_file), "9z")
    assert status == 2
    assert "'9z'" in err
    broken = tmp_path / "broken.policy"
    broken.write_bytes(policy_file.read_bytes()[:-7])
    status, _, err = run("policy", "show", str(broken))
    assert status == 2
    assert "broken.policy" in err


def test_arena_prints_a_table(run, tmp_path):
    record = tmp_path / "record.jsonl"
    words = ["arena", "scout", "--players", "3", "--agents", "planning,greedy", "--record", str(record)]
    status, out, err = run(*words, "--deals", "3", "--pairs")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["planning", "18"], ["greedy", "18"]]
    assert lines[3] == "3 deals of scout(players=3), seed 0"
    assert lines[-1].split()[:3] == ["planning", "greedy", "18"]
    assert record.read_bytes().count(b"\n") == 4
    status, out, _ = run(*words, "--deals", "5", "--json")
    assert status == 0
    assert json.loads(out)["deals"] == 5
    assert record.read_bytes().count(b"\n") == 6
    status, _, err = run(*words, "--seed", "1")
    assert status == 2
    assert err == f"solver: {record} is a record of seed 0, not 1\n"


def test_arena_is_the_same_with_workers(run):
    words = ["arena", "bakerstreet", "--agents", "ismcts:5", "--against", "planning", "--deals", "4", "--json"]

    def standing(*more):
        status, out, err = run(*words, *more)
        assert (status, err) == (0, "")
        return {key: value for key, value in json.loads(out).items() if key != "seconds"}

    assert standing() == standing("--workers", "2")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["scout", "--agents", "planing"], "there is no agent 'planing'"),
        (["scout"], "agents"),
        (["scout(players=3)", "--players", "3", "--agents", "random"], "either in the game string or by --players"),
        (["chess", "--agents", "random"], "no game 'chess'"),
        (["scout", "--agents", "random", "--deals", "0"], "deals"),
        (["scout", "--agents", "random", "--half-width", "-1"], "half_width is a positive number"),
        (["scout", "--agents", "random", "--record", "nowhere/at/all"], "--record: there is no folder"),
        (["scout", "--agents", "threshold", "--deals", "1"], "agent threshold failed"),
        (["kuhn", "--agents", "policy:nowhere", "--deals", "1"], "there is no file nowhere"),
    ],
)
def test_bad_words_to_arena(run, words, message):
    status, out, err = run("arena", *words)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
