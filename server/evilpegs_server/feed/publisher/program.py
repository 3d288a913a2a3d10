"""The program of the publisher process, which publishes the messages that arrive on a socket.

    python -m evilpegs_server.feed.publisher.program FD

FD is the file descriptor of a socket to the server. The process exits when the server closes the socket or dies, so it
never outlives its server. The broker then publishes the last will.
"""

import asyncio
import os
import signal
import socket
import sys
from random import Random
from typing import Any, Final

from evilpegs_server.feed.publisher.publisher import Publisher
from evilpegs_server.feed.publisher_messages import PublisherSetup
from evilpegs_server.feed.reconnect_time import ReconnectTime
from evilpegs_server.work.child_process import lower_priority
from evilpegs_server.work.frames import FramedProtocol, pack

# the worker process has a higher value, so it runs last
NICENESS: Final = 5


def main(descriptor: int) -> None:
    # a service manager signals all processes at once, and the server still has its last results to publish
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    lower_priority(NICENESS)
    asyncio.run(serve(socket.socket(fileno=descriptor)))


async def serve(connection: socket.socket) -> None:
    """Publish what the server sends until it asks for the end."""
    loop = asyncio.get_running_loop()
    setup: asyncio.Future[PublisherSetup] = loop.create_future()
    publisher: Publisher | None = None

    def handle(message: Any) -> None:
        if publisher is None:
            setup.set_result(message)
        else:
            publisher.handle(message)

    protocol = FramedProtocol(lambda _: None, handle, lambda: os._exit(0))
    transport, _ = await loop.create_connection(lambda: protocol, sock=connection)
    time = ReconnectTime(Random(), loop.time)  # noqa: S311 - jitter
    publisher = Publisher(await setup, lambda message: transport.write(pack(message)), loop.call_later, time)
    await publisher.run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
