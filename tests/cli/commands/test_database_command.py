"""`evilpegs database`: its two commands on the database of a running server, and what they refuse."""

import json
import shutil
from pathlib import Path

import pytest

from evilpegs.commands import GROUPS
from evilpegs.main import app
from evilpegs_server.storage.errors import DatabaseUnusableError
from evilpegs_server.storage.server_key import load_server_key

FACTS = {"database", "bytes", "players", "matches", "open_matches", "events", "damage", "broken", "sound"}


@pytest.fixture
def database(server, played):
    """The URL of the database of a running server on which matches were played."""
    return server.database


def test_backup_copies_database_in_use(run, database):
    result = run("database", "backup", "copy", "--database", database, "--json")
    assert (result.status, result.err) == (0, "")
    assert set(result.document) == FACTS | {"file", "key_files"}
    assert result.document["matches"] >= 2
    assert run("database", "check", "copy", "--json").document["events"] == result.document["events"]
    assert run("database", "backup", "copy", "--database", database).status == 2
    assert run("database", "backup", "copy", "--force", "--database", database).status == 0


def test_backup_copies_server_key(run, database):
    """A server that is started on the copy signs with the same key."""
    result = run("database", "backup", "copy", "--database", database, "--json")
    assert result.document["key_files"] == ["copy.key", "copy.key.pub"]
    source = database.removeprefix("sqlite:///")
    for end in (".key", ".key.pub"):
        copy = Path(f"copy{end}")
        assert copy.read_bytes() == Path(source + end).read_bytes()
        assert copy.stat().st_mode & 0o777 == 0o600
    keys = {load_server_key(Path(name)).public_key for name in ("copy.key", f"{source}.key")}
    assert len(keys) == 1


def test_backup_copies_key_of_setting(run, database, monkeypatch):
    load_server_key(Path("elsewhere"))
    monkeypatch.setenv("EVILPEGS_SERVER_KEY", "elsewhere")
    lines = run("database", "backup", "copy", "--database", database).out.splitlines()
    assert [line for line in lines if "elsewhere" in line] == lines[-2:]
    assert Path("copy.key").read_bytes() == Path("elsewhere").read_bytes()


@pytest.mark.parametrize("name", ["copy.key", "copy.key.pub"])
def test_backup_replaces_key_with_force_only(run, database, name):
    Path(name).write_text("precious")
    result = run("database", "backup", "copy", "--database", database)
    assert (result.status, name in result.complaint) == (2, True)
    assert (Path(name).read_text(), Path("copy").exists()) == ("precious", False)
    assert run("database", "backup", "copy", "--force", "--database", database).status == 0
    assert Path(name).read_text() != "precious"


def test_backup_never_replaces_key_in_use(run, database, monkeypatch):
    load_server_key(Path("copy.key"))
    monkeypatch.setenv("EVILPEGS_SERVER_KEY", "copy.key")
    result = run("database", "backup", "copy", "--force", "--database", database)
    assert (result.status, "copy.key" in result.complaint) == (2, True)


def test_copy_of_backup_is_read_by_other_commands(run, database, evil_match):
    run("database", "backup", "copy", "--database", database)
    assert evil_match in run("replay", evil_match, "--database", "sqlite:///copy", "--no-analysis").out


def test_check_accepts_file_and_url(run, database):
    by_file = run("database", "check", database.removeprefix("sqlite:///"), "--json")
    assert by_file.document["database"] == database
    assert by_file.document == run("database", "check", database, "--json").document
    assert set(by_file.document) == FACTS


def test_check_uses_default_database(run, database, monkeypatch):
    monkeypatch.setenv("EVILPEGS_DATABASE", database)
    assert run("database", "check", "--json").document["database"] == database


def test_broken_match_is_one_line_and_status_1(run, evil_match, tampered):
    url = tampered("UPDATE events SET hash = 'x' WHERE match = :match AND seq = 5")
    for words in (("check", url), ("backup", "copy", "--database", url)):
        result = run("database", *words)
        assert result.status == 1
        assert [evil_match in line for line in result.out.splitlines()][:2] == [False, True]
    assert json.loads(run("database", "check", "copy", "--json").out)["broken"] == [evil_match]


def test_sound_database_is_status_0(run, database):
    """The control of the test above."""
    assert run("database", "check", database).status == 0


def test_damaged_page_is_one_line_and_no_copy(run, tmp_path, server, played, tampered):
    place = Path(tampered("SELECT 1").removeprefix("sqlite:///"))
    data = bytearray(place.read_bytes())
    data[4096:4106] = b"\xff" * 10
    place.write_bytes(data)
    result = run("database", "check", place)
    assert result.status == 1
    assert "damaged: " in result.out
    result = run("database", "backup", "copy", "--database", f"sqlite:///{place}")
    assert result.status == 2
    assert "damaged" in result.complaint
    assert not Path("copy").exists()


def test_missing_table_is_one_line_of_each_command(run, tampered):
    url = tampered("DROP TABLE acts")
    for command in (
        ["serve", "--port", "0", "--no-site"],
        ["show", "--site-port", "0"],
        ["leaderboard"],
        ["replay", "last"],
    ):
        result = run(*command, "--database", url)
        assert (result.status, "the table acts is missing" in result.complaint) == (2, True)
    result = run("database", "check", url)
    assert (result.status, "damaged: the table acts is missing" in result.out) == (1, True)


def test_schema_of_first_version_is_checked_and_copied(run):
    """An operator backs up before the upgrade."""
    old = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evilpegs.sqlite3"
    for end in ("", "-wal"):
        shutil.copy(f"{old}{end}", f"old.sqlite3{end}")
    assert run("database", "check", "old.sqlite3", "--json").document["events"]
    result = run("database", "backup", "copy", "--database", "sqlite:///old.sqlite3", "--json")
    assert (result.status, result.document["key_files"]) == (0, [])
    assert run("database", "check", "copy").status == 0


WORDS = {"check": [], "copy": ["sqlite:///one", "postgresql://two@127.0.0.1:1/three"], "upgrade": []}


@pytest.mark.parametrize("name", GROUPS["database"])
def test_help_describes_commands_of_database(run, name):
    assert run("database", name, "--help").status == 0
    assert f" {name} " in run("database", "--help").out
    with pytest.raises(DatabaseUnusableError):
        app(["database", name, *WORDS.get(name, ["copy"])])
