"""Search for a strategy tree with few guesses in all, on rules too large for a proof, such as 5x8.

    python -m tools.good_tree 5x8 11234 --second 150 --full 12 --third 5 --out 5x8.tree.gz

After each feedback to the first guess, the codes left are played with many second guesses: all later guesses are those
with the least estimate, which is fast. The best few second guesses are played again, now with several third guesses
and the least total after them, by the solver of `evilpegs solve` up to 60 codes and by its width above that. The result
is a tree, which `evilpegs certify` counts.

One line per feedback is kept in OUT.journal: the same command goes on where it was stopped, and each line stays good if
another one is searched with more guesses. A line with fewer guesses for its feedback replaces an earlier one.
Memory: the codes after the first guess times all codes, and twice that for a matrix of 1,500 codes; 700 MB on 5x8.
"""

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from evilpegs_game.codemakers.small_sets import least_total_table
from evilpegs_game.codes import column_code, format_code, parse_code
from evilpegs_game.feedback import all_black
from evilpegs_game.kernels import kernel, popcount
from evilpegs_game.optimal.first_guesses import build_node, build_small_node
from evilpegs_game.optimal.guess_matrix import CodeSpace, GuessMatrix
from evilpegs_game.optimal.search_state import NEVER, UNLIMITED, Tuning, new_totals
from evilpegs_game.optimal.solver import TotalSolver
from evilpegs_game.partition import feedback_numbers, split
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import Node, Tree, format_tree

SMALL = (0, 1, 3, 5, 7.1, 9.4, 11.8, 14.2, 16.7, 19.3, 22, 24.7, 27.5)
CURVE = (1.90043924, 2.04571602e-1, 9.04836631e-3, 5.28188192e-4)
"""Estimates of the least total of n codes: of the first few, and of one code in powers of log n.

Fitted to the totals of 185 sets of codes of 5x8, found by this search with a rougher estimate. They only decide which
guesses are tried.
"""
EXACT = 45
"""Sets with at most so many codes after two guesses are solved, instead of trying some third guesses."""
MEMBERS_ONLY = 14
MARGIN = 0.972
"""No set was found to need so much less than the guesses of least estimate do."""
WIDTHS = ((60, 0), (120, 8), (NEVER, 4))
"""Guesses tried per set after three guesses, by its codes; 0 means all."""


@kernel
def count_parts(table, codes, counts):
    """Count the codes at ``codes`` in each part of each guess; table (codes, guesses), counts (guesses, numbers)."""
    counts[:] = 0
    for code in codes:
        row = table[code]
        for guess in range(row.size):
            counts[guess, row[guess]] += 1


@kernel
def estimate_guesses(counts, estimates, all_black, totals):
    """Write the estimated total after each guess to ``totals``."""
    for guess in range(counts.shape[0]):
        total = np.float32(0)
        for number in range(all_black):
            total += estimates[counts[guess, number]]
        totals[guess] = total


@kernel
def choose(table, members, codes, estimates, black, counts, totals, bits):
    """Return the guess for more than two codes: the most parts of few codes, else the least estimate."""
    best, most = -1, 0
    if codes.size <= MEMBERS_ONLY:
        for code in codes:
            seen = np.uint64(0)
            for other in codes:
                seen |= np.uint64(1) << np.uint64(table[other, members[code]])
            parts = popcount(seen)
            if parts > most:
                best, most = members[code], parts
        if most == codes.size:
            return best
        bits[:] = 0
        for code in codes:
            row = table[code]
            for guess in range(row.size):
                bits[guess] |= np.uint64(1) << np.uint64(row[guess])
        for guess in range(bits.size):
            parts = popcount(bits[guess])
            if parts > most + 1:  # a member may be the code
                best, most = guess, parts
        return best
    count_parts(table, codes, counts)
    estimate_guesses(counts, estimates, black, totals)
    return np.argmin(totals)


