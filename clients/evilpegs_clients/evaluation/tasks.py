"""Tasks: the pieces of an evaluation, each of which is played as a whole by one process.

A task contains everything it depends on, so it has the same outcome wherever, whenever and how often it is played. If
every secret is played, the game tree of a strategy is cut where many candidates are left: a `ChoiceTask` is the choice
of one guess, a `SubtreeTask` is everything below a history. Simulated games are played in a `GamesTask`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from evilpegs_clients.evaluation.outcomes import ChosenGuess, PlayedGames, SolvedCounts, TaskOutcome, most_costly
from evilpegs_clients.evaluation.spec import StrategySpec
from evilpegs_clients.strategies.heuristics import CriterionStrategy
from evilpegs_clients.strategies.seeding import SECRET_TURN, game_seed, turn_rng
from evilpegs_clients.strategies.strategy import Strategy, legal_choice, seeded_choice
from evilpegs_game.codes import Code, format_code
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.evaluation.simulation import Simulation, game_lengths, length_counts
from evilpegs_game.history import History
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class SubtreeTask:
    """Playing to the end against each of the ``size`` candidates."""

    spec: StrategySpec
    history: History
    size: int

    @property
    def key(self) -> str:
        """Unique in a checkpoint among the tasks of a specification."""
        return f"part {format_history(self.history)}".rstrip()

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


@dataclass(frozen=True, slots=True)
class ChoiceTask:
    """Choosing the guess; ``size`` candidates are left before it."""

    spec: StrategySpec
    history: History
    size: int

    @property
    def key(self) -> str:
        return f"choice {format_history(self.history)}".rstrip()

    def play(self) -> ChosenGuess:
        spec = self.spec
        position = Position(spec.rules, self.history, LiveSets())
        guess = None if self.history else spec.opening
        if self.history:
            _ = position.candidates  # random strategies then draw from this list, as they do within a walk
        if guess is None:
            guess = seeded_choice(spec.load(), spec.seed)(position)
        return ChosenGuess(guess, position.parts(guess))


@dataclass(frozen=True, slots=True)
class GamesTask:
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
        return PlayedGames(play_games(spec.load(), spec.rules, numbers, spec.opening, spec.seed))


Task = SubtreeTask | ChoiceTask | GamesTask


def play(task: Task) -> TaskOutcome:
    """Play ``task``; executors send this function to other processes by its name."""
    return task.play()


def simulate_games(strategy: Strategy, rules: Rules, numbers: range, first: Code | None, seed: int) -> Simulation:
    """Play games as `play_games` does, and count how many took how many guesses."""
    return Simulation(rules, length_counts(play_games(strategy, rules, numbers, first, seed)))


def play_games(strategy: Strategy, rules: Rules, numbers: range, first: Code | None, seed: int) -> bytes:
    """Play the games with the given ``numbers`` and return the guesses of each, one byte per game.

    The secret and the random choices of a game follow from ``seed`` and its number. ``first`` replaces the strategy's
    own first guess. Raises StrategyError, StuckError after `MAX_TURNS` guesses, and any error of the strategy.
    """
    choose_legal = legal_choice(strategy)
    unused = turn_rng(seed, 1)

    def choose(position: Position, rng: Random) -> Code:
        return choose_legal(position, rng) if first is None or position.history else first

    def game_rngs(number: int) -> Callable[[int], Random]:
        of_game = game_seed(seed, number)
        return lambda turn: turn_rng(of_game, turn) if strategy.uses_rng or turn == SECRET_TURN else unused

    return game_lengths(choose, rules, numbers, game_rngs)


def format_history(history: History) -> str:
    """Return the turns as the option --after takes them, such as ``1122:1,0 3344:0,2``."""
    return " ".join(f"{format_code(guess)}:{feedback}" for guess, feedback in history)
