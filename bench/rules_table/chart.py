"""docs/table.svg: how many guesses more than the best strategy each heuristic needs on average."""

from matplotlib import rc_context
from matplotlib.figure import Figure

from bench.rules_table.heuristics import HEURISTICS

COLORS = ("#0072b2", "#56b4e9", "#e69f00", "#d55e00", "#009e73")
MARKERS = ("o", "s", "^", "v", "D")


def excess(rows, name, repeats):
    """Return the codes, and the guesses per code above the least mean, of each rules whose least total is known."""
    known = [row for row in rows if row.rules.repeats == repeats and name in row.figures]
    return [
        (row.rules.codes, (row.figures[name]["total"].upper - row.optimal["total"].upper) / row.rules.codes)
        for row in known
        if row.optimal["total"].is_exact
    ]


def draw_chart(rows, path):
    with rc_context({"svg.hashsalt": "evilpegs", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 3.8), layout="constrained")
        for repeats, axes in zip((True, False), figure.subplots(1, 2, sharey=True), strict=True):
            for name, color, marker in zip(HEURISTICS, COLORS, MARKERS, strict=True):
                points = excess(rows, name, repeats)
                if points:
                    axes.plot(*zip(*points, strict=True), marker, color=color, markersize=3, label=name)
            axes.set(title="with repeats" if repeats else "distinct", xscale="log", xlabel="codes")
            axes.set_xticks([10, 100, 1_000, 5_000], ["10", "100", "1,000", "5,000"])
            axes.minorticks_off()
            axes.grid(visible=True, alpha=0.3)
        figure.axes[0].set_ylabel("mean above the least mean, guesses")
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside right upper")
        figure.savefig(path, metadata={"Date": None})
