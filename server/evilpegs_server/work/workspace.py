"""The workspace that tasks share within one process: a cache of live sets and the solvers of devils."""

from copy import copy
from threading import Lock
from typing import NamedTuple

from evilpegs_game.codemakers.solved_positions import SolvedPositions
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.live.cache import CacheState
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.rules import Rules


class WorkspaceState(NamedTuple):
    """The size of a workspace; ``solved`` is the number of solved positions."""

    part_sizes: CacheState = CacheState(0, 0, 0, 0)
    live_set_bytes: int = 0
    solved: int = 0

    @property
    def cache(self) -> CacheState:
        """The state of the cache of part sizes, with the bytes of the live sets added."""
        return self.part_sizes._replace(bytes_used=self.part_sizes.bytes_used + self.live_set_bytes)


class Workspace:
    """The caches and solvers that tasks in one process share, which never change a result. Safe for threads."""

    def __init__(self, live_sets: LiveSets, solved: SolvedPositions | None = None) -> None:
        self.live_sets = live_sets
        self.solved = SolvedPositions() if solved is None else solved
        self._lock = Lock()
        self._worst_cases: dict[Rules, WorstCase] = {}

    def worst_case(self, rules: Rules) -> WorstCase:
        """Return the devils' solver for ``rules``, created at the first call. Raises TooLargeError."""
        with self._lock:
            if rules not in self._worst_cases:
                self._worst_cases[rules] = WorstCase(rules, self.solved)
            return self._worst_cases[rules]

    def apart(self) -> "Workspace":
        """Return a workspace, as large again, that knows the solved positions and leaves nothing behind in this one."""
        other = Workspace(self.live_sets.emptied(), self.solved.copy())
        with self._lock:
            for rules, worst_case in self._worst_cases.items():
                other._worst_cases[rules] = each = copy(worst_case)  # with the tables, which take long
                each.forget(other.solved)
        return other

    @property
    def state(self) -> WorkspaceState:
        return WorkspaceState(self.live_sets.state, self.live_sets.bytes_used, len(self.solved))


class WorkerSetup(NamedTuple):
    """What a worker process gets first."""

    cache_bytes: int  # of live sets
    count_bytes: int  # of each count on rules too large to list
    solved: bytes  # in the format of `SolvedPositions.to_bytes`

    def new_workspace(self) -> Workspace:
        return Workspace(LiveSets(self.cache_bytes, self.count_bytes), SolvedPositions.from_bytes(self.solved))
