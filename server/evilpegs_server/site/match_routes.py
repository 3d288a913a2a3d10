"""The routes of matches."""

from collections.abc import Sequence
from heapq import nlargest
from typing import Annotated, Any, Final, Literal

import orjson
from fastapi import APIRouter, HTTPException, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from evilpegs_protocol.fields import Codemaker, LadderId, MatchId, Milliseconds, Name
from evilpegs_protocol.record import RecordedGame, read_record
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.show.crowd import Reading
from evilpegs_server.site import models
from evilpegs_server.site.responses import (
    HOUR,
    PageSize,
    answer,
    document,
    next_page,
    problem_statuses,
    text_description,
    unknown_match,
)
from evilpegs_server.site.site import CurrentSite, Site
from evilpegs_server.storage.derived.browse import MatchFilter, OpenMatchRow, list_matches, list_open_matches
from evilpegs_server.storage.log.archive import load_entries

JSON_LINES: Final = "application/jsonl"

router = APIRouter(tags=["matches"])
MatchPath = Annotated[
    str, Path(alias="match", description="The id of a match.", examples=["1a3185c59c4ed34a"], max_length=64)
]


class MatchQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ladder: Annotated[LadderId | None, Field(description="Only matches on this ladder.")] = None
    player: Annotated[Name | None, Field(description="Only matches of this player.")] = None
    version: Annotated[
        str | None,
        Field(
            description="Only matches of this client, as `client` names it: its name, a space and its version.",
            pattern=r"^[ -~]{1,129}$",
        ),
    ] = None
    codemaker: Annotated[Codemaker | None, Field(description="Only matches against this codemaker.")] = None
    since: Annotated[
        Milliseconds | None, Field(description="Only matches begun at this Unix time in milliseconds or later.")
    ] = None
    over: Annotated[bool | None, Field(description="Only finished matches, or only those that are played.")] = None
    games: Annotated[
        Literal["lost", "longest"] | None,
        Field(description="With a player: only matches with a lost game; or all by their longest game, on one page."),
    ] = None
    limit: Annotated[PageSize, Field(description="The number of matches on a page.")] = 50
    cursor: Annotated[
        str | None,
        Field(
            description="Where the page begins, from `next` of the page before.",
            pattern=r"^[0-9a-f]{1,12}-[0-9a-f]{16}$",
        ),
    ] = None


@router.get("/matches", response_model=models.MatchPage, responses=problem_statuses(400, 404))
async def get_matches(site: CurrentSite, query: Annotated[MatchQuery, Query()]) -> Response:
    """Return a page of the open and finished matches, the latest start first."""
    if query.games is not None and query.player is None:
        # those of everybody would be no index seek; not 400, because the schema cannot say so
        raise HTTPException(404, f"{query.games} games are listed for one player only: name the player")
    site.crowd.admit(Reading.LIST)
    await site.leaderboards.wait_until_derived()  # results are listed too
    wanted = MatchFilter(
        ladders=_ladders(site, query),
        player=query.player,
        client=query.version,
        since=query.since,
        before=None if query.cursor is None else _place(query.cursor),
        over=query.over,
        games=query.games,
    )
    matches = await site.reads.run(list_matches, site.engine, wanted, query.limit + 1)
    page = matches[: query.limit]
    # no number of a match, whose gaps would count the matches of a sealed round
    has_next = len(matches) > len(page) and query.games != "longest"
    cursor = f"{page[-1].started_at:x}-{page[-1].match}" if has_next else None
    following = next_page(site.base_path, "/api/v1/matches", query.model_dump(), cursor)
    return document(models.MatchPage(matches=tuple(page), next=following))


def _place(cursor: str) -> tuple[int, str]:
    at, _, match = cursor.partition("-")
    return int(at, 16), match


def _ladders(site: Site, query: MatchQuery) -> tuple[str, ...] | None:
    if query.ladder is None and query.codemaker is None:
        return None
    all_ladders = site.all_ladders.values()
    ladders = all_ladders if query.ladder is None else [site.find_ladder(query.ladder)]
    return tuple(ladder.id for ladder in ladders if query.codemaker in {None, ladder.codemaker})


