"""A layer that gives an answer of the last moment again, so that many screens cost no more than one.

A class that watches a leaderboard asks for the same document many times per second, and the games share the event loop
with these requests. An answer of the API depends only on the path, the query and the headers below, and the documents
change at most twice per second or with a finished match, so an answer that is a fifth of a second old will do.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

KEEP_SECONDS: Final = 0.2
"""The age up to which an answer is given again."""
MAX_BODY_BYTES: Final = 64 << 10
"""The longest body that is kept."""
MAX_TOTAL_BYTES: Final = 4 << 20
"""The most memory that kept bodies take."""
MAX_ANSWERS: Final = 1_000

_PREFIX: Final = "/api/v1/"
_LIVE: Final = "/api/v1/live"
"""Changes with every guess, so each request for it is answered freshly."""
_STATUSES: Final = (200, 304)
_HEADERS: Final = frozenset((b"host", b"accept", b"accept-encoding", b"if-none-match"))
"""The headers of a request on which an answer depends."""

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
    """The layer. It keeps whole answers to questions that were answered well, each for a moment."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self._app, self._clock = app, clock
        self._answers: OrderedDict[_Key, _Answer] = OrderedDict()
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give a recent answer to the same request again, or pass the request on and keep its answer."""
        if not scope["path"].startswith(_PREFIX) or scope["path"] == _LIVE:
            await self._app(scope, receive, send)
            return
        key = _key(scope)
        self._forget_old()
        answer = self._answers.get(key)
        if answer is None:
            messages: list[Message] = []

            async def keep_and_send(message: Message) -> None:
                messages.append(message)
                await send(message)

            await self._app(scope, receive, keep_and_send)
            self._keep(key, messages)
        else:
            await send(answer.start)
            await send(answer.body)

    @property
    def size(self) -> tuple[int, int]:
        """The number of answers that are kept, and the bytes of their bodies."""
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
        """Keep an answer that came in one piece, unless the same request has been answered meanwhile."""
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
