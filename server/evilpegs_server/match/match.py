"""A match: a fixed number of games of one player on one ladder, as a state machine without I/O.

Commands take ``now`` (milliseconds on a clock that only goes forward) and return the events they cause, in order. The
machine never computes a feedback, never reads a clock and never waits. It returns `NeedReply` and receives the
feedback later; `deadline` is the time at which its owner must call `handle_timeout`.

A command that is out of place raises `RefusedError` and changes nothing. While the machine waits for a reply, its owner
must hold back all commands: a command in THINKING, or a reply in any other state, raises RuntimeError. Events that have
happened are facts, and the state follows from the facts alone: `Match.from_facts` builds the same match from the facts
of its record.

    state      waits for                            and then
    READY      ready | resign | timeout | abandon   TURN (begun), or READY or OVER (the game is lost)
    TURN       guess | resign | timeout | abandon   THINKING, or READY or OVER (the game is over)
    THINKING   reply | fail                         TURN (next turn), or READY or OVER; no clock runs
    OVER       nothing

At the end of a game, READY follows if another game is left, and OVER if not. The first and second illegal code of a
game change no state. In TURN the clock does not run before `start_clock`, which its owner calls once the player has
been sent the turn. `TRANSITIONS` is this table, and no move outside it is possible.
"""

from collections.abc import Iterable
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Self

from evilpegs_game.codes import SYMBOLS, Code, parse_code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import Feedback, History, Turn, all_black
from evilpegs_protocol.fields import Outcome
from evilpegs_protocol.server_messages import Error, ErrorCode, Expected
from evilpegs_server.match import events
from evilpegs_server.match.clock import GameClock, Times
from evilpegs_server.match.events import Fact, MatchEvent
from evilpegs_server.match.ladders import Ladder

IDLE_MS: Final = 3_600_000
"""The time for which an untimed turn waits for a guess before the game is forfeited."""
STRIKES: Final = 3
"""The number of illegal codes in one game that forfeits the game."""


class State(StrEnum):
    READY = "ready"
    TURN = "turn"
    THINKING = "thinking"
    OVER = "over"

    __hash__ = str.__hash__  # that of Enum is slow, and every guess looks states up


TRANSITIONS: Final = MappingProxyType(
    {
        State.READY: frozenset({State.READY, State.TURN, State.OVER}),
        State.TURN: frozenset({State.THINKING, State.READY, State.OVER}),
        State.THINKING: frozenset({State.TURN, State.READY, State.OVER}),
        State.OVER: frozenset(),
    }
)


