"""What an evaluation will cost, known before any of it is spent: memory, units of work, and where they run."""

import os
from dataclasses import dataclass
from typing import Final

from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.strategies.heuristics import ByCriterion
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.counting.part_counts import DEFAULT_BYTES as COUNT_BYTES
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.heuristic import heuristic_bytes
from evilpegs_game.live.live_sets import DEFAULT_BYTES, ENUMERATED_CODES, LiveSets

SMALL_SIZE: Final = 50_000
"""So many secrets take a second or a few; neither processes nor a journal are worth their while."""
SMALL_SIZE_OF_FILE: Final = 1_000
"""What somebody's file does is not known; it is taken to be slow."""
SMALL_GAMES, SMALL_GAMES_OF_FILE = 2_000, 200
"""The same of simulated games."""
UNITS: Final = 256
"""About so many units at least: enough to keep many workers evenly busy."""
LEAST_SIZE, LEAST_SIZE_OF_FILE = 500, 16
"""A unit of fewer candidates is not worth its way."""
MOST_GAMES: Final = 1_000
"""Of one unit."""
MANY_TURNS: Final = 16
"""Of a game; each leaves a live set in the cache."""
PROGRAM_BYTES: Final = 160_000_000
"""What a process takes before it has done anything, as measured: interpreter, libraries and compiled kernels."""
TABLES_BYTES: Final = 32 << 20
"""What choosing one guess takes besides the codes, generously."""


@dataclass(frozen=True, slots=True)
class Cost:
    """``bytes`` of data in each process; ``largest`` candidates or games a unit; ``work`` in words."""

    subject: Subject
    bytes: int
    largest: int
    work: str
    is_small: bool


def cost_of(subject: Subject, threads: int = 1) -> Cost:
    """What ``subject`` costs.

    Raises:
        TooLargeError: more memory than one process may take.
    """
    is_file = subject.strategy not in STRATEGIES
    return _of_games(subject, is_file) if subject.games else _of_every_secret(subject, is_file, threads)


def check_memory(cost: Cost, processes: int) -> None:
    """Raise TooLargeError if so many processes, and the one that starts them, need more than there is."""
    started = processes if processes > 1 else 0
    needed = processes * cost.bytes + (1 + started) * PROGRAM_BYTES
    there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > there_is:
        message = (
            f"it takes {needed:,} bytes in all processes together; this machine has {there_is:,}; take fewer --jobs"
        )
        raise TooLargeError(message, needed=needed, bound=there_is)


def _of_every_secret(subject: Subject, is_file: bool, threads: int) -> Cost:
    rules, strategy = subject.rules, subject.load()
    codes = LiveSets.bytes_needed(rules)
    if codes > DEFAULT_BYTES:
        message = f"all codes of {rules} take {codes:,} bytes; the bound is {DEFAULT_BYTES:,}; "
        message += "take smaller rules, or play some games with --games"
        raise TooLargeError(message, needed=codes, bound=DEFAULT_BYTES)
    needed, work = (4 * rules.pegs + 16) * rules.size + TABLES_BYTES, f"at least {rules.size:,} choices"
    if isinstance(strategy, ByCriterion):
        needed = max(needed, heuristic_bytes(rules, threads))
        work = f"up to {rules.size**2:,} feedback evaluations a turn"
    least = LEAST_SIZE_OF_FILE if is_file else LEAST_SIZE
    small = SMALL_SIZE_OF_FILE if is_file else SMALL_SIZE
    return Cost(subject, needed, max(least, rules.size // UNITS), work, rules.size <= small)


def _of_games(subject: Subject, is_file: bool) -> Cost:
    codes = LiveSets.bytes_needed(subject.rules)
    is_counted = subject.rules.size > ENUMERATED_CODES
    cached = DEFAULT_BYTES + DEFAULT_BYTES // 8
    needed = cached + COUNT_BYTES if is_counted else min(cached, MANY_TURNS * subject.games * codes)
    small = SMALL_GAMES_OF_FILE if is_file else SMALL_GAMES
    largest = min(MOST_GAMES, -(-subject.games // UNITS))
    return Cost(subject, needed, largest, f"{subject.games:,} games", subject.games <= small and not is_counted)
