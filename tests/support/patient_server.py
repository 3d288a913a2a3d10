"""Servers whose limits of time a busy machine keeps: for tests that are not about these limits.

    python patient_server.py serve --port 0 ...

The limits are those of clients who do not say hello, of a show process that says nothing, which is replaced, and of the
steps in which a server stops, but for the two that clients can use up.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest

from evilpegs.main import main
from evilpegs_server import show_process, stopping
from evilpegs_server.feed import feed, mqtt_client
from evilpegs_server.work import worker_process
from support.patience import PATIENCE

PROGRAM = __file__


def lengthen_limits(monkeypatch):
    """Lengthen the limits of the servers in this process."""
    monkeypatch.setenv("EVILPEGS_HELLO_SECONDS", str(PATIENCE))
    change = monkeypatch.setattr
    change(stopping, "OUTLET_SECONDS", 4 * PATIENCE)
    change(stopping, "WORKER_SECONDS", 2 * PATIENCE)
    change(show_process, "STOP_SECONDS", 3 * PATIENCE)
    change(show_process, "SILENT_LOOKS", PATIENCE)
    change(worker_process, "STOP_SECONDS", PATIENCE)
    change(feed, "STOP_SECONDS", PATIENCE)
    change(mqtt_client, "GOODBYE_SECONDS", PATIENCE)


if __name__ == "__main__":
    lengthen_limits(pytest.MonkeyPatch())
    stopping.force_exit_later = lambda log: None
    show_process.PROGRAM, os.environ["PYTHONPATH"] = "support.patient_show", sys.path[0]
    main()
