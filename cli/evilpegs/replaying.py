"""A stored match as people want to see it again: games, turns, and the candidates that each turn left."""

from collections.abc import Sequence
from dataclasses import dataclass

from evilpegs.chain import chain_flaw
from evilpegs.errors import CommandError
from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.codes import parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_server.storage.archive import StoredMatch


@dataclass(frozen=True, slots=True)
class ReplayedTurn:
    """One guess; ``candidates`` is None where it cannot be computed, ``method`` but against a devil."""

    turn: int
    code: str
    black: int
    white: int
    candidates: int | None
    method: str | None
    took_ms: int
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """One game; ``outcome`` and ``secret`` are None while it is not over."""

    game: int
    outcome: str | None
    guesses: int
    elapsed_ms: int
    secret: str | None
    nonce: str | None
    turns: tuple[ReplayedTurn, ...]


@dataclass(frozen=True, slots=True)
class ReplayedMatch:
    """One match; ``flaw`` says what breaks its chain of hashes, None if it holds."""

    match: str
    ladder: str
    rules: str
    codemaker: str
    player: str
    client: str
    at: int
    events: int
    over: bool
    flaw: str | None
    games: tuple[ReplayedGame, ...]


def replayed(stored: StoredMatch) -> ReplayedMatch:
    """The match that was stored; raises CommandError where its events cannot even be read."""
    flaw = chain_flaw(stored.entries)
    try:
        started, *events = [decode_record_event(entry.text) for entry in stored.entries]
        assert isinstance(started, MatchStarted)  # noqa: S101 - the first event of every record
    except (CodecError, ValueError) as error:
        message = f"the record of match {stored.id} cannot be read: {flaw or error}"
        raise CommandError(message) from None
    return ReplayedMatch(
        match=stored.id,
        ladder=started.ladder,
        rules=started.rules,
        codemaker=started.codemaker,
        player=started.player,
        client=f"{started.client.name} {started.client.version}",
        at=started.at,
        events=len(stored.entries),
        over=any(isinstance(event, MatchOver) for event in events),
        flaw=flaw,
        games=_games(Rules.parse(started.rules), events),
    )


def _games(rules: Rules, events: Sequence[RecordEvent]) -> tuple[ReplayedGame, ...]:
    live_sets = LiveSets()
    numbers = sorted({event.game for event in events if isinstance(event, GameStarted | GameOver)})
    return tuple(
        _game(
            number,
            [event for event in events if getattr(event, "game", None) == number],
            Position(rules, (), live_sets),
        )
        for number in numbers
    )


def _game(number: int, events: Sequence[RecordEvent], opening: Position) -> ReplayedGame:
    feedbacks = [event for event in events if isinstance(event, FeedbackGiven)]
    over = next((event for event in events if isinstance(event, GameOver)), None)
    return ReplayedGame(
        game=number,
        outcome=over.outcome if over else None,
        guesses=len(feedbacks),
        elapsed_ms=over.elapsed_ms if over else sum(event.took_ms for event in feedbacks),
        secret=over.secret if over else None,
        nonce=over.nonce if over else None,
        turns=_turns(feedbacks, opening),
    )


def _turns(feedbacks: Sequence[FeedbackGiven], position: Position) -> tuple[ReplayedTurn, ...]:
    turns = []
    for event in feedbacks:
        given = Feedback(event.black, event.white)
        position = position.after(parse_code(event.code, position.rules), given)
        left, method = _count(position), event.method
        turns.append(ReplayedTurn(event.turn, event.code, *given, left, method, event.took_ms, event.left_ms))
    return tuple(turns)


def _count(position: Position) -> int | None:
    try:
        return position.count
    except GameError:
        return None
