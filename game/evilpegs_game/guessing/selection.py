"""Selection: the best guess under a criterion, and the only home of the codebreaker's tie rule.

With one or two candidates left the first of them is played. Otherwise the best key wins; ties go to a
candidate, then to the first in code order. `evilpegs_game.guessing.search` carries that out.
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
    """The best guess among all codes, or among the candidates only.

    Raises:
        OverBudgetError: it would take more feedback evaluations than ``position.budget``.
        TooLargeError: the candidates do not fit, or there are too many codes to try each.
        ContradictionError: as the candidates of a `Position` do.
    """
    if position.count <= 2:
        return position.first_candidate
    live, guessed = position.candidates, guessed_colors(position.history)
    if not candidates_only:
        _check_space(position.rules)
    if position.budget is not None:
        _check_budget(position, _count_guesses(position.rules, live, guessed, candidates_only))
    return best_of(live, position.rules, guessed, criterion.measure(position.count), candidates_only)


def best_of(
    live: Columns,
    rules: Rules,
    guessed: int,
    measure: Measure,
    candidates_only: bool,
    threads: Executor | None = None,
) -> Code:
    """The best guess at a live set of three codes or more; ``threads`` make it faster and nothing else.

    ``guessed`` is what `guessed_colors` gives for the history that the live set follows from.
    """
    if threads:
        guess = best_code_in_chunks(live, rules, guessed, measure, candidates_only, threads)
    else:
        guess = best_code(live, rules.colors, rules.repeats, guessed, measure.rule, measure.weights, candidates_only)
    return tuple(guess.tolist())


def guessed_colors(history: History) -> int:
    """The colors that guesses had so far, a bit each."""
    return reduce(or_, (colors_of(turn.guess) for turn in history), 0)


def colors_of(guess: Code) -> int:
    """The colors of a guess, a bit each."""
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
    """How many guesses are told apart by more than the names of colors that nobody has guessed yet."""
    if candidates_only:
        return int(count_in_order(live, rules.colors, guessed))
    fresh = rules.colors - guessed.bit_count()
    ways = [1] + [0] * fresh  # by the number of fresh colors that came so far
    for peg in range(rules.pegs):
        further = [0] * (fresh + 1)
        for come, many in enumerate(ways):
            further[come] += many * (rules.colors - fresh + (come if rules.repeats else come - peg))
            if come < fresh:
                further[come + 1] += many
        ways = further
    return sum(ways)
