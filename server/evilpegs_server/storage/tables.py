"""The tables of the database, which is the log of what happened. The record of a match is its rows in `events`.

The server's nonces follow from `matches.seed`, which is never disclosed. `begun.client_nonce` is stored as soon as the
player is ready, because the secret of a fixed codemaker depends on it before any event shows it. `events` and `begun`
refer to a match by `matches.number`, which numbers matches in the order in which they were stored and takes fewer bytes
than the public id, so every guess writes less. `events.id` numbers events in the order in which they were stored;
readers that follow the event log keep the last id that they have read, and a copy of the database keeps the ids. Times
are in Unix milliseconds.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

log = Table("log", metadata, Column("id", String(16), primary_key=True))
"""One row: the random id of the log, which a copy keeps."""

players = Table(
    "players",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("name", String(20), nullable=False, unique=True),
    Column("skeleton", String(20), nullable=False, unique=True),
    Column("kind", String(8), nullable=False),
    Column("token_hash", String(64), nullable=False, unique=True),
    Column("created_at", BigInteger, nullable=False),
)

matches = Table(
    "matches",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("id", String(16), nullable=False, unique=True),
    Column("player", ForeignKey("players.id"), nullable=False),
    Column("ladder", String(40), nullable=False),
    Column("seed", LargeBinary(32), nullable=False),
    Column("started_at", BigInteger, nullable=False),
    Column("over", Boolean, nullable=False),
    Column("client", String(81), nullable=False),
    # Lists are ordered by start, and every filter of `browse` is a prefix of one of these.
    Index("ix_matches_ladder", "ladder", "started_at"),
    Index("ix_matches_ladder_client", "ladder", "client", "started_at"),
    Index("ix_matches_player_ladder", "player", "ladder", "started_at"),
    Index("ix_matches_player_ladder_client", "player", "ladder", "client", "started_at"),
    Index("ix_matches_started_at", "started_at"),
    Index("ix_matches_open", "number", sqlite_where=text("NOT over")),
)

events = Table(
    "events",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("match", ForeignKey("matches.number"), nullable=False),
    Column("seq", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("type", String(20), nullable=False),
    Column("json", Text, nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("match", "seq"),
)

begun = Table(
    "begun",
    metadata,
    Column("match", ForeignKey("matches.number"), primary_key=True),
    Column("game", Integer, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("client_nonce", String(64)),
)
"""The games for which the player was ready."""

luck = Table(
    "luck",
    metadata,
    Column("match", Integer, primary_key=True, autoincrement=False),
    Column("game", Integer, primary_key=True),
    Column("luck", BigInteger, nullable=False),
    Column("curve", String(16), nullable=False),
)
"""What was measured before luck was kept in the derived file, which takes it over when it is built."""

cursors = Table(
    "cursors",
    metadata,
    Column("reader", String(80), primary_key=True),
    Column("event", Integer, nullable=False),
)
"""The id of the last event that each reader, a named part of the server such as the feed, has processed."""
