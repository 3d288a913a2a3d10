"""`evilpegs demo`: in short, and how it ends when it is told to."""

import os
import re
import signal
from pathlib import Path

import pytest

from evilpegs import demonstration
from evilpegs.demo_server import child_server
from evilpegs.demonstration import Plan
from evilpegs.errors import CommandError

README = Path(__file__).parents[2] / "README.md"
SHORT = Plan(("minimax", "first-consistent"), (("classic", 1), ("classic-evil", 1)), "classic-evil")


def promised():
    """What the README says that `make demo` ends with."""
    _, _, after = README.read_text().partition("What `make demo` ends with:\n\n```text\n")
    return after.partition("```")[0].splitlines()


def shape(line):
    """A line without what differs from run to run."""
    line = re.sub(r"^match .*", "match", line)
    return " ".join(re.sub(r"\d[\d,-]*", "#", re.sub("─+", "─", line)).split())


def test_a_short_demonstration(run, monkeypatch):
    monkeypatch.setattr(demonstration, "FULL", SHORT)
    result = run("demo")
    assert result.status == 0
    lines = [line.rstrip() for line in result.out.splitlines()]
    assert sum(line.endswith("all verified") for line in lines) == 4
    assert "classic: 4x6, fixed codemaker, at most 10 guesses" in lines
    assert "classic-evil: 4x6, evil codemaker, at most 10 guesses" in lines
    assert "the chain of 30 hashes holds" in lines or "the chain of " in result.out
    assert lines[-1].startswith("It has stopped in order.")
    headings = {shape(line) for line in promised() if not re.match(r" *\d+ [ (]", line)}
    assert len(headings) > 10
    assert headings <= {shape(line) for line in lines}
    assert result.err == ""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_nothing_outlives_it(start, tmp_path, number, status):
    child = start("demo", env=os.environ | {"TMPDIR": str(tmp_path)})
    child.next_line()
    assert child.next_line().startswith("It listens on ")
    (server,) = children_of(child.process.pid)
    assert child.end(number).status == status
    assert not Path(f"/proc/{server}").exists()
    assert list(tmp_path.glob("evilpegs-demo-*")) == []


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def test_a_server_that_does_not_start(tmp_path):
    with pytest.raises(CommandError, match=r"the server did not start: evilpegs: .* write sqlite:///FILE"):
        async with child_server("nonsense", tmp_path / "log"):
            pass


async def test_a_server_that_ends_badly(tmp_path):
    children = set(children_of(os.getpid()))
    running = child_server(f"sqlite:///{tmp_path / 'x.sqlite3'}", tmp_path / "log")
    await running.__aenter__()
    (server,) = set(children_of(os.getpid())) - children
    os.kill(server, signal.SIGKILL)
    with pytest.raises(CommandError, match="the server ended with status -9"):
        await running.__aexit__(None, None, None)
