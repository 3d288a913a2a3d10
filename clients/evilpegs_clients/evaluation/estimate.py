"""An estimate of the time that an evaluation takes, from the first choices of the strategy."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.seeding import draw_secret, game_seed
from evilpegs_clients.strategies.strategy import seeded_choice
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position

FIRST_CHOICES: Final = 10
"""The most choices that are timed, all of one game."""
ENOUGH_SECONDS: Final = 1.0
"""No further choice is timed after this time in all."""
NOTICE_SECONDS: Final = 10.0
"""Longer evaluations are announced."""
CODES_PER_TURN: Final = 10
"""The assumed factor by which a turn reduces the candidates; good strategies take 4.4 guesses on 4x6."""

Now = Callable[[], float]
"""In seconds."""


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    seconds_per_choice: float
    choices: int
    processes: int = 1

    @property
    def seconds(self) -> float:
        return self.seconds_per_choice * self.choices / self.processes

    @property
    def is_long(self) -> bool:
        """True if the evaluation should be announced."""
        return self.seconds >= NOTICE_SECONDS

    def __str__(self) -> str:
        choices = f"{self.seconds_per_choice:.2g} s per choice, about {self.choices:,} choices"
        return f"{choices}; this takes about {duration_text(self.seconds)}"


def estimate_time(spec: StrategySpec, processes: int, now: Now) -> TimeEstimate | None:
    """Estimate the time of an evaluation by timing the first choices of one game; errors of the strategy are passed on.

    Return None if compiled code evaluates the strategy without single choices, or if no choice could be timed.
    """
    strategy = spec.load()
    if isinstance(strategy, CriterionStrategy) and not spec.games and not spec.worst:
        return None
    seed = game_seed(spec.seed, 0) if spec.games else spec.seed
    choose, secret = seeded_choice(strategy, seed), draw_secret(seed, spec.rules)
    position, guess, times = Position(spec.rules, (), LiveSets()), spec.opening, list[float]()
    while len(times) < FIRST_CHOICES and sum(times) < ENOUGH_SECONDS:
        if guess is None:
            start = now()
            guess = choose(position)
            times.append(now() - start)
        reply = feedback(guess, secret)
        if reply == all_black(spec.rules.pegs):
            break
        position, guess = position.after(guess, reply), None
    # A walk of all secrets chooses mostly late in games, where choices are often cheaper.
    typical = times if spec.games else times[len(times) // 2 :]
    return TimeEstimate(fmean(typical), _choices(spec), processes) if typical else None


def _choices(spec: StrategySpec) -> int:
    if not spec.games:
        return spec.rules.size
    return round(spec.games * (1 + math.log(spec.rules.size, CODES_PER_TURN)))


def duration_text(seconds: float) -> str:
    """Return a duration such as ``40 seconds``, ``12 minutes`` or ``3 hours``."""
    for length, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"
