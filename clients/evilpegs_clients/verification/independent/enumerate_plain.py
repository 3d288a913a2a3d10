"""Functions that count the parts of guesses code by code, exactly as defined, for rules with few codes."""

from collections import Counter
from collections.abc import Sequence

from evilpegs_clients.verification.independent.definitions import Code, MarkedGuess, PartCounts, Space, marks_of


def count_parts(space: Space, turns: Sequence[MarkedGuess]) -> PartCounts:
    """Count the candidates of each turn by the feedback that they would give to its guess, one code at a time.

    The result also has the first code that agrees with all turns; see `PartCounts`.
    """
    live = list(space.codes())
    parts = []
    for guess, marks in turns:
        answers = [marks_of(guess, code) for code in live]
        parts.append(dict(Counter(answers)))
        live = [code for code, answer in zip(live, answers, strict=True) if answer == marks]
    return PartCounts(tuple(parts), live[0] if live else None)


def live_codes(space: Space, turns: Sequence[MarkedGuess]) -> list[Code]:
    """Return the codes that agree with all turns, in code order."""
    return [code for code in space.codes() if all(marks_of(guess, code) == marks for guess, marks in turns)]
