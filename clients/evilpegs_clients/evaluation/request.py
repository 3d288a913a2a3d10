"""From what a person asks for to what is evaluated, and from what was found to results."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from evilpegs_clients.evaluation.cost import Cost
from evilpegs_clients.evaluation.results import Result
from evilpegs_clients.evaluation.run import Sums
from evilpegs_clients.evaluation.spec import Subject, source_of
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.errors import OverBudgetError
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.rules import Rules

CHEAP, CHEAP_BESIDE_GAMES = 1_000, 1_296
"""Codes of rules whose exact expectation takes a moment; or seconds, where a mean of games waits for it."""
EXPECTATION_BUDGET: Final = 20_000_000
"""Feedbacks looked at for it, at most."""


def subjects_of(
    strategies: Sequence[str], rules: Rules, first: str | None, candidates_only: bool, games: int, seed: int
) -> list[Subject]:
    """Each strategy once, in the order given, loaded.

    Raises:
        GameError: a strategy cannot be loaded, or ``first`` is no code of the rules.
    """
    subjects = [
        Subject(strategy, source_of(strategy), rules, first, candidates_only, games, seed)
        for strategy in dict.fromkeys(strategies)
    ]
    for subject in subjects:
        subject.check()
    return subjects


def results_of(costs: Sequence[Cost], found: Sequence[tuple[Sums, float]]) -> list[Result]:
    """What was found, under names that tell the strategies apart."""
    subjects = [cost.subject for cost in costs]
    return [
        Result(
            subject,
            name,
            sums.first if subject.first is None else subject.opening,
            sums.distribution,
            seconds,
            expectation(subject),
            is_chance=not subject.games and subject.strategy in STRATEGIES and subject.load().uses_rng,
        )
        for subject, name, (sums, seconds) in zip(subjects, names(subjects), found, strict=True)
    ]


def names(subjects: Sequence[Subject]) -> list[str]:
    """What each strategy calls itself; as it was typed where two files have one name."""
    own = [subject.load().name for subject in subjects]
    times = Counter(own)
    return [name if times[name] == 1 else subject.strategy for subject, name in zip(subjects, own, strict=True)]


def expectation(subject: Subject, budget: int = EXPECTATION_BUDGET) -> Fraction | None:
    """Return the exact expected number of guesses; None where no way is known to compute it within ``budget``."""
    most = CHEAP_BESIDE_GAMES if subject.games else CHEAP
    if subject.rules.size > most or subject.first is not None or not isinstance(subject.load(), RandomConsistent):
        return None
    try:
        return expected_guesses(subject.rules, budget)
    except OverBudgetError:
        return None
