"""The show process of a server that runs as a child: its process id, its site, and streams that outlive it."""

import asyncio
import contextlib
import json
from pathlib import Path

import httpx

from support.patience import PATIENCE


def show_of(server):
    """Return the process id of the show process of a server, None while there is none."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server.process.pid and b"evilpegs_server.show_server" in (folder / "cmdline").read_bytes():
                return int(folder.name)
        except (FileNotFoundError, ProcessLookupError):
            continue
    return None


async def next_show(server, old=None):
    async with asyncio.timeout(PATIENCE):
        while (pid := show_of(server)) in {None, old}:  # noqa: ASYNC110 - another process
            await asyncio.sleep(0.01)
    return pid


async def answer(server, path):
    """Return the JSON of the site once it answers."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client, asyncio.timeout(PATIENCE):
        while True:
            try:
                answered = await client.get(f"{server.site_url}{path}")
            except httpx.TransportError:  # the connection was that of a process that was killed
                continue
            if answered.status_code == 200:
                return answered.json()
            assert answered.status_code == 503, answered.text
            await asyncio.sleep(0.05)


def is_over(seen):
    return bool(seen) and seen[-1][1]["type"] == "match_over"


async def follow(url, seen, is_done=is_over, kinds=None):
    """Follow a stream, also through its breaks, and add (id, event) to ``seen`` until ``is_done`` says so.

    ``kinds`` gets the kinds of events that are none of a match, such as `reset`.
    """
    last = None
    async with httpx.AsyncClient(timeout=PATIENCE) as client:
        while not is_done(seen):
            headers = {} if last is None else {"Last-Event-ID": last}
            with contextlib.suppress(httpx.TransportError):
                async with client.stream("GET", url, headers=headers) as stream:
                    kind = None
                    async for line in stream.aiter_lines():
                        name, _, value = line.partition(": ")
                        if name == "event":
                            kind = value
                        elif name == "id":
                            last = value
                        elif name == "data" and kind is None:
                            seen.append((last, json.loads(value)))
                            if is_done(seen):
                                return
                        elif name == "data":
                            kinds.append(kind)
                            kind = None
            await asyncio.sleep(0.01)
