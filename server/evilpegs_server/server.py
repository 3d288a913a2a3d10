"""The server as a whole: it opens everything in order, runs until it is stopped, and closes in order."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_game.live.live_sets import LiveSets
from evilpegs_protocol.codec import encode
from evilpegs_protocol.fields import Program
from evilpegs_protocol.limits import PATH
from evilpegs_protocol.server_messages import Notice
from evilpegs_server.codemaking.capacity import ReplyCapacity
from evilpegs_server.codemaking.replies import CHEAP_COST, Codemaking
from evilpegs_server.gateway.admission import Admission
from evilpegs_server.gateway.entrance import EntranceRules
from evilpegs_server.gateway.gateway import Gateway
from evilpegs_server.gateway.lapse import lapse_names, lapse_time
from evilpegs_server.gateway.listings import Listings
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.presence import Presence
from evilpegs_server.gateway.proxies import TrustedProxies
from evilpegs_server.hosts import AllowedOrigins, SiteAddress, allowed_hosts, host_in_url
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.matches.registry import MatchRegistry
from evilpegs_server.matches.stall_free_clock import TICK_MS, StallFreeClock
from evilpegs_server.outlets import OutletSources, address_error, find_broker, open_leaderboards, open_outlets
from evilpegs_server.settings import Settings
from evilpegs_server.site.analysis import ANALYSIS_LIMITS
from evilpegs_server.stopping import (
    CLOSE_SECONDS,
    DRAIN_SECONDS,
    OUTLET_SECONDS,
    WORKER_SECONDS,
    force_exit_later,
    run_step,
)
from evilpegs_server.storage.archive import load_open_matches, load_players
from evilpegs_server.storage.database import guard_connections, open_database
from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.location import database_file, keep_private
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.reads import Reads
from evilpegs_server.storage.server_key import ServerKey, key_path, load_server_key
from evilpegs_server.storage.solved_positions import SolvedPositionsFile
from evilpegs_server.storage.writer import Writer
from evilpegs_server.tls import load_tls
from evilpegs_server.work.hints import HINT_BUDGET
from evilpegs_server.work.interpreter import tune_gc_and_gil
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import SchedulerLimits
from evilpegs_server.work.tasks import Task
from evilpegs_server.work.worker_messages import WorkerSetup
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import DevilSolvers, Workspace

_STOP_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
"""The signals that stop a server. Windows has no SIGHUP."""
CORES: Final = os.cpu_count() or 1
REPLY_LIMITS: Final = SchedulerLimits(
    budget=5_000_000_000, window=60.0, cheap=CHEAP_COST, heavy_slots=max(1, CORES - 1), cheap_slots=max(1, CORES // 2)
)
"""The limits of replies: about 10 seconds of work per minute and player; a reply of up to 5 milliseconds is cheap.

A unit of work is a few nanoseconds. Heavy replies leave one core to the event loop.
"""
HINT_LIMITS: Final = SchedulerLimits(budget=10 * HINT_BUDGET, window=60.0, cheap=0, heavy_slots=1, cheap_slots=0)
"""The limits of hints. Hints have a slot of their own, so that they never delay a reply."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A server that accepts connections."""

    host: str
    port: int
    database: str
    registry: MatchRegistry
    warm: asyncio.Task[None]
    """A task that is done when no reply has to wait for a kernel to be compiled."""
    site: SiteAddress | None = None
    """The address of the HTTP API, None if there is none."""
    is_secure: bool = False
    """True if the server has a certificate."""

    @property
    def url(self) -> str:
        """The URL to which clients on this machine connect."""
        return f"{'wss' if self.is_secure else 'ws'}://{host_in_url(self.host)}:{self.port}{PATH}"

    @property
    def site_url(self) -> str | None:
        """The URL of the HTTP API for clients on this machine, None if there is none."""
        return None if self.site is None else self.site.url_for(self.host)


def wall_ms() -> int:
    """Return the Unix time in milliseconds."""
    return time.time_ns() // 1_000_000


