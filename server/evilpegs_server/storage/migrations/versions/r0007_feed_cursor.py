"""The place of the MQTT feed moves to its file, and the table of cursors, which had only this one, goes."""

from pathlib import Path

from alembic import context, op
from sqlalchemy import inspect, text

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    if not inspect(op.get_bind()).has_table("cursors"):  # PostgreSQL never had it
        return
    place = op.get_bind().execute(text("SELECT log.id, event FROM log, cursors WHERE reader = 'mqtt'")).one_or_none()
    file = context.config.attributes.get("feed")
    if place is not None and file is not None and not Path(file).exists():
        Path(file).touch(0o600)
        Path(file).write_text(f'{{"log":"{place.id}","event":{place.event}}}\n')
    op.drop_table("cursors")
