"""Codes and feedback: the definitions."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations, product
from typing import NamedTuple

Code = tuple[int, ...]
"""One color, from 0, a peg."""


class Feedback(NamedTuple):
    """Black and white; ordered by black, then white."""

    black: int
    white: int

    def __str__(self) -> str:
        return f"{self.black},{self.white}"


class Turn(NamedTuple):
    """A guess and its feedback."""

    guess: Code
    given: Feedback


Parts = Mapping[Feedback, int]
"""How many candidates would get each feedback; none that nobody would get."""


class Counted(NamedTuple):
    """What counting a game's candidates gives.

    ``parts`` are those of each turn's guess among the codes that the turns before allow; ``first`` is the first code,
    in code order, that all turns allow, None if they contradict each other.
    """

    parts: tuple[Parts, ...]
    first: Code | None


@dataclass(frozen=True, slots=True)
class Space:
    """The codes of a game; ``symbols`` has the text of each color."""

    pegs: int
    colors: int
    repeats: bool
    symbols: str

    @property
    def size(self) -> int:
        """How many codes there are."""
        return int(self.colors**self.pegs) if self.repeats else math.perm(self.colors, self.pegs)

    def arranged(self, things: Iterable[int], places: int) -> Iterator[Code]:
        """The things in so many places, in order: each as often as one likes, or once where colors may not repeat."""
        return product(things, repeat=places) if self.repeats else permutations(things, places)

    def codes(self) -> Iterator[Code]:
        """Every code, in code order."""
        return self.arranged(range(self.colors), self.pegs)

    def read(self, text: str) -> Code:
        """A code from its text; raises ValueError."""
        code = tuple(map(self.symbols.find, text))
        if len(code) != self.pegs or -1 in code or (not self.repeats and len(set(code)) < self.pegs):
            message = f"{text[:40]!r} is not a code of these rules"
            raise ValueError(message)
        return code

    def write(self, code: Code) -> str:
        """The text of a code."""
        return "".join(self.symbols[color] for color in code)

    @property
    def all_black(self) -> Feedback:
        """The feedback that ends a game."""
        return Feedback(self.pegs, 0)


def feedback(guess: Sequence[int], secret: Sequence[int]) -> Feedback:
    """Black: right color in the right place. White: over the colors the smaller of both counts, minus black."""
    black = sum(mine == other for mine, other in zip(guess, secret, strict=True))
    return Feedback(black, (Counter(guess) & Counter(secret)).total() - black)
