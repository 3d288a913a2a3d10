"""Every wrong input that needs no server: one line that names it, exit status 2, and an error of its own class."""

import os
import re
from pathlib import Path

import pytest
from cyclopts import (
    CoercionError,
    MissingArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
)

from evilpegs.errors import CommandError
from evilpegs.main import COMMANDS, app
from evilpegs.options import WHOLE
from evilpegs_clients.errors import EvaluationError, ServerUnreachableError
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import StrategyError
from evilpegs_game.errors import ContradictionError, IllegalCodeError, MalformedError, TooLargeError
from evilpegs_server.listening import AddressUnusableError
from evilpegs_server.storage.errors import DatabaseMissingError, DatabaseUnusableError

LARGE = ["8x10", "800,001,024", "--games"]
NO_SERVER = ["ws://127.0.0.1:1/v1", "evilpegs serve"]
BAD = {
    "unknown command": (["srve"], UnknownCommandError, ["srve", "serve"]),
    "unknown option": (["evaluate", "minimax", "--rulse", "4x6"], UnknownOptionError, ["--rulse", "--rules"]),
    "no jobs": (["evaluate", "minimax", "--jobs", "0"], CommandError, ["--jobs", "1", "256", "0"]),
    "jobs and a cluster": (
        ["evaluate", "minimax", "--jobs", "2", "--cluster", "tcp://x:1"],
        CommandError,
        ["--jobs", "--cluster"],
    ),
    "no games": (["evaluate", "minimax", "--games", "0"], CommandError, ["--games", "1", "1,000,000,000", "0"]),
    "half a game": (["evaluate", "minimax", "--games", "2.9"], CommandError, ["--games", "2.9"]),
    "half a job": (["evaluate", "minimax", "--jobs=1.9"], CommandError, ["--jobs", "1.9"]),
    "half a match": (["bot", "minimax", "--matches", "1.5"], CommandError, ["--matches", "1.5"]),
    "no number": (["evaluate", "minimax", "--games", "few"], CoercionError, ["--games", "few"]),
    "no strategy": (["evaluate", "--games", "5"], CommandError, ["evilpegs evaluate --help"]),
    "no such plot": (["evaluate", "minimax", "--plot", "a.pdf"], CommandError, ["a.pdf", ".png", ".svg"]),
    "no place for a plot": (["evaluate", "minimax", "--plot", "lost/a.png"], CommandError, ["lost", "plot"]),
    "no place for a CSV": (["evaluate", "minimax", "--csv", "lost/a.csv"], CommandError, ["lost/a.csv", "another"]),
    "two documents": (["evaluate", "minimax", "--csv", "-", "--json"], CommandError, ["--csv", "--json"]),
    "no cluster there": (
        ["evaluate", "minimax", "--cluster", "tcp://127.0.0.1:1"],
        EvaluationError,
        ["tcp://127.0.0.1:1", "dask scheduler"],
    ),
    "no cluster's address": (
        ["evaluate", "minimax", "--cluster", "udp:/x"],
        EvaluationError,
        ["udp:/x", "dask scheduler"],
    ),
    "too large to play all": (["evaluate", "minimax", "--rules", "8x10"], TooLargeError, LARGE),
    "too large, and dry": (["evaluate", "sampled", "--rules", "8x10", "--dry-run"], TooLargeError, LARGE),
    "an argument too many": (["ladders", "classic"], UnusedCliTokensError, ["classic", "evilpegs ladders --help"]),
    "an argument too few": (["evaluate"], CommandError, ["evilpegs evaluate --help"]),
    "option without value": (["duel", "minimax", "--first"], MissingArgumentError, ["--first", "evilpegs duel --help"]),
    "not a number": (["serve", "--port", "abc"], CoercionError, ["--port", "abc"]),
    "rules that are none": (["evaluate", "minimax", "--rules", "4-6"], MalformedError, ["'4-6'", "PEGSxCOLORS"]),
    "rules with a hyphen": (["evaluate", "minimax", "--rules", "-4x6"], MalformedError, ["'-4x6'", "PEGSxCOLORS"]),
    "an option as rules": (["evaluate", "minimax", "--rules", "--json"], CommandError, ["--rules", "4x6", "'--json'"]),
    "rules too wide": (["evaluate", "minimax", "--rules", "17x6"], MalformedError, ["pegs", "16", "17"]),
    "rules without pegs": (["duel", "minimax", "--rules", "0x6"], MalformedError, ["pegs", "16", "0"]),
    "distinct rules that cannot be": (["duel", "minimax", "--rules", "5x4-distinct"], MalformedError, ["5", "4"]),
    "too many codes": (["evaluate", "minimax", "--rules", "8x10"], TooLargeError, ["8x10", "268,435,456"]),
    "unknown strategy": (["evaluate", "minimox"], StrategyError, ["'minimox'", *STRATEGIES]),
    "no strategy file": (["duel", "mine.py"], StrategyError, ["mine.py"]),
    "malformed code": (["partition", "11i2"], MalformedError, ["'11i2'", "123456"]),
    "illegal code": (["partition", "1127"], IllegalCodeError, ["'1127'", "4x6", "123456"]),
    "short code": (["evaluate", "minimax", "--first", "112"], IllegalCodeError, ["'112'", "3", "4x6", "4"]),
    "repeated color": (
        ["partition", "--rules", "bulls-and-cows", "1123"],
        IllegalCodeError,
        ["'1123'", "4x10-distinct"],
    ),
    "no guess": (["partition"], CommandError, ["evilpegs partition --rules 4x6 1122"]),
    "a turn without feedback to assist": (
        ["assist", "--rules", "2x2", "--after", "11", "--json"],
        MalformedError,
        ["'11'", "CODE:BLACK,WHITE"],
    ),
    "a feedback that no code gives": (
        ["partition", "1122", "--after", "1122:3,1"],
        ContradictionError,
        ["4x6", "turn 1"],
    ),
    "a directory as a database": (
        ["leaderboard", "--database", "sqlite:///."],
        CommandError,
        ["directory", "--database"],
    ),
    "a directory as a database to serve": (
        ["serve", "--database", "sqlite:///."],
        CommandError,
        ["directory", "--database"],
    ),
    "a name with capitals": (["bot", "minimax", "--name", "Ann"], CommandError, ["'Ann'", "--name"]),
    "a name of a guest": (["play", "--name", "guest-1"], CommandError, ["'guest-1'", "--name"]),
    "an empty name": (["play", "--name", ""], CommandError, ["''", "--name"]),
    "an address of another machine": (
        ["serve", "--no-site", "--port", "0", "--host", "192.0.2.99"],
        AddressUnusableError,
        ["192.0.2.99", "--host"],
    ),
    "not a turn": (["partition", "1122", "--after", "1122:x"], MalformedError, ["'x'", "BLACK,WHITE"]),
    "a turn without feedback": (["partition", "1122", "--after", "1122"], CommandError, ["'1122'", "--after"]),
    "a later turn without": (
        ["partition", "2345", "--after", "1122:1,0", "3344"],
        CommandError,
        ["'3344'", "--after"],
    ),
    "nothing but a code after": (["partition", "--after", "1122"], CommandError, ["'1122'", "--after"]),
    "no turn after": (["partition", "1122", "--after"], CommandError, ["--after", "1122:1,0"]),
    "no host": (["serve", "--host", ""], CommandError, ["--host"]),
    "not the name of a node": (["serve", "--node", "a b"], CommandError, ["--node", "'a b'", "A-Z", "40"]),
    "impossible feedback": (["partition", "1122", "--after", "1122:4,1"], MalformedError, ["4,1", "4"]),
    "contradiction": (
        ["partition", "1122", "--after", "1122:4,0", "1122:0,0"],
        ContradictionError,
        ["4x6", "1", "2"],
    ),
    "unknown codemaker": (
        ["duel", "minimax", "--codemaker", "demon"],
        CoercionError,
        ["demon", "--codemaker", "evil", "devil", "fixed"],
    ),
    "devil with a secret": (
        ["duel", "minimax", "--codemaker", "devil", "--secret", "1122"],
        MalformedError,
        ["devil", "--secret", "--codemaker fixed"],
    ),
    "evil that solves": (
        ["duel", "minimax", "--exact-up-to", "9"],
        MalformedError,
        ["evil", "--exact-up-to", "--codemaker devil"],
    ),
    "evil that keeps": (
        ["duel", "minimax", "--solved", "here"],
        MalformedError,
        ["evil", "--solved", "--codemaker devil"],
    ),
    "less than nothing solved": (
        ["duel", "minimax", "--codemaker", "devil", "--exact-up-to", "-1"],
        MalformedError,
        ["--exact-up-to", "0", "-1"],
    ),
    "a devil for too much": (
        ["duel", "minimax", "--codemaker", "devil", "--rules", "huge"],
        TooLargeError,
        ["8x10", "1,048,576", "9"],
    ),
    "evil with a secret": (
        ["duel", "minimax", "--codemaker", "evil", "--secret", "1122"],
        MalformedError,
        ["evil", "--secret", "--codemaker fixed"],
    ),
    "fixed without a secret": (
        ["duel", "minimax", "--codemaker", "fixed"],
        MalformedError,
        ["fixed", "--secret CODE", "--seed N"],
    ),
    "port out of range": (["serve", "--port", "65536"], CommandError, ["--port", "65535"]),
    "unknown kind of registration": (
        ["serve", "--registration", "maybe"],
        CoercionError,
        ["maybe", "--registration", "open", "closed"],
    ),
    "not a database": (["serve", "--database", "here"], DatabaseUnusableError, ["'here'", "sqlite:///FILE"]),
    "a database of another kind": (
        ["serve", "--database", "mysql://x/y"],
        DatabaseUnusableError,
        ["postgresql", "sqlite:///FILE"],
    ),
    "a database in memory": (
        ["serve", "--database", "sqlite://"],
        DatabaseUnusableError,
        ["memory", "sqlite:///FILE"],
    ),
    "no place for a database": (
        ["serve", "--database", "sqlite:////proc/none/x.db"],
        CommandError,
        ["/proc/none", "--database"],
    ),
    "no database": (
        ["leaderboard", "--database", "sqlite:///none.sqlite3"],
        DatabaseMissingError,
        ["none.sqlite3", "evilpegs serve", "--database"],
    ),
    "no default database": (
        ["replay", "last"],
        DatabaseMissingError,
        ["data/evilpegs/evilpegs.sqlite3", "evilpegs serve", "--database"],
    ),
    "no server": (["bot", "minimax", "--server", "ws://127.0.0.1:1/v1"], ServerUnreachableError, NO_SERVER),
    "no server to ask": (["ladders", "--server", "ws://127.0.0.1:1/v1"], ServerUnreachableError, NO_SERVER),
    "not a server's address": (
        ["bot", "minimax", "--server", "http://127.0.0.1"],
        CommandError,
        ["--server", "'http://127.0.0.1'", "ws://HOST:PORT/v1"],
    ),
    "not one of several addresses": (
        ["play", "--server", "ws://127.0.0.1:1/v1,127.0.0.1:2"],
        CommandError,
        ["--server", "'127.0.0.1:2'", "ws://127.0.0.1:2/v1"],
    ),
    "none of several servers": (
        ["ladders", "--server", "ws://127.0.0.1:1,ws://127.0.0.1:2"],
        ServerUnreachableError,
        [*NO_SERVER, "ws://127.0.0.1:2/v1"],
    ),
    "not the address of a server to ask": (
        ["ladders", "--server", "192.0.2.7"],
        CommandError,
        ["--server", "'192.0.2.7'", "ws://HOST:PORT/v1"],
    ),
    "unknown log format": (["serve", "--log-format", "xml"], CoercionError, ["--log-format", "xml", "text", "json"]),
    "no directory for a database": (
        ["serve", "--database", "sqlite:///lost/contest.sqlite3"],
        CommandError,
        ["lost", "mkdir -p lost", "--database"],
    ),
    "a name that cannot be": (["bot", "minimax", "--name", "x" * 65], CommandError, ["--name", "2", "20"]),
    "a name that cannot be, to play": (["play", "--name", "x" * 65], CommandError, ["--name", "2", "20"]),
    "no matches": (["bot", "minimax", "--matches", "0"], CommandError, ["--matches", "1", "0"]),
}


def names(line, fact):
    """Return True if the fact stands in the line, and not only as a part of another word or number."""
    return re.search(rf"(?<![\w,.-]){re.escape(fact)}(?!\w|[,.]\d)", line) is not None


@pytest.mark.parametrize(("arguments", "error", "facts"), BAD.values(), ids=BAD)
def test_bad_input_is_refused_in_one_line(run, arguments, error, facts):
    result = run(*arguments)
    assert (result.status, result.out) == (2, "")
    assert [fact for fact in facts if not names(result.complaint, fact)] == []
    with pytest.raises(error):
        app(arguments)


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
@pytest.mark.parametrize("url", ["http://127.0.0.1", ""])
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
