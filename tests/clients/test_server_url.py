import pytest

from evilpegs_clients.errors import ServerUnreachableError
from evilpegs_clients.server_url import is_loopback, server_url


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
def test_a_missing_path_is_version_1(text, url):
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
def test_other_addresses_are_refused_in_one_line(text):
    with pytest.raises(ServerUnreachableError, match=r"write ws://HOST:PORT/v1$"):
        server_url(text)


def test_only_this_machine_is_loopback():
    assert is_loopback("ws://127.0.0.1:1/v1")
    assert is_loopback("ws://localhost:1/v1")
    assert is_loopback("ws://[::1]:1/v1")
    assert not is_loopback("ws://192.168.1.2:1/v1")
    assert not is_loopback("ws://pegs.example/v1")
