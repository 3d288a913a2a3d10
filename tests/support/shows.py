"""The show process of a server that runs as a child: its process id, its site, and streams that outlive it."""

import contextlib
import json
from pathlib import Path

import httpx

from support.patience import PATIENCE
from support.waiting import think, until


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
    """Return the process id of the show process once there is one that is not ``old``."""

    def pid():
        found = show_of(server)
        return None if found == old else found

    return await until(pid)


async def answer(server, path):
    """Return the JSON of the site once it answers."""
    async with httpx.AsyncClient(timeout=PATIENCE) as client:

        async def answer():
            try:
                got = await client.get(f"{server.site_url}{path}")
            except httpx.TransportError:  # the connection was that of a process that was killed
                return None
            assert got.status_code in {200, 503}, got.text
            return got if got.status_code == 200 else None

        return (await until(answer)).json()


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
            await think(0.01)
