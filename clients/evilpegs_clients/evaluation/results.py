"""The results of an evaluation: counts of guesses, the figures derived from them, and comparisons."""

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
    """A secret that took many guesses; ``evilpegs duel`` with this secret and ``seed`` plays the same game again."""

    guesses: int
    secret: Code
    seed: int

    def to_json(self) -> dict[str, Any]:
        return {"secret": format_code(self.secret), "guesses": self.guesses, "seed": self.seed}


@dataclass(frozen=True, slots=True)
class StrategyResult:
    """The result of one strategy; ``distribution[i]`` codes, or games, were solved at guess i + 1.

    ``first`` is None if games were simulated in which the strategy chose it. ``expected`` is exact, for a random
    strategy. ``is_one_seed`` marks a random strategy that played every secret: its distribution is that of one seed
    only. ``lengths`` has the guesses of each simulated game, one byte per game. ``ms_per_guess`` is the time of one
    process.
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
        """The counts with their total, mean and maximum."""
        if self.spec.games:
            return Simulation(self.spec.rules, self.distribution)
        return Evaluation(self.spec.rules, self.distribution, self.first or ())

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the mean; None if the mean is exact or the games do not vary."""
        figures = self.figures
        return figures.interval if isinstance(figures, Simulation) else None

    def to_json(self) -> dict[str, Any]:
        """Return the result as the JSON object of `evilpegs evaluate --json`."""
        figures, spec = self.figures, self.spec
        played = self._games_fields() if spec.games else {"codes": sum(self.distribution)}
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

    def _games_fields(self) -> dict[str, Any]:
        interval = self.interval
        return {"games": sum(self.distribution), "seed": self.spec.seed, "interval": interval and list(interval)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two strategies in the same games; ``difference`` is of the guesses of ``worse`` minus those of ``better``."""

    better: StrategyResult
    worse: StrategyResult
    difference: PairedDifference

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as `evilpegs evaluate --games --json` prints it."""
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


def compare_results(results: Sequence[StrategyResult]) -> list[Comparison]:
    """Compare the best result with each of the others; there is nothing to compare if every secret was played."""
    if not results[0].spec.games:
        return []
    best = min(results, key=lambda result: result.figures.total)
    others = [result for result in results if result is not best]
    return [Comparison(best, other, PairedDifference.of(other.lengths, best.lengths)) for other in others]
