"""`evilpegs players`: a teacher's hour, from the class list to a stolen token, and what the command refuses."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

from evilpegs_server.storage.database import open_database


@pytest.fixture(autouse=True)
def database(monkeypatch, tmp_path):
    """An empty database, which the commands find by themselves."""
    url = f"sqlite:///{tmp_path}/games.sqlite3"
    open_database(url).dispose()
    monkeypatch.setenv("EVILPEGS_DATABASE", url)


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
        (["--from", "binary.csv"], "save it as"),
        (["anna", "anna"], "anna is named twice"),
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


def test_tokens_are_not_lost_in_closed_output(tmp_path):
    closed = ["sh", "-c", f"{sys.executable} -m evilpegs players add anna --tokens - >&-"]
    done = subprocess.run(closed, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "standard output is closed" in done.stderr) == (2, True)


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


def test_csv_has_the_fields_of_json(run):
    run("players", "add", "anna", "--tokens", "-")
    (row,) = csv.DictReader(run("players", "list", "--csv").out.splitlines())
    (player,) = listed(run)
    assert row == {name: "" if value is None else str(value) for name, value in player.items()}


@pytest.mark.parametrize("command", ["token", "ban", "unban", "kick"])
def test_unknown_player_is_refused(run, command):
    run("players", "add", "anna", "--tokens", "-")
    assert "did you mean anna?" in run("players", command, "ana").complaint


@pytest.mark.parametrize("reason", ["", "two\nlines", "x" * 81, "é" * 41])
def test_reason_must_fit(run, reason):
    run("players", "add", "anna", "--tokens", "-")
    assert "--reason must be one line" in run("players", "kick", "anna", "--reason", reason).complaint


@pytest.mark.parametrize(("command", "state"), [("open", "open"), ("close", "closed")])
def test_registration_is_set(run, command, state):
    assert f"registration is {state}" in run("players", command).err
