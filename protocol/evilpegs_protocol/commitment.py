"""Everything that follows from a nonce: the commitment of a game, its fixed secret, and the choice among tied parts.

Anyone can recompute these values once `game_over` has revealed the nonce. A nonce has 64 hex digits; as a key of
HMAC-SHA256 it is the 32 bytes that they denote. Digests are read as big-endian integers.
"""

import hashlib
import hmac
from itertools import count
from typing import Final

from evilpegs_protocol.canonical import canonical

_DIGEST_VALUES = 1 << 256


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """Return the commitment to ``nonce`` that the event `game_started` contains: a SHA-256 in hex.

    ``match`` is the id of the match, ``game`` the number of the game from 1, and ``rules`` the text of the rules.
    """
    return hashlib.sha256(canonical(["evilpegs-v1", match, game, rules, nonce]).encode()).hexdigest()


def secret_index(nonce: str, client_nonce: str | None, match: str, game: int, codes: int) -> int:
    """Return the index, in code order, of the secret of a fixed codemaker in one game.

    It follows from the nonces of server and client, and is uniform over ``codes`` codes by rejection sampling.
    """
    accepted = _DIGEST_VALUES - _DIGEST_VALUES % codes
    for counter in count():
        draw = _keyed_number(nonce, [client_nonce or "", match, game, counter])
        if draw < accepted:
            return draw % codes
    raise AssertionError  # pragma: no cover - count() has no end


TIE_NONCES: Final = 2
"""The value of `tie_nonces` in new matches: the nonces of server and client both decide ties."""


def tie_share(tie_nonces: int | None, client_nonce: str | None) -> str | None:
    """Return the text by which the client influences which of several equally good replies a codemaker gives.

    It is the nonce of the client, or "" without one. The result is None if ``tie_nonces`` is None: the nonce of the
    server then decides ties alone.
    """
    return None if tie_nonces is None else client_nonce or ""


def tie_index(nonce: str, match: str, game: int, turn: int, tied: int, share: str | None = None) -> int:
    """Return the index, in feedback order, of the reply that a codemaker gives on ``turn`` if several are equally good.

    ``tied`` is the number of these replies, and ``nonce`` is that of the server. ``share`` is the text of the client
    that influences the choice, from `tie_share`.
    """
    message: list[str | int] = ["tie", match, game, turn]
    return _keyed_number(nonce, message if share is None else [*message, share]) % tied


def derive_nonce(seed: bytes, match: str, game: int) -> str:
    """Return the nonce of one game, in hex, derived from the secret 32-byte seed of the match."""
    return _keyed_digest(seed, ["nonce", match, game]).hex()


def _keyed_number(nonce: str, message: list[str | int]) -> int:
    return int.from_bytes(_keyed_digest(bytes.fromhex(nonce), message), "big")


def _keyed_digest(key: bytes, message: list[str | int]) -> bytes:
    # hmac.digest would release the GIL for a microsecond and might wait for another thread to get it back.
    return hmac.new(key, canonical(message).encode(), "sha256").digest()
