"""Signals reach the children of tests also where a shell started the tests in the background."""

import subprocess
import sys

from support.patience import PATIENCE

ASKING = "import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
INNER = f"{__file__}::test_child_does_not_ignore_sigint"


def run_ignoring_sigint(*command):
    """Run a command as a shell runs it in the background, and return what it printed."""
    script = 'trap "" INT; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "sh", *command], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.stdout


def test_child_does_not_ignore_sigint():
    done = subprocess.run([sys.executable, "-c", ASKING], capture_output=True, text=True, check=True, timeout=PATIENCE)
    assert done.stdout == "False\n"


def test_background_tests_start_children_that_hear_sigint():
    assert "1 passed" in run_ignoring_sigint(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", INNER)


def test_ignored_sigint_is_inherited():
    """The control of the test above."""
    assert run_ignoring_sigint(sys.executable, "-c", ASKING) == "True\n"
