"""The interpreter is tune_gc_and_gil while a server runs and has its former settings afterwards."""

import gc
import sys

from evilpegs_server.work.interpreter import tune_gc_and_gil


def settings():
    return gc.get_threshold(), gc.get_freeze_count() > 0, sys.getswitchinterval()


def test_tuned_settings_last_only_within_block():
    before = settings()
    with tune_gc_and_gil():
        thresholds, frozen, switch_seconds = settings()
        assert thresholds == (1_000, 10, 1_000)
        assert frozen
        assert switch_seconds < before[2]
    assert settings() == before
