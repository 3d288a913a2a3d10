"""Attackers in a process of their own, and the honest player whose latency is measured beside them.

    python attackers.py flood URL SECONDS KIND
    python attackers.py storm URL SECONDS MATCH...
    python attackers.py requests SITE_URL SECONDS PATH

Each attacker stops by itself when the time is over, and then prints a JSON document with the counts of its actions.
"""

import asyncio
import contextlib
import json
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from support.patience import PATIENCE
from support.raw_sockets import CONT, HELLO, PING, PONG, TEXT, RawSocket, frame, text
from support.servers import dial

MAX_BYTES = 1 << 30
"""The number of sent bytes after which a flood ends early."""
GUESTS = 100
REQUESTERS, PIPELINED = 200, 4
CHUNKS = {
    "empty pings": frame(PING) * 10_000,
    "long pings": frame(PING, b"x" * 125) * 500,
    "pongs": frame(PONG) * 10_000,
    "fragments": frame(TEXT, b"", fin=False) + frame(CONT, b"", fin=False) * 10_000,
    "messages": text(type="ping", c=1) * 2_000,
}


def flood(url, seconds, kind):
    """Send frames of one ``kind`` of `CHUNKS` until the time is over, and read nothing.

    A connection that the server closes is replaced. Return the number of connections and of bytes as a dict.
    """
    connections = sent = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end and sent < MAX_BYTES:
        with contextlib.suppress(OSError), RawSocket(url) as attacker:
            connections += 1
            attacker.socket.settimeout(seconds)
            attacker.send(HELLO)
            while time.monotonic() < end and sent < MAX_BYTES and attacker.send(CHUNKS[kind]):
                sent += len(CHUNKS[kind])
    return {"connections": connections, "bytes": sent}


def storm(url, seconds, *matches):
    """Let `GUESTS` guests read finished matches, each as fast as the server lets them; return the counts of answers."""
    return asyncio.run(_storm(url, seconds, matches))


async def _storm(url, seconds, matches):
    end, counts = time.monotonic() + seconds, {"read": 0, "rate_limited": 0}
    await asyncio.gather(*(_read_on(url, end, matches[guest:] + matches[:guest], counts) for guest in range(GUESTS)))
    return counts


async def _read_on(url, end, matches, counts):
    batch = b"".join(text(type="resume", match=match, seq=0) for match in matches)
    while time.monotonic() < end:
        client = await asyncio.to_thread(RawSocket, url)
        client.socket.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=client.socket)
        writer.write(HELLO)
        with contextlib.suppress(TimeoutError, OSError):
            async with asyncio.timeout_at(asyncio.get_running_loop().time() + max(0, end - time.monotonic())):
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


def request(url, seconds, path):
    """Send requests to a site on `REQUESTERS` connections, several at once on each; return the number of answers."""
    return asyncio.run(_request(url, seconds, path))


async def _request(url, seconds, path):
    address, counts = urlsplit(url), {"answers": 0}
    batch = f"GET {path} HTTP/1.1\r\nHost: {address.netloc}\r\n\r\n".encode() * PIPELINED

    async def keep_asking():
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        received = b"-"
        while received:
            writer.write(batch)
            received = await reader.read(1 << 20)
            counts["answers"] += received.count(b"HTTP/1.1 ")
        writer.close()

    connections = [asyncio.create_task(keep_asking()) for _ in range(REQUESTERS)]
    await asyncio.wait(connections, timeout=seconds)
    for each in connections:
        each.cancel()
    await asyncio.wait(connections)
    return counts


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
            await asyncio.sleep(0.01)
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
async def attack(kind, url, seconds, *arguments):
    """Run an attack during the block, and print its counts afterwards.

    The attack runs in a process of its own, which has ended after the block.
    """
    command = [sys.executable, __file__, kind, url, str(seconds), *arguments]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        yield
        report, _ = await asyncio.wait_for(process.communicate(), seconds + PATIENCE)
        print(f"\n  {kind} {' '.join(arguments[:1])}: {report.decode().strip()}")
        assert process.returncode == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def percentile(times, share):
    """Return the time below which the fraction ``share`` of the sorted ``times`` lies."""
    return times[min(len(times) - 1, int(len(times) * share))]


if __name__ == "__main__":
    attacks = {"flood": flood, "storm": storm, "requests": request}
    print(json.dumps(attacks[sys.argv[1]](sys.argv[2], float(sys.argv[3]), *sys.argv[4:])))
