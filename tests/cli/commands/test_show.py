"""`evilpegs show`, in a process of its own: any database can be shown, and none is changed."""

import ctypes
import os
import shutil
import signal
import socket
import sqlite3
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.file import derived_path
from evilpegs_server.storage.lock import DatabaseLock
from evilpegs_server.storage.log.ladders import store_ladders
from support.classic_games import GAMES, classic_match
from support.patience import PATIENCE
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("measured_children")
OLD = Path(__file__).parents[2] / "compatibility" / "v0.1.0"
# of linux/prctl.h and linux/capability.h
PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2
MATCHES = [f"{2:016x}", f"{1:016x}"]


@pytest.fixture
def file(on_disk):
    """The database of a stopped server with two matches on classic."""
    file = on_disk / "games.sqlite3"
    engine = open_database(f"sqlite:///{file}")
    store_players(engine)
    store(engine, *classic_match(1), *classic_match(2))
    engine.dispose()
    return file


@pytest.fixture
def show(start):
    """Show a database at a free port; return the child, and a function that gets JSON from its site."""
    with ExitStack() as clients:

        def show(file, **options):
            child = start("show", "--database", f"sqlite:///{file}", "--site-port", 0, **options)
            shown, site, _ = (child.next_line() for _ in range(3))
            assert shown.endswith(str(file))
            client = clients.enter_context(httpx.Client(base_url=site.split()[-1], timeout=PATIENCE))
            return child, lambda path: client.get(path).json()

        yield show


def content(file):
    """Return the bytes of the database file and of its side file."""
    log = file.with_name(file.name + "-wal")
    return file.read_bytes(), log.read_bytes() if log.exists() else b""


def obey_modes():
    """Let the program that this process becomes write only where modes allow it, also if it is root."""
    for capability in (CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def match_ids(get):
    return [match["match"] for match in get("api/v1/matches")["matches"]]


def end(child, number):
    result = child.end(number)
    assert (result.status, "Traceback" in result.err) == (0, False), result.err
    return result


def test_database_of_stopped_server(show, file, run):
    """It has a ladder of its operator; the luck of all games is measured, and nothing is written to it."""
    friday = replace(load_ladders()["classic"], id="friday")
    engine = open_database(f"sqlite:///{file}")
    store_ladders(engine, {"friday": friday})
    store(engine, *StoredPlay(9, friday).play_codes(("1122", ["1111", "1122"])))
    engine.dispose()
    before = content(file)
    child, get = show(file)
    assert match_ids(get) == [f"{9:016x}", *MATCHES]
    assert get("api/v1/ladders")["ladders"][-1]["id"] == "friday"
    assert get("api/v1/matches?ladder=friday")["matches"][0]["ladder"] == "friday"
    for ladder, games in (("classic", 2 * len(GAMES)), ("friday", 1)):
        board = f"api/v1/ladders/{ladder}/leaderboard"
        assert get(board)["rows"][0]["games"] == games
        wait_until(lambda: get(board)["rows"][0]["adjusted_games"] == games)  # noqa: B023 - called in the loop
    end(child, signal.SIGTERM)
    assert content(file) == before
    with closing(sqlite3.connect(derived_path(f"sqlite:///{file}"))) as connection:
        curves = {curve for (curve,) in connection.execute("SELECT curve FROM games")}
    assert curves == set(curve_hashes([load_ladders()["classic"], friday]).values())
    database = ("--database", f"sqlite:///{file}", "--json")
    (standings,) = run("leaderboard", "friday", *database).document["ladders"]
    assert (standings["ladder"], standings["rows"][0]["adjusted_games"]) == ("friday", 1)
    assert [each["ladder"] for each in run("leaderboard", *database).document["ladders"]] == ["classic", "friday"]
    assert "friday" in run("leaderboard", "fridey", *database).complaint
    assert run("ladders", *database).document["ladders"][-1]["id"] == "friday"
    assert run("ladders", "--json").document["ladders"][-1]["id"] != "friday"


@pytest.mark.full
def test_old_database_is_copied(show, on_disk):
    shutil.copytree(OLD, on_disk / "old")
    file = on_disk / "old" / "evilpegs.sqlite3"
    before = content(file)
    child, get = show(file, env=os.environ | {"TMPDIR": str(on_disk)})
    assert match_ids(get)
    assert list(on_disk.glob("evilpegs-*"))
    end(child, signal.SIGHUP)
    assert content(file) == before
    assert not list(on_disk.glob("evilpegs-*"))


@pytest.mark.parametrize("kind", [pytest.param("backup", marks=pytest.mark.full), "of a server that was killed"])
def test_folder_where_nothing_can_be_written(show, file, run, kind):
    if kind == "backup":
        assert run("database", "backup", "copy", "--database", f"sqlite:///{file}").status == 0
        shutil.move("copy", file)
    else:  # whose log holds the latest match
        engine = open_database(f"sqlite:///{file}")
        store(engine, *classic_match(3))
        kept = content(file)
        engine.dispose()
        file.write_bytes(kept[0])
        file.with_name(file.name + "-wal").write_bytes(kept[1])
    Path(f"{file}.key.pub").write_text("A" * 43)
    before = content(file), sorted(path.name for path in file.parent.iterdir())
    for path in (file.parent, *file.parent.iterdir()):
        path.chmod(0o555 if path.is_dir() else 0o444)
    child, get = show(file, preexec_fn=obey_modes)
    assert match_ids(get) == [f"{3:016x}", *MATCHES][kind == "backup" :]
    assert "A" * 43 in str(get("api/v1/keys"))
    end(child, signal.SIGINT)
    assert (content(file), sorted(path.name for path in file.parent.iterdir())) == before


def test_beside_running_server(show, file):
    url = f"sqlite:///{file}"
    lock, engine = DatabaseLock(url), open_database(url)
    child, get = show(file)
    assert match_ids(get) == MATCHES
    store(engine, *classic_match(3))
    wait_until(lambda: match_ids(get) == [f"{3:016x}", *MATCHES])
    end(child, signal.SIGTERM)
    store(engine, *classic_match(4))
    engine.dispose()
    lock.release()


def damage_page(file):
    with file.open("r+b") as opened:
        opened.seek(100)
        opened.write(b"\xff" * 4000)


def write_text(file):
    file.write_text("not a database, but long enough to be taken for one" * 100)


def write_foreign(file):
    file.unlink()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE notes (text)")


def write_newer(file):
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")


@pytest.mark.parametrize("spoil", [Path.unlink, damage_page, write_text, write_foreign, write_newer])
def test_unusable_database_is_one_line(run, file, spoil):
    spoil(file)
    result = run("show", "--database", f"sqlite:///{file}", "--site-port", 0)
    assert (result.status, result.out) == (2, "")
    assert str(file) in result.complaint
    assert not derived_path(f"sqlite:///{file}").exists()


def test_port_in_use_is_one_line(run, file):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run("show", "--database", f"sqlite:///{file}", "--site-port", port)
    assert result.status == 2
    assert all(fact in result.complaint for fact in ("127.0.0.1", str(port), "--site-port"))


def test_missing_certificate_is_one_line(run, file):
    options = ("--site-port", 0, "--tls-cert", "none.pem")
    result = run("show", "--database", f"sqlite:///{file}", *options)
    assert (result.status, "none.pem" in result.complaint) == (2, True)
