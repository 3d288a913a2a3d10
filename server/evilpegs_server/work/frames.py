"""The frames between the server and its child processes: pickled messages, each after its length in four bytes.

Both ends are processes of one server, connected by a pair of sockets that nobody else can open.
"""

import asyncio
import pickle
import struct
from collections.abc import Callable, Iterator
from typing import IO, Any, Final

_LENGTH: Final = struct.Struct("!I")


def pack(message: object) -> bytes:
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def unpack_messages(received: bytearray) -> Iterator[Any]:
    """Yield the messages of the complete frames in ``received``, and remove these frames from it."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def read_message(stream: IO[bytes]) -> Any:
    """Read the next message from a blocking stream. Raises EOFError."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return pickle.loads(content)  # noqa: S301 - as above


class FramedProtocol(asyncio.Protocol):
    """The end of a socket that carries frames; ``on_connect`` gets the transport, ``on_message`` each message."""

    def __init__(
        self,
        on_connect: Callable[[Any], None],
        on_message: Callable[[Any], None],
        on_close: Callable[[], None],
    ) -> None:
        self._on_connect, self._on_message, self._on_close = on_connect, on_message, on_close
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._on_connect(transport)

    def data_received(self, data: bytes) -> None:
        self._received += data
        for message in unpack_messages(self._received):
            self._on_message(message)

    def connection_lost(self, _error: Exception | None) -> None:
        self._on_close()
