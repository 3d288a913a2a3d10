"""Choosing a guess with a strategy, within a budget of work that fits the clock.

A strategy never sees a clock. Its budget is a number of feedbacks, which follows from the time left at the start of the
turn, an estimate of the guesses that the game still needs, and an assumed speed that current machines exceed.
"""

import asyncio
import math
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, TypeVar

from evilpegs_clients.bot.summary import StrategyFailure
from evilpegs_clients.connection.match_view import MatchView
from evilpegs_clients.strategies.strategy import Strategy, StrategyError, describe_exception, game_seed, seeded_choice
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError, OverBudgetError
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position, unchecked_position
from evilpegs_game.rules import Rules
from evilpegs_protocol.server_messages import LadderInfo, MatchStarted

EVALUATIONS_PER_MS: Final = 200_000  # assumed feedbacks; a modern core computes three to six times as many
RESERVE_MS: Final = 250  # kept back for the round trip to the server
UNTIMED_MS: Final = 20_000  # time per guess without a clock: about as long as a spectator is willing to wait


def guess_budget(rules: Rules, turn: int, guess_limit: int, left_ms: int | None, increment_ms: int = 0) -> int:
    """Return the number of feedbacks, at least 1, that may be computed to choose this guess."""
    if left_ms is None:
        return UNTIMED_MS * EVALUATIONS_PER_MS
    share = max(0, left_ms - RESERVE_MS) / remaining_turns(rules, turn, guess_limit)
    return max(1, int((share + increment_ms / 2) * EVALUATIONS_PER_MS))


def remaining_turns(rules: Rules, turn: int, guess_limit: int) -> int:
    """Estimate the guesses left, this one included; errs on the high side, but never beyond ``guess_limit``."""
    # a guess is assumed to divide the number of candidates by about four
    usual = 2 + math.ceil(math.log2(rules.size) / 2)
    return min(max(2, usual - turn + 1), max(1, guess_limit - turn + 1))


class MoveChooser:
    """A chooser of guesses; ``over_budget`` counts those where the strategy exceeded its budget."""

    def __init__(self, strategy: Strategy, seed: int, live_sets: LiveSets) -> None:
        self.over_budget = 0
        self._strategy = strategy
        self._seed = seed
        self._live_sets = live_sets

    def rehearse(self, offer: LadderInfo | MatchStarted) -> StrategyFailure | None:
        """Let the strategy choose a first guess without playing it; return its failure. Over budget is none."""
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
        started = view.started
        increment = started.clock.increment_ms if started.clock else 0
        budget = guess_budget(view.rules, view.turn, started.guess_limit, view.left_ms, increment)
        return unchecked_position(view.rules, view.history, self._live_sets, budget)

    def game_seed(self, match: str, game: int) -> int:
        return game_seed(self._seed, match, game)

    def choose(self, position: Position, seed: int) -> Code:
        """Return the strategy's guess, or the first candidate over budget; raises StrategyError if the choice fails."""
        try:
            return seeded_choice(self._strategy, seed)(position)
        except OverBudgetError:
            self.over_budget += 1
            return position.first_candidate
        except StrategyError:
            raise
        except GameError as error:
            raise StrategyError(
                f"strategy {self._strategy.name} cannot go on at turn {position.turn}: {_reason(error)}"
            ) from error
        except BaseException as error:
            # In this thread of its own, even SystemExit and KeyboardInterrupt can only come from the strategy.
            reason = describe_exception(error)[:200]
            raise StrategyError(f"strategy {self._strategy.name} failed at turn {position.turn}: {reason}") from error


def _reason(error: GameError) -> str:
    # a bot cannot choose smaller rules: the ladder sets them
    text, remedy = str(error), "take smaller rules"
    if not text.endswith(remedy):
        return text
    return f"{text.removesuffix(remedy)}play sampled there, or choose a smaller ladder"


_T = TypeVar("_T")


def run_in_thread(work: Callable[[], _T]) -> "asyncio.Future[_T]":
    """Run ``work`` in a new daemon thread: work that never ends does not keep the program alive."""
    done: Future[_T] = Future()
    done.set_running_or_notify_cancel()  # from now on, a caller that gives up does not cancel it
    future = asyncio.wrap_future(done)
    # marks the exception as retrieved, else asyncio logs it when nobody awaits the future
    future.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    def run() -> None:
        try:
            done.set_result(work())
        except BaseException as error:  # noqa: BLE001 - the future carries it to the caller
            done.set_exception(_presentable(error))

    threading.Thread(target=run, name="background", daemon=True).start()
    return future


def _presentable(error: BaseException) -> Exception:
    # a future refuses StopIteration, and SystemExit in the thread must not end the program
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    raised = RuntimeError(f"{type(error).__name__} {error}".strip())
    raised.__cause__ = error
    return raised
