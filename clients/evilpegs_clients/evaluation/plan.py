"""The plan of a run: in which processes it is played, and in which file its checkpoint is kept."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from evilpegs_clients.evaluation.checkpoint import default_checkpoint_path
from evilpegs_clients.evaluation.cost import CostEstimate


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """The processes that play and the file of the checkpoint, as far as the user chose them.

    The work is done by ``jobs`` processes of this machine, or by the workers of the Dask scheduler at ``cluster``.
    Without ``checkpoint``, long work uses a default file.
    """

    jobs: int = 1
    cluster: str | None = None
    checkpoint: Path | None = None

    def uses_tasks(self, cost: CostEstimate) -> bool:
        """Return True if the work is cut into tasks: it takes long, or the user chose a cluster or a checkpoint."""
        return not cost.is_small or self.cluster is not None or self.checkpoint is not None

    def processes(self, cost: CostEstimate) -> int | None:
        """Return the number of processes of this machine that play, or None if a cluster plays."""
        if not self.uses_tasks(cost):
            return 1
        return self.jobs if self.cluster is None else None

    def checkpoint_path(self, costs: Sequence[CostEstimate]) -> Path | None:
        """Return the path of the checkpoint file, or None if all of the work is done in one piece."""
        if not any(map(self.uses_tasks, costs)):
            return None
        return self.checkpoint or default_checkpoint_path(run_digest(costs))


def run_digest(costs: Sequence[CostEstimate]) -> str:
    """Return 64 hexadecimal digits that identify a run by everything that its counts depend on."""
    return sha256(" ".join(cost.spec.digest for cost in costs).encode()).hexdigest()
