"""Command lines: valid ones with words changed, dropped, doubled and taken from others."""

from __future__ import annotations

import contextlib
import io
import os
import random
import signal
import sys
from typing import Any

from solver import cli
from tests.fuzz import files
from tests.fuzz.harness import ALPHABET, mutated, target

LINE = "scout(players=3) | hand 4/1 4/3 4/8 | table 2/8 by 2 | cards 3 11 12 | score 0 4 5"
PATIENCE = 0.3  # seconds of work until Ctrl-C is pressed
VALID: list[list[str]] = [
    ["deal", "scout", "--players", "3", "--seed", "7"],
    ["deal", "scout(players=4,rounds=match)", "--kept", "--json"],
    ["deal", "bakerstreet", "--seed", "1"],
    ["best", LINE, "--iterations", "20", "--seed", "1", "--json"],
    ["best", LINE, "--seconds", "0.01", "--threads", "2", "--payoff", "win", "--exploration", "0.5", "--rows", "3"],
    [
        "best",
        LINE,
        "--iterations",
        "20",
        "--rollout",
        "policy",
        "--opponents",
        "tree",
        "--horizon",
        "2",
        "--root",
        "ucb",
    ],
    ["best", LINE, "--iterations", "20", "--widening", "3", "--depth", "2", "--belief", "uniform", "--why"],
    ["best", "-", "--iterations", "10"],
    ["play", "scout", "--players", "3", "--seat", "1", "--bots", "greedy,random", "--seed", "3"],
    ["play", "bakerstreet", "--bots", "threshold"],
    ["arena", "kuhn", "--agents", "random,random", "--deals", "3", "--seed", "2", "--json", "--record", "record"],
    ["arena", "scout", "--players", "3", "--agents", "random,greedy", "--deals", "1", "--pairs", "--no-duplicate"],
    ["arena", "kuhn", "--agents", "random", "--against", "policy:kuhn.policy", "--deals", "2", "--half-width", "3"],
    ["arena", "bakerstreet", "--agents", "planning,threshold", "--deals", "1", "--decide"],
    ["solve", "kuhn", "--iterations", "10", "--method", "cfr+", "--out", "new.policy", "--json"],
    ["solve", "kuhn", "--iterations", "4", "--checkpoint", "run", "--threads", "2"],
    ["solve", "kuhn", "--method", "external", "--iterations", "10", "--seed", "1"],
    ["solve", "leduc", "--seconds", "0.05", "--target", "0.5"],
    ["solve", "duel(low=10,high=12)", "--iterations", "5", "--out", "duel.policy"],
    ["solve", "openspiel:kuhn_poker", "--iterations", "5"],
    ["policy", "show", "kuhn.policy", "--rows", "3", "--player", "0", "--containing", "p", "--json"],
    ["policy", "look", "kuhn.policy", "2pb", "--player", "0"],
    ["policy", "compare", "kuhn.policy", "other.policy", "--rows", "2"],
    ["policy", "export", "kuhn.policy", "out.json"],
    ["policy", "export", "kuhn.policy", "out.parquet"],
    ["--version"],
    ["--help"],
    ["policy", "--help"],
]
WORDS = [
    *(
        "--seed",
        "--json",
        "--players",
        "--deals",
        "--agents",
        "--method",
        "--out",
        "--nonsense",
        "-x",
        "--",
        "-",
        "",
        " ",
    ),
    *(
        "0",
        "-1",
        "1",
        "2",
        "99",
        "1e9",
        "nan",
        "inf",
        "-inf",
        "0.5",
        "1_0",
        "0x1",
        str(1 << 31),
        str(1 << 63),
        "9" * 5000,
    ),
    *("kuhn", "leduc", "scout", "duel", "bakerstreet", "openspiel:", "openspiel:x", "openspiel:kuhn_poker(players=99)"),
    "bidding_round(horizon=1)",
    *("kuhn.policy", "cut.policy", "empty", "folder", "/no/such/file", "/dev/null", "/dev/full", "a\nb", "\ud800", "ß"),
    *("random", "human", "policy:", "policy:cut.policy", "policy:folder", "ismcts:1", "pimc:1", "random,random", ","),
]
INPUTS = [
    "",
    "\n",
    "?\n",
    "q\n",
    "1\n" * 300,
    "0\n" * 50,
    LINE + "\n",
    "x\n" * 5,
    "\0",
    "hint\n?\n1\nq\n",
    "\ud800\n",
    "9" * 9999,
]


class Interrupted(Exception):
    """Ctrl-C was pressed: another status is right."""


def _press(*_: Any) -> None:
    signal.raise_signal(signal.SIGINT)


def words_of(rng: random.Random) -> list[str]:
    """A command line."""
    words = list(rng.choice(VALID))
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        at = rng.randrange(len(words) + 1)
        kind = rng.randrange(7)
        if kind == 0:
            words.insert(at, rng.choice(WORDS))
        elif kind == 1 and words:
            words[at % len(words)] = rng.choice(WORDS)
        elif kind == 2 and words:
            del words[at % len(words)]
        elif kind == 3:
            other = rng.choice(VALID)
            words[at:at] = other[rng.randrange(len(other)) :][:2]
        elif kind == 4 and words:
            word = words[at % len(words)]
            words[at % len(words)] = mutated(rng, word, [word, LINE], WORDS, ALPHABET)
        elif kind == 5 and words:
            words[at % len(words)] = rng.choice(rng.choice(VALID))
        else:
            words[at:at] = words[at : at + 2]
    if "--workers" in words or any("completion" in word for word in words):
        return ["--help"]
    # files are to come into the folder of the day, whatever their names have become
    kept = ("/no/such/file", "/dev/null", "/dev/full")
    return [word if word in kept or " | " in word or "hand" in word else word.replace("/", "_") for word in words]


@target(0.5, Interrupted)
def command(rng: random.Random) -> str:
    """Status 0 or 2, never a traceback; 2 with one line on standard error, which begins with the command's name."""
    folder = files.made().folder / "commands"
    if not folder.exists():
        (folder / "folder").mkdir(parents=True)
        made = files.made()
        (folder / "kuhn.policy").write_bytes(made.archives[0])
        (folder / "other.policy").write_bytes(made.archives[2])
        (folder / "cut.policy").write_bytes(made.archives[0][:-30])
        (folder / "empty").write_bytes(b"")
    words = words_of(rng)
    out, err = io.StringIO(), io.StringIO()
    pressed = False

    def press(*_: Any) -> None:
        nonlocal pressed
        pressed = True
        _press()

    before = os.getcwd(), sys.argv, sys.stdin, signal.signal(signal.SIGVTALRM, press)
    os.chdir(folder)
    sys.argv, sys.stdin = ["solver", *words], io.StringIO(rng.choice(INPUTS))
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE, 0.2)
    status: Any = None
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            cli.main()
    except SystemExit as exit_:
        status = exit_.code or 0
    except KeyboardInterrupt:
        status = 130
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        os.chdir(before[0])
        sys.argv, sys.stdin = before[1:3]
        signal.signal(signal.SIGVTALRM, before[3])
    said = err.getvalue()
    if pressed and status == 130:
        raise Interrupted
    assert status in (0, 2), (status, words, said)
    if status == 2:
        lines = said.splitlines()
        assert lines, words
        # lines of standard input are judged one by one
        assert all(line.startswith("solver: ") for line in lines), (words, said)
        assert len(lines) == 1 or "-" in words, (words, said)
        assert 9 < len(lines[0]) < 20_000, words
    else:
        assert said == "", (words, said)
    assert "Traceback" not in said
    return f"status {status}"
