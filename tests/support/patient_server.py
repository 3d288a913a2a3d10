"""Servers whose limits of time a busy machine keeps: for tests that are not about these limits.

    python patient_server.py serve --port 0 ...

The limits are those of clients who do not say hello, of a show process that says nothing, which is replaced, and of the
steps in which a server stops, but for the two that clients can use up.
"""

import os
import sys
from functools import partial
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import pytest

from evilpegs.commands import serve
from evilpegs.main import main
from evilpegs_server import show_process
from evilpegs_server.feed import feed, mqtt_client
from evilpegs_server.server import serve_until_stopped
from evilpegs_server.timing import Timing
from support.patience import PATIENCE

PROGRAM = __file__
PATIENT = Timing(
    outlet_seconds=4 * PATIENCE,
    worker_seconds=2 * PATIENCE,
    show_stop_seconds=3 * PATIENCE,
    silent_looks=int(PATIENCE),
    export_seconds=PATIENCE,
    stop_seconds=20 * PATIENCE,
)


def lengthen_limits(monkeypatch):
    """Lengthen the limits of the servers in this process."""
    monkeypatch.setenv("EVILPEGS_HELLO_SECONDS", str(PATIENCE))
    change = monkeypatch.setattr
    change(feed, "STOP_SECONDS", PATIENCE)
    change(mqtt_client, "GOODBYE_SECONDS", PATIENCE)


if __name__ == "__main__":
    lengthen_limits(pytest.MonkeyPatch())
    serve.serve_until_stopped = partial(serve_until_stopped, timing=PATIENT)
    show_process.PROGRAM, os.environ["PYTHONPATH"] = "support.patient_show", sys.path[0]
    main()
