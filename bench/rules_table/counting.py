"""Lower bounds from part sizes: some guesses in a row are tried, all of them, and the codes left are only counted.

    python -m bench.rules_table.counting 5x6 --guesses 3

If no guess has more than B replies besides all-black, k guesses find at most 1 + B + ... + B^(k-1) codes. Of guesses
that a symmetry links only one is tried. Two guesses in a row take seconds on 10,000 codes, three some minutes.
"""

import argparse
from pathlib import Path

import numpy as np

from evilpegs_game.codemakers.small_sets import least_total_table
from evilpegs_game.codes import all_codes, column_code, format_code
from evilpegs_game.feedback import all_black
from evilpegs_game.kernels import kernel
from evilpegs_game.optimal.guess_matrix import one_guess_per_shape
from evilpegs_game.optimal.proof_log import KnownBounds, ProofLog, Subproblem
from evilpegs_game.optimal.search_state import UNLIMITED
from evilpegs_game.partition import feedback_numbers, part_size_table, split
from evilpegs_game.rules import Rules
from evilpegs_game.symmetry.code_sets import GuessSymmetries


@kernel
def counted_totals(sizes, totals, codes):
    """Return the bound of each guess from its part sizes, shape (numbers, guesses), 0 if it tells nothing."""
    bounds = np.full(sizes.shape[1], codes, np.int32)
    for number in range(sizes.shape[0]):
        for guess in range(sizes.shape[1]):
            size = sizes[number, guess]
            bounds[guess] = 0 if size == codes or bounds[guess] == 0 else bounds[guess] + totals[size]
    return bounds


class Counting:
    """Lower bounds for all codes of ``rules``, with ``plies`` guesses in a row tried for the total."""

    def __init__(self, rules, plies=2):
        self.rules, self.plies = rules, plies
        self.all_black, self.every = all_black(rules.pegs), all_codes(rules)
        self.symmetries, self.firsts = GuessSymmetries(rules, self.every), one_guess_per_shape(rules)
        # all codes of a shape have as many replies
        seen = [np.unique(feedback_numbers(self.every, guess)) for guess in self.firsts]
        most = max(1, max(map(len, seen)) - 1)
        self.totals = least_total_table(most, rules.size)[most]
        self.guesses = np.diff(self.totals, prepend=0)  # those of the last code that is found
        self.totals = self.totals.astype(np.int32)

    def bounds(self):
        """Return the least of each over all first guesses: total, worst case, guesses against evil."""
        return tuple(map(min, zip(*filter(None, map(self.after, self.firsts)), strict=True)))

    def after(self, first):
        """Return the bounds with a first guess, or None if it tells nothing."""
        parts = self.parts(self.every, first)
        if not parts or parts[0].shape[1] == self.every.shape[1]:
            return None
        worst = [1 + self.worst(part) for part in parts]
        evil = max(range(len(parts)), key=lambda index: parts[index].shape[1])  # the first of equally large parts
        total = self.every.shape[1] + sum(self.total(part, self.plies - 1) for part in parts)
        return total, max(worst), worst[evil]

    def parts(self, columns, guess):
        return [part for reply, part in split(columns, guess) if reply != self.all_black]

    def sizes(self, columns):
        """Return the part sizes of each guess, without all-black."""
        return part_size_table(columns, self.every)[:-1]

    def worst(self, columns):
        """Return the fewest guesses for the worst of some codes, after one more guess."""
        if columns.shape[1] <= 2:
            return columns.shape[1]
        largest = self.sizes(columns).max(axis=0)
        return 1 + int(self.guesses[largest[largest < columns.shape[1]]].min())

    def total(self, columns, plies):
        """Return a lower bound of the total for some codes, after ``plies`` more guesses."""
        codes = columns.shape[1]
        if codes <= 2:
            return 2 * codes - 1
        counted = counted_totals(self.sizes(columns), self.totals, codes)
        counted[counted == 0] = np.iinfo(np.int32).max
        if plies == 1:
            return int(counted.min())
        guesses, best = np.unique(self.symmetries.orbits(columns)), np.iinfo(np.int32).max
        for guess in guesses[np.argsort(counted[guesses], kind="stable")].tolist():
            if counted[guess] >= best:
                break
            bound = int(counted[guess])
            # the largest part first: it adds the most
            for part in sorted(self.parts(columns, column_code(self.every, guess)), key=lambda each: -each.size):
                if bound >= best:
                    break
                bound += self.total(part, plies - 1) - int(self.totals[part.shape[1]])
            best = min(best, bound)
        return best


def write_journal(path, counting):
    """Raise the lower bounds in a journal of `evilpegs solve` to the bounds of the parts after each first guess."""
    rules = counting.rules
    log = ProofLog.from_bytes(path.read_bytes()) if path.exists() else ProofLog(rules)
    for first in counting.firsts:
        for reply, part in split(counting.every, first):
            if part.shape[1] > 2:
                subproblem = Subproblem(UNLIMITED, first, reply)
                known = log.known.get(subproblem, KnownBounds(0))
                bound = counting.total(part, counting.plies - 1)
                log.known[subproblem] = known._replace(lower=max(known.lower, bound))
    path.write_bytes(log.to_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rules", type=Rules.parse)
    parser.add_argument("--guesses", type=int, default=2, help="the guesses in a row that are tried")
    parser.add_argument("--journal", type=Path, help="put the bounds into this journal of evilpegs solve instead")
    options = parser.parse_args()
    counting = Counting(options.rules, options.guesses)
    if options.journal:
        write_journal(options.journal, counting)
        return
    for first in counting.firsts:
        print(format_code(first), counting.after(first), flush=True)


if __name__ == "__main__":
    main()
