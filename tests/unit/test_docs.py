"""What the documentation shows is what the library does."""

import doctest
import importlib
import importlib.util
import inspect
import re
import shlex
import sys
from pathlib import Path

import pytest
import typer

from solver import Rng, cli, games, scout
from solver.adapters import features
from solver.errors import PositionError

ROOT = Path(__file__).parents[2]
# What needs more than the library and the tests' own packages.
EXTRAS = {
    "cluster.md": ("distributed",),
    "tables.md": ("pandas", "polars", "pyarrow"),
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
    "solver.frames",
    "solver.ismcts",
    "solver.online",
    "solver.games",
    "solver.games.bidding_round",
    "solver.games.duel",
    "solver.games.kuhn",
    "solver.games.leduc",
    "solver.games.notation",
    "solver.games.scout",
    "solver.games.scout_notation",
    "solver.pimc",
    "solver.plots",
    "solver.policy",
    "solver.policy_plots",
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
    written = {
        "arena",
        "cluster",
        "ecosystem",
        "explain",
        "index",
        "own-game",
        "policy-files",
        "research",
        "solving",
        "start",
        "tables",
    }
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


def part_of_the_build(name):
    """A module of docs/_ext, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / "_ext" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def names():
    return part_of_the_build("names")


@pytest.mark.needs("docs/_ext")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_names_in_pages_exist(names, page):
    for extra in EXTRAS.get(page.name, ()):
        pytest.importorskip(extra)
    assert names.unknown(page) == []


@pytest.mark.needs("docs/_ext")
@pytest.mark.parametrize(
    "text",
    [
        "cfr.nash_con",
        "solver.cfr.Tree.nodes_of",
        "solver.nothing",
        "position.peek()",
        "scout.Game.dealt(seed=1)",
        "scout.parsed('...')",
    ],
)
def test_a_name_that_is_gone_is_found(names, tmp_path, text):
    page = tmp_path / "page.md"
    page.write_text(f"The answer is in `{text}`.\n")
    (found,) = names.unknown(page)
    assert found.startswith(text)


@pytest.mark.needs("docs/_ext")
@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("cfr.nash_conv", "solver.cfr.nash_conv"),
        ("solver.evaluate.nash_conv(tree, policy)", "solver.cfr.nash_conv"),
        ("PolicyTable", "solver.policy.PolicyTable"),
        ("scout.Game.deal", "solver.games.scout.Game.deal"),
        ("position.bid_odds()", "solver.games.bakerstreet.Position.bid_odds"),
        ("standing.pairs", "solver.arena.Standing.pairs"),
        ("solver.cfr", "solver.cfr"),
        ("leduc.policy", None),  # a file
        ("numpy.load(path)", None),
        ("greedy", None),
    ],
)
def test_where_a_name_leads(names, text, home):
    found = names.look_up(text)
    assert (str(found) if found else None) == home


@pytest.mark.needs("docs/_ext")
def test_every_public_module_has_a_page(names):
    listed = names.modules()
    assert len(listed) == len(set(listed))
    # of a package whose parts are listed nothing is left to say
    assert {*names.public_modules(), "solver"} - names.COMMAND - {"solver.adapters"} == set(listed)


@pytest.mark.needs("docs/_ext")
def test_signatures_of_compiled_things_have_types():
    signature = part_of_the_build("stubs").signature
    assert signature(scout.parse, "parse") == ("(text: str)", "Position")
    assert signature(scout.State.clone, "clone") == ("()", "State")
    given, result = signature(scout.Game.playouts, "playouts")
    assert given.startswith("(n: int, seed: int | Sequence[int] | np.random.SeedSequence | Rng | None=0, ")
    assert result == "Playouts"
    assert signature(scout.Game, "Game")[0].startswith("(players: int=4, rounds: ")  # of its base
    assert signature(scout.Position, "Position") == ("()", None)  # nobody makes one by hand
    assert signature(Rng, "Rng")[1] is None
    assert signature(cli.main, "main") is None  # not compiled


@pytest.mark.needs("docs/_ext")
def test_experiments_become_pages(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    pages = part_of_the_build("pages")
    monkeypatch.setattr(pages, "ROOT", tmp_path)
    monkeypatch.setattr(pages, "EXPERIMENTS", tmp_path / "docs" / "experiments")
    one = tmp_path / "experiments" / "one"
    one.mkdir(parents=True)
    (one.parent / "README.md").write_text("# Questions\n\nSee [arena](../docs/arena.md).\n")
    (one / "README.md").write_text("# One\n\n![a](a.png) [b](../../docs/online.md) [c](../../src/solver/cfr.py)\n")
    (one / "a.png").write_bytes(b"picture")
    pages.write_experiments()
    made = pages.EXPERIMENTS
    assert (made / "index.md").read_text().startswith("# Questions\n\nSee [arena](../arena.md).\n\n```{toctree}\n")
    # one folder deeper than it was, but for the pages, which came nearer
    text = (made / "one" / "README.md").read_text()
    assert text == "# One\n\n![a](a.png) [b](../../online.md) [c](../../../src/solver/cfr.py)\n"
    assert (made / "one" / "a.png").read_bytes() == b"picture"


@pytest.mark.needs("docs/_ext")
def test_a_page_that_the_first_page_does_not_list_is_listed(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    pages = part_of_the_build("pages")
    listed = re.findall(r"\w[\w-]*", pages.with_others("The arena <arena>\n(others)\n").partition("\n")[2])
    assert "online" in listed
    assert not {"arena", "index", "others"} & set(listed)
    first = (ROOT / "docs" / "index.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.stem == "index" or re.search(rf"^(.+ <)?{page.stem}>?$", pages.with_others(first), re.MULTILINE)


def parsed(line):
    """What a line for a shell says to `solver`, as the command itself reads it; its words."""
    words = shlex.split(line, comments=True)
    for end in ("|", "<", ">"):
        words = words[: words.index(end)] if end in words else words
    command, rest = typer.main.get_command(cli.app), words[1:]
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        command, rest = command.commands[rest[0]], rest[1:]
    if rest[:1] == ["--version"] or rest[:1] == ["--install-completion"]:
        return words
    command.make_context(" ".join(words), rest)
    return words


@pytest.mark.needs("README.md", "docs")
@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_commands_in_pages_are_commands(page):
    lines = re.findall(r"^    (?:\$ )?((?:\S+/bin/)?solver [a-z-].*)$", page.read_text(), re.MULTILINE)
    for line in lines:
        assert parsed(line)
    options = {option for each in commands() for parameter in each.params for option in parameter.opts}
    for option in re.findall(r"`(--[a-z][a-z-]*)", page.read_text()):
        assert option in options | {"--no-duplicate", "--install-completion", "--help"}, option
    assert lines or page.name not in ("README.md", "start.md", "recipes.md", "arena.md")


def commands(command=None):
    """Every command of `solver`."""
    command = command or typer.main.get_command(cli.app)
    yield command
    for each in getattr(command, "commands", {}).values():
        yield from commands(each)
