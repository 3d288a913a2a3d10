from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, HTTPException, Path, Request
from structlog.stdlib import BoundLogger

from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.hosts import AllowedHosts, PublicAddress
from evilpegs_server.leaderboard.live_leaderboards import LiveLeaderboards
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.show.crowd import Crowd
from evilpegs_server.show.follower import Follower
from evilpegs_server.show.rounds import ShownRounds
from evilpegs_server.show.streams import Streams
from evilpegs_server.site.analysis import MatchAnalyses, PositionAnswers
from evilpegs_server.site.metrics import ShowMetrics
from evilpegs_server.site.models import LadderList
from evilpegs_server.site.page import Page, load_page
from evilpegs_server.storage.queries import Reader
from evilpegs_server.storage.reads import Reads


@dataclass(slots=True)
class Site:
    """What the routes answer from. ``game`` and ``address`` are where clients reach the game and the site."""

    all_ladders: Mapping[str, Ladder]
    ladders: LadderList
    engine: Reader
    follower: Follower
    leaderboards: LiveLeaderboards
    reads: Reads
    analyses: MatchAnalyses
    positions: PositionAnswers
    streams: Streams
    crowd: Crowd
    rounds: ShownRounds
    metrics: ShowMetrics
    public_metrics: bool
    allow_origins: Sequence[str]
    hosts: AllowedHosts
    game: PublicAddress
    address: PublicAddress
    public_keys: Sequence[str]
    """The one in use last; none if the server has not made one."""
    log: BoundLogger
    page: Page = field(default_factory=load_page)
    version: str = field(default_factory=lambda: version("evilpegs"))

    @property
    def base_path(self) -> str:
        """The path of the site for its clients, without a slash at its end."""
        return urlsplit(self.address.url or "").path.rstrip("/")

    def find_ladder(self, ladder: str) -> Ladder:
        """Return a ladder. Raises HTTPException 404 for an unknown one."""
        known = self.all_ladders
        if ladder not in known:
            refusal = unknown_ladder_text(ladder, known).encode("ascii", "backslashreplace").decode()
            raise HTTPException(404, f"{refusal}; see /api/v1/ladders")
        return known[ladder]

    def game_url(self, request: Request) -> str | None:
        """Return the URL of the game for a client that reaches this server under the host of ``request``."""
        return self.game.url_for(self._host(request))

    def url(self, request: Request) -> str | None:
        """Return the URL of the site, with a slash at its end, as the client of ``request`` reaches it."""
        return self.address.url_for(self._host(request))

    def _host(self, request: Request) -> str:
        return self.hosts.find(request.headers.getlist("host")) or "localhost"


async def _site(request: Request) -> Site:
    site: Site = request.app.state.site
    return site


CurrentSite = Annotated[Site, Depends(_site)]
LadderPath = Annotated[str, Path(description="The id of a ladder.", examples=["classic"])]
