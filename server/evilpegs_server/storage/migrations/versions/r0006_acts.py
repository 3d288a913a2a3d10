"""What the operator does to players, which a running server follows, and the ladders that the operator adds."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "acts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("act", sa.String(16), nullable=False),
        sa.Column("player", sa.Integer()),
        sa.Column("reason", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_acts"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_acts_player"),
    )
    op.create_table(
        "hidden",
        sa.Column("player", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("player", name="pk_hidden"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_hidden_player"),
    )
    op.create_table(
        "ladders",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("json", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_ladders"),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.String(40), nullable=False),
        sa.Column("base", sa.String(40), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.Column("sealed", sa.Boolean(), nullable=False),
        sa.Column("opens", sa.BigInteger(), nullable=False),
        sa.Column("closes", sa.BigInteger()),
        sa.Column("published", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name="pk_rounds"),
    )
    op.create_table(
        "entrants",
        sa.Column("round", sa.String(40), nullable=False),
        sa.Column("player", sa.Integer(), nullable=False),
        sa.Column("excluded", sa.Text()),
        sa.PrimaryKeyConstraint("round", "player", name="pk_entrants"),
        sa.ForeignKeyConstraint(["round"], ["rounds.id"], name="fk_entrants_round"),
        sa.ForeignKeyConstraint(["player"], ["players.id"], name="fk_entrants_player"),
    )
    op.add_column("log", sa.Column("deleted", sa.BigInteger(), nullable=False, server_default="0"))
