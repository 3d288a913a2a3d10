"""Commands on a PostgreSQL database, beside the same ones on the file from which it was copied."""

import json
import signal
import socket
import sqlite3
import threading
from contextlib import ExitStack, closing
from string import Template

import httpx
import pytest
from sqlalchemy import text

from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.engines import postgres
from evilpegs_server.storage.engines.postgres import PostgresDatabase
from evilpegs_server.storage.location import database_file, shown_url
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log import acts
from evilpegs_server.storage.queries import closing_engine, read, read_value
from support.classic_games import GAMES, classic_match
from support.nodes import Nodes
from support.patience import PATIENCE
from support.stored_matches import store, store_players
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("measured_children")
FIRST, SECOND, THIRD = (f"{number:016x}" for number in (1, 2, 3))
EVENTS = "SELECT id, match, seq, at, type, json, hash FROM events ORDER BY id"


def write_matches(folder):
    """Write a database with two matches on classic, and return its file."""
    file = folder / "games.sqlite3"
    engine = open_database(f"sqlite:///{file}")
    store_players(engine)
    store(engine, *classic_match(1), *classic_match(2))
    engine.dispose()
    return file


@pytest.fixture
def file(on_disk):
    return write_matches(on_disk)


@pytest.fixture
def url(file, postgres_cluster, run):
    """The same database, copied to PostgreSQL."""
    url = postgres_cluster.create()
    result = run("database", "copy", file, url)
    assert (result.status, result.err) == (0, "")
    return url


@pytest.fixture(scope="module")
def unchanged(postgres_cluster, run_once, tmp_path_factory):
    """What stands in commands for a file, its copy, and an empty database, to which no test writes."""
    places = {
        "FILE": write_matches(tmp_path_factory.mktemp("unchanged")),
        "URL": postgres_cluster.create(),
        "EMPTY": postgres_cluster.create(),
        "NONE": postgres_cluster.url("none"),
        "STRANGER": postgres_cluster.url("postgres").replace("evilpegs@", "nobody@"),
    }
    assert run_once("database", "copy", places["FILE"], places["URL"]).status == 0
    return places


@pytest.fixture
def nodes(url):
    nodes = Nodes(url)
    yield nodes
    nodes.close()


def rows(file, query=EVENTS):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def test_unreachable_database_leaves_no_copy(run, tmp_path):
    url = "postgresql://127.0.0.1:1/x"
    assert url in run("leaderboard", "classic", "--database", url).complaint
    assert list(tmp_path.iterdir()) == []


def test_copy_to_postgres_and_back(run, file, url, on_disk):
    back = on_disk / "back.sqlite3"
    result = run("database", "copy", url, back, "--json")
    assert (result.status, result.document["sound"], result.document["matches"]) == (0, True, 2)
    assert (result.document["from"], result.document["to"]) == (shown_url(url), f"sqlite:///{back}")
    assert rows(back) == rows(file)
    for table in ("players", "matches", "log"):
        assert rows(back, f"SELECT * FROM {table}") == rows(file, f"SELECT * FROM {table}")
    assert sorted(path.name for path in on_disk.glob("back*")) == [back.name]
    assert back.stat().st_mode & 0o777 == 0o600


def test_copy_of_database_in_use(run, file, postgres_cluster):
    url = postgres_cluster.create()
    lock, engine = DatabaseLock(f"sqlite:///{file}"), open_database(f"sqlite:///{file}")
    store(engine, *classic_match(3))
    assert run("database", "copy", file, url, "--json").document["matches"] == 3
    engine.dispose()
    lock.release()
    assert run("database", "check", url, "--json").document["sound"] is True
    assert run("replay", THIRD, "--no-analysis", "--database", url).status == 0


def test_commands_read_what_the_file_says(run, file, url, nodes):
    commands = (("replay", SECOND, "--no-analysis"), ("leaderboard", "classic"), ("players", "list"))
    for command in (*((*each, "--database") for each in commands), ("database", "check")):
        in_file, on_postgres = (run(*command, name, "--json").document for name in (f"sqlite:///{file}", url))
        varying = {"database": None, "bytes": None}
        assert in_file | varying == on_postgres | varying
    nodes.play("a", classic_match(3))  # the copy on this machine is brought up to date
    assert run("replay", THIRD, "--no-analysis", "--database", url).status == 0


def test_players_are_managed(run, url, nodes):
    for command in (
        ("rename", "ann", "anna"),
        ("hide", "anna"),
        ("ban", "bob"),
        ("close",),
        ("forget", "eve", "--yes"),
    ):
        result = run("players", *command, "--database", url)
        assert (result.status, "Traceback" in result.err) == (0, False), result.err
    listed = {each["name"]: each for each in run("players", "list", "--json", "--database", url).document["players"]}
    assert listed["anna"]["is_hidden"]
    assert listed["bob"]["is_banned"]
    assert "eve" not in listed
    assert [act.deed for act in acts.load_acts(nodes.engine, 0)] == ["rename", "hide", "ban", "close", "ban", "forget"]


