"""What a nonce decides: the commitment of a game, its fixed secret, and evil's ties.

Everything here can be recomputed by anyone once `game_over` has opened the nonce. A nonce is 64 hex
digits; as a key of HMAC-SHA256 it is the 32 bytes they stand for. Digests are read as big-endian integers.
"""

import hashlib
import hmac
from itertools import count

from evilpegs_protocol.canonical import canonical

_DIGEST_VALUES = 1 << 256


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """The SHA-256, in hex, that `game_started` carries."""
    return hashlib.sha256(canonical(["evilpegs-v1", match, game, rules, nonce]).encode()).hexdigest()


def secret_index(nonce: str, client_nonce: str | None, match: str, game: int, codes: int) -> int:
    """The place in code order of a fixed secret, uniform over ``codes`` codes by rejection sampling."""
    accepted = _DIGEST_VALUES - _DIGEST_VALUES % codes
    for counter in count():
        drawn = _keyed(nonce, [client_nonce or "", match, game, counter])
        if drawn < accepted:
            return drawn % codes
    raise AssertionError  # pragma: no cover - count() has no end


def tie_index(nonce: str, match: str, game: int, turn: int, tied: int) -> int:
    """Which of ``tied`` equally large parts, in feedback order, seeded evil chooses."""
    return _keyed(nonce, ["tie", match, game, turn]) % tied


def derived_nonce(seed: bytes, match: str, game: int) -> str:
    """The nonce of one game of a match, as hex, from the secret 32-byte seed of the match."""
    return _digest(seed, ["nonce", match, game]).hex()


def _keyed(nonce: str, message: list[str | int]) -> int:
    return int.from_bytes(_digest(bytes.fromhex(nonce), message), "big")


def _digest(key: bytes, message: list[str | int]) -> bytes:
    # hmac.digest would let go of the interpreter's lock for its microsecond, and have it back after another thread's.
    return hmac.new(key, canonical(message).encode(), "sha256").digest()
