"""The events of matches on a running server, as they are played."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import aclosing

from evilpegs.errors import as_malformed
from evilpegs.kit.match_events import new_events
from evilpegs.options import MATCH_ID
from evilpegs_clients.connection.server_reader import ReaderEvent
from evilpegs_clients.feed.watch_feed import MatchBook, Watched
from evilpegs_game.errors import MalformedError, quoted, require, wrong_argument
from evilpegs_protocol.server_messages import RecordEvent

OnConnection = Callable[[ReaderEvent], object]


def events(
    server: str, ladder: str | None = None, match: str | None = None, *, on_connection: OnConnection = lambda _: None
) -> Generator[RecordEvent, None, None]:
    """Iterate over the events of matches as they are played; those of one match come from its start, until it is over.

    Each is a message of the protocol, such as ``feedback``: ``event.type`` says which, and
    ``event.model_dump(mode="json")`` is the line of ``evilpegs feed --json``. A lost connection is restored, and no
    event comes twice. A ``for`` loop that ends closes the connection, and so does ``close()`` of the iterator.

    Args:
        server: The server's address, such as ``ws://127.0.0.1:8765``, or several with commas between them.
        ladder: The id of a ladder; without it and ``match``, the matches of all ladders.
        match: The id of one match.
        on_connection: Called with `Reconnecting`, `Reconnected` or, if the server cannot repeat all events that
            happened meanwhile, `EventsMissed`.

    Raises:
        MalformedError: an argument is wrong, the server has no such ladder or match, or an event loop runs here, as in
            a notebook, where ``async for`` takes `events_async`.
        ClientError: the server cannot be reached, or no longer.

    In the example, ``server`` is the address that ``evilpegs serve`` prints.

    >>> import evilpegs
    >>> played = evilpegs.play(server=server, ladder="classic-evil-practice", strategy="minimax")
    >>> [event.type for event in evilpegs.events(server, match=played.matches[0].match)][:4]
    ['match_started', 'game_started', 'feedback', 'feedback']
    """
    stream = events_async(server, ladder, match, on_connection=on_connection)
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _pull(stream)
    raise MalformedError("an event loop runs here; write: async for event in evilpegs.events_async(...)")


def events_async(
    server: str, ladder: str | None = None, match: str | None = None, *, on_connection: OnConnection = lambda _: None
) -> AsyncGenerator[RecordEvent, None]:
    """Do what `events` does for async programs; ``contextlib.aclosing`` closes the connection at a certain time.

    >>> import asyncio, evilpegs
    >>> played = evilpegs.play(server=server, ladder="classic-practice", strategy="minimax")
    >>> async def last_type():
    ...     async for event in evilpegs.events_async(server, match=played.matches[0].match):
    ...         pass
    ...     return event.type
    >>> asyncio.run(last_type())
    'match_over'
    """
    require(server, str, "a server", "its address, such as 'ws://127.0.0.1:8765'")
    require(ladder, str | None, "a ladder", "its id, such as 'classic', or leave it out")
    require(match, str | None, "the id of a match", "16 hex digits, or leave it out")
    if not callable(on_connection):
        raise wrong_argument("a function", on_connection, "one with an argument, or leave on_connection out")
    if None not in (ladder, match):
        raise MalformedError("name a ladder or a match, not both", arguments=("ladder", "match"))
    if match is not None and not MATCH_ID.fullmatch(match.lower()):
        raise MalformedError(f"not the id of a match: {quoted(match)}; write its 16 hex digits", arguments=("match",))
    return _follow(server, Watched(match and match.lower(), ladder), on_connection)


async def _follow(server: str, watched: Watched, on_connection: OnConnection) -> AsyncGenerator[RecordEvent, None]:
    with as_malformed():
        async with aclosing(new_events(server, watched, MatchBook(), on_connection)) as stream:
            async for event in stream:
                yield event


def _pull(stream: AsyncGenerator[RecordEvent, None]) -> Generator[RecordEvent, None, None]:
    async def pull() -> RecordEvent | None:
        return await anext(stream, None)

    with asyncio.Runner() as runner:
        try:
            while (event := runner.run(pull())) is not None:
                yield event
        finally:
            runner.run(stream.aclose())
