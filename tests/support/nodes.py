"""Nodes on a PostgreSQL database, each of which writes when a test asks it to."""

import json

from evilpegs_server.storage.postgres.database import open_postgres
from evilpegs_server.storage.postgres.store import PostgresStore
from evilpegs_server.storage.queries import read_value


class Nodes:
    def __init__(self, url):
        self.url, self.engine, self.stores = url, open_postgres(url), {}

    def _store(self, node):
        if node not in self.stores:
            row = json.dumps({"name": node, "run": 1, "written": 0, "seen": "now", "lease": "5 s"})
            added = "INSERT INTO nodes SELECT * FROM json_populate_record(NULL::nodes, CAST(? AS json))"
            self.change(f"{added} ON CONFLICT DO NOTHING", row)
            self.stores[node] = PostgresStore(self.url, node, 1)
        return self.stores[node]

    def write(self, node, *jobs):
        assert set(self._store(node).write(jobs, 1)) <= {None}

    def play(self, node, steps):
        for step in steps:
            self.write(node, step)

    def move(self, play, to):
        """Let the node ``to`` own a match."""
        store, match = self._store(to), play.log.match
        taken = "UPDATE owners SET node = ?, epoch = epoch + 1 WHERE match = (SELECT number FROM matches WHERE id = ?)"
        self.change(taken, to, match)
        epoch = "SELECT epoch FROM owners JOIN matches ON number = match WHERE id = ?"
        store.epochs[match] = read_value(self.engine, epoch, match)

    def change(self, statement, *parameters):
        with self.engine.begin() as connection:
            connection.exec_driver_sql(statement, parameters)

    def close(self):
        for each in self.stores.values():
            each.drop()
        self.engine.dispose()
