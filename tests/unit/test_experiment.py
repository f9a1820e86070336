"""The runner of experiments: it goes on to the same bytes, whatever killed it, and says what is wrong by name."""

import json
import os
import pickle
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from solver import cli, experiment
from solver.errors import ArgumentError, ExperimentError, RecordError, SolverError

PROGRAM = '''"""How large are sums of dice?

More about it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from solver import Rng, tables

SCALES = {
    "smoke": {"seed": 1, "tasks": 6, "dice": 10, "seconds": 0.0},
    "small": {"seed": 1, "tasks": 30, "dice": 10, "seconds": 0.02},
    "full": {"seed": 1, "tasks": 400, "dice": 10, "seconds": 0.03},
}


@dataclass
class Throw:
    sum: int


def tasks(config):
    return [{**config, "seed": [config["seed"], i], "number": i} for i in range(config["tasks"])]


def work(task):
    time.sleep(task["seconds"])
    rng = Rng(task["seed"])
    throw = Throw(sum(1 + rng.below(6) for _ in range(task["dice"])))
    task["dice"] = "the task is the program's own to change"
    return {"sum": throw.sum, "share": throw.sum / 7, "pair": (1, 2)}


def report(results, out):
    assert all(result["pair"] == [1, 2] for _, result in results)
    rows = [{"throw": task["number"], **result, "pair": None} for task, result in results]
    tables.write_csv(out / "sums.csv", rows)
    (out / "report.md").write_text("# Sums\\n\\n" + tables.markdown(rows))


def check(results):
    assert len(results) == 6
'''


groups = pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals of POSIX")


@pytest.fixture
def command(monkeypatch, capsys):
    def call(*words):
        monkeypatch.setattr(sys, "argv", ["solver", "experiment", *map(str, words)])
        with pytest.raises(SystemExit) as exit_:
            cli.main()
        return exit_.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def home(tmp_path):
    """A folder of experiments with one in it."""
    folder = tmp_path / "experiments"
    write(folder, PROGRAM)
    return folder


def write(folder, text, name="dice"):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "run.py").write_text(text)


def files(out):
    """All that a run left, by name."""
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def numbers(out):
    """Numbers of the tasks in the order in which they stand."""
    return [json.loads(line)["number"] for line in (out / "results.jsonl").read_text().splitlines()]


def test_find_and_load(home, tmp_path, monkeypatch):
    write(home, '"""Another question?"""\n', "another")
    assert [(e.name, e.question) for e in experiment.find(home)] == [
        ("another", "Another question?"),
        ("dice", "How large are sums of dice?"),
    ]
    inside = home / "dice" / "deep"
    inside.mkdir()
    monkeypatch.chdir(inside)
    assert experiment.load("dice").folder == home / "dice"
    monkeypatch.chdir(tmp_path.parent)
    with pytest.raises(ExperimentError, match=r"there is no folder experiments here or above.*pip download"):
        experiment.find()
    with pytest.raises(ExperimentError, match=r"there is no folder .*nowhere of experiments"):
        experiment.find(tmp_path / "nowhere")
    with pytest.raises(ExperimentError, match=r"there is no experiment 'cards' in .*; there are another, dice"):
        experiment.load("cards", home)
    (home / "another" / "run.py").write_bytes(b'"""\xff"""')
    with pytest.raises(ExperimentError, match=r"run\.py is no text in UTF-8"):
        experiment.load("another", home)


def test_what_a_run_leaves(home, tmp_path):
    out = tmp_path / "out"
    seen = []
    path = experiment.run(
        experiment.load("dice", home), "smoke", out, progress=lambda done, total: seen.append((done, total))
    )
    assert path == out / "report.md"
    assert seen == [(done, 6) for done in range(7)]
    assert sorted(files(out)) == ["config.json", "report.md", "results.jsonl", "sums.csv"]
    settings = json.loads((out / "config.json").read_text())
    assert settings["config"] == {"seed": 1, "tasks": 6, "dice": 10, "seconds": 0.0}
    assert (settings["experiment"], settings["scale"], settings["tasks"]) == ("dice", "smoke", 6)
    assert settings["versions"]["python"] == sys.version.split()[0]
    assert {"numpy", "scipy", "solver", "library"} < set(settings["versions"])
    assert settings["machine"]["cores"] == os.cpu_count()
    found, results = experiment.read(out)
    assert found == settings
    assert [task["number"] for task, _ in results] == list(range(6))
    assert [task["dice"] for task, _ in results] == [10] * 6
    assert all(10 <= result["sum"] <= 60 and result["share"] == result["sum"] / 7 for _, result in results)
    assert numbers(out) == list(range(6))


