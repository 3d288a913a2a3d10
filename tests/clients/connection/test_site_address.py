"""A site says where its game is; what is none is refused in one line."""

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from evilpegs_clients.connection.site_address import game_address
from evilpegs_clients.errors import ServerUnreachableError


@contextmanager
def site(status, body):
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self):
            found = self.path == "/here/api/v1/game"
            self.send_response(status if found else 404)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/here/"
        server.shutdown()


def test_site_names_its_game():
    with site(200, '{"url": "wss://play.example/v1", "subprotocol": "evilpegs.v1"}') as url:
        assert game_address(url) == game_address(url.rstrip("/")) == "wss://play.example/v1"


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, ""),
        (200, "no JSON"),
        (200, "[]"),
        (200, "{}"),
        (200, '{"url": null}'),
        (200, '{"url": "http://x"}'),
        (200, '{"url": "\\u001b[2J"}'),
        (500, '{"url": "ws://x/v1"}'),
    ],
)
def test_what_is_no_site_is_refused_in_one_line(status, body):
    with site(status, body) as url, pytest.raises(ServerUnreachableError) as caught:
        game_address(url)
    assert str(caught.value).isprintable()
    assert all(part in str(caught.value) for part in (url, "ws://HOST:PORT/v1"))


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://", "http://[", "http://x:0/", "http://a b/"])
def test_where_nobody_answers_is_refused_in_one_line(url):
    with pytest.raises(ServerUnreachableError) as caught:
        game_address(url)
    assert "ws://HOST:PORT/v1" in str(caught.value)
