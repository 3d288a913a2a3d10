"""Columns of the table games with the time of each guess and the luck of each game.

No migration fills the times: they are derived from the events, and the next but one drops the table.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("games", sa.Column("times_ms", sa.Text(), nullable=True))
    op.add_column("games", sa.Column("luck", sa.BigInteger(), nullable=True))
    op.add_column("games", sa.Column("curve", sa.String(16), nullable=True))
