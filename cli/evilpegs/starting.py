"""The start of the command: Ctrl-C ends it at once, without a traceback, while it imports what it needs.

Until then KeyboardInterrupt would be raised inside imports, where libraries turn it into errors of their own.
"""

import os
import signal
import sys
from types import FrameType

INTERRUPTED_STATUS = 130


def run() -> None:
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else it is ignored, as in the background
        signal.signal(signal.SIGINT, _end)
    os.umask(os.umask(0o077) & 0o077)  # whatever it takes from others, the owner can read and write what is made here
    from evilpegs.main import main  # noqa: PLC0415 - takes longer than all above

    sys.exit(main())


def note_started() -> None:
    """Let Ctrl-C raise KeyboardInterrupt from now on."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED_STATUS)
