"""What an evaluation found."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from evilpegs_clients.evaluation.spec import Subject
from evilpegs_game.codes import Code, format_code
from evilpegs_game.evaluation.exact import Evaluation
from evilpegs_game.evaluation.simulation import Simulation


@dataclass(frozen=True, slots=True)
class Result:
    """The distribution of a subject, under the name it is shown by, and the seconds this run took for it.

    ``first`` is None where each game begins as its chance says. ``expected`` is the exact expectation over all chance,
    where there is any and it is known. ``is_chance`` says that the distribution is that of one seed only.
    """

    subject: Subject
    name: str
    first: Code | None
    distribution: tuple[int, ...]
    seconds: float
    expected: Fraction | None = None
    is_chance: bool = False

    @property
    def figures(self) -> Evaluation | Simulation:
        """Total, mean and maximum."""
        if self.subject.games:
            return Simulation(self.subject.rules, self.distribution)
        return Evaluation(self.subject.rules, self.distribution, self.first or ())

    @property
    def interval(self) -> tuple[float, float] | None:
        """Where the mean over all games is with 95 % confidence; None where every secret was played, or one game."""
        figures = self.figures
        return figures.interval if isinstance(figures, Simulation) else None


def document(result: Result) -> dict[str, Any]:
    """As one JSON object: of every secret, or of simulated games."""
    figures, subject = result.figures, result.subject
    played = _games(result) if subject.games else {"codes": sum(result.distribution)}
    chance: dict[str, Any] = {"seed": subject.seed} if result.is_chance else {}
    if result.expected is not None:
        chance["expected"] = {"mean": float(result.expected), "exact": str(result.expected)}
    return {
        "rules": str(subject.rules),
        "strategy": result.name,
        "first": None if result.first is None else format_code(result.first),
        **played,
        "total": figures.total,
        "mean": figures.mean,
        "max": figures.max,
        "distribution": list(result.distribution),
        **chance,
        "seconds": round(result.seconds, 6),
    }


def _games(result: Result) -> dict[str, Any]:
    interval = result.interval
    return {"games": sum(result.distribution), "seed": result.subject.seed, "interval": interval and list(interval)}
