"""The extension modules; everything else stands in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

# A build that checks every index and runs C assertions: SOLVER_DEBUG=1 pip install .
DEBUG = os.environ.get("SOLVER_DEBUG", "") not in ("", "0")

if sys.platform == "win32":
    COMPILE_ARGS = ["/Od"] if DEBUG else ["/O2"]
else:
    # no fused multiply-add: the same bits from every compiler and on every machine
    COMPILE_ARGS = [*(["-O1", "-g"] if DEBUG else ["-O3", "-g0"]), "-ffp-contract=off"]

# Loops over two or three actions: vectorised they take a quarter longer (gcc 12, 14).
SHORT_LOOPS = [] if sys.platform == "win32" else ["-fno-tree-vectorize"]
FLAGS = {"solver._cfr": SHORT_LOOPS}

HEADERS = [f"src/solver/{name}.h" for name in ("_bits", "_barrier", "_duel_rows", "_duel_walk")]
MODULES = {
    "solver._core": ["src/solver/_core.pyx"],
    "solver.games.ops": ["src/solver/games/ops.pyx"],
    "solver.games._scout": ["src/solver/games/_scout.pyx"],
    "solver.games._scout_options": ["src/solver/games/_scout_options.pyx"],
    "solver.games._scout_policy": ["src/solver/games/_scout_policy.pyx"],
    "solver.games._scout_walk": ["src/solver/games/_scout_walk.pyx"],
    "solver.games.scout": ["src/solver/games/scout.pyx"],
    "solver.games._bakerstreet": ["src/solver/games/_bakerstreet.pyx"],
    "solver.games._bakerstreet_policy": ["src/solver/games/_bakerstreet_policy.pyx"],
    "solver.games.bakerstreet": ["src/solver/games/bakerstreet.pyx"],
    "solver._cfr": ["src/solver/_cfr.pyx"],
    "solver._sampling": ["src/solver/_sampling.pyx"],
    "solver._duel": ["src/solver/_duel.pyx"],
    "solver._ismcts": ["src/solver/_ismcts.pyx"],
}

extensions = [
    Extension(
        name,
        sources,
        include_dirs=["src/solver"],
        depends=HEADERS,
        extra_compile_args=COMPILE_ARGS + FLAGS.get(name, []),
    )
    for name, sources in MODULES.items()
]

setup(
    ext_modules=cythonize(
        extensions,
        build_dir="build/cython",
        nthreads=0 if sys.platform == "win32" else os.cpu_count() or 1,
        compiler_directives={
            "language_level": 3,
            "boundscheck": DEBUG,
            "wraparound": False,
            "initializedcheck": DEBUG,
            "cdivision": True,
            "freethreading_compatible": False,
        },
    ),
)
