"""The address of an MQTT broker and the login at it, for the server and for clients."""

import asyncio
import ssl
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import SplitResult, urlsplit

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.constants import port_fault
from evilpegs_protocol.suggestions import install_hint
from evilpegs_protocol.text_files import NotTextError, read_text
from evilpegs_protocol.tls import tls_context

PORTS: Final = {"mqtt": 1883, "mqtts": 8883}  # the default ports by scheme
_PROBE_SECONDS: Final = 3.0


class BrokerUnusableError(EvilpegsError):
    """An MQTT broker that cannot be used as configured, with one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Broker:
    """An MQTT broker and the login at it; it can be pickled."""

    host: str
    port: int
    is_secure: bool = False
    authorities: str | None = field(default=None, repr=False)  # certificates in PEM in place of the system's
    user: str | None = None
    password: str | None = field(default=None, repr=False)

    @property
    def address(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    def tls_context(self) -> ssl.SSLContext | None:
        if not self.is_secure:
            return None
        context = tls_context(authorities=self.authorities)
        context.sslsocket_class = _ClosingSocket
        return context

    async def tls_hint(self) -> str:
        """Return what to say after a failure that TLS explains; else an empty text."""
        context = self.tls_context() or tls_context()
        if not self.is_secure:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent
        try:
            async with asyncio.timeout(_PROBE_SECONDS):
                _, writer = await asyncio.open_connection(self.host, self.port, ssl=context)
                writer.close()
                return "" if self.is_secure else f"; it speaks TLS, so write mqtts://{self.address}"
        except ssl.SSLCertVerificationError:
            return "; if it is the right broker, name the file of its certificate with --mqtt-ca-file"
        except OSError:
            return ""


def require_aiomqtt() -> None:
    if find_spec("aiomqtt") is None:
        raise BrokerUnusableError(f"MQTT needs aiomqtt, which is not installed; {install_hint('mqtt')}")


def load_broker(
    url: str,
    user: str | None = None,
    password: str | None = None,
    password_file: Path | None = None,
    ca_file: Path | None = None,
) -> Broker:
    """Return the broker at `mqtt://HOST:PORT`, or `mqtts://HOST:PORT` for TLS; raises BrokerUnusableError."""
    parts = _split(url)
    secure = parts.scheme == "mqtts"
    if ca_file is not None and not secure:
        raise BrokerUnusableError("trusted certificates are only used with mqtts://; write mqtts://HOST:PORT")
    if password_file is not None:
        password = _first_line(password_file)
    if password is not None and user is None:
        raise BrokerUnusableError("the password of the broker needs a user; name one as mqtt_user")
    authorities = None if ca_file is None else _authorities(ca_file)
    return Broker(parts.hostname or "", parts.port or PORTS[parts.scheme], secure, authorities, user, password)


def _split(url: str) -> SplitResult:
    if (fault := port_fault(url)) is not None:
        raise _not_a_url(url, f"{fault}; ")
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise _not_a_url(url) from None
    if parts.username is not None or parts.password is not None:
        instead = "set EVILPEGS_MQTT_USER and EVILPEGS_MQTT_PASSWORD_FILE instead"
        raise BrokerUnusableError(f"the URL of the broker must not contain a login; {instead}")
    extra = parts.query or parts.fragment or parts.path not in {"", "/"}
    if parts.scheme not in PORTS or not _is_host(parts.hostname) or port == 0 or extra:
        raise _not_a_url(url)
    return parts


def _is_host(name: str | None) -> bool:
    # printable, with 1 to 63 characters between dots, or it cannot be looked up
    try:
        return bool(name) and name is not None and name.isprintable() and bool(name.encode("idna"))
    except UnicodeError:
        return False


def _not_a_url(url: str, why: str = "") -> BrokerUnusableError:
    shown = url[:80] if "@" not in url else "one with a login"
    return BrokerUnusableError(f"not the URL of a broker: {shown!r}; {why}write mqtt://HOST:PORT or mqtts://HOST:PORT")


def _first_line(file: Path) -> str:
    try:
        return read_text(file).partition("\n")[0].rstrip("\r")
    except (OSError, NotTextError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BrokerUnusableError(f"cannot read the broker's password from {file}: {why}; name another file") from None


class _ClosingSocket(ssl.SSLSocket):
    def do_handshake(self, block: bool = False) -> None:
        # the MQTT library would leave the socket open
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _authorities(ca_file: Path) -> str:
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca_file)
        # only comments contain characters that are not ASCII
        return ca_file.read_bytes().decode("ascii", "ignore")
    except (OSError, ssl.SSLError) as error:
        why = error.strerror if not isinstance(error, ssl.SSLError) else "it holds no certificate"
        raise BrokerUnusableError(f"cannot read the trusted certificates from {ca_file}: {why}") from None
