"""The extension modules; everything else stands in pyproject.toml."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# A build that checks every index and what the kernels assert: SOLVER_DEBUG=1 pip install .
DEBUG = os.environ.get("SOLVER_DEBUG", "") not in ("", "0")
# C that says of each line which line of Cython it comes from, for gcov: .ci/coverage.py
LINES = os.environ.get("SOLVER_LINES", "") not in ("", "0")
JOBS = os.cpu_count() or 1

HEADERS = [
    f"src/solver/{name}.h"
    for name in (
        *("_bits", "_barrier", "_duel_rows", "_duel_walk"),
        *("games/_scout_ahead", "games/_scout_learnt", "games/_scout_net"),
    )
]
MODULES = {
    "solver._core": ["src/solver/_core.pyx"],
    "solver.games.ops": ["src/solver/games/ops.pyx"],
    "solver.games._scout": ["src/solver/games/_scout.pyx"],
    "solver.games._scout_options": ["src/solver/games/_scout_options.pyx"],
    "solver.games._scout_policy": ["src/solver/games/_scout_policy.pyx"],
    "solver.games._scout_learnt": ["src/solver/games/_scout_learnt.pyx"],
    "solver.games._scout_lessons": ["src/solver/games/_scout_lessons.pyx"],
    "solver.games._scout_search": ["src/solver/games/_scout_search.pyx"],
    "solver.games._scout_walk": ["src/solver/games/_scout_walk.pyx"],
    "solver.games.scout": ["src/solver/games/scout.pyx"],
    "solver.games._bakerstreet": ["src/solver/games/_bakerstreet.pyx"],
    "solver.games._bakerstreet_policy": ["src/solver/games/_bakerstreet_policy.pyx"],
    "solver.games.bakerstreet": ["src/solver/games/bakerstreet.pyx"],
    "solver._cfr": ["src/solver/_cfr.pyx"],
    "solver._sampling": ["src/solver/_sampling.pyx"],
    "solver._duel": ["src/solver/_duel.pyx"],
    "solver._ismcts": ["src/solver/_ismcts.pyx"],
    "solver._pimc": ["src/solver/_pimc.pyx"],
}
# Loops over two or three actions: vectorised they take a quarter longer (gcc 12, 14).
SHORT_LOOPS = {"solver._cfr"}
# What Cython would put into every module, above all its memory views, once: a module that Cython writes as a whole.
SHARED = "solver._cyutility"
# Doors, whose loops are in the modules behind them: -O3 makes them a seventh larger, not faster; -Os makes calls from
# Python slower, also through the shared module, which every call passes.
DOORS = {
    SHARED,
    "solver._core",
    "solver.games.scout",
    "solver.games.bakerstreet",
    "solver.games._scout_lessons",
    "solver.games._scout_options",
}


def flags(module: str, msvc: bool) -> tuple[list[str], list[str]]:
    """What a module is compiled and linked with. Never -march=native: a wheel runs on every machine of its kind."""
    # The Python that builds says -DNDEBUG, as a rule; here it is said in any case, or taken back.
    if msvc:
        return ["/Od" if DEBUG else "/O2", "/fp:precise", "/UNDEBUG" if DEBUG else "/DNDEBUG"], []
    # These come after CFLAGS on the command line, so what CFLAGS say of the same kind silences them.
    asked = os.environ.get("CFLAGS", "").split()
    level = "-O1" if DEBUG else "-O2" if module in DOORS else "-O3"
    symbols = DEBUG or any(flag.startswith("-g") for flag in asked)
    compile_args = [] if any(flag.startswith("-O") for flag in asked) else [level]
    compile_args += ["-g" if symbols else "-g0", "-UNDEBUG" if DEBUG else "-DNDEBUG"]
    # no fused multiply-add: the same bits from every compiler and on every machine
    compile_args.append("-ffp-contract=off")
    if module in SHORT_LOOPS:
        compile_args.append("-fno-tree-vectorize")
    if sys.platform != "linux" or symbols:
        return compile_args, []
    # What is read by debuggers and by C++ exceptions, of which none passes through here, and a table of symbols that
    # nothing reads: a twentieth of a wheel each.
    compile_args += ["-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]
    return compile_args, ["-Wl,--strip-all"]


class Build(build_ext):
    """Flags by the compiler that is used, which on Windows need not be MSVC; modules side by side."""

    def build_extensions(self):
        """Called when the compiler is known."""
        msvc = self.compiler.compiler_type == "msvc"
        if not msvc:
            self.parallel = self.parallel or JOBS
        for extension in self.extensions:
            extension.extra_compile_args, extension.extra_link_args = flags(extension.name, msvc)
        super().build_extensions()


extensions = [Extension(SHARED, [f"src/{SHARED.replace('.', '/')}.c"])]
extensions += [
    Extension(name, sources, include_dirs=["src/solver"], depends=HEADERS) for name, sources in MODULES.items()
]

setup(
    cmdclass={"build_ext": Build},
    ext_modules=cythonize(
        extensions,
        # Cython goes by the dates of files: with other directives it must write elsewhere.
        build_dir="build/c-debug" if DEBUG else "build/c-lines" if LINES else "build/c",
        emit_linenums=LINES,
        shared_utility_qualified_name=SHARED,
        # Elsewhere a new process would read this file again.
        nthreads=JOBS if sys.platform == "linux" else 0,
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
