"""Fixtures of the server's tests: small ladders, matches on a fake clock, and fake servers on a new database."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy import event

from evilpegs_protocol.fields import Program
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.database import open_database
from support import matches
from support.events import assert_is_message
from support.fake_server import FakeServer
from support.handshakes import endless_handshakes
from support.leftovers import no_thread_left
from support.matches import LADDERS, TINY, MatchDriver
from support.stores import store_for


def pytest_generate_tests(metafunc):
    # a module that names `DATABASES` runs what uses a database on each of them; results are those of a file
    names = set(metafunc.fixturenames)
    kinds = getattr(metafunc.module, "DATABASES", None)
    if kinds and "database" in names and not (names & {"derived"} or metafunc.definition.get_closest_marker("sqlite")):
        metafunc.parametrize("database", kinds, indirect=True)


@pytest.fixture
async def open_fake_server():
    """Open a fake server on a database. At the end of the test no log entry may be left that it did not take."""
    servers = []

    def open_server(engine, **options):
        servers.append(FakeServer(engine, **options))
        return servers[-1]

    yield open_server
    for server in servers:
        server.close()
        if server.leaderboards is not None:
            await server.leaderboards.close()
        for client in server.clients:
            client.assert_each_request_was_answered_once()
            for text in client.channel.sent:
                assert_is_message(text)
        server.assert_each_refusal_was_counted()
        assert server.take_log() == []


@pytest.fixture
async def fake_server(open_fake_server, engine):
    """A fake server on a new database."""
    return open_fake_server(engine)


@pytest.fixture
async def ann(fake_server):
    """A client of the fake server whose player is called ann."""
    return await fake_server.connect_player("ann")


@pytest.fixture(scope="session")
def tiny():
    """A rated ladder: two games of 2x3 on a clock of 10+1, four guesses each."""
    return TINY


@pytest.fixture(scope="session")
def new_match():
    """Begin a match on a fake clock; the ladder is `tiny` unless one is given or changes to it are."""
    return lambda ladder=TINY, **changes: MatchDriver(replace(ladder, **changes))


@pytest.fixture(scope="session")
def ladders():
    """A strategy of small ladders, timed and untimed, of one to three games."""
    return LADDERS


@pytest.fixture(scope="session")
def random_matches():
    """A strategy of matches that were driven at random, from just begun to over."""
    return matches.random_matches()


@pytest.fixture(scope="session")
def client_program():
    """The program of a client."""
    return Program(name="tester", version="1.0")


@pytest.fixture(scope="session")
def match_key(tiny):
    """A match on `tiny` with a known seed."""
    return MatchKey("00112233445566aa", tiny, bytes(range(32)))


@pytest.fixture
def database(tmp_path, request):
    """The URL of a database that does not exist yet; of one with empty tables if a test asks for PostgreSQL."""
    if getattr(request, "param", None) == "postgresql":
        request.getfixturevalue("monkeypatch").setenv("XDG_DATA_HOME", str(tmp_path))  # for the files beside its copy
        return request.getfixturevalue("postgres_url")
    return f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}"


@pytest.fixture
def engine(database):
    """A new database, open."""
    engine = open_database(database)
    yield engine
    engine.dispose()


@pytest.fixture
def broken_disk(engine):
    """A switch: while ``on`` is set, every commit fails with ``error``."""
    disk = SimpleNamespace(on=False, error=OSError("the disk is full"))

    def fail(_connection):
        if disk.on:
            raise disk.error

    event.listen(engine, "commit", fail)
    if engine.dialect.name == "postgresql":  # the store has a connection of its own
        store = store_for(engine)
        write = store.write
        store.write = lambda jobs, seconds: fail(None) or write(jobs, seconds)
    return disk
