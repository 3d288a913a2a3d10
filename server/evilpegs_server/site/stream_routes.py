"""The routes of server-sent events."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Path, Request, Response
from fastapi.sse import EventSourceResponse

from evilpegs_server.show.streams import ALL
from evilpegs_server.site.match_routes import MatchPath, unknown_match
from evilpegs_server.site.responses import busy_response, problem_statuses
from evilpegs_server.site.site import CurrentSite

_HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "X-Content-Type-Options": "nosniff"}
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Server-sent events; `data` is an event as its match records it, and `id` names it.",
        "content": {EventSourceResponse.media_type: {"schema": {"type": "string"}}},
    }
}
_OVER: Final[dict[int | str, dict[str, Any]]] = {204: {"description": "The match is over, and nothing is left."}}

router = APIRouter(tags=["streams"])
LastEventId = Annotated[
    str | None, Header(description="The `id` of the last event that the client has.", max_length=64)
]


async def _answer(site: CurrentSite, request: Request, content: AsyncIterator[bytes]) -> Response:
    if request.method == "HEAD":
        return Response(headers=_HEADERS, media_type=EventSourceResponse.media_type)
    if site.streams.is_full:
        return busy_response("too many clients follow events; try again soon")
    return EventSourceResponse(content, headers=_HEADERS)


@router.head("/matches/{match}/events", include_in_schema=False)
@router.get(
    "/matches/{match}/events",
    response_class=Response,
    responses=_STREAM | _OVER | problem_statuses(404),
)
async def follow_match(
    site: CurrentSite, request: Request, match: MatchPath, last_event_id: LastEventId = None
) -> Response:
    """Follow a match: its events so far, each new one as soon as its player has it, and the end of the stream with it.

    With the header `Last-Event-ID`, the stream begins after that event; if nothing can follow, the status is 204.
    """
    state = await site.streams.last_seq(match)
    if state is None:
        raise unknown_match(match)
    last, is_over = state
    after = site.streams.parse_id(last_event_id or "") or 0
    if is_over and after >= last:
        return Response(status_code=204)
    return await _answer(site, request, site.streams.match(match, after))


@router.head("/ladders/{ladder}/events", include_in_schema=False)
@router.get(
    "/ladders/{ladder}/events",
    response_class=Response,
    responses=_STREAM | problem_statuses(404),
)
async def follow_ladder(
    site: CurrentSite,
    request: Request,
    ladder: Annotated[str, Path(description="The id of a ladder.", examples=["classic"])],
    last_event_id: LastEventId = None,
) -> Response:
    """Follow the matches on a ladder from now on, or from `Last-Event-ID` on.

    An event of the type `reset` says that the named event is too old or of another log, so that some were missed.
    """
    return await _follow(site, request, site.find_ladder(ladder).id, last_event_id)


@router.head("/events", include_in_schema=False)
@router.get("/events", response_class=Response, responses=_STREAM | problem_statuses())
async def follow_all(site: CurrentSite, request: Request, last_event_id: LastEventId = None) -> Response:
    """Follow all matches, as those on a ladder are followed."""
    return await _follow(site, request, ALL, last_event_id)


async def _follow(site: CurrentSite, request: Request, topic: str, last_event_id: str | None) -> Response:
    streams = site.streams
    if last_event_id is None:
        return await _answer(site, request, streams.new_events(topic))
    return await _answer(site, request, streams.events_after(topic, streams.parse_id(last_event_id)))
