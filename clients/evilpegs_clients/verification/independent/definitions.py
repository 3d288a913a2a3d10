"""The definitions of codes, feedback and parts, stated a second time. A feedback is called marks here."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

Code = tuple[int, ...]
"""One color per peg, numbered from 0."""


class Marks(NamedTuple):
    """A feedback: the numbers of blacks and whites, ordered by black, then white."""

    black: int
    white: int

    def __str__(self) -> str:
        return f"{self.black},{self.white}"


class MarkedGuess(NamedTuple):
    """A guess and the marks, which are the feedback, that the guess got."""

    guess: Code
    marks: Marks


Parts = Mapping[Marks, int]
"""The parts of a guess: for each feedback that it can get, the number of candidates that would give this feedback."""


class PartCounts(NamedTuple):
    """The parts of every guess of a game, and the first code that is left at the end.

    ``parts`` has the `Parts` of each turn's guess; the candidates are the codes that agree with all earlier turns.
    ``first`` is the first code in code order that agrees with all turns, or None if there is none.
    """

    parts: tuple[Parts, ...]
    first: Code | None


@dataclass(frozen=True, slots=True)
class Space:
    """The set of all codes of a game's rules.

    ``repeats`` is True if a color may occur twice in a code, and ``symbols`` has one character per color.
    """

    pegs: int
    colors: int
    repeats: bool
    symbols: str

    @property
    def size(self) -> int:
        """The number of codes."""
        return int(self.colors**self.pegs) if self.repeats else math.perm(self.colors, self.pegs)

    def arrangements(self, colors: Iterable[int], length: int) -> Iterator[Code]:
        """Return an iterator over all sequences of ``length`` colors that the rules allow, from ``colors`` only.

        The sequences are in lexicographic order, in which the first of ``colors`` comes first. Unless colors may
        repeat, each color occurs at most once in a sequence.
        """
        return product(colors, repeat=length) if self.repeats else permutations(colors, length)

    def codes(self) -> Iterator[Code]:
        """Return an iterator over all codes, in code order."""
        return self.arrangements(range(self.colors), self.pegs)

    def read(self, text: str) -> Code:
        """Return the code that a text stands for; raise ValueError if it is not a code of these rules."""
        code = tuple(map(self.symbols.find, text))
        if len(code) != self.pegs or -1 in code or (not self.repeats and len(set(code)) < self.pegs):
            message = f"{text[:40]!r} is not a code of these rules"
            raise ValueError(message)
        return code

    def write(self, code: Code) -> str:
        """Return a code as text, one symbol per peg."""
        return "".join(self.symbols[color] for color in code)

    @property
    def all_black(self) -> Marks:
        """The marks that end a game: every peg black."""
        return Marks(self.pegs, 0)


def marks_of(guess: Sequence[int], secret: Sequence[int]) -> Marks:
    """Return the marks that ``guess`` gets if ``secret`` is the secret.

    The number of blacks counts the pegs that have the right color. For the whites, each color counts as often as it
    occurs in both codes, that is, the smaller of its two counts; the number of blacks is subtracted from the sum.
    """
    black = sum(mine == other for mine, other in zip(guess, secret, strict=True))
    return Marks(black, (Counter(guess) & Counter(secret)).total() - black)
