"""What an evaluation will cost, told before it is spent."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from evilpegs.evaluating.cost import Cost
from evilpegs.evaluating.evaluator import Way
from evilpegs.wording import counted


def show_costs(out: Console, costs: Sequence[Cost], way: Way) -> None:
    """Memory, units of work, where they run and what is kept of them, for each strategy and in all."""
    for cost in costs:
        out.print(f"{cost.subject.strategy} on {cost.subject.rules}: {_played(cost)}")
        out.print(f"  memory  {_megabytes(cost.bytes)}{_processes(cost, way)}, besides what the program takes itself")
        out.print(f"  work    {cost.work}, {_units(cost, way)}")
    path = way.journal_of(costs)
    out.print(f"journal: {path}" if path else "journal: none, it is soon done", soft_wrap=True)


def costs_document(costs: Sequence[Cost], way: Way) -> dict[str, Any]:
    """The same as one JSON object."""
    path = way.journal_of(costs)
    return {
        "rules": str(costs[0].subject.rules),
        "journal": None if path is None else str(path),
        "costs": [
            {
                "strategy": cost.subject.strategy,
                "bytes": cost.bytes,
                "processes": processes(cost, way),
                "units": least_units(cost, way),
                "work": cost.work,
            }
            for cost in costs
        ],
    }


def processes(cost: Cost, way: Way) -> int | None:
    """How many processes play; None on a cluster, which knows that itself."""
    if not way.in_units(cost):
        return 1
    return way.jobs if way.cluster is None else None


def least_units(cost: Cost, way: Way) -> int:
    """How many units it is at least; how the parts fall out is known when the guesses are."""
    size = cost.subject.games or cost.subject.rules.size
    return -(-size // cost.largest) if way.in_units(cost) else 1


def _played(cost: Cost) -> str:
    subject = cost.subject
    if subject.games:
        return f"{counted(subject.games, 'game')} of seed {subject.seed}"
    return f"{counted(subject.rules.size, 'secret')}"


def _megabytes(size: int) -> str:
    return f"at most {-(-size // 1_000_000):,} MB"


def _processes(cost: Cost, way: Way) -> str:
    many = processes(cost, way)
    if many is None:
        return " in each worker of the cluster"
    return f" in each of {many} processes" if many > 1 else ""


def _units(cost: Cost, way: Way) -> str:
    if not way.in_units(cost):
        return "in one piece in this process"
    what = "games" if cost.subject.games else "candidates"
    return f"in {least_units(cost, way):,} units or more, of at most {cost.largest:,} {what}"
