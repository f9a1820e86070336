"""Settings shared by all tests: hypothesis draws the same examples in every run; what a test needs of the checkout.

The tests also run beside an installed wheel, in a folder that holds them and little else (.ci/wheels).
"""

import gc
import signal
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None, print_blob=True)
settings.load_profile("fixed")

# Started by a script in the background they would inherit that Ctrl-C is ignored, and wait for it for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = Path(__file__).parents[1]


@pytest.fixture
def root():
    """The folder that holds `tests`, and in a checkout everything else."""
    return ROOT


def pytest_runtest_setup(item):
    # hypothesis times the garbage collector: a Ctrl-C that comes while its callback runs would be lost
    gc.callbacks[:] = [call for call in gc.callbacks if "hypothesis" not in str(getattr(call, "__module__", ""))]
    for mark in item.iter_markers("needs"):
        for path in mark.args:
            if not (ROOT / path).exists():
                pytest.skip(f"needs {path} of the checkout")
