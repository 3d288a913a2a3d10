"""What the game port answers to plain GETs of `/healthz`, `/readyz` and `/metrics`."""

import http
from typing import Final

import orjson
from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from evilpegs_server.gateway.entrance import peer_address
from evilpegs_server.gateway.login import SessionServices
from evilpegs_server.gateway.metrics import GameMetrics
from evilpegs_server.hosts import is_local
from evilpegs_server.metric_families import METRICS_TYPE, NOT_LOCAL

RETRY_SECONDS: Final = 2


def health_response(
    services: SessionServices, metrics: GameMetrics, connection: ServerConnection, request: Request, path: str
) -> Response | None:
    """Return the response to a request for one of the three paths; None for any other."""
    match path:
        case "/healthz":
            return _respond(connection, 200, "application/json", b'{"status":"ok"}')
        case "/readyz":
            if (why := find_obstacle(services)) is not None:
                return _problem(connection, 503, why)
            return _respond(connection, 200, "application/json", b'{"status":"ready"}')
        case "/metrics":
            peer = peer_address(connection.transport)
            is_public = services.settings.public_metrics and not services.registry.has_sealed_round
            if not is_public and not is_local(peer, request.headers):
                return _problem(connection, 403, NOT_LOCAL)
            return _respond(connection, 200, METRICS_TYPE, metrics.text())
    return None


def find_obstacle(services: SessionServices) -> str | None:
    """Return why no match can start now."""
    if services.registry.draining:
        return "the server is about to stop"
    health = services.writer.health
    if health.stuck:
        return "the event log cannot be written: a commit takes too long"
    if health.obstacle is not None:
        return "the event log cannot be written: the database file was moved, deleted or replaced"
    return "the event log cannot be written: the last commit failed" if health.failed else None


def _problem(connection: ServerConnection, status: int, detail: str) -> Response:
    title = http.HTTPStatus(status).phrase
    problem = {"type": "about:blank", "title": title, "status": status, "detail": detail}
    response = _respond(connection, status, "application/problem+json", orjson.dumps(problem))
    if status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def _respond(connection: ServerConnection, status: int, media_type: str, body: bytes) -> Response:
    response = connection.respond(status, body.decode())
    del response.headers["Content-Type"]  # or there would be two
    response.headers["Content-Type"] = media_type
    response.headers["Cache-Control"] = "no-store"
    return response
