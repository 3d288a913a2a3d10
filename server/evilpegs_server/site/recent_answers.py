"""ASGI middleware that sends a recent response again, so that many clients cost little more than one.

A school class that watches a leaderboard asks for the same document many times per second, and the games share the
event loop with these requests. A response of the API depends only on the method, the path, the query and a few headers.
The documents change at most twice per second, or when a match ends, so a response may be a fifth of a second old.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from evilpegs_server.site.responses import is_stream

KEEP_SECONDS: Final = 0.2
MAX_BODY_BYTES: Final = 64 << 10
MAX_TOTAL_BYTES: Final = 4 << 20
MAX_ANSWERS: Final = 1_000

_PREFIX: Final = "/api/v1/"
# never kept, because the open matches change with every guess
_LIVE: Final = "/api/v1/live"
_STATUSES: Final = (200, 304)
_HEADERS: Final = frozenset((b"host", b"accept-encoding", b"if-none-match"))
"""The request headers on which a response depends."""

_Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class _Answer:
    made_at: float
    start: Message
    body: Message

    @property
    def size(self) -> int:
        return len(self.body.get("body", b""))


class RecentAnswers:
    """ASGI middleware that sends successful responses of the API again to equal requests, for `KEEP_SECONDS`."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if not scope["path"].startswith(_PREFIX) or scope["path"] == _LIVE or is_stream(scope):
            await self._app(scope, receive, send)
            return
        key = _key(scope)
        self._forget_old()
        answer = self._answers.get(key)
        if answer is None:
            messages: list[Message] = []

            async def keep_and_send(message: Message) -> None:
                messages.append(dict(message))  # others add headers to theirs
                await send(message)

            await self._app(scope, receive, keep_and_send)
            self._keep(key, messages)
        else:
            await send(dict(answer.start))
            await send(answer.body)

    @property
    def size(self) -> tuple[int, int]:
        """The number of kept responses, and the bytes of their bodies."""
        return len(self._answers), self._bytes

    def _forget_old(self) -> None:
        oldest = self._clock() - KEEP_SECONDS
        while self._answers:
            answer = next(iter(self._answers.values()))
            if answer.made_at > oldest and self._bytes <= MAX_TOTAL_BYTES and len(self._answers) <= MAX_ANSWERS:
                return
            self._bytes -= answer.size
            self._answers.popitem(last=False)

    def _keep(self, key: _Key, messages: list[Message]) -> None:
        if len(messages) != 2 or messages[0]["status"] not in _STATUSES or key in self._answers:
            return
        answer = _Answer(self._clock(), messages[0], messages[1])
        if answer.size <= MAX_BODY_BYTES:
            self._answers[key] = answer
            self._bytes += answer.size
            self._forget_old()


def _key(scope: Scope) -> _Key:
    headers = tuple(header for header in scope["headers"] if header[0] in _HEADERS)
    return scope["method"], scope["raw_path"], scope["query_string"], headers
