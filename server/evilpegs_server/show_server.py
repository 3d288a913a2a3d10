"""The show: the site and the feed, on what reads the event log.

    python -m evilpegs_server.show_server FD

is the program of the show process; FD is the file descriptor of a socket to the server. The server sends a `ShowSetup`,
then the id of the last event that players have, whenever it grows, and `None` when it stops. The process sends a
`LogLine` for each line of its log and `ALIVE` every second, and exits when the socket is closed, so it never outlives
its server.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import structlog
from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError
from evilpegs_server import listening
from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.readers import Readers, running_readers
from evilpegs_server.settings import Settings
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.show_process import ALIVE, ALIVE_SECONDS, LogLine, ShowSetup, find_broker
from evilpegs_server.site.analysis import PositionAnswers
from evilpegs_server.site.app import create_app
from evilpegs_server.site.bounds import ladder_list
from evilpegs_server.site.http_server import Visitors, running_http_server
from evilpegs_server.site.metrics import ShowMetrics, SiteCounts
from evilpegs_server.site.site import Site
from evilpegs_server.stopping import STOP_SIGNALS
from evilpegs_server.storage.location import beside
from evilpegs_server.work.child_process import FramedProtocol, pack
from evilpegs_server.work.interpreter import run_server, tune_gc_and_gil
from evilpegs_server.work.priority import lower_priority

# the worker processes have a higher value, so they run last
NICENESS: Final = 10


@asynccontextmanager
async def running_show(
    setup: ShowSetup, sockets: list[socket.socket], log: BoundLogger
) -> AsyncIterator[Callable[[int], None]]:
    """Run the site on ``sockets``, the feed and all they need; yield the function that notes what players have."""
    async with AsyncExitStack() as stack:
        readers = await stack.enter_async_context(running_readers(setup, log))
        _start_feed(stack, readers, setup, log)
        if sockets:
            await _open_site(stack, readers, setup, sockets, log)
        readers.follower.start()
        stack.push_async_callback(readers.follower.close)
        yield readers.follower.note_sent if readers.copy is None else lambda _: None


def _start_feed(stack: AsyncExitStack, readers: Readers, setup: ShowSetup, log: BoundLogger) -> None:
    settings = setup.settings
    if (broker := find_broker(settings)) is None:
        return
    from evilpegs_server.feed.cursor import FeedCursor  # noqa: PLC0415 - needs the extra `mqtt`
    from evilpegs_server.feed.feed import Feed  # noqa: PLC0415

    gone = 0 if readers.copy is None else readers.copy.places.gone
    cursor = FeedCursor(beside(settings.database, ".feed"), readers.engine, log, readers.sent_before, gone)
    playable = readers.offered | {ladder.id for ladder in readers.lasting.values() if ladder.former}
    shown = readers.lasting, playable, readers.engine, readers.follower, readers.leaderboards
    feed = Feed(broker, settings.server_id, *shown, cursor, log, setup.timing)
    feed.start()
    stack.push_async_callback(feed.close)


async def _open_site(
    stack: AsyncExitStack, readers: Readers, setup: ShowSetup, sockets: list[socket.socket], log: BoundLogger
) -> None:
    settings = setup.settings
    crowd = stack.enter_context(Crowd.watched())
    positions = PositionAnswers(
        readers.pools["analyses"], most=settings.site_positions, most_per_address=settings.site_positions_per_address
    )
    stack.callback(positions.close)
    counts = SiteCounts()
    caches = {"analyses": readers.analyses.texts, "positions": positions.texts}
    metrics = ShowMetrics(counts, readers.streams, crowd, readers.follower, readers.leaderboards, readers.pools, caches)
    site = Site(
        all_ladders=readers.ladders,
        ladders=ladder_list(readers.lasting, readers.offered),
        engine=readers.engine,
        follower=readers.follower,
        leaderboards=readers.leaderboards,
        reads=readers.reads,
        analyses=readers.analyses,
        positions=positions,
        streams=readers.streams,
        crowd=crowd,
        rounds=readers.rounds,
        metrics=metrics,
        public_metrics=settings.public_metrics,
        allow_origins=settings.allow_origins,
        hosts=AllowedHosts(settings.hosts, settings.site_url),
        game=setup.game,
        address=listening.find_site_address(settings, sockets[0].getsockname()[1]),
        public_keys=readers.public_keys,
        log=log,
    )
    await stack.enter_async_context(
        running_http_server(
            create_app(site),
            sockets,
            counts,
            listening.fit(settings.site_connections),
            Visitors(TrustedProxies(settings.trusted_proxies), settings.site_connections_per_address),
            setup.timing,
            listening.load_tls(settings.tls_cert, settings.tls_key),
        )
    )
    stack.callback(readers.streams.close)  # or responses would go on


async def show_until_stopped(settings: Settings, log: BoundLogger, announce: Callable[[int], None]) -> None:
    """Show a database without a server until a stop signal; ``announce`` gets the site's port. Raises EvilpegsError."""
    listening.fit_open_files(settings, log, has_game=False)
    stopped = asyncio.Event()
    for number in STOP_SIGNALS:
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    sockets = await listening.bind_site(settings)
    setup = ShowSetup(settings, {}, frozenset(), listening.find_game_address(settings), sent=None)
    try:
        async with running_show(setup, sockets, log):
            announce(sockets[0].getsockname()[1])
            with tune_gc_and_gil():
                await stopped.wait()
    finally:
        listening.close_all(sockets)


