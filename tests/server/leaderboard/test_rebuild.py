"""The rows of games are computed again from their events; what differs is reported and corrected."""

import pytest
from sqlalchemy import select, text

from evilpegs_server.leaderboard import rebuild
from evilpegs_server.leaderboard.rebuild import rebuild_games
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.storage.tables import games
from support.classic_games import GAMES, classic_match, luck_of, stored_luck
from support.stored_matches import store

LADDERS = load_ladders()


def rebuilt(engine, *, write=True):
    """Rebuild all rows; return the number of games, the differences and the unreadable matches."""
    parts = list(rebuild_games(engine, LADDERS, write=write, progress=lambda _done, _total: None))
    return (
        sum(part.games for part in parts),
        [each for part in parts for each in part.differences],
        [match for part in parts for match in part.unreadable],
    )


def all_rows(engine):
    with engine.connect() as connection:
        return connection.execute(select(games).order_by(games.c.match, games.c.game)).all()


@pytest.fixture(autouse=True, params=[1, 200])
def chunk(request, monkeypatch):
    monkeypatch.setattr(rebuild, "MATCHES", request.param)


def test_missing_luck_is_added(classic_database):
    store(classic_database, *classic_match(1), *classic_match(2))
    count, differences, unreadable = rebuilt(classic_database)
    assert (count, unreadable) == (8, [])
    assert {each.name for each in differences} == {"luck", "curve"}
    assert all(each.is_missing for each in differences)
    assert [luck for *_, luck in stored_luck(classic_database)] == 2 * [luck_of(*game) for game in GAMES]
    assert rebuilt(classic_database) == (8, [], [])


def test_compare_writes_nothing(classic_database):
    store(classic_database, *classic_match(1))
    before = all_rows(classic_database)
    assert rebuilt(classic_database, write=False)[1]
    assert all_rows(classic_database) == before


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("guesses = 2", "guesses"),
        ("outcome = 'solved'", "outcome"),
        ("elapsed_ms = 1", "elapsed_ms"),
        ("times_ms = '1'", "times_ms"),
        ("luck = 5", "luck"),
        ("curve = 'other'", "curve"),
    ],
)
def test_wrong_fact_is_found_and_corrected(classic_database, change, name):
    store(classic_database, *classic_match(1))
    rebuilt(classic_database)
    right = all_rows(classic_database)
    with classic_database.begin() as connection:
        connection.execute(text(f"UPDATE games SET {change} WHERE game = 3"))
    _, (difference,), _ = rebuilt(classic_database)
    assert (difference.game, difference.name, difference.is_missing) == (3, name, False)
    assert all_rows(classic_database) == right


def test_lost_row_is_written_again(classic_database):
    store(classic_database, *classic_match(1))
    rebuilt(classic_database)
    right = all_rows(classic_database)
    with classic_database.begin() as connection:
        connection.execute(text("DELETE FROM games WHERE game = 2"))
    assert all(each.is_missing for each in rebuilt(classic_database)[1])
    assert all_rows(classic_database) == right


def test_unreadable_match_is_named_and_left_alone(classic_database):
    store(classic_database, *classic_match(1), *classic_match(2))
    with classic_database.begin() as connection:
        connection.execute(text("UPDATE events SET json = '{' WHERE match = 1 AND seq = 3"))
    before = all_rows(classic_database)[:4]
    count, _, unreadable = rebuilt(classic_database)
    assert (count, unreadable) == (4, [f"{1:016x}"])
    assert all_rows(classic_database)[:4] == before
