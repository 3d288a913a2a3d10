"""Codemakers: who answers a guess, and by which rule.

A reply is a pure function of the position and the guess. A codemaker keeps no state of a game, so any
reply can be computed again from the record of a match.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from evilpegs_game.candidates import Position
from evilpegs_game.codes import Code
from evilpegs_game.feedback import Feedback, all_black, feedback

TieBreak = Callable[[int, int], int]
"""Given the turn (from 1) and how many parts tie, the index of one of them in feedback order."""


class Codemaker(Protocol):
    """Replies to guesses."""

    def reply(self, position: Position, guess: Code) -> Feedback:
        """The feedback to ``guess`` at ``position``."""
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """Has a secret and tells the truth about it."""

    secret: Code = field(repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:  # noqa: ARG002
        """The feedback of ``guess`` against the secret."""
        return feedback(guess, self.secret)


@dataclass(frozen=True, slots=True)
class Evil:
    """Has no secret and gives the feedback that leaves most candidates.

    Of several the first in feedback order (fewest blacks, then fewest whites), or the one that
    ``tie_break`` takes, which is asked even when there is no choice.
    """

    tie_break: TieBreak | None = field(default=None, repr=False)

    def reply(self, position: Position, guess: Code) -> Feedback:
        """The feedback of the part chosen.

        Raises:
            ContradictionError, TooLargeError: as the candidates of a `Position` do.
        """
        allowed = largest_parts(position, guess)
        return allowed[self.tie_break(position.turn, len(allowed)) if self.tie_break else 0]


def largest_parts(position: Position, guess: Code) -> tuple[Feedback, ...]:
    """The feedbacks an evil codemaker may give, in feedback order: those whose parts are largest.

    All-black is among them only when there is no other.
    """
    parts = position.parts(guess)
    ending = all_black(position.rules.pegs)
    if len(parts) > 1:
        parts.pop(ending, None)
    largest = max(parts.values())
    return tuple(given for given, size in parts.items() if size == largest)


def witness(position: Position) -> Code:
    """A code consistent with everything said so far, to show when an evil game ends: the first."""
    return position.first_candidate
