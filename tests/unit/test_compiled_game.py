"""Other packages may `cimport` the contract: docs/compiled-game.md is built outside the tree and its game searched."""

import re
import shutil
import subprocess
import sys
import sysconfig
from importlib.resources import files
from pathlib import Path

import pytest

PAGE = Path("docs/compiled-game.md")
COMPILER = (sysconfig.get_config_var("CC") or "cc").split()[0]

GROW = """
import highest
from solver import Rng, _ismcts
tree = _ismcts.Tree(highest.Position(3).search_root(), Rng(1), 99)
tree.run(500)
print(tree.iterations, tree.num_nodes)  # the root; pass and bet; fold and call
"""


def run(folder, *command):
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "name", ["_core.pxd", "_bits.h", "_ismcts.pxd", "games/ops.pxd", "games/_scout.pxd", "py.typed"]
)
def test_the_package_has_what_others_compile_against(name):
    assert files("solver").joinpath(name).is_file()


@pytest.mark.needs(str(PAGE))
@pytest.mark.skipif(
    sys.platform != "win32" and shutil.which(COMPILER) is None, reason=f"there is no C compiler called {COMPILER}"
)
def test_a_game_built_outside_the_tree_is_searched(tmp_path, root):
    pytest.importorskip("Cython", reason="Cython is not installed")
    pytest.importorskip("setuptools", reason="setuptools is not installed")
    blocks = re.findall(r"```(cython|py|txt)\n(.*?)```", (root / PAGE).read_text(), re.DOTALL)
    assert [kind for kind, _ in blocks] == ["cython", "py", "py", "txt"]
    for name, (_, text) in zip(["highest.pyx", "setup.py", "search.py"], blocks, strict=False):
        (tmp_path / name).write_text(text)
    run(tmp_path, "setup.py", "-q", "build_ext", "--inplace")
    assert run(tmp_path, "search.py") == blocks[3][1]
    grown = (
        "import highest, solver; t = solver.ismcts._ismcts.Tree(highest.Position(3).search_root(), solver.Rng(1), 99)"
    )
    assert run(tmp_path, "-c", grown + "; t.run(500); print(t.iterations, t.num_nodes)") == "500 5\n"
    with pytest.raises(AssertionError, match=r"ValueError: a card is 1\.\.6"):
        run(tmp_path, "-c", "import highest; highest.Position(7)")
