"""Check that a server was honest, from nothing but the events it sent.

Events are JSON objects as they were received, without `re`, or read from an exported record. The rules are on the
protocol page under "Trust, but verify". What does not hold comes back as findings; no findings: all is well.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evilpegs_clients.finding import Finding
from evilpegs_clients.game_checks import DEVIL_BUDGET, GameRecord, check_game
from evilpegs_clients.record_checks import check_end, check_order, check_start
from evilpegs_game.candidates import LiveSets
from evilpegs_protocol.canonical import GENESIS, canonical, chain
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import FeedbackGiven, GameOver, GameStarted, MatchStarted, RecordEvent

Events = Sequence[Mapping[str, Any]]

CACHE_BYTES: Final = 64 << 20
NO_NONCES: Final[Mapping[int, str]] = {}


def verify_match(
    events: Events, nonces_sent: Mapping[int, str] = NO_NONCES, live_sets: LiveSets | None = None
) -> list[Finding]:
    """Check a whole match: that nothing in its record was changed, and each of its games.

    ``nonces_sent`` has the nonce the client gave in `ready`, for each game where that is known.
    """
    findings = verify_record(events)
    if findings:
        return findings
    sets = live_sets or LiveSets(CACHE_BYTES)
    games = _games(_parsed(events)[0], nonces_sent)
    return [finding for game in games for finding in check_game(game, sets)]


def verify_record(events: Events) -> list[Finding]:
    """Check that the record of a match that is over is a whole: order, hashes, summary; not the games in it."""
    parsed, findings = _parsed(events)
    if findings:
        return findings
    started = parsed[0]
    assert isinstance(started, MatchStarted)  # noqa: S101 - `_parsed` saw to it
    hashes = chain(canonical(dict(event)) for event in events)
    head = hashes[-2] if len(hashes) > 1 else GENESIS
    return [*check_start(started), *check_order(parsed), *check_end(parsed, started.games, head)]


def verify_game(
    events: Events,
    game: int,
    nonce_sent: str | None = None,
    live_sets: LiveSets | None = None,
    devil_budget: int = DEVIL_BUDGET,
) -> list[Finding]:
    """Check one game that is over, while its match may go on; needs the first event of the match too.

    A reply of a devil is not checked where that takes more than ``devil_budget`` feedbacks.
    """
    parsed, findings = _parsed(events)
    if findings:
        return findings
    nonces = {} if nonce_sent is None else {game: nonce_sent}
    found = [record for record in _games(parsed, nonces) if record.over.game == game]
    if not found:
        return [Finding("the game is not in the record, or not over", game)]
    sets = live_sets or LiveSets(CACHE_BYTES)
    return list(check_start(found[0].match)) or list(check_game(found[0], sets, devil_budget))


def _parsed(events: Events) -> tuple[list[RecordEvent], list[Finding]]:
    parsed: list[RecordEvent] = []
    findings: list[Finding] = []
    for place, event in enumerate(events, 1):
        try:
            parsed.append(decode_record_event(canonical(dict(event))))
        except (CodecError, TypeError, ValueError, RecursionError) as error:
            findings.append(Finding(f"event {place} is not an event of a record: {error}"))
    if not findings and not (parsed and isinstance(parsed[0], MatchStarted)):
        findings.append(Finding("the record does not begin with match_started"))
    return parsed, findings


def _games(parsed: Sequence[RecordEvent], nonces_sent: Mapping[int, str]) -> Iterator[GameRecord]:
    """The games that were opened and are over."""
    match = parsed[0]
    assert isinstance(match, MatchStarted)  # noqa: S101 - `_parsed` saw to it
    started = {event.game: event for event in parsed if isinstance(event, GameStarted)}
    for over in parsed:
        if isinstance(over, GameOver) and over.game in started:
            feedbacks = tuple(e for e in parsed if isinstance(e, FeedbackGiven) and e.game == over.game)
            yield GameRecord(match, started[over.game], feedbacks, over, nonces_sent.get(over.game))
