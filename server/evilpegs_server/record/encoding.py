"""Conversions of facts to the events of a record, and back; ``at`` is in Unix milliseconds.

Events go out as dicts, because building a validated model takes longer than answering a guess: the models in
`protocol` describe and decode them.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evilpegs_game.codes import format_code, parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_protocol.commitment import commitment, derive_nonce
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_server.match.events import Fact, GameBegun, GameEnded, GameOpened, GuessAnswered, MatchEnded, Outcome
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.record.event_log import EventLog
from evilpegs_server.replies.codemaking import Reply


@dataclass(frozen=True, slots=True)
class MatchKey:
    """The id and the ladder of a match, and the secret seed of its nonces, which is never published."""

    id: str
    ladder: Ladder
    seed: bytes = field(repr=False)
    tie_nonces: int | None = None

    def nonce(self, game: int) -> str:
        """Return the server's nonce of a game, in hexadecimal."""
        return derive_nonce(self.seed, self.id, game)


def match_started_event(key: MatchKey, player: str, client: Program, at: int) -> dict[str, Any]:
    ladder, rules = key.ladder, key.ladder.rules
    clock = ladder.clock and {"base_ms": ladder.clock.base_ms, "increment_ms": ladder.clock.increment_ms}
    event = {
        "type": "match_started",
        "match": key.id,
        "seq": 1,
        "at": at,
        "player": player,
        "client": {"name": client.name, "version": client.version},
        "ladder": ladder.id,
        "rules": str(rules),
        "pegs": rules.pegs,
        "colors": rules.colors,
        "symbols": format_code(range(rules.colors)),
        "repeats": rules.repeats,
        "guess_limit": ladder.guess_limit,
        "codemaker": ladder.codemaker,
        "tie": ladder.tie,
        "clock": clock,
        "games": ladder.games,
        "rated": ladder.rated,
    }
    if key.tie_nonces is not None:
        event["tie_nonces"] = key.tie_nonces
    if ladder.exact_up_to is not None:
        event["exact_up_to"] = ladder.exact_up_to
    return event


def game_started_event(key: MatchKey, fact: GameOpened, seq: int, at: int) -> dict[str, Any]:
    return {
        "type": "game_started",
        "match": key.id,
        "seq": seq,
        "at": at,
        "game": fact.game,
        "commitment": commitment(key.id, fact.game, str(key.ladder.rules), key.nonce(fact.game)),
        "ready_by_ms": fact.ready_ms,
    }


def feedback_event(
    key: MatchKey, fact: GuessAnswered, reply: Reply, stalled_ms: int, seq: int, at: int
) -> dict[str, Any]:
    black, white = fact.feedback
    event = {
        "type": "feedback",
        "match": key.id,
        "seq": seq,
        "at": at,
        "game": fact.game,
        "turn": fact.turn,
        "code": format_code(fact.guess),
        "black": black,
        "white": white,
        "took_ms": fact.took_ms,
        "left_ms": fact.left_ms,
    }
    if reply.method is not None:
        event["method"] = reply.method
    if stalled_ms:
        event["stalled_ms"] = stalled_ms
    if reply.candidates is not None:
        event["candidates"], event["parts"] = reply.candidates, reply.parts
    return event


def game_over_event(key: MatchKey, fact: GameEnded, secret: str | None, seq: int, at: int) -> dict[str, Any]:
    event = {
        "type": "game_over",
        "match": key.id,
        "seq": seq,
        "at": at,
        "game": fact.game,
        "outcome": fact.outcome.value,
        "guesses": fact.guesses,
        "elapsed_ms": fact.elapsed_ms,
        "secret": secret,
        "nonce": key.nonce(fact.game) if fact.opened else None,
    }
    if fact.client_nonce is not None:
        event["client_nonce"] = fact.client_nonce
    return event


def match_over_event(key: MatchKey, fact: MatchEnded, event_log: EventLog, at: int) -> dict[str, Any]:
    return {
        "type": "match_over",
        "match": key.id,
        "seq": event_log.seq + 1,
        "at": at,
        "outcomes": [outcome.value for outcome in fact.outcomes],
        "guesses": fact.guesses,
        "elapsed_ms": fact.elapsed_ms,
        "head": event_log.head,
    }


def facts_from_events(
    ladder: Ladder, events: Iterable[RecordEvent], client_nonces: Mapping[int, str | None]
) -> Iterator[Fact]:
    """Yield the facts that the events of a record state; a game not in ``client_nonces`` has no `GameBegun`.

    Raises EvilpegsError if a guess is not a code under the rules of ``ladder``.
    """
    for event in events:
        yield from _facts_from_event(ladder, event, client_nonces)


def _facts_from_event(ladder: Ladder, event: RecordEvent, client_nonces: Mapping[int, str | None]) -> Iterator[Fact]:
    match event:
        case MatchStarted():
            return
        case GameStarted():
            yield GameOpened(event.game, ladder.ready_ms)
            if event.game in client_nonces:
                yield GameBegun(event.game, client_nonces[event.game])
        case FeedbackGiven():
            guess = parse_code(event.code, ladder.rules)
            feedback = Feedback(event.black, event.white)
            yield GuessAnswered(event.game, event.turn, guess, feedback, event.took_ms, event.left_ms)
        case GameOver():
            outcome = Outcome(event.outcome)
            yield GameEnded(
                event.game,
                outcome,
                event.guesses,
                event.elapsed_ms,
                (),
                None,
                begun=True,
                opened=event.nonce is not None,
            )
        case MatchOver():
            yield MatchEnded(tuple(map(Outcome, event.outcomes)), event.guesses, event.elapsed_ms)
