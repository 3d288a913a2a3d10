"""Analyses of finished matches: computed once, in the worker process, and never for a match in play."""

import asyncio
import os
import threading

import orjson
import pytest
import structlog
from starlette.exceptions import HTTPException

from evilpegs_game.analysis.turns import USUAL
from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_server.record.recorded_match import MatchReplay, analyze_match, replay_document
from evilpegs_server.site import analysis
from evilpegs_server.site.analysis import MAX_WAITING, MatchAnalyses
from evilpegs_server.storage.log.archive import load_match
from evilpegs_server.storage.reads import BusyError
from evilpegs_server.work.pool import TaskPool
from evilpegs_server.work.scheduler import ONE_AT_A_TIME
from evilpegs_server.work.tasks import AnalyzeGames
from evilpegs_server.work.worker_process import WorkerProcess
from evilpegs_server.work.workspace import WorkerSetup
from support.fake_server import FakePool
from support.matches import TINY
from support.patience import PATIENCE
from support.stored_matches import StoredPlay, store, store_players
from support.waiting import loop_turns, until
from support.workspaces import Call, new_workspace

BYTES = 64 << 20
GAMES = (("solved", [3, 4]), ("unsolved", [1]), ("flagged", []))
OVER, OTHER, IN_PLAY = (f"{number:016x}" for number in (1, 2, 3))


@pytest.fixture
def played(engine):
    """A database with two finished matches and one in play."""
    store_players(engine)
    plays = [
        StoredPlay(1, TINY).play(*GAMES),
        StoredPlay(2, TINY, "bob").play(("solved", [9])),
        StoredPlay(3, TINY, "eve").play(("solved", [5]))[:-1],
    ]
    store(engine, *(step for play in plays for step in play))
    return engine


@pytest.fixture
def pool():
    return FakePool(new_workspace())


@pytest.fixture
async def analyses(played, pool):
    analyses = MatchAnalyses(played, pool)
    yield analyses
    analyses.close()


async def read(analyses, match):
    return orjson.loads(await analyses.text(match))


def expected(engine, match):
    """Return the document that the command line shows."""
    document = replay_document(analyze_match(match, load_match(engine, match).entries, USUAL))
    return orjson.loads(orjson.dumps(document))


async def submitted(pool, tasks):
    """Wait until the pool has received so many tasks."""
    await until(lambda: len(pool.submitted) >= tasks)


async def test_document_equals_that_of_command_line(played, analyses):
    document = await read(analyses, OVER)
    assert document == expected(played, OVER)
    assert [len(game["turns"]) for game in document["games"]] == [2, 1, 0]
    assert document["games"][0]["turns"][0]["analysis"]["before"] == 9


async def test_real_worker_computes_same_document(played):
    """The analysis runs in a process of its own."""
    setup = WorkerSetup(BYTES, BYTES, SolvedPositions().to_bytes())
    process = WorkerProcess(setup, structlog.get_logger(), export_seconds=PATIENCE)
    pool = TaskPool(ONE_AT_A_TIME, process, lambda: 0.0)
    async with asyncio.timeout(PATIENCE):
        assert await read(MatchAnalyses(played, pool), OVER) == expected(played, OVER)
    assert process.pid != os.getpid()
    assert pool.metrics().done == 1
    await process.close()


async def test_match_is_analyzed_once_for_all_who_ask(analyses, pool):
    pool.paused = True
    waiting = [asyncio.create_task(read(analyses, OVER)) for _ in range(5)]
    await submitted(pool, 1)
    pool.run_pending()
    documents = await asyncio.gather(*waiting)
    assert documents == [documents[0]] * 5
    assert await read(analyses, OVER) == documents[0]
    assert len(pool.submitted) == 1
    assert analyses.texts.state.hits == 1


async def test_analysis_continues_when_first_reader_leaves(analyses, pool):
    pool.paused = True
    first, second = (asyncio.create_task(analyses.text(OVER)) for _ in range(2))
    await submitted(pool, 1)
    first.cancel()
    pool.run_pending()
    assert orjson.loads(await second)["match"] == OVER
    assert len(pool.submitted) == 1


async def test_match_in_play_is_not_analyzed(analyses, pool):
    with pytest.raises(HTTPException) as refusal:
        await read(analyses, IN_PLAY)
    assert refusal.value.status_code == 409
    assert pool.submitted == []


async def test_unknown_match_is_not_analyzed(analyses, pool):
    with pytest.raises(HTTPException) as refusal:
        await read(analyses, "none")
    assert refusal.value.status_code == 404
    assert "'none'" in refusal.value.detail
    assert pool.submitted == []


async def test_failed_analysis_is_tried_again(analyses, pool):
    def fail():
        raise MemoryError

    pool.replacements = {AnalyzeGames: Call(fail)}
    with pytest.raises(MemoryError):
        await read(analyses, OVER)
    pool.replacements = {}
    assert (await read(analyses, OVER))["match"] == OVER


async def test_documents_over_budget_are_dropped(played, pool):
    size = len(await MatchAnalyses(played, pool).text(OVER))
    analyses = MatchAnalyses(played, pool, max_bytes=size)
    for match in (OVER, OTHER, OVER):
        await analyses.text(match)
    assert analyses.texts.state.bytes_used <= size
    assert analyses.texts.state.hits == 0


async def test_too_many_waiting_matches_are_refused(analyses, pool, monkeypatch):
    """Matches that wait already can still be asked for."""
    monkeypatch.setattr(analysis, "MAX_WAITING", 1)
    pool.paused = True
    first = asyncio.create_task(analyses.text(OVER))
    await submitted(pool, 1)
    with pytest.raises(BusyError):
        await analyses.text(OTHER)
    again = asyncio.create_task(analyses.text(OVER))
    await loop_turns()
    pool.run_pending()
    assert await first == await again
    assert MAX_WAITING > 1


async def test_close_ends_waiting(analyses, pool):
    pool.paused = True
    waiting = asyncio.create_task(analyses.text(OVER))
    await submitted(pool, 1)
    analyses.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    pool.run_pending()


async def test_event_loop_does_none_of_the_work(played, pool, monkeypatch):
    """Reading, checking and writing a match happen in threads, and its analysis in the pool."""
    threads = []
    for name in ("load_entries", "read_replay", "replay_document", "add_analyses"):
        monkeypatch.setattr(analysis, name, noting_thread(getattr(analysis, name), threads))
    histories = noting_thread(MatchReplay.histories.fget, threads)
    monkeypatch.setattr(MatchReplay, "histories", property(histories))
    await MatchAnalyses(played, pool).text(OVER)
    assert len(threads) == 5
    assert threading.get_ident() not in threads


def noting_thread(function, threads):
    def note(*arguments):
        threads.append(threading.get_ident())
        return function(*arguments)

    return note
