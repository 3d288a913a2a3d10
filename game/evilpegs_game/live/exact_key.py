"""The exact key of a history: a cache key that tells all rules, turns and guesses apart."""

from typing import Final

from evilpegs_game.codes import Code
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

HEAD_BYTES: Final = 4
"""The bytes of an exact key before its turns. Each turn takes two bytes more than the rules have pegs."""


def exact_key(rules: Rules, history: History, guess: Code = ()) -> bytes:
    """Return a cache key that is different for different rules, turns or guesses.

    The key of an earlier history of the same game is a prefix of it. Keys are bytes, because the garbage collector
    would traverse tuples again and again. They begin with 0, so none equals a canonical key.
    """
    numbers = [0, rules.pegs, rules.colors, rules.repeats]
    for asked, answer in history:
        numbers += asked
        numbers += answer
    numbers += guess
    return bytes(numbers)
