"""Conversion of typed names and options to specifications of strategies, and of counts to named results."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from heapq import nsmallest
from typing import Final

from evilpegs_clients.evaluation.cost import CostEstimate
from evilpegs_clients.evaluation.plan import ExecutionPlan
from evilpegs_clients.evaluation.results import CostlySecret, StrategyResult
from evilpegs_clients.evaluation.spec import StrategySpec, read_siblings, read_source
from evilpegs_clients.evaluation.tally import Tally
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.rules import Rules

MAX_CODES, MAX_CODES_BESIDE_GAMES = 1_000, 1_296
"""The most codes for `exact_expectation`, if every secret is played and beside simulated games."""
EXPECTATION_BUDGET: Final = 20_000_000
"""In feedbacks."""


def make_specs(
    strategies: Sequence[str],
    rules: Rules,
    first: str | None,
    candidates_only: bool,
    games: int,
    seed: int,
    worst: int = 0,
) -> list[StrategySpec]:
    """Return a checked `StrategySpec` for each strategy, without repetitions; raises GameError."""
    specs = [
        StrategySpec(
            *(strategy, read_source(strategy), rules, first, candidates_only, games, seed),
            siblings=read_siblings(strategy),
            worst=worst,
        )
        for strategy in dict.fromkeys(strategies)
    ]
    for spec in specs:
        spec.check()
    return specs


def make_results(
    costs: Sequence[CostEstimate], tallies: Sequence[tuple[Tally, float]], plan: ExecutionPlan
) -> list[StrategyResult]:
    """Return the result of each strategy, under names that tell the strategies apart."""
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
            lengths=bytes(tally.lengths),
            worst=costly_secrets(spec, tally),
            ms_per_guess=_ms_per_guess(tally, seconds, plan.processes(cost)),
        )
        for cost, spec, name, (tally, seconds) in zip(costs, specs, display_names(specs), tallies, strict=True)
    ]


def costly_secrets(spec: StrategySpec, tally: Tally) -> tuple[CostlySecret, ...]:
    """Return the ``spec.worst`` most costly secrets; equals are in code order, or in that of the simulated games."""
    if not spec.games:
        return tuple(CostlySecret(guesses, secret, spec.seed) for guesses, secret in tally.worst)
    numbers = nsmallest(spec.worst, range(spec.games), key=lambda number: (-tally.lengths[number], number))
    seeds = [game_seed(spec.seed, number) for number in numbers]
    return tuple(
        CostlySecret(tally.lengths[number], draw_secret(seed, spec.rules), seed)
        for number, seed in zip(numbers, seeds, strict=True)
    )


def _ms_per_guess(tally: Tally, seconds: float, processes: int | None) -> float | None:
    return seconds * 1000 * processes / tally.new_guesses if processes and tally.new_guesses else None


def display_names(specs: Sequence[StrategySpec]) -> list[str]:
    """Return the name of each strategy, or the text that the user typed if others have the same name."""
    own = [spec.load().name for spec in specs]
    times = Counter(own)
    return [name if times[name] == 1 else spec.strategy for spec, name in zip(specs, own, strict=True)]


def exact_expectation(spec: StrategySpec, budget: int = EXPECTATION_BUDGET) -> Fraction | None:
    """Return the expected guesses of `random-consistent`; None for other specs, and if they take over ``budget``."""
    max_codes = MAX_CODES_BESIDE_GAMES if spec.games else MAX_CODES
    if spec.rules.size > max_codes or spec.first is not None or not isinstance(spec.load(), RandomConsistent):
        return None
    try:
        return expected_guesses(spec.rules, budget)
    except OverBudgetError:
        return None
