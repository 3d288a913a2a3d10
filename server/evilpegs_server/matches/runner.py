"""The runner of one match: apply a request, commit the events, send them to the player, then to watchers.

Requests are handled one after another. While a reply is computed or a commit is in progress, later requests wait. An
event is therefore durable before the frame that reveals it is sent, and the player sees events in the order of the
record.
"""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Final

from structlog.stdlib import BoundLogger

from evilpegs_protocol.client_messages import Guess, Hint, Ready, Resign, Resume
from evilpegs_protocol.codec import add_re
from evilpegs_protocol.fields import Program
from evilpegs_protocol.limits import CLOSE_SEAT_TAKEN
from evilpegs_protocol.server_messages import ErrorCode, Expected
from evilpegs_server.codemaking.replies import Codemaking, Reply
from evilpegs_server.match.events import AnswerRepeated, MatchEvent, NeedReply, TurnOpened
from evilpegs_server.match.match import Match, RefusedError, State
from evilpegs_server.matches import responses
from evilpegs_server.matches.counts import EndReason, ServerCounts
from evilpegs_server.matches.deadline_timer import DeadlineTimer
from evilpegs_server.matches.player_clock import PlayerClock
from evilpegs_server.matches.recorder import NO_WITNESSES, Batch, Recorder
from evilpegs_server.matches.requests import ClientChannel, Request, error_text
from evilpegs_server.matches.responses import RecordedRefusal
from evilpegs_server.matches.stall_free_clock import StallFreeClock
from evilpegs_server.record.encoding import MatchKey
from evilpegs_server.record.event_log import EventLog, LogEntry
from evilpegs_server.record.signing import RecordSigner
from evilpegs_server.storage.fault_log import FaultLog
from evilpegs_server.storage.writer import Write, Writer
from evilpegs_server.work.hints import HintResult

MAX_WAITING: Final = 16
"""The number of requests that may wait for one match."""

_NOT_STORED: Final = "the server cannot store results now; resume the match later"


@dataclass(frozen=True, slots=True)
class MatchServices:
    """The services that all runners of a server share."""

    codemaking: Codemaking
    writer: Writer
    clock: StallFreeClock
    wall_ms: Callable[[], int]
    publish: Callable[[MatchKey, list[LogEntry], ClientChannel | None], None]
    retire: Callable[["MatchRunner"], None]
    log: BoundLogger
    counts: ServerCounts
    faults: FaultLog
    signer: RecordSigner | None = None


