"""The server as a whole: starts that fail, files that it checks, and entries that it logs at its end."""

import asyncio
import contextlib
import socket

import pytest
import structlog

from evilpegs_server import listening
from evilpegs_server.listening import AddressUnusableError
from evilpegs_server.server import report_compilation, serve_until_stopped
from evilpegs_server.settings import Settings
from evilpegs_server.storage.log.writer import Writer
from evilpegs_server.timing import Timing
from support.in_process import serving
from support.patience import PATIENCE
from support.waiting import loop_turns, until


async def test_server_end_logs_codemaking_metrics(database):
    with structlog.testing.capture_logs() as logged:
        async with serving(database):
            pass
    [entry] = [entry for entry in logged if entry["event"] == "codemaking"]
    assert entry["log_level"] == "debug"
    assert {"known", "part_sizes", "live_set_bytes", "solved", "replies", "hints"} <= set(entry)


async def test_unusable_site_host_is_named(database):
    with pytest.raises(AddressUnusableError, match=r"203\.0\.113\.7.*site_host"):
        async with serving(database, site=True, site_host="203.0.113.7"):
            pass


@pytest.mark.parametrize("option", ["port", "site_port"])
async def test_port_in_use_creates_nothing(database, tmp_path, option):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = {option: taken.getsockname()[1]}
        with pytest.raises(AddressUnusableError, match=f"--{option.replace('_', '-')}$"):
            async with serving(database, Timing(port_release_seconds=0), site=True, **port):
                pass
    assert list(tmp_path.iterdir()) == []


async def test_port_of_site_that_is_released_soon_is_waited_for(database, monkeypatch):
    """The show process of a server that was killed goes on for a moment."""
    tries, bind = [], listening.bind

    async def noted(host, port):
        tries.append(port)
        return await bind(host, port)

    monkeypatch.setattr(listening, "bind", noted)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        settings = Settings(database=database, port=0, site=True, site_port=port)
        starting = asyncio.create_task(listening.check_addresses(settings, PATIENCE))
        await until(lambda: tries.count(port) > 1 or starting.done())
        assert not starting.done()
    await starting


async def test_equal_ports_are_refused(database):
    with pytest.raises(AddressUnusableError, match=r"18777.*two ports"):
        async with serving(database, site=True, port=18_777, site_port=18_777):
            pass


@pytest.mark.parametrize(("links", "warnings"), [(1, 1), (0, 0)])
async def test_server_warns_of_other_names_of_database(tmp_path, database, links, warnings):
    file = tmp_path / "evilpegs.sqlite3"
    file.touch(mode=0o600)
    for _ in range(links):
        (tmp_path / "other").hardlink_to(file)
    with structlog.testing.capture_logs() as logged:
        async with serving(database):
            pass
    assert len([entry for entry in logged if "hard links" in entry["event"]]) == warnings


async def test_server_tightens_lax_files(tmp_path, database):
    file = tmp_path / "evilpegs.sqlite3"
    file.touch(mode=0o644)
    file.chmod(0o644)
    with structlog.testing.capture_logs() as logged:
        async with serving(database):
            pass
    assert file.stat().st_mode & 0o777 == 0o600
    assert len([entry for entry in logged if "evilpegs.sqlite3" in entry.get("files", "")]) == 1


async def test_server_leaves_rights_of_foreign_files_alone(tmp_path, database):
    (folder := tmp_path / "evilpegs.sqlite3.feed").mkdir(mode=0o755)
    (foreign := tmp_path / "notes").write_text("mine")
    foreign.chmod(0o644)
    async with serving(database, solved=foreign):
        pass
    assert [path.stat().st_mode & 0o777 for path in (folder, foreign)] == [0o755, 0o644]


async def test_server_reports_disk_that_does_not_take_last_events(database, monkeypatch):
    close = Writer.close
    monkeypatch.setattr(Writer, "close", lambda writer: close(writer) and False)
    with structlog.testing.capture_logs() as logged:
        async with serving(database):
            pass
    assert len([entry for entry in logged if "last events" in entry["event"]]) == 1


class TestCompilation:
    async def messages(self, warm):
        """Return what is logged about a task that compiles kernels."""
        with structlog.testing.capture_logs() as logged:
            reporting = asyncio.create_task(report_compilation(warm, structlog.get_logger()))
            await loop_turns(10)
            before = len(logged)
            warm.cancel()
            await reporting
        return before, len(logged)

    async def test_unfinished_compilation_is_logged_at_both_ends(self):
        assert await self.messages(asyncio.create_task(asyncio.Event().wait())) == (1, 2)

    async def test_finished_compilation_is_not_mentioned(self):
        warm = asyncio.create_task(loop_turns())
        await warm
        assert await self.messages(warm) == (0, 0)

    async def test_server_is_announced_before_kernels_are_compiled(self, database, monkeypatch):
        """The control is the task that never ends: announcing after it would never happen."""
        announced, endless = asyncio.Event(), asyncio.Event()
        monkeypatch.setattr("evilpegs_server.server.CodemakingWork.warm_up", lambda *_: endless.wait())
        settings = Settings(port=0, site=False, database=database)
        serving = asyncio.create_task(
            serve_until_stopped(
                settings, structlog.get_logger(), lambda _server: announced.set(), Timing(compiling_seconds=0)
            )
        )
        async with asyncio.timeout(PATIENCE):
            await announced.wait()
        serving.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await serving
