"""The results of an evaluation: counts of guesses, the figures derived from them, and comparisons."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import nsmallest
from typing import Any, Final

from evilpegs_clients.evaluation.cost import CostEstimate
from evilpegs_clients.evaluation.run import ExecutionPlan, Tally
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_clients.strategies.strategy import draw_secret, game_seed
from evilpegs_game.codes import Code, format_code
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation.exact import GuessCounts
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.evaluation.simulation import Simulation
from evilpegs_game.statistics.means import PairedDifference

MAX_CODES, MAX_CODES_BESIDE_GAMES = 1_000, 1_296  # for `exact_expectation`
EXPECTATION_BUDGET: Final = 20_000_000  # in feedbacks


@dataclass(frozen=True, slots=True)
class CostlySecret:
    """A secret that took many guesses; ``evilpegs duel`` with this secret and ``seed`` plays the same game again."""

    guesses: int
    secret: Code
    seed: int

    def to_json(self) -> dict[str, Any]:
        return {"secret": format_code(self.secret), "guesses": self.guesses, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class StrategyResult:
    spec: StrategySpec
    name: str
    first: Code | None  # None if it was chosen in each simulated game
    distribution: tuple[int, ...]  # of codes or games, from guess 1 on
    seconds: float
    expected: Fraction | None = None  # exact, of a random strategy
    is_one_seed: bool = False  # a random strategy played every secret, with one seed
    lengths: bytes = b""  # the guesses of each simulated game
    worst: tuple[CostlySecret, ...] = ()
    ms_per_guess: float | None = None  # of one process

    @property
    def figures(self) -> GuessCounts:
        return (Simulation if self.spec.games else GuessCounts)(self.spec.rules, self.distribution)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean; None if the mean is exact or the games do not vary."""
        figures = self.figures
        return figures.interval if isinstance(figures, Simulation) else None

    def to_json(self) -> dict[str, Any]:
        figures, spec = self.figures, self.spec
        played: dict[str, Any] = {"codes": sum(self.distribution)}
        if spec.games:
            interval = self.interval
            played = {"games": sum(self.distribution), "seed": spec.seed, "interval": interval and list(interval)}
        random_fields: dict[str, Any] = {"seed": spec.seed} if self.is_one_seed else {}
        if self.expected is not None:
            random_fields["expected"] = {"mean": float(self.expected), "exact": str(self.expected)}
        return {
            "rules": str(spec.rules),
            "strategy": self.name,
            "first": None if self.first is None else format_code(self.first),
            **played,
            "total": figures.total,
            "mean": figures.mean,
            "max": figures.max,
            "distribution": list(self.distribution),
            **random_fields,
            "seconds": round(self.seconds, 6),
            **({"ms_per_guess": self.ms_per_guess} if spec.games else {}),
            **({"worst": [costly.to_json() for costly in self.worst]} if spec.worst else {}),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two strategies in the same games; ``difference`` is of the guesses of ``worse`` minus those of ``better``."""

    better: StrategyResult
    worse: StrategyResult
    difference: PairedDifference

    def to_json(self) -> dict[str, Any]:
        difference = self.difference
        interval = difference.interval
        return {
            "better": self.better.name,
            "worse": self.worse.name,
            "difference": difference.mean,
            "interval": interval and list(interval),
            "separated": difference.is_separated,
            "games_to_separate": difference.games_to_separate,
        }


def compare_to_best(results: Sequence[StrategyResult]) -> list[Comparison]:
    """Compare the best result with each of the others; there is nothing to compare if every secret was played."""
    if not results[0].spec.games:
        return []
    best = min(results, key=lambda result: result.figures.total)
    others = [result for result in results if result is not best]
    return [Comparison(best, other, PairedDifference.of(other.lengths, best.lengths)) for other in others]


def make_results(
    costs: Sequence[CostEstimate], tallies: Sequence[tuple[Tally, float]], plan: ExecutionPlan
) -> list[StrategyResult]:
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
            worst=_costly_secrets(spec, tally),
            ms_per_guess=_ms_per_guess(tally, seconds, plan.processes(cost)),
        )
        for cost, spec, name, (tally, seconds) in zip(costs, specs, _display_names(specs), tallies, strict=True)
    ]


def _costly_secrets(spec: StrategySpec, tally: Tally) -> tuple[CostlySecret, ...]:
    # equals are in code order, or in that of the simulated games
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


def _display_names(specs: Sequence[StrategySpec]) -> list[str]:
    # the text that the user typed if others have the same name
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
