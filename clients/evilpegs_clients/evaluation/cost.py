"""The cost of an evaluation: its memory and units of work, and its time, measured with a strategy's first choices."""

import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean
from typing import Final

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.strategy import draw_secret, game_seed, seeded_choice
from evilpegs_game.counting.part_counts import DEFAULT_BYTES as COUNT_BYTES
from evilpegs_game.counting.problem import MAX_COUNT
from evilpegs_game.errors import check_bound
from evilpegs_game.evaluation.heuristic import heuristic_bytes
from evilpegs_game.feedback import all_black, feedback
from evilpegs_game.live.live_sets import DEFAULT_BYTES, ENUMERATED_CODES, LiveSets
from evilpegs_game.live.position import Position

SMALL_SIZE: Final = 50_000  # secrets played in one piece: they take seconds, and starting processes would not pay
SMALL_SIZE_OF_FILE: Final = 1_000  # a strategy file is assumed to be slow
SMALL_GAMES, SMALL_GAMES_OF_FILE = 2_000, 200  # likewise, in place of secrets
TARGET_UNITS: Final = 256  # enough units to keep many workers evenly busy
MIN_UNIT_SIZE, MIN_UNIT_SIZE_OF_FILE = 500, 16  # sending fewer candidates would cost more than playing them
MAX_UNIT_GAMES: Final = 1_000
CACHED_TURNS: Final = 16  # turns per game that are assumed to leave a live set in the cache
PROGRAM_BYTES: Final = 160_000_000  # measured before any work: interpreter, libraries and compiled kernels
TABLES_BYTES: Final = 32 << 20  # an upper bound of the memory for choosing one guess, besides the codes

FIRST_CHOICES: Final = 10  # the most choices that are timed, all of one game
ENOUGH_SECONDS: Final = 1.0  # no further choice is timed after this time in all
NOTICE_SECONDS: Final = 10.0  # longer evaluations are announced
CODES_PER_TURN: Final = 10  # assumed factor by which a turn reduces candidates; the best take 4.4 guesses on 4x6

Now = Callable[[], float]  # in seconds


@dataclass(frozen=True, slots=True)
class CostEstimate:
    spec: StrategySpec
    memory: int  # bytes per process, without the program
    unit_size: int  # candidates, or games
    work: str  # for people
    is_small: bool  # best done in one piece in this process


def estimate_cost(spec: StrategySpec, threads: int = 1) -> CostEstimate:
    """Estimate the cost in processes of ``threads`` threads; raises TooLargeError."""
    is_file = spec.strategy.endswith(".py")
    return _games_cost(spec, is_file) if spec.games else _exact_cost(spec, is_file, threads)


def check_memory(cost: CostEstimate, processes: int) -> None:
    """Raise TooLargeError if an evaluation needs more memory than this machine has."""
    # if there are several, this process starts them and needs memory of its own
    started = processes if processes > 1 else 0
    needed = processes * cost.memory + (1 + started) * PROGRAM_BYTES
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    message = f"it takes {needed:,} bytes in all processes together; this machine has {installed:,}; take fewer --jobs"
    check_bound(needed, installed, message)


def _exact_cost(spec: StrategySpec, is_file: bool, threads: int) -> CostEstimate:
    rules, strategy = spec.rules, spec.load()
    codes = LiveSets.bytes_needed(rules)
    needs_codes = isinstance(strategy, CriterionStrategy | Optimal)
    remedy = ", or evaluate sampled with --games 100" if needs_codes else ", or play some games with --games 100"
    can_draw = rules.size <= MAX_COUNT
    what = f"all codes of {rules} take {codes:,} bytes; the limit is {DEFAULT_BYTES:,}"
    check_bound(codes, DEFAULT_BYTES, f"{what}; take smaller rules{remedy if can_draw else ''}")
    memory, work = (4 * rules.pegs + 16) * rules.size + TABLES_BYTES, f"at least {rules.size:,} choices"
    if isinstance(strategy, CriterionStrategy):
        memory = max(memory, heuristic_bytes(rules, threads))
        work = f"up to {rules.size**2:,} feedback evaluations a turn"
    least = MIN_UNIT_SIZE_OF_FILE if is_file else MIN_UNIT_SIZE
    small = SMALL_SIZE_OF_FILE if is_file else SMALL_SIZE
    return CostEstimate(spec, memory, max(least, rules.size // TARGET_UNITS), work, rules.size <= small)


def _games_cost(spec: StrategySpec, is_file: bool) -> CostEstimate:
    codes = LiveSets.bytes_needed(spec.rules)
    is_counted = spec.rules.size > ENUMERATED_CODES
    cached = DEFAULT_BYTES + DEFAULT_BYTES // 8
    memory = cached + COUNT_BYTES if is_counted else min(cached, CACHED_TURNS * spec.games * codes)
    small = SMALL_GAMES_OF_FILE if is_file else SMALL_GAMES
    unit_size = min(MAX_UNIT_GAMES, -(-spec.games // TARGET_UNITS))
    is_small = spec.games <= small and not is_counted
    return CostEstimate(spec, memory, unit_size, f"{spec.games:,} games", is_small)


@dataclass(frozen=True, slots=True)
class TimeEstimate:
    seconds_per_choice: float
    choices: int
    processes: int = 1

    @property
    def seconds(self) -> float:
        return self.seconds_per_choice * self.choices / self.processes

    def __str__(self) -> str:
        choices = f"{self.seconds_per_choice:.2g} s per choice, about {self.choices:,} choices"
        return f"{choices}; this takes about {duration_text(self.seconds)}"


def estimate_time(spec: StrategySpec, processes: int, now: Now) -> TimeEstimate | None:
    """Time the first choices of one game; None if compiled code makes no single choices, or none could be timed."""
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
    if not typical:
        return None
    turns = 1 + math.log(spec.rules.size, CODES_PER_TURN)
    choices = round(spec.games * turns) if spec.games else spec.rules.size
    return TimeEstimate(fmean(typical), choices, processes)


def duration_text(seconds: float) -> str:
    for length, unit in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"