async def _entries(site: Site, match: str) -> list[LogEntry]:
    # of an open match, only what was sent to its player
    entries = await site.reads.run(load_entries, site.engine, match, site.follower.sent)
    if not entries:
        raise unknown_match(match)
    return entries


def _cache(entries: list[LogEntry]) -> str | None:
    return HOUR if entries[-1].type == "match_over" else None


@router.get("/matches/{match}", response_model=models.MatchDocument, responses=problem_statuses(404))
async def get_match(site: CurrentSite, match: MatchPath) -> Response:
    """Return a match with every game and turn so far."""
    entries = await _entries(site, match)
    return document(await site.reads.run(match_document, entries), _cache(entries))


_RECORD: Final = text_description("The events, one JSON object per line.", JSON_LINES)


@router.get("/matches/{match}/record", response_class=Response, responses=_RECORD | problem_statuses(404))
async def get_record(site: CurrentSite, match: MatchPath) -> Response:
    """Return the record of a match: all its events so far, one JSON object per line.

    `evilpegs replay --record` writes the same form, and `evilpegs verify` reads it.
    """
    entries = await _entries(site, match)
    return answer("".join(f"{entry.text}\n" for entry in entries), _cache(entries), JSON_LINES)


@router.get(
    "/matches/{match}/analysis",
    response_model=dict[str, Any],
    response_description="The document of `evilpegs replay --json`.",
    responses=problem_statuses(404, 409),
)
async def get_analysis(site: CurrentSite, match: MatchPath) -> Response:
    """Return the analysis of a finished match, which says what each guess was worth.

    The first request for a match computes its analysis, which takes seconds.
    """
    return answer(await site.analyses.text(match), HOUR)


def match_document(entries: Sequence[LogEntry]) -> models.MatchDocument:
    record = read_record(entry.text for entry in entries)
    fields = {name: getattr(record.started, name) for name in ("match", "ladder", "rules", "codemaker", "player")}
    games = tuple(map(_game_document, record.games.values()))
    over, started_at = record.over is not None, record.started.at
    return models.MatchDocument(**fields, client=record.client, started_at=started_at, over=over, games=games)


def _game_document(game: RecordedGame) -> models.GameDocument:
    fields = {name: getattr(game, name) for name in ("game", "outcome", "guesses", "turns")}
    end = {name: getattr(game.over, name, None) for name in ("elapsed_ms", "secret", "nonce")}
    return models.GameDocument.model_validate(fields | end)


class LiveQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    ladder: Annotated[LadderId | None, Field(description="Only matches on this ladder.")] = None
    limit: Annotated[PageSize, Field(description="The number of matches on a page.")] = 50
    cursor: Annotated[MatchId | None, Field(description="Where the page begins, from `next` of the page before.")] = (
        None
    )


@router.get("/live", response_model=models.LivePage, responses=problem_statuses(400, 404))
async def get_live(site: CurrentSite, query: Annotated[LiveQuery, Query()]) -> Response:
    """Return a page of the matches that are played now, the newest first."""
    if query.ladder is not None:
        site.find_ladder(query.ladder)
    site.crowd.admit(Reading.LIST)
    everything = await site.reads.run(list_open_matches, site.engine, site.follower.sent)
    matches = [each for each in everything if query.ladder in {None, each.ladder}]
    rest = [each for each in matches if query.cursor is None or each.match < query.cursor]
    page = nlargest(query.limit, rest, key=lambda each: each.match)
    cursor = page[-1].match if len(rest) > len(page) else None
    following = next_page(site.base_path, "/api/v1/live", query.model_dump(), cursor)
    shown = tuple(_live_match(site, each) for each in page)
    return document(models.LivePage(matches=shown, total=len(matches), next=following))


def _live_match(site: Site, match: OpenMatchRow) -> models.LiveMatch:
    # as the player has received it; turn 0 before they have sent `ready`
    last = orjson.loads(match.newest)
    game = last.get("game", 1)
    turn = last["turn"] + 1 if last["type"] == "feedback" else int(match.last_begun == game)
    return models.LiveMatch(
        match=match.match,
        ladder=match.ladder,
        player=match.player,
        game=game,
        turn=turn,
        watchers=site.streams.count(match.match, match.ladder),
    )
