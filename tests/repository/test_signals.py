"""Signals reach the children of tests also where the tests were started in the background, or by nohup."""

import subprocess
import sys

import pytest

from support.patience import PATIENCE

ASKING = "import signal; print(*(signal.getsignal(each) is signal.SIG_IGN for each in (signal.SIGINT, signal.SIGHUP)))"
INNER = f"{__file__}::test_child_ignores_no_signal"


def run_ignoring_signals(*command):
    """Run a command with SIGINT and SIGHUP ignored, and return what it printed."""
    script = 'trap "" INT HUP; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *command], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.stdout


def test_child_ignores_no_signal():
    done = subprocess.run([sys.executable, "-c", ASKING], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "False False\n"


@pytest.mark.full
def test_background_tests_start_children_that_hear_signals():
    assert "1 passed" in run_ignoring_signals(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", INNER)


def test_ignored_signals_are_inherited():
    """The control of the test above."""
    assert run_ignoring_signals(sys.executable, "-c", ASKING) == "True True\n"
