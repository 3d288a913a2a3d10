"""The luck of a game against a fixed secret, and its luck-adjusted score.

Part of a score is luck: the feedback of a guess may leave few candidates or many. With ``V(part)`` as the guesses that
a good strategy still expects in a part, the luck of one turn is::

    D = V(part received) - sum over all parts of (size / n) V(part)

where n is the number of candidates before the guess. ``V`` of the all-black part is 0, because the game is over, and
``V`` of any other part is the value of its size on a frozen `ValueCurve`. A positive D is bad luck; what people read
has the opposite sign (docs/scoring.md). For a secret that is uniform among the candidates, D has mean 0 whatever the
guess was, so the score minus the luck of all answered turns, the last included, has the same mean as the score for any
strategy. It varies much less. This is the method of control variates, known from poker as MIVAT: M. White and M.
Bowling, Learning a value analysis tool for agent evaluation, IJCAI (2009).

A value curve says how many more guesses a good strategy expects with a given number of candidates. It is frozen in a
file of the folder `curves`, because stored luck, which names the hash of its curve, stays comparable only if the curve
never changes. Any curve leads to unbiased scores; a good one gives scores that vary little. The file is a JSON object::

    {"rules": "4x6", "guess_limit": 10, "calibration": "...", "knots": [[1, 1000000], [2, 1500000], ...]}

A knot is a number of candidates and the expected number of further guesses, in millionths. Between knots the curve is
linear in the logarithm of the number of candidates.
"""

import json
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256
from itertools import pairwise
from math import fsum, log
from pathlib import Path
from typing import Final

from evilpegs_game.errors import ContradictionError, MalformedError, quoted
from evilpegs_game.feedback import Turn, all_black, feedback_number
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position, unchecked_part_sizes, unchecked_position
from evilpegs_game.rules import Rules

CURVES_FOLDER: Final = Path(__file__).with_name("curves")
MILLION: Final = 1_000_000
"""Stored values and luck are in millionths of a guess."""
HASH_DIGITS: Final = 16

Knot = tuple[int, int]
"""A number of candidates, and the expected number of further guesses in millionths."""


class ValueCurve:
    """The further guesses that a good strategy expects, by number of candidates.

    ``knots`` increase from ``(1, MILLION)`` to all codes of the rules. ``calibration`` says in words how they were
    made, and does not enter ``hash``. Raises MalformedError if the knots are not those of a curve on these rules.
    """

    def __init__(self, rules: Rules, guess_limit: int, knots: Sequence[Knot], calibration: str = "") -> None:
        _check_knots(rules, guess_limit, knots)
        self.rules = rules
        self.guess_limit = guess_limit
        self.knots = tuple(knots)
        self.calibration = calibration
        document = {"rules": str(rules), "guess_limit": guess_limit, "knots": [list(knot) for knot in knots]}
        text = json.dumps(document, sort_keys=True, separators=(",", ":"))
        self.hash: str = sha256(text.encode()).hexdigest()[:HASH_DIGITS]
        """The beginning of the SHA-256 of the canonical JSON of rules, guess limit and knots."""
        self._logs = [log(size) for size, _ in knots]
        self._values = [value / MILLION for _, value in knots]

    def __repr__(self) -> str:
        return f"<ValueCurve {self.rules} limit {self.guess_limit} {self.hash}>"

    def value(self, size: int) -> float:
        """Return the expected number of further guesses with ``size`` candidates."""
        position = log(size)
        after = bisect_right(self._logs, position)
        if after == len(self._logs):
            return self._values[-1]
        low, high = self._logs[after - 1], self._logs[after]
        rise = self._values[after] - self._values[after - 1]
        return self._values[after - 1] + rise * (position - low) / (high - low)


def load_value_curve(rules: Rules, guess_limit: int) -> ValueCurve | None:
    """Return the curve that this package has, if any; raises MalformedError if its file is damaged."""
    path = curve_path(rules, guess_limit)
    return read_value_curve(path, rules, guess_limit) if path.is_file() else None


