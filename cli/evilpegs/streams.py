"""Standard output and error that stay open whatever a strategy file does to them.

A strategy runs in the process of its command. If it closed ``sys.stdout`` or descriptor 1, the results of a played
match would be lost.
"""

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Final

STREAMS: Final = {"stdout": 1, "stderr": 2}


class OpenStream(TextIOWrapper):
    """A text stream with a descriptor of its own, which `close` only flushes."""

    def close(self) -> None:
        with suppress(OSError, ValueError):
            self.flush()


def prepare_streams() -> None:
    """Let ``sys.stdout`` and ``sys.stderr`` stay open and take any text, unless something else has replaced them."""
    for name in STREAMS:
        # Python's sign that the stream was closed before the start
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w"))  # noqa: SIM115 - for as long as the process lives
    # only now, because a new descriptor has the lowest free number, which may be that of a closed stream
    for name, descriptor in STREAMS.items():
        stream = getattr(sys, name)
        if isinstance(stream, TextIOWrapper):
            if not isinstance(stream, OpenStream) and _is_on(stream, descriptor):
                stream = _reopen(stream, descriptor)
                setattr(sys, name, stream)
            stream.reconfigure(errors="replace")  # in place of characters that cannot be printed


def discard_output() -> None:
    # otherwise the flush at exit fails, because nothing can be written
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


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
