"""What an evaluation found, as a chart."""

from collections.abc import Sequence
from pathlib import Path

from evilpegs.output import counted
from evilpegs.plots import bar_chart
from evilpegs_clients.evaluation.results import Result


def plot_histogram(path: Path, results: Sequence[Result]) -> None:
    """Write how many secrets, or games, each strategy solved at each number of guesses, to a .png or .svg file.

    Raises:
        CommandError: as `bar_chart`.
    """
    played = "games" if results[0].subject.games else "secrets"
    most = max(len(result.distribution) for result in results)
    series = {f"{result.name}, mean {result.figures.mean:.4f}": result.distribution for result in results}
    bar_chart(path, _title(results), [str(guesses) for guesses in range(1, most + 1)], series, "guesses", played)


def _title(results: Sequence[Result]) -> str:
    subject, many = results[0].subject, sum(results[0].distribution)
    what = counted(many, "game") if subject.games else f"{many:,} secrets"
    if len(results) > 1:
        return f"{subject.rules}, {what}"
    return f"{results[0].name} on {subject.rules}: {what}, mean {results[0].figures.mean:.4f}"
