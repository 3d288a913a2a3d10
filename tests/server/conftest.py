"""Fixtures of the server's tests: small ladders, matches on a fake clock, and fake servers on a new database."""

import shutil
from dataclasses import replace
from types import SimpleNamespace

import pytest
from sqlalchemy import event

from evilpegs_protocol.fields import Program
from evilpegs_server import readers
from evilpegs_server import server as server_module
from evilpegs_server.replies.game_secrets import MatchKey
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import database_file
from support import matches
from support.events import assert_is_message
from support.fake_server import FakeServer
from support.handshakes import endless_handshakes
from support.leftovers import no_thread_left
from support.local_worker import LocalWorker
from support.matches import LADDERS, TINY, MatchDriver


@pytest.fixture(scope="module", autouse=True)
def local_worker():
    """Servers in this process have no worker process, unless a test is about it."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (server_module, readers):
            patch.setattr(module, "WorkerProcess", LocalWorker)
        yield


@pytest.fixture
async def open_fake_server(engine):
    """Open a fake server on the database. At the end of the test no log entry may be left that it did not take."""
    servers = []

    def open_server(**options):
        servers.append(FakeServer(engine, **options))
        return servers[-1]

    yield open_server
    for server in servers:
        server.close()
        for client in server.clients:
            client.assert_each_request_was_answered_once()
            for text in client.channel.sent:
                assert_is_message(text)
        server.assert_each_refusal_was_counted()
        assert server.take_log() == []


@pytest.fixture
async def fake_server(open_fake_server):
    """A fake server on a new database."""
    return open_fake_server()


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
def database(tmp_path):
    """The URL of a database that does not exist yet."""
    return f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}"


@pytest.fixture(scope="session")
def make_database(tmp_path_factory):
    """Make a new database at a URL: a copy of an empty one takes a tenth of the time of all migrations."""
    empty = tmp_path_factory.mktemp("empty") / "evilpegs.sqlite3"
    open_database(f"sqlite:///{empty}").dispose()

    def make_database(url):
        shutil.copyfile(empty, database_file(url))
        database_file(url).chmod(0o600)

    return make_database


@pytest.fixture
def engine(database, make_database):
    """A new database, open."""
    if database.startswith("sqlite") and not database_file(database).exists():
        make_database(database)
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

    event.listen(engine.engine, "commit", fail)
    return disk
