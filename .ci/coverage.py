"""Lines that the tests run, by file, of Python and of Cython: `python .ci/coverage.py [PYTEST ARGUMENT ...]`.

The extensions are built beside the usual ones for gcov, with C that knows which line of a .pyx, .pxd or header it comes
from. A line of an inlined function counts as run if it is in any of the modules that have it. What a process does that
ends by os._exit or a signal, as the workers of pools do, is not seen.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "coverage"
SOURCE, SITE = WORK / "source", WORK / "site"


def build() -> None:
    """The extensions, each with its notes for gcov."""
    shutil.rmtree(WORK, ignore_errors=True)
    SOURCE.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, SOURCE)
    shutil.copytree(ROOT / "src", SOURCE / "src", ignore=shutil.ignore_patterns("*.egg-info", "__pycache__"))
    flags = {"CFLAGS": "--coverage -O1 -fprofile-update=atomic", "LDFLAGS": "--coverage", "SOLVER_LINES": "1"}
    command = [sys.executable, "-m", "pip", "-q", "install", "--disable-pip-version-check", "--no-build-isolation"]
    subprocess.run([*command, "--no-deps", "--target", SITE, "."], cwd=SOURCE, env=os.environ | flags, check=True)


def test(arguments: list[str]) -> int:
    """Run the tests; what pytest returns."""
    environment = {**os.environ, "PYTHONPATH": str(SITE), "COVERAGE_FILE": str(WORK / "python")}
    command = [sys.executable, "-m", "coverage", "run", "--source", str(SITE / "solver"), "-m", "pytest", "-q"]
    done = subprocess.run([*command, "-p", "no:cacheprovider", *arguments], cwd=ROOT, env=environment, check=False)
    command = [sys.executable, "-m", "coverage", "json", "-q", "-o", str(WORK / "python.json")]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return done.returncode


def python_lines() -> dict[str, dict[int, bool]]:
    """Lines of Python files, and whether they were run."""
    found = json.loads((WORK / "python.json").read_text(encoding="utf-8"))["files"]
    result = {}
    for path, of in found.items():
        name = path.partition("site/solver/")[2]
        result[name] = {**dict.fromkeys(of["executed_lines"], True), **dict.fromkeys(of["missing_lines"], False)}
    return result


def compiled_lines() -> dict[str, dict[int, bool]]:
    """Lines of Cython and C, and whether they were run."""
    result: dict[str, dict[int, bool]] = defaultdict(dict)
    for notes in sorted(SOURCE.rglob("*.gcda")):
        command = ["gcov", "--json-format", "--stdout", str(notes)]
        done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=True)
        for text in done.stdout.splitlines():
            for file in json.loads(text)["files"]:
                _, ours, name = file["file"].rpartition("solver/")  # Cython leaves out where the package stands
                if ours and (SOURCE / "src" / "solver" / name).is_file():
                    for line in file["lines"]:
                        number = line["line_number"]
                        result[name][number] = result[name].get(number, False) or line["count"] > 0
    return result


def main() -> None:
    """Build, test, and print the table."""
    build()
    failed = test(sys.argv[1:])
    lines = {**python_lines(), **compiled_lines()}
    table = [f"{'file':36} {'lines':>6} {'run':>6}        not run"]
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, of in sorted(lines.items()):
        run = sum(of.values())
        missing = ", ".join(map(str, sorted(number for number, seen in of.items() if not seen)))
        table.append(f"{name:36} {len(of):6} {100 * run / max(len(of), 1):6.1f} %      {missing}")
        total = totals["Python" if name.endswith(".py") else "Cython and C"]
        total[0] += len(of)
        total[1] += run
    for name, (count, run) in totals.items():
        table.append(f"{name:36} {count:6} {100 * run / count:6.1f} %")
    text = "\n".join(table) + "\n"
    (WORK / "report.txt").write_text(text, encoding="utf-8")
    print("\n".join(line if len(line) <= 100 else line[:97] + "..." for line in table))
    sys.exit(failed)


if __name__ == "__main__":
    main()
