"""Certificates for localhost that no authority has signed."""

import datetime
import ipaddress
import ssl

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID


def make_certificate(folder, name="server", *, passphrase=None):
    """Make a certificate for localhost; return the paths of the certificate and of its key.

    With ``passphrase`` the key is encrypted.
    """
    cert, key = folder / f"{name}.pem", folder / f"{name}.key"
    private = ec.generate_private_key(ec.SECP256R1())
    encryption = BestAvailableEncryption(passphrase.encode()) if passphrase else NoEncryption()
    key.write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    cert.write_bytes(_signed_by_itself(private).public_bytes(Encoding.PEM))
    return cert, key


def _signed_by_itself(private):
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
    now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
    builder = x509.CertificateBuilder(subject, subject, private.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - day).not_valid_after(now + day)
    builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return builder.sign(private, hashes.SHA256())


def trust(cert):
    """Return the TLS context of a client that trusts only this certificate."""
    return ssl.create_default_context(cafile=cert)
