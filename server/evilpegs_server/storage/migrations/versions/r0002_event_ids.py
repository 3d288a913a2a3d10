"""Ids of events, cursors of readers, the client of each match, and the indexes that serve the lists of matches.

SQLite numbers the rows of every table, but only a number that is declared as a column survives VACUUM. The migration
copies the events once, in the order in which they were stored. This takes about 3 seconds per million events, and as
much disk space as the events have already.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

_EVENTS = """
    CREATE TABLE events_with_id (
        id INTEGER NOT NULL, match INTEGER NOT NULL, seq INTEGER NOT NULL, at BIGINT NOT NULL,
        type VARCHAR(20) NOT NULL, json TEXT NOT NULL, hash VARCHAR(64) NOT NULL,
        CONSTRAINT pk_events PRIMARY KEY (id), CONSTRAINT uq_events_match UNIQUE (match, seq),
        CONSTRAINT fk_events_match FOREIGN KEY(match) REFERENCES matches (number))
"""
_CURSORS = """
    CREATE TABLE cursors (
        reader VARCHAR(80) NOT NULL, event INTEGER NOT NULL, CONSTRAINT pk_cursors PRIMARY KEY (reader))
"""
_INDEXES = {
    "ix_matches_ladder": ["ladder", "started_at"],
    "ix_matches_ladder_client": ["ladder", "client", "started_at"],
    "ix_matches_player_ladder": ["player", "ladder", "started_at"],
    "ix_matches_player_ladder_client": ["player", "ladder", "client", "started_at"],
    "ix_matches_started_at": ["started_at"],
}


def upgrade() -> None:
    op.execute(_EVENTS)
    op.execute(
        "INSERT INTO events_with_id (id, match, seq, at, type, json, hash)"
        " SELECT rowid, match, seq, at, type, json, hash FROM events ORDER BY rowid"
    )
    op.drop_table("events")
    op.rename_table("events_with_id", "events")
    op.execute(_CURSORS)
    op.add_column("matches", sa.Column("client", sa.String(81), nullable=False, server_default=""))
    op.execute(
        # empty if the first event cannot be read
        "UPDATE matches SET client = coalesce((SELECT json_extract(json, '$.client.name') || ' ' ||"
        " json_extract(json, '$.client.version') FROM events"
        " WHERE events.match = matches.number AND seq = 1 AND json_valid(json)), '')"
    )
    op.drop_index("ix_matches_ladder", "matches")
    op.drop_index("ix_matches_player", "matches")
    for name, columns_of_index in _INDEXES.items():
        op.create_index(name, "matches", columns_of_index)
