"""The errors of the game: the caller's input does not make sense; and the base class of every error of evilpegs."""

from typing import Literal

Rule = Literal["pegs", "colors", "repeats"]
"""The field of `Rules` that a code breaks."""


class EvilpegsError(Exception):
    """The base class of every error that evilpegs raises for a caller, a peer or a file; its text is one line.

    >>> import evilpegs
    >>> try:
    ...     evilpegs.Rules.parse("4x99")
    ... except evilpegs.EvilpegsError as error:
    ...     print(error)
    colors must be 1 to 34, not 99
    """


class GameError(EvilpegsError, ValueError):
    """The input is wrong; the message is one line that says what is wrong and what to do."""


class MalformedError(GameError):
    """A text cannot be read as what it should be (rules, a code, a feedback)."""


class ForeignError(MalformedError):
    """Data of another kind or of another version than the reader's."""


class DamagedError(MalformedError):
    """Data of the right kind whose digest does not fit: some of it was changed or is missing."""


class IllegalCodeError(GameError):
    """A well-formed code that the rules do not allow; ``rule`` says which of them it breaks."""

    def __init__(self, *args: object, rule: Rule | None = None) -> None:
        super().__init__(*args)
        self.rule = rule


class TooLargeError(GameError):
    """The work or memory asked for is over the stated bound.

    ``needed`` and ``bound`` have the same unit, mostly bytes; None where only the message knows them.
    """

    def __init__(self, *args: object, needed: int | None = None, bound: int | None = None) -> None:
        super().__init__(*args)
        self.needed = needed
        self.bound = bound


class ContradictionError(GameError):
    """No code is consistent with the feedback given.

    ``turn`` is the number, from 1, of the turn that leaves no code; None where all turns are looked at together.
    """

    def __init__(self, *args: object, turn: int | None = None) -> None:
        super().__init__(*args)
        self.turn = turn


class StuckError(GameError):
    """A strategy goes on with guesses that tell it nothing."""


class OverBudgetError(GameError):
    """A choice would take more feedback evaluations than its budget allows."""