@asynccontextmanager
async def running_server(
    settings: Settings,
    log: BoundLogger,
    *,
    ladders: Mapping[str, Ladder] | None = None,
    clock: StallFreeClock | None = None,
    wall_ms: Callable[[], int] = wall_ms,
) -> AsyncIterator[RunningServer]:
    """Run a server within the block, and stop it in order at the end of the block.

    By default it offers the built-in ladders, and ``clock`` follows the clock of the event loop.

    Raises:
        DatabaseUnusableError: the database cannot be used.
        KeyUnusableError: the key that signs records cannot be used.
        BrokerUnusableError: the broker of the live feed cannot be used as the settings name it.
        TlsUnusableError: the certificate cannot be used.
        AddressUnusableError: the server cannot listen. All are raised before it accepts connections.
    """
    broker = find_broker(settings)
    tls = load_tls(settings.tls_cert, settings.tls_key)
    async with AsyncExitStack() as stack:
        engine, lock = _open_storage(settings, stack, log)
        server_key = load_server_key(key_path(settings.database, settings.server_key))
        capacity = ReplyCapacity(settings.cache_bytes, settings.count_bytes, settings.count_work)
        solved_file = SolvedPositionsFile(solved_path(settings), log)
        process = WorkerProcess(
            WorkerSetup(capacity.worker_live_set_bytes, capacity.count_bytes, solved_file.solved.to_bytes()), log
        )
        close_worker = partial(_close_worker, process, solved_file)
        stack.push_async_callback(run_step, "worker", WORKER_SECONDS, close_worker, log)
        writer = _start_writer(engine, lock, stack, log)
        clock, loop_lag = clock or StallFreeClock(asyncio.get_running_loop().time), Durations()
        pool, hint_pool, analysis_pool = (
            TaskPool(limits, process, time.monotonic) for limits in (REPLY_LIMITS, HINT_LIMITS, ANALYSIS_LIMITS)
        )
        for each in (pool, hint_pool, analysis_pool):
            stack.callback(each.close)
        workspace = Workspace(LiveSets(capacity.server_live_set_bytes, capacity.count_bytes), DevilSolvers())
        codemaking = Codemaking(workspace, pool, hint_pool, capacity)
        registry = MatchRegistry(
            ladders or load_ladders(), codemaking, writer, engine, clock, wall_ms, log, signer=server_key.signer
        )
        process.start()
        warm = asyncio.create_task(_warm_up(process, codemaking.warm_up(registry.ladders.values())))
        stack.callback(warm.cancel)
        stack.enter_context(tune_gc_and_gil())
        hosts = allowed_hosts(settings.hosts, settings.site_url)
        pools = {"replies": pool, "hints": hint_pool, "analyses": analysis_pool}
        leaderboards, reads = await open_leaderboards(registry, engine, log, stack), Reads()
        stack.callback(reads.close)
        sources = OutletSources(
            registry, engine, writer, codemaking, leaderboards, reads, pools, loop_lag, log, server_key
        )
        outlets = AsyncExitStack()
        stack.push_async_callback(run_step, "outlets", OUTLET_SECONDS, outlets.aclose, log)
        site = await open_outlets(settings, broker, hosts, sources, tls, outlets)
        listings = Listings(engine, registry.ladders, leaderboards, reads)
        services = _session_services(settings, registry, writer, engine, listings, clock, wall_ms, log, server_key)
        origins = AllowedOrigins(hosts, site, settings.site_url)
        rules = EntranceRules(hosts, origins, TrustedProxies(settings.trusted_proxies), tls)
        gateway = Gateway(services, clock, rules, site)
        if settings.registration == "open":
            stack.callback(asyncio.create_task(lapse_names(services, settings.name_lapse_days)).cancel)
        stack.callback(asyncio.create_task(_tick(clock, loop_lag)).cancel)
        host, port = await _listen(gateway, settings)
        try:
            for stored in load_open_matches(engine, registry.skip_unreadable):
                registry.restore(stored)
            services.presence.restore()
            log.info("listening", host=host, port=port, database=settings.database, resumed=len(registry))
            yield RunningServer(host, port, settings.database, registry, warm, site, tls is not None)
        finally:
            await _stop(registry, gateway, log)
            log.debug("codemaking", **asdict(codemaking.metrics()), **process.state._asdict())


