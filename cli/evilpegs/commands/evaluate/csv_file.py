"""What an evaluation found, for spreadsheets: a line a strategy, a column for each number of guesses."""

import csv
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from evilpegs.errors import CommandError
from evilpegs.files import check_name, check_writable
from evilpegs_clients.evaluation.results import EvaluationResult, result_document

STANDARD_OUTPUT: Final = "-"
EXACT: Final = ("rules", "strategy", "first", "codes", "total", "mean", "max", "seconds")
SIMULATED: Final = ("rules", "strategy", "first", "games", "seed", "total", "mean", "low", "high", "max", "seconds")


def check_csv(target: str) -> None:
    """Say before the work what would keep the file from being written after it; raises CommandError."""
    check_name(target)
    if target == STANDARD_OUTPUT:
        return
    if not Path(target).parent.is_dir():
        message = f"there is no directory {Path(target).parent} for the CSV file; make it or name another file"
        raise CommandError(message)
    check_writable(target)


def write_csv(target: str, results: Sequence[EvaluationResult]) -> None:
    """Write the results of one run; ``-`` is standard output.

    Raises:
        CommandError: the file cannot be written.
    """
    fields = SIMULATED if results[0].spec.games else EXACT
    most = max(len(result.distribution) for result in results)
    with _opened(target) as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*fields, *range(1, most + 1)])
        for result in results:
            values = _values(result)
            writer.writerow([*(values[field] for field in fields), *_padded(result.distribution, most)])


def _values(result: EvaluationResult) -> dict[str, Any]:
    low, high = result.interval or (None, None)
    return result_document(result) | {"low": low, "high": high}


def _padded(distribution: Sequence[int], most: int) -> list[int]:
    return [*distribution, *[0] * (most - len(distribution))]


@contextmanager
def _opened(target: str) -> Iterator[IO[str]]:
    if target == STANDARD_OUTPUT:
        yield sys.stdout
        return
    try:
        with Path(target).open("w", newline="") as file:
            yield file
    except OSError as error:
        message = f"{target} cannot be written: {error.strerror}"
        raise CommandError(message) from error
