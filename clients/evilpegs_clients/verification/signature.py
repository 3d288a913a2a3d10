"""Checks of the signature that a server puts at the end of a record.

The library `cryptography` is imported when a signature is checked, because a bot author may not need it.
"""

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from evilpegs_clients.errors import ClientError
from evilpegs_clients.verification.violation import NotChecked, Subject, Violation
from evilpegs_protocol.record import KEY_BYTES, SIGNATURE_BYTES, parse_bytes, signed_statement
from evilpegs_protocol.suggestions import install_hint


class SignatureUncheckableError(ClientError):
    """`cryptography` is not installed; the message says how to install it."""


def can_check_signatures() -> bool:
    return find_spec("cryptography") is not None


def require_cryptography() -> None:
    """Raise SignatureUncheckableError if `cryptography` is not installed."""
    if not can_check_signatures():
        raise SignatureUncheckableError(
            f"checking a signature needs cryptography, which is not installed; {install_hint('verify')}"
        )


def find_signer(over: Mapping[str, Any], keys: Iterable[str]) -> str | None:
    """Return the key, in base64url, that signed the record with the last event ``over``.

    Raises SignatureUncheckableError.
    """
    require_cryptography()
    return next((key for key in keys if _is_signed_by(over, key)), None)


def check_signature(events: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> list[Violation]:
    """Return a violation if the record is not signed with one of ``keys``; a match that is not over is `NotChecked`.

    Verify the record itself first: the signature covers only the hash that the last event names. Raises
    SignatureUncheckableError.
    """
    require_cryptography()
    over = events[-1] if events else {}
    if over.get("type") != "match_over":
        return [NotChecked("the match is not over, so the server has not signed it yet", subject=Subject.SIGNATURE)]
    if over.get("signature") is None:
        return [Violation("the record is not signed", subject=Subject.SIGNATURE)]
    if find_signer(over, keys) is None:
        which = f"the key {keys[0]}" if len(keys) == 1 else f"any of the {len(keys)} keys"
        return [Violation(f"the signature was not made with {which} for this record", subject=Subject.SIGNATURE)]
    return []


def _is_signed_by(over: Mapping[str, Any], key: str) -> bool:
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see the docstring of this module
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    try:
        public_key = Ed25519PublicKey.from_public_bytes(parse_bytes(key, KEY_BYTES))
        public_key.verify(parse_bytes(over["signature"], SIGNATURE_BYTES), signed_statement(over))
    except (InvalidSignature, ValueError, TypeError, KeyError, AttributeError):
        return False
    return True
