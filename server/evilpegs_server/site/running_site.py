from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import version
from ssl import SSLContext

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts, GameAddress
from evilpegs_server.leaderboard.leaderboards import LiveLeaderboards
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.site.analysis import MatchAnalyses
from evilpegs_server.site.app import create_app
from evilpegs_server.site.http_server import bind, running_http_server
from evilpegs_server.site.ladder_documents import ladder_list
from evilpegs_server.site.loop_share import LoopShare, MeteredReads
from evilpegs_server.site.metrics import Metrics
from evilpegs_server.site.page import load_web_files
from evilpegs_server.site.readiness import Readiness
from evilpegs_server.site.services import SiteServices
from evilpegs_server.storage.reads import Reads
from evilpegs_server.storage.server_key import ServerKey
from evilpegs_server.storage.writer import Writer


@dataclass(frozen=True, slots=True)
class SiteOptions:
    host: str
    port: int
    base_path: str
    hosts: AllowedHosts
    public_metrics: bool
    game: GameAddress
    tls: SSLContext | None = None


@dataclass(frozen=True, slots=True)
class SiteSources:
    registry: MatchRegistry
    writer: Writer
    engine: Engine
    leaderboards: LiveLeaderboards
    reads: Reads
    analyses: MatchAnalyses
    metrics: Metrics
    log: BoundLogger
    server_key: ServerKey


@asynccontextmanager
async def running_site(options: SiteOptions, sources: SiteSources) -> AsyncIterator[int]:
    """Serve the site within the block and yield its port; raises OSError if the address cannot be bound."""
    sockets = await bind(options.host, options.port)
    share = LoopShare()
    app = create_app(_services(options, sources, share))
    try:
        async with running_http_server(app, sockets, sources.registry.counts.http, options.tls, share):
            yield sockets[0].getsockname()[1]
    finally:
        sources.analyses.close()


def _services(options: SiteOptions, sources: SiteSources, share: LoopShare) -> SiteServices:
    return SiteServices(
        registry=sources.registry,
        engine=sources.engine,
        ladders=ladder_list(sources.registry),
        leaderboards=sources.leaderboards,
        analyses=sources.analyses,
        readiness=Readiness(sources.registry, sources.writer),
        reads=MeteredReads(sources.reads, share),
        metrics=sources.metrics,
        public_metrics=options.public_metrics,
        hosts=options.hosts,
        game=options.game,
        web_files=load_web_files(),
        base_path=options.base_path,
        version=version("evilpegs"),
        log=sources.log,
        server_key=sources.server_key,
    )
