"""The estimated cost of an evaluation, which the option --dry-run prints instead of evaluating."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from evilpegs.output import pluralize
from evilpegs_clients.evaluation.cost import PROGRAM_BYTES, CostEstimate
from evilpegs_clients.evaluation.run import ExecutionPlan


def show_costs(out: Console, costs: Sequence[CostEstimate], plan: ExecutionPlan) -> None:
    """Print the estimated memory, processes and work of each strategy, and the journal."""
    for cost in costs:
        out.print(f"{cost.spec.strategy} on {cost.spec.rules}: {_games_text(cost)}")
        out.print(f"  memory  {_memory_text(cost)}{_processes_text(cost, plan)}")
        out.print(f"  work    {cost.work}, {_tasks_text(cost, plan)}")
    path = plan.checkpoint_path(costs)
    out.print(f"journal: {path}" if path else "journal: none, it is soon done", soft_wrap=True)


def costs_document(costs: Sequence[CostEstimate], plan: ExecutionPlan) -> dict[str, Any]:
    """Return the costs as the JSON object of `evilpegs evaluate --dry-run --json`."""
    path = plan.checkpoint_path(costs)
    return {
        "rules": str(costs[0].spec.rules),
        "journal": None if path is None else str(path),
        "costs": [
            {
                "strategy": cost.spec.strategy,
                "bytes": cost.memory,
                "processes": plan.processes(cost),
                "units": min_tasks(cost, plan),
                "work": cost.work,
            }
            for cost in costs
        ],
    }


def min_tasks(cost: CostEstimate, plan: ExecutionPlan) -> int:
    """Return the least number of tasks; the exact one follows from the parts, which are not known before."""
    size = cost.spec.games or cost.spec.rules.size
    return -(-size // cost.task_size) if plan.uses_tasks(cost) else 1


def _games_text(cost: CostEstimate) -> str:
    spec = cost.spec
    if spec.games:
        return f"{pluralize(spec.games, 'game')} of seed {spec.seed}"
    return f"{pluralize(spec.rules.size, 'secret')}"


def _memory_text(cost: CostEstimate) -> str:
    program = f"about {PROGRAM_BYTES // 1_000_000} MB that the program takes itself"
    return f"at most {-(-cost.memory // 1_000_000):,} MB, and {program}"


def _processes_text(cost: CostEstimate, plan: ExecutionPlan) -> str:
    processes = plan.processes(cost)
    if processes is None:
        return ", in each worker of the cluster"
    return f", in each of {processes} processes" if processes > 1 else ""


def _tasks_text(cost: CostEstimate, plan: ExecutionPlan) -> str:
    if not plan.uses_tasks(cost):
        return "in one piece in this process"
    what = "games" if cost.spec.games else "candidates"
    return f"in {min_tasks(cost, plan):,} units or more, of at most {cost.task_size:,} {what}"
