"""What the documentation shows is what the library does."""

import doctest
import importlib
import inspect
import re
import shlex
import sys
from pathlib import Path

import pytest

from solver import cli, games
from solver.adapters import features
from solver.errors import PositionError

ROOT = Path(__file__).parents[2]
# What needs more than the library and the tests' own packages.
EXTRAS = {
    "cluster.md": ("distributed",),
    "ecosystem.md": ("pyspiel", "pettingzoo"),
    "research.md": ("matplotlib",),
    "solver.adapters.openspiel": ("pyspiel",),
    "solver.adapters.pettingzoo": ("pettingzoo",),
}
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MODULES = [
    "solver.games.bakerstreet",
    "solver",
    "solver._core",
    "solver.adapters.features",
    "solver.adapters.openspiel",
    "solver.adapters.pettingzoo",
    "solver.agents",
    "solver.arena",
    "solver.archive",
    "solver.cfr",
    "solver.duel",
    "solver.evaluate",
    "solver.executors",
    "solver.experiment",
    "solver.explain",
    "solver.ismcts",
    "solver.online",
    "solver.games",
    "solver.games.duel",
    "solver.games.kuhn",
    "solver.games.leduc",
    "solver.games.notation",
    "solver.games.scout",
    "solver.games.scout_notation",
    "solver.pimc",
    "solver.plots",
    "solver.policy",
    "solver.protocol",
    "solver.sampling",
    "solver.solution",
    "solver.standing",
    "solver.stats",
    "solver.tables",
]


def load(name):
    """A module, or a skip where an extra of it is missing."""
    for extra in EXTRAS.get(name, ()):
        pytest.importorskip(extra)
    return importlib.import_module(name)


def documented(module):
    """(name, docstring) of a module and all it defines, compiled or not."""
    yield module.__name__, inspect.getdoc(module)
    for name, thing in vars(module).items():
        if getattr(thing, "__module__", None) == module.__name__:
            yield name, inspect.getdoc(thing)
            if inspect.isclass(thing):
                for member, value in vars(thing).items():
                    yield f"{name}.{member}", getattr(value, "__doc__", None)


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = load(name)
    runner = doctest.DocTestRunner()
    parser = doctest.DocTestParser()
    for where, text in documented(module):
        if isinstance(text, str) and ">>>" in text:
            runner.run(parser.get_doctest(text, dict(vars(module)), f"{name}.{where}", None, 0))
    assert runner.summarize(verbose=False).failed == 0


def test_some_examples_are_found():
    modules = [importlib.import_module(name) for name in MODULES if name not in EXTRAS]
    found = [module.__name__ for module in modules for _, text in documented(module) if text and ">>>" in text]
    assert {"solver._core", "solver.games.scout", "solver.ismcts", "solver.agents"} <= set(found)


@pytest.mark.needs("README.md", "docs")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_python_blocks_run(page, capsys, tmp_path, monkeypatch):
    """The blocks of a page are one program; a `text` block after one of them is what that one prints."""
    for extra in EXTRAS.get(page.name, ()):
        pytest.importorskip(extra)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```(python|text)\n(.*?)```", page.read_text(), re.DOTALL)
    names, printed, everything = {"__name__": "page"}, "", ""
    for kind, block in blocks:
        if kind == "python":
            exec(compile(block, str(page), "exec"), names)
            printed = capsys.readouterr().out
            everything += printed
        else:
            assert printed == block
    assert page.name != "README.md" or "show" in everything
    written = {"arena", "cluster", "ecosystem", "explain", "own-game", "solving", "policy-files", "research"}
    assert page.stem not in written or everything


@pytest.mark.needs("README.md", "docs")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_positions_are_read(page):
    lines = re.findall(r"(?:scout\([^)|]*\)|bakerstreet) \| [^'`\"\n]*", page.read_text())
    for line in lines:
        if "9/10" not in line:
            games.parse(line)
    assert lines or page.name not in ("README.md", "notation.md")


@pytest.mark.needs("docs/ecosystem.md")
@pytest.mark.parametrize("name", ["scout", "bakerstreet"])
def test_the_sections_of_observations_are_those_of_the_page(name):
    text = (ROOT / "docs" / "ecosystem.md").read_text()
    listed = re.findall(r"^\| (\d+) \| `(\w+)` \| ([\dx ]+) \| (.*) \|$", text, re.MULTILINE)
    at, rows = 0, []
    encoder = features.of(games.load(name))
    for section in encoder.sections:
        rows.append((str(at), section.name, " x ".join(map(str, section.shape)), section.meaning))
        at += section.size
    assert at == encoder.size
    assert f"{at:,} numbers" in text
    assert "\n".join(map(str, rows)) in "\n".join(map(str, listed))


@pytest.mark.needs("docs/notation.md")
def test_the_example_of_an_error_is_what_is_printed():
    text = (ROOT / "docs" / "notation.md").read_text()
    line, printed = re.search(r"\$ solver best '(.*)'\n\s+solver: (.*)\n", text).groups()
    with pytest.raises(PositionError) as error:
        games.parse(line)
    assert str(error.value) == printed


def blocks_of_shell():
    """(command, printed lines) of each `$ solver` example in the README."""
    lines = (ROOT / "README.md").read_text().splitlines()
    for i, line in enumerate(lines):
        if line.startswith("    $ solver "):
            printed = []
            for after in lines[i + 1 :]:
                if after.startswith("    $") or (after.strip() and not after.startswith("    ")):
                    break
                printed.append(after[4:])
            yield line[6:], "\n".join(printed).strip()


@pytest.mark.needs("README.md")
def test_the_readme_example(monkeypatch, capsys):
    """What the README shows is printed to the letter, but for the time it takes."""
    ((command, printed),) = blocks_of_shell()
    monkeypatch.setattr(sys, "argv", shlex.split(command))
    with pytest.raises(SystemExit):
        cli.main()
    out = [line.rstrip() for line in capsys.readouterr().out.rstrip().splitlines()]
    timed = re.compile(r" in [0-9.]+ s,")
    assert [timed.sub(" in T s,", line) for line in out] == [timed.sub(" in T s,", s) for s in printed.splitlines()]


@pytest.mark.needs("Makefile", "README.md")
def test_the_makefile_example_is_the_readme_example():
    example = re.search(r"^EXAMPLE := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]
    ((command, _),) = blocks_of_shell()
    assert shlex.split(command)[2] == example
