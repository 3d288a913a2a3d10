"""Whether a record is a whole: its order, its hashes, and the summary at its end.

Check that a server was honest, from nothing but the events it sent.

Events are JSON objects as they were received, without `re`, or read from an exported record. The rules are on the
protocol page under "Trust, but verify". What does not hold comes back as findings; no findings: all is well.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from evilpegs_clients.verification.game import DEVIL_BUDGET, GameRecord, check_game
from evilpegs_clients.verification.violation import Subject, Violation
from evilpegs_game.codes import SYMBOLS
from evilpegs_game.errors import GameError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules
from evilpegs_protocol.canonical import GENESIS, canonical, chain
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)


def check_start(started: MatchStarted) -> Iterator[Violation]:
    """The rules, said in five fields, are one."""
    try:
        rules = Rules.parse(started.rules)
    except GameError as error:
        yield Violation(str(error), subject=Subject.RULES)
        return
    said = (started.rules, started.pegs, started.colors, started.repeats, started.symbols)
    meant = (str(rules), rules.pegs, rules.colors, rules.repeats, SYMBOLS[: rules.colors])
    if said != meant:
        what = f"the rules contradict themselves: {started.rules} has {meant[1:]}, not {said[1:]}"
        yield Violation(what, subject=Subject.RULES)
    if (started.codemaker == "fixed") != (started.tie is None):
        what = f"a {started.codemaker} codemaker with the tie rule {started.tie}"
        yield Violation(what, subject=Subject.CODEMAKER)
    if (started.codemaker == "devil") != (started.exact_up_to is not None):
        what = f"the codemaker {started.codemaker} is exact up to {started.exact_up_to} codes"
        yield Violation(what, subject=Subject.CODEMAKER)


def check_order(events: Sequence[RecordEvent]) -> Iterator[Violation]:
    """Numbers without gaps, one match, and games and turns one after another."""
    first = events[0]
    for place, event in enumerate(events, 1):
        if event.seq != place:
            yield Violation(f"event {place} has the number {event.seq}")
        if event.match != first.match:
            yield Violation(f"event {place} is of another match")
    state = (0, 0, False)
    for event in events[1:]:
        following = _after(state, event)
        if following is None:
            yield Violation(f"event {event.seq}, {event.type}, is out of order")
            return
        state = following


def check_end(events: Sequence[RecordEvent], games: int, head: str) -> Iterator[Violation]:
    """The summary is the sum of the games, and its head the hash of the event before it."""
    over = events[-1]
    if not isinstance(over, MatchOver):
        yield Violation("the record ends before the match is over")
        return
    ended = [event for event in events if isinstance(event, GameOver)]
    if len(ended) != games:
        yield Violation(f"{len(ended)} games of {games} have ended", subject=Subject.SUMMARY)
    if over.outcomes != tuple(game.outcome for game in ended):
        yield Violation("the outcomes in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.guesses != tuple(game.guesses for game in ended):
        yield Violation("the guesses in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.elapsed_ms != sum(game.elapsed_ms for game in ended):
        yield Violation("the time in match_over is not that of the games", subject=Subject.SUMMARY)
    if over.head != head:
        what = "the record was changed: the head in match_over is not the hash of the event before"
        yield Violation(what, subject=Subject.HEAD)


_Place = tuple[int, int, bool]


def _after(place: _Place, event: RecordEvent) -> _Place | None:
    """Where a record stands, as (game, turn, whether the game is open), after one more event; None: out of order."""
    game, turn, is_open = place
    match event:
        case GameStarted() if not is_open and event.game == game + 1:
            return event.game, 0, True
        case FeedbackGiven() if is_open and (event.game, event.turn) == (game, turn + 1):
            return game, event.turn, True
        case GameOver() if is_open and event.game == game:
            return game, turn, False
        case GameOver() if not is_open and event.game == game + 1 and _never_opened(event):
            return event.game, 0, False
        case MatchOver() if not is_open:
            return game, turn, False
    return None


def _never_opened(over: GameOver) -> bool:
    """A game that was given up with those before it: it has no commitment, so nothing may be in it."""
    given_up = over.outcome in {"resigned", "void"} and not over.guesses and not over.elapsed_ms
    return given_up and over.secret is None and over.nonce is None and over.client_nonce is None


Events = Sequence[Mapping[str, Any]]

CACHE_BYTES: Final = 64 << 20
NO_NONCES: Final[Mapping[int, str]] = {}


def verify_match(
    events: Events, nonces_sent: Mapping[int, str] = NO_NONCES, live_sets: LiveSets | None = None
) -> list[Violation]:
    """Check a whole match: that nothing in its record was changed, and that every reply of each game is right.

    ``events`` are JSON objects, in the order of the record. ``nonces_sent`` has the nonce that the client sent in
    `ready`, for each game where it is known. Returns what does not hold; nothing if all is well. In the example,
    ``evilpegs replay last --record match.jsonl`` wrote the file.

    >>> import json
    >>> import evilpegs
    >>> with open("match.jsonl") as file:
    ...     events = [json.loads(line) for line in file]
    >>> evilpegs.verify_match(events)
    []
    """
    violations = verify_record(events)
    if violations:
        return violations
    sets = live_sets or LiveSets(CACHE_BYTES)
    games = _games(_parsed(events)[0], nonces_sent)
    return [violation for game in games for violation in check_game(game, sets)]


def verify_record(events: Events) -> list[Violation]:
    """Check that the record of a match that is over is a whole: order, hashes, summary; not the games in it."""
    parsed, violations = _parsed(events)
    if violations:
        return violations
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
) -> list[Violation]:
    """Check one game that is over, while its match may go on; needs the first event of the match too.

    A reply of a devil is not checked where that takes more than ``devil_budget`` feedbacks.
    """
    parsed, violations = _parsed(events)
    if violations:
        return violations
    nonces = {} if nonce_sent is None else {game: nonce_sent}
    found = [record for record in _games(parsed, nonces) if record.over.game == game]
    if not found:
        return [Violation("the game is not in the record, or not over", game)]
    sets = live_sets or LiveSets(CACHE_BYTES)
    return list(check_start(found[0].match)) or list(check_game(found[0], sets, devil_budget))


def _parsed(events: Events) -> tuple[list[RecordEvent], list[Violation]]:
    parsed: list[RecordEvent] = []
    violations: list[Violation] = []
    for place, event in enumerate(events, 1):
        try:
            parsed.append(decode_record_event(canonical(dict(event))))
        except (CodecError, TypeError, ValueError, RecursionError) as error:
            violations.append(Violation(f"event {place} is not an event of a record: {error}"))
    if not violations and not (parsed and isinstance(parsed[0], MatchStarted)):
        violations.append(Violation("the record does not begin with match_started"))
    return parsed, violations


def _games(parsed: Sequence[RecordEvent], nonces_sent: Mapping[int, str]) -> Iterator[GameRecord]:
    """The games that were opened and are over."""
    match = parsed[0]
    assert isinstance(match, MatchStarted)  # noqa: S101 - `_parsed` saw to it
    started = {event.game: event for event in parsed if isinstance(event, GameStarted)}
    for over in parsed:
        if isinstance(over, GameOver) and over.game in started:
            feedbacks = tuple(e for e in parsed if isinstance(e, FeedbackGiven) and e.game == over.game)
            yield GameRecord(match, started[over.game], feedbacks, over, nonces_sent.get(over.game))
