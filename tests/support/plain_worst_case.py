"""The guesses that a live set needs at worst, computed plainly and slowly from the definition.

They are compared with the fast computation.
"""

from functools import cache

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.feedback import all_black, feedback


def plain_codes(columns):
    """Return the codes in the columns of an array as a tuple."""
    return tuple(column_code(columns, index) for index in range(columns.shape[1]))


def plain_parts(codes, guess):
    """Return the codes of each part of a guess, by feedback in feedback order."""
    parts = {}
    for code in codes:
        parts.setdefault(feedback(guess, code), []).append(code)
    return {reply: tuple(parts[reply]) for reply in sorted(parts)}


class PlainWorstCase:
    """A search for the guesses needed at worst that tries every guess of the rules."""

    def __init__(self, rules):
        self.rules = rules
        self.guesses = plain_codes(all_codes(rules))
        self.is_solvable = cache(self._is_solvable)

    def _is_solvable(self, codes, guesses):
        if len(codes) == 1 or guesses < 2:
            return len(codes) == 1 and guesses > 0
        return any(self._is_solvable_after(codes, guess, guesses) for guess in self.guesses)

    def _is_solvable_after(self, codes, guess, guesses):
        parts = plain_parts(codes, guess)
        parts.pop(all_black(self.rules.pegs), None)
        return all(len(part) < len(codes) and self.is_solvable(part, guesses - 1) for part in parts.values())

    def value(self, codes):
        """Return the number of guesses that an optimal codebreaker needs for the worst of the codes."""
        guesses = 1
        while not self.is_solvable(codes, guesses):
            guesses += 1
        return guesses

    def hardest_replies(self, codes, guess):
        """Return the replies whose parts need the most guesses and, of these, those with the largest parts."""
        parts = plain_parts(codes, guess)
        if len(parts) > 1:
            parts.pop(all_black(self.rules.pegs), None)
        hardness = {reply: (self.value(part), len(part)) for reply, part in parts.items()}
        return tuple(reply for reply in parts if hardness[reply] == max(hardness.values()))
