"""The application of the site, with the middleware around its routes."""

import asyncio
from typing import Final

from fastapi import FastAPI
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.stdlib import BoundLogger

from evilpegs_server.hosts import AllowedHosts
from evilpegs_server.site.caching import Caching
from evilpegs_server.site.openapi import openapi_text
from evilpegs_server.site.responses import busy_response, handle_problems, is_stream, problem_response
from evilpegs_server.site.routes import add_routes
from evilpegs_server.site.site import Site

REQUEST_SECONDS: Final = 10.0
# smaller bodies fit into one packet without compression
MIN_GZIP_BYTES: Final = 1_000
GZIP_LEVEL: Final = 5


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


class Guard:
    """ASGI middleware that answers exceptions with status 500 and requests longer than ``seconds`` with 503."""

    def __init__(self, app: ASGIApp, log: BoundLogger, seconds: float = REQUEST_SECONDS) -> None:
        self._app = app
        self._log = log
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def note_and_send(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(None if is_stream(scope) else self._seconds):
                await self._app(scope, receive, note_and_send)
        except TimeoutError:
            if not started:
                await busy_response("the answer took too long; try again soon")(scope, receive, send)
        except Exception:  # noqa: BLE001 - no request may stop the server; the exception is logged
            self._log.exception("a request failed", path=scope["path"])
            if not started:
                await problem_response(500, "the server failed to handle this request")(scope, receive, send)


class HostCheck:
    """ASGI middleware that answers 421 unless the Host header is allowed; HTTP/1.0 needs none."""

    def __init__(self, app: ASGIApp, hosts: AllowedHosts) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        named = Headers(scope=scope).getlist("host")
        if not self._hosts.allow(named, scope["path"]) and (named or scope["http_version"] != "1.0"):
            detail = "this server does not answer for that host; add its name to the setting hosts"
            await problem_response(421, detail)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


class HeadAsGet:
    """ASGI middleware that turns HEAD into GET, because uvicorn leaves out the body of the response to HEAD."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "HEAD" and not is_stream(scope):
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)
