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
    """Return the frame of a message: its pickle, preceded by the length of the pickle as four bytes, big-endian."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(content)) + content


def unpack_messages(received: bytearray) -> Iterator[Any]:
    """Yield the messages whose frames are complete at the beginning of ``received``, and remove these frames from it.

    The bytes of an incomplete frame at the end stay in ``received``.
    """
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _LENGTH.unpack_from(received)[0]
        if len(received) < end:
            return
        content = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(content)  # noqa: S301 - from a process of our own


def read_message(stream: IO[bytes]) -> Any:
    """Read the next frame from a blocking stream and return its message.

    Raises:
        EOFError: the stream ends before or within the frame.
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
    """The asyncio protocol of one end of a socket that carries frames.

    ``on_connect`` is called with the transport of the socket, ``on_message`` with each message that arrives, and
    ``on_close`` without arguments when the connection ends.
    """

    def __init__(
        self,
        on_connect: Callable[[Any], None],
        on_message: Callable[[Any], None],
        on_close: Callable[[], None],
    ) -> None:
        self._on_connect, self._on_message, self._on_close = on_connect, on_message, on_close
        self._received = bytearray()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Call ``on_connect`` with the transport, to which packed messages can be written."""
        self._on_connect(transport)

    def data_received(self, data: bytes) -> None:
        """Call ``on_message`` with each message that the received bytes complete."""
        self._received += data
        for message in unpack_messages(self._received):
            self._on_message(message)

    def connection_lost(self, _error: Exception | None) -> None:
        """Call ``on_close``, because the connection has ended: the other process closed its end, or it has died."""
        self._on_close()
