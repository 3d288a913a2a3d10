"""Commands on a PostgreSQL database, beside the same ones on the file from which it was copied."""

import json
import signal
import socket
import sqlite3
import threading
import time
from contextlib import closing
from string import Template

import httpx
import pytest

from evilpegs_server.storage import acts
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.location import database_file, shown_url
from evilpegs_server.storage.postgres.database import open_postgres
from evilpegs_server.storage.queries import closing_engine, read, read_value
from support.classic_games import GAMES, classic_match
from support.nodes import Nodes
from support.patience import PATIENCE
from support.stored_matches import store, store_players

pytestmark = pytest.mark.usefixtures("measured_children")
FIRST, SECOND, THIRD = (f"{number:016x}" for number in (1, 2, 3))
EVENTS = "SELECT id, match, seq, at, type, json, hash FROM events ORDER BY id"


@pytest.fixture
def file(on_disk):
    """A database with two matches on classic."""
    file = on_disk / "games.sqlite3"
    engine = open_database(f"sqlite:///{file}")
    store_players(engine)
    store(engine, *classic_match(1), *classic_match(2))
    engine.dispose()
    return file


@pytest.fixture
def url(file, postgres_cluster, run):
    """The same database, copied to PostgreSQL."""
    url = postgres_cluster.create()
    result = run("database", "copy", file, url)
    assert (result.status, result.err) == (0, "")
    return url


@pytest.fixture
def nodes(url):
    nodes = Nodes(url)
    yield nodes
    nodes.close()


def rows(file, query=EVENTS):
    with closing(sqlite3.connect(file)) as connection:
        return connection.execute(query).fetchall()


def wait_until(is_true):
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


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


def test_copy_of_database_in_use(run, server, played, postgres_cluster, tmp_path):
    url = postgres_cluster.create()
    assert run("database", "copy", server.database, url, "--json").document["matches"] >= 2
    assert run("database", "check", url, "--json").document["sound"] is True
    assert run("replay", played[1]["matches"][0]["match"], "--no-analysis", "--database", url).status == 0


@pytest.mark.parametrize("what", ["replay", "leaderboard", "players", "check"])
def test_commands_read_what_the_file_says(run, file, url, nodes, what):
    command = {
        "replay": ("replay", SECOND, "--json"),
        "leaderboard": ("leaderboard", "classic", "--json"),
        "players": ("players", "list", "--json"),
        "check": ("database", "check", "--json"),
    }[what]
    options = (lambda name: (name,)) if what == "check" else lambda name: ("--database", name)
    in_file, on_postgres = (run(*command, *options(name)) for name in (f"sqlite:///{file}", url))
    facts = [{**each.document, "database": None, "bytes": None} for each in (in_file, on_postgres)]
    assert facts[0] == facts[1]
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


def test_show(start, url, nodes, postgres_cluster):
    """Two on one machine share a copy; each shows what nodes write, also after PostgreSQL was away."""
    children = []
    for _ in range(2):  # the results are made by one process
        children.append(child := start("show", "--database", url, "--site-port", 0))
        assert child.next_line() == f"showing {shown_url(url)}"
        child.site = child.next_line().split()[-1]

    def get(child, path):
        return httpx.get(child.site + path, timeout=PATIENCE).json()

    for child in children:
        assert [each["match"] for each in get(child, "api/v1/matches")["matches"]] == [SECOND, FIRST]
        assert get(child, "api/v1/ladders/classic/leaderboard")["rows"][0]["games"] == 2 * len(GAMES)
    steps = classic_match(3)
    nodes.play("a", steps[:2])
    for child in children:
        wait_until(lambda: len(get(child, "api/v1/matches")["matches"]) == 3)  # noqa: B023 - called in the loop
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
        record = httpx.get(f"{child.site}api/v1/matches/{THIRD}/record", timeout=PATIENCE).text.splitlines()
        texts = "SELECT json FROM events JOIN matches ON number = match WHERE id = ? ORDER BY seq"
        assert [json.loads(line) for line in record][-len(steps) :] == [
            json.loads(text) for (text,) in read(nodes.engine, texts, THIRD)
        ][-len(steps) :]
    for child in children:
        result = child.end(signal.SIGTERM)
        assert (result.status, "Traceback" in result.err) == (0, False), result.err


@pytest.mark.parametrize("of_postgres", [True, False])
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


def make_read_only(url):
    with closing_engine(open_postgres(url)) as engine, engine.begin() as connection:
        name = url.partition("@/")[2].partition("?")[0]
        connection.exec_driver_sql(f"ALTER DATABASE {name} SET default_transaction_read_only = on")


def fill(url):
    """Let the first row of a server be refused as on a full disk, by the error that PostgreSQL then has."""
    refuse = """
        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'could not extend file "base/5/1": No space left on device' USING ERRCODE = '53100'; END
        $$; CREATE TRIGGER refuse BEFORE INSERT ON nodes FOR EACH STATEMENT EXECUTE FUNCTION refuse()
    """
    with closing_engine(open_postgres(url)) as engine, engine.begin() as connection:
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
    "read-only": ("database upgrade --database $URL", "read-only"),
    "read-only, to play": ("serve --no-site --port 0 --database $URL", "read-only"),
    "too old": ("serve --no-site --port 0 --database $URL", "99"),
    "full": ("serve --no-site --port 0 --database $URL", "free some space"),
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
def test_errors(run, url, file, postgres_cluster, monkeypatch, name):
    command, word = ERRORS[name]
    stranger = postgres_cluster.url("postgres").replace("evilpegs@", "nobody@")
    variables = {"URL": url, "FILE": file, "STRANGER": stranger, "NONE": postgres_cluster.url("none")}
    command = Template(command).substitute(variables, EMPTY=postgres_cluster.create())
    before = rows(file)
    if name.startswith("read-only"):
        make_read_only(url)
    if name == "full":
        fill(url)
    with monkeypatch.context() as patch:
        if name == "no psycopg":
            patch.setattr("importlib.util.find_spec", lambda _: None)
        if name == "too old":
            patch.setattr(f"{open_postgres.__module__}.OLDEST", 99)
        result = run(*command.split())
    assert (result.status, word in result.complaint) == (2, True), result.err
    assert rows(file) == before
    if not name.startswith("read-only"):
        with closing_engine(open_postgres(url)) as engine:
            assert read_value(engine, "SELECT count(*) FROM matches") == 2
