"""Honest matches against a devil, computed plainly and slowly from the definition of its rule."""

from functools import cache

from evilpegs_game.codes import parse_code
from evilpegs_game.feedback import Feedback, feedback


@cache
def needed(live, every):
    """Return the number of guesses that an optimal codebreaker needs for the codes in ``live``, by definition.

    ``every`` has all codes of the rules.
    """
    if len(live) <= 2:
        return len(live)
    splits = (split(live, guess) for guess in every)
    return min(
        1 + max(needed(part, every) for given, part in parts.items() if given.black < len(live[0]))
        for parts in splits
        if len(parts) > 1
    )


def split(live, guess):
    """Return the codes of each part of a guess, by feedback."""
    parts = {}
    for code in live:
        parts.setdefault(feedback(guess, code), []).append(code)
    return {given: tuple(part) for given, part in parts.items()}


def devil(honest_match):
    """Return a subclass of ``honest_match``, a class of honest matches, whose codemaker is a devil."""

    class DevilMatch(honest_match):
        def __init__(self, exact_up_to=27, **kind):
            super().__init__(**kind)
            self.exact_up_to = self.events[0]["exact_up_to"] = exact_up_to

        def guess(self, text, took_ms=40):
            self.code, method = parse_code(text, self.rules), ["greedy", "exact"][len(self.live) <= self.exact_up_to]
            place = len(self.events)
            given = super().guess(text, took_ms)
            self.events[place]["method"] = method
            return given

        def _evil(self, counts):
            if len(self.live) <= self.exact_up_to and len(counts) > 1:
                parts = split(tuple(self.live), self.code)
                parts.pop(Feedback(self.rules.pegs, 0), None)
                values = {given: needed(part, tuple(self.codes)) for given, part in parts.items()}
                counts = {given: counts[given] for given in parts if values[given] == max(values.values())}
            return super()._evil(counts)

    return DevilMatch
