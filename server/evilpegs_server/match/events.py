"""The events that the state machine in `match` returns, independent of JSON, sockets and storage.

After a crash, a match is rebuilt from the facts of its record. The facts are `GameOpened`, `GameBegun`,
`GuessAnswered`, `GameEnded` and `MatchEnded`. The other events (`TurnOpened`, `NeedReply`, `CodeRefused`,
`AnswerRepeated`) ask the runner to do something. Events that occur at every guess are named tuples, because they cost
half as much as frozen dataclasses.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History


class Outcome(StrEnum):
    """The outcome of a game.

    An unsolved game has reached the guess limit, and a flagged one the time limit. A game is forfeit after too many
    illegal codes or if its player is not there, and void if the server could not compute a reply.
    """

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    FLAGGED = "flagged"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class GameOpened:
    """The event that a game waits for its player to be ready, for at most ``ready_ms`` milliseconds."""

    game: int
    ready_ms: int


@dataclass(frozen=True, slots=True)
class GameBegun:
    """The event that the player is ready for a game.

    ``client_nonce`` is a text of the player, if they gave one. A fixed secret follows from it and the server's nonce.
    """

    game: int
    client_nonce: str | None = field(repr=False)


class TurnOpened(NamedTuple):
    """The event that a turn waits for the player's guess.

    The runner calls `Match.start_clock` once the player has been sent the turn. ``left_ms`` is None if the game is
    untimed.
    """

    game: int
    turn: int
    left_ms: int | None


class NeedReply(NamedTuple):
    """The event that a guess was accepted and needs the codemaker's feedback; ``history`` has the turns before it."""

    game: int
    turn: int
    guess: Code
    history: History
    client_nonce: str | None

    def __repr__(self) -> str:
        """Return the fields without the nonce of the client."""
        return f"NeedReply(game={self.game}, turn={self.turn}, guess={self.guess}, history={self.history})"


class GuessAnswered(NamedTuple):
    """The event that a guess, which took the player ``took_ms`` milliseconds, was answered.

    ``left_ms`` is the time left, including the increment for this guess; it is None if the game is untimed.
    """

    game: int
    turn: int
    guess: Code
    feedback: Feedback
    took_ms: int
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class CodeRefused:
    """The event that a guess was refused because it is not a code of the rules. The clock runs on.

    ``strikes_left`` is the number of further illegal codes that end the game; at 0 the game is lost.
    """

    why: str
    strikes_left: int


@dataclass(frozen=True, slots=True)
class AnswerRepeated:
    """The event that a guess was sent again after it was answered, so that the player needs the same answer again."""

    game: int
    turn: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The event that a game is over.

    ``begun`` is True if the player was ever ready for it, and ``opened`` if it was announced to the player.
    ``times_ms`` are the milliseconds that each answered guess took. ``history``, ``client_nonce`` and ``times_ms`` are
    empty in a fact that was read from a record.
    """

    game: int
    outcome: Outcome
    guesses: int
    elapsed_ms: int
    history: History
    client_nonce: str | None = field(repr=False)
    begun: bool
    opened: bool
    times_ms: tuple[int, ...] = ()

    def shows_secret(self, codemaker: str) -> bool:
        """Return True if the end of the game shows a code: the fixed secret, or else a code that fits all replies.

        Games that never began show none. Void games without a fixed secret show none either.
        """
        return self.begun and (codemaker == "fixed" or self.outcome is not Outcome.VOID)


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The event that every game of a match is over. ``outcomes`` and ``guesses`` have one entry per game."""

    outcomes: tuple[Outcome, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


Fact = GameOpened | GameBegun | GuessAnswered | GameEnded | MatchEnded
MatchEvent = Fact | TurnOpened | NeedReply | CodeRefused | AnswerRepeated
