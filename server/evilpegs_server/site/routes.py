"""The routes of the site; those of matches and streams are apart."""

import json
import time
from collections.abc import Sequence
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, FastAPI, HTTPException, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from evilpegs_game.errors import GameError
from evilpegs_game.statistics.between import compare_results, difference_lines
from evilpegs_protocol.constants import SUBPROTOCOL
from evilpegs_protocol.fields import ClaimedKind, Name
from evilpegs_protocol.leaderboard import LeaderboardDocument, LeaderboardRow
from evilpegs_protocol.rounds import RoundDocument, RoundList
from evilpegs_server.hosts import is_local
from evilpegs_server.leaderboard.round_results import round_document, round_heading
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.metric_families import METRICS_TYPE, NOT_LOCAL
from evilpegs_server.sealing import hides_metrics
from evilpegs_server.show.crowd import Reading
from evilpegs_server.site import match_routes, models, stream_routes
from evilpegs_server.site.analysis import MAX_CODES, MAX_TURNS, parse_position
from evilpegs_server.site.page import KEEP_FOREVER, page_headers
from evilpegs_server.site.responses import (
    HOUR,
    MINUTE,
    PageSize,
    answer,
    busy_response,
    document,
    next_page,
    problem_statuses,
    quote,
    text_description,
)
from evilpegs_server.site.site import CurrentSite, LadderPath, Site
from evilpegs_server.storage.derived.browse import PlayerEntry, find_player, list_shown_players
from evilpegs_server.storage.log.look_alikes import stored_form

_API: Final = "/api/v1"
HTML: Final = "text/html"
_NEVER_KEPT: Final = "no-store"
_server = APIRouter(tags=["server"])
_ladders = APIRouter(tags=["ladders"])
_players = APIRouter(tags=["players"])
_rounds = APIRouter(tags=["rounds"])


def add_routes(app: FastAPI) -> None:
    below_api = [_ladders, _players, match_routes.router, _rounds, stream_routes.router]
    for router, prefix in [(_server, ""), *((each, _API) for each in below_api)]:
        # the name of the function is the id of the operation
        app.include_router(router, prefix=prefix, generate_unique_id_function=lambda route: route.name)


_LISTED: Final = ("ladders", "players", "matches", "live", "rounds", "events", "position", "game", "keys")
_LINKS: Final = {name: f"{_API}/{name}" for name in _LISTED} | {
    "openapi": f"{_API}/openapi.json",
    "health": "/healthz",
    "ready": "/readyz",
}
_INDEX: Final = text_description("The links, or the page for a client that accepts `text/html` or `*/*`.", HTML)


@_server.get("/", response_model=models.IndexDocument, responses=_INDEX | problem_statuses())
async def get_index(site: CurrentSite, request: Request) -> Response:
    """Return the web page to a client that accepts HTML, as a browser does, or anything; else the paths of the API."""
    accepted = ",".join(request.headers.getlist("accept"))
    # programs that show what a link leads to accept anything
    if HTML in accepted or ("*/*" in accepted and "json" not in accepted):
        return Response(site.page.index_at(site.url(request)), 200, page_headers(site.game_url(request)), HTML)
    links = _index(site)
    links.headers["Vary"] = "Accept"
    return links


@_server.get("/api/v1", include_in_schema=False)
@_server.get("/api/v1/", response_model=models.IndexDocument, responses=problem_statuses())
async def get_api(site: CurrentSite) -> Response:
    """Return the paths of the API."""
    return _index(site)


def _index(site: Site) -> Response:
    links = {name: site.base_path + path for name, path in _LINKS.items()}
    return document(models.IndexDocument(name="evilpegs", version=site.version, links=links), MINUTE)


@_server.get("/api/v1/game", response_model=models.GameAddressDocument, responses=problem_statuses())
async def get_game(site: CurrentSite, request: Request) -> Response:
    """Return the address of the game for a client that reaches this server under the host of this request."""
    url = site.game_url(request)
    return document(models.GameAddressDocument(url=url, subprotocol=SUBPROTOCOL, version=site.version))


