"""Commands at a server whose texts try to command the terminal."""

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.server import serve

from evilpegs.output import print_json
from support.patience import PATIENCE

HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202e\x9b31m"


class HostileSite(BaseHTTPRequestHandler):
    """A site that refuses every request with a text for the terminal."""

    def do_GET(self):
        self.send_response(400)
        self.end_headers()
        self.wfile.write(json.dumps({"detail": HOSTILE}).encode())

    def log_message(self, *_):
        """Print nothing."""


def reply(request, site):
    """Return the messages with which the hostile server answers a request."""
    notice = {"type": "notice", "kind": "draining", "message": HOSTILE}
    if request["type"] == "hello":
        limits = {"frame_bytes": 4096, "nesting": 8, "open_matches": 8, "requests_per_second": 100}
        welcome = {"type": "welcome", "player": "ann", "kind": "bot", "token": "ab" * 32, "open": [], "ladders": []}
        return [welcome | {"limits": limits, "server": {"name": "x", "version": "1", "site": site}}, notice]
    return [{"type": "error", "code": "unknown_ladder", "message": HOSTILE, "fatal": False}]


def refuse(request, _site):
    return [{"type": "error", "code": "bad_name", "message": HOSTILE, "fatal": True}]


@pytest.fixture(scope="module")
def hostile_servers():
    """The addresses of a server for each function that answers requests."""
    site = HTTPServer(("127.0.0.1", 0), HostileSite)
    servers = {answer: serve_with(answer, f"http://127.0.0.1:{site.server_port}/") for answer in (reply, refuse)}
    threads = [threading.Thread(target=each.serve_forever) for each in (site, *servers.values())]
    for thread in threads:
        thread.start()
    yield {answer: f"ws://127.0.0.1:{server.socket.getsockname()[1]}/v1" for answer, server in servers.items()}
    for server in (site, *servers.values()):
        server.shutdown()
    for thread in threads:
        thread.join(PATIENCE)
    site.server_close()


def serve_with(answer, site):
    def converse(socket):
        try:
            for text in socket:
                request = json.loads(text)
                for number, message in enumerate(answer(request, site)):
                    socket.send(json.dumps(message if number else message | {"re": request["id"]}))
        except ConnectionClosed:
            pass

    return serve(converse, "127.0.0.1", 0, subprotocols=["evilpegs.v1"], compression=None)


READERS = [["leaderboard", "classic"], ["replay", "last"], ["watch"], ["feed"]]


@pytest.mark.parametrize("command", [["bot", "minimax"], ["play"], ["ladders"], *READERS])
@pytest.mark.parametrize("answer", [reply, refuse])
def test_hostile_text_is_printed_clean(run, hostile_servers, monkeypatch, command, answer):
    with Path(os.devnull).open() as typed:
        monkeypatch.setattr("sys.stdin", typed)
        result = run(*command, "--server", hostile_servers[answer])
    printed = result.out + result.err
    assert all(symbol.isprintable() or symbol == "\n" for symbol in printed)
    assert ("owned" in printed) is (command != ["ladders"] or answer is refuse)
    assert "Traceback" not in printed


def test_json_escapes_hostile_text(capsys):
    print_json({"what": HOSTILE + "ü\ud800"})
    printed = capsys.readouterr().out
    assert printed.removesuffix("\n").isprintable()
    assert "ü" in printed
    assert json.loads(printed) == {"what": HOSTILE + "ü\ud800"}
