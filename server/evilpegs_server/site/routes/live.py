"""The route of the matches that are played now, read from memory, not from the database."""

from heapq import nlargest
from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from evilpegs_protocol.fields import LadderId, MatchId
from evilpegs_server.play.runner import MatchRunner
from evilpegs_server.site.models import LiveMatch, LivePage
from evilpegs_server.site.responses import document, next_page, problem_statuses
from evilpegs_server.site.site import CurrentSite, Site

router = APIRouter(tags=["matches"])


class LiveQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ladder: Annotated[LadderId | None, Field(description="Only matches on this ladder.")] = None
    limit: Annotated[int, Field(ge=1, le=100, description="The number of matches on a page.")] = 50
    cursor: Annotated[MatchId | None, Field(description="Where the page begins, from `next` of the page before.")] = (
        None
    )


@router.get("/live", response_model=LivePage, responses=problem_statuses(400, 404))
async def get_live(site: CurrentSite, query: Annotated[LiveQuery, Query()]) -> Response:
    """Return a page of the matches that are played now, the newest first."""
    if query.ladder is not None:
        site.find_ladder(query.ladder)
    runners = [
        runner for runner in site.registry.runners if runner.sent_count and query.ladder in {None, runner.key.ladder.id}
    ]
    rest = [runner for runner in runners if query.cursor is None or runner.key.id < query.cursor]
    page = nlargest(query.limit, rest, key=lambda runner: runner.key.id)
    cursor = page[-1].key.id if len(rest) > len(page) else None
    following = next_page(site.base_path, "/api/v1/live", query.model_dump(), cursor)
    matches = tuple(_live_match(site, runner) for runner in page)
    return document(LivePage(matches=matches, total=len(runners), next=following))


def _live_match(site: Site, runner: MatchRunner) -> LiveMatch:
    game, turn = _position(runner)
    return LiveMatch(
        match=runner.key.id,
        ladder=runner.key.ladder.id,
        player=orjson.loads(runner.event_log.entries[0].text)["player"],
        game=game,
        turn=turn,
        watchers=site.registry.watchers.count(runner.key),
    )


def _position(runner: MatchRunner) -> tuple[int, int]:
    # as the player has received it; turn 0 before they have sent `ready`
    last = orjson.loads(runner.event_log.entries[runner.sent_count - 1].text)
    if last["type"] == "feedback":
        return last["game"], last["turn"] + 1
    return last.get("game", 1), min(runner.match.turn, 1)
