"""Lines from a pipe, a file or a plain terminal, awaited without a thread and without blocking the event loop."""

import asyncio
import os
import select
from contextlib import suppress
from typing import Final

CHUNK: Final = 4096


class LineReader:
    """A reader of a terminal, a pipe or a file; await a call for the next line."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = b""
        self._ended = False

    async def __call__(self) -> str | None:
        """Return the next line without its end, or None at the end of the input."""
        while b"\n" not in self._buffer and not self._ended:
            await self._wait_until_readable()
            self._read_chunk()
        if not self._buffer:
            return None
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def _read_chunk(self) -> None:
        if not select.select([self._descriptor], [], [], 0)[0]:
            return  # what was there has been taken
        chunk = b""
        with suppress(OSError):  # reading a closed terminal is an error
            chunk = os.read(self._descriptor, CHUNK)
        self._ended = not chunk
        self._buffer += chunk

    async def _wait_until_readable(self) -> None:
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, readable.set)
        except OSError:  # a plain file cannot be waited for; it is always readable
            return
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._descriptor)
