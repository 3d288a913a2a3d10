"""Which replies a devil may give: those that an optimal codebreaker would need most guesses after."""

from collections.abc import Mapping, Sequence

from evilpegs_clients.independent.block_parts import live_codes
from evilpegs_clients.independent.codes import Code, Feedback, Parts, Turn
from evilpegs_clients.independent.evil_rule import evil_replies
from evilpegs_clients.independent.record import Match
from evilpegs_clients.independent.solver import CELLS, Chosen, Solver, check_table


def hardest_replies(parts: Mapping[Feedback, Chosen], all_black: Feedback, solver: Solver) -> list[Feedback]:
    """The feedbacks of the largest of the parts that need most guesses, in order; all-black only where alone.

    Raises:
        TooMuchWorkError: the solver's bound does not suffice.
    """
    others = {given: codes for given, codes in parts.items() if given != all_black}
    if len(others) <= 1:
        return list(others or [all_black])
    needed = 1
    for codes in sorted(others.values(), key=len, reverse=True):
        while not solver.solvable(codes, needed):
            needed += 1
    hardest = {given: len(codes) for given, codes in others.items() if not solver.solvable(codes, needed - 1)}
    return evil_replies(hardest, all_black)


class DevilRule:
    """The rule in one match. What is solved in one game serves the others that began with the same turns."""

    def __init__(self, match: Match, work: int, cells: int = CELLS) -> None:
        self._match, self._work, self._cells = match, work, cells
        self._solvers: dict[tuple[Turn, ...], Solver] = {}

    def is_exact(self, parts: Parts) -> bool:
        """Whether the candidates are few enough to be solved; with more, the devil replies as evil does."""
        return sum(parts.values()) <= self._match.exact_up_to

    def replies(self, turns: Sequence[Turn], parts_so_far: Sequence[Parts], guess: Code) -> list[Feedback]:
        """The replies open to the devil, after those turns; the last of ``parts_so_far`` is of the guess now.

        Raises:
            TooMuchWorkError: it cannot be solved within the bounds.
        """
        all_black = self._match.space.all_black
        if not self.is_exact(parts_so_far[-1]):
            return evil_replies(parts_so_far[-1], all_black)
        begun = next(place for place, parts in enumerate(parts_so_far) if self.is_exact(parts))
        solver = self._solver(tuple(turns[:begun]), sum(parts_so_far[begun].values()))
        solver.allow(self._work)
        codes = solver.all
        for turn in turns[begun:]:
            codes = solver.parts(codes, turn.guess)[turn.given]
        return hardest_replies(solver.parts(codes, guess), all_black, solver)

    def _solver(self, turns: tuple[Turn, ...], candidates: int) -> Solver:
        if turns not in self._solvers:
            check_table(self._match.space, candidates, self._cells)
            live = live_codes(self._match.space, turns)
            self._solvers[turns] = Solver(self._match.space, live, self._cells)
        return self._solvers[turns]
