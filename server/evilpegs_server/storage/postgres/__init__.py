"""The log in PostgreSQL: the same tables, a store that commits a batch in one statement, and nodes that own matches."""
