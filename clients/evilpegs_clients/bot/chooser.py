"""A strategy at work: the next guess, within the budget of the clock, or the reason why there is none.

How much work a guess may take: a part of the time that is left, counted in feedback evaluations.

A strategy never sees a clock. What it may spend follows from the time left at the start of the turn and the turns
that a game of these rules still needs, at a speed that machines of today reach with room to spare.
"""

import math
from typing import Final

from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.strategies.strategy import Strategy, StrategyError, seeded_choice
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules

EVALUATIONS_PER_MS: Final = 200_000
"""Feedback evaluations in a millisecond; a modern core does three to six times as many."""
RESERVE_MS: Final = 250
"""Kept for the way to the server and back."""
UNTIMED_MS: Final = 20_000
"""What a guess may take where no clock runs: as long as somebody likes to watch."""


def evaluations(rules: Rules, turn: int, guess_limit: int, left_ms: int | None, increment_ms: int = 0) -> int:
    """The budget of the guess at ``turn``; at least one evaluation."""
    if left_ms is None:
        return UNTIMED_MS * EVALUATIONS_PER_MS
    share = max(0, left_ms - RESERVE_MS) / turns_to_come(rules, turn, guess_limit)
    return max(1, int((share + increment_ms / 2) * EVALUATIONS_PER_MS))


def turns_to_come(rules: Rules, turn: int, guess_limit: int) -> int:
    """How many guesses a game still takes, this one included: a rough guess, rather too many than too few.

    A guess halves the candidates about twice.
    """
    usual = 2 + math.ceil(math.log2(rules.size) / 2)
    return min(max(2, usual - turn + 1), max(1, guess_limit - turn + 1))


class Chooser:
    """Chooses with ``strategy``; ``over_budget`` counts the times it had to be helped out."""

    def __init__(self, strategy: Strategy, seed: int, live_sets: LiveSets) -> None:
        self.over_budget = 0
        self._name = strategy.name
        self._choose = seeded_choice(strategy, seed)
        self._live_sets = live_sets

    def position(self, view: MatchView) -> Position:
        """The position of the open turn, with the work its choice may take."""
        started = view.started
        increment = started.clock.increment_ms if started.clock else 0
        budget = evaluations(view.rules, view.turn, started.guess_limit, view.left_ms, increment)
        return Position(view.rules, view.history, self._live_sets, budget)

    def choose(self, position: Position) -> Code:
        """The guess; the first candidate where the strategy would go over its budget.

        Raises:
            StrategyError: the strategy failed, or chose what is not a code of the rules.
        """
        try:
            return self._choose(position)
        except OverBudgetError:
            self.over_budget += 1
            return position.first_candidate
        except StrategyError:
            raise
        except GameError as error:
            message = f"strategy {self._name} cannot go on at turn {position.turn}: {error}"
            raise StrategyError(message) from error
        except BaseException as error:
            # It runs in a thread of its own, where not even an exit or an interruption is anybody else's.
            told = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
            message = f"strategy {self._name} failed at turn {position.turn}: {told}"
            raise StrategyError(message) from error
