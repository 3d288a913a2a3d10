"""The key of a server and its files: the private key, and beside it the list of all public keys that were in use.

The private key is created when a server first starts on a database. Its file is in PEM format (PKCS 8), which other
programs understand. The list has one public key per line, the one in use last; a start with a new key writes it, so the
public half of a key stays known after the private key was replaced.
"""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Final

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.files import make_private_folder, replace_file
from evilpegs_protocol.record import KEY_BYTES, parse_bytes
from evilpegs_protocol.text_files import read_text
from evilpegs_server.record.recorder import RecordSigner
from evilpegs_server.storage.location import beside

_HEADING: Final = "# The public keys of an evilpegs server, one per line. The last one is in use."


class KeyUnusableError(EvilpegsError):
    """A server key that cannot be used; the message is one line that says why and what to do."""


def key_path(database: str, server_key: Path | None) -> Path:
    return server_key or beside(database, ".key")


def key_copies(database: str, server_key: Path | None, target: Path) -> dict[Path, Path]:
    """Map each existing file of a key to its copy beside ``target``, where a server on the copied database finds it."""
    key, copy = key_path(database, server_key), target.with_name(target.name + ".key")
    copies = {key: copy, _list_path(key): _list_path(copy)}
    return {file: copy for file, copy in copies.items() if file.exists()}


def load_server_key(path: Path) -> RecordSigner:
    """Load or create the key, and put its public half at the end of the list. Raises KeyUnusableError."""
    try:
        signer = RecordSigner(_load_or_create(path))
        listed = load_public_keys(path)
        keys = [*(key for key in listed if key != signer.public_key), signer.public_key]
        if listed != keys:
            replace_file(_list_path(path), "".join(f"{line}\n" for line in (_HEADING, *keys)).encode())
    except OSError as error:
        reason = error.strerror or str(error)
        message = f"cannot use the server key {path}: {reason}; name another file with the setting server_key"
        raise KeyUnusableError(message) from None
    return signer


def load_public_keys(path: Path) -> list[str]:
    """Return the public keys of the server whose key is at ``path``, the one in use last. Raises KeyUnusableError."""
    file = _list_path(path)
    try:
        text = "pipe" if file.is_fifo() else read_text(file)  # to read a pipe would wait for ever
        keys = [line for line in text.splitlines() if line and not line.startswith("#")]
        for key in keys:
            parse_bytes(key, KEY_BYTES)
    except FileNotFoundError:
        return []
    except ValueError:
        raise KeyUnusableError(f"{file} is not a list of public keys; move it away or repair it") from None
    return keys


def _load_or_create(path: Path) -> Ed25519PrivateKey:
    if not path.exists():
        _create(path)
    try:
        # to read a pipe would wait for ever
        key = None if path.is_fifo() else serialization.load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        what = "it is not an Ed25519 private key without password"
        remedy = "move it away for a new key, or name another file with the setting server_key"
        raise KeyUnusableError(f"cannot use the server key {path}: {what}; {remedy}")
    if path.stat().st_mode & 0o077:
        path.chmod(0o600)
    return key


def _create(path: Path) -> None:
    key = Ed25519PrivateKey.from_private_bytes(secrets.token_bytes(KEY_BYTES))
    make_private_folder(path.parent)
    number, name = tempfile.mkstemp(prefix=path.name, suffix=".new", dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(
                key.private_bytes(
                    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
                )
            )
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another server created it meanwhile
            path.hardlink_to(name)  # which never replaces a file
    finally:
        Path(name).unlink()


def _list_path(path: Path) -> Path:
    return path.with_name(path.name + ".pub")