def handed_out_bot(language: str, url: str) -> str:
    """Return the text of a bot that is a file of its own, with the address of a game in it; ``py`` or ``js``."""
    text = files("evilpegs_server.site").joinpath(f"handout/bot.{language}.txt").read_text(encoding="utf-8")
    # a string of JSON is one in both languages, whatever is in it
    return text.replace('"ADDRESS"', json.dumps(url), 1)


_BOT: Final = text_description("The file.", "text/plain") | problem_statuses(404)


@_server.get("/bot.js", name="get_bot_js", response_class=Response, responses=_BOT)
@_server.get("/bot.py", name="get_bot_py", response_class=Response, responses=_BOT)
async def get_bot(site: CurrentSite, request: Request) -> Response:
    """Return a complete bot in one file, in the language of its ending, with the address of this server in it."""
    url = site.game_url(request)
    if url is None:
        raise HTTPException(404, "this site shows matches, and nobody can play them; ask the server for its bot")
    return answer(handed_out_bot(request.url.path[-2:], url), media_type="text/plain")


# for readers of the schema: what does not match is refused where it is read, with a better reason
RULES_PATTERN: Final = r"^([0-9]{1,2}x[0-9]{1,2}(-distinct)?|[a-z][a-z-]*)$"
TURNS_PATTERN: Final = r"^([0-9A-Za-z]{1,16}:[0-9]{1,2},[0-9]{1,2}(;|$))*$"


class PositionQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    rules: Annotated[
        str,
        Field(
            description=f"The rules, of at most {MAX_CODES:,} codes.",
            examples=["4x6"],
            json_schema_extra={"pattern": RULES_PATTERN},
        ),
    ] = "4x6"
    turns: Annotated[
        str,
        Field(
            description=f"At most {MAX_TURNS} guesses with black and white, separated by semicolons.",
            examples=["1122:1,0;3344:0,2"],
            json_schema_extra={"pattern": TURNS_PATTERN},
        ),
    ] = ""
    codemaker: Annotated[
        Literal["fixed", "evil"],
        Field(description="With `evil`, par is judged; without a seed, with the worst choice among equal parts."),
    ] = "fixed"
    seed: Annotated[
        str | None,
        Field(description="That of a game against evil on the page, or in Python.", pattern="^[0-9A-Za-z-]{1,40}$"),
    ] = None


@_server.get(
    "/api/v1/position",
    response_model=dict[str, Any],
    response_description="The document of `evilpegs assist --json`, and in `analyses` what each guess was worth.",
    responses=problem_statuses(400),
)
async def get_position(site: CurrentSite, request: Request, query: Annotated[PositionQuery, Query()]) -> Response:
    """Return the codes left and the best guesses after the turns of any game, and what each of its guesses was worth.

    The answer depends on the query alone, never on matches.
    """
    try:
        position = parse_position(query.rules, query.turns, query.codemaker, query.seed)
    except GameError as error:
        raise HTTPException(400, str(error)) from None
    visitor = getattr(request.state, "visitor", None)  # there is none without the HTTP server
    return answer(await site.positions.text(position, visitor), HOUR)


@_server.get("/favicon.ico", include_in_schema=False)
async def get_favicon(site: CurrentSite) -> Response:
    return answer(site.page.icon.content, media_type=site.page.icon.media_type)


@_server.get("/manifest.webmanifest", include_in_schema=False)
@_server.get("/offline.js", include_in_schema=False)
async def get_beside(site: CurrentSite, request: Request) -> Response:
    file = site.page.beside[request.url.path.rpartition("/")[2]]
    return answer(file.content, _NEVER_KEPT, file.media_type, file.headers)


@_server.get("/static/{path:path}", include_in_schema=False)
async def get_static(site: CurrentSite, path: str) -> Response:
    file = site.page.files.get(path)
    if file is None:
        raise HTTPException(404, f"the page has no file {quote(path)}")
    return answer(file.content, KEEP_FOREVER, file.media_type, file.headers)


