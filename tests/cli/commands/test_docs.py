"""`evilpegs docs` in this repository; `tests/repository/test_container.py` tries it in an installation."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
TEXTS = [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*_*.*")]


def test_every_text_is_listed(run):
    listed = [line.split()[0] for line in run("docs").out.splitlines()[2:]]
    names = [path.stem.lower() if path.suffix == ".md" else path.name for path in TEXTS]
    assert len(names) > 20
    assert sorted(listed) == sorted([*names, "protocol"])


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("protocol", "protocol/README.md"),
        ("CONTRIBUTING", "CONTRIBUTING.md"),
        ("trees", "docs/trees.md"),
        ("minimal_bot.js", "examples/minimal_bot.js"),
    ],
)
def test_text_is_printed_as_it_is(run, name, path):
    assert run("docs", name).out == (ROOT / path).read_text()


def test_page_is_rendered_on_terminal():
    person, terminal = os.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "evilpegs", "docs", "trees"], stdout=terminal, env=os.environ | {"PAGER": "cat"}
    ) as child:
        os.close(terminal)
        text = b""
        with contextlib.suppress(OSError):  # the terminal has gone with the child
            while piece := os.read(person, 4096):
                text += piece
    os.close(person)
    assert child.returncode == 0
    assert b"Strategy trees and certificates" in text
    assert b"# Strategy trees" not in text
