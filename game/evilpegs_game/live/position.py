from evilpegs_game.codes import Code, Columns, RandomSource, column_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import Feedback, History, Turn, feedback, feedbacks
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.partition import part_sizes, split
from evilpegs_game.rules import Rules


class Position:
    """The state of one game before a guess: the rules, the answered turns, and the candidates.

    A *candidate* is a code that agrees with the feedback of every turn. Nothing is computed until it is asked for, and
    positions never change: `after` and `split` return new ones. They hold no codes of their own: live sets and part
    sizes come from a shared cache, so all games at the same point use one copy.

    There are two groups of members:

    * `candidates`, `candidate` and `split` need the list of all candidates. They raise TooLargeError when that list
      does not fit into memory (the byte budget of the `LiveSets`, 256 MiB by default).
    * `count`, `first_candidate`, `sample`, `part_sizes` and `parts` work on rules of up to 2**63 - 1 codes. Rules of
      at most 100,000 codes are enumerated. On larger rules the candidates are counted exactly without listing them:
      a first question about a position typically takes 5 ms on 8x10, 0.1 s on 10x12 and 1 s on 12x14. They raise
      TooLargeError when the rules have more codes or a count does not fit into its memory.

    Both groups raise ContradictionError when no code agrees with the history; its ``turn`` says which turn left none,
    where that is known. Guesses must be codes of the rules; `evilpegs_game.codes.check_code` checks one.

    >>> from evilpegs import Feedback, Position, Rules
    >>> position = Position(Rules(4, 6))
    >>> after = position.after((0, 0, 1, 1), Feedback(1, 0))
    >>> after.count, after.first_candidate
    (256, (0, 2, 2, 2))
    >>> Position(Rules(10, 12)).count
    61917364224
    """

    __slots__ = ("_live", "_live_sets", "budget", "history", "rules")

    def __init__(
        self, rules: Rules, history: History = (), live_sets: LiveSets | None = None, budget: int | None = None
    ) -> None:
        if not isinstance(rules, Rules):
            raise MalformedError(f"not rules: {rules!r}; pass Rules(4, 6) or Rules.parse('4x6')")
        self.rules = rules
        self.history = history
        """The answered turns, oldest first."""
        self.budget = budget
        """The feedback evaluations that the choice of one guess may take; None means no limit."""
        self._live_sets = LiveSets() if live_sets is None else live_sets
        self._live: Columns | None = None

    def __repr__(self) -> str:
        return f"<Position {self.rules} turn {self.turn}>"

    @property
    def turn(self) -> int:
        """The number of the turn to play; the first is 1."""
        return len(self.history) + 1

    @property
    def all_codes(self) -> Columns:
        """Every code of the rules, each a legal guess: uint8, shape (pegs, codes), in code order, read-only.

        Raises TooLargeError if the array does not fit the byte budget; nothing is allocated then.
        """
        return self._live_sets.all_codes(self.rules)

    @property
    def candidates(self) -> Columns:
        """Every candidate: uint8, shape (pegs, candidates), in code order, read-only; there is at least one.

        ``candidates[:, i]`` is the candidate at index ``i``; `candidate` returns it as a tuple.
        """
        if self._live is None:
            self._live = self._live_sets.get(self.rules, self.history)
        return self._live

    @property
    def _is_counted(self) -> bool:
        return self._live is None and self.rules.size > self._live_sets.enumerated_codes

    @property
    def count(self) -> int:
        """The exact number of candidates, at least 1.

        After a history on rules of more than 100,000 codes the first call takes as long as `part_sizes`.
        """
        if self._is_counted:
            return self._live_sets.count(self.rules, self.history)
        return int(self.candidates.shape[1])

    @property
    def first_candidate(self) -> Code:
        """The first candidate in code order."""
        return self._live_sets.first(self.rules, self.history) if self._is_counted else self.candidate(0)

    def sample(self, rng: RandomSource, count: int = 1) -> list[Code]:
        """Return ``count`` candidates, each drawn uniformly and independently, so a candidate may occur twice.

        ``rng`` is a `random.Random` or any other `RandomSource`.
        """
        if self._is_counted:
            return self._live_sets.sample(self.rules, self.history, rng, count)
        return [self.candidate(rng.randrange(self.count)) for _ in range(count)]

    def candidate(self, index: int) -> Code:
        """Return the candidate at ``index`` in code order.

        Raises:
            IndexError: there is no candidate at ``index``.
            ContradictionError, TooLargeError: as for `candidates`.
        """
        return column_code(self.candidates, index)

    def is_candidate(self, code: Code) -> bool:
        """Return True if ``code``, a code of the rules, agrees with every turn; one feedback per turn."""
        return all(feedback(guess, code) == expected for guess, expected in self.history)

    def part_sizes(self, guess: Code) -> tuple[int, ...]:
        """Return the number of candidates that would give each feedback to ``guess``.

        The numbers are in feedback order (that of `feedbacks`), zeros included, and their sum is `count`.
        """
        if self._is_counted:
            return self._live_sets.part_sizes(self.rules, self.history, guess)
        table = None if self._live is not None else self._live_sets.feedback_table(self.rules)
        if table is not None:
            sizes = table.part_sizes(self.history, guess).tolist()
            if any(sizes):  # otherwise there are no candidates, and asking for them raises the error that says why
                return tuple(sizes)
        return tuple(part_sizes(self.candidates, guess).tolist())

    def parts(self, guess: Code) -> dict[Feedback, int]:
        """Return the sizes of the non-empty parts of ``guess``, by feedback, in feedback order."""
        sizes = zip(feedbacks(self.rules.pegs), self.part_sizes(guess), strict=True)
        return {answer: size for answer, size in sizes if size}

    def after(self, guess: Code, feedback: Feedback) -> "Position":
        """Return the position after one more turn. Nothing is checked or computed until the result is used."""
        return Position(self.rules, (*self.history, Turn(guess, feedback)), self._live_sets, self.budget)

    def split(self, guess: Code) -> dict[Feedback, "Position"]:
        """Return the position after each feedback that ``guess`` can get, in feedback order.

        The candidates of these positions are computed in one pass and do not enter the shared cache.
        """
        positions = {}
        for answer, columns in split(self.candidates, guess):
            positions[answer] = self.after(guess, answer)
            positions[answer]._live = columns
        return positions
