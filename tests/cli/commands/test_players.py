"""`evilpegs players`: a teacher's hour, from the class list to a stolen token, and what the command refuses."""

import csv
import errno
import io
import json
import os
import re
import shutil
import sqlite3
import sys
import unicodedata
from contextlib import closing
from pathlib import Path

import pytest

from evilpegs.commands import players
from evilpegs.main import main
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.engines.sqlite import SqliteDatabase, empty_side_file
from support.stored_matches import StoredPlay, store, store_players


@pytest.fixture(autouse=True)
def database(monkeypatch, tmp_path, empty_database):
    """The URL of an empty database, which the commands find by themselves."""
    shutil.copy(empty_database, tmp_path)
    monkeypatch.setenv("EVILPEGS_DATABASE", url := f"sqlite:///{tmp_path}/games.sqlite3")
    return url


def listed(run):
    return json.loads(run("players", "list", "--json").out)["players"]


def written(file):
    with file.open() as rows:
        return {row["name"]: row["token"] for row in csv.DictReader(rows)}


@pytest.mark.parametrize(
    "text",
    [
        "klasse;NAME\n3b;anna\n3b;bert\n",
        "class,name\n3b,anna\n3b,bert\n",
        "anna\nbert,3b\n\n",
        "\ufeffNAME\nanna \nbert\n",
        "sep=;\r\nklasse;name\r\n3,b;anna\r\n3,b;bert\r\n",
        "\ufeffSEP=,\nanna\nbert\n",
        "name\ranna\rbert\r",
    ],
)
def test_class_list_is_added_with_tokens_for_its_owner_only(run, text):
    Path("class.csv").write_text(text)
    result = run("players", "add", "--from", "class.csv", "--tokens", "tokens.csv")
    assert (result.status, result.out) == (0, "")
    assert "added 2 players" in result.err
    assert set(written(Path("tokens.csv"))) == {"anna", "bert"}
    assert Path("tokens.csv").stat().st_mode & 0o777 == 0o600
    assert [(each["name"], each["matches"]) for each in listed(run)] == [("anna", 0), ("bert", 0)]


def test_two_hundred_names_are_added_in_one_command(run):
    Path("class.csv").write_text("".join(f"student-{number:03}x\n" for number in range(200)))
    assert run("players", "add", "--from", "class.csv", "--tokens", "tokens.csv").status == 0
    assert len(set(written(Path("tokens.csv")).values())) == len(listed(run)) == 200


def test_slips_have_names_and_links_for_their_owner_only(run):
    slips = ("--slips", "slips.html", "--site", "http://192.0.2.10:8000/")
    assert run("players", "add", "anna", "bert", "--tokens", "tokens.csv", *slips).status == 0
    text = Path("slips.html").read_text()
    for name, token in written(Path("tokens.csv")).items():
        assert f'data-link="http://192.0.2.10:8000/#/join?name={name}&amp;token={token}"' in text
    assert Path("slips.html").stat().st_mode & 0o777 == 0o600
    assert "exists" in run("players", "add", "carl", "--tokens", "more.csv", *slips).complaint
    assert (Path("more.csv").exists(), len(listed(run))) == (False, 2)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--slips", "slips.html"], "--site http://"),
        (["--site", "http://192.0.2.10:8000/"], "--slips"),
        (["--slips", "slips.html", "--site", "192.0.2.10:8000"], "'192.0.2.10:8000'"),
        (["--slips", "slips.html", "--site", "http://192.0.2.10:99999/"], "99999"),
        (["--slips", "no/slips.html", "--site", "http://192.0.2.10:8000/"], "no/slips.html"),
    ],
)
def test_wrong_slips_add_nobody(run, options, words):
    result = run("players", "add", "anna", "--tokens", "tokens.csv", *options)
    assert (result.status, words in result.complaint) == (2, True)
    assert (listed(run), Path("tokens.csv").exists(), Path("slips.html").exists()) == ([], False, False)


