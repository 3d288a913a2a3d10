"""The steps in which a server starts: storage, work, matches, services, outlets, chores.

Each step opens one layer on the earlier ones and registers on a stack how to close it, so a failed step closes what is
open in reverse order. `server` runs the steps.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version
from ssl import SSLContext
from typing import Any

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_game.live.live_sets import LiveSets
from evilpegs_protocol.broker import Broker
from evilpegs_protocol.fields import Program
from evilpegs_server.gateway.guests import Presence
from evilpegs_server.gateway.limits import Admission
from evilpegs_server.gateway.listings import Listings
from evilpegs_server.gateway.login import SessionServices, lapse_names, lapse_time
from evilpegs_server.hosts import AllowedHosts, GameAddress, SiteAddress
from evilpegs_server.leaderboard.luck import LUCK_LIMITS, LuckKeeper
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.outlets import OutletSources, open_leaderboards, open_outlets
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.play.stall_free_clock import TICK_MS, StallFreeClock
from evilpegs_server.replies.capacity import HINT_LIMITS, REPLY_LIMITS, ReplyCapacity
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.settings import Settings
from evilpegs_server.site.analysis import ANALYSIS_LIMITS
from evilpegs_server.stopping import (
    OUTLET_SECONDS,
    WORKER_SECONDS,
    run_step,
)
from evilpegs_server.storage.archive import load_players
from evilpegs_server.storage.database import guard_connections, open_database
from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.location import database_file, keep_private
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.reads import Reads
from evilpegs_server.storage.server_key import ServerKey, key_path, load_server_key
from evilpegs_server.storage.solved_positions import SolvedPositionsFile, solved_path
from evilpegs_server.storage.writer import Writer
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.tasks import Task
from evilpegs_server.work.worker_messages import WorkerSetup
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import DevilSolvers, Workspace


@dataclass(frozen=True, slots=True)
class Start:
    """The objects that every step uses; ``stack`` closes what the steps open."""

    settings: Settings
    log: BoundLogger
    stack: AsyncExitStack
    wall_ms: Callable[[], int]
    clock: StallFreeClock
    # its port is None until the last step, in which the game begins to listen
    game: GameAddress
    loop_lag: Durations = field(default_factory=Durations)
    outlets: AsyncExitStack = field(default_factory=AsyncExitStack)
    """The stack of the leaderboards, the site and the feed, which close within one deadline."""


@dataclass(frozen=True, slots=True)
class Storage:
    engine: Engine
    lock: DatabaseLock
    server_key: ServerKey


@dataclass(frozen=True, slots=True)
class Work:
    process: WorkerProcess
    writer: Writer
    pools: Mapping[str, TaskPool]
    codemaking: Codemaking


def open_storage(start: Start) -> Storage:
    """Lock and open the database and read the server key; raises DatabaseUnusableError or KeyUnusableError."""
    settings, stack, log = start.settings, start.stack, start.log
    lock = DatabaseLock(settings.database)
    stack.callback(lock.release)
    engine = open_database(settings.database)
    stack.callback(engine.dispose)
    guard_connections(engine, lock)
    keep_private(database_file(settings.database), [solved_path(settings.database, settings.solved)], log)
    if lock.names > 1:
        log.warning("the database file has other names (hard links); a server started with one would miss events")
    return Storage(engine, lock, load_server_key(key_path(settings.database, settings.server_key)))


def open_work(start: Start, storage: Storage) -> Work:
    """Create the worker process, the writer and the task pools; only the writer is started."""
    settings, stack, log = start.settings, start.stack, start.log
    capacity = ReplyCapacity(settings.cache_bytes, settings.count_bytes, settings.count_work)
    solved_file = SolvedPositionsFile(solved_path(settings.database, settings.solved), log)
    process = WorkerProcess(
        WorkerSetup(capacity.worker_live_set_bytes, capacity.count_bytes, solved_file.solved.to_bytes()), log
    )
    stack.push_async_callback(run_step, "worker", WORKER_SECONDS, partial(_close_worker, process, solved_file), log)
    writer = _start_writer(storage.engine, storage.lock, stack, log)
    limits = {"replies": REPLY_LIMITS, "hints": HINT_LIMITS, "analyses": ANALYSIS_LIMITS, "luck": LUCK_LIMITS}
    pools = {name: TaskPool(each, process, time.monotonic) for name, each in limits.items()}
    for pool in pools.values():
        stack.callback(pool.close)
    workspace = Workspace(LiveSets(capacity.server_live_set_bytes, capacity.count_bytes), DevilSolvers())
    return Work(process, writer, pools, Codemaking(workspace, pools["replies"], pools["hints"], capacity))


def open_registry(start: Start, storage: Storage, work: Work, ladders: Mapping[str, Ladder]) -> MatchRegistry:
    return MatchRegistry(
        ladders,
        work.codemaking,
        work.writer,
        storage.engine,
        start.clock,
        start.wall_ms,
        start.log,
        signer=storage.server_key.signer,
    )


def warm_up_worker(start: Start, work: Work, registry: MatchRegistry) -> asyncio.Task[None]:
    """Start the worker process; the task ends when it has compiled its kernels."""
    work.process.start()
    warm = asyncio.create_task(_warm_up(work.process, work.codemaking.warm_up(registry.ladders.values())))
    start.stack.callback(warm.cancel)
    return warm


async def open_services(start: Start, storage: Storage, work: Work, registry: MatchRegistry) -> SessionServices:
    """Start the leaderboards, the luck keeper and the reading threads."""
    settings, engine, clock = start.settings, storage.engine, start.clock
    start.stack.push_async_callback(run_step, "outlets", OUTLET_SECONDS, start.outlets.aclose, start.log)
    leaderboards, reads = await open_leaderboards(registry, engine, start.log, start.outlets), Reads()
    start.outlets.callback(reads.close)
    luck = LuckKeeper(engine, work.writer, work.pools["luck"], registry.ladders, start.log, leaderboards.wake)
    luck.start()
    start.outlets.push_async_callback(luck.close)
    registry.audience.listen(luck.wake)
    is_open = settings.registration == "open"
    players = load_players(engine, lapse_time(start.wall_ms(), settings.name_lapse_days) if is_open else None)
    return SessionServices(
        registry=registry,
        players=players,
        writer=work.writer,
        listings=Listings(engine, registry.ladders, leaderboards, reads),
        engine=engine,
        admission=Admission(settings.admission_limits),
        presence=Presence(players, registry, clock, settings.guest_limits),
        registration=settings.registration,
        requests_per_second=settings.requests_per_second,
        program=Program(name="evilpegs", version=version("evilpegs")),
        wall_ms=start.wall_ms,
        log=start.log,
        server_key=storage.server_key.signer.public_key,
    )


async def open_site_and_feed(
    start: Start,
    storage: Storage,
    work: Work,
    services: SessionServices,
    broker: Broker | None,
    hosts: AllowedHosts,
    tls: SSLContext | None,
) -> SiteAddress | None:
    """Open the site and the feed if they are wanted; raises AddressUnusableError."""
    sources = OutletSources(
        registry=services.registry,
        engine=storage.engine,
        writer=work.writer,
        codemaking=work.codemaking,
        leaderboards=services.listings.leaderboards,
        reads=services.listings.reads,
        pools=work.pools,
        loop_lag=start.loop_lag,
        log=start.log,
        server_key=storage.server_key,
        game=start.game,
        process=work.process,
        seats=lambda: services.admission.seats,
        table_sizes=services.table_sizes,
    )
    return await open_outlets(start.settings, broker, hosts, sources, tls, start.outlets)


def start_chores(start: Start, services: SessionServices) -> None:
    """Start the ticks of the clock and, while registration is open, the search for lapsed names."""
    if start.settings.registration == "open":
        names = asyncio.create_task(lapse_names(services, start.settings.name_lapse_days))
        start.stack.callback(names.cancel)
    start.stack.callback(asyncio.create_task(_tick(start.clock, start.loop_lag)).cancel)


def _start_writer(engine: Engine, lock: DatabaseLock, stack: AsyncExitStack, log: BoundLogger) -> Writer:
    loop = asyncio.get_running_loop()
    writer = Writer(engine, loop.call_soon_threadsafe, loop.call_soon, check_file=lock.check)
    writer.start()

    def close() -> None:
        if not writer.close():
            log.error("the last events were not committed in time; their players did not get them")

    stack.callback(close)
    return writer


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
