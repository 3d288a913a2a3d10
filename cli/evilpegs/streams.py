"""Standard output and error that stay open whatever a strategy file does to them.

A strategy runs in the process of its command. If it closed ``sys.stdout`` or descriptor 1, the results of a played
match would be lost.
"""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from typing import Final

STREAMS: Final = {"stdout": 1, "stderr": 2}


class OpenStream(TextIOWrapper):
    """A text stream with a descriptor of its own, which `close` only flushes."""

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self.flush()


def keep_streams_open() -> None:
    """Replace ``sys.stdout`` and ``sys.stderr``, unless something else has replaced them already."""
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
