"""What a nonce decides, by the protocol's page: the commitment, and which of the tied parts is taken."""

import hashlib
import hmac
import json


def commitment(match: str, game: int, rules: str, nonce: str) -> str:
    """What `game_started` must have said of the nonce."""
    return hashlib.sha256(_canonical(["evilpegs-v1", match, game, rules, nonce])).hexdigest()


def tie_place(nonce: str, match: str, game: int, turn: int, tied: int) -> int:
    """The place, in feedback order from 0, among the tied parts."""
    digest = hmac.new(bytes.fromhex(nonce), _canonical(["tie", match, game, turn]), hashlib.sha256).hexdigest()
    return int(digest, 16) % tied


def _canonical(value: list[str | int]) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
