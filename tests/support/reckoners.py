"""Reckoners for tests, and tasks that do whatever a test wants."""

from evilpegs_game.candidates import LiveSets
from evilpegs_server.devils import Devils
from evilpegs_server.tasks import Reckoner, Worked


def reckoner(max_bytes=64 << 20, devils=None):
    """One that has computed nothing yet."""
    return Reckoner(LiveSets(max_bytes), devils or Devils())


class Call:
    """The task to call something. It can be sent to another process if what is called can be."""

    def __init__(self, function, *arguments, cost=0):
        self.function, self.arguments, self.cost = function, arguments, cost

    def do(self, _reckoner):
        return Worked(self.function(*self.arguments), self.cost)
