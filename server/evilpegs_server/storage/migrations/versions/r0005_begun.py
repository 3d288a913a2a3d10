"""Which games have begun, with the clients' nonces; results and times are derived from the events and kept elsewhere.

Luck takes long to measure, so what is known stays in a table of its own, from which the derived file takes it over.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_BEGUN = """
    CREATE TABLE begun (
        match INTEGER NOT NULL, game INTEGER NOT NULL, at BIGINT NOT NULL, client_nonce VARCHAR(64),
        CONSTRAINT pk_begun PRIMARY KEY (match, game),
        CONSTRAINT fk_begun_match FOREIGN KEY(match) REFERENCES matches (number))
"""
_LUCK = """
    CREATE TABLE luck (
        match INTEGER NOT NULL, game INTEGER NOT NULL, luck BIGINT NOT NULL, curve VARCHAR(16) NOT NULL,
        CONSTRAINT pk_luck PRIMARY KEY (match, game))
"""
_COPY = """
    INSERT INTO begun SELECT g.match, g.game,
        coalesce((SELECT e.at FROM events AS e WHERE e.match = g.match AND e.type = 'game_started'
            AND json_valid(e.json) AND json_extract(e.json, '$.game') = g.game), m.started_at),
        g.client_nonce
    FROM games AS g JOIN matches AS m ON m.number = g.match
"""


def upgrade() -> None:
    op.execute(_BEGUN)
    op.execute(_COPY)
    op.execute(_LUCK)
    op.execute("INSERT INTO luck SELECT match, game, luck, curve FROM games WHERE luck IS NOT NULL")
    op.drop_table("games")
    op.create_index("ix_matches_open", "matches", ["number"], sqlite_where=sa.text("NOT over"))
