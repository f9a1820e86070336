"""Memory is flat: a short run of what `make leaks` does a million times."""

import mmap
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
    """1,000 times 100 kB that somebody holds on to, of pages that no other test has left behind."""
    leaks = pytest.importorskip("tests.leaks")
    held = []

    def hold(number):
        held.append(mmap.mmap(-1, 100_000))
        held[-1].write(b"\1" * 100_000)

    grew, allowed = leaks.growth(hold, 1000)
    assert grew > allowed
    assert len(held) == 1000
