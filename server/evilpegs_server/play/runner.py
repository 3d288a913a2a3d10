"""The runner of one match, which turns requests into events that are first stored and then sent.

A *step* begins with a request, with a deadline that has passed, or with the next game of a player who is gone for good.
Steps follow one another. The methods of `MatchRunner` are in the order in which a step calls them:

1. `receive_awaited` accepts a move for which the match waits, and `receive` any other request; `_apply` hands it to
   the state machine `match`. `wake`, when a deadline has passed, and `_end_unplayed` begin a step without a request.
2. `_ask_reply` asks the codemaker for the reply to a guess, and `_take_reply` receives it.
3. If the step ends a game, `_ask_secret` asks for the secret or witness that is shown, and `_take_secret` receives it.
4. `_record` turns the events of the state machine into entries of the event log.
5. The writer commits the entries: `_commit`, `_finish_commit`.
6. `_deliver` sends the texts, starts the clock of the next turn and sets the timer.

An event is therefore durable before the frame that reveals it is sent, and the player sees events in the order of the
record. The codemaker, the pool and the writer call back on the event loop; nothing here waits.

The runner is in one of these states:

| state | waits for | then |
|---|---|---|
| `IDLE` | a request, or the deadline of the match | `BUSY` |
| `BUSY` | a reply, a secret, the writer, or a hint, while requests wait | `IDLE`; `BROKEN` if events cannot be stored |
| `BROKEN` | nothing: the registry reads the match from storage into a new runner | |
| `CLOSED` | nothing: the server has stopped; results that still arrive are dropped | |

Cheap replies and secrets are found at once, within one call. Whatever its state, a *draining* runner finishes its step,
refuses requests and lets no clock run out, and one whose player is gone for good is *abandoned* and forfeits game after
game.
"""

from collections import deque
from collections.abc import Callable, Sequence
from enum import Enum
from functools import lru_cache, partial
from time import perf_counter
from typing import Final, NamedTuple

from structlog.stdlib import BoundLogger

from evilpegs_protocol.client_messages import Guess, Hint, Play, Ready, Resign, Resume
from evilpegs_protocol.codec import encode
from evilpegs_protocol.constants import CLOSE_SEAT_TAKEN
from evilpegs_protocol.fields import Program
from evilpegs_protocol.server_messages import ErrorCode, HintGiven, Notice
from evilpegs_server.match.clock import Times
from evilpegs_server.match.events import AnswerRepeated, GameEnded, MatchEvent, NeedReply
from evilpegs_server.match.match import Match, RefusedError, State
from evilpegs_server.play import messages
from evilpegs_server.play.counts import EndReason, GuessTimes, ServerCounts
from evilpegs_server.play.match_time import MatchTime
from evilpegs_server.play.messages import ClientChannel, Request
from evilpegs_server.play.stall_free_clock import StallFreeClock
from evilpegs_server.record.recorder import Changes, Recorder, ShownEnd
from evilpegs_server.replies.codemaking import Codemaking, Reply
from evilpegs_server.sealing import is_counted
from evilpegs_server.storage.errors import FaultLog
from evilpegs_server.storage.log.players import Player
from evilpegs_server.storage.log.writer import Write, Writer
from evilpegs_server.storage.log.writes import insert_match, store_changes
from evilpegs_server.work.hints import HintResult

MAX_WAITING: Final = 16  # per match
_SEAT_TAKEN: Final = encode(Notice(kind="seat_taken", message="another connection took over this match"))
_NOT_STORED: Final = ErrorCode.STORAGE_UNAVAILABLE, "the server cannot store results now; resume the match later"


class RunnerState(Enum):
    IDLE = "idle"
    BUSY = "busy"
    BROKEN = "broken"
    CLOSED = "closed"


class Asked(NamedTuple):
    """What begins a step; without a request, the seat gets the texts."""

    request: Request | None = None
    times: GuessTimes | None = None  # of a guess that needs a reply
    stalled_ms: int = 0  # the stalls of the turn that are not charged to the player


class Answered(NamedTuple):
    """What the match made of it; ``refusal`` answers the request, and the events are recorded all the same."""

    events: Sequence[MatchEvent]
    reply: Reply | None = None
    refusal: RefusedError | None = None


class Recorded(NamedTuple):
    """What is stored, and then sent."""

    request: Request | None
    changes: Changes
    texts: list[str]
    times: GuessTimes | None = None


