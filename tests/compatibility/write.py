"""Write the files that a version of evilpegs leaves behind, for later versions to open: `python write.py DIRECTORY`.

It uses the command line and the protocol alone, so it runs on any version. It writes:

* ``evilpegs.sqlite3`` and its write-ahead log: finished matches, then three open ones of a server that was killed,
* ``evilpegs.sqlite3.solved``: the positions that the devil solved,
* ``tokens.json``: the tokens of the players,
* ``fixed.jsonl``, ``evil.jsonl``, ``devil.jsonl``: the record of one match against each codemaker,
* ``proof.journal``: an interrupted proof of the optimal strategy of 4x7,
* ``evaluation.journal``: a finished evaluation,
* ``expected.json``: what this version says about all of that.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from websockets.sync.client import connect

LADDERS = {"fixed": "classic", "evil": "classic-evil", "devil": "classic-devil"}
OPENING = ["1122", "1344", "2536"]
NAME = "walker"


class Writer:
    """A directory being filled by the commands of one version."""

    def __init__(self, directory):
        self.directory = Path(directory).resolve()
        self.home = Path(tempfile.mkdtemp())
        self.environment = os.environ | {"XDG_DATA_HOME": str(self.home)}
        self.database = f"sqlite:///{self.directory / 'evilpegs.sqlite3'}"
        self.expected = {}

    def run(self, *arguments):
        """Run a command; return its JSON document if it was asked for one."""
        command = [sys.executable, "-m", "evilpegs", *map(str, arguments)]
        done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout) if "--json" in arguments else None

    def serve(self, port):
        """Start a server; return its process and its address."""
        command = [sys.executable, "-m", "evilpegs", "serve", "--port", str(port), "--database", self.database]
        process = subprocess.Popen(command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        url = process.stdout.readline().decode().split()[-1]
        return process, url

    def play_finished_matches(self):
        """Let a bot play one match on each ladder, stop the server in order, and export the records."""
        server, url = self.serve(0)
        matches = {}
        for codemaker, ladder in LADDERS.items():
            played = self.run("bot", "minimax", "--server", url, "--ladder", ladder, "--name", "minimax", "--json")
            matches[codemaker] = played["matches"][0]["match"]
        self.run("bot", "first-consistent", "--server", url, "--ladder", "classic-blitz", "--name", NAME, "--json")
        server.send_signal(signal.SIGTERM)
        server.wait()
        for codemaker, match in matches.items():
            self.run("replay", match, "--record", self.directory / f"{codemaker}.jsonl", "--database", self.database)
        self.expected["finished"] = matches
        return urlsplit(url).port

    def leave_open_matches(self, port):
        """Play two turns of a match on each ladder and kill the server."""
        server, url = self.serve(port)
        token = json.loads((self.home / "evilpegs" / "tokens.json").read_text())[url][NAME][0]
        self.expected |= {"url": url, "name": NAME, "open": {}}
        with connect(url, compression=None) as socket:
            talk(socket, "welcome", type="hello", token=token, client={"name": "walker", "version": "1"})
            for codemaker, ladder in LADDERS.items():
                self.expected["open"][codemaker] = open_match(socket, ladder)
        server.kill()
        server.wait()
        shutil.copy(self.home / "evilpegs" / "tokens.json", self.directory)

    def write_proof(self):
        """Begin a proof and interrupt it once something is known."""
        path = self.directory / "proof.journal"
        solve = [sys.executable, "-m", "evilpegs", "solve", "--rules", "4x7", "--journal", str(path), "--threads", "1"]
        process = subprocess.Popen(solve, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not (path.exists() and len(path.read_text().splitlines()) > 10):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        process.wait()

    def write_evaluation(self):
        """Finish an evaluation whose journal is kept."""
        path = self.directory / "evaluation.journal"
        found = self.run(
            *("evaluate", "random-consistent", "--rules", "4x4", "--games", 3000, "--seed", 7, "--jobs", 2),
            *("--journal", path, "--json"),
        )
        self.expected["evaluation"] = found

    def write_expected(self):
        """Ask this version, on a copy of the database, what it says about all of that."""
        copy = self.home / "copy"
        shutil.copytree(self.directory, copy)
        database = f"sqlite:///{copy / 'evilpegs.sqlite3'}"
        matches = {**self.expected["finished"], **{f"open-{k}": v["match"] for k, v in self.expected["open"].items()}}
        self.expected["replay"] = {
            match: self.run("replay", match, "--no-analysis", "--database", database, "--json")
            for match in matches.values()
        }
        self.expected["leaderboard"] = self.run("leaderboard", "--database", database, "--json")
        path = self.directory / "expected.json"
        path.write_text(json.dumps(self.expected, indent=1) + "\n")


def talk(socket, *types, **message):
    """Send a message and return the next one of these types."""
    socket.send(json.dumps(message))
    while True:
        heard = json.loads(socket.recv(60))
        if heard["type"] in types:
            return heard


def open_match(socket, ladder):
    """Begin a match, play the opening, and return where it stands."""
    match = talk(socket, "match_started", type="play", ladder=ladder)["match"]
    talk(socket, "turn", type="ready", match=match, game=1, nonce="walker-nonce")
    history = []
    for turn, code in enumerate(OPENING, 1):
        heard = talk(socket, "feedback", type="guess", match=match, game=1, turn=turn, code=code)
        history.append([code, heard["black"], heard["white"]])
    return {"match": match, "game": 1, "turn": len(OPENING) + 1, "seq": heard["seq"], "history": history}


def main():
    """Fill the directory."""
    writer = Writer(sys.argv[1])
    writer.directory.mkdir(parents=True)
    port = writer.play_finished_matches()
    writer.leave_open_matches(port)
    writer.write_proof()
    writer.write_evaluation()
    writer.write_expected()


if __name__ == "__main__":
    main()
