"""What the devils of a server know: one solver for each of the rules they are met on, shared by all matches."""

from threading import Lock

from evilpegs_game.rules import Rules
from evilpegs_game.solved import SolvedPositions
from evilpegs_game.worst_case import WorstCase


class Devils:
    """Solvers by rules. All note what they find in ``solved``, which saves time and never changes a reply."""

    def __init__(self, solved: SolvedPositions | None = None) -> None:
        self.solved = SolvedPositions() if solved is None else solved
        self._lock = Lock()
        self._worst_cases: dict[Rules, WorstCase] = {}

    def worst_case(self, rules: Rules) -> WorstCase:
        """The solver for ``rules``, made when it is first asked for; raises TooLargeError."""
        with self._lock:
            if rules not in self._worst_cases:
                self._worst_cases[rules] = WorstCase(rules, self.solved)
            return self._worst_cases[rules]
