from collections.abc import Iterable
from typing import Any, Final

from evilpegs_game.codes import Code, CodeLike, Columns, RandomSource, column_code, to_code
from evilpegs_game.displays import Html, html_turns
from evilpegs_game.errors import GameError, OutOfRangeError, require, to_whole, wrong_argument
from evilpegs_game.feedback import (
    Feedback,
    FeedbackLike,
    History,
    Turn,
    TurnLike,
    feedbacks,
    format_turns,
    plain_feedback,
    to_feedback,
    to_turns,
)
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.partition import part_sizes, split
from evilpegs_game.rules import Rules, to_rules

MAX_SAMPLE: Final = 10_000_000
MAX_SHOWN: Final = 12  # turns in a repr


class Position:
    """The state of one game before a guess: the rules, the answered turns, and the candidates.

    A *candidate* is a code that agrees with the feedback of every turn. Nothing is computed until it is asked for, and
    positions never change: `after` and `split` return new ones. They hold no codes of their own: live sets and part
    sizes come from a shared cache, so all games at the same point use one copy.

    There are two groups of members:

    * `candidates`, `candidate` and `split` need the list of all candidates. They raise TooLargeError when that list
      does not fit into memory (the byte budget of the `LiveSets`, 256 MiB by default).
    * `count`, `first_candidate`, `sample`, `part_sizes` and `parts` work on rules of any size. Rules of
      at most 100,000 codes are enumerated. On larger rules the candidates are counted exactly without listing them:
      a first question about a position typically takes 5 ms on 8x10, 0.1 s on 10x12 and 1 s on 12x14. They raise
      TooLargeError when a count does not fit into its memory.

    Both groups raise ContradictionError when no code agrees with the history; its ``turn`` says which turn left none,
    where that is known.

    The rules, the turns, guesses and feedback may be texts or objects: ``4x6``, ``1122:1,0``, ``1122``, ``1,0``. Wrong
    ones raise MalformedError or IllegalCodeError. Positions are equal if their rules, history and budget are, and can
    be copied and pickled; copies share the cache, and what is in it is not pickled.

    >>> from evilpegs import Feedback, Position, Rules
    >>> position = Position(Rules(4, 6))
    >>> after = position.after((0, 0, 1, 1), Feedback(1, 0))
    >>> after.count, after.first_candidate
    (256, (0, 2, 2, 2))
    >>> after
    Position('4x6', ['1122:1,0'])
    >>> after == Position("4x6", ["1122:1,0"]) == position.after("1122", "1,0")
    True
    >>> Position("10x12").count
    61917364224
    """

    __slots__ = ("_budget", "_history", "_live", "_live_sets", "_rules")

    def __init__(
        self,
        rules: Rules | str,
        history: Iterable[TurnLike] = (),
        live_sets: LiveSets | None = None,
        budget: int | None = None,
    ) -> None:
        self._rules = to_rules(rules)
        self._history = to_turns(history, self._rules)
        self._budget = None if budget is None else to_whole("budget", budget, 0)
        require(live_sets, LiveSets | None, "a cache of live sets", "a LiveSets, or leave it out")
        self._live_sets = LiveSets() if live_sets is None else live_sets
        self._live: Columns | None = None

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, format_turns(self._history[-MAX_SHOWN:])))
        left_out = "..., " if len(self._history) > MAX_SHOWN else ""
        turns = f", [{left_out}{shown}]" if self._history else ""
        return f"Position('{self._rules}'{turns}{'' if self._budget is None else f', budget={self._budget}'})"

    def _repr_html_(self) -> Html:
        try:
            left = "" if self._is_counted else f": {self.count:,} candidates"  # counting may take seconds
        except GameError as error:
            left = f": {error}"
        return html_turns(f"Position on {self.rules}{left}", self.history)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Position) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        return self._rules, self._history, self._budget

    def __reduce__(self) -> tuple[Any, ...]:
        return Position, (self._rules, self._history, self._live_sets, self._budget)

    @property
    def rules(self) -> Rules:
        return self._rules

    @property
    def history(self) -> History:
        """The answered turns, oldest first."""
        return self._history

    @property
    def budget(self) -> int | None:
        """The feedback evaluations that the choice of one guess may take; None means no limit."""
        return self._budget

    @property
    def turn(self) -> int:
        """The number of the turn to play; the first is 1."""
        return len(self._history) + 1

    @property
    def all_codes(self) -> Columns:
        """Every code of the rules, each a legal guess: uint8, shape (pegs, codes), in code order, read-only.

        Raises TooLargeError if the array does not fit the byte budget; nothing is allocated then.
        """
        return self._live_sets.all_codes(self._rules)

    @property
    def candidates(self) -> Columns:
        """Every candidate: uint8, shape (pegs, candidates), in code order, read-only; there is at least one.

        ``candidates[:, i]`` is the candidate at index ``i``; `candidate` returns it as a tuple.
        """
        if self._live is None:
            self._live = self._live_sets.get(self._rules, self._history)
        return self._live

    @property
    def _is_counted(self) -> bool:
        return self._live is None and self._rules.size > self._live_sets.enumerated_codes

    @property
    def count(self) -> int:
        """The exact number of candidates, at least 1.

        After a history on rules of more than 100,000 codes the first call takes as long as `part_sizes`.
        """
        if self._is_counted:
            return self._live_sets.count(self._rules, self._history)
        return int(self.candidates.shape[1])

    @property
    def first_candidate(self) -> Code:
        """The first candidate in code order."""
        if self._is_counted:
            return self._live_sets.first(self._rules, self._history)
        return column_code(self.candidates, 0)

    def sample(self, rng: RandomSource, count: int = 1) -> list[Code]:
        """Return ``count`` candidates, each drawn uniformly and independently, so a candidate may occur twice.

        ``rng`` is a `random.Random` or any other `RandomSource`; ``count`` is 0 to 10,000,000.
        """
        if isinstance(rng, type) or not hasattr(rng, "randrange"):
            raise wrong_argument("a source of random numbers", rng, "a random.Random, such as Random(1)")
        if type(count) is not int or not 0 <= count <= MAX_SAMPLE:
            count = to_whole("count", count, 0, MAX_SAMPLE)
        if self._is_counted:
            return self._live_sets.sample(self._rules, self._history, rng, count)
        return [column_code(self.candidates, rng.randrange(self.count)) for _ in range(count)]

    def candidate(self, index: int) -> Code:
        """Return the candidate at ``index`` in code order.

        Raises:
            OutOfRangeError, an IndexError: there is no candidate at ``index``.
            ContradictionError, TooLargeError: as for `candidates`.
        """
        number = to_whole("index", index, 0)
        if number >= self.candidates.shape[1]:
            raise OutOfRangeError(f"no candidate at index {number}; there are {self.count:,}")
        return column_code(self.candidates, number)

    def is_candidate(self, code: CodeLike) -> bool:
        """Return True if ``code``, a code of the rules, agrees with every turn; one feedback per turn."""
        checked = to_code(code, self._rules)
        return all(plain_feedback(guess, checked) == expected for guess, expected in self._history)

    def part_sizes(self, guess: CodeLike) -> tuple[int, ...]:
        """Return the number of candidates that would give each feedback to ``guess``.

        The numbers are in feedback order (that of `feedbacks`), zeros included, and their sum is `count`.
        """
        return unchecked_part_sizes(self, to_code(guess, self._rules))

    def parts(self, guess: CodeLike) -> dict[Feedback, int]:
        """Return the sizes of the non-empty parts of ``guess``, by feedback, in feedback order."""
        sizes = zip(feedbacks(self._rules.pegs), self.part_sizes(guess), strict=True)
        return {answer: size for answer, size in sizes if size}

    def after(self, guess: CodeLike, feedback: FeedbackLike) -> "Position":
        """Return the position after one more turn. Nothing is computed until the result is used.

        So a feedback that contradicts earlier turns, or that no code gives, raises ContradictionError only then.
        """
        return unchecked_after(self, to_code(guess, self._rules), to_feedback(feedback, self._rules.pegs))

    def split(self, guess: CodeLike) -> dict[Feedback, "Position"]:
        """Return the position after each feedback that ``guess`` can get, in feedback order.

        The candidates of these positions are computed in one pass and do not enter the shared cache.
        """
        return unchecked_split(self, to_code(guess, self._rules))


