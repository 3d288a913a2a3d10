"""What an evaluation found, as a chart."""

from collections.abc import Sequence
from pathlib import Path

from evilpegs.output import pluralize
from evilpegs.plots import bar_chart
from evilpegs_clients.evaluation.results import EvaluationResult


def plot_histogram(path: Path, results: Sequence[EvaluationResult]) -> None:
    """Write how many secrets, or games, each strategy solved at each number of guesses, to a .png or .svg file.

    Raises:
        CommandError: as `bar_chart`.
    """
    played = "games" if results[0].spec.games else "secrets"
    most = max(len(result.distribution) for result in results)
    series = {f"{result.name}, mean {result.figures.mean:.4f}": result.distribution for result in results}
    bar_chart(path, _title(results), [str(guesses) for guesses in range(1, most + 1)], series, "guesses", played)


def _title(results: Sequence[EvaluationResult]) -> str:
    spec, many = results[0].spec, sum(results[0].distribution)
    what = pluralize(many, "game") if spec.games else f"{many:,} secrets"
    if len(results) > 1:
        return f"{spec.rules}, {what}"
    return f"{results[0].name} on {spec.rules}: {what}, mean {results[0].figures.mean:.4f}"