@_server.get("/healthz", response_model=models.HealthDocument, responses=problem_statuses())
async def get_health() -> Response:
    """Return status 200 as long as the site runs."""
    return document(models.HealthDocument(), _NEVER_KEPT)


@_server.get("/readyz", response_model=models.ReadyDocument, responses=problem_statuses())
async def get_ready(site: CurrentSite) -> Response:
    """Return status 200 once all stored games are on the leaderboards, and status 503 before.

    Whether matches can start, the same path on the game port says.
    """
    if not site.leaderboards.filled:
        return busy_response(site.leaderboards.why_unfilled)
    return document(models.ReadyDocument(), _NEVER_KEPT)


@_server.get("/api/v1/keys", response_model=models.KeysDocument, responses=problem_statuses())
async def get_keys(site: CurrentSite) -> Response:
    """Return the public keys with which this server signs the records of finished matches."""
    if not site.public_keys:
        raise HTTPException(404, "this server has no key yet; it gets one when it is started for the first time")
    *former, key = site.public_keys
    return document(models.KeysDocument(key=key, former=tuple(former)), MINUTE)


@_server.get("/api/v1/openapi.json", include_in_schema=False)
async def get_openapi(request: Request) -> Response:
    text: str = request.app.state.openapi_text
    return answer(text, MINUTE)


_METRICS: Final = text_description("The numbers in the text format of Prometheus.", "text/plain")


@_server.get("/metrics", response_class=Response, responses=_METRICS | problem_statuses(403))
async def get_metrics(site: CurrentSite, request: Request) -> Response:
    """Return the metrics of the site in the text format of Prometheus. The game port has those of the game.

    Only programs on this machine may read them, unless the setting `public_metrics` allows all machines.
    """
    peer = request.client.host if request.client is not None else ""
    played = (site.all_ladders[name] for name, each in site.rounds.known.items() if not each.is_over)
    if (hides_metrics(played) or not site.public_metrics) and not is_local(peer, request.headers):
        raise HTTPException(403, NOT_LOCAL)
    return answer(site.metrics.text(), _NEVER_KEPT, METRICS_TYPE)


@_ladders.get("/ladders", response_model=models.LadderList, responses=problem_statuses())
async def list_ladders(site: CurrentSite) -> Response:
    """List all ladders, with bounds on the guesses that they need and the best results known for their rules."""
    return document(site.ladders, MINUTE)


@_ladders.get("/ladders/{ladder}", response_model=models.LadderDocument, responses=problem_statuses(404))
async def get_ladder(site: CurrentSite, ladder: LadderPath) -> Response:
    """Return a ladder as the list of ladders has it."""
    found = next((each for each in site.ladders.ladders if each.id == ladder), None)
    if found is None:
        raise HTTPException(404, f"{site.find_ladder(ladder).id} is a round; see /api/v1/rounds/{ladder}")
    return document(found, MINUTE)


@_ladders.get(
    "/ladders/{ladder}/leaderboard",
    response_model=models.BetweenDocument | LeaderboardDocument,
    responses=problem_statuses(400, 404),
)
async def get_leaderboard(
    site: CurrentSite,
    ladder: LadderPath,
    kind: Annotated[
        ClaimedKind | None, Query(description="Only players of this kind, with their ranks among all.")
    ] = None,
    between: Annotated[
        str | None,
        Query(description="Two players, whose rows and difference are the answer.", pattern="^[^,]{2,20},[^,]{2,20}$"),
    ] = None,
) -> Response:
    """Return the leaderboard of a ladder. It changes at most once per second.

    What a row says in `client` is self-reported by the player's program.
    """
    found = site.find_ladder(ladder)
    if found.is_round:
        raise HTTPException(404, f"{found.id} is a round; see /api/v1/rounds/{found.id}")
    if not found.rated:
        raise HTTPException(404, f"{found.id} is for practice and has no leaderboard")
    if between is not None:
        return document(await between_document(site, found, stored_form(between).lower().split(",")))
    return answer(await site.leaderboards.shown(found.info(), kind))


