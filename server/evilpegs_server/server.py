"""The server: opens its parts in order, runs until it is stopped, and closes them in reverse order."""

import asyncio
import signal
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_protocol.codec import encode
from evilpegs_protocol.limits import PATH
from evilpegs_protocol.server_messages import Notice
from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.gateway.entrance import EntranceRules
from evilpegs_server.gateway.gateway import Gateway
from evilpegs_server.hosts import AllowedOrigins, SiteAddress, allowed_hosts, host_in_url
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.outlets import address_error, check_addresses, find_broker, find_game_address
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.settings import Settings
from evilpegs_server.starting import (
    Start,
    open_registry,
    open_services,
    open_site_and_feed,
    open_storage,
    open_work,
    start_chores,
    warm_up_worker,
)
from evilpegs_server.stopping import (
    CLOSE_SECONDS,
    DRAIN_SECONDS,
    force_exit_later,
)
from evilpegs_server.storage.archive import load_open_matches
from evilpegs_server.tls import load_tls
from evilpegs_server.work.interpreter import tune_gc_and_gil

# Windows has no SIGHUP
_STOP_SIGNALS: Final = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))
# loading compiled kernels takes a second or two
COMPILING_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True)
class RunningServer:
    host: str
    port: int
    database: str
    registry: MatchRegistry
    warm: asyncio.Task[None]
    """Done when the worker process has compiled its kernels."""
    site: SiteAddress | None = None
    is_secure: bool = False

    @property
    def url(self) -> str:
        """The WebSocket URL for clients on this machine."""
        return f"{'wss' if self.is_secure else 'ws'}://{host_in_url(self.host)}:{self.port}{PATH}"

    @property
    def site_url(self) -> str | None:
        """The URL of the site for clients on this machine."""
        return None if self.site is None else self.site.url_for(self.host)


def wall_ms() -> int:
    """Return the Unix time."""
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
    """Run a server within the block, then stop it in order.

    Raises DatabaseUnusableError, KeyUnusableError, BrokerUnusableError, TlsUnusableError or AddressUnusableError, all
    before it accepts connections.
    """
    broker = find_broker(settings)
    tls = load_tls(settings.tls_cert, settings.tls_key)
    await check_addresses(settings)
    async with AsyncExitStack() as stack:
        clock = clock or StallFreeClock(asyncio.get_running_loop().time)
        start = Start(settings, log, stack, wall_ms, clock, find_game_address(settings))
        storage = open_storage(start)
        work = open_work(start, storage)
        registry = open_registry(start, storage, work, ladders or load_ladders())
        warm = warm_up_worker(start, work, registry)
        stack.enter_context(tune_gc_and_gil())
        services = await open_services(start, storage, work, registry)
        hosts = allowed_hosts(settings.hosts, settings.site_url)
        site = await open_site_and_feed(start, storage, work, services, broker, hosts, tls)
        origins = AllowedOrigins(hosts, site, settings.site_url)
        rules = EntranceRules(hosts, origins, TrustedProxies(settings.trusted_proxies), tls)
        gateway = Gateway(services, start.clock, rules, site)
        start_chores(start, services)
        host, port = await _listen(gateway, settings)
        start.game.port = port
        try:
            for stored in load_open_matches(storage.engine, registry.skip_unreadable):
                registry.restore(stored)
            services.presence.restore()
            log.info("listening", host=host, port=port, database=settings.database, resumed=len(registry))
            yield RunningServer(host, port, settings.database, registry, warm, site, tls is not None)
        finally:
            await _stop(registry, gateway, log)
            log.debug("codemaking", **asdict(work.codemaking.metrics()), **work.process.state._asdict())


async def serve_until_stopped(settings: Settings, log: BoundLogger, announce: Callable[[RunningServer], None]) -> None:
    """Run a server until SIGTERM, SIGINT or SIGHUP; ``announce`` waits for kernels at most `COMPILING_SECONDS`.

    The process ends less than ten seconds after the signal, even if a step of stopping hangs.
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
        await asyncio.wait([stopping, server.warm], timeout=COMPILING_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        announce(server)
        reporting = asyncio.create_task(report_compilation(server.warm, log))
        await stopping
        reporting.cancel()


async def report_compilation(warm: asyncio.Task[None], log: BoundLogger) -> None:
    if not warm.done():
        log.info("compiling kernels; until this is done, devils and large rules reply more slowly")
        await asyncio.wait([warm])
        log.info("all kernels are compiled")


async def _listen(gateway: Gateway, settings: Settings) -> tuple[str, int]:
    try:
        return await gateway.open(settings.host, settings.port)
    except OSError as error:
        raise address_error(error, settings.host, settings.port, "--port") from None


async def _stop(registry: MatchRegistry, gateway: Gateway, log: BoundLogger) -> None:
    gateway.broadcast(encode(Notice(kind="draining", message="the server is stopping; resume when it is back")))
    try:
        async with asyncio.timeout(DRAIN_SECONDS):
            await registry.drain()
    except TimeoutError:
        log.warning("some replies were not finished; those guesses were not counted")
    registry.close()
    await gateway.close(1012, "the server stops", CLOSE_SECONDS)
    log.info("stopped", open_matches=len(registry))
