import math
import re
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType
from typing import Final, Self

from evilpegs_game.errors import MalformedError, quote_value, quoted, require, to_flag, to_whole

MAX_PEGS: Final = 16
MAX_COLORS: Final = 34

_NUMBER = "(0?[0-9]|[1-9][0-9]{1,39})"  # also accepts numbers that are too large, so that the error can state the range
_TEXT = re.compile(f"{_NUMBER}x{_NUMBER}(-distinct)?")


@dataclass(frozen=True, slots=True)
class Rules:
    """The number of pegs and colors of a code, and whether a color may repeat.

    ``pegs`` is 1-16 and ``colors`` 1-34. Without ``repeats`` no color occurs twice, neither in secrets nor in guesses.
    The text form is ``4x6`` (pegs x colors) or ``4x10-distinct``.

    Raises:
        MalformedError: a number is not whole or not in its range, or no color may repeat and there are too few.

    >>> from evilpegs import Rules
    >>> Rules(pegs=4, colors=6).size
    1296
    >>> Rules.parse("4x10-distinct")
    Rules(pegs=4, colors=10, repeats=False)
    >>> str(Rules.parse("classic"))
    '4x6'
    """

    pegs: int
    colors: int
    repeats: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "pegs", _to_count("pegs", self.pegs, MAX_PEGS))
        object.__setattr__(self, "colors", _to_count("colors", self.colors, MAX_COLORS))
        to_flag("repeats", self.repeats)
        if not self.repeats and self.colors < self.pegs:
            raise MalformedError(f"{self.pegs} distinct pegs need at least {self.pegs} colors, not {self.colors}")

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the rules that ``text`` names: ``4x6``, ``4x10-distinct`` or a preset such as ``classic``.

        Raises:
            MalformedError: ``text`` has another form, or `Rules` does not allow its numbers.
        """
        require(text, str, "rules", "a text such as '4x6'")
        match = _TEXT.fullmatch(PRESETS.get(text, text))
        if match is None:
            if close := get_close_matches(text[:40].lower(), PRESETS, n=1, cutoff=0.7):
                raise MalformedError(f"not rules: {quoted(text)}; did you mean {close[0]}?")
            raise MalformedError(
                f"not rules: {quoted(text)}; write PEGSxCOLORS like 4x6 or 4x10-distinct, or one of "
                + ", ".join(PRESETS)
            )
        return cls(int(match[1]), int(match[2]), repeats=match[3] is None)

    def __str__(self) -> str:
        return f"{self.pegs}x{self.colors}" + ("" if self.repeats else "-distinct")

    @property
    def size(self) -> int:
        """The exact number of codes."""
        if self.repeats:
            return int(self.colors**self.pegs)
        return math.perm(self.colors, self.pegs)


def _to_count(name: str, value: object, highest: int) -> int:
    try:
        return to_whole(name, value, 1, highest)
    except MalformedError:
        shown = "a number over 10^9" if isinstance(value, int) and abs(value) >= 10**9 else quote_value(value)
        raise MalformedError(f"{name} must be 1 to {highest}, not {shown}") from None


def to_rules(rules: Rules | str) -> Rules:
    """Return ``rules``, parsed if it is a text such as ``4x6``; raise MalformedError for anything else."""
    if isinstance(rules, str):
        return Rules.parse(rules)
    require(rules, Rules, "rules", "Rules(4, 6) or a text such as '4x6'")
    return rules


PRESETS: Final = MappingProxyType(
    {
        "classic": "4x6",
        "bulls-and-cows": "4x10-distinct",
        "super": "5x8",
        "grand": "6x10",
        "huge": "8x10",
        "monster": "10x12",
        "colossus": "12x14",
    }
)