def main(descriptor: int) -> None:
    # a service manager signals all processes at once, and the server still has its last events to show
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    lower_priority(NICENESS)
    run_server(serve(socket.socket(fileno=descriptor)))


async def serve(connection: socket.socket) -> None:
    """Run the show that the server at the other end asks for, until it asks for the end."""
    loop, stopped = asyncio.get_running_loop(), asyncio.Event()
    setup: asyncio.Future[ShowSetup] = loop.create_future()
    note_sent: Callable[[int], None] | None = None
    sent = 0

    def handle(message: ShowSetup | int | None) -> None:
        nonlocal sent
        if isinstance(message, ShowSetup):
            setup.set_result(message)
        elif message is None:
            stopped.set()
        else:
            sent = message
            if note_sent is not None:
                note_sent(sent)

    transport, _ = await loop.create_connection(lambda: FramedProtocol(handle, lambda: os._exit(0)), sock=connection)
    given, log = await setup, _forwarding_log(transport)
    alive = asyncio.create_task(_say_alive(transport))
    sockets = [socket.socket(fileno=number) for number in given.sockets]
    try:
        async with running_show(given, sockets, log) as note:
            note(sent)
            note_sent = note
            with tune_gc_and_gil():
                await stopped.wait()
    except EvilpegsError as error:
        log.error(str(error))
    except Exception:
        log.exception("the show process failed")
    alive.cancel()
    await asyncio.sleep(0)  # the lines above are written


async def _say_alive(transport: asyncio.WriteTransport) -> None:
    while True:
        transport.write(pack(ALIVE))
        await asyncio.sleep(ALIVE_SECONDS)


def _forwarding_log(transport: asyncio.WriteTransport) -> BoundLogger:
    # the server writes the lines, so that they have one form and one place
    loop = asyncio.get_running_loop()

    def forward(_logger: object, level: str, fields: MutableMapping[str, Any]) -> str:
        line = LogLine(level, fields.pop("event"), {name: _plain(value) for name, value in fields.items()})
        loop.call_soon_threadsafe(transport.write, pack(line))
        raise structlog.DropEvent

    log: BoundLogger = structlog.wrap_logger(
        None,
        processors=[structlog.processors.format_exc_info, forward],
        wrapper_class=structlog.make_filtering_bound_logger(0),
    )
    return log


def _plain(value: object) -> object:
    return value if isinstance(value, str | int | float | None) else str(value)


if __name__ == "__main__":
    main(int(sys.argv[1]))
