"""Settings: options, then the environment, then evilpegs.toml, then the defaults."""

import pytest
from pydantic import ValidationError

from evilpegs_game.candidates import LiveSets
from evilpegs_server.ladders import load_ladders
from evilpegs_server.settings import Settings


@pytest.fixture(autouse=True)
def empty_directory(tmp_path, monkeypatch):
    """Nothing is set anywhere."""
    monkeypatch.chdir(tmp_path)
    for name in Settings.model_fields:
        monkeypatch.delenv(f"EVILPEGS_{name.upper()}", raising=False)
    return tmp_path


@pytest.fixture
def toml(empty_directory):
    """Write evilpegs.toml."""
    return (empty_directory / "evilpegs.toml").write_text


def test_the_defaults():
    settings = Settings()
    assert (settings.host, settings.port, settings.registration) == ("127.0.0.1", 8765, "open")
    assert settings.database.startswith("sqlite:///")
    assert settings.database.endswith("evilpegs.sqlite3")


def test_what_wins_over_what(toml, monkeypatch):
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
        ("log_level", "loud"),
        ("no_such_setting", 1),
    ],
)
def test_bad_values_are_refused_by_name_wherever_they_come_from(toml, monkeypatch, name, value):
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


def test_other_variables_do_not_matter(monkeypatch):
    monkeypatch.setenv("EVILPEGS_SOMETHING_ELSE", "1")
    Settings()


@pytest.mark.parametrize("ladder", load_ladders().values(), ids=load_ladders().keys())
def test_the_smallest_cache_holds_every_ladder(ladder):
    """A game that did not fit would end void, and a player must not be able to cause that."""
    smallest = next(bound.ge for bound in Settings.model_fields["cache_bytes"].metadata)
    assert LiveSets.bytes_needed(ladder.rules) <= smallest
