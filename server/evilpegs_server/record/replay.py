"""A recorded match in a form for people: its games and turns, the first flaw in its hashes, and its JSON document."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from evilpegs_game.codes import parse_code
from evilpegs_game.errors import EvilpegsError
from evilpegs_game.feedback import Feedback, History, Turn
from evilpegs_game.rules import Rules
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.record import GENESIS, chain
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_server.record.event_log import LogEntry

if TYPE_CHECKING:  # a server that reads replays does not analyze them in its own process
    from evilpegs_game.analysis.turns import TurnAnalysis


class RecordUnreadableError(EvilpegsError):
    """A record whose events cannot be read. The message is one line that names the match."""


def chain_flaw(entries: Sequence[LogEntry]) -> str | None:
    """Return a line that describes the first flaw in the chain of hashes."""
    hashes = [GENESIS, *chain(entry.text for entry in entries)]
    for number, (entry, (head, expected)) in enumerate(zip(entries, pairwise(hashes), strict=True), 1):
        if entry.seq != number:
            return f"event {number} is missing"
        if entry.hash != expected:
            return f"event {number} was changed: its hash does not follow from the one before"
        if entry.type == "match_over" and json.loads(entry.text)["head"] != head:
            return "the head in match_over is not the hash of the event before"
    return None


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """One guess of a recorded game; ``candidates`` are left after it, None if not counted."""

    turn: int
    code: str
    black: int
    white: int
    candidates: int | None
    method: str | None
    took_ms: int
    left_ms: int | None
    analysis: "TurnAnalysis | None" = None


@dataclass(frozen=True, slots=True)
class GameReplay:
    """One game of a recorded match; ``outcome``, ``secret`` and ``nonce`` are None while it is in play."""

    game: int
    outcome: str | None
    guesses: int
    elapsed_ms: int
    secret: str | None
    nonce: str | None
    turns: tuple[TurnReplay, ...]


@dataclass(frozen=True, slots=True)
class MatchReplay:
    """A recorded match; ``client`` is a name and version, ``at`` in Unix ms, ``flaw`` the result of `chain_flaw`."""

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
    games: tuple[GameReplay, ...]


def read_replay(match: str, entries: Sequence[LogEntry]) -> MatchReplay:
    """Return a match without candidates and analyses, even if it has a flaw. Raises RecordUnreadableError."""
    flaw = chain_flaw(entries)
    try:
        started, *events = [decode_record_event(entry.text) for entry in entries]
        assert isinstance(started, MatchStarted)  # noqa: S101 - the first event of every record
    except (CodecError, ValueError) as error:
        message = f"the record of match {match} cannot be read: {flaw or error}"
        raise RecordUnreadableError(message) from None
    return MatchReplay(
        match=match,
        ladder=started.ladder,
        rules=started.rules,
        codemaker=started.codemaker,
        player=started.player,
        client=f"{started.client.name} {started.client.version}",
        at=started.at,
        events=len(entries),
        over=any(isinstance(event, MatchOver) for event in events),
        flaw=flaw,
        games=_games(events),
    )


def histories(match: MatchReplay) -> tuple[History, ...]:
    rules = Rules.parse(match.rules)
    return tuple(
        tuple(Turn(parse_code(turn.code, rules), Feedback(turn.black, turn.white)) for turn in game.turns)
        for game in match.games
    )


def replay_document(match: MatchReplay) -> dict[str, Any]:
    """Return the match as a JSON object with the fields of `MatchReplay`, without analyses."""
    games = [replace(game, turns=tuple(replace(turn, analysis=None) for turn in game.turns)) for game in match.games]
    return asdict(replace(match, games=tuple(games)))


def add_analyses(document: dict[str, Any], analyses: Iterable[Iterable[dict[str, Any]]]) -> None:
    """Add results of `TurnAnalysis.to_json`, per game and turn, to a result of `replay_document` in place."""
    for game, turns in zip(document["games"], analyses, strict=True):
        for turn, analysis in zip(game["turns"], turns, strict=True):
            turn["analysis"], turn["candidates"] = analysis, analysis["after"] or None


def _games(events: Sequence[RecordEvent]) -> tuple[GameReplay, ...]:
    numbers = sorted({event.game for event in events if isinstance(event, GameStarted | GameOver)})
    return tuple(
        _game(number, [event for event in events if getattr(event, "game", None) == number]) for number in numbers
    )


def _game(number: int, events: Sequence[RecordEvent]) -> GameReplay:
    feedbacks = [event for event in events if isinstance(event, FeedbackGiven)]
    over = next((event for event in events if isinstance(event, GameOver)), None)
    return GameReplay(
        game=number,
        outcome=over.outcome if over else None,
        guesses=len(feedbacks),
        elapsed_ms=over.elapsed_ms if over else sum(event.took_ms for event in feedbacks),
        secret=over.secret if over else None,
        nonce=over.nonce if over else None,
        turns=tuple(_turn(event) for event in feedbacks),
    )


def _turn(event: FeedbackGiven) -> TurnReplay:
    return TurnReplay(
        turn=event.turn,
        code=event.code,
        black=event.black,
        white=event.white,
        candidates=None,
        method=event.method,
        took_ms=event.took_ms,
        left_ms=event.left_ms,
    )
