"""The messages between the server and its worker process, which are sent as `frames`.

The server first sends a `WorkerSetup`, then pairs ``(number, task)``. The worker answers each task with
``(number, outcome, cost, state)``. The outcome is the result or the exception, the cost is in units of work, and the
state is the `WorkspaceState`.
"""

from typing import NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.workspace import DevilSolvers, Workspace


class WorkerSetup(NamedTuple):
    """The first message to a worker process, with the limits and the solved positions of its workspace.

    ``cache_bytes`` limits its cache, and ``count_bytes`` one running count. ``solved`` is in the format of
    `SolvedPositions.to_bytes`.
    """

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def new_workspace(self) -> Workspace:
        """Return a new workspace with these limits and solved positions."""
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)
