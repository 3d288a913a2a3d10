"""The client under test: a process that finds the server in its command line and in its environment."""

import asyncio
import os
import re
from asyncio.subprocess import DEVNULL, STDOUT
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError
from evilpegs_clients.printable import printable
from evilpegs_clients.strategies.program_guard import ProgramGuard
from evilpegs_protocol.constants import PATH

# what Python, Node and Java, Go, Rust and .NET print about an error that nobody caught
_CRASH: Final = re.compile(
    r"^Traceback \(most recent|^\s+at \S.*:\d+\)?$|^goroutine \d|panicked at|^Unhandled exception", re.MULTILINE
)


class NeverCameError(CommandError):
    def __init__(self, did: str) -> None:
        where = "the address is in {url} and in EVILPEGS_SERVER"
        super().__init__(f"the client never said hello; {where}; it {did}")


class WrongError(Exception):
    """What the client did, which is wrong."""


class SilentError(WrongError):
    """The client did nothing for as long as it may."""


class EndedError(WrongError):
    """The client ended, by no signal and without a crash."""

    def __init__(self, did: str, status: int) -> None:
        super().__init__(did)
        self.status = status


@dataclass(frozen=True, slots=True)
class Client:
    ended: asyncio.Task[int]
    output: Path

    def end(self) -> WrongError:
        """Return how the client ended, which it has."""
        if (status := self.ended.result()) < 0:
            return WrongError(f"was ended by signal {-status}")
        text = self.output.read_text(errors="replace")
        last = next((line for line in reversed(text.split("\n")) if line.strip()), None)
        said = "and said nothing" if last is None else f"saying {printable(last)[:100]!r}"
        if status and _CRASH.search(text):
            return WrongError(f"crashed with exit status {status}, {said}")
        return EndedError(f"ended with exit status {status}, {said}", status)


@asynccontextmanager
async def running_client(words: Sequence[str], port: int, ladder: str, folder: Path) -> AsyncIterator[Client]:
    """Run the client in the block, after which no process of it is left."""
    given = {"EVILPEGS_SERVER": f"ws://127.0.0.1:{port}{PATH}", "EVILPEGS_LADDER": ladder}
    words = [word.replace("{url}", given["EVILPEGS_SERVER"]).replace("{ladder}", ladder) for word in words]
    output, guard = folder / "output", ProgramGuard()
    try:
        with output.open("wb") as file:
            process = await asyncio.create_subprocess_exec(
                *words, stdin=DEVNULL, stdout=file, stderr=STDOUT, env=os.environ | given, process_group=guard.group
            )
        ended = asyncio.create_task(process.wait())
        yield Client(ended, output)
    finally:
        guard.kill()
    await ended