def test_a_seed_of_ones_own(home, tmp_path):
    asked = experiment.load("dice", home)
    first, second = (experiment.run(asked, "smoke", tmp_path / str(seed), seed=seed) for seed in (1, 2))
    assert first.read_text() != second.read_text()
    assert json.loads((tmp_path / "2" / "config.json").read_text())["config"]["seed"] == 2
    assert files(first.parent) == files(experiment.run(asked, "smoke", tmp_path / "none").parent)
    with pytest.raises(ArgumentError, match="seed is a whole number of at least 0, not -1"):
        experiment.run(asked, "smoke", tmp_path / "3", seed=-1)
    with pytest.raises(ArgumentError, match="a scale is smoke, small or full, not 'huge'"):
        experiment.run(asked, "huge", tmp_path / "3")
    write(home, PROGRAM.replace('"seed": 1, ', "").replace('config["seed"]', "1"))
    with pytest.raises(ArgumentError, match="dice takes no seed"):
        experiment.run(experiment.load("dice", home), "smoke", tmp_path / "3", seed=2)
    assert not (tmp_path / "3").exists()


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_an_executor_leaves_the_same_files(home, tmp_path, kind):
    asked = experiment.load("dice", home)
    pool = ThreadPoolExecutor(3) if kind == "threads" else ProcessPoolExecutor(2, get_context("spawn"))
    with pool as executor:
        experiment.run(asked, "smoke", tmp_path / kind, executor=executor)
    experiment.run(asked, "smoke", tmp_path / "here")
    assert files(tmp_path / kind) == files(tmp_path / "here")


def test_a_cluster_leaves_the_same_files(home, tmp_path, command):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", protocol="tcp://"
    ) as cluster:
        address = cluster.scheduler_address
        words = ["run", "dice", "--scale", "smoke", "--experiments", home]
        status, _, err = command(*words, "--dask", address, "--out", tmp_path / "there")
        assert (status, err) == (0, "")
    assert command(*words, "--out", tmp_path / "here")[0] == 0
    assert files(tmp_path / "there") == files(tmp_path / "here")


@groups
def test_a_worker_that_is_lost(home, tmp_path):
    """It is an error of the run, which goes on from there."""
    text = PROGRAM.replace("import time\n", "import os\nimport time\nfrom pathlib import Path\n")
    lost = tmp_path / "lost"
    death = (
        f'    if task["number"] == 4 and not Path({str(lost)!r}).exists():\n        os._exit(1)\n    time.sleep(task'
    )
    write(home, text.replace("    time.sleep(task", death))
    out = tmp_path / "out"
    process = started(home, out, "--scale", "smoke", "--workers", "2")
    printed, complaint = process.communicate()
    assert (process.returncode, printed) == (2, "")
    assert re.match(r"solver: dice: a worker was lost with task \d, perhaps for want of memory", complaint)
    lost.touch()
    assert 0 < len(numbers(out)) < 6
    assert experiment.run(experiment.load("dice", home), "smoke", out).read_text().startswith("# Sums")


def started(home, out, *words):
    """The command, in a process group of its own."""
    command = [sys.executable, "-m", "solver", "experiment", "run", "dice", "--experiments", home, "--out", out, *words]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True)


def after(process, out, lines):
    """Wait until so many tasks are finished."""
    path = out / "results.jsonl"
    while not path.exists() or path.read_bytes().count(b"\n") < lines:
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


@groups
@pytest.mark.parametrize(("workers", "kills"), [(1, (2, 9)), (2, (4,))])
def test_killed_and_started_again(home, tmp_path, workers, kills):
    """Killed after so many tasks, at the end with a torn line; the files are those of an unbroken run."""
    out = tmp_path / "out"
    for lines in kills:
        process = started(home, out, "--workers", str(workers))
        after(process, out, lines)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    kept = numbers(out) if (out / "results.jsonl").read_bytes().endswith(b"\n") else []
    assert len(kept) < 30
    assert not (out / "report.md").exists()
    with open(out / "results.jsonl", "ab") as file:
        file.write(b'{"number":29,"task":{"se')
    process = started(home, out, "--workers", str(workers))
    printed, complaint = process.communicate()
    assert (printed.strip(), complaint) == (str(out / "report.md"), "")
    experiment.run(experiment.load("dice", home), "small", tmp_path / "unbroken")
    assert files(out) == files(tmp_path / "unbroken")


