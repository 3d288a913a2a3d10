"""The definitions of codes, feedback and parts, stated a second time. A feedback is called marks here."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

Code = tuple[int, ...]


class Marks(NamedTuple):
    black: int
    white: int

    def __str__(self) -> str:
        return f"{self.black},{self.white}"


class MarkedGuess(NamedTuple):
    guess: Code
    marks: Marks


Parts = Mapping[Marks, int]


class PartCounts(NamedTuple):
    """The parts of every guess of a game, and the first code that agrees with all turns."""

    parts: tuple[Parts, ...]
    first: Code | None


@dataclass(frozen=True, slots=True)
class Space:
    pegs: int
    colors: int
    repeats: bool
    symbols: str

    @property
    def size(self) -> int:
        return int(self.colors**self.pegs) if self.repeats else math.perm(self.colors, self.pegs)

    def arrangements(self, colors: Iterable[int], length: int) -> Iterator[Code]:
        """Return all sequences of ``colors`` that the rules allow, in lexicographic order by that of ``colors``."""
        return product(colors, repeat=length) if self.repeats else permutations(colors, length)

    def codes(self) -> Iterator[Code]:
        return self.arrangements(range(self.colors), self.pegs)

    def read(self, text: str) -> Code:
        """Return the code that a text stands for; raises ValueError."""
        code = tuple(map(self.symbols.find, text))
        if len(code) != self.pegs or -1 in code or (not self.repeats and len(set(code)) < self.pegs):
            raise ValueError(f"{text[:40]!r} is not a code of these rules")
        return code

    def write(self, code: Code) -> str:
        return "".join(self.symbols[color] for color in code)

    @property
    def all_black(self) -> Marks:
        return Marks(self.pegs, 0)


def marks_of(guess: Sequence[int], secret: Sequence[int]) -> Marks:
    """Return the marks that ``guess`` gets: blacks, and the matches in color that are not blacks."""
    black = sum(mine == other for mine, other in zip(guess, secret, strict=True))
    return Marks(black, (Counter(guess) & Counter(secret)).total() - black)
