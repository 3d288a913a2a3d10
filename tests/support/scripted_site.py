"""A site of which a test scripts the answers, on a real socket, and a game port whose `welcome` names it."""

import json
import socket
from contextlib import asynccontextmanager

from starlette.responses import Response, StreamingResponse
from websockets.asyncio.server import serve

from evilpegs_server.addresses import TrustedProxies
from evilpegs_server.site.http_server import Visitors, running_http_server
from evilpegs_server.site.metrics import SiteCounts
from evilpegs_server.timing import Timing

LIMITS = {"frame_bytes": 4096, "nesting": 8, "open_matches": 8, "requests_per_second": 100}
LADDER = {"rules": "3x4", "codemaker": "fixed", "tie": None, "clock": None, "guess_limit": 4, "games": 1, "rated": True}


def event(number, text, kind=None):
    """Return the bytes of a server-sent event; ``text`` is its data, or a value that becomes its JSON."""
    data = text if isinstance(text, str) else json.dumps(text)
    return (f"event: {kind}\n" if kind else "") + f"id: log-{number}\ndata: {data}\n\n"


class ScriptedSite:
    """A site whose ``answers`` map a path to what it answers, or to a list of what it answers one after another.

    An answer is a status, a JSON value, a text, or a list of server-sent events after which the connection is closed.
    ``requests`` has the paths that were asked for, and ``resumed`` the `Last-Event-ID` of each stream.
    """

    def __init__(self, answers=None, *, has_site=True):
        self.answers, self.requests, self.resumed, self._has_site = answers or {}, [], [], has_site
        self.url = self.public_url = None

    async def __call__(self, scope, receive, send):
        path = scope["path"] + (f"?{scope['query_string'].decode()}" if scope["query_string"] else "")
        self.requests.append(path)
        answer = self.answers.get(path, 404)
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        headers = dict(scope["headers"])
        if isinstance(answer, Stream):
            self.resumed.append(headers.get(b"last-event-id", b"").decode())
        await self._response(answer)(scope, receive, send)

    def _response(self, answer):
        if isinstance(answer, Stream):
            return StreamingResponse(answer.chunks(), media_type="text/event-stream")
        if isinstance(answer, int):
            problem = {"status": answer, "detail": f"problem {answer}"}
            return Response(json.dumps(problem) if answer != 204 else "", answer, media_type="application/problem+json")
        return Response(answer if isinstance(answer, str) else json.dumps(answer), media_type="application/json")

    async def converse(self, connection):
        """Answer `hello` on a game port."""
        async for text in connection:
            site = (self.public_url or self.url) if self._has_site else None
            welcome = {"type": "welcome", "player": "guest-1", "kind": "guest", "token": "0" * 64, "open": []}
            welcome |= {"ladders": [LADDER | {"id": name} for name in ("tiny", "other")], "limits": LIMITS}
            welcome |= {"server": {"name": "evilpegs", "version": "1", "site": site}, "re": json.loads(text)["id"]}
            await connection.send(json.dumps(welcome))


class Stream:
    """Server-sent events, after which the stream ends."""

    def __init__(self, *events):
        self._events = events

    async def chunks(self):
        for each in self._events:
            yield each.encode()


@asynccontextmanager
async def running_site(site):
    """Run a scripted site and its game port during the block, and yield the URL of the game."""
    listener = socket.create_server(("127.0.0.1", 0))
    site.url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    options = {"subprotocols": ["evilpegs.v1"], "compression": None, "close_timeout": 1}
    async with (
        running_http_server(site, [listener], SiteCounts(), 100, Visitors(TrustedProxies(), 100), Timing()),
        serve(site.converse, "127.0.0.1", 0, **options) as server,
    ):
        yield f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
