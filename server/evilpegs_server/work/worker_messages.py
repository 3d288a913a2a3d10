"""The messages between the server and its worker process, which are sent as `frames`.

The server first sends a `WorkerSetup`, then pairs ``(number, task)``. The worker answers each task with ``(number,
outcome, cost, state)``: its result or exception, its cost in units of about 2 nanoseconds, and the `WorkspaceState`
after it.
"""

from typing import NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.workspace import DevilSolvers, Workspace


class WorkerSetup(NamedTuple):
    """The limits and the solved positions of the worker's workspace.

    ``cache_bytes`` limits the cached live sets, and ``count_bytes`` each count on large rules, whose codes are not
    listed. ``solved`` is in the format of `SolvedPositions.to_bytes`.
    """

    cache_bytes: int
    count_bytes: int
    solved: bytes

    def new_workspace(self) -> Workspace:
        devils = DevilSolvers(SolvedPositions.from_bytes(self.solved))
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), devils)
