"""The leaderboards in memory equal the fold over all stored events, whenever they are read."""

import asyncio
from dataclasses import replace

import orjson
import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evilpegs_protocol.record import event_hash
from evilpegs_protocol.server_messages import GameOver, MatchStarted
from evilpegs_server.leaderboard import stored_results
from evilpegs_server.show.follower import Follower
from evilpegs_server.storage.database import open_database
from evilpegs_server.storage.derived import games as stored
from evilpegs_server.storage.log.archive import find_broken_matches, load_last_event_id
from support.examples import share
from support.leaderboard_fold import leaderboard
from support.matches import TINY
from support.patience import PATIENCE
from support.results import live_leaderboards
from support.stored_matches import StoredPlay, load_events, store, store_players, stored_plays
from support.waiting import until

EVIL = replace(TINY, id="tiny-evil", codemaker="evil", tie="largest/seeded")
PRACTICE = replace(TINY, id="tiny-practice", rated=False)
OFFERED = {ladder.id: ladder for ladder in (TINY, EVIL, PRACTICE)}


def folded(engine, ladder):
    return leaderboard(load_events(engine), ladder)


def sound_fold(engine, ladder):
    broken = find_broken_matches(engine, 0, load_last_event_id(engine))
    return leaderboard(load_events(engine, without=broken), ladder)


@pytest.fixture
def changed():
    """An event that is set when rows of `live` have changed."""
    return asyncio.Event()


async def wake(live, changed):
    live.wake()
    async with asyncio.timeout(PATIENCE):
        await changed.wait()


@pytest.fixture
async def live(engine, changed):
    """Leaderboards that follow a database with players and without matches."""
    store_players(engine)
    live = live_leaderboards(engine, OFFERED, structlog.get_logger())
    await live.start(changed.set)
    yield live
    await live.close()


