"""Choosing a guess with a strategy, within a budget of work that fits the clock.

A strategy never sees a clock. Its budget is counted in feedback evaluations and follows from the time left at the
start of the turn and the number of guesses that a game of these rules still needs. The assumed speed is one that
current machines exceed.
"""

import math
from typing import Final

from evilpegs_clients.bot.summary import StrategyFailure
from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.strategies.description import describe_exception
from evilpegs_clients.strategies.seeding import game_seed
from evilpegs_clients.strategies.strategy import Strategy, StrategyError, seeded_choice
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted

EVALUATIONS_PER_MS: Final = 200_000
"""Assumed feedback evaluations per millisecond; a modern core does three to six times as many."""
RESERVE_MS: Final = 250
"""Time held back for the round trip to the server."""
UNTIMED_MS: Final = 20_000
"""Time per guess without a clock: about as long as a spectator is willing to wait."""


def guess_budget(rules: Rules, turn: int, guess_limit: int, left_ms: int | None, increment_ms: int = 0) -> int:
    """Return the budget of the guess at ``turn`` in feedback evaluations, at least 1; times are in milliseconds."""
    if left_ms is None:
        return UNTIMED_MS * EVALUATIONS_PER_MS
    share = max(0, left_ms - RESERVE_MS) / remaining_turns(rules, turn, guess_limit)
    return max(1, int((share + increment_ms / 2) * EVALUATIONS_PER_MS))


def remaining_turns(rules: Rules, turn: int, guess_limit: int) -> int:
    """Estimate the number of guesses left in a game, this one included. The estimate errs on the high side.

    A guess divides the number of candidates by about four.
    """
    usual = 2 + math.ceil(math.log2(rules.size) / 2)
    return min(max(2, usual - turn + 1), max(1, guess_limit - turn + 1))


class MoveChooser:
    """A strategy that always has a guess; ``over_budget`` counts the guesses it was replaced for being too slow.

    ``seed`` is the seed of the run. Each game has a seed of its own, which follows from it, the match and the game.
    """

    def __init__(self, strategy: Strategy, seed: int, live_sets: LiveSets) -> None:
        self.over_budget = 0
        self._strategy = strategy
        self._seed = seed
        self._live_sets = live_sets

    def rehearse(self, offer: LadderInfo | MatchStarted) -> StrategyFailure | None:
        """Choose a first guess on a ladder or in an open match without playing it; return the strategy's failure."""
        rules, clock = Rules.parse(offer.rules), offer.clock
        left, increment = (clock.base_ms, clock.increment_ms) if clock else (None, 0)
        budget = guess_budget(rules, 1, offer.guess_limit, left, increment)
        position, seed = Position(rules, (), self._live_sets, budget), game_seed(self._seed, "rehearsal")
        try:
            self.choose(position, seed)
        except StrategyError as error:
            return StrategyFailure(None, None, position, seed, None, error)
        return None

    def position(self, view: MatchView) -> Position:
        """Return the position of the open turn, including the budget of its choice."""
        started = view.started
        increment = started.clock.increment_ms if started.clock else 0
        budget = guess_budget(view.rules, view.turn, started.guess_limit, view.left_ms, increment)
        return Position(view.rules, view.history, self._live_sets, budget)

    def game_seed(self, match: str, game: int) -> int:
        """Return the seed of one game."""
        return game_seed(self._seed, match, game)

    def choose(self, position: Position, seed: int) -> Code:
        """Choose the guess in a game with this seed: the strategy's, or the first candidate if that exceeds the budget.

        Raises:
            StrategyError: The strategy failed or chose something that is not a code of the rules.
        """
        try:
            return seeded_choice(self._strategy, seed)(position)
        except OverBudgetError:
            self.over_budget += 1
            return position.first_candidate
        except StrategyError:
            raise
        except GameError as error:
            message = f"strategy {self._strategy.name} cannot go on at turn {position.turn}: {_reason(error)}"
            raise StrategyError(message) from error
        except BaseException as error:
            # In this thread of its own, even SystemExit and KeyboardInterrupt can only come from the strategy.
            reason = describe_exception(error)[:200]
            message = f"strategy {self._strategy.name} failed at turn {position.turn}: {reason}"
            raise StrategyError(message) from error


def _reason(error: GameError) -> str:
    """Return the text of an error with a remedy that a bot has, which cannot take other rules on a ladder."""
    text, remedy = str(error), "take smaller rules"
    if not text.endswith(remedy):
        return text
    return f"{text.removesuffix(remedy)}play sampled there, or choose a smaller ladder"
