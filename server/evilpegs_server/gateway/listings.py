"""The answers to the requests `list` and `standings`.

They read the same data as the HTTP API, in the same threads, so that no read of the storage runs on the event loop. The
texts of a leaderboard's pages are kept until it changes.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final

import orjson
from sqlalchemy import Engine

from evilpegs_protocol.client_messages import ListMatches, ReadStandings
from evilpegs_protocol.codec import encode
from evilpegs_protocol.listings import MATCHES_PER_PAGE, ROWS_PER_PAGE, FinishedMatch, MatchList
from evilpegs_protocol.server_messages import ErrorCode
from evilpegs_protocol.suggestions import unknown_ladder_text
from evilpegs_server.leaderboard.leaderboards import LiveLeaderboards
from evilpegs_server.leaderboard.row import LeaderboardRow, leaderboard_document
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.play.messages import RefusedRequestError, add_re
from evilpegs_server.storage.browse import MatchFilter, find_match_number, list_matches
from evilpegs_server.storage.reads import BusyError, Reads

RETRY_MS: Final = 1_000


class ReadLaterError(Exception):
    """A read that is refused now and can be repeated a little later."""


class Listings:
    def __init__(
        self, engine: Engine, ladders: Mapping[str, Ladder], leaderboards: LiveLeaderboards, reads: Reads
    ) -> None:
        self._engine = engine
        self._ladders = ladders
        self.leaderboards = leaderboards
        self.reads = reads
        self._pages: dict[str, tuple[int, list[str]]] = {}
        self._locks: dict[str, asyncio.Lock] = {}

    async def matches(self, request: ListMatches) -> str:
        """Return the answer to `list`. Raises RefusedRequestError or ReadLaterError."""
        if request.ladder is not None:
            self._find_ladder(request.ladder)
        try:
            return await self.reads.run(_match_list, self._engine, request)
        except BusyError:
            raise busy_error() from None

    async def standings(self, request: ReadStandings) -> str:
        """Return the answer to `standings`. Raises RefusedRequestError or ReadLaterError."""
        ladder = self._find_ladder(request.ladder)
        if not ladder.rated:
            raise RefusedRequestError(ErrorCode.UNKNOWN_LADDER, "that ladder is for practice and has no leaderboard")
        if not self.leaderboards.filled:
            message = "the leaderboards are still being counted; try again in a moment"
            raise ReadLaterError(message)
        pages = await self._current_pages(ladder)
        page = request.page or 1
        text = pages[page - 1] if page <= len(pages) else _encode_page(ladder, (), page, len(pages))
        return add_re(text, request.id)

    async def _current_pages(self, ladder: Ladder) -> list[str]:
        await self.leaderboards.refresh()
        async with self._locks.setdefault(ladder.id, asyncio.Lock()):  # concurrent callers share one computation
            version = self.leaderboards.version(ladder.id)
            known = self._pages.get(ladder.id)
            if known is not None and known[0] == version:
                return known[1]
            rows = await self.leaderboards.rows(ladder.id)
            try:
                # in a thread: a long leaderboard takes milliseconds
                pages = await self.reads.run(_encode_pages, ladder, rows)
            except BusyError:
                raise busy_error() from None
            self._pages[ladder.id] = version, pages
            return pages

    def _find_ladder(self, ladder: str) -> Ladder:
        if ladder not in self._ladders:
            raise RefusedRequestError(ErrorCode.UNKNOWN_LADDER, unknown_ladder_text(ladder, self._ladders))
        return self._ladders[ladder]


def busy_error() -> ReadLaterError:
    return ReadLaterError("the server is busy; try again in a moment")


def _match_list(engine: Engine, request: ListMatches) -> str:
    before = None
    if request.before is not None:
        before = find_match_number(engine, request.before)
        if before is None:
            raise RefusedRequestError(ErrorCode.NOT_YOUR_MATCH, "before: no such match")
    ladders = None if request.ladder is None else (request.ladder,)
    wanted = MatchFilter(ladders=ladders, player=request.player, before=before, over=True)
    listed = list_matches(engine, wanted, MATCHES_PER_PAGE + 1)
    fields = FinishedMatch.model_fields
    matches = (FinishedMatch(**{name: getattr(match, name) for name in fields}) for match in listed[:MATCHES_PER_PAGE])
    return encode(MatchList(matches=tuple(matches), more=len(listed) > MATCHES_PER_PAGE, re=request.id))


def _encode_pages(ladder: Ladder, rows: Sequence[LeaderboardRow]) -> list[str]:
    pages = range(0, max(1, len(rows)), ROWS_PER_PAGE)
    return [
        _encode_page(ladder, rows[start : start + ROWS_PER_PAGE], number, len(pages))
        for number, start in enumerate(pages, 1)
    ]


def _encode_page(ladder: Ladder, rows: Sequence[LeaderboardRow], page: int, pages: int) -> str:
    document = leaderboard_document(ladder.info(), rows)
    return orjson.dumps({"type": "standings", **document, "page": page, "pages": pages}).decode()
