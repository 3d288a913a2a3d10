"""The HTTP server of the site: uvicorn, running in the event loop of the match server."""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Final

import uvicorn
from starlette.types import ASGIApp

from evilpegs_server.play.counts import HttpCounts
from evilpegs_server.site.http_connection import Connections, LimitedProtocol
from evilpegs_server.site.loop_share import LoopShare, MeteredApp

KEEP_ALIVE_SECONDS: Final = 15
CLOSE_SECONDS: Final = 0.5
"""The time for responses to reach their clients when the server stops."""


class EmbeddedServer(uvicorn.Server):
    """A uvicorn server that leaves signals to the program around it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def running_http_server(
    app: ASGIApp,
    sockets: list[socket.socket],
    counts: HttpCounts | None = None,
    tls: ssl.SSLContext | None = None,
    share: LoopShare | None = None,
) -> AsyncIterator[None]:
    """Serve ``app`` within the block; at its end, responses in progress have `CLOSE_SECONDS` to finish."""
    share = share or LoopShare()
    site = Connections(counts or HttpCounts(), share, asyncio.get_running_loop())
    server = EmbeddedServer(
        uvicorn.Config(
            MeteredApp(app, share),
            http=partial(LimitedProtocol, site=site),  # type: ignore[arg-type]
            ws="none",
            lifespan="off",
            log_config=None,
            log_level=logging.CRITICAL,  # what strangers send is not worth a line, and `Guard` logs failures
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            ssl_context_factory=None if tls is None else lambda _config, _default: tls,
        )
    )
    serving = asyncio.create_task(server.serve(sockets))
    try:
        yield
    finally:
        await _stop(server, serving)


async def _stop(server: EmbeddedServer, serving: asyncio.Task[None]) -> None:
    server.should_exit = True
    await asyncio.wait([serving], timeout=CLOSE_SECONDS)
    if not serving.done():
        server.force_exit = True
        for connection in list(server.server_state.connections):
            if isinstance(connection, LimitedProtocol):
                connection.abort()
    await serving
    tasks = list(server.server_state.tasks)
    for task in tasks:  # only now, or uvicorn would write an error on a closed connection
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
