"""Measure one strategy on the rules of one ladder: exactly if every secret can be played, else by games with a seed.

Games are played without a clock, as `evilpegs evaluate --games` plays them: the seed and the number of a game determine
its secret and all random choices. The secrets of a game number are therefore the same for all strategies.
"""

import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import partial
from hashlib import sha256
from itertools import islice
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from evilpegs_clients.evaluation.cost import SMALL_SIZE
from evilpegs_clients.paired_games import mean_score
from evilpegs_clients.strategies.consistent import RandomConsistent
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import Strategy, draw_secret, game_seed, seeded_choice
from evilpegs_game.codemakers.codemaker import Codemaker, Evil, Fixed, TieBreak
from evilpegs_game.codemakers.devil import Devil
from evilpegs_game.codemakers.worst_case import WorstCase
from evilpegs_game.codes import Code
from evilpegs_game.errors import GameError
from evilpegs_game.evaluation.exact import distribution_from, play_turns
from evilpegs_game.evaluation.expectation import expected_guesses
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.feedback import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.luck.game_luck import ValueCurve, adjusted_score, load_value_curve, raw_score
from evilpegs_game.rules import Rules
from evilpegs_game.statistics.means import student_95
from evilpegs_protocol.commitment import derive_nonce, tie_index
from evilpegs_server.match.ladders import Ladder
from ladder_results.journal import Journal

EXPECTED_CODES = 1296
"""The most codes of rules whose exact expectation for random guesses is computed; it takes about ten seconds."""

EXACT_CODES = 10**6
"""The most codes of rules on which all secrets are played by a strategy that follows a criterion; minutes on 6x10."""

BLOCK = 20
"""Games that are played again if the computation is stopped within them."""

GAME_SECONDS = 60.0
"""The most processor time of one game; some games on colossus would take minutes."""

Interval = tuple[float, float]
Choose = Callable[[Position], Code]


class SlowGameError(GameError):
    """A game took too much processor time."""


@dataclass(frozen=True)
class Measurement:
    """The guesses of a strategy on a ladder.

    ``mean`` is exact if it is a fraction. ``interval`` is the 95 % interval of games, None without games or if all
    games have the same score. ``worst`` is the largest score of the ``games`` games, or of all secrets if there are no
    games. ``is_adjusted`` says that luck was taken out of the scores that the interval is computed from.
    """

    mean: Fraction | float
    worst: int
    games: int = 0
    interval: Interval | None = None
    is_adjusted: bool = False

    @property
    def is_exact(self) -> bool:
        return isinstance(self.mean, Fraction)

    def to_json(self) -> dict[str, object]:
        """Return a value in JSON, from which `from_json` makes an equal measurement."""
        return asdict(self) | {"mean": str(self.mean) if isinstance(self.mean, Fraction) else self.mean}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Measurement":
        low_high = value["interval"] and tuple(value["interval"])
        mean = Fraction(value["mean"]) if isinstance(value["mean"], str) else value["mean"]
        return cls(**value | {"mean": mean, "interval": low_high})


def measure_fixed(
    strategy: Strategy, ladder: Ladder, games: int, seed: int, journal: Journal | None = None
) -> Measurement:
    """Return the result against secrets drawn at random; every secret is played if the rules are small enough."""
    rules = ladder.rules
    most_codes = EXACT_CODES if isinstance(strategy, CriterionStrategy) else SMALL_SIZE
    if not strategy.uses_rng and rules.size <= most_codes:
        counts = distribution(strategy, rules)
        return Measurement(mean_score(counts, ladder.guess_limit), min(len(counts), ladder.guess_limit + 1))
    curve = load_value_curve(rules, ladder.guess_limit)
    raw, scores = play_fixed(strategy, ladder, curve, games, seed, journal)
    mean: Fraction | float = fmean(scores)
    if isinstance(strategy, RandomConsistent) and rules.size <= EXPECTED_CODES:
        mean = expected_guesses(rules)
    return Measurement(mean, max(raw), games, interval(scores), curve is not None)


def distribution(strategy: Strategy, rules: Rules) -> tuple[int, ...]:
    """Return how many secrets the strategy finds at each guess from 1."""
    if isinstance(strategy, CriterionStrategy):
        return evaluate_heuristic(rules, strategy.criterion)
    return distribution_from(seeded_choice(strategy), rules)


