"""The server: opens its parts in order, runs until it is stopped, and closes them in reverse order."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError
from evilpegs_game.live.cache import CacheState
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.luck.game_luck import load_value_curve
from evilpegs_protocol.codec import encode
from evilpegs_protocol.constants import PATH
from evilpegs_protocol.files import make_private_folder
from evilpegs_protocol.server_messages import Notice
from evilpegs_server import listening, stopping
from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.gateway.acts import OperatorActs
from evilpegs_server.gateway.admission import Admission
from evilpegs_server.gateway.entrance import Entrance
from evilpegs_server.gateway.gateway import Gateway
from evilpegs_server.gateway.login import LAPSE_SECONDS, SessionServices, lapse_names
from evilpegs_server.gateway.metrics import GameMetrics
from evilpegs_server.hosts import AllowedHosts, PublicAddress, host_in_url
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.play.counts import ServerCounts
from evilpegs_server.play.eligibility import Eligibility
from evilpegs_server.play.node import PlayingNode
from evilpegs_server.play.open_matches import OpenMatches
from evilpegs_server.play.presence import Presence
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.play.rounds import Rounds
from evilpegs_server.play.served_ladders import ServedLadders
from evilpegs_server.play.stall_free_clock import TICK_MS, StallFreeClock
from evilpegs_server.replies.capacity import HINT_LIMITS, REPLY_LIMITS, ReplyCapacity
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.settings import Settings
from evilpegs_server.show_process import ShowSetup, find_broker, show_apart
from evilpegs_server.storage.database import engine_of
from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.engines.sqlite import SqliteDatabase, SqliteStore
from evilpegs_server.storage.location import beside, database_file, keep_private, shown_url
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.archive import load_last_event_id, load_players
from evilpegs_server.storage.log.interface import Database
from evilpegs_server.storage.log.ladders import store_ladders
from evilpegs_server.storage.log.rounds import load_rounds
from evilpegs_server.storage.log.writer import Store, Writer
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import keep_looking
from evilpegs_server.storage.server_key import KeyUnusableError, key_path, load_server_key
from evilpegs_server.storage.solved_positions import SolvedPositionsFile, solved_path
from evilpegs_server.timing import Timing
from evilpegs_server.work.interpreter import tune_gc_and_gil
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup, Workspace

if TYPE_CHECKING:
    from evilpegs_server.storage.engines.postgres_node import ServerNode

NO_CURVE: Final = "no value curve: raw scores need some 4,200 games to tell good bots apart, 200 with a curve"

Show = Callable[[ShowSetup, list[socket.socket], BoundLogger], AbstractAsyncContextManager[Callable[[int], None]]]


class ClockWrongError(EvilpegsError):
    """The clock of the machine is so wrong that no event can have its time."""


@dataclass(frozen=True, slots=True)
class RunningServer:
    host: str
    port: int
    database: str
    registry: MatchRegistry
    warm: asyncio.Task[None]
    """Done when the worker process has compiled its kernels."""
    site: PublicAddress | None = None
    is_secure: bool = False
    game: PublicAddress | None = None

    @property
    def outer_url(self) -> str:
        """The WebSocket URL for players elsewhere, such as that of a proxy."""
        return (self.game and self.game.url_for(self.host)) or self.url

    @property
    def url(self) -> str:
        """The WebSocket URL for clients on this machine."""
        return f"{'wss' if self.is_secure else 'ws'}://{host_in_url(self.host)}:{self.port}{PATH}"

    @property
    def site_url(self) -> str | None:
        """The URL of the site for clients on this machine."""
        return None if self.site is None else self.site.url_for(self.host)


def wall_ms() -> int:
    return time.time_ns() // 1_000_000


class _OpenLog(NamedTuple):
    database: Database
    store: Store
    names: int = 1
    """Of the file; several are a danger, because SQLite finds its side files by the name."""
    node: "ServerNode | None" = None
    """On PostgreSQL only."""


class CodemakingWork:
    """The codemaking of a server with its worker process, and the figures of both."""

    def __init__(self, settings: Settings, log: BoundLogger, timing: Timing) -> None:
        capacity = ReplyCapacity(settings.cache_bytes, settings.count_bytes, settings.count_work)
        self._solved = SolvedPositionsFile(solved_path(settings.database, settings.solved), log)
        setup = WorkerSetup(capacity.worker_live_set_bytes, capacity.count_bytes, self._solved.solved.to_bytes())
        self._worker = WorkerProcess(setup, log, timing.export_seconds)
        limits = {"replies": REPLY_LIMITS, "hints": HINT_LIMITS}
        self.pools = {name: TaskPool(each, self._worker, time.monotonic) for name, each in limits.items()}
        workspace = Workspace(LiveSets(capacity.server_live_set_bytes, capacity.count_bytes))
        self.codemaking = Codemaking(workspace, self.pools["replies"], self.pools["hints"], capacity)

    def caches(self) -> dict[str, CacheState]:
        return {"replies": self.codemaking.part_sizes.state, "worker": self._worker.state.cache}

    def log_figures(self, log: BoundLogger) -> None:
        work = {name: asdict(pool.metrics()) for name, pool in self.pools.items()}
        log.debug("codemaking", known=self.codemaking.part_sizes.state, **work, **self._worker.state._asdict())

    async def warm_up(self, ladders: Iterable[Ladder]) -> None:
        """Start the worker process, and let it compile what replies on ``ladders`` need."""
        self._worker.start()
        tasks = self.codemaking.warm_up(ladders)
        await asyncio.gather(*(self._worker.run(task) for task in tasks), return_exceptions=True)

    async def close(self) -> None:
        """Drop the waiting tasks, end the worker process and store the positions that it solved."""
        for pool in self.pools.values():
            pool.close()
        if (learned := await self._worker.close()) is not None:
            self._solved.save(learned)


@asynccontextmanager
async def running_server(
    settings: Settings,
    log: BoundLogger,
    *,
    ladders: Mapping[str, Ladder] | None = None,
    clock: StallFreeClock | None = None,
    wall_ms: Callable[[], int] = wall_ms,
    show: Show = show_apart,
    timing: Timing = Timing(),
) -> AsyncIterator[RunningServer]:
    """Run a server in the block, and ``show`` it here or apart. Raises EvilpegsError before it accepts connections."""
    if (now := wall_ms()) < 0:
        days = -now // 86_400_000
        raise ClockWrongError(f"the clock of this machine is {days:,} days before 1970; set it, and start again")
    find_broker(settings)  # for its errors: the show process has them later
    tls = listening.load_tls(settings.tls_cert, settings.tls_key)
    await listening.check_addresses(settings, timing.port_release_seconds)
    clock = clock or StallFreeClock(asyncio.get_running_loop().time)
    async with AsyncExitStack() as stack:
        services, work, rounds = await _open_play(settings, log, stack, clock, wall_ms, ladders, timing)
        registry, loop_lag = services.registry, Durations()
        warm = asyncio.create_task(work.warm_up(registry.ladders.known.values()))
        stack.callback(warm.cancel)
        stack.enter_context(tune_gc_and_gil())
        stack.callback(asyncio.create_task(_tick(clock, loop_lag)).cancel)

        # the addresses: the site's sockets are open before the game's, and stay open while show processes change
        sockets = await listening.bind_site(settings) if settings.site else []
        stack.callback(listening.close_all, sockets)
        game = listening.find_game_address(settings)
        site = listening.find_site_address(settings, sockets[0].getsockname()[1]) if sockets else None
        outlets = AsyncExitStack()
        stack.push_async_callback(stopping.run_step, "show", timing.outlet_seconds, outlets.aclose, log)

        # the game port, because nobody can play before everything else runs
        hosts, proxies = AllowedHosts(settings.hosts, settings.site_url), TrustedProxies(settings.trusted_proxies)
        entrance = Entrance(
            services.admission, clock.now, hosts, site, settings.site_url, proxies, timing.tls_seconds, tls
        )
        metrics = GameMetrics(services, loop_lag, work.pools, work.caches)
        gateway = Gateway(services, entrance, metrics, timing.sweep_seconds)
        acts = OperatorActs(services, rounds, gateway.end)
        with listening.naming_address(settings.host, settings.port, "--port"):
            host, game.port = await gateway.open(settings.host, settings.port)
        stack.callback(work.log_figures, log)
        stack.push_async_callback(_stop, registry, gateway, log, timing)
        await registry.node.begin()
        services.presence.restore()
        await acts.look()
        failing = dict[str, set[object]]()
        looks = [(*look, "for matches of other nodes") for look in registry.node.looks]
        for look in [(timing.look_seconds, acts.look, "for acts of the operator"), *looks]:
            stack.callback(asyncio.create_task(keep_looking(*look, log, failing)).cancel)
        if sockets or settings.mqtt is not None:
            offered = frozenset(ladder.id for ladder in registry.ladders.offered)
            shown = ShowSetup(settings, registry.ladders.known, offered, game, services.writer.sent, timing=timing)
            services.writer.listener = await outlets.enter_async_context(show(shown, sockets, log))
        resumed = len(registry.open)
        log.info("listening", host=host, port=game.port, database=shown_url(settings.database), resumed=resumed)
        yield RunningServer(host, game.port, settings.database, registry, warm, site, tls is not None, game)


async def _open_play(
    settings: Settings,
    log: BoundLogger,
    stack: AsyncExitStack,
    clock: StallFreeClock,
    wall_ms: Callable[[], int],
    ladders: Mapping[str, Ladder] | None,
    timing: Timing,
) -> tuple[SessionServices, CodemakingWork, Rounds]:
    opened = _open_log(settings, log, stack)
    engine = opened.database
    known = dict(ladders or store_ladders(engine, settings.own_ladders()))
    _warn(settings, opened, log)
    signer = load_server_key(path := key_path(settings.database, settings.server_key))
    if opened.node is not None and opened.node.agree_on_key(signer.public_key) != signer.public_key:
        raise KeyUnusableError(f"other nodes sign with another key than {path}; copy the file of theirs there")

    # what plays: the worker process, the writer, the matches
    work = CodemakingWork(settings, log, timing)
    stack.push_async_callback(stopping.run_step, "worker", timing.worker_seconds, work.close, log)
    loop = asyncio.get_running_loop()
    writer = Writer(opened.store, loop.call_soon_threadsafe, loop.call_soon, timing=timing)
    writer.start()
    stack.callback(_close_writer, writer, log)
    known |= {each.id: each.ladder(known) for each in load_rounds(engine) if each.base in known}

    # who plays
    players, open_matches = load_players(engine), OpenMatches()
    node: Callable[[MatchRegistry, Reader], PlayingNode] = PlayingNode
    if opened.node is not None:
        from evilpegs_server.play.handover import SharingNode  # noqa: PLC0415 - needs the extra `postgres`

        players.free_ids = await asyncio.to_thread(opened.node.take_ids)
        node = partial(SharingNode, node=opened.node, players=players, log=log, timing=timing)
    served = ServedLadders(known, work.codemaking.unavailable_reason)
    absent, practice = settings.guest_absent_seconds, settings.max_practice_matches
    presence = Presence(players, open_matches, clock, absent_seconds=absent, max_practice=practice)
    rounds = Rounds(open_matches, served, engine, wall_ms, log)
    eligibility = Eligibility(served, open_matches, presence, rounds, ServerCounts(), wall_ms)
    registry = MatchRegistry(
        eligibility, work.codemaking, writer, engine, clock, wall_ms, log, node=node, signer=signer, timing=timing
    )
    admission = Admission(settings, timing)
    services = SessionServices(
        registry, players, writer, engine, admission, presence, settings, wall_ms, log, signer.public_key
    )
    await lapse_names(services)
    lapsing = keep_looking(LAPSE_SECONDS, partial(lapse_names, services), "for lapsed names", log, {})
    stack.callback(asyncio.create_task(lapsing).cancel)
    return services, work, rounds


def _open_log(settings: Settings, log: BoundLogger, stack: AsyncExitStack) -> _OpenLog:
    url = settings.database
    if engine_of(url) is SqliteDatabase:
        # the file is locked first and let go last
        lock = DatabaseLock(url)
        stack.callback(lock.release)
        file = SqliteDatabase.open(url, log)
        stack.callback(file.dispose)
        file.guard(lock)
        return _OpenLog(file, SqliteStore(file, lock.check, load_last_event_id(file)), lock.names)
    from evilpegs_server.storage.engines.postgres import PostgresDatabase  # noqa: PLC0415 - needs the extra `postgres`
    from evilpegs_server.storage.engines.postgres_node import ServerNode  # noqa: PLC0415 - likewise

    database = PostgresDatabase.open(url)
    stack.callback(database.dispose)
    node = ServerNode(database, settings.node, settings.lease_seconds)
    stack.callback(node.end)
    make_private_folder(database_file(url).parent)  # for the files beside it
    return _OpenLog(database, node.store, node=node)


def _warn(settings: Settings, opened: _OpenLog, log: BoundLogger) -> None:
    # not the file that the setting `solved` names: it may be of another program
    others = [beside(settings.database, ending) for ending in (".solved", ".feed")]
    keep_private(database_file(settings.database), others, log)
    if opened.names > 1:
        log.warning("the database file has other names (hard links); a server started with one would miss events")
    for ladder in settings.own_ladders().values():
        if ladder.codemaker == "fixed" and ladder.rated and not load_value_curve(ladder.rules, ladder.guess_limit):
            log.warning(NO_CURVE, ladder=ladder.id)


async def _tick(clock: StallFreeClock, loop_lag: Durations) -> None:
    while True:
        loop_lag.add(clock.tick() / 1000)
        await asyncio.sleep(TICK_MS / 1000)


async def _stop(registry: MatchRegistry, gateway: Gateway, log: BoundLogger, timing: Timing) -> None:
    gateway.broadcast(encode(Notice(kind="draining", message="the server is stopping; resume when it is back")))
    try:
        async with asyncio.timeout(timing.drain_seconds):
            await registry.drain()
    except TimeoutError:
        log.warning("some replies were not finished; those guesses were not counted")
    registry.close()
    await gateway.close(1012, "the server stops", timing.close_seconds)
    log.info("stopped", open_matches=len(registry.open))


def _close_writer(writer: Writer, log: BoundLogger) -> None:
    if not writer.close():
        log.error("the last events were not committed in time; their players did not get them")


async def serve_until_stopped(
    settings: Settings, log: BoundLogger, announce: Callable[[RunningServer], None], timing: Timing = Timing()
) -> None:
    """Run a server until a stop signal; ``announce`` waits for kernels at most ``timing.compiling_seconds``."""
    settings = listening.fit_open_files(settings, log)
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if not stopped.is_set():
            stopped.set()
            stopping.force_exit_later(log, timing.stop_seconds)

    for number in stopping.STOP_SIGNALS:
        loop.add_signal_handler(number, stop)
    async with running_server(settings, log, timing=timing) as server:
        stop_noted = asyncio.create_task(stopped.wait())
        first = asyncio.FIRST_COMPLETED
        await asyncio.wait([stop_noted, server.warm], timeout=timing.compiling_seconds, return_when=first)
        announce(server)
        reporting = asyncio.create_task(report_compilation(server.warm, log))
        await stop_noted
        reporting.cancel()


async def report_compilation(warm: asyncio.Task[None], log: BoundLogger) -> None:
    if not warm.done():
        log.info("compiling kernels; until this is done, devils and large rules reply more slowly")
        await asyncio.wait([warm])
        log.info("all kernels are compiled")
