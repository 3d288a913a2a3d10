import ssl
from pathlib import Path

from evilpegs_game.errors import EvilpegsError


class TlsUnusableError(EvilpegsError):
    """A certificate or key that cannot be used, with one line that says why and what to do."""


def load_tls(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context of PEM files; without ``key``, the key is in ``cert`` too. Raises TlsUnusableError."""
    if cert is None:
        if key is not None:
            message = f"the key {key} has no certificate; name its certificate with --tls-cert"
            raise TlsUnusableError(message)
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        for path in filter(None, (cert, key)):
            path.open().close()
        context.load_cert_chain(cert, key, password=_refuse_passphrase)
    except OSError as error:  # of which the errors of ssl are some
        files = f"{cert}" if key is None else f"{cert} with the key {key}"
        message = f"cannot use the certificate {files}: {_reason(error)}; name PEM files with --tls-cert and --tls-key"
        raise TlsUnusableError(message) from None
    return context


def _refuse_passphrase() -> str:
    raise OSError(None, "the key has a passphrase, which the server cannot ask for")


def _reason(error: OSError) -> str:
    if isinstance(error, ssl.SSLError):
        mismatch = error.reason == "KEY_VALUES_MISMATCH"
        return "the key belongs to another certificate" if mismatch else "not a certificate with its key in PEM"
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"
