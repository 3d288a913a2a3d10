"""The output of `evilpegs feed`: match events from a match server or an MQTT broker, printed as they arrive."""

import sys
from collections.abc import AsyncIterator

from evilpegs.commands.feed.lines import event_line
from evilpegs.commands.feed.missing_ladder import MissingLadder
from evilpegs.output import console, print_json
from evilpegs.reading import explain_refusals, print_session_event, retry_policy
from evilpegs_clients.feed.match_book import MatchBook
from evilpegs_clients.feed.watch_feed import Watched, watch_matches
from evilpegs_clients.printable import printable
from evilpegs_protocol.broker import Broker
from evilpegs_protocol.feed_topics import ANY, FeedTopics
from evilpegs_protocol.server_messages import RecordEvent


def print_outage(line: str) -> None:
    """Print a message about the connection to a broker on standard error."""
    console(sys.stderr).print(printable(line), soft_wrap=True)


async def print_watched(server: str, watched: Watched, as_json: bool) -> None:
    """Print the events until interrupted, or until the only watched match is over."""
    book = MatchBook()
    with explain_refusals(server, watched.match):
        async for event in watch_matches(server, watched, retry_policy(), print_session_event):
            if book.is_new(event):
                _print_event(event, book, as_json)


async def print_published(broker: Broker, ladder: str | None, as_json: bool) -> None:
    """Print the events that a broker sends, by default of every ladder, until interrupted."""
    book = MatchBook()
    async for event in _published_events(broker, ladder, book):
        _print_event(event, book, as_json)


async def _published_events(broker: Broker, ladder: str | None, book: MatchBook) -> AsyncIterator[RecordEvent]:
    from evilpegs_clients.feed.broker_feed import follow_broker  # noqa: PLC0415 - needs the extra `mqtt`

    topics = FeedTopics(ANY)
    missing = MissingLadder(ladder, print_outage)
    # the ladder of a match follows from its first event, from properties of a message, or from the list of open matches
    wanted = [topics.live(ladder or ANY), topics.event(ANY), topics.result(ANY)]
    async for message in follow_broker(broker, wanted, retry_policy(), print_outage, missing.expect):
        missing.note(message.topic)
        if message.topic.kind == "live":
            _introduce(message.topic.ladder or "", message.fields, book)
        elif (event := message.event()) is not None:
            _introduce_by_properties(event.match, message.properties, book)
            is_new = book.is_new(event)
            if is_new and (ladder is None or book.get(event.match).ladder == ladder):
                yield event


def _introduce(ladder: str, document: dict[str, object], book: MatchBook) -> None:
    matches = document.get("matches")
    for match in matches if isinstance(matches, list) else ():
        if isinstance(match, dict):
            known, player = match.get("match"), match.get("player")
            if isinstance(known, str) and isinstance(player, str):
                book.introduce(known, player, ladder)


def _introduce_by_properties(match: str, properties: dict[str, str], book: MatchBook) -> None:
    if "player" in properties and "ladder" in properties:
        book.introduce(match, properties["player"], properties["ladder"])


def _print_event(event: RecordEvent, book: MatchBook, as_json: bool) -> None:
    if as_json:
        print_json(event.model_dump(mode="json"))
    elif (line := event_line(event, book.get(event.match))) is not None:
        print(line)  # noqa: T201
    sys.stdout.flush()
