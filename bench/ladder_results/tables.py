"""The tables of the page: outcomes by strategy, and the best results that are known."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.site.bounds import COUNTING, KnownResults, ladder_bounds
from ladder_results.cells import Outcome, Outcomes, Refusal
from ladder_results.measuring import Interval, Measurement

WIDTH = 120
"""The most characters of a line outside tables."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def fixed_table(ladder: Ladder, outcomes: Outcomes) -> str:
    """Return the results against fixed secrets, the lowest mean first."""
    measured = measurements(ladder, outcomes)
    rows = [
        (f"`{name}`", f"{float(each.mean):.4f}", format_interval(each.interval), str(each.worst), method(ladder, each))
        for name, each in sorted(measured.items(), key=lambda item: float(item[1].mean))
    ]
    return table(("strategy", "mean guesses", "95 % interval", "worst case", "found by"), rows)


def method(ladder: Ladder, measured: Measurement) -> str:
    """Return in words how a result against fixed secrets was found."""
    size = ladder.rules.size
    if not measured.games:
        assert isinstance(measured.mean, Fraction)
        return f"exact: {int(measured.mean * size):,} guesses for all {size:,} secrets"
    games = f"{measured.games:,} games, {'luck-adjusted' if measured.is_adjusted else 'raw'}"
    return f"mean exact; interval and worst case of {games}" if measured.is_exact else games


def adversary_table(practice: Ladder, rated: Ladder, outcomes: Outcomes) -> str:
    """Return the results against an adversary with fixed and with seeded ties, the fewest guesses first."""
    fixed, seeded = measurements(practice, outcomes), measurements(rated, outcomes)
    rows = [
        (f"`{name}`", *row_of(fixed[name], seeded[name], rated.guess_limit))
        for name in sorted(seeded, key=lambda name: float(seeded[name].mean))
    ]
    return table(("strategy", f"`{practice.id}`", f"`{rated.id}`", "its worst", "its games"), rows)


def row_of(fixed: Measurement, seeded: Measurement, limit: int) -> tuple[str, str, str, str]:
    """Return the cells of one strategy: both results, and the worst of the games with seeded ties."""
    worst = str(seeded.worst) if seeded.worst <= limit else "not solved"
    return guesses(fixed, limit), guesses(seeded, limit), worst, f"{seeded.games:,}"


def guesses(measured: Measurement, limit: int) -> str:
    """Return a number of guesses: one that is certain, or a mean with its interval."""
    if measured.interval is not None:
        return f"{float(measured.mean):.2f} ({format_interval(measured.interval, 2)})"
    number = f"{float(measured.mean):g}" if measured.mean <= limit else "not solved"
    return number if measured.is_exact else f"{number} in every game"


def format_interval(interval: Interval | None, digits: int = 4) -> str:
    return "" if interval is None else "{:.{digits}f} to {:.{digits}f}".format(*interval, digits=digits)


def measurements(ladder: Ladder, outcomes: Outcomes) -> dict[str, Measurement]:
    """Return the results of the strategies that can play a ladder."""
    results = {name: outcomes[ladder.id, name] for name in STRATEGIES}
    return {name: result for name, result in results.items() if isinstance(result, Measurement)}


def refusals(ladders: Iterable[Ladder], outcomes: Outcomes) -> list[str]:
    """Return a line per reason why strategies cannot play the rules of the ladders, each reason once."""
    by_reason: dict[str, dict[str, None]] = {}
    for ladder in ladders:
        for name in STRATEGIES:
            outcome: Outcome = outcomes[ladder.id, name]
            if isinstance(outcome, Refusal):
                by_reason.setdefault(outcome.reason, {})[f"`{name}`"] = None
    return [item(f"No result: {', '.join(names)}. Reason: {why}.") for why, names in by_reason.items()]


def bounds_lines(ladder: Ladder, results: KnownResults) -> list[str]:
    """Return the best results known for the rules of a fixed ladder, and the guesses that every strategy needs."""
    bounds = ladder_bounds(ladder, results)
    lines = []
    for what, bound in (("mean", bounds.mean), ("worst case", bounds.worst)):
        if bound is None:
            continue
        least = f"{bound.at_least:.5g}"
        if bound.at_least == bound.at_most:
            lines.append(item(f"Best possible {what}: {least} ({bound.source})."))
            continue
        if bound.at_most is not None:
            lines.append(item(f"Best known {what}: {bound.at_most:.5g} ({bound.source})."))
        lines.append(item(f"No strategy can have a {what} below {least} ({COUNTING})."))
    return lines


def item(text: str) -> str:
    """Return an item of a list, in lines of at most `WIDTH` characters."""
    return textwrap.fill(f"* {text}", WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)


def known_table(rows: Iterable[Mapping[str, object]]) -> str:
    """Return the table of the best results, from the rows of `known_results.toml`."""
    return table(("rules", "best", "mean", "proved", "date", "source"), [known_row(row) for row in rows])


def known_row(row: Mapping[str, object]) -> tuple[str, str, str, str, str, str]:
    ending = "yes" if row["proved"] else "no", str(row["date"]), str(row["source"])
    if "total" not in row:
        return f"`{row['rules']}`", f"worst case {row['guesses']}", "", *ending
    total, size = int(str(row["total"])), Rules.parse(str(row["rules"])).size
    return f"`{row['rules']}`", f"{total:,} guesses in all", f"{total / size:.4f}", *ending
