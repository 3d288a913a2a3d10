"""The signing of records with the Ed25519 key of a server."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_protocol.record_signature import format_bytes, signed_statement
from evilpegs_protocol.server_messages import MatchOver


class RecordSigner:
    """The private key of a server, which signs the last event of each match. The repr discloses nothing.

    A signature costs about 0.1 milliseconds, once per match: with the reply to its last guess, or with its resignation.
    """

    def __init__(self, private_key: Ed25519PrivateKey) -> None:
        self._private_key = private_key
        self.public_key = format_bytes(private_key.public_key().public_bytes_raw())
        """The public half of the key, in base64url without padding."""

    def __repr__(self) -> str:
        return f"RecordSigner({self.public_key!r})"

    def sign(self, over: MatchOver) -> MatchOver:
        """Return the last event of a record with its signature."""
        statement = signed_statement(over.model_dump(mode="json"))
        return over.model_copy(update={"signature": format_bytes(self._private_key.sign(statement))})
