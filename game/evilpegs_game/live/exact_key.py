from typing import Final

from evilpegs_game.codes import Code
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

HEAD_BYTES: Final = 4
"""Bytes before the turns; each turn takes two bytes more than the rules have pegs."""


def exact_key(rules: Rules, history: History, guess: Code = ()) -> bytes:
    """Return a cache key that differs from the keys of all other rules, histories and guesses.

    ``exact_key(rules, history[:n])`` is a prefix of ``exact_key(rules, history)``.
    """
    # no canonical key (`history_key`) begins with 0, so the two kinds can share a cache
    numbers = [0, rules.pegs, rules.colors, rules.repeats]
    for asked, answer in history:
        numbers += asked
        numbers += answer
    numbers += guess
    # bytes, because the garbage collector would traverse tuples again and again
    return bytes(numbers)
