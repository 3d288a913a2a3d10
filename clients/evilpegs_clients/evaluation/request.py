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
"""The most codes of rules for which `exact_expectation` computes a value.

The first number holds if every secret is played, the second if games are simulated.
"""
EXPECTATION_BUDGET: Final = 20_000_000
"""The most feedbacks that the computation of an exact expectation may evaluate."""


def make_specs(
    strategies: Sequence[str],
    rules: Rules,
    first: str | None,
    candidates_only: bool,
    games: int,
    seed: int,
    worst: int = 0,
) -> list[StrategySpec]:
    """Return a checked specification for each strategy, in the given order and without repetitions.

    Args:
        strategies: The names of built-in strategies and the paths of strategy files.
        rules: The rules to play.
        first: The first guess as a text such as ``1122``, None for the strategy's own.
        candidates_only: True if built-in strategies may guess only codes that could be the secret.
        games: The number of games to simulate, or 0 to play every secret.
        seed: The seed of all random choices.
        worst: The number of secrets to report that took the most guesses.

    Raises:
        GameError: a strategy cannot be loaded, or ``first`` is no code of the rules.
    """
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
    """Return the result of each strategy of a run, under names that tell the strategies apart.

    ``costs`` has the cost estimate of each strategy, with its specification. ``tallies`` has, in the same order, the
    counts of each strategy and the seconds that they took. ``plan`` is the plan of the run.
    """
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
    """Return the ``spec.worst`` secrets that took the most guesses, most guesses first, from the counts in ``tally``.

    Equally costly secrets are in code order, or in the order of the games if games were simulated.
    """
    if not spec.games:
        return tuple(CostlySecret(guesses, secret, spec.seed) for guesses, secret in tally.worst)
    numbers = nsmallest(spec.worst, range(spec.games), key=lambda number: (-tally.lengths[number], number))
    seeds = [game_seed(spec.seed, number) for number in numbers]
    return tuple(
        CostlySecret(tally.lengths[number], draw_secret(seed, spec.rules), seed)
        for number, seed in zip(numbers, seeds, strict=True)
    )


def _ms_per_guess(tally: Tally, seconds: float, processes: int | None) -> float | None:
    """Return the milliseconds per guess of one process, or None if they are unknown.

    ``seconds`` is the time of the run, and ``processes`` the number of processes that shared the work, None on a
    cluster. The result is unknown on a cluster, and if this run simulated no game itself.
    """
    return seconds * 1000 * processes / tally.new_guesses if processes and tally.new_guesses else None


def display_names(specs: Sequence[StrategySpec]) -> list[str]:
    """Return a name for each strategy: its own name, or the text that the user typed if others have the same name."""
    own = [spec.load().name for spec in specs]
    times = Counter(own)
    return [name if times[name] == 1 else spec.strategy for spec, name in zip(specs, own, strict=True)]


def exact_expectation(spec: StrategySpec, budget: int = EXPECTATION_BUDGET) -> Fraction | None:
    """Return the exact expected number of guesses of a random strategy, or None if it cannot be computed quickly.

    The number is computed only for the strategy `random-consistent` without a given first guess, and on rules of at
    most `MAX_CODES` codes, or `MAX_CODES_BESIDE_GAMES` codes if ``spec`` asks for games. The result is None if the
    computation would evaluate more than ``budget`` feedbacks.
    """
    max_codes = MAX_CODES_BESIDE_GAMES if spec.games else MAX_CODES
    if spec.rules.size > max_codes or spec.first is not None or not isinstance(spec.load(), RandomConsistent):
        return None
    try:
        return expected_guesses(spec.rules, budget)
    except OverBudgetError:
        return None
