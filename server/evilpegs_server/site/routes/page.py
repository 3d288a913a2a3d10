from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request, Response

from evilpegs_protocol.limits import SUBPROTOCOL
from evilpegs_server.site.models import GameAddressDocument, IndexDocument
from evilpegs_server.site.negotiation import prefers_media, whole_list
from evilpegs_server.site.page import FAVICON, INDEX, page_headers
from evilpegs_server.site.problems import quote
from evilpegs_server.site.responses import JSON, MINUTE, document, problem_statuses
from evilpegs_server.site.site import CurrentSite, Site

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
async def get_index(site: CurrentSite, request: Request) -> Response:
    """Return the paths of the API. A client that prefers HTML, such as a browser, gets the web page instead."""
    if prefers_media(whole_list(request.headers, "accept"), HTML, JSON):
        return _file(site, INDEX, page_headers(site.game_url(request)))
    links = {name: site.base_path + path for name, path in _LINKS.items()}
    answer = document(IndexDocument(name="evilpegs", version=site.version, links=links), MINUTE)
    answer.headers["Vary"] = "Accept"
    return answer


@router.get("/api/v1/game", response_model=GameAddressDocument, responses=problem_statuses())
async def get_game(site: CurrentSite, request: Request) -> Response:
    """Return the address of the game for a client that reaches this server under the host of this request."""
    url = site.game_url(request)
    return document(GameAddressDocument(url=url, subprotocol=SUBPROTOCOL, version=site.version))


@router.get("/favicon.ico", include_in_schema=False)
async def get_favicon(site: CurrentSite) -> Response:
    return _file(site, FAVICON)


@router.get("/static/{path:path}", include_in_schema=False)
async def get_static(site: CurrentSite, path: str) -> Response:
    return _file(site, path)


def _file(site: Site, path: str, headers: dict[str, str] | None = None) -> Response:
    file = site.web_files.get(path)
    if file is None:
        raise HTTPException(404, f"the page has no file {quote(path)}")
    return Response(file.body, 200, headers, file.media_type)
