"""The plan of an evaluation: the processes that play it, and the file that keeps its checkpoint."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evilpegs_clients.evaluation.checkpoint import default_checkpoint_path
from evilpegs_clients.evaluation.cost import CostEstimate


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The processes that play an evaluation, and the file of its checkpoint, as the user chose them.

    Without a ``cluster``, the address of a Dask scheduler, ``jobs`` processes play. Without a ``checkpoint``, long work
    has a default file.
    """

    jobs: int = 1
    cluster: str | None = None
    checkpoint: Path | None = None

    def uses_tasks(self, cost: CostEstimate) -> bool:
        """Return True if the work is long, or a cluster or a checkpoint was chosen."""
        return not cost.is_small or self.cluster is not None or self.checkpoint is not None

    def processes(self, cost: CostEstimate) -> int | None:
        """Return the processes of this machine that do the work; None if a cluster does it."""
        if not self.uses_tasks(cost):
            return 1
        return self.jobs if self.cluster is None else None

    def checkpoint_path(self, costs: Sequence[CostEstimate]) -> Path | None:
        """Return the file of a run; None if nothing is played in tasks."""
        if not any(map(self.uses_tasks, costs)):
            return None
        return self.checkpoint or default_checkpoint_path(run_digest(costs))


def run_digest(costs: Sequence[CostEstimate]) -> str:
    """Return a hash of everything that the counts of a run depend on."""
    return sha256(" ".join(cost.spec.digest for cost in costs).encode()).hexdigest()
