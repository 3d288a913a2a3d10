"""The address of an MQTT broker and the login at it, for the server and for clients."""

import ssl
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.ports import port_fault
from evilpegs_protocol.suggestions import install_hint

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}
"""The port of a broker whose URL names none, by the scheme of the URL."""


class BrokerUnusableError(EvilpegsError):
    """An error about an MQTT broker that cannot be used as configured. The message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Broker:
    """An MQTT broker: its address, the certificates for a secure connection, and the login. The object can be pickled.

    With ``is_secure``, connections use TLS. ``authorities`` are the certificates, in PEM, of the authorities that are
    trusted to sign the broker's certificate; None stands for the authorities that the system trusts. ``user`` is None
    for an anonymous login.
    """

    host: str
    port: int
    is_secure: bool = False
    authorities: str | None = field(default=None, repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """The text ``HOST:PORT``, to be shown to people, with an IPv6 address in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def tls_context(self) -> ssl.SSLContext | None:
        """Return a new TLS context for a secure connection, or None if the connection does not use TLS."""
        return _tls_context(self.authorities) if self.is_secure else None


def require_aiomqtt() -> None:
    """Raise BrokerUnusableError unless the library aiomqtt is installed."""
    if find_spec("aiomqtt") is None:
        message = f"MQTT needs aiomqtt, which is not installed; {install_hint('mqtt')}"
        raise BrokerUnusableError(message)


def load_broker(
    url: str,
    user: str | None = None,
    password: str | None = None,
    password_file: Path | None = None,
    ca_file: Path | None = None,
) -> Broker:
    """Return the broker at ``url``, which is `mqtt://HOST:PORT`, or `mqtts://HOST:PORT` for a secure connection.

    Without a port, the URL means the port in `PORTS`. ``user`` and ``password`` are the login. If ``password_file`` is
    given, its first line is the password instead. ``ca_file`` contains, in PEM, the certificates of the authorities
    that are trusted to sign the broker's certificate. Without ``ca_file``, the authorities of the system are trusted.

    Raises:
        BrokerUnusableError: the URL is malformed or contains a login, a file cannot be read, there is a password
            without a user, or there is a ``ca_file`` for a connection that is not secure.
    """
    parts = _split(url)
    secure = parts.scheme == "mqtts"
    if ca_file is not None and not secure:
        message = "a file of trusted certificates is only of use with mqtts://; write mqtts://HOST:PORT"
        raise BrokerUnusableError(message)
    if password_file is not None:
        password = _first_line(password_file)
    if password is not None and user is None:
        message = "the password of the broker needs a user; name one as mqtt_user"
        raise BrokerUnusableError(message)
    authorities = None if ca_file is None else _authorities(ca_file)
    return Broker(parts.hostname or "", parts.port or PORTS[parts.scheme], secure, authorities, user, password)


def _split(url: str) -> SplitResult:
    if (fault := port_fault(url)) is not None:
        raise BrokerUnusableError(fault)
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise _not_a_url(url) from None
    if parts.username is not None or parts.password is not None:
        instead = "set EVILPEGS_MQTT_USER and EVILPEGS_MQTT_PASSWORD_FILE instead"
        message = f"the URL of the broker must not contain a login; {instead}"
        raise BrokerUnusableError(message)
    extra = parts.query or parts.fragment or parts.path not in {"", "/"}
    if parts.scheme not in PORTS or not _is_host(parts.hostname) or port == 0 or extra:
        raise _not_a_url(url)
    return parts


def _is_host(name: str | None) -> bool:
    """Return True if ``name`` can be looked up as a host: it is printable, with 1 to 63 characters between dots."""
    try:
        return bool(name) and name is not None and name.isprintable() and bool(name.encode("idna"))
    except UnicodeError:
        return False


def _not_a_url(url: str) -> BrokerUnusableError:
    shown = url[:80] if "@" not in url else "one with a login"
    return BrokerUnusableError(f"not the URL of a broker: {shown!r}; write mqtt://HOST:PORT or mqtts://HOST:PORT")


def _first_line(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not text"
        message = f"cannot read the password of the broker from {file}: {why}; name another file"
        raise BrokerUnusableError(message) from None


class _ClosingSocket(ssl.SSLSocket):
    """A TLS socket that is closed if its handshake fails, because the MQTT library would leave it open."""

    def do_handshake(self, block: bool = False) -> None:
        """Do the TLS handshake, and close the socket if it fails."""
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _tls_context(authorities: str | None) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=authorities)
    context.sslsocket_class = _ClosingSocket
    return context


def _authorities(ca_file: Path) -> str:
    """Return the PEM text of ``ca_file`` without its characters that are not ASCII, which only comments contain.

    Raises:
        BrokerUnusableError: the file cannot be read, or contains no certificate.
    """
    try:
        ssl.create_default_context(cafile=ca_file)
        return ca_file.read_bytes().decode("ascii", "ignore")
    except (OSError, ssl.SSLError) as error:
        why = error.strerror if not isinstance(error, ssl.SSLError) else "it holds no certificate"
        message = f"cannot read the trusted certificates from {ca_file}: {why}"
        raise BrokerUnusableError(message) from None