class MatchRunner:
    """The runner of one match. Everything happens in the thread of the event loop."""

    def __init__(self, key: MatchKey, player: int, match: Match, event_log: EventLog, services: MatchServices) -> None:
        self.key = key
        self.player = player
        self.match = match
        self.event_log = event_log
        self.seat: ClientChannel | None = None
        self._services = services
        self._recorder = Recorder(key, event_log, services.codemaking, services.wall_ms, services.signer)
        self._log = services.log.bind(match=key.id)
        self._waiting: deque[Request] = deque()
        self._busy = False
        self._broken = self._draining = self._closed = self._abandoned = False
        self._sent_count = event_log.seq
        self._current_sender: tuple[ClientChannel, str | None] | None = None
        self._guess_began = self._reply_known = self._committed = 0.0
        self.timer = DeadlineTimer(self._wake)
        self._clock = PlayerClock(services.clock)

    # Input

    def open(
        self, channel: ClientChannel, player: str, client: Program, opening: Sequence[Write], re: str | None
    ) -> None:
        """Begin the match for the client at ``channel``; ``opening`` is committed with its first events."""
        self.seat, self._current_sender = channel, (channel, re)
        batch = self._recorder.open(self.match.start(self._now()), player, client)
        batch.writes += opening
        started, *others = batch.entries
        texts = [add_re(started.text, re), *(entry.text for entry in others)]
        self._commit(batch, partial(self._deliver, channel, texts, batch))

    def receive(self, request: Request) -> None:
        """Accept a request, which is handled after those before it, or refuse it at once."""
        if self._draining:
            self._refuse(request, ErrorCode.DRAINING, "the server is about to stop; resume when it is back")
        elif self._broken:
            self._refuse(request, ErrorCode.STORAGE_UNAVAILABLE, _NOT_STORED)
        elif len(self._waiting) >= MAX_WAITING:
            self._refuse(request, ErrorCode.RATE_LIMITED, "too much at once; wait for the answers")
        else:
            self._waiting.append(request)
            self._handle_waiting()

    def leave(self, channel: ClientChannel) -> None:
        """Forget a connection that is gone. The clock of the match runs on."""
        if self.seat is channel:
            self.seat = None
        for request in [each for each in self._waiting if each.channel is channel and isinstance(each.message, Resume)]:
            self._waiting.remove(request)  # a connection that is gone must not take the seat

    def recover(self, grace_ms: int) -> None:
        """Wait for the player after a restart, for at most ``grace_ms`` milliseconds before the clock runs."""
        now = self._now()
        self.match.recover(now, grace_ms)
        self.timer.set(self.match.deadline(), now)

    def abandon(self) -> None:
        """Forfeit the games that are left, one after another, because the player is gone; a resume stops this."""
        self._abandoned = True
        if not (self._busy or self._broken or self._draining):
            self._forfeit()

    def drain(self) -> None:
        """Finish the request in progress, refuse new ones, and let no clock run out."""
        self._draining = True
        self.timer.stop()

    def close(self) -> None:
        """Ignore results that arrive from now on: they were never sent, and are not stored."""
        self._closed = True

    def awaits(self, message: Ready | Guess) -> bool:
        """Return True if this message is what the match waits for and no other request is in progress."""
        state = State.READY if isinstance(message, Ready) else State.TURN
        turn = message.turn if isinstance(message, Guess) else 0
        game = message.game or self.match.game
        return not self._busy and self.match.state is state and (game, turn) == self.match.game_and_turn

    @property
    def sent_entries(self) -> list[LogEntry]:
        """The events that are durable and have been sent to the player."""
        return self.event_log.entries[: self._sent_count]

    @property
    def sent_count(self) -> int:
        """The number of events that are durable and have been sent to the player."""
        return self._sent_count

    @property
    def broken(self) -> bool:
        """True if the match must be read from storage again."""
        return self._broken

    @property
    def busy(self) -> bool:
        """True while a reply, a witness, a hint or a commit is in progress."""
        return self._busy

    # Apply requests

    def _handle_waiting(self) -> None:
        while self._waiting and not self._busy:
            self._handle(self._waiting.popleft())

    def _handle(self, request: Request) -> None:
        message = request.message
        if isinstance(message, Resume):
            self._resume(request, message)
        elif request.channel is not self.seat:
            why = "this connection has not the seat of the match; send resume to take it"
            self._refuse(request, ErrorCode.NOT_YOUR_MATCH, why)
        elif isinstance(message, Hint):
            self._start_hint(request)
        else:
            self._apply(request, message)

    def _apply(self, request: Request, message: Ready | Guess | Resign) -> None:
        self._credit_stalls()
        try:
            events = self._run_command(message, self._clock.convert(request.arrived))
        except RefusedError as refused:
            self._refuse_as(request, refused)
            return
        first = events[0]
        if isinstance(first, NeedReply):
            self._start_reply(request, first)
        elif isinstance(first, AnswerRepeated):
            self._repeat(request, first)
        else:
            self._conclude(request, events, responses.refusal(message, first))

    def _refuse_as(self, request: Request, refused: RefusedError) -> None:
        """Refuse a request as the match does, and say which turn the match has reached."""
        expected = None
        if refused.expected is not None:
            game, turn = refused.expected
            expected = Expected(game=game, turn=turn)
        self._refuse(request, ErrorCode(refused.refusal), str(refused), expected)

    def _refuse(self, request: Request, code: ErrorCode, why: str, expected: Expected | None = None) -> None:
        self._services.counts.refusals[code] += 1
        request.refuse(code, why, expected)

    def _run_command(self, message: Ready | Guess | Resign, now: float) -> list[MatchEvent]:
        match message:
            case Ready():
                return self.match.ready(message.game or self.match.game, message.nonce, now)
            case Guess():
                return self.match.guess(message.game or self.match.game, message.turn, message.code, now)
            case Resign():
                return self.match.resign(message.game, now)

    def _start_reply(self, request: Request, need: NeedReply) -> None:
        self._busy = True
        self._guess_began = perf_counter()
        stalled_ms = round(self._clock.uncharged_ms)
        secrets = self._recorder.game_secrets(need.game, need.client_nonce)
        done = partial(self._finish_reply, request, stalled_ms)
        self._services.codemaking.request_reply(self.key.ladder, self.player, secrets, need.history, need.guess, done)

    def _finish_reply(self, request: Request, stalled_ms: int, reply: Reply | Exception) -> None:
        if self._closed:
            return
        if isinstance(reply, Exception):
            self._log.error("codemaker failed", exc_info=reply)
            why = "the server could not answer; the game is void"
            refusal = RecordedRefusal(ErrorCode.INTERNAL, why, request.message.id)
            self._conclude(request, self.match.fail(self._now()), refusal)
            return
        self._reply_known = perf_counter()
        events = self.match.reply(reply.feedback, self._now())
        self._conclude(request, events, None, reply, stalled_ms)

    def _conclude(
        self,
        request: Request | None,
        events: list[MatchEvent],
        refusal: RecordedRefusal | None = None,
        reply: Reply | None = None,
        stalled_ms: int = 0,
    ) -> None:
        """Record events and send them once they are durable. A witness that takes long is computed first."""
        self._current_sender = (request.channel, request.message.id) if request else None
        ended = self._recorder.pending_witness(events)
        if ended is None:
            self._record(request, events, refusal, reply, stalled_ms)
            return
        self._busy = True
        secrets = self._recorder.game_secrets(ended.game, ended.client_nonce)
        record = partial(self._record, request, events, refusal, reply, stalled_ms)
        done = partial(self._finish_witness, ended.game, record)
        self._services.codemaking.request_witness(self.key.ladder, self.player, secrets, ended.history, done)

    def _finish_witness(
        self, game: int, record: Callable[[Mapping[int, str | None]], None], witness: str | Exception
    ) -> None:
        if self._closed:
            return
        if isinstance(witness, Exception):
            self._log.error("no code to show could be found", exc_info=witness)
        record({game: None if isinstance(witness, Exception) else witness})

    def _record(
        self,
        request: Request | None,
        events: list[MatchEvent],
        refusal: RecordedRefusal | None,
        reply: Reply | None,
        stalled_ms: int,
        witnesses: Mapping[int, str | None] = NO_WITNESSES,
    ) -> None:
        try:
            batch = self._recorder.record(events, reply, stalled_ms, witnesses)
        except Exception as error:  # noqa: BLE001 - the log may be incomplete, so the match is read again
            self._break(error)
            return
        if refusal is not None:
            self._services.counts.refusals[refusal.code] += 1
        texts = responses.step_texts(self.key.id, request, batch, refusal)
        channel = request.channel if request else self.seat
        self._commit(batch, partial(self._deliver, channel, texts, batch))

    # Commit, send, re-arm

    def _commit(self, batch: Batch, then: Callable[[], None]) -> None:
        if not batch.writes:
            self._busy = False
            then()
            return
        self._busy = True
        self._services.writer.submit(batch.writes, partial(self._finish_commit, then))

    def _finish_commit(self, then: Callable[[], None], error: Exception | None) -> None:
        self._busy = False
        if error is not None:
            self._break(error)
            return
        self._committed = perf_counter()
        then()
        self._handle_waiting()

    def _deliver(self, channel: ClientChannel | None, texts: list[str], batch: Batch) -> None:
        self._current_sender = None
        if channel is not None and texts:
            channel.send(texts)
        if self._reply_known:
            self._services.counts.guess_times.add(self._guess_began, self._reply_known, self._committed, perf_counter())
            self._reply_known = 0.0
        now = self._now()
        if batch.turn is not None:
            self._start_clock(batch.turn, now)
        self.timer.set(self.match.deadline(), now)
        if batch.entries:
            self._sent_count = batch.entries[-1].seq
            self._services.publish(self.key, batch.entries, self.seat)
        if self.match.over:
            self.timer.stop()
            self._services.retire(self)
        elif self._abandoned and not self._draining:
            self._forfeit()

    def _forfeit(self) -> None:
        events = self.match.abandon(self._now())
        if events:
            self._conclude(None, events)

    def _start_clock(self, turn: TurnOpened, now: float) -> None:
        if not self.match.clock.running:
            self._clock.begin_turn(first=turn.turn == 1)
        self.match.start_clock(now)

    def _break(self, error: Exception) -> None:
        """Stop the match until it is read from storage again. Events that are not stored were never sent."""
        self._broken, self._busy, self._reply_known = True, False, 0.0
        self._services.faults.report("could not store events", error, match=self.key.id)
        self.timer.stop()
        unanswered = [(request.channel, request.message.id) for request in self._waiting]
        if self._current_sender is not None:
            unanswered.insert(0, self._current_sender)
        elif self.seat is not None:
            unanswered.insert(0, (self.seat, None))
        self._waiting.clear()
        for channel, re in unanswered:
            self._services.counts.refusals[ErrorCode.STORAGE_UNAVAILABLE] += 1
            channel.send([error_text(ErrorCode.STORAGE_UNAVAILABLE, _NOT_STORED, re, fatal=True)])
        for channel in {channel for channel, _ in unanswered}:
            self._services.counts.ended[EndReason.STORAGE] += 1
            channel.close(1011, "storage unavailable")
        self._services.retire(self)

    # Time

    def _wake(self) -> None:
        if self._busy:
            return  # the request in progress sets the timer again
        now = self._now()
        events = self.match.handle_timeout(now)
        if events:
            self._conclude(None, events)
        else:
            self.timer.set(self.match.deadline(), now)

    def _now(self) -> float:
        self._credit_stalls()
        return self._clock.now()

    def _credit_stalls(self) -> None:
        if self.match.clock.running:
            self._clock.credit_stalls(self._is_over_limit)

    def _is_over_limit(self) -> bool:
        return self.seat is not None and self.seat.over_limit

    # Requests that do not change the match

    def _repeat(self, request: Request, repeated: AnswerRepeated) -> None:
        entry = self.event_log.feedback(repeated.game, repeated.turn)
        request.channel.send([add_re(entry.text, request.message.id)])

    def _resume(self, request: Request, message: Resume) -> None:
        self.take_seat(request.channel)
        now = self._now()
        texts = responses.resume_texts(self.match, self.event_log, message, now)
        turn = self.match.open_turn(now)
        if turn is not None:
            texts.append(responses.turn_text(self.key.id, turn))
        self._deliver(request.channel, texts, Batch(turn=turn))

    def take_seat(self, channel: ClientChannel) -> None:
        """Give the seat to this connection of the player. An older one is notified and closed."""
        older, self.seat, self._abandoned = self.seat, channel, False
        if older is not None and older is not channel:
            older.send([responses.seat_taken_text()])
            older.close(CLOSE_SEAT_TAKEN, "seat taken")

    def _start_hint(self, request: Request) -> None:
        if self.key.ladder.rated:
            self._refuse(request, ErrorCode.NOT_PRACTICE, "hints are given on practice ladders only")
        elif (refused := self.match.hint_refusal()) is not None:
            self._refuse_as(request, refused)
        else:
            self._busy = True
            done = partial(self._finish_hint, request)
            self._services.codemaking.request_hint(self.key.ladder, self.player, self.match.history, done)

    def _finish_hint(self, request: Request, hint: HintResult | Exception) -> None:
        self._busy = False
        if self._closed:
            return
        if isinstance(hint, Exception):
            self._log.error("hint failed", exc_info=hint)
            self._refuse(request, ErrorCode.INTERNAL, "no hint could be computed")
        else:
            request.channel.send([responses.hint_text(self.key.id, hint, request.message.id)])
        self.timer.set(self.match.deadline(), self._now())
        self._handle_waiting()
