"""The cost of an evaluation, estimated before any work is done: its memory, its tasks, and its work in words."""

import os
from dataclasses import dataclass
from typing import Final

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.optimal import Optimal
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.counting.part_counts import DEFAULT_BYTES as COUNT_BYTES
from evilpegs_game.counting.problem import check_countable
from evilpegs_game.errors import TooLargeError
from evilpegs_game.evaluation.heuristic import heuristic_bytes
from evilpegs_game.live.live_sets import DEFAULT_BYTES, ENUMERATED_CODES, LiveSets

SMALL_SIZE: Final = 50_000
"""The most secrets that are played in one piece: they take a few seconds, and starting processes would not pay."""
SMALL_SIZE_OF_FILE: Final = 1_000
"""A strategy file is assumed to be slow."""
SMALL_GAMES, SMALL_GAMES_OF_FILE = 2_000, 200
"""The most games simulated in one piece, by a built-in strategy and by a strategy file."""
TARGET_TASKS: Final = 256
"""Enough tasks to keep many workers evenly busy."""
MIN_TASK_SIZE, MIN_TASK_SIZE_OF_FILE = 500, 16
"""Sending fewer candidates would cost more than playing them."""
MAX_TASK_GAMES: Final = 1_000
CACHED_TURNS: Final = 16
"""Turns per game that are assumed to leave a live set in the cache."""
PROGRAM_BYTES: Final = 160_000_000
"""Measured memory of a process before any work: interpreter, libraries and compiled kernels."""
TABLES_BYTES: Final = 32 << 20
"""An upper bound of the memory for choosing one guess, besides the codes."""


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The estimated cost of evaluating one strategy.

    ``memory`` is in bytes per process, without the program. ``task_size`` counts candidates, or games. ``work`` is a
    description for people. If ``is_small``, the work is best done in one piece in this process.
    """

    spec: StrategySpec
    memory: int
    task_size: int
    work: str
    is_small: bool


def estimate_cost(spec: StrategySpec, threads: int = 1) -> CostEstimate:
    """Estimate the cost in processes of ``threads`` threads; raises TooLargeError."""
    is_file = spec.strategy not in STRATEGIES
    return _games_cost(spec, is_file) if spec.games else _exact_cost(spec, is_file, threads)


def check_memory(cost: CostEstimate, processes: int) -> None:
    """Raise TooLargeError if an evaluation needs more memory than this machine has."""
    # several are started by this process, which needs its own memory too
    started = processes if processes > 1 else 0
    needed = processes * cost.memory + (1 + started) * PROGRAM_BYTES
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if needed > installed:
        raise TooLargeError(
            f"it takes {needed:,} bytes in all processes together; this machine has {installed:,}; take fewer --jobs",
            needed=needed,
            bound=installed,
        )


def _exact_cost(spec: StrategySpec, is_file: bool, threads: int) -> CostEstimate:
    rules, strategy = spec.rules, spec.load()
    codes = LiveSets.bytes_needed(rules)
    if codes > DEFAULT_BYTES:
        check_countable(rules)
        needs_codes = isinstance(strategy, CriterionStrategy | Optimal)
        remedy = "evaluate sampled with --games 100" if needs_codes else "play some games with --games 100"
        message = f"all codes of {rules} take {codes:,} bytes; the limit is {DEFAULT_BYTES:,}; take smaller rules, or "
        message += remedy
        raise TooLargeError(message, needed=codes, bound=DEFAULT_BYTES)
    memory, work = (4 * rules.pegs + 16) * rules.size + TABLES_BYTES, f"at least {rules.size:,} choices"
    if isinstance(strategy, CriterionStrategy):
        memory = max(memory, heuristic_bytes(rules, threads))
        work = f"up to {rules.size**2:,} feedback evaluations a turn"
    least = MIN_TASK_SIZE_OF_FILE if is_file else MIN_TASK_SIZE
    small = SMALL_SIZE_OF_FILE if is_file else SMALL_SIZE
    return CostEstimate(spec, memory, max(least, rules.size // TARGET_TASKS), work, rules.size <= small)


def _games_cost(spec: StrategySpec, is_file: bool) -> CostEstimate:
    codes = LiveSets.bytes_needed(spec.rules)
    is_counted = spec.rules.size > ENUMERATED_CODES
    cached = DEFAULT_BYTES + DEFAULT_BYTES // 8
    memory = cached + COUNT_BYTES if is_counted else min(cached, CACHED_TURNS * spec.games * codes)
    small = SMALL_GAMES_OF_FILE if is_file else SMALL_GAMES
    task_size = min(MAX_TASK_GAMES, -(-spec.games // TARGET_TASKS))
    is_small = spec.games <= small and not is_counted
    return CostEstimate(spec, memory, task_size, f"{spec.games:,} games", is_small)
