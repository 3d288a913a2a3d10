"""Units of work: what one process does at a time, and what comes of it.

A unit says all it depends on and asks nothing else, so it has the same outcome wherever, whenever and how often it is
played. A tree of guesses is taken apart at its large parts: a `Choice` is the guess there and what it leaves, a `Part`
everything under a history. Outcomes are added up as integers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from evilpegs_clients.evaluation.spec import Subject
from evilpegs_clients.strategies.heuristics import ByCriterion
from evilpegs_clients.strategies.seeding import game_rng
from evilpegs_clients.strategies.strategy import Strategy, seeded_choice
from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.evaluation.exact import distribution_from
from evilpegs_game.evaluation.heuristic import evaluate_heuristic
from evilpegs_game.evaluation.simulation import Simulation, simulate
from evilpegs_game.feedback import Feedback
from evilpegs_game.history import History, Turn
from evilpegs_game.live.live_sets import LiveSets
from evilpegs_game.live.position import Position
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class Solved:
    """``distribution[i]`` codes, or games, were solved at guess i + 1 of the unit."""

    distribution: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {"distribution": list(self.distribution)}


@dataclass(frozen=True, slots=True)
class Chosen:
    """The guess at a point of the tree, and the sizes of its parts."""

    guess: Code
    parts: Mapping[Feedback, int]

    def to_json(self) -> dict[str, Any]:
        """As a journal keeps it."""
        return {"guess": format_code(self.guess), "parts": {str(given): size for given, size in self.parts.items()}}


Outcome = Solved | Chosen


@dataclass(frozen=True, slots=True)
class Part:
    """All candidates of ``history``, ``size`` of them, to the end."""

    subject: Subject
    history: History
    size: int

    @property
    def key(self) -> str:
        """What a journal knows it by, among the units of its subject."""
        return f"part {history_text(self.history)}".rstrip()

    def play(self) -> Solved:
        """Walk the tree under the history."""
        return Solved(_walked(self.subject, self.history))


@dataclass(frozen=True, slots=True)
class Choice:
    """The guess after ``history``, which leaves ``size`` candidates."""

    subject: Subject
    history: History
    size: int

    @property
    def key(self) -> str:
        """What a journal knows it by, among the units of its subject."""
        return f"choice {history_text(self.history)}".rstrip()

    def play(self) -> Chosen:
        """Ask the strategy."""
        subject = self.subject
        position = Position(subject.rules, self.history, LiveSets())
        guess = None if self.history else subject.opening
        if self.history:
            _ = position.candidates  # chance then draws from them, as it does within a walk
        if guess is None:
            guess = seeded_choice(subject.load(), subject.seed)(position)
        return Chosen(guess, position.parts(guess))


@dataclass(frozen=True, slots=True)
class Games:
    """The simulated games of these numbers."""

    subject: Subject
    start: int
    stop: int

    @property
    def size(self) -> int:
        """How many."""
        return self.stop - self.start

    @property
    def key(self) -> str:
        """What a journal knows it by, among the units of its subject."""
        return f"games {self.start} {self.stop}"

    def play(self) -> Solved:
        """Play them; the secret and the randomness of each follow from its number."""
        subject, numbers = self.subject, range(self.start, self.stop)
        played = simulate_games(subject.load(), subject.rules, numbers, subject.opening, subject.seed)
        return Solved(played.distribution)


Unit = Part | Choice | Games


def play(unit: Unit) -> Outcome:
    """Do the unit's work: what an executor is given."""
    return unit.play()


@dataclass(slots=True)
class _Dealt:
    """A strategy whose chance is in the dice of the game under way."""

    strategy: Strategy
    dice: Random | None = None
    uses_rng: bool = False

    @property
    def name(self) -> str:
        return self.strategy.name

    def choose(self, position: Position, rng: Random) -> Code:
        return self.strategy.choose(position, self.dice or rng)


def simulate_games(strategy: Strategy, rules: Rules, numbers: range, first: Code | None, seed: int) -> Simulation:
    """Play the games of these numbers, from 0; secret and randomness of each follow from ``seed`` and its number.

    ``first`` replaces the strategy's own first guess. Raises what `simulate` and the strategy raise.
    """
    dealt = _Dealt(strategy)
    legal = seeded_choice(dealt)

    def choose(position: Position, dice: Random) -> Code:
        dealt.dice = dice
        return legal(position) if first is None or position.history else first

    return simulate(choose, rules, numbers, lambda number: game_rng(seed, number))


def _walked(subject: Subject, history: History) -> tuple[int, ...]:
    strategy, first = subject.load(), None if history else subject.opening
    if isinstance(strategy, ByCriterion):
        return evaluate_heuristic(subject.rules, strategy.criterion, history, first, subject.candidates_only)
    return distribution_from(seeded_choice(strategy, subject.seed), subject.rules, history, first)


def outcome_of(document: Mapping[str, Any], rules: Rules) -> Outcome:
    """What `to_json` made.

    Raises:
        GameError, KeyError, TypeError, ValueError: it is none.
    """
    if "distribution" in document:
        return Solved(tuple(int(number) for number in document["distribution"]))
    parts = {Feedback.parse(given): int(size) for given, size in document["parts"].items()}
    return Chosen(parse_code(document["guess"], rules), parts)


def history_text(history: History) -> str:
    """Turns as people write them after --after: ``1122:1,0 3344:0,2``."""
    return " ".join(f"{format_code(guess)}:{given}" for guess, given in history)


def after(history: History, guess: Code, given: Feedback) -> History:
    """The history with one more turn."""
    return (*history, Turn(guess, given))
