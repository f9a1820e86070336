"""Research questions that anyone can ask again: find an experiment, run it, write its report.

Used by the command `solver experiment` and by tests. An experiment is a folder with a file `run.py`; what that
has to define, and how to add one, is in docs/research.md. A run has a folder of its own: `config.json` says what
made it, `results.jsonl` has a line for each finished task, and the report is made of these two alone. A run that
was killed goes on where it was, and its files are those of an unbroken run to the byte, whatever executor it has.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import importlib.abc
import importlib.util
import inspect
import json
import os
import platform
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any, BinaryIO, NamedTuple

from solver._core import whole
from solver._lines import pack, unpack
from solver._version import __version__
from solver.archive import plain, replacing
from solver.errors import ArgumentError, ExperimentError, MissingExtraError, RecordError, SolverError

__all__ = ["SCALES", "Experiment", "Outcome", "find", "load", "read", "report", "run", "task_folder"]

SCALES = ("smoke", "small", "full")
FORMAT = 1  # of config.json and results.jsonl
CONFIG, RESULTS, REPORT = "config.json", "results.jsonl", "report.md"
PROGRAM = "run.py"
_FUNCTIONS = {"tasks": (1,), "work": (1, 2), "report": (2,)}  # with so many parameters
_WITHOUT_TASKS = ("report", "check")  # functions of a run.py on which no result hangs
_ASKED = ("format", "experiment", "scale", "config", "tasks")  # the same of a run that goes on
_MADE_BY = ("program", "versions")  # too, unless what is finished is to be kept
_POLL = 0.1  # seconds between two looks for Ctrl-C
_DYING = 0.3  # seconds in which Ctrl-C reaches both us and the workers


class Outcome(NamedTuple):
    """A task and what came of it.

    Attributes
    ----------
    task, result : dict
        As they stand in the file: JSON's own types, so no tuples, and all keys are str.
    """

    task: dict[str, Any]
    result: dict[str, Any]


# ----------------------------------------------------------------------------------------------
# Experiments


class _Loader(importlib.abc.ExecutionLoader):
    """Loads a module of text that need not be on this machine's disk."""

    def __init__(self, source: str, path: str) -> None:
        self.source, self.path = source, path

    def get_filename(self, _name: str) -> str:
        return self.path

    def get_source(self, _name: str) -> str:
        return self.source


