"""The signing of records with the Ed25519 key of a server."""

from collections.abc import Mapping
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_protocol.record_signature import format_bytes, signed_statement


class RecordSigner:
    """The private half of a server key. A signature takes about 0.1 milliseconds and is made once per match."""

    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        self.public_key = format_bytes(private_key.public_key().public_bytes_raw())
        """In base64url without padding."""

    def __repr__(self) -> str:  # without the private key
        return f"RecordSigner({self.public_key!r})"

    def sign(self, over: Mapping[str, Any]) -> str:
        """Return the signature over the record whose last event is ``over``."""
        return format_bytes(self._private_key.sign(signed_statement(over)))
