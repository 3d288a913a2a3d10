"""Listening on the addresses of the game and the site, with TLS or without, and the words for what is wrong."""

import asyncio
import contextlib
import errno
import resource
import socket
import ssl
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from structlog.stdlib import BoundLogger

from evilpegs_game.errors import EvilpegsError
from evilpegs_protocol.constants import PATH
from evilpegs_protocol.tls import tls_context
from evilpegs_server.hosts import DEFAULT_PORTS, PublicAddress
from evilpegs_server.settings import Settings

_BACKLOG: Final = 128
# 35 on a quiet server, 20 for the database when all read it at once, and a backlog of connections to refuse
OWN_FILES: Final = 192
"""The files of a process besides its connections."""
_POLL_SECONDS: Final = 0.05
_ALL_INTERFACES: Final = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognized, not bound


class AddressUnusableError(EvilpegsError):
    """An address that the server cannot listen on, with one line that says why and what to do."""


def find_game_address(settings: Settings) -> PublicAddress:
    game = PublicAddress("ws" if settings.tls_cert is None else "wss", PATH, url=settings.game_url)
    if game.url is None and settings.site_url is not None:
        site = urlsplit(settings.site_url)
        game.host = site.hostname
        # a URL with the port on which the site itself listens leads to no proxy
        if (site.port or DEFAULT_PORTS[site.scheme]) != settings.site_port:
            scheme = "wss" if site.scheme == "https" else "ws"
            game.url = f"{scheme}://{site.netloc}{site.path.rstrip('/')}{PATH}"
    elif settings.site_host not in {None, settings.host} and settings.host not in _ALL_INTERFACES:
        game.host = settings.host
    return game


def find_site_address(settings: Settings, port: int) -> PublicAddress:
    """Return the address of the site, which listens on ``port``; its URLs end with a slash."""
    scheme = "http" if settings.tls_cert is None else "https"
    url = None if settings.site_url is None else settings.site_url.rstrip("/") + "/"
    is_apart = settings.site_host not in {None, settings.host, *_ALL_INTERFACES}
    return PublicAddress(scheme, "/", port, url, settings.site_host if is_apart else None)


def fit_open_files(settings: Settings, log: BoundLogger, *, has_game: bool = True) -> Settings:
    """Open as many files as the system allows, log which connections do not fit, and return settings that fit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:  # usually 1,024
        with contextlib.suppress(OSError, ValueError):  # macOS refuses what is above its own limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    wanted = {"max_connections": settings.max_connections} if has_game else {}
    wanted |= {"site_connections": settings.site_connections} if settings.site else {}
    if cut := [f"{fitting} of {most} {name}" for name, most in wanted.items() if (fitting := fit(most)) < most]:
        needed = max(wanted.values()) + OWN_FILES
        files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        how = f"with LimitNOFILE={needed} in a service, else as root with nofile in /etc/security/limits.conf"
        log.warning(f"the system allows {files} open files, enough for {' and '.join(cut)}; allow {needed}, {how}")
    return settings.model_copy(update={"max_connections": fit(settings.max_connections)})


def fit(connections: int) -> int:
    """Return at most as many connections as this process can have and still open its own files."""
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return connections if files < 0 else min(connections, files - min(OWN_FILES, files // 2))


async def check_addresses(settings: Settings, release_seconds: float) -> None:
    """Raise AddressUnusableError unless the server can listen on its addresses, that of the site soon."""
    if settings.site and settings.port == settings.site_port != 0:
        raise AddressUnusableError(f"--port and --site-port are both {settings.port}; choose two ports")
    with naming_address(settings.host, settings.port, "--port"):
        listeners = await bind(settings.host, settings.port)
    close_all(listeners)
    if settings.site:
        close_all(await bind_site(settings, release_seconds))


def close_all(sockets: Iterable[socket.socket]) -> None:
    for each in sockets:
        each.close()


async def bind_site(settings: Settings, seconds: float = 0.0) -> list[socket.socket]:
    """Listen on the address of the site, which may be in use for so long. Raises AddressUnusableError."""
    now = asyncio.get_running_loop().time
    end, host = now() + seconds, settings.site_host or settings.host
    host_option = "--host" if settings.site_host is None else "the setting site_host"
    with naming_address(host, settings.site_port, "--site-port", host_option):
        while True:
            try:
                return await bind(host, settings.site_port)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or now() >= end:
                    raise
            await asyncio.sleep(_POLL_SECONDS)


@contextlib.contextmanager
def naming_address(host: str, port: int, option: str, host_option: str = "--host") -> Iterator[None]:
    """Turn an OSError on listening into an AddressUnusableError; the options set the port and the host."""
    try:
        yield
    except OSError as error:
        # asyncio puts a sentence with the address before the system's text, and socket puts one after it
        reason = (error.strerror or str(error)).rpartition("): ")[2].partition(" (while ")[0]
        reason = "the port is in use" if error.errno == errno.EADDRINUSE else reason[:1].lower() + reason[1:]
        change = option if error.errno in {errno.EADDRINUSE, errno.EACCES} else host_option
        raise AddressUnusableError(
            f"cannot listen on {host} port {port}: {reason}; choose another with {change}"
        ) from None


async def bind(host: str, port: int) -> list[socket.socket]:
    """Listen on one port at each address of ``host``; port 0 lets the system choose. Raises OSError."""
    loop = asyncio.get_running_loop()
    infos = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    sockets: list[socket.socket] = []
    try:
        for family, _kind, _protocol, _name, address in dict.fromkeys(infos):
            used = sockets[0].getsockname()[1] if sockets else port
            with_port = (address[0], used, *address[2:])
            sockets.append(socket.create_server(with_port, family=family, backlog=_BACKLOG))
    except OSError:
        close_all(sockets)
        raise
    return sockets


class TlsUnusableError(EvilpegsError):
    """A certificate or key that cannot be used, with one line that says why and what to do."""


def load_tls(cert: Path | None, key: Path | None) -> ssl.SSLContext | None:
    """Return the TLS context of PEM files; without ``key``, the key is in ``cert`` too. Raises TlsUnusableError."""
    if cert is None:
        if key is not None:
            raise TlsUnusableError(f"the key {key} has no certificate; name its certificate with --tls-cert")
        return None
    context = tls_context(ssl.Purpose.CLIENT_AUTH)
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