@dataclass(frozen=True)
class Experiment:
    """A research question and the program that answers it.

    Attributes
    ----------
    name : str
        Of its folder.
    path : str
        Of its `run.py`.
    source : str
        What stands in that. All that a worker needs, so it may run on another machine.
    """

    name: str
    path: str
    source: str

    @cached_property
    def question(self) -> str:
        """The first line of the program's docstring; the program does not run for it.

        Raises
        ------
        ExperimentError
            If the program is no Python, or has no docstring.
        """
        text = ast.get_docstring(self._tree)
        if not text:
            raise ExperimentError(f"{self.path} has no docstring, whose first line is the question")
        return text.splitlines()[0]

    @property
    def folder(self) -> Path:
        """Where it stands."""
        return Path(self.path).parent

    @property
    def results(self) -> Path:
        """The folder of the run that is published with it; there need not be one."""
        return self.folder / "results"

    @cached_property
    def _tree(self) -> ast.Module:
        try:
            return ast.parse(self.source, self.path)
        except SyntaxError as error:
            raise ExperimentError(f"{self.path}, line {error.lineno}: {error.msg}") from error

    @cached_property
    def digest(self) -> str:
        """A digest of the program but for the functions `report` and `check`, on which no result depends."""
        lines = self.source.splitlines()
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef) and node.name in _WITHOUT_TASKS:
                assert node.end_lineno is not None
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        return _digest("\n".join(line for line in lines if line).encode())

    def module(self) -> ModuleType:
        """The program, loaded: once a thread.

        Raises
        ------
        ExperimentError
            If it fails, or lacks what an experiment has.
        MissingExtraError
            If it needs a package that is not installed.
        """
        # threads do not share one: the second would see what the first has loaded by half
        mark = _digest(f"{self.path}\n{self.source}".encode())
        name = f"solver_experiment_{self.name}_{mark}_{threading.get_ident()}"
        found = sys.modules.get(name)
        if found is not None:
            return found
        spec = importlib.util.spec_from_loader(name, _Loader(self.source, self.path))
        assert spec is not None
        assert spec.loader is not None
        found = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look for it there
        try:
            spec.loader.exec_module(found)
            self._check(found)
        except BaseException as error:
            del sys.modules[name]
            if not isinstance(error, Exception) or isinstance(error, (ExperimentError, MissingExtraError)):
                raise
            raise ExperimentError(f"{self.path} cannot be loaded: {_told(error, self.path)}") from error
        return found

    def _check(self, module: ModuleType) -> None:
        scales = getattr(module, "SCALES", None)
        if not isinstance(scales, dict) or set(scales) != set(SCALES):
            raise ExperimentError(f"{self.path} has no SCALES, a dict of the keys {', '.join(SCALES)}")
        for name, counts in _FUNCTIONS.items():
            function = getattr(module, name, None)
            if not callable(function) or len(inspect.signature(function).parameters) not in counts:
                how_many = " or ".join(map(str, counts))
                raise ExperimentError(f"{self.path} has no function {name} with {how_many} parameters")

    def config(self, scale: str, seed: int | None = None) -> dict[str, Any]:
        """The configuration of a scale, with another seed if one is given.

        Raises
        ------
        ExperimentError
            If it is no dict of what JSON has.
        ArgumentError
            If there is no such scale, the seed is none, or the experiment takes none.
        """
        if scale not in SCALES:
            raise ArgumentError(f"a scale is {', '.join(SCALES[:-1])} or {SCALES[-1]}, not {scale!r}")
        given = self.module().SCALES[scale]
        config = self._plain(given, f"SCALES[{scale!r}]")
        if seed is not None:
            number: int | None = whole(seed)
            if number is None or number < 0:
                raise ArgumentError(f"seed is a whole number of at least 0, not {seed!r}")
            if "seed" not in config:
                raise ArgumentError(f"{self.name} takes no seed: chance has no part in it")
            config["seed"] = number
        return config

    def tasks(self, config: dict[str, Any]) -> list[dict[str, Any]]:
        """The units of work of a configuration, in their order.

        Raises
        ------
        ExperimentError
            If they are no list of dicts of what JSON has.
        """
        given = self.module().tasks(copy.deepcopy(config))
        if not isinstance(given, list) or not given:
            raise ExperimentError(f"{self.path}: tasks gives a list of at least one dict, not {given!r:.60}")
        return [self._plain(task, f"task {number}") for number, task in enumerate(given)]

    def _plain(self, value: Any, what: str) -> dict[str, Any]:
        """A copy in JSON's types, a dict."""
        try:
            found = plain(value, what)
        except ArgumentError as error:
            raise ExperimentError(f"{self.path}: {error}") from error
        if not isinstance(found, dict):
            raise ExperimentError(f"{self.path}: {what} is {type(value).__name__}, not a dict")
        return found

    def perform(self, number: int, task: dict[str, Any], folder: str) -> dict[str, Any]:
        """Do a task; a job for an executor.

        Parameters
        ----------
        number : int
            Of the task, for errors.
        task : dict
        folder : str
            Where the task may leave files; made if the program's `work` takes it.

        Raises
        ------
        ExperimentError
            If the task fails; names it, and the line.
        """
        work = self.module().work
        given: list[Any] = [copy.deepcopy(task)]
        try:
            if len(inspect.signature(work).parameters) == 2:
                Path(folder).mkdir(parents=True, exist_ok=True)
                given.append(Path(folder))
            return self._plain(work(*given), "the result")
        except Exception as error:
            told = str(error) if isinstance(error, ExperimentError) else _told(error, self.path)
            raise ExperimentError(f"{self.name}: task {number}, {json.dumps(task)}, failed: {told}") from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _told(error: BaseException, path: str) -> str:
    """An error in words, with the last line of a program that led to it."""
    where = ""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            where = f" ({Path(path).name}, line {trace.tb_lineno})"
        trace = trace.tb_next
    return f"{type(error).__name__}: {error}{where}"


def _home(folder: str | os.PathLike[str] | None) -> Path:
    """The folder of experiments: the one given, or the first `experiments` from here upwards."""
    if folder is not None:
        if not Path(folder).is_dir():
            raise ExperimentError(f"there is no folder {os.fspath(folder)} of experiments")
        return Path(folder)
    here = Path.cwd()
    for parent in (here, *here.parents):
        if any((parent / "experiments").glob(f"*/{PROGRAM}")):
            return parent / "experiments"
    raise ExperimentError(
        "there is no folder experiments here or above; they come with the source and not with an installed package: "
        "unpack the source (pip download --no-deps --no-binary :all: cardsolver) and run this inside, "
        "or give the folder (--experiments)"
    )


