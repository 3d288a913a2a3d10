from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from evilpegs_server.site.models import LadderList, LeaderboardDocument
from evilpegs_server.site.responses import MINUTE, document, json_body, problem_statuses
from evilpegs_server.site.site import CurrentSite

router = APIRouter(tags=["ladders"])


@router.get("/ladders", response_model=LadderList, responses=problem_statuses())
async def list_ladders(site: CurrentSite) -> Response:
    """List all ladders, with bounds on the guesses that they need and the best results known for their rules."""
    return document(site.ladders, MINUTE)


@router.get("/ladders/{ladder}/leaderboard", response_model=LeaderboardDocument, responses=problem_statuses(404))
async def get_leaderboard(
    site: CurrentSite, ladder: Annotated[str, Path(description="The id of a rated ladder.", examples=["classic"])]
) -> Response:
    """Return the leaderboard of a ladder. It changes at most twice per second."""
    found = site.find_ladder(ladder)
    if not found.rated:
        raise HTTPException(404, f"{found.id} is for practice and has no leaderboard")
    return json_body(await site.leaderboards.body(found.info()))
