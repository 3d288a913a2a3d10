"""Attacks on a server in a process of its own: what others notice, what the attacker is charged, what memory grows."""

import asyncio
import os
import signal
import time
from pathlib import Path

import httpx
import pytest
import structlog

from evilpegs_server.server import running_server
from evilpegs_server.settings import Settings
from evilpegs_server.show_process import show_apart
from evilpegs_server.show_server import running_show
from support.attackers import attack, honest_player, percentile
from support.hostile_peer import HELLO, PING, Peer, frame
from support.patience import PATIENCE
from support.servers import child_server, dial
from support.waiting import think, until

LENIENT_SERVER = str(Path(__file__).parents[1] / "support" / "lenient_server.py")
SECONDS = 8
"""The length of an attack and of the quiet before it."""
NOTICEABLE_MS = 10
"""A delay that nobody notices, however quiet it was before."""


async def answered(raw, thinking):
    """Play one guess on `classic` after ``thinking``, a coroutine.

    Return its feedback, and the time in ms since before the clock of its turn ran.
    """
    began = time.monotonic()
    match = await raw.play("classic-evil")
    await thinking
    return await raw.guess(match, 1, 1, "1122"), 1000 * (time.monotonic() - began)


async def stopped(child, raw, seconds):
    """Stop the whole process for some seconds, once the clock of the turn that was just sent is sure to run."""
    await raw.ask("pong", type="ping", c=1)
    os.kill(child.process.pid, signal.SIGSTOP)
    await think(seconds)
    os.kill(child.process.pid, signal.SIGCONT)


@pytest.mark.parametrize("seconds", [3, pytest.param(12, marks=pytest.mark.abuse)])
async def test_stopped_process_charges_nobody(database, seconds):
    async with child_server(database) as child, dial(child.url) as raw:
        await raw.hello()
        given, wall = await answered(raw, stopped(child, raw, seconds))
        print(f"\n  stopped within {wall:.0f} ms: charged {given['took_ms']} ms, credited {given['stalled_ms']} ms")
        assert given["stalled_ms"] > 900 * seconds
        assert given["took_ms"] + given["stalled_ms"] <= wall + 1  # each is rounded


@pytest.mark.abuse
async def test_counted_stop_is_charged(database, monkeypatch):
    """Control: a clock that leaves out no stall charges the time for which the process was stopped."""
    monkeypatch.setenv("COUNT_STOPS", "1")
    async with child_server(database, LENIENT_SERVER) as child, dial(child.url) as raw:
        await raw.hello()
        given, wall = await answered(raw, stopped(child, raw, 4))
        print(f"\n  stopped for {wall:.0f} ms: charged {given['took_ms']} ms")
        assert given["took_ms"] > 3_900


async def latencies_beside(url, kind, *arguments):
    """Return the latencies of an honest player in quiet, and during an attack."""
    async with honest_player(url) as honest:
        await honest.latencies(2)
        quiet = await honest.latencies(SECONDS)
        async with attack(kind, url, *arguments):
            return quiet, await honest.latencies(SECONDS)


def report(label, quiet, attacked):
    for name, times in (("quiet", quiet), (label, attacked)):
        p50, p99 = percentile(times, 0.5), percentile(times, 0.99)
        print(f"  {name:<16} p50 {p50:8.2f} ms   p99 {p99:8.2f} ms   longest {times[-1]:8.2f} ms")


@pytest.mark.abuse
@pytest.mark.parametrize("kind", ["empty pings", "long pings", "pongs", "fragments", "messages"])
async def test_others_do_not_notice_flood(database, kind):
    async with child_server(database) as child:
        quiet, flooded = await latencies_beside(child.url, "flood", kind)
        report(kind, quiet, flooded)
        assert percentile(flooded, 0.99) <= max(NOTICEABLE_MS, (2 if "pings" in kind else 3) * percentile(quiet, 0.99))


@pytest.mark.abuse
async def test_others_notice_unlimited_flood(database):
    """Control: the same flood on a server without the limits."""
    async with child_server(database, LENIENT_SERVER) as child:
        quiet, flooded = await latencies_beside(child.url, "flood", "empty pings")
        report("empty pings", quiet, flooded)
        assert percentile(flooded, 0.99) > max(NOTICEABLE_MS, 10 * percentile(quiet, 0.99))


async def thought_beside_flood(url):
    """Return what a player is charged who floods the server from another connection while thinking, and the time."""
    async with dial(url) as raw:
        await raw.hello()
        async with attack("flood", url, "empty pings"):
            given, wall = await answered(raw, think(SECONDS - 2))
    print(f"  thought for {wall:.0f} ms: charged {given['took_ms']} ms, credited {given.get('stalled_ms', 0)} ms")
    return given["took_ms"] / wall


