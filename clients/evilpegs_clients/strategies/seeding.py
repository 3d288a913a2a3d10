"""The dice of simulated games: those of a game follow from a seed and its number, wherever it is played."""

from hashlib import sha256
from random import Random


def dice_of(seed: int, number: int) -> Random:
    """The dice of game ``number`` (from 0) under ``seed``, as `evilpegs_game.evaluation.simulation` wants them."""
    digest = sha256(f"game {number} of seed {seed}".encode()).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - a codebreaker's dice are no secret
