"""Settings of a server: their sources and the refusal of wrong values."""

import errno
import os
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evilpegs.database import check_database_file, find_match, server_settings
from evilpegs.errors import CommandError
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.settings import Settings


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


def test_empty_variable_is_not_blamed(monkeypatch):
    monkeypatch.setenv("EVILPEGS_PORT", "")
    Path("evilpegs.toml").write_text("port = 'x'")
    with pytest.raises(CommandError, match=r"^port in evilpegs\.toml must "):
        server_settings()


def test_empty_option_is_refused():
    with pytest.raises(CommandError, match=r"^--host must "):
        server_settings(host="")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        (b"port = 'x'", "^port .*evilpegs.toml must "),
        (b"prt = 1", r"^prt .*evilpegs.toml: .*did you mean port\?$"),
        (b"zzzzzz = 1", "^zzzzzz .*evilpegs.toml: .*docs/operate.md"),
        (b"port = [", "^evilpegs.toml .*TOML: "),
        (b"\nhost = '\xff'", "^evilpegs.toml: line 2 .*UTF-8"),
        ("port = 1".encode("utf-16"), "^evilpegs.toml: .*UTF-16.* UTF-8"),
    ],
)
def test_wrong_settings_file_is_named(text, named):
    Path("evilpegs.toml").write_bytes(text)
    with pytest.raises(CommandError, match=named):
        server_settings()


def test_settings_file_may_begin_with_byte_order_mark():
    Path("evilpegs.toml").write_bytes(b"\xef\xbb\xbfport = 9\r\n")
    assert server_settings().port == 9


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


@pytest.mark.parametrize("name", Settings.model_fields)
def test_refused_value_of_any_setting_is_quoted(name):
    refused = []
    for value in ("'/no such value/ 4711'", "[4711]", "{ a = 4711 }", "-4711", "4711.5"):
        Path("evilpegs.toml").write_text(f"{name} = {value}")
        try:
            server_settings()
        except CommandError as error:
            refused.append(str(error))
    assert refused
    assert {"4711" in line for line in refused} == {name != "mqtt_password"}
    assert not any("nput " in line for line in refused)


@pytest.mark.parametrize("name", ["database", "mqtt"])
def test_password_in_refused_address_is_not_shown(name):
    Path("evilpegs.toml").write_text(f"{name} = ['mqtt://ann:4711@host']")
    with pytest.raises(CommandError, match=f"^{name} ") as caught:
        server_settings()
    assert "4711" not in str(caught.value)


FRIDAY = {"rules": "'4x6'", "codemaker": "'fixed'", "clock": "'60+1'", "guess_limit": "10"}
WRONG_LADDERS = {
    "id": ("[ladders.Friday]", {}, "ladders.Friday in", ["'Friday'", "a-z", "39"]),
    "long id": (f"[ladders.{'x' * 41}]", {}, "ladders.x", ["xxx'", "39"]),
    "built-in": ("[ladders.classic]", {}, "ladders.classic in", ["built-in", "another"]),
    "no rules": ("[ladders.friday]", {"rules": None}, "ladders.friday.rules in", ["missing", "docs/operate.md"]),
    "rules": ("[ladders.friday]", {"rules": "'4y6'"}, "ladders.friday.rules in", ["'4y6'", "4x6"]),
    "number as rules": ("[ladders.friday]", {"rules": "46"}, "ladders.friday.rules in", ["a text", "46"]),
    "colors": ("[ladders.friday]", {"rules": "'4x99'"}, "ladders.friday.rules in", ["1 to 34", "99"]),
    "codemaker": (
        "[ladders.friday]",
        {"codemaker": "'devil'"},
        "ladders.friday.codemaker in",
        ["fixed or evil, not 'devil'"],
    ),
    "large evil": (
        "[ladders.friday]",
        {"codemaker": "'evil'", "rules": "'grand'"},
        "ladders.friday in",
        ["codemaker is evil", "100,000", "6x10", "1,000,000", "smaller"],
    ),
    "large practice": (
        "[ladders.friday]",
        {"rated": "false", "rules": "'grand'"},
        "ladders.friday in",
        ["rated is false", "100,000", "6x10", "1,000,000", "smaller"],
    ),
    "clock": ("[ladders.friday]", {"clock": "'60'"}, "ladders.friday.clock in", ["'60'", "60+1"]),
    "no time": ("[ladders.friday]", {"clock": "'0+9'"}, "ladders.friday.clock in", ["'0+9'", "60+1"]),
    "no guess": ("[ladders.friday]", {"guess_limit": "0"}, "ladders.friday.guess_limit in", ["at least 1, not 0"]),
    "guesses": ("[ladders.friday]", {"guess_limit": "101"}, "ladders.friday.guess_limit in", ["at most 100, not 101"]),
    "no game": ("[ladders.friday]", {"games": "0"}, "ladders.friday.games in", ["at least 1, not 0"]),
    "games": ("[ladders.friday]", {"games": "101"}, "ladders.friday.games in", ["at most 100, not 101"]),
    "part of a game": ("[ladders.friday]", {"games": "1.5"}, "ladders.friday.games in", ["a whole number, not 1.5"]),
    "rated": ("[ladders.friday]", {"rated": "'perhaps'"}, "ladders.friday.rated in", ["true or false, not 'perhaps'"]),
    "text as time": (
        "[ladders.friday]",
        {"opens": "'noon'"},
        "ladders.friday.opens in",
        ["'noon'", "2026-11-27T10:00"],
    ),
    "date": ("[ladders.friday]", {"closes": "2026-11-27"}, "ladders.friday.closes in", ["'2026-11-27'", "T10:00"]),
    "year 1": (
        "[ladders.friday]",
        {"opens": "0001-01-01T00:00:00"},
        "ladders.friday.opens in",
        ["0001-01-01", "T10:00"],
    ),
    "order": (
        "[ladders.friday]",
        {"opens": "2026-11-27T10:00:00Z", "closes": "2026-11-27T11:00:00+01:00"},
        "ladders.friday in",
        ["closes is not after opens", "later"],
    ),
    "unknown key": ("[ladders.friday]", {"gamse": "3"}, "ladders.friday.gamse in", ["did you mean games?"]),
    "strange key": ("[ladders.friday]", {"zzz": "3"}, "ladders.friday.zzz in", ["docs/operate.md"]),
    "no table": (
        "[ladders]\nfriday = 3",
        dict.fromkeys(FRIDAY),
        "ladders.friday in",
        ["[ladders.friday]", "not 3"],
    ),
    "array": ("[[ladders]]", {}, "ladders in", ["[ladders.friday]"]),
}


