"""What the server as a whole does at its end."""

import asyncio
from contextlib import ExitStack
from threading import Event, Timer

import pytest
import structlog

from evilpegs_server.service import HINT_TERMS, _pool, _solved_file, running_server
from evilpegs_server.settings import Settings


async def test_at_the_end_a_pool_finishes_what_it_is_at_and_drops_what_waits():
    began, go, told = Event(), Event(), []

    def work():
        began.set()
        return go.wait(10)

    with ExitStack() as stack:
        pool = _pool(stack, "test", HINT_TERMS, asyncio.get_running_loop())
        pool.submit("ann", 1, work, told.append)
        for _ in range(50):
            pool.submit("bob", 1, int, told.append)
        assert began.wait(10)
        Timer(0.05, go.set).start()
    await asyncio.sleep(0)
    assert told == [True]


@pytest.mark.parametrize(("given", "used"), [(None, "a.sqlite3.solved"), ("b", "b")])
def test_solved_positions_are_kept_beside_the_database_if_no_other_file_is_named(tmp_path, given, used):
    settings = Settings(database=f"sqlite:///{tmp_path / 'a.sqlite3'}", solved=given and tmp_path / given)
    assert _solved_file(settings) == tmp_path / used


async def test_at_the_end_it_is_logged_how_the_codemakers_did(database):
    with structlog.testing.capture_logs() as logged:
        async with running_server(Settings(port=0, database=database), structlog.get_logger()):
            pass
    [entry] = [entry for entry in logged if entry["event"] == "codemaking"]
    assert entry["log_level"] == "debug"
    assert {"part_sizes", "live_set_bytes", "solved", "replies", "hints"} <= set(entry)
