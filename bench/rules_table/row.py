"""One row of the table: each figure as bounds that are proved, and how.

A proof is ``search`` (every guess was tried, or ruled out by a bound), ``solve`` (likewise, and the tree that was found
was played against every code), ``certificate`` (a tree of either kind was checked), ``evaluation`` (the strategy was
played against every code or every reply), ``formula`` (a theorem; see docs/table.md), ``counting`` (so many codes
as two guesses leave need more), or the name of another figure or of a heuristic whose figure is the bound. ``a/b``
means that the lower bound is by a and the upper one by b.
"""

from typing import NamedTuple

import evilpegs
from bench.rules_table import rules as theory
from bench.rules_table.counting import Counting
from bench.rules_table.heuristics import HEURISTICS, LengthAgainstEvil, evaluate
from evilpegs_game.codemakers.small_sets import WorkBudget
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.optimal.against_evil import ShortestLineSearch
from evilpegs_game.optimal.first_guesses import FirstGuesses
from evilpegs_game.optimal.guess_matrix import CodeSpace
from evilpegs_game.optimal.search_state import new_totals
from evilpegs_game.symmetry.code_sets import code_set_key
from evilpegs_game.trees.lower_bound import LowerBound

FIGURES = ("total", "worst", "evil", "worst_ties")
OPTIMAL = "optimal"
TABLE_ENTRIES = 1 << 20
NO_BOUND = 1 << 62
SOLVED_COLORS = 16
"""With two pegs and more colors the formula takes the place of a search, which takes twice as long with each color."""


class Bounds(NamedTuple):
    """``lower`` and ``upper`` are proved; they are equal if the figure is known."""

    lower: int
    upper: int
    proof: str

    @property
    def is_exact(self):
        return self.lower == self.upper


class Progress:
    """Bounds that tighten, and what proved each."""

    def __init__(self, lower, lower_by, upper, upper_by):
        self.lower, self.lower_by, self.upper, self.upper_by = lower, lower_by, upper, upper_by

    @property
    def is_open(self):
        return self.lower < self.upper

    def raise_to(self, lower, by):
        if lower > self.lower:
            self.lower, self.lower_by = lower, by

    def lower_to(self, upper, by):
        if upper < self.upper:
            self.upper, self.upper_by = upper, by

    def tighten(self, lower, upper, proof):
        self.raise_to(lower, proof.split("/")[0])
        self.lower_to(upper, proof.split("/")[-1])

    def prove(self, value, by):
        assert self.lower <= value <= self.upper, (self.lower, value, self.upper, by)
        self.lower = self.upper = value
        self.lower_by = self.upper_by = by

    def bounds(self):
        same = self.lower_by == self.upper_by
        return Bounds(self.lower, self.upper, self.lower_by if same else f"{self.lower_by}/{self.upper_by}")


def make_row(rules, budget, proof_log=None, certificates=(), known=None):
    """Return the figures of rules by player; a search stops after ``budget`` feedback evaluations.

    ``known`` are figures that were found before, with another budget: only the open ones are searched.
    """
    playable = rules.playable
    if playable is None:
        return {OPTIMAL: formula_figures(rules)}
    known = {name: {figure: Bounds(*each) for figure, each in row.items()} for name, row in (known or {}).items()}
    row = {name: known.get(name) or heuristic_figures(playable, criterion) for name, criterion in HEURISTICS.items()}
    progress = first_bounds(playable, row, known.get(OPTIMAL, {}))
    for certificate in certificates:
        for figure, (lower, upper) in certified(certificate).items():
            progress[figure].tighten(lower, upper, "certificate")
    return {OPTIMAL: optimal_figures(rules, playable, progress, budget, proof_log), **row}


def certified(certificate):
    """Return the bounds that a certificate proves, by figure."""
    if isinstance(certificate, LowerBound):
        return {"worst": (certificate.at_least, NO_BOUND)}
    return {"total": (0, certificate.total), "worst": (0, certificate.max)}


def formula_figures(rules):
    values = {"total": theory.least_total(rules), "worst": theory.worst_case(rules)}
    return {figure: Bounds(value, value, "formula") for figure, value in values.items() if value is not None}


def heuristic_figures(rules, criterion):
    total, worst = evaluate(rules, criterion)
    lengths = LengthAgainstEvil(rules, criterion)
    values = total, worst, lengths.longest(worst_ties=False), lengths.longest(worst_ties=True)
    return {figure: Bounds(value, value, "evaluation") for figure, value in zip(FIGURES, values, strict=True)}


def first_bounds(playable, heuristics, known):
    """Return the bounds that are known, by counting and by the heuristics, by figure."""
    progress, (total, worst, evil) = {}, Counting(playable).bounds()
    for figure, lower in zip(FIGURES, (total, worst, evil, evil), strict=True):
        best = min(heuristics, key=lambda name: heuristics[name][figure].upper)
        upper = heuristics[best][figure].upper
        progress[figure] = Progress(0, "counting", NO_BOUND, best)
        progress[figure].tighten(*known.get(figure, (lower, upper, f"counting/{best}")))
        progress[figure].tighten(lower, upper, f"counting/{best}")
    return progress


def optimal_figures(rules, playable, progress, budget, proof_log):
    evil, worst_ties, worst, total = (progress[figure] for figure in ("evil", "worst_ties", "worst", "total"))
    search_evil(playable, evil, worst_ties=False, budget=budget)
    # what evil forces, it forces with the worst ties too, and the devil forces at least as much
    worst_ties.raise_to(evil.lower, "evil")
    search_evil(playable, worst_ties, worst_ties=True, budget=budget)
    worst.raise_to(worst_ties.lower, "worst_ties")
    if rules.pegs == 2 and rules.colors > SOLVED_COLORS:
        total.prove(theory.least_total(rules), "formula")
    else:
        search_total(playable, total, worst, budget, proof_log)
    search_worst(playable, worst, budget)
    for figure, formula in formula_figures(rules).items():
        if progress[figure].is_open:
            progress[figure].prove(formula.lower, "formula")
    evil.lower_to(worst.upper, "worst")
    worst_ties.lower_to(worst.upper, "worst")
    return {figure: progress[figure].bounds() for figure in FIGURES}


def search_evil(rules, found, worst_ties, budget):
    if found.is_open:
        try:
            search = ShortestLineSearch(rules, worst_ties=worst_ties, budget=budget)
            found.prove(len(search.run(lambda guesses: found.raise_to(guesses, "search"))), "search")
        except (OverBudgetError, TooLargeError):
            return


def search_total(rules, total, worst, budget, proof_log):
    if not total.is_open:
        return
    try:
        space = CodeSpace(rules)
        spent = WorkBudget(budget, "the least total")
        first = FirstGuesses(space, space.columns, new_totals(TABLE_ENTRIES), proof_log=proof_log, budget=spent)
        try:
            first.prove()
        finally:
            total.raise_to(first.lower, "solve")
            total.lower_to(first.best.upper, "solve")
        certificate = evilpegs.certify(first.tree(first.best))
    except (OverBudgetError, TooLargeError):
        return
    total.prove(certificate.total, "solve")
    worst.lower_to(certificate.max, "total")


def search_worst(rules, worst, budget):
    if not worst.is_open:
        return
    try:
        solver, codes = WorstCase(rules), all_codes(rules)
        try:
            worst.prove(solver.value(codes, budget), "search")
        finally:
            worst.raise_to(solver.solved.bounds(code_set_key(codes, rules)).at_least, "search")
    except (OverBudgetError, TooLargeError):
        return
