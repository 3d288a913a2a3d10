"""The command line of one bench: its own options, `--quick`, `--strict` and `--figures`."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.figures import Figure, table, write_figures

ROOT = Path(__file__).parents[1]
"""The folder in which `python -m bench` runs."""
TESTS = ROOT / "tests"
"""The folder of the package `support`, which some benches use."""
STRICT = "exit with status 1 if a figure falls short"
QUICK = "do little work, to see that the measurements run; the figures then say nothing"


class MissingProgramError(Exception):
    """A program that a bench needs is missing."""


@dataclass(frozen=True)
class Option:
    """An option of a bench: its usual value, and its value with `--quick` if that differs.

    The usual value decides the type: False makes a switch, and a list takes several of ``choices``.
    """

    name: str
    usual: Any
    quick: Any = None
    help: str | None = None
    choices: Sequence[str] | None = None

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the option to a parser."""
        if self.usual is False:
            parser.add_argument(f"--{self.name}", action="store_true", help=self.help)
        elif isinstance(self.usual, list):
            parser.add_argument(f"--{self.name}", nargs="*", default=self.usual, choices=self.choices, help=self.help)
        else:
            kind = str if self.usual is None else type(self.usual)
            parser.add_argument(f"--{self.name}", type=kind, default=self.usual, help=self.help)


def parse_options(arguments: Sequence[str] | None, description: str, options: Sequence[Option]) -> argparse.Namespace:
    """Return the options of a command line; an option that is given overrides `--quick`."""
    main = sys.modules["__main__"].__spec__
    parser = argparse.ArgumentParser(
        prog=f"python -m {main.name}" if main else None,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option in options:
        option.add_to(parser)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    parser.add_argument("--strict", action="store_true", help=STRICT)
    parser.add_argument("--figures", type=Path, metavar="FILE", help="write the figures to this file, not as a table")
    if parser.parse_args(arguments).quick:
        parser.set_defaults(**{each.name.replace("-", "_"): each.quick for each in options if each.quick is not None})
    return parser.parse_args(arguments)


def run_alone(
    measure: Callable[[argparse.Namespace], Sequence[Figure]], description: str, options: Sequence[Option]
) -> None:
    """Measure according to the command line, print the table of figures, and exit.

    ``measure`` prints details while it measures, and returns the figures for the table.
    """
    given = parse_options(None, description, options)
    try:
        figures = measure(given)
    except MissingProgramError as error:
        sys.exit(f"not measured: {error}")
    if missing := [figure.name for figure in figures if not figure.is_measured]:
        sys.exit(f"not measured: {', '.join(missing)}")
    if given.figures:
        write_figures(given.figures, figures)
    else:
        print(f"\n{table(figures)}")
    sys.exit(1 if given.strict and any(figure.is_short for figure in figures) else 0)
