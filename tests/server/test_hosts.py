"""Hosts that requests may name, and the address of the site."""

import pytest

from evilpegs_server.hosts import AllowedHosts, SiteAddress, allowed_hosts, host_name, machine_names


@pytest.mark.parametrize(
    ("header", "name"),
    [
        ("localhost", "localhost"),
        ("LocalHost:8000", "localhost"),
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
    hosts = allowed_hosts(["club.example"], "https://Games.example:8443/pegs/")
    for name in (*machine_names(), "club.example", "games.example"):
        assert hosts.find([name]) == name


@pytest.mark.parametrize(
    ("address", "host", "url"),
    [
        (SiteAddress(8000), "club.example", "http://club.example:8000/"),
        (SiteAddress(8000), "::1", "http://[::1]:8000/"),
        (SiteAddress(8000, host="192.0.2.7"), "localhost", "http://192.0.2.7:8000/"),
        (SiteAddress(8000, "https://games.example/pegs"), "localhost", "https://games.example/pegs/"),
        (SiteAddress(8000, "https://games.example/"), "localhost", "https://games.example/"),
    ],
)
def test_site_url_follows_setting_then_request(address, host, url):
    assert address.url_for(host) == url


def test_base_path_is_that_of_site_url():
    assert SiteAddress(1, "https://games.example/pegs/").base_path == "/pegs"
    assert SiteAddress(1, "https://games.example").base_path == ""
    assert SiteAddress(1).base_path == ""
