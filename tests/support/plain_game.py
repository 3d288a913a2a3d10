"""Plain and slow answers about whole rules, which share no code with the program: optimal play and the heuristics.

A set of codes is an integer with a bit per code. No symmetry is used.
"""

from collections import Counter
from functools import cache
from itertools import permutations, product
from math import prod


class PlainGame:
    """All codes of rules, and for each guess the codes that give each feedback."""

    def __init__(self, pegs, colors, repeats):
        self.codes = list(product(range(colors), repeat=pegs) if repeats else permutations(range(colors), pegs))
        self.all = (1 << len(self.codes)) - 1
        self.partitions = [self.partition(guess) for guess in self.codes]

    def partition(self, guess):
        """Return the codes by feedback, fewest blacks first, then fewest whites; without all-black."""
        parts = {}
        for index, code in enumerate(self.codes):
            black = sum(one == other for one, other in zip(guess, code, strict=True))
            common = (Counter(guess) & Counter(code)).total()
            parts[black, common - black] = parts.get((black, common - black), 0) | 1 << index
        del parts[len(guess), 0]
        return [part for _, part in sorted(parts.items())]

    def parts(self, live, guess):
        return [part & live for part in self.partitions[guess] if part & live]

    def evil_parts(self, live, guess, worst_ties):
        """Return the parts that evil may leave: the first of the largest, or any of them."""
        parts = self.parts(live, guess)
        most = max(map(int.bit_count, parts), default=0)
        largest = [part for part in parts if part.bit_count() == most]
        return largest if worst_ties else largest[:1]

    def least_guesses(self, parts):
        """Return the guesses that are sure to be enough against an opponent who may leave any of ``parts``."""

        @cache
        def is_enough(live, guesses):
            if live.bit_count() <= 1 or guesses <= 1:
                return live.bit_count() <= guesses
            return any(
                live not in left and all(is_enough(part, guesses - 1) for part in left)
                for left in (parts(live, guess) for guess in range(len(self.codes)))
            )

        guesses = 1
        while not is_enough(self.all, guesses):
            guesses += 1
        return guesses

    def worst_case(self):
        return self.least_guesses(self.parts)

    def against_evil(self, worst_ties):
        return self.least_guesses(lambda live, guess: self.evil_parts(live, guess, worst_ties))

    def least_total(self):
        most_parts = max(map(len, self.partitions))

        def bound(codes):
            """Return the total if each guess split as finely as any guess can."""
            total, guess, most = 0, 1, 1
            while codes > 0:
                total, codes, guess, most = total + guess * min(codes, most), codes - most, guess + 1, most * most_parts
            return total

        bounds = [bound(codes) for codes in range(len(self.codes) + 1)]

        @cache
        def least(live):
            codes, best = live.bit_count(), float("inf")
            if codes <= 2:
                return 2 * codes - 1
            splits = {frozenset(self.parts(live, guess)) for guess in range(len(self.codes))} - {frozenset({live})}
            for parts in sorted(splits, key=lambda each: sum(bounds[part.bit_count()] for part in each)):
                left = sum(bounds[part.bit_count()] for part in parts)
                for part in sorted(parts):
                    if codes + left >= best:
                        break
                    left += least(part) - bounds[part.bit_count()]
                best = min(best, codes + left)
            return best

        return least(self.all)

    def heuristic(self, score):
        """Return the total, the most guesses, and those against evil by its rule and with the worst ties."""

        @cache
        def choose(live):
            if live.bit_count() <= 2:
                return (live & -live).bit_length() - 1

            def rank(guess):
                sizes = [part.bit_count() for part in self.parts(live, guess)]
                is_candidate = live >> guess & 1
                return score(sizes + [1] * is_candidate), not is_candidate, guess

            return min(range(len(self.codes)), key=rank)

        @cache
        def counts(live):
            guess = choose(live)
            below = [counts(part) for part in self.parts(live, guess)]
            total = live.bit_count() + sum(each[0] for each in below)
            return total, 1 + max((each[1] for each in below), default=0)

        @cache
        def longest(live, worst_ties):
            below = self.evil_parts(live, choose(live), worst_ties)
            return 1 + max((longest(part, worst_ties) for part in below), default=0)

        return *counts(self.all), longest(self.all, False), longest(self.all, True)


SCORES = {
    "minimax": max,
    "lexicographic": lambda sizes: sorted(sizes, reverse=True),
    "expected-size": lambda sizes: sum(size**2 for size in sizes),
    "entropy": lambda sizes: prod(size**size for size in sizes),
    "most-parts": lambda sizes: -len(sizes),
}
"""The criteria of the heuristics; smaller is better."""
