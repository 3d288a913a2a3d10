"""The database that reading commands look into."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, select

from evilpegs.errors import CommandError
from evilpegs.server_settings import server_settings
from evilpegs_server.storage.archive import StoredMatch, load_match, match_ids_with_prefix, newest_match_ids
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.tables import events, matches

NEWEST = "last"


@contextmanager
def open_for_reading(url: str | None) -> Iterator[Engine]:
    """The database at ``url``, by default the one that `evilpegs serve` would use here.

    Raises:
        DatabaseUnusableError: there is none, or it cannot be read.
    """
    engine = open_existing_database(server_settings(database=url).database)
    try:
        yield engine
    finally:
        engine.dispose()


def find_match(engine: Engine, name: str) -> StoredMatch:
    """The match of that id, the only one whose id begins so, or the ``last`` begun; raises CommandError."""
    found = newest_match_ids(engine, 1) if name == NEWEST else match_ids_with_prefix(engine, name.lower())
    if not found:
        what = "there is no match in the database yet" if name == NEWEST else f"no match begins with {name[:40]!r}"
        message = f"{what}; name the database with --database, or say last for the newest match"
        raise CommandError(message)
    if len(found) > 1:
        message = f"{name!r} begins more than one match: {', '.join(found)}; write more of the id"
        raise CommandError(message)
    stored = load_match(engine, found[0])
    assert stored is not None  # noqa: S101 - matches are never removed
    return stored


def match_with(engine: Engine, event: str) -> str:
    """The id of a match that has this event, given as it is stored; raises NoResultFound."""
    with engine.connect() as connection:
        query = select(matches.c.id).join(events, events.c.match == matches.c.number).where(events.c.json == event)
        match: str = connection.execute(query.limit(1)).scalar_one()
        return match