@pytest.mark.parametrize("is_stopped", [False, pytest.param(True, marks=pytest.mark.full)])
def test_show(start, url, nodes, postgres_cluster, is_stopped):
    """Each shows what nodes write, also after PostgreSQL was away; two on one machine share a copy."""
    children, clients = [], ExitStack()
    for _ in range(2 if is_stopped else 1):  # the results are made by one process
        children.append(child := start("show", "--database", url, "--site-port", 0))
        assert child.next_line() == f"showing {shown_url(url)}"
        address = child.next_line().split()[-1]
        child.client = clients.enter_context(httpx.Client(base_url=address, timeout=PATIENCE))

    def get(child, path):
        return child.client.get(path).json()

    for child in children:
        assert [each["match"] for each in get(child, "api/v1/matches")["matches"]] == [SECOND, FIRST]
        assert get(child, "api/v1/ladders/classic/leaderboard")["rows"][0]["games"] == 2 * len(GAMES)
    steps = classic_match(3)
    nodes.play("a", steps[:2])
    for child in children:
        wait_until(lambda: len(get(child, "api/v1/matches")["matches"]) == 3)  # noqa: B023 - called in the loop
    if is_stopped:
        nodes.close()
        postgres_cluster.stop()
        assert len(get(children[0], "api/v1/matches")["matches"]) == 3
        postgres_cluster.start()
        nodes.stores.clear()
    nodes.play("a", steps[2:])
    for child in children:
        wait_until(lambda: get(child, f"api/v1/matches/{THIRD}").get("over"))  # noqa: B023
        board = "api/v1/ladders/classic/leaderboard"
        wait_until(lambda: get(child, board)["rows"][0]["games"] == 3 * len(GAMES))  # noqa: B023
        record = child.client.get(f"api/v1/matches/{THIRD}/record").text.splitlines()
        texts = "SELECT json FROM events JOIN matches ON number = match WHERE id = :id ORDER BY seq"
        assert [json.loads(line) for line in record][-len(steps) :] == [
            json.loads(text) for (text,) in read(nodes.engine, texts, id=THIRD)
        ][-len(steps) :]
    clients.close()
    for child in children:
        result = child.end(signal.SIGTERM)
        assert (result.status, "Traceback" in result.err) == (0, False), result.err


@pytest.mark.parametrize("of_postgres", [pytest.param(True, marks=pytest.mark.full), False])
def test_follow(start, run, file, url, nodes, on_disk, postgres_cluster, of_postgres):
    second = on_disk / "second.sqlite3"
    child = start("database", "follow", second, "--database", url if of_postgres else f"sqlite:///{file}")
    assert child.next_line().startswith(f"{second} has all")
    assert rows(second) == rows(file)
    if of_postgres:
        nodes.close()
        nodes.stores.clear()
        postgres_cluster.stop()
        assert b"cannot be used now" in child.process.stderr.readline()
        postgres_cluster.start()
        nodes.play("b", classic_match(3))
    else:
        engine = open_database(f"sqlite:///{file}")
        store(engine, *classic_match(3))
        engine.dispose()
    wait_until(lambda: len(rows(second, "SELECT * FROM matches WHERE over")) == 3)
    refused = run("serve", "--port", 0, "--database", f"sqlite:///{second}")
    assert (refused.status, str(second) in refused.complaint) == (2, True)
    again = run("database", "follow", second, "--once", "--database", url)
    assert (again.status, "another process" in again.complaint) == (2, True)
    result = child.end(signal.SIGTERM)
    assert (result.status, "Traceback" in result.err) == (0, False), result.err


def test_follow_once_goes_on(run, url, nodes):
    assert run("database", "follow", "second", "--once", "--database", url).status == 0
    nodes.play("b", classic_match(3))
    assert run("database", "follow", "second", "--once", "--database", url).status == 0
    assert len(rows("second", "SELECT * FROM matches WHERE over")) == 3
    assert run("database", "check", "second").status == 0


def test_upgrade(run, postgres_cluster, file):
    url = postgres_cluster.create()
    missing = run("leaderboard", "classic", "--database", url)
    assert (missing.status, "database upgrade" in missing.complaint) == (2, True)
    for made in (True, False):
        printed = run("database", "upgrade", "--database", url, "--json").document
        assert printed == {"database": shown_url(url), "made": made}
    assert run("database", "upgrade", "--database", f"sqlite:///{file}").status == 0


