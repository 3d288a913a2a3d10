"""Lines of text that report the events of matches to people."""

from datetime import datetime, tzinfo

from evilpegs.output import pluralize
from evilpegs_clients.feed.match_book import KnownMatch
from evilpegs_clients.printable import printable
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchOver, MatchStarted, RecordEvent


def event_line(event: RecordEvent, match: KnownMatch, zone: tzinfo | None = None) -> str | None:
    """Return the line that reports an event, by default in local time; None if the event needs no line."""
    words = _words(event)
    if words is None:
        return None
    return printable(f"{_clock(event.at, zone)}  {match.player or event.match}  {words}")


def _clock(milliseconds: int, zone: tzinfo | None) -> str:
    try:
        return f"{datetime.fromtimestamp(milliseconds / 1000, zone):%H:%M:%S}"
    except (OverflowError, ValueError, OSError):
        # anybody may publish on a broker, so the time may be impossible
        return "--:--:--"


def _words(event: RecordEvent) -> str | None:
    match event:
        case MatchStarted():
            client = f"{event.client.name} {event.client.version}"
            return f"{event.ladder}: begins a match of {pluralize(event.games, 'game')} with {client}"
        case GameStarted():
            return None
        case FeedbackGiven():
            return f"game {event.game}, turn {event.turn}: {event.code} gets {event.black},{event.white}"
        case GameOver():
            return f"game {event.game}: {event.outcome} after {pluralize(event.guesses, 'guess', 'guesses')}"
        case MatchOver():
            solved = event.outcomes.count("solved")
            guesses = pluralize(sum(event.guesses), "guess", "guesses")
            return f"ends the match: {solved} of {pluralize(len(event.outcomes), 'game')} solved, {guesses}"
