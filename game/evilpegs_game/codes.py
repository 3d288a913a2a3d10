from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from operator import index
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from evilpegs_game.errors import IllegalCodeError, MalformedError, Rule, check_bound, quoted, require, wrong_argument
from evilpegs_game.rules import MAX_COLORS, MAX_PEGS, Rules, to_rules

Code = tuple[int, ...]
"""One color index per peg; codes are ordered as tuples."""

Columns = NDArray[np.uint8]
"""One code per column: uint8, shape (pegs, codes), C-contiguous, so that each row is one run of memory."""

SYMBOLS: Final = "1234567890ABCDEFGHJKLMNPQRSTUVWXYZ"
"""The symbol of each color index; I and O are left out."""

CodeLike = str | Sequence[int]
"""What the public API takes as a code: a text such as ``1122``, or color indices."""

_WIDEST: Final = tuple(Rules(pegs, MAX_COLORS) for pegs in range(1, MAX_PEGS + 1))
# by the number of colors; `bytes.translate` without these leaves the colors that do not exist
_LEGAL: Final = tuple(bytes(range(colors)) for colors in range(MAX_COLORS + 1))
_COLOR_OF = {symbol: color for color, each in enumerate(SYMBOLS) for symbol in (each, each.lower())}
# `bytes.translate` with it makes UTF-8 unless there is no such color
_SYMBOL_OF = SYMBOLS.encode().ljust(256, b"\xff")
MAX_SHOWN: Final = 40
"""The most symbols of a code in a message."""
_ALPHANUMERIC = {*SYMBOLS, "I", "O"}
MAX_SPACE_BYTES: Final = 1 << 30


def parse_code(text: str, rules: Rules | str) -> Code:
    """Return the code of a text such as ``1122``; lower case counts as upper case.

    Raises:
        MalformedError: a symbol stands for no color, or an argument has the wrong type.
        IllegalCodeError: the number of pegs is wrong, or ``rules`` forbid a color or its repetition.

    >>> from evilpegs import Rules, parse_code
    >>> parse_code("1122", Rules(4, 6))
    (0, 0, 1, 1)
    """
    rules = rules if type(rules) is Rules else to_rules(rules)
    require(text, str, "a code", "a text such as '1122'")
    try:
        code = tuple(map(_COLOR_OF.__getitem__, text))
    except KeyError:
        raise MalformedError(
            f"not a code: {quoted(text)}; use {rules.pegs} of {SYMBOLS[: rules.colors]}{_letter_hint(text, rules)}"
        ) from None
    check_code(code, rules, text)
    return code


def to_code(code: CodeLike, rules: Rules) -> Code:
    """Return ``code`` as a tuple, parsed if it is a text such as ``1122``; raise GameError if it is no code."""
    # the usual case takes 0.3 us, of which 0.1 us to leave no bool and no number of NumPy in a code
    if (
        type(code) is tuple
        and len(code) == rules.pegs
        and (rules.repeats or len(set(code)) == len(code))
        and are_colors(code, rules.colors)
    ):
        return tuple(bytes(code))
    if isinstance(code, str):
        return parse_code(code, rules)
    colors = _to_colors(code)
    check_code(colors, rules)
    return colors


def are_colors(colors: tuple[object, ...], count: int) -> bool:
    """Return True if all of ``colors`` are whole numbers from 0 to ``count`` - 1."""
    try:
        return not bytes(colors).translate(None, _LEGAL[count])  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return False


def to_code_of_any_rules(code: CodeLike) -> Code:
    """Return ``code`` as `to_code` does, where the rules are not known: 1 to 16 pegs, each of 34 colors."""
    try:
        pegs = min(max(len(code), 1), MAX_PEGS)
    except (TypeError, OverflowError):
        pegs = 1
    return to_code(code, _WIDEST[pegs - 1])


def _to_colors(code: Iterable[int]) -> Code:
    wanted = "a text such as '1122' or a tuple of color indices such as (0, 0, 1, 1)"
    if isinstance(code, Mapping | Set):  # has no order, or too much of it
        raise wrong_argument("a code", code, wanted)
    try:
        colors = tuple(int(index(color)) for color in islice(code, MAX_SHOWN + 1))  # it may be endless
    except TypeError:
        raise wrong_argument("a code", code, wanted) from None
    if len(colors) > MAX_SHOWN:
        raise wrong_argument("a code", code, f"at most {MAX_PEGS} colors")
    return colors


def format_code(code: CodeLike) -> str:
    """Return the text form of a code: one symbol per peg. Raises MalformedError if it is no code of any rules.

    >>> from evilpegs import format_code
    >>> format_code((0, 0, 1, 1))
    '1122'
    """
    if type(code) is tuple and 0 < len(code) <= MAX_PEGS:
        try:
            return bytes(code).translate(_SYMBOL_OF).decode()
        except (TypeError, ValueError, OverflowError):
            pass
    return "".join(map(SYMBOLS.__getitem__, to_code_of_any_rules(code)))


def check_code(code: Code, rules: Rules, text: str | None = None) -> None:
    """Raise IllegalCodeError, with the reason, unless ``code`` is one of ``rules``; ``text`` is how it was written."""
    rule: Rule
    if len(code) != rules.pegs:
        rule, why = "pegs", f"has {len(code)} {'peg' if len(code) == 1 else 'pegs'}; {rules} needs {rules.pegs}"
    elif max(code) >= rules.colors or min(code) < 0:
        rule, why = "colors", f"has a color that {rules} lacks; use {SYMBOLS[: rules.colors]}"
    elif not rules.repeats and len(set(code)) < len(code):
        rule, why = "repeats", f"repeats a color; {rules} allows each once"
    else:
        return
    if text is None:
        text = "".join(SYMBOLS[color] if 0 <= color < len(SYMBOLS) else "?" for color in code[: MAX_SHOWN + 1])
    raise IllegalCodeError(f"{quoted(text)} {why}", rule=rule)


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