def find(folder: str | os.PathLike[str] | None = None) -> list[Experiment]:
    """All experiments of a folder, by name.

    Parameters
    ----------
    folder : path-like, optional
        By default the first folder called `experiments` from the current one upwards.

    Raises
    ------
    ExperimentError
        If there is no such folder.
    """
    home = _home(folder)
    return [load(path.parent.name, home) for path in sorted(home.glob(f"*/{PROGRAM}"))]


def load(name: str, folder: str | os.PathLike[str] | None = None) -> Experiment:
    """An experiment by its name.

    Parameters
    ----------
    name : str
    folder : path-like, optional
        As in `find`.

    Raises
    ------
    ExperimentError
        If there is none of that name, or its program is no text.
    OSError
        If the program cannot be read.
    """
    home = _home(folder)
    known = sorted(path.parent.name for path in home.glob(f"*/{PROGRAM}"))
    if name not in known:
        raise ExperimentError(f"there is no experiment {name!r} in {home}; there are {', '.join(known) or 'none'}")
    path = home / name / PROGRAM
    try:
        return Experiment(name, str(path), path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ExperimentError(f"{path} is no text in UTF-8: {error}") from error


# ----------------------------------------------------------------------------------------------
# What made a run


def _versions() -> dict[str, str]:
    """What results may depend on. `library` is a digest of our files: a version may have many builds."""
    package = Path(__file__).parent
    files = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".so", ".pyd"))
    library = _digest("".join(f"{path.relative_to(package)} {_digest(path.read_bytes())}\n" for path in files).encode())
    others = {name: metadata.version(name) for name in ("numpy", "scipy")}
    return {"solver": __version__, "library": library, "python": platform.python_version(), **others}


def _machine() -> dict[str, Any]:
    """What it ran on, for whoever compares times; no names of hosts or users."""
    processor = platform.processor()
    with suppress(OSError):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        processor = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), processor)
    return {
        "system": platform.system(),
        "architecture": platform.machine(),
        "processor": processor,
        "cores": os.cpu_count(),
    }


def _revision(folder: Path) -> str | None:
    """The checkout's git revision, with ``+`` if files differ from it other than results; None outside git."""

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, timeout=30
        )
        return done.stdout.strip()

    try:
        changed = git("status", "--porcelain", "--untracked-files=no", ":/", ":(top,exclude)*/results/*")
        return git("rev-parse", "HEAD") + ("+" if changed else "")
    except (OSError, subprocess.SubprocessError):
        return None


# ----------------------------------------------------------------------------------------------
# The folder of a run


def task_folder(out: str | os.PathLike[str], number: int) -> Path:
    """The folder of a run in which a task may leave files; there need not be one.

    Parameters
    ----------
    out : path-like
        Of the run.
    number : int
        Of the task, from 0.
    """
    return Path(out) / "files" / f"{number:04d}"


def _differences(found: dict[str, Any], wanted: dict[str, Any], where: str = "") -> Iterator[str]:
    """What two descriptions of a run do not share."""
    for key in dict.fromkeys((*wanted, *found)):
        one, other = found.get(key), wanted.get(key)
        if isinstance(one, dict) and isinstance(other, dict):
            yield from _differences(one, other, f"{where}{key}.")
        elif one != other:
            yield f"another {PROGRAM}" if key == "program" else f"{where}{key} {one!r}, not {other!r}"


def _settings(out: Path) -> dict[str, Any] | None:
    """What made the run of a folder; None if there is no run."""
    try:
        found = json.loads((out / CONFIG).read_bytes())
    except FileNotFoundError:
        return None
    except ValueError as error:
        raise RecordError(f"{out / CONFIG} is damaged, or is none of an experiment: {error}") from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecordError(f"{out / CONFIG} is of no experiment's run, or of another format than {FORMAT}")
    if not isinstance(found.get("tasks"), int) or not isinstance(found.get("experiment"), str):
        raise RecordError(f"{out / CONFIG} does not say which experiment it is of, or how many tasks it has")
    return found


