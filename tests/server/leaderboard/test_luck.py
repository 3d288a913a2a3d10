"""The luck of finished games is measured in tasks and stored, for games of the time before as well."""

from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
import structlog
from sqlalchemy import text

from evilpegs_game.errors import TooLargeError
from evilpegs_server.leaderboard import luck as luck_module
from evilpegs_server.leaderboard.luck import LuckKeeper
from evilpegs_server.match.ladders import load_ladders
from evilpegs_server.timing import Timing
from evilpegs_server.work.tasks import MeasureLuck
from support.classic_games import CLASSIC, GAMES, classic_match, luck_of, stored_luck
from support.fake_server import FakePool
from support.matches import TINY
from support.results import derived_of, live_leaderboards
from support.stored_matches import StoredPlay, store
from support.waiting import loop_turns, until
from support.workspaces import Call, new_workspace

LADDERS = {ladder.id: ladder for ladder in (CLASSIC, TINY, load_ladders()["classic-evil"])}
QUICK = Timing(luck_look_seconds=0)
EXPECTED = [luck_of(*game) for game in GAMES]


@asynccontextmanager
async def running_keeper(engine, pool=None, ladders=LADDERS, timing=QUICK):
    pool = pool or FakePool(new_workspace())
    keeper = LuckKeeper(derived_of(engine), pool, ladders, structlog.get_logger(), lambda: None, timing)
    keeper.start()
    keeper.wake()
    try:
        yield keeper
    finally:
        await keeper.close()


async def until_stored(engine, expected):
    """Wait until the luck of all games is as expected."""
    await until(lambda: [luck for *_, luck in stored_luck(derived_of(engine).engine)] == expected)


def test_luck_of_unplayed_game_is_zero():
    assert EXPECTED[-1] == 0
    assert len(set(EXPECTED)) == len(EXPECTED)


async def test_old_and_new_games_are_measured(classic_database):
    store(classic_database, *classic_match(1), *classic_match(2))
    async with running_keeper(classic_database) as keeper:
        await until_stored(classic_database, 2 * EXPECTED)
        store(classic_database, *classic_match(3))
        derived_of(classic_database)
        keeper.wake()
        await until_stored(classic_database, 3 * EXPECTED)


@pytest.mark.parametrize(("games", "codes"), [(1, 1), (3, 2_600), (5, 1)])
async def test_steps_of_any_size_measure_every_game(classic_database, monkeypatch, games, codes):
    monkeypatch.setattr(luck_module, "GAMES", games)
    monkeypatch.setattr(luck_module, "CODES", codes)
    store(classic_database, *(step for number in (1, 2, 3) for step in classic_match(number)))
    async with running_keeper(classic_database) as keeper:
        await until_stored(classic_database, 3 * EXPECTED)
        store(classic_database, *(step for number in (4, 5) for step in classic_match(number)))
        derived_of(classic_database)
        keeper.wake()
        await until_stored(classic_database, 5 * EXPECTED)


async def test_games_without_curve_have_no_luck(classic_database):
    evil = StoredPlay(1, LADDERS["classic-evil"]).play_codes(*GAMES)
    tiny = StoredPlay(2, TINY).play(("solved", [1]))
    void = StoredPlay(3, CLASSIC)
    steps = [void.start(), void.end_game(1, "void", 0, 0)]
    store(classic_database, *evil, *tiny, *steps, *classic_match(4))
    async with running_keeper(classic_database):
        await until_stored(classic_database, [None] * 6 + EXPECTED)


async def test_without_curves_nothing_is_submitted(classic_database):
    store(classic_database, *StoredPlay(1, TINY).play(("solved", [1])))
    pool = FakePool(new_workspace())
    async with running_keeper(classic_database, pool, {"tiny": TINY}) as keeper:
        derived_of(classic_database)
        keeper.wake()
        await loop_turns()
    assert pool.submitted == []


async def test_luck_of_another_curve_is_measured_again(classic_database):
    store(classic_database, *classic_match(1))
    with derived_of(classic_database).engine.begin() as connection:
        connection.execute(text("UPDATE games SET luck = 7, curve = 'another'"))
    async with running_keeper(classic_database):
        await until_stored(classic_database, EXPECTED)


