"""Bounds on the number of guesses that a ladder needs, from counting and from the best known results.

A guess has at most f different feedbacks, one of which ends the game, so t guesses lead to at most (f - 1)^t situations
in which the game goes on. Any strategy therefore finds at most (f - 1)^(t - 1) secrets with its t-th guess. The same
count bounds the worst case against an evil codemaker or a devil: of n candidates, the largest part of a guess has at
least (n - 1) / (f - 1).
"""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

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


KnownResults = Mapping[tuple[str, str], KnownResult]
"""The best known result by rules and objective, ``mean`` or ``worst``."""


def load_known_results(path: Path = RESULTS_FILE) -> KnownResults:
    rows: list[dict[str, Any]] = tomllib.loads(path.read_text())["results"]
    return {
        (row["rules"], row["objective"]): KnownResult(
            row["guesses"] if "guesses" in row else row["total"] / Rules.parse(row["rules"]).size,
            row["proved"],
            row["source"],
        )
        for row in rows
    }


def ladder_bounds(ladder: Ladder, results: KnownResults) -> Bounds:
    # the mean only for a fixed codemaker, whose secrets are random; a proved worst case is a lower bound only for a
    # fixed codemaker and a devil that is exact from the first guess, because others do not always give the worst reply
    rules = str(ladder.rules)
    forced = ladder.codemaker == "fixed" or (ladder.exact_up_to or 0) >= ladder.rules.size
    worst = _bound(float(least_worst(ladder.rules)), results.get((rules, "worst")), is_least=forced)
    if ladder.codemaker != "fixed":
        return Bounds(mean=None, worst=worst)
    return Bounds(mean=_bound(least_mean(ladder.rules), results.get((rules, "mean")), is_least=True), worst=worst)


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


def feedback_count(rules: Rules) -> int:
    # one white with all other pegs black is impossible; without repeats, guess and secret share 2 * pegs - colors
    # colors or more
    pegs = rules.pegs
    fewest = 0 if rules.repeats else max(0, 2 * pegs - rules.colors)
    return sum(
        1
        for black in range(pegs + 1)
        for white in range(pegs + 1 - black)
        if black + white >= fewest and (black, white) != (pegs - 1, 1)
    )


def _found_at_most(rules: Rules) -> Iterator[int]:
    left, most, others = rules.size, 1, feedback_count(rules) - 1
    while left > 0:
        count = min(left, most)
        yield count
        left -= count
        most *= others


def least_worst(rules: Rules) -> int:
    """Return a lower bound on the guesses of any strategy in the worst case, by counting feedbacks."""
    return sum(1 for _ in _found_at_most(rules))


def least_mean(rules: Rules) -> float:
    """Return a lower bound on the mean guesses of any strategy over all secrets, by counting feedbacks."""
    return sum(turn * count for turn, count in enumerate(_found_at_most(rules), 1)) / rules.size