@kernel
def roll_out(table, members, codes, estimates, black, counts, totals, bits):
    """Return the guesses for all ``codes`` if every guess is that of `choose`, NEVER if one tells nothing."""
    if codes.size <= 2:
        return 2 * codes.size - 1
    guess = choose(table, members, codes, estimates, black, counts, totals, bits)
    numbers = np.empty(codes.size, np.uint8)
    for i in range(codes.size):
        numbers[i] = table[codes[i], guess]
    if np.all(numbers == numbers[0]):
        return NEVER
    total = codes.size
    for number in range(black):
        part = codes[numbers == number]
        if part.size:
            total += roll_out(table, members, part, estimates, black, counts, totals, bits)
    return total


class Search:
    """The search for a tree of ``rules`` that begins with the code ``first``."""

    def __init__(self, rules, first, options):
        self.rules, self.first, self.options = rules, first, options
        self.space = CodeSpace(rules, Tuning(max_matrix_bytes=1 << 32, orbit_codes=EXACT))
        self.black = self.space.max_parts + 1
        self.totals = new_totals(1 << 22)
        self.least = least_total_table(self.space.max_parts, rules.size)[self.space.max_parts]
        sizes = np.arange(1, rules.size + 1)
        curve = np.polynomial.Polynomial(CURVE)(np.log(sizes)) * sizes
        self.estimates = np.concatenate(([0], curve)).astype(np.float32)
        self.estimates[: len(SMALL)] = SMALL
        self.counts = np.zeros((rules.size, self.black + 1), np.int32)
        self.scores, self.bits = np.zeros(rules.size, np.float32), np.zeros(rules.size, np.uint64)
        self.is_first_of_renamed = self._first_of_renamed()

    def _first_of_renamed(self):
        # colors that the first guess lacks can be renamed, so they come in order
        new = [color for color in range(self.rules.colors) if color not in self.first]
        codes = (dict.fromkeys(color for color in code if color in new) for code in self.space.columns.T.tolist())
        return np.array([list(seen) == new[: len(seen)] for seen in codes])

    def code(self, guess):
        return column_code(self.space.columns, int(guess))

    def second_guesses(self, columns):
        """Return the second guesses with the least totals by rolling out, each with its total."""
        codes = np.arange(columns.shape[1])
        table = np.stack([feedback_numbers(self.space.columns, column_code(columns, code)) for code in codes])
        members = self.space.symmetries.indices(columns).astype(np.int64)
        count_parts(table, codes, self.counts)
        estimate_guesses(self.counts, self.estimates, self.black, self.scores)
        guesses = np.unique(self.space.orbits(columns))
        guesses = guesses[self.is_first_of_renamed[guesses]]
        found = {}
        for guess in guesses[np.argsort(self.scores[guesses], kind="stable")[: self.options.second]].tolist():
            parts = [codes[table[:, guess] == number] for number in range(self.black)]
            scratch = self.estimates, self.black, self.counts, self.scores, self.bits
            totals = [(part.size, roll_out(table, members, part, *scratch)) for part in parts if part.size]
            # guesses with parts of equal sizes and totals are taken for one, up to a symmetry that was not noticed
            total = columns.shape[1] + sum(total for _, total in totals)
            found.setdefault((total, *sorted(totals)), (int(total), self.code(guess), dict(totals)))
        return sorted(found.values(), key=lambda each: each[:2])[: self.options.full]

    def second(self, columns):
        """Return the least total found for the codes after one guess, and its plan."""
        if columns.shape[1] <= EXACT:
            return self.third(columns)
        best = NEVER, None
        for rolled_out, guess, by_size in self.second_guesses(columns):
            total, left, after = columns.shape[1], rolled_out - columns.shape[1], {}
            for answer, part in self.parts(columns, guess):
                if total + MARGIN * left >= best[0]:
                    break
                found, plan = self.third(part)
                total, left, after[str(answer)] = total + found, left - by_size[part.shape[1]], plan
            else:
                if total < best[0]:
                    best = total, {"guess": format_code(guess), "after": after}
        return best

    def third(self, columns):
        """Return the least total found for the codes after two guesses, and its plan: None for that of the solver."""
        codes = columns.shape[1]
        if codes <= 2:
            return 2 * codes - 1, None
        matrix, solver = self.solver(columns)
        if codes <= EXACT:
            return solver.solve(matrix.all_indices).upper, None
        best = NEVER, None
        for guess in self._promising(matrix):
            numbers = matrix.tables.by_guess[guess]
            parts = [np.flatnonzero(numbers == number).astype(np.int32) for number in range(self.black)]
            parts = sorted((part for part in parts if part.size), key=len)
            total = codes + sum(int(self.least[part.size]) for part in parts)
            for part in parts:
                least = int(self.least[part.size])
                total += (
                    solver.solve(part, UNLIMITED, min(NEVER, best[0] - total + least), width(part.size)).upper - least
                )
                if total >= best[0]:
                    break
            else:
                best = total, {"guess": format_code(matrix.guess_code(guess))}
        return best

    def _promising(self, matrix):
        counts, scores = self.counts[: matrix.guesses.size], self.scores[: matrix.guesses.size]
        count_parts(np.ascontiguousarray(matrix.tables.by_guess.T), matrix.all_indices, counts)
        estimate_guesses(counts, self.estimates, self.black, scores)
        return np.argsort(scores, kind="stable")[: self.options.third].tolist()

    def solver(self, columns):
        matrix = GuessMatrix(self.space, columns)
        return matrix, TotalSolver(matrix, self.totals)

    def parts(self, columns, guess):
        """Return the parts of a guess without all-black, the largest first, each after its feedback."""
        parts = [(answer, part) for answer, part in split(columns, guess) if answer != all_black(self.rules.pegs)]
        return sorted(parts, key=lambda each: -each[1].shape[1])

    def node(self, columns, plan):
        """Return the tree for ``columns`` that begins as ``plan`` says."""
        if columns.shape[1] <= 2:
            return build_small_node(columns)
        if plan is None:
            matrix, solver = self.solver(columns)
            tried = width(columns.shape[1])
            if not tried:
                return build_node(solver, matrix.all_indices, UNLIMITED)
            # bounds known before would be returned without a guess
            solver = TotalSolver(matrix, new_totals(1 << 16))
            plan = {"guess": format_code(matrix.guess_code(solver.solve(matrix.all_indices, width=tried).guess))}
        guess, after = parse_code(plan["guess"], self.rules), plan.get("after", {})
        return Node(
            guess, {answer: self.node(part, after.get(str(answer))) for answer, part in self.parts(columns, guess)}
        )


