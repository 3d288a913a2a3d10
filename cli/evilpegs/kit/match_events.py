"""Events of matches as lines, for people or programs."""

import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import datetime, tzinfo

from evilpegs.output import pluralize, print_json
from evilpegs.reading import explain_refusals, print_session_event, retry_policy
from evilpegs_clients.connection.server_reader import ReaderEvent
from evilpegs_clients.feed.watch_feed import KnownMatch, MatchBook, Watched, watch_matches
from evilpegs_clients.printable import printable
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted, RecordEvent


async def new_events(
    server: str, watched: Watched, book: MatchBook, on_event: Callable[[ReaderEvent], object]
) -> AsyncGenerator[RecordEvent, None]:
    """Yield each event once; CommandError if there is no such match."""
    with explain_refusals(server, watched.match):
        async with aclosing(watch_matches(server, watched, retry_policy(), on_event)) as events:
            async for event in events:
                if book.is_new(event):
                    yield event


async def print_watched(server: str, watched: Watched, as_json: bool) -> None:
    book = MatchBook()
    async for event in new_events(server, watched, book, print_session_event):
        print_event(event, book, as_json)


def print_event(event: RecordEvent, book: MatchBook, as_json: bool) -> None:
    if as_json:
        print_json(event.model_dump(mode="json"))
    elif (line := event_line(event, book.get(event.match))) is not None:
        print(line)  # noqa: T201
    sys.stdout.flush()


def event_line(event: RecordEvent, known: KnownMatch, zone: tzinfo | None = None) -> str | None:
    """Return the line that reports an event, by default in local time; None if the event needs no line."""
    match event:
        case MatchStarted():
            client = f"{event.client.name} {event.client.version}"
            words = f"{event.ladder}: begins a match of {pluralize(event.games, 'game')} with {client}"
        case GameStarted():
            return None
        case FeedbackGiven():
            words = f"game {event.game}, turn {event.turn}: {event.code} gets {event.black},{event.white}"
        case GameOver():
            words = f"game {event.game}: {event.outcome} after {pluralize(event.guesses, 'guess', 'guesses')}"
        case MatchOver():
            solved = event.outcomes.count("solved")
            guesses = pluralize(sum(event.guesses), "guess", "guesses")
            words = f"ends the match: {solved} of {pluralize(len(event.outcomes), 'game')} solved, {guesses}"
    return printable(f"{_clock(event.at, zone)}  {known.player or event.match}  {words}")


def _clock(milliseconds: int, zone: tzinfo | None) -> str:
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, zone):%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        # anybody may publish on a broker, so the time may be impossible
        return "--:--:--"
