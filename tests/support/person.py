"""A scripted person at the terminal client, for tests."""

import asyncio
import json


class Typed:
    """A function object that returns the lines of a script in order, and then None as at the end of the input.

    A step of the script may also be a function. It is called when a line is requested, and awaited if it is a coroutine
    function. Its result is the line, or if that is None, the next step follows.
    """

    def __init__(self, *script):
        self._script = list(script)

    async def __call__(self):
        while self._script:
            step = self._script.pop(0)
            line = step() if callable(step) else step
            line = await line if asyncio.iscoroutine(line) else line
            if line is not None:
                return line
        return None


class StoppedClock:
    """A clock that stands still until a test changes its ``seconds``."""

    def __init__(self):
        self.seconds = 0.0

    def __call__(self):
        return self.seconds


def latest_match(server):
    """Return the match that a tiny server has begun last."""
    return list(server.matches.values())[-1]


def first_candidate(server):
    """Return a step that types the first code that agrees with all replies."""

    def line():
        return "".join("1234"[color] for color in latest_match(server).live[0])

    return line


def flag(server):
    """Return a step that types nothing, and lets the time of the open game run out."""

    async def step():
        match = latest_match(server)
        seen = len(match.events)
        match.end("flagged")
        for event in match.events[seen:]:
            await server.sockets[-1].send(json.dumps(event))
        await asyncio.Event().wait()

    return step


def notify(server, message):
    """Return a step that types nothing, and lets the server send a notice with the text ``message``."""

    async def step():
        notice = {"type": "notice", "kind": "draining", "message": message}
        await server.sockets[-1].send(json.dumps(notice))
        await (await server.sockets[-1].ping())

    return step
