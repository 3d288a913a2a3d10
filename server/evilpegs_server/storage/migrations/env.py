"""The Alembic environment, which runs the migrations on the connection that `storage.database` passes in."""

from alembic import context

from evilpegs_server.storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
