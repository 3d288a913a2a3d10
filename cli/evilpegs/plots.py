"""Charts as files: bars of one or several named series, as PNG or SVG."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from evilpegs.errors import CommandError
from evilpegs.files import write_obstacle
from evilpegs.output import pluralize
from evilpegs_game.errors import quoted
from evilpegs_game.evaluation.exact import GuessCounts
from evilpegs_protocol.suggestions import install_hint

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES: Final = (".png", ".svg")
# colors that color-blind people can distinguish: M. Okabe and K. Ito, Color Universal Design (2002)
COLORS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#555555")
HEIGHT: Final = 5.0  # inches
MIN_WIDTH, MAX_WIDTH = 7.0, 18.0  # inches
MAX_LABELED_BARS: Final = 32  # with more, there is no space for a number above each
BAR_SHARE: Final = 0.8  # of a label's width


def check_plot(path: Path) -> None:
    """Raise CommandError if no chart can be written; call this before the work whose result the chart shows."""
    if path.suffix.lower() not in SUFFIXES:
        raise CommandError(
            f"a plot is a .png or a .svg file, not {quoted(path.name)}; choose a name that ends in .png or .svg"
        )
    if not path.parent.is_dir():
        raise CommandError(f"there is no directory {path.parent} for the plot; make it or name another file")
    if (why := write_obstacle(path)) is not None:
        raise CommandError(f"cannot write {path}: {why}; choose another file")
    if find_spec("matplotlib") is None:
        raise CommandError(f"a plot needs matplotlib, which is not installed; {install_hint('plot')}")


def bar_chart(
    path: Path, title: str, labels: Sequence[str], series: Mapping[str, Sequence[float]], x_label: str, y_label: str
) -> None:
    """Write a .png or .svg with a bar per series over each label; a series may end before the last label."""
    check_plot(path)
    from matplotlib import rc_context  # noqa: PLC0415 - of the extra `plot`
    from matplotlib.figure import Figure  # noqa: PLC0415 - of the extra `plot`

    kind = path.suffix.lower().removeprefix(".")
    # with a fixed salt here and no date below, equal charts give equal files
    metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
    width = min(MAX_WIDTH, max(MIN_WIDTH, 0.22 * len(labels) * (1 + len(series))))
    with rc_context({"svg.hashsalt": "evilpegs", "svg.fonttype": "none", "axes.unicode_minus": False}):
        figure = Figure(figsize=(width, HEIGHT), dpi=120, layout="constrained")
        axes = figure.subplots()
        _draw(axes, labels, series)
        axes.set_title(title, loc="left", fontweight="bold")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.yaxis.grid(visible=True, color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(length=0)
        try:
            figure.savefig(path, format=kind, metadata=metadata)
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error


def plot_counts(path: Path, named: Sequence[tuple[str, GuessCounts]], are_games: bool) -> None:
    (name, first), one = named[0], "game" if are_games else "secret"
    played = pluralize(first.count, one)
    title = f"{first.rules}, {played}"
    if len(named) == 1:
        title = f"{name} on {first.rules}: {played}, mean {first.mean:.4f}"
    series = {f"{name}, mean {counts.mean:.4f}": counts.distribution for name, counts in named}
    labels = [str(guesses) for guesses in range(1, max(map(len, series.values())) + 1)]
    bar_chart(path, title, labels, series, "guesses", f"{one}s")


def _draw(axes: "Axes", labels: Sequence[str], series: Mapping[str, Sequence[float]]) -> None:
    width = BAR_SHARE / len(series)
    for index, (name, values) in enumerate(series.items()):
        left = [x - BAR_SHARE / 2 + index * width for x in range(len(values))]
        bars = axes.bar(left, values, width, align="edge", label=name, color=COLORS[index % len(COLORS)])
        if len(labels) * len(series) <= MAX_LABELED_BARS:
            numbers = [f"{value:,g}" if value < 1e6 else f"{value:.2e}" for value in values]
            axes.bar_label(bars, numbers, padding=2, fontsize=8 if len(series) == 1 else 6)
    axes.set_xticks(range(len(labels)), labels, rotation=90 if len(labels) > MAX_LABELED_BARS else 0)
    axes.set_xlim(-0.6, len(labels) - 0.4)
    axes.margins(y=0.08)
    if len(series) > 1:
        axes.legend(frameon=False)
