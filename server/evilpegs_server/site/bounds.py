"""Bounds on the number of guesses that a ladder needs, from counting and from the best known results.

Counting the feedbacks of a guess bounds how many secrets any strategy finds with its t-th guess; `small_sets` says how.
The same count bounds the worst case against an evil codemaker or a devil: if a guess has f different feedbacks, its
largest part of n candidates has at least (n - 1) / (f - 1).
"""

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from evilpegs_game.codemakers.small_sets import least_possible_total, max_codes_within
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import Ladder
from evilpegs_server.site.models import Bound, Bounds, LadderDocument, LadderList

RESULTS_FILE: Final = Path(__file__).with_name("known_results.toml")
COUNTING: Final = "counting the feedbacks of a guess"


@dataclass(frozen=True, slots=True)
class KnownResult:
    """A number of guesses that some strategy reaches; ``proved`` if none needs fewer."""

    guesses: float
    proved: bool
    source: str
    """After the date of the publication or of the proof."""


KnownResults = Mapping[tuple[str, str], KnownResult]
"""The best known result by rules and objective, ``mean`` or ``worst``."""


def load_known_results(path: Path = RESULTS_FILE) -> KnownResults:
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text())["results"]
    return {
        (row["rules"], row["objective"]): KnownResult(
            row["guesses"] if "guesses" in row else row["total"] / Rules.parse(row["rules"]).size,
            row["proved"],
            f"{row['date']}: {row['source']}",
        )
        for row in rows
    }


def ladder_bounds(ladder: Ladder, results: KnownResults) -> Bounds:
    # the mean only for a fixed codemaker, whose secrets are random; a proved worst case is a lower bound only for a
    # fixed codemaker and a devil that is exact from the first guess, because others do not always give the worst reply
    rules = ladder.rules
    forced = ladder.codemaker == "fixed" or (ladder.exact_up_to or 0) >= rules.size
    least_worst = float(len(max_codes_within(rules)) - 1)
    worst = _bound(least_worst, results.get((str(rules), "worst")), is_least=forced)
    if ladder.codemaker != "fixed":
        return Bounds(mean=None, worst=worst)
    least_mean = least_possible_total(rules.size, rules) / rules.size
    return Bounds(mean=_bound(least_mean, results.get((str(rules), "mean")), is_least=True), worst=worst)


def ladder_list(ladders: Mapping[str, Ladder], offered: Collection[str]) -> LadderList:
    results = load_known_results()
    return LadderList(
        ladders=tuple(
            LadderDocument(
                **dict(ladder.info()),
                codes=ladder.rules.size,
                offered=ladder.id in offered,
                bounds=ladder_bounds(ladder, results),
            )
            for ladder in ladders.values()
        )
    )


def _bound(counted: float, known: KnownResult | None, *, is_least: bool) -> Bound:
    if known is None:
        return Bound(at_least=counted, at_most=None, source=COUNTING)
    least = known.guesses if known.proved and is_least else counted
    return Bound(at_least=least, at_most=known.guesses, source=known.source)
