"""ASGI middleware that tags and compresses responses, and answers 304 if the client has the response already.

The entity tag is a hash of the body, so equal bodies have equal tags, even after a restart. The compressed form has a
tag of its own, because its bytes differ.
"""

import gzip
import hashlib
from dataclasses import dataclass, field
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evilpegs_server.site.loop_share import MeteredReads
from evilpegs_server.site.responses import is_stream
from evilpegs_server.storage.reads import BusyError

# smaller bodies fit into one packet without compression
MIN_GZIP_BYTES: Final = 1_000
# this many bytes are compressed on the event loop in a quarter of a millisecond
MAX_INLINE_BYTES: Final = 8_000
GZIP_LEVEL: Final = 5
# a client may keep the response but must validate it before each use
REVALIDATE: Final = "no-cache"

# repeated by a response with the status 304
_KEPT: Final = ("Cache-Control", "Vary", "X-Content-Type-Options", "Content-Security-Policy", "Referrer-Policy")


@dataclass(slots=True)
class _Answer:
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
    """ASGI middleware that collects each body, then tags and compresses it."""

    def __init__(self, app: ASGIApp, reads: MeteredReads) -> None:
        self._app = app
        self._reads = reads

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_stream(scope):
            await self._app(scope, receive, send)
            return
        answer = _Answer()
        await self._app(scope, receive, answer.take)
        answer.headers.setdefault("X-Content-Type-Options", "nosniff")
        response = await self._represent(answer, Headers(scope=scope))
        await response(scope, receive, send)

    async def _represent(self, answer: _Answer, request: Headers) -> Response:
        if answer.status != 200:
            answer.headers.setdefault("Cache-Control", "no-store")
            return _response(answer)
        plain_tag = f'"{hashlib.sha256(answer.body).hexdigest()[:32]}"'
        gzip_tag = plain_tag[:-1] + '-gzip"'
        answer.headers.setdefault("Cache-Control", REVALIDATE)
        answer.headers.add_vary_header("Accept-Encoding")
        known = matching_tag(whole_list(request, "if-none-match"), (plain_tag, gzip_tag))
        if known is not None:
            kept = {name: answer.headers[name] for name in _KEPT if name in answer.headers}
            return Response(status_code=304, headers=kept | {"ETag": known})
        answer.headers["ETag"] = plain_tag
        if len(answer.body) >= MIN_GZIP_BYTES and "gzip" in whole_list(request, "accept-encoding").lower():
            await self._compress(answer, gzip_tag)
        return _response(answer)

    async def _compress(self, answer: _Answer, tag: str) -> None:
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


def whole_list(headers: Headers, name: str) -> str:
    """Return the value of a list header, joined from all headers of that name."""
    return ", ".join(headers.getlist(name))


def matching_tag(if_none_match: str, tags: tuple[str, ...]) -> str | None:
    """Return the first of the quoted ``tags`` that the header names; ``*`` names every tag."""
    if if_none_match.strip() == "*":
        return tags[0]
    named = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return next((tag for tag in tags if tag in named), None)
