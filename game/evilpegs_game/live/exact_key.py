"""The exact key of a history: a cache key that tells all rules, turns and guesses apart."""

from typing import Final

from evilpegs_game.codes import Code
from evilpegs_game.history import History
from evilpegs_game.rules import Rules

HEAD_BYTES: Final = 4
"""The number of bytes of an exact key before its turns. Each turn takes two bytes more than the rules have pegs."""


def exact_key(rules: Rules, history: History, guess: Code = ()) -> bytes:
    """Return a cache key that differs from the keys of all other rules, histories and guesses.

    Without ``guess`` the key is that of the history. ``exact_key(rules, history[:n])`` is then a prefix of
    ``exact_key(rules, history)``. Keys are bytes, because the garbage collector would traverse tuples again and again.
    The first byte is 0; no canonical key (`history_key`) begins with 0, so the two kinds of keys can share a cache.
    """
    numbers = [0, rules.pegs, rules.colors, rules.repeats]
    for asked, answer in history:
        numbers += asked
        numbers += answer
    numbers += guess
    return bytes(numbers)
