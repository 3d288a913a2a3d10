"""ASGI middleware that tags responses, and answers 304 if the client has the response already."""

import hashlib
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evilpegs_server.site.responses import is_stream

# a client may keep the response but must validate it before each use
REVALIDATE: Final = "no-cache"


class Caching:
    """ASGI middleware for responses whose body is one message. Compress them outside of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message = {}

        async def tag_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body = _represent(start, message["body"], Headers(scope=scope))
            await send(start)
            await send({**message, "body": body})

        await self._app(scope, receive, send if is_stream(scope) else tag_and_send)


def _represent(start: Message, body: bytes, request: Headers) -> bytes:
    headers = MutableHeaders(raw=start["headers"])
    headers.setdefault("X-Content-Type-Options", "nosniff")
    if start["status"] != 200:
        headers.setdefault("Cache-Control", "no-store")
        return body
    headers.setdefault("Cache-Control", REVALIDATE)
    # equal bodies have equal tags, even after a restart; the one for gzip is another, because its bytes may differ
    digest = hashlib.sha256(body).hexdigest()[:32]
    plain, packed = f'"{digest}"', f'"{digest}-gzip"'
    tags = (packed, plain) if "gzip" in request.get("accept-encoding", "") else (plain, packed)
    known = matching_tag(", ".join(request.getlist("if-none-match")), tags)
    headers["ETag"] = known or tags[0]
    if known is None:
        return body
    start["status"] = 304
    headers.add_vary_header("Accept-Encoding")
    del headers["Content-Length"]
    del headers["Content-Type"]
    return b""


def matching_tag(if_none_match: str, tags: tuple[str, ...]) -> str | None:
    """Return the first of the quoted ``tags`` that the header names; ``*`` names every tag."""
    if if_none_match.strip() == "*":
        return tags[0]
    named = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return next((tag for tag in tags if tag in named), None)
