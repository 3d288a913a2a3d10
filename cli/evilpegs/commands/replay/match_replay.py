"""A stored match rebuilt for people: its games and turns, the analysis of each turn, and its chain of hashes."""

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

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
    """Return the first break of the chain of hashes as a line of text; None if the chain holds."""
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
    """One guess and its reply.

    ``candidates`` is the number left, None if it cannot be computed. ``method`` is how a devil found the reply, None
    for other codemakers. ``analysis`` is None if none was requested.
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
    """One game; ``outcome`` and ``secret`` are None until it is over."""

    game: int
    outcome: str | None
    guesses: int
    elapsed_ms: int
    secret: str | None
    nonce: str | None
    turns: tuple[TurnReplay, ...]


@dataclass(frozen=True, slots=True)
class MatchReplay:
    """One match; ``flaw`` is the first break of its chain of hashes, None if the chain holds."""

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
    """Rebuild a stored match and analyze its turns with ``effort``; without one, only the candidates are counted.

    ``progress`` is called after each turn with the number of turns done and the number of all turns.

    Raises:
        CommandError: the events cannot be read.
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
        analyst.report_to(progress, sum(isinstance(event, FeedbackGiven) for event in events))
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


class _Analyst:
    """The analysis of the turns of one match; a history that several games share is analyzed once."""

    def __init__(self, rules: Rules, effort: Effort | None) -> None:
        self.keeps_analysis = effort is not None
        self._effort = effort or Effort(feedback_budget=0, solver_budget=0)
        self._solver = BoundedSolver(rules, self._effort.solver_budget)
        self._analyses: dict[History, TurnAnalysis] = {}
        self._report: Callable[[], None] = lambda: None
        self.opening = Position(rules, (), LiveSets(), self._effort.feedback_budget)

    def report_to(self, progress: Callable[[int, int], None], turns: int) -> None:
        """Call ``progress`` after each of ``turns`` turns."""
        done = itertools.count(1)
        self._report = lambda: progress(next(done), turns)

    def analyze(self, position: Position, turn: Turn) -> TurnAnalysis:
        """Return the worth of a turn at this position."""
        history = (*position.history, turn)
        if history not in self._analyses:
            self._analyses[history] = analyze_turn(position, turn, self._solver, self._effort.counted_codes)
        self._report()
        return self._analyses[history]


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
        feedback = Feedback(event.black, event.white)
        turn = Turn(parse_code(event.code, position.rules), feedback)
        analysis = analyst.analyze(position, turn)
        position = position.after(*turn)
        turns.append(
            TurnReplay(
                turn=event.turn,
                code=event.code,
                black=event.black,
                white=event.white,
                candidates=analysis.candidates_after or None,
                method=event.method,
                took_ms=event.took_ms,
                left_ms=event.left_ms,
                analysis=analysis if analyst.keeps_analysis else None,
            )
        )
    return tuple(turns)
