"""Exact evaluation: the guesses that a strategy needs against every secret, or against one codemaker."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from evilpegs_game.codemakers.codemaker import Codemaker
from evilpegs_game.codes import Code, check_code
from evilpegs_game.evaluation.distribution import GuessCounts
from evilpegs_game.evaluation.tree_walk import ChooseGuess, idle_turns, walk_tree
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

Progress = Callable[[int], None]
"""Called with the number of codes finished so far."""


@dataclass(frozen=True, slots=True)
class Evaluation(GuessCounts):
    """The guesses that a strategy needs against every secret, and its first guess."""

    first: Code


class DuelTurn(NamedTuple):
    """One turn of a duel; one candidate is left after all-black."""

    guess: Code
    feedback: Feedback
    candidates_left: int

    def to_json(self) -> dict[str, Any]:
        """Return the JSON of `Turn.to_json` with ``candidates``, the number left after the feedback."""
        return Turn(self.guess, self.feedback).to_json() | {"candidates": self.candidates_left}


def evaluate(
    choose: ChooseGuess, rules: Rules, first: Code | None = None, progress: Progress | None = None
) -> Evaluation:
    """Play a deterministic strategy against every secret of ``rules`` and count its guesses.

    ``first`` replaces its first guess. Secrets with the same feedback so far share one choice, so ``choose`` is called
    once per position that occurs. Raises StuckError if the strategy repeats guesses that exclude no candidate.
    """
    opening = _first_guess(choose, Position(rules, (), LiveSets()), first)
    return Evaluation(rules, distribution_from(choose, rules, first=opening, progress=progress), opening)


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
    the first guess: it is their sum, shifted by the first guess. Raises StuckError as `evaluate` does.
    """
    root = Position(rules, history, LiveSets())
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


def duel(choose: ChooseGuess, codemaker: Codemaker, rules: Rules, first: Code | None = None) -> tuple[DuelTurn, ...]:
    """Play a strategy against one codemaker to the end; ``first`` and errors as in `play_turns`."""
    return tuple(play_turns(choose, codemaker, Position(rules, (), LiveSets()), first))


def play_turns(
    choose: ChooseGuess, codemaker: Codemaker, start: Position, first: Code | None = None
) -> Iterator[DuelTurn]:
    """Play a strategy against one codemaker from ``start`` to all-black and yield each turn once it is answered.

    ``first`` replaces its guess at ``start``.

    Raises:
        StuckError: the strategy repeats guesses that exclude no candidate.
        ContradictionError: the codemaker contradicted itself.
    """
    position, idle, end = start, 0, all_black(start.rules.pegs)
    guess: Code | None = _first_guess(choose, position, first)
    feedback = None
    while feedback != end:
        guess = choose(position) if guess is None else guess
        feedback = codemaker.reply(position, guess)
        child = position.after(guess, feedback)
        yield DuelTurn(guess, feedback, child.count)
        idle = idle_turns(idle, position, child)
        position, guess = child, None


def _first_guess(choose: ChooseGuess, root: Position, first: Code | None) -> Code:
    if first is None:
        return choose(root)
    check_code(first, root.rules)
    return first
