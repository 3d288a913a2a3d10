"""Units of work: the pieces of an evaluation, each of which is played as a whole by one process.

A unit contains everything it depends on, so it has the same outcome wherever, whenever and how often it is played, and
outcomes can be added up in any order. If every secret is played, the game tree of a strategy is cut where many
candidates are left: a `ChoiceUnit` is the choice of one guess, and splits into units for what is below it; a
`SubtreeUnit` is everything below a history. Simulated games are played in a `GamesUnit`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from random import Random
from typing import Any

from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.strategy import SECRET_TURN, Strategy, game_seed, legal_choice, seeded_choice, turn_rng
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.evaluation.simulation import Simulation, game_lengths, length_counts
from evilpegs_game.feedback import Feedback, History, Turn, all_black, format_turns
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class SolvedCounts:
    """The codes of a `SubtreeUnit` solved at each guess after its history."""

    distribution: tuple[int, ...]
    worst: tuple[tuple[int, Code], ...] = ()  # if requested, with all guesses of their games

    def to_json(self) -> dict[str, Any]:
        worst = {"worst": [[guesses, format_code(code)] for guesses, code in self.worst]} if self.worst else {}
        return {"distribution": list(self.distribution), **worst}


@dataclass(frozen=True, slots=True)
class ChosenGuess:
    """The guess of a `ChoiceUnit`, with its part sizes."""

    guess: Code
    parts: Mapping[Feedback, int]

    def to_json(self) -> dict[str, Any]:
        parts = {str(feedback): size for feedback, size in self.parts.items()}
        return {"guess": format_code(self.guess), "parts": parts}


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The number of guesses of each game of a `GamesUnit`, one byte per game."""

    lengths: bytes

    @property
    def distribution(self) -> tuple[int, ...]:
        """Index i is for guess i + 1."""
        return length_counts(self.lengths)

    def to_json(self) -> dict[str, Any]:
        return {"lengths": self.lengths.hex()}


UnitOutcome = SolvedCounts | ChosenGuess | PlayedGames


@dataclass(frozen=True, slots=True)
class SubtreeUnit:
    """Playing to the end against each of the ``size`` candidates."""

    spec: StrategySpec
    history: History
    size: int

    @property
    def key(self) -> str:
        """Unique in a journal among the units of a specification."""
        return " ".join(("part", *format_turns(self.history)))

    def play(self) -> SolvedCounts:
        spec, strategy = self.spec, self.spec.load()
        first = None if self.history else spec.opening
        if isinstance(strategy, CriterionStrategy) and not spec.worst:
            walked = evaluate_heuristic(spec.rules, strategy.criterion, self.history, first, spec.candidates_only)
            return SolvedCounts(walked)
        solved: list[tuple[int, Code]] = []
        on_solved = (lambda code, guesses: solved.append((len(self.history) + guesses, code))) if spec.worst else None
        choose = seeded_choice(strategy, spec.seed)
        walked = distribution_from(choose, spec.rules, self.history, first, on_solved=on_solved)
        return SolvedCounts(walked, tuple(most_costly(solved, spec.worst)))

    def recall(self, document: Mapping[str, Any]) -> SolvedCounts:
        """Return an outcome from its JSON, as each unit does; raises GameError, KeyError, TypeError or ValueError."""
        distribution = tuple(map(int, document["distribution"]))
        worst = [(int(guesses), parse_code(code, self.spec.rules)) for guesses, code in document.get("worst", ())]
        return SolvedCounts(distribution, tuple(worst))


@dataclass(frozen=True, slots=True)
class ChoiceUnit:
    """Choosing the guess; ``size`` candidates are left before it."""

    spec: StrategySpec
    history: History
    size: int

    @property
    def key(self) -> str:
        return " ".join(("choice", *format_turns(self.history)))

    def play(self) -> ChosenGuess:
        spec = self.spec
        position = Position(spec.rules, self.history, LiveSets())
        guess = None if self.history else spec.opening
        if self.history:
            _ = position.candidates  # random strategies then draw from this list, as they do within a walk
        if guess is None:
            guess = seeded_choice(spec.load(), spec.seed)(position)
        return ChosenGuess(guess, position.parts(guess))

    def recall(self, document: Mapping[str, Any]) -> ChosenGuess:
        parts = {Feedback.parse(feedback): int(size) for feedback, size in document["parts"].items()}
        return ChosenGuess(parse_code(document["guess"], self.spec.rules), parts)

    def split(self, chosen: ChosenGuess, unit_size: int) -> "Iterator[SubtreeUnit | ChoiceUnit]":
        """Yield the units of all other candidates, of at most ``unit_size`` where a choice can divide them."""
        end = all_black(self.spec.rules.pegs)
        # largest first, so that no long unit starts last
        for feedback, size in sorted(chosen.parts.items(), key=lambda part: -part[1]):
            history = (*self.history, Turn(chosen.guess, feedback))
            if feedback == end:
                continue
            # of equal size, the guess gave no information: one walk finds out whether the strategy is stuck
            kind = SubtreeUnit if size <= unit_size or size == self.size else ChoiceUnit
            yield kind(self.spec, history, size)


@dataclass(frozen=True, slots=True)
class GamesUnit:
    """Simulating the games from ``start`` up to, but not including, ``stop``."""

    spec: StrategySpec
    start: int
    stop: int

    @property
    def size(self) -> int:
        return self.stop - self.start

    @property
    def key(self) -> str:
        return f"games {self.start} {self.stop}"

    def play(self) -> PlayedGames:
        spec, numbers = self.spec, range(self.start, self.stop)
        return PlayedGames(lengths_of_games(spec.load(), spec.rules, numbers, spec.opening, spec.seed))

    def recall(self, document: Mapping[str, Any]) -> PlayedGames:
        return PlayedGames(bytes.fromhex(document["lengths"]))


UnitOfWork = SubtreeUnit | ChoiceUnit | GamesUnit


def first_units(spec: StrategySpec, unit_size: int) -> Iterator[UnitOfWork]:
    if not spec.games:
        yield ChoiceUnit(spec, (), spec.rules.size)
    for start in range(0, spec.games, unit_size):
        yield GamesUnit(spec, start, min(start + unit_size, spec.games))


def simulate_games(strategy: Strategy, rules: Rules, numbers: range, first: Code | None, seed: int) -> Simulation:
    return Simulation(rules, length_counts(lengths_of_games(strategy, rules, numbers, first, seed)))


def lengths_of_games(strategy: Strategy, rules: Rules, numbers: range, first: Code | None, seed: int) -> bytes:
    """Return the guesses of each game, which follow from ``seed`` and its number. Raises the strategy's errors."""
    choose_legal = legal_choice(strategy)
    unused = turn_rng(seed, 1)

    def choose(position: Position, rng: Random) -> Code:
        return choose_legal(position, rng) if first is None or position.history else first

    def game_rngs(number: int) -> Callable[[int], Random]:
        of_game = game_seed(seed, number)
        return lambda turn: turn_rng(of_game, turn) if strategy.uses_rng or turn == SECRET_TURN else unused

    return game_lengths(choose, rules, numbers, game_rngs)


def most_costly(worst: Iterable[tuple[int, Code]], limit: int) -> list[tuple[int, Code]]:
    return nsmallest(limit, worst, key=lambda entry: (-entry[0], entry[1]))
