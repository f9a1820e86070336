"""Memory is flat: a short run of what `make leaks` does a million times."""

import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory in use is told by Linux")


def test_memory_does_not_grow(tmp_path):
    leaks = pytest.importorskip("tests.leaks")
    pytest.importorskip("pyarrow")
    for name, (work, times) in leaks.works(tmp_path, searches=1000, loads=50).items():
        grew, allowed = leaks.growth(work, times)
        assert grew <= allowed, name


def test_a_leak_is_seen():
    """1,000 times 100 kB that somebody holds on to: more than may lie about, freed by other tests."""
    leaks = pytest.importorskip("tests.leaks")
    held = []
    grew, allowed = leaks.growth(lambda n: held.append(b"\1" * 100_000), 1000)
    assert grew > allowed
    assert sys.getsizeof(held[0]) > 100_000
