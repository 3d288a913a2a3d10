"""The address that other machines are told."""

import socket

import pytest

from evilpegs import addresses
from evilpegs.addresses import reachable_host, server_address


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


def test_addresses():
    assert server_address("192.0.2.7", 8765, "/v1") == "ws://192.0.2.7:8765/v1"
    assert server_address("::1", 8765, "/v1") == "ws://[::1]:8765/v1"
