"""The files of an evaluation: a CSV file for spreadsheets, and a chart of the histogram."""

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from evilpegs.errors import CommandError
from evilpegs.files import STANDARD, check_name, check_writable
from evilpegs.output import pluralize
from evilpegs.plots import bar_chart
from evilpegs_clients.evaluation.results import StrategyResult

EXACT_FIELDS: Final = ("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds")
SIMULATED_FIELDS: Final = (
    *("rules", "strategy", "first", "games", "seed"),
    *("total", "mean", "low", "high", "max", "seconds"),
)


def check_csv(target: str) -> None:
    """Raise CommandError if no CSV file can be written to ``target``; call this before the evaluation."""
    check_name(target)
    if target == STANDARD:
        return
    if not Path(target).parent.is_dir():
        raise CommandError(
            f"there is no directory {Path(target).parent} for the CSV file; make it or name another file"
        )
    check_writable(target)


def write_csv(target: str, results: Sequence[StrategyResult]) -> None:
    """Write a line per strategy; its last columns count the secrets, or games, solved at each guess."""
    fields = SIMULATED_FIELDS if results[0].spec.games else EXACT_FIELDS
    most = max(len(result.distribution) for result in results)
    with _open_to_write(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*fields, *range(1, most + 1)])
        for result in results:
            low, high = result.interval or (None, None)
            values = result.to_json() | {"low": low, "high": high}
            missing = [0] * (most - len(result.distribution))
            writer.writerow([*(values[field] for field in fields), *result.distribution, *missing])


@contextmanager
def _open_to_write(target: str) -> Iterator[IO[str]]:
    if target == STANDARD:
        yield sys.stdout
        return
    try:
        with Path(target).open("w", newline="") as file:
            yield file
    except OSError as error:
        raise CommandError(f"{target} cannot be written: {error.strerror}") from error


def plot_histogram(path: Path, results: Sequence[StrategyResult]) -> None:
    """Write a chart of the secrets, or games, that each strategy solved at each guess."""
    played = "games" if results[0].spec.games else "secrets"
    most = max(len(result.distribution) for result in results)
    series = {f"{result.name}, mean {result.figures.mean:.4f}": result.distribution for result in results}
    bar_chart(path, _title(results), [str(guesses) for guesses in range(1, most + 1)], series, "guesses", played)


def _title(results: Sequence[StrategyResult]) -> str:
    spec, count = results[0].spec, sum(results[0].distribution)
    played = pluralize(count, "game") if spec.games else f"{count:,} secrets"
    if len(results) > 1:
        return f"{spec.rules}, {played}"
    return f"{results[0].name} on {spec.rules}: {played}, mean {results[0].figures.mean:.4f}"