@pytest.mark.parametrize(("heading", "values", "place", "facts"), WRONG_LADDERS.values(), ids=WRONG_LADDERS)
def test_wrong_ladder_is_one_line_with_its_key(heading, values, place, facts):
    lines = [f"{key} = {value}" for key, value in (FRIDAY | values).items() if value is not None]
    Path("evilpegs.toml").write_text("\n".join([heading, *lines]))
    with pytest.raises(CommandError) as caught:
        server_settings()
    line = str(caught.value)
    assert line.startswith(place)
    assert [fact for fact in facts if fact not in line] == []
    assert "nput should" not in line
    assert "\n" not in line


def test_ladders_in_the_environment_are_refused_in_one_line(monkeypatch):
    monkeypatch.setenv("EVILPEGS_LADDERS", '{"friday": 3}')
    with pytest.raises(CommandError, match=r"^environment variable EVILPEGS_LADDERS must be a table .*evilpegs\.toml"):
        server_settings()


def own_ladder(**values):
    lines = [f"{key} = {value}" for key, value in (FRIDAY | values).items() if value is not None]
    Path("evilpegs.toml").write_text("\n".join(["[ladders.friday]", *lines]))
    return server_settings().own_ladders()["friday"]


def test_own_ladder_has_the_defaults_of_its_kind():
    built_in = load_ladders()
    assert own_ladder() == replace(built_in["classic"], id="friday")
    assert own_ladder(codemaker="'evil'") == replace(built_in["classic-evil"], id="friday")
    practice = {"rated": "false", "clock": None}
    assert own_ladder(**practice) == replace(built_in["classic-practice"], id="friday")
    assert own_ladder(**practice, codemaker="'evil'") == replace(built_in["classic-evil-practice"], id="friday")


def test_own_ladder_has_the_values_of_the_file():
    own = own_ladder(rules="'bulls-and-cows'", clock="'5+0'", guess_limit="7", games="3")
    like = replace(load_ladders()["bulls-and-cows-blitz"], id="friday", guess_limit=7, games=3)
    assert own == like
    assert own_ladder(rules="'16x34'").rules.size == 34**16  # a fixed codemaker compares with one secret only


@pytest.mark.parametrize(
    ("zone", "written", "hour"),
    [
        ("UTC", "2026-11-27T10:00:00+01:00", 9),
        ("UTC", "2026-11-27 10:00:00", 10),
        ("America/New_York", "2026-11-27T10:00:00", 15),
        ("America/New_York", "2026-11-27T10:00:00Z", 10),
    ],
)
def test_time_without_zone_is_local(monkeypatch, zone, written, hour):
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        own = own_ladder(opens=written, closes="2026-12-01T00:00:00.500Z")
    finally:
        monkeypatch.undo()
        time.tzset()
    assert own.opens == datetime(2026, 11, 27, hour, tzinfo=UTC).timestamp() * 1000
    assert own.closes == datetime(2026, 12, 1, tzinfo=UTC).timestamp() * 1000 + 500


@pytest.mark.parametrize("written", ["2031-03-30T02:30:00", "2031-10-26T02:30:00"])
def test_time_of_ladder_that_is_skipped_or_comes_twice_needs_a_zone(monkeypatch, written):
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        with pytest.raises(CommandError, match=rf"^ladders\.friday\.opens in .*{written[:16]}.*\+01:00"):
            own_ladder(opens=written)
        assert own_ladder(opens=f"{written}+01:00").opens
    finally:
        monkeypatch.undo()
        time.tzset()


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
