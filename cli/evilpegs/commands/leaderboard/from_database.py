"""Leaderboards computed from the log of all matches in a database."""

import sys
from collections.abc import Collection, Iterable, Iterator
from typing import Final

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from evilpegs.commands.leaderboard.ladder_errors import practice_ladder, unknown_ladder
from evilpegs.database import find_match_with_event
from evilpegs.errors import CommandError
from evilpegs.output import console, pluralize
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.listings import Standings, StandingsRow
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.match.ladders import Ladder, load_ladders
from evilpegs_server.scoring.leaderboard import LeaderboardRow
from evilpegs_server.scoring.leaderboard import leaderboard as rank_players
from evilpegs_server.storage.archive import load_event_texts
from evilpegs_server.storage.chains import all_broken_matches
from evilpegs_server.storage.leaderboards import LiveLeaderboards

LISTING: Final = "evilpegs ladders"


def load_standings(engine: Engine, ladder_id: str | None = None) -> list[Standings]:
    """Return the standings on one ladder, by default on each that has rated games.

    Matches whose chain of hashes is broken do not count, and a line on standard error says how many there are.

    Raises:
        CommandError: the ladder has no leaderboard, or an event cannot be read.
    """
    ladder = None if ladder_id is None else find_rated_ladder(ladder_id)
    broken = all_broken_matches(engine)
    if broken:
        what = f"{pluralize(len(broken), 'match', 'matches')} left out, because the chain of hashes is broken"
        console(sys.stderr).print(f"{what}; see: evilpegs database check")
    if ladder is not None:
        return [_rank(engine, ladder, broken)]
    found = (_rank(engine, each, broken) for each in load_ladders().values() if each.rated)
    return [standings for standings in found if standings.rows]


class FollowedStandings:
    """The standings of a database that is in use; only events that are new are read again."""

    def __init__(self, engine: Engine, ladder_id: str | None) -> None:
        self._ladders = load_ladders()
        self._ladder = None if ladder_id is None else find_rated_ladder(ladder_id)
        self._leaderboards = LiveLeaderboards(engine, self._ladders, structlog.stdlib.get_logger())

    async def current(self) -> list[Standings]:
        """Return the standings on the one ladder, or on each that has rated games; raises CommandError."""
        try:
            await self._leaderboards.update()
        except SQLAlchemyError as error:
            message = f"the database cannot be read: {str(error).splitlines()[0]}"
            raise CommandError(message) from None
        if self._ladder is not None:
            return [_standings(self._ladder, await self._leaderboards.rows(self._ladder.id))]
        found = [_standings(each, await self._leaderboards.rows(each.id)) for each in self._ladders.values()]
        return [standings for standings in found if standings.rows]

    async def close(self) -> None:
        """Stop reading."""
        await self._leaderboards.close()


def find_rated_ladder(ladder_id: str) -> Ladder:
    """Return the ladder with this id; raises CommandError if there is none or it has no leaderboard."""
    ladders = load_ladders()
    ladder = ladders.get(ladder_id)
    if ladder is None:
        raise unknown_ladder(ladder_id, ladders, LISTING)
    if not ladder.rated:
        raise practice_ladder(ladder.id, LISTING)
    return ladder


def _rank(engine: Engine, ladder: Ladder, without: Collection[int]) -> Standings:
    return _standings(ladder, rank_players(_read_events(engine, ladder, without), ladder.id))


def _standings(ladder: Ladder, rows: Iterable[LeaderboardRow]) -> Standings:
    info = ladder.info()
    fields = StandingsRow.model_fields
    return Standings(
        ladder=info.id,
        rules=info.rules,
        codemaker=info.codemaker,
        guess_limit=info.guess_limit,
        rows=tuple(StandingsRow(**{name: getattr(row, name) for name in fields}) for row in rows),
        page=1,
        pages=1,
    )


def _read_events(engine: Engine, ladder: Ladder, without: Collection[int]) -> Iterator[RecordEvent]:
    for text in load_event_texts(engine, [ladder.id], without):
        try:
            yield decode_record_event(text)
        except CodecError as error:
            message = f"the record of match {find_match_with_event(engine, text)} cannot be read: {error}"
            raise CommandError(message) from None
