"""The tables that PostgreSQL had before they were declared: they become those of today, and are the same ones."""

from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from evilpegs_server.storage.engines.postgres import PostgresDatabase
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.log.archive import load_log_id
from evilpegs_server.storage.log.tables import REVISION
from evilpegs_server.storage.queries import closing_engine, read

SCHEMA = Path(__file__).with_name("postgres-0006.sql").read_text()
# what of each column decides which values it takes and how they are compared; the collation where texts are keys
COLUMNS = """
    SELECT table_name, column_name, data_type, is_nullable, is_identity,
        CASE WHEN column_name IN ('id', 'name', 'skeleton', 'token_hash', 'ladder', 'round', 'node')
            THEN collation_name END
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'alembic_version'
"""


@pytest.fixture
def earlier(postgres_cluster):
    url = postgres_cluster.create()
    with psycopg.connect(url) as connection:
        connection.execute(SCHEMA)
        connection.execute("INSERT INTO players VALUES (7, 'ann', 'ANN', 'bot', 'hash', 1)")
    return url


def flaws(url):
    return list(PostgresDatabase.flaws(url))


def test_earlier_tables_become_those_of_today(earlier):
    with psycopg.connect(earlier) as connection:
        name = connection.execute("SELECT id FROM log").fetchone()[0]
    with pytest.raises(DatabaseUnusableError, match=r"older version.*evilpegs database upgrade"):
        PostgresDatabase.open(earlier)
    assert PostgresDatabase.upgrade(earlier) is False
    assert flaws(earlier) == []
    with closing_engine(PostgresDatabase.open(earlier)) as engine:
        assert load_log_id(engine) == name
        assert read(engine, "SELECT id, name FROM players") == [(7, "ann")]
        assert read(engine, "SELECT version_num FROM alembic_version") == [(REVISION,)]


def test_new_tables_are_those_of_before(earlier, postgres_url):
    PostgresDatabase.upgrade(earlier)
    assert flaws(postgres_url) == []
    columns = []
    for url in (earlier, postgres_url):
        with closing_engine(PostgresDatabase.open(url)) as engine, engine.connect() as connection:
            columns.append(set(map(tuple, connection.execute(text(COLUMNS)))))
    assert columns[0] == columns[1]
    assert len(columns[0]) > 60


@pytest.mark.parametrize(
    ("statement", "flaw"),
    [
        ("ALTER TABLE events DROP CONSTRAINT events_node_n_key", "the table events lacks the unique key (node, n)"),
        ("ALTER TABLE events DROP COLUMN hash", "the table events lacks the column hash"),
        ("DROP INDEX ix_owners_wanted", "the table owners lacks the index ix_owners_wanted (node)"),
        ("DROP TABLE hidden", "the table hidden is missing"),
    ],
)
def test_flaw_is_found(earlier, statement, flaw):
    PostgresDatabase.upgrade(earlier)
    with psycopg.connect(earlier) as connection:
        connection.execute(statement)
    assert flaws(earlier) == [flaw]
