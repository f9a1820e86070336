"""The command: what it prints, its exit status, and its one line for bad input."""

import io
import json
import subprocess
import sys

import pytest

from solver import bakerstreet, cli, games, scout

LINE = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"


@pytest.fixture
def run(monkeypatch, capsys):
    """Run the command in this process: (status, standard output, standard error)."""

    def call(*words, stdin=""):
        monkeypatch.setattr(sys, "argv", ["solver", *words])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        out, err = capsys.readouterr()
        return exit_.value.code or 0, out, err

    return call


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
    assert run("--version")[1] == "cardsolver 0.1.0\n"


def test_bench(run, monkeypatch):
    monkeypatch.setattr("solver.bench.measure.__defaults__", (0.001,))
    status, out, _ = run("bench", "--quick", "--json")
    assert status == 0
    rows = json.loads(out)
    assert {row["unit"] for row in rows} == {"hands/s", "stacks/s", "decisions/s", "samples/s", "iterations/s"}
    assert all(row["rate"] > 0 for row in rows)


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
