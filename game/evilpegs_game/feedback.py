import re
from collections.abc import Iterable, Sequence
from functools import cache
from operator import eq
from typing import Any, NamedTuple, Self

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.errors import MalformedError, quoted
from evilpegs_game.rules import Rules

_TEXT = re.compile(r"([0-9]{1,2}),([0-9]{1,2})")


class Feedback(NamedTuple):
    """The answer to a guess: pegs right in color and place (black), and further pegs right in color only (white).

    Feedbacks are ordered by (black, white). The text form is ``1,2``.

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
        """Return the feedback of a text such as ``1,2``; raise MalformedError if it has another form."""
        match = _TEXT.fullmatch(text)
        if match is None:
            raise MalformedError(f"not a feedback: {quoted(text)}; write BLACK,WHITE like 1,2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.black},{self.white}"

    def check(self, pegs: int) -> None:
        """Raise MalformedError unless black + white is at most ``pegs`` and neither is negative."""
        if self.black + self.white > pegs or min(self) < 0:
            raise MalformedError(
                f"feedback {self} is impossible with {pegs} pegs; black and white together are 0 to {pegs}"
            )


def feedback(guess: Sequence[int], secret: Sequence[int]) -> Feedback:
    """Return the feedback to ``guess`` if ``secret`` is the code to find; feedback is symmetric.

    This is the plain definition; `evilpegs_game.partition` computes the feedback of many codes at once.

    >>> from evilpegs import feedback
    >>> feedback((0, 0, 1, 1), (0, 1, 2, 3))
    Feedback(black=1, white=1)
    """
    black = sum(map(eq, guess, secret))
    unmatched = list(secret)
    for color in guess:
        if color in unmatched:
            unmatched.remove(color)
    return Feedback(black, len(secret) - len(unmatched) - black)


def all_black(pegs: int) -> Feedback:
    return Feedback(pegs, 0)


@cache
def feedbacks(pegs: int) -> tuple[Feedback, ...]:
    """Return every feedback in feedback order; the index of a feedback is its number.

    (pegs - 1, 1) is included although no two codes give it.
    """
    return tuple(Feedback(b, w) for b in range(pegs + 1) for w in range(pegs + 1 - b))


def feedback_number(feedback: Feedback, pegs: int) -> int:
    return feedback.black * (2 * pegs + 3 - feedback.black) // 2 + feedback.white


class Turn(NamedTuple):
    """One guess and its feedback.

    >>> from evilpegs import Feedback, Turn
    >>> turn = Turn((0, 0, 1, 1), Feedback(1, 0))
    >>> turn.guess, str(turn.feedback)
    ((0, 0, 1, 1), '1,0')
    """

    guess: Code
    feedback: Feedback

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object ``{code, black, white}``; ``code`` is text."""
        return {"code": format_code(self.guess), "black": self.feedback.black, "white": self.feedback.white}


History = tuple[Turn, ...]
"""The turns of one game, oldest first."""


def parse_turn(text: str, rules: Rules) -> Turn:
    """Return the turn of a text such as ``1122:1,0``; raise GameError for anything else."""
    code, colon, feedback = text.partition(":")
    if not colon:
        raise MalformedError(f"{quoted(text)} has no feedback; write CODE:BLACK,WHITE like 1122:1,0")
    turn = Turn(parse_code(code, rules), Feedback.parse(feedback))
    turn.feedback.check(rules.pegs)
    return turn


def parse_turns(texts: Iterable[str], rules: Rules) -> History:
    return tuple(parse_turn(text, rules) for text in texts)


def format_turns(history: History) -> list[str]:
    return [f"{format_code(guess)}:{feedback}" for guess, feedback in history]
