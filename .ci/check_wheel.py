"""What auditwheel, check-wheel-contents and twine do not look at: python .ci/check_wheel.py WHEEL..."""

import re
import sys
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

LARGEST = 1_500_000  # bytes of a wheel
SUFFIXES = {".py", ".pyi", ".pxd", ".h", ".so", ".pyd", ".typed"}
SOURCE = Path(__file__).parents[1] / "src"


def faults(path: Path) -> list[str]:
    """What is wrong with a wheel, in words."""
    found = []
    with ZipFile(path) as wheel:
        names = {PurePosixPath(name) for name in wheel.namelist() if ".dist-info/" not in name and name[-1] != "/"}
        compiled = {name: wheel.read(str(name)) for name in names if name.suffix in (".so", ".pyd")}
    modules = {name.with_name(name.name.partition(".")[0]) for name in compiled}
    if path.stat().st_size > LARGEST:
        found.append(f"{path.stat().st_size:,} bytes, more than {LARGEST:,}")
    found += [f"{name} is no part of the package" for name in names if name.parts[0] != "solver"]
    found += [f"{name} is no file of a wheel (generated C?)" for name in names if name.suffix not in SUFFIXES]
    found += [f"{name} has debug information" for name, data in compiled.items() if b".debug_info" in data]
    found += [f"{name} has no stub" for name in modules if name.with_suffix(".pyi") not in names]
    # what a checkout has for Python, type checkers and other packages' Cython is in the wheel, and every module is
    for source in sorted(SOURCE.rglob("*")):
        name = PurePosixPath(source.relative_to(SOURCE).as_posix())
        if name.suffix in SUFFIXES - {".so", ".pyd"} and name not in names:
            found.append(f"{name} is missing")
        if name.suffix == ".pyx" and name.with_suffix("") not in modules:
            found.append(f"{name} is not compiled")
    version = re.search(r'"(.+)"', (SOURCE / "solver" / "_version.py").read_text().split("=")[1])
    if version is None or path.name.split("-")[1] != version[1]:
        found.append("the version is not that of _version.py")
    return found


def main() -> int:
    """Print a line for each wheel, and what is wrong with it."""
    bad = 0
    for argument in sys.argv[1:]:
        path = Path(argument)
        print(f"{path.name}: {path.stat().st_size:,} bytes")
        for fault in faults(path):
            print(f"  {fault}")
            bad = 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
