"""The exact difference of the mean scores of two strategies that can be played against every secret in seconds."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from rich.console import Console
from rich.progress import Progress

from evilpegs_clients.evaluation.cost import SMALL_SIZE, estimate_cost
from evilpegs_clients.evaluation.plan import ExecutionPlan
from evilpegs_clients.evaluation.request import make_specs
from evilpegs_clients.evaluation.run import run_evaluation
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.rules import Rules

MAX_CODES: Final = 5_040
"""The most codes of rules on which a strategy that is not a compiled heuristic is played against every secret."""


@dataclass(frozen=True, slots=True)
class ExactMeans:
    """The mean scores of two strategies over all secrets, in guesses."""

    first: Fraction
    second: Fraction

    @property
    def difference(self) -> Fraction:
        """The mean of the second strategy minus the mean of the first, in guesses."""
        return self.second - self.first

    def to_json(self) -> dict[str, Any]:
        """Return a JSON object: the mean ``a`` of the first strategy, ``b`` of the second, and ``difference`` b - a."""
        return {"a": float(self.first), "b": float(self.second), "difference": float(self.difference)}


def has_exact_mean(strategy: Strategy, rules: Rules) -> bool:
    """Return True if ``strategy`` can be played against every secret in seconds.

    That requires choices that are not random, and rules with few codes: at most `SMALL_SIZE` for a heuristic strategy,
    which numba compiles, and at most `MAX_CODES` for any other.
    """
    return not strategy.uses_rng and rules.size <= (
        SMALL_SIZE if isinstance(strategy, CriterionStrategy) else MAX_CODES
    )


def exact_means(names: tuple[str, str], rules: Rules, guess_limit: int, err: Console, bar: Progress) -> ExactMeans:
    """Play two strategies against every secret and return their mean scores.

    ``names`` are the names or the files of the strategies, for which `has_exact_mean` must be true. A game that takes
    more than ``guess_limit`` guesses scores ``guess_limit`` + 1. Notices are printed to ``err``, and ``bar`` shows the
    progress.
    """
    specs = make_specs(names, rules, None, candidates_only=False, games=0, seed=0)
    tallies = run_evaluation([estimate_cost(spec) for spec in specs], ExecutionPlan(), err, bar)
    means = [mean_score(tally.distribution, guess_limit) for tally, _ in tallies]
    return ExactMeans(means[0], means[-1])  # a strategy that is compared with itself is played once


def mean_score(distribution: Sequence[int], guess_limit: int) -> Fraction:
    """Return the mean score of games under a guess limit; ``distribution[i]`` games take i + 1 guesses without a limit.

    The score of a game is its number of guesses, or ``guess_limit`` + 1 if it takes more than ``guess_limit``.
    """
    total = sum(min(guesses, guess_limit + 1) * games for guesses, games in enumerate(distribution, 1))
    return Fraction(total, sum(distribution))
