"""The values that follow from the nonce of a game: its commitment, a fixed secret, and the choice among tied parts.

A nonce is a secret random number of the server, written as 64 hex digits. Anyone can recompute these values once the
event `game_over` has revealed it. As a key of HMAC-SHA256, a nonce is the 32 bytes that its digits denote. Digests are
read as big-endian integers.
"""

import hashlib
import hmac
from itertools import count
from typing import Final

from evilpegs_protocol.canonical import canonical

_DIGEST_VALUES = 1 << 256


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """Return the commitment to ``nonce`` that the event `game_started` contains: a SHA-256 in hex.

    ``match`` is the id of the match, ``game`` the number of the game from 1, ``rules`` the text of the rules, such as
    ``4x6``, and ``nonce`` that of the server, 64 hex digits.
    """
    return hashlib.sha256(canonical(["evilpegs-v1", match, game, rules, nonce]).encode()).hexdigest()


def secret_index(nonce: str, client_nonce: str | None, match: str, game: int, codes: int) -> int:
    """Return the index, in code order, of the secret of a fixed codemaker in one game.

    The index is from 0 to ``codes - 1``, each with the same probability, by rejection sampling.

    Args:
        nonce: The nonce of the server, 64 hex digits.
        client_nonce: The nonce of the client, or None if the client gave none.
        match: The id of the match.
        game: The number of the game in the match, from 1.
        codes: The number of codes that the rules allow.
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

    ``tie_nonces`` is the field of the event `match_started`. If it is None, the nonce of the server alone decides, and
    the result is None. Otherwise the result is ``client_nonce``, or "" if the client gave no nonce.
    """
    return None if tie_nonces is None else client_nonce or ""


def tie_index(nonce: str, match: str, game: int, turn: int, tied: int, share: str | None = None) -> int:
    """Return the index, in feedback order, of the reply that a codemaker gives on ``turn`` if several are equally good.

    Args:
        nonce: The nonce of the server, 64 hex digits.
        match: The id of the match.
        game: The number of the game in the match, from 1.
        turn: The number of the turn in the game, from 1.
        tied: The number of equally good replies; the result is less than this number.
        share: The text of the client that influences the choice, or None, as `tie_share` returns it.
    """
    message: list[str | int] = ["tie", match, game, turn]
    return _keyed_number(nonce, message if share is None else [*message, share]) % tied


def derive_nonce(seed: bytes, match: str, game: int) -> str:
    """Return the nonce of one game, 64 hex digits, derived from the secret 32-byte ``seed`` of the match.

    ``match`` is the id of the match, and ``game`` the number of the game in it, from 1.
    """
    return _keyed_digest(seed, ["nonce", match, game]).hex()


def _keyed_number(nonce: str, message: list[str | int]) -> int:
    return int.from_bytes(_keyed_digest(bytes.fromhex(nonce), message), "big")


def _keyed_digest(key: bytes, message: list[str | int]) -> bytes:
    # hmac.digest would release the GIL for a microsecond and might wait for another thread to get it back.
    return hmac.new(key, canonical(message).encode(), "sha256").digest()
