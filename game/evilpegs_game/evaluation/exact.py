"""Exact evaluation: the guesses that a strategy needs against every secret, or against one codemaker.

The game tree of a strategy is walked position by position. Every position that some secret leads to occurs once, so
codes with the same feedback so far share one choice. `heuristic` has the compiled form for strategies of a criterion.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, NamedTuple

from evilpegs_game.codemakers.codemaker import Codemaker
from evilpegs_game.codes import Code, check_code
from evilpegs_game.displays import Html, html_bar, html_caption, html_table
from evilpegs_game.errors import StuckError, require, to_whole
from evilpegs_game.feedback import Feedback, History, Turn, all_black
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position, unchecked_after, unchecked_position, unchecked_split
from evilpegs_game.rules import Rules

ChooseGuess = Callable[[Position], Code]
"""A deterministic strategy: always the same guess at the same position."""

MAX_COUNT: Final = 1 << 63
MAX_IDLE_TURNS: Final = 32
"""The most guesses in a row that may exclude no candidate before a strategy counts as stuck."""

Progress = Callable[[int], None]
"""Called with the number of codes finished so far."""


@dataclass(frozen=True, slots=True)
class GuessCounts:
    """A distribution of guesses: ``distribution[i]`` codes or games took i + 1 guesses; the last entry is positive."""

    rules: Rules
    distribution: tuple[int, ...]

    def __post_init__(self) -> None:
        require(self.rules, Rules, "rules", "Rules(4, 6)")
        require(self.distribution, tuple, "a distribution", "a tuple of counts, the last one positive")
        counts = [
            to_whole("a count of the distribution", count, 0, MAX_COUNT) for count in self.distribution or (None,)
        ]
        object.__setattr__(self, "distribution", tuple(counts))

    def _repr_html_(self) -> Html:
        most = max(self.distribution)
        rows = [(guesses, times, html_bar(times / most)) for guesses, times in enumerate(self.distribution, 1)]
        return html_table(html_caption(self), ("guesses", "times", ""), rows)

    @property
    def count(self) -> int:
        """The number of codes or games."""
        return sum(self.distribution)

    @property
    def total(self) -> int:
        """The sum of the guesses over all codes or games."""
        return sum(guesses * times for guesses, times in enumerate(self.distribution, 1))

    @property
    def max(self) -> int:
        """The guesses in the worst case."""
        return len(self.distribution)

    @property
    def exact_mean(self) -> Fraction:
        """The mean number of guesses as an exact fraction."""
        return Fraction(self.total, self.count)

    @property
    def mean(self) -> float:
        """The mean number of guesses per code or game."""
        return float(self.exact_mean)


class TreeNode(NamedTuple):
    """A position of a game tree; ``parts`` has no all-black, and ``is_solved`` is True if the guess is a candidate."""

    position: Position
    guess: Code
    parts: dict[Feedback, Position]
    is_solved: bool


def walk_tree(choose: ChooseGuess, root: Position, first: Code | None = None) -> Iterator[TreeNode]:
    """Yield the nodes of the game tree below ``root``, each before those below it, in feedback order.

    ``first`` replaces the guess at ``root``. Raises StuckError if the strategy repeats guesses that exclude no
    candidate, ContradictionError and TooLargeError.
    """
    end = all_black(root.rules.pegs)
    waiting = [(root, idle_before(root))]
    while waiting:
        position, idle = waiting.pop()
        guess = first if first is not None and position is root else choose(position)
        parts = unchecked_split(position, guess)
        is_solved = parts.pop(end, None) is not None
        yield TreeNode(position, guess, parts, is_solved)
        waiting += [(child, idle_turns(idle, position, child)) for child in reversed(parts.values())]


def idle_before(position: Position) -> int:
    """Return how many turns in a row at the end of the history excluded no candidate."""
    idle, live_sets = 0, LiveSets()
    while idle < len(position.history):
        earlier = unchecked_position(position.rules, position.history[: -1 - idle], live_sets)
        if earlier.count > position.count:
            break
        idle += 1
    return idle


def idle_turns(idle: int, before: Position, after: Position) -> int:
    """Return ``idle`` after one more turn, 0 if it excluded a candidate; raise StuckError over `MAX_IDLE_TURNS`."""
    if after.count < before.count:
        return 0
    if idle == MAX_IDLE_TURNS:
        raise StuckError(
            f"the strategy is stuck at turn {before.turn} of {before.rules}: its last {idle + 1} guesses "
            f"excluded none of {before.count:,} candidates"
        )
    return idle + 1


class DuelTurn(NamedTuple):
    """One turn of a duel; one candidate is left after all-black."""

    guess: Code
    feedback: Feedback
    candidates_left: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `Turn.to_json` with ``candidates``, the number left after the feedback."""
        return Turn(self.guess, self.feedback).to_json() | {"candidates": self.candidates_left}


def distribution_from(
    choose: ChooseGuess,
    rules: Rules,
    history: History = (),
    first: Code | None = None,
    progress: Progress | None = None,
    on_solved: Callable[[Code, int], None] | None = None,
) -> tuple[int, ...]:
    """Return, at index i, how many candidates a deterministic strategy solves at guess i + 1 after ``history``.

    ``first`` replaces its first guess after ``history``. ``on_solved`` is called with each candidate and its number of
    guesses after ``history``. The distribution without a history can be put together from those after each feedback to
    the first guess: it is their sum, shifted by the first guess. Raises the errors of `walk_tree`.
    """
    root = unchecked_position(rules, history, LiveSets())
    if history:
        _ = root.candidates  # a random strategy then draws from them, as it does deeper in a tree
    opening = _first_guess(choose, root, first)
    solved: Counter[int] = Counter()
    for node in walk_tree(choose, root, opening):
        if node.is_solved:
            guesses = node.position.turn - root.turn + 1
            solved[guesses] += 1
            if progress:
                progress(solved.total())
            if on_solved:
                on_solved(node.guess, guesses)
    return tuple(solved[guesses] for guesses in range(1, max(solved) + 1))


def play_turns(
    choose: ChooseGuess, codemaker: Codemaker, start: Position, first: Code | None = None
) -> Iterator[DuelTurn]:
    """Play a strategy against one codemaker from ``start`` to all-black and yield each turn once it is answered.

    ``first`` replaces its guess at ``start``. Raises StuckError as `walk_tree` does, and ContradictionError if the
    codemaker contradicts itself.
    """
    position, idle, end = start, 0, all_black(start.rules.pegs)
    guess: Code | None = _first_guess(choose, position, first)
    feedback = None
    while feedback != end:
        guess = choose(position) if guess is None else guess
        feedback = codemaker.reply(position, guess)
        child = unchecked_after(position, guess, feedback)
        yield DuelTurn(guess, feedback, child.count)
        idle = idle_turns(idle, position, child)
        position, guess = child, None


def _first_guess(choose: ChooseGuess, root: Position, first: Code | None) -> Code:
    if first is None:
        return choose(root)
    check_code(first, root.rules)
    return first
