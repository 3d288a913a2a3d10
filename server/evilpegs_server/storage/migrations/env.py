"""The Alembic environment, which runs the migrations on the connection that `storage.database` passes in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"])
with context.begin_transaction():
    context.run_migrations()
