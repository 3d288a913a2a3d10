"""The cells of the tables: every built-in strategy on one ladder of each codemaker and kind of tie."""

import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from types import MappingProxyType

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.registry import STRATEGIES
from evilpegs_game.errors import GameError
from evilpegs_game.rules import Rules
from evilpegs_server.match.ladders import Ladder
from ladder_results.journal import Journal
from ladder_results.measuring import Measurement, measure_adversary, measure_fixed

FIXED_GAMES: Mapping[int, int] = MappingProxyType({10**8: 1_000, 10**11: 6})
EVIL_GAMES: Mapping[int, int] = MappingProxyType({10**5: 50, 10**6: 5, 10**8: 5, 10**11: 3})
"""Games of a strategy by the most codes that the rules may have."""
FEWEST_FIXED, FEWEST_EVIL = 5, 3
"""Games of a strategy on larger rules, where a game takes seconds."""


@dataclass(frozen=True)
class Cell:
    """A strategy on ladders of the same rules, with a number of games for all of them or the usual ones."""

    strategy: str
    ladders: tuple[Ladder, ...]
    games: int | None = None


@dataclass(frozen=True)
class Refusal:
    """The reason why a strategy cannot play the rules, in the words of the program."""

    reason: str


Outcome = Measurement | Refusal
Outcomes = Mapping[tuple[str, str], Outcome]
"""Outcomes by ladder and strategy."""


def untimed_twins(ladders: Iterable[Ladder]) -> list[Ladder]:
    """Return the ladders to measure: of several with the same rules, codemaker and ties, the first."""
    kinds: dict[tuple[object, ...], Ladder] = {}
    for ladder in ladders:
        kinds.setdefault((ladder.rules, ladder.codemaker, ladder.tie), ladder)
    return list(kinds.values())


def make_cells(ladders: Iterable[Ladder], games: int | None = None) -> list[Cell]:
    """Return a cell per strategy and rules, the largest rules first, because they take longest."""
    by_rules: dict[Rules, list[Ladder]] = {}
    for ladder in untimed_twins(ladders):
        by_rules.setdefault(ladder.rules, []).append(ladder)
    largest_first = sorted(by_rules.items(), key=lambda item: -item[0].size)
    return [Cell(strategy, tuple(same), games) for _, same in largest_first for strategy in STRATEGIES]


def usual_games(ladder: Ladder) -> int:
    """Return the number of games that fits the time of the whole page."""
    table, fewest = (FIXED_GAMES, FEWEST_FIXED) if ladder.codemaker == "fixed" else (EVIL_GAMES, FEWEST_EVIL)
    return next((games for most, games in table.items() if ladder.rules.size <= most), fewest)


def measure(cell: Cell, seed: int, path: Path | None = None) -> Outcomes:
    """Return the result on each ladder of a cell, from the journal at ``path`` if it has been measured.

    A strategy that cannot play the rules is tried on one ladder only.
    """
    journal = Journal(path)
    outcomes: dict[tuple[str, str], Outcome] = {}
    refusal = None
    for ladder in cell.ladders:
        outcome = refusal or measure_one(cell.strategy, ladder, cell.games or usual_games(ladder), seed, journal)
        outcomes[ladder.id, cell.strategy] = outcome
        refusal = outcome if isinstance(outcome, Refusal) else None
    return outcomes


def measure_one(name: str, ladder: Ladder, games: int, seed: int, journal: Journal) -> Outcome:
    """Return the result of a strategy on a ladder, or why it cannot play there."""

    def attempt() -> dict[str, object]:
        try:
            if ladder.codemaker == "fixed":
                return measure_fixed(load_strategy(name), ladder, games, seed, journal).to_json()
            return measure_adversary(load_strategy(name), ladder, games, seed).to_json()
        except GameError as error:
            return {"reason": str(error)}

    value = journal.get(["cell", ladder.id, str(ladder.rules), name, games, seed], attempt)
    return Refusal(**value) if "reason" in value else Measurement.from_json(value)


def measure_all(cells: Sequence[Cell], seed: int, jobs: int, path: Path | None = None) -> Outcomes:
    """Measure cells, in ``jobs`` processes if there are several, and print a line to standard error after each.

    What the journal at ``path`` has is not measured again.
    """
    outcomes: dict[tuple[str, str], Outcome] = {}
    if jobs == 1:
        for cell in cells:
            outcomes.update(measure(cell, seed, path))
        return outcomes
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        running = {pool.submit(measure, cell, seed, path): cell for cell in cells}
        for number, done in enumerate(as_completed(running), 1):
            outcomes.update(done.result())
            cell = running[done]
            print(f"{number} of {len(cells)}: {cell.strategy} on {cell.ladders[0].rules}", file=sys.stderr, flush=True)
    return outcomes