async def test_unreadable_game_keeps_no_other_from_its_luck(classic_database):
    store(classic_database, *classic_match(1))
    with classic_database.begin() as connection:
        connection.execute(text("UPDATE events SET json = replace(json, '1344', '9999')"))
    async with running_keeper(classic_database):
        await until_stored(classic_database, [None, *EXPECTED[1:]])


async def test_failed_task_is_tried_again(classic_database):
    store(classic_database, *classic_match(1))
    pool = FakePool(new_workspace())
    pool.replacements[MeasureLuck] = Call(fail)
    with structlog.testing.capture_logs() as logged:
        async with running_keeper(classic_database, pool, timing=replace(QUICK, luck_retry_seconds=0)):
            await until(lambda: logged)
            del pool.replacements[MeasureLuck]
            await until_stored(classic_database, EXPECTED)
    assert {line["error"] for line in logged} == {"RuntimeError"}


def fail():
    message = "the worker died"
    raise RuntimeError(message)


class TestTask:
    def test_impossible_game_has_no_luck(self):
        possible, impossible = (("1122", 4, 0),), (("1122", 3, 1),)
        task = MeasureLuck(CLASSIC.rules, CLASSIC.guess_limit, (possible, impossible))
        assert [luck is None for luck in task.run(new_workspace()).value] == [False, True]

    @pytest.mark.parametrize("turn", [("112", 1, 0), ("1129", 1, 0), ("1122", 3, 2), ("1122", None, 0), (None, 1, 0)])
    def test_game_that_cannot_be_read_has_no_luck(self, turn):
        task = MeasureLuck(CLASSIC.rules, CLASSIC.guess_limit, ((turn,), ()))
        assert task.run(new_workspace()).value == [None, 0]

    def test_rules_without_curve_have_no_luck(self):
        task = MeasureLuck(TINY.rules, TINY.guess_limit, ((), ()))
        assert task.run(new_workspace()).value == [None, None]

    def test_game_too_large_to_count_has_no_luck(self, monkeypatch):
        def refuse(*_):
            raise TooLargeError

        monkeypatch.setattr("evilpegs_server.work.tasks.game_luck", refuse)
        task = MeasureLuck(CLASSIC.rules, CLASSIC.guess_limit, ((),))
        assert task.run(new_workspace()).value == [None]


async def test_luck_reaches_the_leaderboard(classic_database):
    """A game counts at once; its luck follows at the next update after it was stored."""
    live = live_leaderboards(classic_database, LADDERS, structlog.get_logger())
    store(classic_database, *classic_match(1))
    await live.update()
    (row,) = await live.rows("classic")
    assert (row.games, row.adjusted_games, len(live.counting.awaited)) == (4, None, 4)
    async with running_keeper(classic_database):
        await until_stored(classic_database, EXPECTED)
    await live.update()
    (row,) = await live.rows("classic")
    scores = [3, 3, 11, 11]
    adjusted = [score - luck / 1e6 for score, luck in zip(scores, EXPECTED, strict=True)]
    assert (row.games, row.adjusted_games, len(live.counting.awaited)) == (4, 4, 0)
    assert row.adjusted_mean == pytest.approx(sum(adjusted) / 4, abs=1e-9)
    assert row.adjusted_deviation == pytest.approx(deviation(adjusted), abs=1e-9)
    await live.close()
    again = live_leaderboards(classic_database, LADDERS, structlog.get_logger())
    await again.update()
    assert await again.rows("classic") == (row,), "counted again, it is the same"
    await again.close()


def deviation(values):
    middle = sum(values) / len(values)
    return (sum((value - middle) ** 2 for value in values) / (len(values) - 1)) ** 0.5


async def test_curve_of_another_ladder_does_not_count(classic_database):
    """A ladder whose rules or limit have no curve is ranked by raw means."""
    other = replace(CLASSIC, guess_limit=9)
    live = live_leaderboards(classic_database, {"classic": other}, structlog.get_logger())
    store(classic_database, *classic_match(1))
    await live.update()
    (row,) = await live.rows("classic")
    assert (row.adjusted_games, len(live.counting.awaited)) == (None, 0)
    await live.close()
