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


@pytest.fixture
def hostile_server():
    """Serve with a function that answers requests, and return the address."""
    site = HTTPServer(("127.0.0.1", 0), HostileSite)
    servers = [(site, threading.Thread(target=site.serve_forever))]
    servers[0][1].start()

    def start(answer):
        def converse(socket):
            try:
                for text in socket:
                    request = json.loads(text)
                    for number, message in enumerate(answer(request, f"http://127.0.0.1:{site.server_port}/")):
                        socket.send(json.dumps(message if number else message | {"re": request["id"]}))
            except ConnectionClosed:
                pass

        server = serve(converse, "127.0.0.1", 0, subprotocols=["evilpegs.v1"], compression=None)
        servers.append((server, threading.Thread(target=server.serve_forever)))
        servers[-1][1].start()
        return f"ws://127.0.0.1:{server.socket.getsockname()[1]}/v1"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join(PATIENCE)
    site.server_close()


READERS = [["leaderboard", "classic"], ["replay", "last"], ["watch"], ["feed"]]


@pytest.mark.parametrize("command", [["bot", "minimax"], ["play"], ["ladders"], *READERS])
@pytest.mark.parametrize("answer", [reply, refuse])
def test_hostile_text_is_printed_clean(run, hostile_server, monkeypatch, command, answer):
    with Path(os.devnull).open() as typed:
        monkeypatch.setattr("sys.stdin", typed)
        result = run(*command, "--server", hostile_server(answer))
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
