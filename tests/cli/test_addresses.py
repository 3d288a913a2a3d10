"""The address that other machines are told."""

import socket

import pytest

from evilpegs import addresses
from evilpegs.addresses import reachable_host
from evilpegs.commands.serve import _announce
from evilpegs_server.service import RunningServer


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7", "::1", "localhost"])
def test_an_address_of_its_own_is_told_as_it_is(host):
    assert reachable_host(host) == host


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_everywhere_is_told_as_an_address_one_can_type(host):
    assert reachable_host(host) not in {"0.0.0.0", "::"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_without_a_way_out_it_is_the_hosts_name(monkeypatch, host):
    def no_way(*_):
        raise OSError

    monkeypatch.setattr(addresses.socket, "socket", no_way)
    assert reachable_host(host) == socket.gethostname()


@pytest.mark.parametrize(("host", "url"), [("192.0.2.7", "ws://192.0.2.7:8765/v1"), ("::1", "ws://[::1]:8765/v1")])
def test_the_greeting_has_it_as_clients_paste_it(capsys, host, url):
    _announce(RunningServer(host, 8765, "sqlite:///x", lobby=None, warm=None))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"listening on {url}"
    assert lines[3].endswith(f" --server {url}")
