"""Settings of a server: their sources and the refusal of wrong values."""

import errno
import os
from pathlib import Path

import pytest

from evilpegs.database import server_settings
from evilpegs.errors import CommandError


def test_server_settings_ignore_none():
    assert server_settings(host=None, port=1).host == "127.0.0.1"
    assert server_settings(port=1).port == 1


def test_wrong_option_is_named():
    with pytest.raises(CommandError, match=r"^--port: "):
        server_settings(port=70000)


def test_wrong_variable_is_named(monkeypatch):
    monkeypatch.setenv("EVILPEGS_PORT", "many")
    with pytest.raises(CommandError, match=r"\bEVILPEGS_PORT: "):
        server_settings()


def test_empty_host_variable_is_refused(monkeypatch):
    monkeypatch.setenv("EVILPEGS_HOST", "")
    with pytest.raises(CommandError, match=r"\bEVILPEGS_HOST: "):
        server_settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"port = 'x'", "^port .*evilpegs.toml: "),
        (b"prt = 1", "^prt .*evilpegs.toml: .*host, port, "),
        (b"port = [", "^evilpegs.toml .*TOML: "),
        (b"host = '\xff'", "^evilpegs.toml .*TOML: "),
    ],
)
def test_wrong_settings_file_is_named(text, named):
    Path("evilpegs.toml").write_bytes(text)
    with pytest.raises(CommandError, match=named):
        server_settings()


def test_unreadable_settings_file_is_named():
    Path("evilpegs.toml").symlink_to("/proc/self/mem")  # a file that even root cannot read from its start
    with pytest.raises(CommandError, match=f"^evilpegs.toml .*{os.strerror(errno.EIO)}"):
        server_settings()
