"""`evilpegs demo`: a short plan, and stopping it with signals."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from evilpegs.commands.demo import DemoPlan, run_demo
from support.patience import PATIENCE
from support.processes import is_running

README = Path(__file__).parents[3] / "README.md"
SHORT = DemoPlan(("minimax", "first-consistent"), (("classic", 1), ("classic-evil", 1)), "classic-evil")
STAYING = [
    *(sys.executable, "-c"),
    "from evilpegs.commands.demo import DemoPlan, run_demo\n"
    "plan = DemoPlan(('first-consistent',), (('classic-evil', 1),), 'classic-evil')\n"
    "raise SystemExit(run_demo(plan, stay=True))",
]


def promised():
    """The lines that `make demo` ends with according to the README."""
    (block,) = re.findall(r"`make demo`[^`]*\n\n```text\n(.*?)```", README.read_text(), re.DOTALL)
    return block.splitlines()


def shape(line):
    """A line without the parts that differ from run to run."""
    line = re.sub(r"^match .*", "match", line)
    return " ".join(re.sub(r"\d[\d,-]*", "#", re.sub("─+", "─", line)).split())


def test_demo_plays_and_shows_what_readme_promises(capsys):
    assert run_demo(SHORT) == 0
    out, err = capsys.readouterr()
    lines = [line.rstrip() for line in out.splitlines()]
    assert sum(line.endswith(" verified") and "NOT" not in line for line in lines) == 4
    assert {line.partition(":")[0] for line in lines} >= {"classic", "classic-evil"}
    shown = {shape(line) for line in promised() if not re.match(r" *(\d+ |not decided:)", line)}
    assert len(shown) > 10
    assert shown <= {shape(line) for line in lines}
    assert shape(lines[-1]) == shape(promised()[-1])
    assert err == ""


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_stopped_demo_leaves_nothing_behind(start, tmp_path, number, status):
    child = start("demo", env=os.environ | {"TMPDIR": str(tmp_path)})
    child.next_line()
    assert "ws://" in child.next_line()
    children = children_of(child.process.pid)
    assert len(children) == 2  # the server, and what ends it with the demo
    assert child.end(number).status == status
    assert not any(map(is_running, children))
    assert list(tmp_path.glob("evilpegs-*")) == []


def test_staying_demo_keeps_page_until_interrupt(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(STAYING, stdout=subprocess.PIPE, text=True, env=environment) as child:
        try:
            last = next(line for line in child.stdout if "Ctrl-C" in line)
            children = children_of(child.pid)
            site = re.search(r"http://\S+/", last).group()
            with urllib.request.urlopen(f"{site}api/v1/matches") as answer:
                assert len(json.load(answer)["matches"]) == 1
            child.send_signal(signal.SIGINT)
            assert child.wait(PATIENCE) == 0
        finally:
            child.kill()
    assert not any(map(is_running, children))
    assert list(tmp_path.glob("evilpegs-*")) == []


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
