"""What is said of settings that will not do, and where they come from."""

from pathlib import Path

import pytest

from evilpegs.errors import CommandError
from evilpegs.server_settings import server_settings


def test_none_is_not_given():
    assert server_settings(host=None, port=1).host == "127.0.0.1"
    assert server_settings(port=1).port == 1


def test_a_wrong_option():
    with pytest.raises(CommandError, match=r"^--port: "):
        server_settings(port=70000)


def test_a_wrong_environment(monkeypatch):
    monkeypatch.setenv("EVILPEGS_PORT", "many")
    with pytest.raises(CommandError, match=r"^environment variable EVILPEGS_PORT: "):
        server_settings()


def test_an_empty_host_is_not_every_address(monkeypatch):
    monkeypatch.setenv("EVILPEGS_HOST", "")
    with pytest.raises(CommandError, match=r"^environment variable EVILPEGS_HOST: must not be empty"):
        server_settings()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"port = 'x'", "^port in evilpegs.toml: "),
        (b"prt = 1", "^prt in evilpegs.toml: there is no such setting; there are host, port, "),
        (b"port = [", "^evilpegs.toml is not TOML: "),
        (b"host = '\xff'", "^evilpegs.toml is not TOML: "),
    ],
)
def test_a_wrong_file(text, says):
    Path("evilpegs.toml").write_bytes(text)
    with pytest.raises(CommandError, match=says):
        server_settings()


def test_a_file_that_cannot_be_read(monkeypatch):
    def refused(**_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("evilpegs.server_settings.Settings", refused)
    with pytest.raises(CommandError, match=r"^evilpegs.toml cannot be read: Permission denied"):
        server_settings()