def usual_curve(rules: Rules) -> ValueCurve | None:
    """Return the curve of these rules for any guess limit, as `load_value_curve` does."""
    for path in sorted(CURVES_FOLDER.glob(f"{rules}-[0-9]*.json")):
        return read_value_curve(path, rules, int(path.stem.rpartition("-")[2]))
    return None


def curve_path(rules: Rules, guess_limit: int, folder: Path = CURVES_FOLDER) -> Path:
    return folder / f"{rules}-{guess_limit}.json"


def read_value_curve(path: Path, rules: Rules, guess_limit: int) -> ValueCurve:
    """Raises MalformedError if the file does not contain this curve, OSError if it cannot be read."""
    try:
        return _parse(path.read_bytes(), rules, guess_limit)
    except MalformedError as error:
        raise MalformedError(
            f"{path} is not a value curve: {error}; restore the file, or calibrate the ladder again"
        ) from None


def format_value_curve(curve: ValueCurve) -> str:
    """Return the text of the file of ``curve``, with one knot per line."""
    head = {"rules": str(curve.rules), "guess_limit": curve.guess_limit, "calibration": curve.calibration}
    fields = [f" {json.dumps(name)}: {json.dumps(value)},\n" for name, value in head.items()]
    knots = ",\n".join(f"  [{size}, {value}]" for size, value in curve.knots)
    return "{\n" + "".join(fields) + f' "knots": [\n{knots}\n ]\n}}\n'


def _parse(data: bytes, rules: Rules, guess_limit: int) -> ValueCurve:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict):
        raise MalformedError("it is not a JSON object")
    _require_equal("rules", document.get("rules"), str(rules))
    _require_equal("guess_limit", document.get("guess_limit"), guess_limit)
    knots = document.get("knots")
    if not isinstance(knots, list) or not all(
        isinstance(knot, list) and [type(number) for number in knot] == [int, int] for knot in knots
    ):
        raise MalformedError("knots is not a list of pairs of whole numbers")
    return ValueCurve(rules, guess_limit, [(size, value) for size, value in knots], str(document.get("calibration")))


def _require_equal(field: str, value: object, expected: object) -> None:
    if type(value) is not type(expected) or value != expected:
        raise MalformedError(f"{field} is {quoted(str(value))}, not {str(expected)!r}")


def _check_knots(rules: Rules, guess_limit: int, knots: Sequence[Knot]) -> None:
    if not knots or knots[0] != (1, MILLION):
        message = "its first knot is not one candidate with one guess, [1, 1000000]"
    elif knots[-1][0] != rules.size:
        message = f"its last knot is not all {rules.size} codes of {rules}"
    elif any(size >= larger for (size, _), (larger, _) in pairwise(knots)):
        message = "the numbers of candidates of its knots do not increase"
    elif any(value > higher for (_, value), (_, higher) in pairwise(knots)):
        message = "the expected guesses of its knots decrease"
    elif knots[-1][1] > (guess_limit + 1) * MILLION:
        message = f"its last knot expects more than {guess_limit + 1} guesses, the largest score"
    else:
        return
    raise MalformedError(message)


def turn_luck(position: Position, turn: Turn, curve: ValueCurve) -> float:
    """Return the luck of one turn at ``position``; raises ContradictionError and TooLargeError."""
    sizes = unchecked_part_sizes(position, turn.guess)
    received = feedback_number(turn.feedback, position.rules.pegs)
    if not sizes[received]:
        raise ContradictionError(
            f"no code of {position.rules} is consistent with the feedback of turn {position.turn}", turn=position.turn
        )
    *others, _ = sizes  # the last part is all-black, whose value is 0
    expected = fsum(size * curve.value(size) for size in others if size) / sum(sizes)
    return (curve.value(sizes[received]) if received < len(others) else 0.0) - expected


def game_luck(rules: Rules, turns: Sequence[Turn], curve: ValueCurve, live_sets: LiveSets) -> float:
    """Return the luck of a game in guesses, solved or not; raises the errors of `turn_luck`.

    A game on 4x6 takes 0.1 ms if its live sets are cached in ``live_sets``, and a game on 10x12 takes 0.2 s if nothing
    is cached (bench/evaluation.py).
    """
    history = tuple(turns)
    positions = (unchecked_position(rules, history[:index], live_sets) for index in range(len(history)))
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
