"""Selection: the best guess under a criterion, and the codebreaker's tie rule, which is defined here alone.

With one or two candidates left, the first of them is played. Otherwise the guess that the criterion ranks best is
played; ties go to a candidate, then to the first guess in code order. `evilpegs_game.guessing.search` implements this.
"""

from concurrent.futures import Executor
from functools import reduce
from operator import or_

from evilpegs_game.codes import MAX_SPACE_BYTES, Code, Columns
from evilpegs_game.errors import OverBudgetError, TooLargeError
from evilpegs_game.guessing.color_classes import count_in_order
from evilpegs_game.guessing.criteria import Criterion
from evilpegs_game.guessing.parallel_search import best_code_in_chunks
from evilpegs_game.guessing.ranking import Measure
from evilpegs_game.guessing.search import best_code
from evilpegs_game.history import History
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


def best_guess(position: Position, criterion: Criterion, candidates_only: bool = False) -> Code:
    """Return the best guess under ``criterion``, among all codes or among the candidates only.

    Raises OverBudgetError, ContradictionError, or TooLargeError if the candidates do not fit in memory or there are too
    many codes to try each.
    """
    if position.count <= 2:
        return position.first_candidate
    live, guessed = position.candidates, guessed_color_mask(position.history)
    if not candidates_only:
        _check_space(position.rules)
    if position.budget is not None:
        _check_budget(position, _count_guesses(position.rules, live, guessed, candidates_only))
    return best_guess_at(live, position.rules, guessed, criterion.measure(position.count), candidates_only)


def best_guess_at(
    live: Columns,
    rules: Rules,
    guessed: int,
    measure: Measure,
    candidates_only: bool,
    threads: Executor | None = None,
) -> Code:
    """Return the best guess at three codes or more; ``threads`` change the speed, not the guess."""
    if threads:
        guess = best_code_in_chunks(live, rules, guessed, measure, candidates_only, threads)
    else:
        # The copy can be written to, as live sets inside kernels can: for both kinds all would be compiled twice.
        guess = best_code(
            live.copy(), rules.colors, rules.repeats, guessed, measure.rule, measure.weights, candidates_only
        )
    return tuple(guess.tolist())


def guessed_color_mask(history: History) -> int:
    return reduce(or_, (color_mask(turn.guess) for turn in history), 0)


def color_mask(guess: Code) -> int:
    """Bit c of the result is set if ``guess`` has color c."""
    return sum(1 << color for color in set(guess))


def _check_space(rules: Rules) -> None:
    if rules.pegs * rules.size > MAX_SPACE_BYTES:
        message = f"{rules} has {rules.size:,} codes, too many to try each as a guess; take candidates only"
        raise TooLargeError(message)


def _check_budget(position: Position, guesses: int) -> None:
    work = guesses * position.count
    if position.budget is not None and work > position.budget:
        message = f"turn {position.turn} takes {work:,} feedback evaluations; the budget is {position.budget:,}"
        raise OverBudgetError(message)


def _count_guesses(rules: Rules, live: Columns, guessed: int, candidates_only: bool) -> int:
    if candidates_only:
        return int(count_in_order(live, rules.colors, guessed))
    # guesses that differ only by a renaming of unguessed colors are counted once
    fresh = rules.colors - guessed.bit_count()
    counts = [1] + [0] * fresh  # of prefixes, by the number of fresh colors in them
    for peg in range(rules.pegs):
        longer = [0] * (fresh + 1)
        for seen, count in enumerate(counts):
            longer[seen] += count * (rules.colors - fresh + (seen if rules.repeats else seen - peg))
            if seen < fresh:
                longer[seen + 1] += count
        counts = longer
    return sum(counts)
