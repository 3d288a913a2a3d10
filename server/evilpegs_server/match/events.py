"""What happens in a match, in game values. `match` yields these; nothing here knows JSON, sockets or storage.

Facts are what the match is rebuilt from after a crash: `GameOpened`, `GameBegun`, `GuessAnswered`, `GameEnded`,
`MatchEnded`. The others (`TurnOpened`, `NeedReply`, `CodeRefused`, `AnswerRepeated`) tell the runner what to do now.
Those that are made for every guess are named tuples, which cost half of what frozen dataclasses do.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History


class Outcome(StrEnum):
    """How a game ended."""

    SOLVED = "solved"
    UNSOLVED = "unsolved"
    FLAGGED = "flagged"
    RESIGNED = "resigned"
    FORFEIT = "forfeit"
    VOID = "void"


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A game waits for the player to be ready, ``ready_ms`` at most."""

    game: int
    ready_ms: int


@dataclass(frozen=True, slots=True)
class GameBegun:
    """The player is ready; with ``client_nonce`` the secret is bound."""

    game: int
    client_nonce: str | None = field(repr=False)


class TurnOpened(NamedTuple):
    """The player is to move; the runner says with `Match.start_clock` when he was told."""

    game: int
    turn: int
    left_ms: int | None


class NeedReply(NamedTuple):
    """A guess was accepted and the codemaker's feedback is wanted."""

    game: int
    turn: int
    guess: Code
    history: History
    client_nonce: str | None

    def __repr__(self) -> str:
        """Without the nonce of the client."""
        return f"NeedReply(game={self.game}, turn={self.turn}, guess={self.guess}, history={self.history})"


class GuessAnswered(NamedTuple):
    """A guess and its feedback; ``left_ms`` after the increment, None untimed."""

    game: int
    turn: int
    guess: Code
    feedback: Feedback
    took_ms: int
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class CodeRefused:
    """The guess is not a code of the rules; the clock goes on. The game is lost when no ``strikes_left``."""

    why: str
    strikes_left: int


@dataclass(frozen=True, slots=True)
class AnswerRepeated:
    """The guess was answered before; the same answer is due."""

    game: int
    turn: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """A game is over. ``begun`` tells whether the player was ever ready, ``opened`` whether it was announced."""

    game: int
    outcome: Outcome
    guesses: int
    elapsed_ms: int
    history: History
    client_nonce: str | None = field(repr=False)
    begun: bool
    opened: bool


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """Every game is over."""

    outcomes: tuple[Outcome, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


Fact = GameOpened | GameBegun | GuessAnswered | GameEnded | MatchEnded
MatchEvent = Fact | TurnOpened | NeedReply | CodeRefused | AnswerRepeated