def test_tokens_can_be_printed(run):
    result = run("players", "add", "anna", "--tokens", "-")
    assert result.out.startswith("name,token\nanna,")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["anna", "carl"], "carl is taken; carl-2 is free; nobody was added"),
        (["anna", "c4rl x"], "'c4rl x': a name is 2 to 20 of"),
        ([], "name the players to add"),
        (["--from", "none.csv"], "No such file"),
        (["--from", "binary.csv"], "binary.csv: it is UTF-16; save it as UTF-8"),
        (["--from", "marked.csv"], "line 2: 'Student Name': a name is 2 to 20 of"),
        (["--from", "marked.csv"], "if it is a heading, call the column name; line 3: 'Anna'"),
        (["anna", "anna"], "anna is named twice"),
        (["dara", "clara"], "clara looks like dara; change one of them; nobody was added"),
        (["--from", "head.csv"], "head.csv has no names"),
        (["--from", "short.csv"], "line 3 has no name"),
        (["--from", "broken.csv"], "broken.csv line 2 is not CSV"),
        (
            ["--from", "students.csv"],
            "line 1: 'Student Name': a name is 2 to 20 of",
        ),
        (["--from", "students.csv"], "if it is a heading, call the column name; line 2: 'Anna'"),
    ],
)
def test_refused_addition_adds_nobody(run, arguments, words):
    run("players", "add", "carl", "--tokens", "first.csv")
    Path("binary.csv").write_bytes(b"\xff\xfe\x00")
    Path("head.csv").write_text("name\n")
    Path("short.csv").write_text("mail,name\nx,anna\ny\nz,bert\n")
    Path("broken.csv").write_text('anna\n"bert\n')
    Path("students.csv").write_text("Student Name\nAnna\n")
    Path("marked.csv").write_text("sep=;\nStudent Name\nAnna\n")
    result = run("players", "add", *arguments, "--tokens", "tokens.csv")
    assert result.status == 2
    assert words in result.complaint
    assert [each["name"] for each in listed(run)] == ["carl"]
    assert not Path("tokens.csv").exists()


def test_file_of_other_tokens_is_not_replaced(run):
    Path("tokens.csv").write_text("mine")
    assert "exists" in run("players", "add", "anna", "--tokens", "tokens.csv").complaint
    assert Path("tokens.csv").read_text() == "mine"
    assert listed(run) == []


@pytest.mark.parametrize("command", [["add", "carl"], ["token", "nobody"]])
def test_refused_command_leaves_no_file(run, command):
    run("players", "add", "carl", "--tokens", "first.csv")
    assert run("players", *command, "--tokens", "second.csv").status == 2
    assert not Path("second.csv").exists()


