"""The values that follow from the nonce of a game: its commitment, a fixed secret, and the choice among tied parts.

A nonce is 64 hex digits; as a key of HMAC-SHA256, it is the 32 bytes that they denote. Anyone can recompute the values
once `game_over` has revealed it. Digests are read as big-endian integers. Games and turns are numbered from 1.
"""

import hashlib
import hmac
from itertools import count
from typing import Final

from evilpegs_protocol.codec import canonical

_DIGEST_VALUES = 1 << 256


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """Return the commitment in `game_started`, a SHA-256 in hex; ``rules`` is text such as ``4x6``."""
    return hashlib.sha256(canonical(["evilpegs-v1", match, game, rules, nonce]).encode()).hexdigest()


def secret_index(nonce: str, client_nonce: str | None, match: str, game: int, codes: int) -> int:
    """Return the index, in code order, of a fixed codemaker's secret among ``codes``."""
    # rejection sampling, so that every code is equally likely
    accepted = _DIGEST_VALUES - _DIGEST_VALUES % codes
    draws = (_keyed_number(nonce, [client_nonce or "", match, game, counter]) for counter in count())
    return next(draw for draw in draws if draw < accepted) % codes


TIE_NONCES: Final = 2  # the value of `tie_nonces` in new matches: the nonces of server and client both decide ties


def tie_share(tie_nonces: int | None, client_nonce: str | None) -> str | None:
    """Return the client's influence on ties; None if the nonce of the server alone decides."""
    return None if tie_nonces is None else client_nonce or ""


def tie_index(nonce: str, match: str, game: int, turn: int, tied: int, share: str | None = None) -> int:
    """Return the index, in feedback order, among ``tied`` equally good replies; ``share`` is from `tie_share`."""
    message: list[str | int] = ["tie", match, game, turn]
    return _keyed_number(nonce, message if share is None else [*message, share]) % tied


def seed_tie_index(seed: str, turn: int, tied: int) -> int:
    """Return the same index for a game without a server, whose ``seed`` the player knows."""
    return int.from_bytes(hmac.digest(seed.encode(), f"evilpegs tie {turn}".encode(), "sha256"), "big") % tied


def derive_nonce(seed: bytes, match: str, game: int) -> str:
    """Return the nonce of one game, from the secret 32-byte ``seed`` of the match."""
    return _keyed_digest(seed, ["nonce", match, game]).hex()


def _keyed_number(nonce: str, message: list[str | int]) -> int:
    return int.from_bytes(_keyed_digest(bytes.fromhex(nonce), message), "big")


def _keyed_digest(key: bytes, message: list[str | int]) -> bytes:
    # hmac.digest would release the GIL for a microsecond and might wait for another thread to get it back.
    return hmac.new(key, canonical(message).encode(), "sha256").digest()
