"""Readers of the site, in a process that stands for other machines: requests in open loop, and streams of matches.

    python -m bench.server.readers SITE SECONDS STREAMS PATH REQUESTS_PER_SECOND

prints a JSON object: the latencies of the requests, the times until a stream began, and the delays of the feedback
events of the streams, in milliseconds, and the number of all events of the streams. The streams are opened evenly
within `WARM_UP_SECONDS`; what is requested or played within them does not count.
"""

import asyncio
import itertools
import json
import random
import sys
import time
from urllib.parse import urlsplit

import uvloop

from bench.command import ROOT
from bench.server.processes import start_niced

CONNECTIONS = 8
WARM_UP_SECONDS = 2.0
LIST = "/api/v1/matches?limit=100"


def start_readers(site, seconds, streams, path, output, requests):
    """Start the process, which writes to the file ``output``."""
    command = (sys.executable, "-m", "bench.server.readers", site, *map(str, (seconds, streams, path, requests)))
    return start_niced(command, stdout=output, cwd=ROOT)


def request_of(path, headers="Accept-Encoding: gzip"):
    """Return a request, by default one that accepts gzip, as browsers do."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{headers}\r\n\r\n".encode()


class Readers:
    """The readers of a site, and what they noticed."""

    def __init__(self, site, seconds, path, requests):
        self.requests_per_second = requests
        self.address, self.path = urlsplit(site), path
        self.begin = time.perf_counter() + WARM_UP_SECONDS
        self.wall_begin = (time.time() + WARM_UP_SECONDS) * 1000
        self.end = time.perf_counter() + seconds
        self.latencies, self.openings, self.delays = [], [], []
        self.matches = []
        self.events = 0

    async def run(self, streams):
        """Read until the time is over."""
        pauses = (WARM_UP_SECONDS * number / streams for number in range(streams))
        following = [asyncio.create_task(self.follow_matches(pause)) for pause in pauses]
        listing = asyncio.create_task(self.list_matches())
        if self.requests_per_second:
            await self.request_in_open_loop()
        else:
            await asyncio.sleep(self.end - time.perf_counter())
        for task in (listing, *following):
            assert not task.done(), task
            task.cancel()
        await asyncio.gather(listing, *following, return_exceptions=True)

    async def connect(self):
        return await asyncio.open_connection(self.address.hostname, self.address.port)

    async def request_in_open_loop(self):
        """Send requests; one that has to wait for a connection is late."""
        idle = asyncio.Queue()
        for _ in range(min(CONNECTIONS, self.requests_per_second)):  # the site closes those that ask too seldom
            idle.put_nowait(await self.connect())
        async with asyncio.TaskGroup() as tasks:
            began = time.perf_counter()
            for number in itertools.count():
                planned = began + number / self.requests_per_second
                if planned > self.end:
                    break
                await asyncio.sleep(max(0, planned - time.perf_counter()))
                tasks.create_task(self.request(idle, planned))

    async def request(self, idle, planned):
        """Send a request and note its latency, which counts from the planned time."""
        reader, writer = await idle.get()
        writer.write(request_of(self.path))
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        assert head.startswith("http/1.1 200 "), head
        await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
        if planned >= self.begin:
            self.latencies.append((time.perf_counter() - planned) * 1000)
        idle.put_nowait((reader, writer))

    async def list_matches(self):
        """Look once per second which matches are open."""
        while True:
            reader, writer = await self.connect()
            writer.write(request_of(LIST, "Connection: close"))
            head, _, body = (await reader.read()).partition(b"\r\n\r\n")
            writer.close()
            if head.startswith(b"HTTP/1.1 200 "):  # else the server cannot keep up, and lists can wait
                self.matches = [each["match"] for each in json.loads(body)["matches"] if not each["over"]]
            await asyncio.sleep(1)

    async def follow_matches(self, pause):
        """Follow one open match after the other."""
        await asyncio.sleep(pause)
        while True:
            if self.matches:
                await self.follow(random.choice(self.matches))
            else:
                await asyncio.sleep(0.05)

    async def follow(self, match):
        """Follow a match, and note the delays of what is played from now on."""
        reader, writer = await self.connect()
        try:
            began = time.time() * 1000
            writer.write(request_of(f"/api/v1/matches/{match}/events"))
            status = await reader.readline()
            assert status.startswith(b"HTTP/1.1 200 "), status
            self.openings.append(time.time() * 1000 - began)
            began = max(began, self.wall_begin)
            async for line in reader:
                if line == b"0\r\n":  # the last chunk
                    return
                self.events += line.startswith(b"data: ") and time.perf_counter() >= self.begin
                if b'"type":"feedback"' in line:
                    at = int(line.partition(b'"at":')[2].partition(b",")[0])
                    if at >= began:
                        self.delays.append(time.time() * 1000 - at)
        finally:
            writer.close()


def main():
    """Read, and print what was noticed."""
    site, seconds, streams, path, requests = sys.argv[1:]
    readers = Readers(site, float(seconds), path, int(requests))
    uvloop.run(readers.run(int(streams)))
    noticed = {"requests": readers.latencies, "openings": readers.openings, "streams": readers.delays}
    print(json.dumps(noticed | {"events": readers.events}))


if __name__ == "__main__":
    main()