def _prepare(out: Path, settings: dict[str, Any], keep: bool) -> None:
    """Make the folder of a run, or see that it is one of the same."""

    def write() -> None:
        with replacing(out / CONFIG) as file:
            file.write(json.dumps(settings, indent=2).encode() + b"\n")

    found = _settings(out)
    if found is None:
        if out.exists() and any(not path.name.startswith(f".{CONFIG}") for path in out.iterdir()):
            raise ExperimentError(f"{out} holds files and no run: give an empty or a new folder")
        out.mkdir(parents=True, exist_ok=True)
        write()
        return
    asked, made_by = (
        list(_differences({key: found.get(key) for key in keys}, {key: settings[key] for key in keys}))
        for keys in (_ASKED, _MADE_BY)
    )
    if made_by and keep and not asked:
        earlier = found.get("kept", [])
        done = set(_whole(out)[0]).difference(*(part["tasks"] for part in earlier))
        by = {key: found.get(key) for key in (*_MADE_BY, "revision")}
        settings["kept"] = [*earlier, {**by, "tasks": sorted(done)}]
        write()
    elif asked or made_by:
        or_keep = "" if asked else ", or keep what is finished (--keep) if that changes no result"
        raise ExperimentError(
            f"{out} has another run, of {'; '.join(asked + made_by)}: give another folder (--out), or delete this "
            f"one{or_keep}"
        )


def _whole(out: Path) -> tuple[dict[int, Outcome], int]:
    """The finished tasks of a run by number, and the bytes up to the end of the last whole line."""
    path = out / RESULTS
    data = path.read_bytes() if path.exists() else b""
    found: dict[int, Outcome] = {}
    for line in unpack(data, path, "an experiment's results"):
        try:
            found.setdefault(int(line["number"]), Outcome(line["task"], line["result"]))
        except (KeyError, TypeError, ValueError) as error:
            raise RecordError(f"{path} has a line that is of no task: {line!r:.80}") from error
    return found, data.rfind(b"\n") + 1


def _line(number: int, outcome: Outcome) -> bytes:
    return pack({"number": number, "task": outcome.task, "result": outcome.result})


def read(out: str | os.PathLike[str]) -> tuple[dict[str, Any], list[Outcome]]:
    """What made a run, and its results in the order of the tasks.

    Parameters
    ----------
    out : path-like
        Its folder.

    Raises
    ------
    ExperimentError
        If there is no run there, or it is not finished.
    RecordError
        If a file of it is damaged.
    """
    out = Path(out)
    settings = _settings(out)
    if settings is None:
        raise ExperimentError(f"there is no run in {out}: solver experiment run makes one")
    found, _ = _whole(out)
    total = settings["tasks"]
    if sorted(found) != list(range(total)):
        raise ExperimentError(f"{out} has {len(found)} of {total} tasks: solver experiment run goes on with it")
    return settings, [found[number] for number in range(total)]


# ----------------------------------------------------------------------------------------------
# Running


