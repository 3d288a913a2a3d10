"""A strategy at work: the next guess, within the budget of the clock, or the reason why there is none."""

from evilpegs_clients.budget import evaluations
from evilpegs_clients.match_view import MatchView
from evilpegs_clients.strategies.strategy import Strategy, StrategyError, player
from evilpegs_game.candidates import LiveSets, Position
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError


class Chooser:
    """Chooses with ``strategy``; ``over_budget`` counts the times it had to be helped out."""

    def __init__(self, strategy: Strategy, seed: int, live_sets: LiveSets) -> None:
        self.over_budget = 0
        self._name = strategy.name
        self._choose = player(strategy, seed)
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
