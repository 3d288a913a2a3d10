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
    stored: StoredMatch
    match: Match
    tie_nonces: int | None


def read_match(engine: Engine, ladders: Mapping[str, Ladder], match: str) -> ReplayedMatch | None:
    """Read and replay a match; None if there is no such match, or if its ladder is not in ``ladders``."""
    stored = load_match(engine, match)
    if stored is None or stored.ladder not in ladders:
        return None
    return replay_match(stored, ladders[stored.ladder])


def replay_match(stored: StoredMatch, ladder: Ladder) -> ReplayedMatch:
    events = [decode_record_event(entry.text) for entry in stored.entries]
    match = Match.from_facts(ladder, facts_from_events(ladder, events, stored.client_nonces))
    return ReplayedMatch(stored, match, _tie_nonces(events))


def _tie_nonces(events: Sequence[RecordEvent]) -> int | None:
    started = events[0] if events else None
    return started.tie_nonces if isinstance(started, MatchStarted) else None
