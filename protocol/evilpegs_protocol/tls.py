"""TLS contexts as Python makes them, but for a file of secrets that cannot be opened at once."""

import errno
import os
import ssl
from pathlib import Path


def tls_context(purpose: ssl.Purpose = ssl.Purpose.SERVER_AUTH, authorities: str | None = None) -> ssl.SSLContext:
    """Return the default context; raises OSError with the name in SSLKEYLOGFILE if that cannot be opened."""
    if Path(log := os.environ.get("SSLKEYLOGFILE", "")).is_fifo():
        raise OSError(errno.EINVAL, "it is a pipe, and opening it could wait for ever", log)
    return ssl.create_default_context(purpose, cadata=authorities)
