"""The routes of server-sent events."""

import asyncio
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Request, Response
from fastapi.sse import EventSourceResponse
from starlette.types import Receive, Scope, Send

from evilpegs_server.show.crowd import Reading
from evilpegs_server.show.streams import ALL, HEARTBEAT, Stream, Streams
from evilpegs_server.site.http_server import Connection
from evilpegs_server.site.match_routes import MatchPath
from evilpegs_server.site.responses import problem_statuses, unknown_match
from evilpegs_server.site.site import CurrentSite, LadderPath
from evilpegs_server.storage.reads import BusyError

# no-transform: proxies that compress or rewrite would keep the events back
_HEADERS: Final = {
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
}
_EVENT: Final = {
    "type": "object",
    "required": ["data"],
    "properties": {
        "id": {"type": "string"},
        "event": {"enum": ["place", "reset", "round_closed"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
_STREAM: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "Server-sent events; `data` is an event as its match records it, and `id` names it.",
        "content": {EventSourceResponse.media_type: {"itemSchema": _EVENT}},
    }
}
_OVER: Final[dict[int | str, dict[str, Any]]] = {204: {"description": "The match is over, and nothing is left."}}

router = APIRouter(tags=["streams"])
LastEventId = Annotated[str | None, Header(description="The `id` of the last event that the client has.")]


class _EventStream(EventSourceResponse):
    # events are written straight to the connection: on their way through the layers of the site, each event and client
    # would cost five times what sending it costs
    def __init__(self, stream: Stream) -> None:
        super().__init__((), headers=_HEADERS)
        self._stream = stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        stream = self._stream
        connection: Connection = scope["state"]["connection"]
        leaving = asyncio.create_task(_wait_until_gone(receive))
        leaving.add_done_callback(lambda _: stream.over.set())
        connection.begin_stream()
        try:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            # something at once, so that the client knows that it is connected
            await send({"type": "http.response.body", "body": stream.take() or HEARTBEAT, "more_body": True})
            # when the client has read most of what came before, however much that was
            await send({"type": "http.response.body", "body": b"", "more_body": True})
            stream.begin(connection.write_chunk if scope["http_version"] == "1.1" else connection.write)
            await stream.over.wait()
            await send({"type": "http.response.body", "body": b""})
        finally:
            leaving.cancel()
            stream.close()


async def _wait_until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _answer(request: Request, stream: Stream) -> Response:
    if request.method == "HEAD":
        stream.close()
        return Response(headers=_HEADERS, media_type=EventSourceResponse.media_type)
    return _EventStream(stream)


def _room_in(site: CurrentSite, last_event_id: str | None) -> Streams:
    if last_event_id is not None:
        site.crowd.admit(Reading.RESUMED)
    if site.streams.is_full:
        raise BusyError("too many clients follow events; try again soon")
    return site.streams


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
    stream = await _room_in(site, last_event_id).open_match(match, last_event_id)
    if stream is None:
        raise unknown_match(match)
    if stream.over.is_set() and stream.is_empty:
        stream.close()
        return Response(status_code=204)
    return _answer(request, stream)


@router.head("/ladders/{ladder}/events", include_in_schema=False)
@router.get(
    "/ladders/{ladder}/events",
    response_class=Response,
    responses=_STREAM | problem_statuses(404),
)
async def follow_ladder(
    site: CurrentSite, request: Request, ladder: LadderPath, last_event_id: LastEventId = None
) -> Response:
    """Follow the matches on a ladder from now on, or from `Last-Event-ID` on.

    An event of the type `reset` says that the named event is too old or of another log, so that some were missed.
    """
    topic = site.find_ladder(ladder).id
    return _answer(request, await _room_in(site, last_event_id).open_topic(topic, last_event_id))


@router.head("/events", include_in_schema=False)
@router.get("/events", response_class=Response, responses=_STREAM | problem_statuses())
async def follow_all(site: CurrentSite, request: Request, last_event_id: LastEventId = None) -> Response:
    """Follow all matches, as those on a ladder are followed."""
    return _answer(request, await _room_in(site, last_event_id).open_topic(ALL, last_event_id))
