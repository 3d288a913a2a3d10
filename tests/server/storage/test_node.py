"""Who may be a node, and whose matches it may take, by the clock of the database."""

from contextlib import closing

import pytest

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.errors import DatabaseInUseError
from evilpegs_server.storage.queries import read_value
from support.patience import PATIENCE
from support.stores import new_node

MATCH = "00000000000000ab"


@pytest.fixture
def engine(postgres_url):
    engine = open_database(postgres_url)
    yield engine
    engine.dispose()


def change(engine, statement):
    with engine.begin() as connection:
        connection.exec_driver_sql(statement)


def be_silent(engine, node):
    """Let it look as it does after the database was away."""
    change(engine, f"UPDATE nodes SET seen = seen - interval '1 hour' WHERE name = '{node}'")


def test_name_is_not_free_while_its_node_shows_life(engine):
    first = new_node(engine, "one", PATIENCE)
    be_silent(engine, "one")
    with closing(first.store), pytest.raises(DatabaseInUseError, match="another server runs as the node one"):
        new_node(engine, "one", sleep=lambda _: first.store.check())


def test_name_is_free_after_a_lease_of_watching(engine):
    lease = 0.3
    new_node(engine, "one", lease)
    be_silent(engine, "one")
    now = "SELECT CAST(extract(epoch FROM clock_timestamp()) AS float)"
    began = read_value(engine, now)
    again = new_node(engine, "one", lease, sleep=lambda _: None)  # it looks again at once, until the lease is over
    assert again.run == 2
    assert read_value(engine, now) - began > lease


def test_name_is_free_at_once_when_its_node_has_ended(engine):
    def sleep(_):
        raise AssertionError

    new_node(engine, "one").end()
    assert new_node(engine, "one", sleep=sleep).run == 2


@pytest.fixture
def owned(engine):
    """Nodes one and two, of which one owns a match of player 1."""
    nodes = new_node(engine, "one"), new_node(engine, "two")
    change(engine, "INSERT INTO players VALUES (1, 'annette', 'annette', 'bot', 'hash', 0)")
    change(engine, f"INSERT INTO matches VALUES (1, '{MATCH}', 1, 'classic', '', 0, false)")
    change(engine, "INSERT INTO owners (match, node) VALUES (1, 'one')")
    return nodes


def test_node_that_lost_the_database_takes_no_match_of_a_silent_one(engine, owned):
    _, two = owned
    be_silent(engine, "one")
    two.store.failed_at = float("inf")
    assert (two.take(MATCH, 1), two.take_silent()) == (None, [])
    two.store.failed_at = float("-inf")
    assert two.take(MATCH, 1).match == MATCH


def test_node_that_lost_the_database_takes_matches_of_one_that_has_ended(owned):
    one, two = owned
    two.store.failed_at = float("inf")
    assert two.take(MATCH, 1) is None
    one.end()
    assert two.take_silent() == [MATCH]
    assert two.owned() == [(MATCH, 1, 2)]


def test_ids_of_players_are_given_once(engine):
    """Of a node that stopped and begins again, too: what is left of its ids is lost."""
    one, two = new_node(engine, "one"), new_node(engine, "two")
    one.end()
    taken = [node.take_ids() for node in (one, two, new_node(engine, "one"))]
    assert [(each.start, len(each)) for each in taken] == [(1, 1000), (1001, 1000), (2001, 1000)]


def test_all_nodes_agree_on_the_key_of_the_first(engine):
    assert [new_node(engine, name).agree_on_key(f"of {name}") for name in ("one", "two")] == ["of one"] * 2
