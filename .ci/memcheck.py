"""`make memcheck`: searches, solves and loads under valgrind; what our C reads unset or wrongly, or never frees.

The interpreter keeps much until it ends, so only what our own extensions do counts: an error whose first frame is in
one of them, memory that is lost and was asked for by one of them. What Python's objects leak, `make leaks` finds.
Valgrind must be installed (it is no Python package).
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import solver

HOME = str(Path(solver.__file__).parent)
SHOWN = 10
# what stands between us and the memory
ASKING = ("malloc", "calloc", "realloc", "PyMem_", "_PyMem_", "PyObject_Malloc", "PyObject_Calloc")


def ours(error: ElementTree.Element) -> bool:
    """Whether the first frame that is not an allocator's is in one of our extensions."""
    for frame in error.iterfind("stack[1]/frame"):
        if not (frame.findtext("fn") or "").startswith(ASKING):
            return (frame.findtext("obj") or "").startswith(HOME)
    return False


def told(error: ElementTree.Element) -> str:
    """An error as text: what, and where."""
    what = error.findtext("what") or error.findtext("xwhat/text") or "?"
    frames = [
        f"    {frame.findtext('fn') or '?'} ({frame.findtext('file') or Path(frame.findtext('obj') or '?').name}"
        f":{frame.findtext('line') or '?'})"
        for frame in error.iterfind("stack[1]/frame")
    ]
    return "\n".join([f"{error.findtext('kind')}: {what}", *frames[:12]])


def main() -> int:
    """Run it; 1 if there is anything of ours."""
    parser = argparse.ArgumentParser(prog=".ci/memcheck.py", description=__doc__)
    parser.add_argument("--searches", type=int, default=2000, help="as for `python -m tests.leaks`")
    parser.add_argument("--loads", type=int, default=20)
    given = parser.parse_args()
    if not shutil.which("valgrind"):
        print("valgrind is needed: install it (Debian: apt install valgrind)", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        words = ["--leak-check=full", "--show-leak-kinds=definite,possible", "--num-callers=20", "--error-limit=no"]
        command = ["valgrind", "-q", *words, "--xml=yes", f"--xml-file={report}", sys.executable, "-m", "tests.leaks"]
        command += ["--searches", str(given.searches), "--loads", str(given.loads)]
        # memory grows under valgrind, which the run then says: here that does not count
        done = subprocess.run(command, env=os.environ | {"PYTHONMALLOC": "malloc"}, check=False)
        errors = ElementTree.parse(report).getroot().findall("error")
    if done.returncode not in (0, 1):
        print(f"the run ended with status {done.returncode}")
        return 1
    found = [error for error in errors if ours(error)]
    for error in found[:SHOWN]:
        print(told(error))
    if len(found) > SHOWN:
        print(f"... and {len(found) - SHOWN} more")
    if found:
        print("names of functions and lines: install with CFLAGS=-g")
    print(f"{len(found)} reports of our extensions, {len(errors) - len(found)} of others")
    return min(1, len(found))


if __name__ == "__main__":
    sys.exit(main())
