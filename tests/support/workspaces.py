"""Workspaces of a worker process for tests, and a task that calls any function."""

from evilpegs_game.live.live_sets import LiveSets
from evilpegs_server.work.tasks import TaskResult
from evilpegs_server.work.workspace import Workspace
from support.waiting import wait_until


def new_workspace(max_bytes=64 << 20, solved=None):
    """Return a workspace that has computed nothing yet."""
    return Workspace(LiveSets(max_bytes), solved)


class Call:
    """A task that calls a function; the task can be sent to another process if the function can."""

    def __init__(self, function, *arguments, cost=0):
        self.function, self.arguments, self.cost = function, arguments, cost

    def run(self, _workspace):
        return TaskResult(self.function(*self.arguments), self.cost)


class Gated:
    """A task that waits until the file ``gate`` exists, and then runs another task."""

    def __init__(self, task, gate):
        self.task, self.gate = task, gate

    def run(self, workspace):
        wait_until(self.gate.exists)
        return self.task.run(workspace)
