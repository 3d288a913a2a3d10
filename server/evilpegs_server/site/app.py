"""The application of the site, with the middleware around its routes."""

import asyncio
from dataclasses import dataclass, field
from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.representation import Representation
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.responses import REPRESENTATION, busy_response, handle_problems, is_stream, problem_response
from evilpegs_server.site.routes import add_routes
from evilpegs_server.site.site import Site

REQUEST_SECONDS: Final = 10.0
# a client may keep the response but must validate it before each use
REVALIDATE: Final = "no-cache"
MAX_KEPT: Final = 200
"""Answers that are kept; each is small beside its body, which is kept elsewhere."""


def create_app(site: Site) -> FastAPI:
    layers = [  # the outermost comes first
        Middleware(Guard, site.log),
        Middleware(HostCheck, site.hosts),
        Middleware(HeadAsGet),
        Middleware(Represented),
    ]
    if site.allow_origins:
        cors = Middleware(
            CORSMiddleware,
            allow_origins=site.allow_origins,
            allow_methods=["GET", "HEAD"],
            allow_headers=["If-None-Match", "Last-Event-ID"],
            expose_headers=["ETag", "Retry-After"],
        )
        layers.insert(0, cors)
    app = FastAPI(openapi_url=None, redirect_slashes=False, middleware=layers)
    add_routes(app)
    handle_problems(app)
    app.state.site = site
    app.state.openapi_text = openapi_text(site.base_path)
    return app


@dataclass(frozen=True)
class Guard:
    """ASGI middleware that answers exceptions with status 500 and requests longer than ``seconds`` with 503."""

    app: ASGIApp
    log: BoundLogger
    seconds: float = REQUEST_SECONDS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def note_and_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(None if is_stream(scope) else self.seconds):
                await self.app(scope, receive, note_and_send)
        except TimeoutError:
            if not started:
                await busy_response("the answer took too long; try again soon")(scope, receive, send)
        except Exception:
            self.log.exception("a request failed", path=scope["path"])
            if not started:
                await problem_response(500, "the server failed to handle this request")(scope, receive, send)


@dataclass(frozen=True)
class HostCheck:
    """ASGI middleware that answers 421 unless the Host header is allowed; HTTP/1.0 needs none."""

    app: ASGIApp
    hosts: AllowedHosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = Headers(scope=scope).getlist("host")
        if not self.hosts.allow(named, scope["path"]) and (named or scope["http_version"] != "1.0"):
            detail = "this server does not answer for that host; add its name to the setting hosts"
            await problem_response(421, detail)(scope, receive, send)
        else:
            await self.app(scope, receive, send)


@dataclass(frozen=True)
class HeadAsGet:
    """ASGI middleware that turns HEAD into GET, because uvicorn leaves out the body of the response to HEAD."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD" and not is_stream(scope):
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)


@dataclass(frozen=True)
class Represented:
    """ASGI middleware that tags and compresses bodies of one message; a client that has one already gets 304.

    An answer that says how long it is current is kept, and sent again without the routes, which take the most time.
    """

    app: ASGIApp
    kept: dict[tuple[str, bytes], tuple[Message, Representation]] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if is_stream(scope):
            await self.app(scope, receive, send)
            return
        start: Message = {}
        asked = scope["path"], scope["query_string"]

        async def represent_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            content = scope.get("state", {}).get(REPRESENTATION) or Representation(message["body"])
            if content.is_current():
                if len(self.kept) >= MAX_KEPT:
                    self.kept.clear()
                self.kept[asked] = dict(start), content
            if content.is_slow:
                await asyncio.to_thread(content.prepare)
            await _send_represented(start, content, Headers(scope=scope), send)

        known = self.kept.get(asked)
        if known is not None and scope["method"] == "GET" and known[1].is_current():
            await _send_represented(*known, Headers(scope=scope), send)
        else:
            await self.app(scope, receive, represent_and_send)


async def _send_represented(start: Message, content: Representation, request: Headers, send: Send) -> None:
    start = {**start, "headers": list(start["headers"])}
    body = _represent(start, content, request)
    await send(start)
    await send({"type": "http.response.body", "body": body})


def _represent(start: Message, content: Representation, request: Headers) -> bytes:
    headers = MutableHeaders(raw=start["headers"])
    headers.setdefault("X-Content-Type-Options", "nosniff")
    if start["status"] != 200:
        headers.setdefault("Cache-Control", "no-store")
        return content.body
    headers.setdefault("Cache-Control", REVALIDATE)
    headers.add_vary_header("Accept-Encoding")
    # the tag for gzip is another, because its bytes may differ
    plain, packed = f'"{content.digest}"', f'"{content.digest}-gzip"'
    takes_gzip = "gzip" in request.get("accept-encoding", "")
    tags = (packed, plain) if takes_gzip else (plain, packed)
    known = matching_tag(", ".join(request.getlist("if-none-match")), tags)
    headers["ETag"] = known or tags[0]
    if known is not None:
        start["status"] = 304
        del headers["Content-Length"]
        del headers["Content-Type"]
        return b""
    if not takes_gzip or content.packed is None:
        return content.body
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(content.packed))
    return content.packed


def matching_tag(if_none_match: str, tags: tuple[str, ...]) -> str | None:
    """Return the first of the quoted ``tags`` that the header names; ``*`` names every tag."""
    if if_none_match.strip() == "*":
        return tags[0]
    named = {tag.strip().removeprefix("W/") for tag in if_none_match.split(",")}
    return next((tag for tag in tags if tag in named), None)
