"""The messages between the server and its worker process, which are sent as `frames`.

The server first sends a `WorkerSetup`, then pairs ``(number, task)``, where the number identifies the task. The worker
answers each task with ``(number, outcome, cost, state)``. The outcome is the result or the exception of the task, the
cost is in units of work (about 2 nanoseconds each), and the state is the `WorkspaceState` after the task.
"""

from typing import NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.workspace import DevilSolvers, Workspace


class WorkerSetup(NamedTuple):
    """The first message to a worker process, with the limits and the solved positions of its workspace.

    ``cache_bytes`` is the most memory in bytes for the cached live sets (the codes still possible in games). Codes of
    large rules are counted without listing the codes; ``count_bytes`` is the most memory in bytes for one such count.
    ``solved`` has the positions that devils, the codemakers that search ahead, have solved before, in the format of
    `SolvedPositions.to_bytes`.
    """

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def new_workspace(self) -> Workspace:
        """Return a new workspace with these limits and solved positions."""
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)
