"""The engines that a log may have: a file of SQLite, or a database of PostgreSQL."""
