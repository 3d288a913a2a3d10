"""A match that was read from the database, with the state machine that was rebuilt from its record."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sqlalchemy import Engine

from evilpegs_protocol.codec import decode_record_event
from evilpegs_protocol.server_messages import MatchStarted, RecordEvent
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.match.match import Match
from evilpegs_server.record.encoding import facts_from_events
from evilpegs_server.storage.archive import StoredMatch, load_match


class ReplayedMatch(NamedTuple):
    """A stored match, its state machine, and the value of the field `tie_nonces` in its record.

    The value 2 means that the nonces of server and client decide together among equally good replies. The value is None
    if the record has no such field.
    """

    stored: StoredMatch
    match: Match
    tie_nonces: int | None


def read_match(engine: Engine, ladders: Mapping[str, Ladder], match: str) -> ReplayedMatch | None:
    """Read the match with the id ``match`` from the database, and replay its record.

    The result is None if there is no such match, or if its ladder is not in ``ladders``.
    """
    stored = load_match(engine, match)
    if stored is None or stored.ladder not in ladders:
        return None
    return replay_match(stored, ladders[stored.ladder])


def replay_match(stored: StoredMatch, ladder: Ladder) -> ReplayedMatch:
    """Return ``stored``, a match that is played on ``ladder``, with the state machine rebuilt from its record."""
    events = [decode_record_event(entry.text) for entry in stored.entries]
    match = Match.from_facts(ladder, facts_from_events(ladder, events, stored.client_nonces))
    return ReplayedMatch(stored, match, _tie_nonces(events))


def _tie_nonces(events: Sequence[RecordEvent]) -> int | None:
    """Return the value of the field `tie_nonces` in the first event of a record, or None if there is no such field.

    The value 2 means that the nonces of server and client decide together among equally good replies.
    """
    started = events[0] if events else None
    return started.tie_nonces if isinstance(started, MatchStarted) else None
