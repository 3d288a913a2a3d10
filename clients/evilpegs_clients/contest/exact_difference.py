"""The exact difference of the mean scores of two strategies that can be played against every secret in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from evilpegs_clients.evaluation.cost import SMALL_SIZE, estimate_cost
from evilpegs_clients.evaluation.run import ExecutionPlan, run_evaluation
from evilpegs_clients.evaluation.spec import make_specs
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.rules import Rules

MAX_CODES: Final = 5_040
"""For strategies that are not compiled heuristics."""


@dataclass(frozen=True, slots=True)
class ExactMeans:
    first: Fraction
    second: Fraction

    @property
    def difference(self) -> Fraction:
        return self.second - self.first

    def to_json(self) -> dict[str, Any]:
        return {"a": float(self.first), "b": float(self.second), "difference": float(self.difference)}


def has_exact_mean(strategy: Strategy, rules: Rules) -> bool:
    """Return True if ``strategy`` can be played against every secret in seconds."""
    return not strategy.uses_rng and rules.size <= (
        SMALL_SIZE if isinstance(strategy, CriterionStrategy) else MAX_CODES
    )


def exact_means(names: tuple[str, str], rules: Rules, guess_limit: int, err: Console, bar: Progress) -> ExactMeans:
    """Play two strategies, named or from files, for both of which `has_exact_mean` is true, against every secret."""
    specs = make_specs(names, rules, None, candidates_only=False, games=0, seed=0)
    tallies = run_evaluation([estimate_cost(spec) for spec in specs], ExecutionPlan(), err, bar)
    means = [mean_score(tally.distribution, guess_limit) for tally, _ in tallies]
    return ExactMeans(means[0], means[-1])  # a strategy that is compared with itself is played once


def mean_score(distribution: Sequence[int], guess_limit: int) -> Fraction:
    """Return the mean score under a guess limit; ``distribution[i]`` games take i + 1 guesses without one."""
    total = sum(min(guesses, guess_limit + 1) * games for guesses, games in enumerate(distribution, 1))
    return Fraction(total, sum(distribution))
