"""The leaderboards of a database."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import NamedTuple

from sqlalchemy import Engine

from evilpegs.database import match_with
from evilpegs.errors import CommandError
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import RecordEvent
from evilpegs_server.ladders import Ladder, load_ladders
from evilpegs_server.leaderboard import Row
from evilpegs_server.leaderboard import leaderboard as ranked_rows
from evilpegs_server.storage.archive import recorded_events


class Standing(NamedTuple):
    """A ladder and its rows, best first."""

    ladder: Ladder
    rows: list[Row]


def standings(engine: Engine, ladder_id: str | None = None) -> list[Standing]:
    """The standing on that ladder, or without one on every ladder that has rated games; raises CommandError."""
    if ladder_id is not None:
        return [_standing(engine, _rated(ladder_id))]
    every = (_standing(engine, ladder) for ladder in load_ladders().values() if ladder.rated)
    return [standing for standing in every if standing.rows]


def _standing(engine: Engine, ladder: Ladder) -> Standing:
    return Standing(ladder, ranked_rows(_events(engine, ladder), ladder.id))


def _events(engine: Engine, ladder: Ladder) -> Iterator[RecordEvent]:
    for text in recorded_events(engine, [ladder.id]):
        try:
            yield decode_record_event(text)
        except CodecError as error:
            message = f"the record of match {match_with(engine, text)} cannot be read: {error}"
            raise CommandError(message) from None


def _rated(ladder_id: str) -> Ladder:
    ladders = load_ladders()
    ladder = ladders.get(ladder_id)
    if ladder is None:
        close = get_close_matches(ladder_id, ladders, n=1)
        hint = f"did you mean {close[0]}?" if close else "see: evilpegs ladders"
        message = f"there is no ladder {ladder_id[:40]!r}; {hint}"
        raise CommandError(message)
    if not ladder.rated:
        message = f"{ladder.id} is for practice and has no leaderboard; see: evilpegs ladders"
        raise CommandError(message)
    return ladder