def width(codes):
    return next(tried for most, tried in WIDTHS if codes <= most)


def read_journal(path):
    lines = path.read_text().splitlines() if path.exists() else []
    return {(each["first"], each["feedback"]): each for each in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("rules", type=Rules.parse)
    parser.add_argument("first", help="the first guess")
    parser.add_argument("--second", type=int, default=150, help="second guesses that are rolled out")
    parser.add_argument("--full", type=int, default=12, help="second guesses that are played again")
    parser.add_argument("--third", type=int, default=5, help="third guesses that are tried per set")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    first = parse_code(options.first, options.rules)
    search = Search(options.rules, first, options)
    journal = options.out.with_name(options.out.name + ".journal")
    known, effort = read_journal(journal), [options.second, options.full, options.third]
    for answer, part in reversed(search.parts(search.space.columns, first)):
        key = options.first, str(answer)
        if key not in known or known[key]["effort"] < effort:
            total, plan = search.second(part)
            if key in known and known[key]["total"] <= total:
                total, plan = known[key]["total"], known[key]["plan"]
            line = {"first": key[0], "feedback": key[1], "total": total, "plan": plan, "effort": effort}
            known[key] = line
            with journal.open("a") as file:
                file.write(json.dumps(line) + "\n")
        print(f"{answer}: {part.shape[1]:,} codes, {known[key]['total']:,} guesses", flush=True)
    root = {
        "guess": options.first,
        "after": {answer: line["plan"] for (code, answer), line in known.items() if code == options.first},
    }
    tree = Tree(options.rules, search.node(search.space.columns, root))
    print(certify(tree))
    options.out.write_bytes(gzip.compress(format_tree(tree).encode(), mtime=0))


if __name__ == "__main__":
    main()
