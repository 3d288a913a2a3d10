"""Transcripts in `tests/cli/snapshots` and `tests/clients/snapshots`: reading, normalizing and comparing them.

A transcript of the command line is one file per command. It lists the commands to run and what each of them printed::

    $ evilpegs ladders --server nowhere
    [standard error]
    evilpegs: ...
    [exit status 2]

Standard output comes first, then standard error, then the exit status where it is not 0. A command may get
standard input from `printf 'LINES' |` and may name environment variables. Words that differ from run to run are
replaced according to `VARYING`. A line that begins with `# ` is a heading.

A transcript of the terminal client is one file per scenario in `tests/clients/test_terminal_snapshots.py`.

``make snapshots`` rewrites every transcript: it runs the commands and scenarios again and keeps
their output. To add a command, write its line into the file and rewrite.
"""

import difflib
import os
import re
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SNAPSHOTS = Path(__file__).parents[1] / "tests" / "cli" / "snapshots"
TERMINAL_SNAPSHOTS = Path(__file__).parents[1] / "tests" / "clients" / "snapshots"
TESTS = (
    f"{SNAPSHOTS.parent / 'test_snapshots.py'}::test_snapshot",
    f"{TERMINAL_SNAPSHOTS.parent / 'test_terminal_snapshots.py'}::test_terminal_snapshot",
)
"""The tests that compare transcripts with the files, and that write the files in the rewriting run."""
PROMPT = "$ "
HEADING = "# "
REWRITING = "rewrite-snapshots"
"""The name of the pytest plugin that turns comparing into rewriting; no option or variable loads it."""


def without_times(table):
    """Replace the milliseconds in the last column of a table of turns, whose width differs between runs."""
    heading, rule, *rows = table[0].splitlines()
    heading = re.sub(" +ms$", "  ms", heading)
    rows = [re.sub(r" +[\d,]+$", "   #", row) for row in rows]
    return "".join(f"{line}\n" for line in (heading, rule[: len(heading)], *rows))


VARYING = [
    ("trailing spaces", re.compile(r"(?m)[ \t]+$"), ""),
    ("the id of a match", re.compile(r"\b[0-9a-f]{16}\b"), "MATCH"),
    ("the name of a guest", re.compile(r"\bguest-[0-9a-f]{12}\b"), "guest-ID"),
    ("the directory of a test", re.compile(r"/[^\s']+/pytest-\d+(?:/popen-gw\d+)?/[^/\s']+"), "DIRECTORY"),
    ("the port that is in use", re.compile(r"(port )\d+(: the port is in use)"), r"\1PORT\2"),
    ("the port of the server", re.compile(r"(ws://127\.0\.0\.1:)(?!8765\b)\d{4,5}\b"), r"\1PORT"),
    ("the secret of a lost game", re.compile(r"(--secret )\w+(?= --seed \d{9})"), r"\1CODE"),
    ("the seed of a lost game", re.compile(r"(--seed )\d{9,}\b"), r"\1SEED"),
    ("a measured time", re.compile(r"\b(in )[\d,.]+( m?s\b)"), r"\1TIME\2"),
    ("the seconds of strategies", re.compile(r"(?m)^(\S+ .*\.\d{4} +\d+) +[\d,]+\.\d{3}(?=  )"), r"\1  SECONDS"),
    ("the version of Python", re.compile(r"(?<=\(Python )[\w.+]+"), "VERSION"),
    ("how SQLite names a page", re.compile(r"(?:Tree \d+ page|Page) (?=\d+: )"), "page "),
    ("the milliseconds per guess", re.compile(r", [\d.]+( ms per guess)"), r", TIME\1"),
    ("the milliseconds per guess of strategies", re.compile(r"(?m)(SECONDS) +[\d.]+\.\d{3}(?=  )"), r"\1  PACE"),
    ("the milliseconds of turns", re.compile(r"(?m)^ *turn .* ms\n─+\n(?: .*\n)+"), without_times),
    (
        "the milliseconds on a leaderboard",
        re.compile(r"(?<=%)( +[\d,]+)(?=  .*█)"),
        lambda found: "#".rjust(len(found[1])),
    ),
]
"""The parts of a text that differ from run to run: the name of each, a pattern, and its replacement."""


@dataclass(frozen=True)
class Command:
    """A command of a transcript: its line, its words after `evilpegs`, and its standard input."""

    line: str
    words: tuple[str, ...]
    typed: str


def names():
    """Return the names of the transcripts of the command line."""
    return sorted(path.stem for path in SNAPSHOTS.glob("*.txt"))


def commands(transcript):
    """Return the commands of a transcript, in their order."""
    return [parsed(line) for line in transcript.splitlines() if line.startswith(PROMPT)]


def parsed(line):
    """Return the command in a line `$ evilpegs WORDS` or `$ printf 'LINES' | evilpegs WORDS`."""
    words, typed = shlex.split(line.removeprefix(PROMPT)), ""
    if words[0] == "printf":
        _, lines, pipe, *words = words
        assert pipe == "|", line
        typed = lines.encode("latin-1").decode("unicode_escape")
    assert words[0] == "evilpegs", line
    return Command(line, tuple(map(os.path.expandvars, words[1:])), typed)


def normalized(text):
    """Return the text in which all parts that differ from run to run are replaced according to `VARYING`."""
    for _, pattern, instead in VARYING:
        text = pattern.sub(instead, text)
    return text


def entry(command, result):
    """Return the part of a transcript that shows a command and its result."""
    assert not re.search(r"(?m)^[$#] ", result.out + result.err), command.line
    lines = [command.line, *normalized(result.out).splitlines()]
    if result.err:
        lines += ["[standard error]", *normalized(result.err).splitlines()]
    if result.status:
        lines.append(f"[exit status {result.status}]")
    return "".join(f"{line}\n" for line in lines)


def replayed(transcript, run):
    """Run the commands of a transcript again, and return the transcript that results.

    Each command is run by ``run(words, typed)``.
    """
    parts = []
    for line in transcript.splitlines():
        if line.startswith(HEADING):
            parts.append(f"{line}\n")
        elif line.startswith(PROMPT):
            command = parsed(line)
            parts.append(entry(command, run(command.words, command.typed)))
    return "\n".join(parts)


def settle(path, transcript, is_rewriting):
    """Write the transcript to the file if ``is_rewriting`` is True; otherwise fail with a diff if they differ."""
    if is_rewriting:
        path.write_text(transcript)
        return
    kept = path.read_text()
    if kept != transcript:
        lines = difflib.unified_diff(
            kept.splitlines(), transcript.splitlines(), f"snapshots/{path.name}", "this run", lineterm=""
        )
        pytest.fail("\n".join(["rewrite with `make snapshots` if this is meant", *lines]), pytrace=False)


class Rewriting:
    """The plugin that marks a rewriting run."""

    __name__ = REWRITING


if __name__ == "__main__":
    sys.exit(pytest.main(["-q", *TESTS], plugins=[Rewriting()]))
