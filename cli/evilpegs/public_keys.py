from pathlib import Path
from typing import Final

from evilpegs.errors import CommandError
from evilpegs.files import failure_reason
from evilpegs_game.errors import quoted
from evilpegs_protocol.record_signature import KEY_BYTES, parse_bytes

KEY_HINT: Final = "a server names its own in /api/v1/keys, and in the file .key.pub beside its database"


def read_public_keys(key: str) -> tuple[str, ...]:
    """Return ``key`` if it is a public key, or the keys in the file of this name: one per line, ``#`` for comments."""
    if _is_public_key(key):
        return (key,)
    try:
        lines = [line.strip() for line in Path(key).read_text(encoding="ascii").splitlines()]
    except (OSError, ValueError) as error:
        raise CommandError(
            f"{quoted(key, 200)} is neither a public key of 43 characters nor a file of them: {failure_reason(error)}"
        ) from None
    keys = tuple(line for line in lines if line and not line.startswith("#"))
    if not keys or not all(map(_is_public_key, keys)):
        raise CommandError(f"{key[:200]} is not a list of public keys, one per line; {KEY_HINT}")
    return keys


def _is_public_key(text: str) -> bool:
    try:
        parse_bytes(text, KEY_BYTES)
    except ValueError:
        return False
    return True
