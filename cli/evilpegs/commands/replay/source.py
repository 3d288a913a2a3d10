"""The source of a match to be replayed: the event log in a database, or a running server."""

import asyncio
import re
from typing import Any, Final, NamedTuple

from evilpegs.errors import CommandError
from evilpegs.reading import explain_refusals, server_reader
from evilpegs_clients.connection.server_reader import ServerReader
from evilpegs_game.errors import quoted
from evilpegs_protocol.canonical import canonical
from evilpegs_server.record.event_log import EventLog, LogEntry

NEWEST: Final = "last"
"""The word that names the newest match instead of its id."""
_ID: Final = re.compile(r"[0-9a-f]{16}")


class RecordedMatch(NamedTuple):
    """A match with the entries of its event log."""

    id: str
    entries: list[LogEntry]
    over: bool


def load_recorded(database: str | None, name: str) -> RecordedMatch:
    """Return a match of a database, by any name that `find_match` accepts."""
    from evilpegs.database import find_match, open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        stored = find_match(engine, name)
    return RecordedMatch(stored.id, stored.entries, stored.over)


def fetch_recorded(server: str, name: str) -> RecordedMatch:
    """Return a match of a running server, by its id, or ``last`` for the newest that is over."""
    if name != NEWEST and not _ID.fullmatch(name.lower()):
        raise CommandError(f"not the id of a match: {quoted(name)}; write its 16 hex digits, or last for the newest")
    return asyncio.run(_fetch(server, name.lower()))


async def _fetch(server: str, name: str) -> RecordedMatch:
    async with server_reader(server) as reader:
        match = await _newest(reader) if name == NEWEST else name
        with explain_refusals(server, match=match):
            return _recorded(match, await reader.record(match))


async def _newest(reader: ServerReader) -> str:
    newest = await reader.newest_match()
    if newest is None:
        raise CommandError(f"there is no finished match on {reader.server} yet")
    return newest.match


def _recorded(match: str, events: list[dict[str, Any]]) -> RecordedMatch:
    log = EventLog(match)
    for event in events:
        # a server sends no hashes of single events, so only the hash in `match_over` can disagree with the events
        log.append_text(event["at"], event["type"], canonical(event))
    return RecordedMatch(match, log.entries, bool(events) and events[-1]["type"] == "match_over")
