"""The events that the state machine in `match` returns, independent of JSON, sockets and storage.

After a crash, a match is rebuilt from the facts of its record. The facts are `GameOpened`, `GameBegun`,
`GuessAnswered`, `GameEnded` and `MatchEnded`. The other events (`TurnOpened`, `NeedReply`, `CodeRefused`,
`AnswerRepeated`) ask the runner to do something. Events that occur at every guess are named tuples, because they cost
half as much as frozen dataclasses.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback, History
from evilpegs_protocol.fields import Outcome


@dataclass(frozen=True, slots=True)
class GameOpened:
    """A game that waits until its player is ready, for at most `Ladder.ready_ms`."""

    game: int


@dataclass(frozen=True, slots=True)
class GameBegun:
    game: int
    client_nonce: str | None = field(repr=False)


class TurnOpened(NamedTuple):
    """A turn that waits for a guess; the runner calls `Match.start_clock` once it is sent."""

    game: int
    turn: int
    left_ms: int | None


class NeedReply(NamedTuple):
    """An accepted guess, not yet in ``history``, that needs the codemaker's feedback."""

    game: int
    turn: int
    guess: Code
    history: History
    client_nonce: str | None

    def __repr__(self) -> str:  # without the nonce of the client
        return f"NeedReply(game={self.game}, turn={self.turn}, guess={self.guess}, history={self.history})"


class GuessAnswered(NamedTuple):
    """An answered guess; ``took_ms`` is charged to the player, and ``left_ms`` includes the increment."""

    game: int
    turn: int
    guess: Code
    feedback: Feedback
    took_ms: int
    left_ms: int | None


@dataclass(frozen=True, slots=True)
class CodeRefused:
    """A guess that is not a code of the rules. The clock runs on; with 0 strikes left the game is lost."""

    why: str
    strikes_left: int


@dataclass(frozen=True, slots=True)
class AnswerRepeated:
    """An answered guess that was sent again, so that the player must be sent the same answer again."""

    game: int
    turn: int


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The end of a game; ``begun`` if the player was ever ready, ``opened`` if the game was announced."""

    game: int
    outcome: Outcome
    guesses: int
    elapsed_ms: int
    # the next three have these values in a fact from a record
    history: History = ()
    client_nonce: str | None = field(default=None, repr=False)
    begun: bool = True
    opened: bool = True

    def shows_secret(self, codemaker: str) -> bool:
        """Return True if the end shows a secret or witness; void games show one only if the codemaker is fixed."""
        return self.begun and (codemaker == "fixed" or self.outcome != "void")


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The end of a match, with the outcome and the answered guesses of each game."""

    outcomes: tuple[Outcome, ...]
    guesses: tuple[int, ...]
    elapsed_ms: int


Fact = GameOpened | GameBegun | GuessAnswered | GameEnded | MatchEnded
MatchEvent = Fact | TurnOpened | NeedReply | CodeRefused | AnswerRepeated
