"""What the server and the process of its reckoner say to each other: pickles, each behind its length.

First the server sends a `Setup`, then pairs ``(number, task)``. It is sent ``(number, outcome, cost, state)``.
"""

import pickle
import struct
from collections.abc import Iterator
from typing import IO, Any, Final, NamedTuple

from evilpegs_game.candidates import LiveSets
from evilpegs_game.solved import SolvedPositions
from evilpegs_server.devils import Devils
from evilpegs_server.tasks import Reckoner

_LENGTH: Final = struct.Struct("!I")


class Setup(NamedTuple):
    """What a reckoner is made of: the bytes for its cache and for one count besides, what devils have solved."""

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def reckoner(self) -> Reckoner:
        """A reckoner that has computed nothing yet."""
        devils = Devils(SolvedPositions.from_bytes(self.solved))
        return Reckoner(LiveSets(self.cache_bytes, self.count_bytes), devils)


def packed(message: object) -> bytes:
    """A message as it is sent."""
    content = pickle.dumps(message)
    return _LENGTH.pack(len(content)) + content


def unpacked(received: bytearray) -> Iterator[Any]:
    """The messages that have come whole; they are taken off, and the beginning of the next one stays."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def read(frames: IO[bytes]) -> Any:
    """The next message of a blocking stream.

    Raises:
        EOFError: there is none.
    """
    head = frames.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = frames.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)  # noqa: S301 - as above
