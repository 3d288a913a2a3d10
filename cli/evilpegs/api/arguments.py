"""Convert what a notebook passes, texts or objects, to the objects of the game."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import ClassVar

from evilpegs_clients.strategies.loading import load_strategy
from evilpegs_clients.strategies.strategy import Strategy
from evilpegs_game.codes import Code, check_code, parse_code
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
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
    """A strategy made of a function ``choose(position, rng)``."""

    name: str
    function: ChooseFunction
    uses_rng: ClassVar[bool] = True

    def choose(self, position: Position, rng: Random) -> Code:
        """Return the function's guess."""
        return self.function(position, rng)


def to_rules(rules: RulesLike) -> Rules:
    """Return the rules; a text such as ``4x6`` or ``classic`` is parsed. Raises MalformedError."""
    return Rules.parse(rules) if isinstance(rules, str) else rules


def to_code(code: CodeLike, rules: Rules) -> Code:
    """Return the code; a text such as ``1122`` is parsed. Raises MalformedError or IllegalCodeError."""
    if isinstance(code, str):
        return parse_code(code, rules)
    checked = tuple(int(color) for color in code)
    check_code(checked, rules)
    return checked


def to_feedback(feedback: FeedbackLike, rules: Rules) -> Feedback:
    """Return the feedback; a text such as ``1,2`` is parsed. Raises MalformedError if ``rules`` do not allow it."""
    parsed = Feedback.parse(feedback) if isinstance(feedback, str) else Feedback(*feedback)
    parsed.check(rules.pegs)
    return parsed


def to_history(turns: Iterable[tuple[CodeLike, FeedbackLike]], rules: Rules) -> History:
    """Return the turns as a history; each is a guess and its feedback. Raises as `to_code` and `to_feedback` do."""
    return tuple(Turn(to_code(guess, rules), to_feedback(reply, rules)) for guess, reply in turns)


def to_strategy(strategy: StrategyLike, candidates_only: bool = False) -> Strategy:
    """Return the strategy; a name or the path of a ``.py`` file is loaded, a function is wrapped.

    Raises:
        StrategyError: there is no such strategy, or ``candidates_only`` is asked of one that cannot do it.
    """
    if isinstance(strategy, str | Path):
        return load_strategy(str(strategy), candidates_only)
    if isinstance(strategy, Strategy):
        return strategy
    return FunctionStrategy(getattr(strategy, "__name__", "strategy"), strategy)
