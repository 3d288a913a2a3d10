"""The events of a match, in game values. `match` returns these; nothing here knows JSON, sockets or storage.

A match is rebuilt from its facts after a crash. The facts are `GameOpened`, `GameBegun`, `GuessAnswered`, `GameEnded`,
`MatchEnded`. The other events (`TurnOpened`, `NeedReply`, `CodeRefused`, `AnswerRepeated`) tell the runner what to do
now. Events that occur at every guess are named tuples, because they cost half as much as frozen dataclasses.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History


class Outcome(StrEnum):
    """The outcome of a game."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    FLAGGED = "flagged"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A game waits for the player to be ready, for at most ``ready_ms`` milliseconds."""

    game: int
    ready_ms: int


@dataclass(frozen=True, slots=True)
class GameBegun:
    """The player is ready. A fixed secret now follows from ``client_nonce`` too."""

    game: int
    client_nonce: str | None = field(repr=False)


class TurnOpened(NamedTuple):
    """It is the player's turn. The runner calls `Match.start_clock` once the player has been sent the turn."""

    game: int
    turn: int
    left_ms: int | None


class NeedReply(NamedTuple):
    """A guess was accepted and needs the codemaker's feedback."""

    game: int
    turn: int
    guess: Code
    history: History
    client_nonce: str | None

    def __repr__(self) -> str:
        """Return the fields without the nonce of the client."""
        return f"NeedReply(game={self.game}, turn={self.turn}, guess={self.guess}, history={self.history})"


class GuessAnswered(NamedTuple):
    """A guess was answered. ``left_ms`` includes the increment; it is None if the game is untimed."""

    game: int
    turn: int
    guess: Code
    feedback: Feedback
    took_ms: int
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class CodeRefused:
    """The guess is not a code of the rules; the clock runs on. With no ``strikes_left`` the game is lost."""

    why: str
    strikes_left: int


@dataclass(frozen=True, slots=True)
class AnswerRepeated:
    """The guess was answered before; the player is to get the same answer again."""

    game: int
    turn: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over. ``begun`` is True if the player was ever ready, ``opened`` if the game was announced."""

    game: int
    outcome: Outcome
    guesses: int
    elapsed_ms: int
    history: History
    client_nonce: str | None = field(repr=False)
    begun: bool
    opened: bool

    def shows_secret(self, codemaker: str) -> bool:
        """Return True if a code is shown at this end: the secret of a begun game, or a witness.

        An evil codemaker or a devil that failed, so that the game is void, has no witness.
        """
        return self.begun and (codemaker == "fixed" or self.outcome is not Outcome.VOID)


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """Every game is over."""

    outcomes: tuple[Outcome, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


Fact = GameOpened | GameBegun | GuessAnswered | GameEnded | MatchEnded
MatchEvent = Fact | TurnOpened | NeedReply | CodeRefused | AnswerRepeated