async def serve_until_stopped(settings: Settings, log: BoundLogger, announce: Callable[[RunningServer], None]) -> None:
    """Run a server until SIGTERM, SIGINT or SIGHUP. Call ``announce`` once it listens and its kernels are compiled.

    The process ends in less than ten seconds after the signal, whatever the server is waiting for.
    """
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if not stopped.is_set():
            stopped.set()
            force_exit_later(log)

    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    async with running_server(settings, log) as server:
        stopping = asyncio.create_task(stopped.wait())
        await asyncio.wait([stopping, server.warm], return_when=asyncio.FIRST_COMPLETED)
        announce(server)
        await stopping


def _open_storage(settings: Settings, stack: AsyncExitStack, log: BoundLogger) -> tuple[Engine, DatabaseLock]:
    lock = DatabaseLock(settings.database)
    stack.callback(lock.release)
    engine = open_database(settings.database)
    stack.callback(engine.dispose)
    guard_connections(engine, lock)
    keep_private(database_file(settings.database), [solved_path(settings)], log)
    if lock.names > 1:
        log.warning("the database file has other names (hard links); started by one of them, a server misses events")
    return engine, lock


def _start_writer(engine: Engine, lock: DatabaseLock, stack: AsyncExitStack, log: BoundLogger) -> Writer:
    loop = asyncio.get_running_loop()
    writer = Writer(engine, loop.call_soon_threadsafe, loop.call_soon, check_file=lock.check)
    writer.start()

    def close() -> None:
        if not writer.close():
            log.error("the database did not take the last events in time; their players were not sent them")

    stack.callback(close)
    return writer


def solved_path(settings: Settings) -> Path:
    """Return the file of positions that devils have solved: the one in ``settings``, else one beside the database."""
    beside = database_file(settings.database)
    return settings.solved or beside.with_name(beside.name + ".solved")


def _session_services(
    settings: Settings,
    registry: MatchRegistry,
    writer: Writer,
    engine: Engine,
    listings: Listings,
    clock: StallFreeClock,
    wall_ms: Callable[[], int],
    log: BoundLogger,
    server_key: ServerKey,
) -> SessionServices:
    is_open = settings.registration == "open"
    players = load_players(engine, lapse_time(wall_ms(), settings.name_lapse_days) if is_open else None)
    return SessionServices(
        registry=registry,
        players=players,
        writer=writer,
        listings=listings,
        engine=engine,
        admission=Admission(settings.admission_limits),
        presence=Presence(players, registry, clock, settings.guest_limits),
        registration=settings.registration,
        requests_per_second=settings.requests_per_second,
        program=Program(name="evilpegs", version=version("evilpegs")),
        wall_ms=wall_ms,
        log=log,
        server_key=server_key.signer.public_key,
    )


async def _listen(gateway: Gateway, settings: Settings) -> tuple[str, int]:
    try:
        return await gateway.open(settings.host, settings.port)
    except OSError as error:
        raise address_error(error, settings.host, settings.port, "--port") from None


async def _stop(registry: MatchRegistry, gateway: Gateway, log: BoundLogger) -> None:
    gateway.broadcast(encode(Notice(kind="draining", message="the server stops now; resume when it is back")))
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            await registry.drain()
    except TimeoutError:
        log.warning("some replies were not finished; those guesses were not counted")
    registry.close()
    await gateway.close(1012, "the server stops", CLOSE_SECONDS)
    log.info("stopped", open_matches=len(registry))


async def _warm_up(process: WorkerProcess, tasks: list[Task[Any]]) -> None:
    await asyncio.gather(*(process.run(task) for task in tasks), return_exceptions=True)


async def _close_worker(process: WorkerProcess, solved_file: SolvedPositionsFile) -> None:
    solved = await process.close()
    if solved is not None:
        solved_file.save(solved)


async def _tick(clock: StallFreeClock, loop_lag: Durations) -> None:
    while True:
        loop_lag.add(clock.tick() / 1000)
        await asyncio.sleep(TICK_MS / 1000)
