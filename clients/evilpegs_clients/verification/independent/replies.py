"""Whether each reply of a game against evil or devil is the one that the rule demands.

Which replies evil may give.

Which replies a devil may give: those that an optimal codebreaker would need most guesses after.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from evilpegs_clients.verification.independent import enumerate_blocks as block_parts
from evilpegs_clients.verification.independent import enumerate_plain as plain_parts
from evilpegs_clients.verification.independent.definitions import Code, Counted, Feedback, Parts, Turn
from evilpegs_clients.verification.independent.enumerate_blocks import live_codes
from evilpegs_clients.verification.independent.record import Game, Match, tie_place
from evilpegs_clients.verification.independent.solver import CELLS, Chosen, Solver, TooMuchWorkError, check_table
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation


def evil_replies(parts: Parts, all_black: Feedback) -> list[Feedback]:
    """The feedbacks of the largest parts, in order; all-black only where there is no other."""
    others = {given: size for given, size in parts.items() if given != all_black} or parts
    largest = max(others.values())
    return sorted(given for given, size in others.items() if size == largest)


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


ONE_BY_ONE: Final = 10**5
"""Up to so many codes the definition itself is fast enough."""


def check_replies(
    game: Game, devil: DevilRule | None, max_codes: int, one_by_one: int = ONE_BY_ONE
) -> Iterator[Violation]:
    """Check every turn of a game; ``devil`` has its rule where it is one."""
    size = game.match.space.size
    if size > max_codes:
        what = f"the replies: {game.match.rules} is too large to enumerate; {size:,} codes"
        yield NotChecked(what, game.game, subject=Subject.REPLY)
        return
    counted = _counted(game, one_by_one)
    for turn, parts in enumerate(counted.parts, 1):
        if game.turns[turn - 1].given not in parts:
            yield _finding(game, turn, Subject.REPLY, "which no code that was left would get")
            return
        yield from _check_method(game, turn, parts, devil)
        try:
            allowed = _allowed(game, turn, counted, devil)
        except TooMuchWorkError as error:
            yield NotChecked(f"the devil's reply: {error}", game.game, turn, Subject.REPLY)
        else:
            yield from _check_reply(game, turn, parts, allowed)
    yield from _check_first(game, counted)


def _counted(game: Game, one_by_one: int) -> Counted:
    space = game.match.space
    count_parts = plain_parts.count_parts if space.size <= one_by_one else block_parts.count_parts
    return count_parts(space, game.turns)


def _allowed(game: Game, turn: int, counted: Counted, devil: DevilRule | None) -> list[Feedback]:
    if devil is None:
        return evil_replies(counted.parts[turn - 1], game.match.space.all_black)
    return devil.replies(game.turns[: turn - 1], counted.parts[:turn], game.turns[turn - 1].guess)


def _check_method(game: Game, turn: int, parts: Parts, devil: DevilRule | None) -> Iterator[Violation]:
    told = game.methods[turn - 1]
    if devil is not None and told is not None:
        due = "exact" if devil.is_exact(parts) else "greedy"
        if told != due:
            what = f"the reply is called {told}, but with {sum(parts.values()):,} codes left it is {due}"
            yield Violation(what, game.game, turn, Subject.METHOD)


def _check_reply(game: Game, turn: int, parts: Parts, allowed: list[Feedback]) -> Iterator[Violation]:
    given = game.turns[turn - 1].given
    if given not in allowed:
        size = f"{parts[given]:,} {'code' if parts[given] == 1 else 'codes'}"
        due = f"{allowed[0]}, which {parts[allowed[0]]:,} would"
        yield _finding(game, turn, Subject.REPLY, f"which {size} would get; the rule demands {due}")
    elif len(allowed) > 1:
        yield from _check_tie(game, turn, allowed)


def _check_tie(game: Game, turn: int, tied: list[Feedback]) -> Iterator[Violation]:
    place = 0
    if game.match.tie == "largest/seeded":
        if game.nonce is None:
            what = f"which of {len(tied)} equal parts was due: the nonce is not opened"
            yield NotChecked(what, game.game, turn, Subject.TIE)
            return
        place = tie_place(game.nonce, game.match.id, game.game, turn, len(tied))
    if game.turns[turn - 1].given != tied[place]:
        yield _finding(game, turn, Subject.TIE, f"but of {len(tied)} equal parts the tie rule takes {tied[place]}")


def _check_first(game: Game, counted: Counted) -> Iterator[Violation]:
    """The code that evil shows at the end is the first of those that fit."""
    if game.match.codemaker == "evil" and game.witness is not None and counted.first is not None:
        first = game.match.space.write(counted.first)
        if game.witness != first:
            what = f"the code shown at the end is {game.witness}; the first that fits is {first}"
            yield Violation(what, game.game, subject=Subject.WITNESS)


def _finding(game: Game, turn: int, subject: Subject, what: str) -> Violation:
    guess, given = game.turns[turn - 1]
    return Violation(f"{game.match.space.write(guess)} got {given}, {what}", game.game, turn, subject)
