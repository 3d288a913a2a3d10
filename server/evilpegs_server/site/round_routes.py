"""The routes of rounds."""

import time
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Response

from evilpegs_protocol.rounds import RoundDocument, RoundList
from evilpegs_server.leaderboard.round_results import round_document, round_heading
from evilpegs_server.site.responses import answer, document, problem_statuses, quote
from evilpegs_server.site.site import CurrentSite

router = APIRouter(tags=["rounds"])


@router.get("/rounds", response_model=RoundList, responses=problem_statuses())
async def list_rounds(site: CurrentSite) -> Response:
    """List all rounds, the latest first, without their entrants."""
    rounds = [round_heading(each, site.all_ladders, _now()) for each in site.rounds.known.values()]
    return document(RoundList(rounds=tuple(reversed(rounds))))


@router.get("/rounds/{round}", response_model=RoundDocument, responses=problem_statuses(404, 503))
async def get_round(
    site: CurrentSite,
    round: Annotated[str, Path(description="The id of a round.", examples=["final"])],  # noqa: A002
) -> Response:
    """Return a round with its entrants and how far they are, and their results when the last game has ended."""
    found = site.rounds.known.get(round)
    if found is None:
        raise HTTPException(404, f"there is no round {quote(round)}; see /api/v1/rounds")
    await site.leaderboards.wait_until_filled()
    shown = await site.reads.run(round_document, site.engine, found, site.all_ladders, _now())
    return answer(shown.model_dump_json())


def _now() -> int:
    return time.time_ns() // 1_000_000
