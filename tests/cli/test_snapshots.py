"""The help, the main output and typical errors of every command, compared with the transcripts in `snapshots`."""

import shutil
import sys

import pytest
from rich.console import Console

from evilpegs.commands import COMMANDS, GROUPS
from evilpegs.main import app
from support.error_surroundings import error_surroundings
from tools.snapshots import HEADING, PROMPT, REWRITING, SNAPSHOTS, VARYING, names, normalized, replayed, settle

ON_A_SERVER = {"bot", "leaderboard", "play", "replay", "verify"}
"""The commands whose transcripts play matches. Only that of leaderboard plays rated ones."""
ERRORS = "errors"
"""The transcript of every error, with the command that provokes it."""
STYLING = ("CLICOLOR_FORCE", "COLORTERM", "FORCE_COLOR", "LINES", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def error_commands():
    """Return the lines of the commands in `errors.txt`."""
    kept = (SNAPSHOTS / f"{ERRORS}.txt").read_text()
    return [line for line in kept.splitlines() if line.startswith(PROMPT)]


@pytest.fixture
def run_typed(run, tmp_path, monkeypatch):
    """Run a command with this standard input in this process, for a terminal of 100 columns without colors."""
    for name in STYLING:
        monkeypatch.delenv(name, raising=False)
    for name, value in {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    app.console = Console()  # not the one that an earlier test made, for another terminal

    def run_typed(words, typed):
        place = tmp_path.with_suffix(".typed")
        place.write_text(typed)
        with place.open() as file:
            monkeypatch.setattr(sys, "stdin", file)
            return run(*words)

    yield run_typed
    app.console = None


@pytest.fixture
def wrong_surroundings(snapshot_server, serve, monkeypatch, tmp_path):
    """Give the commands of `errors.txt` what they fail at."""
    server, home = snapshot_server
    monkeypatch.setenv("XDG_DATA_HOME", str(home))
    with error_surroundings(tmp_path, server, serve("--registration", "closed")) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield


@pytest.fixture
def replay(request, monkeypatch, tmp_path, run_typed):
    """Run the commands of a transcript, given by its name, beside copies of the files in `snapshots/files`."""

    def replay(name):
        shutil.copytree(SNAPSHOTS / "files", tmp_path, dirs_exist_ok=True)
        if name in ON_A_SERVER:
            server, home = request.getfixturevalue("snapshot_server")
            monkeypatch.setenv("EVILPEGS_SERVER", server.url)
            monkeypatch.setenv("EVILPEGS_DATABASE", server.database)
            monkeypatch.setenv("XDG_DATA_HOME", str(home))
        if name == ERRORS:
            request.getfixturevalue("wrong_surroundings")
        return replayed((SNAPSHOTS / f"{name}.txt").read_text(), run_typed)

    return replay


@pytest.mark.parametrize("name", names())
def test_snapshot(request, replay, name):
    settle(SNAPSHOTS / f"{name}.txt", replay(name), request.config.pluginmanager.has_plugin(REWRITING))


def test_snapshots_cover_every_command():
    assert set(names()) == {"evilpegs", ERRORS, *COMMANDS, *GROUPS}


@pytest.mark.parametrize("name", [name for name in names() if name != ERRORS])
def test_snapshot_begins_with_help(name):
    kept = (SNAPSHOTS / f"{name}.txt").read_text()
    assert kept.startswith("$ evilpegs --help\n" if name == "evilpegs" else f"$ evilpegs {name} --help\n")


def test_errors_cover_every_command():
    kept = (SNAPSHOTS / f"{ERRORS}.txt").read_text()
    headings = [line.removeprefix(HEADING) for line in kept.splitlines() if line.startswith(HEADING)]
    assert sorted(headings) == sorted(["evilpegs", *COMMANDS, *GROUPS])


@pytest.mark.parametrize("line", error_commands())
def test_error_is_one_line_with_status_2(line):
    """`play` says who the player is before the error."""
    kept = (SNAPSHOTS / f"{ERRORS}.txt").read_text()
    _, _, printed = kept.partition(f"{line}\n")
    *before, heading, error, status = printed.split("\n\n")[0].splitlines()
    assert before == [] or before[0].startswith("You are guest-ID")
    assert heading == "[standard error]"
    assert error.startswith("evilpegs: ")
    assert status == "[exit status 2]"


def test_snapshots_are_not_rewritten_by_tests(request):
    assert not request.config.pluginmanager.has_plugin(REWRITING)


@pytest.mark.parametrize("changed", [("60 s", "61 s"), ("classic-blitz ", "classic-Blitz "), (" rated", " rated\n")])
def test_snapshot_notices_changed_output(tmp_path, replay, changed):
    stale = tmp_path / "stale.txt"
    stale.write_text((SNAPSHOTS / "ladders.txt").read_text().replace(*changed, 1))
    before = stale.read_text()
    with pytest.raises(pytest.fail.Exception) as caught:
        settle(stale, replay("ladders"), is_rewriting=False)
    differing = [line for line in str(caught.value).splitlines() if line.startswith(("-", "+"))]
    assert any(changed[0].strip() in line for line in differing)
    assert stale.read_text() == before


def test_settle_rewrites_when_asked(tmp_path):
    stale = tmp_path / "stale.txt"
    settle(stale, "new\n", is_rewriting=True)
    assert stale.read_text() == "new\n"


def timed_table(*times):
    """A table of turns as wide as its times need."""
    width = max(2, *map(len, times))
    heading = f"turn  guess  feedback  left  {'ms':>{width}}"
    rows = [f"   1  1 1    ●· 1,0      16  {time:>{width}}" for time in times]
    return "".join(f"{line}\n" for line in (heading, "─" * len(heading), *rows))


VARIED = {
    "the directory of a test": (
        "in /tmp/pytest-of-ann/pytest-1/home0/a.json\n",
        "in /tmp/pytest-of-bo/pytest-22/b1/a.json\n",
    ),
    "the port that is in use": ("port 4321: the port is in use\n", "port 54321: the port is in use\n"),
    "trailing spaces": ("a  b  \nc\n", "a  b\nc   \n"),
    "the id of a match": ("match 1a20181dbf32054b: 30\n", "match 0123456789abcdef: 30\n"),
    "the name of a guest": ("You are guest-83b1223f5e07\n", "You are guest-000000000000\n"),
    "the port of the server": ("at ws://127.0.0.1:43210/v1.\n", "at ws://127.0.0.1:8766/v1.\n"),
    "the secret of a lost game": ("--secret 1234 --seed 1234567890\n", "--secret 6512 --seed 1234567890\n"),
    "the seed of a lost game": ("duel --seed 1234567890\n", "duel --seed 10987654321\n"),
    "a measured time": ("5 guesses in 1,234 ms, 4 in 0.25 s\n", "5 guesses in 9 ms, 4 in 12.50 s\n"),
    "the version of Python": ("(Python 3.11.7, numpy 2)\n", "(Python 3.15.0rc1+, numpy 2)\n"),
    "how SQLite names a page": ("damaged: Page 14: error\n", "damaged: Tree 3 page 14: error\n"),
    "the seconds of strategies": (
        "entropy  123  208  3.2500     4    0.001  1\n",
        "entropy  123  208  3.2500     4  123.456  1\n",
    ),
    "the milliseconds per guess": ("in TIME s, 0.125 ms per guess\n", "in TIME s, 12.500 ms per guess\n"),
    "the milliseconds per guess of strategies": ("3  SECONDS   0.140  0  1\n", "3  SECONDS  12.140  0  1\n"),
    "the milliseconds of turns": (timed_table("1", "12"), timed_table("7", "1,234")),
    "the milliseconds on a leaderboard": ("4  100%    5  █\n", "4  100%  123  █\n"),
}


@pytest.mark.parametrize("kind", [kind for kind, _, _ in VARYING])
def test_normalizing_hides_what_varies(kind):
    first, second = VARIED[kind]
    assert first != second
    assert normalized(first) == normalized(second)


def test_normalizing_keeps_facts():
    kept = "ws://127.0.0.1:8765/v1, ws://127.0.0.1:1/v1\n4  5.000  5.00-5.00  5    100%\n4x6: 16 codes, 34 MB\n"
    assert normalized(kept) == kept
