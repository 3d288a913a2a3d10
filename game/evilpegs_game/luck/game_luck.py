"""The luck of a game against a fixed secret, and its luck-adjusted score.

Part of a score is luck: the feedback of a guess may leave few candidates or many. With ``V(part)`` as the guesses that
a good strategy still expects in a part, the luck of one turn is::

    D = V(part received) - sum over all parts of (size / n) V(part)

where n is the number of candidates before the guess. ``V`` of the all-black part is 0, because the game is over, and
``V`` of any other part is the value of its size on a frozen `ValueCurve`. A positive D is bad luck. For a secret that
is uniform among the candidates, D has mean 0 whatever the guess was, so the score minus the luck of all answered turns,
the last included, has the same mean as the score for any strategy. It varies much less. This is the method of control
variates, known from poker as MIVAT: M. White and M. Bowling, Learning a value analysis tool for agent evaluation, IJCAI
(2009).
"""

from collections.abc import Sequence
from math import fsum

from evilpegs_game.errors import ContradictionError
from evilpegs_game.feedback import all_black, feedback_number
from evilpegs_game.history import Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.value_curve import MILLION, ValueCurve
from evilpegs_game.rules import Rules


def turn_luck(position: Position, turn: Turn, curve: ValueCurve) -> float:
    """Return the luck of one turn at ``position``, for rules of any size that `Position.part_sizes` supports.

    Raises:
        ContradictionError: no candidate gives this feedback.
        TooLargeError: the parts cannot be counted.
    """
    sizes = position.part_sizes(turn.guess)
    received = feedback_number(turn.feedback, position.rules.pegs)
    if not sizes[received]:
        message = f"no code of {position.rules} is consistent with the feedback of turn {position.turn}"
        raise ContradictionError(message, turn=position.turn)
    *others, _ = sizes  # the last part is all-black, whose value is 0
    expected = fsum(size * curve.value(size) for size in others if size) / sum(sizes)
    return (curve.value(sizes[received]) if received < len(others) else 0.0) - expected


def game_luck(rules: Rules, turns: Sequence[Turn], curve: ValueCurve, live_sets: LiveSets) -> float:
    """Return the luck of a game in guesses; ``turns`` are all answered turns, whether or not the last solved it.

    A game on 4x6 takes 0.1 ms if its live sets are cached in ``live_sets``, and a game on 10x12 takes 0.2 s if nothing
    is cached (bench/evaluation.py). Raises the errors of `turn_luck`.
    """
    history = tuple(turns)
    positions = (Position(rules, history[:index], live_sets) for index in range(len(history)))
    return fsum(turn_luck(position, turn, curve) for position, turn in zip(positions, history, strict=True))


def raw_score(rules: Rules, turns: Sequence[Turn], guess_limit: int) -> int:
    """Return the score of a game, ``guess_limit`` + 1 if its last turn did not solve it."""
    is_solved = bool(turns) and turns[-1].feedback == all_black(rules.pegs)
    return len(turns) if is_solved else guess_limit + 1


def adjusted_score(rules: Rules, turns: Sequence[Turn], curve: ValueCurve, live_sets: LiveSets) -> float:
    """Return the luck-adjusted score of a game, with the arguments and errors of `game_luck`."""
    return raw_score(rules, turns, curve.guess_limit) - game_luck(rules, turns, curve, live_sets)


def to_millionths(luck: float) -> int:
    """Return ``luck``, which may also be an adjusted score, in millionths of a guess."""
    # sums of integers are exact, so the mean of stored values does not depend on the order of the games
    return round(luck * MILLION)
