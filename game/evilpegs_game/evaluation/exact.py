"""Evaluation: how many guesses a strategy needs, against every secret or against one codemaker."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple

from evilpegs_game.codemakers.codemaker import Codemaker
from evilpegs_game.codes import Code, check_code
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.distribution import GuessCounts
from evilpegs_game.feedback import Feedback, all_black
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

Choose = Callable[[Position], Code]
"""A strategy with its randomness settled: the same position always gets the same guess."""

Progress = Callable[[int], None]
"""Called with the number of codes finished so far."""

MAX_IDLE_TURNS: Final = 32
"""Guesses in a row that may tell a strategy nothing before it is taken to be stuck."""


@dataclass(frozen=True, slots=True)
class Evaluation(GuessCounts):
    """What a strategy needs against every secret of the rules, and its first guess."""

    first: Code


class DuelTurn(NamedTuple):
    """One turn of a duel and how many candidates its feedback left."""

    guess: Code
    feedback: Feedback
    candidates: int


def evaluate(choose: Choose, rules: Rules, first: Code | None = None, progress: Progress | None = None) -> Evaluation:
    """Play ``choose`` against every secret by walking its game tree once.

    Secrets that got the same feedback so far share one choice, so the work is one choice a node.

    Raises:
        StuckError: the strategy is stuck.
        IllegalCodeError: ``first`` is not a code of the rules.
        TooLargeError: the codes do not fit the memory bound.
    """
    opening = _opening(choose, Position(rules, (), LiveSets()), first)
    return Evaluation(rules, distribution_from(choose, rules, first=opening, progress=progress), opening)


def distribution_from(
    choose: Choose, rules: Rules, history: History = (), first: Code | None = None, progress: Progress | None = None
) -> tuple[int, ...]:
    """How many guesses each candidate of ``history`` takes after it: at index i those solved at guess i + 1.

    The game tree under ``history`` is walked once; ``first`` is the guess there, by default the strategy's own. The
    distributions after each feedback to one guess, added up, are the distribution before it, shifted by that guess.

    Raises:
        ContradictionError: no code is consistent with ``history``.
        StuckError, IllegalCodeError, TooLargeError: as `evaluate` does.
    """
    root = Position(rules, history, LiveSets())
    if history:
        _ = root.candidates  # chance then draws from them, as it does further down in a tree
    opening = _opening(choose, root, first)
    solved: Counter[int] = Counter()
    finished = 0
    waiting = [(root, _idle_before(root))]
    while waiting:
        position, idle = waiting.pop()
        guess = opening if position is root else choose(position)
        after = position.split(guess)
        if after.pop(all_black(rules.pegs), None):
            solved[position.turn - root.turn] += 1
            finished += 1
            if progress:
                progress(finished)
        for child in after.values():
            waiting.append((child, _idle_turns(idle, position, child)))
    return tuple(solved[turn] for turn in range(max(solved) + 1))


def duel(choose: Choose, codemaker: Codemaker, rules: Rules, first: Code | None = None) -> tuple[DuelTurn, ...]:
    """Play ``choose`` against one codemaker to the end; the last turn is the all-black one.

    Raises:
        StuckError: the strategy is stuck.
        IllegalCodeError: ``first`` is not a code of the rules.
        ContradictionError: the codemaker contradicted itself.
        TooLargeError: the codes do not fit the memory bound.
    """
    position, idle = Position(rules, (), LiveSets()), 0
    guess = _opening(choose, position, first)
    turns: list[DuelTurn] = []
    while not turns or turns[-1].feedback != all_black(rules.pegs):
        guess = choose(position) if turns else guess
        given = codemaker.reply(position, guess)
        child = position.after(guess, given)
        turns.append(DuelTurn(guess, given, child.count))
        idle = _idle_turns(idle, position, child)
        position = child
    return tuple(turns)


def _opening(choose: Choose, root: Position, first: Code | None) -> Code:
    if first is None:
        return choose(root)
    check_code(first, root.rules)
    return first


def _idle_before(position: Position) -> int:
    """How many of the last turns of a history left all candidates there were."""
    idle, live_sets = 0, LiveSets()
    while idle < len(position.history):
        earlier = Position(position.rules, position.history[: -1 - idle], live_sets)
        if earlier.count > position.count:
            break
        idle += 1
    return idle


def _idle_turns(idle: int, before: Position, after: Position) -> int:
    """How many turns in a row left all candidates; raises StuckError when it is too many."""
    if after.count < before.count:
        return 0
    if idle == MAX_IDLE_TURNS:
        message = (
            f"the strategy is stuck at turn {before.turn} of {before.rules}: its last {idle + 1} guesses "
            f"excluded none of {before.count:,} candidates"
        )
        raise StuckError(message)
    return idle + 1
