from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import IllegalCodeError, MalformedError, Rule, check_bound, quoted
from evilpegs_game.rules import Rules

Code = tuple[int, ...]
"""One color index per peg; codes are ordered as tuples."""

Columns = NDArray[np.uint8]
"""One code per column: uint8, shape (pegs, codes), C-contiguous, so that each row is one run of memory."""

SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The symbol of each color index; I and O are left out."""

_COLOR_OF = {symbol: color for color, symbol in enumerate(SYMBOLS)}
_ALPHANUMERIC = {*SYMBOLS, "I", "O"}
MAX_SPACE_BYTES: Final = 1 << 30


def parse_code(text: str, rules: Rules) -> Code:
    """Return the code of a text such as ``1122``; lower case counts as upper case.

    Raises:
        MalformedError: a symbol stands for no color.
        IllegalCodeError: the number of pegs is wrong, or ``rules`` forbid a color or its repetition.

    >>> from evilpegs import Rules, parse_code
    >>> parse_code("1122", Rules(4, 6))
    (0, 0, 1, 1)
    """
    try:
        code = tuple(map(_COLOR_OF.__getitem__, text.upper()))
    except KeyError:
        raise MalformedError(
            f"not a code: {quoted(text)}; use {rules.pegs} of {SYMBOLS[: rules.colors]}{_letter_hint(text, rules)}"
        ) from None
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
    raise IllegalCodeError(f"{quoted(shown)} {why}", rule=rule)


def _letter_hint(text: str, rules: Rules) -> str:
    typed = set(text.upper())
    # the hint helps only if all else are symbols and the rules have the color 0
    fits = rules.colors >= _COLOR_OF["0"] + 1 and typed & {"I", "O"} and typed <= _ALPHANUMERIC
    return "; there is no I and no O; the tenth color is 0" if fits else ""


def code_at(index: int, rules: Rules) -> Code:
    """Return the code at ``index`` in code order, for rules of any size; raise IndexError out of range."""
    if not 0 <= index < rules.size:
        raise IndexError(f"index {index} is not in range({rules.size})")
    free = list(range(rules.colors))
    remaining = rules.size
    code = []
    for _ in range(rules.pegs):
        remaining //= len(free)
        choice, index = divmod(index, remaining)
        code.append(free[choice] if rules.repeats else free.pop(choice))
    return tuple(code)


def all_codes(rules: Rules) -> Columns:
    """Return every code of ``rules`` in code order, read-only; raise TooLargeError above `MAX_SPACE_BYTES`."""
    needed = rules.pegs * rules.size
    message = f"all codes of {rules} take {needed:,} bytes; the limit is {MAX_SPACE_BYTES:,}"
    check_bound(needed, MAX_SPACE_BYTES, message)
    columns = _codes_with_repeats(rules) if rules.repeats else _codes_without_repeats(rules)
    columns.flags.writeable = False  # as parts are: kernels would be compiled again for arrays that can be written
    return columns


def rules_fields(rules: Rules) -> dict[str, Any]:
    """Return the rules as messages and records have them."""
    return {
        "rules": str(rules),
        "pegs": rules.pegs,
        "colors": rules.colors,
        "symbols": SYMBOLS[: rules.colors],
        "repeats": rules.repeats,
    }


def to_columns(codes: Sequence[Code]) -> Columns:
    return np.ascontiguousarray(np.array(codes, dtype=np.uint8).T)


def column_code(columns: Columns, index: int) -> Code:
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


class RandomSource(Protocol):
    """A generator that the caller passes in, like `random.Random`; the package itself holds none."""

    def randrange(self, stop: int, /) -> int:
        """Return a uniform integer from 0 up to but not including ``stop``, which may exceed 64 bits."""
        ...