def run(
    experiment: Experiment | str,
    scale: str = "small",
    out: str | os.PathLike[str] | None = None,
    *,
    seed: int | None = None,
    keep: bool = False,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Path:
    """Run an experiment, or go on with a run of it, and write its report.

    Parameters
    ----------
    experiment : Experiment or str
        A name is looked for as in `load`.
    scale : {"small", "smoke", "full"}
    out : path-like, optional
        Folder of the run, by default ``runs/NAME-SCALE``. If a run was broken off there, it goes on; if it was
        finished, its report is written anew.
    seed : int, optional
        Instead of the configuration's.
    keep : bool
        Whether to go on, too, with a run that another version of the program or of the library began. `config.json`
        then has an entry ``kept``: which tasks that one did.
    executor : concurrent.futures.Executor, optional
        Where tasks are done; by default here, one after the other. The files are the same to the byte.
    progress : callable, optional
        Called with the number of finished tasks and of all.

    Returns
    -------
    Path
        The report.

    Raises
    ------
    ExperimentError
        If the experiment is not as it should be, a task fails, or the folder is of another run: of another
        configuration, program, version or build of this library, or version of Python, numpy or scipy.
    RecordError
        If what is in the folder is damaged.
    ArgumentError
        If the scale or the seed is none.
    OSError
        If the folder cannot be written.
    KeyboardInterrupt
        After Ctrl-C; says how many tasks are done. They are kept, as they are after an error and after a kill.
    """
    if isinstance(experiment, str):
        experiment = load(experiment)
    config = experiment.config(scale, seed)
    tasks = experiment.tasks(config)
    out = Path("runs") / f"{experiment.name}-{scale}" if out is None else Path(out)
    settings = {
        "format": FORMAT,
        "experiment": experiment.name,
        "question": experiment.question,
        "scale": scale,
        "config": config,
        "tasks": len(tasks),
        "program": experiment.digest,
        "versions": _versions(),
        "machine": _machine(),
        "revision": _revision(experiment.folder),
    }
    _prepare(out, settings, keep)
    done, size = _whole(out)
    for number, outcome in done.items():
        if not 0 <= number < len(tasks) or outcome.task != tasks[number]:
            raise RecordError(f"{out / RESULTS}: line of task {number} is of another task: {outcome.task!r:.80}")
    left = [number for number in range(len(tasks)) if number not in done]
    if progress is not None:
        progress(len(done), len(tasks))
    jobs = [(number, tasks[number], str(task_folder(out.absolute(), number))) for number in left]
    try:
        with _at_once(), _appending(out / RESULTS, size) as file:
            for number, result in _here(experiment, jobs) if executor is None else _there(executor, experiment, jobs):
                done[number] = Outcome(tasks[number], result)
                file.write(_line(number, done[number]))
                file.flush()
                os.fsync(file.fileno())
                if progress is not None:
                    progress(len(done), len(tasks))
    except KeyboardInterrupt:
        kept = len(_whole(out)[0])
        raise KeyboardInterrupt(f"{kept} of {len(tasks)} tasks are done; the same command goes on from there") from None
    with replacing(out / RESULTS) as ordered:
        for number in range(len(tasks)):
            ordered.write(_line(number, done[number]))
    return report(experiment, out)


def report(experiment: Experiment | str, out: str | os.PathLike[str] | None = None) -> Path:
    """Write the report of a finished run anew, from its results alone.

    Parameters
    ----------
    experiment : Experiment or str
    out : path-like, optional
        Folder of the run; by default that of the run which is published with the experiment.

    Returns
    -------
    Path
        The report.

    Raises
    ------
    ExperimentError
        If there is no finished run of this experiment, or no report comes of it.
    RecordError
        If a file of the run is damaged.
    """
    if isinstance(experiment, str):
        experiment = load(experiment)
    out = experiment.results if out is None else Path(out)
    settings, results = read(out)
    if settings["experiment"] != experiment.name:
        raise ExperimentError(f"{out} is a run of {settings['experiment']}, not of {experiment.name}")
    experiment.module().report(results, out)
    if not (out / REPORT).is_file():
        raise ExperimentError(f"{experiment.path}: report wrote no {REPORT} into its folder")
    return out / REPORT


@contextmanager
def _appending(path: Path, size: int) -> Iterator[BinaryIO]:
    """A file to add to, cut to its whole lines."""
    with open(path, "ab") as file:
        file.truncate(size)
        yield file


@contextmanager
def _at_once() -> Iterator[None]:
    """Ctrl-C raises, also within a search or a solver that would else end early and give what it has by then.

    That would be kept as if it were the result of the whole task.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before is not signal.default_int_handler:
        yield
        return

    def stop(number: int, frame: Any) -> None:
        signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


_Jobs = list[tuple[int, dict[str, Any], str]]
_Done = Iterator[tuple[int, dict[str, Any]]]


def _here(experiment: Experiment, jobs: _Jobs) -> _Done:
    """Do the tasks in this thread."""
    for job in jobs:
        yield job[0], experiment.perform(*job)


def _there(executor: Executor, experiment: Experiment, jobs: _Jobs) -> _Done:
    """Have the tasks done by an executor; results as they come."""
    pending: dict[Future[dict[str, Any]], int] = {}
    experiment = replace(experiment)  # without what it has worked out by now
    try:
        for job in jobs:
            pending[executor.submit(_perform, experiment, *job)] = job[0]
        while pending:
            for future in wait(pending, _POLL, FIRST_COMPLETED).done:
                number = pending.pop(future)
                try:
                    result = future.result()
                except SolverError:
                    raise
                except Exception as error:  # of the executor: those of a task are told by name
                    time.sleep(_DYING)
                    raise ExperimentError(
                        f"{experiment.name}: a worker was lost with task {number}, perhaps for want of memory (fewer "
                        f"workers need less); what is finished is kept. {type(error).__name__}: {error}"
                    ) from error
                yield number, result
    except KeyboardInterrupt:
        time.sleep(_DYING)  # of a pool whose workers it has ended, futures must not be cancelled while it finds out
        raise
    finally:
        for future in pending:
            future.cancel()


def _perform(experiment: Experiment, number: int, task: dict[str, Any], folder: str) -> dict[str, Any]:
    return experiment.perform(number, task, folder)
