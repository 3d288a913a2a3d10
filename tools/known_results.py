"""Compare the table of best known results with what the program can prove: ``make known``; status 1 if it is wrong.

Of each entry it says one of these, and where the number comes from:

* ``proved here``: the solver finds the number, and that no strategy needs fewer guesses
* ``reached here``: a tree of the package or of docs/bounds, or a strategy, needs as many guesses
* ``only published``: the best that the package has needs more, or nothing was tried
* ``better here``: the package has a better number, a proof where the table has none, or a tree that the table lacks
* ``contradicted``: the table claims fewer guesses than possible

The last two are failures.
"""

import argparse
import gzip
import sys
import tomllib
from pathlib import Path

from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.optimal import TREES, shipped_tree
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.codemakers.small_sets import least_possible_total, max_codes_within
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import all_codes
from evilpegs_game.evaluation.exact import GuessCounts
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.optimal.solve import solve
from evilpegs_game.rules import Rules
from evilpegs_game.trees.certificate import certify
from evilpegs_game.trees.tree import parse_tree
from evilpegs_server.site.bounds import RESULTS_FILE

MAX_SOLVED, MAX_PLAYED = 5_040, 32_768
"""Codes of the rules that are solved, and that strategies play: four minutes in all."""
MAX_WORST = 4_096
"""Codes of the rules whose worst case is solved; 4x10-distinct takes too long."""
BOUNDS = Path(__file__).parents[1] / "docs" / "bounds"
FAILURES = ("better here", "contradicted")


def shipped_rules():
    return sorted(path.name.removesuffix(".tree.gz") for path in TREES.iterdir())


def reached(rules, objective, max_played):
    """Return the fewest guesses of a certified tree and of each strategy, each with what needs it."""
    counts = {}
    if (tree := shipped_tree(rules)) is not None:
        counts["the tree of optimal"] = certify(tree.tree)
    if (path := BOUNDS / f"{rules}.tree.gz").exists():
        counts["the tree of docs/bounds"] = certify(parse_tree(gzip.decompress(path.read_bytes()).decode()))
    for name, make in STRATEGIES.items():
        strategy = make(False)
        if isinstance(strategy, CriterionStrategy) and rules.size <= max_played:
            counts[name] = GuessCounts(rules, evaluate_heuristic(rules, strategy.criterion))
    return [(each.total if objective == "mean" else each.max, name) for name, each in counts.items()]


def proved(rules, objective):
    """Return the fewest guesses possible, by searching all strategies."""
    return solve(rules).total if objective == "mean" else WorstCase(rules).value(all_codes(rules))


def least(rules, objective):
    """Return a bound from counting, which no strategy can pass, or the total of the shipped tree: it is optimal."""
    if objective == "worst":
        return len(max_codes_within(rules)) - 1
    tree = shipped_tree(rules)
    return least_possible_total(rules.size, rules) if tree is None else certify(tree.tree).total


def verdict(row, max_solved, max_played):
    """Return what to say of a row of the table, and why."""
    rules, objective = Rules.parse(row["rules"]), row["objective"]
    claimed = row["total" if objective == "mean" else "guesses"]
    if rules.size <= (max_solved if objective == "mean" else min(max_solved, MAX_WORST)):
        value = proved(rules, objective)
        if claimed < value:
            return "contradicted", f"evilpegs solve proves {value:,}"
        return "proved here" if (claimed, row["proved"]) == (value, True) else "better here", "evilpegs solve"
    if claimed < least(rules, objective):
        return "contradicted", f"no strategy needs fewer than {least(rules, objective):,}"
    best, name = min(reached(rules, objective, max_played), default=(None, "nothing was tried"))
    if best is None or best > claimed:
        return "only published", name if best is None else f"{name} needs {best:,}"
    return "better here" if best < claimed else "reached here", name


def check(rows, max_solved=MAX_SOLVED, max_played=MAX_PLAYED):
    """Yield a line per entry: rules, objective, verdict, reason."""
    for row in rows:
        yield row["rules"], row["objective"], *verdict(row, max_solved, max_played)
    for rules in shipped_rules():
        if (rules, "mean") not in {(row["rules"], row["objective"]) for row in rows}:
            yield rules, "mean", "better here", "the table lacks the tree of optimal"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--solve", type=int, default=MAX_SOLVED, help="the most codes of rules to solve")
    parser.add_argument("--play", type=int, default=MAX_PLAYED, help="the most codes of rules to play")
    options, failed = parser.parse_args(), False
    for rules, objective, said, why in check(
        tomllib.loads(RESULTS_FILE.read_text())["results"], options.solve, options.play
    ):
        print(f"{rules:<14} {objective:<6} {said:<15} {why}", flush=True)
        failed |= said in FAILURES
    sys.exit(failed)


if __name__ == "__main__":
    main()
