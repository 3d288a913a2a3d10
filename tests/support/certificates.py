"""Certificates for localhost that nobody has signed, made by openssl."""

import ssl
import subprocess


def make_certificate(folder, name="server", *, passphrase=None):
    """Make a certificate for localhost; return the paths of the certificate and of its key.

    With ``passphrase`` the key is encrypted.
    """
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    secret = ["-passout", f"pass:{passphrase}"] if passphrase else ["-nodes"]
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-days", "2", "-subj", "/CN=localhost", *secret),
            *("-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert),
        ],
        check=True,
        capture_output=True,
    )
    return cert, key


def trust(cert):
    """Return the TLS context of a client that trusts only this certificate."""
    return ssl.create_default_context(cafile=cert)
