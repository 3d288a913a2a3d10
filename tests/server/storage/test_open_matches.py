"""The open matches as they are after an event."""

import pytest

from evilpegs_server.storage.derived.browse import OpenMatchRow, list_open_matches
from evilpegs_server.storage.log import writes
from evilpegs_server.storage.log.archive import load_last_event_id
from support.matches import TINY
from support.stored_matches import StoredPlay, store, store_players


@pytest.fixture
def engine(engine):
    store_players(engine)
    return engine


def test_open_matches_are_listed_in_the_order_of_their_start(engine):
    over, first, second = StoredPlay(3, TINY), StoredPlay(2, TINY, "bob", at=7), StoredPlay(1, TINY, version="2 beta")
    store(engine, *over.play(("solved", [5])), first.start(), second.start(), first.guess(1, 1, 5))
    store(engine, [writes.begin_game(second.log.match, game, 0, None) for game in (1, 2)])
    assert list_open_matches(engine, load_last_event_id(engine)) == [
        OpenMatchRow(first.log.match, "tiny", "bob", {"name": "bot", "version": "1"}, 7, newest(first), 0),
        OpenMatchRow(second.log.match, "tiny", "ann", {"name": "bot", "version": "2 beta"}, 1_000, newest(second), 2),
    ]


def newest(play):
    return play.log.entries[-1].text


def test_later_events_are_not_shown(engine):
    first, second = StoredPlay(1, TINY), StoredPlay(2, TINY)
    store(engine, first.start(), first.guess(1, 1, 5), second.start())
    assert list_open_matches(engine, 0) == []
    [shown] = list_open_matches(engine, 1)
    assert shown.newest == first.log.entries[0].text
    [shown] = list_open_matches(engine, 2)
    assert shown.newest == first.log.entries[1].text
