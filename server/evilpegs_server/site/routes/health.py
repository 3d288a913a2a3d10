from fastapi import APIRouter, Request, Response

from evilpegs_server.site.models import HealthDocument, KeysDocument, ReadyDocument
from evilpegs_server.site.problems import busy_response
from evilpegs_server.site.responses import MINUTE, document, json_body, problem_statuses
from evilpegs_server.site.site import CurrentSite

router = APIRouter(tags=["server"])
NEVER_KEPT = "no-store"


@router.get("/healthz", response_model=HealthDocument, responses=problem_statuses())
async def get_health() -> Response:
    """Return status 200 as long as the server runs."""
    return document(HealthDocument(), NEVER_KEPT)


@router.get("/readyz", response_model=ReadyDocument, responses=problem_statuses())
async def get_ready(site: CurrentSite) -> Response:
    """Return status 200 if matches can begin on the server, and status 503 otherwise.

    Matches cannot begin if the server is about to stop, or if its log of events cannot be written.
    """
    obstacle = site.obstacle()
    return document(ReadyDocument(), NEVER_KEPT) if obstacle is None else busy_response(obstacle)


@router.get("/api/v1/keys", response_model=KeysDocument, responses=problem_statuses())
async def get_keys(site: CurrentSite) -> Response:
    """Return the public keys with which this server signs the records of finished matches."""
    keys = site.key
    return document(KeysDocument(key=keys.signer.public_key, former=keys.former), MINUTE)


@router.get("/api/v1/openapi.json", include_in_schema=False)
async def get_openapi(request: Request) -> Response:
    text: str = request.app.state.openapi_text
    return json_body(text, MINUTE)