class MatchRunner:
    """The object that runs one match; ``retire`` is called with it once the match is over or must be read again."""

    def __init__(
        self,
        player: int,
        match: Match,
        recorder: Recorder,
        *,
        codemaking: Codemaking,
        writer: Writer,
        clock: StallFreeClock,
        counts: ServerCounts,
        faults: FaultLog,
        retire: Callable[["MatchRunner"], None],
        log: BoundLogger,
    ) -> None:
        self.key, self.event_log = recorder.key, recorder.event_log
        self.player = player
        self.match = match
        self.seat: ClientChannel | None = None
        self.time = MatchTime(match, clock)
        self._recorder = recorder
        self._codemaking = codemaking
        self._writer = writer
        self._counts = counts
        self._faults = faults
        self._retire = retire
        self._log = log.bind(match=self.key.id)
        self._secrets_of = lru_cache(maxsize=1)(self.key.game_secrets)
        self._waiting: deque[Request] = deque()
        self._state = RunnerState.IDLE
        self._draining = self._abandoned = self._finishing = False
        self.sent_count = self.event_log.seq

    # What others see of it

    @property
    def broken(self) -> bool:
        """True if the match must be read from storage again."""
        return self._state is RunnerState.BROKEN

    @property
    def busy(self) -> bool:
        return self._state is RunnerState.BUSY

    # The life of a match

    def open(
        self, channel: ClientChannel, request: Play, player: Player, client: Program, first: Sequence[Write]
    ) -> None:
        """Begin the match; the writes ``first`` are committed with its first events."""
        self.seat = channel
        now, key = self._now(), self.key
        changes = self._recorder.open(self.match.start(now), player.name, client)
        writes = [*first, insert_match(key.id, player, client, key.ladder.id, key.seed, changes.entries[0].at)]
        self._state = RunnerState.BUSY
        texts = messages.step_texts(key.id, request, changes)
        self._commit(Recorded(Request(channel, request, now), changes, texts), writes)

    def recover(self, grace_ms: int) -> None:
        """Prepare a match read from storage: its clock runs on `resume`, or after ``grace_ms``."""
        now = self._now()
        self.match.recover(now, grace_ms)
        self.time.set_timer(now, self.wake)

    def leave(self, channel: ClientChannel) -> None:
        """Forget a connection that is gone; the clock of the match runs on."""
        if self.seat is channel:
            self.seat = None
        for request in [each for each in self._waiting if each.channel is channel and isinstance(each.message, Resume)]:
            self._waiting.remove(request)  # a connection that is gone must not take the seat

    def abandon(self) -> None:
        """Forfeit the remaining games one after another, unless the player resumes the match meanwhile."""
        self._abandoned = True
        self._end_unplayed()

    def finish(self) -> None:
        """Let no further game begin, because the round is over."""
        self._finishing = True
        self._end_unplayed()

    def hand_over(self) -> Times | None:
        """Stop the match here, and return its times for the node that plays on; None while a request is answered."""
        if self._state is not RunnerState.IDLE or self._waiting:
            return None
        self._now()  # credits the stalls
        self._state = RunnerState.CLOSED
        self.time.stop_timer()
        if self.seat is not None:
            self.seat.send([_SEAT_TAKEN])
            self.seat.close(CLOSE_SEAT_TAKEN, "seat taken")
        self._retire(self)
        return self.time.times()

    def take_over(self, times: Times) -> None:
        """Let the time of a match read from storage run on as on the node that handed it over."""
        self.time.take_over(times)
        self.time.set_timer(self._now(), self.wake)

    def drain(self) -> None:
        """Refuse new requests and stop the timer; a request in progress is still finished."""
        self._draining = True
        self.time.stop_timer()

    def close(self) -> None:
        """Stop the match: replies, secrets and hints that arrive from now on are dropped."""
        self._state = RunnerState.CLOSED

    # 1. Requests, and the clock

    def receive_awaited(self, channel: ClientChannel, move: Ready | Guess, arrived: float) -> bool:
        """Handle a move for which the match waits, and return True; do nothing with any other."""
        if self._state is not RunnerState.IDLE or self._draining or channel is not self.seat:
            return False
        state, turn = (State.TURN, move.turn) if isinstance(move, Guess) else (State.READY, 0)
        match = self.match
        if match.state is not state or (move.game or match.game, turn) != match.game_and_turn:
            return False
        self._apply(Request(channel, move, arrived), move)
        return True

    def receive(self, request: Request) -> None:
        """Answer a request, at once or after those before it. Raises RefusedError."""
        if self._draining:
            raise RefusedError(ErrorCode.DRAINING, "the server is about to stop; resume when it is back")
        if self.broken:
            raise RefusedError(*_NOT_STORED)
        if len(self._waiting) >= MAX_WAITING:
            raise RefusedError(ErrorCode.RATE_LIMITED, "too many requests at once; wait for the answers")
        self._waiting.append(request)
        self._handle_waiting()

    def _handle_waiting(self) -> None:
        while self._waiting and self._state is RunnerState.IDLE:
            request = self._waiting.popleft()
            try:
                self._handle(request)
            except RefusedError as refused:
                self._refuse(request, refused)

    def _handle(self, request: Request) -> None:
        message = request.message
        if isinstance(message, Resume):
            self._resume(request, message)
        elif request.channel is not self.seat:
            why = "this connection is not playing this match; send resume to take it over"
            raise RefusedError(ErrorCode.NOT_YOUR_MATCH, why)
        elif isinstance(message, Hint):
            self._ask_hint(request)
        elif isinstance(message, Ready | Guess | Resign):
            self._apply(request, message)

    def _apply(self, request: Request, message: Ready | Guess | Resign) -> None:
        self._now()  # credits the stalls before the request
        match, arrived = self.match, request.arrived
        if isinstance(message, Guess):
            events = match.guess(message.game or match.game, message.turn, message.code, arrived)
        elif isinstance(message, Ready):
            events = match.ready(message.game or match.game, message.nonce, arrived)
        else:
            events = match.resign(message.game, arrived)
        first = events[0]
        if isinstance(first, AnswerRepeated):
            entry = self.event_log.feedback(first.game, first.turn)
            request.channel.send([messages.add_re(entry.text, message.id)])
        elif isinstance(first, NeedReply):
            self._ask_reply(request, first)
        else:
            refusal = messages.recorded_refusal(message, first)
            self._ask_secret(Asked(request), Answered(events, refusal=refusal))

    def wake(self) -> None:
        """End the game if its time is up; the timer calls this."""
        self.time.timer = None
        if self.busy:
            return  # the step in progress sets the timer again
        now = self._now()
        if events := self.match.handle_timeout(now):
            self._ask_secret(Asked(), Answered(events))
        else:
            self.time.set_timer(now, self.wake)

    def _end_unplayed(self) -> None:
        is_ending = self._abandoned or self._finishing
        if not is_ending or self._draining or self._state is not RunnerState.IDLE:
            return
        end = self.match.abandon if self._abandoned else self.match.close
        if events := end(self._now()):
            self._ask_secret(Asked(), Answered(events))

    # 2. The reply to a guess

    def _ask_reply(self, request: Request, need: NeedReply) -> None:
        self._state = RunnerState.BUSY
        times = GuessTimes(perf_counter())
        asked = Asked(request, times, round(self.time.credit.uncharged_ms))
        secrets = self._secrets_of(need.game, need.client_nonce)
        done = partial(self._take_reply, asked, times)
        self._codemaking.request_reply(self.key.ladder, self.player, secrets, need.history, need.guess, done)

    def _take_reply(self, asked: Asked, times: GuessTimes, reply: Reply | Exception) -> None:
        if self._state is RunnerState.CLOSED:
            return
        if isinstance(reply, Exception):
            self._log.error("codemaker failed", exc_info=reply)
            refusal = RefusedError(ErrorCode.INTERNAL, "the server could not answer; the game is void")
            answered = Answered(self.match.fail(self._now()), refusal=refusal)
        else:
            times.replied = perf_counter()
            answered = Answered(self.match.reply(reply.feedback, self._now()), reply)
        self._ask_secret(asked, answered)

    # 3. The code that the end of a game shows

    def _ask_secret(self, asked: Asked, answered: Answered) -> None:
        self._state = RunnerState.BUSY
        ended = self._recorder.first_shown_end(answered.events)
        if ended is None:
            self._record(asked, answered)
            return
        secrets = self._secrets_of(ended.game, ended.client_nonce)
        done = partial(self._take_secret, asked, answered, ended)
        self._codemaking.request_witness(self.key.ladder, self.player, secrets, ended.history, done)

    def _take_secret(self, asked: Asked, answered: Answered, ended: GameEnded, secret: str | Exception) -> None:
        if self._state is RunnerState.CLOSED:
            return
        if isinstance(secret, Exception):
            self._log.error("could not find a code that agrees with every reply", exc_info=secret)
            self._record(asked, answered)
        else:
            self._record(asked, answered, ShownEnd(ended, secret))

    # 4. The record

    def _record(self, asked: Asked, answered: Answered, shown: ShownEnd | None = None) -> None:
        request, refusal = asked.request, answered.refusal
        try:
            changes = self._recorder.record(answered.events, answered.reply, asked.stalled_ms, shown)
        except Exception as error:  # noqa: BLE001 - the log may be incomplete, so the match is read again
            self._break(request, error)
            return
        if refusal is not None:
            self._counts.refusals[refusal.code] += 1
        texts = messages.step_texts(self.key.id, None if request is None else request.message, changes, refusal)
        self._commit(Recorded(request, changes, texts, asked.times))

    # 5. The commit

    def _commit(self, recorded: Recorded, opening: Sequence[Write] = ()) -> None:
        if not recorded.changes.is_stored:
            self._state = RunnerState.IDLE
            self._deliver(recorded)
            return
        writes = [*opening, *store_changes(self.key.id, recorded.changes)]
        self._writer.submit(writes, partial(self._finish_commit, recorded))

    def _finish_commit(self, recorded: Recorded, error: Exception | None) -> None:
        if isinstance(error, RefusedError):  # another match of the round is stored, and this one never began
            self._state = RunnerState.CLOSED
            for request in filter(None, (recorded.request, *self._waiting)):
                self._refuse(request, error)
            self._retire(self)
            return
        if error is not None:
            self._break(recorded.request, error)
            return
        if self.busy:
            self._state = RunnerState.IDLE
        if recorded.times is not None:
            recorded.times.committed = perf_counter()
        self._deliver(recorded)
        self._handle_waiting()

    def _break(self, request: Request | None, error: Exception) -> None:
        self._state = RunnerState.BROKEN
        self._faults.report("could not store events", error, match=self.key.id)
        self.time.stop_timer()
        unanswered = [(each.channel, each.message.id) for each in filter(None, (request, *self._waiting))]
        if request is None and self.seat is not None:
            unanswered.insert(0, (self.seat, None))
        self._waiting.clear()
        for channel, re in unanswered:
            self._counts.refusals[ErrorCode.STORAGE_UNAVAILABLE] += 1
            channel.send([encode(RefusedError(*_NOT_STORED).answer(re, fatal=True))])
        for channel in {channel for channel, _ in unanswered}:
            self._counts.ended[EndReason.STORAGE] += 1
            channel.close(1011, "storage unavailable")
        self._retire(self)

    # 6. What the player and others receive

    def _deliver(self, recorded: Recorded) -> None:
        channel = self.seat if recorded.request is None else recorded.request.channel
        if channel is not None and recorded.texts:
            channel.send(recorded.texts)
        if is_counted(self.key.ladder):
            self._counts.add_step(recorded.changes.entries, recorded.times)
        now = self._now()
        self.time.start_turn(now)
        self.time.set_timer(now, self.wake)
        self.sent_count = self.event_log.seq
        if self.match.over:
            self.time.stop_timer()
            self._retire(self)
        else:
            self._end_unplayed()

    def _now(self) -> float:
        return self.time.credited_now(self.seat)

    # Requests that do not change the match

    def _resume(self, request: Request, message: Resume) -> None:
        older, self.seat, self._abandoned = self.seat, request.channel, False
        if older is not None and older is not request.channel:
            older.send([_SEAT_TAKEN])
            older.close(CLOSE_SEAT_TAKEN, "seat taken")
        texts = messages.resume_texts(self.match, self.event_log, message, self._now())
        self._deliver(Recorded(request, Changes(), texts))

    def _ask_hint(self, request: Request) -> None:
        if self.key.ladder.rated:
            raise RefusedError(ErrorCode.NOT_PRACTICE, "hints are given on practice ladders only")
        self.match.check_hint()
        self._state = RunnerState.BUSY
        done = partial(self._take_hint, request)
        self._codemaking.request_hint(self.key.ladder, self.player, self.match.history, done)

    def _take_hint(self, request: Request, hint: HintResult | Exception) -> None:
        if self._state is RunnerState.CLOSED:
            return
        self._state = RunnerState.IDLE
        if isinstance(hint, Exception):
            self._log.error("hint failed", exc_info=hint)
            self._refuse(request, RefusedError(ErrorCode.INTERNAL, "no hint could be computed"))
        else:
            match, re = self.key.id, request.message.id
            given = HintGiven(match=match, code=hint.code, candidates=hint.candidates, why=hint.why, re=re)
            request.channel.send([encode(given)])
        self.time.set_timer(self._now(), self.wake)
        self._handle_waiting()

    def _refuse(self, request: Request, refused: RefusedError) -> None:
        self._counts.refusals[refused.code] += 1
        request.channel.send([encode(refused.answer(request.message.id))])
