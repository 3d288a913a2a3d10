"""The interpreter is tune_gc_and_gil while a server runs and has its former settings afterwards."""

import gc
import sys

import pytest

from evilpegs_server.work.interpreter import tune_gc_and_gil


def settings():
    return gc.get_threshold(), gc.get_freeze_count() > 0, sys.getswitchinterval()


@pytest.fixture
def plain_interpreter():
    """The settings of a fresh interpreter, whatever servers of other tests have left running."""
    thresholds, switch_seconds = gc.get_threshold(), sys.getswitchinterval()
    gc.unfreeze()
    gc.set_threshold(700, 10, 10)
    sys.setswitchinterval(0.005)
    yield
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(switch_seconds)


def test_tuned_settings_last_only_within_block(plain_interpreter):
    before = settings()
    with tune_gc_and_gil():
        thresholds, frozen, switch_seconds = settings()
        assert thresholds == (1_000, 10, 100)
        assert frozen
        assert switch_seconds < before[2]
    assert settings() == before
