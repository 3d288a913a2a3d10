from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.site.models import LadderList, LeaderboardDocument
from evilpegs_server.site.responses import MINUTE, document, json_body, problem_statuses
from evilpegs_server.site.services import Services, SiteServices

router = APIRouter(tags=["ladders"])


def find_ladder(services: SiteServices, ladder: str) -> Ladder:
    """Return a ladder; raises HTTPException 404 for an unknown one."""
    info = services.registry.ladders.get(ladder)
    if info is None:
        refusal = unknown_ladder_text(ladder, services.registry.ladders).encode("ascii", "backslashreplace").decode()
        raise HTTPException(404, f"{refusal}; see /api/v1/ladders")
    return info


@router.get("/ladders", response_model=LadderList, responses=problem_statuses())
async def list_ladders(services: Services) -> Response:
    """List all ladders, with bounds on the guesses that they need and the best results known for their rules."""
    return document(services.ladders, MINUTE)


@router.get("/ladders/{ladder}/leaderboard", response_model=LeaderboardDocument, responses=problem_statuses(404))
async def get_leaderboard(
    services: Services, ladder: Annotated[str, Path(description="The id of a rated ladder.", examples=["classic"])]
) -> Response:
    """Return the leaderboard of a ladder. It changes at most twice per second."""
    found = find_ladder(services, ladder)
    if not found.rated:
        raise HTTPException(404, f"{found.id} is for practice and has no leaderboard")
    return json_body(await services.leaderboards.body(found.info()))
