"""What the operator does to players, which a running server follows."""

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
    op.add_column("log", sa.Column("deleted", sa.BigInteger(), nullable=False, server_default="0"))
