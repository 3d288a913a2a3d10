"""Requests of people: names and options become specifications, and the counts of a run become named results."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from evilpegs_clients.evaluation.cost import CostEstimate
from evilpegs_clients.evaluation.results import StrategyResult
from evilpegs_clients.evaluation.spec import StrategySpec, read_siblings, read_source
from evilpegs_clients.evaluation.tally import Tally
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.rules import Rules

MAX_CODES, MAX_CODES_BESIDE_GAMES = 1_000, 1_296
"""The most codes of rules whose exact expectation is computed: it takes a moment, or seconds beside simulated games."""
EXPECTATION_BUDGET: Final = 20_000_000
"""The most feedbacks that an exact expectation may look at."""


def make_specs(
    strategies: Sequence[str], rules: Rules, first: str | None, candidates_only: bool, games: int, seed: int
) -> list[StrategySpec]:
    """Return a specification per strategy, in the given order without repetitions, each checked.

    Raises:
        GameError: a strategy cannot be loaded, or ``first`` is no code of the rules.
    """
    specs = [
        StrategySpec(
            *(strategy, read_source(strategy), rules, first, candidates_only, games, seed),
            siblings=read_siblings(strategy),
        )
        for strategy in dict.fromkeys(strategies)
    ]
    for spec in specs:
        spec.check()
    return specs


def make_results(costs: Sequence[CostEstimate], tallies: Sequence[tuple[Tally, float]]) -> list[StrategyResult]:
    """Return a result per strategy from its counts and seconds, under names that tell the strategies apart."""
    specs = [cost.spec for cost in costs]
    return [
        StrategyResult(
            spec,
            name,
            tally.first if spec.first is None else spec.opening,
            tally.distribution,
            seconds,
            exact_expectation(spec),
            is_one_seed=not spec.games and spec.strategy in STRATEGIES and spec.load().uses_rng,
        )
        for spec, name, (tally, seconds) in zip(specs, display_names(specs), tallies, strict=True)
    ]


def display_names(specs: Sequence[StrategySpec]) -> list[str]:
    """Return the name of each strategy; the text that was typed where two files have the same name."""
    own = [spec.load().name for spec in specs]
    times = Counter(own)
    return [name if times[name] == 1 else spec.strategy for spec, name in zip(specs, own, strict=True)]


def exact_expectation(spec: StrategySpec, budget: int = EXPECTATION_BUDGET) -> Fraction | None:
    """Return the exact expected number of guesses; None if no method computes it within ``budget`` feedbacks."""
    max_codes = MAX_CODES_BESIDE_GAMES if spec.games else MAX_CODES
    if spec.rules.size > max_codes or spec.first is not None or not isinstance(spec.load(), RandomConsistent):
        return None
    try:
        return expected_guesses(spec.rules, budget)
    except OverBudgetError:
        return None
