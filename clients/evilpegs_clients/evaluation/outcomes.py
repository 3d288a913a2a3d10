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
    """The outcome of a `SubtreeTask`: the number of codes solved at each guess after the history of the task.

    ``distribution[i]`` codes are solved at guess i + 1 after the history. ``worst`` has the codes that took the most
    guesses, as pairs of a number and a code; the number counts all guesses of the game, those in the history included.
    ``worst`` is empty if these codes were not requested.
    """

    distribution: tuple[int, ...]
    worst: tuple[tuple[int, Code], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as the JSON object that a checkpoint keeps."""
        worst = {"worst": [[guesses, format_code(code)] for guesses, code in self.worst]} if self.worst else {}
        return {"distribution": list(self.distribution), **worst}


@dataclass(frozen=True, slots=True)
class PlayedGames:
    """The outcome of a `GamesTask`: the number of guesses of each game, by number of the game, one byte per game."""

    lengths: bytes

    @property
    def distribution(self) -> tuple[int, ...]:
        """The number of games solved at each guess: index i is for guess i + 1."""
        return length_counts(self.lengths)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as the JSON object that a checkpoint keeps."""
        return {"lengths": self.lengths.hex()}


@dataclass(frozen=True, slots=True)
class ChosenGuess:
    """The outcome of a `ChoiceTask`: the guess; ``parts`` maps each feedback to the number of candidates it leaves."""

    guess: Code
    parts: Mapping[Feedback, int]

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as the JSON object that a checkpoint keeps."""
        parts = {str(feedback): size for feedback, size in self.parts.items()}
        return {"guess": format_code(self.guess), "parts": parts}


TaskOutcome = SolvedCounts | PlayedGames | ChosenGuess


def parse_outcome(document: Mapping[str, Any], rules: Rules) -> TaskOutcome:
    """Return the outcome of a task on ``rules`` from ``document``, the JSON object that its `to_json` returned.

    Raises:
        GameError, KeyError, TypeError, ValueError: ``document`` is no outcome on these rules.
    """
    if "distribution" in document:
        worst = tuple((int(guesses), parse_code(code, rules)) for guesses, code in document.get("worst", ()))
        return SolvedCounts(tuple(int(number) for number in document["distribution"]), worst)
    if "lengths" in document:
        return PlayedGames(bytes.fromhex(document["lengths"]))
    parts = {Feedback.parse(feedback): int(size) for feedback, size in document["parts"].items()}
    return ChosenGuess(parse_code(document["guess"], rules), parts)


def most_costly(worst: Iterable[tuple[int, Code]], limit: int) -> list[tuple[int, Code]]:
    """Return the ``limit`` pairs in ``worst`` with the most guesses, most guesses first.

    A pair is a number of guesses and the code that took them. Codes with equally many guesses are in code order.
    """
    return nsmallest(limit, worst, key=lambda entry: (-entry[0], entry[1]))
