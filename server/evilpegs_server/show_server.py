"""The show: what reads the event log and shows it, opened in order and closed in reverse order.

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
import time
from collections.abc import AsyncIterator, Callable, MutableMapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Final

import structlog
from structlog.stdlib import BoundLogger

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.errors import EvilpegsError
from evilpegs_server import listening
from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.settings import Settings
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.show.follower import Follower
from evilpegs_server.show.rounds import ShownRounds
from evilpegs_server.show.streams import Streams
from evilpegs_server.show_process import ALIVE, ALIVE_SECONDS, LogLine, ShowSetup, find_broker
from evilpegs_server.site.analysis import MatchAnalyses, PositionAnswers
from evilpegs_server.site.app import create_app
from evilpegs_server.site.bounds import ladder_list
from evilpegs_server.site.http_server import Visitors, running_http_server
from evilpegs_server.site.metrics import ShowMetrics, SiteCounts
from evilpegs_server.site.site import Site
from evilpegs_server.stopping import STOP_SIGNALS
from evilpegs_server.storage.copies.mirror import LocalCopy
from evilpegs_server.storage.derived.file import PROGRESS_SECONDS, DerivedFile
from evilpegs_server.storage.location import beside, is_remote
from evilpegs_server.storage.log.archive import load_log_id
from evilpegs_server.storage.log.ladders import known_ladders
from evilpegs_server.storage.reads import Reads, keep_looking
from evilpegs_server.storage.server_key import key_path, load_public_keys
from evilpegs_server.work.child_process import FramedProtocol, lower_priority, pack
from evilpegs_server.work.interpreter import run_server, tune_gc_and_gil
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import ONE_AT_A_TIME
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup

# the worker processes have a higher value, so they run last
NICENESS: Final = 5
CACHE_BYTES: Final = 32 << 20
"""For the live sets of the worker that analyzes matches and measures luck."""


@asynccontextmanager
async def running_show(
    setup: ShowSetup, sockets: list[socket.socket], log: BoundLogger
) -> AsyncIterator[Callable[[int], None]]:
    """Run the site on ``sockets``, the feed and all they need; yield the function that notes what players have."""
    settings, timing = setup.settings, setup.timing
    async with AsyncExitStack() as stack:
        copy = await _open_copy(stack, settings.database, log) if is_remote(settings.database) else None
        # nodes say nothing of what others have sent
        sent, look, gone = (setup.sent, None, 0) if copy is None else (None, copy.follow, copy.places.gone)
        derived = DerivedFile(settings.database, log)
        stack.callback(derived.close)
        await asyncio.to_thread(derived.prepare)
        engine = derived.engine
        ladders = dict(setup.ladders or known_ladders(engine))  # without a server
        lasting = {ladder.id: ladder for ladder in ladders.values() if not ladder.is_round}
        offered = setup.offered or frozenset(lasting)
        playable = offered | {ladder.id for ladder in lasting.values() if ladder.former}
        follower = Follower(engine, log, sent, look, timing)
        pools = _open_pools(stack, setup, log)
        reads = Reads()
        stack.callback(reads.close)

        leaderboards = LiveLeaderboards(derived, ladders, log, lambda: follower.sent, timing)
        stack.push_async_callback(leaderboards.close)
        luck = LuckKeeper(derived, pools["luck"], ladders, log, leaderboards.wake, timing)
        stack.push_async_callback(luck.close)
        follower.wake(leaderboards.wake)
        await leaderboards.start(luck.wake)
        luck.start()
        if (broker := find_broker(settings)) is not None:
            from evilpegs_server.feed.cursor import FeedCursor  # noqa: PLC0415 - needs the extra `mqtt`
            from evilpegs_server.feed.feed import Feed  # noqa: PLC0415

            cursor = FeedCursor(beside(settings.database, ".feed"), engine, log, sent, gone)
            shown = lasting, playable, engine, follower, leaderboards
            feed = Feed(broker, settings.server_id, *shown, cursor, log, timing)
            feed.start()
            stack.push_async_callback(feed.close)

        crowd = stack.enter_context(Crowd.watched())
        streams = Streams(engine, follower, reads, load_log_id(engine), settings.site_streams, timing.heartbeat_seconds)
        rounds = ShownRounds(engine, ladders, luck, streams)
        await rounds.read()
        looking = keep_looking(timing.look_seconds, rounds.look, "at the rounds", log, {})
        stack.callback(asyncio.create_task(looking).cancel)
        if sockets:
            analyses = MatchAnalyses(engine, pools["analyses"])
            stack.callback(analyses.close)
            positions = PositionAnswers(
                pools["analyses"], most=settings.site_positions, most_per_address=settings.site_positions_per_address
            )
            stack.callback(positions.close)
            counts = SiteCounts()
            site = Site(
                all_ladders=ladders,
                ladders=ladder_list(lasting, offered),
                engine=engine,
                follower=follower,
                leaderboards=leaderboards,
                reads=reads,
                analyses=analyses,
                positions=positions,
                streams=streams,
                crowd=crowd,
                rounds=rounds,
                metrics=ShowMetrics(
                    counts,
                    streams,
                    crowd,
                    follower,
                    leaderboards,
                    pools,
                    {"analyses": analyses.texts, "positions": positions.texts},
                ),
                public_metrics=settings.public_metrics,
                allow_origins=settings.allow_origins,
                hosts=AllowedHosts(settings.hosts, settings.site_url),
                game=setup.game,
                address=listening.find_site_address(settings, sockets[0].getsockname()[1]),
                public_keys=_public_keys(settings, copy),
                log=log,
            )
            await stack.enter_async_context(
                running_http_server(
                    create_app(site),
                    sockets,
                    counts,
                    listening.fit(settings.site_connections),
                    Visitors(TrustedProxies(settings.trusted_proxies), settings.site_connections_per_address),
                    timing,
                    listening.load_tls(settings.tls_cert, settings.tls_key),
                )
            )
            stack.callback(streams.close)  # or responses would go on
        follower.start()
        stack.push_async_callback(follower.close)
        yield follower.note_sent if copy is None else lambda _: None


async def _open_copy(stack: AsyncExitStack, url: str, log: BoundLogger) -> LocalCopy:
    copy = await asyncio.to_thread(LocalCopy, url, log)
    stack.push_async_callback(asyncio.to_thread, copy.close)
    said_at = time.monotonic()

    def report(share: float) -> None:
        nonlocal said_at
        if time.monotonic() > said_at + PROGRESS_SECONDS:
            said_at = time.monotonic()
            log.info("copying the events to this machine", done=f"{share:.0%}")

    await asyncio.to_thread(copy.follow, report)
    return copy


def _public_keys(settings: Settings, copy: LocalCopy | None) -> list[str]:
    known = load_public_keys(key_path(settings.database, settings.server_key))
    return known or ([copy.mirror.key] if copy is not None and copy.mirror.key is not None else [])


def _open_pools(stack: AsyncExitStack, setup: ShowSetup, log: BoundLogger) -> dict[str, TaskPool]:
    limits = WorkerSetup(CACHE_BYTES, setup.settings.count_bytes, SolvedPositions().to_bytes())
    worker = WorkerProcess(limits, log, setup.timing.export_seconds)
    stack.push_async_callback(worker.close)
    pools = {name: TaskPool(ONE_AT_A_TIME, worker, time.monotonic) for name in ("analyses", "luck")}
    for pool in pools.values():
        stack.callback(pool.close)
    return pools


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
