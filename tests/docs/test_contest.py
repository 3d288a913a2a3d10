"""docs/contest.md works as it is written, for people with homes of their own and a server in a process of its own."""

import contextlib
import csv
import json
import os
import re
import select
import signal
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.patience import PATIENCE
from support.waiting import wait_until

DOCUMENT = (Path(__file__).parents[2] / "docs" / "contest.md").read_text()
ADDRESS = "ws://192.0.2.10:8765/v1"
DAY = "2026-11-27"
LINES = [
    re.fullmatch(r"(\w+)\$ (.+)", line).groups()
    for block in re.findall(r"```console\n(.*?)```", DOCUMENT, re.DOTALL)
    for line in block.splitlines()
]
SERVE = next(command for _, command in LINES if command.startswith("evilpegs serve"))
CLASS = re.search(r"```text\n(ann\n.*?)```", DOCUMENT, re.DOTALL)[1]
TYPED = "\nresign match\ny\n"
TOKEN_LINE = re.compile(r"^([\w-]+),([0-9a-f]{64})$", re.MULTILINE)
GATED = """
from pathlib import Path

guesses = 0

def choose(position, rng):
    global guesses
    guesses += 1
    gate = Path(__file__).with_name(f"gate{guesses}")
    if gate.exists():
        gate.read_text()  # a pipe: waits for its other end
    return position.first_candidate
"""
"""A bot that waits in the middle of its match, as often as there are gates."""


class Person:
    """A person with a home, whose shell keeps its variables and its directory from one command to the next."""

    def __init__(self, home):
        home.mkdir()
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
        result = self.try_to(command)
        assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
        self.place = Path((self.home / ".place").read_text().strip())
        kept = (self.home / ".environment").read_text().split("\0")
        self.environment |= dict(each.split("=", 1) for each in kept if each.startswith("EVILPEGS_"))
        return result.stdout + result.stderr

    def insist(self, command):
        """Type a command until it succeeds, because the server follows the operator within a second."""
        results = []

        def succeeded():
            results.append(self.try_to(command))
            print(results[-1].stderr)
            return results[-1].returncode == 0

        wait_until(succeeded)
        return results[-1].stdout + results[-1].stderr

    def try_to(self, command):
        """Run a command and return its result."""
        shell = ["bash", "-c", f"{{ {command} && pwd >&3 && env -0 >&4\n}} 3>~/.place 4>~/.environment"]
        return subprocess.run(
            shell,
            cwd=self.place,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            input=TYPED,
            check=False,
        )


