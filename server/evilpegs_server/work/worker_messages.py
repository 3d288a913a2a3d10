"""The messages between the server and its worker process: pickles, each preceded by its length in four bytes.

The server first sends a `WorkerSetup`, then pairs ``(number, task)``. The worker answers each task with
``(number, outcome, cost, state)``: the result or the exception, the cost in units, and the `WorkspaceState`.
"""

import pickle
import struct
from collections.abc import Iterator
from typing import IO, Any, Final, NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.workspace import DevilSolvers, Workspace

_LENGTH: Final = struct.Struct("!I")


class WorkerSetup(NamedTuple):
    """The limits of a workspace in bytes, for its cache and for one running count, and its solved positions."""

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def new_workspace(self) -> Workspace:
        """Return a workspace that has computed nothing yet."""
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)


def pack(message: object) -> bytes:
    """Return a message as it is sent."""
    content = pickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def unpack_messages(received: bytearray) -> Iterator[Any]:
    """Yield the complete messages at the beginning of ``received``, and remove them from it."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def read_message(stream: IO[bytes]) -> Any:
    """Return the next message of a blocking stream.

    Raises:
        EOFError: the stream ends before the end of a message.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)  # noqa: S301 - as above