def to_position(position: Position) -> Position:
    """Return ``position``; raise MalformedError if it is none."""
    require(position, Position, "a position", "a Position, such as Position('4x6')")
    return position


# The inside of the package, where guesses and feedback have been checked, calls these: checks take 0.2 us each, and a
# strategy asks about thousands of guesses.


def unchecked_position(rules: Rules, history: History, live_sets: LiveSets, budget: int | None = None) -> Position:
    position = Position.__new__(Position)
    position._rules, position._history, position._budget = rules, history, budget
    position._live_sets, position._live = live_sets, None
    return position


def unchecked_after(position: Position, guess: Code, feedback: Feedback) -> Position:
    history = (*position._history, Turn._make((guess, feedback)))
    return unchecked_position(position._rules, history, position._live_sets, position._budget)


def unchecked_split(position: Position, guess: Code) -> dict[Feedback, Position]:
    positions = {}
    for answer, columns in split(position.candidates, guess):
        positions[answer] = unchecked_after(position, guess, answer)
        positions[answer]._live = columns
    return positions


def unchecked_part_sizes(position: Position, guess: Code) -> tuple[int, ...]:
    rules, history, live_sets = position._rules, position._history, position._live_sets
    if position._is_counted:
        return live_sets.part_sizes(rules, history, guess)
    table = None if position._live is not None else live_sets.feedback_table(rules)
    if table is not None:
        sizes = table.part_sizes(history, guess).tolist()
        if any(sizes):  # otherwise there are no candidates, and asking for them raises the error that says why
            return tuple(sizes)
    return tuple(part_sizes(position.candidates, guess).tolist())
