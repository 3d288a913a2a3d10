"""Errors that are the caller's: what was given does not make sense in the game."""


class GameError(ValueError):
    """The input is wrong; the message is one line that says what and what to do."""


class MalformedError(GameError):
    """A text cannot be read as what it should be (rules, a code, a feedback)."""


class IllegalCodeError(GameError):
    """A well-formed code that the rules do not allow."""


class TooLargeError(GameError):
    """The work or memory asked for is over the stated bound."""


class ContradictionError(GameError):
    """No code is consistent with the feedback given."""


class StuckError(GameError):
    """A strategy goes on with guesses that tell it nothing."""


class OverBudgetError(GameError):
    """A choice would take more feedback evaluations than its budget allows."""
