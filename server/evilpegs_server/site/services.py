from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy import Engine
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts, GameAddress
from evilpegs_server.leaderboard.leaderboards import LiveLeaderboards
from evilpegs_server.play.registry import MatchRegistry
from evilpegs_server.site.analysis import MatchAnalyses
from evilpegs_server.site.loop_share import MeteredReads
from evilpegs_server.site.metrics import Metrics
from evilpegs_server.site.models import LadderList
from evilpegs_server.site.page import WebFile
from evilpegs_server.site.readiness import Readiness
from evilpegs_server.storage.server_key import ServerKey


@dataclass(frozen=True, slots=True)
class SiteServices:
    """The services that all requests to the site share.

    ``base_path`` is the path at which clients reach the site, without a slash at its end.
    """

    registry: MatchRegistry
    engine: Engine
    ladders: LadderList
    leaderboards: LiveLeaderboards
    analyses: MatchAnalyses
    readiness: Readiness
    reads: MeteredReads
    metrics: Metrics
    public_metrics: bool
    hosts: AllowedHosts
    game: GameAddress
    web_files: Mapping[str, WebFile]
    base_path: str
    version: str
    log: BoundLogger
    server_key: ServerKey


async def _services(request: Request) -> SiteServices:
    services: SiteServices = request.app.state.services
    return services


Services = Annotated[SiteServices, Depends(_services)]
"""The type of the parameter through which a route receives the services."""
