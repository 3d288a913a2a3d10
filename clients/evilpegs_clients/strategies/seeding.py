"""Random generators of strategies, derived from a seed, so that every run with the seed plays the same guesses."""

from hashlib import sha256
from random import Random

from evilpegs_game.codes import format_code
from evilpegs_game.history import History


def choice_rng(seed: int, history: History) -> Random:
    """Return the generator of one choice, which depends on nothing but the seed and the history."""
    turns = " ".join(f"{format_code(guess)}:{given}" for guess, given in history)
    return _rng(f"{seed} {turns}")


def game_rng(seed: int, number: int) -> Random:
    """Return the generator of simulated game ``number`` (from 0), the same on every machine.

    `evilpegs_game.evaluation.simulation` takes such a function.
    """
    return _rng(f"game {number} of seed {seed}")


def _rng(text: str) -> Random:
    return Random(int.from_bytes(sha256(text.encode()).digest()))  # noqa: S311 - guesses need not be unpredictable
