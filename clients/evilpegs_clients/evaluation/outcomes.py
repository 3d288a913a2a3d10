"""The outcomes of tasks, which can be added up in any order, and their JSON form in a checkpoint."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from typing import Any

from evilpegs_game.codes import Code, format_code, parse_code
from evilpegs_game.evaluation.simulation import length_counts
from evilpegs_game.feedback import Feedback
from evilpegs_game.rules import Rules


@dataclass(frozen=True, slots=True)
class SolvedCounts:
    """The codes of a `SubtreeTask` solved at each guess; index i of ``distribution`` is guess i + 1 after its history.

    ``worst`` pairs the most costly codes with all guesses of their games, those of the history included; it is empty
    unless it was requested.
    """

    distribution: tuple[int, ...]
    worst: tuple[tuple[int, Code], ...] = ()

    def to_json(self) -> dict[str, Any]:
        worst = {"worst": [[guesses, format_code(code)] for guesses, code in self.worst]} if self.worst else {}
        return {"distribution": list(self.distribution), **worst}


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The number of guesses of each game of a `GamesTask`, one byte per game."""

    lengths: bytes

    @property
    def distribution(self) -> tuple[int, ...]:
        """Index i is for guess i + 1."""
        return length_counts(self.lengths)

    def to_json(self) -> dict[str, Any]:
        return {"lengths": self.lengths.hex()}


@dataclass(frozen=True, slots=True)
class ChosenGuess:
    """The guess of a `ChoiceTask`, with its part sizes."""

    guess: Code
    parts: Mapping[Feedback, int]

    def to_json(self) -> dict[str, Any]:
        parts = {str(feedback): size for feedback, size in self.parts.items()}
        return {"guess": format_code(self.guess), "parts": parts}


TaskOutcome = SolvedCounts | PlayedGames | ChosenGuess


def parse_outcome(document: Mapping[str, Any], rules: Rules) -> TaskOutcome:
    """Return the outcome that ``document`` was made of.

    Raises GameError, KeyError, TypeError or ValueError if it is no outcome on these rules.
    """
    if "distribution" in document:
        worst = tuple((int(guesses), parse_code(code, rules)) for guesses, code in document.get("worst", ()))
        return SolvedCounts(tuple(int(number) for number in document["distribution"]), worst)
    if "lengths" in document:
        return PlayedGames(bytes.fromhex(document["lengths"]))
    parts = {Feedback.parse(feedback): int(size) for feedback, size in document["parts"].items()}
    return ChosenGuess(parse_code(document["guess"], rules), parts)


def most_costly(worst: Iterable[tuple[int, Code]], limit: int) -> list[tuple[int, Code]]:
    """Return the ``limit`` pairs with the most guesses, most guesses first, then in code order."""
    return nsmallest(limit, worst, key=lambda entry: (-entry[0], entry[1]))
