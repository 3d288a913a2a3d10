"""What an evaluation will cost, told before it is spent."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from evilpegs.output import counted
from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, Cost
from evilpegs_clients.evaluation.evaluator import Way


def show_costs(out: Console, costs: Sequence[Cost], way: Way) -> None:
    """Memory, units of work, where they run and what is kept of them, for each strategy and in all."""
    for cost in costs:
        out.print(f"{cost.subject.strategy} on {cost.subject.rules}: {_played(cost)}")
        out.print(f"  memory  {_memory(cost)}{_where(cost, way)}")
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
                "processes": way.processes(cost),
                "units": least_units(cost, way),
                "work": cost.work,
            }
            for cost in costs
        ],
    }


def least_units(cost: Cost, way: Way) -> int:
    """How many units it is at least; how the parts fall out is known when the guesses are."""
    size = cost.subject.games or cost.subject.rules.size
    return -(-size // cost.largest) if way.in_units(cost) else 1


def _played(cost: Cost) -> str:
    subject = cost.subject
    if subject.games:
        return f"{counted(subject.games, 'game')} of seed {subject.seed}"
    return f"{counted(subject.rules.size, 'secret')}"


def _memory(cost: Cost) -> str:
    program = f"about {PROGRAM_BYTES // 1_000_000} MB that the program takes itself"
    return f"at most {-(-cost.bytes // 1_000_000):,} MB, and {program}"


def _where(cost: Cost, way: Way) -> str:
    many = way.processes(cost)
    if many is None:
        return ", in each worker of the cluster"
    return f", in each of {many} processes" if many > 1 else ""


def _units(cost: Cost, way: Way) -> str:
    if not way.in_units(cost):
        return "in one piece in this process"
    what = "games" if cost.subject.games else "candidates"
    return f"in {least_units(cost, way):,} units or more, of at most {cost.largest:,} {what}"
