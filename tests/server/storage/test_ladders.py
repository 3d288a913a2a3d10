"""Ladders of the operator are stored, and once they were played their values hold."""

import re
from dataclasses import replace

import pytest

from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import ClockInfo
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.log.ladders import LadderChangedError, known_ladders, store_ladders
from support.stored_matches import StoredPlay, store, store_players

DATABASES = ("sqlite", "postgresql")

FRIDAY = replace(load_ladders()["classic"], id="friday", opens=1_000, closes=2_000)
CHANGES = {
    "rules": (Rules(4, 10, repeats=False), "rules was 4x6 and is now 4x10-distinct"),
    "codemaker": ("evil", "codemaker was fixed and is now evil"),
    "clock": (None, "clock was 60+1 and is now none"),
    "guess_limit": (12, "guess_limit was 10 and is now 12"),
    "games": (5, "games was 10 and is now 5"),
    "rated": (False, "rated was true and is now false"),
}


def stored(engine):
    """Return the ladders of the database that are not built in."""
    return {id_: ladder for id_, ladder in known_ladders(engine).items() if id_ not in load_ladders()}


@pytest.fixture
def played(engine):
    """A database in which friday has been played."""
    store_ladders(engine, {"friday": FRIDAY})
    store_players(engine)
    store(engine, *StoredPlay(1, FRIDAY).play())
    return engine


def test_ladders_are_built_in_then_own(engine):
    saturday = replace(FRIDAY, id="saturday", clock=ClockInfo(base_ms=5_000, increment_ms=0))
    ladders = store_ladders(engine, {"saturday": saturday, "friday": FRIDAY})
    assert ladders == load_ladders() | {"saturday": saturday, "friday": FRIDAY}
    assert list(ladders)[-2:] == ["saturday", "friday"]
    timeless = {each.id: replace(each, opens=None, closes=None) for each in (saturday, FRIDAY)}
    assert stored(engine) == timeless
    assert list(known_ladders(engine))[-2:] == ["saturday", "friday"]


def test_times_are_not_stored_and_may_change(played):
    later = replace(FRIDAY, opens=None, closes=9_000)
    assert store_ladders(played, {"friday": later})["friday"] == later
    assert stored(played)["friday"].closes is None


def test_values_of_played_ladder_may_not_change(played):
    before = stored(played)
    for key, (value, said) in CHANGES.items():
        with pytest.raises(LadderChangedError, match=f"friday.*{re.escape(said)}; .*another id") as caught:
            store_ladders(played, {"monday": replace(FRIDAY, id="monday"), "friday": replace(FRIDAY, **{key: value})})
        assert "\n" not in str(caught.value)
        assert stored(played) == before


def test_all_changes_are_named(played):
    with pytest.raises(LadderChangedError, match="guess_limit was 10 and is now 12, games was 10 and is now 5;"):
        store_ladders(played, {"friday": replace(FRIDAY, guess_limit=12, games=5)})


def test_unplayed_ladder_may_change(engine):
    store_ladders(engine, {"friday": FRIDAY})
    for key, (value, _) in CHANGES.items():
        changed = replace(FRIDAY, **{key: value})
        assert store_ladders(engine, {"friday": changed})["friday"] == changed
        assert getattr(stored(engine)["friday"], key) == value


def test_played_ladder_without_its_line_is_former(played):
    assert store_ladders(played, {})["friday"] == replace(FRIDAY, opens=None, closes=None, former=True)
    assert store_ladders(played, {"friday": FRIDAY})["friday"] == FRIDAY


def test_unplayed_ladder_without_its_line_is_gone(engine):
    store_ladders(engine, {"friday": FRIDAY})
    assert store_ladders(engine, {}) == load_ladders()
    assert stored(engine) == {}
