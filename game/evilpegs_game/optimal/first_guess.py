"""A first guess, what it leaves, and bounds of the total after it."""

from evilpegs_game.codes import Code, Columns
from evilpegs_game.optimal.proof_log import Answer, Question
from evilpegs_game.optimal.search_state import NEVER


class Part:
    """The codes that give one feedback to a first guess, and bounds of their total."""

    def __init__(self, question: Question, columns: Columns, answer: Answer) -> None:
        self.question = question
        self.columns = columns
        self.answer = answer

    @property
    def codes(self) -> int:
        """How many codes there are."""
        return int(self.columns.shape[1])

    @property
    def is_exact(self) -> bool:
        """Whether the total is known."""
        return self.answer.lower >= self.answer.upper


class Opening:
    """A first guess and its parts, the smallest first, without all-black."""

    def __init__(self, guess: Code, codes: int, parts: list[Part]) -> None:
        self.guess = guess
        self.codes = codes
        self.parts = parts

    @property
    def lower(self) -> int:
        """No tree that begins with the guess has a lesser total."""
        return min(NEVER, self.codes + sum(part.answer.lower for part in self.parts))

    @property
    def upper(self) -> int:
        """Some tree that does has this total; `NEVER` if none is known."""
        return min(NEVER, self.codes + sum(part.answer.upper for part in self.parts))
