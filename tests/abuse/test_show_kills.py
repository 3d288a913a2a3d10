"""The show process is killed again and again while bots play and streams follow: nothing is lost or comes twice."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3

import pytest

from support.patience import PATIENCE
from support.servers import child_server, dial
from support.shows import answer, follow, next_show

CODES = ["1122", "3344", "5566", "1234", "6543", "2211", "4433", "6655", "4321"]


async def play(url, stopped):
    """Play matches until ``stopped``; return the answered guesses, each as (match, seq)."""
    answered = []
    async with dial(url) as player:
        await player.hello()
        while not stopped.is_set():
            match = await player.play("classic-practice")
            for turn, code in enumerate(CODES, 1):
                await asyncio.sleep(0.1)  # a stream resumes within 10,000 events: twenty seconds of fifty such players
                reply = await player.guess(match, 1, turn, code)
                assert reply["type"] == "feedback", reply
                answered.append((match, reply["seq"]))
                if reply["black"] == 4:
                    break
            await player.ask("match_over", type="resign", match=match)
    return answered


@pytest.mark.full
@pytest.mark.parametrize(("bots", "streams", "kills"), [(5, 10, 4), pytest.param(50, 100, 20, marks=pytest.mark.abuse)])
async def test_kills_lose_and_double_nothing(tmp_path, bots, streams, kills):
    file = tmp_path / "games.sqlite3"
    async with child_server(f"sqlite:///{file}", site=True) as server:
        await answer(server, "healthz")
        pid, stopped, final = await next_show(server), asyncio.Event(), []
        seen, kinds = [[] for _ in range(streams)], [[] for _ in range(streams)]
        url = f"{server.site_url}api/v1/events"

        def is_done(events):
            return bool(events) and events[-1][1]["type"] == "match_over" and events[-1][1]["match"] in final

        following = [
            asyncio.create_task(follow(url, *each)) for each in zip(seen, [is_done] * streams, kinds, strict=True)
        ]
        playing = [asyncio.create_task(play(server.url, stopped)) for _ in range(bots)]
        for _ in range(kills):
            os.kill(pid, signal.SIGKILL)
            pid = await next_show(server, pid)
            await answer(server, "healthz")
        stopped.set()
        async with asyncio.timeout(PATIENCE):
            answered = {each for played in await asyncio.gather(*playing) for each in played}
        async with dial(server.url) as player:
            await player.hello()
            final.append(await player.play("classic-practice"))
            await player.ask("match_over", type="resign", match=final[0])
        with contextlib.closing(sqlite3.connect(file)) as connection:
            stored = {number: json.loads(text) for number, text in connection.execute("SELECT id, json FROM events")}
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(*following)
        assert answered <= {(event["match"], event["seq"]) for event in stored.values()}
        assert {kind for each in kinds for kind in each} == {"place"}, "no stream was reset"
        for events in seen:
            numbers = [int(event_id.split("-")[1]) for event_id, _ in events]
            assert numbers == list(range(numbers[0], max(stored) + 1))
            assert all(stored[number] == event for number, (_, event) in zip(numbers, events, strict=True))
        status, errors = await server.stop(signal.SIGTERM)
        assert (status, errors.count("no show process"), "Traceback" in errors) == (0, kills, False)
