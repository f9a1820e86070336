"""The house rules that a machine can check: imports run one way, no state at module level, stubs are true."""

import ast
import subprocess
import sys
from importlib import metadata
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import solver

SOURCE = Path(__file__).parents[2] / "src" / "solver"
PACKAGE = Path(solver.__file__).parent

# Each room may import from the rooms before it. `errors` and `protocol` import nothing.
ORDER = [
    "errors",
    "protocol",
    "_version",
    "_core",
    "_protocol_checks",
    "_extras",
    "runs",
    "_lines",
    "_html",
    "_html_games",
    "archive",
    "frames",
    "games",
    "_policy_columns",
    "_parquet_footer",
    "_policy_formats",
    "_policy_games",
    "policy",
    "_ismcts",
    "_ismcts_twin",
    "_explain_text",
    "_explain_scout",
    "_explain_bakerstreet",
    "explain",
    "ismcts",
    "_pimc",
    "pimc",
    "tree",
    "tree_walk",
    "symmetry",
    "_cfr",
    "executors",
    "solution",
    "evaluate",
    "_sampling",
    "sampling",
    "cfr",
    "online",
    "_duel",
    "duel",
    "asking",
    "agents",
    "stats",
    "_arena_tables",
    "_arena_record",
    "standing",
    "arena",
    "tables",
    "plots",
    "policy_plots",
    "experiment",
    "adapters",
    "bench",
    "play",
    "console",
    "cli_solve",
    "cli_arena",
    "cli_experiment",
    "cli",
    "__main__",
]
NOTHING = {"errors", "protocol", "_version"}


def room(path):
    """The room a source file belongs to."""
    first = path.relative_to(SOURCE).parts[0]
    return first.split(".")[0]


def imported(path):
    """Rooms of `solver` that a file imports or cimports."""
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "solver":
                parts = node.module.split(".")[1:]
                yield from [parts[0]] if parts else [alias.name for alias in node.names]
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "solver":
                        yield alias.name.partition(".")[2].partition(".")[0]
        return
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["from"] and words[1].split(".")[0] == "solver" and words[2] in ("import", "cimport"):
            parts = words[1].split(".")[1:]
            yield from parts[:1] if parts else [word.strip(",") for word in words[3:]]


def sources(*suffixes):
    found = [p for p in sorted(SOURCE.rglob("*")) if p.suffix in suffixes and p.name != "__init__.py"]
    return found or [SOURCE]  # where there are none, one test is skipped and says why


@pytest.mark.needs("src/solver")
@pytest.mark.parametrize("path", sources(".py", ".pyx", ".pxd"), ids=lambda p: p.name)
def test_imports_run_one_way(path):
    here = ORDER.index(room(path))
    for other in imported(path):
        assert other in ORDER, f"{path.name} imports {other}, which has no place in the order"
        assert ORDER.index(other) <= here, f"{path.name} imports {other}, which comes later"
        assert room(path) not in NOTHING, f"{path.name} imports {other}"


@pytest.mark.needs("src/solver")
def test_games_know_no_solver():
    for path in sources(".py", ".pyx", ".pxd"):
        if room(path) == "games":
            assert not {"ismcts", "_ismcts", "agents"} & set(imported(path))


@pytest.mark.needs("src/solver")
@pytest.mark.parametrize("path", sources(".py", ".pyx"), ids=lambda p: p.name)
def test_nothing_unpickles_or_evaluates(path):
    text = path.read_text()
    for word in ("import pickle", "pickle.load", "eval(", "exec(", "allow_pickle=True"):
        assert word not in text


def test_stubs_match_the_compiled_modules():
    """mypy's stubtest over every compiled module that is installed."""
    compiled = [p for suffix in EXTENSION_SUFFIXES for p in PACKAGE.rglob(f"*{suffix}")]
    modules = sorted(
        {".".join(["solver", *p.parent.relative_to(PACKAGE).parts, p.name.split(".")[0]]) for p in compiled}
    )
    assert len(modules) >= 14
    allow = Path(__file__).parents[1] / "stubtest_allowlist.txt"
    command = [sys.executable, "-m", "mypy.stubtest", *modules, "--allowlist", str(allow)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_import_brings_in_nothing_heavy():
    """scipy, rich and typer wait until they are needed."""
    code = "import sys, solver; print([m for m in ('scipy', 'rich', 'typer', 'matplotlib') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.needs("CITATION.cff", "CHANGELOG.md")
def test_the_version_stands_in_one_place_and_is_told_alike(root):
    assert metadata.version("cardsolver") == solver.__version__
    assert f"\nversion: {solver.__version__}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {solver.__version__} (" in (root / "CHANGELOG.md").read_text()
