"""Refused input of every command: the classes of errors here, the words and exit statuses in `snapshots/errors.txt`."""

import os
import shlex
from pathlib import Path

import pytest
from cyclopts import (
    CoercionError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from evilpegs.commands import COMMANDS
from evilpegs.errors import CommandError
from evilpegs.main import app
from evilpegs.options import WHOLE
from evilpegs_clients.errors import EvaluationError, ServerUnreachableError
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import ContradictionError, IllegalCodeError, MalformedError, TooLargeError
from evilpegs_server.listening import AddressUnusableError
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError
from tools.snapshots import PROMPT, SNAPSHOTS

REFUSED = {
    UnknownCommandError: ["srve"],
    UnknownOptionError: ["evaluate minimax --rulse 4x6"],
    UnusedCliTokensError: ["ladders classic"],
    MissingArgumentError: ["duel minimax --first"],
    CoercionError: [
        "evaluate minimax --games few",
        "serve --port abc",
        "serve --registration maybe",
        "serve --log-format xml",
        "duel minimax --codemaker demon",
        "leaderboard --kind guest",
    ],
    CommandError: [
        "evaluate",
        "evaluate --games 5",
        "evaluate minimax --jobs 0",
        "evaluate minimax --jobs=1.9",
        "evaluate minimax --jobs 2 --cluster tcp://x:1",
        "evaluate minimax --games 0",
        "evaluate minimax --games 2.9",
        "evaluate minimax --plot a.pdf",
        "evaluate minimax --plot lost/a.png",
        "evaluate minimax --csv lost/a.csv",
        "evaluate minimax --csv - --json",
        "bot minimax --matches 0",
        "bot minimax --matches 1.5",
        "bot minimax --name A",
        "bot minimax --server http://127.0.0.1",
        "play --server ws://127.0.0.1:1/v1,127.0.0.1:2",
        "ladders --server 192.0.2.7",
        "ladders --calibrate clasic",
        "duel minimax --rules --json",
        "partition",
        "partition 1122 --after",
        "partition 1122 --after 1122",
        "partition 2345 --after 1122:1,0 3344",
        "partition --after 1122",
        "compare minimax entropy --ladder clasic",
        "compare minimax entropy --ladder classic-evil",
        "compare minimax entropy --max-pairs 99.5",
        "serve --host ''",
        "serve --node 'a b'",
        "serve --port 65536",
        "serve --database sqlite:////proc/none/x.db",
        "serve --database sqlite:///lost/contest.sqlite3",
    ],
    MalformedError: [
        "evaluate minimax --rules 4-6",
        "evaluate minimax --rules 17x6",
        "assist --rules 2x2 --after 11 --json",
        "partition 11i2",
        "partition 1122 --after 1122:x",
        "partition 1122 --after 1122:4,1",
        "compare minimax entropy --max-pairs 29",
        "compare minimax entropy --null -0.02",
        "compare minimax entropy --null nan",
        "compare minimax entropy --alternative -inf",
        "duel minimax --rules -4x6",
        "duel minimax --rules 0x6",
        "duel minimax --rules 5x4-distinct",
        "duel minimax --codemaker devil --secret 1122",
        "duel minimax --codemaker evil --secret 1122",
        "duel minimax --codemaker fixed",
        "duel minimax --codemaker devil --exact-up-to -1",
        "duel minimax --exact-up-to 9",
        "duel minimax --solved here",
    ],
    IllegalCodeError: [
        "evaluate minimax --first 112",
        "partition 1127",
        "partition --rules bulls-and-cows 1123",
    ],
    ContradictionError: [
        "partition 1122 --after 1122:3,1",
        "partition 1122 --after 1122:4,0 1122:0,0",
    ],
    TooLargeError: [
        "evaluate minimax --rules 8x10",
        "evaluate sampled --rules 8x10 --dry-run",
        "duel minimax --codemaker devil --rules huge",
    ],
    StrategyError: ["evaluate minimox", "duel mine.py"],
    EvaluationError: ["evaluate minimax --cluster udp:/x"],
    AddressUnusableError: ["serve --host 192.0.2.99 --no-site --port 0"],
    DatabaseUnusableError: ["serve --database here", "serve --database mysql://x/y", "serve --database sqlite://"],
    DatabaseMissingError: ["leaderboard --database sqlite:///none.sqlite3", "replay last"],
    ServerUnreachableError: [
        "bot minimax --server ws://127.0.0.1:1/v1",
        "ladders --server ws://127.0.0.1:1/v1",
        "ladders --server ws://127.0.0.1:1,ws://127.0.0.1:2",
    ],
}
"""The lines of commands that are refused with an error of each class."""


@pytest.mark.parametrize(("error", "line"), [(error, line) for error, lines in REFUSED.items() for line in lines])
def test_refusal_is_an_error_of_its_class(capsys, error, line):
    with pytest.raises(error) as caught:
        app(shlex.split(line))
    assert caught.type is error
    assert capsys.readouterr().out == ""


def test_every_refusal_is_in_the_transcript_of_errors():
    lines = (SNAPSHOTS / "errors.txt").read_text().splitlines()
    refused = {f"{PROMPT}evilpegs {line}" for lines in REFUSED.values() for line in lines}
    assert refused - set(lines) == set()


CONNECTING = {
    "play": ["play"],
    "bot": ["bot", "minimax"],
    "feed": ["feed"],
    "ladders": ["ladders"],
    "leaderboard": ["leaderboard"],
    "replay": ["replay", "last"],
    "watch": ["watch"],
}
"""A command line for each command that connects to a server."""


@pytest.mark.parametrize("command", CONNECTING)
@pytest.mark.parametrize("url", ["http://127.0.0.1"])
def test_bad_server_variable_is_named(run, monkeypatch, command, url):
    monkeypatch.setenv("EVILPEGS_SERVER", url)
    result = run(*CONNECTING[command])
    assert (result.status, result.out) == (2, "")
    assert [fact for fact in ("EVILPEGS_SERVER", repr(url), "ws://HOST:PORT/v1") if fact not in result.complaint] == []


@pytest.fixture
def no_typing(monkeypatch):
    """Give the command an empty standard input."""
    with Path(os.devnull).open() as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        yield


@pytest.mark.parametrize("command", CONNECTING)
def test_server_option_overrides_variable(run, monkeypatch, no_typing, command):
    monkeypatch.setenv("EVILPEGS_SERVER", "http://127.0.0.1")
    line = run(*CONNECTING[command], "--server", "ws://127.0.0.1:1").complaint
    assert "ws://127.0.0.1:1/v1" in line
    assert "EVILPEGS_SERVER" not in line


@pytest.mark.parametrize("command", CONNECTING)
def test_server_variable_is_asked(run, monkeypatch, no_typing, command):
    monkeypatch.setenv("EVILPEGS_SERVER", "ws://127.0.0.1:1")
    assert "ws://127.0.0.1:1/v1" in run(*CONNECTING[command]).complaint


def test_every_command_with_a_server_has_the_variable():
    options = {
        command: option
        for command in COMMANDS
        for option in app[command].assemble_argument_collection()
        if "--server" in option.names
    }
    assert set(options) == {"compare", *CONNECTING}
    reads_itself = {"feed", "ladders", "leaderboard", "replay"}  # where --mqtt or --database is the other source
    variables = {command: option.parameter.env_var for command, option in options.items()}
    assert {command for command, names in variables.items() if names != ("EVILPEGS_SERVER",)} == reads_itself | {
        "compare"
    }


@pytest.mark.parametrize("command", ["bot", "play"])
def test_commands_that_play_heed_variables(command):
    options = {option.name: option.parameter.env_var for option in app[command].assemble_argument_collection()}
    assert options["--name"] == ("EVILPEGS_NAME",)
    assert options["--ladder"] == ("EVILPEGS_LADDER",)


def test_variables_are_no_typed_options(run, monkeypatch, no_typing):
    for variable, value in {"NAME": "ann", "LADDER": "classic", "SERVER": "ws://127.0.0.1:1"}.items():
        monkeypatch.setenv(f"EVILPEGS_{variable}", value)
    assert "begins on that day" in run("play", "--daily", "--date", "9999-01-01").complaint
    assert "127.0.0.1:1" in run("play", "--round", "final").complaint
    assert "127.0.0.1:1" in run("bot", "first-consistent", "--round", "final").complaint


def test_integer_options_refuse_fractions():
    options = [option for command in COMMANDS for option in app[command].assemble_argument_collection()]
    whole = [option for option in options if option.hint in (int, int | None)]
    assert {option.name for option in whole} >= {"--games", "--jobs", "--matches", "--port", "--seed", "--threads"}
    assert [option.name for option in whole if option.parameter.converter is not WHOLE.converter] == []
