"""Whether a record is a whole: its order, its hashes, and the summary at its end."""

from collections.abc import Iterator, Sequence

from evilpegs_clients.finding import Finding, Subject
from evilpegs_game.codes import SYMBOLS
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)


def check_start(started: MatchStarted) -> Iterator[Finding]:
    """The rules, said in five fields, are one."""
    try:
        rules = Rules.parse(started.rules)
    except GameError as error:
        yield Finding(str(error), subject=Subject.RULES)
        return
    said = (started.rules, started.pegs, started.colors, started.repeats, started.symbols)
    meant = (str(rules), rules.pegs, rules.colors, rules.repeats, SYMBOLS[: rules.colors])
    if said != meant:
        what = f"the rules contradict themselves: {started.rules} has {meant[1:]}, not {said[1:]}"
        yield Finding(what, subject=Subject.RULES)
    if (started.codemaker == "fixed") != (started.tie is None):
        what = f"a {started.codemaker} codemaker with the tie rule {started.tie}"
        yield Finding(what, subject=Subject.CODEMAKER)
    if (started.codemaker == "devil") != (started.exact_up_to is not None):
        what = f"the codemaker {started.codemaker} is exact up to {started.exact_up_to} codes"
        yield Finding(what, subject=Subject.CODEMAKER)


def check_order(events: Sequence[RecordEvent]) -> Iterator[Finding]:
    """Numbers without gaps, one match, and games and turns one after another."""
    first = events[0]
    for place, event in enumerate(events, 1):
        if event.seq != place:
            yield Finding(f"event {place} has the number {event.seq}")
        if event.match != first.match:
            yield Finding(f"event {place} is of another match")
    state = (0, 0, False)
    for event in events[1:]:
        following = _after(state, event)
        if following is None:
            yield Finding(f"event {event.seq}, {event.type}, is out of order")
            return
        state = following


def check_end(events: Sequence[RecordEvent], games: int, head: str) -> Iterator[Finding]:
    """The summary is the sum of the games, and its head the hash of the event before it."""
    over = events[-1]
    if not isinstance(over, MatchOver):
        yield Finding("the record ends before the match is over")
        return
    ended = [event for event in events if isinstance(event, GameOver)]
    if len(ended) != games:
        yield Finding(f"{len(ended)} games of {games} have ended", subject=Subject.SUMMARY)
    if over.outcomes != tuple(game.outcome for game in ended):
        yield Finding("the outcomes in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.guesses != tuple(game.guesses for game in ended):
        yield Finding("the guesses in match_over are not those of the games", subject=Subject.SUMMARY)
    if over.elapsed_ms != sum(game.elapsed_ms for game in ended):
        yield Finding("the time in match_over is not that of the games", subject=Subject.SUMMARY)
    if over.head != head:
        what = "the record was changed: the head in match_over is not the hash of the event before"
        yield Finding(what, subject=Subject.HEAD)


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
