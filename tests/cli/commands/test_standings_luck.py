"""Standings that are read from a database while its server still measures the luck of games."""

import pytest

from evilpegs.kit.standings import FollowedStandings, load_standings
from evilpegs_server.leaderboard.luck import curve_hashes
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.database import open_database
from support.results import derived_of
from support.stored_matches import StoredPlay, store, store_players

CLASSIC = load_ladders()["classic"]


@pytest.fixture
def derived(tmp_path, monkeypatch):
    """A database with a game whose luck is stored after the first look at the leaderboards."""
    engine = open_database(f"sqlite:///{tmp_path / 'evilpegs.sqlite3'}")
    store_players(engine)
    store(engine, *StoredPlay(1, CLASSIC).play(("solved", [3, 4])))
    derived, look = derived_of(engine), FollowedStandings.current

    async def look_once(standings):
        seen = await look(standings)
        derived.store_luck([(250_000, curve_hashes([CLASSIC])["classic"], 1, 1)])
        return seen

    monkeypatch.setattr(FollowedStandings, "current", look_once)
    monkeypatch.setattr("evilpegs.kit.standings.LOOK_SECONDS", 0.0)
    yield derived
    derived.close()
    engine.dispose()


async def test_luck_is_awaited(derived, capsys):
    [standings] = await load_standings(derived, "classic", luck_seconds=60)
    assert [row.adjusted_mean for row in standings.rows] == [1.75]
    assert capsys.readouterr().err == ""


async def test_without_time_for_luck_nothing_is_awaited(derived, capsys):
    """The control: the luck that comes later is missing, and a line says so."""
    [standings] = await load_standings(derived, "classic")
    assert [row.adjusted_mean for row in standings.rows] == [None]
    assert "1 game counted without luck" in capsys.readouterr().err
