"""The messages between the server and its worker process, sent as `frames`.

The server first sends a `WorkerSetup`, then pairs ``(number, task)``. The worker answers each task with
``(number, outcome, cost, state)``: the result or the exception, the cost in units, and the `WorkspaceState`.
"""

from typing import NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.workspace import DevilSolvers, Workspace


class WorkerSetup(NamedTuple):
    """The limits of a workspace in bytes, for its cache and for one running count, and its solved positions."""

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def new_workspace(self) -> Workspace:
        """Return a workspace that has computed nothing yet."""
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)
