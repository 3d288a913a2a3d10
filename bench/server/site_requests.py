"""Requests to the site in open loop, from a process that may stand for other machines.

    python -m bench.server.site_requests SITE PATH SECONDS

prints the latencies in milliseconds as a JSON list.
"""

import asyncio
import itertools
import json
import subprocess
import sys
import time
from urllib.parse import urlsplit

import uvloop

from bench.command import ROOT
from bench.server.processes import NICENESS

REQUESTS_PER_SECOND = 200
CONNECTIONS = 8


def start_requests(site, path, seconds, niceness=NICENESS):
    """Start the process; its standard output is a pipe."""
    command = (sys.executable, "-m", "bench.server.site_requests", site, path, str(seconds))
    return subprocess.Popen(("nice", "-n", str(niceness), *command), stdout=subprocess.PIPE, text=True, cwd=ROOT)


async def request_until(end, site, path, latencies):
    """Send requests in open loop until ``end``; a request that has to wait for a connection is late."""
    address = urlsplit(site)
    text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n"
    idle = asyncio.Queue()
    for _ in range(CONNECTIONS):
        idle.put_nowait(await asyncio.open_connection(address.hostname, address.port))
    async with asyncio.TaskGroup() as tasks:
        began = time.perf_counter()
        for number in itertools.count():
            planned = began + number / REQUESTS_PER_SECOND
            if planned > end:
                break
            await asyncio.sleep(max(0, planned - time.perf_counter()))
            tasks.create_task(request(idle, text, planned, latencies))


async def request(idle, text, planned, latencies):
    """Send a request and append its latency, which counts from the planned time."""
    reader, writer = await idle.get()
    writer.write(text.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    assert head.startswith("http/1.1 200 "), head
    await reader.readexactly(int(head.split("content-length: ")[1].split("\r\n")[0]))
    latencies.append((time.perf_counter() - planned) * 1000)
    idle.put_nowait((reader, writer))


def main():
    """Send requests and print their latencies."""
    site, path, seconds = sys.argv[1:]
    latencies = []
    uvloop.run(request_until(time.perf_counter() + float(seconds), site, path, latencies))
    print(json.dumps(latencies))


if __name__ == "__main__":
    main()
