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

    A game is unsolved if it has reached the guess limit, and flagged if it has reached the time limit. It is forfeit
    after too many illegal codes or if its player is not there, and void if the server could not compute a reply.
    """

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    FLAGGED = "flagged"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class GameOpened:
    """The event that the game with the number ``game``, from 1, waits until its player is ready.

    It waits for at most ``ready_ms`` milliseconds.
    """

    game: int
    ready_ms: int


@dataclass(frozen=True, slots=True)
class GameBegun:
    """The event that the player is ready for the game with the number ``game``, from 1.

    ``client_nonce`` is a random text that the player sent, or None. A fixed secret follows from it and the server's
    nonce.
    """

    game: int
    client_nonce: str | None = field(repr=False)


class TurnOpened(NamedTuple):
    """The event that a turn waits for the player's guess; ``game`` and ``turn`` are numbers from 1.

    The runner calls `Match.start_clock` once the player has been sent the turn. ``left_ms`` is the player's time left
    in milliseconds, or None if the game is untimed.
    """

    game: int
    turn: int
    left_ms: int | None


class NeedReply(NamedTuple):
    """The event that a guess was accepted and needs the codemaker's feedback.

    ``game`` and ``turn`` are numbers from 1. ``history`` has the turns before the guess. ``client_nonce`` is the text
    that the player sent for the draw of a fixed secret, or None.
    """

    game: int
    turn: int
    guess: Code
    history: History
    client_nonce: str | None

    def __repr__(self) -> str:
        """Return the fields without the nonce of the client."""
        return f"NeedReply(game={self.game}, turn={self.turn}, guess={self.guess}, history={self.history})"


class GuessAnswered(NamedTuple):
    """The event that a guess was answered; ``game`` and ``turn`` are numbers from 1.

    ``took_ms`` is the time in milliseconds that the player is charged for the guess. ``left_ms`` is the time left in
    milliseconds, including the increment for this guess; it is None if the game is untimed.
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

    ``why`` is the reason as a text for the player. ``strikes_left`` is the number of further illegal codes that end the
    game; at 0 the game is lost.
    """

    why: str
    strikes_left: int


@dataclass(frozen=True, slots=True)
class AnswerRepeated:
    """The event that an answered guess was sent again, so that the player must be sent the same answer again.

    ``game`` and ``turn``, numbers from 1, are those of the guess.
    """

    game: int
    turn: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The event that the game with the number ``game``, from 1, is over.

    ``guesses`` is the number of answered guesses, and ``elapsed_ms`` the time that the player used. ``history`` has the
    answered turns, and ``times_ms`` the milliseconds that each took. ``begun`` is True if the player was ever ready for
    the game, and ``opened`` if the game was announced to the player. In a fact that was read from a record, ``begun``
    is always True, ``client_nonce`` is None, and ``history`` and ``times_ms`` are empty.
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

        ``codemaker`` is the kind of codemaker, such as ``fixed``. Games that never began show no code. Void games show
        one only if the codemaker is fixed.
        """
        return self.begun and (codemaker == "fixed" or self.outcome is not Outcome.VOID)


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The event that every game of a match is over.

    ``outcomes`` has the outcome of each game, and ``guesses`` the number of answered guesses in each game, both in the
    order of the games. ``elapsed_ms`` is the time in milliseconds that the player used in all games.
    """

    outcomes: tuple[Outcome, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


Fact = GameOpened | GameBegun | GuessAnswered | GameEnded | MatchEnded
MatchEvent = Fact | TurnOpened | NeedReply | CodeRefused | AnswerRepeated
