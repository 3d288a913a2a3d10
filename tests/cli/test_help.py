"""The examples and the usage of every help page: true, readable at 80 columns, and with the names of arguments."""

import shlex
from pathlib import Path

import pytest

import evilpegs
from evilpegs.help_pages import examples
from evilpegs.main import app
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import load_ladders
from support.commands import FUNCTIONS
from tools.snapshots import SNAPSHOTS

LINES = (Path(evilpegs.__file__).parent / "examples.txt").read_text(encoding="utf-8").splitlines()
TO_RUN = {"assist", "certify", "docs", "duel", "ladders", "partition", "tree"}
"""The commands whose examples need neither a server nor a database, and take a moment."""
USAGES = {
    "bot": "[OPTIONS] STRATEGY",
    "certify": "[OPTIONS] TREE",
    "compare": "[OPTIONS] A B [MORE...]",
    "docs": "[OPTIONS] [NAME]",
    "evaluate": "[OPTIONS] STRATEGY...",
    "leaderboard": "[OPTIONS] [LADDER]",
    "partition": "[OPTIONS] GUESS...",
    "play": "[OPTIONS]",
    "players": "COMMAND",
    "players add": "--tokens STR [OPTIONS] [NAMES...]",
    "round open": "--ladder STR [OPTIONS] ROUND [NAMES...]",
    "tournament": "[OPTIONS] ENTRANT...",
    "watch": "[OPTIONS] [LADDER|MATCH]",
}


def words(line):
    return shlex.split(line)[1:]


@pytest.mark.parametrize("path", FUNCTIONS, ids=" ".join)
def test_page_has_two_examples_in_one_line_each(run, monkeypatch, path):
    monkeypatch.setenv("COLUMNS", "80")
    shown = [line.removeprefix(" • ").rstrip() for line in run(*path, "--help").out.split("Examples:")[1].splitlines()]
    assert [line for line in shown if line] == examples(path)
    assert len(set(examples(path))) == 2


def test_every_example_is_shown():
    assert [line for path in FUNCTIONS for line in examples(path) if line not in LINES] == []
    assert sum(len(examples(path)) for path in FUNCTIONS) == len(LINES)


@pytest.mark.parametrize("line", LINES)
def test_example_is_a_command_line(line):
    command, bound, _ = app.parse_args(words(line))
    assert command.__module__.startswith("evilpegs.commands.")
    given = bound.arguments
    assert given.get("ladder", "classic") in load_ladders()
    assert Rules.parse(given.get("rules", "4x6"))
    named = [given.get(name) for name in ("strategy", "other")] + [*given.get("strategies", ()), *given.get("more", ())]
    assert all(name in {None, "mybot.py"} or evilpegs.strategies[name] for name in named)


@pytest.mark.parametrize("wrong", ["--colour red", "--seed few", "minimax entropy", "--codemaker good"])
def test_wrong_example_is_noticed(wrong):
    with pytest.raises(Exception, match=r"(?i)colour|few|entropy|good"):
        app.parse_args(["duel", "minimax", *shlex.split(wrong)])


def test_examples_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("bot", "--new", "mybot.py").status == 0
    lines = [line for line in LINES if words(line)[0] in TO_RUN and not {"--server"} & {*words(line)}]
    for line in sorted(lines, key=lambda line: "certify" in line):  # reads what `tree` writes
        result = run(*(["assist", "--json"] if words(line) == ["assist"] else words(line)))
        assert (result.status, line) == (0, line), result.err


@pytest.mark.parametrize("name", USAGES)
def test_usage_names_arguments(run, name):
    assert run(*name.split(), "--help").out.splitlines()[0] == f"Usage: evilpegs {name} {USAGES[name]}"


def test_no_usage_has_cyclopts_placeholder():
    assert [path.name for path in SNAPSHOTS.glob("*.txt") if "[ARGS" in path.read_text()] == []
