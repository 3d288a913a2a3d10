"""A run: a subject's units are played, kept in the journal, and added up."""

from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field

from evilpegs_clients.errors import EvaluationError
from evilpegs_clients.evaluation.checkpoint import Journal
from evilpegs_clients.evaluation.executors import Workforce
from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.evaluation.tasks import Choice, Chosen, Games, Outcome, Part, Unit, after, outcome_of, play
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError
from evilpegs_game.feedback import all_black
from evilpegs_game.history import History

Advance = Callable[[int], None]
"""Told of so many more codes, or games, that are finished."""


@dataclass(slots=True)
class Sums:
    """What is known of a subject so far: its first guess, and how many were solved at each guess, from 1."""

    first: Code | None = None
    solved: Counter[int] = field(default_factory=Counter)

    @property
    def distribution(self) -> tuple[int, ...]:
        """At index i how many were solved at guess i + 1."""
        return tuple(self.solved[turn] for turn in range(1, max(self.solved) + 1))


def run(subject: Subject, prefix: str, workers: Workforce, journal: Journal, largest: int, advance: Advance) -> Sums:
    """Play all of ``subject`` in units of at most ``largest`` candidates or games.

    The journal knows the units by their keys after ``prefix``; what it knows already is not played. The sums do not
    depend on who plays what, and when.

    Raises:
        EvaluationError: a worker was lost, or the journal holds something that cannot be.
    """
    sums = Sums()
    waiting = deque(_games(subject, largest) if subject.games else _part(subject, (), subject.rules.size, largest))
    for unit, outcome in _played(waiting, prefix, workers, journal):
        if isinstance(outcome, Chosen):
            waiting.extend(_split(unit, outcome, sums, largest, advance))
        else:
            turns = len(unit.history) if isinstance(unit, Part) else 0
            sums.solved.update(dict(enumerate(outcome.distribution, turns + 1)))
            advance(unit.size)
    return sums


def _games(subject: Subject, largest: int) -> Iterator[Unit]:
    for start in range(0, subject.games, largest):
        yield Games(subject, start, min(start + largest, subject.games))


def _part(subject: Subject, history: History, size: int, largest: int) -> Iterator[Unit]:
    if size > largest or not history:
        yield Choice(subject, history, size)
    else:
        yield Part(subject, history, size)


def _split(unit: Unit, chosen: Chosen, sums: Sums, largest: int, advance: Advance) -> Iterator[Unit]:
    """The units under a choice, the largest first, so that none is left when all others are done."""
    assert isinstance(unit, Choice)  # noqa: S101 - no other has this outcome
    if not unit.history:
        sums.first = chosen.guess
    end = all_black(unit.subject.rules.pegs)
    for given, size in sorted(chosen.parts.items(), key=lambda part: -part[1]):
        if given == end:
            sums.solved[len(unit.history) + 1] += size
            advance(size)
        elif size == unit.size:  # the guess told nothing: whether the strategy is stuck is found out in one walk
            yield Part(unit.subject, after(unit.history, chosen.guess, given), size)
        else:
            yield from _part(unit.subject, after(unit.history, chosen.guess, given), size, largest)


def _played(waiting: deque[Unit], prefix: str, workers: Workforce, journal: Journal) -> Iterator[tuple[Unit, Outcome]]:
    """Each unit once it is played, or known; whoever receives them may add to those ``waiting``."""
    under_way: dict[Future[Outcome], Unit] = {}
    while waiting or under_way:
        while waiting and len(under_way) < workers.units:
            unit = waiting.popleft()
            if prefix + unit.key in journal.known:
                yield unit, _known(unit, prefix, journal)
            else:
                under_way[_submitted(unit, workers)] = unit
        done, _ = wait(under_way, return_when=FIRST_COMPLETED)
        for future in done:
            unit = under_way.pop(future)
            with _losses_told():
                outcome = _checked(unit, future.result())
            journal.add(prefix + unit.key, outcome.to_json())
            yield unit, outcome


def _submitted(unit: Unit, workers: Workforce) -> Future[Outcome]:
    with _losses_told():
        return workers.executor.submit(play, unit)


@contextmanager
def _losses_told() -> Iterator[None]:
    """Say what became of the workers where they, and not the unit, are to blame."""
    try:
        yield
    except BrokenExecutor as error:
        message = "a worker process was lost, perhaps for want of memory; start again, with fewer --jobs if need be"
        raise EvaluationError(message) from error
    except CancelledError as error:
        message = "the cluster was lost; start again when it is back"
        raise EvaluationError(message) from error
    except Exception as error:
        if type(error).__name__ != "KilledWorker":  # of distributed, which need not be installed
            raise
        message = "the cluster lost too many workers with one unit, perhaps for want of memory; start again"
        raise EvaluationError(message) from error


def _known(unit: Unit, prefix: str, journal: Journal) -> Outcome:
    try:
        outcome = outcome_of(journal.known[prefix + unit.key], unit.subject.rules)
    except (GameError, KeyError, TypeError, ValueError) as error:
        raise _impossible(unit) from error
    return _checked(unit, outcome)


def _checked(unit: Unit, outcome: Outcome) -> Outcome:
    """An outcome of as many codes as the unit has, and of the unit's kind."""
    is_choice = isinstance(unit, Choice)
    numbers = outcome.parts.values() if isinstance(outcome, Chosen) else outcome.distribution
    if is_choice != isinstance(outcome, Chosen) or sum(numbers) != unit.size or min(numbers, default=0) < 0:
        raise _impossible(unit)
    return outcome


def _impossible(unit: Unit) -> EvaluationError:
    message = f"what the journal or a worker says of the unit {unit.key!r} cannot be; delete the journal and begin anew"
    return EvaluationError(message)
