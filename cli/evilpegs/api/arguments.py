"""Conversion of the arguments of the Python API, which may be texts, to the objects of the game."""

import reprlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from inspect import isfunction, ismethod
from operator import index
from pathlib import Path
from random import Random
from typing import ClassVar, SupportsIndex

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import Strategy, StrategyError
from evilpegs_game.codes import Code, check_code, parse_code
from evilpegs_game.errors import MalformedError
from evilpegs_game.feedback import Feedback, History, Turn
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

ChooseFunction = Callable[[Position, Random], Code]
"""A strategy as a plain function ``choose(position, rng)``."""

StrategyLike = str | Path | Strategy | ChooseFunction
RulesLike = str | Rules
CodeLike = str | Sequence[int]
FeedbackLike = str | tuple[int, int]


@dataclass(frozen=True, slots=True)
class FunctionStrategy:
    """A strategy that calls a function ``choose(position, rng)``."""

    name: str
    function: ChooseFunction
    uses_rng: ClassVar[bool] = True

    def choose(self, position: Position, rng: Random) -> Code:
        """Return the function's guess, which is not checked."""
        return self.function(position, rng)


def to_rules(rules: RulesLike) -> Rules:
    """Return ``rules``, parsed if it is a text such as ``4x6`` or ``classic``."""
    if isinstance(rules, str):
        return Rules.parse(rules)
    if isinstance(rules, Rules):
        return rules
    raise _wrong("rules", rules, "Rules(4, 6) or a text such as '4x6'")


def to_code(code: CodeLike, rules: Rules) -> Code:
    """Return ``code`` as a tuple, parsed if it is a text such as ``1122``."""
    if isinstance(code, str):
        return parse_code(code, rules)
    try:
        checked = tuple(index(color) for color in code)
    except TypeError:
        raise _wrong("a code", code, "a text such as '1122' or a tuple of color indices such as (0, 0, 1, 1)") from None
    check_code(checked, rules)
    return checked


def to_feedback(feedback: FeedbackLike, rules: Rules) -> Feedback:
    """Return ``feedback``, parsed if it is a text such as ``1,2``, black and white."""
    try:
        parsed = Feedback.parse(feedback) if isinstance(feedback, str) else Feedback(*map(index, feedback))
    except TypeError:
        raise _wrong("a feedback", feedback, "a text such as '1,2' or Feedback(black=1, white=2)") from None
    parsed.check(rules.pegs)
    return parsed


def to_history(turns: Iterable[tuple[CodeLike, FeedbackLike]], rules: Rules) -> History:
    """Return pairs of guess and feedback as a `History`."""
    history = []
    for turn in turns:
        try:
            guess, reply = turn
        except (TypeError, ValueError):
            raise _wrong("a turn", turn, "a guess and its feedback such as ('1122', '1,0')") from None
        history.append(Turn(to_code(guess, rules), to_feedback(reply, rules)))
    return tuple(history)


def to_strategy(strategy: StrategyLike, candidates_only: bool = False) -> Strategy:
    """Return ``strategy``, loaded if it is a name or the path of a ``.py`` file, or wrapped if it is a function."""
    if isinstance(strategy, str | Path):
        return load_strategy(str(strategy), candidates_only)
    if candidates_only:
        raise StrategyError(
            "candidates_only is for the name of a built-in strategy; a strategy of your own decides by itself"
        )
    if isinstance(strategy, Strategy) and not isinstance(strategy, type):
        return strategy
    if isfunction(strategy) or ismethod(strategy) or isinstance(strategy, partial):
        return FunctionStrategy(getattr(strategy, "__name__", "strategy"), strategy)
    raise _wrong("a strategy", strategy, "a name, the path of a .py file, a strategy object or choose(position, rng)")


def to_whole(name: str, value: SupportsIndex, least: int) -> int:
    """Return ``value`` as an int of at least ``least``."""
    try:
        number = index(value)
    except TypeError:
        number = least - 1
    if number < least:
        raise MalformedError(f"{name} must be a whole number of at least {least}, not {reprlib.repr(value)}")
    return number


def _wrong(kind: str, value: object, wanted: str) -> MalformedError:
    return MalformedError(f"not {kind}: {reprlib.repr(value)}; pass {wanted}")
