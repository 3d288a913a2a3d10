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

from evilpegs.commands import serve
from evilpegs.main import main
from evilpegs_server.server import serve_until_stopped
from evilpegs_server.timing import Timing
from support.patience import PATIENCE

PROGRAM = __file__
PATIENT = Timing(
    silent_looks=int(PATIENCE),
    outlet_seconds=4 * PATIENCE,
    feed_stop_seconds=PATIENCE,
    goodbye_seconds=PATIENCE,
    show_stop_seconds=3 * PATIENCE,
    worker_seconds=2 * PATIENCE,
    export_seconds=PATIENCE,
    stop_seconds=20 * PATIENCE,
)


if __name__ == "__main__":
    os.environ["EVILPEGS_HELLO_SECONDS"] = str(PATIENCE)
    serve.serve_until_stopped = partial(serve_until_stopped, timing=PATIENT)
    main()