class Contest:
    """The people of the document, and the server that the teacher starts on a free port of loopback."""

    def __init__(self, folder):
        self.people = {name: Person(folder / name) for name in ("teacher", "ann", "bob", "cleo", "dan")}
        self.teacher = self.people["teacher"]
        self.teacher.environment |= {"EVILPEGS_PORT": "0", "EVILPEGS_SITE_PORT": "0"}
        self.server, self.url, self.greeting = None, None, []
        self.names, self.match = {}, ""

    def follow(self, name, command):
        """Type a command of the document with the address, the day, the token and the match of this contest."""
        if command == SERVE:
            return self.serve()
        tomorrow = f"{datetime.now().astimezone() + timedelta(days=1):%F}"
        typed = command.replace(ADDRESS, self.url or ADDRESS).replace(DAY, tomorrow).replace("MATCH", self.match)
        typed = re.sub(r"\bTOKEN\b", lambda _: self.token(name), typed)
        if "watch" in typed:
            return self.look(name, typed)
        return self.people[name].insist(typed) if "--round" in typed else self.people[name].type(typed)

    def token(self, name):
        """Return the newest token that the teacher has for a name, in a file or on the screen."""
        known = {}
        for path in sorted(self.teacher.place.glob("*.csv"), key=lambda path: path.stat().st_mtime_ns):
            known |= dict(TOKEN_LINE.findall(path.read_text()))
        return (known | self.names)[name]

    def look(self, name, command):
        """Type a command that shows matches until Ctrl-C, and play until it has shown something."""
        watching = self.people[name].start(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        while not select.select([watching.stdout], [], [], 0)[0]:
            self.people["bob"].type("evilpegs bot minimax --name bob")
        watching.send_signal(signal.SIGINT)
        shown, _ = watching.communicate(timeout=PATIENCE)
        return shown

    def serve(self):
        assert self.server is None
        self.server = self.teacher.start(
            SERVE.replace("0.0.0.0", "127.0.0.1"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.greeting = [self.server.stdout.readline().strip() for _ in range(6)]
        self.url = self.greeting[0].removeprefix("listening on ")
        self.teacher.environment["EVILPEGS_PORT"] = str(urlsplit(self.url).port)  # the same after a restart

    def stop(self, number=signal.SIGINT):
        if self.server is not None:
            self.server.send_signal(number)
            assert self.server.wait(PATIENCE) == (-number if number == signal.SIGKILL else 0)
            self.server.stdout.close()
            self.server = None

    def rounds(self):
        """Return the rounds as the teacher sees them, once the results can be read."""
        result = self.teacher.try_to("evilpegs round status --json")
        return json.loads(result.stdout)["rounds"] if result.returncode == 0 else []


@pytest.fixture
def contest(tmp_path):
    contest = Contest(tmp_path)
    yield contest
    contest.stop()


def play_round_while_server_stops(contest):
    """Let Bob and Dan play the round; the server ends in order twice and is killed while Dan's bot is in a game."""
    contest.people["bob"].insist("evilpegs bot minimax --name bob --round final")
    dan = contest.people["dan"]
    (dan.home / "gated.py").write_text(GATED)
    gates = [dan.home / f"gate{guess}" for guess in (20, 40, 60)]
    for gate in gates:
        os.mkfifo(gate)
    command = f"evilpegs bot gated.py --name dan --token {contest.token('dan')} --round final --server {contest.url}"
    bot = dan.start(f"{command} --json", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for gate, number in zip(gates, (signal.SIGINT, signal.SIGKILL, signal.SIGINT), strict=True):
        with os.fdopen(opened_for_writing(gate), "w"):
            contest.stop(number)
            contest.serve()
    shown, errors = bot.communicate(timeout=PATIENCE)
    assert bot.returncode == 0, errors
    (match,) = json.loads(shown)["matches"]
    assert len(match["games"]) == 20


def opened_for_writing(pipe):
    """Return the open end of a pipe as soon as somebody reads from it."""
    ends = []

    def is_open():
        with contextlib.suppress(OSError):  # nobody reads yet
            ends.append(os.open(pipe, os.O_WRONLY | os.O_NONBLOCK))
        return ends

    wait_until(is_open)
    return ends[0]


def test_contest_document_works_for_everybody(contest):
    teacher = contest.teacher
    for name, command in LINES:
        if "--from class.csv" in command:
            (teacher.place / "class.csv").write_text(CLASS)
        printed = contest.follow(name, command)
        if command == SERVE:
            shown = re.search(r"```text\n(listening.*?)```", DOCUMENT, re.DOTALL)[1].replace(ADDRESS, contest.url)
            lines = [line for line in shown.splitlines() if "site" not in line]
            assert [line for line in contest.greeting if "site" not in line] == lines
        elif "players token" in command:
            contest.names |= dict(TOKEN_LINE.findall(printed))
        elif "players rename" in command:
            before, after = command.split()[-2:]
            contest.names[after] = contest.token(before)
        elif (name, "--round final" in command) == ("ann", True):
            contest.match = re.search(r"match (\w{16}): ann on final, 20 games", printed)[1]
            play_round_while_server_stops(contest)
        elif "round close" in command:
            wait_until(lambda: [each["state"] for each in contest.rounds()] == ["over"])
    with (teacher.place / "final.csv").open(newline="") as file:
        rows = {row["player"]: row for row in csv.DictReader(file)}
    assert {name: row["ended"] for name, row in rows.items()} == dict.fromkeys(("ann", "bob", "cleo", "dan"), "20")
    (reason,) = re.findall(r'round exclude final bob --reason "(.*)"', DOCUMENT)
    assert {name: row["excluded"] for name, row in rows.items()} == {"ann": "", "bob": reason, "cleo": "", "dan": ""}
    counted = {name: (row["games"], row["not_played"]) for name, row in rows.items() if row["place"]}
    assert counted == dict.fromkeys(("ann", "cleo", "dan"), ("20", "0"))
    with (teacher.place / "practice.csv").open(newline="") as file:
        assert {row["player"]: row["games"] for row in csv.DictReader(file)}["ann"] == "100"
    players = json.loads(teacher.try_to("evilpegs players list --json").stdout)["players"]
    assert {"ann", "bob", "cleo"} <= {each["name"] for each in players}
    assert "dan" not in {each["name"] for each in players}


def begin(contest, *names):
    """Start a server in the teacher's home, and give names to players; return Ann, who knows its address."""
    contest.serve()
    if names:
        contest.names = dict(
            TOKEN_LINE.findall(contest.teacher.type(f"evilpegs players add {' '.join(names)} --tokens -"))
        )
    ann = contest.people["ann"]
    ann.type(f"export EVILPEGS_SERVER={contest.url}")
    return ann


def test_contest_killed_bot_finishes_its_match(contest):
    ann = begin(contest)
    (ann.home / "slow.py").write_text(
        "import time\ndef choose(position, rng):\n    time.sleep(0.05)\n    return position.first_candidate\n"
    )
    bot = ann.start("evilpegs bot slow.py --name team", stderr=subprocess.PIPE, text=True)
    assert select.select([bot.stderr], [], [], PATIENCE)[0]
    match = re.match(r"match (\w{16}):", bot.stderr.readline())[1]
    bot.kill()
    bot.communicate(timeout=PATIENCE)
    document = json.loads(ann.try_to("evilpegs bot slow.py --name team --json").stdout)
    assert [each["match"] == match for each in document["matches"]] == [True, False]
    assert {game["outcome"] for each in document["matches"] for game in each["games"]} == {"solved"}


def test_contest_names_are_proved_by_tokens_of_their_server(contest):
    """A token is kept for a name and an address, and is given again for another one."""
    ann, play = begin(contest, "ann"), "evilpegs bot minimax --ladder classic-practice --name"
    token, bob = contest.token("ann"), contest.people["bob"]
    contest.teacher.type("evilpegs players close")
    ann.type(f"{play} ann --token {token}")
    ann.type(f"{play} ann")
    tokens = ann.home / ".local/share/evilpegs/tokens.json"
    assert "~/.local/share/evilpegs/tokens.json" in DOCUMENT
    assert list(json.loads(tokens.read_text())) == [contest.url]
    assert tokens.stat().st_mode & 0o777 == 0o600
    wait_until(lambda: "takes no new names" in bob.try_to(f"{play} late --server {contest.url}").stderr)
    assert bob.try_to(f"{play} ann --server {contest.url}").returncode == 2
    contest.teacher.type("evilpegs players rename ann Zoë")
    assert ann.try_to(f"{play} Zoë").returncode == 2
    ann.insist(f"{play} Zoë --token {token}")
    ann.type(f"{play} Zoë")
    contest.stop()
    contest.teacher.environment["EVILPEGS_PORT"], former = "0", contest.url
    contest.serve()
    assert contest.url != former
    ann.type(f"export EVILPEGS_SERVER={contest.url}")
    assert ann.try_to(f"{play} Zoë").returncode == 2
    ann.type(f"{play} Zoë --token {token}")
