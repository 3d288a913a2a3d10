"""Damage to the file of a database, as a failing disk does it."""

import sqlite3
from contextlib import closing

LEAF_OF_TABLE = 0x0D
"""The first byte of a page that holds rows of a table."""


def damage_rows(path, marker):
    """Overwrite the beginning of each page of rows that contains ``marker``, and return the number of these pages."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    data, damaged = bytearray(path.read_bytes()), 0
    for start in range(0, len(data), size):
        if data[start] == LEAF_OF_TABLE and marker in data[start : start + size]:
            data[start : start + 8] = b"\xff" * 8
            damaged += 1
    path.write_bytes(data)
    return damaged
