"""Settings of a server: their sources and the refusal of wrong values."""

import errno
import os
from pathlib import Path

import pytest

from evilpegs.database import check_database_file, find_match, server_settings
from evilpegs.errors import CommandError


def test_server_settings_ignore_none():
    assert server_settings(host=None, port=1).host == "127.0.0.1"
    assert server_settings(port=1).port == 1


def test_wrong_option_is_named():
    with pytest.raises(CommandError, match=r"^--port must "):
        server_settings(port=70000)


def test_wrong_variable_is_named(monkeypatch):
    monkeypatch.setenv("EVILPEGS_PORT", "many")
    with pytest.raises(CommandError, match=r"\bEVILPEGS_PORT must "):
        server_settings()


def test_empty_host_variable_is_refused(monkeypatch):
    monkeypatch.setenv("EVILPEGS_HOST", "")
    with pytest.raises(CommandError, match=r"\bEVILPEGS_HOST must "):
        server_settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"port = 'x'", "^port .*evilpegs.toml must "),
        (b"prt = 1", r"^prt .*evilpegs.toml: .*did you mean port\?$"),
        (b"zzzzzz = 1", "^zzzzzz .*evilpegs.toml: .*docs/operate.md"),
        (b"port = [", "^evilpegs.toml .*TOML: "),
        (b"host = '\xff'", "^evilpegs.toml .*TOML: "),
    ],
)
def test_wrong_settings_file_is_named(text, named):
    Path("evilpegs.toml").write_bytes(text)
    with pytest.raises(CommandError, match=named):
        server_settings()


WRONG_VALUES = {
    "port = 70000": ["port", "at most 65535", "70000"],
    "port = 1.5": ["port", "a whole number", "1.5"],
    "site = 'perhaps'": ["site", "true or false", "perhaps"],
    "host = 5": ["host", "a text", "5"],
    "log_level = 'loud'": ["log_level", "debug, info, warning or error", "loud"],
    "cache_bytes = 1": ["cache_bytes", "at least 8388608", "1"],
}


@pytest.mark.parametrize(("text", "facts"), WRONG_VALUES.items(), ids=WRONG_VALUES)
def test_wrong_setting_says_what_it_must_be(text, facts):
    Path("evilpegs.toml").write_text(text)
    with pytest.raises(CommandError) as caught:
        server_settings()
    assert [fact for fact in facts if fact not in str(caught.value)] == []
    assert "nput should" not in str(caught.value)


def test_wrong_password_setting_is_not_shown():
    Path("evilpegs.toml").write_text("mqtt_password = 123456")
    with pytest.raises(CommandError, match=r"^mqtt_password ") as caught:
        server_settings()
    assert "123456" not in str(caught.value)


@pytest.mark.parametrize("url", ["sqlite:///.", "sqlite:///file/below.sqlite3"])
def test_database_in_place_of_directory_is_named(url):
    Path("file").touch()
    with pytest.raises(CommandError, match=r"\bdirectory; .*--database"):
        check_database_file(url)


def test_empty_id_of_match_is_refused():
    with pytest.raises(CommandError, match=r"\bempty\b.*\blast\b"):
        find_match(None, "")


def test_database_file_may_be_new():
    check_database_file("sqlite:///new.sqlite3")


def test_unreadable_settings_file_is_named():
    Path("evilpegs.toml").symlink_to("/proc/self/mem")  # a file that even root cannot read from its start
    with pytest.raises(CommandError, match=f"^evilpegs.toml .*{os.strerror(errno.EIO)}"):
        server_settings()
