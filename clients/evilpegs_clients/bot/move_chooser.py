"""Choosing a guess with a strategy, within a budget of work that fits the clock.

A strategy never sees a clock. Its budget is the number of feedbacks that it may compute for one guess. The budget
follows from the time left at the start of the turn, an estimate of the guesses that the game still needs, and an
assumed speed of computation that current machines exceed.
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
"""The assumed number of feedbacks computed per millisecond; a modern core computes three to six times as many."""
RESERVE_MS: Final = 250
"""The time in milliseconds that is kept back for the round trip to the server."""
UNTIMED_MS: Final = 20_000
"""The time per guess in milliseconds on ladders without a clock: about as long as a spectator is willing to wait."""


def guess_budget(rules: Rules, turn: int, guess_limit: int, left_ms: int | None, increment_ms: int = 0) -> int:
    """Return the number of feedbacks, at least 1, that may be computed to choose the guess of turn number ``turn``.

    Turns are numbered from 1, and ``guess_limit`` is the most guesses of a game. ``left_ms`` is the time left on the
    clock in milliseconds, and ``increment_ms`` the milliseconds that the clock adds after each guess. `RESERVE_MS` are
    subtracted from the time left, and the rest is divided by the number of guesses that `remaining_turns` estimates.
    The time for this guess is the quotient plus half of the increment. If ``left_ms`` is None, there is no clock, and
    the time for the guess is `UNTIMED_MS`. The result is this time multiplied by `EVALUATIONS_PER_MS`.
    """
    if left_ms is None:
        return UNTIMED_MS * EVALUATIONS_PER_MS
    share = max(0, left_ms - RESERVE_MS) / remaining_turns(rules, turn, guess_limit)
    return max(1, int((share + increment_ms / 2) * EVALUATIONS_PER_MS))


def remaining_turns(rules: Rules, turn: int, guess_limit: int) -> int:
    """Estimate the number of guesses left in a game, including the guess at ``turn``, from 1.

    A guess is assumed to divide the number of candidates by about four. The estimate errs on the high side: it is at
    least 2, but never more than ``guess_limit`` allows.
    """
    usual = 2 + math.ceil(math.log2(rules.size) / 2)
    return min(max(2, usual - turn + 1), max(1, guess_limit - turn + 1))


class MoveChooser:
    """A chooser of guesses with a strategy, which may compute a limited number of feedbacks per guess, its budget.

    Where the strategy exceeds its budget, the guess is the first candidate in code order. ``over_budget`` counts these
    guesses. ``seed`` is the seed of the run. The seed of each game follows from the seed of the run, the id of the
    match and the number of the game.
    """

    def __init__(self, strategy: Strategy, seed: int, live_sets: LiveSets) -> None:
        self.over_budget = 0
        self._strategy = strategy
        self._seed = seed
        self._live_sets = live_sets

    def rehearse(self, offer: LadderInfo | MatchStarted) -> StrategyFailure | None:
        """Let the strategy choose a first guess for ``offer``, a ladder or an open match, without playing the guess.

        Return the failure of the strategy, or None if the strategy chose a legal code or exceeded its budget.
        """
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
        """Return the position of the open turn in ``view``, including the budget for choosing its guess."""
        started = view.started
        increment = started.clock.increment_ms if started.clock else 0
        budget = guess_budget(view.rules, view.turn, started.guess_limit, view.left_ms, increment)
        return Position(view.rules, view.history, self._live_sets, budget)

    def game_seed(self, match: str, game: int) -> int:
        """Return the seed of the strategy's random choices in game number ``game`` of the match with id ``match``."""
        return game_seed(self._seed, match, game)

    def choose(self, position: Position, seed: int) -> Code:
        """Return the strategy's guess at ``position``, or the first candidate if the strategy exceeds its budget.

        ``seed`` is the seed of the game.

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
    """Return the text of ``error``; if the text advises smaller rules, advise another strategy or ladder instead.

    A bot cannot choose its rules, because the ladder sets them.
    """
    text, remedy = str(error), "take smaller rules"
    if not text.endswith(remedy):
        return text
    return f"{text.removesuffix(remedy)}play sampled there, or choose a smaller ladder"
