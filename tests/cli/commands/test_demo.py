"""`evilpegs demo`: a short plan, and stopping it with signals."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from subprocess import PIPE

from support.patience import PATIENCE
from support.processes import is_running

TOUR = Path(__file__).parents[3] / "docs" / "tour.md"
SHORT = f"""
from importlib import import_module
demo = import_module("evilpegs.commands.demo")
demo.LUCK_SECONDS = {PATIENCE}
from evilpegs.commands.demo import DemoPlan, run_demo
plan = DemoPlan(("minimax", "first-consistent"), (("classic", 1), ("classic-evil", 1)), "classic-evil")
raise SystemExit(run_demo(plan, stay=True))
"""


def promised():
    """The lines that `make demo` ends with according to the tour."""
    (block,) = re.findall(r"`make demo`[^`]*\n\n```text\n(.*?)```", TOUR.read_text(), re.DOTALL)
    return block.splitlines()


def shape(line):
    """A line without the parts that differ from run to run."""
    line = re.sub(r"^match .*", "match", line)
    return " ".join(re.sub(r"\d[\d,-]*", "#", re.sub("─+", "─", line)).split())


def test_demo_shows_what_the_tour_promises_and_keeps_its_page_until_interrupt(tmp_path):
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([sys.executable, "-c", SHORT], stdout=PIPE, stderr=PIPE, text=True, env=environment) as child:
        try:
            lines = []
            while "Ctrl-C" not in (line := child.stdout.readline()):
                assert line, child.stderr.read()
                lines.append(line.rstrip())
            children = children_of(child.pid)
            with urllib.request.urlopen(f"{re.search(r'http://[^ ]+/', line)[0]}api/v1/matches") as answer:
                assert len(json.load(answer)["matches"]) == 4
            child.send_signal(signal.SIGINT)
            rest, err = child.communicate(timeout=PATIENCE)
        finally:
            child.kill()
    assert (child.returncode, err) == (0, "")
    assert not any(map(is_running, children))
    assert list(tmp_path.glob("evilpegs-*")) == []
    lines += [line.rstrip() for line in rest.splitlines()]
    assert sum(line.endswith(" verified") and "NOT" not in line for line in lines) == 4
    assert {line.partition(":")[0] for line in lines} >= {"classic", "classic-evil"}
    shown = {shape(line) for line in promised() if not re.match(r" *(\d+ |not decided yet:)", line)}
    assert len(shown) > 10
    assert shown <= {shape(line) for line in lines}
    assert shape(lines[-1]) == shape(promised()[-1])


def test_terminated_demo_leaves_nothing_behind(start, tmp_path):
    child = start("demo", env=os.environ | {"TMPDIR": str(tmp_path)})
    child.next_line()
    assert "ws://" in child.next_line()
    children = children_of(child.process.pid)
    assert len(children) == 2  # the server, and what ends it with the demo
    assert child.end(signal.SIGTERM).status == 143
    assert not any(map(is_running, children))
    assert list(tmp_path.glob("evilpegs-*")) == []


def children_of(pid):
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
