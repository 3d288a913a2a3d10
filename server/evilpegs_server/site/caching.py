"""A layer that gives every answer an entity tag, compresses it, and sends nothing to a client that has it already.

The tag is a hash of the body, so equal answers have equal tags, whatever time or restart is between them. The tag of
the compressed form differs, because it stands for other bytes.
"""

import gzip
import hashlib
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evilpegs_server.site.loop_share import MeteredReads
from evilpegs_server.site.negotiation import accepts_gzip, accepts_media, matching_tag
from evilpegs_server.site.problems import problem_response
from evilpegs_server.storage.reads import BusyError

MIN_GZIP_BYTES: Final = 1_000
"""The smallest body that is compressed; smaller ones fit into one packet as they are."""
MAX_INLINE_BYTES: Final = 8_000
"""The largest body that is compressed in the event loop, which takes a quarter of a millisecond."""
GZIP_LEVEL: Final = 5
REVALIDATE: Final = "no-cache"
"""The answer may be kept, but the client must ask whether it still holds."""

_KEPT: Final = ("Cache-Control", "Vary", "X-Content-Type-Options", "Content-Security-Policy", "Referrer-Policy")
"""The headers of an answer that a client has already, which replace those that it kept."""


@dataclass(slots=True)
class _Answer:
    """The answer of the application, whole."""

    status: int = 500
    headers: MutableHeaders = field(default_factory=MutableHeaders)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = MutableHeaders(raw=list(message["headers"]))
        else:
            self.body += message.get("body", b"")


class Caching:
    """The layer. The bodies of all answers are whole, so that they can be hashed."""

    def __init__(self, app: ASGIApp, reads: MeteredReads) -> None:
        self._app = app
        self._reads = reads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and send the answer in the form that the client wants."""
        answer = _Answer()
        await self._app(scope, receive, answer.take)
        answer.headers.setdefault("X-Content-Type-Options", "nosniff")
        response = await self._represent(answer, Headers(scope=scope))
        await response(scope, receive, send)

    async def _represent(self, answer: _Answer, request: Headers) -> Response:
        if answer.status != 200:
            answer.headers.setdefault("Cache-Control", "no-store")
            return _response(answer)
        media_type = answer.headers.get("content-type", "").partition(";")[0]
        if not accepts_media(request.get("accept", ""), media_type):
            return problem_response(406, f"this is {media_type}, which the header Accept of the request excludes")
        return await self._tagged(answer, request)

    async def _tagged(self, answer: _Answer, request: Headers) -> Response:
        plain_tag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
        gzip_tag = plain_tag[:-1] + '-gzip"'
        answer.headers.setdefault("Cache-Control", REVALIDATE)
        answer.headers.add_vary_header("Accept-Encoding")
        known = matching_tag(request.get("if-none-match", ""), (plain_tag, gzip_tag))
        if known is not None:
            return _not_modified(answer, known)
        answer.headers["ETag"] = plain_tag
        if len(answer.body) >= MIN_GZIP_BYTES and accepts_gzip(request.get("accept-encoding", "")):
            await self._compress(answer, gzip_tag)
        return _response(answer)

    async def _compress(self, answer: _Answer, tag: str) -> None:
        """Compress an answer in place. A large one is left as it is while the threads have too much to do."""
        if len(answer.body) <= MAX_INLINE_BYTES:
            body = _gzip(answer.body)
        else:
            try:
                body = await self._reads.run(_gzip, answer.body)
            except BusyError:
                return
        answer.body = body
        answer.headers["ETag"] = tag
        answer.headers["Content-Encoding"] = "gzip"


def _gzip(body: bytes) -> bytes:
    return gzip.compress(body, GZIP_LEVEL, mtime=0)


def _response(answer: _Answer) -> Response:
    answer.headers["Content-Length"] = str(len(answer.body))
    response = Response(answer.body, answer.status)
    response.raw_headers = answer.headers.raw
    return response


def _not_modified(answer: _Answer, tag: str) -> Response:
    kept = {name: answer.headers[name] for name in _KEPT if name in answer.headers}
    return Response(status_code=304, headers=kept | {"ETag": tag})
