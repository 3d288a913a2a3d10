"""A stored match as people want to see it again: games, turns, and the candidates that each turn left.

Whether the stored record of a match is still what was written.
"""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from evilpegs.commands.replay.document import analysis_document
from evilpegs.errors import CommandError
from evilpegs_game.analysis.turns import Effort, TurnAnalysis, analyze_turn
from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.optimal.within_budget import BoundedSolver
from evilpegs_game.rules import Rules
from evilpegs_protocol.canonical import GENESIS, chain
from evilpegs_protocol.codec import CodecError, decode_record_event
from evilpegs_protocol.server_messages import (
    FeedbackGiven,
    GameOver,
    GameStarted,
    MatchOver,
    MatchStarted,
    RecordEvent,
)
from evilpegs_server.record.event_log import LogEntry
from evilpegs_server.storage.archive import StoredMatch


def chain_flaw(entries: Sequence[LogEntry]) -> str | None:
    """What first breaks the chain of hashes, in one line; None if it holds."""
    hashes = [GENESIS, *chain(entry.text for entry in entries)]
    for place, (entry, (head, due)) in enumerate(zip(entries, pairwise(hashes), strict=True), 1):
        if entry.seq != place:
            return f"event {place} is missing"
        if entry.hash != due:
            return f"event {place} was changed: its hash does not follow from the one before"
        if entry.type == "match_over" and json.loads(entry.text)["head"] != head:
            return "the head in match_over is not the hash of the event before"
    return None


@dataclass(frozen=True, slots=True)
class TurnReplay:
    """One guess; ``candidates`` is None where it cannot be computed, ``method`` but against a devil.

    ``analysis`` is None where none was asked for.
    """

    turn: int
    code: str
    black: int
    white: int
    candidates: int | None
    method: str | None
    took_ms: int
    left_ms: int | None
    analysis: TurnAnalysis | None


@dataclass(frozen=True, slots=True)
class GameReplay:
    """One game; ``outcome`` and ``secret`` are None while it is not over."""

    game: int
    outcome: str | None
    guesses: int
    elapsed_ms: int
    secret: str | None
    nonce: str | None
    turns: tuple[TurnReplay, ...]


@dataclass(frozen=True, slots=True)
class MatchReplay:
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
    games: tuple[GameReplay, ...]


def build_match_replay(
    stored: StoredMatch, effort: Effort | None = None, progress: Callable[[int, int], None] | None = None
) -> MatchReplay:
    """The match that was stored, its turns analyzed with that effort or, with none, only the candidates counted.

    ``progress`` is told after each turn of how many of how many are done.

    Raises:
        CommandError: its events cannot even be read.
    """
    flaw = chain_flaw(stored.entries)
    try:
        started, *events = [decode_record_event(entry.text) for entry in stored.entries]
        assert isinstance(started, MatchStarted)  # noqa: S101 - the first event of every record
    except (CodecError, ValueError) as error:
        message = f"the record of match {stored.id} cannot be read: {flaw or error}"
        raise CommandError(message) from None
    analyst = _Analyst(Rules.parse(started.rules), effort)
    if progress is not None:
        analyst.tell(progress, sum(isinstance(event, FeedbackGiven) for event in events))
    return MatchReplay(
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
        games=_games(events, analyst),
    )


def replay_document(found: MatchReplay) -> dict[str, Any]:
    """The match as the JSON document of `evilpegs replay`."""
    games = [replace(game, turns=tuple(replace(turn, analysis=None) for turn in game.turns)) for game in found.games]
    document = asdict(replace(found, games=tuple(games)))
    for game, shown in zip(found.games, document["games"], strict=True):
        for turn, row in zip(game.turns, shown["turns"], strict=True):
            row["analysis"] = None if turn.analysis is None else analysis_document(turn.analysis)
    return document


class _Analyst:
    """Analyzes the turns of one match, and what several games came to only once."""

    def __init__(self, rules: Rules, effort: Effort | None) -> None:
        self.is_asked = effort is not None
        self._effort = effort or Effort(feedback_budget=0, solver_budget=0)
        self._solver = BoundedSolver(rules, self._effort.solver_budget)
        self._known: dict[History, TurnAnalysis] = {}
        self._told: Callable[[], None] = lambda: None
        self.opening = Position(rules, (), LiveSets(), self._effort.feedback_budget)

    def tell(self, progress: Callable[[int, int], None], turns: int) -> None:
        """Tell of every turn that is done, of so many."""
        done = itertools.count(1)
        self._told = lambda: progress(next(done), turns)

    def analysis(self, position: Position, turn: Turn) -> TurnAnalysis:
        """What a turn at that position was worth."""
        history = (*position.history, turn)
        if history not in self._known:
            self._known[history] = analyze_turn(position, turn, self._solver, self._effort.counted_codes)
        self._told()
        return self._known[history]


def _games(events: Sequence[RecordEvent], analyst: _Analyst) -> tuple[GameReplay, ...]:
    numbers = sorted({event.game for event in events if isinstance(event, GameStarted | GameOver)})
    return tuple(
        _game(number, [event for event in events if getattr(event, "game", None) == number], analyst)
        for number in numbers
    )


def _game(number: int, events: Sequence[RecordEvent], analyst: _Analyst) -> GameReplay:
    feedbacks = [event for event in events if isinstance(event, FeedbackGiven)]
    over = next((event for event in events if isinstance(event, GameOver)), None)
    return GameReplay(
        game=number,
        outcome=over.outcome if over else None,
        guesses=len(feedbacks),
        elapsed_ms=over.elapsed_ms if over else sum(event.took_ms for event in feedbacks),
        secret=over.secret if over else None,
        nonce=over.nonce if over else None,
        turns=_turns(feedbacks, analyst),
    )


def _turns(feedbacks: Sequence[FeedbackGiven], analyst: _Analyst) -> tuple[TurnReplay, ...]:
    turns, position = [], analyst.opening
    for event in feedbacks:
        given = Feedback(event.black, event.white)
        turn = Turn(parse_code(event.code, position.rules), given)
        found = analyst.analysis(position, turn)
        position = position.after(*turn)
        turns.append(
            TurnReplay(
                turn=event.turn,
                code=event.code,
                black=given.black,
                white=given.white,
                candidates=found.candidates_after or None,
                method=event.method,
                took_ms=event.took_ms,
                left_ms=event.left_ms,
                analysis=found if analyst.is_asked else None,
            )
        )
    return tuple(turns)
