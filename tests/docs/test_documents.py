"""Every command in the documents works, in the order shown, from an empty folder."""

import doctest
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import evilpegs
from evilpegs.main import main
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from support.patience import PATIENCE

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    "README.md",
    "CONTRIBUTING.md",
    "docs/tour.md",
    "docs/feed.md",
    "docs/architecture.md",
    "docs/counting.md",
    "docs/kernels.md",
    "docs/trees.md",
    "docs/evaluation.md",
    "docs/analysis.md",
    "docs/strategies.md",
    "docs/glossary.md",
    "docs/operate.md",
    "docs/page.md",
    "docs/records.md",
    "docs/results.md",
    "docs/scoring.md",
    "protocol/README.md",
]
CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
STRATEGY = re.compile(r'```python\n("""[^`]*?def choose[^`]*)```')
TYPED = {"play": "1122\nhint\nresign\n", "assist": "1122 1,0\nquit\n"}


def commands(document):
    """Return the commands of a document as lists of words."""
    blocks = CONSOLE.findall((ROOT / document).read_text())
    lines = [line for block in blocks for line in block.splitlines()]
    assert all(line.startswith("$ evilpegs ") for line in lines)
    return [shlex.split(line)[2:] for line in lines]


class Newcomer:
    """A reader who types commands in an empty folder, beside a server in a process of its own."""

    def __init__(self, folder, monkeypatch, capsys):
        (strategy,) = STRATEGY.findall((ROOT / "README.md").read_text())
        for name in ("splitter.py", "mine.py"):
            (folder / name).write_text(strategy)
        self.monkeypatch, self.capsys, self.server = monkeypatch, capsys, None
        self.typed = folder.with_suffix(".typed")
        monkeypatch.chdir(folder)
        for name in [name for name in os.environ if name.upper().startswith("EVILPEGS_")]:
            monkeypatch.delenv(name)
        environment = {
            "HOME": folder,
            "XDG_DATA_HOME": folder / "data",
            "EVILPEGS_PORT": "0",
            "EVILPEGS_SITE_PORT": "0",
            "NO_COLOR": "1",
        }
        for name, value in environment.items():
            monkeypatch.setenv(name, str(value))

    def type(self, words):
        if words[0] == "serve":
            self.serve(["127.0.0.1" if word == "0.0.0.0" else word for word in words])
            return
        if words[0] == "show":
            self.show(words)
            return
        self.typed.write_text(TYPED.get(words[0], ""))
        with self.typed.open() as typed:
            self.monkeypatch.setattr("sys.stdin", typed)
            status = main(words)
        out, err = self.capsys.readouterr()
        assert status == 0, f"{words}\n{out}\n{err}"
        assert out.strip(), words
        assert "Traceback" not in err

    def serve(self, words):
        assert self.server is None
        self.server = subprocess.Popen(
            [sys.executable, "-m", "evilpegs", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        line = self.server.stdout.readline()
        *_, url = line.split()
        assert url.startswith("ws://"), line
        self.monkeypatch.setenv("EVILPEGS_SERVER", url)

    def show(self, words):
        with subprocess.Popen([sys.executable, "-m", "evilpegs", *words], stdout=subprocess.PIPE, text=True) as shown:
            assert shown.stdout.readline(), words
            shown.send_signal(signal.SIGTERM)
            assert shown.wait(PATIENCE) == 0

    def stop(self):
        if self.server is not None:
            self.server.send_signal(signal.SIGTERM)
            self.server.communicate(timeout=PATIENCE)
            assert self.server.returncode == 0


@pytest.fixture
def newcomer(tmp_path, monkeypatch, capsys):
    newcomer = Newcomer(tmp_path, monkeypatch, capsys)
    yield newcomer
    newcomer.stop()


@pytest.mark.parametrize("document", DOCUMENTS)
def test_document_commands_work(document, newcomer):
    for words in commands(document):
        newcomer.type(words)


@pytest.mark.parametrize("document", ["README.md", "docs/strategies.md", "docs/agents.md"])
def test_document_python_sessions_run(document):
    results = doctest.testfile(str(ROOT / document), module_relative=False)
    assert results.attempted > 2
    assert results.failed == 0


def test_strategies_document_lists_every_member_of_position():
    text = (ROOT / "docs/strategies.md").read_text()
    (table,) = re.findall(r"\| member \|.*?\n\n", text, re.DOTALL)
    documented = set(re.findall(r"^\| `(\w+)", table, re.MULTILINE))
    position = Position(Rules(2, 2))
    assert documented == {name for name in dir(position) if not name.startswith("_")}


def test_strategy_in_strategies_document_plays():
    (source,) = STRATEGY.findall((ROOT / "docs/strategies.md").read_text())
    namespace = {}
    exec(source, namespace)
    assert evilpegs.evaluate(namespace["choose"], rules="4x6", games=50).max <= 8


POPULAR = """
import numpy as np

def choose(position, rng):
    candidates = position.candidates
    favorites = [np.bincount(column).argmax() for column in candidates]
    likeness = (candidates == np.array(favorites)[:, None]).sum(axis=0)
    return position.candidate(int(likeness.argmax()))
"""
"""The bot of an earlier README, which was no better than the worst built-in strategy."""


def mean_on_classic(source):
    namespace = {}
    exec(source, namespace)
    return evilpegs.evaluate(namespace["choose"], rules="4x6", seed=1).mean


def test_strategy_in_readme_is_short_and_good(tmp_path):
    (source,) = STRATEGY.findall((ROOT / "README.md").read_text())
    assert len(source.splitlines()) <= 20
    assert mean_on_classic(source) < 4.6 < mean_on_classic(POPULAR)
    (tmp_path / "bot.py").write_text(source)
    assert evilpegs.duel(str(tmp_path / "bot.py"), rules="6x10").turns[-1].feedback == (6, 0)


def test_readme_is_short_and_begins_with_a_start():
    """In the first screen: the picture, the three commands and a way for each reader."""
    lines = (ROOT / "README.md").read_text().splitlines()
    assert len(lines) <= 220
    screen = "\n".join(lines[:36])
    starts = re.findall(r"^    (make \w+|pip install)", screen, re.MULTILINE)
    assert starts == ["make demo", "make serve", "pip install"]
    assert screen.index("page.png") < screen.index("make demo")
    rows = re.findall(r"^\|.*\|$", screen, re.MULTILINE)[2:6]
    links = {link for row in rows for link in re.findall(r"\((.*?)\)", row)}
    assert links >= {"docs/page.md", "#a-bot-in-16-lines", "docs/contest.md", "#python"}


def test_readme_shows_difference_of_evil_and_devil(newcomer):
    shown = [words for words in commands("README.md") if words[0] == "solve" and "--against" in words]
    by_rules = {}
    for words in shown:
        main([*words, "--json"])
        solved = json.loads(newcomer.capsys.readouterr().out)
        by_rules.setdefault(solved["rules"], {})[solved["against"]] = solved["guesses"]
    assert by_rules["3x5"] == {"evil": 4, "devil": 5}


def test_documents_show_main_commands():
    shown = {words[0] for document in DOCUMENTS for words in commands(document)}
    assert shown >= {"serve", "play", "bot", "leaderboard", "replay", "verify", "partition"}
    assert shown >= {"evaluate", "duel"}


def test_ci_runs_everything(tmp_path):
    fake = tmp_path / "make"
    fake.write_text('#!/bin/sh\necho "$* with CI=$CI"\n')
    fake.chmod(0o755)
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.defpath}"}
    run = subprocess.run([ROOT / ".ci/run"], env=environment, capture_output=True, text=True, check=True)
    assert run.stdout == "test-all with CI=1\n"
