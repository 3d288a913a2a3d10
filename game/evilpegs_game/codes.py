"""Codes: tuples of color indices, their text form, and arrays with one code per column."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import IllegalCodeError, MalformedError, Rule, TooLargeError, quoted
from evilpegs_game.rules import Rules

Code = tuple[int, ...]
"""A tuple with one color index (from 0) per peg; codes are ordered as tuples."""

Columns = NDArray[np.uint8]
"""An array with one code per column: uint8, shape (pegs, codes), C-contiguous, so each row is one run of memory."""

SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The symbol of each color, in order of the color indices; I and O are left out."""

_COLOR_OF = {symbol: color for color, symbol in enumerate(SYMBOLS)}
_ALPHANUMERIC = {*SYMBOLS, "I", "O"}
MAX_SPACE_BYTES: Final = 1 << 30


def parse_code(text: str, rules: Rules) -> Code:
    """Return the code that ``text``, such as ``1122``, stands for. Lower case letters count as upper case.

    Raises:
        MalformedError: the text contains a symbol that stands for no color.
        IllegalCodeError: the number of pegs is wrong, or ``rules`` forbid a color or its repetition.

    >>> from evilpegs import Rules, parse_code
    >>> parse_code("1122", Rules(4, 6))
    (0, 0, 1, 1)
    """
    try:
        code = tuple(map(_COLOR_OF.__getitem__, text.upper()))
    except KeyError:
        message = (
            f"not a code: {quoted(text)}; use {rules.pegs} of {SYMBOLS[: rules.colors]}{_letter_hint(text, rules)}"
        )
        raise MalformedError(message) from None
    _check(code, rules, text)
    return code


def format_code(code: Sequence[int]) -> str:
    """Return the text form of a code: one symbol of `SYMBOLS` per peg.

    >>> from evilpegs import format_code
    >>> format_code((0, 0, 1, 1))
    '1122'
    """
    return "".join(map(SYMBOLS.__getitem__, code))


def check_code(code: Code, rules: Rules) -> None:
    """Raise IllegalCodeError, with the reason, unless ``code`` is a code of ``rules``."""
    _check(code, rules, "".join(SYMBOLS[color] if 0 <= color < len(SYMBOLS) else "?" for color in code[:41]))


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
    message = f"{quoted(shown)} {why}"
    raise IllegalCodeError(message, rule=rule)


def _letter_hint(text: str, rules: Rules) -> str:
    """Return a hint for an error message: the letters I and O stand for no color. It is empty unless it helps.

    It helps if ``text`` contains I or O, if all its other characters are symbols of colors, and if the rules have the
    color ``0``.
    """
    typed = set(text.upper())
    fits = rules.colors >= _COLOR_OF["0"] + 1 and typed & {"I", "O"} and typed <= _ALPHANUMERIC
    return "; there is no I and no O; the tenth color is 0" if fits else ""


def code_at(index: int, rules: Rules) -> Code:
    """Return the code at ``index`` (from 0) in code order, for rules of any size.

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
    """Return every code of ``rules`` in code order: uint8, shape (pegs, rules.size).

    Raises:
        TooLargeError: the array would take more than ``MAX_SPACE_BYTES`` (1 GiB).
    """
    needed = rules.pegs * rules.size
    if needed > MAX_SPACE_BYTES:
        message = f"all codes of {rules} take {needed:,} bytes; the limit is {MAX_SPACE_BYTES:,}"
        raise TooLargeError(message, needed=needed, bound=MAX_SPACE_BYTES)
    return _codes_with_repeats(rules) if rules.repeats else _codes_without_repeats(rules)


def to_columns(codes: Sequence[Code]) -> Columns:
    """Return a non-empty sequence of codes as an array with one code per column: uint8, shape (pegs, codes)."""
    return np.ascontiguousarray(np.array(codes, dtype=np.uint8).T)


def column_code(columns: Columns, index: int) -> Code:
    """Return the code in column ``index`` (from 0) of ``columns`` as a tuple of Python integers."""
    return tuple(columns[:, index].tolist())


def _codes_with_repeats(rules: Rules) -> Columns:
    columns = np.empty((rules.pegs, rules.size), dtype=np.uint8)
    colors = np.arange(rules.colors, dtype=np.uint8)
    for peg in range(rules.pegs):
        inner = rules.colors ** (rules.pegs - peg - 1)
        columns[peg].reshape(-1, rules.colors, inner)[:] = colors[:, None]
    return columns


def _codes_without_repeats(rules: Rules) -> Columns:
    columns = np.empty((0, 1), dtype=np.uint8)
    for _ in range(rules.pegs):
        count = columns.shape[1]
        parent = np.repeat(np.arange(count), rules.colors)
        color = np.tile(np.arange(rules.colors, dtype=np.uint8), count)
        fresh = ~(columns[:, parent] == color).any(axis=0)
        columns = np.vstack([columns[:, parent[fresh]], color[fresh]])
    return np.ascontiguousarray(columns)
