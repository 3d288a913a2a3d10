import tracemalloc
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from support.leftovers import no_thread_left


@contextmanager
def bounded_peak(most):
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
    """A context manager: ``with peak_of(most):`` fails if its body ever holds more than ``most`` bytes."""
    return bounded_peak
