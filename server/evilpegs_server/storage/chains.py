"""A search for matches whose chain of hashes is broken, without reading whole matches.

The hash of an event covers its text and the hash of the event before it in the match. Each event can therefore be
checked alone, in any order. A match is broken if the hash of one of its events does not fit the event before it. SQLite
has no SHA-256, so Python computes the hashes. SQLite returns all texts of a range of events in one value, because the
driver releases the interpreter lock at each row and has to compete with the event loop to acquire it again.
"""

from collections.abc import Iterator
from hashlib import sha256
from typing import Final

from sqlalchemy import Engine, text

from evilpegs_protocol.canonical import GENESIS

_EVENTS: Final = """
    FROM events AS e LEFT JOIN events AS before ON before.match = e.match AND before.seq = e.seq - 1
    WHERE e.rowid > :after AND e.rowid <= :last
"""
_HASHED: Final = f"coalesce(before.hash, '{GENESIS}') || e.json"
_ALL_LINKS: Final = text(f"SELECT CAST(group_concat({_HASHED} || e.hash, char(10)) AS BLOB) {_EVENTS}")
_LINKS: Final = text(f"SELECT e.match, CAST({_HASHED} AS BLOB), CAST(e.hash AS BLOB) {_EVENTS}")
_LAST: Final = text("SELECT max(rowid) FROM events")
"""The query for the greatest rowid, which is the id of the last event. The first tables had no column ``id``."""
_HASH_LENGTH: Final = len(GENESIS)


CHUNK: Final = 4_000
"""The number of events that are verified at a time. Larger chunks would hold the interpreter lock for too long."""


def verify_chains(engine: Engine) -> Iterator[tuple[int, set[int]]]:
    """Verify the hashes of all events that are stored now, `CHUNK` events at a time.

    Yields:
        after each chunk, a pair: the share of the events verified so far, in thousandths from 0 to 1000, and the
        numbers (`matches.number`) of the matches that are broken in this chunk.
    """
    with engine.connect() as connection:
        last: int = connection.execute(_LAST).scalar() or 0
    for after in range(0, last, CHUNK):
        end = min(after + CHUNK, last)
        yield 1000 * end // last, find_broken_matches(engine, after, end)


def find_broken_matches(engine: Engine, after: int, last: int) -> set[int]:
    """Return the numbers of the matches that are broken at an event with an id above ``after`` and up to ``last``.

    The numbers are those of the column `matches.number`. A match is broken at an event if the hash of the event does
    not follow from its text and the hash of the event before it, or if the event before it is missing. The search takes
    2 microseconds per event.
    """
    limits = {"after": after, "last": last}
    with engine.connect() as connection:
        links: bytes | None = connection.execute(_ALL_LINKS, limits).scalar_one()
        if links is None or all(_holds(link[:-_HASH_LENGTH], link[-_HASH_LENGTH:]) for link in links.split(b"\n")):
            return set()
        rows = connection.execute(_LINKS, limits).all()
    return {match for match, hashed, stored in rows if not _holds(hashed, stored)}


def _holds(hashed: bytes, stored: bytes) -> bool:
    return sha256(hashed).hexdigest().encode() == stored
