"""Requests as no client library would send them. Each gets a plain answer or the end of the connection."""

import json
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from support.patience import PATIENCE

HOST = b"Host: localhost\r\n"
CLOSE = b"Connection: close\r\n"


def exchange(site, data):
    """Send bytes; return everything that comes back until the connection ends."""
    address = urlsplit(site.url)
    with socket.create_connection((address.hostname, address.port), PATIENCE) as connection:
        connection.sendall(data)
        received = b""
        try:
            while piece := connection.recv(1 << 16):
                received += piece
        except ConnectionResetError:
            pass
    return received


@pytest.mark.parametrize(
    ("request_line", "headers", "statuses"),
    [
        (b"GET /healthz HTTP/1.0", HOST, {200}),
        (b"GET /healthz HTTP/1.0", b"", {200}),
        (b"GET /healthz HTTP/1.1", CLOSE, {400}),
        (b"GET http://127.0.0.1/healthz HTTP/1.1", HOST + CLOSE, {404}),
        (b"GET /healthz HTTP/1.1", HOST + b"Connection: Upgrade, close\r\nUpgrade: h2c\r\n", {200}),
        (b"GET /healthz HTTP/1.1", HOST + b"Connection: Upgrade, close\r\nUpgrade: websocket\r\n", {200}),
        (b"GET /healthz HTTP/1.1", HOST + CLOSE + b"Expect: 100-continue\r\nContent-Length: 5\r\n", {200}),
        (b"GET /healthz?%ff=%00 HTTP/1.1", HOST + CLOSE, {200}),
        (b"GET /%ff%00 HTTP/1.1", HOST + CLOSE, {404}),
        (b"GET /api/v1/players/%ed%a0%80 HTTP/1.1", HOST + CLOSE, {404}),
        (b"GET /api/v1/matches/%2e%2e%2f HTTP/1.1", HOST + CLOSE, {404}),
        (b"GET /api/v1/matches?\xff=\x80 HTTP/1.1", HOST + CLOSE, {400}),
        (b"GET * HTTP/1.1", HOST + CLOSE, {404}),
        (b"OPTIONS * HTTP/1.1", HOST + CLOSE, {404}),
        (b"CONNECT a:1 HTTP/1.1", HOST + CLOSE, {404}),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n", b"", {400, 404, 405, 421}),
        (b"GET /healthz HTTP/1.1", HOST + CLOSE + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", {200}),
        (b"GET /healthz HTTP/1.1", HOST + CLOSE + b"X: a\x00b\r\n", {400}),
        (b"GET /healthz", HOST, {200, 400}),
        (b"\x16\x03\x01\x02", b"", {400}),
    ],
)
def test_raw_request_is_answered(site, request_line, headers, statuses):
    received = exchange(site, request_line + b"\r\n" + headers + b"\r\n")
    answers = [line for line in received.split(b"\r\n") if line.startswith(b"HTTP/1.1 ") and b" 100 " not in line]
    assert int(answers[-1].split()[1]) in statuses, received
    assert b"Internal Server Error" not in received
    if {200, 400}.isdisjoint(statuses):
        head, _, body = received.partition(b"\r\n\r\n")
        assert b"content-type: application/problem+json" in head.lower()
        assert json.loads(body)["status"] in statuses


def test_options_name_methods(site):
    received = exchange(site, b"OPTIONS / HTTP/1.1\r\n" + HOST + CLOSE + b"\r\n")
    assert b"allow: GET, HEAD\r\n" in received


def test_server_still_answers_after_raw_requests(site, web):
    assert web.get("/readyz").status_code == 200
    assert httpx.get(site.url, timeout=PATIENCE).status_code == 200
