"""The address that a server announces to other machines."""

import socket

import pytest

from evilpegs.commands import serve as addresses
from evilpegs.commands.demo.server import GREETING
from evilpegs.commands.serve import greeting, reachable_host
from evilpegs_server.server import RunningServer


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
