import re
from collections.abc import Iterable, Sequence
from functools import cache
from operator import eq
from typing import Any, NamedTuple, Self

from evilpegs_game.codes import Code, CodeLike, are_colors, format_code, parse_code, to_code, to_code_of_any_rules
from evilpegs_game.errors import IllegalCodeError, MalformedError, quoted, require, to_whole, wrong_argument
from evilpegs_game.rules import MAX_COLORS, MAX_PEGS, Rules

_TEXT = re.compile(r"([0-9]{1,2}),([0-9]{1,2})")


FeedbackLike = str | tuple[int, int]
"""What the public API takes as a feedback: a text such as ``1,2``, or black and white."""


class _BlackWhite(NamedTuple):
    black: int
    white: int


class Feedback(_BlackWhite):
    """The answer to a guess: pegs right in color and place (black), and further pegs right in color only (white).

    Feedbacks are ordered by (black, white). The text form is ``1,2``. Raises MalformedError unless both are whole
    numbers of at least 0, together at most 16.

    >>> from evilpegs import Feedback
    >>> Feedback.parse("1,2")
    Feedback(black=1, white=2)
    >>> str(Feedback(black=1, white=2))
    '1,2'
    """

    __slots__ = ()

    def __new__(cls, black: int, white: int) -> Self:
        if not (type(black) is int and type(white) is int and black >= 0 <= white and black + white <= MAX_PEGS):
            black, white = to_whole("black", black, 0, MAX_PEGS), to_whole("white", white, 0, MAX_PEGS)
            _check_sum(black, white, MAX_PEGS)
        return tuple.__new__(cls, (black, white))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the feedback of a text such as ``1,2``; raise MalformedError if it has another form."""
        require(text, str, "a feedback", "a text such as '1,2'")
        match = _TEXT.fullmatch(text)
        if match is None:
            raise MalformedError(f"not a feedback: {quoted(text)}; write BLACK,WHITE like 1,2")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.black},{self.white}"

    def check(self, pegs: int) -> None:
        """Raise MalformedError unless black + white is at most ``pegs`` and neither is negative."""
        _check_sum(*self, pegs if type(pegs) is int else to_whole("pegs", pegs, 1, MAX_PEGS))


def _check_sum(black: int, white: int, pegs: int) -> None:
    if black + white > pegs:
        raise MalformedError(
            f"feedback {black},{white} is impossible with {pegs} pegs; black and white together are 0 to {pegs}"
        )


def to_feedback(feedback: object, pegs: int) -> Feedback:
    """Return ``feedback``, parsed if it is a text such as ``1,2``; raise MalformedError if it is none of ``pegs``."""
    if type(feedback) is Feedback and feedback[0] + feedback[1] <= pegs:
        return feedback
    if isinstance(feedback, str):
        parsed = Feedback.parse(feedback)
    elif isinstance(feedback, tuple | list) and len(feedback) == 2:
        parsed = Feedback(*feedback)
    else:
        raise wrong_argument("a feedback", feedback, "a text such as '1,2' or Feedback(black=1, white=2)")
    parsed.check(pegs)
    return parsed


def feedback(guess: CodeLike, secret: CodeLike) -> Feedback:
    """Return the feedback to ``guess`` if ``secret`` is the code to find; feedback is symmetric.

    Both are texts or tuples of equally many color indices, 1 to 16.

    Raises:
        MalformedError, IllegalCodeError: one of them is no code, or they differ in length.

    >>> from evilpegs import feedback
    >>> feedback((0, 0, 1, 1), (0, 1, 2, 3)), feedback("1122", "1234")
    (Feedback(black=1, white=1), Feedback(black=1, white=1))
    """
    # strategies compare thousands of tuples; one check of both at once costs half of what the feedback does
    if (
        type(guess) is tuple
        and type(secret) is tuple
        and 0 < len(guess) == len(secret) <= MAX_PEGS
        and are_colors(guess + secret, MAX_COLORS)
    ):
        return plain_feedback(guess, secret)
    first, second = to_code_of_any_rules(guess), to_code_of_any_rules(secret)
    if len(first) != len(second):
        raise IllegalCodeError(f"a guess of {len(first)} pegs against a secret of {len(second)}", rule="pegs")
    return plain_feedback(first, second)


def plain_feedback(guess: Sequence[int], secret: Sequence[int]) -> Feedback:
    """Return the feedback to ``guess``; neither code is checked.

    This is the plain definition; `evilpegs_game.partition` computes the feedback of many codes at once.
    """
    black = int(sum(map(eq, guess, secret)))  # numbers of NumPy have a sum of their own type
    unmatched = list(secret)
    for color in guess:
        if color in unmatched:
            unmatched.remove(color)
    return tuple.__new__(Feedback, (black, len(secret) - len(unmatched) - black))


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


class _GuessFeedback(NamedTuple):
    guess: Code
    feedback: Feedback


class Turn(_GuessFeedback):
    """One guess and its feedback, which may be given as texts. Raises GameError if they do not fit together.

    >>> from evilpegs import Feedback, Turn
    >>> turn = Turn((0, 0, 1, 1), Feedback(1, 0))
    >>> turn.guess, str(turn.feedback)
    ((0, 0, 1, 1), '1,0')
    """

    __slots__ = ()

    def __new__(cls, guess: CodeLike, feedback: FeedbackLike) -> Self:
        code = to_code_of_any_rules(guess)
        return tuple.__new__(cls, (code, to_feedback(feedback, len(code))))

    def to_json(self) -> dict[str, Any]:
        """Return the JSON object ``{code, black, white}``; ``code`` is text."""
        return {"code": format_code(self.guess), "black": self.feedback.black, "white": self.feedback.white}


History = tuple[Turn, ...]
"""The turns of one game, oldest first."""

TurnLike = str | tuple[CodeLike, FeedbackLike]
"""What the public API takes as a turn: a text such as ``1122:1,0``, or a guess and its feedback."""


def parse_turn(text: str, rules: Rules) -> Turn:
    """Return the turn of a text such as ``1122:1,0``; raise GameError for anything else."""
    code, colon, feedback = text.partition(":")
    if not colon:
        raise MalformedError(f"{quoted(text)} has no feedback; write CODE:BLACK,WHITE like 1122:1,0")
    return Turn._make((parse_code(code, rules), to_feedback(feedback, rules.pegs)))


def to_turns(turns: Iterable[object], rules: Rules) -> History:
    """Return the turns, each a `Turn`, a text such as ``1122:1,0`` or a pair; raise GameError if one is no turn."""
    wanted = "a guess and its feedback, such as '1122:1,0' or ('1122', '1,0')"
    if isinstance(turns, str) or not isinstance(turns, Iterable):
        raise wrong_argument("turns", turns, f"a list of turns, each {wanted}")
    history = []
    for turn in turns:
        if isinstance(turn, str):
            history.append(parse_turn(turn, rules))
            continue
        if not isinstance(turn, tuple | list) or len(turn) != 2:
            raise wrong_argument("a turn", turn, wanted)
        history.append(Turn._make((to_code(turn[0], rules), to_feedback(turn[1], rules.pegs))))
    return tuple(history)


def parse_turns(texts: Iterable[str], rules: Rules) -> History:
    return tuple(parse_turn(text, rules) for text in texts)


def format_turns(history: History) -> list[str]:
    return [f"{format_code(guess)}:{feedback}" for guess, feedback in history]
