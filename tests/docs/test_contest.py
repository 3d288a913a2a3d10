"""docs/contest.md works as it is written, for people with homes of their own and a server in a process of its own."""

import json
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.patience import PATIENCE

DOCUMENT = (Path(__file__).parents[2] / "docs" / "contest.md").read_text()
ADDRESS = "ws://192.0.2.10:8765/v1"
LINES = [
    re.fullmatch(r"(\w+)\$ (.+)", line).groups()
    for block in re.findall(r"```console\n(.*?)```", DOCUMENT, re.DOTALL)
    for line in block.splitlines()
]


class Person:
    """A person with a home, whose shell keeps its variables and its directory from one command to the next."""

    def __init__(self, home, shared):
        home.mkdir()
        (home / "stick").symlink_to(shared)
        commands = home / "bin"
        commands.mkdir()
        (commands / "evilpegs").write_text(f'#!/bin/sh\nexec {sys.executable} -m evilpegs "$@"\n')
        (commands / "evilpegs").chmod(0o755)
        self.home, self.place = home, home
        self.environment = {
            "HOME": str(home),
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "LOGNAME": home.name,
        }

    def start(self, command, **pipes):
        return subprocess.Popen(["bash", "-c", f"exec {command}"], cwd=self.place, env=self.environment, **pipes)

    def type(self, command):
        """Run a command and return what it prints; fail unless it succeeds."""
        result = self.try_to(f"{command} && pwd >&3 && env -0 >&4")
        assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        self.place = Path((self.home / ".place").read_text().strip())
        kept = (self.home / ".environment").read_text().split("\0")
        self.environment |= dict(each.split("=", 1) for each in kept if each.startswith("EVILPEGS_"))
        return result.stdout

    def try_to(self, command):
        """Run a command and return its result."""
        shell = ["bash", "-c", f"{{ {command}\n}} 3>~/.place 4>~/.environment"]
        return subprocess.run(
            shell,
            cwd=self.place,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
            check=False,
        )


class Contest:
    """The people of the document, and the server that the teacher starts on a free port of loopback."""

    def __init__(self, folder):
        (folder / "shared").mkdir()
        self.people = {name: Person(folder / name, folder / "shared") for name in ("teacher", "ann", "bob", "laptop")}
        self.people["teacher"].environment |= {"EVILPEGS_PORT": "0", "EVILPEGS_SITE_PORT": "0"}
        self.server, self.url, self.greeting = None, None, []

    def follow(self, name, command):
        """Type a command of the document, with the address of this server in place of the one in the document."""
        person = self.people[name]
        if "evilpegs serve" in command:
            return self.serve(command.replace("0.0.0.0", "127.0.0.1"))
        return person.type(command.replace(ADDRESS, self.url or ADDRESS))

    def serve(self, command):
        assert self.server is None
        self.server = self.people["teacher"].start(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.greeting = [self.server.stdout.readline().strip() for _ in range(6)]
        self.url = self.greeting[0].removeprefix("listening on ")
        return "\n".join(self.greeting)

    def stop(self):
        if self.server is not None:
            self.server.send_signal(signal.SIGINT)
            assert self.server.wait(PATIENCE) == 0
            self.server.stdout.close()
            self.server = None


@pytest.fixture
def contest(tmp_path):
    contest = Contest(tmp_path)
    yield contest
    contest.stop()


SERVE = next(command for _, command in LINES if command.startswith("evilpegs serve"))


def test_contest_document_works_for_everybody(contest):
    printed = {(name, command): contest.follow(name, command) for name, command in LINES}
    shown = re.search(r"```text\n(listening.*?)```", DOCUMENT, re.DOTALL)[1].replace(ADDRESS, contest.url).splitlines()
    assert [line for line in contest.greeting if "site" not in line] == [line for line in shown if "site" not in line]
    shows = next(command for _, command in LINES if command.startswith("evilpegs leaderboard"))
    document = json.loads(contest.people["teacher"].type(f"{shows} --json"))
    games = {row["player"]: row["games"] for row in document["ladders"][0]["rows"]}
    assert games == {"ann-team": 100, "bob-team": 110}
    assert any("guesses per game" in text for (_, command), text in printed.items() if "--games 100" in command)


def begin(contest):
    """Start a server, and let Ann claim a name with a practice match; return Ann."""
    contest.follow("teacher", SERVE)
    person = contest.people["ann"]
    person.type(f"export EVILPEGS_SERVER={contest.url} && evilpegs bot minimax --name team --ladder classic-practice")
    return person


def test_contest_killed_bot_finishes_its_match(contest):
    contest.follow("teacher", SERVE)
    ann = contest.people["ann"]
    ann.type(f"export EVILPEGS_SERVER={contest.url}")
    (ann.home / "slow.py").write_text(
        "import time\ndef choose(position, rng):\n    time.sleep(0.05)\n    return position.first_candidate\n"
    )
    bot = ann.start("evilpegs bot slow.py --name team", stderr=subprocess.PIPE, text=True)
    assert select.select([bot.stderr], [], [], PATIENCE)[0]
    match = re.match(r"match (\w{16}):", bot.stderr.readline())[1]
    bot.kill()
    bot.communicate(timeout=PATIENCE)
    document = json.loads(ann.type("evilpegs bot slow.py --name team --json"))
    assert [each["match"] == match for each in document["matches"]] == [True, False]
    assert {game["outcome"] for each in document["matches"] for game in each["games"]} == {"solved"}


def test_contest_token_is_where_document_says(contest):
    ann = begin(contest)
    tokens = ann.home / ".local/share/evilpegs/tokens.json"
    assert "~/.local/share/evilpegs/tokens.json" in DOCUMENT
    assert list(json.loads(tokens.read_text())) == [contest.url]
    assert tokens.stat().st_mode & 0o777 == 0o600
    stranger = contest.people["bob"].try_to(f"evilpegs bot minimax --name team --server {contest.url}")
    assert stranger.returncode == 2
    assert "taken" in stranger.stderr


def test_contest_closed_registration_keeps_known_names(contest):
    ann, address = begin(contest), contest.url
    contest.stop()
    contest.follow("teacher", f"{SERVE} --registration closed")
    assert contest.url != address
    play = "evilpegs bot minimax --ladder classic-practice"
    elsewhere = ann.try_to(f"{play} --name team --server {contest.url}")
    assert elsewhere.returncode == 2
    command = re.search(r"```text\n(evilpegs bot .*--token-from .*)\n```", DOCUMENT)[1]
    there = command.replace(ADDRESS, address).replace("ws://192.0.2.20:8765/v1", contest.url)
    ann.type(there.replace("--name bob-team", "--name team --ladder classic-practice"))
    ann.type(f"{play} --name team --server {contest.url}")
    late = contest.people["bob"].try_to(f"{play} --name late --server {contest.url}")
    assert late.returncode == 2
    assert "this server takes no new names; use the name you registered" in late.stderr