class RefusedError(Exception):
    """A request that is refused, with the fields of an `Error`: ``code`` is for programs, the message for people."""

    def __init__(
        self, code: ErrorCode, message: str, *, expected: Expected | None = None, retry_after_ms: int | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.expected, self.retry_after_ms = code, expected, retry_after_ms

    def answer(self, re: str | None, *, fatal: bool = False) -> Error:
        wait, expected = self.retry_after_ms, self.expected
        return Error(code=self.code, message=str(self), re=re, fatal=fatal, expected=expected, retry_after_ms=wait)


def already_entered(round_id: str) -> RefusedError:
    why = f"you have entered the round {round_id}, which is one match; resume it if it is open"
    return RefusedError(ErrorCode.ALREADY_ENTERED, why)


class Match:
    """The state machine of one match; ``game`` is 0 before `start`, ``history`` is of the current game."""

    def __init__(self, ladder: Ladder) -> None:
        self.ladder = ladder
        self.state = State.READY
        self.game = 0
        self._closed = False
        self._solved = all_black(ladder.rules.pegs)
        self._wake_at: float | None = None
        self._answered: dict[tuple[int, int], Code] = {}
        self._outcomes: list[Outcome] = []
        self._guesses: list[int] = []
        self._elapsed_ms = 0
        self._pending: Code | None = None
        self._took_ms = 0
        self._reset_game()

    def _reset_game(self) -> None:
        self.history: History = ()
        self.client_nonce: str | None = None
        self._strikes = 0
        self.clock = GameClock(self.ladder.clock)

    @classmethod
    def from_facts(cls, ladder: Ladder, facts: Iterable[Fact]) -> Self:
        """Return the match whose record states ``facts``; no time runs in it before `recover` is called."""
        match = cls(ladder)
        for fact in facts:
            match._apply(fact)
        return match

    @property
    def turn(self) -> int:
        """0 until the player is ready for the current game."""
        return 0 if self.state is State.READY else len(self.history) + 1

    @property
    def game_and_turn(self) -> tuple[int, int]:
        return self.game, self.turn

    @property
    def over(self) -> bool:
        return self.state is State.OVER

    # Commands of the player

    def start(self, now: float) -> list[MatchEvent]:
        return [self._open_game(1, now)]

    def ready(self, game: int, client_nonce: str | None, now: float) -> list[MatchEvent]:
        """Begin the current game, or return its open turn again. Raises RefusedError if ``game`` is another one."""
        self._expect(thinking=False)
        self._check_game(game)
        if self.state is State.TURN:
            return [self.open_turn(now)]
        begun = events.GameBegun(game, client_nonce)
        self._apply(begun)
        return [begun, self.open_turn(now)]

    def guess(self, game: int, turn: int, text: str, now: float) -> list[MatchEvent]:
        """Return `NeedReply`, `AnswerRepeated`, `CodeRefused` or the end. Raises RefusedError for any other turn."""
        self._expect(thinking=False)
        try:
            code = parse_code(text, self.ladder.rules)
        except GameError:
            code = None
        answered = self._answered.get((game, turn))
        if answered is not None:
            if code != answered:
                raise self._refusal_error(ErrorCode.STALE_TURN, "that turn was already played with another code")
            return [events.AnswerRepeated(game, turn)]
        self._check_turn(game, turn)
        if self.clock.has_flagged(now):
            return self._end_game("flagged", now)
        if code is None:
            return self._strike(now)
        self._pending, self._took_ms, self._wake_at = code, self.clock.stop(now), None
        self._enter(State.THINKING)
        return [events.NeedReply(game, turn, code, self.history, self.client_nonce)]

    def resign(self, game: int | None, now: float) -> list[MatchEvent]:
        """Resign ``game``, or all remaining games if it is None. Raises RefusedError unless ``game`` is current."""
        self._expect(thinking=False)
        self._check_game(self.game if game is None else game)
        return self._end_game("resigned", now, and_others=game is None)

    # Input from the owner

    def reply(self, feedback: Feedback, now: float) -> list[MatchEvent]:
        """Apply the feedback to the guess of the last `NeedReply`; open the next turn or end the game."""
        self._expect(thinking=True)
        assert self._pending is not None  # noqa: S101 - set by the guess that waits for this reply
        left = self.clock.left_after(self._took_ms)
        answered = events.GuessAnswered(self.game, self.turn, self._pending, feedback, self._took_ms, left)
        self._apply(answered)
        if feedback == self._solved:
            return [answered, *self._end_game("solved", now)]
        if len(self.history) == self.ladder.guess_limit:
            return [answered, *self._end_game("unsolved", now)]
        return [answered, self.open_turn(now)]

    def fail(self, now: float) -> list[MatchEvent]:
        """End the game as void, because the server could not compute a reply."""
        self._expect(thinking=True)
        return self._end_game("void", now)

    def abandon(self, now: float) -> list[MatchEvent]:
        """Forfeit the current game, because its player has been away for too long."""
        self._expect(thinking=False)
        return self._end_game("forfeit", now)

    def close(self, now: float) -> list[MatchEvent]:
        """Let no further game begin: those that are left are forfeited, after the one that is played."""
        self._expect(thinking=False)
        self._closed = True
        return self._end_game("forfeit", now) if self.state is State.READY else []

    def start_clock(self, now: float) -> None:
        """Start the clock of the open turn, unless it runs already."""
        if self.state is State.TURN and not self.clock.running:
            self.clock.start(now)
            self._wake_at = None if self.ladder.clock else now + IDLE_MS

    def credit(self, ms: float) -> None:
        """Charge the player ``ms`` less for the open turn, in which the server stood still."""
        self.clock.credit(ms)
        if self._wake_at is not None:
            self._wake_at += ms

    def open_turn(self, now: float) -> events.TurnOpened:
        """Return the turn that is open; the result has a meaning only in TURN."""
        return events.TurnOpened(self.game, self.turn, self.clock.left_at(now))

    def check_hint(self) -> None:
        """Raise RefusedError if no hint can be given now."""
        if self.over:
            raise self._game_over_error()
        if self.state is not State.TURN:
            raise self._refusal_error(ErrorCode.NOT_READY, "hints are for an open turn; send ready to open one")

    def ready_by_ms(self, now: float) -> int:
        """Return how long the game still waits for its player; the result has a meaning only in READY."""
        return max(0, round((self._wake_at or now) - now))

    def deadline(self) -> float | None:
        """Return the time at which `handle_timeout` must be called; None if nothing can time out."""
        flag = self.clock.flag_at()
        return self._wake_at if flag is None else flag

    def handle_timeout(self, now: float) -> list[MatchEvent]:
        """Return the events of a deadline that has passed; a clock that was never started starts instead."""
        deadline = self.deadline()
        if deadline is None or now < deadline:
            return []
        if self.state is State.READY:
            return self._end_game("forfeit", now)
        if not self.clock.running:
            self.start_clock(now)
            return []
        if self.ladder.clock is None:
            return self._end_game("forfeit", now)
        return self._end_game("flagged", now) if self.clock.has_flagged(now) else []

    def recover(self, now: float, grace_ms: int) -> None:
        """Let time run again in a match rebuilt from its record, ``grace_ms`` from ``now`` on."""
        self._wake_at = now + grace_ms + (self.ladder.ready_ms if self.state is State.READY else 0)

    def times(self, now: float, credit_ms: float) -> Times:
        return Times(self.clock.spent_ms(now), None if self._wake_at is None else self._wake_at - now, credit_ms)

    def set_times(self, now: float, times: Times) -> None:
        """Let time run in a match rebuilt from its record, as it ran where it was handed over."""
        if times.spent_ms is not None:
            self.clock.start(now - times.spent_ms)
        self._wake_at = None if times.wait_ms is None else now + times.wait_ms

    def _expect(self, *, thinking: bool) -> None:
        if (self.state is State.THINKING) is not thinking:
            raise RuntimeError("no guess waits for a reply" if thinking else "a reply is due first")

    def _check_game(self, game: int) -> None:
        if self.over or game < self.game:
            raise self._game_over_error()
        if game > self.game:
            raise self._refusal_error(ErrorCode.NOT_READY, f"game {self.game} is not over yet; finish it first")

    def _check_turn(self, game: int, turn: int) -> None:
        if self.over or game < self.game:
            raise self._game_over_error()
        if game == self.game and self.state is State.READY:
            raise self._refusal_error(
                ErrorCode.NOT_READY, "the game has not started; send ready before the first guess"
            )
        if (game, turn) > (self.game, self.turn):
            raise self._refusal_error(ErrorCode.FUTURE_TURN, "that turn has not come yet")

    def _strike(self, now: float) -> list[MatchEvent]:
        self._strikes += 1
        rules = self.ladder.rules
        once = "" if rules.repeats else ", each at most once"
        # the text does not quote the code, because the player wrote it
        why = f"not a code of {rules}: write {rules.pegs} of {SYMBOLS[: rules.colors]}{once}"
        refused = events.CodeRefused(why, STRIKES - self._strikes)
        return [refused] if refused.strikes_left else [refused, *self._end_game("forfeit", now)]

    def _open_game(self, game: int, now: float) -> events.GameOpened:
        opened = events.GameOpened(game)
        self._apply(opened)
        self._wake_at = now + self.ladder.ready_ms
        return opened

    def _end_game(self, outcome: Outcome, now: float, *, and_others: bool = False) -> list[MatchEvent]:
        elapsed = self.clock.elapsed_ms + self.clock.stop(now)
        history, begun = self.history, self.state is not State.READY
        ended = [events.GameEnded(self.game, outcome, len(history), elapsed, history, self.client_nonce, begun=begun)]
        if and_others or self._closed:
            games, others = range(self.game + 1, self.ladder.games + 1), outcome if and_others else "forfeit"
            ended += [events.GameEnded(game, others, 0, 0, begun=False, opened=False) for game in games]
        for fact in ended:
            self._apply(fact)
        if self.game < self.ladder.games:
            return [*ended, self._open_game(self.game + 1, now)]
        over = events.MatchEnded(tuple(self._outcomes), tuple(self._guesses), self._elapsed_ms)
        self._apply(over)
        return [*ended, over]

    def _apply(self, fact: Fact) -> None:
        match fact:
            case events.GuessAnswered():
                self._answered[fact.game, fact.turn] = fact.guess
                self.history = (*self.history, Turn._make((fact.guess, fact.feedback)))
                self.clock.charge(fact.took_ms)
                self._pending = None
                if self.state is State.THINKING:
                    self._enter(State.TURN)
            case events.GameOpened():
                self._reset_game()
                self.game = fact.game
                self._enter(State.READY)
            case events.GameBegun():
                self.client_nonce, self._wake_at = fact.client_nonce, None
                self._enter(State.TURN)
            case events.GameEnded():
                self.game = fact.game
                self._outcomes.append(fact.outcome)
                self._guesses.append(fact.guesses)
                self._elapsed_ms += fact.elapsed_ms
                self._pending = self._wake_at = None
            case events.MatchEnded():
                self._enter(State.OVER)

    def _enter(self, state: State) -> None:
        if state not in TRANSITIONS[self.state]:
            raise RuntimeError(f"a match cannot go from {self.state} to {state}")
        self.state = state

    def _refusal_error(self, code: ErrorCode, message: str) -> RefusedError:
        expected = None if self.over else Expected(game=self.game, turn=self.turn)
        return RefusedError(code, message, expected=expected)

    def _game_over_error(self) -> RefusedError:
        return self._refusal_error(ErrorCode.GAME_OVER, "the match is over" if self.over else "that game is over")
