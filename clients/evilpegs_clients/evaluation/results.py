"""The results of an evaluation: counts of guesses, the figures derived from them, and their JSON document."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_game.codes import Code, format_code
from evilpegs_game.evaluation.exact import Evaluation
from evilpegs_game.evaluation.paired import PairedDifference
from evilpegs_game.evaluation.simulation import Simulation


@dataclass(frozen=True, slots=True)
class CostlySecret:
    """A secret that took many guesses; a duel with the secret and ``seed`` plays its game again."""

    guesses: int
    secret: Code
    seed: int


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """The result of one strategy, under the name it is shown by, and the seconds that this run took.

    ``distribution[i]`` codes, or games, were solved at guess i + 1. ``first`` is None if the first guess differs
    between games. ``expected`` is the exact expected number of guesses of a random strategy, None if it is not known.
    ``is_one_seed`` means that a random strategy played every secret, so the distribution is that of one seed only.
    ``lengths`` has the number of guesses of each game, one byte per game. ``worst`` are the most costly secrets, if
    they were asked for. ``ms_per_guess`` is the time per guess of one process, None if it was not measured.
    """

    spec: StrategySpec
    name: str
    first: Code | None
    distribution: tuple[int, ...]
    seconds: float
    expected: Fraction | None = None
    is_one_seed: bool = False
    lengths: bytes = b""
    worst: tuple[CostlySecret, ...] = ()
    ms_per_guess: float | None = None

    @property
    def figures(self) -> Evaluation | Simulation:
        """Total, mean and maximum of the guesses."""
        if self.spec.games:
            return Simulation(self.spec.rules, self.distribution)
        return Evaluation(self.spec.rules, self.distribution, self.first or ())

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean of games; None after one game or if every secret was played."""
        figures = self.figures
        return figures.interval if isinstance(figures, Simulation) else None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two strategies that played the same games: ``worse`` took ``difference`` more guesses than ``better``."""

    better: StrategyResult
    worse: StrategyResult
    difference: PairedDifference


def compare_results(results: Sequence[StrategyResult]) -> list[Comparison]:
    """Return a comparison of the strategy with the lowest mean with each other, in the given order.

    There is none if every secret was played, because the means are then exact.
    """
    if not results[0].spec.games:
        return []
    best = min(results, key=lambda result: result.figures.total)
    others = [result for result in results if result is not best]
    return [Comparison(best, other, PairedDifference.of(other.lengths, best.lengths)) for other in others]


def comparison_document(comparison: Comparison) -> dict[str, Any]:
    """Return a comparison as a JSON object of `evilpegs evaluate --games --json`."""
    difference = comparison.difference
    interval = difference.interval
    return {
        "better": comparison.better.name,
        "worse": comparison.worse.name,
        "difference": difference.mean,
        "interval": interval and list(interval),
        "separated": difference.is_separated,
        "games_to_separate": difference.games_to_separate,
    }


def result_document(result: StrategyResult) -> dict[str, Any]:
    """Return the result as the JSON object of `evilpegs evaluate --json`."""
    figures, spec = result.figures, result.spec
    played = _games_fields(result) if spec.games else {"codes": sum(result.distribution)}
    random_fields: dict[str, Any] = {"seed": spec.seed} if result.is_one_seed else {}
    if result.expected is not None:
        random_fields["expected"] = {"mean": float(result.expected), "exact": str(result.expected)}
    return {
        "rules": str(spec.rules),
        "strategy": result.name,
        "first": None if result.first is None else format_code(result.first),
        **played,
        "total": figures.total,
        "mean": figures.mean,
        "max": figures.max,
        "distribution": list(result.distribution),
        **random_fields,
        "seconds": round(result.seconds, 6),
        **({"ms_per_guess": result.ms_per_guess} if spec.games else {}),
        **({"worst": [_worst_document(costly) for costly in result.worst]} if spec.worst else {}),
    }


def _worst_document(costly: CostlySecret) -> dict[str, Any]:
    return {"secret": format_code(costly.secret), "guesses": costly.guesses, "seed": costly.seed}


def _games_fields(result: StrategyResult) -> dict[str, Any]:
    interval = result.interval
    return {"games": sum(result.distribution), "seed": result.spec.seed, "interval": interval and list(interval)}