@pytest.mark.abuse
async def test_flooder_is_charged(database):
    async with child_server(database) as child:
        assert await thought_beside_flood(child.url) >= 0.9


@pytest.mark.abuse
async def test_flooder_was_credited_once(database):
    """Control: a server that parses whole reads and credits every stall gives the flooder time to think."""
    async with child_server(database, LENIENT_SERVER) as child:
        assert await thought_beside_flood(child.url) < 0.9


def unread_pongs(url, count):
    """Send long pings and read no answer, until the connection is closed; return the bytes that were sent."""
    chunk, sent = frame(PING, b"x" * 125) * 1_000, 0
    with Peer(url, small=True) as attacker:
        attacker.send(HELLO)
        while sent < count * len(chunk) and attacker.send(chunk):
            sent += len(chunk)
    return sent


def resident_kib(pid):
    """Return the memory of a process."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


async def growth(child):
    """Return by how many KiB the server grows while it is sent 128 MiB of pings whose pongs nobody reads."""
    async with dial(child.url) as raw:
        await raw.hello()
        before = resident_kib(child.process.pid)
        sending = asyncio.create_task(asyncio.to_thread(unread_pongs, child.url, 1_000))
        peak = before

        def measured():
            nonlocal peak
            peak = max(peak, resident_kib(child.process.pid))
            return sending.done()

        await until(measured)
    print(f"\n  {(await sending) >> 20} MiB of pings: {before >> 10} MiB, at most {peak >> 10} MiB")
    return peak - before


@pytest.mark.abuse
async def test_unread_pongs_do_not_fill_memory(database, monkeypatch):
    """Not even where the rate of frames is unlimited."""
    monkeypatch.setenv("EVILPEGS_REQUESTS_PER_SECOND", "100000000")
    async with child_server(database) as child:
        assert await growth(child) < 16 << 10


@pytest.mark.abuse
async def test_unbounded_pongs_fill_memory(database):
    """Control: without the bound the pongs pile up."""
    async with child_server(database, LENIENT_SERVER) as child:
        assert await growth(child) > 64 << 10


async def finished_matches(url, count):
    """Play matches that are over; return their ids."""
    matches = []
    async with dial(url) as raw:
        await raw.hello()
        for _ in range(count):
            matches.append(await raw.play("classic-evil"))
            await raw.guess(matches[-1], 1, 1, "1122")
            await raw.ask("match_over", type="resign", match=matches[-1])
    return matches


@pytest.mark.abuse
async def test_others_do_not_notice_read_storm(database):
    async with child_server(database) as child:
        matches = await finished_matches(child.url, 60)
        quiet, stormed = await latencies_beside(child.url, "storm", *matches)
        report("100 readers", quiet, stormed)
        assert percentile(stormed, 0.5) < 50


@pytest.mark.abuse
async def test_others_notice_unlimited_read_storm(database):
    """Control: the same storm on a server that reads at no price, without a cache and on its event loop."""
    async with child_server(database, LENIENT_SERVER) as child:
        matches = await finished_matches(child.url, 60)
        quiet, stormed = await latencies_beside(child.url, "storm", *matches)
        report("100 readers", quiet, stormed)
        assert percentile(stormed, 0.5) > 10 * percentile(quiet, 0.5)


async def used_beside_requests(database, show, path, seconds):
    """Return the processor time that the game's process, which is this one, uses while a guess waits for its answer.

    First in quiet, then while the site answers a flood of requests for ``path``; medians in milliseconds.
    """
    settings = Settings(port=0, site_port=0, database=database)
    async with running_server(settings, structlog.get_logger(), show=show) as server:
        await finished_matches(server.url, 60)
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            await client.get(server.site_url)
        async with honest_player(server.url) as honest:
            await honest.latencies(seconds, time.process_time)
            quiet = await honest.latencies(seconds, time.process_time)
            async with attack("requests", server.site_url, path):
                flooded = await honest.latencies(seconds, time.process_time)
    report(path, quiet, flooded)
    return percentile(quiet, 0.5), percentile(flooded, 0.5)


FLOODS = [
    ("/api/v1/matches", 1),
    *(pytest.param(path, SECONDS, marks=pytest.mark.abuse) for path in ("/api/v1/ladders", "/api/v1/matches", "/no")),
]


@pytest.mark.parametrize(("path", "seconds"), FLOODS)
async def test_players_do_not_notice_flood_of_site(database, path, seconds):
    quiet, flooded = await used_beside_requests(database, show_apart, path, seconds)
    assert flooded < 3 * quiet


@pytest.mark.parametrize(("path", "seconds"), FLOODS)
async def test_players_notice_flood_of_site_in_the_process_of_the_game(database, path, seconds):
    """Control: the event loop of the games answers the requests too."""
    quiet, flooded = await used_beside_requests(database, running_show, path, seconds)
    assert flooded > 3 * quiet
