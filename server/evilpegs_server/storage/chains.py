"""The search for matches whose chain of hashes is broken, without reading whole matches.

The hash of an event covers its text and the hash of the event before it in the match, so each event can be checked
alone, in any order. A match is broken if the hash of one of its events does not fit the event before it, or this event
is missing. SQLite has no SHA-256, so Python computes the hashes. SQLite returns all texts of a range of events in one
value, because the driver releases the interpreter lock at each row and has to compete with the event loop for it.
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
# the rowid is the id of an event; the first tables had no column `id`
_LAST: Final = text("SELECT max(rowid) FROM events")
_HASH_LENGTH: Final = len(GENESIS)


# larger chunks would hold the interpreter lock for too long
CHUNK: Final = 4_000


def verify_chains(engine: Engine) -> Iterator[tuple[int, set[int]]]:
    """Verify all stored events; yield the thousandths done and the `matches.number` of matches found broken."""
    with engine.connect() as connection:
        last: int = connection.execute(_LAST).scalar() or 0
    for after in range(0, last, CHUNK):
        end = min(after + CHUNK, last)
        yield 1000 * end // last, find_broken_matches(engine, after, end)


def find_broken_matches(engine: Engine, after: int, last: int) -> set[int]:
    """Return the `matches.number` of the matches broken at an event above ``after`` and up to ``last``."""
    # 2 microseconds per event
    limits = {"after": after, "last": last}
    with engine.connect() as connection:
        links: bytes | None = connection.execute(_ALL_LINKS, limits).scalar_one()
        if links is None or all(_holds(link[:-_HASH_LENGTH], link[-_HASH_LENGTH:]) for link in links.split(b"\n")):
            return set()
        rows = connection.execute(_LINKS, limits).all()
    return {match for match, hashed, stored in rows if not _holds(hashed, stored)}


def _holds(hashed: bytes, stored: bytes) -> bool:
    return sha256(hashed).hexdigest().encode() == stored
