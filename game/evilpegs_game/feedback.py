"""Feedback: how close a guess is to a secret, and the numbering of all feedbacks."""

import re
from collections.abc import Sequence
from functools import cache
from operator import eq
from typing import NamedTuple, Self

from evilpegs_game.errors import MalformedError

_TEXT = re.compile(r"([0-9]{1,2}),([0-9]{1,2})")


class Feedback(NamedTuple):
    """``black`` pegs right in color and place, ``white`` further ones right in color only.

    Ordered by (black, white). The text form is ``1,2``.

    >>> from evilpegs import Feedback
    >>> Feedback.parse("1,2")
    Feedback(black=1, white=2)
    >>> str(Feedback(black=1, white=2))
    '1,2'
    """

    black: int
    white: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``1,2``; raises MalformedError."""
        match = _TEXT.fullmatch(text)
        if match is None:
            message = f"not a feedback: {text[:40]!r}; write BLACK,WHITE like 1,2"
            raise MalformedError(message)
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.black},{self.white}"

    def check(self, pegs: int) -> None:
        """Raise MalformedError unless a guess of ``pegs`` pegs could get this feedback."""
        if self.black + self.white > pegs or min(self) < 0:
            message = f"feedback {self} is impossible with {pegs} pegs"
            raise MalformedError(message)


def feedback(guess: Sequence[int], secret: Sequence[int]) -> Feedback:
    """Return the feedback of ``guess`` against ``secret``; the two may be exchanged.

    This is the plain definition; `evilpegs_game.partition` computes it for many codes at once.

    >>> from evilpegs import feedback
    >>> feedback((0, 0, 1, 1), (0, 1, 2, 3))
    Feedback(black=1, white=1)
    """
    black = sum(map(eq, guess, secret))
    matches = 0
    for color in set(guess):
        matches += min(guess.count(color), secret.count(color))
    return Feedback(black, matches - black)


def all_black(pegs: int) -> Feedback:
    """The feedback that ends a game."""
    return Feedback(pegs, 0)


@cache
def feedbacks(pegs: int) -> tuple[Feedback, ...]:
    """Every feedback with black + white <= pegs, in order; the place of one here is its number.

    (pegs - 1, 1) is in the list although no two codes give it.
    """
    return tuple(Feedback(b, w) for b in range(pegs + 1) for w in range(pegs + 1 - b))


def feedback_number(given: Feedback, pegs: int) -> int:
    """The place of a feedback in `feedbacks`: numbers are ordered as feedbacks are."""
    return given.black * (2 * pegs + 3 - given.black) // 2 + given.white
