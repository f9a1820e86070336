"""What the command says of itself: help with examples that run, completion in shells, colours where they belong."""

import os
import re
import shlex
import shutil
import subprocess
import sys

import pytest
import typer

from solver import cli, policy

PROGRAM = [sys.executable, "-m", "solver.cli"]
# What makes an example quick enough for a test; the last of equal options counts.
SMALLER = {"arena": ["--deals", "1"], "best": ["--iterations", "50"], "solve": ["--iterations", "200"]}


def commands(words=(), command=None):
    """Every command and group with its words."""
    command = command or typer.main.get_command(cli.app)
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands((*words, name), each)


ALL = list(commands())


def examples(text):
    """The command lines under `Example:` in a help text, as it is printed."""
    _, heading, rest = re.sub("\x08", "", text).partition("Example")
    assert heading, text
    found = []
    for line in rest.split("\n")[1:]:
        if not line.strip():
            break
        found.append(line.strip())
    assert found
    return found


def test_all_commands_are_known():
    names = {" ".join(words) for words, _ in ALL}
    assert names >= {
        "",
        "deal",
        "best",
        "play",
        "arena",
        "solve",
        "bench",
        "policy",
        "policy show",
        "policy export",
        "experiment run",
    }


@pytest.mark.parametrize(
    ("words", "command"), ALL, ids=lambda x: " ".join(x) or "solver" if isinstance(x, tuple) else ""
)
def test_help_fits_a_terminal_and_has_an_example(run, monkeypatch, words, command):
    monkeypatch.setenv("COLUMNS", "80")
    status, out, err = run(*words, "--help")
    assert (status, err) == (0, "")
    assert run(*words, "-h")[1] == out
    assert max(map(len, out.splitlines())) <= 80
    assert out.startswith(f"Usage: {' '.join(['solver', *words])}")
    # whole: the command, its options, no line broken
    for line in examples(out):
        assert " ".join(["solver", *words]) in line
    # what the list of commands says of it is a whole sentence
    assert not words or "..." not in command.get_short_help_str(limit=80 - 2 - 6 - 2)
    for parameter in command.params:
        assert parameter.help, f"{' '.join(words)}: {parameter.name}"


@pytest.mark.parametrize(
    ("words", "command"), ALL, ids=lambda x: " ".join(x) or "solver" if isinstance(x, tuple) else ""
)
def test_the_examples_run(run, root, monkeypatch, tmp_path, words, command):
    monkeypatch.chdir(tmp_path)
    if words[:1] == ("experiment",):
        if not (root / "experiments").exists():
            pytest.skip("needs experiments of the checkout")
        shutil.copytree(root / "experiments", "experiments")
    monkeypatch.setattr("solver.bench.measure.__defaults__", (0.001,))
    monkeypatch.setattr("solver.bench.measure", lambda _scale: [])
    if words[:1] == ("policy",) or not words:
        assert run("solve", "leduc", "--iterations", "20", "--out", "leduc.policy")[0] == 0
        policy.load("leduc.policy").save("other.policy")
        assert run("solve", "kuhn", "--iterations", "20", "--out", "kuhn.policy")[0] == 0
    for line in examples(command.help):
        stdin, previous = "q\n", ""
        for part in re.split(r" \| (?=solver |head )", line):  # positions have bars, too
            argv = shlex.split(part)
            if argv == ["head", "-1"]:
                stdin = previous.partition("\n")[0]
                continue
            assert argv[0] == "solver"
            status, previous, err = run(*argv[1:], *SMALLER.get(argv[1], ()), stdin=stdin)
            assert (status, err) == (0, "")
            assert previous or argv[1] == "bench"
            stdin = previous


@pytest.mark.parametrize("words", [(), ("policy",)])
def test_a_group_alone_prints_its_help(run, words):
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert out == run(*words, "--help")[1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fly",), "No such command 'fly'. (see solver --help)"),
        (("--fly",), "No such option: --fly (see solver --help)"),
        (("policy", "fly"), "No such command 'fly'. (see solver policy --help)"),
        (("policy", "show", "--zzz"), "No such option: --zzz (see solver policy show --help)"),
    ],
)
def test_a_wrong_word_is_one_line_that_says_where_help_is(run, words, message):
    assert run(*words) == (2, "", f"solver: {message}\n")


def program(*words, **variables):
    """The installed module in a process of its own, with these variables."""
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM")}
    return subprocess.run([*PROGRAM, *words], capture_output=True, text=True, check=False, env=kept | variables)


@pytest.mark.parametrize(
    ("shell", "part"),
    [
        ("bash", "complete -o default -F _solver_completion solver"),
        ("zsh", "compdef _solver_completion solver"),
        ("fish", "complete --command solver"),
    ],
)
def test_completion_scripts(shell, part):
    done = program(_SOLVER_COMPLETE=f"source_{shell}")
    assert (done.returncode, done.stderr) == (0, "")
    assert part in done.stdout


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("solver p", ["play", "policy"]),
        ("solver policy ", ["show", "look", "compare", "export", "plot"]),
        ("solver deal s", ["scout"]),
        ("solver solve leduc --method pc", ["pcfr+"]),
        ("solver arena scout --agents greedy,r", ["greedy,random"]),
        ("solver best x --root ", ["ucb", "halving"]),
    ],
)
def test_what_is_completed(words, offered):
    done = program(_SOLVER_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(words.count(" ")))
    assert done.stdout.split() == offered


def test_fish_gets_a_line_a_choice():
    variables = {"_TYPER_COMPLETE_FISH_ACTION": "get-args", "_TYPER_COMPLETE_ARGS": "solver solve leduc --"}
    lines = program(_SOLVER_COMPLETE="complete_fish", **variables).stdout.splitlines()
    assert "--method" in [line.partition("\t")[0] for line in lines]
    assert all(line.startswith("--") for line in lines)


def on_a_terminal(*words, **variables):
    """What a command prints to a terminal, standard error included."""
    pty = pytest.importorskip("pty")
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*PROGRAM, *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=kept | {"TERM": "xterm-256color"} | variables,
    )
    os.close(theirs)
    out = b""
    try:
        while data := os.read(ours, 65536):
            out += data
    except OSError:  # Linux says so at the end
        pass
    os.close(ours)
    assert process.wait() == 0
    return out.decode()


def colours(text):
    """The codes of colours in what a terminal gets; bold and dim are none."""
    codes = [code for codes in re.findall(r"\x1b\[([0-9;]*)m", text) for code in codes.split(";")]
    return [code for code in codes if code and (30 <= int(code) <= 49 or int(code) >= 90)]


@pytest.mark.skipif(sys.platform == "win32", reason="speaks to a POSIX terminal")
def test_colours_only_where_they_belong():
    words = ("arena", "kuhn", "--agents", "random", "--deals", "200")  # with a bar that moves
    assert colours(on_a_terminal(*words))
    assert not colours(on_a_terminal(*words, NO_COLOR="1"))
    words = ("bench", "--help")
    assert "\x1b" not in on_a_terminal(*words)
    words = ("best", "bakerstreet | starter 1 | phase bid | hand 5 5 5 | bids 9", "--iterations", "50", "--seed", "1")
    shown = on_a_terminal(*words, NO_COLOR="1")
    assert "\x1b[1mbest play: " in shown
    assert not colours(shown)
    piped = program(*words, TERM="xterm-256color")
    assert (piped.returncode, piped.stderr) == (0, "")
    assert "\x1b" not in piped.stdout
