import tracemalloc
from contextlib import contextmanager
from types import SimpleNamespace

import pytest


@contextmanager
def _peak_of(most):
    measured = SimpleNamespace(peak=0)
    tracemalloc.start()
    try:
        yield measured
        _, measured.peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert measured.peak <= most


@pytest.fixture
def peak_of():
    """``with peak_of(most):`` what is done takes at most so many bytes at any time."""
    return _peak_of
