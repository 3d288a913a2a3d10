"""Standard output and error of the command, which stay open whatever a strategy file does to them.

A strategy runs in the process of its command. If it closed ``sys.stdout`` or descriptor 1, the results of a played
match would otherwise be lost.
"""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Final

STREAMS: Final = {"stdout": 1, "stderr": 2}


class OpenStream(TextIOWrapper):
    """A text stream with a file descriptor of its own, which cannot be closed: `close` only flushes it."""

    def close(self) -> None:
        """Flush the stream, which stays open until the process ends."""
        with suppress(OSError, ValueError):
            self.flush()


def keep_streams_open() -> None:
    """Replace ``sys.stdout`` and ``sys.stderr`` by streams that a strategy cannot close by accident.

    A stream that was already replaced by an object of another kind is not changed.
    """
    for name, descriptor in STREAMS.items():
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper) and not isinstance(stream, OpenStream) and _is_on(stream, descriptor):
            setattr(sys, name, _reopen(stream, descriptor))


def _is_on(stream: TextIOWrapper, descriptor: int) -> bool:
    try:
        return stream.fileno() == descriptor
    except (OSError, ValueError):  # no file, or a closed one
        return False


def _reopen(stream: TextIOWrapper, descriptor: int) -> OpenStream:
    stream.flush()
    buffering = 0 if stream.write_through else -1
    return OpenStream(
        os.fdopen(os.dup(descriptor), "wb", buffering),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