def test_tokens_are_not_lost_in_closed_output(run, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", None)  # Python's sign that it was closed before the start
        result = run("players", "add", "anna", "--tokens", "-")
        sys.stdout.close()  # is /dev/null now
    assert (result.status, "standard output is closed" in result.complaint) == (2, True)
    assert listed(run) == []


def stored(database):
    with closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as connection:
        return connection.execute("SELECT * FROM players").fetchall()


@pytest.mark.parametrize("command", [["add", "bert"], ["token", "anna"]])
def test_pipe_without_reader_loses_no_token(run, monkeypatch, database, command):
    run("players", "add", "anna", "--tokens", "first.csv")
    before = stored(database)
    reader, writer = os.pipe()
    os.close(reader)
    with monkeypatch.context() as patch, os.fdopen(writer, "w") as closed:
        patch.setattr(sys, "stdout", closed)
        assert main(["players", *command, "--tokens", "-"]) == 2
    assert stored(database) == before


class FailingOutput(io.StringIO):
    def __init__(self, error):
        super().__init__()
        self._error = error

    def flush(self):
        raise self._error


@pytest.mark.parametrize("command", [["add", "anna", "bert"], ["token", "anna"]])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "full"), BrokenPipeError(errno.EPIPE, "closed")], ids=repr)
def test_output_that_fails_says_how_to_get_a_token(run, monkeypatch, capsys, command, error):
    if command[0] == "token":
        run("players", "add", "anna", "--tokens", "first.csv")
    monkeypatch.setattr(sys, "stdout", FailingOutput(error))
    assert main(["players", *command, "--tokens", "-"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert all(each in line for each in (*command[1:], error.strerror, "evilpegs players token NAME"))


def test_new_token_is_another(run):
    run("players", "add", "anna", "--tokens", "first.csv")
    run("players", "token", "anna", "--tokens", "second.csv")
    first, second = (written(Path(name)) for name in ("first.csv", "second.csv"))
    assert set(first) == set(second) == {"anna"}
    assert first != second
    assert run("players", "token", "anna").out.startswith("name,token\nanna,")


def test_bans_are_listed_until_they_end(run):
    run("players", "add", "anna", "bert", "--tokens", "-")
    assert run("players", "ban", "bert", "--reason", "wrong class").status == 0
    assert [each["name"] for each in listed(run) if each["is_banned"]] == ["bert"]
    (line,) = [line for line in run("players", "list").out.splitlines() if "banned" in line]
    assert line.startswith("bert")
    run("players", "unban", "bert")
    assert not any(each["is_banned"] for each in listed(run))


def test_reader_that_keeps_deleted_bytes_is_named(run, monkeypatch):
    def look(database):
        with database.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
        return empty_side_file(database.engine)

    monkeypatch.setattr(players, "FORFEIT_SECONDS", 0.0)
    monkeypatch.setattr(SqliteDatabase, "overwrite_deleted", look)
    run("players", "add", "anna", "--tokens", "-")
    reader = sqlite3.connect("games.sqlite3")
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM players").fetchall()
    assert "another program reads the database" in run("players", "forget", "anna", "--yes").err
    reader.close()
    run("players", "add", "anna", "--tokens", "-")
    assert "another program" not in run("players", "forget", "anna", "--yes").err


def test_csv_has_the_fields_of_json(run):
    run("players", "add", "anna", "--tokens", "-")
    (row,) = csv.DictReader(run("players", "list", "--csv").out.splitlines())
    (player,) = listed(run)
    assert row == {name: "" if value is None else str(value) for name, value in player.items()}


def test_player_is_hidden_until_shown(run):
    run("players", "add", "anna", "bert", "--tokens", "-")
    assert "anna is hidden" in run("players", "hide", "anna").err
    assert [each["name"] for each in listed(run) if each["is_hidden"]] == ["anna"]
    assert "anna is shown again" in run("players", "show", "anna").err
    assert run("players", "show", "anna").complaint.endswith("anna is not hidden")


@pytest.mark.parametrize(
    "new", ["Zoë", "Zoe\u0308", "\u0432\u0435\u0433\u0442", "李雷", "ひらがなカナ", "Αννα-2", "अनिता", "محمد", "carla"]
)
def test_new_name_may_have_letters_of_one_script(run, new):
    run("players", "add", "anna", "--tokens", "-")
    assert run("players", "rename", "anna", new).status == 0
    assert [each["name"] for each in listed(run)] == [unicodedata.normalize("NFC", new)]


def test_player_is_forgotten_only_with_consent(run):
    run("players", "add", "anna", "--tokens", "-")
    assert "add --yes" in run("players", "forget", "anna").complaint
    assert [(each["name"], each["is_banned"]) for each in listed(run)] == [("anna", False)]
    assert "deleted anna and 0 matches" in run("players", "forget", "anna", "--yes").err
    assert [each["name"] for each in listed(run)] == ["forgotten-1000000000"]


@pytest.mark.parametrize(("command", "state"), [("open", "open"), ("close", "closed")])
def test_registration_is_set(run, command, state):
    assert f"registration is {state}" in run("players", command).err


def test_list_says_how_many_games_are_left_to_a_rank(run, database):
    engine = open_database(database)
    store_players(engine)
    store(engine, *StoredPlay(1, load_ladders()["classic-evil"]).play(*[("solved", [1])] * 4))
    engine.dispose()
    found = json.loads(run("players", "list", "--ladder", "classic-evil", "--json").out)["players"]
    assert {each["name"]: each["games_to_rank"] for each in found} == {"ann": 20 - 4, "bob": 20, "eve": 20}
    assert re.search(r"ann .* 16 *$", run("players", "list", "--ladder", "classic-evil").out, re.MULTILINE)
    assert "no ladder 'clasic'" in run("players", "list", "--ladder", "clasic").complaint
