"""Draw docs/scoring.svg and print the widths of intervals that docs/scoring.md states.

The scores and the luck of minimax and entropy on classic are exact: every secret is played once. Games are then drawn
with a seed. Needs the extra `plot`. Run: PYTHONPATH=tests python bench/scoring_figures.py
"""

from bisect import bisect_left
from functools import partial
from pathlib import Path

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from evilpegs_game.luck.game_luck import load_value_curve, to_millionths
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.confidence_sequences import betting_intervals
from evilpegs_server.leaderboard.intervals import ADJUSTED_FROM, adjusted_interval, version_level
from evilpegs_server.leaderboard.tally import VersionTally
from support.all_games import scores

CHART = Path(__file__).parents[1] / "docs" / "scoring.svg"
RULES, LIMIT = Rules(4, 6), 10
SEED = 2
COLORS = {"minimax": "#0072b2", "entropy": "#d55e00"}
LOOKS = np.unique(np.geomspace(20, 5_000, 60).astype(int)).tolist()
TITLES = ("raw mean", "luck-adjusted mean")
TABLE = (100, 200, 500, 1_000, 2_000)
NAMES = 20
"""The number of names on the ladder of the table."""

Interval = tuple[float, float]
Games = tuple[NDArray[np.int64], NDArray[np.int64]]
"""The scores of games, and their luck-adjusted scores in millionths of a guess."""


def exact_games(strategy: str) -> Games:
    """Return the games of a strategy against every secret."""
    curve = load_value_curve(RULES, LIMIT)
    assert curve is not None
    raw, luck = scores(strategy, curve, LIMIT)
    return raw.astype(np.int64), np.array([to_millionths(score) for score in (raw - luck).tolist()])


def raw_interval(counts: dict[int, int], level: float) -> Interval:
    row = [counts.get(score, 0) for score in range(1, LIMIT + 2)]
    ((low, high),) = betting_intervals([row], 1, LIMIT + 1, level).tolist()
    return low, high


def luck_adjusted_interval(games: int, total: int, squares: int, level: float) -> Interval:
    return adjusted_interval(VersionTally("", luck_games=games, luck_total=total, luck_squares=squares), LIMIT, level)


def typical_intervals(played: Games, games: int, level: float) -> tuple[Interval, Interval]:
    """Return the raw and the luck-adjusted interval if every secret occurred equally often."""
    raw, adjusted = played
    values, frequencies = np.unique(raw, return_counts=True)
    shares = np.diff(np.round(np.cumsum(frequencies) * games / RULES.size), prepend=0).astype(int)
    counts = dict(zip(values.tolist(), shares.tolist(), strict=True))
    total, squares = (round(games * sum(value**power for value in adjusted.tolist()) / RULES.size) for power in (1, 2))
    return raw_interval(counts, level), luck_adjusted_interval(games, total, squares, level)


def print_table(name: str, played: Games) -> None:
    """Print half the width of the shown and of the compared intervals for some numbers of games."""
    print(f"{name}: mean {played[0].mean():.4f}, deviation {played[0].std():.3f}, adjusted {played[1].std() / 1e6:.3f}")
    print(f"{'games':>7}{'raw':>8}{'adjusted':>10}   at the level of {NAMES} names:{'raw':>8}{'adjusted':>10}")
    for games in TABLE:
        widths = [
            (high - low) / 2
            for level in (version_level(1), version_level(1) / NAMES)
            for low, high in typical_intervals(played, games, level)
        ]
        print("{:>7,}{:>8.3f}{:>10.3f}{:>36.3f}{:>10.3f}".format(games, *widths))


def separating_games(games: dict[str, Games]) -> list[int]:
    """Return from how many games on minimax and entropy are ranked apart, by raw and by luck-adjusted means.

    Every secret occurs equally often, and the ladder has `NAMES` names.
    """
    return [bisect_left(range(10_000), True, ADJUSTED_FROM, key=partial(is_apart, games, kind)) for kind in (0, 1)]


def is_apart(games: dict[str, Games], kind: int, count: int) -> bool:
    """Return True if the compared intervals of entropy and minimax are disjoint after ``count`` games of each."""
    level = version_level(1) / NAMES
    (_, high), (low, _) = (typical_intervals(games[name], count, level)[kind] for name in ("entropy", "minimax"))
    return high < low


def intervals_over_time(played: Games, rng: np.random.Generator) -> list[tuple[Interval, Interval | None]]:
    """Return the raw and the luck-adjusted interval at each of `LOOKS`; the latter is None for too few games."""
    drawn = rng.integers(RULES.size, size=LOOKS[-1])
    raw, adjusted = (each[drawn].tolist() for each in played)
    level = version_level(1)
    rows: list[tuple[Interval, Interval | None]] = []
    for games in LOOKS:
        counts = {score: raw[:games].count(score) for score in set(raw)}
        sums = sum(adjusted[:games]), sum(value**2 for value in adjusted[:games])
        by_luck = luck_adjusted_interval(games, *sums, level) if games >= ADJUSTED_FROM else None
        rows.append((raw_interval(counts, level), by_luck))
    return rows


def draw_intervals(axes: Axes, name: str, mean: float, intervals: list[tuple[int, Interval]]) -> None:
    looks, lows, highs = zip(*((games, low, high) for games, (low, high) in intervals), strict=True)
    axes.fill_between(looks, lows, highs, color=COLORS[name], alpha=0.3, label=name)
    axes.axhline(mean, color=COLORS[name], linestyle="--", linewidth=1)


def draw_chart(path: Path, games: dict[str, Games]) -> None:
    """Write the chart: intervals as games accumulate, and dashed lines at the exact means."""
    rng = np.random.default_rng(SEED)
    rows = {name: intervals_over_time(played, rng) for name, played in games.items()}
    with rc_context({"svg.hashsalt": "evilpegs", "svg.fonttype": "none"}):
        figure = Figure(figsize=(9, 3.8), layout="constrained")
        for index, axes in enumerate(figure.subplots(1, 2, sharey=True)):
            for name, played in games.items():
                shown = [(look, row[index]) for look, row in zip(LOOKS, rows[name], strict=True) if row[index]]
                draw_intervals(axes, name, float(played[0].mean()), shown)
            axes.set(title=TITLES[index], xscale="log", xlabel="games", xlim=(20, 5_000), ylim=(4.0, 5.0))
            axes.set_xticks([20, 100, 500, 1_000, 5_000], ["20", "100", "500", "1,000", "5,000"])
            axes.minorticks_off()
            axes.legend(loc="upper right")
        figure.axes[0].set_ylabel("guesses per game")
        figure.savefig(path, metadata={"Date": None})


def main() -> None:
    games = {name: exact_games(name) for name in COLORS}
    for name, played in games.items():
        print_table(name, played)
    raw, adjusted = separating_games(games)
    print(f"minimax and entropy are ranked apart from {raw:,} games on by raw means, {adjusted:,} by adjusted ones")
    draw_chart(CHART, games)
    print(f"wrote {CHART}, {CHART.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
