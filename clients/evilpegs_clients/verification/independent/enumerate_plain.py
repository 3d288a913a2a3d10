"""Counting the parts of guesses code by code, exactly as defined, for rules with few codes."""

from collections import Counter
from collections.abc import Sequence

from evilpegs_clients.verification.independent.definitions import Code, MarkedGuess, PartCounts, Space, marks_of


def count_parts(space: Space, turns: Sequence[MarkedGuess]) -> PartCounts:
    live = list(space.codes())
    parts = []
    for guess, marks in turns:
        answers = [marks_of(guess, code) for code in live]
        parts.append(dict(Counter(answers)))
        live = [code for code, answer in zip(live, answers, strict=True) if answer == marks]
    return PartCounts(tuple(parts), live[0] if live else None)


def live_codes(space: Space, turns: Sequence[MarkedGuess]) -> list[Code]:
    return [code for code in space.codes() if all(marks_of(guess, code) == marks for guess, marks in turns)]
