"""Parts by going through every code, one by one: the definition, for few codes."""

from collections import Counter
from collections.abc import Sequence

from evilpegs_clients.verification.independent.definitions import Code, Counted, Space, Turn, feedback


def count_parts(space: Space, turns: Sequence[Turn]) -> Counted:
    """The parts of each turn, and the first code left."""
    live = list(space.codes())
    parts = []
    for guess, given in turns:
        answers = [feedback(guess, code) for code in live]
        parts.append(dict(Counter(answers)))
        live = [code for code, answer in zip(live, answers, strict=True) if answer == given]
    return Counted(tuple(parts), live[0] if live else None)


def live_codes(space: Space, turns: Sequence[Turn]) -> list[Code]:
    """The codes that the turns allow, in code order."""
    return [code for code in space.codes() if all(feedback(guess, code) == given for guess, given in turns)]
