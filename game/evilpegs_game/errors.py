import reprlib
from operator import index
from types import UnionType
from typing import Literal

Rule = Literal["pegs", "colors", "repeats"]
"""The field of `Rules` that a code breaks."""


class EvilpegsError(Exception):
    """The base class of all errors of evilpegs; every message is one line.

    >>> import evilpegs
    >>> try:
    ...     evilpegs.Rules.parse("4x99")
    ... except evilpegs.EvilpegsError as error:
    ...     print(error)
    colors must be 1 to 34, not 99
    """


class GameError(EvilpegsError, ValueError):
    """An error in the input of a caller; the message says what is wrong and what to do."""


class MalformedError(GameError):
    """Input of the wrong form, such as rules, a code or a feedback; ``arguments`` are those that the message names."""

    def __init__(self, *args: object, arguments: tuple[str, ...] = ()) -> None:
        super().__init__(*args)
        self.arguments = arguments


class ForeignError(MalformedError):
    """Data of another kind, or of an unknown version of their format."""


class DamagedError(MalformedError):
    """Data of the right kind whose digest does not match; ``line`` is None without a digest per line."""

    def __init__(self, *args: object, line: int | None = None) -> None:
        super().__init__(*args)
        self.line = line


class IllegalCodeError(GameError):
    """A well-formed code that the rules do not allow; ``rule`` is None if only the message says why."""

    def __init__(self, *args: object, rule: Rule | None = None) -> None:
        super().__init__(*args)
        self.rule = rule


class TooLargeError(GameError):
    """A request for more work or memory than a bound allows.

    ``needed`` and ``bound`` are amounts in the same unit, mostly bytes, or None if only the message states them.

    >>> import evilpegs
    >>> position = evilpegs.Position(evilpegs.Rules(10, 12))
    >>> try:
    ...     position.candidates
    ... except evilpegs.TooLargeError as error:
    ...     print(error.needed > error.bound)
    True
    """

    def __init__(self, *args: object, needed: int | None = None, bound: int | None = None) -> None:
        super().__init__(*args)
        self.needed = needed
        self.bound = bound


def check_bound(needed: int, bound: int, message: str) -> None:
    """Raise TooLargeError with ``message``, which states both amounts, if ``needed`` is over ``bound``."""
    if needed > bound:
        raise TooLargeError(message, needed=needed, bound=bound)


class ContradictionError(GameError):
    """A history with which no code is consistent.

    ``turn`` is the number of the turn that leaves no code, or None if all turns were evaluated together.

    >>> import evilpegs
    >>> position = evilpegs.Position(evilpegs.Rules(2, 2))
    >>> impossible = position.after((0, 0), evilpegs.Feedback(0, 0)).after((1, 1), evilpegs.Feedback(0, 0))
    >>> try:
    ...     impossible.count
    ... except evilpegs.ContradictionError as error:
    ...     print(error.turn)
    2
    """

    def __init__(self, *args: object, turn: int | None = None) -> None:
        super().__init__(*args)
        self.turn = turn


class StuckError(GameError):
    """A strategy that does not finish a game: its guesses exclude no more codes, or exceed a limit."""


class OverBudgetError(GameError):
    """A computation that takes more feedback evaluations than its budget allows."""


class OutOfRangeError(GameError, IndexError):
    """An index at which there is nothing."""


def wrong_argument(what: str, value: object, wanted: str) -> MalformedError:
    """Return the error of an argument that is not ``what``, such as "a code"; ``wanted`` says what to pass."""
    return MalformedError(f"not {what}: {quote_value(value)}; pass {wanted}")


def require(value: object, kind: type | UnionType, what: str, wanted: str) -> None:
    """Raise the error of `wrong_argument` unless ``value`` is an instance of ``kind``."""
    if not isinstance(value, kind):
        raise wrong_argument(what, value, wanted)


def to_whole(name: str, value: object, least: int, most: int | None = None) -> int:
    """Return ``value`` as an int; raise MalformedError unless it is a whole number within the bounds."""
    try:
        number = index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least or (most is not None and number > most):
        bounds = f"of at least {least}" if most is None else f"from {least:,} to {most:,}"
        raise MalformedError(f"{name} must be a whole number {bounds}, not {quote_value(value)}", arguments=(name,))
    return number


def to_flag(name: str, value: bool) -> bool:
    """Return ``value``; raise MalformedError unless it is True or False."""
    require(value, bool, f"a value of {name}", "True or False")
    return value


def quote_value(value: object) -> str:
    """Return a value in Python notation, shortened if it is long; a remark replaces one that cannot be written."""
    try:
        return " ".join(reprlib.repr(value).split())
    except Exception:  # noqa: BLE001 - the value may be any object of the caller
        return f"a {type(value).__name__} that cannot be shown"


def quoted(text: str, most: int = 40) -> str:
    """Quote ``text`` for a message.

    >>> quoted("4y6")
    "'4y6'"
    >>> quoted("4y6" * 20, 6)
    "'4y64y6...'"
    """
    return repr(text if len(text) <= most else text[:most] + "...")
