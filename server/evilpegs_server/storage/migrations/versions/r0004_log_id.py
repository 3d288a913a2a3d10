"""The random id of the log, which a copy keeps: the ids of its events are not those of another log."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table("log", sa.Column("id", sa.String(16), nullable=False), sa.PrimaryKeyConstraint("id", name="pk_log"))
    op.execute("INSERT INTO log (id) SELECT lower(hex(randomblob(8)))")
