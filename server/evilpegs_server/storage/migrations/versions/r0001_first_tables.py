"""The first tables: players, matches, events, games."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("name", sa.String(20), nullable=False),
        sa.Column("skeleton", sa.String(20), nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("name", name="uq_players_name"),
        sa.UniqueConstraint("skeleton", name="uq_players_skeleton"),
        sa.UniqueConstraint("token_hash", name="uq_players_token_hash"),
    )
    op.create_table(
        "matches",
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("ladder", sa.String(40), nullable=False),
        sa.Column("seed", sa.LargeBinary(32), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("over", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_matches"),
        sa.UniqueConstraint("id", name="uq_matches_id"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_matches_player"),
    )
    op.create_index("ix_matches_ladder", "matches", ["ladder"])
    op.create_index("ix_matches_player", "matches", ["player"])
    op.create_table(
        "events",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.String(20), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("match", "seq", name="pk_events"),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_events_match"),
    )
    op.create_table(
        "games",
        sa.Column("match", sa.Integer(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("client_nonce", sa.String(64), nullable=True),
        sa.Column("outcome", sa.String(10), nullable=True),
        sa.Column("guesses", sa.Integer(), nullable=True),
        sa.Column("elapsed_ms", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("match", "game", name="pk_games"),
        sa.ForeignKeyConstraint(["match"], ["matches.number"], name="fk_games_match"),
    )
