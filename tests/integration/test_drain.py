"""A server that is stopped notifies its players, keeps the whole record, and resumes every match later."""

import asyncio
import signal
import socket

import pytest
import structlog

from evilpegs_server.settings import Settings
from evilpegs_server.storage.database import open_existing_database
from evilpegs_server.storage.errors import DatabaseInUseError
from evilpegs_server.storage.log.archive import load_open_matches
from evilpegs_server.storage.queries import closing_engine
from support.handshakes import ENDLESS
from support.in_process import running_server
from support.patience import PATIENCE
from support.servers import ChildNotStartedError, child_server, dial


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_stopped_server_resumes_match_later(database, number):
    async with child_server(database) as child, dial(child.url) as raw:
        await raw.hello()
        match = await raw.play("classic-evil")
        given = await raw.guess(match, 1, 1, "1122")
        turn = await raw.hear("turn")
        status, errors = await child.stop(number)
        assert (status, "Traceback" in errors) == (0, False), errors
        assert '"stopped"' in errors
        assert (await raw.hear("notice"))["kind"] == "draining"
        assert await raw.closed() == 1012
    with closing_engine(open_existing_database(database)) as engine:
        assert [len(stored.entries) for stored in load_open_matches(engine)] == [given["seq"]]
    log = structlog.get_logger()
    async with running_server(Settings(port=0, site=False, database=database), log) as later, dial(later.url) as again:
        [known] = (await again.hello(token=raw.token))["open"]
        assert (known["match"], known["seq"]) == (match, given["seq"])
        await again.ask("resumed", type="resume", match=match, seq=given["seq"])
        opened = await again.hear("turn")
        assert (opened["turn"], opened["left_ms"]) == (2, turn["left_ms"])
        assert (await again.guess(match, 1, 2, "3344"))["type"] == "feedback"


async def test_silent_connection_does_not_delay_stop(database, endless_handshakes):
    settings = Settings(port=0, site=False, database=database)
    async with asyncio.timeout(PATIENCE):
        async with running_server(settings, structlog.get_logger(), timing=ENDLESS) as running:
            silent = socket.create_connection((running.host, running.port))
            await endless_handshakes.wait()
    silent.close()


async def test_second_server_on_database_is_refused(database):
    async with child_server(database):
        with pytest.raises(DatabaseInUseError):
            async with running_server(Settings(port=0, site=False, database=database), structlog.get_logger()):
                pass
        with pytest.raises(ChildNotStartedError) as caught:
            async with child_server(database):
                pass
    assert caught.value.status == 2
    [line] = caught.value.errors.splitlines()
    assert database.removeprefix("sqlite:///") in line
