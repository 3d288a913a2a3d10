"""The frames between the server and its child processes: pickles, each preceded by its length in four bytes.

Both ends are processes of one server, connected by a pair of sockets that nobody else can open.
"""

import asyncio
import pickle
import struct
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

_LENGTH: Final = struct.Struct("!I")


def pack(message: object) -> bytes:
    """Return a message as it is sent."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
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


class FramedProtocol(asyncio.Protocol):
    """One end of the socket on an event loop. ``on_message`` is called with every message that arrives."""

    def __init__(
        self,
        on_connect: Callable[[Any], None],
        on_message: Callable[[Any], None],
        on_close: Callable[[], None],
    ) -> None:
        self._on_connect, self._on_message, self._on_close = on_connect, on_message, on_close
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand out the transport, on which packed messages are written."""
        self._on_connect(transport)

    def data_received(self, data: bytes) -> None:
        """Hand out the messages that are complete."""
        self._received += data
        for message in unpack_messages(self._received):
            self._on_message(message)

    def connection_lost(self, _error: Exception | None) -> None:
        """Note that the other process has ended, or has closed its end."""
        self._on_close()
