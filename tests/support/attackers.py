"""Attackers in a process of their own, and the honest player whose latency is measured beside them.

    python attackers.py flood URL KIND
    python attackers.py storm URL MATCH...
    python attackers.py requests SITE_URL PATH

An attacker says when it has begun, attacks until its standard input ends, and then prints a JSON document with the
counts of its actions.
"""

import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.hostile_peer import CHUNKS, HELLO, Peer, text
from support.patience import PATIENCE
from support.servers import dial
from support.waiting import think, wait_until

MAX_BYTES = 1 << 30
"""The number of sent bytes after which a flood ends early."""
GUESTS = 100
REQUESTERS, PIPELINED = 200, 4


def flood(counts, url, kind):
    """Send frames of one ``kind`` of `CHUNKS`, and read nothing; replace a connection that the server closes."""
    while counts["bytes"] < MAX_BYTES:
        with contextlib.suppress(OSError), Peer(url) as attacker:
            counts["connections"] += 1
            attacker.send(HELLO)
            while counts["bytes"] < MAX_BYTES and attacker.send(CHUNKS[kind]):
                counts["bytes"] += len(CHUNKS[kind])


async def storm(counts, url, *matches):
    """Let `GUESTS` guests read finished matches, each as fast as the server lets them; count the answers."""
    await asyncio.gather(*(_read_on(counts, url, matches[guest:] + matches[:guest]) for guest in range(GUESTS)))


async def _read_on(counts, url, matches):
    batch = b"".join(text(type="resume", match=match, seq=0) for match in matches)
    while True:
        client = await asyncio.to_thread(Peer, url)
        client.socket.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=client.socket)
        writer.write(HELLO)
        with contextlib.suppress(OSError):
            while not writer.is_closing():
                writer.write(batch)
                for _ in range(10):
                    received = await reader.read(1 << 20)
                    counts["read"] += received.count(b'"not_your_match"')
                    counts["rate_limited"] += received.count(b'"rate_limited"')
                    if not received:
                        writer.close()
                        break
        writer.close()


async def request(counts, url, path):
    """Send requests to a site on `REQUESTERS` connections, several at once on each; count the answers."""
    address = urlsplit(url)
    batch = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode() * PIPELINED

    async def keep_asking():
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        received = b"-"
        while received:
            writer.write(batch)
            received = await reader.read(1 << 20)
            counts["answers"] += received.count(b"HTTP/1.1 ")
        writer.close()

    # the site may drop some
    await asyncio.gather(*(keep_asking() for _ in range(REQUESTERS)), return_exceptions=True)


class Honest:
    """A player who guesses a hundred times per second and notes how long each answer takes."""

    def __init__(self, raw):
        self.raw, self.match, self.game, self.turn = raw, None, 1, 1

    async def latencies(self, seconds, clock=time.perf_counter):
        """Play for ``seconds`` seconds; return the time by ``clock`` that each answer took, in milliseconds, sorted."""
        times, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            if self.match is None:
                self.match, self.game, self.turn = await self.raw.play("classic-evil"), 1, 1
            began = clock()
            given = await self.raw.guess(self.match, self.game, self.turn, "1122" if self.turn % 2 else "3344")
            times.append(1000 * (clock() - began))
            assert given["type"] == "feedback", given
            await self._go_on(await self.raw.hear("turn", "game_started", "match_over"))
            await think(0.01)
        return sorted(times)

    async def _go_on(self, message):
        if message["type"] == "turn":
            self.turn = message["turn"]
        elif message["type"] == "game_started":
            self.game, self.turn = message["game"], 1
            await self.raw.ready(self.match, self.game)
        else:
            self.match = None


@contextlib.asynccontextmanager
async def honest_player(url):
    """Yield an honest player on a connection that is open during the block."""
    async with dial(url) as raw:
        await raw.hello()
        yield Honest(raw)


@contextlib.asynccontextmanager
async def attack(kind, url, *arguments):
    """Run an attack during the block, which begins when the attack has, and print its counts afterwards."""
    pipes = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE}
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, kind, url, *arguments, **pipes)
    try:
        async with asyncio.timeout(PATIENCE):
            assert await process.stdout.readline() == b"begun\n"
        yield
        async with asyncio.timeout(PATIENCE):
            report, _ = await process.communicate(b"")
        print(f"\n  {kind} {' '.join(arguments[:1])}: {report.decode().strip()}")
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def percentile(times, share):
    """Return the time below which the fraction ``share`` of the sorted ``times`` lies."""
    return times[min(len(times) - 1, int(len(times) * share))]


def main(kind, *arguments):
    attacks, counts = {"flood": flood, "storm": storm, "requests": request}, Counter()

    def run():
        attacking = attacks[kind](counts, *arguments)
        if asyncio.iscoroutine(attacking):
            asyncio.run(attacking)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    if wait_until(lambda: counts or not thread.is_alive()):
        print("begun" if counts else "failed", flush=True)
        sys.stdin.read()
        print(json.dumps(counts), flush=True)
        os._exit(0)


if __name__ == "__main__":
    main(*sys.argv[1:])
