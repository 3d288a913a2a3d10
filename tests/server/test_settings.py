"""Settings come from options, then the environment, then evilpegs.toml, then the defaults."""

import pytest
from pydantic import ValidationError

from evilpegs_server.gateway.admission import Limit
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.play.counts import PRACTICE_LIMIT, RATE_LIMIT
from evilpegs_server.replies.capacity import ReplyCapacity, is_enumerated
from evilpegs_server.settings import OwnLadder, Settings


@pytest.fixture(autouse=True)
def empty_directory(tmp_path, monkeypatch):
    """Run in an empty directory with no setting in the environment."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"EVILPEGS_{name.upper()}", raising=False)
    return tmp_path


@pytest.fixture
def toml(empty_directory):
    """Return a function that writes evilpegs.toml."""
    return (empty_directory / "evilpegs.toml").write_text


def test_settings_have_documented_defaults():
    settings = Settings()
    assert (settings.host, settings.port, settings.registration) == ("127.0.0.1", 8765, "open")
    assert settings.database.startswith("sqlite:///")
    assert settings.database.endswith("evilpegs.sqlite3")


def test_option_beats_environment_beats_file(toml, monkeypatch):
    assert Settings().port == 8765
    toml('port = 1\nhost = "file"\nregistration = "closed"')
    assert Settings().port == 1
    monkeypatch.setenv("EVILPEGS_PORT", "2")
    monkeypatch.setenv("EVILPEGS_HOST", "environment")
    assert Settings().port == 2
    settings = Settings(port=3)
    assert (settings.port, settings.host, settings.registration) == (3, "environment", "closed")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", -1),
        ("port", 65536),
        ("port", "http"),
        ("registration", "sometimes"),
        ("max_connections", 0),
        ("requests_per_second", 0),
        ("cache_bytes", 1000),
        ("count_bytes", 1000),
        ("count_work", 0),
        ("log_level", "loud"),
        ("no_such_setting", 1),
        ("hosts", "https://games.example/"),
        ("hosts", "games.example:8000"),
        ("trusted_proxies", "10.0.0.1/8"),
        ("trusted_proxies", "proxy.example"),
        ("allow_origins", "dash.example"),
        ("allow_origins", "https://dash.example/"),
        ("allow_origins", "https://dash.example, ftp://x"),
        ("connections_per_address", 0),
        ("connections_before_hello", 0),
        ("new_names_per_hour", 0),
        ("failed_tokens_per_minute", -1),
        ("guest_seats_percent", 101),
        ("reserve_seats_percent", 91),
        ("reserve_hello_seconds", 0),
        ("guest_idle_seconds", 0),
        ("name_idle_seconds", 0),
        ("guest_absent_seconds", 0),
        ("max_practice_matches", 0),
        ("name_lapse_days", 0),
        ("node", "a b"),
        ("server_id", "A"),
    ],
)
def test_bad_value_is_refused_by_name(toml, monkeypatch, name, value):
    with pytest.raises(ValidationError, match=name):
        Settings(**{name: value})
    toml(f"{name} = {value!r}")
    with pytest.raises(ValidationError, match=name):
        Settings()
    toml("")
    monkeypatch.setenv(f"EVILPEGS_{name.upper()}", str(value))
    if name in Settings.model_fields:
        with pytest.raises(ValidationError, match=name):
            Settings()


def test_hosts_are_separated_by_commas(toml, monkeypatch):
    toml('hosts = ["games.example", "pegs"]')
    assert Settings().hosts == ("games.example", "pegs")
    monkeypatch.setenv("EVILPEGS_HOSTS", " games.example,, pegs.example ")
    assert Settings().hosts == ("games.example", "pegs.example")


@pytest.mark.parametrize("name", Settings.model_fields)
def test_empty_value_of_any_setting_means_its_default(toml, monkeypatch, name):
    default = Settings()
    toml(f'{name} = ""')
    assert Settings() == default
    toml("")
    monkeypatch.setenv(f"EVILPEGS_{name.upper()}", "")
    assert Settings() == default


def test_empty_variable_leaves_what_the_file_says(toml, monkeypatch):
    toml("port = 1")
    monkeypatch.setenv("EVILPEGS_PORT", "")
    assert Settings().port == 1


def test_empty_value_of_a_ladder_means_its_default(toml):
    optional = [name for name, field in OwnLadder.model_fields.items() if not field.is_required()]
    needed = ["[ladders.friday]", "rules = '4x6'", "codemaker = 'fixed'", "guess_limit = 10"]
    toml("\n".join(needed))
    default = Settings()
    toml("\n".join([*needed, *(f'{name} = ""' for name in optional)]))
    assert optional
    assert Settings() == default


def test_each_limit_is_a_setting():
    assert {*Limit, RATE_LIMIT, PRACTICE_LIMIT} <= Settings.model_fields.keys()


def test_networks_are_separated_by_commas(toml, monkeypatch):
    toml('trusted_proxies = ["10.0.0.0/8", "::1"]')
    assert [str(network) for network in Settings().trusted_proxies] == ["10.0.0.0/8", "::1/128"]
    monkeypatch.setenv("EVILPEGS_TRUSTED_PROXIES", "127.0.0.1, 192.0.2.0/24")
    assert [str(network) for network in Settings().trusted_proxies] == ["127.0.0.1/32", "192.0.2.0/24"]


def test_unknown_variables_are_ignored(monkeypatch):
    monkeypatch.setenv("EVILPEGS_SOMETHING_ELSE", "1")
    Settings()


def test_default_capacity_refuses_only_slow_ladders():
    settings = Settings()
    capacity = ReplyCapacity(settings.cache_bytes, settings.count_bytes, settings.count_work)
    refused = {ladder.id for ladder in load_ladders().values() if capacity.unavailable_reason(ladder)}
    assert refused == {"colossus-evil", "colossus-practice", "colossus-evil-practice"}
    patient = ReplyCapacity(settings.cache_bytes, settings.count_bytes, 400_000_000)
    assert not any(patient.unavailable_reason(ladder) for ladder in load_ladders().values())


def test_smallest_capacity_allows_enumerated_ladders():
    smallest = [Settings.model_fields[name].metadata[0].ge for name in ("cache_bytes", "count_bytes", "count_work")]
    small = [ladder for ladder in load_ladders().values() if is_enumerated(ladder.rules)]
    assert {str(ladder.rules) for ladder in small} == {"4x6", "4x10-distinct", "5x8"}
    assert [ReplyCapacity(*smallest).unavailable_reason(ladder) for ladder in small] == [None] * len(small)
