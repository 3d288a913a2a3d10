from collections.abc import Sequence
from typing import Annotated

from fastapi import APIRouter, HTTPException, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from evilpegs_protocol.fields import Name
from evilpegs_server.leaderboard.row import LeaderboardRow
from evilpegs_server.site.models import PlayerDocument, PlayerEntry, PlayerPage, PlayerResult
from evilpegs_server.site.problems import quote
from evilpegs_server.site.responses import document, json_body, next_page, problem_statuses
from evilpegs_server.site.site import CurrentSite
from evilpegs_server.storage.browse import StoredPlayer, find_player, list_players

router = APIRouter(tags=["players"])


class PlayerQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[int, Field(ge=1, le=100, description="The number of players on a page.")] = 50
    cursor: Annotated[Name | None, Field(description="Where the page begins, from `next` of the page before.")] = None


@router.get("/players", response_model=PlayerPage, responses=problem_statuses(400))
async def get_players(site: CurrentSite, query: Annotated[PlayerQuery, Query()]) -> Response:
    """Return a page of all players, ordered by name."""
    players = await site.reads.run(list_players, site.engine, query.cursor or "", query.limit + 1)
    page = players[: query.limit]
    cursor = page[-1].name if len(players) > len(page) else None
    following = next_page(site.base_path, "/api/v1/players", {"limit": query.limit}, cursor)
    return document(PlayerPage(players=tuple(map(PlayerEntry.model_validate, page)), next=following))


@router.get("/players/{player}", response_model=PlayerDocument, responses=problem_statuses(404))
async def get_player(
    site: CurrentSite, player: Annotated[str, Path(description="The name of a player.", examples=["minimax"])]
) -> Response:
    """Return a player with their results on every ladder and with every version of their client."""
    stored = await site.reads.run(find_player, site.engine, player)
    if stored is None:
        raise HTTPException(404, f"there is no player {quote(player)}; see /api/v1/players")
    rows = await site.leaderboards.player_rows(stored.name)
    return json_body(await site.reads.run(_encode, stored, rows))


def _encode(player: StoredPlayer, rows: Sequence[tuple[str, LeaderboardRow]]) -> str:
    # run it in a thread: a player may have a row for each of thousands of client versions
    results = tuple(PlayerResult(ladder=ladder, row=row) for ladder, row in rows)
    entry = PlayerEntry.model_validate(player)
    return PlayerDocument(**dict(entry), results=results).model_dump_json()
