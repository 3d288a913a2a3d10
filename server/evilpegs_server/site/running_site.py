"""The site as a whole: its services, its application and its sockets."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version

from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.matches.registry import MatchRegistry
from evilpegs_server.site.analysis import MatchAnalyses
from evilpegs_server.site.app import create_app
from evilpegs_server.site.http_server import bind, running_http_server
from evilpegs_server.site.leaderboard_bodies import LeaderboardBodies
from evilpegs_server.site.readiness import Readiness
from evilpegs_server.site.reads import Reads
from evilpegs_server.site.services import SiteServices
from evilpegs_server.storage.leaderboards import LiveLeaderboards
from evilpegs_server.storage.writer import Writer


@asynccontextmanager
async def running_site(
    host: str,
    port: int,
    base_path: str,
    hosts: AllowedHosts,
    registry: MatchRegistry,
    writer: Writer,
    engine: Engine,
    leaderboards: LiveLeaderboards,
    log: BoundLogger,
) -> AsyncIterator[tuple[str, int]]:
    """Run the site within the block, and give the block the host and port that were bound. Raises OSError."""
    sockets = await bind(host, port)
    reads = Reads()
    services = SiteServices(
        registry=registry,
        engine=engine,
        leaderboards=leaderboards,
        leaderboard_bodies=LeaderboardBodies(leaderboards, reads),
        analyses=MatchAnalyses(engine),
        readiness=Readiness(registry, writer),
        reads=reads,
        hosts=hosts,
        base_path=base_path,
        version=version("evilpegs"),
        log=log,
    )
    try:
        async with running_http_server(create_app(services), sockets):
            bound = sockets[0].getsockname()
            yield bound[0], bound[1]
    finally:
        reads.close()