def test_password_is_not_shown(run, file, postgres_cluster):
    url = postgres_cluster.create()
    secret = url.replace("evilpegs@", "evilpegs:hunter2@")
    for command in (
        ("copy", file, secret),
        ("upgrade", "--database", secret),
        ("check", secret),
        ("backup", "copy", "--database", secret),
        ("follow", "second", "--once", "--database", secret),
        ("copy", file, secret),
    ):
        result = run("database", *command)
        assert "hunter2" not in result.out + result.err
        assert "evilpegs:***@" in result.out + result.err
    assert "hunter2" not in str(database_file(secret))


def test_check_finds_what_its_tables_lack(run, postgres_url):
    assert run("database", "check", postgres_url).status == 0
    with closing_engine(PostgresDatabase.open(postgres_url)) as engine, engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_owners_node"))
    found = run("database", "check", postgres_url, "--json")
    assert (found.status, found.document["damage"]) == (1, ["the table owners lacks the index ix_owners_node (node)"])


def make_read_only(url):
    with closing_engine(PostgresDatabase.open(url)) as engine, engine.begin() as connection:
        name = url.partition("@/")[2].partition("?")[0]
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")


def fill(url):
    """Let the first row of a server be refused as on a full disk, by the error that PostgreSQL then has."""
    refuse = """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file "base/5/1": No space left on device' USING ERRCODE = '53100'; END
        $$; CREATE TRIGGER refuse BEFORE INSERT ON nodes FOR EACH STATEMENT EXECUTE FUNCTION refuse()
    """
    with closing_engine(PostgresDatabase.open(url)) as engine, engine.begin() as connection:
        connection.exec_driver_sql(refuse)


# what a server says to a client that connects, and a word of what is said of it
STARTS = {
    "older than jit": ("42704", 'unrecognized configuration parameter "jit"', "14"),
    "a pooler": ("08P01", "unsupported startup parameter: options", "pooler"),
    "starting": ("57P03", "the database system is starting up", "wait"),
    "full of clients": ("53300", "sorry, too many clients already", "max_connections"),
}


@pytest.mark.parametrize("name", STARTS)
def test_server_that_takes_no_connection(run, name):
    code, message, word = STARTS[name]
    fields = f"SFATAL\0VFATAL\0C{code}\0M{message}\0\0".encode()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer():
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    while (length := connection.recv(4)) == bytes((0, 0, 0, 8)):  # asks for TLS
                        connection.recv(4)
                        connection.sendall(b"N")
                    connection.recv(int.from_bytes(length))
                    connection.sendall(b"E" + (len(fields) + 4).to_bytes(4) + fields)

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"postgresql://ann@127.0.0.1:{listener.getsockname()[1]}/games"
        result = run("serve", "--no-site", "--port", 0, "--database", url)
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert (result.status, message in result.complaint, word in result.complaint) == (2, True, True), result.err


# by what is wrong: a command, and a word of what its error says; $URL has two matches, and so has $FILE
ERRORS = {
    "absent": ("leaderboard classic --database postgresql://ann@127.0.0.1:1/games", "reachable"),
    "no such database": ("database upgrade --database $NONE", "createdb"),
    "no such user": ("players list --database $STRANGER", "password"),
    "too old": ("serve --no-site --port 0 --database $URL", "99"),
    "no psycopg": ("show --database $URL", "psycopg"),
    "file exists": ("database copy $URL $FILE", "exists"),
    "target has matches": ("database copy $FILE $URL", "empty"),
    "same": ("database copy $URL $URL", "same"),
    "two files": ("database copy $FILE other", "backup"),
    "no file": ("database copy none $EMPTY", "none"),
    "follows itself": ("database follow $FILE --database sqlite:///$FILE", "itself"),
    "a database of its own": ("database follow $FILE --database $URL", "of its own"),
    "no folder": ("database follow none/file --database $URL", "none/file"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(run, unchanged, monkeypatch, name):
    command, word = ERRORS[name]
    before = rows(unchanged["FILE"])
    with monkeypatch.context() as patch:
        if name == "no psycopg":
            patch.setattr("importlib.util.find_spec", lambda _: None)
        if name == "too old":
            patch.setattr(postgres, "OLDEST", 99)
        result = run(*Template(command).substitute(unchanged).split())
    assert (result.status, word in result.complaint) == (2, True), result.err
    assert rows(unchanged["FILE"]) == before
    with closing_engine(PostgresDatabase.open(unchanged["URL"])) as engine:
        assert read_value(engine, "SELECT count(*) FROM matches") == 2


@pytest.mark.parametrize(
    ("spoil", "command", "word"),
    [
        (make_read_only, ("database", "upgrade"), "read-only"),
        (make_read_only, ("serve", "--no-site", "--port", 0), "read-only"),
        (fill, ("serve", "--no-site", "--port", 0), "free some space"),
    ],
)
def test_database_to_which_nothing_can_be_written(run, postgres_url, spoil, command, word):
    spoil(postgres_url)
    result = run(*command, "--database", postgres_url)
    assert (result.status, word in result.complaint) == (2, True), result.err