@settings(max_examples=share(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_live_leaderboards_equal_fold_of_all_events(tmp_path_factory, monkeypatch, data):
    """Some events are stored before the start and some while the leaderboards are followed, in chunks of any size."""
    for size in ("COUNTED", "AWAITED", "VERIFIED"):
        monkeypatch.setattr(stored_results, size, data.draw(st.sampled_from([1, 3, 1_000])))
    _, steps = data.draw(stored_plays(sorted(OFFERED.values(), key=lambda ladder: ladder.id)))
    before = data.draw(st.integers(0, len(steps)))
    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('live') / 'evilpegs.sqlite3'}")
    store_players(engine)
    store(engine, *steps[:before])

    async def follow():
        live = live_leaderboards(engine, OFFERED, structlog.get_logger())
        await live.start()
        first = {ladder: await live.rows(ladder) for ladder in OFFERED}
        assert first == {ladder: tuple(folded(engine, ladder)) for ladder in OFFERED}
        store(engine, *steps[before:])
        await live.update()
        assert {ladder: await live.rows(ladder) for ladder in OFFERED} == {
            ladder: tuple(folded(engine, ladder)) for ladder in OFFERED
        }
        assert await live.rows("tiny-practice") == ()
        await live.close()

    asyncio.run(follow())
    engine.dispose()


timed_games = st.lists(st.tuples(st.sampled_from(["solved", "unsolved", "void"]), st.integers(1, 9)), max_size=3)
timed_matches = st.tuples(
    st.sampled_from(["ann", "bob", "eve"]), st.sampled_from([TINY, EVIL]), st.integers(1, 9), timed_games
)


def timed_steps(number, player, ladder, at, games):
    """Return the steps of a match that begins at ``at``; each game is an outcome and the time of its end."""
    play = StoredPlay(number, ladder, player, at=at)
    steps = [play.start()]
    for game, (outcome, ended_at) in enumerate(games, 1):
        play.at = ended_at
        steps += [play.guess(game, 1, took_ms=5), play.end_game(game, outcome, 1, elapsed_ms=5 + game)]
    return steps


def plain_results(events, until):
    """Return the games that ended before ``until`` of matches that began before it, from the events in their order."""
    started, found = {}, []
    for event in events:
        if isinstance(event, MatchStarted) and event.at < until:
            started[event.match] = event
        elif isinstance(event, GameOver) and event.at < until and event.match in started:
            match = started[event.match]
            place = (match.ladder, match.match, event.game, match.player, "bot", f"bot {match.client.version}")
            found.append((*place, event.outcome, event.guesses, None, match.at, event.at, event.elapsed_ms))
    return found


@settings(max_examples=share(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(timed_matches, max_size=5), st.integers(1, 10), st.sampled_from([1, 2, 1_000]))
def test_later_results_do_not_count(tmp_path_factory, monkeypatch, matches, until, chunk):
    """The clock may have been set back, so the times are in any order."""
    monkeypatch.setattr(stored_results, "COUNTED", chunk)
    engine = open_database(f"sqlite:///{tmp_path_factory.mktemp('until') / 'evilpegs.sqlite3'}")
    store_players(engine)
    for number, match in enumerate(matches, 1):
        store(engine, *timed_steps(number, *match))
    earlier = [event for event in load_events(engine) if event.at < until]

    async def count():
        live = live_leaderboards(engine, OFFERED, structlog.get_logger(), until)
        await live.update()
        for ladder in (TINY.id, EVIL.id):
            assert list(await live.rows(ladder)) == leaderboard(earlier, ladder)
        await live.close()
        assert [tuple(game) for game in live.counting.results()] == plain_results(load_events(engine), until)
        of_evil = [game for game in live.counting.results() if game.ladder == EVIL.id]
        assert list(live.counting.results(EVIL.id)) == of_evil

    asyncio.run(count())
    engine.dispose()


async def test_wake_counts_new_events(engine, live, changed):
    assert await live.rows("tiny") == ()
    nothing = await live.shown(EVIL.info())
    store(engine, *StoredPlay(1, TINY).play(("solved", [3, 4])))
    await wake(live, changed)
    (row,) = await live.rows("tiny")
    assert (row.player, row.games, row.mean, row.mean_ms) == ("ann", 1, 2, 3.5)
    assert await live.shown(EVIL.info()) is nothing


async def test_leaderboards_follow_matches_of_server(engine, fake_server, ann):
    """A follower wakes the leaderboards, and their row equals the fold of what was recorded."""
    live = live_leaderboards(engine, fake_server.registry.ladders.known, structlog.get_logger())
    follower = Follower(engine, structlog.get_logger(), sent=None)
    follower.wake(live.wake)
    follower.start()
    await live.start()
    assert await live.rows("tiny") == ()
    match = await ann.play("tiny")
    await ann.guess(match, 1, "11")
    await ann.request(type="resign", match=match)
    await ann.receive("match_over")

    async def counted():
        return [row.games for row in await live.rows("tiny")] == [2]

    await until(counted)
    assert list(await live.rows("tiny")) == folded(engine, "tiny")
    await live.close()
    await follower.close()


async def test_update_without_events_keeps_text(engine, live):
    store(engine, *StoredPlay(1, TINY).play(("solved", [3])))
    await live.update()
    text = await live.shown(TINY.info())
    await live.update()
    assert await live.shown(TINY.info()) is text


async def test_text_of_leaderboard_is_made_once_for_same_rows(engine, live):
    store(engine, *StoredPlay(1, TINY).play(("solved", [3])))
    await live.update()
    first, again = await asyncio.gather(live.shown(TINY.info()), live.shown(TINY.info()))
    assert first is again
    assert orjson.loads(first.body)["rows"] == [json_of(row) for row in await live.rows("tiny")]
    store(engine, *StoredPlay(2, TINY, at=2_000).play(("solved", [3, 4])))
    await live.update()
    assert orjson.loads((await live.shown(TINY.info())).body)["rows"][0]["games"] == 2


async def test_rows_of_a_kind_keep_rank_and_place(engine, live):
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE players SET kind = 'human' WHERE name = 'bob'")
    for number, (player, guesses) in enumerate([("ann", 3), ("bob", 4), ("eve", 5)], 1):
        store(engine, *StoredPlay(number, TINY, player).play(("solved", [3] * guesses)))
    await live.update()
    every = {row.player: json_of(row) for row in await live.rows("tiny")}
    assert [row["kind"] for row in every.values()] == ["bot", "human", "bot"]
    for kind, shown in (("human", ["bob"]), ("bot", ["ann", "eve"]), (None, ["ann", "bob", "eve"])):
        shown_rows = await live.shown(TINY.info(), kind)
        assert orjson.loads(shown_rows.body)["rows"] == [every[player] for player in shown]
        assert orjson.loads(shown_rows.body)["places"] == [list(every).index(player) + 1 for player in shown]
        assert await live.shown(TINY.info(), kind) is shown_rows
    assert [(ladder, row.kind) for ladder, row in await live.player_rows("bob")] == [("tiny", "human")]


def json_of(row):
    return orjson.loads(orjson.dumps(row))


async def test_player_rows_show_every_version(engine, live):
    plays = [
        StoredPlay(1, TINY, version="1").play(("solved", [1])),
        StoredPlay(2, TINY, version="2", at=2_000).play(("unsolved", [1, 1, 1, 1])),
        StoredPlay(3, EVIL, version="1").play(("solved", [1, 1])),
        StoredPlay(4, EVIL, version="2").play(("solved", [1, 1, 1])),
        StoredPlay(5, EVIL, player="bob").play(*[("solved", [1])] * 20),
    ]
    store(engine, *(step for play in plays for step in play))
    await live.update()
    rows = await live.player_rows("ann")
    assert [(ladder, row.client, row.mean, row.rank) for ladder, row in rows] == [
        ("tiny", "bot 1", 1, None),
        ("tiny", "bot 2", 5, None),
        ("tiny-evil", "bot 1", 2, None),
        ("tiny-evil", "bot 2", 3, None),
    ]
    assert [row.rank for _, row in await live.player_rows("bob")] == [1]
    assert await live.player_rows("nobody") == []


FIRST, SECOND = (f"(SELECT number FROM matches WHERE id = '{number:016x}')" for number in (1, 2))
TAMPERINGS = {
    "text": f"UPDATE events SET json = replace(json, '\"guesses\":2', '\"guesses\":1') WHERE match = {FIRST}",
    "not json": f"UPDATE events SET json = '{{' WHERE match = {FIRST} AND seq = 2",
    "lines": f"UPDATE events SET json = json || char(10) || json WHERE match = {FIRST} AND seq = 4",
    "hash": f"UPDATE events SET hash = replace(hash, 'a', 'b') WHERE match = {FIRST} AND seq = 3",
    "not text": f"UPDATE events SET json = x'ff' WHERE match = {FIRST} AND seq = 5",
    "missing": f"DELETE FROM events WHERE match = {FIRST} AND seq = 2",
    "first missing": f"DELETE FROM events WHERE match = {FIRST} AND seq = 1",
}
"""Changes to the first of two matches, each of which breaks its chain of hashes."""


def two_matches():
    plays = [StoredPlay(number, TINY).play(("solved", times)) for number, times in ((1, [1, 1]), (2, [1, 1, 1]))]
    return [step for play in plays for step in play]


async def games_counted(live):
    return [row.histogram for row in await live.rows("tiny")]


class TestBrokenChains:
    """A match whose chain of hashes is broken does not count, and keeps nothing else from counting."""

    @pytest.mark.parametrize("tampering", TAMPERINGS)
    @pytest.mark.parametrize("chunk", [1, 1_000])
    async def test_match_that_was_tampered_with_does_not_count(self, engine, live, monkeypatch, tampering, chunk):
        monkeypatch.setattr(stored_results, "VERIFIED", chunk)
        store(engine, *two_matches())
        with engine.begin() as connection:
            assert connection.exec_driver_sql(TAMPERINGS[tampering]).rowcount
        with structlog.testing.capture_logs() as logged:
            await live.update()
            while not live.counting.is_verified:
                await live.update()
        assert await games_counted(live) == [((3, 1),)]
        assert [line["matches"] for line in logged] == [1]

    async def test_untouched_matches_count(self, engine, live):
        """The control of the test above."""
        store(engine, *two_matches())
        with structlog.testing.capture_logs() as logged:
            await live.update()
        assert await games_counted(live) == [((2, 1), (3, 1))]
        assert logged == []

    async def test_match_that_breaks_later_no_longer_counts(self, engine, live):
        """Games of a match that were counted are taken back when a later event does not fit."""
        *begun, last = StoredPlay(1, TINY).play(("solved", [1]))
        store(engine, *begun)
        await live.update()
        assert await games_counted(live) == [((1, 1),)]
        store(engine, last)
        with engine.begin() as connection:
            connection.exec_driver_sql("UPDATE events SET json = replace(json, ':', ': ') WHERE type = 'match_over'")
        await live.update()
        assert await games_counted(live) == []

    def test_fold_leaves_out_broken_matches(self, engine):
        store_players(engine)
        store(engine, *two_matches())
        assert [row.games for row in sound_fold(engine, "tiny")] == [2]
        with engine.begin() as connection:
            connection.exec_driver_sql(TAMPERINGS["text"])
        assert [row.games for row in sound_fold(engine, "tiny")] == [1]
        assert [row.games for row in folded(engine, "tiny")] == [2]

    async def test_sound_event_that_is_no_json_is_left_out(self, engine, live):
        """Its author also computed the hash; the results of the same match still count."""
        store(engine, *two_matches())
        with engine.begin() as connection:
            before = connection.exec_driver_sql(f"SELECT hash FROM events WHERE match = {SECOND} AND seq = 5").scalar()
            forged = ("{", event_hash(before, "{"))
            connection.exec_driver_sql(
                f"UPDATE events SET json = ?, hash = ? WHERE match = {SECOND} AND seq = 6", forged
            )
        await live.update()
        assert await games_counted(live) == [((2, 1), (3, 1))]


async def test_leaderboards_recover_from_failed_read(engine, live, changed, monkeypatch):
    """After an error the games are counted at the next attempt, each once."""
    assert await live.rows("tiny") == ()
    failures = [OSError("the disk is gone")]
    counted = stored.sum_games

    def fail_once(*arguments):
        if failures:
            raise failures.pop()
        return counted(*arguments)

    monkeypatch.setattr(stored, "sum_games", fail_once)
    store(engine, *StoredPlay(1, TINY).play(("solved", [3])))
    await wake(live, changed)
    assert not failures
    assert [row.games for row in await live.rows("tiny")] == [1]
