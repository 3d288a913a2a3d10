"""The addresses that a server announces to other machines."""

import socket
from dataclasses import replace
from ipaddress import ip_address

import pytest

from evilpegs.commands.serve import find_dangers, greeting
from evilpegs.kit import hosts as addresses
from evilpegs.kit.hosts import reachable_hosts
from evilpegs_server.hosts import PublicAddress
from evilpegs_server.listening import find_game_address, find_site_address
from evilpegs_server.server import RunningServer
from evilpegs_server.settings import Settings

GREETING = "listening on "


def greet(host, site=None):
    return greeting(RunningServer(host, 8765, "sqlite:///x", registry=None, warm=None, site=site)).splitlines()


@pytest.mark.parametrize(
    ("names", "game", "site"),
    [
        ({"site_url": "https://games.example/"}, "wss://games.example/v1", "https://games.example/"),
        ({"site_url": "http://games.example:8000/"}, "ws://games.example:8765/v1", "http://games.example:8000/"),
        ({"game_url": "wss://play.example/v1"}, "wss://play.example/v1", "http://127.0.0.1:8000/"),
    ],
)
def test_outer_addresses_are_announced(names, game, site):
    """They are what players write; the first line still names the port that the proxy must reach."""
    settings = Settings(**names)
    address = replace(find_game_address(settings), port=8765)
    running = RunningServer(
        "127.0.0.1", 8765, "sqlite:///x", None, None, find_site_address(settings, 8000), game=address
    )
    lines = greeting(running, is_behind_proxy=True).splitlines()
    assert lines[:3] == ["listening on ws://127.0.0.1:8765/v1", f"players connect to {game}", f"the site is {site}"]
    assert [line.endswith(f"--server {game}") for line in lines[-3:]] == [True, True, False]


def test_proxy_without_outer_address_is_announced():
    running = RunningServer("127.0.0.1", 8765, "sqlite:///x", None, None, game=PublicAddress("ws", "/v1", 8765))
    assert "site_url" in greeting(running, is_behind_proxy=True).splitlines()[1]
    assert "site_url" not in greeting(running)


@pytest.fixture
def two_addresses(monkeypatch):
    """Let the kernel report two addresses of which others can use, and three that they cannot."""
    found = ["127.0.0.1", "198.51.100.7", "169.254.3.4", "203.0.113.9", "198.51.100.7"]
    monkeypatch.setattr(addresses, "interface_addresses", lambda _: found)
    monkeypatch.setattr(addresses, "address_on_route", lambda *_: ["203.0.113.9"])


@pytest.mark.parametrize("host", ["127.0.0.1", "192.0.2.7", "::1", "localhost"])
def test_reachable_hosts_keep_own_address(host):
    assert reachable_hosts(host) == [host]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_reachable_hosts_replace_wildcard_address(host):
    assert not {"0.0.0.0", "::", "127.0.0.1", "::1"} & set(reachable_hosts(host))


def test_reachable_hosts_are_addresses_of_this_machine():
    for host in reachable_hosts("0.0.0.0"):
        if host != socket.gethostname():
            assert ip_address(host).version == 4
            with socket.create_server((host, 0)) as bound:  # refused for addresses of other machines
                assert bound.getsockname()[0] == host


def test_reachable_hosts_begin_withaddress_on_route(two_addresses):
    assert reachable_hosts("0.0.0.0") == ["203.0.113.9", "198.51.100.7"]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_reachable_hosts_without_network_are_hostname(monkeypatch, host):
    def no_way(*_):
        raise OSError

    monkeypatch.setattr(addresses.socket, "socket", no_way)
    monkeypatch.setattr(addresses, "interface_addresses", lambda _: ["::1", "127.0.0.1"])
    assert reachable_hosts(host) == [socket.gethostname()]


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_reachable_hosts_without_list_are_those_on_route(monkeypatch, host):
    def no_list(*_):
        raise OSError

    monkeypatch.setattr(addresses.Path, "read_text", no_list)
    assert len(reachable_hosts(host)) == 1


def test_interface_addresses_of_several_networks(monkeypatch, tmp_path):
    leaf = "        |-- {}\n           /{}\n"
    local = [leaf.format(*each) for each in (("198.51.100.0", "24 link UNICAST"), ("198.51.100.7", "32 host LOCAL"))]
    (tmp_path / "fib_trie").write_text("Main:\n" + "".join(local) + leaf.format("203.0.113.9", "32 host LOCAL"))
    monkeypatch.setattr(addresses, "_IPV4_ROUTES", tmp_path / "fib_trie")
    assert addresses.interface_addresses(socket.AF_INET) == ["198.51.100.7", "203.0.113.9"]


@pytest.mark.parametrize("family", [socket.AF_INET, socket.AF_INET6])
def test_interface_addresses_without_list_are_unknown(monkeypatch, tmp_path, family):
    for files in ("_IPV4_ROUTES", "_IPV6_ADDRESSES"):
        monkeypatch.setattr(addresses, files, tmp_path / "none")
    assert addresses.interface_addresses(family) == []


@pytest.mark.parametrize(("host", "url"), [("192.0.2.7", "ws://192.0.2.7:8765/v1"), ("::1", "ws://[::1]:8765/v1")])
def test_greeting_shows_url_to_paste(host, url):
    lines = greet(host)
    assert lines[0] == f"{GREETING}{url}"
    assert lines[3].endswith(f" --server {url}")


def test_greeting_lists_every_address(two_addresses):
    text = "\n".join(greet("0.0.0.0", PublicAddress("http", "/", 8000)))
    for host in ("203.0.113.9", "198.51.100.7"):
        assert f"ws://{host}:8765/v1" in text
        assert f"http://{host}:8000/" in text


def test_greeting_names_configured_site_once(two_addresses):
    text = "\n".join(greet("0.0.0.0", PublicAddress("http", "/", 8000, url="https://games.example/")))
    assert text.count("https://games.example/") == 1
    assert "ws://198.51.100.7:8765/v1" in text


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
