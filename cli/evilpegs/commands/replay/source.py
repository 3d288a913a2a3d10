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
"""The word that stands for the newest match in place of an id."""
_ID: Final = re.compile(r"[0-9a-f]{16}")


class RecordedMatch(NamedTuple):
    """A match: its id, the entries of its event log in the order of the events, and True in ``over`` if it is over."""

    id: str
    entries: list[LogEntry]
    over: bool


def load_recorded(database: str | None, name: str) -> RecordedMatch:
    """Return a match from the database at the URL ``database``; None stands for the one that `evilpegs serve` uses.

    ``name`` is the id of the match, a beginning that no other id has, or ``last`` for the newest match.

    Raises:
        CommandError: there is no such match, or more than one.
        DatabaseUnusableError: there is no database, or it cannot be read.
    """
    from evilpegs.database import find_match, open_for_reading  # noqa: PLC0415 - needs the extra `server`

    with open_for_reading(database) as engine:
        stored = find_match(engine, name)
    return RecordedMatch(stored.id, stored.entries, stored.over)


def fetch_recorded(server: str, name: str) -> RecordedMatch:
    """Return a match from the running server at the address ``server``.

    ``name`` is the id of the match, or ``last`` for the newest match that is over.

    A server does not send the hashes of single events, so they are computed here. Only the hash in `match_over` can
    therefore disagree with the events.

    Raises:
        CommandError: there is no such match.
        ClientError: the server cannot be reached, refuses a request or contradicts itself.
    """
    if name != NEWEST and not _ID.fullmatch(name.lower()):
        message = f"not the id of a match: {quoted(name)}; write its 16 hex digits, or last for the newest"
        raise CommandError(message)
    return asyncio.run(_fetch(server, name.lower()))


async def _fetch(server: str, name: str) -> RecordedMatch:
    async with server_reader(server) as reader:
        match = await _newest(reader) if name == NEWEST else name
        with explain_refusals(server, match=match):
            return _recorded(match, await reader.record(match))


async def _newest(reader: ServerReader) -> str:
    newest = await reader.newest_match()
    if newest is None:
        message = f"there is no finished match on {reader.server} yet"
        raise CommandError(message)
    return newest.match


def _recorded(match: str, events: list[dict[str, Any]]) -> RecordedMatch:
    log = EventLog(match)
    for event in events:
        log.append_text(event["at"], event["type"], canonical(event))
    return RecordedMatch(match, log.entries, bool(events) and events[-1]["type"] == "match_over")
