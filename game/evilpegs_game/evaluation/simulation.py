"""Simulation: the mean number of guesses of a strategy, estimated from random games.

It is meant for rules on which playing every secret takes too long, and for strategies with random choices.

Each game has a number. The secret of a game and each random choice in it come from generators that the number and the
turn determine. So a block of games has the same result wherever it is played, and the results of blocks can be added.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeVar

from evilpegs_game.codes import Code, RandomSource, code_at
from evilpegs_game.errors import StuckError
from evilpegs_game.evaluation.exact import GuessCounts
from evilpegs_game.feedback import all_black, plain_feedback
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position, unchecked_after, unchecked_position
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.means import student_interval

MAX_TURNS: Final = 200
"""The most guesses of one game before a strategy counts as stuck; it fits a byte."""

_D = TypeVar("_D", bound=RandomSource)


@dataclass(frozen=True, slots=True)
class Simulation(GuessCounts):
    """The guesses of at least one random game."""

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the expected guesses per game; None after one game or equal ones."""
        squares = sum(guesses * guesses * games for guesses, games in enumerate(self.distribution, 1))
        return student_interval(self.count, self.total, squares)


def game_lengths(
    choose: Callable[[Position, _D], Code], rules: Rules, games: range, game_rngs: Callable[[int], Callable[[int], _D]]
) -> bytes:
    """Play random games of a strategy and return their numbers of guesses, one byte per game.

    ``games`` are the numbers of the games. ``game_rngs(i)`` returns, for game i, a function from the turn to a random
    generator; that of turn 0 draws the secret. Raises StuckError if a game takes over `MAX_TURNS` guesses.
    """
    live_sets = LiveSets()
    return bytes(_play_game(choose, unchecked_position(rules, (), live_sets), game_rngs(number)) for number in games)


def length_counts(lengths: bytes) -> tuple[int, ...]:
    """Return, at index i, how many games took i + 1 guesses."""
    counts = Counter(lengths)
    return tuple(counts[guesses] for guesses in range(1, max(counts, default=0) + 1))


def _play_game(choose: Callable[[Position, _D], Code], position: Position, turn_rng: Callable[[int], _D]) -> int:
    secret = code_at(turn_rng(0).randrange(position.rules.size), position.rules)
    for turn in range(1, MAX_TURNS + 1):
        guess = choose(position, turn_rng(turn))
        reply = plain_feedback(guess, secret)
        if reply == all_black(position.rules.pegs):
            return turn
        position = unchecked_after(position, guess, reply)
    raise StuckError(f"the strategy is stuck: a game of {position.rules} was not over after {MAX_TURNS} guesses")
