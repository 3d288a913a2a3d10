"""First guesses for a large set of codes: bounds of the total after each, tightened until the least is proved.

Of first guesses that a symmetry of the set carries into each other one is taken. What each leaves is one question a
feedback. First all are answered roughly, trying few guesses a set, for a good upper bound; then exactly, as long as a
first guess may still be the best: the guesses after it are shared among threads.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from evilpegs_game.codemakers.size_bounds import least_total_table
from evilpegs_game.codes import Code, Columns
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.optimal.first_guess import Opening, Part
from evilpegs_game.optimal.guess_matrix import Frame, Ground, guess_of
from evilpegs_game.optimal.proof_log import Answer, Journal, Question
from evilpegs_game.optimal.search_state import NEVER, SHARED, STOP, UNLIMITED, Ints
from evilpegs_game.optimal.solver import NO_BUDGET, Bounds, Searcher
from evilpegs_game.optimal.totals_table import Totals
from evilpegs_game.optimal.tree_builder import Planner, short_node
from evilpegs_game.partition import split
from evilpegs_game.trees.tree import Node, Tree


class Progress(NamedTuple):
    """Bounds so far: of the total within ``within`` guesses, None for any number. ``upper`` is None if none is known.

    Where ``lower`` is None it is proved that so few guesses are not enough.
    """

    within: int | None
    lower: int | None
    upper: int | None


_Attempt = Callable[[int], tuple[int, Bounds]]


class Openings:
    """The first guesses for ``columns``, all codes of the rules or many of them, and what is known of each.

    ``journal`` holds what was found out before, and gets what is found out. ``notice`` is told of bounds each time
    something was. ``budget`` bounds the work; it is for one thread.

    Raises:
        TooLargeError: what a part takes, or may take, is over the bound of `Frame`.
    """

    def __init__(
        self,
        ground: Ground,
        columns: Columns,
        totals: Totals,
        limit: int = UNLIMITED,
        journal: Journal | None = None,
        threads: int = 1,
        notice: Callable[[Progress], None] | None = None,
        budget: int = NO_BUDGET,
    ) -> None:
        self._ground = ground
        self._totals = totals
        self.limit = limit
        self._journal = Journal(ground.rules) if journal is None else journal
        self._threads = threads
        self._notice = notice
        self._budget = budget
        self.work = 0
        """Feedbacks looked at so far."""
        self._bounds = least_total_table(ground.others, columns.shape[1])[ground.others]
        self._frames: dict[Question, Frame] = {}
        possible = [self._opening(guess, columns) for guess in ground.first_guesses(columns)]
        self.openings = [opening for opening in possible if opening]

    @property
    def bytes(self) -> int:
        """What the frames that are kept may take."""
        parts = (part for opening in self.openings for part in opening.parts)
        guesses = self._ground.rules.size
        return min(self._ground.tuning.kept_bytes, sum(self._ground.frame_bytes(part.codes, guesses) for part in parts))

    def _opening(self, guess: Code, columns: Columns) -> Opening | None:
        """The first guess and its parts; None if it tells nothing."""
        codes, below = int(columns.shape[1]), self.limit - (self.limit != UNLIMITED)
        parts = []
        for given, part in split(columns, guess):
            if given != all_black(self._ground.rules.pegs):
                if part.shape[1] == codes:
                    return None
                parts.append(self._part(Question(below, guess, given), part))
        return Opening(guess, codes, sorted(parts, key=lambda part: part.codes))

    def _part(self, question: Question, columns: Columns) -> Part:
        codes = int(columns.shape[1])
        if codes > self._ground.most[min(question.limit, self._ground.most.size - 1)]:
            return Part(question, columns, Answer(NEVER, NEVER))
        if codes <= 2:
            return Part(question, columns, Answer(2 * codes - 1, 2 * codes - 1))
        return Part(question, columns, self._journal.answers.get(question, Answer(int(self._bounds[codes]))))

    @property
    def lower(self) -> int:
        """A lower bound of the total, proved; `NEVER` if there is no tree within the limit."""
        return min(opening.lower for opening in self.openings)

    @property
    def progress(self) -> Progress:
        """What is proved so far."""
        lower, upper = self.lower, self.best.upper
        within = None if self.limit == UNLIMITED else self.limit
        return Progress(within, None if lower == NEVER else lower, None if upper == NEVER else upper)

    @property
    def best(self) -> Opening:
        """The first guess with the least upper bound."""
        return min(self.openings, key=lambda opening: opening.upper)

    @property
    def largest_part(self) -> int:
        """How many codes the largest part has of those that may have to be solved."""
        return max((part.codes for opening in self.openings for part in opening.parts), default=0)

    def prove(self) -> Opening:
        """Find the least total, prove it, and return a first guess that attains it; `NEVER` is proved too."""
        for opening in sorted(self.openings, key=lambda opening: opening.lower):
            if opening.lower < self.best.upper:
                self._solve_roughly(opening)
        for opening in sorted(self.openings, key=lambda opening: opening.upper):
            self.solve(opening, self.best.upper)
        return self.best

    def solve(self, opening: Opening, upper: int) -> int:
        """The total after this first guess, or a bound of it that is at least ``upper``."""
        for part in opening.parts:
            if opening.lower >= upper:
                break
            if not part.is_exact:
                self._solve_part(part, upper - (opening.lower - part.answer.lower))
                self._tell()
        return opening.lower

    def _solve_roughly(self, opening: Opening) -> None:
        for part in opening.parts:
            if part.answer.upper == NEVER > part.answer.lower:
                frame = self._frame(part)
                searcher = self._searcher(frame)
                width = self._ground.tuning.rough_width
                self._learn(part, frame, searcher.least(frame.all_places, part.question.limit, width=width))
                self.work += searcher.work
        self._tell()

    def _solve_part(self, part: Part, upper: int) -> None:
        """Find the total of the part, or prove that it is at least ``upper``."""
        frame = self._frame(part)
        if part.codes < self._ground.tuning.shared_codes:
            searcher = self._searcher(frame)
            self._learn(part, frame, searcher.least(frame.all_places, part.question.limit, upper))
            self.work += searcher.work
        else:
            self._share_guesses(part, frame, min(upper, part.answer.upper))

    def _share_guesses(self, part: Part, frame: Frame, upper: int) -> None:
        """The same, the guesses shared among threads, for a part of which a tree of ``upper`` may be known."""
        limit, tried = part.question.limit, self._journal.tried.setdefault(part.question, {})
        shared = np.array([upper, 0], dtype=np.int64)
        first = self._searcher(frame, shared)
        listed = frame.first_of_each_family(first.listed(frame.all_places, limit, upper))
        left = [entry for entry in listed if tried.get(frame.code(guess_of(entry)), 0) < upper]
        idle = [first, *(self._searcher(frame, shared) for _ in range(min(self._threads, len(left)) - 1))]

        def attempt(entry: int) -> tuple[int, Bounds]:
            searcher = idle.pop()
            searcher.begin(frame.all_places, limit, int(shared[SHARED]))
            found = searcher.try_guess(entry)
            idle.append(searcher)
            return entry, found

        with self._attempts(attempt, left, shared) as attempts:
            for entry, found in attempts:
                if found.upper < part.answer.upper:
                    self._learn(part, frame, found._replace(lower=part.answer.lower))
                elif found.guess is None:
                    tried[frame.code(guess_of(entry))] = found.lower
                self._tell()
        for searcher in idle:
            self.work += searcher.work
        proved = Bounds(min(upper, part.answer.upper), part.answer.upper)
        self._learn(part, frame, proved)
        first.begin(frame.all_places, limit, upper)
        first.conclude(proved, Bounds(proved.lower, NEVER))
        del self._journal.tried[part.question]

    @contextmanager
    def _attempts(self, attempt: _Attempt, left: list[int], shared: Ints) -> Iterator[Iterator[tuple[int, Bounds]]]:
        """What comes of each attempt, as they end; whatever goes wrong, all threads have ended afterwards."""
        with ThreadPoolExecutor(self._threads) as pool:
            futures = [pool.submit(attempt, entry) for entry in left]
            try:
                yield (future.result() for future in as_completed(futures))
            finally:
                shared[STOP] = 1
                pool.shutdown(cancel_futures=True)

    def _tell(self) -> None:
        if self._notice:
            self._notice(self.progress)

    def _searcher(self, frame: Frame, shared: Ints | None = None) -> Searcher:
        return Searcher(frame, self._totals, shared, self._budget - self.work)

    def _learn(self, part: Part, frame: Frame, bounds: Bounds) -> None:
        """Keep better bounds of a part."""
        old = part.answer
        guess = old.guess if bounds.upper >= old.upper or bounds.guess is None else frame.code(bounds.guess)
        part.answer = Answer(max(old.lower, bounds.lower), min(old.upper, bounds.upper), guess)
        self._journal.answers[part.question] = part.answer

    def tree(self, opening: Opening) -> Tree:
        """A tree that begins with this first guess and has its upper bound as total."""
        children: dict[Feedback, Node] = {}
        for part in opening.parts:
            if part.codes <= 2:
                children[part.question.feedback] = short_node(part.columns)
            else:
                frame = self._frame(part)
                planner = Planner(self._searcher(frame))
                node = planner.node(frame.all_places, part.question.limit, part.answer.guess)
                children[part.question.feedback] = node
        return Tree(self._ground.rules, Node(opening.guess, dict(sorted(children.items()))))

    def _frame(self, part: Part) -> Frame:
        """The frame of a part, kept while there is room."""
        frame = self._frames.get(part.question)
        if frame is None:
            frame = Frame(self._ground, part.columns)
            if sum(kept.bytes for kept in self._frames.values()) + frame.bytes <= self._ground.tuning.kept_bytes:
                self._frames[part.question] = frame
        return frame
