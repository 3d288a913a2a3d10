"""No test asserts a time, so no example has a deadline. As plain Python the slow kernels get fewer examples."""

import threading
from pathlib import Path

import coverage
import numba
import pytest
from hypothesis import settings

from support.leftovers import threads_left

settings.register_profile("evilpegs", deadline=None, max_examples=20 if numba.config.DISABLE_JIT else 100)
settings.load_profile("evilpegs")


@pytest.fixture(autouse=True)
def no_thread_left():
    """Fail a test that leaves a thread behind."""
    before = threading.enumerate()
    yield
    assert threads_left(before) == []


@pytest.fixture(scope="module")
def measured_children():
    """Measure the coverage of child processes while that of the tests is measured."""
    root = Path(__file__).parents[1]
    with pytest.MonkeyPatch.context() as patch:
        if coverage.Coverage.current() is not None:
            patch.setenv("COVERAGE_PROCESS_START", str(root / "pyproject.toml"))
            patch.setenv("COVERAGE_FILE", str(root / ".coverage"))
        yield


@pytest.fixture
def keyboard():
    """A person at a real terminal."""
    from support.keyboard import Keyboard

    keyboard = Keyboard()
    yield keyboard
    keyboard.close()
