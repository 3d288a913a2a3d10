"""A server's settings of the interpreter are there while it runs, and gone afterwards."""

import gc
import sys

from evilpegs_server.interpreter import tuned


def settings():
    return gc.get_threshold(), gc.get_freeze_count() > 0, sys.getswitchinterval()


def test_the_interpreter_is_tuned_while_a_server_runs_and_not_longer():
    before = settings()
    with tuned():
        thresholds, frozen, switch_seconds = settings()
        assert thresholds == (1_000, 10, 1_000)
        assert frozen
        assert switch_seconds < before[2]
    assert settings() == before
