"""Candidates: the codes consistent with every feedback so far.

A `Position` is what a codebreaker knows. It keeps no codes: they are computed when first asked for and
shared through `LiveSets`, a cache with a byte budget, so that many games at the same point cost one copy
and nothing is lost when an entry is dropped.
"""

from collections import OrderedDict
from threading import Lock
from typing import Final, NamedTuple

from evilpegs_game.codes import Code, Columns, all_codes, column_code
from evilpegs_game.errors import ContradictionError, TooLargeError
from evilpegs_game.feedback import Feedback, feedback, feedbacks
from evilpegs_game.partition import part_sizes, select, split
from evilpegs_game.rules import Rules


class Turn(NamedTuple):
    """One guess and its feedback."""

    guess: Code
    feedback: Feedback


History = tuple[Turn, ...]
"""The turns of a game so far, oldest first."""

DEFAULT_BYTES: Final = 256 << 20
_ENTRY_BYTES: Final = 1024
"""What an entry takes besides its codes (key, array header, links), generously."""


class LiveSets:
    """Live sets by rules and history: least recently used first out, within ``max_bytes``; thread-safe.

    A set that was dropped is computed again from its longest cached prefix, or from all codes.
    Columns handed out are read-only and stay valid after they are dropped from here.
    """

    def __init__(self, max_bytes: int = DEFAULT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._entries: OrderedDict[tuple[Rules, History], Columns] = OrderedDict()
        self._used = 0
        self._lock = Lock()

    @staticmethod
    def bytes_needed(rules: Rules) -> int:
        """What all codes of ``rules`` take; known without making them."""
        return rules.pegs * rules.size + _ENTRY_BYTES

    def fits(self, rules: Rules) -> bool:
        """Whether games of ``rules`` can be played within the budget."""
        return self.bytes_needed(rules) <= self._max_bytes

    @property
    def bytes_used(self) -> int:
        """What the entries take now; never more than ``max_bytes``."""
        return self._used

    def all_codes(self, rules: Rules) -> Columns:
        """Every code of ``rules`` in code order, shared.

        Raises:
            TooLargeError: they do not fit the budget; nothing was allocated.
        """
        needed = self.bytes_needed(rules)
        if not self.fits(rules):
            message = (
                f"all codes of {rules} take {needed:,} bytes; the bound is {self._max_bytes:,}; take smaller rules"
            )
            raise TooLargeError(message)
        with self._lock:  # held while the codes are made, so that they are made once
            found = self._recall((rules, ()))
            if found is None:
                self._make_room(needed)
                found = all_codes(rules)
                found.flags.writeable = False
                self._store((rules, ()), found)
        return found

    def get(self, rules: Rules, history: History) -> Columns:
        """The codes consistent with ``history``, in code order, at least one.

        Raises:
            ContradictionError: there is none.
            TooLargeError: the codes of ``rules`` do not fit the budget.
        """
        with self._lock:
            found = self._recall((rules, history))
        if found is not None:
            return found
        if not history:
            return self.all_codes(rules)
        columns = self._compute(rules, history)
        with self._lock:
            if (rules, history) not in self._entries:
                self._store((rules, history), columns)
        return columns

    def _compute(self, rules: Rules, history: History) -> Columns:
        known, columns = self._longest_prefix(rules, history)
        for number, (guess, given) in enumerate(history[known:], known + 1):
            columns = select(columns, guess, given)
            if not columns.size:
                message = f"no code of {rules} is consistent with the feedback of turns 1 to {number}"
                raise ContradictionError(message)
        return columns

    def _longest_prefix(self, rules: Rules, history: History) -> tuple[int, Columns]:
        for length in range(len(history) - 1, 0, -1):
            with self._lock:
                found = self._recall((rules, history[:length]))
            if found is not None:
                return length, found
        return 0, self.all_codes(rules)

    def _recall(self, key: tuple[Rules, History]) -> Columns | None:
        found = self._entries.get(key)
        if found is not None:
            self._entries.move_to_end(key)
        return found

    def _store(self, key: tuple[Rules, History], columns: Columns) -> None:
        self._make_room(columns.nbytes + _ENTRY_BYTES)
        self._entries[key] = columns
        self._used += columns.nbytes + _ENTRY_BYTES

    def _make_room(self, needed: int) -> None:
        while self._used + needed > self._max_bytes:
            _, dropped = self._entries.popitem(last=False)
            self._used -= dropped.nbytes + _ENTRY_BYTES


class Position:
    """What a codebreaker knows at a turn: the rules, the history and all that follows from them.

    ``budget`` is the number of feedback evaluations that one choice may take, or None. Whatever needs
    the candidates raises ContradictionError if there are none and TooLargeError if they do not fit.
    """

    __slots__ = ("_live", "_live_sets", "budget", "history", "rules")

    def __init__(self, rules: Rules, history: History, live_sets: LiveSets, budget: int | None = None) -> None:
        self.rules = rules
        self.history = history
        self.budget = budget
        self._live_sets = live_sets
        self._live: Columns | None = None

    def __repr__(self) -> str:
        return f"<Position {self.rules} turn {self.turn}>"

    @property
    def turn(self) -> int:
        """The number of the turn to play, from 1."""
        return len(self.history) + 1

    @property
    def all_codes(self) -> Columns:
        """Every code of the rules in code order, read-only; each is a legal guess."""
        return self._live_sets.all_codes(self.rules)

    @property
    def candidates(self) -> Columns:
        """The candidates in code order, read-only."""
        if self._live is None:
            self._live = self._live_sets.get(self.rules, self.history)
        return self._live

    @property
    def count(self) -> int:
        """How many candidates there are; at least one."""
        return int(self.candidates.shape[1])

    @property
    def first_candidate(self) -> Code:
        """The first candidate in code order."""
        return self.candidate(0)

    def candidate(self, index: int) -> Code:
        """The candidate at ``index`` (from 0) in code order; raises IndexError."""
        return column_code(self.candidates, index)

    def is_candidate(self, code: Code) -> bool:
        """Whether ``code``, a code of the rules, is consistent with the history."""
        return all(feedback(guess, code) == given for guess, given in self.history)

    def part_sizes(self, guess: Code) -> tuple[int, ...]:
        """The size of each part of ``guess`` in the order of `feedbacks`, zeros included."""
        return tuple(part_sizes(self.candidates, guess).tolist())

    def parts(self, guess: Code) -> dict[Feedback, int]:
        """The sizes of the non-empty parts of ``guess``, in feedback order."""
        sizes = zip(feedbacks(self.rules.pegs), self.part_sizes(guess), strict=True)
        return {given: size for given, size in sizes if size}

    def after(self, guess: Code, given: Feedback) -> "Position":
        """The position once ``guess`` got the feedback ``given``."""
        return Position(self.rules, (*self.history, Turn(guess, given)), self._live_sets, self.budget)

    def split(self, guess: Code) -> dict[Feedback, "Position"]:
        """The position after each feedback that ``guess`` can get, in feedback order.

        Their candidates are computed together, belong to them, and do not enter the cache.
        """
        positions = {}
        for given, columns in split(self.candidates, guess):
            positions[given] = self.after(guess, given)
            positions[given]._live = columns
        return positions
