"""Checks that each reply of evil or a devil follows the rule of this codemaker.

Evil may give the marks of a largest part. A devil may give marks after which an optimal codebreaker needs the most
guesses; if several qualify, it gives those of a largest part.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from evilpegs_clients.verification.independent.definitions import Code, MarkedGuess, Marks, PartCounts, Parts
from evilpegs_clients.verification.independent.enumeration import count_parts, count_parts_plainly, live_codes
from evilpegs_clients.verification.independent.record import Game, MatchSetup
from evilpegs_clients.verification.independent.solver import (
    CELLS,
    ExhaustiveSolver,
    Subset,
    TooMuchWorkError,
    check_table,
)
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation


def evil_replies(parts: Parts, all_black: Marks) -> list[Marks]:
    """Return the replies that evil may give, in feedback order; all-black only if nothing else is possible."""
    others = {marks: size for marks, size in parts.items() if marks != all_black} or parts
    largest = max(others.values())
    return sorted(marks for marks, size in others.items() if size == largest)


def hardest_replies(parts: Mapping[Marks, Subset], all_black: Marks, solver: ExhaustiveSolver) -> list[Marks]:
    """Return the replies that a devil may give; all-black only if nothing else is possible. Raises TooMuchWorkError."""
    others = {marks: codes for marks, codes in parts.items() if marks != all_black}
    if len(others) <= 1:
        return list(others or [all_black])
    needed = 1
    for codes in sorted(others.values(), key=len, reverse=True):
        while not solver.solvable(codes, needed):
            needed += 1
    hardest = {marks: len(codes) for marks, codes in others.items() if not solver.solvable(codes, needed - 1)}
    return evil_replies(hardest, all_black)


class DevilRule:
    """The rule of a devil in a match; games that begin with the same turns share a solver's results."""

    # ``work`` is in feedbacks per turn, ``cells`` in feedbacks per table
    def __init__(self, match: MatchSetup, work: int, cells: int = CELLS) -> None:
        self._match, self._work, self._cells = match, work, cells
        self._solvers: dict[tuple[MarkedGuess, ...], ExhaustiveSolver] = {}

    def is_exact(self, parts: Parts) -> bool:
        """Return True if a devil searches; with more candidates, it replies as evil does."""
        return sum(parts.values()) <= self._match.exact_up_to

    def replies(self, turns: Sequence[MarkedGuess], parts_so_far: Sequence[Parts], guess: Code) -> list[Marks]:
        """Return the replies that may follow ``guess``, whose parts come last. Raises TooMuchWorkError."""
        all_black = self._match.space.all_black
        if not self.is_exact(parts_so_far[-1]):
            return evil_replies(parts_so_far[-1], all_black)
        begun = next(index for index, parts in enumerate(parts_so_far) if self.is_exact(parts))
        solver = self._solver(tuple(turns[:begun]), sum(parts_so_far[begun].values()))
        solver.allow(self._work)
        codes = solver.all
        for turn in turns[begun:]:
            codes = solver.parts(codes, turn.guess)[turn.marks]
        return hardest_replies(solver.parts(codes, guess), all_black, solver)

    def _solver(self, turns: tuple[MarkedGuess, ...], candidates: int) -> ExhaustiveSolver:
        if turns not in self._solvers:
            check_table(self._match.space, candidates, self._cells)
            live = live_codes(self._match.space, turns)
            self._solvers[turns] = ExhaustiveSolver(self._match.space, live, self._cells)
        return self._solvers[turns]


PLAIN_LIMIT: Final = 10**5  # the most codes of rules whose parts are counted code by code, which is slow


def check_replies(
    game: Game, devil: DevilRule | None, max_codes: int, plain_limit: int = PLAIN_LIMIT
) -> Iterator[Violation]:
    """Check every reply, up to one that no candidate would give; ``devil`` is None against evil."""
    size = game.match.space.size
    if size > max_codes:
        what = f"the replies: {game.match.rules} is too large to enumerate; {size:,} codes"
        yield NotChecked(what, game.game, subject=Subject.REPLY)
        return
    count = count_parts_plainly if size <= plain_limit else count_parts
    counted = count(game.match.space, game.turns)
    for turn, parts in enumerate(counted.parts, 1):
        if game.turns[turn - 1].marks not in parts:
            yield _violation(game, turn, Subject.REPLY, "which no code that was left would get")
            return
        yield from _check_method(game, turn, parts, devil)
        try:
            if devil is None:
                allowed = evil_replies(parts, game.match.space.all_black)
            else:
                allowed = devil.replies(game.turns[: turn - 1], counted.parts[:turn], game.turns[turn - 1].guess)
        except TooMuchWorkError as error:
            yield NotChecked(f"the devil's reply: {error}", game.game, turn, Subject.REPLY)
        else:
            yield from _check_reply(game, turn, parts, allowed)
    yield from _check_first_witness(game, counted)


def _check_method(game: Game, turn: int, parts: Parts, devil: DevilRule | None) -> Iterator[Violation]:
    claimed = game.methods[turn - 1]
    if devil is not None and claimed is not None:
        expected = "exact" if devil.is_exact(parts) else "greedy"
        if claimed != expected:
            what = f"the reply is called {claimed}, but with {sum(parts.values()):,} codes left it is {expected}"
            yield Violation(what, game.game, turn, Subject.METHOD)


def _check_reply(game: Game, turn: int, parts: Parts, allowed: list[Marks]) -> Iterator[Violation]:
    marks = game.turns[turn - 1].marks
    if marks not in allowed:
        size = f"{parts[marks]:,} {'code' if parts[marks] == 1 else 'codes'}"
        expected = f"{allowed[0]}, which {parts[allowed[0]]:,} would"
        yield _violation(game, turn, Subject.REPLY, f"which {size} would get; the rule demands {expected}")
    elif len(allowed) > 1:
        yield from _check_tie(game, turn, allowed)


def _check_tie(game: Game, turn: int, tied: list[Marks]) -> Iterator[Violation]:
    index = game.tie_index(turn, len(tied)) if game.match.tie == "largest/seeded" else 0
    if index is None:
        what = f"which of {len(tied)} equal parts was due: the nonce is not opened"
        yield NotChecked(what, game.game, turn, Subject.TIE)
        return
    if game.turns[turn - 1].marks != tied[index]:
        yield _violation(game, turn, Subject.TIE, f"but of {len(tied)} equal parts the tie rule takes {tied[index]}")


def _check_first_witness(game: Game, counted: PartCounts) -> Iterator[Violation]:
    if game.match.codemaker == "evil" and game.witness is not None and counted.first is not None:
        first = game.match.space.write(counted.first)
        if game.witness != first:
            what = f"the code shown at the end is {game.witness}; the first that fits is {first}"
            yield Violation(what, game.game, subject=Subject.WITNESS)


def _violation(game: Game, turn: int, subject: Subject, what: str) -> Violation:
    guess, marks = game.turns[turn - 1]
    return Violation(f"{game.match.space.write(guess)} got {marks}, {what}", game.game, turn, subject)
