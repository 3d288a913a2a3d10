import pytest

from evilpegs_clients.connection.connection import server_url, server_urls
from evilpegs_clients.connection.proxies import is_loopback_url
from evilpegs_game.errors import MalformedError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("ws://127.0.0.1:8765/v1", "ws://127.0.0.1:8765/v1"),
        (" ws://pegs.example:8765 ", "ws://pegs.example:8765/v1"),
        ("wss://pegs.example/", "wss://pegs.example/v1"),
        ("ws://[::1]:8765", "ws://[::1]:8765/v1"),
        ("ws://pegs.example/deep/v1", "ws://pegs.example/deep/v1"),
    ],
)
def test_server_url_adds_path(text, url):
    assert server_url(text) == url


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "http://127.0.0.1",
        "http://me@127.0.0.1:8765",
        "ws://",
        "ws://host:port",
        "ws://[::1",
    ],
)
def test_server_url_refuses_other_addresses(text):
    with pytest.raises(MalformedError, match="ws://HOST:PORT/v1") as caught:
        server_url(text)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_several_addresses_are_split_at_commas():
    typed = "wss://a.example, ws://[::1]:8765/v1"
    assert server_urls(typed) == ["wss://a.example/v1", "ws://[::1]:8765/v1"]
    assert server_url(typed) == "wss://a.example/v1"


@pytest.mark.parametrize("wrong", ["", "b.example", "ws://"])
def test_wrong_one_of_several_addresses_is_quoted(wrong):
    with pytest.raises(MalformedError) as caught:
        server_url(f"wss://a.example,{wrong}")
    assert repr(wrong) in str(caught.value)
    assert "a.example" not in str(caught.value)


def test_password_in_a_wrong_address_is_not_shown():
    with pytest.raises(MalformedError) as caught:
        server_url("ws://ann:se@cret@127.0.0.1:8765/v1")
    assert "cret" not in str(caught.value)
    assert "***@127.0.0.1" in str(caught.value)


def test_is_loopback_of_local_addresses():
    assert is_loopback_url("ws://127.0.0.1:1/v1")
    assert is_loopback_url("ws://127.9.8.7:1/v1")
    assert is_loopback_url("ws://localhost:1/v1")
    assert is_loopback_url("ws://LocalHost.:1/v1")
    assert is_loopback_url("ws://[::1]:1/v1")
    for host in ("127.1", "2130706433", "0x7f.1", "[::ffff:127.0.0.1]", "pegs.localhost", "0.0.0.0", "[::]"):
        assert is_loopback_url(f"ws://{host}:1/v1")
    assert not is_loopback_url("ws://localhost.example/v1")
    assert not is_loopback_url("ws://192.168.1.2:1/v1")
    assert not is_loopback_url("ws://pegs.example/v1")


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        ("localhost:8765", "ws://localhost:8765/v1"),
        ("http://127.0.0.1:8765", "ws://127.0.0.1:8765/v1"),
        ("http://127.0.0.1:8765/v1", "ws://127.0.0.1:8765/v1"),
        ("https://pegs.example:443/", "wss://pegs.example:443/v1"),
        ("[::1]:8765", "ws://[::1]:8765/v1"),
    ],
)
def test_server_url_names_address_with_scheme(text, instead):
    with pytest.raises(MalformedError) as caught:
        server_url(text)
    assert str(caught.value) == f"not the address of a server: {text!r}; write {instead}"


@pytest.mark.parametrize("port", ["0", "65536", "99999", "9" * 20])
@pytest.mark.parametrize("rest", ["", "/v1"])
def test_server_url_names_port_out_of_range(port, rest):
    with pytest.raises(MalformedError, match=f"^port {port} is not 1 to 65535$"):
        server_url(f"ws://host:{port}{rest}")
