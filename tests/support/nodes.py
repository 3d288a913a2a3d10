"""Nodes on a PostgreSQL database, each of which writes when a test asks it to."""

import json

from sqlalchemy import text

from evilpegs_server.storage.engines.postgres import PostgresDatabase, PostgresStore
from evilpegs_server.storage.queries import read_value


class Nodes:
    def __init__(self, url):
        self.url, self.engine, self.stores = url, PostgresDatabase.open(url), {}

    def _store(self, node):
        if node not in self.stores:
            row = json.dumps({"name": node, "run": 1, "written": 0, "seen": "now", "lease": "5 s"})
            added = "INSERT INTO nodes SELECT * FROM json_populate_record(NULL::nodes, CAST(:row AS json))"
            self.change(f"{added} ON CONFLICT DO NOTHING", row=row)
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
        taken = (
            "UPDATE owners SET node = :to, epoch = epoch + 1 WHERE match = (SELECT number FROM matches WHERE id = :id)"
        )
        self.change(taken, to=to, id=match)
        epoch = "SELECT epoch FROM owners JOIN matches ON number = match WHERE id = :id"
        store.epochs[match] = read_value(self.engine, epoch, id=match)

    def change(self, statement, **parameters):
        with self.engine.begin() as connection:
            connection.execute(text(statement), parameters)

    def close(self):
        for each in self.stores.values():
            each.drop()
        self.engine.dispose()