async def between_document(site: Site, ladder: Ladder, players: Sequence[str]) -> models.BetweenDocument:
    if players[0] == players[1]:  # not 400: the schema cannot say so
        raise HTTPException(404, f"there is no difference between {quote(players[0])} and the same player")
    by_name = {row.player.lower(): row for row in await site.leaderboards.rows(ladder.id)}
    for player in players:
        if player not in by_name:
            raise HTTPException(404, f"{quote(player)} has no game that counts on {ladder.id}")
    rows = tuple(map(by_name.__getitem__, players))
    try:
        difference = compare_results(ladder.id, *rows)
        lines = difference_lines(difference)
    except GameError as error:
        difference, lines = None, [str(error)]
    return models.BetweenDocument(
        ladder=ladder.id, guess_limit=ladder.guess_limit, rows=rows, difference=difference, lines=tuple(lines)
    )


class PlayerQuery(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    limit: Annotated[PageSize, Field(description="The number of players on a page.")] = 50
    cursor: Annotated[Name | None, Field(description="Where the page begins, from `next` of the page before.")] = None


@_players.get("/players", response_model=models.PlayerPage, responses=problem_statuses(400))
async def get_players(site: CurrentSite, query: Annotated[PlayerQuery, Query()]) -> Response:
    """Return a page of all players, ordered by name."""
    site.crowd.admit(Reading.LIST)
    players = await site.reads.run(list_shown_players, site.engine, query.cursor or "", query.limit + 1)
    page = players[: query.limit]
    cursor = page[-1].name if len(players) > len(page) else None
    following = next_page(site.base_path, "/api/v1/players", {"limit": query.limit}, cursor)
    return document(models.PlayerPage(players=tuple(page), next=following))


@_players.get("/players/{player}", response_model=models.PlayerDocument, responses=problem_statuses(404))
async def get_player(
    site: CurrentSite, player: Annotated[str, Path(description="The name of a player.", examples=["minimax"])]
) -> Response:
    """Return a player with their results on every ladder and with every version of their client."""
    stored = await site.reads.run(find_player, site.engine, player)
    if stored is None:
        raise HTTPException(404, f"there is no player {quote(player)}; see /api/v1/players")
    rows = await site.leaderboards.player_rows(stored.name)
    return answer(await site.reads.run(player_text, stored, rows))


def player_text(player: PlayerEntry, rows: Sequence[tuple[str, LeaderboardRow]]) -> str:
    # run it in a thread: a player may have a row for each of thousands of client versions
    results = tuple(models.PlayerResult(ladder=ladder, row=row) for ladder, row in rows)
    return models.PlayerDocument(**dict(player), results=results).model_dump_json()


@_rounds.get("/rounds", response_model=RoundList, responses=problem_statuses())
async def list_rounds(site: CurrentSite) -> Response:
    """List all rounds, the latest first, without their entrants."""
    rounds = [round_heading(each, site.all_ladders, _now()) for each in site.rounds.known.values()]
    return document(RoundList(rounds=tuple(reversed(rounds))))


@_rounds.get("/rounds/{round}", response_model=RoundDocument, responses=problem_statuses(404, 503))
async def get_round(
    site: CurrentSite,
    round: Annotated[str, Path(description="The id of a round.", examples=["final"])],  # noqa: A002
) -> Response:
    """Return a round with its entrants and how far they are, and their results when the last game has ended.

    Until a sealed round is over, it says who has not started, plays or has finished at the last full minute.
    """
    found = site.rounds.known.get(round)
    if found is None:
        raise HTTPException(404, f"there is no round {quote(round)}; see /api/v1/rounds")
    await site.leaderboards.wait_until_derived()
    shown = await site.reads.run(round_document, site.engine, found, site.all_ladders, _now())
    return answer(shown.model_dump_json())


def _now() -> int:
    return time.time_ns() // 1_000_000
