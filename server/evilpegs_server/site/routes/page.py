from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request, Response

from evilpegs_protocol.limits import SUBPROTOCOL
from evilpegs_server.site.models import GameAddressDocument, IndexDocument
from evilpegs_server.site.negotiation import prefers_media, whole_list
from evilpegs_server.site.page import FAVICON, INDEX, page_headers
from evilpegs_server.site.problems import quote
from evilpegs_server.site.responses import JSON, MINUTE, document, problem_statuses
from evilpegs_server.site.services import Services, SiteServices

HTML: Final = "text/html"
router = APIRouter(tags=["server"])
_LINKS: Final = {
    "ladders": "/api/v1/ladders",
    "players": "/api/v1/players",
    "matches": "/api/v1/matches",
    "live": "/api/v1/live",
    "game": "/api/v1/game",
    "keys": "/api/v1/keys",
    "openapi": "/api/v1/openapi.json",
    "health": "/healthz",
    "ready": "/readyz",
}
_INDEX: Final[dict[int | str, dict[str, Any]]] = {
    200: {
        "description": "The links, or the page for a client that prefers `text/html`.",
        "content": {HTML: {"schema": {"type": "string"}}},
    }
}


@router.get("/", response_model=IndexDocument, responses=_INDEX | problem_statuses())
async def get_index(services: Services, request: Request) -> Response:
    """Return the paths of the API. A client that prefers HTML, such as a browser, gets the web page instead."""
    if prefers_media(whole_list(request.headers, "accept"), HTML, JSON):
        return _file(services, INDEX, page_headers(_game_url(services, request)))
    links = {name: services.base_path + path for name, path in _LINKS.items()}
    answer = document(IndexDocument(name="evilpegs", version=services.version, links=links), MINUTE)
    answer.headers["Vary"] = "Accept"
    return answer


@router.get("/api/v1/game", response_model=GameAddressDocument, responses=problem_statuses())
async def get_game(services: Services, request: Request) -> Response:
    """Return the address of the game for a client that reaches this server under the host of this request."""
    url = _game_url(services, request)
    return document(GameAddressDocument(url=url, subprotocol=SUBPROTOCOL, version=services.version))


@router.get("/favicon.ico", include_in_schema=False)
async def get_favicon(services: Services) -> Response:
    return _file(services, FAVICON)


@router.get("/static/{path:path}", include_in_schema=False)
async def get_static(services: Services, path: str) -> Response:
    return _file(services, path)


def _file(services: SiteServices, path: str, headers: dict[str, str] | None = None) -> Response:
    file = services.web_files.get(path)
    if file is None:
        raise HTTPException(404, f"the page has no file {quote(path)}")
    return Response(file.body, 200, headers, file.media_type)


def _game_url(services: SiteServices, request: Request) -> str | None:
    return services.game.url_for(services.hosts.find(request.headers.getlist("host")) or "localhost")
