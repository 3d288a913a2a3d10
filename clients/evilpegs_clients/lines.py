"""Lines that a person types, awaited without a thread and without blocking the event loop."""

import asyncio
import os
import termios
from contextlib import suppress
from typing import Final

CHUNK: Final = 4096


class Lines:
    """The lines of a file descriptor: a terminal, a pipe or a file. Call it for the next one; None at the end."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._read = b""
        self._ended = False

    async def __call__(self) -> str | None:
        """The next line without its end; None once there are no more."""
        while b"\n" not in self._read and not self._ended:
            await self._readable()
            self._take()
        if not self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace").rstrip("\r")

    def forget(self) -> bool:
        """Drop what was typed ahead at a terminal; False where it is none, and nothing was dropped."""
        if not os.isatty(self._descriptor):
            return False
        termios.tcflush(self._descriptor, termios.TCIFLUSH)
        self._read = b""
        return True

    def _take(self) -> None:
        chunk = b""
        with suppress(OSError):  # a terminal that was closed reads as an error
            chunk = os.read(self._descriptor, CHUNK)
        self._ended = not chunk
        self._read += chunk

    async def _readable(self) -> None:
        loop = asyncio.get_running_loop()
        readable = asyncio.Event()
        try:
            loop.add_reader(self._descriptor, readable.set)
        except OSError:  # a plain file, which cannot be waited for and never makes one wait
            return
        try:
            await readable.wait()
        finally:
            loop.remove_reader(self._descriptor)
