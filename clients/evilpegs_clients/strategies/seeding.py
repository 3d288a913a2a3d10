"""Random generators of strategies, derived from seeds, so that runs with the same seed play the same guesses.

A game has a seed of its own, and each of its turns has a generator of its own. The choice at a turn therefore does not
depend on earlier draws: a bot that was killed and resumes its game in the middle draws what it would have drawn.

* `evilpegs bot` plays a game with ``game_seed(seed, match, game)``. Without --seed, the seed is `token_seed`.
* `evilpegs evaluate --games` plays game number i, from 0, with ``game_seed(seed, i)``.
* `evilpegs duel` plays one game; its --seed is the seed of that game. Every game of the two commands above can
  therefore be played again with a duel.
"""

import hmac
from hashlib import sha256
from random import Random
from typing import Final

from evilpegs_game.codes import Code, code_at
from evilpegs_game.rules import Rules

SCHEME: Final = "seeds of turns 1"
"""Names this way to derive seeds; random results that were derived in different ways cannot be combined."""
SECRET_TURN: Final = 0
"""Its generator draws the secret of an offline game; the strategy's turns begin with 1."""


def game_seed(seed: int, *labels: str | int) -> int:
    """Return the seed of one game, 64 bits, derived from the seed of the run and labels that identify the game."""
    text = " ".join(map(str, (seed, *labels)))
    return int.from_bytes(sha256(f"game {text}".encode()).digest()[:8])


def turn_rng(seed: int, turn: int) -> Random:
    """Return the random generator of a turn of the game with this seed; creating one takes 7 microseconds."""
    digest = sha256(f"turn {seed} {turn}".encode()).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - guesses need not be unpredictable


def token_seed(token: str) -> int:
    """Return the seed of a player's random choices, 256 bits; by HMAC-SHA256, so that it does not reveal the token."""
    return int.from_bytes(hmac.digest(token.encode(), b"rng", "sha256"))


def draw_secret(seed: int, rules: Rules) -> Code:
    """Draw the secret of the offline game with this seed, uniformly from all codes."""
    return code_at(turn_rng(seed, SECRET_TURN).randrange(rules.size), rules)
