"""The application of the site, with the middleware around its routes."""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.responses import busy_response, handle_problems, is_stream, problem_response
from evilpegs_server.site.routes import add_routes
from evilpegs_server.site.site import Site

REQUEST_SECONDS: Final = 10.0
# smaller bodies fit into one packet without compression
MIN_GZIP_BYTES: Final = 1_000
GZIP_LEVEL: Final = 5
# a client may keep the response but must validate it before each use
REVALIDATE: Final = "no-cache"


def create_app(site: Site) -> FastAPI:
    layers = [  # the outermost comes first
        Middleware(Guard, site.log),
        Middleware(HostCheck, site.hosts),
        Middleware(HeadAsGet),
        Middleware(GZipMiddleware, minimum_size=MIN_GZIP_BYTES, compresslevel=GZIP_LEVEL),
        Middleware(Caching),
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
class Caching:
    """ASGI middleware that tags responses whose body is one message; a client that has one already gets 304."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start: Message = {}

        async def tag_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body = _represent(start, message["body"], Headers(scope=scope))
            await send(start)
            await send({**message, "body": body})

        await self.app(scope, receive, send if is_stream(scope) else tag_and_send)


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
