"""Guests who come and go leave nothing, and those who vanish from their matches do not fill the server."""

import asyncio
import resource
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from support.hostile_peer import TRUSTING, Peer
from support.servers import child_server, dial
from support.waiting import until

CYCLES = 10_000


def play_and_leave(url, number, *, resign=True):
    """Connect, play and leave as a number of guests; return how many matches began."""
    begun = 0
    for _ in range(number):
        guest = Peer(url, address=None)
        guest.hello()
        begun += guest.ask(type="play", ladder="classic-practice")["type"] == "match_started"
        if resign:
            guest.hear("game_started")
            guest.ask(type="resign")
            guest.hear("match_over")
        guest.close()
    return begun


async def test_guests_leave_no_matches(run_server):
    server = await run_server()
    assert await asyncio.to_thread(play_and_leave, server.url, 50) == 50
    assert len(server.registry.open) == 0


@pytest.mark.parametrize(("most", "left"), [(10, 10), (1000, 30)], ids=["", "control"])
async def test_vanished_guests_leave_bounded_matches(run_server, most, left):
    server = await run_server(max_practice_matches=most)
    assert await asyncio.to_thread(play_and_leave, server.url, 30, resign=False) == 30
    await until(lambda: len(server.registry.open) <= left)
    assert len(server.registry.open) == left


@pytest.mark.parametrize(("seconds", "left"), [(0.1, 0), (600, 5)], ids=["", "control"])
async def test_vanished_guests_lose_matches(run_server, seconds, left):
    server = await run_server(guest_absent_seconds=seconds)
    assert await asyncio.to_thread(play_and_leave, server.url, 5, resign=False) == 5
    await until(lambda: len(server.registry.open) <= left)
    assert len(server.registry.open) == left


async def test_idle_guest_is_disconnected(run_server):
    server = await run_server(guest_idle_seconds=0.1, **TRUSTING)
    async with dial(server.url) as guest, dial(server.url) as player:
        await guest.hello(name=False)
        await player.hello("ann")
        with pytest.raises(ConnectionClosed) as closed:
            await guest.hear()
        assert (await player.ask(type="ping", c=1))["type"] == "pong"
    assert closed.value.rcvd.code == 1008
    assert all(fact in closed.value.rcvd.reason for fact in ("0.1 seconds", "guest_idle_seconds"))


def resident_kib(pid):
    """Return the memory that a process occupies, in KiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


@pytest.mark.abuse
async def test_memory_stays_after_many_guests(database):
    async with child_server(database) as child:
        pid, sizes = child.process.pid, []
        for cycles in (CYCLES // 10, CYCLES // 2, CYCLES - CYCLES // 10 - CYCLES // 2):
            assert await asyncio.to_thread(play_and_leave, child.url, cycles) == cycles
            sizes.append(resident_kib(pid))
            print(f"{sizes[-1]:,} KiB after {cycles:,} more guests")
    assert sizes[-1] <= 1.05 * sizes[0]
