"""Which games have begun, with the clients' nonces; results and times are derived from the events and kept elsewhere.

Luck takes long to measure, so what is known stays in a table of its own, from which the derived file takes it over.
"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_BEGUN = """
    INSERT INTO begun SELECT g.match, g.game,
        coalesce((SELECT e.at FROM events AS e WHERE e.match = g.match AND e.type = 'game_started'
            AND json_valid(e.json) AND json_extract(e.json, '$.game') = g.game), m.started_at),
        g.client_nonce
    FROM games AS g JOIN matches AS m ON m.number = g.match
"""


def upgrade() -> None:
    op.create_table(
        "begun",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("client_nonce", sa.String(64)),
        sa.PrimaryKeyConstraint("match", "game", name="pk_begun"),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_begun_match"),
    )
    op.execute(_BEGUN)
    op.create_table(
        "luck",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("luck", sa.BigInteger(), nullable=False),
        sa.Column("curve", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("match", "game", name="pk_luck"),
    )
    op.execute("INSERT INTO luck SELECT match, game, luck, curve FROM games WHERE luck IS NOT NULL")
    op.drop_table("games")
    op.create_index("ix_matches_open", "matches", ["number"], sqlite_where=sa.text("NOT over"))
