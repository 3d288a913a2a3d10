"""The address that a server announces to other machines."""

import socket

import pytest

from evilpegs.commands import serve as addresses
from evilpegs.commands.demo.server import GREETING
from evilpegs.commands.serve import find_dangers, greeting, reachable_host
from evilpegs_server.server import RunningServer
from evilpegs_server.settings import Settings


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7", "::1", "localhost"])
def test_reachable_host_keeps_own_address(host):
    assert reachable_host(host) == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_reachable_host_replaces_wildcard_address(host):
    assert reachable_host(host) not in {"0.0.0.0", "::"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_reachable_host_without_route_is_hostname(monkeypatch, host):
    def no_way(*_):
        raise OSError

    monkeypatch.setattr(addresses.socket, "socket", no_way)
    assert reachable_host(host) == socket.gethostname()


@pytest.mark.parametrize(("host", "url"), [("192.0.2.7", "ws://192.0.2.7:8765/v1"), ("::1", "ws://[::1]:8765/v1")])
def test_greeting_shows_url_to_paste(host, url):
    lines = greeting(RunningServer(host, 8765, "sqlite:///x", registry=None, warm=None)).splitlines()
    assert lines[0] == f"{GREETING}{url}"
    assert lines[3].endswith(f" --server {url}")


def test_greeting_of_secure_server_names_wss():
    running = RunningServer("192.0.2.7", 8765, "sqlite:///x", registry=None, warm=None, is_secure=True)
    assert greeting(running).splitlines()[0] == f"{GREETING}wss://192.0.2.7:8765/v1"


@pytest.mark.parametrize(
    ("options", "is_root", "words"),
    [
        ({}, False, []),
        ({"host": "::1"}, False, []),
        ({"host": "0.0.0.0"}, False, ["clear"]),
        ({"host": "192.0.2.7"}, False, ["clear"]),
        ({"host": "0.0.0.0", "tls_cert": "cert.pem"}, False, []),
        ({"host": "0.0.0.0", "site_url": "https://games.example/"}, False, []),
        ({"host": "0.0.0.0", "site_url": "http://games.example/"}, False, ["clear"]),
        ({}, True, ["root"]),
        ({"host": "0.0.0.0"}, True, ["clear", "root"]),
    ],
)
def test_dangers_are_named_in_one_line_each(options, is_root, words):
    dangers = find_dangers(Settings(**options), is_root=is_root)
    assert len(dangers) == len(words)
    assert all(word in danger for word, danger in zip(words, dangers, strict=True))
    assert all(danger.isprintable() for danger in dangers)