@groups
def test_interrupted(home, tmp_path):
    """Ctrl-C keeps what was done, and says so."""
    out = tmp_path / "out"
    process = started(home, out)
    after(process, out, 2)
    process.send_signal(signal.SIGINT)
    printed, complaint = process.communicate()
    assert process.returncode == 130
    done = len(numbers(out))
    assert 2 <= done < 30
    assert complaint == f"solver: {done} of 30 tasks are done; the same command goes on from there\n"
    assert printed == ""


@groups
def test_ctrl_c_within_a_solver_is_no_result(home, tmp_path):
    """A solver that gives what it has by then does not: the task is dropped, not kept by half."""
    text = PROGRAM.replace("from solver import Rng, tables", "from solver import Rng, cfr, tables")
    text = text.replace(
        "    time.sleep(task", '    cfr.solve("leduc", seconds=60) if task["number"] == 2 else time.sleep(task'
    )
    write(home, text)
    out = tmp_path / "out"
    process = started(home, out)
    after(process, out, 2)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert process.returncode == 130
    assert numbers(out) == [0, 1]


def test_another_run_is_refused(home, tmp_path):
    out = tmp_path / "out"
    asked = experiment.load("dice", home)
    experiment.run(asked, "smoke", out)
    before = files(out)
    with pytest.raises(ExperimentError, match=r"another run, of scale 'smoke', not 'small'; config.tasks 6, not 30; "):
        experiment.run(asked, "small", out)
    with pytest.raises(ExperimentError, match=r"config.seed 1, not 7: give another folder \(--out\), or delete"):
        experiment.run(asked, "smoke", out, seed=7)
    settings = json.loads(before["config.json"])
    settings["versions"]["numpy"] = "1.0"
    (out / "config.json").write_text(json.dumps(settings))
    with pytest.raises(ExperimentError, match=r"another run, of versions.numpy '1.0', not '"):
        experiment.run(asked, "smoke", out)
    (out / "config.json").write_bytes(before["config.json"])
    write(home, PROGRAM.replace("below(6)", "below(5)"))
    with pytest.raises(ExperimentError, match=r"another run, of another run\.py: "):
        experiment.run(experiment.load("dice", home), "smoke", out)
    assert files(out) == before
    write(home, PROGRAM)
    # what no result hangs on may change
    write(home, PROGRAM.replace("# Sums", "# Throws").replace("== 6\n", "== 7\n"))
    assert experiment.run(experiment.load("dice", home), "smoke", out).read_text().startswith("# Throws\n")


def test_what_is_finished_can_be_kept(home, tmp_path):
    """A fault that a late task shows is mended: what is done by then stands, and it is said who did it."""
    out = tmp_path / "out"
    write(home, PROGRAM.replace("    rng = Rng", '    1 / (task["number"] - 3)\n    rng = Rng'))
    with pytest.raises(ExperimentError, match="task 3"):
        experiment.run(experiment.load("dice", home), "smoke", out)
    first = json.loads((out / "config.json").read_text())
    write(home, PROGRAM)
    asked = experiment.load("dice", home)
    with pytest.raises(ExperimentError, match=r"of another run\.py: .*, or keep what is finished \(--keep\)"):
        experiment.run(asked, "smoke", out)
    with pytest.raises(ExperimentError, match=r"of config.seed 1, not 2; another run\.py: .* delete this one$"):
        experiment.run(asked, "smoke", out, seed=2, keep=True)
    experiment.run(asked, "smoke", out, keep=True)
    experiment.run(asked, "smoke", tmp_path / "whole")
    kept, whole = files(out), files(tmp_path / "whole")
    settings = json.loads(kept.pop("config.json"))
    by = {key: first[key] for key in ("program", "versions", "revision")}
    assert settings.pop("kept") == [{**by, "tasks": [0, 1, 2]}]
    assert settings == json.loads(whole.pop("config.json"))
    assert kept == whole
    # said once
    experiment.run(asked, "smoke", out, keep=True)
    assert len(json.loads((out / "config.json").read_text())["kept"]) == 1


