"""The outlets of a server: the site and the live feed, neither of which can delay a match."""

import errno
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from importlib.metadata import version
from ssl import SSLContext
from typing import Final
from urllib.parse import urlsplit

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.broker import Broker, load_broker, require_aiomqtt
from evilpegs_protocol.limits import PATH
from evilpegs_server.hosts import AllowedHosts, GameAddress, SiteAddress, game_url_beside
from evilpegs_server.leaderboard.leaderboards import LiveLeaderboards
from evilpegs_server.play.counts import Seats
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.replies.codemaking import Codemaking
from evilpegs_server.settings import Settings
from evilpegs_server.site.analysis import MatchAnalyses
from evilpegs_server.site.http_server import bind
from evilpegs_server.site.metrics import Metrics, MetricSources
from evilpegs_server.site.running_site import SiteOptions, SiteSources, running_site
from evilpegs_server.storage.durations import Durations
from evilpegs_server.storage.reads import Reads
from evilpegs_server.storage.server_key import ServerKey
from evilpegs_server.storage.writer import Writer
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.worker_process import WorkerProcess

_ALL_INTERFACES: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognized, not bound


class AddressUnusableError(EvilpegsError):
    """An address that the server cannot listen on, with one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class OutletSources:
    registry: MatchRegistry
    engine: Engine
    writer: Writer
    codemaking: Codemaking
    leaderboards: LiveLeaderboards
    reads: Reads
    pools: Mapping[str, TaskPool]
    loop_lag: Durations
    log: BoundLogger
    server_key: ServerKey
    game: GameAddress
    process: WorkerProcess
    seats: Callable[[], Seats]
    table_sizes: Callable[[], Mapping[str, int]]


def find_game_address(settings: Settings) -> GameAddress:
    url, host = settings.game_url, None
    if url is None and settings.site_url is not None:
        url = game_url_beside(settings.site_url, settings.site_port, PATH)
        host = urlsplit(settings.site_url).hostname
    elif settings.site_host not in {None, settings.host} and settings.host not in _ALL_INTERFACES:
        host = settings.host
    return GameAddress(PATH, url, host, "ws" if settings.tls_cert is None else "wss")


def find_broker(settings: Settings) -> Broker | None:
    """Return the broker of the feed; raises BrokerUnusableError if the settings or the MQTT library are unusable."""
    if settings.mqtt is None:
        return None
    require_aiomqtt()
    password = settings.mqtt_password.get_secret_value() if settings.mqtt_password else None
    return load_broker(settings.mqtt, settings.mqtt_user, password, settings.mqtt_password_file, settings.mqtt_ca_file)


async def check_addresses(settings: Settings) -> None:
    """Raise AddressUnusableError unless the server can listen on its addresses."""
    if settings.site and settings.port == settings.site_port != 0:
        message = f"--port and --site-port are both {settings.port}; choose two ports"
        raise AddressUnusableError(message)
    addresses = [(settings.host, settings.port, "--port", "--host")]
    if settings.site:
        addresses.append(
            (settings.site_host or settings.host, settings.site_port, "--site-port", _host_option(settings))
        )
    for host, port, option, host_option in addresses:
        try:
            listeners = await bind(host, port)
        except OSError as error:
            raise address_error(error, host, port, option, host_option) from None
        for listener in listeners:
            listener.close()


def _host_option(settings: Settings) -> str:
    return "--host" if settings.site_host is None else "the setting site_host"


async def open_outlets(
    settings: Settings,
    broker: Broker | None,
    hosts: AllowedHosts,
    sources: OutletSources,
    tls: SSLContext | None,
    stack: AsyncExitStack,
) -> SiteAddress | None:
    """Open the site and the feed if they are wanted; raises AddressUnusableError."""
    if broker is not None:
        _start_feed(broker, settings.server_id, sources, stack)
    return await _open_site(settings, hosts, sources, tls, stack) if settings.site else None


async def open_leaderboards(
    registry: MatchRegistry, engine: Engine, log: BoundLogger, stack: AsyncExitStack
) -> LiveLeaderboards:
    """Start leaderboards that count stored games in the background and new ones as they end."""
    leaderboards = LiveLeaderboards(engine, registry.ladders, log)
    stack.push_async_callback(leaderboards.close)
    await leaderboards.start()
    registry.audience.listen(leaderboards.wake)
    return leaderboards


def _start_feed(broker: Broker, server_id: str, sources: OutletSources, stack: AsyncExitStack) -> None:
    from evilpegs_server.feed.feed import Feed, FeedServices  # noqa: PLC0415 - needs the extra `mqtt`

    registry, engine, writer, log = sources.registry, sources.engine, sources.writer, sources.log
    leaderboards = sources.leaderboards
    leaderboards.keep_counting()
    feed = Feed(FeedServices(broker, server_id, version("evilpegs"), registry, engine, writer, leaderboards, log))
    feed.start()
    stack.push_async_callback(feed.close)


async def _open_site(
    settings: Settings,
    hosts: AllowedHosts,
    sources: OutletSources,
    tls: SSLContext | None,
    stack: AsyncExitStack,
) -> SiteAddress:
    host = settings.site_host or settings.host
    is_apart = host != settings.host and host not in _ALL_INTERFACES
    scheme = "http" if settings.tls_cert is None else "https"
    address = SiteAddress(settings.site_port, settings.site_url, host if is_apart else None, scheme)
    base_path, public_metrics = address.base_path, settings.public_metrics
    options = SiteOptions(host, settings.site_port, base_path, hosts, public_metrics, sources.game, tls)
    try:
        port = await stack.enter_async_context(running_site(options, _site_sources(sources)))
    except OSError as error:
        raise address_error(error, host, settings.site_port, "--site-port", _host_option(settings)) from None
    return replace(address, port=port)


def _site_sources(sources: OutletSources) -> SiteSources:
    analyses = MatchAnalyses(sources.engine, sources.pools["analyses"])
    pools = {name: pool.metrics for name, pool in sources.pools.items()}
    caches = {
        "replies": lambda: sources.codemaking.metrics().known,
        "worker": lambda: sources.process.state.cache,
        "analyses": lambda: analyses.state,
    }
    registry, writer, engine, log = sources.registry, sources.writer, sources.engine, sources.log
    numbers = MetricSources(registry, writer, sources.loop_lag, sources.seats, sources.table_sizes, pools, caches)
    leaderboards, reads, key = sources.leaderboards, sources.reads, sources.server_key
    return SiteSources(registry, writer, engine, leaderboards, reads, analyses, Metrics(numbers), log, key)


def address_error(
    error: OSError, host: str, port: int, option: str, host_option: str = "--host"
) -> AddressUnusableError:
    """Word ``error``, raised on listening; the options are those that set the port and the host."""
    reason = "the port is in use" if error.errno == errno.EADDRINUSE else _reason(error)
    change = option if error.errno in {errno.EADDRINUSE, errno.EACCES} else host_option
    return AddressUnusableError(f"cannot listen on {host} port {port}: {reason}; choose another with {change}")


def _reason(error: OSError) -> str:
    # asyncio puts a sentence with the address before the system's text
    reason = (error.strerror or str(error)).rpartition("): ")[2]
    return reason[:1].lower() + reason[1:]
