"""The rules of the table, and the formulas that theory has for some of them."""

from dataclasses import dataclass
from itertools import takewhile
from math import perm

from evilpegs_game.rules import MAX_COLORS, Rules

MOST_CODES = 5040


@dataclass(frozen=True)
class TableRules:
    """Rules as `Rules` has them, but with any number of colors."""

    pegs: int
    colors: int
    repeats: bool

    def __str__(self):
        return f"{self.pegs}x{self.colors}" + "-distinct" * (not self.repeats)

    @property
    def codes(self):
        return self.colors**self.pegs if self.repeats else perm(self.colors, self.pegs)

    @property
    def playable(self):
        """The rules of the program, or None if they have more colors than it has names for."""
        return Rules(self.pegs, self.colors, self.repeats) if self.colors <= MAX_COLORS else None


def rules_up_to(codes=MOST_CODES):
    """Return all rules with 2 pegs or more, 2 colors or more and at most ``codes`` codes, smallest first."""
    rules = []
    for repeats in (True, False):
        for pegs in range(2, codes.bit_length() + 1):
            by_colors = (TableRules(pegs, colors, repeats) for colors in range(2 if repeats else pegs, codes + 1))
            rules += takewhile(lambda each: each.codes <= codes, by_colors)
    return sorted(rules, key=lambda each: (each.codes, str(each)))


def least_total(rules):
    """Return the least total of two pegs by the formulas of Chen and Lin (2004), or None for other rules.

    Peczarski (2018) closed a gap in their proof. For 2x2 the formula gives 7; the least total is 8.
    """
    n = rules.colors
    if rules.pegs != 2 or n < 3:
        return None
    if rules.repeats:
        rest = -74 * n + 48 if n % 2 == 0 else -80 * n + 69
        numerator, factor = 8 * n**3 + 51 * n**2 + rest, 24
    else:
        rest = -76 * n + 72 if n % 2 == 0 else -82 * n + 105
        numerator, factor = 4 * n**3 + 21 * n**2 + rest, 12
    total, remainder = divmod(numerator, factor)  # the formulas give the mean: this over the number of codes
    assert remainder == 0
    return total


def worst_case(rules):
    """Return V by a formula, or None if there is none.

    Two pegs: Chen and Lin (2004). Three pegs with repeats and 5 colors or more: Jäger and Peczarski (2009), theorem 1.
    """
    if rules.pegs == 2:
        return rules.colors // 2 + 2 if rules.repeats else -(-rules.colors // 2) + 1
    return (rules.colors - 1) // 3 + 4 if rules.pegs == 3 and rules.repeats and rules.colors >= 5 else None