def test_folders_of_something_else(home, tmp_path):
    asked = experiment.load("dice", home)
    out = tmp_path / "out"
    with pytest.raises(ExperimentError, match=r"there is no run in .*out"):
        experiment.report(asked, out)
    out.mkdir()
    (out / "report.md").write_text("mine")
    with pytest.raises(ExperimentError, match="holds files and no run"):
        experiment.run(asked, "smoke", out)
    assert (out / "report.md").read_text() == "mine"
    (out / "config.json").write_text("{")
    with pytest.raises(RecordError, match=r"config\.json is damaged"):
        experiment.run(asked, "smoke", out)
    (out / "config.json").write_text('{"format": 1, "experiment": "dice"}')
    with pytest.raises(RecordError, match="does not say which experiment it is of, or how many tasks it has"):
        experiment.report(asked, out)
    (out / "config.json").write_text('{"format": 2}')
    with pytest.raises(RecordError, match="another format than 1"):
        experiment.run(asked, "smoke", out)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_the_revision(home, tmp_path):
    def git(*words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=tmp_path, check=True)

    def revision(out):
        experiment.run(experiment.load("dice", home), "smoke", out)
        return json.loads((out / "config.json").read_text())["revision"]

    published = home / "dice" / "results"
    assert revision(published) is None
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "first")
    clean = revision(tmp_path / "out")
    assert re.fullmatch("[0-9a-f]{40}", clean)
    # to make the results anew is no difference
    shutil.rmtree(published)
    assert revision(published) == clean
    (home / "dice" / "run.py").write_text(PROGRAM + "\n")
    assert revision(tmp_path / "later") == clean + "+"


def test_damage_is_found(home, tmp_path):
    asked = experiment.load("dice", home)
    out = tmp_path / "out"
    experiment.run(asked, "smoke", out)
    whole = (out / "results.jsonl").read_bytes()
    lines = whole.splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(whole.replace(b'"number":3', b'"number":4', 1))
    with pytest.raises(RecordError, match=r"results\.jsonl: line 4 is damaged"):
        experiment.run(asked, "smoke", out)
    # in any order, and a task twice: two processes at once
    (out / "results.jsonl").write_bytes(b"".join([*reversed(lines), lines[0]]))
    experiment.run(asked, "smoke", out)
    assert (out / "results.jsonl").read_bytes() == whole
    (out / "results.jsonl").write_bytes(b"".join(lines[:5]))
    with pytest.raises(ExperimentError, match=r"has 5 of 6 tasks: solver experiment run goes on with it"):
        experiment.report(asked, out)
    shutil.copy(out / "config.json", tmp_path / "kept.json")
    experiment.run(asked, "smoke", tmp_path / "other", seed=2)
    other = (tmp_path / "other" / "results.jsonl").read_bytes().splitlines(keepends=True)
    (out / "results.jsonl").write_bytes(other[0])
    with pytest.raises(RecordError, match="line of task 0 is of another task"):
        experiment.run(asked, "smoke", out)


