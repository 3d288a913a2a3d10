"""The signing of records with the Ed25519 key of a server."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_protocol.record_signature import format_bytes, signed_statement
from evilpegs_protocol.server_messages import MatchOver


class RecordSigner:
    """The private half of a server key. A signature takes about 0.1 milliseconds and is made once per match."""

    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        self.public_key = format_bytes(private_key.public_key().public_bytes_raw())
        """In base64url without padding."""

    def __repr__(self) -> str:  # without the private key
        return f"RecordSigner({self.public_key!r})"

    def sign(self, over: MatchOver) -> MatchOver:
        """Return a copy of ``over``, the last event of a record, with the signature over the record."""
        statement = signed_statement(over.model_dump(mode="json"))
        return over.model_copy(update={"signature": format_bytes(self._private_key.sign(statement))})
