"""Pages of matches and players equal a plain selection from the whole list, and are found by index seeks."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import event

from evilpegs_protocol.server_messages import GameOver, MatchOver
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived.browse import (
    MatchFilter,
    find_player,
    list_matches,
    list_shown_players,
)
from evilpegs_server.storage.queries import closing_engine, read
from support.examples import share
from support.matches import TINY
from support.results import derived_of
from support.stored_matches import ADMITTED_AT, StoredPlay, store, store_players, stored_plays

LADDERS_PLAYED = [TINY, replace(TINY, id="tiny-evil", codemaker="evil", tie="largest/seeded")]
FILTERS = st.builds(
    MatchFilter,
    ladders=st.none() | st.lists(st.sampled_from(["tiny", "tiny-evil", "other"]), max_size=3).map(tuple),
    player=st.none() | st.sampled_from(["ann", "bob", "nobody"]),
    client=st.none() | st.sampled_from(["bot 1", "bot 2", "bot 9"]),
    since=st.none() | st.integers(999, 1_006),
    before=st.none() | st.tuples(st.integers(999, 1_006), st.integers(0, 9).map("{:016x}".format)),
    over=st.none() | st.booleans(),
    games=st.sampled_from([None, "lost", "longest"]),
)


def plain_page(plays, numbers, wanted, limit):
    """Return the ids of a page, chosen from the list of all matches. ``numbers`` maps ids to numbers."""
    order = {play.log.match: (play.at, numbers[play.log.match]) for play in plays if play.log.match in numbers}
    at, match = wanted.before or (float("inf"), "")
    bound = at, numbers.get(match, 0)
    chosen = [
        play.log.match
        for play in plays
        if play.log.match in order
        and (wanted.ladders is None or play.ladder.id in wanted.ladders)
        and wanted.player in {None, play.player}
        and wanted.client in {None, f"bot {play.version}"}
        and play.at >= (wanted.since or 0)
        and order[play.log.match] < bound
        and wanted.over in {None, isinstance(play.events[-1], MatchOver)}
        and (wanted.games != "lost" or any(game.outcome not in {"solved", "void"} for game in finished(play)))
    ]

    def key(match):
        [play] = [play for play in plays if play.log.match == match]
        lengths = [game.guesses + (game.outcome != "solved") for game in finished(play) if game.outcome != "void"]
        return max(lengths, default=0) if wanted.games == "longest" else 0, order[match]

    return sorted(chosen, key=key, reverse=True)[:limit]


def finished(play):
    return [event for event in play.events if isinstance(event, GameOver)]


@settings(max_examples=share(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_page_equals_plain_selection(tmp_path_factory, make_database, data):
    plays, steps = data.draw(stored_plays(LADDERS_PLAYED, max_matches=8))
    make_database(url := f"sqlite:///{tmp_path_factory.mktemp('browse') / 'evilpegs.sqlite3'}")
    with closing_engine(open_database(url)) as engine:
        store_players(engine)
        store(engine, *steps)
        shown = derived_of(engine).engine
        numbers = dict(map(tuple, read(engine, "SELECT id, number FROM matches")))
        assert {found.match for found in list_matches(shown, MatchFilter(), 100)} == {play.log.match for play in plays}
        for wanted, limit in data.draw(st.lists(st.tuples(FILTERS, st.integers(1, 5)), min_size=5, max_size=10)):
            found = [each.match for each in list_matches(shown, wanted, limit)]
            assert found == plain_page(plays, numbers, wanted, limit)


@pytest.fixture
def browsed(engine):
    """A database with three players and some matches."""
    store_players(engine)
    steps = [
        *StoredPlay(1, TINY, at=1_000).play(("solved", [3, 4]), ("unsolved", [1, 1, 1, 1])),
        *StoredPlay(2, LADDERS_PLAYED[1], "bob", "2", at=2_000).play(("solved", [9]))[:-1],
        *StoredPlay(3, TINY, "eve", at=3_000).play()[:-1],
    ]
    store(engine, *steps)
    return derived_of(engine).engine


def test_summary_tells_results_of_finished_games(browsed):
    newest, middle, oldest = list_matches(browsed, MatchFilter(), 10)
    match = {"match": "0" * 15 + "1", "ladder": "tiny", "player": "ann", "client": "bot 1", "started_at": 1_000}
    assert dict(oldest) == match | {
        "over": True,
        "outcomes": ("solved", "unsolved"),
        "guesses": (2, 4),
        "elapsed_ms": 11,
    }
    assert (middle.player, middle.client, middle.over, middle.outcomes) == ("bob", "bot 2", False, ("solved",))
    assert (newest.outcomes, newest.guesses, newest.elapsed_ms) == ((), (), 0)


def test_lost_and_longest_games_of_player(engine):
    store_players(engine)
    plays = [("solved", [9]), ("unsolved", [1, 1]), ("solved", [7])]
    steps = [step for number, game in enumerate(plays, 1) for step in StoredPlay(number, TINY, at=number).play(game)]
    store(engine, *steps, *StoredPlay(4, TINY, "bob", at=4).play(("unsolved", [1])))
    store(engine, *StoredPlay(5, TINY, at=5).play(("solved", [])), StoredPlay(6, TINY, at=6).start())
    found = {
        games: list_matches(derived_of(engine).engine, MatchFilter(player="ann", games=games), 4)
        for games in ("lost", "longest")
    }
    assert [int(match.match, 16) for match in found["lost"]] == [2]
    assert [int(match.match, 16) for match in found["longest"]] == [2, 3, 1, 6]


def test_pages_list_every_match_once(engine):
    """Matches that start at the same time are told apart by their numbers."""
    store_players(engine)
    store(engine, *(StoredPlay(number, TINY, at=1_000 + number // 4).start() for number in range(1, 12)))
    seen, before = [], None
    while page := list_matches(derived_of(engine).engine, MatchFilter(before=before), 3):
        seen += [int(match.match, 16) for match in page]
        before = page[-1].started_at, page[-1].match
    assert seen == list(range(11, 0, -1))


def test_new_match_does_not_change_next_page(engine):
    store_players(engine)
    store(engine, *(StoredPlay(number, TINY, at=1_000).start() for number in range(1, 5)))
    first = list_matches(derived_of(engine).engine, MatchFilter(), 2)
    store(engine, StoredPlay(5, TINY, at=1_000).start())
    second = list_matches(derived_of(engine).engine, MatchFilter(before=(1_000, first[-1].match)), 2)
    assert [int(match.match, 16) for match in first + second] == [4, 3, 2, 1]


FILTERED = [
    [None, ("tiny",), ("tiny", "tiny-evil")],
    [None, "ann"],
    [None, "bot 1"],
    [None, 1_500],
    [(None, None), (True, None), (None, "lost"), (None, "longest")],
]
"""The ladders, the player, the client, the time since, and whether the match is over with which games."""


def test_every_filter_is_answered_by_index_seeks(browsed):
    """No query reads the whole of a table or index of matches, games or players."""
    queries = []

    def note(_connection, _cursor, statement, parameters, _context, _many):
        queries.append((statement, parameters))

    event.listen(browsed, "before_cursor_execute", note)
    before = 3_000, "0" * 15 + "3"
    for ladders, player, client, since, (over, games) in product(*FILTERED):
        list_matches(browsed, MatchFilter(ladders, player, client, since, before, over, games), 10)
    list_shown_players(browsed, "a", 10)
    event.remove(browsed, "before_cursor_execute", note)
    assert queries
    assert whole_reads(browsed, queries) == []


def test_whole_reads_are_noticed(browsed):
    """The control of the test above."""
    assert whole_reads(browsed, [("SELECT over FROM matches WHERE client LIKE 'b%'", ())]) == ["SCAN matches"]


def whole_reads(engine, queries):
    """Return the steps in the plans of these queries that read all rows of a stored table."""
    with engine.connect() as connection:
        plans = [connection.exec_driver_sql("EXPLAIN QUERY PLAN " + query, values) for query, values in queries]
        steps = [step for plan in plans for *_, step in plan]
    stored = ("matches", "page", "m", "games", "g", "players", "p")
    return [step for step in steps if step.startswith("SCAN") and step.split()[1] in stored]


def test_find_player_by_exact_name(browsed):
    player = find_player(browsed, "bob")
    assert dict(player) == {"name": "bob", "kind": "bot", "created_at": ADMITTED_AT}
    assert find_player(browsed, "bo%") is None


def test_players_are_listed_by_name(browsed):
    assert [player.name for player in list_shown_players(browsed)] == ["ann", "bob", "eve"]
    assert [player.name for player in list_shown_players(browsed, "ann", 1)] == ["bob"]
    assert list_shown_players(browsed, "eve") == []