def test_a_task_that_fails_is_named(home, tmp_path):
    write(home, PROGRAM.replace("    rng = Rng", '    1 / (task["number"] - 3)\n    rng = Rng'))
    asked = experiment.load("dice", home)
    out = tmp_path / "out"
    line = 1 + PROGRAM[: PROGRAM.index("    rng = Rng")].count("\n")
    told = (
        rf'dice: task 3, \{{"seed": \[1, 3\], .*"number": 3\}}, failed: ZeroDivisionError: .* \(run\.py, line {line}\)'
    )
    with pytest.raises(ExperimentError, match=told):
        experiment.run(asked, "smoke", out)
    assert numbers(out) == [0, 1, 2]
    with ThreadPoolExecutor(1) as pool, pytest.raises(ExperimentError, match=told):
        experiment.run(asked, "smoke", out, executor=pool)
    error = ExperimentError("what")
    assert str(pickle.loads(pickle.dumps(error))) == "what"


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('{"sum": throw', '[1] or {"sum": throw', r"failed: .*run\.py: the result is list, not a dict"),
        ("throw.sum / 7", "float('nan')", r"the result\['share'\] is nan: only finite numbers"),
        ("(1, 2)", "{1, 2}", r"the result\['pair'\] is set"),
        ("    return [{**config", "    return {} or [] and [{**config", r"tasks gives a list of at least one dict"),
        ('"smoke": {"seed": 1', '"quick": {"seed": 1', "has no SCALES, a dict of the keys smoke, small, full"),
        ("def work(task)", "def work(task, folder, more)", "has no function work with 1 or 2 parameters"),
        ("def report(", "def tell(", "has no function report with 2 parameters"),
        ("import time\n", "import time\n1 / 0\n", r"cannot be loaded: ZeroDivisionError: .* \(run\.py, line 9\)"),
        ("def work(task)", "def work(task", r"cannot be loaded: SyntaxError: .*never closed \(run\.py, line \d+\)"),
        ('"dice": 10, "seconds": 0.0', '"dice": {10}, "seconds": 0.0', r"SCALES\['smoke'\]\['dice'\] is set"),
        ("import Rng, tables", "import Rng, Tables", "cannot be loaded: ImportError"),
        ('out / "report.md"', 'out / "text.md"', "report wrote no report.md"),
        ('"""How large are sums of dice?\n\nMore about it.\n"""', "", "has no docstring, whose first line is"),
    ],
)  # fmt: skip
def test_programs_that_are_no_experiment(home, tmp_path, old, new, told):
    assert old in PROGRAM
    write(home, PROGRAM.replace(old, new))
    with pytest.raises(ExperimentError, match=told):
        experiment.run(experiment.load("dice", home), "smoke", tmp_path / "out")


def test_files_of_tasks(home, tmp_path, monkeypatch):
    """A task has a folder, wherever its worker is; reports do without it."""
    text = PROGRAM.replace("def work(task):\n", "def work(task, folder):\n    assert folder.is_absolute()\n")
    text = text.replace("    task[", "    (folder / 'sum').write_text(str(throw.sum))\n    task[")
    text = text.replace("from solver import", "from solver.experiment import task_folder\nfrom solver import")
    text = text.replace(
        "    rows =",
        "    for i, (_, result) in enumerate(results):\n"
        "        if task_folder(out, i).exists():\n"
        "            assert (task_folder(out, i) / 'sum').read_text() == str(result['sum'])\n    rows =",
    )
    write(home, text)
    monkeypatch.chdir(tmp_path)
    out = Path("out")
    path = experiment.run(experiment.load("dice", home), "smoke", out)
    assert (experiment.task_folder(out, 5) / "sum").is_file()
    before = path.read_text()
    shutil.rmtree(out / "files")
    assert experiment.report(experiment.load("dice", home), out).read_text() == before


# ----------------------------------------------------------------------------------------------
# The command


def test_the_command(home, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    assert command("list") == (0, "dice\n    How large are sums of dice?\n", "")
    written = str(Path("runs/dice-smoke/report.md")) + "\n"
    assert command("run", "dice", "--scale", "smoke") == (0, written, "")
    text = (tmp_path / "runs/dice-smoke/report.md").read_text()
    (tmp_path / "runs/dice-smoke/report.md").unlink()
    assert command("report", "dice", "--out", "runs/dice-smoke") == (0, written, "")
    assert (tmp_path / "runs/dice-smoke/report.md").read_text() == text
    status, out, err = command("report", "dice")
    assert (status, out) == (2, "")
    assert err.startswith(f"solver: there is no run in {home / 'dice' / 'results'}")
    shutil.copytree(tmp_path / "runs/dice-smoke", home / "dice" / "results")
    monkeypatch.setenv("SOLVER_EXPERIMENTS", str(home))
    monkeypatch.chdir(tmp_path.parent)
    status, out, _ = command("list", "--json")
    assert (status, json.loads(out)) == (
        0,
        {"name": "dice", "question": "How large are sums of dice?", "results": True},
    )
    assert command("report", "dice")[0] == 0


def test_the_command_complains_in_one_line(home, tmp_path, command):
    for words in (
        ["run", "cards", "--experiments", home],
        ["run", "dice", "--experiments", home, "--scale", "huge"],
        ["run", "dice", "--experiments", tmp_path / "nowhere"],
        ["run", "dice", "--experiments", home, "--out", home],
    ):
        status, out, err = command(*words)
        assert (status, out) == (2, "")
        assert err.startswith("solver: ")
        assert err.count("\n") == 1
    assert issubclass(ExperimentError, SolverError)
