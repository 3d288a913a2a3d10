"""The Alembic migrations, which bring a database of any earlier version to this version."""
