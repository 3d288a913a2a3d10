"""The answers to the requests `list` and `standings`, which return finished matches and leaderboards to a client.

Listings read the same data as the HTTP API, in the same threads, so that no read of the storage runs on the event loop.
The rows of leaderboards are in memory. The texts of all pages of a leaderboard are made once and kept until the
leaderboard changes.
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
from evilpegs_server.fast_path import add_re
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.matches.requests import RefusedRequestError
from evilpegs_server.rating.leaderboards import LiveLeaderboards
from evilpegs_server.scoring.leaderboard import LeaderboardRow, leaderboard_document
from evilpegs_server.storage.browse import MatchFilter, find_match_number, list_matches
from evilpegs_server.storage.reads import BusyError, Reads

RETRY_MS: Final = 1_000
"""The milliseconds after which a client may repeat a read that was refused because the server was busy."""


class ReadLaterError(Exception):
    """The error of a read that is refused now and can be repeated a little later; the message is for people."""


class Listings:
    """The lists of finished matches and the leaderboards that clients may read through the game port.

    ``ladders`` has all ladders by id, and ``reads`` is the pool of threads that read the database ``engine``.
    """

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
        """Return the JSON text that answers a `list` request: a page of finished matches.

        Raises:
            RefusedRequestError: there is no such ladder, or no match with the id in the field `before`.
            ReadLaterError: too many reads wait already.
        """
        if request.ladder is not None:
            self._find_ladder(request.ladder)
        try:
            return await self.reads.run(_match_list, self._engine, request)
        except BusyError:
            raise busy_error() from None

    async def standings(self, request: ReadStandings) -> str:
        """Return the JSON text that answers a `standings` request: a page of a leaderboard.

        A page after the last one has no rows.

        Raises:
            RefusedRequestError: there is no such ladder, or it is for practice.
            ReadLaterError: too many reads wait already, or the games before the start are still being counted.
        """
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
        """Return the current JSON texts of all pages of a leaderboard. Concurrent callers share one computation.

        Raises:
            ReadLaterError: too many reads wait already.
        """
        await self.leaderboards.refresh()
        async with self._locks.setdefault(ladder.id, asyncio.Lock()):
            version = self.leaderboards.version(ladder.id)
            known = self._pages.get(ladder.id)
            if known is not None and known[0] == version:
                return known[1]
            rows = await self.leaderboards.rows(ladder.id)
            try:
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
    """Return the error of a read that is refused because too many other reads wait."""
    return ReadLaterError("the server has too many reads to do; try again in a moment")


def _match_list(engine: Engine, request: ListMatches) -> str:
    """Return the JSON text that answers a `list` request. This function is called in a thread.

    Raises:
        RefusedRequestError: there is no match with the id in the field `before`.
    """
    before = None
    if request.before is not None:
        before = find_match_number(engine, request.before)
        if before is None:
            raise RefusedRequestError(ErrorCode.NOT_YOUR_MATCH, "before: there is no such match")
    ladders = None if request.ladder is None else (request.ladder,)
    wanted = MatchFilter(ladders=ladders, player=request.player, before=before, over=True)
    listed = list_matches(engine, wanted, MATCHES_PER_PAGE + 1)
    fields = FinishedMatch.model_fields
    matches = (FinishedMatch(**{name: getattr(match, name) for name in fields}) for match in listed[:MATCHES_PER_PAGE])
    return encode(MatchList(matches=tuple(matches), more=len(listed) > MATCHES_PER_PAGE, re=request.id))


def _encode_pages(ladder: Ladder, rows: Sequence[LeaderboardRow]) -> list[str]:
    """Return the JSON texts of all pages of a leaderboard with ``rows``, best first; there is at least one page.

    This function is called in a thread, because it takes milliseconds for a long leaderboard.
    """
    pages = range(0, max(1, len(rows)), ROWS_PER_PAGE)
    return [
        _encode_page(ladder, rows[start : start + ROWS_PER_PAGE], number, len(pages))
        for number, start in enumerate(pages, 1)
    ]


def _encode_page(ladder: Ladder, rows: Sequence[LeaderboardRow], page: int, pages: int) -> str:
    """Return the JSON text of a `Standings` message without the field `re`, the id of a request.

    ``rows`` are the rows of this page. ``page`` is its number, from 1, and ``pages`` the number of all pages.
    """
    document = leaderboard_document(ladder.info(), rows)
    return orjson.dumps({"type": "standings", **document, "page": page, "pages": pages}).decode()
