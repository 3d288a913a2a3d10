"""The routes of rounds."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from evilpegs_protocol.rounds import RoundDocument, RoundList
from evilpegs_server.leaderboard.live_leaderboards import CountingError
from evilpegs_server.leaderboard.round_results import LuckAwaitedError, round_document, round_heading
from evilpegs_server.site.responses import answer, document, problem_statuses, quote
from evilpegs_server.site.site import CurrentSite

router = APIRouter(tags=["rounds"])


@router.get("/rounds", response_model=RoundList, responses=problem_statuses())
async def list_rounds(site: CurrentSite) -> Response:
    """List all rounds, the latest first, without their entrants."""
    now = site.rounds.wall_ms()
    rounds = [round_heading(each, site.all_ladders, now) for each in site.rounds]
    return document(RoundList(rounds=tuple(reversed(rounds))))


@router.get("/rounds/{round}", response_model=RoundDocument, responses=problem_statuses(404, 503))
async def get_round(
    site: CurrentSite,
    round: Annotated[str, Path(description="The id of a round.", examples=["final"])],  # noqa: A002
) -> Response:
    """Return a round with its entrants and how far they are, and their results when the last game has ended."""
    found = site.rounds.get(round)
    if found is None:
        raise HTTPException(404, f"there is no round {quote(round)}; see /api/v1/rounds")
    await site.leaderboards.wait_until_filled()
    try:
        shown = await site.reads.run(round_document, site.engine, found, site.all_ladders, site.rounds.wall_ms())
    except LuckAwaitedError as error:
        raise CountingError(str(error)) from None
    return answer(shown.model_dump_json())
