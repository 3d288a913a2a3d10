import pytest

from evilpegs_clients.connection.connection import is_loopback, server_url
from evilpegs_clients.errors import ServerUnreachableError, UnreachableReason


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
        "localhost:8765",
        "http://127.0.0.1:8000",
        "ws://",
        "ws://host:port",
        "ws://host:99999",
        "ws://h:0",
        "ws://[::1",
    ],
)
def test_server_url_refuses_other_addresses(text):
    with pytest.raises(ServerUnreachableError, match="ws://HOST:PORT/v1") as caught:
        server_url(text)
    assert caught.value.reason is UnreachableReason.ADDRESS
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_is_loopback_of_local_addresses():
    assert is_loopback("ws://127.0.0.1:1/v1")
    assert is_loopback("ws://localhost:1/v1")
    assert is_loopback("ws://[::1]:1/v1")
    assert not is_loopback("ws://192.168.1.2:1/v1")
    assert not is_loopback("ws://pegs.example/v1")
