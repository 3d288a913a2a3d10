"""The value of a live set computed plainly and slowly from its definition, to compare the fast one with."""

from functools import cache

from evilpegs_game.codes import all_codes, column_code
from evilpegs_game.feedback import all_black, feedback


def plain_codes(columns):
    return tuple(column_code(columns, place) for place in range(columns.shape[1]))


def plain_parts(codes, guess):
    parts = {}
    for code in codes:
        parts.setdefault(feedback(guess, code), []).append(code)
    return {given: tuple(parts[given]) for given in sorted(parts)}


class PlainWorstCase:
    """A search that tries every guess of the rules."""

    def __init__(self, rules):
        self.rules = rules
        self.guesses = plain_codes(all_codes(rules))
        self.within = cache(self._within)

    def _within(self, codes, guesses):
        if len(codes) == 1 or guesses < 2:
            return len(codes) == 1 and guesses > 0
        return any(self._answers(codes, guess, guesses) for guess in self.guesses)

    def _answers(self, codes, guess, guesses):
        parts = plain_parts(codes, guess)
        parts.pop(all_black(self.rules.pegs), None)
        return all(len(part) < len(codes) and self.within(part, guesses - 1) for part in parts.values())

    def value(self, codes):
        guesses = 1
        while not self.within(codes, guesses):
            guesses += 1
        return guesses

    def hardest_replies(self, codes, guess):
        parts = plain_parts(codes, guess)
        if len(parts) > 1:
            parts.pop(all_black(self.rules.pegs), None)
        worth = {given: (self.value(part), len(part)) for given, part in parts.items()}
        return tuple(given for given in parts if worth[given] == max(worth.values()))
