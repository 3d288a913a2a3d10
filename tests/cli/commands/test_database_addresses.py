"""Addresses and files of databases: no command shows a password, and the name of a file is taken literally."""

import inspect
import shutil
from importlib import import_module
from pathlib import Path

import pytest

from evilpegs.commands import COMMANDS, GROUPS
from evilpegs_server.storage.copies.backup import readable_database
from evilpegs_server.storage.location import database_file, file_url

SECRET = "hunter2"
# none can stand in an address as it is, the last excepted
PASSWORDS = [*(f"{SECRET}{mark}{SECRET}" for mark in ("@", "@x/", "/", "%", "%zz", "#", "?", "[", "]", " ")), SECRET]
ARGUMENTS = {
    "match": ["last"],
    "name": ["ann"],
    "names": ["bob"],
    "new": ["bert"],
    "player": ["bob"],
    "until": ["2099-01-01T00:00Z"],
    "file": ["copy"],
    "ladder": ["--ladder", "classic"],
    "out": ["--out", "site"],
    "reason": ["--reason", "late"],
    "tokens": ["--tokens", "tokens"],
}
FUNCTIONS = {
    **{(name,): (name.replace("-", "_"), name.replace("-", "_")) for name in COMMANDS},
    **{(group, name.partition("_")[0]): (group, name) for group, names in GROUPS.items() for name in names},
}


def calls():
    """Yield the words of each command that takes the address of a database, without the address."""
    for words, (module, name) in FUNCTIONS.items():
        parameters = inspect.signature(getattr(import_module(f"evilpegs.commands.{module}"), name)).parameters
        if "database" not in parameters and words != ("database", "copy"):
            continue
        needed = [
            parameter.name
            for parameter in parameters.values()
            if parameter.default is inspect.Parameter.empty and parameter.name not in ("source", "target")
        ]
        more = ["--no-site", "--port", "0"] if words == ("serve",) else []
        option = [] if words[1:] in (("check",), ("copy",)) else ["--database"]
        yield [*words, *(word for each in needed for word in ARGUMENTS[each]), *more, *option]


CALLS = list(calls())


def test_every_group_is_called():
    assert {words[0] for words in CALLS} >= {"serve", "show", "leaderboard", "replay", "ladders", "round", "players"}
    assert len([words for words in CALLS if words[0] == "database"]) == len(GROUPS["database"])


@pytest.mark.parametrize("words", CALLS, ids=" ".join)
def test_no_command_shows_a_password(run, words):
    for password in PASSWORDS:
        end = ["copy.sqlite3"] if "copy" in words and "--database" not in words else []
        result = run(*words, f"postgresql://ann:{password}@127.0.0.1:1/games", *end)
        assert (result.status, result.out, SECRET in result.err) == (2, "", False)
        assert "//ann:***@127.0.0.1:1/games" in result.complaint
        assert password == SECRET or "%40" in result.complaint


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql//ann:{SECRET}@host/games",
        f"postgresql:/ann:{SECRET}@host/games",
        f"postgres:ann:{SECRET}",
        f"postgresql://ann:{SECRET}",
        f"postgresql://ann@host/games?password={SECRET}#",
        f"postgresql://ann@host/games?password=a@{SECRET}[#",
        f"pg ann:{SECRET}@host/games",
        f"mysql://ann:{SECRET}@host/games",
        f"sqlite://ann:{SECRET}@host/games",
        f"postgresql://ann@127.0.0.1:1/games?password={SECRET}",
    ],
)
def test_mistyped_address_does_not_show_its_password(run, address):
    result = run("players", "list", "--database", address)
    assert (result.status, SECRET in result.complaint) == (2, False)


def test_unknown_option_in_address_is_named(run):
    result = run("players", "list", "--database", "postgresql://ann@127.0.0.1:1/games?sslmood=require")
    assert (result.status, "sslmood" in result.complaint, "after ?" in result.complaint) == (2, True, True)


@pytest.fixture
def database(server, played):
    return server.database


NAMES = ["a?b", "100%", "100%25", "a#b", "a?mode=ro", "a b&c"]


@pytest.mark.parametrize("name", NAMES)
def test_name_of_file_is_taken_literally(run, database, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    assert run("database", "backup", name, "--database", database).status == 0
    assert run("database", "backup", name, "--force", "--database", database).status == 0
    assert run("database", "check", name).status == 0
    assert run("database", "follow", f"{name}2", "--once", "--database", file_url(name)).status == 0
    shown = run("players", "list", "--database", file_url(tmp_path / name))
    assert shown == run("players", "list", "--database", database)
    endings = ("-wal", "-shm", ".key", ".key.pub", ".derived", ".lock")
    assert {path.name for path in tmp_path.iterdir() if not path.name.endswith(endings)} == {name, f"{name}2"}


@pytest.mark.parametrize("name", NAMES)
def test_private_copy_of_older_file_has_any_name(name, tmp_path):
    old = Path(__file__).parents[2] / "compatibility" / "v0.1.0" / "evilpegs.sqlite3"
    for end in ("", "-wal"):
        shutil.copy(f"{old}{end}", tmp_path / f"{name}{end}")
    with readable_database(file_url(tmp_path / name)) as url:
        assert database_file(url).name == name


def test_options_in_address_of_file_are_refused(run, database):
    for end in ("?", "?mode=ro", "?b"):
        assert "%3F" in run("players", "list", "--database", f"{database}{end}").complaint
