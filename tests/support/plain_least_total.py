"""The least total of guesses, computed plainly and slowly from its definition.

It is compared with the fast computation, with which it shares no code.
"""

from functools import cache
from itertools import product

from evilpegs_game.feedback import all_black, feedback


def legal_codes(rules):
    """Return all codes of the rules in code order."""
    codes = product(range(rules.colors), repeat=rules.pegs)
    return [code for code in codes if rules.repeats or len(set(code)) == rules.pegs]


class PlainLeastTotal:
    """A search for the least total of guesses that tries every guess.

    A total that needs more guesses than are allowed is infinite.
    """

    def __init__(self, rules):
        self.rules = rules
        self.guesses = legal_codes(rules)
        self.total = cache(self._total)

    def _total(self, codes, allowed):
        if not codes:
            return 0
        if allowed == 0:
            return float("inf")
        return min(self.total_after(codes, guess, allowed) for guess in self.guesses)

    def total_after(self, codes, guess, allowed):
        """Return the least total for ``codes`` if ``guess`` is played first, within ``allowed`` guesses."""
        parts = {}
        for code in codes:
            parts.setdefault(feedback(guess, code), []).append(code)
        parts.pop(all_black(self.rules.pegs), None)
        if any(len(part) == len(codes) for part in parts.values()):
            return float("inf")
        return len(codes) + sum(self.total(tuple(part), allowed - 1) for part in parts.values())

    def best_guess(self, codes):
        """Return the first candidate that attains the least total, or else the first code that does."""
        allowed = len(codes)
        order = [*codes, *self.guesses]
        return next(code for code in order if self.total_after(codes, code, allowed) == self.total(codes, allowed))


def play_all(tree):
    """Play a tree against every code; return the total of its guesses and the most guesses."""
    needed = [play(tree, code) for code in legal_codes(tree.rules)]
    return sum(needed), max(needed)


def play(tree, secret):
    """Return the number of guesses that a tree needs for a secret."""
    node, guesses = tree.root, 1
    while node.guess != secret:
        node, guesses = node.children[feedback(node.guess, secret)], guesses + 1
    return guesses
