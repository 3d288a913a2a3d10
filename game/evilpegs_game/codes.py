"""Codes: tuples of color indices, their text form, and whole code spaces as columns."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import IllegalCodeError, MalformedError, Rule, TooLargeError
from evilpegs_game.rules import Rules

Code = tuple[int, ...]
"""One color index (from 0) a peg; codes are ordered as tuples."""

Columns = NDArray[np.uint8]
"""Codes as columns: uint8, shape (pegs, codes), C-contiguous, so each peg is one contiguous run."""

SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The symbol of each color in order; there is no I and no O."""

_COLOR_OF = {symbol: color for color, symbol in enumerate(SYMBOLS)}
_ALPHANUMERIC = {*SYMBOLS, "I", "O"}
MAX_SPACE_BYTES: Final = 1 << 30


def parse_code(text: str, rules: Rules) -> Code:
    """Read ``1122``; lower case letters are taken as upper case.

    Raises:
        MalformedError: a symbol that no color has.
        IllegalCodeError: not a code of these rules.

    >>> from evilpegs import Rules, parse_code
    >>> parse_code("1122", Rules(4, 6))
    (0, 0, 1, 1)
    """
    try:
        code = tuple(map(_COLOR_OF.__getitem__, text.upper()))
    except KeyError:
        message = f"not a code: {text[:40]!r}; use {rules.pegs} of {SYMBOLS[: rules.colors]}{_lacking(text)}"
        raise MalformedError(message) from None
    _check(code, rules, text)
    return code


def format_code(code: Sequence[int]) -> str:
    """Return the text form of a code: one symbol per peg.

    >>> from evilpegs import format_code
    >>> format_code((0, 0, 1, 1))
    '1122'
    """
    return "".join(map(SYMBOLS.__getitem__, code))


def check_code(code: Code, rules: Rules) -> None:
    """Raise IllegalCodeError, saying why, unless ``code`` is a code of ``rules``."""
    _check(code, rules, "".join(SYMBOLS[color] if 0 <= color < len(SYMBOLS) else "?" for color in code[:40]))


def _check(code: Code, rules: Rules, shown: str) -> None:
    rule: Rule
    if len(code) != rules.pegs:
        rule, why = "pegs", f"has {len(code)} {'peg' if len(code) == 1 else 'pegs'}; {rules} needs {rules.pegs}"
    elif max(code) >= rules.colors or min(code) < 0:
        rule, why = "colors", f"has a color that {rules} lacks; use {SYMBOLS[: rules.colors]}"
    elif not rules.repeats and len(set(code)) < len(code):
        rule, why = "repeats", f"repeats a color; {rules} allows each once"
    else:
        return
    message = f"{shown[:40]!r} {why}"
    raise IllegalCodeError(message, rule=rule)


def _lacking(text: str) -> str:
    """What to say to who takes a 1 for an I, or a 0 for an O."""
    typed = set(text.upper())
    return "; there is no I and no O; the tenth color is 0" if typed & {"I", "O"} and typed <= _ALPHANUMERIC else ""


def code_at(index: int, rules: Rules) -> Code:
    """The code at ``index`` (from 0) in code order, for rules of any size.

    Raises:
        IndexError: ``index`` is not in ``range(rules.size)``.
    """
    if not 0 <= index < rules.size:
        message = f"index {index} is not in range({rules.size})"
        raise IndexError(message)
    free = list(range(rules.colors))
    remaining = rules.size
    code = []
    for _ in range(rules.pegs):
        remaining //= len(free)
        choice, index = divmod(index, remaining)
        code.append(free[choice] if rules.repeats else free.pop(choice))
    return tuple(code)


def all_codes(rules: Rules) -> Columns:
    """Every code of ``rules`` in code order, as columns of shape (pegs, rules.size).

    Raises:
        TooLargeError: the array would take more than ``MAX_SPACE_BYTES``.
    """
    needed = rules.pegs * rules.size
    if needed > MAX_SPACE_BYTES:
        message = f"all codes of {rules} take {needed:,} bytes; the bound is {MAX_SPACE_BYTES:,}"
        raise TooLargeError(message, needed=needed, bound=MAX_SPACE_BYTES)
    return _repeating(rules) if rules.repeats else _distinct(rules)


def to_columns(codes: Sequence[Code]) -> Columns:
    """Codes as columns, in the order given. There must be at least one."""
    return np.ascontiguousarray(np.array(codes, dtype=np.uint8).T)


def column_code(columns: Columns, index: int) -> Code:
    """One code out of columns, as plain integers."""
    return tuple(columns[:, index].tolist())


def _repeating(rules: Rules) -> Columns:
    columns = np.empty((rules.pegs, rules.size), dtype=np.uint8)
    colors = np.arange(rules.colors, dtype=np.uint8)
    for peg in range(rules.pegs):
        inner = rules.colors ** (rules.pegs - peg - 1)
        columns[peg].reshape(-1, rules.colors, inner)[:] = colors[:, None]
    return columns


def _distinct(rules: Rules) -> Columns:
    columns = np.empty((0, 1), dtype=np.uint8)
    for _ in range(rules.pegs):
        count = columns.shape[1]
        parent = np.repeat(np.arange(count), rules.colors)
        color = np.tile(np.arange(rules.colors, dtype=np.uint8), count)
        fresh = ~(columns[:, parent] == color).any(axis=0)
        columns = np.vstack([columns[:, parent[fresh]], color[fresh]])
    return np.ascontiguousarray(columns)
