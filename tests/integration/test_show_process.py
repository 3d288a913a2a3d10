"""The show process dies, hangs, and loses its file; players notice nothing, and streams go on where they were."""

import asyncio
import os
import signal

from evilpegs_server.storage.derived.file import derived_path
from support.patience import PATIENCE
from support.processes import is_running
from support.servers import child_server, dial
from support.shows import answer, follow, next_show
from support.waiting import until

CODES = ["1122", "3344", "5566", "1234", "6543", "2211", "4433", "6655", "4321"]


async def test_killed_show_loses_and_doubles_nothing(tmp_path):
    kills = 3
    async with child_server(f"sqlite:///{tmp_path}/games.sqlite3", site=True) as server, dial(server.url) as ann:
        await ann.hello("ann")
        match = await ann.play("classic-evil-practice")
        seen, pid = [], await next_show(server)
        following = asyncio.create_task(follow(f"{server.site_url}api/v1/matches/{match}/events", seen))
        for number in range(kills):
            os.kill(pid, signal.SIGKILL)
            if number < len(CODES):
                assert (await ann.guess(match, 1, number + 1, CODES[number]))["type"] == "feedback"
            pid = await next_show(server, pid)
            await answer(server, "healthz")
        await ann.ask("match_over", type="resign", match=match)
        async with asyncio.timeout(PATIENCE):
            await following
        assert (await answer(server, f"api/v1/matches/{match}"))["over"]
        assert [event["seq"] for _, event in seen] == list(range(1, len(seen) + 1))
        status, errors = await server.stop(signal.SIGTERM)
        assert status == 0
        assert errors.count("no show process; starting another") == kills
        assert "Traceback" not in errors


async def test_hanging_show_is_replaced(tmp_path):
    async with child_server(f"sqlite:///{tmp_path}/games.sqlite3", site=True) as server, dial(server.url) as ann:
        await ann.hello("ann")
        match = await ann.play("classic-evil-practice")
        await answer(server, "healthz")
        pid = await next_show(server)
        os.kill(pid, signal.SIGSTOP)
        assert (await ann.guess(match, 1, 1, "1122"))["type"] == "feedback"
        await next_show(server, pid)
        assert not is_running(pid)
        document = await answer(server, f"api/v1/matches/{match}")
        assert [turn["code"] for turn in document["games"][0]["turns"]] == ["1122"]


async def test_derived_file_that_is_deleted_is_made_again(tmp_path):
    database = f"sqlite:///{tmp_path}/games.sqlite3"
    async with child_server(database, site=True) as server, dial(server.url) as ann:
        await ann.hello("ann")
        match = await ann.play("classic-evil")
        await ann.ask("match_over", type="resign", match=match)

        async def rows():
            return (await answer(server, "api/v1/ladders/classic-evil/leaderboard"))["rows"]

        before = await until(rows)
        file = derived_path(database)
        file.unlink()
        await until(file.exists)
        again = await rows()
        assert again[0]["games"] == before[0]["games"]
        listed = (await answer(server, "api/v1/matches"))["matches"]
        assert listed[0]["outcomes"][0] == "resigned"