def play_fixed(
    strategy: Strategy, ladder: Ladder, curve: ValueCurve | None, games: int, seed: int, journal: Journal | None = None
) -> tuple[list[int], list[float]]:
    """Return the scores of games, raw and adjusted for luck; both are the same without a curve."""
    rules, live_sets = ladder.rules, LiveSets()
    numbered = list(enumerate(choosers(strategy, games, seed)))

    def play_block(start: int) -> list[tuple[int, float]]:
        scores = []
        for number, choose in numbered[start : start + BLOCK]:
            codemaker = Fixed(draw_secret(game_seed(seed, number), rules))
            turns = play(choose, codemaker, ladder, live_sets)
            raw = raw_score(rules, turns, ladder.guess_limit)
            scores.append((raw, adjusted_score(rules, turns, curve, live_sets) if curve else float(raw)))
        return scores

    kept = Journal() if journal is None else journal
    scores: list[tuple[int, float]] = []
    for start in range(0, games, BLOCK):
        key = ["games", str(rules), ladder.guess_limit, strategy.name, seed, start, min(games, start + BLOCK)]
        scores += kept.get(key, partial(play_block, start))
    return [raw for raw, _ in scores], [adjusted for _, adjusted in scores]


def measure_adversary(strategy: Strategy, ladder: Ladder, games: int, seed: int) -> Measurement:
    """Return the result against evil or a devil; one game is exact if neither side draws random numbers."""
    if ladder.tie == "largest" and not strategy.uses_rng:
        (score,) = play_adversary(strategy, ladder, 1, seed)
        return Measurement(Fraction(score), score)
    scores = play_adversary(strategy, ladder, games, seed)
    return Measurement(fmean(scores), max(scores), games, interval(scores))


def play_adversary(strategy: Strategy, ladder: Ladder, games: int, seed: int) -> list[int]:
    """Return the scores of games against the codemaker of the ladder."""
    live_sets = LiveSets()
    worst_case = WorstCase(ladder.rules) if ladder.codemaker == "devil" else None
    scores = []
    for number, choose in enumerate(choosers(strategy, games, seed)):
        tie_break = seeded_ties(seed, number) if ladder.tie == "largest/seeded" else None
        exact_up_to = ladder.exact_up_to or 0
        codemaker = Devil(worst_case, exact_up_to, tie_break) if worst_case else Evil(tie_break)
        turns = play(choose, codemaker, ladder, live_sets)
        scores.append(raw_score(ladder.rules, turns, ladder.guess_limit))
    return scores


def play(choose: Choose, codemaker: Codemaker, ladder: Ladder, live_sets: LiveSets) -> History:
    """Return the turns of one game, at most as many as the ladder allows; raise SlowGameError if it takes too long."""
    played = play_turns(choose, codemaker, Position(ladder.rules, (), live_sets))
    with limited_time(GAME_SECONDS):
        return tuple(Turn(turn.guess, turn.feedback) for turn in islice(played, ladder.guess_limit))


@contextmanager
def limited_time(seconds: float) -> Iterator[None]:
    """Raise SlowGameError in the block, which the main thread executes, after some seconds of processor time."""

    def stop(*_: object) -> None:
        message = f"a game took more than {seconds:g} seconds of processor time"
        raise SlowGameError(message)

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def choosers(strategy: Strategy, games: int, seed: int) -> Iterable[Choose]:
    """Yield the strategy's choice in each game. Deterministic strategies share what they have chosen before."""
    if strategy.uses_rng:
        yield from (seeded_choice(strategy, game_seed(seed, number)) for number in range(games))
    else:
        yield from [remembered(seeded_choice(strategy))] * games


def remembered(choose: Choose) -> Choose:
    """Return a deterministic choice that is computed once per history."""
    known: dict[History, Code] = {}

    def choose_once(position: Position) -> Code:
        if position.history not in known:
            known[position.history] = choose(position)
        return known[position.history]

    return choose_once


def seeded_ties(seed: int, number: int) -> TieBreak:
    """Return the choice among equal replies in one game, by the rule of servers with a nonce that follows from seed."""
    nonce = derive_nonce(sha256(str(seed).encode()).digest(), "results", number)
    return lambda turn, tied: tie_index(nonce, "results", number, turn, tied)


def interval(scores: list[int] | list[float]) -> Interval | None:
    """Return the 95 % interval of the mean by Student's t; None after one game or if all scores are equal."""
    if len(set(scores)) < 2:
        return None
    error = student_95(len(scores) - 1) * stdev(scores) / sqrt(len(scores))
    mean = fmean(scores)
    return mean - error, mean + error
