"""Hosts that requests may name, and the address of the site."""

import socket

import pytest

from evilpegs_server.hosts import (
    AllowedHosts,
    PublicAddress,
    host_name,
    is_allowed_origin,
    is_local,
    is_loopback,
)


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8000", "localhost"),
        ("localhost:", "localhost"),
        ("[::1]:", "::1"),
        ("example.org.", "example.org"),
        ("127.0.0.1:1", "127.0.0.1"),
        ("[::1]:8000", "::1"),
        ("[::1]", "::1"),
        ("", None),
        ("::1", None),
        ("a b", None),
        ("a/b", None),
        ("user@localhost", None),
        ("localhost:x", None),
        ("localhost::", None),
        (":", None),
        ("localhost:123456", None),
    ],
)
def test_host_name_ignores_case_port_and_last_dot(header, name):
    assert host_name(header) == name


@pytest.mark.parametrize("header", ["localhost:8000", "127.0.0.1", "[::1]:80", "192.0.2.7", "Club.example", "own"])
def test_allowed_hosts_are_found(header):
    assert AllowedHosts(["club.example", "own"]).find([header]) == host_name(header)


@pytest.mark.parametrize(
    "headers",
    [[], ["evil.example"], ["localhost.evil.example"], ["127.0.0.1.evil.example"], ["localhost", "localhost"], ["1"]],
)
def test_other_hosts_are_not_found(headers):
    assert AllowedHosts(["club.example"]).find(headers) is None


def test_machine_and_site_url_are_allowed_hosts():
    hosts = AllowedHosts(["club.example"], "https://Games.example:8443/pegs/")
    machine = socket.gethostname().lower()
    short = machine.partition(".")[0]
    for name in (machine, short, f"{short}.local", "club.example", "games.example"):
        assert hosts.find([name]) == name


SITE = PublicAddress("http", "/", 8000)


@pytest.mark.parametrize(
    ("address", "host", "url"),
    [
        (SITE, "club.example", "http://club.example:8000/"),
        (SITE, "::1", "http://[::1]:8000/"),
        (PublicAddress("http", "/", 8000, host="192.0.2.7"), "localhost", "http://192.0.2.7:8000/"),
        (PublicAddress("http", "/", 8000, "https://games.example/pegs/"), "localhost", "https://games.example/pegs/"),
        (PublicAddress("ws", "/v1"), "localhost", None),
    ],
)
def test_url_follows_setting_then_request(address, host, url):
    assert address.url_for(host) == url


CLUB = AllowedHosts(["club.example"])


def allows(origins, host, site=None, site_url=None):
    return is_allowed_origin(origins, host, CLUB, site, site_url)


@pytest.mark.parametrize(
    ("origin", "is_allowed"),
    [
        ("http://localhost:8000", True),
        ("http://127.0.0.1:8000", True),
        ("http://[::1]:8000", True),
        ("http://Club.example:8000", True),
        ("http://localhost:8765", False),
        ("http://localhost", False),
        ("https://localhost:8000", False),
        ("http://evil.example:8000", False),
        ("https://games.example", True),
        ("https://games.example:443", True),
        ("http://games.example", False),
        ("https://games.example:8443", False),
        ("https://games.example.evil.example", False),
        ("null", False),
        ("", False),
        ("file://", False),
        ("http://localhost:x", False),
        ("http://[::1", False),
        ("chrome-extension://abc", False),
    ],
)
def test_origin_must_be_that_of_site(origin, is_allowed):
    assert allows([origin], "localhost:8766", SITE, "https://games.example/pegs/") is is_allowed


@pytest.mark.parametrize(
    ("origin", "host", "is_allowed"),
    [
        ("http://localhost:8765", "localhost:8765", True),
        ("http://LOCALHOST:8765", "localhost:8765", True),
        ("http://[::1]:8765", "[::1]:8765", True),
        ("http://127.0.0.1", "127.0.0.1", True),
        ("https://club.example", "club.example:443", True),
        ("https://club.example", "club.example", True),
        ("https://club.example", "club.example:", True),
        ("ws://localhost:8765", "localhost:8765", True),
        ("http://localhost:8766", "localhost:8765", False),
        ("http://127.0.0.1:8765", "localhost:8765", False),
        ("http://club.example", "club.example:443", False),
        ("http://evil.example", "club.example", False),
        ("http://club.example@evil.example", "club.example", False),
        ("null", "localhost:8765", False),
    ],
)
def test_origin_may_be_address_of_game(origin, host, is_allowed):
    assert allows([origin], host) is is_allowed


def test_request_without_origin_is_not_from_browser():
    assert allows([], "localhost")
    assert not allows(["http://localhost:8000"], "localhost")
    assert not allows(["http://localhost:8000"] * 2, "localhost:8000", SITE)


def test_secure_site_has_secure_origin_and_url():
    site = PublicAddress("https", "/", 443)
    assert site.url_for("club.example") == "https://club.example:443/"
    assert allows(["https://club.example"], "localhost", site)
    assert not allows(["http://club.example"], "localhost", site)


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("pegs", False)],
)
def test_loopback_hosts_are_this_machine(host, expected):
    assert is_loopback(host) is expected


@pytest.mark.parametrize(
    ("peer", "headers", "expected"),
    [
        ("127.0.0.1", {}, True),
        ("::1", {}, True),
        ("::ffff:127.0.0.1", {}, True),
        ("192.0.2.7", {}, False),
        ("::ffff:192.0.2.7", {}, False),
        ("unix", {}, False),
        ("", {}, False),
        ("127.0.0.1", {"X-Forwarded-For": "192.0.2.7"}, False),
        ("127.0.0.1", {"Forwarded": "for=192.0.2.7"}, False),
        ("127.0.0.1", {"X-Real-IP": "192.0.2.7"}, False),
        ("127.0.0.1", {"X-Forwarded-Proto": "https"}, False),
        ("127.0.0.1", {"Host": "games.example"}, False),
        ("127.0.0.1", {"Host": "192.0.2.7:8000"}, False),
        ("127.0.0.1", {"Host": "[::1]:8000"}, True),
        ("127.0.0.1", {"Host": ""}, False),
    ],
)
def test_local_requests_come_from_this_machine_without_a_proxy(peer, headers, expected):
    assert is_local(peer, {"Host": "localhost"} | headers) is expected


def test_metrics_may_be_asked_of_any_one_host():
    """Whether the client may read them does not depend on the name then."""
    hosts = AllowedHosts()
    assert hosts.allow(["evilpegs_game-1:8765"], "/metrics")
    assert not hosts.allow(["evilpegs_game-1:8765"], "/readyz")
    assert not hosts.allow(["localhost", "localhost"], "/metrics")
    assert not hosts.allow([], "/metrics")
    assert not is_local("127.0.0.1", {"Host": "evilpegs_game-1:8765"})
