"""Figures that a bench measures, each with the value that is wanted, and the table of them."""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

SHORT = "short"
"""The mark of a figure that falls short of the wanted value."""


@dataclass(frozen=True)
class Figure:
    """A measured value and the value that is wanted: ``value`` should be at most or at least ``wanted``."""

    name: str
    value: float
    unit: str
    wanted: float
    comparison: Literal["at most", "at least"] = "at most"

    @property
    def is_measured(self) -> bool:
        """Return True if the value is a number."""
        return math.isfinite(self.value)

    @property
    def is_short(self) -> bool:
        """Return True if the value falls short of what is wanted, or is not a number."""
        return not (self.value <= self.wanted if self.comparison == "at most" else self.value >= self.wanted)

    def cells(self) -> tuple[str, str, str, str]:
        """Return the row of the figure in a table: name, measured, wanted, mark."""
        wanted = f"{self.comparison} {number(self.wanted)} {self.unit}".rstrip()
        return self.name, f"{number(self.value)} {self.unit}".rstrip(), wanted, SHORT if self.is_short else ""


def number(value: float) -> str:
    """Return a number with three digits that count, or all digits before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(figures: Iterable[Figure]) -> str:
    """Return the table of figures, one per line, with a mark at each that falls short."""
    rows = [("figure", "measured", "wanted", ""), *(figure.cells() for figure in figures)]
    name, measured, wanted, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    return "\n".join(f"{a:<{name}}  {b:>{measured}}  {c:<{wanted}}  {d}".rstrip() for a, b, c, d in rows)


def write_figures(path: Path, figures: Sequence[Figure]) -> None:
    """Write figures as JSON to a file."""
    path.write_text(json.dumps([asdict(figure) for figure in figures]))


def read_figures(path: Path) -> list[Figure]:
    """Return the figures in a file that `write_figures` wrote."""
    return [Figure(**fields) for fields in json.loads(path.read_text())]
